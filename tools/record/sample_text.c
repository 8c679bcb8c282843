// SPDX-License-Identifier: GPL-2.0
/*
 * sample_text.c - a sample with its stack as text, one block a sample.
 *
 * Names take a while: files are read for them. So one thread says what is mapped where, while
 * it knows, and another one may look for the names and print them.
 *
 * Contexts: any thread; a symbolizer and an output belong to one.
 */
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>

#include "record/sample_text.h"

static const char * const end_names[] = {
	[LW_END_OUTERMOST]	= "outermost",
	[LW_END_TRUNCATED]	= "truncated",
	[LW_END_NO_RULE]	= "no-rule",
	[LW_END_BAD_CFA]	= "bad-cfa",
	[LW_END_FAULT]		= "fault",
	[LW_END_BAD_IP]		= "bad-ip",
	[LW_END_EXITED]		= "exited",
	[LW_END_EXEC]		= "exec",
	[LW_END_NOMEM]		= "nomem",
	[LW_END_COMPAT]		= "compat",
	[LW_END_STOPPED]	= "stopped",
	[LW_END_OUTERMOST_FP]	= "outermost-fp",
	[LW_END_BUDGET]		= "budget",
};

static const char * const user_names[] = {
	[LW_USER_PENDING]	= "missing",
	[LW_USER_KTHREAD]	= "kthread",
	[LW_USER_EXITING]	= "exiting",
	[LW_USER_NO_SLOT]	= "no-slot",
	[LW_USER_EXCLUDED]	= "excluded",
	[LW_USER_THROTTLED]	= "throttled",
};

static const char * const how_names[] = {
	[LW_HOW_REGS]		= "regs",
	[LW_HOW_SFRAME]		= "sframe",
	[LW_HOW_FP]		= "fp",
	[LW_HOW_SIGFRAME]	= "sigframe",
	[LW_HOW_TABLE]		= "table",
	[LW_HOW_REGISTERED]	= "registered",
	[LW_HOW_ANALYSIS]	= "analysis",
};

static const char *pick(const char * const *names, u32 nr, u32 index)
{
	return index < nr && names[index] ? names[index] : "unknown";
}

/**
 * lw_sample_text_stack_end - how a walk ended
 * @end: LW_END_*
 *
 * Return: a word.
 */
const char *lw_sample_text_stack_end(u32 end)
{
	return pick(end_names, ARRAY_SIZE(end_names), end);
}

/* Return: a word that says how the user part of a sample ended. */
static const char *end_of(const struct lw_sample_text *text)
{
	if (text->stack)
		return lw_sample_text_stack_end(text->stack->end);
	return pick(user_names, ARRAY_SIZE(user_names), text->sample->user);
}

/* The mappings of a stack's frames, each once, and that of a jitdump for frames without a file. */
struct frame_maps {
	const struct lw_map *maps[LW_MAX_DEPTH + 1];
	u16 map_of[LW_MAX_DEPTH];
	u16 dump_map;
	u32 nr_maps, nr_frames;
	size_t path_bytes;
};

static u16 add_map(struct frame_maps *found, const struct lw_map *map)
{
	if (!map)
		return LW_NO_MAP;
	for (u32 i = found->nr_maps; i--;) {
		if (found->maps[i] == map)
			return i;
	}
	found->maps[found->nr_maps] = map;
	found->path_bytes += strlen(map->path) + 1;
	return found->nr_maps++;
}

static void add_frame(struct frame_maps *found, const struct lw_process_maps *procs,
		      struct lw_user_address *address)
{
	lw_process_maps_locate(procs, address);
	found->map_of[found->nr_frames++] = add_map(found, address->map);
	/* all frames are of one process at one time, which has one */
	if (address->dump)
		found->dump_map = add_map(found, address->dump);
}

static void find_maps(struct frame_maps *found, const struct lw_process_maps *procs,
		      const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct latewind_frame frame;

	found->nr_maps = 0;
	found->nr_frames = 0;
	found->path_bytes = 0;
	found->dump_map = LW_NO_MAP;
	if (!stack || !stack->nr) {
		add_frame(found, procs, &(struct lw_user_address) {
			.pid = sample->pid, .time = sample->time, .ip = sample->ip,
		});
		return;
	}
	frame = latewind_frames(stack);
	while (found->nr_frames < LW_MAX_DEPTH && latewind_frame_next(&frame))
		add_frame(found, procs, &(struct lw_user_address) {
			.pid = stack->pid, .time = stack->time, .ip = frame.ip - frame.off,
		});
}

/* Room behind what there is, which is cleared before. */
static void *take_room(u8 **at, size_t bytes)
{
	void *room = *at;

	*at += ALIGN_UP(bytes, sizeof(u64));
	return room;
}

static void copy_maps(struct lw_sample_text *text, u8 *at, const struct frame_maps *found)
{
	char *path;

	text->maps = take_room(&at, found->nr_maps * sizeof(struct lw_map));
	text->map_of = take_room(&at, found->nr_frames * sizeof(u16));
	memcpy(text->map_of, found->map_of, found->nr_frames * sizeof(u16));
	path = (char *)at;
	for (u32 i = 0; i < found->nr_maps; i++) {
		text->maps[i] = *found->maps[i];
		text->maps[i].path = strcpy(path, found->maps[i]->path);
		path += strlen(path) + 1;
	}
}

/**
 * lw_sample_text_new - take down what the text of a sample needs
 * @procs: with all side-band up to the sample
 * @event: that it is of; must stay as long as the text
 * @sample: the sample
 * @stack: its user stack or NULL
 *
 * Return: all of that, to be freed with free(), or NULL.
 */
struct lw_sample_text *lw_sample_text_new(const struct lw_process_maps *procs,
					  const struct lw_event *event,
					  const struct lw_sample *sample,
					  const struct lw_user_stack *stack)
{
	size_t sample_bytes = latewind_sample_size(sample);
	size_t stack_bytes = stack ? latewind_stack_size(stack) : 0;
	const char *comm = lw_process_maps_comm(procs, sample->tid, sample->time);
	struct frame_maps found;
	struct lw_sample_text *text;
	size_t bytes;
	u8 *at;

	find_maps(&found, procs, sample, stack);
	bytes = sizeof(*text) + ALIGN_UP(sample_bytes, sizeof(u64)) +
		ALIGN_UP(stack_bytes, sizeof(u64)) + found.nr_maps * sizeof(struct lw_map) +
		ALIGN_UP(found.nr_frames * sizeof(u16), sizeof(u64)) + found.path_bytes;
	text = calloc(1, bytes);
	if (!text)
		return NULL;
	at = (u8 *)(text + 1);
	text->work.bytes = bytes;
	text->event = event;
	text->sample = memcpy(take_room(&at, sample_bytes), sample, sample_bytes);
	if (stack)
		text->stack = memcpy(take_room(&at, stack_bytes), stack, stack_bytes);
	text->began = stack && stack->nr ?
		      lw_process_maps_began(procs, stack->pid, stack->time) :
		      lw_process_maps_began(procs, sample->pid, sample->time);
	if (comm)
		strncpy(text->comm, comm, sizeof(text->comm) - 1);
	text->dump_map = found.dump_map;
	copy_maps(text, at, &found);
	return text;
}

static void print_frame(struct lw_strbuf *out, u64 ip, u64 taken_off,
			const struct lw_place *place, const char *how)
{
	size_t begin;

	lw_strbuf_char(out, '\t');
	begin = out->len;
	lw_strbuf_hex_digits(out, ip);
	lw_strbuf_right(out, begin, 16);
	lw_strbuf_char(out, ' ');
	lw_strbuf_printable(out, place->function ? place->function : "[unknown]");
	if (place->function) {
		lw_strbuf_str(out, "+0x");
		lw_strbuf_hex_digits(out, place->offset + taken_off);
	}
	lw_strbuf_str(out, " (");
	lw_strbuf_printable(out, place->dso);
	lw_strbuf_str(out, ") [");
	lw_strbuf_str(out, how);
	lw_strbuf_str(out, "]\n");
}

static void print_kernel(struct lw_strbuf *out, struct lw_symbolizer *symbolizer,
			 const struct lw_sample *sample)
{
	struct lw_place place;

	for (u32 i = 0; i < sample->nr_kernel; i++) {
		lw_symbolize_kernel(symbolizer, sample->time, sample->kernel[i] - !!i, &place);
		print_frame(out, sample->kernel[i], !!i, &place, "kernel");
	}
}

static const struct lw_map *map_at(const struct lw_sample_text *text, u16 number)
{
	return number == LW_NO_MAP ? NULL : &text->maps[number];
}

static void name_frame(struct lw_symbolizer *symbolizer, const struct lw_sample_text *text,
		       u32 frame, u64 ip, struct lw_place *place)
{
	const bool is_of_stack = text->stack && text->stack->nr;
	const struct lw_user_address address = {
		.pid = is_of_stack ? text->stack->pid : text->sample->pid,
		.time = is_of_stack ? text->stack->time : text->sample->time,
		.ip = ip,
		.began = text->began,
		.map = map_at(text, text->map_of[frame]),
		.dump = map_at(text, text->dump_map),
	};

	lw_symbolize_user(symbolizer, &address, place, 1);
}

static void print_user(struct lw_strbuf *out, struct lw_symbolizer *symbolizer,
		       const struct lw_sample_text *text)
{
	struct latewind_frame frame = latewind_frames(text->stack);
	struct lw_place place;

	for (u32 i = 0; i < LW_MAX_DEPTH && latewind_frame_next(&frame); i++) {
		name_frame(symbolizer, text, i, frame.ip - frame.off, &place);
		print_frame(out, frame.ip, frame.off, &place,
			    pick(how_names, ARRAY_SIZE(how_names), frame.how));
	}
}

static void print_lone_ip(struct lw_strbuf *out, struct lw_symbolizer *symbolizer,
			  const struct lw_sample_text *text)
{
	struct lw_place place;

	name_frame(symbolizer, text, 0, text->sample->ip, &place);
	print_frame(out, text->sample->ip, 0, &place, "regs");
}

static void print_fields(struct lw_strbuf *out, struct lw_tracepoint_fields *fields,
			 const struct lw_sample_text *text)
{
	size_t begin = out->len;
	const void *raw;
	u32 size;

	raw = latewind_sample_raw(text->sample, &size);
	if (!raw || !fields)
		return;
	lw_strbuf_char(out, ' ');
	if (!lw_tracepoint_fields_print(fields, text->event->attr.config, raw, size,
					text->sample->cpu, out))
		out->len = begin;
}

static void print_head(struct lw_strbuf *out, struct lw_tracepoint_fields *fields,
		       const struct lw_sample_text *text)
{
	const struct lw_sample *sample = text->sample;

	lw_strbuf_printable(out, text->comm[0] ? text->comm : ":unknown");
	lw_strbuf_char(out, ' ');
	lw_strbuf_u64(out, sample->pid);
	lw_strbuf_char(out, '/');
	lw_strbuf_u64(out, sample->tid);
	lw_strbuf_str(out, " [");
	lw_strbuf_padded(out, sample->cpu, 3);
	lw_strbuf_str(out, "] ");
	lw_strbuf_u64(out, sample->time / NSEC_PER_SEC);
	lw_strbuf_char(out, '.');
	lw_strbuf_padded(out, sample->time % NSEC_PER_SEC, 9);
	lw_strbuf_char(out, ' ');
	lw_strbuf_str(out, text->event->name);
	lw_strbuf_str(out, ": end=");
	lw_strbuf_str(out, end_of(text));
	if (text->event->off_cpu) {
		lw_strbuf_str(out, " blocked=");
		lw_strbuf_u64(out, sample->period);
	}
	print_fields(out, fields, text);
	lw_strbuf_char(out, '\n');
}

static void print_lost(struct lw_strbuf *out, u64 lost)
{
	lw_strbuf_str(out, "[LOST ");
	lw_strbuf_u64(out, lost);
	lw_strbuf_str(out, " samples]\n\n");
}

/**
 * lw_sample_text_print - print a sample as one block, after what was left out before it
 * @out: where to
 * @symbolizer: gives the names
 * @fields: knows those of tracepoints; NULL: they are left out
 * @text: what is printed
 */
void lw_sample_text_print(struct lw_strbuf *out, struct lw_symbolizer *symbolizer,
			  struct lw_tracepoint_fields *fields, const struct lw_sample_text *text)
{
	if (text->lost_before)
		print_lost(out, text->lost_before);
	if (!text->sample)
		return;
	print_head(out, fields, text);
	print_kernel(out, symbolizer, text->sample);
	if (text->stack && text->stack->nr)
		print_user(out, symbolizer, text);
	else if (text->sample->record.flags & LW_SAMPLE_USER_IP)
		print_lone_ip(out, symbolizer, text);
	lw_strbuf_char(out, '\n');
}
