/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * private.h - what the parts of the library share.
 */
#ifndef LATEWIND_PRIVATE_H
#define LATEWIND_PRIVATE_H

#include <errno.h>
#include <latewind.h>
#include <stdlib.h>

#include "liblatewind.h"

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define load_acquire(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* Complete passes over all rings that a stack waits for samples, and ms between two at least. */
#define KEEP_PASSES		10
#define PASS_MS			100

/* One CPU's ring as mapped here; of a CPU that there can't be it is empty. */
struct latewind_ring {
	struct lw_ring_consumer *consumer;
	const struct lw_ring_producer *producer;
	const u8 *data;
	u64 size;		/* bytes of data, a power of two */
	size_t map_len;		/* of the producer part */
	u64 snapshot;		/* up to which latewind_session_snapshot_next() has read */
};

struct latewind_ring_by_time;

struct latewind_session {
	int fd;
	struct lw_info info;
	struct latewind_ring *rings;
	u32 nr_rings;		/* 0: not set up */
	bool overwrites;	/* LW_SETUP_OVERWRITE */
	struct latewind_ring_by_time *by_time;
	struct latewind_stack_join *join;
	u64 passed_ms;		/* when @join was told of a pass, in CLOCK_MONOTONIC */
};

/**
 * latewind_ring_at - the record at a position
 * @ring: mapped
 * @pos: of a record that was not consumed
 *
 * Return: the record, in one piece.
 */
static inline const struct lw_record *latewind_ring_at(const struct latewind_ring *ring, u64 pos)
{
	return (const struct lw_record *)(ring->data + (pos & (ring->size - 1)));
}

int latewind_ring_read(struct latewind_ring *ring, latewind_record_fn fn, void *ctx,
		       bool *complete);
int latewind_ring_snapshot(const struct latewind_ring *ring, void *buffer, u64 *next,
			   latewind_record_fn fn, void *ctx);

struct latewind_ring_by_time *latewind_ring_by_time_new(struct latewind_ring *rings, u32 nr);
void latewind_ring_by_time_free(struct latewind_ring_by_time *join);
int latewind_ring_by_time_pass(struct latewind_ring_by_time *join, u64 until,
			       latewind_record_fn fn, void *ctx);
u64 latewind_ring_by_time_unfinished(const struct latewind_ring_by_time *join);

/**
 * grow - make room in an array
 * @array: address of the pointer to its elements
 * @room: elements that fit now
 * @want: elements that must fit
 * @elem: bytes of one
 *
 * Return: 0 or -ENOMEM, when nothing has changed.
 */
static inline int grow(void **array, size_t *room, size_t want, size_t elem)
{
	size_t next = *room ? *room : 8;
	void *grown;

	if (want <= *room)
		return 0;
	while (next < want)
		next *= 2;
	grown = reallocarray(*array, next, elem);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = next;
	return 0;
}

#endif /* LATEWIND_PRIVATE_H */
