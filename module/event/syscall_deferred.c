// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_deferred.c - data of system calls that is read when they have ended.
 *
 * What a record lacks, as its page was not in memory and could not be waited for there, is
 * kept here, under the cookie of the task's way through the kernel.  When all have the
 * stack of that cookie, and faults are allowed, it is read and goes into a
 * record of its own.  By then the call may have changed it, so it is marked.
 *
 * A place belongs to the task that took it in its call, and is read and given back
 * by the same task when its stack was delivered: nobody else looks at more than
 * whose it is.  Those of tasks that never come back go with the session.
 *
 * Lifetime: who reads holds the places, and not the session, as that may take as long as a
 * program likes: it finds the session again when it has read, or not.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/request.h"
#include "core/session.h"
#include "syscall_data.h"
#include "syscall_deferred.h"

#define PLACE_BITS	10
/* A task's place is one of so many; when they are taken its data does not come. */
#define WINDOW		16
/*
 * A process has so many places at most, together with those of the same hash, so that one whose
 * threads are all stuck does not take what others need.
 */
#define PROCESS_BITS	8
#define PROCESS_PLACES	128

/**
 * struct deferred_place - data that a record lacks
 * @task: whose call, or NULL: the place is free
 * @cookie: in the record
 * @which: bit by argument of the event
 * @event: whose arguments, a copy
 * @call: as it was
 * @id: of the session's tracer
 * @serial: of it
 * @deferred: whose place; held while @after is in a list
 * @after: in the list of what is to be done when all have their stacks
 */
struct deferred_place {
	struct task_struct *task;
	struct lw_cookie cookie;
	u32		which;
	struct lw_syscall_event event;
	struct lw_call	call;
	unsigned int	id;
	u64		serial;
	struct lw_deferred *deferred;
	struct lw_after	after;
};

/**
 * struct lw_deferred - what a session's records lack
 * @ref: the session, and who reads
 * @places: from the hash of the task on
 * @taken: by hash of the process: its places
 */
struct lw_deferred {
	struct kref	ref;
	struct deferred_place places[(1 << PLACE_BITS) + WINDOW];
	atomic_t	taken[1 << PROCESS_BITS];
};

static struct deferred_place *deferred_window(struct lw_deferred *deferred)
{
	return &deferred->places[hash_ptr(current, PLACE_BITS)];
}

static atomic_t *deferred_taken(struct lw_deferred *deferred)
{
	return &deferred->taken[hash_ptr(current->signal, PROCESS_BITS)];
}

/**
 * lw_deferred_make - room for what records lack
 * @session: of the caller, locked
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_deferred_make(struct lw_session *session)
{
	struct lw_deferred *deferred;

	if (session->deferred)
		return 0;
	deferred = kvzalloc(sizeof(*deferred), GFP_KERNEL_ACCOUNT);
	if (!deferred)
		return -ENOMEM;
	kref_init(&deferred->ref);
	/* Stacks that perf events ask for are delivered meanwhile. */
	smp_store_release(&session->deferred, deferred);
	return 0;
}

static void deferred_free(struct kref *ref)
{
	kvfree(container_of(ref, struct lw_deferred, ref));
}

/**
 * lw_deferred_free - free what lw_deferred_make() made, or leave that to who reads
 * @session: nobody writes for it
 *
 * Context: process, may sleep.
 */
void lw_deferred_free(struct lw_session *session)
{
	if (session->deferred)
		kref_put(&session->deferred->ref, deferred_free);
	session->deferred = NULL;
}

/**
 * lw_deferred_waiting - who reads what records lack
 * @session: any
 *
 * Context: process.
 * Return: tasks.
 */
unsigned int lw_deferred_waiting(const struct lw_session *session)
{
	return session->deferred ? kref_read(&session->deferred->ref) - 1 : 0;
}

/* Return: one that is current's now, or NULL. */
static struct deferred_place *deferred_take(struct lw_deferred *deferred)
{
	struct deferred_place *place = deferred_window(deferred);
	atomic_t *taken = deferred_taken(deferred);
	unsigned int i;

	if (atomic_inc_return(taken) <= PROCESS_PLACES) {
		for (i = 0; i < WINDOW; i++, place++) {
			/* Who had it last has read it: pairs with the release there. */
			if (!READ_ONCE(place->task) &&
			    !cmpxchg_acquire(&place->task, NULL, current)) {
				place->cookie = (struct lw_cookie) {};
				return place;
			}
		}
	}
	atomic_dec(taken);
	return NULL;
}

static void deferred_give_back(struct lw_deferred *deferred, struct deferred_place *place)
{
	/* Pairs with the acquire in deferred_take(). */
	smp_store_release(&place->task, NULL);
	atomic_dec(deferred_taken(deferred));
}

static void deferred_write(struct lw_session *session, const struct deferred_place *place,
			   const void *data, const struct lw_taken *taken)
{
	u32 len = taken->end - data;
	struct lw_deferred_data *record;
	struct lw_ring *ring;

	preempt_disable();
	record = lw_session_reserve(session, &ring, sizeof(*record) + len,
				    LW_RECORD_SYSCALL_DATA, 0);
	if (record) {
		record->cookie = place->cookie;
		record->id = place->event.id;
		record->time = ktime_get_mono_fast_ns();
		record->exit = place->call.when == LW_SYSCALL_EXIT;
		record->nr_data = taken->nr;
		memcpy(record + 1, data, len);
		lw_tracer_add(&session->tracer, LW_STAT_DATA_FAULTS, hweight32(taken->faults));
		lw_ring_commit(ring, record);
	}
	preempt_enable();
}

/* Is the session there?  With @taken that is written for it. */
static bool deferred_find(const struct deferred_place *place, const void *data,
			  const struct lw_taken *taken)
{
	int lock = lw_tracers_lock();
	struct lw_tracer *tracer = lw_tracer_by_id(place->id);

	if (tracer && tracer->serial != place->serial)
		tracer = NULL;
	if (tracer && taken)
		deferred_write(container_of(tracer, struct lw_session, tracer), place, data,
			       taken);
	lw_tracers_unlock(lock);
	return tracer;
}

/* What comes of it is marked; nothing is reserved while a page is waited for. */
static void deferred_read(const struct deferred_place *place, bool alive)
{
	/* Of another program, or of none, nothing is read; in its exit a task waits for nothing. */
	enum lw_reading reading = !alive ? LW_READ_NOTHING :
				  current->flags & PF_EXITING ? LW_READ_RESIDENT : LW_READ_ALL;
	struct lw_taken taken;
	void *data;

	data = lw_data_read(&place->event, &place->call, place->which, reading, &taken);
	lw_data_mark(&taken, 0, LW_DATA_F_DEFERRED);
	deferred_find(place, data, &taken);
	kvfree(data);
}

static void deferred_run(struct lw_after *after, bool alive)
{
	struct deferred_place *place = container_of(after, struct deferred_place, after);
	struct lw_deferred *deferred = place->deferred;

	if (deferred_find(place, NULL, NULL))
		deferred_read(place, alive);
	deferred_give_back(deferred, place);
	kref_put(&deferred->ref, deferred_free);
}

/**
 * lw_deferred_keep - remember what a record lacks
 * @session: whose record; enabled
 * @event: whose arguments
 * @call: as it is now
 * @cookie: in the record; if it is not given yet, it is requested here
 * @which: bit by argument of the event
 *
 * Context: task whose call it is, preemption off since it has seen the session enabled.
 * Return: false if there is no room, or no cookie, and it will not be read.
 */
bool lw_deferred_keep(struct lw_session *session,
		      const struct lw_syscall_event *event,
		      const struct lw_call *call, struct lw_cookie *cookie, u32 which)
{
	struct deferred_place *place = deferred_take(session->deferred);

	if (!place)
		return false;
	if (!cookie->counter &&
	    lw_request(&session->tracer, task_pt_regs(current), false, cookie) < 0) {
		deferred_give_back(session->deferred, place);
		return false;
	}
	place->which = which;
	place->event = *event;
	place->call = *call;
	place->id = session->tracer.id;
	place->serial = session->tracer.serial;
	place->deferred = session->deferred;
	place->after.run = deferred_run;
	/* From here on lw_deferred_collect() finds it. */
	barrier();
	place->cookie = *cookie;
	return true;
}

/**
 * lw_deferred_collect - what was kept under a cookie is to be read
 * @session: whose stack is delivered
 * @cookie: of that stack
 * @list: out: what reads it is added
 *
 * Context: task.
 */
void lw_deferred_collect(struct lw_session *session, const struct lw_cookie *cookie,
			 struct lw_after **list)
{
	/* Pairs with the release in lw_deferred_make(). */
	struct lw_deferred *deferred = smp_load_acquire(&session->deferred);
	struct deferred_place *place;
	unsigned int i;

	if (!deferred)
		return;
	place = deferred_window(deferred);
	for (i = 0; i < WINDOW; i++, place++) {
		if (READ_ONCE(place->task) != current ||
		    place->cookie.counter != cookie->counter || place->cookie.cpu != cookie->cpu)
			continue;
		kref_get(&deferred->ref);
		place->after.next = *list;
		*list = &place->after;
	}
}
