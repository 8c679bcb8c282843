// SPDX-License-Identifier: GPL-2.0
/*
 * report_view_test.c - which lines there are when somebody walks about in a report.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text_width.h"
#include "report/report_view.h"
#include "tests/folded_profile.h"
#include "tests/tap.h"

#define HEIGHT	10

struct shown {
	struct folded folded;
	struct lw_report_options options;
	struct lw_report report;
	struct lw_report_view view;
};

static const char * const calls[] = {
	"x;main;a 10", "x;main;a;b 30", "x;main;c;d;e 20", "x;main;c;d;f 25", "x;main;a;b;g 15",
	NULL
};

static void show(struct shown *shown, const char * const *lines, enum lw_report_graph graph)
{
	memset(shown, 0, sizeof(*shown));
	shown->folded = folded_new();
	for (; *lines; lines++) {
		if (!folded_add(&shown->folded, *lines))
			abort();
	}
	shown->options = (struct lw_report_options) {
		.filter = LW_FILTER_ALL, .keys = { LW_KEY_SYMBOL }, .nr_keys = 1,
		.children = true, .graph = graph,
	};
	if (lw_report_make(&shown->report, shown->folded.profile, &shown->options) ||
	    lw_view_init(&shown->view, &shown->report, HEIGHT))
		abort();
}

static void end(struct shown *shown)
{
	lw_view_free(&shown->view);
	lw_report_free(&shown->report);
	lw_profile_free(shown->folded.profile);
}

/* Is @text what lines from @from on are, without what is at their ends? */
static bool lines_are(const struct lw_report_view *view, size_t from, const char *const *text)
{
	struct lw_view_text line = { 0 };
	bool same = true;

	for (size_t i = from; same && (*text || i < view->nr); i++, text++) {
		line.out.len = 0;
		if (i < view->nr)
			lw_view_draw(view, &view->lines[i], &line);
		lw_strbuf_char(&line.out, 0);
		same = *text && i < view->nr && !strcmp(line.out.text, *text);
		if (!same)
			printf("# line %zu: '%s' instead of '%s'\n", i, line.out.text,
			       *text ? *text : "(none)");
		if (!*text)
			break;
	}
	lw_strbuf_free(&line.out);
	return same;
}

static void go(struct lw_report_view *view, size_t line)
{
	lw_view_move(view, (s64)line - (s64)view->at);
}

static bool rows_are_lines(void)
{
	static const char * const rows[] = {
		"+  100.00%     0.00%  [.] main", "+   55.00%    10.00%  [.] a",
		"+   45.00%    30.00%  [.] b", "+   45.00%     0.00%  [.] c",
		"+   45.00%     0.00%  [.] d", "+   25.00%    25.00%  [.] f",
		"+   20.00%    20.00%  [.] e", "+   15.00%    15.00%  [.] g", NULL
	};
	struct shown shown;

	show(&shown, calls, LW_GRAPH_CALLER);
	CHECK(lines_are(&shown.view, 0, rows));
	end(&shown);
	return true;
}

static bool a_row_opens_to_where_ways_part(void)
{
	static const char * const opened[] = {
		"-  100.00%     0.00%  [.] main", "   + 55.00% a", "   + 45.00% c",
		"+   55.00%    10.00%  [.] a", "+   45.00%    30.00%  [.] b",
		"+   45.00%     0.00%  [.] c", "+   45.00%     0.00%  [.] d",
		"+   25.00%    25.00%  [.] f", "+   20.00%    20.00%  [.] e",
		"+   15.00%    15.00%  [.] g", NULL
	};
	static const char * const path[] = {
		"   - 45.00% c", "            d", "        25.00% f", "        20.00% e",
		"+   55.00%    10.00%  [.] a", NULL
	};
	static const char * const only_way[] = {
		"-   15.00%    15.00%  [.] g", "   - 15.00% b", "            a",
		"            main", NULL
	};
	struct shown shown;

	show(&shown, calls, LW_GRAPH_CALLER);
	CHECK(!lw_view_open(&shown.view) && lines_are(&shown.view, 0, opened));
	/* c and d are one way, at whose end are two */
	go(&shown.view, 2);
	CHECK(!lw_view_open(&shown.view) && shown.view.at == 2);
	shown.view.nr = 7;
	CHECK(lines_are(&shown.view, 2, path));
	end(&shown);
	show(&shown, calls, LW_GRAPH_CALLEE);
	go(&shown.view, 7);
	CHECK(!lw_view_open(&shown.view) && lines_are(&shown.view, 7, only_way));
	end(&shown);
	return true;
}

static bool what_is_closed_is_as_it_was_when_it_opens(void)
{
	struct shown shown;
	struct lw_report_view *view = &shown.view;
	size_t nr;

	show(&shown, calls, LW_GRAPH_CALLER);
	CHECK(!lw_view_open_below(view) && view->nr == 8 + 7);
	nr = view->nr;
	/* from g, which has nothing below it, up to b, a and main, which are closed */
	go(view, 3);
	CHECK(!lw_view_close(view) && view->at == 2 && view->nr == nr);
	CHECK(!lw_view_close(view) && view->at == 2 && view->nr == nr - 1);
	CHECK(!lw_view_close(view) && view->at == 1 && view->nr == nr - 1);
	CHECK(!lw_view_close(view) && view->at == 1 && view->nr == nr - 2);
	CHECK(!lw_view_close(view) && view->at == 0 && view->nr == nr - 2);
	CHECK(!lw_view_close(view) && view->nr == 8 && !lw_view_close(view) && view->nr == 8);
	CHECK(!lw_view_open(view) && view->nr == nr - 2);
	CHECK(!lw_view_open_all(view) && view->nr > nr);
	CHECK(!lw_view_close_all(view) && view->nr == 8);
	CHECK(!lw_view_open(view) && view->nr == 10);
	end(&shown);
	/* without trees nothing opens */
	show(&shown, calls, LW_GRAPH_NONE);
	CHECK(!lw_view_open(view) && !lw_view_open_below(view) && !lw_view_open_all(view));
	CHECK(view->nr == 8 && !lw_view_has_more(view, lw_view_line(view)));
	end(&shown);
	return true;
}

static bool only_rows_that_are_wanted(void)
{
	static const char * const lines[] = {
		"x;main;alpha 1", "x;main;Beta 2", "x;main;gamma_alpha 3", NULL
	};
	static const char * const found[] = {
		"+   50.00%    50.00%  [.] gamma_alpha", "+   16.67%    16.67%  [.] alpha", NULL
	};
	struct shown shown;
	struct lw_report_view *view = &shown.view;

	show(&shown, lines, LW_GRAPH_CALLEE);
	go(view, 3);
	CHECK(!lw_view_want(view, "ALPHA") && view->at == 1 && lines_are(view, 0, found));
	CHECK(!lw_view_want(view, "no such name") && !view->nr && !lw_view_line(view));
	/* there is nothing to do anything with */
	lw_view_move(view, 3);
	lw_view_move(view, -3);
	CHECK(!lw_view_open(view) && !lw_view_close(view) && !lw_view_open_below(view));
	CHECK(!lw_view_want(view, "") && view->nr == 4 && view->at == 0);
	end(&shown);
	return true;
}

static bool the_line_stays_in_sight(void)
{
	struct shown shown;
	struct lw_report_view *view = &shown.view;

	show(&shown, calls, LW_GRAPH_CALLER);
	lw_view_open_all(view);
	CHECK(view->nr > 2 * HEIGHT);
	lw_view_move(view, HEIGHT);
	CHECK(view->at == HEIGHT && view->top == 1);
	lw_view_move(view, 1 << 30);
	CHECK(view->at == view->nr - 1 && view->top == view->nr - HEIGHT);
	lw_view_set_height(view, 3);
	CHECK(view->at == view->nr - 1 && view->top == view->nr - 3);
	lw_view_set_height(view, 1000);
	CHECK(view->at == view->nr - 1 && view->top == 0);
	lw_view_set_height(view, 3);
	lw_view_move(view, -1);
	lw_view_move(view, -(1LL << 40));
	CHECK(view->at == 0 && view->top == 0);
	end(&shown);
	return true;
}

static bool titles_stand_above_what_they_name(void)
{
	static const char * const lines[] = { "a_long_name/77;main;f 1", NULL };
	struct lw_view_text titles = { 0 }, row = { 0 };
	struct shown shown;
	const char *title;

	show(&shown, lines, LW_GRAPH_CALLER);
	lw_view_free(&shown.view);
	lw_report_free(&shown.report);
	for (u32 children = 0; children < 2; children++) {
		shown.options.children = children;
		CHECK(!lw_report_parse_keys(&shown.options, "comm,tid,symbol"));
		CHECK(!lw_report_make(&shown.report, shown.folded.profile, &shown.options));
		CHECK(!lw_view_init(&shown.view, &shown.report, HEIGHT));
		lw_view_titles(&shown.view, &titles);
		lw_strbuf_char(&titles.out, 0);
		lw_view_draw(&shown.view, shown.view.lines, &row);
		lw_strbuf_char(&row.out, 0);
		title = titles.out.text;
		CHECK(strstr(title, "Command") - title ==
		      strstr(row.out.text, "a_long_name") - row.out.text);
		CHECK(strstr(title, "Symbol") - title ==
		      strstr(row.out.text, "[.]") - row.out.text);
		/* numbers end where their titles do */
		CHECK(strstr(title, "Self") - title + 3 == row.shares[children].column + 8);
		lw_view_free(&shown.view);
		lw_report_free(&shown.report);
	}
	lw_strbuf_free(&titles.out);
	lw_strbuf_free(&row.out);
	lw_profile_free(shown.folded.profile);
	return true;
}

/* A column of a terminal is not a byte, nor a letter. */
static bool columns_are_as_wide_as_what_is_seen(void)
{
	static const char * const lines[] = { "\u65e5\u672c;f 2", "abcde;f 1", NULL };
	struct lw_view_text row = { 0 };
	struct shown shown;

	show(&shown, lines, LW_GRAPH_CALLER);
	lw_view_free(&shown.view);
	lw_report_free(&shown.report);
	CHECK(!lw_report_parse_keys(&shown.options, "comm,symbol"));
	CHECK(!lw_report_make(&shown.report, shown.folded.profile, &shown.options));
	CHECK(!lw_view_init(&shown.view, &shown.report, HEIGHT) && shown.view.nr == 2);
	for (u32 i = 0; i < 2; i++) {
		const char *symbol;

		lw_view_draw(&shown.view, &shown.view.lines[i], &row);
		lw_strbuf_char(&row.out, 0);
		symbol = strstr(row.out.text, "  [.] f");
		/* a mark, two shares, and as much as the title takes */
		CHECK(symbol && lw_text_width(row.out.text, symbol - row.out.text) ==
		      1 + 9 + 1 + 9 + 2 + strlen("Command"));
	}
	lw_strbuf_free(&row.out);
	end(&shown);
	return true;
}

static bool a_text_is_cut_by_columns(void)
{
	static const struct {
		u32 from, width;
		const char *text;
	} cuts[] = {
		{ 0, 3, "abc" }, { 2, 3, "c\u4e2d" }, { 2, 2, "c" }, { 3, 4, "\u4e2d\u6587" },
		{ 4, 4, " \u6587d" }, { 4, 1, " " }, { 4, 0, "" }, { 50, 4, "" },
	};

	for (u32 i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		const char *text = "abc\u4e2d\u6587d";
		struct lw_strbuf out = { 0 };
		bool same;

		lw_strbuf_fit_from(&out, text, strlen(text), cuts[i].from, cuts[i].width);
		same = out.len == strlen(cuts[i].text) &&
		       (!out.len || !memcmp(out.text, cuts[i].text, out.len));
		if (!same)
			printf("# cut %u: '%.*s'\n", i, (int)out.len, out.text);
		lw_strbuf_free(&out);
		CHECK(same);
	}
	return true;
}

/* Calls that nobody planned, with long ways and many branches. */
static void add_random(struct shown *shown, u32 *seed)
{
	char line[400];

	for (u32 i = 0; i < 60; i++) {
		u32 len = sprintf(line, "x;main"), depth = 1 + rand_r(seed) % 20;

		for (u32 at = 0; at < depth; at++)
			len += sprintf(line + len, ";f%u", rand_r(seed) % (at % 3 ? 2 : 6));
		sprintf(line + len, " %u", 1 + rand_r(seed) % 50);
		if (!folded_add(&shown->folded, line))
			abort();
	}
}

/* What follows a line according to what is told of it alone. */
static bool lines_agree(const struct lw_report_view *view)
{
	for (size_t i = 0; i < view->nr; i++) {
		const struct lw_view_line *line = &view->lines[i], *next = line + 1;
		bool below = i + 1 < view->nr && next->node && next->place == line->place;

		CHECK(!line->node == !line->level && (line->head || line->node));
		if (line->head)
			CHECK((lw_view_has_more(view, line) && lw_view_is_open(view, line)) ==
			      (below && (!next->head || next->level > line->level)));
		if (below && next->level > line->level)
			CHECK(next->head && next->level == line->level + 1);
		if (below && !next->head)
			CHECK(next->level == line->level);
	}
	CHECK(!view->nr || (view->at < view->nr && view->top <= view->at &&
			    view->at < view->top + view->height));
	return true;
}

static bool whatever_is_done_lines_agree(void)
{
	static int (*const actions[])(struct lw_report_view *view) = {
		lw_view_open, lw_view_open, lw_view_close, lw_view_close, lw_view_open_below,
		lw_view_open_all, lw_view_close_all,
	};
	static const char * const wanted[] = { "", "f1", "5", "zzz" };
	u32 seed = 20261122;

	for (u32 round = 0; round < 40; round++) {
		static const char * const none[] = { "x;main 1", NULL };
		struct shown shown;

		show(&shown, none, LW_GRAPH_CALLER);
		lw_view_free(&shown.view);
		lw_report_free(&shown.report);
		add_random(&shown, &seed);
		shown.options.graph = round % 2 ? LW_GRAPH_CALLEE : LW_GRAPH_CALLER;
		shown.options.percent_limit = round % 4;
		shown.options.branch_limit = round % 4;
		CHECK(!lw_report_make(&shown.report, shown.folded.profile, &shown.options));
		CHECK(!lw_view_init(&shown.view, &shown.report, HEIGHT));
		for (u32 i = 0; i < 200; i++) {
			u32 action = rand_r(&seed) % 20;

			if (action < sizeof(actions) / sizeof(actions[0]))
				CHECK(!actions[action](&shown.view));
			else if (action == 19)
				CHECK(!lw_view_want(&shown.view, wanted[rand_r(&seed) % 4]));
			else
				lw_view_move(&shown.view, (s64)(rand_r(&seed) % 41) - 20);
			CHECK(lines_agree(&shown.view));
		}
		end(&shown);
	}
	return true;
}

static const struct tap_test tests[] = {
	TEST(rows_are_lines),
	TEST(a_row_opens_to_where_ways_part),
	TEST(what_is_closed_is_as_it_was_when_it_opens),
	TEST(only_rows_that_are_wanted),
	TEST(the_line_stays_in_sight),
	TEST(titles_stand_above_what_they_name),
	TEST(columns_are_as_wide_as_what_is_seen),
	TEST(a_text_is_cut_by_columns),
	TEST(whatever_is_done_lines_agree),
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
