/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mm.h - what changed in linux/mm.h between the kernels we build for.
 */
#ifndef LW_COMPAT_MM_H
#define LW_COMPAT_MM_H

#include <linux/mm.h>

/**
 * lw_compat_vm_flags_clear - clear flags of a mapping that is being made
 * @vma: the mapping, mmap_lock held for writing
 * @flags: VM_* to clear
 */
static inline void lw_compat_vm_flags_clear(struct vm_area_struct *vma,
					    unsigned long flags)
{
#ifdef LW_HAVE_VM_FLAGS_MOD
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

/**
 * lw_compat_vm_flags_set - set flags of a mapping that is being made
 * @vma: the mapping, mmap_lock held for writing
 * @flags: VM_* to set
 */
static inline void lw_compat_vm_flags_set(struct vm_area_struct *vma,
					  unsigned long flags)
{
#ifdef LW_HAVE_VM_FLAGS_MOD
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

/**
 * lw_compat_is_heap - do maps call this one [heap]
 * @vma: a mapping without a file, mmap_lock held
 *
 * Return: true if so.
 */
static inline bool lw_compat_is_heap(const struct vm_area_struct *vma)
{
#ifdef LW_HAVE_VMA_IS_INITIAL
	/* execve() sets it under no lock, in memory that can be seen already. */
	return data_race(vma_is_initial_heap(vma));
#else
	/* execve() sets it under no lock, in memory that can be seen already. */
	return data_race(vma->vm_start <= vma->vm_mm->brk &&
			 vma->vm_end >= vma->vm_mm->start_brk);
#endif
}

/**
 * lw_compat_is_stack - do maps call this one [stack]
 * @vma: a mapping without a file, mmap_lock held
 *
 * Return: true if so.
 */
static inline bool lw_compat_is_stack(const struct vm_area_struct *vma)
{
#ifdef LW_HAVE_VMA_IS_INITIAL
	/* execve() sets it under no lock, in memory that can be seen already. */
	return data_race(vma_is_initial_stack(vma));
#else
	/* execve() sets it under no lock, in memory that can be seen already. */
	return data_race(vma->vm_start <= vma->vm_mm->start_stack &&
			 vma->vm_end >= vma->vm_mm->start_stack);
#endif
}

/**
 * lw_compat_anon_name - what the process calls a mapping (PR_SET_VMA_ANON_NAME)
 * @vma: the mapping, mmap_lock held
 *
 * Return: the name, for as long as the lock is held, or NULL.
 */
static inline const char *lw_compat_anon_name(const struct vm_area_struct *vma)
{
#ifdef CONFIG_ANON_VMA_NAME
#ifdef LW_HAVE_ANON_NAME_OR_FILE
	/* There is something else in its place. */
	if (vma->vm_file)
		return NULL;
#endif
	return vma->anon_name ? vma->anon_name->name : NULL;
#else
	return NULL;
#endif
}

#endif /* LW_COMPAT_MM_H */
