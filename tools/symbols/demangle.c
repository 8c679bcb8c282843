// SPDX-License-Identifier: GPL-2.0
/*
 * demangle.c - names of C++ and Rust as in the source, by libiberty.
 *
 * A name is the file's, and a short one can stand for any number of bytes: what comes
 * out is taken in pieces, and the work is left where it becomes too much.
 *
 * Contexts: any thread.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libiberty's header has one, too */
#undef ARRAY_SIZE
#include "symbols/code_names.h"

#define MAX_MANGLED	4096U
#define MAX_PLAIN	8192U

struct output {
	jmp_buf too_much;
	size_t len;
	char text[MAX_PLAIN];
};

static void take_piece(const char *piece, size_t len, void *opaque)
{
	struct output *output = opaque;

	if (len >= sizeof(output->text) - output->len)
		longjmp(output->too_much, 1);
	memcpy(output->text + output->len, piece, len);
	output->len += len;
}

static bool is_mangled(const char *text)
{
	return text[0] == '_' && (text[1] == 'Z' || text[1] == 'R') &&
	       strnlen(text, MAX_MANGLED) < MAX_MANGLED;
}

/* Rust had names of C++'s form once, with a hash at the end. */
static bool fill(struct output *output, const char *text)
{
	const int how = DMGL_PARAMS | DMGL_ANSI;

	if (rust_demangle_callback(text, how, take_piece, output))
		return true;
	output->len = 0;
	return text[1] == 'Z' && cplus_demangle_v3_callback(text, how, take_piece, output);
}

static char *demangle(const char *text, size_t len, const char *behind)
{
	struct output *output = malloc(sizeof(*output));
	char *name = strndup(text, len), *plain = NULL;

	if (output && name) {
		output->len = 0;
		/* what the demanglers work on is on the stack: nothing is lost */
		if (!setjmp(output->too_much) && fill(output, name)) {
			take_piece(behind, strlen(behind), output);
			plain = strndup(output->text, output->len);
		}
	}
	free(output);
	free(name);
	return plain;
}

/**
 * lw_demangle - a name of C++ or Rust as in the source
 * @text: as in a symbol table, or as lw_plt_names_add() makes it
 *
 * Return: it, for the caller to free, or NULL when it is none, or too long, or for want
 * of memory.
 */
char *lw_demangle(const char *text)
{
	static const char plt[] = "@plt";
	size_t len;

	if (!is_mangled(text))
		return NULL;
	len = strlen(text);
	if (len > strlen(plt) && !strcmp(text + len - strlen(plt), plt))
		return demangle(text, len - strlen(plt), plt);
	return demangle(text, len, "");
}
