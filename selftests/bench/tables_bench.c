// SPDX-License-Identifier: GPL-2.0
/*
 * tables_bench.c - milliseconds until the files named on the standard input have
 * their tables, as when a recording starts; the module's part is left out.  Prints
 * them, those of CPU time, the files, the bytes of the tables.
 */
#include <string.h>
#include <sys/resource.h>

#include "tables/table_maker.h"

static int take(void *ctx, struct lw_table *table)
{
	u64 *bytes = ctx;

	__atomic_fetch_add(bytes, table->data_size, __ATOMIC_RELAXED);
	return 0;
}

static double cpu_milliseconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

int main(void)
{
	struct lw_table_maker_options options = { .stop_fd = -1 };
	struct lw_table_maker_stats stats;
	struct lw_table_maker *tables;
	char path[4096];
	u64 bytes = 0;

	tables = lw_table_maker_new(take, &bytes, &options);
	if (!tables)
		return 1;
	lw_table_maker_add_vdso(tables);
	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = 0;
		lw_table_maker_add_path(tables, path);
	}
	lw_table_maker_wait(tables);
	lw_table_maker_stats(tables, &stats);
	printf("%.1f %.1f %llu %llu\n", stats.start_time / 1e6, cpu_milliseconds(), stats.files,
	       bytes);
	lw_table_maker_free(tables);
	return 0;
}
