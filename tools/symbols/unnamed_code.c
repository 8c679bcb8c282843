// SPDX-License-Identifier: GPL-2.0
/*
 * unnamed_code.c - what code without a symbol is called: its file, and where its function
 * begins.
 *
 * A stripped file still tells where its functions begin: the table of .eh_frame_hdr has
 * their starts, sorted, and the FDE that each entry leads to has the size (Linux Standard
 * Base, section "Exception Frames"). A file without that table may have an SFrame section, and
 * of one that has neither, such as a static program, an SFrame section is made of .eh_frame.
 * Code between two functions of the table goes by where the function before it ends, and code
 * before the first function by where its segment begins, so that code of which nothing is
 * known is one row, not one for each address.
 *
 * The file may be hostile: what is read is checked against the file, and a table that is
 * wrong makes wrong numbers and nothing worse.
 *
 * Contexts: one thread per file.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "sframe/gen.h"
#include "sframe/sframe_reader.h"
#include "symbols/unnamed_code.h"

#define MAX_TABLE	(64ULL << 20)	/* bytes; the largest met had 1 million */
#define HEADER_SIZE	12
#define ENTRY_SIZE	8
#define DELETED		" (deleted)"

/* A function, or code that is in none. */
struct piece {
	u64 start, end;			/* @end: of code that is in none, ~0 */
	const char *text;		/* NULL: not made yet */
};

struct lw_unnamed_code {
	const struct lw_elf *file;
	bool other_order;		/* the file is of the other byte order */
	char *name;
	/* .eh_frame_hdr; NULL: there is none that we understand */
	const u8 *table;
	u64 table_addr;
	struct lw_sframe_source source;	/* of @sframe */
	struct lw_sframe sframe;
	struct lw_gen made;		/* what @source is made of, if the file has no section */
	u32 nr;				/* functions, of either */
	struct lw_arena texts;
	struct lw_pool pieces;
	struct lw_index index;		/* of @pieces, by start */
};

static u32 get32(const struct lw_unnamed_code *code, const u8 *bytes)
{
	u32 value;

	memcpy(&value, bytes, sizeof(value));
	return code->other_order ? __builtin_bswap32(value) : value;
}

static bool is_of_other_order(const struct lw_elf *file)
{
	const bool here_big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	GElf_Ehdr ehdr;

	return gelf_getehdr(file->elf, &ehdr) &&
	       (ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != here_big;
}

static const Elf_Data *read_segment(const struct lw_elf *file, u32 type, u64 *addr)
{
	const Elf_Data *data;
	GElf_Phdr phdr;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != type ||
		    phdr.p_filesz > MAX_TABLE)
			continue;
		*addr = phdr.p_vaddr;
		data = elf_getdata_rawchunk(file->elf, phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
		return data && data->d_buf ? data : NULL;
	}
	return NULL;
}

/* All linkers write version 1, and a table of pairs of 32 bits from its own address. */
static bool open_eh_frame_hdr(struct lw_unnamed_code *code)
{
	static const u8 version = 1, count_format = 0x03, table_format = 0x3b;
	const Elf_Data *data = read_segment(code->file, PT_GNU_EH_FRAME, &code->table_addr);
	const u8 *bytes = data ? data->d_buf : NULL;

	if (!bytes || data->d_size < HEADER_SIZE || bytes[0] != version ||
	    bytes[2] != count_format || bytes[3] != table_format)
		return false;
	code->nr = get32(code, bytes + 8);
	if (!code->nr || code->nr > (data->d_size - HEADER_SIZE) / ENTRY_SIZE)
		return false;
	code->table = bytes + HEADER_SIZE;
	return true;
}

static bool open_sframe(struct lw_unnamed_code *code, const void *bytes, u64 size, u64 addr)
{
	const struct lw_sframe_place place = { .addr = addr, .text_end = ~0ULL, .paths = true };

	code->source.bytes = bytes;
	code->source.size = size;
	code->nr = 0;
	if (!lw_sframe_open(&code->sframe, &code->source, &place, LW_SFRAME_ABI_ANY))
		code->nr = code->sframe.num_fdes;
	return code->nr;
}

static bool open_section(struct lw_unnamed_code *code)
{
	u64 addr;
	const Elf_Data *data = read_segment(code->file, PT_GNU_SFRAME, &addr);

	return data && open_sframe(code, data->d_buf, data->d_size, addr);
}

/* Of the first executable segment: linkers write no other. */
static bool make_section(struct lw_unnamed_code *code)
{
	const struct lw_gen_table *table;

	if (lw_sframe_gen_fd(code->file->fd, code->name, 0, &code->made))
		return false;
	table = &code->made.tables[0];
	return open_sframe(code, table->data, table->size, table->text_addr);
}

static u64 start_of(const struct lw_unnamed_code *code, u32 function)
{
	struct lw_sframe_fde fde;

	if (code->table)
		return code->table_addr + (s32)get32(code, code->table + ENTRY_SIZE * function);
	lw_sframe_get_fde(&code->sframe, function, &fde);
	return fde.start;
}

/*
 * The CIE says in which format the FDE has start and size. Compilers use one, of 32 bits, and
 * the start, which is known here, shows whether it is that one. Return: 0: it is another.
 */
static u64 size_in_fde(const struct lw_unnamed_code *code, u64 addr, const u8 *bytes, u64 start)
{
	const u32 at = 8;

	return addr + at + (s32)get32(code, bytes + at) == start ? get32(code, bytes + at + 4) : 0;
}

/* Return: 0: it is not known. */
static u64 size_of(const struct lw_unnamed_code *code, u32 function, u64 start)
{
	struct lw_sframe_fde fde;
	u8 bytes[16];
	u64 addr, offset;

	if (!code->table) {
		lw_sframe_get_fde(&code->sframe, function, &fde);
		return fde.size;
	}
	addr = code->table_addr + (s32)get32(code, code->table + ENTRY_SIZE * function + 4);
	if (lw_elf_addr_to_offset(code->file, addr, &offset) ||
	    !lw_read_at(code->file->fd, offset, bytes, sizeof(bytes)))
		return 0;
	return size_in_fde(code, addr, bytes, start);
}

/* Return: how many functions begin at or before the address. */
static u32 count_up_to(const struct lw_unnamed_code *code, u64 addr)
{
	u32 low = 0, high = code->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (start_of(code, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static u64 start_of_segment(const struct lw_elf *file, u64 addr)
{
	GElf_Phdr phdr;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (gelf_getphdr(file->elf, i, &phdr) && phdr.p_type == PT_LOAD &&
		    addr - phdr.p_vaddr < phdr.p_memsz)
			return phdr.p_vaddr;
	}
	return 0;
}

static bool same_start(const void *owner, u32 number, const void *key)
{
	const struct lw_unnamed_code *code = owner;
	const struct piece *piece = lw_pool_at(&code->pieces, number);

	return piece->start == *(const u64 *)key;
}

static struct piece *find_piece(const struct lw_unnamed_code *code, u64 start)
{
	u32 number = lw_index_find(&code->index, lw_hash64(start), same_start, code, &start);

	return number == LW_INDEX_NONE ? NULL : lw_pool_at(&code->pieces, number);
}

static struct piece *add_piece(struct lw_unnamed_code *code, u64 start, u64 end)
{
	struct piece *piece = lw_index_reserve(&code->index) ? NULL : lw_pool_add(&code->pieces);

	if (!piece)
		return NULL;
	*piece = (struct piece){ .start = start, .end = end };
	lw_index_add(&code->index, lw_hash64(start), code->pieces.nr - 1);
	return piece;
}

static struct piece *get_function(struct lw_unnamed_code *code, u32 function)
{
	u64 start = start_of(code, function), size;
	struct piece *piece = find_piece(code, start);

	if (piece)
		return piece;
	size = size_of(code, function, start);
	/* the next one ends it, if nothing else does */
	return add_piece(code, start, size && size < ~start ? start + size : ~0ULL);
}

static struct piece *get_gap(struct lw_unnamed_code *code, u64 start)
{
	return find_piece(code, start) ?: add_piece(code, start, ~0ULL);
}

static struct piece *get_piece(struct lw_unnamed_code *code, u64 addr)
{
	u32 before = count_up_to(code, addr);
	struct piece *piece;

	if (!before)
		return get_gap(code, start_of_segment(code->file, addr));
	piece = get_function(code, before - 1);
	return !piece || addr < piece->end ? piece : get_gap(code, piece->end);
}

/**
 * lw_unnamed_code_new - begin to name the code of a file
 * @file: opened, and as long as the names are used
 * @path: that the file goes by
 *
 * Return: the names, or NULL when out of memory.
 */
struct lw_unnamed_code *lw_unnamed_code_new(const struct lw_elf *file, const char *path)
{
	struct lw_unnamed_code *code = calloc(1, sizeof(*code));
	const char *slash = strrchr(path, '/'), *end;

	if (!code)
		return NULL;
	code->file = file;
	code->other_order = is_of_other_order(file);
	path = slash ? slash + 1 : path;
	end = strstr(path, DELETED);
	code->name = strndup(path, end ? (size_t)(end - path) : strlen(path));
	code->pieces.size = sizeof(struct piece);
	if (!code->name) {
		free(code);
		return NULL;
	}
	if (!open_eh_frame_hdr(code) && !open_section(code) && !make_section(code))
		code->nr = 0;
	return code;
}

static const char *make_text(struct lw_unnamed_code *code, u64 start)
{
	size_t size = strlen(code->name) + sizeof("+0x0123456789abcdef");
	char *text = lw_arena_alloc(&code->texts, size);

	if (text)
		snprintf(text, size, "%s+0x%llx", code->name, start);
	return text;
}

/**
 * lw_unnamed_code_find - name an address
 * @code: names of its file
 * @addr: address, as the file's headers have it
 * @start: out: where the function begins that the address is in
 *
 * Return: FILE+0xSTART, good until the names are freed; NULL when out of memory.
 */
const char *lw_unnamed_code_find(struct lw_unnamed_code *code, u64 addr, u64 *start)
{
	struct piece *piece = get_piece(code, addr);

	if (!piece)
		return NULL;
	*start = piece->start;
	if (!piece->text)
		piece->text = make_text(code, piece->start);
	return piece->text;
}

/**
 * lw_unnamed_code_free - forget all names
 * @code: names, or NULL
 */
void lw_unnamed_code_free(struct lw_unnamed_code *code)
{
	if (!code)
		return;
	lw_index_free(&code->index);
	lw_pool_free(&code->pieces);
	lw_arena_free(&code->texts);
	lw_gen_free(&code->made);
	free(code->name);
	free(code);
}
