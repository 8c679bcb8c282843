// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_actor.c - see fuzz.h: numbers, pointers, calls, and which results are documented.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fuzz.h"
#include "lib/inject.h"

/* No call has more places to fail than this. */
#define MAX_NTH	400

struct fuzz_shared *fuzz_shared;
struct fuzz_run *fuzz_run;
struct fuzz_world fuzz_world;

uint64_t fuzz_roll(struct fuzz_actor *a, uint64_t sides)
{
	return (lwt_random(&a->dice) >> 16) % sides;
}

/* A number at which something changes. */
uint64_t fuzz_weird(struct fuzz_actor *a)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 15, 16, 127, 255, 256, 1023, 1024, 4095, 4096, 4097, 65535, 65536,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x7ffffffff000,
		0x7fffffffffff, 0x800000000000, 0xffff800000000000, 0xffffffff81000000,
		0xffffffffff600000, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL - 7, ~0ULL,
	};

	if (!fuzz_roll(a, 4))
		return fuzz_roll(a, 40);
	return edges[fuzz_roll(a, sizeof(edges) / sizeof(*edges))] + !fuzz_roll(a, 8) -
	       !fuzz_roll(a, 8);
}

/* Once in so many times, up to three fields become something else. */
void fuzz_spoil(struct fuzz_actor *a, void *bytes, size_t len, unsigned int rarely)
{
	unsigned int nr;

	if (fuzz_roll(a, rarely))
		return;
	for (nr = 1 + fuzz_roll(a, 3); nr; nr--) {
		size_t at = fuzz_roll(a, len / 4) * 4;
		uint64_t value = fuzz_weird(a);

		memcpy((char *)bytes + at, &value, len - at >= 8 && fuzz_roll(a, 2) ? 8 : 4);
	}
}

/* Moves bytes where memory may be gone at any moment.  Return: did it work. */
bool fuzz_poke(const void *from, void *to, size_t len)
{
	off_t at = (uintptr_t)__builtin_frame_address(0) & 0xffff8;

	return pwrite(fuzz_world.scratch, from, len, at) == (ssize_t)len &&
	       pread(fuzz_world.scratch, to, len, at) == (ssize_t)len;
}

/* Room for what the kernel writes; behind it is more, and then nothing. */
void *fuzz_room(struct fuzz_actor *a, size_t len)
{
	size_t most = len < FUZZ_ARGS ? FUZZ_ARGS - len : 0;

	switch (fuzz_roll(a, 16)) {
	case 0:
		return fuzz_place(a, a->out, len < FUZZ_PAGE ? len : FUZZ_PAGE);
	case 1:
		return a->out + most;
	default:
		return a->out + (fuzz_roll(a, 8) ? 0 : fuzz_roll(a, most + 1));
	}
}

/* An address for these bytes, at which they mostly are. */
void *fuzz_place(struct fuzz_actor *a, const void *bytes, size_t len)
{
	char *end = a->args + FUZZ_ARGS, *at;
	size_t odd;

	at = a->args + a->used;
	if (len > (size_t)(end - at))
		return NULL;
	a->used += (len + 15) & ~7UL;
	odd = len < FUZZ_REGION ? fuzz_roll(a, FUZZ_REGION - len) : 0;
	switch (fuzz_roll(a, 40)) {
	case 0:
		return NULL;
	case 1:
		return (void *)fuzz_weird(a);
	case 2:
		at = end - len;
		break;
	case 3:
		memcpy(end - len / 2, bytes, len / 2);
		return end - len / 2;
	case 4:
		at += 1 + fuzz_roll(a, 6);
		break;
	case 5:
		if (len > FUZZ_REGION)
			break;
		fuzz_poke(bytes, fuzz_world.region + odd, len);
		return fuzz_world.region + odd;
	case 6:
		if (!fuzz_world.missing || len > FUZZ_REGION)
			break;
		memcpy(fuzz_world.source + odd, bytes, len);
		madvise(fuzz_world.missing, FUZZ_REGION, MADV_DONTNEED);
		return fuzz_world.missing + odd;
	case 7:
		return fuzz_world.constant;
	case 8:
		return fuzz_world.mmio;
	}
	memcpy(at, bytes, len);
	return at;
}

/* What failed, and how to have it again. */
void fuzz_tell(const struct fuzz_run *run, const char *what)
{
	unsigned int i;

	printf("# %s, in \"%s\": LW_FUZZ_FAULTS=%u LW_FUZZ_REPLAY=%llu", what, run->at,
	       fuzz_shared->faults_of_64, (unsigned long long)fuzz_shared->seed);
	for (i = 0; i < run->current.nr; i++)
		printf("%c%llu", i ? ',' : ':', (unsigned long long)run->current.numbers[i]);
	printf("\n");
}

static void complain(const char *name, long ret)
{
	char text[64];

	if (fuzz_add(&fuzz_shared->undocumented, 1) >= 20)
		return;
	snprintf(text, sizeof(text), "%s: %ld (%s) is not documented", name, ret,
		 ret < 0 ? strerrorname_np(-ret) : "no error");
	fuzz_tell(fuzz_run, text);
}

/* As syscall(); on s390x mmap() has its arguments in memory. */
static long make_call(const long *args)
{
#if defined(__s390x__)
	if (args[0] == SYS_mmap)
		return syscall(SYS_mmap, &args[1]);
#endif
	return syscall(args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
}

/* @allowed ends with 0. */
static void judge(const char *name, const short *allowed, long ret)
{
	if (ret >= 0 || !allowed)
		return;
	for (; *allowed; allowed++)
		if (*allowed == -ret)
			return;
	complain(name, ret);
}

static long call_it(const char *name, const short *allowed, const long *args)
{
	long ret;

	fuzz_add(&fuzz_shared->calls, 1);
	ret = make_call(args);
	if (ret < 0)
		ret = -errno;
	judge(name, allowed, ret);
	return ret;
}

/* With the failure of the first thing that can fail in it, the second, and so on. */
static void sweep(struct fuzz_actor *a, const char *name, const short *allowed,
		  const long *args)
{
	unsigned int nth, left = 0;
	long ret;
	char keep[512];
	bool kept = (char *)args[3] >= a->args && (char *)args[3] <= a->args + FUZZ_ARGS - 512;

	fuzz_add(&fuzz_shared->sweeps, 1);
	if (kept)
		memcpy(keep, (void *)args[3], sizeof(keep));
	for (nth = 1; nth < MAX_NTH && !left; nth++) {
		inject_arm(a->nth, nth);
		ret = call_it(name, allowed, args);
		left = inject_disarm(a->nth);
		/* What it gave all the same would keep a session for as long as we live. */
		if (args[0] == SYS_openat && ret >= 0)
			close(ret);
		if (args[0] == SYS_mmap && ret >= 0)
			munmap((void *)ret, args[2]);
		if (!left)
			fuzz_add(&fuzz_shared->faults, 1);
		if (kept)
			memcpy((void *)args[3], keep, sizeof(keep));
	}
}

/* @allowed: errors that it may have, up to a 0; NULL: any.  Return: its result or -errno. */
long fuzz_call(struct fuzz_actor *a, const char *name, const short *allowed, long nr, long x,
	       long y, long z, long u, long v, long w)
{
	const long args[] = { nr, x, y, z, u, v, w };

	fuzz_run->at = name;
	if (a->sweeps && allowed)
		sweep(a, name, allowed, args);
	return call_it(name, allowed, args);
}

const char *const fuzz_names[FUZZ_IOCTLS] = {
	"INFO", "SETUP", "ADD_EVENT", "ENABLE", "DISABLE", "REQUEST", "STATS", "FILTER",
	"ADD_SYSCALL", "ADD_TABLE", "ADD_SECTION", "REMOVE_SECTION", "VMA_QUERY", "VMA_LIST",
	"TASK_LIST", "NEXT_FILE", "FILE_DONE", "ADD_CODE",
};

/* By number, as latewind.h tells of them, but for those that all have. */
#define MAX_ERRORS	16

static const short common[] = { EINVAL, E2BIG, EFAULT, 0 };
static const short gone[] = { EBADF, ENOTTY, 0 };

static const short documented[FUZZ_IOCTLS][MAX_ERRORS] = {
	{ 0 },
	{ EBUSY, EPERM, ENOSPC, ENOMEM },
	/* The last ones are perf's. */
	{ EBADFD, EBUSY, EPERM, ESRCH, ENOSPC, EMFILE, ENOENT, EOPNOTSUPP, EACCES, ENODEV,
	  EOVERFLOW, ENOMEM, EILSEQ },
	{ EPERM, EBADFD, ENOENT, EALREADY },
	{ EBADFD, ENOENT, EALREADY },
	{ EBADFD, ENOMEM, EPERM },
	{ 0 },
	{ EPERM, ESRCH, EBADF, EOPNOTSUPP, ENOMEM },
	{ EBADFD, EBUSY, EPERM, EEXIST, ENOSPC, EOPNOTSUPP, ENOMEM },
	{ EBADFD, EBADF, EACCES, ESTALE, ENOENT, EBADMSG, EOPNOTSUPP, EPERM, ENOSPC, ENOMEM },
	{ EOPNOTSUPP, EACCES, EAGAIN, EEXIST, ENOSPC, EPERM, ENOMEM },
	{ EOPNOTSUPP, ENOENT },
	{ ESRCH, EACCES, ENOENT, ENAMETOOLONG, ENOMEM },
	{ ESRCH, EACCES, ENOENT, ENOSPC, ENOMEM },
	{ EACCES, ENOENT, ENOMEM },
	{ EBADFD, EAGAIN },
	{ EBADFD },
	{ ESRCH, EPERM, EOPNOTSUPP, EACCES, EAGAIN, EEXIST, ENOSPC, ENOMEM },
};

/* What LW_PROC_PATH has, and who opened the device O_WRONLY, by number. */
#define PROC_HAS	(1U << 0 | 1U << 10 | 1U << 11)
#define WRITE_ONLY_HAS	(PROC_HAS | 1U << 12 | 1U << 13 | 1U << 14)

/* The only error that it can have, as the file is not one that has this ioctl; or 0. */
static int refusal(const struct fuzz_slot *slot, unsigned int nr)
{
	if (slot->kind == FUZZ_NO_FILE)
		return -EBADF;
	if (nr >= FUZZ_IOCTLS || (slot->kind == FUZZ_PROC && !(PROC_HAS >> nr & 1)))
		return -ENOTTY;
	return slot->kind == FUZZ_WRITE_ONLY && !(WRITE_ONLY_HAS >> nr & 1) ? -EBADF : 0;
}

static void add_errors(short *errors, const short *more)
{
	while (*errors)
		errors++;
	while (*more)
		*errors++ = *more++;
}

/* Room for the errors that an ioctl may have. */
static void allow(short errors[MAX_ERRORS + 8], const struct fuzz_slot *slot, unsigned int nr)
{
	int refused = fuzz_world.racing ? 0 : refusal(slot, nr);

	errors[0] = -refused;
	if (refused)
		return;
	add_errors(errors, common);
	add_errors(errors, documented[nr % FUZZ_IOCTLS]);
	if (fuzz_world.racing)
		add_errors(errors, gone);
}

/* What an ioctl returned that was made in another way. */
void fuzz_judge(const struct fuzz_slot *slot, unsigned int nr, long ret)
{
	short errors[MAX_ERRORS + 8] = {};

	allow(errors, slot, nr);
	judge(fuzz_names[nr], errors, ret);
}

/*
 * An ioctl with a struct that is somewhere, and mostly as @bytes says.  @back: NULL, or where
 * its first @len bytes go as they are afterwards.
 */
long fuzz_ioctl(struct fuzz_actor *a, const struct fuzz_slot *slot, unsigned int cmd,
		const void *bytes, size_t len, void *back)
{
	short errors[MAX_ERRORS + 8] = {};
	unsigned int nr = _IOC_NR(cmd);
	struct fuzz_slot known = *slot;
	uint32_t more[32] = {};
	char *at;
	long ret;

	/* A longer struct, with something or nothing behind what is known; or a shorter one. */
	memcpy(more, bytes, len < sizeof(more) ? len : sizeof(more));
	if (len + 8 <= sizeof(more) && !fuzz_roll(a, 24)) {
		more[0] = fuzz_roll(a, 2) ? len + 8 : fuzz_roll(a, len + 1);
		more[len / 4] = fuzz_roll(a, 2);
		bytes = more;
		at = fuzz_place(a, bytes, len + 8);
	} else {
		at = fuzz_place(a, bytes, len);
	}
	if (!fuzz_roll(a, 64))
		cmd ^= 1U << (_IOC_SIZESHIFT + fuzz_roll(a, _IOC_SIZEBITS));
	allow(errors, &known, nr);
	ret = fuzz_call(a, nr < FUZZ_IOCTLS ? fuzz_names[nr] : "no ioctl", errors, SYS_ioctl,
			known.fd, cmd, (long)at, 0, 0, 0);
	if (nr < FUZZ_IOCTLS)
		fuzz_add(&fuzz_shared->results[nr][ret < 0 ? -ret : 0], 1);
	if (!fuzz_world.racing && refusal(&known, nr) && ret >= 0)
		complain("a file that does not have this ioctl", ret);
	if (back && (ret < 0 || !fuzz_poke(at, back, len)))
		memset(back, 0, len);
	return ret;
}

struct fuzz_slot *fuzz_pick(struct fuzz_actor *a)
{
	return &fuzz_world.slots[fuzz_roll(a, FUZZ_SLOTS)];
}

/* Mostly a session that is set up, else one that is not, else any. */
struct fuzz_slot *fuzz_pick_session(struct fuzz_actor *a)
{
	unsigned int i, from = fuzz_roll(a, FUZZ_SLOTS);
	struct fuzz_slot *slot, *other = NULL;

	if (!fuzz_roll(a, 24))
		return fuzz_pick(a);
	for (i = 0; i < FUZZ_SLOTS; i++) {
		slot = &fuzz_world.slots[(from + i) % FUZZ_SLOTS];
		if (slot->kind != FUZZ_SESSION)
			continue;
		if (slot->ring_size)
			return slot;
		other = slot;
	}
	return other ?: fuzz_pick(a);
}
