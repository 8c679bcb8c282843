/* SPDX-License-Identifier: GPL-2.0 */
/*
 * saved_names.h - names of user code that a recording brings along.
 */
#ifndef LW_SAVED_NAMES_H
#define LW_SAVED_NAMES_H

#include <stdio.h>

#include "symbols/process_maps.h"
#include "symbols/symbolizer.h"

struct lw_saved_names;

/* No file, by lw_saved_names_file() */
#define LW_SAVED_NO_FILE	(~0U)

struct lw_saved_names *lw_saved_names_new(void);
int lw_saved_names_add(struct lw_saved_names *names, const struct lw_map *map, u64 ip,
		       const struct lw_place *places, u32 nr);
int lw_saved_names_add_made(struct lw_saved_names *names, const struct lw_user_address *address,
			    const struct lw_place *place);
int lw_saved_names_write(const struct lw_saved_names *names, FILE *to);
int lw_saved_names_parse(struct lw_saved_names *names, const char *text, size_t size);
u32 lw_saved_names_file(const struct lw_saved_names *names, const struct lw_map *map);
u32 lw_saved_names_find(struct lw_saved_names *names, u32 file, const struct lw_map *map, u64 ip,
			bool demangle, struct lw_place *places, u32 room);
bool lw_saved_names_find_made(struct lw_saved_names *names, const struct lw_user_address *address,
			      struct lw_place *place);
void lw_saved_names_free(struct lw_saved_names *names);

#endif /* LW_SAVED_NAMES_H */
