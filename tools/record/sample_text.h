/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_text.h - a sample with its stack as text.
 */
#ifndef LW_SAMPLE_TEXT_H
#define LW_SAMPLE_TEXT_H

#include "events/event_parse.h"
#include "symbols/symbolizer.h"
#include "latewind.h"

void lw_sample_text(FILE *out, const struct lw_process_maps *procs,
		    struct lw_symbolizer *symbolizer, const struct lw_event *event,
		    const struct lw_sample *sample, const struct lw_user_stack *stack);
const char *lw_sample_text_stack_end(u32 end);

#endif /* LW_SAMPLE_TEXT_H */
