// SPDX-License-Identifier: GPL-2.0
/*
 * off_cpu_join.c - how long tasks were blocked: from a switch out to the next switch in.
 *
 * A sample of sched:sched_switch is taken in the task that leaves its CPU.  Right
 * behind it perf's side-band says whether the task was still ready to run, and, when
 * it runs again, on whatever CPU, that it does.  The sample's stack comes after that:
 * by way of the join of stacks.  So each sample is met twice: lw_off_cpu_out() when it is
 * read, lw_off_cpu_sample() when it has its stack.
 *
 * The rings of the CPUs are read one after the other, so what they tell is queued and
 * looked at in the order of time, up to a time that all rings have been read to.  Each
 * task then is a chain of sample, out, in; where a link is missing, or records were
 * lost meanwhile, the sample is counted as lost: no time is made up.
 *
 * A sample is handed out with the time at which its task came back: then it is known, and
 * what follows it is not older.  perf stamps its own off-CPU samples so, or all of them as
 * younger than the recording.
 *
 * Memory is bounded: above the limit the oldest samples are given up.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <latewind.h>
#include <liblatewind.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashtable.h"
#include "base/perf_records.h"
#include "record/off_cpu_join.h"

#define HASH_BITS	14
#define HASH_SIZE	(1U << HASH_BITS)
/* Of the queue; above it the older half is looked at whatever may still come. */
#define MAX_NEWS	(1U << 20)

/* In this order where the time is the same. */
enum news_kind {
	NEWS_GAP_BEGIN,
	NEWS_FORK,
	NEWS_SAMPLE,
	NEWS_OUT,
	NEWS_PREEMPTED,
	NEWS_IN,
	NEWS_GAP_END,
};

struct news {
	u64 time;
	u32 tid;
	u32 kind;
};

/*
 * A wait begins with a sample of a switch, and goes on by what the side-band tells of its
 * task then, in the order of time:
 *
 *	        sample         out            in
 *	QUEUED --------> OPEN -----> OUT -----------> BLOCKED
 *	                  |           |
 *	                  +-----------+-- all else --> DROPPED
 *
 * All else: it was preempted; a record is missing, as another one shows; records of that
 * time may be lost; there is no room.  The sample's stack comes at any time: when that and
 * the end of the wait are both there, the sample is handed out, or not.
 */
enum wait_state {
	WAIT_QUEUED,		/* its news has not been looked at */
	WAIT_OPEN,		/* the newest of its task */
	WAIT_OUT,		/* likewise, and the side-band says so, too */
	WAIT_BLOCKED,		/* its time is known */
	WAIT_DROPPED,		/* it has none */
};

struct wait {
	struct lw_hash_node node;	/* in @waits */
	struct lw_hash_node open_node;	/* in @open, if it is open */
	struct wait *older, *newer;
	u64 time;
	u64 blocked;			/* ns */
	u32 tid;
	enum wait_state state;
	size_t bytes;
	struct lw_sample *sample;	/* it came before its time was known */
	struct lw_user_stack *stack;	/* likewise, if it has one */
};

struct lw_off_cpu {
	struct lw_hash_node *waits[HASH_SIZE];	/* by task and time */
	struct lw_hash_node *open[HASH_SIZE];	/* by task, one of each */
	struct wait *oldest, *newest;
	struct news *news;
	size_t nr_news, news_room;
	u64 looked_at;			/* news before this time */
	u64 least_time;			/* of what is handed out */
	u32 gaps;			/* that this time is in */
	size_t bytes, max_bytes;
	u64 tracer_start, tracer_end;	/* see lw_off_cpu_leave_out() */
	latewind_sample_fn fn;
	void *ctx;
	struct lw_off_cpu_stats stats;
};

/**
 * lw_off_cpu_new - nobody has left a CPU
 * @max_bytes: most memory for samples that wait for their time or stack
 * @fn: called with each sample whose task was blocked: period is nanoseconds, time is when
 *	that ended; the pointers are good during the call only
 * @ctx: for @fn
 *
 * Return: it or NULL.
 */
struct lw_off_cpu *lw_off_cpu_new(size_t max_bytes, latewind_sample_fn fn, void *ctx)
{
	struct lw_off_cpu *oc = calloc(1, sizeof(*oc));

	if (!oc)
		return NULL;
	oc->max_bytes = max_bytes;
	oc->fn = fn;
	oc->ctx = ctx;
	return oc;
}

/**
 * lw_off_cpu_leave_out - a function that is no part of a stack
 * @oc: it
 * @start: where the kernel has it
 * @end: and the next one
 *
 * With one tracer of a tracepoint the kernel calls that.  With several it calls
 * __traceiter_<name>(), which then would be the innermost frame: what a task waits for would
 * look different as soon as somebody else traces, too.
 */
void lw_off_cpu_leave_out(struct lw_off_cpu *oc, u64 start, u64 end)
{
	oc->tracer_start = start;
	oc->tracer_end = end;
}

static struct lw_hash_node **wait_slot(struct lw_off_cpu *oc, u32 tid, u64 time)
{
	return lw_hash_slot(oc->waits, lw_hash64(time ^ ((u64)tid << 40)));
}

static struct lw_hash_node **open_slot(struct lw_off_cpu *oc, u32 tid)
{
	return lw_hash_slot(oc->open, lw_hash64(tid));
}

static struct wait *find_wait(struct lw_off_cpu *oc, u32 tid, u64 time)
{
	struct wait *wait;

	lw_hash_for_each(wait, wait_slot(oc, tid, time), node) {
		if (wait->tid == tid && wait->time == time)
			break;
	}
	return wait;
}

static struct wait *find_open(struct lw_off_cpu *oc, u32 tid)
{
	struct wait *wait;

	lw_hash_for_each(wait, open_slot(oc, tid), open_node) {
		if (wait->tid == tid)
			break;
	}
	return wait;
}

static bool is_open(const struct wait *wait)
{
	return wait->state == WAIT_OPEN || wait->state == WAIT_OUT;
}

static void open_wait(struct lw_off_cpu *oc, struct wait *wait)
{
	lw_hash_add(open_slot(oc, wait->tid), &wait->open_node);
	wait->state = WAIT_OPEN;
}

static void free_wait(struct lw_off_cpu *oc, struct wait *wait)
{
	if (is_open(wait))
		lw_hash_del(&wait->open_node);
	lw_hash_del(&wait->node);
	if (wait->older)
		wait->older->newer = wait->newer;
	else
		oc->oldest = wait->newer;
	if (wait->newer)
		wait->newer->older = wait->older;
	else
		oc->newest = wait->older;
	oc->bytes -= wait->bytes;
	free(wait->sample);
	free(wait->stack);
	free(wait);
}

static int hand_out(struct lw_off_cpu *oc, struct wait *wait, struct lw_sample *sample,
		    const struct lw_user_stack *stack)
{
	sample->period = wait->blocked;
	sample->time = wait->time + wait->blocked;
	if (sample->time < oc->least_time)
		sample->time = oc->least_time;
	oc->stats.blocked++;
	return oc->fn(oc->ctx, sample, stack);
}

/* Its sample and its end are there. */
static int complete(struct lw_off_cpu *oc, struct wait *wait)
{
	int ret = 0;

	if (wait->state == WAIT_BLOCKED)
		ret = hand_out(oc, wait, wait->sample, wait->stack);
	free_wait(oc, wait);
	return ret;
}

/* @state: WAIT_BLOCKED or WAIT_DROPPED */
static int end_wait(struct lw_off_cpu *oc, struct wait *wait, enum wait_state state)
{
	if (is_open(wait))
		lw_hash_del(&wait->open_node);
	wait->state = state;
	return wait->sample ? complete(oc, wait) : 0;
}

static int lose(struct lw_off_cpu *oc, struct wait *wait)
{
	oc->stats.lost++;
	return end_wait(oc, wait, WAIT_DROPPED);
}

/* The news of those that are given up find nobody. */
static void make_room(struct lw_off_cpu *oc, const struct wait *keep)
{
	while (oc->bytes > oc->max_bytes && oc->oldest && oc->oldest != keep) {
		oc->stats.lost += oc->oldest->state != WAIT_DROPPED;
		free_wait(oc, oc->oldest);
	}
}

static int lose_all_open(struct lw_off_cpu *oc)
{
	int ret = 0;

	for (struct wait *wait = oc->oldest, *newer; !ret && wait; wait = newer) {
		newer = wait->newer;
		if (is_open(wait))
			ret = lose(oc, wait);
	}
	return ret;
}

static int see_sample(struct lw_off_cpu *oc, const struct news *news)
{
	struct wait *wait = find_wait(oc, news->tid, news->time);
	struct wait *open = find_open(oc, news->tid);
	int ret = 0;

	/* it ran in between, and nobody said so */
	if (open)
		ret = lose(oc, open);
	if (ret || !wait || wait->state != WAIT_QUEUED)
		return ret;
	if (oc->gaps)
		return lose(oc, wait);
	open_wait(oc, wait);
	return 0;
}

static int see_switch(struct lw_off_cpu *oc, const struct news *news)
{
	struct wait *wait = find_open(oc, news->tid);

	if (!wait)
		return 0;
	if (wait->state == WAIT_OPEN && news->kind == NEWS_OUT) {
		wait->state = WAIT_OUT;
		return 0;
	}
	if (wait->state == WAIT_OPEN && news->kind == NEWS_PREEMPTED) {
		oc->stats.preempted++;
		return end_wait(oc, wait, WAIT_DROPPED);
	}
	if (wait->state == WAIT_OUT && news->kind == NEWS_IN) {
		wait->blocked = news->time - wait->time;
		return end_wait(oc, wait, WAIT_BLOCKED);
	}
	return lose(oc, wait);
}

static int see(struct lw_off_cpu *oc, const struct news *news)
{
	switch (news->kind) {
	case NEWS_GAP_BEGIN:
		oc->gaps++;
		return lose_all_open(oc);
	case NEWS_GAP_END:
		oc->gaps--;
		return 0;
	case NEWS_SAMPLE:
		return see_sample(oc, news);
	default:
		return see_switch(oc, news);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct news *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->kind < right->kind ? -1 : left->kind > right->kind;
}

static void sort_news(struct lw_off_cpu *oc)
{
	if (oc->nr_news)
		qsort(oc->news, oc->nr_news, sizeof(*oc->news), by_time);
}

/* @nr of the sorted news. */
static int see_first(struct lw_off_cpu *oc, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		ret = see(oc, &oc->news[i]);
		if (oc->news[i].time >= oc->looked_at)
			oc->looked_at = oc->news[i].time + 1;
	}
	oc->nr_news -= nr;
	if (nr)
		memmove(oc->news, oc->news + nr, oc->nr_news * sizeof(*oc->news));
	return ret;
}

static int add_news(struct lw_off_cpu *oc, u64 time, u32 tid, enum news_kind kind)
{
	int ret = 0;

	if (oc->nr_news == MAX_NEWS) {
		sort_news(oc);
		ret = see_first(oc, oc->nr_news / 2);
	}
	if (!ret)
		ret = lw_grow((void **)&oc->news, &oc->news_room, oc->nr_news + 1,
			      sizeof(*oc->news));
	if (!ret)
		oc->news[oc->nr_news++] = (struct news) { time, tid, kind };
	return ret;
}

/**
 * lw_off_cpu_gap - side-band records of these times may be lost
 * @oc: it
 * @from: the first that may be
 * @to: the last
 *
 * All that were off their CPU meanwhile are counted as lost.
 *
 * Return: 0, -ENOMEM, or what the callback returned.
 */
int lw_off_cpu_gap(struct lw_off_cpu *oc, u64 from, u64 to)
{
	int ret;

	if (to < from)
		to = from;
	ret = add_news(oc, from, 0, NEWS_GAP_BEGIN);
	return ret ? ret : add_news(oc, to, 0, NEWS_GAP_END);
}

/* Too late to be put in order: what was made of the others may be wrong. */
static int tell(struct lw_off_cpu *oc, u64 time, u32 tid, enum news_kind kind)
{
	if (time < oc->looked_at)
		return lw_off_cpu_gap(oc, time, oc->looked_at);
	return add_news(oc, time, tid, kind);
}

/* A task that is ending has a last switch out, which no other follows. */
static bool is_left_out(const struct lw_sample *sample)
{
	return !sample->tid || sample->user == LW_USER_KTHREAD ||
	       sample->user == LW_USER_EXITING;
}

/**
 * lw_off_cpu_out - a sample of a switch was read; its stack is still to come
 * @oc: it
 * @sample: valid; lw_off_cpu_sample() is called with it once
 *
 * Return: 0, -ENOMEM, or what the callback returned.
 */
int lw_off_cpu_out(struct lw_off_cpu *oc, const struct lw_sample *sample)
{
	struct wait *wait;

	if (is_left_out(sample)) {
		oc->stats.left_out++;
		return 0;
	}
	if (sample->time < oc->looked_at || find_wait(oc, sample->tid, sample->time)) {
		oc->stats.lost++;
		return 0;
	}
	wait = calloc(1, sizeof(*wait));
	if (!wait)
		return -ENOMEM;
	wait->tid = sample->tid;
	wait->time = sample->time;
	wait->bytes = sizeof(*wait);
	lw_hash_add(wait_slot(oc, wait->tid, wait->time), &wait->node);
	wait->older = oc->newest;
	if (oc->newest)
		oc->newest->newer = wait;
	else
		oc->oldest = wait;
	oc->newest = wait;
	oc->bytes += wait->bytes;
	make_room(oc, wait);
	return add_news(oc, wait->time, wait->tid, NEWS_SAMPLE);
}

/**
 * lw_off_cpu_record - take a record of the side-band
 * @oc: it
 * @record: any, of an event with LW_SAMPLE_TYPE_COMMON and sample_id_all; those that
 *	tell nothing of switches are passed over
 *
 * Records that were lost are for lw_off_cpu_gap().
 *
 * Return: 0, -ENOMEM, or what the callback returned.
 */
int lw_off_cpu_record(struct lw_off_cpu *oc, const struct perf_event_header *record)
{
	enum news_kind kind = NEWS_FORK;
	struct lw_sample_id id;
	u32 ids[4];

	if (record->size < sizeof(*record) + sizeof(id))
		return 0;
	memcpy(&id, (const char *)record + record->size - sizeof(id), sizeof(id));
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		kind = !(record->misc & PERF_RECORD_MISC_SWITCH_OUT) ? NEWS_IN :
		       record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? NEWS_PREEMPTED :
		       NEWS_OUT;
		break;
	case PERF_RECORD_FORK:
		/* its own number; the trailer has the parent's */
		if (record->size < sizeof(*record) + sizeof(ids) + sizeof(id))
			return 0;
		memcpy(ids, record + 1, sizeof(ids));
		id.tid = ids[2];
		break;
	default:
		return 0;
	}
	return id.tid ? tell(oc, id.time, id.tid, kind) : 0;
}

static void leave_out_tracer(const struct lw_off_cpu *oc, struct lw_sample *sample)
{
	u64 *kernel = sample->kernel;
	size_t behind = latewind_sample_size(sample) - sizeof(*sample) - sizeof(*kernel);

	if (sample->nr_kernel < 2 || *kernel < oc->tracer_start || *kernel >= oc->tracer_end)
		return;
	memmove(kernel, kernel + 1, behind);
	sample->nr_kernel--;
	sample->record.len -= sizeof(*kernel);
	sample->ip = *kernel;
}

static int hold(struct lw_off_cpu *oc, struct wait *wait, const struct lw_sample *sample,
		const struct lw_user_stack *stack)
{
	size_t bytes = latewind_sample_size(sample);
	size_t stack_bytes = stack ? latewind_stack_size(stack) : 0;

	wait->sample = malloc(bytes);
	if (!wait->sample)
		return -ENOMEM;
	memcpy(wait->sample, sample, bytes);
	leave_out_tracer(oc, wait->sample);
	if (stack) {
		wait->stack = malloc(stack_bytes);
		if (!wait->stack)
			return -ENOMEM;
		memcpy(wait->stack, stack, stack_bytes);
	}
	wait->bytes += bytes + stack_bytes;
	oc->bytes += bytes + stack_bytes;
	make_room(oc, wait);
	return 0;
}

/**
 * lw_off_cpu_sample - a sample of a switch has its stack, or will never have one
 * @oc: it
 * @sample: as lw_off_cpu_out() had it
 * @stack: its user stack or NULL
 *
 * Return: 0, -ENOMEM, or what the callback returned.
 */
int lw_off_cpu_sample(struct lw_off_cpu *oc, const struct lw_sample *sample,
		      const struct lw_user_stack *stack)
{
	struct wait *wait = find_wait(oc, sample->tid, sample->time);
	int ret;

	if (!wait || wait->sample)
		return 0;
	ret = hold(oc, wait, sample, stack);
	if (ret || (wait->state != WAIT_BLOCKED && wait->state != WAIT_DROPPED))
		return ret;
	return complete(oc, wait);
}

/**
 * lw_off_cpu_advance - all that is older has been told
 * @oc: it
 * @until: in ns, never less than before; samples and records before it were read
 *
 * Return: 0 or what the callback returned.
 */
int lw_off_cpu_advance(struct lw_off_cpu *oc, u64 until)
{
	size_t nr = 0;
	int ret;

	sort_news(oc);
	while (nr < oc->nr_news && oc->news[nr].time < until)
		nr++;
	ret = see_first(oc, nr);
	if (until > oc->looked_at)
		oc->looked_at = until;
	return ret;
}

/**
 * lw_off_cpu_since - since when tasks may come back of which it is not known yet
 * @oc: it
 *
 * Older ones are handed out later, too, if they have no stack yet; see
 * lw_off_cpu_not_before().
 *
 * Return: ns.
 */
u64 lw_off_cpu_since(const struct lw_off_cpu *oc)
{
	return oc->looked_at;
}

/**
 * lw_off_cpu_not_before - samples that are handed out from now on are not older than that
 * @oc: it
 * @time: in ns; one whose stack comes after many more waits of its task gets it
 */
void lw_off_cpu_not_before(struct lw_off_cpu *oc, u64 time)
{
	oc->least_time = time;
}

/**
 * lw_off_cpu_finish - nothing more comes: who is blocked is so until the end
 * @oc: it
 * @end: of the recording
 *
 * Return: 0 or what the callback returned.
 */
int lw_off_cpu_finish(struct lw_off_cpu *oc, u64 end)
{
	int ret = lw_off_cpu_advance(oc, ~0ULL);

	for (struct wait *wait = oc->oldest, *newer; !ret && wait; wait = newer) {
		newer = wait->newer;
		if (wait->state == WAIT_OUT && end > wait->time) {
			wait->blocked = end - wait->time;
			ret = end_wait(oc, wait, WAIT_BLOCKED);
		} else if (is_open(wait)) {
			ret = lose(oc, wait);
		}
	}
	return ret;
}

/**
 * lw_off_cpu_stats - what became of the samples
 * @oc: it
 *
 * Return: its counters.
 */
const struct lw_off_cpu_stats *lw_off_cpu_stats(const struct lw_off_cpu *oc)
{
	return &oc->stats;
}

/**
 * lw_off_cpu_free - free all
 * @oc: it or NULL
 */
void lw_off_cpu_free(struct lw_off_cpu *oc)
{
	if (!oc)
		return;
	while (oc->oldest)
		free_wait(oc, oc->oldest);
	free(oc->news);
	free(oc);
}
