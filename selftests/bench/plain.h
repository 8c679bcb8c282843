/* SPDX-License-Identifier: GPL-2.0 */
/* plain.h - see plain.c */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "../../module/sframe/rule.h"

/**
 * struct plain - an SFrame section, version 2 for x86-64
 * @addr: where it is
 * @size: bytes
 * @fdes: the array of functions
 * @num_fdes: entries
 * @rows: the area of rows
 * @rows_end: behind it
 * @pcrel: a function's start is relative to the field that says it
 * @fixed_ra: RA is at CFA + this
 */
struct plain {
	const uint8_t *addr;
	size_t	size;
	const uint8_t *fdes;
	uint32_t num_fdes;
	const uint8_t *rows;
	const uint8_t *rows_end;
	int	pcrel;
	int8_t	fixed_ra;
};

int plain_open(struct plain *plain, const void *addr, size_t size);
int plain_find(const struct plain *plain, uintptr_t pc, struct lw_rule *rule);

#endif /* BENCH_PLAIN_H */
