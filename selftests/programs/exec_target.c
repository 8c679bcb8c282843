// SPDX-License-Identifier: GPL-2.0
/*
 * exec_target.c - what an execve() under test starts.
 *
 * exec_target [NUMBER]: make NUMBER calls of getppid() and exit.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0;

	while (calls-- > 0)
		syscall(SYS_getppid);
	return 0;
}
