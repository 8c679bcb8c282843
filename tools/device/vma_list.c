// SPDX-License-Identifier: GPL-2.0
/*
 * vma_list.c - all mappings of a process, many at a call: struct lw_vma_list.
 *
 * Contexts: one thread per lister.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device/vma_list.h"

/* Some hundred mappings, more than most processes have; least for one is 4200. */
#define ROOM		(64U << 10)

struct lw_vma_lister {
	int fd;
	const char *name;
	u64 room[ROOM / sizeof(u64)];
};

static bool has_feature(int fd)
{
	struct lw_info info = { .size = sizeof(info) };

	return !ioctl(fd, LW_IOC_INFO, &info) && info.features & LW_FEATURE_VMA_LIST;
}

/**
 * lw_vma_lister_new - begin
 *
 * Return: it, or NULL: the module is not there, or can't, or there is no memory.
 */
struct lw_vma_lister *lw_vma_lister_new(void)
{
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	struct lw_vma_lister *lister;

	if (fd < 0)
		return NULL;
	lister = has_feature(fd) ? malloc(sizeof(*lister)) : NULL;
	if (lister)
		lister->fd = fd;
	else
		close(fd);
	return lister;
}

/**
 * lw_vma_lister_free - end
 * @lister: or NULL
 */
void lw_vma_lister_free(struct lw_vma_lister *lister)
{
	if (!lister)
		return;
	close(lister->fd);
	free(lister);
}

static int hand_out(struct lw_vma_lister *lister, u32 used, lw_vma_entry_fn fn, void *ctx)
{
	const struct lw_vma_entry *entry;
	int ret = 0;

	for (u32 at = 0; !ret && at < used; at += entry->size) {
		entry = (const void *)((const char *)lister->room + at);
		if (!(entry->vma_flags & LW_VMA_SAME_NAME) && entry->name[0])
			lister->name = entry->name;
		ret = fn(ctx, entry, entry->vma_flags & LW_VMA_SAME_NAME ? lister->name :
								       entry->name);
	}
	return ret;
}

/**
 * lw_vma_lister_each - tell of all mappings of a process
 * @lister: it
 * @pid: process; 0: this one
 * @flags: LW_VMA_*: only mappings that have these
 * @fn: called with each, in the order of addresses
 * @ctx: for @fn
 *
 * Return: 0, the first other return of @fn, or -errno of LW_IOC_VMA_LIST.
 */
int lw_vma_lister_each(struct lw_vma_lister *lister, pid_t pid, u32 flags, lw_vma_entry_fn fn,
		       void *ctx)
{
	struct lw_vma_list list = {
		.size = sizeof(list),
		.flags = flags,
		.pid = pid,
		.buf = (uintptr_t)lister->room,
		.buf_size = sizeof(lister->room),
	};
	int ret = 0;

	while (!ret && list.addr != ~0ULL) {
		/* each call has the name in its first entry */
		lister->name = "";
		if (ioctl(lister->fd, LW_IOC_VMA_LIST, &list))
			return errno == ENOENT ? 0 : -errno;
		ret = hand_out(lister, list.used, fn, ctx);
	}
	return ret;
}
