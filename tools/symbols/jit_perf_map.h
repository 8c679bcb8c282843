/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_perf_map.h - names of code that a process has made, as it tells them itself.
 */
#ifndef LW_JIT_PERF_MAP_H
#define LW_JIT_PERF_MAP_H

#include "base/util.h"

/* Bytes: read of a file at a time; kept of one process's names; kept of all. */
#define LW_PERF_MAP_LOOK	(16ULL << 20)
#define LW_PERF_MAP_PROCESS	(64ULL << 20)
#define LW_PERF_MAP_ALL		(256ULL << 20)

struct lw_jit_perf_maps;

struct lw_jit_perf_maps *lw_jit_perf_maps_new(void);
void lw_jit_perf_maps_free(struct lw_jit_perf_maps *maps);
void lw_jit_perf_maps_trim(struct lw_jit_perf_maps *maps);
u64 lw_jit_perf_maps_bytes(const struct lw_jit_perf_maps *maps);
const char *lw_jit_perf_map_name(struct lw_jit_perf_maps *maps, u32 pid, u64 began, u64 ip,
				 u64 *offset, const char **file);

#endif /* LW_JIT_PERF_MAP_H */
