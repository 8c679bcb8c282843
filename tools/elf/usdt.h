/* SPDX-License-Identifier: GPL-2.0 */
/*
 * usdt.h - the probes that a program has built in.
 */
#ifndef LW_USDT_H
#define LW_USDT_H

#include "elf/elf_file.h"

/* One place of a probe; there may be several of the same name. */
struct lw_usdt {
	const char *provider;
	const char *name;
	u64 offset;		/* of the instruction, in the file */
	u64 semaphore;		/* of its counter of users, in the file; 0: it has none */
};

typedef int (*lw_usdt_fn)(void *ctx, const struct lw_usdt *probe);

int lw_usdt_list(const struct lw_elf *file, lw_usdt_fn fn, void *ctx);

#endif /* LW_USDT_H */
