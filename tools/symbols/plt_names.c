// SPDX-License-Identifier: GPL-2.0
/*
 * plt_names.c - names of what a file calls other files' functions through.
 *
 * No symbol table has the entries of a PLT: what one stands for is seen of the slot of
 * the GOT that it jumps through, and of the relocation that fills this slot, or of the
 * number that it hands to the dynamic linker (System V ABI, AMD64 supplement, section 5.2;
 * those of arm64 and s390x have slots alone). So it does not matter in which of the several
 * layouts a linker has put them.
 * The names are perf's: puts@plt; .plt for the first entry, which all others share.
 *
 * Contexts: any thread, one per file and table.
 */
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/plt_names.h"

struct plt;

/* What differs between machines: types of relocations that fill slots, and what entries are. */
struct machine {
	u16 elf;
	u8 order;
	u32 jump_slot, glob_dat, irelative;
	void (*read_section)(struct plt *plt, const Elf_Data *data, u64 addr, u32 entry_size);
};

/* An entry, until it has a name. */
struct entry {
	u64 start;
	u64 slot;			/* that it jumps through; 0: it has a number */
	u32 size;
	u32 number;			/* among the relocations of the PLT */
	bool named;
};

struct plt {
	const struct machine *machine;
	const struct lw_code_names *table;
	struct lw_code_names found;
	const struct lw_elf *file;
	size_t section_names;		/* index of the section */
	struct entry *entries;		/* by slot, once all are there */
	size_t nr, room;
	int error;
};

static const char *name_of_section(const struct plt *plt, const GElf_Shdr *shdr)
{
	const char *name = elf_strptr(plt->file->elf, plt->section_names, shdr->sh_name);

	return name ? name : "";
}

static void add_name(struct plt *plt, const struct entry *entry, const char *text)
{
	const struct lw_code_name name = {
		.start = entry->start, .size = entry->size, .text = (char *)text,
	};

	plt->error = lw_code_names_add(&plt->found, &name);
}

static u32 get32(const u8 *bytes)
{
	u32 value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

/* Return: false: it is none that has a name of its own. */
static bool decode(const u8 *bytes, struct entry *entry)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	u32 at = memcmp(bytes, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);

	/* bnd, of the days of MPX */
	if (at + 1 < entry->size && bytes[at] == 0xf2)
		at++;
	/* jmp *slot(%rip) */
	if (at + 6 <= entry->size && bytes[at] == 0xff && bytes[at + 1] == 0x25) {
		entry->slot = entry->start + at + 6 + (s32)get32(bytes + at + 2);
		return true;
	}
	/* push $number */
	if (at + 5 <= entry->size && bytes[at] == 0x68) {
		entry->slot = 0;
		entry->number = get32(bytes + at + 1);
		return true;
	}
	return false;
}

/* push link_map(%rip) */
static bool is_header(const u8 *bytes, u32 size)
{
	return size >= 6 && bytes[0] == 0xff && bytes[1] == 0x35;
}

/* lld never says it, nor do others of a program without dynamic linker. */
static u32 size_of_entry(const GElf_Shdr *shdr)
{
	u64 size = shdr->sh_entsize ?: shdr->sh_addralign;

	return size == 8 ? 8 : 16;
}

static void add_entry(struct plt *plt, const struct entry *entry)
{
	if (lw_grow((void **)&plt->entries, &plt->room, plt->nr + 1, sizeof(*entry)))
		plt->error = -ENOMEM;
	else
		plt->entries[plt->nr++] = *entry;
}

static void read_x86_64(struct plt *plt, const Elf_Data *data, u64 addr, u32 size)
{
	for (u64 at = 0; data->d_size >= size && at <= data->d_size - size && !plt->error;
	     at += size) {
		struct entry entry = { .start = addr + at, .size = size };
		const u8 *bytes = (const u8 *)data->d_buf + at;

		if (is_header(bytes, size))
			add_name(plt, &entry, ".plt");
		else if (decode(bytes, &entry))
			add_entry(plt, &entry);
	}
}

#define INSN_BYTES	4

/* adrp x16: the page of the slot, from that of the instruction */
static bool is_adrp(u32 insn, s64 *pages)
{
	*pages = ((s64)((u64)insn << 40) >> 45) * 4 + (insn >> 29 & 3);
	return (insn & 0x9f00001f) == 0x90000010;
}

/* ldr x17, [x16, #offset] */
static bool is_load(u32 insn, u32 *offset)
{
	*offset = (insn >> 10 & 0xfff) * 8;
	return (insn & 0xffc003ff) == 0xf9400211;
}

/* br x17, br x2, braa x17, x16, brab: none goes on behind it */
static bool is_jump(u32 insn)
{
	return insn == 0xd61f0220 || insn == 0xd61f0040 || (insn & 0xfffffbff) == 0xd71f0a30;
}

/*
 * Entries are as long as their linker has made them: from one jump to the next, but for what fills
 * them up. The first one saves x30. That of descriptors of thread-local variables has no slot.
 */
static void read_arm64(struct plt *plt, const Elf_Data *data, u64 addr, u32 size)
{
	struct entry entry = {};
	bool saves_x30 = false;
	u64 page = 0;

	(void)size;
	for (u64 at = 0; at + INSN_BYTES <= data->d_size && !plt->error; at += INSN_BYTES) {
		u32 offset, insn = get32((const u8 *)data->d_buf + at);
		s64 pages;

		if (!entry.start && (insn == 0xd503201f || insn == 0xd4207d00))
			continue;	/* nop, brk #1000 */
		if (!entry.start)
			entry.start = addr + at;
		saves_x30 |= insn == 0xa9bf7bf0;	/* stp x16, x30, [sp, #-16]! */
		if (is_adrp(insn, &pages))
			page = ((addr + at) & ~0xfffULL) + ((u64)pages << 12);
		if (is_load(insn, &offset))
			entry.slot = page + offset;
		if (!is_jump(insn))
			continue;
		entry.size = addr + at + INSN_BYTES - entry.start;
		if (saves_x30)
			add_name(plt, &entry, ".plt");
		else if (entry.slot)
			add_entry(plt, &entry);
		entry = (struct entry){};
		saves_x30 = false;
	}
}

#define S390X_ENTRY	32U		/* bytes, in what GNU ld and lld make */

/* The first one saves what the others hand to it; these begin with the address of their slot. */
static void read_s390x(struct plt *plt, const Elf_Data *data, u64 addr, u32 size)
{
	static const u8 stg[] = { 0xe3, 0x10, 0xf0, 0x38, 0x00, 0x24 };	/* stg %r1, 56(%r15) */

	(void)size;
	for (u64 at = 0; at + S390X_ENTRY <= data->d_size && !plt->error; at += S390X_ENTRY) {
		struct entry entry = { .start = addr + at, .size = S390X_ENTRY };
		const u8 *bytes = (const u8 *)data->d_buf + at;
		u32 halfwords;

		if (!memcmp(bytes, stg, sizeof(stg))) {
			add_name(plt, &entry, ".plt");
			continue;
		}
		if (bytes[0] != 0xc0 || bytes[1] != 0x10)	/* larl %r1, slot */
			continue;
		memcpy(&halfwords, bytes + 2, sizeof(halfwords));
		entry.slot = entry.start + (s64)(s32)be32toh(halfwords) * 2;
		add_entry(plt, &entry);
	}
}

static const struct machine machines[] = {
	{ EM_X86_64, ELFDATA2LSB, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE,
	  read_x86_64 },
	{ EM_AARCH64, ELFDATA2LSB, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE,
	  read_arm64 },
	{ EM_S390, ELFDATA2MSB, R_390_JMP_SLOT, R_390_GLOB_DAT, R_390_IRELATIVE, read_s390x },
};

static void read_section(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);

	if (data && data->d_buf)
		plt->machine->read_section(plt, data, shdr->sh_addr, size_of_entry(shdr));
}

static void read_sections(struct plt *plt)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (!plt->error && (scn = elf_nextscn(plt->file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS &&
		    (shdr.sh_flags & SHF_EXECINSTR) &&
		    (!strncmp(name_of_section(plt, &shdr), ".plt", 4) ||
		     !strcmp(name_of_section(plt, &shdr), ".iplt")))
			read_section(plt, scn, &shdr);
	}
}

static int by_slot(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->slot != right->slot)
		return left->slot < right->slot ? -1 : 1;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

static size_t first_not_before(const struct plt *plt, const struct entry *wanted)
{
	size_t low = 0, high = plt->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_slot(&plt->entries[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An IFUNC's implementation is chosen at start; its entry has the name of the resolver. */
static const char *name_of_chooser(const struct plt *plt, u64 addr)
{
	const struct lw_code_name *name = lw_code_names_find(plt->table, addr);

	return name && name->start == addr ? name->text : NULL;
}

static const char *name_of_relocation(const struct plt *plt, const Elf_Data *symbols,
				      size_t strings, const Elf64_Rela *rela)
{
	GElf_Sym sym;

	if (ELF64_R_TYPE(rela->r_info) == plt->machine->irelative)
		return name_of_chooser(plt, rela->r_addend);
	if (!symbols || !gelf_getsym((Elf_Data *)symbols, ELF64_R_SYM(rela->r_info), &sym))
		return NULL;
	return elf_strptr(plt->file->elf, strings, sym.st_name);
}

static void name_entry(struct plt *plt, struct entry *entry, const char *name)
{
	char *text;
	u64 offset;
	int len;

	entry->named = true;
	if (name && name[0])
		len = asprintf(&text, "%s@plt", name);
	else if (!lw_elf_addr_to_offset(plt->file, entry->start, &offset))
		len = asprintf(&text, "offset_%#llx@plt", offset);
	else
		return;
	if (len < 0) {
		plt->error = -ENOMEM;
		return;
	}
	add_name(plt, entry, text);
	free(text);
}

/* All that there are for one slot, or one number, by the first relocation of it. */
static void name_entries(struct plt *plt, const struct entry *wanted, const char *name)
{
	for (size_t i = first_not_before(plt, wanted); i < plt->nr && !plt->error; i++) {
		struct entry *entry = &plt->entries[i];

		if (entry->slot != wanted->slot || entry->number != wanted->number ||
		    entry->named)
			break;
		name_entry(plt, entry, name);
	}
}

static bool fills_slots(const struct machine *machine, const Elf64_Rela *rela)
{
	u32 type = ELF64_R_TYPE(rela->r_info);

	return type == machine->jump_slot || type == machine->glob_dat ||
	       type == machine->irelative;
}

static void read_relocations(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	const bool is_plts = !strcmp(name_of_section(plt, shdr), ".rela.plt");
	Elf_Scn *linked = shdr->sh_link ? elf_getscn(plt->file->elf, shdr->sh_link) : NULL;
	const Elf_Data *data = elf_getdata(scn, NULL), *symbols = NULL;
	const Elf64_Rela *rela;
	GElf_Shdr table = {};

	if (!data || !data->d_buf || data->d_type != ELF_T_RELA)
		return;
	if (linked && gelf_getshdr(linked, &table) && table.sh_type == SHT_DYNSYM)
		symbols = elf_getdata(linked, NULL);
	rela = data->d_buf;
	for (size_t i = 0; i < data->d_size / sizeof(*rela) && !plt->error; i++) {
		struct entry slot = { .slot = rela[i].r_offset };
		struct entry number = { .number = i };
		const char *name;

		if (!fills_slots(plt->machine, &rela[i]) || !slot.slot)
			continue;
		name = name_of_relocation(plt, symbols, table.sh_link, &rela[i]);
		name_entries(plt, &slot, name);
		if (is_plts)
			name_entries(plt, &number, name);
	}
}

/* Return: NULL: it is none that is known. */
static const struct machine *machine_of(const struct lw_elf *file)
{
	GElf_Ehdr ehdr;

	if (gelf_getclass(file->elf) != ELFCLASS64 || !gelf_getehdr(file->elf, &ehdr))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (ehdr.e_machine == machines[i].elf && ehdr.e_ident[EI_DATA] == machines[i].order)
			return &machines[i];
	}
	return NULL;
}

/**
 * lw_plt_names_add - name the entries of a file's PLTs
 * @table: sorted, the file's; is unsorted then
 * @file: open; of other machines than x86-64, arm64 and s390x nothing is named
 *
 * The file may be hostile: the sizes of its sections are checked, and the table's limit
 * holds for these names, too.
 *
 * Return: 0, or -ENOMEM or -E2BIG with some of the names.
 */
int lw_plt_names_add(struct lw_code_names *table, const struct lw_elf *file)
{
	struct plt plt = {
		.machine = machine_of(file), .table = table,
		.found.most_text = table->most_text, .file = file,
	};
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!plt.machine || elf_getshdrstrndx(file->elf, &plt.section_names))
		return 0;
	read_sections(&plt);
	if (plt.nr)
		qsort(plt.entries, plt.nr, sizeof(*plt.entries), by_slot);
	while (plt.nr && !plt.error && (scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			read_relocations(&plt, scn, &shdr);
	}
	for (size_t i = 0; i < plt.found.nr; i++) {
		int ret = lw_code_names_add(table, &plt.found.names[i]);

		plt.error = plt.error ?: ret;
		if (ret)
			break;
	}
	lw_code_names_free(&plt.found);
	free(plt.entries);
	return plt.error;
}
