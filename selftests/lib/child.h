/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child.h - a process that we trace: it makes one system call at the end of a chain that we
 * know, or does other work.
 *
 * Functions return 0 or -errno, if they say nothing else.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/call.h"
#include "lib/lw_test.h"

/* Values of /proc/PID/stat's state. */
#define CHILD_ASLEEP	"S"
#define CHILD_ANY_SLEEP	"SD"

/**
 * struct child_known - what parent and child share
 * @chain: the child's
 * @call: its .expect is filled before the system call is made
 * @nr: the system call
 * @a: its arguments
 * @b: likewise
 * @c: likewise
 * @ret: what came back
 */
struct child_known {
	struct chain chain;
	struct call call;
	long nr;
	long a;
	long b;
	long c;
	long ret;
};

/**
 * struct child - a traced process and who traces it
 * @s: session
 * @log: what was read from it
 * @start: a pipe that lets it begin
 * @unblock: a pipe for it to read from
 * @known: shared memory
 * @pid: of it, 0 if there is none
 */
struct child {
	struct lwt_session s;
	struct lwt_log log;
	int start[2];
	int unblock[2];
	struct child_known *known;
	pid_t pid;
};

int child_init(struct child *c);
void child_free(struct child *c);
void child_make(struct child *c, int (*work)(struct child *c));
int child_add(struct child *c, struct perf_event_attr attr);
int child_trace(struct child *c, const char *tracepoint);
int child_begin(struct child *c);
int child_run(struct child *c, int (*work)(struct child *c), const char *tracepoint);
int child_unblock(struct child *c);
int child_reap(struct child *c);
bool child_pending(struct child *c, uint64_t nr);
bool child_is(struct child *c, const char *states);
bool child_blocks(struct child *c, const char *states);
bool child_settle(struct child *c);
struct lwt_stack *child_last_stack(struct child *c);
unsigned int child_count_ends(struct child *c, uint32_t end);
struct lwt_stack *child_find_ip(struct child *c, uint64_t ip,
				unsigned int *nr);

long child_leaf(struct chain *chain);
int child_call(struct child *c);
int child_block(struct child *c);
int child_read_table(void);

/*
 * A system call of up to three arguments; *@ip, which may be in shared memory,
 * is where it returns to and is there before it is made.
 */
static inline __attribute__((always_inline))
long child_syscall(long nr, long a, long b, long c, uint64_t *ip)
{
#if defined(__x86_64__)
	long ret;

	asm volatile("lea 1f(%%rip), %%rcx\n\t"
		     "mov %%rcx, %[ip]\n\t"
		     "syscall\n"
		     "1:"
		     : "=a"(ret), [ip] "=m"(*ip)
		     : "a"(nr), "D"(a), "S"(b), "d"(c)
		     : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr, x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c;

	asm volatile("adr x9, 1f\n\t"
		     "str x9, %[ip]\n\t"
		     "svc #0\n"
		     "1:"
		     : "+r"(x0), [ip] "=m"(*ip)
		     : "r"(x8), "r"(x1), "r"(x2)
		     : "x9", "memory");
	return x0;
#elif defined(__s390x__)
	register long r1 asm("1") = nr, r2 asm("2") = a, r3 asm("3") = b, r4 asm("4") = c;

	asm volatile("larl %%r5, 1f\n\t"
		     "stg %%r5, %[ip]\n\t"
		     "svc 0\n"
		     "1:"
		     : "+r"(r2), [ip] "=m"(*ip)
		     : "r"(r1), "r"(r3), "r"(r4)
		     : "r5", "memory");
	return r2;
#endif
}

/* One stack a cookie. */
#define EXPECT_ONE_EACH(log)						\
do {									\
	struct lwt_counts lwt_c = lwt_log_check(log);			\
									\
	EXPECT_EQ(0, lwt_c.malformed);					\
	EXPECT_EQ(0, lwt_c.orphans);					\
	EXPECT_EQ(0, lwt_c.twice);					\
	EXPECT_EQ(0, lwt_c.unasked);					\
	EXPECT_EQ(0, lwt_c.lost);					\
} while (0)

/* And as many as were asked for. */
#define EXPECT_BALANCE(child)						\
do {									\
	struct lw_stats lwt_s = lwt_stats((child)->s.fd);		\
									\
	EXPECT_ONE_EACH(&(child)->log);					\
	EXPECT_EQ(0, lwt_s.pending);					\
	EXPECT_EQ(lwt_s.requests - lwt_s.shared,			\
		  lwt_s.user_stacks + lwt_s.lost_stacks);		\
} while (0)

/* It ends with that status, and has had all its answers. */
#define EXPECT_END(status, child)					\
do {									\
	EXPECT_EQ(status, child_reap(child));				\
	ASSERT_TRUE(child_settle(child));				\
	EXPECT_BALANCE(child);						\
} while (0)

#endif /* CHILD_H */
