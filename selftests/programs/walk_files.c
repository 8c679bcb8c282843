// SPDX-License-Identifier: GPL-2.0
/*
 * walk_files.c - see walk_files.h.  What goes wrong ends the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <latewind.h>

#include "lib/lw_test.h"
#include "walk_files.h"

/* Of a function in the middle of a stack, at most. */
#define STEP	389

static const char * const suffixes[WALK_NR_BUILDS] = { "", "_sframe", "_fp" };

void walk_die(const char *what)
{
	fprintf(stderr, "walk_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(const char *what, int ret)
{
	if (ret >= 0)
		return;
	errno = -ret;
	walk_die(what);
}

/* The libraries are beside the program. */
static void library_path(char path[512], const char *name, enum walk_build build)
{
	ssize_t len = readlink("/proc/self/exe", path, 400);

	if (len <= 0)
		walk_die("/proc/self/exe");
	path[len] = 0;
	sprintf(strrchr(path, '/') + 1, "%s%s.so", name, suffixes[build]);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	struct stat st;

	if (in < 0 || out < 0 || fstat(in, &st) ||
	    sendfile(out, in, NULL, st.st_size) != st.st_size)
		walk_die(to);
	close(in);
	close(out);
}

static void load(struct walk_file *file, const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct link_map *map;

	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!handle || file->fd < 0 || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		walk_die(path);
	file->addr = map->l_addr;
	file->run = (walk_run_fn)dlsym(handle, "walk_run");
	file->base = dlsym(handle, "walk_base");
	file->functions = dlsym(handle, "walk_functions");
	file->leaf = dlsym(handle, "walk_leaf");
	if (!file->run || !file->base || !file->functions || !file->leaf)
		walk_die(path);
}

/* No tmpfs: of that no file is believed for longer than a walk. */
#define DIR	"/tmp/walk-files"

static void make_dir(void)
{
	if (!mkdir(DIR, 0700) && mount("walk", DIR, "ramfs", 0, NULL))
		walk_die(DIR);
}

/**
 * walk_files_load - map a library
 * @files: out
 * @build: which one
 * @copies: 0: the library with many functions, itself; else copies of the one with a
 *	single function
 */
void walk_files_load(struct walk_files *files, enum walk_build build, unsigned int copies)
{
	char from[512], path[64];
	unsigned int i;

	library_path(from, copies ? "libwalk_one" : "libwalk", build);
	files->nr = copies ?: 1;
	files->nr_functions = copies ? 1 : WALK_FUNCTIONS;
	files->file = calloc(files->nr, sizeof(*files->file));
	if (!files->file)
		walk_die("files");
	if (copies)
		make_dir();
	for (i = 0; i < copies; i++) {
		snprintf(path, sizeof(path), DIR "/%u-%u.so", build, i);
		copy_file(from, path);
		load(&files->file[i], path);
	}
	if (!copies)
		load(&files->file[0], from);
	if (lwt_settle(files->file[files->nr - 1].fd))
		walk_die("settle");
	check("table", lw_sframe_gen_fd(files->file[0].fd, from, 0, &files->gen));
}

/**
 * walk_files_path - the functions of a stack
 * @files: loaded
 * @path: room for @frames functions
 * @frames: at least 2
 *
 * No two functions that call each other are neighbours, and none is in the stack twice
 * if there are enough of them.
 */
void walk_files_path(const struct walk_files *files, void **path, unsigned int frames)
{
	unsigned int i;

	path[0] = files->file[0].base;
	for (i = 1; i < frames - 1; i++)
		path[i] = files->file[i % files->nr].functions +
			  i * STEP % files->nr_functions * WALK_STRIDE;
	path[i] = files->file[i % files->nr].leaf;
}

static void add_table(const struct walk_file *file, const struct lw_gen_table *table, int session)
{
	struct stat st;
	struct lw_table arg = {
		.size = sizeof(arg),
		.file_fd = file->fd,
		.text_offset = table->text_offset,
		.text_size = table->text_size,
		.data = (uintptr_t)table->data,
		.data_size = table->size,
	};

	if (fstat(file->fd, &st))
		walk_die("fstat");
	arg.mtime_sec = st.st_mtim.tv_sec;
	arg.mtime_nsec = st.st_mtim.tv_nsec;
	arg.file_size = st.st_size;
	check("LW_IOC_ADD_TABLE", lwt_ioctl(session, LW_IOC_ADD_TABLE, &arg));
}

/**
 * walk_files_add_tables - hand tables over, as the tool does
 * @files: loaded
 * @session: for this one
 */
void walk_files_add_tables(const struct walk_files *files, int session)
{
	unsigned int i, j;

	for (i = 0; i < files->nr; i++)
		for (j = 0; j < files->gen.nr_tables; j++)
			add_table(&files->file[i], &files->gen.tables[j], session);
}

static void register_table(const struct walk_file *file, const struct lw_gen_table *table,
			   int fd, bool add)
{
	struct lw_section section = {
		.size = sizeof(section),
		.addr = (uintptr_t)table->data,
		.len = table->size,
		.text_start = file->addr + table->text_addr,
		.text_size = table->text_size,
		.base = file->addr + table->text_addr,
	};

	check("LW_IOC_ADD_SECTION",
	      lwt_ioctl(fd, add ? LW_IOC_ADD_SECTION : LW_IOC_REMOVE_SECTION, &section));
}

/**
 * walk_files_register - register sections for this process, or remove them
 * @files: loaded
 * @add: else remove
 */
void walk_files_register(const struct walk_files *files, bool add)
{
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	unsigned int i, j;

	if (fd < 0)
		walk_die(LW_DEVICE_PATH);
	for (i = 0; i < files->nr; i++)
		for (j = 0; j < files->gen.nr_tables; j++)
			register_table(&files->file[i], &files->gen.tables[j], fd, add);
	close(fd);
}
