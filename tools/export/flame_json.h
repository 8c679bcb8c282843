/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flame_json.h - a profile as the tree that d3-flame-graph draws.
 */
#ifndef LW_FLAME_JSON_H
#define LW_FLAME_JSON_H

#include "base/json.h"
#include "export/export.h"

struct lw_flame_options {
	struct lw_export_options export;
	double percent_limit;		/* least share of a node: a pixel is enough */
};

int lw_flame_json(const struct lw_profile *profile, const struct lw_profile *before,
		  const struct lw_flame_options *options, struct lw_json *json,
		  const char *name);

#endif /* LW_FLAME_JSON_H */
