// SPDX-License-Identifier: GPL-2.0
/*
 * sframe.c - a reader of SFrame sections.
 *
 * Pure: bytes come through lw_sframe_source.read(), nothing is allocated, no
 * state outlives a call.  Contexts are therefore those of read(): if it may
 * sleep, so may every function here, otherwise none does.
 *
 * A section is
 *
 *	header		28 bytes, then an auxiliary header of stated length
 *	FDE array	one entry a function, sorted by start address
 *	FRE area	each function's rows, of variable length, never aligned
 *
 * All input is hostile, and may change between two reads of the same bytes:
 * each byte that decides something is read once, checked and used from the
 * copy.  Offsets are added up in 64 bits out of 32-bit terms, so no sum wraps.
 * Each loop has a constant bound.
 *
 * What is known here: version 2, x86-64 (ABI 3).  A new version needs its case
 * in check_version() and read_fde(), a new ABI in check_abi() and decode_row();
 * the search and the walk over the rows are the same for all of them.
 */
#include <linux/errno.h>
#include <linux/types.h>

#include "sframe.h"

#define MAGIC		0xdee2	/* in the byte order of the section's ABI */

#define VERSION_2	2

#define FLAG_SORTED	0x1	/* the FDE array is sorted by start */
#define FLAG_FP		0x2	/* all functions keep FP; says nothing more */
#define FLAG_PCREL	0x4	/* starts are relative to their own field */
#define FLAGS_V2	(FLAG_SORTED | FLAG_FP | FLAG_PCREL)

#define ABI_AMD64	3
#define AMD64_FIXED_RA	(-8)

/* FDE info byte; bit 5 is a key of another ABI, bits 6 and 7 are unused */
#define FDE_FRE_TYPE(info)	((info) & 0xf)
#define FDE_MASK		0x10

/* row info byte; bit 7 belongs to another ABI */
#define ROW_BASE_SP		0x01
#define ROW_COUNT(info)		(((info) >> 1) & 0xf)
#define ROW_SIZE_CODE(info)	(((info) >> 5) & 0x3)

#define AMD64_MAX_COUNT	2	/* CFA, FP */

#define MIN_ROW		2U	/* a start of one byte, info, no words */
#define MAX_ROW		(4U + 1U + 4U * AMD64_MAX_COUNT)

/* In the ABI's byte order and naturally aligned: 28 and 20 bytes. */
struct header {
	__u16	magic;
	__u8	version;
	__u8	flags;
	__u8	abi;
	__s8	fixed_fp;
	__s8	fixed_ra;
	__u8	auxhdr_len;
	__u32	num_fdes;
	__u32	num_fres;	/* informational, never used */
	__u32	fre_len;
	__u32	fdeoff;		/* from the end of header + auxiliary header */
	__u32	freoff;		/* likewise */
};

struct fde_v2 {
	__s32	start;
	__u32	size;
	__u32	fre_off;	/* first row, from the start of the FRE area */
	__u32	num_fres;
	__u8	info;
	__u8	rep_size;
	__u16	padding;
};

/* One function, the same for all versions. */
struct fde {
	__u64	start;
	__u32	size;
	__u32	fre_off;
	__u32	num_fres;
	__u8	fre_type;	/* log2 of the bytes of a row's start */
	__u8	mask;		/* one block of code, repeated */
	__u8	rep_size;	/* bytes of that block */
};

/* One row, decoded but for its words. */
struct row {
	__u32	start;
	__u32	words;		/* where they are in the FRE area */
	__u32	end;		/* likewise: the next row */
	__u8	info;
};

/*
 * A window on the FRE area.  It is filled up to the end of the aligned block
 * that holds the last byte wanted: few reads, and none of a page that no
 * wanted byte is in.
 */
struct window {
	const struct lw_sframe *sf;
	__u32	pos;		/* of buf[0] in the FRE area */
	__u32	len;
	__u8	buf[LW_SFRAME_BLOCK + MAX_ROW];
};

static __u32 load_u32(const __u8 *p, unsigned int size)
{
	__u16 half;
	__u32 word;

	switch (size) {
	case 1:
		return *p;
	case 2:
		__builtin_memcpy(&half, p, sizeof(half));
		return half;
	default:
		__builtin_memcpy(&word, p, sizeof(word));
		return word;
	}
}

static __s32 load_s32(const __u8 *p, unsigned int size)
{
	switch (size) {
	case 1:
		return (__s8)load_u32(p, 1);
	case 2:
		return (__s16)load_u32(p, 2);
	default:
		return (__s32)load_u32(p, 4);
	}
}

/* Every read goes through here: none is outside the section. */
static int read_bytes(const struct lw_sframe_source *src, void *dst, __u64 off,
		      __u32 len)
{
	if (off > src->size || len > src->size - off)
		return -EINVAL;
	return src->read(src, dst, off, len);
}

static int check_version(const struct header *hdr)
{
	switch (hdr->version) {
	case VERSION_2:
		/* an unknown flag may change the meaning of anything */
		if (hdr->flags & ~FLAGS_V2)
			return -EOPNOTSUPP;
		break;
	default:
		return -EOPNOTSUPP;
	}

	/* without the promise a look-up would be a scan of 1e5 entries */
	if (!(hdr->flags & FLAG_SORTED))
		return -EOPNOTSUPP;
	return 0;
}

static int check_abi(const struct header *hdr)
{
	switch (hdr->abi) {
	case ABI_AMD64:
		/*
		 * The call instruction puts RA next to the CFA.  Any other
		 * slot, or 0 for "in the rows", would also change what the
		 * words of a row are.
		 */
		if (hdr->fixed_ra != AMD64_FIXED_RA || hdr->fixed_fp)
			return -EINVAL;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Header, FDE array and FRE area: in this section, none on top of another. */
static int check_layout(struct lw_sframe *sf, const struct header *hdr)
{
	__u64 base = sizeof(*hdr) + (__u64)hdr->auxhdr_len;
	__u64 fde_end, fre_end;

	/* an array of one at least, for the search; and not absurdly many */
	if (!hdr->num_fdes || hdr->num_fdes > LW_SFRAME_MAX_FDES)
		return -EINVAL;

	sf->fde_off = base + hdr->fdeoff;
	sf->fre_off = base + hdr->freoff;
	fde_end = sf->fde_off + (__u64)hdr->num_fdes * sizeof(struct fde_v2);
	fre_end = sf->fre_off + hdr->fre_len;

	/* says the same of the auxiliary header, as that ends before them */
	if (fde_end > sf->src->size || fre_end > sf->src->size)
		return -EINVAL;
	/* what is an FDE to one look-up must not be a row to another */
	if (sf->fre_off < fde_end && sf->fde_off < fre_end)
		return -EINVAL;
	return 0;
}

/**
 * lw_sframe_open() - check the header of a section
 * @sf: filled on success, undefined otherwise
 * @src: where the bytes come from; must live as long as @sf.  Its size may be
 *	larger than the section, as program headers round it up.
 * @addr: address of the section's first byte, as mapped in the task
 * @text_start: first address that the section may speak of
 * @text_end: first address after these
 *
 * Reads the header, once.  The section is not searched or walked here: that
 * its entries are sound is checked at each look-up, for those it touches.
 *
 * Context: that of @src->read().
 * Return:
 * * 0 - usable.
 * * -EINVAL - malformed: too short, no magic, no FDE or more than
 *   LW_SFRAME_MAX_FDES, areas outside of the section or overlapping, RA or FP
 *   slots that the ABI does not have; or @text_start, @text_end or @addr make
 *   no range.
 * * -EOPNOTSUPP - may be sound, cannot be read here: foreign byte order, a
 *   version other than 2 (so 1 and 3), an ABI other than x86-64, FDEs not
 *   sorted, or an unknown flag.
 * * any other - what @src->read() returned.
 */
int lw_sframe_open(struct lw_sframe *sf, const struct lw_sframe_source *src,
		   __u64 addr, __u64 text_start, __u64 text_end)
{
	struct header hdr;
	int err;

	if (text_start >= text_end || addr + src->size < addr)
		return -EINVAL;

	err = read_bytes(src, &hdr, 0, sizeof(hdr));
	if (err)
		return err;

	if (hdr.magic == __builtin_bswap16(MAGIC))
		return -EOPNOTSUPP;
	if (hdr.magic != MAGIC)
		return -EINVAL;
	err = check_version(&hdr);
	if (err)
		return err;
	err = check_abi(&hdr);
	if (err)
		return err;

	sf->src = src;
	sf->addr = addr;
	sf->text_start = text_start;
	sf->text_end = text_end;
	sf->fre_len = hdr.fre_len;
	sf->num_fdes = hdr.num_fdes;
	sf->version = hdr.version;
	sf->flags = hdr.flags;
	sf->fixed_ra = hdr.fixed_ra;
	return check_layout(sf, &hdr);
}

static __u64 fde_pos(const struct lw_sframe *sf, __u32 idx)
{
	return sf->fde_off + (__u64)idx * sizeof(struct fde_v2);
}

/* The value is signed: text may lie below the section or above it. */
static __u64 fde_start(const struct lw_sframe *sf, __u64 pos, __s32 value)
{
	__u64 base = sf->addr;

	if (sf->flags & FLAG_PCREL)
		base += pos;
	return base + (__u64)(__s64)value;
}

static int read_start(const struct lw_sframe *sf, __u32 idx, __u64 *start)
{
	__u64 pos = fde_pos(sf, idx);
	__s32 value;
	int err;

	err = read_bytes(sf->src, &value, pos, sizeof(value));
	if (!err)
		*start = fde_start(sf, pos, value);
	return err;
}

/* No check here: an FDE that is only passed by may be anything. */
static int read_fde(const struct lw_sframe *sf, __u32 idx, struct fde *fde)
{
	__u64 pos = fde_pos(sf, idx);
	struct fde_v2 raw;
	int err;

	err = read_bytes(sf->src, &raw, pos, sizeof(raw));
	if (err)
		return err;

	fde->start = fde_start(sf, pos, raw.start);
	fde->size = raw.size;
	fde->fre_off = raw.fre_off;
	fde->num_fres = raw.num_fres;
	fde->fre_type = FDE_FRE_TYPE(raw.info);
	fde->mask = !!(raw.info & FDE_MASK);
	fde->rep_size = raw.rep_size;
	return 0;
}

/*
 * The last FDE that does not start behind pc.  Ends after log2(num_fdes) + 1
 * probes whatever is read; a probe outside of the bracket of those before
 * shows that the array is not sorted.  Equal starts are sorted: there are FDEs
 * of size 0.
 */
static int search(const struct lw_sframe *sf, __u64 pc, __u32 *idx)
{
	__u64 lo_start = 0, hi_start = ~0ULL, start;
	__u32 lo = 0, hi = sf->num_fdes, mid;
	int err;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		err = read_start(sf, mid, &start);
		if (err)
			return err;
		if (start < lo_start || start > hi_start)
			return -EINVAL;
		if (start <= pc) {
			lo = mid + 1;
			lo_start = start;
		} else {
			hi = mid;
			hi_start = start;
		}
	}
	if (!lo)
		return -ENOENT;
	*idx = lo - 1;
	return 0;
}

static int covers(const struct fde *fde, __u64 pc)
{
	/* a start behind pc gives more than any size; a size of 0 has none */
	return pc - fde->start < fde->size;
}

/*
 * The FDE that covers pc.  Where several start at the same address, the search
 * ends at the last of them, which may be an empty one.
 */
static int find_fde(const struct lw_sframe *sf, __u64 pc, struct fde *fde)
{
	unsigned int steps;
	__u64 start;
	__u32 idx;
	int err;

	err = search(sf, pc, &idx);
	if (err)
		return err;
	err = read_fde(sf, idx, fde);
	if (err || covers(fde, pc))
		return err;

	start = fde->start;
	for (steps = 0; steps < LW_SFRAME_MAX_EQUAL; steps++) {
		if (!idx--)
			return -ENOENT;
		err = read_fde(sf, idx, fde);
		if (err)
			return err;
		if (fde->start != start)
			return -ENOENT;
		if (covers(fde, pc))
			return 0;
	}
	return -EINVAL;
}

static int check_fde(const struct lw_sframe *sf, const struct fde *fde)
{
	/* no word on code that is not this section's */
	if (fde->start < sf->text_start || fde->start >= sf->text_end)
		return -EINVAL;
	if (fde->size > sf->text_end - fde->start)
		return -EINVAL;

	/* starts of 1, 2 or 4 bytes */
	if (fde->fre_type > 2)
		return -EINVAL;

	/* the divisor; ignored otherwise, as ld sets it on PLT0 too */
	if (fde->mask && (!fde->rep_size || fde->rep_size > fde->size))
		return -EINVAL;

	/* rows begin in the area, and there is room for that many */
	if (fde->fre_off > sf->fre_len)
		return -EINVAL;
	if (fde->num_fres > (sf->fre_len - fde->fre_off) / MIN_ROW)
		return -EINVAL;
	return 0;
}

/*
 * Bytes [pos, pos + want) of the FRE area, want <= MAX_ROW, in *bytes.  Valid
 * until the next call.
 */
static int peek(struct window *win, __u32 pos, __u32 want, const __u8 **bytes)
{
	const struct lw_sframe *sf = win->sf;
	__u64 area = sf->addr + sf->fre_off;
	__u32 len;
	int err;

	if (pos > sf->fre_len || want > sf->fre_len - pos)
		return -EINVAL;

	if (pos < win->pos || pos + want > win->pos + win->len) {
		len = want + (-(area + pos + want) & (LW_SFRAME_BLOCK - 1));
		if (len > sf->fre_len - pos)
			len = sf->fre_len - pos;
		err = read_bytes(sf->src, win->buf, sf->fre_off + pos, len);
		if (err)
			return err;
		win->pos = pos;
		win->len = len;
	}
	*bytes = win->buf + (pos - win->pos);
	return 0;
}

/* The row at pos, but for its words: they are needed of one row only. */
static int read_row(struct window *win, const struct fde *fde, __u32 pos,
		    struct row *row)
{
	unsigned int start_size = 1U << fde->fre_type;
	const __u8 *bytes;
	__u32 len;
	int err;

	err = peek(win, pos, start_size + 1, &bytes);
	if (err)
		return err;
	row->start = load_u32(bytes, start_size);
	row->info = bytes[start_size];

	/* words of 1, 2 or 4 bytes, and of known meaning */
	if (ROW_SIZE_CODE(row->info) == 3)
		return -EINVAL;
	if (ROW_COUNT(row->info) > AMD64_MAX_COUNT)
		return -EINVAL;

	/*
	 * A row behind the last instruction is of no use, but assemblers write
	 * it.  One behind the block to repeat is never right.
	 */
	if (row->start > fde->size)
		return -EINVAL;
	if (fde->mask && row->start >= fde->rep_size)
		return -EINVAL;

	row->words = pos + start_size + 1;
	len = ROW_COUNT(row->info) << ROW_SIZE_CODE(row->info);
	if (len > win->sf->fre_len - row->words)
		return -EINVAL;
	row->end = row->words + len;
	return 0;
}

static int decode_row(struct window *win, const struct row *row,
		      struct lw_rule *rule)
{
	unsigned int count = ROW_COUNT(row->info);
	unsigned int size = 1U << ROW_SIZE_CODE(row->info);
	const __u8 *words;
	int err;

	*rule = (struct lw_rule){ .ra_off = win->sf->fixed_ra };
	if (!count) {
		rule->flags = LW_RULE_OUTERMOST;
		return 0;
	}

	err = peek(win, row->words, count * size, &words);
	if (err)
		return err;
	rule->cfa_base = row->info & ROW_BASE_SP ? LW_BASE_SP : LW_BASE_FP;
	rule->cfa_off = load_s32(words, size);
	if (count > 1) {
		rule->fp_off = load_s32(words + size, size);
		rule->flags = LW_RULE_FP_SAVED;
	}
	return 0;
}

/*
 * The last row that does not start behind key; rows are in ascending order,
 * of equal ones the last counts.  A key before the first row has none.
 */
static int find_row(struct window *win, const struct fde *fde, __u32 key,
		    struct row *row)
{
	struct row next;
	__u32 i;
	int err;

	*row = (struct row){ .end = fde->fre_off };

	for (i = 0; i < fde->num_fres; i++) {
		if (i == LW_SFRAME_MAX_ROWS)
			return -EINVAL;
		err = read_row(win, fde, row->end, &next);
		if (err)
			return err;
		if (next.start < row->start)
			return -EINVAL;
		if (next.start > key)
			break;
		*row = next;
	}
	return i ? 0 : -ENOENT;
}

/*
 * ld gives .plt.got, whose entries are a bare jump, the rule for "one word
 * pushed".  Nothing else has a repeated block with that one row.
 */
static void fix_plt_got(const struct fde *fde, const struct row *row,
			struct lw_rule *rule)
{
	if (!fde->mask || fde->num_fres != 1 || row->start)
		return;
	if (rule->flags || rule->cfa_base != LW_BASE_SP || rule->cfa_off != 16)
		return;
	rule->cfa_off = 8;
}

/**
 * lw_sframe_find() - the rule for one address
 * @sf: section that lw_sframe_open() took
 * @pc: address of an instruction, or one less than a return address
 * @rule: filled on success, untouched otherwise
 *
 * Calls read() LW_SFRAME_MAX_READS times at the very most; with a sound
 * section about log2(FDEs) + 3 times.
 *
 * The rule is what the section says: whether a CFA or a slot makes sense on
 * the stack at hand is for the caller to check.
 *
 * Context: that of read(); uses about 350 bytes of stack.
 * Return:
 * * 0 - @rule is filled.
 * * -ENOENT - nothing is known of @pc: not in the text range, between two
 *   functions, or before a function's first row.
 * * -EINVAL - corrupt where it was looked at: FDEs not in order; the FDE
 *   reaches out of the text range, has an unknown row type, or repeats a block
 *   of no bytes or of more than the function has; rows not in order, out of
 *   the FRE area or the function, or with words of unknown size or number; or
 *   a bound ran out, LW_SFRAME_MAX_EQUAL or LW_SFRAME_MAX_ROWS.
 * * any other - what read() returned, -EFAULT as a rule: nothing is known of
 *   the section's soundness, the bytes could not be had.
 */
int lw_sframe_find(const struct lw_sframe *sf, __u64 pc, struct lw_rule *rule)
{
	struct lw_rule found;
	struct window win;
	struct row row;
	struct fde fde;
	__u32 key;
	int err;

	if (pc < sf->text_start || pc >= sf->text_end)
		return -ENOENT;
	err = find_fde(sf, pc, &fde);
	if (err)
		return err;
	err = check_fde(sf, &fde);
	if (err)
		return err;

	/* fits: covers() holds, so it is less than the size */
	key = (__u32)(pc - fde.start);
	if (fde.mask)
		key %= fde.rep_size;

	win.sf = sf;
	win.pos = 0;
	win.len = 0;
	err = find_row(&win, &fde, key, &row);
	if (err)
		return err;
	err = decode_row(&win, &row, &found);
	if (err)
		return err;
	fix_plt_got(&fde, &row, &found);
	*rule = found;
	return 0;
}
