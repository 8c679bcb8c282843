// SPDX-License-Identifier: GPL-2.0
/*
 * vma_query.c - what is mapped at an address of a process.
 *
 * All that a mapping itself says is taken under mmap_lock, once.  What its file says, path
 * and build ID, is read when that is given back: a file may be on a server that does not
 * answer, and the process must not wait for it.  The file is held meanwhile, so that it
 * is the one that was mapped.
 */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "build_id.h"
#include "compat/fs.h"
#include "compat/mm.h"
#include "vma_query.h"

/**
 * struct answer - what does not go into the query itself
 * @file: of the mapping, with a reference, as far as it is asked for; else NULL
 * @room: bytes at @buf
 * @buf: for the name
 * @name: in @buf
 * @name_size: its bytes with the NUL; 0: none
 * @build_id: of the file
 * @build_id_size: its bytes; 0: none
 */
struct answer {
	struct file *file;
	size_t	room;
	char	*buf;
	const char *name;
	size_t	name_size;
	u8	build_id[LW_BUILD_ID_MAX];
	int	build_id_size;
};

static int vmaq_check(const struct lw_vma_query *query)
{
	if (query->reserved || query->reserved2 || query->pid < 0 ||
	    !query->name != !query->name_size || !query->build_id != !query->build_id_size)
		return -EINVAL;
	return 0;
}

/**
 * lw_vma_mm_of - the memory of a process that current may look at
 * @nr: its number in current's PID namespace; 0: current's own
 *
 * Its own, or with CAP_PERFMON, CAP_SYS_ADMIN or CAP_SYS_PTRACE in the initial user namespace
 * any.  ptrace()'s own rule, which compares ids, would have to ask security modules, too
 * (Landlock, SELinux, AppArmor), and nothing is exported to ask them by.
 *
 * Context: process, may sleep.
 * Return: for mmput(), or ERR_PTR() of -ESRCH, -EACCES.
 */
struct mm_struct *lw_vma_mm_of(pid_t nr)
{
	struct mm_struct *mm = ERR_PTR(-EACCES);
	struct task_struct *task;
	struct pid *pid;

	pid = nr ? find_get_pid(nr) : get_task_pid(current, PIDTYPE_PID);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	if (same_thread_group(task, current) || perfmon_capable() || capable(CAP_SYS_PTRACE)) {
		/* It looks at flags of the task that execve() and exit() set under no lock. */
		mm = data_race(get_task_mm(task));
		if (!mm)
			mm = ERR_PTR(-ESRCH);
	}
	put_task_struct(task);
	return mm;
}

/**
 * lw_vma_flags_of - what a mapping is for
 * @vma: it, mmap_lock held
 *
 * Return: LW_VMA_READABLE to LW_VMA_SHARED.
 */
u32 lw_vma_flags_of(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_READ ? LW_VMA_READABLE : 0) |
	       (vma->vm_flags & VM_WRITE ? LW_VMA_WRITABLE : 0) |
	       (vma->vm_flags & VM_EXEC ? LW_VMA_EXECUTABLE : 0) |
	       (vma->vm_flags & VM_MAYSHARE ? LW_VMA_SHARED : 0);
}

/**
 * lw_vma_is_wanted - does a mapping have all that is asked for
 * @vma: it, mmap_lock held
 * @flags: LW_VMA_*
 *
 * Return: true if so.
 */
bool lw_vma_is_wanted(const struct vm_area_struct *vma, u32 flags)
{
	if (flags & LW_VMA_FILE_BACKED && !vma->vm_file)
		return false;
	return !(flags & LW_VMA_PERMISSIONS & ~lw_vma_flags_of(vma));
}

/* Return: a mapping or ERR_PTR() of -ENOENT, -EINTR. */
static struct vm_area_struct *vmaq_find(struct mm_struct *mm, u64 addr, u32 flags)
{
	struct vm_area_struct *vma;

	lockdep_assert_held(&mm->mmap_lock);
	/* As many rounds as there are mappings, of which there may be millions. */
	while ((vma = find_vma(mm, addr))) {
		bool covers = vma->vm_start <= addr;

		if (!covers && !(flags & LW_VMA_COVERING_OR_NEXT))
			break;
		if (lw_vma_is_wanted(vma, flags))
			return vma;
		if (!(flags & LW_VMA_COVERING_OR_NEXT))
			break;
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
		cond_resched();
		addr = vma->vm_end;
	}
	return ERR_PTR(-ENOENT);
}

static void vmaq_describe(struct vm_area_struct *vma, struct lw_vma_query *query)
{
	query->start = vma->vm_start;
	query->end = vma->vm_end;
	query->vma_flags = lw_vma_flags_of(vma);
	query->page_size = vma->vm_ops && vma->vm_ops->pagesize ? vma->vm_ops->pagesize(vma) :
								  PAGE_SIZE;
	query->offset = 0;
	query->inode = 0;
	query->dev_major = 0;
	query->dev_minor = 0;
	if (vma->vm_file) {
		const struct inode *inode = lw_compat_user_inode(vma->vm_file);

		query->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		query->inode = inode->i_ino;
		query->dev_major = MAJOR(inode->i_sb->s_dev);
		query->dev_minor = MINOR(inode->i_sb->s_dev);
	}
}

/* What a mapping without a file is for; NULL: nothing special. */
static const char *vmaq_purpose_of(struct vm_area_struct *vma)
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

/**
 * lw_vma_copy_name - a name that is not a path: it may be gone with the mapping
 * @vma: the mapping, mmap_lock held
 * @to: where to
 * @room: bytes there
 *
 * In the order of maps.
 *
 * Return: bytes with the NUL, also if there is less room; 0: it has none, but may have a path.
 */
size_t lw_vma_copy_name(struct vm_area_struct *vma, char *to, size_t room)
{
	const char *given = lw_compat_anon_name(vma);
	const char *purpose = vma->vm_file ? NULL : vmaq_purpose_of(vma);

	if (purpose)
		return 1 + snprintf(to, room, "%s", purpose);
	if (!given)
		return 0;
	return 1 + snprintf(to, room, vma->vm_file ? "[anon_shmem:%s]" : "[anon:%s]", given);
}

/* Return: 0, -ENOENT, -EINTR. */
static int vmaq_look(struct mm_struct *mm, struct lw_vma_query *query, struct answer *answer)
{
	struct vm_area_struct *vma;
	int ret;

	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	vma = vmaq_find(mm, query->addr, query->flags);
	if (IS_ERR(vma)) {
		ret = PTR_ERR(vma);
	} else {
		vmaq_describe(vma, query);
		answer->name = answer->buf;
		if (answer->buf)
			answer->name_size = lw_vma_copy_name(vma, answer->buf, answer->room);
		if (vma->vm_file && (query->build_id_size ||
				     (answer->buf && !answer->name_size)))
			answer->file = get_file(vma->vm_file);
	}
	mmap_read_unlock(mm);
	return ret;
}

/* Return: 0, -ENAMETOOLONG. */
static int vmaq_read_path(struct answer *answer)
{
	const char *path = d_path(lw_compat_user_path(answer->file), answer->buf, answer->room);

	if (IS_ERR(path))
		return PTR_ERR(path);
	answer->name = path;
	answer->name_size = answer->buf + answer->room - path;
	return 0;
}

/* Return: 0, -ENAMETOOLONG, -ENOMEM, -EINTR. */
static int vmaq_read_file(const struct lw_vma_query *query, struct answer *answer)
{
	int ret = 0;

	if (answer->buf && !answer->name_size)
		ret = vmaq_read_path(answer);
	if (ret || !query->build_id_size)
		return ret;
	ret = lw_build_id_of_file(answer->file, answer->build_id);
	/* A file that can't be read is one without. */
	if (ret < 0)
		return ret == -ENOMEM || ret == -EINTR ? ret : 0;
	answer->build_id_size = ret;
	return 0;
}

/* Return: 0, -ENAMETOOLONG, -EFAULT. */
static int vmaq_hand_out(struct lw_vma_query *query, const struct answer *answer)
{
	if (answer->name_size > answer->room || answer->build_id_size > query->build_id_size)
		return -ENAMETOOLONG;
	if (copy_to_user(u64_to_user_ptr(query->name), answer->name, answer->name_size) ||
	    copy_to_user(u64_to_user_ptr(query->build_id), answer->build_id,
			 answer->build_id_size))
		return -EFAULT;
	query->name_size = answer->name_size;
	query->build_id_size = answer->build_id_size;
	return 0;
}

/* The memory is given back before files are read, for a process that ends meanwhile. */
static int vmaq_look_at_process(struct lw_vma_query *query, struct answer *answer)
{
	struct mm_struct *mm = lw_vma_mm_of(query->pid);
	int ret;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	ret = vmaq_look(mm, query, answer);
	mmput(mm);
	return ret;
}

static int vmaq_ask(struct lw_vma_query *query, struct answer *answer)
{
	int ret = vmaq_look_at_process(query, answer);

	if (!ret && answer->file)
		ret = vmaq_read_file(query, answer);
	return ret ?: vmaq_hand_out(query, answer);
}

/**
 * lw_vma_query - LW_IOC_VMA_QUERY
 * @query: as the uapi header says; changed only if this succeeds, but for fields that are
 *	out only
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_vma_query(struct lw_vma_query *query)
{
	struct answer answer = { .room = min_t(size_t, query->name_size, PATH_MAX) };
	int ret = vmaq_check(query);

	if (ret)
		return ret;
	if (answer.room) {
		answer.buf = kmalloc(answer.room, GFP_KERNEL_ACCOUNT);
		if (!answer.buf)
			return -ENOMEM;
	}
	ret = vmaq_ask(query, &answer);
	if (answer.file)
		fput(answer.file);
	kfree(answer.buf);
	return ret;
}
