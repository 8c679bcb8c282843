// SPDX-License-Identifier: GPL-2.0
/*
 * open_dropped.c TIMES: openat() of names on pages that nobody has in memory.
 *
 * A tracer knows the calls by their mode, which is not looked at without O_CREAT.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/calls.h"

#define PAGE	4096
#define AT	100
#define MODE	0x5a5a

int main(int argc, char **argv)
{
	int times = argc == 2 ? atoi(argv[1]) : 0;
	int i;

	for (i = 0; i < times; i++) {
		char *pages = calls_dropped_pages("/no/such/path", AT);

		if (!pages) {
			perror("open_dropped");
			return 1;
		}
		syscall(SYS_openat, AT_FDCWD, pages + AT, O_RDONLY, MODE);
		munmap(pages, 2 * PAGE);
	}
	return times > 0 ? 0 : 2;
}
