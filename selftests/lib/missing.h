/* SPDX-License-Identifier: GPL-2.0 */
/*
 * missing.h - a page that is not there until somebody brings it.
 */
#ifndef LW_TEST_MISSING_H
#define LW_TEST_MISSING_H

#include <stdbool.h>

/**
 * struct missing - such a page
 * @fd: its userfaultfd
 * @page: where it is
 */
struct missing {
	int fd;
	char *page;
};

int missing_init(struct missing *missing);
void missing_free(struct missing *missing);
bool missing_is_waited_for(struct missing *missing);
int missing_bring(struct missing *missing, const void *bytes, unsigned long len);
int missing_wake(struct missing *missing);

#endif /* LW_TEST_MISSING_H */
