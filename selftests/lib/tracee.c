// SPDX-License-Identifier: GPL-2.0
/*
 * tracee.c - a program that is run instruction by instruction.
 *
 * Calls can be run through at full speed to a hardware breakpoint, which leaves
 * the program's memory as it is, and which its children do not inherit.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracee.h"

#if defined(__x86_64__)
#define DEBUG_REGISTER(nr)	(offsetof(struct user, u_debugreg) + (nr) * sizeof(long))
/* Debug register 7: that breakpoint is on, for execution. */
#define DR7_EXECUTE(nr)		(1L << 2 * (nr))
#elif defined(__aarch64__)
#include <asm/ptrace.h>
/* DBGBCR: all four bytes of an instruction, of user space, on. */
#define DBGBCR_EXECUTE		(0xf << 5 | 2 << 1 | 1)
#elif defined(__s390x__)
/* Of program event recording: struct user has per_struct of <asm/ptrace.h> there. */
#define PER_EVENTS		0x160
#define PER_FROM		0x180
#define PER_TO			0x188
/* An event is a branch that was taken; to that range of addresses. */
#define PER_BRANCH		0x80000000UL
#define PER_BRANCH_TO		(PER_BRANCH | 0x00800000UL)
#endif

static void child(char *const argv[])
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP))
		_exit(126);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

/**
 * tracee_start - make a child that will run a program
 * @t: filled
 * @argv: its arguments, NULL-terminated; its name is looked up in $PATH
 *
 * The child is stopped before its execve().
 */
int tracee_start(struct tracee *t, char *const argv[])
{
	int status;

	memset(t, 0, sizeof(*t));
	t->pages = calloc(TRACEE_PAGES, sizeof(*t->pages));
	if (!t->pages)
		return -ENOMEM;
	t->pid = fork();
	if (t->pid < 0)
		return -errno;
	if (!t->pid)
		child(argv);
	if (waitpid(t->pid, &status, __WALL) != t->pid || !WIFSTOPPED(status))
		return -ECHILD;
	if (ptrace(PTRACE_SETOPTIONS, t->pid, 0,
		   PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC))
		return -errno;
	return 0;
}

/**
 * tracee_end - kill what is left of it
 * @t: was started
 */
void tracee_end(struct tracee *t)
{
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, __WALL);
	}
	free(t->pages);
	free(t->maps);
	memset(t, 0, sizeof(*t));
}

static enum tracee_stop gone(struct tracee *t, int status)
{
	t->status = status;
	t->pid = 0;
	return TRACEE_GONE;
}

static enum tracee_stop wait_stop(struct tracee *t)
{
	struct iovec regs = { &t->regs, sizeof(t->regs) };
	int status;

	if (waitpid(t->pid, &status, __WALL) != t->pid)
		return gone(t, -1);
	if (!WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGSET, t->pid, NT_PRSTATUS, &regs))
		return gone(t, status);
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		return TRACEE_EXEC;
	if (WSTOPSIG(status) == SIGTRAP)
		return TRACEE_STEP;
	t->signal = WSTOPSIG(status);
	return TRACEE_SIGNAL;
}

static enum tracee_stop resume(struct tracee *t, int request)
{
	t->given = t->signal;
	t->signal = 0;
	if (ptrace(request, t->pid, 0, t->given))
		return gone(t, -1);
	return wait_stop(t);
}

#if defined(__x86_64__)

static int set_breakpoints(struct tracee *t, const struct tracee_target *targets,
			   unsigned int nr)
{
	unsigned int i;
	long control = 0;

	for (i = 0; i < nr; i++) {
		if (ptrace(PTRACE_POKEUSER, t->pid, DEBUG_REGISTER(i), targets[i].ip))
			return -errno;
		control |= DR7_EXECUTE(i);
	}
	return ptrace(PTRACE_POKEUSER, t->pid, DEBUG_REGISTER(7), control) ? -errno : 0;
}

#elif defined(__aarch64__)

/* All that there may be, so that those of before are off. */
static int set_breakpoints(struct tracee *t, const struct tracee_target *targets,
			   unsigned int nr)
{
	struct user_hwdebug_state state = { 0 };
	struct iovec regs = { &state, offsetof(struct user_hwdebug_state,
					       dbg_regs[TRACEE_MAX_TARGETS]) };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		state.dbg_regs[i].addr = targets[i].ip;
		state.dbg_regs[i].ctrl = DBGBCR_EXECUTE;
	}
	return ptrace(PTRACE_SETREGSET, t->pid, NT_ARM_HW_BREAK, &regs) ? -errno : 0;
}

#elif defined(__s390x__)

/*
 * By the branch that comes there: an instruction's own event would come when it has run.
 *
 * Else each branch is an event for who steps (the kernel puts all addresses in the range then):
 * QEMU 10.0 has none of the instruction if that is a conditional branch that was taken, so that a
 * step would end one instruction behind.
 */
static int set_breakpoints(struct tracee *t, const struct tracee_target *targets,
			   unsigned int nr)
{
	__u64 ip = nr ? targets[0].ip : 0;

	return ptrace(PTRACE_POKEUSER, t->pid, PER_FROM, ip) ||
	       ptrace(PTRACE_POKEUSER, t->pid, PER_TO, ip) ||
	       ptrace(PTRACE_POKEUSER, t->pid, PER_EVENTS, nr ? PER_BRANCH_TO : PER_BRANCH) ?
	       -errno : 0;
}

#endif

/**
 * tracee_run_to_exec - let it run into its program
 * @t: started, or stopped anywhere
 *
 * Return: TRACEE_EXEC at the program's first instruction, or TRACEE_GONE.
 */
enum tracee_stop tracee_run_to_exec(struct tracee *t)
{
	enum tracee_stop stop;

	do {
		stop = resume(t, PTRACE_CONT);
	} while (stop != TRACEE_EXEC && stop != TRACEE_GONE);
	if (stop == TRACEE_EXEC && set_breakpoints(t, NULL, 0))
		return gone(t, -1);
	return stop;
}

/**
 * tracee_step - one instruction, or what comes in between
 * @t: stopped
 *
 * A signal is delivered by two steps that run no instruction: the first says
 * which (TRACEE_SIGNAL), the second ends at the first instruction of its handler.
 */
enum tracee_stop tracee_step(struct tracee *t)
{
	return resume(t, PTRACE_SINGLESTEP);
}

#if defined(__s390x__)

static size_t insn_len(const uint8_t *code)
{
	return code[0] < 0x40 ? 2 : code[0] < 0xc0 ? 4 : 6;
}

/* The target of a branch on condition, count or index, 0 if it is none; those that gcc writes. */
static __u64 target_of(const uint8_t *code, const struct user_regs_struct *regs)
{
	__u64 near = step_ip(regs) + 2 * (__s16)(code[2] << 8 | code[3]);
	unsigned int high = code[1] >> 4, low = code[1] & 0xf;

	switch (code[0]) {
	case 0x07:
		return high && high < 15 && low ? regs->gprs[low] : 0;
	case 0xa7:
		return low == 6 || low == 7 || (low == 4 && high && high < 15) ? near : 0;
	case 0xc0:
		return low == 4 && high && high < 15 ?
		       step_ip(regs) + 2LL * (__s32)((__u32)code[2] << 24 | code[3] << 16 |
						     code[4] << 8 | code[5]) : 0;
	case 0x84: case 0x85:
		return near;
	case 0xec:
		return (code[5] & 0xfe) == 0x44 || (code[5] & 0xfe) == 0x64 ||
		       (code[5] & 0xfe) == 0x76 || (code[5] & 0xfc) == 0x7c ? near : 0;
	default:
		return 0;
	}
}

#endif

/**
 * tracee_find_last - of a step, which was the last instruction
 * @t: at a TRACEE_STEP
 * @before: registers at the last stop; the address is made that of the instruction
 *
 * QEMU 10.0 has no event for a branch of s390x that is not taken, and then one for the next
 * instruction.  That must be known, as it may be a call.
 */
void tracee_find_last(struct tracee *t, struct user_regs_struct *before)
{
#if defined(__s390x__)
	const uint8_t *code;
	__u64 target;

	while (tracee_code(t, step_ip(before), &code) >= 6) {
		target = target_of(code, before);
		if (!target || target == step_ip(&t->regs) ||
		    step_ip(before) + insn_len(code) == step_ip(&t->regs))
			break;
		before->psw.addr += insn_len(code);
	}
#else
	(void)t;
	(void)before;
#endif
}

static bool is_there(const struct tracee *t, const struct tracee_target *targets,
		     unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (step_ip(&t->regs) == targets[i].ip &&
		    (!targets[i].sp || step_sp(&t->regs) == targets[i].sp))
			return true;
	return false;
}

/**
 * tracee_run_to - at full speed to an instruction
 * @t: stopped
 * @targets: to stop at one of them
 * @nr: 1 to TRACEE_MAX_TARGETS
 *
 * Return: TRACEE_STEP at a target, TRACEE_EXEC or TRACEE_GONE.
 */
enum tracee_stop tracee_run_to(struct tracee *t, const struct tracee_target *targets,
			       unsigned int nr)
{
	enum tracee_stop stop;

	if (set_breakpoints(t, targets, nr))
		return gone(t, -1);
	do {
		stop = resume(t, PTRACE_CONT);
	} while (stop == TRACEE_SIGNAL || (stop == TRACEE_STEP && !is_there(t, targets, nr)));
	if (stop != TRACEE_GONE && set_breakpoints(t, NULL, 0))
		return gone(t, -1);
	return stop;
}

/**
 * tracee_read - its memory
 * @t: stopped
 * @addr: where
 * @to: buffer
 * @len: bytes
 */
int tracee_read(const struct tracee *t, __u64 addr, void *to, size_t len)
{
	struct iovec local = { to, len };
	struct iovec remote = { (void *)addr, len };

	return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)len ?
	       0 : -EFAULT;
}

/* As much as there is. */
static void read_page(struct tracee *t, struct tracee_page *page, __u64 addr)
{
	page->addr = addr;
	page->len = sizeof(page->bytes);
	if (tracee_read(t, addr, page->bytes, page->len)) {
		page->len = TRACEE_PAGE;
		if (tracee_read(t, addr, page->bytes, page->len))
			page->len = 0;
	}
}

/**
 * tracee_code - the bytes of an instruction
 * @t: stopped
 * @ip: its address
 * @code: out: its bytes and what follows, good until the next call
 *
 * They are remembered: see tracee_forget_code().
 *
 * Return: bytes at @code, TRACEE_MAX_INSN at most; 0 if there are none.
 */
size_t tracee_code(struct tracee *t, __u64 ip, const uint8_t **code)
{
	__u64 addr = ip & -(__u64)TRACEE_PAGE;
	struct tracee_page *page = &t->pages[ip / TRACEE_PAGE % TRACEE_PAGES];
	size_t have;

	if (!page->len || page->addr != addr)
		read_page(t, page, addr);
	*code = page->bytes + (ip - addr);
	if (page->len <= ip - addr)
		return 0;
	have = page->len - (ip - addr);
	return have < TRACEE_MAX_INSN ? have : TRACEE_MAX_INSN;
}

/**
 * tracee_forget_code - its mappings may be others now
 * @t: stopped
 */
void tracee_forget_code(struct tracee *t)
{
	size_t i;

	for (i = 0; i < TRACEE_PAGES; i++)
		t->pages[i].len = 0;
}

static bool parse_map(const char *line, struct tracee_map *map)
{
	unsigned long long start, end, offset, inode;
	char perms[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*x:%*x %llu %n", &start, &end,
		   perms, &offset, &inode, &at) < 5 || !at)
		return false;
	*map = (struct tracee_map) {
		.start = start, .end = end, .offset = offset, .inode = inode,
		.exec = perms[2] == 'x', .write = perms[1] == 'w',
	};
	snprintf(map->path, sizeof(map->path), "%.*s",
		 (int)strcspn(line + at, "\n"), line + at);
	return true;
}

/**
 * tracee_read_maps - its executable mappings as they are now
 * @t: stopped
 */
int tracee_read_maps(struct tracee *t)
{
	struct tracee_map map;
	char line[4400];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/maps", t->pid);
	file = fopen(line, "r");
	if (!file)
		return -errno;
	t->nr_maps = 0;
	while (fgets(line, sizeof(line), file)) {
		struct tracee_map *maps;

		if (!parse_map(line, &map) || !map.exec)
			continue;
		maps = realloc(t->maps, (t->nr_maps + 1) * sizeof(*maps));
		if (!maps)
			break;
		t->maps = maps;
		t->maps[t->nr_maps++] = map;
	}
	fclose(file);
	return 0;
}

/**
 * tracee_map_of - the executable mapping around an address
 * @t: tracee_read_maps() has been there
 * @addr: address
 *
 * Return: it, or NULL.
 */
const struct tracee_map *tracee_map_of(const struct tracee *t, __u64 addr)
{
	size_t i;

	for (i = 0; i < t->nr_maps; i++)
		if (addr >= t->maps[i].start && addr < t->maps[i].end)
			return &t->maps[i];
	return NULL;
}

/**
 * tracee_auxv - what the kernel told the program
 * @t: stopped
 * @type: AT_*
 *
 * Return: the value, 0 if there is none.
 */
__u64 tracee_auxv(const struct tracee *t, __u64 type)
{
	__u64 pair[2], value = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", t->pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (!value && fread(pair, sizeof(pair), 1, file) == 1 && pair[0])
		if (pair[0] == type)
			value = pair[1];
	fclose(file);
	return value;
}
