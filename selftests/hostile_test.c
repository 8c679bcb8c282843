// SPDX-License-Identifier: GPL-2.0
/*
 * hostile_test.c - stacks and mappings that lie or change.  There must always be
 * an answer, and never a word from the kernel.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/lw_test.h"
#include "lib/tags.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

FIXTURE(session)
{
	struct asker a;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, asker_open(&self->a));
}

FIXTURE_TEARDOWN(session)
{
	asker_close(&self->a);
}

/* REQUEST with these registers. */
static struct lwt_stack *ask_with(FIXTURE_DATA(session) *self, asker_fn fn,
				  uint64_t sp, uint64_t fp)
{
	return asker_ask(&self->a, fn, sp, fp, 0);
}

TEST_F(session, survives_any_stack_pointer)
{
	static const struct {
		uint64_t sp;
		uint32_t end;
	} cases[] = {
		{ 0, LW_END_FAULT },
		{ 8, LW_END_FAULT },
		{ 0xfff8, LW_END_FAULT },
		{ 0x00007ffffffff000, LW_END_FAULT },
		{ 0x0000800000000000, LW_END_FAULT },
		{ 0xffff800000000000, LW_END_FAULT },
		{ 0xffffffff81000000, LW_END_FAULT },
		{ 0xffffffffff600000, LW_END_FAULT },
		{ -RAW_HOSTILE_CFA, LW_END_BAD_CFA },
		{ -RAW_HOSTILE_CFA - 8, LW_END_FAULT },
		{ 0xfffffffffffffff8, LW_END_BAD_CFA },
		{ 0x1000000000000000, LW_END_FAULT },
		{ 1, LW_END_BAD_CFA },
		{ 0x1001, LW_END_BAD_CFA },
		{ 0xffffffffffffffff, LW_END_BAD_CFA },
	};
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		stack = ask_with(self, raw_hostile_sframe, cases[i].sp, 0);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1, stack->nr);
		EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[0]);
		EXPECT_EQ(cases[i].end, stack->end)
			TH_LOG("stack pointer %llx",
			       (unsigned long long)cases[i].sp);
	}
}

TEST_F(session, survives_any_frame_pointer)
{
	static const uint64_t fps[] = {
		1, 8, 0xfff8, 0x00007ffffffff000, 0x00007ffffffffff8,
		0x0000800000000000, 0xffff800000000000, 0xffffffff81000000,
		0xfffffffffffffff0, 0xfffffffffffffff8, 0xffffffffffffffff,
		0x7fffffffffffffff, 0x8000000000000000,
	};
	uint64_t sp = (uintptr_t)self->a.stack;
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fps); i++) {
		/* On s390x the back chain is. */
		self->a.stack[0] = fps[i];
		stack = ask_with(self, raw_hostile_fp, sp, fps[i]);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1, stack->nr);
		EXPECT_LT(LW_END_TRUNCATED, stack->end);
	}
}

/*
 * All words that would be read are good ones, had they not to be aligned; asked twice, as
 * rules are kept.
 */
TEST_F(session, reads_no_words_that_are_not_aligned)
{
	const struct {
		asker_fn fn;
		uint64_t caller;
		uint32_t end, end_askew;
	} cases[] = {
		{ raw_hostile_sframe, (uintptr_t)raw_hostile_sframe_ip,
		  LW_END_OUTERMOST, LW_END_BAD_CFA },
		{ raw_hostile_fp, (uintptr_t)raw_hostile_fp_ip,
		  RAW_END_OF_FP, LW_END_NO_RULE },
	}, *c;
	uint64_t sp = (uintptr_t)self->a.stack, fp = sp + 800;
	uint64_t chain, frame[RAW_GUESS_WORDS] = {};
	struct lwt_stack *stack;
	unsigned int i, off;

	for (i = 0; i < 4 * 8; i++) {
		c = &cases[i / 16];
		off = i % 8;
		memset(self->a.stack, 0, ASKER_WORDS * 8);
		/* For the stack pointer, and for the frame pointer or back chain. */
		chain = 0;
		raw_guess(&chain, frame, fp + off, c->caller);
		if (c == cases)
			memcpy((char *)self->a.stack + off, &c->caller, 8);
		else
			self->a.stack[0] = chain;
		memcpy((char *)self->a.stack + 800 + off, frame, sizeof(frame));
		stack = ask_with(self, c->fn, c == cases ? sp + off : sp, fp + off);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(off ? 1 : 2, stack->nr)
			TH_LOG("case %u, off by %u", i, off);
		EXPECT_EQ(off ? c->end_askew : c->end, stack->end)
			TH_LOG("case %u, off by %u", i, off);
	}
}

TEST_F(session, does_not_take_garbage_for_code)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	struct lwt_stack *stack;

	memset(self->a.stack, 0xff, ASKER_WORDS * 8);
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);

	/* An address of data. */
	self->a.stack[0] = sp;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);

	/* Zero is where threads begin. */
	self->a.stack[0] = 0;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
	EXPECT_EQ(1, lwt_stats(self->a.s.fd).outermost);
}

/* The same return address in every word: never the same frame twice. */
TEST_F(session, ends_a_stack_that_does_not)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	struct lwt_stack *stack;
	int i;

	for (i = 0; i < ASKER_WORDS; i++)
		self->a.stack[i] = (uintptr_t)raw_hostile_sframe_ip;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_MAX_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);

	/* And one whose end is not mapped. */
	stack = ask_with(self, raw_hostile_sframe, sp + 8 * (ASKER_WORDS - 10),
			 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(11, stack->nr);
	EXPECT_EQ(LW_END_FAULT, stack->end);
}

TEST_F(session, ends_a_cycle_of_frame_pointers)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	struct lwt_stack *stack;

	/* To itself, down, to each other. */
	raw_guess(self->a.stack, &self->a.stack[4], sp + 32, (uintptr_t)raw_hostile_fp_ip);
	self->a.stack[4] = sp + 32;
	stack = ask_with(self, raw_hostile_fp, sp, sp + 32);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
	self->a.stack[4] = sp;
	stack = ask_with(self, raw_hostile_fp, sp, sp + 32);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* Any word may be where a back chain would be: it is one if the function has saved the same. */
#if defined(__s390x__)
TEST_F(session, does_not_take_any_word_for_a_back_chain)
{
	uint64_t *words = self->a.stack, sp = (uintptr_t)words;
	const struct {
		uint64_t saved;
		unsigned int nr;
	} cases[] = {
		{ sp + 80, 2 }, { 0, 1 }, { sp, 1 }, { sp + 72, 1 }, { sp + 88, 1 }, { sp + 80, 2 },
	};
	struct lwt_stack *stack;
	unsigned int i;

	raw_guess(words, &words[10], sp + 80, (uintptr_t)raw_hostile_fp_ip);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		words[10 + 15] = cases[i].saved;
		stack = ask_with(self, raw_hostile_fp, sp, 0);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(cases[i].nr, stack->nr)
			TH_LOG("case %u", i);
		EXPECT_EQ(LW_END_NO_RULE, stack->end);
	}
}
#endif

#if defined(__aarch64__)
#define TAG	0x5a
/* Frames of a chain of records, without a row, and their distance in words. */
#define RECORDS	5
#define RECORD	8

/*
 * Makes the chain, whose stack pointer is @stack.  The bits of @tagged say which pointers have a
 * tag: the stack pointer, the frame pointer, that of each record.  Return: the answer.
 */
static struct lwt_stack *ask_by_records(FIXTURE_DATA(session) *self, uint64_t *stack,
					unsigned int tagged)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		uint64_t *record = &stack[(i + 1) * RECORD];

		record[0] = i + 1 < RECORDS ?
			    tags_put(&record[RECORD], tagged >> (i + 2) & 1 ? TAG : 0) : 0;
		record[1] = (uintptr_t)raw_hostile_fp_ip;
	}
	return ask_with(self, raw_hostile_fp, tags_put(stack, tagged & 1 ? TAG : 0),
			tags_put(&stack[RECORD], tagged >> 1 & 1 ? TAG : 0));
}

/* Where a pointer leads to is the same with and without its tag; asked twice, as rules are kept. */
TEST_F(session, follows_pointers_with_tags)
{
	struct lwt_stack *stack;
	unsigned int i;

	/* The kernel takes none from this task. */
	stack = ask_by_records(self, self->a.stack, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1 + RECORDS, stack->nr);
	stack = ask_by_records(self, self->a.stack, 2);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_FAULT, stack->end);

	ASSERT_EQ(0, tags_take(0));
	for (i = 0; i < 2 << (1 + RECORDS); i++) {
		stack = ask_by_records(self, self->a.stack, i / 2);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1 + RECORDS, stack->nr)
			TH_LOG("tags of %x", i / 2);
		EXPECT_EQ(RAW_END_OF_FP, stack->end)
			TH_LOG("tags of %x", i / 2);
	}
	/* Up is up, whatever the tags are. */
	self->a.stack[RECORD] = tags_put(&self->a.stack[RECORD], TAG);
	stack = ask_with(self, raw_hostile_fp, (uintptr_t)self->a.stack,
			 (uintptr_t)&self->a.stack[RECORD]);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* A stack that the task has written, and that its page table has no more. */
TEST_F(session, finds_by_a_tag_what_a_fault_brings)
{
	int fd = memfd_create("stack", MFD_CLOEXEC);
	struct lwt_stack *stack;
	uint64_t *words;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 2 * lwt_page()));
	words = mmap(NULL, 2 * lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, words);
	words[lwt_page() / 8] = 0;
	words[lwt_page() / 8 + 1] = (uintptr_t)raw_hostile_fp_ip;
	ASSERT_EQ(0, tags_take(0));
	ASSERT_EQ(0, madvise(words, 2 * lwt_page(), MADV_DONTNEED));
	stack = ask_with(self, raw_hostile_fp, tags_put(words, TAG),
			 tags_put(words + lwt_page() / 8, TAG));
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);
}

/* Memory that has tags, too: what the task could not read is not read, and nobody is hurt. */
TEST_F(session, compares_tags_as_the_task_does)
{
	struct lwt_stack *stack;
	uint64_t *words;
	int i;

	if (!tags_are_compared())
		SKIP(return, "no MTE on this machine");
	ASSERT_EQ(0, tags_take(PR_MTE_TCF_SYNC));
	words = tags_map(lwt_page(), TAG);
	ASSERT_NE(NULL, words);
	for (i = 0; i < 2; i++) {
		stack = ask_by_records(self, words, 0);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1 + RECORDS, stack->nr);
		EXPECT_EQ(RAW_END_OF_FP, stack->end);
	}
	words[2 * RECORD] ^= 1ULL << 56;
	for (i = 0; i < 2; i++) {
		stack = ask_with(self, raw_hostile_fp, (uintptr_t)words,
				 (uintptr_t)&words[RECORD]);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(3, stack->nr);
		EXPECT_EQ(LW_END_FAULT, stack->end);
	}
}
#endif

/* A signal frame on the stack whose sp points at itself, over and over. */
TEST_F(session, ends_a_cycle_of_signal_frames)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	uint64_t *regs = &self->a.stack[1 + RAW_SIGCONTEXT / 8];
	struct lwt_stack *stack;

	self->a.stack[0] = (uintptr_t)raw_lone_restorer;
#if defined(__s390x__)
	regs[RAW_SIGCONTEXT_MASK] = RAW_MASK_64;
#endif
	regs[RAW_SIGCONTEXT_SP] = sp + 8;
	regs[RAW_SIGCONTEXT_IP] = (uintptr_t)raw_lone_restorer;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_MAX_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
}

TEST_F(session, survives_code_that_is_gone)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	uint8_t *code = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lwt_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->a.stack[0] = (uintptr_t)code + 16;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_LE(2, stack->nr);
	ASSERT_EQ(0, mprotect(code, lwt_page(), PROT_READ | PROT_WRITE));
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);
	ASSERT_EQ(0, munmap(code, lwt_page()));
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);
}

/* Code that may be run and not read. */
TEST_F(session, survives_code_that_it_may_not_read)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	uint8_t *code = mmap(NULL, lwt_page(), PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lwt_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->a.stack[0] = (uintptr_t)code + 16;
	stack = ask_with(self, raw_hostile_sframe, sp, sp + 80);
	ASSERT_NE(NULL, stack);
	EXPECT_LE(2, stack->nr);
}

TEST_F(session, guesses_when_the_mapping_is_anonymous)
{
	uint64_t sp = (uintptr_t)self->a.stack;
	uint8_t *code = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lwt_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->a.stack[0] = (uintptr_t)code + 16;
	raw_guess(&self->a.stack[1], &self->a.stack[10], sp + 80, (uintptr_t)code + 32);
	stack = ask_with(self, raw_hostile_sframe, sp, sp + 80);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(3, stack->nr);
	EXPECT_EQ((uintptr_t)code + 32, stack->frames[2]);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[2]);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);
}

#if defined(__x86_64__)
/* add $16, %rsp; pop %rbp; pop %r12; ret */
static const uint8_t epilogue[] = { 0x48, 0x83, 0xc4, 16, 0x5d, 0x41, 0x5c, 0xc3 };
/* sub $16, %rsp: what runs next is not known */
static const uint8_t other[] = { 0x48, 0x83, 0xec, 16, 0x5d, 0x41, 0x5c, 0xc3 };
/* Words from the stack pointer to what it takes from the stack, and how many it takes. */
enum { POPPED_FP = 2, POPPED_RA = 4, POPPED = 5 };
/* Does a frame pointer, or back chain, tell the stack pointer? */
enum { FP_TELLS_SP = 1 };
#elif defined(__aarch64__)
/* ldp x29, x30, [sp], #32; autiasp; ret */
static const uint32_t epilogue[] = { 0xa8c27bfd, 0xd50323bf, 0xd65f03c0 };
/* ldp x29, x30, [sp], #32; nop: what runs next is not known */
static const uint32_t other[] = { 0xa8c27bfd, 0xd503201f, 0xd65f03c0 };
enum { POPPED_FP = 0, POPPED_RA = 1, POPPED = 4 };
enum { FP_TELLS_SP = 0 };
#elif defined(__s390x__)
/* lmg %r11, %r15, 104(%r15); br %r14 */
static const uint8_t epilogue[] = { 0xeb, 0xbf, 0xf0, 0x68, 0x00, 0x04, 0x07, 0xfe };
/* lmg %r11, %r15, 104(%r15); nopr %r7: what runs next is not known */
static const uint8_t other[] = { 0xeb, 0xbf, 0xf0, 0x68, 0x00, 0x04, 0x07, 0x07 };
enum { POPPED_FP = 13, POPPED_RA = 16, POPPED = 2 };
enum { FP_TELLS_SP = 1 };
#endif

/* No table, and no frame pointer: but what runs next is known, up to the return. */
TEST_F(session, follows_code_that_returns)
{
	uint8_t *code = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *words = self->a.stack, sp = (uintptr_t)words;
	struct lwt_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	memcpy(code + 16, epilogue, sizeof(epilogue));
	words[0] = (uintptr_t)code + 16;
	words[1 + POPPED_FP] = (uintptr_t)&words[20];
	words[1 + POPPED_RA] = (uintptr_t)code + 64;
	raw_guess(&words[1 + POPPED], &words[20], (uintptr_t)&words[20], (uintptr_t)code + 100);
	stack = ask_with(self, raw_hostile_sframe, sp, 0x1001);
	ASSERT_NE(NULL, stack);
	ASSERT_EQ(4, stack->nr);
	EXPECT_EQ((uintptr_t)code + 64, stack->frames[2]);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[2]);
	EXPECT_EQ((uintptr_t)code + 100, stack->frames[3]);
	EXPECT_EQ(RAW_END_OF_FP, stack->end);

	memcpy(code + 16, other, sizeof(other));
	stack = ask_with(self, raw_hostile_sframe, sp, 0x1001);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

#if defined(__s390x__)
/* A function that has never saved its return address loads what it has saved, and returns. */
TEST_F(session, follows_leaves_that_return)
{
	static const uint8_t leaves[][16] = {
		/* svc 54; br %r14 */
		{ 0x0a, 54, 0x07, 0xfe },
		/* stmg %r6, %r7, 48(%r15); svc 54; lmg %r6, %r7, 48(%r15); br %r14 */
		{ 0xeb, 0x67, 0xf0, 0x30, 0x00, 0x24, 0x0a, 54,
		  0xeb, 0x67, 0xf0, 0x30, 0x00, 0x04, 0x07, 0xfe },
	};
	struct lw_request request = { .size = sizeof(request) };
	uint8_t *code = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t frames[LW_MAX_DEPTH];
	struct lwt_stack *stack;
	unsigned int i, nr = 0;

	ASSERT_NE(MAP_FAILED, code);
	for (i = 0; i < ARRAY_SIZE(leaves); i++) {
		memcpy(code, leaves[i], sizeof(leaves[i]));
		ASSERT_EQ(0, ((long (*)(long, long, void *))code)(self->a.s.fd, LW_IOC_REQUEST,
								  &request));
		stack = asker_answer(&self->a, &request);
		ASSERT_NE(NULL, stack);
		ASSERT_LT(2, stack->nr);
		EXPECT_EQ((uintptr_t)code + (i ? 8 : 2), stack->frames[0]);
		EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[1]);
		if (i) {
			ASSERT_EQ(nr, stack->nr);
			EXPECT_EQ(0, memcmp(frames + 1, stack->frames + 1, (nr - 1) * 8));
		}
		nr = stack->nr;
		memcpy(frames, stack->frames, nr * sizeof(frames[0]));
	}
}
#endif

/*
 * The same return address in front of what returns: called by a function whose row tells the
 * stack pointer, and by one with a frame pointer, which on some machines does not tell it.
 * Rules that are kept of the one must not be taken for the other.
 */
TEST_F(session, keeps_apart_what_is_known_of_the_stack_pointer)
{
	uint64_t *words = self->a.stack, sp = (uintptr_t)words;
	struct lwt_stack *stack;
	uintptr_t returns;
	uint8_t *code;
	int i;

	code = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, code);
	memcpy(code + 16, epilogue, sizeof(epilogue));
	ASSERT_EQ(0, mprotect(code, lwt_page(), PROT_READ | PROT_EXEC));
	returns = (uintptr_t)code + 16;
	/* A function with a frame pointer, which that one has called. */
	raw_guess(&words[1], &words[8], (uintptr_t)&words[8], returns);
	words[8] = (uintptr_t)&words[12];
	words[8 + RAW_GUESSED + POPPED_FP] = 0;
	words[8 + RAW_GUESSED + POPPED_RA] = (uintptr_t)code + (FP_TELLS_SP ? 100 : 400);
	words[12] = 0;
	words[13] = (uintptr_t)code + 100;
	/* No frame pointer saved by that one, but by its caller. */
	words[1 + POPPED_FP] = (uintptr_t)&words[20];
	words[1 + POPPED_RA] = (uintptr_t)code + 64;
	raw_guess(&words[1 + POPPED], &words[20], (uintptr_t)&words[20], (uintptr_t)code + 200);
	words[30] = 0;
	words[31] = (uintptr_t)code + 300;
	for (i = 0; i < 6; i++) {
		bool is_known = i & 2;

		words[0] = is_known ? returns : (uintptr_t)code + 48;
		stack = ask_with(self, raw_hostile_sframe, sp,
				 (uintptr_t)&words[is_known ? 30 : 8]);
		ASSERT_NE(NULL, stack);
		ASSERT_EQ(4, stack->nr);
		EXPECT_EQ(returns, stack->frames[is_known ? 1 : 2]);
		EXPECT_EQ((uintptr_t)code + (is_known ? 64 : 100), stack->frames[is_known ? 2 : 3]);
		EXPECT_EQ(RAW_END_OF_FP, stack->end);
	}
}

/* Files that are odd to read: what maps them must not be harmed. */
TEST_F(session, survives_code_in_odd_files)
{
	static const char *const files[] = { "/dev/zero", "/proc/self/exe" };
	uint64_t sp = (uintptr_t)self->a.stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int fd = open(files[i], O_RDONLY);
		uint8_t *code = mmap(NULL, lwt_page(), PROT_READ | PROT_EXEC,
				     MAP_PRIVATE, fd, 0);

		if (code == MAP_FAILED)
			continue;
		self->a.stack[0] = (uintptr_t)code + 16;
		EXPECT_NE(NULL, ask_with(self, raw_hostile_sframe, sp, 0));
		close(fd);
		munmap(code, lwt_page());
	}
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
