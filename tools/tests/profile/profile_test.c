// SPDX-License-Identifier: GPL-2.0
/*
 * profile_test.c - each string, frame and stack is kept once, and samples add up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/tap.h"

static u32 add_frame(struct lw_profile *profile, const char *function, u64 address)
{
	struct lw_profile_frame frame = {
		.function = lw_profile_add_string(profile, function),
		.dso = lw_profile_add_string(profile, "/bin/a"),
		.file = LW_PROFILE_NONE,
		.address = address,
	};

	return lw_profile_add_frame(profile, &frame);
}

static struct lw_profile_key make_key(struct lw_profile *profile, const char *comm, u32 tid)
{
	return (struct lw_profile_key) {
		.event = lw_profile_add_string(profile, "cpu-clock"),
		.comm = lw_profile_add_string(profile, comm),
		.pid = 1, .tid = tid, .cgroup = LW_PROFILE_NONE,
	};
}

static bool same_string_has_one_number(void)
{
	struct lw_profile *profile = lw_profile_new();
	char copy[] = "main";
	u32 main = lw_profile_add_string(profile, copy), other;

	CHECK(main == 0 && lw_profile_add_string(profile, "main") == main);
	other = lw_profile_add_string(profile, "mai");
	CHECK(other == 1 && lw_profile_add_string(profile, "") == 2);
	copy[0] = 'x';
	CHECK(!strcmp(lw_profile_string(profile, main), "main"));
	CHECK(!strcmp(lw_profile_string(profile, 2), ""));
	CHECK(lw_profile_nr_strings(profile) == 3);
	lw_profile_free(profile);
	return true;
}

static bool frames_differ_in_every_field(void)
{
	struct lw_profile *profile = lw_profile_new();
	struct lw_profile_frame frame, first;

	lw_profile_add_string(profile, "a");
	lw_profile_add_string(profile, "b");
	/* what is between the fields is no part of the frame */
	memset(&frame, 0x5a, sizeof(frame));
	frame = (struct lw_profile_frame) { .file = LW_PROFILE_NONE };
	memset(&first, 0xa5, sizeof(first));
	first.address = 0;
	first.function = 0;
	first.dso = 0;
	first.file = LW_PROFILE_NONE;
	first.line = 0;
	first.kind = LW_FRAME_USER;
	first.inlined = false;
	CHECK(lw_profile_add_frame(profile, &frame) == 0);
	CHECK(lw_profile_add_frame(profile, &first) == 0);
	frame.address = 1;
	CHECK(lw_profile_add_frame(profile, &frame) == 1);
	frame.function = 1;
	CHECK(lw_profile_add_frame(profile, &frame) == 2);
	frame.dso = 1;
	CHECK(lw_profile_add_frame(profile, &frame) == 3);
	frame.file = 0;
	CHECK(lw_profile_add_frame(profile, &frame) == 4);
	frame.line = 7;
	CHECK(lw_profile_add_frame(profile, &frame) == 5);
	frame.kind = LW_FRAME_KERNEL;
	CHECK(lw_profile_add_frame(profile, &frame) == 6);
	frame.inlined = true;
	CHECK(lw_profile_add_frame(profile, &frame) == 7);
	CHECK(lw_profile_frame(profile, 7)->inlined && !lw_profile_frame(profile, 6)->inlined);
	CHECK(lw_profile_nr_frames(profile) == 8);
	lw_profile_free(profile);
	return true;
}

static bool stack_is_its_frames_in_their_order(void)
{
	struct lw_profile *profile = lw_profile_new();
	u32 a = add_frame(profile, "a", 1), b = add_frame(profile, "b", 2), nr;
	u32 ab[] = { a, b }, ba[] = { b, a };
	u32 stack = lw_profile_add_stack(profile, ab, 2);
	const u32 *frames;

	CHECK(stack == 0 && lw_profile_add_stack(profile, ba, 2) == 1);
	CHECK(lw_profile_add_stack(profile, ab, 1) == 2);
	CHECK(lw_profile_add_stack(profile, NULL, 0) == 3);
	CHECK(lw_profile_add_stack(profile, ba, 0) == 3);
	CHECK(lw_profile_add_stack(profile, (u32[]){ a, b }, 2) == stack);
	ab[0] = b;
	frames = lw_profile_stack(profile, stack, &nr);
	CHECK(nr == 2 && frames[0] == a && frames[1] == b);
	lw_profile_stack(profile, 3, &nr);
	CHECK(nr == 0 && lw_profile_nr_stacks(profile) == 4);
	lw_profile_free(profile);
	return true;
}

static bool samples_of_one_key_and_stack_add_up(void)
{
	struct lw_profile *profile = lw_profile_new();
	u32 frame = add_frame(profile, "a", 1);
	u32 stack = lw_profile_add_stack(profile, &frame, 1);
	u32 empty = lw_profile_add_stack(profile, NULL, 0);
	struct lw_profile_key key = make_key(profile, "x", 5), other = make_key(profile, "x", 6);
	const struct lw_profile_entry *entry;

	CHECK(!lw_profile_add_sample(profile, &key, stack, 10, 1, 0));
	entry = lw_profile_entry(profile, 0);
	CHECK(!lw_profile_add_sample(profile, &other, stack, 7, 1, 0));
	CHECK(!lw_profile_add_sample(profile, &key, empty, 1, 1, 0));
	CHECK(!lw_profile_add_sample(profile, &key, stack, 5, 2, 1));
	CHECK(lw_profile_nr_entries(profile) == 3);
	CHECK(entry->samples == 2 && entry->weight == 15 && entry->key.tid == 5);
	CHECK(lw_profile_entry(profile, 1)->weight == 7);
	CHECK(lw_profile_entry(profile, 2)->stack == empty);
	CHECK(lw_profile_nr_samples(profile) == 0);
	/* a weight that does not fit stays the largest */
	CHECK(!lw_profile_add_sample(profile, &key, stack, ~0ULL, 3, 0));
	CHECK(entry->weight == ~0ULL && entry->samples == 3);
	lw_profile_free(profile);
	return true;
}

/* So a caller need not look at each step's result: the last one tells. */
static bool what_was_not_added_cannot_be_used(void)
{
	struct lw_profile *profile = lw_profile_new();
	struct lw_profile_frame frame = { .function = LW_PROFILE_NONE, .file = LW_PROFILE_NONE };
	u32 none[] = { LW_PROFILE_NONE };
	struct lw_profile_key key = make_key(profile, "x", 5);

	CHECK(lw_profile_add_frame(profile, &frame) == LW_PROFILE_NONE);
	CHECK(lw_profile_add_stack(profile, none, 1) == LW_PROFILE_NONE);
	CHECK(lw_profile_add_sample(profile, &key, LW_PROFILE_NONE, 1, 1, 0) == -ENOMEM);
	lw_profile_add_stack(profile, NULL, 0);
	key.comm = LW_PROFILE_NONE;
	CHECK(lw_profile_add_sample(profile, &key, 0, 1, 1, 0) == -ENOMEM);
	CHECK(lw_profile_nr_entries(profile) == 0);
	lw_profile_free(profile);
	return true;
}

static bool times_are(const struct lw_profile *profile, const u64 *times, size_t nr)
{
	CHECK(lw_profile_nr_samples(profile) == nr);
	for (size_t i = 0; i < nr; i++)
		CHECK(lw_profile_sample(profile, i)->time == times[i]);
	return true;
}

static bool samples_are_in_the_order_of_time(void)
{
	struct lw_profile *profile = lw_profile_new();
	struct lw_profile_key key = make_key(profile, "x", 5);
	u32 stack = lw_profile_add_stack(profile, NULL, 0);
	const struct lw_profile_sample *first;

	lw_profile_keep_times(profile);
	CHECK(!lw_profile_add_sample(profile, &key, stack, 1, 20, 0));
	CHECK(!lw_profile_add_sample(profile, &key, stack, 2, 30, 1));
	first = lw_profile_sample(profile, 0);
	CHECK(times_are(profile, (u64[]){ 20, 30 }, 2));
	CHECK(!lw_profile_add_sample(profile, &key, stack, 3, 10, 2));
	CHECK(!lw_profile_add_sample(profile, &key, stack, 4, 20, 3));
	CHECK(times_are(profile, (u64[]){ 10, 20, 20, 30 }, 4));
	CHECK(lw_profile_sample(profile, 1)->cpu == 0 && lw_profile_sample(profile, 2)->cpu == 3);
	/* sorted again after each that came late, and left alone by the others */
	CHECK(!lw_profile_add_sample(profile, &key, stack, 5, 40, 0));
	CHECK(times_are(profile, (u64[]){ 10, 20, 20, 30, 40 }, 5));
	CHECK(!lw_profile_add_sample(profile, &key, stack, 6, 5, 0));
	CHECK(times_are(profile, (u64[]){ 5, 10, 20, 20, 30, 40 }, 6));
	CHECK(lw_profile_sample(profile, 2) == first && first->weight == 1);
	lw_profile_free(profile);
	return true;
}

/* As many as a long recording has, and a table grows many times. */
#define SAMPLES		1000000
#define STACKS		100000
#define DEPTH		60
#define FUNCTIONS	20000

static bool make_stacks(struct lw_profile *profile, u32 *stacks)
{
	static u32 frames[FUNCTIONS];
	char name[32];

	for (u32 i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		frames[i] = add_frame(profile, name, 0x1000 + 16 * i);
		CHECK(frames[i] == i);
	}
	for (u32 i = 0; i < STACKS; i++) {
		u32 stack[DEPTH];

		for (u32 d = 0; d < DEPTH; d++)
			stack[d] = frames[(i + d * (1 + i / FUNCTIONS)) % FUNCTIONS];
		stacks[i] = lw_profile_add_stack(profile, stack, DEPTH);
		CHECK(stacks[i] == i);
	}
	return true;
}

static bool add_samples(struct lw_profile *profile, const u32 *stacks)
{
	struct lw_profile_key key = make_key(profile, "x", 5);
	u32 stack[DEPTH], nr;

	for (u32 i = 0; i < SAMPLES; i++) {
		u32 number = stacks[i % STACKS];

		/* as a reader does: by its frames */
		memcpy(stack, lw_profile_stack(profile, number, &nr), sizeof(stack));
		CHECK(lw_profile_add_stack(profile, stack, nr) == number);
		CHECK(!lw_profile_add_sample(profile, &key, number, 1, i, 0));
	}
	return true;
}

static bool a_million_samples_add_up(void)
{
	struct lw_profile *profile = lw_profile_new();
	u32 *stacks = calloc(STACKS, sizeof(*stacks));
	u64 begin = lw_now(), samples = 0;
	const char *first;

	first = lw_profile_string(profile, lw_profile_add_string(profile, "function_0"));
	lw_profile_keep_times(profile);
	CHECK(stacks && make_stacks(profile, stacks));
	CHECK(add_samples(profile, stacks));
	printf("# %llu ms\n", (lw_now() - begin) / 1000000);
	CHECK(lw_profile_nr_stacks(profile) == STACKS && lw_profile_nr_entries(profile) == STACKS);
	for (u32 i = 0; i < STACKS; i++)
		samples += lw_profile_entry(profile, i)->samples;
	CHECK(samples == SAMPLES && lw_profile_nr_samples(profile) == SAMPLES);
	CHECK(lw_profile_entry(profile, 77)->weight == SAMPLES / STACKS);
	/* what was looked up is where it was */
	CHECK(lw_profile_string(profile, 0) == first && !strcmp(first, "function_0"));
	free(stacks);
	lw_profile_free(profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(same_string_has_one_number),
		TEST(frames_differ_in_every_field),
		TEST(stack_is_its_frames_in_their_order),
		TEST(samples_of_one_key_and_stack_add_up),
		TEST(what_was_not_added_cannot_be_used),
		TEST(samples_are_in_the_order_of_time),
		TEST(a_million_samples_add_up),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
