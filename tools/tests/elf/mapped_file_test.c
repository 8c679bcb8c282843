// SPDX-License-Identifier: GPL-2.0
/*
 * mapped_file_test.c - the file behind a mapping is found, and no other is taken for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/mapped_file.h"
#include "tests/tap.h"

#define SIZE	4096

static char dir[32] = "/tmp/lw-mapped-XXXXXX";

/* Of a mapping of this program that begins at @start, as others are told of it. */
static bool mapping_at(struct lw_mapping *map, const void *start, const char *path)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int major, minor;
	char line[4096];
	bool found = false;

	memset(map, 0, sizeof(*map));
	map->pid = getpid();
	map->path = path;
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		found = sscanf(line, "%llx-%llx %*s %*x %x:%x %llu", &map->start, &map->end,
			       &major, &minor, &map->ino) == 5 && map->start == (u64)start;
		map->dev = makedev(major, minor);
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool make_file(const char *path, char content)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	bool done = fd >= 0 && write(fd, &content, 1) == 1 && !ftruncate(fd, SIZE);

	if (fd >= 0)
		close(fd);
	return done;
}

static bool map_file(struct lw_mapping *map, const char *path)
{
	int fd = open(path, O_RDONLY);
	void *start = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	close(fd);
	return start != MAP_FAILED && mapping_at(map, start, path);
}

/* Return: its first byte, or -errno. */
static int opened(const struct lw_mapping *map)
{
	struct stat st;
	int fd = lw_open_mapped(map, &st);
	char byte;

	if (fd < 0)
		return fd;
	if (pread(fd, &byte, 1, 0) != 1)
		byte = 0;
	close(fd);
	return byte;
}

static const char *file(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static bool what_is_mapped_is_opened(void)
{
	struct lw_mapping map;
	struct stat st;

	CHECK(make_file(file("a"), 'a') && map_file(&map, file("a")));
	CHECK(opened(&map) == 'a');
	/* by its path alone */
	map.start = 0;
	map.end = 0;
	CHECK(opened(&map) == 'a');
	/* of a process that is gone; where its numbers are others here nothing can be said */
	CHECK(!stat(file("a"), &st));
	map.pid = 0;
	CHECK(opened(&map) == (st.st_dev == map.dev ? 'a' : -ESTALE));
	return true;
}

/* Or it would be known for good as one that has no table. */
static bool what_is_no_regular_file_is_another(void)
{
	struct lw_mapping map;

	CHECK(make_file(file("d"), 'd') && map_file(&map, file("d")));
	CHECK(!unlink(file("d")) && !mkfifo(file("d"), 0600));
	map.start = 0;
	map.end = 0;
	CHECK(opened(&map) == -ESTALE);
	return true;
}

/* Some of the kernel's are taken from by who reads them. */
static bool what_the_kernel_makes_up_is_not_opened(void)
{
	struct stat st;
	int fd;

	CHECK(lw_open_file("/proc/self/maps", &st) == -ENOEXEC);
	CHECK(lw_open_file("/proc/version", &st) == -ENOEXEC);
	fd = lw_open_file("/proc/self/exe", &st);
	CHECK(fd >= 0 && st.st_size && !close(fd));
	CHECK(lw_open_file("/proc/self/nothing", &st) == -ENOENT);
	return true;
}

/* As after an exec, or in another process of that number. */
static bool what_is_mapped_there_by_now_is_another_file(void)
{
	char path[64];
	struct lw_mapping map, other;
	struct stat st;

	snprintf(path, sizeof(path), "%s", file("b"));
	CHECK(make_file(path, 'b') && map_file(&map, path));
	CHECK(make_file(file("c"), 'c') && map_file(&other, file("c")));
	other.start = map.start;
	other.end = map.end;
	CHECK(opened(&other) == 'c');
	CHECK(!unlink(file("c")));
	CHECK(opened(&other) < 0);
	/* and the path is that of another one, too */
	CHECK(make_file(file("c"), 'C'));
	CHECK(opened(&other) == -ESTALE);
	/* here numbers tell, and the device says that it is not the one */
	CHECK(!stat(file("c"), &st));
	other.ino = st.st_ino;
	other.dev ^= 1;
	CHECK(!lw_stat_likely(&other, &st));
	return true;
}

/* Each call makes an overlay whose file has the inode number that others have. */
static bool mount_overlay(const char *name, char content)
{
	char lower[64], options[2 * sizeof(lower) + 16];

	snprintf(lower, sizeof(lower), "%s", file(name));
	snprintf(options, sizeof(options), "lowerdir=%s/l:%s/e", lower, lower);
	if (mkdir(lower, 0755) || mount("none", lower, "tmpfs", 0, NULL) || chdir(lower) ||
	    mkdir("l", 0755) || mkdir("e", 0755) || !make_file("l/file", content) || chdir("/"))
		return false;
	return !mount("none", file("merged"), "overlay", 0, options);
}

/* Maps its own file at the path that we have another at. */
static int in_container(int out, int in)
{
	struct lw_mapping map;
	char byte;

	if (unshare(CLONE_NEWNS) || !mount_overlay("theirs", 't') ||
	    !map_file(&map, file("merged/file")) || write(out, &map, sizeof(map)) != sizeof(map))
		return 1;
	return read(in, &byte, 1) < 0;
}

static bool files_of(struct lw_mapping *map, const struct lw_mapping *ours, pid_t pid, int in)
{
	struct lw_mapping by_path;

	CHECK(read(in, map, sizeof(*map)) == sizeof(*map));
	map->path = ours->path;
	map->pid = pid;
	if (map->ino != ours->ino)
		printf("# the inode numbers differ\n");
	CHECK(opened(map) == 't');
	by_path = *map;
	by_path.start = 0;
	by_path.end = 0;
	CHECK(opened(&by_path) == 't');
	return true;
}

static bool compare_containers(void)
{
	struct lw_mapping ours, theirs;
	struct stat st;
	int to[2], from[2];
	bool good;
	pid_t pid;

	CHECK(map_file(&ours, file("merged/file")) && opened(&ours) == 'o');
	CHECK(!pipe(to) && !pipe(from));
	pid = fork();
	if (!pid)
		_exit(in_container(from[1], to[0]));
	/* or it would be waited for when that has failed */
	close(from[1]);
	close(to[0]);
	good = files_of(&theirs, &ours, pid, from[0]);
	CHECK(write(to[1], "", 1) == 1 && waitpid(pid, NULL, 0) == pid);
	CHECK(good);
	/* it is gone: of what it had at that path nothing can be known */
	CHECK(opened(&theirs) == -ESTALE);
	/* while we are there */
	ours.start = 0;
	ours.end = 0;
	CHECK(opened(&ours) == 'o');
	/* as somebody had it who has ended */
	ours.pid = 0x7ffffff0;
	ours.dev ^= 1;
	CHECK(opened(&ours) == -ESTALE && lw_stat_likely(&ours, &st));
	ours.ino ^= 1;
	CHECK(!lw_stat_likely(&ours, &st));
	return true;
}

/* With a mount namespace of its own, which takes all with it. */
static bool a_file_of_another_overlay_is_another_file(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bool good;

		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mkdir(file("merged"), 0755) || !mount_overlay("ours", 'o')) {
			printf("# not tried: %s\n", strerror(errno));
			good = true;
		} else {
			good = compare_containers();
		}
		fflush(stdout);
		_exit(!good);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return !status;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(what_is_mapped_is_opened),
		TEST(what_is_no_regular_file_is_another),
		TEST(what_the_kernel_makes_up_is_not_opened),
		TEST(what_is_mapped_there_by_now_is_another_file),
		TEST(a_file_of_another_overlay_is_another_file),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || ret;
}
