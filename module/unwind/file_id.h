/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file_id.h - identity of a file and its content, without a reference to the file.
 */
#ifndef LW_FILE_ID_H
#define LW_FILE_ID_H

#include <linux/types.h>

struct file;
struct vm_area_struct;

/**
 * struct lw_file_id - a file, or a vDSO
 * @dev: device number of the file system
 * @ino: inode number
 * @generation: of the inode number
 * @mtime_nsec: when the file was last changed
 * @mtime_sec: likewise
 * @size: bytes
 * @vdso: the image of a vDSO, and all else is 0; or NULL
 *
 * Device and inode numbers are used again after an unmount or a removal.  A new file with the
 * same numbers, generation, size and nanosecond of change is taken for the old one.
 */
struct lw_file_id {
	u64	dev;
	u64	ino;
	u32	generation;
	u32	mtime_nsec;
	s64	mtime_sec;
	u64	size;
	const void *vdso;
};

void lw_file_id_init(void);
int lw_file_id_of_fd(int fd, struct lw_file_id *id);
int lw_file_id_of_vdso(struct lw_file_id *id, u64 *size);
bool lw_file_id_of_vma(const struct vm_area_struct *vma, struct lw_file_id *id, u64 *offset);
bool lw_file_id_same(const struct lw_file_id *a, const struct lw_file_id *b);
u64 lw_file_id_hash(const struct lw_file_id *id);
u64 lw_file_id_hash_inode(const struct lw_file_id *id);

#endif /* LW_FILE_ID_H */
