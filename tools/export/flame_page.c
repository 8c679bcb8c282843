// SPDX-License-Identifier: GPL-2.0
/*
 * flame_page.c - a profile as a page with a flame graph.
 *
 * The page is that of tools/flame, made when the tool is built: one file that
 * loads nothing. Here its title and its data are put in.
 *
 * Contexts: one thread per profile.
 */
#include <errno.h>
#include <string.h>

#include "export/flame_page.h"

#define TITLE_MARK	"@TITLE@"
#define DATA_MARK	"@DATA@"

/**
 * lw_flame_page_possible - can this tool write pages?
 *
 * Return: 0, or -ENOSYS with lw_fail_text().
 */
int lw_flame_page_possible(void)
{
	if (lw_flame_page_size)
		return 0;
	return lw_fail(-ENOSYS, "this latewind was built without d3-flame-graph\n"
		       "  Build it again where npm reaches a registry: 'make tools'.");
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

static const char *page_end(void)
{
	return lw_flame_page_data + lw_flame_page_size;
}

static const char *next_mark(const char *from, const char *mark)
{
	return memmem(from, page_end() - from, mark, strlen(mark));
}

static void put_page(FILE *file, const char *title, const struct lw_strbuf *data)
{
	const char *at = lw_flame_page_data, *data_at = next_mark(at, DATA_MARK), *mark;

	while ((mark = next_mark(at, TITLE_MARK)) && mark < data_at) {
		fwrite(at, 1, mark - at, file);
		put_title(file, title);
		at = mark + strlen(TITLE_MARK);
	}
	fwrite(at, 1, data_at - at, file);
	put_data(file, data);
	at = data_at + strlen(DATA_MARK);
	fwrite(at, 1, page_end() - at, file);
}

/**
 * lw_flame_page - write a page with a flame graph
 * @file: where
 * @title: of the page
 * @profile: what it shows
 * @before: what it is compared with, scaled to the same size, or NULL
 * @options: what is taken of both
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_flame_page(FILE *file, const char *title, const struct lw_profile *profile,
		  const struct lw_profile *before, const struct lw_flame_options *options)
{
	struct lw_strbuf data = { 0 };
	int ret = lw_flame_page_possible();

	if (!ret)
		ret = make_data(&data, profile, before, options);
	if (!ret)
		put_page(file, title, &data);
	lw_strbuf_free(&data);
	if (!ret && (fflush(file) || ferror(file)))
		ret = lw_fail(-EIO, "cannot write the page: %s", strerror(errno));
	return ret;
}
