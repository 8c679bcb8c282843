// SPDX-License-Identifier: GPL-2.0
/*
 * jit.c - makes code at run time, and tells the names of it in /tmp/perf-PID.map as
 * JIT compilers do: with frame pointers, as they mostly have them.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code.h"

#define KEEP	__attribute__((noipa))

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
	put_code(code, inner, sizeof(inner));
	put_code(code + 256, outer, sizeof(outer));
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
