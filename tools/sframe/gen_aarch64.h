/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_aarch64.h - frames of code of aarch64 that has no call frame information.
 *
 * For gen.c, profile/dwarf_unwind.c, and its judge in the selftests.
 */
#ifndef LW_SFRAME_GEN_AARCH64_H
#define LW_SFRAME_GEN_AARCH64_H

#include "sframe/gen_parts.h"

#define GEN_AARCH64_INSN	4U	/* bytes */

/**
 * struct gen_aarch64_frame - what is known in front of an instruction
 * @is_seen: some path comes here
 * @is_lost: paths disagree, or something is not known: no row says this
 * @sp_known: the CFA is the stack pointer and @depth
 * @by_fp: the CFA is the frame pointer and @above_fp
 * @is_signed: the return address is
 * @depth: bytes
 * @above_fp: bytes
 * @ra: where the return address is, from the CFA; 0: in its register
 * @fp: likewise the caller's frame pointer
 */
struct gen_aarch64_frame {
	bool is_seen, is_lost, sp_known, by_fp, is_signed;
	s32 depth, above_fp, ra, fp;
};

int gen_aarch64_follow(const u8 *code, u32 size, struct gen_aarch64_frame **frames);
bool gen_aarch64_state(const struct gen_aarch64_frame *frame, struct gen_state *state);

int gen_aarch64_add(struct gen_cfi *cfi, const struct gen_input *input);
u64 gen_aarch64_empty(const struct gen_cfi *cfi, const struct gen_input *input);
int gen_aarch64_rows(const struct gen_input *input, const struct gen_fde *fde,
		     struct gen_rows *rows);

#endif /* LW_SFRAME_GEN_AARCH64_H */
