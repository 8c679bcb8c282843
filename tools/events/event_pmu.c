// SPDX-License-Identifier: GPL-2.0
/*
 * event_pmu.c - the events of -e that a PMU describes in sysfs: PMU/TERM,TERM.../MODIFIERS.
 *
 * Below ROOT/PMU are: "type", for perf_event_attr; "format/TERM", the bits of a word of
 * perf_event_attr that a term's value goes to ("config1:0-7,32"); "events/NAME", terms.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/did_you_mean.h"
#include "events/event_modifiers.h"
#include "events/event_pmu.h"

struct pmu_event {
	struct lw_event *event;
	const char *text;		/* as given, for messages */
	char dir[256];			/* of the PMU */
	bool of_alias;			/* the terms are those of a file of events/ */
};

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (isalnum((u8)text[len]) || text[len] == '_' || text[len] == '-')
		len++;
	return len;
}

/**
 * lw_event_pmu_len - how much of a text is an event of a PMU
 * @text: begins with an event; a comma and others may follow
 *
 * "dir/program:function,dir/program:other" is none: there is a colon.
 *
 * Return: bytes, modifiers included; 0: another kind of event is first.
 */
size_t lw_event_pmu_len(const char *text)
{
	size_t len = name_len(text);

	if (!len || text[len] != '/')
		return 0;
	len++;
	len += strcspn(text + len, "/:");
	if (text[len] != '/')
		return 0;
	len++;
	while (isalpha((u8)text[len]))
		len++;
	return text[len] && text[len] != ',' ? 0 : len;
}

static int read_pmu_file(const struct pmu_event *pmu, const char *folder, const char *name,
			 char *text, size_t size)
{
	char path[512];
	ssize_t got;

	if (snprintf(path, sizeof(path), "%s/%s%s", pmu->dir, folder, name) >= (int)sizeof(path))
		return -ENOENT;
	got = lw_read_file(path, text, size);
	if (got < 0)
		return got;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

static void offer_files(struct lw_did_you_mean *near, const struct pmu_event *pmu,
			const char *folder)
{
	struct dirent *dirent;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", pmu->dir, folder);
	dir = opendir(path);
	while (dir && (dirent = readdir(dir))) {
		if (dirent->d_name[0] != '.')
			lw_did_you_mean_offer(near, dirent->d_name);
	}
	if (dir)
		closedir(dir);
}

static int unknown_term(const struct pmu_event *pmu, const char *name)
{
	struct lw_did_you_mean near;

	lw_did_you_mean_init(&near, name);
	offer_files(&near, pmu, "format");
	offer_files(&near, pmu, "events");
	return lw_fail(-ENOENT, "event '%s': the PMU has no term '%s'\n"
		       "%s  Which there are is in %s/format and %s/events.", pmu->text, name,
		       lw_did_you_mean_text(&near), pmu->dir, pmu->dir);
}

static u64 *find_word(struct perf_event_attr *attr, const char *name, size_t len)
{
	__u64 *words[] = { &attr->config, &attr->config1, &attr->config2 };
	static const char * const names[] = { "config", "config1", "config2" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return words[i];
	}
	return NULL;
}

static int too_large(const struct pmu_event *pmu, const char *name, u64 value)
{
	return lw_fail(-EINVAL, "event '%s': %s=0x%llx is more than its bits hold\n"
		       "  They are in %s/format/%s.", pmu->text, name, value, pmu->dir, name);
}

/* The lowest bits of @value go to the first range of "config:0-7,32-35". */
static int spread(const struct pmu_event *pmu, const char *name, const char *format, u64 value)
{
	size_t len = strcspn(format, ":");
	u64 *word = find_word(&pmu->event->attr, format, len), left = value;
	const char *at = format + len;

	while (word && *at) {
		char *end;
		u64 first = strtoul(at + 1, &end, 10), last = first, mask;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == at + 1 || (*end && *end != ',') || last < first || last > 63)
			break;
		mask = ~0ULL >> (63 - (last - first));
		*word = (*word & ~(mask << first)) | (left & mask) << first;
		left = last - first == 63 ? 0 : left >> (last - first + 1);
		at = end;
	}
	if (!word || *at)
		return lw_fail(-EOPNOTSUPP, "event '%s': cannot set %s\n"
			       "  %s/format/%s is '%s', which this tool does not know.",
			       pmu->text, name, pmu->dir, name, format);
	return left ? too_large(pmu, name, value) : 0;
}

static int bad_value(const struct pmu_event *pmu, const char *name, const char *value)
{
	return lw_fail(-EINVAL, "event '%s': '%s' is no number for %s", pmu->text, value, name);
}

/* What perf has for events of all PMUs; -ENOENT: it is none of these. */
static int take_common(const struct pmu_event *pmu, const char *name, const char *value)
{
	struct lw_event *event = pmu->event;
	u64 *word = find_word(&event->attr, name, strlen(name));
	char *copy;

	if (!strcmp(name, "period"))
		word = &event->rate.period;
	else if (!strcmp(name, "freq"))
		word = &event->rate.freq;
	if (word)
		return lw_parse_u64(value, word) ? bad_value(pmu, name, value) : 0;
	if (strcmp(name, "name"))
		return -ENOENT;
	copy = strdup(value);
	if (!copy)
		return lw_fail(-ENOMEM, "out of memory");
	free(event->name);
	event->name = copy;
	return 0;
}

static int take_value(const struct pmu_event *pmu, const char *name, const char *value)
{
	char format[256];
	u64 number;

	if (read_pmu_file(pmu, "format/", name, format, sizeof(format))) {
		int ret = take_common(pmu, name, value);

		return ret == -ENOENT ? unknown_term(pmu, name) : ret;
	}
	return lw_parse_u64(value, &number) ? bad_value(pmu, name, value) :
					      spread(pmu, name, format, number);
}

static int take_terms(struct pmu_event *pmu, char *terms);

/* A word without a value: an event of the PMU, r and raw bits, or a term that is 1. */
static int take_word(struct pmu_event *pmu, const char *name)
{
	char terms[512];
	int ret;

	if (!pmu->of_alias && !read_pmu_file(pmu, "events/", name, terms, sizeof(terms))) {
		pmu->of_alias = true;
		ret = take_terms(pmu, terms);
		pmu->of_alias = false;
		return ret;
	}
	if (name[0] == 'r' && name[1] && strlen(name) <= 17 &&
	    strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1)) {
		pmu->event->attr.config = strtoull(name + 1, NULL, 16);
		return 0;
	}
	return take_value(pmu, name, "1");
}

static int take_terms(struct pmu_event *pmu, char *terms)
{
	char *term, *value;
	int ret = 0;

	while (!ret && (term = strsep(&terms, ","))) {
		term += strspn(term, " ");
		value = strchr(term, '=');
		if (value)
			*value++ = 0;
		/* a name is a file's, and not the way to another file */
		if (!name_len(term) || strpbrk(term, "/"))
			ret = *term || value ? unknown_term(pmu, term) : 0;
		else
			ret = value ? take_value(pmu, term, value) : take_word(pmu, term);
	}
	return ret;
}

static int no_such_pmu(const struct pmu_event *pmu, const char *root, const char *name)
{
	struct pmu_event above = { .text = pmu->text };
	struct lw_did_you_mean near;

	snprintf(above.dir, sizeof(above.dir), "%s", root);
	lw_did_you_mean_init(&near, name);
	offer_files(&near, &above, "");
	return lw_fail(-ENOENT, "event '%s': this machine has no PMU '%s'\n"
		       "%s  Which there are is in %s; a virtual machine often has none.",
		       pmu->text, name, lw_did_you_mean_text(&near), root);
}

static int choose_pmu(struct pmu_event *pmu, const char *root, const char *name)
{
	char type[32];
	u64 number;
	int ret;

	if (snprintf(pmu->dir, sizeof(pmu->dir), "%s/%s", root, name) >= (int)sizeof(pmu->dir))
		return lw_fail(-EINVAL, "event '%s': the name of a PMU is shorter", pmu->text);
	ret = read_pmu_file(pmu, "type", "", type, sizeof(type));
	if (ret)
		return no_such_pmu(pmu, root, name);
	if (lw_parse_u64(type, &number) || number > ~0U)
		return lw_fail(-EINVAL, "event '%s': %s/type holds no number", pmu->text, pmu->dir);
	pmu->event->attr.type = number;
	return 0;
}

/**
 * lw_event_pmu - read the text of an event of a PMU
 * @event: its type, words, modifiers and own rate are set
 * @root: LW_PMU_DIR
 * @text: all of it is lw_event_pmu_len()
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_event_pmu(struct lw_event *event, const char *root, const char *text)
{
	struct pmu_event pmu = { .event = event, .text = text };
	char *name = strdup(text), *terms, *modifiers;
	int ret;

	if (!name)
		return lw_fail(-ENOMEM, "out of memory");
	terms = strchr(name, '/');
	*terms++ = 0;
	modifiers = strchr(terms, '/');
	*modifiers++ = 0;
	ret = choose_pmu(&pmu, root, name);
	if (!ret)
		ret = take_terms(&pmu, terms);
	if (!ret && lw_event_modifiers(event, modifiers))
		ret = lw_fail(-EINVAL, "event '%s': '%s' are no modifiers\n%s", text, modifiers,
			      LW_MODIFIER_HELP);
	free(name);
	return ret;
}

/**
 * lw_event_pmu_alias - find the event in whatever PMU that has one of that name
 * @event: its type and words are set
 * @root: LW_PMU_DIR
 * @name: of a file of events/
 *
 * Return: 0, -ENOENT if there is none, or -errno with lw_fail_text().
 */
int lw_event_pmu_alias(struct lw_event *event, const char *root, const char *name)
{
	struct dirent *dirent;
	char path[512], text[512];
	int ret = -ENOENT;
	DIR *dir;

	if (!name_len(name) || name[name_len(name)])
		return -ENOENT;
	dir = opendir(root);
	while (ret == -ENOENT && dir && (dirent = readdir(dir))) {
		if (dirent->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s/events/%s", root, dirent->d_name, name) >=
		    (int)sizeof(path) || access(path, R_OK))
			continue;
		snprintf(text, sizeof(text), "%s/%s/", dirent->d_name, name);
		ret = lw_event_pmu(event, root, text);
	}
	if (dir)
		closedir(dir);
	return ret;
}
