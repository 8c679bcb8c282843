/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code_supply.h - unwind rows for code that processes make and tell of in jitdumps.
 */
#ifndef LW_CODE_SUPPLY_H
#define LW_CODE_SUPPLY_H

#include "base/perf_records.h"
#include "elf/mapped_file.h"
#include "latewind.h"

/**
 * struct lw_code_sink - who gets the rows, and knows the mappings; mostly a session
 * @ctx: for the functions, which are called from the supply's thread
 * @add: as LW_IOC_ADD_CODE; returns 0 or -errno
 * @find: fills in @map, whose @pid and @start are given, and its path, of PATH_MAX bytes; false if
 *	no mapping begins there
 */
struct lw_code_sink {
	void *ctx;
	int (*add)(void *ctx, struct lw_code *code);
	bool (*find)(void *ctx, struct lw_mapping *map, char *path);
};

/**
 * struct lw_code_supply_stats - what was done so far
 * @pieces: of code that got rows
 * @refused: pieces whose rows the module would not have
 * @error: 0 or the -errno for which no process can get rows
 */
struct lw_code_supply_stats {
	u64 pieces;
	u64 refused;
	int error;
};

struct lw_code_supply;

int lw_code_supply_start(struct lw_code_supply **supply, const struct lw_code_sink *sink);
void lw_code_supply_record(struct lw_code_supply *supply, const struct perf_event_header *record);
void lw_code_supply_stats(struct lw_code_supply *supply, struct lw_code_supply_stats *stats);
void lw_code_supply_stop(struct lw_code_supply *supply);
bool lw_code_supply_join(struct lw_code_supply *supply, u64 until);
void lw_code_supply_free(struct lw_code_supply *supply);

#endif /* LW_CODE_SUPPLY_H */
