// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_symbols.c - names of the kernel's code, as /proc/kallsyms has them.
 *
 * Contexts: one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel_symbols.h"

/* A copy that was saved may be anybody's; kernels have some 200,000. */
#define MAX_NAMES	(1U << 22)

static u32 find_module(struct lw_kernel_symbols *kernel, const char *text)
{
	if (kernel->nr_modules && !strcmp(kernel->modules[kernel->nr_modules - 1], text))
		return kernel->nr_modules - 1;
	if (lw_grow((void **)&kernel->modules, &kernel->module_room, kernel->nr_modules + 1,
		    sizeof(*kernel->modules)))
		return 0;
	snprintf(kernel->modules[kernel->nr_modules], LW_MODULE_NAME, "%s", text);
	return kernel->nr_modules++;
}

/* Of the names between two wanted addresses the last can be one's. */
static bool is_wanted(const struct lw_wanted_ips *wanted, u64 start)
{
	size_t low = 0, high = wanted->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (wanted->ips[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == wanted->nr || start < wanted->nearest[low])
		return false;
	wanted->nearest[low] = start;
	return true;
}

/* "size began ended", as lw_kernel_modules_write() has them; others are left out */
static void take_made(struct lw_kernel_symbols *kernel, const struct lw_code_name *name,
		      char *module, const struct lw_kallsyms_line *line)
{
	struct lw_kernel_jit_symbol symbol = { .code = *name, .dso = module };
	char times[64] = "";

	if (line->rest_len < sizeof(times))
		memcpy(times, line->rest, line->rest_len);
	if (kernel->made &&
	    sscanf(times, "%llx %llx %llx", &symbol.code.size, &symbol.began, &symbol.ended) == 3)
		lw_kernel_jit_symbols_add(kernel->made, &symbol);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* The linker's marks are global and the function at one of them may be local. */
static bool is_mark(const char *name)
{
	return ends_with(name, "_text_start") || ends_with(name, "_text_end");
}

/* ThinLTO makes local functions global under a name with a hash that each build changes. */
static void cut_hash(char *name)
{
	char *hash = strstr(name, ".llvm.");

	if (hash)
		*hash = 0;
}

static void take_line(struct lw_kernel_symbols *kernel, const struct lw_kallsyms_line *line)
{
	char text[LW_KALLSYMS_NAME], module[LW_MODULE_NAME] = LW_KERNEL_DSO;
	struct lw_code_name name = { .start = line->start, .text = text };
	bool is_local = line->type == 't' || line->type == 'w';

	if (!line->start || !lw_kallsyms_is_code(line) ||
	    (kernel->wanted && !is_wanted(kernel->wanted, line->start)))
		return;
	lw_kallsyms_name(line, text);
	cut_hash(text);
	if (line->module)
		snprintf(module, sizeof(module), "%.*s", (int)line->module_len, line->module);
	if (line->rest_len) {
		take_made(kernel, &name, module, line);
		return;
	}
	/* of a system call's two names the other one is of 32-bit programs */
	name.rank = is_mark(text) * 8 + is_local * 4 + !strncmp(text, "__ia32_", 7) * 2 +
		    (text[0] == '_');
	name.module = find_module(kernel, module);
	lw_code_names_add(&kernel->names, &name);
}

static void take_text(struct lw_kernel_symbols *kernel, const char *text, size_t size)
{
	const char *end = text + size;
	struct lw_kallsyms_line line;

	while (kernel->names.nr < MAX_NAMES && lw_kallsyms_next(&line, &text, end))
		take_line(kernel, &line);
	lw_code_names_sort(&kernel->names);
}

static u64 address_of(const char *symbol, const char *text, size_t size)
{
	const char *end = text + size;
	struct lw_kallsyms_line line;

	while (lw_kallsyms_next(&line, &text, end)) {
		if (!line.module && lw_kallsyms_is(&line, symbol))
			return line.start;
	}
	return 0;
}

/**
 * lw_kernel_symbols_load - read the kernel's names
 * @kernel: gets them
 * @path: /proc/kallsyms or a copy
 * @symbol: a name whose address is asked for, or NULL
 *
 * Reading /proc/kallsyms takes long enough for a ring to fill.
 *
 * Return: the address of @symbol, or 0.
 */
u64 lw_kernel_symbols_load(struct lw_kernel_symbols *kernel, const char *path,
			   const char *symbol)
{
	size_t size = 0;
	char *text = lw_read_text(path, &size);
	u64 at = 0;

	if (!text)
		return 0;
	take_text(kernel, text, size);
	if (symbol)
		at = address_of(symbol, text, size);
	free(text);
	return at;
}

/**
 * lw_kernel_symbols_take_for - take the names that some addresses need
 * @kernel: gets them; others must not be looked up
 * @text: lines of /proc/kallsyms
 * @size: bytes of it
 * @ips: the addresses, in order
 * @nr: of them
 *
 * Without memory there are none.
 */
void lw_kernel_symbols_take_for(struct lw_kernel_symbols *kernel, const char *text, size_t size,
				const u64 *ips, size_t nr)
{
	struct lw_wanted_ips wanted = { .ips = ips, .nr = nr };

	wanted.nearest = calloc(nr + 1, sizeof(*wanted.nearest));
	if (!wanted.nearest)
		return;
	kernel->wanted = &wanted;
	take_text(kernel, text, size);
	kernel->wanted = NULL;
	free(wanted.nearest);
}

/**
 * lw_kernel_symbols_take - take names that were saved, as /proc/kallsyms has them
 * @kernel: gets them
 * @made: gets those of code that came or went, and is sorted then
 * @text: anybody's
 * @size: bytes of it
 */
void lw_kernel_symbols_take(struct lw_kernel_symbols *kernel, struct lw_kernel_jit_symbols *made,
			    const char *text, size_t size)
{
	kernel->made = made;
	if (size)
		take_text(kernel, text, size);
	kernel->made = NULL;
	lw_kernel_jit_symbols_sort(made);
}

/**
 * lw_kernel_symbols_find - name a kernel address
 * @kernel: loaded
 * @ip: address
 * @module: out: "[kernel.kallsyms]" or the name of a module in brackets
 *
 * Return: the name or NULL, when @module is unchanged.
 */
struct lw_code_name *lw_kernel_symbols_find(const struct lw_kernel_symbols *kernel, u64 ip,
					    const char **module)
{
	struct lw_code_name *name = lw_code_names_find(&kernel->names, ip);

	if (name)
		*module = kernel->modules[name->module];
	return name;
}

/**
 * lw_kernel_symbols_free - forget all
 * @kernel: is empty then
 */
void lw_kernel_symbols_free(struct lw_kernel_symbols *kernel)
{
	lw_code_names_free(&kernel->names);
	free(kernel->modules);
	memset(kernel, 0, sizeof(*kernel));
}
