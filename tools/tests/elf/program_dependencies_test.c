// SPDX-License-Identifier: GPL-2.0
/*
 * program_dependencies_test.c - what a command will map is guessed before it runs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/mapped_file.h"
#include "elf/program_dependencies.h"
#include "tests/tap.h"

#define MAX_FILES	64

struct files {
	u32 nr;
	struct stat files[MAX_FILES];
};

static void take(void *ctx, const char *path)
{
	struct files *files = ctx;

	if (files->nr < MAX_FILES && !stat(path, &files->files[files->nr]))
		files->nr++;
}

static bool has(const struct files *files, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	for (u32 i = 0; i < files->nr; i++) {
		if (files->files[i].st_dev == st.st_dev && files->files[i].st_ino == st.st_ino)
			return true;
	}
	return false;
}

/* A program that runs knows: ld.so was asked. */
static bool all_that_this_program_has_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], perms[5], path[4096];
	struct files files = {};
	u32 nr = 0;

	CHECK(maps);
	lw_program_dependencies("/proc/self/exe", take, &files);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*x-%*x %4s %*s %*s %*s %4095s", perms, path) != 2 ||
		    perms[2] != 'x' || path[0] != '/')
			continue;
		if (!has(&files, path))
			printf("# %s\n", path);
		CHECK(has(&files, path));
		nr++;
	}
	fclose(maps);
	CHECK(nr >= 3);
	return true;
}

static bool a_command_is_looked_for_in_the_path(void)
{
	struct files files = {};

	setenv("PATH", "/nonexistent:/bin:/usr/bin", 1);
	lw_program_dependencies("sh", take, &files);
	CHECK(has(&files, "/bin/sh") && files.nr >= 3);
	return true;
}

static bool a_script_has_its_interpreter(void)
{
	char path[] = "/tmp/lw-script-XXXXXX";
	struct files files = {};
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, "#!/usr/bin/env -S sh\n", 21) == 21);
	lw_program_dependencies(path, take, &files);
	close(fd);
	unlink(path);
	CHECK(has(&files, "/usr/bin/env") && has(&files, "/bin/sh"));
	return true;
}

static bool what_is_not_there_has_none(void)
{
	struct files files = {};

	lw_program_dependencies("/nonexistent/program", take, &files);
	lw_program_dependencies("no-such-command-here", take, &files);
	CHECK(!files.nr);
	return true;
}

/* A pipe that nobody writes to: who opens it waits. */
static bool a_pipe_is_not_waited_for(void)
{
	char path[] = "/tmp/lw-script-XXXXXX";
	struct files files = {};
	int fd = mkstemp(path);

	CHECK(fd >= 0 && !close(fd) && !unlink(path) && !mkfifo(path, 0600));
	alarm(300);
	lw_program_dependencies(path, take, &files);
	CHECK(!setenv("LD_PRELOAD", path, 1));
	lw_program_dependencies("sh", take, &files);
	alarm(0);
	CHECK(!unsetenv("LD_PRELOAD") && !unlink(path));
	CHECK(has(&files, "/bin/sh"));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(all_that_this_program_has_mapped),
		TEST(a_command_is_looked_for_in_the_path),
		TEST(a_script_has_its_interpreter),
		TEST(what_is_not_there_has_none),
		TEST(a_pipe_is_not_waited_for),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
