// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - see code.h.  Addresses are the kernel's, source files those of the
 * objects that the build has left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/code.h"

/* Behind the last function. */
#define LAST_LEN	64

static bool is_wanted(const struct code_function *function, char type)
{
	/* Padding in front of a function has a name too. */
	return (type == 't' || type == 'T') &&
	       strncmp(function->name, "__pfx_", 6) &&
	       (!strcmp(function->module, "[latewind]") ||
		!strcmp(function->module, "[lw_test]"));
}

static int by_address(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int read_kallsyms(struct code *code)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long start;
	char line[512], type;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file) && code->nr < CODE_MAX) {
		struct code_function *function = &code->functions[code->nr];

		memset(function, 0, sizeof(*function));
		if (sscanf(line, "%llx %c %79s %31s", &start, &type,
			   function->name, function->module) != 4)
			continue;
		function->start = start;
		code->nr += is_wanted(function, type);
	}
	fclose(file);
	return code->nr && code->nr < CODE_MAX ? 0 : -ENOENT;
}

static void name_object(struct code *code, const char *name, const char *object)
{
	unsigned int i;

	for (i = 0; i < code->nr; i++) {
		struct code_function *function = &code->functions[i];

		if (!strcmp(function->module, "[latewind]") &&
		    !*function->object && !strcmp(function->name, name))
			strcpy(function->object, object);
	}
}

static int read_object(struct code *code, const char *path)
{
	char command[4200], line[512], name[80], object[32], type;
	const char *base = strrchr(path, '/') + 1;
	FILE *pipe;

	snprintf(object, sizeof(object), "%.*s", (int)strcspn(base, "."), base);
	snprintf(command, sizeof(command), "nm '%s'", path);
	pipe = popen(command, "r");
	if (!pipe)
		return -errno;
	while (fgets(line, sizeof(line), pipe))
		if (sscanf(line, "%*x %c %79s", &type, name) == 2 &&
		    (type == 't' || type == 'T'))
			name_object(code, name, object);
	return pclose(pipe) ? -ENOENT : 0;
}

/* Return: 0, -ENOENT when there is no such module or it was not built here. */
int code_read(struct code *code)
{
	char pattern[4096];
	struct utsname uts;
	glob_t objects;
	unsigned int i;
	int ret;

	code->nr = 0;
	ret = read_kallsyms(code);
	if (ret)
		return ret;
	qsort(code->functions, code->nr, sizeof(*code->functions), by_address);
	for (i = 0; i < code->nr; i++)
		code->functions[i].end = code->functions[i].start + LAST_LEN;
	for (i = 0; i + 1 < code->nr; i++)
		if (!strcmp(code->functions[i].module,
			    code->functions[i + 1].module))
			code->functions[i].end = code->functions[i + 1].start;
	uname(&uts);
	snprintf(pattern, sizeof(pattern), "%s/build/module/%s/module/*.o",
		 getenv("LATEWIND_ROOT") ?: "", uts.release);
	if (glob(pattern, 0, NULL, &objects))
		return -ENOENT;
	for (i = 0; i < objects.gl_pathc && !ret; i++)
		ret = read_object(code, objects.gl_pathv[i]);
	globfree(&objects);
	return ret;
}

/* The function that @ip is in, or NULL. */
const struct code_function *code_at(const struct code *code, uint64_t ip)
{
	unsigned int i;

	for (i = 0; i < code->nr; i++)
		if (ip >= code->functions[i].start &&
		    ip < code->functions[i].end)
			return &code->functions[i];
	return NULL;
}
