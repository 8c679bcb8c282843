// SPDX-License-Identifier: GPL-2.0
/* ours.c - frame pointers, the plain look-up, and module/sframe/sframe.c in its uses */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "../lib/rulecache_get.h"
#include "../../tools/sframe/sframe_reader.h"
#include "bench.h"
#include "plain.h"
#include "walk.h"

/* 2,048 return addresses in all chains, and four homes for each of them. */
#define CACHE_BITS 13

/* Buckets of the index, at most: one for each function. */
#define INDEX_ROOM BENCH_FUNCS

struct lw_sframe section;
static struct lw_sframe section_indexed, section_read;
static struct plain plain;
static struct lw_rule_cache cache = { .bits = CACHE_BITS };

/* By the frame pointer: each must be above the one before. */
static noinline unsigned int walk_fp(uintptr_t *ips, unsigned int max)
{
	struct start here = start_here();
	uintptr_t low = here.sp, fp = here.fp, ip;
	unsigned int nr = 0;

	ips[nr++] = here.ip;
	while (nr < max) {
		if (fp < low || !read_word(fp + 8, &ip) || !ip)
			break;
		ips[nr++] = ip;
		low = fp + 16;
		if (!read_word(fp, &fp))
			break;
	}
	return nr;
}

const struct subject subject_fp = { .name = "frame-pointer", .walk = walk_fp };

static void setup_plain(void)
{
	if (plain_open(&plain, program.sframe, program.sframe_size))
		die("plain: cannot open .sframe");
}

static int find_plain(uintptr_t pc, struct lw_rule *rule)
{
	return plain_find(&plain, pc, rule);
}

static noinline unsigned int walk_plain(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_plain);
}

const struct subject subject_plain = {
	.name = "plain",
	.setup = setup_plain,
	.walk = walk_plain,
	.find = find_plain,
};

static void open_section(struct lw_sframe *sf, const struct lw_sframe_source *src)
{
	struct lw_sframe_place place = {
		.addr = (uintptr_t)program.sframe,
		.text_start = program.text_start,
		.text_end = program.text_end,
		.entry = getauxval(AT_ENTRY),
	};
	int err = lw_sframe_open(sf, src, &place, LW_SFRAME_ABI_AMD64);

	if (err)
		die("latewind: cannot open .sframe: %d", err);
}

static void open_direct(struct lw_sframe *sf)
{
	static struct lw_sframe_source src;

	src.bytes = program.sframe;
	src.size = program.sframe_size;
	open_section(sf, &src);
}

static void setup_latewind(void)
{
	open_direct(&section);
}

static int find_latewind(uintptr_t pc, struct lw_rule *rule)
{
	return lw_sframe_find(&section, pc, rule);
}

static noinline unsigned int walk_latewind(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_latewind);
}

const struct subject subject_latewind = {
	.name = "latewind",
	.setup = setup_latewind,
	.walk = walk_latewind,
	.find = find_latewind,
};

static void setup_indexed(void)
{
	static __u32 first[INDEX_ROOM + 1];
	int err;

	open_direct(&section_indexed);
	err = lw_sframe_add_index(&section_indexed, first, INDEX_ROOM, NULL);
	if (err)
		die("latewind-indexed: %d", err);
}

static int find_indexed(uintptr_t pc, struct lw_rule *rule)
{
	return lw_sframe_find(&section_indexed, pc, rule);
}

static noinline unsigned int walk_indexed(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_indexed);
}

const struct subject subject_indexed = {
	.name = "latewind-indexed",
	.setup = setup_indexed,
	.walk = walk_indexed,
	.find = find_indexed,
};

static int read_section(const struct lw_sframe_source *src, void *dst,
			__u64 off, __u32 len)
{
	(void)src;
	memcpy(dst, (const char *)program.sframe + off, len);
	return 0;
}

static void setup_read(void)
{
	static struct lw_sframe_source src = { .read = read_section };

	src.size = program.sframe_size;
	open_section(&section_read, &src);
}

static int find_read(uintptr_t pc, struct lw_rule *rule)
{
	return lw_sframe_find(&section_read, pc, rule);
}

static noinline unsigned int walk_read(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_read);
}

const struct subject subject_read = {
	.name = "latewind-read",
	.setup = setup_read,
	.walk = walk_read,
	.find = find_read,
};

static size_t cache_size(void)
{
	return ((1U << CACHE_BITS) + LW_RULE_CACHE_WAYS - 1) *
	       sizeof(*cache.entries);
}

static void setup_cached(void)
{
	cache.entries = aligned_alloc(64, (cache_size() + 63) / 64 * 64);
	if (!cache.entries)
		die("latewind-cached: no memory");
	memset(cache.entries, 0, cache_size());
}

static void forget_cached(void)
{
	memset(cache.entries, 0, cache_size());
}

static __always_inline struct lw_rule_key key_of(uintptr_t pc)
{
	return (struct lw_rule_key){ .id = lw_rule_id(1 + (pc >> 32)), .at = (__u32)pc };
}

static noinline int find_and_keep(uintptr_t pc, struct lw_rule *rule)
{
	int err = find_latewind(pc, rule);

	if (!err)
		lw_rule_cache_put(&cache, key_of(pc), rule, 0);
	return err;
}

static __always_inline int find_cached(uintptr_t pc, struct lw_rule *rule)
{
	struct lw_rule found;
	int err;

	if (lw_rule_cache_get(&cache, key_of(pc), rule))
		return 0;
	/* into a variable of its own, so that *rule may live in registers */
	err = find_and_keep(pc, &found);
	*rule = found;
	return err;
}

static noinline unsigned int walk_cached(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_cached);
}

static int find_cached_call(uintptr_t pc, struct lw_rule *rule)
{
	return find_cached(pc, rule);
}

const struct subject subject_cached = {
	.name = "latewind-cached",
	.setup = setup_cached,
	.walk = walk_cached,
	.find = find_cached_call,
	.forget = forget_cached,
};
