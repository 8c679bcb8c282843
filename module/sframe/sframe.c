// SPDX-License-Identifier: GPL-2.0
/*
 * sframe.c - a reader of SFrame sections, versions 2 and 3.
 *
 * A section is
 *
 *	header		28 bytes, then an auxiliary header of stated length
 *	FDE array	one entry a function, sorted by start address
 *	FRE area	each function's rows, of variable length, never aligned;
 *			in version 3 behind an attribute of 5 bytes
 *
 * All input is hostile and may change between two reads of the same bytes: each
 * byte that decides something is read once, checked, and used from the copy.
 * Offsets are added up in 64 bits, or their terms were found to be inside of the
 * section.  Each loop has a constant bound.
 *
 * Versions differ in read_entry() and read_attribute(), ABIs in the hooks of
 * sframe_format.h.
 *
 * Context: that of read(); if that may sleep, so may every function here.
 */
#include <linux/types.h>

#include "sframe.h"
#include "sframe_decode.h"
#include "sframe_format.h"

/* Constants in the usual cases, for which find() is built. */
struct mode {
	unsigned int version;
	int	direct;		/* the bytes are in memory */
};

static __always_inline struct mode mode_of(const struct lw_sframe *sf)
{
	return (struct mode){ sf->version, !!sf->src->bytes };
}

/* Bytes that the caller found to be inside of the section: in place, or read to buf. */
static __always_inline int
get_bytes(const struct lw_sframe *sf, struct mode mode, void *buf, __u64 off,
	  __u32 len, const __u8 **bytes)
{
	const struct lw_sframe_source *src = sf->src;

	*bytes = mode.direct ? (const __u8 *)src->bytes + off : buf;
	return mode.direct ? 0 : src->read(src, buf, off, len);
}

/* The header */

static int check_version(const struct lw_sframe *sf)
{
	unsigned int known;

	if (sf->version == VERSION_2)
		known = FLAGS_V2;
	else if (sf->version == VERSION_3)
		known = FLAGS_V3;
	else
		return LW_SFRAME_UNKNOWN_VERSION;

	/* an unknown flag may change the meaning of anything */
	if (sf->flags & ~known)
		return LW_SFRAME_UNKNOWN_FLAG;
	/* a look-up would scan 1e5 entries */
	if (!(sf->flags & LW_SFRAME_SORTED))
		return LW_SFRAME_UNSORTED;
	return 0;
}

static int check_abi(const struct lw_sframe *sf, unsigned int wanted)
{
	if (!is_known_abi(sf->abi) ||
	    (wanted != LW_SFRAME_ABI_ANY && wanted != sf->abi))
		return LW_SFRAME_OTHER_ABI;
	/* other slots would change the meaning of the words of a row */
	if (sf->fixed_ra != abi_of(sf)->ra.off || sf->fixed_fp)
		return LW_SFRAME_BAD_FIXED_SLOT;
	return 0;
}

static __always_inline unsigned int entry_size(struct mode mode)
{
	return mode.version == VERSION_2 ? V2_SIZE : V3_SIZE;
}

static int check_layout(const struct lw_sframe *sf)
{
	__u64 fde_end = sf->fde_off + (__u64)sf->num_fdes * entry_size(mode_of(sf));
	__u64 fre_end = sf->fre_off + sf->fre_len;

	/* the search begins with one FDE at least */
	if (!sf->num_fdes)
		return LW_SFRAME_NO_FDES;
	if (sf->num_fdes > LW_SFRAME_MAX_FDES)
		return LW_SFRAME_TOO_MANY_FDES;

	/* covers the auxiliary header, which ends before the array */
	if (fde_end > sf->src->size)
		return LW_SFRAME_FDES_OUTSIDE;
	if (fre_end > sf->src->size)
		return LW_SFRAME_ROWS_OUTSIDE;
	/* the same bytes must not be an FDE and a row */
	if (sf->fre_off < fde_end && sf->fde_off < fre_end)
		return LW_SFRAME_AREAS_OVERLAP;
	return 0;
}

static int read_header(struct lw_sframe *sf)
{
	__u8 buf[HDR_SIZE];
	const __u8 *hdr;
	__u64 base;
	__u16 magic;
	int err;

	if (sf->src->size < HDR_SIZE)
		return LW_SFRAME_TOO_SHORT;
	err = get_bytes(sf, mode_of(sf), buf, 0, HDR_SIZE, &hdr);
	if (err)
		return err;

	/* first, as it tells the order of the numbers */
	sf->abi = load_u8(hdr + HDR_ABI);
	magic = load_u16(sf, hdr);
	if (magic == __builtin_bswap16(MAGIC))
		return is_known_abi(sf->abi) ? LW_SFRAME_FOREIGN_ORDER :
					       LW_SFRAME_OTHER_ABI;
	if (magic != MAGIC)
		return LW_SFRAME_BAD_MAGIC;

	sf->version = load_u8(hdr + HDR_VERSION);
	sf->flags = load_u8(hdr + HDR_FLAGS);
	sf->fixed_fp = (__s8)load_u8(hdr + HDR_FIXED_FP);
	sf->fixed_ra = (__s8)load_u8(hdr + HDR_FIXED_RA);
	sf->auxhdr_len = load_u8(hdr + HDR_AUX_LEN);
	sf->num_fdes = load_u32(sf, hdr + HDR_NUM_FDES);
	sf->num_fres = load_u32(sf, hdr + HDR_NUM_FRES);
	sf->fre_len = load_u32(sf, hdr + HDR_FRE_LEN);
	base = HDR_SIZE + (__u64)sf->auxhdr_len;
	sf->fde_off = base + load_u32(sf, hdr + HDR_FDEOFF);
	sf->fre_off = base + load_u32(sf, hdr + HDR_FREOFF);
	return 0;
}

/**
 * lw_sframe_open() - check the header of a section
 * @sf: filled on success, undefined otherwise
 * @src: the section's bytes; must live as long as @sf
 * @place: where section and text are in the task
 * @abi: LW_SFRAME_ABI_* that is wanted, LW_SFRAME_ABI_ANY for all known ones
 *
 * Reads the header, once.  FDEs and rows are checked by the look-ups that touch them.
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

/* FDEs */

/*
 * The value is signed: text may lie below the section or above it.  Without
 * PCREL it counts from the start of the section, as ld 2.44 writes it; the
 * specification of that version says otherwise.
 */
static __always_inline __u64
entry_start(const struct lw_sframe *sf, struct mode mode, const __u8 *entry,
	    __u64 pos)
{
	/* a mask, as a branch would be slower in a search */
	__u64 pcrel = sf->flags & LW_SFRAME_PCREL ? ~0ULL : 0;
	__u64 base = sf->place.addr + (pos & pcrel);

	if (mode.version == VERSION_2)
		return base + (__u64)(__s64)(__s32)load_u32(sf, entry + V2_START);
	return base + load_u64(sf, entry + V3_START);
}

static __always_inline int
read_start(const struct lw_sframe *sf, struct mode mode, __u64 pos,
	   __u64 *start)
{
	const __u8 *entry;
	__u8 buf[8];
	int err;

	err = get_bytes(sf, mode, buf, pos, mode.version == VERSION_2 ? 4 : 8, &entry);
	if (!err)
		*start = entry_start(sf, mode, entry, pos);
	return err;
}

static __always_inline void
set_info(struct lw_sframe_fde *fde, __u8 info, __u8 rep_size)
{
	/* 0: the type is unknown */
	fde->start_size = FDE_ROW_TYPE(info) > 2 ? 0 : 1U << FDE_ROW_TYPE(info);
	fde->mask = !!(info & FDE_MASK);
	fde->pauth_b = !!(info & FDE_PAUTH_B);
	fde->analysed = !!(info & FDE_ANALYSED);
	fde->rep_size = rep_size;
}

/* Nothing is checked here: FDEs that a search passes may be anything. */
static __always_inline int
read_entry(const struct lw_sframe *sf, struct mode mode, __u64 pos,
	   struct lw_sframe_fde *fde)
{
	const __u8 *entry;
	__u8 buf[V2_SIZE];
	int err;

	err = get_bytes(sf, mode, buf, pos, entry_size(mode), &entry);
	if (err)
		return err;

	fde->start = entry_start(sf, mode, entry, pos);
	if (mode.version != VERSION_2) {
		fde->size = load_u32(sf, entry + V3_FUNC_SIZE);
		fde->rows = load_u32(sf, entry + V3_ATTR_OFF);
		return 0;
	}
	fde->size = load_u32(sf, entry + V2_FUNC_SIZE);
	fde->rows = load_u32(sf, entry + V2_FRE_OFF);
	fde->num_rows = load_u32(sf, entry + V2_NUM_FRES);
	set_info(fde, load_u8(entry + V2_INFO), load_u8(entry + V2_REP_SIZE));
	fde->type = LW_SFRAME_DEFAULT;
	fde->signal = 0;
	fde->told = 0;
	return 0;
}

/* Version 3: the rest of an FDE; the rows follow it. */
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
	err = get_bytes(sf, mode, buf, sf->fre_off + fde->rows, ATTR_SIZE, &attr);
	if (err)
		return err;
	fde->num_rows = load_u16(sf, attr + ATTR_NUM_FRES);
	info = load_u8(attr + ATTR_INFO);
	set_info(fde, info, load_u8(attr + ATTR_REP_SIZE));
	fde->signal = !!(info & FDE_SIGNAL);
	info = load_u8(attr + ATTR_INFO2);
	fde->type = FDE_TYPE(info);
	fde->told = FDE_TOLD(info);
	fde->rows += ATTR_SIZE;
	return 0;
}

static __always_inline int
check_fde(const struct lw_sframe *sf, const struct lw_sframe_fde *fde)
{
	const struct lw_sframe_place *place = &sf->place;

	/* no section describes the code of another object */
	if (fde->start < place->text_start || fde->start >= place->text_end ||
	    fde->size > place->text_end - fde->start)
		return LW_SFRAME_FUNC_OUTSIDE;

	if (!fde->start_size)
		return LW_SFRAME_BAD_ROW_TYPE;
	if (fde->type > LW_SFRAME_FLEX && (fde->type != LW_SFRAME_PATH || !place->paths))
		return LW_SFRAME_UNKNOWN_FDE_TYPE;

	/* the divisor; ignored without MASK, as ld sets it on PLT0 too */
	if (fde->mask && (!fde->rep_size || fde->rep_size > fde->size))
		return LW_SFRAME_BAD_BLOCK_SIZE;

	/* the area has room for that many rows */
	if (fde->rows > sf->fre_len ||
	    fde->num_rows > (sf->fre_len - fde->rows) / MIN_ROW)
		return LW_SFRAME_FUNC_ROWS_OUTSIDE;
	return 0;
}

/* The rest of an FDE that read_entry() has begun. */
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

static int read_fde(const struct lw_sframe *sf, __u32 idx, struct lw_sframe_fde *fde)
{
	struct mode mode = mode_of(sf);
	int err;

	*fde = (struct lw_sframe_fde){ 0 };
	err = read_entry(sf, mode, sf->fde_off + (__u64)idx * entry_size(mode), fde);
	if (err)
		return err;
	return finish_fde(sf, mode, fde);
}

/* The search */

/**
 * lw_sframe_add_index() - make look-ups in a section quicker
 * @sf: opened section; gets the index if this succeeds
 * @index: its memory, @room + 1 entries; must live as long as @sf
 * @room: at least 2; best one for every one to four FDEs
 * @pause: NULL, or called after each LW_SFRAME_INDEX_AT_ONCE FDEs; what it returns ends the call,
 *	unless that is 0
 *
 * Reads the start of each FDE.  An index changes no result of a look-up, as long as
 * the section's bytes don't change.
 *
 * Context: that of read() and @pause.
 * Return: LW_SFRAME_OK; LW_SFRAME_BAD_RANGE: too little room;
 * LW_SFRAME_BAD_ORDER; or what read() or @pause returned.
 */
int lw_sframe_add_index(struct lw_sframe *sf, __u32 *index, __u32 room, int (*pause)(void))
{
	__u64 text = sf->place.text_start, last = sf->place.text_end - 1 - text;
	__u64 start, before = 0, bucket = 0, pos = sf->fde_off;
	struct mode mode = mode_of(sf);
	__u32 i, shift = 0;
	int err;

	if (room < 2)
		return LW_SFRAME_BAD_RANGE;
	while (last >> shift >= room)
		shift++;
	last >>= shift;
	for (i = 0; i < sf->num_fdes; i++, pos += entry_size(mode)) {
		err = pause && i && !(i % LW_SFRAME_INDEX_AT_ONCE) ? pause() : 0;
		if (!err)
			err = read_start(sf, mode, pos, &start);
		if (err)
			return err;
		if (start < before)
			return LW_SFRAME_BAD_ORDER;
		before = start;
		/* buckets that begin before this FDE begin in the previous one */
		while (bucket <= last + 1 && start > text &&
		       bucket <= (start - 1 - text) >> shift)
			index[bucket++] = i ? i - 1 : 0;
	}
	while (bucket <= last + 1)
		index[bucket++] = sf->num_fdes - 1;
	sf->index = index;
	sf->shift = shift;
	return 0;
}

/*
 * FDEs among which the one for pc must be, which is in the text: returns the first,
 * sets *num >= 1.
 */
static __always_inline __u64
bracket(const struct lw_sframe *sf, struct mode mode, __u64 pc, __u32 *num)
{
	const __u32 *bucket;

	*num = sf->num_fdes;
	if (!sf->index)
		return sf->fde_off;
	bucket = sf->index + ((pc - sf->place.text_start) >> sf->shift);
	*num = bucket[1] - bucket[0] + 1;
	return sf->fde_off + (__u64)bucket[0] * entry_size(mode);
}

/*
 * The last FDE that starts at or before pc, else the first.  Ends after
 * log2(num_fdes) probes whatever is read; a start that is not between those of the
 * earlier probes shows that the array is not sorted.  Equal starts are sorted:
 * there are FDEs of size 0.
 *
 * Both probes that may come next are fetched ahead: where the array is larger
 * than the cache, a search is a wait for them.
 */
static __always_inline int
search(const struct lw_sframe *sf, struct mode mode, __u64 pc, __u64 *found)
{
	__u64 low = 0, high = ~0ULL, start, pos, probe, next;
	unsigned int size = entry_size(mode), unsorted = 0;
	const __u8 *bytes = sf->src->bytes;
	__u32 n, half;
	int err, upper;

	pos = bracket(sf, mode, pc, &n);
	while (n > 1) {
		half = n / 2;
		n -= half;
		probe = pos + (__u64)half * size;
		next = (__u64)(n / 2) * size;
		if (mode.direct) {
			__builtin_prefetch(bytes + pos + next);
			__builtin_prefetch(bytes + probe + next);
		}
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
	/* wraps to more than any size if the function starts behind pc */
	return pc - fde->start < fde->size;
}

/*
 * Of FDEs with the same start the search finds the last, which may be empty: goes
 * back to the one that covers pc.
 */
static int skip_empty(const struct lw_sframe *sf, __u64 pc, __u64 pos,
		      struct lw_sframe_fde *fde)
{
	struct mode mode = mode_of(sf);
	__u64 start = fde->start;
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
	__u64 pos;
	int err;

	err = search(sf, mode, pc, &pos);
	if (err)
		return err;
	err = read_entry(sf, mode, pos, fde);
	if (err)
		return err;
	if (!covers(fde, pc)) {
		err = skip_empty(sf, pc, pos, fde);
		if (err)
			return err;
	}
	return finish_fde(sf, mode, fde);
}

/* Rows */

/* A row without its words, which are needed of one row only. */
struct row {
	__u32	pos;		/* in the FRE area */
	__u8	info;
};

static __always_inline void
start_walk(struct lw_sframe_cursor *cursor, const struct lw_sframe *sf)
{
	const struct lw_sframe_fde *fde = &cursor->fde;

	cursor->sf = sf;
	cursor->area = sf->src->bytes ? (const __u8 *)sf->src->bytes + sf->fre_off :
					(void *)0;
	cursor->len = sf->fre_len;
	cursor->lens = fde->type == LW_SFRAME_DEFAULT ? abi_of(sf)->lens :
		       fde->type == LW_SFRAME_FLEX ? flex_lens : path_lens;
	/*
	 * Assemblers write a row behind the last instruction: harmless.  One behind
	 * the repeated block is corrupt.
	 */
	cursor->last = fde->mask ? fde->rep_size - 1U : fde->size;
	cursor->next = 0;
	cursor->pos = fde->rows;
	cursor->start = 0;
	cursor->buf_pos = 0;
	cursor->buf_len = 0;
}

/*
 * Reads to the end of the aligned block that holds the last byte wanted.  That makes
 * few reads, and none of a page that holds no wanted byte.
 */
static int fill_buf(struct lw_sframe_cursor *cursor, __u32 pos, __u32 want)
{
	const struct lw_sframe *sf = cursor->sf;
	__u64 end = sf->place.addr + sf->fre_off + pos + want;
	__u32 len = want + (-end & (LW_SFRAME_BLOCK - 1));
	int err;

	if (pos >= cursor->buf_pos && pos + want <= cursor->buf_pos + cursor->buf_len)
		return 0;
	if (len > sf->fre_len - pos)
		len = sf->fre_len - pos;
	cursor->buf_len = 0;
	err = sf->src->read(sf->src, cursor->buf, sf->fre_off + pos, len);
	if (err)
		return err;
	cursor->buf_pos = pos;
	cursor->buf_len = len;
	return 0;
}

/*
 * Bytes [pos, pos + want) of the FRE area, want <= LW_SFRAME_MAX_ROW, in *bytes.
 * Valid until the next call.
 */
static __always_inline int
get_row(struct lw_sframe_cursor *cursor, struct mode mode, __u32 pos,
	__u32 want, const __u8 **bytes)
{
	int err;

	if ((__u64)pos + want > cursor->len)
		return LW_SFRAME_ROW_OUTSIDE;
	if (mode.direct) {
		*bytes = cursor->area + pos;
		return 0;
	}
	err = fill_buf(cursor, pos, want);
	*bytes = cursor->buf + (pos - cursor->buf_pos);
	return err;
}

static __always_inline __u32
load_row_start(const struct lw_sframe *sf, const __u8 *p, unsigned int size)
{
	switch (size) {
	case 1:
		return load_u8(p);
	case 2:
		return load_u16(sf, p);
	default:
		return load_u32(sf, p);
	}
}

/* Rows that are walked, at most. */
static __always_inline __u32 rows_of(const struct lw_sframe_fde *fde)
{
	return fde->num_rows < LW_SFRAME_MAX_ROWS ? fde->num_rows : LW_SFRAME_MAX_ROWS;
}

/* The next row, checked; there is one.  On failure the cursor stays. */
static __always_inline int
next_row(struct lw_sframe_cursor *cursor, struct mode mode, struct row *row)
{
	__u32 start_size = cursor->fde.start_size, start, len;
	const __u8 *bytes;
	int err;

	err = get_row(cursor, mode, cursor->pos, start_size + 1, &bytes);
	if (err)
		return err;
	row->pos = cursor->pos;
	start = load_row_start(cursor->sf, bytes, start_size);
	row->info = load_u8(bytes + start_size);

	len = cursor->lens[ROW_FORM(row->info)];
	if (!len)
		return ROW_SIZE_CODE(row->info) == 3 ? LW_SFRAME_BAD_WORD_SIZE :
						       LW_SFRAME_BAD_WORD_COUNT;
	if (start > cursor->last)
		return LW_SFRAME_BAD_ROW_START;
	if (start < cursor->start)
		return LW_SFRAME_BAD_ROW_ORDER;
	len += start_size;
	if (len > cursor->len - row->pos)
		return LW_SFRAME_ROW_OUTSIDE;
	cursor->next++;
	cursor->pos += len;
	cursor->start = start;
	return 0;
}

/* What a row costs by read(), where one in memory costs 1. */
#define READ_ROW	4U
/* Is no place in the FRE area: a row has two bytes at least. */
#define NO_ROW		(~0U)

/*
 * The last row that starts at or before key; of equal rows the last.  A key before
 * the first row has none.
 */
static __always_inline int
find_row(struct lw_sframe_cursor *cursor, struct mode mode, __u32 key,
	 struct row *found, __u32 *budget)
{
	const __u32 price = mode.direct ? 1 : READ_ROW;
	__u32 most = rows_of(&cursor->fde);
	struct row row;
	int err = 0;

	if (most > *budget / price)
		most = *budget / price;
	*found = (struct row){ .pos = NO_ROW };
	while (cursor->next < most) {
		err = next_row(cursor, mode, &row);
		if (err || cursor->start > key)
			break;
		*found = row;
	}
	*budget -= price * (cursor->next + !!err);
	if (err)
		return err;
	if (cursor->start <= key && most < cursor->fde.num_rows)
		return LW_SFRAME_TOO_MANY_ROWS;
	return found->pos == NO_ROW ? LW_SFRAME_NO_RULE : 0;
}

static void set_outermost(struct lw_rule *rule)
{
	*rule = (struct lw_rule){ .flags = LW_RULE_OUTERMOST };
}

/*
 * ld (2.44 and 2.47) gives .plt.got, whose entries are a bare jump, the rule for "one
 * word pushed".  No other repeated block has that rule as its only row.
 */
static __always_inline void
fix_plt_got(const struct lw_sframe_cursor *cursor, struct lw_rule *rule)
{
	if (cursor->fde.num_rows == 1 && !cursor->start &&
	    cursor->sf->abi == LW_SFRAME_ABI_AMD64 &&
	    cursor->fde.type == LW_SFRAME_DEFAULT &&
	    rule->cfa.base == LW_BASE_SP && rule->cfa.off == 16 &&
	    rule->fp.base == LW_BASE_NONE)
		rule->cfa.off = 8;
}

/* The rule of a row; untouched on failure. */
static __always_inline int
decode_row(struct lw_sframe_cursor *cursor, struct mode mode,
	   const struct row *row, struct lw_rule *rule)
{
	const struct lw_sframe_fde *fde = &cursor->fde;
	const __u8 *words;
	int err;

	if (!ROW_COUNT(row->info)) {
		set_outermost(rule);
		return 0;
	}
	/* next_row() checked that the words are inside of the area */
	err = get_row(cursor, mode, row->pos + fde->start_size + 1,
		      cursor->lens[ROW_FORM(row->info)] - 1U, &words);
	if (err)
		return err;
	err = decode_words(cursor->sf, fde->type, row->info, words, rule);
	if (err)
		return err;
	if (fde->signal)
		rule->flags |= LW_RULE_SIGNAL;
	/* in another section these bits are unused, and ignored */
	if (fde->analysed && cursor->sf->place.paths)
		rule->flags |= LW_RULE_ANALYSED;
	if (fde->told && cursor->sf->place.paths)
		rule->told = fde->told <= LW_RULE_SAVED ? 1U << (fde->told - 1) : LW_RULE_TOLD_ALL;
	if (fde->mask)
		fix_plt_got(cursor, rule);
	return 0;
}

/* Look-ups */

static __always_inline int find(const struct lw_sframe *sf, struct mode mode,
				__u64 pc, struct lw_rule *rule, __u32 *budget)
{
	struct lw_sframe_cursor cursor;
	struct row row;
	__u32 key;
	int err;

	err = find_fde(sf, mode, pc, &cursor.fde);
	if (err)
		return err;
	if (lw_sframe_has_no_caller(sf, &cursor.fde)) {
		set_outermost(rule);
		return 0;
	}

	/* fits: covers() holds, so it is less than the size */
	key = (__u32)(pc - cursor.fde.start);
	if (cursor.fde.mask)
		key %= cursor.fde.rep_size;

	start_walk(&cursor, sf);
	err = find_row(&cursor, mode, key, &row, budget);
	if (err)
		return err;
	return decode_row(&cursor, mode, &row, rule);
}

/**
 * lw_sframe_find_within() - the rule for one address, within a budget
 * @sf: opened section
 * @pc: address of an instruction, or one less than a return address
 * @rule: filled on success, untouched otherwise
 * @budget: rows that may be looked at; the rows that were are taken off, each four
 *	times if the section is not in memory
 *
 * Calls read() about log2(FDEs) + 3 times with a sound section, and a bounded number of
 * times with any.  The caller checks whether the rule makes sense on the
 * stack at hand.
 *
 * Context: that of read(); uses about 400 bytes of stack.
 * Return: LW_SFRAME_OK; LW_SFRAME_NO_RULE: @pc is not in the text, between two
 * functions, or before a function's first row; LW_SFRAME_UNKNOWN_FDE_TYPE;
 * LW_SFRAME_TOO_MANY_EMPTY, LW_SFRAME_TOO_MANY_ROWS: a bound, or the budget, ran
 * out; LW_SFRAME_BAD_ORDER to LW_SFRAME_BAD_OFFSET: corrupt where it was looked at;
 * or what read() returned.
 */
int lw_sframe_find_within(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule,
			  __u32 *budget)
{
	const struct mode v2 = { .version = VERSION_2, .direct = 1 };
	const struct mode v3 = { .version = VERSION_3, .direct = 1 };

	if (pc < sf->place.text_start || pc >= sf->place.text_end)
		return LW_SFRAME_NO_RULE;
	if (!sf->src->bytes)
		return find(sf, (struct mode){ sf->version, 0 }, pc, rule, budget);
	return sf->version == VERSION_2 ? find(sf, v2, pc, rule, budget) :
					  find(sf, v3, pc, rule, budget);
}

/**
 * lw_sframe_check_fde() - check one function and all its rows
 * @sf: opened section
 * @idx: number of the FDE, less than lw_sframe.num_fdes
 * @budget: functions and rows that may be looked at; those that were are taken off
 *
 * An empty function is sound: assemblers write them, also behind the text, and no
 * look-up ends at one.
 *
 * Context: that of read().
 * Return: LW_SFRAME_OK; LW_SFRAME_UNKNOWN_FDE_TYPE; LW_SFRAME_TOO_MANY_ROWS: more
 * than LW_SFRAME_MAX_ROWS, or the budget ran out; LW_SFRAME_FUNC_OUTSIDE to
 * LW_SFRAME_BAD_OFFSET; or what read() returned.
 */
int lw_sframe_check_fde(const struct lw_sframe *sf, __u32 idx, __u32 *budget)
{
	struct mode mode = mode_of(sf);
	struct lw_sframe_cursor cursor;
	struct lw_rule rule;
	struct row row;
	int err;

	if (!*budget)
		return LW_SFRAME_TOO_MANY_ROWS;
	--*budget;
	err = read_fde(sf, idx, &cursor.fde);
	if (err >= 0 && !cursor.fde.size)
		return LW_SFRAME_OK;
	if (err)
		return err;
	start_walk(&cursor, sf);
	while (cursor.next < rows_of(&cursor.fde)) {
		if (!*budget)
			return LW_SFRAME_TOO_MANY_ROWS;
		--*budget;
		err = next_row(&cursor, mode, &row);
		if (!err)
			err = decode_row(&cursor, mode, &row, &rule);
		if (err)
			return err;
	}
	return cursor.next < cursor.fde.num_rows ? LW_SFRAME_TOO_MANY_ROWS : 0;
}
