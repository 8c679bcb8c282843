/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_parts.h - what the files of the converter share, and nobody else.
 *
 *	gen.c		the file: segments, sections, one after the other
 *	gen_input.c	what is read of it
 *	gen_cfi.c	CIEs and FDEs: which code, which instructions
 *	gen_entry.c	one that has none of these: where a program begins
 *	gen_rows.c	the instructions of one function: runs of code
 *	gen_expr.c	DWARF expressions: rules, where they are some
 *	gen_go.c		functions of Go, which have a table of their own
 *	gen_ocaml.c	calls of OCaml, whose rows are not right
 *	gen_analysis.c	code that has no call frame information; see gen_flow.h
 *	gen_aarch64.c	likewise, of that machine
 *	gen_plt.c		likewise, of aarch64 and s390x: the PLT
 *	gen_write.c	from runs to the bytes of a section
 */
#ifndef LW_SFRAME_GEN_PARTS_H
#define LW_SFRAME_GEN_PARTS_H

#include <elfutils/libdw.h>

#include "elf/go_functions.h"
#include "sframe/gen.h"
#include "sframe/sframe_reader.h"

/**
 * struct gen_machine - what call frame information and rows have of a machine
 * @elf: EM_*
 * @abi: LW_SFRAME_ABI_*
 * @nr_gprs: registers that an address may count from are below this
 * @nr_regs: registers that may hold what a function saves are below this
 * @sp: DWARF's number of the stack pointer
 * @fp: likewise of the frame pointer
 * @ra: likewise of what stands for the return address in call frame information
 * @ra_off: where that is behind a call, from the CFA; 0: in register @ra
 * @saved: DWARF's numbers of the registers of gen_state.saved, as the module's
 *	LW_ARCH_SAVED_GPRS has them; or none
 * @big: numbers are in big endian
 * @cfa_unit: rows count the CFA's offset in these bytes, @sp_bias less; as struct abi has both
 * @sp_bias: of the CFA, from the caller's stack pointer on
 * @saves_sp: functions save the stack pointer and restore it, as any register
 * @pads_ra: a plain row can say that the return address is in its register, for more to follow;
 *	offsets in such a row are multiples of a slot, and not 0
 */
struct gen_machine {
	u16 elf;
	u8 abi;
	u8 nr_gprs, nr_regs;
	u8 sp, fp, ra;
	__s8 ra_off;
	u8 saved[LW_RULE_SAVED];
	bool big;
	u8 cfa_unit, sp_bias;
	bool saves_sp, pads_ra;
};

/* x86-64, as its psABI numbers them */
#define GEN_FP			6
#define GEN_SP			7
#define GEN_NR_GPRS		16
#define GEN_RA			16
#define GEN_RA_OFFSET		(-8)	/* from the CFA, after a call */
#define GEN_SLOT		8
#define GEN_MAX_SLOT		0xfffffff	/* below the CFA, that a row has a word for */

/* A value, as CFI has it. */
enum gen_kind {
	GEN_NONE,		/* no rule; of a register: as it was */
	GEN_VALUE,		/* base + off, or what is there */
	GEN_PLT,		/* CFA only: sp + 8, and 16 from @off in each 16 bytes on */
	GEN_UNDEFINED,
	GEN_ODD,		/* a rule that no table has */
};

/* gen_value.base, else a register */
#define GEN_CFA			0xff
#define GEN_OTHER		0xfe	/* a register of no table, of CFA only */
#define GEN_DEREFS		LW_RULE_DEREFS

/* gen_value.path */
enum gen_path {
	GEN_PATH_NONE,
	GEN_PATH_SWITCH,	/* it may be on another stack */
	GEN_PATH_SAME,		/* it is on the same one */
};

/*
 * @deref: how often it is what is in memory there; of all but the CFA, once at most
 * @path: of the CFA: it is counted on from what memory holds, or twice there, or on
 *	another stack: enum gen_path
 * @then: with @path, added each time
 * @index: with @path, as lw_rule_value.index
 */
struct gen_value {
	s64 off;
	s32 then[GEN_DEREFS];
	union {
		struct {
			u8 kind;
			u8 base;
			u8 deref;
			u8 path;
			u8 index;
		};
		u64 what;		/* all of these */
	};
};

/*
 * @saved: of the registers of gen_machine.saved, as lw_rule.saved
 * @is_signed: aarch64: the return address has a code of pointer authentication in it
 */
struct gen_state {
	struct gen_value cfa, fp, ra, sp;
	s32 saved[LW_RULE_SAVED];
	bool is_signed;
};

/* Bytes of CFI; what is beyond the end reads as 0, and is remembered. */
struct gen_reader {
	const u8 *pos, *end;
	bool big;		/* endian */
	bool bad;
};

struct gen_cie {
	Dwarf_Off offset;
	u64 code_align;
	s64 data_align;
	struct gen_state initial;
	u8 pointer;		/* DW_EH_PE_* of addresses */
	u8 hole;		/* all of its code is one; LW_GEN_NUM_HOLES: it is not */
	bool signal;		/* its frames are said to be signal frames */
	bool key_b;		/* aarch64: return addresses are signed with this one */
	bool sized;		/* FDEs have augmentation data that say their size */
	u32 skip;		/* bytes of them otherwise */
};

struct gen_section {
	Elf_Data *data;
	u64 addr;
	size_t first_cie;
	bool eh_frame;
	bool ends_at_zero;	/* its size is a guess */
};

struct gen_fde {
	u64 start;
	u64 size;
	struct gen_reader program;
	u32 cie;
	u16 section;
	bool late;		/* the other section has precedence */
	bool entry;		/* made up: it has no CFI */
	u32 go;			/* not 0: it has no CFI, but is in Go's table; index + 1 */
	bool analysed;		/* likewise: its rows come from its instructions */
	bool code;		/* likewise, of aarch64: it is no PLT */
};

/* Some code with one rule, up to the next run or the end of the function. */
enum gen_form {
	GEN_FORM_DEFAULT,	/* any version */
	GEN_FORM_FLEX,		/* version 3 */
	GEN_FORM_PATH,		/* version 3, LW_SFRAME_PATH; so is a run with saved registers */
	GEN_FORM_OUTERMOST,	/* any */
	GEN_FORM_PLT,		/* a repeated block of rows; @cfa has what it is */
	GEN_FORM_HOLE,
};

struct gen_run {
	u32 start;		/* from the function's */
	u8 form;
	u8 hole;
	bool is_signed;
	struct gen_value cfa, ra, fp;
	s32 saved[LW_RULE_SAVED];	/* those of gen_rows.told */
};

#define GEN_MAX_STATES		64	/* remembered; compilers have one or two */

/* Some ten times what the largest files have that were met. */
#define GEN_MAX_CIES		0x10000U
#define GEN_MAX_FDES		0x100000U
#define GEN_MAX_RUNS		0x3ffffU		/* of a function */
#define GEN_MAX_BYTES		(48ULL << 20)		/* of all tables of a file */

/* Scratch space that the functions of a file use one after the other. */
struct gen_rows {
	const struct gen_machine *machine;
	struct gen_run *runs;
	size_t nr, room;
	bool signal;		/* the caller was interrupted: its address is no return address */
	bool analysed;		/* they come from instructions */
	bool key_b;		/* as gen_cie */
	u8 told;		/* bits by gen_state.saved: registers that these rows tell of */
	u8 follow;		/* likewise: that all rows of CFI are to tell of */
	u8 needed;		/* likewise: that a CFA of these rows is by */
	struct gen_state states[GEN_MAX_STATES];
};

struct gen_cfi {
	struct gen_section sections[2];
	unsigned int nr_sections;
	struct gen_cie *cies;
	size_t nr_cies, cie_room;
	struct gen_fde *fdes;
	size_t nr_fdes, fde_room;
	struct gen_rows rows;
};

/*
 * @is_go: Go's linker has made the file: its .debug_frame is not read
 * @threads_of_c: C makes the threads
 * @is_library: it begins in a thread of C
 */
struct gen_go {
	bool is_go;
	bool threads_of_c;
	bool is_library;
	struct lw_go_functions functions;
};

/* Of the heap; empty: NULL and 0. */
struct gen_bytes {
	u8 *at;
	u64 size;
};

/* .debug_frame */
enum gen_packed {
	GEN_PLAIN,
	GEN_PACKED,		/* SHF_COMPRESSED */
	GEN_PACKED_GNU,		/* .zdebug_frame */
};

#define GEN_MAX_PLTS	4	/* .plt, .plt.got, .iplt */
#define GEN_ENTRY_SIZE		128	/* bytes that are looked at; ld.so of s390x has 92 */

struct gen_input {
	int fd;			/* without an image */
	const u8 *image;
	u64 size;
	const char *name;
	const struct gen_machine *machine;
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdrs;
	size_t nr_phdrs;
	Elf64_Shdr *shdrs;
	size_t nr_shdrs;
	u32 names_in;		/* section, of these */
	struct gen_bytes names;
	u64 code_bytes;		/* of executable sections */
	struct gen_bytes eh_frame;
	u64 eh_frame_addr;
	bool ends_at_zero;	/* its size is a guess */
	struct gen_bytes debug_frame;
	enum gen_packed packed;
	struct gen_go go;
	struct {
		u64 addr, size;
	} plts[GEN_MAX_PLTS];
	unsigned int nr_plts;
	u8 entry[GEN_ENTRY_SIZE];
	unsigned int entry_size;
	bool large;		/* we have the lock of these */
};

struct gen_writer;

static inline u8 gen_u8(struct gen_reader *reader)
{
	if (reader->pos < reader->end)
		return *reader->pos++;
	reader->bad = true;
	return 0;
}

bool gen_input_order(u8 data, void *bytes, size_t size, Elf_Type type);

u64 gen_fixed(struct gen_reader *reader, unsigned int size);
u64 gen_uleb(struct gen_reader *reader);
s64 gen_sleb(struct gen_reader *reader);
bool gen_pointer(struct gen_reader *reader, const struct gen_section *section, u8 encoding,
		 u64 *value);

bool gen_input_copy(const struct gen_input *input, u64 offset, void *to, u64 size);
bool gen_input_copy_addr(const struct gen_input *input, u64 addr, void *to, u64 size);
bool gen_is_named(const struct gen_bytes *names, u64 at, const char *name);
int gen_input_open(struct gen_input **input, int fd, const char *name);
int gen_input_open_memory(struct gen_input **input, const void *image, size_t size,
			  const char *name);
void gen_input_close(struct gen_input *input);
bool gen_input_code(const struct gen_input *input, u64 addr, u8 *code, u32 size);

int gen_cfi_read(struct gen_cfi *cfi, const unsigned char *ident, struct lw_gen_counts *counts);
void gen_cfi_free(struct gen_cfi *cfi);
void gen_cfi_settle(struct gen_cfi *cfi, struct lw_gen_counts *counts);

int gen_cfi_insert(struct gen_cfi *cfi, const struct gen_fde *fde);
int gen_cfi_merge(struct gen_cfi *cfi, const struct gen_fde *fdes, size_t nr);

int gen_plt_add(struct gen_cfi *cfi, const struct gen_input *input);
int gen_plt_rows(const struct gen_input *input, const struct gen_fde *fde,
		 struct gen_rows *rows);

void gen_plt_mend(const struct gen_machine *machine, struct gen_rows *rows);

int gen_cfi_add_entry(struct gen_cfi *cfi, const struct gen_input *input, bool alone);

extern const struct gen_machine gen_x86_64, gen_aarch64, gen_s390x;

/* A return address that is in its register, where calls leave it there. */
static inline struct gen_value gen_ra_in_register(const struct gen_machine *machine)
{
	return (struct gen_value){ .kind = GEN_VALUE, .base = machine->ra };
}

struct gen_value gen_expression(const struct gen_machine *machine, struct gen_reader program,
				bool of_register);
void gen_initial_state(struct gen_rows *rows, struct gen_cie *cie, struct gen_reader program,
		       const struct gen_section *section);
int gen_saved_index(const struct gen_machine *machine, u64 reg);
bool gen_is_usual_ra(const struct gen_machine *machine, const struct gen_value *ra);
bool gen_rows_same(const struct gen_run *a, const struct gen_run *b);
void gen_rows_begin(struct gen_rows *rows);
int gen_rows_add(struct gen_rows *rows, u32 start, const struct gen_state *state, u8 hole);
int gen_function_rows(struct gen_rows *rows, const struct gen_cie *cie, const struct gen_fde *fde,
		      const struct gen_section *section);

int gen_go_read(struct gen_go *go, int fd);
int gen_go_add(struct gen_cfi *cfi, const struct gen_go *go, struct lw_gen_counts *counts);
int gen_go_rows(const struct gen_input *input, const struct gen_fde *fde, struct gen_rows *rows);

int gen_ocaml_mend(const struct gen_input *input, const struct gen_fde *fde,
		   struct gen_rows *rows, u64 *left);

struct gen_writer *gen_writer_new(const struct gen_machine *machine, u64 text_addr, u64 *room);
void gen_writer_free(struct gen_writer *writer);
int gen_write_function(struct gen_writer *writer, u64 start, u32 size,
		       const struct gen_rows *rows, struct lw_gen_counts *counts);
int gen_write_table(struct gen_writer *writer, unsigned int flags, struct lw_gen_table *table,
		    struct lw_gen_counts *counts);

#endif /* LW_SFRAME_GEN_PARTS_H */
