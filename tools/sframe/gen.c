// SPDX-License-Identifier: GPL-2.0
/*
 * gen.c - SFrame tables made of the call frame information of a file, and of its code.
 *
 * Nothing in a file is trusted.  Time and memory are bounded by limits on what is
 * read of it (gen_input.c) and on what may be made of that.
 *
 * Contexts: any thread; no state outlives a call.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_aarch64.h"
#include "sframe/gen_analysis.h"

#define MAX_SEGMENTS	64U		/* executable ones; linkers make one or two */
#define MAX_UNPACKED	(64ULL << 20)	/* bytes */
#define MAX_RATIO	64U		/* of unpacked to packed; call frames have some 4 */
#define CODE_AT_ONCE	4096U
/* Bytes that look_at() looks at, less one. */
#define LOOK_BEHIND	3U
#define MAX_LOOKED	(64ULL << 20)	/* bytes of code and program headers */
#define MAX_MENDED	(256ULL << 20)	/* likewise, of a file of OCaml */
#define S390X_HALF	2U	/* instructions have one to three */
#define CALL_REL32	0xe8
#define GROUP_5		0xff		/* with 2 in the ModRM byte: call */
#define GROUP_5_CALL	2
#define REX_W		0x48
#define MOV_LOAD	0x8b		/* mov r/m64, r64 */
#define GEN_SP_ENCODED	4

struct segment {
	u64 offset, addr, size;
};

struct file {
	const struct gen_input *input;
	const char *name;
	unsigned int flags;
	struct segment segments[MAX_SEGMENTS];
	unsigned int nr_segments;
	u64 room;		/* bytes that its tables may still take */
	u64 look_left;		/* see look_through() */
	u64 mend_left;		/* see gen_ocaml_mend() */
	u8 told;		/* bits by gen_state.saved: registers that a call needs */
	bool ocaml;		/* it goes to another stack to call C, as OCaml does */
	Elf_Data data[2];
	Elf *unpacked;
	u8 *image;		/* of this one */
	struct gen_cfi cfi;
	struct gen_analysis analysis;
	struct lw_gen *gen;
};

static int segment_order(const void *a, const void *b)
{
	const struct segment *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

/* Sorted by address, and none on top of another, or it has no table. */
static void settle_segments(struct file *file)
{
	struct segment *segments = file->segments;
	unsigned int kept = 0;

	qsort(segments, file->nr_segments, sizeof(*segments), segment_order);
	for (unsigned int i = 0; i < file->nr_segments; i++) {
		if (kept && segments[i].addr - segments[kept - 1].addr < segments[kept - 1].size)
			continue;
		segments[kept++] = segments[i];
	}
	file->nr_segments = kept;
}

static int read_segments(struct file *file)
{
	const struct gen_input *input = file->input;

	for (size_t i = 0; i < input->nr_phdrs && file->nr_segments < MAX_SEGMENTS; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) || !phdr->p_filesz)
			continue;
		if (phdr->p_vaddr + phdr->p_filesz < phdr->p_vaddr ||
		    phdr->p_offset + phdr->p_filesz < phdr->p_offset)
			continue;
		file->segments[file->nr_segments++] = (struct segment){
			phdr->p_offset, phdr->p_vaddr, phdr->p_filesz,
		};
	}
	settle_segments(file);
	if (!file->nr_segments)
		return lw_fail(-ENODATA, "%s: it has no executable segment", file->name);
	return 0;
}

static void count_code(struct file *file)
{
	struct lw_gen_counts *counts = &file->gen->counts;

	counts->code_bytes = file->input->code_bytes;
	for (unsigned int i = 0; !counts->code_bytes && i < file->nr_segments; i++)
		counts->code_bytes += file->segments[i].size;
}

static struct gen_section *add_section(struct file *file, void *bytes, size_t size)
{
	Elf_Data *data = &file->data[file->cfi.nr_sections];
	struct gen_section *section = &file->cfi.sections[file->cfi.nr_sections];

	if (!size)
		return NULL;
	*data = (Elf_Data){ .d_buf = bytes, .d_size = size, .d_type = ELF_T_BYTE };
	*section = (struct gen_section){ .data = data };
	file->cfi.nr_sections++;
	return section;
}

static void add_eh_frame(struct file *file)
{
	const struct gen_input *input = file->input;
	struct gen_section *section = add_section(file, input->eh_frame.at, input->eh_frame.size);

	if (!section)
		return;
	section->addr = input->eh_frame_addr;
	section->eh_frame = true;
	section->ends_at_zero = input->ends_at_zero;
}

/* "ZLIB", then the size in big endian, as it was before there were flags for it. */
static u64 unpacked_size(const struct gen_input *input)
{
	const struct gen_bytes *packed = &input->debug_frame;
	enum gen_packed how = input->packed;
	Elf64_Chdr chdr;
	u64 size;

	if (how == GEN_PACKED_GNU && packed->size >= 4 + sizeof(size)) {
		memcpy(&size, packed->at + 4, sizeof(size));
		return be64toh(size);
	}
	if (how == GEN_PACKED && packed->size >= sizeof(chdr)) {
		memcpy(&chdr, packed->at, sizeof(chdr));
		gen_input_order(input->ehdr.e_ident[EI_DATA], &chdr, sizeof(chdr), ELF_T_CHDR);
		return chdr.ch_size;
	}
	return 0;
}

/* A file that has nothing else: elfutils unpacks sections of files only. */
struct wrapper {
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdrs[3];
	char names[16];
};

static void wrap(struct wrapper *to, const struct gen_input *input)
{
	const struct gen_bytes *packed = &input->debug_frame;
	u8 data = input->ehdr.e_ident[EI_DATA];
	enum gen_packed how = input->packed;
	/* the first is behind an empty one, and the other in it */
	static const char names[] = "\0.zdebug\0.debug";

	_Static_assert(sizeof(names) <= sizeof(to->names), "there is room for them");
	*to = (struct wrapper){
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, data,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = input->machine->elf, .e_version = EV_CURRENT,
			.e_shoff = offsetof(struct wrapper, shdrs), .e_ehsize = sizeof(to->ehdr),
			.e_shentsize = sizeof(to->shdrs[0]), .e_shnum = 3, .e_shstrndx = 2,
		},
		.shdrs[1] = {
			.sh_name = how == GEN_PACKED ? 9 : 1, .sh_type = SHT_PROGBITS,
			.sh_flags = how == GEN_PACKED ? SHF_COMPRESSED : 0,
			.sh_offset = sizeof(*to), .sh_size = packed->size, .sh_addralign = 1,
		},
		.shdrs[2] = {
			.sh_name = 0, .sh_type = SHT_STRTAB,
			.sh_offset = offsetof(struct wrapper, names),
			.sh_size = sizeof(names), .sh_addralign = 1,
		},
	};
	memcpy(to->names, names, sizeof(names));
	gen_input_order(data, &to->ehdr, sizeof(to->ehdr), ELF_T_EHDR);
	gen_input_order(data, to->shdrs, sizeof(to->shdrs), ELF_T_SHDR);
}

/* Return: what is in it, until file->unpacked is closed, or NULL. */
static Elf_Data *unpack(struct file *file, size_t size, enum gen_packed how)
{
	Elf_Scn *scn;
	int ret;

	elf_version(EV_CURRENT);
	file->unpacked = elf_memory((char *)file->image, size);
	scn = elf_getscn(file->unpacked, 1);
	if (!scn)
		return NULL;
	ret = how == GEN_PACKED ? elf_compress(scn, 0, 0) : elf_compress_gnu(scn, 0, 0);
	return ret < 0 ? NULL : elf_rawdata(scn, NULL);
}

/* Return: 0 or -ENOMEM; what can't be unpacked is not there. */
static int add_packed(struct file *file)
{
	const struct gen_bytes *packed = &file->input->debug_frame;
	enum gen_packed how = file->input->packed;
	u64 size = unpacked_size(file->input);
	Elf_Data *data;

	if (!size || size > MAX_UNPACKED || size / MAX_RATIO > packed->size)
		return 0;
	file->image = malloc(sizeof(struct wrapper) + packed->size);
	if (!file->image)
		return -ENOMEM;
	wrap((struct wrapper *)file->image, file->input);
	memcpy(file->image + sizeof(struct wrapper), packed->at, packed->size);
	data = unpack(file, sizeof(struct wrapper) + packed->size, how);
	if (data)
		add_section(file, data->d_buf, data->d_size);
	return 0;
}

/* .debug_frame is not loaded, so it has no address. */
static int add_debug_frame(struct file *file)
{
	const struct gen_bytes *bytes = &file->input->debug_frame;

	if (bytes->size && file->input->packed != GEN_PLAIN)
		return add_packed(file);
	add_section(file, bytes->at, bytes->size);
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int analyse(struct file *file)
{
	int ret;

	if (file->input->go.is_go)
		return 0;
	if (file->input->machine == &gen_aarch64) {
		ret = gen_plt_add(&file->cfi, file->input) ?:
		      gen_aarch64_add(&file->cfi, file->input);
		file->gen->counts.empty_bytes = gen_aarch64_empty(&file->cfi, file->input);
		return ret;
	}
	if (file->input->machine == &gen_s390x)
		return gen_plt_add(&file->cfi, file->input);
	return gen_analyse(&file->analysis, file->input, &file->cfi) ?:
	       gen_analysis_add(&file->analysis, &file->cfi);
}

static int read_cfi(struct file *file)
{
	int ret;

	count_code(file);
	add_eh_frame(file);
	ret = add_debug_frame(file);
	if (!ret)
		ret = gen_cfi_read(&file->cfi, file->input->ehdr.e_ident, &file->gen->counts);
	if (!ret)
		ret = gen_go_add(&file->cfi, &file->input->go, &file->gen->counts);
	if (ret)
		return lw_fail(ret, "%s: out of memory", file->name);
	gen_cfi_settle(&file->cfi, &file->gen->counts);
	ret = gen_cfi_add_entry(&file->cfi, file->input, file->flags & LW_GEN_ANALYSIS);
	if (!ret && (file->flags & LW_GEN_ANALYSIS))
		ret = analyse(file);
	return ret ? lw_fail(ret, "%s: out of memory", file->name) : 0;
}

static void count_hole(struct file *file, enum lw_gen_hole hole, u64 bytes)
{
	file->gen->counts.holes[hole]++;
	file->gen->counts.hole_bytes[hole] += bytes;
}

/* The row of the entry point is ours, not the file's: its bytes are no coverage by CFI. */
static void count_entry(struct lw_gen_counts *counts, u64 bytes)
{
	counts->cfi_bytes -= bytes;
	counts->covered_bytes -= bytes;
	counts->entry_bytes += bytes;
}

/* Holes of it are no news: nothing has described that code. */
static int add_analysed(struct file *file, struct gen_writer *writer, const struct gen_fde *fde,
			u64 start, u64 room)
{
	struct gen_rows *rows = &file->cfi.rows;
	struct lw_gen_counts counts = { 0 };
	struct gen_fde part = *fde;
	int ret;

	if (part.size > room)
		part.size = room;
	if (fde->code)
		ret = gen_aarch64_rows(file->input, &part, rows);
	else if (file->input->machine != &gen_x86_64)
		ret = gen_plt_rows(file->input, &part, rows);
	else
		ret = gen_analysis_rows(&file->analysis, &part, rows);
	if (!ret)
		ret = gen_write_function(writer, start, part.size, rows, &counts);
	file->gen->counts.analysed_bytes += counts.covered_bytes;
	file->gen->counts.rows += counts.rows;
	return ret;
}

/*
 * What may be in some bytes of code, which are looked at as if an instruction began at each.
 * @calls: a call; @switches: the stack pointer is taken from memory
 */
struct code_seen {
	bool calls, switches;
};

static void look_at_x86_64(const u8 *code, struct code_seen *seen)
{
	u8 reg = code[1] >> 3 & 7;

	seen->calls |= code[0] == CALL_REL32 || (code[0] == GROUP_5 && reg == GROUP_5_CALL);
	/* REX.W, and not REX.R; the operand is no register */
	seen->switches |= (code[0] & 0xfc) == REX_W && code[1] == MOV_LOAD &&
			  (code[2] >> 3 & 7) == GEN_SP_ENCODED && code[2] >> 6 != 3;
}

/* BL, BLR and BLRAA to BLRABZ.  What may be an instruction is where one may begin. */
static void look_at_aarch64(const u8 *code, struct code_seen *seen)
{
	u32 insn = (u32)code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24;

	seen->calls |= (insn & 0xfc000000) == 0x94000000 || (insn & 0xfffffc1f) == 0xd63f0000 ||
		       (insn & 0xfefff800) == 0xd63f0800;
}

/* brasl, bras and basr, with %r14 */
static void look_at_s390x(const u8 *code, struct code_seen *seen)
{
	u16 half = code[0] << 8 | code[1];

	seen->calls |= half == 0xc0e5 || half == 0xa7e5 || (half > 0x0de0 && half <= 0x0def);
}

static void look_at(const struct gen_machine *machine, u64 addr, const u8 *code,
		    struct code_seen *seen)
{
	if (machine == &gen_x86_64)
		look_at_x86_64(code, seen);
	else if (machine == &gen_aarch64 && !(addr % GEN_AARCH64_INSN))
		look_at_aarch64(code, seen);
	else if (machine == &gen_s390x && !(addr % S390X_HALF))
		look_at_s390x(code, seen);
}

/* What a file has of such code is bounded, with what it takes to find each piece of it. */
static struct code_seen look_through(struct file *file, u64 addr, u64 end)
{
	const u64 search = file->input->nr_phdrs * sizeof(*file->input->phdrs);
	u8 code[CODE_AT_ONCE + LOOK_BEHIND];
	struct code_seen seen = { false };

	for (; addr < end && !(seen.calls && seen.switches); addr += CODE_AT_ONCE) {
		u32 size = end - addr < CODE_AT_ONCE ? end - addr : CODE_AT_ONCE;

		if (file->look_left < search + size ||
		    !gen_input_code(file->input, addr, code, size + LOOK_BEHIND))
			break;
		file->look_left -= search + size;
		for (u32 i = 0; i < size; i++)
			look_at(file->input->machine, addr + i, code + i, &seen);
	}
	return seen;
}

/*
 * Looks at the code of rows whose CFA is by a register that callees save.  If it makes calls, all
 * functions have to tell of the register; in the topmost frame the register is known anyway.  If it
 * goes to another stack, as OCaml's does to call C, the caller need not be above.
 */
static void look_at_needed(struct file *file, const struct gen_fde *fde)
{
	struct gen_rows *rows = &file->cfi.rows;
	struct code_seen seen;
	u64 end;
	int index;

	for (size_t i = 0; i < rows->nr; i++) {
		struct gen_run *run = &rows->runs[i];

		index = gen_saved_index(rows->machine, run->cfa.base);
		if (run->cfa.kind != GEN_VALUE || index < 0)
			continue;
		end = i + 1 < rows->nr ? rows->runs[i + 1].start : fde->size;
		seen = look_through(file, fde->start + run->start, fde->start + end);
		if (seen.calls)
			file->told |= 1U << index;
		if (seen.switches) {
			file->ocaml = true;
			/* A value without a path has nothing there. */
			if (!run->cfa.path)
				memset(run->cfa.then, 0, sizeof(run->cfa.then));
			run->cfa.path = GEN_PATH_SWITCH;
			run->form = GEN_FORM_PATH;
		}
	}
}

/* @room: bytes of the segment from its start on */
static int add_function(struct file *file, struct gen_writer *writer, const struct gen_fde *fde,
			u64 start, u64 room)
{
	struct lw_gen_counts *counts = &file->gen->counts;
	struct gen_rows *rows = &file->cfi.rows;
	struct gen_fde part = *fde;
	int ret;

	if (part.analysed)
		return add_analysed(file, writer, fde, start, room);
	if (part.size > room) {
		count_hole(file, LW_GEN_HOLE_OUTSIDE, part.size - room);
		part.size = room;
	}
	counts->cfi_bytes += part.size;
	if (part.size > UINT32_MAX) {
		count_hole(file, LW_GEN_HOLE_RANGE, part.size);
		return 0;
	}
	if (fde->go)
		ret = gen_go_rows(file->input, &part, rows);
	else
		ret = gen_function_rows(rows, &file->cfi.cies[fde->cie], &part,
					&file->cfi.sections[fde->section]);
	if (!ret && file->input->machine == &gen_aarch64)
		gen_plt_mend(file->input->machine, rows);
	if (!ret && rows->needed)
		look_at_needed(file, &part);
	if (!ret && file->ocaml && !fde->go)
		ret = gen_ocaml_mend(file->input, &part, rows, &file->mend_left);
	if (!ret)
		ret = gen_write_function(writer, start, part.size, rows, counts);
	if (!ret && part.entry)
		count_entry(counts, part.size);
	return ret;
}

/*
 * The functions from *next on that are not behind a segment.
 * Return: 0, -ENODATA if none is in it, -EFBIG or -ENOMEM.
 */
static int make_table(struct file *file, const struct segment *segment, size_t *next,
		      struct lw_gen_table *table)
{
	struct gen_writer *writer = gen_writer_new(file->input->machine, segment->addr,
						   &file->room);
	const struct gen_fde *fde;
	int ret = writer ? 0 : -ENOMEM;
	u64 start;

	for (; !ret && *next < file->cfi.nr_fdes; ++*next) {
		fde = &file->cfi.fdes[*next];
		if (fde->start < segment->addr) {
			count_hole(file, LW_GEN_HOLE_OUTSIDE, fde->size);
			continue;
		}
		start = fde->start - segment->addr;
		if (start >= segment->size)
			break;
		ret = add_function(file, writer, fde, start, segment->size - start);
	}
	if (!ret)
		ret = gen_write_table(writer, file->flags, table, &file->gen->counts);
	gen_writer_free(writer);
	return ret;
}

static void forget_tables(struct lw_gen *gen)
{
	for (size_t i = 0; i < gen->nr_tables; i++)
		free(gen->tables[i].data);
	gen->nr_tables = 0;
}

static int fail_text(const struct file *file, int ret)
{
	if (ret == -EFBIG)
		return lw_fail(ret, "%s: a table for it is too large", file->name);
	if (ret == -ENODATA)
		return lw_fail(ret, "%s: it has no call frame information for its code",
			       file->name);
	return lw_fail(ret, "%s: out of memory", file->name);
}

static int make_tables_once(struct file *file)
{
	struct lw_gen *gen = file->gen;
	size_t next = 0;
	int ret;

	file->look_left = MAX_LOOKED;
	file->mend_left = MAX_MENDED;
	for (unsigned int i = 0; i < file->nr_segments; i++) {
		const struct segment *segment = &file->segments[i];
		struct lw_gen_table table = {
			.text_offset = segment->offset,
			.text_size = segment->size,
			.text_addr = segment->addr,
		};

		ret = make_table(file, segment, &next, &table);
		if (ret && ret != -ENODATA)
			return fail_text(file, ret);
		if (!ret)
			gen->tables[gen->nr_tables++] = table;
	}
	for (; next < file->cfi.nr_fdes; next++)
		count_hole(file, LW_GEN_HOLE_OUTSIDE, file->cfi.fdes[next].size);
	gen->counts.cfi_bytes += gen->counts.hole_bytes[LW_GEN_HOLE_OVERLAP];
	return gen->nr_tables ? 0 : fail_text(file, -ENODATA);
}

/*
 * A CFA by a register that callees save (ld.so's _dl_runtime_resolve_xsavec()) takes rows of all
 * callees that tell of the register.  Few files have one, so that most are followed once.  That a
 * file is OCaml's is known once such a row was met.
 */
static int make_tables(struct file *file)
{
	struct lw_gen_counts counts = file->gen->counts;
	u64 room = file->room;
	int ret;

	file->gen->tables = calloc(file->nr_segments, sizeof(*file->gen->tables));
	if (!file->gen->tables)
		return fail_text(file, -ENOMEM);
	ret = make_tables_once(file);
	if (ret || !file->told)
		return ret;
	forget_tables(file->gen);
	file->gen->counts = counts;
	file->room = room;
	file->cfi.rows.follow = file->told & (file->told - 1) ? LW_RULE_TOLD_ALL : file->told;
	return make_tables_once(file);
}

static int convert(const struct gen_input *input, unsigned int flags, struct lw_gen *gen)
{
	struct file *file = calloc(1, sizeof(*file));
	int ret;

	memset(gen, 0, sizeof(*gen));
	if (!file)
		return lw_fail(-ENOMEM, "%s: out of memory", input->name);
	if ((flags & LW_GEN_NATIVE) && input->machine->elf != LW_GEN_NATIVE_MACHINE) {
		free(file);
		return lw_fail(-EOPNOTSUPP, "%s: of another machine", input->name);
	}
	file->input = input;
	file->cfi.rows.machine = input->machine;
	file->name = input->name;
	file->flags = flags;
	file->room = GEN_MAX_BYTES;
	file->gen = gen;
	ret = read_segments(file);
	if (!ret)
		ret = read_cfi(file);
	if (!ret)
		ret = make_tables(file);
	gen_cfi_free(&file->cfi);
	gen_analysis_free(&file->analysis);
	elf_end(file->unpacked);
	free(file->image);
	free(file);
	if (ret)
		lw_gen_free(gen);
	return ret;
}

/**
 * lw_sframe_gen_fd - make the tables of a file
 * @fd: open for reading; its position does not matter and stays
 * @name: of it, for messages
 * @flags: LW_GEN_*
 * @gen: out: to be freed with lw_gen_free(); on failure there is nothing to free
 *
 * Context: any thread.
 * Return: 0; with lw_fail_text(): -ENOEXEC (no ELF file), -EOPNOTSUPP (not of
 * a known machine, or not linked), -ENODATA (nothing to make a table of), -EFBIG (it would
 * not fit a table), -ENOMEM.
 */
int lw_sframe_gen_fd(int fd, const char *name, unsigned int flags, struct lw_gen *gen)
{
	struct gen_input *input;
	int ret;

	memset(gen, 0, sizeof(*gen));
	ret = gen_input_open(&input, fd, name);
	if (ret)
		return ret;
	ret = convert(input, flags, gen);
	gen_input_close(input);
	return ret;
}

/**
 * lw_sframe_gen_memory - make the table of an image, like the vDSO
 * @image: all of it; only read
 * @size: its bytes
 * @name: of it, for messages
 * @flags: LW_GEN_*
 * @gen: out: as lw_sframe_gen_fd(); a segment at the image's start is all of it at least
 *
 * Context: any thread.
 * Return: as lw_sframe_gen_fd().
 */
int lw_sframe_gen_memory(const void *image, size_t size, const char *name, unsigned int flags,
			 struct lw_gen *gen)
{
	struct gen_input *input;
	int ret;

	memset(gen, 0, sizeof(*gen));
	ret = gen_input_open_memory(&input, image, size, name);
	if (ret)
		return ret;
	ret = convert(input, flags, gen);
	gen_input_close(input);
	for (size_t i = 0; !ret && i < gen->nr_tables; i++) {
		if (!gen->tables[i].text_offset && gen->tables[i].text_size < size)
			gen->tables[i].text_size = size;
	}
	return ret;
}

/**
 * lw_gen_free - free what was made
 * @gen: made, freed already, or zeroed
 */
void lw_gen_free(struct lw_gen *gen)
{
	forget_tables(gen);
	free(gen->tables);
	gen->tables = NULL;
}

/**
 * lw_gen_hole_text - why code has no rule
 * @hole: reason
 *
 * Return: a few words, never NULL.
 */
const char *lw_gen_hole_text(enum lw_gen_hole hole)
{
	static const char * const texts[LW_GEN_NUM_HOLES] = {
		[LW_GEN_HOLE_SIGNAL]	= "signal frame",
		[LW_GEN_HOLE_CFA]	= "CFA by an expression",
		[LW_GEN_HOLE_RA]	= "return address elsewhere",
		[LW_GEN_HOLE_FP]	= "frame pointer elsewhere",
		[LW_GEN_HOLE_SP]	= "stack pointer is not the CFA",
		[LW_GEN_HOLE_RANGE]	= "too large",
		[LW_GEN_HOLE_UNKNOWN]	= "not known",
		[LW_GEN_HOLE_BROKEN]	= "broken",
		[LW_GEN_HOLE_OVERLAP]	= "overlaps another",
		[LW_GEN_HOLE_OUTSIDE]	= "not in executable code",
	};

	return hole < LW_GEN_NUM_HOLES ? texts[hole] : "?";
}
