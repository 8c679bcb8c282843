/* SPDX-License-Identifier: GPL-2.0 */
/*
 * torture.h - between the writers, who use the module's ring.c, and the
 * reader, who uses the tool's.
 */
#ifndef LW_RING_TORTURE_H
#define LW_RING_TORTURE_H

#include "latewind.h"

#define MAX_CPUS	8
/* Threads, each with three contexts: task, interrupt, NMI. */
#define MAX_WRITERS	16
#define CONTEXTS	3
#define MAX_SOURCES	(MAX_WRITERS * CONTEXTS)
#define RECORD_TORTURE	0x100
#define MAX_WORDS	60

/**
 * struct torture_record - what a writer writes
 * @record: header, RECORD_TORTURE
 * @source: writer and context
 * @words: length of @content
 * @seq: of the source, from 1
 * @content: mix() of source, seq and index
 */
struct torture_record {
	struct lw_record record;
	__u32 source;
	__u32 words;
	__u64 seq;
	__u64 content[];
};

static inline __u64 mix(__u64 x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ULL;
	x ^= x >> 29;
	return x * 0xbf58476d1ce4e5b9ULL;
}

static inline __u64 content_of(__u32 source, __u64 seq, __u32 i)
{
	/* Read as a header it would be one of a record that is being written. */
	return mix(seq * MAX_SOURCES + source + ((__u64)i << 56)) | LW_RING_BUSY;
}

/**
 * struct torture_reader - what was read
 * @records: whole ones
 * @sum: of content_of(source, seq, 0), of each
 * @told: drops that LOST records told
 * @last: by ring and source: the highest seq
 * @bad: something was torn, doubled or out of order
 * @text: the first such thing
 */
struct torture_reader {
	__u64 records;
	__u64 sum;
	__u64 told;
	__u64 last[MAX_CPUS][MAX_SOURCES];
	int bad;
	char text[200];
};

/* Return: 0, or -errno of the reader. */
int torture_read(struct torture_reader *reader, int cpu, void *area,
		 unsigned long page, unsigned long size, int *complete);
int torture_snapshot(struct torture_reader *reader, int cpu, void *area,
		     unsigned long page, unsigned long size, void *buffer);

#endif /* LW_RING_TORTURE_H */
