// SPDX-License-Identifier: GPL-2.0
/*
 * table_supply.c - keeps the module supplied with unwind tables while a verb records.
 *
 * Files get tables, and code that processes make gets rows (code_supply.c).
 *
 * In this order: what is mapped already is told by lw_table_supply_map(); after
 * lw_table_supply_wait() all of it has its tables and the events may be enabled.  What walks
 * meet then, the module tells.
 *
 * lw_table_supply_end() waits for nobody: a thread may hang in a file on a server that does
 * not answer.  Only when the outputs are complete it is waited for, and not for long.
 *
 * Contexts: the main thread; lw_table_supply_map() also those of synth_all.c.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "elf/program_dependencies.h"
#include "tables/table_supply.h"

/* For the numbers to be whole, and before we leave threads behind. */
#define SETTLE_NS	(NSEC_PER_SEC / 2)
#define LEAVE_NS	(2 * NSEC_PER_SEC)

static int hand_over(void *ctx, struct lw_table *table)
{
	return latewind_session_add_table(ctx, table);
}

static int next_file(void *ctx, struct lw_missing_file *file)
{
	*file = (struct lw_missing_file) { .size = sizeof(*file) };
	return latewind_session_next_file(ctx, file);
}

static bool path_of_file(void *ctx, const struct lw_missing_file *file, char *path, u32 size)
{
	struct lw_vma_query query = {
		.size = sizeof(query),
		.pid = file->pid,
		.addr = file->start,
		.name = (uintptr_t)path,
		.name_size = size,
	};

	return file->pid && !ioctl(latewind_session_fd(ctx), LW_IOC_VMA_QUERY, &query) &&
	       query.start == file->start;
}

static void file_done(void *ctx, u64 number)
{
	latewind_session_file_done(ctx, number);
}

static int add_code(void *ctx, struct lw_code *code)
{
	return ioctl(latewind_session_fd(ctx), LW_IOC_ADD_CODE, code) ? -errno : 0;
}

static bool find_mapping(void *ctx, struct lw_mapping *map, char *path)
{
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = LW_VMA_EXECUTABLE,
		.pid = map->pid,
		.addr = map->start,
		.name = (uintptr_t)path,
		.name_size = PATH_MAX,
	};

	if (map->pid <= 0 || ioctl(latewind_session_fd(ctx), LW_IOC_VMA_QUERY, &query) ||
	    query.start != map->start || !query.name_size)
		return false;
	map->end = query.end;
	map->dev = makedev(query.dev_major, query.dev_minor);
	map->ino = query.inode;
	return true;
}

static void add_path(void *ctx, const char *path)
{
	lw_table_maker_add_path(ctx, path);
}

/**
 * lw_table_supply_setup_flags - what the session is to be set up with
 * @session: opened
 * @off: no tables
 *
 * Return: LW_SETUP_*.
 */
u32 lw_table_supply_setup_flags(const struct latewind_session *session, bool off)
{
	return !off && lw_session_can(session, LW_FEATURE_FILES) ? LW_SETUP_FILES : 0;
}

static int start_watch(struct lw_table_supply *supply, struct latewind_session *session)
{
	const struct lw_files_source source = {
		.fd = latewind_session_fd(session),
		.events = POLLPRI,
		.ctx = session,
		.next = next_file,
		.path = path_of_file,
		.done = file_done,
	};

	if (!lw_session_can(session, LW_FEATURE_FILES))
		return lw_fail(-EOPNOTSUPP, "the loaded module does not tell of them\n"
			       "  It is older than this tool: install that of the same version.");
	return lw_table_watch_start(&supply->watch, supply->tables, &source);
}

static void start_code(struct lw_table_supply *supply, struct latewind_session *session)
{
	const struct lw_code_sink sink = { .ctx = session, .add = add_code, .find = find_mapping };

	if (lw_session_can(session, LW_FEATURE_CODE) &&
	    lw_code_supply_start(&supply->code, &sink) && !supply->quiet)
		fprintf(stderr, "latewind: code made at run time gets no unwind rows: %s\n",
			lw_fail_text());
}

/**
 * lw_table_supply_begin - begin to make tables
 * @supply: out
 * @session: set up with lw_table_supply_setup_flags(); in use until lw_table_supply_free()
 * @options: what for
 *
 * Return: 0, also where there are to be no tables, or -ENOMEM with lw_fail_text().
 */
int lw_table_supply_begin(struct lw_table_supply *supply, struct latewind_session *session,
			  const struct lw_table_supply_options *options)
{
	struct lw_table_maker_options how = {
		.verbose = options->verbose,
		.progress = !options->quiet,
		.analysis = lw_session_can(session, LW_FEATURE_ANALYSIS),
		.stop_fd = options->stop_fd,
		.done = file_done,
		.kept = options->kept,
	};

	memset(supply, 0, sizeof(*supply));
	supply->verbose = options->verbose;
	supply->quiet = options->quiet;
	if (options->off)
		return 0;
	if (!lw_session_can(session, LW_FEATURE_TABLES)) {
		if (!options->quiet)
			fprintf(stderr, "latewind: the loaded module takes no unwind tables\n"
				"  It is older than this tool: install that of the same version.\n");
		return 0;
	}
	supply->tables = lw_table_maker_new(hand_over, session, &how);
	if (!supply->tables)
		return lw_fail(-ENOMEM, "out of memory");
	/* without it stacks are guesses where a file is new, and say so */
	if (start_watch(supply, session) && !options->quiet)
		fprintf(stderr, "latewind: new files get no unwind table: %s\n", lw_fail_text());
	start_code(supply, session);
	lw_table_maker_add_vdso(supply->tables);
	if (options->command)
		lw_program_dependencies(options->command[0], add_path, supply->tables);
	return 0;
}

/**
 * lw_table_supply_map - a file was mapped executable before
 * @ctx: struct lw_table_supply
 * @map: the mapping
 *
 * Return: as lw_table_maker_add_map(); true where there are no tables.
 */
bool lw_table_supply_map(void *ctx, const struct lw_mapping *map)
{
	struct lw_table_supply *supply = ctx;

	return !supply->tables || lw_table_maker_add_map(supply->tables, map);
}

/**
 * lw_table_supply_record - look for code that a process makes
 * @supply: begun or zeroed
 * @record: any record of the side-band
 */
void lw_table_supply_record(struct lw_table_supply *supply, const struct perf_event_header *record)
{
	lw_code_supply_record(supply->code, record);
}

/**
 * lw_table_supply_wait - wait for the tables of all that was mapped before
 * @supply: begun
 */
void lw_table_supply_wait(struct lw_table_supply *supply)
{
	if (supply->tables)
		lw_table_maker_wait(supply->tables);
}

/**
 * lw_table_supply_end - no further tables; those that the module has stay
 * @supply: begun or zeroed
 *
 * Files that are being read still are.
 */
void lw_table_supply_end(struct lw_table_supply *supply)
{
	lw_table_watch_stop(supply->watch);
	lw_code_supply_stop(supply->code);
	if (supply->tables)
		lw_table_maker_stop(supply->tables);
}

static bool join(struct lw_table_supply *supply, u64 time)
{
	u64 until = lw_now() + time;

	return lw_table_watch_join(supply->watch, until) &&
	       lw_code_supply_join(supply->code, until) &&
	       (!supply->tables || lw_table_maker_join(supply->tables, until));
}

/**
 * lw_table_supply_settle - wait a moment for the files that are being read
 * @supply: ended; the numbers are final then, mostly
 */
void lw_table_supply_settle(struct lw_table_supply *supply)
{
	join(supply, SETTLE_NS);
}

/**
 * lw_table_supply_stats - what was done so far
 * @supply: begun or zeroed
 * @stats: out
 */
void lw_table_supply_stats(const struct lw_table_supply *supply, struct lw_table_maker_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (supply->tables)
		lw_table_maker_stats(supply->tables, stats);
}

/**
 * lw_table_supply_failed - files that have no table
 * @stats: what was done
 *
 * Return: their number.
 */
u64 lw_table_supply_failed(const struct lw_table_maker_stats *stats)
{
	u64 sum = 0;

	for (u32 i = 0; i < LW_TABLES_NR_FAILURES; i++)
		sum += stats->failed[i];
	return sum;
}

/**
 * lw_table_supply_follow_failed - is it unknown what was met meanwhile?
 * @supply: begun or zeroed
 *
 * Return: whether new files got no tables, or none from some time on.
 */
bool lw_table_supply_follow_failed(const struct lw_table_supply *supply)
{
	return supply->tables && (!supply->watch || lw_table_watch_error(supply->watch));
}

/* Files that have no CFI, or are not for us, are many, and the user can't change that. */
static bool is_worth_telling(const struct lw_table_supply *supply,
			     const struct lw_table_maker_stats *stats)
{
	u64 usual = stats->failed[LW_TABLES_NO_CFI] + stats->failed[LW_TABLES_NOT_ELF] +
		    stats->failed[LW_TABLES_FOREIGN];

	return lw_table_supply_failed(stats) > (supply->verbose ? 0 : usual);
}

static void say_code(const struct lw_table_supply *supply)
{
	struct lw_code_supply_stats stats;

	lw_code_supply_stats(supply->code, &stats);
	if (stats.error)
		fprintf(stderr, "latewind: code that programs made got no unwind rows: %s%s\n",
			strerror(-stats.error), stats.error == -EPERM ?
			"\n  That takes CAP_SYS_PTRACE, and locked memory." : "");
	if (stats.refused)
		fprintf(stderr, "latewind: the module refused unwind rows of %llu pieces of code\n"
			"  It has no room for them, or programs made them wrong.\n", stats.refused);
	if (supply->verbose && stats.pieces)
		fprintf(stderr, "latewind: %llu pieces of code made at run time got unwind rows\n",
			stats.pieces);
}

/**
 * lw_table_supply_say - tell of the files that have no table
 * @supply: begun or zeroed
 */
void lw_table_supply_say(const struct lw_table_supply *supply)
{
	int error = lw_table_watch_error(supply->watch);
	struct lw_table_maker_stats stats;
	const char *comma = " (";

	if (supply->quiet)
		return;
	say_code(supply);
	lw_table_supply_stats(supply, &stats);
	if (error)
		fprintf(stderr, "latewind: from some time on new files got no unwind table: %s\n"
			"  'latewind doctor' checks what is needed.\n",
			strerror(-error));
	if (!is_worth_telling(supply, &stats))
		return;
	fprintf(stderr, "latewind: %llu files have no unwind table",
		lw_table_supply_failed(&stats));
	for (u32 i = 0; i < LW_TABLES_NR_FAILURES; i++) {
		if (!stats.failed[i])
			continue;
		fprintf(stderr, "%s%llu %s", comma, stats.failed[i],
			lw_table_maker_failure_text(i));
		comma = ", ";
	}
	fputs(")\n  The callers of their code are guesses; --verbose names them.\n", stderr);
	if (stats.failed[LW_TABLES_NO_ROOM])
		fputs("  Raise table_bytes of the module, or the locked memory.\n", stderr);
}

/**
 * lw_table_supply_free - end, and free all
 * @supply: begun or zeroed
 *
 * Return: false if a thread still hangs in a file, which is told. It uses all of this,
 * and the session: nothing is left to do but to end the process.
 */
bool lw_table_supply_free(struct lw_table_supply *supply)
{
	lw_table_supply_end(supply);
	if (!join(supply, LEAVE_NS)) {
		fputs("latewind: a mapped file does not answer, and is left unread\n"
		      "  It may be on a server that is gone. What was recorded is complete.\n",
		      stderr);
		return false;
	}
	lw_table_watch_free(supply->watch);
	lw_code_supply_free(supply->code);
	lw_table_maker_free(supply->tables);
	memset(supply, 0, sizeof(*supply));
	return true;
}
