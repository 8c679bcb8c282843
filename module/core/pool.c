// SPDX-License-Identifier: GPL-2.0
/*
 * pool.c - slots for what is pending, found by task.
 *
 * A module has no field in task_struct, so what is pending for a task is found
 * by the task's address, in NMI too: no lock, no allocation, bounded time.
 *
 * The pool is a row of segments of SEGMENT_SLOTS slots.  In each a task has two
 * buckets, of BUCKET keys in one cache line, and its slot is in the one that
 * was emptier; with two to choose from, hardly any bucket is full before nearly
 * all are.  A look-up that finds nothing reads two cache lines a segment.
 *
 * There is one segment at first.  When less than half a segment is free a
 * worker adds one, and it takes away those that nobody needs any more:
 *
 *   open	slots are taken from it, the first segment with room first, so
 *		that the last ones run dry;
 *   shut	none are taken; it is still looked into, until it is empty and
 *		is freed, a grace period later.
 *
 * Writers of a key: its task, in whatever context (these nest strictly), takes
 * a free one and gives it back.  Changes of the row: the worker, under
 * pool_lock.  Readers in tracing context have preemption off, which is what
 * synchronize_rcu() waits for.
 */
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "pool.h"

/* Keys in one cache line of 64 bytes. */
#define BUCKET		8
#define BUCKET_BITS	10
#define SEGMENT_SLOTS	(BUCKET << BUCKET_BITS)
/* 262,144 tasks; 24 MiB. */
#define MAX_SEGMENTS	32
/* What a burst may take before the worker has run. */
#define RESERVE		(SEGMENT_SLOTS / 2)
#define SHRINK_PERIOD	HZ

/**
 * struct segment - some of the slots
 * @open: slots are taken from it
 * @keys: task and LW_SLOT_CLOSED of each of @slots; 0 if it is free
 * @slots: all zero but for lw_slot.key while free
 */
struct segment {
	bool		open;
	unsigned long	keys[SEGMENT_SLOTS] ____cacheline_aligned;
	struct lw_slot	slots[SEGMENT_SLOTS];
};

/* What a pending request costs; documented in Documentation/design.rst. */
static_assert(sizeof(struct segment) <= 97 * SEGMENT_SLOTS);

/* protected by pool_lock for writing, preemption off (RCU) for reading */
static struct segment __rcu *segments[MAX_SEGMENTS];
/* behind the last one; likewise */
static unsigned int nr_segments;
/* the open one with the highest index; likewise */
static unsigned int last_open;
static DEFINE_MUTEX(pool_lock);
static struct irq_work low_irq;
static struct work_struct grow_work;
static struct delayed_work shrink_work;
/* jiffies: before that it is no use to ask for more; any context */
static unsigned long next_grow;

static struct segment *pool_segment_at(unsigned int i)
{
	return rcu_dereference_sched(segments[i]);
}

static struct segment *pool_segment_locked(unsigned int i)
{
	return rcu_dereference_protected(segments[i],
					 lockdep_is_held(&pool_lock));
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

static __always_inline struct lw_slot *
pool_find_in_bucket(struct segment *segment, unsigned int at, const struct task_struct *task,
		    struct lw_slot **empty)
{
	unsigned int i;

	/* For each event, more than once. */
#pragma GCC unroll 8
	for (i = at; i < at + BUCKET; i++) {
		if (likely(READ_ONCE(segment->keys[i]) != (unsigned long)task))
			continue;
		if (READ_ONCE(segment->slots[i].counter))
			return &segment->slots[i];
		*empty = &segment->slots[i];
	}
	return NULL;
}

/* Adds to @empty what it finds.  Return: a filled slot or NULL. */
static struct lw_slot *pool_find_in(struct segment *segment,
				    const struct buckets *buckets,
				    const struct task_struct *task,
				    struct lw_slot **empty)
{
	struct lw_slot *slot;

	slot = pool_find_in_bucket(segment, buckets->at[0], task, empty);
	return slot ?: pool_find_in_bucket(segment, buckets->at[1], task, empty);
}

/**
 * lw_pool_find - the open slot of current
 * @task: current
 *
 * The filled one if there is any, so that all find the same.
 *
 * Context: any, NMI included; preemption off.
 * Return: the slot, or NULL.
 */
struct lw_slot *lw_pool_find(const struct task_struct *task)
{
	struct buckets buckets = pool_buckets_of(task);
	struct lw_slot *empty = NULL;
	struct segment *segment;
	struct lw_slot *slot;
	unsigned int i;

	for (i = 0; i < READ_ONCE(nr_segments); i++) {
		segment = pool_segment_at(i);
		if (!segment)
			continue;
		slot = pool_find_in(segment, &buckets, task, &empty);
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

/* Out: is it, going by these buckets, more than half full? */
static struct lw_slot *pool_take_in(struct segment *segment,
				    const struct buckets *buckets,
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
 * Context: any, NMI included; preemption off.
 * Return: the slot, clean but for its key, or NULL.
 */
struct lw_slot *lw_pool_take(const struct task_struct *task)
{
	struct buckets buckets = pool_buckets_of(task);
	struct lw_slot *slot = NULL;
	struct segment *segment;
	unsigned int i;
	bool low;

	for (i = 0; i < READ_ONCE(nr_segments); i++) {
		segment = pool_segment_at(i);
		if (!segment || !READ_ONCE(segment->open))
			continue;
		slot = pool_take_in(segment, &buckets, task, &low);
		if (slot)
			break;
	}
	/* There is none, or the last open segment fills up: a worker is to add one. */
	if ((!slot || (low && i >= READ_ONCE(last_open))) &&
	    time_after_eq(jiffies, READ_ONCE(next_grow)))
		irq_work_queue(&low_irq);
	return slot;
}

/**
 * lw_pool_close - whoever asks from now on does not find this slot
 * @slot: of current; closed already or not
 *
 * Context: any, NMI included.
 */
void lw_pool_close(struct lw_slot *slot)
{
	WRITE_ONCE(*slot->key, *slot->key | LW_SLOT_CLOSED);
	barrier();
}

/**
 * lw_pool_release - give a slot back
 * @slot: of current, or taken off its task's list; not touched any more after
 *	this
 *
 * Context: any.
 */
void lw_pool_release(struct lw_slot *slot)
{
	atomic64_set(&slot->asked, 0);
	WRITE_ONCE(slot->epoch, 0);
	WRITE_ONCE(slot->counter, 0);
	slot->queued = 0;
	slot->has_regs = 0;
	/* Pairs with cmpxchg() in pool_take_in_bucket(): a free slot is clean. */
	smp_store_release(slot->key, 0);
}

/**
 * lw_pool_each - look at all slots in use
 * @see: called for each; context: as this, with pool_lock held
 * @arg: for it
 *
 * Those that are taken or released meanwhile may be seen or not.
 *
 * Context: process, may sleep.
 */
void lw_pool_each(void (*see)(struct lw_slot *slot, void *arg), void *arg)
{
	struct segment *segment;
	unsigned int i, key;

	mutex_lock(&pool_lock);
	for (i = 0; i < MAX_SEGMENTS; i++) {
		segment = pool_segment_locked(i);
		if (!segment)
			continue;
		for (key = 0; key < SEGMENT_SLOTS; key++) {
			if (READ_ONCE(segment->keys[key]))
				see(&segment->slots[key], arg);
			if (!(key % 1024))
				cond_resched();
		}
	}
	mutex_unlock(&pool_lock);
}

static unsigned int pool_used_slots(const struct segment *segment)
{
	unsigned int used = 0;
	unsigned int at;

	for (at = 0; at < SEGMENT_SLOTS; at += BUCKET)
		used += pool_used_in(segment, at);
	return used;
}

/**
 * lw_pool_stats - how full it is
 *
 * Context: process, may sleep.
 * Return: see struct lw_pool_stats.
 */
struct lw_pool_stats lw_pool_stats(void)
{
	struct lw_pool_stats stats = {};
	struct segment *segment;
	unsigned int i;

	mutex_lock(&pool_lock);
	for (i = 0; i < MAX_SEGMENTS; i++) {
		segment = pool_segment_locked(i);
		if (!segment)
			continue;
		stats.pending += pool_used_slots(segment);
		stats.slots += SEGMENT_SLOTS;
		stats.bytes += PAGE_ALIGN(sizeof(*segment));
	}
	mutex_unlock(&pool_lock);
	return stats;
}

/* After a change of the row. */
static void pool_note_row(void)
{
	unsigned int last = 0;
	unsigned int nr = 0;
	unsigned int i;

	lockdep_assert_held(&pool_lock);
	for (i = 0; i < MAX_SEGMENTS; i++) {
		struct segment *segment = pool_segment_locked(i);

		if (!segment)
			continue;
		nr = i + 1;
		if (segment->open)
			last = i;
	}
	WRITE_ONCE(nr_segments, nr);
	WRITE_ONCE(last_open, last);
}

/* Return: free slots in all open segments; out: the last of them. */
static unsigned int pool_free_slots(struct segment **last)
{
	struct segment *segment;
	unsigned int nr = 0;
	unsigned int i;

	lockdep_assert_held(&pool_lock);
	*last = NULL;
	for (i = 0; i < MAX_SEGMENTS; i++) {
		segment = pool_segment_locked(i);
		if (!segment || !segment->open)
			continue;
		nr += SEGMENT_SLOTS - pool_used_slots(segment);
		*last = segment;
	}
	return nr;
}

static struct segment *pool_make_segment(void)
{
	struct segment *segment;
	unsigned int i;

	segment = __vmalloc(sizeof(*segment),
			    GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!segment)
		return NULL;
	segment->open = true;
	for (i = 0; i < SEGMENT_SLOTS; i++)
		segment->slots[i].key = &segment->keys[i];
	return segment;
}

/* Return: where a new segment goes: behind all others while there is room. */
static unsigned int pool_free_place(void)
{
	unsigned int i;

	lockdep_assert_held(&pool_lock);
	if (nr_segments < MAX_SEGMENTS)
		return nr_segments;
	for (i = 0; i < MAX_SEGMENTS && pool_segment_locked(i); i++)
		;
	return i;
}

/* Return: the first that was shut, or NULL. */
static struct segment *pool_shut_segment(void)
{
	struct segment *segment;
	unsigned int i;

	lockdep_assert_held(&pool_lock);
	for (i = 0; i < nr_segments; i++) {
		segment = pool_segment_locked(i);
		if (segment && !segment->open)
			return segment;
	}
	return NULL;
}

/* Return: false if there is no memory, or no room in the row. */
static bool pool_add_segment(void)
{
	struct segment *segment = pool_shut_segment();
	unsigned int place = pool_free_place();

	lockdep_assert_held(&pool_lock);
	/* One that was shut is as good as a new one. */
	if (segment) {
		WRITE_ONCE(segment->open, true);
	} else {
		if (place == MAX_SEGMENTS)
			return false;
		segment = pool_make_segment();
		if (!segment)
			return false;
		rcu_assign_pointer(segments[place], segment);
	}
	pool_note_row();
	return true;
}

static void pool_low(struct irq_work *work)
{
	queue_work(system_highpri_wq, &grow_work);
}

static void pool_grow(struct work_struct *work)
{
	struct segment *last;

	mutex_lock(&pool_lock);
	while (pool_free_slots(&last) < RESERVE && pool_add_segment())
		;
	WRITE_ONCE(next_grow, jiffies +
		   (pool_free_slots(&last) < RESERVE ? HZ / 10 : 0));
	mutex_unlock(&pool_lock);
	schedule_delayed_work(&shrink_work, SHRINK_PERIOD);
}

/* Frees those that are shut and empty.  Return: how many are left. */
static unsigned int pool_free_shut(void)
{
	struct segment *segment;
	unsigned int left = 0;
	unsigned int i;

	lockdep_assert_held(&pool_lock);
	for (i = 0; i < MAX_SEGMENTS; i++) {
		segment = pool_segment_locked(i);
		if (!segment)
			continue;
		if (segment->open || pool_used_slots(segment)) {
			left++;
			continue;
		}
		RCU_INIT_POINTER(segments[i], NULL);
		/* Those who look into it. */
		synchronize_rcu();
		vfree(segment);
	}
	pool_note_row();
	return left;
}

static void pool_shrink(struct work_struct *work)
{
	struct segment *last;
	unsigned int left;

	mutex_lock(&pool_lock);
	/* More than what a segment less would make us add again, soon. */
	while (pool_free_slots(&last) >= SEGMENT_SLOTS + RESERVE + RESERVE / 2)
		WRITE_ONCE(last->open, false);
	pool_note_row();
	/* Whoever saw it open has taken its slot. */
	synchronize_rcu();
	left = pool_free_shut();
	mutex_unlock(&pool_lock);
	if (left > 1)
		schedule_delayed_work(&shrink_work, SHRINK_PERIOD);
}

/**
 * lw_pool_init - make the pool
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int lw_pool_init(void)
{
	bool made;

	/* Hard: on PREEMPT_RT too, it only queues the worker. */
	low_irq = IRQ_WORK_INIT_HARD(pool_low);
	INIT_WORK(&grow_work, pool_grow);
	INIT_DELAYED_WORK(&shrink_work, pool_shrink);
	next_grow = jiffies;
	mutex_lock(&pool_lock);
	made = pool_add_segment();
	mutex_unlock(&pool_lock);
	return made ? 0 : -ENOMEM;
}

/**
 * lw_pool_exit - free the pool; nothing is pending and nobody asks
 *
 * Context: process, may sleep.
 */
void lw_pool_exit(void)
{
	unsigned int i;

	irq_work_sync(&low_irq);
	cancel_work_sync(&grow_work);
	cancel_delayed_work_sync(&shrink_work);
	mutex_lock(&pool_lock);
	for (i = 0; i < MAX_SEGMENTS; i++) {
		vfree(pool_segment_locked(i));
		RCU_INIT_POINTER(segments[i], NULL);
	}
	pool_note_row();
	mutex_unlock(&pool_lock);
}
