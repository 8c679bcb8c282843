/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_writer_zstd.h - records of perf.data, packed by zstd.
 */
#ifndef LW_PERF_WRITER_ZSTD_H
#define LW_PERF_WRITER_ZSTD_H

#include <linux/perf_event.h>

#include "base/util.h"

/* What one record unpacks to at most. */
#define LW_PACK_BYTES		(48U << 10)

struct lw_packer;

struct lw_packer *lw_packer_new(int level, bool aligned);
void lw_packer_free(struct lw_packer *packer);
bool lw_packer_add(struct lw_packer *packer, const struct perf_event_header *record);
int lw_packer_pack(struct lw_packer *packer, const void **data, size_t *size);
u32 lw_packer_level(const struct lw_packer *packer);
u32 lw_packer_ratio(const struct lw_packer *packer);
int lw_packer_max_level(void);

#endif /* LW_PERF_WRITER_ZSTD_H */
