// SPDX-License-Identifier: GPL-2.0
/*
 * plain.c - an SFrame look-up as one would write it who reads the format's
 * description and thinks of nothing else: copy a structure, look at it, go on.
 * With the checks that keep it inside of the section.  What module/sframe/sframe.c is
 * measured against.
 */
#include <string.h>

#include "plain.h"

#define MAGIC		0xdee2
#define FLAG_PCREL	0x4
#define FDE_MASK	0x10

struct header {
	uint16_t magic;
	uint8_t	version;
	uint8_t	flags;
	uint8_t	abi;
	int8_t	fixed_fp;
	int8_t	fixed_ra;
	uint8_t	auxhdr_len;
	uint32_t num_fdes;
	uint32_t num_fres;
	uint32_t fre_len;
	uint32_t fdeoff;
	uint32_t freoff;
};

struct fde {
	int32_t	start;
	uint32_t size;
	uint32_t fre_off;
	uint32_t num_fres;
	uint8_t	info;
	uint8_t	rep_size;
	uint16_t padding;
};

struct row {
	uint32_t start;
	uint8_t	info;
	unsigned int count;
	int32_t	words[15];
};

/**
 * plain_open() - read the header
 * @plain: filled on success
 * @addr: of the section
 * @size: its bytes
 *
 * Return: 0, or -1 if it is not an x86-64 section of version 2.
 */
int plain_open(struct plain *plain, const void *addr, size_t size)
{
	struct header header;
	size_t base, fde_end, fre_end;

	if (size < sizeof(header))
		return -1;
	memcpy(&header, addr, sizeof(header));
	if (header.magic != MAGIC || header.version != 2 || header.abi != 3)
		return -1;
	base = sizeof(header) + header.auxhdr_len;
	fde_end = base + header.fdeoff + header.num_fdes * sizeof(struct fde);
	fre_end = base + header.freoff + header.fre_len;
	if (fde_end > size || fre_end > size)
		return -1;

	plain->addr = addr;
	plain->size = size;
	plain->fdes = plain->addr + base + header.fdeoff;
	plain->num_fdes = header.num_fdes;
	plain->rows = plain->addr + base + header.freoff;
	plain->rows_end = plain->rows + header.fre_len;
	plain->pcrel = header.flags & FLAG_PCREL;
	plain->fixed_ra = header.fixed_ra;
	return 0;
}

static uintptr_t get_fde(const struct plain *plain, uint32_t idx,
			 struct fde *fde)
{
	const uint8_t *at = plain->fdes + idx * sizeof(*fde);

	memcpy(fde, at, sizeof(*fde));
	return (uintptr_t)(plain->pcrel ? at : plain->addr) + fde->start;
}

static int find_fde(const struct plain *plain, uintptr_t pc, struct fde *fde,
		    uint32_t *off)
{
	uint32_t lo = 0, hi = plain->num_fdes, mid;
	uintptr_t start;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		start = get_fde(plain, mid, fde);
		if (pc < start) {
			hi = mid;
		} else if (pc - start >= fde->size) {
			lo = mid + 1;
		} else {
			*off = pc - start;
			return 0;
		}
	}
	return -1;
}

static const uint8_t *get_start(const struct plain *plain, const uint8_t *at,
				unsigned int type, uint32_t *start)
{
	uint16_t half;

	switch (type) {
	case 0:
		if (plain->rows_end - at < 1)
			return NULL;
		*start = *at;
		return at + 1;
	case 1:
		if (plain->rows_end - at < 2)
			return NULL;
		memcpy(&half, at, sizeof(half));
		*start = half;
		return at + sizeof(half);
	case 2:
		if (plain->rows_end - at < 4)
			return NULL;
		memcpy(start, at, sizeof(*start));
		return at + sizeof(*start);
	default:
		return NULL;
	}
}

static const uint8_t *get_word(const struct plain *plain, const uint8_t *at,
			       unsigned int size_code, int32_t *word)
{
	int16_t half;

	switch (size_code) {
	case 0:
		if (plain->rows_end - at < 1)
			return NULL;
		*word = (int8_t)*at;
		return at + 1;
	case 1:
		if (plain->rows_end - at < 2)
			return NULL;
		memcpy(&half, at, sizeof(half));
		*word = half;
		return at + sizeof(half);
	case 2:
		if (plain->rows_end - at < 4)
			return NULL;
		memcpy(word, at, sizeof(*word));
		return at + sizeof(*word);
	default:
		return NULL;
	}
}

static const uint8_t *get_row(const struct plain *plain, const uint8_t *at,
			      const struct fde *fde, struct row *row)
{
	unsigned int i;

	at = get_start(plain, at, fde->info & 0xf, &row->start);
	if (!at || at == plain->rows_end)
		return NULL;
	row->info = *at++;
	row->count = (row->info >> 1) & 0xf;
	for (i = 0; i < row->count; i++) {
		at = get_word(plain, at, (row->info >> 5) & 3, &row->words[i]);
		if (!at)
			return NULL;
	}
	return at;
}

static int find_row(const struct plain *plain, const struct fde *fde,
		    uint32_t off, struct row *found)
{
	const uint8_t *at = plain->rows + fde->fre_off;
	struct row row;
	uint32_t i;

	if (at > plain->rows_end)
		return -1;
	for (i = 0; i < fde->num_fres; i++) {
		at = get_row(plain, at, fde, &row);
		if (!at)
			return -1;
		if (row.start > off)
			break;
		*found = row;
	}
	return i ? 0 : -1;
}

/**
 * plain_find() - the rule for one address
 * @plain: opened
 * @pc: address, inside of an instruction
 * @rule: filled on success
 *
 * Return: 0, or -1 if there is none.
 */
int plain_find(const struct plain *plain, uintptr_t pc, struct lw_rule *rule)
{
	struct fde fde;
	struct row row;
	uint32_t off;

	if (find_fde(plain, pc, &fde, &off))
		return -1;
	if (fde.info & FDE_MASK) {
		if (!fde.rep_size)
			return -1;
		off %= fde.rep_size;
	}
	if (find_row(plain, &fde, off, &row) || row.count > 2)
		return -1;

	memset(rule, 0, sizeof(*rule));
	if (!row.count) {
		rule->flags = LW_RULE_OUTERMOST;
		return 0;
	}
	rule->cfa.base = row.info & 1 ? LW_BASE_SP : LW_BASE_FP;
	rule->cfa.off = row.words[0];
	rule->ra.base = LW_BASE_CFA;
	rule->ra.off = plain->fixed_ra;
	rule->ra.deref = 1;
	if (row.count == 2) {
		rule->fp.base = LW_BASE_CFA;
		rule->fp.off = row.words[1];
		rule->fp.deref = 1;
	}
	return 0;
}
