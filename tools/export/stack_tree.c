// SPDX-License-Identifier: GPL-2.0
/*
 * stack_tree.c - the stacks of a profile as one tree, each comm's below its name.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/stack_tree.h"

static int add_entry(struct lw_stack_tree *stacks, const u32 *classes,
		     const struct lw_profile_entry *entry, u64 weight)
{
	const u32 *frames;
	u32 nr, *path;
	int ret;

	frames = lw_profile_stack(stacks->profile, entry->stack, &nr);
	path = reallocarray(NULL, (size_t)nr + 1, sizeof(*path));
	if (!path)
		return -ENOMEM;
	path[0] = entry->key.comm;
	for (u32 i = 0; i < nr; i++)
		path[i + 1] = classes[frames[nr - 1 - i]];
	ret = lw_tree_add(&stacks->tree, path, nr + 1, weight);
	free(path);
	return ret;
}

static int add_all(struct lw_stack_tree *stacks, const u32 *classes,
		   const struct lw_export_options *options)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < lw_profile_nr_entries(stacks->profile); i++) {
		const struct lw_profile_entry *entry = lw_profile_entry(stacks->profile, i);
		u64 weight = lw_export_weight(options, entry->samples, entry->weight);

		if (lw_filter_passes(&options->filter, stacks->profile, entry))
			ret = add_entry(stacks, classes, entry, weight);
	}
	return ret;
}

/**
 * lw_stack_tree_make - put the stacks of a profile together
 * @stacks: out
 * @profile: stays as it is as long as the tree is there
 * @options: what is taken of it
 *
 * Return: 0, or -ENOMEM with lw_fail_text(), when there is no tree.
 */
int lw_stack_tree_make(struct lw_stack_tree *stacks, const struct lw_profile *profile,
		       const struct lw_export_options *options)
{
	u32 *classes = lw_frame_classes(profile, LW_CLASS_INLINED | LW_CLASS_UNKNOWN_DSO);
	int ret = lw_tree_init(&stacks->tree);

	stacks->profile = profile;
	if (!classes)
		ret = -ENOMEM;
	if (!ret)
		ret = add_all(stacks, classes, options);
	if (!ret)
		ret = lw_tree_sort(&stacks->tree);
	free(classes);
	if (!ret)
		return 0;
	lw_stack_tree_free(stacks);
	return lw_fail(ret, "out of memory for the tree of all stacks\n"
		       "  A filter, as --comm or --pid, makes it smaller.");
}

/**
 * lw_stack_tree_free - free a tree
 * @stacks: made
 */
void lw_stack_tree_free(struct lw_stack_tree *stacks)
{
	lw_tree_free(&stacks->tree);
}

/* Code without names is told by its file, as FlameGraph's scripts do. */
static void add_frame(const struct lw_stack_tree *stacks, u32 number, struct lw_strbuf *out)
{
	const struct lw_profile_frame *frame = lw_profile_frame(stacks->profile, number);
	const char *dso = lw_short_name(lw_profile_string(stacks->profile, frame->dso));
	bool bare = lw_frame_is_unknown(stacks->profile, frame) && dso[0] && dso[0] != '[';

	if (!bare) {
		lw_strbuf_printable(out, lw_profile_string(stacks->profile, frame->function));
		return;
	}
	lw_strbuf_char(out, '[');
	lw_strbuf_printable(out, dso);
	lw_strbuf_char(out, ']');
}

/**
 * lw_stack_tree_name - what a node is called
 * @stacks: its tree
 * @node: not the root
 * @out: where the name is added: UTF-8, without control characters, not empty
 */
void lw_stack_tree_name(const struct lw_stack_tree *stacks, u32 node, struct lw_strbuf *out)
{
	const struct lw_tree_node *at = lw_tree_node(&stacks->tree, node);
	size_t begin = out->len;

	if (at->parent)
		add_frame(stacks, at->what, out);
	else
		lw_strbuf_printable(out, lw_profile_string(stacks->profile, at->what));
	if (out->len == begin)
		lw_strbuf_str(out, "[unknown]");
}
