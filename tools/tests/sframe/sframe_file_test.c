// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_file_test.c - ELF files with SFrame sections of both byte orders, made
 * byte by byte; broken ones are refused by name, and never read outside.
 *
 * Images are as long as the file, so that valgrind sees each byte behind them.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "sframe/sframe_file.h"
#include "sframe/sframe_text.h"
#include "tests/tap.h"

/* in the image; addresses are 0x1000 above */
#define PHDRS		64U
#define NR_PHDRS	4U
#define TEXT		0x140U
#define TEXT_SIZE	0x70U
#define PLT		0x1a0U		/* the last part of it */
#define SFRAME		0x1b0U
#define SFRAME_SIZE	(28U + 2 * 20 + 9)
#define STRTAB		0x210U
#define NAMES		"\0low\0high\0_start\0loc\0$d\0"
#define SHSTRTAB	0x230U
#define SECTIONS	"\0.text\0.plt\0.sframe\0.symtab\0.strtab\0.shstrtab"
#define SYMTAB		0x268U
#define NR_SYMS		6U
#define SHDRS		0x300U
#define NR_SHDRS	7U
#define IMAGE_SIZE	(SHDRS + NR_SHDRS * 64)

enum { SEC_TEXT = 1, SEC_PLT, SEC_SFRAME, SEC_SYMTAB, SEC_STRTAB, SEC_SHSTRTAB };
enum { LOAD_READ, LOAD_EXEC, LOAD_SECOND, SFRAME_SEGMENT };

struct image {
	u8 *bytes;
	bool big;
};

static void put(struct image *image, u32 at, u32 size, u64 value)
{
	for (u32 i = 0; i < size; i++)
		image->bytes[at + i] = value >> 8 * (image->big ? size - 1 - i : i);
}

static void phdr(struct image *image, u32 idx, u32 type, u32 flags, u32 offset, u64 size)
{
	u32 at = PHDRS + idx * 56;

	put(image, at, 4, type);
	put(image, at + 4, 4, flags);
	put(image, at + 8, 8, offset);
	put(image, at + 16, 8, offset + 0x1000);
	put(image, at + 24, 8, offset + 0x1000);
	put(image, at + 32, 8, size);
	put(image, at + 40, 8, size);
}

static u32 shdr_at(u32 idx, u32 field)
{
	return SHDRS + idx * 64 + field;
}

static void shdr(struct image *image, u32 idx, const char *name, u32 type, u64 flags, u32 offset,
		 u32 size)
{
	static const char names[] = SECTIONS;
	const char *found = memmem(names, sizeof(names), name, strlen(name) + 1);

	put(image, shdr_at(idx, 0), 4, found - names);
	put(image, shdr_at(idx, 4), 4, type);
	put(image, shdr_at(idx, 8), 8, flags);
	put(image, shdr_at(idx, 16), 8, flags & SHF_ALLOC ? offset + 0x1000 : 0);
	put(image, shdr_at(idx, 24), 8, offset);
	put(image, shdr_at(idx, 32), 8, size);
}

static void symbol(struct image *image, u32 idx, u32 name, u8 info, u64 value, u64 size)
{
	u32 at = SYMTAB + idx * 24;

	put(image, at, 4, name);
	put(image, at + 4, 1, info);
	put(image, at + 6, 2, SEC_TEXT);
	put(image, at + 8, 8, value);
	put(image, at + 16, 8, size);
}

static void put_sections(struct image *image)
{
	shdr(image, SEC_TEXT, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, PLT - TEXT);
	shdr(image, SEC_PLT, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT,
	     TEXT + TEXT_SIZE - PLT);
	shdr(image, SEC_SFRAME, ".sframe", SHT_PROGBITS, SHF_ALLOC, SFRAME, SFRAME_SIZE);
	shdr(image, SEC_SYMTAB, ".symtab", SHT_SYMTAB, 0, SYMTAB, NR_SYMS * 24);
	put(image, shdr_at(SEC_SYMTAB, 40), 4, SEC_STRTAB);
	put(image, shdr_at(SEC_SYMTAB, 56), 8, 24);
	shdr(image, SEC_STRTAB, ".strtab", SHT_STRTAB, 0, STRTAB, sizeof(NAMES));
	shdr(image, SEC_SHSTRTAB, ".shstrtab", SHT_STRTAB, 0, SHSTRTAB, sizeof(SECTIONS));
	memcpy(image->bytes + STRTAB, NAMES, sizeof(NAMES));
	memcpy(image->bytes + SHSTRTAB, SECTIONS, sizeof(SECTIONS));
	symbol(image, 1, 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), TEXT + 0x1000, 0x10);
	symbol(image, 2, 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), TEXT + 0x1020, 0x20);
	symbol(image, 3, 10, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), TEXT + 0x1050, 0);
	symbol(image, 4, 17, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), TEXT + 0x1000, 0x10);
	symbol(image, 5, 21, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT + 0x1028, 0);
}

/* Version 2, two functions, three rows. */
static void put_sframe(struct image *image, u8 abi, u8 rows_of)
{
	static const u8 rows[] = { 0, 3, 8, 1, 3, 16, 0, 3, 8 };
	bool amd64 = abi == LW_SFRAME_ABI_AMD64;

	put(image, SFRAME, 2, 0xdee2);
	put(image, SFRAME + 2, 2, image->big ? 0x0201 : 0x0102);
	put(image, SFRAME + 4, 1, abi);
	put(image, SFRAME + 6, 1, amd64 ? -8 : 0);
	put(image, SFRAME + 8, 4, 2);
	put(image, SFRAME + 12, 4, 3);
	put(image, SFRAME + 16, 4, sizeof(rows));
	put(image, SFRAME + 24, 4, 40);
	for (u32 i = 0; i < 2; i++) {
		u32 at = SFRAME + 28 + i * 20;

		put(image, at, 4, (u64)TEXT + i * 0x20 - SFRAME);
		put(image, at + 4, 4, i ? 0x20 : 0x10);
		put(image, at + 8, 4, i ? 6 : 0);
		put(image, at + 12, 4, i ? 1 : rows_of);
	}
	memcpy(image->bytes + SFRAME + 28 + 40, rows, sizeof(rows));
}

static struct image make_image(u16 machine, u8 abi, bool big)
{
	struct image image = { calloc(1, IMAGE_SIZE), big };

	memcpy(image.bytes, ELFMAG, SELFMAG);
	image.bytes[EI_CLASS] = ELFCLASS64;
	image.bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	image.bytes[EI_VERSION] = EV_CURRENT;
	put(&image, 16, 2, ET_EXEC);
	put(&image, 18, 2, machine);
	put(&image, 20, 4, EV_CURRENT);
	put(&image, 24, 8, TEXT + 0x1020);
	put(&image, 32, 8, PHDRS);
	put(&image, 40, 8, SHDRS);
	put(&image, 52, 2, 64);
	put(&image, 54, 2, 56);
	put(&image, 56, 2, NR_PHDRS);
	put(&image, 58, 2, 64);
	put(&image, 60, 2, NR_SHDRS);
	put(&image, 62, 2, SEC_SHSTRTAB);
	phdr(&image, LOAD_READ, PT_LOAD, PF_R, 0, IMAGE_SIZE);
	phdr(&image, LOAD_EXEC, PT_LOAD, PF_R | PF_X, TEXT, 0x40);
	phdr(&image, LOAD_SECOND, PT_LOAD, PF_R | PF_X, TEXT + 0x50, TEXT_SIZE - 0x50);
	phdr(&image, SFRAME_SEGMENT, PT_GNU_SFRAME, PF_R, SFRAME, SFRAME_SIZE);
	put_sections(&image);
	put_sframe(&image, abi, 2);
	return image;
}

static struct image amd64_image(void)
{
	return make_image(EM_X86_64, LW_SFRAME_ABI_AMD64, false);
}

static bool reads(u16 machine, u8 abi, bool big)
{
	struct image image = make_image(machine, abi, big);
	struct lw_sframe_file file;
	struct lw_rule rule;

	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(file.sf.abi == abi && file.sf.version == 2 && file.sf.num_fdes == 2);
	CHECK(file.offset == SFRAME && file.sf.place.addr == SFRAME + 0x1000);
	CHECK(file.has_segment && file.loaded && file.segment_size == SFRAME_SIZE);
	CHECK(file.nr_segments == 2 && file.segments[0].start == TEXT + 0x1000);
	CHECK(file.segments[1].end == TEXT + TEXT_SIZE + 0x1000);
	CHECK(file.nr_code == 2 && !strcmp(file.code[0].name, ".text"));
	CHECK(file.code[1].end == TEXT + TEXT_SIZE + 0x1000);
	CHECK(!lw_sframe_find(&file.sf, TEXT + 0x1004, &rule));
	CHECK(rule.cfa.off == (abi == LW_SFRAME_ABI_S390X ? 16 * 8 + 160 : 16));
	CHECK(!lw_sframe_find(&file.sf, TEXT + 0x1020, &rule));
	CHECK(rule.flags == LW_RULE_OUTERMOST);
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

static bool all_machines_and_byte_orders_are_read(void)
{
	CHECK(reads(EM_X86_64, LW_SFRAME_ABI_AMD64, false));
	CHECK(reads(EM_AARCH64, LW_SFRAME_ABI_AARCH64_LE, false));
	CHECK(reads(EM_AARCH64, LW_SFRAME_ABI_AARCH64_BE, true));
	CHECK(reads(EM_S390, LW_SFRAME_ABI_S390X, true));
	return true;
}

static bool without_section_headers_the_program_header_is_used(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	put(&image, 40, 8, 0);
	put(&image, 60, 2, 0);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(file.sf.num_fdes == 2 && file.src.size == SFRAME_SIZE);
	CHECK(file.nr_code == 2 && !file.code[0].name && file.code[0].end == TEXT + 0x1040);
	CHECK(!lw_sframe_file_load_names(&file) && !file.nr_names);
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

/* Return: the entry of a file that is loaded anywhere, with that DT_FLAGS_1. */
static u64 entry_of(bool big, u64 first_tag, u64 flags, u64 size)
{
	struct image image = make_image(big ? EM_S390 : EM_X86_64,
					big ? LW_SFRAME_ABI_S390X : LW_SFRAME_ABI_AMD64, big);
	struct lw_sframe_file file;
	u64 entry = ~0ULL;

	put(&image, 16, 2, ET_DYN);
	phdr(&image, SFRAME_SEGMENT, PT_DYNAMIC, PF_R, SYMTAB, size);
	put(&image, SYMTAB, 8, first_tag);
	put(&image, SYMTAB + 8, 8, DF_1_PIE);
	put(&image, SYMTAB + 16, 8, DT_FLAGS_1);
	put(&image, SYMTAB + 24, 8, flags);
	if (!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE)) {
		entry = file.sf.place.entry;
		lw_sframe_file_close(&file);
	}
	free(image.bytes);
	return entry;
}

static bool only_programs_have_an_entry(void)
{
	for (int big = 0; big < 2; big++) {
		CHECK(entry_of(big, DT_FLAGS, DF_1_NOW | DF_1_PIE, 32) == TEXT + 0x1020);
		CHECK(entry_of(big, DT_FLAGS, DF_1_NOW, 32) == 0);
		CHECK(entry_of(big, DT_NULL, DF_1_PIE, 32) == 0);
		/* cut, or not in the file at all */
		CHECK(entry_of(big, DT_FLAGS, DF_1_PIE, 31) == 0);
		CHECK(entry_of(big, DT_FLAGS, DF_1_PIE, 0) == 0);
		CHECK(entry_of(big, DT_FLAGS, DF_1_PIE, IMAGE_SIZE) == 0);
		CHECK(entry_of(big, DT_FLAGS, DF_1_PIE, ~0ULL) == 0);
	}
	return true;
}

static bool code_in_a_gap_of_segments_is_told(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(lw_sframe_file_in_segment(&file, TEXT + 0x1000, 0x40));
	CHECK(!lw_sframe_file_in_segment(&file, TEXT + 0x1000, 0x41));
	CHECK(!lw_sframe_file_in_segment(&file, TEXT + 0x1040, 1));
	CHECK(!lw_sframe_file_in_segment(&file, TEXT + 0xfff, 1));
	CHECK(lw_sframe_file_in_segment(&file, TEXT + 0x1050, 0x20));
	CHECK(!lw_sframe_file_in_segment(&file, TEXT + 0x1070, 0));
	CHECK(!lw_sframe_file_in_segment(&file, ~0ULL, 1));
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

static bool no_byte_of_code_counts_twice(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	/* ends in the other one, then behind it */
	put(&image, shdr_at(SEC_TEXT, 32), 8, PLT - TEXT + 8);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(file.nr_code == 2 && file.code[0].end == PLT + 0x1008);
	CHECK(file.code[1].start == PLT + 0x1008 && !strcmp(file.code[1].name, ".plt"));
	lw_sframe_file_close(&file);
	put(&image, shdr_at(SEC_TEXT, 32), 8, TEXT_SIZE + 8);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(file.nr_code == 1 && file.code[0].end == TEXT + TEXT_SIZE + 0x1008);
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

static bool section_that_is_loaded_elsewhere_is_told(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	/* another byte of the file comes to its address */
	put(&image, PHDRS + LOAD_READ * 56 + 8, 8, 8);
	put(&image, PHDRS + LOAD_READ * 56 + 32, 8, IMAGE_SIZE - 8);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) && !file.loaded);
	lw_sframe_file_close(&file);
	/* its last byte does not */
	put(&image, PHDRS + LOAD_READ * 56 + 8, 8, 0);
	put(&image, PHDRS + LOAD_READ * 56 + 32, 8, SFRAME + SFRAME_SIZE - 1);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) && !file.loaded);
	lw_sframe_file_close(&file);
	put(&image, PHDRS + LOAD_READ * 56 + 32, 8, SFRAME + SFRAME_SIZE);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) && file.loaded);
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

/* What one change of an image must lead to. */
struct refusal {
	u32 at, size;
	u64 value;
	int ret;
	const char *text;
};

static bool refused(const struct refusal *refusal)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;
	int ret;

	put(&image, refusal->at, refusal->size, refusal->value);
	ret = lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE);
	if (ret != refusal->ret || !strstr(lw_fail_text(), refusal->text)) {
		printf("# %d '%s' instead of %d '%s'\n", ret, lw_fail_text(), refusal->ret,
		       refusal->text);
		return false;
	}
	free(image.bytes);
	return true;
}

static bool each_broken_file_is_refused_by_name(void)
{
	static const struct refusal refusals[] = {
		{ 0, 4, 0, -ENOEXEC, "not an ELF file" },
		{ 16, 2, ET_REL, -EBADMSG, "Link it first" },
		{ 16, 2, ET_CORE, -EBADMSG, "core file" },
		{ 16, 2, 77, -EBADMSG, "type 77" },
		{ 18, 2, EM_S390, -EBADMSG, "is for amd64, the file is not (machine 22)" },
		{ 32, 8, IMAGE_SIZE - 55, -EBADMSG, "cut off: program headers" },
		{ 40, 8, IMAGE_SIZE - 447, -EBADMSG, "cut off: section headers" },
		{ 40, 8, ~0ULL, -EBADMSG, "cut off: section headers" },
		{ 54, 2, 55, -EBADMSG, "program headers have 55 bytes, not 56" },
		{ 58, 2, 40, -EBADMSG, "section headers have 40 bytes, not 64" },
		{ 60, 2, NR_SHDRS + 1, -EBADMSG, "cut off: section headers" },
		{ SHDRS + SEC_SFRAME * 64 + 4, 4, SHT_NOBITS, -ENODATA, "separate debug file" },
		{ SHDRS + SEC_SFRAME * 64 + 8, 8, SHF_ALLOC | SHF_COMPRESSED, -EBADMSG,
		  "is compressed" },
		{ SHDRS + SEC_SFRAME * 64 + 8, 8, 0, -EBADMSG, "not one that is loaded" },
		{ SHDRS + SEC_SFRAME * 64 + 24, 8, IMAGE_SIZE - SFRAME_SIZE + 1, -EBADMSG,
		  "cut off: its SFrame section" },
		{ SHDRS + SEC_SFRAME * 64 + 24, 8, ~0ULL, -EBADMSG,
		  "cut off: its SFrame section" },
		{ SHDRS + SEC_SFRAME * 64 + 32, 8, 27, -EBADMSG, "too short for a header" },
		{ SHDRS + SEC_SFRAME * 64 + 16, 8, -1ULL, -EBADMSG, "make no range" },
		{ SHDRS + SEC_TEXT * 64 + 32, 8, IMAGE_SIZE, -EBADMSG,
		  "cut off: a section of code" },
		{ SHDRS + SEC_TEXT * 64 + 16, 8, -1ULL, -EBADMSG, "beyond the last address" },
		{ PHDRS + LOAD_READ * 56 + 32, 8, IMAGE_SIZE + 1, -EBADMSG, "cut off: a segment" },
		{ PHDRS + LOAD_EXEC * 56 + 40, 8, -1ULL, -EBADMSG, "beyond the last address" },
		{ SFRAME, 2, 0x1234, -EBADMSG, "magic number (bytes 34 12)" },
		{ SFRAME, 2, 0xe2de, -EBADMSG, "byte order is not that of its ABI (ABI 3)" },
		{ SFRAME + 2, 1, 1, -EBADMSG, "neither 2 nor 3, it is 1\n  Build it" },
		{ SFRAME + 2, 1, 4, -EBADMSG, "neither 2 nor 3, it is 4" },
		{ SFRAME + 3, 1, 9, -EBADMSG, "does not know (flags 0x9)" },
		{ SFRAME + 3, 1, 0, -EBADMSG, "functions are sorted (flags 0x0)" },
		{ SFRAME + 4, 1, 9, -EBADMSG, "ABI is not known (ABI 9)" },
		{ SFRAME + 4, 1, LW_SFRAME_ABI_AARCH64_LE, -EBADMSG, "(RA -8, FP +0)" },
		{ SFRAME + 5, 1, 8, -EBADMSG, "(RA -8, FP +8)" },
		{ SFRAME + 8, 4, 0, -EBADMSG, "it has no functions" },
		{ SFRAME + 8, 4, ~0U, -EBADMSG, "more functions than" },
		{ SFRAME + 8, 4, 9, -EBADMSG, "functions are not all inside" },
		{ SFRAME + 16, 4, 10, -EBADMSG, "rows are not all inside" },
		{ SFRAME + 24, 4, 39, -EBADMSG, "on top of each other" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		CHECK(refused(&refusals[i]));
	return true;
}

static bool file_without_what_is_looked_for_is_refused(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	/* a type of its own finds it without its name, as ld 2.47 writes it */
	put(&image, shdr_at(SEC_SFRAME, 0), 4, 0);
	put(&image, shdr_at(SEC_SFRAME, 4), 4, 0x6ffffff4);
	put(&image, PHDRS + SFRAME_SEGMENT * 56, 4, PT_NULL);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(!file.has_segment && file.loaded);
	lw_sframe_file_close(&file);
	put(&image, shdr_at(SEC_SFRAME, 4), 4, SHT_PROGBITS);
	CHECK(lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) == -ENODATA);
	CHECK(strstr(lw_fail_text(), "no SFrame section"));
	free(image.bytes);

	image = amd64_image();
	put(&image, PHDRS + LOAD_EXEC * 56 + 4, 4, PF_R);
	put(&image, PHDRS + LOAD_SECOND * 56 + 4, 4, PF_R);
	CHECK(lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) == -EBADMSG);
	CHECK(strstr(lw_fail_text(), "no executable segment"));
	free(image.bytes);
	return true;
}

static bool code_that_the_file_has_no_bytes_for_is_refused(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	put(&image, 40, 8, 0);
	put(&image, PHDRS + LOAD_EXEC * 56 + 40, 8, 1ULL << 40);
	CHECK(lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE) == -EBADMSG);
	CHECK(strstr(lw_fail_text(), "the file only"));
	free(image.bytes);
	return true;
}

static void look_at_all(struct lw_sframe_file *file)
{
	struct lw_sframe_cursor cursor;
	struct lw_code_place place;
	struct lw_sframe_fde fde;
	struct lw_sframe_row row;
	struct lw_rule rule;

	lw_sframe_file_load_names(file);
	for (u32 i = 0; i < file->sf.num_fdes; i++) {
		if (lw_sframe_get_fde(&file->sf, i, &fde))
			continue;
		lw_sframe_file_name(file, fde.start, &place);
		lw_sframe_find(&file->sf, fde.start, &rule);
		lw_sframe_first_row(&cursor, &file->sf, &fde);
		while (!lw_sframe_next_row(&cursor, &row))
			;
	}
}

/* Return: what opening the first @size bytes gives. */
static int open_cut(const struct image *image, size_t size)
{
	u8 *copy = malloc(size + !size);
	struct lw_sframe_file file;
	int ret;

	memcpy(copy, image->bytes, size);
	ret = lw_sframe_file_open_memory(&file, copy, size);
	if (!ret) {
		look_at_all(&file);
		lw_sframe_file_close(&file);
	}
	free(copy);
	return ret;
}

static bool cut_file_is_refused_at_every_length(void)
{
	struct image image = amd64_image();

	for (size_t size = 0; size < IMAGE_SIZE; size++) {
		CHECK(open_cut(&image, size) < 0);
		/* libelf needs the first byte of the program headers to know it */
		CHECK(size <= 64 || strstr(lw_fail_text(), "cut off: "));
	}
	CHECK(!open_cut(&image, IMAGE_SIZE));

	/* no table at the end tells it */
	put(&image, 40, 8, 0);
	put(&image, PHDRS + LOAD_READ * 56 + 32, 8, SFRAME + SFRAME_SIZE);
	for (size_t size = 0; size < SFRAME + SFRAME_SIZE; size++)
		CHECK(open_cut(&image, size) < 0);
	CHECK(!open_cut(&image, SFRAME + SFRAME_SIZE));
	free(image.bytes);
	return true;
}

/* Only that nothing outside is touched, and that it ends. */
static bool no_changed_byte_does_harm(void)
{
	static const u8 masks[] = { 0x01, 0x80, 0xff };
	struct image image = amd64_image();
	u32 opened = 0;

	for (size_t at = 0; at < IMAGE_SIZE; at++) {
		for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
			image.bytes[at] ^= masks[i];
			opened += !open_cut(&image, IMAGE_SIZE);
			image.bytes[at] ^= masks[i];
		}
	}
	CHECK(opened > IMAGE_SIZE && opened < 3 * IMAGE_SIZE);
	free(image.bytes);
	return true;
}

static bool named(const struct lw_sframe_file *file, u32 at, const char *name, u64 offset,
		  const char *section, u32 end)
{
	struct lw_code_place place;

	lw_sframe_file_name(file, TEXT + 0x1000 + at, &place);
	CHECK(!name == !place.name && (!name || !strcmp(name, place.name)));
	CHECK(place.offset == offset && place.end == TEXT + 0x1000 + end);
	CHECK(!section == !place.section && (!section || !strcmp(section, place.section)));
	return true;
}

static bool addresses_get_names_up_to_their_end(void)
{
	struct image image = amd64_image();
	struct lw_sframe_file file;

	/* '$' is in names of amd64 */
	put(&image, 24 * 5 + SYMTAB, 4, 0);
	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(!lw_sframe_file_load_names(&file) && file.nr_names == 3);
	CHECK(named(&file, 0, "low", 0, ".text", 0x10));
	CHECK(named(&file, 0xf, "low", 0xf, ".text", 0x10));
	CHECK(named(&file, 0x10, NULL, 0, ".text", 0x20));
	CHECK(named(&file, 0x20, "high", 0, ".text", 0x40));
	CHECK(named(&file, 0x40, NULL, 0, ".text", 0x50));
	/* one without a size goes as far as its section */
	CHECK(named(&file, 0x5f, "_start", 0xf, ".text", 0x60));
	CHECK(named(&file, 0x60, NULL, 0, ".plt", 0x70));
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

static bool marks_of_the_assembler_are_no_names(void)
{
	struct image image = make_image(EM_AARCH64, LW_SFRAME_ABI_AARCH64_LE, false);
	struct lw_sframe_file file;

	CHECK(!lw_sframe_file_open_memory(&file, image.bytes, IMAGE_SIZE));
	CHECK(!lw_sframe_file_load_names(&file) && file.nr_names == 3);
	CHECK(named(&file, 0x28, "high", 8, ".text", 0x40));
	lw_sframe_file_close(&file);
	free(image.bytes);
	return true;
}

static bool each_result_has_its_own_text(void)
{
	for (int i = 0; i < LW_SFRAME_NUM_RESULTS; i++) {
		const char *text = lw_sframe_result_text(i);

		CHECK(strcmp(text, "an unknown result"));
		for (int j = 0; j < i; j++)
			CHECK(strcmp(text, lw_sframe_result_text(j)));
	}
	CHECK(!strcmp(lw_sframe_result_text(LW_SFRAME_NUM_RESULTS), "an unknown result"));
	CHECK(!strcmp(lw_sframe_result_text(-EFAULT), strerror(EFAULT)));
	return true;
}

static bool value_is(const char *text, unsigned int abi, u8 base, s32 off, u8 reg, u8 deref)
{
	struct lw_rule_value value = { .off = off, .base = base, .reg = reg, .deref = deref };
	char buf[LW_VALUE_TEXT_MAX];

	lw_sframe_value_text(buf, abi, &value);
	if (!strcmp(buf, text))
		return true;
	printf("# '%s' instead of '%s'\n", buf, text);
	return false;
}

static bool values_are_told_as_expressions(void)
{
	const unsigned int amd64 = LW_SFRAME_ABI_AMD64, s390x = LW_SFRAME_ABI_S390X;

	CHECK(value_is("sp+16", amd64, LW_BASE_SP, 16, 0, 0));
	CHECK(value_is("fp", amd64, LW_BASE_FP, 0, 0, 0));
	CHECK(value_is("*(cfa-8)", amd64, LW_BASE_CFA, -8, 0, 1));
	CHECK(value_is("*(fp+0)", amd64, LW_BASE_FP, 0, 0, 1));
	CHECK(value_is("same", amd64, LW_BASE_NONE, 0, 0, 0));
	CHECK(value_is("rcx", amd64, LW_BASE_REG, 0, 2, 0));
	CHECK(value_is("r10-2147483648", amd64, LW_BASE_REG, -2147483647 - 1, 10, 0));
	CHECK(value_is("*(cfa+2147483647)", amd64, LW_BASE_CFA, 2147483647, 0, 1));
	CHECK(value_is("?", amd64, LW_BASE_REG, 0, 16, 0));
	CHECK(value_is("x30", LW_SFRAME_ABI_AARCH64_BE, LW_BASE_REG, 0, 30, 0));
	CHECK(value_is("r14", s390x, LW_BASE_REG, 0, 14, 0));
	CHECK(value_is("f1", s390x, LW_BASE_REG, 0, 20, 0));
	CHECK(value_is("f15", s390x, LW_BASE_REG, 0, 31, 0));
	return true;
}

static bool prints(void (*print)(FILE *, const char *), const char *text, const char *want)
{
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);
	bool same;

	print(out, text);
	fclose(out);
	same = !strcmp(got, want);
	if (!same)
		printf("# '%s' instead of '%s'\n", got, want);
	free(got);
	return same;
}

static bool strings_of_others_are_made_harmless(void)
{
	CHECK(prints(lw_print_plain, "a\033[2J\177b", "a?[2J?b"));
	CHECK(prints(lw_print_plain, "\303\244\342\202\254\302\240",
		     "\303\244\342\202\254\302\240"));
	/* CSI in UTF-8 and as one byte, the last of them */
	CHECK(prints(lw_print_plain, "a\302\23331m\23331m\302\237", "a?31m?31m?"));
	CHECK(prints(lw_print_plain, "\303", "?"));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(all_machines_and_byte_orders_are_read),
		TEST(without_section_headers_the_program_header_is_used),
		TEST(only_programs_have_an_entry),
		TEST(code_in_a_gap_of_segments_is_told),
		TEST(no_byte_of_code_counts_twice),
		TEST(section_that_is_loaded_elsewhere_is_told),
		TEST(each_broken_file_is_refused_by_name),
		TEST(file_without_what_is_looked_for_is_refused),
		TEST(code_that_the_file_has_no_bytes_for_is_refused),
		TEST(cut_file_is_refused_at_every_length),
		TEST(no_changed_byte_does_harm),
		TEST(addresses_get_names_up_to_their_end),
		TEST(marks_of_the_assembler_are_no_names),
		TEST(each_result_has_its_own_text),
		TEST(values_are_told_as_expressions),
		TEST(strings_of_others_are_made_harmless),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
