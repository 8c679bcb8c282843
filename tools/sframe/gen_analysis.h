/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_analysis.h - code of a file that no call frame information covers.
 */
#ifndef LW_SFRAME_GEN_ANALYSIS_H
#define LW_SFRAME_GEN_ANALYSIS_H

#include "sframe/gen_flow.h"

struct gen_analysis {
	struct gen_gap *gaps;
	size_t nr_gaps, gap_room;
	u8 *code;
	size_t size, room;	/* of @code */
	struct gen_flow *flow;	/* NULL: there is no code */
};

int gen_analyse(struct gen_analysis *analysis, const struct gen_input *input,
		const struct gen_cfi *cfi);
int gen_analysis_add(const struct gen_analysis *analysis, struct gen_cfi *cfi);
int gen_analysis_rows(const struct gen_analysis *analysis, const struct gen_fde *fde,
		      struct gen_rows *rows);
void gen_analysis_free(struct gen_analysis *analysis);

#endif /* LW_SFRAME_GEN_ANALYSIS_H */
