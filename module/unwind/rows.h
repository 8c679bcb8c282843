/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rows.h - SFrame bytes in kernel memory: tables of sessions, sections of processes.
 */
#ifndef LW_ROWS_H
#define LW_ROWS_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "sframe/sframe.h"

/* Most bytes of SFrame.  No section with 32-bit offsets needs more. */
#define LW_ROWS_MAX	SZ_1G

/**
 * struct lw_rows - copied SFrame bytes, which do not change; first member of its owner's struct
 * @refs: one of the owner, and one of each mapping that a walk knows
 * @garbage: in the list of rows to be freed
 * @freed: called before the memory is freed, or NULL
 * @memory: bytes of the allocation: the owner's struct, the index, the SFrame bytes
 * @source: where @sframe reads
 * @first: memory of @sframe's index
 * @sframe: for look-ups
 */
struct lw_rows {
	refcount_t	refs;
	struct llist_node garbage;
	void (*freed)(const struct lw_rows *rows);
	u64		memory;
	struct lw_sframe_source source;
	u32		*first;
	struct lw_sframe sframe;
};

u64 lw_rows_memory(size_t head, u64 len);
void *lw_rows_alloc(size_t head, u64 len);
int lw_rows_fill(struct lw_rows *rows, u64 from, bool wait, const struct lw_sframe_place *place);
void lw_rows_put(struct lw_rows *rows);
void lw_rows_free(struct lw_rows *rows);
void lw_rows_free_unused(void);
int lw_rows_pause(void);
void lw_rows_abort(void);
void lw_rows_flush(void);

#endif /* LW_ROWS_H */
