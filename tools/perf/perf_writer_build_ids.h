/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_writer_build_ids.h - the build IDs of all files that a recording has mapped.
 */
#ifndef LW_PERF_WRITER_BUILD_IDS_H
#define LW_PERF_WRITER_BUILD_IDS_H

#include <linux/perf_event.h>

#include "base/util.h"
#include "elf/elf_file.h"

struct lw_build_ids;

struct lw_build_ids *lw_build_ids_new(void);
void lw_build_ids_free(struct lw_build_ids *ids);
int lw_build_ids_note(struct lw_build_ids *ids, const struct perf_event_header *record);
void lw_build_ids_write(const struct lw_build_ids *ids, FILE *file);

#endif /* LW_PERF_WRITER_BUILD_IDS_H */
