// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_set.c - lists of CPUs, as the kernel writes them: "0-3,8".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_set.h"

#define ONLINE_FILE	"/sys/devices/system/cpu/online"

/* Digits, and nothing that strtoul() takes besides. */
static int take_number(const char **text, u32 *value)
{
	unsigned long number;
	char *end;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	number = strtoul(*text, &end, 10);
	if (number >= LW_MAX_CPUS)
		return -EINVAL;
	*value = number;
	*text = end;
	return 0;
}

static int take_range(struct lw_cpu_set *set, const char **text)
{
	u32 first, last;

	if (take_number(text, &first))
		return -EINVAL;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (take_number(text, &last) || last < first)
			return -EINVAL;
	}
	for (u32 cpu = first; cpu <= last; cpu++)
		set->bits[cpu / 8] |= 1U << cpu % 8;
	return 0;
}

/**
 * lw_cpu_set_parse - add the CPUs of a list
 * @set: gets them, and is limited to these and those that it had
 * @text: numbers and ranges with commas between; a newline may end it
 *
 * Return: 0 or -EINVAL.
 */
int lw_cpu_set_parse(struct lw_cpu_set *set, const char *text)
{
	set->is_limited = true;
	for (;;) {
		if (take_range(set, &text))
			return -EINVAL;
		if (*text == '\n')
			text++;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

/**
 * lw_cpu_set_online - the CPUs that are online
 * @set: out
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_cpu_set_online(struct lw_cpu_set *set)
{
	char text[4096];
	ssize_t got = lw_read_file(ONLINE_FILE, text, sizeof(text));

	memset(set, 0, sizeof(*set));
	if (got < 0)
		return lw_fail(got, "cannot read " ONLINE_FILE ": %s\n  Mount sysfs on /sys.",
			       strerror(-got));
	if (lw_cpu_set_parse(set, text))
		return lw_fail(-EINVAL, ONLINE_FILE " is no list of CPUs: %s", text);
	return 0;
}

/**
 * lw_cpu_set_has - is a CPU one of those that were chosen?
 * @set: which they are
 * @cpu: number
 *
 * Return: true if it is, or none was chosen.
 */
bool lw_cpu_set_has(const struct lw_cpu_set *set, u32 cpu)
{
	return !set->is_limited ||
	       (cpu < LW_MAX_CPUS && set->bits[cpu / 8] & 1U << cpu % 8);
}

/**
 * lw_take_cpus - the value of --cpu
 * @set: gets the CPUs
 * @text: the value
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_cpus(struct lw_cpu_set *set, const char *text)
{
	return lw_cpu_set_parse(set, text) ?
	       lw_fail(-EINVAL, "option --cpu: '%s' is no list of CPUs\n"
		       "  Such as 0,2 or 0-3,8.", text) : 0;
}
