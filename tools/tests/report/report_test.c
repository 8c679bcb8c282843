// SPDX-License-Identifier: GPL-2.0
/*
 * report_test.c - rows, trees, and what they look like.
 */
#include <stdlib.h>
#include <string.h>

#include "report/report_text.h"
#include "tests/folded_profile.h"
#include "tests/tap.h"

static const struct lw_report_options by_symbol = {
	.filter = { .pid = LW_ANY_ID, .tid = LW_ANY_ID },
	.keys = { LW_KEY_SYMBOL }, .nr_keys = 1, .children = true,
};

static struct folded make(const char * const *lines)
{
	struct folded folded = folded_new();

	for (; *lines; lines++) {
		if (!folded_add(&folded, *lines))
			abort();
	}
	return folded;
}

static const struct lw_report_row *row_of(const struct lw_report *report, const char *symbol)
{
	for (u32 i = 0; i < report->rows.nr; i++) {
		const struct lw_report_row *row = lw_report_row(report, i);
		const struct lw_profile_frame *frame;

		if (row->values[0] == LW_PROFILE_NONE)
			continue;
		frame = lw_profile_frame(report->profile, row->values[0]);
		if (!strcmp(lw_profile_string(report->profile, frame->function), symbol))
			return row;
	}
	return NULL;
}

static bool row_is(const struct lw_report *report, const char *symbol, u64 self, u64 total)
{
	const struct lw_report_row *row = row_of(report, symbol);

	if (row && row->self == self && row->total == total)
		return true;
	printf("# %s: self %llu, total %llu\n", symbol, row ? row->self : 0, row ? row->total : 0);
	return false;
}

static bool self_and_total_add_up(void)
{
	static const char * const lines[] = {
		"x;main;a 10", "x;main;a;b 30", "x;main;c;b 20", "x;main;a;b 5", NULL
	};
	struct folded folded = make(lines);
	struct lw_report report;

	CHECK(!lw_report_make(&report, folded.profile, &by_symbol));
	CHECK(report.samples == 4 && report.weight == 65 && report.rows.nr == 4);
	CHECK(row_is(&report, "main", 0, 65) && row_is(&report, "a", 10, 45));
	CHECK(row_is(&report, "b", 55, 55) && row_is(&report, "c", 0, 20));
	CHECK(row_of(&report, "b")->total_samples == 3);
	CHECK(row_of(&report, "main")->self_samples == 0);
	/* largest first */
	CHECK(lw_report_row(&report, 0) == row_of(&report, "main"));
	CHECK(lw_report_row(&report, 1) == row_of(&report, "b"));
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

static bool recursion_counts_once(void)
{
	static const char * const lines[] = {
		"x;main;f;f;f 10", "x;main;f;g;f;h 20", "x;main;f;g 3", NULL
	};
	struct folded folded = make(lines);
	struct lw_report report;

	CHECK(!lw_report_make(&report, folded.profile, &by_symbol));
	CHECK(row_is(&report, "main", 0, 33) && row_is(&report, "f", 10, 33));
	CHECK(row_is(&report, "g", 3, 23) && row_is(&report, "h", 20, 20));
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

static bool keys_of_samples_and_of_frames_tell_rows_apart(void)
{
	static const char * const lines[] = {
		"x/1;exe!main;lib!f 10", "x/2;exe!main;lib!f 20", "y/3;exe!main;exe!f 40", NULL
	};
	static const char * const kernel[] = { "x;exe!read;exe!read_[k] 1", NULL };
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;
	struct lw_report report;

	/* f of two files is one function by its name, and two by name and file */
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.rows.nr == 2 && row_is(&report, "f", 70, 70));
	lw_report_free(&report);
	CHECK(!lw_report_parse_keys(&options, "symbol,dso"));
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.rows.nr == 3);
	lw_report_free(&report);
	CHECK(!lw_report_parse_keys(&options, "comm,thread,sym,comm") && options.nr_keys == 3);
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.rows.nr == 6);
	lw_report_free(&report);
	CHECK(!lw_report_parse_keys(&options, "dso"));
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.rows.nr == 2 && lw_report_row(&report, 0)->total == 70);
	CHECK(lw_report_row(&report, 0)->self == 40 && lw_report_row(&report, 1)->total == 30);
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	/* nor is the kernel's the program's */
	folded = make(kernel);
	CHECK(!lw_report_make(&report, folded.profile, &by_symbol) && report.rows.nr == 2);
	lw_report_free(&report);
	CHECK(lw_report_parse_keys(&options, "comm,") && strstr(lw_fail_text(), "''"));
	CHECK(lw_report_parse_keys(&options, "comm,symbols"));
	lw_profile_free(folded.profile);
	return true;
}

static bool filters_leave_out_others(void)
{
	static const char * const lines[] = {
		"x/1;exe!main;/lib/c.so!f 10", "x/2;exe!main 20", "y/3;exe!main;exe!g 40", NULL
	};
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;
	struct lw_report report;

	options.filter.comm = "x";
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.weight == 30 && !row_of(&report, "g") && row_is(&report, "main", 20, 30));
	lw_report_free(&report);
	options.filter.tid = 2;
	CHECK(!lw_report_make(&report, folded.profile, &options) && report.weight == 20);
	lw_report_free(&report);
	/* by the file where time was spent, whole or short */
	options.filter = LW_FILTER_ALL;
	options.filter.dso = "c.so";
	CHECK(!lw_report_make(&report, folded.profile, &options) && report.weight == 10);
	lw_report_free(&report);
	options.filter.dso = "exe";
	CHECK(!lw_report_make(&report, folded.profile, &options) && report.weight == 60);
	lw_report_free(&report);
	options.filter = LW_FILTER_ALL;
	options.filter.event = "page-faults";
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.samples == 0 && report.rows.nr == 0);
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

static bool rows_without_children_are_leaves(void)
{
	static const char * const lines[] = { "x;main;a 10", "x;main;b 30", "x 5", NULL };
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;
	struct lw_report report;

	options.children = false;
	options.percent_limit = 20;
	options.branch_limit = 20;
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(report.rows.nr == 3 && report.nr_shown == 2);
	CHECK(row_is(&report, "b", 30, 30) && !row_of(&report, "main"));
	/* a sample without a stack is there, too */
	CHECK(lw_report_row(&report, 2)->values[0] == LW_PROFILE_NONE);
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

/* Where periods are 0, samples are counted. */
static bool weights_of_nothing_are_samples(void)
{
	static const char * const lines[] = { "x;main;a 0", "x;main;b 0", "x;main;a 0", NULL };
	struct folded folded = make(lines);
	struct lw_report report;

	CHECK(!lw_report_make(&report, folded.profile, &by_symbol));
	CHECK(row_is(&report, "a", 2, 2) && row_is(&report, "main", 0, 3));
	CHECK(lw_report_percent(&report, 3) == 100);
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

/* "a:10(b:5,c:5)" of a node and what is below it. */
static void write_tree(const struct lw_report *report, const struct lw_tree *tree, u32 node,
		       struct lw_strbuf *out)
{
	const struct lw_tree_node *at = lw_tree_node(tree, node);
	u32 function = node ? lw_profile_frame(report->profile, at->what)->function : 0;

	lw_strbuf_str(out, node ? lw_profile_string(report->profile, function) : "*");
	lw_strbuf_char(out, ':');
	lw_strbuf_u64(out, at->total);
	if (at->child == LW_TREE_NONE)
		return;
	for (u32 child = at->child; child != LW_TREE_NONE;
	     child = lw_tree_node(tree, child)->next) {
		lw_strbuf_char(out, child == at->child ? '(' : ',');
		write_tree(report, tree, child, out);
	}
	lw_strbuf_char(out, ')');
}

static bool tree_is(struct lw_profile *profile, const struct lw_report_options *options,
		    const char *symbol, const char *expected)
{
	struct lw_strbuf out = { 0 };
	struct lw_report report;
	struct lw_tree tree;
	u32 place = 0;
	bool same;

	CHECK(!lw_report_make(&report, profile, options));
	while (symbol && lw_report_row(&report, place) != row_of(&report, symbol))
		place++;
	CHECK(!lw_report_tree(&report, place, &tree));
	write_tree(&report, &tree, 0, &out);
	lw_strbuf_char(&out, 0);
	same = !strcmp(out.text, expected);
	if (!same)
		printf("# is       %s\n# expected %s\n", out.text, expected);
	lw_strbuf_free(&out);
	lw_tree_free(&tree);
	lw_report_free(&report);
	return same;
}

static bool trees_lead_to_callers_and_callees(void)
{
	static const char * const lines[] = {
		"x;main;a 10", "x;main;a;b 30", "x;main;c;b 20", "x;main;f;f;b 7", "y;z 1", NULL
	};
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;

	options.graph = LW_GRAPH_CALLER;
	CHECK(tree_is(folded.profile, &options, "main",
		      "*:67(a:40(b:30),c:20(b:20),f:7(f:7(b:7)))"));
	CHECK(tree_is(folded.profile, &options, "b", "*:57"));
	CHECK(tree_is(folded.profile, &options, "f", "*:7(f:7(b:7))"));
	options.graph = LW_GRAPH_CALLEE;
	CHECK(tree_is(folded.profile, &options, "b",
		      "*:57(a:30(main:30),c:20(main:20),f:7(f:7(main:7)))"));
	CHECK(tree_is(folded.profile, &options, "f", "*:7(f:7(main:7))"));
	options.children = false;
	CHECK(tree_is(folded.profile, &options, "a", "*:10(main:10)"));
	options.graph = LW_GRAPH_CALLER;
	CHECK(tree_is(folded.profile, &options, "b",
		      "*:57(main:57(a:30(b:30),c:20(b:20),f:7(f:7(b:7))))"));
	/* rows that name no function have all of them in their tree */
	CHECK(!lw_report_parse_keys(&options, "comm"));
	CHECK(tree_is(folded.profile, &options, NULL,
		      "*:67(main:67(a:40(b:30),c:20(b:20),f:7(f:7(b:7))))"));
	options.graph = LW_GRAPH_CALLEE;
	CHECK(tree_is(folded.profile, &options, NULL,
		      "*:67(b:57(a:30(main:30),c:20(main:20),f:7(f:7(main:7))),a:10(main:10))"));
	lw_profile_free(folded.profile);
	return true;
}

static bool text_is(struct lw_profile *profile, const struct lw_report_options *options,
		    int (*make_text)(const struct lw_report *report, struct lw_strbuf *out),
		    const char *expected)
{
	struct lw_strbuf out = { 0 };
	struct lw_report report;
	bool same;

	CHECK(!lw_report_make(&report, profile, options));
	CHECK(!make_text(&report, &out));
	lw_strbuf_char(&out, 0);
	same = !out.failed && !strcmp(out.text, expected);
	if (!same)
		printf("# is:\n%s# expected:\n%s", out.text, expected);
	lw_strbuf_free(&out);
	lw_report_free(&report);
	return same;
}

static bool text_has_columns_and_trees(void)
{
	static const char * const lines[] = {
		"x;main;a 10", "x;main;a;e_[i];b 50", "x;main;c;/lib/c.so!b 39",
		"x;main;k_[k] 1", NULL
	};
	static const char expected[] =
		"# Samples: 4 of event 'cpu-clock'\n"
		"# Event count (approx.): 100\n"
		"#\n"
		"#   Total      Self  Command  Shared Object  Symbol\n"
		"# .......  ........  .......  .............  ........\n"
		"#\n"
		"  100.00%     0.00%  x        a.out          [.] main\n"
		"            |\n"
		"            |--60.00%--a\n"
		"            |          |\n"
		"            |           --50.00%--e (inlined)\n"
		"            |                     b\n"
		"            |\n"
		"             --39.00%--c\n"
		"                       b\n"
		"\n"
		"   60.00%    10.00%  x        a.out          [.] a\n"
		"            |\n"
		"             --50.00%--e (inlined)\n"
		"                       b\n"
		"\n"
		"   50.00%    50.00%  x        a.out          [.] b\n"
		"   50.00%     0.00%  x        a.out          [.] e\n"
		"            |\n"
		"            ---b\n"
		"\n"
		"   39.00%    39.00%  x        c.so           [.] b\n"
		"   39.00%     0.00%  x        a.out          [.] c\n"
		"            |\n"
		"            ---b\n"
		"\n"
		"#\n"
		"# 1 row is below 2 percent: see --percent-limit.\n";
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;

	options.filter.event = "cpu-clock";
	options.percent_limit = 2;
	options.branch_limit = 2;
	options.graph = LW_GRAPH_CALLER;
	CHECK(!lw_report_parse_keys(&options, "comm,dso,symbol"));
	CHECK(text_is(folded.profile, &options, lw_report_text, expected));
	lw_profile_free(folded.profile);
	return true;
}

static bool keys_may_be_below_each_other(void)
{
	static const char * const lines[] = {
		"x;main;a 40", "x;main;/lib/c.so!b 30", "x;main;/lib/c.so!c 1", "y;main;a 29", NULL
	};
	static const char expected[] =
		"# Samples: 4 of event 'cpu-clock'\n"
		"# Event count (approx.): 100\n"
		"#\n"
		"#       Overhead       Samples  Command / Shared Object / Symbol\n"
		"#\n"
		"    71.00%                     3  x\n"
		"       40.00%                     1  a.out\n"
		"          40.00%                     1  [.] a\n"
		"            |\n"
		"            ---main\n"
		"\n"
		"       31.00%                     2  c.so\n"
		"          30.00%                     1  [.] b\n"
		"            |\n"
		"            ---main\n"
		"\n"
		"    29.00%                     1  y\n"
		"       29.00%                     1  a.out\n"
		"          29.00%                     1  [.] a\n"
		"            |\n"
		"            ---main\n"
		"\n";
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;

	options.filter.event = "cpu-clock";
	options.percent_limit = 2;
	options.graph = LW_GRAPH_CALLEE;
	options.children = false;
	options.shows_samples = true;
	CHECK(!lw_report_parse_keys(&options, "comm,dso,symbol"));
	CHECK(text_is(folded.profile, &options, lw_report_hierarchy, expected));
	lw_profile_free(folded.profile);
	return true;
}

static bool shares_of_branches_may_be_of_what_is_above(void)
{
	static const char * const lines[] = {
		"x;main;a 40", "x;main;b;c 30", "x;main;b;d 8", "x;main;b;e 2", "x;f 20", NULL
	};
	static const char expected[] =
		"# Samples: 5 of event 'cpu-clock'\n"
		"# Event count (approx.): 100\n"
		"#\n"
		"#   Total      Self       Samples        Period  Symbol\n"
		"# .......  ........  ............  ............  ........\n"
		"#\n"
		"   80.00%     0.00%             0             0  [.] main\n"
		"            |\n"
		"            |--50.00%--a\n"
		"            |\n"
		"             --50.00%--b\n"
		"                       |\n"
		"                       |--75.00%--c\n"
		"                       |\n"
		"                        --20.00%--d\n"
		"\n";
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;
	struct lw_strbuf out = { 0 };
	struct lw_report report;

	options.filter.event = "cpu-clock";
	options.percent_limit = 60;
	options.branch_limit = 10;
	options.fractal = true;
	options.shows_samples = true;
	options.shows_period = true;
	options.graph = LW_GRAPH_CALLER;
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(!lw_report_text(&report, &out) && !out.failed);
	if (strncmp(out.text, expected, strlen(expected))) {
		printf("# instead:\n%.*s", (int)out.len, out.text);
		return false;
	}
	lw_strbuf_free(&out);
	lw_report_free(&report);
	lw_profile_free(folded.profile);
	return true;
}

static bool lines_are_told_by_file_and_number(void)
{
	static const char expected[] =
		"# Samples: 2 of event '[all]'\n"
		"# Event count (approx.): 4\n"
		"#\n"
		"#    Self  Source:Line\n"
		"# .......  ...........\n"
		"#\n"
		"   75.00%  a.c:12\n"
		"   25.00%  plain\n";
	struct folded folded = make((const char * const[]) { "x;plain 1", NULL });
	struct lw_profile *profile = folded.profile;
	struct lw_profile_frame frame = *lw_profile_frame(profile, 0);
	struct lw_profile_key key = lw_profile_entry(profile, 0)->key;
	struct lw_report_options options = by_symbol;
	u32 number, stack;

	frame.file = lw_profile_add_string(profile, "../src/a.c");
	frame.line = 12;
	number = lw_profile_add_frame(profile, &frame);
	stack = lw_profile_add_stack(profile, &number, 1);
	CHECK(!lw_profile_add_sample(profile, &key, stack, 3, 0, 0));
	options.children = false;
	CHECK(!lw_report_parse_keys(&options, "srcline"));
	CHECK(text_is(profile, &options, lw_report_text, expected));
	lw_profile_free(profile);
	return true;
}

static bool names_do_not_reach_the_terminal_raw(void)
{
	static const char * const lines[] = { "x\n;\033[2Jma\xffin\xc2\x9b\xc3\xa4 1", NULL };
	static const char expected[] =
		"# Samples: 1 of event '[all]'\n"
		"# Event count (approx.): 1\n"
		"#\n"
		"#    Self  Command  Symbol\n"
		"# .......  .......  ...............\n"
		"#\n"
		"  100.00%  x?       [.] ?[2Jma?in?\xc3\xa4\n";
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;

	options.children = false;
	CHECK(!lw_report_parse_keys(&options, "comm,symbol"));
	CHECK(text_is(folded.profile, &options, lw_report_text, expected));
	lw_profile_free(folded.profile);
	return true;
}

static bool json_has_all_of_it(void)
{
	static const char * const lines[] = { "x;main;a\"_[k] 3", "x;main 1", NULL };
	static const char * const parts[] = {
		"{\"event\":null,\"samples\":2,\"weight\":4,\"rows_below_limit\":0,\"rows\":[\n",
		"{\"comm\":\"x\",\"symbol\":\"main\",\"kernel\":false,\"self\":1,\"total\":4,",
		"\"self_samples\":1,\"total_samples\":2,\"self_percent\":25.0000,",
		"\"total_percent\":100.0000,\"calls\":{\"symbol\":null,\"self\":1,\"total\":4,",
		"\"children\":[{\"symbol\":\"a\\\"\",\"kernel\":true,\"dso\":\"a.out\",",
		"\"inlined\":false,\"self\":3,\"total\":3}]}},\n",
		"{\"comm\":\"x\",\"symbol\":\"a\\\"\",\"kernel\":true,\"self\":3,\"total\":3,",
		"\"self_samples\":1,\"total_samples\":1,\"self_percent\":75.0000,",
		"\"total_percent\":75.0000,\"calls\":{\"symbol\":null,\"self\":3,\"total\":3}}]}",
	};
	struct folded folded = make(lines);
	struct lw_report_options options = by_symbol;
	struct lw_strbuf expected = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		lw_strbuf_str(&expected, parts[i]);
	lw_strbuf_char(&expected, 0);
	options.graph = LW_GRAPH_CALLER;
	CHECK(!lw_report_parse_keys(&options, "comm,symbol"));
	CHECK(text_is(folded.profile, &options, lw_report_json, expected.text));
	lw_strbuf_free(&expected);
	lw_profile_free(folded.profile);
	return true;
}

/* Each level has a branch of its own, down to one that a file may claim. */
static bool deep_trees_are_bounded(void)
{
	struct folded folded = folded_new();
	struct lw_report_options options = by_symbol;
	struct lw_strbuf out = { 0 }, line = { 0 };
	struct lw_report report;

	lw_strbuf_str(&line, "x");
	for (u32 i = 0; i < 1500; i++) {
		lw_strbuf_str(&line, ";f");
		lw_strbuf_u64(&line, i);
		lw_strbuf_bytes(&line, " 1", 3);
		CHECK(folded_add(&folded, line.text));
		line.len -= 3;
	}
	CHECK(!lw_report_parse_keys(&options, "comm"));
	options.graph = LW_GRAPH_CALLER;
	CHECK(!lw_report_make(&report, folded.profile, &options));
	CHECK(!lw_report_text(&report, &out) && out.len < 200000);
	lw_strbuf_char(&out, 0);
	CHECK(strstr(out.text, "f63\n") && !strstr(out.text, "f70\n") && strstr(out.text, "...\n"));
	out.len = 0;
	/* a program gets all of it */
	CHECK(!lw_report_json(&report, &out));
	lw_strbuf_char(&out, 0);
	CHECK(strstr(out.text, "\"f1499\""));
	lw_report_free(&report);
	lw_strbuf_free(&out);
	lw_strbuf_free(&line);
	lw_profile_free(folded.profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(self_and_total_add_up),
		TEST(recursion_counts_once),
		TEST(keys_of_samples_and_of_frames_tell_rows_apart),
		TEST(filters_leave_out_others),
		TEST(rows_without_children_are_leaves),
		TEST(weights_of_nothing_are_samples),
		TEST(trees_lead_to_callers_and_callees),
		TEST(text_has_columns_and_trees),
		TEST(keys_may_be_below_each_other),
		TEST(shares_of_branches_may_be_of_what_is_above),
		TEST(lines_are_told_by_file_and_number),
		TEST(names_do_not_reach_the_terminal_raw),
		TEST(json_has_all_of_it),
		TEST(deep_trees_are_bounded),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
