/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bare.h - a library with the functions of programs/chain.c whose file says nothing of an
 * SFrame section: a copy, with that program header taken out.  The section's bytes make
 * the table.
 */
#ifndef BARE_H
#define BARE_H

#include <elf.h>
#include <stdint.h>

#include "lib/call.h"
#include "lib/table.h"
#include "programs/chain.h"

#define BARE_MAX_PHDRS	32

/**
 * struct bare - the library
 * @fd: of the copy, which has no name any more
 * @handle: of dlopen()
 * @functions: chain_functions of it
 * @fp_start: chain_f(), which has a frame pointer and no row
 * @fp_size: bytes of it
 * @base: where the file is mapped
 * @ehdr: of the file
 * @phdrs: of the file
 * @text: the executable segment
 * @sframe: the section
 * @table: what it says
 */
struct bare {
	int fd;
	void *handle;
	const chain_fn *functions;
	uint64_t fp_start;
	uint64_t fp_size;
	uint64_t base;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[BARE_MAX_PHDRS];
	Elf64_Phdr *text;
	Elf64_Phdr *sframe;
	struct table table;
};

int bare_load(struct bare *b, const char *dir, bool keep_sframe);
void bare_close(struct bare *b);
int bare_add(const struct bare *b, int session);
void bare_run(const struct bare *b, struct chain *chain, const char *path, struct call *call);

#endif /* BARE_H */
