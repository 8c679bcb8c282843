// SPDX-License-Identifier: GPL-2.0
/*
 * vmas.c - see vmas.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lw_test.h"
#include "vmas.h"

int vmas_ask(int fd, pid_t pid, uint64_t addr, uint32_t flags, struct vma *vma)
{
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = flags,
		.pid = pid,
		.addr = addr,
		.name = (uintptr_t)vma->name,
		.name_size = sizeof(vma->name),
		.build_id = (uintptr_t)vma->build_id,
		.build_id_size = sizeof(vma->build_id),
	};
	int ret;

	vma->name[0] = 0;
	ret = lwt_ioctl(fd, LW_IOC_VMA_QUERY, &query);
	if (ret)
		return ret;
	vma->start = query.start;
	vma->end = query.end;
	vma->offset = query.offset;
	vma->inode = query.inode;
	vma->page_size = query.page_size;
	vma->dev_major = query.dev_major;
	vma->dev_minor = query.dev_minor;
	vma->flags = query.vma_flags;
	vma->build_id_size = query.build_id_size;
	/* The size is the name's. */
	return query.name_size == (vma->name[0] ? strlen(vma->name) + 1 : 0) ? 0 : -EPROTO;
}

int vmas_ask_procmap(int maps_fd, uint64_t addr, uint32_t flags, struct vma *vma)
{
	struct vmas_procmap query = {
		.size = sizeof(query),
		.flags = flags,
		.addr = addr,
		.name = (uintptr_t)vma->name,
		.name_size = sizeof(vma->name),
		.build_id = (uintptr_t)vma->build_id,
		.build_id_size = sizeof(vma->build_id),
	};

	vma->name[0] = 0;
	if (ioctl(maps_fd, VMAS_PROCMAP_QUERY, &query))
		return -errno;
	vma->start = query.start;
	vma->end = query.end;
	vma->offset = query.offset;
	vma->inode = query.inode;
	vma->page_size = query.page_size;
	vma->dev_major = query.dev_major;
	vma->dev_minor = query.dev_minor;
	vma->flags = query.vma_flags;
	vma->build_id_size = query.build_id_size;
	return 0;
}

/* Return: a descriptor of the process's maps. */
int vmas_open(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool vmas_has_procmap(void)
{
	int fd = vmas_open(getpid());
	struct vma *vma = malloc(sizeof(*vma));
	bool has;

	has = vmas_ask_procmap(fd, (uintptr_t)&fd, 0, vma) != -ENOTTY;
	free(vma);
	close(fd);
	return has;
}

/* Return: of @fn, -errno, or 0 at the end. */
int vmas_each(int fd, pid_t pid, vmas_fn fn, void *arg)
{
	struct vma *vma = malloc(sizeof(*vma));
	uint64_t addr = 0;
	int ret;

	while (!(ret = vmas_ask(fd, pid, addr, LW_VMA_COVERING_OR_NEXT, vma))) {
		ret = vma->end > addr ? fn(arg, vma) : -EPROTO;
		if (ret)
			break;
		addr = vma->end;
	}
	free(vma);
	return ret == -ENOENT ? 0 : ret;
}

/* Return: of @fn, or -EPROTO for an entry that can't be. */
static int hand_out(const struct lw_vma_list *list, struct vma *vma, vmas_fn fn, void *arg)
{
	const char *buf = (const char *)(uintptr_t)list->buf;
	const struct lw_vma_entry *entry;
	uint32_t at = 0, nr;
	int ret = 0;

	for (nr = 0; !ret && at < list->used; nr++, at += entry->size) {
		entry = (const void *)(buf + at);
		if (list->used - at < sizeof(*entry) + 8 || entry->size % 8 ||
		    entry->size > list->used - at || entry->size < sizeof(*entry) + 8 ||
		    strnlen(entry->name, entry->size - sizeof(*entry)) + 1 + 8 <=
		    entry->size - sizeof(*entry) ||
		    entry->name[entry->size - sizeof(*entry) - 1])
			return -EPROTO;
		if (entry->vma_flags & LW_VMA_SAME_NAME && (entry->name[0] || !nr))
			return -EPROTO;
		vma->start = entry->start;
		vma->end = entry->end;
		vma->offset = entry->offset;
		vma->inode = entry->inode;
		vma->dev_major = entry->dev_major;
		vma->dev_minor = entry->dev_minor;
		vma->flags = entry->vma_flags & ~LW_VMA_SAME_NAME;
		vma->page_size = 0;
		vma->build_id_size = -1;
		if (entry->name[0])
			strcpy(vma->name, entry->name);
		if (entry->name[0] || entry->vma_flags & LW_VMA_SAME_NAME) {
			ret = fn(arg, vma);
		} else {
			/* The name stays for the next one. */
			char first = vma->name[0];

			vma->name[0] = 0;
			ret = fn(arg, vma);
			vma->name[0] = first;
		}
	}
	return ret ?: nr == list->nr ? 0 : -EPROTO;
}

/* With a buffer of @room bytes, which nothing may be written behind. */
int vmas_each_entry(int fd, pid_t pid, size_t room, uint32_t flags, vmas_fn fn, void *arg)
{
	struct vma *vma = calloc(1, sizeof(*vma));
	unsigned char *buf = malloc(room + 64);
	struct lw_vma_list list = {
		.size = sizeof(list),
		.flags = flags,
		.pid = pid,
		.buf = (uintptr_t)buf,
		.buf_size = room,
	};
	uint64_t addr = 0;
	size_t i;
	int ret;

	do {
		memset(buf, 0xa5, room + 64);
		ret = lwt_ioctl(fd, LW_IOC_VMA_LIST, &list);
		if (!ret && (list.addr <= addr || !list.nr || list.used > room))
			ret = -EPROTO;
		for (i = ret ? 0 : list.used; !ret && i < room + 64; i++)
			ret = buf[i] == 0xa5 ? 0 : -EPROTO;
		addr = list.addr;
		if (!ret)
			ret = hand_out(&list, vma, fn, arg);
	} while (!ret);
	free(buf);
	free(vma);
	return ret == -ENOENT ? 0 : ret;
}

int vmas_each_procmap(pid_t pid, vmas_fn fn, void *arg)
{
	struct vma *vma = malloc(sizeof(*vma));
	int fd = vmas_open(pid), ret = fd < 0 ? fd : 0;
	uint64_t addr = 0;

	while (!ret) {
		ret = vmas_ask_procmap(fd, addr, LW_VMA_COVERING_OR_NEXT, vma);
		if (!ret)
			ret = fn(arg, vma);
		addr = vma->end;
	}
	if (fd >= 0)
		close(fd);
	free(vma);
	return ret == -ENOENT ? 0 : ret;
}

/* There a line feed is \012. */
static void unescape(char *to, const char *from)
{
	char *end = to + VMAS_NAME - 1;

	while (*from && to < end) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

static bool parse_line(const char *line, struct vma *vma)
{
	unsigned long long start, end, offset, inode;
	char perms[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset,
		   &vma->dev_major, &vma->dev_minor, &inode, &at) != 7 || !at)
		return false;
	vma->start = start;
	vma->end = end;
	vma->offset = offset;
	vma->inode = inode;
	vma->page_size = 0;
	vma->build_id_size = -1;
	vma->flags = (perms[0] == 'r' ? LW_VMA_READABLE : 0) |
		     (perms[1] == 'w' ? LW_VMA_WRITABLE : 0) |
		     (perms[2] == 'x' ? LW_VMA_EXECUTABLE : 0) |
		     (perms[3] == 's' ? LW_VMA_SHARED : 0);
	unescape(vma->name, line + at);
	return true;
}

int vmas_each_line(pid_t pid, vmas_fn fn, void *arg)
{
	struct vma *vma = malloc(sizeof(*vma));
	char path[32], *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		ret = -errno;
	while (!ret && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!parse_line(line, vma))
			ret = -EPROTO;
		else if (strcmp(vma->name, "[vsyscall]"))
			ret = fn(arg, vma);
	}
	if (maps)
		fclose(maps);
	free(line);
	free(vma);
	return ret;
}

/* In all that both tell. */
bool vmas_same(const struct vma *a, const struct vma *b)
{
	if (a->build_id_size >= 0 && b->build_id_size >= 0 &&
	    (a->build_id_size != b->build_id_size ||
	     memcmp(a->build_id, b->build_id, a->build_id_size)))
		return false;
	if (a->page_size && b->page_size && a->page_size != b->page_size)
		return false;
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->flags == b->flags && !strcmp(a->name, b->name);
}

void vmas_print(const char *what, const struct vma *vma)
{
	printf("# %s: %llx-%llx %x %llx %x:%x %llu %d '%s'\n", what, (long long)vma->start,
	       (long long)vma->end, vma->flags, (long long)vma->offset, vma->dev_major,
	       vma->dev_minor, (long long)vma->inode, vma->build_id_size, vma->name);
}

static int id_in_notes(Elf_Data *data, uint8_t *id)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) || !note.n_descsz ||
		    note.n_descsz > LW_BUILD_ID_MAX)
			continue;
		memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

static int id_of_elf(Elf *elf, uint8_t *id)
{
	size_t nr = 0, i;
	GElf_Phdr phdr;
	int size = 0;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr && !size; i++) {
		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		/* With ELF_T_NHDR8 those of 8 bytes are padded, which nobody's notes are. */
		size = id_in_notes(elf_getdata_rawchunk(elf, phdr.p_offset, phdr.p_filesz,
							ELF_T_NHDR), id);
	}
	return size;
}

/* libelf's.  Return: bytes of it, 0: none, or -errno. */
int vmas_build_id(const char *path, uint8_t *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), size;
	Elf *elf;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = id_of_elf(elf, id);
	elf_end(elf);
	close(fd);
	return size;
}

/* A file of three pages.  Return: a descriptor, or -1. */
int vmas_make_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd >= 0 && (write(fd, bytes, size) != (ssize_t)size || ftruncate(fd, 3 * lwt_page()))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A page of it, or 0. */
uint64_t vmas_map(int fd, int flags, off_t offset)
{
	void *map = mmap(NULL, lwt_page(), PROT_READ, flags, fd, offset);

	return map == MAP_FAILED ? 0 : (uintptr_t)map;
}
