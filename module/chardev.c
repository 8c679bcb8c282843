// SPDX-License-Identifier: GPL-2.0
/*
 * chardev.c - /dev/latewind: open, ioctls, mmap, poll; and /proc/latewind.
 *
 * Copies the arguments of ioctls in and out, and checks size, flags and rights by a table; the
 * function that does the job checks the rest.  Contexts: system calls.  No locks.
 *
 * The device is for tracers: its mode is 0600, and an open file pins the module.  Every program
 * may register sections for its own code, through /proc/latewind, which containers see, too.
 * An open file of /proc pins nothing: rmmod removes the file and waits for the calls that run in
 * it.  So these calls wait for nothing that a program controls: a page of its own memory (FUSE,
 * userfaultfd), or its mmap_lock.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "chardev.h"
#include "compat/mmu_notifier.h"
#include "compat/perf.h"
#include "compat/tracepoint.h"
#include "core/session.h"
#include "event/event_perf.h"
#include "event/event_syscall.h"
#include "query/task_list.h"
#include "query/vma.h"
#include "unwind/missing.h"
#include "unwind/registered.h"
#include "unwind/rows.h"
#include "unwind/tables.h"

/* LW_PROC_PATH */
#define PROC_NAME	"latewind"

/* Any argument; all start with size and flags. */
union arg {
	struct {
		u32	size;
		u32	flags;
	};
	struct lw_info info;
	struct lw_setup setup;
	struct lw_add_event add;
	struct lw_enable enable;
	struct lw_request request;
	struct lw_stats stats;
	struct lw_filter filter;
	struct lw_add_syscall syscall;
	struct lw_table table;
	struct lw_section section;
	struct lw_vma_query vma;
	struct lw_vma_list vmas;
	struct lw_task_list tasks;
	struct lw_missing_file file;
	struct lw_file_done done;
	struct lw_code code;
};

static long chardev_info(struct lw_info *info)
{
	*info = (struct lw_info) {
		.size = sizeof(*info),
		.abi_version = LW_ABI_VERSION,
		.nr_rings = nr_cpu_ids,
		.features = LW_FEATURE_SFRAME_V2 | LW_FEATURE_SFRAME_V3 | LW_FEATURE_FP |
			    LW_FEATURE_SIGFRAME | LW_FEATURE_PERF_EVENTS | LW_FEATURE_REQUEST |
			    LW_FEATURE_MASK | LW_FEATURE_FILTER | LW_FEATURE_OVERWRITE |
			    LW_FEATURE_RAW |
			    LW_FEATURE_SYSCALLS | LW_FEATURE_CHILDREN | LW_FEATURE_TABLES |
			    LW_FEATURE_VMA_QUERY | LW_FEATURE_VMA_LIST |
			    LW_FEATURE_MODULES | LW_FEATURE_TASK_LIST | LW_FEATURE_FILES |
			    LW_FEATURE_ANALYSIS |
			    (LW_ARCH_COMPAT_FRAMES ? LW_FEATURE_COMPAT_FP : 0) |
			    (LW_COMPAT_REGISTRY ? LW_FEATURE_SECTIONS | LW_FEATURE_CODE : 0) |
			    (IS_ENABLED(CONFIG_CGROUPS) ? LW_FEATURE_CGROUP : 0) |
			    (LW_COMPAT_SYSCALLS_FAULT ? LW_FEATURE_FAULTABLE : 0) |
			    (LW_COMPAT_WALK_AT_EXIT ? LW_FEATURE_EXIT : 0),
		.max_depth = LW_MAX_DEPTH,
		.default_depth = LW_DEFAULT_DEPTH,
		.max_sessions = LW_MAX_TRACERS,
		.max_events = LW_MAX_EVENTS,
		.ring_min = LW_RING_MIN,
		.ring_max = LW_RING_MAX,
		.ring_default = LW_RING_DEFAULT,
	};
	return 0;
}

static long chardev_stats(struct lw_session *session, struct lw_stats *stats)
{
	stats->size = sizeof(*stats);
	lw_session_stats(session, stats);
	return 0;
}

static long chardev_add_table(struct lw_session *session, const struct lw_table *table)
{
	int ret = lw_tables_add(&session->tables, table);

	if (ret == -ENOSPC || ret == -EPERM || ret == -ENOMEM)
		lw_session_count(session, LW_STAT_TABLES_REFUSED);
	return ret;
}

static long chardev_run(unsigned int cmd, struct lw_session *session, union arg *arg)
{
	switch (cmd) {
	case LW_IOC_INFO:
		return chardev_info(&arg->info);
	case LW_IOC_SETUP:
		return lw_session_setup(session, &arg->setup);
	case LW_IOC_ADD_EVENT:
		return lw_event_add(session, &arg->add);
	case LW_IOC_ENABLE:
		return lw_session_enable(session, true);
	case LW_IOC_DISABLE:
		return lw_session_enable(session, false);
	case LW_IOC_REQUEST:
		return lw_event_request(session, &arg->request);
	case LW_IOC_STATS:
		return chardev_stats(session, &arg->stats);
	case LW_IOC_FILTER:
		return lw_session_filter(session, &arg->filter);
	case LW_IOC_ADD_SYSCALL:
		return lw_syscall_add(session, &arg->syscall);
	case LW_IOC_ADD_TABLE:
		return chardev_add_table(session, &arg->table);
	case LW_IOC_ADD_SECTION:
		return lw_registry_add(&arg->section);
	case LW_IOC_REMOVE_SECTION:
		return lw_registry_remove(&arg->section);
	case LW_IOC_VMA_QUERY:
		return lw_vma_query(&arg->vma);
	case LW_IOC_VMA_LIST:
		return lw_vma_list(&arg->vmas);
	case LW_IOC_TASK_LIST:
		return lw_task_list(&arg->tasks);
	case LW_IOC_NEXT_FILE:
		return lw_missing_next(&session->missing, &arg->file);
	case LW_IOC_FILE_DONE:
		return lw_missing_done(&session->missing, &arg->done);
	case LW_IOC_ADD_CODE:
		return lw_registry_add_code(session, &arg->code);
	}
	return -ENOTTY;
}

/*
 * Which files know an ioctl, and what it needs.  A descriptor may have been handed on, so a call
 * that widens what the session sees checks the caller's rights, not those of the opener.
 */
#define PROC		0x1	/* /proc/latewind, too */
#define SESSION		0x2	/* a session, not a device that was opened O_WRONLY */
#define SET_UP		0x4	/* LW_IOC_SETUP */
#define PERFMON		0x8	/* CAP_PERFMON */

/**
 * struct op - an ioctl
 * @cmd: its number, with the size of the struct as this module has it
 * @min_size: of the first published version of the struct
 * @flags: known ones
 * @needs: see above
 */
struct op {
	unsigned int	cmd;
	u32		min_size;
	u32		flags;
	u32		needs;
};

/* By _IOC_NR(). */
static const struct op ops[] = {
	{ LW_IOC_INFO, 64, 0, PROC },
	{ LW_IOC_SETUP, 32, LW_SETUP_FLAGS, SESSION },
	{ LW_IOC_ADD_EVENT, 40, 0, SESSION | SET_UP | PERFMON },
	{ LW_IOC_ENABLE, 8, 0, SESSION | SET_UP | PERFMON },
	{ LW_IOC_DISABLE, 8, 0, SESSION | SET_UP },
	{ LW_IOC_REQUEST, 24, LW_REQUEST_SAMPLE, SESSION | SET_UP },
	{ LW_IOC_STATS, 160, 0, SESSION },
	{ LW_IOC_FILTER, 32, LW_FILTER_FLAGS, SESSION | PERFMON },
	{ LW_IOC_ADD_SYSCALL, 32, LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT | LW_SYSCALL_STACK,
	  SESSION | PERFMON },
	{ LW_IOC_ADD_TABLE, 64, LW_TABLE_VDSO, SESSION | SET_UP | PERFMON },
	{ LW_IOC_ADD_SECTION, 48, 0, PROC },
	{ LW_IOC_REMOVE_SECTION, 48, 0, PROC },
	{ LW_IOC_VMA_QUERY, 104, LW_VMA_QUERY_FLAGS, 0 },
	{ LW_IOC_VMA_LIST, 40, LW_VMA_LIST_FLAGS, 0 },
	{ LW_IOC_TASK_LIST, 32, 0, 0 },
	{ LW_IOC_NEXT_FILE, 72, 0, SESSION | SET_UP },
	{ LW_IOC_FILE_DONE, 16, 0, SESSION | SET_UP },
	{ LW_IOC_ADD_CODE, 56, 0, SESSION | PERFMON },
};

/* All but the size bits count: a struct may grow. */
#define CMD_MASK	(~((unsigned int)_IOC_SIZEMASK << _IOC_SIZESHIFT))

static const struct op *chardev_find_op(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (nr >= ARRAY_SIZE(ops))
		return NULL;
	nr = array_index_nospec(nr, ARRAY_SIZE(ops));
	return (ops[nr].cmd ^ cmd) & CMD_MASK ? NULL : &ops[nr];
}

static long chardev_call(const struct op *op, struct lw_session *session, void __user *user)
{
	u32 known = _IOC_SIZE(op->cmd), size;
	union arg arg = {};
	long ret;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < op->min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&arg, known, user, size);
	if (ret)
		return ret;
	if (arg.flags & ~op->flags)
		return -EINVAL;
	ret = op->needs & PERFMON ? lw_compat_may_trace() : 0;
	if (ret)
		return ret;
	if (op->needs & SET_UP && !lw_session_is_set_up(session))
		return -EBADFD;
	ret = chardev_run(op->cmd, session, &arg);
	if (ret >= 0 && _IOC_DIR(op->cmd) & _IOC_READ && copy_to_user(user, &arg, min(size, known)))
		return -EFAULT;
	return ret;
}

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	struct lw_session *session = file->private_data;
	const struct op *op = chardev_find_op(cmd);

	if (!op)
		return -ENOTTY;
	if (op->needs & SESSION && !session)
		return -EBADF;
	return chardev_call(op, session, (void __user *)address);
}

/* No page is waited for: see the top of this file. */
static long chardev_proc_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	const struct op *op = chardev_find_op(cmd);
	long ret;

	if (!op || !(op->needs & PROC))
		return -ENOTTY;
	pagefault_disable();
	ret = chardev_call(op, NULL, (void __user *)address);
	pagefault_enable();
	return ret;
}

static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct lw_session *session = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 cpu = offset / LW_MMAP_STRIDE;

	if (!session || !lw_session_is_set_up(session))
		return -EBADFD;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (offset != LW_MMAP_CONSUMER(cpu) && offset != LW_MMAP_PRODUCER(cpu))
		return -EINVAL;
	return lw_ring_mmap(&session->rings[cpu], vma, offset == LW_MMAP_PRODUCER(cpu));
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	if (!file->private_data)
		return EPOLLERR;
	return lw_session_poll(file->private_data, file, wait);
}

/*
 * Checks more than the mode of the node: an open file keeps the module from being unloaded, so
 * the opener must have a use for it.  A file that can't be read has no session.
 */
static int chardev_open(struct inode *inode, struct file *file)
{
	struct lw_session *session;
	int ret;

	file->private_data = NULL;
	ret = lw_compat_may_trace();
	if (!(file->f_mode & FMODE_READ))
		return !ret || capable(CAP_SYS_PTRACE) ? nonseekable_open(inode, file) : ret;
	if (ret)
		return ret;
	session = lw_session_create();
	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int chardev_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		lw_session_destroy(file->private_data);
	return 0;
}

static const struct file_operations fops = {
	.owner		= THIS_MODULE,
	.open		= chardev_open,
	.release	= chardev_release,
	.unlocked_ioctl	= chardev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= chardev_mmap,
	.poll		= chardev_poll,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "latewind",
	.fops	= &fops,
	.mode	= 0600,
};

#ifdef CONFIG_COMPAT
static long chardev_proc_compat_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	return chardev_proc_ioctl(file, cmd, (unsigned long)compat_ptr(address));
}
#endif

static const struct proc_ops proc_fops = {
	.proc_ioctl	= chardev_proc_ioctl,
#ifdef CONFIG_COMPAT
	.proc_compat_ioctl = chardev_proc_compat_ioctl,
#endif
};

/* Waits for the calls that run, and tells them to give up. */
static void chardev_remove_proc(void)
{
	lw_rows_abort();
	remove_proc_entry(PROC_NAME, NULL);
}

/**
 * lw_chardev_init - make the nodes; users may come from here on
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of misc_register(), -ENOMEM.
 */
int lw_chardev_init(void)
{
	int ret;

	if (!proc_create(PROC_NAME, 0444, NULL, &proc_fops) && IS_ENABLED(CONFIG_PROC_FS))
		return -ENOMEM;
	/* Last: from here on the device may be open, and init must not fail any more. */
	ret = misc_register(&device);
	if (ret)
		chardev_remove_proc();
	return ret;
}

/**
 * lw_chardev_exit - remove the nodes; the device is not open
 *
 * When this returns no call through /proc/latewind runs.
 *
 * Context: process, may sleep.
 */
void lw_chardev_exit(void)
{
	chardev_remove_proc();
	misc_deregister(&device);
}
