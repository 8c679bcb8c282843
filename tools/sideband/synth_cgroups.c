// SPDX-License-Identifier: GPL-2.0
/*
 * synth_cgroups.c - PERF_RECORD_CGROUP for the cgroups that there are.
 *
 * Cgroups are those of the hierarchy of version 2, which samples tell of.  A cgroup's id is in
 * the file handle of its directory; its name is the path from the hierarchy's root on, as the
 * kernel's own records of new cgroups have it.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/perf_records.h"
#include "sideband/synth_cgroups.h"

#define MOUNTINFO	"/proc/self/mountinfo"
#define NAME_ROOM	4096

struct record {
	struct perf_event_header header;
	u64 id;
	char path[NAME_ROOM + sizeof(struct lw_sample_id)];
};

/* "\040" is a blank, and so on. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0');
			text += 3;
			continue;
		}
		*to++ = *text;
	}
	*to = 0;
}

/* "36 35 98:0 ROOT DIR options [tags] - TYPE source options" */
static bool parse_mount(const char *line, struct lw_cgroup_mount *mount)
{
	const char *type = strstr(line, " - ");

	if (!type || strncmp(type, " - cgroup2 ", 11) ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->dir) != 2)
		return false;
	unescape(mount->root);
	unescape(mount->dir);
	return mount->root[0] == '/' && mount->dir[0] == '/';
}

/**
 * lw_cgroups_find_mount - where the hierarchy of version 2 is mounted
 * @mount: out: one whose root is the whole, if there is one
 * @mountinfo: path of a file as /proc/self/mountinfo
 *
 * Return: 0 or -ENOENT.
 */
int lw_cgroups_find_mount(struct lw_cgroup_mount *mount, const char *mountinfo)
{
	FILE *file = fopen(mountinfo, "re");
	struct lw_cgroup_mount *other;
	char *line = NULL;
	int ret = -ENOENT;
	size_t room = 0;

	other = malloc(sizeof(*other));
	while (file && other && getline(&line, &room, file) > 0) {
		if (!parse_mount(line, other) || (!ret && strcmp(other->root, "/")))
			continue;
		*mount = *other;
		ret = 0;
		if (!strcmp(mount->root, "/"))
			break;
	}
	free(line);
	free(other);
	if (file)
		fclose(file);
	return ret;
}

/* Return: the id of the cgroup whose directory it is; 0: it is gone, or is none. */
static u64 id_of(const char *path)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(u64)];
	} any = { .handle = { .handle_bytes = sizeof(u64) } };
	int mount_id;
	u64 id = 0;

	if (!name_to_handle_at(AT_FDCWD, path, &any.handle, &mount_id, 0) &&
	    any.handle.handle_bytes == sizeof(id))
		memcpy(&id, any.handle.f_handle, sizeof(id));
	return id;
}

/* @below is what follows the mount in the path of the directory. */
static int emit(struct record *record, const char *root, const char *below, lw_perf_event_fn fn,
		void *ctx)
{
	int len = snprintf(record->path, NAME_ROOM, "%s%s", strcmp(root, "/") ? root : "", below);
	size_t room;

	if (!len)
		len = snprintf(record->path, NAME_ROOM, "/");
	/* the kernel has no longer ones either */
	if (len >= NAME_ROOM)
		return 0;
	room = ALIGN_UP((size_t)len + 1, sizeof(u64));
	memset(record->path + len, 0, room - len + sizeof(struct lw_sample_id));
	record->header.type = PERF_RECORD_CGROUP;
	record->header.misc = 0;
	record->header.size = offsetof(struct record, path) + room + sizeof(struct lw_sample_id);
	return fn(ctx, &record->header);
}

static int cannot_walk(const struct lw_cgroup_mount *mount)
{
	/* -ENOENT says something else: it is not mounted at all */
	int err = errno == ENOENT ? -ESTALE : -errno;

	return lw_fail(err, "cannot read the cgroups of %s: %s", mount->dir, strerror(-err));
}

/**
 * lw_cgroups_walk - tell of all cgroups of a mount
 * @mount: where
 * @id_of: id_of()
 * @fn: called with each record, whose time is 0; good during the call
 * @ctx: for @fn
 *
 * Cgroups that come or go meanwhile may be met or not.
 *
 * Return: 0, the first nonzero return of @fn, or -errno with lw_fail_text().
 */
int lw_cgroups_walk(const struct lw_cgroup_mount *mount, lw_cgroup_id_fn id_of,
		    lw_perf_event_fn fn, void *ctx)
{
	char *const paths[] = { (char *)mount->dir, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	size_t skip = strlen(mount->dir);
	struct record record;
	int ret = 0;
	FTSENT *at;

	if (!tree)
		return cannot_walk(mount);
	/* that of "/" would be nothing in the paths below */
	if (!strcmp(mount->dir, "/"))
		skip = 0;
	while (!ret) {
		errno = 0;
		at = fts_read(tree);
		if (!at) {
			ret = errno ? cannot_walk(mount) : 0;
			break;
		}
		if (at->fts_info != FTS_D)
			continue;
		record.id = id_of(at->fts_path);
		if (record.id)
			ret = emit(&record, mount->root, at->fts_path + skip, fn, ctx);
	}
	fts_close(tree);
	return ret;
}

/**
 * lw_cgroups_synthesise - tell of all cgroups that there are
 * @fn: called with each record, whose time is 0; good during the call
 * @ctx: for @fn
 *
 * Return: 0, the first nonzero return of @fn, or -ENOENT: the hierarchy of version 2 is
 * not mounted; others with lw_fail_text().
 */
int lw_cgroups_synthesise(lw_perf_event_fn fn, void *ctx)
{
	struct lw_cgroup_mount *mount = malloc(sizeof(*mount));
	int ret;

	if (!mount)
		return lw_fail(-ENOMEM, "out of memory");
	ret = lw_cgroups_find_mount(mount, MOUNTINFO);
	if (!ret)
		ret = lw_cgroups_walk(mount, id_of, fn, ctx);
	free(mount);
	return ret;
}

/**
 * lw_cgroups_are_told - does perf tell of new cgroups of version 2?
 * @own_cgroups: path of a file as /proc/self/cgroup
 *
 * perf tells of the cgroups of the hierarchy that its own controller is in, which may be of
 * version 1: ids there mean other cgroups.
 *
 * Return: whether it does.
 */
bool lw_cgroups_are_told(const char *own_cgroups)
{
	FILE *file = fopen(own_cgroups, "re");
	char *line = NULL;
	size_t room = 0;
	bool told = true;

	while (file && told && getline(&line, &room, file) > 0) {
		char *controllers = strchr(line, ':'), *save;

		if (!controllers)
			continue;
		controllers++;
		controllers[strcspn(controllers, ":")] = 0;
		for (char *name = strtok_r(controllers, ",", &save); told && name;
		     name = strtok_r(NULL, ",", &save))
			told = strcmp(name, "perf_event");
	}
	free(line);
	if (file)
		fclose(file);
	return told;
}
