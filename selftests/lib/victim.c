// SPDX-License-Identifier: GPL-2.0
/*
 * victim.c - see victim.h.  Functions return 0 or -1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/page.h"
#include "victim.h"

#define PT_GNU_SFRAME	0x6474e554
#define MAX_SIZE	(1 << 20)

static int read_headers(struct victim *v)
{
	unsigned int i;

	if (pread(v->fd, &v->ehdr, sizeof(v->ehdr), 0) != sizeof(v->ehdr) ||
	    v->ehdr.e_phnum > VICTIM_MAX_PHDRS ||
	    pread(v->fd, v->phdrs, v->ehdr.e_phnum * sizeof(v->phdrs[0]),
		  v->ehdr.e_phoff) < 0)
		return -1;
	for (i = 0; i < v->ehdr.e_phnum; i++)
		if (v->phdrs[i].p_type == PT_GNU_SFRAME)
			v->sframe = &v->phdrs[i];
	return v->sframe ? 0 : -1;
}

static int find_symbols(struct victim *v)
{
	Dl_info info;

	v->call = dlsym(v->handle, "victim_call");
	v->raw = dlsym(v->handle, "victim_raw");
	v->raw_ip = (uintptr_t)dlsym(v->handle, "victim_raw_ip");
	v->raw_end = (uintptr_t)dlsym(v->handle, "victim_raw_end");
	if (!v->call || !v->raw || !v->raw_ip || !v->raw_end ||
	    !dladdr(v->call, &info))
		return -1;
	v->base = (uintptr_t)info.dli_fbase;
	return 0;
}

/* The copy is made in @dir. */
int victim_load(struct victim *v, const char *from, const char *dir)
{
	char path[256];

	memset(v, 0, sizeof(*v));
	snprintf(path, sizeof(path), "%s/lw-victim-XXXXXX", dir);
	v->from = from;
	v->fd = mkstemp(path);
	if (v->fd < 0)
		return -1;
	if (!victim_restore(v) && !read_headers(v))
		v->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unlink(path);
	return v->handle ? find_symbols(v) : -1;
}

/* Puts the file back as it was. */
int victim_restore(struct victim *v)
{
	static char buf[MAX_SIZE];
	int fd = open(v->from, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, buf, sizeof(buf));
	close(fd);
	if (len <= 0 || len == sizeof(buf))
		return -1;
	v->size = len;
	return victim_poke(v, 0, buf, len);
}

int victim_poke(struct victim *v, uint64_t at, const void *bytes, size_t len)
{
	return pwrite(v->fd, bytes, len, at) == (ssize_t)len ? 0 : -1;
}

uint64_t victim_section(const struct victim *v)
{
	return v->base + v->sframe->p_vaddr;
}

void *victim_section_page(const struct victim *v)
{
	return (void *)(victim_section(v) & -lwt_page());
}

/* Whoever reads the section then finds that the file ends before it. */
int victim_cut_section(struct victim *v)
{
	return ftruncate(v->fd, v->sframe->p_offset & -lwt_page());
}
