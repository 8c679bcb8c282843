/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_os.h - what module/ring/ring.c needs of a kernel, for user space.
 *
 * A CPU is a struct of the test; threads take turns on it, as tasks do, and
 * signal handlers interrupt them on it, as interrupts do.  So what is local to a
 * CPU need not be atomic towards others here either, but the compiler and
 * ThreadSanitizer are told that several threads see it.
 */
#ifndef LW_RING_OS_H
#define LW_RING_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define PAGE_SIZE	4096UL
#define SZ_1M		0x100000UL
#define SZ_1G		0x40000000UL
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline	__attribute__((noinline))
#ifndef ____cacheline_aligned_in_smp
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#endif

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define barrier()		__atomic_signal_fence(__ATOMIC_SEQ_CST)
#ifdef __SANITIZE_THREAD__
/*
 * Fences are not seen by ThreadSanitizer.  All that ours order are atomic
 * accesses, so that it does not need to.
 */
#define smp_wmb()		barrier()
#define smp_mb()		barrier()
#else
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

static inline int ilog2(unsigned long n)
{
	return 63 - __builtin_clzl(n);
}

typedef struct {
	unsigned long v;
} local_t;

/*
 * Operations that no interrupt divides: one instruction where the machine has
 * it, without the lock prefix.  ThreadSanitizer gets atomic ones.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
static inline void local_add(unsigned long n, local_t *l)
{
	asm volatile("addq %1, %0" : "+m"(l->v) : "er"(n) : "cc");
}

static inline unsigned long local_cmpxchg(local_t *l, unsigned long old,
					  unsigned long new)
{
	asm volatile("cmpxchgq %2, %1"
		     : "+a"(old), "+m"(l->v) : "r"(new) : "memory", "cc");
	return old;
}
#else
static inline void local_add(unsigned long n, local_t *l)
{
	__atomic_fetch_add(&l->v, n, __ATOMIC_RELAXED);
}

static inline unsigned long local_cmpxchg(local_t *l, unsigned long old,
					  unsigned long new)
{
	__atomic_compare_exchange_n(&l->v, &old, new, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return old;
}
#endif

static inline unsigned long local_read(const local_t *l)
{
	return READ_ONCE(l->v);
}

static inline void local_set(local_t *l, unsigned long n)
{
	WRITE_ONCE(l->v, n);
}

static inline unsigned long local_xchg(local_t *l, unsigned long n)
{
	unsigned long old;

	do {
		old = local_read(l);
	} while (local_cmpxchg(l, old, n) != old);
	return old;
}

#define local_inc(l)	local_add(1, l)
#define local_dec(l)	local_add(-1UL, l)

#define cmpxchg_local(p, old, new)					\
	local_cmpxchg((local_t *)(p), old, new)

typedef struct {
	int unused;
} wait_queue_head_t;

/* Counted; the test's reader takes them. */
struct irq_work {
	unsigned long queued;
};

static inline void irq_work_queue(struct irq_work *work)
{
	__atomic_fetch_add(&work->queued, 1, __ATOMIC_RELAXED);
}

/* The CPU that the calling thread is on; the test says. */
int raw_smp_processor_id(void);

#endif /* LW_RING_OS_H */
