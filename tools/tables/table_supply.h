/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table_supply.h - keeps the module supplied with unwind tables while a verb records.
 */
#ifndef LW_TABLE_SUPPLY_H
#define LW_TABLE_SUPPLY_H

#include "device/lw_session.h"
#include "tables/code_supply.h"
#include "tables/table_maker.h"
#include "tables/table_watch.h"

/**
 * struct lw_table_supply_options - what for
 * @off: no tables
 * @command: that will be run, or NULL
 * @verbose: tell of each file that has no table
 * @quiet: tell nothing
 * @stop_fd: readable when the user says that it is enough
 * @kept: get the files that samples meet, or NULL
 */
struct lw_table_supply_options {
	bool off;
	char **command;
	bool verbose;
	bool quiet;
	int stop_fd;
	struct lw_kept_files *kept;
};

struct lw_table_supply {
	struct lw_table_maker *tables;	/* NULL: none are made */
	struct lw_table_watch *watch;
	struct lw_code_supply *code;	/* NULL: code that is made gets no rows */
	bool verbose, quiet;
};

u32 lw_table_supply_setup_flags(const struct latewind_session *session, bool off);
int lw_table_supply_begin(struct lw_table_supply *supply, struct latewind_session *session,
			  const struct lw_table_supply_options *options);
bool lw_table_supply_map(void *ctx, const struct lw_mapping *map);
void lw_table_supply_record(struct lw_table_supply *supply, const struct perf_event_header *record);
void lw_table_supply_wait(struct lw_table_supply *supply);
void lw_table_supply_end(struct lw_table_supply *supply);
void lw_table_supply_settle(struct lw_table_supply *supply);
void lw_table_supply_stats(const struct lw_table_supply *supply,
			   struct lw_table_maker_stats *stats);
u64 lw_table_supply_failed(const struct lw_table_maker_stats *stats);
bool lw_table_supply_follow_failed(const struct lw_table_supply *supply);
void lw_table_supply_say(const struct lw_table_supply *supply);
bool lw_table_supply_free(struct lw_table_supply *supply);

#endif /* LW_TABLE_SUPPLY_H */
