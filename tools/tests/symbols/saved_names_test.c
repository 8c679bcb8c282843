// SPDX-License-Identifier: GPL-2.0
/*
 * saved_names_test.c - what is written of names is what is read of them, whatever their bytes;
 * made code goes by time; of text that makes no sense the rest is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/saved_names.h"
#include "tests/tap.h"

#define PATH	"/opt/a b/\ttab\\x41\n"
#define ROUNDS	20000

static struct lw_map map = {
	.start = 0x7000, .end = 0x9000, .pgoff = 0x1000, .path = PATH,
	.build_id = { 0, 1, 0xab, 0xff }, .build_id_len = 4,
};

static struct lw_map without_id = { .start = 0x7000, .end = 0x9000, .path = PATH };

static const struct lw_place stack[] = {
	{ .function = "_ZN1a1bEv", .file = "a\\.c", .line = 7, .inlined = true, .address = 0x1234 },
	{ .function = "main\t", .offset = 0x34, .file = "b.c", .line = 0x99, .address = 0x1234 },
};

static const struct lw_place unnamed = {
	.function = "prog+0x1000", .offset = 4, .unnamed = true, .address = 0x1004,
};

/* Return: what is read of what was written of @names, which are freed. */
static struct lw_saved_names *again(struct lw_saved_names *names)
{
	struct lw_saved_names *read = lw_saved_names_new();
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (lw_saved_names_write(names, to) || fclose(to) ||
	    lw_saved_names_parse(read, text, size))
		printf("# not read\n");
	lw_saved_names_free(names);
	free(text);
	return read;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same(const struct lw_place *a, const struct lw_place *b)
{
	return same_text(a->function, b->function) && a->offset == b->offset &&
	       a->address == b->address && same_text(a->file, b->file) && a->line == b->line &&
	       a->inlined == b->inlined && a->unnamed == b->unnamed;
}

static u32 find(struct lw_saved_names *names, const struct lw_map *of, u64 ip, bool demangle,
		struct lw_place *places, u32 room)
{
	return lw_saved_names_find(names, lw_saved_names_file(names, of), of, ip, demangle, places,
				   room);
}

static struct lw_saved_names *make(void)
{
	struct lw_saved_names *names = lw_saved_names_new();

	lw_saved_names_add(names, &map, 0x7010, stack, ARRAY_SIZE(stack));
	lw_saved_names_add(names, &without_id, 0x8000, &unnamed, 1);
	lw_saved_names_add(names, &map, 0x7020, &stack[1], 1);
	return names;
}

static bool names_come_back_as_they_were(void)
{
	struct lw_saved_names *names = again(make());
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map other = map;

	CHECK(lw_saved_names_file(names, &map) != lw_saved_names_file(names, &without_id));
	CHECK(find(names, &map, 0x7010, false, places, LW_MAX_PLACES) == 2);
	CHECK(same(&places[0], &stack[0]) && same(&places[1], &stack[1]));
	CHECK(places[0].dso == map.path);
	CHECK(find(names, &map, 0x7020, false, places, 1) == 1);
	CHECK(same(&places[0], &stack[1]));
	CHECK(find(names, &without_id, 0x8000, true, places, 1) == 1);
	CHECK(same(&places[0], &unnamed));
	/* there is no room, no such address, no such file */
	CHECK(!find(names, &map, 0x7010, false, places, 1));
	CHECK(!find(names, &map, 0x7011, false, places, LW_MAX_PLACES));
	other.build_id[3] ^= 1;
	CHECK(lw_saved_names_file(names, &other) == LW_SAVED_NO_FILE);
	CHECK(!find(names, &other, 0x7010, false, places, LW_MAX_PLACES));
	/* it is the place in the file that counts */
	other = map;
	other.start += 0x10000;
	CHECK(find(names, &other, 0x17010, false, places, LW_MAX_PLACES) == 2);
	lw_saved_names_free(names);
	return true;
}

static bool names_are_demangled_if_that_is_wanted(void)
{
	struct lw_saved_names *names = again(make());
	struct lw_place places[LW_MAX_PLACES];

	for (int i = 0; i < 2; i++) {
		CHECK(find(names, &map, 0x7010, true, places, LW_MAX_PLACES) == 2);
		CHECK(!strcmp(places[0].function, "a::b()"));
		CHECK(!strcmp(places[1].function, "main\t"));
	}
	CHECK(find(names, &map, 0x7010, false, places, LW_MAX_PLACES) == 2);
	CHECK(!strcmp(places[0].function, "_ZN1a1bEv"));
	lw_saved_names_free(names);
	return true;
}

static void add_made(struct lw_saved_names *names, u32 pid, u64 time, const char *function)
{
	const struct lw_user_address address = { .pid = pid, .ip = 0x5000, .time = time };
	const struct lw_place place = { .function = function, .offset = 5, .dso = "[JIT]" };

	lw_saved_names_add_made(names, &address, function ? &place : NULL);
}

static const char *made_at(struct lw_saved_names *names, u32 pid, u64 time)
{
	const struct lw_user_address address = { .pid = pid, .ip = 0x5000, .time = time };
	struct lw_place place;

	if (!lw_saved_names_find_made(names, &address, &place))
		return "none";
	return place.offset == 5 && !strcmp(place.dso, "[JIT]") ? place.function : "another";
}

static bool made_code_goes_by_process_and_time(void)
{
	static const u64 order[] = { 5, 10, 19, 20, 25, 30, 31, 40, 99, 12, 35, 1 };
	struct lw_saved_names *names = lw_saved_names_new();

	add_made(names, 1, 5, NULL);
	add_made(names, 1, 10, "first");
	add_made(names, 1, 15, "first");
	add_made(names, 1, 20, "second");
	add_made(names, 1, 30, NULL);
	add_made(names, 1, 40, "first");
	add_made(names, 2, 7, "other");
	names = again(names);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		u64 time = order[i];
		const char *wanted = time < 10 ? "none" : time < 20 ? "first" :
				     time < 30 ? "second" : time < 40 ? "none" : "first";

		CHECK(!strcmp(made_at(names, 1, time), wanted));
	}
	CHECK(!strcmp(made_at(names, 2, 6), "none") && !strcmp(made_at(names, 2, 7), "other"));
	CHECK(!strcmp(made_at(names, 3, 7), "none"));
	lw_saved_names_free(names);
	return true;
}

static bool lines_that_make_no_sense_are_left_out(void)
{
	static const char text[] =
		"a\t1\t2\np\t-\t0\t0\tlost\t\nf\nf\tzz\tpath\nf\t-\na\np\nm\t1\n\n\t\nq\t1\t2\t3\n"
		"f\tabc\t/odd\na\tx\ty\np\t\t\t\t\t\n"
		"f\t00ab\t/file\\x\na\t10\t20\np\t-\t1\t0\tright\\x4\t\na\t10\t30\np\t-\t1\t0\tsecond\t\n"
		"p\t-\t0\t0\tunfinished";
	struct lw_map file = { .path = "/file\\x", .build_id = { 0, 0xab }, .build_id_len = 2 };
	struct lw_saved_names *names = lw_saved_names_new();
	struct lw_place places[LW_MAX_PLACES];

	CHECK(!lw_saved_names_parse(names, text, sizeof(text) - 1));
	CHECK(find(names, &file, 0x10, true, places, LW_MAX_PLACES) == 1);
	CHECK(!strcmp(places[0].function, "right\\x4") && places[0].address == 0x20);
	lw_saved_names_free(names);
	return true;
}

/* What a recording brings along may be anything. */
static bool text_may_be_anything(void)
{
	struct lw_saved_names *names = make();
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	add_made(names, 1, 5, "made");
	to = open_memstream(&text, &size);
	CHECK(!lw_saved_names_write(names, to) && !fclose(to));
	lw_saved_names_free(names);
	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		char *mutant = malloc(size);
		struct lw_place places[LW_MAX_PLACES];

		memcpy(mutant, text, size);
		for (int j = 0; j < 4; j++)
			mutant[rand() % size] = rand() % 3 ? "fapm\t\n\\x-0"[rand() % 10] : rand();
		names = lw_saved_names_new();
		CHECK(!lw_saved_names_parse(names, mutant, rand() % size));
		find(names, &map, 0x7010, true, places, LW_MAX_PLACES);
		made_at(names, 1, 5);
		lw_saved_names_free(names);
		free(mutant);
	}
	free(text);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(names_come_back_as_they_were),
		TEST(names_are_demangled_if_that_is_wanted),
		TEST(made_code_goes_by_process_and_time),
		TEST(lines_that_make_no_sense_are_left_out),
		TEST(text_may_be_anything),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
