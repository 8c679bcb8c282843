/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tables.h - tables of files, added by sessions.
 */
#ifndef LW_TABLES_H
#define LW_TABLES_H

#include <linux/types.h>

#include "latewind.h"

struct lw_file_id;
struct lw_rows;
struct mm_struct;

/* Where the sframe of a table has offset 0 of the file.  Not 0: an entry of 0 means none. */
#define LW_TABLE_ADDR	0x1000ULL

/**
 * struct lw_table_owner - the tables of a session
 * @bit: the session's own, of lw_tracer.id; set before the first table is added
 * @mm: is charged; set likewise
 * @nr: tables
 * @bytes: their memory
 * @pages: charged for them
 *
 * @nr, @bytes, @pages protected by tables_lock of tables.c.
 */
struct lw_table_owner {
	u64	bit;
	struct mm_struct *mm;
	u64	nr;
	u64	bytes;
	unsigned long pages;
};

/* For sessions. */
int lw_tables_add(struct lw_table_owner *owner, const struct lw_table *table);
void lw_tables_release(struct lw_table_owner *owner);
void lw_tables_stats(const struct lw_table_owner *owner, struct lw_stats *stats);

/* For walks. */
u64 lw_tables_generation(void);
struct lw_rows *lw_tables_find(const struct lw_file_id *id, u64 at, u64 *start, u64 *end);

#endif /* LW_TABLES_H */
