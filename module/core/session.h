/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - one open file of /dev/latewind: its options, events, rings and
 * counters, and the table that finds a session by its bit.
 */
#ifndef LW_SESSION_H
#define LW_SESSION_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "filter.h"
#include "ring/ring.h"
#include "tracer.h"
#include "unwind/missing.h"
#include "unwind/tables.h"

#define LW_MAX_EVENTS		65536
#define LW_SETUP_FLAGS		(LW_SETUP_OVERWRITE | LW_SETUP_MODULES | LW_SETUP_FILES | \
				 (IS_ENABLED(CONFIG_CGROUPS) ? LW_SETUP_CGROUP : 0))

/**
 * struct lw_session - one tracer with rings
 * @ref: of its file, and of probes that sleep while they write a record
 * @lock: taken by the ioctls that change the session
 * @tracer: its depth and mask are set before @rings
 * @filter: which tasks, or NULL for all; written under @lock, read in any
 *	context with preemption off
 * @enabled: samples are taken; written under @lock, read in any context
 * @kernel_depth: most addresses of a kernel stack; set before @rings
 * @with_cgroup: samples carry the cgroup; set before @rings
 * @reads_memory: a system call's user data is recorded; protected by @lock
 * @rings: nr_cpu_ids of them; NULL before LW_IOC_SETUP; stored with release
 *	and not changed after that
 * @mm: charged for rings and tables, or NULL; set before @rings
 * @charged: pages of the rings
 * @waiters: poll()
 * @events: struct lw_event; protected by @lock
 * @nr_events: length of @events; protected by @lock
 * @nr_counters: perf's counters of the events; protected by @lock
 * @missing_cpus: events that a CPU which came later did not get; written under @lock
 * @missing_children: children that there was no memory for in a filter; any context
 * @syscalls: of event_syscall.c, or NULL; set under @lock, before its probes
 *	find the session
 * @deferred: of syscall_deferred.c, or NULL; likewise
 * @tables: of tables.c
 * @missing: of missing.c
 * @all: in the list of all sessions, of event_perf.c
 * @new_cpus: CPUs that have come and that @events are not on; protected by sessions_lock of
 *	event_perf.c
 * @hears: in the list of sessions with LW_SETUP_MODULES, of module_text.c
 * @last_id: last event id given; protected by @lock
 * @pid_ns: of the opener: pids in records are numbers of this namespace
 */
struct lw_session {
	struct kref	ref;
	struct mutex	lock;	/* ioctls that change the session */
	struct lw_tracer tracer;
	struct lw_filter_set __rcu *filter;
	bool		enabled;
	u32		kernel_depth;
	bool		with_cgroup;
	bool		reads_memory;
	struct lw_ring	*rings;
	struct mm_struct *mm;
	unsigned long	charged;
	struct lw_ring_waiters waiters;
	struct list_head events;
	unsigned int	nr_events;
	unsigned int	nr_counters;
	u64		missing_cpus;
	atomic64_t	missing_children;
	struct lw_syscalls *syscalls;
	struct lw_deferred *deferred;
	struct lw_table_owner tables;
	struct lw_missing_server missing;
	struct list_head all;
	struct cpumask	new_cpus;
	struct list_head hears;
	u64		last_id;
	struct pid_namespace *pid_ns;
};

/* Any context, any CPU. */
static inline void lw_session_count(struct lw_session *session,
				    enum lw_stat stat)
{
	lw_tracer_count(&session->tracer, stat);
}

/* The caller has found the session with preemption off, and goes on with preemption on. */
static inline void lw_session_get(struct lw_session *session)
{
	kref_get(&session->ref);
}

/* Process and task of current, as numbered in the opener's PID namespace. */
static inline pid_t lw_session_tgid(const struct lw_session *session)
{
	return session->pid_ns == &init_pid_ns ? task_tgid_nr(current) :
						 task_tgid_nr_ns(current, session->pid_ns);
}

static inline pid_t lw_session_pid(const struct lw_session *session)
{
	return session->pid_ns == &init_pid_ns ? task_pid_nr(current) :
						 task_pid_nr_ns(current, session->pid_ns);
}

/**
 * struct lw_session_ops - called for each session, by folders above this one
 * @make: a session was made
 * @set_up: it has rings, with these LW_SETUP_* flags
 * @enable: it was enabled, or disabled; session->lock is held
 * @collect: as lw_tracer.collect
 * @waiting: how many tasks wait for data that a record lacks
 * @release: the session ends: nobody finds it any more when this returns
 * @free: nobody uses it any more
 *
 * Context, but for @collect: process, may sleep.
 */
struct lw_session_ops {
	void (*make)(struct lw_session *session);
	void (*set_up)(struct lw_session *session, u32 flags);
	void (*enable)(struct lw_session *session, bool enable);
	void (*collect)(struct lw_session *session, const struct lw_cookie *cookie,
			struct lw_after **list);
	unsigned int (*waiting)(const struct lw_session *session);
	void (*release)(struct lw_session *session);
	void (*free)(struct lw_session *session);
};

/* In main.c, as it names functions of folders above this one. */
extern const struct lw_session_ops lw_session_ops;

struct lw_session *lw_session_create(void);
void lw_session_put(struct lw_session *session);
void lw_session_destroy(struct lw_session *session);
int lw_session_setup(struct lw_session *session, const struct lw_setup *setup);
bool lw_session_is_set_up(const struct lw_session *session);
int lw_session_enable(struct lw_session *session, bool enable);
int lw_session_filter(struct lw_session *session,
		      const struct lw_filter *filter);
__poll_t lw_session_poll(struct lw_session *session, struct file *file,
			 poll_table *wait);
void lw_session_stats(struct lw_session *session, struct lw_stats *stats);
void *lw_session_reserve(struct lw_session *session, struct lw_ring **ring,
			 u32 len, u16 type, u16 flags);

#endif /* LW_SESSION_H */
