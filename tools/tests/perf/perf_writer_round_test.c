// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_round_test.c - nothing stands behind a mark that perf has passed by then,
 * however late stacks come.
 */
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/perf_writer.h"
#include "record/off_cpu_join.h"
#include "tests/tap.h"

#define FINISHED_ROUND	68
#define EVENT		0x1000000000000ULL
#define PASSES		2000
#define PASS_NS		1000000ULL
#define MAX_WAITING	4096
#define FILE_SIZE_MAX	(64UL << 20)
#define TASKS		20

static char dir[32] = "/tmp/lw-round-XXXXXX";
static char path[64];
static u64 seed;

static u64 random_below(u64 limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

struct waiting {
	u64 counter;
	u32 pass;	/* that its stack comes in */
};

struct run {
	struct lw_perf_writer out;
	struct latewind_stack_join *stack_join;
	struct waiting waiting[MAX_WAITING];
	u32 nr_waiting;
	u64 counter;
	u64 samples;
	u32 most_delay;
};

static void take_sample(struct run *run, u32 pass, u64 time)
{
	struct lw_sample sample = {
		.record = { .len = sizeof(sample), .type = LW_RECORD_SAMPLE,
			    .flags = LW_SAMPLE_USER_IP },
		.cookie = { .counter = ++run->counter },
		.time = time,
		.ip = 0x1000,
		.period = 1,
		.pid = 1,
		.tid = 1,
		.user = LW_USER_PENDING,
	};
	bool waits = run->most_delay && random_below(4) && run->nr_waiting < MAX_WAITING;

	run->samples++;
	if (!waits)
		sample.user = LW_USER_KTHREAD;
	else
		run->waiting[run->nr_waiting++] = (struct waiting){
			.counter = run->counter,
			.pass = pass + random_below(random_below(50) ? 3 : run->most_delay),
		};
	latewind_stack_join_sample(run->stack_join, &sample);
}

static void take_stacks(struct run *run, u32 pass)
{
	for (u32 i = 0; i < run->nr_waiting;) {
		struct lw_user_stack stack = {
			.record = { .len = sizeof(stack), .type = LW_RECORD_USER_STACK },
			.cookie = { .counter = run->waiting[i].counter },
			.end = LW_END_OUTERMOST,
		};

		if (run->waiting[i].pass > pass) {
			i++;
			continue;
		}
		latewind_stack_join_stack(run->stack_join, &stack);
		run->waiting[i] = run->waiting[--run->nr_waiting];
	}
}

static int write_sample(void *ctx, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	return lw_perf_writer_sample(ctx, EVENT, sample, stack);
}

/* A pass reads all that hit since the one before, as the recorder does. */
static void do_pass(struct run *run, u32 pass)
{
	u64 begin = pass * PASS_NS, since;

	for (u64 nr = random_below(8); nr; nr--)
		take_sample(run, pass, begin + 1 + random_below(PASS_NS - 1));
	take_stacks(run, pass);
	latewind_stack_join_pass(run->stack_join, true);
	latewind_stack_join_emit(run->stack_join, write_sample, &run->out);
	since = latewind_stack_join_oldest(run->stack_join);
	lw_perf_writer_round(&run->out, since < begin + PASS_NS ? since : begin + PASS_NS);
}

static bool write_run(u32 most_delay, u64 *samples)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
	};
	struct run *run = calloc(1, sizeof(*run));
	const u64 id = EVENT;

	CHECK(run);
	run->most_delay = most_delay;
	run->stack_join = latewind_stack_join_new(64 << 20);
	CHECK(run->stack_join && !lw_perf_writer_open(&run->out, path));
	CHECK(!lw_perf_writer_add_event(&run->out, "cpu-clock", &attr, &id, 1));
	CHECK(!lw_perf_writer_begin(&run->out, 0, NULL));
	for (u32 pass = 1; pass <= PASSES; pass++)
		do_pass(run, pass);
	latewind_stack_join_give_up(run->stack_join);
	latewind_stack_join_emit(run->stack_join, write_sample, &run->out);
	CHECK(!lw_perf_writer_finish(&run->out));
	CHECK(run->out.late == 0);
	lw_perf_writer_close(&run->out);
	latewind_stack_join_free(run->stack_join);
	*samples = run->samples;
	free(run);
	return true;
}

struct seen {
	u64 samples, marks;
	u64 newest, round_end, handed_out;
	u64 most_held, held;	/* samples since the mark before the last */
	u64 too_old;
};

static void see_record(struct seen *seen, const struct perf_event_header *record)
{
	u64 time;

	if (record->type == FINISHED_ROUND) {
		seen->marks++;
		seen->handed_out = seen->round_end;
		seen->round_end = seen->newest;
		seen->held = 0;
		return;
	}
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	/* identifier, ip, pid and tid, time */
	memcpy(&time, (const u8 *)(record + 1) + 24, sizeof(time));
	seen->samples++;
	seen->too_old += time < seen->handed_out;
	if (time > seen->newest)
		seen->newest = time;
	if (++seen->held > seen->most_held)
		seen->most_held = seen->held;
}

static bool read_run(struct seen *seen)
{
	u8 *bytes = malloc(FILE_SIZE_MAX);
	FILE *file = fopen(path, "re");
	u64 data[2];
	size_t size;

	CHECK(bytes && file);
	size = fread(bytes, 1, FILE_SIZE_MAX, file);
	fclose(file);
	memset(seen, 0, sizeof(*seen));
	CHECK(size > 104 && size < FILE_SIZE_MAX);
	/* behind magic, sizes and the section of attributes */
	memcpy(data, bytes + 40, sizeof(data));
	CHECK(data[0] + data[1] <= size);
	for (u64 at = data[0]; at < data[0] + data[1];) {
		const struct perf_event_header *record = (const void *)(bytes + at);

		CHECK(record->size >= sizeof(*record));
		see_record(seen, record);
		at += record->size;
	}
	free(bytes);
	return true;
}

static bool late_stacks_never_stand_behind_a_mark(void)
{
	struct seen seen;
	u64 samples;

	for (u64 run = 1; run <= 40; run++) {
		seed = run * 7919;
		CHECK(write_run(200, &samples));
		CHECK(read_run(&seen));
		CHECK(seen.samples == samples);
		CHECK(seen.too_old == 0);
		CHECK(seen.marks > 10);
	}
	return true;
}

/* What perf has to hold is that of a few passes, not the whole. */
static bool marks_come_often_when_stacks_do(void)
{
	struct seen seen;
	u64 samples;

	seed = 1;
	CHECK(write_run(0, &samples));
	CHECK(read_run(&seen));
	CHECK(seen.samples == samples && seen.too_old == 0);
	CHECK(seen.marks > PASSES / 2);
	CHECK(seen.most_held < 4 * 8);
	return true;
}

/* Tasks that are blocked, some for as long as it is recorded. */
struct blocked_run {
	struct lw_perf_writer out;
	struct latewind_stack_join *stack_join;
	struct lw_off_cpu *join;
	struct task {
		u64 until;		/* pass in which it comes back; 0: it runs */
		u64 stack;		/* pass in which its call ends */
		u64 cookie;
	} tasks[TASKS];
	u64 waits;
};

static void put_switch(struct blocked_run *run, u32 task, u64 time, u32 misc)
{
	struct {
		struct perf_event_header header;
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_SWITCH, misc, sizeof(record) },
		.id = { .pid = task + 1, .tid = task + 1, .time = time },
	};

	lw_off_cpu_record(run->join, &record.header);
}

/* All waits of a call have its cookie; task 0 is in one for ever, with many. */
static void leave_cpu(struct blocked_run *run, u32 task, u32 pass, u64 time)
{
	struct task *it = &run->tasks[task];
	struct lw_sample sample = {
		.record = { .len = sizeof(sample), .type = LW_RECORD_SAMPLE },
		.time = time, .ip = 0x1000, .period = 1, .pid = task + 1, .tid = task + 1,
		.user = LW_USER_PENDING,
	};

	if (!it->cookie)
		it->cookie = task + 1 + TASKS * (u64)pass;
	sample.cookie.counter = it->cookie;
	it->until = pass + 1 + random_below(task == 1 ? 10 * PASSES : task % 3 ? 3 : 300);
	it->stack = task ? it->until + random_below(2) * random_below(50) : 10 * PASSES;
	run->waits++;
	lw_off_cpu_out(run->join, &sample);
	latewind_stack_join_sample_ageless(run->stack_join, &sample);
	put_switch(run, task, time + 1, PERF_RECORD_MISC_SWITCH_OUT);
}

static void do_task(struct blocked_run *run, u32 task, u32 pass)
{
	u64 time = pass * PASS_NS + 1 + random_below(PASS_NS / 2);
	struct task *it = &run->tasks[task];
	struct lw_user_stack stack = {
		.record = { .len = sizeof(stack), .type = LW_RECORD_USER_STACK },
		.end = LW_END_OUTERMOST,
	};

	if (it->until > pass)
		return;
	if (it->until) {
		put_switch(run, task, time, 0);
		it->until = 0;
	}
	if (it->cookie && it->stack <= pass) {
		stack.cookie.counter = it->cookie;
		latewind_stack_join_stack(run->stack_join, &stack);
		it->cookie = 0;
	}
	if (random_below(2))
		leave_cpu(run, task, pass, time + 10);
}

static int write_joined(void *ctx, const struct lw_sample *sample,
			const struct lw_user_stack *stack)
{
	struct blocked_run *run = ctx;

	return lw_perf_writer_sample(&run->out, EVENT, sample, stack);
}

static int join(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct blocked_run *run = ctx;

	return lw_off_cpu_sample(run->join, sample, stack);
}

static void do_blocked_pass(struct blocked_run *run, u32 pass)
{
	u64 end = (pass + 1) * PASS_NS, since;

	for (u32 task = 0; task < TASKS; task++)
		do_task(run, task, pass);
	lw_off_cpu_advance(run->join, end);
	latewind_stack_join_pass(run->stack_join, true);
	latewind_stack_join_emit(run->stack_join, join, run);
	since = latewind_stack_join_oldest(run->stack_join);
	if (lw_off_cpu_since(run->join) < since)
		since = lw_off_cpu_since(run->join);
	lw_perf_writer_round(&run->out, since);
	lw_off_cpu_not_before(run->join, run->out.handed_out);
}

static bool write_blocked_run(u64 *waits)
{
	struct blocked_run *run = calloc(1, sizeof(*run));

	CHECK(run);
	run->stack_join = latewind_stack_join_new(64 << 20);
	run->join = lw_off_cpu_new(64 << 20, write_joined, run);
	CHECK(run->stack_join && run->join && !lw_perf_writer_open(&run->out, path));
	CHECK(!lw_perf_writer_begin(&run->out, 0, NULL));
	for (u32 pass = 1; pass <= PASSES; pass++)
		do_blocked_pass(run, pass);
	latewind_stack_join_give_up(run->stack_join);
	latewind_stack_join_emit(run->stack_join, join, run);
	CHECK(!lw_off_cpu_finish(run->join, (PASSES + 1) * PASS_NS));
	CHECK(!lw_perf_writer_finish(&run->out));
	CHECK(run->out.late == 0 && lw_off_cpu_stats(run->join)->lost == 0);
	CHECK(lw_off_cpu_stats(run->join)->blocked == run->waits);
	*waits = run->waits;
	lw_perf_writer_close(&run->out);
	lw_off_cpu_free(run->join);
	latewind_stack_join_free(run->stack_join);
	free(run);
	return true;
}

static bool blocked_tasks_do_not_hold_back_marks(void)
{
	struct seen seen;
	u64 waits;

	for (u64 i = 1; i <= 10; i++) {
		seed = i * 104729;
		CHECK(write_blocked_run(&waits) && read_run(&seen));
		CHECK(seen.samples == waits && seen.too_old == 0);
		CHECK(seen.marks > PASSES * 3 / 4 && seen.most_held < 200);
	}
	return true;
}

static bool a_mark_waits_for_what_is_older(void)
{
	struct lw_perf_writer out;
	struct lw_sample sample = { .time = 100 };
	u64 pos;

	CHECK(!lw_perf_writer_open(&out, path));
	CHECK(!lw_perf_writer_begin(&out, 0, NULL));
	pos = out.pos;
	CHECK(!lw_perf_writer_round(&out, 50) &&
	      out.pos == pos);	/* nothing since the last one */
	CHECK(!lw_perf_writer_sample(&out, EVENT, &sample, NULL));
	pos = out.pos;
	CHECK(!lw_perf_writer_round(&out, 50) && out.pos == pos + 8);
	sample.time = 200;
	CHECK(!lw_perf_writer_sample(&out, EVENT, &sample, NULL));
	pos = out.pos;
	CHECK(!lw_perf_writer_round(&out, 99) && out.pos == pos);
	CHECK(!lw_perf_writer_round(&out, 100) && out.pos == pos + 8);
	/* whose time is about right only is moved */
	CHECK(!lw_perf_writer_lost(&out, EVENT, 0, 1, 1));
	CHECK(out.late == 0);
	sample.time = 99;
	CHECK(!lw_perf_writer_sample(&out, EVENT, &sample, NULL) && out.late == 1);
	lw_perf_writer_close(&out);
	return true;
}

static bool perf_finds_nothing_out_of_order(void)
{
	char command[256], text[16] = "";
	u64 samples;
	FILE *pipe;

	if (system("perf --version >/dev/null 2>&1"))
		return true;
	seed = 4711;
	CHECK(write_run(200, &samples));
	snprintf(command, sizeof(command), "perf report --stdio -i %s 2>&1 | grep -c %s", path,
		 "'out of order'");
	pipe = popen(command, "r");
	CHECK(pipe && fgets(text, sizeof(text), pipe));
	pclose(pipe);
	CHECK(atoi(text) == 0);
	snprintf(command, sizeof(command), "perf script -F time -i %s | sort -c -n", path);
	CHECK(!system(command));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(a_mark_waits_for_what_is_older),
		TEST(late_stacks_never_stand_behind_a_mark),
		TEST(marks_come_often_when_stacks_do),
		TEST(blocked_tasks_do_not_hold_back_marks),
		TEST(perf_finds_nothing_out_of_order),
	};
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/data", dir);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(path);
	snprintf(path, sizeof(path), "%s/data.old", dir);
	unlink(path);
	rmdir(dir);
	return ret;
}
