// SPDX-License-Identifier: GPL-2.0
/*
 * section_test.c - a file whose headers or SFrame section lie, change, or can't
 * be read.  There must always be an answer; the section is used if and only if
 * it makes sense, and again as soon as it does.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/asker.h"
#include "lib/lw_test.h"
#include "lib/sframe_abi.h"
#include "lib/victim.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

FIXTURE(section)
{
	struct asker a;
	struct victim v;
};

FIXTURE_VARIANT(section)
{
	const char *library;
};

/* gas writes no section of version 2 for s390x. */
#if defined(__s390x__)
FIXTURE_VARIANT_ADD(section, version_3)
{
	.library = "./libvictim.so",
};
#else
FIXTURE_VARIANT_ADD(section, version_2)
{
	.library = "./libvictim.so",
};

FIXTURE_VARIANT_ADD(section, version_3)
{
	.library = "./v3/libvictim_v3.so",
};
#endif

FIXTURE_SETUP(section)
{
	ASSERT_EQ(0, asker_open(&self->a));
	if (access(variant->library, R_OK))
		SKIP(return, "no library: its assembler could not be had");
	ASSERT_EQ(0, victim_load(&self->v, variant->library, "/tmp"));
}

FIXTURE_TEARDOWN(section)
{
	asker_close(&self->a);
}

/* From inside the library. */
struct ask {
	struct lw_request request;
	uint64_t ip;
	long ret;
	int fd;
};

static KEEP long ask(void *arg)
{
	struct ask *a = arg;
	long ret;

	a->request = (struct lw_request) { .size = sizeof(a->request) };
	ret = raw_syscall(SYS_ioctl, a->fd, LW_IOC_REQUEST, (long)&a->request,
			  &a->ip);
	a->ret = ret;
	NO_TAIL_CALL(ret);
	return ret;
}

/* The record that answers a request from inside the library, or NULL. */
static struct lwt_stack *ask_in(FIXTURE_DATA(section) *self)
{
	struct ask a = { .fd = self->a.s.fd };

	self->v.call(ask, &a);
	return a.ret ? NULL : asker_answer(&self->a, &a.request);
}

/* Frames of ask() and the library's two: by SFrame when all is well. */
static int is_whole(const struct lwt_stack *stack)
{
	return stack && stack->nr > 3 && lwt_how(stack)[1] == LW_HOW_SFRAME &&
	       lwt_how(stack)[2] == LW_HOW_SFRAME &&
	       lwt_how(stack)[3] == LW_HOW_SFRAME;
}

/* The library's frame below two by the frame pointer, none by its row. */
static struct lwt_stack *ask_with_frame_pointer(FIXTURE_DATA(section) *self)
{
	uint64_t *stack = self->a.stack;

	stack[VICTIM_RA] = 0;
	raw_guess(stack, &stack[10], (uintptr_t)&stack[10], (uintptr_t)raw_hostile_fp_ip);
	return asker_ask(&self->a, self->v.raw, (uintptr_t)stack,
			 (uintptr_t)&stack[10], 0);
}

/* Not one step by the library's section; by the frame pointer if there is one. */
static bool guesses(FIXTURE_DATA(section) *self)
{
	struct lwt_stack *stack = ask_in(self);

	if (!stack || stack->nr < 2 || lwt_how(stack)[1] != LW_HOW_SFRAME ||
	    (stack->nr > 2 && lwt_how(stack)[2] != LW_HOW_FP))
		return false;
	stack = ask_with_frame_pointer(self);
	return stack && stack->nr == 2 && lwt_how(stack)[1] == LW_HOW_FP &&
	       stack->frames[1] == (uintptr_t)raw_hostile_fp_ip &&
	       stack->end == RAW_END_OF_FP;
}

TEST_F(section, is_used)
{
	struct lwt_stack *stack = ask_with_frame_pointer(self);

	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
	EXPECT_TRUE(is_whole(ask_in(self)));
}

/*
 * Each lie of a header, and back to the truth behind it.  Those that can't but
 * be seen must be.
 */
struct lie {
	const char *name;
	uint64_t at;
	uint64_t value;
	size_t len;
	bool seen;
};

#define PHDR(field)	(sframe_phdr + offsetof(Elf64_Phdr, field))
#define EHDR(field)	offsetof(Elf64_Ehdr, field)
#define TABLE(at)	(v->sframe->p_offset + (at))

/* The other byte order, and what is neither our ABI nor SFRAME_OTHER_ABI. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OTHER_DATA	ELFDATA2LSB
#define THIRD_ABI	2
#else
#define OTHER_DATA	ELFDATA2MSB
#define THIRD_ABI	4
#endif

static uint64_t sframe_phdr_of(const struct victim *v)
{
	return v->ehdr.e_phoff + (v->sframe - v->phdrs) * sizeof(*v->phdrs);
}

TEST_F(section, survives_headers_that_lie)
{
	uint64_t sframe_phdr = sframe_phdr_of(&self->v);
	struct victim *v = &self->v;
	struct lwt_stack *stack;
	unsigned int i;

	const struct lie lies[] = {
		{ "no ELF", 0, 0, 4, true },
		{ "class", EI_CLASS, ELFCLASS32, 1, true },
		{ "byte order", EI_DATA, OTHER_DATA, 1, true },
		{ "machine", EHDR(e_machine), EM_386, 2, true },
		{ "phentsize 0", EHDR(e_phentsize), 0, 2, true },
		{ "phentsize odd", EHDR(e_phentsize), 57, 2, true },
		{ "phnum 0", EHDR(e_phnum), 0, 2, true },
		{ "phnum 65535", EHDR(e_phnum), 65535, 2, true },
		{ "phoff behind", EHDR(e_phoff), v->size, 8, false },
		{ "phoff at end", EHDR(e_phoff), v->size - 8, 8, false },
		{ "phoff negative", EHDR(e_phoff), -64ULL, 8, false },
		{ "phoff huge", EHDR(e_phoff), 1ULL << 62, 8, true },
		{ "no section", PHDR(p_type), PT_NULL, 4, true },
		{ "vaddr 0", PHDR(p_vaddr), 0, 8, true },
		{ "vaddr huge", PHDR(p_vaddr), 1ULL << 62, 8, true },
		{ "vaddr negative", PHDR(p_vaddr), -4096ULL, 8, true },
		{ "vaddr off by one", PHDR(p_vaddr), v->sframe->p_vaddr + 1, 8,
		  true },
		{ "filesz 0", PHDR(p_filesz), 0, 8, true },
		{ "filesz 1", PHDR(p_filesz), 1, 8, true },
		{ "filesz header", PHDR(p_filesz), 28, 8, true },
		{ "magic", TABLE(0), 0, 2, true },
		{ "magic in the other order", TABLE(0), 0xe2de, 2, true },
		{ "version 0", TABLE(2), 0, 1, true },
		{ "version 1", TABLE(2), 1, 1, true },
		{ "version 4", TABLE(2), 4, 1, true },
		{ "version 99", TABLE(2), 99, 1, true },
		{ "no flags", TABLE(3), 0, 1, true },
		{ "unknown flag", TABLE(3), 0x9, 1, true },
		{ "no abi", TABLE(4), 0, 1, true },
		{ "abi aarch64, big endian", TABLE(4), 1, 1, true },
		{ "another abi", TABLE(4), SFRAME_OTHER_ABI, 1, true },
		{ "a third abi", TABLE(4), THIRD_ABI, 1, true },
		/* With the fixed RA that it has: all of the header is right. */
		{ "all of another", TABLE(4), SFRAME_OTHER_WORD, 4, true },
		{ "unknown abi", TABLE(4), 5, 1, true },
		{ "fixed fp", TABLE(5), -16ULL, 1, true },
		{ "fixed ra of another", TABLE(6), SFRAME_OTHER_RA, 1, true },
		{ "another fixed ra", TABLE(6), -16ULL, 1, true },
		{ "aux header", TABLE(7), 255, 1, false },
		{ "fdes 0", TABLE(8), 0, 4, true },
		{ "fdes huge", TABLE(8), ~0U, 4, true },
		{ "fres 0", TABLE(12), 0, 4, false },
		{ "fre length 0", TABLE(16), 0, 4, true },
		{ "fre length huge", TABLE(16), ~0U, 4, true },
		{ "fde offset huge", TABLE(20), ~0U, 4, true },
		{ "fde offset negative", TABLE(20), 0x80000000, 4, true },
		{ "fre offset huge", TABLE(24), ~0U, 4, true },
	};

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		ASSERT_EQ(0, victim_poke(v, lies[i].at,
					 lwt_low_bytes(&lies[i].value, lies[i].len), lies[i].len));
		stack = ask_in(self);
		ASSERT_NE(NULL, stack)
			TH_LOG("%s", lies[i].name);
		EXPECT_LE(2, stack->nr);
		EXPECT_TRUE(!lies[i].seen || guesses(self))
			TH_LOG("%s", lies[i].name);
		ASSERT_EQ(0, victim_restore(v));
		EXPECT_TRUE(is_whole(ask_in(self)))
			TH_LOG("behind %s", lies[i].name);
	}
}

/* Either version in the form of the other. */
TEST_F(section, survives_the_wrong_version)
{
	uint8_t version;

	ASSERT_EQ(1, pread(self->v.fd, &version, 1,
			   self->v.sframe->p_offset + 2));
	version ^= 1;
	ASSERT_EQ(0, victim_poke(&self->v, self->v.sframe->p_offset + 2,
				 &version, 1));
	EXPECT_TRUE(guesses(self));
}

/* More than there is: only what is mapped counts, and it is enough. */
TEST_F(section, is_bounded_by_its_mapping)
{
	uint64_t sizes[] = { 1ULL << 20, 1ULL << 40, 1ULL << 63, ~0ULL };
	uint64_t at = sframe_phdr_of(&self->v) + offsetof(Elf64_Phdr, p_filesz);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, victim_poke(&self->v, at, &sizes[i], 8));
		EXPECT_TRUE(is_whole(ask_in(self)));
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static int scramble(struct victim *v, uint64_t from, uint64_t len,
		    uint32_t *state)
{
	int n = next_random(state) % 8 + 1;

	while (n--) {
		uint8_t byte = next_random(state);

		if (victim_poke(v, from + next_random(state) % len, &byte, 1))
			return -1;
	}
	return 0;
}

static int scramble_section(struct victim *v, uint32_t *state)
{
	return scramble(v, v->sframe->p_offset, v->sframe->p_filesz, state);
}

/* What a generator starts from, which may not be 0. */
static uint32_t first_state(void)
{
	return lwt_seed() | 1U << 31;
}

TEST_F_TIMEOUT(section, survives_any_bytes_in_it, 120)
{
	unsigned int wrong = 0, i, rounds = lwt_sample(1500, 200);
	uint32_t state = first_state();

	for (i = 0; i < rounds; i++) {
		struct lwt_stack *stack;

		ASSERT_EQ(0, scramble_section(&self->v, &state));
		stack = ask_in(self);
		ASSERT_NE(NULL, stack)
			TH_LOG("round %u", i);
		wrong += !is_whole(stack);
		if (i % 4 == 3) {
			ASSERT_EQ(0, victim_restore(&self->v));
		}
	}
	/* Else we have scrambled something else. */
	printf("# %u of %u are not whole\n", wrong, rounds);
	EXPECT_LT(rounds / 15, wrong);
	ASSERT_EQ(0, victim_restore(&self->v));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

TEST_F_TIMEOUT(section, survives_any_bytes_in_the_headers, 120)
{
	struct victim *v = &self->v;
	uint64_t len = v->ehdr.e_phoff + v->ehdr.e_phnum * sizeof(Elf64_Phdr);
	unsigned int i, rounds = lwt_sample(600, 100);
	uint32_t state = first_state();

	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, scramble(v, 0, len, &state));
		ASSERT_NE(NULL, ask_in(self))
			TH_LOG("round %u", i);
		if (i % 2) {
			ASSERT_EQ(0, victim_restore(v));
		}
	}
}

/* What the other thread of a race does. */
struct racer {
	pthread_t thread;
	struct victim *v;
	void (*act)(struct racer *r);
	uint32_t state;
	int stop;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
		r->act(r);
	return NULL;
}

static void race_scramble(struct racer *r)
{
	scramble_section(r->v, &r->state);
}

static void race_protect(struct racer *r)
{
	mprotect(victim_section_page(r->v), lwt_page(), PROT_NONE);
	mprotect(victim_section_page(r->v), lwt_page(), PROT_READ);
}

static void race_headers(struct racer *r)
{
	scramble(r->v, 0, sizeof(Elf64_Ehdr) + 12 * sizeof(Elf64_Phdr),
		 &r->state);
	victim_restore(r->v);
}

static int run_race(FIXTURE_DATA(section) *self, void (*act)(struct racer *r))
{
	struct racer r = { .v = &self->v, .act = act, .state = first_state() };
	unsigned int i, rounds = lwt_sample(1000, 150);
	int bad = 0;

	if (pthread_create(&r.thread, NULL, race, &r))
		return -1;
	for (i = 0; i < rounds; i++)
		bad += !ask_in(self);
	__atomic_store_n(&r.stop, 1, __ATOMIC_RELAXED);
	pthread_join(r.thread, NULL);
	return bad;
}

TEST_F_TIMEOUT(section, may_change_meanwhile, 120)
{
	EXPECT_EQ(0, run_race(self, race_scramble));
	ASSERT_EQ(0, victim_restore(&self->v));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

TEST_F_TIMEOUT(section, may_have_headers_that_change_meanwhile, 120)
{
	EXPECT_EQ(0, run_race(self, race_headers));
	ASSERT_EQ(0, victim_restore(&self->v));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

TEST_F_TIMEOUT(section, may_come_and_go, 120)
{
	EXPECT_EQ(0, run_race(self, race_protect));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

TEST_F(section, is_used_again_after_it_was_protected)
{
	void *page = victim_section_page(&self->v);

	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_NONE));
	EXPECT_TRUE(guesses(self));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

/* What the task can write to is not taken for a section of the file. */
TEST_F(section, is_not_used_when_writable)
{
	ASSERT_EQ(0, mprotect(victim_section_page(&self->v), lwt_page(),
			      PROT_READ | PROT_WRITE));
	EXPECT_TRUE(guesses(self));
}

TEST_F(section, is_not_used_when_unmapped)
{
	ASSERT_EQ(0, munmap(victim_section_page(&self->v), lwt_page()));
	EXPECT_TRUE(guesses(self));
}

/* In the page cache, or on disk, and not in this task's page tables. */
TEST_F(section, is_used_when_not_resident)
{
	ASSERT_TRUE(is_whole(ask_in(self)));
	ASSERT_EQ(0, madvise(victim_section_page(&self->v), lwt_page(),
			     MADV_DONTNEED));
	EXPECT_TRUE(is_whole(ask_in(self)));
	ASSERT_EQ(0, madvise((void *)self->v.base, lwt_page(), MADV_DONTNEED));
	EXPECT_TRUE(is_whole(ask_in(self)));
}

/* Behind the end of the file there is no page, for as long as it is cut. */
TEST_F(section, is_used_again_after_the_file_was_cut)
{
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(is_whole(ask_in(self)));
		ASSERT_EQ(0, victim_cut_section(&self->v));
		EXPECT_TRUE(guesses(self));
		ASSERT_EQ(0, victim_restore(&self->v));
	}
	EXPECT_TRUE(is_whole(ask_in(self)));
}

/* Not a tmpfs: of that no file is believed for longer than a walk. */
#define LASTING_DIR	"/dev/lw-lasting"

static int load_where_it_lasts(struct victim *v, const char *library)
{
	int ret;

	if (lwt_disk())
		return victim_load(v, library, lwt_disk());
	if (mkdir(LASTING_DIR, 0700) || mount("lw", LASTING_DIR, "ramfs", 0, NULL))
		return -1;
	ret = victim_load(v, library, LASTING_DIR);
	umount2(LASTING_DIR, MNT_DETACH);
	rmdir(LASTING_DIR);
	return ret;
}

/* Often enough that all that can be kept is. */
static bool stays_whole(FIXTURE_DATA(section) *self)
{
	bool whole = true;
	int i;

	for (i = 0; i < 3; i++)
		whole = is_whole(ask_in(self)) && whole;
	return whole;
}

/* Back to the truth, long enough ago that it may be kept. */
static bool settles(FIXTURE_DATA(section) *self)
{
	return !victim_restore(&self->v) && !lwt_settle(self->v.fd) && stays_whole(self);
}

/* What is kept from walk to walk, and all that ends it. */
TEST_F_TIMEOUT(section, is_believed_for_as_long_as_it_is_true, 120)
{
	const uint32_t none = PT_NULL;
	struct victim *v = &self->v;
	char *page, *shared;

	/* What is kept is kept by a CPU. */
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, load_where_it_lasts(v, variant->library));
	page = victim_section_page(v);

	/* The file is written to: its headers, and the section. */
	ASSERT_TRUE(settles(self));
	ASSERT_EQ(0, victim_poke(v, sframe_phdr_of(v), &none, sizeof(none)));
	EXPECT_TRUE(guesses(self));
	ASSERT_TRUE(settles(self));
	ASSERT_EQ(0, victim_poke(v, v->sframe->p_offset, &none, 2));
	EXPECT_TRUE(guesses(self));
	ASSERT_TRUE(settles(self));

	/* The section's mapping is another, and back. */
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_NONE));
	EXPECT_TRUE(guesses(self));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ));
	EXPECT_TRUE(stays_whole(self));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ | PROT_WRITE));
	EXPECT_TRUE(guesses(self));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ));
	EXPECT_TRUE(stays_whole(self));
	ASSERT_EQ(page, mmap(page, lwt_page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			     -1, 0));
	EXPECT_TRUE(guesses(self));
	ASSERT_EQ(page, mmap(page, lwt_page(), PROT_READ, MAP_PRIVATE | MAP_FIXED, v->fd,
			     (v->sframe->p_offset & -lwt_page())));
	EXPECT_TRUE(stays_whole(self));

	/* Its pages are written through memory, of which no clock tells but the first time. */
	shared = mmap(NULL, v->size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	*(volatile char *)&shared[v->sframe->p_offset] = shared[v->sframe->p_offset];
	ASSERT_EQ(0, lwt_settle(v->fd));
	ASSERT_TRUE(stays_whole(self));
	shared[v->sframe->p_offset] = 0;
	EXPECT_TRUE(guesses(self));
	ASSERT_EQ(0, munmap(shared, v->size));

	/* It is written to as the process's own, and is as it was but for that. */
	ASSERT_TRUE(settles(self));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ | PROT_WRITE));
	*(volatile char *)victim_section(v) = 0;
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ));
	EXPECT_TRUE(guesses(self));
	EXPECT_TRUE(guesses(self));
	/* And again, with what the file has. */
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ | PROT_WRITE));
	ASSERT_EQ(lwt_page(), pread(v->fd, page, lwt_page(), v->sframe->p_offset & -lwt_page()));
	ASSERT_EQ(0, mprotect(page, lwt_page(), PROT_READ));
	EXPECT_TRUE(stays_whole(self));
}

/*
 * A page of the stack that is there only once somebody has acted on its being
 * read: in the middle of a walk.
 */
struct late_page {
	pthread_t thread;
	int fd;
	void *addr;
	uint64_t words[LWT_PAGE_MAX / 8];
	struct victim *v;
	int ret;
};

static void *bring_late_page(void *arg)
{
	struct late_page *late = arg;
	struct uffdio_copy copy = {
		.dst = (uintptr_t)late->addr,
		.src = (uintptr_t)late->words,
		.len = lwt_page(),
	};
	struct uffd_msg msg;

	late->ret = -1;
	if (read(late->fd, &msg, sizeof(msg)) == sizeof(msg))
		late->ret = victim_restore(late->v);
	/* In any case: the walk waits for it. */
	if (ioctl(late->fd, UFFDIO_COPY, &copy))
		late->ret = -1;
	return NULL;
}

static int expect_late_page(struct late_page *late)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)late->addr, lwt_page() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	late->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (late->fd < 0 || ioctl(late->fd, UFFDIO_API, &api) ||
	    ioctl(late->fd, UFFDIO_REGISTER, &reg))
		return -1;
	return pthread_create(&late->thread, NULL, bring_late_page, late);
}

/*
 * The first frame in the library is found while its section can't be read, and
 * is a guess.  That is no reason to guess the next one too.
 */
TEST_F(section, is_used_again_in_the_same_walk)
{
	static struct late_page late;
	/* The second page of it. */
	uint64_t *page = self->a.stack + lwt_page() / 8;
	struct lwt_stack *answer;

	late.v = &self->v;
	late.addr = page;
	raw_guess(&page[-64], late.words, (uintptr_t)late.addr, self->v.raw_ip);
	late.words[RAW_GUESSED + VICTIM_RA] = 0;
	ASSERT_EQ(0, expect_late_page(&late));
	ASSERT_EQ(0, victim_cut_section(&self->v));
	page[-65] = self->v.raw_ip;
	answer = asker_ask(&self->a, raw_hostile_sframe,
			   (uintptr_t)&page[-65], (uintptr_t)page,
			   0);
	ASSERT_EQ(0, pthread_join(late.thread, NULL));
	ASSERT_EQ(0, late.ret);
	ASSERT_NE(NULL, answer);
	ASSERT_EQ(3, answer->nr);
	EXPECT_EQ(LW_HOW_SFRAME, lwt_how(answer)[1]);
	EXPECT_EQ(LW_HOW_FP, lwt_how(answer)[2]);
#if defined(__x86_64__) || defined(__s390x__)
	/* A guess would be told as RAW_END_OF_FP. */
	EXPECT_EQ(LW_END_OUTERMOST, answer->end);
#elif defined(__aarch64__)
	/* The row needs the stack pointer, which a guess does not tell: the next is one, too. */
	EXPECT_EQ(LW_END_OUTERMOST_FP, answer->end);
#endif
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
