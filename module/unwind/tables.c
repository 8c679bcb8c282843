// SPDX-License-Identifier: GPL-2.0
/*
 * tables.c - tables of files, added by sessions.
 *
 * A walk finds a table by the identity of the mapped file (file_id.c).  It looks up under
 * mmap_lock and RCU, and reads no user memory.
 *
 * Life of a table:
 *   allocated	by LW_IOC_ADD_TABLE, after its memory was charged, and freed there if it is
 *		not published;
 *   published	in the hash, with a bit for each session that added the same table;
 *   unhashed	when the last of these sessions closes.  After a grace period close() puts the
 *		reference that the sessions share;
 *   freed	by a worker, when walks have put their references too (rows.c).  A walk may keep
 *		its reference while it waits for a page, so close() does not wait for walks.
 *
 * Trust: rows of a table are used by walks of all tasks.  Only who may trace all tasks may add one.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>

#include "file_id.h"
#include "rows.h"
#include "tables.h"

static ulong table_bytes = SZ_512M;
module_param(table_bytes, ulong, 0644);
MODULE_PARM_DESC(table_bytes, "most memory of all tables of LW_IOC_ADD_TABLE (512 MiB)");

static ulong table_count = 65536;
module_param(table_count, ulong, 0644);
MODULE_PARM_DESC(table_count, "most tables of LW_IOC_ADD_TABLE (65536)");

#define HASH_SIZE	4096
/* Bytes compared between two calls of lw_rows_pause(). */
#define COMPARE_AT_ONCE	SZ_1M

/**
 * struct table - a table
 * @rows: the copied bytes, with one reference of all sessions together
 * @hash: in the hash, while a session has the table
 * @owners: lw_table_owner.bit of the sessions that have it; protected by tables_lock
 * @id: the file
 * @start: where in the file the segment begins
 * @end: where it ends
 */
struct table {
	struct lw_rows	rows;
	struct hlist_node hash;
	u64		owners;
	struct lw_file_id id;
	u64		start;
	u64		end;
};

static DEFINE_MUTEX(tables_lock);
/* Written under tables_lock, read under RCU. */
static struct hlist_head hash[HASH_SIZE];
/* Changes of the hash; written under tables_lock. */
static u64 generation;
/* Tables that are not freed, and their memory; raised under tables_lock. */
static atomic64_t all_tables;
static atomic64_t all_bytes;

static struct hlist_head *tables_bucket(const struct lw_file_id *id)
{
	return &hash[lw_file_id_hash(id) % HASH_SIZE];
}

static void tables_note_change(void)
{
	lockdep_assert_held(&tables_lock);
	/* Pairs with lw_tables_generation(): who reads the new number finds the new hash. */
	smp_store_release(&generation, generation + 1);
}

/* Memory */

static bool tables_try_reserve(u64 memory)
{
	u64 bytes = READ_ONCE(table_bytes);
	bool fits;

	mutex_lock(&tables_lock);
	fits = atomic64_read(&all_tables) < READ_ONCE(table_count) &&
	       memory <= bytes && atomic64_read(&all_bytes) <= bytes - memory;
	if (fits) {
		atomic64_inc(&all_tables);
		atomic64_add(memory, &all_bytes);
	}
	mutex_unlock(&tables_lock);
	return fits;
}

static void tables_unreserve(u64 memory)
{
	atomic64_dec(&all_tables);
	atomic64_sub(memory, &all_bytes);
}

static void tables_freed(const struct lw_rows *rows)
{
	tables_unreserve(rows->memory);
}

/* Return: a table, its memory reserved; or ERR_PTR(-ENOSPC), ERR_PTR(-ENOMEM). */
static struct table *tables_alloc(u64 len)
{
	u64 memory = lw_rows_memory(sizeof(struct table), len);
	struct table *table;

	if (!tables_try_reserve(memory)) {
		/* Closed sessions may have left tables that are not freed yet. */
		lw_rows_flush();
		if (!tables_try_reserve(memory))
			return ERR_PTR(-ENOSPC);
	}
	table = lw_rows_alloc(sizeof(*table), len);
	if (!table) {
		tables_unreserve(memory);
		return ERR_PTR(-ENOMEM);
	}
	table->rows.freed = tables_freed;
	return table;
}

/* Adding */

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

/* Return: 0 or -errno as the uapi header says. */
static int tables_fill(struct table *table, const struct lw_table *arg)
{
	const struct lw_sframe_place place = {
		.paths = 1,
		.addr = LW_TABLE_ADDR + table->start,
		.text_start = LW_TABLE_ADDR + table->start,
		.text_end = LW_TABLE_ADDR + table->end,
	};
	int ret = lw_rows_fill(&table->rows, arg->data, true, &place);

	if (ret > 0)
		return lw_sframe_is_corrupt(ret) ? -EBADMSG : -EOPNOTSUPP;
	return !ret && table->rows.sframe.flags & LW_SFRAME_PCREL ? -EOPNOTSUPP : ret;
}

/* Return: 1 if the bytes are the same, 0, or as lw_rows_pause(). */
static int tables_compare(const struct lw_sframe_source *a, const struct lw_sframe_source *b)
{
	u64 done, len;
	int ret;

	if (a->size != b->size)
		return 0;
	for (done = 0; done < a->size; done += len) {
		len = min_t(u64, a->size - done, COMPARE_AT_ONCE);
		if (memcmp(a->bytes + done, b->bytes + done, len))
			return 0;
		ret = lw_rows_pause();
		if (ret)
			return ret;
	}
	return 1;
}

/*
 * Return: the published table that is the same as @table; NULL; ERR_PTR(-ENOSPC) if the file
 * has LW_MAX_FILE_TABLES others; or as lw_rows_pause().
 */
static struct table *tables_find_same(const struct table *table)
{
	struct table *other;
	unsigned int nr = 0;
	int same;

	lockdep_assert_held(&tables_lock);
	hlist_for_each_entry(other, tables_bucket(&table->id), hash) {
		if (!lw_file_id_same(&other->id, &table->id))
			continue;
		nr++;
		if (other->start != table->start || other->end != table->end)
			continue;
		same = tables_compare(&other->rows.source, &table->rows.source);
		if (same)
			return same < 0 ? ERR_PTR(same) : other;
	}
	return nr < LW_MAX_FILE_TABLES ? NULL : ERR_PTR(-ENOSPC);
}

static unsigned long tables_pages(u64 memory)
{
	return DIV_ROUND_UP(memory, PAGE_SIZE);
}

/*
 * Return: 1 if @table is published, 0 if @owner now shares a published one, -EEXIST if @owner
 * had that before, -ENOSPC, or as lw_rows_pause().
 */
static int tables_publish(struct table *table, struct lw_table_owner *owner)
{
	struct table *same = tables_find_same(table);

	lockdep_assert_held(&tables_lock);
	if (IS_ERR(same))
		return PTR_ERR(same);
	if (same && same->owners & owner->bit)
		return -EEXIST;
	owner->nr++;
	owner->bytes += table->rows.memory;
	owner->pages += tables_pages(table->rows.memory);
	if (same) {
		same->owners |= owner->bit;
		return 0;
	}
	table->owners = owner->bit;
	/* At the head: walks use the newest table of a file. */
	hlist_add_head_rcu(&table->hash, tables_bucket(&table->id));
	tables_note_change();
	return 1;
}

/* Return: as tables_publish(), or -errno as the uapi header says. */
static int tables_make(struct lw_table_owner *owner, const struct lw_table *arg,
		       const struct lw_file_id *id)
{
	struct table *table = tables_alloc(arg->data_size);
	int ret;

	if (IS_ERR(table))
		return PTR_ERR(table);
	table->id = *id;
	table->start = arg->text_offset;
	table->end = arg->text_offset + arg->text_size;
	ret = tables_fill(table, arg);
	if (!ret) {
		mutex_lock(&tables_lock);
		ret = tables_publish(table, owner);
		mutex_unlock(&tables_lock);
	}
	/* Not published, so no walk knows the table. */
	if (ret <= 0)
		lw_rows_free(&table->rows);
	return ret;
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
	unsigned long pages;
	struct lw_file_id id;
	int ret;

	ret = tables_check(table);
	if (!ret)
		ret = tables_identify(table, &id);
	if (ret)
		return ret;
	if (table->data_size > LW_ROWS_MAX)
		return -ENOSPC;
	pages = tables_pages(lw_rows_memory(sizeof(struct table), table->data_size));
	if (account_locked_vm(owner->mm, pages, true))
		return -EPERM;
	ret = tables_make(owner, table, &id);
	if (ret < 0)
		account_locked_vm(owner->mm, pages, false);
	return ret == -EEXIST ? 0 : min(ret, 0);
}

/* Takes the owner's tables out of the hash, to @gone if no other session has them. */
static void tables_disown(const struct lw_table_owner *owner, struct llist_head *gone)
{
	struct hlist_node *next;
	struct table *table;
	unsigned int i;

	lockdep_assert_held(&tables_lock);
	for (i = 0; i < HASH_SIZE; i++) {
		hlist_for_each_entry_safe(table, next, &hash[i], hash) {
			if (table->owners != owner->bit) {
				table->owners &= ~owner->bit;
				continue;
			}
			hlist_del_rcu(&table->hash);
			llist_add(&table->rows.garbage, gone);
		}
	}
	tables_note_change();
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
	struct lw_rows *rows, *next;
	LLIST_HEAD(gone);

	if (!owner->nr)
		return;
	mutex_lock(&tables_lock);
	tables_disown(owner, &gone);
	mutex_unlock(&tables_lock);
	/* A walk that still finds a table in the hash also finds the sessions' reference. */
	synchronize_rcu();
	llist_for_each_entry_safe(rows, next, llist_del_all(&gone), garbage)
		lw_rows_put(rows);
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
	stats->all_tables = atomic64_read(&all_tables);
	stats->all_table_bytes = atomic64_read(&all_bytes);
	mutex_unlock(&tables_lock);
}

/* Walks */

/**
 * lw_tables_generation - a number that changes with each table that comes or goes
 *
 * Context: any.
 * Return: the number.
 */
u64 lw_tables_generation(void)
{
	/* Pairs with tables_note_change(). */
	return smp_load_acquire(&generation);
}

/**
 * lw_tables_find - the newest table for an offset in a file
 * @id: the file
 * @at: offset, in bytes; LW_TABLE_ADDR + @at is what the table's sframe knows it by
 * @start: in: first offset of a range around @at; out: first offset of the part of the range
 *	for which the answer is the same
 * @end: likewise, the first offset behind the range
 *
 * Context: task, does not sleep.
 * Return: the table's rows, for lw_rows_put(); or NULL.
 */
struct lw_rows *lw_tables_find(const struct lw_file_id *id, u64 at, u64 *start, u64 *end)
{
	struct lw_rows *rows = NULL;
	struct table *table;

	rcu_read_lock();
	hlist_for_each_entry_rcu(table, tables_bucket(id), hash) {
		if (!lw_file_id_same(&table->id, id))
			continue;
		/* One mapping may have several segments: stop at the borders of this one. */
		if (table->end <= at) {
			*start = max(*start, table->end);
		} else if (table->start > at) {
			*end = min(*end, table->start);
		} else {
			*start = max(*start, table->start);
			*end = min(*end, table->end);
			rows = &table->rows;
			refcount_inc(&rows->refs);
			break;
		}
	}
	rcu_read_unlock();
	return rows;
}
