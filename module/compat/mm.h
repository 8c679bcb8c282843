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

#endif /* LW_COMPAT_MM_H */
