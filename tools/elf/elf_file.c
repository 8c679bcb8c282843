// SPDX-License-Identifier: GPL-2.0
/*
 * elf_file.c - build ID, addresses and offsets, SFrame header of an ELF file.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "elf/mapped_file.h"

/* A file may be sparse, and say anything of its size. */
#define MAX_SECTIONS	(1U << 17)
#define MAX_PHDRS	1170U		/* what Linux takes: 64 KiB of them */
#define MAX_NOTES	16U		/* segments of notes that are looked at */
#define MAX_NOTE_SIZE	(1U << 16)	/* bytes of one */

static int finish_open(struct lw_elf *file)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    elf_getphdrnum(file->elf, &file->nr_phdrs) || file->nr_phdrs > MAX_PHDRS) {
		lw_elf_close(file);
		return -ENOEXEC;
	}
	return 0;
}

static u64 swapped(u64 value, size_t size)
{
	return __builtin_bswap64(value) >> (64 - 8 * size);
}

/*
 * libelf makes a structure for each section that there is said to be.  Numbers that
 * don't fit into the header are in the first section's sh_size.
 */
static bool has_plausible_sections(int fd)
{
	const bool host_is_big = __BYTE_ORDER == __BIG_ENDIAN;
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr small;
		Elf64_Ehdr large;
	} ehdr = {};
	bool is_large, swap;
	u64 shoff, nr = 0;
	size_t size;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) < (ssize_t)sizeof(ehdr.small))
		return false;
	is_large = ehdr.ident[EI_CLASS] == ELFCLASS64;
	swap = (ehdr.ident[EI_DATA] == ELFDATA2MSB) != host_is_big;
	/* zero in any order */
	if (is_large ? ehdr.large.e_shnum : ehdr.small.e_shnum)
		return true;
	size = is_large ? sizeof(ehdr.large.e_shoff) : sizeof(ehdr.small.e_shoff);
	shoff = is_large ? ehdr.large.e_shoff : ehdr.small.e_shoff;
	if (!shoff)
		return true;
	shoff = swap ? swapped(shoff, size) : shoff;
	shoff += is_large ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size);
	if (pread(fd, &nr, size, shoff) < (ssize_t)size)
		return true;	/* libelf says so, too */
	return (swap ? swapped(nr, size) : nr) <= MAX_SECTIONS;
}

static int open_with(struct lw_elf *file, const char *path, Elf_Cmd how)
{
	struct stat st;

	file->elf = NULL;
	elf_version(EV_CURRENT);
	/* a FIFO or a device that is mapped somewhere must not block us, nor be touched */
	file->fd = lw_open_file(path, &st);
	if (file->fd < 0)
		return file->fd;
	if (!has_plausible_sections(file->fd)) {
		lw_elf_close(file);
		return -ENOEXEC;
	}
	file->elf = elf_begin(file->fd, how, NULL);
	return finish_open(file);
}

/**
 * lw_elf_open - open a file
 * @file: out
 * @path: a regular file; others are refused unopened
 *
 * The file is read, never mapped: if another process truncates it, that is an error, not a
 * SIGBUS.
 *
 * Return: 0, -errno of open(), -ENOEXEC when it is no ELF file.
 */
int lw_elf_open(struct lw_elf *file, const char *path)
{
	return open_with(file, path, ELF_C_READ);
}

/**
 * lw_elf_open_mapped - the same for a file that all of is looked at
 * @file: out
 * @path: a regular file that the user has named; others are refused unopened
 *
 * Return: as lw_elf_open().
 */
int lw_elf_open_mapped(struct lw_elf *file, const char *path)
{
	return open_with(file, path, ELF_C_READ_MMAP);
}

/**
 * lw_elf_open_memory - use an image in memory, like the vdso
 * @file: out
 * @image: stays the caller's
 * @size: its bytes
 *
 * Return: 0 or -ENOEXEC.
 */
int lw_elf_open_memory(struct lw_elf *file, void *image, size_t size)
{
	elf_version(EV_CURRENT);
	file->fd = -1;
	file->elf = elf_memory(image, size);
	return finish_open(file);
}

/**
 * lw_elf_close - close what lw_elf_open() opened
 * @file: opened, or closed already
 */
void lw_elf_close(struct lw_elf *file)
{
	if (file->elf)
		elf_end(file->elf);
	file->elf = NULL;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/**
 * lw_notes_build_id - find the build ID in the bytes of notes
 * @notes: as in a PT_NOTE segment or /sys/kernel/notes, 4 byte alignment
 * @size: bytes
 * @id: out: LW_BUILD_ID_MAX bytes, zero padded
 *
 * Return: bytes of the ID (cut at LW_BUILD_ID_MAX), or -ENOENT.
 */
int lw_notes_build_id(const u8 *notes, size_t size, u8 *id)
{
	size_t pos = 0;

	while (size - pos >= sizeof(Elf64_Nhdr)) {
		size_t name, desc;
		Elf64_Nhdr note;

		memcpy(&note, notes + pos, sizeof(note));
		name = pos + sizeof(note);
		if (note.n_namesz > size - name)
			break;
		desc = ALIGN_UP(name + note.n_namesz, 4);
		if (desc > size || note.n_descsz > size - desc)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + name, "GNU", sizeof("GNU")) && note.n_descsz) {
			size_t len = note.n_descsz;

			if (len > LW_BUILD_ID_MAX)
				len = LW_BUILD_ID_MAX;
			memset(id, 0, LW_BUILD_ID_MAX);
			memcpy(id, notes + desc, len);
			return len;
		}
		pos = ALIGN_UP(desc + note.n_descsz, 4);
		if (pos > size)
			break;
	}
	return -ENOENT;
}

/**
 * lw_elf_build_id - the build ID of a file
 * @file: opened
 * @id: out: LW_BUILD_ID_MAX bytes, zero padded
 *
 * Return: bytes of the ID, or -ENOENT.
 */
int lw_elf_build_id(const struct lw_elf *file, u8 *id)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < file->nr_phdrs && nr < MAX_NOTES; i++) {
		Elf_Data *data;
		GElf_Phdr phdr;
		int len;

		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_filesz > MAX_NOTE_SIZE)
			continue;
		nr++;
		data = elf_getdata_rawchunk(file->elf, phdr.p_offset, phdr.p_filesz, ELF_T_NHDR);
		if (!data || !data->d_buf)
			continue;
		len = lw_notes_build_id(data->d_buf, data->d_size, id);
		if (len > 0)
			return len;
	}
	return -ENOENT;
}

/**
 * lw_elf_offset_to_addr - the address of a byte of the file
 * @file: opened
 * @offset: in the file
 * @addr: out: as in the file's program headers and symbols
 *
 * Return: 0 or -ENOENT when no segment holds the byte.
 */
int lw_elf_offset_to_addr(const struct lw_elf *file, u64 offset, u64 *addr)
{
	GElf_Phdr phdr;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (offset < phdr.p_offset || offset - phdr.p_offset >= phdr.p_filesz)
			continue;
		*addr = phdr.p_vaddr + (offset - phdr.p_offset);
		return 0;
	}
	return -ENOENT;
}

/**
 * lw_elf_addr_to_offset - where the byte at an address is in the file
 * @file: opened
 * @addr: as in the file's program headers and symbols
 * @offset: out: in the file
 *
 * Return: 0 or -ENOENT when no segment has it from the file.
 */
int lw_elf_addr_to_offset(const struct lw_elf *file, u64 addr, u64 *offset)
{
	GElf_Phdr phdr;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		if (addr < phdr.p_vaddr || addr - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		*offset = phdr.p_offset + (addr - phdr.p_vaddr);
		return 0;
	}
	return -ENOENT;
}

/* How well a symbol is what was asked for. */
enum match { NO_MATCH, OLD_VERSION, MATCH };

struct wanted {
	const char *name;
	size_t len;			/* without the version */
	const char *version;		/* NULL: the default one */
};

static struct wanted parse_wanted(const char *name)
{
	const char *at = strchr(name, '@');
	struct wanted wanted = { .name = name, .len = at ? (size_t)(at - name) : strlen(name) };

	if (at)
		wanted.version = at + 1 + (at[1] == '@');
	return wanted;
}

/* @version: of the symbol, NULL if it has none; @is_default: a linker takes it unasked */
static enum match match_version(const struct wanted *wanted, const char *version, bool is_default)
{
	if (!wanted->version)
		return !version || is_default ? MATCH : OLD_VERSION;
	return version && !strcmp(version, wanted->version) ? MATCH : NO_MATCH;
}

/* The versions of .dynsym; all NULL: the file has none. */
struct versions {
	Elf_Data *of_symbols, *names;
	size_t strings;			/* the section of their strings */
	u32 nr;
};

static void find_versions(const struct lw_elf *file, struct versions *versions)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_GNU_versym)
			versions->of_symbols = elf_getdata(scn, NULL);
		if (shdr.sh_type != SHT_GNU_verdef)
			continue;
		versions->names = elf_getdata(scn, NULL);
		versions->strings = shdr.sh_link;
		versions->nr = shdr.sh_info;
	}
}

/* Return: the name of version number @index, or NULL. */
static const char *version_name(const struct lw_elf *file, const struct versions *versions,
				u32 index)
{
	GElf_Verdaux aux;
	GElf_Verdef def;
	size_t at = 0;

	for (u32 i = 0; versions->names && i < versions->nr; i++) {
		if (!gelf_getverdef(versions->names, at, &def))
			return NULL;
		if (def.vd_ndx == index)
			return gelf_getverdaux(versions->names, at + def.vd_aux, &aux) ?
			       elf_strptr(file->elf, versions->strings, aux.vda_name) : NULL;
		at += def.vd_next;
	}
	return NULL;
}

#define HIDDEN	0x8000U

/* @symbol: its place in .dynsym */
static enum match match_dynamic(const struct lw_elf *file, const struct versions *versions,
				const struct wanted *wanted, const char *name, size_t symbol)
{
	GElf_Versym number;

	if (!name || strncmp(name, wanted->name, wanted->len) || name[wanted->len])
		return NO_MATCH;
	if (!versions->of_symbols || !gelf_getversym(versions->of_symbols, symbol, &number))
		return match_version(wanted, NULL, true);
	return match_version(wanted, version_name(file, versions, number & ~HIDDEN),
			     !(number & HIDDEN));
}

/* .symtab has versions in its names, with one @ or, of the default one, two. */
static enum match match_name(const struct wanted *wanted, const char *symbol)
{
	if (!symbol || strncmp(symbol, wanted->name, wanted->len))
		return NO_MATCH;
	symbol += wanted->len;
	if (!*symbol)
		return match_version(wanted, NULL, true);
	if (*symbol != '@')
		return NO_MATCH;
	return match_version(wanted, symbol + 1 + (symbol[1] == '@'), symbol[1] == '@');
}

static bool is_code(const GElf_Sym *sym)
{
	u32 type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Keep the best of what a table has. */
static void find_in_table(const struct lw_elf *file, Elf_Scn *scn, const GElf_Shdr *shdr,
			  const struct wanted *wanted, enum match *best,
			  struct lw_elf_function *function)
{
	size_t nr = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;
	Elf_Data *data = elf_getdata(scn, NULL);
	struct versions versions = {};
	GElf_Sym sym;

	if (shdr->sh_type == SHT_DYNSYM)
		find_versions(file, &versions);
	for (size_t i = 0; data && i < nr && *best < MATCH; i++) {
		enum match match;
		const char *name;

		if (!gelf_getsym(data, i, &sym) || !is_code(&sym))
			continue;
		name = elf_strptr(file->elf, shdr->sh_link, sym.st_name);
		match = shdr->sh_type == SHT_DYNSYM ?
			match_dynamic(file, &versions, wanted, name, i) : match_name(wanted, name);
		if (match <= *best)
			continue;
		*best = match;
		function->addr = sym.st_value;
		function->indirect = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
	}
}

/**
 * lw_elf_functions - the names of all functions that code is there of
 * @file: opened
 * @fn: called with each name, without a version; may be called twice with one
 * @ctx: for @fn
 */
void lw_elf_functions(const struct lw_elf *file, void (*fn)(void *ctx, const char *name),
		      void *ctx)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Sym sym;

	while ((scn = elf_nextscn(file->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || !shdr.sh_entsize ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < shdr.sh_size / shdr.sh_entsize; i++) {
			const char *name;

			if (!gelf_getsym(data, i, &sym))
				break;
			if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
				continue;
			name = elf_strptr(file->elf, shdr.sh_link, sym.st_name);
			if (name)
				fn(ctx, name);
		}
	}
}

/**
 * lw_elf_find_function - a function by its name
 * @file: opened
 * @name: of the symbol; the default version, or that behind an @
 * @function: out
 *
 * Return: 0 or -ENOENT.
 */
int lw_elf_find_function(const struct lw_elf *file, const char *name,
			 struct lw_elf_function *function)
{
	const struct wanted wanted = parse_wanted(name);
	enum match best = NO_MATCH;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (best < MATCH && (scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) &&
		    (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM))
			find_in_table(file, scn, &shdr, &wanted, &best, function);
	}
	return best == NO_MATCH ? -ENOENT : 0;
}

/**
 * lw_elf_symbol_to_offset - where a function's code is in the file
 * @file: opened
 * @name: as lw_elf_find_function() takes it
 * @offset: out: in the file
 *
 * Return: 0 or -ENOENT.
 */
int lw_elf_symbol_to_offset(const struct lw_elf *file, const char *name, u64 *offset)
{
	struct lw_elf_function function;
	int ret = lw_elf_find_function(file, name, &function);

	return ret ? ret : lw_elf_addr_to_offset(file, function.addr, offset);
}
