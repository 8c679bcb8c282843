// SPDX-License-Identifier: GPL-2.0
/*
 * sites.c - see sites.h.
 *
 * A call of the kernel is a relocation of the module's file.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sites.h"

/* Opcodes of x86, which stand before the address that is relocated. */
#define CALL	0xe8
#define JUMP	0xe9

/* The file, and its table of symbols. */
struct file {
	const char *bytes;
	uint16_t machine;
	const Elf64_Shdr *sections;
	unsigned int nr_sections;
	const char *section_names;
	const Elf64_Sym *symbols;
	unsigned int nr_symbols;
	const char *names;
};

/* On arm64 a copy is inline, and calls what says whether it fails first. */
static bool copies(const char *callee)
{
	if (!strncmp(callee, "__arch_copy_", 12))
		return false;
	return strstr(callee, "copy_from_user") || strstr(callee, "copy_to_user") ||
	       !strcmp(callee, "should_fail_usercopy");
}

/* What is allocated by the core for one call of ours counts as ours. */
static bool allocates(const char *callee)
{
	static const char * const parts[] = {
		"alloc", "kmemdup", "kstrdup", "memdup_user", "vmap", "perf_event_create",
		"tracepoint_probe_register", "__mmu_notifier_register", "proc_create",
		"misc_register",
	};
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(callee, parts[i]) && strcmp(callee, "remap_vmalloc_range"))
			return true;
	return false;
}

static bool can_fail(const char *callee)
{
	if (strstr(callee, "_nofault") || strstr(callee, "free"))
		return false;
	return copies(callee) || allocates(callee);
}

/* Return: CALL, JUMP, or 0: it is neither. */
static uint8_t kind_of(const struct file *file, const Elf64_Shdr *text, const Elf64_Rela *rela)
{
	uint8_t opcode;

	if (file->machine == EM_AARCH64)
		return ELF64_R_TYPE(rela->r_info) == R_AARCH64_CALL26 ? CALL :
		       ELF64_R_TYPE(rela->r_info) == R_AARCH64_JUMP26 ? JUMP : 0;
	if (!rela->r_offset)
		return 0;
	opcode = file->bytes[text->sh_offset + rela->r_offset - 1];
	return opcode == CALL || opcode == JUMP ? opcode : 0;
}

static void name_function(const struct file *file, unsigned int section, struct site *site)
{
	unsigned int i;

	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx != section ||
		    site->offset <= symbol->st_value ||
		    site->offset > symbol->st_value + symbol->st_size)
			continue;
		snprintf(site->function, sizeof(site->function), "%s",
			 file->names + symbol->st_name);
		site->at = site->offset - symbol->st_value;
	}
}

/* A tail call returns to who called its function: to any of them, if there are several. */
static void find_caller(const struct file *file, struct site *site)
{
	unsigned int i, j;

	for (i = 0; i < file->nr_sections; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		const Elf64_Shdr *text = &file->sections[section->sh_info];
		const Elf64_Rela *rela = (const void *)(file->bytes + section->sh_offset);

		if (section->sh_type != SHT_RELA || !(text->sh_flags & SHF_EXECINSTR))
			continue;
		for (j = 0; j < section->sh_size / sizeof(*rela); j++) {
			const Elf64_Sym *symbol = &file->symbols[ELF64_R_SYM(rela[j].r_info)];

			if (strcmp(file->names + symbol->st_name, site->function) ||
			    kind_of(file, text, &rela[j]) != CALL)
				continue;
			snprintf(site->section, sizeof(site->section), "%s",
				 file->section_names + text->sh_name);
			site->offset = rela[j].r_offset + 4;
			return;
		}
	}
}

/* Return: sites of one section of relocations. */
static unsigned int read_section(const struct file *file, const Elf64_Shdr *section,
				 struct site *sites, unsigned int room)
{
	const Elf64_Rela *rela = (const void *)(file->bytes + section->sh_offset);
	const Elf64_Shdr *text = &file->sections[section->sh_info];
	unsigned int i, nr = 0;

	for (i = 0; i < section->sh_size / sizeof(*rela) && nr < room; i++) {
		const Elf64_Sym *symbol = &file->symbols[ELF64_R_SYM(rela[i].r_info)];
		const char *callee = file->names + symbol->st_name;
		uint8_t kind = kind_of(file, text, &rela[i]);
		struct site *site = &sites[nr];

		if (symbol->st_shndx != SHN_UNDEF || !kind || !can_fail(callee))
			continue;
		*site = (struct site) {
			.offset = rela[i].r_offset + 4,
			.is_copy = copies(callee),
		};
		snprintf(site->section, sizeof(site->section), "%s",
			 file->section_names + text->sh_name);
		snprintf(site->callee, sizeof(site->callee), "%s", callee);
		name_function(file, section->sh_info, site);
		if (kind == JUMP)
			find_caller(file, site);
		nr++;
	}
	return nr;
}

static void find_tables(struct file *file)
{
	const Elf64_Ehdr *head = (const void *)file->bytes;
	unsigned int i;

	file->machine = head->e_machine;
	file->sections = (const void *)(file->bytes + head->e_shoff);
	file->nr_sections = head->e_shnum;
	file->section_names = file->bytes + file->sections[head->e_shstrndx].sh_offset;
	for (i = 0; i < file->nr_sections; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type != SHT_SYMTAB)
			continue;
		file->symbols = (const void *)(file->bytes + section->sh_offset);
		file->nr_symbols = section->sh_size / sizeof(*file->symbols);
		file->names = file->bytes + file->sections[section->sh_link].sh_offset;
	}
}

/* Of the module that is in this file.  Return: how many, at most SITES_MAX, or -errno. */
int sites_read(const char *path, struct site *sites)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file = {};
	unsigned int i;
	struct stat st;
	int nr = 0;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	file.bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file.bytes == MAP_FAILED)
		return -errno;
	find_tables(&file);
	for (i = 0; i < file.nr_sections && file.symbols; i++) {
		const Elf64_Shdr *section = &file.sections[i];

		if (section->sh_type == SHT_RELA &&
		    file.sections[section->sh_info].sh_flags & SHF_EXECINSTR)
			nr += read_section(&file, section, sites + nr, SITES_MAX - nr);
	}
	munmap((void *)file.bytes, st.st_size);
	return nr;
}

/* Behind the call, in the module that is loaded; 0 if there is nothing. */
uint64_t sites_address(const struct site *site)
{
	unsigned long long start = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/latewind/sections/%s", site->section);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%llx", &start) != 1)
		start = 0;
	fclose(file);
	return start ? start + site->offset : 0;
}
