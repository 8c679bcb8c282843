// SPDX-License-Identifier: GPL-2.0
/*
 * usdt.c - the probes that a program has built in, by its .note.stapsdt.
 *
 * A note is three addresses (of the instruction, of .stapsdt.base when it was linked, of
 * the semaphore), then three strings: provider, name, arguments.  A program that was
 * moved after it was linked has .stapsdt.base elsewhere: all addresses are off by that.
 */
#include <elf.h>
#include <endian.h>
#include <gelf.h>
#include <string.h>

#include "elf/usdt.h"

#define NOTE_TYPE	3
#define NOTE_OWNER	"stapsdt"
#define MAX_NOTES_SIZE	(16U << 20)
/* The kernel's field for the semaphore's place. */
#define MAX_SEMAPHORE	0xffffffffULL

struct notes {
	const struct lw_elf *file;
	u32 word;		/* bytes of an address */
	bool has_base;
	u64 base;		/* address of .stapsdt.base */
	Elf_Data *data;
};

static u64 word_at(const struct notes *notes, const char *desc, u32 index)
{
	u64 large;
	u32 small;

	if (notes->word == sizeof(large)) {
		memcpy(&large, desc + index * sizeof(large), sizeof(large));
		return large;
	}
	memcpy(&small, desc + index * sizeof(small), sizeof(small));
	return small;
}

/* Return: the string behind this one, or NULL if it does not end in time. */
static const char *behind(const char *text, const char *end)
{
	const char *zero = text < end ? memchr(text, 0, end - text) : NULL;

	return zero ? zero + 1 : NULL;
}

static int take_note(const struct notes *notes, const char *desc, size_t size, lw_usdt_fn fn,
		     void *ctx)
{
	const char *end = desc + size;
	struct lw_usdt probe = { 0 };
	u64 moved, semaphore;

	if (size < 3 * notes->word)
		return 0;
	probe.provider = desc + 3 * notes->word;
	probe.name = behind(probe.provider, end);
	if (!probe.name || !behind(probe.name, end))
		return 0;
	moved = notes->has_base ? notes->base - word_at(notes, desc, 1) : 0;
	if (lw_elf_addr_to_offset(notes->file, word_at(notes, desc, 0) + moved, &probe.offset))
		return 0;
	semaphore = word_at(notes, desc, 2);
	/* without the counter it would never be hit */
	if (semaphore && (lw_elf_addr_to_offset(notes->file, semaphore + moved, &probe.semaphore) ||
			  probe.semaphore > MAX_SEMAPHORE))
		return 0;
	return fn(ctx, &probe);
}

static int take_notes(const struct notes *notes, lw_usdt_fn fn, void *ctx)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;
	int ret = 0;

	while (!ret && at < notes->data->d_size) {
		const char *bytes = notes->data->d_buf;

		next = gelf_getnote(notes->data, at, &note, &name, &desc);
		if (!next || next <= at)
			break;
		at = next;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp(bytes + name, NOTE_OWNER, sizeof(NOTE_OWNER)))
			ret = take_note(notes, bytes + desc, note.n_descsz, fn, ctx);
	}
	return ret;
}

static void look_at_section(struct notes *notes, Elf_Scn *scn, size_t names)
{
	const char *name;
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return;
	name = elf_strptr(notes->file->elf, names, shdr.sh_name);
	if (!name)
		return;
	if (!strcmp(name, ".stapsdt.base")) {
		notes->has_base = true;
		notes->base = shdr.sh_addr;
	}
	if (!strcmp(name, ".note.stapsdt") && shdr.sh_type == SHT_NOTE && !notes->data &&
	    shdr.sh_size <= MAX_NOTES_SIZE)
		notes->data = elf_getdata(scn, NULL);
}

/* A file may be sparse: libelf would read all that there is said to be. */
static bool has_plausible_names(const struct lw_elf *file, size_t names)
{
	Elf_Scn *scn = elf_getscn(file->elf, names);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && !(shdr.sh_flags & SHF_COMPRESSED) &&
	       shdr.sh_size <= MAX_NOTES_SIZE;
}

static bool is_of_this_order(const struct lw_elf *file)
{
	const bool big = __BYTE_ORDER == __BIG_ENDIAN;
	const char *ident = elf_getident(file->elf, NULL);

	return ident && ident[EI_DATA] == (big ? ELFDATA2MSB : ELFDATA2LSB);
}

/**
 * lw_usdt_list - all places of all probes of a file
 * @file: opened
 * @fn: called with each, good during the call; nonzero ends it
 * @ctx: for @fn
 *
 * Broken notes are skipped.
 *
 * Return: 0, also if there are none, or what @fn returned.
 */
int lw_usdt_list(const struct lw_elf *file, lw_usdt_fn fn, void *ctx)
{
	struct notes notes = { .file = file };
	Elf_Scn *scn = NULL;
	size_t names;

	if (!is_of_this_order(file) || elf_getshdrstrndx(file->elf, &names) ||
	    !has_plausible_names(file, names))
		return 0;
	notes.word = gelf_getclass(file->elf) == ELFCLASS32 ? sizeof(u32) : sizeof(u64);
	while ((scn = elf_nextscn(file->elf, scn)))
		look_at_section(&notes, scn, names);
	if (!notes.data || !notes.data->d_buf)
		return 0;
	return take_notes(&notes, fn, ctx);
}
