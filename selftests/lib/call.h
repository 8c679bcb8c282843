/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call.h - a request made at the end of a chain, and the stack that must come of
 * it.
 */
#ifndef CALL_H
#define CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <latewind.h>

#include "lib/stack.h"
#include "lib/truth.h"
#include "programs/chain.h"

/**
 * struct call - what a leaf did and knows
 * @fd: of the session
 * @request: as it came back
 * @ret: of the system call
 * @ip: behind it
 * @want_truth: fill @truth
 * @truth: the stack by .eh_frame
 * @nr: frames in @expect
 * @expect: the stack as we expect it, topmost first
 */
struct call {
	int fd;
	struct lw_request request;
	long ret;
	uint64_t ip;
	bool want_truth;
	struct truth truth;
	unsigned int nr;
	uint64_t expect[CHAIN_MAX];
};

long call_ask(struct chain *c);
void call_expect(struct call *call, const struct chain *c);
unsigned int call_matching(const struct lwt_stack *stack,
			   const struct call *call);
unsigned int call_found_by(const struct lwt_stack *stack,
			   unsigned int from, unsigned int to, uint8_t how);

#define EXPECT_CHAIN(stack, call)					\
do {									\
	unsigned int lwt_at;						\
									\
	ASSERT_NE(NULL, stack);						\
	ASSERT_LE((call)->nr, (stack)->nr);				\
	lwt_at = call_matching(stack, call);				\
	EXPECT_EQ((call)->nr, lwt_at)					\
		TH_LOG("frame %u is %llx, not %llx, how %u", lwt_at,	\
		       (stack)->frames[lwt_at % (stack)->nr],		\
		       (unsigned long long)				\
		       (call)->expect[lwt_at % (call)->nr],		\
		       lwt_how(stack)[lwt_at % (stack)->nr]);		\
} while (0)

#endif /* CALL_H */
