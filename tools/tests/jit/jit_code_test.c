// SPDX-License-Identifier: GPL-2.0
/*
 * jit_code_test.c - which piece of code that a process has made was at an address, when.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/jit_code.h"
#include "tests/tap.h"

#define SECOND	NSEC_PER_SEC

static struct lw_jit_code new_code(void)
{
	return (struct lw_jit_code){ .most = 1 << 20 };
}

static void add(struct lw_jit_code *code, u64 time, u64 start, u64 size, const char *name)
{
	const struct lw_jit_piece piece = {
		.start = start, .size = size, .time = time, .index = start ^ size,
	};

	lw_jit_code_add(code, &piece, name, strlen(name));
}

static bool is(struct lw_jit_code *code, u64 time, u64 ip, const char *name)
{
	const struct lw_jit_piece *piece;

	lw_jit_code_settle(code);
	piece = lw_jit_code_find(code, time, ip);
	if (!piece || !name)
		return !piece && !name;
	return !strcmp(piece->name, name);
}

static bool an_address_is_that_of_the_youngest_piece_of_its_time(void)
{
	struct lw_jit_code code = new_code();

	add(&code, 10 * SECOND, 0x1000, 0x100, "first");
	add(&code, 20 * SECOND, 0x1000, 0x80, "second");
	add(&code, 30 * SECOND, 0x1040, 0x20, "third");
	CHECK(is(&code, 15 * SECOND, 0x1050, "first"));
	CHECK(is(&code, 20 * SECOND, 0x1050, "second"));
	CHECK(is(&code, 25 * SECOND, 0x1050, "second"));
	CHECK(is(&code, 35 * SECOND, 0x1050, "third"));
	CHECK(is(&code, 35 * SECOND, 0x1030, "second"));
	CHECK(is(&code, 35 * SECOND, 0x1060, "second"));
	/* nothing says that the rest of it is gone */
	CHECK(is(&code, 35 * SECOND, 0x10ff, "first"));
	CHECK(is(&code, 35 * SECOND, 0x1100, NULL) && is(&code, 35 * SECOND, 0xfff, NULL));
	lw_jit_code_clear(&code);
	CHECK(is(&code, 35 * SECOND, 0x1050, NULL) && !code.bytes);
	return true;
}

static bool code_may_be_told_of_a_little_late(void)
{
	struct lw_jit_code code = new_code();

	add(&code, 20 * SECOND, 0x1000, 0x100, "second");
	add(&code, 10 * SECOND, 0x1000, 0x100, "first");
	CHECK(is(&code, 9 * SECOND, 0x1000, "first"));
	CHECK(is(&code, 9 * SECOND - 1, 0x1000, NULL));
	lw_jit_code_clear(&code);
	return true;
}

static bool of_two_at_one_time_the_one_told_of_later_counts(void)
{
	struct lw_jit_code code = new_code();

	add(&code, 0, 0x1000, 0x100, "first");
	add(&code, 0, 0x0f00, 0x200, "second");
	CHECK(is(&code, SECOND, 0x1000, "second"));
	add(&code, 0, 0x1000, 0x100, "third");
	CHECK(is(&code, SECOND, 0x1000, "third"));
	lw_jit_code_clear(&code);
	return true;
}

static void move(struct lw_jit_code *code, u64 time, u64 from, u64 start, u64 index)
{
	const struct lw_jit_piece piece = {
		.start = start, .size = 0x100, .time = time, .index = index,
	};

	lw_jit_code_move(code, &piece, from);
}

static bool what_was_moved_keeps_its_name_and_is_no_longer_there(void)
{
	const u64 index = 0x1000 ^ 0x100;
	struct lw_jit_code code = new_code();

	add(&code, 10 * SECOND, 0x1000, 0x100, "moved");
	move(&code, 20 * SECOND, 0x1000, 0x5000, index);
	move(&code, 30 * SECOND, 0x5000, 0x7000, index);
	CHECK(is(&code, 15 * SECOND, 0x1010, "moved") && is(&code, 15 * SECOND, 0x5010, NULL));
	CHECK(is(&code, 25 * SECOND, 0x5010, "moved") && is(&code, 25 * SECOND, 0x1010, NULL));
	CHECK(is(&code, 35 * SECOND, 0x7010, "moved") && is(&code, 35 * SECOND, 0x5010, NULL));
	/* of another index, of none that was told of, and from its middle */
	move(&code, 40 * SECOND, 0x7000, 0x9000, index + 1);
	move(&code, 40 * SECOND, 0xb000, 0x9000, index);
	move(&code, 40 * SECOND, 0x7080, 0x9000, index);
	CHECK(is(&code, 45 * SECOND, 0x9010, NULL) && is(&code, 45 * SECOND, 0x7010, "moved"));
	lw_jit_code_clear(&code);
	return true;
}

static bool what_makes_no_sense_is_left_out(void)
{
	struct lw_jit_code code = new_code();

	add(&code, 1, 0x1000, 0, "empty");
	add(&code, 1, ~0ULL - 0xff, 0x1000, "round the end");
	add(&code, 1, 0x2000, ~0ULL, "all");
	move(&code, 1, 0x1000, ~0ULL - 0x10, 1);
	CHECK(!code.nr && !code.full);
	add(&code, 1, ~0ULL - 0xff, 0xff, "at the end");
	CHECK(is(&code, SECOND, ~0ULL - 1, "at the end") && is(&code, SECOND, ~0ULL, NULL));
	lw_jit_code_clear(&code);
	return true;
}

static bool memory_has_a_limit(void)
{
	struct lw_jit_code code = { .most = 100000 };
	char name[1000];

	memset(name, 'n', sizeof(name));
	for (u32 i = 0; i < 200; i++) {
		const struct lw_jit_piece piece = { .start = 0x1000 + i * 16, .size = 16 };

		lw_jit_code_add(&code, &piece, name, sizeof(name));
		CHECK(code.bytes <= code.most);
	}
	CHECK(code.full && code.nr > 50 && code.nr < 100);
	lw_jit_code_settle(&code);
	CHECK(lw_jit_code_find(&code, 0, 0x1000) && !lw_jit_code_find(&code, 0, 0x1000 + 199 * 16));
	code.full = false;
	for (u32 i = 0; i < 2000 && !code.full; i++)
		move(&code, 1, 0x1000, 0x1000, 1);
	CHECK(code.full && code.bytes <= code.most);
	lw_jit_code_clear(&code);
	CHECK(code.most == 100000);
	return true;
}

#define PIECES	400

/* What was added, in its order. */
struct model {
	struct lw_jit_piece pieces[PIECES];
	u32 nr;
};

static const struct lw_jit_piece *model_find(const struct model *model, u64 time, u64 ip)
{
	const struct lw_jit_piece *best = NULL, *later = NULL;

	for (u32 i = 0; i < model->nr; i++) {
		const struct lw_jit_piece *piece = &model->pieces[i];

		if (ip < piece->start || ip >= piece->start + piece->size)
			continue;
		if (piece->time <= time && (!best || piece->time >= best->time))
			best = piece;
		if (piece->time > time && (!later || piece->time < later->time))
			later = piece;
	}
	if (!best && later && later->time <= time + SECOND)
		return later;
	return best;
}

/* Each piece has a time of its own; its index is its number. */
static void add_any(struct model *model, struct lw_jit_code *code)
{
	struct lw_jit_piece *piece = &model->pieces[model->nr];

	*piece = (struct lw_jit_piece) {
		.start = 0x1000 + rand() % 2000,
		.size = 1 + rand() % 50,
		.time = (u64)(rand() % 100) * SECOND + model->nr,
		.index = model->nr,
	};
	if (rand() % 8 == 0)
		piece->size += 1000;
	lw_jit_code_add(code, piece, "any", 3);
	model->nr++;
}

static bool agrees(const struct model *model, const struct lw_jit_code *code)
{
	for (u32 i = 0; i < 300; i++) {
		u64 time = rand() % 100 * SECOND + PIECES, ip = 0x0ff0 + rand() % 3200;
		const struct lw_jit_piece *want = model_find(model, time, ip);
		const struct lw_jit_piece *got = lw_jit_code_find(code, time, ip);

		CHECK(!want == !got);
		CHECK(!want || want->index == got->index);
	}
	return true;
}

static bool however_pieces_come_all_are_found(void)
{
	static struct model model;

	srand(1);
	for (u32 round = 0; round < 50; round++) {
		struct lw_jit_code code = new_code();

		model.nr = 0;
		while (model.nr < PIECES) {
			for (u32 i = rand() % 40; i && model.nr < PIECES; i--)
				add_any(&model, &code);
			lw_jit_code_settle(&code);
			CHECK(agrees(&model, &code));
		}
		lw_jit_code_clear(&code);
	}
	return true;
}

static const struct tap_test tests[] = {
	TEST(an_address_is_that_of_the_youngest_piece_of_its_time),
	TEST(code_may_be_told_of_a_little_late),
	TEST(of_two_at_one_time_the_one_told_of_later_counts),
	TEST(what_was_moved_keeps_its_name_and_is_no_longer_there),
	TEST(what_makes_no_sense_is_left_out),
	TEST(memory_has_a_limit),
	TEST(however_pieces_come_all_are_found),
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(*tests));
}
