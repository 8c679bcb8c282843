/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_outputs.h - the files of a recording, and what is said at its end.
 */
#ifndef LW_RECORDER_OUTPUTS_H
#define LW_RECORDER_OUTPUTS_H

#include "record/recorder.h"

u64 lw_outputs_file_id(u32 event);
int lw_outputs_sample(struct lw_recorder *rec, u32 event, const struct lw_sample *sample,
		      const struct lw_user_stack *stack);
int lw_outputs_open_file(struct lw_recorder *rec);
int lw_outputs_open_stats(struct lw_recorder *rec);
u64 lw_outputs_lost(struct lw_recorder *rec);
int lw_outputs_finish(struct lw_recorder *rec);
void lw_outputs_after_failure(struct lw_recorder *rec);

#endif /* LW_RECORDER_OUTPUTS_H */
