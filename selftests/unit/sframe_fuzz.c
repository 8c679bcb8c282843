// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_fuzz - sections that ld wrote, with random bytes changed.
 *
 * Deterministic.  Whatever the bytes: no read outside of the section (the
 * source counts them, and under ASan the bytes end where the section does), no
 * more reads than stated, one of the documented results, the same one again,
 * and a rule that makes sense or none.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "section.h"
#include "tap.h"

#define LOOKUPS		2000000
#define PER_SECTION	40
#define MAX_SECONDS	5

struct real {
	const char *name;
	__u64 addr, text_start, text_end;
	const __u8 *bytes;
	__u32 size;
};

#include "real_sections.h"

static const struct real *const reals[] = {
	&real_frames, &real_classes, &real_cfi,
};

#define NUM_REALS	(sizeof(reals) / sizeof(reals[0]))

static struct tally {
	unsigned long opened, refused, found, none, corrupt, max_calls;
} tally;

static void load(struct section *sec, const struct real *real)
{
	section_load(sec, real->bytes, real->size, real->addr,
		     real->text_start, real->text_end);
}

/* Values that are more likely to hurt than random ones. */
static __u32 nasty(__u64 *seed)
{
	static const __u32 values[] = {
		0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
		0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
	};
	__u64 r = rng_next(seed);

	if (r & 1)
		return (__u32)(r >> 32);
	return values[(r >> 1) % (sizeof(values) / sizeof(values[0]))];
}

static void mutate(struct section *sec, __u64 *seed)
{
	unsigned int n = 1 + rng_next(seed) % 6, size;
	__u32 fdes = section_get(sec, HDR_NUM_FDES, 4), off;

	while (n--) {
		size = 1U << rng_next(seed) % 3;
		switch (rng_next(seed) % 8) {
		case 0:
			/* mostly past magic, version, ABI: these just end it */
			off = HDR_NUM_FDES + rng_next(seed) % 20;
			break;
		case 1 ... 3:
			off = HDR_SIZE + rng_next(seed) % (fdes * FDE_SIZE);
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
				    1U << rng_next(seed) % 32);
	}
	if (rng_next(seed) % 16 == 0)
		section_resize(sec, rng_next(seed) % (sec->src.size + 1));
}

static int same_rule(const struct lw_rule *a, const struct lw_rule *b)
{
	return a->cfa_off == b->cfa_off && a->ra_off == b->ra_off &&
	       a->fp_off == b->fp_off && a->sp_off == b->sp_off &&
	       a->cfa_base == b->cfa_base && a->flags == b->flags;
}

static int makes_sense(const struct lw_rule *rule)
{
	if (rule->flags == LW_RULE_OUTERMOST)
		return 1;
	return !(rule->flags & ~LW_RULE_FP_SAVED) && rule->ra_off == -8 &&
	       rule->sp_off == 0 && rule->cfa_base <= LW_BASE_FP;
}

static void look_up(struct section *sec, const struct lw_sframe *sf, __u64 pc)
{
	struct lw_rule rule, again;
	int err;

	sec->calls = 0;
	err = lw_sframe_find(sf, pc, &rule);
	CHECK(sec->calls <= LW_SFRAME_MAX_READS);
	if (sec->calls > tally.max_calls)
		tally.max_calls = sec->calls;
	CHECK_EQ(lw_sframe_find(sf, pc, &again), err);
	switch (err) {
	case 0:
		tally.found++;
		CHECK(same_rule(&rule, &again));
		CHECK(makes_sense(&rule));
		break;
	case -ENOENT:
		tally.none++;
		break;
	default:
		tally.corrupt++;
		CHECK_EQ(err, -EINVAL);
		break;
	}
}

static void fuzz_one(const struct real *real, __u64 *seed)
{
	struct section sec;
	struct lw_sframe sf;
	int err, i;
	__u64 span = real->text_end - real->text_start + 64;

	load(&sec, real);
	if (rng_next(seed) % 2)
		section_to_pcrel(&sec);
	mutate(&sec, seed);
	err = section_open(&sec, &sf);
	if (err) {
		tally.refused++;
		CHECK(err == -EINVAL || err == -EOPNOTSUPP);
	} else {
		tally.opened++;
		for (i = 0; i < PER_SECTION; i++)
			look_up(&sec, &sf, real->text_start - 32 +
					   rng_next(seed) % span);
	}
	CHECK_EQ(sec.outside, 0);
	section_free(&sec);
}

TEST(random_changes_do_no_harm)
{
	clock_t start = clock();
	unsigned long n = 0;
	__u64 seed = 2026;

	while (n < LOOKUPS && !tap_failed) {
		fuzz_one(reals[rng_next(&seed) % NUM_REALS], &seed);
		n = 2 * (tally.found + tally.none + tally.corrupt);
		if (clock() - start > MAX_SECONDS * CLOCKS_PER_SEC)
			break;
	}
	printf("# %lu look-ups: %lu found, %lu none, %lu corrupt; "
	       "%lu opened, %lu refused; at most %lu reads of %u\n", n,
	       2 * tally.found, 2 * tally.none, 2 * tally.corrupt,
	       tally.opened, tally.refused, tally.max_calls,
	       LW_SFRAME_MAX_READS);
	/* all of it was exercised */
	CHECK(tally.found > 1000 && tally.none > 1000 && tally.corrupt > 1000);
	CHECK(tally.refused > 100);
}

/* Rows of random bytes: the walk is lost at once, and must stay inside. */
TEST(random_rows_do_no_harm)
{
	__u64 seed = 7;
	int round, i;

	for (round = 0; round < 2000; round++) {
		const struct real *real = reals[round % NUM_REALS];
		struct section sec;
		struct lw_sframe sf;

		load(&sec, real);
		for (i = section_fre_pos(&sec, 0) -
			 section_get(&sec, HDR_SIZE + FDE_FRE_OFF, 4);
		     i < (int)sec.src.size; i++)
			sec.bytes[i] = rng_next(&seed);
		CHECK_EQ(section_open(&sec, &sf), 0);
		for (i = 0; i < PER_SECTION; i++)
			look_up(&sec, &sf, real->text_start + rng_next(&seed) %
				(real->text_end - real->text_start));
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
}

TEST(unchanged_they_are_sound)
{
	struct lw_sframe sf;
	struct lw_rule rule;
	struct section sec;
	unsigned int i, found;
	__u64 pc;
	int err;

	for (i = 0; i < NUM_REALS; i++) {
		load(&sec, reals[i]);
		found = 0;
		CHECK_EQ(section_open(&sec, &sf), 0);
		for (pc = sf.text_start; pc < sf.text_end; pc++) {
			err = lw_sframe_find(&sf, pc, &rule);
			CHECK(!err || err == -ENOENT);
			found += !err;
		}
		printf("# %s: %u addresses with a rule\n", reals[i]->name,
		       found);
		CHECK(found > 40);
		CHECK_EQ(sec.outside, 0);
		section_free(&sec);
	}
}

int main(void)
{
	return tap_main();
}
