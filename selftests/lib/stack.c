// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - see stack.h.
 */
#include <stdlib.h>

#include "lib/stack.h"

/* Runs are as long as they can be: a next one is another one. */
static bool is_run(const struct lw_user_stack *from, uint32_t i)
{
	const struct lw_frame_run *run = &from->runs[i];

	if (!run->nr || run->reserved || run->how > LW_HOW_ANALYSIS ||
	    (run->how == LW_HOW_REGS && from->nr > 1))
		return false;
	return !i || run->high != run[-1].high || run->how != run[-1].how;
}

static bool counts_are_sane(const struct lw_user_stack *from)
{
	const uint32_t *low = (const uint32_t *)&from->runs[from->nr_runs];
	uint32_t i, nr = 0;

	if (from->record.len < sizeof(*from) ||
	    from->record.len != sizeof(*from) + from->nr_runs * sizeof(from->runs[0]) +
				(from->nr + 1) / 2 * 8)
		return false;
	for (i = 0; i < from->nr_runs; i++) {
		if (!is_run(from, i))
			return false;
		nr += from->runs[i].nr;
	}
	return nr == from->nr && !from->reserved && !(nr % 2 && low[nr]);
}

static void put_frames(struct lwt_stack *to, const struct lw_user_stack *from)
{
	const uint32_t *low = (const uint32_t *)&from->runs[from->nr_runs];
	uint8_t *how = (uint8_t *)&to->frames[from->nr];
	uint32_t run, i;

	for (run = 0; run < from->nr_runs; run++)
		for (i = 0; i < from->runs[run].nr; i++, to->nr++) {
			to->frames[to->nr] = (uint64_t)from->runs[run].high << 32 | low[to->nr];
			how[to->nr] = to->nr ? from->runs[run].how : LW_HOW_REGS;
		}
}

/* Return: to be freed. */
struct lwt_stack *lwt_stack_of(const struct lw_record *record)
{
	const struct lw_user_stack *from = (const struct lw_user_stack *)record;
	bool is_sane = counts_are_sane(from);
	struct lwt_stack *to = calloc(1, sizeof(*to) + (is_sane ? from->nr * 9 : 0));

	if (!to)
		abort();
	to->record = from->record;
	to->is_sane = is_sane;
	if (record->len < sizeof(*from))
		return to;
	to->cookie = from->cookie;
	to->time = from->time;
	to->pid = from->pid;
	to->tid = from->tid;
	to->end = from->end;
	if (is_sane)
		put_frames(to, from);
	return to;
}

/* LW_HOW_* of each frame. */
const uint8_t *lwt_how(const struct lwt_stack *stack)
{
	return (const uint8_t *)(stack->frames + stack->nr);
}
