/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_names.h - names of code that processes have made, as they tell them themselves.
 */
#ifndef LW_JIT_NAMES_H
#define LW_JIT_NAMES_H

#include "base/util.h"

/* Bytes: read of a file at a time; kept of one file's names; kept of all. */
#define LW_JIT_LOOK		(16ULL << 20)
#define LW_JIT_FILE_MOST	(64ULL << 20)
#define LW_JIT_ALL_MOST		(256ULL << 20)
/* Read of a file at a time by who has the time. */
#define LW_JIT_LOOK_ALL		(1ULL << 30)

/**
 * struct lw_jit_address - an address in code that a process has made
 * @pid: the process, which may have ended
 * @began: CLOCK_MONOTONIC nanoseconds of its fork or exec; 0: not known
 * @time: of the sample
 * @ip: the address
 * @dump: the path of the jitdump that the process has mapped, or NULL
 */
struct lw_jit_address {
	u32 pid;
	u64 began;
	u64 time;
	u64 ip;
	const char *dump;
};

struct lw_jit_names;

struct lw_jit_names *lw_jit_names_new(u64 look);
void lw_jit_names_free(struct lw_jit_names *names);
void lw_jit_names_trim(struct lw_jit_names *names);
u64 lw_jit_names_bytes(const struct lw_jit_names *names);
const char *lw_jit_names_find(struct lw_jit_names *names, const struct lw_jit_address *address,
			      u64 *offset, const char **file);

#endif /* LW_JIT_NAMES_H */
