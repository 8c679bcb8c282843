// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_deferred.c - user data that is read when its system call has ended.
 *
 * A probe keeps here, under the cookie of the kernel entry, what a record lacks because a page
 * could not be waited for.  When all tracers have the stack of that cookie, the task reads the
 * data and writes a SYSCALL_DATA record.  The call may have changed the data by then.
 *
 * A place belongs to the task that claimed it, from its probe until it has read the data.  Other
 * tasks look at its owner only.  Places of tasks that never return are freed with the session.
 *
 * Contexts: the task that made the call; in the probe with preemption off.  No locks.
 *
 * Lifetime: reading may take as long as a hostile program likes, so a reader references the
 * places and not the session, which it looks up again when it has read.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "core/request.h"
#include "core/session.h"
#include "syscall_data.h"
#include "syscall_deferred.h"

#define PLACE_BITS	10
/* Places that a task may claim, from its hash on. */
#define WINDOW		16
/*
 * Most places of the processes with one hash, and of the users with one: a process whose threads
 * are all stuck must not take the places of others, nor must all processes of a user.
 */
#define OWNER_BITS	8
#define PROCESS_PLACES	128
#define USER_PLACES	256

/**
 * struct deferred_place - data that a record lacks
 * @task: owner, or NULL if the place is free
 * @user: where the place is counted; the owner's user may change
 * @cookie: of the record
 * @which: bit by argument of the event
 * @event: of the record, a copy
 * @call: of the record, a copy
 * @id: of the session's tracer
 * @serial: of the session's tracer
 * @deferred: referenced while @after is in a list
 * @after: runs when all tracers have the stack
 */
struct deferred_place {
	struct task_struct *task;
	atomic_t	*user;
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
 * struct lw_deferred - the places of a session
 * @ref: the session, and each reader
 * @places: open addressing, by task
 * @by_process: number of places
 * @by_user: likewise
 */
struct lw_deferred {
	struct kref	ref;
	struct deferred_place places[(1 << PLACE_BITS) + WINDOW];
	atomic_t	by_process[1 << OWNER_BITS];
	atomic_t	by_user[1 << OWNER_BITS];
};

static struct deferred_place *deferred_window(struct lw_deferred *deferred)
{
	return &deferred->places[hash_ptr(current, PLACE_BITS)];
}

static atomic_t *deferred_by_process(struct lw_deferred *deferred)
{
	return &deferred->by_process[hash_ptr(current->signal, OWNER_BITS)];
}

/*
 * A user may have many ids in user namespaces: then the one counts who has made the outermost of
 * the namespaces.
 */
static atomic_t *deferred_by_user(struct lw_deferred *deferred)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return &deferred->by_user[hash_32(__kuid_val(uid), OWNER_BITS)];
}

/**
 * lw_deferred_make - make the places of a session
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
	/* Pairs with lw_deferred_collect(): stacks of perf events are delivered meanwhile. */
	smp_store_release(&session->deferred, deferred);
	return 0;
}

static void deferred_free(struct kref *ref)
{
	kvfree(container_of(ref, struct lw_deferred, ref));
}

/**
 * lw_deferred_free - give up the session's reference to its places
 * @session: no probe writes for it any more
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
 * lw_deferred_waiting - how many tasks read what records lack
 * @session: any
 *
 * Context: process.
 * Return: tasks.
 */
unsigned int lw_deferred_waiting(const struct lw_session *session)
{
	return session->deferred ? kref_read(&session->deferred->ref) - 1 : 0;
}

/* Return: a free place, which is current's now, or NULL. */
static struct deferred_place *deferred_find_free(struct lw_deferred *deferred)
{
	struct deferred_place *place = deferred_window(deferred);
	unsigned int i;

	for (i = 0; i < WINDOW; i++, place++)
		/* Pairs with the release in deferred_release(). */
		if (!READ_ONCE(place->task) && !cmpxchg_acquire(&place->task, NULL, current))
			return place;
	return NULL;
}

/* Return: a place of current, or NULL. */
static struct deferred_place *deferred_claim(struct lw_deferred *deferred)
{
	atomic_t *process = deferred_by_process(deferred), *user = deferred_by_user(deferred);
	struct deferred_place *place = NULL;

	if (atomic_inc_return(process) <= PROCESS_PLACES) {
		if (atomic_inc_return(user) <= USER_PLACES)
			place = deferred_find_free(deferred);
		if (!place)
			atomic_dec(user);
	}
	if (!place) {
		atomic_dec(process);
		return NULL;
	}
	place->user = user;
	place->cookie = (struct lw_cookie) {};
	return place;
}

static void deferred_release(struct lw_deferred *deferred, struct deferred_place *place)
{
	atomic_t *user = place->user;

	/* Pairs with the acquire in deferred_find_free(). */
	smp_store_release(&place->task, NULL);
	atomic_dec(user);
	atomic_dec(deferred_by_process(deferred));
}

static void deferred_write(struct lw_session *session, const struct deferred_place *place,
			   const void *buffer, const struct lw_call_data *data)
{
	struct lw_deferred_data *record;
	struct lw_ring *ring;

	preempt_disable();
	record = lw_session_reserve(session, &ring, sizeof(*record) + data->len,
				    LW_RECORD_SYSCALL_DATA, 0);
	if (record) {
		record->cookie = place->cookie;
		record->id = place->event.id;
		record->time = ktime_get_mono_fast_ns();
		record->exit = place->call.when == LW_SYSCALL_EXIT;
		record->nr_data = data->nr;
		memcpy(record + 1, buffer, data->len);
		lw_tracer_add(&session->tracer, LW_STAT_DATA_FAULTS, hweight32(data->faults));
		lw_ring_commit(ring, record);
	}
	preempt_enable();
}

/* Look the session up, and write its record if there is @data.  Return: false if it is gone. */
static bool deferred_find(const struct deferred_place *place, const void *buffer,
			  const struct lw_call_data *data)
{
	int lock = lw_tracers_lock();
	struct lw_tracer *tracer = lw_tracer_by_id(place->id);

	if (tracer && tracer->serial != place->serial)
		tracer = NULL;
	if (tracer && data)
		deferred_write(container_of(tracer, struct lw_session, tracer), place, buffer,
			       data);
	lw_tracers_unlock(lock);
	return tracer;
}

static void deferred_read(const struct deferred_place *place, bool alive)
{
	/* No signal would end a wait in the task's exit. */
	enum lw_reading reading = !alive ? LW_READ_NOTHING :
				  current->flags & PF_EXITING ? LW_READ_RESIDENT : LW_READ_ALL;
	struct lw_call_data data;
	void *buffer;

	buffer = lw_data_read(&place->event, &place->call, place->which, reading,
			      LW_DATA_F_DEFERRED, &data);
	deferred_find(place, buffer, &data);
	kvfree(buffer);
}

static void deferred_run(struct lw_after *after, bool alive)
{
	struct deferred_place *place = container_of(after, struct deferred_place, after);
	struct lw_deferred *deferred = place->deferred;

	if (deferred_find(place, NULL, NULL))
		deferred_read(place, alive);
	deferred_release(deferred, place);
	kref_put(&deferred->ref, deferred_free);
}

/**
 * lw_deferred_keep - remember what a record lacks
 * @session: of the record; enabled
 * @event: of the record
 * @call: of the record
 * @cookie: of the record; requested here if its counter is 0
 * @which: bit by argument of the event
 *
 * Context: the task that made the call, preemption off since it saw the session enabled.
 * Return: false if there is no place, or no cookie: the data is lost.
 */
bool lw_deferred_keep(struct lw_session *session,
		      const struct lw_syscall_event *event,
		      const struct lw_call *call, struct lw_cookie *cookie, u32 which)
{
	struct deferred_place *place = deferred_claim(session->deferred);

	if (!place)
		return false;
	if (!cookie->counter &&
	    lw_request(&session->tracer, task_pt_regs(current), false, cookie) < 0) {
		deferred_release(session->deferred, place);
		return false;
	}
	place->which = which;
	place->event = *event;
	place->call = *call;
	place->id = session->tracer.id;
	place->serial = session->tracer.serial;
	place->deferred = session->deferred;
	place->after.run = deferred_run;
	/* From here on lw_deferred_collect() finds the place. */
	barrier();
	place->cookie = *cookie;
	return true;
}

/**
 * lw_deferred_collect - list what was kept under a cookie
 * @session: whose stack was delivered
 * @cookie: of that stack
 * @list: the places are added to it
 *
 * Context: the task that was walked.
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
