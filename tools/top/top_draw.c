// SPDX-License-Identifier: GPL-2.0
/*
 * top_draw.c - what 'latewind top' shows, as lines of text, and as JSON.
 *
 * A line is never wider than it may be, and there are never more of them, whatever
 * the names are.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text_width.h"
#include "report/report_text.h"
#include "top/top_draw.h"

#define SHARE_WIDTH	8
/* How wide a column gets behind which others follow: part of the room that there is. */
#define MIN_WIDTH	6
#define MAX_WIDTH	32

/* Lines that are drawn, in the room that there is. */
struct drawing {
	const struct lw_top *top;
	const struct lw_top_options *options;
	const struct lw_top_view *view;
	struct lw_strbuf *out;
	struct lw_strbuf scratch;
	u32 lines, column;
	u32 widths[LW_NR_KEYS];
};

static u32 room(const struct drawing *drawing)
{
	return drawing->view->width ? drawing->view->width - drawing->column : ~0U;
}

static void add_part(struct drawing *drawing, const char *text, size_t len)
{
	drawing->column += lw_strbuf_fit(drawing->out, text, len, room(drawing));
}

static void add_text(struct drawing *drawing, const char *text)
{
	add_part(drawing, text, strlen(text));
}

static void __printf(2, 3) add_format(struct drawing *drawing, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_text(drawing, text);
}

/* Return: false if there is no room for one more. */
static bool begin_line(struct drawing *drawing)
{
	if (drawing->view->height && drawing->lines >= drawing->view->height)
		return false;
	drawing->lines++;
	drawing->column = 0;
	return true;
}

static void end_line(struct drawing *drawing)
{
	struct lw_strbuf *out = drawing->out;

	while (out->len && out->text[out->len - 1] == ' ')
		out->len--;
	lw_strbuf_char(out, '\n');
}

static void pad_to(struct drawing *drawing, u32 column)
{
	while (drawing->column < column && room(drawing))
		add_text(drawing, " ");
}

static void draw_head(struct drawing *drawing, const struct lw_top_head *head)
{
	if (!begin_line(drawing))
		return;
	add_format(drawing, "latewind top: %llu samples in %.1f s, %llu lost", head->samples,
		   head->seconds, head->lost);
	if (drawing->view->paused)
		add_text(drawing, ", PAUSED");
	if (head->lost_maps)
		add_format(drawing, ", %llu records of mappings lost", head->lost_maps);
	if (head->no_stack)
		add_format(drawing, ", %llu without stack", head->no_stack);
	if (head->left_out)
		add_format(drawing, ", %llu not in all rows (too many)", head->left_out);
	add_format(drawing, ", %.1f%% kernel; ",
		   head->samples ? 100.0 * head->kernel / head->samples : 0);
	add_text(drawing, head->event);
	add_text(drawing, ", ");
	add_text(drawing, head->whom);
	end_line(drawing);
}

static void add_value(struct drawing *drawing, u32 column, u32 value)
{
	drawing->scratch.len = 0;
	lw_report_add_value(&drawing->scratch, lw_top_names(drawing->top),
			    drawing->options->report->keys[column], value);
}

/* The last one, mostly the function, is to get twice what others do. */
static u32 widest_column(const struct drawing *drawing)
{
	const struct lw_report_options *report = drawing->options->report;
	u32 shares = (report->children ? 2 : 1) * (SHARE_WIDTH + 2);
	u32 width = drawing->view->width, share;

	if (!width)
		return MAX_WIDTH;
	share = width > shares ? (width - shares) / (report->nr_keys + 1) : 0;
	return share < MIN_WIDTH ? MIN_WIDTH : share < MAX_WIDTH ? share : MAX_WIDTH;
}

static void find_widths(struct drawing *drawing, const u32 *order, u32 nr)
{
	u32 most = widest_column(drawing);
	const struct lw_top_rows *rows = lw_top_rows(drawing->top, drawing->view->event);
	const struct lw_report_options *report = drawing->options->report;

	for (u32 i = 0; i < report->nr_keys; i++) {
		u32 *widest = &drawing->widths[i];

		*widest = strlen(lw_report_title(report->keys[i]));
		for (u32 row = 0; row < nr; row++) {
			u32 width;

			add_value(drawing, i, rows->rows[order[row]].values[i]);
			width = drawing->scratch.len ?
				lw_text_width(drawing->scratch.text, drawing->scratch.len) : 0;
			if (width > *widest)
				*widest = width;
		}
		if (*widest > most)
			*widest = most;
	}
}

/* In its column, cut or padded; the last one has what is left. */
static void add_column(struct drawing *drawing, u32 column, const char *text, size_t len)
{
	bool last = column + 1 == drawing->options->report->nr_keys;
	u32 begin, width;

	add_text(drawing, "  ");
	begin = drawing->column;
	width = room(drawing);
	if (!last && drawing->widths[column] < width)
		width = drawing->widths[column];
	if (len)
		drawing->column += lw_strbuf_fit(drawing->out, text, len, width);
	if (!last)
		pad_to(drawing, begin + drawing->widths[column]);
}

/* A '*' is before what it is sorted by. */
static void draw_titles(struct drawing *drawing)
{
	const struct lw_report_options *report = drawing->options->report;
	bool by_total = drawing->view->by_total;

	if (!begin_line(drawing))
		return;
	if (report->children)
		add_format(drawing, "#%8s ", by_total ? "*Total" : "Total");
	else
		add_text(drawing, "#");
	add_format(drawing, report->children ? "%9s" : "%8s", by_total ? "Self" : "*Self");
	for (u32 i = 0; i < report->nr_keys; i++) {
		const char *title = lw_report_title(report->keys[i]);

		add_column(drawing, i, title, strlen(title));
	}
	end_line(drawing);
}

static void draw_percent(struct drawing *drawing, double percent)
{
	/* with colours the bytes are no columns */
	if (room(drawing) < SHARE_WIDTH + 1)
		pad_to(drawing, drawing->column + SHARE_WIDTH + 1);
	else
		drawing->column += lw_report_add_percent(drawing->out, percent, SHARE_WIDTH,
							 drawing->view->color);
}

static void draw_row(struct drawing *drawing, const struct lw_top_rows *rows,
		     const struct lw_top_row *row)
{
	const struct lw_report_options *report = drawing->options->report;

	if (report->children) {
		draw_percent(drawing, lw_top_percent(rows, row, true));
		add_text(drawing, " ");
	}
	draw_percent(drawing, lw_top_percent(rows, row, false));
	for (u32 i = 0; i < report->nr_keys; i++) {
		add_value(drawing, i, row->values[i]);
		add_column(drawing, i, drawing->scratch.text, drawing->scratch.len);
	}
	end_line(drawing);
}

static void draw_help(struct drawing *drawing)
{
	static const char * const lines[] = {
		"", "  s   sort by self: where time is spent",
		"  t   sort by total: with all that was called",
		"  e   the next event, of several",
		"  p   pause, and go on",
		"  z   zero: forget what was counted so far",
		"  h   this help, and back",
		"  q   quit", "",
		"  Each display counts what was before it 7/8 of what it did.",
	};

	for (u32 i = 0; i < ARRAY_SIZE(lines) && begin_line(drawing); i++) {
		add_text(drawing, lines[i]);
		end_line(drawing);
	}
}

/* Rows that can be shown below the two lines of the head. */
static u32 count_shown(const struct lw_top_view *view, u32 nr)
{
	u32 left = view->height > 2 ? view->height - 2 : 0;

	if (view->entries && nr > view->entries)
		nr = view->entries;
	return view->height && nr > left ? left : nr;
}

static int draw_rows(struct drawing *drawing)
{
	const struct lw_top_view *view = drawing->view;
	const struct lw_top_rows *rows = lw_top_rows(drawing->top, view->event);
	u32 *order, nr = count_shown(view, rows->nr);
	int ret = lw_top_order(drawing->top, view->event, view->by_total, &order);

	if (ret)
		return ret;
	find_widths(drawing, order, nr);
	draw_titles(drawing);
	for (u32 i = 0; i < nr && begin_line(drawing); i++)
		draw_row(drawing, rows, &rows->rows[order[i]]);
	free(order);
	return 0;
}

/**
 * lw_top_draw - the lines of a display
 * @top: what was counted
 * @options: of it
 * @head: what is told above the rows
 * @view: which rows, and the room
 * @out: where lines are added; escape sequences are colours only
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_draw(const struct lw_top *top, const struct lw_top_options *options,
		const struct lw_top_head *head, const struct lw_top_view *view,
		struct lw_strbuf *out)
{
	struct drawing drawing = {
		.top = top, .options = options, .view = view, .out = out,
	};
	int ret = 0;

	draw_head(&drawing, head);
	if (view->help)
		draw_help(&drawing);
	else
		ret = draw_rows(&drawing);
	if (drawing.scratch.failed)
		ret = -ENOMEM;
	lw_strbuf_free(&drawing.scratch);
	return ret;
}

static void add_row(struct lw_json *json, const struct lw_top *top,
		    const struct lw_report_options *report, const struct lw_top_rows *rows,
		    const struct lw_top_row *row)
{
	lw_json_open(json, NULL, '{');
	for (u32 i = 0; i < report->nr_keys; i++)
		lw_report_json_value(json, lw_top_names(top), report->keys[i], row->values[i]);
	lw_json_double(json, "self", row->self, 0);
	lw_json_double(json, "total", row->total, 0);
	lw_json_double(json, "self_samples", row->self_samples, 2);
	lw_json_double(json, "total_samples", row->total_samples, 2);
	lw_json_double(json, "self_percent", lw_top_percent(rows, row, false), 4);
	lw_json_double(json, "total_percent", lw_top_percent(rows, row, true), 4);
	lw_json_close(json, '}');
}

/**
 * lw_top_json - the rows of an event as a JSON object, without line breaks
 * @top: what was counted
 * @options: of it
 * @event: its name
 * @view: which rows
 * @out: where it is added
 *
 * Return: 0 or -ENOMEM.
 */
int lw_top_json(const struct lw_top *top, const struct lw_top_options *options,
		const char *event, const struct lw_top_view *view, struct lw_strbuf *out)
{
	const struct lw_top_rows *rows = lw_top_rows(top, view->event);
	struct lw_json json = { .out = out };
	u32 *order, nr = count_shown(view, rows->nr);
	int ret = lw_top_order(top, view->event, view->by_total, &order);

	if (ret)
		return ret;
	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "event", event);
	lw_json_double(&json, "samples", rows->samples, 2);
	lw_json_double(&json, "weight", rows->weight, 0);
	lw_json_u64(&json, "rows_not_shown", rows->nr - nr);
	lw_json_open(&json, "rows", '[');
	for (u32 i = 0; i < nr; i++)
		add_row(&json, top, options->report, rows, &rows->rows[order[i]]);
	lw_json_close(&json, ']');
	lw_json_close(&json, '}');
	free(order);
	return 0;
}
