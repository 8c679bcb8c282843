// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_sframe_gen.c - latewind sframe gen: make a table for a file that has none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/print.h"
#include "cmd/cmd_sframe.h"
#include "tables/table_cache.h"

static int open_file(const char *path)
{
	/* a FIFO must not block us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return lw_fail(-errno, "%s: cannot open it: %s", path, strerror(errno));
	return fd;
}

/**
 * lw_sframe_gen_path - make the tables of a file by its name
 * @path: of it
 * @gen: out: to be freed with lw_gen_free()
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sframe_gen_path(const char *path, struct lw_gen *gen)
{
	int fd = open_file(path), ret;

	if (fd < 0)
		return fd;
	ret = lw_sframe_gen_fd(fd, path, 0, gen);
	close(fd);
	return ret;
}

static int get_by_cache(const char *path, const char *dir, struct lw_gen *gen)
{
	struct lw_table_cache *cache;
	int fd, ret;

	ret = lw_table_cache_open(&cache, dir);
	if (ret)
		return ret;
	if (!lw_table_cache_dir(cache))
		fprintf(stderr, "latewind: no directory for the cache: nothing is kept\n"
			"  Name one with --dir, or set XDG_CACHE_HOME or HOME.\n");
	fd = open_file(path);
	ret = fd < 0 ? fd : lw_table_cache_get(cache, fd, path, gen);
	if (fd >= 0)
		close(fd);
	lw_table_cache_close(cache);
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
	printf(": %llu bytes of call frame information, %s in %.2f ms\n", counts->cfi_size,
	       gen->from_cache ? "from the cache" : "converted", ms);
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
	print_holes(counts);
}

static void print_holes_json(const struct lw_gen_counts *counts)
{
	const char *comma = "";

	fputs("\"holes\":[", stdout);
	for (int i = 0; i < LW_GEN_NUM_HOLES; i++) {
		if (!counts->holes[i])
			continue;
		printf("%s{\"reason\":\"%s\",\"pieces\":%llu,\"bytes\":%llu}", comma,
		       lw_gen_hole_text(i), counts->holes[i], counts->hole_bytes[i]);
		comma = ",";
	}
	puts("]}");
}

static void print_table_json(const struct lw_gen_table *table, const char *before)
{
	printf("%s{\"version\":%u,\"size\":%zu,\"text_offset\":%llu,", before, table->version,
	       table->size, table->text_offset);
	printf("\"text_size\":%llu,\"text_address\":%llu}", table->text_size, table->text_addr);
}

static void print_gen_json(const struct lw_gen *gen, const char *path, double ms)
{
	const struct lw_gen_counts *counts = &gen->counts;

	fputs("{\"file\":", stdout);
	lw_print_json(stdout, path);
	printf(",\n\"from_cache\":%s,\"ms\":%.3f,\"tables\":[", gen->from_cache ? "true" : "false",
	       ms);
	for (size_t i = 0; i < gen->nr_tables; i++)
		print_table_json(&gen->tables[i], i ? ",\n  " : "");
	printf("],\n\"cfi_size\":%llu,\"functions\":%llu,\"pieces\":%llu,", counts->cfi_size,
	       counts->functions, counts->pieces);
	printf("\"rows\":%llu,\"blocks\":%llu,\n\"code_bytes\":%llu,", counts->rows,
	       counts->blocks, counts->code_bytes);
	printf("\"described_bytes\":%llu,\"covered_bytes\":%llu,\"percent\":%.4f,",
	       counts->cfi_bytes, counts->covered_bytes,
	       percent(counts->covered_bytes, counts->cfi_bytes));
	printf("\"entry_bytes\":%llu,\n", counts->entry_bytes);
	print_holes_json(counts);
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

	if (options->cache || options->dir)
		ret = get_by_cache(options->path, options->dir, &gen);
	else
		ret = lw_sframe_gen_path(options->path, &gen);
	ms = (lw_now() - begin) / 1e6;
	if (!ret && options->output) {
		ret = write_tables(options->output, &gen);
		if (ret)
			lw_gen_free(&gen);
	}
	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	if (options->json)
		print_gen_json(&gen, options->path, ms);
	else
		print_gen(&gen, options->path, ms);
	lw_gen_free(&gen);
	return LW_EXIT_OK;
}

struct listing {
	bool json;
	u64 entries, bytes, broken;
};

static void print_entry(const struct lw_table_cache_entry *entry, void *arg)
{
	struct listing *listing = arg;

	if (listing->json) {
		printf("%s{\"file\":", listing->entries ? ",\n  " : "\n  ");
		lw_print_json(stdout, entry->name);
		fputs(",\"entry\":", stdout);
		lw_print_json(stdout, entry->file);
		printf(",\"size\":%llu,\"used\":%lld,\"sound\":%s,", entry->size, entry->used,
		       entry->sound ? "true" : "false");
		printf("\"version\":%u,\"functions\":%llu}", entry->version, entry->functions);
	} else if (entry->sound) {
		printf("%10llu bytes  %8llu functions  ", entry->size, entry->functions);
		lw_print_plain(stdout, entry->name);
		putchar('\n');
	}
	listing->entries++;
	listing->bytes += entry->size;
	listing->broken += !entry->sound;
}

static void list(struct lw_table_cache *cache, const char *dir, bool json)
{
	struct listing listing = { .json = json };

	if (json) {
		fputs("{\"directory\":", stdout);
		lw_print_json(stdout, dir);
		fputs(",\"entries\":[", stdout);
	}
	lw_table_cache_list(cache, print_entry, &listing);
	if (json) {
		printf("],\n\"bytes\":%llu}\n", listing.bytes);
		return;
	}
	lw_print_plain(stdout, dir);
	printf(": %llu files, %llu bytes; %llu of no use\n", listing.entries, listing.bytes,
	       listing.broken);
}

/**
 * lw_sframe_cache - list the cache, or remove all that is in it
 * @options: of the command line
 *
 * Return: exit status.
 */
int lw_sframe_cache(const struct lw_sframe_options *options)
{
	struct lw_table_cache *cache;
	const char *dir;
	s64 removed = 0;

	if (lw_table_cache_open(&cache, options->dir)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	dir = lw_table_cache_dir(cache);
	if (!dir)
		fprintf(stderr, "latewind: no directory for the cache: nothing is kept\n"
			"  Name one with --dir, or set XDG_CACHE_HOME or HOME.\n");
	else if (options->clear)
		removed = lw_table_cache_prune(cache, 0, 0);
	else
		list(cache, dir, options->json);
	if (dir && options->clear)
		printf(options->json ? "{\"removed\":%lld}\n" : "%lld tables removed\n", removed);
	lw_table_cache_close(cache);
	return dir && removed >= 0 ? LW_EXIT_OK : LW_EXIT_FAILURE;
}
