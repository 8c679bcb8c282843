// SPDX-License-Identifier: GPL-2.0
/*
 * tables.c - tables that sessions hand over, by file.
 *
 * A table is copied into the kernel, checked once, and not changed after that.
 * Walks find it by what the inode under a mapping says (file_id.c), under the
 * mmap_lock that they hold anyway and without reading user memory.
 *
 * Life of a table:
 *   made	by LW_IOC_ADD_TABLE, its memory reserved before it is had;
 *   published	in the hash; the sessions that have it are in its @owners, and
 *		they share one reference;
 *   unhashed	when the last of them closes: who looks now does not find it;
 *   garbage	when that reference and those of walks are gone.  A walk holds
 *		it over whatever it sleeps for, so that close() waits for none.
 *		Whoever puts last leaves freeing to a worker: walks may not be
 *		kept long, nor where they are at the time may one free at all.
 *
 * Trust.  What a table says is believed by walks of all tasks: who adds one may trace all.
 *
 * Cost.  A look-up in a hostile table takes as many steps as one in a hostile section
 * in the task's own memory (LW_SFRAME_MAX_ROWS rows), but each is a load where the
 * other has a copy_from_user() every 64 bytes.  It is done once a frame at most, and
 * between frames the walk may be preempted, stopped and throttled.
 *
 * Locks: tables_lock for who adds and releases; RCU for who looks.
 */
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "arch/arch.h"
#include "file_id.h"
#include "tables.h"

static ulong table_bytes = SZ_512M;
module_param(table_bytes, ulong, 0644);
MODULE_PARM_DESC(table_bytes, "most memory of all tables of LW_IOC_ADD_TABLE (512 MiB)");

static ulong table_count = 65536;
module_param(table_count, ulong, 0644);
MODULE_PARM_DESC(table_count, "most tables of LW_IOC_ADD_TABLE (65536)");

#define HASH_SIZE	4096
/* Where the parser has the text and the section: not at 0, which is no entry. */
#define TEXT_ADDR	0x1000ULL
/* An index entry for as many bytes, which is one or two functions. */
#define BYTES_PER_BUCKET	64
/* A table of more is none that functions of 32 bits' offsets could fill. */
#define MAX_DATA	SZ_1G
/* Copied or compared before somebody else may run, or we are killed. */
#define BYTES_AT_ONCE	SZ_1M

/**
 * struct lw_file_table - a table
 * @hash: in the hash, while a session has it
 * @garbage: in the list of those to be freed
 * @refs: one of all sessions together, and one of each mapping of a walk
 * @owners: struct owned_table; protected by tables_lock
 * @id: the file
 * @text_offset: of the segment, in the file
 * @text_size: its bytes
 * @memory: bytes of all this
 * @source: where @sframe reads
 * @sframe: the table, opened
 * @first: index of @sframe, and behind it the table's bytes
 */
struct lw_file_table {
	struct hlist_node hash;
	struct llist_node garbage;
	refcount_t refs;
	struct list_head owners;
	struct lw_file_id id;
	u64	text_offset;
	u64	text_size;
	u64	memory;
	struct lw_sframe_source source;
	struct lw_sframe sframe;
	u32	first[];
};

/**
 * struct owned_table - that a session has a table
 * @of_owner: in lw_table_owner.list
 * @of_table: in lw_file_table.owners
 * @owner: the session's
 * @table: which
 */
struct owned_table {
	struct list_head of_owner;
	struct list_head of_table;
	struct lw_table_owner *owner;
	struct lw_file_table *table;
};

static DEFINE_MUTEX(tables_lock);
/* protected by tables_lock for writing, RCU for reading */
static struct hlist_head hash[HASH_SIZE];
/* in the hash; written under tables_lock */
static unsigned long nr_hashed;
/* of the hash; likewise */
static u64 generation;
/* with those that are made, and those not freed yet; protected by tables_lock */
static u64 all_tables;
static u64 all_bytes;

static void tables_free_garbage(struct work_struct *work);
static LLIST_HEAD(garbage);
static DECLARE_WORK(free_work, tables_free_garbage);

static struct hlist_head *tables_bucket_of(const struct lw_file_id *id)
{
	return &hash[lw_file_id_hash(id) % HASH_SIZE];
}

static u8 *tables_data_of(struct lw_file_table *table, u32 room)
{
	return (u8 *)&table->first[room + 1];
}

/* Memory */

static bool tables_try_reserve(u64 memory)
{
	u64 bytes = READ_ONCE(table_bytes);
	bool fits;

	mutex_lock(&tables_lock);
	fits = all_tables < READ_ONCE(table_count) && all_bytes <= bytes &&
	       memory <= bytes - all_bytes;
	if (fits) {
		all_tables++;
		all_bytes += memory;
	}
	mutex_unlock(&tables_lock);
	return fits;
}

/* Return: 0 or -ENOSPC. */
static int tables_reserve(u64 memory)
{
	if (tables_try_reserve(memory))
		return 0;
	/* Those that nobody has any more need not be in the way. */
	flush_work(&free_work);
	return tables_try_reserve(memory) ? 0 : -ENOSPC;
}

static void tables_unreserve(u64 memory)
{
	mutex_lock(&tables_lock);
	all_tables--;
	all_bytes -= memory;
	mutex_unlock(&tables_lock);
}

static void tables_free_table(struct lw_file_table *table)
{
	u64 memory = table->memory;

	kvfree(table);
	tables_unreserve(memory);
}

static void tables_free_garbage(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&garbage);
	struct lw_file_table *table, *next;

	if (!list)
		return;
	/* Who has found one in the hash, and then no reference to get. */
	synchronize_rcu();
	llist_for_each_entry_safe(table, next, list, garbage) {
		tables_free_table(table);
		cond_resched();
	}
}

/**
 * lw_table_put - give back what lw_table_get() returned
 * @table: not to be used after that; may be NULL
 *
 * Context: task; does not sleep.
 */
void lw_table_put(struct lw_file_table *table)
{
	if (table && refcount_dec_and_test(&table->refs) &&
	    llist_add(&table->garbage, &garbage))
		schedule_work(&free_work);
}

/* Making one */

static int tables_check(const struct lw_table *arg)
{
	u64 text_end;

	if (!arg->text_size || check_add_overflow(arg->text_offset, arg->text_size, &text_end))
		return -EINVAL;
	if (!(arg->flags & LW_TABLE_VDSO))
		return text_end > arg->file_size ? -EINVAL : 0;
	return arg->file_fd != -1 || arg->mtime_nsec || arg->mtime_sec || arg->file_size ||
	       arg->text_offset ? -EINVAL : 0;
}

/* Return: 0 or -errno as the uapi header says. */
static int tables_identify(const struct lw_table *arg, struct lw_file_id *id)
{
	u64 size;
	int ret;

	if (arg->flags & LW_TABLE_VDSO) {
		ret = lw_file_id_of_vdso(id, &size);
		return ret ?: arg->text_size > size ? -EINVAL : 0;
	}
	ret = lw_file_id_of_fd(arg->file_fd, id);
	if (ret)
		return ret;
	return id->size != arg->file_size || id->mtime_sec != arg->mtime_sec ||
	       id->mtime_nsec != arg->mtime_nsec ? -ESTALE : 0;
}

/* Return: 0 or -EINTR: killed. */
static int tables_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int tables_copy_data(u8 *to, u64 from, u64 size)
{
	u64 done, len;
	int ret = 0;

	for (done = 0; done < size && !ret; done += len) {
		len = min_t(u64, size - done, BYTES_AT_ONCE);
		if (copy_from_user(to + done, u64_to_user_ptr(from + done), len))
			return -EFAULT;
		ret = tables_pause();
	}
	return ret;
}

/* Return: 0, -EBADMSG, -EOPNOTSUPP, -EINTR. */
static int tables_open_table(struct lw_file_table *table, u32 room)
{
	const struct lw_sframe_place place = {
		.paths = 1,
		.addr = TEXT_ADDR,
		.text_start = TEXT_ADDR,
		.text_end = TEXT_ADDR + table->text_size,
	};
	int ret;

	ret = lw_sframe_open(&table->sframe, &table->source, &place, LW_ARCH_SFRAME_ABI);
	if (!ret && table->sframe.flags & LW_SFRAME_PCREL)
		return -EOPNOTSUPP;
	if (!ret)
		ret = lw_sframe_add_index(&table->sframe, table->first, room);
	/* That has looked at each function, in one go. */
	if (!ret)
		return tables_pause();
	return lw_sframe_is_corrupt(ret) ? -EBADMSG : -EOPNOTSUPP;
}

static int tables_fill_table(struct lw_file_table *table, const struct lw_table *arg, u32 room)
{
	u8 *data = tables_data_of(table, room);
	int ret;

	refcount_set(&table->refs, 1);
	INIT_LIST_HEAD(&table->owners);
	table->text_offset = arg->text_offset;
	table->text_size = arg->text_size;
	table->source = (struct lw_sframe_source) { .bytes = data, .size = arg->data_size };
	ret = tables_copy_data(data, arg->data, arg->data_size);
	return ret ?: tables_open_table(table, room);
}

static u32 tables_room_for(const struct lw_table *arg)
{
	return arg->data_size / BYTES_PER_BUCKET + 2;
}

static u64 tables_memory_for(const struct lw_table *arg)
{
	struct lw_file_table *table;

	return struct_size(table, first, tables_room_for(arg) + 1) + arg->data_size;
}

/* Return: a table, its memory reserved, or ERR_PTR(-errno) as the uapi header says. */
static struct lw_file_table *tables_make_table(const struct lw_table *arg,
					       const struct lw_file_id *id)
{
	u64 memory = tables_memory_for(arg);
	struct lw_file_table *table;
	int ret;

	ret = tables_reserve(memory);
	if (ret)
		return ERR_PTR(ret);
	table = kvmalloc(memory, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!table) {
		tables_unreserve(memory);
		return ERR_PTR(-ENOMEM);
	}
	table->memory = memory;
	table->id = *id;
	ret = tables_fill_table(table, arg, tables_room_for(arg));
	if (!ret)
		return table;
	tables_free_table(table);
	return ERR_PTR(ret);
}

/* Sharing */

/* Return: 1 if they are, 0, -EINTR. */
static int tables_has_same_bytes(const struct lw_sframe_source *a, const struct lw_sframe_source *b)
{
	u64 done, len;

	if (a->size != b->size)
		return 0;
	for (done = 0; done < a->size; done += len) {
		len = min_t(u64, a->size - done, BYTES_AT_ONCE);
		if (memcmp(a->bytes + done, b->bytes + done, len))
			return 0;
		if (tables_pause())
			return -EINTR;
	}
	return 1;
}

/* Return: as tables_has_same_bytes(). */
static int tables_is_same_table(const struct lw_file_table *a, const struct lw_file_table *b)
{
	if (a->text_offset != b->text_offset || a->text_size != b->text_size)
		return 0;
	return tables_has_same_bytes(&a->source, &b->source);
}

/*
 * Return: one like @table, NULL, ERR_PTR(-ENOSPC) if there are too many others, or
 * ERR_PTR(-EINTR).
 */
static struct lw_file_table *tables_find_same(const struct lw_file_table *table)
{
	struct lw_file_table *other;
	unsigned int nr = 0;
	int same;

	lockdep_assert_held(&tables_lock);
	hlist_for_each_entry(other, tables_bucket_of(&table->id), hash) {
		if (!lw_file_id_same(&other->id, &table->id))
			continue;
		same = tables_is_same_table(other, table);
		if (same)
			return same < 0 ? ERR_PTR(same) : other;
		nr++;
	}
	return nr < LW_MAX_FILE_TABLES ? NULL : ERR_PTR(-ENOSPC);
}

static bool tables_is_owned_by(const struct lw_file_table *table,
			       const struct lw_table_owner *owner)
{
	struct owned_table *owned;

	lockdep_assert_held(&tables_lock);
	list_for_each_entry(owned, &table->owners, of_table)
		if (owned->owner == owner)
			return true;
	return false;
}

static unsigned long tables_pages_of(u64 memory)
{
	return DIV_ROUND_UP(memory, PAGE_SIZE);
}

/* After a change of the hash. */
static void tables_note_change(long more)
{
	lockdep_assert_held(&tables_lock);
	WRITE_ONCE(nr_hashed, nr_hashed + more);
	/* Pairs with lw_tables_generation(): who sees it finds the hash as it is. */
	smp_store_release(&generation, generation + 1);
}

static void tables_own_table(struct owned_table *owned, struct lw_table_owner *owner,
			     struct lw_file_table *table)
{
	lockdep_assert_held(&tables_lock);
	owned->owner = owner;
	owned->table = table;
	list_add(&owned->of_table, &table->owners);
	list_add(&owned->of_owner, &owner->list);
	owner->nr++;
	owner->bytes += table->memory;
	owner->pages += tables_pages_of(table->memory);
}

/*
 * Return: 1 if @table is published, 0 if the session has one like it, now or before,
 * -EEXIST if it had that before, -ENOSPC, or -EINTR.
 */
static int tables_publish(struct lw_table_owner *owner, struct lw_file_table *table,
			  struct owned_table *owned)
{
	struct lw_file_table *same;

	lockdep_assert_held(&tables_lock);
	same = tables_find_same(table);
	if (IS_ERR(same))
		return PTR_ERR(same);
	if (same && tables_is_owned_by(same, owner))
		return -EEXIST;
	tables_own_table(owned, owner, same ?: table);
	if (same)
		return 0;
	/* At the head: the newest is found first. */
	hlist_add_head_rcu(&table->hash, tables_bucket_of(&table->id));
	tables_note_change(1);
	return 1;
}

/* Takes @table, whatever becomes of it.  Return: as tables_publish(). */
static int tables_share(struct lw_table_owner *owner, struct lw_file_table *table)
{
	struct owned_table *owned = kmalloc(sizeof(*owned), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (owned) {
		mutex_lock(&tables_lock);
		ret = tables_publish(owner, table, owned);
		mutex_unlock(&tables_lock);
	}
	if (ret < 0)
		kfree(owned);
	if (ret <= 0)
		tables_free_table(table);
	return ret;
}

static int tables_add(struct lw_table_owner *owner, const struct lw_table *arg,
		      const struct lw_file_id *id)
{
	unsigned long pages = tables_pages_of(tables_memory_for(arg));
	struct lw_file_table *table;
	int ret;

	if (account_locked_vm(owner->mm, pages, true))
		return -EPERM;
	table = tables_make_table(arg, id);
	ret = IS_ERR(table) ? PTR_ERR(table) : tables_share(owner, table);
	if (ret < 0)
		account_locked_vm(owner->mm, pages, false);
	return ret == -EEXIST ? 0 : min(ret, 0);
}

/**
 * lw_tables_add - LW_IOC_ADD_TABLE
 * @owner: of the caller
 * @table: as the uapi header says
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_tables_add(struct lw_table_owner *owner, const struct lw_table *table)
{
	struct lw_file_id id;
	int ret;

	ret = tables_check(table);
	if (!ret)
		ret = tables_identify(table, &id);
	if (ret)
		return ret;
	return table->data_size > MAX_DATA ? -ENOSPC : tables_add(owner, table, &id);
}

static void tables_disown(struct owned_table *owned)
{
	struct lw_file_table *table = owned->table;

	lockdep_assert_held(&tables_lock);
	list_del(&owned->of_owner);
	list_del(&owned->of_table);
	kfree(owned);
	if (!list_empty(&table->owners))
		return;
	hlist_del_rcu(&table->hash);
	tables_note_change(-1);
	lw_table_put(table);
}

/**
 * lw_tables_release - the owner goes
 * @owner: nobody adds to it any more
 *
 * Walks that use its tables go on doing so.
 *
 * Context: process, may sleep.
 */
void lw_tables_release(struct lw_table_owner *owner)
{
	struct owned_table *owned, *next;

	mutex_lock(&tables_lock);
	list_for_each_entry_safe(owned, next, &owner->list, of_owner)
		tables_disown(owned);
	mutex_unlock(&tables_lock);
	if (owner->pages)
		account_locked_vm(owner->mm, owner->pages, false);
}

/**
 * lw_tables_stats - counters of tables
 * @owner: of the caller
 * @stats: out: tables, table_bytes, all_tables, all_table_bytes
 *
 * Context: process, may sleep.
 */
void lw_tables_stats(const struct lw_table_owner *owner, struct lw_stats *stats)
{
	mutex_lock(&tables_lock);
	stats->tables = owner->nr;
	stats->table_bytes = owner->bytes;
	stats->all_tables = all_tables;
	stats->all_table_bytes = all_bytes;
	mutex_unlock(&tables_lock);
}

/* Walks */

/* Files and their tables, where they are mapped. */
struct place {
	u64	offset;		/* of the mapping's first byte in the file */
	u64	pc;		/* in the file */
	u64	start;		/* in the file: for these the answer holds */
	u64	end;
};

static bool tables_covers(const struct lw_file_table *table, struct place *place)
{
	u64 start = table->text_offset, end = start + table->text_size;

	if (place->pc >= start && place->pc < end)
		return true;
	/* One mapping can have several segments: of this one we say nothing. */
	if (end <= place->pc)
		place->start = max(place->start, end);
	else
		place->end = min(place->end, start);
	return false;
}

/* The first is the newest. */
static struct lw_file_table *tables_find(const struct lw_file_id *id, struct place *place)
{
	struct lw_file_table *table;

	hlist_for_each_entry_rcu(table, tables_bucket_of(id), hash)
		if (lw_file_id_same(&table->id, id) && tables_covers(table, place))
			return table;
	return NULL;
}

static void tables_narrow(struct place *place, const struct lw_file_table *table)
{
	place->start = max(place->start, table->text_offset);
	place->end = min(place->end, table->text_offset + table->text_size);
}

/**
 * lw_tables_generation - which tables there are
 *
 * Context: any.
 * Return: a number that is another one whenever a table has come or gone.
 */
u64 lw_tables_generation(void)
{
	/* Pairs with tables_note_change(). */
	return smp_load_acquire(&generation);
}

/**
 * lw_table_get - the table for an address of current
 * @id: the file that is mapped there, or NULL
 * @offset: where in the file @vma begins
 * @vma: around it
 * @pc: the address
 * @range: out: a part of @vma with @pc in it that has the same table, or none
 *
 * Context: mmap_lock is held, of current.
 * Return: the table, for lw_table_put(), or NULL.
 */
struct lw_file_table *lw_table_get(const struct lw_file_id *id, u64 offset,
				   const struct vm_area_struct *vma, u64 pc,
				   struct lw_table_range *range)
{
	struct lw_file_table *table;
	struct place place = {
		.offset = offset,
		.pc = offset + (pc - vma->vm_start),
		.start = offset,
		.end = offset + (vma->vm_end - vma->vm_start),
	};

	*range = (struct lw_table_range) { .start = vma->vm_start, .end = vma->vm_end };
	if (!id || !READ_ONCE(nr_hashed))
		return NULL;
	rcu_read_lock();
	/* One without a reference has just left the hash: look again. */
	do {
		table = tables_find(id, &place);
	} while (table && !refcount_inc_not_zero(&table->refs));
	rcu_read_unlock();
	if (table) {
		tables_narrow(&place, table);
		range->bias = vma->vm_start - place.offset + table->text_offset - TEXT_ADDR;
	}
	range->start = vma->vm_start + (place.start - place.offset);
	range->end = vma->vm_start + (place.end - place.offset);
	return table;
}

/**
 * lw_table_open - what to look addresses up in
 * @table: of lw_table_get(), kept while @sframe is used
 * @entry: where the program began, less lw_table_range.bias; any value if that is
 *	not in the table's text
 * @sframe: out: takes addresses less lw_table_range.bias
 *
 * Context: any.
 */
void lw_table_open(const struct lw_file_table *table, u64 entry, struct lw_sframe *sframe)
{
	*sframe = table->sframe;
	sframe->place.entry = entry;
}

/**
 * lw_tables_init - before the first session
 *
 * Context: process.
 */
void lw_tables_init(void)
{
	lw_file_id_init();
}

/**
 * lw_tables_exit - no session is left, and no walk
 *
 * Context: process, may sleep.
 */
void lw_tables_exit(void)
{
	flush_work(&free_work);
}
