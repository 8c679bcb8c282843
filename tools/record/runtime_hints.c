// SPDX-License-Identifier: GPL-2.0
/*
 * runtime_hints.c - flags that recorded programs should have been started with.
 *
 * A process whose stack is not whole by tables is looked at while it runs, as it may be gone
 * when the summary is written.  It may have no code yet that it has made, so it is looked at
 * again after some more such stacks, a few times.  That is done for the first processes only:
 * a machine may start them all the time.
 *
 * A thread looks, so that rings are read on meanwhile: what /proc says of a process may take its
 * time, or never come.
 *
 * Contexts: one thread calls all of this; look() runs in the queue's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/hashtable.h"
#include "base/print.h"
#include "base/work_queue.h"
#include "record/runtime_hints.h"
#include "symbols/jit_runtime.h"

#define HASH_SIZE	256
#define MAX_PROCESSES	1024
/* Looks at one process: at its stack number 1, 8, 64, 512 and 4,096. */
#define MAX_LOOKS	5
#define LOOK_FACTOR	8
/* Bytes of looks that wait, and what a summary waits for them. */
#define MAX_WAITING	65536
#define WAIT_NS		(3 * NSEC_PER_SEC)

struct process {
	struct lw_hash_node node;
	u32 pid;
	u32 looks;
	u64 stacks, next_look;
	char name[16];
	u32 lacks;		/* bits by enum lw_jit_lack; only look() writes it */
	bool looking;		/* until look() has ended, which clears it */
};

struct look {
	struct lw_work work;
	struct process *process;
};

struct lw_runtime_hints {
	const char *proc;
	struct lw_work_queue *looks;	/* NULL: none yet */
	struct lw_hash_node *processes[HASH_SIZE];
	u32 nr;
};

/**
 * lw_runtime_hints_new - begin without a process
 * @proc: where processes have their directories; must stay
 *
 * Return: the hints or NULL.
 */
struct lw_runtime_hints *lw_runtime_hints_new(const char *proc)
{
	struct lw_runtime_hints *hints = calloc(1, sizeof(*hints));

	if (hints)
		hints->proc = proc;
	return hints;
}

/**
 * lw_runtime_hints_free - free them
 * @hints: the hints or NULL; if a look does not come back, what it uses stays
 */
void lw_runtime_hints_free(struct lw_runtime_hints *hints)
{
	struct lw_hash_node **at, *after;
	struct process *process;

	if (!hints || !lw_work_queue_free(hints->looks, lw_now() + NSEC_PER_SEC))
		return;
	lw_hash_for_all_safe(process, after, at, hints->processes, node)
		free(process);
	free(hints);
}

/* By its name, too: a process executes one program after the other. */
static struct process *get_process(struct lw_runtime_hints *hints, u32 pid, const char *name)
{
	struct lw_hash_node **slot = lw_hash_slot(hints->processes, pid);
	struct process *process;

	lw_hash_for_each(process, slot, node) {
		if (process->pid == pid && !strncmp(process->name, name, sizeof(process->name) - 1))
			return process;
	}
	process = hints->nr < MAX_PROCESSES ? calloc(1, sizeof(*process)) : NULL;
	if (!process)
		return NULL;
	process->pid = pid;
	process->next_look = 1;
	snprintf(process->name, sizeof(process->name), "%s", name);
	lw_hash_add(slot, &process->node);
	hints->nr++;
	return process;
}

static int look(void *ctx, struct lw_work *work)
{
	const struct lw_runtime_hints *hints = ctx;
	struct process *process;
	char path[128];

	if (!work)
		return 0;
	process = ((struct look *)work)->process;
	snprintf(path, sizeof(path), "%s/%u", hints->proc, process->pid);
	/* what was found stays when a process has ended that is looked at again */
	store_release(&process->lacks, process->lacks | lw_jit_runtime_lacks(path));
	store_release(&process->looking, false);
	return 0;
}

/* The thread begins with the first look: signals are blocked by then. */
static bool add_look(struct lw_runtime_hints *hints, struct process *process)
{
	struct look *work;

	if (!hints->looks)
		hints->looks = lw_work_queue_new(MAX_WAITING, look, hints);
	work = hints->looks ? malloc(sizeof(*work)) : NULL;
	if (!work)
		return false;
	work->work.bytes = sizeof(*work);
	work->process = process;
	store_release(&process->looking, true);
	if (lw_work_queue_add(hints->looks, &work->work))
		return true;
	store_release(&process->looking, false);
	free(work);
	return false;
}

/**
 * lw_runtime_hints_see - tell of a stack that is not whole by tables
 * @hints: the hints
 * @pid: its process, which may have ended
 * @name: of that when the stack was taken
 */
void lw_runtime_hints_see(struct lw_runtime_hints *hints, u32 pid, const char *name)
{
	struct process *process = get_process(hints, pid, name);

	if (!process || process->looks >= MAX_LOOKS || load_acquire(&process->lacks) ||
	    ++process->stacks < process->next_look || load_acquire(&process->looking) ||
	    !add_look(hints, process))
		return;
	process->looks++;
	process->next_look *= LOOK_FACTOR;
}

/* Return: how many processes lack it, and one of them. */
static u32 count_lack(const struct lw_runtime_hints *hints, u32 lack, const struct process **one)
{
	struct lw_hash_node * const *at;
	const struct process *process;
	u32 nr = 0;

	lw_hash_for_all(process, at, hints->processes, node) {
		if (!(load_acquire(&process->lacks) & 1U << lack))
			continue;
		if (!nr++ || process->pid < (*one)->pid)
			*one = process;
	}
	return nr;
}

/**
 * lw_runtime_hints_say - say which flags processes lack, in lines for a reader
 * @hints: the hints; looks that wait are waited for, three seconds at most
 * @out: where to
 */
void lw_runtime_hints_say(const struct lw_runtime_hints *hints, FILE *out)
{
	if (hints->looks)
		lw_work_queue_wait(hints->looks, lw_now() + WAIT_NS);
	for (u32 i = 0; i < LW_JIT_NR_LACKS; i++) {
		const struct lw_jit_lack_text *text = lw_jit_lack_text(i);
		const struct process *one;
		u32 nr = count_lack(hints, i, &one);

		if (!nr)
			continue;
		fprintf(out, "latewind: %s: process %u (", text->what, one->pid);
		lw_print_plain(out, one->name);
		fputc(')', out);
		if (nr > 1)
			fprintf(out, " and %u more", nr - 1);
		fprintf(out, "\n  %s\n  %s\n", text->advice[0], text->advice[1]);
	}
}
