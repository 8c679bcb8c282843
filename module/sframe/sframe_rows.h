/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_rows.h - the rows of one function, for sframe.c only: the walk over
 * them, by read() or where they are.
 */
#ifndef LW_SFRAME_ROWS_H
#define LW_SFRAME_ROWS_H

#include "sframe_decode.h"
#include "sframe_format.h"

/* One row, but for its words. */
struct head {
	__u32	start;
	__u32	len;		/* with its words */
	__u8	info;
};

/* The row that was looked for. */
struct found {
	const __u8 *words;
	__u32	start;
	__u8	info;
};

/*
 * peek() by read(): up to the end of the aligned block that holds the last byte
 * wanted, so that there are few reads, and none of a page that no wanted byte
 * is in.
 */
static int fill_window(const struct lw_sframe *sf,
		       struct lw_sframe_window *win, __u32 pos, __u32 want,
		       const __u8 **bytes)
{
	__u64 area = sf->place.addr + sf->fre_off;
	__u32 len;
	int err;

	if (pos < win->pos || pos + want > win->pos + win->len) {
		len = want + (-(area + pos + want) & (LW_SFRAME_BLOCK - 1));
		if (len > sf->fre_len - pos)
			len = sf->fre_len - pos;
		win->len = 0;
		err = get_bytes(sf->src, win->buf, sf->fre_off + pos, len,
				bytes);
		if (err)
			return err;
		win->pos = pos;
		win->len = len;
	}
	*bytes = win->buf + (pos - win->pos);
	return 0;
}

/*
 * Bytes [pos, pos + want) of the FRE area, want <= LW_SFRAME_MAX_ROW, in
 * *bytes.  Valid until the next call.
 */
static __always_inline int peek(const struct lw_sframe *sf,
				struct lw_sframe_window *win, __u32 pos,
				__u32 want, const __u8 **bytes)
{
	if (pos > sf->fre_len || want > sf->fre_len - pos)
		return LW_SFRAME_ROW_OUTSIDE;
	if (!sf->src->bytes)
		return fill_window(sf, win, pos, want, bytes);
	*bytes = (const __u8 *)sf->src->bytes + sf->fre_off + pos;
	return 0;
}

static __always_inline const __u8 *
row_lens(const struct lw_sframe *sf, const struct lw_sframe_fde *fde)
{
	if (fde->type == LW_SFRAME_DEFAULT)
		return abis[sf->abi].lens;
	return fde->type == LW_SFRAME_FLEX ? flex_lens : path_lens;
}

/*
 * A row behind the last instruction is of no use, but assemblers write it.
 * One behind the block to repeat is never right.
 */
static __always_inline __u32 last_start(const struct lw_sframe_fde *fde)
{
	return fde->mask ? fde->rep_size - 1U : fde->size;
}

static int bad_form(__u8 info)
{
	return ROW_SIZE_CODE(info) == 3 ? LW_SFRAME_BAD_WORD_SIZE :
					  LW_SFRAME_BAD_WORD_COUNT;
}

static __u32 load_row_start(struct mode mode, const __u8 *p, unsigned int size)
{
	switch (size) {
	case 1:
		return load_u8(p);
	case 2:
		return load_u16(mode, p);
	default:
		return load_u32(mode, p);
	}
}

/* The row at pos, but for its words: they are needed of one row only. */
static int read_head(const struct lw_sframe *sf, struct lw_sframe_window *win,
		     const struct lw_sframe_fde *fde, __u32 pos,
		     struct head *head)
{
	__u32 head_len = fde->start_size + 1U;
	const __u8 *bytes;
	__u8 len;
	int err;

	err = peek(sf, win, pos, head_len, &bytes);
	if (err)
		return err;
	head->start = load_row_start(mode_of(sf), bytes, fde->start_size);
	head->info = load_u8(bytes + fde->start_size);

	len = row_lens(sf, fde)[ROW_FORM(head->info)];
	if (!len)
		return bad_form(head->info);
	if (head->start > last_start(fde))
		return LW_SFRAME_BAD_ROW_START;
	/* pos is inside of the area, and with it what was read */
	head->len = fde->start_size + len;
	if (head->len > sf->fre_len - pos)
		return LW_SFRAME_ROW_OUTSIDE;
	return 0;
}

static void set_outermost(struct lw_rule *rule)
{
	*rule = (struct lw_rule){ .flags = LW_RULE_OUTERMOST };
}

/*
 * ld gives .plt.got, whose entries are a bare jump, the rule for "one word
 * pushed" (2.44 and 2.47).  Nothing else has a repeated block with that one
 * row.
 */
static __always_inline void
fix_plt_got(const struct lw_sframe *sf, const struct lw_sframe_fde *fde,
	    const struct found *found, struct lw_rule *rule)
{
	if (fde->num_rows != 1 || found->start)
		return;
	if (sf->abi != LW_SFRAME_ABI_AMD64 || fde->type != LW_SFRAME_DEFAULT)
		return;
	if (rule->cfa.base != LW_BASE_SP || rule->cfa.off != 16 ||
	    rule->fp.base != LW_BASE_NONE)
		return;
	rule->cfa.off = 8;
}

/* All but what DEFAULT rows of an ABI with a fixed RA can say. */
static int decode_others(const struct lw_sframe *sf, struct mode mode,
			 unsigned int type, __u8 info, const __u8 *words,
			 struct lw_rule *rule)
{
	const struct abi *abi = &abis[sf->abi];
	struct lw_rule found = { .sp_off = abi->sp_off };
	int err;

	if (type == LW_SFRAME_FLEX)
		err = decode_flex(abi, mode, info, words, &found);
	else if (type == LW_SFRAME_PATH)
		err = decode_path(abi, mode, info, words, &found);
	else
		err = decode_tracked_ra(sf, mode, info, words, &found);
	if (err)
		return err;
	if (is_aarch64(sf) && (info & ROW_MANGLED))
		found.flags |= LW_RULE_PAC;
	*rule = found;
	return 0;
}

/* The rule of a row, untouched on failure. */
static __always_inline int
decode_row(const struct lw_sframe *sf, struct mode mode,
	   const struct lw_sframe_fde *fde, const struct found *found,
	   struct lw_rule *rule)
{
	int err;

	if (!ROW_COUNT(found->info)) {
		set_outermost(rule);
		return 0;
	}
	if (fde->type == LW_SFRAME_DEFAULT && sf->fixed_ra) {
		decode_fixed_ra(mode, sf->fixed_ra, found->info, found->words,
				rule);
	} else {
		err = decode_others(sf, mode, fde->type, found->info,
				    found->words, rule);
		if (err)
			return err;
	}
	if (fde->signal)
		rule->flags |= LW_RULE_SIGNAL;
	if (fde->mask)
		fix_plt_got(sf, fde, found, rule);
	return 0;
}

/* What a row costs here, where quick_row()'s is 1. */
#define SLOW_ROW	4U

/*
 * The last row that does not start behind key; rows are in ascending order,
 * of equal ones the last counts.  A key before the first row has none.
 */
static int find_row(const struct lw_sframe *sf, struct lw_sframe_window *win,
		    const struct lw_sframe_fde *fde, __u32 key,
		    struct found *found, __u32 *budget)
{
	struct head next, head = { .start = 0 };
	__u32 i, pos = 0, at = fde->rows;
	int err;

	for (i = 0; i < fde->num_rows; i++) {
		if (i == LW_SFRAME_MAX_ROWS || *budget < SLOW_ROW)
			return LW_SFRAME_TOO_MANY_ROWS;
		*budget -= SLOW_ROW;
		err = read_head(sf, win, fde, at, &next);
		if (err)
			return err;
		if (next.start < head.start)
			return LW_SFRAME_BAD_ROW_ORDER;
		if (next.start > key)
			break;
		head = next;
		pos = at;
		at += head.len;
	}
	if (!i)
		return LW_SFRAME_NO_RULE;
	found->start = head.start;
	found->info = head.info;
	return peek(sf, win, pos + fde->start_size + 1U,
		    head.len - fde->start_size - 1U, &found->words);
}

/* Bytes that quick_row() loads of a row whatever the size of its start. */
#define QUICK_LOAD	5

/*
 * The same where it takes but loads.  Half of a look-up's time goes here, so
 * each row is checked no more than it must be: what read_head() checks of a
 * row that is passed follows from where the next one is.  Anything out of the
 * ordinary is left to find_row(), which begins anew.
 *
 * Return: not 0 if the row was found.
 */
static __always_inline int
quick_row(const struct lw_sframe *sf, struct mode mode,
	  const struct lw_sframe_fde *fde, __u32 key, struct found *found,
	  __u32 *budget)
{
	const __u8 *area = (const __u8 *)sf->src->bytes + sf->fre_off;
	const __u8 *end = area + sf->fre_len, *at = area + fde->rows;
	const __u8 *lens = row_lens(sf, fde);
	unsigned int start_size = fde->start_size, bits = 8 * start_size;
	__u32 left = fde->num_rows, start;
	__u8 info, len;

	if (left > LW_SFRAME_MAX_ROWS || left > *budget)
		return 0;
	*found = (struct found){ .start = 0 };
	for (; left; left--) {
		if (end - at < QUICK_LOAD)
			return 0;
		start = load_u32(mode, at);
		start = is_big(mode) ? start >> (32 - bits) :
				       start & (~0U >> (32 - bits));
		info = load_u8(at + start_size);
		len = lens[ROW_FORM(info)];
		if (!len)
			return 0;
		if (start > key)
			break;
		if (start < found->start)
			return 0;
		found->start = start;
		found->info = info;
		found->words = at + start_size + 1;
		at += start_size + len;
	}
	*budget -= fde->num_rows - left;
	/* the row that ended it must be sound, and the one found be inside */
	if (left && (start > last_start(fde) || start_size + len > end - at))
		return 0;
	return found->words && at <= end;
}

#endif /* LW_SFRAME_ROWS_H */
