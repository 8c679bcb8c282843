// SPDX-License-Identifier: GPL-2.0
/*
 * jit_code.c - pieces of code that a process has made: which was where, at what time.
 *
 * A compiler frees code and puts other code in its place, so pieces lie over each other: of
 * those that cover an address the youngest counts that was there at the time.  Pieces are
 * kept as they came, and found by an array of slots in the order of their addresses.  New
 * pieces are found after lw_jit_code_settle() only, which sorts them into the slots.
 *
 * What is told may be made up: memory is bounded by @most, a look-up by MAX_LOOKS.
 *
 * Contexts: one thread.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/jit_code.h"

#define LEAST_ROOM	64
/* Pieces that are looked at below an address, where pieces lie over each other. */
#define MAX_LOOKS	1024
/* Compilers tell of code from another thread, when it may run already. */
#define TOLD_LATE	NSEC_PER_SEC

/* Pieces and slots grow together. Return: whether one more fits. */
static bool code_make_room(struct lw_jit_code *code, size_t name_bytes)
{
	const size_t each = sizeof(*code->pieces) + sizeof(*code->slots);
	size_t more = code->nr < code->piece_room ? 0 :
		      code->piece_room ? code->piece_room : LEAST_ROOM;

	if (name_bytes + more * each > code->most - code->bytes || code->nr >= UINT32_MAX)
		return false;
	if (more && (lw_grow((void **)&code->pieces, &code->piece_room, code->nr + more,
			     sizeof(*code->pieces)) ||
		     lw_grow((void **)&code->slots, &code->slot_room, code->nr + more,
			     sizeof(*code->slots))))
		return false;
	code->bytes += more * each;
	return true;
}

static bool code_is_sound(const struct lw_jit_piece *piece)
{
	return piece->size && piece->start + piece->size > piece->start;
}

/**
 * lw_jit_code_add - add a piece
 * @code: is full if there is no room
 * @piece: its @start, @size, @time and @index; one that is empty, or that goes round the end
 *	of the address space, is left out
 * @name: is copied
 * @len: its bytes
 */
void lw_jit_code_add(struct lw_jit_code *code, const struct lw_jit_piece *piece,
		     const char *name, size_t len)
{
	const size_t bytes = ALIGN_UP(len + 1, 8);
	char *copy = NULL;

	if (!code_is_sound(piece))
		return;
	if (code_make_room(code, bytes))
		copy = lw_arena_alloc(&code->names, bytes);
	code->full = !copy;
	if (!copy)
		return;
	memcpy(copy, name, len);
	copy[len] = 0;
	code->bytes += bytes;
	code->pieces[code->nr] = *piece;
	code->pieces[code->nr].name = copy;
	code->pieces[code->nr++].end = ~0ULL;
}

/**
 * lw_jit_code_move - tell that a piece was moved
 * @code: is full if there is no room
 * @piece: where it is now, since when; a piece without a name if none of its @index and @size
 *	was at @from
 * @from: where it was
 */
void lw_jit_code_move(struct lw_jit_code *code, const struct lw_jit_piece *piece, u64 from)
{
	if (!code_is_sound(piece))
		return;
	code->full = !code_make_room(code, 0);
	if (code->full)
		return;
	code->pieces[code->nr] = *piece;
	code->pieces[code->nr].name = NULL;
	code->pieces[code->nr++].end = from;
}

static int by_start(const void *a, const void *b, void *pieces)
{
	const struct lw_jit_slot *left = a, *right = b;
	const struct lw_jit_piece *all = pieces;
	u64 lefts = all[left->piece].start, rights = all[right->piece].start;

	if (lefts != rights)
		return lefts < rights ? -1 : 1;
	return (left->piece > right->piece) - (left->piece < right->piece);
}

/* Without memory for a copy of the new ones all are sorted, which takes longer. */
static void code_sort(struct lw_jit_code *code)
{
	const size_t nr_new = code->nr - code->settled;
	struct lw_jit_slot *new = malloc(nr_new * sizeof(*new));
	size_t old = code->settled, left = nr_new;

	if (!new) {
		qsort_r(code->slots, code->nr, sizeof(*code->slots), by_start, code->pieces);
		return;
	}
	qsort_r(code->slots + old, nr_new, sizeof(*new), by_start, code->pieces);
	memcpy(new, code->slots + old, nr_new * sizeof(*new));
	/* from behind, so that no old one is overwritten before it was moved */
	while (left) {
		bool take_old = old && by_start(&code->slots[old - 1], &new[left - 1],
						code->pieces) > 0;
		size_t to = old + left - 1;

		code->slots[to] = take_old ? code->slots[--old] : new[--left];
	}
	free(new);
}

static void code_set_reach(struct lw_jit_code *code)
{
	u64 reach = 0;

	for (size_t i = 0; i < code->nr; i++) {
		const struct lw_jit_piece *piece = &code->pieces[code->slots[i].piece];

		if (piece->start + piece->size > reach)
			reach = piece->start + piece->size;
		code->slots[i].reach = reach;
	}
}

/* What was never told of, or is of another size, has no name where it is now, either. */
static void code_name_moved(struct lw_jit_code *code, struct lw_jit_piece *piece)
{
	const struct lw_jit_piece *found = lw_jit_code_find(code, piece->time, piece->end);

	if (!found || found->start != piece->end || found->index != piece->index ||
	    found->size != piece->size)
		return;
	code->pieces[found - code->pieces].end = piece->time;
	piece->name = found->name;
	piece->end = ~0ULL;
}

/**
 * lw_jit_code_settle - make what was added since the last call known to look-ups
 * @code: pieces that were found are no longer good
 */
void lw_jit_code_settle(struct lw_jit_code *code)
{
	const size_t settled = code->settled;

	if (settled == code->nr)
		return;
	for (size_t i = settled; i < code->nr; i++)
		code->slots[i].piece = i;
	code_sort(code);
	code_set_reach(code);
	code->settled = code->nr;
	for (size_t i = settled; i < code->nr; i++) {
		if (!code->pieces[i].name)
			code_name_moved(code, &code->pieces[i]);
	}
}

/* Return: the number of slots whose pieces start at or before an address. */
static size_t code_up_to(const struct lw_jit_code *code, u64 ip)
{
	size_t low = 0, high = code->settled;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->pieces[code->slots[middle].piece].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of two at one time that counts which was told of later. */
static bool is_younger(const struct lw_jit_piece *piece, const struct lw_jit_piece *than)
{
	return !than || piece->time > than->time || (piece->time == than->time && piece > than);
}

/**
 * lw_jit_code_find - find the piece that an address was in
 * @code: settled
 * @time: CLOCK_MONOTONIC nanoseconds
 * @ip: address
 *
 * Return: the youngest one of @time; if there was none, the first one that was told of within a
 * second after it; or NULL.
 */
const struct lw_jit_piece *lw_jit_code_find(const struct lw_jit_code *code, u64 time, u64 ip)
{
	const struct lw_jit_piece *best = NULL, *later = NULL;
	size_t at = code_up_to(code, ip);

	for (u32 looks = 0; at-- && code->slots[at].reach > ip && looks < MAX_LOOKS; looks++) {
		const struct lw_jit_piece *piece = &code->pieces[code->slots[at].piece];

		if (ip - piece->start >= piece->size || !piece->name)
			continue;
		if (piece->time > time)
			later = later && is_younger(piece, later) ? later : piece;
		else if (time < piece->end && is_younger(piece, best))
			best = piece;
	}
	if (!best && later && later->time - time <= TOLD_LATE)
		return later;
	return best;
}

/**
 * lw_jit_code_clear - forget all pieces
 * @code: is empty then
 */
void lw_jit_code_clear(struct lw_jit_code *code)
{
	const u64 most = code->most;

	free(code->pieces);
	free(code->slots);
	lw_arena_free(&code->names);
	memset(code, 0, sizeof(*code));
	code->most = most;
}
