/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/mm.h - what changed in linux/mm.h between the kernels we build for.
 */
#ifndef LW_COMPAT_MM_H
#define LW_COMPAT_MM_H

#include <linux/mm.h>

/**
 * lw_compat_vm_flags_mod - change flags of a mapping that is being made
 * @vma: the mapping, mmap_lock held for writing
 * @set: VM_* to set
 * @clear: VM_* to clear
 */
static inline void lw_compat_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
					  unsigned long clear)
{
#ifdef LW_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/**
 * lw_compat_is_heap - does /proc/PID/maps call a mapping [heap]
 * @vma: without a file, mmap_lock held
 *
 * Return: true if so.
 */
static inline bool lw_compat_is_heap(const struct vm_area_struct *vma)
{
#ifdef LW_HAVE_VMA_IS_INITIAL
	/* execve() sets the fields without a lock when the memory can be seen already. */
	return data_race(vma_is_initial_heap(vma));
#else
	/* execve() sets the fields without a lock when the memory can be seen already. */
	return data_race(vma->vm_start <= vma->vm_mm->brk &&
			 vma->vm_end >= vma->vm_mm->start_brk);
#endif
}

/**
 * lw_compat_is_stack - does /proc/PID/maps call a mapping [stack]
 * @vma: without a file, mmap_lock held
 *
 * Return: true if so.
 */
static inline bool lw_compat_is_stack(const struct vm_area_struct *vma)
{
#ifdef LW_HAVE_VMA_IS_INITIAL
	/* execve() sets the fields without a lock when the memory can be seen already. */
	return data_race(vma_is_initial_stack(vma));
#else
	/* execve() sets the fields without a lock when the memory can be seen already. */
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
	/* The kernel has something else in its place then. */
	if (vma->vm_file)
		return NULL;
#endif
	return vma->anon_name ? vma->anon_name->name : NULL;
#else
	return NULL;
#endif
}

#endif /* LW_COMPAT_MM_H */
