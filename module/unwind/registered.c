// SPDX-License-Identifier: GPL-2.0
/*
 * registered.c - sections for code that processes make: registered by themselves, or by sessions.
 *
 * A process that registers its first section gets a registry.  A hash finds the registry by
 * the address of the mm.  An MMU notifier ties the registry to the mm: munmap(), mremap() and
 * mmap() over a mapping drop the sections that they touch before anything else can be mapped
 * there, and the end of the mm drops the registry.  A child of fork() begins without registry:
 * a notifier for the child would take all locks of its memory at each fork().
 *
 * A session that adds sections for another process has a registry of its own for the mm, so that
 * a process has up to one registry for itself and one for each session.  All registries of an mm
 * are in one bucket of the hash.  The end of a session unhashes its registries, as the end of the
 * mm does.
 *
 * lw_registry_add() checks the text and publishes the section under mmap_lock for reading.
 * munmap() removes mappings under mmap_lock for writing, and calls the notifier before it
 * unlocks.  So either lw_registry_add() sees that the text is gone, or the notifier sees the
 * section.
 *
 * Memory is charged before it is allocated, as any number of threads may register at once.
 * All processes of a user share RLIMIT_MEMLOCK, as with pages pinned by io_uring or AF_XDP.
 * The registry holds the credentials of its maker, since free_uid() is not exported everywhere:
 * sections of a session are charged to the user of the session's task, not to the process.
 *
 * Context of all functions, unless stated otherwise: process, may sleep.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/interval_tree.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "arch.h"
#include "compat/mmap_lock.h"
#include "compat/mmu_notifier.h"
#include "latewind.h"
#include "nearby.h"
#include "registered.h"
#include "rows.h"

#if LW_COMPAT_REGISTRY

#define REGISTRY_BITS	8
/* Attempts to take mmap_lock: half a second. */
#define LOCK_TRIES	200
/* FDEs and rows checked between two calls of lw_rows_pause(), and up to the function's end. */
#define CHECK_AT_ONCE	1024

static unsigned long section_bytes = 64UL << 20;
module_param(section_bytes, ulong, 0644);
MODULE_PARM_DESC(section_bytes,
		 "Memory for registered sections of a process (default 64 MiB)");

static unsigned long code_bytes = 256UL << 20;
module_param(code_bytes, ulong, 0644);
MODULE_PARM_DESC(code_bytes, "Memory for all sections of LW_IOC_ADD_CODE (default 256 MiB)");

/* What sessions have of @code_bytes. */
static atomic64_t code_used = ATOMIC64_INIT(0);

/**
 * struct section - a section of a registry
 * @rows: the copied bytes
 * @text: the addresses that the section is for; in registry.sections
 */
struct section {
	struct lw_rows	rows;
	struct interval_tree_node text;
};

/**
 * struct registry - the sections of an mm
 * @notifier: of the mm; owns the registry from registry_make_own() on
 * @hash: in registries; protected by registries_lock, RCU for reading
 * @owner: the session that adds the sections; NULL: the process itself
 * @id: a number that no other registry ever has
 * @cred: of the task that made the registry; its user is charged
 * @rcu: for kfree_rcu()
 * @lock: protects the members below
 * @sections: struct section.text; no two overlap
 * @changes: a number that no change of another registry has; a greater one after each section that
 *	was added or dropped
 * @nr: sections, and those that are being copied
 * @memory: bytes of these, charged as pages to the user and, for VmPin, to the mm if the process
 *	registers them itself
 */
struct registry {
	struct mmu_notifier notifier;
	struct hlist_node hash;
	const void	*owner;
	u64		id;
	const struct cred *cred;
	struct rcu_head	rcu;

	spinlock_t	lock;	/* see above */
	struct rb_root_cached sections;
	u64		changes;
	u32		nr;
	u64		memory;
};

static DEFINE_HASHTABLE(registries, REGISTRY_BITS);
static DEFINE_SPINLOCK(registries_lock);
/* The last number given to a registry or a change. */
static atomic64_t last_change = ATOMIC64_INIT(0);
/* Registries that are not freed yet, hashed or not. */
static atomic_t nr_registries;
static DECLARE_WAIT_QUEUE_HEAD(all_gone);

static const struct mmu_notifier_ops registry_notifier_ops;

/* Return: a registry that current makes, or NULL. */
static struct registry *registry_alloc(const void *owner)
{
	struct registry *registry = kzalloc(sizeof(*registry), GFP_KERNEL_ACCOUNT);

	if (!registry)
		return NULL;
	atomic_inc(&nr_registries);
	spin_lock_init(&registry->lock);
	registry->sections = RB_ROOT_CACHED;
	registry->owner = owner;
	registry->id = atomic64_inc_return(&last_change);
	registry->changes = registry->id;
	registry->notifier.ops = &registry_notifier_ops;
	registry->cred = get_current_cred();
	return registry;
}

/* Context: does not sleep. */
static void registry_free(struct registry *registry)
{
	put_cred(registry->cred);
	kfree_rcu(registry, rcu);
	if (atomic_dec_and_test(&nr_registries))
		wake_up_all(&all_gone);
}

/* Processes without notifiers pay no more than this look. */
static bool registry_may_be_there(struct mm_struct *mm)
{
	/* If another thread makes a registry meanwhile, this call is ordered before that. */
	return data_race(mm_has_notifiers(mm));
}

/*
 * Return: the registry of an mm that the session @owner has, or NULL: the process itself; or
 * NULL.  The registry stays while the caller has a reference to the mm's users, the session is
 * open and the module is loaded.
 */
static struct registry *registry_find(struct mm_struct *mm, const void *owner)
{
	struct registry *registry, *found = NULL;

	if (!registry_may_be_there(mm))
		return NULL;
	rcu_read_lock();
	hash_for_each_possible_rcu(registries, registry, hash, (unsigned long)mm) {
		if (registry->notifier.mm == mm && registry->owner == owner) {
			found = registry;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct registry *registry_own(void)
{
	return registry_find(current->mm, NULL);
}

/* Return: was @registry hashed?  Then the caller calls registry_end(). */
static bool registry_unhash(struct registry *registry)
{
	bool hashed;

	spin_lock(&registries_lock);
	hashed = hash_hashed(&registry->hash);
	hash_del_rcu(&registry->hash);
	spin_unlock(&registries_lock);
	return hashed;
}

/* Charging */

static unsigned long registry_pages(u64 memory)
{
	return DIV_ROUND_UP(memory, PAGE_SIZE);
}

/* Return: 0, or -EPERM: the user would have more than @limit pages. */
static int registry_charge_user(struct registry *registry, unsigned long pages,
				unsigned long limit)
{
	atomic_long_t *locked = &registry->cred->user->locked_vm;
	long old = atomic_long_read(locked);

	do {
		if (pages && old + pages > limit)
			return -EPERM;
	} while (!atomic_long_try_cmpxchg(locked, &old, old + pages));
	return 0;
}

/*
 * Processes decide how much their tracers have to add for them, and their number has no bound.
 *
 * Return: false if sessions would have more than code_bytes.
 */
static bool registry_charge_session(struct registry *registry, u64 bytes)
{
	if (!registry->owner || atomic64_add_return(bytes, &code_used) <= READ_ONCE(code_bytes))
		return true;
	atomic64_sub(bytes, &code_used);
	return false;
}

static void registry_uncharge_session(struct registry *registry, u64 bytes)
{
	if (registry->owner)
		atomic64_sub(bytes, &code_used);
}

/* Charges a section that is about to be made.  Return: 0, -ENOSPC, -EPERM. */
static int registry_charge(struct registry *registry, u64 bytes)
{
	unsigned long limit = ULONG_MAX, pages;
	u64 most = READ_ONCE(section_bytes);
	int ret = -ENOSPC;

	if (!ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK))
		limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	if (!registry_charge_session(registry, bytes))
		return -ENOSPC;
	spin_lock(&registry->lock);
	pages = registry_pages(registry->memory + bytes) - registry_pages(registry->memory);
	if (registry->nr < LW_MAX_SECTIONS && bytes <= most && registry->memory <= most - bytes)
		ret = registry_charge_user(registry, pages, limit);
	if (!ret) {
		registry->nr++;
		registry->memory += bytes;
		if (!registry->owner)
			atomic64_add(pages, &registry->notifier.mm->pinned_vm);
	}
	spin_unlock(&registry->lock);
	if (ret)
		registry_uncharge_session(registry, bytes);
	return ret;
}

static void registry_uncharge(struct registry *registry, u64 bytes)
{
	unsigned long pages;

	lockdep_assert_held(&registry->lock);
	pages = registry_pages(registry->memory) - registry_pages(registry->memory - bytes);
	registry->nr--;
	registry->memory -= bytes;
	registry_uncharge_session(registry, bytes);
	atomic_long_sub(pages, &registry->cred->user->locked_vm);
	if (!registry->owner)
		atomic64_sub(pages, &registry->notifier.mm->pinned_vm);
}

/* Look-up and drop */

/* Return: the first section with an address from @start to @last, or NULL. */
static struct section *registry_first(struct registry *registry, u64 start, u64 last)
{
	struct interval_tree_node *text;

	lockdep_assert_held(&registry->lock);
	text = interval_tree_iter_first(&registry->sections, start, last);
	return text ? container_of(text, struct section, text) : NULL;
}

static void registry_note_change(struct registry *registry)
{
	lockdep_assert_held(&registry->lock);
	/* Pairs with lw_registry_changes().  The number is taken behind the change, under lock. */
	WRITE_ONCE(registry->changes, atomic64_inc_return(&last_change));
}

static void registry_drop(struct registry *registry, struct section *section)
{
	lockdep_assert_held(&registry->lock);
	interval_tree_remove(&section->text, &registry->sections);
	registry_note_change(registry);
	registry_uncharge(registry, section->rows.memory);
	lw_rows_put(&section->rows);
}

/*
 * Drops all sections with an address from @start to @last.  The lock is given back after each,
 * as there may be 65,536.  None is added meanwhile: see the head of this file.
 *
 * @may_wait: for the lock, which may sleep on PREEMPT_RT
 *
 * Context: any but NMI and hardirq.
 * Return: false if the lock was not free and @may_wait is false: some sections may be left.
 */
static bool registry_drop_range(struct registry *registry, u64 start, u64 last, bool may_wait)
{
	struct section *section;

	do {
		if (may_wait)
			spin_lock(&registry->lock);
		else if (!spin_trylock(&registry->lock))
			return false;
		section = registry_first(registry, start, last);
		if (section)
			registry_drop(registry, section);
		spin_unlock(&registry->lock);
	} while (section);
	return true;
}

/* Frees a registry that was unhashed.  Context: does not sleep. */
static void registry_end(struct registry *registry)
{
	registry_drop_range(registry, 0, ULONG_MAX, true);
	mmu_notifier_put(&registry->notifier);
}

/* The mm ends.  Context: may race with lw_registry_exit() and registry_range_gone(). */
static void registry_mm_released(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct registry *registry = container_of(notifier, struct registry, notifier);

	if (registry_unhash(registry))
		registry_end(registry);
}

/*
 * The OOM killer's reaper must not sleep, as it might for the lock on PREEMPT_RT.  There it is told
 * -EAGAIN if somebody has the lock, and comes again.
 *
 * Context: mmap_lock, or locks of the reverse mapping, or locks of the OOM killer are held;
 * does not sleep.
 * Return: 0, or -EAGAIN.
 */
static int registry_range_gone(struct mmu_notifier *notifier,
			       const struct mmu_notifier_range *range)
{
	struct registry *registry = container_of(notifier, struct registry, notifier);
	bool may_wait = mmu_notifier_range_blockable(range) || !IS_ENABLED(CONFIG_PREEMPT_RT);

	if (range->event != MMU_NOTIFY_UNMAP ||
	    registry_drop_range(registry, range->start, range->end - 1, may_wait))
		return 0;
	return -EAGAIN;
}

/* All callbacks of the notifier have returned.  Context: SRCU callback, does not sleep. */
static void registry_notifier_free(struct mmu_notifier *notifier)
{
	registry_free(container_of(notifier, struct registry, notifier));
}

static const struct mmu_notifier_ops registry_notifier_ops = {
	.release		= registry_mm_released,
	.invalidate_range_start	= registry_range_gone,
	.free_notifier		= registry_notifier_free,
};

/* Making a registry */

/*
 * Takes mmap_lock of a process.  A thread of the process may hold the lock for as long as it
 * likes, in an mmap() of a FUSE file, say, and rmmod may wait for this call.  So it does not wait
 * for the lock, but tries again for half a second.
 *
 * Return: 0, -EAGAIN, -EINTR (killed), -ENODEV (the module is unloaded).
 */
static int registry_lock_mm(struct mm_struct *mm, bool (*trylock)(struct mm_struct *mm))
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < LOCK_TRIES && !ret; i++) {
		if (trylock(mm))
			return 0;
		/* Most holders give the lock back in some microseconds. */
		if (i < LOCK_TRIES / 2)
			usleep_range(20, 100);
		else
			schedule_timeout_killable(1);
		ret = lw_rows_pause();
	}
	return ret ?: -EAGAIN;
}

/*
 * __mmu_notifier_register() waits, with locks that all processes need, for page faults that
 * the process has under way without mmap_lock.  A write to a shared mapping waits for the
 * file system.  If that is a program's (FUSE) or another machine's, it may never answer.
 */
static bool registry_may_hang(struct mm_struct *mm)
{
	struct vm_area_struct *vma;

	lockdep_assert_held_write(&mm->mmap_lock);
	for (vma = find_vma(mm, 0); vma; vma = find_vma(mm, vma->vm_end))
		if (vma->vm_flags & VM_SHARED && vma->vm_file && vma->vm_ops &&
		    (vma->vm_ops->page_mkwrite || vma->vm_ops->pfn_mkwrite) &&
		    !lw_is_nearby(file_inode(vma->vm_file)))
			return true;
	return false;
}

/* Return: 0 or -errno. */
static int registry_publish(struct registry *registry, struct mm_struct *mm)
{
	int ret;

	if (registry_may_hang(mm))
		return -EOPNOTSUPP;
	ret = __mmu_notifier_register(&registry->notifier, mm);
	/* A signal was pending: the call is made again after its handler. */
	if (ret)
		return ret == -EINTR ? -ERESTARTNOINTR : ret;
	spin_lock(&registries_lock);
	hash_add_rcu(registries, &registry->hash, (unsigned long)mm);
	spin_unlock(&registries_lock);
	return 0;
}

/*
 * @mm: of current, or with a reference to its users
 *
 * Return: the registry of @mm and @owner, made here or by another thread meanwhile; or ERR_PTR().
 */
static struct registry *registry_make(struct mm_struct *mm, const void *owner)
{
	struct registry *registry, *other = NULL;
	int ret;

	registry = registry_alloc(owner);
	if (!registry)
		return ERR_PTR(-ENOMEM);
	ret = registry_lock_mm(mm, lw_compat_mmap_write_trylock);
	if (!ret) {
		other = registry_find(mm, owner);
		if (!other)
			ret = registry_publish(registry, mm);
		mmap_write_unlock(mm);
	}
	if (!other && !ret)
		return registry;
	registry_free(registry);
	return ret ? ERR_PTR(ret) : other;
}

/* Making a section */

/*
 * Look-ups check all that they use.  This check is for the caller, who is told of an error now.
 *
 * Return: 0, -EINVAL, or as lw_rows_pause().
 */
static int section_check(const struct lw_sframe *sf)
{
	/* More functions and rows than a section has, unless functions share rows. */
	u32 left = min_t(u64, sf->src->size, U32_MAX), paused = left;
	int ret;
	u32 i;

	for (i = 0; left && i < sf->num_fdes; i++) {
		if (lw_sframe_is_corrupt(lw_sframe_check_fde(sf, i, &left)))
			return -EINVAL;
		if (paused - left < CHECK_AT_ONCE)
			continue;
		ret = lw_rows_pause();
		if (ret)
			return ret;
		paused = left;
	}
	return 0;
}

/*
 * @of_session: pages that are not resident are waited for, and rows may have what those of tables
 *	have.  A process that registers for itself does not wait, as rmmod may wait for the call.
 *
 * Return: 0 or -errno, as the uapi header says.
 */
static int section_fill(struct section *section, const struct lw_section *arg, bool of_session)
{
	const struct lw_sframe_place place = {
		.paths = of_session,
		.addr = arg->base ?: lw_arch_address(arg->addr),
		.text_start = arg->text_start,
		.text_end = arg->text_start + arg->text_size,
	};
	int ret = lw_rows_fill(&section->rows, arg->addr, of_session, &place);

	section->text.start = place.text_start;
	section->text.last = place.text_end - 1;
	if (ret)
		return ret < 0 ? ret : -EINVAL;
	return section_check(&section->rows.sframe);
}

/* Is all of the text mapped, and executable? */
static bool section_is_of_code(const struct section *section, struct mm_struct *mm)
{
	u64 at = section->text.start;
	struct vm_area_struct *vma;

	lockdep_assert_held(&mm->mmap_lock);
	while (at <= section->text.last) {
		vma = find_vma(mm, at);
		if (!vma || vma->vm_start > at || !(vma->vm_flags & VM_EXEC))
			return false;
		at = vma->vm_end;
	}
	return true;
}

/* Return: 0 or -errno, as the uapi header says. */
static int section_publish(struct section *section, struct registry *registry)
{
	struct mm_struct *mm = registry->notifier.mm;
	int ret = registry_lock_mm(mm, mmap_read_trylock);
	bool is_code;

	if (ret)
		return ret;
	/* Any number of mappings: without the spinlock.  mmap_lock keeps the answer true. */
	is_code = section_is_of_code(section, mm);
	/* A JIT has made new code where other code was. */
	if (is_code && registry->owner)
		registry_drop_range(registry, section->text.start, section->text.last, true);
	spin_lock(&registry->lock);
	if (!is_code) {
		ret = -EACCES;
	} else if (registry_first(registry, section->text.start, section->text.last)) {
		ret = -EEXIST;
	} else {
		interval_tree_insert(&section->text, &registry->sections);
		registry_note_change(registry);
	}
	spin_unlock(&registry->lock);
	mmap_read_unlock(mm);
	return ret;
}

/* Adds a section that is charged.  Return: 0 or -errno, as the uapi header says. */
static int section_add(struct registry *registry, const struct lw_section *arg)
{
	struct section *section;
	int ret;

	lw_rows_free_unused();
	section = lw_rows_alloc(sizeof(*section), arg->len);
	if (!section)
		return -ENOMEM;
	ret = section_fill(section, arg, registry->owner);
	if (!ret)
		ret = section_publish(section, registry);
	if (ret)
		lw_rows_put(&section->rows);
	return ret;
}

static int section_check_text(const struct lw_section *arg)
{
	u64 end;

	return !arg->text_size || check_add_overflow(arg->text_start, arg->text_size, &end) ?
	       -EINVAL : 0;
}

static int section_check_bytes(const struct lw_section *arg)
{
	u64 end;

	if (!arg->len || check_add_overflow(arg->base ?: arg->addr, arg->len, &end))
		return -EINVAL;
	return arg->len > LW_ROWS_MAX || arg->len > READ_ONCE(section_bytes) ? -ENOSPC : 0;
}

/* Charges and adds a section.  Return: 0 or -errno, as the uapi header says. */
static int registry_add(struct registry *registry, const struct lw_section *arg)
{
	u64 memory = lw_rows_memory(sizeof(struct section), arg->len);
	int ret = registry_charge(registry, memory);

	if (ret)
		return ret;
	ret = section_add(registry, arg);
	if (ret) {
		spin_lock(&registry->lock);
		registry_uncharge(registry, memory);
		spin_unlock(&registry->lock);
	}
	return ret;
}

static int registry_check_own(const struct lw_section *arg)
{
	return section_check_text(arg) ?: in_compat_syscall() ? -EOPNOTSUPP : 0;
}

/**
 * lw_registry_add - LW_IOC_ADD_SECTION
 * @arg: as the uapi header says
 *
 * Return: 0 or -errno, as the uapi header says; -ERESTARTNOINTR.
 */
long lw_registry_add(const struct lw_section *arg)
{
	struct registry *registry;
	int ret;

	ret = registry_check_own(arg) ?: section_check_bytes(arg);
	if (ret)
		return ret;
	registry = registry_own() ?: registry_make(current->mm, NULL);
	return IS_ERR(registry) ? PTR_ERR(registry) : registry_add(registry, arg);
}

/**
 * lw_registry_remove - LW_IOC_REMOVE_SECTION
 * @arg: as the uapi header says
 *
 * Return: 0 or -errno, as the uapi header says.
 */
long lw_registry_remove(const struct lw_section *arg)
{
	struct registry *registry;
	struct section *section;
	int ret;

	ret = registry_check_own(arg);
	if (ret)
		return ret;
	registry = registry_own();
	if (!registry)
		return -ENOENT;
	spin_lock(&registry->lock);
	section = registry_first(registry, arg->text_start, arg->text_start);
	if (section && section->text.start == arg->text_start &&
	    section->text.last == arg->text_start + arg->text_size - 1)
		registry_drop(registry, section);
	else
		ret = -ENOENT;
	spin_unlock(&registry->lock);
	lw_rows_free_unused();
	return ret;
}

/* Sessions */

/* Return: the memory of a process, for mmput(); or ERR_PTR(-ESRCH). */
static struct mm_struct *registry_mm_of(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm = NULL;

	put_pid(pid);
	if (task) {
		/* It reads flags of the task that execve() and exit() set without a lock. */
		mm = data_race(get_task_mm(task));
		put_task_struct(task);
	}
	return mm ?: ERR_PTR(-ESRCH);
}

/* Return: the registry of a session that @arg names; or ERR_PTR(). */
static struct registry *registry_of(struct mm_struct *mm, const void *owner,
				    const struct lw_code *arg)
{
	struct registry *registry = registry_find(mm, owner);

	if (arg->memory)
		return registry && registry->id == arg->memory ? registry : ERR_PTR(-ESRCH);
	return registry ?: registry_make(mm, owner);
}

/* Return: 0 or -errno, as the uapi header says. */
static int registry_take_code(struct mm_struct *mm, const void *owner, struct lw_code *arg,
			      const struct lw_section *section)
{
	struct registry *registry = registry_of(mm, owner, arg);

	if (IS_ERR(registry))
		return PTR_ERR(registry);
	arg->memory = registry->id;
	if (arg->len)
		return registry_add(registry, section);
	if (arg->text_size)
		registry_drop_range(registry, arg->text_start,
				    arg->text_start + arg->text_size - 1, true);
	return 0;
}

/**
 * lw_registry_add_code - LW_IOC_ADD_CODE
 * @owner: the session of the caller
 * @arg: as the uapi header says; @arg->memory is out, too
 *
 * Return: 0 or -errno, as the uapi header says; -ERESTARTNOINTR.
 */
long lw_registry_add_code(const void *owner, struct lw_code *arg)
{
	const struct lw_section section = {
		.addr = arg->addr,
		.len = arg->len,
		.text_start = arg->text_start,
		.text_size = arg->text_size,
		.base = arg->text_start,
	};
	struct mm_struct *mm;
	int ret = 0;

	if (arg->reserved || arg->pid <= 0)
		return -EINVAL;
	if (arg->text_start || arg->text_size || arg->len)
		ret = section_check_text(&section);
	if (!ret && arg->len)
		ret = section_check_bytes(&section);
	if (ret)
		return ret;
	if (!capable(CAP_SYS_PTRACE))
		return -EPERM;
	mm = registry_mm_of(arg->pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	ret = registry_take_code(mm, owner, arg, &section);
	mmput(mm);
	lw_rows_free_unused();
	return ret;
}

/* Walks */

/**
 * lw_registry_changes - a number that changes with the sections for current
 *
 * All numbers are of one counter, so the greatest one stays the same only while all registries of
 * the mm do.  A registry that goes with its session changes none of them, but lw_unwind_forget(),
 * which follows, makes walks forget all that they know.
 *
 * Context: task, does not sleep.
 * Return: 0 if there is no registry for current; another number after each section that was added
 * or dropped.
 */
u64 lw_registry_changes(void)
{
	struct mm_struct *mm = current->mm;
	struct registry *registry;
	u64 changes = 0;

	if (!registry_may_be_there(mm))
		return 0;
	rcu_read_lock();
	hash_for_each_possible_rcu(registries, registry, hash, (unsigned long)mm) {
		if (registry->notifier.mm == mm)
			changes = max(changes, READ_ONCE(registry->changes));
	}
	rcu_read_unlock();
	return changes;
}

/* Narrows *start and *end to the section at @pc, or to the gap around @pc. */
static struct section *registry_look_up(struct registry *registry, u64 pc, u64 *start, u64 *end)
{
	struct section *section = registry_first(registry, pc, ULONG_MAX);
	struct rb_node *before;

	if (section && section->text.start <= pc) {
		*start = max_t(u64, *start, section->text.start);
		*end = min_t(u64, *end, section->text.last + 1);
		refcount_inc(&section->rows.refs);
		return section;
	}
	if (section)
		*end = min_t(u64, *end, section->text.start);
	before = section ? rb_prev(&section->text.rb) : rb_last(&registry->sections.rb_root);
	if (before)
		*start = max_t(u64, *start,
			       rb_entry(before, struct interval_tree_node, rb)->last + 1);
	return NULL;
}

/* As registry_look_up().  Context: RCU. */
static struct section *registry_look_up_locked(struct registry *registry, u64 pc, u64 *start,
					       u64 *end)
{
	struct section *section;

	spin_lock(&registry->lock);
	section = registry_look_up(registry, pc, start, end);
	spin_unlock(&registry->lock);
	return section;
}

/**
 * lw_registry_find - the registered section of current for an address
 * @pc: address
 * @start: in: first address of a range around @pc; out: first address of the part of the range
 *	for which the answer is the same
 * @end: likewise, the first address behind the range
 *
 * What the process registered itself comes first.
 *
 * Context: as lw_unwind(), without locks.
 * Return: the rows of the section, for lw_rows_put(); or NULL.
 */
struct lw_rows *lw_registry_find(u64 pc, u64 *start, u64 *end)
{
	struct mm_struct *mm = current->mm;
	struct section *section = NULL;
	struct registry *registry;

	if (!registry_may_be_there(mm))
		return NULL;
	rcu_read_lock();
	registry = registry_own();
	if (registry)
		section = registry_look_up_locked(registry, pc, start, end);
	hash_for_each_possible_rcu(registries, registry, hash, (unsigned long)mm) {
		if (section)
			break;
		if (registry->notifier.mm == mm && registry->owner)
			section = registry_look_up_locked(registry, pc, start, end);
	}
	rcu_read_unlock();
	return section ? &section->rows : NULL;
}

/*
 * @owner: a session, or NULL: all
 *
 * Return: a registry that was taken out of the hash, or NULL if the hash has none of @owner.
 */
static struct registry *registry_unhash_any(const void *owner)
{
	struct registry *registry, *found = NULL;
	unsigned int i;

	spin_lock(&registries_lock);
	hash_for_each(registries, i, registry, hash) {
		if (owner && registry->owner != owner)
			continue;
		hash_del_rcu(&registry->hash);
		found = registry;
		break;
	}
	spin_unlock(&registries_lock);
	return found;
}

/**
 * lw_registry_release - a session ends: drop the sections that it added
 * @owner: the session, which adds none any more
 *
 * Return: true if there was a registry: then the caller calls lw_unwind_forget(), as walks may hold
 * references to its sections.
 */
bool lw_registry_release(const void *owner)
{
	struct registry *registry;
	bool any = false;

	while ((registry = registry_unhash_any(owner))) {
		registry_end(registry);
		any = true;
		cond_resched();
	}
	return any;
}

/**
 * lw_registry_exit - drop the sections of all processes
 *
 * No task registers or walks any more.  Processes may end meanwhile.
 */
void lw_registry_exit(void)
{
	struct registry *registry;

	while ((registry = registry_unhash_any(NULL)))
		registry_end(registry);
	/*
	 * mmu_notifier_synchronize() alone is not enough: SRCU callbacks of other CPUs, and
	 * registry_end() in a process that ends, may come later.
	 */
	wait_event(all_gone, !atomic_read(&nr_registries));
	/* registry_notifier_free() runs with BHs off, and may not have returned yet. */
	synchronize_rcu();
}

#else

long lw_registry_add(const struct lw_section *arg)
{
	return -EOPNOTSUPP;
}

long lw_registry_remove(const struct lw_section *arg)
{
	return -EOPNOTSUPP;
}

long lw_registry_add_code(const void *owner, struct lw_code *arg)
{
	return -EOPNOTSUPP;
}

bool lw_registry_release(const void *owner)
{
	return false;
}

u64 lw_registry_changes(void)
{
	return 0;
}

struct lw_rows *lw_registry_find(u64 pc, u64 *start, u64 *end)
{
	return NULL;
}

void lw_registry_exit(void)
{
}

#endif
