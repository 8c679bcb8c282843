/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmas.h - what a process has mapped, by each way to know: LW_IOC_VMA_QUERY,
 * LW_IOC_VMA_LIST, the text of /proc/PID/maps, and PROCMAP_QUERY where the kernel has it.
 *
 * Functions return 0 or -errno.
 */
#ifndef VMAS_H
#define VMAS_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <latewind.h>

#define VMAS_NAME	4096

/* Since Linux 6.11; the headers may be older. */
struct vmas_procmap {
	__u64	size;
	__u64	flags;
	__u64	addr;
	__u64	start;
	__u64	end;
	__u64	vma_flags;
	__u64	page_size;
	__u64	offset;
	__u64	inode;
	__u32	dev_major;
	__u32	dev_minor;
	__u32	name_size;
	__u32	build_id_size;
	__u64	name;
	__u64	build_id;
};

#define VMAS_PROCMAP_QUERY	_IOWR('f', 17, struct vmas_procmap)

/* One mapping. */
struct vma {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint64_t page_size;		/* 0: not told */
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t flags;			/* LW_VMA_READABLE to LW_VMA_SHARED */
	int build_id_size;		/* -1: not told */
	uint8_t build_id[LW_BUILD_ID_MAX];
	char name[VMAS_NAME];
};

/* What to do with a mapping; a return other than 0 ends the walk. */
typedef int (*vmas_fn)(void *arg, const struct vma *vma);

int vmas_ask(int fd, pid_t pid, uint64_t addr, uint32_t flags, struct vma *vma);
int vmas_ask_procmap(int maps_fd, uint64_t addr, uint32_t flags, struct vma *vma);
int vmas_open(pid_t pid);
bool vmas_has_procmap(void);

int vmas_each(int fd, pid_t pid, vmas_fn fn, void *arg);
int vmas_each_entry(int fd, pid_t pid, size_t room, uint32_t flags, vmas_fn fn, void *arg);
int vmas_each_procmap(pid_t pid, vmas_fn fn, void *arg);
int vmas_each_line(pid_t pid, vmas_fn fn, void *arg);

bool vmas_same(const struct vma *a, const struct vma *b);
void vmas_print(const char *what, const struct vma *vma);
int vmas_build_id(const char *path, uint8_t *id);
int vmas_make_file(const char *path, const void *bytes, size_t size);
uint64_t vmas_map(int fd, int flags, off_t offset);

#endif /* VMAS_H */
