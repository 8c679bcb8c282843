/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_verbs.h - what the verbs of latewind-sframe share.
 */
#ifndef LW_SFRAME_VERBS_H
#define LW_SFRAME_VERBS_H

#include "sframe/sframe_file.h"
#include "sframe/sframe_text.h"

/*
 * Functions may share rows, as those of our tables do, and in a crafted file all
 * of them may share the longest list.
 */
#define LW_MAX_SHARING	16U	/* rows that are read, for each byte of the section */

/* Where the section comes from. */
enum lw_sframe_origin {
	LW_SFRAME_OF_FILE,
	LW_SFRAME_GENERATED,	/* of the call frame information of the file */
	LW_SFRAME_RAW,		/* the file is nothing else */
};

struct lw_sframe_options {
	const char *path;
	const char *output;
	enum lw_sframe_origin origin;
	bool check;			/* else dump, if it is one of both */
	bool json;
	bool verbose;
};

int lw_sframe_dump(struct lw_sframe_file *file, const struct lw_sframe_options *options);
int lw_sframe_check(struct lw_sframe_file *file, const struct lw_sframe_options *options);
int lw_sframe_check_failed(const struct lw_sframe_options *options);
int lw_sframe_gen_path(const char *path, struct lw_gen *gen);
int lw_sframe_gen(const struct lw_sframe_options *options);
void lw_sframe_header_json(struct lw_json *json, const struct lw_sframe_file *file,
			   const struct lw_sframe_options *options);
void lw_sframe_drain_json(struct lw_json *json);
int lw_sframe_end_json(struct lw_json *json);

#endif /* LW_SFRAME_VERBS_H */
