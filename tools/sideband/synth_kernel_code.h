/* SPDX-License-Identifier: GPL-2.0 */
/*
 * synth_kernel_code.h - kernel code that was made before the recording.
 */
#ifndef LW_SYNTH_KERNEL_CODE_H
#define LW_SYNTH_KERNEL_CODE_H

#include "base/perf_records.h"
#include "sideband/sideband.h"

int lw_synth_kernel_code(const char *text, size_t size, lw_perf_event_fn fn, void *ctx);

#endif /* LW_SYNTH_KERNEL_CODE_H */
