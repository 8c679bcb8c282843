// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms.c - names of the kernel's code, as /proc/kallsyms has them.
 *
 * Contexts: one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/kallsyms.h"

/* A copy that was saved may be anybody's; kernels have some 200,000. */
#define MAX_NAMES	(1U << 22)
/* A read() of /proc/kallsyms gives a page at most. */
#define BUFFER_SIZE	4096

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
static void take_made(struct lw_kernel_symbols *kernel, struct lw_code_name *name, char *module,
		      const char *times)
{
	struct lw_kernel_jit_symbol symbol = { .code = *name, .dso = module };

	if (kernel->made &&
	    sscanf(times, "%llx %llx %llx", &symbol.code.size, &symbol.began, &symbol.ended) == 3)
		lw_kernel_jit_symbols_add(kernel->made, &symbol);
}

/* "addr type name" or "addr type name\t[module]", and what is saved behind that */
static void take_line(struct lw_kernel_symbols *kernel, char *line, const char *symbol,
		      u64 *symbol_at)
{
	struct lw_code_name name = { 0 };
	char *text, *module, *times, type;

	name.start = strtoull(line, &text, 16);
	if (!name.start || text[0] != ' ' || !text[1] || text[2] != ' ')
		return;
	type = text[1];
	text += 3;
	if (!strchr("tTwW", type) || (kernel->wanted && !is_wanted(kernel->wanted, name.start)))
		return;
	module = text + strcspn(text, "\t\n");
	if (*module == '\t')
		module[strcspn(module, "\n")] = 0;
	if (*module)
		*module++ = 0;
	if (symbol && !strcmp(text, symbol))
		*symbol_at = name.start;
	name.text = text;
	times = strchr(module, '\t');
	if (times) {
		*times++ = 0;
		take_made(kernel, &name, module, times);
		return;
	}
	/* of a system call's two names the other one is of 32-bit programs */
	name.rank = (type == 't' || type == 'w') * 4 + !strncmp(text, "__ia32_", 7) * 2 +
		    (text[0] == '_');
	name.module = find_module(kernel, *module ? module : LW_KERNEL_DSO);
	lw_code_names_add(&kernel->names, &name);
}

static u64 read_names(struct lw_kernel_symbols *kernel, FILE *file, const char *symbol)
{
	char *line = NULL, *buffer;
	size_t room = 0;
	u64 at = 0;

	if (!file)
		return 0;
	/* stdio itself goes by st_blksize, which is 1024 in /proc */
	buffer = malloc(BUFFER_SIZE);
	if (buffer)
		setvbuf(file, buffer, _IOFBF, BUFFER_SIZE);
	while (kernel->names.nr < MAX_NAMES && getline(&line, &room, file) > 0)
		take_line(kernel, line, symbol, &at);
	free(line);
	fclose(file);
	free(buffer);
	lw_code_names_sort(&kernel->names);
	return at;
}

/**
 * lw_kernel_symbols_load - read the kernel's names
 * @kernel: gets them
 * @path: /proc/kallsyms or a copy
 * @symbol: a name whose address is asked for, or NULL
 *
 * It takes long enough for a ring to fill.
 *
 * Return: the address of @symbol, or 0.
 */
u64 lw_kernel_symbols_load(struct lw_kernel_symbols *kernel, const char *path,
			   const char *symbol)
{
	return read_names(kernel, fopen(path, "re"), symbol);
}

/**
 * lw_kernel_symbols_load_for - read the names that some addresses need
 * @kernel: gets them; others must not be looked up
 * @path: /proc/kallsyms or a copy
 * @ips: the addresses, in order
 * @nr: of them
 *
 * Without memory there are none.
 */
void lw_kernel_symbols_load_for(struct lw_kernel_symbols *kernel, const char *path,
				const u64 *ips, size_t nr)
{
	struct lw_wanted_ips wanted = { .ips = ips, .nr = nr };

	wanted.nearest = calloc(nr + 1, sizeof(*wanted.nearest));
	if (!wanted.nearest)
		return;
	kernel->wanted = &wanted;
	read_names(kernel, fopen(path, "re"), NULL);
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
	if (!size)
		return;
	kernel->made = made;
	read_names(kernel, fmemopen((char *)text, size, "r"), NULL);
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
