/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracing_data.h - the formats of tracepoints, as perf.data files have them.
 */
#ifndef LW_TRACING_DATA_H
#define LW_TRACING_DATA_H

#include "events/event_parse.h"

/* What a reader is told; each may be called several times, or never.  Nonzero ends it. */
struct lw_tracing_data_ops {
	int (*machine)(void *ctx, bool big_endian, u32 long_size);
	int (*header_page)(void *ctx, const char *text, size_t size);
	int (*format)(void *ctx, const char *system, const char *text, size_t size);
	/* strings of the kernel: what printk_formats has */
	int (*strings)(void *ctx, const char *text);
};

int lw_tracing_data_make(const char *root, const struct lw_event *events, u32 nr, char **data,
			 size_t *size);
int lw_tracing_data_read(const void *data, size_t size, const struct lw_tracing_data_ops *ops,
			 void *ctx);

#endif /* LW_TRACING_DATA_H */
