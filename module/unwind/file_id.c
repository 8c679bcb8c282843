// SPDX-License-Identifier: GPL-2.0
/*
 * file_id.c - identity of a file and its content, without a reference to the file.
 *
 * A reference to the inode would keep its file system mounted while somebody traces.  So a
 * file is known by numbers of its inode, in the file system that has the data: overlayfs maps
 * the file of its upper or lower layer, too.
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

#include "arch.h"
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

/**
 * lw_file_id_of_fd - identity of an open file
 * @fd: file descriptor of current
 * @id: out
 *
 * Context: process, may sleep.
 * Return: 0, -EBADF, -EACCES (not open for reading), -EINVAL (no regular file),
 * -ESTALE (removed).
 */
int lw_file_id_of_fd(int fd, struct lw_file_id *id)
{
	struct file *file = fget(fd);
	struct inode *inode;
	int ret = 0;

	if (!file)
		return -EBADF;
	if (!(file->f_mode & FMODE_READ)) {
		ret = -EACCES;
	} else if (!S_ISREG(file_inode(file)->i_mode)) {
		ret = -EINVAL;
	} else {
		/* file_inode() may be an inode of overlayfs, which no mapping has. */
		inode = d_real_inode(file->f_path.dentry);
		if (inode)
			file_id_of_inode(inode, id);
		else
			ret = -ESTALE;
	}
	fput(file);
	return ret;
}

/**
 * lw_file_id_of_vdso - identity of the vDSO of current
 * @id: out
 * @size: out: bytes of the vDSO
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOENT if current has no 64-bit vDSO.
 */
int lw_file_id_of_vdso(struct lw_file_id *id, u64 *size)
{
	struct lw_arch_vdso vdso;
	bool found;

	if (!current->mm || lw_arch_is_compat(task_pt_regs(current)))
		return -ENOENT;
	mmap_read_lock(current->mm);
	found = lw_arch_vdso(current->mm, &vdso);
	mmap_read_unlock(current->mm);
	if (!found)
		return -ENOENT;
	*id = (struct lw_file_id) { .vdso = vdso.image };
	*size = vdso.size;
	return 0;
}

/*
 * A special mapping at the address of the vDSO.  A task that has unmapped its vDSO and mapped
 * another special thing there gets a wrong stack.
 */
static bool file_id_is_vdso(const struct vm_area_struct *vma, struct lw_arch_vdso *vdso)
{
	return !vma->vm_file && vma->vm_ops && lw_arch_vdso(vma->vm_mm, vdso) &&
	       vma->vm_start >= vdso->start &&
	       vma->vm_end - vdso->start <= vdso->size;
}

/**
 * lw_file_id_of_vma - identity of a mapped file
 * @vma: mapping of current
 * @id: out
 * @offset: out: of the mapping's first byte in the file
 *
 * Context: mmap_lock is held.
 * Return: false if no file is mapped there.
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
 * lw_file_id_same - is this the same file with the same content
 * @a: a file
 * @b: a file
 *
 * Context: any.
 * Return: true if so.
 */
bool lw_file_id_same(const struct lw_file_id *a, const struct lw_file_id *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->mtime_nsec == b->mtime_nsec && a->mtime_sec == b->mtime_sec &&
	       a->size == b->size && a->vdso == b->vdso;
}

/**
 * lw_file_id_init - make the key of the hashes
 *
 * Without the key nobody can choose files that collide.
 *
 * Context: process, before the first hash.
 */
void lw_file_id_init(void)
{
	get_random_bytes(&hash_key, sizeof(hash_key));
}

/**
 * lw_file_id_hash - hash a file and its content
 * @id: of the file
 *
 * Context: any.
 * Return: a hash.
 */
u64 lw_file_id_hash(const struct lw_file_id *id)
{
	/* No padding is hashed. */
	static_assert(sizeof(*id) == 4 * sizeof(u64) + 2 * sizeof(u32) + sizeof(void *));

	return siphash(id, sizeof(*id), &hash_key);
}

/**
 * lw_file_id_hash_inode - hash a file, whatever its content
 * @id: of the file
 *
 * Context: any.
 * Return: a hash.
 */
u64 lw_file_id_hash_inode(const struct lw_file_id *id)
{
	return siphash_3u64(id->dev, id->ino, id->generation, &hash_key);
}
