// SPDX-License-Identifier: GPL-2.0
/*
 * jit.c - makes code at run time, and tells the names of it in /tmp/perf-PID.map as
 * JIT compilers do: with frame pointers, as they mostly have them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP	__attribute__((noipa))

/* push %rbp; mov %rsp, %rbp; mov $1000000, %eax; 1: dec %eax; jnz 1b; pop %rbp; ret */
static const uint8_t inner[] = {
	0x55, 0x48, 0x89, 0xe5, 0xb8, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3,
};

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t outer[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

KEEP long run(uint8_t *code)
{
	long (*fn)(void *callee) = (long (*)(void *))(code + 256);

	return fn(code) + 1;
}

int main(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	char path[64];
	long sum = 0;
	FILE *map;

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, inner, sizeof(inner));
	memcpy(code + 256, outer, sizeof(outer));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx jit::inner\n", (long)code, sizeof(inner));
	fprintf(map, "%lx %zx jit::outer\n", (long)code + 256, sizeof(outer));
	fclose(map);
	for (int i = 0; i < 300; i++)
		sum += run(code);
	return sum == 1;
}
