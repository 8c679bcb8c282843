// SPDX-License-Identifier: GPL-2.0
/*
 * synth_cgroups_test.c - the cgroups of a mount are told of by the names that the kernel has
 * for them, and names are found by ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/cgroup_names.h"
#include "sideband/synth_cgroups.h"
#include "tests/tap.h"

static char dir[40] = "/tmp/lw-cgroups-XXXXXX";
static char path[64];

static bool store(const char *text)
{
	FILE *file = fopen(path, "we");

	return file && fputs(text, file) >= 0 && !fclose(file);
}

#define OTHERS	"21 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n" \
		"30 21 0:26 / /sys/fs/cgroup/cpu rw - cgroup none rw,cpu\n"

static bool mount_of_version_2_is_found(void)
{
	static struct lw_cgroup_mount mount;

	CHECK(store(OTHERS
		    "31 21 0:27 / /sys/fs/cgroup\\040two rw,nosuid shared:9 - cgroup2 c rw\n"));
	CHECK(!lw_cgroups_find_mount(&mount, path));
	CHECK(!strcmp(mount.dir, "/sys/fs/cgroup two") && !strcmp(mount.root, "/"));
	/* a part of it in a container; the whole is better, wherever it stands */
	CHECK(store("31 21 0:27 /a/b /in rw - cgroup2 c rw\n"
		    "32 21 0:27 / /all rw - cgroup2 c rw\n33 21 0:27 /c /out rw - cgroup2 c rw\n"));
	CHECK(!lw_cgroups_find_mount(&mount, path) && !strcmp(mount.dir, "/all"));
	CHECK(store("31 21 0:27 /a/b /in rw - cgroup2 c rw\n"
		    "33 21 0:27 /c /out rw - cgroup2 c rw\n"));
	CHECK(!lw_cgroups_find_mount(&mount, path) && !strcmp(mount.root, "/a/b"));
	CHECK(store(OTHERS));
	CHECK(lw_cgroups_find_mount(&mount, path) == -ENOENT);
	CHECK(lw_cgroups_find_mount(&mount, "/nowhere") == -ENOENT);
	return true;
}

static bool version_of_perfs_controller_is_known(void)
{
	CHECK(store("0::/user.slice\n") && lw_cgroups_are_told(path));
	CHECK(store("3:cpu,cpuacct:/x:perf_event\n1:name=perf_event:/\n0::/\n"));
	CHECK(lw_cgroups_are_told(path));
	CHECK(store("3:cpu,perf_event:/x\n0::/\n") && !lw_cgroups_are_told(path));
	CHECK(store("4:perf_event:/\n") && !lw_cgroups_are_told(path));
	return true;
}

struct seen {
	char paths[8][64];
	u64 ids[8];
	u32 nr;
	bool sound;
	int ret;
};

static int see(void *ctx, const struct perf_event_header *record)
{
	const struct {
		struct perf_event_header header;
		u64 id;
		char path[];
	} *cgroup = (const void *)record;
	const struct lw_sample_id *id;
	struct seen *seen = ctx;

	id = (const void *)((const char *)record + record->size - sizeof(*id));
	seen->sound &= record->type == PERF_RECORD_CGROUP && record->size % 8 == 0 && !id->time &&
		       sizeof(*cgroup) + strlen(cgroup->path) + 1 <= record->size - sizeof(*id);
	if (seen->nr < ARRAY_SIZE(seen->paths)) {
		snprintf(seen->paths[seen->nr], sizeof(seen->paths[0]), "%s", cgroup->path);
		seen->ids[seen->nr++] = cgroup->id;
	}
	return seen->ret;
}

static u64 name_length(const char *name)
{
	return strstr(name, "gone") ? 0 : strlen(name);
}

static bool has(const struct seen *seen, const char *wanted, u64 id)
{
	for (u32 i = 0; i < seen->nr; i++) {
		if (!strcmp(seen->paths[i], wanted))
			return seen->ids[i] == id;
	}
	printf("# no %s\n", wanted);
	return false;
}

static bool make(const char *name)
{
	char full[128];

	snprintf(full, sizeof(full), "%s/tree%s", dir, name);
	return !mkdir(full, 0755);
}

static bool directories_are_cgroups(void)
{
	struct lw_cgroup_mount *mount = calloc(1, sizeof(*mount));
	struct seen seen = { .sound = true };
	size_t top;

	CHECK(mount && make("") && make("/a") && make("/a/b b") && make("/c") && make("/gone"));
	snprintf(path, sizeof(path), "%s/tree/a/cgroup.procs", dir);
	CHECK(store("1\n"));
	snprintf(mount->dir, sizeof(mount->dir), "%s/tree", dir);
	strcpy(mount->root, "/");
	top = strlen(mount->dir);
	CHECK(!lw_cgroups_walk(mount, name_length, see, &seen) && seen.sound && seen.nr == 4);
	CHECK(has(&seen, "/", top) && has(&seen, "/a", top + 2));
	CHECK(has(&seen, "/a/b b", top + 6) && has(&seen, "/c", top + 2));

	/* as a container sees it, with the names that the kernel has */
	strcpy(mount->root, "/x/y");
	seen.nr = 0;
	CHECK(!lw_cgroups_walk(mount, name_length, see, &seen) && seen.sound && seen.nr == 4);
	CHECK(has(&seen, "/x/y", top) && has(&seen, "/x/y/a/b b", top + 6));

	seen = (struct seen) { .ret = 7 };
	CHECK(lw_cgroups_walk(mount, name_length, see, &seen) == 7 && seen.nr == 1);
	free(mount);
	return true;
}

static bool names_are_found_by_ids(void)
{
	struct lw_cgroup_names *names = lw_cgroup_names_new();
	char text[32];

	CHECK(names && !strcmp(lw_cgroup_name(names, 5), "[cgroup 5]"));
	CHECK(!lw_cgroup_names_add(names, 5, "/five", 6) && !lw_cgroup_names_add(names, 1, "/", 2));
	/* one that does not end, and a second one of the same number */
	CHECK(!lw_cgroup_names_add(names, ~0ULL, "/endless", 4));
	CHECK(!lw_cgroup_names_add(names, 5, "/other", 7));
	CHECK(!strcmp(lw_cgroup_name(names, 5), "/five") && !strcmp(lw_cgroup_name(names, 1), "/"));
	CHECK(!strcmp(lw_cgroup_name(names, ~0ULL), "/end"));
	CHECK(lw_cgroup_is_known(names, 5) && !lw_cgroup_is_known(names, 6));
	for (u64 id = 100; id < 20000; id++) {
		snprintf(text, sizeof(text), "/%llu", id);
		CHECK(!lw_cgroup_names_add(names, id, text, sizeof(text)));
	}
	for (u64 id = 100; id < 20000; id++) {
		snprintf(text, sizeof(text), "/%llu", id);
		CHECK(!strcmp(lw_cgroup_name(names, id), text));
	}
	CHECK(!strcmp(lw_cgroup_name(names, ~1ULL), "[cgroup 18446744073709551614]"));
	lw_cgroup_names_free(names);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(mount_of_version_2_is_found),
		TEST(version_of_perfs_controller_is_known),
		TEST(directories_are_cgroups),
		TEST(names_are_found_by_ids),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/text", dir);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || ret;
}
