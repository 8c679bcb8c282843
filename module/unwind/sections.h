/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sections.h - the SFrame section of a mapped file, and what was seen of mappings.
 */
#ifndef LW_SECTIONS_H
#define LW_SECTIONS_H

#include <linux/elf.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "file_id.h"
#include "sframe/sframe.h"

struct lw_mappings;
struct mm_struct;
struct vm_area_struct;

/* Program headers read at once. */
#define LW_PHDRS_AT_ONCE	16

/**
 * struct lw_seen - a mapping as it was seen
 * @start: first address
 * @end: first address behind it
 * @offset: of @start in the file, in bytes
 * @flags: VM_READ, VM_WRITE, VM_EXEC, VM_SHARED
 * @id: the file, if @has_file
 * @ctime: of the file's inode; 0 for a vDSO
 * @has_file: a file is mapped, or a vDSO
 * @own_pages: some pages may be the process's own, with any content
 */
struct lw_seen {
	u64	start;
	u64	end;
	u64	offset;
	unsigned long flags;
	struct lw_file_id id;
	struct timespec64 ctime;
	bool	has_file;
	bool	own_pages;
};

/**
 * struct lw_section_of_file - an SFrame section in the memory of current
 * @src: for the parser
 * @mappings: of the walk, see lw_unwind_read()
 * @addr: of the section
 * @seen: the mapping of the section
 */
struct lw_section_of_file {
	struct lw_sframe_source src;
	struct lw_mappings *mappings;
	u64	addr;
	struct lw_seen seen;
};

void lw_see(struct lw_seen *seen, const struct vm_area_struct *vma);
bool lw_is_as_seen(const struct lw_seen *seen, struct mm_struct *mm);
int lw_lock_mm(struct lw_mappings *mappings, struct mm_struct *mm);
u64 lw_program_entry(void);

u64 lw_section_headers(struct mm_struct *mm, const struct vm_area_struct *text);
int lw_section_open(struct lw_mappings *mappings, const struct lw_seen *code, u64 headers,
		    struct lw_section_of_file *section, struct lw_sframe *sframe);

#endif /* LW_SECTIONS_H */
