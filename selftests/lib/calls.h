/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calls.h - a session that records system calls, and what it has recorded.
 */
#ifndef LW_TEST_CALLS_H
#define LW_TEST_CALLS_H

#include "lw_test.h"

/* LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT */
#define BOTH	(LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT)

/**
 * struct calls - a session, and what was read of it
 * @s: for system calls of one process
 * @log: what was read
 * @fetches: LW_FEATURE_FAULTABLE: data is brought in from memory, swap or disk where the call
 *	begins or ends
 */
struct calls {
	struct lwt_session s;
	struct lwt_log log;
	bool fetches;
};

extern const struct lw_syscall_arg path_of_openat;

int calls_open(struct calls *c, uint64_t ring_size);
void calls_close(struct calls *c);
int calls_name(struct calls *c, pid_t pid, uint32_t flags);
int calls_add(struct calls *c, uint32_t nr, uint32_t flags,
	      const struct lw_syscall_arg *args, uint32_t nr_args, uint64_t *id);
struct lw_syscall *calls_record(struct calls *c, uint32_t nr, bool exit, unsigned int n);
unsigned int calls_count(struct calls *c, uint32_t nr, bool exit);
struct lw_syscall_data *calls_data(struct lw_syscall *r, unsigned int n);
struct lw_syscall_data *calls_deferred(struct calls *c, const struct lw_syscall *r);
bool calls_holds(const struct lw_syscall_data *d, const void *bytes, size_t len);
long calls_openat(const char *path);
char *calls_dropped_pages(const char *text, size_t at);

#endif /* LW_TEST_CALLS_H */
