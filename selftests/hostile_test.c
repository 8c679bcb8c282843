// SPDX-License-Identifier: GPL-2.0
/*
 * hostile_test.c - stacks, tables and mappings that lie or change.  There must
 * always be an answer, and never a word from the kernel.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "programs/chain.h"
#include "programs/raw.h"
#include "kselftest_harness.h"

#define RING		(1 << 18)
#define PT_GNU_SFRAME	0x6474e554
#define STACK_WORDS	4096

FIXTURE(session)
{
	struct lwt_session s;
	struct lwt_log log;
	struct lw_request request;
	uint64_t *stack;		/* STACK_WORDS, with nothing around */
};

FIXTURE_SETUP(session)
{
	size_t len = STACK_WORDS * 8;
	char *area;

	ASSERT_EQ(0, lwt_session_open(&self->s, RING, LW_MAX_DEPTH, 0));
	area = mmap(NULL, len + 2 * 65536, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, area);
	self->stack = (uint64_t *)(area + 65536);
	ASSERT_EQ(0, mprotect(self->stack, len, PROT_READ | PROT_WRITE));
}

FIXTURE_TEARDOWN(session)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

typedef long (*raw_fn)(const struct raw_regs *regs);

/* REQUEST with these registers. */
static struct lw_user_stack *ask_with(FIXTURE_DATA(session) *self, raw_fn fn,
				      uint64_t sp, uint64_t fp)
{
	struct raw_regs regs = {
		.nr = SYS_ioctl,
		.a = self->s.fd,
		.b = LW_IOC_REQUEST,
		.c = (long)&self->request,
		.sp = sp,
		.fp = fp,
	};

	lwt_log_free(&self->log);
	self->request = (struct lw_request) { .size = sizeof(self->request) };
	if (fn(&regs) || lwt_read(&self->s, &self->log) != 1 ||
	    lwt_log_check(&self->log).malformed)
		return NULL;
	return lwt_find_stack(&self->log, &self->request.cookie);
}

TEST_F(session, survives_any_stack_pointer)
{
	static const struct {
		uint64_t sp;
		uint32_t end;
	} cases[] = {
		{ 0, LW_END_FAULT },
		{ 8, LW_END_FAULT },
		{ 0xfff8, LW_END_FAULT },
		{ 0x00007ffffffff000, LW_END_FAULT },
		{ 0x0000800000000000, LW_END_FAULT },
		{ 0xffff800000000000, LW_END_FAULT },
		{ 0xffffffff81000000, LW_END_FAULT },
		{ 0xffffffffff600000, LW_END_FAULT },
		{ 0xfffffffffffffff8, LW_END_BAD_CFA },
		{ 0xfffffffffffffff0, LW_END_FAULT },
		{ 0x1000000000000000, LW_END_FAULT },
		{ 1, LW_END_BAD_CFA },
		{ 0x1001, LW_END_BAD_CFA },
		{ 0xffffffffffffffff, LW_END_BAD_CFA },
	};
	struct lw_user_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		stack = ask_with(self, raw_hostile_sframe, cases[i].sp, 0);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1, stack->nr);
		EXPECT_EQ((uintptr_t)raw_hostile_sframe_ip, stack->frames[0]);
		EXPECT_EQ(cases[i].end, stack->end)
			TH_LOG("stack pointer %llx",
			       (unsigned long long)cases[i].sp);
	}
}

TEST_F(session, survives_any_frame_pointer)
{
	static const uint64_t fps[] = {
		1, 8, 0xfff8, 0x00007ffffffff000, 0x00007ffffffffff8,
		0x0000800000000000, 0xffff800000000000, 0xffffffff81000000,
		0xfffffffffffffff0, 0xfffffffffffffff8, 0xffffffffffffffff,
		0x7fffffffffffffff, 0x8000000000000000,
	};
	uint64_t sp = (uintptr_t)self->stack;
	struct lw_user_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fps); i++) {
		stack = ask_with(self, raw_hostile_fp, sp, fps[i]);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(1, stack->nr);
		EXPECT_LT(LW_END_TRUNCATED, stack->end);
	}
}

TEST_F(session, does_not_take_garbage_for_code)
{
	uint64_t sp = (uintptr_t)self->stack;
	struct lw_user_stack *stack;

	memset(self->stack, 0xff, STACK_WORDS * 8);
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);

	/* An address of data. */
	self->stack[0] = sp;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);

	/* Zero is where threads begin. */
	self->stack[0] = 0;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_END_OUTERMOST, stack->end);
	EXPECT_EQ(1, lwt_stats(self->s.fd).outermost);
}

/* The same return address in every word: never the same frame twice. */
TEST_F(session, ends_a_stack_that_does_not)
{
	uint64_t sp = (uintptr_t)self->stack;
	struct lw_user_stack *stack;
	int i;

	for (i = 0; i < STACK_WORDS; i++)
		self->stack[i] = (uintptr_t)raw_hostile_sframe_ip;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_MAX_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);

	/* And one whose end is not mapped. */
	stack = ask_with(self, raw_hostile_sframe, sp + 8 * (STACK_WORDS - 10),
			 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(11, stack->nr);
	EXPECT_EQ(LW_END_FAULT, stack->end);
}

TEST_F(session, ends_a_cycle_of_frame_pointers)
{
	uint64_t sp = (uintptr_t)self->stack;
	struct lw_user_stack *stack;

	/* To itself, down, to each other. */
	self->stack[4] = sp + 32;
	self->stack[5] = (uintptr_t)raw_hostile_fp_ip;
	stack = ask_with(self, raw_hostile_fp, sp, sp + 32);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
	self->stack[4] = sp;
	stack = ask_with(self, raw_hostile_fp, sp, sp + 32);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}

/* A signal frame on the stack whose sp points at itself, over and over. */
TEST_F(session, ends_a_cycle_of_signal_frames)
{
	uint64_t sp = (uintptr_t)self->stack;
	uint64_t *regs = &self->stack[1 + 5];
	struct lw_user_stack *stack;

	self->stack[0] = (uintptr_t)raw_lone_restorer;
	/* struct sigcontext: r8-r15, di, si, bp, bx, dx, ax, cx, sp, ip */
	regs[15] = sp + 8;
	regs[16] = (uintptr_t)raw_lone_restorer;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(LW_MAX_DEPTH, stack->nr);
	EXPECT_EQ(LW_END_TRUNCATED, stack->end);
}

TEST_F(session, survives_code_that_is_gone)
{
	uint64_t sp = (uintptr_t)self->stack;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lw_user_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->stack[0] = (uintptr_t)code + 16;
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_LE(2, stack->nr);
	ASSERT_EQ(0, mprotect(code, 4096, PROT_READ | PROT_WRITE));
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);
	ASSERT_EQ(0, munmap(code, 4096));
	stack = ask_with(self, raw_hostile_sframe, sp, 0);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(1, stack->nr);
	EXPECT_EQ(LW_END_BAD_IP, stack->end);
}

/* Code that may be run and not read. */
TEST_F(session, survives_code_that_it_may_not_read)
{
	uint64_t sp = (uintptr_t)self->stack;
	uint8_t *code = mmap(NULL, 4096, PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lw_user_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->stack[0] = (uintptr_t)code + 16;
	stack = ask_with(self, raw_hostile_sframe, sp, sp + 80);
	ASSERT_NE(NULL, stack);
	EXPECT_LE(2, stack->nr);
}

/* The victim: a copy of libvictim.so that we load and then change. */
struct victim {
	char path[64];
	int fd;
	void *handle;
	long (*call)(long (*fn)(void *arg), void *arg);
	size_t size;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[32];
	Elf64_Phdr *sframe;
	uint64_t base;			/* where it is mapped */
};

static int copy_file(const char *from, int to)
{
	char buf[65536];
	int fd = open(from, O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return -1;
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		if (write(to, buf, len) != len)
			return -1;
	close(fd);
	return len;
}

static int read_headers(struct victim *v)
{
	unsigned int i;

	if (pread(v->fd, &v->ehdr, sizeof(v->ehdr), 0) != sizeof(v->ehdr) ||
	    v->ehdr.e_phnum > 32 ||
	    pread(v->fd, v->phdrs, v->ehdr.e_phnum * sizeof(v->phdrs[0]),
		  v->ehdr.e_phoff) < 0)
		return -1;
	for (i = 0; i < v->ehdr.e_phnum; i++)
		if (v->phdrs[i].p_type == PT_GNU_SFRAME)
			v->sframe = &v->phdrs[i];
	return v->sframe ? 0 : -1;
}

static int load_victim(struct victim *v)
{
	struct stat st;
	Dl_info info;

	memset(v, 0, sizeof(*v));
	strcpy(v->path, "/tmp/lw-victim-XXXXXX");
	v->fd = mkstemp(v->path);
	if (v->fd < 0 || copy_file("./libvictim.so", v->fd) ||
	    fstat(v->fd, &st) || read_headers(v))
		return -1;
	v->size = st.st_size;
	v->handle = dlopen(v->path, RTLD_NOW | RTLD_LOCAL);
	unlink(v->path);
	if (!v->handle)
		return -1;
	v->call = dlsym(v->handle, "victim_call");
	if (!v->call || !dladdr(v->call, &info))
		return -1;
	v->base = (uintptr_t)info.dli_fbase;
	return 0;
}

/* Puts the file back as it was. */
static int restore_victim(struct victim *v)
{
	int fd = open("./libvictim.so", O_RDONLY);
	static char buf[1 << 20];
	ssize_t len = read(fd, buf, sizeof(buf));

	close(fd);
	return len > 0 && pwrite(v->fd, buf, len, 0) == len ? 0 : -1;
}

/* From inside the victim. */
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

/* The record that answers a request from inside the victim, or NULL. */
static struct lw_user_stack *ask_in(FIXTURE_DATA(session) *self,
				    struct victim *v)
{
	struct ask a = { .fd = self->s.fd };

	lwt_log_free(&self->log);
	v->call(ask, &a);
	if (a.ret || lwt_read(&self->s, &self->log) != 1 ||
	    lwt_log_check(&self->log).malformed)
		return NULL;
	return lwt_find_stack(&self->log, &a.request.cookie);
}

/* Frames of ask() and the victim's two: by SFrame when all is well. */
static int is_whole(const struct lw_user_stack *stack)
{
	return stack && stack->nr > 3 && lwt_how(stack)[1] == LW_HOW_SFRAME &&
	       lwt_how(stack)[2] == LW_HOW_SFRAME &&
	       lwt_how(stack)[3] == LW_HOW_SFRAME;
}

#define EXPECT_GUESS(stack)						\
do {									\
	struct lw_user_stack *lwt_stack = (stack);			\
									\
	ASSERT_NE(NULL, lwt_stack);					\
	EXPECT_LE(2, lwt_stack->nr);					\
	EXPECT_FALSE(is_whole(lwt_stack));				\
} while (0)

TEST_F(session, walks_a_library)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

static int poke(struct victim *v, uint64_t at, const void *bytes, size_t len)
{
	return pwrite(v->fd, bytes, len, at) == (ssize_t)len ? 0 : -1;
}

/* Each lie of a header, and back to the truth behind it. */
struct lie {
	const char *name;
	uint64_t at;
	uint64_t value;
	size_t len;
};

#define PHDR(field)	(sframe_phdr + offsetof(Elf64_Phdr, field))
#define EHDR(field)	offsetof(Elf64_Ehdr, field)
#define TABLE(at)	(v.sframe->p_offset + (at))

TEST_F(session, survives_headers_that_lie)
{
	struct lw_user_stack *stack;
	uint64_t sframe_phdr;
	struct victim v;
	unsigned int i;

	ASSERT_EQ(0, load_victim(&v));
	sframe_phdr = v.ehdr.e_phoff + (v.sframe - v.phdrs) * sizeof(*v.phdrs);

	const struct lie lies[] = {
		{ "no ELF", 0, 0, 4 },
		{ "class", EI_CLASS, ELFCLASS32, 1 },
		{ "byte order", EI_DATA, ELFDATA2MSB, 1 },
		{ "machine", EHDR(e_machine), EM_386, 2 },
		{ "phentsize 0", EHDR(e_phentsize), 0, 2 },
		{ "phentsize odd", EHDR(e_phentsize), 57, 2 },
		{ "phnum 0", EHDR(e_phnum), 0, 2 },
		{ "phnum 65535", EHDR(e_phnum), 65535, 2 },
		{ "phoff behind", EHDR(e_phoff), v.size, 8 },
		{ "phoff at end", EHDR(e_phoff), v.size - 8, 8 },
		{ "phoff negative", EHDR(e_phoff), -64ULL, 8 },
		{ "phoff huge", EHDR(e_phoff), 1ULL << 62, 8 },
		{ "no section", PHDR(p_type), PT_NULL, 4 },
		{ "vaddr 0", PHDR(p_vaddr), 0, 8 },
		{ "vaddr huge", PHDR(p_vaddr), 1ULL << 62, 8 },
		{ "vaddr negative", PHDR(p_vaddr), -4096ULL, 8 },
		{ "vaddr off by one", PHDR(p_vaddr), v.sframe->p_vaddr + 1, 8 },
		{ "filesz 0", PHDR(p_filesz), 0, 8 },
		{ "filesz 1", PHDR(p_filesz), 1, 8 },
		{ "filesz header", PHDR(p_filesz), 28, 8 },
		{ "magic", TABLE(0), 0, 2 },
		{ "version", TABLE(2), 99, 1 },
		{ "abi", TABLE(4), 2, 1 },
		{ "aux header", TABLE(7), 255, 1 },
		{ "fdes 0", TABLE(8), 0, 4 },
		{ "fdes huge", TABLE(8), ~0U, 4 },
		{ "fres 0", TABLE(12), 0, 4 },
		{ "fre length 0", TABLE(16), 0, 4 },
		{ "fre length huge", TABLE(16), ~0U, 4 },
		{ "fde offset huge", TABLE(20), ~0U, 4 },
		{ "fde offset negative", TABLE(20), 0x80000000, 4 },
		{ "fre offset huge", TABLE(24), ~0U, 4 },
	};

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		ASSERT_EQ(0, poke(&v, lies[i].at, &lies[i].value, lies[i].len));
		stack = ask_in(self, &v);
		ASSERT_NE(NULL, stack)
			TH_LOG("%s", lies[i].name);
		EXPECT_LE(2, stack->nr);
		ASSERT_EQ(0, restore_victim(&v));
		EXPECT_TRUE(is_whole(ask_in(self, &v)))
			TH_LOG("behind %s", lies[i].name);
	}
}

/* More than there is: only what is mapped counts, and it is enough. */
TEST_F(session, bounds_the_section_by_its_mapping)
{
	uint64_t sizes[] = { 1ULL << 20, 1ULL << 40, 1ULL << 63, ~0ULL };
	struct victim v;
	unsigned int i;
	uint64_t at;

	ASSERT_EQ(0, load_victim(&v));
	at = v.ehdr.e_phoff + (v.sframe - v.phdrs) * sizeof(*v.phdrs) +
	     offsetof(Elf64_Phdr, p_filesz);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, poke(&v, at, &sizes[i], 8));
		EXPECT_TRUE(is_whole(ask_in(self, &v)));
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

		if (poke(v, from + next_random(state) % len, &byte, 1))
			return -1;
	}
	return 0;
}

/* Seeded, so that a failure can be seen again. */
TEST_F_TIMEOUT(session, survives_any_bytes_in_the_section, 120)
{
	uint32_t state = 0x1a7e0001;
	unsigned int wrong = 0;
	struct victim v;
	int i;

	ASSERT_EQ(0, load_victim(&v));
	for (i = 0; i < 1500; i++) {
		struct lw_user_stack *stack;

		ASSERT_EQ(0, scramble(&v, v.sframe->p_offset,
				      v.sframe->p_filesz, &state));
		stack = ask_in(self, &v);
		ASSERT_NE(NULL, stack)
			TH_LOG("round %d", i);
		wrong += !is_whole(stack);
		if (i % 4 == 3) {
			ASSERT_EQ(0, restore_victim(&v));
		}
	}
	/* Else we have scrambled something else. */
	EXPECT_LT(100, wrong);
	ASSERT_EQ(0, restore_victim(&v));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

TEST_F_TIMEOUT(session, survives_any_bytes_in_the_headers, 120)
{
	uint32_t state = 0x1a7e0002;
	struct victim v;
	uint64_t len;
	int i;

	ASSERT_EQ(0, load_victim(&v));
	len = v.ehdr.e_phoff + v.ehdr.e_phnum * sizeof(Elf64_Phdr);
	for (i = 0; i < 600; i++) {
		ASSERT_EQ(0, scramble(&v, 0, len, &state));
		ASSERT_NE(NULL, ask_in(self, &v))
			TH_LOG("round %d", i);
		if (i % 2) {
			ASSERT_EQ(0, restore_victim(&v));
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
	scramble(r->v, r->v->sframe->p_offset, r->v->sframe->p_filesz,
		 &r->state);
}

static void *section_page(struct victim *v)
{
	return (void *)((v->base + v->sframe->p_vaddr) & ~4095UL);
}

static void race_protect(struct racer *r)
{
	mprotect(section_page(r->v), 4096, PROT_NONE);
	mprotect(section_page(r->v), 4096, PROT_READ);
}

static void race_headers(struct racer *r)
{
	scramble(r->v, 0, sizeof(Elf64_Ehdr) + 12 * sizeof(Elf64_Phdr),
		 &r->state);
	restore_victim(r->v);
}

static int run_race(FIXTURE_DATA(session) *self, struct victim *v,
		    void (*act)(struct racer *r))
{
	struct racer r = { .v = v, .act = act, .state = 0x1a7e0003 };
	int i, bad = 0;

	if (pthread_create(&r.thread, NULL, race, &r))
		return -1;
	for (i = 0; i < 1000; i++)
		bad += !ask_in(self, v);
	__atomic_store_n(&r.stop, 1, __ATOMIC_RELAXED);
	pthread_join(r.thread, NULL);
	return bad;
}

TEST_F_TIMEOUT(session, survives_a_section_that_changes_meanwhile, 120)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	EXPECT_EQ(0, run_race(self, &v, race_scramble));
	ASSERT_EQ(0, restore_victim(&v));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

TEST_F_TIMEOUT(session, survives_headers_that_change_meanwhile, 120)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	EXPECT_EQ(0, run_race(self, &v, race_headers));
	ASSERT_EQ(0, restore_victim(&v));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

TEST_F_TIMEOUT(session, survives_a_section_that_comes_and_goes, 120)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	EXPECT_EQ(0, run_race(self, &v, race_protect));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

TEST_F(session, guesses_when_the_section_is_protected)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	ASSERT_EQ(0, mprotect(section_page(&v), 4096, PROT_NONE));
	EXPECT_GUESS(ask_in(self, &v));
	ASSERT_EQ(0, mprotect(section_page(&v), 4096, PROT_READ));
	EXPECT_TRUE(is_whole(ask_in(self, &v)));
}

/* What the task can write to is not taken for a section of the file. */
TEST_F(session, guesses_when_the_section_is_writable)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	ASSERT_EQ(0, mprotect(section_page(&v), 4096, PROT_READ | PROT_WRITE));
	EXPECT_GUESS(ask_in(self, &v));
}

TEST_F(session, guesses_when_the_section_is_unmapped)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	ASSERT_EQ(0, munmap(section_page(&v), 4096));
	EXPECT_GUESS(ask_in(self, &v));
}

/* The pages of the section are behind the end of the file. */
TEST_F(session, guesses_when_the_file_is_cut)
{
	struct victim v;

	ASSERT_EQ(0, load_victim(&v));
	ASSERT_TRUE(is_whole(ask_in(self, &v)));
	ASSERT_EQ(0, ftruncate(v.fd, v.sframe->p_offset & ~4095UL));
	EXPECT_GUESS(ask_in(self, &v));
}

TEST_F(session, guesses_when_the_mapping_is_anonymous)
{
	uint64_t sp = (uintptr_t)self->stack;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lw_user_stack *stack;

	ASSERT_NE(MAP_FAILED, code);
	self->stack[0] = (uintptr_t)code + 16;
	self->stack[10] = 0;
	self->stack[11] = (uintptr_t)code + 32;
	stack = ask_with(self, raw_hostile_sframe, sp, sp + 80);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(3, stack->nr);
	EXPECT_EQ(LW_HOW_FP, lwt_how(stack)[2]);
	EXPECT_EQ(LW_END_OUTERMOST_FP, stack->end);
}

/* Files that are odd to read: what maps them must not be harmed. */
TEST_F(session, survives_code_in_odd_files)
{
	static const char *const files[] = { "/dev/zero", "/proc/self/exe" };
	uint64_t sp = (uintptr_t)self->stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int fd = open(files[i], O_RDONLY);
		uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
				     MAP_PRIVATE, fd, 0);

		if (code == MAP_FAILED)
			continue;
		self->stack[0] = (uintptr_t)code + 16;
		EXPECT_NE(NULL, ask_with(self, raw_hostile_sframe, sp, 0));
		close(fd);
		munmap(code, 4096);
	}
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
