// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_dump.c - latewind-sframe dump: header, functions and rows.
 *
 * A function is printed when it is read; none is kept.
 */
#include "base/exit.h"
#include "base/print.h"
#include "cmd/sframe_verbs.h"

struct dump {
	const struct lw_sframe_file *file;
	const struct lw_sframe *sf;
	u32 broken;			/* functions, and walks over rows */
	u64 walked;			/* rows of the functions up to now */
	struct lw_json json;
};

static void print_header(const struct lw_sframe_file *file, const char *path)
{
	const struct lw_sframe *sf = &file->sf;

	lw_print_plain(stdout, path);
	printf(": SFrame version %u, %s\n", sf->version, lw_sframe_abi_name(sf->abi));
	if (file->is_table)
		printf("table      %llu bytes, for code at 0x%llx\n", file->src.size,
		       sf->place.addr);
	else
		printf("section    0x%llx, %llu bytes at offset 0x%llx of the file\n",
		       sf->place.addr, file->src.size, file->offset);
	for (size_t i = 0; i < file->nr_segments; i++)
		printf("code       0x%llx-0x%llx\n", file->segments[i].start,
		       file->segments[i].end);
	if (sf->place.entry)
		printf("entry      0x%llx\n", sf->place.entry);
	printf("flags      sorted%s%s\n", sf->flags & LW_SFRAME_FRAME_POINTER ?
	       ", all functions keep the frame pointer" : "",
	       sf->flags & LW_SFRAME_PCREL ? ", starts relative to their fields" : "");
	if (sf->fixed_ra)
		printf("fixed RA   *(cfa%+d)\n", sf->fixed_ra);
	if (sf->auxhdr_len)
		printf("auxiliary header  %u bytes\n", sf->auxhdr_len);
	printf("functions  %u\nrows       %u, %u bytes with their attributes\n", sf->num_fdes,
	       sf->num_fres, sf->fre_len);
}

static void print_name(const struct dump *dump, u64 addr)
{
	struct lw_code_place place;

	lw_sframe_file_name(dump->file, addr, &place);
	if (place.name) {
		fputs("  ", stdout);
		lw_print_plain(stdout, place.name);
		if (place.offset)
			printf("+0x%llx", place.offset);
	} else if (place.section) {
		fputs("  [", stdout);
		lw_print_plain(stdout, place.section);
		putchar(']');
	}
}

static void print_function(const struct dump *dump, u32 idx, const struct lw_sframe_fde *fde)
{
	printf("\nfunction %u  0x%llx-0x%llx  %u bytes, %u rows", idx, fde->start,
	       fde->start + fde->size, fde->size, fde->num_rows);
	print_name(dump, fde->start);
	if (fde->mask)
		printf("  (each %u bytes)", fde->rep_size);
	if (fde->type == LW_SFRAME_FLEX)
		fputs("  (flex)", stdout);
	if (fde->type == LW_SFRAME_PATH)
		fputs("  (path)", stdout);
	if (fde->signal)
		fputs("  (signal)", stdout);
	if (fde->analysed)
		fputs("  (analysed)", stdout);
	if (fde->told)
		printf("  (tells %s)", lw_sframe_told_text(dump->sf->abi, fde->told));
	if (fde->pauth_b)
		fputs("  (key B)", stdout);
	if (dump->sf->place.entry && fde->start == dump->sf->place.entry)
		fputs("  (entry: outermost)", stdout);
	else if (lw_sframe_has_no_caller(dump->sf, fde))
		fputs("  (outermost)", stdout);
	putchar('\n');
}

/* Rows of a repeated block are told by their place in it. */
static void print_row(const struct dump *dump, const struct lw_sframe_fde *fde,
		      const struct lw_sframe_row *row)
{
	char cfa[LW_VALUE_TEXT_MAX], ra[LW_VALUE_TEXT_MAX], fp[LW_VALUE_TEXT_MAX];
	const struct lw_rule *rule = &row->rule;

	if (fde->mask)
		printf("    +0x%x", row->start);
	else
		printf("    0x%llx", fde->start + row->start);
	if (rule->flags & LW_RULE_OUTERMOST) {
		fputs("  outermost\n", stdout);
		return;
	}
	lw_sframe_cfa_text(cfa, dump->sf->abi, rule);
	lw_sframe_value_text(ra, dump->sf->abi, &rule->ra);
	lw_sframe_value_text(fp, dump->sf->abi, &rule->fp);
	printf("  cfa %-8s ra %-10s fp %s%s%s", cfa, ra, fp,
	       rule->flags & LW_RULE_PAC ? "  pac" : "",
	       rule->flags & LW_RULE_SWITCH ? "  switch" : "");
	for (unsigned int i = 0; i < LW_RULE_SAVED; i++) {
		if (!rule->saved[i])
			continue;
		lw_sframe_saved_text(cfa, rule->saved[i]);
		printf("  %s %s", lw_sframe_told_text(dump->sf->abi, i + 1), cfa);
	}
	putchar('\n');
}

/* Functions that share rows could make any amount of text of a small file. */
static bool shares_too_much(struct dump *dump, const struct lw_sframe_fde *fde)
{
	dump->walked += fde->num_rows;
	return dump->walked > dump->file->src.size * LW_MAX_SHARING;
}

/* The message for the function that exceeds the limit; further functions are not shown. */
static const char *sharing_text(const struct dump *dump, char *buf, size_t size)
{
	snprintf(buf, size, "up to here %llu rows share %llu bytes: the rest is not shown",
		 dump->walked, dump->file->src.size);
	return buf;
}

static void dump_rows(struct dump *dump, const struct lw_sframe_fde *fde)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	int ret;

	lw_sframe_first_row(&cursor, dump->sf, fde);
	while (!(ret = lw_sframe_next_row(&cursor, &row)))
		print_row(dump, fde, &row);
	if (ret == LW_SFRAME_NO_RULE)
		return;
	printf("    problem: row %u: %s\n", cursor.next, lw_sframe_result_text(ret));
	dump->broken++;
}

static void dump_text(struct dump *dump, const char *path)
{
	struct lw_sframe_fde fde;
	char text[128];
	int ret;

	print_header(dump->file, path);
	for (u32 i = 0; i < dump->sf->num_fdes; i++) {
		ret = lw_sframe_get_fde(dump->sf, i, &fde);
		print_function(dump, i, &fde);
		if (!ret && !shares_too_much(dump, &fde)) {
			dump_rows(dump, &fde);
			continue;
		}
		printf("    problem: %s\n", ret ? lw_sframe_result_text(ret) :
		       sharing_text(dump, text, sizeof(text)));
		dump->broken++;
		if (!ret)
			return;
	}
}

static const char *type_name(unsigned int type)
{
	switch (type) {
	case LW_SFRAME_DEFAULT:
		return "default";
	case LW_SFRAME_FLEX:
		return "flex";
	case LW_SFRAME_PATH:
		return "path";
	}
	return "unknown";
}

static void function_json(struct dump *dump, u32 idx, const struct lw_sframe_fde *fde)
{
	struct lw_json *json = &dump->json;
	struct lw_code_place place;

	lw_sframe_file_name(dump->file, fde->start, &place);
	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_u64(json, "index", idx);
	lw_json_u64(json, "start", fde->start);
	lw_json_u64(json, "size", fde->size);
	lw_json_str(json, "name", place.name);
	if (place.name)
		lw_json_u64(json, "name_offset", place.offset);
	if (place.section)
		lw_json_str(json, "section", place.section);
	lw_json_str(json, "type", type_name(fde->type));
	lw_json_u64(json, "row_start_bytes", fde->start_size);
	lw_json_u64(json, "num_rows", fde->num_rows);
	if (fde->mask)
		lw_json_u64(json, "block", fde->rep_size);
	else
		lw_json_null(json, "block");
	lw_json_bool(json, "signal", fde->signal);
	lw_json_bool(json, "analysed", fde->analysed);
	if (fde->told)
		lw_json_str(json, "tells", lw_sframe_told_text(dump->sf->abi, fde->told));
	lw_json_bool(json, "key_b", fde->pauth_b);
}

/* Members for registers that are saved, or null if the caller's value is gone. */
static void saved_json(struct lw_json *json, unsigned int abi, const struct lw_rule *rule)
{
	for (unsigned int i = 0; i < LW_RULE_SAVED; i++) {
		if (rule->saved[i] == LW_RULE_GONE)
			lw_json_null(json, lw_sframe_told_text(abi, i + 1));
		else if (rule->saved[i])
			lw_json_s64(json, lw_sframe_told_text(abi, i + 1), rule->saved[i]);
	}
}

static void row_json(struct dump *dump, const struct lw_sframe_row *row)
{
	const struct lw_rule *rule = &row->rule;
	struct lw_json *json = &dump->json;
	bool outermost = rule->flags & LW_RULE_OUTERMOST;

	lw_json_line(json);
	lw_json_open(json, NULL, '{');
	lw_json_u64(json, "start", row->start);
	lw_json_bool(json, "outermost", outermost);
	if (!outermost) {
		lw_sframe_value_json(json, "cfa", dump->sf->abi, &rule->cfa);
		if (rule->cfa.index)
			lw_json_str(json, "index",
				    lw_sframe_index_text(dump->sf->abi, rule->cfa.index));
		if (rule->flags & LW_RULE_SWITCH || rule->then[0]) {
			lw_json_bool(json, "switch", rule->flags & LW_RULE_SWITCH);
			lw_json_u64(json, "derefs", rule->cfa.deref);
			lw_json_open(json, "then", '[');
			lw_json_s64(json, NULL, rule->then[0]);
			lw_json_s64(json, NULL, rule->then[1]);
			lw_json_close(json, ']');
		}
		lw_sframe_value_json(json, "ra", dump->sf->abi, &rule->ra);
		lw_sframe_value_json(json, "fp", dump->sf->abi, &rule->fp);
		lw_json_s64(json, "sp_offset", rule->sp_off);
		lw_json_bool(json, "pac", rule->flags & LW_RULE_PAC);
		saved_json(json, dump->sf->abi, rule);
	}
	lw_json_close(json, '}');
	lw_sframe_drain_json(json);
}

static int rows_json(struct dump *dump, const struct lw_sframe_fde *fde)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	int ret;

	lw_sframe_first_row(&cursor, dump->sf, fde);
	while (!(ret = lw_sframe_next_row(&cursor, &row)))
		row_json(dump, &row);
	return ret == LW_SFRAME_NO_RULE ? LW_SFRAME_OK : ret;
}

/* Return: false if no more may be shown. */
static bool dump_function_json(struct dump *dump, u32 idx)
{
	struct lw_sframe_fde fde;
	int ret = lw_sframe_get_fde(dump->sf, idx, &fde);
	bool stop = !ret && shares_too_much(dump, &fde);
	const char *problem;
	char text[128];

	function_json(dump, idx, &fde);
	lw_json_open(&dump->json, "rows", '[');
	if (!ret && !stop)
		ret = rows_json(dump, &fde);
	lw_json_close(&dump->json, ']');
	problem = stop ? sharing_text(dump, text, sizeof(text)) :
		  ret ? lw_sframe_result_text(ret) : NULL;
	lw_json_str(&dump->json, "problem", problem);
	dump->broken += !!problem;
	lw_json_close(&dump->json, '}');
	lw_sframe_drain_json(&dump->json);
	return !stop;
}

/* Return: exit status. */
static int dump_json(struct dump *dump, const struct lw_sframe_options *options)
{
	struct lw_strbuf out = { 0 };
	struct lw_json *json = &dump->json;

	json->out = &out;
	lw_sframe_header_json(json, dump->file, options);
	lw_json_open(json, "code", '[');
	for (size_t i = 0; i < dump->file->nr_segments; i++) {
		lw_json_open(json, NULL, '{');
		lw_json_u64(json, "start", dump->file->segments[i].start);
		lw_json_u64(json, "end", dump->file->segments[i].end);
		lw_json_close(json, '}');
	}
	lw_json_close(json, ']');
	lw_json_line(json);
	lw_json_open(json, "functions", '[');
	for (u32 i = 0; i < dump->sf->num_fdes; i++) {
		if (!dump_function_json(dump, i))
			break;
	}
	lw_json_close(json, ']');
	lw_json_line(json);
	lw_json_u64(json, "num_problems", dump->broken);
	return lw_sframe_end_json(json);
}

/**
 * lw_sframe_dump - print a section
 * @file: opened, with names
 * @options: of the command line
 *
 * Return: exit status.
 */
int lw_sframe_dump(struct lw_sframe_file *file, const struct lw_sframe_options *options)
{
	struct dump dump = { .file = file, .sf = &file->sf };
	int ret = LW_EXIT_OK;

	if (options->json)
		ret = dump_json(&dump, options);
	else
		dump_text(&dump, options->path);
	if (!dump.broken)
		return ret;
	fprintf(stderr, "latewind-sframe: %s: %u of its functions cannot be read\n"
		"  Run 'latewind-sframe check' for all problems.\n", options->path, dump.broken);
	return LW_EXIT_FAILURE;
}
