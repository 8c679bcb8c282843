// SPDX-License-Identifier: GPL-2.0
/*
 * tracer.c - one trace of system calls, from the module to the output.
 *
 * A pass reads every ring in the order of time, then the side-band, if there is
 * one, then prints the calls that are whole: in the order of their ends.
 *
 * Contexts: the main thread.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit.h"
#include "sideband/synth_processes.h"
#include "trace/call_status.h"
#include "trace/trace_output.h"
#include "trace/tracer.h"

#define PASS_MS		100
#define PENDING_NS	(NSEC_PER_SEC / 2)
#define SWEEP_NS	NSEC_PER_SEC
#define TELL_NS		NSEC_PER_SEC
/* Clocks of two CPUs may be as far apart. */
#define SLACK_NS	20000
/* Reading two clocks takes less. */
#define CLOCK_GAP_NS	10000
#define FLUSH_BYTES	(256 * 1024)
/* Memory of all rings, unless --ring-size says otherwise, and of one. */
#define ALL_RINGS	(64UL << 20)
#define MIN_RING	(1UL << 20)
#define MAX_RING	(8UL << 20)

static bool wants_paths(const struct lw_trace_options *options)
{
	return options->paths || options->path_filter.nr;
}

static bool wants_names(const struct lw_trace_options *options)
{
	return options->stack || options->json;
}

/* Those that are older than @before; of those of the tool itself none. */
static int take_signals(struct lw_tracer *tracer, u64 before)
{
	const struct lw_signal *signal;
	int ret = 0;

	while (!ret && (signal = lw_signal_source_next(&tracer->signals, before))) {
		if (signal->pid != (u32)getpid())
			ret = lw_join_signal(tracer->join, signal);
	}
	return ret;
}

static int take_record(void *ctx, const struct lw_record *record)
{
	const struct lw_syscall *call = (const struct lw_syscall *)record;
	struct lw_tracer *tracer = ctx;
	int ret = 0;

	if (record->type == LW_RECORD_SYSCALL && record->len >= sizeof(*call))
		ret = take_signals(tracer, call->time);
	return ret ? ret : lw_join_record(tracer->join, record);
}

static int take_sideband(void *ctx, const struct perf_event_header *record)
{
	struct lw_tracer *tracer = ctx;

	lw_table_supply_record(&tracer->supply, record);
	return lw_process_maps_record(tracer->procs, record);
}

static int flush(struct lw_tracer *tracer)
{
	int ret;

	tracer->out.failed |= tracer->scratch.failed;
	ret = lw_strbuf_flush(&tracer->out, tracer->out_fd);

	/* the reader of a pipe has gone: that is an end, not a failure */
	if (ret == -EPIPE) {
		tracer->stopped = true;
		return 0;
	}
	return ret ? lw_fail(ret, "cannot write the trace: %s", strerror(-ret)) : 0;
}

/* Calls of the command's process before its exec are this tool's own. */
static bool is_before_exec(struct lw_tracer *tracer, const struct lw_call *call)
{
	if (tracer->executed || call->pid != (u32)tracer->target.child)
		return false;
	tracer->executed = call->nr == __NR_execve && call->state & LW_CALL_ENDED && !call->ret;
	/* that record may be among those that were lost */
	if (tracer->executed_by && call->begin > tracer->executed_by)
		tracer->executed = true;
	return !tracer->executed;
}

static bool is_shown(const struct lw_tracer *tracer, const struct lw_call *call)
{
	const struct lw_trace_options *options = tracer->options;

	return lw_syscall_set_has(&options->calls, call->nr) &&
	       lw_call_status_has(options->statuses, call) &&
	       (!options->path_filter.nr ||
		lw_path_filter_has(&options->path_filter, tracer->fds, call));
}

static void show_call(struct lw_tracer *tracer, const struct lw_call *call)
{
	tracer->calls++;
	if (tracer->options->summary)
		lw_trace_sum_up(tracer, call);
	if (tracer->options->summary_only)
		lw_trace_learn(tracer, call);
	else
		lw_trace_print(tracer, call);
}

static bool begins_process(const struct lw_call *call)
{
	return call->state & LW_CALL_BORN ? call->pid == call->tid :
	       call->nr == __NR_execve && call->state & LW_CALL_ENDED && !call->ret;
}

static void take_whole_call(struct lw_tracer *tracer, const struct lw_call *call)
{
	bool ends = call->nr == __NR_exit || call->nr == __NR_exit_group;

	if (begins_process(call))
		lw_trace_begin_process(tracer, call->pid);
	if (!(call->state & LW_CALL_BORN) && is_shown(tracer, call))
		show_call(tracer, call);
	else
		lw_trace_learn(tracer, call);
	if (ends && !tracer->options->summary_only)
		lw_trace_print_exit(tracer, call);
}

static int take_call(void *ctx, const struct lw_call *call)
{
	struct lw_tracer *tracer = ctx;
	bool ours = tracer->target.child && is_before_exec(tracer, call);

	lw_trace_forget(tracer, call);
	if (call->state & LW_CALL_SIGNAL) {
		if (!ours)
			lw_trace_print_signal(tracer, call);
	} else if (ours) {
		lw_trace_learn(tracer, call);
	} else {
		take_whole_call(tracer, call);
	}
	return tracer->out.len < FLUSH_BYTES ? 0 : flush(tracer);
}

static bool lives(u32 tid)
{
	return !syscall(SYS_tkill, tid, 0) || errno != ESRCH;
}

static void sweep(struct lw_tracer *tracer, u64 now)
{
	if (now < tracer->next_sweep)
		return;
	tracer->next_sweep = now + SWEEP_NS;
	lw_join_sweep(tracer->join, now - SWEEP_NS, lives);
	if (tracer->fds)
		lw_fd_paths_sweep(tracer->fds, now - SWEEP_NS, lives);
}

/* Once a second; of the rest the sum at the end tells. */
static void tell_lost(struct lw_tracer *tracer)
{
	u64 lost = lw_join_stats(tracer->join)->lost, now = lw_now();

	if (lost == tracer->told_lost || tracer->options->quiet || now < tracer->next_tell)
		return;
	fprintf(stderr, "latewind: %llu records of calls lost (ring full)\n",
		lost - tracer->told_lost);
	tracer->told_lost = lost;
	tracer->next_tell = now + TELL_NS;
}

/* The real time may be set, or slewed, while a trace runs. */
static void set_clock(struct lw_tracer *tracer)
{
	u64 before = lw_now(), after;
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	after = lw_now();
	/* not if we did not run in between */
	if (!tracer->to_realtime || after - before < CLOCK_GAP_NS)
		tracer->to_realtime = real.tv_sec * NSEC_PER_SEC + real.tv_nsec - before;
}

/* @until: records that are older, and ~0 for all */
static int pass(struct lw_tracer *tracer, u64 until)
{
	u64 lost = lw_join_stats(tracer->join)->lost;
	/* A call is given up only if what it waits for was not there by then. */
	u64 now = until == ~0ULL ? lw_now() : until;
	int ret = lw_signal_source_read(&tracer->signals);

	if (!ret)
		ret = latewind_session_read_by_time(tracer->session, until, take_record, tracer);
	if (!ret)
		ret = take_signals(tracer, until);
	set_clock(tracer);
	tracer->held |= lw_join_stats(tracer->join)->lost > lost &&
			latewind_session_unfinished(tracer->session);
	if (ret == -EBADMSG)
		return lw_fail(ret, "a ring holds an impossible record\n"
			       "  Module and tool may be of different builds.");
	if (!ret && tracer->procs)
		ret = lw_sideband_read(&tracer->sideband, take_sideband, tracer);
	if (!ret)
		ret = lw_join_emit(tracer->join, now, take_call, tracer);
	if (ret == -ENOMEM)
		lw_fail(ret, "out of memory");
	if (!ret)
		ret = flush(tracer);
	tell_lost(tracer);
	return ret;
}

/* Paths are as long whatever -s says. */
static bool takes_strings(u32 nr)
{
	struct lw_syscall_arg none[LW_MAX_SYSCALL_ARGS], some[LW_MAX_SYSCALL_ARGS];
	u32 least = lw_syscall_takes(nr, 0, none);

	return lw_syscall_takes(nr, LW_MAX_SYSCALL_DATA - 1, some) != least ||
	       memcmp(none, some, least * sizeof(*none));
}

static const char *add_hint(int err, u32 nr)
{
	switch (err) {
	case -ENOSPC:
		return takes_strings(nr) ? "Use a larger --ring-size, or a smaller -s." :
					   "Use a larger --ring-size.";
	case -EOPNOTSUPP:
		return "This kernel has no tracepoints of system calls: CONFIG_FTRACE_SYSCALLS.";
	case -EPERM:
		return "Run it as root, or give it CAP_PERFMON and, for what is in memory,\n"
		       "  CAP_SYS_PTRACE.";
	case -EINVAL:
		return "Module and tool may be of different builds.";
	}
	return "'latewind doctor' checks what is needed.";
}

static int add_call(struct lw_tracer *tracer, u32 nr, u32 flags, bool data)
{
	struct lw_syscall_arg takes[LW_MAX_SYSCALL_ARGS];
	const char *name = lw_syscall_name(nr);
	struct lw_add_syscall add = {
		.size = sizeof(add),
		.flags = flags,
		.nr = nr,
	};
	int ret;

	if (data && nr != LW_SYSCALL_ANY)
		add.nr_args = lw_syscall_takes(nr, tracer->options->limit, takes);
	if (add.nr_args)
		add.args = (unsigned long)takes;
	ret = latewind_session_add_syscall(tracer->session, &add);
	return ret ? lw_fail(ret, "cannot trace %s: %s\n  %s", name ? name : "all calls",
			     strerror(-ret), add_hint(ret, nr)) : 0;
}

static bool is_wanted_by_us(const struct lw_tracer *tracer, u32 nr)
{
	return nr == __NR_exit || nr == __NR_exit_group ||
	       (nr == __NR_execve && (tracer->options->command ||
				      lw_syscall_set_has(&tracer->options->calls,
							 __NR_execveat)));
}

/* Some calls are recorded unasked: they tell when the command begins and which tasks have ended. */
static int add_calls(struct lw_tracer *tracer)
{
	const struct lw_trace_options *options = tracer->options;
	u32 flags = LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT | (options->stack ? LW_SYSCALL_STACK : 0);
	int ret = 0;

	for (u32 nr = 0; !ret && nr < LW_SYSCALL_NUMBERS; nr++) {
		if (!lw_syscall_name(nr))
			continue;
		if (lw_syscall_set_has(&options->calls, nr))
			ret = add_call(tracer, nr, flags, !options->summary_only ||
				       wants_paths(options));
		else if (wants_paths(options) && lw_fd_paths_wants(nr))
			ret = add_call(tracer, nr, LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT, true);
		else if (is_wanted_by_us(tracer, nr))
			ret = add_call(tracer, nr, nr == __NR_execve ? LW_SYSCALL_EXIT :
					LW_SYSCALL_ENTRY, false);
	}
	if (!ret && lw_syscall_set_is_all(&options->calls))
		ret = add_call(tracer, LW_SYSCALL_ANY, flags, false);
	return ret;
}

/* With -a all but us: a tracer of itself never comes to an end. */
static int choose_processes(struct lw_tracer *tracer)
{
	struct lw_trace_options *options = tracer->options;
	s32 self = getpid(), child = tracer->target.child;

	if (options->all_cpus)
		return lw_session_filter_processes(tracer->session, &self, 1, LW_FILTER_INVERT);
	if (options->nr_pids)
		return lw_session_filter_processes(tracer->session, options->pids,
						   options->nr_pids, LW_FILTER_CHILDREN);
	return lw_session_filter_processes(tracer->session, &child, 1, LW_FILTER_CHILDREN);
}

static int prepare_target(struct lw_tracer *tracer)
{
	struct lw_trace_options *options = tracer->options;

	tracer->target.all_cpus = options->all_cpus;
	for (u32 i = 0; i < options->nr_pids; i++) {
		int ret = lw_target_attach(&tracer->target, options->pids[i]);

		if (ret)
			return ret;
		/* a thread was named: all of its process */
		options->pids[i] = tracer->target.processes[tracer->target.nr_processes - 1].pid;
	}
	return options->command ? lw_target_prepare(&tracer->target, options->command) : 0;
}

static int synthesise(struct lw_tracer *tracer)
{
	struct lw_synth *synth = lw_synth_new(take_sideband, tracer);
	int ret = 0;

	if (!synth)
		return lw_fail(-ENOMEM, "out of memory");
	lw_synth_also_maps(synth, lw_table_supply_map, &tracer->supply);
	if (tracer->options->all_cpus)
		ret = lw_synth_all(synth);
	for (u32 i = 0; !ret && i < tracer->options->nr_pids; i++)
		ret = lw_synth_process(synth, tracer->options->pids[i]);
	lw_synth_free(synth);
	return ret;
}

/* Read the target's open files; a command inherits ours but for those closed by exec. */
static int prepare_paths(struct lw_tracer *tracer)
{
	const struct lw_trace_options *options = tracer->options;
	u32 child = options->nr_pids ? 0 : tracer->target.child;
	int ret = 0;

	if (!wants_paths(options))
		return 0;
	tracer->fds = lw_fd_paths_new(tracer->options->details);
	if (!tracer->fds || (child && lw_fd_paths_scan(tracer->fds, child)))
		ret = -ENOMEM;
	for (u32 i = 0; !ret && i < options->nr_pids; i++)
		ret = lw_fd_paths_scan(tracer->fds, options->pids[i]);
	return ret ? lw_fail(ret, "out of memory") : 0;
}

static bool has_tables(const struct lw_trace_options *options)
{
	return options->stack && !options->no_tables;
}

static int begin_supply(struct lw_tracer *tracer)
{
	struct lw_trace_options *options = tracer->options;
	struct lw_table_supply_options supply = {
		.off = !has_tables(options),
		.command = options->command,
		.verbose = options->verbose,
		.quiet = options->quiet,
		.stop_fd = tracer->wait.signal_fd,
	};

	return lw_table_supply_begin(&tracer->supply, tracer->session, &supply);
}

static int prepare_names(struct lw_tracer *tracer)
{
	static const struct lw_symbolize_options names = {
		.here = true, .live = true, .no_demangle = true,
	};
	int ret;

	if (!wants_names(tracer->options))
		return 0;
	tracer->procs = lw_process_maps_new();
	tracer->symbolizer = lw_symbolizer_new(&names);
	if (!tracer->procs || !tracer->symbolizer)
		return lw_fail(-ENOMEM, "out of memory");
	ret = lw_sideband_open(&tracer->sideband, &tracer->target,
			       tracer->options->stack ? LW_SIDEBAND_CODE : LW_SIDEBAND_NO_MAPS,
			       false);
	if (!ret)
		ret = begin_supply(tracer);
	if (!ret)
		ret = synthesise(tracer);
	if (!ret)
		lw_table_supply_wait(&tracer->supply);
	return ret;
}

/* Without them calls are traced all the same. */
static void prepare_signals(struct lw_tracer *tracer)
{
	const struct lw_trace_options *options = tracer->options;

	if (options->json || options->summary_only || (!options->signals && options->quiet) ||
	    !lw_signal_source_open(&tracer->signals, &tracer->target) || options->quiet)
		return;
	fprintf(stderr, "latewind: no signals are shown: %s\n", lw_fail_text());
}

static int open_output(struct lw_tracer *tracer)
{
	const char *path = tracer->options->output;
	int fd;

	if (!path)
		return 0;
	fd = lw_output_open(&tracer->output, path, true);
	if (fd < 0)
		return lw_fail(fd, "cannot create %s: %s\n  Choose another place with -o.",
			       path, strerror(-fd));
	tracer->out_fd = fd;
	return 0;
}

static int publish_output(struct lw_tracer *tracer)
{
	int ret = lw_output_publish(&tracer->output);

	return ret ? lw_fail(ret, "cannot give %s its name: %s", tracer->options->output,
			     strerror(-ret)) : 0;
}

/* There was nothing to write. */
static void remove_output(struct lw_tracer *tracer)
{
	if (!tracer->calls)
		lw_output_remove(&tracer->output);
}

static int check_features(const struct lw_tracer *tracer)
{
	u64 wanted = LW_FEATURE_SYSCALLS | LW_FEATURE_FILTER |
		     (tracer->options->all_cpus ? 0 : LW_FEATURE_CHILDREN);

	if (lw_session_can(tracer->session, wanted))
		return 0;
	return lw_fail(-EOPNOTSUPP, "the loaded module cannot trace system calls%s\n"
		       "  It is older than this tool: install that of the same version.",
		       lw_session_can(tracer->session, LW_FEATURE_SYSCALLS) ? " of children" :
		       "");
}

static u64 ring_size(const struct lw_tracer *tracer)
{
	u32 nr_rings = latewind_session_info(tracer->session)->nr_rings;
	u64 size = MAX_RING;

	if (tracer->options->ring_size)
		return tracer->options->ring_size;
	while (size > MIN_RING && size * nr_rings > ALL_RINGS)
		size /= 2;
	return size;
}

static int prepare_session(struct lw_tracer *tracer)
{
	struct lw_trace_options *options = tracer->options;
	int ret = lw_session_open(&tracer->session);

	if (!ret)
		ret = check_features(tracer);
	if (!ret)
		ret = lw_session_setup(tracer->session, ring_size(tracer), options->depth, 0,
				       options->mask,
				       lw_table_supply_setup_flags(tracer->session,
								   !has_tables(options)));
	if (ret)
		return ret;
	tracer->join = lw_join_new();
	tracer->sums = calloc(LW_SYSCALL_NUMBERS, sizeof(*tracer->sums));
	if (!tracer->join || !tracer->sums)
		return lw_fail(-ENOMEM, "out of memory");
	return 0;
}

static int prepare(struct lw_tracer *tracer)
{
	int ret = prepare_session(tracer);

	if (!ret)
		ret = lw_poll_init(&tracer->wait, &tracer->target);
	if (!ret)
		ret = prepare_target(tracer);
	if (!ret)
		ret = choose_processes(tracer);
	if (!ret)
		ret = add_calls(tracer);
	if (!ret)
		ret = prepare_paths(tracer);
	if (!ret)
		ret = prepare_names(tracer);
	if (!ret)
		prepare_signals(tracer);
	return ret ? ret : open_output(tracer);
}

static int main_loop(struct lw_tracer *tracer)
{
	int ret = lw_poll_open(&tracer->wait, latewind_session_fd(tracer->session),
			       tracer->target.pid_fd, &tracer->sideband);
	bool ended = false;
	u64 now;

	while (!ret && !ended && !tracer->stopped) {
		tracer->stopped |= lw_poll(&tracer->wait, PASS_MS);
		ended = lw_target_ended(&tracer->target);
		now = lw_now();
		ret = pass(tracer, now - SLACK_NS);
		sweep(tracer, now);
	}
	return ret;
}

/* Calls whose pages are waited for, and stacks that are pending, may come. */
static int drain(struct lw_tracer *tracer)
{
	u64 until = lw_now() + PENDING_NS;
	struct lw_stats stats = {};
	int ret;

	do {
		ret = lw_session_stats(tracer->session, &stats);
		if (!ret)
			ret = pass(tracer, ~0ULL);
		if (ret || (!stats.waiting && !lw_join_waits(tracer->join)))
			break;
		poll(NULL, 0, stats.waiting ? 10 : 1);
	} while (lw_now() < until);
	lw_sideband_stop(&tracer->sideband);
	lw_signal_source_stop(&tracer->signals);
	if (!ret)
		ret = pass(tracer, ~0ULL);
	lw_join_give_up(tracer->join);
	if (!ret)
		ret = lw_join_emit(tracer->join, ~0ULL, take_call, tracer);
	return ret;
}

static int finish(struct lw_tracer *tracer)
{
	int status = tracer->target.wait_status;

	if (tracer->target.reaped && WIFSIGNALED(status) && !tracer->options->nr_pids &&
	    !tracer->options->summary_only)
		lw_trace_print_killed(tracer, status);
	if (tracer->options->summary)
		lw_trace_print_sums(tracer);
	return flush(tracer);
}

static int trace(struct lw_tracer *tracer)
{
	int ret = lw_session_enable(tracer->session), end;

	if (ret)
		return ret;
	if (tracer->options->command) {
		ret = lw_target_start(&tracer->target, tracer->options->command[0]);
		if (ret)
			tracer->exit_code = ret == -ENOENT ? LW_EXIT_NOT_FOUND :
					    LW_EXIT_NOT_EXECUTABLE;
		else
			tracer->executed_by = lw_now();
	}
	if (!ret)
		ret = publish_output(tracer);
	if (!ret)
		ret = main_loop(tracer);
	end = lw_session_disable(tracer->session);
	lw_table_supply_end(&tracer->supply);
	if (lw_target_stop(&tracer->target))
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
	if (!ret)
		ret = end;
	if (!ret)
		ret = drain(tracer);
	if (!ret)
		ret = finish(tracer);
	lw_table_supply_settle(&tracer->supply);
	return ret;
}

static void say_losses(const struct lw_tracer *tracer, const struct lw_stats *stats)
{
	u64 lost = stats->lost_full + stats->lost_big + stats->lost_nested;

	if (!lost)
		return;
	fprintf(stderr, "latewind: %llu of %llu records of calls were lost (ring full)\n"
		"  Use a larger --ring-size, or name fewer calls with -e.\n",
		lost, stats->syscalls + lost);
	if (tracer->held)
		fprintf(stderr, "  Some were while a call waited for a page: see NOTES in\n"
			"  latewind-trace(1).\n");
}

static void say_warnings(struct lw_tracer *tracer)
{
	const struct lw_join_stats *join = lw_join_stats(tracer->join);
	u64 unfinished = latewind_session_unfinished(tracer->session);
	struct lw_stats stats;

	if (lw_session_stats(tracer->session, &stats))
		return;
	say_losses(tracer, &stats);
	if (unfinished)
		fprintf(stderr, "latewind: %llu records were not whole yet at the end\n",
			unfinished);
	if (join->given_up)
		fprintf(stderr, "latewind: %llu calls lack a stack or data that did not come\n",
			join->given_up);
	if (stats.missing_children)
		fprintf(stderr, "latewind: %llu processes were not followed: out of memory\n",
			stats.missing_children);
	if (tracer->sideband.lost)
		fprintf(stderr, "latewind: %llu side-band records were lost\n"
			"  Some addresses may stay without a name.\n", tracer->sideband.lost);
	lw_table_supply_say(&tracer->supply);
	if (tracer->signals.sideband.lost)
		fprintf(stderr, "latewind: %llu records of signals were lost\n",
			tracer->signals.sideband.lost);
	if (join->late)
		fprintf(stderr, "latewind: %llu calls have no begin: it came after their end\n",
			join->late);
	if (join->foreign)
		fprintf(stderr, "latewind: %llu records were of tasks outside our PID namespace\n"
			"  Run it where these tasks have a process id.\n", join->foreign);
	if (join->bad_records)
		fprintf(stderr, "latewind: %llu records made no sense and were skipped\n"
			"  Module and tool may be of different builds.\n", join->bad_records);
}

static int run(struct lw_tracer *tracer)
{
	int ret = prepare(tracer);

	if (!ret)
		ret = trace(tracer);
	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		remove_output(tracer);
		return tracer->exit_code;
	}
	if (!tracer->options->quiet)
		say_warnings(tracer);
	return lw_target_exit_code(&tracer->target);
}

static void clean_up(struct lw_tracer *tracer, int code)
{
	if (tracer->out_fd >= 0 && tracer->out_fd != STDERR_FILENO)
		close(tracer->out_fd);
	lw_output_close(&tracer->output);
	if (!lw_table_supply_free(&tracer->supply))
		exit(code);
	lw_sideband_close(&tracer->sideband);
	lw_signal_source_close(&tracer->signals);
	lw_path_filter_free(&tracer->options->path_filter);
	lw_join_free(tracer->join);
	lw_fd_paths_free(tracer->fds);
	latewind_session_close(tracer->session);
	lw_target_free(&tracer->target);
	lw_symbolizer_free(tracer->symbolizer);
	lw_process_maps_free(tracer->procs);
	lw_poll_close(&tracer->wait);
	lw_strbuf_free(&tracer->out);
	lw_strbuf_free(&tracer->scratch);
	free(tracer->sums);
}

/**
 * lw_tracer_run - trace what the options say
 * @options: parsed
 *
 * Return: the tool's exit status.
 */
int lw_tracer_run(struct lw_trace_options *options)
{
	struct lw_tracer tracer = {
		.options = options,
		.wait.signal_fd = -1,
		.out_fd = STDERR_FILENO,
		.exit_code = LW_EXIT_FAILURE,
	};
	int code;

	lw_target_init(&tracer.target);
	code = run(&tracer);
	clean_up(&tracer, code);
	return code;
}
