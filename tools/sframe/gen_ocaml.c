// SPDX-License-Identifier: GPL-2.0
/*
 * gen_ocaml.c - OCaml's calls of its runtime, whose rows are not right.
 *
 * A function that allocates memory, or polls, calls the garbage collector behind its end; one
 * that may need more stack, to have it made larger:
 *
 *	lea	-376(%rsp), %r10	sub	$24, %r15
 *	cmp	40(%r14), %r10		cmp	(%r14), %r15
 *	jb	3f			jb	1f
 *   4:	sub	$56, %rsp	   2:	lea	8(%r15), %rax
 *	...				...
 *   1:	call	caml_call_gc
 *	jmp	2b
 *   3:	push	$40
 *	call	caml_call_realloc_stack
 *	pop	%r10
 *	jmp	4b
 *
 * The call frame information of 1 and 3 goes by what holds at the function's end (OCaml 5.3),
 * where no handler of exceptions is pushed and the frame is there.  At the places that they come
 * from, and go back to, there may be handlers, or no frame.  Neither the jump there nor that back
 * moves the stack pointer, so what holds at 2 holds at 1, and what holds at 4 at 3.
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
#define PUSH_IMM8	0x6a
#define PUSH_IMM8_SIZE	2U
#define PUSH_IMM32	0x68
#define PUSH_IMM32_SIZE	5U
#define MAX_WAY		17U		/* bytes of a push, a call, a pop, a jump */
#define MAX_RUNS	4U		/* of a way back, and behind it */
#define WINDOW		4096U		/* bytes of code that are read at once */

static const u8 pop_r10[] = { 0x41, 0x5a };

/* Offsets in a function; @pushed and @popped are @start where nothing is pushed. */
struct way_back {
	u32 start, pushed, popped, end, back;
};

struct way_list {
	struct way_back *ways;
	size_t nr, room;
};

/* Return: bytes of a jump back, 0: it is another instruction. */
static u32 jump_size(const u8 *code, s32 *rel)
{
	if (code[0] == JMP_REL8) {
		*rel = (__s8)code[1];
		return 2;
	}
	memcpy(rel, code + 1, sizeof(*rel));
	return code[0] == JMP_REL32 ? 1 + sizeof(*rel) : 0;
}

static u32 push_size(const u8 *code)
{
	if (code[0] == PUSH_IMM8)
		return PUSH_IMM8_SIZE;
	return code[0] == PUSH_IMM32 ? PUSH_IMM32_SIZE : 0;
}

/* @code: MAX_WAY bytes, zeros behind the function's end; perhaps within an instruction */
static bool is_way_back(const u8 *code, u32 at, struct way_back *way)
{
	u32 pushed = push_size(code), size = pushed, jump;
	s64 end, back;
	s32 rel;

	if (code[size] != CALL_REL32)
		return false;
	size += CALL_SIZE;
	if (pushed && memcmp(code + size, pop_r10, sizeof(pop_r10)))
		return false;
	if (pushed)
		size += sizeof(pop_r10);
	jump = jump_size(code + size, &rel);
	way->start = at;
	way->pushed = at + pushed;
	way->popped = pushed ? at + size : at;
	end = (s64)at + size + jump;
	back = end + rel;
	way->end = (u32)end;
	way->back = (u32)back;
	return jump && end <= UINT32_MAX && back >= 0 && back < at;
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

/* A push can be added to a row that counts from the stack pointer. */
static bool is_wrong(const struct gen_rows *rows, const struct way_back *way)
{
	const struct gen_run *right = run_at(rows, way->back);
	const struct gen_value *cfa = &right->cfa;

	/* What is wrong is not made a hole, or the end of a stack. */
	if (cfa->kind != GEN_VALUE)
		return false;
	if (way->pushed != way->start &&
	    (cfa->base != GEN_SP || cfa->deref || cfa->index || cfa->off > INT32_MAX - GEN_SLOT))
		return false;
	return !gen_rows_same(run_at(rows, way->start), right);
}

/*
 * What looks like a push of 32 bits may be the end of another instruction, in front of one of 8
 * bits.
 */
static int add_found(struct way_list *list, const struct way_back *way)
{
	struct way_back *last = list->nr ? &list->ways[list->nr - 1] : NULL;

	if (last && last->end == way->end)
		*last = *way;
	if (last && way->start < last->end)
		return 0;
	if (lw_grow((void **)&list->ways, &list->room, list->nr + 1, sizeof(*way)))
		return -ENOMEM;
	list->ways[list->nr++] = *way;
	return 0;
}

static int find_ways(const struct gen_input *input, const struct gen_fde *fde,
		     const struct gen_rows *rows, u64 *left, struct way_list *list)
{
	const u64 search = input->nr_phdrs * sizeof(*input->phdrs);
	u8 code[WINDOW + MAX_WAY];

	for (u64 at = 0; at + CALL_SIZE < fde->size && *left >= search + sizeof(code);
	     at += WINDOW) {
		u32 size = fde->size - at < sizeof(code) ? fde->size - at : sizeof(code);
		struct way_back way;

		*left -= search + size;
		memset(code, 0, sizeof(code));
		if (!gen_input_code(input, fde->start + at, code, size))
			break;
		for (u32 i = 0; i < size && i < WINDOW; i++) {
			if (!is_way_back(code + i, at + i, &way) || way.end > fde->size ||
			    !is_wrong(rows, &way))
				continue;
			if (add_found(list, &way))
				return -ENOMEM;
		}
	}
	return 0;
}

/* The next one takes the place of a run that starts there, too. */
static void add_run(struct gen_run *runs, size_t *nr, const struct gen_run *run, u32 start)
{
	if (*nr && runs[*nr - 1].start == start)
		--*nr;
	runs[*nr] = *run;
	runs[*nr].start = start;
	++*nr;
}

static void add_way(struct gen_run *runs, size_t *nr, const struct gen_rows *rows,
		    const struct way_back *way)
{
	struct gen_run pushed = *run_at(rows, way->back);

	add_run(runs, nr, &pushed, way->start);
	pushed.cfa.off += GEN_SLOT;
	if (way->pushed != way->start)
		add_run(runs, nr, &pushed, way->pushed);
	pushed.cfa.off -= GEN_SLOT;
	if (way->pushed != way->start)
		add_run(runs, nr, &pushed, way->popped);
}

static int mend(struct gen_rows *rows, const struct way_list *list, u32 size)
{
	struct gen_run *runs = NULL;
	size_t nr = 0, room = 0, next = 0;

	if (lw_grow((void **)&runs, &room, rows->nr + MAX_RUNS * list->nr, sizeof(*runs)))
		return -ENOMEM;
	for (size_t i = 0; i < list->nr; i++) {
		const struct way_back *way = &list->ways[i];

		for (; next < rows->nr && rows->runs[next].start < way->start; next++)
			add_run(runs, &nr, &rows->runs[next], rows->runs[next].start);
		add_way(runs, &nr, rows, way);
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
 * gen_ocaml_mend - mend the rows of a function of OCaml where it calls the runtime
 * @input: its file
 * @fde: the function
 * @rows: its runs
 * @left: bytes of code and program headers that may still be looked at in that file
 *
 * Return: 0 or -ENOMEM.
 */
int gen_ocaml_mend(const struct gen_input *input, const struct gen_fde *fde, struct gen_rows *rows,
		   u64 *left)
{
	struct way_list list = { 0 };
	int ret;

	if (!rows->nr)
		return 0;
	ret = find_ways(input, fde, rows, left, &list);
	if (!ret && list.nr && rows->nr + MAX_RUNS * list.nr <= GEN_MAX_RUNS)
		ret = mend(rows, &list, fde->size);
	free(list.ways);
	return ret;
}
