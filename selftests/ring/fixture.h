/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fixture.h - a ring of module/ring/ring.c in this process's memory, and what
 * writes records that torture_reader.c can tell.
 */
#ifndef LW_RING_FIXTURE_H
#define LW_RING_FIXTURE_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../module/ring/ring.h"
#include "torture.h"

/**
 * struct source - a context that writes
 * @nr: torture_record.source
 * @seq: of its last record, given or not
 * @given: records that there was room for
 * @dropped: those that there was none for
 * @sum: as torture_reader.sum
 */
struct source {
	u32 nr;
	u64 seq;
	u64 given;
	u64 dropped;
	u64 sum;
};

/* Maps the data twice in a row, as ring_pages.c does. */
static inline void make_ring(struct lw_ring *ring, int cpu, unsigned long size,
			     unsigned long watermark, bool overwrite)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	unsigned long len = 2 * PAGE_SIZE + size;
	void *area;

	if (fd < 0 || ftruncate(fd, len))
		goto err;
	area = mmap(NULL, len + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED ||
	    mmap(area, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 0) == MAP_FAILED ||
	    mmap(area + len, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, 2 * PAGE_SIZE) == MAP_FAILED)
		goto err;
	close(fd);
	memset(ring, 0, sizeof(*ring));
	ring->waiters = calloc(1, sizeof(*ring->waiters));
	if (!ring->waiters)
		goto err;
	lw_ring_format(ring, cpu, area, PAGE_SIZE, size, watermark, overwrite);
	return;
err:
	perror("make_ring");
	exit(2);
}

static inline void free_ring(struct lw_ring *ring)
{
	free(ring->waiters);
	munmap(ring->area, 2 * PAGE_SIZE + 2 * ring->size);
}

/* Return: the record, all but its content written, or NULL. */
static inline struct torture_record *reserve(struct lw_ring *ring,
					     struct source *source, u32 words)
{
	u32 len = sizeof(struct torture_record) + words * sizeof(u64);
	struct torture_record *record;
	u64 seq = ++source->seq;
	enum lw_ring_drop why;

	record = lw_ring_reserve(ring, len, RECORD_TORTURE, 0, &why);
	if (!record) {
		source->dropped++;
		return NULL;
	}
	/* Its header is in the first mapping, where readers look for it. */
	assert((void *)record - ring->data < (long)ring->size);
	source->given++;
	source->sum += content_of(source->nr, seq, 0);
	WRITE_ONCE(record->source, source->nr);
	WRITE_ONCE(record->words, words);
	WRITE_ONCE(record->seq, seq);
	return record;
}

static inline void fill(struct torture_record *record, u32 from, u32 to)
{
	for (u32 i = from; i < to; i++)
		WRITE_ONCE(record->content[i],
			   content_of(record->source, record->seq, i));
}

/* Reserve, write, commit, in one go. */
static inline void write_one(struct lw_ring *ring, struct source *source, u64 random)
{
	u32 words = random % 16;
	struct torture_record *record = reserve(ring, source, words);

	if (!record)
		return;
	fill(record, 0, words);
	lw_ring_commit(ring, record);
}

#endif /* LW_RING_FIXTURE_H */
