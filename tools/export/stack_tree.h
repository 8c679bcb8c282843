/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_tree.h - the stacks of a profile as one tree, each comm's below its name.
 */
#ifndef LW_STACK_TREE_H
#define LW_STACK_TREE_H

#include "export/export.h"
#include "profile/tree.h"

/*
 * Children of the root stand for comms, strings of the profile; those below for
 * frames, which differ in function, kind, being inlined, and in the dso where there is
 * no function.
 */
struct lw_stack_tree {
	const struct lw_profile *profile;
	struct lw_tree tree;
};

int lw_stack_tree_make(struct lw_stack_tree *stacks, const struct lw_profile *profile,
		       const struct lw_export_options *options);
void lw_stack_tree_free(struct lw_stack_tree *stacks);
void lw_stack_tree_name(const struct lw_stack_tree *stacks, u32 node, struct lw_strbuf *out);

#endif /* LW_STACK_TREE_H */
