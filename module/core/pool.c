// SPDX-License-Identifier: GPL-2.0
/*
 * pool.c - slots for pending requests, found by task.
 *
 * A module has no field in task_struct, so a request that is pending for a task is found by
 * the task's address, in NMI too: no lock, no allocation, bounded time.
 *
 * The pool is a row of segments of SEGMENT_SLOTS slots. In each segment a task has two
 * buckets, of BUCKET keys in one cache line. Its slot is in the bucket that was emptier: with
 * two to choose from, hardly any bucket is full before nearly all are. A look-up that finds
 * nothing reads two cache lines a segment.
 *
 * There is one segment at first. When less than half a segment is free a worker adds one.
 * Segments stay until the module is unloaded, so nobody who looks into one needs a reference,
 * a lock or RCU.
 *
 * A key is written by its task alone, in whatever context (these nest strictly), but for a
 * slot that lw_request_exit() cancels. The row is written by the worker alone.
 */
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "pool.h"

/* Keys in one cache line of 64 bytes. */
#define BUCKET		8
#define BUCKET_BITS	10
#define SEGMENT_SLOTS	(BUCKET << BUCKET_BITS)
/* 262,144 tasks; 24 MiB, on arm64 26. */
#define MAX_SEGMENTS	32
/* What a burst may take before the worker has run. */
#define RESERVE		(SEGMENT_SLOTS / 2)

/**
 * struct segment - some of the slots
 * @keys: task and LW_SLOT_CLOSED of each of @slots; 0 if the slot is free
 * @slots: all zero but for lw_slot.key while free
 */
struct segment {
	unsigned long	keys[SEGMENT_SLOTS] ____cacheline_aligned;
	struct lw_slot	slots[SEGMENT_SLOTS];
};

/* What a pending request costs; documented in Documentation/design.rst. */
static_assert(sizeof(struct segment) <= (97 + sizeof(struct lw_arch_link)) * SEGMENT_SLOTS);
/* For lw_slot.cpu. */
static_assert(CONFIG_NR_CPUS <= U16_MAX);

static struct segment *segments[MAX_SEGMENTS];
/* A segment is in the row before it is counted here. */
static unsigned int nr_segments;
static struct irq_work low_irq;
static struct work_struct grow_work;
/* jiffies: the worker could not add a segment and does not try again before; any context */
static unsigned long next_grow;

/* Return: how many segments there are; each of them can be looked into. */
static unsigned int pool_segments(void)
{
	/* Pairs with smp_store_release() in pool_add_segment(). */
	return smp_load_acquire(&nr_segments);
}

/* First keys of the two buckets of a task. */
struct buckets {
	unsigned int	at[2];
};

static struct buckets pool_buckets_of(const struct task_struct *task)
{
	u32 hash = hash_ptr(task, 2 * BUCKET_BITS);
	u32 first = hash >> BUCKET_BITS;
	u32 second = hash & (BIT(BUCKET_BITS) - 1);

	if (first == second)
		second ^= 1;
	return (struct buckets) { { first * BUCKET, second * BUCKET } };
}

/* Return: a filled slot or NULL.  Out: @empty, a slot of the task that is not filled yet. */
static __always_inline struct lw_slot *
pool_find_in_bucket(struct segment *segment, unsigned int at, const struct task_struct *task,
		    struct lw_slot **empty)
{
	const unsigned long *keys = segment->keys + at;
	struct lw_slot *slot;
	unsigned int i;

	/* Else the addresses of all keys are computed before the first one is read. */
	OPTIMIZER_HIDE_VAR(keys);
	/* This loop runs for each event, more than once. */
#pragma GCC unroll 8
	for (i = 0; i < BUCKET; i++) {
		if (likely(READ_ONCE(keys[i]) != (unsigned long)task))
			continue;
		slot = &segment->slots[keys + i - segment->keys];
		if (READ_ONCE(slot->counter))
			return slot;
		*empty = slot;
	}
	return NULL;
}

/**
 * lw_pool_find - the open slot of current
 * @task: current
 *
 * A context that interrupts a request may find two. It takes the filled one, and so does the
 * context that it has interrupted.
 *
 * Context: any, NMI included.
 * Return: the slot, or NULL.
 */
struct lw_slot *lw_pool_find(const struct task_struct *task)
{
	struct buckets buckets = pool_buckets_of(task);
	unsigned int i, nr = pool_segments();
	struct lw_slot *empty = NULL;
	struct lw_slot *slot;

	for (i = 0; i < nr; i++) {
		slot = pool_find_in_bucket(segments[i], buckets.at[0], task, &empty);
		if (!slot)
			slot = pool_find_in_bucket(segments[i], buckets.at[1], task, &empty);
		if (slot)
			return slot;
	}
	return empty;
}

static unsigned int pool_used_in(const struct segment *segment, unsigned int at)
{
	unsigned int used = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < BUCKET; i++)
		used += !!READ_ONCE(segment->keys[at + i]);
	return used;
}

static struct lw_slot *pool_take_in_bucket(struct segment *segment, unsigned int at,
					   const struct task_struct *task)
{
	unsigned int i;

	for (i = at; i < at + BUCKET; i++) {
		/* Pairs with smp_store_release() in lw_pool_release(). */
		if (!READ_ONCE(segment->keys[i]) &&
		    !cmpxchg(&segment->keys[i], 0, (unsigned long)task))
			return &segment->slots[i];
	}
	return NULL;
}

/* Out: @low, is the segment, going by these buckets, more than half full? */
static struct lw_slot *pool_take_in(struct segment *segment, const struct buckets *buckets,
				    const struct task_struct *task, bool *low)
{
	unsigned int used[2] = {
		pool_used_in(segment, buckets->at[0]),
		pool_used_in(segment, buckets->at[1]),
	};
	unsigned int better = used[1] < used[0];
	struct lw_slot *slot;

	*low = used[better] > BUCKET / 2;
	slot = pool_take_in_bucket(segment, buckets->at[better], task);
	return slot ?: pool_take_in_bucket(segment, buckets->at[!better], task);
}

/**
 * lw_pool_take - take a free slot
 * @task: current
 *
 * Context: any, NMI included.
 * Return: the slot, clean but for its key, or NULL.
 */
struct lw_slot *lw_pool_take(const struct task_struct *task)
{
	struct buckets buckets = pool_buckets_of(task);
	unsigned int i, nr = pool_segments();
	struct lw_slot *slot = NULL;
	bool low = true;

	for (i = 0; i < nr && !slot; i++)
		slot = pool_take_in(segments[i], &buckets, task, &low);
	/* No slot is left, or the last segment fills up. */
	if (i == nr && low && time_after_eq(jiffies, READ_ONCE(next_grow)))
		irq_work_queue(&low_irq);
	return slot;
}

/**
 * lw_pool_close - later requests do not find this slot
 * @slot: of current
 *
 * Context: any, NMI included.
 */
void lw_pool_close(struct lw_slot *slot)
{
	WRITE_ONCE(*slot->key, *slot->key | LW_SLOT_CLOSED);
	/* A request that interrupts this task joins before here or takes a new slot. */
	barrier();
}

/**
 * lw_pool_release - give a slot back
 * @slot: of current, or taken off its task's list; not touched any more after this
 *
 * Context: any.
 */
void lw_pool_release(struct lw_slot *slot)
{
	atomic64_set(&slot->asked, 0);
	atomic64_set(&slot->claimed, 0);
	WRITE_ONCE(slot->counter, 0);
	slot->queued = 0;
	slot->has_regs = 0;
	/* Pairs with cmpxchg() in pool_take_in_bucket(): a free slot is clean. */
	smp_store_release(slot->key, 0);
}

/**
 * lw_pool_next - go through the slots in use
 * @at: 0 for the first one; not to be changed by the caller
 *
 * Slots that are taken or released meanwhile may be seen or not.
 *
 * Context: process, may sleep.
 * Return: the next slot, or NULL behind the last one.
 */
struct lw_slot *lw_pool_next(unsigned int *at)
{
	unsigned int end = pool_segments() * SEGMENT_SLOTS;
	struct segment *segment;
	unsigned int i;

	while (*at < end) {
		segment = segments[*at / SEGMENT_SLOTS];
		i = (*at)++ % SEGMENT_SLOTS;
		if (!(i % 1024))
			cond_resched();
		if (READ_ONCE(segment->keys[i]))
			return &segment->slots[i];
	}
	return NULL;
}

static unsigned int pool_used(void)
{
	unsigned int at, i, used = 0, nr = pool_segments();

	for (i = 0; i < nr; i++) {
		for (at = 0; at < SEGMENT_SLOTS; at += BUCKET)
			used += pool_used_in(segments[i], at);
		cond_resched();
	}
	return used;
}

/**
 * lw_pool_stats - how full the pool is
 * @stats: out: its members of that name
 *
 * Context: process, may sleep.
 */
void lw_pool_stats(struct lw_stats *stats)
{
	unsigned int nr = pool_segments();

	stats->pool_pending = pool_used();
	stats->pool_slots = nr * SEGMENT_SLOTS;
	stats->pool_bytes = nr * PAGE_ALIGN(sizeof(struct segment));
}

/* Return: false if there is no memory, or no room in the row. */
static bool pool_add_segment(void)
{
	struct segment *segment;
	unsigned int i;

	if (nr_segments == MAX_SEGMENTS)
		return false;
	segment = __vmalloc(sizeof(*segment), GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!segment)
		return false;
	for (i = 0; i < SEGMENT_SLOTS; i++)
		segment->slots[i].key = &segment->keys[i];
	segments[nr_segments] = segment;
	/* Pairs with smp_load_acquire() in pool_segments(). */
	smp_store_release(&nr_segments, nr_segments + 1);
	return true;
}

static void pool_low(struct irq_work *work)
{
	queue_work(system_highpri_wq, &grow_work);
}

static void pool_grow(struct work_struct *work)
{
	if (nr_segments * SEGMENT_SLOTS - pool_used() < RESERVE && !pool_add_segment())
		WRITE_ONCE(next_grow, jiffies + HZ / 10);
}

/**
 * lw_pool_init - make the pool
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_pool_init(void)
{
	/* Hard: on PREEMPT_RT too, as pool_low() only queues the worker. */
	low_irq = IRQ_WORK_INIT_HARD(pool_low);
	INIT_WORK(&grow_work, pool_grow);
	next_grow = jiffies;
	return pool_add_segment() ? 0 : -ENOMEM;
}

/**
 * lw_pool_exit - free the pool; no request is pending, and nobody looks for one
 *
 * Context: process, may sleep.
 */
void lw_pool_exit(void)
{
	irq_work_sync(&low_irq);
	cancel_work_sync(&grow_work);
	while (nr_segments)
		vfree(segments[--nr_segments]);
}
