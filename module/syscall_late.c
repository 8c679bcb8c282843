// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_late.c - data of system calls that is read when they have ended.
 *
 * For kernels whose probes of system calls may not wait for pages.  What a record
 * lacks is kept here, under the cookie of the task's way through the kernel; with
 * the stack of that cookie, when faults are allowed, it is read and told by a
 * record of its own.  By then the call may have changed it, so it is marked.
 *
 * A place belongs to the task that took it in its call, and is read and given back
 * by the same task when its stack is delivered: nobody else looks at more than
 * whose it is.  Those of tasks that never come back go with the session.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat/syscall.h"
#include "request.h"
#include "session.h"
#include "syscall_data.h"
#include "syscall_late.h"

#if !LW_COMPAT_SYSCALLS_FAULT

#define PLACE_BITS	10
/* A task's place is one of so many; when they are taken its data does not come. */
#define WINDOW		16

/**
 * struct late - data that a record lacks
 * @task: whose call, or NULL: the place is free
 * @cookie: in the record
 * @which: bit by argument of the event
 * @event: whose arguments
 * @call: as it was
 */
struct late {
	struct task_struct *task;
	struct lw_cookie cookie;
	u32		which;
	const struct lw_syscall_event *event;
	struct lw_call	call;
};

/**
 * struct lw_late - what a session's records lack
 * @places: from the hash of the task on
 */
struct lw_late {
	struct late	places[(1 << PLACE_BITS) + WINDOW];
};

static struct late *window(struct lw_session *session)
{
	return &session->late->places[hash_ptr(current, PLACE_BITS)];
}

/* Return: current's under that cookie, from @late on, or NULL. */
static struct late *find(struct lw_session *session, struct late *late,
			 const struct lw_cookie *cookie)
{
	const struct late *end = window(session) + WINDOW;

	for (; late < end; late++)
		if (READ_ONCE(late->task) == current &&
		    late->cookie.counter == cookie->counter &&
		    late->cookie.cpu == cookie->cpu)
			return late;
	return NULL;
}

/**
 * lw_late_make - room for what records lack
 * @session: of the caller, locked
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_late_make(struct lw_session *session)
{
	struct lw_late *late;

	if (session->late)
		return 0;
	late = kvzalloc(sizeof(*late), GFP_KERNEL_ACCOUNT);
	/* Stacks that perf events ask for are delivered meanwhile. */
	smp_store_release(&session->late, late);
	return late ? 0 : -ENOMEM;
}

/**
 * lw_late_free - free what lw_late_make() made
 * @session: nobody writes for it
 *
 * Context: process, may sleep.
 */
void lw_late_free(struct lw_session *session)
{
	kvfree(session->late);
	session->late = NULL;
}

/* Return: one that is current's now, or NULL. */
static struct late *take_place(struct lw_session *session)
{
	struct late *late = window(session);
	unsigned int i;

	for (i = 0; i < WINDOW; i++, late++) {
		/* Who had it last has read it: pairs with the release there. */
		if (!READ_ONCE(late->task) && !cmpxchg_acquire(&late->task, NULL, current)) {
			late->cookie = (struct lw_cookie) {};
			return late;
		}
	}
	return NULL;
}

static void give_back(struct late *late)
{
	/* Pairs with the acquire in take_place(). */
	smp_store_release(&late->task, NULL);
}

/**
 * lw_late_keep - remember what a record lacks
 * @session: whose record
 * @event: whose arguments
 * @call: as it is now
 * @cookie: in the record; if it is not given yet, it is requested here
 * @which: bit by argument of the event
 *
 * Context: task whose call it is, preemption off.
 * Return: false if there is no room, or no cookie, and it will not be told.
 */
bool lw_late_keep(struct lw_session *session,
		  const struct lw_syscall_event *event,
		  const struct lw_call *call, struct lw_cookie *cookie, u32 which)
{
	struct late *late = take_place(session);

	if (!late)
		return false;
	if (!cookie->counter &&
	    lw_request(&session->tracer, task_pt_regs(current), false, cookie) < 0) {
		give_back(late);
		return false;
	}
	late->cookie = *cookie;
	late->which = which;
	late->event = event;
	late->call = *call;
	return true;
}

static void write_late(struct lw_session *session, const struct late *late,
		       bool alive)
{
	/* Of another program, or of none, nothing is read. */
	enum lw_reading reading = alive ? LW_READ_ALL : LW_READ_NOTHING;
	struct lw_late_data *record;
	struct lw_taken taken;
	struct lw_ring *ring;
	struct lw_room room;

	lw_data_measure(late->event, &late->call, late->which, reading, &room);
	preempt_disable();
	record = lw_session_reserve(session, &ring, sizeof(*record) + room.total,
				    LW_RECORD_SYSCALL_DATA, 0);
	preempt_enable();
	if (!record)
		return;
	record->cookie = late->cookie;
	record->id = late->event->id;
	record->time = ktime_get_mono_fast_ns();
	record->exit = late->call.when == LW_SYSCALL_EXIT;
	taken = lw_data_take((void *)(record + 1), late->event, &late->call, &room,
			     reading);
	record->nr_data = taken.nr;
	lw_data_mark(&taken, 0, LW_DATA_F_LATE);
	lw_tracer_add(&session->tracer, LW_STAT_DATA_FAULTS, hweight32(taken.faults));
	lw_ring_commit_short(ring, record, taken.end - (void *)record);
}

/**
 * lw_late_is_owed - is something of current kept under a cookie
 * @session: whose stack is delivered
 * @cookie: of that stack
 *
 * Context: task.
 * Return: true if lw_late_tell() has something to tell.
 */
bool lw_late_is_owed(struct lw_session *session, const struct lw_cookie *cookie)
{
	/* Pairs with the release in lw_late_make(). */
	return smp_load_acquire(&session->late) &&
	       find(session, window(session), cookie);
}

/**
 * lw_late_tell - read and write what was kept under a cookie
 * @session: whose stack is delivered
 * @cookie: of that stack
 * @alive: current has the memory that it had in the call
 *
 * Context: task, without locks; may sleep.
 */
void lw_late_tell(struct lw_session *session, const struct lw_cookie *cookie,
		  bool alive)
{
	struct late *late = window(session);

	while ((late = find(session, late, cookie))) {
		write_late(session, late, alive);
		give_back(late);
	}
}

#else

int lw_late_make(struct lw_session *session)
{
	return 0;
}

void lw_late_free(struct lw_session *session)
{
}

bool lw_late_keep(struct lw_session *session,
		  const struct lw_syscall_event *event,
		  const struct lw_call *call, struct lw_cookie *cookie, u32 which)
{
	return false;
}

bool lw_late_is_owed(struct lw_session *session, const struct lw_cookie *cookie)
{
	return false;
}

void lw_late_tell(struct lw_session *session, const struct lw_cookie *cookie,
		  bool alive)
{
}

#endif
