// SPDX-License-Identifier: GPL-2.0
/*
 * gen_image.c - a program of x86-64, aarch64 or s390x with call frame information made by chance.
 *
 * It makes sense: each function has instructions that are whole, restores what
 * was remembered, and changes a CFA that is a register and an offset.
 */
#include <dwarf.h>
#include <elf.h>
#include <endian.h>
#include <string.h>

#include "../../tools/sframe/gen_parts.h"
#include "gen_image.h"

#define NR_SECTIONS	5
#define IMAGE_NAMES	0x1c0U		/* in the image: the sections' */

struct maker {
	struct gen_image *image;
	u8 *at, *end;
	unsigned int remembered;
	bool plain[16];		/* CFA is a register and an offset; of each state */
	bool is_plain;
};

/**
 * image_random - the next number
 * @image: of it
 * @below: not 0
 *
 * Return: a number from 0 on.
 */
u32 image_random(struct gen_image *image, u32 below)
{
	image->random += 0x9e3779b97f4a7c15ULL;
	return (lw_hash64(lw_hash64(image->random)) >> 16) % below;
}

static void u8_to(struct maker *maker, u8 value)
{
	if (maker->at < maker->end)
		*maker->at++ = value;
}

static void bytes_to(struct maker *maker, u64 value, unsigned int size)
{
	bool big = maker->image->machine == IMAGE_S390X;

	for (unsigned int i = 0; i < size; i++)
		u8_to(maker, value >> 8 * (big ? size - 1 - i : i));
}

static void uleb_to(struct maker *maker, u64 value)
{
	for (; value > 0x7f; value >>= 7)
		u8_to(maker, value | 0x80);
	u8_to(maker, value);
}

static void sleb_to(struct maker *maker, s64 value)
{
	for (; value < -64 || value > 63; value >>= 7)
		u8_to(maker, value | 0x80);
	u8_to(maker, value & 0x7f);
}

/* Mostly those that matter. */
static u32 some_reg(struct maker *maker)
{
	static const u8 regs[IMAGE_MACHINES][9] = {
		{ 6, 6, 6, 7, 16, 3, 10, 1, 17 }, { 29, 29, 29, 31, 30, 30, 19, 9, 46 },
		{ 11, 11, 11, 15, 14, 14, 12, 16, 31 },
	};

	return regs[maker->image->machine][image_random(maker->image, sizeof(regs[0]))];
}

static u32 some_base(struct maker *maker)
{
	static const u8 regs[IMAGE_MACHINES][8] = {
		{ 7, 7, 7, 6, 6, 10, 13, 17 }, { 31, 31, 31, 29, 29, 10, 19, 46 },
		{ 15, 15, 15, 11, 11, 1, 12, 46 },
	};

	return regs[maker->image->machine][image_random(maker->image, sizeof(regs[0]))];
}

/* In units of the data alignment, -8. */
static s64 some_offset(struct maker *maker)
{
	static const u32 below[] = { 4, 16, 16, 200, 5000, 100000 };

	return image_random(maker->image, below[image_random(maker->image, 6)]);
}

static void some_expression(struct maker *maker, bool of_cfa)
{
	u8 code[32];
	struct maker inner = { .image = maker->image, .at = code, .end = code + sizeof(code) };
	bool x86 = maker->image->machine == IMAGE_X86_64;
	u32 kind = image_random(maker->image, of_cfa && x86 ? 6 : 5);

	/* a register's begins with the CFA */
	if (!of_cfa && !image_random(maker->image, 4)) {
		u8_to(&inner, DW_OP_plus_uconst);
		uleb_to(&inner, 8 * some_offset(maker));
	} else {
		u8_to(&inner, DW_OP_breg0 + (some_base(maker) & (x86 ? 15 : 31)));
		sleb_to(&inner, (kind & 1 ? -8 : 8) * some_offset(maker));
	}
	if (kind == 1 || kind == 2 || kind == 4)
		u8_to(&inner, DW_OP_deref);
	if (kind == 3 || kind == 4) {
		u8_to(&inner, DW_OP_plus_uconst);
		uleb_to(&inner, 8);
	}
	if (kind == 5) {
		static const u8 plt[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
					  DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl,
					  DW_OP_plus };

		memcpy(code, plt, sizeof(plt));
		code[6] = DW_OP_lit0 + image_random(maker->image, 16);
		inner.at = code + sizeof(plt);
	}
	uleb_to(maker, inner.at - code);
	for (u8 *byte = code; byte < inner.at; byte++)
		u8_to(maker, *byte);
}

static void advance(struct maker *maker)
{
	u32 delta = image_random(maker->image, 12);

	switch (image_random(maker->image, 8)) {
	case 0:
		u8_to(maker, DW_CFA_advance_loc1);
		bytes_to(maker, delta, 1);
		break;
	case 1:
		u8_to(maker, DW_CFA_advance_loc2);
		bytes_to(maker, delta, 2);
		break;
	case 2:
		u8_to(maker, DW_CFA_advance_loc4);
		bytes_to(maker, delta, 4);
		break;
	default:
		u8_to(maker, DW_CFA_advance_loc + delta);
	}
}

static void change_cfa(struct maker *maker)
{
	u32 kind = image_random(maker->image, maker->is_plain ? 7 : 3);

	switch (kind) {
	case 0:
		u8_to(maker, DW_CFA_def_cfa);
		uleb_to(maker, some_base(maker));
		uleb_to(maker, 8 * some_offset(maker));
		break;
	case 1:
		u8_to(maker, DW_CFA_def_cfa_sf);
		uleb_to(maker, some_base(maker));
		sleb_to(maker, -some_offset(maker));
		break;
	case 2:
		u8_to(maker, DW_CFA_def_cfa_expression);
		some_expression(maker, true);
		break;
	case 3:
		u8_to(maker, DW_CFA_def_cfa_register);
		uleb_to(maker, some_base(maker));
		break;
	case 4:
		u8_to(maker, DW_CFA_def_cfa_offset_sf);
		sleb_to(maker, -some_offset(maker));
		break;
	default:
		u8_to(maker, DW_CFA_def_cfa_offset);
		uleb_to(maker, 8 * some_offset(maker));
	}
	maker->is_plain = maker->is_plain ? kind != 2 : kind < 2;
}

static void save_register(struct maker *maker)
{
	static const u8 ops[] = {
		DW_CFA_offset_extended, DW_CFA_val_offset, DW_CFA_offset_extended_sf,
		DW_CFA_val_offset_sf, DW_CFA_GNU_negative_offset_extended,
	};
	u32 kind = image_random(maker->image, 9), reg = some_reg(maker);

	if (kind >= sizeof(ops)) {
		u8_to(maker, DW_CFA_offset + reg);
		uleb_to(maker, some_offset(maker));
		return;
	}
	u8_to(maker, ops[kind]);
	uleb_to(maker, reg);
	if (kind == 2 || kind == 3)
		sleb_to(maker, some_offset(maker) - 8);
	else
		uleb_to(maker, some_offset(maker));
}

static void move_register(struct maker *maker)
{
	u32 kind = image_random(maker->image, 8), reg = some_reg(maker);

	switch (kind) {
	case 0:
		u8_to(maker, DW_CFA_undefined);
		uleb_to(maker, reg);
		break;
	case 1:
		u8_to(maker, DW_CFA_same_value);
		/* on x86-64 that of the return address is nobody's */
		uleb_to(maker, reg == 16 ? 6 : reg);
		break;
	case 2:
		u8_to(maker, DW_CFA_register);
		uleb_to(maker, reg);
		uleb_to(maker, image_random(maker->image,
					    maker->image->machine == IMAGE_X86_64 ? 16 : 32));
		break;
	case 3:
	case 4:
		u8_to(maker, kind == 3 ? DW_CFA_expression : DW_CFA_val_expression);
		uleb_to(maker, reg);
		some_expression(maker, false);
		break;
	case 5:
		u8_to(maker, DW_CFA_restore_extended);
		uleb_to(maker, reg);
		break;
	default:
		u8_to(maker, DW_CFA_restore + reg);
	}
}

static void remember_or_restore(struct maker *maker)
{
	if (maker->remembered && image_random(maker->image, 2)) {
		u8_to(maker, DW_CFA_restore_state);
		maker->is_plain = maker->plain[--maker->remembered];
	} else if (maker->remembered < 16) {
		u8_to(maker, DW_CFA_remember_state);
		maker->plain[maker->remembered++] = maker->is_plain;
	}
}

static void instruction(struct maker *maker)
{
	switch (image_random(maker->image, 16)) {
	case 0 ... 5:
		advance(maker);
		break;
	case 6 ... 8:
		change_cfa(maker);
		break;
	case 9 ... 10:
		save_register(maker);
		break;
	case 11 ... 12:
		move_register(maker);
		break;
	case 13 ... 14:
		remember_or_restore(maker);
		break;
	default:
		if (maker->image->machine == IMAGE_AARCH64) {
			u8_to(maker, DW_CFA_AARCH64_negate_ra_state);
			return;
		}
		u8_to(maker, DW_CFA_GNU_args_size);
		uleb_to(maker, image_random(maker->image, 300));
	}
}

/* An entry's length is known when it ends; with what is not used as nops. */
static void end_entry(struct maker *maker, u8 *entry)
{
	struct maker length = { .image = maker->image, .at = entry, .end = entry + 4 };

	while ((maker->at - entry) % 8)
		u8_to(maker, DW_CFA_nop);
	bytes_to(&length, maker->at - entry - 4, 4);
}

static void make_cie(struct maker *maker)
{
	/* the return address, and what the CFA is behind a call */
	static const struct {
		u8 ra, sp, off;
	} machines[IMAGE_MACHINES] = { { 16, 7, 8 }, { 30, 31, 0 }, { 14, 15, 160 } };
	enum image_machine machine = maker->image->machine;
	u8 *entry = maker->at;

	bytes_to(maker, 0, 4);
	bytes_to(maker, 0, 4);
	u8_to(maker, 1);			/* version */
	u8_to(maker, 'z');
	u8_to(maker, 'R');
	u8_to(maker, 0);
	uleb_to(maker, 1);
	sleb_to(maker, -8);
	uleb_to(maker, machines[machine].ra);
	uleb_to(maker, 1);
	u8_to(maker, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	u8_to(maker, DW_CFA_def_cfa);
	uleb_to(maker, machines[machine].sp);
	uleb_to(maker, machines[machine].off);
	if (machine == IMAGE_X86_64) {
		u8_to(maker, DW_CFA_offset + 16);
		uleb_to(maker, 1);
	}
	end_entry(maker, entry);
}

static void make_fde(struct maker *maker, u32 start, u32 size)
{
	u8 *entry = maker->at, *cfi = maker->image->bytes + IMAGE_CFI;
	u32 instructions = image_random(maker->image, 40);

	bytes_to(maker, 0, 4);
	bytes_to(maker, maker->at - cfi, 4);
	bytes_to(maker, IMAGE_TEXT + start - (maker->at - maker->image->bytes), 4);
	bytes_to(maker, size, 4);
	uleb_to(maker, 0);
	maker->remembered = 0;
	maker->is_plain = true;
	while (instructions-- && maker->end - maker->at > 64)
		instruction(maker);
	end_entry(maker, entry);
}

static void section(Elf64_Shdr *shdr, u32 name, u32 type, u64 flags, u64 offset, u64 size)
{
	*shdr = (Elf64_Shdr){
		.sh_name = name, .sh_type = type, .sh_flags = flags, .sh_offset = offset,
		.sh_addr = IMAGE_ADDR + offset, .sh_size = size, .sh_addralign = 1,
	};
}

static void make_headers(struct gen_image *image, u32 plt)
{
	static const char names[] = "\0.text\0.eh_frame\0.shstrtab\0.plt";
	static const u16 machines[IMAGE_MACHINES] = { EM_X86_64, EM_AARCH64, EM_S390 };
	u8 data = image->machine == IMAGE_S390X ? ELFDATA2MSB : ELFDATA2LSB;
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)image->bytes;
	Elf64_Phdr *phdr = (Elf64_Phdr *)(ehdr + 1);
	Elf64_Shdr *shdrs = (Elf64_Shdr *)(image->bytes + 0x80);

	*ehdr = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, data, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = machines[image->machine],
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(*ehdr), .e_shoff = 0x80, .e_ehsize = sizeof(*ehdr),
		.e_phentsize = sizeof(*phdr), .e_phnum = 1, .e_shentsize = sizeof(*shdrs),
		.e_shnum = NR_SECTIONS, .e_shstrndx = 3,
	};
	*phdr = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = IMAGE_ADDR,
		.p_filesz = IMAGE_SIZE, .p_memsz = IMAGE_SIZE, .p_align = 0x1000,
	};
	section(&shdrs[1], 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, IMAGE_TEXT,
		IMAGE_TEXT_SIZE);
	section(&shdrs[2], 7, SHT_PROGBITS, SHF_ALLOC, IMAGE_CFI, image->cfi);
	section(&shdrs[3], 17, SHT_STRTAB, 0, IMAGE_NAMES, sizeof(names));
	section(&shdrs[4], 27, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, IMAGE_PLT, plt);
	memcpy(image->bytes + IMAGE_NAMES, names, sizeof(names));
	gen_input_order(data, shdrs, NR_SECTIONS * sizeof(*shdrs), ELF_T_SHDR);
	gen_input_order(data, phdr, sizeof(*phdr), ELF_T_PHDR);
	gen_input_order(data, ehdr, sizeof(*ehdr), ELF_T_EHDR);
}

/*
 * Most instructions of a procedure linkage table of aarch64 are those that linkers write, and all
 * of s390x's; what comes then is zeros.  Return: its bytes.
 */
static u32 make_plt(struct gen_image *image)
{
	static const u32 aarch64[] = {
		0xa9bf7bf0, 0xa9bf0fe2, 0x90000010, 0xf9400211, 0x91000210, 0xd503245f, 0xd503219f,
		0xd503201f, 0xd61f0220, 0xd61f0040, 0xd71f0a30, 0xd65f03c0,
	};
	static const u8 s390x[] = {
		0xc0, 0x10, 1, 2, 3, 4, 0xe3, 0x10, 0x10, 0, 0, 0x04, 0x07, 0xf1, 0x0d, 0x10,
		0xe3, 0x10, 0x10, 0x0c, 0, 0x14, 0xc0, 0xf4, 5, 6, 7, 8, 0, 0, 0, 9,
	};
	u32 size = image_random(image, IMAGE_SIZE - IMAGE_PLT + 1), whole;
	u8 *plt = image->bytes + IMAGE_PLT;

	whole = image_random(image, size + 1);
	for (u32 at = 0; image->machine == IMAGE_AARCH64 && at + 4 <= whole; at += 4) {
		u32 insn = htole32(aarch64[image_random(image, ARRAY_SIZE(aarch64))]);

		memcpy(plt + at, &insn, sizeof(insn));
	}
	for (u32 at = 0; image->machine == IMAGE_S390X && at + 32 <= whole; at += 32)
		memcpy(plt + at, s390x, sizeof(s390x));
	return size;
}

static u32 next_start(struct gen_image *image, u32 start)
{
	if (image->overlap)
		return image_random(image, 4) ? image_random(image, IMAGE_TEXT_SIZE - 200) : start;
	start += image_random(image, 3) ? 0 : image_random(image, 40);
	return image_random(image, 2) ? start : ALIGN_UP(start, 16);
}

static void make(struct gen_image *image, u64 seed, u32 overlap)
{
	struct maker maker = { .image = image };
	u32 start = 0, size;

	memset(image, 0, sizeof(*image));
	image->random = seed;
	image->machine = seed / 4 % IMAGE_MACHINES;
	image->overlap = overlap;
	maker.at = image->bytes + IMAGE_CFI;
	maker.end = maker.at + IMAGE_CFI_MAX;
	make_cie(&maker);
	while (maker.end - maker.at > 256 && image->nr_functions < IMAGE_FUNCTIONS) {
		start = next_start(image, start);
		size = 1 + image_random(image, 120);
		if (start + size > IMAGE_TEXT_SIZE)
			break;
		make_fde(&maker, start, size);
		image->functions[image->nr_functions].start = start;
		image->functions[image->nr_functions++].size = size;
		start += overlap ? 0 : size;
	}
	image->cfi = maker.at - image->bytes - IMAGE_CFI;
	make_headers(image, make_plt(image));
}

/**
 * image_make - make an image
 * @image: out
 * @seed: the same makes the same
 */
void image_make(struct gen_image *image, u64 seed)
{
	make(image, seed, 0);
}

/* Instructions that change a frame, or leave it alone; jumps and calls go somewhere in the text. */
static const struct {
	u8 bytes[8];
	u8 nr;
	u8 target;		/* bytes of one behind these, 0: it has none */
} code[] = {
	{ { 0x55 }, 1, 0 },				/* push %rbp */
	{ { 0x53 }, 1, 0 },				/* push %rbx */
	{ { 0x5d }, 1, 0 },				/* pop %rbp */
	{ { 0x5b }, 1, 0 },				/* pop %rbx */
	{ { 0x48, 0x89, 0xe5 }, 3, 0 },			/* mov %rsp, %rbp */
	{ { 0x48, 0x89, 0xec }, 3, 0 },			/* mov %rbp, %rsp */
	{ { 0x48, 0x89, 0xe0 }, 3, 0 },			/* mov %rsp, %rax */
	{ { 0x48, 0x83, 0xec, 0x18 }, 4, 0 },		/* sub $24, %rsp */
	{ { 0x48, 0x83, 0xc4, 0x18 }, 4, 0 },		/* add $24, %rsp */
	{ { 0x48, 0x83, 0xe4, 0xe0 }, 4, 0 },		/* and $-32, %rsp */
	{ { 0x48, 0x8d, 0x64, 0x24, 0x08 }, 5, 0 },	/* lea 8(%rsp), %rsp */
	{ { 0x48, 0x89, 0x44, 0x24, 0x08 }, 5, 0 },	/* mov %rax, 8(%rsp) */
	{ { 0x48, 0x8b, 0x64, 0x24, 0x08 }, 5, 0 },	/* mov 8(%rsp), %rsp */
	{ { 0x48, 0x89, 0x6c, 0x24, 0xf8 }, 5, 0 },	/* mov %rbp, -8(%rsp) */
	{ { 0x48, 0x39, 0xc4 }, 3, 0 },			/* cmp %rax, %rsp */
	{ { 0x48, 0x87, 0xe0 }, 3, 0 },			/* xchg %rsp, %rax */
	{ { 0x48, 0x01, 0xc4 }, 3, 0 },			/* add %rax, %rsp */
	{ { 0x31, 0xed }, 2, 0 },				/* xor %ebp, %ebp */
	{ { 0xc9 }, 1, 0 },				/* leave */
	{ { 0xc3 }, 1, 0 },				/* ret */
	{ { 0xc3 }, 1, 0 },
	{ { 0xcc }, 1, 0 },				/* int3 */
	{ { 0x90 }, 1, 0 },				/* nop */
	{ { 0x75 }, 1, 1 },				/* jne */
	{ { 0x74 }, 1, 1 },				/* je */
	{ { 0xeb }, 1, 1 },				/* jmp */
	{ { 0x0f, 0x84 }, 2, 4 },			/* je */
	{ { 0xe9 }, 1, 4 },				/* jmp */
	{ { 0xe8 }, 1, 4 },				/* call */
	{ { 0xe8 }, 1, 4 },
	{ { 0x48, 0x8d, 0x05 }, 3, 4 },			/* lea x(%rip), %rax */
	{ { 0xff, 0xe0 }, 2, 0 },				/* jmp *%rax */
};

/**
 * image_make_code - have instructions in the text
 * @image: made, with zeros there
 */
void image_make_code(struct gen_image *image)
{
	u32 at = 0;

	while (at + 16 < IMAGE_TEXT_SIZE) {
		u32 which = image_random(image, ARRAY_SIZE(code));
		u8 *to = image->bytes + IMAGE_TEXT + at;
		u32 size = code[which].nr + code[which].target;
		s32 target = image_random(image, IMAGE_TEXT_SIZE);

		/* most jumps are short */
		target = code[which].target == 1 ? (s32)image_random(image, 100) - 50 :
						   target - (s32)(at + size);
		memcpy(to, code[which].bytes, code[which].nr);
		memcpy(to + code[which].nr, &target, code[which].target);
		at += size;
	}
}

/**
 * image_make_overlapping - make one whose functions lie on top of each other
 * @image: out
 * @seed: the same makes the same
 */
void image_make_overlapping(struct gen_image *image, u64 seed)
{
	make(image, seed, 1);
}

/* Deltas of the stack, which go up and down; the last of them may be of code that is not there. */
static void make_deltas(struct maker *maker, u32 size)
{
	s32 value = -1, next = 0;
	u32 pos = 0, bytes;

	while (pos < size) {
		bytes = 1 + image_random(maker->image, 20);
		uleb_to(maker, next >= value ? 2 * (u64)(next - value) :
					       2 * (u64)(value - next) - 1);
		uleb_to(maker, bytes);
		pos += bytes;
		value = next;
		next = 8 * some_offset(maker);
		next += next == value ? 8 : 0;
		next = image_random(maker->image, 3) ? next : 0;
		if (next == value)
			break;
	}
	u8_to(maker, 0);
}

/* Pieces of prologues, of switches and of epilogues. */
static void make_go_code(struct gen_image *image, u32 start, u32 size)
{
	static const char * const pieces[] = {
		"\x55\x48\x89\xe5", "\x48\x8b\x62\x38", "\x48\x89\xdc", "\x48\x8b\x23",
		"\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10", "\x48\x83\xc4\x18", "\x90",
		"\x48\x8b\x68\x68", "\x48\x89\xc5", "\x48\x8b\x6c\x24\x10",
	};
	u8 *at = image->bytes + IMAGE_TEXT + start, *end = at + size;

	while (at < end) {
		const char *piece = pieces[image_random(image, sizeof(pieces) / sizeof(*pieces))];
		size_t bytes = strlen(piece);

		if (bytes > (size_t)(end - at))
			bytes = end - at;
		memcpy(at, piece, bytes);
		at += bytes;
	}
}

#define GO_FUNCTIONS	24U
#define GO_HEADER	72U

/* Header, names, deltas, index, records: as Go 1.20's linker has them. */
static void make_go_table(struct maker *maker)
{
	static const char * const names[] = {
		"main.main", "runtime.goexit", "runtime.mstart", "runtime.mcall", "gogo",
		"runtime.systemstack", "runtime.rt0_go", "runtime.sigpanic", "crosscall2",
		"time.now", "runtime.other",
	};
	struct gen_image *image = maker->image;
	u32 deltas[GO_FUNCTIONS], name[GO_FUNCTIONS], start[GO_FUNCTIONS + 1] = { 0 };
	u64 header[8] = { GO_FUNCTIONS, 0, 0, GO_HEADER };
	u8 *table = maker->at, *index;

	bytes_to(maker, 0xfffffff1, 4);
	bytes_to(maker, 0x08010000, 4);
	maker->at = table + GO_HEADER;
	for (u32 i = 0; i < GO_FUNCTIONS; i++) {
		const char *text = names[image_random(image, sizeof(names) / sizeof(*names))];

		name[i] = maker->at - table - GO_HEADER;
		do
			u8_to(maker, *text);
		while (*text++);
	}
	header[6] = maker->at - table;
	u8_to(maker, 0);
	for (u32 i = 0; i < GO_FUNCTIONS; i++) {
		u32 size = 1 + image_random(image, 120);

		deltas[i] = maker->at - table - header[6];
		make_deltas(maker, size);
		make_go_code(image, start[i], size);
		start[i + 1] = start[i] + size + image_random(image, 16);
	}
	index = maker->at;
	header[7] = index - table;
	for (u32 i = 0; i < GO_FUNCTIONS; i++) {
		bytes_to(maker, start[i], 4);
		bytes_to(maker, 8 * GO_FUNCTIONS + 4 + 44 * i, 4);
	}
	bytes_to(maker, start[GO_FUNCTIONS], 4);
	for (u32 i = 0; i < GO_FUNCTIONS; i++) {
		bytes_to(maker, start[i], 4);
		bytes_to(maker, name[i], 4);
		bytes_to(maker, 0, 8);
		bytes_to(maker, deltas[i], 4);
		bytes_to(maker, 0, 8);
		bytes_to(maker, 0, 8);
		bytes_to(maker, 0, 4);
		bytes_to(maker, image_random(image, 8) << 8, 4);
	}
	memcpy(table + 8, header, sizeof(header));
}

static void make_go_headers(struct gen_image *image)
{
	static const char names[] = "\0.text\0.gopclntab\0.data\0.shstrtab";
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)image->bytes;
	Elf64_Shdr *shdrs = (Elf64_Shdr *)(image->bytes + 0x80);

	make_headers(image, 0);
	ehdr->e_shstrndx = 4;
	section(&shdrs[2], 7, SHT_PROGBITS, SHF_ALLOC, IMAGE_CFI, image->cfi);
	section(&shdrs[3], 18, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, IMAGE_MODULE, 192);
	section(&shdrs[4], 24, SHT_STRTAB, 0, IMAGE_NAMES, sizeof(names));
	memcpy(image->bytes + IMAGE_NAMES, names, sizeof(names));
}

/**
 * image_make_go - make one that Go's linker could have made
 * @image: out
 * @seed: the same makes the same
 */
void image_make_go(struct gen_image *image, u64 seed)
{
	struct maker maker = { .image = image };
	u64 module[24] = {
		[0] = IMAGE_ADDR + IMAGE_CFI, [1] = IMAGE_ADDR + IMAGE_CFI + GO_HEADER,
		[20] = IMAGE_ADDR + IMAGE_TEXT, [22] = IMAGE_ADDR + IMAGE_TEXT,
	};

	memset(image, 0, sizeof(*image));
	image->random = seed;
	maker.at = image->bytes + IMAGE_CFI;
	maker.end = maker.at + IMAGE_CFI_MAX;
	make_go_table(&maker);
	image->cfi = maker.at - image->bytes - IMAGE_CFI;
	make_go_headers(image);
	memcpy(image->bytes + IMAGE_MODULE, module, sizeof(module));
}
