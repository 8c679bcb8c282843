/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma_query.h - what is mapped at an address of a process.
 */
#ifndef LW_VMA_QUERY_H
#define LW_VMA_QUERY_H

#include <sys/types.h>

#include "base/util.h"
#include "latewind.h"

#define LW_VMA_NAME_MAX	4096

/* How to know, best first. */
enum lw_vma_way {
	LW_VMA_BY_PROCMAP,	/* PROCMAP_QUERY of /proc/PID/maps, since Linux 6.11 */
	LW_VMA_BY_MODULE,	/* LW_IOC_VMA_QUERY */
	LW_VMA_BY_TEXT,		/* /proc/PID/maps, read up to the mapping */
	LW_VMA_NR_WAYS
};

/* What lw_vma_query() is to find out besides. */
#define LW_VMA_WANT_NAME	1U
#define LW_VMA_WANT_BUILD_ID	2U

/* One mapping. */
struct lw_vma {
	u64 start, end;
	u64 offset;		/* in the file; this and the next are 0 without one */
	u64 inode;
	u32 dev_major, dev_minor;
	u32 flags;		/* LW_VMA_READABLE to LW_VMA_SHARED */
	u32 build_id_size;	/* 0: none, or not asked for */
	u8 build_id[LW_BUILD_ID_MAX];
	char name[LW_VMA_NAME_MAX];	/* "": none, or not asked for */
};

struct lw_vmas;

int lw_vmas_open(struct lw_vmas **vmas, pid_t pid);
int lw_vmas_open_by(struct lw_vmas **vmas, pid_t pid, enum lw_vma_way way);
void lw_vmas_close(struct lw_vmas *vmas);
enum lw_vma_way lw_vmas_way(const struct lw_vmas *vmas);
int lw_vma_query(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma);

#endif /* LW_VMA_QUERY_H */
