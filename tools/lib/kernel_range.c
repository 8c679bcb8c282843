// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_range.c - where the kernel's own code is, as /proc/kallsyms has it, or /proc/kcore.
 *
 * Contexts: one thread.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_range.h"

/* What all of the names end with; a few thousand others do, too. */
#define END		"text\n"

/* @name: "_text\n" and so on, behind it is anything; @at: the first byte of its line */
static void take_name(struct lw_kernel_range *range, const char *name, const char *at)
{
	static const struct {
		const char *name;
		size_t where;
	} wanted[] = {
		{ "_text\n", offsetof(struct lw_kernel_range, text) },
		{ "_stext\n", offsetof(struct lw_kernel_range, stext) },
		{ "_etext\n", offsetof(struct lw_kernel_range, etext) },
		{ "_einittext\n", offsetof(struct lw_kernel_range, einittext) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strncmp(name, wanted[i].name, strlen(wanted[i].name)))
			*(u64 *)((char *)range + wanted[i].where) = strtoull(at, NULL, 16);
	}
}

/**
 * lw_kernel_range_take - look for the symbols
 * @range: of zeros at first
 * @text: whole lines of /proc/kallsyms, and a NUL behind them
 * @size: bytes of them
 *
 * Of modules none is taken: behind their names there is more.  Addresses that are hidden are
 * 0 there.
 */
void lw_kernel_range_take(struct lw_kernel_range *range, const char *text, size_t size)
{
	const char *end = text + size, *from = text, *line, *space, *found;

	while ((found = memmem(from, end - from, END, strlen(END)))) {
		line = memrchr(text, '\n', found - text);
		line = line ? line + 1 : text;
		space = memrchr(line, ' ', found - line);
		if (space)
			take_name(range, space + 1, line);
		from = found + strlen(END);
	}
}

/* Where code is linked to, from which on modules follow: see the kernel's x86_64/mm.rst. */
#define LOWEST_TEXT	0xffffffff80000000ULL
#define LOWEST_MODULE	0xffffffffc0000000ULL
#define MAX_SEGMENTS	4096

/* The kernel is the lowest there; vsyscall and modules are higher. */
static void take_segment(struct lw_kernel_range *range, const Elf64_Phdr *segment)
{
	u64 end = segment->p_vaddr + segment->p_memsz;

	if (segment->p_type != PT_LOAD || segment->p_vaddr < LOWEST_TEXT ||
	    segment->p_vaddr >= LOWEST_MODULE || end <= segment->p_vaddr ||
	    (range->text && range->text <= segment->p_vaddr))
		return;
	range->text = segment->p_vaddr;
	range->etext = end < LOWEST_MODULE ? end : LOWEST_MODULE;
}

/**
 * lw_kernel_range_of_core - ask the headers of /proc/kcore
 * @range: out: with data behind the code, as one range is all that is known there
 * @path: /proc/kcore or a copy
 *
 * It takes no time, other than printing all symbols does.
 *
 * Return: 0; -ENOENT if it is not in there; or -errno: who may not read it, or where the
 * kernel is locked down, has to ask for symbols.
 */
int lw_kernel_range_of_core(struct lw_kernel_range *range, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	memset(range, 0, sizeof(*range));
	if (fd < 0)
		return -errno;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof(segment))
		header.e_phnum = 0;
	for (u32 i = 0; i < header.e_phnum && i < MAX_SEGMENTS; i++) {
		if (pread(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			break;
		take_segment(range, &segment);
	}
	close(fd);
	return range->text ? 0 : -ENOENT;
}

/**
 * lw_kernel_range_is_known - have a beginning and an end been found
 * @range: taken
 *
 * Return: true if so.
 */
bool lw_kernel_range_is_known(const struct lw_kernel_range *range)
{
	return range->etext && (range->text || range->stext);
}
