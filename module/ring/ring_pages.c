// SPDX-License-Identifier: GPL-2.0
/*
 * ring_pages.c - the memory of rings: allocated, charged, mapped.
 *
 * Callers: ioctls, mmap() and close().  Context: process, may sleep.  Locks: none here.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/mm.h"
#include "ring.h"

#define PAGES_BEFORE_DATA	2

static void ring_wake_waiters(struct irq_work *work)
{
	struct lw_ring *ring = container_of(work, struct lw_ring, wake);

	wake_up_interruptible_all(&ring->waiters->queue);
}

static void ring_free_pages_of(struct lw_ring *ring)
{
	while (ring->nr_pages)
		__free_page(ring->pages[--ring->nr_pages]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

static int ring_alloc_pages_of(struct lw_ring *ring, int cpu, unsigned int nr)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN |
		    __GFP_RETRY_MAYFAIL;
	int node = cpu_to_node(cpu);
	struct page *page;

	/* The node of a CPU that may come later may not be there yet. */
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

/* Map the data twice in a row, so that no record is ever split. */
static int ring_map_pages_of(struct lw_ring *ring)
{
	unsigned int nr = 2 * ring->nr_pages - PAGES_BEFORE_DATA;
	struct page **twice;

	twice = kvcalloc(nr, sizeof(*twice), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
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
 * lw_ring_pages - memory of a ring
 * @size: bytes of its data
 *
 * Return: pages.
 */
unsigned long lw_ring_pages(unsigned long size)
{
	return PAGES_BEFORE_DATA + size / PAGE_SIZE;
}

/**
 * lw_ring_init - make a ring
 * @ring: zeroed
 * @cpu: its CPU, for the memory node
 * @size: bytes of data: a power of two from LW_RING_MIN to LW_RING_MAX
 * @watermark: bytes that make poll() return
 * @overwrite: a flight recorder: the oldest records make room
 * @waiters: are woken
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM; lw_ring_destroy() is fine in both cases.
 */
int lw_ring_init(struct lw_ring *ring, int cpu, unsigned long size,
		 unsigned long watermark, bool overwrite,
		 struct lw_ring_waiters *waiters)
{
	int ret;

	init_irq_work(&ring->wake, ring_wake_waiters);
	ring->waiters = waiters;
	ret = ring_alloc_pages_of(ring, cpu, lw_ring_pages(size));
	if (!ret)
		ret = ring_map_pages_of(ring);
	if (!ret)
		lw_ring_format(ring, cpu, ring->area, PAGE_SIZE, size,
			       watermark, overwrite);
	return ret;
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
	ring_free_pages_of(ring);
}

/**
 * lw_ring_mmap - map one of the two parts of a ring
 * @ring: any CPU's
 * @vma: shared, not executable; the consumer part: one page; the producer part: one page and the
 *	data once or twice, read-only
 * @producer: which part
 *
 * Context: mmap(), mmap_lock held for writing.
 * Return: 0, -EINVAL (length), -EPERM (writable, executable or private).
 */
int lw_ring_mmap(struct lw_ring *ring, struct vm_area_struct *vma, bool producer)
{
	unsigned long data = vma->vm_end - vma->vm_start - PAGE_SIZE;

	if (producer ? data != ring->size && data != 2 * ring->size : data)
		return -EINVAL;
	if (vma->vm_flags & (producer ? VM_WRITE | VM_EXEC : VM_EXEC) ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	lw_compat_vm_flags_mod(vma, VM_DONTCOPY, VM_MAYEXEC | (producer ? VM_MAYWRITE : 0));
	return remap_vmalloc_range(vma, ring->area, producer);
}
