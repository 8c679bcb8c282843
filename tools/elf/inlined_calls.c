// SPDX-License-Identifier: GPL-2.0
/*
 * inlined_calls.c - which inlined calls an address is in, by debug information.
 *
 * dwarf_getscopes() and dwarf_getscopes_die() search the tree of a compilation unit for each
 * address.  That of Go's runtime is one unit: a recording's names took a minute.  So each
 * unit that is asked for is gone through once, and what has code is kept, sorted.
 *
 * Debug information has no limits, and neither has this: files are those that root or the user
 * has written (lw_symbol_file_is_trusted()).
 *
 * Contexts: one thread per object.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "elf/inlined_calls.h"

#define MAX_DEPTH	256		/* of the tree, as it is gone through by recursion */
#define NONE		((u32)-1)

/* A function, or a call of one that is inlined. */
struct scope {
	Dwarf_Die die;
	u32 around;			/* the scope that it stands in; NONE: none */
	bool inlined;
};

/* Code of a scope, which may be in several pieces. */
struct piece {
	u64 start, end;
	u32 scope;
	u32 around;			/* the piece before it that goes on behind its start */
};

struct unit {
	struct lw_hash_node node;
	const void *die;		/* where its entry is */
	struct scope *scopes;
	struct piece *pieces;
	size_t nr_scopes, room_scopes;
	size_t nr_pieces, room_pieces;
};

struct lw_inlined_calls {
	struct lw_hash_node *units[256];
};

static void free_unit(struct unit *unit)
{
	free(unit->scopes);
	free(unit->pieces);
	free(unit);
}

static int add_piece(struct unit *unit, u64 start, u64 end)
{
	if (lw_grow((void **)&unit->pieces, &unit->room_pieces, unit->nr_pieces + 1,
		    sizeof(*unit->pieces)))
		return -ENOMEM;
	unit->pieces[unit->nr_pieces++] = (struct piece){
		.start = start, .end = end, .scope = unit->nr_scopes,
	};
	return 0;
}

/* @around: the scope that it stands in, and if it has code the scope itself then. */
static int add_scope(struct unit *unit, Dwarf_Die *die, bool inlined, u32 *around)
{
	size_t before = unit->nr_pieces;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start < end && add_piece(unit, start, end))
			return -ENOMEM;
	}
	if (unit->nr_pieces == before)
		return 0;
	if (lw_grow((void **)&unit->scopes, &unit->room_scopes, unit->nr_scopes + 1,
		    sizeof(*unit->scopes)))
		return -ENOMEM;
	unit->scopes[unit->nr_scopes] = (struct scope){
		.die = *die, .around = *around, .inlined = inlined,
	};
	*around = unit->nr_scopes++;
	return 0;
}

static int add_below(struct unit *unit, Dwarf_Die *parent, u32 parent_scope, u32 depth);

static int add_entry(struct unit *unit, Dwarf_Die *die, u32 around, u32 depth)
{
	int tag = dwarf_tag(die), ret = 0;

	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		ret = add_scope(unit, die, tag == DW_TAG_inlined_subroutine, &around);
		break;
	/* what may have such in it */
	case DW_TAG_catch_block:
	case DW_TAG_class_type:
	case DW_TAG_lexical_block:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_try_block:
	case DW_TAG_union_type:
	case DW_TAG_with_stmt:
		break;
	default:
		return 0;
	}
	return ret ? ret : add_below(unit, die, around, depth);
}

static int add_below(struct unit *unit, Dwarf_Die *parent, u32 parent_scope, u32 depth)
{
	Dwarf_Die die;
	int ret;

	if (!depth || dwarf_child(parent, &die))
		return 0;
	do {
		ret = add_entry(unit, &die, parent_scope, depth - 1);
	} while (!ret && !dwarf_siblingof(&die, &die));
	return ret;
}

/* What is within something else comes behind it. */
static int by_start(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	return left->scope < right->scope ? -1 : left->scope > right->scope;
}

static void sort_pieces(struct unit *unit)
{
	u32 around = NONE;

	if (unit->nr_pieces)
		qsort(unit->pieces, unit->nr_pieces, sizeof(*unit->pieces), by_start);
	for (u32 i = 0; i < unit->nr_pieces; i++) {
		while (around != NONE && unit->pieces[around].end <= unit->pieces[i].start)
			around = unit->pieces[around].around;
		unit->pieces[i].around = around;
		around = i;
	}
}

static struct unit *read_unit(Dwarf_Die *die)
{
	struct unit *unit = calloc(1, sizeof(*unit));

	if (!unit)
		return NULL;
	unit->die = die->addr;
	/* without memory it has none, and is not gone through again */
	if (add_below(unit, die, NONE, MAX_DEPTH) || unit->nr_pieces >= NONE)
		unit->nr_pieces = 0;
	sort_pieces(unit);
	return unit;
}

static struct unit *get_unit(struct lw_inlined_calls *calls, Dwarf_Die *die)
{
	struct lw_hash_node **slot = lw_hash_slot(calls->units, lw_hash64((u64)die->addr));
	struct unit *unit;

	lw_hash_for_each(unit, slot, node) {
		if (unit->die == die->addr)
			return unit;
	}
	unit = read_unit(die);
	if (unit)
		lw_hash_add(slot, &unit->node);
	return unit;
}

/* Return: the innermost scope whose code it is, or NONE. */
static u32 find_scope(const struct unit *unit, u64 addr)
{
	size_t low = 0, high = unit->nr_pieces;
	u32 at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->pieces[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	at = low ? low - 1 : NONE;
	while (at != NONE && unit->pieces[at].end <= addr)
		at = unit->pieces[at].around;
	return at == NONE ? NONE : unit->pieces[at].scope;
}

/**
 * lw_inlined_calls_new - begin
 *
 * Return: calls of the units of one file, none of which is read yet; or NULL.
 */
struct lw_inlined_calls *lw_inlined_calls_new(void)
{
	return calloc(1, sizeof(struct lw_inlined_calls));
}

/**
 * lw_inlined_calls_find - the inlined calls that an address is in
 * @calls: the units that were asked for before
 * @unit: compilation unit of the address
 * @addr: as its debug information has it
 * @found: out: their entries, the innermost first; good until @calls is freed
 * @room: how many fit; the outermost are left out
 *
 * Return: how many; 0 also without memory for its unit.
 */
u32 lw_inlined_calls_find(struct lw_inlined_calls *calls, Dwarf_Die *unit, u64 addr,
			  const Dwarf_Die **found, u32 room)
{
	const struct unit *known = get_unit(calls, unit);
	u32 at = known ? find_scope(known, addr) : NONE, nr = 0;

	for (; at != NONE && known->scopes[at].inlined && nr < room; at = known->scopes[at].around)
		found[nr++] = &known->scopes[at].die;
	return nr;
}

/**
 * lw_inlined_calls_free - forget all
 * @calls: begun, or NULL
 */
void lw_inlined_calls_free(struct lw_inlined_calls *calls)
{
	struct lw_hash_node **at, *after;
	struct unit *unit;

	if (!calls)
		return;
	lw_hash_for_all_safe(unit, after, at, calls->units, node)
		free_unit(unit);
	free(calls);
}
