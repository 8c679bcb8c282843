// SPDX-License-Identifier: GPL-2.0
/*
 * output_test.c - a file that a command makes takes its name when it is told to, and leaves no
 * other file changed if it is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "tests/tap.h"

static const char *dir;
static char path[64], old[64], link_to[64];

static bool put(int fd, const char *text)
{
	bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	return !close(fd) && done;
}

static bool make(const char *name, const char *text)
{
	return put(open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644), text);
}

static bool has(const char *name, const char *text)
{
	char buf[64];
	ssize_t len = lw_read_file(name, buf, sizeof(buf));

	return text ? len == (ssize_t)strlen(text) && !strcmp(buf, text) : len < 0;
}

static int nr_files(void)
{
	FILE *list;
	char command[128];
	int nr = -1;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", dir);
	list = popen(command, "re");
	if (list && fscanf(list, "%d", &nr) != 1)
		nr = -1;
	if (list)
		pclose(list);
	return nr;
}

static bool others_are_as_they_were(void)
{
	struct lw_output out;
	int fd;

	CHECK(make(path, "first") && make(old, "zeroth"));
	fd = lw_output_open(&out, path, true);
	CHECK(fd >= 0 && put(fd, "second"));
	CHECK(has(path, "first") && has(old, "zeroth") && nr_files() == 3);
	lw_output_remove(&out);
	CHECK(has(path, "first") && has(old, "zeroth") && nr_files() == 2);
	/* the same without a word that it is to be removed */
	CHECK(put(lw_output_open(&out, path, true), "second"));
	lw_output_close(&out);
	CHECK(has(path, "first") && has(old, "zeroth") && nr_files() == 2);
	return true;
}

static bool it_takes_its_name(void)
{
	struct lw_output out;
	struct stat st;

	CHECK(make(path, "first") && make(old, "zeroth"));
	CHECK(put(lw_output_open(&out, path, true), "second"));
	CHECK(!lw_output_publish(&out) && !lw_output_publish(&out));
	CHECK(has(path, "second") && has(old, "first") && nr_files() == 2);
	CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600);
	lw_output_close(&out);
	CHECK(has(path, "second"));
	/* what was removed behind that gives its place back */
	CHECK(put(lw_output_open(&out, path, true), "third") && !lw_output_publish(&out));
	lw_output_remove(&out);
	CHECK(has(path, "second") && has(old, NULL) && nr_files() == 1);
	/* nothing is kept of an empty file, or if nobody asks */
	CHECK(make(path, "") && put(lw_output_open(&out, path, true), "third"));
	CHECK(!lw_output_publish(&out) && has(path, "third") && has(old, NULL));
	lw_output_close(&out);
	CHECK(put(lw_output_open(&out, path, false), "fourth") && !lw_output_publish(&out));
	lw_output_close(&out);
	CHECK(has(path, "fourth") && nr_files() == 1 && !unlink(path));
	return true;
}

static bool what_is_no_regular_file_stays(void)
{
	struct lw_output out;
	char name[512];
	struct stat st;
	int fd;

	CHECK(put(lw_output_open(&out, "/dev/null", true), "x") && !lw_output_publish(&out));
	lw_output_remove(&out);
	CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
	/* a link leads to the file before and after, or to a new one, which is not removed */
	CHECK(make(path, "first") && !symlink(path, link_to));
	CHECK(put(lw_output_open(&out, link_to, true), "second") && !lw_output_publish(&out));
	lw_output_remove(&out);
	CHECK(!lstat(link_to, &st) && S_ISLNK(st.st_mode));
	CHECK(has(path, "second") && has(old, NULL) && !unlink(path));
	CHECK(put(lw_output_open(&out, link_to, true), "third") && !lw_output_publish(&out));
	lw_output_close(&out);
	CHECK(has(path, "third") && nr_files() == 2 && !unlink(link_to));
	/* so does a descriptor */
	fd = open(path, O_WRONLY);
	snprintf(link_to, sizeof(link_to), "/proc/self/fd/%d", fd);
	CHECK(put(lw_output_open(&out, link_to, true), "fourth") && !lw_output_publish(&out));
	lw_output_remove(&out);
	CHECK(!close(fd) && has(path, "fourth") && nr_files() == 1 && !unlink(path));
	snprintf(link_to, sizeof(link_to), "%s/link", dir);
	CHECK(lw_output_open(&out, "/nowhere/at/all", true) == -ENOENT);
	CHECK(lw_output_open(&out, dir, true) == -EISDIR);
	/* a name of 255 bytes, which no other can be made of */
	memset(name, 'n', sizeof(name));
	snprintf(name, sizeof(name), "%s/", dir);
	name[strlen(dir) + 1] = 'n';
	name[strlen(dir) + 1 + 255] = 0;
	CHECK(put(lw_output_open(&out, name, true), "fifth") && !lw_output_publish(&out));
	lw_output_close(&out);
	CHECK(has(name, "fifth") && nr_files() == 1 && !unlink(name));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(others_are_as_they_were),
		TEST(it_takes_its_name),
		TEST(what_is_no_regular_file_stays),
	};
	char made[] = "/tmp/lw-output.XXXXXX";
	int ret;

	dir = mkdtemp(made);
	if (!dir)
		return 1;
	snprintf(path, sizeof(path), "%s/data", dir);
	snprintf(old, sizeof(old), "%s/data.old", dir);
	snprintf(link_to, sizeof(link_to), "%s/link", dir);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(path);
	unlink(old);
	unlink(link_to);
	rmdir(dir);
	return ret;
}
