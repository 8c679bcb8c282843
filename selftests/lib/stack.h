/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack.h - a USER_STACK record, with its frames one by one.
 */
#ifndef LWT_STACK_H
#define LWT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "latewind.h"

/**
 * struct lwt_stack - what a USER_STACK record says
 * @record: its header
 * @is_sane: it is as latewind.h has it; else it has no frames
 * @frames: addresses, topmost first, then a byte LW_HOW_* for each
 *
 * All else is as in struct lw_user_stack.
 */
struct lwt_stack {
	struct lw_record record;
	struct lw_cookie cookie;
	__u64 time;
	__u32 pid;
	__u32 tid;
	__u32 nr;
	__u32 end;
	bool is_sane;
	__u64 frames[];
};

struct lwt_stack *lwt_stack_of(const struct lw_record *record);
const uint8_t *lwt_how(const struct lwt_stack *stack);

#endif /* LWT_STACK_H */
