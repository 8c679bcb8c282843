/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/fs.h - what changed in linux/fs.h between the kernels we build for.
 */
#ifndef LW_COMPAT_FS_H
#define LW_COMPAT_FS_H

#include <linux/fs.h>

/**
 * lw_compat_mtime - when the content of a file was last changed
 * @inode: of the file; a writer may change the time meanwhile
 *
 * Context: any.
 * Return: the time; a torn one is of neither version of the file.
 */
static inline struct timespec64 lw_compat_mtime(const struct inode *inode)
{
#ifdef LW_HAVE_INODE_GET_MTIME
	/* A writer may change it. */
	return data_race(inode_get_mtime(inode));
#else
	/* A writer may change it. */
	return data_race(inode->i_mtime);
#endif
}

/**
 * lw_compat_ctime - when a file or its inode was last changed; user space can't set it
 * @inode: of the file; a writer may change the time meanwhile
 *
 * Context: any.
 * Return: as lw_compat_mtime().
 */
static inline struct timespec64 lw_compat_ctime(const struct inode *inode)
{
#ifdef LW_HAVE_INODE_GET_CTIME
	/* A writer may change it. */
	return data_race(inode_get_ctime(inode));
#else
	/* A writer may change it. */
	return data_race(inode->i_ctime);
#endif
}

/**
 * lw_compat_user_path - the path that /proc/PID/maps shows for a file
 * @file: vm_file of a mapping; a stacked file system may have put the lower file there
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
 * lw_compat_user_inode - the inode that /proc/PID/maps shows for a file
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
