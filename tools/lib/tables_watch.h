/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tables_watch.h - follows what is mapped while we record.
 */
#ifndef LW_TABLES_WATCH_H
#define LW_TABLES_WATCH_H

#include "tables.h"
#include "target.h"

struct lw_tables_watch;

int lw_tables_watch_start(struct lw_tables_watch **watch, struct lw_tables *tables,
			  const struct lw_target *target);
u64 lw_tables_watch_lost(const struct lw_tables_watch *watch);
int lw_tables_watch_error(const struct lw_tables_watch *watch);
void lw_tables_watch_stop(struct lw_tables_watch *watch);
bool lw_tables_watch_join(struct lw_tables_watch *watch, u64 until);
void lw_tables_watch_free(struct lw_tables_watch *watch);

#endif /* LW_TABLES_WATCH_H */
