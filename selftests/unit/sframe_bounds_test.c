// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_bounds_test - reads: how many there are at most, what comes of those
 * that fail, and of bytes that change between them
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "lookup.h"
#include "../lib/form.h"

/* ---- how many ---- */

/* Of n rows, all are walked for the last byte. */
static int find_after_rows(__u8 version, unsigned int n, unsigned int *calls)
{
	struct section sec;
	unsigned int i;
	int err;

	section_init(&sec, version, LW_SFRAME_ABI_AMD64, SORTED);
	section_fde(&sec, 0x402000, 0x20000, INC | 2, 0);
	for (i = 0; i < n; i++)
		section_row(&sec, i, SP | W4, 8 + i, -16);
	section_finish(&sec);
	err = result(&sec, 0x402000 + 0x1ffff);
	*calls = sec.calls;
	if (!err)
		CHECK(is_rule(&sec, 0x402000 + 0x1ffff,
			      amd64(at_sp(8 + n - 1), -16)));
	section_free(&sec);
	return err;
}

TEST(as_many_rows_as_stated_are_walked)
{
	unsigned int max = LW_SFRAME_MAX_ROWS, calls;

	EACH_VERSION(v) {
		CHECK_EQ(find_after_rows(v, max, &calls), 0);
		CHECK(calls <= LW_SFRAME_MAX_READS);
	}
}

/* Version 3 can't count them. */
TEST(more_rows_than_stated_are_not_walked)
{
	unsigned int max = LW_SFRAME_MAX_ROWS, calls;

	CHECK_EQ(find_after_rows(2, max + 1, &calls), LW_SFRAME_TOO_MANY_ROWS);
	CHECK(calls <= LW_SFRAME_MAX_READS);
	CHECK_EQ(find_after_rows(2, 3 * max, &calls), LW_SFRAME_TOO_MANY_ROWS);
	CHECK(calls <= LW_SFRAME_MAX_READS);
}

TEST(rows_are_read_in_blocks)
{
	unsigned int calls;

	EACH_VERSION(v) {
		CHECK_EQ(find_after_rows(v, 100, &calls), 0);
		CHECK(calls <= 2 + 100 * 13 / LW_SFRAME_BLOCK + 2);
	}
}

/* A row costs one where all are in memory, else four; nine of ten are looked at. */
TEST(a_look_up_keeps_within_its_budget)
{
	static const struct { enum mode mode; __u32 price; } ways[] = {
		{ IN_MEMORY, 9 }, { BY_READ, 4 * 9 },
	};
	struct lw_rule rule;
	struct lw_sframe sf;
	struct section sec;
	unsigned int i;
	__u32 budget;

	EACH_VERSION(v) {
		section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED);
		section_fde(&sec, 0x402000, 10, INC, 0);
		for (i = 0; i < 10; i++)
			section_row(&sec, i, SP, 8 + 8 * i);
		section_finish(&sec);
		for (i = 0; i < 2; i++) {
			CHECK_EQ(section_open(&sec, &sf, ways[i].mode), 0);
			budget = 1000;
			CHECK_EQ(lw_sframe_find_within(&sf, 0x402007, &rule, &budget), 0);
			CHECK_EQ(1000 - budget, ways[i].price);
			budget = ways[i].price - 1;
			CHECK_EQ(lw_sframe_find_within(&sf, 0x402007, &rule, &budget),
				 LW_SFRAME_TOO_MANY_ROWS);
		}
		section_free(&sec);
	}
}

/*
 * As many FDEs as there may be, made when they are read: those before TARGET
 * and behind the empty ones are elsewhere.
 */
#define PATH		0x1f	/* our converter's own type, whose rows are the longest */
#define NUM_FDES	LW_SFRAME_MAX_FDES
#define TARGET		0x7fff00U
#define TARGET_START	0x40000000ULL
#define TARGET_SIZE	0x20000U

static struct worst {
	struct lw_sframe_source src;	/* first */
	struct section *rows;		/* header and FRE area are its */
	unsigned int calls;
	unsigned int outside;
} worst;

static void make_fde(const struct section *sec, __u32 idx, __u8 *fde)
{
	__u64 start = TARGET_START;
	__u32 size = 0;

	if (idx < TARGET)
		start = 0x1000 + idx * 16;
	else if (idx == TARGET)
		size = TARGET_SIZE;
	else if (idx > TARGET + LW_SFRAME_MAX_EMPTY)
		start += TARGET_SIZE + idx;
	start -= sec->place.addr;
	memcpy(fde, &start, 8);
	memcpy(fde + 8, &size, 4);
	memset(fde + 12, 0, 4);
}

static int worst_read(const struct lw_sframe_source *src, void *dst, __u64 off,
		      __u32 len)
{
	__u64 fdes_end = HDR_SIZE + (__u64)NUM_FDES * FDE_SIZE_V3;
	const struct section *sec = worst.rows;
	__u8 fde[FDE_SIZE_V3], *p = dst;

	worst.calls++;
	if (off > src->size || len > src->size - off) {
		worst.outside++;
		return -ENXIO;
	}
	if (off >= fdes_end) {
		memcpy(dst, sec->bytes + section_fre_area(sec) + off - fdes_end,
		       len);
		return 0;
	}
	for (; len; len--, off++) {
		if (off < HDR_SIZE) {
			*p++ = sec->bytes[off];
			continue;
		}
		make_fde(sec, (off - HDR_SIZE) / FDE_SIZE_V3, fde);
		*p++ = fde[(off - HDR_SIZE) % FDE_SIZE_V3];
	}
	return 0;
}

/* Of a look-up where the section is as long as they get. */
static unsigned int worst_calls(struct section *sec, __u64 addr, __u64 pc)
{
	struct lw_sframe_place place = {
		.addr = addr, .text_start = 0x1000, .text_end = 0x80000000,
		.paths = 1,
	};
	struct lw_sframe sf;
	struct lw_rule rule;

	sec->place.addr = addr;
	worst.src.read = worst_read;
	worst.src.size = HDR_SIZE + (__u64)NUM_FDES * FDE_SIZE_V3 +
			 sec->fre_len;
	worst.rows = sec;
	CHECK_EQ(lw_sframe_open(&sf, &worst.src, &place, 3), 0);
	/* where our header has the FRE area of one FDE */
	sf.num_fdes = NUM_FDES;
	sf.fre_off = HDR_SIZE + (__u64)NUM_FDES * FDE_SIZE_V3;
	worst.calls = 0;
	CHECK_EQ(lw_sframe_find(&sf, pc, &rule), 0);
	CHECK_EQ(rule.cfa.base, LW_BASE_SP);
	CHECK_EQ(rule.fp.off, 0x123456);
	return worst.calls;
}

TEST(the_worst_section_needs_no_more_reads_than_stated)
{
	unsigned int calls, max = 0, i;
	struct section sec;
	__u64 pc;

	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_flex(&sec, TARGET_START, TARGET_SIZE, INC | 2, 0);
	for (i = 0; i < LW_SFRAME_MAX_ROWS; i++)
		section_row(&sec, i, FP | W4, CTL_REG(7), 2, i, 8, 16, CTL_CFA_AT, -8,
			    CTL_CFA_AT, 0x123456, 0, 1, 2, 3, 4);
	section_finish(&sec);
	section_put_field(&sec, 0, F_INFO2, PATH);
	CHECK_EQ(sec.fre_len, ATTR_SIZE + LW_SFRAME_MAX_ROWS *
		 LW_SFRAME_MAX_ROW);
	/* wherever rows fall into blocks, to the last row and the one before */
	for (i = 0; i < LW_SFRAME_BLOCK; i++) {
		for (pc = 2; pc <= 3; pc++) {
			calls = worst_calls(&sec, 0x10000000 + i, TARGET_START +
					    LW_SFRAME_MAX_ROWS + 1 - pc);
			CHECK(calls <= LW_SFRAME_MAX_READS);
			if (calls > max)
				max = calls;
		}
	}
	printf("# %u reads, %u stated\n", max, LW_SFRAME_MAX_READS);
	/* no margin: it is what it takes */
	CHECK_EQ(max, LW_SFRAME_MAX_READS);
	CHECK_EQ(worst.outside, 0);
	section_free(&sec);
}

TEST(the_stated_size_of_a_row_is_that_of_the_longest)
{
	struct section sec;

	section_init(&sec, 3, LW_SFRAME_ABI_AMD64, SORTED);
	section_flex(&sec, 0x402000, 16, INC | 2, 0);
	section_row(&sec, 0, FP | W4, CTL_REG(7), 2, 8, 16, 24, CTL_CFA_AT, -48,
		    CTL_CFA_AT, -72, 0, 1, 2, 3, 4);
	section_finish(&sec);
	section_put_field(&sec, 0, F_INFO2, PATH);
	sec.place.paths = 1;
	CHECK_EQ(sec.fre_len, ATTR_SIZE + LW_SFRAME_MAX_ROW);
	CHECK_EQ(result(&sec, 0x402000), 0);
	section_free(&sec);
}

/* ---- reads that fail ---- */

/* Rows up to a page boundary; behind it are only those of later functions. */
TEST(no_page_is_read_that_holds_nothing_wanted)
{
	struct lw_rule rule, wanted = amd64(at_sp(16), -16);
	struct section sec;
	__u64 fde_size;
	__u32 extra, k;

	/* wherever the row falls in its block */
	EACH_VERSION(v) {
		for (extra = 0; extra < 2 * LW_SFRAME_BLOCK; extra++) {
			section_init(&sec, v, LW_SFRAME_ABI_AMD64, SORTED);
			section_fde(&sec, 0x402000, 0x200, INC | 1, 0);
			for (k = 0; k < extra; k++)
				section_row(&sec, k / 8, SP | (k % 2 ? W2 : W1),
					    8);
			section_row(&sec, 0x100, SP, 16, -16);
			fde_size = section_fde_size(&sec);
			sec.place.addr = 0x450000 - HDR_SIZE - 2 * fde_size -
					 sec.fre_len;
			section_fde(&sec, 0x402200, 0x100, INC, 0);
			for (k = 0; k < 100; k++)
				section_row(&sec, k, SP, 8);
			section_finish(&sec);
			sec.hole_start = 0x450000;
			sec.hole_end = 0x451000;
			CHECK_EQ(find_by(&sec, 0x402109, &rule, BY_READ), 0);
			CHECK(!memcmp(&rule, &wanted, sizeof(rule)));
			/* but what is wanted is */
			CHECK_EQ(find_by(&sec, 0x402201, &rule, BY_READ),
				 -EFAULT);
			section_free(&sec);
		}
	}
}

/*
 * Fails at the k-th read, for each k: of the look-up at pc, or of the open.
 * Then the same look-up works.
 */
static void fail_each(struct section *sec, __u64 pc, int with)
{
	struct lw_rule rule, wanted, before;
	struct lw_sframe sf;
	unsigned int k, n;
	int result;

	sec->fail_at = 0;
	sec->fail_with = with;
	memset(&before, 0xa5, sizeof(before));
	wanted = before;
	CHECK_EQ(section_open(sec, &sf, BY_READ), 0);
	sec->calls = 0;
	result = lw_sframe_find(&sf, pc, &wanted);
	n = sec->calls;
	CHECK(n > 0);
	for (k = 1; k <= n; k++) {
		rule = before;
		sec->calls = 0;
		sec->fail_at = k;
		CHECK_EQ(lw_sframe_find(&sf, pc, &rule), with);
		CHECK(!memcmp(&rule, &before, sizeof(rule)));
		CHECK_EQ(sec->calls, k);
		CHECK(!lw_sframe_is_corrupt(with));
		sec->calls = 0;
		sec->fail_at = 0;
		CHECK_EQ(lw_sframe_find(&sf, pc, &rule), result);
		CHECK(!memcmp(&rule, &wanted, sizeof(rule)));
		CHECK_EQ(sec->calls, n);
	}
	sec->calls = 0;
	sec->fail_at = 1;
	CHECK_EQ(section_open(sec, &sf, BY_READ), with);
	sec->fail_at = 0;
}

TEST(a_failed_read_is_passed_on_whichever_it_is)
{
	__u64 pc;

	EACH_GOOD {
		for (pc = 0x401000; pc < 0x401400; pc += 3) {
			fail_each(&sec, pc, -EFAULT);
			fail_each(&sec, pc, -EAGAIN);
		}
		for (pc = START_OUTER; pc < START_SHARED + 0x20; pc++)
			fail_each(&sec, pc, -EFAULT);
		fail_each(&sec, START_LARGE + 0x1ffff, -EFAULT);
	}
}

TEST(a_failed_read_in_a_long_walk_is_passed_on)
{
	int i;

	EACH_FORM_WITH(section_init(&sec, form->version, LW_SFRAME_ABI_AMD64, form->flags)) {
		section_fde(&sec, 0x402000, 0x1000, INC | 1, 0);
		for (i = 0; i < 1000; i++)
			section_row(&sec, i, SP | (i % 3) << 5, 16, -16);
		for (i = 0; i < 10; i++)
			section_fde(&sec, 0x403000, 0, INC, 0);
		section_finish(&sec);
		fail_each(&sec, 0x402fff, -EFAULT);
		fail_each(&sec, 0x403000, -EFAULT);
	}
}

/* What is broken is told as broken, not as missing, and the other way round. */
TEST(a_broken_section_with_a_missing_page_is_only_missing)
{
	struct lw_rule rule;

	EACH_VERSION(v) WITH(good(&sec, v, 0)) {
		section_put(&sec, section_fre_pos(&sec, SMALL) + 1, 1, W_NONE);
		sec.hole_start = sec.place.addr + section_fre_pos(&sec, SMALL);
		sec.hole_end = sec.hole_start + 1;
		CHECK_EQ(find_by(&sec, START_SMALL, &rule, BY_READ), -EFAULT);
		sec.hole_end = sec.hole_start;
		CHECK_EQ(find_by(&sec, START_SMALL, &rule, BY_READ),
			 LW_SFRAME_BAD_WORD_SIZE);
	}
}

/* ---- bytes that change ---- */

static int is_result(int result)
{
	return result >= 0 && result < LW_SFRAME_NUM_RESULTS &&
	       result != LW_SFRAME_TOO_SHORT;
}

/* Whatever the section looks like when it is read for the second time. */
TEST(bytes_that_change_between_reads_do_no_harm)
{
	struct lw_sframe sf;
	struct lw_rule rule;
	__u64 seed;
	int i;

	EACH_GOOD {
		for (seed = 1; seed <= 500; seed++) {
			sec.flip_seed = 0;
			CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
			sec.flip_seed = seed;
			for (i = 0; i < 50; i++) {
				sec.calls = 0;
				CHECK(is_result(lw_sframe_find(&sf, 0x401000 +
							i * 13, &rule)));
				CHECK(sec.calls <= LW_SFRAME_MAX_READS);
			}
			CHECK_EQ(sec.outside, 0);
		}
	}
}

#ifdef __x86_64__
/*
 * In memory: the processor traps after each instruction of the reader, and a
 * byte may have changed then.  Under ASan, no access is outside; in all builds
 * the result is one of ours, and a rule makes sense.
 */
static struct {
	__u8 *bytes;
	const __u8 *sound;
	__u32 from;		/* bytes before this do not change */
	__u32 size;
	__u32 bad[2];		/* bytes that are not sound, so many at a time */
	__u64 seed;
	unsigned long steps;
} race;

static void change_a_byte(int sig)
{
	static const __u8 nasty[] = { 0, 1, 3, 0x7f, 0x80, 0xff };
	__u64 r = rng_next(&race.seed);
	__u32 *at = &race.bad[r >> 2 & 1];

	(void)sig;
	race.steps++;
	if (r % 4)
		return;
	race.bytes[*at] = race.sound[*at];
	*at = race.from + (r >> 16) % (race.size - race.from);
	if (r >> 3 & 1)
		race.bytes[*at] = nasty[(r >> 4) % sizeof(nasty)];
	else
		race.bytes[*at] ^= 1U << (r >> 4 & 7);
}

#define TRAP_FLAG	0x100
#define MAX_SECONDS	2	/* of our own, in the long form */

static inline void step(int on)
{
	/* not into the red zone */
	if (on)
		asm volatile("lea -128(%%rsp), %%rsp; pushfq\n\t"
			     "orq %0, (%%rsp)\n\t"
			     "popfq; lea 128(%%rsp), %%rsp"
			     : : "i" (TRAP_FLAG) : "memory", "cc");
	else
		asm volatile("lea -128(%%rsp), %%rsp; pushfq\n\t"
			     "andq %0, (%%rsp)\n\t"
			     "popfq; lea 128(%%rsp), %%rsp"
			     : : "i" (~TRAP_FLAG) : "memory", "cc");
}

static void small_section(struct section *sec, const struct form *form,
			  __u8 abi)
{
	section_init(sec, form->version, abi, form->flags);
	section_fde(sec, 0x402000, 32, MASK, 8);
	section_row(sec, 0, SP, 8);
	section_row(sec, 5, SP | W4, 16);
	section_fde(sec, 0x402020, 32, INC | 1, 0);
	section_row(sec, 0, SP, 8);
	section_row(sec, 4, SP | W2, 16, -16);
	section_fde(sec, 0x402040, 0, INC, 0);
	section_flex(sec, 0x402040, 16, INC | 2, 0);
	section_row(sec, 0, FP | W4, CTL_REG(7), 8);
	section_fde(sec, 0x402040, 0, INC, 0);
	section_finish(sec);
}

static void race_begin(const struct section *sec, __u32 from, __u32 size)
{
	__u8 *sound = malloc(sec->src.size);

	if (!sound)
		abort();
	memcpy(sound, sec->bytes, sec->src.size);
	race.bytes = sec->bytes;
	race.sound = sound;
	race.from = from;
	race.size = size;
	race.bad[0] = from;
	race.bad[1] = from;
}

static void race_end(void)
{
	free((void *)race.sound);
}

static unsigned int race_lookups(const struct form *form, __u8 abi, int n)
{
	struct lw_sframe sf;
	struct section sec;
	unsigned int found = 0;
	struct lw_rule rule;
	int err;
	__u64 pc;

	small_section(&sec, form, abi);
	CHECK_EQ(section_open(&sec, &sf, IN_MEMORY), 0);
	race_begin(&sec, HDR_SIZE, sec.src.size);
	while (n--) {
		pc = 0x402000 + rng_next(&race.seed) % 0x50;
		memset(&rule, 0, sizeof(rule));
		step(1);
		err = lw_sframe_find(&sf, pc, &rule);
		step(0);
		CHECK(is_result(err));
		if (err)
			continue;
		found++;
		CHECK(rule.flags & LW_RULE_OUTERMOST ||
		      (rule.cfa.base != LW_BASE_NONE &&
		       rule.cfa.base != LW_BASE_CFA &&
		       rule.ra.base != LW_BASE_NONE));
		CHECK(rule.cfa.base <= LW_BASE_REG &&
		      rule.cfa.reg < 32 && rule.ra.reg < 32 &&
		      rule.fp.reg < 32);
	}
	race_end();
	section_free(&sec);
	return found;
}

/* What was opened is what was checked. */
static unsigned int race_opens(const struct form *form, __u8 abi, int n)
{
	__u64 fde_end, fre_end;
	unsigned int opened = 0;
	struct lw_sframe sf;
	struct section sec;
	int err;

	small_section(&sec, form, abi);
	race_begin(&sec, 0, HDR_SIZE);
	while (n--) {
		sec.src.bytes = sec.bytes;
		step(1);
		err = lw_sframe_open(&sf, &sec.src, &sec.place, sec.wanted);
		step(0);
		if (err) {
			CHECK(err < LW_SFRAME_BAD_ORDER && err > 0);
			continue;
		}
		opened++;
		CHECK(sf.version == 2 || sf.version == 3);
		CHECK_EQ(sf.abi, abi);
		CHECK(sf.flags & SORTED);
		fde_end = sf.fde_off + (__u64)sf.num_fdes *
			  (sf.version == 2 ? FDE_SIZE_V2 : FDE_SIZE_V3);
		fre_end = sf.fre_off + sf.fre_len;
		CHECK(sf.num_fdes && fde_end <= sec.src.size &&
		      fre_end <= sec.src.size &&
		      (fde_end <= sf.fre_off || fre_end <= sf.fde_off));
	}
	race_end();
	section_free(&sec);
	return opened;
}

/* Until n are done, or the time is over. */
static void race_all(unsigned int (*run)(const struct form *form, __u8 abi,
					 int n), unsigned int max)
{
	struct sigaction action = { .sa_handler = change_a_byte };
	struct sigaction old;
	unsigned int whole = 0, n = 0, i;
	clock_t start = clock();

	CHECK_EQ(sigaction(SIGTRAP, &action, &old), 0);
	race.seed = lwt_long() ? 11 : lwt_seed();
	race.steps = 0;
	for (i = 0; n < max; i++, n += 10) {
		whole += run(&forms[i % 4], i % 8 < 4 ? LW_SFRAME_ABI_AMD64 :
			     LW_SFRAME_ABI_S390X, 10);
		if (clock() - start > MAX_SECONDS * CLOCKS_PER_SEC / (lwt_long() ? 1 : 4) && i > 8)
			break;
	}
	CHECK_EQ(sigaction(SIGTRAP, &old, NULL), 0);
	printf("# %u of %u got to their end, %lu instructions\n", whole, n,
	       race.steps);
	/* it was stepped, and they got to their end or not */
	CHECK(race.steps > 50UL * n);
	CHECK(whole > n / 50 && whole < n);
}

TEST(bytes_that_change_between_instructions_do_no_harm)
{
	race_all(race_lookups, 4000);
}

TEST(a_header_that_changes_while_it_is_opened_does_no_harm)
{
	race_all(race_opens, 1000);
}
#endif

int main(void)
{
	return tap_main();
}
