/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_files.h - the libraries that are made of walk_code.S, and how the module comes to
 * their unwind rows.
 */
#ifndef LW_WALK_FILES_H
#define LW_WALK_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../tools/sframe/gen.h"
#include "walk_code.h"

/* How a library was built. */
enum walk_build {
	WALK_PLAIN,		/* .eh_frame is all that it has */
	WALK_SFRAME,		/* a section of its own */
	WALK_FP,		/* frame pointers */
	WALK_NR_BUILDS
};

/**
 * struct walk_file - a library, or a copy of one
 * @fd: of it
 * @addr: where it is mapped
 * @run: walk_run()
 * @base: walk_base()
 * @functions: walk_functions
 * @leaf: walk_leaf()
 */
struct walk_file {
	int fd;
	uintptr_t addr;
	walk_run_fn run;
	char *base;
	char *functions;
	char *leaf;
};

/**
 * struct walk_files - all that has the functions of a stack
 * @nr: length of @file
 * @file: mapped ones
 * @gen: the tables of each, as they are all alike
 * @nr_functions: in a file
 */
struct walk_files {
	unsigned int nr;
	struct walk_file *file;
	struct lw_gen gen;
	unsigned int nr_functions;
};

void walk_files_load(struct walk_files *files, enum walk_build build, unsigned int copies);
void walk_files_path(const struct walk_files *files, void **path, unsigned int frames);
void walk_files_add_tables(const struct walk_files *files, int session);
void walk_files_register(const struct walk_files *files, bool add);

void walk_die(const char *what) __attribute__((noreturn));

#endif /* LW_WALK_FILES_H */
