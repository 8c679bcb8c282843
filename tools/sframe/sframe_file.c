// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_file.c - the SFrame section of an ELF file, and the code it is for.
 *
 * The file may be of any machine and byte order, and is not trusted: no byte is
 * touched before its offset was checked against the file's size.  A file that
 * another process cuts meanwhile ends the tool by SIGBUS, as with all mapped
 * files.
 *
 * Contexts: one thread.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sframe/sframe_file.h"
#include "sframe/sframe_text.h"

#ifndef SHT_GNU_SFRAME
#define SHT_GNU_SFRAME		0x6ffffff4	/* ld 2.44 has SHT_PROGBITS */
#endif

struct lw_code_name {
	u64 start;
	u64 size;		/* 0: up to the next */
	const char *text;	/* in the mapped file */
	u32 rank;		/* of several at one address the least is taken */
};

static bool fits(const struct lw_sframe_file *file, u64 offset, u64 size)
{
	return offset <= file->image_size && size <= file->image_size - offset;
}

static int cut_off(const struct lw_sframe_file *file, const char *what, u64 offset, u64 size)
{
	return lw_fail(-EBADMSG, "cut off: %s at offset 0x%llx, %llu bytes, the file has %llu",
		       what, offset, size, file->image_size);
}

static int check_type(const GElf_Ehdr *ehdr)
{
	switch (ehdr->e_type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return lw_fail(-EBADMSG, "a relocatable object: functions have no addresses yet\n"
			       "  Link it first.");
	case ET_CORE:
		return lw_fail(-EBADMSG, "a core file\n  Give the program itself.");
	}
	return lw_fail(-EBADMSG, "an ELF file of type %u: neither program nor library",
		       ehdr->e_type);
}

/*
 * libelf takes a table of headers that is not all there for a shorter one, or
 * for none.
 */
static int check_tables(const struct lw_sframe_file *file, const GElf_Ehdr *ehdr)
{
	u64 phdr_size = gelf_fsize(file->elf.elf, ELF_T_PHDR, 1, EV_CURRENT);
	u64 shdr_size = gelf_fsize(file->elf.elf, ELF_T_SHDR, 1, EV_CURRENT);
	u64 nr_phdrs = ehdr->e_phnum, nr_shdrs = ehdr->e_shnum;

	/* the true number is then in the first section header */
	if (nr_phdrs == PN_XNUM)
		nr_phdrs = file->elf.nr_phdrs;
	if (nr_phdrs && ehdr->e_phentsize != phdr_size)
		return lw_fail(-EBADMSG, "its program headers have %u bytes, not %llu",
			       ehdr->e_phentsize, phdr_size);
	if (nr_phdrs && !fits(file, ehdr->e_phoff, nr_phdrs * phdr_size))
		return cut_off(file, "program headers", ehdr->e_phoff, nr_phdrs * phdr_size);
	if (!ehdr->e_shoff)
		return 0;
	if (!nr_shdrs)
		nr_shdrs = 1;
	if (ehdr->e_shentsize != shdr_size)
		return lw_fail(-EBADMSG, "its section headers have %u bytes, not %llu",
			       ehdr->e_shentsize, shdr_size);
	if (!fits(file, ehdr->e_shoff, nr_shdrs * shdr_size))
		return cut_off(file, "section headers", ehdr->e_shoff, nr_shdrs * shdr_size);
	return 0;
}

static int add_range(struct lw_code_range **ranges, size_t *nr, size_t *room, u64 start, u64 size,
		     const char *name)
{
	if (!size)
		return 0;
	if (start + size < start)
		return lw_fail(-EBADMSG, "code at 0x%llx, %llu bytes, goes beyond the last address",
			       start, size);
	if (lw_grow((void **)ranges, room, *nr + 1, sizeof(**ranges)))
		return lw_fail(-ENOMEM, "out of memory");
	(*ranges)[(*nr)++] = (struct lw_code_range){ start, start + size, name };
	return 0;
}

static int range_order(const void *a, const void *b)
{
	const struct lw_code_range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->end > right->end) - (left->end < right->end);
}

/* Sorted, and no byte in two of them. */
static void settle_ranges(struct lw_code_range *ranges, size_t *nr)
{
	size_t kept = 0;

	if (!*nr)
		return;
	qsort(ranges, *nr, sizeof(*ranges), range_order);
	for (size_t i = 0; i < *nr; i++) {
		struct lw_code_range range = ranges[i];

		if (kept && range.start < ranges[kept - 1].end)
			range.start = ranges[kept - 1].end;
		if (range.start < range.end)
			ranges[kept++] = range;
	}
	*nr = kept;
}

/* One load segment, and what it says of the section. */
static int take_load(struct lw_sframe_file *file, const GElf_Phdr *phdr)
{
	u64 addr = file->sf.place.addr, offset = file->offset;

	if (!fits(file, phdr->p_offset, phdr->p_filesz))
		return cut_off(file, "a segment", phdr->p_offset, phdr->p_filesz);
	if (addr >= phdr->p_vaddr && addr - phdr->p_vaddr <= phdr->p_filesz &&
	    file->src.size <= phdr->p_filesz - (addr - phdr->p_vaddr) &&
	    offset == phdr->p_offset + (addr - phdr->p_vaddr))
		file->loaded = true;
	if (!(phdr->p_flags & PF_X))
		return 0;
	return add_range(&file->segments, &file->nr_segments, &file->segment_room, phdr->p_vaddr,
			 phdr->p_memsz, NULL);
}

static int read_segments(struct lw_sframe_file *file)
{
	GElf_Phdr phdr;
	int ret;

	for (size_t i = 0; i < file->elf.nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf.elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		ret = take_load(file, &phdr);
		if (ret)
			return ret;
	}
	settle_ranges(file->segments, &file->nr_segments);
	if (!file->nr_segments)
		return lw_fail(-EBADMSG, "it has no executable segment");
	return 0;
}

static int take_code_section(struct lw_sframe_file *file, const GElf_Shdr *shdr, const char *name)
{
	if ((shdr->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) ||
	    shdr->sh_type == SHT_NOBITS)
		return 0;
	if (!fits(file, shdr->sh_offset, shdr->sh_size))
		return cut_off(file, "a section of code", shdr->sh_offset, shdr->sh_size);
	return add_range(&file->code, &file->nr_code, &file->code_room, shdr->sh_addr,
			 shdr->sh_size, name ? name : "?");
}

static int take_segments_as_code(struct lw_sframe_file *file)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < file->nr_segments; i++)
		ret = add_range(&file->code, &file->nr_code, &file->code_room,
				file->segments[i].start,
				file->segments[i].end - file->segments[i].start, NULL);
	return ret;
}

/*
 * Sum up the bytes of code, the denominator of a coverage.  The sum can't be larger than the
 * file, unless its headers lie.
 */
static int read_code(struct lw_sframe_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;
	u64 sum = 0;
	int ret;

	if (elf_getshdrstrndx(file->elf.elf, &names))
		names = 0;
	while ((scn = elf_nextscn(file->elf.elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		ret = take_code_section(file, &shdr,
					elf_strptr(file->elf.elf, names, shdr.sh_name));
		if (ret)
			return ret;
	}
	if (!file->nr_code) {
		ret = take_segments_as_code(file);
		if (ret)
			return ret;
	}
	settle_ranges(file->code, &file->nr_code);
	for (size_t i = 0; i < file->nr_code; i++)
		sum += file->code[i].end - file->code[i].start;
	if (sum > file->image_size)
		return lw_fail(-EBADMSG, "its code has %llu bytes, the file only %llu", sum,
			       file->image_size);
	return 0;
}

/* Return: 1 if it is the one, 0 if not, or -errno. */
static int take_section(struct lw_sframe_file *file, const GElf_Shdr *shdr, const char *name)
{
	if (shdr->sh_type != SHT_GNU_SFRAME && (!name || strcmp(name, ".sframe")))
		return 0;
	if (shdr->sh_type == SHT_NOBITS)
		return lw_fail(-ENODATA, "its SFrame section has no bytes: a separate debug file\n"
			       "  Give the program itself.");
	if (shdr->sh_flags & SHF_COMPRESSED)
		return lw_fail(-EBADMSG, "its SFrame section is compressed");
	if (!(shdr->sh_flags & SHF_ALLOC))
		return lw_fail(-EBADMSG, "its SFrame section is not one that is loaded");
	if (!fits(file, shdr->sh_offset, shdr->sh_size))
		return cut_off(file, "its SFrame section", shdr->sh_offset, shdr->sh_size);
	file->offset = shdr->sh_offset;
	file->src.size = shdr->sh_size;
	file->sf.place.addr = shdr->sh_addr;
	return 1;
}

static int find_by_section(struct lw_sframe_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;
	int ret;

	if (elf_getshdrstrndx(file->elf.elf, &names))
		names = 0;
	while ((scn = elf_nextscn(file->elf.elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		ret = take_section(file, &shdr, elf_strptr(file->elf.elf, names, shdr.sh_name));
		if (ret)
			return ret;
	}
	return 0;
}

static int use_segment(struct lw_sframe_file *file, const GElf_Phdr *phdr)
{
	if (!phdr->p_filesz && phdr->p_memsz)
		return lw_fail(-ENODATA, "its SFrame segment has no bytes: a separate debug file\n"
			       "  Give the program itself.");
	if (!fits(file, phdr->p_offset, phdr->p_filesz))
		return cut_off(file, "its SFrame segment", phdr->p_offset, phdr->p_filesz);
	file->offset = phdr->p_offset;
	file->src.size = phdr->p_filesz;
	file->sf.place.addr = phdr->p_vaddr;
	return 0;
}

/* The section header tells the size, the program header may round it up. */
static int find_sframe(struct lw_sframe_file *file)
{
	int found = find_by_section(file);
	GElf_Phdr phdr;

	if (found < 0)
		return found;
	for (size_t i = 0; !file->has_segment && i < file->elf.nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf.elf, i, &phdr) || phdr.p_type != PT_GNU_SFRAME)
			continue;
		file->has_segment = true;
		file->segment_addr = phdr.p_vaddr;
		file->segment_size = phdr.p_filesz;
		if (!found)
			return use_segment(file, &phdr);
	}
	if (!found)
		return lw_fail(-ENODATA, "it has no SFrame section\n"
			       "  Build it with 'gcc -Wa,--gsframe' (binutils 2.41 or later).");
	return 0;
}

static unsigned int machine_abi(const GElf_Ehdr *ehdr)
{
	bool big = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;

	switch (ehdr->e_machine) {
	case EM_X86_64:
		return LW_SFRAME_ABI_AMD64;
	case EM_AARCH64:
		return big ? LW_SFRAME_ABI_AARCH64_BE : LW_SFRAME_ABI_AARCH64_LE;
	case EM_S390:
		return LW_SFRAME_ABI_S390X;
	}
	return LW_SFRAME_ABI_ANY;
}

/* The first four bytes are where they are in every version. */
static int explain_result(const struct lw_sframe_file *file, int result)
{
	const u8 *head = file->src.bytes;
	const char *text = lw_sframe_result_text(result);

	switch (result) {
	case LW_SFRAME_TOO_SHORT:
		return lw_fail(-EBADMSG, "its SFrame section: %s (%llu bytes)", text,
			       file->src.size);
	case LW_SFRAME_BAD_MAGIC:
		return lw_fail(-EBADMSG, "its SFrame section: %s (bytes %02x %02x)", text,
			       head[0], head[1]);
	case LW_SFRAME_UNKNOWN_VERSION:
		return lw_fail(-EBADMSG, "its SFrame section: %s, it is %u%s", text, head[2],
			       head[2] == 1 ? "\n  Build it with binutils 2.41 or later." : "");
	case LW_SFRAME_UNKNOWN_FLAG:
	case LW_SFRAME_UNSORTED:
		return lw_fail(-EBADMSG, "its SFrame section: %s (flags 0x%x)", text, head[3]);
	case LW_SFRAME_OTHER_ABI:
	case LW_SFRAME_FOREIGN_ORDER:
		return lw_fail(-EBADMSG, "its SFrame section: %s (ABI %u)", text, head[4]);
	case LW_SFRAME_BAD_FIXED_SLOT:
		return lw_fail(-EBADMSG, "its SFrame section: %s (RA %+d, FP %+d)", text,
			       (__s8)head[6], (__s8)head[5]);
	}
	return lw_fail(-EBADMSG, "its SFrame section: %s", text);
}

/* Return: DT_FLAGS_1, 0 if there is none that can be read. */
static u64 dynamic_flags(const struct lw_sframe_file *file, const GElf_Phdr *phdr)
{
	size_t entry_size = gelf_fsize(file->elf.elf, ELF_T_DYN, 1, EV_CURRENT);
	size_t nr = phdr->p_filesz / entry_size;
	Elf_Data *data;
	GElf_Dyn dyn;

	if (!nr || nr > INT_MAX || !fits(file, phdr->p_offset, phdr->p_filesz))
		return 0;
	data = elf_getdata_rawchunk(file->elf.elf, phdr->p_offset, nr * entry_size, ELF_T_DYN);
	for (size_t i = 0; data && i < nr && gelf_getdyn(data, i, &dyn); i++) {
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val;
	}
	return 0;
}

/*
 * The module asks where the program began, which a file can't tell; but the
 * e_entry of a library may be a mere function.
 */
static u64 entry_of_program(const struct lw_sframe_file *file, const GElf_Ehdr *ehdr)
{
	GElf_Phdr phdr;

	if (ehdr->e_type == ET_EXEC)
		return ehdr->e_entry;
	for (size_t i = 0; i < file->elf.nr_phdrs; i++) {
		if (gelf_getphdr(file->elf.elf, i, &phdr) && phdr.p_type == PT_DYNAMIC)
			return dynamic_flags(file, &phdr) & DF_1_PIE ? ehdr->e_entry : 0;
	}
	return 0;
}

/* Its starts count from those of the segment. */
static void use_table(struct lw_sframe_file *file, const struct lw_gen_table *table)
{
	file->src.bytes = table->data;
	file->src.size = table->size;
	file->sf.place.addr = table->text_addr;
	file->is_table = true;
}

static int open_section(struct lw_sframe_file *file, const GElf_Ehdr *ehdr)
{
	struct lw_sframe_place place = {
		.addr = file->sf.place.addr,
		.text_start = file->segments[0].start,
		.text_end = file->segments[file->nr_segments - 1].end,
		.entry = entry_of_program(file, ehdr),
		.paths = file->is_table,
	};
	int ret;

	if (!file->is_table)
		file->src.bytes = file->image + file->offset;
	ret = lw_sframe_open(&file->sf, &file->src, &place, LW_SFRAME_ABI_ANY);
	if (ret)
		return explain_result(file, ret);
	if (file->sf.abi != machine_abi(ehdr))
		return lw_fail(-EBADMSG, "SFrame section is for %s, the file is not (machine %u)",
			       lw_sframe_abi_name(file->sf.abi), ehdr->e_machine);
	return 0;
}

/* @table: NULL: the section is the file's own */
static int open_image(struct lw_sframe_file *file, const struct lw_gen_table *table)
{
	GElf_Ehdr ehdr;
	size_t size;
	int ret;

	file->image = (const u8 *)elf_rawfile(file->elf.elf, &size);
	if (!file->image || !gelf_getehdr(file->elf.elf, &ehdr))
		return lw_fail(-ENOEXEC, "not an ELF file that can be read");
	file->image_size = size;
	ret = check_type(&ehdr);
	if (!ret)
		ret = check_tables(file, &ehdr);
	if (!ret && table)
		use_table(file, table);
	else if (!ret)
		ret = find_sframe(file);
	if (!ret)
		ret = read_segments(file);
	if (!ret)
		ret = read_code(file);
	return ret ? ret : open_section(file, &ehdr);
}

static int finish_open(struct lw_sframe_file *file, int ret, const struct lw_gen_table *table)
{
	if (ret == -ENOEXEC)
		return lw_fail(ret, "not an ELF file");
	if (ret)
		return lw_fail(ret, "cannot open it: %s", strerror(-ret));
	ret = open_image(file, table);
	if (ret)
		lw_sframe_file_close(file);
	return ret;
}

/**
 * lw_sframe_file_open - open a file and the SFrame section in it
 * @file: out
 * @path: of a program or library of any machine
 *
 * Return: 0; -errno of open(); -ENOEXEC: not an ELF file; -ENODATA: it has no
 * SFrame section, or none with bytes; -EBADMSG: file or section are broken or
 * not known here; -ENOMEM.  Then lw_fail_text() says it without the path.
 */
int lw_sframe_file_open(struct lw_sframe_file *file, const char *path)
{
	memset(file, 0, sizeof(*file));
	return finish_open(file, lw_elf_open_mapped(&file->elf, path), NULL);
}

/**
 * lw_sframe_file_open_memory - the same for an image in memory
 * @file: out
 * @image: stays the caller's, and in place until the file is closed
 * @size: its bytes
 *
 * Return: as lw_sframe_file_open().
 */
int lw_sframe_file_open_memory(struct lw_sframe_file *file, void *image, size_t size)
{
	memset(file, 0, sizeof(*file));
	return finish_open(file, lw_elf_open_memory(&file->elf, image, size), NULL);
}

/**
 * lw_sframe_file_open_with - open a file, with a table in the place of a section
 * @file: out
 * @path: of a program or library
 * @table: made of it; stays the caller's, and in place until the file is closed
 *
 * Return: as lw_sframe_file_open().
 */
int lw_sframe_file_open_with(struct lw_sframe_file *file, const char *path,
			     const struct lw_gen_table *table)
{
	memset(file, 0, sizeof(*file));
	return finish_open(file, lw_elf_open_mapped(&file->elf, path), table);
}

static int read_bytes(struct lw_sframe_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool done = false;
	struct stat st;

	if (fd < 0)
		return lw_fail(-errno, "cannot open it: %s", strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		file->owned = malloc(st.st_size + 1);
	if (file->owned)
		done = lw_read_at(fd, 0, file->owned, st.st_size);
	close(fd);
	if (!done)
		return lw_fail(-EBADMSG, "not a file that can be read");
	file->src.bytes = file->owned;
	file->src.size = st.st_size;
	return 0;
}

/* Nothing says where the code ends: behind the last function. */
static u64 end_of_functions(const struct lw_sframe *sf)
{
	struct lw_sframe_fde fde;
	u64 end = 1;

	for (u32 i = 0; i < sf->num_fdes; i++) {
		int ret = lw_sframe_get_fde(sf, i, &fde);

		if (ret != LW_SFRAME_FUNC_OUTSIDE && fde.start + fde.size > end)
			end = fde.start + fde.size;
	}
	return end;
}

static int open_bytes(struct lw_sframe_file *file)
{
	struct lw_sframe_place place = { .text_end = 1ULL << 62, .paths = 1 };
	int ret = lw_sframe_open(&file->sf, &file->src, &place, LW_SFRAME_ABI_ANY);

	if (ret)
		return explain_result(file, ret);
	file->sf.place.text_end = end_of_functions(&file->sf);
	file->is_table = true;
	ret = add_range(&file->segments, &file->nr_segments, &file->segment_room, 0,
			file->sf.place.text_end, NULL);
	return ret ? ret : take_segments_as_code(file);
}

/**
 * lw_sframe_file_open_bytes - open a file that is nothing but a table
 * @file: out: its code is what functions of the table have
 * @path: as 'latewind-sframe gen' wrote it
 *
 * Return: as lw_sframe_file_open().
 */
int lw_sframe_file_open_bytes(struct lw_sframe_file *file, const char *path)
{
	int ret;

	memset(file, 0, sizeof(*file));
	file->elf.fd = -1;
	ret = read_bytes(file, path);
	if (!ret)
		ret = open_bytes(file);
	if (ret)
		lw_sframe_file_close(file);
	return ret;
}

/**
 * lw_sframe_file_close - close what was opened
 * @file: opened, or closed already
 */
void lw_sframe_file_close(struct lw_sframe_file *file)
{
	free(file->segments);
	free(file->code);
	free(file->names);
	free(file->owned);
	file->owned = NULL;
	file->segments = NULL;
	file->code = NULL;
	file->names = NULL;
	file->nr_names = 0;
	lw_elf_close(&file->elf);
}

static bool is_code_symbol(const struct lw_sframe_file *file, const GElf_Sym *sym, const char *text)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!text || !text[0] || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	/* marks of the assembler, where data begins in the code and ends */
	if (text[0] == '$' && file->sf.abi != LW_SFRAME_ABI_AMD64)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Sized functions first, then global before local, then the shorter name. */
static u32 rank_of(const GElf_Sym *sym, const char *text)
{
	size_t len = strlen(text);
	u32 rank = len < (1U << 16) ? len : (1U << 16) - 1;

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE || !sym->st_size)
		rank |= 1U << 18;
	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank |= 1U << 17;
	if (text[0] == '_')
		rank |= 1U << 16;
	return rank;
}

static int name_order(const void *a, const void *b)
{
	const struct lw_code_name *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strcmp(left->text, right->text);
}

static int read_table(struct lw_sframe_file *file, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t size = gelf_fsize(file->elf.elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Sym sym;

	for (size_t i = 1; data && data->d_buf && i < shdr->sh_size / size; i++) {
		const char *text;

		if (!gelf_getsym(data, i, &sym))
			break;
		text = elf_strptr(file->elf.elf, shdr->sh_link, sym.st_name);
		if (!is_code_symbol(file, &sym, text))
			continue;
		if (lw_grow((void **)&file->names, &file->name_room, file->nr_names + 1,
			    sizeof(*file->names)))
			return lw_fail(-ENOMEM, "out of memory");
		file->names[file->nr_names++] = (struct lw_code_name){
			sym.st_value, sym.st_size, text, rank_of(&sym, text)
		};
	}
	return 0;
}

static int read_tables(struct lw_sframe_file *file, u32 type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret;

	while ((scn = elf_nextscn(file->elf.elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type ||
		    (shdr.sh_flags & SHF_COMPRESSED) ||
		    !fits(file, shdr.sh_offset, shdr.sh_size))
			continue;
		ret = read_table(file, scn, &shdr);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * lw_sframe_file_load_names - read the file's symbols
 * @file: opened
 *
 * Of the symbol table, or of the dynamic one if that is all there is.  That
 * there are none is no failure.
 *
 * Return: 0 or -ENOMEM with lw_fail_text().
 */
int lw_sframe_file_load_names(struct lw_sframe_file *file)
{
	size_t kept = 0;
	int ret;

	if (!file->elf.elf)
		return 0;
	ret = read_tables(file, SHT_SYMTAB);
	if (!ret && !file->nr_names)
		ret = read_tables(file, SHT_DYNSYM);
	if (ret || !file->nr_names)
		return ret;
	qsort(file->names, file->nr_names, sizeof(*file->names), name_order);
	for (size_t i = 0; i < file->nr_names; i++) {
		if (!kept || file->names[kept - 1].start != file->names[i].start)
			file->names[kept++] = file->names[i];
	}
	file->nr_names = kept;
	return 0;
}

/* How many symbols start at @addr or before it. */
static size_t names_up_to(const struct lw_sframe_file *file, u64 addr)
{
	size_t low = 0, high = file->nr_names;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->names[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct lw_code_range *find_range(const struct lw_code_range *ranges, size_t nr,
					      u64 addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && ranges[low].start <= addr ? &ranges[low] : NULL;
}

/**
 * lw_sframe_file_name - what is at an address
 * @file: with its names loaded, or there are none
 * @addr: as in the file's headers
 * @place: out: good until the file is closed
 */
void lw_sframe_file_name(const struct lw_sframe_file *file, u64 addr, struct lw_code_place *place)
{
	const struct lw_code_range *range = find_range(file->code, file->nr_code, addr);
	size_t next = names_up_to(file, addr);
	const struct lw_code_name *name = next ? &file->names[next - 1] : NULL;

	*place = (struct lw_code_place){ .end = range ? range->end : ~0ULL };
	if (range)
		place->section = range->name;
	if (next < file->nr_names && file->names[next].start < place->end)
		place->end = file->names[next].start;
	/* one without a size ends with its section at the latest */
	if (!name || (name->size ? addr - name->start >= name->size :
				   !range || name->start < range->start))
		return;
	place->name = name->text;
	place->offset = addr - name->start;
	if (name->size && name->size - place->offset < place->end - addr)
		place->end = name->start + name->size;
}

/**
 * lw_sframe_file_in_segment - is that in one executable segment?
 * @file: opened
 * @start: first address
 * @size: bytes
 *
 * lw_sframe_get_fde() knows only the span of all such segments.
 *
 * Return: true if so.
 */
bool lw_sframe_file_in_segment(const struct lw_sframe_file *file, u64 start, u64 size)
{
	const struct lw_code_range *range = find_range(file->segments, file->nr_segments, start);

	return range && size <= range->end - start;
}
