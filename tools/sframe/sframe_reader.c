// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_reader.c - the module's reader of SFrame sections, built for user space.
 *
 * The sources are those of the module, so that there is one decoder.  With machines.h they
 * know all ABIs; with LW_SFRAME_NATIVE, for benchmarks and tests, the module's one.
 */
#ifndef LW_SFRAME_NATIVE
#define LW_SFRAME_MACHINES "../../tools/sframe/machines.h"
#endif

#include "../../module/sframe/sframe.c"
#include "sframe_reader.h"

/**
 * lw_sframe_find() - the rule for one address, whatever it costs
 * @sf: section that lw_sframe_open() took
 * @pc: address of an instruction, or one less than a return address
 * @rule: filled on success, untouched otherwise
 *
 * Return: as lw_sframe_find_within().
 */
int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule)
{
	__u32 budget = ~0U;

	return lw_sframe_find_within(sf, pc, rule, &budget);
}

/**
 * lw_sframe_get_fde() - one function of a section
 * @sf: section that lw_sframe_open() took
 * @idx: its number, from 0
 * @fde: filled on success; on failure what was read so far, or nothing
 *
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: there is no such number;
 * LW_SFRAME_UNKNOWN_FDE_TYPE; LW_SFRAME_FUNC_OUTSIDE to
 * LW_SFRAME_FUNC_ROWS_OUTSIDE; or what read() returned.
 */
int lw_sframe_get_fde(const struct lw_sframe *sf, __u32 idx, struct lw_sframe_fde *fde)
{
	*fde = (struct lw_sframe_fde){ 0 };
	return idx < sf->num_fdes ? read_fde(sf, idx, fde) : LW_SFRAME_NO_RULE;
}

/**
 * lw_sframe_first_row() - begin a walk over the rows of a function
 * @cursor: filled
 * @sf: section that lw_sframe_open() took; must live as long as @cursor
 * @fde: function, from lw_sframe_get_fde()
 */
void lw_sframe_first_row(struct lw_sframe_cursor *cursor, const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde)
{
	cursor->fde = *fde;
	start_walk(cursor, sf);
}

/**
 * lw_sframe_next_row() - the next row of a function
 * @cursor: from lw_sframe_first_row()
 * @row: filled on success, undefined otherwise
 *
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: there are no more;
 * LW_SFRAME_TOO_MANY_ROWS; LW_SFRAME_ROW_OUTSIDE to LW_SFRAME_BAD_OFFSET; or
 * what read() returned.  After a failure the walk is where it was.
 */
int lw_sframe_next_row(struct lw_sframe_cursor *cursor, struct lw_sframe_row *row)
{
	struct mode mode = mode_of(cursor->sf);
	__u32 start = cursor->start;
	struct row head;
	int err;

	if (cursor->next >= cursor->fde.num_rows)
		return LW_SFRAME_NO_RULE;
	if (cursor->next == LW_SFRAME_MAX_ROWS)
		return LW_SFRAME_TOO_MANY_ROWS;
	err = next_row(cursor, mode, &head);
	if (err)
		return err;
	err = decode_row(cursor, mode, &head, &row->rule);
	if (err) {
		cursor->next--;
		cursor->pos = head.pos;
		cursor->start = start;
		return err;
	}
	row->start = cursor->start;
	row->pos = head.pos;
	row->end = cursor->pos;
	row->info = head.info;
	return 0;
}
