// SPDX-License-Identifier: GPL-2.0
/*
 * vma_query_test.c - each way to know a mapping that this machine has gives the same answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/vma_query.h"
#include "tests/tap.h"

#define PAGE	4096UL
#define ANY	LW_VMA_COVERING_OR_NEXT
#define ALL	(LW_VMA_WANT_NAME | LW_VMA_WANT_BUILD_ID)

static char dir[32] = "/tmp/lw-vma-XXXXXX";

/* A child that has what we have, and stands still. */
static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void *map_file(const char *name)
{
	char path[128];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, PAGE))
		return MAP_FAILED;
	map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return map;
}

static void forget_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static bool is_same(const struct lw_vma *a, const struct lw_vma *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->flags == b->flags &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size) && !strcmp(a->name, b->name);
}

static struct lw_vma one, other;

/* Return: how many mappings both know, or -1 if they differ. */
static int compare(struct lw_vmas *a, struct lw_vmas *b, u32 flags, u32 want)
{
	int nr = 0, ret;

	for (u64 addr = 0;; addr = one.end, nr++) {
		ret = lw_vma_query(a, addr, flags | ANY, want, &one);
		if (lw_vma_query(b, addr, flags | ANY, want, &other) != ret)
			return -1;
		if (ret)
			return ret == -ENOENT ? nr : -1;
		if (!is_same(&one, &other)) {
			printf("# %llx-%llx '%s' %u, %llx-%llx '%s' %u\n", one.start, one.end,
			       one.name, one.build_id_size, other.start, other.end, other.name,
			       other.build_id_size);
			return -1;
		}
	}
}

static bool compare_with_text(pid_t pid, enum lw_vma_way way)
{
	struct lw_vmas *text, *vmas;
	int ret = lw_vmas_open_by(&vmas, pid, way);

#ifdef LW_NEED_MODULE
	CHECK(!ret || way != LW_VMA_BY_MODULE);
#endif
	if (ret) {
		printf("# way %d is not to be had here: %s\n", way, strerror(-ret));
		return true;
	}
	CHECK(!lw_vmas_open_by(&text, pid, LW_VMA_BY_TEXT));
	CHECK(compare(vmas, text, 0, ALL) > 10);
	for (u32 flags = 1; flags < 0x40; flags++)
		if (!(flags & ANY))
			CHECK(compare(vmas, text, flags, LW_VMA_WANT_NAME) >= 0);
	lw_vmas_close(text);
	lw_vmas_close(vmas);
	return true;
}

static bool all_ways_say_the_same(void)
{
	int fd = syscall(SYS_memfd_create, "a file of memory", 0);
	pid_t pid;

	CHECK(map_file("plain") != MAP_FAILED && map_file("a line\nand another") != MAP_FAILED);
	CHECK(map_file("no line\\012 feed") != MAP_FAILED && map_file("gone") != MAP_FAILED);
	forget_file("gone");
	CHECK(!ftruncate(fd, PAGE));
	CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	CHECK(mmap(NULL, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	CHECK(mmap(NULL, PAGE, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	close(fd);
	pid = start_child();
	CHECK(pid > 0);
	CHECK(compare_with_text(pid, LW_VMA_BY_PROCMAP));
	CHECK(compare_with_text(pid, LW_VMA_BY_MODULE));
	end_child(pid);
	forget_file("plain");
	forget_file("a line\nand another");
	forget_file("no line\\012 feed");
	return true;
}

static bool has_name(struct lw_vmas *vmas, const void *addr, const char *name)
{
	return !lw_vma_query(vmas, (uintptr_t)addr, 0, LW_VMA_WANT_NAME, &one) &&
	       !strcmp(one.name, name) && one.start <= (uintptr_t)addr &&
	       one.end > (uintptr_t)addr;
}

static bool text_has_names(void)
{
	static const char odd[] = "feed\n and \\012";
	struct lw_vmas *vmas;
	void *map = map_file(odd);
	char path[128];

	CHECK(map != MAP_FAILED && !lw_vmas_open_by(&vmas, getpid(), LW_VMA_BY_TEXT));
	snprintf(path, sizeof(path), "%s/%s", dir, odd);
	/* Who can't read the link takes it for two. */
	CHECK(geteuid() || has_name(vmas, map, path));
	forget_file(odd);
	strcat(path, " (deleted)");
	CHECK(geteuid() || has_name(vmas, map, path));
	CHECK(has_name(vmas, &vmas, "[stack]"));
	CHECK(!lw_vma_query(vmas, (uintptr_t)&vmas, 0, 0, &one) && !one.name[0]);
	lw_vmas_close(vmas);
	munmap(map, PAGE);
	return true;
}

static bool text_knows_build_ids(void)
{
	struct lw_vmas *vmas;

	CHECK(!lw_vmas_open_by(&vmas, getpid(), LW_VMA_BY_TEXT));
	CHECK(!lw_vma_query(vmas, (uintptr_t)exit, 0, ALL, &one));
	CHECK(one.build_id_size == 20 && strstr(one.name, "libc"));
	CHECK(!lw_vma_query(vmas, (uintptr_t)exit, 0, LW_VMA_WANT_NAME, &one));
	CHECK(!one.build_id_size);
	lw_vmas_close(vmas);
	return true;
}

static bool finds_nothing_in_a_hole(void)
{
	u8 *row = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lw_vmas *vmas;

	CHECK(row != MAP_FAILED && !munmap(row + PAGE, PAGE));
	for (enum lw_vma_way way = 0; way < LW_VMA_NR_WAYS; way++) {
		u64 hole = (uintptr_t)row + PAGE;

		if (lw_vmas_open_by(&vmas, getpid(), way))
			continue;
		CHECK(lw_vma_query(vmas, hole, 0, ALL, &one) == -ENOENT);
		CHECK(!lw_vma_query(vmas, hole, ANY, ALL, &one) && one.start == hole + PAGE);
		CHECK(!lw_vma_query(vmas, hole - 1, ANY, ALL, &one) && one.end == hole);
		CHECK(lw_vma_query(vmas, hole - 1, LW_VMA_WRITABLE, ALL, &one) == -ENOENT);
		CHECK(lw_vma_query(vmas, ~0ULL, ANY, ALL, &one) == -ENOENT);
		CHECK(lw_vma_query(vmas, 0xffffffffff600000, 0, ALL, &one) == -ENOENT);
		lw_vmas_close(vmas);
	}
	return true;
}

static bool has_none_of_who_has_ended(void)
{
	struct lw_vmas *vmas[LW_VMA_NR_WAYS] = { NULL };
	pid_t pid = start_child();

	CHECK(pid > 0);
	for (enum lw_vma_way way = 0; way < LW_VMA_NR_WAYS; way++)
		if (!lw_vmas_open_by(&vmas[way], pid, way))
			CHECK(!lw_vma_query(vmas[way], 0, ANY, 0, &one));
	CHECK(vmas[LW_VMA_BY_TEXT]);
	end_child(pid);
	for (enum lw_vma_way way = 0; way < LW_VMA_NR_WAYS; way++) {
		if (vmas[way])
			CHECK(lw_vma_query(vmas[way], 0, ANY, 0, &one) == -ESRCH);
		lw_vmas_close(vmas[way]);
	}
	CHECK(lw_vmas_open(&vmas[0], pid) == -ESRCH && strstr(lw_fail_text(), "no mappings"));
	return true;
}

/* A child that becomes cat when it is told to; its output ends when it has. */
static pid_t start_cat(int *in, int *out)
{
	int from[2], to[2];
	char byte;
	pid_t pid;

	if (pipe2(from, O_CLOEXEC) || pipe2(to, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(to[0], 0);
		dup2(from[1], 1);
		if (read(0, &byte, 1) == 1)
			execlp("cat", "cat", NULL);
		_exit(1);
	}
	close(from[1]);
	close(to[0]);
	*in = to[1];
	*out = from[0];
	return pid;
}

static bool follows_through_exec(void)
{
	struct lw_vmas *vmas[LW_VMA_NR_WAYS] = { NULL };
	int in = -1, out = -1;
	char byte = 'x';
	pid_t pid = start_cat(&in, &out);

	CHECK(pid > 0);
	for (enum lw_vma_way way = 0; way < LW_VMA_NR_WAYS; way++) {
		if (!lw_vmas_open_by(&vmas[way], pid, way)) {
			CHECK(!lw_vma_query(vmas[way], (uintptr_t)start_cat, 0, LW_VMA_WANT_NAME,
					    &one));
			CHECK(strstr(one.name, "/vma_"));
		}
	}
	/* What comes back comes from cat. */
	CHECK(write(in, "12", 2) == 2 && read(out, &byte, 1) == 1 && byte == '2');
	for (enum lw_vma_way way = 0; way < LW_VMA_NR_WAYS; way++) {
		if (!vmas[way])
			continue;
		CHECK(!lw_vma_query(vmas[way], 0, ANY, LW_VMA_WANT_NAME, &one));
		CHECK(strstr(one.name, "cat") || strstr(one.name, "coreutils"));
		lw_vmas_close(vmas[way]);
	}
	close(in);
	close(out);
	end_child(pid);
	return true;
}

static bool takes_the_best_way(void)
{
	enum lw_vma_way way = 0;
	struct lw_vmas *vmas;

	while (way < LW_VMA_BY_TEXT && lw_vmas_open_by(&vmas, getpid(), way))
		way++;
	if (way < LW_VMA_BY_TEXT)
		lw_vmas_close(vmas);
	CHECK(!lw_vmas_open(&vmas, getpid()));
	CHECK(lw_vmas_way(vmas) == way);
	lw_vmas_close(vmas);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(all_ways_say_the_same),
		TEST(text_has_names),
		TEST(text_knows_build_ids),
		TEST(finds_nothing_in_a_hole),
		TEST(has_none_of_who_has_ended),
		TEST(follows_through_exec),
		TEST(takes_the_best_way),
	};
	int ret;

	if (!mkdtemp(dir))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	rmdir(dir);
	return ret;
}
