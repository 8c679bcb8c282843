/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sections.h - which table covers this address of current.
 */
#ifndef LW_SECTIONS_H
#define LW_SECTIONS_H

#include <linux/err.h>
#include <linux/types.h>

#include "sframe.h"

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
 * @start: first address
 * @end: first address behind it
 * @has_sframe: @sframe covers it
 * @sframe: the section of its file
 * @source: where @sframe reads
 */
struct lw_mapping {
	u64	start;
	u64	end;
	bool	has_sframe;
	struct lw_sframe sframe;
	struct lw_user_source source;
};

struct lw_mappings;

struct lw_mappings *lw_mappings_alloc(void);
void lw_mappings_free(struct lw_mappings *mappings);
const struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc);

#endif /* LW_SECTIONS_H */
