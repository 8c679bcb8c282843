// SPDX-License-Identifier: GPL-2.0
/*
 * start_bench.c - how long a recorder needs until it records, with many processes there.
 *
 * start_bench PROCESSES MAPPINGS ROUNDS DIR: has PROCESSES with MAPPINGS mappings of the files in
 * DIR each, of which every other one is executable, and lets all commands that it reads, one
 * a line, with a name in front, record them in turn: each begins this program as its own
 * command, which says when that was.  Prints JSON, medians count.
 *
 * Before that each has a turn that does not count.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define MAX_COMMANDS	8
#define MAX_ARGS	32
#define MAX_ROUNDS	99

struct command {
	char *name;
	char *argv[MAX_ARGS + 4];
	double took[MAX_ROUNDS];	/* milliseconds */
};

static struct command commands[MAX_COMMANDS];
static unsigned int nr_commands;

static void die(const char *what)
{
	fprintf(stderr, "start_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* Two mappings each. */
static void map_file(const char *path, unsigned int nr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(path);
	if (mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		die("mmap");
	if (nr > 1 &&
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE) == MAP_FAILED)
		die("mmap");
	close(fd);
}

static void map_files(const char *name, unsigned int nr)
{
	DIR *dir = opendir(name);
	struct dirent *dirent;
	char path[512];

	while (nr && dir && (dirent = readdir(dir))) {
		if (dirent->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, dirent->d_name);
		map_file(path, nr);
		nr -= nr > 1 ? 2 : 1;
	}
	if (nr)
		die("too few files");
	if (dir)
		closedir(dir);
}

static void start_processes(unsigned int nr)
{
	unsigned int i;
	int begun[2];
	char byte;
	pid_t pid;

	if (pipe2(begun, O_CLOEXEC))
		die("pipe");
	for (i = 0; i < nr; i++) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(begun[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	for (i = 0; i < nr; i++)
		if (read(begun[0], &byte, 1) != 1)
			die("a process has not begun");
	close(begun[0]);
	close(begun[1]);
}

/* "name command with words" */
static void read_commands(char *self)
{
	char *line = NULL, *word, *rest;
	size_t room = 0;

	while (nr_commands < MAX_COMMANDS && getline(&line, &room, stdin) > 0) {
		struct command *command = &commands[nr_commands];
		unsigned int nr = 0;

		line[strcspn(line, "\n")] = 0;
		rest = strdup(line);
		command->name = strsep(&rest, " ");
		while (nr < MAX_ARGS && (word = strsep(&rest, " ")))
			command->argv[nr++] = word;
		if (!nr)
			continue;
		command->argv[nr++] = self;
		command->argv[nr++] = "stamp";
		nr_commands++;
	}
	free(line);
}

/* Return: milliseconds up to the command. */
static double run(const struct command *command)
{
	char number[16];
	int stamp[2], status;
	double begun, then;
	pid_t pid;

	if (pipe(stamp))
		die("pipe");
	snprintf(number, sizeof(number), "%d", stamp[1]);
	setenv("START_BENCH_FD", number, 1);
	begun = now_ms();
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(stamp[0]);
		execvp(command->argv[0], command->argv);
		die(command->argv[0]);
	}
	close(stamp[1]);
	if (read(stamp[0], &then, sizeof(then)) != sizeof(then))
		die("its command has not begun");
	close(stamp[0]);
	if (waitpid(pid, &status, 0) != pid || status)
		die("it failed");
	return then - begun;
}

static int by_value(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static void print(unsigned int rounds, unsigned int processes)
{
	unsigned int i;

	for (i = 0; i < nr_commands; i++) {
		struct command *command = &commands[i];

		qsort(command->took, rounds, sizeof(*command->took), by_value);
		printf("%s  {\"bench\": \"start\", \"subject\": \"%s\", ", i ? ",\n" : "[\n",
		       command->name);
		printf("\"case\": \"%u more processes\", \"unit\": \"ms\", ", processes);
		printf("\"value\": %.1f, \"least\": %.1f, \"most\": %.1f}",
		       command->took[rounds / 2], command->took[0], command->took[rounds - 1]);
	}
	printf("\n]\n");
}

static int say_when(void)
{
	const char *number = getenv("START_BENCH_FD");
	double now = now_ms();

	return number && write(atoi(number), &now, sizeof(now)) == sizeof(now) ? 0 : 1;
}

int main(int argc, char **argv)
{
	unsigned int rounds, i, j;

	if (argc == 2 && !strcmp(argv[1], "stamp"))
		return say_when();
	if (argc != 5) {
		fputs("usage: start_bench PROCESSES MAPPINGS ROUNDS DIR\n", stderr);
		return 2;
	}
	rounds = atoi(argv[3]);
	if (rounds < 1 || rounds > MAX_ROUNDS)
		die("rounds");
	read_commands(argv[0]);
	map_files(argv[4], atoi(argv[2]));
	start_processes(atoi(argv[1]));
	/* once, so that what they read is in memory */
	for (j = 0; j < nr_commands; j++)
		run(&commands[j]);
	for (i = 0; i < rounds; i++)
		for (j = 0; j < nr_commands; j++)
			commands[j].took[i] = run(&commands[j]);
	print(rounds, atoi(argv[1]));
	return 0;
}
