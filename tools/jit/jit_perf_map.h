/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_perf_map.h - names of code in /tmp/perf-PID.map, as perf wants them.
 */
#ifndef LW_JIT_PERF_MAP_H
#define LW_JIT_PERF_MAP_H

#include "jit/jit_code.h"

void lw_jit_perf_map_read(struct lw_jit_code *code, int fd, u64 *read_to, u64 most);

#endif /* LW_JIT_PERF_MAP_H */
