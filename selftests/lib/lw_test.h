/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_test.h - what the tests of the module share: a session with its rings, the
 * records read from them, waiting for a condition.
 *
 * Functions return 0 or -errno, as the tests want to know which.
 */
#ifndef LW_TEST_H
#define LW_TEST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <latewind.h>

#include "form.h"
#include "lib/page.h"
#include "lib/stack.h"

#define LWT_MAX_RINGS	256
/* Nothing that comes takes that long, not even under TCG and beside other work. */
#define LWT_TIMEOUT_MS	(120000 * LW_TIME_SCALE)

/**
 * lwt_wait - look at a condition until it holds or LWT_TIMEOUT_MS have passed
 * @cond: expression
 *
 * Value: did it hold.
 */
#define lwt_wait(cond)							\
({									\
	uint64_t lwt_until = lwt_now() + LWT_TIMEOUT_MS * 1000000ULL;	\
	bool lwt_ok;							\
									\
	while (!(lwt_ok = (cond)) && lwt_now() < lwt_until)		\
		lwt_pause();						\
	lwt_ok;								\
})

/* Most frames of a stack that a ring of so many bytes has room for, by what latewind.h says. */
static inline uint32_t lwt_most_depth(uint64_t ring_size)
{
	uint64_t most = (ring_size / 2 - 48) / 12;

	return most < LW_MAX_DEPTH ? most : LW_MAX_DEPTH;
}

/* One ring as mapped. */
struct lwt_ring {
	struct lw_ring_consumer *consumer;
	struct lw_ring_producer *producer;
};

/* An open session with its rings. */
struct lwt_session {
	int fd;
	unsigned int nr_rings;
	size_t map_len;			/* of a producer part */
	struct lwt_ring rings[LWT_MAX_RINGS];
};

/* A record that was read, copied out of its ring. */
struct lwt_record {
	unsigned int ring;
	union {
		struct lw_record *head;
		struct lw_sample *sample;
		struct lwt_stack *stack;
		struct lw_lost *lost;
		struct lw_syscall *call;
		struct lw_deferred_data *deferred;
	};
};

/* Everything read from a session, ring by ring in order. */
struct lwt_log {
	size_t nr;
	size_t room;
	struct lwt_record *records;
};

/* What lwt_log_check() counted. */
struct lwt_counts {
	uint64_t samples;
	uint64_t pending;		/* samples with LW_USER_PENDING */
	uint64_t stacks;
	uint64_t syscalls;
	uint64_t lost;			/* in LOST records, all causes */
	uint64_t orphans;		/* samples with no stack */
	uint64_t twice;			/* stacks whose cookie was seen before */
	uint64_t unasked;		/* stacks that no sample names */
	uint64_t malformed;		/* records against the uapi header */
};

/* The @size lowest bytes of *@value, where they are. */
static inline const void *lwt_low_bytes(const uint64_t *value, size_t size)
{
	const char *bytes = (const char *)value;

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		bytes += sizeof(*value) - size;
	return bytes;
}

uint64_t lwt_now(void);
void lwt_pause(void);
int lwt_tainted(void);
int lwt_settle(int fd);
const char *lwt_disk(void);
long lwt_proc_kib(const char *file, const char *name);
long lwt_own_kib(const char *name);
int lwt_load(const char *path, const char *parameters);
int lwt_unload(const char *name);
int lwt_put_in_cgroup(const char *dir, pid_t pid);
int lwt_pin(int cpu);
bool lwt_is(pid_t pid, const char *states);
void lwt_end(pid_t pid);
int lwt_run_32(const char *path, const char **why);

int lwt_open(void);
int lwt_ioctl(int fd, unsigned long cmd, void *arg);
int lwt_setup(int fd, uint64_t ring_size, uint32_t depth, uint32_t kernel_depth);
int lwt_add_event(int fd, struct perf_event_attr *attr, uint32_t target,
		  pid_t pid, uint64_t *id);
int lwt_enable(int fd);
int lwt_disable(int fd);
int lwt_request(int fd, uint32_t flags, struct lw_cookie *cookie);
struct lw_stats lwt_stats(int fd);
uint64_t lwt_features(int fd);

bool lwt_walks_at_exit(int fd);
int lwt_session_open(struct lwt_session *s, uint64_t ring_size, uint32_t depth,
		     uint32_t kernel_depth);
int lwt_session_open_masked(struct lwt_session *s, uint64_t ring_size,
			    uint32_t depth, uint32_t kernel_depth,
			    uint32_t mask);
int lwt_session_open_flags(struct lwt_session *s, uint64_t ring_size, uint32_t flags);
int lwt_session_open_as(struct lwt_session *s, struct lw_setup *setup);
void lwt_session_close(struct lwt_session *s);
void lwt_session_forget(struct lwt_session *s);

/* What is to be done with a record, which is in its ring until this returns. */
typedef void (*lwt_record_fn)(void *arg, unsigned int ring, const struct lw_record *record);

int lwt_consume(struct lwt_session *s, lwt_record_fn fn, void *arg);
int lwt_read(struct lwt_session *s, struct lwt_log *log);
void lwt_log_free(struct lwt_log *log);
bool lwt_cookie_same(const struct lw_cookie *a, const struct lw_cookie *b);
struct lwt_stack *lwt_find_stack(const struct lwt_log *log,
				 const struct lw_cookie *cookie);
unsigned int lwt_count_stacks(const struct lwt_log *log,
			      const struct lw_cookie *cookie);
struct lwt_stack *lwt_wait_stack(struct lwt_session *s,
				 struct lwt_log *log,
				 const struct lw_cookie *cookie);
struct lwt_stack *lwt_first_stack(const struct lwt_log *log);
struct lwt_counts lwt_log_check(const struct lwt_log *log);
uint64_t lwt_cookies_disagree(const struct lwt_log *log);
uint64_t lwt_lost_on_rings(const struct lwt_session *s);

/* A function of the kernel: its bytes; both 0 if there is none. */
struct lwt_range {
	uint64_t from;
	uint64_t to;
};

struct lwt_range lwt_kernel_function(const char *name);
int lwt_only(int fd, pid_t pid, uint32_t flags);
int lwt_leave_out_ancestors(int fd);
int lwt_tracepoint(const char *name);
struct perf_event_attr lwt_attr_tracepoint(const char *name);
struct perf_event_attr lwt_attr_cpu_clock(uint64_t period_ns);

#endif /* LW_TEST_H */
