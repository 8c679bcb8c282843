/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nearby.h - does a file's data come from this machine, whoever waits for it?
 */
#ifndef LW_NEARBY_H
#define LW_NEARBY_H

#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/magic.h>

/**
 * lw_is_nearby - is a file's data in memory, in swap or on a disk of this machine
 * @inode: of the file
 *
 * Who waits for it does not wait for a program (FUSE) or another machine.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool lw_is_nearby(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	/* What a device brings is its driver's. */
	if (!S_ISREG(inode->i_mode))
		return false;
	switch (sb->s_magic) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	case FUSE_SUPER_MAGIC:
	case GFS2_MAGIC:
	case OCFS2_SUPER_MAGIC:
		/* The last two wait for leave of another machine. */
		return false;
	default:
		return sb->s_type->fs_flags & FS_REQUIRES_DEV;
	}
}

#endif /* LW_NEARBY_H */
