/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen.h - SFrame tables made of the call frame information of a file, and of its code.
 */
#ifndef LW_SFRAME_GEN_H
#define LW_SFRAME_GEN_H

#include <elf.h>

#include "base/util.h"

/* EM_* of this machine */
#if defined(__aarch64__)
#define LW_GEN_NATIVE_MACHINE	EM_AARCH64
#elif defined(__s390x__)
#define LW_GEN_NATIVE_MACHINE	EM_S390
#else
#define LW_GEN_NATIVE_MACHINE	EM_X86_64
#endif

/* lw_sframe_gen_fd() */
#define LW_GEN_V3		0x1U	/* version 3 even where 2 would do */
#define LW_GEN_ANALYSIS		0x2U	/* rows of other code, too, from its instructions */
#define LW_GEN_NATIVE		0x4U	/* of files of this machine alone */

/* Why code that has call frame information has no rule. */
enum lw_gen_hole {
	LW_GEN_HOLE_SIGNAL,	/* a signal frame: the module knows these by their bytes */
	LW_GEN_HOLE_CFA,	/* an expression that is no rule, or none */
	LW_GEN_HOLE_RA,		/* return address likewise */
	LW_GEN_HOLE_FP,		/* frame pointer likewise, or lost */
	LW_GEN_HOLE_SP,		/* stack pointer is not the CFA */
	LW_GEN_HOLE_RANGE,	/* an offset, a size or a number of rows is too large */
	LW_GEN_HOLE_UNKNOWN,	/* an augmentation, encoding or instruction is not known */
	LW_GEN_HOLE_BROKEN,	/* bytes that make no sense */
	LW_GEN_HOLE_OVERLAP,	/* two functions have that code, or a part of one is */
	LW_GEN_HOLE_OUTSIDE,	/* not in an executable segment */
	LW_GEN_NUM_HOLES
};

/**
 * struct lw_gen_counts - what became of a file
 * @code_bytes: of executable sections, or segments if there are no sections
 * @empty_bytes: of these, that are no instructions: with LW_GEN_ANALYSIS, zeros of the linker's
 * @cfi_bytes: of code that call frame information claims to describe
 * @covered_bytes: of these, that have a rule
 * @entry_bytes: not of these: where a program begins, which has a rule all the same
 * @analysed_bytes: likewise: with LW_GEN_ANALYSIS, that have a rule from their instructions
 * @cfi_size: bytes of call frame information
 * @functions: of it: FDEs
 * @pieces: functions of the tables; a hole splits one
 * @rows: of all pieces
 * @blocks: different ones among the rows of the pieces
 * @hole_bytes: of code, by reason
 * @holes: pieces of code, by reason
 */
struct lw_gen_counts {
	u64 code_bytes;
	u64 empty_bytes;
	u64 cfi_bytes;
	u64 covered_bytes;
	u64 entry_bytes;
	u64 analysed_bytes;
	u64 cfi_size;
	u64 functions;
	u64 pieces;
	u64 rows;
	u64 blocks;
	u64 hole_bytes[LW_GEN_NUM_HOLES];
	u64 holes[LW_GEN_NUM_HOLES];
};

/**
 * struct lw_gen_table - the section of one executable segment
 * @text_offset: of the segment in the file; starts of functions are relative to it
 * @text_size: its bytes in the file
 * @text_addr: its address in the file's headers
 * @data: the section's bytes, as if it and the segment were at address 0
 * @size: of them
 * @version: of SFrame, 2 or 3
 */
struct lw_gen_table {
	u64 text_offset;
	u64 text_size;
	u64 text_addr;
	u8 *data;
	size_t size;
	u32 version;
};

/**
 * struct lw_gen - all of a file
 * @tables: one an executable segment that has functions, by @text_offset
 * @nr_tables: of them, not 0
 * @counts: how it went
 */
struct lw_gen {
	struct lw_gen_table *tables;
	size_t nr_tables;
	struct lw_gen_counts counts;
};

int lw_sframe_gen_fd(int fd, const char *name, unsigned int flags, struct lw_gen *gen);
int lw_sframe_gen_memory(const void *image, size_t size, const char *name, unsigned int flags,
			 struct lw_gen *gen);
void lw_gen_free(struct lw_gen *gen);
const char *lw_gen_hole_text(enum lw_gen_hole hole);

#endif /* LW_SFRAME_GEN_H */
