// SPDX-License-Identifier: GPL-2.0
/*
 * top_stacks.c - from samples as they come to the rows of 'latewind top'.
 *
 * Addresses come again and again, and what is seen of them must not be a load itself:
 * what an address of a process is was looked up once, and holds until the process maps
 * something, runs another program, or is followed by another.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "top/top_stacks.h"

/* A power of two. */
#define NR_KNOWN	32768U
/* Frames that are known, all told: most addresses are one. */
#define MAX_POOL	(8 * NR_KNOWN)
/* Of a stack, with inlined calls. */
#define MAX_FRAMES	65536U
/* Files and kernel code that nobody has asked for so long are forgotten. */
#define TRIM_NS		(60 * NSEC_PER_SEC)

/* An address of a process, or of the kernel. */
struct known {
	u64 ip;
	u64 change;			/* of the process, when it was looked up */
	u32 pid;			/* 0 of the kernel */
	u32 first, nr;			/* frames in the pool; 0: not known */
	bool kernel;
	bool is_return;
};

struct frames {
	struct lw_top_frame *frames;
	u32 nr;
	size_t room;
};

struct lw_top_stacks {
	struct lw_top *top;
	const struct lw_process_maps *procs;
	struct lw_symbolizer *symbolizer;
	struct known known[NR_KNOWN];
	struct lw_change of_kernel;
	struct frames pool;		/* of what is known */
	struct frames stack;		/* of the sample that is added */
	u64 trimmed;			/* when */
};

/**
 * lw_top_stacks_new - nothing is known yet
 * @top: where samples will be counted; only through this one
 * @procs: with the side-band up to each sample
 * @symbolizer: for names
 *
 * Return: it, for lw_top_stacks_free(), or NULL.
 */
struct lw_top_stacks *lw_top_stacks_new(struct lw_top *top, const struct lw_process_maps *procs,
					struct lw_symbolizer *symbolizer)
{
	struct lw_top_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->top = top;
	stacks->procs = procs;
	stacks->symbolizer = symbolizer;
	stacks->trimmed = lw_now();
	return stacks;
}

/**
 * lw_top_stacks_free - free it
 * @stacks: it, or NULL; what it was made with stays
 */
void lw_top_stacks_free(struct lw_top_stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->pool.frames);
	free(stacks->stack.frames);
	free(stacks);
}

static void forget_known(struct lw_top_stacks *stacks)
{
	memset(stacks->known, 0, sizeof(stacks->known));
	stacks->pool.nr = 0;
}

/**
 * lw_top_stacks_record - take a side-band record
 * @stacks: it
 * @record: any, with a trailer of struct lw_sample_id; @procs has got it before
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_stacks_record(struct lw_top_stacks *stacks, const struct perf_event_header *record)
{
	struct lw_change *change = &stacks->of_kernel;
	struct lw_sample_id id;

	if (record->type != PERF_RECORD_KSYMBOL || record->size < sizeof(*record) + sizeof(id))
		return 0;
	memcpy(&id, (const u8 *)record + record->size - sizeof(id), sizeof(id));
	change->count++;
	if (id.time > change->time)
		change->time = id.time;
	return lw_symbolizer_ksymbol(stacks->symbolizer, record, record->size - sizeof(id),
				     id.time);
}

static int add_frames(struct frames *to, const struct lw_top_frame *frames, u32 nr)
{
	if (lw_grow((void **)&to->frames, &to->room, (size_t)to->nr + nr, sizeof(*frames)))
		return -ENOMEM;
	memcpy(&to->frames[to->nr], frames, nr * sizeof(*frames));
	to->nr += nr;
	return 0;
}

/* Address that is to be named. */
struct address {
	u64 ip;
	u64 time;
	u32 pid;			/* 0 of the kernel */
	bool kernel;
	bool is_return;			/* of the kernel: see lw_symbolize_caller() */
};

static const struct lw_change *change_of(const struct lw_top_stacks *stacks,
					 const struct address *address)
{
	return address->kernel ? &stacks->of_kernel :
	       lw_process_maps_change(stacks->procs, address->pid);
}

static struct known *known_slot(struct lw_top_stacks *stacks, const struct address *address)
{
	return &stacks->known[lw_hash64(address->ip + address->pid) % NR_KNOWN];
}

/* Names that were found before the last change of the mappings are looked up again. */
static const struct known *find_known(struct lw_top_stacks *stacks, const struct address *address)
{
	const struct lw_change *change = change_of(stacks, address);
	const struct known *known = known_slot(stacks, address);

	if (!known->nr || known->ip != address->ip || known->pid != address->pid ||
	    known->kernel != address->kernel || known->is_return != address->is_return)
		return NULL;
	return known->change == change->count && address->time >= change->time ? known : NULL;
}

static int keep_known(struct lw_top_stacks *stacks, const struct address *address,
		      const struct lw_top_frame *frames, u32 nr)
{
	const struct lw_change *change = change_of(stacks, address);
	struct known *known;

	if (address->time < change->time)
		return 0;
	if (stacks->pool.nr + nr > MAX_POOL)
		forget_known(stacks);
	known = known_slot(stacks, address);
	known->ip = address->ip;
	known->pid = address->pid;
	known->kernel = address->kernel;
	known->is_return = address->is_return;
	known->change = change->count;
	known->first = stacks->pool.nr;
	known->nr = nr;
	return add_frames(&stacks->pool, frames, nr);
}

/* Return: how many; @lasting: it will be the same as long as the process maps nothing. */
static u32 look_up(struct lw_top_stacks *stacks, const struct address *address,
		   struct lw_place *places, bool *lasting)
{
	struct lw_user_address user = {
		.pid = address->pid, .time = address->time, .ip = address->ip,
	};

	*lasting = true;
	if (address->kernel) {
		if (address->is_return)
			lw_symbolize_caller(stacks->symbolizer, address->time, address->ip,
					    places);
		else
			lw_symbolize_kernel(stacks->symbolizer, address->time, address->ip,
					    places);
		return 1;
	}
	lw_process_maps_locate(stacks->procs, &user);
	/* who makes code as it runs may make other code there */
	*lasting = !lw_map_is_made(user.map);
	return lw_symbolize_user(stacks->symbolizer, &user, places, LW_MAX_PLACES);
}

static int add_address(struct lw_top_stacks *stacks, const struct address *address)
{
	const struct known *known = find_known(stacks, address);
	struct lw_top_frame frames[LW_MAX_PLACES];
	struct lw_place places[LW_MAX_PLACES];
	bool lasting;
	u32 nr;

	if (known)
		return add_frames(&stacks->stack, &stacks->pool.frames[known->first], known->nr);
	nr = look_up(stacks, address, places, &lasting);
	for (u32 i = 0; i < nr; i++) {
		if (lw_top_place(stacks->top, &places[i],
				 address->kernel ? LW_FRAME_KERNEL : LW_FRAME_USER,
				 &frames[i]))
			return -ENOMEM;
	}
	if (lasting && keep_known(stacks, address, frames, nr))
		return -ENOMEM;
	return add_frames(&stacks->stack, frames, nr);
}

static int add_kernel(struct lw_top_stacks *stacks, const struct lw_sample *sample)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < sample->nr_kernel; i++) {
		struct address address = {
			.ip = sample->kernel[i], .time = sample->time, .kernel = true,
			.is_return = i,
		};

		ret = add_address(stacks, &address);
	}
	return ret;
}

static int add_user(struct lw_top_stacks *stacks, const struct lw_user_stack *stack)
{
	struct latewind_frame frame = latewind_frames(stack);
	int ret = 0;

	while (!ret && stacks->stack.nr < MAX_FRAMES && latewind_frame_next(&frame)) {
		struct address address = {
			.ip = frame.ip - frame.off,
			.time = stack->time, .pid = stack->pid,
		};

		ret = add_address(stacks, &address);
	}
	return ret;
}

static int add_lone_ip(struct lw_top_stacks *stacks, const struct lw_sample *sample)
{
	struct address address = {
		.ip = sample->ip, .time = sample->time, .pid = sample->pid,
	};

	return add_address(stacks, &address);
}

static int add_all(struct lw_top_stacks *stacks, const struct lw_sample *sample,
		   const struct lw_user_stack *stack)
{
	int ret = add_kernel(stacks, sample);

	if (ret)
		return ret;
	if (stack && stack->nr)
		return add_user(stacks, stack);
	return sample->record.flags & LW_SAMPLE_USER_IP ? add_lone_ip(stacks, sample) : 0;
}

static int tidy_names(struct lw_top_stacks *stacks)
{
	forget_known(stacks);
	return lw_top_tidy(stacks->top);
}

/* The idle tasks are all of process 0, and nobody tells of them. */
static const char *comm_of(const struct lw_top_stacks *stacks, const struct lw_sample *sample)
{
	const char *comm = lw_process_maps_comm(stacks->procs, sample->tid, sample->time);

	return comm ? comm : sample->tid ? ":unknown" : "swapper";
}

/**
 * lw_top_stacks_add - count a sample
 * @stacks: it
 * @event: index
 * @cgroup: its name, or NULL: the sample does not tell
 * @sample: valid
 * @stack: its user stack or NULL; valid
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_stacks_add(struct lw_top_stacks *stacks, u32 event, const char *cgroup,
		      const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct lw_top_key key = {
		.event = event, .cgroup = LW_PROFILE_NONE, .pid = sample->pid, .tid = sample->tid,
		.cpu = sample->cpu,
	};
	int ret = 0;

	if (lw_top_needs_tidying(stacks->top))
		ret = tidy_names(stacks);
	stacks->stack.nr = 0;
	if (!ret)
		ret = add_all(stacks, sample, stack);
	if (ret)
		return ret;
	key.comm = lw_top_name(stacks->top, comm_of(stacks, sample));
	if (cgroup)
		key.cgroup = lw_top_name(stacks->top, cgroup);
	if (key.comm == LW_PROFILE_NONE || (cgroup && key.cgroup == LW_PROFILE_NONE))
		return -ENOMEM;
	return lw_top_add(stacks->top, &key, stacks->stack.frames, stacks->stack.nr,
			  sample->period);
}

/**
 * lw_top_stacks_tidy - forget what nobody asks for any more
 * @stacks: it; call it now and then
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_stacks_tidy(struct lw_top_stacks *stacks)
{
	u64 now = lw_now();

	if (now - stacks->trimmed < TRIM_NS)
		return 0;
	/* what is known without them would look unused the next time */
	lw_symbolizer_trim(stacks->symbolizer, stacks->trimmed);
	stacks->trimmed = now;
	return tidy_names(stacks);
}
