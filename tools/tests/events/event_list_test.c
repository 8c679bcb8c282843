// SPDX-License-Identifier: GPL-2.0
/*
 * event_list_test.c - what -e names: one event or several, and what was meant.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/did_you_mean.h"
#include "events/event_list.h"
#include "events/event_names.h"
#include "events/event_tracepoint.h"
#include "tests/tap.h"

struct list {
	char text[512];
	u32 most;			/* the one behind these is refused */
	u32 nr;
};

static int take(void *ctx, const char *text)
{
	struct list *list = ctx;

	if (list->most && list->nr == list->most)
		return lw_fail(-EINVAL, "one too many");
	list->nr++;
	strcat(list->text, text);
	strcat(list->text, ";");
	return 0;
}

static bool gives(const char *root, const char *text, const char *events)
{
	struct list list = { 0 };

	if (lw_event_list(root, text, take, &list))
		return false;
	if (!strcmp(list.text, events))
		return true;
	printf("# %s\n", list.text);
	return false;
}

static void put_file(const char *root, const char *name, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(path, 0700);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# %s: %s\n", path, strerror(errno));
	close(fd);
}

static const char * const files[] = {
	"events/sched/sched_switch/id", "events/sched/sched_wakeup/id",
	"events/sched/sched_wakeup_new/id", "events/irq/irq_handler_exit/id",
	"events/ftrace/sched_function/id", "events/sched/enable", "events/enable",
};

static void make_root(char *root)
{
	if (!mkdtemp(root))
		printf("# no %s\n", root);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put_file(root, files[i], "12\n");
}

/* With the directories, from the inner to the outer. */
static void remove_root(const char *root)
{
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		for (unlink(path); strlen(path) > strlen(root); rmdir(path))
			*strrchr(path, '/') = 0;
	}
}

static bool commas_are_between_events(void)
{
	CHECK(gives("/none", "cycles", "cycles;"));
	CHECK(gives("/none", "cycles,cs:u,a:b", "cycles;cs:u;a:b;"));
	CHECK(gives("/none", "/a\\,b:f,cycles", "/a,b:f;cycles;"));
	CHECK(gives("/none", "/a\\b:f", "/a\\b:f;"));
	/* they are refused as events */
	CHECK(gives("/none", "cycles,", "cycles;;"));
	CHECK(gives("/none", "", ";"));
	return true;
}

static bool commas_of_a_pmu_stay(void)
{
	CHECK(gives("/tmp", "cpu/event=0x3c,umask=0/,cycles", "cpu/event=0x3c,umask=0/;cycles;"));
	CHECK(gives("/tmp", "cycles,cpu/event=1,umask=0/pp,cs",
		    "cycles;cpu/event=1,umask=0/pp;cs;"));
	CHECK(gives("/tmp", "dir/a:main,dir/b:main", "dir/a:main;dir/b:main;"));
	return true;
}

static bool groups_are_refused_with_words(void)
{
	struct list list = { 0 };

	CHECK(lw_event_list("/none", "{cycles,cs}:S", take, &list) == -EINVAL && !list.nr);
	CHECK(strstr(lw_fail_text(), "'{cycles,cs}:S': a module can't have groups"));
	return true;
}

static bool patterns_are_tracepoints(void)
{
	char root[] = "/tmp/event_list_test.XXXXXX";

	make_root(root);
	CHECK(gives(root, "sched:sched_*", "sched:sched_switch;sched:sched_wakeup;"
					   "sched:sched_wakeup_new;"));
	CHECK(gives(root, "sched:*_wakeup:u,cs", "sched:sched_wakeup:u;cs;"));
	CHECK(gives(root, "t:*:*e?i[st]", "irq:irq_handler_exit;"));
	CHECK(gives(root, "tracepoint:s*:*new", "sched:sched_wakeup_new;"));
	/* there is a file "enable", which is no event */
	CHECK(gives(root, "sched:*e*_new", "sched:sched_wakeup_new;"));
	CHECK(gives(root, "sched:*e", "") || strstr(lw_fail_text(), "'sched:*e'"));
	CHECK(gives(root, "/bin/*:f", "/bin/*:f;") && gives(root, "k:vfs_*", "k:vfs_*;"));
	remove_root(root);
	return access(root, F_OK);
}

static bool patterns_without_a_match_are_refused(void)
{
	char root[] = "/tmp/event_list_test.XXXXXX";
	struct list list = { .most = 2 };

	make_root(root);
	CHECK(lw_event_list(root, "sched:x*", take, &list) == -ENOENT && !list.nr);
	CHECK(strstr(lw_fail_text(), "'sched:x*': no tracepoint"));
	CHECK(lw_event_list(root, "ftrace:*", take, &list) == -ENOENT && !list.nr);
	CHECK(lw_event_list(root, "sched:*", take, &list) == -EINVAL && list.nr == 2);
	CHECK(!strcmp(lw_fail_text(), "one too many"));
	remove_root(root);
	CHECK(lw_event_list(root, "sched:*", take, &list) == -ENOENT);
	CHECK(strstr(lw_fail_text(), "cannot read") &&
	      strstr(lw_fail_text(), "tracefs is not mounted"));
	return true;
}

static int take_name(void *ctx, enum lw_event_kind kind, const char *name, const char *alias)
{
	static const char *const some[] = {
		"0:cycles=cpu-cycles", "1:page-faults=faults", "1:cs", "2:L1-icache-stores",
		"2:dTLB-load-misses",
	};
	struct list *list = ctx;
	char text[64];

	snprintf(text, sizeof(text), "%u:%s%s%s", kind, name, alias ? "=" : "", alias ? alias : "");
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		if (!strcmp(some[i], text))
			return take(list, text);
	}
	return kind >= LW_EVENT_PMU ? take(list, text) : 0;
}

/* What is one by two names comes once; what -e does not take does not come. */
static bool names_come_kind_by_kind(void)
{
	char root[] = "/tmp/event_list_test.XXXXXX", pmus[128];
	struct list list = { 0 };

	make_root(root);
	put_file(root, "pmus/cpu/events/loads", "event=1\n");
	put_file(root, "pmus/cpu/events/loads.unit", "x\n");
	snprintf(pmus, sizeof(pmus), "%s/pmus", root);
	CHECK(!lw_event_names(root, pmus, take_name, &list));
	if (strcmp(list.text, "0:cycles=cpu-cycles;1:page-faults=faults;2:dTLB-load-misses;"
		   "3:cpu/loads/;4:irq:irq_handler_exit;4:sched:sched_switch;"
		   "4:sched:sched_wakeup;4:sched:sched_wakeup_new;")) {
		printf("# %s\n", list.text);
		return false;
	}
	list.nr = 0;
	list.most = 2;
	CHECK(lw_event_names(root, pmus, take_name, &list) == -EINVAL && list.nr == 2);
	CHECK(lw_event_names("/none", "/none", take_name, &list) < 0);
	snprintf(pmus, sizeof(pmus), "rm -r %s/pmus", root);
	CHECK(!system(pmus));
	remove_root(root);
	return true;
}

static bool near_tracepoints_are_named(void)
{
	char root[] = "/tmp/event_list_test.XXXXXX";
	struct lw_did_you_mean near;
	u64 id = 0;

	make_root(root);
	CHECK(!lw_tracepoint_id(root, "sched", "sched_switch", &id) && id == 12);
	CHECK(!lw_tracefs_hint(root)[0]);
	CHECK(lw_tracepoint_id(root, "sched", "enable", &id));
	CHECK(strstr(lw_tracepoint_near(root, "sched", "sched_swich", &near),
		     " sched_switch?"));
	CHECK(strstr(lw_tracepoint_near(root, "shed", "sched_switch", &near), " sched?"));
	CHECK(!lw_tracepoint_near(root, "sched", "irq_handler_exit", &near)[0]);
	remove_root(root);
	return true;
}

static bool nearest_names_stand_first(void)
{
	static const char * const names[] = {
		"mallocs", "calloc", "reallocarray", "malloc", "free", "malloc", "mallocs",
		"xalloc",
	};
	struct lw_did_you_mean near;
	char name[100];

	lw_did_you_mean_init(&near, "maloc");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		lw_did_you_mean_offer(&near, names[i]);
	CHECK(!strcmp(lw_did_you_mean_text(&near), "  Did you mean malloc, mallocs, calloc?\n"));

	lw_did_you_mean_init(&near, "x");
	lw_did_you_mean_offer(&near, "");
	lw_did_you_mean_offer(&near, "abc");
	CHECK(near.nr == 1);
	/* too long to be shown is not near */
	memset(name, 'a', sizeof(name) - 1);
	name[99] = 0;
	lw_did_you_mean_init(&near, name);
	lw_did_you_mean_offer(&near, name);
	CHECK(!lw_did_you_mean_text(&near)[0]);
	/* one that is short enough, and one that is just too long */
	name[LW_DID_YOU_MEAN_LEN] = 0;
	lw_did_you_mean_init(&near, name + 1);
	lw_did_you_mean_offer(&near, name);
	CHECK(!near.nr);
	lw_did_you_mean_offer(&near, name + 1);
	CHECK(near.nr == 1);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(commas_are_between_events),
		TEST(commas_of_a_pmu_stay),
		TEST(groups_are_refused_with_words),
		TEST(patterns_are_tracepoints),
		TEST(patterns_without_a_match_are_refused),
		TEST(names_come_kind_by_kind),
		TEST(near_tracepoints_are_named),
		TEST(nearest_names_stand_first),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
