/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inject.h - has the kernel fail the nth allocation, or copy from or to user space, that a
 * task makes (/proc/self/fail-nth).
 *
 * Functions return 0 or -errno, if they say nothing else.
 */
#ifndef LW_TEST_INJECT_H
#define LW_TEST_INJECT_H

#include <stdbool.h>

/* Allocations alone, or copies from and to user space as well. */
#define INJECT_MEMORY	0
#define INJECT_ALL	1

int inject_init(int what);
int inject_set_callers(const char *what, unsigned long start, unsigned long end);
int inject_arm(int fd, unsigned int nth);
unsigned int inject_disarm(int fd);
int inject_at(unsigned long address, bool copies);
unsigned int inject_failures(bool copies);
int inject_end(void);

#endif /* LW_TEST_INJECT_H */
