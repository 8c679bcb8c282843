/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table_watch.h - has tables made of the files that walks meet while we record.
 */
#ifndef LW_TABLE_WATCH_H
#define LW_TABLE_WATCH_H

#include "tables/table_maker.h"
#include "latewind.h"

/**
 * struct lw_files_source - who tells of files that have no table; mostly a session
 * @fd: poll() of it ends when there is one
 * @events: for poll()
 * @ctx: for the functions, which are called from any thread
 * @next: as latewind_session_next_file()
 * @path: what the process calls a file, in @size bytes; false if it has that mapping no more
 * @done: as latewind_session_file_done()
 */
struct lw_files_source {
	int fd;
	short events;
	void *ctx;
	int (*next)(void *ctx, struct lw_missing_file *file);
	bool (*path)(void *ctx, const struct lw_missing_file *file, char *path, u32 size);
	void (*done)(void *ctx, u64 number);
};

struct lw_table_watch;

int lw_table_watch_start(struct lw_table_watch **watch, struct lw_table_maker *tables,
			 const struct lw_files_source *source);
int lw_table_watch_error(const struct lw_table_watch *watch);
void lw_table_watch_stop(struct lw_table_watch *watch);
bool lw_table_watch_join(struct lw_table_watch *watch, u64 until);
void lw_table_watch_free(struct lw_table_watch *watch);

#endif /* LW_TABLE_WATCH_H */
