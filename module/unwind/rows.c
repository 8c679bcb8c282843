// SPDX-License-Identifier: GPL-2.0
/*
 * rows.c - SFrame bytes in kernel memory: copied, indexed, counted, freed.
 *
 * tables.c and registered.c own rows; mappings.c holds references to them over walks.
 *
 * The last reference may be put under a spinlock, in an MMU notifier, or at the end of a walk.
 * vmalloc() memory cannot be freed there, and kfree() there is an event that somebody may trace.
 * So lw_rows_put() only queues the rows for a worker.  Processes that add or remove sections free
 * the queued sections themselves: a program cannot queue memory faster than it frees it, even if
 * the worker never runs.  Sessions that add tables wait for the worker where they need the room.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "compat/workqueue.h"
#include "resident.h"
#include "rows.h"

/* Bytes of SFrame for each entry of the index: one to four functions. */
#define BYTES_PER_BUCKET	64
/* Bytes copied between two calls of lw_rows_pause(). */
#define COPY_AT_ONCE	SZ_1M

/*
 * Rows to be freed.  The worker alone frees rows with @freed, which returns what all tracers
 * share: a process may be slow at freeing.
 */
static LLIST_HEAD(garbage);
static LLIST_HEAD(worker_garbage);
/* Set when the module is unloaded. */
static bool aborted;

/**
 * lw_rows_free - free rows that nobody but the caller knows
 * @rows: of lw_rows_alloc(), with the one reference
 *
 * Context: process, may sleep.
 */
void lw_rows_free(struct lw_rows *rows)
{
	if (rows->freed)
		rows->freed(rows);
	kvfree(rows);
}

static void rows_free_list(struct llist_head *list)
{
	struct lw_rows *rows, *next;

	llist_for_each_entry_safe(rows, next, llist_del_all(list), garbage) {
		lw_rows_free(rows);
		cond_resched();
	}
}

static void rows_free_garbage(struct work_struct *work)
{
	/* First: lw_rows_flush() waits for these, and anybody may make the other list long. */
	rows_free_list(&worker_garbage);
	rows_free_list(&garbage);
}

static DECLARE_WORK(free_work, rows_free_garbage);

/* On any CPU: a real-time task that keeps one busy must not hold up who waits for the worker. */
static void rows_queue_work(void)
{
	queue_work(lw_compat_unbound_wq, &free_work);
}

/**
 * lw_rows_put - give back a reference
 * @rows: may be NULL
 *
 * The worker is queued even if the list was not empty: the task that has found the list empty
 * may be preempted before it queues the worker.
 *
 * Context: any but NMI and hardirq; does not sleep.
 */
void lw_rows_put(struct lw_rows *rows)
{
	if (!rows || !refcount_dec_and_test(&rows->refs))
		return;
	llist_add(&rows->garbage, rows->freed ? &worker_garbage : &garbage);
	rows_queue_work();
}

/**
 * lw_rows_free_unused - free rows without references, but those with @freed
 *
 * No lock is held meanwhile: a caller that is slow holds up nobody else.
 *
 * Context: process, may sleep, without locks.
 */
void lw_rows_free_unused(void)
{
	rows_free_list(&garbage);
}

/**
 * lw_rows_flush - wait until the worker has freed all that is in its lists now
 *
 * Context: process, may sleep.
 */
void lw_rows_flush(void)
{
	/* Who has put rows into a list may not have queued the worker yet. */
	rows_queue_work();
	flush_work(&free_work);
}

/**
 * lw_rows_abort - make lw_rows_pause() fail from now on, as the module is unloaded
 *
 * Context: any.
 */
void lw_rows_abort(void)
{
	WRITE_ONCE(aborted, true);
}

/**
 * lw_rows_pause - let other tasks run in the middle of a long call
 *
 * Context: process, may sleep.
 * Return: 0, -EINTR (killed), -ENODEV (the module is unloaded, and waits for the call).
 */
int lw_rows_pause(void)
{
	cond_resched();
	if (READ_ONCE(aborted))
		return -ENODEV;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static u32 rows_room(u64 len)
{
	return len / BYTES_PER_BUCKET + 2;
}

/**
 * lw_rows_memory - how many bytes lw_rows_alloc() allocates
 * @head: size of the owner's struct
 * @len: bytes of SFrame, LW_ROWS_MAX at most
 *
 * Context: any.
 * Return: bytes.
 */
u64 lw_rows_memory(size_t head, u64 len)
{
	return head + (rows_room(len) + 1ULL) * sizeof(u32) + len;
}

/**
 * lw_rows_alloc - allocate rows
 * @head: size of the owner's struct, a multiple of 8
 * @len: bytes of SFrame, LW_ROWS_MAX at most
 *
 * Context: process, may sleep.
 * Return: the owner's struct, zeroed, with one reference to its rows; or NULL.
 */
void *lw_rows_alloc(size_t head, u64 len)
{
	u64 memory = lw_rows_memory(head, len);
	struct lw_rows *rows;

	rows = kvmalloc(memory, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!rows)
		return NULL;
	memset(rows, 0, head);
	refcount_set(&rows->refs, 1);
	rows->memory = memory;
	rows->first = (void *)rows + head;
	rows->source.bytes = rows->first + rows_room(len) + 1;
	rows->source.size = len;
	return rows;
}

static int rows_copy(struct lw_rows *rows, u64 from, bool wait)
{
	void *to = (void *)rows->source.bytes;
	u64 at, len, size = rows->source.size;
	unsigned long left;
	int ret = 0;

	for (at = 0; at < size && !ret; at += len) {
		len = min_t(u64, size - at, COPY_AT_ONCE);
		if (wait)
			left = copy_from_user(to + at, u64_to_user_ptr(from + at), len);
		else
			left = lw_copy_resident(to + at, from + at, len);
		ret = left ? -EFAULT : lw_rows_pause();
	}
	return ret;
}

/**
 * lw_rows_fill - copy SFrame bytes from the memory of current, and open them
 * @rows: of lw_rows_alloc()
 * @from: user address of the bytes
 * @wait: wait for pages that are not resident
 * @place: where the section and its text are
 *
 * All look-ups read the copy, so what is checked here is what is used.
 *
 * Context: process, may sleep.
 * Return: LW_SFRAME_OK; other LW_SFRAME_*: the bytes are no sorted section for this machine;
 * -EFAULT; or as lw_rows_pause().
 */
int lw_rows_fill(struct lw_rows *rows, u64 from, bool wait, const struct lw_sframe_place *place)
{
	int ret = rows_copy(rows, from, wait);

	if (!ret)
		ret = lw_sframe_open(&rows->sframe, &rows->source, place, LW_ARCH_SFRAME_ABI);
	if (!ret)
		ret = lw_sframe_add_index(&rows->sframe, rows->first,
					  rows_room(rows->source.size), lw_rows_pause);
	return ret ?: lw_rows_pause();
}
