// SPDX-License-Identifier: GPL-2.0
/*
 * vma_bench.c - how long it takes to know what is mapped at 1,000 addresses of a process that
 * has 5,000 mappings of a library.
 *
 * vma_bench [ROUNDS]: prints JSON.  In each round all ways have their turn; medians count.
 * Answers that differ end it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/device/vma_list.h"
#include "../lib/vmas.h"

#define PAGE		4096UL
#define NR_MAPPINGS	5000
#define NR_ADDRS	1000
/* Seconds for all of them: every so many is taken, and the time multiplied. */
#define EACH_TIME_STEP	20
#define MAX_ROUNDS	99
#define LIBRARY		"/usr/lib/x86_64-linux-gnu/libc.so.6"

/* What one wants to know. */
struct answer {
	u64 start, end, offset, inode;
	char name[64];
};

static u64 addrs[NR_ADDRS];
static struct answer answers[NR_ADDRS];

static void die(const char *what)
{
	fprintf(stderr, "vma_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void copy_name(char *to, const char *from)
{
	memcpy(to, from, strnlen(from, sizeof(answers[0].name) - 1));
}

/* With a page between them, none can be merged.  Return: the first. */
static u8 *map_many(void)
{
	int fd = open(LIBRARY, O_RDONLY);
	u8 *row = mmap(NULL, 2 * NR_MAPPINGS * PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fd < 0 || row == MAP_FAILED || munmap(row, 2 * NR_MAPPINGS * PAGE))
		die(LIBRARY);
	for (u64 i = 0; i < NR_MAPPINGS; i++)
		if (mmap(row + 2 * i * PAGE, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, i % 400 * PAGE) == MAP_FAILED)
			die("mmap");
	close(fd);
	return row;
}

/* Return: a process with the mappings, at @row. */
static pid_t start_process(u8 **row)
{
	pid_t pid;

	*row = map_many();
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	/* We have more of our own to do than to look at. */
	munmap(*row, 2 * NR_MAPPINGS * PAGE);
	return pid;
}

static void choose_addrs(const u8 *row)
{
	u64 x = 88172645463325252ULL;

	for (int i = 0; i < NR_ADDRS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		addrs[i] = (uintptr_t)row + 2 * (x % NR_MAPPINGS) * PAGE + x / NR_MAPPINGS % PAGE;
	}
}

/* One by one */

static int device, maps_fd;
static pid_t asked;

static void answer(int i, u64 start, u64 end, u64 offset, u64 inode, const char *name)
{
	answers[i] = (struct answer) { start, end, offset, inode, "" };
	copy_name(answers[i].name, name);
}

static void ask_module_for(u32 name_size)
{
	char name[VMAS_NAME] = "";

	for (int i = 0; i < NR_ADDRS; i++) {
		struct lw_vma_query query = {
			.size = sizeof(query),
			.pid = asked,
			.addr = addrs[i],
			.name = name_size ? (uintptr_t)name : 0,
			.name_size = name_size,
		};

		if (ioctl(device, LW_IOC_VMA_QUERY, &query))
			die("LW_IOC_VMA_QUERY");
		answer(i, query.start, query.end, query.offset, query.inode, name);
	}
}

static void ask_module(void)
{
	ask_module_for(VMAS_NAME);
}

static void ask_module_no_name(void)
{
	ask_module_for(0);
}

static int query_procmap(u64 addr, char *name, u32 name_size, struct vmas_procmap *query)
{
	*query = (struct vmas_procmap) {
		.size = sizeof(*query),
		.addr = addr,
		.name = name_size ? (uintptr_t)name : 0,
		.name_size = name_size,
	};
	return ioctl(maps_fd, VMAS_PROCMAP_QUERY, query);
}

static void ask_procmap_for(u32 name_size)
{
	struct vmas_procmap query;
	char name[VMAS_NAME] = "";

	for (int i = 0; i < NR_ADDRS; i++) {
		if (query_procmap(addrs[i], name, name_size, &query))
			die("PROCMAP_QUERY");
		answer(i, query.start, query.end, query.offset, query.inode, name);
	}
}

static void ask_procmap(void)
{
	ask_procmap_for(VMAS_NAME);
}

static void ask_procmap_no_name(void)
{
	ask_procmap_for(0);
}

static bool has_procmap(void)
{
	struct vmas_procmap query;

	return !query_procmap(addrs[0], NULL, 0, &query);
}

/* All of maps, or the whole list, then as many addresses as one likes */

struct line {
	u64 start, end, offset, inode;
	const char *name;
};

static char text[4 << 20];
static struct line lines[NR_MAPPINGS + 1000];

static const char *number(const char *at, int base, u64 *value)
{
	for (*value = 0;; at++) {
		int digit = *at <= '9' ? *at - '0' : *at - 'a' + 10;

		if (digit < 0 || digit >= base)
			return at;
		*value = *value * base + digit;
	}
}

static void parse_line(const char *at, struct line *line)
{
	u64 device;

	at = number(at, 16, &line->start) + 1;
	at = number(at, 16, &line->end) + sizeof(" r-xp ") - 1;
	at = number(at, 16, &line->offset) + 1;
	at = number(at, 16, &device) + 1;
	at = number(at, 16, &device) + 1;
	at = number(at, 10, &line->inode);
	line->name = at + strspn(at, " ");
}

static size_t read_maps(void)
{
	size_t len = 0;
	ssize_t got;

	lseek(maps_fd, 0, SEEK_SET);
	while ((got = read(maps_fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += got;
	if (got < 0)
		die("maps");
	text[len] = 0;
	return len;
}

static size_t parse_maps(void)
{
	char *at = text, *feed;
	size_t nr = 0;

	read_maps();
	for (; (feed = strchr(at, '\n')) && nr < ARRAY_SIZE(lines); at = feed + 1) {
		*feed = 0;
		parse_line(at, &lines[nr++]);
	}
	return nr;
}

static struct lw_vma_lister *lister;

static int add_entry(void *ctx, const struct lw_vma_entry *entry, const char *name)
{
	static char last[64];
	size_t *nr = ctx;

	/* As one has to keep it: with the buffer it goes. */
	if (*nr >= ARRAY_SIZE(lines))
		return -ENOSPC;
	if (strncmp(last, name, sizeof(last) - 1)) {
		memset(last, 0, sizeof(last));
		copy_name(last, name);
	}
	lines[(*nr)++] = (struct line) {
		entry->start, entry->end, entry->offset, entry->inode,
		strcmp(last, LIBRARY) ? "" : LIBRARY,
	};
	return 0;
}

static size_t list_all(void)
{
	size_t nr = 0;

	errno = EPROTO;
	if (lw_vma_lister_each(lister, asked, 0, add_entry, &nr))
		die("lw_vma_lister_each");
	return nr;
}

static int find_line(const void *key, const void *elem)
{
	u64 addr = *(const u64 *)key;
	const struct line *line = elem;

	return addr < line->start ? -1 : addr >= line->end;
}

static void answer_from(size_t nr, int i)
{
	const struct line *line = bsearch(&addrs[i], lines, nr, sizeof(*lines), find_line);

	if (!line)
		die("an address is not in maps");
	answers[i] = (struct answer) { line->start, line->end, line->offset, line->inode, "" };
	copy_name(answers[i].name, line->name);
}

static void parse_once(void)
{
	size_t nr = parse_maps();

	for (int i = 0; i < NR_ADDRS; i++)
		answer_from(nr, i);
}

static void list_once(void)
{
	size_t nr = list_all();

	for (int i = 0; i < NR_ADDRS; i++)
		answer_from(nr, i);
}

/* As one has to where the process may have changed between two addresses; for some of them. */
static void parse_each_time(void)
{
	for (int i = 0; i < NR_ADDRS; i += EACH_TIME_STEP)
		answer_from(parse_maps(), i);
}

/* All of them */

static const struct way {
	const char *subject, *name;
	void (*run)(void);
	bool by_procmap;
	bool names;
	int step;		/* of the addresses that it looks at */
} ways[] = {
	{ "latewind", "with names", ask_module, false, true, 1 },
	{ "procmap-query", "with names", ask_procmap, true, true, 1 },
	{ "latewind-list", "with names", list_once, false, true, 1 },
	{ "maps-once", "with names", parse_once, false, true, 1 },
	{ "maps-each-time", "with names", parse_each_time, false, true, EACH_TIME_STEP },
	{ "latewind", "without names", ask_module_no_name, false, false, 1 },
	{ "procmap-query", "without names", ask_procmap_no_name, true, false, 1 },
};

static double times[ARRAY_SIZE(ways)][MAX_ROUNDS];
static int rounds[ARRAY_SIZE(ways)];

static void check_answers(const struct way *way, const u8 *row)
{
	for (int i = 0; i < NR_ADDRS; i += way->step) {
		u64 nr = (addrs[i] - (uintptr_t)row) / (2 * PAGE);

		errno = EPROTO;
		if (answers[i].start != (addrs[i] & ~(PAGE - 1)) ||
		    answers[i].end != answers[i].start + PAGE || !answers[i].inode ||
		    answers[i].offset != nr % 400 * PAGE ||
		    strcmp(answers[i].name, way->names ? LIBRARY : ""))
			die(way->subject);
	}
}

static void run_round(const u8 *row)
{
	bool procmap = has_procmap();

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		double begun;

		if (ways[i].by_procmap && !procmap)
			continue;
		memset(answers, 0, sizeof(answers));
		begun = now_us();
		ways[i].run();
		times[i][rounds[i]++] = (now_us() - begun) * ways[i].step;
		check_answers(&ways[i], row);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print(void)
{
	const char *comma = "[\n";

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!rounds[i])
			continue;
		qsort(times[i], rounds[i], sizeof(times[i][0]), by_value);
		printf("%s  {\"bench\": \"vma\", ", comma);
		printf("\"case\": \"1000 addresses of 5000 mappings, %s\", ", ways[i].name);
		printf("\"subject\": \"%s\", \"value\": %.0f, \"unit\": \"us\"}", ways[i].subject,
		       times[i][rounds[i] / 2]);
		comma = ",\n";
	}
	printf("\n]\n");
}

int main(int argc, char **argv)
{
	int nr_rounds = argc > 1 ? atoi(argv[1]) : 9;
	char path[32];
	pid_t pid;
	u8 *row;

	if (nr_rounds < 1 || nr_rounds > MAX_ROUNDS)
		return 2;
	pid = start_process(&row);
	choose_addrs(row);
	asked = pid;
	device = open(LW_DEVICE_PATH, O_RDWR);
	lister = lw_vma_lister_new();
	if (device < 0 || !lister)
		die(LW_DEVICE_PATH);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps_fd = open(path, O_RDONLY);
	if (maps_fd < 0)
		die(path);
	for (int round = 0; round < nr_rounds; round++)
		run_round(row);
	print();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
