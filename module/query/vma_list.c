// SPDX-License-Identifier: GPL-2.0
/*
 * vma_list.c - many mappings of a process at once.
 *
 * As many as there is room for in a buffer of ours are described under mmap_lock, paths
 * included, as maps does it; they are handed out when it is given back.  The process
 * may end meanwhile: between two parts only its mm_struct is held, not its memory.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/fs.h"
#include "compat/mm.h"
#include "vma_query.h"

/*
 * For how much mmap_lock is held at once: a hundred mappings or so, or one with the longest
 * name.  The kernel clears all of it, for each call.
 */
#define PART		8192U
#define LONGEST		(sizeof(struct lw_vma_entry) + PATH_MAX)
#define ALIGNMENT	8

/**
 * struct part - entries that are not handed out yet
 * @buf: for them
 * @room: bytes there
 * @used: of these
 * @nr: entries
 * @named: the file whose path the last name is; good under mmap_lock only; NULL: none
 */
struct part {
	char	*buf;
	u32	room;
	u32	used;
	u32	nr;
	const struct file *named;
};

/* Return: bytes with the NUL, or -ENAMETOOLONG. */
static int vmas_copy_path(const struct file *file, char *to, size_t room)
{
	const char *path;
	size_t size;

	room = min_t(size_t, room, PATH_MAX);
	path = d_path(lw_compat_user_path(file), to, room);
	if (IS_ERR(path))
		return PTR_ERR(path);
	size = to + room - path;
	memmove(to, path, size);
	return size;
}

static bool vmas_has_same_path(const struct file *a, const struct file *b)
{
	return a == b || path_equal(lw_compat_user_path(a), lw_compat_user_path(b));
}

/*
 * Write the name and its flag.
 * Return: bytes with the NUL, or -ENAMETOOLONG if it may have room in another part.
 */
static int vmas_put_name(struct part *part, struct vm_area_struct *vma, struct lw_vma_entry *entry,
			 size_t room)
{
	int size = lw_vma_copy_name(vma, entry->name, room);

	if (size) {
		part->named = NULL;
		return size > room ? -ENAMETOOLONG : size;
	}
	entry->name[0] = 0;
	if (!vma->vm_file)
		return 1;
	if (part->named && vmas_has_same_path(part->named, vma->vm_file)) {
		entry->vma_flags |= LW_VMA_SAME_NAME;
		return 1;
	}
	size = vmas_copy_path(vma->vm_file, entry->name, room);
	if (size < 0 && room < PATH_MAX)
		return size;
	if (size < 0) {
		entry->name[0] = 0;
		return 1;
	}
	part->named = vma->vm_file;
	return size;
}

/* Return: 0, or -ENOSPC: not in this part. */
static int vmas_put_entry(struct part *part, struct vm_area_struct *vma)
{
	struct lw_vma_entry *entry = (void *)(part->buf + part->used);
	size_t room = part->room - part->used;
	int len;

	if (room < sizeof(*entry) + ALIGNMENT)
		return -ENOSPC;
	room = round_down(room, ALIGNMENT) - sizeof(*entry);
	*entry = (struct lw_vma_entry) {
		.vma_flags = lw_vma_flags_of(vma),
		.start = vma->vm_start,
		.end = vma->vm_end,
	};
	if (vma->vm_file) {
		const struct inode *inode = lw_compat_user_inode(vma->vm_file);

		entry->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		entry->inode = inode->i_ino;
		entry->dev_major = MAJOR(inode->i_sb->s_dev);
		entry->dev_minor = MINOR(inode->i_sb->s_dev);
	}
	len = vmas_put_name(part, vma, entry, room);
	if (len < 0)
		return -ENOSPC;
	memset(entry->name + len, 0, round_up(len, ALIGNMENT) - len);
	entry->size = sizeof(*entry) + round_up(len, ALIGNMENT);
	part->used += entry->size;
	part->nr++;
	return 0;
}

/* Return: 0: there are no more, -ENOSPC: there are, -EINTR. */
static int vmas_fill(struct mm_struct *mm, struct lw_vma_list *list, struct part *part)
{
	VMA_ITERATOR(next, mm, list->addr);
	struct vm_area_struct *vma;
	int ret;

	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	part->used = 0;
	part->nr = 0;
	part->named = NULL;
	for_each_vma(next, vma) {
		if (lw_vma_is_wanted(vma, list->flags))
			ret = vmas_put_entry(part, vma);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		if (ret)
			break;
		list->addr = vma->vm_end;
		cond_resched();
	}
	mmap_read_unlock(mm);
	return ret;
}

/* Return: 0: there are no more, -ENOSPC: there are, -ESRCH, -EFAULT, -EINTR. */
static int vmas_put_part(struct mm_struct *mm, struct lw_vma_list *list, struct part *part)
{
	int ret;

	part->room = min(PART, list->buf_size - list->used);
	if (!mmget_not_zero(mm))
		return -ESRCH;
	ret = vmas_fill(mm, list, part);
	mmput(mm);
	if (ret == -EINTR)
		return ret;
	if (copy_to_user(u64_to_user_ptr(list->buf + list->used), part->buf, part->used))
		return -EFAULT;
	list->used += part->used;
	list->nr += part->nr;
	return ret;
}

static int vmas_put_all(struct mm_struct *mm, struct lw_vma_list *list, struct part *part)
{
	int ret;

	do {
		ret = vmas_put_part(mm, list, part);
	} while (ret == -ENOSPC && part->nr && list->used < list->buf_size);
	if (list->nr && (!ret || ret == -ESRCH))
		list->addr = U64_MAX;
	if (list->nr && (ret == -ENOSPC || ret == -ESRCH))
		return 0;
	if (!ret && !list->nr)
		return -ENOENT;
	return ret;
}

/**
 * lw_vma_list - LW_IOC_VMA_LIST
 * @list: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_vma_list(struct lw_vma_list *list)
{
	struct part part = { 0 };
	struct mm_struct *mm;
	int ret;

	BUILD_BUG_ON(LONGEST > PART);
	if (list->pid < 0 || !list->buf || !list->buf_size)
		return -EINVAL;
	list->nr = 0;
	list->used = 0;
	mm = lw_vma_mm_of(list->pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	mmgrab(mm);
	mmput(mm);
	part.buf = kmalloc(min(PART, list->buf_size), GFP_KERNEL_ACCOUNT);
	ret = part.buf ? vmas_put_all(mm, list, &part) : -ENOMEM;
	kfree(part.buf);
	mmdrop(mm);
	return ret;
}
