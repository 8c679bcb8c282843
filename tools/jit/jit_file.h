/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_file.h - a file in which a process tells of the code that it makes.
 */
#ifndef LW_JIT_FILE_H
#define LW_JIT_FILE_H

#include <linux/stat.h>
#include <sys/types.h>

#include "base/util.h"

/**
 * struct lw_jit_file - what of a file was read
 * @read_to: bytes from its begin
 * @dev: the file that was read last; @inode is 0 before the first one
 * @inode: of it
 * @birth: of it, as an inode number may be used again; zeros: not known
 */
struct lw_jit_file {
	u64 read_to;
	dev_t dev;
	ino_t inode;
	struct statx_timestamp birth;
};

u32 lw_jit_file_own_pid(const char *proc);
uid_t lw_jit_file_owner(u32 pid);
int lw_jit_file_open(u32 pid, const char *path, uid_t owner, u64 since);
bool lw_jit_file_is_same(struct lw_jit_file *file, int fd);

#endif /* LW_JIT_FILE_H */
