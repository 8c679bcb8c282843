// SPDX-License-Identifier: GPL-2.0
/*
 * jit_unwind.c - unwind rows of code in jit-PID.dump.
 *
 * A compiler that has unwind information for a piece of code writes a record with .eh_frame and
 * .eh_frame_hdr before the record of the code.  The kernel's specification has .eh_frame_hdr first;
 * 'perf inject --jit' takes it as last, and has a file of ELF made in which .eh_frame is behind the
 * code, at a multiple of 8 bytes.  V8 and CPython write for that.  LLVM writes one record for all
 * functions of a module, as the specification says, with .eh_frame as it is in the process, whose
 * address is in .eh_frame_hdr.  Each of these is told by its bytes.
 *
 * Each piece of code is converted as a file of ELF of its own, which has no more than .eh_frame.
 *
 * A process may write what it likes: sizes are checked against the file, and against limits,
 * before there is memory for them, and what is made of a record is bounded.
 *
 * Contexts: any thread, one for each file.
 */
#include <assert.h>
#include <dwarf.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "jit/jit_unwind.h"
#include "sframe/gen.h"

/* Bytes of a record's unwind information; of all of it that is converted, again and again. */
#define MAX_UNWIND	(1U << 20)
#define MAX_READ	(16U << 20)	/* bytes of unwind information, at a time */
#define MAX_CONVERTED	(256ULL << 20)
/* Records that are looked at in one call. */
#define MAX_LOOKED_AT	65536U

#define BIG_HERE	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define NATIVE_DATA	(BIG_HERE ? ELFDATA2MSB : ELFDATA2LSB)

#define HEADER_VERSION	1
#define HEADER_POINTER	4	/* where the address of .eh_frame is in .eh_frame_hdr */

static_assert(sizeof(struct lw_jit_dump_unwind) == 40, "lw_jit_dump_unwind");

/* Of a file of ELF, in front of .eh_frame. */
struct image_head {
	Elf64_Ehdr ehdr;
	Elf64_Phdr code;
	Elf64_Shdr sections[3];
	char names[32];
};

enum section { SECTION_NONE, SECTION_EH_FRAME, SECTION_NAMES };

#define NAME_EH_FRAME	1
#define NAME_NAMES	11

static void drop_eh_frame(struct lw_jit_unwind *unwind)
{
	free(unwind->eh_frame);
	unwind->eh_frame = NULL;
	unwind->size = 0;
	unwind->addr = 0;
}

/**
 * lw_jit_unwind_forget - forget what was read
 * @unwind: is zeroed
 */
void lw_jit_unwind_forget(struct lw_jit_unwind *unwind)
{
	drop_eh_frame(unwind);
	memset(unwind, 0, sizeof(*unwind));
}

/* Return: whether .eh_frame_hdr has the address of .eh_frame itself, and not a distance. */
static bool header_has_address(const u8 *header, u64 size)
{
	u8 encoding = header[1];

	return size >= HEADER_POINTER + sizeof(u64) && !(encoding & 0xf0) &&
	       (encoding == DW_EH_PE_absptr || encoding == DW_EH_PE_udata8 ||
		encoding == DW_EH_PE_sdata8);
}

/*
 * Finds .eh_frame in @bytes, which it takes over.  Its first bytes are the length of a CIE, which
 * is no odd number.
 */
static void set_eh_frame(struct lw_jit_unwind *unwind, u8 *bytes, u64 size, u64 header_size)
{
	bool header_first = size >= HEADER_POINTER && bytes[0] == HEADER_VERSION && bytes[1];
	const u8 *header = header_first ? bytes : bytes + size - header_size;

	unwind->eh_frame = bytes;
	unwind->size = size - header_size;
	unwind->left = MAX_CONVERTED;
	if (header_has_address(header, header_size))
		memcpy(&unwind->addr, header + HEADER_POINTER, sizeof(unwind->addr));
	else if (header_first)
		unwind->size = 0;	/* it may be anywhere */
	if (header_first)
		memmove(bytes, bytes + header_size, unwind->size);
}

static void take_unwind(struct lw_jit_unwind *unwind, int fd,
			const struct lw_jit_dump_unwind *record)
{
	u64 size = record->unwind_size;
	u8 *bytes;

	unwind->any = true;
	drop_eh_frame(unwind);
	if (!size || size > MAX_UNWIND || size > record->record.size - sizeof(*record) ||
	    record->header_size > size || record->header_size < 2)
		return;
	bytes = malloc(size);
	if (bytes && lw_read_at(fd, unwind->dump.read_to + sizeof(*record), bytes, size))
		set_eh_frame(unwind, bytes, size, record->header_size);
	else
		free(bytes);
}

/* @to: of all of the image's bytes */
static void make_image(const struct lw_jit_unwind *unwind, const struct lw_jit_rows *rows, u8 *to)
{
	const u64 size = sizeof(struct image_head) + unwind->size;
	struct image_head head = {
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, NATIVE_DATA,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = LW_GEN_NATIVE_MACHINE,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct image_head, code),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			.e_shoff = offsetof(struct image_head, sections),
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = ARRAY_SIZE(head.sections),
			.e_shstrndx = SECTION_NAMES,
		},
		/* behind all: the image has not the bytes of the code */
		.code = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = size,
			.p_vaddr = rows->start, .p_filesz = rows->size, .p_memsz = rows->size,
		},
		.sections[SECTION_EH_FRAME] = {
			.sh_name = NAME_EH_FRAME, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
			.sh_addr = unwind->addr ? unwind->addr :
				   rows->start + ALIGN_UP(rows->size, 8),
			.sh_offset = sizeof(head), .sh_size = unwind->size,
		},
		.sections[SECTION_NAMES] = {
			.sh_name = NAME_NAMES, .sh_type = SHT_STRTAB,
			.sh_offset = offsetof(struct image_head, names),
			.sh_size = sizeof(head.names),
		},
		.names = "\0.eh_frame\0.shstrtab",
	};

	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), unwind->eh_frame, unwind->size);
}

/* Without rows if there are none for this code, or no memory. */
static void make_rows(struct lw_jit_unwind *unwind, struct lw_jit_rows *rows)
{
	const u64 size = sizeof(struct image_head) + unwind->size;
	struct lw_gen gen;
	u8 *image;

	if (!unwind->size || unwind->left < unwind->size)
		return;
	unwind->left -= unwind->size;
	image = malloc(size);
	if (!image)
		return;
	make_image(unwind, rows, image);
	if (!lw_sframe_gen_memory(image, size, "a jitdump", 0, &gen)) {
		rows->table = gen.tables[0].data;
		rows->table_size = gen.tables[0].size;
		gen.tables[0].data = NULL;
		lw_gen_free(&gen);
	}
	free(image);
}

/* Return: whether there is such code. */
static bool begin_rows(struct lw_jit_rows *rows, u64 start, u64 size)
{
	*rows = (struct lw_jit_rows) { .start = start, .size = size };
	return start && size && size <= INT32_MAX && start + size > start;
}

static bool take_load(struct lw_jit_unwind *unwind, const struct lw_jit_dump_load *load,
		      struct lw_jit_rows *rows)
{
	if (load->pid != unwind->dump.header.pid || !unwind->any ||
	    !begin_rows(rows, load->start, load->size))
		return false;
	make_rows(unwind, rows);
	/* what is behind a piece of code is of that piece */
	if (!unwind->addr)
		drop_eh_frame(unwind);
	return true;
}

/* Return: whether @rows were made of the record. */
static bool take_any(struct lw_jit_unwind *unwind, int fd, const struct lw_jit_dump_record *record,
		     struct lw_jit_rows *rows)
{
	const u64 at = unwind->dump.read_to;
	union {
		struct lw_jit_dump_load load;
		struct lw_jit_dump_move move;
		struct lw_jit_dump_unwind unwind;
	} all;

	if (record->type == LW_JIT_DUMP_LOAD && record->size > sizeof(all.load) &&
	    lw_read_at(fd, at, &all.load, sizeof(all.load)))
		return take_load(unwind, &all.load, rows);
	/* who moves code has its rows where it was */
	if (record->type == LW_JIT_DUMP_MOVE && record->size >= sizeof(all.move) &&
	    lw_read_at(fd, at, &all.move, sizeof(all.move)))
		return unwind->any && all.move.pid == unwind->dump.header.pid &&
		       begin_rows(rows, all.move.to, all.move.size);
	if (record->type == LW_JIT_DUMP_UNWIND && record->size >= sizeof(all.unwind) &&
	    lw_read_at(fd, at, &all.unwind, sizeof(all.unwind)))
		take_unwind(unwind, fd, &all.unwind);
	return false;
}

/* Return: whether records follow. */
static bool take_header(struct lw_jit_dump *dump, int fd)
{
	if (dump->read_to)
		return true;
	/* zeros: it may be being written, after room for it */
	if (!lw_read_at(fd, 0, &dump->header, sizeof(dump->header)) || !dump->header.magic)
		return false;
	dump->bad = !lw_jit_dump_is_sound(&dump->header) ||
		    dump->header.machine != LW_GEN_NATIVE_MACHINE;
	dump->read_to = dump->bad ? 0 : dump->header.size;
	return !dump->bad;
}

/**
 * lw_jit_unwind_next - read on in a file that grows, up to code with rows
 * @unwind: what was read of it before
 * @fd: the file
 * @rows: out: of the next piece of code, once there is unwind information in the file
 *
 * Return: false if nothing more can be read now: there is no further record that is whole, or it
 * has read enough for a while.
 */
bool lw_jit_unwind_next(struct lw_jit_unwind *unwind, int fd, struct lw_jit_rows *rows)
{
	struct lw_jit_dump *dump = &unwind->dump;
	struct lw_jit_dump_record record;
	bool found = false;
	struct stat st;
	u64 read = 0;

	if (dump->bad || fstat(fd, &st) || !take_header(dump, fd))
		return false;
	for (u32 i = 0; i < MAX_LOOKED_AT && read < MAX_READ && !found; i++) {
		if (dump->read_to > (u64)st.st_size ||
		    !lw_read_at(fd, dump->read_to, &record, sizeof(record)))
			return false;
		dump->bad = record.size && record.size < sizeof(record);
		/* zeros: it may be being written, after room for it */
		if (dump->bad || !record.size || record.size > st.st_size - dump->read_to)
			return false;
		found = take_any(unwind, fd, &record, rows);
		dump->read_to += record.size;
		read += record.type == LW_JIT_DUMP_UNWIND ? record.size : 0;
	}
	return found;
}
