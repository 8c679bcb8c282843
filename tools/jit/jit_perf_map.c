// SPDX-License-Identifier: GPL-2.0
/*
 * jit_perf_map.c - names of code in /tmp/perf-PID.map, as perf wants them.
 *
 * A line is a piece of code: start, size, name. It does not say when the code was there, so
 * of several at one address a line that comes later counts, at all times.
 *
 * Contexts: one thread.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/jit_perf_map.h"

#define MAX_NAME	1024
#define MAX_LINE	(MAX_NAME + 64)

static void take_line(struct lw_jit_code *code, char *line)
{
	struct lw_jit_piece piece = {};
	char *at;

	piece.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return;
	line = at + 1;
	piece.size = strtoull(line, &at, 16);
	if (at != line && *at == ' ' && at[1])
		lw_jit_code_add(code, &piece, at + 1, strlen(at + 1));
}

/**
 * lw_jit_perf_map_read - read on in a file that grows
 * @code: gets what whole lines tell of, up to the one that finds it full
 * @fd: the file; is closed
 * @read_to: where in it the first line begins that was not read yet; is updated
 * @most: bytes that are read at most, or little more
 */
void lw_jit_perf_map_read(struct lw_jit_code *code, int fd, u64 *read_to, u64 most)
{
	FILE *file = fdopen(fd, "r");
	char line[MAX_LINE];
	size_t len;

	if (!file) {
		close(fd);
		return;
	}
	if (fseeko(file, *read_to, SEEK_SET))
		*read_to = 0;
	while (!code->full && most >= sizeof(line) && fgets(line, sizeof(line), file)) {
		len = strlen(line);
		/* the last one may still be written */
		if (!len || (line[len - 1] != '\n' && len < sizeof(line) - 1))
			break;
		*read_to += len;
		most -= len;
		/* the rest of one that is too long is no line that makes sense */
		line[strcspn(line, "\r\n")] = 0;
		take_line(code, line);
	}
	fclose(file);
}
