/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup.h - for tests: asks the reader of a section in both ways, by read()
 * and in memory, and checks what holds for each look-up.
 */
#ifndef LW_LOOKUP_H
#define LW_LOOKUP_H

#include <string.h>

#include "section.h"
#include "tap.h"

/* versions, and encodings of starts, that all else must work with */
struct form {
	__u8	version;
	__u8	flags;
};

static const struct form forms[] = {
	{ 2, SORTED }, { 2, SORTED | PCREL },
	{ 3, SORTED }, { 3, SORTED | PCREL },
};

#define NUM_FORMS	(sizeof(forms) / sizeof(forms[0]))

#define EACH_FORM							\
	for (const struct form *form = forms; form < forms + NUM_FORMS; form++)

#define EACH_VERSION(version)						\
	for (__u8 version = 2; version <= 3; version++)

/*
 * The section sec for what follows, made by @make and freed behind it: no break or return
 * in there.
 */
#define WITH(make)							\
	for (struct section sec, *made_ = ((make), &sec); made_;	\
	     section_free(&sec), made_ = NULL)

#define EACH_FORM_WITH(make)						\
	for (const struct form *form = forms; form < forms + NUM_FORMS; form++) \
		WITH(make)

#define EACH_GOOD							\
	for (const struct form *form = forms; form < forms + NUM_FORMS; form++) \
		WITH(good(&sec, form->version, form->flags))

static inline struct lw_rule_value at_sp(__s32 off)
{
	return (struct lw_rule_value){ .base = LW_BASE_SP, .off = off };
}

static inline struct lw_rule_value at_fp(__s32 off)
{
	return (struct lw_rule_value){ .base = LW_BASE_FP, .off = off };
}

static inline struct lw_rule_value at_cfa(__s32 off)
{
	return (struct lw_rule_value){ .base = LW_BASE_CFA, .off = off };
}

static inline struct lw_rule_value at_reg(__u8 reg, __s32 off)
{
	return (struct lw_rule_value){
		.base = LW_BASE_REG, .reg = reg, .off = off,
	};
}

/* What is in memory there. */
static inline struct lw_rule_value mem(struct lw_rule_value where)
{
	where.deref = 1;
	return where;
}

/* A rule as x86-64 mostly has it.  fp: 0 for none. */
static inline struct lw_rule amd64(struct lw_rule_value cfa, __s32 fp)
{
	struct lw_rule rule = { .cfa = cfa, .ra = mem(at_cfa(-8)) };

	if (fp)
		rule.fp = mem(at_cfa(fp));
	return rule;
}

static inline void print_value(const char *name,
			       const struct lw_rule_value *v)
{
	static const char *const bases[] = { "none", "sp", "fp", "cfa", "reg" };

	printf(" %s %s%s%u%+d", name, v->deref ? "*" : "",
	       v->base <= LW_BASE_REG ? bases[v->base] : "?", v->reg, v->off);
}

static inline void print_rule(const struct lw_rule *rule)
{
	printf("#");
	print_value("cfa", &rule->cfa);
	print_value("ra", &rule->ra);
	print_value("fp", &rule->fp);
	printf(" sp %+d flags %#x\n", rule->sp_off, rule->flags);
}

/* Opens anew, as most tests change bytes first. */
static inline int find_by(struct section *sec, __u64 pc, struct lw_rule *rule,
			  enum mode mode)
{
	struct lw_sframe sf;
	struct lw_rule before;
	int err;

	memset(rule, 0x5a, sizeof(*rule));
	memcpy(&before, rule, sizeof(before));
	sec->calls = 0;
	err = section_open(sec, &sf, mode);
	if (!err) {
		CHECK_EQ(sec->calls, mode == BY_READ);
		sec->calls = 0;
		err = lw_sframe_find(&sf, pc, rule);
	}
	if (err)
		CHECK(!memcmp(&before, rule, sizeof(before)));
	if (mode == IN_MEMORY)
		CHECK_EQ(sec->calls, 0);
	CHECK_EQ(sec->outside, 0);
	CHECK(sec->calls <= LW_SFRAME_MAX_READS);
	return err;
}

/* With an index of some size, if the section can have one. */
static inline void check_indexed(struct section *sec, __u64 pc, int wanted,
				 const struct lw_rule *rule)
{
	__u32 room = 2 + pc % 11, *first = calloc(room + 1, sizeof(*first));
	struct lw_sframe sf;
	struct lw_rule other;

	if (!first)
		abort();
	memset(&other, 0x5a, sizeof(other));
	if (!section_open(sec, &sf, IN_MEMORY) &&
	    !lw_sframe_add_index(&sf, first, room, NULL)) {
		CHECK_EQ(lw_sframe_find(&sf, pc, &other), wanted);
		CHECK(!memcmp(rule, &other, sizeof(other)));
	}
	free(first);
}

/* In all ways; sec->calls is that of read(). */
static inline int find(struct section *sec, __u64 pc, struct lw_rule *rule)
{
	struct lw_rule other;
	unsigned int calls;
	int err;

	err = find_by(sec, pc, rule, BY_READ);
	calls = sec->calls;
	CHECK_EQ(find_by(sec, pc, &other, IN_MEMORY), err);
	CHECK(!memcmp(rule, &other, sizeof(other)));
	check_indexed(sec, pc, err, rule);
	sec->calls = calls;
	return err;
}

static inline int result(struct section *sec, __u64 pc)
{
	struct lw_rule rule;

	return find(sec, pc, &rule);
}

static inline int open_result(struct section *sec)
{
	struct lw_sframe sf;
	int err;

	sec->calls = 0;
	err = section_open(sec, &sf, IN_MEMORY);
	CHECK_EQ(sec->calls, 0);
	CHECK_EQ(section_open(sec, &sf, BY_READ), err);
	CHECK(sec->calls <= 1);
	CHECK_EQ(sec->outside, 0);
	return err;
}

static inline int is_rule(struct section *sec, __u64 pc, struct lw_rule wanted)
{
	struct lw_rule rule;
	int err = find(sec, pc, &rule);

	if (!err && !memcmp(&rule, &wanted, sizeof(rule)))
		return 1;
	printf("# %#llx: %d, version %u\n", (unsigned long long)pc, err,
	       sec->version);
	if (!err)
		print_rule(&rule);
	return 0;
}

static inline int is_outermost(struct section *sec, __u64 pc)
{
	return is_rule(sec, pc, (struct lw_rule){
			.flags = LW_RULE_OUTERMOST });
}

/* functions of good(), by index */
enum {
	PLT0, PLT, PLT_GOT, SMALL, MIDDLE, LARGE, OUTER, EMPTY_A, SHARED,
	EMPTY_B, LAST, NUM
};

#define START_PLT	0x401030
#define START_PLT_GOT	0x401070
#define START_SMALL	0x401100
#define START_MIDDLE	0x401180
#define START_LARGE	0x402000
#define START_OUTER	0x430000
#define START_SHARED	0x430100
#define START_LAST	0x43fff0

/* One of everything that must work. */
static inline void good(struct section *sec, __u8 version, __u8 flags)
{
	section_init(sec, version, LW_SFRAME_ABI_AMD64, SORTED | flags);
	section_fde(sec, 0x401020, 16, INC, 16);
	section_row(sec, 0, SP, 16);
	section_row(sec, 6, SP, 24);
	section_fde(sec, START_PLT, 64, MASK, 16);
	section_row(sec, 0, SP, 8);
	section_row(sec, 11, SP, 16);
	section_fde(sec, START_PLT_GOT, 16, MASK, 8);
	section_row(sec, 0, SP, 16);
	section_fde(sec, START_SMALL, 0x80, INC, 0);
	section_row(sec, 0, SP, 8);
	section_row(sec, 1, SP, 16, -16);
	section_row(sec, 4, FP, 16, -16);
	section_row(sec, 0x7f, SP, 8);
	section_fde(sec, START_MIDDLE, 0x200, INC | 1, 0);
	section_row(sec, 0, SP, 8);
	section_row(sec, 27, SP | W2, 336, -16);
	section_row(sec, 0x100, SP | W4, 70000, -70000);
	section_row(sec, 0x1f0, FP | W2, -4096);
	section_fde(sec, START_LARGE, 0x20000, INC | 2, 0);
	section_row(sec, 0, SP, 8);
	section_row(sec, 0x10001, SP | W4, 0x7ffffff8);
	section_row(sec, 0x18000, FP, -8);
	section_fde(sec, START_OUTER, 0x20, INC, 0);
	section_row(sec, 0, SP);
	section_row(sec, 0x10, SP, 8);
	section_fde(sec, START_SHARED, 0, INC, 0);
	section_row(sec, 0, SP, 80);
	section_fde(sec, START_SHARED, 0x10, INC, 0);
	section_row(sec, 2, SP, 8);
	section_fde(sec, START_SHARED, 0, INC, 0);
	section_row(sec, 0, SP, 88);
	section_fde(sec, START_LAST, 0x10, INC, 0);
	section_row(sec, 0, SP, 8);
	section_finish(sec);
}

static inline void check_good(struct section *sec)
{
	CHECK(is_rule(sec, START_SMALL, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, START_SMALL + 1, amd64(at_sp(16), -16)));
	CHECK(is_rule(sec, START_SMALL + 3, amd64(at_sp(16), -16)));
	CHECK(is_rule(sec, START_SMALL + 4, amd64(at_fp(16), -16)));
	CHECK(is_rule(sec, START_SMALL + 0x7e, amd64(at_fp(16), -16)));
	CHECK(is_rule(sec, START_SMALL + 0x7f, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, START_MIDDLE, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, START_MIDDLE + 27, amd64(at_sp(336), -16)));
	CHECK(is_rule(sec, START_MIDDLE + 0xff, amd64(at_sp(336), -16)));
	CHECK(is_rule(sec, START_MIDDLE + 0x100,
		      amd64(at_sp(70000), -70000)));
	CHECK(is_rule(sec, START_MIDDLE + 0x1ff, amd64(at_fp(-4096), 0)));
	CHECK(is_rule(sec, START_LARGE + 0x10000, amd64(at_sp(8), 0)));
	CHECK(is_rule(sec, START_LARGE + 0x10001,
		      amd64(at_sp(0x7ffffff8), 0)));
	CHECK(is_rule(sec, START_LARGE + 0x1ffff, amd64(at_fp(-8), 0)));
	CHECK(is_rule(sec, START_LAST + 15, amd64(at_sp(8), 0)));
}

/* A field of one FDE of good() changed: what comes of a look-up. */
static inline int find_with(__u8 version, __u32 fde, enum field field,
			    __u64 value, __u64 pc)
{
	struct section sec;
	int err;

	good(&sec, version, 0);
	section_put_field(&sec, fde, field, value);
	err = result(&sec, pc);
	section_free(&sec);
	return err;
}

/* A byte of the rows of one FDE changed. */
static inline int find_row_with(__u8 version, __u32 fde, __u32 off, __u8 value,
				__u64 pc)
{
	struct section sec;
	int err;

	good(&sec, version, 0);
	section_put(&sec, section_fre_pos(&sec, fde) + off, 1, value);
	err = result(&sec, pc);
	section_free(&sec);
	return err;
}

#endif /* LW_LOOKUP_H */
