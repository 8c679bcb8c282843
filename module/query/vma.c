// SPDX-License-Identifier: GPL-2.0
/*
 * vma.c - what is mapped in a process: at an address (LW_IOC_VMA_QUERY), and a buffer full of
 * mappings at a time (LW_IOC_VMA_LIST).
 *
 * Context: ioctls, no locks held.  Locks: mmap_lock for reading.
 *
 * Mappings and their names are read under mmap_lock, as for /proc/PID/maps.  The file of a query
 * is referenced there and read for its build ID without the lock: it may be on a server that does
 * not answer, and the process must not wait for that.  A list fills a small buffer of ours under
 * the lock and copies it out without.  In between only the mm_struct is held, not its memory, so
 * that the process may end.
 */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "build_id.h"
#include "compat/fs.h"
#include "compat/mm.h"
#include "compat/perf.h"
#include "vma.h"

/*
 * Bytes of entries that are filled at once under mmap_lock: a hundred mappings or so, or one with
 * the longest name.  The kernel clears all of the buffer in each call.
 */
#define PART		8192U
#define ALIGNMENT	8

/*
 * The memory of a process that current may look at; @nr is a thread's number in current's PID
 * namespace, 0 for current.
 *
 * Current's own process, or with CAP_PERFMON, CAP_SYS_ADMIN or CAP_SYS_PTRACE in the initial user
 * namespace any.  The rule of ptrace(), which compares ids, would also have to ask the security
 * modules (Landlock, SELinux, AppArmor), and no function that asks them is exported.
 *
 * Return: for mmput(), or ERR_PTR() of -ESRCH, -EACCES.
 */
static struct mm_struct *vmaq_mm_of(pid_t nr)
{
	struct mm_struct *mm = ERR_PTR(-EACCES);
	struct task_struct *task;
	struct pid *pid;

	pid = nr ? find_get_pid(nr) : get_task_pid(current, PIDTYPE_PID);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	if (same_thread_group(task, current) || !lw_compat_may_trace() || capable(CAP_SYS_PTRACE)) {
		/* It reads flags of the task that execve() and exit() set without a lock. */
		mm = data_race(get_task_mm(task));
		if (!mm)
			mm = ERR_PTR(-ESRCH);
	}
	put_task_struct(task);
	return mm;
}

/* Fill all but size and name. */
static void vmaq_describe(const struct vm_area_struct *vma, struct lw_vma_entry *entry)
{
	*entry = (struct lw_vma_entry) {
		.vma_flags = (vma->vm_flags & VM_READ ? LW_VMA_READABLE : 0) |
			     (vma->vm_flags & VM_WRITE ? LW_VMA_WRITABLE : 0) |
			     (vma->vm_flags & VM_EXEC ? LW_VMA_EXECUTABLE : 0) |
			     (vma->vm_flags & VM_MAYSHARE ? LW_VMA_SHARED : 0),
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
}

/*
 * Find the next mapping before @end that has all of @flags, and describe it.
 * Return: the mapping, or ERR_PTR() of -ENOENT, -EINTR (killed).
 */
static struct vm_area_struct *vmaq_find(struct vma_iterator *next, u64 end, u32 flags,
					struct lw_vma_entry *entry)
{
	struct vm_area_struct *vma;

	/* There may be millions of them. */
	for_each_vma_range(*next, vma, end) {
		vmaq_describe(vma, entry);
		if (!(flags & LW_VMA_PERMISSIONS & ~entry->vma_flags) &&
		    (vma->vm_file || !(flags & LW_VMA_FILE_BACKED)))
			return vma;
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
		cond_resched();
	}
	return ERR_PTR(-ENOENT);
}

/* What a mapping without a file is for, or NULL. */
static const char *vmaq_purpose(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		return name;
	if (lw_compat_is_heap(vma))
		return "[heap]";
	return lw_compat_is_stack(vma) ? "[stack]" : NULL;
}

/* Return: bytes with the NUL, or -ENAMETOOLONG. */
static int vmaq_copy_path(const struct file *file, char *to, size_t room)
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

/*
 * Copy the name that /proc/PID/maps shows.  Context: mmap_lock held.
 * Return: bytes with the NUL, 0 if there is none, or -ENAMETOOLONG.
 */
static int vmaq_copy_name(struct vm_area_struct *vma, char *to, size_t room)
{
	const char *format = vma->vm_file ? "[anon_shmem:%s]" : "[anon:%s]";
	const char *purpose = vma->vm_file ? NULL : vmaq_purpose(vma);
	const char *given = lw_compat_anon_name(vma);
	size_t size;

	if (purpose)
		size = 1 + snprintf(to, room, "%s", purpose);
	else if (given)
		size = 1 + snprintf(to, room, format, given);
	else
		return vma->vm_file ? vmaq_copy_path(vma->vm_file, to, room) : 0;
	return size > room ? -ENAMETOOLONG : size;
}

/**
 * struct vmaq_answer - what a query knows besides its own struct
 * @page_size: of the mapping
 * @file: of the mapping, with a reference, if its build ID is wanted; else NULL
 * @name: @room bytes; NULL: not wanted
 * @room: see @name
 * @name_size: bytes of the name with its NUL; 0: none
 * @build_id: of the file
 * @build_id_size: its bytes; 0: none
 * @entry: the mapping
 */
struct vmaq_answer {
	u64	page_size;
	struct file *file;
	char	*name;
	size_t	room;
	size_t	name_size;
	u8	build_id[LW_BUILD_ID_MAX];
	int	build_id_size;
	struct lw_vma_entry entry;
};

/* Context: mmap_lock held.  Return: 0, -ENOENT, -EINTR, -ENAMETOOLONG. */
static int vmaq_look(struct mm_struct *mm, const struct lw_vma_query *query,
		     struct vmaq_answer *answer)
{
	VMA_ITERATOR(next, mm, query->addr);
	u64 end = query->flags & LW_VMA_COVERING_OR_NEXT ? ULONG_MAX : query->addr + 1;
	struct vm_area_struct *vma;
	int ret;

	vma = vmaq_find(&next, end, query->flags, &answer->entry);
	if (IS_ERR(vma))
		return PTR_ERR(vma);
	answer->page_size = vma->vm_ops && vma->vm_ops->pagesize ?
			    vma->vm_ops->pagesize(vma) : PAGE_SIZE;
	if (answer->name) {
		ret = vmaq_copy_name(vma, answer->name, answer->room);
		if (ret < 0)
			return ret;
		answer->name_size = ret;
	}
	if (vma->vm_file && query->build_id_size)
		answer->file = get_file(vma->vm_file);
	return 0;
}

/* Return: 0, -ENAMETOOLONG, -EFAULT. */
static int vmaq_hand_out(struct lw_vma_query *query, const struct vmaq_answer *answer)
{
	if (answer->build_id_size > query->build_id_size)
		return -ENAMETOOLONG;
	if (copy_to_user(u64_to_user_ptr(query->name), answer->name, answer->name_size) ||
	    copy_to_user(u64_to_user_ptr(query->build_id), answer->build_id,
			 answer->build_id_size))
		return -EFAULT;
	query->start = answer->entry.start;
	query->end = answer->entry.end;
	query->offset = answer->entry.offset;
	query->inode = answer->entry.inode;
	query->page_size = answer->page_size;
	query->dev_major = answer->entry.dev_major;
	query->dev_minor = answer->entry.dev_minor;
	query->vma_flags = answer->entry.vma_flags;
	query->name_size = answer->name_size;
	query->build_id_size = answer->build_id_size;
	return 0;
}

static int vmaq_ask(struct lw_vma_query *query, struct vmaq_answer *answer)
{
	struct mm_struct *mm = vmaq_mm_of(query->pid);
	int ret;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	ret = mmap_read_lock_killable(mm);
	if (!ret) {
		ret = vmaq_look(mm, query, answer);
		mmap_read_unlock(mm);
	}
	/* Before the file is read: the process may end meanwhile. */
	mmput(mm);
	if (ret)
		return ret;
	if (answer->file) {
		ret = lw_build_id_of_file(answer->file, answer->build_id);
		if (ret == -ENOMEM || ret == -EINTR)
			return ret;
		/* A file that can't be read counts as one without a build ID. */
		answer->build_id_size = max(ret, 0);
	}
	return vmaq_hand_out(query, answer);
}

/**
 * lw_vma_query - LW_IOC_VMA_QUERY
 * @query: as the uapi header says; changed only if this succeeds
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_vma_query(struct lw_vma_query *query)
{
	struct vmaq_answer answer = { .room = min_t(size_t, query->name_size, PATH_MAX) };
	int ret;

	if (query->reserved || query->reserved2 || query->pid < 0 ||
	    !query->name != !query->name_size || !query->build_id != !query->build_id_size)
		return -EINVAL;
	if (answer.room) {
		answer.name = kmalloc(answer.room, GFP_KERNEL_ACCOUNT);
		if (!answer.name)
			return -ENOMEM;
	}
	ret = vmaq_ask(query, &answer);
	if (answer.file)
		fput(answer.file);
	kfree(answer.name);
	return ret;
}

/**
 * struct vmaq_part - entries that are not copied out yet
 * @buf: for the entries
 * @room: bytes at @buf
 * @used: bytes of the entries
 * @nr: entries
 * @named: file whose path is the last name that was written, or NULL; good under mmap_lock only
 */
struct vmaq_part {
	char	*buf;
	u32	room;
	u32	used;
	u32	nr;
	const struct file *named;
};

static bool vmaq_has_same_path(const struct file *a, const struct file *b)
{
	return a == b || path_equal(lw_compat_user_path(a), lw_compat_user_path(b));
}

/* Return: 0, or -ENOSPC: not in this part. */
static int vmaq_put_entry(struct vmaq_part *part, struct vm_area_struct *vma,
			  const struct lw_vma_entry *from)
{
	struct lw_vma_entry *entry = (void *)(part->buf + part->used);
	size_t room = round_down(part->room - part->used, ALIGNMENT);
	bool is_path = vma->vm_file && !lw_compat_anon_name(vma);
	int len = 0;

	if (room < sizeof(*entry) + ALIGNMENT)
		return -ENOSPC;
	room -= sizeof(*entry);
	*entry = *from;
	if (is_path && part->named && vmaq_has_same_path(part->named, vma->vm_file))
		entry->vma_flags |= LW_VMA_SAME_NAME;
	else
		len = vmaq_copy_name(vma, entry->name, room);
	if (len < 0 && room < PATH_MAX)
		return -ENOSPC;
	if (len > 0) {
		part->named = is_path ? vma->vm_file : NULL;
	} else {
		/* No name, the same one, or one that is too long for any part. */
		entry->name[0] = 0;
		len = 1;
	}
	memset(entry->name + len, 0, round_up(len, ALIGNMENT) - len);
	entry->size = sizeof(*entry) + round_up(len, ALIGNMENT);
	part->used += entry->size;
	part->nr++;
	return 0;
}

/* Return: -ENOENT: there are no more, -ENOSPC: there are, -EINTR. */
static int vmaq_fill(struct mm_struct *mm, struct lw_vma_list *list, struct vmaq_part *part)
{
	VMA_ITERATOR(next, mm, list->addr);
	struct vm_area_struct *vma;
	struct lw_vma_entry entry;
	int ret;

	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	part->used = 0;
	part->nr = 0;
	part->named = NULL;
	do {
		vma = vmaq_find(&next, ULONG_MAX, list->flags, &entry);
		ret = IS_ERR(vma) ? PTR_ERR(vma) : vmaq_put_entry(part, vma, &entry);
		if (ret)
			break;
		list->addr = entry.end;
		cond_resched();
	} while (!fatal_signal_pending(current));
	ret = ret ?: -EINTR;
	mmap_read_unlock(mm);
	return ret;
}

/* Return: -ENOENT: there are no more, -ENOSPC: there are, -ESRCH, -EFAULT, -EINTR. */
static int vmaq_put_part(struct mm_struct *mm, struct lw_vma_list *list, struct vmaq_part *part)
{
	int ret;

	part->room = min(PART, list->buf_size - list->used);
	if (!mmget_not_zero(mm))
		return -ESRCH;
	ret = vmaq_fill(mm, list, part);
	mmput(mm);
	if (ret == -EINTR)
		return ret;
	if (copy_to_user(u64_to_user_ptr(list->buf + list->used), part->buf, part->used))
		return -EFAULT;
	list->used += part->used;
	list->nr += part->nr;
	return ret;
}

/* A list that has entries succeeds, whether there are more, or none, or the process has ended. */
static int vmaq_put_all(struct mm_struct *mm, struct lw_vma_list *list, struct vmaq_part *part)
{
	int ret;

	do {
		ret = vmaq_put_part(mm, list, part);
	} while (ret == -ENOSPC && part->nr && list->used < list->buf_size);
	if (!list->nr || (ret != -ENOSPC && ret != -ENOENT && ret != -ESRCH))
		return ret;
	if (ret != -ENOSPC)
		list->addr = U64_MAX;
	return 0;
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
	struct vmaq_part part = {};
	struct mm_struct *mm;
	int ret;

	static_assert(sizeof(struct lw_vma_entry) + PATH_MAX <= PART);
	if (list->pid < 0 || !list->buf || !list->buf_size)
		return -EINVAL;
	list->nr = 0;
	list->used = 0;
	mm = vmaq_mm_of(list->pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	mmgrab(mm);
	mmput(mm);
	part.buf = kmalloc(min(PART, list->buf_size), GFP_KERNEL_ACCOUNT);
	ret = part.buf ? vmaq_put_all(mm, list, &part) : -ENOMEM;
	kfree(part.buf);
	mmdrop(mm);
	return ret;
}
