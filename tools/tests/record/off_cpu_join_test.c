// SPDX-License-Identifier: GPL-2.0
/*
 * off_cpu_join_test.c - the time blocked is that of a simple model, whatever the order in
 * which rings are read, and never a wrong one when records are lost.
 */
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "record/off_cpu_join.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define MODEL_CPUS		4
#define NR_TASKS	12
#define FIRST_TID	100
#define NR_STEPS	4000
#define MAX_WAITS	(2 * NR_STEPS)

/* --- single records */

struct one {
	u32 calls;
	u64 period;
	u64 time;
	u32 frames;
};

static int take_one(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct one *one = ctx;

	one->calls++;
	one->period = sample->period;
	one->time = sample->time;
	one->frames = stack ? stack->nr : 0;
	return 0;
}

static struct lw_sample sample_of(u32 tid, u64 time)
{
	return (struct lw_sample) {
		.record = { .len = sizeof(struct lw_sample), .type = LW_RECORD_SAMPLE },
		.time = time, .tid = tid, .pid = tid, .period = 1, .user = LW_USER_PENDING,
	};
}

static int out(struct lw_off_cpu *oc, u32 tid, u64 time)
{
	struct lw_sample sample = sample_of(tid, time);

	return lw_off_cpu_out(oc, &sample);
}

static int with_stack(struct lw_off_cpu *oc, u32 tid, u64 time)
{
	static const u64 frames[2] = { 0x401000, 0x402000 };
	struct lw_sample sample = sample_of(tid, time);
	union made_stack made = {};

	set_frames(&made, frames, 2);
	return lw_off_cpu_sample(oc, &sample, &made.stack);
}

#define MISC_IN		0
#define MISC_OUT	PERF_RECORD_MISC_SWITCH_OUT
#define MISC_PREEMPTED	(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

static int switched(struct lw_off_cpu *oc, u32 tid, u64 time, u32 misc)
{
	struct {
		struct perf_event_header header;
		u32 other[2];		/* whose CPU it was, or is */
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_SWITCH_CPU_WIDE, misc, sizeof(record) },
		.other = { 1, 1 },
		.id = { .pid = tid, .tid = tid, .time = time },
	};

	return lw_off_cpu_record(oc, &record.header);
}

static int forked(struct lw_off_cpu *oc, u32 parent, u32 tid, u64 time)
{
	struct {
		struct perf_event_header header;
		u32 pid, ppid, tid, ptid;
		u64 time;
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_FORK, 0, sizeof(record) },
		.pid = tid, .ppid = parent, .tid = tid, .ptid = parent, .time = time,
		.id = { .pid = parent, .tid = parent, .time = time },
	};

	return lw_off_cpu_record(oc, &record.header);
}

static bool stats_are(const struct lw_off_cpu *oc, u64 blocked, u64 preempted, u64 lost)
{
	const struct lw_off_cpu_stats *stats = lw_off_cpu_stats(oc);

	return stats->blocked == blocked && stats->preempted == preempted && stats->lost == lost;
}

static bool blocked_is_from_out_to_in(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	CHECK(!out(oc, 7, 1000) && !switched(oc, 7, 1010, MISC_OUT));
	/* somebody else's, and it is read before the older ones of another CPU */
	CHECK(!switched(oc, 8, 1020, MISC_IN) && !with_stack(oc, 7, 1000));
	CHECK(!lw_off_cpu_advance(oc, 4000) && !one.calls);
	CHECK(!switched(oc, 7, 5000, MISC_IN) && !lw_off_cpu_advance(oc, 5000) && !one.calls);
	CHECK(!lw_off_cpu_advance(oc, 5001));
	CHECK(one.calls == 1 && one.period == 4000 && one.time == 5000 && one.frames == 2);
	CHECK(stats_are(oc, 1, 0, 0));
	lw_off_cpu_free(oc);
	return true;
}

/* The kernel's part of a stack, and what is behind it. */
struct wide_sample {
	struct lw_sample head;
	u64 behind[4];
};

static int take_wide(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	memcpy(ctx, sample, latewind_sample_size(sample));
	return !!stack;
}

/* Return: whether @nr addresses and the raw part are what is left of @ips. */
static bool leaves(const u64 *ips, u32 nr_ips, const u64 *left, u32 nr)
{
	static const u32 raw[2] = { sizeof(u32), 0x77 };
	struct wide_sample sample = { .head = sample_of(7, 1000) }, got = {};
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_wide, &got);

	lw_off_cpu_leave_out(oc, 0x1000, 0x1100);
	sample.head.ip = ips[0];
	sample.head.nr_kernel = nr_ips;
	sample.head.record.flags = LW_SAMPLE_RAW;
	sample.head.record.len += nr_ips * sizeof(*ips) + sizeof(raw);
	memcpy(sample.behind, ips, nr_ips * sizeof(*ips));
	memcpy(&sample.behind[nr_ips], raw, sizeof(raw));
	CHECK(!lw_off_cpu_out(oc, &sample.head) && !lw_off_cpu_sample(oc, &sample.head, NULL));
	CHECK(!switched(oc, 7, 1010, MISC_OUT) && !switched(oc, 7, 5000, MISC_IN));
	CHECK(!lw_off_cpu_advance(oc, 6000));
	CHECK(got.head.record.len == sizeof(got.head) + nr * sizeof(*left) + sizeof(raw));
	CHECK(got.head.nr_kernel == nr && got.head.ip == left[0]);
	CHECK(!memcmp(got.behind, left, nr * sizeof(*left)));
	CHECK(!memcmp(&got.behind[nr], raw, sizeof(raw)));
	lw_off_cpu_free(oc);
	return true;
}

static bool tracer_is_left_out(void)
{
	static const u64 ips[] = { 0x1000, 0x2000, 0x10ff };
	static const u64 next[] = { 0x1100, 0x2000 };

	CHECK(leaves(ips, 3, &ips[1], 2));
	/* of what calls it nothing is, nor one that stands alone or beside it */
	CHECK(leaves(&ips[1], 2, &ips[1], 2));
	CHECK(leaves(ips, 1, ips, 1));
	CHECK(leaves(next, 2, next, 2));
	return true;
}

static bool preempted_is_not_blocked(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	CHECK(!out(oc, 7, 1000) && !switched(oc, 7, 1010, MISC_PREEMPTED));
	CHECK(!switched(oc, 7, 5000, MISC_IN) && !lw_off_cpu_advance(oc, 6000));
	CHECK(!with_stack(oc, 7, 1000) && !one.calls && stats_are(oc, 0, 1, 0));
	lw_off_cpu_free(oc);
	return true;
}

static bool missing_links_are_lost_not_guessed(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	/* no out */
	CHECK(!out(oc, 1, 1000) && !switched(oc, 1, 2000, MISC_IN));
	/* no in */
	CHECK(!out(oc, 2, 1000) && !switched(oc, 2, 1001, MISC_OUT));
	CHECK(!switched(oc, 2, 2000, MISC_OUT) && !switched(oc, 2, 3000, MISC_IN));
	/* neither, but a second sample, which has both */
	CHECK(!out(oc, 3, 1000) && !out(oc, 3, 2000));
	CHECK(!switched(oc, 3, 2001, MISC_OUT) && !switched(oc, 3, 2500, MISC_IN));
	/* another task with the number of one that never came back */
	CHECK(!out(oc, 4, 1000) && !switched(oc, 4, 1001, MISC_OUT));
	CHECK(!forked(oc, 1, 4, 1500) && !switched(oc, 4, 1600, MISC_IN));
	CHECK(!lw_off_cpu_advance(oc, 10000));
	for (u32 tid = 1; tid <= 4; tid++)
		CHECK(!with_stack(oc, tid, 1000));
	CHECK(!with_stack(oc, 3, 2000));
	CHECK(one.calls == 1 && one.period == 500 && stats_are(oc, 1, 0, 4));
	lw_off_cpu_free(oc);
	return true;
}

static bool gap_takes_those_off_cpu_only(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	for (u32 tid = 1; tid <= 3; tid++) {
		CHECK(!out(oc, tid, 1000 * tid) && !switched(oc, tid, 1000 * tid + 1, MISC_OUT));
		CHECK(!switched(oc, tid, 1000 * tid + 500, MISC_IN));
		CHECK(!with_stack(oc, tid, 1000 * tid));
	}
	CHECK(!lw_off_cpu_gap(oc, 1900, 2100) && !lw_off_cpu_advance(oc, 10000));
	CHECK(one.calls == 2 && stats_are(oc, 2, 0, 1));
	lw_off_cpu_free(oc);
	return true;
}

static bool late_records_are_a_gap(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	CHECK(!out(oc, 1, 1000) && !switched(oc, 1, 1001, MISC_OUT));
	CHECK(!lw_off_cpu_advance(oc, 3000));
	/* it was back before, and may have left again */
	CHECK(!switched(oc, 1, 2000, MISC_IN) && !switched(oc, 1, 4000, MISC_IN));
	CHECK(!out(oc, 2, 2999));
	CHECK(!lw_off_cpu_advance(oc, 5000));
	CHECK(!with_stack(oc, 1, 1000) && !with_stack(oc, 2, 2999));
	CHECK(!one.calls && stats_are(oc, 0, 0, 2));
	lw_off_cpu_free(oc);
	return true;
}

static bool end_ends_those_that_are_blocked(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	CHECK(!out(oc, 1, 1000) && !switched(oc, 1, 1001, MISC_OUT) && !with_stack(oc, 1, 1000));
	/* whether it is blocked nobody has said */
	CHECK(!out(oc, 2, 1000) && !with_stack(oc, 2, 1000));
	CHECK(!lw_off_cpu_finish(oc, 9000));
	CHECK(one.calls == 1 && one.period == 8000 && one.time == 9000);
	CHECK(stats_are(oc, 1, 0, 1));
	lw_off_cpu_free(oc);
	return true;
}

static bool kernel_threads_and_ending_tasks_are_left_out(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);
	struct lw_sample sample = sample_of(1, 1000);

	sample.user = LW_USER_KTHREAD;
	CHECK(!lw_off_cpu_out(oc, &sample));
	sample.user = LW_USER_EXITING;
	CHECK(!lw_off_cpu_out(oc, &sample));
	CHECK(!out(oc, 0, 1000));
	CHECK(!lw_off_cpu_sample(oc, &sample, NULL) && !lw_off_cpu_finish(oc, 9000));
	CHECK(!one.calls && stats_are(oc, 0, 0, 0) && lw_off_cpu_stats(oc)->left_out == 3);
	lw_off_cpu_free(oc);
	return true;
}

static bool odd_records_are_passed_over(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);
	u64 words[16] = { 0 };
	struct perf_event_header *record = (void *)words;

	for (u32 type = 0; type < 64; type++) {
		for (u32 size = sizeof(*record); size <= sizeof(words); size += 8) {
			*record = (struct perf_event_header) { type, 0xffff, size };
			CHECK(!lw_off_cpu_record(oc, record));
		}
	}
	CHECK(!lw_off_cpu_finish(oc, 9000) && !one.calls && stats_are(oc, 0, 0, 0));
	lw_off_cpu_free(oc);
	return true;
}

/* Two waits in one call, whose stack comes when the call ends. */
static bool late_stacks_do_not_bring_old_times(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(1 << 20, take_one, &one);

	CHECK(lw_off_cpu_since(oc) == 0 && !out(oc, 7, 1000) && !switched(oc, 7, 1010, MISC_OUT));
	CHECK(!switched(oc, 7, 2000, MISC_IN) && !lw_off_cpu_advance(oc, 9000) && !one.calls);
	/* nobody comes back before that any more; who did is not older than what he is told */
	CHECK(lw_off_cpu_since(oc) == 9000 && !out(oc, 7, 9100));
	lw_off_cpu_not_before(oc, 8500);
	CHECK(!with_stack(oc, 7, 1000));
	CHECK(one.calls == 1 && one.period == 1000 && one.time == 8500);
	CHECK(!switched(oc, 7, 9110, MISC_OUT) && !switched(oc, 7, 9300, MISC_IN));
	CHECK(!with_stack(oc, 7, 9100) && !lw_off_cpu_advance(oc, 9900));
	CHECK(one.calls == 2 && one.period == 200 && one.time == 9300);
	lw_off_cpu_free(oc);
	return true;
}

static bool memory_is_bounded(void)
{
	struct one one = { 0 };
	struct lw_off_cpu *oc = lw_off_cpu_new(10000, take_one, &one);

	for (u32 i = 0; i < 10000; i++) {
		CHECK(!out(oc, 1 + i, 1000 + i) && !switched(oc, 1 + i, 1000 + i, MISC_OUT));
		CHECK(!with_stack(oc, 1 + i, 1000 + i));
	}
	CHECK(!lw_off_cpu_finish(oc, 100000));
	/* of the newest, some that fit */
	CHECK(one.calls > 10 && one.calls < 100 && one.period == 100000 - 10999);
	CHECK(stats_are(oc, one.calls, 0, 10000 - one.calls));
	lw_off_cpu_free(oc);
	return true;
}

/* --- many tasks that move between CPUs */

struct told {
	u64 time;
	u32 tid;
	u32 what;			/* MISC_*, or IS_SAMPLE */
};

#define IS_SAMPLE	~0U

struct ring {
	struct told told[2 * MAX_WAITS];
	u32 nr, read;
};

struct truth {
	u64 time, until;
	u32 tid;
	bool preempted;
	bool told;			/* the sample was not lost */
	u32 seen;
};

struct model {
	struct ring samples[MODEL_CPUS], switches[MODEL_CPUS];
	struct truth truth[MAX_WAITS];
	u32 nr_truth;
	u32 wait[NR_TASKS];		/* 1 + index in truth while it is off its CPU */
	u32 on[MODEL_CPUS];		/* 1 + task */
	u64 end;
	/* what is to be given to the join with its stack, later */
	struct told later[MAX_WAITS];
	u32 nr_later;
	u32 nr_told, nr_lost;
	bool wrong;
};

static u32 below(u32 most)
{
	return random() % most;
}

static void tell(struct ring *ring, u64 time, u32 task, u32 what)
{
	ring->told[ring->nr++] = (struct told) { time, FIRST_TID + task, what };
}

static void leave(struct model *model, u32 cpu, u64 time)
{
	struct truth *truth = &model->truth[model->nr_truth++];
	u32 task = model->on[cpu] - 1;

	*truth = (struct truth) {
		.time = time, .tid = FIRST_TID + task, .preempted = !below(3), .told = true,
	};
	model->wait[task] = model->nr_truth;
	model->on[cpu] = 0;
	tell(&model->samples[cpu], time, task, IS_SAMPLE);
	tell(&model->switches[cpu], time + 1, task, truth->preempted ? MISC_PREEMPTED : MISC_OUT);
}

static void come(struct model *model, u32 cpu, u64 time)
{
	u32 task = below(NR_TASKS);

	for (u32 i = 0; i < MODEL_CPUS; i++) {
		if (model->on[i] == task + 1)
			return;
	}
	if (model->wait[task])
		model->truth[model->wait[task] - 1].until = time;
	model->wait[task] = 0;
	model->on[cpu] = task + 1;
	tell(&model->switches[cpu], time, task, MISC_IN);
}

static void run_model(struct model *model)
{
	u64 time = 1000;

	for (u32 i = 0; i < NR_STEPS; i++) {
		u32 cpu = below(MODEL_CPUS);

		time += 10 + below(900);
		if (model->on[cpu])
			leave(model, cpu, time);
		if (below(4))
			come(model, cpu, time + 3);
	}
	model->end = time + 1000;
}

static int take_joined(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct model *model = ctx;

	(void)stack;
	for (u32 i = 0; i < model->nr_truth; i++) {
		struct truth *truth = &model->truth[i];
		u64 until = truth->until ? truth->until : model->end;

		if (truth->time != sample->time - sample->period || truth->tid != sample->tid)
			continue;
		if (truth->seen++ || truth->preempted || sample->time != until)
			model->wrong = true;
		return 0;
	}
	model->wrong = true;
	return 0;
}

static void lose_sample(struct model *model, const struct told *told)
{
	for (u32 i = 0; i < model->nr_truth; i++) {
		if (model->truth[i].time == told->time && model->truth[i].tid == told->tid)
			model->truth[i].told = false;
	}
}

static int read_samples(struct model *model, struct lw_off_cpu *oc, u32 cpu, u64 until, bool lossy)
{
	struct ring *ring = &model->samples[cpu];
	int ret = 0;

	for (; !ret && ring->read < ring->nr && ring->told[ring->read].time < until; ring->read++) {
		const struct told *told = &ring->told[ring->read];

		if (lossy && !below(20)) {
			lose_sample(model, told);
			continue;
		}
		model->nr_told++;
		ret = out(oc, told->tid, told->time);
		model->later[model->nr_later++] = *told;
	}
	return ret;
}

/* Return: some were lost. */
static bool read_switches(struct model *model, struct lw_off_cpu *oc, u32 cpu, u64 until,
			  bool lossy)
{
	struct ring *ring = &model->switches[cpu];
	u32 from = ring->read, lost_from, nr = 0;

	while (from + nr < ring->nr && ring->told[from + nr].time < until)
		nr++;
	lost_from = lossy && nr > 3 && !below(10) ? from + 1 + below(nr - 1) : from + nr;
	for (; ring->read < from + nr; ring->read++) {
		const struct told *told = &ring->told[ring->read];

		if (ring->read < lost_from)
			switched(oc, told->tid, told->time, told->what);
	}
	return lost_from < from + nr;
}

/* Some of those that wait get their stacks, in any order. */
static int give_stacks(struct model *model, struct lw_off_cpu *oc, bool all)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < model->nr_later;) {
		struct told told = model->later[i];

		if (!all && below(3)) {
			i++;
			continue;
		}
		model->later[i] = model->later[--model->nr_later];
		ret = with_stack(oc, told.tid, told.time);
	}
	return ret;
}

static int read_all(struct model *model, struct lw_off_cpu *oc, bool lossy)
{
	u64 before = 0, now = 0;
	int ret = 0;

	while (!ret && now < model->end) {
		bool lost = false;

		before = now;
		now += 100 + below(20000);
		for (u32 i = 0; i < MODEL_CPUS; i++)
			ret |= read_samples(model, oc, i, now + below(500), lossy);
		for (u32 i = 0; i < MODEL_CPUS; i++)
			lost |= read_switches(model, oc, i, now + 500 + below(500), lossy);
		if (lost)
			ret |= lw_off_cpu_gap(oc, before, now + 1000);
		ret |= lw_off_cpu_advance(oc, now);
		ret |= give_stacks(model, oc, false);
	}
	return ret ? ret : give_stacks(model, oc, true);
}

static bool all_are_seen(const struct model *model)
{
	for (u32 i = 0; i < model->nr_truth; i++) {
		const struct truth *truth = &model->truth[i];

		if (truth->seen != (truth->told && !truth->preempted))
			return false;
	}
	return true;
}

static bool runs_as_the_model(u32 seed, bool lossy, bool *lost)
{
	struct model *model = calloc(1, sizeof(*model));
	struct lw_off_cpu *oc = lw_off_cpu_new(64 << 20, take_joined, model);
	const struct lw_off_cpu_stats *stats = lw_off_cpu_stats(oc);

	srandom(seed);
	run_model(model);
	CHECK(!read_all(model, oc, lossy));
	CHECK(!lw_off_cpu_finish(oc, model->end));
	CHECK(!model->wrong);
	CHECK(stats->blocked + stats->preempted + stats->lost == model->nr_told);
	CHECK(stats->blocked > NR_STEPS / 10 && stats->preempted > NR_STEPS / 20);
	CHECK(lossy || (!stats->lost && all_are_seen(model)));
	*lost |= stats->lost;
	lw_off_cpu_free(oc);
	free(model);
	return true;
}

static bool any_order_gives_the_time_of_the_model(void)
{
	bool lost = false;

	for (u32 seed = 1; seed <= 30; seed++)
		CHECK(runs_as_the_model(seed, false, &lost));
	CHECK(!lost);
	return true;
}

static bool losses_give_no_wrong_time(void)
{
	bool lost = false;

	for (u32 seed = 1; seed <= 30; seed++)
		CHECK(runs_as_the_model(seed, true, &lost));
	CHECK(lost);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(blocked_is_from_out_to_in),
		TEST(tracer_is_left_out),
		TEST(preempted_is_not_blocked),
		TEST(missing_links_are_lost_not_guessed),
		TEST(gap_takes_those_off_cpu_only),
		TEST(late_records_are_a_gap),
		TEST(end_ends_those_that_are_blocked),
		TEST(kernel_threads_and_ending_tasks_are_left_out),
		TEST(odd_records_are_passed_over),
		TEST(late_stacks_do_not_bring_old_times),
		TEST(memory_is_bounded),
		TEST(any_order_gives_the_time_of_the_model),
		TEST(losses_give_no_wrong_time),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
