/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mappings.h - what a CPU knows of the executable mappings of processes.
 */
#ifndef LW_MAPPINGS_H
#define LW_MAPPINGS_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "arch.h"
#include "compat/fs.h"
#include "compat/mm_seq.h"
#include "rows.h"
#include "sections.h"
#include "sframe/sframe.h"

/* Processes that a CPU knows mappings of, and mappings of all these together. */
#define LW_KEPT_MMS	16
#define LW_KEPT_IN_ALL	2048
/* Memory of registered sections that a CPU may hold after their process has dropped them. */
#define LW_KEPT_SECTIONS SZ_4M
/* Jiffies after which mm_lock_seq may have come round: 2^31 write locks take minutes. */
#define LW_SEQ_TRUST	(10 * HZ)

/**
 * struct lw_mapping - an executable mapping of a process, or a part of one
 * @start: first address
 * @end: first address behind it
 * @id: for keys of rules (lw_rule_id()); never used for another mapping
 * @checked: lw_mappings.walk of the last walk that has checked the mapping
 * @seq: lw_compat_mm_seq() at the last look under mmap_lock
 * @at: jiffies when @seq was last found unchanged
 * @next: index in lw_kept.mapping of the caller's mapping, last time; a guess
 * @once: valid in one walk only
 * @asked: a table was asked for, and did not come
 * @lasting: no change of its code or section goes unnoticed
 * @saw_section: @section has the place of the section, valid or not
 * @has_sframe: @sframe is valid
 * @seen: the mapping
 * @headers: where the file's first byte is mapped, or 0
 * @inode: of the file, without a reference; valid while the mapping is there
 * @section: the section of the file
 * @sframe: the section, opened
 * @table: rows of a session's table for the file, with a reference; or NULL
 * @table_bias: subtracted from an address before it is looked up in @table_sframe
 * @table_sframe: @table, opened for current
 * @registered: rows that the process has registered, with a reference; or NULL
 *
 * A mapping with registered sections, or a table for a part of it, has a struct for each part,
 * and for each gap between parts.
 */
struct lw_mapping {
	u64	start;
	u64	end;
	u64	id;
	u64	checked;
	u32	seq;
	unsigned long at;
	unsigned int next;
	bool	once;
	bool	asked;
	bool	lasting;
	bool	saw_section;
	bool	has_sframe;
	struct lw_seen seen;
	u64	headers;
	const struct inode *inode;
	struct lw_section_of_file section;
	struct lw_sframe sframe;
	struct lw_rows *table;
	u64	table_bias;
	struct lw_sframe table_sframe;
	struct lw_rows *registered;
};

/**
 * struct lw_kept - known mappings of one process
 * @mm: lw_arch_mm_id() of the process, or zeros
 * @used: lw_mappings.walk of the last walk of the process
 * @generation: lw_tables_generation() of the look-ups
 * @changes: lw_registry_changes() of the look-ups
 * @nr: mappings
 * @room: length of the array
 * @mapping: array of pointers, by address; no mapping overlaps another
 */
struct lw_kept {
	struct lw_arch_mm_id mm;
	u64	used;
	u64	generation;
	u64	changes;
	unsigned int nr;
	unsigned int room;
	struct lw_mapping **mapping;
};

/**
 * struct lw_mappings - known mappings, for one walk at a time
 * @walk: number of the walk
 * @let_go: references were given back meanwhile, see lw_mappings_let_go()
 * @now: entry of @kept of the walk's process
 * @first: index in it of the topmost frame's mapping, last time; a guess
 * @once: the mapping of the last look, if it could not be kept
 * @nr: mappings of all processes
 * @registered_bytes: memory of their registered sections
 * @kept: by process
 * @phdrs: scratch
 */
struct lw_mappings {
	u64	walk;
	bool	let_go;
	struct lw_kept *now;
	unsigned int first;
	struct lw_mapping once;
	unsigned int nr;
	size_t	registered_bytes;
	struct lw_kept kept[LW_KEPT_MMS];
	struct elf64_phdr phdrs[LW_PHDRS_AT_ONCE];
};

static __always_inline bool lw_mapping_covers(const struct lw_mapping *mapping, u64 pc)
{
	return pc - mapping->start < mapping->end - mapping->start;
}

/* Return: index of the first mapping that ends behind @addr; @kept->nr if there is none. */
static __always_inline unsigned int lw_mapping_behind(const struct lw_kept *kept, u64 addr)
{
	unsigned int low = 0, high = kept->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (kept->mapping[middle]->end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * lw_mapping_known() - the known mapping around an address
 * @mappings: of this walk
 * @pc: address
 * @next: in: index to try first; out: index of the mapping
 *
 * Context: any.
 * Return: the mapping, checked in this walk or not; or NULL.
 */
static __always_inline struct lw_mapping *
lw_mapping_known(const struct lw_mappings *mappings, u64 pc, unsigned int *next)
{
	const struct lw_kept *kept = mappings->now;

	if (*next < kept->nr && lw_mapping_covers(kept->mapping[*next], pc))
		return kept->mapping[*next];
	*next = lw_mapping_behind(kept, pc);
	return *next < kept->nr && kept->mapping[*next]->start <= pc ? kept->mapping[*next] : NULL;
}

/**
 * lw_mapping_is_there() - check a mapping for this walk, without a lock
 * @mappings: of this walk
 * @mapping: known mapping
 *
 * Context: preemption off, which is an RCU section: see mappings.c.
 * Return: true if it may be used in this walk.  Else lw_mapping_check() takes a closer look.
 */
static __always_inline bool
lw_mapping_is_there(const struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	const struct inode *inode = mapping->inode;
	unsigned long now = jiffies;
	struct timespec64 ctime;

	if (mapping->checked == mappings->walk)
		return true;
	if (mapping->once || now - mapping->at > LW_SEQ_TRUST ||
	    !lw_compat_mm_unchanged(current->mm, mapping->seq))
		return false;
	if (inode) {
		ctime = lw_compat_ctime(inode);
		if (ctime.tv_nsec != mapping->seen.ctime.tv_nsec ||
		    ctime.tv_sec != mapping->seen.ctime.tv_sec ||
		    i_size_read(inode) != mapping->seen.id.size ||
		    (mapping->lasting && mapping_writably_mapped(inode->i_mapping)))
			return false;
	}
	mapping->at = now;
	mapping->checked = mappings->walk;
	return true;
}

struct lw_mappings *lw_mappings_make(void);
void lw_mappings_begin(struct lw_mappings *mappings);
void lw_mappings_drop(struct lw_mappings *mappings);
void lw_mappings_let_go(struct lw_mappings *mappings);
void lw_mappings_free(struct lw_mappings *mappings);
bool lw_mapping_check(struct lw_mappings *mappings, u64 pc);
struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc);
struct lw_mapping *lw_mapping_renew(struct lw_mappings *mappings, u64 pc);

#endif /* LW_MAPPINGS_H */
