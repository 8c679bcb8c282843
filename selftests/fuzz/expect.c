// SPDX-License-Identifier: GPL-2.0
/*
 * expect.c - what the reader must say of a section, byte by byte and written
 * from the specification, for comparison.  Slow and plain on purpose: no
 * window, no table of ABIs, each field by its number.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

#define BIT(result)	(1ULL << LW_SFRAME_##result)

static __u8 byte_at(const struct input *in, __u64 off)
{
	const struct watched *w = &in->reads;

	if (off < in->len)
		return in->bytes[off];
	if (!w->tail)
		return 0;
	return in->bytes[in->len - w->tail + (off - in->len) % w->tail];
}

static __u64 field(const struct input *in, int big, __u64 off,
		   unsigned int size)
{
	__u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (__u64)byte_at(in, off + i)
			 << 8 * (big ? size - 1 - i : i);
	return value;
}

static __s64 signed_field(const struct input *in, int big, __u64 off,
			  unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (__s64)(field(in, big, off, size) << unused) >> unused;
}

static int is_big(unsigned int abi)
{
	return abi == LW_SFRAME_ABI_AARCH64_BE || abi == LW_SFRAME_ABI_S390X;
}

static int is_aarch64(unsigned int abi)
{
	return abi == LW_SFRAME_ABI_AARCH64_BE ||
	       abi == LW_SFRAME_ABI_AARCH64_LE;
}

static __u64 wrong_areas(const struct lw_sframe *sf, __u64 size)
{
	__u64 fde_end = sf->fde_off +
			(__u64)sf->num_fdes * (sf->version == 2 ? 20 : 16);
	__u64 fre_end = sf->fre_off + sf->fre_len;
	__u64 wrong = 0;

	if (sf->num_fdes == 0)
		wrong |= BIT(NO_FDES);
	if (sf->num_fdes > LW_SFRAME_MAX_FDES)
		wrong |= BIT(TOO_MANY_FDES);
	if (fde_end > size)
		wrong |= BIT(FDES_OUTSIDE);
	if (fre_end > size)
		wrong |= BIT(ROWS_OUTSIDE);
	if (!(fde_end <= sf->fre_off || fre_end <= sf->fde_off))
		wrong |= BIT(AREAS_OVERLAP);
	return wrong;
}

static __u64 wrong_header(const struct input *in, const struct lw_sframe *sf,
			  int big)
{
	__u64 wrong = 0;

	if (sf->version != 2 && sf->version != 3)
		wrong |= BIT(UNKNOWN_VERSION);
	if (sf->flags & (sf->version == 2 ? 0xf8 : 0xfa))
		wrong |= BIT(UNKNOWN_FLAG);
	if (!(sf->flags & 1))
		wrong |= BIT(UNSORTED);
	if (sf->abi < 1 || sf->abi > 4 || (in->abi && in->abi != sf->abi))
		wrong |= BIT(OTHER_ABI);
	if (big != is_big(sf->abi))
		wrong |= BIT(FOREIGN_ORDER);
	if (sf->fixed_fp || sf->fixed_ra != (sf->abi == 3 ? -8 : 0))
		wrong |= BIT(BAD_FIXED_SLOT);
	return wrong;
}

/**
 * expect_open() - what lw_sframe_open() must say
 * @in: input
 * @src: source that it is given
 * @sf: filled, as far as there are bytes
 *
 * Return: set of what is wrong.
 */
__u64 expect_open(const struct input *in, const struct lw_sframe_source *src,
		  struct lw_sframe *sf)
{
	int big = byte_at(in, 0) == 0xde;
	__u64 wrong = 0, base;

	memset(sf, 0, sizeof(*sf));
	if (in->place.text_start >= in->place.text_end ||
	    in->place.addr + src->size < in->place.addr)
		wrong |= BIT(BAD_RANGE);
	if (src->size < 28)
		return wrong | BIT(TOO_SHORT);
	if (field(in, big, 0, 2) != 0xdee2)
		return wrong | BIT(BAD_MAGIC);

	sf->src = src;
	sf->version = byte_at(in, 2);
	sf->flags = byte_at(in, 3);
	sf->abi = byte_at(in, 4);
	sf->fixed_fp = (__s8)byte_at(in, 5);
	sf->fixed_ra = (__s8)byte_at(in, 6);
	sf->auxhdr_len = byte_at(in, 7);
	base = 28 + sf->auxhdr_len;
	sf->num_fdes = field(in, big, 8, 4);
	sf->num_fres = field(in, big, 12, 4);
	sf->fre_len = field(in, big, 16, 4);
	sf->fde_off = base + field(in, big, 20, 4);
	sf->fre_off = base + field(in, big, 24, 4);
	wrong |= wrong_header(in, sf, big);
	return wrong | wrong_areas(sf, src->size);
}

static void set_info(struct lw_sframe_fde *fde, __u8 info)
{
	static const __u8 sizes[16] = { 1, 2, 4 };

	fde->start_size = sizes[info & 15];
	fde->mask = info >> 4 & 1;
	fde->pauth_b = info >> 5 & 1;
	fde->analysed = info >> 6 & 1;
}

/**
 * expect_fde() - what lw_sframe_get_fde() must say
 * @in: input
 * @sf: its section, opened
 * @idx: number of the FDE
 * @fde: filled, as far as there are bytes
 *
 * Return: set of what is wrong.
 */
__u64 expect_fde(const struct input *in, const struct lw_sframe *sf, __u32 idx,
		 struct lw_sframe_fde *fde)
{
	unsigned int v2 = sf->version == 2, big = is_big(sf->abi);
	__u64 pos = sf->fde_off + (__u64)idx * (v2 ? 20 : 16);
	__u64 wrong = 0, attr;

	memset(fde, 0, sizeof(*fde));
	if (idx >= sf->num_fdes)
		return BIT(NO_RULE);

	fde->start = sf->place.addr + (sf->flags & 4 ? pos : 0) +
		     signed_field(in, big, pos, v2 ? 4 : 8);
	fde->size = field(in, big, pos + (v2 ? 4 : 8), 4);
	fde->rows = field(in, big, pos + (v2 ? 8 : 12), 4);
	if (fde->start < sf->place.text_start ||
	    fde->start >= sf->place.text_end ||
	    sf->place.text_end - fde->start < fde->size)
		wrong |= BIT(FUNC_OUTSIDE);
	if (v2) {
		fde->num_rows = field(in, big, pos + 12, 4);
		set_info(fde, byte_at(in, pos + 16));
		fde->rep_size = byte_at(in, pos + 17);
	} else {
		if (fde->rows + 5ULL > sf->fre_len)
			return wrong | BIT(FUNC_ROWS_OUTSIDE);
		attr = sf->fre_off + fde->rows;
		fde->rows += 5;
		fde->num_rows = field(in, big, attr, 2);
		set_info(fde, byte_at(in, attr + 2));
		fde->signal = byte_at(in, attr + 2) >> 7;
		fde->type = byte_at(in, attr + 3) & 31;
		fde->told = byte_at(in, attr + 3) >> 5;
		fde->rep_size = byte_at(in, attr + 4);
	}
	if (!fde->start_size)
		wrong |= BIT(BAD_ROW_TYPE);
	if (fde->type > 1 && (fde->type != 31 || !in->place.paths))
		wrong |= BIT(UNKNOWN_FDE_TYPE);
	if (fde->mask && (!fde->rep_size || fde->rep_size > fde->size))
		wrong |= BIT(BAD_BLOCK_SIZE);
	if (fde->rows + 2ULL * fde->num_rows > sf->fre_len)
		wrong |= BIT(FUNC_ROWS_OUTSIDE);
	return wrong;
}

static struct lw_rule_value in_memory(__s32 off)
{
	return (struct lw_rule_value){
		.base = LW_BASE_CFA, .off = off, .deref = 1,
	};
}

static __u64 name_register(unsigned int abi, __s64 reg,
			   struct lw_rule_value *value)
{
	static const struct {
		__u8 count, sp, fp;
	} known[] = {
		{}, { 32, 31, 29 }, { 32, 31, 29 }, { 16, 7, 6 }, { 32, 15, 11 },
	};

	if (reg < 0 || reg >= known[abi].count)
		return BIT(BAD_REGISTER);
	value->base = LW_BASE_REG;
	if (reg == known[abi].sp)
		value->base = LW_BASE_SP;
	else if (reg == known[abi].fp)
		value->base = LW_BASE_FP;
	else
		value->reg = reg;
	return 0;
}

/* The CFA of s390x is in units, and from the top of the register save area. */
static __u64 set_cfa_off(unsigned int abi, __s64 off, struct lw_rule *rule)
{
	if (abi == LW_SFRAME_ABI_S390X)
		off = off * 8 + 160;
	if (off < -0x80000000LL || off > 0x7fffffffLL)
		return BIT(BAD_OFFSET);
	rule->cfa.off = off;
	return 0;
}

static struct lw_rule_value unsaved_ra(unsigned int abi)
{
	if (abi == LW_SFRAME_ABI_AMD64)
		return in_memory(-8);
	return (struct lw_rule_value){
		.base = LW_BASE_REG, .reg = is_aarch64(abi) ? 30 : 14,
	};
}

static __u64 expect_slot(const struct lw_sframe *sf, __s64 word,
			 struct lw_rule_value *value)
{
	*value = (struct lw_rule_value){ .base = LW_BASE_NONE };
	if (sf->abi == LW_SFRAME_ABI_S390X && sf->version == 2 && word % 2)
		return name_register(sf->abi, (word - 1) / 2, value);
	*value = in_memory(word);
	return 0;
}

static __u64 expect_default(const struct lw_sframe *sf, __u8 info,
			    const __s64 *words, unsigned int count,
			    struct lw_rule *rule)
{
	__u64 wrong;

	rule->cfa.base = info & 1 ? LW_BASE_SP : LW_BASE_FP;
	rule->ra = unsaved_ra(sf->abi);
	wrong = set_cfa_off(sf->abi, words[0], rule);
	if (sf->abi == LW_SFRAME_ABI_AMD64) {
		if (count == 2)
			wrong |= expect_slot(sf, words[1], &rule->fp);
		return wrong;
	}
	if (count > 1 && (words[1] || is_aarch64(sf->abi)))
		wrong |= expect_slot(sf, words[1], &rule->ra);
	/* an address on the stack is no return address */
	if (rule->ra.base == LW_BASE_SP)
		wrong |= BIT(BAD_REGISTER);
	if (count > 2)
		wrong |= expect_slot(sf, words[2], &rule->fp);
	return wrong;
}

/* One of CFA, RA and FP, from *at on; size is that of a word, in bits. */
static __u64 expect_pair(const struct lw_sframe *sf, const __s64 *words,
			 unsigned int count, unsigned int size,
			 unsigned int *at, struct lw_rule_value *value,
			 __s64 *off)
{
	__u64 control, wrong = 0;

	if (*at == count)
		return 0;
	control = words[(*at)++] & ((1ULL << size) - 1);
	if (!control)
		return 0;
	if (*at == count || (control & 4))
		return BIT(BAD_FLEX);
	*value = (struct lw_rule_value){ .base = LW_BASE_CFA };
	if (control & 1)
		wrong = name_register(sf->abi, control >> 3, value);
	value->deref = control >> 1 & 1;
	*off = words[(*at)++];
	return wrong;
}

/* Of our own type: words for registers that are saved, each once. */
static __u64 expect_registers(const __s64 *words, unsigned int count, unsigned int at,
			      struct lw_rule *rule)
{
	__s64 slot;

	for (; at < count; at++) {
		if (words[at] < 0 || words[at] % 8 > 4 || rule->saved[words[at] % 8])
			return BIT(BAD_FLEX);
		slot = words[at] / 8;
		rule->saved[words[at] % 8] = slot ? slot * -8 : 1;
	}
	return 0;
}

/* RA and FP, from word at on, and registers; nothing may be behind them. */
static __u64 expect_saved(const struct lw_sframe *sf, const __s64 *words,
			  unsigned int count, unsigned int size,
			  unsigned int at, int path, struct lw_rule *rule)
{
	__u64 wrong;
	__s64 off;

	rule->ra = unsaved_ra(sf->abi);
	off = rule->ra.off;
	wrong = expect_pair(sf, words, count, size, &at, &rule->ra, &off);
	rule->ra.off = off;
	if (wrong)
		return wrong;
	if (!rule->ra.deref &&
	    (rule->ra.base == LW_BASE_CFA || rule->ra.base == LW_BASE_SP))
		return BIT(BAD_FLEX);

	off = 0;
	wrong = expect_pair(sf, words, count, size, &at, &rule->fp, &off);
	rule->fp.off = off;
	if (wrong || at == count)
		return wrong;
	return path ? expect_registers(words, count, at, rule) : BIT(BAD_FLEX);
}

static __u64 expect_flex(const struct lw_sframe *sf, const __s64 *words,
			 unsigned int count, unsigned int size,
			 struct lw_rule *rule)
{
	unsigned int at = 0;
	__s64 off = 0;
	__u64 wrong;

	wrong = expect_pair(sf, words, count, size, &at, &rule->cfa, &off);
	if (wrong)
		return wrong;
	if (rule->cfa.base == LW_BASE_NONE || rule->cfa.base == LW_BASE_CFA)
		return BIT(BAD_FLEX);
	wrong = set_cfa_off(sf->abi, off, rule);
	return wrong | expect_saved(sf, words, count, size, at, 0, rule);
}

/* Register, number of pointers, an offset and one for each of them; RA and FP. */
static __u64 expect_path(const struct lw_sframe *sf, const __s64 *words,
			 unsigned int count, unsigned int size,
			 struct lw_rule *rule)
{
	__u64 control = words[0] & ((1ULL << size) - 1), wrong;
	__u64 second = words[1] & ((1ULL << size) - 1);
	struct lw_rule_value index = { .base = LW_BASE_NONE };
	__s64 pointers = second % 4, i;

	if ((control & 3) != 1)
		return BIT(BAD_FLEX);
	wrong = name_register(sf->abi, control >> 3, &rule->cfa);
	if (wrong)
		return wrong;
	if (control & 4)
		rule->flags = LW_RULE_SWITCH;
	/* the index: SP and FP are none */
	if (second / 4 && (name_register(sf->abi, second / 4 - 1, &index) ||
			   index.base != LW_BASE_REG))
		return BIT(BAD_REGISTER);
	rule->cfa.index = second / 4;
	if (pointers > 2 || count < 3 + pointers)
		return BIT(BAD_FLEX);
	rule->cfa.deref = pointers;
	wrong = set_cfa_off(sf->abi, words[2], rule);
	for (i = 0; i < pointers; i++)
		rule->then[i] = words[3 + i];
	return wrong | expect_saved(sf, words, count, size, 3 + pointers, 1, rule);
}

static __u64 wrong_count(const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde, unsigned int count)
{
	int good;

	if (fde->type == LW_SFRAME_FLEX)
		good = count == 0 || (count >= 2 && count <= 6);
	else if (fde->type == LW_SFRAME_PATH)
		good = count == 0 || (count >= 3 && count <= 14);
	else if (sf->abi == LW_SFRAME_ABI_AMD64)
		good = count <= 2;
	else
		good = count <= 3;
	return good ? 0 : BIT(BAD_WORD_COUNT);
}

/* ld's .plt.got: one word too many. */
static void correct_plt_got(const struct lw_sframe *sf,
			    const struct lw_sframe_fde *fde,
			    const struct expected_row *row,
			    unsigned int count, struct lw_rule *rule)
{
	if (sf->abi == LW_SFRAME_ABI_AMD64 && !fde->type && fde->mask &&
	    fde->num_rows == 1 && row->start == 0 && count == 1 &&
	    rule->cfa.base == LW_BASE_SP && rule->cfa.off == 16)
		rule->cfa.off = 8;
}

static __u64 expect_rule(const struct input *in, const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde, __u64 pos,
			 struct expected_row *row)
{
	unsigned int count = row->info >> 1 & 15, size = 1U << (row->info >> 5 & 3);
	struct lw_rule *rule = &row->rule;
	__s64 words[14];
	unsigned int i;
	__u64 wrong;

	memset(rule, 0, sizeof(*rule));
	if (!count) {
		rule->flags = LW_RULE_OUTERMOST;
		return 0;
	}
	for (i = 0; i < count; i++)
		words[i] = signed_field(in, is_big(sf->abi), pos + i * size,
					size);
	if (fde->type == LW_SFRAME_FLEX)
		wrong = expect_flex(sf, words, count, 8 * size, rule);
	else if (fde->type == LW_SFRAME_PATH)
		wrong = expect_path(sf, words, count, 8 * size, rule);
	else
		wrong = expect_default(sf, row->info, words, count, rule);
	rule->sp_off = sf->abi == LW_SFRAME_ABI_S390X ? -160 : 0;
	if (fde->signal)
		rule->flags |= LW_RULE_SIGNAL;
	if (fde->analysed && sf->place.paths)
		rule->flags |= LW_RULE_ANALYSED;
	if (fde->told && sf->place.paths)
		rule->told = fde->told > 5 ? 0x1f : 1 << (fde->told - 1);
	if (is_aarch64(sf->abi) && row->info >> 7)
		rule->flags |= LW_RULE_PAC;
	correct_plt_got(sf, fde, row, count, rule);
	return wrong;
}

/**
 * expect_row() - what lw_sframe_next_row() must say, but for the order of rows
 * @in: input
 * @sf: its section, opened
 * @fde: the row's function, sound
 * @pos: of the row in the FRE area
 * @row: filled, as far as there are bytes
 *
 * Return: set of what is wrong.
 */
__u64 expect_row(const struct input *in, const struct lw_sframe *sf,
		 const struct lw_sframe_fde *fde, __u32 pos,
		 struct expected_row *row)
{
	__u64 head_end = (__u64)pos + fde->start_size + 1, wrong = 0;
	unsigned int count, code;

	memset(row, 0, sizeof(*row));
	if (head_end > sf->fre_len)
		return BIT(ROW_OUTSIDE);
	row->start = field(in, is_big(sf->abi), sf->fre_off + pos,
			   fde->start_size);
	row->info = byte_at(in, sf->fre_off + pos + fde->start_size);
	count = row->info >> 1 & 15;
	code = row->info >> 5 & 3;
	if (fde->mask ? row->start >= fde->rep_size : row->start > fde->size)
		wrong |= BIT(BAD_ROW_START);
	wrong |= wrong_count(sf, fde, count);
	if (code == 3)
		return wrong | BIT(BAD_WORD_SIZE);
	if (head_end + (count << code) > sf->fre_len)
		return wrong | BIT(ROW_OUTSIDE);
	row->end = head_end + (count << code);
	if (wrong)
		return wrong;
	return expect_rule(in, sf, fde, sf->fre_off + head_end, row);
}

/**
 * expect_result() - a result must be of what is wrong, or OK if nothing is
 * @what: call
 * @result: of the reader
 * @wrong: set of what is wrong
 */
void expect_result(const char *what, int result, __u64 wrong)
{
	if (result < 0 || result >= LW_SFRAME_NUM_RESULTS)
		die("%s: result %d", what, result);
	if (result ? !(wrong >> result & 1) : wrong != 0)
		die("%s: result %d, wrong is %#llx", what, result,
		    (unsigned long long)wrong);
}

/**
 * is_result() - may the reader return that?
 * @in: input
 * @result: of the reader
 *
 * Return: not 0 if so.
 */
int is_result(const struct input *in, int result)
{
	if (in->reads.fail_at && in->reads.calls >= in->reads.fail_at)
		return result == -EFAULT;
	return result >= 0 && result < LW_SFRAME_NUM_RESULTS;
}

static void expect_sane(const char *what, const struct lw_rule_value *value,
			unsigned int regs, unsigned int max_derefs)
{
	/* only the CFA may be behind two */
	int sane = value->index <= (max_derefs > 1 ? regs : 0) && value->deref <= max_derefs;

	switch (value->base) {
	case LW_BASE_NONE:
		sane &= !value->off && !value->deref && !value->reg;
		break;
	case LW_BASE_REG:
		sane &= value->reg < regs;
		break;
	default:
		sane &= value->base < LW_BASE_REG && !value->reg;
		break;
	}
	if (!sane)
		die("rule: %s makes no sense: base %u, register %u, %+d, deref %u",
		    what, value->base, value->reg, value->off, value->deref);
}

/**
 * expect_sense() - a rule must be one that rule.h knows
 * @sf: section that it is from
 * @rule: the rule
 */
void expect_sense(const struct lw_sframe *sf, const struct lw_rule *rule)
{
	static const struct lw_rule outermost = { .flags = LW_RULE_OUTERMOST };
	unsigned int regs = sf->abi == LW_SFRAME_ABI_AMD64 ? 16 : 32;
	__u32 known = LW_RULE_SIGNAL | (is_aarch64(sf->abi) ? LW_RULE_PAC : 0) |
		      (sf->place.paths ? LW_RULE_SWITCH | LW_RULE_ANALYSED : 0);

	if (rule->flags & LW_RULE_OUTERMOST) {
		if (!same_rule(rule, &outermost))
			die("rule: outermost, and more than that");
		return;
	}
	expect_sane("CFA", &rule->cfa, regs, sf->place.paths ? 2 : 1);
	expect_sane("RA", &rule->ra, regs, 1);
	expect_sane("FP", &rule->fp, regs, 1);
	if ((rule->then[0] && (!rule->cfa.deref || !sf->place.paths)) ||
	    (rule->then[1] && rule->cfa.deref < 2))
		die("rule: CFA behind %u pointers, then %+d, %+d", rule->cfa.deref,
		    rule->then[0], rule->then[1]);
	if (rule->cfa.base == LW_BASE_NONE || rule->cfa.base == LW_BASE_CFA)
		die("rule: no CFA");
	if (rule->ra.base == LW_BASE_NONE ||
	    (!rule->ra.deref && (rule->ra.base == LW_BASE_CFA ||
				 rule->ra.base == LW_BASE_SP)))
		die("rule: no RA");
	if (rule->flags & ~known)
		die("rule: flags %#x", rule->flags);
	if (rule->flags & LW_RULE_SIGNAL && sf->version == 2)
		die("rule: a signal frame, in version 2");
	if (rule->sp_off != (sf->abi == LW_SFRAME_ABI_S390X ? -160 : 0))
		die("rule: SP at CFA%+d", rule->sp_off);
}

/**
 * same_rule() - compare two rules, whole
 * @a: rule
 * @b: rule
 *
 * Return: not 0 if they are the same.
 */
int same_rule(const struct lw_rule *a, const struct lw_rule *b)
{
	return !memcmp(a, b, sizeof(*a));
}
