// SPDX-License-Identifier: GPL-2.0
/*
 * trace_target.c - makes system calls for trace_test.sh.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

#define NOINLINE __attribute__((noinline, noclone))

/* A frame of ours makes the call: that of libc's has no SFrame. */
static NOINLINE int open_path(const char *path)
{
	return call_here(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
}

static int open_paths(void)
{
	open_path("/lw-path/plain");
	open_path("/lw-path/\xff\xfe\"\\\n");
	open_path("/lw-path/\1\0017\t\r\v\f\33x");
	open_path("/lw-path/a/path/that/is/longer/than/the/limit/of/strings/is/whole");
	return 0;
}

static int open_dropped(const char *file)
{
	static const char path[] = "/lw-path/on/a/dropped/page";
	char *map;
	int fd;

	fd = open(file, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, path, sizeof(path)) != sizeof(path))
		return 1;
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	madvise(map, 4096, MADV_DONTNEED);
	open_path(map);
	return 0;
}

/* Tells of each round by a byte. */
static int open_for_ever(void)
{
	for (;;) {
		open_path("/lw-path/loop");
		if (!fork()) {
			open_path("/lw-path/child");
			_exit(0);
		}
		wait(NULL);
		if (write(STDOUT_FILENO, ".", 1) != 1)
			return 1;
		usleep(10000);
	}
}

static int flood(int times)
{
	for (int i = 0; i < times; i++)
		syscall(SYS_getppid);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "paths"))
		return open_paths();
	if (!strcmp(what, "dropped") && argc > 2)
		return open_dropped(argv[2]);
	if (!strcmp(what, "unreadable"))
		return open_path((const char *)8) >= 0;
	if (!strcmp(what, "write"))
		return write(STDOUT_FILENO, "0123456789", 10) != 10;
	if (!strcmp(what, "floods") && argc > 2)
		return flood(atoi(argv[2]));
	if (!strcmp(what, "loop"))
		return open_for_ever();
	fprintf(stderr,
		"usage: trace_target paths|dropped FILE|unreadable|write|floods TIMES|loop\n");
	return 2;
}
