/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/fs.h - what changed in linux/fs.h between the kernels we build for.
 */
#ifndef LW_COMPAT_FS_H
#define LW_COMPAT_FS_H

#include <linux/fs.h>

static inline struct timespec64 lw_mtime_of(const struct inode *inode)
{
#ifdef LW_HAVE_INODE_GET_MTIME
	return inode_get_mtime(inode);
#else
	return inode->i_mtime;
#endif
}

/**
 * lw_compat_mtime - when a file was last changed
 * @inode: of it; whoever writes to it may change this meanwhile
 *
 * Context: any.
 * Return: the time; in the middle of a change perhaps neither the old nor the new one.
 */
static inline struct timespec64 lw_compat_mtime(const struct inode *inode)
{
	/* Whoever compares a torn time finds another file, that once. */
	return data_race(lw_mtime_of(inode));
}

static inline struct timespec64 lw_ctime_of(const struct inode *inode)
{
#ifdef LW_HAVE_INODE_GET_CTIME
	return inode_get_ctime(inode);
#else
	return inode->i_ctime;
#endif
}

/**
 * lw_compat_ctime - when a file, or what its inode says, was last changed
 * @inode: of it; whoever writes to it may change this meanwhile
 *
 * Nobody can set it.
 *
 * Context: any.
 * Return: as lw_compat_mtime().
 */
static inline struct timespec64 lw_compat_ctime(const struct inode *inode)
{
	/* As with that of mtime: a torn one is another, that once. */
	return data_race(lw_ctime_of(inode));
}

/**
 * lw_compat_user_path - the path that maps of a process show for a file
 * @file: vm_file of a mapping
 *
 * A file system on top of others may have put the file below there.
 *
 * Context: any; @file stays.
 * Return: the path.
 */
static inline const struct path *lw_compat_user_path(const struct file *file)
{
#ifdef LW_HAVE_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/**
 * lw_compat_user_inode - likewise, the inode
 * @file: vm_file of a mapping
 *
 * Context: any; @file stays.
 * Return: the inode.
 */
static inline const struct inode *lw_compat_user_inode(const struct file *file)
{
#ifdef LW_HAVE_FILE_USER_INODE
	return file_user_inode(file);
#else
	return file_inode(file);
#endif
}

#endif /* LW_COMPAT_FS_H */
