// SPDX-License-Identifier: GPL-2.0
/*
 * flame_json.c - a profile as the tree that d3-flame-graph draws.
 *
 * A node has "name", "value" (with that of its children), "children", "libtype" where
 * it is a kernel's, an inlined or a JIT's function, and "delta" where there is a profile to compare
 * with: how much larger the value is than it was, if both had the same sum.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "export/flame_json.h"
#include "export/stack_tree.h"
#include "report/report_tree_json.h"

#define KIND_KERNEL	1U
#define KIND_INLINED	2U
#define KIND_JIT	4U

struct flame {
	struct lw_stack_tree now, before;
	const struct lw_flame_options *options;
	bool compares;
	u32 *partners;			/* of nodes of now: those of before, or NONE */
	struct lw_index index;		/* of nodes of before, by parent and name */
	struct lw_strbuf names[2];	/* scratch */
};

/* A node of one of the trees, looked for in that of before. */
struct key {
	struct flame *flame;
	u32 parent;			/* of before */
	const char *name;
	size_t len;
	u32 kind;
};

/* As perf calls the dso of what a JIT's map names. */
static bool is_jit(const char *dso)
{
	return !strncmp(dso, "/tmp/perf-", 10) || !strncmp(dso, "[JIT]", 5);
}

static u32 kind_of(const struct lw_stack_tree *stacks, const struct lw_tree_node *node)
{
	const struct lw_profile_frame *frame;

	if (!node->parent)
		return 0;
	frame = lw_profile_frame(stacks->profile, node->what);
	return (frame->kind == LW_FRAME_KERNEL ? KIND_KERNEL : 0) |
	       (frame->inlined ? KIND_INLINED : 0) |
	       (is_jit(lw_profile_string(stacks->profile, frame->dso)) ? KIND_JIT : 0);
}

static struct key key_of(struct flame *flame, const struct lw_stack_tree *stacks, u32 number,
			 u32 parent, struct lw_strbuf *name)
{
	struct key key = {
		.flame = flame, .parent = parent,
		.kind = kind_of(stacks, lw_tree_node(&stacks->tree, number)),
	};

	name->len = 0;
	lw_stack_tree_name(stacks, number, name);
	key.name = name->text;
	key.len = name->len;
	return key;
}

static u64 hash_of(const struct key *key)
{
	u64 hash = lw_hash_bytes(key->parent, &key->kind, sizeof(key->kind));

	return lw_hash_bytes(hash, key->name, key->len);
}

static bool same_node(const void *owner, u32 number, const void *wanted)
{
	const struct lw_stack_tree *before = owner;
	const struct key *key = wanted;
	const struct lw_tree_node *node = lw_tree_node(&before->tree, number);
	struct key there;

	if (node->parent != key->parent)
		return false;
	there = key_of(key->flame, before, number, node->parent, &key->flame->names[1]);
	return there.kind == key->kind && there.len == key->len &&
	       !memcmp(there.name, key->name, key->len);
}

static int index_before(struct flame *flame)
{
	for (size_t i = 1; i < flame->before.tree.nodes.nr; i++) {
		u32 parent = lw_tree_node(&flame->before.tree, i)->parent;
		struct key key = key_of(flame, &flame->before, i, parent, &flame->names[0]);

		if (flame->names[0].failed || lw_index_reserve(&flame->index))
			return -ENOMEM;
		lw_index_add(&flame->index, hash_of(&key), i);
	}
	return 0;
}

/* Parents have lower numbers than their children: theirs are known. */
static int find_partners(struct flame *flame)
{
	size_t nr = flame->now.tree.nodes.nr;

	flame->partners = reallocarray(NULL, nr, sizeof(*flame->partners));
	if (!flame->partners || index_before(flame))
		return -ENOMEM;
	flame->partners[0] = 0;
	for (size_t i = 1; i < nr; i++) {
		u32 parent = flame->partners[lw_tree_node(&flame->now.tree, i)->parent];
		struct key key;

		flame->partners[i] = LW_INDEX_NONE;
		if (parent == LW_INDEX_NONE)
			continue;
		key = key_of(flame, &flame->now, i, parent, &flame->names[0]);
		if (flame->names[0].failed)
			return -ENOMEM;
		flame->partners[i] = lw_index_find(&flame->index, hash_of(&key), same_node,
						   &flame->before, &key);
	}
	return flame->names[1].failed ? -ENOMEM : 0;
}

static u64 total_of(const struct lw_stack_tree *stacks, u32 node)
{
	return lw_tree_node(&stacks->tree, node)->total;
}

static bool is_wide(const struct lw_tree *tree, u32 node, const void *arg)
{
	u64 total = lw_tree_node(tree, node)->total;
	const struct flame *flame = arg;

	return total && 100.0 * total >= flame->options->percent_limit * total_of(&flame->now, 0);
}

static void add_delta(struct lw_json *json, const struct flame *flame, u32 number, u64 value)
{
	double was = 0, whole = total_of(&flame->before, 0);

	if (flame->partners[number] != LW_INDEX_NONE && whole)
		was = total_of(&flame->before, flame->partners[number]) / whole *
		      total_of(&flame->now, 0);
	lw_json_double(json, "delta", value - was, 0);
}

static void add_name(struct lw_json *json, const struct flame *flame, u32 number)
{
	struct lw_strbuf name = { 0 };

	if (!number) {
		lw_json_str(json, "name", "all");
		return;
	}
	lw_stack_tree_name(&flame->now, number, &name);
	lw_json_bytes(json, "name", name.text ? name.text : "", name.len);
	json->out->failed |= name.failed;
	lw_strbuf_free(&name);
}

static void add_fields(struct lw_json *json, const struct lw_tree *tree, u32 number,
		       const void *arg)
{
	const struct lw_tree_node *node = lw_tree_node(tree, number);
	const struct flame *flame = arg;
	u32 kind = number ? kind_of(&flame->now, node) : 0;

	add_name(json, flame, number);
	lw_json_u64(json, "value", node->total);
	if (kind)
		lw_json_str(json, "libtype", kind & KIND_KERNEL ? "kernel" :
			    kind & KIND_INLINED ? "inlined" : "jit");
	if (flame->compares)
		add_delta(json, flame, number, node->total);
}

static int compare(struct flame *flame, const struct lw_profile *before)
{
	int ret = lw_stack_tree_make(&flame->before, before, &flame->options->export);

	if (ret)
		return ret;
	flame->compares = true;
	return find_partners(flame) ? lw_fail(-ENOMEM, "out of memory for the profile before") : 0;
}

static void free_comparison(struct flame *flame)
{
	if (flame->compares)
		lw_stack_tree_free(&flame->before);
	lw_index_free(&flame->index);
	free(flame->partners);
	lw_strbuf_free(&flame->names[0]);
	lw_strbuf_free(&flame->names[1]);
}

/**
 * lw_flame_json - write a profile as d3-flame-graph takes it
 * @profile: the profile
 * @before: what it is compared with, or NULL
 * @options: what of both
 * @json: where it is added
 * @name: of the member that it becomes
 *
 * Return: 0, or -ENOMEM with lw_fail_text().
 */
int lw_flame_json(const struct lw_profile *profile, const struct lw_profile *before,
		  const struct lw_flame_options *options, struct lw_json *json,
		  const char *name)
{
	struct flame flame = { .options = options };
	struct lw_tree_writer writer = {
		.wanted = is_wide, .fields = add_fields, .arg = &flame,
	};
	int ret = lw_stack_tree_make(&flame.now, profile, &options->export);

	if (ret)
		return ret;
	if (before)
		ret = compare(&flame, before);
	if (!ret)
		lw_tree_json(&flame.now.tree, 0, &writer, json, name);
	if (!ret && json->out->failed)
		ret = lw_fail(-ENOMEM, "out of memory for a flame graph");
	free_comparison(&flame);
	lw_stack_tree_free(&flame.now);
	return ret;
}
