/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sections.h - which table covers this address of current.
 */
#ifndef LW_SECTIONS_H
#define LW_SECTIONS_H

#include <linux/elf.h>
#include <linux/err.h>
#include <linux/types.h>

#include "sframe.h"
#include "tables.h"

struct lw_registered;

/**
 * struct lw_user_source - bytes of a section in the memory of current
 * @src: what the parser knows
 * @addr: of the section
 */
struct lw_user_source {
	struct lw_sframe_source src;
	u64	addr;
};

/**
 * struct lw_mapping - an executable mapping that a walk has met
 * @start: first address, of the mapping or of a part with the same @table
 * @end: first address behind it
 * @has_sframe: @sframe covers it
 * @sframe: the section of its file
 * @source: where @sframe reads
 * @table: that a session has for its file, with a reference; or NULL
 * @table_bias: what to take from an address to look it up in @table_sframe
 * @table_sframe: @table, opened for current
 * @registered: the section that was registered for it, with a reference, or NULL
 *
 * Where sections are registered in a mapping there is one of these for each, and for
 * what is in between.
 */
struct lw_mapping {
	u64	start;
	u64	end;
	bool	has_sframe;
	struct lw_sframe sframe;
	struct lw_user_source source;
	struct lw_file_table *table;
	u64	table_bias;
	struct lw_sframe table_sframe;
	struct lw_registered *registered;
};

/* Mappings kept per walk; a stack that crosses more looks some up again. */
#define LW_MAX_MAPPINGS	16
/* Program headers read at once. */
#define LW_PHDRS_AT_ONCE	16

/**
 * struct lw_mappings - what a walk knows
 * @nr: ever found; the last LW_MAX_MAPPINGS are kept
 * @last: where the last look-up was
 * @mapping: them
 * @phdrs: scratch
 */
struct lw_mappings {
	unsigned int	nr;
	unsigned int	last;
	struct lw_mapping mapping[LW_MAX_MAPPINGS];
	struct elf64_phdr phdrs[LW_PHDRS_AT_ONCE];
};

void lw_mappings_init(struct lw_mappings *mappings);
void lw_mappings_release(struct lw_mappings *mappings);
const struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc);

#endif /* LW_SECTIONS_H */
