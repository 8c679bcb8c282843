/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd_sframe.h - what the two parts of latewind sframe share.
 */
#ifndef LW_CMD_SFRAME_H
#define LW_CMD_SFRAME_H

#include "sframe_file.h"
#include "sframe_text.h"

/*
 * Functions may share rows, and in a crafted file all of them may share the
 * longest list.  No tool was seen to share any.
 */
#define LW_MAX_SHARING	16U	/* rows that are read, for each byte of rows */

struct lw_sframe_options {
	const char *path;
	bool json;
	bool verbose;
	bool help;
};

int lw_sframe_dump(struct lw_sframe_file *file, const struct lw_sframe_options *options);
int lw_sframe_check(struct lw_sframe_file *file, const struct lw_sframe_options *options);
int lw_sframe_check_failed(const struct lw_sframe_options *options);
void lw_sframe_header_json(const struct lw_sframe_file *file,
			   const struct lw_sframe_options *options);

#endif /* LW_CMD_SFRAME_H */
