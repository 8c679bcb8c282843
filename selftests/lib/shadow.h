/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shadow.h - the stack that calls make, kept by watching them.
 */
#ifndef LW_SELFTESTS_SHADOW_H
#define LW_SELFTESTS_SHADOW_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracee.h"

/* The stack pointer behind a call, where the address to return to may be, and that. */
struct shadow_call {
	__u64 slot;
	__u64 ra;
};

/**
 * struct shadow_signal - a handler that was begun
 * @frame: stack pointer at its first instruction
 * @context: where struct ucontext is, above that
 * @alt_start: begin of the alternate stack that it was put on; 0 if it was not
 * @calls: shadow.nr_calls when it began
 */
struct shadow_signal {
	__u64 frame;
	__u64 context;
	__u64 alt_start;
	size_t calls;
};

#define SHADOW_SIGNALS	64

/**
 * struct shadow - zeroed: nothing was called
 * @calls: outermost first
 * @nr_calls: of them
 * @room: for them
 * @signals: handlers, outermost first
 * @nr_signals: of them
 * @leaves: not on x86: calls were undone by the stack pointer, and a jump is to follow
 */
struct shadow {
	struct shadow_call *calls;
	size_t nr_calls;
	size_t room;
	struct shadow_signal signals[SHADOW_SIGNALS];
	size_t nr_signals;
	bool leaves;
};

bool shadow_is_call(const uint8_t *code, size_t len);
bool shadow_is_syscall(const uint8_t *code, size_t len);
int shadow_step(struct shadow *s, struct tracee *t,
		const struct user_regs_struct *before);
void shadow_left(struct shadow *s, __u64 sp);
void shadow_landed(struct shadow *s, __u64 sp);
void shadow_reset(struct shadow *s);
void shadow_free(struct shadow *s);
size_t shadow_sound(const struct shadow *s, const struct tracee *t);
size_t shadow_chain(const struct shadow *s, const struct tracee *t, __u64 *chain, bool *exact,
		    size_t room);

#endif /* LW_SELFTESTS_SHADOW_H */
