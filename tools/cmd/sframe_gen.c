// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_gen.c - latewind-sframe gen: make a table for a file that has none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/print.h"
#include "cmd/sframe_verbs.h"

/**
 * lw_sframe_gen_path - make the tables of a file by its name
 * @path: of it
 * @gen: out: to be freed with lw_gen_free()
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sframe_gen_path(const char *path, struct lw_gen *gen)
{
	/* a FIFO must not block us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return lw_fail(-errno, "%s: cannot open it: %s", path, strerror(errno));
	ret = lw_sframe_gen_fd(fd, path, LW_GEN_ANALYSIS, gen);
	close(fd);
	return ret;
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

static void print_holes(const struct lw_gen_counts *counts)
{
	for (int i = 0; i < LW_GEN_NUM_HOLES; i++) {
		if (counts->holes[i])
			printf("hole       %llu bytes in %llu pieces: %s\n", counts->hole_bytes[i],
			       counts->holes[i], lw_gen_hole_text(i));
	}
}

static void print_gen(const struct lw_gen *gen, const char *path, double ms)
{
	const struct lw_gen_counts *counts = &gen->counts;

	lw_print_plain(stdout, path);
	printf(": %llu bytes of call frame information, converted in %.2f ms\n", counts->cfi_size,
	       ms);
	for (size_t i = 0; i < gen->nr_tables; i++)
		printf("table      SFrame version %u, %zu bytes, for %llu bytes at offset 0x%llx\n",
		       gen->tables[i].version, gen->tables[i].size, gen->tables[i].text_size,
		       gen->tables[i].text_offset);
	printf("functions  %llu in %llu pieces, %llu rows in %llu blocks\n", counts->functions,
	       counts->pieces, counts->rows, counts->blocks);
	printf("code       %llu bytes, of which %llu are described\n", counts->code_bytes,
	       counts->cfi_bytes);
	printf("with rule  %llu bytes, %.3f %% of these\n", counts->covered_bytes,
	       percent(counts->covered_bytes, counts->cfi_bytes));
	if (counts->entry_bytes)
		printf("entry      %llu bytes that are not described, where the program begins\n",
		       counts->entry_bytes);
	if (counts->analysed_bytes)
		printf("analysed   %llu bytes that are not described, by their instructions\n",
		       counts->analysed_bytes);
	print_holes(counts);
}

static void add_holes_json(struct lw_json *json, const struct lw_gen_counts *counts)
{
	lw_json_open(json, "holes", '[');
	for (int i = 0; i < LW_GEN_NUM_HOLES; i++) {
		if (!counts->holes[i])
			continue;
		lw_json_open(json, NULL, '{');
		lw_json_str(json, "reason", lw_gen_hole_text(i));
		lw_json_u64(json, "pieces", counts->holes[i]);
		lw_json_u64(json, "bytes", counts->hole_bytes[i]);
		lw_json_close(json, '}');
	}
	lw_json_close(json, ']');
}

static void add_tables_json(struct lw_json *json, const struct lw_gen *gen)
{
	lw_json_open(json, "tables", '[');
	for (size_t i = 0; i < gen->nr_tables; i++) {
		const struct lw_gen_table *table = &gen->tables[i];

		lw_json_line(json);
		lw_json_open(json, NULL, '{');
		lw_json_u64(json, "version", table->version);
		lw_json_u64(json, "size", table->size);
		lw_json_u64(json, "text_offset", table->text_offset);
		lw_json_u64(json, "text_size", table->text_size);
		lw_json_u64(json, "text_address", table->text_addr);
		lw_json_close(json, '}');
	}
	lw_json_close(json, ']');
}

/* Return: exit status. */
static int print_gen_json(const struct lw_gen *gen, const char *path, double ms)
{
	const struct lw_gen_counts *counts = &gen->counts;
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };

	lw_json_open(&json, NULL, '{');
	lw_json_str(&json, "file", path);
	lw_json_line(&json);
	lw_json_double(&json, "ms", ms, 3);
	add_tables_json(&json, gen);
	lw_json_line(&json);
	lw_json_u64(&json, "cfi_size", counts->cfi_size);
	lw_json_u64(&json, "functions", counts->functions);
	lw_json_u64(&json, "pieces", counts->pieces);
	lw_json_u64(&json, "rows", counts->rows);
	lw_json_u64(&json, "blocks", counts->blocks);
	lw_json_line(&json);
	lw_json_u64(&json, "code_bytes", counts->code_bytes);
	lw_json_u64(&json, "empty_bytes", counts->empty_bytes);
	lw_json_u64(&json, "described_bytes", counts->cfi_bytes);
	lw_json_u64(&json, "covered_bytes", counts->covered_bytes);
	lw_json_double(&json, "percent", percent(counts->covered_bytes, counts->cfi_bytes), 4);
	lw_json_u64(&json, "entry_bytes", counts->entry_bytes);
	lw_json_u64(&json, "analysed_bytes", counts->analysed_bytes);
	lw_json_line(&json);
	add_holes_json(&json, counts);
	return lw_sframe_end_json(&json);
}

static int write_table(const char *path, const struct lw_gen_table *table)
{
	FILE *out = fopen(path, "wbe");
	bool done;

	if (!out)
		return lw_fail(-errno, "cannot write %s: %s", path, strerror(errno));
	done = fwrite(table->data, table->size, 1, out) == 1;
	if (fclose(out) || !done)
		return lw_fail(-EIO, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* One table: OUT; several: OUT-0xOFFSET, with the offset of the segment in the file. */
static int write_tables(const char *output, const struct lw_gen *gen)
{
	char *path;
	int ret = 0;

	if (gen->nr_tables == 1)
		return write_table(output, &gen->tables[0]);
	for (size_t i = 0; !ret && i < gen->nr_tables; i++) {
		if (asprintf(&path, "%s-0x%llx", output, gen->tables[i].text_offset) < 0)
			return lw_fail(-ENOMEM, "out of memory");
		ret = write_table(path, &gen->tables[i]);
		free(path);
	}
	return ret;
}

/**
 * lw_sframe_gen - make the tables of a file, say how that went
 * @options: of the command line
 *
 * Return: exit status.
 */
int lw_sframe_gen(const struct lw_sframe_options *options)
{
	u64 begin = lw_now();
	struct lw_gen gen;
	double ms;
	int ret;

	ret = lw_sframe_gen_path(options->path, &gen);
	ms = (lw_now() - begin) / 1e6;
	if (!ret && options->output) {
		ret = write_tables(options->output, &gen);
		if (ret)
			lw_gen_free(&gen);
	}
	if (ret) {
		fprintf(stderr, "latewind-sframe: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	if (options->json)
		ret = print_gen_json(&gen, options->path, ms);
	else
		print_gen(&gen, options->path, ms);
	lw_gen_free(&gen);
	return ret;
}
