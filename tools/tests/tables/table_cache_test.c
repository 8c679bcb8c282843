// SPDX-License-Identifier: GPL-2.0
/*
 * table_cache_test.c - the cache of tables: what is read is what was made, or
 * nothing is read; whoever writes at the same time, whatever an entry has in it.
 *
 * The files are this program, and copies of it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "tables/table_cache.h"
#include "tests/tap.h"
#include "../selftests/lib/form.h"

#define PROCESSES	4
#define THREADS		4
#define ROUNDS		lwt_count(40, 8)

static char top[64];

static char *path_of(const char *name)
{
	static char paths[4][300];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[next]), "%s/%s", top, name);
	return paths[next];
}

static struct lw_table_cache *open_cache(const char *name)
{
	struct lw_table_cache *cache = NULL;

	if (lw_table_cache_open(&cache, path_of(name)))
		printf("# %s\n", lw_fail_text());
	return cache;
}

static int open_self(void)
{
	return open("/proc/self/exe", O_RDONLY);
}

static bool same_gen(const struct lw_gen *a, const struct lw_gen *b)
{
	if (a->nr_tables != b->nr_tables || memcmp(&a->counts, &b->counts, sizeof(a->counts)))
		return false;
	for (size_t i = 0; i < a->nr_tables; i++) {
		const struct lw_gen_table *one = &a->tables[i], *other = &b->tables[i];

		if (one->size != other->size || one->text_offset != other->text_offset ||
		    one->text_size != other->text_size || one->text_addr != other->text_addr ||
		    one->version != other->version || memcmp(one->data, other->data, one->size))
			return false;
	}
	return true;
}

/* Return: 1 from the cache, 0 made, -1 it is not what would be made. */
static int get(struct lw_table_cache *cache, int fd)
{
	struct lw_gen made, gen;
	int from_cache = -1;

	if (lw_sframe_gen_fd(fd, "made", 0, &made))
		return -1;
	if (!lw_table_cache_get(cache, fd, "program", &gen)) {
		if (same_gen(&made, &gen))
			from_cache = gen.from_cache;
		lw_gen_free(&gen);
	}
	lw_gen_free(&made);
	return from_cache;
}

static struct lw_table_cache_stats stats_of(const struct lw_table_cache *cache)
{
	struct lw_table_cache_stats stats;

	lw_table_cache_stats(cache, &stats);
	return stats;
}

/* The only file in a directory; "" if there is none, NULL if there are more. */
static const char *only_file(const char *dir, char *name)
{
	DIR *open_dir = opendir(path_of(dir));
	struct dirent *entry;
	int nr = 0;

	name[0] = 0;
	while (open_dir && (entry = readdir(open_dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, 300, "%s/%s/%s", top, dir, entry->d_name) >= 300)
			exit(1);
		nr++;
	}
	if (open_dir)
		closedir(open_dir);
	return nr > 1 ? NULL : name;
}

static bool what_was_made_is_read(void)
{
	struct lw_table_cache *cache = open_cache("kept/a/b");
	struct lw_table_cache_stats stats;
	int fd = open_self();

	/* the first time it is made */
	CHECK(cache && get(cache, fd) == 0);
	/* then it is read, and is the same */
	CHECK(get(cache, fd) == 1);
	lw_table_cache_close(cache);
	cache = open_cache("kept/a/b");
	/* the next process reads it */
	CHECK(get(cache, fd) == 1);
	stats = stats_of(cache);
	/* statistics are of this process */
	CHECK(stats.hits == 1 && !stats.made && !stats.stored && !stats.corrupt);
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

/* Each kind of damage: what was wrong is noticed, and gone the next time. */
static bool damaged_entries_are_replaced(void)
{
	static const long cuts[] = { 0, 1, 40, 500, 1000, -1, -9 };
	struct lw_table_cache *cache = open_cache("damage");
	char name[300];
	int fd = open_self(), bad = 0, entry;
	struct stat st;
	uint64_t seed;
	long skip;

	get(cache, fd);
	/* there is one entry, and nothing else */
	CHECK(only_file("damage", name) && name[0]);
	stat(name, &st);
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		if (truncate(name, cuts[i] < 0 ? st.st_size + cuts[i] : cuts[i]))
			bad++;
		bad += get(cache, fd) != 0 || get(cache, fd) != 1;
	}
	/* an entry that is cut is replaced */
	CHECK(!bad);
	/* in the short form some of them, which the seed chooses */
	seed = lwt_seed();
	for (long at = 0; at < st.st_size; at += (at < 1200 ? 3 : 997) + skip) {
		u8 byte;

		skip = lwt_long() ? 0 : lwt_random(&seed) % (at < 1200 ? 50 : 20000);

		entry = open(name, O_RDWR);
		bad += pread(entry, &byte, 1, at) != 1;
		byte ^= 0x10;
		bad += pwrite(entry, &byte, 1, at) != 1;
		close(entry);
		if (get(cache, fd) != 0 || get(cache, fd) != 1) {
			printf("# byte %ld\n", at);
			bad++;
		}
	}
	/* an entry with a changed byte is replaced */
	CHECK(!bad);
	entry = open(name, O_WRONLY | O_APPEND);
	bad += write(entry, "12345678", 8) != 8;
	close(entry);
	/* an entry with more behind it is replaced */
	CHECK(!bad && get(cache, fd) == 0);
	/* these are counted */
	CHECK(stats_of(cache).corrupt > 10);
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

static bool what_others_can_change_is_not_used(void)
{
	struct lw_table_cache *cache = open_cache("foreign");
	char name[300];
	int fd = open_self(), dir;

	get(cache, fd);
	only_file("foreign", name);
	/* an entry that anybody can write to is replaced */
	CHECK(!chmod(name, 0666) && get(cache, fd) == 0 && get(cache, fd) == 1);
	/* a link is not followed */
	CHECK(!unlink(name) && !symlink("/proc/self/exe", name) && get(cache, fd) == 0 &&
	      get(cache, fd) == 1);
	/* a FIFO does not block */
	CHECK(!unlink(name) && !mkfifo(name, 0600) && get(cache, fd) == 0);
	lw_table_cache_close(cache);
	close(fd);
	mkdir(path_of("open"), 0700);
	chmod(path_of("open"), 0777);
	/* a directory that anybody can write to is refused */
	CHECK(lw_table_cache_open(&cache, path_of("open")) == -EPERM);
	dir = open(path_of("plain"), O_CREAT | O_WRONLY, 0600);
	close(dir);
	/* so is a file */
	CHECK(lw_table_cache_open(&cache, path_of("plain")) == -ENOTDIR);
	return true;
}

/* A cache that can't be written to: the tables are there all the same. */
static bool without_a_directory_it_is_made_each_time(void)
{
	struct lw_table_cache *cache;
	int fd = open_self();

	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/proc", 1);
	/* HOME is of no use */
	CHECK(!lw_table_cache_open(&cache, NULL) && get(cache, fd) >= 0);
	lw_table_cache_close(cache);
	cache = open_cache("gone");
	rmdir(path_of("gone"));
	/* the directory is gone: made each time */
	CHECK(get(cache, fd) == 0 && get(cache, fd) == 0 && stats_of(cache).stored == 0 &&
	      stats_of(cache).made == 2);
	lw_table_cache_close(cache);
	setenv("XDG_CACHE_HOME", path_of("xdg"), 1);
	/* XDG_CACHE_HOME is where it is */
	CHECK(!lw_table_cache_open(&cache, NULL) &&
	      !strcmp(lw_table_cache_dir(cache), path_of("xdg/latewind/tables")));
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

static int copy_self(const char *name)
{
	int from = open_self(), to = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0755);
	struct stat st;

	fstat(from, &st);
	if (sendfile(to, from, NULL, st.st_size) != st.st_size)
		exit(1);
	close(from);
	return to;
}

/* Makes a file one without build ID: the note's owner is another. */
static void hide_build_id(int fd)
{
	struct stat st;
	char *bytes, *at;

	fstat(fd, &st);
	bytes = malloc(st.st_size);
	if (pread(fd, bytes, st.st_size, 0) != st.st_size)
		exit(1);
	/* n_type 3, then "GNU" */
	at = memmem(bytes, 4096, "\3\0\0\0GNU", 8);
	if (at && pwrite(fd, "XYZ", 3, at + 4 - bytes) != 3)
		exit(1);
	free(bytes);
}

/* Until the clock of the file system has moved on. */
static bool change_and_hide(int fd, const struct timespec *times)
{
	struct stat before, after;

	fstat(fd, &before);
	do {
		if (pwrite(fd, "\0", 1, 9) != 1 || futimens(fd, times) || fstat(fd, &after))
			return false;
	} while (before.st_ctim.tv_sec == after.st_ctim.tv_sec &&
		 before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
	return before.st_mtim.tv_sec == after.st_mtim.tv_sec;
}

static bool files_are_told_apart(void)
{
	struct lw_table_cache *cache = open_cache("identity");
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = 1000 } };
	int first = open_self(), copy = copy_self("copy"), other = copy_self("other");
	struct lw_elf elf;
	u8 id[LW_BUILD_ID_MAX];

	lw_elf_open(&elf, "/proc/self/exe");
	if (lw_elf_build_id(&elf, id) > 0) {
		/* a copy has the same build ID, so the same entry */
		CHECK(get(cache, first) == 0 && get(cache, copy) == 1);
	} else {
		printf("# skipped: this program has none\n");
	}
	lw_elf_close(&elf);
	hide_build_id(other);
	/* without one it goes by the file */
	CHECK(get(cache, other) == 0 && get(cache, other) == 1);
	futimens(other, times);
	/* another time makes it another file */
	CHECK(get(cache, other) == 0);
	CHECK(get(cache, other) == 1);
	/* so does a change whose time was put back */
	CHECK(change_and_hide(other, times) && get(cache, other) == 0);
	/* and another size */
	CHECK(!ftruncate(other, lseek(other, 0, SEEK_END) + 1) && get(cache, other) == 0);
	lw_table_cache_close(cache);
	close(first);
	close(copy);
	close(other);
	return true;
}

/* Has another rule somewhere in .eh_frame: all else is the same. */
static void spoil(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;
	char *bytes, *at = NULL;

	elf_getshdrstrndx(elf, &names);
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    strcmp(elf_strptr(elf, names, shdr.sh_name), ".eh_frame"))
			continue;
		bytes = malloc(shdr.sh_size);
		if (pread(fd, bytes, shdr.sh_size, shdr.sh_offset) != (ssize_t)shdr.sh_size)
			exit(1);
		/* DW_CFA_advance_loc 1, DW_CFA_def_cfa_offset 16 */
		at = memmem(bytes, shdr.sh_size, "\x41\x0e\x10", 3);
		if (!at || pwrite(fd, "\x20", 1, shdr.sh_offset + (at + 2 - bytes)) != 1)
			exit(1);
		free(bytes);
	}
	elf_end(elf);
	if (!at)
		exit(1);
}

/* Who owns a file or its build ID does not matter: what it was made of does. */
static bool a_table_is_of_the_bytes_that_it_was_made_of(void)
{
	struct lw_table_cache *cache = open_cache("bytes");
	int good = copy_self("good"), bad = copy_self("bad");
	char name[300];

	spoil(bad);
	CHECK(get(cache, bad) == 0 && get(cache, bad) == 1);
	/* a false one that came first is not taken */
	CHECK(get(cache, good) == 0);
	/* but replaced */
	CHECK(get(cache, good) == 1 && only_file("bytes", name));
	CHECK(!stats_of(cache).corrupt);
	lw_table_cache_close(cache);
	close(good);
	close(bad);
	return true;
}

/* What others can write to has no build ID that could be believed. */
static bool files_that_others_can_write_to_are_apart(void)
{
	struct lw_table_cache *cache = open_cache("modes");
	int mine = copy_self("mine"), shared = copy_self("shared");
	char name[300];

	CHECK(!fchmod(shared, 0664) && get(cache, shared) == 0 && get(cache, shared) == 1);
	/* the entry is not that of the build ID */
	CHECK(get(cache, mine) == 0 && get(cache, mine) == 1 && get(cache, shared) == 1 &&
	      !only_file("modes", name));
	lw_table_cache_close(cache);
	close(mine);
	close(shared);
	return true;
}

/* Or they would fill the disk of whoever records all processes. */
static bool nothing_is_kept_of_the_files_of_others(void)
{
	struct lw_table_cache *cache = open_cache("owner");
	int theirs = copy_self("theirs");
	char name[300];

	if (geteuid() || fchown(theirs, 12345, 12345)) {
		printf("# skipped: not root\n");
	} else {
		CHECK(get(cache, theirs) == 0 && get(cache, theirs) == 0);
		CHECK(stats_of(cache).made == 2 && !stats_of(cache).stored);
		CHECK(only_file("owner", name) && !name[0]);
	}
	lw_table_cache_close(cache);
	close(theirs);
	return true;
}

/* Larger than this program. */
static int open_libc(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4200], *path;
	int fd = -1;

	while (maps && fd < 0 && fgets(line, sizeof(line), maps)) {
		path = strchr(line, '/');
		if (!path || !strstr(path, "/libc.so"))
			continue;
		path[strcspn(path, "\n")] = 0;
		fd = open(path, O_RDONLY);
	}
	if (maps)
		fclose(maps);
	return fd;
}

/* A recording may last for days: what is old goes while it does. */
static bool it_is_tidied_up_while_it_is_used(void)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct lw_table_cache *cache = open_cache("tidy");
	int fd = open_self(), libc = open_libc();
	u64 stored = 0;
	char name[300];
	struct lw_gen gen;

	get(cache, fd);
	only_file("tidy", name);
	CHECK(libc >= 0 && !utimensat(AT_FDCWD, name, old, 0));
	while (stored < 65ULL << 20 && !access(name, F_OK)) {
		char other[300];
		DIR *dir = opendir(path_of("tidy"));
		struct dirent *entry;

		if (lw_table_cache_get(cache, libc, "libc", &gen) || gen.from_cache)
			break;
		stored += gen.tables[0].size;
		lw_gen_free(&gen);
		while ((entry = readdir(dir))) {
			snprintf(other, sizeof(other), "%s", path_of("tidy/"));
			strncat(other, entry->d_name, sizeof(other) - strlen(other) - 1);
			if (entry->d_name[0] != '.' && strcmp(other, name))
				unlink(other);
		}
		closedir(dir);
	}
	/* not at once, but after 64 MiB */
	CHECK(access(name, F_OK) && stored > 32ULL << 20);
	lw_table_cache_close(cache);
	close(fd);
	close(libc);
	return true;
}

static bool nothing_is_kept_of_what_has_no_table(void)
{
	struct lw_table_cache *cache = open_cache("refused");
	int fd = open("/dev/null", O_RDONLY);
	struct lw_gen gen;
	char name[300];

	/* no ELF file */
	CHECK(lw_table_cache_get(cache, fd, "null", &gen) == -ENOEXEC);
	/* nothing is kept of it */
	CHECK(stats_of(cache).refused == 1 && only_file("refused", name) && !name[0]);
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

static void *read_and_write(void *arg)
{
	struct lw_table_cache *cache = arg;
	int fd = open_self();
	long bad = 0;

	for (u32 i = 0; i < ROUNDS; i++)
		bad += get(cache, fd) < 0;
	close(fd);
	return (void *)bad;
}

/* Removes and breaks entries while others read and write them. */
static void disturb(const char *dir)
{
	char name[300];

	for (u32 i = 0; i < ROUNDS; i++) {
		if (!only_file(dir, name) || !name[0])
			continue;
		if (i % 2)
			unlink(name);
		else if (truncate(name, 100 * i))
			continue;
		usleep(200);
	}
}

static long one_process(const char *dir)
{
	struct lw_table_cache *cache = open_cache(dir);
	pthread_t threads[THREADS];
	void *result;
	long bad = 0;

	for (int i = 0; i < THREADS; i++)
		bad += !!pthread_create(&threads[i], NULL, read_and_write, cache);
	disturb(dir);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		bad += (long)result;
	}
	lw_table_cache_close(cache);
	return bad;
}

static bool all_may_read_and_write_at_once(void)
{
	struct lw_table_cache *cache;
	int status, bad = 0, fd = open_self();
	char name[300];

	fflush(stdout);
	for (int i = 0; i < PROCESSES; i++) {
		if (!fork())
			_exit(!!one_process("concurrent"));
	}
	while (wait(&status) > 0)
		bad += !WIFEXITED(status) || WEXITSTATUS(status);
	/* processes and threads that write, read and break at once get what is right */
	CHECK(!bad);
	cache = open_cache("concurrent");
	get(cache, fd);
	/* one entry is left, and no file that nobody finished */
	CHECK(get(cache, fd) == 1 && only_file("concurrent", name));
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

static void count_entry(const struct lw_table_cache_entry *entry, void *arg)
{
	int *nr = arg;

	*nr += entry->sound && !strcmp(entry->name, "program") && entry->functions;
}

static bool old_and_many_entries_are_removed(void)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct lw_table_cache *cache = open_cache("prune");
	int fd = open_self(), copy = copy_self("second"), nr = 0, tmp;
	char name[300];
	struct stat st;

	hide_build_id(copy);
	get(cache, fd);
	only_file("prune", name);
	utimensat(AT_FDCWD, name, old, 0);
	get(cache, copy);
	/* both are listed */
	CHECK(lw_table_cache_list(cache, count_entry, &nr) == 2 && nr == 2);
	/* nothing is too much or too old */
	CHECK(lw_table_cache_prune(cache, ~0ULL, ~0ULL) == 0);
	/* who is read is young again */
	CHECK(get(cache, fd) == 1 && !stat(name, &st) && st.st_mtim.tv_sec > 1000000);
	utimensat(AT_FDCWD, name, old, 0);
	/* what is old is removed */
	CHECK(lw_table_cache_prune(cache, ~0ULL, 3600) == 1 && access(name, F_OK));
	get(cache, fd);
	utimensat(AT_FDCWD, name, old, 0);
	stat(name, &st);
	/* of what is too much the oldest is removed */
	CHECK(lw_table_cache_prune(cache, st.st_blocks * 512ULL, ~0ULL) == 1 && access(name, F_OK));
	tmp = open(path_of("prune/tmp-1-1-1"), O_CREAT | O_WRONLY, 0600);
	futimens(tmp, old);
	close(tmp);
	/* what nobody finished is removed */
	CHECK(lw_table_cache_prune(cache, ~0ULL, ~0ULL) == 0 &&
	      access(path_of("prune/tmp-1-1-1"), F_OK));
	/* all can be removed */
	CHECK(lw_table_cache_prune(cache, 0, 0) == 1 && only_file("prune", name) && !name[0]);
	lw_table_cache_close(cache);
	close(fd);
	close(copy);
	return true;
}

static void make_file(const char *name, const char *text)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	int fd = open(path_of(name), O_CREAT | O_WRONLY | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || futimens(fd, old))
		exit(1);
	close(fd);
}

/* What is not ours, however old it is and whatever it is called. */
static const char * const foreign_files[] = {
	"mixed/precious.txt", "mixed/00112233-0011223344556677-v2.bak",
	"mixed/00112233-0011223344556677-v2", "mixed/tmp-file", "mixed/tmp-1-1-",
	"mixed/file-00112233445566778899aabbccddeeff-v2", "mixed/-v1",
	"mixed/copy of an entry", "mixed/empty",
};

static bool all_foreign_files_are_there(void)
{
	bool all = true;

	for (size_t i = 0; i < ARRAY_SIZE(foreign_files); i++) {
		if (!access(path_of(foreign_files[i]), F_OK))
			continue;
		printf("# %s is gone\n", foreign_files[i]);
		all = false;
	}
	return all;
}

/* As if somebody's home were named. */
static bool only_entries_are_removed(void)
{
	struct lw_table_cache *cache = open_cache("mixed");
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	int fd = open_self(), nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(foreign_files); i++)
		make_file(foreign_files[i], "what somebody wrote");
	make_file("mixed/copy of an entry", "LWTABLE");
	make_file("mixed/empty", "");
	CHECK(!truncate(path_of("mixed/copy of an entry"), 8) &&
	      !utimensat(AT_FDCWD, path_of("mixed/copy of an entry"), old, 0));
	/* what is stored makes close() tidy up */
	CHECK(get(cache, fd) == 0 && stats_of(cache).stored == 1);
	lw_table_cache_close(cache);
	/* but not what is not its own */
	CHECK(all_foreign_files_are_there());
	cache = open_cache("mixed");
	/* it is not listed either */
	CHECK(lw_table_cache_list(cache, count_entry, &nr) == 1 && nr == 1);
	/* nor counted as bytes that are kept */
	CHECK(lw_table_cache_prune(cache, 0, 0) == 1 && all_foreign_files_are_there());
	/* the entry of a crash is empty, and goes */
	make_file("mixed/0011-0011223344556677-v1", "");
	CHECK(lw_table_cache_prune(cache, ~0ULL, 3600) == 1);
	/* so does that of an older version */
	make_file("mixed/0011-0011223344556677-v1", "LWTABLE");
	CHECK(!truncate(path_of("mixed/0011-0011223344556677-v1"), 8) &&
	      lw_table_cache_prune(cache, 0, 0) == 1 && all_foreign_files_are_there());
	lw_table_cache_close(cache);
	close(fd);
	return true;
}

static int open_error(const char *name)
{
	struct lw_table_cache *cache = NULL;
	int ret = lw_table_cache_open(&cache, path_of(name));

	if (!ret)
		lw_table_cache_close(cache);
	return ret;
}

/* Whoever may write to a directory decides what is below it. */
static bool nobody_else_decides_where_it_is(void)
{
	mkdir(path_of("way"), 0755);
	mkdir(path_of("way/target"), 0700);
	CHECK(!symlink("target", path_of("way/link")) && !symlink("way", path_of("way2")));
	/* the directory itself is no link */
	CHECK(open_error("way/link") == -EPERM && open_error("way/link/.") == -EPERM);
	/* one of ours on the way to it is followed */
	CHECK(!open_error("way2/target") && !open_error("way/link/../target/below"));
	CHECK(!chmod(path_of("way"), 0775));
	/* a parent that others can write to is refused, through a link too */
	CHECK(open_error("way/target") == -EPERM && open_error("way2/target") == -EPERM &&
	      open_error("way/target/below") == -EPERM);
	/* in a sticky one they can't replace ours */
	CHECK(!chmod(path_of("way"), 01777) && !open_error("way/target"));
	/* but it is no directory of ours alone */
	CHECK(open_error("way") == -EPERM);
	CHECK(!chmod(path_of("way"), 0755));
	if (geteuid() || chown(path_of("way"), 12345, 12345)) {
		printf("# skipped: not root\n");
		return true;
	}
	/* a parent of somebody else is refused */
	CHECK(open_error("way/target") == -EPERM);
	/* nothing is made there */
	CHECK(open_error("way/new") == -EPERM && access(path_of("way/new"), F_OK));
	/* so is somebody's link, wherever it leads */
	CHECK(!chown(path_of("way"), 0, 0) && !symlink("target", path_of("way/theirs")) &&
	      !lchown(path_of("way/theirs"), 12345, 12345) &&
	      open_error("way/theirs/below") == -EPERM);
	return true;
}

/* As with sudo, where that keeps $HOME. */
static bool a_home_of_somebody_else_is_not_used(void)
{
	struct lw_table_cache *cache;

	mkdir(path_of("home"), 0755);
	mkdir(path_of("home/.cache"), 0755);
	mkdir(path_of("victim"), 0700);
	mkdir(path_of("home/.cache/latewind"), 0755);
	CHECK(!symlink(path_of("victim"), path_of("home/.cache/latewind/tables")));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", path_of("home"), 1);
	/* a link is not followed, to whomever it belongs */
	CHECK(!lw_table_cache_open(&cache, NULL) &&
	      (!lw_table_cache_dir(cache) || !strstr(lw_table_cache_dir(cache), "/home/")));
	lw_table_cache_close(cache);
	CHECK(!unlink(path_of("home/.cache/latewind/tables")));
	CHECK(!lw_table_cache_open(&cache, NULL) && lw_table_cache_dir(cache) &&
	      strstr(lw_table_cache_dir(cache), "/home/.cache/latewind/tables"));
	lw_table_cache_close(cache);
	if (geteuid() || chown(path_of("home"), 12345, 12345)) {
		printf("# skipped: not root\n");
		return true;
	}
	/* whose home it is may put another directory there at any time */
	CHECK(!lw_table_cache_open(&cache, NULL) &&
	      (!lw_table_cache_dir(cache) || !strstr(lw_table_cache_dir(cache), "/home/")));
	lw_table_cache_close(cache);
	return true;
}

static void remove_all(void)
{
	char command[320];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	if (system(command))
		printf("# %s is left\n", top);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(what_was_made_is_read),
		TEST(damaged_entries_are_replaced),
		TEST(what_others_can_change_is_not_used),
		TEST(without_a_directory_it_is_made_each_time),
		TEST(files_are_told_apart),
		TEST(a_table_is_of_the_bytes_that_it_was_made_of),
		TEST(files_that_others_can_write_to_are_apart),
		TEST(nothing_is_kept_of_the_files_of_others),
		TEST(it_is_tidied_up_while_it_is_used),
		TEST(nothing_is_kept_of_what_has_no_table),
		TEST(all_may_read_and_write_at_once),
		TEST(old_and_many_entries_are_removed),
		TEST(only_entries_are_removed),
		TEST(nobody_else_decides_where_it_is),
		TEST(a_home_of_somebody_else_is_not_used),
	};
	int ret;

	snprintf(top, sizeof(top), "/tmp/lw-table-cache-XXXXXX");
	if (!mkdtemp(top))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	remove_all();
	return ret;
}
