// SPDX-License-Identifier: GPL-2.0
/*
 * recorder.c - one recording, from the events to the outputs.
 *
 * A pass reads every ring, then the side-band, then hands out what was merged:
 * all that the kernel told of mappings before a sample is known by then.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <latewind.h>
#include <liblatewind.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "perf/bpf_programs.h"
#include "record/recorder.h"
#include "record/recorder_limits.h"
#include "record/recorder_summary.h"
#include "record/settings.h"
#include "sideband/synth_kernel_code.h"
#include "sideband/synth_processes.h"
#include "tables/kept_files.h"

#define JOIN_BYTES	(64UL << 20)
#define PASS_MS		100
#define PENDING_NS	(NSEC_PER_SEC / 2)
/* From the clock to the ring, with a virtual CPU that is not run for a while. */
#define ROUND_NS	(NSEC_PER_SEC / 10)

static void count_frames(struct lw_counts *counts, const struct lw_user_stack *stack)
{
	struct latewind_frame frame = latewind_frames(stack);

	while (latewind_frame_next(&frame)) {
		counts->frames_sframe += frame.how == LW_HOW_SFRAME;
		counts->frames_registered += frame.how == LW_HOW_REGISTERED;
		counts->frames_fp += frame.how == LW_HOW_FP;
		counts->frames_sigframe += frame.how == LW_HOW_SIGFRAME;
		counts->frames_table += frame.how == LW_HOW_TABLE;
		counts->frames_analysis += frame.how == LW_HOW_ANALYSIS;
	}
}

static void count_stack(struct lw_counts *counts, const struct lw_user_stack *stack)
{
	counts->user_stacks++;
	count_frames(counts, stack);
	switch (stack->end) {
	case LW_END_OUTERMOST:
		counts->outermost++;
		break;
	case LW_END_TRUNCATED:
		counts->truncated++;
		break;
	case LW_END_EXITED:
	case LW_END_EXEC:
	case LW_END_NOMEM:
		counts->no_walks++;
		break;
	default:
		counts->lost_walks++;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct lw_event_id *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static const struct lw_event_id *find_event(const struct lw_recorder *rec, u64 id)
{
	struct lw_event_id key = { .id = id };

	return bsearch(&key, rec->ids, rec->nr_ids, sizeof(key), by_id);
}

static int take_sample(struct lw_recorder *rec, const struct lw_sample *sample)
{
	const struct lw_event_id *id = rec->off_cpu.join ? find_event(rec, sample->id) : NULL;
	int ret;

	if (!id || !rec->options->events[id->event].off_cpu)
		return latewind_stack_join_sample(rec->stack_join, sample);
	ret = lw_off_cpu_out(rec->off_cpu.join, sample);
	/* it is written with the time at which its task comes back */
	return ret ? ret : latewind_stack_join_sample_ageless(rec->stack_join, sample);
}

/* /proc/sys/kernel/pid_max is this at most: PID_MAX_LIMIT of linux/threads.h */
#define MAX_PIDS	(4U << 20)

static void add_to_family(struct lw_recorder *rec, u32 pid)
{
	if (pid < MAX_PIDS)
		rec->family[pid / 8] |= 1U << pid % 8;
}

static bool in_family(const struct lw_recorder *rec, u32 pid)
{
	return pid < MAX_PIDS && rec->family[pid / 8] & 1U << pid % 8;
}

/* The side-band is the target's own, so all that it names are of its family. */
static void note_fork(struct lw_recorder *rec, const struct perf_event_header *record)
{
	u32 pid;

	if (record->type != PERF_RECORD_FORK || record->size < sizeof(*record) + sizeof(pid))
		return;
	memcpy(&pid, record + 1, sizeof(pid));
	add_to_family(rec, pid);
}

static int take_sideband(void *ctx, const struct perf_event_header *record)
{
	struct lw_recorder *rec = ctx;
	int ret;

	note_fork(rec, record);
	lw_table_supply_record(&rec->supply, record);
	ret = lw_process_maps_record(rec->procs, record);
	return ret ? ret : lw_sinks_record(&rec->sinks, record);
}

static int take_module(void *ctx, const struct lw_module *module)
{
	struct lw_recorder *rec = ctx;
	struct lw_synth *synth;
	int ret;

	ret = lw_kernel_modules_record(rec->modules, module);
	if (ret <= 0)
		return ret;
	synth = lw_synth_new(take_sideband, rec);
	ret = synth ? lw_synth_module(synth, module) : -ENOMEM;
	lw_synth_free(synth);
	return ret;
}

static int take_record(void *ctx, const struct lw_record *record)
{
	struct lw_recorder *rec = ctx;
	const struct lw_user_stack *stack;
	const struct lw_lost *lost;

	switch (record->type) {
	case LW_RECORD_SAMPLE:
		if (!latewind_sample_valid(record))
			break;
		rec->ring_time = ((const struct lw_sample *)record)->time;
		return take_sample(rec, (const struct lw_sample *)record);
	case LW_RECORD_USER_STACK:
		if (!latewind_stack_valid(record))
			break;
		stack = (const struct lw_user_stack *)record;
		rec->ring_time = stack->time;
		count_stack(&rec->counts, stack);
		if (lw_stack_ends_add(rec->stack_ends, stack))
			return -ENOMEM;
		return latewind_stack_join_stack(rec->stack_join, stack);
	case LW_RECORD_LOST:
		if (record->len < sizeof(struct lw_lost))
			break;
		lost = (const struct lw_lost *)record;
		return lw_sinks_lost(&rec->sinks, lost->full + lost->big + lost->nested);
	case LW_RECORD_MODULE:
		if (!latewind_module_valid(record))
			break;
		rec->ring_time = ((const struct lw_module *)record)->time;
		if (!rec->modules)
			return 0;
		return lw_module_queue_add(&rec->module_queue, (const struct lw_module *)record);
	default:
		return 0;
	}
	rec->counts.bad_records++;
	return 0;
}

static void count_sample(struct lw_counts *counts, const struct lw_sample *sample,
			 const struct lw_user_stack *stack)
{
	counts->samples++;
	if (sample->user == LW_USER_NO_SLOT || sample->user == LW_USER_THROTTLED)
		counts->user_stacks_refused++;
	else if (sample->user != LW_USER_PENDING)
		counts->in_kernel_only++;
	else if (!stack)
		counts->user_stacks_missing++;
}

static bool enough_samples(const struct lw_recorder *rec)
{
	u64 most = rec->options->max_samples;

	return most && rec->counts.samples >= most;
}

static int write_sample(void *ctx, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct lw_recorder *rec = ctx;
	const struct lw_event_id *id = find_event(rec, sample->id);
	int ret;

	if (enough_samples(rec) || !lw_cpu_set_has(&rec->options->cpus, sample->cpu))
		return 0;
	count_sample(&rec->counts, sample, stack);
	rec->stopped |= enough_samples(rec);
	ret = lw_cgroup_source_meet(&rec->cgroups, latewind_sample_cgroup(sample));
	return ret ? ret : lw_sinks_sample(&rec->sinks, id->event, sample, stack);
}

static int write_joined(void *ctx, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct lw_recorder *rec = ctx;
	const struct lw_event_id *id = find_event(rec, sample->id);

	if (!id) {
		rec->counts.unknown_events++;
		return 0;
	}
	if (rec->options->events[id->event].everywhere && !in_family(rec, sample->pid))
		return 0;
	/* it is written when it is known how long it was */
	if (rec->options->events[id->event].off_cpu)
		return lw_off_cpu_sample(rec->off_cpu.join, sample, stack);
	return write_sample(rec, sample, stack);
}

static u32 nr_rings(const struct lw_recorder *rec)
{
	return latewind_session_info(rec->session)->nr_rings;
}

static int bad_ring(u32 cpu)
{
	return lw_fail(-EBADMSG, "the ring of CPU %u holds an impossible record\n"
		       "  Module and tool may be of different builds.", cpu);
}

static void begin_ring(struct lw_recorder *rec, u32 cpu)
{
	rec->ring = cpu;
	rec->ring_time = rec->pass_time;
}

/* The rings of a flight recorder are not read here, but by take_snapshot(). */
static int read_rings(struct lw_recorder *rec, bool *all_complete)
{
	bool all = !rec->options->overwrite, complete = false;
	int ret = 0;

	rec->pass_time = lw_now();
	for (u32 i = 0; all && !ret && i < nr_rings(rec); i++) {
		begin_ring(rec, i);
		ret = latewind_session_read_ring(rec->session, i, take_record, rec, &complete);
		if (ret == -EBADMSG)
			return bad_ring(i);
		all = all && complete;
	}
	latewind_stack_join_pass(rec->stack_join, all);
	*all_complete = all;
	if (!all)
		return ret;
	rec->complete_time = rec->pass_time;
	return ret ? ret : lw_module_queue_take(&rec->module_queue, rec->pass_time, take_module,
						rec);
}

static int snapshot_failed(int ret, u32 cpu)
{
	if (ret == -EBADMSG)
		return bad_ring(cpu);
	if (ret == -EAGAIN)
		return lw_fail(ret, "the ring of CPU %u is written faster than it is read\n"
			       "  Use a larger --ring-size.", cpu);
	return ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret;
}

/* What no snapshot before has. */
static int take_snapshot(struct lw_recorder *rec)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < nr_rings(rec); i++) {
		begin_ring(rec, i);
		ret = snapshot_failed(latewind_session_snapshot_next(rec->session, i, take_record,
								     rec), i);
	}
	return ret;
}

/* Rings that are too fast now may not be so at the next signal. */
static int dump_rings(struct lw_recorder *rec)
{
	u64 since = lw_now();
	int ret;

	do {
		ret = take_snapshot(rec);
		if (ret || latewind_stack_join_oldest(rec->stack_join) >= since)
			break;
		/* the stacks of tasks that are on their way out of the kernel */
		poll(NULL, 0, 10);
	} while (lw_now() < since + PENDING_NS);
	if (ret != -EAGAIN)
		return ret;
	fprintf(stderr, "latewind: %s\n", lw_fail_text());
	return 0;
}

/**
 * lw_recorder_complete_until - up to which time all is known
 * @rec: recording
 *
 * A sample goes to the sinks at once, unless it is held at one of three places:
 *
 *	in a ring, or on its way into one	hit after the last pass over all rings began,
 *						but for ROUND_NS
 *	in stack_join, waiting for its stack	latewind_stack_join_oldest()
 *	in off_cpu, until its task comes back	lw_off_cpu_source_since()
 *
 * Records that are still to come have this time or a later one.  The file's rounds go by it:
 * see struct lw_perf_writer.
 *
 * Return: CLOCK_MONOTONIC nanoseconds.
 */
u64 lw_recorder_complete_until(const struct lw_recorder *rec)
{
	u64 read = rec->complete_time > ROUND_NS ? rec->complete_time - ROUND_NS : 0;
	u64 waits = latewind_stack_join_oldest(rec->stack_join);
	u64 away = lw_off_cpu_source_since(&rec->off_cpu);

	if (waits < read)
		read = waits;
	return away < read ? away : read;
}

/* Off-CPU samples are written when it is known how long, with all maps up to then. */
static int read_all(struct lw_recorder *rec)
{
	bool complete = false;
	int ret;

	lw_off_cpu_source_begin_pass(&rec->off_cpu);
	ret = read_rings(rec, &complete);
	if (!ret)
		ret = lw_sideband_read(&rec->sideband, take_sideband, rec);
	if (!ret)
		ret = lw_cgroup_source_read(&rec->cgroups);
	/* as long as they are there; it takes a while */
	if (!ret && rec->modules)
		lw_kernel_modules_read_names(rec->modules);
	return ret ? ret : lw_off_cpu_source_end_pass(&rec->off_cpu, complete);
}

static int pass(struct lw_recorder *rec, bool ended)
{
	int ret = read_all(rec);

	if (!ret)
		ret = lw_stack_ends_settle(rec->stack_ends, rec->procs);
	if (!ret)
		ret = latewind_stack_join_emit(rec->stack_join, write_joined, rec);
	if (!ret)
		ret = lw_sinks_pass(&rec->sinks, !ended && !rec->stopped);
	return ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret;
}

static const char *probe_hint(int err)
{
	switch (err) {
	case -EADDRNOTAVAIL:
		return "Several functions of the kernel have that name.";
	case -EINVAL:
	case -EILSEQ:
	case -ENOENT:
	case -EOPNOTSUPP:
		return "No probe can be set there: no instruction begins there, or the kernel\n"
		       "  keeps probes away from it.";
	}
	return NULL;
}

static bool may_be_too_precise(int err)
{
	return err == -EOPNOTSUPP || err == -EINVAL || err == -ENOENT;
}

static const char *event_hint(const struct lw_event *event, int err)
{
	const char *hint = event->nr_places ? probe_hint(err) : NULL;

	if (hint)
		return hint;
	if (event->attr.precise_ip && may_be_too_precise(err))
		return "This machine may not count it so precisely: leave 'p' out, or use ':P'.";
	switch (err) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return "This machine cannot count it; a virtual machine often has no hardware\n"
		       "  counters. Use '-e cpu-clock'.";
	case -ENOSPC:
		return "Too many events or threads for one session: use -a, or fewer events.";
	case -EMFILE:
		return "An event counts as an open file for each thread or CPU: use fewer,\n"
		       "  or raise the limit (ulimit -Hn).";
	case -EPERM:
	case -EACCES:
		return "Run it as root, or give it CAP_PERFMON; in lockdown there are no kprobes.";
	case -ESRCH:
		return "The process has ended.";
	}
	return "'latewind doctor' checks what is needed.";
}

static int add_place(struct lw_recorder *rec, u32 index, u32 place, u32 target, pid_t pid)
{
	struct lw_event *event = &rec->options->events[index];
	struct perf_event_attr attr;
	u64 id;
	int ret;

	do {
		lw_event_aim(event, place, &attr);
		if (lw_event_has_fields(event) && lw_sinks_want_fields(&rec->sinks) &&
		    lw_session_can(rec->session, LW_FEATURE_RAW))
			attr.sample_type = PERF_SAMPLE_RAW;
		ret = latewind_session_add_event(rec->session, &attr, target, pid, &id);
	} while (may_be_too_precise(ret) && lw_event_less_precise(event));
	if (ret)
		return lw_fail(ret, "cannot count event '%s': %s\n  %s", event->name,
			       strerror(-ret), event_hint(event, ret));
	if (lw_grow((void **)&rec->ids, &rec->id_room, rec->nr_ids + 1, sizeof(*rec->ids)))
		return lw_fail(-ENOMEM, "out of memory");
	rec->ids[rec->nr_ids].id = id;
	rec->ids[rec->nr_ids++].event = index;
	return 0;
}

/* A command beside processes is no target: they are recorded until it ends. */
static bool records_command(const struct lw_recorder *rec)
{
	return rec->target.child && !rec->target.nr_tids;
}

static int add_one(struct lw_recorder *rec, u32 index, u32 target, pid_t pid)
{
	struct lw_event *event = &rec->options->events[index];
	int ret;

	event->attr.inherit = target == LW_TARGET_TASK && !rec->options->no_inherit;
	event->attr.enable_on_exec = target == LW_TARGET_TASK && records_command(rec) &&
				     !rec->options->delay;
	ret = add_place(rec, index, 0, target, pid);
	for (u32 i = 1; !ret && i < event->nr_places; i++)
		ret = add_place(rec, index, i, target, pid);
	return ret;
}

static int add_to_threads(struct lw_recorder *rec, u32 index)
{
	u32 added = 0;
	int ret = 0;

	for (u32 i = 0; i < rec->target.nr_tids; i++) {
		ret = add_one(rec, index, LW_TARGET_TASK, rec->target.tids[i]);
		/* one thread may have ended since they were listed */
		if (ret && ret != -ESRCH)
			return ret;
		added += !ret;
	}
	return added ? 0 : ret;
}

static int add_events(struct lw_recorder *rec)
{
	int ret = 0;

	lw_raise_fd_limit();
	for (u32 i = 0; !ret && i < rec->options->nr_events; i++) {
		struct lw_event *event = &rec->options->events[i];

		if (rec->options->all_cpus || event->everywhere)
			ret = add_one(rec, i, LW_TARGET_CPUS, 0);
		else if (records_command(rec))
			ret = add_one(rec, i, LW_TARGET_TASK, rec->target.child);
		else
			ret = add_to_threads(rec, i);
	}
	if (!ret)
		qsort(rec->ids, rec->nr_ids, sizeof(*rec->ids), by_id);
	return ret;
}

/* Children can't inherit a probe: count all, keep the target's.  Return: are there such? */
static bool mark_probes(struct lw_recorder *rec)
{
	bool any = false;

	for (u32 i = 0; i < rec->options->nr_events; i++) {
		struct lw_event *event = &rec->options->events[i];

		event->everywhere = event->nr_places && !rec->options->all_cpus &&
				    !rec->options->no_inherit;
		any |= event->everywhere;
	}
	return any;
}

/*
 * Others that hit such a probe, among them this tool, pay for no stack.  What the module can't
 * leave out, in_family() does.  Before there are events, so that no child has one, but no filter.
 */
static int filter_probes(struct lw_recorder *rec)
{
	const struct lw_target *target = &rec->target;
	u32 nr = target->nr_processes + records_command(rec), at = 0;
	s32 pids[LW_MAX_FILTER_PIDS];
	int ret;

	if (!mark_probes(rec) || rec->options->cgroup || rec->options->by_thread || !nr ||
	    nr > LW_MAX_FILTER_PIDS || !lw_session_can(rec->session, LW_FEATURE_CHILDREN))
		return 0;
	if (records_command(rec))
		pids[at++] = target->child;
	for (u32 i = 0; i < target->nr_processes; i++)
		pids[at++] = target->processes[i].pid;
	ret = lw_session_filter_processes(rec->session, pids, nr, LW_FILTER_CHILDREN);
	return ret == -ESRCH ? 0 : ret;
}

static int attach(struct lw_recorder *rec)
{
	const struct lw_options *options = rec->options;
	int ret = options->of_user ? lw_target_attach_user(&rec->target, options->user) : 0;

	for (u32 i = 0; !ret && i < options->nr_ids; i++)
		ret = options->by_thread ?
			lw_target_attach_thread(&rec->target, options->ids[i]) :
			lw_target_attach(&rec->target, options->ids[i]);
	return ret;
}

static int prepare_target(struct lw_recorder *rec)
{
	struct lw_options *options = rec->options;

	int ret = 0;

	rec->family = calloc(MAX_PIDS / 8, 1);
	if (!rec->family)
		return lw_fail(-ENOMEM, "out of memory");
	rec->target.all_cpus = options->all_cpus;
	/* perf does the same: what the command prints is none of the recording */
	rec->target.prints_to_stderr = options->output && !strcmp(options->output, "-");
	rec->target.reads_nothing = options->has_terminal;
	ret = attach(rec);
	if (!ret && options->command)
		ret = lw_target_prepare(&rec->target, options->command);
	if (records_command(rec))
		add_to_family(rec, rec->target.child);
	for (u32 i = 0; i < rec->target.nr_processes; i++)
		add_to_family(rec, rec->target.processes[i].pid);
	return ret;
}

/**
 * lw_recorder_meets_kernel - may a sample have an address of the kernel?
 * @rec: its events are known
 *
 * Return: false if all events are of user space: nobody asks for the kernel's names then, which
 * take longer to read than all else.
 */
bool lw_recorder_meets_kernel(const struct lw_recorder *rec)
{
	for (u32 i = 0; i < rec->options->nr_events; i++) {
		const struct lw_event *event = &rec->options->events[i];

		if (!event->attr.exclude_kernel && !event->in_user)
			return true;
	}
	return false;
}

static void *read_modules(void *ctx)
{
	struct lw_recorder *rec = ctx;

	lw_kernel_modules_begin(rec->modules);
	return NULL;
}

/*
 * Its modules, with the names of their functions, and code that was made at run time: read
 * beside all that is read of processes.
 */
static int begin_modules(struct lw_recorder *rec)
{
	rec->modules = lw_kernel_modules_new("/proc/kallsyms", "/proc/modules");
	if (!rec->modules)
		return lw_fail(-ENOMEM, "out of memory");
	rec->reads_modules = !pthread_create(&rec->modules_thread, NULL, read_modules, rec);
	if (!rec->reads_modules)
		read_modules(rec);
	return 0;
}

static void wait_for_modules(struct lw_recorder *rec)
{
	if (rec->reads_modules)
		pthread_join(rec->modules_thread, NULL);
	rec->reads_modules = false;
}

static int synthesise_kernel(struct lw_recorder *rec, struct lw_synth *synth)
{
	const char *text;
	size_t size;
	int ret;

	wait_for_modules(rec);
	ret = lw_synth_kernel(synth, lw_kernel_modules_range(rec->modules));
	if (ret)
		return ret;
	text = lw_kernel_modules_text(rec->modules, &size);
	ret = lw_synth_kernel_code(text, size, take_sideband, rec);
	return ret == -ENOMEM ? lw_fail(ret, "out of memory") : ret;
}

static int synthesise_cgroups(struct lw_recorder *rec)
{
	int ret = lw_cgroup_source_walk(&rec->cgroups);

	if (ret != -ENOENT)
		return ret;
	fprintf(stderr, "latewind: cgroups will have no names\n"
		"  Mount them: mount -t cgroup2 none /sys/fs/cgroup\n");
	return 0;
}

static int synthesise(struct lw_recorder *rec)
{
	struct lw_synth *synth = lw_synth_new(take_sideband, rec);
	int ret;

	if (!synth)
		return lw_fail(-ENOMEM, "out of memory");
	lw_synth_also_maps(synth, lw_table_supply_map, &rec->supply);
	if (rec->options->data)
		lw_synth_also_data(synth);
	if (rec->options->namespaces)
		lw_synth_also_namespaces(synth);
	ret = synthesise_cgroups(rec);
	if (!ret && rec->options->all_cpus)
		ret = lw_synth_all(synth);
	for (u32 i = 0; !ret && i < rec->target.nr_processes; i++)
		ret = lw_synth_process(synth, rec->target.processes[i].pid);
	if (!ret && rec->modules)
		ret = synthesise_kernel(rec, synth);
	if (!ret && lw_recorder_meets_kernel(rec))
		ret = lw_bpf_synthesise(take_sideband, rec);
	lw_synth_free(synth);
	return ret;
}

/* For their names: without these nobody learns which files samples have met. */
static bool keeps_files(const struct lw_options *options)
{
	return options->output && !options->no_names && !options->no_tables;
}

static int begin_supply(struct lw_recorder *rec)
{
	struct lw_options *options = rec->options;
	struct lw_table_supply_options supply = {
		.off = options->no_tables,
		.command = records_command(rec) || options->all_cpus ? options->command : NULL,
		/* what is told at once would be across the screen */
		.verbose = options->verbose && !options->has_terminal,
		.quiet = options->quiet,
		.stop_fd = rec->wait.signal_fd,
	};

	if (keeps_files(options))
		rec->kept = lw_kept_files_new(!options->no_buildid_cache);
	supply.kept = rec->kept;
	return lw_table_supply_begin(&rec->supply, rec->session, &supply);
}

static void add_sinks(struct lw_recorder *rec)
{
	const struct lw_options *options = rec->options;

	if (options->output)
		lw_sinks_add(&rec->sinks, &lw_file_sink);
	if (options->text)
		lw_sinks_add(&rec->sinks, &lw_text_sink);
	if (options->sink)
		lw_sinks_add(&rec->sinks, options->sink);
	/* the last: it has numbers of the file */
	if (options->stats)
		lw_sinks_add(&rec->sinks, &lw_stats_sink);
	if (!lw_sinks_want_maps(&rec->sinks))
		lw_process_maps_only_names(rec->procs);
}

/* All rings of a flight recorder are merged at once. */
static size_t join_bytes(const struct lw_recorder *rec)
{
	u64 size = rec->options->ring_size;

	if (!rec->options->overwrite)
		return JOIN_BYTES;
	return JOIN_BYTES + 4 * nr_rings(rec) *
	       (size ? size : latewind_session_info(rec->session)->ring_default);
}

static u32 setup_flags(const struct lw_recorder *rec)
{
	u32 flags = (rec->options->overwrite ? LW_SETUP_OVERWRITE : 0) |
		    (rec->options->all_cgroups ? LW_SETUP_CGROUP : 0);

	if (rec->options->output && lw_recorder_meets_kernel(rec) &&
	    lw_session_can(rec->session, LW_FEATURE_MODULES))
		flags |= LW_SETUP_MODULES;
	return flags | lw_table_supply_setup_flags(rec->session, rec->options->no_tables);
}

static int prepare(struct lw_recorder *rec)
{
	struct lw_options *options = rec->options;
	int ret;

	ret = lw_session_open(&rec->session);
	if (ret)
		return ret;
	rec->stack_join = latewind_stack_join_new(join_bytes(rec));
	rec->procs = lw_process_maps_new();
	rec->stack_ends = lw_stack_ends_new("/proc");
	if (!rec->stack_join || !rec->procs || !rec->stack_ends)
		return lw_fail(-ENOMEM, "out of memory");
	ret = lw_session_setup(rec->session, options->ring_size, options->depth,
			       options->kernel_depth, options->mask, setup_flags(rec));
	if (!ret && options->cgroup)
		ret = lw_session_filter_cgroup(rec->session, options->cgroup);
	rec->wait.takes_usr2 = options->switch_output;
	if (!ret)
		ret = lw_poll_init(&rec->wait, &rec->target);
	if (!ret)
		ret = prepare_target(rec);
	add_sinks(rec);
	if (!ret)
		ret = filter_probes(rec);
	if (!ret)
		ret = add_events(rec);
	if (!ret)
		ret = lw_sideband_open(&rec->sideband, &rec->target,
				       options->data ? LW_SIDEBAND_ALL_MAPS : LW_SIDEBAND_CODE,
				       options->namespaces);
	if (!ret && options->output && lw_recorder_meets_kernel(rec))
		ret = begin_modules(rec);
	if (!ret && options->all_cgroups)
		ret = lw_cgroup_source_open(&rec->cgroups, take_sideband, rec);
	if (!ret && options->off_cpu)
		ret = lw_off_cpu_source_open(&rec->off_cpu, &rec->target, write_sample, rec);
	if (!ret)
		ret = begin_supply(rec);
	if (!ret)
		ret = lw_sinks_open(&rec->sinks, rec);
	if (!ret)
		ret = synthesise(rec);
	if (!ret)
		lw_table_supply_wait(&rec->supply);
	return ret;
}

static int main_loop(struct lw_recorder *rec)
{
	int ret = lw_poll_open(&rec->wait, latewind_session_fd(rec->session), rec->target.pid_fd,
			       &rec->sideband);
	bool ended = false;

	while (!ret && !ended && !rec->stopped) {
		rec->stopped |= lw_poll(&rec->wait, lw_recorder_limits_wait(rec, PASS_MS));
		ended = lw_target_ended(&rec->target);
		ret = lw_recorder_limits_apply(rec);
		if (!ret && rec->switch_due && rec->options->overwrite)
			ret = dump_rings(rec);
		if (!ret)
			ret = pass(rec, ended);
	}
	rec->fulfilled |= ended && !rec->target.reaped;
	return ret;
}

/* Stacks of tasks that are still in the kernel may come, for a while. */
static int drain(struct lw_recorder *rec)
{
	u64 until = lw_now() + PENDING_NS;
	struct lw_stats stats = { 0 };
	int ret;

	do {
		ret = lw_session_stats(rec->session, &stats);
		if (!ret)
			ret = pass(rec, true);
		rec->counts.missing_children = stats.missing_children;
		if (ret || (!stats.pending && !latewind_stack_join_pending(rec->stack_join)))
			break;
		poll(NULL, 0, stats.pending ? 10 : 1);
	} while (lw_now() < until);
	lw_sideband_stop(&rec->sideband);
	lw_sideband_stop(&rec->cgroups.made);
	if (!ret && rec->options->overwrite)
		ret = take_snapshot(rec);
	if (!ret)
		ret = latewind_stack_join_give_up(rec->stack_join);
	if (!ret)
		ret = pass(rec, true);
	if (!ret)
		ret = lw_module_queue_take(&rec->module_queue, ~0ULL, take_module, rec);
	if (!ret && rec->modules)
		lw_kernel_modules_read_names(rec->modules);
	return ret;
}

static int record(struct lw_recorder *rec)
{
	int ret = lw_recorder_limits_begin(rec), end;
	u64 ended;

	if (ret)
		return ret;
	if (rec->options->command) {
		ret = lw_target_start(&rec->target, rec->options->command[0]);
		if (ret)
			rec->exit_code = ret == -ENOENT ? LW_EXIT_NOT_FOUND :
					 LW_EXIT_NOT_EXECUTABLE;
	}
	if (!ret)
		ret = lw_sinks_begin(&rec->sinks);
	if (!ret)
		ret = main_loop(rec);
	lw_sinks_leave(&rec->sinks);
	/* the delay may not be over */
	end = rec->enable_at ? 0 : lw_session_disable(rec->session);
	ended = lw_now();
	lw_table_supply_end(&rec->supply);
	if (lw_target_stop(&rec->target))
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
	if (!ret)
		ret = end;
	if (!ret)
		ret = drain(rec);
	if (!ret)
		ret = lw_off_cpu_source_finish(&rec->off_cpu, ended);
	if (!ret)
		ret = lw_cgroup_source_finish(&rec->cgroups);
	lw_table_supply_settle(&rec->supply);
	return ret;
}

static int run(struct lw_recorder *rec)
{
	int ret = prepare(rec);

	if (!ret)
		ret = record(rec);
	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		lw_sinks_fail(&rec->sinks);
		return rec->exit_code;
	}
	if (lw_sinks_finish(&rec->sinks))
		return rec->exit_code;
	if (!rec->options->quiet)
		lw_recorder_say_summary(rec);
	return rec->fulfilled ? LW_EXIT_OK : lw_target_exit_code(&rec->target);
}

static void clean_up(struct lw_recorder *rec, int code)
{
	wait_for_modules(rec);
	lw_sinks_close(&rec->sinks);
	if (!lw_table_supply_free(&rec->supply))
		exit(code);
	lw_kept_files_put(rec->kept);
	lw_off_cpu_source_close(&rec->off_cpu);
	lw_sideband_close(&rec->sideband);
	lw_cgroup_source_close(&rec->cgroups);
	latewind_session_close(rec->session);
	lw_target_free(&rec->target);
	lw_process_maps_free(rec->procs);
	lw_stack_ends_free(rec->stack_ends);
	lw_module_queue_free(&rec->module_queue);
	lw_kernel_modules_free(rec->modules);
	latewind_stack_join_free(rec->stack_join);
	lw_poll_close(&rec->wait);
	lw_file_names_free(&rec->file_names);
	free(rec->ids);
	free(rec->family);
}

/**
 * lw_recorder_run - record what the options say
 * @options: parsed
 * @argc: of the whole command line, for the file's header
 * @argv: likewise
 *
 * Return: the tool's exit status.
 */
int lw_recorder_run(struct lw_options *options, int argc, char **argv)
{
	struct lw_recorder *rec = calloc(1, sizeof(*rec));
	int code;

	if (!rec) {
		fputs("latewind: out of memory\n", stderr);
		return LW_EXIT_FAILURE;
	}
	rec->options = options;
	rec->argc = argc;
	rec->argv = argv;
	rec->wait.signal_fd = -1;
	rec->exit_code = LW_EXIT_FAILURE;
	lw_target_init(&rec->target);

	code = run(rec);
	clean_up(rec, code);
	free(rec);
	return code;
}
