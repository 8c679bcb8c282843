/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page.h - the size of a page, which on arm64 is a choice of the kernel's configuration.
 */
#ifndef LW_TEST_PAGE_H
#define LW_TEST_PAGE_H

#include <unistd.h>

/* Of any architecture and configuration, for arrays. */
#define LWT_PAGE_MAX	65536UL

/* Bytes of a page.  No system call: the C library has it from the auxiliary vector. */
static inline unsigned long lwt_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

#endif /* LW_TEST_PAGE_H */
