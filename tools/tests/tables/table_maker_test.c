// SPDX-License-Identifier: GPL-2.0
/*
 * table_maker_test.c - each file that is mapped has its table handed over, once.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tables/seen_files.h"
#include "tables/table_watch.h"
#include "tests/tap.h"

#define NR_FILES	100
#define NR_THREADS	4
/* What must happen happens far sooner, but on a machine that has other work. */
#define PATIENCE	(120 * NSEC_PER_SEC)

static char dir[32] = "/tmp/lw-tables-XXXXXX";
/* A pipe of numbers. */
static int answers[2];

/* Stands for the module. */
struct taken {
	pthread_mutex_t lock;
	u32 nr, vdso, wrong;
	int fails;		/* with it, if not 0 */
	u64 largest;		/* of a larger file there is no room; 0: for all there is */
	bool hangs;		/* until it is given back; protected by lock */
	u32 hanging;		/* that have begun to; protected by lock */
	u64 largest_quick;	/* only with larger files */
	pthread_cond_t given_back;
	ino_t inodes[2 * NR_FILES];
};

/* As the module answers: a file has so many, and what is full is full. */
static int answer(const struct taken *taken, const struct lw_table *table, ino_t inode)
{
	u32 same = 0;

	for (u32 i = 0; inode && i < taken->nr && i < 2 * NR_FILES; i++)
		same += taken->inodes[i] == inode;
	if (same > LW_MAX_FILE_TABLES || (taken->largest && table->file_size > taken->largest))
		return -ENOSPC;
	return taken->fails;
}

static int take(void *ctx, struct lw_table *table)
{
	struct taken *taken = ctx;
	struct stat st = {};
	int ret;

	pthread_mutex_lock(&taken->lock);
	taken->hanging += taken->hangs;
	while (taken->hangs && table->file_size > taken->largest_quick)
		pthread_cond_wait(&taken->given_back, &taken->lock);
	if (table->flags & LW_TABLE_VDSO)
		taken->vdso++;
	else
		taken->wrong += fstat(table->file_fd, &st) ||
				table->file_size != (u64)st.st_size ||
				table->mtime_sec != st.st_mtim.tv_sec ||
				table->mtime_nsec != st.st_mtim.tv_nsec;
	taken->wrong += table->size != sizeof(*table) || !table->text_size || !table->data_size;
	if (taken->nr < 2 * NR_FILES)
		taken->inodes[taken->nr] = st.st_ino;
	taken->nr++;
	ret = answer(taken, table, st.st_ino);
	pthread_mutex_unlock(&taken->lock);
	return ret;
}

static void note_answer(void *ctx, u64 number)
{
	(void)ctx;
	if (write(answers[1], &number, sizeof(number)) != sizeof(number))
		abort();
}

static struct lw_table_maker *begin(struct taken *taken, int stop_fd)
{
	struct lw_table_maker_options options = { .stop_fd = stop_fd, .done = note_answer };

	memset(taken, 0, sizeof(*taken));
	pthread_mutex_init(&taken->lock, NULL);
	pthread_cond_init(&taken->given_back, NULL);
	return lw_table_maker_new(take, taken, &options);
}

static bool copy_self(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), path);
	return !system(command);
}

static const char *file(u32 i)
{
	static __thread char path[64];

	snprintf(path, sizeof(path), "%s/%u", dir, i);
	return path;
}

/* As if a process that is gone had mapped it. */
static bool mapping_of(struct lw_mapping *map, const char *path)
{
	struct stat st;

	memset(map, 0, sizeof(*map));
	map->path = path;
	if (stat(path, &st))
		return false;
	map->dev = st.st_dev;
	map->ino = st.st_ino;
	return true;
}

static u32 failed(struct lw_table_maker *tables, enum lw_table_maker_failure why)
{
	struct lw_table_maker_stats stats;

	lw_table_maker_stats(tables, &stats);
	return stats.failed[why];
}

/* What this program has mapped, told as /proc/PID/maps does. */
static u32 add_own_maps(struct lw_table_maker *tables)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], perms[5], path[4096];
	unsigned int major, minor;
	u32 nr = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		struct lw_mapping map = { .pid = getpid(), .path = path };

		if (sscanf(line, "%llx-%llx %4s %*x %x:%x %llu %4095s", &map.start, &map.end,
			   perms, &major, &minor, &map.ino, path) != 7 || perms[2] != 'x' ||
		    path[0] != '/')
			continue;
		map.dev = makedev(major, minor);
		lw_table_maker_add_map(tables, &map);
		nr++;
	}
	if (maps)
		fclose(maps);
	return nr;
}

static bool own_files_have_tables(void)
{
	struct lw_table_maker_stats stats;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	u32 nr;

	CHECK(tables);
	lw_table_maker_add_vdso(tables);
	nr = add_own_maps(tables);
	CHECK(nr >= 3);
	/* the same once more */
	CHECK(add_own_maps(tables) == nr);
	lw_table_maker_wait(tables);
	lw_table_maker_stats(tables, &stats);
	CHECK(stats.files == nr + 1 && stats.tables == taken.nr && stats.bytes > 1000);
	CHECK(taken.nr == nr + 1 && taken.vdso == 1 && !taken.wrong);
	CHECK(stats.start_time > 0);
	lw_table_maker_free(tables);
	return true;
}

static bool what_is_written_anew_is_another_file(void)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && mapping_of(&map, file(0)));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 1);
	CHECK(!utimensat(AT_FDCWD, map.path, times, 0));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 2 && !taken.wrong);
	lw_table_maker_free(tables);
	return true;
}

static bool an_inode_that_is_used_again_is_another_file(void)
{
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && mapping_of(&map, file(0)));
	/* from /proc/PID/maps, then as the side-band tells it */
	lw_table_maker_add_map(tables, &map);
	map.generation = 5;
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 1);
	map.generation = 6;
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 2);
	lw_table_maker_free(tables);
	return true;
}

static bool what_is_missed_is_tried_again(void)
{
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && copy_self(file(1)) && mapping_of(&map, file(0)));
	/* another file is in its place */
	CHECK(!rename(file(1), map.path));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	CHECK(failed(tables, LW_TABLES_GONE) == 1);
	CHECK(!unlink(map.path));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	CHECK(failed(tables, LW_TABLES_GONE) == 1);
	lw_table_maker_wait(tables);
	CHECK(!taken.nr);
	/* now it is there, as we see it */
	CHECK(copy_self(file(0)));
	CHECK(mapping_of(&map, file(0)));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 1);
	lw_table_maker_free(tables);
	return true;
}

static bool put(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	return out && fputs(text, out) >= 0 && !fclose(out);
}

static bool what_is_no_elf_file_is_counted_once(void)
{
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && put(file(0), "#!/bin/sh\n") && mapping_of(&map, file(0)));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	CHECK(mapping_of(&map, "/dev/null"));
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(failed(tables, LW_TABLES_NOT_ELF) == 2 && !taken.nr);
	lw_table_maker_free(tables);
	return true;
}

static bool a_file_that_changes_meanwhile_is_tried_again(void)
{
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && mapping_of(&map, file(0)));
	taken.fails = -ESTALE;
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(failed(tables, LW_TABLES_CHANGED) == 1 && taken.nr == 1);
	taken.fails = 0;
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	CHECK(taken.nr == 2);
	lw_table_maker_free(tables);
	return true;
}

static bool see(struct lw_table_maker *tables, const char *path)
{
	struct lw_mapping map;

	if (!mapping_of(&map, path))
		return false;
	lw_table_maker_see_map(tables, &map, lw_now(), 0);
	lw_table_maker_wait(tables);
	return true;
}

static u64 files_so_far(struct lw_table_maker *tables)
{
	struct lw_table_maker_stats stats;

	lw_table_maker_stats(tables, &stats);
	return stats.files;
}

/* The first is too large for what there is; those after it are not. */
static bool a_file_without_room_takes_nothing_from_others(void)
{
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	struct stat st;

	CHECK(tables);
	for (u32 i = 0; i < 10; i++)
		CHECK(copy_self(file(i)));
	CHECK(!stat(file(1), &st) && !truncate(file(0), st.st_size + 4096));
	taken.largest = st.st_size;
	for (u32 i = 0; i < 10; i++)
		CHECK(see(tables, file(i)));
	CHECK(files_so_far(tables) == 9 && failed(tables, LW_TABLES_NO_ROOM) == 1);
	lw_table_maker_free(tables);
	return true;
}

static bool room_that_is_given_back_is_used(void)
{
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	u64 before;
	u32 nr;

	CHECK(tables && copy_self(file(0)));
	taken.fails = -ENOSPC;
	before = lw_now();
	CHECK(see(tables, file(0)) && see(tables, file(0)));
	/* not again at once, unless we have slept in between */
	nr = taken.nr;
	CHECK(nr == 1 || lw_now() - before >= NSEC_PER_SEC);
	CHECK(failed(tables, LW_TABLES_NO_ROOM) == 1);
	usleep(1100000);
	CHECK(see(tables, file(0)));
	CHECK(taken.nr == nr + 1 && failed(tables, LW_TABLES_NO_ROOM) == 1);
	taken.fails = 0;
	usleep(1100000);
	CHECK(see(tables, file(0)) && see(tables, file(0)));
	CHECK(taken.nr == nr + 2 && files_so_far(tables) == 1);
	CHECK(!failed(tables, LW_TABLES_NO_ROOM));
	lw_table_maker_free(tables);
	return true;
}

#define NR_SEGMENTS	(LW_MAX_FILE_TABLES + 1)
#define SEGMENT		0x1000

struct fde {
	u32 length, cie;
	u64 start, size;
} __attribute__((packed));

/* A program without sections: each of its segments has a function. */
struct many_segments {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[NR_SEGMENTS + 2];
	struct {
		u8 version, ptr_encoding, count_encoding, table_encoding;
		u64 eh_frame;
	} __attribute__((packed)) header;
	struct {
		u32 length, id;
		u8 version, augmentation, code_align, data_align, ra, rules[7];
	} __attribute__((packed)) cie;
	struct fde fdes[NR_SEGMENTS];
	u32 end;
};

static void fill_segments(struct many_segments *all)
{
	for (u32 i = 0; i < NR_SEGMENTS; i++) {
		all->phdrs[i].p_type = PT_LOAD;
		all->phdrs[i].p_flags = PF_R | PF_X;
		all->phdrs[i].p_offset = (i + 1) * SEGMENT;
		all->phdrs[i].p_vaddr = (i + 1) * SEGMENT;
		all->phdrs[i].p_filesz = 64;
		all->phdrs[i].p_memsz = 64;
	}
}

static void fill_cfi(struct many_segments *all)
{
	/* CFA = SP + 8, return address at CFA - 8 */
	static const u8 rules[7] = { 0x0c, 7, 8, 0x80 | 16, 1 };

	all->header.version = 1;
	all->header.count_encoding = 0xff;
	all->header.table_encoding = 0xff;
	all->header.eh_frame = offsetof(struct many_segments, cie);
	all->cie.length = sizeof(all->cie) - 4;
	all->cie.version = 1;
	all->cie.code_align = 1;
	all->cie.data_align = 0x78;
	all->cie.ra = 16;
	memcpy(all->cie.rules, rules, sizeof(rules));
	for (u32 i = 0; i < NR_SEGMENTS; i++) {
		all->fdes[i].length = sizeof(all->fdes[i]) - 4;
		all->fdes[i].cie = offsetof(struct many_segments, fdes[i].cie) -
				   offsetof(struct many_segments, cie);
		all->fdes[i].start = (i + 1) * SEGMENT;
		all->fdes[i].size = 64;
	}
}

static bool put_many_segments(const char *path)
{
	struct many_segments all = {
		.ehdr = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct many_segments, phdrs),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = NR_SEGMENTS + 2,
		},
		.phdrs = {
			[NR_SEGMENTS] = {
				.p_type = PT_LOAD,
				.p_flags = PF_R,
				.p_filesz = sizeof(all),
				.p_memsz = sizeof(all),
			},
			[NR_SEGMENTS + 1] = {
				.p_type = PT_GNU_EH_FRAME,
				.p_offset = offsetof(struct many_segments, header),
				.p_vaddr = offsetof(struct many_segments, header),
				.p_filesz = sizeof(all.header),
			},
		},
	};
	FILE *out = fopen(path, "w");

	fill_segments(&all);
	fill_cfi(&all);
	return out && fwrite(&all, sizeof(all), 1, out) == 1 && !fclose(out) &&
	       !truncate(path, (NR_SEGMENTS + 1) * SEGMENT);
}

/* The module takes so many of a file, and the others have theirs as before. */
static bool a_file_of_many_segments_has_some_tables(void)
{
	struct lw_table_maker_stats stats;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && put_many_segments(file(1)) && copy_self(file(2)));
	for (u32 i = 0; i < 3; i++)
		CHECK(see(tables, file(i)));
	lw_table_maker_stats(tables, &stats);
	CHECK(stats.files == 3 && stats.tables == LW_MAX_FILE_TABLES + 2 && !taken.wrong);
	CHECK(taken.nr == LW_MAX_FILE_TABLES + 2);
	CHECK(!failed(tables, LW_TABLES_NO_ROOM));
	lw_table_maker_free(tables);
	return true;
}

/* Whatever else is mapped meanwhile, what is mapped often stays known. */
static bool what_is_looked_for_is_not_forgotten(void)
{
	static struct lw_seen_files files;

	for (u64 i = 1; i <= 3 * LW_MAX_KNOWN; i++) {
		CHECK(lw_seen_files_add(&files, 1, i));
		CHECK(lw_seen_file(&files, 1, 1));
	}
	CHECK(files.nr == LW_MAX_KNOWN);
	/* of the others the newest */
	for (u64 i = 2; i <= 3 * LW_MAX_KNOWN; i++)
		CHECK(!lw_seen_file(&files, 1, i) == (i <= 2 * LW_MAX_KNOWN + 1));
	lw_seen_files_clear(&files);
	CHECK(!files.nr && !lw_seen_file(&files, 1, 1));
	return true;
}

static void *see_all(void *ctx)
{
	struct lw_mapping map;

	for (u32 i = 0; i < NR_FILES; i++) {
		if (mapping_of(&map, file(i)))
			lw_table_maker_see_map(ctx, &map, lw_now(), 0);
	}
	return NULL;
}

static bool several_may_see_a_file_at_once(void)
{
	pthread_t threads[NR_THREADS];
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables);
	for (u32 i = 0; i < NR_FILES; i++)
		CHECK(copy_self(file(i)));
	for (u32 i = 0; i < NR_THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, see_all, tables));
	for (u32 i = 0; i < NR_THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	lw_table_maker_wait(tables);
	CHECK(taken.nr == NR_FILES && !taken.wrong);
	for (u32 i = 0; i < NR_FILES; i++) {
		for (u32 j = 0; j < i; j++)
			CHECK(taken.inodes[i] != taken.inodes[j]);
	}
	lw_table_maker_free(tables);
	return true;
}

static void let_go(struct taken *taken)
{
	pthread_mutex_lock(&taken->lock);
	taken->hangs = false;
	pthread_cond_broadcast(&taken->given_back);
	pthread_mutex_unlock(&taken->lock);
}

/* None of them is done, so that to wait for all would be for ever. */
static bool a_start_can_be_cut_short(void)
{
	int stop_fd = eventfd(1, EFD_CLOEXEC);
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, stop_fd);

	CHECK(tables && stop_fd >= 0);
	taken.hangs = true;
	for (u32 i = 0; i < NR_FILES; i++) {
		CHECK(copy_self(file(i)));
		lw_table_maker_add_path(tables, file(i));
	}
	lw_table_maker_wait(tables);
	CHECK(!files_so_far(tables));
	lw_table_maker_stop(tables);
	let_go(&taken);
	lw_table_maker_free(tables);
	CHECK(taken.nr < NR_FILES);
	close(stop_fd);
	return true;
}

/* Return: false: nobody for long. */
static bool one_hangs(struct taken *taken)
{
	u64 until = lw_now() + PATIENCE;
	u32 nr = 0;

	while (!nr && lw_now() < until) {
		usleep(1000);
		pthread_mutex_lock(&taken->lock);
		nr = taken->hanging;
		pthread_mutex_unlock(&taken->lock);
	}
	return nr;
}

/* As with a file whose server does not answer: all threads hang, and more is to do. */
static bool who_stops_does_not_wait_for_what_hangs(void)
{
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables);
	taken.hangs = true;
	for (u32 i = 0; i < NR_FILES; i++) {
		CHECK(copy_self(file(i)));
		lw_table_maker_add_path(tables, file(i));
	}
	CHECK(one_hangs(&taken));
	lw_table_maker_stop(tables);
	/* to wait for what hangs would be for ever */
	CHECK(!lw_table_maker_join(tables, lw_now() + NSEC_PER_SEC / 10));
	CHECK(!files_so_far(tables));
	/* what comes too late is dropped */
	CHECK(copy_self(file(NR_FILES)));
	lw_table_maker_add_path(tables, file(NR_FILES));
	let_go(&taken);
	CHECK(lw_table_maker_join(tables, lw_now() + PATIENCE));
	CHECK(taken.nr && taken.nr < NR_FILES && files_so_far(tables) == taken.nr);
	lw_table_maker_free(tables);
	return true;
}

/* More than we have CPUs, mostly: they do nothing but wait. */
static bool a_file_need_not_wait_for_others_that_hang(void)
{
	u64 until = lw_now() + PATIENCE;
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	struct stat st;

	CHECK(tables && copy_self(file(0)) && !stat(file(0), &st));
	lw_table_maker_wait(tables);
	taken.hangs = true;
	taken.largest_quick = st.st_size;
	for (u32 i = 8; i--;) {
		CHECK(copy_self(file(i)) && (!i || !truncate(file(i), st.st_size + 4096)));
		CHECK(mapping_of(&map, file(i)));
		lw_table_maker_see_map(tables, &map, lw_now(), 0);
	}
	while (!files_so_far(tables) && lw_now() < until)
		usleep(10000);
	CHECK(files_so_far(tables) == 1);
	let_go(&taken);
	lw_table_maker_wait(tables);
	CHECK(files_so_far(tables) == 8);
	lw_table_maker_free(tables);
	return true;
}

/* Of those that the module has told of. */
static bool answered(u64 number)
{
	struct pollfd fd = { .fd = answers[0], .events = POLLIN };
	u64 got;

	return poll(&fd, 1, PATIENCE / 1000000) == 1 &&
	       read(answers[0], &got, sizeof(got)) == sizeof(got) && got == number;
}

static bool nothing_is_answered(void)
{
	struct pollfd fd = { .fd = answers[0], .events = POLLIN };

	return !poll(&fd, 1, 0);
}

/* Somebody waits until then, and not longer. */
static bool who_asks_is_answered_when_all_is_done(void)
{
	struct lw_mapping map;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);

	CHECK(tables && copy_self(file(0)) && mapping_of(&map, file(0)));
	taken.hangs = true;
	lw_table_maker_see_map(tables, &map, lw_now(), 7);
	CHECK(one_hangs(&taken) && nothing_is_answered());
	/* another one has asked already */
	lw_table_maker_see_map(tables, &map, lw_now(), 8);
	CHECK(answered(8) && nothing_is_answered());
	let_go(&taken);
	CHECK(answered(7));
	lw_table_maker_see_map(tables, &map, lw_now(), 9);
	CHECK(answered(9));
	CHECK(!unlink(file(0)));
	map.ino++;
	lw_table_maker_see_map(tables, &map, lw_now(), 10);
	CHECK(answered(10));
	lw_table_maker_stop(tables);
	CHECK(copy_self(file(1)) && mapping_of(&map, file(1)));
	lw_table_maker_see_map(tables, &map, lw_now(), 11);
	CHECK(answered(11));
	lw_table_maker_free(tables);
	CHECK(nothing_is_answered());
	return true;
}

/* A pipe stands for the session: what is written there is told. */
static int next_from_pipe(void *ctx, struct lw_missing_file *file)
{
	if (read(*(int *)ctx, file, sizeof(*file)) != sizeof(*file))
		return -EAGAIN;
	return file->number ? 0 : -EIO;
}

static bool path_in_maps(void *ctx, const struct lw_missing_file *file, char *path, u32 size)
{
	FILE *maps = file->pid ? fopen("/proc/self/maps", "r") : NULL;
	char line[4400], name[4200];
	bool found = false;
	u64 start;

	(void)ctx;
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		found = sscanf(line, "%llx-%*x %*s %*x %*s %*s %4199s", &start, name) == 2 &&
			start == file->start;
	}
	if (maps)
		fclose(maps);
	return found && snprintf(path, size, "%s", name) < (int)size;
}

static bool make_source(int *ends, struct lw_files_source *source)
{
	*source = (struct lw_files_source) {
		.events = POLLIN, .ctx = ends, .next = next_from_pipe, .path = path_in_maps,
		.done = note_answer,
	};
	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC))
		return false;
	source->fd = ends[0];
	return true;
}

static void close_source(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

static bool tell(const int *ends, const struct lw_missing_file *file)
{
	return write(ends[1], file, sizeof(*file)) == sizeof(*file);
}

/* Maps it as code, and says so as the module does. */
static bool map_file(struct lw_missing_file *told, const char *path, u64 number)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st))
		return false;
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	*told = (struct lw_missing_file) {
		.pid = getpid(),
		.number = number,
		.time = lw_now(),
		.start = (unsigned long)map,
		.end = (unsigned long)map + 4096,
		.inode = st.st_ino,
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
	};
	return map != MAP_FAILED;
}

static bool what_is_met_has_a_table(void)
{
	struct lw_missing_file first, second, gone;
	struct lw_table_watch *watch = NULL;
	struct lw_files_source source;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	int ends[2];

	CHECK(tables && make_source(ends, &source));
	CHECK(copy_self(file(0)) && map_file(&first, file(0), 1));
	CHECK(copy_self(file(1)) && map_file(&second, file(1), 2));
	CHECK(!lw_table_watch_start(&watch, tables, &source));
	CHECK(tell(ends, &first) && answered(1) && taken.nr == 1);
	CHECK(tell(ends, &first) && answered(1) && taken.nr == 1);
	/* what was there is gone by now, and not waited for */
	gone = second;
	gone.number = 3;
	gone.pid = 0;
	CHECK(tell(ends, &gone) && answered(3) && taken.nr == 1);
	CHECK(tell(ends, &second) && answered(2) && taken.nr == 2 && !taken.wrong);
	CHECK(files_so_far(tables) == 2 && !lw_table_watch_error(watch));
	lw_table_watch_stop(watch);
	CHECK(lw_table_watch_join(watch, lw_now() + PATIENCE));
	lw_table_watch_free(watch);
	lw_table_maker_free(tables);
	close_source(ends);
	munmap((void *)first.start, 4096);
	munmap((void *)second.start, 4096);
	return true;
}

static bool it_is_told_when_nothing_is_told_any_more(void)
{
	const struct lw_missing_file rubbish = { 0 };
	struct lw_table_watch *watch = NULL;
	struct lw_files_source source;
	u64 until = lw_now() + PATIENCE;
	struct taken taken;
	struct lw_table_maker *tables = begin(&taken, -1);
	int ends[2];

	CHECK(tables && make_source(ends, &source));
	CHECK(!lw_table_watch_start(&watch, tables, &source) && tell(ends, &rubbish));
	while (!lw_table_watch_error(watch) && lw_now() < until)
		usleep(10000);
	CHECK(lw_table_watch_error(watch) == -EIO);
	lw_table_watch_free(watch);
	lw_table_maker_free(tables);
	close_source(ends);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(own_files_have_tables),
		TEST(what_is_written_anew_is_another_file),
		TEST(an_inode_that_is_used_again_is_another_file),
		TEST(what_is_missed_is_tried_again),
		TEST(what_is_no_elf_file_is_counted_once),
		TEST(a_file_that_changes_meanwhile_is_tried_again),
		TEST(a_file_without_room_takes_nothing_from_others),
		TEST(room_that_is_given_back_is_used),
		TEST(a_file_of_many_segments_has_some_tables),
		TEST(what_is_looked_for_is_not_forgotten),
		TEST(several_may_see_a_file_at_once),
		TEST(a_start_can_be_cut_short),
		TEST(who_stops_does_not_wait_for_what_hangs),
		TEST(a_file_need_not_wait_for_others_that_hang),
		TEST(who_asks_is_answered_when_all_is_done),
		TEST(what_is_met_has_a_table),
		TEST(it_is_told_when_nothing_is_told_any_more),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir) || pipe2(answers, O_CLOEXEC))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || ret;
}
