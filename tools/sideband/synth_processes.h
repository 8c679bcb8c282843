/* SPDX-License-Identifier: GPL-2.0 */
/*
 * synth_processes.h - side-band records for what ran before the recording.
 */
#ifndef LW_SYNTH_PROCESSES_H
#define LW_SYNTH_PROCESSES_H

#include "base/perf_records.h"
#include "elf/mapped_file.h"
#include "sideband/sideband.h"
#include "symbols/kernel_range.h"
#include "latewind.h"

struct lw_synth;

/* Return: whether of this file there is nothing to be told any more. */
typedef bool (*lw_synth_map_fn)(void *ctx, const struct lw_mapping *map);

struct lw_synth *lw_synth_new(lw_perf_event_fn fn, void *ctx);
void lw_synth_also_maps(struct lw_synth *synth, lw_synth_map_fn fn, void *ctx);
void lw_synth_also_data(struct lw_synth *synth);
void lw_synth_also_namespaces(struct lw_synth *synth);
void lw_synth_free(struct lw_synth *synth);
int lw_synth_kernel(struct lw_synth *synth, const struct lw_kernel_range *range);
int lw_synth_module(struct lw_synth *synth, const struct lw_module *module);
int lw_synth_process(struct lw_synth *synth, pid_t pid);
int lw_synth_tasks(struct lw_synth *synth, const struct lw_task_entry *tasks, size_t nr);
int lw_synth_all(struct lw_synth *synth);
struct lw_synth *lw_synth_twin(const struct lw_synth *synth, lw_perf_event_fn fn, void *ctx);
int lw_synth_put(struct lw_synth *synth, const struct perf_event_header *record);

#endif /* LW_SYNTH_PROCESSES_H */
