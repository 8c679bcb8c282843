/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_writer_features.h - what a perf.data file tells of itself and the machine.
 */
#ifndef LW_PERF_WRITER_FEATURES_H
#define LW_PERF_WRITER_FEATURES_H

#include "perf/perf_writer.h"

/* Number of a feature: its bit in the header. */
#define LW_FEATURES_MAX		256
/* In a pipe it is the record that it has a kind for. */
#define LW_FEATURE_TRACING_DATA	1
/* Is made of records as it is. */
#define LW_FEATURE_BUILD_ID	2

bool lw_perf_writer_feature_is_late(u32 feature);
int lw_perf_writer_feature(struct lw_perf_writer *out, u32 feature, char **data, size_t *size);

#endif /* LW_PERF_WRITER_FEATURES_H */
