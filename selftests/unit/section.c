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

static void put_le(__u8 *p, unsigned int size, __u64 value)
{
	while (size--) {
		*p++ = (__u8)value;
		value >>= 8;
	}
}

static __u32 get_le(const __u8 *p, unsigned int size)
{
	__u32 value = 0;

	while (size--)
		value = value << 8 | p[size];
	return value;
}

static int section_read(const struct lw_sframe_source *src, void *dst,
			__u64 off, __u32 len)
{
	struct section *sec = (struct section *)src;

	sec->calls++;
	if (off > src->size || len > src->size - off) {
		sec->outside++;
		return -ENXIO;
	}
	if (sec->calls == sec->fail_at)
		return sec->fail_with;
	if (sec->addr + off < sec->hole_end &&
	    sec->addr + off + len > sec->hole_start)
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

void section_init(struct section *sec, __u8 flags)
{
	memset(sec, 0, sizeof(*sec));
	sec->src.read = section_read;
	sec->flags = flags;
	sec->addr = 0x442170;
	sec->text_start = 0x401000;
	sec->text_end = 0x440000;
}

/* Rows that follow are this function's. */
void section_fde(struct section *sec, __u64 start, __u32 size, __u8 info,
		 __u8 rep_size)
{
	__u32 i = sec->num_fdes++;
	__u8 *fde;

	sec->fdes = grow(sec->fdes, sec->num_fdes * FDE_SIZE);
	sec->starts = grow(sec->starts, sec->num_fdes * sizeof(__u64));
	sec->starts[i] = start;
	fde = sec->fdes + i * FDE_SIZE;
	memset(fde, 0, FDE_SIZE);
	put_le(fde + FDE_FUNC_SIZE, 4, size);
	put_le(fde + FDE_FRE_OFF, 4, sec->fre_len);
	fde[FDE_INFO] = info;
	fde[FDE_REP] = rep_size;
}

void section_row(struct section *sec, __u32 start, unsigned int base,
		 unsigned int count, unsigned int size_code, __s32 cfa,
		 __s32 fp)
{
	__u8 *fde = sec->fdes + (sec->num_fdes - 1) * FDE_SIZE;
	unsigned int start_size = 1U << (fde[FDE_INFO] & 0xf);
	unsigned int size = 1U << size_code, i;
	__u8 *row;

	/* in steps: ASan's realloc() copies each time */
	if (!sec->fres || (sec->fre_len + MAX_ROW) / STEP > sec->fre_len / STEP)
		sec->fres = grow(sec->fres,
				 (sec->fre_len / STEP + 2) * STEP);
	row = sec->fres + sec->fre_len;
	put_le(row, start_size, start);
	row[start_size] = base | count << 1 | size_code << 5;
	row += start_size + 1;
	for (i = 0; i < count; i++, row += size)
		put_le(row, size, (__u64)(i ? fp : cfa));
	sec->fre_len = row - sec->fres;
	sec->num_fres++;
	put_le(fde + FDE_NUM_FRES, 4, get_le(fde + FDE_NUM_FRES, 4) + 1);
}

void section_finish(struct section *sec)
{
	__u32 fde_len = sec->num_fdes * FDE_SIZE, i;
	__u64 base;

	sec->src.size = HDR_SIZE + fde_len + sec->fre_len;
	sec->bytes = grow(sec->bytes, sec->src.size);
	memset(sec->bytes, 0, HDR_SIZE);
	section_put(sec, HDR_MAGIC, 2, 0xdee2);
	section_put(sec, HDR_VERSION, 1, 2);
	section_put(sec, HDR_FLAGS, 1, sec->flags);
	section_put(sec, HDR_ABI, 1, 3);
	section_put(sec, HDR_FIXED_RA, 1, -8);
	section_put(sec, HDR_NUM_FDES, 4, sec->num_fdes);
	section_put(sec, HDR_NUM_FRES, 4, sec->num_fres);
	section_put(sec, HDR_FRE_LEN, 4, sec->fre_len);
	section_put(sec, HDR_FREOFF, 4, fde_len);

	for (i = 0; i < sec->num_fdes; i++) {
		base = sec->addr;
		if (sec->flags & PCREL)
			base += HDR_SIZE + i * FDE_SIZE;
		put_le(sec->fdes + i * FDE_SIZE, 4, sec->starts[i] - base);
	}
	if (fde_len)
		memcpy(sec->bytes + HDR_SIZE, sec->fdes, fde_len);
	if (sec->fre_len)
		memcpy(sec->bytes + HDR_SIZE + fde_len, sec->fres,
		       sec->fre_len);
}

/* Bytes made by somebody else. */
void section_load(struct section *sec, const void *bytes, __u64 size,
		  __u64 addr, __u64 text_start, __u64 text_end)
{
	section_init(sec, 0);
	sec->addr = addr;
	sec->text_start = text_start;
	sec->text_end = text_end;
	sec->src.size = size;
	sec->bytes = grow(NULL, size);
	memcpy(sec->bytes, bytes, size);
}

/* The same section, with starts relative to their own field. */
void section_to_pcrel(struct section *sec)
{
	__u32 n = section_get(sec, HDR_NUM_FDES, 4), i, pos;

	section_put(sec, HDR_FLAGS, 1,
		    section_get(sec, HDR_FLAGS, 1) | PCREL);
	for (i = 0; i < n; i++) {
		pos = section_fde_pos(sec, i);
		section_put(sec, pos, 4, section_get(sec, pos, 4) - pos);
	}
}

void section_free(struct section *sec)
{
	free(sec->bytes);
	free(sec->fdes);
	free(sec->fres);
	free(sec->starts);
	memset(sec, 0, sizeof(*sec));
}

static __u32 header_end(const struct section *sec)
{
	return HDR_SIZE + section_get(sec, HDR_AUX_LEN, 1);
}

__u32 section_fde_pos(const struct section *sec, __u32 idx)
{
	return header_end(sec) + section_get(sec, HDR_FDEOFF, 4) +
	       idx * FDE_SIZE;
}

/* Where the rows of an FDE begin. */
__u32 section_fre_pos(const struct section *sec, __u32 idx)
{
	return header_end(sec) + section_get(sec, HDR_FREOFF, 4) +
	       section_get(sec, section_fde_pos(sec, idx) + FDE_FRE_OFF, 4);
}

__u32 section_get(const struct section *sec, __u32 off, unsigned int size)
{
	if (off + size > sec->src.size)
		abort();
	return get_le(sec->bytes + off, size);
}

void section_put(struct section *sec, __u32 off, unsigned int size,
		 __u64 value)
{
	if (off + size > sec->src.size)
		abort();
	put_le(sec->bytes + off, size, value);
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

int section_open(struct section *sec, struct lw_sframe *sf)
{
	return lw_sframe_open(sf, &sec->src, sec->addr, sec->text_start,
			      sec->text_end);
}
