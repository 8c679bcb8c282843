// SPDX-License-Identifier: GPL-2.0
/*
 * export_folded.c - a line for each stack, as FlameGraph's scripts take it.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/stack_tree.h"

/* The way from a node to the root, and room for it. */
struct way {
	u32 *nodes;
	size_t nr, room;
};

/* Separators of the format are replaced in names. */
static void add_name(struct lw_strbuf *out, const struct lw_stack_tree *stacks, u32 node)
{
	size_t begin = out->len;

	lw_stack_tree_name(stacks, node, out);
	for (size_t i = begin; i < out->len; i++) {
		if (out->text[i] == ';')
			out->text[i] = ':';
	}
}

static void add_step(struct lw_strbuf *out, const struct lw_stack_tree *stacks, u32 number)
{
	const struct lw_tree_node *node = lw_tree_node(&stacks->tree, number);
	const struct lw_profile_frame *frame;

	add_name(out, stacks, number);
	if (!node->parent)
		return;
	frame = lw_profile_frame(stacks->profile, node->what);
	if (frame->kind == LW_FRAME_KERNEL)
		lw_strbuf_str(out, "_[k]");
	else if (frame->inlined)
		lw_strbuf_str(out, "_[i]");
}

static int find_way(struct way *way, const struct lw_tree *tree, u32 leaf)
{
	way->nr = 0;
	for (u32 at = leaf; at; at = lw_tree_node(tree, at)->parent) {
		if (lw_grow((void **)&way->nodes, &way->room, way->nr + 1, sizeof(u32)))
			return -ENOMEM;
		way->nodes[way->nr++] = at;
	}
	return 0;
}

static int add_line(struct lw_stream *stream, const struct lw_stack_tree *stacks, u32 leaf,
		    struct way *way)
{
	if (find_way(way, &stacks->tree, leaf))
		return lw_fail(-ENOMEM, "out of memory for a stack of the export");
	for (size_t i = way->nr; i-- > 0;) {
		add_step(&stream->out, stacks, way->nodes[i]);
		lw_strbuf_char(&stream->out, i ? ';' : ' ');
	}
	lw_strbuf_u64(&stream->out, lw_tree_node(&stacks->tree, leaf)->self);
	lw_strbuf_char(&stream->out, '\n');
	lw_stream_drain(stream);
	return 0;
}

/**
 * lw_export_folded - write a profile as lines "comm;root;...;leaf weight"
 * @profile: the profile
 * @options: what of it; stacks that weigh nothing are left out
 * @fd: where to
 *
 * A blank may be in a name; the weight is behind the last one. A ';' in a name becomes
 * ':', and a control character '?'. "_[k]" is behind names of kernel functions, "_[i]"
 * behind those that are inlined.
 *
 * Return: 0, or -errno with lw_fail_text().
 */
int lw_export_folded(const struct lw_profile *profile, const struct lw_export_options *options,
		     int fd)
{
	struct lw_stream stream = { .fd = fd };
	struct lw_stack_tree stacks;
	struct way way = { 0 };
	int ret = lw_stack_tree_make(&stacks, profile, options), end;

	if (ret)
		return ret;
	for (size_t i = 1; !ret && !stream.error && i < stacks.tree.nodes.nr; i++) {
		if (lw_tree_node(&stacks.tree, i)->self)
			ret = add_line(&stream, &stacks, i, &way);
	}
	end = lw_stream_end(&stream);
	free(way.nodes);
	lw_stack_tree_free(&stacks);
	return ret ? ret : end;
}
