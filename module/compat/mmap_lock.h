/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mmap_lock.h - mmap_lock for writing, if it is free.
 *
 * The kernel had such a function up to 6.3.
 */
#ifndef LW_COMPAT_MMAP_LOCK_H
#define LW_COMPAT_MMAP_LOCK_H

#include <linux/mm_types.h>
#include <linux/mmap_lock.h>
#include <linux/rwsem.h>

/**
 * lw_compat_mmap_write_trylock - take mmap_lock for writing
 * @mm: memory of a process; for mmap_write_unlock()
 *
 * Context: task.
 * Return: false if the lock is held.
 */
static inline bool lw_compat_mmap_write_trylock(struct mm_struct *mm)
{
	if (!down_write_trylock(&mm->mmap_lock))
		return false;
#ifdef LW_HAVE_MM_LOCK_SEQCOUNT_BEGIN
	mm_lock_seqcount_begin(mm);
#endif
	return true;
}

#endif /* LW_COMPAT_MMAP_LOCK_H */
