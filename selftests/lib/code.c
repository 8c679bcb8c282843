// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - see code.h.  Addresses are the kernel's, source files those of the
 * objects at the build.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/code.h"
#include "lib/lwm.h"

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

		/* The kernel's own are by far the most. */
		if (!strchr(line, '['))
			continue;
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

/* "pool.o:0000000000000010 t find_in" */
static void read_symbol(struct code *code, const char *line)
{
	char name[80], object[32], type;
	const char *colon = strchr(line, ':');

	if (!colon || sscanf(colon, ":%*x %c %79s", &type, name) != 2 ||
	    (type != 't' && type != 'T'))
		return;
	snprintf(object, sizeof(object), "%.*s", (int)strcspn(line, "."), line);
	name_object(code, name, object);
}

/* What nm said of the objects of the module when it was built.  Return: 0 or -ENODATA. */
static int read_objects(struct code *code)
{
	char path[4096], line[512];
	bool found = false;
	FILE *file;

	if (!lwm_find_file(CODE_OBJECTS, path, sizeof(path)))
		return -ENODATA;
	file = fopen(path, "r");
	if (!file)
		return -ENODATA;
	while (fgets(line, sizeof(line), file)) {
		found = true;
		read_symbol(code, line);
	}
	fclose(file);
	return found ? 0 : -ENODATA;
}

static int code_read(struct code *code)
{
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
	return read_objects(code);
}

/*
 * Loads lw_test.ko and reads its code, and that of latewind.ko.  Return: a descriptor of
 * LWM_DEVICE, or -errno: -ENOENT when there is none for this kernel (LWM_MISSING), -ENODATA
 * when the objects are not where CODE_MISSING says.
 */
int code_open(struct code *code)
{
	int fd = lwm_open(""), ret;

	if (fd < 0)
		return fd == -ENODATA ? -EIO : fd;
	ret = code_read(code);
	if (!ret)
		return fd;
	lwm_close(fd);
	return ret == -ENOENT ? -EIO : ret;
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
