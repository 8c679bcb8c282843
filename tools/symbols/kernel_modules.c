// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_modules.c - kernel modules while a recording runs, and the names of their code.
 *
 * /proc/kallsyms has the names of a module as long as it is loaded, and where it was there
 * may be another one at the end.  So they are read when it is known that it is there: for
 * all that are there at the beginning, and when a record tells that one has come.  One
 * that is gone again by then has no names.
 *
 * Kept are lines as they are read, some 50 bytes a name; they are looked through when all
 * addresses that were met are known.  Those of the kernel itself, some 10 MiB, are read
 * once: they don't change, and to have the kernel write them is half of what a short
 * recording costs.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_names.h"
#include "symbols/kallsyms.h"
#include "symbols/kernel_modules.h"

#define FOREVER		(~0ULL)
/* Limit of the parts of modules that are kept. */
#define MAX_PARTS	16384
/* Of all names that are kept, more or less. */
#define MAX_TEXT	(256UL << 20)
#define NAME_ROOM	64

/* The modules' lines of /proc/kallsyms at some time; any number of parts refer to them. */
struct names {
	struct names *next;
	char *memory;			/* the first has the kernel's own lines in front */
	const char *text;
	size_t size;
};

/* Code of a module: what stays, or what is given back behind its init functions. */
struct part {
	char name[NAME_ROOM];
	u64 start, end;
	u64 began;		/* CLOCK_MONOTONIC nanoseconds; 0: was there before */
	u64 ended;		/* FOREVER: still there */
	bool wants_names;	/* they have not been looked for */
	const struct names *names;	/* NULL: none */
};

struct lw_kernel_modules {
	const char *kallsyms, *modules;
	struct part *parts;
	size_t nr, room;
	struct lw_kernel_range range;	/* of the kernel's own code */
	const char *own;	/* the kernel's own lines, or NULL */
	size_t own_size;
	struct names *names;	/* all that was read */
	size_t bytes;		/* of it, without the kernel's */
};

/**
 * lw_kernel_modules_new - none is known yet
 * @kallsyms: /proc/kallsyms or a copy; stays the caller's
 * @modules: /proc/modules or a copy; likewise
 *
 * Return: it, for lw_kernel_modules_free(), or NULL.
 */
struct lw_kernel_modules *lw_kernel_modules_new(const char *kallsyms, const char *modules)
{
	struct lw_kernel_modules *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->kallsyms = kallsyms;
	new->modules = modules;
	return new;
}

static void free_names(struct names *names)
{
	if (names)
		free(names->memory);
	free(names);
}

/**
 * lw_kernel_modules_free - forget all
 * @modules: may be NULL
 */
void lw_kernel_modules_free(struct lw_kernel_modules *modules)
{
	if (!modules)
		return;
	while (modules->names) {
		struct names *next = modules->names->next;

		free_names(modules->names);
		modules->names = next;
	}
	free(modules->parts);
	free(modules);
}

static struct part *add_part(struct lw_kernel_modules *modules, const char *name, u64 start,
			     u64 size)
{
	struct part *part;

	if (modules->nr == MAX_PARTS || !size || start + size < start)
		return NULL;
	if (lw_grow((void **)&modules->parts, &modules->room, modules->nr + 1, sizeof(*part)))
		return NULL;
	part = &modules->parts[modules->nr++];
	memset(part, 0, sizeof(*part));
	snprintf(part->name, sizeof(part->name), "%s", name);
	part->start = start;
	part->end = start + size;
	part->ended = FOREVER;
	part->wants_names = true;
	return part;
}

static int by_start(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/*
 * Since 6.4 the size is that of all parts of a module, wherever they are: its code ends
 * where that of another one begins, at the latest.
 */
static void cut_parts(struct lw_kernel_modules *modules)
{
	if (!modules->nr)
		return;
	qsort(modules->parts, modules->nr, sizeof(*modules->parts), by_start);
	for (size_t i = 0; i + 1 < modules->nr; i++) {
		if (modules->parts[i].end > modules->parts[i + 1].start)
			modules->parts[i].end = modules->parts[i + 1].start;
	}
}

static bool is_of(const struct part *part, const struct lw_kallsyms_line *line)
{
	size_t len = strlen(part->name);

	return line->module && line->module_len == len + 2 &&
	       !memcmp(line->module + 1, part->name, len);
}

static bool is_wanted(const struct lw_kernel_modules *modules, const struct lw_kallsyms_line *line)
{
	/* the youngest are the last */
	for (size_t i = modules->nr; i-- && modules->parts[i].wants_names;) {
		if (is_of(&modules->parts[i], line))
			return true;
	}
	return false;
}

/* The kernel's own lines come first. */
static void split_own(struct lw_kernel_modules *modules, struct names *names)
{
	const char *at = names->text, *end = at + names->size;
	struct lw_kallsyms_line line;

	modules->own = names->text;
	modules->own_size = names->size;
	while (lw_kallsyms_next(&line, &at, end)) {
		if (line.module) {
			modules->own_size = line.text - modules->own;
			break;
		}
		lw_kernel_range_take(&modules->range, &line);
	}
	names->text += modules->own_size;
	names->size -= modules->own_size;
}

/* Keeps only the lines of modules whose names are not known yet. */
static void keep_wanted(const struct lw_kernel_modules *modules, struct names *names)
{
	const char *at = names->memory, *end = at + names->size;
	char *to = names->memory, *fitting;
	struct lw_kallsyms_line line;

	while (lw_kallsyms_next(&line, &at, end)) {
		if (!line.module || !is_wanted(modules, &line))
			continue;
		memmove(to, line.text, at - line.text);
		to += at - line.text;
	}
	names->size = to - names->memory;
	fitting = realloc(names->memory, names->size + 1);
	if (fitting)
		names->memory = fitting;
	names->text = names->memory;
}

/* The kernel takes its time to write them: the module may be gone when they are read. */
static struct names *read_names(struct lw_kernel_modules *modules, bool all)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->memory = lw_read_text(modules->kallsyms, &names->size);
	names->text = names->memory;
	if (names->memory && all)
		split_own(modules, names);
	else if (names->memory)
		keep_wanted(modules, names);
	if (names->memory && names->size <= MAX_TEXT - modules->bytes)
		return names;
	if (all)
		modules->own = NULL;
	free_names(names);
	return NULL;
}

static bool has_names_of(const struct names *names, const struct part *part)
{
	char tag[NAME_ROOM + 8];

	snprintf(tag, sizeof(tag), "\t[%s]", part->name);
	return memmem(names->text, names->size, tag, strlen(tag));
}

/* Without memory, or the right to read them, there are none. */
static void take_names(struct lw_kernel_modules *modules, bool all)
{
	struct names *names = read_names(modules, all);

	for (size_t i = modules->nr; i-- && modules->parts[i].wants_names;) {
		modules->parts[i].wants_names = false;
		if (names && (all || has_names_of(names, &modules->parts[i])))
			modules->parts[i].names = names;
	}
	if (!names)
		return;
	modules->bytes += names->size;
	names->next = modules->names;
	modules->names = names;
}

static void read_modules(struct lw_kernel_modules *modules)
{
	FILE *file = fopen(modules->modules, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return;
	while (getline(&line, &room, file) > 0) {
		char name[NAME_ROOM];
		u64 size, start;

		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &start) == 3 && start)
			add_part(modules, name, start, size);
	}
	free(line);
	fclose(file);
	cut_parts(modules);
}

/**
 * lw_kernel_modules_begin - take what is loaded now, and where the kernel is
 * @modules: new
 *
 * Without the right to see addresses there is none.  It takes long enough for somebody else
 * to do something meanwhile.
 */
void lw_kernel_modules_begin(struct lw_kernel_modules *modules)
{
	read_modules(modules);
	take_names(modules, true);
}

/**
 * lw_kernel_modules_own - the lines of /proc/kallsyms that are the kernel's own
 * @modules: begun
 * @size: out: bytes of them
 *
 * Return: them, for as long as @modules is there, or NULL.
 */
const char *lw_kernel_modules_own(const struct lw_kernel_modules *modules, size_t *size)
{
	*size = modules->own_size;
	return modules->own;
}

/**
 * lw_kernel_modules_range - where the kernel's own code is
 * @modules: begun
 *
 * Return: it, which may be unknown.
 */
const struct lw_kernel_range *lw_kernel_modules_range(const struct lw_kernel_modules *modules)
{
	return &modules->range;
}

/**
 * lw_kernel_modules_text - the lines of /proc/kallsyms that are not the kernel's own
 * @modules: begun
 * @size: out: bytes
 *
 * Return: them, as they were at the beginning; NULL without any.
 */
const char *lw_kernel_modules_text(const struct lw_kernel_modules *modules, size_t *size)
{
	*size = modules->names ? modules->names->size : 0;
	return modules->names ? modules->names->text : NULL;
}

/* Return: 1, or 0 if it is not there. */
static int end_part(struct lw_kernel_modules *modules, const struct lw_module *record)
{
	for (size_t i = modules->nr; i--;) {
		struct part *part = &modules->parts[i];

		if (part->start == record->addr && part->ended == FOREVER &&
		    part->began <= record->time && !strcmp(part->name, record->name)) {
			part->ended = record->time;
			return 1;
		}
	}
	return 0;
}

/* Was the module listed at the beginning?  Its own record may be read after that. */
static bool is_known(struct lw_kernel_modules *modules, const struct lw_module *record)
{
	for (size_t i = 0; i < modules->nr; i++) {
		struct part *part = &modules->parts[i];

		if (part->start != record->addr || part->ended != FOREVER || part->began ||
		    strcmp(part->name, record->name))
			continue;
		part->began = record->time;
		part->end = record->addr + record->text_size;
		return true;
	}
	return false;
}

/*
 * Where it is nothing else can be: of one that was there at the beginning, whose code may
 * end earlier than is known, or whose record that it went was lost.
 */
static void make_room(struct lw_kernel_modules *modules, const struct lw_module *record)
{
	for (size_t i = 0; i < modules->nr; i++) {
		struct part *part = &modules->parts[i];

		if (part->ended != FOREVER || part->end <= record->addr ||
		    part->start >= record->addr + record->text_size)
			continue;
		if (!part->began && part->start < record->addr)
			part->end = record->addr;
		else
			part->ended = record->time;
	}
}

/**
 * lw_kernel_modules_record - take a MODULE record
 * @modules: begun
 * @record: valid
 *
 * Return: 1; 0 if it tells nothing new; or -ENOMEM.
 */
int lw_kernel_modules_record(struct lw_kernel_modules *modules, const struct lw_module *record)
{
	struct part *part;

	if (record->record.flags & LW_MODULE_GONE)
		return end_part(modules, record);
	if (!record->text_size || is_known(modules, record))
		return 0;
	make_room(modules, record);
	part = add_part(modules, record->name, record->addr, record->text_size);
	if (!part)
		return modules->nr == MAX_PARTS ? 1 : -ENOMEM;
	part->began = record->time;
	return 1;
}

/**
 * lw_kernel_modules_read_names - read the names of what came since the last call
 * @modules: begun
 *
 * Reading /proc/kallsyms takes long enough for a ring to fill.
 */
void lw_kernel_modules_read_names(struct lw_kernel_modules *modules)
{
	if (modules->nr && modules->parts[modules->nr - 1].wants_names)
		take_names(modules, false);
}

/**
 * lw_kernel_modules_have - is this for lw_kernel_modules_write() alone
 * @modules: with all records
 * @ip: address
 *
 * Return: true if it is in code whose names are known, or that is gone: what
 * /proc/kallsyms has there at the end may be another module's.
 */
bool lw_kernel_modules_have(const struct lw_kernel_modules *modules, u64 ip)
{
	for (size_t i = 0; i < modules->nr; i++) {
		const struct part *part = &modules->parts[i];

		if (ip - part->start < part->end - part->start &&
		    (part->names || part->ended != FOREVER))
			return true;
	}
	return false;
}

static bool was_met(const struct part *part, const u64 *ips, size_t nr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ips[middle] < part->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && ips[low] < part->end;
}

static void take_line(const struct part *part, const struct lw_kallsyms_line *line,
		      struct lw_code_names *names)
{
	char text[LW_KALLSYMS_NAME];
	struct lw_code_name name = { .start = line->start, .text = text };

	if (line->start < part->start || line->start >= part->end ||
	    !lw_kallsyms_is_code(line) || !is_of(part, line))
		return;
	name.rank = line->type == 't' || line->type == 'w';
	lw_kallsyms_name(line, text);
	lw_code_names_add(names, &name);
}

static void parse_names(const struct part *part, struct lw_code_names *names)
{
	const char *at = part->names->text, *end = at + part->names->size;
	struct lw_kallsyms_line line;

	while (lw_kallsyms_next(&line, &at, end))
		take_line(part, &line, names);
	lw_code_names_sort(names);
}

static void write_line(const struct part *part, u64 start, u64 end, const char *name, FILE *to)
{
	fprintf(to, "%llx t %s\t[%s]\t%llx %llx %llx\n", start, name, part->name, end - start,
		part->began, part->ended);
}

static void write_name(const struct part *part, const struct lw_code_names *names,
		       const struct lw_code_name *name, FILE *to)
{
	bool is_last = name + 1 == names->names + names->nr;

	write_line(part, name->start, is_last ? part->end : name[1].start, name->text, to);
}

static void write_names(const struct part *part, const u64 *ips, size_t nr, FILE *to)
{
	struct lw_code_names names = { 0 };
	const struct lw_code_name *last = NULL, *name;

	parse_names(part, &names);
	for (size_t i = 0; i < nr; i++) {
		if (ips[i] < part->start || ips[i] >= part->end)
			continue;
		name = lw_code_names_find(&names, ips[i]);
		if (!name || name == last)
			continue;
		last = name;
		write_name(part, &names, name, to);
		/* whoever reads it looks behind it, too: see lw_symbolize_caller() */
		if (lw_is_padding(name->text) && name + 1 < names.names + names.nr &&
		    name[1].start == ips[i] + 1)
			write_name(part, &names, last = name + 1, to);
	}
	lw_code_names_free(&names);
}

/**
 * lw_kernel_modules_write - write the names of what was met in modules
 * @modules: with all records and names
 * @ips: addresses that were met, in order
 * @nr: of them
 * @to: gets lines as /proc/kallsyms has them, and behind each a tabulator, the function's
 *	bytes, and when its module came and went, in nanoseconds, all hexadecimal
 *
 * In front of these is one of all of the module's code, with an empty name: of what has
 * none it is known whose it is, and another module's is not taken for it.
 */
void lw_kernel_modules_write(const struct lw_kernel_modules *modules, const u64 *ips, size_t nr,
			     FILE *to)
{
	for (size_t i = 0; i < modules->nr; i++) {
		const struct part *part = &modules->parts[i];

		if (!was_met(part, ips, nr) || (!part->names && part->ended == FOREVER))
			continue;
		write_line(part, part->start, part->end, "", to);
		if (part->names)
			write_names(part, ips, nr, to);
	}
}
