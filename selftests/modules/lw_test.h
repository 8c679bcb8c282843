/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_test.h - what user space tells lw_test.ko: /dev/lw_test, root only.
 *
 * The module has up to LWM_TRACERS tracers of linux/latewind.h.  A test makes
 * some, has them ask for its own stack in the contexts that it names, and reads
 * what their callbacks were given.
 */
#ifndef LW_TEST_MODULE_H
#define LW_TEST_MODULE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include <latewind.h>

#define LWM_DEVICE	"/dev/lw_test"
#define LWM_TRACERS	64
#define LWM_FRAMES	64	/* of a stack that are kept */
#define LWM_ASKS	128	/* in one ioctl */
#define LWM_PROBES_MAX	512	/* planted at a time */
#define LWM_HITS_MAX	16	/* of the selected one that are kept */
#define LWM_RANGES_MAX	1024

/* Contexts, each inside those before it. */
#define LWM_PROCESS	0
#define LWM_SOFTIRQ	1
#define LWM_HARDIRQ	2
#define LWM_NMI		3
#define LWM_LEVELS	4
#define LWM_AT(level)	(1U << (level))

/**
 * struct lwm_register - register a tracer
 * @tracer: number of the tracer, below LWM_TRACERS
 * @mask: LW_MASK_*
 * @depth: as in struct lw_tracer_options
 * @tgid: only for this process, 0 for all
 * @again: 0, or 1 more than the number of the tracer for which the callback
 *	asks once more, first thing, in task context
 * @again_times: how often it does
 * @sleep_ms: what the callback sleeps then
 * @reserved: 0
 */
struct lwm_register {
	__u32	tracer;
	__u32	mask;
	__u32	depth;
	__s32	tgid;
	__u32	again;
	__u32	again_times;
	__u32	sleep_ms;
	__u32	reserved;
};

/**
 * struct lwm_unregister - unregister a tracer
 * @tracer: number
 * @reserved: 0
 * @owed: out: what lw_tracer_unregister() returned
 */
struct lwm_unregister {
	__u32	tracer;
	__u32	reserved;
	__u64	owed;
};

/**
 * struct lwm_result - one call of lw_tracer_request()
 * @cookie: as given
 * @ret: as returned; -ETIME when the context was not reached, -EAGAIN when it
 *	was reached in another task
 * @cpu: it ran on
 * @where: LWM_AT() of what preempt_count() says
 * @preemptible: could it be preempted
 * @cycles: of the time stamp counter, interrupts off
 * @empty: cycles of nothing, measured before it
 */
struct lwm_result {
	struct lw_cookie cookie;
	__s32	ret;
	__u32	cpu;
	__u32	where;
	__u32	preemptible;
	__u64	cycles;
	__u64	empty;
};

/* lwm_ask.flags */
#define LWM_NO_PREEMPT	0x1U	/* preemption off all the time */
#define LWM_MOVE	0x2U	/* first, go to another CPU */
#define LWM_REGS	0x4U	/* hand in the registers of the context */
#define LWM_MEASURE	0x8U	/* with interrupts off, and cycles in the results */

/**
 * struct lwm_ask - ask in nested contexts
 * @tracer: number
 * @flags: LWM_*
 * @path: LWM_AT() of the contexts to go through; process is always
 * @in: LWM_AT() of those to ask in on the way in
 * @out: LWM_AT() of those to ask in on the way back
 * @reserved: 0
 * @results: of @in and of @out, by context
 */
struct lwm_ask {
	__u32	tracer;
	__u32	flags;
	__u32	path;
	__u32	in;
	__u32	out;
	__u32	reserved;
	struct lwm_result results[2][LWM_LEVELS];
};

/**
 * struct lwm_run - asks in one kernel entry
 * @asks: address of @nr struct lwm_ask
 * @nr: up to LWM_ASKS
 * @reserved: 0
 */
struct lwm_run {
	__u64	asks;
	__u32	nr;
	__u32	reserved;
};

/**
 * struct lwm_wait - ask in task context, then block until LWM_IOC_WAKE
 * @tracers: bit per tracer that asks
 * @result: of the last of them; written before it blocks
 */
struct lwm_wait {
	__u64	tracers;
	struct lwm_result result;
};

/* lwm_kernel.where */
#define LWM_KTHREAD	0
#define LWM_WORKQUEUE	1

/**
 * struct lwm_kernel - ask in a kernel thread
 * @tracer: number
 * @where: LWM_KTHREAD, LWM_WORKQUEUE
 * @result: out
 */
struct lwm_kernel {
	__u32	tracer;
	__u32	where;
	struct lwm_result result;
};

/**
 * struct lwm_stack - what a callback was given
 * @cookie: of it
 * @time: of it
 * @tracer: number
 * @registration: how many registrations of any tracer there were before
 * @tid: of current
 * @nr: frames of it
 * @end: of it
 * @again_ret: what the last of the late requests returned
 * @context: 0, or what was wrong: LWM_AT() of the context, 0x100 with
 *	interrupts off, 0x200 with preemption off
 * @reserved: 0
 * @again: cookie of the last of the late requests
 * @frames: the first of them
 * @how: of those
 */
struct lwm_stack {
	struct lw_cookie cookie;
	__u64	time;
	__u32	tracer;
	__u32	registration;
	__s32	tid;
	__u32	nr;
	__u32	end;
	__s32	again_ret;
	__u32	context;
	__u32	reserved;
	struct lw_cookie again;
	__u64	frames[LWM_FRAMES];
	__u8	how[LWM_FRAMES];
};

/**
 * struct lwm_read - read the log of stacks
 * @stacks: address of @room struct lwm_stack
 * @from: first one
 * @room: how many
 * @nr: out: how many were written
 * @reserved: 0
 * @total: out: stacks there were since LWM_IOC_RESET, dropped ones included
 */
struct lwm_read {
	__u64	stacks;
	__u32	from;
	__u32	room;
	__u32	nr;
	__u32	reserved;
	__u64	total;
};

/**
 * struct lwm_stats - what was counted
 * @tracer: in: number
 * @size: in: sizeof(struct lw_stats)
 * @callbacks: of the tracer, since it was registered
 * @zombies: of any tracer, after it was unregistered
 * @dropped: stacks that the log had no room for
 * @waiting: tasks in LWM_IOC_WAIT, LWM_IOC_HOLD_MM
 * @stats: of lw_tracer_stats()
 */
struct lwm_stats {
	__u32	tracer;
	__u32	size;
	__u64	callbacks;
	__u64	zombies;
	__u64	dropped;
	__u64	waiting;
	struct lw_stats stats;
};

/**
 * struct lwm_probes - plant kprobes, in place of those that are there
 * @addresses: address of @nr __u64: instructions
 * @errors: address of @nr __s32: what register_kprobe() returned
 * @nr: up to LWM_PROBES_MAX; 0 removes all
 * @planted: out: how many there are now
 */
struct lwm_probes {
	__u64	addresses;
	__u64	errors;
	__u32	nr;
	__u32	planted;
};

/**
 * struct lwm_select - which probe asks, when the calling task hits it
 * @probe: index
 * @limit: how often it asks, up to LWM_HITS_MAX
 * @tracers: bit per tracer that it asks for, each time
 */
struct lwm_select {
	__u32	probe;
	__u32	limit;
	__u64	tracers;
};

/**
 * struct lwm_seen - which probes the task that selected one has hit since they
 * were planted
 * @counts: address of @nr __u32: how often, by index
 * @nr: up to as many as there are
 * @reserved: 0
 */
struct lwm_seen {
	__u64	counts;
	__u32	nr;
	__u32	reserved;
};

/**
 * struct lwm_hit - one request of the selected probe
 * @result: of it
 * @callbacks: that there were, of any tracer, since LWM_IOC_RESET
 * @tracer: number
 * @reserved: 0
 */
struct lwm_hit {
	struct lwm_result result;
	__u64	callbacks;
	__u32	tracer;
	__u32	reserved;
};

/**
 * struct lwm_hits - what the selected probe did; nothing is selected any more
 * @hits: requests
 * @seen: how often it was hit, asking or not
 * @hit: of them
 */
struct lwm_hits {
	__u32	hits;
	__u32	seen;
	struct lwm_hit hit[LWM_HITS_MAX];
};

/**
 * struct lwm_range - instructions
 * @start: address
 * @end: behind it
 * @kind: where NMIs that hit it are counted, below LWM_KINDS
 * @reserved: 0
 */
struct lwm_range {
	__u64	start;
	__u64	end;
	__u32	kind;
	__u32	reserved;
};

/* lwm_range.kind; the first two are for what is in no range */
#define LWM_KIND_USER		0
#define LWM_KIND_KERNEL		1
#define LWM_KINDS		8

/**
 * struct lwm_nmis - have NMIs that are not our own ask, from now on
 * @tracer: number
 * @nr: ranges
 * @ranges: address of them, ascending
 *
 * On a PC the host sends them, and every one is acknowledged on port LWM_NMI_PORT by a byte, the
 * number of the CPU.  On arm64 the PMU does, for as long as they are asked for.
 */
struct lwm_nmis {
	__u32	tracer;
	__u32	nr;
	__u64	ranges;
};

#define LWM_NMI_PORT	0xe9

/**
 * struct lwm_nmi_counts - end that, and what there was
 * @nmis: by CPU, the first 64 of them
 * @queued: requests that returned 0
 * @pending: that returned 1
 * @errors: that returned -errno: by errno
 * @kinds: by what was interrupted
 * @in_callback: of these, inside a callback of ours (it may have called others)
 * @asked_in: of @queued and @pending, by what was interrupted
 */
struct lwm_nmi_counts {
	__u64	nmis[64];
	__u64	queued;
	__u64	pending;
	__u64	errors[64];
	__u64	kinds[LWM_KINDS];
	__u64	in_callback;
	__u64	asked_in[LWM_KINDS];
};

#define LWM_MAGIC	0xE9
#define LWM_IOC_REGISTER	_IOW(LWM_MAGIC, 0, struct lwm_register)
#define LWM_IOC_UNREGISTER	_IOWR(LWM_MAGIC, 1, struct lwm_unregister)
#define LWM_IOC_RUN		_IOW(LWM_MAGIC, 2, struct lwm_run)
#define LWM_IOC_WAIT		_IOWR(LWM_MAGIC, 3, struct lwm_wait)
#define LWM_IOC_WAKE		_IO(LWM_MAGIC, 4)
#define LWM_IOC_KERNEL		_IOWR(LWM_MAGIC, 5, struct lwm_kernel)
#define LWM_IOC_READ		_IOWR(LWM_MAGIC, 6, struct lwm_read)
#define LWM_IOC_RESET		_IO(LWM_MAGIC, 7)
#define LWM_IOC_STATS		_IOWR(LWM_MAGIC, 8, struct lwm_stats)
#define LWM_IOC_PROBES		_IOWR(LWM_MAGIC, 9, struct lwm_probes)
#define LWM_IOC_SELECT		_IOW(LWM_MAGIC, 10, struct lwm_select)
#define LWM_IOC_HITS		_IOR(LWM_MAGIC, 11, struct lwm_hits)
#define LWM_IOC_NMIS		_IOW(LWM_MAGIC, 12, struct lwm_nmis)
#define LWM_IOC_NMI_COUNTS	_IOR(LWM_MAGIC, 13, struct lwm_nmi_counts)
#define LWM_IOC_SEEN		_IOW(LWM_MAGIC, 14, struct lwm_seen)
/* Blocks until LWM_IOC_WAKE, with mmap_lock of the caller's memory held for writing. */
#define LWM_IOC_HOLD_MM		_IO(LWM_MAGIC, 15)

/*
 * read() of a struct lwm_result: asks for tracer 0, also in the worker that
 * io_uring reads in.
 */

#endif /* LW_TEST_MODULE_H */
