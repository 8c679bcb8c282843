/* SPDX-License-Identifier: GPL-2.0 */
/*
 * small_elf.h - ELF files that nobody's linker has written: a segment of two notes, of which
 * the second is a build ID.
 */
#ifndef SMALL_ELF_H
#define SMALL_ELF_H

#include <elf.h>
#include <stddef.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SMALL_ELF_DATA	ELFDATA2MSB
#else
#define SMALL_ELF_DATA	ELFDATA2LSB
#endif

/* The build ID is its first 20 bytes. */
#define ELF_ID "0123456789abcdefghijklmnopqrstuvwxyz"

struct note {
	Elf32_Nhdr head;
	char name[4];
	char desc[36];
};

struct elf64 {
	Elf64_Ehdr head;
	Elf64_Phdr phdr[2];
	struct note note[2];
};

struct elf32 {
	Elf32_Ehdr head;
	Elf32_Phdr phdr[2];
	struct note note[2];
};

#define SMALL_ELF(type, class_)							\
((struct type){									\
	.head = {								\
		.e_ident = { 0x7f, 'E', 'L', 'F', class_, SMALL_ELF_DATA, EV_CURRENT }, \
		.e_type = ET_DYN,						\
		.e_phoff = offsetof(struct type, phdr),				\
		.e_phnum = 2,							\
		.e_phentsize = sizeof(((struct type *)0)->phdr[0]),		\
	},									\
	.phdr[0] = { .p_type = PT_LOAD },					\
	.phdr[1] = { .p_type = PT_NOTE, .p_offset = offsetof(struct type, note), \
		     .p_filesz = sizeof(((struct type *)0)->note) },		\
	.note[0] = { { 4, 36, 1 }, "GNU", ELF_ID },					\
	.note[1] = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", ELF_ID },			\
})

#endif /* SMALL_ELF_H */
