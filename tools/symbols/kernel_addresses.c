// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_addresses.c - the kernel's code that was met, and its names.
 *
 * A recording meets some hundred of the kernel's 200,000 functions.  Their names, saved
 * with it, are what another machine needs, and what this one needs after its next boot.
 * Only an address that was met may be looked up in them: between two of these functions
 * there are others.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "symbols/kernel_symbols.h"
#include "symbols/kernel_addresses.h"

/* More than any kernel has functions; what is met behind that has no name saved. */
#define MAX_SEEN	(1U << 20)

struct lw_kernel_addresses {
	struct lw_index index;
	u64 *ips;
	size_t nr, room;
};

/**
 * lw_kernel_addresses_new - nothing was met
 *
 * Return: it, for lw_kernel_addresses_free(), or NULL.
 */
struct lw_kernel_addresses *lw_kernel_addresses_new(void)
{
	return calloc(1, sizeof(struct lw_kernel_addresses));
}

/**
 * lw_kernel_addresses_free - forget all
 * @seen: may be NULL
 */
void lw_kernel_addresses_free(struct lw_kernel_addresses *seen)
{
	if (!seen)
		return;
	lw_index_free(&seen->index);
	free(seen->ips);
	free(seen);
}

static bool is_same(const void *owner, u32 number, const void *key)
{
	return ((const struct lw_kernel_addresses *)owner)->ips[number] == *(const u64 *)key;
}

static int note(struct lw_kernel_addresses *seen, u64 ip)
{
	u64 hash = lw_hash_bytes(0, &ip, sizeof(ip));

	if (lw_index_find(&seen->index, hash, is_same, seen, &ip) != LW_INDEX_NONE ||
	    seen->nr == MAX_SEEN)
		return 0;
	if (lw_index_reserve(&seen->index) ||
	    lw_grow((void **)&seen->ips, &seen->room, seen->nr + 1, sizeof(ip)))
		return -ENOMEM;
	seen->ips[seen->nr] = ip;
	lw_index_add(&seen->index, hash, seen->nr++);
	return 0;
}

/**
 * lw_kernel_addresses_chain - note what a sample met
 * @seen: where
 * @ips: the kernel's part of its chain, the innermost first
 * @nr: of them
 *
 * All but the first are return addresses: the call is in front of them.
 *
 * Return: 0 or -ENOMEM.
 */
int lw_kernel_addresses_chain(struct lw_kernel_addresses *seen, const u64 *ips, u32 nr)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < nr; i++)
		ret = note(seen, ips[i] - !!i);
	return ret;
}

static int by_address(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Return: the name that is there, which is written if it is not @last; or NULL. */
static const struct lw_code_name *write_name(const struct lw_kernel_symbols *kernel, u64 ip,
					     const struct lw_code_name *last, FILE *to)
{
	const char *module;
	const struct lw_code_name *name = lw_kernel_symbols_find(kernel, ip, &module);

	if (!name || name == last)
		return name;
	fprintf(to, "%llx t %s", name->start, name->text);
	if (strcmp(module, LW_KERNEL_DSO))
		fprintf(to, "\t%s", module);
	putc('\n', to);
	return name;
}

static void write_names(const struct lw_kernel_symbols *kernel, const u64 *ips, size_t nr,
			FILE *to)
{
	const struct lw_code_name *last = NULL, *name;

	for (size_t i = 0; i < nr; i++) {
		name = write_name(kernel, ips[i], last, to);
		/* whoever reads it looks behind it, too: see lw_symbolize_caller() */
		if (name && name != last && lw_is_padding(name->text))
			name = write_name(kernel, ips[i] + 1, name, to) ?: name;
		if (name)
			last = name;
	}
}

/* Return: how many are left. */
static size_t leave_out(const struct lw_kernel_modules *modules, u64 *ips, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!lw_kernel_modules_have(modules, ips[i]))
			ips[kept++] = ips[i];
	}
	return kept;
}

/*
 * Code that is neither a module's nor the kernel's own was made at run time, perhaps since the
 * beginning of the recording.
 */
static bool all_are_kernels_own(const struct lw_kernel_modules *modules, const u64 *ips, size_t nr)
{
	const struct lw_kernel_range *range = lw_kernel_modules_range(modules);

	for (size_t i = 0; i < nr; i++) {
		if (!lw_kernel_range_has(range, ips[i]))
			return false;
	}
	return true;
}

/* With what is behind each address: it may be padding that this one is in. */
static void take_names(struct lw_kernel_symbols *kernel, const char *text, size_t size,
		       const u64 *ips, size_t nr)
{
	u64 *both = reallocarray(NULL, nr + 1, 2 * sizeof(*both));

	if (!both)
		return;
	/* in order, if twice where one is behind the other */
	for (size_t i = 0; i < nr; i++) {
		both[2 * i] = ips[i];
		both[2 * i + 1] = ips[i] + 1;
	}
	lw_kernel_symbols_take_for(kernel, text, size, both, 2 * nr);
	free(both);
}

static void load_names(struct lw_kernel_symbols *kernel, const char *path,
		       const struct lw_kernel_modules *modules, const u64 *ips, size_t nr)
{
	const char *own = NULL;
	size_t size = 0;
	char *text;

	if (modules && all_are_kernels_own(modules, ips, nr))
		own = lw_kernel_modules_own(modules, &size);
	if (own) {
		take_names(kernel, own, size, ips, nr);
		return;
	}
	text = lw_read_text(path, &size);
	if (text)
		take_names(kernel, text, size, ips, nr);
	free(text);
}

/**
 * lw_kernel_addresses_write - write the names of what was met
 * @seen: all of it
 * @path: /proc/kallsyms or a copy
 * @modules: that were there at any time; their lines come first, and are those of
 *	lw_kernel_modules_write().  NULL: as @path has them.  @path is read only for what
 *	is not known from the beginning
 * @to: gets lines as @path has them, by address; none where nothing has a name
 */
void lw_kernel_addresses_write(const struct lw_kernel_addresses *seen, const char *path,
			       const struct lw_kernel_modules *modules, FILE *to)
{
	struct lw_kernel_symbols kernel = { 0 };
	u64 *ips = reallocarray(NULL, seen->nr + 1, sizeof(*ips));
	size_t nr = seen->nr;

	if (!nr || !ips) {
		free(ips);
		return;
	}
	memcpy(ips, seen->ips, nr * sizeof(*ips));
	qsort(ips, nr, sizeof(*ips), by_address);
	if (modules) {
		lw_kernel_modules_write(modules, ips, nr, to);
		nr = leave_out(modules, ips, nr);
	}
	if (nr)
		load_names(&kernel, path, modules, ips, nr);
	write_names(&kernel, ips, nr, to);
	lw_kernel_symbols_free(&kernel);
	free(ips);
}
