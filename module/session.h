/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - one open file of /dev/latewind: its options, events, rings and
 * counters, and the table that finds a session by its bit.
 */
#ifndef LW_SESSION_H
#define LW_SESSION_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>

#include "ring.h"

#define LW_MAX_SESSIONS		64	/* bits of an u64 */
#define LW_MAX_EVENTS		65536

/* Per-CPU counters of a session, in the order of struct lw_stats. */
enum lw_stat {
	LW_STAT_SAMPLES,
	LW_STAT_REQUESTS,
	LW_STAT_SHARED,
	LW_STAT_REFUSED_TASK,
	LW_STAT_REFUSED_SLOTS,
	LW_STAT_USER_STACKS,
	LW_STAT_OUTERMOST,
	LW_STAT_TRUNCATED,
	LW_STAT_LOST_WALKS,
	LW_STAT_NO_WALKS,
	LW_STAT_FRAMES_SFRAME,
	LW_STAT_FRAMES_FP,
	LW_STAT_FRAMES_SIGFRAME,
	LW_STAT_LOST_FULL,
	LW_STAT_LOST_BIG,
	LW_STAT_LOST_NESTED,
	LW_STAT_LOST_STACKS,
	LW_STAT_THROTTLED,
	LW_NR_STATS,
};

struct lw_counters {
	u64	n[LW_NR_STATS];
};

/**
 * struct lw_session - one tracer
 * @lock: taken by the ioctls that change the session
 * @id: bit of this session in a slot's mask; below LW_MAX_SESSIONS
 * @enabled: samples are taken; written under @lock, read in any context
 * @depth: most frames of a user stack; set before @rings
 * @kernel_depth: most addresses of a kernel stack; set before @rings
 * @rings: nr_cpu_ids of them; NULL before LW_IOC_SETUP; stored with release
 *	and not changed after that
 * @waiters: poll()
 * @events: struct lw_event; protected by @lock
 * @nr_events: length of @events; protected by @lock
 * @last_id: last event id given; protected by @lock
 * @pid_ns: of the opener: pids in records are numbers of this namespace
 * @counters: per CPU; any context
 */
struct lw_session {
	struct mutex	lock;	/* ioctls that change the session */
	unsigned int	id;
	bool		enabled;
	u32		depth;
	u32		kernel_depth;
	struct lw_ring	*rings;
	struct lw_ring_waiters waiters;
	struct list_head events;
	unsigned int	nr_events;
	u64		last_id;
	struct pid_namespace *pid_ns;
	struct lw_counters __percpu *counters;
};

/* Any context, any CPU. */
static inline void lw_session_count(struct lw_session *session,
				    enum lw_stat stat)
{
	this_cpu_inc(session->counters->n[stat]);
}

static inline void lw_session_add(struct lw_session *session,
				  enum lw_stat stat, u64 n)
{
	this_cpu_add(session->counters->n[stat], n);
}

struct lw_session *lw_session_create(void);
void lw_session_destroy(struct lw_session *session);
int lw_session_setup(struct lw_session *session, const struct lw_setup *setup);
bool lw_session_is_set_up(const struct lw_session *session);
int lw_session_enable(struct lw_session *session, bool enable);
void lw_session_stats(struct lw_session *session, struct lw_stats *stats);
__poll_t lw_session_poll(struct lw_session *session, struct file *file,
			 poll_table *wait);
struct lw_session *lw_session_by_id(unsigned int id);
void *lw_session_reserve(struct lw_session *session, struct lw_ring **ring,
			 u32 len, u16 type, u16 flags);
void lw_session_commit(struct lw_session *session, struct lw_ring *ring,
		       void *record);

#endif /* LW_SESSION_H */
