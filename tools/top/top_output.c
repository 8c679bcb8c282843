// SPDX-License-Identifier: GPL-2.0
/*
 * top_output.c - the displays of 'latewind top', while it records.
 *
 * Samples are counted as they come out of the join, with their user stacks; it is
 * looked after each pass over the rings whether it is time for a display, and for keys.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "record/recorder.h"
#include "record/recorder_summary.h"
#include "record/settings.h"
#include "top/top_draw.h"
#include "top/top_output.h"
#include "top/top_stacks.h"
#include "ui/pager.h"
#include "ui/terminal.h"

#define MAX_ROWS	32768
/* Where no screen limits them. */
#define DEFAULT_ENTRIES	50
#define MAX_MISSED	100

struct lw_top_output {
	struct lw_recorder *rec;
	struct lw_symbolizer *symbolizer;
	struct lw_top_options options;
	struct lw_top *top;
	struct lw_top_stacks *stacks;
	struct lw_top_view view;
	struct lw_strbuf out;
	bool on_terminal;		/* it is ours */
	char whom[64];
	u64 began;			/* the time that the next display is of */
	u64 next;			/* when it is due */
	u64 displays;
	u32 missed;			/* that have not made the old fade */
	u64 samples, kernel;		/* since the last display */
	u64 shown_samples, shown_kernel;	/* in the one that is to be seen, */
	double shown_seconds;		/* and its time */
};

static int set_up_names(struct lw_top_output *top, const struct lw_options *options)
{
	const struct lw_report_options *report = &options->top->report;
	struct lw_symbolize_options how = {
		.here = true, .live = true, .no_demangle = options->top->no_demangle,
		.inlined = lw_report_has_key(report, LW_KEY_LINE),
	};

	top->symbolizer = lw_symbolizer_new(&how);
	if (!top->symbolizer)
		return -ENOMEM;
	if (options->kernel_depth && lw_recorder_meets_kernel(top->rec))
		lw_symbolizer_set_running_kernel(top->symbolizer);
	return 0;
}

static void say_whom(struct lw_top_output *top, const struct lw_options *options)
{
	if (options->all_cpus)
		snprintf(top->whom, sizeof(top->whom), "all CPUs%s",
			 options->cgroup ? ", a cgroup" : "");
	else if (options->nr_ids)
		snprintf(top->whom, sizeof(top->whom), "%s %d%s",
			 options->by_thread ? "thread" : "process", options->ids[0],
			 options->nr_ids > 1 ? " and others" : "");
	else
		snprintf(top->whom, sizeof(top->whom), "%s", options->command[0]);
}

static int set_up(struct lw_top_output *top)
{
	const struct lw_options *options = top->rec->options;

	top->options.report = &options->top->report;
	top->options.nr_events = options->nr_events;
	top->options.max_rows = MAX_ROWS;
	top->view.by_total = options->top->by_total;
	top->view.entries = options->top->entries;
	say_whom(top, options);
	if (set_up_names(top, options))
		return -ENOMEM;
	top->top = lw_top_new(&top->options);
	if (!top->top)
		return -ENOMEM;
	top->stacks = lw_top_stacks_new(top->top, top->rec->procs, top->symbolizer);
	return top->stacks ? 0 : -ENOMEM;
}

static int open_top(struct lw_recorder *rec, void **state)
{
	struct lw_top_output *top = calloc(1, sizeof(*top));

	*state = top;
	if (!top)
		return -ENOMEM;
	top->rec = rec;
	return set_up(top);
}

static void begin_display(struct lw_top_output *top, u64 now)
{
	top->began = now;
	top->next = now + top->rec->options->top->delay;
	top->samples = 0;
	top->kernel = 0;
}

static int record_top(void *state, const struct perf_event_header *record)
{
	struct lw_top_output *top = state;

	return lw_top_stacks_record(top->stacks, record);
}

static int sample_top(void *state, u32 event, const struct lw_sample *sample,
		      const struct lw_user_stack *stack)
{
	struct lw_top_output *top = state;

	top->samples++;
	top->kernel += !(sample->record.flags & LW_SAMPLE_USER_IP);
	return lw_top_stacks_add(top->stacks, event,
				 lw_cgroup_source_name(&top->rec->cgroups,
						       latewind_sample_cgroup(sample)),
				 sample, stack);
}

static void make_head(struct lw_top_output *top, struct lw_top_head *head)
{
	const struct lw_recorder *rec = top->rec;

	*head = (struct lw_top_head) {
		.event = rec->options->events[top->view.event].name,
		.whom = top->whom,
		.seconds = top->shown_seconds,
		.samples = top->shown_samples,
		.kernel = top->shown_kernel,
		.lost = lw_recorder_lost(rec),
		.lost_maps = rec->sideband.lost,
		.no_stack = rec->counts.user_stacks_missing + rec->counts.user_stacks_refused,
		.left_out = lw_top_left_out(top->top),
	};
}

static int write_out(struct lw_top_output *top)
{
	int ret = lw_strbuf_flush(&top->out, STDOUT_FILENO);

	/* the reader of a pipe has gone: that is an end, not a failure */
	top->rec->stopped |= ret == -EPIPE;
	return ret && ret != -EPIPE && ret != -ENOMEM ?
	       lw_fail(ret, "cannot write to the standard output: %s", strerror(-ret)) :
	       ret == -ENOMEM ? ret : 0;
}

static int draw(struct lw_top_output *top)
{
	struct lw_top_head head;

	make_head(top, &head);
	return lw_top_draw(top->top, &top->options, &head, &top->view, &top->out);
}

static int show_on_terminal(struct lw_top_output *top)
{
	int ret;

	lw_terminal_size(&top->view.width, &top->view.height);
	top->out.len = 0;
	ret = draw(top);
	if (!ret)
		lw_terminal_show(top->out.text, top->out.len);
	return ret;
}

static int begin_top(void *state)
{
	struct lw_top_output *top = state;

	begin_display(top, lw_now());
	if (!top->rec->options->has_terminal && !top->view.entries)
		top->view.entries = DEFAULT_ENTRIES;
	return 0;
}

static int open_terminal(struct lw_top_output *top)
{
	int ret;

	top->view.color = lw_terminal_has_colors();
	ret = lw_terminal_open(top->view.color);
	if (ret == -EINTR) {
		top->rec->stopped = true;
		return 0;
	}
	top->on_terminal = !ret;
	/* The first samples may take a while: show that top runs. */
	return ret ? ret : show_on_terminal(top);
}

static int print_text(struct lw_top_output *top)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < top->rec->options->nr_events; i++) {
		top->view.event = i;
		ret = draw(top);
		lw_strbuf_char(&top->out, '\n');
	}
	return ret ? ret : write_out(top);
}

static void add_json_head(struct lw_top_output *top, struct lw_json *json)
{
	struct lw_top_head head;

	make_head(top, &head);
	lw_json_decimal(json, "time", lw_now() / 1000, 6);
	lw_json_double(json, "seconds", head.seconds, 6);
	lw_json_u64(json, "samples", head.samples);
	lw_json_u64(json, "kernel_samples", head.kernel);
	lw_json_u64(json, "lost", head.lost);
	lw_json_u64(json, "lost_sideband", head.lost_maps);
	lw_json_u64(json, "without_stack", head.no_stack);
	lw_json_u64(json, "left_out", head.left_out);
}

static int print_json(struct lw_top_output *top)
{
	struct lw_json json = { .out = &top->out };
	int ret = 0;

	lw_json_open(&json, NULL, '{');
	add_json_head(top, &json);
	lw_json_open(&json, "events", '[');
	for (u32 i = 0; !ret && i < top->rec->options->nr_events; i++) {
		lw_json_name(&json, NULL);
		top->view.event = i;
		ret = lw_top_json(top->top, &top->options, top->rec->options->events[i].name,
				  &top->view, &top->out);
	}
	lw_json_close(&json, ']');
	lw_json_close(&json, '}');
	lw_strbuf_char(&top->out, '\n');
	return ret ? ret : write_out(top);
}

static int show(struct lw_top_output *top)
{
	if (top->on_terminal)
		return show_on_terminal(top);
	return top->rec->options->top->json ? print_json(top) : print_text(top);
}

/* After a display, or as many as a pause was long. */
static int age(struct lw_top_output *top)
{
	int ret = 0;

	if (top->rec->options->top->zero)
		lw_top_clear(top->top);
	else
		for (u32 i = 0; !ret && i < top->missed; i++)
			ret = lw_top_age(top->top);
	top->missed = 0;
	return ret;
}

/* Of the time up to now.  In a pause nothing is shown, and nothing fades. */
static int display(struct lw_top_output *top)
{
	const struct lw_top_settings *settings = top->rec->options->top;
	u64 now = lw_now();
	int ret;

	/* nothing is left of what is older than that */
	top->missed += top->missed < MAX_MISSED;
	if (top->view.paused) {
		top->next = now + settings->delay;
		return 0;
	}
	top->shown_seconds = (now - top->began) / 1e9;
	top->shown_samples = top->samples;
	top->shown_kernel = top->kernel;
	ret = show(top);
	if (ret)
		return ret;
	begin_display(top, now);
	top->rec->stopped |= ++top->displays == settings->iterations;
	return age(top);
}

/* Return: whether it changed what is to be seen. */
static bool take_key(struct lw_top_output *top, int key)
{
	switch (key) {
	case 'q':
	case LW_TERMINAL_GONE:
		top->rec->stopped = true;
		return false;
	case LW_TERMINAL_RESIZED:
		return true;
	case 's':
	case 't':
		top->view.by_total = key == 't' && top->rec->options->top->report.children;
		return true;
	case 'e':
		top->view.event = (top->view.event + 1) % top->rec->options->nr_events;
		return true;
	case 'p':
		top->view.paused = !top->view.paused;
		return true;
	case 'z':
		lw_top_clear(top->top);
		return true;
	case 'h':
	case '?':
		top->view.help = !top->view.help;
		return true;
	}
	return false;
}

static bool take_keys(struct lw_top_output *top)
{
	bool changed = false;
	int key;

	while (top->on_terminal && !top->rec->stopped &&
	       (key = lw_terminal_key(false)) != LW_TERMINAL_NO_KEY)
		changed |= take_key(top, key);
	return changed;
}

static int pass_top(void *state, bool goes_on)
{
	struct lw_top_output *top = state;
	bool changed;
	int ret = 0;

	if (!goes_on)
		return 0;
	if (top->rec->options->has_terminal && !top->on_terminal)
		return open_terminal(top);
	changed = take_keys(top);
	if (top->rec->stopped)
		return 0;
	if (lw_now() >= top->next)
		ret = display(top);
	if (!ret && changed)
		ret = show_on_terminal(top);
	return ret ? ret : lw_top_stacks_tidy(top->stacks);
}

static void leave_top(void *state)
{
	struct lw_top_output *top = state;

	if (top->on_terminal)
		lw_terminal_close();
	top->on_terminal = false;
}

static int finish_top(void *state)
{
	struct lw_top_output *top = state;
	const struct lw_top_settings *settings = top->rec->options->top;

	if (top->rec->options->has_terminal || !top->samples ||
	    (settings->iterations && top->displays >= settings->iterations))
		return 0;
	return display(top);
}

static void close_top(void *state)
{
	struct lw_top_output *top = state;

	leave_top(top);
	lw_top_stacks_free(top->stacks);
	lw_top_free(top->top);
	lw_symbolizer_free(top->symbolizer);
	lw_strbuf_free(&top->out);
	free(top);
}

/* The sink of 'latewind top'. */
const struct lw_sink_ops lw_top_sink = {
	.wants_maps = true,
	.open = open_top,
	.begin = begin_top,
	.record = record_top,
	.sample = sample_top,
	.pass = pass_top,
	.leave = leave_top,
	.finish = finish_top,
	.close = close_top,
};
