// SPDX-License-Identifier: GPL-2.0
/*
 * loaded_function.c - which code an indirect function is, in a library that this program has
 * loaded itself.
 *
 * To ask a resolver its code has to be run.  That is never done for a file that was named on the
 * command line: only libraries that this program runs with anyway are asked, by dlsym(), as the
 * loader asks them for each program.  libc is one, whose memcpy() and strlen() are indirect.
 *
 * Contexts: any thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/loaded_function.h"

struct search {
	struct stat file;
	const char *path;		/* as the loader calls it */
	u64 base;
};

/* Return: 1 to end the search. */
static int see_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *search = ctx;
	struct stat st;

	(void)size;
	if (!info->dlpi_name || info->dlpi_name[0] != '/' || stat(info->dlpi_name, &st) ||
	    st.st_dev != search->file.st_dev || st.st_ino != search->file.st_ino)
		return 0;
	search->path = info->dlpi_name;
	search->base = info->dlpi_addr;
	return 1;
}

static void *look_up(void *handle, const char *name)
{
	const char *at = strchr(name, '@');
	char plain[256];

	if (!at)
		return dlsym(handle, name);
	snprintf(plain, sizeof(plain), "%.*s", (int)(at - name), name);
	return dlvsym(handle, plain, at + 1 + (at[1] == '@'));
}

/**
 * lw_loaded_function - the code of a function, by the dynamic loader
 * @path: of the library
 * @name: of the function; a version may be behind an @
 * @addr: out: as the library's symbols have it
 *
 * Return: 0, or -ENOENT: the library is not loaded here, or has no such function.
 */
int lw_loaded_function(const char *path, const char *name, u64 *addr)
{
	struct search search = {};
	void *handle, *code;

	if (stat(path, &search.file) || !dl_iterate_phdr(see_object, &search))
		return -ENOENT;
	handle = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return -ENOENT;
	code = look_up(handle, name);
	dlclose(handle);
	if (!code)
		return -ENOENT;
	*addr = (uintptr_t)code - search.base;
	return 0;
}
