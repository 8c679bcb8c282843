/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_text.h - a sample with its stack as text, one block a sample.
 */
#ifndef LW_SAMPLE_TEXT_H
#define LW_SAMPLE_TEXT_H

#include "base/strbuf.h"
#include "base/work_queue.h"
#include "events/event_parse.h"
#include "events/tracepoint_fields.h"
#include "symbols/symbolizer.h"

struct lw_sample;
struct lw_user_stack;

/**
 * struct lw_sample_text - all that the text of a sample is made of
 * @work: for a thread that prints it
 * @lost_before: samples that were left out since the one before
 * @event: that it is of; must stay
 * @sample: the sample; NULL: only @lost_before is told
 * @stack: its user stack or NULL
 * @began: when its process began to run its program
 * @comm: name of its thread; empty: not known
 * @maps: mappings that the frames are in, and that of a jitdump
 * @map_of: for each user frame the number of its mapping, or LW_NO_MAP
 * @dump_map: the number of the mapping of a jitdump that may name frames, or LW_NO_MAP
 *
 * One piece of memory, of malloc(), with all but @event: what the side-band says later
 * changes nothing of it.
 */
struct lw_sample_text {
	struct lw_work work;
	u64 lost_before;
	const struct lw_event *event;
	struct lw_sample *sample;
	struct lw_user_stack *stack;
	u64 began;
	char comm[16];
	struct lw_map *maps;
	u16 *map_of;
	u16 dump_map;
};

#define LW_NO_MAP	0xffff

struct lw_sample_text *lw_sample_text_new(const struct lw_process_maps *procs,
					  const struct lw_event *event,
					  const struct lw_sample *sample,
					  const struct lw_user_stack *stack);
void lw_sample_text_print(struct lw_strbuf *out, struct lw_symbolizer *symbolizer,
			  struct lw_tracepoint_fields *fields, const struct lw_sample_text *text);
const char *lw_sample_text_stack_end(u32 end);

#endif /* LW_SAMPLE_TEXT_H */
