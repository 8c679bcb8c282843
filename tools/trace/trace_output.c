// SPDX-License-Identifier: GPL-2.0
/*
 * trace_output.c - how a trace of system calls is printed: in strace's layout, as
 * JSON, or in sums.
 *
 * Contexts: the main thread.
 */
#include <asm/unistd.h>
#include <latewind.h>
#include <liblatewind.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/json.h"
#include "record/sample_text.h"
#include "trace/signal_text.h"
#include "trace/syscall_print.h"
#include "trace/trace_output.h"

/* Where the result stands, if the call is short enough. */
#define RESULT_COLUMN	40
#define NSEC_PER_USEC	1000

static u64 begin_of(const struct lw_call *call)
{
	return call->begin ? call->begin : call->end;
}

/* Clocks of two CPUs may differ: of a call that changes them the end may be before. */
static u64 duration_of(const struct lw_call *call)
{
	return call->end > call->begin ? call->end - call->begin : 0;
}

/* @digits: of the fraction, 0 for none */
static void put_seconds(struct lw_strbuf *out, u64 ns, u32 digits)
{
	u64 fraction = ns % NSEC_PER_SEC;

	lw_strbuf_u64(out, ns / NSEC_PER_SEC);
	if (!digits)
		return;
	lw_strbuf_char(out, '.');
	lw_strbuf_padded(out, digits == 9 ? fraction : fraction / NSEC_PER_USEC, digits);
}

static void put_clock(struct lw_strbuf *out, u64 ns, bool fraction)
{
	time_t seconds = ns / NSEC_PER_SEC;
	char text[16] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	lw_strbuf_str(out, text);
	if (!fraction)
		return;
	lw_strbuf_char(out, '.');
	lw_strbuf_padded(out, ns % NSEC_PER_SEC / NSEC_PER_USEC, 6);
}

static void put_spaces(struct lw_strbuf *out, size_t from, size_t column)
{
	while (!out->failed && out->len - from < column)
		lw_strbuf_char(out, ' ');
}

static void put_stamp(struct lw_tracer *tracer, u64 time)
{
	u64 real = time + tracer->to_realtime, since;
	struct lw_strbuf *out = &tracer->out;

	if (tracer->options->relative) {
		size_t from = out->len;

		since = tracer->previous && time > tracer->previous ? time - tracer->previous : 0;
		tracer->previous = time;
		if (since < 100000 * NSEC_PER_SEC)
			put_spaces(out, from, since < 10 * NSEC_PER_SEC ? 5 : 4);
		put_seconds(out, since, 6);
		lw_strbuf_char(out, ' ');
		return;
	}
	switch (tracer->options->stamps) {
	case LW_STAMPS_NONE:
		return;
	case LW_STAMPS_EPOCH:
		put_seconds(out, real, 6);
		break;
	default:
		put_clock(out, real, tracer->options->stamps == LW_STAMPS_MICROSECONDS);
	}
	lw_strbuf_char(out, ' ');
}

/* Into a file each line names its thread, else where there are several. */
static void put_thread(struct lw_tracer *tracer, u32 tid, u64 threads)
{
	struct lw_strbuf *out = &tracer->out;
	size_t from = out->len;

	if (tracer->options->output) {
		lw_strbuf_u64(out, tid);
		put_spaces(out, from, 5);
		lw_strbuf_char(out, ' ');
	} else if (threads > 1 || tracer->options->all_cpus) {
		size_t digits = tid < 10 ? 1 : tid < 100 ? 2 : tid < 1000 ? 3 : tid < 10000 ? 4 : 5;

		lw_strbuf_str(out, "[pid ");
		put_spaces(out, from, 5 + 5 - digits);
		lw_strbuf_u64(out, tid);
		lw_strbuf_str(out, "] ");
	}
}

/* A frame's place and name; the name belongs to the call, not to what is after it. */
struct frame {
	u64 ip;
	u64 file_offset;
	bool mapped;
	u64 off;			/* taken off for the look-up */
	struct lw_place place;
};

static void find_frame(struct lw_tracer *tracer, const struct lw_user_stack *stack,
		       const struct latewind_frame *at, struct frame *frame)
{
	struct lw_user_address address = {
		.pid = stack->pid, .time = stack->time, .ip = at->ip - at->off,
	};
	const struct lw_map *map;

	lw_process_maps_locate(tracer->procs, &address);
	lw_symbolize_user(tracer->symbolizer, &address, &frame->place, 1);
	map = address.map;
	frame->ip = at->ip;
	frame->off = at->off;
	frame->mapped = map;
	frame->file_offset = map ? frame->ip - map->start + map->pgoff : frame->ip;
}

static void put_stack(struct lw_tracer *tracer, const struct lw_call *call)
{
	struct lw_strbuf *out = &tracer->out;
	struct latewind_frame at;
	const char *symbol;
	struct frame frame;

	if (!call->has_stack) {
		lw_strbuf_str(out, " > (no stack)\n");
		return;
	}
	for (at = latewind_frames(call->stack); latewind_frame_next(&at);) {
		find_frame(tracer, call->stack, &at, &frame);
		lw_strbuf_str(out, " > ");
		lw_strbuf_escaped(out, frame.place.dso, strlen(frame.place.dso));
		lw_strbuf_char(out, '(');
		symbol = lw_place_symbol(&frame.place);
		if (symbol) {
			lw_strbuf_escaped(out, symbol, strlen(symbol));
			lw_strbuf_str(out, "+0x");
			lw_strbuf_hex_digits(out, frame.place.offset + frame.off);
		}
		lw_strbuf_str(out, ") [0x");
		lw_strbuf_hex_digits(out, frame.file_offset);
		lw_strbuf_str(out, "]\n");
	}
	if (call->stack->end == LW_END_OUTERMOST)
		return;
	lw_strbuf_str(out, " > (");
	lw_strbuf_str(out, lw_sample_text_stack_end(call->stack->end));
	lw_strbuf_str(out, ")\n");
}

static void put_duration(struct lw_strbuf *out, const struct lw_call *call)
{
	if (!call->begin || !call->end)
		return;
	lw_strbuf_str(out, " <");
	put_seconds(out, duration_of(call), 6);
	lw_strbuf_char(out, '>');
}

static struct lw_call_style style_of(const struct lw_tracer *tracer)
{
	return (struct lw_call_style) {
		.limit = tracer->options->limit,
		.fds = tracer->options->paths ? tracer->fds : NULL,
	};
}

/**
 * lw_trace_learn - keep what a call tells of descriptors
 * @tracer: the tracer
 * @call: whole; with its arguments printed, its result not
 */
void lw_trace_learn(struct lw_tracer *tracer, const struct lw_call *call)
{
	if (!tracer->fds)
		return;
	/* the command's process was looked at, perhaps before it ran for the first time */
	if (call->state & LW_CALL_BORN && call->pid == (u32)tracer->target.child)
		return;
	if (lw_fd_paths_call(tracer->fds, call))
		lw_fd_paths_clear(tracer->fds);
}

/**
 * lw_trace_forget - forget what is known of descriptors if records were lost
 * @tracer: the tracer
 * @call: the next one
 *
 * What is not known of one process may be wrong of another.
 */
void lw_trace_forget(struct lw_tracer *tracer, const struct lw_call *call)
{
	if (!tracer->fds || call->lost == tracer->fds_lost)
		return;
	tracer->fds_lost = call->lost;
	lw_fd_paths_clear(tracer->fds);
}

static void print_text(struct lw_tracer *tracer, const struct lw_call *call)
{
	const struct lw_call_style style = style_of(tracer);
	struct lw_strbuf *out = &tracer->out;
	size_t from = out->len;

	put_thread(tracer, call->tid, call->threads);
	put_stamp(tracer, begin_of(call));
	lw_call_text(out, call, &style);
	lw_strbuf_char(out, ' ');
	put_spaces(out, from, RESULT_COLUMN);
	lw_strbuf_str(out, "= ");
	lw_trace_learn(tracer, call);
	lw_call_result(out, call, &style);
	if (tracer->options->durations)
		put_duration(out, call);
	lw_strbuf_char(out, '\n');
	if (tracer->options->stack)
		put_stack(tracer, call);
}

static void put_json_stack(struct lw_tracer *tracer, const struct lw_call *call,
			   struct lw_json *json)
{
	struct latewind_frame at = {};
	const char *symbol;
	struct frame frame;

	lw_json_open(json, "stack", '[');
	if (call->has_stack)
		at = latewind_frames(call->stack);
	while (latewind_frame_next(&at)) {
		find_frame(tracer, call->stack, &at, &frame);
		lw_json_open(json, NULL, '{');
		lw_json_hex(json, "ip", frame.ip);
		symbol = lw_place_symbol(&frame.place);
		lw_json_str(json, "symbol", symbol);
		if (symbol)
			lw_json_u64(json, "offset", frame.place.offset + frame.off);
		else
			lw_json_null(json, "offset");
		lw_json_str(json, "dso", frame.mapped ? frame.place.dso : NULL);
		lw_json_close(json, '}');
	}
	lw_json_close(json, ']');
	lw_json_str(json, "stack_end",
		    call->has_stack ? lw_sample_text_stack_end(call->stack->end) : NULL);
}

static void put_json_result(struct lw_tracer *tracer, const struct lw_call *call,
			    struct lw_json *json)
{
	const struct lw_call_style style = style_of(tracer);

	if (call->state & LW_CALL_ENDED)
		lw_json_s64(json, "ret", call->ret);
	else
		lw_json_null(json, "ret");
	lw_json_str(json, "errno", lw_call_error(call));
	tracer->scratch.len = 0;
	lw_call_result(&tracer->scratch, call, &style);
	lw_json_bytes(json, "result", tracer->scratch.text, tracer->scratch.len);
	if (call->begin && call->end)
		lw_json_decimal(json, "duration", duration_of(call), 9);
	else
		lw_json_null(json, "duration");
}

static void print_json(struct lw_tracer *tracer, const struct lw_call *call)
{
	const struct lw_call_style style = style_of(tracer);
	struct lw_json json = { .out = &tracer->out };

	lw_json_open(&json, NULL, '{');
	lw_json_decimal(&json, "time", begin_of(call) + tracer->to_realtime, 9);
	lw_json_u64(&json, "pid", call->pid);
	lw_json_u64(&json, "tid", call->tid);
	lw_json_str(&json, "comm",
		    lw_process_maps_comm(tracer->procs, call->tid, begin_of(call)));
	lw_json_u64(&json, "nr", call->nr);
	lw_json_str(&json, "name", lw_syscall_name(call->nr));
	lw_json_name(&json, "args");
	lw_call_json_args(&tracer->out, call, &style, &tracer->scratch);
	lw_trace_learn(tracer, call);
	put_json_result(tracer, call, &json);
	if (tracer->options->stack)
		put_json_stack(tracer, call, &json);
	lw_json_close(&json, '}');
	lw_strbuf_char(&tracer->out, '\n');
}

/**
 * lw_trace_print - print a call
 * @tracer: the tracer
 * @call: whole
 */
void lw_trace_print(struct lw_tracer *tracer, const struct lw_call *call)
{
	if (tracer->options->json)
		print_json(tracer, call);
	else
		print_text(tracer, call);
}

/* In a status: the signal is not known. */
#define SOME_SIGNAL	0x7e

/* @status: as wait() has it */
static void print_end(struct lw_tracer *tracer, const struct lw_call *call, u32 status)
{
	if (tracer->options->json || tracer->options->quiet)
		return;
	put_thread(tracer, call->tid, call->threads);
	put_stamp(tracer, begin_of(call));
	if (WIFSIGNALED(status)) {
		lw_strbuf_str(&tracer->out, "+++ killed by ");
		if (WTERMSIG(status) == SOME_SIGNAL)
			lw_strbuf_str(&tracer->out, "a signal");
		else
			lw_print_signal(&tracer->out, WTERMSIG(status));
	} else {
		lw_strbuf_str(&tracer->out, "+++ exited with ");
		lw_strbuf_u64(&tracer->out, WEXITSTATUS(status));
	}
	lw_strbuf_str(&tracer->out, " +++\n");
}

static struct lw_ending *ending_slot(struct lw_tracer *tracer, u32 pid)
{
	return &tracer->endings[pid % LW_ENDINGS];
}

static void set_ending(struct lw_tracer *tracer, u32 pid, u32 status)
{
	*ending_slot(tracer, pid) = (struct lw_ending) { .pid = pid, .status = status };
}

/**
 * lw_trace_begin_process - a process begins, or executes another program
 * @tracer: the tracer
 * @pid: its number, which another one may have had
 */
void lw_trace_begin_process(struct lw_tracer *tracer, u32 pid)
{
	if (ending_slot(tracer, pid)->pid == pid)
		ending_slot(tracer, pid)->pid = 0;
}

/**
 * lw_trace_print_exit - print that a thread, or a process, has exited
 * @tracer: the tracer
 * @call: by which it did
 */
void lw_trace_print_exit(struct lw_tracer *tracer, const struct lw_call *call)
{
	u32 status = (call->args[0] & 0xff) << 8;

	if (call->nr == __NR_exit_group)
		set_ending(tracer, call->pid, status);
	print_end(tracer, call, status);
}

/**
 * lw_trace_print_killed - print that the command was ended by a signal
 * @tracer: the tracer
 * @status: as wait() has it
 *
 * Nothing is printed if the signal itself was seen.
 */
void lw_trace_print_killed(struct lw_tracer *tracer, int status)
{
	const struct lw_call call = {
		.pid = tracer->target.child, .tid = tracer->target.child,
		.threads = lw_join_threads(tracer->join), .begin = lw_now(),
	};

	if (ending_slot(tracer, call.pid)->pid != call.pid)
		print_end(tracer, &call, status & 0x7f);
}

static void print_delivery(struct lw_tracer *tracer, const struct lw_call *call, u32 signal)
{
	struct lw_strbuf *out = &tracer->out;

	if (!lw_signal_set_has(tracer->options->signals, signal) || signal == SIGKILL)
		return;
	put_thread(tracer, call->tid, call->threads);
	put_stamp(tracer, call->end);
	lw_strbuf_str(out, "--- ");
	lw_signal_text(out, signal, call->args[0], call->args[1]);
	lw_strbuf_str(out, " ---\n");
	if (!lw_signal_stops(signal, call->args[2]))
		return;
	put_thread(tracer, call->tid, call->threads);
	put_stamp(tracer, call->end);
	lw_strbuf_str(out, "--- stopped by ");
	lw_print_signal(out, signal);
	lw_strbuf_str(out, " ---\n");
}

/* By SIGKILL the kernel ends each thread of a process, whatever ends that. */
static u32 take_ending(struct lw_tracer *tracer, const struct lw_call *call)
{
	const struct lw_ending *ending = ending_slot(tracer, call->pid);
	u32 status;

	if (call->nr == SIGKILL && ending->pid == call->pid)
		return ending->status;
	/* an execve() ends them */
	if (call->args[3])
		return 0;
	status = call->nr != SIGKILL ? call->nr : call->args[4] ? call->args[4] : SOME_SIGNAL;
	print_delivery(tracer, call, status);
	set_ending(tracer, call->pid, status);
	return status;
}

/**
 * lw_trace_print_signal - print a signal, and what it ends
 * @tracer: the tracer
 * @call: LW_CALL_SIGNAL
 */
void lw_trace_print_signal(struct lw_tracer *tracer, const struct lw_call *call)
{
	if (tracer->options->json || tracer->options->summary_only)
		return;
	if (lw_signal_kills(call->nr, call->args[2]))
		print_end(tracer, call, take_ending(tracer, call));
	else
		print_delivery(tracer, call, call->nr);
}

/**
 * lw_trace_sum_up - count a call instead of printing it
 * @tracer: the tracer
 * @call: whole
 */
void lw_trace_sum_up(struct lw_tracer *tracer, const struct lw_call *call)
{
	struct lw_trace_sum *sum = &tracer->sums[call->nr % LW_SYSCALL_NUMBERS];

	sum->calls++;
	sum->errors += !!lw_call_error(call);
	if (call->begin && call->end)
		sum->time += duration_of(call);
}

static const struct lw_trace_sum *sorted_sums;

static int by_time(const void *a, const void *b)
{
	const struct lw_trace_sum *left = &sorted_sums[*(const u32 *)a];
	const struct lw_trace_sum *right = &sorted_sums[*(const u32 *)b];

	if (left->time != right->time)
		return left->time < right->time ? 1 : -1;
	return *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}

static void put_sum(struct lw_strbuf *out, const struct lw_trace_sum *sum, u64 time,
		    const char *name)
{
	char errors[24] = "";
	char line[160];

	if (sum->errors)
		snprintf(errors, sizeof(errors), "%llu", sum->errors);
	snprintf(line, sizeof(line), "%6.2f %11.6f %11llu %9llu %9s %s\n",
		 time ? 100.0 * sum->time / time : 0.0, sum->time / 1e9,
		 sum->calls ? sum->time / sum->calls / NSEC_PER_USEC : 0, sum->calls, errors, name);
	lw_strbuf_str(out, line);
}

/**
 * lw_trace_print_sums - print what was counted, the longest times first
 * @tracer: the tracer
 */
void lw_trace_print_sums(struct lw_tracer *tracer)
{
	static const char rule[] =
		"------ ----------- ----------- --------- --------- ----------------\n";
	struct lw_strbuf *out = &tracer->out;
	struct lw_trace_sum all = {};
	u32 order[LW_SYSCALL_NUMBERS];
	u32 nr = 0;

	for (u32 i = 0; i < LW_SYSCALL_NUMBERS; i++) {
		if (!tracer->sums[i].calls)
			continue;
		all.calls += tracer->sums[i].calls;
		all.errors += tracer->sums[i].errors;
		all.time += tracer->sums[i].time;
		order[nr++] = i;
	}
	sorted_sums = tracer->sums;
	qsort(order, nr, sizeof(*order), by_time);
	lw_strbuf_str(out, "% time     seconds  usecs/call     calls    errors syscall\n");
	lw_strbuf_str(out, rule);
	for (u32 i = 0; i < nr; i++) {
		const char *name = lw_syscall_name(order[i]);

		put_sum(out, &tracer->sums[order[i]], all.time, name ? name : "unknown");
	}
	lw_strbuf_str(out, rule);
	put_sum(out, &all, all.time, "total");
}
