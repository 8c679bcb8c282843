/* SPDX-License-Identifier: GPL-2.0 */
/*
 * asker.h - asks for stacks that are made up.
 */
#ifndef ASKER_H
#define ASKER_H

#include "lib/lw_test.h"
#include "programs/raw.h"

/* Two pages where they are greatest. */
#define ASKER_WORDS	16384

/**
 * struct asker - a session, and memory to lie in
 * @s: session
 * @log: what was read last
 * @request: that was answered last
 * @stack: ASKER_WORDS words, with nothing mapped on either side
 * @link: what each request has in the register of the return address, where there is one
 */
struct asker {
	struct lwt_session s;
	struct lwt_log log;
	struct lw_request request;
	uint64_t *stack;
	uint64_t link;
};

int asker_open(struct asker *a);
void asker_close(struct asker *a);
struct lwt_stack *asker_answer(struct asker *a,
			       const struct lw_request *request);

typedef long (*asker_fn)(const struct raw_regs *regs);

struct lwt_stack *asker_ask(struct asker *a, asker_fn fn, uint64_t sp,
			    uint64_t fp, uint64_t r9);

#endif /* ASKER_H */
