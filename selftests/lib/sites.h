/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites.h - where latewind.ko calls what fault injection can have fail.
 */
#ifndef LW_TEST_SITES_H
#define LW_TEST_SITES_H

#include <stdbool.h>
#include <stdint.h>

#define SITES_MAX	256

/**
 * struct site - a call of an allocator, or of a copy from or to user space
 * @section: of the file
 * @offset: in that, of the instruction behind the call; of a tail call, whose frame is gone, that
 *	behind a call of @function
 * @function: that calls
 * @at: where in the function
 * @callee: that is called
 * @is_copy: it copies
 */
struct site {
	char section[32];
	uint64_t offset;
	char function[64];
	uint64_t at;
	char callee[64];
	bool is_copy;
};

int sites_read(const char *path, struct site *sites);
uint64_t sites_address(const struct site *site);

#endif /* LW_TEST_SITES_H */
