// SPDX-License-Identifier: GPL-2.0
/*
 * asker.c - see asker.h.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "asker.h"

#define RING	(1 << 18)
#define GUARD	65536

int asker_open(struct asker *a)
{
	size_t len = ASKER_WORDS * 8;
	char *area;
	int ret;

	a->link = 0;
	ret = lwt_session_open(&a->s, RING, LW_MAX_DEPTH, 0);
	if (ret)
		return ret;
	area = mmap(NULL, len + 2 * GUARD, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	a->stack = (uint64_t *)(area + GUARD);
	return mprotect(a->stack, len, PROT_READ | PROT_WRITE) ? -errno : 0;
}

void asker_close(struct asker *a)
{
	lwt_log_free(&a->log);
	lwt_session_close(&a->s);
}

/* The record of @request if it is the only one, and sane, or NULL. */
struct lwt_stack *asker_answer(struct asker *a,
			       const struct lw_request *request)
{
	lwt_log_free(&a->log);
	if (lwt_read(&a->s, &a->log) != 1 || lwt_log_check(&a->log).malformed)
		return NULL;
	return lwt_find_stack(&a->log, &request->cookie);
}

/* The answer to a request with these registers. */
struct lwt_stack *asker_ask(struct asker *a, asker_fn fn, uint64_t sp,
			    uint64_t fp, uint64_t r9)
{
	struct raw_regs regs = {
		.nr = SYS_ioctl,
		.a = a->s.fd,
		.b = LW_IOC_REQUEST,
		.c = (long)&a->request,
		.sp = sp,
		.fp = fp,
		.r9 = r9,
		.link = a->link,
	};

	a->request = (struct lw_request) { .size = sizeof(a->request) };
	if (fn(&regs))
		return NULL;
	return asker_answer(a, &a->request);
}
