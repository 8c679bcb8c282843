// SPDX-License-Identifier: GPL-2.0
/*
 * vma_query.c - what is mapped at an address of a process, by the best way there is.
 *
 * All ways give the same answers, of the memory that the process has when it is asked:
 * [vsyscall], which is text's only and in no process, is left out.  They differ in who is
 * told: see the man page of proc(5), and struct lw_vma_query.
 *
 * Contexts: one thread per struct lw_vmas.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/vma_query.h"
#include "elf/elf_file.h"
#include "elf/mapped_file.h"

/* Several lines of the longest names, each byte of which may be four there. */
#define TEXT_ROOM	65536
/* What a file may say of its notes, as in elf_file.c. */
#define MAX_NOTES	16U
#define MAX_NOTE_SIZE	(1U << 16)

/* struct procmap_query of linux/fs.h of Linux 6.11; the headers may be older. */
struct procmap {
	u64 size;
	u64 query_flags;	/* the values are those of LW_VMA_* */
	u64 query_addr;
	u64 vma_start;
	u64 vma_end;
	u64 vma_flags;
	u64 vma_page_size;
	u64 vma_offset;
	u64 inode;
	u32 dev_major;
	u32 dev_minor;
	u32 vma_name_size;
	u32 build_id_size;
	u64 vma_name_addr;
	u64 build_id_addr;
};

#define PROCMAP		_IOWR('f', 17, struct procmap)

/* Maps, or the device. */
struct lw_vmas {
	pid_t pid;
	enum lw_vma_way way;
	int fd;
	char *text;		/* LW_VMA_BY_TEXT: TEXT_ROOM bytes */
};

static int open_maps(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == ENOENT ? -ESRCH : -errno;
}

/* PROCMAP_QUERY */

static int ask_procmap(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma)
{
	struct procmap query = {
		.size = sizeof(query),
		.query_flags = flags,
		.query_addr = addr,
	};

	if (want & LW_VMA_WANT_NAME) {
		query.vma_name_addr = (uintptr_t)vma->name;
		query.vma_name_size = sizeof(vma->name);
	}
	if (want & LW_VMA_WANT_BUILD_ID) {
		query.build_id_addr = (uintptr_t)vma->build_id;
		query.build_id_size = sizeof(vma->build_id);
	}
	if (ioctl(vmas->fd, PROCMAP, &query))
		return -errno;
	vma->start = query.vma_start;
	vma->end = query.vma_end;
	vma->offset = query.vma_offset;
	vma->inode = query.inode;
	vma->dev_major = query.dev_major;
	vma->dev_minor = query.dev_minor;
	vma->flags = query.vma_flags;
	vma->build_id_size = query.build_id_size;
	return 0;
}

/* LW_IOC_VMA_QUERY */

static int ask_module(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma)
{
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = flags,
		.pid = vmas->pid,
		.addr = addr,
	};

	if (want & LW_VMA_WANT_NAME) {
		query.name = (uintptr_t)vma->name;
		query.name_size = sizeof(vma->name);
	}
	if (want & LW_VMA_WANT_BUILD_ID) {
		query.build_id = (uintptr_t)vma->build_id;
		query.build_id_size = sizeof(vma->build_id);
	}
	if (ioctl(vmas->fd, LW_IOC_VMA_QUERY, &query))
		return -errno;
	vma->start = query.start;
	vma->end = query.end;
	vma->offset = query.offset;
	vma->inode = query.inode;
	vma->dev_major = query.dev_major;
	vma->dev_minor = query.dev_minor;
	vma->flags = query.vma_flags;
	vma->build_id_size = query.build_id_size;
	return 0;
}

/* Text */

/* Return: behind the number and the @end after it, or NULL. */
static const char *parse_hex(const char *text, char end, u64 *value)
{
	u64 digits = 0;

	for (*value = 0; digits < 16; digits++, text++) {
		char c = *text;

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (c - 'a' + 10);
		else
			break;
	}
	return digits && *text == end ? text + 1 : NULL;
}

/* Return: whether @line is one of maps; its name is at @name. */
static bool parse_line(const char *line, struct lw_vma *vma, const char **name)
{
	char perms[5];
	int at = 0;

	line = parse_hex(line, '-', &vma->start);
	line = line ? parse_hex(line, ' ', &vma->end) : NULL;
	if (!line || sscanf(line, "%4s %llx %x:%x %llu %n", perms, &vma->offset, &vma->dev_major,
			    &vma->dev_minor, &vma->inode, &at) != 5 || !at)
		return false;
	vma->flags = (perms[0] == 'r' ? LW_VMA_READABLE : 0) |
		     (perms[1] == 'w' ? LW_VMA_WRITABLE : 0) |
		     (perms[2] == 'x' ? LW_VMA_EXECUTABLE : 0) |
		     (perms[3] == 's' ? LW_VMA_SHARED : 0);
	*name = line + at;
	return true;
}

static bool is_of_file(const struct lw_vma *vma, const char *name)
{
	return vma->inode || vma->dev_major || vma->dev_minor || (*name && *name != '[');
}

static bool is_wanted(const struct lw_vma *vma, const char *name, u32 flags)
{
	const u32 permissions = LW_VMA_READABLE | LW_VMA_WRITABLE | LW_VMA_EXECUTABLE |
				LW_VMA_SHARED;

	if (flags & LW_VMA_FILE_BACKED && !is_of_file(vma, name))
		return false;
	return !(flags & permissions & ~vma->flags);
}

/* A line feed is \012 there, but so is "\012": the link has the name itself. */
static int copy_name(pid_t pid, struct lw_vma *vma, const char *name)
{
	char *to = vma->name, path[64];
	ssize_t len;

	if (strstr(name, "\\012")) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid, vma->start,
			 vma->end);
		len = readlink(path, to, sizeof(vma->name));
		if (len >= (ssize_t)sizeof(vma->name))
			return -ENAMETOOLONG;
		if (len > 0) {
			to[len] = 0;
			return 0;
		}
	}
	while (*name && to < vma->name + sizeof(vma->name)) {
		bool feed = !strncmp(name, "\\012", 4);

		*to++ = feed ? '\n' : *name;
		name += feed ? 4 : 1;
	}
	if (to == vma->name + sizeof(vma->name))
		return -ENAMETOOLONG;
	*to = 0;
	return 0;
}

/* As the kernel does: the first that is not too long. */
static u32 build_id_in_notes(Elf_Data *data, u8 *id)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) || !note.n_descsz ||
		    note.n_descsz > LW_BUILD_ID_MAX)
			continue;
		memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

static u32 build_id_of_elf(const struct lw_elf *file, u8 *id)
{
	unsigned int nr = 0;
	GElf_Phdr phdr;
	GElf_Ehdr ehdr;
	u32 size = 0;

	if (!gelf_getehdr(file->elf, &ehdr) || (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN))
		return 0;
	for (size_t i = 0; i < file->nr_phdrs && nr < MAX_NOTES && !size; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_filesz > MAX_NOTE_SIZE)
			continue;
		nr++;
		size = build_id_in_notes(elf_getdata_rawchunk(file->elf, phdr.p_offset,
							      phdr.p_filesz, ELF_T_NHDR), id);
	}
	return size;
}

/* As far as the file can be read. */
static u32 read_build_id(pid_t pid, struct lw_vma *vma, const char *name)
{
	struct lw_mapping map = {
		.pid = pid,
		.start = vma->start,
		.end = vma->end,
		.dev = makedev(vma->dev_major, vma->dev_minor),
		.ino = vma->inode,
		.path = name,
	};
	struct lw_elf file;
	struct stat st;
	char path[64];
	u32 size = 0;
	int fd;

	if (!is_of_file(vma, name))
		return 0;
	fd = lw_open_mapped(&map, &st);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!lw_elf_open(&file, path)) {
		size = build_id_of_elf(&file, vma->build_id);
		lw_elf_close(&file);
	}
	close(fd);
	return size;
}

/* Return: 1 if it is not this one, 0 if it is, or -errno. */
static int look_at_line(struct lw_vmas *vmas, const char *line, u64 addr, u32 flags, u32 want,
			struct lw_vma *vma)
{
	const char *name, *rest;
	u64 start, end;
	int ret = 0;

	rest = parse_hex(line, '-', &start);
	if (!rest || !parse_hex(rest, ' ', &end))
		return -EPROTO;
	if (end <= addr)
		return 1;
	if (start > addr && !(flags & LW_VMA_COVERING_OR_NEXT))
		return -ENOENT;
	if (!parse_line(line, vma, &name))
		return -EPROTO;
	if (!strcmp(name, "[vsyscall]"))
		return -ENOENT;
	if (!is_wanted(vma, name, flags))
		return flags & LW_VMA_COVERING_OR_NEXT ? 1 : -ENOENT;
	if (want & LW_VMA_WANT_NAME)
		ret = copy_name(vmas->pid, vma, name);
	if (want & LW_VMA_WANT_BUILD_ID)
		vma->build_id_size = read_build_id(vmas->pid, vma, name);
	return ret;
}

static int ask_text(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma)
{
	char *text = vmas->text, *feed;
	bool empty = true;
	size_t have = 0;
	ssize_t got;
	int ret = 1;

	if (lseek(vmas->fd, 0, SEEK_SET))
		return -errno;
	while (ret == 1) {
		char *line = text;

		got = read(vmas->fd, text + have, TEXT_ROOM - have);
		if (got <= 0)
			return got < 0 ? -errno : empty ? -ESRCH : -ENOENT;
		empty = false;
		have += got;
		while (ret == 1 && (feed = memchr(line, '\n', text + have - line))) {
			*feed = 0;
			ret = look_at_line(vmas, line, addr, flags, want, vma);
			line = feed + 1;
		}
		have -= line - text;
		if (have == TEXT_ROOM)
			return -EPROTO;
		memmove(text, line, have);
	}
	return ret;
}

/* Any way */

typedef int (*ask_fn)(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma);

static const ask_fn ask[LW_VMA_NR_WAYS] = { ask_procmap, ask_module, ask_text };

/* The memory of the program that was there before an execve() is gone. */
static int open_again(struct lw_vmas *vmas)
{
	int fd = vmas->way == LW_VMA_BY_MODULE ? -ESRCH : open_maps(vmas->pid);

	if (fd < 0)
		return fd;
	close(vmas->fd);
	vmas->fd = fd;
	return 0;
}

/**
 * lw_vma_query - what is mapped at an address
 * @vmas: of the process
 * @addr: the address
 * @flags: LW_VMA_* as in struct lw_vma_query: which mappings count, and whether the next
 *	one will do
 * @want: LW_VMA_WANT_NAME, LW_VMA_WANT_BUILD_ID
 * @vma: out
 *
 * Return: 0, -ENOENT (nothing is there), -ESRCH (the process has ended, or has no memory),
 * -ENAMETOOLONG (the name is longer than LW_VMA_NAME_MAX), or -errno of opening, reading or
 * asking.
 */
int lw_vma_query(struct lw_vmas *vmas, u64 addr, u32 flags, u32 want, struct lw_vma *vma)
{
	int ret;

	vma->name[0] = 0;
	vma->build_id_size = 0;
	ret = ask[vmas->way](vmas, addr, flags, want, vma);
	if (ret == -ESRCH) {
		ret = open_again(vmas);
		if (!ret)
			ret = ask[vmas->way](vmas, addr, flags, want, vma);
	}
	return ret;
}

static int open_way(struct lw_vmas *vmas)
{
	if (vmas->way == LW_VMA_BY_MODULE) {
		vmas->fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
		return vmas->fd < 0 ? -errno : 0;
	}
	vmas->fd = open_maps(vmas->pid);
	if (vmas->fd < 0)
		return vmas->fd;
	vmas->text = vmas->way == LW_VMA_BY_TEXT ? malloc(TEXT_ROOM) : NULL;
	return vmas->way == LW_VMA_BY_TEXT && !vmas->text ? -ENOMEM : 0;
}

/* Does it work here? */
static int try_way(struct lw_vmas *vmas)
{
	struct lw_vma *vma;
	int ret = open_way(vmas);

	if (ret)
		return ret;
	vma = malloc(sizeof(*vma));
	if (!vma)
		return -ENOMEM;
	ret = lw_vma_query(vmas, 0, LW_VMA_COVERING_OR_NEXT, 0, vma);
	free(vma);
	return ret == -ENOENT ? 0 : ret;
}

/**
 * lw_vmas_open_by - prepare to ask about a process in one way
 * @vmas: out, for lw_vmas_close()
 * @pid: the process, or a thread
 * @way: which
 *
 * Return: 0; -ENOTTY, -ENOENT or -ENODEV (kernel or module don't have this way); -ESRCH (no
 * such process, or it has no memory), -EACCES (not for us), or another -errno.
 */
int lw_vmas_open_by(struct lw_vmas **vmas, pid_t pid, enum lw_vma_way way)
{
	struct lw_vmas *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->pid = pid;
	new->way = way;
	new->fd = -1;
	ret = try_way(new);
	if (ret)
		lw_vmas_close(new);
	else
		*vmas = new;
	return ret;
}

/**
 * lw_vmas_open - prepare to ask about a process in the best way that works
 * @vmas: out, for lw_vmas_close()
 * @pid: the process, or a thread
 *
 * Return: 0 or -errno with lw_fail_text(): -ESRCH (no such process, or it has no memory),
 * -EACCES (not for us), or what reading says.
 */
int lw_vmas_open(struct lw_vmas **vmas, pid_t pid)
{
	enum lw_vma_way way;
	int ret = 0;

	for (way = 0; way < LW_VMA_NR_WAYS; way++) {
		ret = lw_vmas_open_by(vmas, pid, way);
		if (!ret || ret == -ESRCH)
			break;
	}
	if (ret == -ESRCH)
		return lw_fail(ret, "process %d has no mappings\n"
			       "  It has ended, or is a thread of the kernel.", pid);
	if (ret)
		return lw_fail(ret, "cannot read what process %d has mapped: %s\n"
			       "  Run it as the user of the process, or as root.", pid,
			       strerror(-ret));
	return 0;
}

/**
 * lw_vmas_close - no more questions
 * @vmas: of lw_vmas_open(), or NULL
 */
void lw_vmas_close(struct lw_vmas *vmas)
{
	if (!vmas)
		return;
	if (vmas->fd >= 0)
		close(vmas->fd);
	free(vmas->text);
	free(vmas);
}

/**
 * lw_vmas_way - how it is asked
 * @vmas: opened
 *
 * Return: the way.
 */
enum lw_vma_way lw_vmas_way(const struct lw_vmas *vmas)
{
	return vmas->way;
}
