// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_join.c - from records of system calls to whole calls.
 *
 * Records come in the order of time over all rings.  A call is held by its thread
 * from its begin to its end, wherever these were written; then it waits in a queue,
 * in the order of ends, until its stack and what could be read of its arguments only
 * later are there.  Any record may have been lost: a begin after a begin says that
 * the first call has no end, an end alone is a call too.
 *
 * Calls are used again with their memory, so that nothing is allocated per record; a
 * burst of them, or of data, does not keep it.
 *
 * Contexts: one thread.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <latewind.h>
#include <liblatewind.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "trace/signal_text.h"
#include "trace/syscall_join.h"
#include "trace/syscall_table.h"

#define HASH_SIZE	4096
/* Calls that are kept to be used again, and bytes of data or stack of one. */
#define MAX_FREE	4096
#define MAX_KEPT	16384

/* lw_call.waits */
#define WAITS_STACK	0x1U
#define WAITS_ENTRY	0x2U
#define WAITS_EXIT	0x4U

struct thread {
	struct lw_hash_node node;
	struct lw_call *call;		/* that it is in, or NULL */
	u64 last_end;
	u32 pid, tid;
};

struct lw_join {
	struct lw_hash_node *threads[HASH_SIZE];
	u64 nr_threads;
	struct lw_hash_node *waiting[HASH_SIZE];	/* calls, by cookie */
	struct lw_call *first, **last;	/* the queue */
	struct lw_call *free;
	u32 nr_free;
	u64 time;			/* of the youngest record */
	struct lw_join_stats stats;
};

/**
 * lw_join_new - nothing known yet
 *
 * Return: the join or NULL.
 */
struct lw_join *lw_join_new(void)
{
	struct lw_join *join = calloc(1, sizeof(*join));

	if (join)
		join->last = &join->first;
	return join;
}

static struct thread *find_thread(const struct lw_join *join, u32 tid)
{
	struct thread *thread;

	lw_hash_for_each(thread, lw_hash_slot(join->threads, tid), node) {
		if (thread->tid == tid)
			break;
	}
	return thread;
}

static struct thread *get_thread(struct lw_join *join, u32 pid, u32 tid)
{
	struct thread *thread = find_thread(join, tid);

	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return NULL;
		thread->tid = tid;
		lw_hash_add(lw_hash_slot(join->threads, tid), &thread->node);
		join->nr_threads++;
	}
	thread->pid = pid;
	return thread;
}

static void remove_thread(struct lw_join *join, struct thread *thread)
{
	lw_hash_del(&thread->node);
	join->nr_threads--;
	free(thread);
}

static struct lw_hash_node **waiting_slot(struct lw_join *join, const struct lw_cookie *cookie)
{
	return lw_hash_slot(join->waiting,
			    lw_hash64(cookie->counter ^ ((u64)cookie->cpu << 48)));
}

/* Return: of several the newest. */
static struct lw_call *find_waiting(struct lw_join *join, const struct lw_cookie *cookie)
{
	struct lw_call *call;

	lw_hash_for_each(call, waiting_slot(join, cookie), waiting) {
		if (call->cookie.counter == cookie->counter && call->cookie.cpu == cookie->cpu)
			break;
	}
	return call;
}

/* Begin or end of a call lack what comes under their cookie. */
static void wait_for(struct lw_join *join, struct lw_call *call, const struct lw_cookie *cookie,
		     u32 waits)
{
	if (!waits || !cookie->counter)
		return;
	if (!call->waits) {
		call->cookie = *cookie;
		lw_hash_add(waiting_slot(join, cookie), &call->waiting);
	}
	/* of two cookies the first is kept: one call is one stack */
	if (call->cookie.counter == cookie->counter && call->cookie.cpu == cookie->cpu)
		call->waits |= waits;
}

static void stop_waiting(struct lw_call *call, u32 for_what)
{
	if (!call->waits)
		return;
	call->waits &= ~for_what;
	if (!call->waits)
		lw_hash_del(&call->waiting);
}

static struct lw_call *new_call(struct lw_join *join, const struct lw_syscall *record)
{
	struct lw_call *call = join->free;

	if (call) {
		join->free = call->next;
		join->nr_free--;
	} else {
		call = calloc(1, sizeof(*call));
		if (!call)
			return NULL;
	}
	call->next = NULL;
	call->state = 0;
	call->waits = 0;
	call->nr = record->nr;
	call->pid = record->pid;
	call->tid = record->tid;
	call->user = LW_USER_EXCLUDED;
	call->begin = 0;
	call->end = 0;
	call->ret = 0;
	memcpy(call->args, record->args, sizeof(call->args));
	call->nr_data = 0;
	call->nr_bytes = 0;
	call->has_stack = false;
	return call;
}

static void free_call(struct lw_call *call)
{
	free(call->bytes);
	free(call->stack);
	free(call);
}

static void reuse_call(struct lw_join *join, struct lw_call *call)
{
	if (join->nr_free == MAX_FREE || call->byte_room > MAX_KEPT ||
	    call->stack_room > MAX_KEPT) {
		free_call(call);
		return;
	}
	call->next = join->free;
	join->free = call;
	join->nr_free++;
}

static int copy_data(struct lw_call *call, struct lw_call_data *to, const void *bytes, u32 len)
{
	if (lw_grow((void **)&call->bytes, &call->byte_room, call->nr_bytes + len + 1, 1))
		return -ENOMEM;
	to->at = call->nr_bytes;
	to->len = len;
	memcpy(call->bytes + to->at, bytes, len);
	/* what is printed as a number is read from aligned places */
	call->nr_bytes += ALIGN_UP(len, 8);
	return 0;
}

static struct lw_call_data *data_to_fill(struct lw_call *call, const struct lw_syscall_data *data,
					 u32 when)
{
	struct lw_call_data *to;

	for (u32 i = 0; i < call->nr_data; i++) {
		to = &call->data[i];
		if (to->arg == data->arg && to->kind == data->kind && to->when == when &&
		    to->flags & LW_DATA_F_MISSING)
			return to;
	}
	return call->nr_data < LW_CALL_DATA_MAX ? &call->data[call->nr_data++] : NULL;
}

/* @at: @nr pieces of data, up to @end. */
static int take_data(struct lw_call *call, const void *at, const void *end, u32 nr, u32 when)
{
	for (; nr; nr--) {
		const struct lw_syscall_data *data = at;
		struct lw_call_data *to;

		if (end - at < (ptrdiff_t)sizeof(*data) ||
		    data->len > (size_t)(end - at) - sizeof(*data))
			return -EBADMSG;
		to = data_to_fill(call, data, when);
		if (!to)
			return 0;
		to->arg = data->arg;
		to->kind = data->kind;
		to->when = when;
		to->flags = data->flags;
		if (copy_data(call, to, data + 1, data->len))
			return -ENOMEM;
		at += sizeof(*data) + ALIGN_UP(data->len, 8);
	}
	return 0;
}

static int take_record_data(struct lw_call *call, const struct lw_syscall *record, u32 when)
{
	return take_data(call, record + 1, (const u8 *)record + record->record.len,
			 record->nr_data, when);
}

static void queue(struct lw_join *join, struct lw_call *call)
{
	call->done = join->time;
	call->threads = join->nr_threads;
	call->lost = join->stats.lost;
	call->next = NULL;
	*join->last = call;
	join->last = &call->next;
}

/* The thread's call has no exit record, or its exit record was lost. */
static void end_without_end(struct lw_join *join, struct thread *thread)
{
	if (thread->call)
		queue(join, thread->call);
	thread->call = NULL;
}

static bool never_ends(u32 nr)
{
	return nr == __NR_exit || nr == __NR_exit_group || nr == __NR_rt_sigreturn;
}

static bool is_fork(u32 nr)
{
	return nr == __NR_clone || nr == __NR_clone3 || nr == __NR_fork || nr == __NR_vfork;
}

static bool is_exec(u32 nr)
{
	return nr == __NR_execve || nr == __NR_execveat;
}

static u32 waits_of(const struct lw_syscall *record, u32 data)
{
	return (record->user == LW_USER_PENDING ? WAITS_STACK : 0) |
	       (record->record.flags & LW_SYSCALL_DATA_DEFERRED ? data : 0);
}

static int take_begin(struct lw_join *join, const struct lw_syscall *record)
{
	struct thread *thread = get_thread(join, record->pid, record->tid);
	struct lw_call *call;

	if (!thread)
		return -ENOMEM;
	if (record->time < thread->last_end) {
		join->stats.late++;
		return 0;
	}
	end_without_end(join, thread);
	call = new_call(join, record);
	if (!call)
		return -ENOMEM;
	thread->call = call;
	call->state = LW_CALL_BEGAN;
	call->begin = record->time;
	call->user = record->user;
	wait_for(join, call, &record->cookie, waits_of(record, WAITS_ENTRY));
	if (never_ends(record->nr)) {
		end_without_end(join, thread);
		if (record->nr != __NR_rt_sigreturn)
			remove_thread(join, find_thread(join, record->tid));
	}
	return take_record_data(call, record, LW_SYSCALL_ENTRY);
}

/* A thread that executes a program becomes the first one of its process. */
static struct thread *exec_of_other(struct lw_join *join, const struct lw_syscall *record)
{
	struct lw_hash_node **at;
	struct thread *thread;

	lw_hash_for_all(thread, at, join->threads, node) {
		if (thread->pid == record->pid && thread->call && is_exec(thread->call->nr))
			return thread;
	}
	return NULL;
}

static bool same_call(const struct lw_call *call, const struct lw_syscall *record)
{
	/* execveat(), too, ends as execve(), and with the arguments of that */
	if (is_exec(call->nr) && is_exec(record->nr))
		return true;
	return call->nr == record->nr && !memcmp(call->args, record->args, sizeof(call->args));
}

static bool is_in(const struct thread *thread, const struct lw_syscall *record)
{
	return thread && thread->call && same_call(thread->call, record);
}

/* The call that ends here, taken off its thread, or a new one. */
static struct lw_call *call_of_end(struct lw_join *join, struct thread *thread,
				   const struct lw_syscall *record)
{
	struct thread *other = NULL;
	struct lw_call *call;

	if (is_in(thread, record)) {
		call = thread->call;
		thread->call = NULL;
		return call;
	}
	/* what it was in itself has no end */
	end_without_end(join, thread);
	if (is_exec(record->nr) && !record->ret)
		other = exec_of_other(join, record);
	if (other) {
		call = other->call;
		remove_thread(join, other);
		return call;
	}
	call = new_call(join, record);
	if (call) {
		call->user = record->user;
		wait_for(join, call, &record->cookie, waits_of(record, 0));
	}
	return call;
}

/* A child begins with the end of its parent's call. */
static int take_birth(struct lw_join *join, struct thread *thread, const struct lw_syscall *record)
{
	struct lw_call *call = new_call(join, record);

	if (!call)
		return -ENOMEM;
	end_without_end(join, thread);
	call->state = LW_CALL_BORN;
	call->end = record->time;
	thread->last_end = record->time;
	queue(join, call);
	return 0;
}

static int take_end(struct lw_join *join, const struct lw_syscall *record)
{
	struct thread *thread = get_thread(join, record->pid, record->tid);
	struct lw_call *call;

	if (!thread)
		return -ENOMEM;
	if (is_fork(record->nr) && !record->ret)
		return take_birth(join, thread, record);
	call = call_of_end(join, thread, record);
	if (!call)
		return -ENOMEM;
	call->state |= LW_CALL_ENDED;
	call->end = record->time;
	call->ret = record->ret;
	thread->last_end = record->time;
	wait_for(join, call, &record->cookie, waits_of(record, WAITS_EXIT) & ~WAITS_STACK);
	queue(join, call);
	return take_record_data(call, record, LW_SYSCALL_EXIT);
}

static int take_stack(struct lw_join *join, const struct lw_user_stack *stack)
{
	size_t bytes = latewind_stack_size(stack);
	struct lw_call *call = find_waiting(join, &stack->cookie);

	/* one that data was read with, which nobody asked for */
	if (!call || !(call->waits & WAITS_STACK))
		return 0;
	if (lw_grow((void **)&call->stack, &call->stack_room, bytes, 1))
		return -ENOMEM;
	memcpy(call->stack, stack, bytes);
	call->has_stack = true;
	stop_waiting(call, WAITS_STACK);
	return 0;
}

static int take_deferred(struct lw_join *join, const struct lw_deferred_data *deferred)
{
	struct lw_call *call = find_waiting(join, &deferred->cookie);
	int ret;

	if (!call)
		return 0;
	ret = take_data(call, deferred + 1, (const u8 *)deferred + deferred->record.len,
			deferred->nr_data, deferred->exit ? LW_SYSCALL_EXIT : LW_SYSCALL_ENTRY);
	stop_waiting(call, deferred->exit ? WAITS_EXIT : WAITS_ENTRY);
	return ret;
}

static int take_syscall(struct lw_join *join, const struct lw_syscall *record)
{
	/* without a number they can't be told from each other */
	if (!record->tid) {
		join->stats.foreign++;
		return 0;
	}
	if (record->time > join->time)
		join->time = record->time;
	return record->record.flags & LW_SYSCALL_IS_EXIT ? take_end(join, record) :
							   take_begin(join, record);
}

static int take_any(struct lw_join *join, const struct lw_record *record)
{
	const struct lw_lost *lost = (const struct lw_lost *)record;

	switch (record->type) {
	case LW_RECORD_SYSCALL:
		return record->len < sizeof(struct lw_syscall) ? -EBADMSG :
		       take_syscall(join, (const struct lw_syscall *)record);
	case LW_RECORD_USER_STACK:
		return !latewind_stack_valid(record) ? -EBADMSG :
		       take_stack(join, (const struct lw_user_stack *)record);
	case LW_RECORD_SYSCALL_DATA:
		return record->len < sizeof(struct lw_deferred_data) ? -EBADMSG :
		       take_deferred(join, (const struct lw_deferred_data *)record);
	case LW_RECORD_LOST:
		if (record->len < sizeof(*lost))
			return -EBADMSG;
		join->stats.lost += lost->full + lost->big + lost->nested;
	}
	return 0;
}

/**
 * lw_join_record - take a record
 * @join: the join
 * @record: of any type, of a ring; those of one task in order
 *
 * Return: 0 or -ENOMEM; what makes no sense is counted.
 */
int lw_join_record(struct lw_join *join, const struct lw_record *record)
{
	int ret = take_any(join, record);

	if (ret != -EBADMSG)
		return ret;
	join->stats.bad_records++;
	return 0;
}

/* The kernel ends a process by SIGKILL to each thread, and the other threads at an execve(). */
static void end_of_signal(struct lw_join *join, struct lw_call *call)
{
	struct thread *thread = find_thread(join, call->tid);
	const struct lw_syscall process = { .pid = call->pid };

	call->args[3] = call->nr == SIGKILL && exec_of_other(join, &process);
	if (!thread || !lw_signal_kills(call->nr, call->args[2]))
		return;
	end_without_end(join, thread);
	remove_thread(join, thread);
}

/**
 * lw_join_signal - take a signal, which is handed out as LW_CALL_SIGNAL
 * @join: the join
 * @signal: as it is delivered, after all records that are older
 *
 * Return: 0 or -ENOMEM.
 */
int lw_join_signal(struct lw_join *join, const struct lw_signal *signal)
{
	const struct lw_syscall record = {
		.nr = signal->signal, .pid = signal->pid, .tid = signal->tid,
		.args = { (u32)signal->error, (u32)signal->code, signal->handler, 0,
			  signal->cause },
	};
	struct lw_call *call;

	/* a task outside our PID namespace has no number */
	if (!signal->tid)
		return 0;
	call = new_call(join, &record);
	if (!call)
		return -ENOMEM;
	call->state = LW_CALL_SIGNAL;
	call->begin = signal->time;
	call->end = signal->time;
	if (signal->time > join->time)
		join->time = signal->time;
	end_of_signal(join, call);
	queue(join, call);
	return 0;
}

/* Its arguments are those that the caller has left in memory, if they could be read. */
static void take_args(struct lw_call *call)
{
	const struct lw_call_data *data = NULL;

	if (!(call->state & LW_CALL_SIGNAL) && lw_syscall_has_args_in_memory(call->nr))
		data = lw_call_find(call, 0, LW_DATA_STRUCT, LW_SYSCALL_ENTRY);
	if (data && data->len == sizeof(call->args))
		memcpy(call->args, call->bytes + data->at, sizeof(call->args));
}

/**
 * lw_join_emit - hand out whole calls, in the order of their ends
 * @join: the join
 * @now: CLOCK_MONOTONIC; a call that has waited since LW_JOIN_WAIT_NS before is
 *	handed out as it is, and so are all with ~0
 * @fn: called with each
 * @ctx: for @fn
 *
 * Return: 0 or what @fn returned.
 */
int lw_join_emit(struct lw_join *join, u64 now, lw_call_fn fn, void *ctx)
{
	int ret = 0;

	while (!ret && join->first) {
		struct lw_call *call = join->first;

		if (call->waits) {
			if (now < call->done + LW_JOIN_WAIT_NS)
				break;
			join->stats.given_up++;
			stop_waiting(call, ~0U);
		}
		join->first = call->next;
		if (!join->first)
			join->last = &join->first;
		take_args(call);
		ret = fn(ctx, call);
		reuse_call(join, call);
	}
	return ret;
}

/**
 * lw_join_sweep - forget threads that were killed
 * @join: the join
 * @before: only those that have told nothing since
 * @lives: is there such a thread
 *
 * The calls that they were in have no end.
 */
void lw_join_sweep(struct lw_join *join, u64 before, bool (*lives)(u32 tid))
{
	struct lw_hash_node **at, *after;
	struct thread *thread;

	lw_hash_for_all_safe(thread, after, at, join->threads, node) {
		u64 last = thread->call ? thread->call->begin : thread->last_end;

		if (last >= before || lives(thread->tid))
			continue;
		end_without_end(join, thread);
		remove_thread(join, thread);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct lw_call *left = *(struct lw_call * const *)a;
	const struct lw_call *right = *(struct lw_call * const *)b;

	return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/**
 * lw_join_give_up - nothing comes any more: all calls are ended
 * @join: the join
 */
void lw_join_give_up(struct lw_join *join)
{
	struct lw_call **calls = calloc(join->nr_threads + 1, sizeof(struct lw_call *));
	struct lw_hash_node **at;
	struct thread *thread;
	size_t nr = 0;

	if (!calls)
		return;
	lw_hash_for_all(thread, at, join->threads, node) {
		if (thread->call)
			calls[nr++] = thread->call;
		thread->call = NULL;
	}
	if (nr)
		qsort(calls, nr, sizeof(*calls), by_begin);
	for (size_t i = 0; i < nr; i++)
		queue(join, calls[i]);
	free(calls);
}

/**
 * lw_join_free - free a join and all that it holds
 * @join: the join or NULL
 */
void lw_join_free(struct lw_join *join)
{
	struct lw_hash_node **at, *after;
	struct thread *thread;
	struct lw_call *call;

	if (!join)
		return;
	lw_hash_for_all_safe(thread, after, at, join->threads, node) {
		if (thread->call)
			free_call(thread->call);
		remove_thread(join, thread);
	}
	*join->last = join->free;
	while ((call = join->first)) {
		join->first = call->next;
		free_call(call);
	}
	free(join);
}

/**
 * lw_join_waits - is there a call that has ended and is not handed out
 * @join: the join
 *
 * Return: true if there is.
 */
bool lw_join_waits(const struct lw_join *join)
{
	return join->first;
}

/**
 * lw_join_threads - threads that are known and have not ended
 * @join: the join
 *
 * Return: how many.
 */
u64 lw_join_threads(const struct lw_join *join)
{
	return join->nr_threads;
}

/**
 * lw_join_stats - what did not go the usual way
 * @join: the join
 *
 * Return: its counters.
 */
const struct lw_join_stats *lw_join_stats(const struct lw_join *join)
{
	return &join->stats;
}

/**
 * lw_call_find - user data of a call
 * @call: the call
 * @arg: argument that points to it
 * @kind: LW_DATA_*
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 *
 * Return: what was taken of it, if only in part, or NULL.
 */
const struct lw_call_data *lw_call_find(const struct lw_call *call, u32 arg, u32 kind, u32 when)
{
	for (u32 i = 0; i < call->nr_data; i++) {
		const struct lw_call_data *data = &call->data[i];

		if (data->arg == arg && data->kind == kind && data->when == when)
			return data;
	}
	return NULL;
}
