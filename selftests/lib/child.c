// SPDX-License-Identifier: GPL-2.0
/*
 * child.c - see child.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

#define RING	(1 << 20)
#define PT_GNU_SFRAME	0x6474e554	/* binutils: include/elf/common.h */

int child_init(struct child *c)
{
	int ret;

	memset(c, 0, sizeof(*c));
	ret = lwt_session_open(&c->s, RING, 0, 0);
	if (ret)
		return ret;
	c->known = mmap(NULL, sizeof(*c->known), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->known == MAP_FAILED || pipe2(c->start, O_CLOEXEC) ||
	    pipe2(c->unblock, O_CLOEXEC))
		return -errno;
	return 0;
}

void child_free(struct child *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, __WALL);
	}
	lwt_log_free(&c->log);
	lwt_session_close(&c->s);
}

/* It waits for child_begin(), in that very call, then does @work and exits. */
void child_make(struct child *c, int (*work)(struct child *c))
{
	char byte;

	c->pid = fork();
	if (c->pid) {
		lwt_wait(child_is(c, CHILD_ASLEEP));
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lwt_session_forget(&c->s);
	close(c->unblock[1]);
	if (read(c->start[0], &byte, 1) != 1)
		_exit(1);
	_exit(work(c));
}

/* Of the child and what it starts. */
int child_add(struct child *c, struct perf_event_attr attr)
{
	attr.inherit = attr.type <= PERF_TYPE_RAW;
	return lwt_add_event(c->s.fd, &attr, LW_TARGET_TASK, c->pid, NULL);
}

/* Hits of @tracepoint are requests, from now on. */
int child_trace(struct child *c, const char *tracepoint)
{
	return child_add(c, lwt_attr_tracepoint(tracepoint)) ?:
	       lwt_enable(c->s.fd);
}

int child_begin(struct child *c)
{
	return write(c->start[1], "x", 1) == 1 ? 0 : -errno;
}

/* A child that does @work, where hits of @tracepoint are requests. */
int child_run(struct child *c, int (*work)(struct child *c), const char *tracepoint)
{
	child_make(c, work);
	return child_trace(c, tracepoint) ?: child_begin(c);
}

int child_unblock(struct child *c)
{
	return write(c->unblock[1], "x", 1) == 1 ? 0 : -errno;
}

/* Return: as waitpid() gives it, or -1. */
int child_reap(struct child *c)
{
	int status = -1;

	if (waitpid(c->pid, &status, 0) == c->pid)
		c->pid = 0;
	return status;
}

bool child_pending(struct child *c, uint64_t nr)
{
	return lwt_stats(c->s.fd).pending == nr;
}

/* Is its state one of these letters? */
bool child_is(struct child *c, const char *states)
{
	return lwt_is(c->pid, states);
}

/* Waits until the session has one stack to come, its own, and it is in one of these states. */
bool child_blocks(struct child *c, const char *states)
{
	return lwt_wait(child_pending(c, 1) && child_is(c, states));
}

/* Return: are all answers there, and read. */
bool child_settle(struct child *c)
{
	return lwt_wait(child_pending(c, 0)) && lwt_read(&c->s, &c->log) >= 0;
}

/* The youngest stack read, or NULL. */
struct lwt_stack *child_last_stack(struct child *c)
{
	struct lwt_stack *last = NULL;
	size_t i;

	for (i = 0; i < c->log.nr; i++) {
		struct lwt_stack *stack = c->log.records[i].stack;

		if (stack->record.type == LW_RECORD_USER_STACK &&
		    (!last || last->time < stack->time))
			last = stack;
	}
	return last;
}

unsigned int child_count_ends(struct child *c, uint32_t end)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < c->log.nr; i++)
		nr += c->log.records[i].head->type == LW_RECORD_USER_STACK &&
		      c->log.records[i].stack->end == end;
	return nr;
}

/* A stack that starts at @ip, and how many there are. */
struct lwt_stack *child_find_ip(struct child *c, uint64_t ip,
				unsigned int *nr)
{
	struct lwt_stack *found = NULL;
	size_t i;

	*nr = 0;
	for (i = 0; i < c->log.nr; i++) {
		struct lwt_stack *stack = c->log.records[i].stack;

		if (stack->record.type != LW_RECORD_USER_STACK || !stack->nr ||
		    stack->frames[0] != ip)
			continue;
		found = stack;
		++*nr;
	}
	return found;
}

/* Makes the call that is known; its chain's arg is the struct child_known. */
KEEP long child_leaf(struct chain *chain)
{
	struct child_known *known = chain->arg;
	long ret;

	chain_note(chain);
	call_expect(&known->call, chain);
	ret = child_syscall(known->nr, known->a, known->b, known->c,
			    &known->call.expect[0]);
	known->ret = ret;
	NO_TAIL_CALL(ret);
	return ret;
}

/* For child_make(): the call that is known. */
int child_call(struct child *c)
{
	chain_run(&c->known->chain, "abcde", child_leaf, c->known);
	return 0;
}

static int read_table(struct dl_phdr_info *info, size_t size, void *arg)
{
	const long page = sysconf(_SC_PAGESIZE);
	bool *found = arg;

	(void)size;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const volatile char *bytes = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_GNU_SFRAME)
			continue;
		for (size_t at = 0; at < info->dlpi_phdr[i].p_memsz; at += page)
			(void)bytes[at];
		(void)bytes[info->dlpi_phdr[i].p_memsz - 1];
		*found = true;
	}
	/* the program is the first one, and all that is wanted */
	return 1;
}

/*
 * For the work of child_make(): have the program's table in memory, for a walk that may
 * take no fault, as in an exit.
 */
int child_read_table(void)
{
	bool found = false;

	dl_iterate_phdr(read_table, &found);
	return found ? 0 : -ENOENT;
}

/* For child_make(): read() from the pipe. */
int child_block(struct child *c)
{
	char byte;

	c->known->nr = SYS_read;
	c->known->a = c->unblock[0];
	c->known->b = (long)&byte;
	c->known->c = 1;
	child_call(c);
	return c->known->ret == 1 ? 0 : 2;
}
