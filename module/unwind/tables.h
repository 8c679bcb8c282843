/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tables.h - tables that sessions hand over, by file.
 */
#ifndef LW_TABLES_H
#define LW_TABLES_H

#include <linux/list.h>
#include <linux/types.h>

#include "latewind.h"
#include "sframe/sframe.h"

struct lw_file_id;
struct lw_file_table;
struct mm_struct;
struct vm_area_struct;

/**
 * struct lw_table_owner - what a session has
 * @list: of struct owned_table in tables.c
 * @mm: that is charged for them; set before the first
 * @nr: length of @list
 * @bytes: memory of these tables
 * @pages: charged for them
 *
 * All but @mm protected by tables_lock of tables.c.
 */
struct lw_table_owner {
	struct list_head list;
	struct mm_struct *mm;
	u64	nr;
	u64	bytes;
	unsigned long pages;
};

/**
 * struct lw_table_range - addresses for which one answer holds
 * @start: first
 * @end: first behind them
 * @bias: what to take from an address to have it as the table means it
 */
struct lw_table_range {
	u64	start;
	u64	end;
	u64	bias;
};

/* For sessions. */
int lw_tables_add(struct lw_table_owner *owner, const struct lw_table *table);
void lw_tables_release(struct lw_table_owner *owner);
void lw_tables_stats(const struct lw_table_owner *owner, struct lw_stats *stats);

/* For walks. */
u64 lw_tables_generation(void);
struct lw_file_table *lw_table_get(const struct lw_file_id *id, u64 offset,
				   const struct vm_area_struct *vma, u64 pc,
				   struct lw_table_range *range);
void lw_table_put(struct lw_file_table *table);
void lw_table_open(const struct lw_file_table *table, u64 entry, struct lw_sframe *sframe);

void lw_tables_init(void);
void lw_tables_exit(void);

#endif /* LW_TABLES_H */
