/* SPDX-License-Identifier: GPL-2.0 */
/* bench.h - the subjects: what walks, what looks up. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "../../tools/sframe/sframe_reader.h"
#include "chain.h"

/**
 * struct program - this program, as the subjects find it in memory
 * @sframe: its .sframe section
 * @sframe_size: bytes that the program header gives it
 * @text_start: its executable segment
 * @text_end: likewise
 * @stack_end: behind the stack of this thread
 */
struct program {
	const void *sframe;
	size_t	sframe_size;
	uintptr_t text_start;
	uintptr_t text_end;
	uintptr_t stack_end;
};

extern struct program program;

/**
 * struct subject - one that is measured
 * @name: in the results
 * @setup: called once, before all else; may be NULL
 * @walk: write up to @max addresses, the one of the frame of @walk itself
 *	first, to @ips; how many.  NULL if it only looks up.
 * @find: the rule for an address, 0 if there is one.  NULL if it only walks.
 * @forget: empty its cache of rules; NULL if it has none
 */
struct subject {
	const char *name;
	void	(*setup)(void);
	unsigned int (*walk)(uintptr_t *ips, unsigned int max);
	int	(*find)(uintptr_t pc, struct lw_rule *rule);
	void	(*forget)(void);
};

/* Says what failed and exits. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ours.c: .sframe of the program, opened */
extern struct lw_sframe section;

/* shape.c */
void print_shape(const struct bench_chain *chains);

/* ours.c */
extern const struct subject subject_fp, subject_plain, subject_latewind,
	subject_indexed, subject_read, subject_cached;
/* peers.c */
extern const struct subject subject_libsframe, subject_libunwind,
	subject_glibc, subject_libdwfl, subject_libdw;

#endif /* BENCH_H */
