// SPDX-License-Identifier: GPL-2.0
/*
 * bare.c - see bare.h.  Functions return 0 or -1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bare.h"

#define LIBRARY		"./libbare.so"
#define PT_GNU_SFRAME	0x6474e554
#define MAX_SIZE	(1 << 20)

static char bytes[MAX_SIZE];

static int copy(struct bare *b)
{
	int fd = open(LIBRARY, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (len <= 0 || len == sizeof(bytes))
		return -1;
	return pwrite(b->fd, bytes, len, 0) == len ? 0 : -1;
}

static int read_headers(struct bare *b)
{
	unsigned int i;

	memcpy(&b->ehdr, bytes, sizeof(b->ehdr));
	if (b->ehdr.e_phnum > BARE_MAX_PHDRS)
		return -1;
	memcpy(b->phdrs, bytes + b->ehdr.e_phoff, b->ehdr.e_phnum * sizeof(b->phdrs[0]));
	for (i = 0; i < b->ehdr.e_phnum; i++) {
		if (b->phdrs[i].p_type == PT_GNU_SFRAME)
			b->sframe = &b->phdrs[i];
		if (b->phdrs[i].p_type == PT_LOAD && b->phdrs[i].p_flags & PF_X)
			b->text = &b->phdrs[i];
	}
	return b->sframe && b->text ? 0 : -1;
}

static int take_out_sframe(const struct bare *b)
{
	uint32_t none = PT_NULL;
	off_t at = b->ehdr.e_phoff + (b->sframe - b->phdrs) * sizeof(b->phdrs[0]);

	return pwrite(b->fd, &none, sizeof(none), at) == sizeof(none) ? 0 : -1;
}

static int find_symbols(struct bare *b)
{
	Elf64_Sym *fp;
	Dl_info info;

	b->functions = dlsym(b->handle, "chain_functions");
	if (!b->functions ||
	    !dladdr1(b->functions['f' - 'a'], &info, (void **)&fp, RTLD_DL_SYMENT))
		return -1;
	b->base = (uintptr_t)info.dli_fbase;
	b->fp_start = (uintptr_t)info.dli_saddr - b->base - b->text->p_vaddr;
	b->fp_size = fp->st_size;
	return 0;
}

/* The copy is made in @dir. */
int bare_load(struct bare *b, const char *dir, bool keep_sframe)
{
	char path[256];

	memset(b, 0, sizeof(*b));
	snprintf(path, sizeof(path), "%s/lw-bare-XXXXXX", dir);
	b->fd = mkstemp(path);
	if (b->fd < 0)
		return -1;
	if (!copy(b) && !read_headers(b) && (keep_sframe || !take_out_sframe(b)))
		b->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unlink(path);
	if (!b->handle || find_symbols(b))
		return -1;
	return table_from_section(&b->table, bytes + b->sframe->p_offset, b->sframe->p_filesz,
				  b->sframe->p_vaddr - b->text->p_vaddr) ? -1 : 0;
}

void bare_close(struct bare *b)
{
	if (b->handle)
		dlclose(b->handle);
	if (b->fd >= 0)
		close(b->fd);
	b->handle = NULL;
	b->fd = -1;
}

int bare_add(const struct bare *b, int session)
{
	return table_add(session, &b->table, b->fd, b->text->p_offset, b->text->p_filesz);
}

/* A chain whose functions are the library's; the leaf, ours, asks. */
void bare_run(const struct bare *b, struct chain *chain, const char *path, struct call *call)
{
	chain->path = path + 1;
	chain->leaf = call_ask;
	chain->arg = call;
	chain->nr = 0;
	b->functions[path[0] - 'a'](chain);
}
