// SPDX-License-Identifier: GPL-2.0
/*
 * registry.c - which sections a process has registered, for what text.
 *
 * A registry belongs to an mm.  It is found by the mm's address in a hash, which
 * keeps that address from another mm by a reference (mmgrab), and there is one only
 * for processes that registered something, or whose parent did.
 *
 * The mm tells of its changes by an MMU notifier.  What is unmapped or moved drops
 * the sections that it touches, in the call that unmaps, so before anything else can
 * be mapped there; the mm's end drops all.  What is added is checked and put into
 * the tree under mmap_lock for reading: munmap() and those like it take mappings out
 * under mmap_lock for writing and tell of it before they give that up for good, so
 * that either the check finds the text gone, or they find the section.
 *
 * What a section takes is charged before there is any of it, as copying can be made to
 * last for as long as user space likes.
 *
 * registry_fork.c has what happens in fork().
 *
 * Context of all here, if they don't say otherwise: process, may sleep.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "compat/mmap_lock.h"
#include "latewind.h"
#include "registered.h"
#include "registry.h"

#if LW_COMPAT_REGISTRY

#define REGISTRY_BITS	8
/* Sections taken out before somebody else gets the lock. */
#define DROP_AT_ONCE	128

static unsigned long section_bytes = 64UL << 20;
module_param(section_bytes, ulong, 0644);
MODULE_PARM_DESC(section_bytes,
		 "Memory for registered sections of a process (default 64 MiB)");

static DEFINE_HASHTABLE(registries, REGISTRY_BITS);
static DEFINE_SPINLOCK(registries_lock);
/* Those that are not freed yet, hashed or not. */
static atomic_t nr_registries;
static DECLARE_WAIT_QUEUE_HEAD(all_gone);

static const struct mmu_notifier_ops notifier_ops;

/**
 * lw_registry_make - make an empty registry
 * @mm: whose it will be
 * @gfp: how to get memory
 *
 * Context: as @gfp says.
 * Return: the registry, with one reference, or NULL.
 */
struct lw_registry *lw_registry_make(struct mm_struct *mm, gfp_t gfp)
{
	struct lw_registry *registry = kzalloc(sizeof(*registry), gfp);

	if (!registry)
		return NULL;
	atomic_inc(&nr_registries);
	refcount_set(&registry->ref, 1);
	spin_lock_init(&registry->lock);
	mutex_init(&registry->inheriting);
	INIT_LIST_HEAD(&registry->kept);
	registry->tree = RB_ROOT;
	registry->changes = 1;
	registry->notifier.ops = &notifier_ops;
	registry->mm = mm;
	mmgrab(mm);
	return registry;
}

/**
 * lw_registry_put - give back a reference
 * @registry: that has no sections, if it is the last
 *
 * Context: any but NMI and hardirq.
 */
void lw_registry_put(struct lw_registry *registry)
{
	if (!refcount_dec_and_test(&registry->ref))
		return;
	mmdrop(registry->mm);
	kfree_rcu(registry, rcu);
	if (atomic_dec_and_test(&nr_registries))
		wake_up_all(&all_gone);
}

/* Context: RCU read-side section. */
static struct lw_registry *find_registry(const struct mm_struct *mm)
{
	struct lw_registry *registry;

	hash_for_each_possible_rcu(registries, registry, hash,
				   (unsigned long)mm)
		if (registry->mm == mm)
			return registry;
	return NULL;
}

/**
 * lw_registry_own - the registry of current
 *
 * It stays as long as the task has its mm and the module is not unloaded.
 *
 * Context: task, does not sleep.
 * Return: the registry, or NULL.
 */
struct lw_registry *lw_registry_own(void)
{
	struct lw_registry *registry;

	rcu_read_lock();
	registry = find_registry(current->mm);
	rcu_read_unlock();
	return registry;
}

/**
 * lw_registry_hash - have a registry be found
 * @registry: the only one of its mm
 *
 * Context: any but NMI and hardirq.
 */
void lw_registry_hash(struct lw_registry *registry)
{
	spin_lock(&registries_lock);
	hash_add_rcu(registries, &registry->hash, (unsigned long)registry->mm);
	spin_unlock(&registries_lock);
}

/**
 * lw_registry_unhash - let nobody find it any more
 * @registry: with a reference
 *
 * Context: any but NMI and hardirq.
 * Return: was it hashed?  Then the caller is the one to end it.
 */
bool lw_registry_unhash(struct lw_registry *registry)
{
	bool hashed;

	spin_lock(&registries_lock);
	hashed = !hlist_unhashed(&registry->hash);
	if (hashed)
		hlist_del_init_rcu(&registry->hash);
	spin_unlock(&registries_lock);
	return hashed;
}

static size_t memory_of(const struct lw_registry_entry *entry)
{
	return sizeof(*entry) + entry->section->memory;
}

static unsigned long pages_more(const struct lw_registry *registry, u64 bytes)
{
	return DIV_ROUND_UP(registry->memory + bytes, PAGE_SIZE) -
	       registry->charged;
}

/* Return: 0, -ENOSPC, -EPERM. */
static int check_limits(const struct lw_registry *registry, u64 bytes, bool may_pin)
{
	u64 limit = READ_ONCE(section_bytes);

	lockdep_assert_held(&registry->lock);
	if (registry->nr >= LW_MAX_SECTIONS || bytes > limit ||
	    registry->memory > limit - bytes)
		return -ENOSPC;
	if (!may_pin && atomic64_read(&registry->mm->pinned_vm) +
	    pages_more(registry, bytes) > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT)
		return -EPERM;
	return 0;
}

static void charge(struct lw_registry *registry, u64 bytes)
{
	unsigned long pages = pages_more(registry, bytes);

	lockdep_assert_held(&registry->lock);
	registry->nr++;
	registry->memory += bytes;
	registry->charged += pages;
	atomic64_add(pages, &registry->mm->pinned_vm);
}

static void uncharge(struct lw_registry *registry, u64 bytes)
{
	unsigned long pages;

	lockdep_assert_held(&registry->lock);
	registry->nr--;
	registry->memory -= bytes;
	pages = registry->charged - DIV_ROUND_UP(registry->memory, PAGE_SIZE);
	registry->charged -= pages;
	atomic64_sub(pages, &registry->mm->pinned_vm);
}

/**
 * lw_registry_uncharge - an entry does not count any more
 * @registry: locked
 * @entry: of it, dropped
 *
 * Context: any but NMI and hardirq.
 */
void lw_registry_uncharge(struct lw_registry *registry, const struct lw_registry_entry *entry)
{
	uncharge(registry, memory_of(entry));
}

/* Return: 0, -ENOSPC, -EPERM.  @may_pin: whatever RLIMIT_MEMLOCK says. */
static int reserve_within(struct lw_registry *registry, u64 bytes, bool may_pin)
{
	int ret;

	spin_lock(&registry->lock);
	ret = check_limits(registry, bytes, may_pin);
	if (!ret)
		charge(registry, bytes);
	spin_unlock(&registry->lock);
	return ret;
}

/* Return: as reserve_within(). */
static int try_reserve(struct lw_registry *registry, u64 bytes)
{
	int ret = reserve_within(registry, bytes, false);

	if (ret == -EPERM && capable(CAP_IPC_LOCK))
		ret = reserve_within(registry, bytes, true);
	return ret;
}

/* Room for an entry that is about to be made.  Return: 0, -ENOSPC, -EPERM. */
static int reserve(struct lw_registry *registry, u64 bytes)
{
	int ret = try_reserve(registry, bytes);

	/* What is kept for heirs counts, but must not be in the way. */
	if (ret && lw_registry_disinherit(registry))
		ret = try_reserve(registry, bytes);
	return ret;
}

static void unreserve(struct lw_registry *registry, u64 bytes)
{
	spin_lock(&registry->lock);
	uncharge(registry, bytes);
	spin_unlock(&registry->lock);
}

/* The last that does not start behind @addr, or NULL. */
static struct lw_registry_entry *entry_before(const struct lw_registry *registry, u64 addr)
{
	struct rb_node *node = registry->tree.rb_node;
	struct lw_registry_entry *entry, *found = NULL;

	lockdep_assert_held(&registry->lock);
	while (node) {
		entry = rb_entry(node, struct lw_registry_entry, node);
		if (entry->start > addr) {
			node = node->rb_left;
		} else {
			found = entry;
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * lw_registry_after - the next one in order
 * @registry: locked
 * @entry: of it; NULL for the first one
 *
 * Context: any but NMI and hardirq.
 * Return: the entry behind it, or NULL.
 */
struct lw_registry_entry *
lw_registry_after(const struct lw_registry *registry,
		  const struct lw_registry_entry *entry)
{
	struct rb_node *node = entry ? rb_next(&entry->node) :
				       rb_first(&registry->tree);

	lockdep_assert_held(&registry->lock);
	return node ? rb_entry(node, struct lw_registry_entry, node) : NULL;
}

/**
 * lw_registry_first_in - the first one in a range
 * @registry: locked
 * @start: first address
 * @end: first address behind it
 *
 * Context: any but NMI and hardirq.
 * Return: the first that has an address there, or NULL.
 */
struct lw_registry_entry *
lw_registry_first_in(const struct lw_registry *registry, u64 start, u64 end)
{
	struct lw_registry_entry *entry = entry_before(registry, start);

	if (!entry || entry->end <= start)
		entry = lw_registry_after(registry, entry);
	return entry && entry->start < end ? entry : NULL;
}

/* Return: the number of the change. */
static u64 note_change(struct lw_registry *registry)
{
	lockdep_assert_held(&registry->lock);
	/* Pairs with lw_registry_changes(). */
	WRITE_ONCE(registry->changes, registry->changes + 1);
	return registry->changes;
}

/* An entry that is counted already.  Return: 0, or -EEXIST if it overlaps another. */
static int link_entry(struct lw_registry *registry, struct lw_registry_entry *new)
{
	struct rb_node **link = &registry->tree.rb_node;
	struct rb_node *parent = NULL;
	struct lw_registry_entry *entry;

	lockdep_assert_held(&registry->lock);
	while (*link) {
		parent = *link;
		entry = rb_entry(parent, struct lw_registry_entry, node);
		if (new->end <= entry->start)
			link = &parent->rb_left;
		else if (new->start >= entry->end)
			link = &parent->rb_right;
		else
			return -EEXIST;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &registry->tree);
	new->added = note_change(registry);
	return 0;
}

/**
 * lw_registry_link - add an entry, and count it, whatever the limits are
 * @registry: locked
 * @new: filled
 *
 * Context: any but NMI and hardirq.
 * Return: 0, or -EEXIST if it overlaps another.
 */
int lw_registry_link(struct lw_registry *registry, struct lw_registry_entry *new)
{
	int ret = link_entry(registry, new);

	if (!ret)
		charge(registry, memory_of(new));
	return ret;
}

/* To @gone, or aside if there are heirs who may want it. */
static void drop_entry(struct lw_registry *registry, struct lw_registry_entry *entry,
		       struct list_head *gone)
{
	lockdep_assert_held(&registry->lock);
	rb_erase(&entry->node, &registry->tree);
	entry->dropped = note_change(registry);
	if (registry->heirs) {
		list_add_tail(&entry->list, &registry->kept);
	} else {
		lw_registry_uncharge(registry, entry);
		list_add_tail(&entry->list, gone);
	}
}

/**
 * lw_registry_free_entries - free those that were taken out
 * @gone: list of them
 *
 * Context: any but NMI and hardirq, without locks.
 */
void lw_registry_free_entries(struct list_head *gone)
{
	struct lw_registry_entry *entry, *next;

	list_for_each_entry_safe(entry, next, gone, list) {
		lw_registered_put(entry->section);
		kfree(entry);
	}
}

/**
 * lw_registry_drop - drop what has an address in a range
 * @registry: to take it from
 * @start: first address
 * @end: first address behind it
 *
 * In parts, as there may be many: nothing is added meanwhile that would have to go, see
 * above.
 *
 * Context: any but NMI and hardirq.
 */
void lw_registry_drop(struct lw_registry *registry, u64 start, u64 end)
{
	struct lw_registry_entry *entry;
	unsigned int nr;

	do {
		LIST_HEAD(gone);

		spin_lock(&registry->lock);
		for (nr = 0; nr < DROP_AT_ONCE; nr++) {
			entry = lw_registry_first_in(registry, start, end);
			if (!entry)
				break;
			drop_entry(registry, entry, &gone);
		}
		spin_unlock(&registry->lock);
		lw_registry_free_entries(&gone);
	} while (nr == DROP_AT_ONCE);
}

/*
 * A registry that nobody finds any more.  Its heirs may still take from it.
 *
 * Context: does not sleep.
 */
static void end_registry(struct lw_registry *registry)
{
	lw_registry_drop(registry, 0, U64_MAX);
	if (registry->has_notifier)
		mmu_notifier_put(&registry->notifier);
	else
		lw_registry_put(registry);
}

/*
 * The mm ends.  Context: may run at the same time as lw_registry_exit() and as what
 * is told of ranges.
 */
static void notify_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct lw_registry *registry =
		container_of(notifier, struct lw_registry, notifier);

	if (lw_registry_unhash(registry))
		end_registry(registry);
}

/*
 * Context: mmap_lock, or locks of the reverse mapping, or those of the OOM killer, are
 * held; does not sleep.
 */
static int notify_range(struct mmu_notifier *notifier,
			const struct mmu_notifier_range *range)
{
	struct lw_registry *registry =
		container_of(notifier, struct lw_registry, notifier);

	if (range->event == MMU_NOTIFY_UNMAP)
		lw_registry_drop(registry, range->start, range->end);
	else if (range->event == MMU_NOTIFY_PROTECTION_PAGE &&
		 current->mm == registry->mm && lw_compat_writes_mmap(registry->mm))
		lw_registry_note_copy(registry);
	return 0;
}

/* Context: that of SRCU's callbacks, no sleep. */
static void notify_free(struct mmu_notifier *notifier)
{
	lw_registry_put(container_of(notifier, struct lw_registry, notifier));
}

static const struct mmu_notifier_ops notifier_ops = {
	.release		= notify_release,
	.invalidate_range_start	= notify_range,
	.free_notifier		= notify_free,
};

/**
 * lw_registry_notify - make the notifier of a registry
 * @registry: has none; mmap_lock of its mm is held for writing
 *
 * As mmu_notifier_get(), but for a registry that is there already.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -EINTR: a signal is pending.
 */
int lw_registry_notify(struct lw_registry *registry)
{
	int ret;

	lockdep_assert_held_write(&registry->mm->mmap_lock);
	ret = __mmu_notifier_register(&registry->notifier, registry->mm);
	if (!ret)
		registry->has_notifier = true;
	return ret;
}

/**
 * lw_registry_is_code - is all of a range mapped, and executable
 * @mm: mmap_lock is held
 * @start: first address
 * @end: first address behind it
 * @unwanted: VM_* that none of the mappings may have
 *
 * Context: any but NMI and hardirq.
 * Return: whether it is.
 */
bool lw_registry_is_code(struct mm_struct *mm, u64 start, u64 end,
			 unsigned long unwanted)
{
	struct vm_area_struct *vma;

	lockdep_assert_held(&mm->mmap_lock);
	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start ||
		    !(vma->vm_flags & VM_EXEC) || vma->vm_flags & unwanted)
			return false;
		start = vma->vm_end;
	}
	return true;
}

/* Makes that of current, unless another thread has done so. */
static struct lw_registry *make_own_registry(void)
{
	struct mm_struct *mm = current->mm;
	struct lw_registry *registry, *other;
	int ret;

	ret = lw_registry_add_probe();
	if (ret)
		return ERR_PTR(ret);
	registry = lw_registry_make(mm, GFP_KERNEL_ACCOUNT);
	if (!registry)
		return ERR_PTR(-ENOMEM);
	ret = mmap_write_lock_killable(mm);
	if (ret)
		goto err_put;
	other = lw_registry_own();
	if (!other)
		ret = lw_registry_notify(registry);
	if (!other && !ret)
		lw_registry_hash(registry);
	mmap_write_unlock(mm);
	if (!other && !ret)
		return registry;
	/* The call is made again when the signal was handled. */
	if (ret == -EINTR)
		ret = -ERESTARTNOINTR;
err_put:
	lw_registry_put(registry);
	return ret ? ERR_PTR(ret) : other;
}

static int insert(struct lw_registry *registry, struct lw_registry_entry *entry)
{
	int ret = mmap_read_lock_killable(registry->mm);

	if (ret)
		return ret;
	if (!lw_registry_is_code(registry->mm, entry->start, entry->end, 0)) {
		mmap_read_unlock(registry->mm);
		return -EACCES;
	}
	spin_lock(&registry->lock);
	ret = link_entry(registry, entry);
	spin_unlock(&registry->lock);
	mmap_read_unlock(registry->mm);
	return ret;
}

/* With room for all of it.  Return: 0 or -errno, as the uapi header says. */
static int add_section(struct lw_registry *registry, const struct lw_section *arg)
{
	struct lw_registry_entry *entry;
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
	ret = insert(registry, entry);
	if (!ret)
		return 0;
	lw_registered_put(entry->section);
err_free:
	kfree(entry);
	return ret;
}

static int check_text(const struct lw_section *arg)
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
	struct lw_registry *registry;
	u64 end, bytes;
	int ret;

	ret = check_text(arg);
	if (ret)
		return ret;
	if (!arg->len ||
	    check_add_overflow(arg->base ?: arg->addr, arg->len, &end))
		return -EINVAL;
	if (arg->len > READ_ONCE(section_bytes))
		return -ENOSPC;
	registry = lw_registry_own() ?: make_own_registry();
	if (IS_ERR(registry))
		return PTR_ERR(registry);
	bytes = sizeof(struct lw_registry_entry) + lw_registered_memory(arg->len);
	ret = reserve(registry, bytes);
	if (ret)
		return ret;
	ret = add_section(registry, arg);
	if (ret)
		unreserve(registry, bytes);
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
	struct lw_registry *registry;
	struct lw_registry_entry *entry;
	LIST_HEAD(gone);
	int ret;

	ret = check_text(arg);
	if (ret)
		return ret;
	registry = lw_registry_own();
	if (!registry)
		return -ENOENT;
	spin_lock(&registry->lock);
	entry = entry_before(registry, arg->text_start);
	if (entry && entry->start == arg->text_start &&
	    entry->end - entry->start == arg->text_size)
		drop_entry(registry, entry, &gone);
	else
		ret = -ENOENT;
	spin_unlock(&registry->lock);
	lw_registry_free_entries(&gone);
	lw_registered_free_now();
	return ret;
}

/* Return: with a reference, or NULL; the range is cut to what that holds for. */
static struct lw_registered *look_up(struct lw_registry *registry, u64 pc,
				     u64 *start, u64 *end)
{
	struct lw_registry_entry *entry, *next;

	lockdep_assert_held(&registry->lock);
	entry = entry_before(registry, pc);
	if (entry && pc < entry->end) {
		*start = max(*start, entry->start);
		*end = min(*end, entry->end);
		return lw_registered_get(entry->section);
	}
	next = lw_registry_after(registry, entry);
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
 * was none ever; or LW_REGISTRY_UNKNOWN.
 */
u64 lw_registry_changes(void)
{
	struct lw_registry *registry;

	if (!atomic_read(&nr_registries))
		return 0;
	registry = lw_registry_own();
	if (!registry)
		return 0;
	/* lw_registry_find() inherits. */
	return registry->parent ? LW_REGISTRY_UNKNOWN : READ_ONCE(registry->changes);
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
	struct lw_registry *registry = lw_registry_own();

	if (!registry)
		return NULL;
	/* Its first way out of the kernel, and we come before the work. */
	if (registry->parent) {
		if (current->flags & PF_EXITING)
			return NULL;
		lw_registry_inherit(registry);
		registry = lw_registry_own();
		if (!registry)
			return NULL;
	}
	spin_lock(&registry->lock);
	section = look_up(registry, pc, start, end);
	spin_unlock(&registry->lock);
	return section;
}

/**
 * lw_registry_works - can sections be registered here
 *
 * Context: process.
 * Return: whether the kernel has what that takes.
 */
bool lw_registry_works(void)
{
	return lw_registry_sees_forks();
}

/**
 * lw_registry_init - before the first section is registered
 *
 * Context: process, may sleep.
 */
void lw_registry_init(void)
{
	lw_registry_fork_init();
}

/* Return: any of those that are hashed, with a reference, or NULL. */
static struct lw_registry *any_registry(void)
{
	struct lw_registry *registry, *found = NULL;
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
 * Nobody registers or walks any more; processes may fork and end.
 *
 * Context: process, may sleep.
 */
void lw_registry_exit(void)
{
	struct lw_registry *registry;

	lw_registry_fork_exit();
	while ((registry = any_registry())) {
		if (!lw_registry_take_work_back(registry))
			schedule_timeout_uninterruptible(1);
		else if (lw_registry_unhash(registry))
			end_registry(registry);
		lw_registry_put(registry);
	}
	wait_event(all_gone, !atomic_read(&nr_registries));
	/* Those that call us: notifiers and what frees them, then work of tasks. */
	mmu_notifier_synchronize();
	synchronize_rcu();
	synchronize_rcu_tasks();
}

#else

bool lw_registry_works(void)
{
	return false;
}

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

void lw_registry_init(void)
{
}

void lw_registry_exit(void)
{
}

#endif
