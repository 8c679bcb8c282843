// SPDX-License-Identifier: GPL-2.0
/* section.c - see section.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "section.h"

#define MAX_ROW	(5 + 15 * 4)
#define STEP	0x10000

/* splitmix64: the same numbers everywhere */
__u64 rng_next(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static int big_endian(const struct section *sec)
{
	return sec->abi == LW_SFRAME_ABI_AARCH64_BE ||
	       sec->abi == LW_SFRAME_ABI_S390X;
}

static void put(const struct section *sec, __u8 *p, unsigned int size,
		__u64 value)
{
	unsigned int i;

	for (i = 0; i < size; i++, value >>= 8)
		p[big_endian(sec) ? size - 1 - i : i] = (__u8)value;
}

static __u64 get(const struct section *sec, const __u8 *p, unsigned int size)
{
	__u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value = value << 8 | p[big_endian(sec) ? i : size - 1 - i];
	return value;
}

static int section_read(const struct lw_sframe_source *src, void *dst,
			__u64 off, __u32 len)
{
	struct section *sec = (struct section *)src;
	__u64 addr = sec->place.addr + off;

	sec->calls++;
	if (off > src->size || len > src->size - off) {
		sec->outside++;
		return -ENXIO;
	}
	if (sec->calls == sec->fail_at)
		return sec->fail_with;
	if (addr < sec->hole_end && addr + len > sec->hole_start)
		return -EFAULT;
	memcpy(dst, sec->bytes + off, len);
	if (sec->flip_seed && rng_next(&sec->flip_seed) % 4 == 0 && len)
		((__u8 *)dst)[rng_next(&sec->flip_seed) % len] ^=
			1U << rng_next(&sec->flip_seed) % 8;
	return 0;
}

static void *grow(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		abort();
	return p;
}

void section_init(struct section *sec, __u8 version, __u8 abi, __u8 flags)
{
	memset(sec, 0, sizeof(*sec));
	sec->src.read = section_read;
	sec->version = version;
	sec->abi = abi;
	sec->flags = flags;
	sec->wanted = abi;
	sec->place.addr = 0x442170;
	sec->place.text_start = 0x401000;
	sec->place.text_end = 0x440000;
}

static __u8 *add_fres(struct section *sec, unsigned int size)
{
	__u8 *p;

	/* in steps: ASan's realloc() copies each time */
	if (!sec->fres || (sec->fre_len + MAX_ROW) / STEP > sec->fre_len / STEP)
		sec->fres = grow(sec->fres, (sec->fre_len / STEP + 2) * STEP);
	p = sec->fres + sec->fre_len;
	sec->fre_len += size;
	return p;
}

static struct made_fde *add_fde(struct section *sec, __u64 start, __u32 size)
{
	struct made_fde *fde;

	/* likewise */
	if (!(sec->num_fdes & 0xff))
		sec->fdes = grow(sec->fdes,
				 (sec->num_fdes + 0x100) * sizeof(*fde));
	fde = &sec->fdes[sec->num_fdes++];
	memset(fde, 0, sizeof(*fde));
	fde->start = start;
	fde->size = size;
	return fde;
}

static void begin(struct section *sec, __u64 start, __u32 size, __u8 info,
		  __u8 info2, __u8 rep_size)
{
	struct made_fde *fde = add_fde(sec, start, size);
	__u8 *attr;

	fde->fre_off = sec->fre_len;
	fde->info = info;
	fde->rep_size = rep_size;
	if (sec->version < 3)
		return;
	attr = add_fres(sec, ATTR_SIZE);
	put(sec, attr, 2, 0);
	attr[2] = info;
	attr[3] = info2;
	attr[4] = rep_size;
}

/* Rows that follow are this function's. */
void section_fde(struct section *sec, __u64 start, __u32 size, __u8 info,
		 __u8 rep_size)
{
	begin(sec, start, size, info, DEFAULT, rep_size);
}

void section_flex(struct section *sec, __u64 start, __u32 size, __u8 info,
		  __u8 rep_size)
{
	begin(sec, start, size, info, FLEX, rep_size);
}

/* The rows of function idx are this one's too; add no more to either. */
void section_share(struct section *sec, __u64 start, __u32 size, __u32 idx)
{
	struct made_fde *fde = add_fde(sec, start, size);

	fde->fre_off = sec->fdes[idx].fre_off;
	fde->num_rows = sec->fdes[idx].num_rows;
	fde->info = sec->fdes[idx].info;
	fde->rep_size = sec->fdes[idx].rep_size;
}

void section_words(struct section *sec, __u32 start, __u8 info,
		   const __s32 *words, unsigned int n)
{
	struct made_fde *fde = &sec->fdes[sec->num_fdes - 1];
	unsigned int start_size = 1U << (fde->info & 0xf);
	unsigned int size = 1U << (info >> 5 & 3), i;
	__u8 *row = add_fres(sec, start_size + 1 + n * size);

	put(sec, row, start_size, start);
	row[start_size] = info | n << 1;
	row += start_size + 1;
	for (i = 0; i < n; i++, row += size)
		put(sec, row, size, (__u64)words[i]);
	sec->num_fres++;
	fde->num_rows++;
	if (sec->version >= 3)
		put(sec, sec->fres + fde->fre_off, 2, fde->num_rows);
}

static int by_start(const void *a, const void *b)
{
	const struct made_fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* FDEs by their start; their rows stay where they are. */
void section_sort(struct section *sec)
{
	qsort(sec->fdes, sec->num_fdes, sizeof(*sec->fdes), by_start);
}

unsigned int section_fde_size(const struct section *sec)
{
	return sec->version < 3 ? FDE_SIZE_V2 : FDE_SIZE_V3;
}

static void finish_fde(struct section *sec, __u32 idx)
{
	const struct made_fde *fde = &sec->fdes[idx];
	__u32 pos = section_fde_pos(sec, idx);
	__u8 *p = sec->bytes + pos;
	__u64 base = sec->place.addr;

	if (sec->flags & PCREL)
		base += pos;
	if (sec->version < 3) {
		put(sec, p, 4, fde->start - base);
		put(sec, p + 4, 4, fde->size);
		put(sec, p + 8, 4, fde->fre_off);
		put(sec, p + 12, 4, fde->num_rows);
		p[16] = fde->info;
		p[17] = fde->rep_size;
		put(sec, p + 18, 2, 0);
	} else {
		put(sec, p, 8, fde->start - base);
		put(sec, p + 8, 4, fde->size);
		put(sec, p + 12, 4, fde->fre_off);
	}
}

void section_finish(struct section *sec)
{
	__u32 fde_len = sec->num_fdes * section_fde_size(sec), i;
	__u32 fdeoff = sec->rows_first ? sec->fre_len + sec->gap : 0;
	__u32 freoff = sec->rows_first ? 0 : fde_len + sec->gap;

	sec->src.size = HDR_SIZE + sec->aux_len + fde_len + sec->gap +
			sec->fre_len;
	sec->bytes = grow(sec->bytes, sec->src.size);
	memset(sec->bytes, 0xff, sec->src.size);
	section_put(sec, HDR_MAGIC, 2, 0xdee2);
	section_put(sec, HDR_VERSION, 1, sec->version);
	section_put(sec, HDR_FLAGS, 1, sec->flags);
	section_put(sec, HDR_ABI, 1, sec->abi);
	section_put(sec, HDR_FIXED_FP, 1, 0);
	section_put(sec, HDR_FIXED_RA, 1,
		    sec->abi == LW_SFRAME_ABI_AMD64 ? -8 : 0);
	section_put(sec, HDR_AUX_LEN, 1, sec->aux_len);
	section_put(sec, HDR_NUM_FDES, 4, sec->num_fdes);
	section_put(sec, HDR_NUM_FRES, 4, sec->num_fres);
	section_put(sec, HDR_FRE_LEN, 4, sec->fre_len);
	section_put(sec, HDR_FDEOFF, 4, fdeoff);
	section_put(sec, HDR_FREOFF, 4, freoff);
	for (i = 0; i < sec->num_fdes; i++)
		finish_fde(sec, i);
	if (sec->fre_len)
		memcpy(sec->bytes + section_fre_area(sec), sec->fres,
		       sec->fre_len);
}

/* Bytes made by somebody else. */
void section_load(struct section *sec, const void *bytes, __u64 size,
		  __u64 addr, __u64 text_start, __u64 text_end)
{
	const __u8 *hdr = bytes;

	section_init(sec, hdr[HDR_VERSION], hdr[HDR_ABI], hdr[HDR_FLAGS]);
	sec->place.addr = addr;
	sec->place.text_start = text_start;
	sec->place.text_end = text_end;
	sec->src.size = size;
	sec->bytes = grow(NULL, size);
	memcpy(sec->bytes, bytes, size);
}

/* The same section with starts in the other encoding. */
void section_to_pcrel(struct section *sec)
{
	__u32 n = section_get(sec, HDR_NUM_FDES, 4), i;
	__u64 pos;

	sec->flags ^= PCREL;
	section_put(sec, HDR_FLAGS, 1, sec->flags);
	for (i = 0; i < n; i++) {
		pos = section_fde_pos(sec, i);
		if (!(sec->flags & PCREL))
			pos = -pos;
		section_put_field(sec, i, F_START,
				  section_get_field(sec, i, F_START) - pos);
	}
}

void section_free(struct section *sec)
{
	free(sec->bytes);
	free(sec->fdes);
	free(sec->fres);
	memset(sec, 0, sizeof(*sec));
}

static __u32 header_end(const struct section *sec)
{
	return HDR_SIZE + section_get(sec, HDR_AUX_LEN, 1);
}

__u32 section_fde_pos(const struct section *sec, __u32 idx)
{
	return header_end(sec) + section_get(sec, HDR_FDEOFF, 4) +
	       idx * section_fde_size(sec);
}

__u32 section_fre_area(const struct section *sec)
{
	return header_end(sec) + section_get(sec, HDR_FREOFF, 4);
}

static __u32 attr_pos(const struct section *sec, __u32 idx)
{
	return section_fre_area(sec) + section_get_field(sec, idx, F_FRE_OFF);
}

/* Where the rows of an FDE begin. */
__u32 section_fre_pos(const struct section *sec, __u32 idx)
{
	return attr_pos(sec, idx) + (sec->version < 3 ? 0 : ATTR_SIZE);
}

/* Where a field is: in the FDE, or if negative -1 - that in the attribute. */
static const struct {
	int	pos;
	unsigned int size;
} places[][NUM_FIELDS] = {
	{
		[F_START] = { 0, 4 }, [F_SIZE] = { 4, 4 },
		[F_FRE_OFF] = { 8, 4 }, [F_NUM] = { 12, 4 },
		[F_INFO] = { 16, 1 }, [F_REP] = { 17, 1 },
		[F_PADDING] = { 18, 2 },
	}, {
		[F_START] = { 0, 8 }, [F_SIZE] = { 8, 4 },
		[F_FRE_OFF] = { 12, 4 }, [F_NUM] = { -1 - 0, 2 },
		[F_INFO] = { -1 - 2, 1 }, [F_INFO2] = { -1 - 3, 1 },
		[F_REP] = { -1 - 4, 1 },
	},
};

static __u32 field_pos(const struct section *sec, __u32 idx, enum field field,
		       unsigned int *size)
{
	int pos = places[sec->version >= 3][field].pos;

	*size = places[sec->version >= 3][field].size;
	if (!*size)
		abort();
	return pos < 0 ? attr_pos(sec, idx) + (-1 - pos) :
			 section_fde_pos(sec, idx) + pos;
}

__u64 section_get_field(const struct section *sec, __u32 idx, enum field field)
{
	unsigned int size;
	__u32 pos = field_pos(sec, idx, field, &size);

	return section_get(sec, pos, size);
}

void section_put_field(struct section *sec, __u32 idx, enum field field,
		       __u64 value)
{
	unsigned int size;
	__u32 pos = field_pos(sec, idx, field, &size);

	section_put(sec, pos, size, value);
}

__u64 section_get(const struct section *sec, __u32 off, unsigned int size)
{
	if (off > sec->src.size || size > sec->src.size - off)
		abort();
	return get(sec, sec->bytes + off, size);
}

void section_put(struct section *sec, __u32 off, unsigned int size,
		 __u64 value)
{
	if (off > sec->src.size || size > sec->src.size - off)
		abort();
	put(sec, sec->bytes + off, size, value);
}

/* Cut off, or followed by bytes of 0xff. */
void section_resize(struct section *sec, __u64 size)
{
	__u64 old = sec->src.size;

	sec->bytes = grow(sec->bytes, size);
	if (size > old)
		memset(sec->bytes + old, 0xff, size - old);
	sec->src.size = size;
}

int section_open(struct section *sec, struct lw_sframe *sf, enum mode mode)
{
	sec->src.bytes = mode == IN_MEMORY ? sec->bytes : NULL;
	return lw_sframe_open(sf, &sec->src, &sec->place, sec->wanted);
}
