/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_flow.h - the stack's depth at each instruction of code that has no call frame
 * information, found by following the code.  For gen_analysis.c and its judge in the selftests.
 *
 *	gen_insn.c	what one instruction does to a frame
 *	gen_switch.c	where a switch may go
 *	gen_flow.c	code is followed from known entries
 *	gen_analysis.c	which code, and which entries
 */
#ifndef LW_SFRAME_GEN_FLOW_H
#define LW_SFRAME_GEN_FLOW_H

#include <Zydis/Zydis.h>

#include "sframe/gen_parts.h"

#define GEN_ALIGNMENT	16U	/* of functions whose address is a word, not that of a call */

/* What is known of a value. */
enum gen_track_kind {
	GEN_UNTRACKED,
	GEN_OF_CFA,		/* CFA + off */
	GEN_OF_ALIGNED,		/* off from where the stack pointer was when it was last rounded */
	GEN_CALLER_FP,		/* the frame pointer that the function was entered with */
};

struct gen_track {
	s32 off;
	u32 kind;		/* enum gen_track_kind */
};

/**
 * struct gen_frame - what is known before an instruction; has no padding
 * @regs: registers by their DWARF numbers
 * @fp_slot: address where the caller's frame pointer is saved
 * @cfa_slot: address, relative to a rounded stack pointer, that holds CFA + @cfa_off
 * @cfa_off: see @cfa_slot
 * @compared: the last instruction compared the stack pointer with this register; or 0
 */
struct gen_frame {
	struct gen_track regs[GEN_NR_GPRS];
	struct gen_track fp_slot, cfa_slot;
	s32 cfa_off;
	u32 compared;
};

/* Where an instruction goes. */
enum gen_insn_flow {
	GEN_INSN_NEXT,
	GEN_INSN_JUMP,		/* to its target, or to nobody knows where */
	GEN_INSN_BRANCH,	/* to its target or the next */
	GEN_INSN_CALL,		/* and then most often to the next */
	GEN_INSN_RETURN,
	GEN_INSN_STOP,		/* nowhere, or into the kernel for good */
	GEN_INSN_BAD,		/* it is no instruction */
};

struct gen_insn {
	u64 target;
	u8 size;
	u8 flow;		/* enum gen_insn_flow */
	bool has_target;
	bool is_padding;
	bool takes_address;	/* @target is loaded, no jump goes there */
	bool takes_number;	/* likewise, which may be an address if these are fixed */
};

void gen_frame_enter(struct gen_frame *frame);
bool gen_frame_state(const struct gen_frame *frame, struct gen_state *state);
bool gen_insn_begins_function(const ZydisDecoder *decoder, const u8 *code, size_t room);
bool gen_insn_uses_result(const ZydisDecoder *decoder, const u8 *code, size_t room);
void gen_insn_decode(const ZydisDecoder *decoder, u64 addr, const u8 *code, size_t room,
		     struct gen_frame *frame, struct gen_insn *insn);

/* Code without call frame information; @at: of its first byte in gen_flow.code. */
struct gen_gap {
	u64 start, size;
	size_t at;
};

/* What says that a function begins somewhere. */
enum gen_trust {
	GEN_NAMED_BY_DATA,	/* data has the address; it may be that of a label */
	GEN_NAMED_BY_CODE,	/* it is called, or code of a compiler takes its address */
	GEN_SYMBOL,		/* the file says so */
};

#define GEN_MAX_CASES	1024U

/* The table of a switch: @nr words of 32 bits, at most GEN_MAX_CASES. */
struct gen_switch {
	u64 table;
	u32 nr;
};

bool gen_switch_find(const ZydisDecoder *decoder, const u64 *addrs, const u8 *const *codes,
		     unsigned int nr, struct gen_switch *found);

struct gen_flow;

struct gen_flow *gen_flow_new(const struct gen_gap *gaps, size_t nr_gaps, const u8 *code,
			      const struct gen_input *input);
void gen_flow_free(struct gen_flow *flow);
int gen_flow_enter(struct gen_flow *flow, u64 addr, enum gen_trust trust);
int gen_flow_run(struct gen_flow *flow);
const struct gen_frame *gen_flow_frame(struct gen_flow *flow, u64 addr);
u64 gen_flow_unseen(const struct gen_flow *flow);
u32 gen_flow_step(struct gen_flow *flow, const struct gen_gap *gap, u64 off,
		  const struct gen_frame **frame);
const struct gen_gap *gen_flow_gap(const struct gen_flow *flow, u64 addr);
bool gen_flow_is_entry(const struct gen_flow *flow, u64 addr);

#endif /* LW_SFRAME_GEN_FLOW_H */
