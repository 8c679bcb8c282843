/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process_maps.h - which files were mapped where, in which process, at what time.
 */
#ifndef LW_PROCESS_MAPS_H
#define LW_PROCESS_MAPS_H

#include <linux/perf_event.h>

#include "base/util.h"
#include "elf/elf_file.h"

struct lw_map {
	u64 time;
	u64 start;
	u64 end;
	u64 pgoff;
	char *path;
	u8 build_id[LW_BUILD_ID_MAX];
	u8 build_id_len;		/* 0: not known */
};

/**
 * struct lw_user_address - an address of a process at a time, and what is known of it
 * @pid: the process, as recorded
 * @time: CLOCK_MONOTONIC nanoseconds
 * @ip: the address; of a return address one less
 * @began: when the process began to run its program, see lw_process_maps_began()
 * @map: the mapping that it is in, or NULL
 * @dump: of code that the process has made: the mapping of a file by which the process tells
 *	that its names are there (jit-PID.dump), or NULL
 */
struct lw_user_address {
	u32 pid;
	u64 time;
	u64 ip;
	u64 began;
	const struct lw_map *map;
	const struct lw_map *dump;
};

/* Changes of a process's mappings; names that were looked up before the newest are stale. */
struct lw_change {
	u64 count;
	u64 time;			/* of the newest */
};

struct lw_process_maps;

struct lw_process_maps *lw_process_maps_new(void);
void lw_process_maps_keep_all(struct lw_process_maps *procs);
void lw_process_maps_only_names(struct lw_process_maps *procs);
void lw_process_maps_free(struct lw_process_maps *procs);
int lw_process_maps_record(struct lw_process_maps *procs, const struct perf_event_header *record);
const struct lw_map *lw_process_maps_find(const struct lw_process_maps *procs, u32 pid, u64 time,
					  u64 ip);
void lw_process_maps_locate(const struct lw_process_maps *procs, struct lw_user_address *address);
const struct lw_map *lw_process_maps_dump(const struct lw_process_maps *procs, u32 pid, u64 time);
u64 lw_process_maps_all_changes(const struct lw_process_maps *procs);
const struct lw_change *lw_process_maps_change(const struct lw_process_maps *procs, u32 pid);
u64 lw_process_maps_began(const struct lw_process_maps *procs, u32 pid, u64 time);
size_t lw_process_maps_nr(const struct lw_process_maps *procs, u32 pid, u64 time);
bool lw_map_is_made(const struct lw_map *map);
const char *lw_process_maps_comm(const struct lw_process_maps *procs, u32 tid, u64 time);

#endif /* LW_PROCESS_MAPS_H */
