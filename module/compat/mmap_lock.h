/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mmap_lock.h - is it current who holds mmap_lock for writing?
 *
 * The kernel's own assertions only know whether anybody does.  The owner is kept for
 * who waits: the task, with flags below it, one of which says that it reads.
 */
#ifndef LW_COMPAT_MMAP_LOCK_H
#define LW_COMPAT_MMAP_LOCK_H

#include <linux/mm_types.h>
#include <linux/sched.h>

/* As kernel/locking/rwsem.c has them: a reader owns it, and two for who spins. */
#define LW_RWSEM_READER		1UL
#define LW_RWSEM_FLAGS		7UL

/**
 * lw_compat_writes_mmap - does current hold mmap_lock for writing
 * @mm: of it
 *
 * Context: any.
 * Return: true if so; always with PREEMPT_RT, where the lock is another and does not tell.
 */
static inline bool lw_compat_writes_mmap(struct mm_struct *mm)
{
#ifdef CONFIG_PREEMPT_RT
	return true;
#else
	unsigned long owner = atomic_long_read(&mm->mmap_lock.owner);

	return (owner & ~LW_RWSEM_FLAGS) == (unsigned long)current &&
	       !(owner & LW_RWSEM_READER);
#endif
}

#endif /* LW_COMPAT_MMAP_LOCK_H */
