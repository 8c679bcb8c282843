/* SPDX-License-Identifier: GPL-2.0 */
/*
 * victim.h - a library that is loaded from a copy of its file, which is then
 * changed.
 */
#ifndef VICTIM_H
#define VICTIM_H

/* Words from the stack pointer to the return address, by the row of victim_raw(). */
#if defined(__s390x__)
#define VICTIM_RA	1	/* The back chain is at the stack pointer. */
#else
#define VICTIM_RA	0
#endif

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "programs/raw.h"

#define VICTIM_MAX_PHDRS	32

/**
 * struct victim - a loaded library
 * @from: file that it is a copy of
 * @fd: of the copy, which has no name any more
 * @handle: of dlopen()
 * @call: of programs/victim.c
 * @raw: of programs/victim_raw.S
 * @raw_ip: where its system call returns to
 * @raw_end: behind it
 * @size: of the file
 * @ehdr: as loaded
 * @phdrs: as loaded
 * @sframe: the one of the section
 * @base: where the file is mapped
 */
struct victim {
	const char *from;
	int fd;
	void *handle;
	long (*call)(long (*fn)(void *arg), void *arg);
	long (*raw)(const struct raw_regs *regs);
	uint64_t raw_ip;
	uint64_t raw_end;
	size_t size;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[VICTIM_MAX_PHDRS];
	Elf64_Phdr *sframe;
	uint64_t base;
};

int victim_load(struct victim *v, const char *from, const char *dir);
int victim_restore(struct victim *v);
int victim_poke(struct victim *v, uint64_t at, const void *bytes, size_t len);
uint64_t victim_section(const struct victim *v);
void *victim_section_page(const struct victim *v);
int victim_cut_section(struct victim *v);

#endif /* VICTIM_H */
