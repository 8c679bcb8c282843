// SPDX-License-Identifier: GPL-2.0
/*
 * event_list.c - the text after -e, which may name several events: with commas, and
 * tracepoints by patterns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/event_list.h"
#include "events/event_pmu.h"
#include "events/event_tracepoint.h"

#define PATTERN		"*?["

struct expansion {
	lw_event_text_fn fn;
	void *ctx;
	const char *modifier;		/* with its colon, or "" */
	int ret;
};

static int take_name(void *ctx, const char *name)
{
	struct expansion *expansion = ctx;
	char *text;

	if (asprintf(&text, "%s%s", name, expansion->modifier) < 0) {
		expansion->ret = lw_fail(-ENOMEM, "out of memory");
		return -1;
	}
	expansion->ret = expansion->fn(expansion->ctx, text);
	free(text);
	return expansion->ret;
}

static const char *skip(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? text : text + len;
}

static const char *without_prefix(const char *text)
{
	const char *name = skip(text, "tracepoint:");

	return name == text ? skip(text, "t:") : name;
}

/* Only tracepoints: a file's name may have these in it. */
static bool is_pattern(const char *text)
{
	static const char * const others[] = {
		"uprobe:", "u:", "uretprobe:", "ur:", "kprobe:", "k:", "kretprobe:", "kr:",
		"usdt:", "U:", "sdt:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (skip(text, others[i]) != text)
			return false;
	}
	return strpbrk(text, PATTERN) && strchr(without_prefix(text), ':') && !strchr(text, '/');
}

static int expand(const char *root, char *systems, lw_event_text_fn fn, void *ctx)
{
	struct expansion expansion = { .fn = fn, .ctx = ctx, .modifier = "" };
	char *names = strchr(systems, ':'), *modifier;
	int ret;

	*names++ = 0;
	modifier = strchr(names, ':');
	if (modifier) {
		expansion.modifier = strdupa(modifier);
		*modifier = 0;
	}
	ret = lw_tracepoints_glob(root, systems, names, take_name, &expansion);
	if (expansion.ret || ret > 0)
		return expansion.ret;
	if (!ret)
		return lw_fail(-ENOENT, "event '%s:%s': no tracepoint is named like that\n"
			       "  Which there are is in %s/available_events.", systems, names,
			       root);
	return lw_fail(ret, "event '%s:%s': cannot read %s/events: %s\n"
		       "%s  'latewind doctor' checks what is needed.", systems, names, root,
		       strerror(-ret), lw_tracefs_hint(root));
}

/* The next comma that no backslash is before, and that is none of a PMU's; backslashes go. */
static char *cut_at_comma(char *text)
{
	char *to;

	text += lw_event_pmu_len(text);
	to = text;

	while (*text && *text != ',') {
		if (*text == '\\' && text[1] == ',')
			text++;
		*to++ = *text++;
	}
	if (!*text) {
		*to = 0;
		return NULL;
	}
	*to = 0;
	return text + 1;
}

/* Kernel modules open events one by one (perf_event_create_kernel_counter()). */
static int no_group(const char *text)
{
	return lw_fail(-EINVAL, "event '%s': a module can't have groups of events\n"
		       "  Leave the braces out: each is sampled by its own count then. Or record\n"
		       "  with 'perf record -e', and read that here.", text);
}

/**
 * lw_event_list - take a text apart into single events
 * @root: of tracefs
 * @text: events with commas between; "\," is a comma in a name
 * @fn: called with each
 * @ctx: for @fn
 *
 * Return: 0, what @fn returned, or -errno with lw_fail_text().
 */
int lw_event_list(const char *root, const char *text, lw_event_text_fn fn, void *ctx)
{
	char *copy = strdup(text), *next = copy;
	int ret = 0;

	if (*text == '{') {
		free(copy);
		return no_group(text);
	}
	if (!copy)
		return lw_fail(-ENOMEM, "out of memory");
	while (next && !ret) {
		char *one = next;

		next = cut_at_comma(one);
		if (is_pattern(one))
			ret = expand(root, one + (without_prefix(one) - one), fn, ctx);
		else
			ret = fn(ctx, one);
	}
	free(copy);
	return ret;
}
