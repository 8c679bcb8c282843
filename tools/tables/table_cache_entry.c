// SPDX-License-Identifier: GPL-2.0
/*
 * table_cache_entry.c - the bytes of one entry of the cache of tables.
 *
 * Head, descriptions of the tables, their bytes.  A checksum over all of it finds
 * what a crash or a broken disk left; it is no secret, and keeps out nobody who
 * can write to the directory.  Who can read it knows the secret of its head, so
 * that is nobody else either.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "tables/table_cache_entry.h"

#define MAX_ENTRY	(4ULL << 30)
#define MAX_TABLES	64U

/* The checksum goes by words, and parts of it are taken one by one. */
_Static_assert(!(sizeof(struct lw_cache_head) % 8) && !(sizeof(struct lw_cache_table) % 8),
	       "parts end with a word");

/* Bytes one after the other, the same however they are cut but at a multiple of 8. */
static u64 add_checksum(u64 sum, const void *bytes, size_t size)
{
	const u8 *from = bytes;
	u64 word;

	for (; size >= sizeof(word); size -= sizeof(word), from += sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		sum = lw_hash64(sum ^ word);
	}
	if (!size)
		return sum;
	word = 0;
	memcpy(&word, from, size);
	return lw_hash64(sum ^ word ^ (u64)size << 56);
}

static u64 start_checksum(const struct lw_cache_head *head)
{
	struct lw_cache_head copy = *head;

	copy.checksum = 0;
	return add_checksum(head->size, &copy, sizeof(copy));
}

static int read_all(int fd, void *to, size_t size)
{
	ssize_t got;

	while (size) {
		got = read(fd, to, size);
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		to = (char *)to + got;
		size -= got;
	}
	return 0;
}

static int write_all(int fd, const void *from, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(fd, from, size);
		if (done < 0)
			return -errno;
		from = (const char *)from + done;
		size -= done;
	}
	return 0;
}

static int check_head(const struct lw_cache_head *head, u64 size)
{
	if (memcmp(head->magic, LW_CACHE_MAGIC, sizeof(head->magic)) ||
	    head->converter != LW_GEN_VERSION || head->size != size || size > MAX_ENTRY ||
	    !head->nr_tables || head->nr_tables > MAX_TABLES ||
	    size < sizeof(*head) + head->nr_tables * sizeof(struct lw_cache_table) ||
	    !memchr(head->key, 0, sizeof(head->key)) ||
	    !memchr(head->name, 0, sizeof(head->name)))
		return -EBADMSG;
	return 0;
}

/**
 * lw_cache_entry_head - what an entry says of itself
 * @fd: open for reading, at its start
 * @head: out
 *
 * The checksum is not looked at.
 *
 * Return: 0, -EBADMSG or -errno.
 */
int lw_cache_entry_head(int fd, struct lw_cache_head *head)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(*head))
		return -EBADMSG;
	ret = read_all(fd, head, sizeof(*head));
	return ret ? ret : check_head(head, st.st_size);
}

/* The rest of an entry, in gen->block, if its checksum is right. */
static int read_block(int fd, const struct lw_cache_head *head, struct lw_gen *gen)
{
	size_t size = head->size - sizeof(*head);
	int ret;

	gen->block = malloc(size);
	if (!gen->block)
		return -ENOMEM;
	ret = read_all(fd, gen->block, size);
	if (ret)
		return ret;
	return add_checksum(start_checksum(head), gen->block, size) == head->checksum ? 0 :
										       -EBADMSG;
}

/* The checksum is right, so that this is what was written; still, none is outside. */
static int take_tables(const struct lw_cache_head *head, struct lw_gen *gen)
{
	u64 size = head->size - sizeof(*head);
	struct lw_cache_table from;

	gen->tables = calloc(head->nr_tables, sizeof(*gen->tables));
	if (!gen->tables)
		return -ENOMEM;
	for (u32 i = 0; i < head->nr_tables; i++) {
		memcpy(&from, (u8 *)gen->block + i * sizeof(from), sizeof(from));
		if (from.offset > size || from.size > size - from.offset)
			return -EBADMSG;
		gen->tables[gen->nr_tables++] = (struct lw_gen_table){
			.text_offset = from.text_offset,
			.text_size = from.text_size,
			.text_addr = from.text_addr,
			.data = (u8 *)gen->block + from.offset,
			.size = from.size,
			.version = from.version,
		};
	}
	gen->counts = head->counts;
	gen->from_cache = true;
	return 0;
}

/**
 * lw_cache_entry_read - read an entry, and check all of it
 * @fd: open for reading, at its start
 * @key: that it must have
 * @input: of which it must have been made
 * @gen: out: on failure there is nothing to free
 * @st: out: of @fd
 *
 * Return: 0, -ESTALE (of another input), -EBADMSG (not sound), -ENOMEM, -errno.
 */
int lw_cache_entry_read(int fd, const char *key, const struct lw_gen_input *input,
			struct lw_gen *gen, struct stat *st)
{
	struct lw_cache_head head;
	int ret;

	memset(gen, 0, sizeof(*gen));
	if (fstat(fd, st))
		return -errno;
	if (st->st_uid != geteuid() || (st->st_mode & 077))
		return -EBADMSG;
	ret = lw_cache_entry_head(fd, &head);
	if (!ret && strcmp(head.key, key))
		ret = -EBADMSG;
	if (!ret)
		ret = read_block(fd, &head, gen);
	/* the checksum first: a head that is broken has another hash too */
	if (!ret && lw_gen_input_hash(input, head.secret) != head.input)
		ret = -ESTALE;
	if (!ret)
		ret = take_tables(&head, gen);
	if (ret)
		lw_gen_free(gen);
	return ret;
}

/* Return: 0 or -errno of getrandom(). */
static int fill_head(struct lw_cache_head *head, const char *key, const char *name,
		     const struct lw_gen_input *input, const struct lw_gen *gen)
{
	memset(head, 0, sizeof(*head));
	if (getrandom(head->secret, sizeof(head->secret), 0) != sizeof(head->secret))
		return -errno;
	head->input = lw_gen_input_hash(input, head->secret);
	memcpy(head->magic, LW_CACHE_MAGIC, sizeof(head->magic));
	head->converter = LW_GEN_VERSION;
	head->nr_tables = gen->nr_tables;
	snprintf(head->key, sizeof(head->key), "%s", key);
	snprintf(head->name, sizeof(head->name), "%s", name);
	head->version = gen->tables[0].version;
	head->counts = gen->counts;
	head->size = sizeof(*head) + gen->nr_tables * sizeof(struct lw_cache_table);
	return 0;
}

/* Each table begins at a multiple of 8, as the checksum goes by words. */
static void describe(struct lw_cache_table *to, const struct lw_gen_table *table,
		     struct lw_cache_head *head)
{
	*to = (struct lw_cache_table){
		.text_offset = table->text_offset,
		.text_size = table->text_size,
		.text_addr = table->text_addr,
		.offset = head->size - sizeof(*head),
		.size = table->size,
		.version = table->version,
	};
	head->size += ALIGN_UP(table->size, 8);
}

static size_t padding(const struct lw_gen_table *table)
{
	return ALIGN_UP(table->size, 8) - table->size;
}

/* As if the padding, of less than a word, were part of it. */
static u64 checksum_table(u64 sum, const struct lw_gen_table *table)
{
	size_t whole = table->size / 8 * 8;
	u8 last[8] = { 0 };

	sum = add_checksum(sum, table->data, whole);
	if (whole == table->size)
		return sum;
	memcpy(last, table->data + whole, table->size - whole);
	return add_checksum(sum, last, sizeof(last));
}

/**
 * lw_cache_entry_write - write an entry
 * @fd: empty file
 * @key: by which it is found, shorter than LW_CACHE_KEY_MAX
 * @name: of the file that it was made of
 * @input: what it was made of
 * @gen: what was made
 *
 * Return: 0, -EFBIG or -errno of write() or getrandom().
 */
int lw_cache_entry_write(int fd, const char *key, const char *name,
			 const struct lw_gen_input *input, const struct lw_gen *gen)
{
	static const u8 zeros[8];
	struct lw_cache_table tables[MAX_TABLES];
	size_t tables_size = gen->nr_tables * sizeof(tables[0]);
	struct lw_cache_head head;
	int ret;

	if (gen->nr_tables > MAX_TABLES)
		return -EFBIG;
	ret = fill_head(&head, key, name, input, gen);
	if (ret)
		return ret;
	for (size_t i = 0; i < gen->nr_tables; i++)
		describe(&tables[i], &gen->tables[i], &head);
	if (head.size > MAX_ENTRY)
		return -EFBIG;
	head.checksum = add_checksum(start_checksum(&head), tables, tables_size);
	for (size_t i = 0; i < gen->nr_tables; i++)
		head.checksum = checksum_table(head.checksum, &gen->tables[i]);
	ret = write_all(fd, &head, sizeof(head));
	if (!ret)
		ret = write_all(fd, tables, tables_size);
	for (size_t i = 0; !ret && i < gen->nr_tables; i++) {
		ret = write_all(fd, gen->tables[i].data, gen->tables[i].size);
		if (!ret)
			ret = write_all(fd, zeros, padding(&gen->tables[i]));
	}
	return ret;
}
