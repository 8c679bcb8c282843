// SPDX-License-Identifier: GPL-2.0
/*
 * gen_cfi.c - CIEs and FDEs: which code, and which instructions.
 *
 * elfutils tells one entry from the next and reads CIEs; where an FDE's code is
 * has to be read here.  Each entry is looked at once, in the order of the
 * section, and an FDE must name a CIE before it: time is linear in the bytes, and
 * memory has a limit besides.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_parts.h"

/* Limits; augmentations and initial instructions of compilers have a few bytes. */
#define MAX_AUGMENTATION	16
#define MAX_CIE_PROGRAM		4096

/**
 * gen_fixed - read a number of fixed size
 * @reader: bytes
 * @size: 1, 2, 4 or 8
 *
 * Return: it.
 */
u64 gen_fixed(struct gen_reader *reader, unsigned int size)
{
	u64 value = 0;

	if ((size_t)(reader->end - reader->pos) < size) {
		reader->bad = true;
		return 0;
	}
	for (unsigned int i = 0; i < size; i++)
		value |= (u64)reader->pos[i] << 8 * (reader->big ? size - 1 - i : i);
	reader->pos += size;
	return value;
}

/**
 * gen_uleb - read an unsigned LEB128
 * @reader: bytes
 *
 * Return: it; one that has more than 64 bits makes @reader bad.
 */
u64 gen_uleb(struct gen_reader *reader)
{
	unsigned int shift = 0;
	u64 value = 0;
	u8 byte;

	do {
		byte = gen_u8(reader);
		if (shift > 63 || (shift == 63 && (byte & 0x7e)))
			reader->bad = true;
		else
			value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !reader->bad);
	return value;
}

/**
 * gen_sleb - read a signed LEB128
 * @reader: bytes
 *
 * Return: it; one that has more than 64 bits makes @reader bad.
 */
s64 gen_sleb(struct gen_reader *reader)
{
	unsigned int shift = 0;
	u64 value = 0;
	u8 byte;

	do {
		byte = gen_u8(reader);
		if (shift > 63)
			reader->bad = true;
		else
			value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !reader->bad);
	if (shift < 64 && (byte & 0x40))
		value |= ~0ULL << shift;
	return value;
}

/* The number, without what it is relative to.  Return: false if not known. */
static bool pointer_value(struct gen_reader *reader, u8 format, u64 *value)
{
	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
	case DW_EH_PE_signed:
		*value = gen_fixed(reader, 8);
		return true;
	case DW_EH_PE_udata4:
		*value = gen_fixed(reader, 4);
		return true;
	case DW_EH_PE_sdata4:
		*value = (s64)(s32)gen_fixed(reader, 4);
		return true;
	case DW_EH_PE_udata2:
		*value = gen_fixed(reader, 2);
		return true;
	case DW_EH_PE_sdata2:
		*value = (s64)(__s16)gen_fixed(reader, 2);
		return true;
	case DW_EH_PE_uleb128:
		*value = gen_uleb(reader);
		return true;
	case DW_EH_PE_sleb128:
		*value = gen_sleb(reader);
		return true;
	}
	return false;
}

/**
 * gen_pointer - read an encoded address
 * @reader: bytes of @section
 * @section: they are in
 * @encoding: DW_EH_PE_*
 * @value: out
 *
 * Return: false if the encoding is not known, or asks for memory.
 */
bool gen_pointer(struct gen_reader *reader, const struct gen_section *section, u8 encoding,
		 u64 *value)
{
	u64 here = section->addr + (reader->pos - (const u8 *)section->data->d_buf);

	if (!pointer_value(reader, encoding & 0xf, value))
		return false;
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return true;
	case DW_EH_PE_pcrel:
		*value += here;
		return true;
	}
	return false;
}

/* The letters behind 'z' and what they have in the data. */
static bool read_letters(const struct gen_machine *machine, struct gen_cie *cie,
			 const char *letter, struct gen_reader data,
			 const struct gen_section *section)
{
	bool aarch64 = machine == &gen_aarch64;
	u64 personality;
	u8 encoding;

	for (; *letter; letter++) {
		switch (*letter) {
		case 'R':
			cie->pointer = gen_u8(&data);
			break;
		case 'L':
			gen_u8(&data);
			break;
		case 'P':
			/* where it is does not matter, only how long */
			encoding = gen_u8(&data) & 0xf;
			if (!gen_pointer(&data, section, encoding, &personality))
				return false;
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B':
			if (!aarch64)
				return false;
			cie->key_b = true;
			break;
		/* memory of the frame has tags */
		case 'G':
			if (!aarch64)
				return false;
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

static bool read_augmentation(const struct gen_machine *machine, struct gen_cie *cie,
			      const Dwarf_CIE *entry, const struct gen_section *section)
{
	struct gen_reader data = {
		.pos = entry->augmentation_data,
		.end = entry->augmentation_data + entry->augmentation_data_size,
		.big = machine->big,
	};

	cie->pointer = DW_EH_PE_absptr;
	cie->skip = entry->fde_augmentation_data_size;
	if (!entry->augmentation[0])
		return true;
	if (entry->augmentation[0] != 'z' ||
	    strnlen(entry->augmentation, MAX_AUGMENTATION) == MAX_AUGMENTATION)
		return false;
	cie->sized = true;
	if (!entry->augmentation_data)
		data.end = data.pos;
	return read_letters(machine, cie, entry->augmentation + 1, data, section);
}

static int add_cie(struct gen_cfi *cfi, const struct gen_section *section, Dwarf_Off offset,
		   const Dwarf_CIE *entry)
{
	struct gen_reader program = {
		.pos = entry->initial_instructions, .end = entry->initial_instructions_end,
		.big = cfi->rows.machine->big,
	};
	struct gen_cie *cie;

	/* its functions are those of one that is not there */
	if (cfi->nr_cies == GEN_MAX_CIES)
		return 0;
	if (lw_grow((void **)&cfi->cies, &cfi->cie_room, cfi->nr_cies + 1, sizeof(*cie)))
		return -ENOMEM;
	cie = &cfi->cies[cfi->nr_cies++];
	*cie = (struct gen_cie){
		.offset = offset,
		.code_align = entry->code_alignment_factor,
		.data_align = entry->data_alignment_factor,
		.hole = LW_GEN_NUM_HOLES,
	};
	if (!read_augmentation(cfi->rows.machine, cie, entry, section) ||
	    program.end - program.pos > MAX_CIE_PROGRAM)
		cie->hole = LW_GEN_HOLE_UNKNOWN;
	else if (entry->return_address_register != cfi->rows.machine->ra)
		cie->hole = LW_GEN_HOLE_RA;
	else
		gen_initial_state(&cfi->rows, cie, program, section);
	return 0;
}

/* CIEs of a section are sorted by offset, and most FDEs refer to the last one. */
static const struct gen_cie *find_cie(const struct gen_cfi *cfi, const struct gen_section *section,
				      Dwarf_Off offset)
{
	size_t low = section->first_cie, high = cfi->nr_cies, middle;

	if (low < high && cfi->cies[high - 1].offset == offset)
		return &cfi->cies[high - 1];
	while (low < high) {
		middle = low + (high - low) / 2;
		if (cfi->cies[middle].offset == offset)
			return &cfi->cies[middle];
		if (cfi->cies[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Read an FDE up to its instructions.  Return: false if the FDE is broken. */
static bool read_fde(struct gen_fde *fde, const struct gen_cie *cie,
		     const struct gen_section *section)
{
	struct gen_reader *reader = &fde->program;
	u64 skip;

	if (!gen_pointer(reader, section, cie->pointer, &fde->start) ||
	    !pointer_value(reader, cie->pointer & 0xf, &fde->size))
		return false;
	/* a size is never negative, whatever the encoding says of addresses */
	if ((cie->pointer & 0xf) == DW_EH_PE_sdata4)
		fde->size = (u32)fde->size;
	skip = cie->sized ? gen_uleb(reader) : cie->skip;
	if (reader->bad || skip > (u64)(reader->end - reader->pos))
		return false;
	reader->pos += skip;
	return fde->start + fde->size >= fde->start;
}

static int add_fde(struct gen_cfi *cfi, unsigned int section, const Dwarf_FDE *entry,
		   struct lw_gen_counts *counts)
{
	const struct gen_cie *cie = find_cie(cfi, &cfi->sections[section], entry->CIE_pointer);
	struct gen_fde fde = {
		.program = {
			.pos = entry->start, .end = entry->end, .big = cfi->rows.machine->big,
		},
		.section = section,
		.late = section > 0,
	};

	counts->functions++;
	if (!cie || !read_fde(&fde, cie, &cfi->sections[section])) {
		counts->holes[cie && cie->hole == LW_GEN_HOLE_UNKNOWN ? LW_GEN_HOLE_UNKNOWN :
			      LW_GEN_HOLE_BROKEN]++;
		return 0;
	}
	if (!fde.size)
		return 0;
	if (cfi->nr_fdes == GEN_MAX_FDES) {
		counts->holes[LW_GEN_HOLE_RANGE]++;
		return 0;
	}
	fde.cie = cie - cfi->cies;
	if (lw_grow((void **)&cfi->fdes, &cfi->fde_room, cfi->nr_fdes + 1, sizeof(fde)))
		return -ENOMEM;
	cfi->fdes[cfi->nr_fdes++] = fde;
	return 0;
}

/*
 * Where elfutils sees an end.  crt files put one where they are linked, which
 * need not be last.
 * Return: where to go on, or the end.
 */
static Dwarf_Off pass_end(const struct gen_section *section, Dwarf_Off offset)
{
	const u8 *bytes = section->data->d_buf;
	u32 length;

	if (section->ends_at_zero || section->data->d_size - offset < sizeof(length))
		return section->data->d_size;
	memcpy(&length, bytes + offset, sizeof(length));
	return length ? section->data->d_size : offset + sizeof(length);
}

static int read_section(struct gen_cfi *cfi, unsigned int idx, const unsigned char *ident,
			struct lw_gen_counts *counts)
{
	struct gen_section *section = &cfi->sections[idx];
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	int ret;

	section->first_cie = cfi->nr_cies;
	counts->cfi_size += section->data->d_size;
	while (offset < section->data->d_size) {
		next = offset;
		ret = dwarf_next_cfi(ident, section->data, section->eh_frame, offset, &next,
				     &entry);
		if (ret > 0) {
			offset = pass_end(section, offset);
			continue;
		}
		if (ret < 0)
			counts->holes[LW_GEN_HOLE_BROKEN]++;
		else if (dwarf_cfi_cie_p(&entry))
			ret = add_cie(cfi, section, offset, &entry.cie);
		else
			ret = add_fde(cfi, idx, &entry.fde, counts);
		if (ret == -ENOMEM)
			return ret;
		if (next <= offset)
			break;
		offset = next;
	}
	return 0;
}

/**
 * gen_cfi_read - read all entries
 * @cfi: with its sections
 * @ident: e_ident of the file
 * @counts: added to
 *
 * Return: 0 or -ENOMEM.
 */
int gen_cfi_read(struct gen_cfi *cfi, const unsigned char *ident, struct lw_gen_counts *counts)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < cfi->nr_sections; i++)
		ret = read_section(cfi, i, ident, counts);
	return ret;
}

static int fde_order(const void *a, const void *b)
{
	const struct gen_fde *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->late != right->late)
		return left->late - right->late;
	/* as in the section, as a sort need not be stable */
	return (left->program.pos > right->program.pos) - (left->program.pos < right->program.pos);
}

static bool is_sorted(const struct gen_cfi *cfi)
{
	for (size_t i = 1; i < cfi->nr_fdes; i++) {
		if (fde_order(&cfi->fdes[i - 1], &cfi->fdes[i]) > 0)
			return false;
	}
	return true;
}

/* Code that only the one that gave way had.  Return: its bytes. */
static u64 only_in(u64 end, u64 end_of_other)
{
	return end > end_of_other ? end - end_of_other : 0;
}

/*
 * Sorted ones, @before and one that begins in it.  Of equals the latter has what
 * is in both, as to the unwinder of libgcc, which looks for the last start.
 * Return: does it remain?
 */
static bool give_way(struct gen_fde *before, const struct gen_fde *fde,
		     struct lw_gen_counts *counts)
{
	u64 end = fde->start + fde->size, before_end = before->start + before->size, lost;
	bool stays = fde->start > before->start && before->late >= fde->late;

	if (stays) {
		before->size = fde->start - before->start;
		lost = only_in(before_end, end);
	} else {
		lost = only_in(end, before_end);
	}
	/* the same in .debug_frame is no loss */
	if (!lost && fde->late != before->late)
		return stays;
	counts->holes[LW_GEN_HOLE_OVERLAP]++;
	counts->hole_bytes[LW_GEN_HOLE_OVERLAP] += lost;
	return stays;
}

/**
 * gen_cfi_settle - sort functions, and let none lie on top of another
 * @cfi: read
 * @counts: added to
 */
void gen_cfi_settle(struct gen_cfi *cfi, struct lw_gen_counts *counts)
{
	size_t kept = 0;

	if (!is_sorted(cfi))
		qsort(cfi->fdes, cfi->nr_fdes, sizeof(*cfi->fdes), fde_order);
	for (size_t i = 0; i < cfi->nr_fdes; i++) {
		struct gen_fde fde = cfi->fdes[i];
		struct gen_fde *before = kept ? &cfi->fdes[kept - 1] : NULL;

		if (before && fde.start - before->start < before->size &&
		    !give_way(before, &fde, counts))
			continue;
		cfi->fdes[kept++] = fde;
	}
	cfi->nr_fdes = kept;
}

/**
 * gen_cfi_insert - have a function that is not of call frame information among the others
 * @cfi: settled
 * @fde: the function; it is cut where the next one begins, and left out where one is
 *
 * Return: 0 or -ENOMEM.
 */
int gen_cfi_insert(struct gen_cfi *cfi, const struct gen_fde *fde)
{
	struct gen_fde new = *fde;
	size_t at = 0;

	while (at < cfi->nr_fdes && cfi->fdes[at].start <= new.start)
		at++;
	if (at && new.start - cfi->fdes[at - 1].start < cfi->fdes[at - 1].size)
		return 0;
	if (at < cfi->nr_fdes && cfi->fdes[at].start - new.start < new.size)
		new.size = cfi->fdes[at].start - new.start;
	if (lw_grow((void **)&cfi->fdes, &cfi->fde_room, cfi->nr_fdes + 1, sizeof(new)))
		return -ENOMEM;
	memmove(&cfi->fdes[at + 1], &cfi->fdes[at], (cfi->nr_fdes - at) * sizeof(new));
	cfi->fdes[at] = new;
	cfi->nr_fdes++;
	return 0;
}

/**
 * gen_cfi_merge - have functions that are not of call frame information among the others
 * @cfi: settled
 * @fdes: the functions, sorted; none overlaps another, or one of @cfi
 * @nr: how many
 *
 * Return: 0 or -ENOMEM.
 */
int gen_cfi_merge(struct gen_cfi *cfi, const struct gen_fde *fdes, size_t nr)
{
	size_t from = cfi->nr_fdes;

	if (lw_grow((void **)&cfi->fdes, &cfi->fde_room, from + nr, sizeof(*cfi->fdes)))
		return -ENOMEM;
	cfi->nr_fdes += nr;
	for (size_t to = cfi->nr_fdes; nr; ) {
		if (from && cfi->fdes[from - 1].start > fdes[nr - 1].start)
			cfi->fdes[--to] = cfi->fdes[--from];
		else
			cfi->fdes[--to] = fdes[--nr];
	}
	return 0;
}

/**
 * gen_cfi_free - free what was read
 * @cfi: read, or zeroed
 */
void gen_cfi_free(struct gen_cfi *cfi)
{
	free(cfi->cies);
	free(cfi->fdes);
	free(cfi->rows.runs);
}
