/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit.h - code that is made at run time, sections for it, and stacks asked for at the
 * end of it.
 *
 * Its functions set the frame pointer to 0: without their rows a walk ends there.
 */
#ifndef JIT_H
#define JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <latewind.h>

#include "lib/asker.h"

/* Bytes of a function, from one to the next, and where its call returns to. */
#if defined(__x86_64__)
#define JIT_SIZE	15
#define JIT_STRIDE	16
#define JIT_RETURN	9
#elif defined(__aarch64__)
#define JIT_SIZE	24
#define JIT_STRIDE	32
#define JIT_RETURN	12
#elif defined(__s390x__)
#define JIT_SIZE	28
#define JIT_STRIDE	32
#define JIT_RETURN	18
#endif
#define JIT_PAGE	lwt_page()
/* Room for any section here of one function. */
#define JIT_TABLE	128

/* jit_table() */
#define JIT_PCREL	0x4

/**
 * struct jit_ask - a request made below a JITted function; may be in shared memory
 * @request: as it came back
 * @ip: where the system call returns to
 * @ra: where the C function returns to that called the JITted one
 * @ret: of the system call
 * @code: the JITted function
 * @fd: of the session
 */
struct jit_ask {
	struct lw_request request;
	uint64_t ip;
	uint64_t ra;
	long ret;
	uint64_t code;
	int fd;
};

void jit_fill(void *at, size_t len);
void *jit_map(void *at, size_t len);
size_t jit_table(uint8_t *table, unsigned int version, unsigned int flags,
		 int64_t start, unsigned int nr);
struct lw_section jit_section(const void *text, size_t text_size,
			      const uint8_t *table, size_t len);
int jit_add(int fd, void *text, unsigned int nr);
int jit_remove(int fd, void *text, unsigned int nr);
long jit_ask(struct jit_ask *ask, void *code);
struct lwt_stack *jit_stack(struct asker *a, struct jit_ask *ask, void *code);
bool jit_is_exact(const struct lwt_stack *stack, const struct jit_ask *ask);
bool jit_is_lost(const struct lwt_stack *stack, const struct jit_ask *ask);

#endif /* JIT_H */
