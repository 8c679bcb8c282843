// SPDX-License-Identifier: GPL-2.0
/*
 * event_syscall.c - system calls that begin and end, with the user data that
 * their arguments name.
 *
 * Probes of the kernel's two tracepoints, which are there while a session wants
 * system calls.  Context: the task, before and after the call, without locks.
 *
 * With preemption off a record is reserved in the ring of the CPU that the probe
 * is on, and what is in memory is read into it; mostly that is all.  Where probes
 * may fault (LW_COMPAT_SYSCALLS_FAULT) a record that is not whole is read again
 * with preemption on: that may wait for pages, and end on another CPU.  Last the
 * stack is unwound, there and then.  Elsewhere the rest is left to syscall_late.c,
 * and the stack to the task's way back.
 *
 * Lifetime: a probe finds sessions with preemption off, and holds a reference to
 * those that it writes for while it may sleep, so that freeing them does not wait
 * for anybody's page.  What waits for RCU tasks trace does: rmmod, for one.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "compat/syscall.h"
#include "compat/tracepoint.h"
#include "event_syscall.h"
#include "request.h"
#include "session.h"
#include "syscall_data.h"
#include "syscall_late.h"

/* More than any architecture has. */
#define MAX_NR		1024

/**
 * struct lw_syscalls - the calls that a session wants; all its life
 * @any: those that are not named, or NULL
 * @by_nr: the others
 */
struct lw_syscalls {
	struct lw_syscall_event *any;
	struct lw_syscall_event *by_nr[MAX_NR];
};

/* By lw_tracer.id; protected by probes_mutex for writing, RCU for reading. */
static struct lw_session __rcu *sessions[LW_MAX_TRACERS];
/* Bits of @sessions that are not NULL; written under probes_mutex. */
static u64 session_bits;
static DEFINE_MUTEX(probes_mutex);
static struct tracepoint *enter_tracepoint;
static struct tracepoint *exit_tracepoint;

/* What the session wants to know of the call, or NULL. */
static const struct lw_syscall_event *find_event(const struct lw_session *session,
						 const struct lw_call *call)
{
	const struct lw_syscalls *syscalls = session->syscalls;
	unsigned int nr = array_index_nospec(call->nr, MAX_NR);
	const struct lw_syscall_event *event = READ_ONCE(syscalls->by_nr[nr]) ?:
					       READ_ONCE(syscalls->any);

	return event && event->flags & call->when ? event : NULL;
}

/**
 * struct written - a record that was reserved
 * @session: for whom
 * @event: of its
 * @ring: where
 * @record: what; all but its data is in it
 * @cookie: in it
 * @room: for its data
 *
 * Of the record nothing is read: a reader that does not wait for it, as it should,
 * lets others write over it.
 */
struct written {
	struct lw_session *session;
	const struct lw_syscall_event *event;
	struct lw_ring	*ring;
	struct lw_syscall *record;
	struct lw_cookie cookie;
	struct lw_room	room;
};

/* Records of one call that wait for pages at the same time. */
#define MAX_WAITING	4

static u16 flags_of(const struct lw_call *call)
{
	return call->when == LW_SYSCALL_EXIT ? LW_SYSCALL_IS_EXIT : 0;
}

static void fill(const struct written *written, const struct lw_call *call, u32 user)
{
	struct lw_session *session = written->session;
	struct lw_syscall *record = written->record;

	record->cookie = written->cookie;
	record->time = call->time;
	record->id = written->event->id;
	record->pid = lw_session_tgid(session);
	record->tid = lw_session_pid(session);
	record->cpu = smp_processor_id();
	record->user = user;
	record->nr = call->nr;
	record->nr_data = 0;
	record->ret = call->ret;
	memcpy(record->args, call->args, sizeof(record->args));
	lw_session_count(session, LW_STAT_SYSCALLS);
}

static bool find_session(struct written *written, unsigned int id,
			 const struct lw_call *call)
{
	struct lw_session *session = rcu_dereference_sched(sessions[id]);

	if (!session || !READ_ONCE(session->enabled))
		return false;
	written->session = session;
	written->event = find_event(session, call);
	return written->event && lw_tracer_wants(&session->tracer);
}

/* It is the same when the call ends: once is enough. */
static bool wants_stack(const struct lw_syscall_event *event, const struct lw_call *call)
{
	return event->flags & LW_SYSCALL_STACK &&
	       (call->when == LW_SYSCALL_ENTRY || !(event->flags & LW_SYSCALL_ENTRY));
}

/* Preemption is off.  Return: false if there is nothing to write. */
static bool reserve_record(struct written *written, unsigned int id, struct lw_call *call)
{
	struct lw_session *session;
	u32 user = LW_USER_EXCLUDED;

	if (!find_session(written, id, call))
		return false;
	session = written->session;
	written->cookie = (struct lw_cookie) {};
	call->time = call->time ?: ktime_get_mono_fast_ns();
	if (wants_stack(written->event, call)) {
		user = lw_request_user(lw_request(&session->tracer, task_pt_regs(current),
						  false, &written->cookie));
		call->asked |= user == LW_USER_PENDING;
	}
	lw_data_measure(written->event, call, ~0U, LW_READ_RESIDENT, &written->room);
	written->record = lw_session_reserve(session, &written->ring,
					     sizeof(*written->record) +
					     written->room.total,
					     LW_RECORD_SYSCALL, flags_of(call));
	if (!written->record)
		return false;
	fill(written, call, user);
	return true;
}

/*
 * What could not be read is missing.  The cookie is what it is told by when it
 * comes, and brings a stack along.
 */
static void leave_for_later(struct written *written, const struct lw_call *call,
			    const struct lw_taken *taken)
{
	struct lw_session *session = written->session;
	struct lw_syscall *record = written->record;

	lw_data_mark(taken, LW_DATA_F_FAULT, LW_DATA_F_MISSING);
	if (!lw_late_keep(session, written->event, call, &written->cookie,
			  taken->faults)) {
		lw_tracer_add(&session->tracer, LW_STAT_DATA_FAULTS,
			      hweight32(taken->faults));
		return;
	}
	record->cookie = written->cookie;
	record->user = LW_USER_PENDING;
	record->record.flags = flags_of(call) | LW_SYSCALL_DATA_LATE;
}

/*
 * Reads the data and commits.  LW_READ_ALL may sleep, and be on another CPU after
 * that.
 *
 * Return: false if that is not all, and waiting for pages may help.
 */
static bool read_data(struct written *written, const struct lw_call *call,
		      enum lw_reading reading)
{
	struct lw_syscall *record = written->record;
	struct lw_taken taken = lw_data_take((void *)(record + 1), written->event, call,
					     &written->room, reading);

	if (taken.faults && reading == LW_READ_RESIDENT && LW_COMPAT_SYSCALLS_FAULT)
		return false;
	record->nr_data = taken.nr;
	if (taken.faults && !LW_COMPAT_SYSCALLS_FAULT)
		leave_for_later(written, call, &taken);
	else if (taken.faults)
		lw_tracer_add(&written->session->tracer, LW_STAT_DATA_FAULTS,
			      hweight32(taken.faults));
	lw_ring_commit_short(written->ring, record, taken.end - (void *)record);
	return true;
}

/* Return: false if its data is to be read where that may sleep. */
static bool write_one(struct written *written, unsigned int id, struct lw_call *call)
{
	bool done;

	preempt_disable_notrace();
	done = !reserve_record(written, id, call) ||
	       read_data(written, call, LW_READ_RESIDENT);
	if (!done)
		lw_session_get(written->session);
	preempt_enable_notrace();
	return done;
}

/* All that are reserved before the first one waits have the order of the calls. */
static void write_all(struct lw_call *call)
{
	struct written waiting[LW_COMPAT_SYSCALLS_FAULT ? MAX_WAITING : 1];
	u64 bits = READ_ONCE(session_bits);
	unsigned int nr = 0;

	while (bits) {
		for (; bits && nr < ARRAY_SIZE(waiting); bits &= bits - 1)
			nr += !write_one(&waiting[nr], __ffs64(bits), call);
		while (nr) {
			read_data(&waiting[--nr], call, LW_READ_ALL);
			lw_session_put(waiting[nr].session);
		}
	}
	/* Who asked for a stack has its registers at hand, and may fault. */
	if (LW_COMPAT_SYSCALLS_FAULT && call->asked)
		lw_request_answer_now();
}

/* A call of a 64-bit task that we have a number for. */
static bool is_ours(long nr)
{
	return !in_compat_syscall() && nr >= 0 && nr < MAX_NR;
}

static void call_begins(void *data, struct pt_regs *regs, long nr)
{
	struct lw_call call = {
		.nr = nr,
		.when = LW_SYSCALL_ENTRY,
	};

	if (!is_ours(nr))
		return;
	syscall_get_arguments(current, regs, call.args);
	write_all(&call);
}

static void call_ends(void *data, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);
	struct lw_call call = {
		.nr = nr,
		.when = LW_SYSCALL_EXIT,
		.ret = ret,
	};

	if (!is_ours(nr))
		return;
	syscall_get_arguments(current, regs, call.args);
	write_all(&call);
}

/* Return: what @add says, or ERR_PTR(-errno). */
static struct lw_syscall_event *make(const struct lw_add_syscall *add)
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

static int check(const struct lw_add_syscall *add)
{
	bool any = add->nr == LW_SYSCALL_ANY;

	if (add->nr_args > LW_MAX_SYSCALL_ARGS || !add->nr_args != !add->args)
		return -EINVAL;
	if (any ? add->nr_args : add->nr >= MAX_NR)
		return -EINVAL;
	return add->flags & (LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT) ? 0 : -EINVAL;
}

static int register_probes(void)
{
	int ret;

	lockdep_assert_held(&probes_mutex);
	if (session_bits)
		return 0;
	if (!enter_tracepoint || !exit_tracepoint)
		return -EOPNOTSUPP;
	ret = tracepoint_probe_register(enter_tracepoint, call_begins, NULL);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(exit_tracepoint, call_ends, NULL);
	if (ret)
		tracepoint_probe_unregister(enter_tracepoint, call_begins, NULL);
	return ret;
}

static void unregister_probes(void)
{
	lockdep_assert_held(&probes_mutex);
	if (session_bits)
		return;
	tracepoint_probe_unregister(exit_tracepoint, call_ends, NULL);
	tracepoint_probe_unregister(enter_tracepoint, call_begins, NULL);
}

/* From here on probes find the session. */
static int publish(struct lw_session *session)
{
	unsigned int id = session->tracer.id;
	int ret;

	mutex_lock(&probes_mutex);
	ret = register_probes();
	if (!ret) {
		rcu_assign_pointer(sessions[id], session);
		WRITE_ONCE(session_bits, session_bits | BIT_ULL(id));
	}
	mutex_unlock(&probes_mutex);
	return ret;
}

static int make_first(struct lw_session *session)
{
	int ret;

	session->syscalls = kzalloc(sizeof(*session->syscalls),
				    GFP_KERNEL_ACCOUNT);
	if (!session->syscalls)
		return -ENOMEM;
	ret = lw_late_make(session) ?: publish(session);
	if (ret) {
		kfree(session->syscalls);
		session->syscalls = NULL;
	}
	return ret;
}

/* Longer records the ring does not take. */
static bool fits(const struct lw_session *session, const struct lw_syscall_event *event)
{
	u32 most = max(lw_data_most(event, LW_SYSCALL_ENTRY),
		       lw_data_most(event, LW_SYSCALL_EXIT));

	return sizeof(struct lw_syscall) + most <=
	       session->rings[cpumask_first(cpu_possible_mask)].size / 2;
}

static int add_locked(struct lw_session *session, struct lw_syscall_event *event,
		      struct lw_add_syscall *add)
{
	struct lw_syscall_event **place;
	int ret;

	lockdep_assert_held(&session->lock);
	if (session->enabled)
		return -EBUSY;
	if (!fits(session, event))
		return -ENOSPC;
	if (!session->syscalls) {
		ret = make_first(session);
		if (ret)
			return ret;
	}
	place = add->nr == LW_SYSCALL_ANY ? &session->syscalls->any :
		&session->syscalls->by_nr[array_index_nospec(add->nr, MAX_NR)];
	if (*place)
		return -EEXIST;
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

	if (add->id || check(add))
		return -EINVAL;
	if (!lw_session_is_set_up(session))
		return -EBADFD;
	/* What calls have in memory is as much as ptrace() could read. */
	if (add->nr_args && !capable(CAP_SYS_PTRACE))
		return -EPERM;
	event = make(add);
	if (IS_ERR(event))
		return PTR_ERR(event);
	mutex_lock(&session->lock);
	ret = add_locked(session, event, add);
	mutex_unlock(&session->lock);
	if (ret)
		kfree(event);
	return ret;
}

/**
 * lw_syscall_release_all - no probe finds the session any more
 * @session: on its way out; enabled is false
 *
 * Some may still write for it, and hold references to it.
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
	unregister_probes();
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
	unsigned int i;

	lw_late_free(session);
	if (!session->syscalls)
		return;
	kfree(session->syscalls->any);
	for (i = 0; i < MAX_NR; i++)
		kfree(session->syscalls->by_nr[i]);
	kfree(session->syscalls);
}

/**
 * lw_syscall_init - find the tracepoints
 *
 * Context: process, may sleep.
 */
void lw_syscall_init(void)
{
	enter_tracepoint = lw_tracepoint("sys_enter");
	exit_tracepoint = lw_tracepoint("sys_exit");
}

/**
 * lw_syscall_exit - wait for probes that are still in a call
 *
 * No session is left, and so no probe is registered.
 *
 * Context: process, may sleep.
 */
void lw_syscall_exit(void)
{
	tracepoint_synchronize_unregister();
}
