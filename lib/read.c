// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * read.c - the ways to read the rings of a session.
 *
 * Contexts: one thread a session, which is its rings' consumer.  No locks: ring_reader.c and
 * ring_by_time.c pair each barrier with the producer's.
 */
#include <poll.h>
#include <time.h>

#include "private.h"

#define JOIN_BYTES	(64UL << 20)

/* Return: 0 where rings are read that way, else -errno. */
static int is_read(const struct latewind_session *session, bool snapshot)
{
	if (!session->nr_rings)
		return -EBADFD;
	return session->overwrites == snapshot ? 0 : -EINVAL;
}

int latewind_session_read_ring(struct latewind_session *session, __u32 cpu,
			       latewind_record_fn fn, void *ctx, bool *complete)
{
	int ret = is_read(session, false);
	bool all;

	if (ret)
		return ret;
	if (cpu >= session->nr_rings)
		return -EINVAL;
	return latewind_ring_read(&session->rings[cpu], fn, ctx, complete ? complete : &all);
}

static int take_snapshot(struct latewind_session *session, u32 cpu, bool next,
			 latewind_record_fn fn, void *ctx)
{
	int ret = is_read(session, true);
	struct latewind_ring *ring;
	void *buffer;

	if (ret)
		return ret;
	if (cpu >= session->nr_rings)
		return -EINVAL;
	ring = &session->rings[cpu];
	if (!ring->producer)
		return 0;
	buffer = malloc(ring->size);
	if (!buffer)
		return -ENOMEM;
	ret = latewind_ring_snapshot(ring, buffer, next ? &ring->snapshot : NULL, fn, ctx);
	free(buffer);
	return ret;
}

int latewind_session_snapshot_ring(struct latewind_session *session, __u32 cpu,
				   latewind_record_fn fn, void *ctx)
{
	return take_snapshot(session, cpu, false, fn, ctx);
}

int latewind_session_snapshot_next(struct latewind_session *session, __u32 cpu,
				   latewind_record_fn fn, void *ctx)
{
	return take_snapshot(session, cpu, true, fn, ctx);
}

int latewind_session_read_by_time(struct latewind_session *session, __u64 until,
				  latewind_record_fn fn, void *ctx)
{
	int ret = is_read(session, false);

	if (ret)
		return ret;
	if (!session->by_time)
		session->by_time = latewind_ring_by_time_new(session->rings, session->nr_rings);
	if (!session->by_time)
		return -ENOMEM;
	return latewind_ring_by_time_pass(session->by_time, until, fn, ctx);
}

__u64 latewind_session_unfinished(const struct latewind_session *session)
{
	return session->by_time ? latewind_ring_by_time_unfinished(session->by_time) : 0;
}

static int take_record(void *ctx, const struct lw_record *record)
{
	struct latewind_stack_join *join = ctx;

	if (record->type == LW_RECORD_SAMPLE)
		return latewind_sample_valid(record) ?
		       latewind_stack_join_sample(join, (const struct lw_sample *)record) :
		       -EBADMSG;
	if (record->type == LW_RECORD_USER_STACK)
		return latewind_stack_valid(record) ?
		       latewind_stack_join_stack(join, (const struct lw_user_stack *)record) :
		       -EBADMSG;
	return 0;
}

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* However often it is called: a stack waits as long for samples that come behind it. */
static void tell_pass(struct latewind_session *session, bool complete)
{
	u64 now = now_ms();

	if (!complete || now - session->passed_ms < PASS_MS)
		return;
	session->passed_ms = now;
	latewind_stack_join_pass(session->join, true);
}

static int join_all(struct latewind_session *session)
{
	int ret = is_read(session, false);
	bool all = true, complete;

	if (ret)
		return ret;
	if (!session->join)
		session->join = latewind_stack_join_new(JOIN_BYTES);
	if (!session->join)
		return -ENOMEM;
	for (u32 cpu = 0; !ret && cpu < session->nr_rings; cpu++) {
		ret = latewind_session_read_ring(session, cpu, take_record, session->join,
						 &complete);
		all &= complete;
	}
	tell_pass(session, all && !ret);
	return ret;
}

int latewind_session_samples(struct latewind_session *session, latewind_sample_fn fn, void *ctx)
{
	int ret = join_all(session);

	return ret ? ret : latewind_stack_join_emit(session->join, fn, ctx);
}

/* Reads until no stack is owed, and none is waited for. */
static int join_last(struct latewind_session *session, unsigned int wait_ms)
{
	u64 until = now_ms() + wait_ms;
	struct lw_stats stats;
	int ret;

	do {
		/* Before the reading: what is not owed any more is in the rings. */
		stats = (struct lw_stats) { .size = sizeof(stats) };
		ret = latewind_session_stats(session, &stats);
		if (!ret)
			ret = join_all(session);
		if (ret || (!stats.pending && !latewind_stack_join_pending(session->join)))
			return ret;
		poll(NULL, 0, 1);
	} while (now_ms() < until);
	return latewind_stack_join_give_up(session->join);
}

int latewind_session_last_samples(struct latewind_session *session, unsigned int wait_ms,
				  latewind_sample_fn fn, void *ctx)
{
	int ret = join_last(session, wait_ms);

	return ret ? ret : latewind_stack_join_emit(session->join, fn, ctx);
}
