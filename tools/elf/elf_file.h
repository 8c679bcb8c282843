/* SPDX-License-Identifier: GPL-2.0 */
/*
 * elf_file.h - the few facts of an ELF file that the tool needs.
 */
#ifndef LW_ELF_FILE_H
#define LW_ELF_FILE_H

#include <libelf.h>

#include "base/util.h"
#include "latewind.h"

#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME		0x6474e554
#endif

struct lw_elf {
	int fd;			/* -1: in memory */
	Elf *elf;
	size_t nr_phdrs;
};

/* What the symbol of a function says. */
struct lw_elf_function {
	u64 addr;			/* of the code; of the resolver, if it is indirect */
	bool indirect;			/* an IFUNC: the resolver chooses the code */
};

int lw_elf_open(struct lw_elf *file, const char *path);
int lw_elf_open_mapped(struct lw_elf *file, const char *path);
int lw_elf_open_memory(struct lw_elf *file, void *image, size_t size);
void lw_elf_close(struct lw_elf *file);
int lw_elf_build_id(const struct lw_elf *file, u8 *id);
int lw_elf_offset_to_addr(const struct lw_elf *file, u64 offset, u64 *addr);
int lw_elf_addr_to_offset(const struct lw_elf *file, u64 addr, u64 *offset);
void lw_elf_functions(const struct lw_elf *file, void (*fn)(void *ctx, const char *name),
		      void *ctx);
int lw_elf_find_function(const struct lw_elf *file, const char *name,
			 struct lw_elf_function *function);
int lw_elf_symbol_to_offset(const struct lw_elf *file, const char *name, u64 *offset);
int lw_notes_build_id(const u8 *notes, size_t size, u8 *id);

#endif /* LW_ELF_FILE_H */
