// SPDX-License-Identifier: GPL-2.0
/*
 * gen_ocaml.c - OCaml's calls of its garbage collector, whose rows are not right.
 *
 * A function that allocates memory, or polls, has the call behind its end:
 *
 *	sub	$24, %r15
 *	cmp	(%r14), %r15
 *	jb	1f
 *   2:	lea	8(%r15), %rax
 *	...
 *	ret
 *   1:	call	caml_call_gc
 *	jmp	2b
 *
 * Its call frame information is what holds at the end (OCaml 5.3), where no handler of exceptions
 * is pushed.  At the place that it came from, and goes back to, there may be some.  Neither the
 * jump there nor that back moves the stack pointer, so what holds at 2 holds at 1.
 *
 * Contexts: any thread; no state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_parts.h"

#define CALL_REL32	0xe8
#define CALL_SIZE	5U
#define JMP_REL32	0xe9
#define JMP_REL8	0xeb
#define MAX_WAY		10U		/* bytes of a call and a jump of 32 bits */
#define WINDOW		4096U		/* bytes of code that are read at once */

/* Offsets in a function. */
struct way_back {
	u32 call, end, back;
};

struct way_list {
	struct way_back *ways;
	size_t nr, room;
};

/* @code: MAX_WAY bytes, zeros behind the function's end; perhaps within an instruction */
static bool is_way_back(const u8 *code, u32 at, struct way_back *way)
{
	s32 rel;

	if (code[0] != CALL_REL32)
		return false;
	if (code[CALL_SIZE] == JMP_REL8) {
		rel = (__s8)code[CALL_SIZE + 1];
		way->end = at + CALL_SIZE + 2;
	} else if (code[CALL_SIZE] == JMP_REL32) {
		memcpy(&rel, code + CALL_SIZE + 1, sizeof(rel));
		way->end = at + MAX_WAY;
	} else {
		return false;
	}
	way->call = at;
	way->back = way->end + (u32)rel;
	return way->back < at;
}

/* Return: the run that an offset is in; there is one from 0 on. */
static const struct gen_run *run_at(const struct gen_rows *rows, u32 off)
{
	size_t from = 0, to = rows->nr;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (rows->runs[middle].start <= off)
			from = middle;
		else
			to = middle;
	}
	return &rows->runs[from];
}

static int find_ways(const struct gen_input *input, const struct gen_fde *fde,
		     const struct gen_rows *rows, struct way_list *list)
{
	u8 code[WINDOW + MAX_WAY];

	for (u64 at = 0; at + CALL_SIZE < fde->size; at += WINDOW) {
		u32 size = fde->size - at < sizeof(code) ? fde->size - at : sizeof(code);
		struct way_back way;

		memset(code, 0, sizeof(code));
		if (!gen_input_code(input, fde->start + at, code, size))
			break;
		for (u32 i = 0; i < size && i < WINDOW; i++) {
			if (!is_way_back(code + i, at + i, &way) || way.end > fde->size ||
			    gen_rows_same(run_at(rows, way.call), run_at(rows, way.back)))
				continue;
			if (lw_grow((void **)&list->ways, &list->room, list->nr + 1,
				    sizeof(way)))
				return -ENOMEM;
			list->ways[list->nr++] = way;
		}
	}
	return 0;
}

/* A run of no bytes gives way to the next. */
static void add_run(struct gen_run *runs, size_t *nr, const struct gen_run *run, u32 start)
{
	if (*nr && runs[*nr - 1].start == start)
		--*nr;
	runs[*nr] = *run;
	runs[*nr].start = start;
	++*nr;
}

static int mend(struct gen_rows *rows, const struct way_list *list, u32 size)
{
	struct gen_run *runs = NULL;
	size_t nr = 0, room = 0, next = 0;

	if (lw_grow((void **)&runs, &room, rows->nr + 2 * list->nr, sizeof(*runs)))
		return -ENOMEM;
	for (size_t i = 0; i < list->nr; i++) {
		const struct way_back *way = &list->ways[i];

		for (; next < rows->nr && rows->runs[next].start < way->call; next++)
			add_run(runs, &nr, &rows->runs[next], rows->runs[next].start);
		add_run(runs, &nr, run_at(rows, way->back), way->call);
		while (next < rows->nr && rows->runs[next].start <= way->end)
			next++;
		if (way->end < size)
			add_run(runs, &nr, run_at(rows, way->end), way->end);
	}
	for (; next < rows->nr; next++)
		add_run(runs, &nr, &rows->runs[next], rows->runs[next].start);
	free(rows->runs);
	rows->runs = runs;
	rows->room = room;
	rows->nr = nr;
	return 0;
}

/**
 * gen_ocaml_mend - mend the rows of a function of OCaml where it calls the collector
 * @input: its file
 * @fde: the function
 * @rows: its runs
 *
 * Return: 0 or -ENOMEM.
 */
int gen_ocaml_mend(const struct gen_input *input, const struct gen_fde *fde, struct gen_rows *rows)
{
	struct way_list list = { 0 };
	int ret;

	if (!rows->nr)
		return 0;
	ret = find_ways(input, fde, rows, &list);
	if (!ret && list.nr && rows->nr + 2 * list.nr <= GEN_MAX_RUNS)
		ret = mend(rows, &list, fde->size);
	free(list.ways);
	return ret;
}
