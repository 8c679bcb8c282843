// SPDX-License-Identifier: GPL-2.0
/*
 * registry.c - which sections a process has registered, for what text.
 *
 * A registry belongs to an mm.  It is found by the mm's address in a hash, which
 * keeps that address from another mm by a reference (mmgrab), and there is one only
 * for processes that registered something.  A child of fork() begins without: a notifier
 * for it would take all locks of its memory at each fork().
 *
 * The mm tells of its changes by an MMU notifier.  What is unmapped or moved drops
 * the sections that it touches, in the call that unmaps, so before anything else can
 * be mapped there; the mm's end drops all.  What is added is checked and put into
 * the tree under mmap_lock for reading: munmap() and those like it take mappings out
 * under mmap_lock for writing and tell of it before they give that up for good, so
 * that either the check finds the text gone, or they find the section.
 *
 * What a section takes is charged before there is any of it, as any number of threads can
 * copy at once: to the user who made the registry, over all of its processes, as pages that
 * io_uring or AF_XDP pin.  A registry holds credentials for that: they keep the user's count,
 * and can be given back on all kernels, where free_uid() is not exported by all.
 *
 * Context of all here, if they don't say otherwise: process, may sleep.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat/mmap_lock.h"
#include "compat/mmu_notifier.h"
#include "latewind.h"
#include "nearby.h"
#include "registered.h"

#if LW_COMPAT_REGISTRY

#define REGISTRY_BITS	8
/* Sections taken out before somebody else gets the lock. */
#define DROP_AT_ONCE	128
/* For mmap_lock. */
#define LOCK_TRIES	200

static unsigned long section_bytes = 64UL << 20;
module_param(section_bytes, ulong, 0644);
MODULE_PARM_DESC(section_bytes,
		 "Memory for registered sections of a process (default 64 MiB)");

/**
 * struct entry - a section in a registry
 * @node: in the tree
 * @list: of those dropped, to be freed
 * @start: first address of its text
 * @end: first address behind it
 * @section: with a reference
 */
struct entry {
	struct rb_node	node;
	struct list_head list;
	u64		start;
	u64		end;
	struct lw_registered *section;
};

/**
 * struct registry - the sections of an mm
 * @notifier: of @mm; holds a reference to the registry from registry_make_own() on
 * @hash: in registries; protected by registries_lock, RCU for reading
 * @mm: whose it is, with mmgrab()
 * @cred: of the task that made it, whose user pays
 * @ref: the notifier, and lw_registry_exit()
 * @rcu: to be freed
 * @lock: of the following
 * @tree: struct entry, by address, none overlaps another
 * @changes: sections ever added or dropped, and 1
 * @nr: entries
 * @memory: bytes that they take
 * @charged: pages for that, of the user's locked_vm and, to be seen, of @mm->pinned_vm
 */
struct registry {
	struct mmu_notifier notifier;
	struct hlist_node hash;
	struct mm_struct *mm;
	const struct cred *cred;
	refcount_t	ref;
	struct rcu_head	rcu;

	spinlock_t	lock;	/* see above */
	struct rb_root	tree;
	u64		changes;
	u32		nr;
	u64		memory;
	unsigned long	charged;
};

static DEFINE_HASHTABLE(registries, REGISTRY_BITS);
static DEFINE_SPINLOCK(registries_lock);
/* Those that are not freed yet, hashed or not. */
static atomic_t nr_registries;
static DECLARE_WAIT_QUEUE_HEAD(all_gone);

static const struct mmu_notifier_ops registry_notifier_ops;

/* Return: a registry of current, with one reference, or NULL. */
static struct registry *registry_alloc(void)
{
	struct registry *registry = kzalloc(sizeof(*registry), GFP_KERNEL_ACCOUNT);

	if (!registry)
		return NULL;
	atomic_inc(&nr_registries);
	refcount_set(&registry->ref, 1);
	spin_lock_init(&registry->lock);
	registry->tree = RB_ROOT;
	registry->changes = 1;
	registry->notifier.ops = &registry_notifier_ops;
	registry->mm = current->mm;
	mmgrab(registry->mm);
	registry->cred = get_current_cred();
	return registry;
}

/* The last one to be given back is of a registry without sections. */
static void registry_put(struct registry *registry)
{
	if (!refcount_dec_and_test(&registry->ref))
		return;
	mmdrop(registry->mm);
	put_cred(registry->cred);
	kfree_rcu(registry, rcu);
	if (atomic_dec_and_test(&nr_registries))
		wake_up_all(&all_gone);
}

/*
 * A process that never had a notifier, of whomever, has none: however many others have some,
 * its walks don't look for it among theirs.
 *
 * Return: that of current, which stays while the task has its mm and the module is there.
 */
static struct registry *registry_own(void)
{
	struct registry *registry, *found = NULL;

	/* Another thread may be making its first: this is before or after that. */
	if (!data_race(mm_has_notifiers(current->mm)))
		return NULL;
	rcu_read_lock();
	hash_for_each_possible_rcu(registries, registry, hash, (unsigned long)current->mm) {
		if (registry->mm == current->mm) {
			found = registry;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static void registry_hash(struct registry *registry)
{
	spin_lock(&registries_lock);
	hash_add_rcu(registries, &registry->hash, (unsigned long)registry->mm);
	spin_unlock(&registries_lock);
}

/* Return: was it hashed?  Then the caller is the one to end it. */
static bool registry_unhash(struct registry *registry)
{
	bool hashed;

	spin_lock(&registries_lock);
	hashed = !hlist_unhashed(&registry->hash);
	if (hashed)
		hlist_del_init_rcu(&registry->hash);
	spin_unlock(&registries_lock);
	return hashed;
}

static unsigned long registry_pages_more(const struct registry *registry, u64 bytes)
{
	return DIV_ROUND_UP(registry->memory + bytes, PAGE_SIZE) -
	       registry->charged;
}

/* Return: does the user have no more than @limit pages with @pages more?  Then they are charged. */
static bool registry_charge_user(struct registry *registry, unsigned long pages,
				 unsigned long limit)
{
	atomic_long_t *locked = &registry->cred->user->locked_vm;
	long old = atomic_long_read(locked);

	do {
		if (pages && old + pages > limit)
			return false;
	} while (!atomic_long_try_cmpxchg(locked, &old, old + pages));
	return true;
}

/* Return: 0, -ENOSPC, -EPERM. */
static int registry_charge(struct registry *registry, u64 bytes, unsigned long limit)
{
	unsigned long pages = registry_pages_more(registry, bytes);
	u64 most = READ_ONCE(section_bytes);

	lockdep_assert_held(&registry->lock);
	if (registry->nr >= LW_MAX_SECTIONS || bytes > most || registry->memory > most - bytes)
		return -ENOSPC;
	if (!registry_charge_user(registry, pages, limit))
		return -EPERM;
	registry->nr++;
	registry->memory += bytes;
	registry->charged += pages;
	atomic64_add(pages, &registry->mm->pinned_vm);
	return 0;
}

static void registry_uncharge(struct registry *registry, u64 bytes)
{
	unsigned long pages;

	lockdep_assert_held(&registry->lock);
	registry->nr--;
	registry->memory -= bytes;
	pages = registry->charged - DIV_ROUND_UP(registry->memory, PAGE_SIZE);
	registry->charged -= pages;
	atomic_long_sub(pages, &registry->cred->user->locked_vm);
	atomic64_sub(pages, &registry->mm->pinned_vm);
}

/* Return: 0, -ENOSPC, -EPERM.  @limit: pages of the user, at most. */
static int registry_reserve_within(struct registry *registry, u64 bytes, unsigned long limit)
{
	int ret;

	spin_lock(&registry->lock);
	ret = registry_charge(registry, bytes, limit);
	spin_unlock(&registry->lock);
	return ret;
}

/* Room for an entry that is about to be made.  Return: 0, -ENOSPC, -EPERM. */
static int registry_reserve(struct registry *registry, u64 bytes)
{
	int ret = registry_reserve_within(registry, bytes, rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT);

	if (ret == -EPERM && capable(CAP_IPC_LOCK))
		ret = registry_reserve_within(registry, bytes, ULONG_MAX);
	return ret;
}

static void registry_unreserve(struct registry *registry, u64 bytes)
{
	spin_lock(&registry->lock);
	registry_uncharge(registry, bytes);
	spin_unlock(&registry->lock);
}

/* The last that does not start behind @addr, or NULL. */
static struct entry *registry_before(const struct registry *registry, u64 addr)
{
	struct rb_node *node = registry->tree.rb_node;
	struct entry *entry, *found = NULL;

	lockdep_assert_held(&registry->lock);
	while (node) {
		entry = rb_entry(node, struct entry, node);
		if (entry->start > addr) {
			node = node->rb_left;
		} else {
			found = entry;
			node = node->rb_right;
		}
	}
	return found;
}

/* The next one in order, or NULL; without @entry the first. */
static struct entry *registry_after(const struct registry *registry, const struct entry *entry)
{
	struct rb_node *node = entry ? rb_next(&entry->node) :
				       rb_first(&registry->tree);

	lockdep_assert_held(&registry->lock);
	return node ? rb_entry(node, struct entry, node) : NULL;
}

/* The first that has an address in a range, or NULL. */
static struct entry *registry_in(const struct registry *registry, u64 start, u64 end)
{
	struct entry *entry = registry_before(registry, start);

	if (!entry || entry->end <= start)
		entry = registry_after(registry, entry);
	return entry && entry->start < end ? entry : NULL;
}

static void registry_note_change(struct registry *registry)
{
	lockdep_assert_held(&registry->lock);
	/* Pairs with lw_registry_changes(). */
	WRITE_ONCE(registry->changes, registry->changes + 1);
}

/* An entry that is charged already.  Return: 0, or -EEXIST if it overlaps another. */
static int registry_link(struct registry *registry, struct entry *new)
{
	struct rb_node **link = &registry->tree.rb_node;
	struct rb_node *parent = NULL;
	struct entry *entry;

	lockdep_assert_held(&registry->lock);
	while (*link) {
		parent = *link;
		entry = rb_entry(parent, struct entry, node);
		if (new->end <= entry->start)
			link = &parent->rb_left;
		else if (new->start >= entry->end)
			link = &parent->rb_right;
		else
			return -EEXIST;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &registry->tree);
	registry_note_change(registry);
	return 0;
}

/* To @gone, for registry_free_entries(). */
static void registry_drop_entry(struct registry *registry, struct entry *entry,
				struct list_head *gone)
{
	lockdep_assert_held(&registry->lock);
	rb_erase(&entry->node, &registry->tree);
	registry_note_change(registry);
	registry_uncharge(registry, sizeof(*entry) + entry->section->memory);
	list_add_tail(&entry->list, gone);
}

/* Context: any but NMI and hardirq, without locks. */
static void registry_free_entries(struct list_head *gone)
{
	struct entry *entry, *next;

	list_for_each_entry_safe(entry, next, gone, list) {
		lw_registered_put(entry->section);
		kfree(entry);
	}
}

/*
 * Drop what has an address in a range.  In parts, as there may be many: nothing is added
 * meanwhile that would have to go, see above.
 *
 * Context: any but NMI and hardirq.
 */
static void registry_drop(struct registry *registry, u64 start, u64 end)
{
	struct entry *entry;
	unsigned int nr;

	do {
		LIST_HEAD(gone);

		spin_lock(&registry->lock);
		for (nr = 0; nr < DROP_AT_ONCE; nr++) {
			entry = registry_in(registry, start, end);
			if (!entry)
				break;
			registry_drop_entry(registry, entry, &gone);
		}
		spin_unlock(&registry->lock);
		registry_free_entries(&gone);
	} while (nr == DROP_AT_ONCE);
}

/* A registry that nobody finds any more.  Context: does not sleep. */
static void registry_end(struct registry *registry)
{
	registry_drop(registry, 0, U64_MAX);
	mmu_notifier_put(&registry->notifier);
}

/*
 * The mm ends.  Context: may run at the same time as lw_registry_exit() and as what
 * is told of ranges.
 */
static void registry_mm_released(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct registry *registry = container_of(notifier, struct registry, notifier);

	if (registry_unhash(registry))
		registry_end(registry);
}

/*
 * Context: mmap_lock, or locks of the reverse mapping, or those of the OOM killer, are
 * held; does not sleep.
 */
static int registry_range_gone(struct mmu_notifier *notifier,
			       const struct mmu_notifier_range *range)
{
	struct registry *registry = container_of(notifier, struct registry, notifier);

	if (range->event == MMU_NOTIFY_UNMAP)
		registry_drop(registry, range->start, range->end);
	return 0;
}

/* Context: that of SRCU's callbacks, no sleep. */
static void registry_notifier_free(struct mmu_notifier *notifier)
{
	registry_put(container_of(notifier, struct registry, notifier));
}

static const struct mmu_notifier_ops registry_notifier_ops = {
	.release		= registry_mm_released,
	.invalidate_range_start	= registry_range_gone,
	.free_notifier		= registry_notifier_free,
};

/* Is all of a range mapped, and executable? */
static bool registry_is_code(struct mm_struct *mm, u64 start, u64 end)
{
	struct vm_area_struct *vma;

	lockdep_assert_held(&mm->mmap_lock);
	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start || !(vma->vm_flags & VM_EXEC))
			return false;
		start = vma->vm_end;
	}
	return true;
}

/*
 * mmap_lock of current.  Another thread may have it for as long as it likes, in an mmap() of a
 * FUSE file, say, and rmmod may wait for us: so it is tried again and again, for half a second.
 *
 * Return: 0, -EAGAIN, -EINTR (killed), -ENODEV (the module is going).
 */
static int registry_lock_mm(bool (*trylock)(struct mm_struct *mm))
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < LOCK_TRIES && !ret; i++) {
		if (trylock(current->mm))
			return 0;
		/* At first for as long as others have it, mostly. */
		if (i < LOCK_TRIES / 2)
			usleep_range(20, 100);
		else
			schedule_timeout_killable(1);
		ret = lw_registered_pause();
	}
	return ret ?: -EAGAIN;
}

/*
 * To make a notifier is to wait, in the kernel and with locks that all processes need, for the
 * page faults of the process that go on without mmap_lock.  Those of a mapping that tells its
 * file system before it is written wait for that, which may be a program's.
 */
static bool registry_may_be_held(struct mm_struct *mm)
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

/* Makes that of current, unless another thread has done so. */
static struct registry *registry_make_own(void)
{
	struct mm_struct *mm = current->mm;
	struct registry *registry, *other;
	int ret;

	registry = registry_alloc();
	if (!registry)
		return ERR_PTR(-ENOMEM);
	ret = registry_lock_mm(lw_compat_mmap_write_trylock);
	if (ret)
		goto err_put;
	other = registry_own();
	/* As mmu_notifier_get(), which would look for another one of ours by itself. */
	if (!other)
		ret = registry_may_be_held(mm) ? -EOPNOTSUPP :
					__mmu_notifier_register(&registry->notifier, mm);
	if (!other && !ret)
		registry_hash(registry);
	mmap_write_unlock(mm);
	if (!other && !ret)
		return registry;
	/* The call is made again when the signal was handled. */
	if (ret == -EINTR)
		ret = -ERESTARTNOINTR;
err_put:
	registry_put(registry);
	return ret ? ERR_PTR(ret) : other;
}

static int registry_insert(struct registry *registry, struct entry *entry)
{
	int ret = registry_lock_mm(mmap_read_trylock);

	if (ret)
		return ret;
	if (!registry_is_code(registry->mm, entry->start, entry->end)) {
		mmap_read_unlock(registry->mm);
		return -EACCES;
	}
	spin_lock(&registry->lock);
	ret = registry_link(registry, entry);
	spin_unlock(&registry->lock);
	mmap_read_unlock(registry->mm);
	return ret;
}

/* With room for all of it.  Return: 0 or -errno, as the uapi header says. */
static int registry_add_section(struct registry *registry, const struct lw_section *arg)
{
	struct entry *entry;
	int ret;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return -ENOMEM;
	entry->start = arg->text_start;
	entry->end = arg->text_start + arg->text_size;
	entry->section = lw_registered_copy(arg);
	if (IS_ERR(entry->section)) {
		ret = PTR_ERR(entry->section);
		goto err_free;
	}
	ret = registry_insert(registry, entry);
	if (!ret)
		return 0;
	lw_registered_put(entry->section);
err_free:
	kfree(entry);
	return ret;
}

static int registry_check_text(const struct lw_section *arg)
{
	u64 end;

	if (!arg->text_size ||
	    check_add_overflow(arg->text_start, arg->text_size, &end))
		return -EINVAL;
	return in_compat_syscall() ? -EOPNOTSUPP : 0;
}

/**
 * lw_registry_add - LW_IOC_ADD_SECTION
 * @arg: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno, as the uapi header says; -ERESTARTNOINTR.
 */
long lw_registry_add(const struct lw_section *arg)
{
	struct registry *registry;
	u64 end, bytes;
	int ret;

	ret = registry_check_text(arg);
	if (ret)
		return ret;
	if (!arg->len ||
	    check_add_overflow(arg->base ?: arg->addr, arg->len, &end))
		return -EINVAL;
	if (arg->len > READ_ONCE(section_bytes))
		return -ENOSPC;
	registry = registry_own() ?: registry_make_own();
	if (IS_ERR(registry))
		return PTR_ERR(registry);
	bytes = sizeof(struct entry) + lw_registered_memory(arg->len);
	ret = registry_reserve(registry, bytes);
	if (ret)
		return ret;
	ret = registry_add_section(registry, arg);
	if (ret)
		registry_unreserve(registry, bytes);
	return ret;
}

/**
 * lw_registry_remove - LW_IOC_REMOVE_SECTION
 * @arg: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno, as the uapi header says.
 */
long lw_registry_remove(const struct lw_section *arg)
{
	struct registry *registry;
	struct entry *entry;
	LIST_HEAD(gone);
	int ret;

	ret = registry_check_text(arg);
	if (ret)
		return ret;
	registry = registry_own();
	if (!registry)
		return -ENOENT;
	spin_lock(&registry->lock);
	entry = registry_before(registry, arg->text_start);
	if (entry && entry->start == arg->text_start &&
	    entry->end - entry->start == arg->text_size)
		registry_drop_entry(registry, entry, &gone);
	else
		ret = -ENOENT;
	spin_unlock(&registry->lock);
	registry_free_entries(&gone);
	lw_registered_free_now();
	return ret;
}

/* Return: with a reference, or NULL; the range is cut to what that holds for. */
static struct lw_registered *registry_look_up(struct registry *registry, u64 pc,
					      u64 *start, u64 *end)
{
	struct entry *entry, *next;

	lockdep_assert_held(&registry->lock);
	entry = registry_before(registry, pc);
	if (entry && pc < entry->end) {
		*start = max(*start, entry->start);
		*end = min(*end, entry->end);
		return lw_registered_get(entry->section);
	}
	next = registry_after(registry, entry);
	if (entry)
		*start = max(*start, entry->end);
	if (next)
		*end = min(*end, next->start);
	return NULL;
}

/**
 * lw_registry_changes - which sections current has registered
 *
 * Context: task, does not sleep.
 * Return: a number that is another one whenever a section has come or gone, 0 if there
 * was none ever.
 */
u64 lw_registry_changes(void)
{
	struct registry *registry = registry_own();

	return registry ? READ_ONCE(registry->changes) : 0;
}

/**
 * lw_registry_find - the registered section of current for an address
 * @pc: address
 * @start: in: first address of a range around @pc; out: the first of the part of it
 *	for which the answer is the same
 * @end: likewise, the first address behind it
 *
 * Context: as lw_unwind(), without locks.
 * Return: the section, to be put, or NULL.
 */
struct lw_registered *lw_registry_find(u64 pc, u64 *start, u64 *end)
{
	struct lw_registered *section;
	struct registry *registry = registry_own();

	if (!registry)
		return NULL;
	spin_lock(&registry->lock);
	section = registry_look_up(registry, pc, start, end);
	spin_unlock(&registry->lock);
	return section;
}

/* Return: any of those that are hashed, with a reference, or NULL. */
static struct registry *registry_any(void)
{
	struct registry *registry, *found = NULL;
	unsigned int i;

	spin_lock(&registries_lock);
	hash_for_each(registries, i, registry, hash) {
		refcount_inc(&registry->ref);
		found = registry;
		break;
	}
	spin_unlock(&registries_lock);
	return found;
}

/**
 * lw_registry_exit - drop what all processes have registered
 *
 * Nobody registers or walks any more; processes may end.
 *
 * Context: process, may sleep.
 */
void lw_registry_exit(void)
{
	struct registry *registry;

	while ((registry = registry_any())) {
		if (registry_unhash(registry))
			registry_end(registry);
		registry_put(registry);
	}
	wait_event(all_gone, !atomic_read(&nr_registries));
	/* Notifiers that were found before they were put; then what frees them, with BHs off. */
	mmu_notifier_synchronize();
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

u64 lw_registry_changes(void)
{
	return 0;
}

struct lw_registered *lw_registry_find(u64 pc, u64 *start, u64 *end)
{
	return NULL;
}

void lw_registry_exit(void)
{
}

#endif
