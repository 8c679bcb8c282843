// SPDX-License-Identifier: GPL-2.0
/*
 * mappings.c - what is known of the code that current has mapped, over walks.
 *
 * To look at a mapping takes locks, a look at ELF headers and a search for tables: as
 * much as a hundred frames.  So each CPU keeps what was found, by process, with all that
 * it takes to tell, once in each walk that comes there, that it is still so:
 *
 *   the process	by a number that no other ever has (lw_arch_mm_id());
 *   its mappings	by the count of their changes, without a lock, or where there is
 *			none or it has changed, by a look at this mapping and that of
 *			the section (compat/mm_seq.h);
 *   the file		by when its inode was last changed, which nobody can set, and its
 *			size: no write is missed that comes later than the clock's next
 *			tick, so a file that was changed just now is not believed yet;
 *   tables		by lw_tables_generation(), and whether they are for current;
 *   sections that the process registered	by lw_registry_changes().
 *
 * What may change and tell nobody, memory that can be written to while it runs and files
 * that somebody has mapped to write, is not lasting: no rule is kept that was read there.
 * Pages of the process's own look the same whatever they have: where mappings have changed
 * they are looked at anew.  What a debugger writes past the rights of a mapping, or
 * MADV_DONTNEED gives back, is not seen where mappings have not changed.
 *
 * A change in the middle of a walk gives a wrong or a short stack, no more, and that once:
 * what was read while something changed is not kept.  Linux before 6.13 can't tell that;
 * there a process that maps other things at the same place in the very moment of the
 * look, and has it back as it was before the next one, is believed to have changed nothing.
 *
 * Nothing is pinned but tables, which are given back when a session goes
 * (lw_unwind_forget()), and registered sections, up to LW_KEPT_SECTIONS bytes.  The inode
 * has no reference: it is looked at in an RCU section in which the count of changes says
 * that the process has it mapped still, and inodes are freed a grace period later.
 *
 * Context of all here, if they don't say otherwise: as lw_unwind().
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

#include "arch/arch.h"
#include "compat/fs.h"
#include "compat/mm_seq.h"
#include "mappings.h"
#include "registered.h"
#include "sframe/rulecache.h"
#include "tables.h"
#include "unwind.h"

/* For lw_mapping.id. */
static atomic64_t last_number = ATOMIC64_INIT(0);

/* A mapping as mappings_find_code() saw it; with a reference to the table. */
struct code {
	struct lw_seen seen;
	u32	seq;
	u64	headers;	/* where the file's first byte is mapped, or 0 */
	const struct inode *inode;
	struct timespec64 ctime;
	bool	lasting;
	bool	settled;
	struct lw_file_table *table;	/* or NULL */
	struct lw_table_range range;	/* where it is for */
};

/**
 * lw_mappings_make - nothing is known yet
 *
 * Return: memory for walks, or NULL.
 */
struct lw_mappings *lw_mappings_make(void)
{
	return kzalloc(sizeof(struct lw_mappings), lw_walk_gfp());
}

static void mappings_put_sources(struct lw_mapping *mapping)
{
	if (mapping->registered)
		lw_registered_put_quietly(mapping->registered);
	lw_table_put(mapping->table);
	mapping->registered = NULL;
	mapping->table = NULL;
}

static size_t mappings_registered_bytes(const struct lw_mapping *mapping)
{
	return mapping->registered ? mapping->registered->memory : 0;
}

/* Gives back what those from @from to @to hold; they stay where they are. */
static void mappings_put_range(struct lw_mappings *mappings, struct lw_kept *kept,
			       unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++) {
		mappings->registered_bytes -= mappings_registered_bytes(kept->mapping[i]);
		mappings_put_sources(kept->mapping[i]);
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
 * lw_mappings_drop - give back tables and sections, but free nothing
 * @mappings: only for lw_mappings_free() after that
 *
 * Context: task; does not sleep.
 */
void lw_mappings_drop(struct lw_mappings *mappings)
{
	unsigned int i;

	for (i = 0; i < LW_KEPT_MMS; i++)
		mappings_put_range(mappings, &mappings->kept[i], 0, mappings->kept[i].nr);
	if (mappings->once)
		mappings_put_sources(mappings->once);
}

/**
 * lw_mappings_free - give all back
 * @mappings: or NULL
 *
 * Context: process, or as lw_unwind().
 */
void lw_mappings_free(struct lw_mappings *mappings)
{
	unsigned int i;

	if (!mappings)
		return;
	lw_mappings_drop(mappings);
	for (i = 0; i < LW_KEPT_MMS; i++) {
		mappings_clear(mappings, &mappings->kept[i]);
		kfree(mappings->kept[i].mapping);
	}
	if (mappings->once != &mappings->reserve)
		kfree(mappings->once);
	kfree(mappings);
}

/* That of a process, or the one that was not used for longest. */
static struct lw_kept *mappings_choose_kept(struct lw_mappings *mappings, u64 mm)
{
	struct lw_kept *oldest = &mappings->kept[0];
	unsigned int i;

	for (i = 0; i < LW_KEPT_MMS; i++) {
		if (mappings->kept[i].mm == mm)
			return &mappings->kept[i];
		if (mappings->kept[i].used < oldest->used)
			oldest = &mappings->kept[i];
	}
	return oldest;
}

/**
 * lw_mappings_begin - a walk of current begins
 * @mappings: for it
 * @time: now, CLOCK_MONOTONIC
 */
void lw_mappings_begin(struct lw_mappings *mappings, u64 time)
{
	/* First: what is looked up now is at least as new. */
	u64 generation = lw_tables_generation();
	u64 changes = lw_registry_changes();
	u64 mm = lw_arch_mm_id(current->mm);
	struct lw_kept *kept = mappings->now;

	if (!kept || kept->mm != mm)
		kept = mappings_choose_kept(mappings, mm);
	if (unlikely(kept->mm != mm || kept->generation != generation ||
		     kept->changes != changes)) {
		mappings_clear(mappings, kept);
		kept->mm = mm;
		kept->generation = generation;
		kept->changes = changes;
	}
	mappings->now = kept;
	mappings->time = time;
	kept->used = ++mappings->walk;
	lw_registered_tidy();
}

/* Was it changed so long ago that no other change can have the same time? */
static bool mappings_is_settled(const struct inode *inode, const struct timespec64 *ctime)
{
	const struct super_block *sb = inode->i_sb;
	s64 step = max_t(s64, sb->s_time_gran, TICK_NSEC);
	struct timespec64 now;

	/* Others, of the net, have clocks of their own. */
	if (!(sb->s_type->fs_flags & FS_REQUIRES_DEV))
		step = max_t(s64, step, NSEC_PER_SEC);
	ktime_get_coarse_real_ts64(&now);
	return timespec64_to_ns(&now) - timespec64_to_ns(ctime) > 2 * step;
}

/* Can what is read there not change without being noticed?  Context: mmap_lock is held. */
static bool mappings_is_lasting(const struct lw_seen *seen, const struct vm_area_struct *vma)
{
	const struct inode *inode;

	/* Pages of its own are written when the rights are changed: a count tells of that. */
	if (seen->flags & VM_WRITE || (seen->own_pages && !LW_COMPAT_MM_SEQ) ||
	    vma->vm_flags & (VM_PFNMAP | VM_IO))
		return false;
	if (!vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	/* Pages of these, once mapped to write, are written without a word. */
	return inode->i_sb->s_magic != TMPFS_MAGIC && inode->i_sb->s_magic != HUGETLBFS_MAGIC &&
	       !mapping_writably_mapped(inode->i_mapping);
}

static u64 mappings_headers_of(struct mm_struct *mm, const struct vm_area_struct *vma)
{
	return vma->vm_file ? lw_section_headers(mm, vma) : 0;
}

/* Has what was read pages of the process's own, which look the same with another content? */
static bool mappings_may_be_rewritten(const struct lw_mapping *mapping)
{
	return (mapping->lasting && mapping->seen.own_pages) ||
	       (mapping->saw_section && mapping->section.seen.own_pages);
}

/* A look under the lock.  Return: true if it is as it was. */
static bool mappings_is_like(struct lw_mapping *mapping)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct timespec64 ctime;
	bool same;

	if (lw_lock_mm(mm))
		return false;
	same = lw_is_as_seen(&mapping->seen, mm) &&
	       (!mapping->saw_section || lw_is_as_seen(&mapping->section.seen, mm)) &&
	       !mappings_may_be_rewritten(mapping);
	if (same) {
		vma = find_vma(mm, mapping->seen.start);
		mapping->inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
		if (mapping->inode) {
			ctime = lw_compat_ctime(mapping->inode);
			same = timespec64_equal(&ctime, &mapping->ctime);
		}
		same = same && (!mapping->lasting || mappings_is_lasting(&mapping->seen, vma)) &&
		       mappings_headers_of(mm, vma) == mapping->headers;
		mapping->seq = lw_compat_mm_seq(mm);
	}
	mmap_read_unlock(mm);
	return same;
}

static bool mappings_check(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	bool unchanged;

	if (mapping->checked == mappings->walk)
		return true;
	if (mapping->once)
		return false;
	preempt_disable();
	unchanged = lw_mapping_is_unchanged(mappings, mapping);
	preempt_enable();
	if (!unchanged && !mappings_is_like(mapping))
		return false;
	mapping->checked = mappings->walk;
	mapping->time = mappings->time;
	return true;
}

/* Those that have an address in a range are not there any more. */
static void mappings_remove_in(struct lw_mappings *mappings, u64 start, u64 end)
{
	struct lw_kept *kept = mappings->now;
	unsigned int from = lw_mapping_behind(kept, start), to = from;

	while (to < kept->nr && kept->mapping[to]->start < end)
		to++;
	mappings_remove_range(mappings, kept, from, to);
}

/**
 * lw_mapping_check - is the mapping around an address known, and still there
 * @mappings: of this walk
 * @pc: address
 *
 * Return: true if so: lw_mapping_known() finds it, checked in this walk.
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

static void mappings_see_file(struct code *code, const struct vm_area_struct *vma)
{
	code->settled = true;
	if (!vma->vm_file)
		return;
	code->inode = file_inode(vma->vm_file);
	code->ctime = lw_compat_ctime(code->inode);
	code->settled = mappings_is_settled(code->inode, &code->ctime);
}

static int mappings_find_code(u64 pc, struct code *code)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = -ENOENT;

	if (lw_lock_mm(mm))
		return -EINTR;
	vma = find_vma(mm, pc);
	if (vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC)) {
		*code = (struct code) { .seq = lw_compat_mm_seq(mm) };
		lw_see(&code->seen, vma);
		mappings_see_file(code, vma);
		code->lasting = code->settled && mappings_is_lasting(&code->seen, vma);
		code->headers = mappings_headers_of(mm, vma);
		code->table = lw_table_get(code->seen.has_file ? &code->seen.id : NULL,
					   code->seen.offset, vma, pc, &code->range);
		ret = 0;
	}
	mmap_read_unlock(mm);
	return ret;
}

/* Takes over the table of @code. */
static void mappings_fill(struct lw_mapping *mapping, const struct code *code, u64 pc)
{
	u64 bias = code->range.bias;

	*mapping = (struct lw_mapping) {
		.start = code->range.start,
		.end = code->range.end,
		.id = lw_rule_id(atomic64_inc_return(&last_number)),
		.seq = code->seq,
		.once = !code->settled,
		.lasting = code->lasting,
		.seen = code->seen,
		.headers = code->headers,
		.ctime = code->ctime,
		.inode = code->inode,
		.table = code->table,
		.table_bias = bias,
	};
	if (code->table)
		lw_table_open(code->table, lw_program_entry() - bias, &mapping->table_sframe);
	mapping->registered = lw_registry_find(pc, &mapping->start, &mapping->end);
	/* What is written there goes with the section: its rules outlast other changes. */
	if (mapping->registered && !code->inode)
		mapping->lasting = false;
}

/* Return: 0, also if there is none; -errno if that could not be seen. */
static int mappings_open_section(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	int ret;

	if (!mapping->headers)
		return 0;
	ret = lw_section_open(&mapping->seen, mapping->headers, mappings->phdrs, &mapping->section,
			      &mapping->sframe);
	mapping->has_sframe = !ret;
	mapping->saw_section = !ret || ret == -EBADMSG;
	if (ret == -ENOENT)
		return 0;
	/* What it says, or where it is, may change unseen. */
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

/* So that one more may be kept.  Others of this walk are looked at again if need be. */
static void mappings_stay_in_limits(struct lw_mappings *mappings, const struct lw_mapping *mapping)
{
	unsigned int i;

	if (mappings->nr >= LW_KEPT_IN_ALL ||
	    mappings->registered_bytes + mappings_registered_bytes(mapping) > LW_KEPT_SECTIONS)
		for (i = 0; i < LW_KEPT_MMS; i++)
			mappings_clear(mappings, &mappings->kept[i]);
	if (mappings->now->nr >= LW_KEPT_MAPPINGS)
		mappings_clear(mappings, mappings->now);
}

/* Return: whether it has been taken. */
static bool mappings_keep(struct lw_mappings *mappings, struct lw_mapping *mapping)
{
	struct lw_kept *kept = mappings->now;
	unsigned int at;

	if (mappings_registered_bytes(mapping) > LW_KEPT_SECTIONS)
		return false;
	mappings_stay_in_limits(mappings, mapping);
	mappings_remove_in(mappings, mapping->start, mapping->end);
	if (!mappings_make_room(kept))
		return false;
	at = lw_mapping_behind(kept, mapping->start);
	memmove(&kept->mapping[at + 1], &kept->mapping[at],
		(kept->nr - at) * sizeof(*kept->mapping));
	kept->mapping[at] = mapping;
	kept->nr++;
	mappings->nr++;
	mappings->registered_bytes += mappings_registered_bytes(mapping);
	return true;
}

/*
 * Memory for one: of the last one that was not kept, if there is that.  Without memory
 * there is one that can't be kept.
 */
static struct lw_mapping *mappings_new_mapping(struct lw_mappings *mappings)
{
	struct lw_mapping *mapping = mappings->once;

	mappings->once = NULL;
	if (mapping)
		mappings_put_sources(mapping);
	if (!mapping || mapping == &mappings->reserve)
		mapping = kmalloc(sizeof(*mapping), lw_walk_gfp());
	return mapping ?: &mappings->reserve;
}

/* Finds it where it is not known. */
static struct lw_mapping *mappings_look(struct lw_mappings *mappings, u64 pc)
{
	struct lw_mapping *mapping;
	struct code code = {};
	int ret;

	ret = mappings_find_code(pc, &code);
	if (ret)
		return ERR_PTR(ret);
	mapping = mappings_new_mapping(mappings);
	mappings_fill(mapping, &code, pc);
	ret = mappings_open_section(mappings, mapping);
	/* What was read meanwhile may be of something else. */
	if (lw_compat_mm_changed(current->mm, code.seq))
		mapping->once = true;
	mapping->checked = mappings->walk;
	mapping->time = mappings->time;
	/* A page that is not there says nothing: look again next time. */
	if (ret)
		mapping->checked = 0;
	if (ret || mapping == &mappings->reserve || !mappings_keep(mappings, mapping))
		mappings->once = mapping;
	return mapping;
}

/**
 * lw_mapping_find - the executable mapping of current around an address
 * @mappings: of this walk
 * @pc: address
 *
 * Return: the mapping, good until the next call; ERR_PTR(-ENOENT) if there is
 * no code, ERR_PTR(-EINTR) if the task is being killed.
 */
struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc)
{
	struct lw_mapping *once = mappings->once;
	unsigned int at = 0;

	if (lw_mapping_check(mappings, pc))
		return lw_mapping_known(mappings, pc, &at);
	if (once && once->checked == mappings->walk && lw_mapping_covers(once, pc))
		return once;
	return mappings_look(mappings, pc);
}

/**
 * lw_mapping_renew - likewise, but all is looked up anew: there may be a table now
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
