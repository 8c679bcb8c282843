// SPDX-License-Identifier: GPL-2.0
/*
 * file_id.c - what makes a file the same file, with nothing kept open.
 *
 * By what its inode says, not by its address: a reference to an inode would keep
 * its file system from being unmounted for as long as somebody traces.
 *
 * The inode is that of the file system that has the data.  That is what a mapping
 * has too: overlayfs puts the file of the layer below into vm_file.
 */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/siphash.h>

#include "arch/arch.h"
#include "compat/fs.h"
#include "file_id.h"

static siphash_key_t hash_key __read_mostly;

static void file_id_of_inode(const struct inode *inode, struct lw_file_id *id)
{
	struct timespec64 mtime = lw_compat_mtime(inode);

	*id = (struct lw_file_id) {
		.dev = inode->i_sb->s_dev,
		.ino = inode->i_ino,
		.generation = inode->i_generation,
		.mtime_sec = mtime.tv_sec,
		.mtime_nsec = mtime.tv_nsec,
		.size = i_size_read(inode),
	};
}

static int file_id_of_file(struct file *file, struct lw_file_id *id)
{
	struct inode *inode;

	if (!(file->f_mode & FMODE_READ))
		return -EACCES;
	if (!S_ISREG(file_inode(file)->i_mode))
		return -EINVAL;
	/* The file's own inode may be one of overlayfs, which no mapping has. */
	inode = d_real_inode(file->f_path.dentry);
	if (!inode)
		return -ESTALE;
	file_id_of_inode(inode, id);
	return 0;
}

/**
 * lw_file_id_of_fd - a file that current has open
 * @fd: of it
 * @id: out
 *
 * Context: process, may sleep.
 * Return: 0, -EBADF, -EACCES (not open for reading), -EINVAL (no regular file),
 * -ESTALE (it is gone).
 */
int lw_file_id_of_fd(int fd, struct lw_file_id *id)
{
	struct file *file = fget(fd);
	int ret;

	if (!file)
		return -EBADF;
	ret = file_id_of_file(file, id);
	fput(file);
	return ret;
}

/**
 * lw_file_id_of_vdso - the vDSO of current
 * @id: out
 * @size: out: its bytes
 *
 * Context: process.
 * Return: 0, or -ENOENT if current has none of 64 bits.
 */
int lw_file_id_of_vdso(struct lw_file_id *id, u64 *size)
{
	struct lw_arch_vdso vdso;

	if (!current->mm || lw_arch_is_compat(task_pt_regs(current)) ||
	    !lw_arch_vdso(current->mm, &vdso))
		return -ENOENT;
	*id = (struct lw_file_id) { .vdso = vdso.image };
	*size = vdso.size;
	return 0;
}

/*
 * Whatever is there without being a file or anonymous memory: the task may have
 * unmapped its vDSO and mapped another thing, and gets a wrong stack for that.
 */
static bool file_id_is_vdso(const struct vm_area_struct *vma, struct lw_arch_vdso *vdso)
{
	return !vma->vm_file && vma->vm_ops && lw_arch_vdso(vma->vm_mm, vdso) &&
	       vma->vm_start >= vdso->start &&
	       vma->vm_end - vdso->start <= vdso->size;
}

/**
 * lw_file_id_of_vma - the file that is mapped here
 * @vma: mapping of current
 * @id: out
 * @offset: out: where in the file the mapping begins
 *
 * Context: mmap_lock is held.
 * Return: false if there is none.
 */
bool lw_file_id_of_vma(const struct vm_area_struct *vma, struct lw_file_id *id, u64 *offset)
{
	struct lw_arch_vdso vdso;

	if (vma->vm_file) {
		file_id_of_inode(file_inode(vma->vm_file), id);
		*offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		return true;
	}
	if (!file_id_is_vdso(vma, &vdso))
		return false;
	*id = (struct lw_file_id) { .vdso = vdso.image };
	*offset = vma->vm_start - vdso.start;
	return true;
}

/**
 * lw_file_id_same - are these the same file, with the same content
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: true if so.
 */
bool lw_file_id_same(const struct lw_file_id *a, const struct lw_file_id *b)
{
	return a->ino == b->ino && a->dev == b->dev &&
	       a->generation == b->generation &&
	       a->mtime_nsec == b->mtime_nsec && a->mtime_sec == b->mtime_sec &&
	       a->size == b->size && a->vdso == b->vdso;
}

/**
 * lw_file_id_init - before the first lw_file_id_hash()
 *
 * Context: process.
 */
void lw_file_id_init(void)
{
	get_random_bytes(&hash_key, sizeof(hash_key));
}

/**
 * lw_file_id_hash - for a table of files
 * @id: of one
 *
 * Nobody outside can tell which files share a value, nor which versions of one file.
 *
 * Context: any.
 * Return: a hash.
 */
u64 lw_file_id_hash(const struct lw_file_id *id)
{
	/* Each byte tells something: there are none between the members. */
	static_assert(sizeof(*id) == 2 * sizeof(u64) + 2 * sizeof(u32) + 2 * sizeof(u64) +
				     sizeof(id->vdso));

	return siphash(id, sizeof(*id), &hash_key);
}

/**
 * lw_file_id_hash_inode - for a table of inodes
 * @id: of a file
 *
 * As lw_file_id_hash(), but all versions of a file have the same.
 *
 * Context: any.
 * Return: a hash.
 */
u64 lw_file_id_hash_inode(const struct lw_file_id *id)
{
	return siphash_3u64(id->dev, id->ino, id->generation, &hash_key);
}
