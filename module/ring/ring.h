/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.h - per-CPU rings that user space reads.
 *
 * Producers: any context, NMI included, on the ring's own CPU; a reserved
 * record may be committed from any CPU, any time later.  Consumer: one process,
 * by mmap.
 */
#ifndef LW_RING_H
#define LW_RING_H

#ifdef __KERNEL__
#include <asm/local.h>
#include <linux/irq_work.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/wait.h>
#else
#include "ring_os.h"
#endif

#include "latewind.h"

#define LW_RING_MIN		PAGE_SIZE
#define LW_RING_MAX		SZ_1G
#define LW_RING_DEFAULT		SZ_1M

struct page;
struct vm_area_struct;

/**
 * struct lw_ring_waiters - readers that a ring wakes when it fills
 * @queue: of poll()
 * @armed: nonzero while there may be waiters
 */
struct lw_ring_waiters {
	wait_queue_head_t queue;
	int		armed;
};

/**
 * struct lw_ring - one CPU's ring of one session
 * @head: end of what is reserved; moved with preemption off on this CPU only
 * @nest: contexts inside lw_ring_reserve() on this CPU
 * @overwritten: overwrite mode: records that made room
 * @lost_any: some of the next three is not zero
 * @lost_full: drops not yet reported by a LOST record: ring full
 * @lost_big: likewise, longer than half of the ring
 * @lost_nested: likewise, hit inside another sample
 * @lost_total: all drops, ever
 * @area: consumer page, producer page, data, data again
 * @consumer: first page of @area; user space may write anything there
 * @producer: second page
 * @data: third page on
 * @size: bytes of data, a power of two
 * @step: a record that crosses a multiple of this looks for waiters
 * @threshold: bytes that make poll() return
 * @cpu: its CPU
 * @overwrite: the oldest records make room
 * @pages: @nr_pages of them, each once
 * @nr_pages: two and the data's
 * @wake: wakes @waiters from any context
 * @waiters: the session's
 */
struct lw_ring {
	local_t		head;
	local_t		nest;
	local_t		overwritten;
	local_t		lost_any;
	local_t		lost_full;
	local_t		lost_big;
	local_t		lost_nested;
	local_t		lost_total;
	void		*area;
	struct lw_ring_consumer *consumer;
	struct lw_ring_producer *producer;
	void		*data;
	unsigned long	size;
	unsigned long	step;
	unsigned long	threshold;
	int		cpu;
	bool		overwrite;
	struct page	**pages;
	unsigned int	nr_pages;
	struct irq_work	wake;
	struct lw_ring_waiters *waiters;
} ____cacheline_aligned_in_smp;

/* Why a record was dropped. */
enum lw_ring_drop {
	LW_DROP_NONE,
	LW_DROP_FULL,
	LW_DROP_BIG,
	LW_DROP_NESTED,
};

/* ring.c */
void lw_ring_format(struct lw_ring *ring, int cpu, void *area,
		    unsigned long page, unsigned long size,
		    unsigned long watermark, bool overwrite);
void *lw_ring_reserve(struct lw_ring *ring, u32 len, u16 type, u16 flags,
		      enum lw_ring_drop *why);
void lw_ring_commit(struct lw_ring *ring, void *record);
void lw_ring_drop(struct lw_ring *ring, enum lw_ring_drop why);
bool lw_ring_readable(const struct lw_ring *ring);

/* ring_pages.c */
unsigned long lw_ring_pages(unsigned long size);
int lw_ring_init(struct lw_ring *ring, int cpu, unsigned long size,
		 unsigned long watermark, bool overwrite,
		 struct lw_ring_waiters *waiters);
void lw_ring_destroy(struct lw_ring *ring);
int lw_ring_mmap(struct lw_ring *ring, struct vm_area_struct *vma, bool producer);

#endif /* LW_RING_H */
