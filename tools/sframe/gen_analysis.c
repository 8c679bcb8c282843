// SPDX-License-Identifier: GPL-2.0
/*
 * gen_analysis.c - code that no call frame information covers, and where functions
 * begin in it.
 *
 * Functions begin at symbols of functions, where .init and .fini do, at the entries of a
 * PLT, at what .init_array and .fini_array name, and where code is called.  Only if that
 * leaves code unseen the rest of the file's code is looked through for calls of it, and for
 * instructions that take its address, and its relocations for data that has its address.
 *
 * Contexts: any thread.  Time is linear in the bytes of the file's code, symbols and
 * relocations; memory in those of code without call frame information, which are bounded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_analysis.h"

#define MAX_REGIONS	256U
#define MAX_GAP_BYTES	(8ULL << 20)
#define MAX_GAPS	0x10000U
#define MIN_GAP		16U		/* bytes; less is padding */
#define MIN_UNSEEN	32U		/* bytes that are worth to look for callers, and of */
#define UNSEEN_SHARE	1000U		/* so many bytes of code one at least */
#define MAX_FUNCTION	(16U << 20)	/* bytes that are looked through at once */
#define WINDOW		(1U << 20)	/* bytes of code that are read at once */
#define MAX_ARRAY	4096U		/* words of .init_array that are looked at */
#define BATCH		4096U		/* symbols, relocations */
#define MAX_NAME	255U		/* bytes of a name that are looked at */
#define MAX_CHECK	16U		/* bytes of a function that goes on behind its end */
#define JCC_REL32	0x0f		/* then 0x80 to 0x8f, by condition */
#define JCC_REL32_LEN	6U

/* Code, with its place in the file. */
struct region {
	u64 start, size, offset;
	bool whole;		/* a small gap is one, too, if it is all of the region */
};

struct reading {
	struct gen_analysis *to;
	const struct gen_input *input;
	const struct gen_cfi *cfi;
	struct region regions[MAX_REGIONS];
	size_t nr_regions;
};

static bool is_code(const Elf64_Phdr *phdr)
{
	return phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) && phdr->p_filesz &&
	       phdr->p_vaddr + phdr->p_filesz > phdr->p_vaddr &&
	       phdr->p_offset + phdr->p_filesz > phdr->p_offset;
}

static void add_region(struct reading *reading, u64 start, u64 size, u64 offset, bool whole)
{
	if (reading->nr_regions == MAX_REGIONS || !size)
		return;
	reading->regions[reading->nr_regions++] = (struct region){ start, size, offset, whole };
}

/* The part of a section that is in a segment. */
static void add_section(struct reading *reading, const Elf64_Shdr *shdr)
{
	const struct gen_input *input = reading->input;

	for (size_t i = 0; i < input->nr_phdrs && i < MAX_REGIONS; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];
		u64 off = shdr->sh_addr - phdr->p_vaddr;

		if (!is_code(phdr) || off >= phdr->p_filesz ||
		    shdr->sh_size > phdr->p_filesz - off)
			continue;
		add_region(reading, shdr->sh_addr, shdr->sh_size, phdr->p_offset + off, true);
		return;
	}
}

static bool is_code_section(const Elf64_Shdr *shdr)
{
	const u64 code = SHF_ALLOC | SHF_EXECINSTR;

	return shdr->sh_type == SHT_PROGBITS && (shdr->sh_flags & code) == code;
}

static int region_order(const void *a, const void *b)
{
	const struct region *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* Executable sections, or segments if the file does not tell its sections. */
static void find_regions(struct reading *reading)
{
	const struct gen_input *input = reading->input;
	struct region *regions = reading->regions;
	size_t kept = 0;

	for (size_t i = 1; i < input->nr_shdrs; i++) {
		if (is_code_section(&input->shdrs[i]))
			add_section(reading, &input->shdrs[i]);
	}
	for (size_t i = 0; !input->nr_shdrs && i < input->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];

		if (is_code(phdr))
			add_region(reading, phdr->p_vaddr, phdr->p_filesz, phdr->p_offset, false);
	}
	qsort(regions, reading->nr_regions, sizeof(*regions), region_order);
	for (size_t i = 0; i < reading->nr_regions; i++) {
		if (kept && regions[i].start - regions[kept - 1].start < regions[kept - 1].size)
			continue;
		regions[kept++] = regions[i];
	}
	reading->nr_regions = kept;
}

/* Return: 0 or -ENOMEM; what can't be read is no gap. */
static int add_gap(struct reading *reading, const struct region *region, u64 start, u64 end)
{
	struct gen_analysis *to = reading->to;
	u64 size = end - start;

	if (end <= start || (size < MIN_GAP && !(region->whole && size == region->size)) ||
	    to->nr_gaps == MAX_GAPS || size > MAX_GAP_BYTES - to->size)
		return 0;
	if (lw_grow((void **)&to->gaps, &to->gap_room, to->nr_gaps + 1, sizeof(*to->gaps)) ||
	    lw_grow((void **)&to->code, &to->room, to->size + size, 1))
		return -ENOMEM;
	if (!gen_input_copy(reading->input, region->offset + (start - region->start),
			    to->code + to->size, size))
		return 0;
	to->gaps[to->nr_gaps++] = (struct gen_gap){ start, size, to->size };
	to->size += size;
	return 0;
}

/* What functions with call frame information, which are sorted, leave of the regions. */
static int find_gaps(struct reading *reading)
{
	const struct gen_cfi *cfi = reading->cfi;
	size_t fde = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < reading->nr_regions; i++) {
		const struct region *region = &reading->regions[i];
		u64 at = region->start, end = region->start + region->size;

		for (; !ret && fde < cfi->nr_fdes && cfi->fdes[fde].start < end; fde++) {
			u64 start = cfi->fdes[fde].start, behind = start + cfi->fdes[fde].size;

			ret = add_gap(reading, region, at, start);
			if (behind > at)
				at = behind;
			/* it goes on in the next region */
			if (behind > end)
				break;
		}
		if (!ret && at < end)
			ret = add_gap(reading, region, at, end);
	}
	return ret;
}

/* What compilers move out of a function has a symbol of a function, but nobody calls it. */
static bool is_part(const struct reading *reading, const Elf64_Shdr *names, u64 at)
{
	char name[MAX_NAME + 1] = "";
	u64 size;

	if (at >= names->sh_size)
		return false;
	size = names->sh_size - at < MAX_NAME ? names->sh_size - at : MAX_NAME;
	return gen_input_copy(reading->input, names->sh_offset + at, name, size) &&
	       strstr(name, ".cold");
}

static int enter_symbol(struct reading *reading, const Elf64_Sym *sym, const Elf64_Shdr *names)
{
	u8 type = ELF64_ST_TYPE(sym->st_info);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
	    !gen_flow_gap(reading->to->flow, sym->st_value) ||
	    is_part(reading, names, sym->st_name))
		return 0;
	return gen_flow_enter(reading->to->flow, sym->st_value, GEN_SYMBOL);
}

static int enter_symbols(struct reading *reading, const Elf64_Shdr *shdr)
{
	u64 nr = shdr->sh_size / sizeof(Elf64_Sym), offset = shdr->sh_offset;
	const struct gen_input *input = reading->input;
	Elf64_Sym *syms = malloc(BATCH * sizeof(*syms));
	int ret = syms ? 0 : -ENOMEM;

	if (shdr->sh_link >= input->nr_shdrs)
		nr = 0;
	while (!ret && nr) {
		u64 batch = nr < BATCH ? nr : BATCH;

		if (!gen_input_copy(input, offset, syms, batch * sizeof(*syms)))
			break;
		for (u64 i = 0; !ret && i < batch; i++)
			ret = enter_symbol(reading, &syms[i], &input->shdrs[shdr->sh_link]);
		offset += batch * sizeof(*syms);
		nr -= batch;
	}
	free(syms);
	return ret;
}

/*
 * @array: where addresses of functions are; NULL: other data may hold them, too
 * @left: words of @array that are still to be found
 */
static int enter_relocation(struct reading *reading, const Elf64_Rela *rela,
			    const Elf64_Shdr *array, u64 *left)
{
	u64 addr = rela->r_addend;

	if (ELF64_R_TYPE(rela->r_info) != R_X86_64_RELATIVE)
		return 0;
	if (array && rela->r_offset - array->sh_addr >= array->sh_size)
		return 0;
	if (array) {
		--*left;
		return gen_flow_enter(reading->to->flow, addr, GEN_SYMBOL);
	}
	if (addr % GEN_ALIGNMENT)
		return 0;
	return gen_flow_enter(reading->to->flow, addr, GEN_NAMED_BY_DATA);
}

/* Addresses that are relocated, by what is added to that of the file; @array: as above. */
static int enter_relocated(struct reading *reading, const Elf64_Shdr *shdr,
			   const Elf64_Shdr *array)
{
	u64 nr = shdr->sh_size / sizeof(Elf64_Rela), offset = shdr->sh_offset;
	u64 left = array ? array->sh_size / sizeof(u64) : UINT64_MAX;
	Elf64_Rela *relas = malloc(BATCH * sizeof(*relas));
	int ret = relas ? 0 : -ENOMEM;

	while (!ret && nr && left) {
		u64 batch = nr < BATCH ? nr : BATCH;

		if (!gen_input_copy(reading->input, offset, relas, batch * sizeof(*relas)))
			break;
		for (u64 i = 0; !ret && left && i < batch; i++)
			ret = enter_relocation(reading, &relas[i], array, &left);
		offset += batch * sizeof(*relas);
		nr -= batch;
	}
	free(relas);
	return ret;
}

static int enter_all_relocated(struct reading *reading, const Elf64_Shdr *array)
{
	const struct gen_input *input = reading->input;
	int ret = 0;

	for (size_t i = 1; !ret && i < input->nr_shdrs; i++) {
		if (input->shdrs[i].sh_type == SHT_RELA && (input->shdrs[i].sh_flags & SHF_ALLOC))
			ret = enter_relocated(reading, &input->shdrs[i], array);
	}
	return ret;
}

/* .init_array and the like: the linker may leave addresses to relocations. */
static int enter_array(struct reading *reading, const Elf64_Shdr *array)
{
	const struct gen_input *input = reading->input;
	u64 nr = array->sh_size / sizeof(u64), word;
	int ret = 0;

	for (u64 i = 0; !ret && i < nr && i < MAX_ARRAY; i++) {
		if (!gen_input_copy(input, array->sh_offset + i * sizeof(word), &word,
				    sizeof(word)))
			break;
		if (word)
			ret = gen_flow_enter(reading->to->flow, word, GEN_SYMBOL);
	}
	return ret ?: enter_all_relocated(reading, array);
}

/* Return: bytes of the gaps from an address on, NULL if not all are in one. */
static const u8 *code_at(const struct gen_analysis *analysis, u64 addr, u64 size)
{
	const struct gen_gap *gap = gen_flow_gap(analysis->flow, addr);
	u64 off = gap ? addr - gap->start : 0;

	return gap && size <= gap->size - off ? analysis->code + gap->at + off : NULL;
}

#define PLT_STEP	8U		/* entries have 8 bytes, or 16 */
#define PLT_ENTRY	16U
#define ENDBR_SIZE	4U
#define JUMP_SIZE	6U

/*
 * jmp *x(%rip), behind it in the first kind of entries push, where the resolver is called;
 * with endbr64 in front the push alone.  The first entry of all begins otherwise.
 */
static int enter_plt_entry(struct reading *reading, u64 addr, const u8 *code)
{
	static const u8 endbr64[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct gen_flow *flow = reading->to->flow;
	const u8 *at = code;
	bool pushes;
	int ret;

	if (!memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	pushes = at > code && *at == 0x68;
	/* bnd */
	if (*at == 0xf2)
		at++;
	if (!pushes && (at[0] != 0xff || at[1] != 0x25))
		return 0;
	ret = gen_flow_enter(flow, addr, GEN_SYMBOL);
	if (!ret && at == code && at[JUMP_SIZE] == 0x68)
		ret = gen_flow_enter(flow, addr + JUMP_SIZE, GEN_SYMBOL);
	return ret;
}

static int enter_plt(struct reading *reading, const Elf64_Shdr *shdr)
{
	const u8 *code = code_at(reading->to, shdr->sh_addr, shdr->sh_size);
	int ret = 0;

	for (u64 at = 0; code && !ret && at + PLT_STEP <= shdr->sh_size; at += PLT_STEP) {
		u64 left = shdr->sh_size - at;
		u8 entry[PLT_ENTRY] = { 0 };

		memcpy(entry, code + at, left < PLT_ENTRY ? left : PLT_ENTRY);
		ret = enter_plt_entry(reading, shdr->sh_addr + at, entry);
	}
	return ret;
}

static bool begins_with(const struct gen_input *input, const Elf64_Shdr *shdr, const char *name)
{
	size_t size = strlen(name);

	return shdr->sh_name < input->names.size && size <= input->names.size - shdr->sh_name &&
	       !memcmp(input->names.at + shdr->sh_name, name, size);
}

static int enter_section(struct reading *reading, const Elf64_Shdr *shdr)
{
	const struct gen_input *input = reading->input;

	switch (shdr->sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		return enter_symbols(reading, shdr);
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY:
		return enter_array(reading, shdr);
	}
	if (!is_code_section(shdr))
		return 0;
	if (gen_is_named(&input->names, shdr->sh_name, ".init") ||
	    gen_is_named(&input->names, shdr->sh_name, ".fini"))
		return gen_flow_enter(reading->to->flow, shdr->sh_addr, GEN_SYMBOL);
	if (begins_with(input, shdr, ".plt") || begins_with(input, shdr, ".iplt"))
		return enter_plt(reading, shdr);
	return 0;
}

/* A call, or lea x(%rip), whose target is in a gap; perhaps: it may be within an instruction. */
static bool may_name_gap(const struct gen_analysis *analysis, const u8 *code, u64 room, u64 addr)
{
	const struct gen_gap *last = &analysis->gaps[analysis->nr_gaps - 1];
	u64 first = analysis->gaps[0].start, target;
	s32 rel;

	if (code[0] == 0xe8 && room >= 5) {
		memcpy(&rel, code + 1, sizeof(rel));
		target = addr + 5 + (s64)rel;
	} else if (code[0] == 0x8d && room >= 6 && (code[1] & 0xc7) == 0x05) {
		memcpy(&rel, code + 2, sizeof(rel));
		target = addr + 6 + (s64)rel;
	} else {
		return false;
	}
	return target >= first && target - first < last->start + last->size - first &&
	       gen_flow_gap(analysis->flow, target);
}

static int enter_named(struct gen_analysis *analysis, const ZydisDecoder *decoder, const u8 *code,
		       u64 size, u64 addr)
{
	struct gen_insn insn;
	int ret = 0;

	for (u64 at = 0; !ret && at < size; at += insn.size ?: 1) {
		gen_insn_decode(decoder, addr + at, code + at, size - at, NULL, &insn);
		if ((insn.flow == GEN_INSN_CALL && insn.has_target) || insn.takes_address)
			ret = gen_flow_enter(analysis->flow, insn.target, GEN_NAMED_BY_CODE);
	}
	return ret;
}

/* A function with call frame information: what it calls, if that is in a gap. */
static int enter_called(struct gen_analysis *analysis, const ZydisDecoder *decoder,
			const u8 *code, u64 size, u64 addr)
{
	for (u64 at = 0; at < size; at++) {
		if (may_name_gap(analysis, code + at, size - at, addr + at))
			return enter_named(analysis, decoder, code, size, addr);
	}
	return 0;
}

/* Bytes of a region from @start on; as much as fits. */
struct window {
	u8 *bytes;
	u64 start, size;
	size_t room;
};

/* Return: code of a function, NULL if it can't be had. */
static const u8 *see(const struct reading *reading, const struct region *region,
		     struct window *window, u64 start, u64 size)
{
	u64 left = region->start + region->size - start;
	u64 want = size > WINDOW ? size : WINDOW;

	if (start - window->start < window->size &&
	    size <= window->size - (start - window->start))
		return window->bytes + (start - window->start);
	if (size > left || size > MAX_FUNCTION)
		return NULL;
	if (want > left)
		want = left;
	window->size = 0;
	if (lw_grow((void **)&window->bytes, &window->room, want, 1) ||
	    !gen_input_copy(reading->input, region->offset + (start - region->start),
			    window->bytes, want))
		return NULL;
	window->start = start;
	window->size = want;
	return window->bytes;
}

static int enter_all_called(struct reading *reading)
{
	const struct gen_cfi *cfi = reading->cfi;
	struct window window = { 0 };
	ZydisDecoder decoder;
	size_t fde = 0;
	int ret = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; !ret && i < reading->nr_regions; i++) {
		const struct region *region = &reading->regions[i];

		for (; !ret && fde < cfi->nr_fdes; fde++) {
			u64 start = cfi->fdes[fde].start, size = cfi->fdes[fde].size;
			const u8 *code;

			if (start < region->start)
				continue;
			if (start - region->start >= region->size)
				break;
			code = see(reading, region, &window, start, size);
			if (code)
				ret = enter_called(reading->to, &decoder, code, size, start);
		}
	}
	free(window.bytes);
	return ret;
}

/* Does a function have one row, that of its entry?  Then its instructions are padding. */
static bool keeps_stack(const struct gen_fde *fde)
{
	const u8 *at = fde->program.pos;

	while (at < fde->program.end && !*at)
		at++;
	return at == fde->program.end;
}

/*
 * glibc's __memmove_chk() and the like compare, jump if that fails, and go on through padding into
 * the function that they are named after.
 */
static int enter_behind(struct reading *reading, const struct gen_fde *fde)
{
	u64 end = fde->start + fde->size;
	u8 code[JCC_REL32_LEN];

	if (fde->go || fde->entry || fde->size > MAX_CHECK || fde->size < sizeof(code) ||
	    !gen_flow_gap(reading->to->flow, end) || !keeps_stack(fde) ||
	    !gen_input_code(reading->input, end - sizeof(code), code, sizeof(code)) ||
	    code[0] != JCC_REL32 || (code[1] & 0xf0) != 0x80)
		return 0;
	return gen_flow_enter(reading->to->flow, end, GEN_NAMED_BY_CODE);
}

/* To look through a file takes as long as it has code. */
static bool is_worth_search(const struct reading *reading)
{
	u64 unseen = gen_flow_unseen(reading->to->flow), code = 0;

	for (size_t i = 0; i < reading->nr_regions; i++)
		code += reading->regions[i].size;
	return unseen >= MIN_UNSEEN && unseen >= code / UNSEEN_SHARE;
}

static int follow(struct reading *reading)
{
	const struct gen_input *input = reading->input;
	struct gen_analysis *to = reading->to;
	int ret = 0;

	to->flow = gen_flow_new(to->gaps, to->nr_gaps, to->code, input);
	if (!to->flow)
		return -ENOMEM;
	for (size_t i = 1; !ret && i < input->nr_shdrs; i++)
		ret = enter_section(reading, &input->shdrs[i]);
	for (size_t i = 0; !ret && i < reading->cfi->nr_fdes; i++)
		ret = enter_behind(reading, &reading->cfi->fdes[i]);
	if (!ret)
		ret = gen_flow_run(to->flow);
	if (ret || !is_worth_search(reading))
		return ret;
	ret = enter_all_called(reading);
	if (!ret)
		ret = enter_all_relocated(reading, NULL);
	return ret ?: gen_flow_run(to->flow);
}

/**
 * gen_analyse - follow the code of a file that has no call frame information
 * @analysis: zeroed; to be freed, also after a failure
 * @input: the file
 * @cfi: settled
 *
 * Return: 0 or -ENOMEM; code that is made to take long has no frames.
 */
int gen_analyse(struct gen_analysis *analysis, const struct gen_input *input,
		const struct gen_cfi *cfi)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int ret;

	if (!reading)
		return -ENOMEM;
	*reading = (struct reading){ .to = analysis, .input = input, .cfi = cfi };
	find_regions(reading);
	ret = find_gaps(reading);
	if (!ret && analysis->nr_gaps)
		ret = follow(reading);
	free(reading);
	if (ret)
		gen_analysis_free(analysis);
	return ret == -ENOMEM ? ret : 0;
}

/* Functions of a gap that have frames, each up to where the next one begins. */
struct pieces {
	const struct gen_analysis *analysis;
	struct gen_fde *fdes;
	size_t nr, room;
};

static int add_piece(struct pieces *pieces, u64 start, u64 end)
{
	if (lw_grow((void **)&pieces->fdes, &pieces->room, pieces->nr + 1, sizeof(*pieces->fdes)))
		return -ENOMEM;
	pieces->fdes[pieces->nr++] = (struct gen_fde){
		.start = start, .size = end - start, .analysed = true,
	};
	return 0;
}

static int add_gap_pieces(struct pieces *pieces, const struct gen_gap *gap)
{
	struct gen_flow *flow = pieces->analysis->flow;
	const struct gen_frame *frame;
	u64 start = 0, end = 0;		/* of bytes with frames; 0: there are none yet */
	int ret = 0;
	u32 size;

	for (u64 off = 0; !ret && off < gap->size; off += size) {
		u64 addr = gap->start + off;

		size = gen_flow_step(flow, gap, off, &frame);
		if (!frame)
			continue;
		if (end && gen_flow_is_entry(flow, addr)) {
			ret = add_piece(pieces, start, end);
			end = 0;
		}
		if (!end)
			start = addr;
		end = addr + size;
	}
	return ret || !end ? ret : add_piece(pieces, start, end);
}

/**
 * gen_analysis_add - have functions without call frame information among the others
 * @analysis: made
 * @cfi: settled; as gen_analyse() had it
 *
 * Return: 0 or -ENOMEM.
 */
int gen_analysis_add(const struct gen_analysis *analysis, struct gen_cfi *cfi)
{
	struct pieces pieces = { .analysis = analysis };
	int ret = 0;

	for (size_t i = 0; !ret && analysis->flow && i < analysis->nr_gaps; i++)
		ret = add_gap_pieces(&pieces, &analysis->gaps[i]);
	if (!ret && pieces.nr)
		ret = gen_cfi_merge(cfi, pieces.fdes, pieces.nr);
	free(pieces.fdes);
	return ret;
}

/**
 * gen_analysis_rows - rows of a function that has no call frame information
 * @analysis: made
 * @fde: the function, of gen_analysis_add(), or its first part
 * @rows: out
 *
 * Return: 0 or -ENOMEM.
 */
int gen_analysis_rows(const struct gen_analysis *analysis, const struct gen_fde *fde,
		      struct gen_rows *rows)
{
	const struct gen_gap *gap = gen_flow_gap(analysis->flow, fde->start);
	u64 off = fde->start - gap->start, end = off + fde->size;
	const struct gen_frame *frame, *last = NULL;
	struct gen_state state;
	int ret = 0;
	bool known;
	u32 size;

	gen_rows_begin(rows);
	rows->analysed = true;
	for (u64 at = off; !ret && at < end; at += size) {
		size = gen_flow_step(analysis->flow, gap, at, &frame);
		if (rows->nr && frame == last)
			continue;
		last = frame;
		known = frame && gen_frame_state(frame, &state);
		ret = gen_rows_add(rows, at - off, &state,
				   known ? LW_GEN_NUM_HOLES : LW_GEN_HOLE_UNKNOWN);
	}
	return ret;
}

/**
 * gen_analysis_free - forget the code
 * @analysis: made, or zeroed
 */
void gen_analysis_free(struct gen_analysis *analysis)
{
	gen_flow_free(analysis->flow);
	free(analysis->gaps);
	free(analysis->code);
	*analysis = (struct gen_analysis){ 0 };
}
