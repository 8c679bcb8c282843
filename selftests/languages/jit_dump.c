// SPDX-License-Identifier: GPL-2.0
/*
 * jit_dump.c - makes code at run time, in one place after what was there before, and tells of
 * it in a jitdump, as 'perf inject --jit' wants it. Which of two names the code has its caller
 * tells, too.
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

static int dump;
static uint8_t *code;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int begin_dump(void)
{
	const struct header header = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(header), .machine = CODE_MACHINE,
		.pid = getpid(), .time = now(),
	};
	char path[64];

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	dump = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (dump < 0 || write(dump, &header, sizeof(header)) != sizeof(header))
		return -1;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED ? -1 : 0;
}

static int make(const char *name)
{
	static uint64_t index;
	const struct load load = {
		.size = sizeof(load) + strlen(name) + 1 + sizeof(inner), .time = now(),
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)code, .start = (uintptr_t)code,
		.code_size = sizeof(inner), .index = index++,
	};
	const size_t name_size = strlen(name) + 1;

	put_code(code, inner, sizeof(inner));
	return write(dump, &load, sizeof(load)) == sizeof(load) &&
	       write(dump, name, name_size) == (ssize_t)name_size &&
	       write(dump, inner, sizeof(inner)) == sizeof(inner) ? 0 : -1;
}

static long run_code(void)
{
	return ((long (*)(void))code)();
}

KEEP long run_odd(void)
{
	return run_code() + 1;
}

KEEP long run_even(void)
{
	return run_code() + 2;
}

int main(void)
{
	long sum = 0;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (code == MAP_FAILED || begin_dump())
		return 1;
	for (int i = 0; i < 100; i++) {
		if (make(i % 2 ? "jit::odd" : "jit::even"))
			return 1;
		for (int j = 0; j < 10; j++)
			sum += i % 2 ? run_odd() : run_even();
	}
	return sum == 1;
}
