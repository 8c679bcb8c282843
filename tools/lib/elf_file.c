// SPDX-License-Identifier: GPL-2.0
/*
 * elf_file.c - build ID, addresses and offsets, SFrame header of an ELF file.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file.h"

static int finish_open(struct lw_elf *file)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    elf_getphdrnum(file->elf, &file->nr_phdrs)) {
		lw_elf_close(file);
		return -ENOEXEC;
	}
	return 0;
}

/**
 * lw_elf_open - open a file
 * @file: out
 * @path: a regular file; others are refused unopened
 *
 * Return: 0, -errno of open(), -ENOEXEC when it is no ELF file.
 */
int lw_elf_open(struct lw_elf *file, const char *path)
{
	struct stat st;

	file->elf = NULL;
	elf_version(EV_CURRENT);
	/* a FIFO or a device that is mapped somewhere must not block us */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return -errno;
	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode)) {
		lw_elf_close(file);
		return -ENOEXEC;
	}
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	return finish_open(file);
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
	for (size_t i = 0; i < file->nr_phdrs; i++) {
		Elf_Data *data;
		GElf_Phdr phdr;
		int len;

		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(file->elf, phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
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

static int addr_to_offset(const struct lw_elf *file, u64 addr, u64 *offset)
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

static bool name_matches(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return symbol && !strncmp(symbol, name, len) &&
	       (symbol[len] == 0 || symbol[len] == '@');
}

static int find_in_table(const struct lw_elf *file, Elf_Scn *scn, const GElf_Shdr *shdr,
			 const char *name, u64 *addr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t nr = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; data && i < nr; i++) {
		if (!gelf_getsym(data, i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		    GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC &&
		    GELF_ST_TYPE(sym.st_info) != STT_NOTYPE)
			continue;
		if (!name_matches(elf_strptr(file->elf, shdr->sh_link, sym.st_name), name))
			continue;
		*addr = sym.st_value;
		return 0;
	}
	return -ENOENT;
}

/**
 * lw_elf_symbol_to_offset - where a function's code is in the file
 * @file: opened
 * @name: of the symbol, without a version
 * @offset: out: in the file
 *
 * Return: 0 or -ENOENT.
 */
int lw_elf_symbol_to_offset(const struct lw_elf *file, const char *name, u64 *offset)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	u64 addr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		if (!find_in_table(file, scn, &shdr, name, &addr))
			return addr_to_offset(file, addr, offset);
	}
	return -ENOENT;
}
