/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fuzz.h - what the fuzz targets of the SFrame reader share.
 *
 * An input is CONTROL bytes, which say where the section is and how its bytes
 * come, then the section.  Each target takes it apart with input_parse(), runs
 * the reader, and ends by die() if a promise of sframe.h was not kept.  That no
 * byte outside of the section was touched is for ASan to see, and for read().
 */
#ifndef LW_FUZZ_H
#define LW_FUZZ_H

#include <stddef.h>
#include <linux/types.h>

#include "reader.h"

/* control bytes */
#define CTL_ABI		0	/* asked for, modulo NUM_ASKED */
#define CTL_MODE	1	/* enum mode, MODE_*, PLACE_* */
#define CTL_SEED	2	/* of what the mode does */
#define CTL_ADDR	3	/* added to the section's address */
#define CTL_PC		4	/* NUM_PCS of them: an FDE, and where in it */
#define CONTROL		8

#define NUM_ASKED	6	/* any, the four, one that is none */
#define NUM_PCS		4
#define MAX_ROOM	16	/* of an index; modulo */
#define MAX_INDEXED	256	/* FDEs */

/* How bytes come; CTL_MODE & MODE_MASK. */
enum mode {
	MODE_PLAIN,		/* in memory and by read(): the same results */
	MODE_FAULT = 4,		/* read() fails at some call */
	MODE_FLIP,		/* read() gives other bits now and then */
	MODE_RACE,		/* in memory, and bits change between loads */
	MODE_STRETCH,		/* the last bytes repeat, by read() only */
};

#define MODE_MASK	7

/* Where section and text are; CTL_MODE & PLACE_MASK. */
#define PLACE_MASK	0x38
#define PLACE_NARROW	0x08	/* text is part of what FDEs say */
#define PLACE_TOP	0x10	/* text ends at the last address */
#define PLACE_ALL	0x18	/* text is all there is */
#define PLACE_WRAPS	0x20	/* the section runs past the last address */
#define PLACE_EMPTY	0x28	/* text has no byte */
#define PLACE_ENTRY	0x40	/* the FDE of the first pc is the program's */
#define PLACE_PATHS	0x80	/* functions may be of our own type */

#define SECTION_ADDR	0x40000000ULL
#define TEXT_START	0x1000ULL
#define TEXT_END	0x80000000ULL

/* Reads that each call makes at most, besides lw_sframe_find(). */
#define MAX_OPEN_READS	1
#define MAX_FDE_READS	2
#define MAX_ROW_READS	2

/**
 * struct watched - a source that watches what it is asked for
 * @src: for the reader; first, read() gets from it to here
 * @bytes: what there is; the rest of @src.size repeats the last @tail bytes
 * @len: of them
 * @tail: not 0 with MODE_STRETCH
 * @calls: of read() since watched_reset()
 * @fail_at: number of the call that fails, 0 for none
 * @flips: not 0: state of the generator that changes bits
 */
struct watched {
	struct lw_sframe_source src;
	const __u8 *bytes;
	size_t	len;
	unsigned int tail;
	unsigned int calls;
	unsigned int fail_at;
	__u32	flips;
};

/**
 * struct input - an input, taken apart
 * @control: its first bytes
 * @bytes: the section, in memory that ends with it
 * @len: bytes of it
 * @mode: how they come
 * @abi: what to ask lw_sframe_open() for
 * @place: likewise
 * @direct: source of MODE_PLAIN, bytes in memory
 * @reads: source of all modes but MODE_RACE
 */
struct input {
	__u8	control[CONTROL];
	const __u8 *bytes;
	size_t	len;
	enum mode mode;
	unsigned int abi;
	struct lw_sframe_place place;
	struct lw_sframe_source direct;
	struct watched reads;
};

extern const struct fuzz_reader *reader;	/* the one that is looked at */

/* What was done, so that a run that only looked busy shows. */
struct tell {
	unsigned long refused;		/* sections */
	unsigned long opened;
	unsigned long found;		/* FDEs, rows or rules */
	unsigned long none;
	unsigned long corrupt;
	unsigned long failed;		/* for a read that did */
	unsigned long compared;		/* with what expect.c says */
	unsigned long indexed;		/* sections */
	unsigned long raced;		/* look-ups */
	unsigned long retimed;		/* executions, as they took long */
	unsigned long max_reads;
	unsigned long max_nsec;
};

extern struct tell tell;

__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);

/* input.c */
int input_parse(struct input *in, const __u8 *data, size_t size);
__u64 input_pc(const struct input *in, const struct lw_sframe *sf,
	       unsigned int n);
__u32 input_room(const struct input *in);
__u32 input_fde(const struct input *in, const struct lw_sframe *sf,
		unsigned int n);
void watched_reset(struct watched *w);
void tell_of(int result);
void watched_check(const struct watched *w, unsigned int max_reads);
int open_both(struct input *in, struct lw_sframe *direct,
	      struct lw_sframe *reads);

/*
 * expect.c: the section by other code than the reader's.  A set has a bit for
 * each enum lw_sframe_result that is true of what was looked at.
 */
struct expected_row {
	__u32	start;
	__u32	end;
	__u8	info;
	struct lw_rule rule;
};

__u64 expect_open(const struct input *in, const struct lw_sframe_source *src,
		  struct lw_sframe *sf);
__u64 expect_fde(const struct input *in, const struct lw_sframe *sf, __u32 idx,
		 struct lw_sframe_fde *fde);
__u64 expect_row(const struct input *in, const struct lw_sframe *sf,
		 const struct lw_sframe_fde *fde, __u32 pos,
		 struct expected_row *row);
void expect_result(const char *what, int result, __u64 wrong);
void expect_sense(const struct lw_sframe *sf, const struct lw_rule *rule);
int is_result(const struct input *in, int result);
int same_rule(const struct lw_rule *a, const struct lw_rule *b);

/* Called by the compiler's instrumentation, and by libFuzzer. */
void __sanitizer_cov_load1(void *at);
void __sanitizer_cov_load2(void *at);
void __sanitizer_cov_load4(void *at);
void __sanitizer_cov_load8(void *at);
void __sanitizer_cov_load16(void *at);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(__u8 *data, size_t size, size_t max_size,
			       unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const __u8 *a, size_t a_size, const __u8 *b,
				 size_t b_size, __u8 *out, size_t max_size,
				 unsigned int seed);
/* libFuzzer's own */
size_t LLVMFuzzerMutate(__u8 *data, size_t size, size_t max_size);

/* Each target has its own; -1: the input is of no use for it. */
int fuzz_one(struct input *in);

#endif /* LW_FUZZ_H */
