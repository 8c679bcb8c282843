/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flame_page.h - a profile as a page with a flame graph.
 */
#ifndef LW_FLAME_PAGE_H
#define LW_FLAME_PAGE_H

#include "export/flame_json.h"

char *lw_flame_template(const char *path);
int lw_flame_page(FILE *file, const char *template, const char *title,
		  const struct lw_profile *profile, const struct lw_profile *before,
		  const struct lw_flame_options *options);

#endif /* LW_FLAME_PAGE_H */
