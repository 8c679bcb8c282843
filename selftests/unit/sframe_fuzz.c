// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_fuzz - sections that ld wrote, with random bytes changed.
 *
 * The long form is deterministic; the short one begins with a seed.  Whatever the
 * bytes: no read outside of the section (the source counts them, and under ASan the
 * bytes end where the section does), no more reads than stated, one of the results
 * that the call may have, the same one by read(), in memory and with an index, and a
 * rule that makes sense or none.
 */
#include <string.h>
#include <time.h>

#include "lookup.h"
#include "../lib/form.h"

#define LOOKUPS		10000000
#define FEW_LOOKUPS	1000000
#define PER_SECTION	40
#define MAX_SECONDS	3
#define ROOM		16

struct real {
	const char *name;
	__u64 addr, text_start, text_end;
	const __u8 *bytes;
	__u32 size;
};

#include "real_sections.h"

static const struct real *const reals[] = {
	&real_frames_v2, &real_cfi_v2, &real_aarch64_v2, &real_drap_v3,
	&real_forms_v3, &real_aarch64_v3, &real_s390x_v3,
};

#define NUM_REALS	(sizeof(reals) / sizeof(reals[0]))

static struct tally {
	unsigned long opened, refused, indexed, found, none, corrupt, rows;
	unsigned long of[LW_SFRAME_NUM_RESULTS];
	unsigned int max_calls;
} tally;

static void load(struct section *sec, const struct real *real)
{
	section_load(sec, real->bytes, real->size, real->addr,
		     real->text_start, real->text_end);
	sec->wanted = LW_SFRAME_ABI_ANY;
}

/* Values that are more likely to hurt than random ones. */
static __u64 nasty(__u64 *seed)
{
	static const __u64 values[] = {
		0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
		0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
		0x8000000000000000, ~0ULL,
	};
	__u64 r = rng_next(seed);

	if (r & 1)
		return r >> 1;
	return values[(r >> 1) % (sizeof(values) / sizeof(values[0]))];
}

static void mutate(struct section *sec, __u64 *seed)
{
	unsigned int n = 1 + rng_next(seed) % 6, size;
	__u32 fdes = section_get(sec, HDR_NUM_FDES, 4), off;

	while (n--) {
		size = 1U << rng_next(seed) % 4;
		switch (rng_next(seed) % 8) {
		case 0:
			/* mostly past magic, version, ABI: these just end it */
			off = HDR_NUM_FDES + rng_next(seed) % 20;
			break;
		case 1 ... 3:
			off = HDR_SIZE + rng_next(seed) %
			      (fdes * section_fde_size(sec));
			break;
		default:
			off = rng_next(seed) % sec->src.size;
			break;
		}
		if (off + size > sec->src.size)
			continue;
		if (rng_next(seed) % 2)
			section_put(sec, off, size, nasty(seed));
		else
			section_put(sec, off, size,
				    section_get(sec, off, size) ^
				    1ULL << rng_next(seed) % 64);
	}
	if (rng_next(seed) % 16 == 0)
		section_resize(sec, rng_next(seed) % (sec->src.size + 1));
}

static int value_makes_sense(const struct lw_rule_value *v, int num_regs)
{
	if (v->index || v->deref > 1 || v->base > LW_BASE_REG)
		return 0;
	if (v->base == LW_BASE_NONE)
		return !v->off && !v->reg && !v->deref;
	return v->base == LW_BASE_REG ? v->reg < num_regs : !v->reg;
}

/* As rule.h has it. */
static int makes_sense(const struct lw_sframe *sf, const struct lw_rule *rule)
{
	static const struct lw_rule outermost = {
		.flags = LW_RULE_OUTERMOST,
	};
	int regs = sf->abi == LW_SFRAME_ABI_AMD64 ? 16 : 32;
	__u32 flags = 0;

	if (rule->flags & LW_RULE_OUTERMOST)
		return !memcmp(rule, &outermost, sizeof(*rule));
	if (sf->version == 3)
		flags |= LW_RULE_SIGNAL;
	if (sf->abi == LW_SFRAME_ABI_AARCH64_LE ||
	    sf->abi == LW_SFRAME_ABI_AARCH64_BE)
		flags |= LW_RULE_PAC;
	if (rule->flags & ~flags)
		return 0;
	if (rule->sp_off != (sf->abi == LW_SFRAME_ABI_S390X ? -160 : 0))
		return 0;
	if (rule->cfa.base == LW_BASE_NONE || rule->cfa.base == LW_BASE_CFA ||
	    rule->ra.base == LW_BASE_NONE)
		return 0;
	return value_makes_sense(&rule->cfa, regs) &&
	       value_makes_sense(&rule->ra, regs) &&
	       value_makes_sense(&rule->fp, regs);
}

static int is_find_result(int err)
{
	return err == LW_SFRAME_OK || err == LW_SFRAME_NO_RULE ||
	       err == LW_SFRAME_UNKNOWN_FDE_TYPE ||
	       err == LW_SFRAME_TOO_MANY_EMPTY ||
	       err == LW_SFRAME_TOO_MANY_ROWS ||
	       (err >= LW_SFRAME_BAD_ORDER && err < LW_SFRAME_NUM_RESULTS);
}

/* The same section, opened for each way of reading it. */
struct opened {
	struct lw_sframe by_read;
	struct lw_sframe in_memory;
	struct lw_sframe indexed;
	struct lw_sframe_source memory;
	__u32	*first;
	int	has_index;
};

static int open_all(struct section *sec, struct opened *o)
{
	struct lw_sframe dummy;
	int err;

	err = section_open(sec, &o->in_memory, IN_MEMORY);
	o->memory = sec->src;
	o->in_memory.src = &o->memory;
	CHECK_EQ(section_open(sec, &dummy, BY_READ), err);
	o->by_read = dummy;
	o->has_index = 0;
	if (err)
		return err;
	o->indexed = o->in_memory;
	o->has_index = !lw_sframe_add_index(&o->indexed, o->first, ROOM, NULL);
	tally.indexed += o->has_index;
	return 0;
}

static void look_up(struct section *sec, struct opened *o, __u64 pc)
{
	struct lw_rule rule, again;
	int err;

	memset(&rule, 0, sizeof(rule));
	again = rule;
	sec->calls = 0;
	err = lw_sframe_find(&o->by_read, pc, &rule);
	CHECK(sec->calls <= LW_SFRAME_MAX_READS);
	if (sec->calls > tally.max_calls)
		tally.max_calls = sec->calls;
	CHECK_EQ(lw_sframe_find(&o->in_memory, pc, &again), err);
	CHECK(!memcmp(&rule, &again, sizeof(rule)));
	if (o->has_index) {
		CHECK_EQ(lw_sframe_find(&o->indexed, pc, &again), err);
		CHECK(!memcmp(&rule, &again, sizeof(rule)));
	}
	CHECK(is_find_result(err));
	if (is_find_result(err))
		tally.of[err]++;
	if (!err) {
		tally.found++;
		CHECK(makes_sense(&o->by_read, &rule));
	} else if (err == LW_SFRAME_NO_RULE) {
		tally.none++;
	} else {
		tally.corrupt++;
	}
}

/* Rows of one function, both ways. */
static void walk(struct opened *o, __u32 idx)
{
	struct lw_sframe_cursor a, b;
	struct lw_sframe_fde fde, other;
	struct lw_sframe_row row, same;
	int err, n;

	err = lw_sframe_get_fde(&o->by_read, idx, &fde);
	CHECK_EQ(lw_sframe_get_fde(&o->in_memory, idx, &other), err);
	CHECK(!memcmp(&fde, &other, sizeof(fde)));
	if (err)
		return;
	lw_sframe_first_row(&a, &o->by_read, &fde);
	lw_sframe_first_row(&b, &o->in_memory, &fde);
	for (n = 0; n < 100; n++) {
		memset(&row, 0, sizeof(row));
		memset(&same, 0, sizeof(same));
		err = lw_sframe_next_row(&a, &row);
		CHECK_EQ(lw_sframe_next_row(&b, &same), err);
		if (err)
			break;
		tally.rows++;
		CHECK(!memcmp(&row, &same, sizeof(row)));
		CHECK(makes_sense(&o->by_read, &row.rule));
		CHECK(row.end > row.pos && row.end <= o->by_read.fre_len);
	}
}

/* Near some function, or anywhere. */
static __u64 some_pc(const struct real *real, const struct opened *o,
		     __u64 *seed)
{
	__u64 span = real->text_end - real->text_start + 64;
	struct lw_sframe_fde fde;

	if (rng_next(seed) % 2)
		return real->text_start - 32 + rng_next(seed) % span;
	lw_sframe_get_fde(&o->in_memory,
			  rng_next(seed) % o->in_memory.num_fdes, &fde);
	return fde.start + rng_next(seed) % 32;
}

static void fuzz_one(const struct real *real, __u64 *seed, __u32 *first)
{
	struct opened o = { .first = first };
	struct section sec;
	int err, i;

	load(&sec, real);
	if (rng_next(seed) % 2)
		section_to_pcrel(&sec);
	mutate(&sec, seed);
	err = open_all(&sec, &o);
	if (err) {
		tally.refused++;
		CHECK(err > LW_SFRAME_NO_RULE &&
		      err < LW_SFRAME_BAD_ORDER);
		tally.of[err]++;
	} else {
		tally.opened++;
		for (i = 0; i < PER_SECTION; i++)
			look_up(&sec, &o, some_pc(real, &o, seed));
		for (i = 0; i < 3; i++)
			walk(&o, rng_next(seed) % (o.by_read.num_fdes + 1ULL));
	}
	CHECK_EQ(sec.outside, 0);
	section_free(&sec);
}

static __u32 *room_for(__u32 room)
{
	__u32 *first = calloc(room + 1, sizeof(*first));

	if (!first)
		abort();
	return first;
}

TEST(random_changes_do_no_harm)
{
	__u32 *first = room_for(ROOM), i;
	clock_t start = clock();
	unsigned long n = 0;
	__u64 seed = lwt_long() ? 2026 : lwt_seed();
	unsigned long max = lwt_count(LOOKUPS, FEW_LOOKUPS);

	while (n < max && !tap_failed) {
		fuzz_one(reals[rng_next(&seed) % NUM_REALS], &seed, first);
		n = 3 * (tally.found + tally.none + tally.corrupt);
		if (clock() - start > MAX_SECONDS * CLOCKS_PER_SEC)
			break;
	}
	printf("# %lu look-ups: of 3 each %lu found, %lu none, %lu corrupt\n",
	       n, tally.found, tally.none, tally.corrupt);
	printf("# %lu rows; %lu opened, %lu with an index, %lu refused\n",
	       tally.rows, tally.opened, tally.indexed, tally.refused);
	printf("# at most %u reads of %u\n", tally.max_calls,
	       LW_SFRAME_MAX_READS);
	printf("# results:");
	for (i = 0; i < LW_SFRAME_NUM_RESULTS; i++)
		printf(" %u:%lu", i, tally.of[i]);
	printf("\n");
	/* all of it was exercised */
	CHECK(tally.found > 1000 && tally.none > 1000 && tally.corrupt > 1000);
	CHECK(tally.refused > 100 && tally.indexed > 100 && tally.rows > 1000);
	free(first);
}

/* Rows of random bytes: the walk is lost at once, and must stay inside. */
TEST(random_rows_do_no_harm)
{
	struct opened o = { .first = room_for(ROOM) };
	__u64 seed = 7;
	__u32 at;
	int round, i;

	for (round = 0; round < (int)lwt_count(2000, 140); round++) {
		const struct real *real = reals[round % NUM_REALS];
		struct section sec;

		load(&sec, real);
		for (at = section_fre_area(&sec); at < sec.src.size; at++)
			sec.bytes[at] = rng_next(&seed);
		CHECK_EQ(open_all(&sec, &o), 0);
		CHECK(o.has_index);
		for (i = 0; i < PER_SECTION; i++)
			look_up(&sec, &o, real->text_start + rng_next(&seed) %
				(real->text_end - real->text_start));
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
	free(o.first);
}

TEST(unchanged_they_are_sound)
{
	struct opened o = { .first = room_for(ROOM) };
	struct lw_sframe_fde fde;
	struct section sec;
	unsigned int i, idx;
	__u64 pc;

	for (i = 0; i < 2 * NUM_REALS; i++) {
		const struct real *real = reals[i / 2];

		load(&sec, real);
		if (i % 2)
			section_to_pcrel(&sec);
		memset(&tally, 0, sizeof(tally));
		CHECK_EQ(open_all(&sec, &o), 0);
		CHECK(o.has_index);
		for (pc = real->text_start; pc < real->text_end; pc++)
			look_up(&sec, &o, pc);
		for (idx = 0; idx < o.by_read.num_fdes; idx++) {
			CHECK_EQ(lw_sframe_get_fde(&o.by_read, idx, &fde), 0);
			walk(&o, idx);
		}
		if (i % 2)
			printf("# %s: %lu addresses with a rule, %lu rows\n",
			       real->name, tally.found, tally.rows);
		/* the linker's own count */
		CHECK_EQ(tally.rows, o.by_read.num_fres);
		CHECK(tally.found > 40);
		CHECK_EQ(tally.corrupt, 0);
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
	free(o.first);
}

int main(void)
{
	return tap_main();
}
