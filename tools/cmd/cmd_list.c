// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_list.c - latewind list: which events there are for record -e.
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit.h"
#include "cmd/verbs.h"
#include "elf/usdt.h"
#include "events/event_names.h"
#include "events/event_parse.h"
#include "events/event_pmu.h"
#include "events/event_tracepoint.h"
#include "ui/pager.h"

static const struct {
	const char *words[2];
	const char *title;
} kinds[LW_EVENT_KINDS] = {
	[LW_EVENT_HARDWARE] = { { "hw", "hardware" }, "Hardware event" },
	[LW_EVENT_SOFTWARE] = { { "sw", "software" }, "Software event" },
	[LW_EVENT_CACHE] = { { "cache", "hwcache" }, "Hardware cache event" },
	[LW_EVENT_PMU] = { { "pmu", "pmu" }, "Kernel PMU event" },
	[LW_EVENT_TRACEPOINT] = { { "tracepoint", "tracepoint" }, "Tracepoint event" },
};

struct list {
	char **words;			/* that choose; none: all */
	int nr_words;
	bool plain;			/* names only */
	int last;			/* kind that was printed, or -1 */
	u64 nr;				/* printed */
};

/* Return: the kind that a word names, or -1. */
static int kind_of(const char *word)
{
	for (int kind = 0; kind < LW_EVENT_KINDS; kind++) {
		if (!strcmp(word, kinds[kind].words[0]) || !strcmp(word, kinds[kind].words[1]))
			return kind;
	}
	return -1;
}

/* A pattern, or part of a name, of whatever case. */
static bool matches(const char *word, const char *name)
{
	if (strpbrk(word, "*?["))
		return !fnmatch(word, name, FNM_CASEFOLD);
	return strcasestr(name, word);
}

static bool is_chosen(const struct list *list, enum lw_event_kind kind, const char *name,
		      const char *alias)
{
	for (int i = 0; i < list->nr_words; i++) {
		const char *word = list->words[i];
		int wanted = kind_of(word);

		if (wanted == (int)kind)
			return true;
		if (wanted < 0 && (matches(word, name) || (alias && matches(word, alias))))
			return true;
	}
	return !list->nr_words;
}

static bool opens(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return true;
}

/* Can this machine take samples of it?  Who may not try is told that it can. */
static bool is_there(const char *name)
{
	const struct lw_event_rate rate = { .period = 1ULL << 40 };
	struct lw_event event;
	bool there;

	if (lw_event_parse(&event, name)) {
		lw_event_free(&event);
		return false;
	}
	lw_event_set_rate(&event, &rate);
	event.attr.size = sizeof(event.attr);
	event.attr.disabled = 1;
	there = opens(&event.attr, 0, -1) || opens(&event.attr, -1, 0);
	lw_event_free(&event);
	return there;
}

static int print_name(struct list *list, int kind, const char *title, const char *name,
		      const char *alias)
{
	char both[600];

	snprintf(both, sizeof(both), alias ? "%s OR %s" : "%s", name, alias);
	if (list->plain)
		puts(name);
	else
		printf("%s  %-50s [%s]\n", list->last >= 0 && list->last != kind ? "\n" : "", both,
		       title);
	list->last = kind;
	list->nr++;
	return ferror(stdout);
}

static int take_name(void *ctx, enum lw_event_kind kind, const char *name, const char *alias)
{
	struct list *list = ctx;

	if (!is_chosen(list, kind, name, alias) ||
	    (kind != LW_EVENT_TRACEPOINT && !is_there(name)))
		return 0;
	return print_name(list, kind, kinds[kind].title, name, alias);
}

struct sdt {
	struct list *list;
	const char *path;
	char last[512];
};

static int take_probe(void *ctx, const struct lw_usdt *probe)
{
	struct sdt *sdt = ctx;
	char name[512];

	snprintf(name, sizeof(name), "%s:%s:%s", sdt->path, probe->provider, probe->name);
	/* it has several places */
	if (!strcmp(name, sdt->last))
		return 0;
	snprintf(sdt->last, sizeof(sdt->last), "%s", name);
	return print_name(sdt->list, 0, "SDT event", name, NULL);
}

static int list_probes(struct list *list, const char *path)
{
	struct sdt sdt = { .list = list, .path = path };
	struct lw_elf file;
	int ret = lw_elf_open(&file, path);

	if (ret)
		return lw_fail(ret, "cannot read %s: %s", path, ret == -ENOEXEC ?
			       "it is no ELF file" : strerror(-ret));
	ret = lw_usdt_list(&file, take_probe, &sdt);
	lw_elf_close(&file);
	if (ret < 0)
		return lw_fail(ret, "cannot read the probes of %s: %s", path, strerror(-ret));
	return ret || sdt.last[0] ? ret :
	       lw_fail(-ENOENT, "%s has no USDT probes", path);
}

static int list_files(struct list *list)
{
	int ret = 0;

	for (int i = 1; !ret && i < list->nr_words; i++)
		ret = list_probes(list, list->words[i]);
	return ret;
}

static int list_all(struct list *list)
{
	const char *root = lw_tracefs();
	int ret = lw_event_names(root, LW_PMU_DIR, take_name, list);

	if (ret >= 0)
		return 0;
	/* who asked for others has them */
	if (list->nr && list->nr_words)
		return 0;
	return lw_fail(ret, "cannot read %s/events: %s\n%s  Tracepoints are not listed.", root,
		       strerror(-ret), lw_tracefs_hint(root));
}

static int take_option(void *context, int id, const char *value)
{
	(void)context;
	(void)id;
	(void)value;
	return -EINVAL;
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct list list = { .plain = !isatty(STDOUT_FILENO), .last = -1 };
	int ret = lw_verb_parse(verb, argc, argv, take_option, NULL);
	bool sdt;

	list.words = argv + optind;
	list.nr_words = argc - optind;
	sdt = !ret && list.nr_words && !strcmp(list.words[0], "sdt");
	if (sdt && list.nr_words == 1)
		ret = lw_fail(-EINVAL, "'list sdt' wants the names of programs or libraries");
	if (ret)
		return lw_verb_end(verb, ret);
	lw_pager_allow();
	lw_pager_begin();
	ret = sdt ? list_files(&list) : list_all(&list);
	if (!ret && !list.nr && list.nr_words)
		ret = lw_fail(-ENOENT, "no event is named like '%s'%s", list.words[0],
			      list.nr_words > 1 ? ", nor like the others" : "");
	if (ret < 0)
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
	return ret < 0 ? LW_EXIT_FAILURE : LW_EXIT_OK;
}

static const struct lw_option options[] = { { } };

const struct lw_verb lw_verb_list = {
	.name = "list",
	.summary = "list the events that record -e takes",
	.usage = "[hw | sw | cache | pmu | tracepoint | GLOB]...\n"
		 "sdt FILE...",
	.about = "Lists the events that this machine can record: all, those of a kind, or those\n"
		 "whose names match GLOB; with sdt, the USDT probes of files. Into a pipe it\n"
		 "prints names only.",
	.tables = { options },
	.run = run,
};
