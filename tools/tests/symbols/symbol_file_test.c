// SPDX-License-Identifier: GPL-2.0
/*
 * symbol_file_test.c - names of functions, also of files that others write to.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include "symbols/symbol_file.h"
#include "symbols/symbolizer.h"
#include "tests/tap.h"

#define FAR	(1ULL << 31)	/* bytes: more than names take */
#define MANY	(1ULL << 22)	/* sections */

__attribute__((used)) int name_me(int x);

/**
 * name_me - a function to find in this file's symbol table
 */
int name_me(int x)
{
	return x * 3 + 1;
}

/* The mapping of this process that has the address; the path is the caller's. */
static bool find_map(u64 addr, struct lw_map *map)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4400], path[4200];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		memset(map, 0, sizeof(*map));
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4199s", &map->start, &map->end,
			   &map->pgoff, path) == 4)
			found = addr >= map->start && addr < map->end;
	}
	if (file)
		fclose(file);
	map->path = found ? strdup(path) : NULL;
	return map->path;
}

static struct lw_symbolizer *new_symbolizer(void)
{
	static const struct lw_symbolize_options options = { .here = true, .live = true };

	return lw_symbolizer_new(&options);
}

static bool is_named(struct lw_symbolizer *symbolizer, const struct lw_map *map, u64 addr,
		     const char *name)
{
	const struct lw_user_address address = { .pid = getpid(), .map = map, .ip = addr };
	const char *symbol;
	struct lw_place place;

	lw_symbolize_user(symbolizer, &address, &place, 1);
	symbol = lw_place_symbol(&place);
	if (!symbol || !strcmp(symbol, name))
		return symbol;
	printf("# %s instead of %s\n", symbol, name);
	return false;
}

/* Return: descriptor of a copy of this program, whose path is in the mapping now. */
static int copy_program(struct lw_map *map)
{
	char path[] = "/tmp/lw-symbols-XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, st.st_size) != st.st_size)
		return -1;
	close(from);
	free(map->path);
	map->path = strdup(path);
	return to;
}

static bool functions_have_names(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer();
	struct lw_map map;

	CHECK(symbolizer && find_map((u64)name_me, &map));
	CHECK(is_named(symbolizer, &map, (u64)name_me, "name_me"));
	CHECK(is_named(symbolizer, &map, (u64)name_me + 1, "name_me"));
	CHECK(is_named(symbolizer, &map, (u64)is_named, "is_named"));
	free(map.path);
	/* of a library that has none but dynamic symbols, perhaps */
	CHECK(find_map((u64)mkstemp, &map));
	CHECK(is_named(symbolizer, &map, (u64)mkstemp, "mkstemp") ||
	      is_named(symbolizer, &map, (u64)mkstemp, "mkstemp64"));
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool file_that_is_cut_meanwhile_does_no_harm(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(), *later = new_symbolizer();
	struct lw_map map;
	int fd;

	CHECK(symbolizer && later && find_map((u64)name_me, &map));
	fd = copy_program(&map);
	CHECK(fd >= 0);
	CHECK(is_named(symbolizer, &map, (u64)name_me, "name_me"));
	CHECK(!ftruncate(fd, 100));
	CHECK(is_named(symbolizer, &map, (u64)name_me, "name_me"));
	CHECK(is_named(symbolizer, &map, (u64)is_named, "is_named"));
	CHECK(!is_named(later, &map, (u64)name_me, "name_me"));
	unlink(map.path);
	close(fd);
	free(map.path);
	lw_symbolizer_free(symbolizer);
	lw_symbolizer_free(later);
	return true;
}

/* The names are said to be more than anybody has, or not to be there. */
static void change_section(Elf64_Shdr *shdr, bool huge)
{
	if (huge && (shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_STRTAB))
		shdr->sh_size = FAR;
	if (!huge && shdr->sh_type == SHT_SYMTAB)
		shdr->sh_type = SHT_NULL;
}

static bool change_sections(int fd, bool huge)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		return false;
	for (int i = 1; i < ehdr.e_shnum; i++) {
		off_t at = ehdr.e_shoff + i * sizeof(shdr);

		if (pread(fd, &shdr, sizeof(shdr), at) != sizeof(shdr))
			return false;
		change_section(&shdr, huge);
		if (pwrite(fd, &shdr, sizeof(shdr), at) != sizeof(shdr))
			return false;
	}
	return true;
}

static bool say_many_sections(int fd)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr first = { .sh_size = MANY };

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		return false;
	ehdr.e_shnum = 0;
	return pwrite(fd, &ehdr, sizeof(ehdr), 0) == sizeof(ehdr) &&
	       pwrite(fd, &first, sizeof(first), ehdr.e_shoff) == sizeof(first);
}

/* Of a file that is mostly holes; @many: of sections, else of names. */
static bool takes_no_memory(bool many)
{
	struct lw_symbolizer *symbolizer = new_symbolizer();
	struct rusage before, after;
	struct lw_map map;
	int fd;

	CHECK(symbolizer && find_map((u64)name_me, &map));
	fd = copy_program(&map);
	CHECK(fd >= 0 && !ftruncate(fd, 2 * FAR));
	CHECK(many ? say_many_sections(fd) : change_sections(fd, true));
	getrusage(RUSAGE_SELF, &before);
	/* one that can't be opened at all is found by its mapping */
	CHECK(is_named(symbolizer, &map, (u64)name_me, "name_me") == many);
	getrusage(RUSAGE_SELF, &after);
	CHECK(after.ru_maxrss - before.ru_maxrss < 16 << 10);
	unlink(map.path);
	close(fd);
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool names_larger_than_the_file_take_no_memory(void)
{
	return takes_no_memory(false);
}

static bool sections_beyond_number_take_no_memory(void)
{
	return takes_no_memory(true);
}

/* Where libdwfl looks for names of a file that has none: a name that its owner chooses. */
static bool strangers_say_nothing_of_what_is_opened(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer();
	struct lw_map map;
	char debug[64];
	int fd;

	if (geteuid())
		return true;	/* none but root can give a file away */
	CHECK(symbolizer && find_map((u64)name_me, &map));
	fd = copy_program(&map);
	CHECK(fd >= 0 && change_sections(fd, false) && !fchown(fd, 1, 1));
	snprintf(debug, sizeof(debug), "%s.debug", map.path);
	CHECK(!mkfifo(debug, 0666));
	/* who waits for a writer is killed */
	alarm(300);
	CHECK(!is_named(symbolizer, &map, (u64)name_me, "name_me"));
	alarm(0);
	unlink(debug);
	unlink(map.path);
	close(fd);
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* A link of the process's may lead to a device. */
static bool what_is_no_file_is_not_opened(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer();
	char path[] = "/tmp/lw-symbols-XXXXXX";
	struct lw_map map;

	CHECK(symbolizer && find_map((u64)name_me, &map));
	CHECK(mkdtemp(path) && !rmdir(path) && !symlink("/dev/null", path));
	free(map.path);
	map.path = path;
	map.start = 0x10000;	/* no mapping of ours */
	map.end = 0x20000;
	CHECK(!is_named(symbolizer, &map, 0x10000, "name_me"));
	unlink(path);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* Return: a process that sees this program at the path, or -1. */
static pid_t start_container(const char *path)
{
	char self[4096] = "", ready = 0;
	int pipe_fds[2];
	pid_t child;

	/* the link itself leads to a mount of the old namespace */
	if (pipe(pipe_fds) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	child = fork();
	if (!child) {
		ready = !unshare(CLONE_NEWNS) &&
			!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
			!mount(self, path, NULL, MS_BIND, NULL);
		if (write(pipe_fds[1], &ready, 1) == 1)
			pause();
		_exit(1);
	}
	if (child > 0 && read(pipe_fds[0], &ready, 1) == 1 && !ready) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = -1;
	}
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return child;
}

/* What has its name here is another file, which nothing tells: neither has a build ID. */
static bool files_are_those_that_the_process_sees(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer();
	struct lw_map map;
	struct lw_user_address address = { .map = &map, .ip = (u64)name_me };
	struct lw_place place;
	pid_t child;
	int fd;

	CHECK(symbolizer && find_map((u64)name_me, &map));
	fd = copy_program(&map);
	CHECK(fd >= 0 && change_sections(fd, false));
	child = start_container(map.path);
	if (child < 0 && geteuid())
		return true;	/* none but root can mount a file */
	CHECK(child > 0);
	address.pid = child;
	lw_symbolize_user(symbolizer, &address, &place, 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	CHECK(place.function && !strcmp(place.function, "name_me"));
	unlink(map.path);
	close(fd);
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* Else no stack would be unwound from there. */
static bool vdso_is_trusted(void)
{
	struct lw_symbol_file file;
	int ret = lw_symbol_file_open_vdso(&file);

	CHECK(!ret || ret == -ENOENT);
	if (ret)
		return true;
	CHECK(lw_symbol_file_is_trusted(&file));
	lw_symbol_file_close(&file);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(functions_have_names),
		TEST(file_that_is_cut_meanwhile_does_no_harm),
		TEST(names_larger_than_the_file_take_no_memory),
		TEST(sections_beyond_number_take_no_memory),
		TEST(strangers_say_nothing_of_what_is_opened),
		TEST(what_is_no_file_is_not_opened),
		TEST(files_are_those_that_the_process_sees),
		TEST(vdso_is_trusted),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
