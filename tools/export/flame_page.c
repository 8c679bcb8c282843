// SPDX-License-Identifier: GPL-2.0
/*
 * flame_page.c - a profile as a page with a flame graph.
 *
 * The page is one file that loads nothing. What is the same in all of them, the template, is
 * a file of its own: it has d3-flame-graph in it, whose licence is not this program's. Here
 * title and data are put in.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/flame_page.h"

#define TITLE_MARK	"@TITLE@"
#define DATA_MARK	"@DATA@"

/* Where it is built, and where it is installed, seen from the program. */
static const char * const places[] = { "flame_page.html", "../share/latewind/flame_page.html" };

/* Return: its text, to be freed, or NULL with errno; @path: where it was looked for last. */
static char *read_own(char *path, size_t size)
{
	size_t bytes, room;
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	char *name, *text = NULL;

	if (len < 0)
		return NULL;
	path[len] = '\0';
	name = strrchr(path, '/') + 1;
	room = path + size - name;
	for (size_t i = 0; !text && i < ARRAY_SIZE(places); i++) {
		snprintf(name, room, "%s", places[i]);
		text = lw_read_text(path, &bytes);
	}
	return text;
}

/**
 * lw_flame_template - read what is the same in all pages
 * @path: the file; NULL: that of this program
 *
 * Return: its text, to be freed, or NULL with lw_fail_text().
 */
char *lw_flame_template(const char *path)
{
	char own[PATH_MAX + 64] = "";
	size_t bytes;
	char *text = path ? lw_read_text(path, &bytes) : read_own(own, sizeof(own));

	path = path ?: own;
	if (!text) {
		lw_fail(-errno, "cannot read the page of flame graphs, %s: %s\n"
			"  It is installed, and built, with latewind.", path, strerror(errno));
	} else if (!strstr(text, DATA_MARK)) {
		lw_fail(-EINVAL, "%s is no page of flame graphs: it has no %s", path, DATA_MARK);
		free(text);
		text = NULL;
	}
	return text;
}

static const char *unit_of(const struct lw_export_options *options)
{
	const char *event = options->filter.event;

	if (options->samples)
		return "samples";
	return event && lw_event_is_clock(event) ? "ns" : "events";
}

/* "off-cpu" is ours, "offcpu-time" perf's. */
static bool is_off_cpu(const char *event)
{
	return event && (!strncmp(event, "off-cpu", 7) || !strncmp(event, "offcpu", 6));
}

static int make_data(struct lw_strbuf *out, const struct lw_profile *profile,
		     const struct lw_profile *before, const struct lw_flame_options *options)
{
	struct lw_json json = { .out = out };
	int ret;

	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "unit", unit_of(&options->export));
	if (before)
		lw_json_bool(&json, "base", true);
	if (is_off_cpu(options->export.filter.event))
		lw_json_bool(&json, "offcpu", true);
	ret = lw_flame_json(profile, before, options, &json, "root");
	lw_json_close(&json, '}');
	if (!ret && out->failed)
		ret = lw_fail(-ENOMEM, "out of memory for the data of the page");
	return ret;
}

static void put_title(FILE *file, const char *title)
{
	for (; *title; title++) {
		switch (*title) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		default:
			fputc((u8)*title < ' ' || *title == 0x7f ? '?' : *title, file);
		}
	}
}

/* Stands in a script element, which "</script" or "<!--" in a name must not end. */
static void put_data(FILE *file, const struct lw_strbuf *data)
{
	const char *at = data->text, *end = at + data->len;

	while (at < end) {
		const char *less = memchr(at, '<', end - at);

		fwrite(at, 1, (less ? less : end) - at, file);
		if (!less)
			return;
		fputs("\\u003c", file);
		at = less + 1;
	}
}

static void put_page(FILE *file, const char *template, const char *title,
		     const struct lw_strbuf *data)
{
	const char *at = template, *data_at = strstr(at, DATA_MARK), *mark;

	while ((mark = strstr(at, TITLE_MARK)) && mark < data_at) {
		fwrite(at, 1, mark - at, file);
		put_title(file, title);
		at = mark + strlen(TITLE_MARK);
	}
	fwrite(at, 1, data_at - at, file);
	put_data(file, data);
	fputs(data_at + strlen(DATA_MARK), file);
}

/**
 * lw_flame_page - write a page with a flame graph
 * @file: where
 * @template: of lw_flame_template()
 * @title: of the page
 * @profile: what it shows
 * @before: what it is compared with, scaled to the same size, or NULL
 * @options: what is taken of both
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_flame_page(FILE *file, const char *template, const char *title,
		  const struct lw_profile *profile, const struct lw_profile *before,
		  const struct lw_flame_options *options)
{
	struct lw_strbuf data = { 0 };
	int ret = make_data(&data, profile, before, options);

	if (!ret)
		put_page(file, template, title, &data);
	lw_strbuf_free(&data);
	if (!ret && (fflush(file) || ferror(file)))
		ret = lw_fail(-EIO, "cannot write the page: %s", strerror(errno));
	return ret;
}
