// SPDX-License-Identifier: GPL-2.0
/* input.c - inputs, sources of their bytes, and the frame of an execution */
#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

#define MAX_NSEC	10000000ULL	/* of one execution */
#define FAULT		(-EFAULT)

const struct fuzz_reader *reader = &checked_reader;
struct tell tell;

void die(const char *fmt, ...)
{
	va_list ap;

	fputs("latewind-fuzz: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

static __u32 next_random(__u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* What is behind the bytes, in pieces that get longer: it is read a lot. */
static void copy_stretched(const struct watched *w, __u8 *dst, __u64 off,
			   __u32 len)
{
	__u32 done = 0, part;

	if (off < w->len) {
		done = w->len - off < len ? w->len - off : len;
		memcpy(dst, w->bytes + off, done);
		off += done;
		dst += done;
		len -= done;
	}
	part = len < w->tail ? len : w->tail;
	for (done = 0; done < part; done++)
		dst[done] = w->bytes[w->len - w->tail +
				     (off - w->len + done) % w->tail];
	for (; done < len; done += part) {
		part = done < len - done ? done : len - done;
		memcpy(dst + done, dst, part);
	}
}

static int watched_read(const struct lw_sframe_source *src, void *dst,
			__u64 off, __u32 len)
{
	struct watched *w = (struct watched *)src;

	w->calls++;
	if (off > src->size || len > src->size - off)
		die("read of %u bytes at %llu, in a section of %llu", len,
		    (unsigned long long)off, (unsigned long long)src->size);
	if (w->calls == w->fail_at)
		return FAULT;
	if (w->tail)
		copy_stretched(w, dst, off, len);
	else
		memcpy(dst, w->bytes + off, len);
	if (w->flips && len && next_random(&w->flips) % 4 == 0)
		((__u8 *)dst)[next_random(&w->flips) % len] ^=
			1U << next_random(&w->flips) % 8;
	return 0;
}

/* Before each call of the reader; a call that comes again sees other bits. */
void watched_reset(struct watched *w)
{
	w->calls = 0;
	if (w->flips)
		next_random(&w->flips);
}

/* After each. */
void watched_check(const struct watched *w, unsigned int max_reads)
{
	if (w->calls > max_reads)
		die("%u reads, at most %u were promised", w->calls, max_reads);
	if (w->calls > tell.max_reads)
		tell.max_reads = w->calls;
}

/**
 * tell_of() - count a result
 * @result: of the reader, for an FDE, a row or an address
 */
void tell_of(int result)
{
	if (!result)
		tell.found++;
	else if (result < 0)
		tell.failed++;
	else if (lw_sframe_is_corrupt(result))
		tell.corrupt++;
	else
		tell.none++;
}

static void set_place(struct input *in)
{
	struct lw_sframe_place *place = &in->place;
	__u64 shift = in->control[CTL_ADDR];

	*place = (struct lw_sframe_place){
		.addr = SECTION_ADDR + shift,
		.text_start = TEXT_START,
		.text_end = TEXT_END,
		.paths = !!(in->control[CTL_MODE] & PLACE_PATHS),
	};
	switch (in->control[CTL_MODE] & PLACE_MASK) {
	case PLACE_NARROW:
		place->text_start = SECTION_ADDR - 0x1000 - 0x20 * shift;
		place->text_end = SECTION_ADDR + 0x20 * shift;
		break;
	case PLACE_TOP:
		place->addr = ~0ULL - 0x10000 - shift;
		place->text_start = 0x8000000000000000ULL;
		place->text_end = ~0ULL;
		break;
	case PLACE_ALL:
		place->text_start = 0;
		place->text_end = ~0ULL;
		break;
	case PLACE_WRAPS:
		place->addr = ~0ULL - shift;
		break;
	case PLACE_EMPTY:
		place->text_end = place->text_start - (shift & 1);
		break;
	}
}

static void set_sources(struct input *in)
{
	static const __u64 more[] = {
		0, 1, 64, 4096, 1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 21,
		1 << 24, 1 << 28, 1ULL << 32, 1ULL << 34, 1ULL << 40,
		1ULL << 62, ~0ULL,
	};
	/* as rows are long, that the tail may be one */
	static const __u8 tails[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 21, 41, 29,
	};
	struct watched *w = &in->reads;
	__u8 seed = in->control[CTL_SEED];

	*w = (struct watched){
		.src = { .read = watched_read, .size = in->len },
		.bytes = in->bytes,
		.len = in->len,
	};
	in->direct = (struct lw_sframe_source){
		.bytes = in->bytes, .size = in->len,
	};
	if (in->mode == MODE_FAULT)
		w->fail_at = 1 + seed % 48;
	if (in->mode == MODE_FLIP)
		w->flips = 0x9e3779b9 + seed;
	if (in->mode == MODE_STRETCH && in->len) {
		w->tail = tails[seed >> 4];
		if (w->tail > in->len)
			w->tail = in->len;
		if (more[seed & 15] < ~0ULL - in->len)
			w->src.size += more[seed & 15];
		else
			w->src.size = ~0ULL;
	}
}

/**
 * input_parse() - take an input apart
 * @in: filled
 * @data: the input; its first CONTROL bytes are aligned, and the memory ends
 *	where it does
 * @size: bytes of it
 *
 * Return: 0, or -1 if it has no section.
 */
int input_parse(struct input *in, const __u8 *data, size_t size)
{
	if (size <= CONTROL)
		return -1;
	memcpy(in->control, data, CONTROL);
	in->bytes = data + CONTROL;
	in->len = size - CONTROL;
	in->mode = in->control[CTL_MODE] & MODE_MASK;
	if (in->mode < MODE_FAULT)
		in->mode = MODE_PLAIN;
	in->abi = in->control[CTL_ABI] % NUM_ASKED;
	set_place(in);
	set_sources(in);
	return 0;
}

/**
 * input_fde() - the number of an FDE to look at
 * @in: input
 * @sf: its section
 * @n: which of NUM_PCS
 *
 * Return: less than @sf->num_fdes.
 */
__u32 input_fde(const struct input *in, const struct lw_sframe *sf,
		unsigned int n)
{
	__u32 idx = in->control[CTL_PC + n] & 0x1f;

	/* from the end too, where there are many */
	if (idx & 0x10)
		idx = sf->num_fdes - 1 - (idx & 0xf);
	return idx % sf->num_fdes;
}

/**
 * input_room() - for how many buckets an index has room
 * @in: input
 *
 * Return: 2 to MAX_ROOM.
 */
__u32 input_room(const struct input *in)
{
	return 2 + (in->control[CTL_SEED] ^ in->control[CTL_ADDR]) %
		   (MAX_ROOM - 1);
}

/**
 * input_pc() - an address to look up: some are in a function, some are not
 * @in: input
 * @sf: its section
 * @n: which of NUM_PCS
 *
 * Return: the address.
 */
__u64 input_pc(const struct input *in, const struct lw_sframe *sf,
	       unsigned int n)
{
	struct lw_sframe_fde fde;

	/* what was read so far is good enough */
	expect_fde(in, sf, input_fde(in, sf, n), &fde);
	switch (in->control[CTL_PC + n] >> 5) {
	case 0:
		return fde.start;
	case 1:
		return fde.start - 1;
	case 2:
		return fde.start + fde.size - 1;
	case 3:
		return fde.start + fde.size;
	case 4:
		return fde.start + fde.size / 2;
	case 5:
		return fde.start + fde.size / 4 + n;
	case 6:
		return fde.start + 1 + n;
	default:
		return fde.start + in->control[CTL_PC + n] * 5 + n;
	}
}

static void open_reads(struct input *in, struct lw_sframe *sf, int *result)
{
	watched_reset(&in->reads);
	*result = reader->open(sf, &in->reads.src, &in->place, in->abi);
	watched_check(&in->reads, MAX_OPEN_READS);
	if (!is_result(in, *result))
		die("open: result %d", *result);
	/* an opened section is inside of its bytes, whatever the reads gave */
	if (!*result && (sf->num_fdes == 0 ||
			 sf->num_fdes > LW_SFRAME_MAX_FDES ||
			 sf->fde_off > sf->src->size ||
			 sf->fre_off + sf->fre_len > sf->src->size))
		die("open: areas that can't be");
}

static void compare_opened(const struct lw_sframe *a, const struct lw_sframe *b,
			   const char *what)
{
	if (a->fde_off != b->fde_off || a->fre_off != b->fre_off ||
	    a->fre_len != b->fre_len || a->num_fdes != b->num_fdes ||
	    a->num_fres != b->num_fres || a->version != b->version ||
	    a->flags != b->flags || a->abi != b->abi ||
	    a->fixed_fp != b->fixed_fp || a->fixed_ra != b->fixed_ra ||
	    a->auxhdr_len != b->auxhdr_len)
		die("open: other fields %s", what);
}

/**
 * open_both() - open the section from both sources, and see that it is right
 * @in: input
 * @direct: filled with MODE_PLAIN
 * @reads: filled
 *
 * Return: 0, or why not, and then there is nothing to look up.
 */
int open_both(struct input *in, struct lw_sframe *direct,
	      struct lw_sframe *reads)
{
	struct lw_sframe expected;
	int result, other;
	__u64 wrong;

	open_reads(in, reads, &result);
	if (result)
		tell.refused++;
	else
		tell.opened++;
	if (in->mode == MODE_PLAIN) {
		other = reader->open(direct, &in->direct, &in->place,
				       in->abi);
		if (other != result)
			die("open: result %d in memory, %d by read()", other,
			    result);
		if (!result)
			compare_opened(direct, reads, "by read()");
	}
	if (in->mode != MODE_FLIP && result >= 0) {
		wrong = expect_open(in, &in->reads.src, &expected);
		expect_result("open", result, wrong);
		if (!result)
			compare_opened(&expected, reads, "than expected");
	}
	if (!result && (in->control[CTL_MODE] & PLACE_ENTRY)) {
		struct lw_sframe_fde fde;

		expect_fde(in, reads, input_fde(in, reads, 0), &fde);
		reads->place.entry = fde.start;
		direct->place.entry = fde.start;
	}
	return result;
}

/* Bytes that change while the second copy of the reader looks at them. */
static struct {
	__u8	*start;
	size_t	len;
	__u32	state;
} racing;

static void maybe_change(const void *at, unsigned int size)
{
	size_t off = (const __u8 *)at - racing.start;
	__u32 random;

	if (!racing.start || off >= racing.len ||
	    next_random(&racing.state) % 8)
		return;
	random = next_random(&racing.state);
	off += random % size;
	if (off >= racing.len)
		return;
	if (random & 0x100)
		racing.start[off] = random >> 9;
	else
		racing.start[off] ^= 1U << (random >> 9) % 8;
}

void race_copy(void *to, const void *from, unsigned long len)
{
	maybe_change(from, len);
	memcpy(to, from, len);
}

void __sanitizer_cov_load1(void *at)
{
	maybe_change(at, 1);
}

void __sanitizer_cov_load2(void *at)
{
	maybe_change(at, 2);
}

void __sanitizer_cov_load4(void *at)
{
	maybe_change(at, 4);
}

void __sanitizer_cov_load8(void *at)
{
	maybe_change(at, 8);
}

void __sanitizer_cov_load16(void *at)
{
	maybe_change(at, 16);
}

static void race(__u8 *bytes, int on)
{
	racing.start = on ? bytes : NULL;
}

static void race_once(const struct input *in, const struct lw_sframe *sf,
		      __u64 pc, __u8 *bytes)
{
	struct lw_rule rule;
	int result;

	race(bytes, 1);
	result = racing_reader.find(sf, pc, &rule);
	race(bytes, 0);
	tell.raced++;
	if (!is_result(in, result))
		die("racing find: result %d", result);
	if (!result)
		expect_sense(sf, &rule);
}

/*
 * Look-ups in memory whose bytes change between any two loads.
 * "With any result but no harm."  A bit is changed before the reader's loads,
 * so whoever loads twice what it checked once is seen.
 */
static int run_race(const struct input *in)
{
	struct lw_sframe_source src = { .size = in->len };
	__u32 first[MAX_ROOM + 1];
	struct lw_sframe sf;
	unsigned int i;
	int result;
	__u8 *copy = malloc(in->len);

	if (!copy)
		die("no memory");
	memcpy(copy, in->bytes, in->len);
	src.bytes = copy;
	racing.state = 0x9e3779b9 + in->control[CTL_SEED] / 4;
	racing.len = in->len;
	/* header and index are let pass, now and then */
	race(copy, in->control[CTL_SEED] & 1);
	result = racing_reader.open(&sf, &src, &in->place, in->abi);
	race(copy, in->control[CTL_SEED] & 2);
	if (!result && sf.num_fdes <= MAX_INDEXED)
		racing_reader.add_index(&sf, first, input_room(in), NULL);
	for (i = 0; !result && i < NUM_PCS; i++) {
		race(copy, 0);
		race_once(in, &sf, input_pc(in, &sf, i), copy);
	}
	race(copy, 0);
	free(copy);
	if (!is_result(in, result))
		die("racing open: result %d", result);
	return result ? -1 : 0;
}

static __u64 nsec(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The reader must not look before the section either. */
static int run(const __u8 *data, size_t size)
{
	struct input in;
	int ret;

	if (input_parse(&in, data, size))
		return -1;
	ASAN_POISON_MEMORY_REGION(data, CONTROL);
	if (in.mode == MODE_RACE)
		ret = run_race(&in);
	else
		ret = fuzz_one(&in);
	ASAN_UNPOISON_MEMORY_REGION(data, CONTROL);
	return ret;
}

/* CPU time without what the sanitizers cost; the best of some. */
static __u64 plain_nsec(const __u8 *data, size_t size)
{
	__u64 best = ~0ULL, start, took;
	int i;

	reader = &plain_reader;
	for (i = 0; i < 5 && best > MAX_NSEC; i++) {
		start = nsec(CLOCK_THREAD_CPUTIME_ID);
		run(data, size);
		took = nsec(CLOCK_THREAD_CPUTIME_ID) - start;
		if (took < best)
			best = took;
	}
	reader = &checked_reader;
	return best;
}

/*
 * Nothing takes more CPU time than wall time, and that clock takes no system
 * call.  The machine may be slow or busy, so what is late gets more chances.
 */
static void check_time(const __u8 *data, size_t size, __u64 wall)
{
	__u64 took;

	if (wall > tell.max_nsec)
		tell.max_nsec = wall;
	if (wall <= MAX_NSEC)
		return;
	tell.retimed++;
	took = plain_nsec(data, size);
	if (took > MAX_NSEC)
		die("takes %llu ns of CPU time, at most %llu are allowed",
		    (unsigned long long)took, MAX_NSEC);
}

static void print_tell(void)
{
	fprintf(stderr,
		"tell: refused=%lu opened=%lu found=%lu none=%lu corrupt=%lu failed=%lu compared=%lu indexed=%lu raced=%lu retimed=%lu max_reads=%lu max_nsec=%lu\n",
		tell.refused, tell.opened, tell.found, tell.none, tell.corrupt,
		tell.failed, tell.compared, tell.indexed, tell.raced,
		tell.retimed, tell.max_reads, tell.max_nsec);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	atexit(print_tell);
	return 0;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	__u64 start;
	int ret;

	start = nsec(CLOCK_MONOTONIC);
	ret = run(data, size);
	check_time(data, size, nsec(CLOCK_MONOTONIC) - start);
	return ret;
}
