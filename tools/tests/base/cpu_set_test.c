// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_set_test.c - lists of CPUs.
 */
#include <string.h>

#include "base/cpu_set.h"
#include "tests/tap.h"

static bool nobody_chose(void)
{
	struct lw_cpu_set set = { 0 };

	CHECK(lw_cpu_set_has(&set, 0) && lw_cpu_set_has(&set, LW_MAX_CPUS));
	return true;
}

static bool lists_have_numbers_and_ranges(void)
{
	struct lw_cpu_set set = { 0 };

	CHECK(!lw_cpu_set_parse(&set, "1,3-5,65535\n"));
	CHECK(!lw_cpu_set_has(&set, 0) && lw_cpu_set_has(&set, 1) && !lw_cpu_set_has(&set, 2));
	CHECK(lw_cpu_set_has(&set, 3) && lw_cpu_set_has(&set, 5) && !lw_cpu_set_has(&set, 6));
	CHECK(lw_cpu_set_has(&set, 65535) && !lw_cpu_set_has(&set, 65536));
	/* the option may be given twice */
	CHECK(!lw_cpu_set_parse(&set, "0") && lw_cpu_set_has(&set, 0) && lw_cpu_set_has(&set, 1));
	return true;
}

static bool other_texts_are_refused(void)
{
	static const char *const texts[] = {
		"", ",", "1,", "1,,2", "-1", "3-1", "1-", "1-2-3", "x", "1 ", "+1", "65536",
		"99999999999999999999", "1\n2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct lw_cpu_set set = { 0 };

		if (lw_take_cpus(&set, texts[i]) && strstr(lw_fail_text(), "no list of CPUs"))
			continue;
		printf("# '%s' is taken\n", texts[i]);
		return false;
	}
	return true;
}

static bool some_cpu_is_online(void)
{
	struct lw_cpu_set set;
	u32 nr = 0;

	CHECK(!lw_cpu_set_online(&set) && set.is_limited);
	for (u32 cpu = 0; cpu < LW_MAX_CPUS; cpu++)
		nr += lw_cpu_set_has(&set, cpu);
	CHECK(nr >= 1);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nobody_chose),
		TEST(lists_have_numbers_and_ranges),
		TEST(other_texts_are_refused),
		TEST(some_cpu_is_online),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
