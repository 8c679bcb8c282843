// SPDX-License-Identifier: GPL-2.0
/*
 * registry_fork.c - what a child gets of the sections of its parent.
 *
 * The tracepoint sched_process_fork is too late to see the parent as it was when its
 * memory was copied, and no place to sleep; the child may not run its own code before
 * it has a notifier, or it could unmap unseen.  So
 *
 *   - changes of a registry are numbered.  Copying tells the parent's notifier of the
 *     pages that are write-protected (under mmap_lock for writing, so nothing is
 *     added meanwhile; msync() and others tell the same without it): the number as of
 *     then is noted for the task that forks;
 *   - the probe makes an heir, a registry without content, with that number, and puts
 *     work on the child's list.  From here on, and until the child has inherited,
 *     sections that the parent drops are kept aside;
 *   - the work runs before the child's first instruction in user space.  It makes the
 *     notifier and takes what was there as of that number.
 *
 * Between copy and probe only another thread can drop a section.  The child is
 * without it then, as it is without all if there is no memory: never with one that
 * is wrong.
 *
 * Context of all here, if they don't say otherwise: process, may sleep.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>

#include "compat/tracepoint.h"
#include "registered.h"
#include "registry.h"
#include "taskwork.h"

#if LW_COMPAT_REGISTRY

/* Signals that come while a notifier is made. */
#define MAX_INTERRUPTED	1000
/* Sections that are none to take, before somebody else gets the lock. */
#define SKIP_AT_ONCE	128

static struct tracepoint *fork_tracepoint;
/* Protects has_probe. */
static DEFINE_MUTEX(probe_mutex);
static bool has_probe;

static struct lw_registry_note *find_note(struct lw_registry *registry,
					  const struct task_struct *task)
{
	unsigned int i;

	lockdep_assert_held(&registry->lock);
	for (i = 0; i < LW_REGISTRY_NOTES; i++)
		if (registry->notes[i].task == task)
			return &registry->notes[i];
	return NULL;
}

/**
 * lw_registry_note_copy - current copies the memory of its process
 * @registry: of that
 *
 * Context: mmap_lock is held for writing; does not sleep.
 */
void lw_registry_note_copy(struct lw_registry *registry)
{
	struct lw_registry_note *note;

	spin_lock(&registry->lock);
	/* Its own, else a free one, else that of whoever forked long ago and failed. */
	note = find_note(registry, current) ?: find_note(registry, NULL) ?:
	       &registry->notes[registry->next_note++ % LW_REGISTRY_NOTES];
	note->task = current;
	note->as_of = registry->changes;
	spin_unlock(&registry->lock);
}

/*
 * As lw_registry_notify(), but no signal gets in between: one that is pending, or a
 * debugger's stop, would else be handled by user code that we don't see.  The flags
 * are but hints to look, and current's own; they are set again.
 */
static int notify_uninterrupted(struct lw_registry *registry)
{
	bool pending = test_and_clear_thread_flag(TIF_SIGPENDING);
	bool notify = test_and_clear_thread_flag(TIF_NOTIFY_SIGNAL);
	int ret = lw_registry_notify(registry);

	if (notify)
		set_thread_flag(TIF_NOTIFY_SIGNAL);
	if (pending)
		set_thread_flag(TIF_SIGPENDING);
	return ret;
}

/* Return: 0, -ENOMEM, -EINTR (killed). */
static int make_notifier_now(struct lw_registry *registry)
{
	unsigned int i;
	int ret = -EINTR;

	/* That one may come meanwhile: with the flag set it shows. */
	for (i = 0; ret == -EINTR && i < MAX_INTERRUPTED; i++) {
		if (fatal_signal_pending(current))
			break;
		ret = notify_uninterrupted(registry);
	}
	return ret;
}

/*
 * struct legacy - how far an heir has come
 * @as_of: what it may take
 * @from: address of the next one of those that are there; U64_MAX: none is left
 * @kept: the last one of those that are kept aside
 */
struct legacy {
	u64	as_of;
	u64	from;
	struct list_head *kept;
};

/* Of those that are there, by address.  Return: as next_legacy(). */
static struct lw_registry_entry *next_present(struct lw_registry *parent,
					      struct legacy *legacy)
{
	struct lw_registry_entry *entry;
	unsigned int i;

	lockdep_assert_held(&parent->lock);
	entry = lw_registry_first_in(parent, legacy->from, U64_MAX);
	for (i = 0; entry && i < SKIP_AT_ONCE; i++) {
		legacy->from = entry->end;
		if (entry->added <= legacy->as_of)
			return entry;
		entry = lw_registry_after(parent, entry);
	}
	if (entry)
		return ERR_PTR(-EAGAIN);
	legacy->from = U64_MAX;
	return NULL;
}

/* Of those that are kept, in their order.  Return: as next_legacy(). */
static struct lw_registry_entry *next_kept(struct lw_registry *parent,
					   struct legacy *legacy)
{
	struct lw_registry_entry *entry;
	unsigned int i;

	lockdep_assert_held(&parent->lock);
	for (i = 0; i < SKIP_AT_ONCE; i++) {
		if (list_is_last(legacy->kept, &parent->kept))
			return NULL;
		legacy->kept = legacy->kept->next;
		entry = list_entry(legacy->kept, struct lw_registry_entry, list);
		if (entry->added <= legacy->as_of && entry->dropped > legacy->as_of)
			return entry;
	}
	return ERR_PTR(-EAGAIN);
}

/*
 * First those that are there, then those that are kept: what goes from here to there
 * meanwhile is not missed, and may come twice.
 *
 * Return: the next one to take, NULL, or ERR_PTR(-EAGAIN): there may be more.
 */
static struct lw_registry_entry *next_legacy(struct lw_registry *parent,
					     struct legacy *legacy)
{
	struct lw_registry_entry *entry = NULL;

	if (legacy->from != U64_MAX)
		entry = next_present(parent, legacy);
	return entry ?: next_kept(parent, legacy);
}

/* Return: 0, -ENOENT if the child does not have the text, -EEXIST if it came before. */
static int adopt(struct lw_registry *heir, struct lw_registry_entry *entry)
{
	int ret = -ENOENT;

	if (lw_registry_is_code(heir->mm, entry->start, entry->end,
				VM_WIPEONFORK)) {
		spin_lock(&heir->lock);
		ret = lw_registry_link(heir, entry);
		spin_unlock(&heir->lock);
	}
	return ret;
}

/* The next one, to @entry.  Return: 1, 0 if there is none, -EAGAIN, -EINTR (killed). */
static int copy_next(struct lw_registry *parent, struct legacy *legacy,
		     struct lw_registry_entry *entry)
{
	struct lw_registry_entry *theirs;

	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	spin_lock(&parent->lock);
	theirs = next_legacy(parent, legacy);
	if (!IS_ERR_OR_NULL(theirs)) {
		entry->start = theirs->start;
		entry->end = theirs->end;
		entry->section = lw_registered_get(theirs->section);
	}
	spin_unlock(&parent->lock);
	return IS_ERR(theirs) ? PTR_ERR(theirs) : !!theirs;
}

/* Return: 1 if one was taken, or passed; 0 if there is none, -ENOMEM, -EINTR (killed). */
static int take_next(struct lw_registry *heir, struct lw_registry *parent,
		     struct legacy *legacy)
{
	struct lw_registry_entry *entry;
	int ret;

	entry = kmalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!entry)
		return -ENOMEM;
	do {
		ret = copy_next(parent, legacy, entry);
	} while (ret == -EAGAIN);
	if (ret > 0) {
		if (!adopt(heir, entry))
			return 1;
		lw_registered_put(entry->section);
	}
	kfree(entry);
	return ret;
}

/* Return: 0, -ENOMEM, -EINTR (killed). */
static int take_legacy(struct lw_registry *heir, struct lw_registry *parent)
{
	struct legacy legacy = { .as_of = heir->as_of, .kept = &parent->kept };
	int ret;

	lockdep_assert_held(&parent->inheriting);
	do {
		ret = take_next(heir, parent, &legacy);
	} while (ret > 0);
	return ret;
}

/* Nobody inherits those any more; to @gone. */
static void forget_kept(struct lw_registry *registry, struct list_head *gone)
{
	struct lw_registry_entry *entry;

	lockdep_assert_held(&registry->lock);
	list_for_each_entry(entry, &registry->kept, list)
		lw_registry_uncharge(registry, entry);
	list_splice_tail_init(&registry->kept, gone);
}

/* Of this heir the parent keeps nothing any more. */
static void leave_parent(struct lw_registry *heir)
{
	struct lw_registry *parent = heir->parent;
	LIST_HEAD(gone);

	spin_lock(&parent->lock);
	if (!--parent->heirs)
		forget_kept(parent, &gone);
	spin_unlock(&parent->lock);
	lw_registry_free_entries(&gone);
	/* With has_notifier; pairs with smp_load_acquire() in lw_registry_take_work_back(). */
	smp_store_release(&heir->parent, NULL);
	lw_registry_put(parent);
}

/* Return: 0; -errno if the heir has no notifier. */
static int take_over(struct lw_registry *heir)
{
	struct lw_registry *parent = heir->parent;
	int ret;

	if (current->mm != heir->mm || fatal_signal_pending(current))
		return -ESRCH;
	ret = mmap_write_lock_killable(heir->mm);
	if (ret)
		return ret;
	ret = make_notifier_now(heir);
	if (!ret) {
		mutex_lock(&parent->inheriting);
		if (take_legacy(heir, parent))
			lw_registry_drop(heir, 0, U64_MAX);
		mutex_unlock(&parent->inheriting);
	}
	mmap_write_unlock(heir->mm);
	return ret;
}

/**
 * lw_registry_inherit - take what the parent had, or end
 * @heir: has a parent; current is its task, before it is in user space or when it
 *	exits
 *
 * Context: task, without locks, may sleep.
 */
void lw_registry_inherit(struct lw_registry *heir)
{
	int ret = take_over(heir);

	leave_parent(heir);
	if (ret && lw_registry_unhash(heir))
		lw_registry_put(heir);
}

static void inherit_work(struct callback_head *work)
{
	struct lw_registry *heir = container_of(work, struct lw_registry, work);

	/* A walk may have come first. */
	if (heir->parent)
		lw_registry_inherit(heir);
	lw_registry_put(heir);
}

/* As of when @parent's memory was copied by current; 0: not known. */
static u64 take_note(struct lw_registry *parent)
{
	struct lw_registry_note *note = find_note(parent, current);

	if (!note)
		return 0;
	note->task = NULL;
	return note->as_of;
}

static void make_heir(struct lw_registry *parent, struct task_struct *child,
		      u64 as_of)
{
	struct lw_registry *heir;

	heir = lw_registry_make(child->mm, GFP_NOWAIT | __GFP_NOWARN);
	if (!heir)
		return;
	/* The hash's, and the work's. */
	refcount_set(&heir->ref, 2);
	heir->task = child;
	heir->parent = parent;
	heir->as_of = as_of;
	init_task_work(&heir->work, inherit_work);
	spin_lock(&parent->lock);
	parent->heirs++;
	refcount_inc(&parent->ref);
	spin_unlock(&parent->lock);
	lw_registry_hash(heir);
	lw_taskwork_queue_new(child, &heir->work);
}

/* In the parent, before the child runs.  Context: does not sleep. */
static void task_forks(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	struct lw_registry *registry;
	u64 as_of;

	if (!child->mm || child->mm == parent->mm)
		return;
	registry = lw_registry_own();
	if (!registry)
		return;
	spin_lock(&registry->lock);
	as_of = take_note(registry);
	if (RB_EMPTY_ROOT(&registry->tree))
		as_of = 0;
	spin_unlock(&registry->lock);
	if (as_of)
		make_heir(registry, child, as_of);
}

/**
 * lw_registry_disinherit - free what is kept for heirs
 * @registry: of current
 *
 * Context: process, may sleep.
 * Return: was there anything?
 */
bool lw_registry_disinherit(struct lw_registry *registry)
{
	LIST_HEAD(gone);
	bool some;

	mutex_lock(&registry->inheriting);
	spin_lock(&registry->lock);
	forget_kept(registry, &gone);
	spin_unlock(&registry->lock);
	mutex_unlock(&registry->inheriting);
	some = !list_empty(&gone);
	lw_registry_free_entries(&gone);
	return some;
}

/**
 * lw_registry_take_work_back - keep an heir from its inheritance
 * @heir: may be none, or have inherited
 *
 * As long as there is a parent, the work is on the task's list or runs, which has
 * the task stay; see cancel() in request.c.
 *
 * Context: process, may sleep.
 * Return: false if it is about to inherit: come again.
 */
bool lw_registry_take_work_back(struct lw_registry *heir)
{
	bool cancelled;

	rcu_read_lock();
	/* Pairs with smp_store_release() in leave_parent(). */
	if (!smp_load_acquire(&heir->parent)) {
		rcu_read_unlock();
		return true;
	}
	cancelled = lw_taskwork_cancel(heir->task, &heir->work);
	rcu_read_unlock();
	if (cancelled) {
		leave_parent(heir);
		lw_registry_put(heir);
	}
	return cancelled;
}

/**
 * lw_registry_add_probe - see forks from here on
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP, or -errno of tracepoint_probe_register().
 */
int lw_registry_add_probe(void)
{
	int ret = 0;

	mutex_lock(&probe_mutex);
	if (!fork_tracepoint)
		ret = -EOPNOTSUPP;
	else if (!has_probe)
		ret = tracepoint_probe_register(fork_tracepoint, task_forks,
						NULL);
	has_probe = !ret;
	mutex_unlock(&probe_mutex);
	return ret;
}

/**
 * lw_registry_sees_forks - is there what tells of fork()
 *
 * Context: any, after lw_registry_fork_init().
 * Return: whether there is.
 */
bool lw_registry_sees_forks(void)
{
	return fork_tracepoint;
}

/**
 * lw_registry_fork_init - before the first registry
 *
 * Context: process, may sleep.
 */
void lw_registry_fork_init(void)
{
	fork_tracepoint = lw_tracepoint("sched_process_fork");
}

/**
 * lw_registry_fork_exit - there are no new heirs from here on
 *
 * Context: process, may sleep.
 */
void lw_registry_fork_exit(void)
{
	if (has_probe)
		tracepoint_probe_unregister(fork_tracepoint, task_forks, NULL);
	tracepoint_synchronize_unregister();
}

#endif
