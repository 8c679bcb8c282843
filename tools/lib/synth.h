/* SPDX-License-Identifier: GPL-2.0 */
/*
 * synth.h - side-band records for what ran before the recording.
 */
#ifndef LW_SYNTH_H
#define LW_SYNTH_H

#include "sideband.h"

struct lw_synth;

struct lw_synth *lw_synth_new(lw_sideband_fn fn, void *ctx);
void lw_synth_free(struct lw_synth *synth);
int lw_synth_kernel(struct lw_synth *synth);
int lw_synth_process(struct lw_synth *synth, pid_t pid);
int lw_synth_all(struct lw_synth *synth);

#endif /* LW_SYNTH_H */
