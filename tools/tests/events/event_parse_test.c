// SPDX-License-Identifier: GPL-2.0
/*
 * event_parse_test.c - what -e and the numbers take, and what they refuse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "events/event_parse.h"
#include "tests/tap.h"

/* There are no uprobes without it, in a bare chroot for one. */
#define UPROBE_TYPE	"/sys/bus/event_source/devices/uprobe/type"

__attribute__((used)) void probe_me(void);

/**
 * probe_me - a function to find in this file's symbol table
 */
void probe_me(void)
{
}

static bool parses(const char *text, u32 type, u64 config)
{
	struct lw_event event;
	bool same;

	if (lw_event_parse(&event, text))
		return false;
	same = event.attr.type == type && event.attr.config == config &&
	       !strcmp(event.name, text);
	lw_event_free(&event);
	return same;
}

static bool refused(const char *text, const char *because)
{
	struct lw_event event;

	if (!lw_event_parse(&event, text))
		return false;
	return strstr(lw_fail_text(), text) && strstr(lw_fail_text(), because);
}

static bool known_names_are_taken(void)
{
	CHECK(parses("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK));
	CHECK(parses("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS));
	CHECK(parses("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES));
	CHECK(parses("r1a8", PERF_TYPE_RAW, 0x1a8));
	return true;
}

static bool modifiers_exclude(void)
{
	struct lw_event event;

	CHECK(!lw_event_parse(&event, "cycles:u"));
	CHECK(event.attr.exclude_kernel && event.attr.exclude_hv && !event.attr.exclude_user);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cpu-clock:k"));
	CHECK(!event.attr.exclude_kernel && event.attr.exclude_user);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cpu-clock:uk"));
	CHECK(!event.attr.exclude_kernel && !event.attr.exclude_user && event.attr.exclude_hv);
	lw_event_free(&event);
	return true;
}

static bool modifiers_say_how_precise_and_where(void)
{
	struct lw_event event;

	CHECK(!lw_event_parse(&event, "cycles:ppu"));
	CHECK(event.attr.precise_ip == 2 && event.attr.exclude_kernel && event.attr.exclude_guest);
	/* it is what was asked for, or nothing */
	CHECK(!lw_event_less_precise(&event) && event.attr.precise_ip == 2);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "r1a8:P"));
	CHECK(event.attr.precise_ip == 3 && !event.attr.exclude_kernel);
	for (u32 precise = 3; precise; precise--)
		CHECK(event.attr.precise_ip == precise && lw_event_less_precise(&event));
	CHECK(!event.attr.precise_ip && !lw_event_less_precise(&event));
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cycles:G"));
	CHECK(!event.attr.exclude_guest && event.attr.exclude_host && !event.attr.exclude_user);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cycles:Hp"));
	CHECK(event.attr.exclude_guest && !event.attr.exclude_host && event.attr.precise_ip == 1);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cycles:GHp"));
	CHECK(!event.attr.exclude_guest && !event.attr.exclude_host);
	lw_event_free(&event);
	CHECK(!lw_event_parse(&event, "cycles:IDe"));
	CHECK(event.attr.exclude_idle && event.attr.pinned && event.attr.exclusive);
	lw_event_free(&event);
	return true;
}

#define CACHE_EVENT(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static bool is_cache(const char *text, u64 config)
{
	return parses(text, PERF_TYPE_HW_CACHE, config);
}

static bool caches_have_operations_and_results(void)
{
	CHECK(is_cache("L1-dcache-loads", CACHE_EVENT(L1D, READ, ACCESS)));
	CHECK(is_cache("L1-dcache-load-misses", CACHE_EVENT(L1D, READ, MISS)));
	CHECK(is_cache("L1-icache-load-misses", CACHE_EVENT(L1I, READ, MISS)));
	CHECK(is_cache("LLC-stores", CACHE_EVENT(LL, WRITE, ACCESS)));
	CHECK(is_cache("LLC-prefetch-misses", CACHE_EVENT(LL, PREFETCH, MISS)));
	CHECK(is_cache("dTLB-load-misses", CACHE_EVENT(DTLB, READ, MISS)));
	CHECK(is_cache("iTLB-loads", CACHE_EVENT(ITLB, READ, ACCESS)));
	CHECK(is_cache("branch-load-misses", CACHE_EVENT(BPU, READ, MISS)));
	CHECK(is_cache("node-store-misses", CACHE_EVENT(NODE, WRITE, MISS)));
	/* either part may be left out, and stand first */
	CHECK(is_cache("l1d", CACHE_EVENT(L1D, READ, ACCESS)));
	CHECK(is_cache("l1d-misses", CACHE_EVENT(L1D, READ, MISS)));
	CHECK(is_cache("l1d-miss-store", CACHE_EVENT(L1D, WRITE, MISS)));
	CHECK(is_cache("l1d-speculative-read-refs", CACHE_EVENT(L1D, PREFETCH, ACCESS)));
	/* events of their own come first */
	CHECK(parses("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES));

	CHECK(refused("iTLB-stores", "not known"));
	CHECK(refused("L1-dcache-", "not known"));
	CHECK(refused("L1-dcache-loads-stores", "not known"));
	CHECK(refused("L1-dcache-misses-miss", "not known"));
	CHECK(refused("L1-dcache-loadsy", "not known"));
	CHECK(refused("LLCx", "not known"));
	return true;
}

static bool unknown_names_are_refused_with_the_list(void)
{
	CHECK(refused("cpu-clok", "page-faults"));
	CHECK(refused("", "Known events"));
	CHECK(refused("cycles:z", "'z' are no modifiers"));
	CHECK(refused("L1-dcache-loads:pppp", "'pppp' are no modifiers"));
	CHECK(refused("cycles:uu", "'uu' are no modifiers"));
	CHECK(refused("rxyz", "Known events"));
	CHECK(refused("r", "Known events"));
	CHECK(refused("no:such", "no tracepoint"));
	CHECK(refused("sched:..", "no tracepoint"));
	if (access(UPROBE_TYPE, R_OK))
		return true;
	CHECK(refused("./no-such-file:symbol", "cannot read ./no-such-file"));
	CHECK(refused("/:symbol", "not an ELF file"));
	return true;
}

static bool uprobe_finds_the_function_in_the_file(void)
{
	struct lw_event event;
	char path[4096], text[4200];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	u64 addr = 0;
	struct lw_elf file;

	CHECK(len > 0);
	path[len] = 0;
	snprintf(text, sizeof(text), "%s:probe_me", path);
	if (access(UPROBE_TYPE, R_OK))
		return true;
	CHECK(!lw_event_parse(&event, text));
	CHECK(event.counted && event.in_user && event.nr_places == 1 &&
	      !strcmp(event.places[0].name, path));
	CHECK(!lw_elf_open(&file, path));
	CHECK(!lw_elf_offset_to_addr(&file, event.attr.probe_offset, &addr));
	CHECK((addr & 0xfff) == ((unsigned long)probe_me & 0xfff));
	lw_elf_close(&file);
	lw_event_free(&event);

	snprintf(text, sizeof(text), "%s:0x1234:u", path);
	CHECK(!lw_event_parse(&event, text));
	CHECK(event.attr.probe_offset == 0x1234 && event.attr.exclude_kernel);
	lw_event_free(&event);

	snprintf(text, sizeof(text), "%s:no_such_function", path);
	CHECK(refused(text, "has no function 'no_such_function'"));
	snprintf(text, sizeof(text), "%s:0x12zz", path);
	CHECK(refused(text, "not a number"));
	return true;
}

static bool places_have_offsets_and_returns(void)
{
	struct lw_event event;
	char path[4096], text[4300];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	u64 start;

	CHECK(len > 0);
	path[len] = 0;
	if (access(UPROBE_TYPE, R_OK))
		return true;
	snprintf(text, sizeof(text), "u:%s:probe_me", path);
	CHECK(!lw_event_parse(&event, text));
	start = event.attr.probe_offset;
	CHECK(!event.at_return && !event.attr.config && !strcmp(event.name, text));
	lw_event_free(&event);

	snprintf(text, sizeof(text), "%s:probe_me+0x3:u", path);
	CHECK(!lw_event_parse(&event, text));
	CHECK(event.attr.probe_offset == start + 3 && event.attr.exclude_kernel);
	lw_event_free(&event);

	snprintf(text, sizeof(text), "%s:probe_me%%return", path);
	CHECK(!lw_event_parse(&event, text));
	CHECK(event.attr.probe_offset == start && event.attr.config == 1);
	lw_event_free(&event);
	snprintf(text, sizeof(text), "uretprobe:%s:probe_me", path);
	CHECK(!lw_event_parse(&event, text) && event.attr.config == 1);
	lw_event_free(&event);

	snprintf(text, sizeof(text), "%s:probe_me+2%%return", path);
	CHECK(refused(text, "as a whole returns"));
	snprintf(text, sizeof(text), "%s:probe_me+x", path);
	CHECK(refused(text, "'x' is not a number"));
	snprintf(text, sizeof(text), "%s:prove_me", path);
	CHECK(refused(text, "Did you mean probe_me"));
	snprintf(text, sizeof(text), "usdt:%s:no:such", path);
	CHECK(refused(text, "no such USDT probe"));
	snprintf(text, sizeof(text), "%s:no:such", path);
	CHECK(refused(text, "no such USDT probe"));
	return true;
}

static bool kinds_are_told_apart(void)
{
	CHECK(refused("cpu-clok", "Did you mean cpu-clock?"));
	CHECK(refused("t:cycles", "no tracepoint"));
	CHECK(refused("usdt:/bin/true:one", "USDT probe is PATH:PROVIDER:NAME"));
	CHECK(refused("uprobe:probe_me", "uprobe is PATH:SYMBOL"));
	CHECK(refused("kprobe:", "kprobe is FUNCTION"));
	CHECK(refused("kretprobe:a/b", "kprobe is FUNCTION"));
	return true;
}

static bool rate_of_counted_events_is_each_hit(void)
{
	struct lw_event_rate rate = { .freq = 997 };
	struct lw_event event = { .counted = true };

	lw_event_set_rate(&event, &rate);
	CHECK(!event.attr.freq && event.attr.sample_period == 1);
	event.counted = false;
	lw_event_set_rate(&event, &rate);
	CHECK(event.attr.freq && event.attr.sample_freq == 997);
	rate.period = 5000;
	lw_event_set_rate(&event, &rate);
	CHECK(!event.attr.freq && event.attr.sample_period == 5000);
	return true;
}

static bool switches_stand_for_time_one_by_one(void)
{
	struct lw_event_rate rate = { .period = 5000 };
	struct lw_event event = { .name = strdup("sched:sched_switch"), .counted = true };

	CHECK(lw_event_take_off_cpu(&event));
	CHECK(event.off_cpu && !strcmp(event.name, "off-cpu"));
	/* it is that already */
	CHECK(!lw_event_take_off_cpu(&event));
	lw_event_set_rate(&event, &rate);
	CHECK(!event.attr.freq && event.attr.sample_period == 1);
	lw_event_free(&event);

	event = (struct lw_event) { .name = strdup("sched:sched_wakeup") };
	CHECK(!lw_event_take_off_cpu(&event) && !event.off_cpu);
	CHECK(!strcmp(event.name, "sched:sched_wakeup"));
	lw_event_free(&event);
	return true;
}

static bool numbers_are_read_strictly(void)
{
	u64 value;

	CHECK(!lw_parse_u64("42", &value) && value == 42);
	CHECK(!lw_parse_u64("0x10", &value) && value == 16);
	CHECK(lw_parse_u64("42x", &value) == -EINVAL);
	CHECK(lw_parse_u64("-1", &value) == -EINVAL);
	CHECK(lw_parse_u64(" 1", &value) == -EINVAL);
	CHECK(lw_parse_u64("", &value) == -EINVAL);
	CHECK(lw_parse_u64("99999999999999999999", &value) == -ERANGE);
	CHECK(!lw_parse_size("4K", &value) && value == 4096);
	CHECK(!lw_parse_size("2M", &value) && value == 2 << 20);
	CHECK(!lw_parse_size("1G", &value) && value == 1 << 30);
	CHECK(!lw_parse_size("512", &value) && value == 512);
	CHECK(lw_parse_size("4KB", &value) == -EINVAL);
	CHECK(lw_parse_size("K", &value) == -EINVAL);
	CHECK(lw_parse_size("99999999999G", &value) == -ERANGE);
	return true;
}

static bool build_id_is_found_only_in_whole_notes(void)
{
	static const u8 notes[] = {
		4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9, 9, 9, 9,
		4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0, 0,
	};
	u8 id[LW_BUILD_ID_MAX];

	CHECK(lw_notes_build_id(notes, sizeof(notes), id) == 2);
	CHECK(id[0] == 0xab && id[1] == 0xcd && id[2] == 0);
	for (size_t cut = 0; cut < sizeof(notes) - 2; cut++)
		CHECK(lw_notes_build_id(notes, cut, id) == -ENOENT);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(known_names_are_taken),
		TEST(modifiers_exclude),
		TEST(modifiers_say_how_precise_and_where),
		TEST(caches_have_operations_and_results),
		TEST(unknown_names_are_refused_with_the_list),
		TEST(uprobe_finds_the_function_in_the_file),
		TEST(places_have_offsets_and_returns),
		TEST(kinds_are_told_apart),
		TEST(rate_of_counted_events_is_each_hit),
		TEST(switches_stand_for_time_one_by_one),
		TEST(numbers_are_read_strictly),
		TEST(build_id_is_found_only_in_whole_notes),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
