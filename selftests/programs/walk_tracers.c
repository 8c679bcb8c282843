// SPDX-License-Identifier: GPL-2.0
/*
 * walk_tracers.c - see walk_tracers.h.  What goes wrong ends the program, and so does a
 * record that is lost: its sample was cheap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walk_tracers.h"

#define PAGE		4096UL
/* All records of a pass fit, and its half, where perf wakes a reader, is never reached. */
#define RING_SIZE	(16UL << 20)
/* As the tool has it for any stack that is not deeper. */
#define LEAST_DEPTH	128U

/* perf record's. */
#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |	\
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define SAMPLE_DWARF	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
/* As perf record asks for: PERF_REG_ARM64_* but for VG; PERF_REG_X86_* but for ds, es, fs, gs. */
#ifdef __aarch64__
#define USER_REGS	0x1ffffffffULL
#else
#define USER_REGS	0xff0fffULL
#endif

const struct walk_subject walk_subjects[] = {
	{ .name = "perf" },
	{ .name = "perf-g", .build = WALK_FP, .sample_type = PERF_SAMPLE_CALLCHAIN },
	{ .name = "perf-dwarf-8k", .sample_type = SAMPLE_DWARF, .stack_bytes = 8192 },
	{ .name = "perf-dwarf-64k", .sample_type = SAMPLE_DWARF, .stack_bytes = 65528 },
	{ .name = "table", .is_latewind = true, .tables = true,
	  .frames_at = offsetof(struct lw_stats, frames_table) },
	{ .name = "section", .is_latewind = true, .build = WALK_SFRAME,
	  .frames_at = offsetof(struct lw_stats, frames_sframe) },
	{ .name = "registered", .is_latewind = true, .registers = true,
	  .frames_at = offsetof(struct lw_stats, frames_sframe) },
	{ .name = "fp", .is_latewind = true, .build = WALK_FP,
	  .frames_at = offsetof(struct lw_stats, frames_fp) },
};

const unsigned int walk_nr_subjects = sizeof(walk_subjects) / sizeof(walk_subjects[0]);

static void open_perf(struct walk_tracer *t, uint64_t period)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(period);

	attr.sample_type = SAMPLE_TYPE | t->subject->sample_type;
	attr.sample_stack_user = t->subject->stack_bytes;
	attr.sample_regs_user = t->subject->stack_bytes ? USER_REGS : 0;
	attr.disabled = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = RING_SIZE / 2;
	t->fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (t->fd < 0)
		walk_die("perf_event_open");
	t->ring = mmap(NULL, RING_SIZE + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
	if (t->ring == MAP_FAILED)
		walk_die("perf's ring");
}

static void open_latewind(struct walk_tracer *t, const struct walk_files *files, uint64_t period,
			  unsigned int frames)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(period);
	unsigned int depth = frames < LEAST_DEPTH ? LEAST_DEPTH - 1 : LW_MAX_DEPTH;

	errno = -lwt_session_open(&t->session, RING_SIZE, depth, LW_MAX_KERNEL_DEPTH);
	if (errno)
		walk_die("session");
	if (t->subject->tables)
		walk_files_add_tables(files, t->session.fd);
	errno = -lwt_add_event(t->session.fd, &attr, LW_TARGET_CPUS, 0, NULL);
	if (errno)
		walk_die("LW_IOC_ADD_EVENT");
}

/**
 * walk_tracer_open - get ready to sample this CPU, whoever runs on it
 * @t: out
 * @subject: who samples
 * @files: loaded; workers register the sections, if that is to be
 * @period: of the CPU's clock, nanoseconds
 * @frames: of the deepest stack
 */
void walk_tracer_open(struct walk_tracer *t, const struct walk_subject *subject,
		      const struct walk_files *files, uint64_t period, unsigned int frames)
{
	memset(t, 0, sizeof(*t));
	t->subject = subject;
	if (subject->is_latewind)
		open_latewind(t, files, period, frames);
	else
		open_perf(t, period);
}

/**
 * walk_tracer_enable - begin to sample
 * @t: open
 */
void walk_tracer_enable(struct walk_tracer *t)
{
	if (t->subject->is_latewind ? lwt_enable(t->session.fd) :
				      ioctl(t->fd, PERF_EVENT_IOC_ENABLE, 0))
		walk_die("enable");
}

/**
 * walk_tracer_disable - sample no more
 * @t: open
 */
void walk_tracer_disable(struct walk_tracer *t)
{
	if (t->subject->is_latewind ? lwt_disable(t->session.fd) :
				      ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0))
		walk_die("disable");
}

/* Addresses of a sample whose type is SAMPLE_TYPE and PERF_SAMPLE_CALLCHAIN. */
static uint64_t count_addresses(const struct perf_event_header *record)
{
	/* ip, pid and tid, time, CPU, period, number of addresses, these */
	const uint64_t *words = (const uint64_t *)(record + 1);
	const uint64_t *ips = words + 6;
	uint64_t i, nr = 0;

	for (i = 0; i < words[5]; i++)
		nr += ips[i] && ips[i] < PERF_CONTEXT_MAX;
	return nr;
}

/* Nothing is read, so the ring has not come round. */
static struct walk_counts count_perf(const struct walk_tracer *t)
{
	const struct perf_event_mmap_page *page = t->ring;
	uint64_t pos = 0, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	struct walk_counts counts = {};

	while (pos < head) {
		const struct perf_event_header *record = t->ring + PAGE + pos;

		if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_THROTTLE)
			walk_die("perf has lost records");
		if (record->type == PERF_RECORD_SAMPLE) {
			counts.samples++;
			counts.bytes += record->size;
			if (t->subject->sample_type == PERF_SAMPLE_CALLCHAIN)
				counts.frames += count_addresses(record);
		}
		pos += record->size;
	}
	return counts;
}

static struct walk_counts count_latewind(const struct walk_tracer *t)
{
	struct lw_stats stats = lwt_stats(t->session.fd);
	struct walk_counts counts = { .samples = stats.samples };
	unsigned int cpu;

	if (stats.lost_full || stats.lost_big || stats.lost_nested || stats.throttled ||
	    stats.refused_slots)
		walk_die("latewind has lost records");
	memcpy(&counts.frames, (char *)&stats + t->subject->frames_at, sizeof(counts.frames));
	/* The topmost frame is found by nothing. */
	counts.frames += stats.user_stacks;
	for (cpu = 0; cpu < t->session.nr_rings; cpu++)
		counts.bytes += __atomic_load_n(&t->session.rings[cpu].producer->pos,
						__ATOMIC_ACQUIRE);
	return counts;
}

/**
 * walk_tracer_counts - what was sampled so far
 * @t: open
 */
struct walk_counts walk_tracer_counts(const struct walk_tracer *t)
{
	return t->subject->is_latewind ? count_latewind(t) : count_perf(t);
}

/**
 * walk_tracer_close - undo walk_tracer_open()
 * @t: open
 */
void walk_tracer_close(struct walk_tracer *t)
{
	if (t->subject->is_latewind) {
		lwt_session_close(&t->session);
		return;
	}
	munmap(t->ring, RING_SIZE + PAGE);
	close(t->fd);
}
