// SPDX-License-Identifier: GPL-2.0
/*
 * jit_unwind.c perf|llvm|none - makes code without frame pointers at run time, each time in the
 * place of what was there before and with another frame, and tells of it in a jitdump: with
 * unwind information as V8, CPython and 'perf inject --jit' have it, as LLVM has it, or without.
 * What it runs calls back into C, where its time goes.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "code.h"

#define KEEP	__attribute__((noipa))

#define PAGE		4096
/* Where LLVM's .eh_frame is, from the code. */
#define FRAMES_AT	1024
#define ROUNDS		4
/* For the tool to read on in the dump; and for samples. */
#define PAUSE_S		2
#define RUN_NS		300000000ULL

enum style { PERF, LLVM, NONE };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t type, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, start, code_size, index;
};

struct unwind {
	uint32_t type, size;
	uint64_t time;
	uint64_t unwind_size, header_size, mapped_size;
};

static enum style style;
static int dump;
static uint8_t *code;

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int put(const void *bytes, size_t size)
{
	return write(dump, bytes, size) == (ssize_t)size ? 0 : -1;
}

static int begin_dump(void)
{
	const struct header header = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(header), .machine = CODE_MACHINE,
		.pid = getpid(), .time = now(CLOCK_MONOTONIC),
	};
	char path[64];

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	dump = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (dump < 0 ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		return -1;
	return put(&header, sizeof(header));
}

#define FRAMES_SIZE	64
#define FDE_AT		24
#define START_AT	(FDE_AT + 8)
#define PROGRAM_AT	(FDE_AT + 17)

#if defined(__x86_64__)
#define CODE_SIZE	15

/* long (*)(long (*callee)(void)) */
static void make_code(uint8_t frame)
{
	const uint8_t bytes[CODE_SIZE] = {
		0x55,				/*  0: push %rbp */
		0x31, 0xed,			/*  1: xor %ebp, %ebp */
		0x48, 0x83, 0xec, frame,	/*  3: sub $frame, %rsp */
		0xff, 0xd7,			/*  7: call *%rdi */
		0x48, 0x83, 0xec, -frame,	/*  9: sub $-frame, %rsp */
		0x5d,				/* 13: pop %rbp */
		0xc3,				/* 14: ret */
	};

	put_code(code, bytes, sizeof(bytes));
}

static const uint8_t cie[FDE_AT] = {
	20, 0, 0, 0,  0, 0, 0, 0,  1, 'z', 'R', 0,  1, 0x78, 16,
	1, 0x1b,			/* addresses are relative, of 4 bytes */
	0x0c, 7, 8,			/* CFA is rsp + 8 */
	0x90, 1,			/* return address at CFA - 8 */
};

/* Instructions of the FDE, of which one adds the frame. */
static const uint8_t program[] = {
	0x41, 0x0e, 16, 0x86, 2,	/*  1: CFA is rsp + 16, rbp at CFA - 16 */
	0x46, 0x0e, 16,			/*  7: and the frame */
	0x46, 0x0e, 16,			/* 13 */
	0x41, 0x0e, 8, 0xc6,		/* 14: rbp as it was */
};

#define ADDS_FRAME	7
#elif defined(__aarch64__)
#define CODE_SIZE	28

static void make_code(uint8_t frame)
{
	const uint32_t insns[CODE_SIZE / 4] = {
		0xa9bf7bfd,			/*  0: stp x29, x30, [sp, #-16]! */
		0xd280001d,			/*  4: mov x29, #0 */
		0xd10003ff | frame << 10,	/*  8: sub sp, sp, #frame */
		0xd63f0000,			/* 12: blr x0 */
		0x910003ff | frame << 10,	/* 16: add sp, sp, #frame */
		0xa8c17bfd,			/* 20: ldp x29, x30, [sp], #16 */
		0xd65f03c0,			/* 24: ret */
	};

	put_code(code, insns, sizeof(insns));
}

static const uint8_t cie[FDE_AT] = {
	20, 0, 0, 0,  0, 0, 0, 0,  1, 'z', 'R', 0,  4, 0x78, 30,
	1, 0x1b,			/* addresses are relative, of 4 bytes */
	0x0c, 31, 0,			/* CFA is sp */
};

/* Likewise; advances are in instructions of the machine. */
static const uint8_t program[] = {
	0x41, 0x0e, 16,			/*  4: CFA is sp + 16 */
	0x9d, 2, 0x9e, 1,		/* x29 at CFA - 16, x30 at CFA - 8 */
	0x42, 0x0e, 16,			/* 12: and the frame */
	0x42, 0x0e, 16,			/* 20 */
	0x41, 0x0e, 0, 0xdd, 0xde,	/* 24: both as they were */
};

#define ADDS_FRAME	9
#endif

/* Where 'perf inject --jit' has .eh_frame. */
#define BEHIND_CODE	((CODE_SIZE + 7) / 8 * 8)

/* .eh_frame at an address: a CIE and an FDE. */
static void make_frames(uint8_t frames[FRAMES_SIZE], uint64_t at, uint8_t frame)
{
	static const uint8_t fde[FRAMES_SIZE - FDE_AT] = {
		32, 0, 0, 0,  FDE_AT + 4, 0, 0, 0,
		0, 0, 0, 0,  CODE_SIZE, 0, 0, 0,  0,
	};
	int32_t start = (uintptr_t)code - (at + START_AT);

	memcpy(frames, cie, sizeof(cie));
	memcpy(frames + FDE_AT, fde, sizeof(fde));
	memcpy(frames + START_AT, &start, sizeof(start));
	memcpy(frames + PROGRAM_AT, program, sizeof(program));
	frames[PROGRAM_AT + ADDS_FRAME] += frame;
	/* what follows is no entry, but the end */
	memset(frames + FRAMES_SIZE - 4, 0, 4);
}

static int tell_unwind(uint8_t frame)
{
	/* as 'perf inject --jit' lays it out; only its encodings are looked at */
	static const uint8_t behind[20] = { 1, 0x1b, 0x03, 0x3b };
	const uint64_t at = (uintptr_t)code + (style == LLVM ? FRAMES_AT : BEHIND_CODE);
	uint8_t frames[FRAMES_SIZE], before[12] = { 1, 0x0c, 0xff, 0xff };
	struct unwind unwind = { .type = 4, .time = now(CLOCK_MONOTONIC) };

	make_frames(frames, at, frame);
	memcpy(before + 4, &at, sizeof(at));
	unwind.header_size = style == LLVM ? sizeof(before) : sizeof(behind);
	unwind.unwind_size = unwind.header_size + sizeof(frames);
	unwind.size = sizeof(unwind) + unwind.unwind_size;
	if (style == LLVM)
		memcpy(code + FRAMES_AT, frames, sizeof(frames));
	if (put(&unwind, sizeof(unwind)) || (style == LLVM && put(before, sizeof(before))) ||
	    put(frames, sizeof(frames)))
		return -1;
	return style == PERF ? put(behind, sizeof(behind)) : 0;
}

static int make(const char *name, uint8_t frame)
{
	static uint64_t index;
	const struct load load = {
		.size = sizeof(load) + strlen(name) + 1 + CODE_SIZE, .time = now(CLOCK_MONOTONIC),
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)code, .start = (uintptr_t)code,
		.code_size = CODE_SIZE, .index = index++,
	};

	make_code(frame);
	if (style != NONE && tell_unwind(frame))
		return -1;
	return put(&load, sizeof(load)) || put(name, strlen(name) + 1) || put(code, CODE_SIZE);
}

KEEP long leaf(void)
{
	long sum = 0;

	for (volatile int i = 0; i < 1000000; i++)
		sum += i;
	return sum;
}

KEEP long run(void)
{
	return ((long (*)(long (*callee)(void)))code)(leaf) + 1;
}

int main(int argc, char **argv)
{
	long sum = 0;

	if (argc > 1 && !strcmp(argv[1], "none"))
		style = NONE;
	else if (argc > 1 && !strcmp(argv[1], "llvm"))
		style = LLVM;
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (code == MAP_FAILED || begin_dump())
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		if (make(i % 2 ? "jit::large" : "jit::small", i % 2 ? 96 : 32))
			return 1;
		sleep(PAUSE_S);
		for (uint64_t until = now(CLOCK_PROCESS_CPUTIME_ID) + RUN_NS;
		     now(CLOCK_PROCESS_CPUTIME_ID) < until;)
			sum += run();
	}
	return sum == 1;
}
