// SPDX-License-Identifier: GPL-2.0
/*
 * registered.c - a section that a process registered: copied, checked, freed.
 *
 * The bytes are the kernel's own from the first look at them on, so that what was
 * checked is what is used.  Look-ups check again what they touch, as they do with
 * any section: what is refused here is refused so that who made it hears of it.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "arch/arch.h"
#include "latewind.h"
#include "registered.h"

/* Bytes copied before somebody else may run, or we are killed. */
#define COPY_AT_ONCE	0x100000U
/* FDEs and rows checked likewise, but for the rest of one function. */
#define CHECK_AT_ONCE	1024
/* With fewer functions a search is short. */
#define INDEX_FROM	32
#define FDES_A_BUCKET	4

/*
 * To be freed by the worker, or by whoever registers or removes a section next: these
 * can't bring garbage faster than they free it, whoever has the CPU of the worker.
 */
static LLIST_HEAD(garbage);
/* No call is to go on for long any more. */
static bool leaving;

static void registered_free_section(struct lw_registered *section)
{
	kvfree(section->first);
	kvfree(section);
}

static void registered_free_garbage(struct work_struct *work)
{
	struct lw_registered *section, *next;

	llist_for_each_entry_safe(section, next, llist_del_all(&garbage),
				  garbage) {
		registered_free_section(section);
		cond_resched();
	}
}

static DECLARE_WORK(garbage_work, registered_free_garbage);

/**
 * lw_registered_get - one more holds a section
 * @section: that the caller holds, or knows to be held
 *
 * Context: any.
 * Return: @section.
 */
struct lw_registered *lw_registered_get(struct lw_registered *section)
{
	refcount_inc(&section->ref);
	return section;
}

/**
 * lw_registered_put_quietly - give back a section, and free nothing
 * @section: not to be used after that
 *
 * Freeing is an event that somebody may trace, see lw_walk_put().
 *
 * Context: any.
 */
void lw_registered_put_quietly(struct lw_registered *section)
{
	if (refcount_dec_and_test(&section->ref))
		llist_add(&section->garbage, &garbage);
}

/**
 * lw_registered_put - give back a section
 * @section: not to be used after that
 *
 * Memory of vmalloc() can't be freed in all places that this is called from: a
 * worker does it.
 *
 * Context: any but NMI.
 */
void lw_registered_put(struct lw_registered *section)
{
	if (!refcount_dec_and_test(&section->ref))
		return;
	llist_add(&section->garbage, &garbage);
	/* A worker that has not begun will find it: it clears that first. */
	if (!work_pending(&garbage_work))
		schedule_work(&garbage_work);
}

/**
 * lw_registered_tidy - free what lw_registered_put_quietly() left
 *
 * Context: any but NMI.
 */
void lw_registered_tidy(void)
{
	if (!llist_empty(&garbage) && !work_pending(&garbage_work))
		schedule_work(&garbage_work);
}

/**
 * lw_registered_free_now - free what nobody holds any more, and wait for that
 *
 * Context: process, may sleep, without locks.
 */
void lw_registered_free_now(void)
{
	registered_free_garbage(NULL);
}

/**
 * lw_registered_exit - free the last sections; nobody holds one
 *
 * Context: process, may sleep.
 */
void lw_registered_exit(void)
{
	cancel_work_sync(&garbage_work);
	registered_free_garbage(NULL);
}

/**
 * lw_registered_leave - calls that run are to give up, as the module is unloaded
 *
 * Context: any.
 */
void lw_registered_leave(void)
{
	WRITE_ONCE(leaving, true);
}

/**
 * lw_registered_pause - let others run, in the middle of a call
 *
 * Context: process, may sleep.
 * Return: 0, -EINTR (killed), -ENODEV (the module is unloaded, and waits for the call).
 */
int lw_registered_pause(void)
{
	cond_resched();
	if (READ_ONCE(leaving))
		return -ENODEV;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/* Pages that are not resident are not waited for: rmmod may wait for us. */
static int registered_copy_bytes(u8 *to, u64 from, u64 len)
{
	u64 at, part;
	int ret = 0;

	for (at = 0; at < len && !ret; at += part) {
		part = min_t(u64, len - at, COPY_AT_ONCE);
		if (copy_from_user_nofault(to + at, u64_to_user_ptr(from + at), part))
			return -EFAULT;
		ret = lw_registered_pause();
	}
	return ret;
}

/*
 * Rows may be shared by any number of functions: the budget is more than the section
 * holds if each is looked at once.  Behind it functions are not checked.
 *
 * Return: 0, -EINVAL, or as lw_registered_pause().
 */
static int registered_check_functions(const struct lw_sframe *sf)
{
	u32 left = min_t(u64, sf->src->size, U32_MAX), paused = left;
	int ret;
	u32 i;

	for (i = 0; i < sf->num_fdes; i++) {
		if (lw_sframe_is_corrupt(lw_sframe_check_fde(sf, i, &left)))
			return -EINVAL;
		if (paused - left < CHECK_AT_ONCE)
			continue;
		ret = lw_registered_pause();
		if (ret)
			return ret;
		paused = left;
	}
	return 0;
}

/* Return: 0, or -EINVAL if it is not sorted.  Without memory there is no index. */
static int registered_add_index(struct lw_registered *section)
{
	u32 room = section->sframe.num_fdes / FDES_A_BUCKET;
	size_t bytes = (room + 1ULL) * sizeof(*section->first);
	u32 unused[3];
	int ret;

	if (section->sframe.num_fdes >= INDEX_FROM)
		section->first = kvmalloc(bytes, GFP_KERNEL_ACCOUNT |
						 __GFP_NOWARN);
	if (section->first)
		return lw_sframe_add_index(&section->sframe, section->first, room) ? -EINVAL : 0;
	/* For what it says of the order. */
	ret = lw_sframe_add_index(&section->sframe, unused, ARRAY_SIZE(unused) - 1);
	section->sframe.index = NULL;
	return ret ? -EINVAL : 0;
}

static int registered_check_section(struct lw_registered *section,
				    const struct lw_section *arg)
{
	struct lw_sframe_place place = {
		.addr = arg->base ?: arg->addr,
		.text_start = arg->text_start,
		.text_end = arg->text_start + arg->text_size,
	};
	int ret;

	section->source.bytes = section->bytes;
	section->source.size = arg->len;
	if (lw_sframe_open(&section->sframe, &section->source, &place,
			   LW_ARCH_SFRAME_ABI))
		return -EINVAL;
	ret = registered_check_functions(&section->sframe);
	return ret ?: registered_add_index(section);
}

/**
 * lw_registered_memory - what a section takes, at most
 * @len: bytes of it
 *
 * Context: any.
 * Return: bytes, with its index: that has 4 bytes for FDES_A_BUCKET functions, of 16
 * bytes at least each, and one more.
 */
u64 lw_registered_memory(u64 len)
{
	return sizeof(struct lw_registered) + len +
	       (len / (16 * FDES_A_BUCKET) + 1) * sizeof(u32);
}

/**
 * lw_registered_copy - take a section from the memory of current
 * @arg: its length and text were checked: not 0, and ends don't overflow; the caller
 *	has room for lw_registered_memory()
 *
 * Context: process, may sleep.
 * Return: the section, for one holder; ERR_PTR(-EFAULT), ERR_PTR(-EINVAL),
 * ERR_PTR(-ENOMEM), or as lw_registered_pause().
 */
struct lw_registered *lw_registered_copy(const struct lw_section *arg)
{
	struct lw_registered *section;
	size_t bytes;
	int ret;

	if (check_add_overflow(sizeof(*section), (size_t)arg->len, &bytes))
		return ERR_PTR(-ENOMEM);
	lw_registered_free_now();
	section = kvmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!section)
		return ERR_PTR(-ENOMEM);
	memset(section, 0, sizeof(*section));
	refcount_set(&section->ref, 1);
	section->memory = lw_registered_memory(arg->len);
	ret = registered_copy_bytes(section->bytes, arg->addr, arg->len);
	if (!ret)
		ret = registered_check_section(section, arg);
	if (!ret)
		return section;
	registered_free_section(section);
	return ERR_PTR(ret);
}
