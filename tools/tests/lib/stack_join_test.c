// SPDX-License-Identifier: GPL-2.0
/*
 * stack_join_test.c - samples and stacks find each other, whatever their order.
 */
#include <string.h>

#include "private.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

struct seen {
	u32 samples;
	u32 with_stack;
	u64 last_time;
	bool ordered;
	u64 last_frame;
};

static int see(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct seen *seen = ctx;

	seen->samples++;
	seen->with_stack += !!stack;
	seen->ordered = seen->ordered && sample->time >= seen->last_time;
	seen->last_time = sample->time;
	seen->last_frame = 0;
	if (stack)
		for (struct latewind_frame frame = latewind_frames(stack);
		     latewind_frame_next(&frame);)
			seen->last_frame = frame.ip;
	return 0;
}

static void add_sample(struct latewind_stack_join *join, u64 counter, u32 cpu, u64 time)
{
	struct lw_sample sample = {
		.record = { .len = sizeof(sample), .type = LW_RECORD_SAMPLE },
		.cookie = { .counter = counter, .cpu = cpu },
		.time = time,
		.user = counter ? LW_USER_PENDING : LW_USER_KTHREAD,
	};

	latewind_stack_join_sample(join, &sample);
}

static void add_stack(struct latewind_stack_join *join, u64 counter, u32 cpu)
{
	u64 frames[2] = { 0, counter * 100 + cpu };
	union made_stack made = { .stack = {
		.cookie = { .counter = counter, .cpu = cpu },
		.end = LW_END_OUTERMOST,
	} };

	set_frames(&made, frames, 2);
	latewind_stack_join_stack(join, &made.stack);
}

static struct seen emit(struct latewind_stack_join *join)
{
	struct seen seen = { .ordered = true };

	latewind_stack_join_emit(join, see, &seen);
	return seen;
}

static bool stack_after_sample_joins(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct seen seen;

	add_sample(join, 1, 0, 10);
	CHECK(emit(join).samples == 0);
	CHECK(latewind_stack_join_pending(join) == 1);
	add_stack(join, 1, 0);
	seen = emit(join);
	CHECK(seen.samples == 1 && seen.with_stack == 1 && seen.last_frame == 100);
	CHECK(latewind_stack_join_pending(join) == 0);
	latewind_stack_join_free(join);
	return true;
}

static bool stack_before_sample_joins(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct seen seen;

	add_stack(join, 7, 3);
	latewind_stack_join_pass(join, true);
	add_sample(join, 7, 3, 10);
	seen = emit(join);
	CHECK(seen.samples == 1 && seen.with_stack == 1 && seen.last_frame == 703);
	latewind_stack_join_free(join);
	return true;
}

static bool samples_of_one_cookie_share_the_stack(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct seen seen;

	add_sample(join, 1, 0, 30);
	add_sample(join, 1, 0, 20);
	add_stack(join, 1, 0);
	add_sample(join, 1, 0, 10);
	seen = emit(join);
	CHECK(seen.samples == 3 && seen.with_stack == 3);
	CHECK(seen.ordered);
	latewind_stack_join_free(join);
	return true;
}

static bool cookies_of_two_cpus_differ(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);

	add_sample(join, 5, 0, 1);
	add_stack(join, 5, 1);
	CHECK(emit(join).samples == 0);
	add_stack(join, 5, 0);
	CHECK(emit(join).with_stack == 1);
	latewind_stack_join_free(join);
	return true;
}

static bool stack_is_kept_for_some_whole_passes(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	unsigned int i;

	add_sample(join, 1, 0, 1);
	add_stack(join, 1, 0);
	add_stack(join, 2, 0);
	for (i = 0; i < KEEP_PASSES; i++)
		latewind_stack_join_pass(join, true);
	for (i = 0; i < 2 * KEEP_PASSES; i++)
		latewind_stack_join_pass(join, false);	/* a ring was blocked */
	CHECK(latewind_stack_join_stats(join)->orphans == 0);
	add_sample(join, 1, 0, 2);		/* later than its stack */
	CHECK(emit(join).with_stack == 2);
	latewind_stack_join_pass(join, true);
	CHECK(latewind_stack_join_stats(join)->orphans == 1);
	add_sample(join, 1, 0, 3);
	CHECK(latewind_stack_join_pending(join) == 1);
	latewind_stack_join_free(join);
	return true;
}

static bool sample_without_a_cookie_is_ready_at_once(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct seen seen;

	add_sample(join, 0, 0, 1);
	seen = emit(join);
	CHECK(seen.samples == 1 && seen.with_stack == 0);
	latewind_stack_join_free(join);
	return true;
}

static bool second_stack_of_a_cookie_is_dropped(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);

	add_sample(join, 1, 0, 1);
	add_stack(join, 1, 0);
	add_stack(join, 1, 0);
	CHECK(emit(join).samples == 1);
	CHECK(latewind_stack_join_stats(join)->duplicates == 1);
	latewind_stack_join_free(join);
	return true;
}

static bool memory_stays_below_its_limit(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(64 * 1024);
	struct seen seen;

	for (u64 i = 1; i <= 100000; i++)
		add_sample(join, i, 0, i);
	CHECK(latewind_stack_join_pending(join) < 1000);
	CHECK(latewind_stack_join_stats(join)->evicted + latewind_stack_join_pending(join) ==
	      100000);
	seen = emit(join);
	CHECK(seen.samples == latewind_stack_join_stats(join)->evicted && !seen.with_stack);
	CHECK(seen.last_time < 100000);
	latewind_stack_join_free(join);
	return true;
}

/* One call into the kernel that does not end, hit all the time. */
static bool memory_of_one_cookie_stays_below_its_limit(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(64 * 1024);

	for (u64 i = 1; i <= 100000; i++) {
		add_sample(join, 1, 0, i);
		if (!(i % 1000))
			emit(join);
	}
	CHECK(latewind_stack_join_pending(join) < 1000);
	CHECK(latewind_stack_join_stats(join)->evicted + latewind_stack_join_pending(join) ==
	      100000);
	emit(join);
	add_stack(join, 1, 0);
	CHECK(emit(join).with_stack == 100000 - latewind_stack_join_stats(join)->evicted);
	latewind_stack_join_free(join);
	return true;
}

static bool stack_after_its_sample_was_given_up_is_an_orphan(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);

	add_sample(join, 1, 0, 1);
	latewind_stack_join_give_up(join);
	CHECK(latewind_stack_join_pending(join) == 0);
	CHECK(emit(join).with_stack == 0);
	latewind_stack_join_free(join);
	return true;
}

/* Who looks for the oldest waits for those that have an age. */
static bool ageless_samples_keep_nobody_waiting(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct lw_sample sample = {
		.record = { .len = sizeof(sample), .type = LW_RECORD_SAMPLE },
		.cookie = { .counter = 1 }, .time = 10,
	};
	struct seen seen;

	CHECK(join && !latewind_stack_join_sample_ageless(join, &sample));
	CHECK(latewind_stack_join_pending(join) == 1 && latewind_stack_join_oldest(join) == ~0ULL);
	/* of one cookie with one that has an age */
	add_sample(join, 1, 0, 30);
	add_sample(join, 2, 0, 40);
	CHECK(latewind_stack_join_oldest(join) == 30);
	add_stack(join, 1, 0);
	CHECK(latewind_stack_join_oldest(join) == 40);
	add_stack(join, 2, 0);
	CHECK(latewind_stack_join_oldest(join) == ~0ULL);
	seen = emit(join);
	CHECK(seen.samples == 3 && seen.with_stack == 3);
	latewind_stack_join_free(join);
	return true;
}

static int stop_at_first(void *ctx, const struct lw_sample *sample,
			 const struct lw_user_stack *stack)
{
	(void)sample;
	(void)stack;
	++*(int *)ctx;
	return 7;
}

static bool what_was_not_taken_stays(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	int nr = 0;

	add_sample(join, 1, 0, 10);
	add_sample(join, 1, 0, 20);
	add_stack(join, 1, 0);
	CHECK(latewind_stack_join_emit(join, stop_at_first, &nr) == 7 && nr == 1);
	CHECK(emit(join).with_stack == 1 && emit(join).samples == 0);
	latewind_stack_join_free(join);
	return true;
}

/* A later module's records have more behind what is known; the copies say what they have. */
static int is_cut(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	*(bool *)ctx = sample->record.len == latewind_sample_size(sample) &&
		       stack->record.len == latewind_stack_size(stack);
	return 0;
}

static bool copies_have_their_own_length(void)
{
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	struct { struct lw_sample sample; u64 more; } hit = {
		.sample = { .record = { .len = sizeof(hit), .type = LW_RECORD_SAMPLE },
			    .user = LW_USER_PENDING, .cookie.counter = 1 },
	};
	struct { struct lw_user_stack stack; u64 more; } walk = {
		.stack = { .record = { .len = sizeof(walk), .type = LW_RECORD_USER_STACK },
			   .cookie.counter = 1 },
	};
	bool cut = false;

	CHECK(latewind_sample_valid(&hit.sample.record) &&
	      latewind_stack_valid(&walk.stack.record));
	CHECK(!latewind_stack_join_sample(join, &hit.sample) &&
	      !latewind_stack_join_stack(join, &walk.stack));
	CHECK(!latewind_stack_join_emit(join, is_cut, &cut) && cut);
	latewind_stack_join_free(join);
	return true;
}

static int see_cgroup(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	(void)stack;
	*(u64 *)ctx = latewind_sample_cgroup(sample);
	return 0;
}

static bool what_is_behind_the_kernel_stack_is_kept(void)
{
	union {
		struct lw_sample sample;
		u64 words[sizeof(struct lw_sample) / 8 + 3];
	} hit = { .sample = {
		.record = { .flags = LW_SAMPLE_CGROUP, .len = sizeof(hit) },
		.cookie = { .counter = 1 },
		.nr_kernel = 2,
	} };
	struct latewind_stack_join *join = latewind_stack_join_new(1 << 20);
	u64 cgroup = 0;

	CHECK(join);
	hit.sample.kernel[0] = 11;
	hit.sample.kernel[1] = 12;
	hit.sample.kernel[2] = 77;
	CHECK(latewind_sample_size(&hit.sample) == sizeof(hit) &&
	      !latewind_stack_join_sample(join, &hit.sample));
	add_stack(join, 1, 0);
	CHECK(!latewind_stack_join_emit(join, see_cgroup, &cgroup) && cgroup == 77);
	latewind_stack_join_free(join);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(stack_after_sample_joins),
		TEST(stack_before_sample_joins),
		TEST(samples_of_one_cookie_share_the_stack),
		TEST(cookies_of_two_cpus_differ),
		TEST(stack_is_kept_for_some_whole_passes),
		TEST(sample_without_a_cookie_is_ready_at_once),
		TEST(second_stack_of_a_cookie_is_dropped),
		TEST(memory_stays_below_its_limit),
		TEST(memory_of_one_cookie_stays_below_its_limit),
		TEST(stack_after_its_sample_was_given_up_is_an_orphan),
		TEST(what_is_behind_the_kernel_stack_is_kept),
		TEST(ageless_samples_keep_nobody_waiting),
		TEST(what_was_not_taken_stays),
		TEST(copies_have_their_own_length),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
