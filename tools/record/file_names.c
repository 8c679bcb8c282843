// SPDX-License-Identifier: GPL-2.0
/*
 * file_names.c - the names of a recording's files, if it makes several.
 *
 * A file that is complete gets the time behind its name as perf record has it:
 * perf.data.YYYYMMDDhhmmssNN, local time, NN hundredths of a second.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/file_names.h"

#define NSEC_PER_10MS	10000000

static char *name_of_now(const char *path)
{
	char text[sizeof("YYYYMMDDhhmmss")];
	struct timespec now;
	struct tm local;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &local) ||
	    !strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local))
		return NULL;
	return asprintf(&name, "%s.%s%02ld", path, text, now.tv_nsec / NSEC_PER_10MS) < 0 ?
	       NULL : name;
}

/* The name is no other file's: two may be complete within a hundredth of a second. */
static char *free_name(const char *path)
{
	char *name = name_of_now(path);

	while (name && !access(name, F_OK)) {
		free(name);
		poll(NULL, 0, 1);
		name = name_of_now(path);
	}
	return name;
}

static void keep(struct lw_file_names *names, char *name, bool remove)
{
	char **place = &names->all[names->nr++ % names->room];

	if (*place && remove)
		unlink(*place);
	free(*place);
	*place = name;
}

static int make_room(struct lw_file_names *names, u32 most)
{
	if (names->all)
		return 0;
	names->room = most ? most : 1;
	names->all = calloc(names->room, sizeof(*names->all));
	return names->all ? 0 : -ENOMEM;
}

/**
 * lw_file_names_give - rename a file that is complete
 * @names: of the recording
 * @path: what it is called
 * @most: files that are kept, up to LW_MAX_FILES, the same in all calls: the oldest that got
 *	a name here is removed when there are more; 0: all are kept
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_file_names_give(struct lw_file_names *names, const char *path, u32 most)
{
	char *name = free_name(path);

	if (!name || make_room(names, most)) {
		free(name);
		return lw_fail(-ENOMEM, "out of memory");
	}
	if (rename(path, name)) {
		int err = errno;

		lw_fail(-err, "cannot rename %s to %s: %s", path, name, strerror(err));
		free(name);
		return -err;
	}
	keep(names, name, most);
	return 0;
}

/**
 * lw_file_names_last - the newest name
 * @names: of the recording
 *
 * Return: it, good until the next one is given, or NULL: none was.
 */
const char *lw_file_names_last(const struct lw_file_names *names)
{
	return names->nr ? names->all[(names->nr - 1) % names->room] : NULL;
}

/**
 * lw_file_names_free - forget them; the files stay
 * @names: of the recording
 */
void lw_file_names_free(struct lw_file_names *names)
{
	for (u32 i = 0; i < names->room; i++)
		free(names->all[i]);
	free(names->all);
}
