/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_reader_bytes.h - the bytes of a recording, from whatever it comes.
 */
#ifndef LW_PERF_READER_BYTES_H
#define LW_PERF_READER_BYTES_H

#include "base/util.h"

/* More than any record has. */
#define LW_PERF_BLOCK		(1U << 16)
#define LW_PERF_BLOCKS		64U

struct lw_perf_bytes {
	int fd;				/* -1: there are none */
	u64 size;
	bool trusted;			/* they are root's, ours, or from the standard input */
	u8 *blocks[LW_PERF_BLOCKS];
	u64 numbers[LW_PERF_BLOCKS];	/* of what is in them, plus 1; 0: nothing */
	u32 lengths[LW_PERF_BLOCKS];
	u8 *bounce;			/* for what lies in two of them */
};

int lw_perf_bytes_open(struct lw_perf_bytes *bytes, const char *path);
int lw_perf_bytes_spool(struct lw_perf_bytes *bytes);
int lw_perf_bytes_append(struct lw_perf_bytes *bytes, const void *data, size_t size);
int lw_perf_bytes_read(const struct lw_perf_bytes *bytes, u64 offset, void *to, u64 size);
const void *lw_perf_bytes_at(struct lw_perf_bytes *bytes, u64 offset, u32 size);
void lw_perf_bytes_close(struct lw_perf_bytes *bytes);

#endif /* LW_PERF_READER_BYTES_H */
