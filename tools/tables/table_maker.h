/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table_maker.h - unwind tables for the files that others have mapped.
 */
#ifndef LW_TABLE_MAKER_H
#define LW_TABLE_MAKER_H

#include "elf/mapped_file.h"
#include "latewind.h"

struct lw_kept_files;

/* Why a file has no table. */
enum lw_table_maker_failure {
	LW_TABLES_NO_CFI,	/* an ELF file that says nothing of its stacks */
	LW_TABLES_NOT_ELF,
	LW_TABLES_FOREIGN,	/* of another machine */
	LW_TABLES_TOO_BIG,
	LW_TABLES_GONE,		/* it could not be opened, or another is in its place */
	LW_TABLES_CHANGED,	/* it was written to while the table was made */
	LW_TABLES_NO_ROOM,	/* the module, or we, have no memory for it */
	LW_TABLES_REFUSED,	/* the module would not have it */
	LW_TABLES_NR_FAILURES
};

/**
 * struct lw_table_maker_stats - what was done so far
 * @files: that have tables
 * @tables: handed over, one an executable segment
 * @bytes: of these
 * @failed: files without one, by the reason
 * @max_delay: nanoseconds until a file that was met had its table, of those met while
 *	recording
 * @start_time: nanoseconds until all that was mapped before had its tables
 */
struct lw_table_maker_stats {
	u64 files;
	u64 tables;
	u64 bytes;
	u64 failed[LW_TABLES_NR_FAILURES];
	u64 max_delay;
	u64 start_time;
};

/* Like latewind_session_add_table(), to which it mostly leads; called from any thread. */
typedef int (*lw_table_maker_sink)(void *ctx, struct lw_table *table);

/**
 * struct lw_table_maker_options - how it is done
 * @verbose: tell of each file that has no table
 * @progress: tell, on a terminal, how far it is if the start takes long
 * @analysis: rows of code without call frame information, too; the module must know their mark
 * @stop_fd: readable when the start is to be cut short; -1: none
 * @done: gets the context and the number of lw_table_maker_see_map() when all that can be done
 *	for that file is done; called from any thread
 * @kept: get each file that is seen, or NULL
 */
struct lw_table_maker_options {
	bool verbose;
	bool progress;
	bool analysis;
	int stop_fd;
	void (*done)(void *ctx, u64 number);
	struct lw_kept_files *kept;
};

struct lw_table_maker;

struct lw_table_maker *lw_table_maker_new(lw_table_maker_sink sink, void *ctx,
					  const struct lw_table_maker_options *options);
void lw_table_maker_free(struct lw_table_maker *tables);
void lw_table_maker_add_vdso(struct lw_table_maker *tables);
void lw_table_maker_add_path(struct lw_table_maker *tables, const char *path);
bool lw_table_maker_add_map(struct lw_table_maker *tables, const struct lw_mapping *map);
void lw_table_maker_see_map(struct lw_table_maker *tables, const struct lw_mapping *map, u64 time,
			    u64 number);
void lw_table_maker_wait(struct lw_table_maker *tables);
void lw_table_maker_stop(struct lw_table_maker *tables);
bool lw_table_maker_join(struct lw_table_maker *tables, u64 until);
void lw_table_maker_hurry(void);
void lw_table_maker_stats(struct lw_table_maker *tables, struct lw_table_maker_stats *stats);
const char *lw_table_maker_failure_text(enum lw_table_maker_failure why);

#endif /* LW_TABLE_MAKER_H */
