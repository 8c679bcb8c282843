// SPDX-License-Identifier: GPL-2.0
/*
 * mutate.c - changes to inputs that know what a section looks like.
 *
 * The section is parsed loosely: fields are taken from where a sound one has
 * them, and a place that is not inside of the bytes is not changed.  Most
 * mutations change one thing, then let the header pass again; a third are
 * libFuzzer's own, that knows nothing.
 */
#include <string.h>

#include "fuzz.h"

#define HDR_SIZE	28
#define ATTR_SIZE	5
#define MAX_ROW		65	/* with 15 words of 4 bytes */
#define MAX_STEPS	64	/* rows passed on the way to the one to change */

/* A section that is being changed, in the memory of its input. */
struct shape {
	__u8	*bytes;
	size_t	size;
	size_t	max_size;
	int	big;
	unsigned int v2;
	__u32	num_fdes;
	__u32	fre_len;
	__u64	fde_off;
	__u64	fre_off;
};

/* A row, and what its function says. */
struct spot {
	__u64	pos;
	unsigned int start_size;
	unsigned int count;
	unsigned int word_size;
};

static __u64 state;

static __u32 next(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static __u32 below(__u32 n)
{
	return n ? next() % n : 0;
}

static int one_in(__u32 n)
{
	return !below(n);
}

static __u64 get(const struct shape *sh, __u64 off, unsigned int size)
{
	__u64 value = 0;
	unsigned int i;

	if (off > sh->size || size > sh->size - off)
		return 0;
	for (i = 0; i < size; i++)
		value |= (__u64)sh->bytes[off + i]
			 << 8 * (sh->big ? size - 1 - i : i);
	return value;
}

static void put(struct shape *sh, __u64 off, unsigned int size, __u64 value)
{
	unsigned int i;

	if (off > sh->size || size > sh->size - off)
		return;
	for (i = 0; i < size; i++)
		sh->bytes[off + i] = value >> 8 * (sh->big ? size - 1 - i : i);
}

static void parse(struct shape *sh)
{
	__u64 base;

	sh->big = sh->size && sh->bytes[0] == 0xde;
	sh->v2 = get(sh, 2, 1) != 3;
	base = HDR_SIZE + get(sh, 7, 1);
	sh->num_fdes = get(sh, 8, 4);
	sh->fre_len = get(sh, 16, 4);
	sh->fde_off = base + get(sh, 20, 4);
	sh->fre_off = base + get(sh, 24, 4);
}

static unsigned int entry_size(const struct shape *sh)
{
	return sh->v2 ? 20 : 16;
}

/* The position of some FDE that is inside of the bytes, if there is one. */
static __u64 some_fde(const struct shape *sh)
{
	__u64 room, n = sh->num_fdes;

	if (sh->fde_off >= sh->size)
		return HDR_SIZE;
	room = (sh->size - sh->fde_off) / entry_size(sh);
	if (n > room)
		n = room;
	return sh->fde_off + below(n) * entry_size(sh);
}

static __u64 rows_of(const struct shape *sh, __u64 fde)
{
	return sh->fre_off + get(sh, fde + (sh->v2 ? 8 : 12), 4) +
	       (sh->v2 ? 0 : ATTR_SIZE);
}

static __u64 info_of(const struct shape *sh, __u64 fde)
{
	return sh->v2 ? fde + 16 : rows_of(sh, fde) - 3;
}

static void look_at_row(const struct shape *sh, struct spot *spot)
{
	__u8 info = get(sh, spot->pos + spot->start_size, 1);

	spot->count = info >> 1 & 15;
	spot->word_size = 1U << (info >> 5 & 3);
}

static __u64 row_end(const struct spot *spot)
{
	return spot->pos + spot->start_size + 1 +
	       spot->count * spot->word_size;
}

/* Some row of some FDE. */
static struct spot some_row(const struct shape *sh)
{
	__u64 fde = some_fde(sh);
	struct spot spot = { .pos = rows_of(sh, fde) };
	__u32 n = get(sh, sh->v2 ? fde + 12 : spot.pos - ATTR_SIZE,
		      sh->v2 ? 4 : 2);
	__u32 steps = below(n < MAX_STEPS ? n : MAX_STEPS);

	spot.start_size = 1U << (get(sh, info_of(sh, fde), 1) & 3) % 3;
	look_at_row(sh, &spot);
	while (steps-- && row_end(&spot) + MAX_ROW / 8 < sh->size) {
		spot.pos = row_end(&spot);
		look_at_row(sh, &spot);
	}
	return spot;
}

/* Values that are more likely to hurt than random ones. */
static __u64 nasty(__u64 old)
{
	static const __u32 values[] = {
		0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 0x7f, 0x80, 0xff, 0x100,
		0x7fff, 0x8000, 0xffff, 0x10000, 0x1000000, 0x1000001,
		0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
	};

	switch (below(6)) {
	case 0:
		return old + 1;
	case 1:
		return old - 1;
	case 2:
		return old ^ 1ULL << below(32);
	case 3:
		return old + below(64) - 32;
	case 4:
		return (__u64)next() << 32 ^ (__u64)next() << 7;
	default:
		return (__s32)values[below(sizeof(values) / sizeof(values[0]))];
	}
}

static void change(struct shape *sh, __u64 off, unsigned int size)
{
	put(sh, off, size, nasty(get(sh, off, size)));
}

static void change_header(struct shape *sh)
{
	unsigned int off = below(14);

	if (off < 8)
		change(sh, off, 1);
	else
		change(sh, 8 + (off - 8) % 5 * 4, 4);
}

static void change_fde(struct shape *sh)
{
	static const __u8 v2[][2] = {
		{ 0, 4 }, { 4, 4 }, { 8, 4 }, { 12, 4 }, { 16, 1 }, { 17, 1 },
	};
	static const __u8 v3[][2] = { { 0, 8 }, { 8, 4 }, { 12, 4 } };
	static const __u8 attr[][2] = {
		{ 0, 2 }, { 2, 1 }, { 3, 1 }, { 4, 1 },
	};
	__u64 fde = some_fde(sh);
	unsigned int i;

	if (sh->v2) {
		i = below(6);
		change(sh, fde + v2[i][0], v2[i][1]);
	} else if (one_in(2)) {
		i = below(3);
		change(sh, fde + v3[i][0], v3[i][1]);
	} else {
		i = below(4);
		change(sh, rows_of(sh, fde) - ATTR_SIZE + attr[i][0],
		       attr[i][1]);
	}
}

/* Values of an FDE that are sound by themselves. */
static void change_kind(struct shape *sh)
{
	__u64 fde = some_fde(sh), info = info_of(sh, fde);

	switch (below(4)) {
	case 0:
		put(sh, info, 1, get(sh, info, 1) ^ 0x10);
		put(sh, info + (sh->v2 ? 1 : 2), 1, 1U << below(8));
		break;
	case 1:
		put(sh, info, 1, (get(sh, info, 1) & 0xf0) | below(3));
		break;
	case 2:
		put(sh, info, 1, get(sh, info, 1) ^ (one_in(2) ? 0x80 : 0x20));
		break;
	default:
		if (!sh->v2)
			put(sh, info + 1, 1, get(sh, info + 1, 1) ^ (one_in(3) ? 31 : 1));
		break;
	}
}

static void change_row(struct shape *sh)
{
	struct spot spot = some_row(sh);
	__u64 words = spot.pos + spot.start_size + 1;

	switch (below(4)) {
	case 0:
		change(sh, spot.pos, spot.start_size);
		break;
	case 1:
		change(sh, words - 1, 1);
		break;
	case 2:
		put(sh, words - 1, 1, below(256));
		break;
	default:
		change(sh, words + below(spot.count) * spot.word_size,
		       spot.word_size);
		break;
	}
}

static unsigned int some_register(void)
{
	static const __u8 registers[] = {
		6, 7, 10, 11, 14, 15, 16, 29, 30, 31, 32, 33,
	};

	return registers[below(sizeof(registers))];
}

/* Control words and offsets as a FLEX row has them, or nearly so, from the nth on. */
static unsigned int make_flex(struct shape *sh, __u64 at, unsigned int size,
			      unsigned int n)
{
	unsigned int count = n, i, control;

	for (i = !!n; i < 1 + below(3); i++) {
		control = some_register() << 3 | 1;
		control ^= below(4);
		if (i && one_in(3))
			control = 0;
		if (one_in(32))
			control |= 4;
		put(sh, at + count++ * size, size, control);
		if (control)
			put(sh, at + count++ * size, size, nasty(8));
	}
	return one_in(16) ? below(16) : count;
}

/* Likewise of a PATH row. */
static unsigned int make_path(struct shape *sh, __u64 at, unsigned int size)
{
	unsigned int pointers = below(one_in(16) ? 5 : 3), count = 0, i;
	unsigned int control = some_register() << 3 | 1;

	if (one_in(8))
		control ^= below(8);
	put(sh, at + count++ * size, size, control);
	put(sh, at + count++ * size, size, pointers);
	for (i = 0; i <= pointers; i++)
		put(sh, at + count++ * size, size, nasty(8));
	return make_flex(sh, at, size, count);
}

static void flex_row(struct shape *sh)
{
	struct spot spot = some_row(sh);
	unsigned int code = below(3), count;
	__u64 info = spot.pos + spot.start_size;

	count = one_in(3) ? make_path(sh, info + 1, 1U << code) :
			    make_flex(sh, info + 1, 1U << code, 0);
	put(sh, info, 1, code << 5 | count << 1);
}

/* Replace rows by many small ones, that make a long walk. */
static void many_rows(struct shape *sh)
{
	__u64 fde = some_fde(sh), at = rows_of(sh, fde);
	__u64 info = info_of(sh, fde);
	__u32 n = below(one_in(4) ? 0x10000 : 64), i;
	__u8 row = one_in(2) ? 0 : 2;

	put(sh, info, 1, 0);
	put(sh, sh->v2 ? fde + 12 : at - ATTR_SIZE, sh->v2 ? 4 : 2, n);
	for (i = 0; i < n && at + 3 < sh->size; i++) {
		put(sh, at, 1, i / 16);
		put(sh, at + 1, 1, row);
		at += row ? 3 : 2;
	}
}

static void swap_fdes(struct shape *sh)
{
	__u64 a = some_fde(sh), b = some_fde(sh);
	unsigned int size = entry_size(sh), i;
	__u8 byte;

	if (a + size > sh->size || b + size > sh->size)
		return;
	for (i = 0; i < size; i++) {
		byte = sh->bytes[a + i];
		sh->bytes[a + i] = sh->bytes[b + i];
		if (!one_in(64))
			sh->bytes[b + i] = byte;
	}
}

/* An FDE starts where the one before it does; mostly that one gets empty. */
static void share_start(struct shape *sh)
{
	__u64 fde = some_fde(sh), start;
	unsigned int width = sh->v2 ? 4 : 8;

	start = get(sh, fde, width);
	if (get(sh, 3, 1) & LW_SFRAME_PCREL)
		start -= entry_size(sh);
	put(sh, fde + entry_size(sh), width, start);
	put(sh, fde + width + (one_in(2) ? entry_size(sh) : 0), 4, 0);
}

static void swap_field(struct shape *sh, __u64 off, unsigned int size)
{
	__u64 value = get(sh, off, size);

	sh->big = !sh->big;
	put(sh, off, size, value);
	sh->big = !sh->big;
}

/* Header and FDEs, not rows: there only what is longer than a byte differs. */
static void swap_order(struct shape *sh)
{
	static const __u8 header[][2] = {
		{ 0, 2 }, { 8, 4 }, { 12, 4 }, { 16, 4 }, { 20, 4 }, { 24, 4 },
	};
	__u64 fde = sh->fde_off;
	unsigned int i;
	__u32 n;

	for (n = 0; n < sh->num_fdes && fde + 20 <= sh->size; n++) {
		if (!sh->v2)
			swap_field(sh, rows_of(sh, fde) - ATTR_SIZE, 2);
		swap_field(sh, fde, sh->v2 ? 4 : 8);
		swap_field(sh, fde + (sh->v2 ? 4 : 8), 4);
		swap_field(sh, fde + (sh->v2 ? 8 : 12), 4);
		if (sh->v2)
			swap_field(sh, fde + 12, 4);
		fde += entry_size(sh);
	}
	for (i = 0; i < 6; i++)
		swap_field(sh, header[i][0], header[i][1]);
	sh->big = !sh->big;
}

/* Another ABI, with the byte order and the fixed slots that it has. */
static void swap_abi(struct shape *sh)
{
	unsigned int abi = 1 + below(4);
	int big = abi == LW_SFRAME_ABI_AARCH64_BE ||
		  abi == LW_SFRAME_ABI_S390X;

	if (big != sh->big)
		swap_order(sh);
	put(sh, 4, 1, abi);
	put(sh, 5, 2, 0);
	if (abi == LW_SFRAME_ABI_AMD64)
		put(sh, 6, 1, -8);
}

static void resize(struct shape *sh, size_t size)
{
	size_t i;

	if (size > sh->max_size)
		size = sh->max_size;
	for (i = sh->size; i < size; i++)
		sh->bytes[i] = one_in(4) ? next() : 0;
	sh->size = size;
}

static void change_size(struct shape *sh)
{
	switch (below(4)) {
	case 0:
		resize(sh, below(sh->size) + 1);
		break;
	case 1:
		resize(sh, sh->size - below(sh->size < 8 ? sh->size : 8));
		break;
	case 2:
		/* exactly the end of the rows */
		if (sh->fre_off + sh->fre_len <= sh->max_size)
			resize(sh, sh->fre_off + sh->fre_len);
		break;
	default:
		resize(sh, sh->size + 1 + below(one_in(4) ? 512 : 16));
		break;
	}
}

/* Rows first, FDEs behind them: the order of the areas is not fixed. */
static void swap_areas(struct shape *sh)
{
	__u64 base = HDR_SIZE + get(sh, 7, 1);
	__u64 fdes = (__u64)sh->num_fdes * entry_size(sh);
	__u8 copy[1024];

	if (fdes > sizeof(copy) || sh->fde_off != base ||
	    sh->fre_off != base + fdes || sh->fre_len > sh->size ||
	    sh->fre_off + sh->fre_len > sh->size)
		return;
	memcpy(copy, sh->bytes + base, fdes);
	memmove(sh->bytes + base, sh->bytes + base + fdes, sh->fre_len);
	memcpy(sh->bytes + base + sh->fre_len, copy, fdes);
	put(sh, 20, 4, sh->fre_len);
	put(sh, 24, 4, 0);
}

/* Areas inside of the bytes and apart, as far as that goes by lengths. */
static void fit_areas(struct shape *sh)
{
	__u64 base = HDR_SIZE + get(sh, 7, 1), room;

	if (base > sh->size) {
		put(sh, 7, 1, 0);
		base = HDR_SIZE;
	}
	parse(sh);
	if (sh->size < base + entry_size(sh))
		return;
	room = (sh->size - base) / entry_size(sh);
	if (!sh->num_fdes || sh->num_fdes > room)
		put(sh, 8, 4, 1 + below(room < 8 ? room : 8));
	parse(sh);
	if (sh->fde_off + (__u64)sh->num_fdes * entry_size(sh) > sh->size) {
		put(sh, 20, 4, 0);
		parse(sh);
	}
	if (sh->fre_off > sh->size ||
	    (sh->fre_off >= sh->fde_off &&
	     sh->fre_off < sh->fde_off + sh->num_fdes * entry_size(sh)))
		put(sh, 24, 4, sh->fde_off - base +
			       sh->num_fdes * entry_size(sh));
	parse(sh);
	if (sh->fre_off <= sh->size && sh->fre_len > sh->size - sh->fre_off)
		put(sh, 16, 4, sh->size - sh->fre_off);
}

/* What lw_sframe_open() looks at: one wrong byte, and nothing else is seen. */
static void let_pass(struct shape *sh)
{
	unsigned int abi = get(sh, 4, 1);

	if (sh->size < HDR_SIZE)
		return;
	sh->big = abi == LW_SFRAME_ABI_AARCH64_BE || abi == LW_SFRAME_ABI_S390X;
	put(sh, 0, 2, 0xdee2);
	if (get(sh, 2, 1) != 2)
		put(sh, 2, 1, 3);
	put(sh, 3, 1, (get(sh, 3, 1) & LW_SFRAME_PCREL) | LW_SFRAME_SORTED);
	if (abi < 1 || abi > 4)
		put(sh, 4, 1, LW_SFRAME_ABI_AMD64 - sh->big);
	put(sh, 5, 1, 0);
	put(sh, 6, 1, get(sh, 4, 1) == LW_SFRAME_ABI_AMD64 ? -8 : 0);
	fit_areas(sh);
}

static void change_control(__u8 *control)
{
	unsigned int i = below(CONTROL);

	if (one_in(3))
		i = CTL_PC + below(NUM_PCS);
	control[i] = one_in(2) ? next() : control[i] ^ 1U << below(8);
}

/*
 * Long walks, races and sections that can't be opened are met, but not each
 * time: a run of them would take most of the time and find little.
 */
static void tame_control(__u8 *control, const struct shape *sh)
{
	__u8 *mode = &control[CTL_MODE];
	__u8 place = *mode & PLACE_MASK;

	if ((*mode & MODE_MASK) == MODE_STRETCH && !one_in(32))
		*mode &= ~MODE_MASK;
	/* nothing of a race guides libFuzzer, so that none would come back */
	if (one_in(16))
		*mode = (*mode & ~MODE_MASK) | MODE_RACE;
	if (place >= PLACE_WRAPS && !one_in(16))
		*mode &= ~PLACE_MASK;
	if (!one_in(8))
		control[CTL_ABI] = one_in(2) || sh->size < HDR_SIZE ?
					   0 : sh->bytes[4];
}

static void mutate_section(struct shape *sh)
{
	switch (below(20)) {
	case 0:
		change_header(sh);
		break;
	case 1 ... 4:
		change_fde(sh);
		break;
	case 5 ... 9:
		change_row(sh);
		break;
	case 10:
		change_kind(sh);
		break;
	case 11 ... 12:
		flex_row(sh);
		break;
	case 13:
		many_rows(sh);
		break;
	case 14:
		swap_fdes(sh);
		break;
	case 15:
		share_start(sh);
		break;
	case 16:
		swap_abi(sh);
		break;
	case 17:
		put(sh, one_in(2) ? 2 : 3, 1, one_in(2) ? 2 + below(2) :
							  1 + 4 * below(2));
		break;
	case 18:
		change_size(sh);
		break;
	default:
		swap_areas(sh);
		break;
	}
}

/**
 * LLVMFuzzerCustomMutator() - change an input
 * @data: the input, with room for @max_size bytes
 * @size: bytes of it
 * @max_size: bytes that it may have
 * @seed: of all that is random here
 *
 * Return: bytes that it has now.
 */
size_t LLVMFuzzerCustomMutator(__u8 *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct shape sh = {
		.bytes = data + CONTROL,
		.size = size - CONTROL,
		.max_size = max_size - CONTROL,
	};
	unsigned int n;

	state = seed;
	next();
	if (size < CONTROL + HDR_SIZE || max_size < size || one_in(3)) {
		size = LLVMFuzzerMutate(data, size, max_size);
		if (size < CONTROL + HDR_SIZE)
			return size;
		sh.size = size - CONTROL;
	} else {
		for (n = 1 + below(3); n--;) {
			parse(&sh);
			mutate_section(&sh);
		}
	}
	if (one_in(4))
		change_control(data);
	parse(&sh);
	if (!one_in(LW_FUZZ_LET_PASS))
		let_pass(&sh);
	tame_control(data, &sh);
	return CONTROL + sh.size;
}

/* An FDE and its rows from another section, in the place of one. */
static void graft(struct shape *to, const struct shape *from)
{
	__u64 fde = some_fde(to), other = some_fde(from);
	__u64 rows = rows_of(from, other), len, at = to->size, info;

	if (!from->v2)
		rows -= ATTR_SIZE;
	if (rows >= from->size || to->v2 != from->v2 || to->big != from->big ||
	    at < to->fre_off || fde + entry_size(to) > at ||
	    other + entry_size(from) > from->size)
		return;
	len = from->size - rows;
	if (len > 256)
		len = 256;
	if (len > to->max_size - at)
		len = to->max_size - at;
	memcpy(to->bytes + at, from->bytes + rows, len);
	to->size += len;
	put(to, 16, 4, to->size - to->fre_off);
	put(to, fde + (to->v2 ? 8 : 12), 4, at - to->fre_off);
	if (to->v2) {
		info = get(from, other + 16, 1);
		put(to, fde + 12, 4, get(from, other + 12, 4));
		put(to, fde + 16, 1, info);
		put(to, fde + 17, 1, get(from, other + 17, 1));
	}
	/* rows of a longer function need one */
	if (one_in(2))
		put(to, fde + (to->v2 ? 4 : 8), 4,
		    get(from, other + (to->v2 ? 4 : 8), 4));
}

/**
 * LLVMFuzzerCustomCrossOver() - make an input of two
 * @a: the one, of which most is taken
 * @a_size: bytes of it
 * @b: the other
 * @b_size: bytes of it
 * @out: the new one
 * @max_size: bytes that it may have
 * @seed: of all that is random here
 *
 * Return: bytes that it has.
 */
size_t LLVMFuzzerCustomCrossOver(const __u8 *a, size_t a_size, const __u8 *b,
				 size_t b_size, __u8 *out, size_t max_size,
				 unsigned int seed)
{
	struct shape to = { .bytes = out + CONTROL };
	struct shape from = { .bytes = (__u8 *)b + CONTROL };

	if (a_size > max_size)
		a_size = max_size;
	memcpy(out, a, a_size);
	if (a_size < CONTROL + HDR_SIZE || b_size < CONTROL + HDR_SIZE)
		return a_size;
	state = seed;
	next();
	to.size = a_size - CONTROL;
	to.max_size = max_size - CONTROL;
	from.size = b_size - CONTROL;
	parse(&to);
	parse(&from);
	if (one_in(8))
		memcpy(out, b, CONTROL);
	graft(&to, &from);
	return CONTROL + to.size;
}
