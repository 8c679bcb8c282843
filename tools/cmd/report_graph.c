// SPDX-License-Identifier: GPL-2.0
/*
 * report_graph.c - what perf's users say to the report's -g and -F: words with commas between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report_graph.h"

struct graph_words {
	struct lw_report_options *report;
	bool has_order;
	bool has_limit;
};

static bool take_order(struct graph_words *words, const char *word)
{
	static const struct {
		const char *name;
		enum lw_report_graph graph;
	} orders[] = {
		{ "caller", LW_GRAPH_CALLER }, { "callee", LW_GRAPH_CALLEE },
		{ "none", LW_GRAPH_NONE },
	};

	for (u32 i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(word, orders[i].name))
			continue;
		words->report->graph = orders[i].graph;
		words->has_order = true;
		return true;
	}
	return false;
}

static int take_limit(struct graph_words *words, const char *word)
{
	char *end;
	double limit = strtod(word, &end);

	if (end == word || *end || !(limit >= 0 && limit <= 100))
		return lw_fail(-EINVAL, "option --call-graph: '%s' is none of its words\n"
			       "  They are: caller, callee, none; graph, fractal; a percentage.",
			       word);
	if (words->has_limit)
		return lw_fail(-EINVAL, "option --call-graph: no number of branches (%s)\n"
			       "  The other number, of percent, leaves small ones out.", word);
	words->report->branch_limit = limit;
	words->has_limit = true;
	return 0;
}

static int take_graph_word(struct graph_words *words, const char *word)
{
	static const char * const no_trees[] = {
		"flat", "folded", "address", "srcline", "branch", "period", "count",
	};

	if (take_order(words, word))
		return 0;
	if (!strcmp(word, "graph") || !strcmp(word, "fractal")) {
		words->report->fractal = word[0] == 'f';
		return 0;
	}
	/* so it is in any case */
	if (!strcmp(word, "function") || !strcmp(word, "percent"))
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(no_trees); i++) {
		if (!strcmp(word, no_trees[i]))
			return lw_fail(-EINVAL, "option --call-graph: '%s' can't be had\n"
				       "  Trees are of functions, with percentages; see also\n"
				       "  'latewind export --folded'.", word);
	}
	return take_limit(words, word);
}

/* Calls @take with each word, until one is refused. */
static int each_word(const char *text, int (*take)(struct graph_words *words, const char *word),
		     struct graph_words *words)
{
	char *copy = strdup(text), *next = copy, *word;
	int ret = copy ? 0 : lw_fail(-ENOMEM, "out of memory");

	while (!ret && (word = strsep(&next, ",")))
		ret = take(words, word);
	free(copy);
	return ret;
}

/**
 * lw_take_graph - the value of --call-graph, with perf's meaning
 * @report: gets it
 * @has_graph: out: true if the text says in which order
 * @text: the value; NULL: caller
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_take_graph(struct lw_report_options *report, bool *has_graph, const char *text)
{
	struct graph_words words = { .report = report };
	int ret = each_word(text ? text : "caller", take_graph_word, &words);

	*has_graph |= words.has_order;
	return ret;
}

static int take_field(struct graph_words *words, const char *word)
{
	struct lw_report_options *report = words->report;

	if (!strcmp(word, "sample") || !strcmp(word, "samples")) {
		report->shows_samples = true;
		return 0;
	}
	if (!strcmp(word, "period")) {
		report->shows_period = true;
		return 0;
	}
	/* it is shown in any case */
	if (!strcmp(word, "overhead") || !strcmp(word, "overhead_children"))
		return 0;
	if (!words->has_order)
		report->nr_keys = 0;
	words->has_order = true;
	return lw_report_add_key(report, word, strlen(word));
}

/**
 * lw_take_fields - the value of the report's --fields
 * @report: gets the columns; the sort keys too, if there are any
 * @text: sort keys, overhead, sample, period
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_take_fields(struct lw_report_options *report, const char *text)
{
	struct graph_words words = { .report = report };

	return each_word(text, take_field, &words);
}
