// SPDX-License-Identifier: GPL-2.0
/*
 * gen_aarch64.c - frames of code of aarch64 that has no call frame information: the vDSO, whose
 * linker script leaves it out, crt files, hand-written assembly.
 *
 * A function is where a symbol says, with its size.  From its first instruction on, where the
 * return address is in x30 and the CFA is the stack pointer, all paths are followed.  An
 * instruction is known by what it may write: the stack pointer, x29 and x30; it loads and stores
 * them, or adds a number to them, in the few ways of prologues and epilogues.  Any other write, and
 * paths that meet and disagree, end what is known.  Nothing is said of what no path comes to,
 * as the cases of a switch.
 *
 * A call may not return; what is behind such a one may be of another path.  If it is, that path
 * decides: where the two disagree nothing is said.
 *
 * The encodings are those of the Arm Architecture Reference Manual, C4.1.
 *
 * Contexts: any thread.  Time is linear in the bytes of code, which are bounded: what is known of
 * an instruction is set once, and becomes less three times at most.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_aarch64.h"

#define BIT(nr)		(1U << (nr))

#define FP		29
#define LR		30
#define SP		31
#define NO_REG		32
#define WORD		8
#define MAX_FUNCTION	(1U << 20)	/* bytes */
#define MAX_CODE	(16U << 20)	/* bytes of all functions of a file, which may be sparse */
#define MAX_FUNCTIONS	0x10000U
#define MAX_SYMBOLS	(1U << 20)	/* that are looked at */
#define BATCH		4096U		/* of them */
#define MIN_EMPTY	1024U		/* bytes that are worth to be looked at */
#define MAX_EMPTY	(4U << 20)	/* bytes without a function that are looked at */
#define CODE_AT_ONCE	4096U

#define HINT		0xd503201f
#define HINT_NR(insn)	((insn) >> 5 & 0x7f)
#define HINT_XPACLRI	7
#define HINT_PACIAZ	24		/* up to autibsp: with a key, by zero or by SP */
#define HINT_PACIASP	25
#define HINT_PACIBSP	27
#define HINT_AUTIASP	29
#define HINT_AUTIBSP	31

/* Where an instruction goes on. */
enum flow {
	NEXT,
	BRANCH,		/* to its target, or on */
	JUMP,		/* to its target */
	CALL,
	STOP,		/* elsewhere, or nowhere */
};

struct follower {
	const u8 *code;
	u32 nr;				/* instructions */
	struct gen_aarch64_frame *frames;
	u32 *work;			/* instructions whose frame has changed */
	u32 nr_work;
};

static u32 field(u32 insn, unsigned int low)
{
	return insn >> low & 31;
}

static s32 signed_bits(u32 insn, unsigned int low, unsigned int nr)
{
	return (s32)(insn << (32 - low - nr)) >> (32 - nr);
}

static void lose(struct gen_aarch64_frame *frame)
{
	*frame = (struct gen_aarch64_frame){ .is_seen = true, .is_lost = true };
}

/* The stack pointer has another value than it had, which is not known. */
static void write_sp(struct gen_aarch64_frame *frame)
{
	frame->sp_known = false;
	if (!frame->by_fp)
		lose(frame);
}

/* Likewise a register; 31 is the one that is always zero. */
static void write_register(struct gen_aarch64_frame *frame, u32 reg)
{
	if (reg == FP)
		frame->by_fp = false;
	if ((reg == LR && !frame->ra) || (reg == FP && !frame->fp) ||
	    (!frame->sp_known && !frame->by_fp))
		lose(frame);
}

/* Likewise one of instructions that have the stack pointer for 31. */
static void write_register_or_sp(struct gen_aarch64_frame *frame, u32 reg)
{
	if (reg == SP)
		write_sp(frame);
	else
		write_register(frame, reg);
}

static void move_sp(struct gen_aarch64_frame *frame, s64 bytes)
{
	s64 depth = frame->depth - bytes;

	/* what is below the stack pointer may be overwritten at any time */
	if (!frame->sp_known || depth < 0 || depth > INT32_MAX / 2 || depth < -(s64)frame->ra ||
	    depth < -(s64)frame->fp)
		lose(frame);
	else
		frame->depth = depth;
}

/* A word at an address from the stack pointer on; below that it would not stay. */
static void store(struct gen_aarch64_frame *frame, u32 reg, s64 off)
{
	s64 slot = off - frame->depth;

	if (!frame->sp_known || off < 0 || slot >= 0)
		return;
	/* what was saved there is no more */
	if ((frame->ra && slot == frame->ra) || (frame->fp && slot == frame->fp))
		lose(frame);
	else if (reg == LR && !frame->ra)
		frame->ra = slot;
	else if (reg == FP && !frame->fp && !frame->by_fp)
		frame->fp = slot;
}

static void load(struct gen_aarch64_frame *frame, u32 reg, bool by_sp, s64 off)
{
	s64 slot = off - frame->depth;

	if (reg == LR && frame->ra && by_sp && frame->sp_known && slot == frame->ra) {
		frame->ra = 0;
	} else if (reg == FP && frame->fp && by_sp && frame->sp_known && slot == frame->fp) {
		frame->fp = 0;
		frame->by_fp = false;
	} else {
		write_register(frame, reg);
	}
}

/* A load or a store of one register, or of two. */
struct access {
	bool loads, by_sp, writes_back;
	bool words;			/* of registers of 64 bits, at a constant distance */
	bool after;			/* the base is changed behind the access */
	u32 regs[2];			/* NO_REG: of none that matters */
	s32 off;
};

static void do_access(struct gen_aarch64_frame *frame, const struct access *access)
{
	bool by_sp = access->by_sp && access->words;
	s32 off = access->off;

	if (access->by_sp && access->writes_back && !access->after) {
		move_sp(frame, off);
		off = 0;
	} else if (access->writes_back && access->after) {
		off = 0;
	}
	for (int i = 0; i < 2 && !frame->is_lost; i++) {
		if (access->regs[i] == NO_REG)
			continue;
		if (access->loads)
			load(frame, access->regs[i], by_sp, off + i * WORD);
		else if (by_sp)
			store(frame, access->regs[i], off + i * WORD);
	}
	if (access->by_sp && access->writes_back && access->after && !frame->is_lost)
		move_sp(frame, access->off);
}

/* ldp, stp and the like. */
static void do_pair(struct gen_aarch64_frame *frame, u32 insn)
{
	u32 opc = insn >> 30, size = insn & BIT(26) ? 4U << opc : opc == 2 ? 8 : opc ? 0 : 4;
	u32 base = field(insn, 5);
	struct access access = {
		.loads = insn & BIT(22), .by_sp = base == SP, .writes_back = insn & BIT(23),
		.after = !(insn & BIT(24)), .words = size == WORD && !(insn & BIT(26)),
		.regs = { field(insn, 0), field(insn, 10) },
		.off = signed_bits(insn, 15, 7) * (s32)size,
	};

	/* stgp, and ldpsw, which no frame has */
	if (!size && access.by_sp && access.writes_back) {
		lose(frame);
		return;
	}
	if (access.writes_back && base != SP)
		write_register(frame, base);
	if (insn & BIT(26)) {
		access.regs[0] = NO_REG;
		access.regs[1] = NO_REG;
	}
	do_access(frame, &access);
}

/* ldr, str and the like, at a constant distance, which may be added to the base. */
static void do_single(struct gen_aarch64_frame *frame, u32 insn)
{
	u32 size = insn >> 30, base = field(insn, 5);
	bool plain = insn & BIT(24);
	struct access access = {
		.loads = insn & (BIT(22) | BIT(23)), .by_sp = base == SP,
		.writes_back = !plain && (insn & BIT(10)), .after = !(insn & BIT(11)),
		.words = size == 3, .regs = { field(insn, 0), NO_REG },
		.off = plain ? (s32)((insn >> 10 & 0xfff) << size) : signed_bits(insn, 12, 9),
	};

	if (access.writes_back && base != SP)
		write_register(frame, base);
	if (insn & BIT(26))
		access.regs[0] = NO_REG;
	do_access(frame, &access);
}

/* Of instructions that are not told apart: each field that may be a register is written. */
static void write_fields(struct gen_aarch64_frame *frame, u32 insn)
{
	static const u8 lows[] = { 0, 5, 10, 16 };

	for (size_t i = 0; i < ARRAY_SIZE(lows); i++) {
		u32 reg = field(insn, lows[i]);

		/* the base of an access */
		if (lows[i] == 5)
			write_register_or_sp(frame, reg);
		else
			write_register(frame, reg);
	}
}

static void do_memory(struct gen_aarch64_frame *frame, u32 insn)
{
	if ((insn & 0x3a000000) == 0x28000000)
		do_pair(frame, insn);
	else if ((insn & 0x3b000000) == 0x39000000 || (insn & 0x3b200000) == 0x38000000)
		do_single(frame, insn);
	else if ((insn & 0x3b200c00) == 0x38200800)	/* an index is added */
		do_access(frame, &(struct access){
			.loads = insn & (BIT(22) | BIT(23)),
			.regs = { insn & BIT(26) ? NO_REG : field(insn, 0), NO_REG },
		});
	else if ((insn & 0x3b000000) == 0x18000000)	/* by the program counter */
		write_register(frame, insn & BIT(26) ? NO_REG : field(insn, 0));
	else if ((insn & 0xbf800000) != 0x0c000000 &&	/* vectors, the base stays */
		 (insn & 0xbf800000) != 0x0d000000)
		write_fields(frame, insn);
}

/* add and sub of a constant */
static void add_constant(struct gen_aarch64_frame *frame, u32 insn)
{
	s64 bytes = (s64)(insn >> 10 & 0xfff) << (insn & BIT(22) ? 12 : 0);
	u32 to = field(insn, 0), from = field(insn, 5);
	bool wide = insn & BIT(31);

	if (insn & BIT(30))
		bytes = -bytes;
	if (!wide || (from != SP && from != FP) || (to != SP && to != FP)) {
		write_register_or_sp(frame, to);
	} else if (to == SP && from == SP) {
		move_sp(frame, bytes);
	} else if (to == FP && from == SP && frame->fp && frame->sp_known) {
		frame->above_fp = frame->depth - bytes;
		frame->by_fp = true;
	} else if (to == SP && from == FP && frame->by_fp) {
		frame->depth = frame->above_fp;
		frame->sp_known = true;
		move_sp(frame, bytes);
	} else {
		write_register_or_sp(frame, to);
	}
}

static void do_immediate(struct gen_aarch64_frame *frame, u32 insn)
{
	bool adds = (insn & 0x1f800000) == 0x11000000, sets_flags = insn & BIT(29);
	bool logical = (insn & 0x1f800000) == 0x12000000;
	bool tags = (insn & 0x1f800000) == 0x11800000;
	u32 to = field(insn, 0);

	if (adds && !sets_flags)
		add_constant(frame, insn);
	else if (tags || (logical && (insn >> 29 & 3) != 3))
		write_register_or_sp(frame, to);
	else
		write_register(frame, to);
}

static void do_register(struct gen_aarch64_frame *frame, u32 insn)
{
	/* add and sub, of a register that is extended, without flags */
	if ((insn & 0x3fe00000) == 0x0b200000)
		write_register_or_sp(frame, field(insn, 0));
	else
		write_register(frame, field(insn, 0));
}

/* Floating point and vectors: what may write a general register. */
static void do_vector(struct gen_aarch64_frame *frame, u32 insn)
{
	bool converts = (insn & 0x5f20fc00) == 0x1e200000 || (insn & 0x5f200000) == 0x1e000000;
	bool copies = (insn & 0x9fe08400) == 0x0e000400;

	if (converts || copies)
		write_register(frame, field(insn, 0));
}

/* SVE and SME; addvl, addpl and those of streaming mode change the stack pointer. */
static void do_scalable(struct gen_aarch64_frame *frame, u32 insn)
{
	if ((insn & 0xffa0f000) == 0x04205000)
		write_register_or_sp(frame, field(insn, 0));
	else
		write_register(frame, field(insn, 0));
}

static void do_hint(struct gen_aarch64_frame *frame, u32 nr)
{
	bool in_register = !frame->ra;

	if ((nr == HINT_PACIASP || nr == HINT_PACIBSP) && in_register && !frame->is_signed)
		frame->is_signed = true;
	else if ((nr == HINT_AUTIASP || nr == HINT_AUTIBSP) && in_register && frame->is_signed)
		frame->is_signed = false;
	else if (nr == HINT_XPACLRI || (nr >= HINT_PACIAZ && nr <= HINT_AUTIBSP))
		write_register(frame, LR);
}

/* Branches, and instructions of the system.  @off: out: of the target, in instructions */
static enum flow do_system(struct gen_aarch64_frame *frame, u32 insn, s32 *off)
{
	u32 opc = insn >> 21 & 15;

	if ((insn & 0x7c000000) == 0x14000000) {
		*off = signed_bits(insn, 0, 26);
		return insn & BIT(31) ? CALL : JUMP;
	}
	if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) {
		*off = signed_bits(insn, 5, 19);
		return BRANCH;
	}
	if ((insn & 0x7e000000) == 0x36000000) {
		*off = signed_bits(insn, 5, 14);
		return BRANCH;
	}
	if ((insn & 0xfe000000) == 0xd6000000)
		return opc == 1 || opc == 9 ? CALL : STOP;	/* blr, blraa */
	if ((insn & 0xffe0001f) == 0xd4000001)			/* svc */
		return NEXT;
	if ((insn & 0xfffff01f) == HINT)
		do_hint(frame, HINT_NR(insn));
	else if ((insn & 0xffc00000) != 0xd5000000)
		return STOP;
	else if (insn & BIT(21))				/* mrs, sysl */
		write_register(frame, field(insn, 0));
	return NEXT;
}

static enum flow do_instruction(struct gen_aarch64_frame *frame, u32 insn, s32 *off)
{
	switch (insn >> 25 & 15) {
	case 8 ... 9:
		do_immediate(frame, insn);
		return NEXT;
	case 10 ... 11:
		return do_system(frame, insn, off);
	case 4:
	case 6:
	case 12:
	case 14:
		do_memory(frame, insn);
		return NEXT;
	case 5:
	case 13:
		do_register(frame, insn);
		return NEXT;
	case 7:
	case 15:
		do_vector(frame, insn);
		return NEXT;
	case 0:
	case 2:
		/* udf */
		if (!(insn >> 16))
			return STOP;
		do_scalable(frame, insn);
		return NEXT;
	}
	return STOP;
}

static bool are_same(const struct gen_aarch64_frame *a, const struct gen_aarch64_frame *b)
{
	return a->is_lost == b->is_lost && a->sp_known == b->sp_known && a->by_fp == b->by_fp &&
	       a->is_signed == b->is_signed && a->ra == b->ra && a->fp == b->fp &&
	       (!a->sp_known || a->depth == b->depth) &&
	       (!a->by_fp || a->above_fp == b->above_fp);
}

/* What is known one way or the other stays; where the two say different things nothing does. */
static struct gen_aarch64_frame meet(const struct gen_aarch64_frame *a,
				     const struct gen_aarch64_frame *b)
{
	struct gen_aarch64_frame both = *a;

	both.sp_known = a->sp_known && b->sp_known && a->depth == b->depth;
	both.by_fp = a->by_fp && b->by_fp && a->above_fp == b->above_fp;
	if (b->is_lost || a->is_signed != b->is_signed || a->ra != b->ra || a->fp != b->fp ||
	    (!both.sp_known && !both.by_fp))
		lose(&both);
	return both;
}

static void arrive(struct follower *follower, s64 at, const struct gen_aarch64_frame *frame)
{
	struct gen_aarch64_frame *to, both;

	if (at < 0 || at >= follower->nr)
		return;
	to = &follower->frames[at];
	both = to->is_seen ? meet(to, frame) : *frame;
	if (to->is_seen && are_same(to, &both))
		return;
	*to = both;
	follower->work[follower->nr_work++] = at;
}

static void follow_one(struct follower *follower, u32 at)
{
	struct gen_aarch64_frame frame = follower->frames[at];
	enum flow flow;
	s32 off = 0;
	u32 insn;

	memcpy(&insn, follower->code + at * GEN_AARCH64_INSN, sizeof(insn));
	/* what is lost stays so */
	flow = do_instruction(&frame, le32toh(insn), &off);
	if (follower->frames[at].is_lost)
		lose(&frame);
	if (flow == CALL)
		write_register(&frame, LR);
	if (flow == BRANCH || flow == JUMP)
		arrive(follower, (s64)at + off, &frame);
	if (flow != JUMP && flow != STOP)
		arrive(follower, (s64)at + 1, &frame);
}

/**
 * gen_aarch64_follow - follow a function
 * @code: its instructions
 * @size: bytes, a multiple of GEN_AARCH64_INSN, not 0
 * @frames: out: one for each instruction, to be freed
 *
 * Return: 0 or -ENOMEM.
 */
int gen_aarch64_follow(const u8 *code, u32 size, struct gen_aarch64_frame **frames)
{
	const struct gen_aarch64_frame entry = { .is_seen = true, .sp_known = true };
	struct follower follower = { .code = code, .nr = size / GEN_AARCH64_INSN };
	/* each is changed few times: seen, then less and less is known */
	size_t room = (size_t)follower.nr * 8 + 2;

	follower.frames = calloc(follower.nr, sizeof(*follower.frames));
	follower.work = calloc(room, sizeof(*follower.work));
	if (!follower.frames || !follower.work) {
		free(follower.frames);
		free(follower.work);
		return -ENOMEM;
	}
	arrive(&follower, 0, &entry);
	while (follower.nr_work)
		follow_one(&follower, follower.work[--follower.nr_work]);
	free(follower.work);
	*frames = follower.frames;
	return 0;
}

static struct gen_value in_slot(s32 off)
{
	return (struct gen_value){ .kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = off };
}

/**
 * gen_aarch64_state - what a row has to say
 * @frame: of an instruction
 * @state: out
 *
 * Return: false: nothing is known.
 */
bool gen_aarch64_state(const struct gen_aarch64_frame *frame, struct gen_state *state)
{
	if (!frame->is_seen || frame->is_lost)
		return false;
	*state = (struct gen_state){
		.cfa = {
			.kind = GEN_VALUE, .base = frame->sp_known ? SP : FP,
			.off = frame->sp_known ? frame->depth : frame->above_fp,
		},
		.ra = frame->ra ? in_slot(frame->ra) : gen_ra_in_register(&gen_aarch64),
		.is_signed = frame->is_signed,
	};
	if (frame->fp)
		state->fp = in_slot(frame->fp);
	return true;
}

/* Return: of sorted functions the first that ends behind an address. */
static size_t first_behind(const struct gen_cfi *cfi, u64 addr)
{
	size_t low = 0, high = cfi->nr_fdes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->fdes[middle].start + cfi->fdes[middle].size <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct functions {
	struct gen_fde *fdes;
	size_t nr, room;
	u64 looked_at;		/* symbols */
	u32 bytes;		/* of code */
};

static int add_symbol(struct functions *functions, const struct gen_cfi *cfi, const Elf64_Sym *sym)
{
	u64 start = sym->st_value, size = sym->st_size;
	size_t at;

	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF || !size ||
	    size > MAX_FUNCTION || (start | size) % GEN_AARCH64_INSN || start + size < start)
		return 0;
	at = first_behind(cfi, start);
	if ((at < cfi->nr_fdes && cfi->fdes[at].start < start + size) ||
	    functions->nr == MAX_FUNCTIONS || size > MAX_CODE - functions->bytes)
		return 0;
	if (lw_grow((void **)&functions->fdes, &functions->room, functions->nr + 1,
		    sizeof(*functions->fdes)))
		return -ENOMEM;
	functions->bytes += size;
	functions->fdes[functions->nr++] = (struct gen_fde){
		.start = start, .size = size, .analysed = true, .code = true,
	};
	return 0;
}

static int add_symbols(struct functions *functions, const struct gen_cfi *cfi,
		       const struct gen_input *input, const Elf64_Shdr *shdr)
{
	u64 nr = shdr->sh_size / sizeof(Elf64_Sym), offset = shdr->sh_offset;
	Elf64_Sym *syms = malloc(BATCH * sizeof(*syms));
	int ret = syms ? 0 : -ENOMEM;

	while (!ret && nr && functions->looked_at < MAX_SYMBOLS) {
		u64 batch = nr < BATCH ? nr : BATCH;

		if (!gen_input_copy(input, offset, syms, batch * sizeof(*syms)))
			break;
		gen_input_order(input->ehdr.e_ident[EI_DATA], syms, batch * sizeof(*syms),
				ELF_T_SYM);
		for (u64 i = 0; !ret && i < batch; i++)
			ret = add_symbol(functions, cfi, &syms[i]);
		functions->looked_at += batch;
		offset += batch * sizeof(*syms);
		nr -= batch;
	}
	free(syms);
	return ret;
}

static int by_start(const void *a, const void *b)
{
	const struct gen_fde *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->size < right->size ? -1 : left->size > right->size;
}

/* Two symbols may name the same; one that begins in another is none. */
static void settle(struct functions *functions)
{
	u64 end = 0;
	size_t kept = 0;

	if (functions->nr)
		qsort(functions->fdes, functions->nr, sizeof(*functions->fdes), by_start);
	for (size_t i = 0; i < functions->nr; i++) {
		if (functions->fdes[i].start < end)
			continue;
		end = functions->fdes[i].start + functions->fdes[i].size;
		functions->fdes[kept++] = functions->fdes[i];
	}
	functions->nr = kept;
}

/**
 * gen_aarch64_add - have functions that no call frame information covers among the others
 * @cfi: settled
 * @input: of aarch64
 *
 * Return: 0 or -ENOMEM.
 */
int gen_aarch64_add(struct gen_cfi *cfi, const struct gen_input *input)
{
	struct functions functions = { 0 };
	int ret = 0;

	for (size_t i = 1; !ret && i < input->nr_shdrs; i++) {
		const Elf64_Shdr *shdr = &input->shdrs[i];

		if (shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_DYNSYM)
			ret = add_symbols(&functions, cfi, input, shdr);
	}
	settle(&functions);
	if (!ret && functions.nr)
		ret = gen_cfi_merge(cfi, functions.fdes, functions.nr);
	free(functions.fdes);
	return ret;
}

/* Return: bytes of zeros, which are no instruction. */
static u64 empty_bytes(const struct gen_input *input, u64 start, u64 end, u64 *left)
{
	u32 code[CODE_AT_ONCE / GEN_AARCH64_INSN], size;
	u64 empty = 0;

	if (end - start < MIN_EMPTY)
		return 0;
	for (; start < end && *left >= CODE_AT_ONCE; start += size, *left -= CODE_AT_ONCE) {
		size = end - start < CODE_AT_ONCE ? end - start : CODE_AT_ONCE;
		if (!gen_input_code(input, start, (u8 *)code, size))
			break;
		for (u32 i = 0; i < size / GEN_AARCH64_INSN; i++)
			empty += code[i] ? 0 : GEN_AARCH64_INSN;
	}
	return empty;
}

/**
 * gen_aarch64_empty - what the linker has left empty between functions
 * @cfi: settled, with all functions
 * @input: of aarch64
 *
 * Where ld goes round an erratum of the Cortex-A53, as Debian's does, it puts a few instructions
 * into pages of their own; what is left of these is zeros.
 *
 * Return: bytes of executable sections.
 */
u64 gen_aarch64_empty(const struct gen_cfi *cfi, const struct gen_input *input)
{
	const u64 flags = SHF_ALLOC | SHF_EXECINSTR;
	u64 behind = 0, empty = 0, left = MAX_EMPTY;

	/* Linkers sort sections by address. In another order functions would be looked at again. */
	for (size_t i = 1; i < input->nr_shdrs; i++) {
		const Elf64_Shdr *shdr = &input->shdrs[i];
		u64 at = shdr->sh_addr, end = at + shdr->sh_size;

		if (shdr->sh_type != SHT_PROGBITS || (shdr->sh_flags & flags) != flags ||
		    at < behind || end < at)
			continue;
		for (size_t fde = first_behind(cfi, at); at < end; fde++) {
			bool last = fde >= cfi->nr_fdes || cfi->fdes[fde].start >= end;
			u64 next = last ? end : cfi->fdes[fde].start;

			if (next > at)
				empty += empty_bytes(input, at, next, &left);
			at = last ? end : next + cfi->fdes[fde].size;
		}
		behind = end;
	}
	return empty;
}

/**
 * gen_aarch64_rows - rows of such a function
 * @input: of aarch64
 * @fde: of gen_aarch64_add(), or its first part
 * @rows: out
 *
 * Return: 0 or -ENOMEM.
 */
int gen_aarch64_rows(const struct gen_input *input, const struct gen_fde *fde,
		     struct gen_rows *rows)
{
	u32 nr = fde->size / GEN_AARCH64_INSN;
	struct gen_aarch64_frame *frames = NULL;
	u8 *code = malloc(fde->size);
	int ret = code ? 0 : -ENOMEM;
	struct gen_state state;

	gen_rows_begin(rows);
	rows->analysed = true;
	if (!ret && nr && gen_input_code(input, fde->start, code, fde->size))
		ret = gen_aarch64_follow(code, nr * GEN_AARCH64_INSN, &frames);
	for (u32 i = 0; !ret && frames && i < nr; i++) {
		bool known = gen_aarch64_state(&frames[i], &state);

		ret = gen_rows_add(rows, i * GEN_AARCH64_INSN, &state,
				   known ? LW_GEN_NUM_HOLES : LW_GEN_HOLE_UNKNOWN);
	}
	free(frames);
	free(code);
	return ret;
}
