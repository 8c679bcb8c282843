// SPDX-License-Identifier: GPL-2.0
/*
 * chardev.c - /dev/latewind: open, the table of ioctls, mmap, poll; and /proc/latewind.
 *
 * Copies arguments in and out and checks their sizes, flags and reserved
 * fields; what they mean is checked by whoever does it.
 *
 * The device is for tracers: its mode is 0600, and who has it open pins the module.  What
 * every program may do, to register sections for its own code, is done by way of a file of
 * /proc, which containers see, too.  Such a file pins nothing: rmmod takes it away from who
 * has it open, and waits for the calls that run.  So none of these may wait for anything that
 * a program decides over: memory of its own (a page of FUSE or userfaultfd), or its mmap_lock.
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

#include "chardev.h"
#include "compat/mmu_notifier.h"
#include "compat/syscall.h"
#include "compat/tracepoint.h"
#include "core/session.h"
#include "event/event_perf.h"
#include "event/event_syscall.h"
#include "query/task_list.h"
#include "query/vma_query.h"
#include "unwind/missing.h"
#include "unwind/registered.h"
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
};

static long chardev_info(struct lw_session *session, union arg *arg)
{
	arg->info = (struct lw_info) {
		.size = sizeof(arg->info),
		.abi_version = LW_ABI_VERSION,
		.nr_rings = nr_cpu_ids,
		.features = LW_FEATURE_SFRAME_V2 | LW_FEATURE_SFRAME_V3 |
			    LW_FEATURE_FP | LW_FEATURE_SIGFRAME |
			    LW_FEATURE_PERF_EVENTS | LW_FEATURE_REQUEST |
			    LW_FEATURE_MASK | LW_FEATURE_FILTER |
			    LW_FEATURE_OVERWRITE | LW_FEATURE_SYSCALLS |
			    LW_FEATURE_CHILDREN | LW_FEATURE_TABLES |
			    (LW_COMPAT_REGISTRY ? LW_FEATURE_SECTIONS : 0) |
			    LW_FEATURE_COMPAT_FP | LW_FEATURE_VMA_QUERY |
			    LW_FEATURE_VMA_LIST | LW_FEATURE_MODULES |
			    LW_FEATURE_TASK_LIST | LW_FEATURE_FILES |
			    (IS_ENABLED(CONFIG_CGROUPS) ? LW_FEATURE_CGROUP :
			     0) |
			    (LW_COMPAT_SYSCALLS_FAULT ? LW_FEATURE_FAULTABLE :
			     0) |
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

static long chardev_setup(struct lw_session *session, union arg *arg)
{
	return lw_session_setup(session, &arg->setup);
}

static long chardev_add_event(struct lw_session *session, union arg *arg)
{
	return lw_event_add(session, &arg->add);
}

static long chardev_enable(struct lw_session *session, union arg *arg)
{
	return lw_session_enable(session, true);
}

static long chardev_disable(struct lw_session *session, union arg *arg)
{
	return lw_session_enable(session, false);
}

static long chardev_request(struct lw_session *session, union arg *arg)
{
	if (!lw_session_is_set_up(session))
		return -EBADFD;
	return lw_event_request(session, &arg->request);
}

static long chardev_stats(struct lw_session *session, union arg *arg)
{
	arg->size = sizeof(arg->stats);
	lw_session_stats(session, &arg->stats);
	return 0;
}

static long chardev_filter(struct lw_session *session, union arg *arg)
{
	return lw_session_filter(session, &arg->filter);
}

static long chardev_add_syscall(struct lw_session *session, union arg *arg)
{
	return lw_syscall_add(session, &arg->syscall);
}

static long chardev_add_table(struct lw_session *session, union arg *arg)
{
	int ret;

	if (!lw_session_is_set_up(session))
		return -EBADFD;
	ret = lw_tables_add(&session->tables, &arg->table);
	if (ret == -ENOSPC || ret == -EPERM || ret == -ENOMEM)
		lw_session_count(session, LW_STAT_TABLES_REFUSED);
	return ret;
}

static long chardev_add_section(struct lw_session *session, union arg *arg)
{
	return lw_registry_add(&arg->section);
}

static long chardev_remove_section(struct lw_session *session, union arg *arg)
{
	return lw_registry_remove(&arg->section);
}

static long chardev_vma_query(struct lw_session *session, union arg *arg)
{
	return lw_vma_query(&arg->vma);
}

static long chardev_vma_list(struct lw_session *session, union arg *arg)
{
	return lw_vma_list(&arg->vmas);
}

static long chardev_task_list(struct lw_session *session, union arg *arg)
{
	return lw_task_list(&arg->tasks);
}

static long chardev_next_file(struct lw_session *session, union arg *arg)
{
	return lw_session_is_set_up(session) ?
	       lw_missing_next(&session->missing, &arg->file) : -EBADFD;
}

static long chardev_file_done(struct lw_session *session, union arg *arg)
{
	return lw_session_is_set_up(session) ?
	       lw_missing_done(&session->missing, &arg->done) : -EBADFD;
}

/*
 * Who may make a call.  A descriptor may have been handed on, so what gives more than its
 * opener had asked for is checked at each call.
 */
enum who {
	SESSION,			/* whoever has one */
	OPENER,				/* whoever has the device open: it takes none */
	ANYBODY,			/* and by /proc/latewind, too */
	PERFMON,			/* as SESSION, and CAP_PERFMON */
};

/**
 * struct op - an ioctl
 * @cmd: its number, with the size of the struct that we know
 * @min_size: of the first published version of the struct
 * @flags: that we know
 * @run: does it; @arg goes back to the caller unless it fails
 * @who: may do it
 */
struct op {
	unsigned int	cmd;
	u32		min_size;
	u32		flags;
	long (*run)(struct lw_session *session, union arg *arg);
	enum who	who;
};

static const struct op ops[] = {
	{ LW_IOC_INFO, 64, 0, chardev_info, ANYBODY },
	{ LW_IOC_SETUP, 32, LW_SETUP_FLAGS, chardev_setup, SESSION },
	{ LW_IOC_ADD_EVENT, 40, 0, chardev_add_event, PERFMON },
	{ LW_IOC_ENABLE, 8, 0, chardev_enable, PERFMON },
	{ LW_IOC_DISABLE, 8, 0, chardev_disable, SESSION },
	{ LW_IOC_REQUEST, 24, LW_REQUEST_SAMPLE, chardev_request, SESSION },
	{ LW_IOC_STATS, 160, 0, chardev_stats, SESSION },
	{ LW_IOC_FILTER, 32, LW_FILTER_FLAGS, chardev_filter, PERFMON },
	{ LW_IOC_ADD_SYSCALL, 32, LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT |
				  LW_SYSCALL_STACK, chardev_add_syscall, PERFMON },
	{ LW_IOC_ADD_TABLE, 64, LW_TABLE_VDSO, chardev_add_table, PERFMON },
	{ LW_IOC_ADD_SECTION, 48, 0, chardev_add_section, ANYBODY },
	{ LW_IOC_REMOVE_SECTION, 48, 0, chardev_remove_section, ANYBODY },
	{ LW_IOC_VMA_QUERY, 104, LW_VMA_QUERY_FLAGS, chardev_vma_query, OPENER },
	{ LW_IOC_VMA_LIST, 40, LW_VMA_LIST_FLAGS, chardev_vma_list, OPENER },
	{ LW_IOC_TASK_LIST, 32, 0, chardev_task_list, OPENER },
	{ LW_IOC_NEXT_FILE, 72, 0, chardev_next_file, SESSION },
	{ LW_IOC_FILE_DONE, 16, 0, chardev_file_done, SESSION },
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

static int chardev_copy_in(const struct op *op, union arg *arg, void __user *user,
			   u32 *size)
{
	int ret;

	if (get_user(*size, (u32 __user *)user))
		return -EFAULT;
	if (*size < op->min_size)
		return -EINVAL;
	if (*size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(arg, _IOC_SIZE(op->cmd), user, *size);
	if (ret)
		return ret;
	return arg->flags & ~op->flags ? -EINVAL : 0;
}

static int chardev_copy_out(const struct op *op, const union arg *arg, void __user *user, u32 size)
{
	if (!(_IOC_DIR(op->cmd) & _IOC_READ))
		return 0;
	size = min_t(u32, size, _IOC_SIZE(op->cmd));
	return copy_to_user(user, arg, size) ? -EFAULT : 0;
}

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	void __user *user = (void __user *)address;
	struct lw_session *session = file->private_data;
	const struct op *op = chardev_find_op(cmd);
	union arg arg = {};
	u32 size;
	long ret;

	if (!op)
		return -ENOTTY;
	if (!session && op->who != ANYBODY && op->who != OPENER)
		return -EBADF;
	ret = chardev_copy_in(op, &arg, user, &size);
	if (ret)
		return ret;
	if (op->who == PERFMON && !perfmon_capable())
		return -EPERM;
	ret = op->run(session, &arg);
	return ret < 0 ? ret : chardev_copy_out(op, &arg, user, size) ?: ret;
}

/* What is not resident is not waited for, see above. */
static long chardev_proc_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	void __user *user = (void __user *)address;
	const struct op *op = chardev_find_op(cmd);
	union arg arg = {};
	u32 size;
	long ret;

	if (!op || op->who != ANYBODY)
		return -ENOTTY;
	pagefault_disable();
	ret = chardev_copy_in(op, &arg, user, &size);
	pagefault_enable();
	if (ret)
		return ret;
	ret = op->run(NULL, &arg);
	if (ret < 0)
		return ret;
	pagefault_disable();
	ret = chardev_copy_out(op, &arg, user, size) ?: ret;
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
	if (offset == LW_MMAP_CONSUMER(cpu))
		return lw_ring_mmap_consumer(&session->rings[cpu], vma);
	if (offset == LW_MMAP_PRODUCER(cpu))
		return lw_ring_mmap_producer(&session->rings[cpu], vma);
	return -EINVAL;
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	if (!file->private_data)
		return EPOLLERR;
	return lw_session_poll(file->private_data, file, wait);
}

/*
 * Whom the node's mode lets in, and only who has a use for it: an open file keeps the module
 * from being unloaded.  Those who can't read have no session.
 */
static int chardev_open(struct inode *inode, struct file *file)
{
	struct lw_session *session;

	file->private_data = NULL;
	if (!(file->f_mode & FMODE_READ))
		return perfmon_capable() || capable(CAP_SYS_PTRACE) ?
		       nonseekable_open(inode, file) : -EPERM;
	if (!perfmon_capable())
		return -EPERM;
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

/* Waits for the calls that run. */
static void chardev_remove_proc(void)
{
	lw_registered_leave();
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
	/* Last: who has that open is not waited for if this fails. */
	ret = misc_register(&device);
	if (ret)
		chardev_remove_proc();
	return ret;
}

/**
 * lw_chardev_exit - remove the nodes; nobody has the device open
 *
 * When this returns no call runs that came by the file of /proc.
 *
 * Context: process, may sleep.
 */
void lw_chardev_exit(void)
{
	chardev_remove_proc();
	misc_deregister(&device);
}
