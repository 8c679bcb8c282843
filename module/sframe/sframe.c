// SPDX-License-Identifier: GPL-2.0
/*
 * sframe.c - a reader of SFrame sections, versions 2 and 3.
 *
 * Pure: bytes come from lw_sframe_source, nothing is allocated, no state
 * outlives a call.  Contexts are therefore those of its read(): if that may
 * sleep, so may every function here, otherwise none does.
 *
 * A section is
 *
 *	header		28 bytes, then an auxiliary header of stated length
 *	FDE array	one entry a function, sorted by start address
 *	FRE area	each function's rows, of variable length, never aligned;
 *			in version 3 after an attribute of 5 bytes
 *
 * All input is hostile, and may change between two reads of the same bytes:
 * each byte that decides something is read once, checked and used from the
 * copy.  Offsets in the section are added up in 64 bits, or from terms that were
 * seen to be inside of it.
 * Each loop has a constant bound.
 *
 * Versions differ in read_entry() and read_attribute(), ABIs in the table
 * of sframe_format.h; the search and the walk over the rows are the same for
 * all of them.
 */
#include <linux/types.h>

#include "sframe.h"
#include "sframe_format.h"
#include "sframe_rows.h"

static int check_version(const struct lw_sframe *sf)
{
	unsigned int known;

	switch (sf->version) {
	case VERSION_2:
		known = FLAGS_V2;
		break;
	case VERSION_3:
		known = FLAGS_V3;
		break;
	default:
		return LW_SFRAME_UNKNOWN_VERSION;
	}

	/* an unknown flag may change the meaning of anything */
	if (sf->flags & ~known)
		return LW_SFRAME_UNKNOWN_FLAG;
	/* without the promise a look-up would be a scan of 1e5 entries */
	if (!(sf->flags & LW_SFRAME_SORTED))
		return LW_SFRAME_UNSORTED;
	return 0;
}

static int check_abi(const struct lw_sframe *sf, unsigned int wanted)
{
	const struct abi *abi;
	int swap;

	if (sf->abi == LW_SFRAME_ABI_ANY || sf->abi > LW_SFRAME_ABI_S390X)
		return LW_SFRAME_OTHER_ABI;
	abi = &abis[sf->abi];
	swap = abi->big_endian != is_big_endian();
	if (sf->swap != swap)
		return LW_SFRAME_FOREIGN_ORDER;
	if (wanted != LW_SFRAME_ABI_ANY && wanted != sf->abi)
		return LW_SFRAME_OTHER_ABI;
	/* any other would also change what the words of a row are */
	if (sf->fixed_ra != abi->fixed_ra || sf->fixed_fp)
		return LW_SFRAME_BAD_FIXED_SLOT;
	return 0;
}

static __always_inline unsigned int entry_size(struct mode mode)
{
	return mode.version == VERSION_2 ? V2_SIZE : V3_SIZE;
}

/* Header, FDE array and FRE area: in this section, none on top of another. */
static int check_layout(const struct lw_sframe *sf)
{
	__u64 fde_end = sf->fde_off + (__u64)sf->num_fdes * entry_size(mode_of(sf));
	__u64 fre_end = sf->fre_off + sf->fre_len;

	/* an array of one at least, for the search; and not absurdly many */
	if (!sf->num_fdes)
		return LW_SFRAME_NO_FDES;
	if (sf->num_fdes > LW_SFRAME_MAX_FDES)
		return LW_SFRAME_TOO_MANY_FDES;

	/* says the same of the auxiliary header, as that ends before them */
	if (fde_end > sf->src->size)
		return LW_SFRAME_FDES_OUTSIDE;
	if (fre_end > sf->src->size)
		return LW_SFRAME_ROWS_OUTSIDE;
	/* what is an FDE to one look-up must not be a row to another */
	if (sf->fre_off < fde_end && sf->fde_off < fre_end)
		return LW_SFRAME_AREAS_OVERLAP;
	return 0;
}

static int read_header(struct lw_sframe *sf)
{
	__u8 buf[HDR_SIZE];
	struct mode mode;
	const __u8 *hdr;
	__u64 base;
	__u16 magic;
	int err;

	err = get_bytes(sf->src, buf, 0, HDR_SIZE, &hdr);
	if (err)
		return err;

	magic = LOAD(__u16, hdr);
	sf->swap = magic == __builtin_bswap16(MAGIC);
	if (!sf->swap && magic != MAGIC)
		return LW_SFRAME_BAD_MAGIC;

	mode = mode_of(sf);
	sf->version = load_u8(hdr + HDR_VERSION);
	sf->flags = load_u8(hdr + HDR_FLAGS);
	sf->abi = load_u8(hdr + HDR_ABI);
	sf->fixed_fp = (__s8)load_u8(hdr + HDR_FIXED_FP);
	sf->fixed_ra = (__s8)load_u8(hdr + HDR_FIXED_RA);
	sf->auxhdr_len = load_u8(hdr + HDR_AUX_LEN);
	sf->num_fdes = load_u32(mode, hdr + HDR_NUM_FDES);
	sf->num_fres = load_u32(mode, hdr + HDR_NUM_FRES);
	sf->fre_len = load_u32(mode, hdr + HDR_FRE_LEN);
	base = HDR_SIZE + (__u64)sf->auxhdr_len;
	sf->fde_off = base + load_u32(mode, hdr + HDR_FDEOFF);
	sf->fre_off = base + load_u32(mode, hdr + HDR_FREOFF);
	return 0;
}

/**
 * lw_sframe_open() - check the header of a section
 * @sf: filled on success, undefined otherwise
 * @src: where the bytes come from; must live as long as @sf.  Its size may be
 *	larger than the section, as program headers round it up.
 * @place: where section and text are in the task
 * @abi: LW_SFRAME_ABI_* that is wanted, LW_SFRAME_ABI_ANY for all of them
 *
 * Reads the header, once.  The section is not searched or walked here: that
 * its entries are sound is checked at each look-up, for those it touches.
 *
 * Context: that of @src->read().
 * Return: LW_SFRAME_OK; LW_SFRAME_FOREIGN_ORDER to LW_SFRAME_OTHER_ABI,
 * LW_SFRAME_TOO_MANY_FDES, LW_SFRAME_BAD_RANGE to LW_SFRAME_AREAS_OVERLAP; or
 * what @src->read() returned.
 */
int lw_sframe_open(struct lw_sframe *sf, const struct lw_sframe_source *src,
		   const struct lw_sframe_place *place, unsigned int abi)
{
	int err;

	if (place->text_start >= place->text_end ||
	    place->addr + src->size < place->addr)
		return LW_SFRAME_BAD_RANGE;

	*sf = (struct lw_sframe){ .src = src, .place = *place };
	err = read_header(sf);
	if (err)
		return err;
	err = check_version(sf);
	if (err)
		return err;
	err = check_abi(sf, abi);
	if (err)
		return err;
	return check_layout(sf);
}

/* Bytes of an entry: the array is inside of the section, see check_layout(). */
static __always_inline int
get_entry(const struct lw_sframe *sf, struct mode mode, void *buf, __u64 pos,
	  __u32 len, const __u8 **entry)
{
	if (!mode.direct)
		return get_bytes(sf->src, buf, pos, len, entry);
	*entry = (const __u8 *)sf->src->bytes + pos;
	return 0;
}

/*
 * The value is signed: text may lie below the section or above it.  Relative
 * to the start of the section is what ld 2.44 means; the specification of that
 * version has it otherwise.
 */
static __always_inline __u64
entry_start(const struct lw_sframe *sf, struct mode mode, const __u8 *entry,
	    __u64 pos)
{
	/* all ones or none, as a branch would be slower in a search */
	__u64 pcrel = sf->flags & LW_SFRAME_PCREL ? ~0ULL : 0;
	__u64 base = sf->place.addr + (pos & pcrel);

	if (mode.version == VERSION_2)
		return base + (__u64)(__s64)(__s32)load_u32(mode, entry + V2_START);
	return base + load_u64(mode, entry + V3_START);
}

static __always_inline int
read_start(const struct lw_sframe *sf, struct mode mode, __u64 pos,
	   __u64 *start)
{
	const __u8 *entry;
	__u8 buf[8];
	int err;

	err = get_entry(sf, mode, buf, pos, mode.version == VERSION_2 ? 4 : 8,
			&entry);
	if (!err)
		*start = entry_start(sf, mode, entry, pos);
	return err;
}

/* Bytes of the start of each row of a function, or 0 if the type is unknown. */
static __always_inline __u8 row_start_size(__u8 info)
{
	return FDE_ROW_TYPE(info) > 2 ? 0 : 1U << FDE_ROW_TYPE(info);
}

/* No check here: an FDE that is only passed by may be anything. */
static __always_inline int
read_entry(const struct lw_sframe *sf, struct mode mode, __u64 pos,
	   struct lw_sframe_fde *fde)
{
	const __u8 *entry;
	__u8 buf[V2_SIZE];
	__u8 info;
	int err;

	err = get_entry(sf, mode, buf, pos, entry_size(mode), &entry);
	if (err)
		return err;

	fde->start = entry_start(sf, mode, entry, pos);
	if (mode.version != VERSION_2) {
		fde->size = load_u32(mode, entry + V3_FUNC_SIZE);
		fde->rows = load_u32(mode, entry + V3_ATTR_OFF);
		return 0;
	}
	fde->size = load_u32(mode, entry + V2_FUNC_SIZE);
	fde->rows = load_u32(mode, entry + V2_FRE_OFF);
	fde->num_rows = load_u32(mode, entry + V2_NUM_FRES);
	info = load_u8(entry + V2_INFO);
	fde->start_size = row_start_size(info);
	fde->mask = !!(info & FDE_MASK);
	fde->pauth_b = !!(info & FDE_PAUTH_B);
	fde->rep_size = load_u8(entry + V2_REP_SIZE);
	fde->type = LW_SFRAME_DEFAULT;
	fde->signal = 0;
	return 0;
}

/* Version 3: the rest of an FDE; the rows come behind it. */
static __always_inline int
read_attribute(const struct lw_sframe *sf, struct mode mode,
	       struct lw_sframe_fde *fde)
{
	const __u8 *attr;
	__u8 buf[ATTR_SIZE];
	__u8 info;
	int err;

	if (fde->rows > sf->fre_len || ATTR_SIZE > sf->fre_len - fde->rows)
		return LW_SFRAME_FUNC_ROWS_OUTSIDE;
	err = get_entry(sf, mode, buf, sf->fre_off + fde->rows, ATTR_SIZE,
			&attr);
	if (err)
		return err;
	fde->num_rows = load_u16(mode, attr + ATTR_NUM_FRES);
	info = load_u8(attr + ATTR_INFO);
	fde->start_size = row_start_size(info);
	fde->mask = !!(info & FDE_MASK);
	fde->pauth_b = !!(info & FDE_PAUTH_B);
	fde->signal = !!(info & FDE_SIGNAL);
	fde->type = FDE_TYPE(load_u8(attr + ATTR_INFO2));
	fde->rep_size = load_u8(attr + ATTR_REP_SIZE);
	fde->rows += ATTR_SIZE;
	return 0;
}

static __always_inline int
check_fde(const struct lw_sframe *sf, const struct lw_sframe_fde *fde)
{
	const struct lw_sframe_place *place = &sf->place;

	/* no word on code that is not this section's */
	if (fde->start < place->text_start || fde->start >= place->text_end ||
	    fde->size > place->text_end - fde->start)
		return LW_SFRAME_FUNC_OUTSIDE;

	if (!fde->start_size)
		return LW_SFRAME_BAD_ROW_TYPE;
	if (fde->type > LW_SFRAME_FLEX && (fde->type != LW_SFRAME_PATH || !place->paths))
		return LW_SFRAME_UNKNOWN_FDE_TYPE;

	/* the divisor; ignored otherwise, as ld sets it on PLT0 too */
	if (fde->mask && (!fde->rep_size || fde->rep_size > fde->size))
		return LW_SFRAME_BAD_BLOCK_SIZE;

	/* rows begin in the area, and there is room for that many */
	if (fde->rows > sf->fre_len ||
	    fde->num_rows > (sf->fre_len - fde->rows) / MIN_ROW)
		return LW_SFRAME_FUNC_ROWS_OUTSIDE;
	return 0;
}

/* What read_entry() began. */
static __always_inline int
finish_fde(const struct lw_sframe *sf, struct mode mode,
	   struct lw_sframe_fde *fde)
{
	int err;

	if (mode.version != VERSION_2) {
		err = read_attribute(sf, mode, fde);
		if (err)
			return err;
	}
	return check_fde(sf, fde);
}

/*
 * Buckets of the least power of two with which the text needs at most room;
 * of 2^63 bytes two will do for any.
 */
static void size_index(const struct lw_sframe *sf,
		       struct lw_sframe_index *index, __u32 room)
{
	__u64 last = sf->place.text_end - sf->place.text_start - 1;

	index->start = sf->place.text_start;
	index->shift = 0;
	while (last >> index->shift >= room)
		index->shift++;
	index->buckets = (__u32)(last >> index->shift) + 1;
}

/**
 * lw_sframe_add_index() - make look-ups in a section quicker
 * @sf: section that lw_sframe_open() took; used with the index from now on, if
 *	this succeeds
 * @index: filled; must live as long as @sf
 * @first: memory for it, @room + 1 of them
 * @room: at least 2; one for every one to four FDEs is best
 *
 * Reads the start of each FDE, so it pays for tables that are used often.  No
 * result of a look-up depends on whether there is an index, as long as the
 * bytes don't change.
 *
 * Context: that of read().
 * Return: LW_SFRAME_OK; LW_SFRAME_BAD_RANGE: too little room;
 * LW_SFRAME_BAD_ORDER; or what read() returned.
 */
int lw_sframe_add_index(struct lw_sframe *sf, struct lw_sframe_index *index,
			__u32 *first, __u32 room)
{
	__u64 start, last, before = 0, bucket = 0, pos = sf->fde_off;
	struct mode mode = mode_of(sf);
	__u32 i;
	int err;

	if (room < 2)
		return LW_SFRAME_BAD_RANGE;
	size_index(sf, index, room);
	index->first = first;
	for (i = 0; i < sf->num_fdes; i++, pos += entry_size(mode)) {
		err = read_start(sf, mode, pos, &start);
		if (err)
			return err;
		if (start < before)
			return LW_SFRAME_BAD_ORDER;
		before = start;
		if (start <= index->start)
			continue;
		/* those that begin before this FDE begin in the one before it */
		last = (start - 1 - index->start) >> index->shift;
		while (bucket <= index->buckets && bucket <= last)
			first[bucket++] = i ? i - 1 : 0;
	}
	while (bucket <= index->buckets)
		first[bucket++] = sf->num_fdes - 1;
	sf->index = index;
	return 0;
}

/**
 * lw_sframe_get_fde() - one function of a section
 * @sf: section that lw_sframe_open() took
 * @idx: its number, from 0
 * @fde: filled on success; on failure what was read so far, or nothing
 *
 * Context: that of read().
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: there is no such number;
 * LW_SFRAME_UNKNOWN_FDE_TYPE; LW_SFRAME_FUNC_OUTSIDE to
 * LW_SFRAME_FUNC_ROWS_OUTSIDE; or what read() returned.
 */
int lw_sframe_get_fde(const struct lw_sframe *sf, __u32 idx,
		      struct lw_sframe_fde *fde)
{
	struct mode mode = mode_of(sf);
	int err;

	*fde = (struct lw_sframe_fde){ 0 };
	if (idx >= sf->num_fdes)
		return LW_SFRAME_NO_RULE;
	err = read_entry(sf, mode, sf->fde_off + (__u64)idx * entry_size(mode),
			 fde);
	if (err)
		return err;
	return finish_fde(sf, mode, fde);
}

/* The two probes that may come next. */
static __always_inline void
prefetch_starts(const struct lw_sframe *sf, __u64 pos, __u64 probe, __u64 next)
{
	const __u8 *bytes = sf->src->bytes;

	__builtin_prefetch(bytes + pos + next);
	__builtin_prefetch(bytes + probe + next);
}

/* FDEs among which one for pc must be. */
struct bracket {
	__u64	pos;		/* first, in the section */
	__u32	num;		/* at least 1 */
};

static __always_inline struct bracket
bracket_of(const struct lw_sframe *sf, struct mode mode, __u64 pc)
{
	const struct lw_sframe_index *index = sf->index;
	struct bracket bracket = { sf->fde_off, sf->num_fdes };
	__u64 bucket;
	__u32 first;

	if (!index || pc < index->start)
		return bracket;
	bucket = (pc - index->start) >> index->shift;
	if (bucket >= index->buckets)
		return bracket;
	first = index->first[bucket];
	bracket.pos += (__u64)first * entry_size(mode);
	bracket.num = index->first[bucket + 1] - first + 1;
	return bracket;
}

/*
 * The last FDE that does not start behind pc, or the first.  Ends after
 * log2(num_fdes) probes whatever is read; a probe outside of the bracket of
 * those before shows that the array is not sorted.  Equal starts are sorted:
 * there are FDEs of size 0.
 *
 * Both probes that may come next are fetched ahead: where the array is larger
 * than the cache, waiting for them is what a search costs.
 */
static __always_inline int
search(const struct lw_sframe *sf, struct mode mode, __u64 pc, __u64 *found)
{
	struct bracket bracket = bracket_of(sf, mode, pc);
	__u64 low = 0, high = ~0ULL, start, pos = bracket.pos, probe;
	unsigned int size = entry_size(mode), unsorted = 0;
	__u32 n = bracket.num, half;
	int err, upper;

	while (n > 1) {
		half = n / 2;
		n -= half;
		probe = pos + (__u64)half * size;
		if (mode.direct)
			prefetch_starts(sf, pos, probe, (__u64)(n / 2) * size);
		err = read_start(sf, mode, probe, &start);
		if (err)
			return err;
		unsorted |= (start < low) | (start > high);
		upper = start <= pc;
		pos = upper ? probe : pos;
		low = upper ? start : low;
		high = upper ? high : start;
	}
	*found = pos;
	return unsorted ? LW_SFRAME_BAD_ORDER : 0;
}

static __always_inline int covers(const struct lw_sframe_fde *fde, __u64 pc)
{
	/* a start behind pc gives more than any size; a size of 0 has none */
	return pc - fde->start < fde->size;
}

/*
 * Where several FDEs start at the same address, the search ends at the last of
 * them, which may be an empty one.
 */
static int find_before_empty(const struct lw_sframe *sf, __u64 pc, __u64 pos,
			     __u64 start, struct lw_sframe_fde *fde)
{
	struct mode mode = mode_of(sf);
	unsigned int steps;
	int err;

	for (steps = 0; steps < LW_SFRAME_MAX_EMPTY; steps++) {
		if (pos == sf->fde_off)
			return LW_SFRAME_NO_RULE;
		pos -= entry_size(mode);
		err = read_entry(sf, mode, pos, fde);
		if (err)
			return err;
		if (fde->start != start)
			return LW_SFRAME_NO_RULE;
		if (covers(fde, pc))
			return 0;
	}
	return LW_SFRAME_TOO_MANY_EMPTY;
}

/* The FDE that covers pc, whole and checked. */
static __always_inline int
find_fde(const struct lw_sframe *sf, struct mode mode, __u64 pc,
	 struct lw_sframe_fde *fde)
{
	struct lw_sframe_fde other = { 0 };
	__u64 pos;
	int err;

	err = search(sf, mode, pc, &pos);
	if (err)
		return err;
	err = read_entry(sf, mode, pos, fde);
	if (err)
		return err;
	if (!covers(fde, pc)) {
		err = find_before_empty(sf, pc, pos, fde->start, &other);
		if (err)
			return err;
		*fde = other;
	}
	return finish_fde(sf, mode, fde);
}

static int find_slowly(const struct lw_sframe *sf, struct lw_sframe_fde fde,
		       __u32 key, struct lw_rule *rule, __u32 *budget)
{
	struct lw_sframe_window win;
	struct found found;
	int err;

	win.pos = 0;
	win.len = 0;
	err = find_row(sf, &win, &fde, key, &found, budget);
	if (err)
		return err;
	return decode_row(sf, mode_of(sf), &fde, &found, rule);
}

static __always_inline int find(const struct lw_sframe *sf, struct mode mode,
				__u64 pc, struct lw_rule *rule, __u32 *budget)
{
	struct lw_sframe_fde fde;
	struct found found;
	__u32 key;
	int err;

	err = find_fde(sf, mode, pc, &fde);
	if (err)
		return err;
	if (lw_sframe_has_no_caller(sf, &fde)) {
		set_outermost(rule);
		return 0;
	}

	/* fits: covers() holds, so it is less than the size */
	key = (__u32)(pc - fde.start);
	if (fde.mask)
		key %= fde.rep_size;

	if (!mode.direct || !quick_row(sf, mode, &fde, key, &found, budget))
		return find_slowly(sf, fde, key, rule, budget);
	return decode_row(sf, mode, &fde, &found, rule);
}

/**
 * lw_sframe_find_within() - the rule for one address, for a price
 * @sf: section that lw_sframe_open() took
 * @pc: address of an instruction, or one less than a return address
 * @rule: filled on success, untouched otherwise
 * @budget: rows that may be looked at, of which those that were are taken off; four
 *	for one where they are not all in memory, or the first of them are unsound
 *
 * Calls read() LW_SFRAME_MAX_READS times at the very most; with a sound
 * section about log2(FDEs) + 3 times.
 *
 * The rule is what the section says: whether a CFA or a slot makes sense on
 * the stack at hand is for the caller to check.
 *
 * Context: that of read(); uses about 750 bytes of stack.
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: nothing is known of @pc, as it is not
 * in the text, between two functions, or before a function's first row;
 * LW_SFRAME_UNKNOWN_FDE_TYPE; LW_SFRAME_TOO_MANY_EMPTY,
 * LW_SFRAME_TOO_MANY_ROWS: a bound, or the budget, ran out; LW_SFRAME_BAD_ORDER and all that
 * follow: corrupt where it was looked at; or what read() returned.
 */
int lw_sframe_find_within(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule,
			  __u32 *budget)
{
	const struct mode v2 = { .version = VERSION_2, .direct = 1 };
	const struct mode v3 = { .version = VERSION_3, .direct = 1 };

	if (pc < sf->place.text_start || pc >= sf->place.text_end)
		return LW_SFRAME_NO_RULE;

	/* the same three times: with constants for what is usual */
	if (sf->src->bytes && !sf->swap)
		return sf->version == VERSION_2 ? find(sf, v2, pc, rule, budget) :
						  find(sf, v3, pc, rule, budget);
	return find(sf, mode_of(sf), pc, rule, budget);
}

/**
 * lw_sframe_find() - the rule for one address, whatever it costs
 * @sf: section that lw_sframe_open() took
 * @pc: address of an instruction, or one less than a return address
 * @rule: filled on success, untouched otherwise
 *
 * Context: that of read(); uses about 750 bytes of stack.
 * Return: as lw_sframe_find_within().
 */
int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule)
{
	__u32 budget = ~0U;

	return lw_sframe_find_within(sf, pc, rule, &budget);
}

/**
 * lw_sframe_first_row() - begin a walk over the rows of a function
 * @cursor: filled
 * @sf: section that lw_sframe_open() took; must live as long as @cursor
 * @fde: function, from lw_sframe_get_fde()
 *
 * Context: any.
 */
void lw_sframe_first_row(struct lw_sframe_cursor *cursor,
			 const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde)
{
	cursor->sf = sf;
	cursor->fde = *fde;
	cursor->next = 0;
	cursor->pos = fde->rows;
	cursor->start = 0;
	cursor->window.pos = 0;
	cursor->window.len = 0;
}

/**
 * lw_sframe_next_row() - the next row of a function
 * @cursor: from lw_sframe_first_row()
 * @row: filled on success, undefined otherwise
 *
 * Context: that of read().
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: there are no more;
 * LW_SFRAME_TOO_MANY_ROWS; LW_SFRAME_ROW_OUTSIDE to LW_SFRAME_BAD_OFFSET; or
 * what read() returned.  After a failure the walk is where it was.
 */
int lw_sframe_next_row(struct lw_sframe_cursor *cursor,
		       struct lw_sframe_row *row)
{
	const struct lw_sframe *sf = cursor->sf;
	const struct lw_sframe_fde *fde = &cursor->fde;
	__u32 head_len = fde->start_size + 1U;
	struct found found;
	struct head head;
	int err;

	if (cursor->next >= cursor->fde.num_rows)
		return LW_SFRAME_NO_RULE;
	if (cursor->next == LW_SFRAME_MAX_ROWS)
		return LW_SFRAME_TOO_MANY_ROWS;
	err = read_head(sf, &cursor->window, fde, cursor->pos, &head);
	if (err)
		return err;
	if (head.start < cursor->start)
		return LW_SFRAME_BAD_ROW_ORDER;
	found.start = head.start;
	found.info = head.info;
	err = peek(sf, &cursor->window, cursor->pos + head_len,
		   head.len - head_len, &found.words);
	if (err)
		return err;
	err = decode_row(sf, mode_of(sf), fde, &found, &row->rule);
	if (err)
		return err;
	row->start = head.start;
	row->pos = cursor->pos;
	row->end = cursor->pos + head.len;
	row->info = head.info;

	cursor->next++;
	cursor->pos = row->end;
	cursor->start = head.start;
	return 0;
}
