// SPDX-License-Identifier: GPL-2.0
/*
 * ring.c - per-CPU rings: reserve, commit, consume.
 *
 * One ring per CPU and session.  Producers nest (task, softirq, hardirq, NMI)
 * but only on the ring's own CPU and with preemption off, so that each runs to
 * its end inside the one that it interrupted; that is what makes plain and
 * CPU-local operations enough:
 *
 *   reserve	moves @head with a CPU-local compare and exchange, then writes
 *		the record's header with LW_RING_BUSY set.
 *   publish	only the outermost reserve on this CPU stores producer->pos; by
 *		then each header below @head is written, its own and those of
 *		all that interrupted it.
 *   commit	one release store that clears LW_RING_BUSY.  It may come from
 *		another CPU, any time later.
 *
 * The consumer never sees a position whose header is not written, and stops at
 * a busy record.  What user space writes to the consumer page is compared, but
 * never used as an address: the worst it gets is drops or its own data mixed.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/mm.h"
#include "ring.h"

#define PAGES_BEFORE_DATA	2

static void wake_waiters(struct irq_work *work)
{
	struct lw_ring *ring = container_of(work, struct lw_ring, wake);

	wake_up_interruptible_all(&ring->waiters->queue);
}

static void free_pages_of(struct lw_ring *ring)
{
	while (ring->nr_pages)
		__free_page(ring->pages[--ring->nr_pages]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

static int alloc_pages_of(struct lw_ring *ring, int cpu, unsigned int nr)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN |
		    __GFP_RETRY_MAYFAIL;
	int node = cpu_to_node(cpu);
	struct page *page;

	/* A CPU that may come later can be of a node that is not there yet. */
	if (node != NUMA_NO_NODE && !node_online(node))
		node = NUMA_NO_NODE;
	ring->pages = kvcalloc(nr, sizeof(*ring->pages),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!ring->pages)
		return -ENOMEM;
	while (ring->nr_pages < nr) {
		page = alloc_pages_node(node, gfp, 0);
		if (!page)
			return -ENOMEM;
		ring->pages[ring->nr_pages++] = page;
	}
	return 0;
}

/* Maps the data twice in a row, so that no record is ever split. */
static int map_pages_of(struct lw_ring *ring)
{
	unsigned int nr = 2 * ring->nr_pages - PAGES_BEFORE_DATA;
	struct page **twice;

	twice = kvcalloc(nr, sizeof(*twice), GFP_KERNEL | __GFP_NOWARN);
	if (!twice)
		return -ENOMEM;
	memcpy(twice, ring->pages, ring->nr_pages * sizeof(*twice));
	memcpy(twice + ring->nr_pages, ring->pages + PAGES_BEFORE_DATA,
	       (ring->nr_pages - PAGES_BEFORE_DATA) * sizeof(*twice));
	ring->area = vmap(twice, nr, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	kvfree(twice);
	return ring->area ? 0 : -ENOMEM;
}

/**
 * lw_ring_init - make a ring
 * @ring: zeroed
 * @cpu: whose it is, for the memory node
 * @size: bytes of data: a power of two from LW_RING_MIN to LW_RING_MAX
 * @watermark: bytes that make poll() return
 * @waiters: whom to wake
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM; lw_ring_destroy() is fine in both cases.
 */
int lw_ring_init(struct lw_ring *ring, int cpu, unsigned long size,
		 unsigned long watermark, struct lw_ring_waiters *waiters)
{
	int ret;

	init_irq_work(&ring->wake, wake_waiters);
	ring->waiters = waiters;
	ring->size = size;
	ring->watermark = watermark;
	ret = alloc_pages_of(ring, cpu, PAGES_BEFORE_DATA + size / PAGE_SIZE);
	if (!ret)
		ret = map_pages_of(ring);
	if (ret)
		return ret;
	ring->consumer = ring->area;
	ring->producer = ring->area + PAGE_SIZE;
	ring->data = ring->area + PAGES_BEFORE_DATA * PAGE_SIZE;
	ring->producer->data_size = size;
	ring->producer->data_offset = PAGE_SIZE;
	return 0;
}

/**
 * lw_ring_destroy - free what lw_ring_init() made
 * @ring: no producer may be inside; mappings of user space keep their pages
 *
 * Context: process, may sleep.
 */
void lw_ring_destroy(struct lw_ring *ring)
{
	if (!ring->waiters)
		return;
	irq_work_sync(&ring->wake);
	if (ring->area)
		vunmap(ring->area);
	free_pages_of(ring);
}

/**
 * lw_ring_drop - count a record that never got to lw_ring_reserve()
 * @ring: this CPU's
 * @why: cause
 *
 * Context: any, preemption off.
 */
void lw_ring_drop(struct lw_ring *ring, enum lw_ring_drop why)
{
	unsigned long total;

	if (why == LW_DROP_FULL)
		local_inc(&ring->lost_full);
	else if (why == LW_DROP_BIG)
		local_inc(&ring->lost_big);
	else
		local_inc(&ring->lost_nested);
	local_set(&ring->lost_any, 1);
	local_inc(&ring->lost_total);
	/* Who interrupts us between the two has told a newer number. */
	do {
		total = local_read(&ring->lost_total);
		WRITE_ONCE(ring->producer->lost, total);
		barrier();
	} while (total != local_read(&ring->lost_total));
}

static struct lw_lost take_lost(struct lw_ring *ring)
{
	struct lw_lost lost = {
		.record.len = sizeof(lost),
		.record.type = LW_RECORD_LOST,
	};

	local_set(&ring->lost_any, 0);
	lost.full = local_xchg(&ring->lost_full, 0);
	lost.big = local_xchg(&ring->lost_big, 0);
	lost.nested = local_xchg(&ring->lost_nested, 0);
	return lost;
}

static void give_back_lost(struct lw_ring *ring, const struct lw_lost *lost)
{
	local_add(lost->full, &ring->lost_full);
	local_add(lost->big, &ring->lost_big);
	local_add(lost->nested, &ring->lost_nested);
	local_set(&ring->lost_any, 1);
}

/* Return: where the bytes are, or NULL if they do not fit now. */
static void *claim(struct lw_ring *ring, u32 len)
{
	unsigned long old, new;

	do {
		old = local_read(&ring->head);
		new = old + len;
		/*
		 * Pairs with the reader's release of its position: its loads
		 * of the old bytes are done before ours overwrite them.  A
		 * position that makes no sense looks like a full ring.
		 */
		if (new - smp_load_acquire(&ring->consumer->pos) > ring->size)
			return NULL;
	} while (local_cmpxchg(&ring->head, old, new) != old);
	return ring->data + (old & (ring->size - 1));
}

/* Leaves lw_ring_reserve(); the outermost one tells the reader. */
static void publish(struct lw_ring *ring)
{
	unsigned long head;

	for (;;) {
		head = local_read(&ring->head);
		if (local_read(&ring->nest) > 1) {
			local_dec(&ring->nest);
			return;
		}
		/* Pairs with the reader's load_acquire(producer->pos). */
		smp_store_release(&ring->producer->pos, head);
		barrier();
		local_dec(&ring->nest);
		barrier();
		/* Somebody came in after we read head and left it to us. */
		if (head == local_read(&ring->head))
			return;
		local_inc(&ring->nest);
	}
}

static void init_record(struct lw_record *record, u32 len, u16 type, u16 flags)
{
	record->type = type;
	record->flags = flags;
	WRITE_ONCE(record->len, len | LW_RING_BUSY);
}

/**
 * lw_ring_reserve - room for one record
 * @ring: this CPU's
 * @len: bytes with the header, a multiple of 8
 * @type: LW_RECORD_*
 * @flags: the header's
 * @why: out: why there is none
 *
 * A drop is counted here, and told by a LOST record before the next one.
 *
 * Context: any, NMI included; preemption off.
 * Return: the record with its header filled in, to be committed by
 * lw_ring_commit(), or NULL.
 */
void *lw_ring_reserve(struct lw_ring *ring, u32 len, u16 type, u16 flags,
		      enum lw_ring_drop *why)
{
	struct lw_lost lost;
	u32 extra = 0;
	void *record;

	*why = LW_DROP_NONE;
	if (len > ring->size / 2) {
		*why = LW_DROP_BIG;
		lw_ring_drop(ring, *why);
		return NULL;
	}
	local_inc(&ring->nest);
	barrier();
	if (local_read(&ring->lost_any)) {
		lost = take_lost(ring);
		/* One that interrupted this before may have told them. */
		if (lost.full || lost.big || lost.nested)
			extra = sizeof(lost);
	}
	record = claim(ring, len + extra);
	if (record && extra) {
		memcpy(record, &lost, sizeof(lost));
		record += extra;
	} else if (extra) {
		give_back_lost(ring, &lost);
	}
	if (record) {
		init_record(record, len, type, flags);
	} else {
		*why = LW_DROP_FULL;
		lw_ring_drop(ring, *why);
	}
	barrier();
	publish(ring);
	return record;
}

static unsigned long unread(const struct lw_ring *ring)
{
	return local_read(&ring->head) - READ_ONCE(ring->consumer->pos);
}

/**
 * lw_ring_readable - is there as much as the reader waits for
 * @ring: any CPU's
 *
 * Context: any.
 * Return: true if it is filled to its watermark.
 */
bool lw_ring_readable(const struct lw_ring *ring)
{
	return unread(ring) >= ring->watermark;
}

/**
 * lw_ring_commit - the record is whole
 * @ring: where it was reserved
 * @record: what lw_ring_reserve() returned
 *
 * Context: any, NMI included, on any CPU.
 */
void lw_ring_commit(struct lw_ring *ring, void *record)
{
	struct lw_record *header = record;

	/* Pairs with the reader's load_acquire(record->len). */
	smp_store_release(&header->len, header->len & ~LW_RING_BUSY);
	if (!lw_ring_readable(ring))
		return;
	/* Pairs with smp_mb() in lw_session_poll(): armed, then readable. */
	smp_mb();
	if (READ_ONCE(ring->waiters->armed)) {
		WRITE_ONCE(ring->waiters->armed, 0);
		irq_work_queue(&ring->wake);
	}
}

/**
 * lw_ring_mmap_consumer - map the page that user space writes
 * @ring: whose
 * @vma: one page, shared
 *
 * Context: mmap(), mmap_lock held for writing.
 * Return: 0, -EINVAL (length), -EPERM (executable or private).
 */
int lw_ring_mmap_consumer(struct lw_ring *ring, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if ((vma->vm_flags & VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	lw_compat_vm_flags_clear(vma, VM_MAYEXEC);
	lw_compat_vm_flags_set(vma, VM_DONTCOPY);
	return remap_vmalloc_range(vma, ring->area, 0);
}

/**
 * lw_ring_mmap_producer - map what user space reads
 * @ring: whose
 * @vma: one page and the data once or twice, read-only, shared
 *
 * Context: mmap(), mmap_lock held for writing.
 * Return: 0, -EINVAL (length), -EPERM (writable, executable or private).
 */
int lw_ring_mmap_producer(struct lw_ring *ring, struct vm_area_struct *vma)
{
	unsigned long len = vma->vm_end - vma->vm_start;

	if (len != PAGE_SIZE + ring->size && len != PAGE_SIZE + 2 * ring->size)
		return -EINVAL;
	if ((vma->vm_flags & (VM_WRITE | VM_EXEC)) ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	lw_compat_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	lw_compat_vm_flags_set(vma, VM_DONTCOPY);
	return remap_vmalloc_range(vma, ring->area, 1);
}
