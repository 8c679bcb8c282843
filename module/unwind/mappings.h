/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mappings.h - what is known of the code that current has mapped.
 */
#ifndef LW_MAPPINGS_H
#define LW_MAPPINGS_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "compat/fs.h"
#include "compat/mm_seq.h"
#include "file_id.h"
#include "sections.h"
#include "sframe/sframe.h"

struct lw_file_table;
struct lw_registered;

/* Processes of which a CPU keeps something. */
#define LW_KEPT_MMS	16
/* Mappings that it keeps: of one process, and of all together. */
#define LW_KEPT_MAPPINGS 1024
#define LW_KEPT_IN_ALL	2048
/* Memory of registered sections that it holds, which their process may have dropped. */
#define LW_KEPT_SECTIONS SZ_4M
/* Nanoseconds after which a mapping is looked at again: no count comes round in these. */
#define LW_KEPT_FOR	(300 * NSEC_PER_SEC)

/**
 * struct lw_mapping - an executable mapping of a process, or a part of one
 * @start: first address
 * @end: first address behind it
 * @id: of its rules, never given to another (lw_rule_id())
 * @checked: lw_mappings.walk in which it was seen to be as it was
 * @time: of that walk
 * @seq: lw_compat_mm_seq() when it was looked at
 * @next: where in lw_kept.mapping the caller's mapping was last time; a guess
 * @once: what was seen is not to be believed in another walk
 * @asked: for a table, which did not come
 * @lasting: neither can its code change, nor the section, without being noticed
 * @saw_section: @section tells where the section is, whether it is of use or not
 * @has_sframe: @sframe covers it
 * @seen: the mapping
 * @headers: where the file's first byte is mapped, or 0
 * @ctime: of the file, where there is one
 * @inode: of the file, without a reference: for who knows that it is still mapped
 * @section: the section of its file
 * @sframe: likewise, for look-ups, if @has_sframe
 * @table: that a session has for its file, with a reference; or NULL
 * @table_bias: what to take from an address to look it up in @table_sframe
 * @table_sframe: @table, opened for current
 * @registered: the section that was registered for it, with a reference, or NULL
 *
 * Where sections are registered in a mapping there is one of these for each, and for
 * what is in between; likewise where a table is for a part of it.
 */
struct lw_mapping {
	u64	start;
	u64	end;
	u64	id;
	u64	checked;
	u64	time;
	u32	seq;
	unsigned int next;
	bool	once;
	bool	asked;
	bool	lasting;
	bool	saw_section;
	bool	has_sframe;
	struct lw_seen seen;
	u64	headers;
	struct timespec64 ctime;
	const struct inode *inode;
	struct lw_section_of_file section;
	struct lw_sframe sframe;
	struct lw_file_table *table;
	u64	table_bias;
	struct lw_sframe table_sframe;
	struct lw_registered *registered;
};

/**
 * struct lw_kept - mappings of one process
 * @mm: lw_arch_mm_id() of it, 0: of none
 * @used: lw_mappings.walk of the last one there
 * @generation: lw_tables_generation() that they were looked up with
 * @changes: lw_registry_changes(), likewise
 * @nr: mappings
 * @room: for so many there is memory
 * @mapping: them, by address; none overlaps another
 */
struct lw_kept {
	u64	mm;
	u64	used;
	u64	generation;
	u64	changes;
	unsigned int nr;
	unsigned int room;
	struct lw_mapping **mapping;
};

/**
 * struct lw_mappings - what is known, for one walk at a time
 * @walk: number of the walk
 * @time: when it began, CLOCK_MONOTONIC
 * @now: of its process
 * @first: where in it the topmost frame's mapping was last time; a guess
 * @once: the last one that was not to be kept, or NULL
 * @reserve: for @once, where there is no memory
 * @nr: mappings of all processes
 * @registered_bytes: of the sections that these hold
 * @kept: of each process
 * @phdrs: scratch
 */
struct lw_mappings {
	u64	walk;
	u64	time;
	struct lw_kept *now;
	unsigned int first;
	struct lw_mapping *once;
	struct lw_mapping reserve;
	unsigned int nr;
	size_t	registered_bytes;
	struct lw_kept kept[LW_KEPT_MMS];
	struct elf64_phdr phdrs[LW_PHDRS_AT_ONCE];
};

static __always_inline bool lw_mapping_covers(const struct lw_mapping *mapping, u64 pc)
{
	return pc - mapping->start < mapping->end - mapping->start;
}

/* Return: which is the first that does not end before @addr; @kept->nr if there is none. */
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
 * lw_mapping_known() - the mapping around an address that was found before
 * @mappings: of this walk
 * @pc: address
 * @next: where to look first; where it was found
 *
 * Context: any.
 * Return: the mapping, checked in this walk or not, or NULL.
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
 * lw_mapping_is_unchanged() - is it known, without a lock, that all is as it was
 * @mappings: of this walk
 * @mapping: that was found before
 *
 * Context: preemption off, an RCU section: see mappings.c.
 * Return: true if so.
 */
static __always_inline bool
lw_mapping_is_unchanged(const struct lw_mappings *mappings, const struct lw_mapping *mapping)
{
	const struct inode *inode = mapping->inode;
	struct timespec64 ctime;

	if (mappings->time - mapping->time > LW_KEPT_FOR ||
	    !lw_compat_mm_unchanged(current->mm, mapping->seq))
		return false;
	if (inode) {
		ctime = lw_compat_ctime(inode);
		if (ctime.tv_nsec != mapping->ctime.tv_nsec ||
		    ctime.tv_sec != mapping->ctime.tv_sec ||
		    i_size_read(inode) != mapping->seen.id.size ||
		    (mapping->lasting && mapping_writably_mapped(inode->i_mapping)))
			return false;
	}
	return true;
}

/**
 * lw_mapping_is_there() - may a mapping be used, as far as can be told at once
 * @mappings: of this walk
 * @mapping: that was found before
 *
 * Context: as lw_mapping_is_unchanged().
 * Return: true if so: it is checked in this walk.  Else lw_mapping_check() may know more.
 */
static __always_inline bool
lw_mapping_is_there(const struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	if (mapping->checked == mappings->walk)
		return true;
	if (mapping->once || !lw_mapping_is_unchanged(mappings, mapping))
		return false;
	mapping->checked = mappings->walk;
	mapping->time = mappings->time;
	return true;
}

struct lw_mappings *lw_mappings_make(void);
void lw_mappings_begin(struct lw_mappings *mappings, u64 time);
void lw_mappings_drop(struct lw_mappings *mappings);
void lw_mappings_free(struct lw_mappings *mappings);
bool lw_mapping_check(struct lw_mappings *mappings, u64 pc);
struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc);
struct lw_mapping *lw_mapping_renew(struct lw_mappings *mappings, u64 pc);

#endif /* LW_MAPPINGS_H */
