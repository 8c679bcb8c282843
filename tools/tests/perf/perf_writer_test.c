// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_test.c - stock perf reads what perf_writer.c, synth_processes.c and sideband.c
 * write: made-up samples in functions of this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/perf_writer.h"
#include "sideband/synth_processes.h"
#include "symbols/kernel_modules.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define TICK		0x1000000000000ULL
#define PROBE		(TICK + 1)
#define NR_SAMPLES	100

static char dir[32] = "/tmp/lw-perfdata-XXXXXX";

__attribute__((noinline)) static void leaf_function(void)
{
	asm volatile("" ::: "memory");
}

__attribute__((noinline)) static void middle_function(void)
{
	leaf_function();
	asm volatile("" ::: "memory");
}

static int write_record(void *ctx, const struct perf_event_header *record)
{
	return lw_perf_writer_record(ctx, record);
}

/* Of the file that is written next. */
static int zstd_level;
static bool zstd_aligned;
static bool deferred;

static u64 cookies;

static void write_samples(struct lw_perf_writer *out, u64 id, u64 stack_id, u32 user_depth)
{
	union made_stack room = { .stack = { .pid = getpid(), .tid = getpid() } };
	u64 frames[LW_MAX_DEPTH];
	struct lw_sample sample = {
		.record = { .flags = LW_SAMPLE_USER_IP },
		.ip = (unsigned long)leaf_function,
		.period = 1003009,
		.pid = getpid(),
		.tid = getpid(),
		.time = lw_now(),
	};

	frames[0] = sample.ip;
	for (u32 i = 1; i < user_depth; i++)
		frames[i] = (unsigned long)middle_function + 2;
	set_frames(&room, frames, user_depth);
	for (int i = 0; i < NR_SAMPLES; i++) {
		room.stack.cookie.counter = ++cookies;
		if (deferred)
			lw_perf_writer_deferred(out, id, stack_id, &sample, i ? &room.stack : NULL);
		else
			lw_perf_writer_sample(out, id, &sample, i ? &room.stack : NULL);
		/* backwards: perf has to sort them */
		sample.time -= 1000;
		room.stack.time = sample.time + 1;
	}
}

static void synthesise_kernel(struct lw_synth *synth)
{
	struct lw_kernel_modules *modules = lw_kernel_modules_new("/proc/kallsyms",
								  "/proc/modules");

	if (!modules)
		return;
	lw_kernel_modules_begin(modules);
	lw_synth_kernel(synth, lw_kernel_modules_range(modules));
	lw_kernel_modules_free(modules);
}

static int write_file(const char *path, u32 user_depth, bool with_tick, bool with_losses)
{
	struct perf_event_attr tick = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = 997,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	}, probe = tick;
	pid_t self = getpid();
	struct lw_target target = { .pid = self, .tids = &self, .nr_tids = 1 };
	char *argv[4] = { NULL };
	const u64 ids[] = { TICK, PROBE };
	struct lw_perf_writer out;
	struct lw_sideband sb;
	struct lw_synth *synth;
	int ret;

	argv[0] = "latewind";
	argv[1] = "record";
	argv[2] = "-a";
	probe.config = LW_CONFIG_NAME_ONLY;
	probe.freq = 0;
	probe.sample_period = 1;
	if (lw_sideband_open(&sb, &target, LW_SIDEBAND_CODE, true) ||
	    lw_perf_writer_open(&out, path))
		return -1;
	if (deferred) {
		lw_perf_writer_set_deferred(&tick, true);
		lw_perf_writer_set_deferred(&probe, true);
		lw_perf_writer_set_deferred(&sb.attr, false);
	}
	if (with_tick)
		lw_perf_writer_add_event(&out, "cpu-clock", &tick, &ids[0], 1);
	lw_perf_writer_add_event(&out, "sched:sched_switch", &probe, &ids[1], 1);
	lw_perf_writer_add_event(&out, "dummy:u", &sb.attr, sb.ids, sb.nr_fds);
	if (zstd_level)
		lw_perf_writer_pack(&out, zstd_level, zstd_aligned);
	lw_perf_writer_begin(&out, 3, argv);
	synth = lw_synth_new(write_record, &out);
	lw_synth_also_namespaces(synth);
	synthesise_kernel(synth);
	lw_synth_process(synth, self);
	lw_synth_free(synth);
	if (with_tick)
		write_samples(&out, TICK, sb.ids[0], user_depth);
	write_samples(&out, PROBE, sb.ids[0], user_depth);
	if (system("exit 0"))
		return -1;
	lw_sideband_read(&sb, write_record, &out);
	if (with_losses) {
		lw_perf_writer_lost(&out, TICK, 0, lw_now(), 7);
		lw_perf_writer_lost_samples(&out, TICK, 5);
	}
	ret = lw_perf_writer_finish(&out);
	lw_perf_writer_close(&out);
	lw_sideband_close(&sb);
	return ret;
}

/* To the standard output, as in a pipe. */
static int write_pipe(const char *path)
{
	int old = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), ret;

	if (old < 0 || fd < 0)
		return -1;
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ret = write_file("-", 4, true, false);
	dup2(old, STDOUT_FILENO);
	close(old);
	close(fd);
	return ret;
}

static int lines_of(const char *format)
{
	char command[512], text[32] = "-1";
	FILE *pipe;

	snprintf(command, sizeof(command), format, dir);
	pipe = popen(command, "r");
	if (!pipe || !fgets(text, sizeof(text), pipe))
		text[0] = 0;
	if (pipe)
		pclose(pipe);
	return atoi(text);
}

#define SCRIPT	"perf script -i %s/data 2>/dev/null "
#define DUMP	"perf script -D -i %s/data 2>/dev/null "
#define REPORT	"perf report --stdio -i %s/data 2>/dev/null "
#define HEADER	"perf report --header-only -i %s/data 2>/dev/null "

#define NAMESPACES	"perf script --show-namespace-events -i %s/data 2>/dev/null "
#define LOST		"perf script -D -i %s/lost 2>/dev/null "
#define PIPE(verb)	"cat %s/pipe | perf " verb " -i - 2>/dev/null "
#define BUILD_IDS	"perf buildid-list -i %s/data 2>/dev/null "

#define MODEL_NAME	"$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
#define OWN_BUILD_ID	"$(readelf -n /proc/$PPID/exe | sed -n 's/.*Build ID: //p')"

static bool script_shows_every_sample(void)
{
	CHECK(lines_of(SCRIPT "| grep -c 'cpu-clock:'") == NR_SAMPLES);
	CHECK(lines_of(SCRIPT "| grep -c 'sched:sched_switch:'") == NR_SAMPLES);
	return true;
}

static bool script_names_every_frame(void)
{
	CHECK(lines_of(SCRIPT "| grep -c 'leaf_function+0x0'") == 2 * NR_SAMPLES);
	CHECK(lines_of(SCRIPT "| grep -c 'middle_function+0x2'") == 2 * (NR_SAMPLES - 1) * 3);
	return true;
}

static bool script_and_report_do_not_complain(void)
{
	CHECK(lines_of("perf script -i %s/data 2>&1 >/dev/null | wc -l") == 0);
	CHECK(lines_of("perf report --stdio -i %s/data 2>&1 >/dev/null | wc -l") == 0);
	CHECK(lines_of(REPORT "| grep -c '100.00%%.*leaf_function'") >= 2);
	return true;
}

static bool times_come_out_sorted(void)
{
	CHECK(lines_of(SCRIPT "-F time | sort -c -n && echo 1") == 1);
	return true;
}

static bool build_id_of_this_program_is_in_the_file(void)
{
	CHECK(lines_of(DUMP "| grep 'MMAP2.*perf_writer_test' | grep -c 'r-xp'") == 1);
	CHECK(lines_of(DUMP "| grep -c 'MMAP2.*<[0-9a-f]\\{40\\}>.*perf_writer_test'") == 1);
	return true;
}

static bool side_band_tells_of_forks_and_execs(void)
{
	CHECK(lines_of(SCRIPT "--show-task-events | grep -c PERF_RECORD_FORK") >= 1);
	CHECK(lines_of(SCRIPT "--show-task-events | grep -c 'COMM exec: sh'") >= 1);
	return true;
}

/* Those that are made here, of this program, are as the kernel's, of the shell. */
static bool side_band_tells_of_namespaces(void)
{
	CHECK(lines_of(NAMESPACES "| grep -c 'PERF_RECORD_NAMESPACES'") >= 2);
	CHECK(lines_of(NAMESPACES "| grep -c '0/net: [0-9]*/0x[0-9a-f]*[1-9a-f]'") >= 2);
	CHECK(lines_of(NAMESPACES "| grep -o '0.net: [^], ]*' | sort -u | wc -l") == 1);
	CHECK(lines_of(NAMESPACES "| grep -o '5.mnt: [^], ]*' | sort -u | wc -l") == 1);
	return true;
}

static bool header_tells_command_line_and_host(void)
{
	CHECK(lines_of(HEADER "| grep -c 'cmdline : latewind record -a'") == 1);
	CHECK(lines_of(HEADER "| grep -c \"hostname : $(hostname)\"") == 1);
	return true;
}

static bool header_tells_cpu_and_clock(void)
{
	CHECK(lines_of(HEADER "| grep -c \"cpudesc : " MODEL_NAME "$\"") == 1 ||
	      lines_of("grep -c '^model name' /proc/cpuinfo # %s") == 0);
	CHECK(lines_of(HEADER "| grep -c 'cpuid : [A-Za-z]*,[0-9]*,[0-9]*,[0-9]*$'") == 1 ||
	      lines_of("grep -c '^vendor_id' /proc/cpuinfo # %s") == 0);
	CHECK(lines_of(HEADER "| grep -c 'clockid: monotonic'") == 1);
	CHECK(lines_of(SCRIPT "-F tod | sort -u | grep -c \"$(date +%%F)\"") >= 1);
	return true;
}

static bool header_has_room_for_every_cpu(void)
{
	CHECK(lines_of(HEADER "| sed -n 's/.*nrcpus avail : //p'") > 0);
	CHECK(lines_of(HEADER "| sed -n 's/.*nrcpus avail : //p'") ==
	      lines_of("sed 's/.*[-,]//' /sys/devices/system/cpu/present # %s") + 1);
	CHECK(lines_of(HEADER "| sed -n 's/.*nrcpus online : //p'") ==
	      sysconf(_SC_NPROCESSORS_ONLN));
	return true;
}

/* libelf has no sample: perf can know it only from the table. */
static bool table_of_build_ids_has_what_was_mapped(void)
{
	CHECK(lines_of(BUILD_IDS "| grep -c '^[0-9a-f]\\{40\\} .*/libelf'") == 1);
	CHECK(lines_of(BUILD_IDS "| grep -c \"^" OWN_BUILD_ID " .*perf_writer_test\"") == 1);
	CHECK(lines_of(BUILD_IDS "| grep -c \"^$(perf buildid-list -k) .*kallsyms.$\"") == 1);
	return true;
}

static bool losses_are_told(void)
{
	CHECK(lines_of(LOST "| grep -c 'PERF_RECORD_LOST.*lost:7'") == 1);
	CHECK(lines_of(LOST "| grep -c 'PERF_RECORD_LOST_SAMPLES.*:5$'") == 1);
	CHECK(lines_of("perf report --stdio -i %s/lost 2>&1 | grep -c 'lost 1 chunks'") == 1);
	return true;
}

static bool pipe_is_read_as_a_file_is(void)
{
	CHECK(lines_of(PIPE("script") "| grep -c 'cpu-clock:'") == NR_SAMPLES);
	CHECK(lines_of(PIPE("script") "| grep -c 'sched:sched_switch:'") == NR_SAMPLES);
	CHECK(lines_of(PIPE("script") "| grep -c 'middle_function+0x2'") ==
	      2 * (NR_SAMPLES - 1) * 3);
	CHECK(lines_of("cat %s/pipe | perf script -i - 2>&1 >/dev/null | wc -l") == 0);
	CHECK(lines_of(PIPE("report --stdio") "| grep -c '100.00%%.*leaf_function'") >= 2);
	CHECK(lines_of(PIPE("report --stdio --header") "| grep -c 'cmdline : latewind'") == 1);
	CHECK(lines_of(PIPE("script -D") "| grep -c 'MMAP2.*perf_writer_test'") >= 1);
	CHECK(lines_of(PIPE("buildid-list") "| grep -c 'perf_writer_test$'") == 1);
	return true;
}

/* perf 7 wants that, of all but COMPRESSED. */
static bool records_in_a_pipe_are_aligned(void)
{
	static u8 bytes[1 << 20];
	char path[64];
	size_t size, at;
	FILE *file;

	snprintf(path, sizeof(path), "%s/pipe", dir);
	file = fopen(path, "re");
	CHECK(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	CHECK(size < sizeof(bytes));
	for (at = 16; at + sizeof(struct perf_event_header) <= size;) {
		const struct perf_event_header *record = (const void *)(bytes + at);

		CHECK(record->size && record->size % sizeof(u64) == 0);
		at += record->size;
	}
	CHECK(at == size && size > 16);
	return true;
}

static bool recording_does_not_go_to_a_terminal_nor_wait_for_a_reader(void)
{
	struct lw_perf_writer out;
	char path[64];

	snprintf(path, sizeof(path), "%s/fifo", dir);
	CHECK(!mkfifo(path, 0600));
	CHECK(lw_perf_writer_open(&out, path) == -ENXIO);
	CHECK(strstr(lw_fail_text(), "nobody reads it"));
	lw_perf_writer_close(&out);
	CHECK(lw_perf_writer_open(&out, "/dev/ptmx") == -EINVAL);
	CHECK(strstr(lw_fail_text(), "terminal"));
	lw_perf_writer_close(&out);
	return true;
}

static const struct perf_event_header *record_of(const u8 *bytes, size_t size, u32 type, u32 nr)
{
	u64 data[2];

	/* the section of data */
	memcpy(data, bytes + 40, sizeof(data));
	for (u64 at = data[0]; at < data[0] + data[1] && at < size;) {
		const struct perf_event_header *record = (const void *)(bytes + at);

		if (record->type == type && !nr--)
			return record;
		at += record->size;
	}
	return NULL;
}

#define DEFERRED	22

/* Two samples of one cookie, and one that hit after the walk had begun. */
static bool deferred_stacks_are_records_of_their_own(void)
{
	static const u64 frames[2] = { 0x1111, 0x3333 };
	union made_stack room = { .stack = {
		.pid = 11, .tid = 12, .time = 300, .cookie = { .counter = 5, .cpu = 3 },
	} };
	union {
		struct lw_sample sample;
		u64 words[sizeof(struct lw_sample) / 8 + 1];
	} hit = { .sample = { .nr_kernel = 1, .time = 100, .ip = 0x2222 } };
	static u8 bytes[65536];
	const struct perf_event_header *record;
	struct lw_perf_writer out;
	const u64 *words;
	char path[64];
	size_t size;
	FILE *file;

	set_frames(&room, frames, 2);
	hit.sample.kernel[0] = 0x2222;
	snprintf(path, sizeof(path), "%s/deferred", dir);
	CHECK(!lw_perf_writer_open(&out, path) && !lw_perf_writer_begin(&out, 0, NULL));
	for (u64 time = 100; time <= 200; time += 100) {
		hit.sample.time = time;
		CHECK(!lw_perf_writer_deferred(&out, TICK, 7, &hit.sample, &room.stack));
	}
	hit.sample.time = 400;
	CHECK(!lw_perf_writer_deferred(&out, TICK, 7, &hit.sample, &room.stack));
	CHECK(!lw_perf_writer_deferred(&out, TICK, 7, &hit.sample, NULL));
	CHECK(!lw_perf_writer_finish(&out));
	lw_perf_writer_close(&out);
	file = fopen(path, "re");
	CHECK(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);

	record = record_of(bytes, size, PERF_RECORD_SAMPLE, 1);
	CHECK(record);
	words = (const u64 *)(record + 1);
	/* id, ip, pid, time, cpu, period, then the chain */
	CHECK(words[6] == 4 && words[7] == (u64)-128 && words[8] == 0x2222);
	CHECK(words[9] == (u64)-640 && words[10] == (5 << 16 | 3));
	record = record_of(bytes, size, PERF_RECORD_SAMPLE, 3);
	CHECK(record && ((const u64 *)(record + 1))[6] == 2);
	record = record_of(bytes, size, DEFERRED, 0);
	CHECK(record && record->misc == PERF_RECORD_MISC_USER && record->size == 8 + 16 + 24 + 32);
	words = (const u64 *)(record + 1);
	CHECK(words[0] == (5 << 16 | 3) && words[1] == 3 && words[2] == (u64)-512);
	CHECK(words[3] == 0x1111 && words[4] == 0x3333);
	CHECK(words[5] == (12ULL << 32 | 11) && words[6] == 300 && words[8] == 7);
	/* the younger sample has it once more */
	record = record_of(bytes, size, DEFERRED, 1);
	CHECK(record && ((const u64 *)(record + 1))[6] == 400);
	CHECK(!record_of(bytes, size, DEFERRED, 2));
	return true;
}

/* Samples of a cgroup that has a name, and of one that has not. */
static int write_cgroups(void)
{
	struct perf_event_attr tick = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
	};
	const struct {
		struct perf_event_header header;
		u64 id;
		char path[16];
		struct lw_sample_id sample_id;
	} cgroup = {
		.header = { .type = PERF_RECORD_CGROUP, .size = sizeof(cgroup) },
		.id = 3ULL << 32 | 7,
		.path = "/some/where",
		.sample_id = { .id = TICK },
	};
	union {
		struct lw_sample sample;
		u64 words[sizeof(struct lw_sample) / 8 + 1];
	} hit = { .sample = {
		.record = { .flags = LW_SAMPLE_CGROUP | LW_SAMPLE_USER_IP }, .period = 1,
		.pid = 4100, .tid = 4100, .ip = 0x401000,
	} };
	struct lw_perf_writer out;
	char path[64];
	u64 id = TICK;

	snprintf(path, sizeof(path), "%s/cgroups", dir);
	if (lw_perf_writer_open(&out, path))
		return -1;
	lw_perf_writer_tell_cgroups(&out);
	lw_perf_writer_add_event(&out, "cpu-clock", &tick, &id, 1);
	lw_perf_writer_begin(&out, 0, NULL);
	lw_perf_writer_record(&out, &cgroup.header);
	for (u32 i = 0; i < 4; i++) {
		hit.sample.kernel[0] = i == 3 ? 9 : cgroup.id;
		hit.sample.time = 1000 + i;
		lw_perf_writer_sample(&out, TICK, &hit.sample, NULL);
	}
	if (lw_perf_writer_finish(&out))
		return -1;
	lw_perf_writer_close(&out);
	return 0;
}

#define CGROUPS(verb)	"perf " verb " -i %s/cgroups 2>/dev/null "
#define BY_CGROUP	CGROUPS("report --stdio --no-children -s cgroup")

static bool cgroups_are_read_by_perf(void)
{
	CHECK(!write_cgroups());
	CHECK(lines_of(BY_CGROUP "| grep -c ' 75.00%%.* /some/where *$'") == 1);
	CHECK(lines_of(BY_CGROUP "| grep -c ' 25.00%%.* unknown *$'") == 1);
	CHECK(lines_of(CGROUPS("report --stats") "| sed -n 's/.*CGROUP events: *//p'") == 1);
	/* perf 6.1 has no such field */
	if (lines_of("perf script -h 2>&1 | grep -c ',cgroup' # %s") < 1)
		return true;
	CHECK(lines_of(CGROUPS("script -F +cgroup") "| grep -c '^ /some/where$'") == 3);
	return true;
}

static bool perf_joins_deferred_stacks(void)
{
	if (lines_of("perf script -h 2>&1 | grep -c merge-callchains # %s") < 1)
		return true;
	CHECK(lines_of("perf script -i %s/joined 2>&1 | grep -c 'middle_function+0x2'") ==
	      2 * (NR_SAMPLES - 1) * 3);
	return true;
}

static bool deferred_bits_are_those_of_the_kernel(void)
{
	struct perf_event_attr attr = { .sigtrap = 1 };
	u64 words[16] = { 0 };

	lw_perf_writer_set_deferred(&attr, true);
	memcpy(words, &attr, sizeof(attr) < sizeof(words) ? sizeof(attr) : sizeof(words));
	CHECK(words[5] == 3ULL << 37);
	lw_perf_writer_set_deferred(&attr, false);
	memcpy(words, &attr, sizeof(attr) < sizeof(words) ? sizeof(attr) : sizeof(words));
	CHECK(words[5] == 7ULL << 37);
	return true;
}

static bool packed_file_is_read_as_another_is(void)
{
	CHECK(lines_of("perf script -i %s/packed | grep -c 'middle_function+0x2'") ==
	      2 * (NR_SAMPLES - 1) * 3);
	CHECK(lines_of("perf script -i %s/packed 2>&1 >/dev/null | wc -l") == 0);
	CHECK(lines_of("perf report --header-only -i %s/packed | grep -c 'Zstd, level = 3'") == 1);
	CHECK(lines_of("perf buildid-list -i %s/packed | grep -c 'perf_writer_test$'") == 1);
	CHECK(2 * lines_of("stat -c %%s %s/packed") < lines_of("stat -c %%s %s/data"));
	/* perf of an age that has the option knows COMPRESSED2, too */
	CHECK(lines_of("perf script -h 2>&1 | grep -c merge-callchains # %s") < 1 ||
	      lines_of("perf script -i %s/aligned | grep -c 'middle_function+0x2'") ==
	      2 * (NR_SAMPLES - 1) * 3);
	CHECK(lines_of("cat %s/packed-pipe | perf script -i - | grep -c 'middle_function+0x2'") ==
	      2 * (NR_SAMPLES - 1) * 3);
	return true;
}

static bool deepest_chain_fits_a_record(void)
{
	CHECK(lines_of("perf script --max-stack 2000 -i %s/deep | grep -c middle_function+") ==
	      2 * (NR_SAMPLES - 1) * (LW_MAX_DEPTH - 1));
	return true;
}

static bool event_with_a_name_only_shows_its_frames(void)
{
	CHECK(lines_of("perf script -i %s/probe 2>&1 | grep -c 'middle_function+0x2'") ==
	      (NR_SAMPLES - 1) * 3);
	CHECK(lines_of("perf report --stdio -i %s/probe 2>&1 | grep -c '100.*leaf_fun'") >= 1);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(script_shows_every_sample),
		TEST(script_names_every_frame),
		TEST(script_and_report_do_not_complain),
		TEST(times_come_out_sorted),
		TEST(build_id_of_this_program_is_in_the_file),
		TEST(side_band_tells_of_forks_and_execs),
		TEST(side_band_tells_of_namespaces),
		TEST(header_tells_command_line_and_host),
		TEST(header_tells_cpu_and_clock),
		TEST(header_has_room_for_every_cpu),
		TEST(table_of_build_ids_has_what_was_mapped),
		TEST(losses_are_told),
		TEST(pipe_is_read_as_a_file_is),
		TEST(records_in_a_pipe_are_aligned),
		TEST(recording_does_not_go_to_a_terminal_nor_wait_for_a_reader),
		TEST(deferred_stacks_are_records_of_their_own),
		TEST(cgroups_are_read_by_perf),
		TEST(perf_joins_deferred_stacks),
		TEST(deferred_bits_are_those_of_the_kernel),
		TEST(packed_file_is_read_as_another_is),
		TEST(deepest_chain_fits_a_record),
		TEST(event_with_a_name_only_shows_its_frames),
	};
	char path[64];
	u32 features;
	int ret;

	if (system("perf --version >/dev/null 2>&1") || lw_sideband_probe(&features) ||
	    access("/sys/devices/system/cpu/online", R_OK)) {
		printf("TAP version 13\n1..0 # SKIP no perf, no right to use it, or no sysfs\n");
		return 0;
	}
	middle_function();
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/data", dir);
	ret = write_file(path, 4, true, false);
	snprintf(path, sizeof(path), "%s/probe", dir);
	if (!ret)
		ret = write_file(path, 4, false, false);
	snprintf(path, sizeof(path), "%s/lost", dir);
	if (!ret)
		ret = write_file(path, 4, true, true);
	snprintf(path, sizeof(path), "%s/pipe", dir);
	if (!ret)
		ret = write_pipe(path);
	zstd_level = 3;
	snprintf(path, sizeof(path), "%s/packed", dir);
	if (!ret)
		ret = write_file(path, 4, true, false);
	snprintf(path, sizeof(path), "%s/packed-pipe", dir);
	if (!ret)
		ret = write_pipe(path);
	zstd_aligned = true;
	snprintf(path, sizeof(path), "%s/aligned", dir);
	if (!ret)
		ret = write_file(path, 4, true, false);
	zstd_level = 0;
	deferred = true;
	snprintf(path, sizeof(path), "%s/joined", dir);
	if (!ret)
		ret = write_file(path, 4, true, false);
	deferred = false;
	snprintf(path, sizeof(path), "%s/deep", dir);
	if (ret || write_file(path, LW_MAX_DEPTH, true, false)) {
		printf("Bail out! %s\n", lw_fail_text());
		return 1;
	}
	ret = tap_run(tests, ARRAY_SIZE(tests));
	if (!ret) {
		snprintf(path, sizeof(path), "rm -r %s", dir);
		ret = !!system(path);
	} else {
		printf("# the files are in %s\n", dir);
	}
	return ret;
}
