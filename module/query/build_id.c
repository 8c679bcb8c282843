// SPDX-License-Identifier: GPL-2.0
/*
 * build_id.c - reads the build ID of an ELF file from the file.
 *
 * The kernel's own reader is not exported.  Like that, this one reads segments of notes only,
 * takes the first note that fits, and ignores the byte order: a file of the other one has no note
 * that fits.
 *
 * Context: process, without locks; kernel_read() may sleep for long.
 *
 * Hostile files: each field is copied before it is used; MAX_SEGMENTS and MAX_NOTES bound the
 * loops.
 */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build_id.h"

/* Bytes read at first: most files have their headers and notes there. */
#define START		2048
#define MAX_SEGMENTS	256
/* In all segments. */
#define MAX_NOTES	1024
#define NOTE_BUILD_ID	3

/* With the NUL. */
static const char gnu[4] = "GNU";

/**
 * struct reader - a file whose beginning was read
 * @file: which
 * @len: bytes read
 * @notes: notes that may still be read
 * @bytes: its beginning
 */
struct reader {
	struct file *file;
	size_t	len;
	unsigned int notes;
	u8	bytes[START];
};

/* A program header of either class. */
struct segment {
	u32	type;
	u64	offset;
	u64	size;
};

/* Return: 0, -ENODATA (the file is shorter), -EINTR, or -errno of kernel_read(). */
static int build_id_copy(struct reader *reader, void *to, u64 at, size_t size)
{
	loff_t pos = at;
	ssize_t len;

	if (at <= reader->len && reader->len - at >= size) {
		memcpy(to, reader->bytes + at, size);
		return 0;
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	if (at > LLONG_MAX - size)
		return -ENODATA;
	len = kernel_read(reader->file, to, size, &pos);
	if (len < 0)
		return len;
	return len == size ? 0 : -ENODATA;
}

static bool build_id_note_fits(struct reader *reader, u64 at, const struct elf32_note *note)
{
	char name[sizeof(gnu)];

	return note->n_type == NOTE_BUILD_ID && note->n_namesz == sizeof(gnu) &&
	       note->n_descsz && note->n_descsz <= LW_BUILD_ID_MAX &&
	       !build_id_copy(reader, name, at + sizeof(*note), sizeof(name)) &&
	       !memcmp(name, gnu, sizeof(gnu));
}

/* Return: bytes of the build ID, -ENODATA (there is none), or as build_id_copy(). */
static int build_id_read_notes(struct reader *reader, const struct segment *segment, u8 *id)
{
	u64 at = segment->offset, left = segment->size, size;
	struct elf32_note note;
	int ret;

	while (left > sizeof(note) + sizeof(gnu) && reader->notes) {
		reader->notes--;
		ret = build_id_copy(reader, &note, at, sizeof(note));
		if (ret)
			return ret;
		size = sizeof(note) + ALIGN((u64)note.n_namesz, 4) + ALIGN((u64)note.n_descsz, 4);
		if (size > left)
			break;
		if (build_id_note_fits(reader, at, &note))
			return build_id_copy(reader, id, at + sizeof(note) + sizeof(gnu),
					     note.n_descsz) ?: note.n_descsz;
		at += size;
		left -= size;
	}
	return -ENODATA;
}

static int build_id_read_segment(struct reader *reader, const struct elf64_hdr *header,
				 unsigned int nr, struct segment *segment)
{
	struct elf32_phdr narrow = {};
	struct elf64_phdr wide = {};
	u64 at = header->e_phoff;
	int ret;

	if (header->e_ident[EI_CLASS] == ELFCLASS64) {
		ret = build_id_copy(reader, &wide, at + nr * sizeof(wide), sizeof(wide));
		*segment = (struct segment) { wide.p_type, wide.p_offset, wide.p_filesz };
	} else {
		ret = build_id_copy(reader, &narrow, at + nr * sizeof(narrow), sizeof(narrow));
		*segment = (struct segment) { narrow.p_type, narrow.p_offset, narrow.p_filesz };
	}
	return ret;
}

/* Both classes begin alike.  Of a 32-bit header only class, e_phoff and e_phnum are filled in. */
static int build_id_read_header(struct reader *reader, struct elf64_hdr *header)
{
	struct elf32_hdr narrow;
	int ret;

	ret = build_id_copy(reader, &narrow, 0, sizeof(narrow));
	if (ret)
		return ret;
	if (memcmp(narrow.e_ident, ELFMAG, SELFMAG) ||
	    (narrow.e_type != ET_EXEC && narrow.e_type != ET_DYN))
		return -ENODATA;
	if (narrow.e_ident[EI_CLASS] == ELFCLASS64)
		return build_id_copy(reader, header, 0, sizeof(*header));
	if (narrow.e_ident[EI_CLASS] != ELFCLASS32)
		return -ENODATA;
	memcpy(header->e_ident, narrow.e_ident, sizeof(header->e_ident));
	header->e_phoff = narrow.e_phoff;
	header->e_phnum = narrow.e_phnum;
	return 0;
}

static int build_id_read_segments(struct reader *reader, u8 *id)
{
	struct elf64_hdr header = {};
	struct segment segment;
	unsigned int nr;
	int ret;

	ret = build_id_read_header(reader, &header);
	for (nr = 0; !ret && nr < min_t(unsigned int, header.e_phnum, MAX_SEGMENTS); nr++) {
		ret = build_id_read_segment(reader, &header, nr, &segment);
		if (ret || segment.type != PT_NOTE)
			continue;
		ret = build_id_read_notes(reader, &segment, id);
		if (ret > 0 || ret == -EINTR)
			return ret;
		/* Another segment may have it. */
		ret = 0;
	}
	return ret ?: -ENODATA;
}

/**
 * lw_build_id_of_file - read the build ID of an ELF file
 * @file: any, open for reading or not
 * @id: out, if it has one
 *
 * Context: process, may sleep, without locks: the file may be on a server.
 * Return: bytes of the build ID, 1 to LW_BUILD_ID_MAX; -ENODATA (no build ID, or no ELF program
 * or shared object), -ENOMEM, -EINTR (killed), or -errno of kernel_read().
 */
int lw_build_id_of_file(struct file *file, u8 id[LW_BUILD_ID_MAX])
{
	struct reader *reader;
	loff_t pos = 0;
	ssize_t ret;

	/* kernel_read() warns of other files, or reading them has effects. */
	if (!S_ISREG(file_inode(file)->i_mode) || !(file->f_mode & FMODE_READ) ||
	    !file->f_op->read_iter || file->f_op->read)
		return -ENODATA;
	reader = kmalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return -ENOMEM;
	reader->file = file;
	reader->notes = MAX_NOTES;
	ret = kernel_read(file, reader->bytes, START, &pos);
	if (ret >= 0) {
		reader->len = ret;
		ret = build_id_read_segments(reader, id);
	}
	kfree(reader);
	return ret;
}
