/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_dump.h - names of code in jit-PID.dump, as 'perf inject --jit' reads them.
 */
#ifndef LW_JIT_DUMP_H
#define LW_JIT_DUMP_H

#include "jit/jit_code.h"

/**
 * struct lw_jit_dump_header - what a file begins with, in the byte order of its machine
 * @magic: LW_JIT_DUMP_MAGIC
 * @version: 1
 * @size: bytes of the header
 * @machine: EM_* of ELF
 * @pad: 0
 * @pid: of the process, in its own PID namespace
 * @time: when the file was begun, by whatever clock
 * @flags: LW_JIT_DUMP_ARCH_TIME
 */
struct lw_jit_dump_header {
	u32 magic, version, size, machine, pad, pid;
	u64 time, flags;
};

#define LW_JIT_DUMP_MAGIC	0x4a695444U
#define LW_JIT_DUMP_VERSION	1
/* Times are the processor's own (the TSC). */
#define LW_JIT_DUMP_ARCH_TIME	0x1ULL

/**
 * struct lw_jit_dump_record - what each record begins with
 * @type: enum lw_jit_dump_type
 * @size: bytes of it, with these
 * @time: CLOCK_MONOTONIC nanoseconds, without LW_JIT_DUMP_ARCH_TIME
 */
struct lw_jit_dump_record {
	u32 type, size;
	u64 time;
};

enum lw_jit_dump_type {
	LW_JIT_DUMP_LOAD,
	LW_JIT_DUMP_MOVE,
	LW_JIT_DUMP_LINES,
	LW_JIT_DUMP_CLOSE,
	LW_JIT_DUMP_UNWIND,
};

/* Behind it are the name, with its end, and the bytes of the code. */
struct lw_jit_dump_load {
	struct lw_jit_dump_record record;
	u32 pid, tid;
	u64 vma, start, size, index;
};

struct lw_jit_dump_move {
	struct lw_jit_dump_record record;
	u32 pid, tid;
	u64 vma, from, to, size, index;
};

/* What was read of a file. Zeroed is nothing. */
struct lw_jit_dump {
	struct lw_jit_dump_header header;
	u64 read_to;		/* where the first record begins that was not read yet */
	u64 order;		/* of records, where their times are of no use */
	bool bad;		/* it is no dump, or no records follow that make sense */
};

bool lw_jit_dump_is_path(const char *path);
bool lw_jit_dump_is_sound(const struct lw_jit_dump_header *header);
bool lw_jit_dump_is_new(const struct lw_jit_dump *dump, int fd);
void lw_jit_dump_read(struct lw_jit_dump *dump, struct lw_jit_code *code, int fd, u64 most);

#endif /* LW_JIT_DUMP_H */
