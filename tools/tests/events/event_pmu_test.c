// SPDX-License-Identifier: GPL-2.0
/*
 * event_pmu_test.c - events that a PMU describes, by a directory that looks like sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/event_pmu.h"
#include "tests/tap.h"

/* As an Intel CPU has it, and one that is made up. */
static const struct {
	const char *name, *text;
} files[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/loop", "loop\n" },
	{ "odd_1/type", "4294967295\n" },
	{ "odd_1/format/split", "config2:0-3,60-63,8\n" },
	{ "odd_1/format/whole", "config:0-63\n" },
	{ "odd_1/format/later", "config9:0-63\n" },
	{ "odd_1/format/broken", "config:7-0\n" },
	{ "odd_1/format/far", "config:0-64\n" },
	{ "odd_1/events/only-here", "split=0x11\n" },
	{ "none/type", "no number\n" },
};

static char root[40] = "/tmp/event_pmu_test.XXXXXX";

static bool put_file(const char *name, const char *text)
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
		return false;
	close(fd);
	return true;
}

static bool make_root(void)
{
	if (!mkdtemp(root))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!put_file(files[i].name, files[i].text))
			return false;
	}
	return true;
}

static void remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		printf("# %s failed\n", command);
}

static int parse(struct lw_event *event, const char *text)
{
	memset(event, 0, sizeof(*event));
	event->name = strdup(text);
	return lw_event_pmu(event, root, text);
}

static bool gives(const char *text, u32 type, u64 config, u64 config1, u64 config2)
{
	struct lw_event event;
	bool same;

	if (parse(&event, text)) {
		printf("# %s\n", lw_fail_text());
		return false;
	}
	same = event.attr.type == type && event.attr.config == config &&
	       event.attr.config1 == config1 && event.attr.config2 == config2;
	if (!same)
		printf("# %s: type %u config %#llx %#llx %#llx\n", text, event.attr.type,
		       event.attr.config, event.attr.config1, event.attr.config2);
	lw_event_free(&event);
	return same;
}

static bool refused(const char *text, const char *because)
{
	struct lw_event event;
	int ret = parse(&event, text);

	lw_event_free(&event);
	if (ret && strstr(lw_fail_text(), text) && strstr(lw_fail_text(), because))
		return true;
	printf("# %s: %s\n", text, ret ? lw_fail_text() : "is taken");
	return false;
}

static bool terms_go_to_their_bits(void)
{
	CHECK(gives("cpu/event=0x3c,umask=0x1f/", 4, 0x1f3c, 0, 0));
	CHECK(gives("cpu/event=60,edge/", 4, 0x4003c, 0, 0));
	CHECK(gives("cpu/event=0xcd,umask=1,ldlat=0x1e/", 4, 0x1cd, 0x1e, 0));
	/* the later one of two */
	CHECK(gives("cpu/event=0xff,event=0x10/", 4, 0x10, 0, 0));
	CHECK(gives("cpu//", 4, 0, 0, 0));
	CHECK(gives("odd_1/split=0x1ab/", ~0U, 0, 0, 0xa00000000000010bULL));
	CHECK(gives("odd_1/whole=0xffffffffffffffff/", ~0U, ~0ULL, 0, 0));
	return true;
}

static bool words_are_set_whole(void)
{
	CHECK(gives("cpu/config=0x123456789,config1=2,config2=3/", 4, 0x123456789, 2, 3));
	CHECK(gives("cpu/r1a8/", 4, 0x1a8, 0, 0));
	CHECK(gives("cpu/rffffffffffffffff/", 4, ~0ULL, 0, 0));
	return true;
}

static bool names_stand_for_terms(void)
{
	CHECK(gives("cpu/cpu-cycles/", 4, 0x3c, 0, 0));
	CHECK(gives("cpu/mem-loads/", 4, 0x1cd, 3, 0));
	CHECK(gives("cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0));
	return true;
}

static bool names_are_found_in_any_pmu(void)
{
	struct lw_event event = { 0 };

	CHECK(!lw_event_pmu_alias(&event, root, "only-here"));
	CHECK(event.attr.type == ~0U && event.attr.config2 == 0x1000000000000001ULL);
	CHECK(lw_event_pmu_alias(&event, root, "not-here") == -ENOENT);
	CHECK(lw_event_pmu_alias(&event, root, "../cpu/events/cpu-cycles") == -ENOENT);
	CHECK(lw_event_pmu_alias(&event, root, "") == -ENOENT);
	CHECK(lw_event_pmu_alias(&event, "/no/such", "only-here") == -ENOENT);
	return true;
}

static bool rate_and_name_are_its_own(void)
{
	struct lw_event_rate rate = { .freq = 997 };
	struct lw_event event;

	CHECK(!parse(&event, "cpu/cpu-cycles,period=5000,name=mine/"));
	CHECK(!strcmp(event.name, "mine"));
	lw_event_set_rate(&event, &rate);
	CHECK(!event.attr.freq && event.attr.sample_period == 5000);
	lw_event_free(&event);
	CHECK(!parse(&event, "cpu/cpu-cycles,freq=50/"));
	lw_event_set_rate(&event, &(struct lw_event_rate){ .period = 3 });
	CHECK(event.attr.freq && event.attr.sample_freq == 50);
	lw_event_free(&event);
	return true;
}

static bool modifiers_follow_the_slash(void)
{
	struct lw_event event;

	CHECK(!parse(&event, "cpu/cpu-cycles/ukpp"));
	CHECK(event.attr.precise_ip == 2 && !event.attr.exclude_user &&
	      !event.attr.exclude_kernel && event.attr.exclude_hv && event.attr.exclude_guest);
	lw_event_free(&event);
	CHECK(refused("cpu/cpu-cycles/x", "'x' are no modifiers"));
	return true;
}

static bool what_is_wrong_is_told(void)
{
	CHECK(refused("cpq/event=1/", "Did you mean cpu?"));
	CHECK(refused("nosuchthing/event=1/", "a virtual machine often has none"));
	CHECK(refused("none/event=1/", "holds no number"));
	CHECK(refused("cpu/evnt=1/", "Did you mean event?"));
	CHECK(refused("cpu/cpu-cycls/", "Did you mean cpu-cycles?"));
	CHECK(refused("cpu/event=x/", "'x' is no number for event"));
	CHECK(refused("cpu/event=/", "'' is no number for event"));
	CHECK(refused("cpu/event=0x100/", "more than its bits hold"));
	CHECK(refused("cpu/edge=2/", "more than its bits hold"));
	CHECK(refused("odd_1/split=0x200/", "more than its bits hold"));
	CHECK(refused("odd_1/later=1/", "which this tool does not know"));
	CHECK(refused("odd_1/broken=1/", "which this tool does not know"));
	CHECK(refused("odd_1/far=1/", "which this tool does not know"));
	CHECK(refused("cpu/=1/", "no term ''"));
	CHECK(refused("cpu/../", "no term '..'"));
	/* a name of names is none */
	CHECK(refused("cpu/loop/", "no term 'loop'"));
	return true;
}

static bool it_is_told_from_paths(void)
{
	CHECK(lw_event_pmu_len("cpu/event=0x3c,umask=1/") == 23);
	CHECK(lw_event_pmu_len("cpu/event=0x3c,umask=1/upp,cycles") == 26);
	CHECK(!lw_event_pmu_len("dir/program:main"));
	CHECK(!lw_event_pmu_len("dir/program:main,dir/program:other"));
	CHECK(!lw_event_pmu_len("a/b/c:main"));
	CHECK(!lw_event_pmu_len("/usr/bin/program:main"));
	CHECK(!lw_event_pmu_len("./a/program:main"));
	CHECK(!lw_event_pmu_len("cycles,cpu/event=1/"));
	CHECK(!lw_event_pmu_len("cpu/event=1"));
	CHECK(!lw_event_pmu_len(""));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(terms_go_to_their_bits),
		TEST(words_are_set_whole),
		TEST(names_stand_for_terms),
		TEST(names_are_found_in_any_pmu),
		TEST(rate_and_name_are_its_own),
		TEST(modifiers_follow_the_slash),
		TEST(what_is_wrong_is_told),
		TEST(it_is_told_from_paths),
	};
	int ret;

	if (!make_root()) {
		printf("Bail out! cannot make %s: %s\n", root, strerror(errno));
		return 1;
	}
	ret = tap_run(tests, ARRAY_SIZE(tests));
	remove_root();
	return ret;
}
