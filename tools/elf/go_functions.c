// SPDX-License-Identifier: GPL-2.0
/*
 * go_functions.c - the functions of a Go program, as its runtime knows them.
 *
 * Go's linker writes a table of all functions that stays in a stripped program, as the
 * runtime needs it: runtime/symtab.go and debug/gosym/pclntab.go of Go 1.16 to 1.27.  It has
 * a section of its own, .gopclntab; a linker of C puts that of a position-independent program
 * into .data.rel.ro.  Addresses in it count from the start of Go's code, which is in the
 * runtime's moduledata: a structure that begins with the table's address.
 *
 * The file may be anybody's, sparse, and may change meanwhile: sizes have limits, what is
 * used was read once, and each offset is checked where it is used.
 *
 * Contexts: any thread; no state outlives a call.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/go_functions.h"

#define MAX_SECTIONS	65536U
#define MAX_NAMES	(4ULL << 20)	/* bytes of sections' names */
#define MAX_TABLE	(128ULL << 20)	/* bytes; programs of 100 MB have some 30 million */
#define MAX_FUNCTIONS	0x100000U
#define MAX_SEARCHED	(512ULL << 20)	/* bytes of data and of relocations, with repetitions */
#define MAX_FOUND	8U		/* places that may be moduledata */
#define MAX_NAME	4096U		/* bytes of a function's name */
#define CHUNK		65536U		/* bytes that are searched at once */

/* Header of the table: magic, two zeros, size of an instruction, of a pointer; then words. */
#define MAGIC_116	0xfffffffaU	/* to Go 1.17 */
#define MAGIC_118	0xfffffff0U	/* to Go 1.19 */
#define MAGIC_120	0xfffffff1U
#define HEADER_WORDS	8U		/* offset of them: nfunc, nfiles, .. */
#define HEADER_SIZE	72U

/* A function's record: its address, then these, then startLine since Go 1.20, ID, flags. */
#define RECORD_NAME	0U		/* from behind the address */
#define RECORD_DELTAS	12U
#define RECORD_ID	32U

/* runtime.moduledata: pointer to the table, six slices, findfunctab, then these. */
#define MODULE_NAMES	8U		/* the first slice: names */
#define MODULE_MINPC	160U
#define MODULE_TEXT	176U

struct file {
	int fd;
	u64 size;
	u64 searched;		/* bytes */
	Elf64_Shdr *shdrs;
	size_t nr;
	char *names;
	u64 names_size;
};

/* Return: 0, -ENOENT or -ENOMEM. */
static int read_part(const struct file *file, u64 offset, u64 size, u64 most, void *to)
{
	void *bytes;

	if (!size || size > most || offset > file->size || size > file->size - offset)
		return -ENOENT;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	if (!lw_read_at(file->fd, offset, bytes, size)) {
		free(bytes);
		return -ENOENT;
	}
	*(void **)to = bytes;
	return 0;
}

/* Of a section header that is used; files are little-endian, this machine need not be. */
static void turn_section(Elf64_Shdr *shdr)
{
	shdr->sh_name = le32toh(shdr->sh_name);
	shdr->sh_type = le32toh(shdr->sh_type);
	shdr->sh_flags = le64toh(shdr->sh_flags);
	shdr->sh_addr = le64toh(shdr->sh_addr);
	shdr->sh_offset = le64toh(shdr->sh_offset);
	shdr->sh_size = le64toh(shdr->sh_size);
}

static bool read_header_of_file(const struct file *file, Elf64_Ehdr *ehdr)
{
	if (!lw_read_at(file->fd, 0, ehdr, sizeof(*ehdr)) ||
	    memcmp(ehdr->e_ident, ELFMAG, SELFMAG) || ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr->e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	ehdr->e_machine = le16toh(ehdr->e_machine);
	ehdr->e_shoff = le64toh(ehdr->e_shoff);
	ehdr->e_shentsize = le16toh(ehdr->e_shentsize);
	ehdr->e_shnum = le16toh(ehdr->e_shnum);
	ehdr->e_shstrndx = le16toh(ehdr->e_shstrndx);
	return ehdr->e_machine == EM_X86_64 && ehdr->e_shentsize == sizeof(Elf64_Shdr) &&
	       ehdr->e_shstrndx < ehdr->e_shnum;
}

static int read_sections(struct file *file)
{
	const Elf64_Shdr *names;
	Elf64_Ehdr ehdr;
	int ret;

	if (!read_header_of_file(file, &ehdr))
		return -ENOENT;
	ret = read_part(file, ehdr.e_shoff, ehdr.e_shnum * sizeof(Elf64_Shdr),
			MAX_SECTIONS * sizeof(Elf64_Shdr), &file->shdrs);
	if (ret)
		return ret;
	file->nr = ehdr.e_shnum;
	for (size_t i = 0; i < file->nr; i++)
		turn_section(&file->shdrs[i]);
	names = &file->shdrs[ehdr.e_shstrndx];
	ret = read_part(file, names->sh_offset, names->sh_size, MAX_NAMES, &file->names);
	if (!ret)
		file->names_size = names->sh_size;
	return ret;
}

static bool is_called(const struct file *file, const Elf64_Shdr *shdr, const char *name)
{
	size_t size = strlen(name) + 1;

	return shdr->sh_name < file->names_size && size <= file->names_size - shdr->sh_name &&
	       !memcmp(file->names + shdr->sh_name, name, size);
}

static const Elf64_Shdr *find_section(const struct file *file, const char *name)
{
	for (size_t i = 0; i < file->nr; i++) {
		if (file->shdrs[i].sh_type == SHT_PROGBITS &&
		    is_called(file, &file->shdrs[i], name))
			return &file->shdrs[i];
	}
	return NULL;
}

static u64 word_at(const u8 *bytes, unsigned int size)
{
	u64 word = 0;

	memcpy(&word, bytes, size);
	return le64toh(word);
}

static bool is_header(const u8 *header)
{
	u64 magic = word_at(header, 4);

	return (magic == MAGIC_116 || magic == MAGIC_118 || magic == MAGIC_120) &&
	       !header[4] && !header[5] && header[6] == 1 && header[7] == 8;
}

/**
 * struct search - of bytes of a section, one piece after the other
 * @file: the section's
 * @shdr: the section
 * @at: of the piece in the section
 * @size: bytes of the piece, a whole number of units but at the end
 * @bytes: the piece
 */
struct search {
	struct file *file;
	const Elf64_Shdr *shdr;
	u64 at, size;
	u8 bytes[CHUNK];
};

/* Return: whether there is a piece.  @unit: CHUNK at most */
static bool next_piece(struct search *search, unsigned int unit)
{
	const Elf64_Shdr *shdr = search->shdr;
	u64 left;

	search->at += search->size;
	if (search->at >= shdr->sh_size || search->file->searched >= MAX_SEARCHED)
		return false;
	left = shdr->sh_size - search->at;
	search->size = left < CHUNK ? left : CHUNK - CHUNK % unit;
	search->file->searched += search->size;
	return shdr->sh_offset < search->file->size &&
	       lw_read_at(search->file->fd, shdr->sh_offset + search->at, search->bytes,
			  search->size);
}

/* The table is aligned, and so is the section.  Return: where in the section, or its size. */
static u64 search_header(struct search *search)
{
	while (next_piece(search, 8)) {
		for (u64 i = 0; i + 8 <= search->size; i += 8) {
			if (is_header(search->bytes + i))
				return search->at + i;
		}
	}
	return search->shdr->sh_size;
}

/* Return: 0, -ENOENT or -ENOMEM; *addr: of the table. */
static int read_table(struct file *file, struct search *search,
		      struct lw_go_functions *go, u64 *addr)
{
	static const char * const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	const Elf64_Shdr *shdr = NULL;
	u64 at = 0;
	int ret;

	for (size_t i = 0; !shdr && i < ARRAY_SIZE(names); i++)
		shdr = find_section(file, names[i]);
	if (!shdr && find_section(file, ".go.buildinfo")) {
		shdr = find_section(file, ".data.rel.ro");
		*search = (struct search){ .file = file, .shdr = shdr };
		at = shdr ? search_header(search) : 0;
	}
	if (!shdr || at >= shdr->sh_size)
		return -ENOENT;
	go->size = shdr->sh_size - at;
	*addr = shdr->sh_addr + at;
	ret = read_part(file, shdr->sh_offset + at, go->size, MAX_TABLE, &go->bytes);
	return ret;
}

static u64 header_word(const struct lw_go_functions *go, unsigned int idx)
{
	return word_at(go->bytes + HEADER_WORDS + 8 * idx, 8);
}

/* Offsets and sizes, by version.  Return: false: not known, or not in the table. */
static bool read_header(struct lw_go_functions *go)
{
	unsigned int first;
	u64 magic;

	if (go->size < HEADER_SIZE || !is_header(go->bytes))
		return false;
	magic = word_at(go->bytes, 4);
	first = magic == MAGIC_116 ? 2 : 3;
	go->width = magic == MAGIC_116 ? 8 : 4;
	go->flags = go->width + RECORD_ID + (magic == MAGIC_120 ? 4 : 0) + 1;
	go->nr = header_word(go, 0);
	go->names = header_word(go, first);
	go->deltas = header_word(go, first + 3);
	go->functions = header_word(go, first + 4);
	return go->nr && go->nr <= MAX_FUNCTIONS && go->names < go->size &&
	       go->deltas < go->size && go->functions < go->size &&
	       (2 * go->nr + 1) * go->width <= go->size - go->functions;
}

/* The last section that has it counts.  Return: false: none does. */
static bool read_section_word(const struct file *file, u64 addr, u64 *word)
{
	bool found = false;
	u8 bytes[8];

	for (size_t i = 0; i < file->nr; i++) {
		const Elf64_Shdr *shdr = &file->shdrs[i];

		if (shdr->sh_type != SHT_PROGBITS || addr < shdr->sh_addr || shdr->sh_size < 8 ||
		    addr - shdr->sh_addr > shdr->sh_size - 8 || !(shdr->sh_flags & SHF_ALLOC) ||
		    !lw_read_at(file->fd, shdr->sh_offset + (addr - shdr->sh_addr), bytes, 8))
			continue;
		*word = word_at(bytes, 8);
		found = true;
	}
	return found;
}

/* What memory has at an address once it is loaded.  Return: false: nothing. */
static bool read_word(struct file *file, struct search *search, u64 addr, u64 *word)
{
	for (size_t i = 0; i < file->nr; i++) {
		const Elf64_Rela *rela;

		if (file->shdrs[i].sh_type != SHT_RELA)
			continue;
		*search = (struct search){ .file = file, .shdr = &file->shdrs[i] };
		while (next_piece(search, sizeof(*rela))) {
			rela = (const Elf64_Rela *)search->bytes;
			for (; (const u8 *)(rela + 1) <= search->bytes + search->size; rela++) {
				if (le64toh(rela->r_offset) != addr ||
				    ELF64_R_TYPE(le64toh(rela->r_info)) != R_X86_64_RELATIVE)
					continue;
				*word = le64toh(rela->r_addend);
				return true;
			}
		}
	}
	return read_section_word(file, addr, word);
}

/* Addresses that the table's address is at.  Return: how many. */
static unsigned int find_pointers(struct file *file, struct search *search, u64 to,
				  u64 *found)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < file->nr; i++) {
		const Elf64_Shdr *shdr = &file->shdrs[i];
		bool rela = shdr->sh_type == SHT_RELA;
		unsigned int unit = rela ? sizeof(Elf64_Rela) : 8;

		if (!rela && (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_WRITE)))
			continue;
		*search = (struct search){ .file = file, .shdr = shdr };
		while (nr < MAX_FOUND && next_piece(search, unit)) {
			for (u64 at = 0; at + unit <= search->size && nr < MAX_FOUND; at += unit) {
				u64 word = word_at(search->bytes + at + (rela ? 16 : 0), 8);

				if (word == to)
					found[nr++] = rela ? word_at(search->bytes + at, 8) :
							     shdr->sh_addr + search->at + at;
			}
		}
	}
	return nr;
}

/* Return: false: nothing is as in moduledata. */
static bool find_text(struct file *file, struct search *search, u64 table,
		      struct lw_go_functions *go)
{
	u64 found[MAX_FOUND], names, lowest;
	unsigned int nr = find_pointers(file, search, table, found);

	for (unsigned int i = 0; i < nr; i++) {
		if (read_word(file, search, found[i] + MODULE_NAMES, &names) &&
		    names == table + go->names &&
		    read_word(file, search, found[i] + MODULE_MINPC, &lowest) &&
		    read_word(file, search, found[i] + MODULE_TEXT, &go->text) &&
		    go->text == lowest)
			return true;
	}
	return false;
}

static int read_functions(struct file *file, struct search *search,
			  struct lw_go_functions *go)
{
	u64 addr;
	int ret = read_table(file, search, go, &addr);

	if (ret)
		return ret;
	if (!read_header(go))
		return -EOPNOTSUPP;
	/* before Go 1.18 addresses are whole */
	return go->width == 8 || find_text(file, search, addr, go) ? 0 : -EOPNOTSUPP;
}

/**
 * lw_go_functions_read - read the function table of a file
 * @go: out: to be freed; has no functions on failure
 * @fd: open for reading; its position does not matter and stays
 *
 * Return: 0, -ENOENT: it has no such table, -EOPNOTSUPP: it has one that is not
 * understood, -ENOMEM.
 */
int lw_go_functions_read(struct lw_go_functions *go, int fd)
{
	struct search *search = malloc(sizeof(*search));
	struct file file = { .fd = fd };
	struct stat st;
	int ret;

	memset(go, 0, sizeof(*go));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		file.size = st.st_size;
	ret = search ? read_sections(&file) : -ENOMEM;
	if (!ret)
		ret = read_functions(&file, search, go);
	free(file.shdrs);
	free(file.names);
	free(search);
	if (ret)
		lw_go_functions_free(go);
	return ret;
}

static u64 index_word(const struct lw_go_functions *go, u64 idx)
{
	return word_at(go->bytes + go->functions + idx * go->width, go->width);
}

static const char *name_at(const struct lw_go_functions *go, u64 offset)
{
	u64 room = go->size - go->names;
	const char *name = (const char *)go->bytes + go->names + offset;

	if (offset >= room)
		return NULL;
	room = room - offset < MAX_NAME ? room - offset : MAX_NAME;
	return name[0] && memchr(name, 0, room) ? name : NULL;
}

/**
 * lw_go_function_at - look at a function
 * @go: read
 * @idx: below its nr
 * @function: out: its pointers are good as long as @go
 *
 * Return: false if the table makes no sense there.
 */
bool lw_go_function_at(const struct lw_go_functions *go, u64 idx, struct lw_go_function *function)
{
	u64 start = index_word(go, 2 * idx), end = index_word(go, 2 * idx + 2);
	u64 at = index_word(go, 2 * idx + 1), room = go->size - go->functions, deltas;
	const u8 *record;

	if (start >= end || at > room || room - at < go->flags + 1)
		return false;
	record = go->bytes + go->functions + at;
	if (word_at(record, go->width) != start)
		return false;
	*function = (struct lw_go_function){
		.start = go->text + start,
		.size = end - start,
		.name = name_at(go, word_at(record + go->width + RECORD_NAME, 4)),
		.flags = record[go->flags],
	};
	deltas = word_at(record + go->width + RECORD_DELTAS, 4);
	if (deltas && deltas < go->size - go->deltas) {
		function->deltas = go->bytes + go->deltas + deltas;
		function->end = go->bytes + go->size;
	}
	return function->start + function->size > function->start;
}

/* Return: false if it does not end, or has more than 32 bits. */
static bool read_varint(struct lw_go_delta *delta, u32 *value)
{
	*value = 0;
	for (unsigned int shift = 0; delta->at < delta->end && shift < 32; shift += 7) {
		u8 byte = *delta->at++;

		*value |= (u32)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/**
 * lw_go_next_delta - go to the next piece of a function
 * @delta: at first only @at and @end are set, from the function
 *
 * Each piece has one byte at least.
 *
 * Return: false if there is none, or it makes no sense.
 */
bool lw_go_next_delta(struct lw_go_delta *delta)
{
	u32 change, bytes;

	if (!read_varint(delta, &change) || (!change && delta->next) ||
	    !read_varint(delta, &bytes) || !bytes)
		return false;
	/* the first is relative to -1; a sign is the lowest bit */
	if (!delta->next)
		delta->value = -1;
	delta->value = (u32)delta->value + ((change >> 1) ^ -(change & 1));
	delta->start = delta->next;
	delta->next += bytes;
	return true;
}

/**
 * lw_go_code_size - the size of a function without the padding behind it
 * @function: of the table
 * @left: pieces that may still be looked at, LW_GO_MAX_PIECES at first: in a hostile file all
 *	functions may have the same ones
 *
 * Return: bytes that the table knows the stack of; 0: none, or no pieces are left.
 */
u64 lw_go_code_size(const struct lw_go_function *function, u32 *left)
{
	struct lw_go_delta delta = { .at = function->deltas, .end = function->end };

	while (*left && delta.next < function->size && lw_go_next_delta(&delta))
		--*left;
	if (!*left)
		return 0;
	return delta.next < function->size ? delta.next : function->size;
}

/**
 * lw_go_functions_free - forget a table
 * @go: read, or zeroed
 */
void lw_go_functions_free(struct lw_go_functions *go)
{
	free(go->bytes);
	memset(go, 0, sizeof(*go));
}
