// SPDX-License-Identifier: GPL-2.0
/*
 * rule_test.c - rules as no assembler would write them, in sections of version 3
 * made by hand: any register and any address behind one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/lw_test.h"
#include "lib/page.h"
#include "lib/sframe_abi.h"
#include "lib/victim.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

/* A row: words of one size, of one, two or four bytes. */
struct row {
	uint8_t start;
	uint8_t info;
	union {
		uint8_t bytes[14];
		uint16_t halves[7];
		uint32_t words[3];
	};
} __attribute__((packed));

/* A section with one function, of version 3. */
struct made {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint8_t abi;
	int8_t fixed_fp;
	int8_t fixed_ra;
	uint8_t auxhdr_len;
	uint32_t num_fdes;
	uint32_t num_fres;
	uint32_t fre_len;
	uint32_t fdeoff;
	uint32_t freoff;
	/* the function */
	int64_t start;
	uint32_t size;
	uint32_t rows;
	/* its attribute */
	uint16_t num_rows;
	uint8_t info;
	uint8_t info2;
	uint8_t rep_size;
	struct row row;
} __attribute__((packed));

#define DEFAULT		0
#define FLEX		1
#define SIGNAL		0x80	/* in the info byte of the attribute */

/* Words of a FLEX row: what, then the offset. */
#define REG(n)		((n) << 3 | 1)
#define AT_REG(n)	((n) << 3 | 3)
#define AT_CFA		2
#define PAD		0
#define FP		SFRAME_FP
#define SP		SFRAME_SP
#define R9		9	/* On all machines one that no row of a caller tells of. */

/* In the info byte of a row: how many words there are, and how large they are. */
#define BYTES(nr)	((nr) << 1)
#define HALVES(nr)	(BYTES(nr) | 1 << 5)
#define WORDS(nr)	(BYTES(nr) | 2 << 5)
#define ROW_SP		1	/* likewise, of a DEFAULT row */
#define ROW_MANGLED	0x80	/* likewise: the return address is signed */
#define NR(...)		(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/*
 * CFA_BIAS: the CFA is that much above the caller's stack pointer.
 * CFA(off): the word for a CFA that is @off bytes from its base.
 * SIZED, WORDS_OF: of words that are large enough for the offsets below.
 */
#if defined(__s390x__)
#define CFA_BIAS	160
#define CFA(off)	(((off) - CFA_BIAS) / 8)
#define SIZED		HALVES
#define WORDS_OF	halves
#else
#define CFA_BIAS	0
#define CFA(off)	(off)
#define SIZED		BYTES
#define WORDS_OF	bytes
#endif

#define A_ROW(start, flags, ...) {						\
	start, SIZED(NR(__VA_ARGS__)) | (flags), .WORDS_OF = { __VA_ARGS__ }	\
}

/* For the whole function. */
#define ROW(...)	A_ROW(0, 0, __VA_ARGS__)
/* Likewise, from a CFA by which the caller's stack pointer is @off bytes above the base. */
#define ABOVE(off)	CFA((off) + CFA_BIAS)

/*
 * Rows of functions that have saved the return address right below the caller's stack pointer,
 * with words for CFA and FP.  Where calls put it there, no word has to say so.  SP_PLUS() is a
 * DEFAULT row: the caller's stack pointer is @off above this one.
 */
#define RA_OFF		(-8 - CFA_BIAS)
#if defined(__x86_64__)
#define SAVED_ROW(reg, cfa)		ROW(reg, cfa)
#define SAVED_ROW_AND(reg, cfa, ...)	ROW(reg, cfa, PAD, __VA_ARGS__)
#define SP_PLUS(off)			A_ROW(0, ROW_SP, ABOVE(off))
#else
#define SAVED_ROW(reg, cfa)		ROW(reg, cfa, AT_CFA, RA_OFF)
#define SAVED_ROW_AND(reg, cfa, ...)	ROW(reg, cfa, AT_CFA, RA_OFF, __VA_ARGS__)
#define SP_PLUS(off)			A_ROW(0, ROW_SP, ABOVE(off), RA_OFF)
#endif

FIXTURE(rule)
{
	struct asker a;
	struct victim v;
	uint64_t sp;
	uint64_t start;		/* of the function that gets the row */
};

FIXTURE_SETUP(rule)
{
	ASSERT_EQ(0, asker_open(&self->a));
	ASSERT_EQ(0, victim_load(&self->v, "./libvictim.so", "/tmp"));
	self->sp = (uintptr_t)self->a.stack;
	self->start = (uintptr_t)self->v.raw;
}

FIXTURE_TEARDOWN(rule)
{
	asker_close(&self->a);
}

/* Gives victim_raw(), or what begins at self->start, this row, and no other function any. */
static int make_rule(FIXTURE_DATA(rule) *self, uint8_t info, uint8_t type, const struct row *row)
{
	struct victim *v = &self->v;
	struct made made = {
		.magic = 0xdee2,
		.version = 3,
		.flags = 5,
		.abi = SFRAME_ABI,
		.fixed_ra = (int8_t)SFRAME_FIXED_RA,
		.num_fdes = 1,
		.num_fres = 1,
		.fre_len = 5 + sizeof(made.row),
		.freoff = 16,
		.start = self->start - victim_section(v) - offsetof(struct made, start),
		.size = v->raw_end - self->start,
		.num_rows = row ? 1 : 0,
		.info = info,
		.info2 = type,
	};

	if (sizeof(made) > v->sframe->p_filesz)
		return -1;
	if (row)
		made.row = *row;
	return victim_poke(v, v->sframe->p_offset, &made, sizeof(made));
}

/* For a row of the macros above. */
#define MAKE_FLEX(...)							\
do {									\
	static const struct row lwt_row = __VA_ARGS__;			\
									\
	ASSERT_EQ(0, make_rule(self, 0, FLEX, &lwt_row));		\
} while (0)

/* From inside victim_raw(), which that rule is for. */
static struct lwt_stack *ask(FIXTURE_DATA(rule) *self, uint64_t fp,
			     uint64_t r9)
{
	return asker_ask(&self->a, self->v.raw, self->sp, fp, r9);
}

/* How the walk ended, of which frame 1 was found by that rule. */
static uint32_t end_behind_rule(const struct lwt_stack *stack)
{
	return stack && stack->nr > 1 && lwt_how(stack)[1] == LW_HOW_SFRAME ?
	       stack->end : 0;
}

/* How the walk ended that has only one frame. */
static uint32_t end_at_once(const struct lwt_stack *stack)
{
	return stack && stack->nr == 1 ? stack->end : 0;
}

/* Of a symbol of the kernel, which has something to read there, and this process has nothing. */
static uint64_t kernel_address;

/* Where the kernel has an address space of its own, as on s390x. */
static bool is_mapped(uint64_t address)
{
	unsigned char there;

	return !mincore((void *)(address & -lwt_page()), 1, &there) || errno != ENOMEM;
}

/*
 * Once: each test is a process, and the file is long.  The symbols are further apart than what a
 * process has that high, which is its stack.
 */
static __attribute__((constructor)) void find_kernel_address(void)
{
	kernel_address = lwt_kernel_function("linux_banner").from & ~7ULL;
	if (is_mapped(kernel_address))
		kernel_address = lwt_kernel_function("_stext").from & ~7ULL;
}

#if defined(__x86_64__)
#define USER_END	0x0000800000000000
#define VSYSCALL	0xffffffffff600000	/* What user space may call. */
#elif defined(__aarch64__)
#define USER_END	0x0001000000000000
#define VSYSCALL	0
#elif defined(__s390x__)
#define USER_END	0xfffffffffffff000
#define VSYSCALL	0
#endif

/* Where nothing can be read, by a user or at all. */
static unsigned int bad_addresses(FIXTURE_DATA(rule) *self, uint64_t *bad)
{
	const uint64_t all[] = {
		0, 8, 1, self->sp + 1, self->sp + 4, self->sp - 8,
		self->sp + ASKER_WORDS * 8, self->sp + ASKER_WORDS * 8 - 4,
		0x00007ffffffff000, 0x00007ffffffffff8, 0x0000800000000000, USER_END + 8,
		0x7ffffffffffffff8, 0x8000000000000000,
		0xfffffffffffffff8, 0xffffffffffffffff,
#if defined(__x86_64__)
		0xffff800000000000, 0xffff888000000000, 0xffffffff81000000, VSYSCALL,
#elif defined(__aarch64__)
		0xfff0000000000008, 0xffff000000000008, 0xffff800080000000,
#endif
		kernel_address, kernel_address + 1,
	};

	memcpy(bad, all, sizeof(all));
	return kernel_address ? ARRAY_SIZE(all) : 0;
}

#define MAX_BAD	32

/*
 * What each test does with hostile words it also does with good ones, so that
 * it is known that the rule is what decides.
 */
static void make_good_caller(FIXTURE_DATA(rule) *self, unsigned int cfa)
{
	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[cfa - 1] = (uintptr_t)raw_hostile_sframe_ip;
	self->a.stack[cfa] = 0;
}

TEST_F(rule, may_have_the_cfa_behind_any_register)
{
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	MAKE_FLEX(SAVED_ROW(AT_REG(R9), CFA(0)));
	make_good_caller(self, 20);
	self->a.stack[100] = self->sp + 20 * 8 + CFA_BIAS;
	stack = ask(self, 0, self->sp + 100 * 8);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[1]);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(LW_END_FAULT, end_at_once(ask(self, 0, bad[i])))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
	}
}

/* As gcc has it for a realigned stack on x86: *(rbp-8). */
TEST_F(rule, may_have_the_cfa_behind_the_frame_pointer)
{
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	MAKE_FLEX(SAVED_ROW_AND(AT_REG(FP), CFA(-8), AT_REG(FP), 0));
	make_good_caller(self, 20);
	self->a.stack[99] = self->sp + 20 * 8 + CFA_BIAS;
	stack = ask(self, self->sp + 100 * 8, 0);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(LW_END_FAULT, end_at_once(ask(self, bad[i] + 8, 0)))
			TH_LOG("FP is %llx", (unsigned long long)bad[i] + 8);
	}
}

/* What is there may be anything too. */
TEST_F(rule, may_find_no_cfa)
{
	const struct {
		uint64_t cfa;
		uint32_t end;
	} cases[] = {
		{ 0, LW_END_BAD_CFA },
		{ 1, LW_END_BAD_CFA },
		{ self->sp, LW_END_BAD_CFA },
		{ self->sp + CFA_BIAS - 8, LW_END_BAD_CFA },
		{ self->sp + CFA_BIAS + 12, LW_END_BAD_CFA },
		{ 0xffffffffffffffff, LW_END_BAD_CFA },
		{ self->sp + CFA_BIAS + ASKER_WORDS * 8 + 8, LW_END_FAULT },
		{ USER_END, LW_END_FAULT },
		{ 0xffff888000000008, LW_END_FAULT },
		{ 0xfffffffffffffff8, LW_END_FAULT },
		{ kernel_address + CFA_BIAS + 8, LW_END_FAULT },
	};
	unsigned int i;

	MAKE_FLEX(SAVED_ROW(AT_REG(R9), CFA(0)));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		self->a.stack[100] = cases[i].cfa;
		EXPECT_EQ(cases[i].end,
			  end_at_once(ask(self, 0, self->sp + 100 * 8)))
			TH_LOG("CFA is %llx",
			       (unsigned long long)cases[i].cfa);
	}
}

/* The CFA is the same good one both times. */
TEST_F(rule, needs_a_frame_pointer_above_the_stack_pointer)
{
	MAKE_FLEX(SAVED_ROW(REG(FP), ABOVE(8)));
	make_good_caller(self, 1);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(ask(self, self->sp, 0)));

	MAKE_FLEX(SAVED_ROW(REG(FP), ABOVE(16)));
	make_good_caller(self, 1);
	EXPECT_EQ(LW_END_BAD_CFA, end_at_once(ask(self, self->sp - 8, 0)));
}

TEST_F(rule, may_have_the_return_address_behind_any_register)
{
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	MAKE_FLEX(ROW(REG(SP), ABOVE(8), AT_REG(R9), 0));
	make_good_caller(self, 1);
	/* Not this one. */
	self->a.stack[0] = 0;
	self->a.stack[1] = 0;
	self->a.stack[100] = (uintptr_t)raw_hostile_sframe_ip;
	stack = ask(self, 0, self->sp + 100 * 8);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(LW_END_FAULT, end_at_once(ask(self, 0, bad[i])))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
	}
	self->a.stack[100] = self->sp;
	EXPECT_EQ(LW_END_BAD_IP,
		  end_at_once(ask(self, 0, self->sp + 100 * 8)));
	self->a.stack[100] = 0;
	EXPECT_EQ(LW_END_OUTERMOST,
		  end_at_once(ask(self, 0, self->sp + 100 * 8)));
}

/* How the walk ends where the return address is @ra, which is bad. */
static uint32_t end_at(uint64_t ra)
{
#if defined(__aarch64__)
	/* Without the tag, and what may sign it. */
	ra &= ~0ULL >> 12;
#endif
	return ra ? LW_END_BAD_IP : LW_END_OUTERMOST;
}

TEST_F(rule, may_have_the_return_address_in_any_register)
{
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	MAKE_FLEX(ROW(REG(SP), ABOVE(8), REG(R9), 0));
	self->a.stack[0] = 0;
	self->a.stack[1] = 0;
	stack = ask(self, 0, (uintptr_t)raw_hostile_sframe_ip);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	/* The first one is 0: no caller. */
	EXPECT_EQ(LW_END_OUTERMOST, end_at_once(ask(self, 0, bad[0])));
	for (i = 1; i < nr; i++) {
		stack = ask(self, 0, bad[i]);
		ASSERT_NE(NULL, stack);
		/* The vsyscall page is code, or is not. */
		if (bad[i] == VSYSCALL)
			continue;
		EXPECT_EQ(end_at(bad[i]), end_at_once(stack))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
	}
}

#ifdef SFRAME_LINK
/* Where a call has left it: no word says anything, of either kind of row. */
TEST_F(rule, may_leave_the_return_address_where_the_call_has_put_it)
{
	static const struct row rows[] = {
		[DEFAULT] = A_ROW(0, ROW_SP, ABOVE(8)),
		[FLEX] = ROW(REG(SP), ABOVE(8)),
	};
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, type, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	for (type = DEFAULT; type <= FLEX; type++) {
		ASSERT_EQ(0, make_rule(self, 0, type, &rows[type]));
		memset(self->a.stack, 0xff, ASKER_WORDS * 8);
		self->a.stack[1] = 0;
		self->a.link = (uintptr_t)raw_hostile_sframe_ip;
		stack = ask(self, 0, 0);
		EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
		EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[1]);
		for (i = 0; i < nr; i++) {
			self->a.link = bad[i];
			EXPECT_EQ(end_at(bad[i]), end_at_once(ask(self, 0, 0)))
				TH_LOG("the register is %llx", (unsigned long long)bad[i]);
		}
		/* To itself: whom it has called has another one there. */
		self->a.link = self->v.raw_ip;
		stack = ask(self, 0, 0);
		EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
		EXPECT_EQ(2, stack->nr);
	}
}
#endif

#if defined(__aarch64__)
/* In bits 54 to 52, which are no address's however large the address space, and a tag. */
#define SIGNED		0xb550000000000000

static uint64_t sign(const void *address)
{
	return (uintptr_t)address | SIGNED;
}

/* On the stack, in a register of any number, and where the call has put it. */
TEST_F(rule, may_have_a_return_address_that_is_signed)
{
	static const struct row rows[] = {
		ROW(REG(SP), 8, AT_CFA, -8),
		ROW(REG(SP), 8, REG(R9), 0),
		ROW(REG(SP), 8),
		A_ROW(0, ROW_SP, 8, -8),
		A_ROW(0, ROW_SP, 8),
	};
	static const uint8_t types[] = { FLEX, FLEX, FLEX, DEFAULT, DEFAULT };
	const uint64_t address = sign(raw_hostile_sframe_ip);
	struct lwt_stack *stack;
	struct row row;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		row = rows[i / 2];
		row.info |= i % 2 * ROW_MANGLED;
		ASSERT_EQ(0, make_rule(self, 0, types[i / 2], &row));
		/* In one place only. */
		self->a.stack[0] = i / 2 == 0 || i / 2 == 3 ? address : 0;
		self->a.stack[1] = SIGNED;
		self->a.link = i / 2 == 2 || i / 2 == 4 ? address : 0;
		stack = ask(self, 0, i / 2 == 1 ? address : 0);
		EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack))
			TH_LOG("row %u", i);
		ASSERT_EQ(2, stack->nr);
		EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[1]);
	}
}
#endif

/* As in vfork() of glibc: then the caller has the same stack pointer. */
TEST_F(rule, may_leave_nothing_on_the_stack)
{
	struct lwt_stack *stack;

	MAKE_FLEX(ROW(REG(SP), ABOVE(0), REG(R9), 0));
	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[0] = 0;
	stack = ask(self, 0, (uintptr_t)raw_hostile_sframe_ip);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[1]);
	/* To itself: there the register is not known any more. */
	stack = ask(self, 0, self->v.raw_ip);
	EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
	MAKE_FLEX(ROW(REG(SP), ABOVE(0), AT_REG(R9), 0));
	self->a.stack[100] = (uintptr_t)raw_hostile_sframe_ip;
	stack = ask(self, 0, self->sp + 100 * 8);
#if CFA_BIAS
	/* In its caller's frame a function saves registers before it makes its own. */
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	self->a.stack[100] = self->v.raw_ip;
	stack = ask(self, 0, self->sp + 100 * 8);
	EXPECT_EQ(LW_END_BAD_CFA, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
#else
	/* Where the return address is in memory the stack pointer rises. */
	EXPECT_EQ(LW_END_BAD_CFA, end_at_once(stack));
#endif
	MAKE_FLEX(ROW(REG(SP), ABOVE(-8), REG(R9), 0));
	EXPECT_EQ(LW_END_BAD_CFA,
		  end_at_once(ask(self, 0, (uintptr_t)raw_hostile_sframe_ip)));
}

/*
 * As that which a context of makecontext() ends in: it is no caller's, and what it has on the
 * stack is no return address.
 */
TEST_F(rule, may_be_of_a_function_that_is_returned_to)
{
	uint64_t behind_call = (uintptr_t)dlsym(self->v.handle, "victim_behind_call");
	struct lwt_stack *stack;

	ASSERT_NE(0, behind_call);
	MAKE_FLEX(SAVED_ROW(REG(SP), ABOVE(8)));
	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[0] = self->start;
	self->a.stack[1] = (uintptr_t)raw_hostile_fp_ip;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, 0);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(self->start, stack->frames[1]);
	/* Behind a call it is a caller of whom nothing is known. */
	self->start = behind_call;
	MAKE_FLEX(SAVED_ROW(REG(SP), ABOVE(8)));
	self->a.stack[0] = behind_call;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, 0);
	EXPECT_EQ(RAW_END_OF_FP, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
}

/* Not to know the frame pointer matters to those only who need it. */
TEST_F(rule, may_lose_the_frame_pointer)
{
	struct lwt_stack *stack;
	uint64_t bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);

	ASSERT_LT(0, nr);
	MAKE_FLEX(SAVED_ROW_AND(REG(SP), ABOVE(8), AT_REG(R9), 0));
	make_good_caller(self, 1);
	for (i = 0; i < nr; i++) {
		stack = ask(self, self->sp + 80, bad[i]);
		EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
	}
#if !defined(__s390x__)
	/* This caller goes by the frame pointer; 0 is said to be the last.  On s390x none does. */
	self->a.stack[0] = (uintptr_t)raw_hostile_fp_ip;
	self->a.stack[100] = 0;
	stack = ask(self, self->sp + 80, self->sp + 100 * 8);
	EXPECT_EQ(LW_END_OUTERMOST_FP, end_behind_rule(stack));
	for (i = 0; i < nr; i++) {
		stack = ask(self, self->sp + 80, bad[i]);
		EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
		ASSERT_EQ(2, stack->nr);
	}
#endif
}

/* The same rule twice: the frame pointer it needs is the one that it finds. */
TEST_F(rule, may_need_a_frame_pointer_that_is_lost)
{
	uint64_t fp = self->sp + 80, r9 = self->sp + 100 * 8, bad[MAX_BAD];
	unsigned int i, nr = bad_addresses(self, bad);
	struct lwt_stack *stack;

	ASSERT_LT(0, nr);
	MAKE_FLEX(SAVED_ROW_AND(REG(FP), ABOVE(16), AT_REG(R9), 0));
	self->a.stack[11] = self->v.raw_ip;
	self->a.stack[100] = self->sp + 200 * 8;
	self->a.stack[201] = 0;
	stack = ask(self, fp, r9);
	EXPECT_EQ(LW_END_OUTERMOST, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
	for (i = 0; i < nr; i++) {
		stack = ask(self, fp, bad[i]);
		EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack))
			TH_LOG("r9 is %llx", (unsigned long long)bad[i]);
		ASSERT_EQ(2, stack->nr);
	}
}

/* No row says whether the callee has saved the register: it is likely, if it leads to a call. */
TEST_F(rule, may_go_by_a_register_that_the_callee_has_not_changed)
{
	uint64_t behind_call = (uintptr_t)dlsym(self->v.handle, "victim_behind_call");
	uint64_t r9 = self->sp + 20 * 8;
	struct lwt_stack *stack;
	struct lwt_session s;

	ASSERT_NE(0, behind_call);
	MAKE_FLEX(SAVED_ROW(REG(R9), ABOVE(0)));
	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[0] = self->v.raw_ip;
	self->a.stack[19] = behind_call;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, r9);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ(self->v.raw_ip, stack->frames[1]);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[1]);
	EXPECT_EQ(behind_call, stack->frames[2]);
	EXPECT_EQ(LW_HOW_ANALYSIS, lwt_how(stack)[2]);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);
	/* The topmost frame's register is sure. */
	stack = ask(self, 0, r9);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[1]);
	/* No call ends there, or nothing does. */
	self->a.stack[19] = (uintptr_t)raw_hostile_sframe_ip;
	EXPECT_EQ(LW_END_NO_RULE,
		  end_behind_rule(asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, r9)));
	self->a.stack[19] = 0;
	EXPECT_EQ(LW_END_NO_RULE,
		  end_behind_rule(asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, r9)));
	/* To the caller again, at the same place: there is no progress. */
	self->a.stack[19] = self->v.raw_ip;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, r9);
	EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);

	self->a.stack[19] = behind_call;
	ASSERT_EQ(0, lwt_session_open_masked(&s, 1 << 16, 0, 0, LW_MASK_SFRAME));
	lwt_session_close(&self->a.s);
	self->a.s = s;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp, 0, r9);
	EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
	EXPECT_EQ(2, stack->nr);
}

/* They had it before the call, and may have it no more. */
TEST_F(rule, may_not_use_registers_of_a_caller)
{
	static const struct {
		const char *name;
		struct row row;
	} rows[] = {
		{ "CFA", SAVED_ROW(REG(R9), ABOVE(0)) },
		{ "CFA behind", SAVED_ROW(AT_REG(R9), CFA(0)) },
		{ "RA", ROW(REG(SP), ABOVE(8), REG(R9), 0) },
		{ "RA behind", ROW(REG(SP), ABOVE(8), AT_REG(R9), 0) },
	};
	struct lwt_stack *stack;
	unsigned int i;

	/* Whoever guesses finds two more frames by the frame pointer, or one by the back chain. */
	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[0] = self->v.raw_ip;
	self->a.stack[1] = (uintptr_t)raw_hostile_sframe_ip;
	raw_guess(&self->a.stack[1], &self->a.stack[10], self->sp + 80,
		  (uintptr_t)raw_hostile_fp_ip);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, make_rule(self, 0, FLEX, &rows[i].row));
		stack = asker_ask(&self->a, raw_hostile_sframe, self->sp,
				  self->sp + 80, self->sp + 88);
		EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack))
			TH_LOG("%s", rows[i].name);
		ASSERT_EQ(2, stack->nr);
	}
	/* And the FP that would be in one is not known from there on. */
	MAKE_FLEX(SAVED_ROW_AND(REG(SP), ABOVE(8), REG(R9), 0));
	self->a.stack[1] = (uintptr_t)raw_hostile_fp_ip;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp,
			  self->sp + 80, self->sp + 88);
	EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
	EXPECT_EQ(3, stack->nr);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[2]);
	/* Nor by who has a row that needs it. */
	MAKE_FLEX(SAVED_ROW_AND(REG(FP), ABOVE(16), REG(R9), 0));
	self->a.stack[11] = self->v.raw_ip;
	stack = asker_ask(&self->a, raw_hostile_sframe, self->sp,
			  self->sp + 80, self->sp + 88);
	EXPECT_EQ(LW_END_NO_RULE, end_behind_rule(stack));
	EXPECT_EQ(3, stack->nr);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[2]);
}

/* In all its ways to say it. */
TEST_F(rule, may_say_that_there_is_no_caller)
{
	static const struct row none;

	self->a.stack[0] = (uintptr_t)raw_hostile_sframe_ip;
	self->a.stack[1] = 0;
	ASSERT_EQ(0, make_rule(self, 0, DEFAULT, &none));
	EXPECT_EQ(LW_END_OUTERMOST, end_at_once(ask(self, self->sp + 80, 0)));
	ASSERT_EQ(0, make_rule(self, 0, FLEX, &none));
	EXPECT_EQ(LW_END_OUTERMOST, end_at_once(ask(self, self->sp + 80, 0)));
	ASSERT_EQ(0, make_rule(self, 0, DEFAULT, NULL));
	EXPECT_EQ(LW_END_OUTERMOST, end_at_once(ask(self, self->sp + 80, 0)));
}

/* The address then is where a signal came, and not behind a call. */
TEST_F(rule, may_be_of_a_signal_frame)
{
	static const struct row row = SP_PLUS(8);
	struct lwt_stack *stack;

	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	self->a.stack[0] = (uintptr_t)raw_framed;
	self->a.stack[1] = 0;
	self->a.stack[4] = self->sp;
	ASSERT_EQ(0, make_rule(self, SIGNAL, DEFAULT, &row));
	stack = ask(self, 0, 0);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(2, stack->nr);
	EXPECT_EQ(LW_HOW_SIGFRAME, lwt_how(stack)[1]);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
	/* Without the mark one less counts, which has another row. */
	ASSERT_EQ(0, make_rule(self, 0, DEFAULT, &row));
	EXPECT_EQ(LW_END_BAD_IP, end_behind_rule(ask(self, 0, 0)));
}

/* Then there is no rule, and a guess is all there is. */
TEST_F(rule, may_make_no_sense)
{
	static const struct {
		const char *name;
		uint8_t type;
		struct row row;
	} rows[] = {
		{ "unknown type", 2, SAVED_ROW(REG(SP), ABOVE(8)) },
		{ "highest type", 31, SAVED_ROW(REG(SP), ABOVE(8)) },
		{ "one word", FLEX, ROW(REG(SP)) },
		{ "seven words", FLEX, ROW(REG(SP), ABOVE(8), PAD, PAD, 0, 0, 0) },
		{ "15 words", FLEX, { .info = BYTES(15) } },
		{ "words of 8 bytes", FLEX, { .info = BYTES(2) | 3 << 5 } },
		{ "no CFA", FLEX, ROW(PAD, 8) },
		{ "CFA from itself", FLEX, ROW(AT_CFA, 8) },
		{ "unused bit", FLEX, SAVED_ROW(REG(SP) | 4, ABOVE(8)) },
		{ "half of RA", FLEX, ROW(REG(SP), ABOVE(8), REG(R9)) },
		{ "half of FP", FLEX, ROW(REG(SP), ABOVE(8), PAD, REG(R9), 0, 9) },
		{ "RA is SP", FLEX, ROW(REG(SP), ABOVE(8), REG(SP), 0) },
		{ "CFA in no register", FLEX, { 0, HALVES(2), .halves = { REG(SFRAME_REGS) } } },
		{ "CFA in register 8191", FLEX, { 0, HALVES(2), .halves = { REG(8191) } } },
#if CFA_BIAS
		{ "CFA too far", FLEX, { 0, WORDS(2), .words = { REG(SP), 1 << 28 } } },
		{ "CFA too far by its bias", DEFAULT,
		  { 0, WORDS(1) | ROW_SP, .words = { (1 << 28) - CFA_BIAS / 8 } } },
#endif
#if SFRAME_REGS == 16
		{ "CFA in register 16", FLEX, ROW(REG(16), 0) },
		{ "RA in register 16", FLEX, ROW(REG(SP), 8, REG(16), 0) },
		{ "FP in register 31", FLEX, ROW(REG(SP), 8, PAD, REG(31), 0) },
		{ "CFA and two more", DEFAULT, ROW(8, 16, 24) },
#else
		{ "CFA and three more", DEFAULT, ROW(8, -8, -16, -24) },
#endif
		{ "starts behind the function", FLEX, A_ROW(255, 0, REG(SP), ABOVE(8)) },
	};
	struct lwt_stack *stack;
	unsigned int i;

	self->a.stack[0] = self->sp;
	raw_guess(&self->a.stack[0], &self->a.stack[10], self->sp + 80,
		  (uintptr_t)raw_hostile_fp_ip);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, make_rule(self, 0, rows[i].type, &rows[i].row));
		stack = ask(self, self->sp + 80, self->sp + 88);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(2, stack->nr)
			TH_LOG("%s", rows[i].name);
		EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[1])
			TH_LOG("%s", rows[i].name);
	}
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
