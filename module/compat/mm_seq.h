/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mm_seq.h - have the mappings of a process changed?
 *
 * Since 6.13, and in kernels that took it over, mm_lock_seq is a count that is odd while
 * mmap_lock is held for writing.  Before, nothing shows a change without the lock.
 */
#ifndef LW_COMPAT_MM_SEQ_H
#define LW_COMPAT_MM_SEQ_H

#include <linux/mm_types.h>
#include <linux/seqlock.h>

#if defined(LW_HAVE_MM_SEQCOUNT) && defined(CONFIG_PER_VMA_LOCK)
#define LW_COMPAT_MM_SEQ	1
#else
#define LW_COMPAT_MM_SEQ	0
#endif

/**
 * lw_compat_mm_seq - the count of changes
 * @mm: memory of a process
 *
 * Context: mmap_lock is held for reading, so that the count is even.
 * Return: the count; 0 where there is none.
 */
static inline u32 lw_compat_mm_seq(const struct mm_struct *mm)
{
#if LW_COMPAT_MM_SEQ
	return mm->mm_lock_seq.sequence;
#else
	return 0;
#endif
}

/**
 * lw_compat_mm_unchanged - is it known that no mapping has changed
 * @mm: memory of a process
 * @seq: an earlier lw_compat_mm_seq(); the count wraps after 2^31 changes
 *
 * Context: any.
 * Return: true if so; then nobody holds mmap_lock for writing at this moment.
 */
static inline bool lw_compat_mm_unchanged(const struct mm_struct *mm, u32 seq)
{
#if LW_COMPAT_MM_SEQ
	/* Pairs with the barriers of mm_lock_seqcount_begin() and _end(). */
	return smp_load_acquire(&mm->mm_lock_seq.sequence) == seq;
#else
	return false;
#endif
}

/**
 * lw_compat_mm_changed - is it known that mappings have changed
 * @mm: memory of a process
 * @seq: an earlier lw_compat_mm_seq()
 *
 * Context: any.
 * Return: true if so; false also where there is no count.
 */
static inline bool lw_compat_mm_changed(const struct mm_struct *mm, u32 seq)
{
	return LW_COMPAT_MM_SEQ && !lw_compat_mm_unchanged(mm, seq);
}

#endif /* LW_COMPAT_MM_SEQ_H */
