// SPDX-License-Identifier: GPL-2.0
/*
 * event_modifiers.c - the letters behind an event, with perf's meaning.
 */
#include <errno.h>
#include <string.h>

#include "events/event_modifiers.h"

#define LETTERS		"ukhpPGHIDe"
#define MOST_PRECISE	3U

/* Return: how precise; -EINVAL: there are other letters, or one twice. */
static int check(const char *letters)
{
	u32 nr_p = 0;

	for (const char *at = letters; *at; at++) {
		if (!strchr(LETTERS, *at) || (*at != 'p' && strchr(at + 1, *at)))
			return -EINVAL;
		nr_p += *at == 'p';
	}
	return nr_p > MOST_PRECISE ? -EINVAL : (int)nr_p;
}

/**
 * lw_event_modifiers - apply letters to an event
 * @event: its attributes are changed
 * @letters: none for what -e has by default
 *
 * One of u, k, h excludes the modes that have none of these letters, and one of G, H the
 * other.  Hardware does not sample guests precisely.
 *
 * Return: 0, or -EINVAL if they are no modifiers: @event is as it was.
 */
int lw_event_modifiers(struct lw_event *event, const char *letters)
{
	struct perf_event_attr *attr = &event->attr;
	int precise = check(letters);

	if (precise < 0)
		return precise;
	if (strpbrk(letters, "ukh")) {
		attr->exclude_user = !strchr(letters, 'u');
		attr->exclude_kernel = !strchr(letters, 'k');
		attr->exclude_hv = !strchr(letters, 'h');
	}
	if (strpbrk(letters, "GH")) {
		attr->exclude_guest = !strchr(letters, 'G');
		attr->exclude_host = !strchr(letters, 'H');
	} else if (strpbrk(letters, "pP")) {
		attr->exclude_guest = 1;
	}
	attr->precise_ip = strchr(letters, 'P') ? MOST_PRECISE : (u32)precise;
	event->as_precise_as_can_be = strchr(letters, 'P');
	attr->exclude_idle = !!strchr(letters, 'I');
	attr->pinned = !!strchr(letters, 'D');
	attr->exclusive = !!strchr(letters, 'e');
	return 0;
}
