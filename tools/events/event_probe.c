// SPDX-License-Identifier: GPL-2.0
/*
 * event_probe.c - the events of -e that are places in code: uprobes, kprobes, USDT.
 *
 * An event may have several places; each of them is counted on its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/did_you_mean.h"
#include "elf/elf_file.h"
#include "elf/loaded_function.h"
#include "elf/usdt.h"
#include "events/event_probe.h"
#include "symbols/kallsyms.h"

#define PMU_DIR		"/sys/bus/event_source/devices/"
#define KALLSYMS	"/proc/kallsyms"
#define MAX_PLACES	4096
#define RETURN		"%return"

static int pmu_type(struct lw_event *event, const char *text, const char *pmu, const char *config)
{
	char path[128], number[32];
	u64 type;

	snprintf(path, sizeof(path), PMU_DIR "%s/type", pmu);
	if (lw_read_file(path, number, sizeof(number)) < 0)
		return lw_fail(-EOPNOTSUPP, "event '%s': this kernel has no %ss (no %s)\n"
			       "  It needs %s.", text, pmu, path, config);
	number[strcspn(number, "\n")] = 0;
	if (lw_parse_u64(number, &type))
		return lw_fail(-EINVAL, "event '%s': %s holds no number", text, path);
	event->attr.type = type;
	event->counted = true;
	event->in_user = !strcmp(pmu, "uprobe");
	return 0;
}

static int add_place(struct lw_event *event, const char *name, u64 offset, u64 semaphore)
{
	struct lw_probe_place *place;

	if (event->nr_places == MAX_PLACES)
		return -E2BIG;
	place = reallocarray(event->places, event->nr_places + 1, sizeof(*place));
	if (!place)
		return -ENOMEM;
	event->places = place;
	place += event->nr_places;
	place->name = strdup(name);
	if (!place->name)
		return -ENOMEM;
	place->offset = offset;
	place->semaphore = semaphore;
	event->nr_places++;
	lw_event_aim(event, 0, &event->attr);
	return 0;
}

static int bad_place(int err, const char *text)
{
	if (err == -E2BIG)
		return lw_fail(err, "event '%s': that are more than %u places", text, MAX_PLACES);
	return err == -ENOMEM ? lw_fail(err, "out of memory") : err;
}

/* "NAME%return" and "NAME+OFFSET" become "NAME". */
static int take_suffix(const char *text, char *name, bool *at_return, u64 *offset)
{
	size_t len = strlen(name);
	char *plus;

	*offset = 0;
	if (len > strlen(RETURN) && !strcmp(name + len - strlen(RETURN), RETURN)) {
		name[len - strlen(RETURN)] = 0;
		*at_return = true;
	}
	plus = strrchr(name, '+');
	if (!plus)
		return 0;
	if (*at_return)
		return lw_fail(-EINVAL, "event '%s': a function as a whole returns\n"
			       "  An offset goes without %s.", text, RETURN);
	if (lw_parse_u64(plus + 1, offset))
		return lw_fail(-EINVAL, "event '%s': the offset '%s' is not a number", text,
			       plus + 1);
	*plus = 0;
	return 0;
}

static void offer(void *near, const char *name)
{
	lw_did_you_mean_offer(near, name);
}

static int open_elf(struct lw_elf *file, const char *text, const char *path)
{
	int ret = lw_elf_open(file, path);

	if (!ret)
		return 0;
	return lw_fail(ret, "event '%s': cannot read %s: %s", text, path,
		       ret == -ENOEXEC ? "not an ELF file" : strerror(-ret));
}

/* Of an indirect one the code that is used, not the resolver. */
static int code_offset(const struct lw_elf *file, const char *text, const char *path,
		       const char *name, const struct lw_elf_function *function, u64 *offset)
{
	u64 addr = function->addr;

	if (function->indirect && lw_loaded_function(path, name, &addr))
		return lw_fail(-EOPNOTSUPP, "event '%s': '%s' is an IFUNC, chosen at run time\n"
			       "  Name the one that is used, 'nm %s' lists them, or PATH:0xOFFSET.",
			       text, name, path);
	if (!lw_elf_addr_to_offset(file, addr, offset))
		return 0;
	return lw_fail(-ENOENT, "event '%s': no segment of %s has '%s'", text, path, name);
}

static int probe_offset(const char *text, const char *path, const char *where, u64 *offset)
{
	struct lw_elf_function function;
	struct lw_did_you_mean near;
	struct lw_elf file;
	int ret;

	if (where[0] >= '0' && where[0] <= '9') {
		ret = lw_parse_u64(where, offset);
		return ret ? lw_fail(ret, "event '%s': the offset '%s' is not a number", text,
				     where) : 0;
	}
	ret = open_elf(&file, text, path);
	if (ret)
		return ret;
	ret = lw_elf_find_function(&file, where, &function);
	if (!ret) {
		ret = code_offset(&file, text, path, where, &function, offset);
	} else {
		lw_did_you_mean_init(&near, where);
		lw_elf_functions(&file, offer, &near);
		lw_fail(ret, "event '%s': %s has no function '%s' in its symbol tables\n"
			"%s  'nm %s' lists them; a stripped file needs PATH:0xOFFSET.",
			text, path, where, lw_did_you_mean_text(&near), path);
	}
	lw_elf_close(&file);
	return ret;
}

/* A name of the file that is good whatever the working directory. */
static int add_file_place(struct lw_event *event, const char *text, const char *path, u64 offset,
			  u64 semaphore)
{
	char *real = realpath(path, NULL);
	int ret;

	if (!real)
		return lw_fail(-errno, "event '%s': no file %s: %s", text, path, strerror(errno));
	ret = add_place(event, real, offset, semaphore);
	free(real);
	return bad_place(ret, text);
}

/**
 * lw_event_probe_user - a uprobe
 * @event: to complete
 * @text: as given, for messages
 * @name: PATH:SYMBOL, PATH:SYMBOL+OFFSET or PATH:OFFSET, %return behind it or not; is
 *	cut up
 * @at_return: where the function returns
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_event_probe_user(struct lw_event *event, const char *text, char *name, bool at_return)
{
	char *colon = strrchr(name, ':');
	u64 offset, more;
	int ret;

	if (!colon || !colon[1] || colon == name)
		return lw_fail(-EINVAL, "event '%s': a uprobe is PATH:SYMBOL or PATH:0xOFFSET",
			       text);
	*colon = 0;
	ret = pmu_type(event, text, "uprobe", "CONFIG_UPROBE_EVENTS");
	if (!ret)
		ret = take_suffix(text, colon + 1, &at_return, &more);
	if (!ret)
		ret = probe_offset(text, name, colon + 1, &offset);
	event->at_return = at_return;
	return ret ? ret : add_file_place(event, text, name, offset + more, 0);
}

/*
 * The kernel says only that there is none. To format all of its lines takes it longer than all
 * else here, so they are read up to the function's.
 */
static int check_kernel_function(const char *text, const char *name)
{
	struct lw_did_you_mean near;
	char symbol[LW_KALLSYMS_NAME];
	FILE *symbols = fopen(KALLSYMS, "re");
	bool found = false, any = false;
	struct lw_kallsyms_line line;
	char *buffer = NULL;
	size_t room = 0;
	ssize_t len;

	if (!symbols)
		return 0;
	lw_did_you_mean_init(&near, name);
	while (!found && (len = getline(&buffer, &room, symbols)) > 0) {
		const char *at = buffer;

		if (!lw_kallsyms_next(&line, &at, buffer + len) || !lw_kallsyms_is_code(&line))
			continue;
		any = true;
		found = lw_kallsyms_is(&line, name);
		lw_did_you_mean_offer(&near, lw_kallsyms_name(&line, symbol));
	}
	/* What could not be read may have it. */
	any = any && !ferror(symbols);
	free(buffer);
	fclose(symbols);
	if (found || !any)
		return 0;
	return lw_fail(-ENOENT, "event '%s': the kernel has no function '%s'\n"
		       "%s  Which there are is in %s.", text, name, lw_did_you_mean_text(&near),
		       KALLSYMS);
}

/**
 * lw_event_probe_kernel - a kprobe
 * @event: to complete
 * @text: as given, for messages
 * @name: FUNCTION or FUNCTION+OFFSET, %return behind it or not; is cut up
 * @at_return: where the function returns
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_event_probe_kernel(struct lw_event *event, const char *text, char *name, bool at_return)
{
	u64 offset;
	int ret;

	if (!name[0] || strpbrk(name, ": /"))
		return lw_fail(-EINVAL, "event '%s': a kprobe is FUNCTION or FUNCTION+OFFSET",
			       text);
	ret = pmu_type(event, text, "kprobe", "CONFIG_KPROBE_EVENTS");
	if (!ret)
		ret = take_suffix(text, name, &at_return, &offset);
	if (!ret)
		ret = check_kernel_function(text, name);
	event->at_return = at_return;
	return ret ? ret : bad_place(add_place(event, name, offset, 0), text);
}

struct usdt_search {
	struct lw_event *event;
	const char *text;
	const char *path;
	const char *provider;
	const char *name;
	const char *wanted;		/* both */
	struct lw_did_you_mean near;
};

static int take_usdt(void *ctx, const struct lw_usdt *probe)
{
	struct usdt_search *search = ctx;
	char both[LW_DID_YOU_MEAN_LEN];

	snprintf(both, sizeof(both), "%s:%s", probe->provider, probe->name);
	lw_did_you_mean_offer(&search->near, both);
	if (strcmp(probe->provider, search->provider) || strcmp(probe->name, search->name))
		return 0;
	return add_file_place(search->event, search->text, search->path, probe->offset,
			      probe->semaphore);
}

static int find_usdt(struct usdt_search *search)
{
	struct lw_elf file;
	int ret = open_elf(&file, search->text, search->path);

	if (ret)
		return ret;
	lw_did_you_mean_init(&search->near, search->wanted);
	ret = lw_usdt_list(&file, take_usdt, search);
	lw_elf_close(&file);
	if (ret || search->event->nr_places)
		return ret;
	return lw_fail(-ENOENT, "event '%s': %s has no such USDT probe\n"
		       "%s  'readelf -n %s' lists them (stapsdt).", search->text, search->path,
		       lw_did_you_mean_text(&search->near), search->path);
}

/**
 * lw_event_probe_usdt - a probe that a program has built in, in all its places
 * @event: to complete
 * @text: as given, for messages
 * @name: PATH:PROVIDER:NAME; is cut up
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_event_probe_usdt(struct lw_event *event, const char *text, char *name)
{
	struct usdt_search search = { .event = event, .text = text, .path = name };
	char *colon = strrchr(name, ':'), *first = NULL, *wanted;
	int ret;

	if (colon) {
		*colon = 0;
		first = strrchr(name, ':');
		*colon = ':';
	}
	if (!first || first == name || first + 1 == colon || !colon[1])
		return lw_fail(-EINVAL, "event '%s': a USDT probe is PATH:PROVIDER:NAME", text);
	wanted = strdup(first + 1);
	if (!wanted)
		return lw_fail(-ENOMEM, "out of memory");
	*first = 0;
	*colon = 0;
	search.provider = first + 1;
	search.name = colon + 1;
	search.wanted = wanted;
	ret = pmu_type(event, text, "uprobe", "CONFIG_UPROBE_EVENTS");
	if (!ret)
		ret = find_usdt(&search);
	free(wanted);
	return ret;
}

/**
 * lw_probe_begin_usdt - a probe that is looked for in several files
 * @event: with its name and nothing else
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_probe_begin_usdt(struct lw_event *event)
{
	event->attr.size = sizeof(event->attr);
	event->attr.disabled = 1;
	return pmu_type(event, event->name, "uprobe", "CONFIG_UPROBE_EVENTS");
}

/* Whatever way leads to it: two processes see one file each by its own root. */
static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return !strcmp(path, other) ||
	       (!stat(path, &one) && !stat(other, &two) && one.st_dev == two.st_dev &&
		one.st_ino == two.st_ino);
}

struct look {
	struct lw_event *event;
	const char *both;
	const char *path;
};

static int take_if_wanted(void *ctx, const struct lw_usdt *probe)
{
	const struct look *look = ctx;
	size_t len = strlen(probe->provider);

	if (strncmp(look->both, probe->provider, len) || look->both[len] != ':' ||
	    strcmp(look->both + len + 1, probe->name))
		return 0;
	return add_place(look->event, look->path, probe->offset, probe->semaphore);
}

/**
 * lw_probe_look_for_usdt - add the places that a file has of it
 * @event: by lw_probe_begin_usdt()
 * @both: PROVIDER:NAME
 * @path: as the kernel is to open it; what is no ELF file has none
 *
 * Return: 0, -ENOMEM or -E2BIG with lw_fail_text().
 */
int lw_probe_look_for_usdt(struct lw_event *event, const char *both, const char *path)
{
	struct look look = { .event = event, .both = both, .path = path };
	struct lw_elf file;
	int ret;

	for (u32 i = 0; i < event->nr_places; i++) {
		/* it was looked into before */
		if (is_same_file(event->places[i].name, path))
			return 0;
	}
	if (lw_elf_open(&file, path))
		return 0;
	ret = lw_usdt_list(&file, take_if_wanted, &look);
	lw_elf_close(&file);
	return bad_place(ret, event->name);
}
