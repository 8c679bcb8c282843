/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output.h - files that a command makes.
 */
#ifndef LW_OUTPUT_H
#define LW_OUTPUT_H

#include "base/util.h"

struct lw_output {
	char *path;
	char *temp;		/* what it is called so far; NULL: it has its name */
	bool keep_old;
	bool kept_old;		/* there was one, now PATH.old */
};

int lw_output_open(struct lw_output *out, const char *path, bool keep_old);
int lw_output_publish(struct lw_output *out);
void lw_output_remove(struct lw_output *out);
void lw_output_close(struct lw_output *out);
void lw_remove_regular(const char *path);

#endif /* LW_OUTPUT_H */
