// SPDX-License-Identifier: GPL-2.0
/*
 * report_tui.c - a report on the whole of a terminal, to walk about in.
 *
 * Lines are report_view.c's, the terminal is ncurses'.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* its macros have names that others want, too */
#define NCURSES_NOMACROS
#include <ncurses.h>

#include "base/text_width.h"
#include "report/report_text.h"
#include "report/report_tui.h"
#include "report/report_view.h"
#include "ui/terminal.h"

#define HEAD_LINES	2
#define FOOT_LINES	1
#define MAX_ANSWER	256
#define ESCAPE		27
#define DELETE		127
#define SHIFT_BY	8
#define DEFAULT_FILE	"latewind-report.txt"

/* A report, and what is seen of it. */
struct look {
	struct lw_report_options options;
	struct lw_report report;
	struct lw_report_view view;
};

struct state {
	const struct lw_report_screen *screen;
	struct look *look;
	struct lw_view_text text;
	struct lw_strbuf cut;
	u32 event;			/* of the screen's */
	u32 shift;			/* columns that are out of sight */
	char wanted[MAX_ANSWER];
	char message[MAX_ANSWER];	/* until the next key */
	bool quit;
};

struct action {
	int key, other;
	int (*run)(struct state *state);
	const char *keys, *help;
};

static u32 body_height(void)
{
	int height = LINES - HEAD_LINES - FOOT_LINES;

	return height > 0 ? height : 1;
}

/* The first line of why something failed. */
static void show_failure(struct state *state)
{
	snprintf(state->message, sizeof(state->message), "%.*s",
		 (int)strcspn(lw_fail_text(), "\n"), lw_fail_text());
}

static void free_look(struct look *look)
{
	if (!look)
		return;
	lw_view_free(&look->view);
	lw_report_free(&look->report);
	free(look);
}

static int make_look(const struct state *state, struct look *look)
{
	int ret = lw_report_make(&look->report, state->screen->profile, &look->options);

	if (!ret)
		ret = lw_view_init(&look->view, &look->report, body_height());
	return ret ? ret : lw_view_want(&look->view, state->wanted);
}

/* A report by @options, in the place of the one that is there, which stays if that fails. */
static int make(struct state *state, const struct lw_report_options *options)
{
	struct look *look = calloc(1, sizeof(*look));
	int ret;

	if (!look)
		return lw_fail(-ENOMEM, "out of memory for a report");
	look->options = *options;
	ret = make_look(state, look);
	if (ret) {
		free_look(look);
		return ret;
	}
	free_look(state->look);
	state->look = look;
	return 0;
}

/* Print the columns of @text from @from on that fit, at the cursor. */
static void put_cut(struct state *state, const char *text, size_t len, u32 from)
{
	state->cut.len = 0;
	lw_strbuf_fit_from(&state->cut, text, len, from, COLS);
	addnstr(state->cut.text ? state->cut.text : "", state->cut.len);
}

static void put_text(struct state *state, int y, const char *text, attr_t how)
{
	move(y, 0);
	clrtoeol();
	attrset(how);
	put_cut(state, text, strlen(text), 0);
	mvchgat(y, 0, -1, how, 0, NULL);
	attrset(A_NORMAL);
}

/* Of what is longer than a line the end is seen, and the cursor behind it. */
static void put_end(struct state *state, int y, const char *text)
{
	u32 columns = lw_text_width(text, strlen(text)), room = COLS > 1 ? COLS - 1 : 1;

	move(y, 0);
	clrtoeol();
	put_cut(state, text, strlen(text), columns > room ? columns - room : 0);
	mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	move(y, columns < room ? columns : room);
}

/* Shares of 5 % and more in red, of 0.5 % and more in green, as perf has them. */
static void color_shares(const struct state *state, int y, attr_t how)
{
	for (u32 i = 0; i < state->text.nr; i++) {
		double percent = state->text.shares[i].percent;
		int from = (int)state->text.shares[i].column - (int)state->shift;
		int to = from + (int)state->text.shares[i].len;

		if (percent < 0.5 || from >= COLS)
			continue;
		if (from < 0)
			from = 0;
		if (from < to)
			mvchgat(y, from, to - from, how, percent >= 5 ? LW_PAIR_RED : LW_PAIR_GREEN,
				NULL);
	}
}

static void draw_line(struct state *state, int y, size_t number)
{
	attr_t how = number == state->look->view.at ? A_REVERSE : A_NORMAL;

	lw_view_draw(&state->look->view, &state->look->view.lines[number], &state->text);
	move(y, 0);
	put_cut(state, state->text.out.text, state->text.out.len, state->shift);
	if (number == state->look->view.at)
		mvchgat(y, 0, -1, how, 0, NULL);
	if (has_colors())
		color_shares(state, y, how);
}

static void draw_head(struct state *state)
{
	const struct lw_profile_filter *filter = &state->look->options.filter;
	struct lw_strbuf *out = &state->text.out;

	out->len = 0;
	lw_strbuf_str(out, "Samples: ");
	lw_strbuf_u64(out, state->look->report.samples);
	lw_strbuf_str(out, " of event '");
	lw_strbuf_printable(out, filter->event);
	lw_strbuf_str(out, "', Event count (approx.): ");
	lw_strbuf_u64(out, state->look->report.weight);
	if (filter->comm) {
		lw_strbuf_str(out, ", command ");
		lw_strbuf_printable(out, filter->comm);
	}
	if (filter->pid != LW_ANY_ID) {
		lw_strbuf_str(out, ", process ");
		lw_strbuf_u64(out, filter->pid);
	}
	if (filter->tid != LW_ANY_ID) {
		lw_strbuf_str(out, ", thread ");
		lw_strbuf_u64(out, filter->tid);
	}
	if (filter->dso) {
		lw_strbuf_str(out, ", in ");
		lw_strbuf_printable(out, lw_short_name(filter->dso));
	}
	lw_strbuf_char(out, 0);
	if (!out->failed)
		put_text(state, 0, out->text, A_BOLD);
}

static void draw_titles(struct state *state)
{
	lw_view_titles(&state->look->view, &state->text);
	move(1, 0);
	attrset(A_UNDERLINE);
	put_cut(state, state->text.out.text, state->text.out.len, state->shift);
	attrset(A_NORMAL);
	mvchgat(1, 0, -1, A_UNDERLINE, 0, NULL);
}

static void draw_foot(struct state *state)
{
	char text[2 * MAX_ANSWER];
	u32 left = state->look->report.rows.nr - state->look->report.nr_shown;

	if (*state->message)
		snprintf(text, sizeof(text), "%s", state->message);
	else if (!state->look->view.nr)
		snprintf(text, sizeof(text), "No rows. Esc: all of them");
	else if (*state->wanted)
		snprintf(text, sizeof(text), "Only rows with '%s'. Esc: all of them",
			 state->wanted);
	else
		snprintf(text, sizeof(text),
			 "h: help  q: quit  Enter: what is below  /: find  s: sort%s  (%u below %g %%)",
			 state->screen->nr_events > 1 ? "  Tab: next event" : "", left,
			 state->look->options.percent_limit);
	put_text(state, LINES - 1, text, A_REVERSE);
}

static void draw(struct state *state)
{
	u32 height = body_height();

	erase();
	if (state->look->view.height != height)
		lw_view_set_height(&state->look->view, height);
	draw_head(state);
	draw_titles(state);
	for (u32 i = 0; i < height && state->look->view.top + i < state->look->view.nr; i++)
		draw_line(state, HEAD_LINES + i, state->look->view.top + i);
	draw_foot(state);
	move(LINES - 1, 0);
	refresh();
}

static void remove_letter(char *answer)
{
	size_t len = strlen(answer);

	while (len && (answer[len - 1] & 0xc0) == 0x80)
		len--;
	answer[len ? len - 1 : 0] = 0;
}

/* Return: whether there is an answer, in @answer, where what it begins with is. */
static bool ask(struct state *state, const char *question, char *answer)
{
	char text[2 * MAX_ANSWER];

	for (;;) {
		size_t len = strlen(answer);
		int key;

		snprintf(text, sizeof(text), "%s: %s", question, answer);
		put_end(state, LINES - 1, text);
		curs_set(1);
		refresh();
		key = lw_terminal_key(true);
		curs_set(0);
		if (key == '\n' || key == KEY_ENTER)
			return true;
		if (key == ESCAPE || key == LW_TERMINAL_GONE)
			return false;
		if (key == LW_TERMINAL_RESIZED)
			draw(state);
		else if (key == KEY_BACKSPACE || key == DELETE || key == '\b')
			remove_letter(answer);
		else if (key >= ' ' && key < 256 && len < MAX_ANSWER - 1)
			snprintf(answer + len, 2, "%c", key);
	}
}

static int line_up(struct state *state)
{
	lw_view_move(&state->look->view, -1);
	return 0;
}

static int line_down(struct state *state)
{
	lw_view_move(&state->look->view, 1);
	return 0;
}

static int page_up(struct state *state)
{
	lw_view_move(&state->look->view, -(s64)body_height());
	return 0;
}

static int page_down(struct state *state)
{
	lw_view_move(&state->look->view, body_height());
	return 0;
}

static int first_line(struct state *state)
{
	lw_view_move(&state->look->view, -(s64)state->look->view.nr);
	return 0;
}

static int last_line(struct state *state)
{
	lw_view_move(&state->look->view, state->look->view.nr);
	return 0;
}

static int open_line(struct state *state)
{
	return lw_view_open(&state->look->view);
}

static int close_line(struct state *state)
{
	return lw_view_close(&state->look->view);
}

static int toggle_line(struct state *state)
{
	struct lw_report_view *view = &state->look->view;
	const struct lw_view_line *line = lw_view_line(view);

	if (line && lw_view_has_more(view, line) && lw_view_is_open(view, line))
		return lw_view_close(view);
	return lw_view_open(view);
}

static int open_below(struct state *state)
{
	return lw_view_open_below(&state->look->view);
}

static int open_all(struct state *state)
{
	return lw_view_open_all(&state->look->view);
}

static int close_all(struct state *state)
{
	return lw_view_close_all(&state->look->view);
}

static int to_the_left(struct state *state)
{
	state->shift -= state->shift < SHIFT_BY ? state->shift : SHIFT_BY;
	return 0;
}

static int to_the_right(struct state *state)
{
	state->shift += SHIFT_BY;
	return 0;
}

static int find(struct state *state)
{
	char answer[MAX_ANSWER] = "";

	if (!ask(state, "Only rows with", answer))
		return 0;
	strcpy(state->wanted, answer);
	return lw_view_want(&state->look->view, state->wanted);
}

static int go_to_event(struct state *state, u32 by)
{
	struct lw_report_options options = state->look->options;
	u32 event = (state->event + by) % state->screen->nr_events;
	int ret;

	options.filter.event = lw_profile_string(state->screen->profile,
						 state->screen->events[event].event);
	ret = make(state, &options);
	if (!ret)
		state->event = event;
	return ret;
}

static int next_event(struct state *state)
{
	return go_to_event(state, 1);
}

static int event_before(struct state *state)
{
	return go_to_event(state, state->screen->nr_events - 1);
}

static int sort(struct state *state)
{
	struct lw_report_options options = state->look->options;
	char answer[MAX_ANSWER] = "";
	int ret;

	for (u32 i = 0; i < options.nr_keys; i++)
		snprintf(answer + strlen(answer), sizeof(answer) - strlen(answer), "%s%s",
			 i ? "," : "", lw_report_key_name(options.keys[i]));
	if (!ask(state, "Sort by", answer))
		return 0;
	ret = lw_report_parse_keys(&options, answer);
	if (!ret && lw_report_has_key(&options, LW_KEY_CPU) &&
	    !lw_report_has_key(&state->screen->report, LW_KEY_CPU))
		ret = lw_fail(-ENODATA, "no CPUs were read: begin with 'latewind report -s cpu'");
	return ret ? ret : make(state, &options);
}

static int limit(struct state *state)
{
	struct lw_report_options options = state->look->options;
	char answer[MAX_ANSWER];
	int ret;

	snprintf(answer, sizeof(answer), "%g", options.percent_limit);
	if (!ask(state, "Least percentage of a row", answer))
		return 0;
	ret = lw_take_percent(&options.percent_limit, answer);
	options.branch_limit = options.percent_limit;
	return ret ? ret : make(state, &options);
}

/* As the options of the verb have it: who calls a row belongs to rows of what was run. */
static int other_rows(struct state *state)
{
	struct lw_report_options options = state->look->options;

	options.children = !options.children;
	if (options.graph != LW_GRAPH_NONE)
		options.graph = options.children ? LW_GRAPH_CALLER : LW_GRAPH_CALLEE;
	return make(state, &options);
}

static int other_graph(struct state *state)
{
	struct lw_report_options options = state->look->options;
	int ret;

	options.graph = options.graph == LW_GRAPH_CALLEE ? LW_GRAPH_CALLER : LW_GRAPH_CALLEE;
	ret = make(state, &options);
	if (!ret)
		strcpy(state->message, options.graph == LW_GRAPH_CALLEE ?
		       "Below a row is who calls it" : "Below a row is what it calls");
	return ret;
}

static u32 frame_of(const struct state *state, const struct lw_view_line *line)
{
	const struct lw_report_row *row = lw_report_row(&state->look->report, line->place);

	if (line->node)
		return lw_tree_node(lw_view_tree(&state->look->view, line), line->node)->what;
	for (u32 i = 0; i < state->look->options.nr_keys; i++) {
		if (state->look->options.keys[i] >= LW_KEY_SYMBOL)
			return row->values[i];
	}
	return LW_PROFILE_NONE;
}

/* Return: the file of a line, or NULL: it tells of none. */
static const char *dso_of(const struct state *state, const struct lw_view_line *line)
{
	const struct lw_profile *profile = state->screen->profile;
	u32 frame = frame_of(state, line), string = LW_PROFILE_NONE;

	for (u32 i = 0; !line->node && i < state->look->options.nr_keys; i++) {
		if (state->look->options.keys[i] == LW_KEY_DSO)
			string = lw_report_row(&state->look->report, line->place)->values[i];
	}
	if (string == LW_PROFILE_NONE && frame != LW_PROFILE_NONE)
		string = lw_profile_frame(profile, frame)->dso;
	return string == LW_PROFILE_NONE ? NULL : lw_profile_string(profile, string);
}

static int only_file(struct state *state)
{
	const struct lw_view_line *line = lw_view_line(&state->look->view);
	struct lw_report_options options = state->look->options;

	if (options.filter.dso)
		options.filter.dso = NULL;
	else
		options.filter.dso = line ? dso_of(state, line) : NULL;
	if (!options.filter.dso && !state->look->options.filter.dso)
		return lw_fail(-ENOENT, "this row tells of no file: s sorts by dso or symbol");
	return make(state, &options);
}

static bool take_thread(const struct state *state, const struct lw_report_row *row,
			struct lw_profile_filter *filter)
{
	bool found = false;

	for (u32 i = 0; i < state->look->options.nr_keys; i++) {
		enum lw_report_key key = state->look->options.keys[i];

		if (key == LW_KEY_COMM)
			filter->comm = lw_profile_string(state->screen->profile, row->values[i]);
		else if (key == LW_KEY_PID)
			filter->pid = row->values[i];
		else if (key == LW_KEY_TID)
			filter->tid = row->values[i];
		else
			continue;
		found = true;
	}
	return found;
}

static int only_thread(struct state *state)
{
	const struct lw_view_line *line = lw_view_line(&state->look->view);
	struct lw_report_options options = state->look->options;
	struct lw_profile_filter *filter = &options.filter;

	if (filter->comm || filter->pid != LW_ANY_ID || filter->tid != LW_ANY_ID) {
		filter->comm = NULL;
		filter->pid = LW_ANY_ID;
		filter->tid = LW_ANY_ID;
	} else if (!line || !take_thread(state, lw_report_row(&state->look->report, line->place),
					 filter)) {
		return lw_fail(-ENOENT, "this row tells of no thread: s sorts by comm, pid or tid");
	}
	return make(state, &options);
}

static int all_rows(struct state *state)
{
	struct lw_report_options options = state->look->options;
	const char *event = options.filter.event;

	if (*state->wanted) {
		*state->wanted = 0;
		return lw_view_want(&state->look->view, NULL);
	}
	options.filter = LW_FILTER_ALL;
	options.filter.event = event;
	return make(state, &options);
}

/* Nothing that is there is lost. */
static int write_text(struct state *state)
{
	char answer[MAX_ANSWER] = DEFAULT_FILE;
	struct lw_strbuf out = { 0 };
	int fd, ret;

	if (!ask(state, "Write all of it as text to", answer))
		return 0;
	fd = open(answer, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return lw_fail(-errno, "cannot create %.100s: %s", answer, strerror(errno));
	ret = lw_report_text(&state->look->report, &out);
	if (!ret)
		ret = lw_strbuf_flush(&out, fd);
	lw_strbuf_free(&out);
	close(fd);
	if (ret)
		return lw_fail(ret, "cannot write %.100s: %s", answer, strerror(-ret));
	snprintf(state->message, sizeof(state->message), "Written to %.200s", answer);
	return 0;
}

static int quit(struct state *state)
{
	state->quit = true;
	return 0;
}

static int help(struct state *state);

static const struct action actions[] = {
	{ KEY_UP, 'k', line_up, "Up, k", "a line up" },
	{ KEY_DOWN, 'j', line_down, "Down, j", "a line down" },
	{ KEY_PPAGE, 'b', page_up, "Page Up, b", "a page up" },
	{ KEY_NPAGE, ' ', page_down, "Page Down, Space", "a page down" },
	{ KEY_HOME, 'g', first_line, "Home, g", "the first line" },
	{ KEY_END, 'G', last_line, "End, G", "the last line" },
	{ '\n', KEY_ENTER, toggle_line, "Enter", "show or hide what is below a line" },
	{ KEY_RIGHT, '+', open_line, "Right, +", "show what is below a line" },
	{ KEY_LEFT, '-', close_line, "Left, -", "hide it; then go to the line above" },
	{ 'e', 'e', open_below, "e", "show all that is below a line" },
	{ 'E', 'E', open_all, "E", "show all that is below all rows" },
	{ 'C', 'c', close_all, "C, c", "show rows only" },
	{ '>', KEY_SRIGHT, to_the_right, ">", "what is beyond the right edge" },
	{ '<', KEY_SLEFT, to_the_left, "<", "and back" },
	{ '/', '/', find, "/", "only rows with a text in a name" },
	{ 'd', 'd', only_file, "d", "only samples in this line's file; all of them" },
	{ 't', 't', only_thread, "t", "only samples of this row's thread; all of them" },
	{ ESCAPE, ESCAPE, all_rows, "Esc", "all rows; then all samples" },
	{ 's', 's', sort, "s", "other sort keys" },
	{ 'r', 'r', other_rows, "r", "rows for callers, too, or only for what ran" },
	{ 'v', 'v', other_graph, "v", "below rows what they call, or who calls them" },
	{ 'L', 'L', limit, "L", "least percentage of a row" },
	{ '\t', '\t', next_event, "Tab", "the next event" },
	{ KEY_BTAB, KEY_BTAB, event_before, "Shift-Tab", "the event before" },
	{ 'P', 'P', write_text, "P", "write the report to a file" },
	{ 'h', '?', help, "h, ?", "this" },
	{ 'q', 'q', quit, "q", "quit" },
};

static int help(struct state *state)
{
	char line[MAX_ANSWER];
	int key;

	for (u32 from = 0; from < ARRAY_SIZE(actions);) {
		u32 y = 0;

		erase();
		for (; from < ARRAY_SIZE(actions) && (int)y < LINES - FOOT_LINES; from++) {
			snprintf(line, sizeof(line), "  %-18s %s", actions[from].keys,
				 actions[from].help);
			put_text(state, y++, line, A_NORMAL);
		}
		put_text(state, LINES - 1, from < ARRAY_SIZE(actions) ?
			 "Any key: more" : "Any key: back to the report", A_REVERSE);
		refresh();
		if (!y)
			break;
		key = lw_terminal_key(true);
		/* another size: from the beginning */
		if (key == LW_TERMINAL_RESIZED)
			from = 0;
		else if (key == LW_TERMINAL_GONE)
			break;
	}
	return 0;
}

static void act(struct state *state, int key)
{
	*state->message = 0;
	for (u32 i = 0; i < ARRAY_SIZE(actions); i++) {
		if (key != actions[i].key && key != actions[i].other)
			continue;
		if (actions[i].run(state))
			show_failure(state);
		return;
	}
	if (key != LW_TERMINAL_RESIZED)
		strcpy(state->message, "No such key. h: help");
}

static void walk_about(struct state *state)
{
	while (!state->quit) {
		int key;

		draw(state);
		key = lw_terminal_key(true);
		if (key == LW_TERMINAL_GONE)
			return;
		act(state, key);
	}
}

static int look_at(struct state *state)
{
	struct lw_report_options options = state->screen->report;
	int ret;

	options.color = false;
	options.drain = NULL;
	options.filter.event = lw_profile_string(state->screen->profile,
						 state->screen->events[0].event);
	ret = make(state, &options);
	if (!ret)
		walk_about(state);
	free_look(state->look);
	lw_strbuf_free(&state->text.out);
	lw_strbuf_free(&state->cut);
	return ret;
}

/**
 * lw_report_screen - let somebody walk about in a report
 * @screen: what is looked at; lw_terminal_is_there() said that there is a terminal
 *
 * Return: 0 when whoever it is has seen enough, or -errno with lw_fail_text().
 */
int lw_report_screen(const struct lw_report_screen *screen)
{
	struct state state = { .screen = screen };
	int ret = lw_terminal_open(screen->color);

	if (ret)
		return ret;
	ret = look_at(&state);
	lw_terminal_close();
	return ret;
}
