// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_check.c - latewind-sframe check: is a section valid, and how much
 * of the code has a rule?
 *
 * Two walks over the functions, one for each question, so that what is found
 * can be printed when it is found.  Nothing is kept but a few numbers.
 */
#include <stdarg.h>
#include <string.h>

#include "base/exit.h"
#include "base/print.h"
#include "cmd/sframe_verbs.h"

#define NO_ROW		~0U

struct check {
	struct lw_sframe_file *file;
	const struct lw_sframe *sf;
	bool verbose;
	struct lw_json json;	/* its out is NULL: as text */
	u64 problems, notes;

	/* what the functions are */
	u64 rows, empty, outermost;
	bool unsorted, sharing;

	/* of the functions so far */
	u64 last_start;
	u64 end;		/* the highest one */
	u32 end_idx;		/* whose it is */

	/* coverage: all code below @done is counted, @range is not all below */
	u64 done;
	size_t range;
	u64 code, covered;
	u64 holes, in_functions;
};

/* A function, and what its rows say of its first and last byte. */
struct function {
	u32 idx;
	struct lw_sframe_fde fde;
	int result;		/* of the FDE or of a row */
	u32 bad_row;		/* NO_ROW: none */
	u64 first, last;	/* row starts; the last one that is good */
	bool outermost;		/* as a whole */
	int at_start, at_end;	/* results that a look-up should have */
	struct lw_rule start_rule, end_rule;
};

/* "function 3 at 0x1050 (main+0x4), row 2: "; NULL: of the section */
static void print_where(const struct check *check, const struct function *function, u32 row)
{
	struct lw_code_place place;

	if (!function)
		return;
	printf("function %u at 0x%llx", function->idx, function->fde.start);
	lw_sframe_file_name(check->file, function->fde.start, &place);
	if (place.name) {
		fputs(" (", stdout);
		lw_print_plain(stdout, place.name);
		if (place.offset)
			printf("+0x%llx", place.offset);
		putchar(')');
	}
	if (row != NO_ROW)
		printf(", row %u", row);
	fputs(": ", stdout);
}

static void add_where_json(struct check *check, const struct function *function, u32 row)
{
	struct lw_code_place place;

	if (!function)
		return;
	lw_json_u64(&check->json, "function", function->idx);
	lw_json_u64(&check->json, "address", function->fde.start);
	lw_sframe_file_name(check->file, function->fde.start, &place);
	if (place.name) {
		lw_json_str(&check->json, "name", place.name);
		lw_json_u64(&check->json, "name_offset", place.offset);
	}
	if (row != NO_ROW)
		lw_json_u64(&check->json, "row", row);
}

static void __printf(4, 5) problem(struct check *check, const struct function *function, u32 row,
				   const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (check->json.out) {
		lw_json_line(&check->json);
		lw_json_open(&check->json, NULL, '{');
		add_where_json(check, function, row);
		lw_json_str(&check->json, "reason", text);
		lw_json_close(&check->json, '}');
		lw_sframe_drain_json(&check->json);
	} else {
		fputs("problem: ", stdout);
		print_where(check, function, row);
		puts(text);
	}
	check->problems++;
}

static void __printf(2, 3) note(struct check *check, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (check->json.out) {
		lw_json_str(&check->json, NULL, text);
	} else {
		fputs("note: ", stdout);
		lw_print_plain(stdout, text);
		putchar('\n');
	}
	check->notes++;
}

/* The rule that a look-up of @key should find, by the rows up to this one. */
static void keep_rule(const struct lw_sframe_row *row, u32 key, int *result, struct lw_rule *rule)
{
	if (row->start > key)
		return;
	*result = LW_SFRAME_OK;
	*rule = row->rule;
}

static void read_rows(struct function *function, const struct lw_sframe *sf)
{
	const struct lw_sframe_fde *fde = &function->fde;
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	u32 end_key = fde->size - 1;

	if (fde->mask)
		end_key %= fde->rep_size;
	lw_sframe_first_row(&cursor, sf, fde);
	while (!(function->result = lw_sframe_next_row(&cursor, &row))) {
		if (cursor.next == 1)
			function->first = row.start;
		function->last = row.start;
		keep_rule(&row, 0, &function->at_start, &function->start_rule);
		keep_rule(&row, end_key, &function->at_end, &function->end_rule);
	}
	if (function->result == LW_SFRAME_NO_RULE)
		function->result = LW_SFRAME_OK;
	else
		function->bad_row = cursor.next;
}

static void read_function(struct function *function, const struct lw_sframe *sf, u32 idx)
{
	const struct lw_sframe_fde *fde = &function->fde;

	memset(function, 0, sizeof(*function));
	function->idx = idx;
	function->bad_row = NO_ROW;
	function->first = ~0ULL;
	function->at_start = LW_SFRAME_NO_RULE;
	function->at_end = LW_SFRAME_NO_RULE;
	function->result = lw_sframe_get_fde(sf, idx, &function->fde);
	if (function->result)
		return;
	read_rows(function, sf);
	if (lw_sframe_has_no_caller(sf, fde)) {
		function->outermost = true;
		function->at_start = LW_SFRAME_OK;
		function->at_end = LW_SFRAME_OK;
		function->start_rule = (struct lw_rule){ .flags = LW_RULE_OUTERMOST };
		function->end_rule = function->start_rule;
	}
}

static bool same_value(const struct lw_rule_value *a, const struct lw_rule_value *b)
{
	return a->off == b->off && a->base == b->base && a->reg == b->reg && a->deref == b->deref;
}

static bool same_rule(const struct lw_rule *a, const struct lw_rule *b)
{
	return same_value(&a->cfa, &b->cfa) && same_value(&a->ra, &b->ra) &&
	       same_value(&a->fp, &b->fp) && a->sp_off == b->sp_off && a->flags == b->flags;
}

static void check_look_up(struct check *check, const struct function *function, u64 pc, int want,
			  const struct lw_rule *rule, const char *which)
{
	struct lw_rule found;
	int ret = lw_sframe_find(check->sf, pc, &found);

	if (ret != want)
		problem(check, function, NO_ROW,
			"a look-up of its %s byte, 0x%llx, should give '%s', but gives '%s'",
			which, pc, lw_sframe_result_text(want), lw_sframe_result_text(ret));
	else if (!ret && !same_rule(&found, rule))
		problem(check, function, NO_ROW,
			"a look-up of its %s byte, 0x%llx, finds the rule of another function",
			which, pc);
}

/* Empty ones cover nothing, and may be anywhere between two others. */
static void check_order(struct check *check, const struct function *function)
{
	const struct lw_sframe_fde *fde = &function->fde;

	if (function->idx && fde->start < check->last_start) {
		check->unsorted = true;
		problem(check, function, NO_ROW, "%s: the one before it starts at 0x%llx",
			lw_sframe_result_text(LW_SFRAME_BAD_ORDER), check->last_start);
	} else if (fde->size && fde->start < check->end) {
		problem(check, function, NO_ROW, "it overlaps function %u, which ends at 0x%llx",
			check->end_idx, check->end);
	}
	check->last_start = fde->start;
	/* one that is broken may claim anything */
	if (function->result && function->bad_row == NO_ROW)
		return;
	if (fde->size && fde->start + fde->size > check->end) {
		check->end = fde->start + fde->size;
		check->end_idx = function->idx;
	}
}

static void check_function(struct check *check, const struct function *function)
{
	const struct lw_sframe_fde *fde = &function->fde;

	check_order(check, function);
	if (function->result) {
		problem(check, function, function->bad_row, "%s",
			lw_sframe_result_text(function->result));
		return;
	}
	if (!lw_sframe_file_in_segment(check->file, fde->start, fde->size))
		problem(check, function, NO_ROW, "its %u bytes are not in one executable segment",
			fde->size);
	check->rows += fde->num_rows;
	check->empty += !fde->size;
	check->outermost += function->outermost;
	if (!fde->size)
		return;
	check_look_up(check, function, fde->start, function->at_start, &function->start_rule,
		      "first");
	check_look_up(check, function, fde->start + fde->size - 1, function->at_end,
		      &function->end_rule, "last");
}

static void check_functions(struct check *check)
{
	struct function function;
	u64 walked = 0;

	for (u32 i = 0; i < check->sf->num_fdes; i++) {
		read_function(&function, check->sf, i);
		if (!function.result || function.bad_row != NO_ROW)
			walked += function.fde.num_rows;
		if (walked > check->file->src.size * LW_MAX_SHARING) {
			check->sharing = true;
			problem(check, &function, NO_ROW,
				"up to here %llu rows share %llu bytes: the rest is not looked at",
				walked, check->file->src.size);
			return;
		}
		check_function(check, &function);
	}
}

/* Of the file around the section: what a program at run time goes by. */
static void check_headers(struct check *check)
{
	const struct lw_sframe_file *file = check->file;
	const struct lw_sframe *sf = check->sf;

	if (file->is_table)
		return;
	if (!file->loaded)
		problem(check, NULL, NO_ROW, "no segment loads the section to its address, 0x%llx",
			sf->place.addr);
	if (!file->has_segment)
		return;
	if (file->segment_addr != sf->place.addr)
		problem(check, NULL, NO_ROW,
			"program header PT_GNU_SFRAME is for 0x%llx, the section is at 0x%llx",
			file->segment_addr, sf->place.addr);
	else if (file->segment_size < file->src.size)
		problem(check, NULL, NO_ROW,
			"program header PT_GNU_SFRAME has %llu bytes, the section %llu",
			file->segment_size, file->src.size);
}

static void take_notes(struct check *check)
{
	const struct lw_sframe_file *file = check->file;

	if (!file->has_segment && !file->is_table)
		note(check, "no program header PT_GNU_SFRAME: nothing finds it at run time");
	if (file->nr_segments > 1)
		note(check, "the code is in %zu segments", file->nr_segments);
	if (!check->problems && check->rows != check->sf->num_fres)
		note(check, "the header says %u rows, functions have %llu", check->sf->num_fres,
		     check->rows);
}

static void add_hole_json(struct check *check, u64 start, u64 end,
			  const struct lw_code_place *place)
{
	struct lw_json *json = &check->json;

	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_u64(json, "start", start);
	lw_json_u64(json, "end", end);
	lw_json_u64(json, "bytes", end - start);
	lw_json_str(json, "name", place->name);
	if (place->name)
		lw_json_u64(json, "name_offset", place->offset);
	if (place->section)
		lw_json_str(json, "section", place->section);
	lw_json_close(json, '}');
	lw_sframe_drain_json(json);
}

static void print_hole(struct check *check, u64 start, u64 end, const struct lw_code_place *place)
{
	if (check->json.out) {
		add_hole_json(check, start, end, place);
		return;
	}
	printf("no rule: 0x%llx-0x%llx  %llu bytes", start, end, end - start);
	if (place->name) {
		fputs("  ", stdout);
		lw_print_plain(stdout, place->name);
		if (place->offset)
			printf("+0x%llx", place->offset);
	}
	if (place->section) {
		fputs("  [", stdout);
		lw_print_plain(stdout, place->section);
		putchar(']');
	}
	putchar('\n');
}

/* Code without a rule, in one section: a piece for each symbol. */
static void add_hole(struct check *check, u64 start, u64 end)
{
	struct lw_code_place place;
	u64 stop;

	for (; start < end; start = stop) {
		lw_sframe_file_name(check->file, start, &place);
		stop = place.end < end ? place.end : end;
		if (check->verbose)
			print_hole(check, start, stop, &place);
		check->holes++;
		if (place.name)
			check->in_functions += stop - start;
	}
}

/* Counts all code from @done to @end. */
static void count(struct check *check, u64 end, bool covered)
{
	const struct lw_code_range *code = check->file->code;

	while (check->done < end && check->range < check->file->nr_code) {
		u64 start = code[check->range].start, stop = code[check->range].end;

		if (start < check->done)
			start = check->done;
		if (stop > end)
			stop = end;
		if (start < stop) {
			check->code += stop - start;
			if (covered)
				check->covered += stop - start;
			else
				add_hole(check, start, stop);
		}
		if (code[check->range].end > end)
			break;
		check->range++;
	}
	if (check->done < end)
		check->done = end;
}

static void cover(struct check *check, u64 start, u64 end)
{
	if (start >= end)
		return;
	count(check, start, false);
	count(check, end, true);
}

/* The first code that is not counted yet and not before @addr. */
static u64 next_code(const struct check *check, u64 addr)
{
	const struct lw_code_range *code = check->file->code;
	size_t i = check->range;

	if (addr < check->done)
		addr = check->done;
	while (i < check->file->nr_code && code[i].end <= addr)
		i++;
	if (i == check->file->nr_code)
		return ~0ULL;
	return addr < code[i].start ? code[i].start : addr;
}

/*
 * Blocks whose beginning has no rule; no tool writes them.  What is not code is
 * skipped, so there are no more steps than bytes in the file.
 */
static void cover_blocks(struct check *check, const struct function *function)
{
	const struct lw_sframe_fde *fde = &function->fde;
	u64 end = fde->start + fde->size, block = next_code(check, fde->start), stop;

	while (block < end) {
		block -= (block - fde->start) % fde->rep_size;
		/* the code may end at the last address: no sum may wrap */
		stop = end - block > fde->rep_size ? block + fde->rep_size : end;
		if (function->first < stop - block)
			cover(check, block + function->first, stop);
		block = next_code(check, stop);
	}
}

/*
 * As a look-up goes through the rows in turn, what is behind a row that can't
 * be read is not counted, nor is the row before it, whose end is not known.
 */
static void cover_function(struct check *check, const struct function *function)
{
	const struct lw_sframe_fde *fde = &function->fde;
	u64 end = fde->start + fde->size;

	if (function->outermost) {
		cover(check, fde->start, end);
		return;
	}
	if (function->first == ~0ULL)
		return;
	if (function->bad_row != NO_ROW)
		cover(check, fde->start + function->first, fde->start + function->last);
	else if (fde->mask && function->first)
		cover_blocks(check, function);
	else
		cover(check, fde->start + function->first, end);
}

static void measure(struct check *check)
{
	struct function function;

	for (u32 i = 0; i < check->sf->num_fdes; i++) {
		read_function(&function, check->sf, i);
		if (!function.result || function.bad_row != NO_ROW)
			cover_function(check, &function);
	}
	count(check, ~0ULL, false);
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

static void print_ranges(const struct check *check)
{
	const struct lw_sframe_file *file = check->file;

	if (!file->code[0].name) {
		fputs("executable segments", stdout);
		return;
	}
	fputs("executable sections", stdout);
	for (size_t i = 0; i < file->nr_code; i++) {
		putchar(' ');
		lw_print_plain(stdout, file->code[i].name);
	}
}

static void print_summary(const struct check *check, const char *path)
{
	u64 missing = check->code - check->covered;

	lw_print_plain(stdout, path);
	printf(": SFrame version %u, %s: ", check->sf->version, lw_sframe_abi_name(check->sf->abi));
	if (check->problems)
		printf("not valid, %llu problems\n", check->problems);
	else
		puts("valid");
	printf("functions  %u, %llu of them empty; %llu rows\n", check->sf->num_fdes, check->empty,
	       check->rows);
	if (check->unsorted || check->sharing) {
		puts("coverage   not told, look-ups in such a section find anything");
		return;
	}
	printf("code       %llu bytes: ", check->code);
	print_ranges(check);
	printf("\nwith rule  %llu bytes, %.2f %% of the code\n", check->covered,
	       percent(check->covered, check->code));
	printf("without    %llu bytes in %llu pieces: %llu in functions, %llu between them%s\n",
	       missing, check->holes, check->in_functions, missing - check->in_functions,
	       check->file->nr_names ? "" : " (no symbols)");
}

static void add_coverage_json(struct check *check)
{
	const struct lw_sframe_file *file = check->file;
	struct lw_json *json = &check->json;

	lw_json_line(json);
	lw_json_open(json, "code", '{');
	lw_json_str(json, "of",
		    file->code[0].name ? "executable sections" : "executable segments");
	lw_json_u64(json, "bytes", check->code);
	lw_json_open(json, "ranges", '[');
	for (size_t i = 0; i < file->nr_code; i++) {
		lw_json_open(json, NULL, '{');
		lw_json_u64(json, "start", file->code[i].start);
		lw_json_u64(json, "end", file->code[i].end);
		lw_json_str(json, "name", file->code[i].name);
		lw_json_close(json, '}');
		lw_sframe_drain_json(json);
	}
	lw_json_close(json, ']');
	lw_json_close(json, '}');
	lw_json_line(json);
	lw_json_u64(json, "with_rule", check->covered);
	lw_json_double(json, "percent", percent(check->covered, check->code), 4);
	lw_json_u64(json, "without_rule", check->code - check->covered);
	lw_json_u64(json, "pieces", check->holes);
	lw_json_u64(json, "in_functions", check->in_functions);
	lw_json_u64(json, "symbols", file->nr_names);
}

static void check_text(struct check *check, const struct lw_sframe_options *options)
{
	check_headers(check);
	check_functions(check);
	take_notes(check);
	if (!check->unsorted && !check->sharing)
		measure(check);
	print_summary(check, options->path);
}

/* Return: exit status. */
static int check_json(struct check *check, const struct lw_sframe_options *options)
{
	struct lw_json *json = &check->json;
	struct lw_strbuf out = { 0 };

	json->out = &out;
	lw_sframe_header_json(json, check->file, options);
	lw_json_open(json, "problems", '[');
	check_headers(check);
	check_functions(check);
	lw_json_close(json, ']');
	lw_json_line(json);
	lw_json_open(json, "notes", '[');
	take_notes(check);
	lw_json_close(json, ']');
	lw_json_line(json);
	lw_json_bool(json, "valid", !check->problems);
	lw_json_u64(json, "num_problems", check->problems);
	lw_json_u64(json, "empty_functions", check->empty);
	lw_json_u64(json, "rows", check->rows);
	lw_json_line(json);
	if (check->unsorted || check->sharing) {
		lw_json_null(json, "coverage");
	} else {
		lw_json_open(json, "coverage", '{');
		lw_json_open(json, "holes", '[');
		measure(check);
		lw_json_close(json, ']');
		add_coverage_json(check);
		lw_json_close(json, '}');
	}
	return lw_sframe_end_json(json);
}

/**
 * lw_sframe_check - check a section, print what is found
 * @file: opened, with names
 * @options: of the command line
 *
 * Return: exit status.
 */
int lw_sframe_check(struct lw_sframe_file *file, const struct lw_sframe_options *options)
{
	struct check check = {
		.file = file,
		.sf = &file->sf,
		.verbose = options->verbose,
	};
	int ret = LW_EXIT_OK;

	if (options->json)
		ret = check_json(&check, options);
	else
		check_text(&check, options);
	return check.problems ? LW_EXIT_FAILURE : ret;
}

/**
 * lw_sframe_check_failed - the same for a file that can't be opened
 * @options: of the command line
 *
 * lw_fail_text() says why, and was printed.
 *
 * Return: exit status.
 */
int lw_sframe_check_failed(const struct lw_sframe_options *options)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	if (options->json) {
		lw_json_open(&json, NULL, '{');
		lw_json_str(&json, "file", options->path);
		lw_json_line(&json);
		lw_json_open(&json, "problems", '[');
		lw_json_open(&json, NULL, '{');
		lw_json_str(&json, "reason", lw_fail_text());
		lw_json_close(&json, '}');
		lw_json_close(&json, ']');
		lw_json_line(&json);
		lw_json_open(&json, "notes", '[');
		lw_json_close(&json, ']');
		lw_json_line(&json);
		lw_json_bool(&json, "valid", false);
		lw_json_u64(&json, "num_problems", 1);
		lw_json_null(&json, "coverage");
		lw_sframe_end_json(&json);
	}
	return LW_EXIT_FAILURE;
}
