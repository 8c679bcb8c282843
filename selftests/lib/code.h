/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code.h - the functions of latewind.ko and lw_test.ko as they are loaded: from
 * where to where, and of which source file.
 */
#ifndef CODE_H
#define CODE_H

#include <stdint.h>

#define CODE_MAX	2048

/**
 * struct code_function - one function
 * @start: its address
 * @end: the address of the next one
 * @name: of it
 * @object: its source file without directory and suffix, or "" where it is not
 *	known
 * @module: that it is in
 */
struct code_function {
	uint64_t start;
	uint64_t end;
	char name[80];
	char object[32];
	char module[32];
};

/**
 * struct code - all of them, in order of their addresses
 * @nr: functions
 * @functions: of them
 */
struct code {
	unsigned int nr;
	struct code_function functions[CODE_MAX];
};

/* With the test modules: the output of nm -A of the objects of latewind.ko. */
#define CODE_OBJECTS	"latewind.nm"
#define CODE_MISSING	\
	"which functions latewind.ko has is not known: neither $LW_TEST_MODULES/latewind.nm, " \
	"nor beside the test, nor in $LATEWIND_ROOT/build/test-module is there a latewind.nm"

int code_open(struct code *code);
const struct code_function *code_at(const struct code *code, uint64_t ip);

#endif /* CODE_H */
