/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_writer_zstd.h - records of perf.data, packed by zstd.
 */
#ifndef LW_PERF_WRITER_ZSTD_H
#define LW_PERF_WRITER_ZSTD_H

#include <linux/perf_event.h>

#include "base/util.h"

/* Most bytes that one record unpacks to. */
#define LW_PACK_BYTES		(48U << 10)

struct lw_zstd_writer;

struct lw_zstd_writer *lw_zstd_writer_new(int level, bool aligned);
void lw_zstd_writer_free(struct lw_zstd_writer *writer);
bool lw_zstd_writer_add(struct lw_zstd_writer *writer, const struct perf_event_header *record);
int lw_zstd_writer_pack(struct lw_zstd_writer *writer, const void **data, size_t *size);
u32 lw_zstd_writer_level(const struct lw_zstd_writer *writer);
u32 lw_zstd_writer_ratio(const struct lw_zstd_writer *writer);
int lw_zstd_writer_max_level(void);

#endif /* LW_PERF_WRITER_ZSTD_H */
