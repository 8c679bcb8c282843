// SPDX-License-Identifier: GPL-2.0
/*
 * event_syscall.c - records of system calls that begin and end, with the user data that
 * their arguments name.
 *
 * Two tracepoint probes, registered while a session wants system calls.  Context: the task,
 * before and after the call, without locks.  Callers of the other functions: the ioctls.
 *
 * With preemption off a probe reads what is resident into a buffer of its CPU, reserves a record
 * of just that length, and fills it; mostly that is all.  If something is not resident, and the
 * probe may sleep (LW_COMPAT_SYSCALLS_FAULT), nothing is reserved: the probe brings in what
 * memory, swap or a local disk have, reads it into a buffer of its own, and then writes the
 * record.  Data that a program or another machine would have to bring, and all else that is not
 * resident where the probe may not sleep, is left to syscall_deferred.c.  So no probe waits for
 * ever, nor with a record reserved.
 *
 * Lifetime: a probe finds a session with preemption off.  While it sleeps it holds a reference,
 * so that close() does not wait for a disk.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "compat/tracepoint.h"
#include "core/request.h"
#include "core/session.h"
#include "event_syscall.h"
#include "syscall_data.h"
#include "syscall_deferred.h"

/* More than any architecture has. */
#define MAX_NR		1024
/* A probe waits for pages that long: a disk answers sooner, or there is a queue. */
#define BRING_NS	(100 * NSEC_PER_MSEC)

/**
 * struct lw_syscalls - the calls that a session records; lives as long as the session
 * @any: LW_SYSCALL_ANY, or NULL
 * @by_nr: the calls that the session names
 * @room: bytes of each buffer; protected by session->lock
 * @buffers: by CPU number: the data of a call on its way into a record; used with preemption
 *	off, and replaced while the session is disabled
 */
struct lw_syscalls {
	struct lw_syscall_event *any;
	struct lw_syscall_event *by_nr[MAX_NR];
	u32	room;
	void	*buffers[];
};

/* By lw_tracer.id; protected by probes_mutex for writing, RCU for reading. */
static struct lw_session __rcu *sessions[LW_MAX_TRACERS];
/* Bits of @sessions that are not NULL; written under probes_mutex. */
static u64 session_bits;
static DEFINE_MUTEX(probes_mutex);
/* Set when the probes are registered. */
static struct tracepoint *enter_tracepoint;
static struct tracepoint *exit_tracepoint;

/**
 * struct evsys_record - a record of a call for one session
 * @session: which
 * @event: what it records
 * @data: describes the user data
 * @cookie: of the user stack
 */
struct evsys_record {
	struct lw_session *session;
	const struct lw_syscall_event *event;
	struct lw_call_data data;
	struct lw_cookie cookie;
};

static const struct lw_syscall_event *
evsys_find_event(const struct lw_session *session, const struct lw_call *call)
{
	const struct lw_syscalls *syscalls = session->syscalls;
	unsigned int nr = array_index_nospec(call->nr, MAX_NR);
	const struct lw_syscall_event *event = READ_ONCE(syscalls->by_nr[nr]) ?:
					       READ_ONCE(syscalls->any);

	return event && event->flags & call->when ? event : NULL;
}

/* Return: false if the session of @id does not record this call now. */
static bool evsys_find(struct evsys_record *r, unsigned int id, const struct lw_call *call)
{
	struct lw_session *session = rcu_dereference_sched(sessions[id]);

	/* Pairs with session->lock: evsys_add_locked() has replaced the buffers before. */
	if (!session || !smp_load_acquire(&session->enabled))
		return false;
	r->session = session;
	r->event = evsys_find_event(session, call);
	return r->event && lw_tracer_wants(&session->tracer);
}

/* The stack is the same when the call ends: once is enough. */
static bool evsys_wants_stack(const struct lw_syscall_event *event, const struct lw_call *call)
{
	return event->flags & LW_SYSCALL_STACK &&
	       (call->when == LW_SYSCALL_ENTRY || !(event->flags & LW_SYSCALL_ENTRY));
}

/*
 * Leave what could not be read to the return to user space.  Its record has the same cookie, so
 * a stack comes along.  Return: false if there is nothing, or no room.
 */
static bool evsys_defer(struct evsys_record *r, const struct lw_call *call)
{
	if (!r->data.faults)
		return false;
	if (lw_deferred_keep(r->session, r->event, call, &r->cookie, r->data.faults))
		return true;
	lw_tracer_add(&r->session->tracer, LW_STAT_DATA_FAULTS, hweight32(r->data.faults));
	return false;
}

/*
 * Context: preemption is off since the session was found.  Nothing is read from the record: a
 * reader that does not wait for LW_RING_BUSY lets other producers write over it.
 */
static void evsys_write(struct evsys_record *r, struct lw_call *call, const void *data)
{
	struct lw_session *session = r->session;
	u32 user = LW_USER_EXCLUDED;
	struct lw_syscall *record;
	struct lw_ring *ring;
	bool deferred;

	r->cookie = (struct lw_cookie) {};
	call->time = call->time ?: ktime_get_mono_fast_ns();
	if (evsys_wants_stack(r->event, call))
		user = lw_request_user(lw_request(&session->tracer, task_pt_regs(current),
						  false, &r->cookie));
	record = lw_session_reserve(session, &ring, sizeof(*record) + r->data.len,
				    LW_RECORD_SYSCALL, 0);
	if (!record)
		return;
	deferred = evsys_defer(r, call);
	record->record.flags = (call->when == LW_SYSCALL_EXIT ? LW_SYSCALL_IS_EXIT : 0) |
			       (deferred ? LW_SYSCALL_DATA_DEFERRED : 0);
	record->cookie = r->cookie;
	record->time = call->time;
	record->id = r->event->id;
	record->pid = lw_session_tgid(session);
	record->tid = lw_session_pid(session);
	record->cpu = smp_processor_id();
	record->user = deferred ? LW_USER_PENDING : user;
	record->nr = call->nr;
	record->nr_data = r->data.nr;
	record->ret = call->ret;
	memcpy(record->args, call->args, sizeof(record->args));
	memcpy(record + 1, data, r->data.len);
	lw_session_count(session, LW_STAT_SYSCALLS);
	lw_ring_commit(ring, record);
}

/* Return: false if pages are to be brought in first; the caller has a reference then. */
static bool evsys_write_now(struct evsys_record *r, unsigned int id, struct lw_call *call,
			    bool may_wait)
{
	bool wait = false;
	void *buffer;

	preempt_disable_notrace();
	if (evsys_find(r, id, call)) {
		buffer = r->session->syscalls->buffers[smp_processor_id()];
		lw_data_read_atomic(r->event, call, buffer, &r->data);
		wait = r->data.faults && may_wait;
		if (wait)
			lw_session_get(r->session);
		else
			evsys_write(r, call, buffer);
	}
	preempt_enable_notrace();
	return !wait;
}

/* The session may have been disabled, or given another filter, meanwhile. */
static void evsys_write_brought(struct evsys_record *r, unsigned int id, struct lw_call *call)
{
	struct lw_session *session = r->session;
	void *buffer;

	call->until = call->until ?: ktime_get_mono_fast_ns() + BRING_NS;
	buffer = lw_data_read(r->event, call, ~0U, LW_READ_NEARBY, 0, &r->data);
	/* Records of a ring are in order, so the time of sessions before does not do. */
	call->time = 0;
	if (buffer) {
		preempt_disable_notrace();
		if (evsys_find(r, id, call) && r->session == session)
			evsys_write(r, call, buffer);
		preempt_enable_notrace();
		kvfree(buffer);
	} else {
		evsys_write_now(r, id, call, false);
	}
	lw_session_put(session);
}

static void evsys_write_all(struct lw_call *call)
{
	struct evsys_record r;
	unsigned int id;
	u64 bits;

	for (bits = READ_ONCE(session_bits); bits; bits &= bits - 1) {
		id = __ffs64(bits);
		if (!evsys_write_now(&r, id, call, LW_COMPAT_SYSCALLS_FAULT))
			evsys_write_brought(&r, id, call);
	}
}

static void evsys_probe(struct pt_regs *regs, long nr, u32 when, long ret)
{
	struct lw_call call = {
		.nr = nr,
		.when = when,
		.ret = ret,
	};

	/* Calls of 32-bit tasks have other numbers. */
	if (in_compat_syscall() || nr < 0 || nr >= MAX_NR)
		return;
	syscall_get_arguments(current, regs, call.args);
	evsys_write_all(&call);
}

static void evsys_call_begins(void *data, struct pt_regs *regs, long nr)
{
	evsys_probe(regs, nr, LW_SYSCALL_ENTRY, 0);
}

static void evsys_call_ends(void *data, struct pt_regs *regs, long ret)
{
	evsys_probe(regs, syscall_get_nr(current, regs), LW_SYSCALL_EXIT, ret);
}

/* Return: the event that @add describes, or ERR_PTR(-errno). */
static struct lw_syscall_event *evsys_make(const struct lw_add_syscall *add)
{
	struct lw_syscall_event *event;
	int ret = 0;
	u32 i;

	event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->flags = add->flags;
	event->nr_args = add->nr_args;
	if (copy_from_user(event->args, u64_to_user_ptr(add->args),
			   add->nr_args * sizeof(*event->args)))
		ret = -EFAULT;
	for (i = 0; i < add->nr_args && !ret; i++)
		ret = lw_data_check(&event->args[i], add->flags);
	if (!ret)
		return event;
	kfree(event);
	return ERR_PTR(ret);
}

static int evsys_check(const struct lw_add_syscall *add)
{
	bool any = add->nr == LW_SYSCALL_ANY;

	if (add->id || add->nr_args > LW_MAX_SYSCALL_ARGS || !add->nr_args != !add->args)
		return -EINVAL;
	if (any ? add->nr_args : add->nr >= MAX_NR)
		return -EINVAL;
	return add->flags & (LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT) ? 0 : -EINVAL;
}

static int evsys_register_probes(void)
{
	int ret;

	lockdep_assert_held(&probes_mutex);
	if (session_bits)
		return 0;
	enter_tracepoint = lw_tracepoint("sys_enter");
	exit_tracepoint = lw_tracepoint("sys_exit");
	if (!enter_tracepoint || !exit_tracepoint)
		return -EOPNOTSUPP;
	ret = tracepoint_probe_register(enter_tracepoint, evsys_call_begins, NULL);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(exit_tracepoint, evsys_call_ends, NULL);
	if (ret)
		tracepoint_probe_unregister(enter_tracepoint, evsys_call_begins, NULL);
	return ret;
}

static void evsys_unregister_probes(void)
{
	lockdep_assert_held(&probes_mutex);
	if (session_bits)
		return;
	tracepoint_probe_unregister(exit_tracepoint, evsys_call_ends, NULL);
	tracepoint_probe_unregister(enter_tracepoint, evsys_call_begins, NULL);
}

/* From here on probes find the session. */
static int evsys_publish(struct lw_session *session)
{
	unsigned int id = session->tracer.id;
	int ret;

	mutex_lock(&probes_mutex);
	ret = evsys_register_probes();
	if (!ret) {
		rcu_assign_pointer(sessions[id], session);
		WRITE_ONCE(session_bits, session_bits | BIT_ULL(id));
	}
	mutex_unlock(&probes_mutex);
	return ret;
}

/*
 * Context: the session is disabled, so that no probe uses the buffers.
 * Return: 0, -ENOMEM, -EINTR (killed).
 */
static int evsys_grow_buffers(struct lw_syscalls *syscalls, u32 room)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	void *buffer;
	int cpu;

	if (room <= syscalls->room)
		return 0;
	for_each_possible_cpu(cpu) {
		buffer = kvmalloc_node(room, gfp, cpu_to_node(cpu));
		if (!buffer)
			return fatal_signal_pending(current) ? -EINTR : -ENOMEM;
		kvfree(syscalls->buffers[cpu]);
		syscalls->buffers[cpu] = buffer;
	}
	syscalls->room = room;
	return 0;
}

static void evsys_free(struct lw_syscalls *syscalls)
{
	unsigned int i;

	kfree(syscalls->any);
	for (i = 0; i < MAX_NR; i++)
		kfree(syscalls->by_nr[i]);
	for_each_possible_cpu(i)
		kvfree(syscalls->buffers[i]);
	kvfree(syscalls);
}

static int evsys_make_first(struct lw_session *session, u32 room)
{
	int ret;

	session->syscalls = kvzalloc(struct_size(session->syscalls, buffers, nr_cpu_ids),
				     GFP_KERNEL_ACCOUNT);
	if (!session->syscalls)
		return -ENOMEM;
	ret = evsys_grow_buffers(session->syscalls, room) ?: lw_deferred_make(session) ?:
	      evsys_publish(session);
	if (ret) {
		evsys_free(session->syscalls);
		session->syscalls = NULL;
	}
	return ret;
}

static int evsys_add_locked(struct lw_session *session, struct lw_syscall_event *event,
			    struct lw_add_syscall *add)
{
	u32 room = max(lw_data_most(event, LW_SYSCALL_ENTRY), lw_data_most(event, LW_SYSCALL_EXIT));
	struct lw_syscall_event **place;
	int ret;

	lockdep_assert_held(&session->lock);
	if (session->enabled)
		return -EBUSY;
	/* The ring takes no longer record. */
	if (sizeof(struct lw_syscall) + room >
	    session->rings[cpumask_first(cpu_possible_mask)].size / 2)
		return -ENOSPC;
	ret = session->syscalls ? 0 : evsys_make_first(session, room);
	if (ret)
		return ret;
	place = add->nr == LW_SYSCALL_ANY ? &session->syscalls->any :
		&session->syscalls->by_nr[array_index_nospec(add->nr, MAX_NR)];
	if (*place)
		return -EEXIST;
	ret = evsys_grow_buffers(session->syscalls, room);
	if (ret)
		return ret;
	event->id = ++session->last_id;
	add->id = event->id;
	session->reads_memory |= event->nr_args;
	/* Probes depend on its address. */
	smp_store_release(place, event);
	return 0;
}

/**
 * lw_syscall_add - LW_IOC_ADD_SYSCALL
 * @session: of the caller
 * @add: in: as the uapi header says; out: id
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_syscall_add(struct lw_session *session, struct lw_add_syscall *add)
{
	struct lw_syscall_event *event;
	int ret;

	if (evsys_check(add))
		return -EINVAL;
	if (!lw_session_is_set_up(session))
		return -EBADFD;
	/* The memory of calls is what ptrace() could read. */
	if (add->nr_args && !capable(CAP_SYS_PTRACE))
		return -EPERM;
	event = evsys_make(add);
	if (IS_ERR(event))
		return PTR_ERR(event);
	mutex_lock(&session->lock);
	ret = evsys_add_locked(session, event, add);
	mutex_unlock(&session->lock);
	if (ret)
		kfree(event);
	return ret;
}

/**
 * lw_syscall_release_all - hide a session from the probes
 * @session: disabled, and about to be destroyed
 *
 * Probes that sleep may still hold references to it.
 *
 * Context: process, may sleep.
 */
void lw_syscall_release_all(struct lw_session *session)
{
	unsigned int id = session->tracer.id;

	if (!session->syscalls)
		return;
	mutex_lock(&probes_mutex);
	RCU_INIT_POINTER(sessions[id], NULL);
	WRITE_ONCE(session_bits, session_bits & ~BIT_ULL(id));
	evsys_unregister_probes();
	mutex_unlock(&probes_mutex);
	synchronize_rcu();
}

/**
 * lw_syscall_free - free what lw_syscall_add() made
 * @session: nobody writes for it
 *
 * Context: process, may sleep.
 */
void lw_syscall_free(struct lw_session *session)
{
	lw_deferred_free(session);
	if (session->syscalls)
		evsys_free(session->syscalls);
}
