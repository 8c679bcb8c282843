// SPDX-License-Identifier: GPL-2.0
/*
 * vma_query_test.c - LW_IOC_VMA_QUERY, and LW_IOC_VMA_LIST: the answers of /proc/PID/maps
 * and PROCMAP_QUERY, of processes that stand still and that do not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/small_elf.h"
#include "lib/vmas_device.h"

#define PAGE		lwt_page()
#define ANY		LW_VMA_COVERING_OR_NEXT
#define NR_PROCESSES	20
#define SOME_PROCESSES	3
/* Parts of it are parts of a process. */
#define LIST_ROOM	20000

/* The argument */

TEST_F(device, is_told_as_a_feature)
{
	EXPECT_NE(0, lwt_features(self->fd) & LW_FEATURE_VMA_QUERY);
}

TEST_F(device, checks_the_argument)
{
	const uint64_t here = (uintptr_t)self;
	const struct lw_vma_query bad[] = {
		{ .pid = -1 },
		{ .pid = INT_MIN },
		{ .reserved = 1 },
		{ .reserved2 = 1 },
		{ .name = here },
		{ .name_size = 1 },
		{ .build_id = here },
		{ .build_id_size = LW_BUILD_ID_MAX },
		{ .flags = 0x40 },
	};
	struct lw_vma_query arg = { .size = sizeof(arg), .addr = here };
	unsigned int i;

	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	EXPECT_LE(arg.start, here);
	EXPECT_GT(arg.end, here);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		arg = bad[i];
		arg.size = sizeof(arg);
		arg.addr = here;
		EXPECT_EQ(-EINVAL, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg))
			TH_LOG("case %u", i);
	}
}

TEST_F(device, knows_no_process_that_is_not_there)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	/* A zombie has no memory. */
	EXPECT_EQ(-ESRCH, vmas_ask(self->fd, pid, 0, ANY, &self->vma));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(-ESRCH, vmas_ask(self->fd, pid, 0, ANY, &self->vma));
	EXPECT_EQ(-ESRCH, vmas_ask(self->fd, 0x7ffffff0, 0, ANY, &self->vma));
	/* Nor has kthreadd. */
	EXPECT_EQ(-ESRCH, vmas_ask(self->fd, 2, 0, ANY, &self->vma));
}

TEST_F(device, finds_nothing_where_nothing_is)
{
	static const uint64_t nowhere[] = {
		0, 1,
#if defined(__x86_64__)
		0x7ffffffff000, 0x800000000000,
#endif
		0x1000000000000, 0xffff800000000000, 0xffffffffff600000, ~0ULL,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nowhere); i++) {
		EXPECT_EQ(-ENOENT, vmas_ask(self->fd, 0, nowhere[i], 0, &self->vma));
		if (i > 1) {
			EXPECT_EQ(-ENOENT, vmas_ask(self->fd, 0, nowhere[i], ANY, &self->vma));
		}
	}
	EXPECT_EQ(0, vmas_ask(self->fd, 0, 0, ANY, &self->vma));
}

TEST_F(device, says_when_there_is_no_room)
{
	char name[PATH_MAX] = "";
	uint8_t id[LW_BUILD_ID_MAX];
	struct lw_vma_query arg = {
		.size = sizeof(arg),
		.addr = (uintptr_t)lwt_ioctl,
		.name = (uintptr_t)name,
		.name_size = sizeof(name),
		.build_id = (uintptr_t)id,
		.build_id_size = sizeof(id),
	}, exact;

	exact = arg;
	ASSERT_EQ(0, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &exact));
	ASSERT_EQ(strlen(name) + 1, exact.name_size);
	ASSERT_EQ(sizeof(id), exact.build_id_size);
	arg.name_size = exact.name_size;
	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	arg.name_size = exact.name_size - 1;
	EXPECT_EQ(-ENAMETOOLONG, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	EXPECT_EQ(exact.name_size - 1, arg.name_size);
	arg.name_size = 1;
	EXPECT_EQ(-ENAMETOOLONG, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	/* More than any name needs. */
	arg.name_size = ~0U;
	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	arg.name_size = sizeof(name);
	arg.build_id_size = 19;
	EXPECT_EQ(-ENAMETOOLONG, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	/* A name that is no path. */
	arg.build_id_size = 0;
	arg.build_id = 0;
	arg.addr = (uintptr_t)&arg;
	arg.name_size = sizeof("[stack]") - 1;
	EXPECT_EQ(-ENAMETOOLONG, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	arg.name_size++;
	EXPECT_EQ(0, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	EXPECT_STREQ("[stack]", name);
}

TEST_F(device, says_when_the_answer_cannot_be_written)
{
	struct lw_vma_query arg = {
		.size = sizeof(arg),
		.addr = (uintptr_t)lwt_ioctl,
		.name = 8,
		.name_size = PATH_MAX,
	};

	EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	arg.name = 0xffff800000000000;
	EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
	arg.name = 0;
	arg.name_size = 0;
	arg.build_id = 8;
	arg.build_id_size = LW_BUILD_ID_MAX;
	EXPECT_EQ(-EFAULT, lwt_ioctl(self->fd, LW_IOC_VMA_QUERY, &arg));
}

/* Filters */

static const int prots[] = {
	PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
};

/* A hole of a page, then pages of different permissions, private and shared, in a row. */
static uint8_t *map_row(void)
{
	uint8_t *row = mmap(NULL, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (row == MAP_FAILED || munmap(row, PAGE))
		return NULL;
	for (i = 0; i < 8; i++) {
		if (mmap(row + (1 + i) * PAGE, PAGE, prots[i % 4],
			 (i < 4 ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			return NULL;
	}
	return row;
}

static uint32_t row_flags(unsigned int i)
{
	return (prots[i % 4] & PROT_READ ? LW_VMA_READABLE : 0) |
	       (prots[i % 4] & PROT_WRITE ? LW_VMA_WRITABLE : 0) |
	       (prots[i % 4] & PROT_EXEC ? LW_VMA_EXECUTABLE : 0) |
	       (i < 4 ? 0 : LW_VMA_SHARED);
}

TEST_F(device, takes_the_covering_one_or_the_next)
{
	uint8_t *row = map_row();

	ASSERT_NE(NULL, row);
	EXPECT_EQ(-ENOENT, vmas_ask(self->fd, 0, (uintptr_t)row, 0, &self->vma));
	EXPECT_EQ(-ENOENT, vmas_ask(self->fd, 0, (uintptr_t)row + PAGE - 1, 0, &self->vma));
	ASSERT_EQ(0, vmas_ask(self->fd, 0, (uintptr_t)row, ANY, &self->vma));
	EXPECT_EQ((uintptr_t)row + PAGE, self->vma.start);
	ASSERT_EQ(0, vmas_ask(self->fd, 0, (uintptr_t)row + 2 * PAGE - 1, ANY, &self->vma));
	EXPECT_EQ((uintptr_t)row + PAGE, self->vma.start);
	ASSERT_EQ(0, vmas_ask(self->fd, 0, (uintptr_t)row + 2 * PAGE, 0, &self->vma));
	EXPECT_EQ((uintptr_t)row + 2 * PAGE, self->vma.start);
	EXPECT_EQ((uintptr_t)row + 3 * PAGE, self->vma.end);
	EXPECT_EQ(LW_VMA_READABLE, self->vma.flags);
}

/* Which of the row the answer should be; 8: none of it. */
static unsigned int expected_in_row(unsigned int from, uint32_t flags)
{
	uint32_t wanted = flags & 0xf;
	unsigned int i;

	for (i = from; i < 8; i++) {
		/* Shared memory is of a file, though nobody has it open. */
		bool is = (row_flags(i) & wanted) == wanted && (!(flags & LW_VMA_FILE_BACKED) ||
								i >= 4);

		if (is || !(flags & ANY))
			return is ? i : 8;
	}
	return 8;
}

TEST_F(device, filters)
{
	uint8_t *row = map_row();
	uint32_t flags;
	unsigned int i;

	ASSERT_NE(NULL, row);
	for (flags = 0; flags < 0x40; flags++) {
		for (i = 0; i < 8; i++) {
			uint64_t addr = (uintptr_t)row + (1 + i) * PAGE;
			unsigned int expected = expected_in_row(i, flags);
			int ret = vmas_ask(self->fd, 0, addr, flags, &self->vma);

			if (expected < 8) {
				EXPECT_EQ(0, ret);
				EXPECT_EQ((uintptr_t)row + (1 + expected) * PAGE, self->vma.start)
					TH_LOG("%x from %u", flags, i);
				EXPECT_EQ(row_flags(expected), self->vma.flags);
			} else if (flags & ANY) {
				/* Something behind the row. */
				EXPECT_TRUE(ret == -ENOENT ||
					    self->vma.start >= (uintptr_t)row + 9 * PAGE);
			} else {
				EXPECT_EQ(-ENOENT, ret);
			}
		}
	}
}

/* Each way gives the same */

struct list {
	struct vma *all;
	size_t nr, room, differ;
};

static int add(void *arg, const struct vma *vma)
{
	struct list *list = arg;

	if (list->nr == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->all = realloc(list->all, list->room * sizeof(*list->all));
	}
	list->all[list->nr++] = *vma;
	return 0;
}

/* The next one has to be just this. */
static int compare(void *arg, const struct vma *vma)
{
	struct list *list = arg;

	if (list->nr < list->room && vmas_same(&list->all[list->nr], vma)) {
		list->nr++;
		return 0;
	}
	vmas_print("another way", vma);
	if (list->nr < list->room)
		vmas_print("the ioctl", &list->all[list->nr]);
	list->nr++;
	list->differ++;
	return 0;
}

/* @pid stands still.  Return: how many mappings it has, 0 if ways differ, or -errno. */
static int compare_ways(int fd, pid_t pid, struct list *list)
{
	int ret, nr;

	list->nr = 0;
	list->differ = 0;
	ret = vmas_each(fd, pid, add, list);
	nr = list->nr;
	list->room = list->nr;
	list->nr = 0;
	if (!ret)
		ret = vmas_each_line(pid, compare, list);
	list->differ += list->nr != list->room;
	list->nr = 0;
	if (!ret)
		ret = vmas_each_entry(fd, pid, LIST_ROOM, 0, compare, list);
	list->differ += list->nr != list->room;
	list->nr = 0;
	if (!ret && vmas_has_procmap()) {
		ret = vmas_each_procmap(pid, compare, list);
		list->differ += list->nr != list->room;
	}
	/* What there is room for; the rest is lost to realloc() only. */
	return ret ?: list->differ ? 0 : nr;
}

/* Programs that read their input until it ends, and others that wait. */
static const char *const programs[][6] = {
	{ "cat" }, { "tee" }, { "sort" }, { "sed", "p" }, { "awk", "1" }, { "grep", "x" },
	{ "head" }, { "wc" }, { "tr", "a", "b" }, { "od" }, { "sh" }, { "bash" }, { "cut", "-b1" },
	{ "python3", "-c", "import json, socket, ssl, threading; input()" },
	{ "perl", "-e", "use POSIX; use Socket; <STDIN>" }, { "gdb", "-nx", "-q" },
	{ "sqlite3" }, { "openssl", "sha256" }, { "gcc", "-xc", "-E", "-" },
	{ "xz", "-c" }, { "bzip2", "-c" }, { "make", "-f", "-" }, { "busybox", "cat" },
	{ "sleep", "1000" }, { "tail", "-f", "/dev/null" }, { "nl" }, { "md5sum" },
	{ "base64" }, { "cpio", "-it" },
};

/* With its input open for as long as @input is.  Return: its number, or 0. */
static pid_t start(const char *const *command, int *input)
{
	int started[2], feed[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;
	char byte;

	if (pipe2(started, O_CLOEXEC) || pipe2(feed, O_CLOEXEC))
		return 0;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(feed[0], 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(command[0], (char **)command);
		_exit(write(started[1], "", 1) != 1);
	}
	close(null);
	close(started[1]);
	close(feed[0]);
	/* The end of the pipe is that of the old program. */
	if (read(started[0], &byte, 1)) {
		waitpid(pid, NULL, 0);
		close(feed[1]);
		pid = 0;
	} else {
		*input = feed[1];
	}
	close(started[0]);
	return pid;
}

static void end(pid_t pid, int input)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(input);
}

static bool stands_still(pid_t pid)
{
	siginfo_t info;

	if (!lwt_wait(lwt_is(pid, "S")) || kill(pid, SIGSTOP))
		return false;
	return !waitid(P_PID, pid, &info, WSTOPPED | WNOWAIT) && info.si_code == CLD_STOPPED;
}

/* Return: files of @list whose build ID is not libelf's. */
static int wrong_ids(pid_t pid, const struct list *list, size_t nr, int *right)
{
	uint8_t id[LW_BUILD_ID_MAX];
	int wrong = 0, size;
	char path[64];
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct vma *vma = &list->all[i];

		/* A slow kernel has no time for each of a file's. */
		if (LW_TIME_SCALE > 1 && !(vma->flags & LW_VMA_EXECUTABLE))
			continue;
		if (!vma->inode || vma->name[0] != '/') {
			wrong += vma->build_id_size != 0;
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
			 (long long)vma->start, (long long)vma->end);
		size = vmas_build_id(path, id);
		if (size == vma->build_id_size && !memcmp(id, vma->build_id, size)) {
			*right += size > 0;
			continue;
		}
		vmas_print("build ID", vma);
		wrong++;
	}
	return wrong;
}

TEST_F_TIMEOUT(device, answers_as_proc_does_for_programs, 120)
{
	int input = -1, nr_programs = 0, nr_vmas = 0, right = 0;
	int wanted = lwt_long() ? NR_PROCESSES : SOME_PROCESSES;
	struct list list = { 0 };
	uint64_t seed = lwt_seed();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(programs) && nr_programs < wanted + wanted / 5; i++) {
		const char *const *program = programs[(seed + i) % ARRAY_SIZE(programs)];
		pid_t pid = start(program, &input);
		int before = right, nr;

		if (!pid)
			continue;
		ASSERT_TRUE(stands_still(pid))
			TH_LOG("%s", program[0]);
		nr = compare_ways(self->fd, pid, &list);
		EXPECT_LT(5, nr)
			TH_LOG("%s", program[0]);
		EXPECT_EQ(0, wrong_ids(pid, &list, nr > 0 ? nr : 0, &right));
		/* at least the program's own */
		EXPECT_LT(before, right)
			TH_LOG("%s", program[0]);
		end(pid, input);
		nr_programs++;
		nr_vmas += nr;
	}
	TH_LOG("%d programs, %d mappings, %d build IDs, %s", nr_programs, nr_vmas, right,
	       vmas_has_procmap() ? "with PROCMAP_QUERY" : "no PROCMAP_QUERY here");
	EXPECT_LE(wanted, nr_programs);
	/* A static program has one executable mapping, and a few programs may be static. */
	if (lwt_long() || LW_TIME_SCALE == 1)
		EXPECT_LT(lwt_long() ? wanted * 3 : wanted * 5 / 2, right);
	free(list.all);
}

/* Mappings of all kinds, in this process */

#define EXPECT_NAMED(self, addr, name_)						\
do {										\
	ASSERT_EQ(0, vmas_ask((self)->fd, 0, addr, 0, &(self)->vma));		\
	EXPECT_STREQ(name_, (self)->vma.name);					\
} while (0)

TEST_F(device, names_mappings_of_all_kinds)
{
	static const char odd[] = "/root/vma query\n\\ \303\244";
	struct list list = { 0 };
	struct stat st;
	uint64_t at;
	pid_t pid;
	int fd;

	fd = vmas_make_file(odd, "x", 1);
	ASSERT_LE(0, fd);
	at = vmas_map(fd, MAP_PRIVATE, 2 * PAGE);
	EXPECT_NAMED(self, at, odd);
	EXPECT_EQ(2 * PAGE, self->vma.offset);
	EXPECT_EQ(0, self->vma.build_id_size);
	EXPECT_EQ(PAGE, self->vma.page_size);
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(st.st_ino, self->vma.inode);
	ASSERT_EQ(0, unlink(odd));
	ASSERT_EQ(0, vmas_ask(self->fd, 0, at, 0, &self->vma));
	EXPECT_EQ(strlen(odd), strlen(self->vma.name) - strlen(" (deleted)"));
	EXPECT_STREQ(" (deleted)", self->vma.name + strlen(odd));
	EXPECT_EQ(0, strncmp(odd, self->vma.name, strlen(odd)));
	close(fd);

	fd = syscall(SYS_memfd_create, "vmas", 0);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	at = vmas_map(fd, MAP_SHARED, 0);
	EXPECT_NAMED(self, at, "/memfd:vmas (deleted)");
	EXPECT_EQ(LW_VMA_READABLE | LW_VMA_SHARED, self->vma.flags);
	close(fd);
	EXPECT_NAMED(self, vmas_map(-1, MAP_SHARED | MAP_ANONYMOUS, 0), "/dev/zero (deleted)");
	EXPECT_NAMED(self, vmas_map(-1, MAP_PRIVATE | MAP_ANONYMOUS, 0), "");
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	EXPECT_NAMED(self, vmas_map(fd, MAP_PRIVATE, 0), "/dev/zero");
	EXPECT_EQ(0, self->vma.build_id_size);
	close(fd);
	EXPECT_NAMED(self, (uintptr_t)&at, "[stack]");
	EXPECT_NAMED(self, (uintptr_t)sbrk(0) - 1, "[heap]");

	/* Devices and others that cannot be read: no build ID, no word of the kernel. */
	fd = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	if (fd >= 0) {
		EXPECT_NE((void *)-1, shmat(fd, NULL, 0));
		shmctl(fd, IPC_RMID, NULL);
	}
	/* It has all that we have, and nothing more comes while we compare. */
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	ASSERT_LT(0, pid);
	EXPECT_TRUE(stands_still(pid));
	EXPECT_LT(10, compare_ways(self->fd, pid, &list));
	end(pid, -1);
	free(list.all);
}

/* Kernels without it have no such names. */
TEST_F(device, tells_what_a_process_calls_its_memory)
{
	uint64_t at = vmas_map(-1, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, PAGE, "a name"))
		SKIP(return, "this kernel has no CONFIG_ANON_VMA_NAME");
	EXPECT_NAMED(self, at, "[anon:a name]");
}

TEST_F(device, tells_the_size_of_huge_pages)
{
	long size = lwt_proc_kib("/proc/meminfo", "Hugepagesize") * 1024;
	FILE *file = fopen("/proc/sys/vm/nr_hugepages", "w");
	void *map;

	if (file) {
		fputs("2", file);
		fclose(file);
	}
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (map == MAP_FAILED)
		SKIP(return, "no huge pages here");
	ASSERT_EQ(0, vmas_ask(self->fd, 0, (uintptr_t)map, 0, &self->vma));
	EXPECT_EQ(size, self->vma.page_size);
	munmap(map, size);
	file = fopen("/proc/sys/vm/nr_hugepages", "w");
	if (file) {
		fputs("0", file);
		fclose(file);
	}
}

/* A process that does not stand still */

#define SLOTS		32
#define SLOT_PAGES	8		/* four of a mapping, four of a hole */
#define BASE		0x100000000000ULL

static uint64_t slot_at(unsigned int i)
{
	return BASE + i * SLOT_PAGES * PAGE;
}

struct files {
	int fd[2];
	struct stat st[2];
	char path[2][32];
};

/* What can be at a slot: even ones always have the first file, odd ones one of three, or none. */
#define NR_STATES	3

static void *map_state(const struct files *files, uint64_t at, unsigned int state)
{
	static const struct {
		int prot, flags, file;
	} states[NR_STATES] = {
		{ PROT_READ | PROT_EXEC, MAP_PRIVATE, 0 },
		{ PROT_READ | PROT_WRITE, MAP_SHARED, 1 },
		{ PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1 },
	};
	int file = states[state].file;

	return mmap((void *)at, 4 * PAGE, states[state].prot,
		    states[state].flags | MAP_FIXED_NOREPLACE, file < 0 ? -1 : files->fd[file],
		    file < 0 ? 0 : (1 + state) * PAGE);
}

/* Is it whole, and one of those?  Return: the state or -1. */
static int state_of(const struct files *files, uint64_t at, const struct vma *vma)
{
	static const uint32_t flags[NR_STATES] = {
		LW_VMA_READABLE | LW_VMA_EXECUTABLE,
		LW_VMA_READABLE | LW_VMA_WRITABLE | LW_VMA_SHARED,
		LW_VMA_READABLE,
	};
	unsigned int i;

	for (i = 0; i < NR_STATES; i++) {
		bool anon = i == 2;

		if (vma->start == at && vma->end == at + 4 * PAGE && vma->flags == flags[i] &&
		    vma->offset == (anon ? 0 : (1 + i) * PAGE) &&
		    vma->inode == (anon ? 0 : files->st[i].st_ino) &&
		    !strcmp(vma->name, anon ? "" : files->path[i]) &&
		    (vma->build_id_size < 0 || vma->build_id_size == (i == 0 ? 20 : 0)))
			return i;
	}
	return -1;
}

static int make_files(struct files *files)
{
	const struct elf64 elf = SMALL_ELF(elf64, ELFCLASS64);
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(files->path[i], sizeof(files->path[i]), "/dev/shm/vma_query_%d", i);
		files->fd[i] = vmas_make_file(files->path[i], &elf, i ? 1 : sizeof(elf));
		if (files->fd[i] < 0 || ftruncate(files->fd[i], 16 * PAGE) ||
		    fstat(files->fd[i], &files->st[i]))
			return -errno;
	}
	return 0;
}

/* Maps and unmaps for ever. */
static void never_stand_still(const struct files *files)
{
	unsigned int round, i;

	for (i = 0; i < SLOTS; i += 2)
		if (map_state(files, slot_at(i), 0) == MAP_FAILED)
			_exit(1);
	for (round = 0;; round++) {
		for (i = 1; i < SLOTS; i += 2) {
			munmap((void *)slot_at(i), 4 * PAGE);
			if ((round + i) % 4 < NR_STATES &&
			    map_state(files, slot_at(i), (round + i) % 4) == MAP_FAILED)
				_exit(1);
		}
	}
}

/* Return: what was seen: a state, NR_STATES for a hole, -1 for what can't be. */
static int look_at_slot(FIXTURE_DATA(device) *self, pid_t pid, const struct files *files,
			unsigned int i, uint32_t flags)
{
	int ret = vmas_ask(self->fd, pid, slot_at(i) + PAGE, flags, &self->vma), state;

	if (ret)
		return ret == -ENOENT && i % 2 && !(flags & ANY) ? NR_STATES : -1;
	/* The next slot is always there. */
	if (i % 2 && flags & ANY && self->vma.start == slot_at(i + 1))
		return state_of(files, slot_at(i + 1), &self->vma) == 0 ? NR_STATES : -1;
	state = state_of(files, slot_at(i), &self->vma);
	return i % 2 || state == 0 ? state : -1;
}

/* A walk goes up, and sees all that is always there. */
struct walk {
	const struct files *files;
	uint64_t end;
	unsigned int seen;
	unsigned int wrong;
};

static int walk_on(void *arg, const struct vma *vma)
{
	struct walk *walk = arg;
	unsigned int i;

	walk->wrong += vma->start < walk->end || vma->end <= vma->start;
	walk->end = vma->end;
	if (vma->start < BASE || vma->start >= slot_at(SLOTS))
		return 0;
	i = (vma->start - BASE) / (SLOT_PAGES * PAGE);
	walk->wrong += state_of(walk->files, slot_at(i), vma) < 0;
	walk->seen += i % 2 == 0;
	return 0;
}

static bool has_seen_all(const unsigned long *seen)
{
	unsigned int i;

	for (i = 0; i <= NR_STATES; i++)
		if (!seen[i])
			return false;
	return true;
}

TEST_F(device, tells_no_lies_of_a_process_that_never_stands_still)
{
	unsigned long seen[NR_STATES + 1] = { 0 }, wrong = 0, walks;
	unsigned long least = lwt_sample(40, 12);
	struct files files;
	pid_t pid;

	ASSERT_EQ(0, make_files(&files));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		never_stand_still(&files);
	}
	ASSERT_LT(0, pid);
	/* The last that is always there. */
	ASSERT_TRUE(lwt_wait(!vmas_ask(self->fd, pid, slot_at(SLOTS - 2), 0, &self->vma)));
	for (walks = 0; walks < least || !has_seen_all(seen); walks++) {
		struct walk walk = { .files = &files }, list = walk;
		unsigned int i;

		for (i = 0; i < SLOTS - 1; i++) {
			int state = look_at_slot(self, pid, &files, i, walks % 2 ? ANY : 0);

			if (state < 0)
				vmas_print("a lie", &self->vma);
			else
				seen[state]++;
			wrong += state < 0;
		}
		ASSERT_EQ(0, vmas_each(self->fd, pid, walk_on, &walk));
		ASSERT_EQ(0, walk.wrong);
		ASSERT_EQ(SLOTS / 2, walk.seen);
		ASSERT_EQ(0, vmas_each_entry(self->fd, pid, 600 + walks % 2000, 0, walk_on, &list));
		ASSERT_EQ(0, list.wrong);
		ASSERT_EQ(SLOTS / 2, list.seen);
		ASSERT_GT(10, wrong);
	}
	end(pid, files.fd[0]);
	close(files.fd[1]);
	unlink(files.path[0]);
	unlink(files.path[1]);
	TH_LOG("%lu walks; %lu + %lu + %lu mappings, %lu holes", walks, seen[0], seen[1], seen[2],
	       seen[3]);
	EXPECT_EQ(0, wrong);
}

#define COMERS ((int)lwt_count(100, 30))
/* Something is mapped above. */
#if defined(__s390x__)
#define HIGH 0x3ff00000000
#else
#define HIGH 0x7ff000000000
#endif

/* One that becomes another program, and ends. */
TEST_F(device, survives_processes_that_come_and_go)
{
	unsigned long answers = 0;
	int i, ret;

	for (i = 0; i < COMERS; i++) {
		pid_t pid = fork();
		siginfo_t info = { 0 };

		if (!pid) {
			execlp("true", "true", NULL);
			_exit(1);
		}
		ASSERT_LT(0, pid);
		do {
			ret = vmas_ask(self->fd, pid, answers % 2 ? 0 : HIGH, ANY,
				       &self->vma);
			answers += !ret;
			ASSERT_TRUE(!ret || ret == -ENOENT || ret == -ESRCH)
				TH_LOG("%d", ret);
			ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT));
		} while (!info.si_pid);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_LT(COMERS, answers);
}

TEST_HARNESS_MAIN
