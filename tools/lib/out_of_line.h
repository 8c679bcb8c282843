/* SPDX-License-Identifier: GPL-2.0 */
/*
 * out_of_line.h - kernel code that was made before the recording.
 */
#ifndef LW_OUT_OF_LINE_H
#define LW_OUT_OF_LINE_H

#include "sideband.h"

int lw_out_of_line_synthesise(const char *text, size_t size, lw_sideband_fn fn, void *ctx);

#endif /* LW_OUT_OF_LINE_H */
