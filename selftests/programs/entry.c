// SPDX-License-Identifier: GPL-2.0
/*
 * entry.c - asks for its stack two calls below _start (entry_start.S), tells
 * what that is, and exits.
 */
#include <asm/unistd.h>

#include <latewind.h>

#include "entry.h"
#include "raw.h"

#define KEEP	__attribute__((noipa))

static KEEP void ask(struct entry_told *told)
{
	struct lw_request request = { .size = sizeof(request) };

	told->frames[1] = (uintptr_t)__builtin_return_address(0);
	told->ret = raw_syscall(__NR_ioctl, ENTRY_FD, LW_IOC_REQUEST,
				(long)&request, &told->frames[0]);
}

KEEP void entry_main(void);

void entry_main(void)
{
	struct entry_told told;
	uint64_t ip;

	told.frames[2] = (uintptr_t)__builtin_return_address(0);
	ask(&told);
	raw_syscall(__NR_write, ENTRY_OUT, (long)&told, sizeof(told), &ip);
	raw_syscall(__NR_exit_group, told.ret != 0, 0, 0, &ip);
}
