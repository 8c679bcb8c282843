// SPDX-License-Identifier: GPL-2.0
/*
 * mappings.c - what a CPU knows of the executable mappings of processes.
 *
 * To look at a mapping takes locks, ELF headers and a search for tables: as much as a hundred
 * frames.  So each CPU keeps what it has found from walk to walk.  Each walk checks each mapping
 * that it meets once:
 *
 *   the process	by an id that no other process ever has (lw_arch_mm_id());
 *   its mappings	by mm_lock_seq, without a lock.  If that has changed or is not there
 *			(compat/mm_seq.h), or the last check is LW_SEQ_TRUST ago, by a look at
 *			this mapping and that of the section;
 *   the file		by ctime, which nobody can set, and size.  A write changes ctime at the
 *			clock's next tick, so a file that was changed just now is used once;
 *   tables		by lw_tables_generation();
 *   registered sections	by lw_registry_changes().
 *
 * Writable memory, and files that somebody has mapped to write, change without any of these.
 * They are not lasting: no rule read there is kept.  Anonymous pages of a mapping (own_pages)
 * look the same whatever they contain, so these are looked at again when mappings have changed.
 * Two changes are missed as long as mappings do not change: what a debugger writes to read-only
 * memory, and what MADV_DONTNEED gives back.
 *
 * If mappings change during a walk the stack may be wrong or short, and nothing read meanwhile
 * is kept.  Linux before 6.13 cannot tell: if a process maps another file at the same place in
 * the moment of a look, and has mapped the first one again by the next look, the change is missed.
 *
 * References are held to tables, which lw_unwind_forget() gives back when a session closes, and
 * to registered sections, up to LW_KEPT_SECTIONS.  A walk that waits for memory of its process,
 * which may take for ever, gives them back before (lw_mappings_let_go()).  The inode has no
 * reference.  It is used with preemption off, after mm_lock_seq has shown that the process still
 * maps it, and inodes are freed after an RCU grace period.
 *
 * Context of all functions, unless stated otherwise: as lw_unwind().
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "arch.h"
#include "compat/fs.h"
#include "compat/mm_seq.h"
#include "mappings.h"
#include "registered.h"
#include "rows.h"
#include "sframe/rulecache.h"
#include "tables.h"
#include "unwind.h"

/* For lw_mapping.id. */
static atomic64_t last_number = ATOMIC64_INIT(0);

/**
 * lw_mappings_make - allocate memory for walks
 *
 * Return: memory without known mappings, or NULL.
 */
struct lw_mappings *lw_mappings_make(void)
{
	return kzalloc(sizeof(struct lw_mappings), lw_walk_gfp());
}

static void mappings_put_rows(struct lw_mapping *mapping)
{
	lw_rows_put(mapping->registered);
	lw_rows_put(mapping->table);
	mapping->registered = NULL;
	mapping->table = NULL;
}

static u64 mappings_registered_bytes(const struct lw_mapping *mapping)
{
	return mapping->registered ? mapping->registered->memory : 0;
}

/* Puts the rows of mappings @from to @to, which stay in the array. */
static void mappings_put_range(struct lw_mappings *mappings, struct lw_kept *kept,
			       unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++) {
		mappings->registered_bytes -= mappings_registered_bytes(kept->mapping[i]);
		mappings_put_rows(kept->mapping[i]);
	}
}

static void mappings_remove_range(struct lw_mappings *mappings, struct lw_kept *kept,
				  unsigned int from, unsigned int to)
{
	unsigned int i;

	mappings_put_range(mappings, kept, from, to);
	for (i = from; i < to; i++)
		kfree(kept->mapping[i]);
	memmove(&kept->mapping[from], &kept->mapping[to],
		(kept->nr - to) * sizeof(*kept->mapping));
	kept->nr -= to - from;
	mappings->nr -= to - from;
}

static void mappings_clear(struct lw_mappings *mappings, struct lw_kept *kept)
{
	mappings_remove_range(mappings, kept, 0, kept->nr);
}

/**
 * lw_mappings_drop - give back tables and sections, but free no memory
 * @mappings: only for lw_mappings_free() or lw_mappings_begin() after that
 *
 * Context: task; does not sleep.
 */
void lw_mappings_drop(struct lw_mappings *mappings)
{
	unsigned int i;

	for (i = 0; i < LW_KEPT_MMS; i++)
		mappings_put_range(mappings, &mappings->kept[i], 0, mappings->kept[i].nr);
	mappings_put_rows(&mappings->once);
}

/**
 * lw_mappings_let_go - give back tables and sections before a wait without end
 * @mappings: of a walk; lw_mappings_begin() comes before the next look at a rule
 *
 * Context: as lw_unwind(); does not sleep.
 */
void lw_mappings_let_go(struct lw_mappings *mappings)
{
	lw_mappings_drop(mappings);
	mappings->let_go = true;
}

/**
 * lw_mappings_free - free all
 * @mappings: or NULL
 *
 * Context: process, or as lw_unwind().
 */
void lw_mappings_free(struct lw_mappings *mappings)
{
	unsigned int i;

	if (!mappings)
		return;
	for (i = 0; i < LW_KEPT_MMS; i++) {
		mappings_clear(mappings, &mappings->kept[i]);
		kfree(mappings->kept[i].mapping);
	}
	mappings_put_rows(&mappings->once);
	kfree(mappings);
}

/* Return: the entry of a process, or else the least recently used one. */
static struct lw_kept *mappings_choose_kept(struct lw_mappings *mappings,
					    const struct lw_arch_mm_id *mm)
{
	struct lw_kept *oldest = &mappings->kept[0];
	unsigned int i;

	for (i = 0; i < LW_KEPT_MMS; i++) {
		if (lw_arch_is_same_mm(&mappings->kept[i].mm, mm))
			return &mappings->kept[i];
		if (mappings->kept[i].used < oldest->used)
			oldest = &mappings->kept[i];
	}
	return oldest;
}

/* Removes all mappings of all processes. */
static void mappings_clear_all(struct lw_mappings *mappings)
{
	unsigned int i;

	for (i = 0; i < LW_KEPT_MMS; i++)
		mappings_clear(mappings, &mappings->kept[i]);
}

/**
 * lw_mappings_begin - a walk of current begins, or goes on behind lw_mappings_let_go()
 * @mappings: for the walk
 */
void lw_mappings_begin(struct lw_mappings *mappings)
{
	/* Read first: look-ups of this walk are at least as new. */
	u64 generation = lw_tables_generation();
	u64 changes = lw_registry_changes();
	struct lw_arch_mm_id mm = lw_arch_mm_id(current->mm);
	struct lw_kept *kept = mappings->now;

	if (unlikely(mappings->let_go)) {
		mappings_clear_all(mappings);
		mappings_put_rows(&mappings->once);
		mappings->let_go = false;
	}
	if (!kept || !lw_arch_is_same_mm(&kept->mm, &mm))
		kept = mappings_choose_kept(mappings, &mm);
	if (unlikely(!lw_arch_is_same_mm(&kept->mm, &mm) || kept->generation != generation ||
		     kept->changes != changes)) {
		mappings_clear(mappings, kept);
		kept->mm = mm;
		kept->generation = generation;
		kept->changes = changes;
	}
	mappings->now = kept;
	kept->used = ++mappings->walk;
	/* A section too large to be kept is not held until the next look, either. */
	if (unlikely(mappings->once.registered))
		mappings_put_rows(&mappings->once);
}

/* Is the file's ctime so old that a write from now on must change it? */
static bool mappings_is_settled(const struct inode *inode, const struct timespec64 *ctime)
{
	const struct super_block *sb = inode->i_sb;
	s64 step = max_t(s64, sb->s_time_gran, TICK_NSEC);
	struct timespec64 now;

	/* Network file systems have clocks of their own. */
	if (!(sb->s_type->fs_flags & FS_REQUIRES_DEV))
		step = max_t(s64, step, NSEC_PER_SEC);
	ktime_get_coarse_real_ts64(&now);
	return timespec64_to_ns(&now) - timespec64_to_ns(ctime) > 2 * step;
}

/* Is each change of the mapping's content noticed?  Context: mmap_lock is held. */
static bool mappings_is_lasting(const struct lw_seen *seen, const struct vm_area_struct *vma)
{
	const struct inode *inode;

	/* To write to own pages takes a change of rights, which only mm_lock_seq tells. */
	if (seen->flags & VM_WRITE || (seen->own_pages && !LW_COMPAT_MM_SEQ) ||
	    vma->vm_flags & (VM_PFNMAP | VM_IO))
		return false;
	if (!vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	/* These change no ctime when a page is written that was mapped to write before. */
	return inode->i_sb->s_magic != TMPFS_MAGIC && inode->i_sb->s_magic != HUGETLBFS_MAGIC &&
	       !mapping_writably_mapped(inode->i_mapping);
}

/* Was something read from own pages?  Their content may have changed with the mappings. */
static bool mappings_may_be_rewritten(const struct lw_mapping *mapping)
{
	return (mapping->lasting && mapping->seen.own_pages) ||
	       (mapping->saw_section && mapping->section.seen.own_pages);
}

/* Return: true if a look under mmap_lock shows no change. */
static bool mappings_is_same(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool same;

	if (lw_lock_mm(mappings, mm))
		return false;
	same = lw_is_as_seen(&mapping->seen, mm) &&
	       (!mapping->saw_section || lw_is_as_seen(&mapping->section.seen, mm)) &&
	       !mappings_may_be_rewritten(mapping);
	if (same) {
		vma = find_vma(mm, mapping->seen.start);
		mapping->inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
		mapping->seq = lw_compat_mm_seq(mm);
		mapping->at = jiffies;
		same = (!mapping->lasting || mappings_is_lasting(&mapping->seen, vma)) &&
		       lw_section_headers(mm, vma) == mapping->headers;
	}
	mmap_read_unlock(mm);
	return same;
}

static bool mappings_check(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	bool is_there;

	preempt_disable();
	is_there = lw_mapping_is_there(mappings, mapping);
	preempt_enable();
	if (is_there)
		return true;
	if (mapping->once || !mappings_is_same(mappings, mapping))
		return false;
	mapping->checked = mappings->walk;
	return true;
}

/* Removes the mappings with an address in a range. */
static void mappings_remove_in(struct lw_mappings *mappings, u64 start, u64 end)
{
	struct lw_kept *kept = mappings->now;
	unsigned int from = lw_mapping_behind(kept, start), to = from;

	while (to < kept->nr && kept->mapping[to]->start < end)
		to++;
	mappings_remove_range(mappings, kept, from, to);
}

/**
 * lw_mapping_check - check the known mapping around an address for this walk
 * @mappings: of this walk
 * @pc: address
 *
 * Return: true if lw_mapping_known() finds a mapping that may be used; false if none is known.
 */
bool lw_mapping_check(struct lw_mappings *mappings, u64 pc)
{
	unsigned int at = 0;
	struct lw_mapping *mapping = lw_mapping_known(mappings, pc, &at);

	if (!mapping)
		return false;
	if (mappings_check(mappings, mapping))
		return true;
	mappings_remove_in(mappings, pc, pc + 1);
	return false;
}

/* Context: mmap_lock is held. */
static void mappings_see(struct lw_mapping *mapping, struct mm_struct *mm,
			 const struct vm_area_struct *vma)
{
	memset(mapping, 0, sizeof(*mapping));
	mapping->start = vma->vm_start;
	mapping->end = vma->vm_end;
	mapping->id = lw_rule_id(atomic64_inc_return(&last_number));
	mapping->seq = lw_compat_mm_seq(mm);
	mapping->at = jiffies;
	mapping->headers = lw_section_headers(mm, vma);
	lw_see(&mapping->seen, vma);
	if (vma->vm_file) {
		mapping->inode = file_inode(vma->vm_file);
		mapping->once = !mappings_is_settled(mapping->inode, &mapping->seen.ctime);
	}
	mapping->lasting = !mapping->once && mappings_is_lasting(&mapping->seen, vma);
}

/* Return: 0, -ENOENT (no code there), -EINTR (killed). */
static int mappings_see_code(struct lw_mappings *mappings, struct lw_mapping *mapping, u64 pc)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = -ENOENT;

	if (lw_lock_mm(mappings, mm))
		return -EINTR;
	vma = find_vma(mm, pc);
	if (vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC)) {
		mappings_see(mapping, mm, vma);
		ret = 0;
	}
	mmap_read_unlock(mm);
	return ret;
}

/* Narrows @mapping to the part around @pc that has the same table, or none. */
static void mappings_find_table(struct lw_mapping *mapping, u64 pc)
{
	/* Where offset 0 of the file would be mapped. */
	u64 file = mapping->seen.start - mapping->seen.offset;
	u64 start = mapping->start - file, end = mapping->end - file;

	if (!mapping->seen.has_file)
		return;
	mapping->table = lw_tables_find(&mapping->seen.id, pc - file, &start, &end);
	mapping->start = file + start;
	mapping->end = file + end;
	if (!mapping->table)
		return;
	mapping->table_bias = file - LW_TABLE_ADDR;
	mapping->table_sframe = mapping->table->sframe;
	mapping->table_sframe.place.entry = lw_program_entry() - mapping->table_bias;
}

/* Narrows @mapping likewise. */
static void mappings_find_registered(struct lw_mapping *mapping, u64 pc)
{
	mapping->registered = lw_registry_find(pc, &mapping->start, &mapping->end);
	/* Code in anonymous memory may change while the section stays: only its rules are kept. */
	if (mapping->registered && !mapping->inode)
		mapping->lasting = false;
}

/* Return: 0, also if there is no section; -errno if that is not known. */
static int mappings_open_section(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	int ret;

	if (!mapping->headers)
		return 0;
	ret = lw_section_open(mappings, &mapping->seen, mapping->headers, &mapping->section,
			      &mapping->sframe);
	mapping->has_sframe = !ret;
	mapping->saw_section = !ret || ret == -EBADMSG;
	if (ret == -ENOENT)
		return 0;
	/* The section, or its place, may change unnoticed. */
	if (ret == -ENXIO || !mapping->lasting ||
	    (mapping->section.seen.own_pages && !LW_COMPAT_MM_SEQ))
		mapping->once = true;
	return ret == -ENXIO || ret == -EBADMSG ? 0 : ret;
}

static bool mappings_make_room(struct lw_kept *kept)
{
	unsigned int room = kept->room ? 2 * kept->room : 16;
	struct lw_mapping **more;

	if (kept->nr < kept->room)
		return true;
	more = krealloc(kept->mapping, room * sizeof(*more), lw_walk_gfp());
	if (!more)
		return false;
	kept->mapping = more;
	kept->room = room;
	return true;
}

/* Makes place for one more.  Other mappings of this walk may be removed, and looked at again. */
static void mappings_stay_in_limits(struct lw_mappings *mappings, u64 registered_bytes)
{
	/* A process with many mappings costs the others none of theirs. */
	if (mappings->now->nr >= LW_KEPT_IN_ALL / 2)
		mappings_clear(mappings, mappings->now);
	if (mappings->nr < LW_KEPT_IN_ALL &&
	    mappings->registered_bytes + registered_bytes <= LW_KEPT_SECTIONS)
		return;
	mappings_clear_all(mappings);
}

/* Moves @mappings->once to the known mappings.  Return: where it is now, or NULL. */
static struct lw_mapping *mappings_keep(struct lw_mappings *mappings)
{
	struct lw_mapping *once = &mappings->once, *mapping;
	u64 registered_bytes = mappings_registered_bytes(once);
	struct lw_kept *kept = mappings->now;
	unsigned int at;

	if (registered_bytes > LW_KEPT_SECTIONS)
		return NULL;
	mappings_stay_in_limits(mappings, registered_bytes);
	mappings_remove_in(mappings, once->start, once->end);
	if (!mappings_make_room(kept))
		return NULL;
	mapping = kmemdup(once, sizeof(*once), lw_walk_gfp());
	if (!mapping)
		return NULL;
	mapping->sframe.src = &mapping->section.src;
	/* The rows' references have moved, too. */
	memset(once, 0, sizeof(*once));
	at = lw_mapping_behind(kept, mapping->start);
	memmove(&kept->mapping[at + 1], &kept->mapping[at],
		(kept->nr - at) * sizeof(*kept->mapping));
	kept->mapping[at] = mapping;
	kept->nr++;
	mappings->nr++;
	mappings->registered_bytes += registered_bytes;
	return mapping;
}

/* Looks at an unknown mapping.  Return: as lw_mapping_find(). */
static struct lw_mapping *mappings_look(struct lw_mappings *mappings, u64 pc)
{
	struct lw_mapping *once = &mappings->once;
	int ret;

	mappings_put_rows(once);
	once->checked = 0;
	ret = mappings_see_code(mappings, once, pc);
	if (ret)
		return ERR_PTR(ret);
	mappings_find_table(once, pc);
	mappings_find_registered(once, pc);
	ret = mappings_open_section(mappings, once);
	/* What was read since mappings_see_code() may be of another mapping. */
	if (lw_compat_mm_changed(current->mm, once->seq))
		once->once = true;
	/* A page that could not be read says nothing: the next frame looks again. */
	if (ret)
		return once;
	once->checked = mappings->walk;
	return mappings_keep(mappings) ?: once;
}

/**
 * lw_mapping_find - the executable mapping of current around an address
 * @mappings: of this walk
 * @pc: address
 *
 * Return: the mapping, valid until the next call; ERR_PTR(-ENOENT): no code there;
 * ERR_PTR(-EINTR): current is killed.
 */
struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc)
{
	struct lw_mapping *once = &mappings->once;
	unsigned int at = 0;

	if (lw_mapping_check(mappings, pc))
		return lw_mapping_known(mappings, pc, &at);
	if (once->checked == mappings->walk && lw_mapping_covers(once, pc))
		return once;
	return mappings_look(mappings, pc);
}

/**
 * lw_mapping_renew - find a mapping with a new look, as there may be a table now
 * @mappings: of this walk
 * @pc: address
 *
 * Return: as lw_mapping_find().
 */
struct lw_mapping *lw_mapping_renew(struct lw_mappings *mappings, u64 pc)
{
	mappings_remove_in(mappings, pc, pc + 1);
	return mappings_look(mappings, pc);
}
