// SPDX-License-Identifier: GPL-2.0
/*
 * jit.c - see jit.h.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/jit.h"
#include "lib/sframe_abi.h"
#include "programs/chain.h"
#include "programs/raw.h"

/* long call(void *arg, long (*fn)(void *arg)) */
#if defined(__x86_64__)
static const uint8_t function[JIT_STRIDE] = {
	0x55,				/*  0: push %rbp */
	0x31, 0xed,			/*  1: xor %ebp, %ebp */
	0x48, 0x83, 0xec, 0x20,		/*  3: sub $32, %rsp */
	0xff, 0xd6,			/*  7: call *%rsi */
	0x48, 0x83, 0xec, 0xe0,		/*  9: sub $-32, %rsp: no guess follows that */
	0x5d,				/* 13: pop %rbp */
	0xc3,				/* 14: ret */
	0xcc,
};

/* All functions share them. */
static const uint8_t rows[] = {
	0, 0x03, 8,			/* CFA is SP+8 */
	1, 0x05, 16, 0xf0,		/* CFA is SP+16, FP at CFA-16 */
	7, 0x05, 48, 0xf0,
	13, 0x05, 16, 0xf0,
	14, 0x03, 8,
};

#define NR_ROWS		5

#elif defined(__aarch64__)
static const uint32_t function[JIT_STRIDE / 4] = {
	0xa9bd7bfd,			/*  0: stp x29, x30, [sp, #-48]! */
	0xd280001d,			/*  4: mov x29, #0 */
	0xd63f0020,			/*  8: blr x1 */
	0xd503201f,			/* 12: nop: no guess follows that */
	0xa8c37bfd,			/* 16: ldp x29, x30, [sp], #48 */
	0xd65f03c0,			/* 20: ret */
	0xd4200000,			/* 24: brk #0 */
	0xd4200000,
};

static const uint8_t rows[] = {
	0, 0x03, 0,			/* CFA is SP, RA in LR */
	4, 0x07, 48, 0xd8, 0xd0,	/* CFA is SP+48, RA at CFA-40, FP at CFA-48 */
	20, 0x03, 0,
};

#define NR_ROWS		3

#elif defined(__s390x__)
static const uint8_t function[JIT_STRIDE] = {
	0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24,	/*  0: stmg %r14, %r15, 112(%r15) */
	0xa7, 0xfb, 0xff, 0x60,			/*  6: aghi %r15, -160 */
	0xd7, 0x07, 0xf0, 0x00, 0xf0, 0x00,	/* 10: xc 0(8, %r15), 0(%r15) */
	0x0d, 0xe3,				/* 16: basr %r14, %r3 */
	0x18, 0x00,				/* 18: lr %r0, %r0: no guess follows that */
	0xeb, 0xef, 0xf1, 0x10, 0x00, 0x04,	/* 20: lmg %r14, %r15, 272(%r15) */
	0x07, 0xfe,				/* 26: br %r14 */
};

static const uint8_t rows[] = {
	0, 0x03, 0,			/* CFA is SP+160, RA in r14 */
	6, 0x05, 0, 0xd0,		/* RA at CFA-48 */
	10, 0x05, 20, 0xd0,		/* CFA is SP+320 */
	26, 0x03, 0,
};

#define NR_ROWS		4
#endif

#define HEADER		28
#define FDE_V2		20
#define FDE_V3		16

/* The same function again and again. */
void jit_fill(void *at, size_t len)
{
	size_t i;

	for (i = 0; i + JIT_STRIDE <= len; i += JIT_STRIDE)
		memcpy((char *)at + i, function, JIT_STRIDE);
	__builtin___clear_cache(at, (char *)at + len);
}

/* Private memory full of it; @at, if not NULL, is where, whatever is there. */
void *jit_map(void *at, size_t len)
{
	void *text = mmap(at, len, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1,
			  0);

	if (text == MAP_FAILED)
		return NULL;
	jit_fill(text, len);
	return text;
}

static uint8_t *put(uint8_t *to, uint64_t value, unsigned int size)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		value <<= 8 * (sizeof(value) - size);
	memcpy(to, &value, size);
	return to + size;
}

/*
 * A section of @nr functions, the first of which is at @start, from where starts are
 * relative to; with JIT_PCREL from the section.  Return: its bytes.
 */
size_t jit_table(uint8_t *table, unsigned int version, unsigned int flags,
		 int64_t start, unsigned int nr)
{
	unsigned int fde = version == 2 ? FDE_V2 : FDE_V3;
	unsigned int attribute = version == 2 ? 0 : 5;
	uint8_t *to = table;
	unsigned int i;

	to = put(to, 0xdee2, 2);
	to = put(to, version, 1);
	to = put(to, 1 | flags, 1);
	to = put(to, SFRAME_ABI_WORD, 4);
	to = put(to, nr, 4);
	to = put(to, NR_ROWS, 4);
	to = put(to, attribute + sizeof(rows), 4);
	to = put(to, 0, 4);
	to = put(to, nr * fde, 4);
	for (i = 0; i < nr; i++) {
		int64_t at = start + i * JIT_STRIDE;

		if (flags & JIT_PCREL)
			at -= to - table;
		to = put(to, at, version == 2 ? 4 : 8);
		to = put(to, JIT_SIZE, 4);
		to = put(to, 0, 4);
		if (version == 2)
			to = put(put(to, NR_ROWS, 4), 0, 4);
	}
	if (attribute)
		to = put(put(to, NR_ROWS, 2), 0, 3);
	memcpy(to, rows, sizeof(rows));
	return to + sizeof(rows) - table;
}

/* Starts are relative to the text. */
struct lw_section jit_section(const void *text, size_t text_size,
			      const uint8_t *table, size_t len)
{
	return (struct lw_section) {
		.size = sizeof(struct lw_section),
		.addr = (uintptr_t)table,
		.len = len,
		.text_start = (uintptr_t)text,
		.text_size = text_size,
		.base = (uintptr_t)text,
	};
}

/* @nr functions, from the first byte of the first one to the last one's stride. */
int jit_add(int fd, void *text, unsigned int nr)
{
	uint8_t *table = malloc(JIT_TABLE + nr * FDE_V2);
	struct lw_section section;
	int ret;

	if (!table)
		return -1;
	section = jit_section(text, nr * JIT_STRIDE, table,
			      jit_table(table, 2, 0, 0, nr));
	ret = lwt_ioctl(fd, LW_IOC_ADD_SECTION, &section);
	free(table);
	return ret;
}

int jit_remove(int fd, void *text, unsigned int nr)
{
	struct lw_section section = jit_section(text, nr * JIT_STRIDE, NULL, 0);

	return lwt_ioctl(fd, LW_IOC_REMOVE_SECTION, &section);
}

static KEEP long leaf(void *arg)
{
	struct jit_ask *ask = arg;
	long ret;

	ask->request = (struct lw_request) { .size = sizeof(ask->request) };
	ret = raw_syscall(SYS_ioctl, ask->fd, LW_IOC_REQUEST,
			  (long)&ask->request, &ask->ip);
	ask->ret = ret;
	NO_TAIL_CALL(ret);
	return ret;
}

/* Asks below the function at @code. */
KEEP long jit_ask(struct jit_ask *ask, void *code)
{
	long (*call)(void *arg, long (*fn)(void *arg)) = code;
	long ret;

	ask->ra = (uintptr_t)__builtin_return_address(0);
	ask->code = (uintptr_t)code;
	ret = call(ask, leaf);
	NO_TAIL_CALL(ret);
	return ret;
}

/* The same; the record that comes of it, or NULL. */
struct lwt_stack *jit_stack(struct asker *a, struct jit_ask *ask, void *code)
{
	ask->fd = a->s.fd;
	return jit_ask(ask, code) < 0 ? NULL : asker_answer(a, &ask->request);
}

/* Is it ours, as far as the JITted function? */
static bool is_of(const struct lwt_stack *stack, const struct jit_ask *ask)
{
	return stack && stack->nr >= 2 && stack->frames[0] == ask->ip &&
	       stack->frames[1] == ask->code + JIT_RETURN &&
	       lwt_how(stack)[1] == LW_HOW_SFRAME;
}

/* Has it gone through the JITted function by its row? */
bool jit_is_exact(const struct lwt_stack *stack, const struct jit_ask *ask)
{
	return is_of(stack, ask) && stack->nr >= 4 &&
	       lwt_how(stack)[2] == LW_HOW_REGISTERED &&
	       stack->frames[3] == ask->ra && lwt_how(stack)[3] == LW_HOW_SFRAME;
}

/* Did it end there, with nothing but the frame pointer to go by? */
bool jit_is_lost(const struct lwt_stack *stack, const struct jit_ask *ask)
{
	return is_of(stack, ask) && stack->nr == 2 &&
	       stack->end == RAW_END_OF_FP;
}
