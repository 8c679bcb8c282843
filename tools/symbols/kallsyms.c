// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms.c - lines of /proc/kallsyms, and of what a recording keeps of them.
 *
 * A kernel has 200,000 lines, most of which nobody asks for: nothing is copied here.
 *
 * Contexts: any thread.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/kallsyms.h"

/* One more than the value of a digit; 0: none. */
static const u8 digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16,
};

/* The byte behind a line is no digit, so the loop ends there. */
static const char *take_hex(u64 *value, const char *at)
{
	u64 number = 0;
	u8 digit;

	while ((digit = digits[(u8)*at])) {
		number = number << 4 | (digit - 1);
		at++;
	}
	*value = number;
	return at;
}

/* Return: the field up to a tabulator or @end; @at is behind both then. */
static const char *take_field(const char **at, const char *end, u32 *len)
{
	const char *field = *at, *tab = memchr(field, '\t', end - field);

	*len = (tab ? tab : end) - field;
	*at = tab ? tab + 1 : end;
	return field;
}

/* @end: the newline */
static bool parse(struct lw_kallsyms_line *line, const char *at, const char *end)
{
	line->text = at;
	at = take_hex(&line->start, at);
	if (at == line->text || end - at < 3 || at[0] != ' ' || at[2] != ' ')
		return false;
	line->type = at[1];
	at += 3;
	line->name = take_field(&at, end, &line->name_len);
	line->module = at < end ? take_field(&at, end, &line->module_len) : NULL;
	if (!line->module)
		line->module_len = 0;
	line->rest = at;
	line->rest_len = end - at;
	return line->name_len < LW_KALLSYMS_NAME && line->module_len < LW_MODULE_NAME;
}

/**
 * lw_kallsyms_next - take the next line
 * @line: out: points into the text
 * @at: where the text goes on; is behind the line then
 * @end: end of the text
 *
 * Lines that are none of a symbol are left out, and so is one that does not end.
 *
 * Return: whether there was one.
 */
bool lw_kallsyms_next(struct lw_kallsyms_line *line, const char **at, const char *end)
{
	const char *text = *at, *stop;

	while (text < end && (stop = memchr(text, '\n', end - text))) {
		*at = stop + 1;
		if (parse(line, text, stop))
			return true;
		text = *at;
	}
	return false;
}

/**
 * lw_kallsyms_is_code - is it a function, and not data
 * @line: any
 *
 * On arm64 modules have symbols, too, where code begins and data ends: $x.
 *
 * Return: whether it is.
 */
bool lw_kallsyms_is_code(const struct lw_kallsyms_line *line)
{
	if (line->name_len && line->name[0] == '$')
		return false;
	return line->type == 't' || line->type == 'T' || line->type == 'w' || line->type == 'W';
}

/**
 * lw_kallsyms_name - the name of a line as a string
 * @line: any
 * @name: out: LW_KALLSYMS_NAME bytes
 *
 * Return: @name.
 */
const char *lw_kallsyms_name(const struct lw_kallsyms_line *line, char *name)
{
	memcpy(name, line->name, line->name_len);
	name[line->name_len] = 0;
	return name;
}

/**
 * lw_kallsyms_is - has a line this name
 * @line: any
 * @name: string
 *
 * Return: whether it has.
 */
bool lw_kallsyms_is(const struct lw_kallsyms_line *line, const char *name)
{
	return strlen(name) == line->name_len && !memcmp(line->name, name, line->name_len);
}

/**
 * lw_kallsyms_function - where one of the kernel's own functions is
 * @path: /proc/kallsyms or a copy
 * @name: its name
 * @start: out: its first address
 * @end: out: where the next symbol is
 *
 * Return: whether it is there, and has an address: not everybody may read those.
 */
bool lw_kallsyms_function(const char *path, const char *name, u64 *start, u64 *end)
{
	size_t size = 0;
	char *text = lw_read_text(path, &size);
	struct lw_kallsyms_line line;
	const char *at = text;

	*start = 0;
	*end = 0;
	/* the kernel's own stand in the order of their addresses */
	while (text && *end <= *start && lw_kallsyms_next(&line, &at, text + size)) {
		if (*start)
			*end = line.start;
		else if (!line.module && lw_kallsyms_is_code(&line) && lw_kallsyms_is(&line, name))
			*start = line.start;
	}
	free(text);
	return *end > *start;
}
