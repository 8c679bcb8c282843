// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_memory.c - see fuzz.h: code that comes and goes, pages that are late, stacks that lie.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fuzz.h"
#include "lib/inject.h"
#include "lib/jit.h"
#include "programs/raw.h"

/* Memory of QEMU's SATA controller, which may be read without harm. */
#define MMIO	"/sys/bus/pci/devices/0000:00:1f.2/resource5"

static struct fuzz_world *const w = &fuzz_world;

/* @len bytes with nothing mapped on either side. */
static char *guarded(size_t len)
{
	char *area = mmap(NULL, len + 32 * FUZZ_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (area == MAP_FAILED ||
	    mprotect(area + 16 * FUZZ_PAGE, len, PROT_READ | PROT_WRITE))
		abort();
	return area + 16 * FUZZ_PAGE;
}

void fuzz_init_actor(struct fuzz_actor *a)
{
	a->nth = -1;
	a->args = guarded(FUZZ_ARGS);
	a->out = guarded(FUZZ_ARGS);
	a->stack = (uint64_t *)guarded(FUZZ_WORDS * 8);
}

static void init_missing(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	w->source = guarded(FUZZ_REGION);
	w->missing = guarded(FUZZ_REGION);
	w->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range.start = (uintptr_t)w->missing;
	reg.range.len = FUZZ_REGION;
	if (w->uffd < 0 || ioctl(w->uffd, UFFDIO_API, &api) ||
	    ioctl(w->uffd, UFFDIO_REGISTER, &reg))
		w->missing = NULL;
}

/* A thread: who waits for a page gets it, now and then after something else has changed. */
void *fuzz_bring_pages(void *actor)
{
	struct fuzz_actor *a = actor;
	struct uffdio_copy copy;
	struct uffd_msg msg;

	while (read(w->uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		uint64_t page = msg.arg.pagefault.address & ~(FUZZ_PAGE - 1);

		if (msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		if (!fuzz_roll(a, 4))
			fuzz_do_text(a);
		copy = (struct uffdio_copy) {
			.dst = page,
			.src = (uintptr_t)w->source + (page - (uintptr_t)w->missing),
			.len = FUZZ_PAGE,
		};
		if (ioctl(w->uffd, UFFDIO_COPY, &copy)) {
			struct uffdio_range range = { page, FUZZ_PAGE };

			ioctl(w->uffd, UFFDIO_WAKE, &range);
		}
	}
	return NULL;
}

static int make_cgroups(void)
{
	int fs = syscall(SYS_fsopen, "cgroup2", 1), fd;

	if (fs < 0)
		return -1;
	/* FSCONFIG_CMD_CREATE */
	syscall(SYS_fsconfig, fs, 6, NULL, NULL, 0);
	fd = syscall(SYS_fsmount, fs, 1, 0);
	close(fs);
	return fd;
}

void fuzz_init_world(void)
{
	char *code = guarded(FUZZ_TEXT);
	unsigned int i;
	int fd;

	memset(w, 0, sizeof(*w));
	for (i = 0; i < FUZZ_SLOTS; i++)
		w->slots[i].fd = -1;
	w->scratch = memfd_create("lw-scratch", MFD_CLOEXEC);
	w->code = memfd_create("lw-code", MFD_CLOEXEC);
	w->cgroups = make_cgroups();
	jit_fill(code, FUZZ_TEXT);
	if (write(w->code, code, FUZZ_TEXT) != (ssize_t)FUZZ_TEXT)
		abort();
	w->text = guarded(2 * FUZZ_TEXT);
	w->region = guarded(FUZZ_REGION);
	init_missing();
	w->constant = guarded(FUZZ_PAGE);
	mprotect(w->constant, FUZZ_PAGE, PROT_READ);
	fd = open(MMIO, O_RDONLY | O_CLOEXEC);
	w->mmio = mmap(NULL, FUZZ_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (w->mmio == MAP_FAILED)
		w->mmio = NULL;
	close(fd);
	for (i = 0; i < FUZZ_FILES; i++) {
		if (fake_make(&w->files[i], i ? NULL : lwt_disk(), 4, i * FUZZ_PAGE))
			abort();
		w->file_maps[i] = fake_map(&w->files[i], 0, 4);
	}
}

/* Anonymous, or of a file; nobody may be there who writes to it by plain stores. */
static void map_text(struct fuzz_actor *a, char *at, size_t len)
{
	bool of_file = a && !fuzz_roll(a, 4);

	mmap(at, len, PROT_READ | PROT_WRITE | PROT_EXEC,
	     MAP_PRIVATE | MAP_FIXED | (of_file ? 0 : MAP_ANONYMOUS), of_file ? w->code : -1,
	     of_file ? at - w->text : 0);
	if (!of_file)
		(void)!pread(w->code, at, len, 0);
}

/* What a program starts from.  No other thread of the process calls meanwhile. */
void fuzz_reset_world(void)
{
	unsigned int i;
	int fd;

	for (i = 0; i < FUZZ_MAPS; i++)
		if (w->maps[i].len)
			munmap(w->maps[i].at, w->maps[i].len);
	memset(w->maps, 0, sizeof(w->maps));
	for (i = 0; i < FUZZ_SLOTS; i++) {
		fd = w->slots[i].fd;
		if (fd >= 0 && w->slots[i].kind == FUZZ_SESSION && w->slots[i].ring_size &&
		    !fuzz_balanced(fd))
			fuzz_add(&fuzz_shared->unbalanced, 1);
		if (fd >= 0)
			close(fd);
		w->slots[i] = (struct fuzz_slot) { .fd = -1 };
	}
	/* Registered sections go with their text. */
	map_text(NULL, w->text, FUZZ_TEXT);
	mmap(w->region, FUZZ_REGION, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Somewhere that means something. */
uint64_t fuzz_address(struct fuzz_actor *a)
{
	const struct fuzz_map *map = &w->maps[fuzz_roll(a, FUZZ_MAPS)];
	unsigned int file = fuzz_roll(a, FUZZ_FILES);
	uint64_t at;

	switch (fuzz_roll(a, 24)) {
	default:
		return (uintptr_t)w->text + fuzz_roll(a, FUZZ_TEXT / JIT_STRIDE) * JIT_STRIDE +
		       JIT_RETURN;
	case 0 ... 5:
		return (uintptr_t)w->file_maps[file] + w->files[file].offset +
		       fuzz_roll(a, FAKE_FUNCS) * FAKE_SIZE + FAKE_SIZE / 2;
	case 6:
		return (uintptr_t)raw_hostile_sframe_ip;
	case 7:
		return (uintptr_t)raw_hostile_fp_ip;
	case 8:
		return (uintptr_t)(fuzz_roll(a, 2) ? raw_restorer : raw_lone_restorer);
	case 9:
		return (uintptr_t)(a->stack + fuzz_roll(a, FUZZ_WORDS));
	case 10:
		return fuzz_weird(a);
	case 11:
		return (uintptr_t)w->region + fuzz_roll(a, FUZZ_REGION);
	case 12:
		return (uintptr_t)(w->missing ?: w->region) + fuzz_roll(a, FUZZ_REGION / 8) * 8;
	case 13:
		return (uintptr_t)(w->mmio ?: w->constant) + fuzz_roll(a, FUZZ_PAGE / 8) * 8;
	case 14:
		at = (uintptr_t)map->at;
		return at + (map->len ? fuzz_roll(a, map->len / 8) * 8 : 0);
	case 15:
		return (uintptr_t)fuzz_address + fuzz_roll(a, 64);
	}
}

static const int protections[] = {
	PROT_READ | PROT_WRITE | PROT_EXEC, PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE,
	PROT_READ, PROT_EXEC, PROT_NONE,
};

/* What pages of any kind may go through.  Return: which, or a number from 3 on for the caller. */
static unsigned int change_pages(struct fuzz_actor *a, char *at, size_t len, unsigned int kinds)
{
	unsigned int kind = fuzz_roll(a, kinds);

	fuzz_add(&fuzz_shared->calls, 1);
	if (kind == 0)
		munmap(at, len);
	else if (kind == 1)
		mprotect(at, len, protections[fuzz_roll(a, 6)]);
	else if (kind == 2)
		madvise(at, len, MADV_DONTNEED);
	return kind;
}

void fuzz_do_text(struct fuzz_actor *a)
{
	size_t first = fuzz_roll(a, FUZZ_TEXT / FUZZ_PAGE);
	size_t len = (1 + fuzz_roll(a, FUZZ_TEXT / FUZZ_PAGE - first)) * FUZZ_PAGE;
	char *at = w->text + first * FUZZ_PAGE;

	switch (change_pages(a, at, len, 8)) {
	case 0 ... 2:
		break;
	case 3:
		mremap(at, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at + FUZZ_TEXT);
		break;
	case 4:
		fuzz_poke(a->stack + fuzz_roll(a, FUZZ_WORDS - 8), at, 64);
		break;
	default:
		map_text(a, at, len);
	}
}

void fuzz_do_region(struct fuzz_actor *a)
{
	size_t first = fuzz_roll(a, 2);
	char *at = w->region + first * FUZZ_PAGE;
	size_t len = FUZZ_REGION - first * FUZZ_PAGE;

	switch (change_pages(a, at, len, 6)) {
	case 0 ... 2:
		break;
	case 3:
		mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, w->scratch, 1 << 24);
		break;
	default:
		mmap(at, len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

void fuzz_do_file(struct fuzz_actor *a)
{
	unsigned int i = fuzz_roll(a, FUZZ_FILES);
	char *at = w->file_maps[i];
	uint64_t word = fuzz_weird(a);

	fuzz_add(&fuzz_shared->calls, 1);
	switch (fuzz_roll(a, 6)) {
	case 0:
		fake_touch(&w->files[i], fuzz_roll(a, 3));
		break;
	case 1:
		(void)!pwrite(w->files[i].fd, &word, 8, fuzz_roll(a, 16) * 8);
		break;
	case 2:
		mmap(at, 4 * FUZZ_PAGE, protections[fuzz_roll(a, 6)], MAP_PRIVATE | MAP_FIXED,
		     w->files[i].fd, 0);
		break;
	case 3:
		mmap(at, 4 * FUZZ_PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
		     w->files[!i].fd, 0);
		break;
	default:
		mmap(at, 4 * FUZZ_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
		     w->files[i].fd, 0);
	}
}

/*
 * Rings.  Who finds a mapping taken by the other thread leaves it: with an address and a length
 * of two of them, what lies beside would be unmapped.
 */
static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;

void fuzz_do_map_ring(struct fuzz_actor *a)
{
	static const short errors[] = {
		EBADFD, EINVAL, EPERM, ENOMEM, EACCES, ENODEV, EAGAIN, EBADF, EOVERFLOW, EIO, 0
	};
	struct fuzz_map *map = &w->maps[fuzz_roll(a, FUZZ_MAPS)];
	const struct fuzz_slot *slot = fuzz_pick_session(a);
	uint64_t cpu = fuzz_roll(a, 2), size = slot->ring_size, len, offset;
	long prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED, ret;

	if (!fuzz_roll(a, 16))
		cpu = fuzz_weird(a);
	if (fuzz_roll(a, 2)) {
		offset = LW_MMAP_CONSUMER(cpu);
		len = FUZZ_PAGE;
	} else {
		offset = LW_MMAP_PRODUCER(cpu);
		len = FUZZ_PAGE + (fuzz_roll(a, 4) ? 2 : 1) * size;
		prot = PROT_READ;
	}
	if (!fuzz_roll(a, 8)) {
		offset = fuzz_roll(a, 2) ? offset + fuzz_roll(a, 32) * FUZZ_PAGE : fuzz_weird(a);
		len = fuzz_roll(a, 2) ? len : fuzz_roll(a, 64) * FUZZ_PAGE;
	}
	if (!fuzz_roll(a, 8))
		prot = fuzz_roll(a, 8);
	if (!fuzz_roll(a, 8))
		flags = fuzz_roll(a, 2) ? MAP_PRIVATE : MAP_SHARED | MAP_POPULATE;
	ret = fuzz_call(a, "mmap", errors, SYS_mmap, 0, len, prot, flags, slot->fd, offset);
	if (ret < 0)
		return;
	if (pthread_mutex_trylock(&taken)) {
		munmap((void *)ret, len);
		return;
	}
	if (map->len)
		munmap(map->at, map->len);
	*map = (struct fuzz_map) { (char *)ret, len };
	pthread_mutex_unlock(&taken);
}

static void change_map(struct fuzz_actor *a)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_MERGEABLE, MADV_HUGEPAGE,
		MADV_COLD, MADV_PAGEOUT, MADV_FREE, MADV_REMOVE, MADV_WILLNEED, 22, 23,
	};
	struct fuzz_map *map = &w->maps[fuzz_roll(a, FUZZ_MAPS)], old = *map;
	size_t size = (1 + fuzz_roll(a, 64)) * FUZZ_PAGE;
	long ret;

	fuzz_add(&fuzz_shared->calls, 1);
	if (!old.len)
		return;
	switch (fuzz_roll(a, 6)) {
	case 0:
		map->len = 0;
		munmap(old.at, old.len);
		break;
	case 1:
		munmap(old.at + fuzz_roll(a, old.len / FUZZ_PAGE) * FUZZ_PAGE, FUZZ_PAGE);
		break;
	case 2:
		mprotect(old.at, old.len, protections[fuzz_roll(a, 6)]);
		break;
	case 3:
		ret = syscall(SYS_mremap, old.at, old.len, size, MREMAP_MAYMOVE);
		if (ret > 0)
			*map = (struct fuzz_map) { (char *)ret, size };
		break;
	case 4:
		fuzz_call(a, "madvise", NULL, SYS_madvise, (long)old.at, old.len,
			  advice[fuzz_roll(a, sizeof(advice) / sizeof(*advice))], 0, 0, 0);
		break;
	default:
		msync(old.at, old.len, MS_SYNC);
	}
}

void fuzz_do_map(struct fuzz_actor *a)
{
	if (pthread_mutex_trylock(&taken))
		return;
	change_map(a);
	pthread_mutex_unlock(&taken);
}

/* The position of a reader, as it should be or not. */
static void change_position(struct fuzz_actor *a)
{
	const struct fuzz_map *to = &w->maps[fuzz_roll(a, FUZZ_MAPS)];
	const struct fuzz_map *from = &w->maps[fuzz_roll(a, FUZZ_MAPS)];
	uint64_t pos = 0;

	fuzz_add(&fuzz_shared->calls, 1);
	if (!from->len || !fuzz_poke(from->at, &pos, 8) || !fuzz_roll(a, 3))
		pos = fuzz_weird(a);
	if (!fuzz_roll(a, 4))
		pos += fuzz_weird(a);
	if (to->len)
		fuzz_poke(&pos, to->at, 8);
}

void fuzz_do_position(struct fuzz_actor *a)
{
	if (pthread_mutex_trylock(&taken))
		return;
	change_position(a);
	pthread_mutex_unlock(&taken);
}

/* Stacks */

static void lie(struct fuzz_actor *a, uint64_t *words, unsigned int nr)
{
	unsigned int i;
	uint64_t same = fuzz_address(a);
	bool loops = !fuzz_roll(a, 16);

	for (i = 0; i < nr; i++)
		words[i] = loops ? same : fuzz_address(a);
}

static uint64_t stack_pointer(struct fuzz_actor *a)
{
	switch (fuzz_roll(a, 16)) {
	case 0:
		return fuzz_address(a);
	case 1:
		return fuzz_weird(a);
	case 2:
		return (uintptr_t)(a->stack + FUZZ_WORDS - fuzz_roll(a, 8));
	case 3:
		return (uintptr_t)(w->mmio ?: w->constant);
	case 4:
		fuzz_poke(a->stack, w->region, 1024);
		return (uintptr_t)w->region;
	case 5:
		if (w->missing) {
			memcpy(w->source, a->stack, 1024);
			madvise(w->missing, FUZZ_REGION, MADV_DONTNEED);
			return (uintptr_t)w->missing + FUZZ_PAGE - 8 * fuzz_roll(a, 128);
		}
	}
	return (uintptr_t)(a->stack + fuzz_roll(a, 64));
}

/* Asks for a stack, or does something else, with registers that are not what they should be. */
void fuzz_do_hostile_request(struct fuzz_actor *a)
{
	const struct fuzz_slot slot = *fuzz_pick_session(a);
	struct lw_request request = {
		.size = sizeof(request),
		.flags = fuzz_roll(a, 2),
	};
	struct raw_regs regs = {
		.nr = fuzz_roll(a, 8) ? SYS_ioctl : SYS_getppid,
		.a = slot.fd,
		.b = LW_IOC_REQUEST,
		.c = (long)a->out,
	};
	asker_fn fn = fuzz_roll(a, 3) ? raw_hostile_sframe : raw_hostile_fp;
	unsigned int nth = 0;
	bool again;

	if (fuzz_roll(a, 64))
		lie(a, a->stack, 16 + fuzz_roll(a, 64));
	else
		lie(a, a->stack, FUZZ_WORDS);
	regs.sp = stack_pointer(a);
	regs.fp = fuzz_roll(a, 2) ? stack_pointer(a) : fuzz_roll(a, 2);
	memcpy(a->out, &request, sizeof(request));
	fuzz_add(&fuzz_shared->calls, 1);
	fuzz_add(&fuzz_shared->stacks, 1);
	fuzz_run->at = "a request with registers that lie";
	do {
		if (a->sweeps)
			inject_arm(a->nth, ++nth);
		fuzz_judge(&slot, _IOC_NR(LW_IOC_REQUEST), fn(&regs));
		again = a->sweeps && nth < 200 && !inject_disarm(a->nth);
		fuzz_shared->faults += again;
	} while (again);
}
