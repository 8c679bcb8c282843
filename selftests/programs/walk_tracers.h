/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_tracers.h - who samples in walk_bench: latewind.ko and the perf subsystem, on the
 * same event, as their recorders open it.
 */
#ifndef LW_WALK_TRACERS_H
#define LW_WALK_TRACERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/lw_test.h"
#include "walk_files.h"

/**
 * struct walk_subject - who samples, and what it takes of a stack
 * @name: of it
 * @build: of the code that it samples
 * @sample_type: perf: PERF_SAMPLE_*, beside what each sample has
 * @stack_bytes: perf: of PERF_SAMPLE_STACK_USER
 * @is_latewind: else perf
 * @tables: latewind: tables are handed over
 * @registers: latewind: sections are registered
 * @frames_at: latewind: which count of struct lw_stats has the frames that it finds
 */
struct walk_subject {
	const char *name;
	enum walk_build build;
	uint64_t sample_type;
	uint32_t stack_bytes;
	bool is_latewind;
	bool tables;
	bool registers;
	size_t frames_at;
};

/**
 * struct walk_tracer - one that is open
 * @subject: who it is
 * @session: latewind
 * @fd: perf
 * @ring: perf
 */
struct walk_tracer {
	const struct walk_subject *subject;
	struct lwt_session session;
	int fd;
	void *ring;
};

/**
 * struct walk_counts - what was sampled so far
 * @samples: records of samples
 * @frames: of their stacks, those found as the subject is meant to find them
 * @bytes: of the ring that all this takes
 */
struct walk_counts {
	uint64_t samples;
	uint64_t frames;
	uint64_t bytes;
};

extern const struct walk_subject walk_subjects[];
extern const unsigned int walk_nr_subjects;

void walk_tracer_open(struct walk_tracer *t, const struct walk_subject *subject,
		      const struct walk_files *files, uint64_t period, unsigned int frames);
void walk_tracer_enable(struct walk_tracer *t);
void walk_tracer_disable(struct walk_tracer *t);
struct walk_counts walk_tracer_counts(const struct walk_tracer *t);
void walk_tracer_close(struct walk_tracer *t);

#endif /* LW_WALK_TRACERS_H */
