/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nearby.h - does data of a file or a mapping come from this machine?
 */
#ifndef LW_NEARBY_H
#define LW_NEARBY_H

#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/userfaultfd_k.h>

/**
 * lw_is_nearby - is a file's data in memory, in swap or on a disk of this machine
 * @inode: of the file
 *
 * A task that waits for such data does not wait for a program (FUSE) or another machine.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool lw_is_nearby(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	/* The data of a device is up to its driver. */
	if (!S_ISREG(inode->i_mode))
		return false;
	switch (sb->s_magic) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	case FUSE_SUPER_MAGIC:
	/* These two ask other machines for a lock. */
	case GFS2_MAGIC:
	case OCFS2_SUPER_MAGIC:
		return false;
	default:
		return sb->s_type->fs_flags & FS_REQUIRES_DEV;
	}
}

/**
 * lw_vma_is_nearby - does a fault wait for memory, swap or a disk of this machine at most
 * @vma: mapping
 *
 * And not for a program (userfaultfd, FUSE) or another machine.
 *
 * Context: mmap_lock of the mapping is held.
 * Return: true if so.
 */
static inline bool lw_vma_is_nearby(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP) || userfaultfd_armed(vma) ||
	    !vma_is_accessible(vma))
		return false;
	return vma_is_anonymous(vma) || (vma->vm_file && lw_is_nearby(file_inode(vma->vm_file)));
}

#endif /* LW_NEARBY_H */
