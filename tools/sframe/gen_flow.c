// SPDX-License-Identifier: GPL-2.0
/*
 * gen_flow.c - code without call frame information, followed from known entries.
 *
 * Each instruction has the frame that all ways to it agree on: where two ways meet, what
 * they disagree on is not known.  Frames only lose knowledge, so that an instruction is
 * followed a bounded number of times.
 *
 * That a call returns is a guess: it may be to a function that does not.  So the way behind
 * a call is taken when no other way is left, and gives way to what other ways say.  What is
 * found behind calls counts only if it proves right: where it returns, the depth must be that
 * of the entry, or it must come to code that is known otherwise, and agree, or the call must
 * be one that returns.
 *
 * Code that is connected without a call in between is a component: its frames are right or
 * wrong together.  Components are bad that return with another depth than that of the entry,
 * and what follows from them, too.
 *
 * Contexts: any thread.  Time and memory are linear in the bytes of code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_flow.h"

#define MAX_FRAMES	(1U << 17)	/* different ones; 20 MiB */
#define MAX_PASSES	32U
#define MAX_STEPS	24U		/* for a byte of code, on average */
#define MAX_BACK	12U		/* instructions of a switch that are looked at */

/* Of a byte of code. */
#define IS_START	0x01U		/* of an instruction that was followed */
#define IS_QUEUED	0x02U
#define IS_ENTRY	0x04U
#define IS_SYMBOL	0x08U		/* an entry without doubt */
#define IS_CALL		0x10U
#define IS_DOUBTED	0x20U		/* reached only from behind a call */
/* Of the first of a component. */
#define IS_BAD		0x40U
#define IS_PROVED	0x80U		/* it has an entry, or is behind a call that returns */
#define IS_RETURNING	0x200U		/* it returns as it should, or what follows from it */
#define IS_ABOVE	0x100U		/* it takes what is the caller's: nobody called it */

/* The way behind a call. */
struct return_way {
	u32 to;
	u32 frame;
	u32 from;
};

struct return_list {
	struct return_way *ways;
	size_t nr, room;
};

/* @late_ways: to padding, which is most often between code that is not connected */
struct gen_flow {
	ZydisDecoder decoder;
	const struct gen_gap *gaps;
	size_t nr_gaps;
	const struct gen_input *input;
	const u8 *code;
	u32 size;		/* of @code, and of what has one for each byte: */
	u32 *frame_of;		/* 1 and up; 0: not reached */
	u32 *parent;		/* in the component; itself: the first */
	u16 *flags;
	u8 *sizes;		/* of instructions */
	struct gen_frame *frames;
	size_t nr_frames, frame_room;
	u32 last;		/* frame before the instruction that is followed */
	u32 *table;		/* of frames by hash */
	size_t table_size;	/* a power of 2 */
	u32 *queue;
	size_t nr_queue, queue_room;
	struct return_list ways, late_ways;
	u64 *taken;		/* addresses that code takes */
	size_t nr_taken, taken_room;
	u64 steps;
	bool fixed;
};

/**
 * gen_flow_new - get ready to follow code
 * @gaps: sorted, disjoint, not empty; stay the caller's
 * @nr_gaps: of them, at least 1
 * @code: of all of them; stays the caller's
 * @input: the file; stays the caller's
 *
 * Return: NULL if there is no memory.
 */
struct gen_flow *gen_flow_new(const struct gen_gap *gaps, size_t nr_gaps, const u8 *code,
			      const struct gen_input *input)
{
	const struct gen_gap *last = &gaps[nr_gaps - 1];
	struct gen_flow *flow = calloc(1, sizeof(*flow));
	size_t size = last->at + last->size;

	if (!flow)
		return NULL;
	ZydisDecoderInit(&flow->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	flow->gaps = gaps;
	flow->nr_gaps = nr_gaps;
	flow->code = code;
	flow->size = size;
	flow->input = input;
	/* not relocated, so that a number may be an address */
	flow->fixed = input->ehdr.e_type == ET_EXEC;
	flow->table_size = 1024;
	flow->frame_of = calloc(size, sizeof(*flow->frame_of));
	flow->parent = malloc(size * sizeof(*flow->parent));
	flow->flags = calloc(size, sizeof(*flow->flags));
	flow->sizes = calloc(size, 1);
	flow->table = calloc(flow->table_size, sizeof(*flow->table));
	if (!flow->frame_of || !flow->parent || !flow->flags || !flow->sizes || !flow->table) {
		gen_flow_free(flow);
		return NULL;
	}
	for (u32 i = 0; i < flow->size; i++)
		flow->parent[i] = i;
	return flow;
}

/**
 * gen_flow_free - forget the code
 * @flow: made, or NULL
 */
void gen_flow_free(struct gen_flow *flow)
{
	if (!flow)
		return;
	free(flow->frame_of);
	free(flow->parent);
	free(flow->flags);
	free(flow->sizes);
	free(flow->frames);
	free(flow->table);
	free(flow->queue);
	free(flow->ways.ways);
	free(flow->late_ways.ways);
	free(flow->taken);
	free(flow);
}

static bool is_in(const struct gen_gap *gap, u64 addr)
{
	return addr - gap->start < gap->size;
}

/**
 * gen_flow_gap - the gap that an address is in
 * @flow: code
 * @addr: address
 *
 * Return: the gap, or NULL.
 */
const struct gen_gap *gen_flow_gap(const struct gen_flow *flow, u64 addr)
{
	size_t low = 0, high = flow->nr_gaps, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (flow->gaps[middle].start <= addr)
			low = middle;
		else
			high = middle;
	}
	return is_in(&flow->gaps[low], addr) ? &flow->gaps[low] : NULL;
}

/* The first of a component; what is passed is shortened. */
static u32 first_of(struct gen_flow *flow, u32 at)
{
	while (flow->parent[at] != at) {
		flow->parent[at] = flow->parent[flow->parent[at]];
		at = flow->parent[at];
	}
	return at;
}

static void unite(struct gen_flow *flow, u32 a, u32 b)
{
	a = first_of(flow, a);
	b = first_of(flow, b);
	if (a == b)
		return;
	flow->parent[b] = a;
	flow->flags[a] |= flow->flags[b] & (IS_BAD | IS_PROVED | IS_RETURNING | IS_ABOVE);
}

static void mark(struct gen_flow *flow, u32 at, u16 flag)
{
	flow->flags[first_of(flow, at)] |= flag;
}

static bool is_marked(struct gen_flow *flow, u32 at, u16 flag)
{
	return flow->flags[first_of(flow, at)] & flag;
}

static u64 hash_of(const struct gen_frame *frame)
{
	u64 hash = 0, word;

	for (size_t i = 0; i < sizeof(*frame); i += sizeof(word)) {
		memcpy(&word, (const u8 *)frame + i, sizeof(word));
		hash = lw_hash64(hash ^ word);
	}
	return hash;
}

static u32 *find_slot(const struct gen_flow *flow, const struct gen_frame *frame)
{
	size_t mask = flow->table_size - 1, at = hash_of(frame) & mask;

	while (flow->table[at] && memcmp(&flow->frames[flow->table[at] - 1], frame, sizeof(*frame)))
		at = (at + 1) & mask;
	return &flow->table[at];
}

static int grow_table(struct gen_flow *flow)
{
	size_t size = flow->table_size * 2;
	u32 *table = calloc(size, sizeof(*table));

	if (!table)
		return -ENOMEM;
	free(flow->table);
	flow->table = table;
	flow->table_size = size;
	for (size_t i = 0; i < flow->nr_frames; i++)
		*find_slot(flow, &flow->frames[i]) = i + 1;
	return 0;
}

/* Return: the number of a frame; 0: there is no memory, or there are too many. */
static u32 number_of(struct gen_flow *flow, const struct gen_frame *frame)
{
	u32 *slot;

	/* most instructions leave it as it is */
	if (flow->last && !memcmp(&flow->frames[flow->last - 1], frame, sizeof(*frame)))
		return flow->last;
	slot = find_slot(flow, frame);
	if (*slot)
		return *slot;
	if (flow->nr_frames == MAX_FRAMES ||
	    lw_grow((void **)&flow->frames, &flow->frame_room, flow->nr_frames + 1,
		    sizeof(*frame)))
		return 0;
	flow->frames[flow->nr_frames++] = *frame;
	*slot = flow->nr_frames;
	if (flow->nr_frames * 2 > flow->table_size && grow_table(flow))
		return 0;
	return flow->nr_frames;
}

/* Return: why a frame has no number. */
static int why_no_number(const struct gen_flow *flow)
{
	return flow->nr_frames == MAX_FRAMES ? -E2BIG : -ENOMEM;
}

static void meet_one(struct gen_track *to, const struct gen_track *from)
{
	if (to->kind != from->kind || to->off != from->off)
		memset(to, 0, sizeof(*to));
}

/* What both say. */
static void meet(struct gen_frame *to, const struct gen_frame *from)
{
	for (unsigned int i = 0; i < GEN_NR_GPRS; i++)
		meet_one(&to->regs[i], &from->regs[i]);
	meet_one(&to->fp_slot, &from->fp_slot);
	if (to->cfa_off != from->cfa_off)
		memset(&to->cfa_slot, 0, sizeof(to->cfa_slot));
	meet_one(&to->cfa_slot, &from->cfa_slot);
	if (!to->cfa_slot.kind)
		to->cfa_off = 0;
	if (to->compared != from->compared)
		to->compared = 0;
}

static int enqueue(struct gen_flow *flow, u32 at)
{
	if (flow->flags[at] & IS_QUEUED)
		return 0;
	if (lw_grow((void **)&flow->queue, &flow->queue_room, flow->nr_queue + 1,
		    sizeof(*flow->queue)))
		return -ENOMEM;
	flow->queue[flow->nr_queue++] = at;
	flow->flags[at] |= IS_QUEUED;
	return 0;
}

static int set_frame(struct gen_flow *flow, u32 at, const struct gen_frame *frame)
{
	u32 number = number_of(flow, frame);

	if (!number)
		return why_no_number(flow);
	flow->frame_of[at] = number;
	return enqueue(flow, at);
}

static bool same(const struct gen_track *a, const struct gen_track *b)
{
	return a->kind == b->kind && a->off == b->off;
}

/*
 * Can both be the frame of one instruction?  A function that takes space of a size that it
 * counts knows its frame by the frame pointer.
 */
static bool can_meet(const struct gen_frame *a, const struct gen_frame *b)
{
	const struct gen_track *left = &a->regs[GEN_SP], *right = &b->regs[GEN_SP];

	return same(left, right) || !left->kind || !right->kind ||
	       (a->regs[GEN_FP].kind == GEN_OF_CFA && same(&a->regs[GEN_FP], &b->regs[GEN_FP]));
}

static bool is_at_entry_depth(const struct gen_frame *frame)
{
	const struct gen_track *sp = &frame->regs[GEN_SP];

	return sp->kind == GEN_OF_CFA && sp->off == GEN_RA_OFFSET;
}

/* Are the frames of a component right? */
static bool is_known(struct gen_flow *flow, u32 at)
{
	return !is_marked(flow, at, IS_BAD | IS_ABOVE) &&
	       is_marked(flow, at, IS_PROVED | IS_RETURNING);
}

/*
 * Two ways disagree: what is behind a call is wrong, or if both are, both may be.
 * Return: true if neither is, so that nothing is known.
 */
static bool blame(struct gen_flow *flow, u32 from, u32 at)
{
	bool from_proved = is_marked(flow, from, IS_PROVED | IS_RETURNING);
	bool at_proved = is_marked(flow, at, IS_PROVED | IS_RETURNING);

	if (!from_proved)
		mark(flow, from, IS_BAD);
	if (!at_proved)
		mark(flow, at, IS_BAD);
	return from_proved && at_proved;
}

/*
 * A way leads from an instruction to another one.
 * @doubted: from behind a call
 */
static int go_to(struct gen_flow *flow, u32 from, u32 at, const struct gen_frame *frame,
		 bool doubted)
{
	u16 *flags = &flow->flags[at];
	struct gen_frame both;

	if (!flow->frame_of[at]) {
		*flags |= doubted ? IS_DOUBTED : 0;
		if (!doubted)
			unite(flow, from, at);
		return set_frame(flow, at, frame);
	}
	both = flow->frames[flow->frame_of[at] - 1];
	/* the call does not return, or the entry is one whoever comes there */
	if ((doubted || (*flags & IS_SYMBOL)) && !can_meet(&both, frame))
		return 0;
	if ((*flags & IS_ENTRY) && can_meet(&both, frame)) {
		if (!doubted && is_at_entry_depth(frame))
			mark(flow, from, IS_RETURNING);
		return 0;
	}
	if (!can_meet(&both, frame)) {
		if (!blame(flow, from, at))
			return 0;
	} else if (!doubted) {
		*flags &= ~IS_DOUBTED;
		unite(flow, from, at);
	}
	meet(&both, frame);
	if (!memcmp(&both, &flow->frames[flow->frame_of[at] - 1], sizeof(both)))
		return 0;
	return set_frame(flow, at, &both);
}

static int go_to_addr(struct gen_flow *flow, u32 from, u64 addr, const struct gen_frame *frame,
		      bool doubted)
{
	const struct gen_gap *gap = gen_flow_gap(flow, addr);

	/* what has call frame information needs no frames */
	return gap ? go_to(flow, from, gap->at + (addr - gap->start), frame, doubted) : 0;
}

/**
 * gen_flow_enter - a function begins
 * @flow: code
 * @addr: of its first byte; nothing happens if it is in no gap
 * @trust: how sure that is
 *
 * Return: 0, -ENOMEM or -E2BIG.
 */
int gen_flow_enter(struct gen_flow *flow, u64 addr, enum gen_trust trust)
{
	const struct gen_gap *gap = gen_flow_gap(flow, addr);
	struct gen_frame frame;
	u32 at;

	if (!gap)
		return 0;
	at = gap->at + (addr - gap->start);
	if (flow->flags[at] & IS_ENTRY)
		return 0;
	/* code that was reached is what it is */
	if (trust == GEN_NAMED_BY_DATA && flow->frame_of[at])
		return 0;
	if (trust == GEN_NAMED_BY_DATA &&
	    gen_insn_begins_function(&flow->decoder, flow->code + at, gap->at + gap->size - at))
		trust = GEN_NAMED_BY_CODE;
	flow->flags[at] |= IS_ENTRY | (trust == GEN_SYMBOL ? IS_SYMBOL : 0);
	flow->flags[at] &= ~IS_DOUBTED;
	if (trust != GEN_NAMED_BY_DATA)
		mark(flow, at, IS_PROVED);
	gen_frame_enter(&frame);
	/* a way that was here before came to code of another depth */
	if (flow->frame_of[at] && trust != GEN_SYMBOL)
		meet(&frame, &flow->frames[flow->frame_of[at] - 1]);
	return set_frame(flow, at, &frame);
}

static int wait_for_return(struct gen_flow *flow, u32 from, u32 to, const struct gen_frame *frame)
{
	u32 number = number_of(flow, frame);
	struct return_list *list = &flow->ways;
	struct gen_insn insn;

	gen_insn_decode(&flow->decoder, 0, flow->code + to, flow->size - to, NULL, &insn);
	if (insn.is_padding)
		list = &flow->late_ways;
	/* a call that is followed again waits again */
	if (list->nr > flow->size)
		return -E2BIG;
	if (!number)
		return why_no_number(flow);
	if (lw_grow((void **)&list->ways, &list->room, list->nr + 1, sizeof(*list->ways)))
		return -ENOMEM;
	list->ways[list->nr++] = (struct return_way){ .to = to, .frame = number, .from = from };
	return 0;
}

/*
 * A way leaves the function.  Where a register leads to may be in the function, as with a
 * switch, or not.
 */
static void leave(struct gen_flow *flow, u32 at, const struct gen_frame *frame,
		  const struct gen_insn *insn)
{
	bool returns = insn->flow == GEN_INSN_RETURN;

	if (is_at_entry_depth(frame) && (returns || insn->has_target))
		mark(flow, at, IS_RETURNING);
	else if (returns && frame->regs[GEN_SP].kind != GEN_UNTRACKED)
		mark(flow, at, IS_BAD);
}

static int go_on(struct gen_flow *flow, const struct gen_gap *gap, u32 at,
		 const struct gen_insn *insn, const struct gen_frame *frame)
{
	u32 next = at + insn->size;

	if (next >= gap->at + gap->size)
		return 0;
	if (insn->flow == GEN_INSN_CALL)
		return wait_for_return(flow, at, next, frame);
	/* where a call does not return there may be padding */
	return go_to(flow, at, next, frame,
		     insn->is_padding && (flow->flags[at] & IS_DOUBTED));
}

/*
 * Behind a loop that ends when the stack pointer is what a register says.
 * Return: false if the two are known to differ, so that the loop goes on.
 */
static bool end_of_loop(struct gen_frame *frame)
{
	const struct gen_track *end = &frame->regs[frame->compared];
	struct gen_track *sp = &frame->regs[GEN_SP];
	bool known = frame->compared && end->kind == GEN_OF_CFA;

	frame->compared = 0;
	if (known && sp->kind == GEN_OF_CFA)
		return same(sp, end);
	if (known)
		*sp = *end;
	return true;
}

/* It may be that of a label, so that it waits until no other way is left. */
static int take_address(struct gen_flow *flow, u64 addr)
{
	const struct gen_gap *gap = gen_flow_gap(flow, addr);
	u64 off = gap ? addr - gap->start : 0;

	if (!gap || addr % GEN_ALIGNMENT ||
	    !gen_insn_begins_function(&flow->decoder, flow->code + gap->at + off, gap->size - off))
		return 0;
	if (flow->nr_taken > flow->size)
		return -E2BIG;
	if (lw_grow((void **)&flow->taken, &flow->taken_room, flow->nr_taken + 1,
		    sizeof(*flow->taken)))
		return -ENOMEM;
	flow->taken[flow->nr_taken++] = addr;
	return 0;
}

/* Instructions one behind the other, up to a jump; the last first.  Return: how many. */
static unsigned int look_back(const struct gen_flow *flow, const struct gen_gap *gap, u32 at,
			      u64 *addrs, const u8 **codes)
{
	unsigned int nr = 0;
	u32 size, most;

	for (;;) {
		/* the decoder may look at so many bytes */
		if (gap->at + gap->size - at < ZYDIS_MAX_INSTRUCTION_LENGTH)
			return nr;
		addrs[nr] = gap->start + (at - gap->at);
		codes[nr++] = flow->code + at;
		most = at - gap->at < ZYDIS_MAX_INSTRUCTION_LENGTH ? at - gap->at :
								     ZYDIS_MAX_INSTRUCTION_LENGTH;
		for (size = 1; size <= most; size++) {
			if ((flow->flags[at - size] & IS_START) && flow->sizes[at - size] == size)
				break;
		}
		if (nr == MAX_BACK || size > most)
			return nr;
		at -= size;
	}
}

/* Return: true if the jump is that of a switch; @ret is set. */
static bool follow_switch(struct gen_flow *flow, const struct gen_gap *gap, u32 at,
			  const struct gen_frame *frame, int *ret)
{
	const u8 *codes[MAX_BACK];
	u64 addrs[MAX_BACK];
	struct gen_switch found;
	s32 words[GEN_MAX_CASES];
	unsigned int nr = look_back(flow, gap, at, addrs, codes);

	if (!gen_switch_find(&flow->decoder, addrs, codes, nr, &found) ||
	    !gen_input_copy_addr(flow->input, found.table, words, found.nr * sizeof(*words)))
		return false;
	/* it would not be a table of this one */
	for (u32 i = 0; i < found.nr; i++) {
		if (found.table + (s64)words[i] - gap->start >= gap->size)
			return false;
	}
	flow->steps += found.nr;
	for (u32 i = 0; !*ret && i < found.nr; i++)
		*ret = go_to_addr(flow, at, found.table + (s64)words[i], frame, false);
	return true;
}

static int follow_insn(struct gen_flow *flow, const struct gen_gap *gap, u32 at,
		       const struct gen_insn *insn, const struct gen_frame *before,
		       struct gen_frame *frame)
{
	int ret = 0;

	if (insn->takes_address || (insn->takes_number && flow->fixed))
		ret = take_address(flow, insn->target);
	if (ret)
		return ret;
	switch (insn->flow) {
	case GEN_INSN_RETURN:
		leave(flow, at, before, insn);
		return 0;
	case GEN_INSN_BAD:
		mark(flow, at, IS_BAD);
		return 0;
	case GEN_INSN_STOP:
		return 0;
	case GEN_INSN_JUMP:
		if (!insn->has_target && follow_switch(flow, gap, at, frame, &ret))
			return ret;
		if (insn->has_target && gen_flow_gap(flow, insn->target))
			return go_to_addr(flow, at, insn->target, frame, false);
		leave(flow, at, before, insn);
		return 0;
	case GEN_INSN_BRANCH:
		if (insn->has_target)
			ret = go_to_addr(flow, at, insn->target, frame, false);
		if (!ret && !end_of_loop(frame))
			return 0;
		break;
	case GEN_INSN_CALL:
		flow->flags[at] |= IS_CALL;
		if (insn->has_target)
			ret = gen_flow_enter(flow, insn->target, GEN_NAMED_BY_CODE);
		break;
	}
	return ret ?: go_on(flow, gap, at, insn, frame);
}

static const struct gen_gap *gap_at(const struct gen_flow *flow, u32 at)
{
	size_t low = 0, high = flow->nr_gaps, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (flow->gaps[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return &flow->gaps[low];
}

static int follow_one(struct gen_flow *flow, u32 at)
{
	const struct gen_gap *gap = gap_at(flow, at);
	struct gen_frame before = flow->frames[flow->frame_of[at] - 1], frame = before;
	struct gen_insn insn;

	flow->last = flow->frame_of[at];
	flow->flags[at] |= IS_START;
	gen_insn_decode(&flow->decoder, gap->start + (at - gap->at), flow->code + at,
			gap->at + gap->size - at, &frame, &insn);
	flow->sizes[at] = insn.size;
	/* what is above the return address is the caller's */
	if (frame.regs[GEN_SP].kind == GEN_OF_CFA && frame.regs[GEN_SP].off > GEN_RA_OFFSET &&
	    insn.flow != GEN_INSN_RETURN)
		mark(flow, at, IS_BAD | IS_ABOVE);
	return follow_insn(flow, gap, at, &insn, &before, &frame);
}

/* All ways that are no guesses, to their ends. */
static int follow_all(struct gen_flow *flow)
{
	u32 at;
	int ret = 0;

	while (!ret && flow->nr_queue) {
		if (flow->steps++ / MAX_STEPS > flow->size)
			return -E2BIG;
		at = flow->queue[--flow->nr_queue];
		flow->flags[at] &= ~IS_QUEUED;
		ret = follow_one(flow, at);
	}
	return ret;
}

/* Return: true if the frame behind a call may be what the call left. */
static bool depends(const struct gen_flow *flow, u32 call, u32 *next)
{
	const struct gen_gap *gap = gap_at(flow, call);

	*next = call + flow->sizes[call];
	return *next < gap->at + gap->size && flow->frame_of[*next] &&
	       !(flow->flags[*next] & IS_ENTRY) &&
	       can_meet(&flow->frames[flow->frame_of[*next] - 1],
			&flow->frames[flow->frame_of[call] - 1]);
}

/* Frames behind a call are no better than those before it.  Return: whether that was new. */
static bool spread_bad(struct gen_flow *flow)
{
	bool changed = false;
	u32 next;

	for (u32 i = 0; i < flow->size; i++) {
		if (!(flow->flags[i] & IS_CALL) || !is_marked(flow, i, IS_BAD) ||
		    !depends(flow, i, &next) || is_marked(flow, next, IS_BAD))
			continue;
		mark(flow, next, IS_BAD);
		changed = true;
	}
	return changed;
}

/* If what is behind a call shows @flag, so does what was before it. */
static bool spread_back(struct gen_flow *flow, u16 flag)
{
	bool changed = false;
	u32 next;

	for (u32 i = flow->size; i-- > 0;) {
		if (!(flow->flags[i] & IS_CALL) || is_marked(flow, i, flag) ||
		    !depends(flow, i, &next) || !is_marked(flow, next, flag))
			continue;
		mark(flow, i, flag);
		changed = true;
	}
	return changed;
}

/*
 * Does a call return?  Its callee does; or nobody knows the callee, and what is behind the
 * call takes the result.
 */
static bool call_returns(struct gen_flow *flow, u32 call, u32 next)
{
	const struct gen_gap *gap = gap_at(flow, call), *other;
	struct gen_insn insn;

	gen_insn_decode(&flow->decoder, gap->start + (call - gap->at), flow->code + call,
			next - call, NULL, &insn);
	if (!insn.has_target)
		return gen_insn_uses_result(&flow->decoder, flow->code + next,
					    gap->at + gap->size - next);
	other = gen_flow_gap(flow, insn.target);
	return other && is_marked(flow, other->at + (insn.target - other->start), IS_RETURNING);
}

/* What is behind a call that returns is as right as what is before it. */
static bool spread_proof(struct gen_flow *flow)
{
	bool changed = false;
	u32 next;

	for (u32 i = 0; i < flow->size; i++) {
		if (!(flow->flags[i] & IS_CALL) || !is_known(flow, i) ||
		    !depends(flow, i, &next) || is_known(flow, next) ||
		    !call_returns(flow, i, next))
			continue;
		mark(flow, next, IS_PROVED);
		changed |= is_known(flow, next);
	}
	return changed;
}

static int follow_return(struct gen_flow *flow, struct return_list *list)
{
	struct return_way way = list->ways[--list->nr];
	struct gen_frame frame = flow->frames[way.frame - 1];

	return go_to(flow, way.from, way.to, &frame, true) ?: follow_all(flow);
}

/**
 * gen_flow_run - follow all code from the entries
 * @flow: with entries; there may be more later, and another run
 *
 * Return: 0 or -ENOMEM; -E2BIG if the code is made to take long.
 */
int gen_flow_run(struct gen_flow *flow)
{
	int ret = follow_all(flow);

	while (!ret) {
		if (flow->ways.nr)
			ret = follow_return(flow, &flow->ways);
		else if (flow->late_ways.nr)
			ret = follow_return(flow, &flow->late_ways);
		else if (flow->nr_taken)
			ret = gen_flow_enter(flow, flow->taken[--flow->nr_taken],
					     GEN_NAMED_BY_DATA) ?: follow_all(flow);
		else
			break;
	}
	for (unsigned int i = 0; !ret && spread_bad(flow); i++) {
		if (i == MAX_PASSES)
			ret = -E2BIG;
	}
	for (unsigned int i = 0; !ret && spread_back(flow, IS_ABOVE); i++) {
		if (i == MAX_PASSES)
			ret = -E2BIG;
	}
	/* fewer passes leave less that is proved */
	for (unsigned int i = 0; !ret && i < MAX_PASSES && spread_back(flow, IS_RETURNING); i++)
		;
	for (unsigned int i = 0; !ret && i < MAX_PASSES && spread_proof(flow); i++)
		;
	return ret;
}

/* Return: NULL if nothing is known; @at: of an instruction that was followed */
static const struct gen_frame *known_frame(struct gen_flow *flow, u32 at)
{
	if (!is_known(flow, at))
		return NULL;
	return &flow->frames[flow->frame_of[at] - 1];
}

/**
 * gen_flow_frame - what is known before an instruction
 * @flow: after gen_flow_run()
 * @addr: of any byte of the instruction
 *
 * Return: NULL if nothing is known.
 */
const struct gen_frame *gen_flow_frame(struct gen_flow *flow, u64 addr)
{
	const struct gen_gap *gap = gen_flow_gap(flow, addr);
	u32 at, back = 0;

	if (!gap)
		return NULL;
	at = gap->at + (addr - gap->start);
	while (back < ZYDIS_MAX_INSTRUCTION_LENGTH && back <= at - gap->at &&
	       !(flow->flags[at - back] & IS_START))
		back++;
	if (back == ZYDIS_MAX_INSTRUCTION_LENGTH || back > at - gap->at ||
	    flow->sizes[at - back] <= back)
		return NULL;
	return known_frame(flow, at - back);
}

/**
 * gen_flow_step - go through a gap
 * @flow: after gen_flow_run()
 * @gap: of the flow
 * @off: in @gap, of a byte that no instruction before it has
 * @frame: out: what is known there, or NULL
 *
 * Return: bytes that have this frame: of the instruction, or up to one that begins in it; or of
 * code that was not followed.
 */
u32 gen_flow_step(struct gen_flow *flow, const struct gen_gap *gap, u64 off,
		  const struct gen_frame **frame)
{
	u32 at = gap->at + off, end = gap->at + gap->size, next = at + 1, size;

	*frame = flow->flags[at] & IS_START ? known_frame(flow, at) : NULL;
	size = flow->flags[at] & IS_START ? flow->sizes[at] : end - at;
	while (next < end && next - at < size && !(flow->flags[next] & IS_START))
		next++;
	return next - at;
}

/**
 * gen_flow_is_entry - does a function begin there?
 * @flow: after gen_flow_run()
 * @addr: of a byte of code
 *
 * Return: true if it does.
 */
bool gen_flow_is_entry(const struct gen_flow *flow, u64 addr)
{
	const struct gen_gap *gap = gen_flow_gap(flow, addr);

	return gap && (flow->flags[gap->at + (addr - gap->start)] & IS_ENTRY);
}

/**
 * gen_flow_unseen - how much was not reached
 * @flow: after gen_flow_run()
 *
 * Return: bytes, without what pads code.
 */
u64 gen_flow_unseen(const struct gen_flow *flow)
{
	struct gen_insn insn;
	u64 unseen = 0;
	u32 size;

	for (u32 i = 0; i < flow->size; i += size) {
		const u8 *code = flow->code + i;

		size = flow->flags[i] & IS_START && flow->sizes[i] ? flow->sizes[i] : 1;
		if ((flow->flags[i] & IS_START) || !*code || *code == 0xcc || *code == 0x90)
			continue;
		gen_insn_decode(&flow->decoder, 0, code, flow->size - i, NULL, &insn);
		if (insn.size)
			size = insn.size;
		if (!insn.is_padding)
			unseen += size;
	}
	return unseen;
}
