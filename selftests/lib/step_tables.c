// SPDX-License-Identifier: GPL-2.0
/*
 * step_tables.c - unwind tables for all that a tracee has mapped, made by the
 * tool's converter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <latewind.h>

#include "../../tools/sframe/gen.h"
#include "lw_test.h"
#include "step_tables.h"

static bool is_new(struct step_tables *tables, __u64 inode)
{
	unsigned int i;

	for (i = 0; i < tables->nr; i++)
		if (tables->inode[i] == inode)
			return false;
	if (tables->nr == STEP_FILES)
		return false;
	tables->inode[tables->nr++] = inode;
	return true;
}

/* For step_walk(). */
static int keep(struct step_tables *tables, __u64 inode, const struct lw_table *table)
{
	struct step_table *to = &tables->table[tables->given];
	struct lw_sframe_place place = {
		.addr = STEP_TEXT,
		.text_start = STEP_TEXT,
		.text_end = STEP_TEXT + table->text_size,
	};
	void *bytes = malloc(table->data_size);

	if (!bytes || tables->given == STEP_TABLES) {
		free(bytes);
		return -ENOMEM;
	}
	memcpy(bytes, (void *)(uintptr_t)table->data, table->data_size);
	*to = (struct step_table) {
		.inode = inode,
		.offset = table->text_offset,
		.size = table->text_size,
		.source = { .bytes = bytes, .size = table->data_size },
	};
	tables->given++;
	return lw_sframe_open(&to->sframe, &to->source, &place, STEP_ABI) ?
	       -EBADMSG : 0;
}

/**
 * step_tables_find - the row for an address
 * @tables: given
 * @t: its maps read
 * @pc: address
 * @rule: out
 */
bool step_tables_find(const struct step_tables *tables, const struct tracee *t, __u64 pc,
		      struct lw_rule *rule)
{
	const struct tracee_map *map = tracee_map_of(t, pc);
	__u64 offset = map ? pc - map->start + map->offset : 0;
	unsigned int i;

	for (i = 0; map && i < tables->given; i++) {
		const struct step_table *table = &tables->table[i];
		struct lw_sframe sframe = table->sframe;

		if (table->inode != map->inode || offset < table->offset ||
		    offset - table->offset >= table->size)
			continue;
		sframe.place.entry = tables->entry - pc + offset - table->offset + STEP_TEXT;
		return !lw_sframe_find(&sframe, offset - table->offset + STEP_TEXT, rule);
	}
	return false;
}

/* @like has what is the same for all of a file. */
static int give(struct step_tables *tables, const struct lw_gen *gen,
		const struct lw_table *like, __u64 inode, int session)
{
	size_t i;
	int err = 0;

	for (i = 0; i < gen->nr_tables && !err; i++) {
		struct lw_table table = *like;

		if (!(like->flags & LW_TABLE_VDSO)) {
			table.text_offset = gen->tables[i].text_offset;
			table.text_size = gen->tables[i].text_size;
		}
		table.data = (uintptr_t)gen->tables[i].data;
		table.data_size = gen->tables[i].size;
		err = keep(tables, inode, &table);
		if (!err && session > 0)
			err = lwt_ioctl(session, LW_IOC_ADD_TABLE, &table);
	}
	return err;
}

static int add_vdso(struct step_tables *tables, const struct tracee *t,
		    const struct tracee_map *map, int session)
{
	struct lw_table like = {
		.size = sizeof(like),
		.flags = LW_TABLE_VDSO,
		.file_fd = -1,
		.text_size = map->end - map->start,
	};
	struct lw_gen gen = {};
	void *image = malloc(like.text_size);
	int err;

	if (!image)
		return -ENOMEM;
	err = tracee_read(t, map->start, image, like.text_size) ?:
	      lw_sframe_gen_memory(image, like.text_size, "vdso", LW_GEN_ANALYSIS, &gen) ?:
	      give(tables, &gen, &like, 0, session);
	lw_gen_free(&gen);
	free(image);
	return err;
}

static int open_mapped(const struct tracee *t, const struct tracee_map *map)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", t->pid, map->start,
		 map->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int add_file(struct step_tables *tables, const struct tracee *t,
		    const struct tracee_map *map, int session)
{
	struct lw_gen gen = {};
	struct lw_table like;
	struct stat st;
	int err, fd = open_mapped(t, map);

	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : lw_sframe_gen_fd(fd, map->path, LW_GEN_ANALYSIS, &gen);
	if (!err) {
		like = (struct lw_table) {
			.size = sizeof(like),
			.file_fd = fd,
			.mtime_sec = st.st_mtim.tv_sec,
			.mtime_nsec = st.st_mtim.tv_nsec,
			.file_size = st.st_size,
		};
		err = give(tables, &gen, &like, map->inode, session);
	}
	lw_gen_free(&gen);
	close(fd);
	return err;
}

/**
 * step_tables_add - hand over tables for what is mapped now and was not before
 * @tables: what was
 * @t: stopped, with its maps read
 * @session: that they are for too; 0 if there is none
 *
 * A file that has no table is no error; what is refused is told.
 *
 * Return: 0 or -errno.
 */
int step_tables_add(struct step_tables *tables, const struct tracee *t, int session)
{
	size_t i;

	for (i = 0; i < t->nr_maps; i++) {
		const struct tracee_map *map = &t->maps[i];
		bool is_vdso = !strcmp(map->path, "[vdso]");
		int err;

		if ((!map->inode && !is_vdso) || !is_new(tables, map->inode))
			continue;
		err = is_vdso ? add_vdso(tables, t, map, session) :
				add_file(tables, t, map, session);
		if (err) {
			tables->refused++;
			printf("# no table for %s: %s\n", map->path, strerror(-err));
		}
	}
	return 0;
}
