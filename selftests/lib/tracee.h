/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracee.h - a program that is run instruction by instruction.
 *
 * Functions return 0 or -errno unless they say otherwise.
 */
#ifndef LW_SELFTESTS_TRACEE_H
#define LW_SELFTESTS_TRACEE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "step_machine.h"

/* The longest instruction. */
#define TRACEE_MAX_INSN	15

/* What is read of code at once: a page is a multiple of that. */
#define TRACEE_PAGE	4096
#define TRACEE_PAGES	512

/* A line of /proc/PID/maps. */
struct tracee_map {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 inode;
	bool exec;
	bool write;
	char path[256];
};

/* Code as it was read; empty if len is 0. */
struct tracee_page {
	__u64 addr;
	size_t len;
	uint8_t bytes[TRACEE_PAGE + TRACEE_MAX_INSN];
};

/**
 * struct tracee - a stopped child
 * @pid: its id
 * @regs: at this stop
 * @signal: what it will be given when it goes on; 0 for none
 * @given: what it was given when it went on last
 * @status: as waitpid() said when it was gone
 * @maps: executable mappings, see tracee_read_maps()
 * @nr_maps: of them
 * @pages: code, by address
 */
struct tracee {
	pid_t pid;
	struct user_regs_struct regs;
	int signal;
	int given;
	int status;
	struct tracee_map *maps;
	size_t nr_maps;
	struct tracee_page *pages;
};

/* What a processor has; that of s390x has one range of addresses. */
#if defined(__s390x__)
#define TRACEE_MAX_TARGETS	1
#else
#define TRACEE_MAX_TARGETS	4
#endif

/* To stop at @ip with the stack pointer @sp, or any if that is 0. */
struct tracee_target {
	__u64 ip;
	__u64 sp;
};

enum tracee_stop {
	TRACEE_STEP,		/* an instruction ran, or a handler is about to */
	TRACEE_SIGNAL,		/* tracee.signal is about to be delivered */
	TRACEE_EXEC,		/* another program */
	TRACEE_GONE,
};

int tracee_start(struct tracee *t, char *const argv[]);
void tracee_end(struct tracee *t);
enum tracee_stop tracee_run_to_exec(struct tracee *t);
enum tracee_stop tracee_step(struct tracee *t);
void tracee_find_last(struct tracee *t, struct user_regs_struct *before);
enum tracee_stop tracee_run_to(struct tracee *t, const struct tracee_target *targets,
			       unsigned int nr);

int tracee_read(const struct tracee *t, __u64 addr, void *to, size_t len);
size_t tracee_code(struct tracee *t, __u64 ip, const uint8_t **code);
void tracee_forget_code(struct tracee *t);
int tracee_read_maps(struct tracee *t);
const struct tracee_map *tracee_map_of(const struct tracee *t, __u64 addr);
__u64 tracee_auxv(const struct tracee *t, __u64 type);

#endif /* LW_SELFTESTS_TRACEE_H */
