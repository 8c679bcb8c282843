// SPDX-License-Identifier: GPL-2.0
/*
 * call.c - the leaf that asks, and how its answer is compared.
 */
#include <sys/syscall.h>

#include "call.h"
#include "lib/lw_test.h"
#include "programs/raw.h"

/* Turns what the chain wrote down around. */
void call_expect(struct call *call, const struct chain *c)
{
	unsigned int i;

	call->nr = 0;
	call->expect[call->nr++] = call->ip;
	for (i = c->nr; i; i--)
		call->expect[call->nr++] = c->ra[i - 1];
}

/* Asks from its own code, not libc's. */
KEEP long call_ask(struct chain *c)
{
	struct call *call = c->arg;
	long ret;

	chain_note(c);
	if (call->want_truth)
		truth_take(&call->truth);
	call->request.size = sizeof(call->request);
	ret = raw_syscall(SYS_ioctl, call->fd, LW_IOC_REQUEST,
			  (long)&call->request, &call->ip);
	call->ret = ret;
	call_expect(call, c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* Frames that are as expected, from the top. */
unsigned int call_matching(const struct lwt_stack *stack,
			   const struct call *call)
{
	unsigned int i;

	for (i = 0; i < stack->nr && i < call->nr; i++)
		if (stack->frames[i] != call->expect[i])
			break;
	return i;
}

/* First frame from @from to before @to that was not found by @how, or @to. */
unsigned int call_found_by(const struct lwt_stack *stack,
			   unsigned int from, unsigned int to, uint8_t how)
{
	unsigned int i;

	for (i = from; i < to && i < stack->nr; i++)
		if (lwt_how(stack)[i] != how)
			return i;
	return to;
}
