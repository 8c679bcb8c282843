// SPDX-License-Identifier: GPL-2.0
/*
 * profile_load_test.c - from a perf.data file to stacks with names: of the mapping,
 * the program and the name that there were when a sample was taken.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/perf_writer.h"
#include "profile/profile_load.h"
#include "jit/jit_dump.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define TICK		0x1000000000000ULL
#define PARENT		4100U
#define CHILD		4200U
#define KERNEL		0xffffffffa0001000ULL

static char dir[40] = "/tmp/lw-load-profile-XXXXXX";
static char path[64];
static u64 leaf_at, middle_at;

__attribute__((noinline)) static void leaf_function(void)
{
	asm volatile("" ::: "memory");
}

__attribute__((noinline)) static void middle_function(void)
{
	leaf_function();
	asm volatile("" ::: "memory");
}

static u64 inlined_at;

static inline __attribute__((always_inline)) void inlined_call(void)
{
	asm volatile("lea 0f(%%rip), %0\n0:" : "=r"(inlined_at));
}

__attribute__((noinline)) static void outer_function(void)
{
	inlined_call();
	asm volatile("" ::: "memory");
}

/* One that ends in a call, with the next one right behind it; one behind a gap. */
asm(".text\n"
	".type ends_in_call, @function\n"
	"ends_in_call: call abort\n"
	".size ends_in_call, . - ends_in_call\n"
	".type next_one, @function\n"
	"next_one: ret\n"
	".size next_one, . - next_one\n"
	"nop\n"
	".type behind_gap, @function\n"
	"behind_gap: ret\n"
	".size behind_gap, . - behind_gap\n");
static u64 next_at, gap_at;

/* --- making recordings */

static struct lw_sample_id trailer(u32 pid, u64 time)
{
	return (struct lw_sample_id) { .pid = pid, .tid = pid, .time = time, .id = TICK };
}

/* A name or path in a record of some kind, with a trailer. */
struct record {
	union {
		struct perf_event_header header;
		struct lw_mmap2 map;
		struct {
			struct perf_event_header header;
			u32 pid, tid;
			char name[];
		} comm;
		struct {
			struct perf_event_header header;
			u32 pid, ppid, tid, ptid;
			u64 time;
		} task;
		struct {
			struct perf_event_header header;
			u64 addr;
			u32 len;
			u16 type, flags;
			char name[];
		} ksymbol;
		struct {
			struct perf_event_header header;
			u64 id;
			char name[];
		} cgroup;
		u8 bytes[4400];
	};
};

static int put_record(struct lw_perf_writer *out, struct record *record, size_t size, u32 type,
		      u32 pid, u64 time)
{
	struct lw_sample_id id = trailer(pid, time);

	size = ALIGN_UP(size, 8);
	record->header.type = type;
	record->header.size = size + sizeof(id);
	memcpy(record->bytes + size, &id, sizeof(id));
	return lw_perf_writer_record(out, &record->header);
}

static int put_map(struct lw_perf_writer *out, u32 pid, u64 time, u64 start, u64 end, u64 pgoff,
		   const char *name)
{
	struct record record = { 0 };

	record.header.misc = PERF_RECORD_MISC_USER;
	record.map.pid = pid;
	record.map.tid = pid;
	record.map.addr = start;
	record.map.len = end - start;
	record.map.pgoff = pgoff;
	record.map.prot = PROT_READ | PROT_EXEC;
	strcpy(record.map.filename, name);
	return put_record(out, &record, sizeof(record.map) + strlen(name) + 1, PERF_RECORD_MMAP2,
			  pid, time);
}

/* This program where it is, in a process of that number. */
static int put_own_map(struct lw_perf_writer *out, u32 pid, u64 time)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4400], name[4200];
	u64 start, end, pgoff;
	int ret = -1;

	while (file && ret && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4199s", &start, &end, &pgoff,
			   name) == 4 && leaf_at >= start && leaf_at < end)
			ret = put_map(out, pid, time, start, end, pgoff, name);
	}
	if (file)
		fclose(file);
	return ret;
}

static int put_comm(struct lw_perf_writer *out, u32 pid, u64 time, const char *name, bool exec)
{
	struct record record = { 0 };

	record.header.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	record.comm.pid = pid;
	record.comm.tid = pid;
	strcpy(record.comm.name, name);
	return put_record(out, &record, 16 + strlen(name) + 1, PERF_RECORD_COMM, pid, time);
}

static int put_fork(struct lw_perf_writer *out, u32 pid, u32 ppid, u64 time)
{
	struct record record = { 0 };

	record.task.pid = pid;
	record.task.tid = pid;
	record.task.ppid = ppid;
	record.task.ptid = ppid;
	record.task.time = time;
	return put_record(out, &record, sizeof(record.task), PERF_RECORD_FORK, pid, time);
}

static int put_ksymbol(struct lw_perf_writer *out, u64 time, const char *name)
{
	struct record record = { 0 };

	record.ksymbol.addr = KERNEL;
	record.ksymbol.len = 0x100;
	strcpy(record.ksymbol.name, name);
	return put_record(out, &record, 24 + strlen(name) + 1, PERF_RECORD_KSYMBOL, 0, time);
}

static int put_cgroup(struct lw_perf_writer *out, u64 time, u64 cgroup, const char *name)
{
	struct record record = { 0 };

	record.cgroup.id = cgroup;
	strcpy(record.cgroup.name, name);
	return put_record(out, &record, sizeof(record.cgroup) + strlen(name) + 1,
			  PERF_RECORD_CGROUP, 0, time);
}

/* By @cgroup 0 it does not tell. */
static int put_sample_of(struct lw_perf_writer *out, u64 time, u64 cgroup)
{
	union {
		struct lw_sample sample;
		u64 words[sizeof(struct lw_sample) / 8 + 1];
	} room = { .sample = {
		.record = { .flags = LW_SAMPLE_USER_IP | (cgroup ? LW_SAMPLE_CGROUP : 0) },
		.ip = leaf_at, .period = 10, .pid = PARENT, .tid = PARENT, .time = time,
	} };

	room.sample.kernel[0] = cgroup;
	return lw_perf_writer_sample(out, TICK, &room.sample, NULL);
}

static int put_sample(struct lw_perf_writer *out, u32 pid, u64 time, u64 ip, u64 caller)
{
	u64 frames[2] = { ip, caller };
	union made_stack made = {};
	struct lw_sample sample = {
		.record = { .flags = LW_SAMPLE_USER_IP },
		.ip = ip, .period = 10, .pid = pid, .tid = pid, .cpu = 1, .time = time,
	};

	set_frames(&made, frames, 2);
	return lw_perf_writer_sample(out, TICK, &sample, &made.stack);
}

static int put_kernel_sample(struct lw_perf_writer *out, u32 pid, u64 time)
{
	union {
		struct lw_sample sample;
		u8 bytes[sizeof(struct lw_sample) + 16];
	} room = { .sample = { .ip = KERNEL + 8, .period = 10, .pid = pid, .tid = pid,
			       .time = time, .nr_kernel = 2 } };

	room.sample.kernel[0] = KERNEL + 8;
	room.sample.kernel[1] = KERNEL + 0x100;
	return lw_perf_writer_sample(out, TICK, &room.sample, NULL);
}

/* An address in a function of the kernel that runs here.  Return: its name, or NULL. */
static const char *kernel_function(u64 *ip)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	static char name[128];
	bool found = false;
	char line[512], type;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%llx %c %127[a-z_]\n", ip, &type, name) == 3 &&
			type == 'T' && *ip && !strcmp(name, "schedule");
	if (file)
		fclose(file);
	*ip += 4;
	return found ? name : NULL;
}

/* The last place where the file has @text, which becomes @other. */
static bool replace_in_file(const char *text, const char *other)
{
	FILE *file = fopen(path, "r+e");
	static char bytes[1 << 16];
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	char *at = size ? memmem(bytes, size, text, strlen(text)) : NULL;
	bool done = at && !fseek(file, at - bytes, SEEK_SET) &&
		    fwrite(other, strlen(other), 1, file) == 1;

	return file && !fclose(file) && done;
}

static bool with_cgroups;

static int begin(struct lw_perf_writer *out)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.sample_type = LW_SAMPLE_TYPE_COMMON | PERF_SAMPLE_CALLCHAIN,
	};
	const u64 id = TICK;

	if (lw_perf_writer_open(out, path))
		return -1;
	if (with_cgroups)
		lw_perf_writer_tell_cgroups(out);
	if (lw_perf_writer_add_event(out, "cpu-clock", &attr, &id, 1))
		return -1;
	return lw_perf_writer_begin(out, 0, NULL);
}

static int end(struct lw_perf_writer *out)
{
	int ret = lw_perf_writer_finish(out);

	lw_perf_writer_close(out);
	return ret;
}

/* --- reading them */

static struct lw_profile *load(const struct lw_recording_options *how)
{
	static const struct lw_profile_wants all;
	struct lw_recording_options options = how ? *how : (struct lw_recording_options) { 0 };
	struct lw_profile *profile = lw_profile_new();
	struct lw_recording *recording;

	options.path = path;
	lw_profile_keep_times(profile);
	if (lw_recording_open(&recording, &options))
		return NULL;
	if (lw_profile_load(profile, recording, &all)) {
		lw_profile_free(profile);
		profile = NULL;
	}
	lw_recording_close(recording);
	return profile;
}

static const struct lw_profile_entry *entry_of(const struct lw_profile *profile, u32 sample)
{
	return lw_profile_entry(profile, lw_profile_sample(profile, sample)->entry);
}

/* A sample's functions, from the leaf on, with blanks between. */
static const char *functions(const struct lw_profile *profile, u32 sample)
{
	static char text[1024];
	size_t len = 0;
	u32 nr;
	const u32 *frames = lw_profile_stack(profile, entry_of(profile, sample)->stack, &nr);

	text[0] = 0;
	for (u32 i = 0; i < nr; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
				lw_profile_string(profile,
						  lw_profile_frame(profile, frames[i])->function));
	return text;
}

static const struct lw_profile_frame *leaf(const struct lw_profile *profile, u32 sample)
{
	u32 nr;

	return lw_profile_frame(profile, lw_profile_stack(profile, entry_of(profile, sample)->stack,
							  &nr)[0]);
}

static bool is(const char *text, const char *wanted)
{
	if (!strcmp(text, wanted))
		return true;
	printf("# '%s' instead of '%s'\n", text, wanted);
	return false;
}

#define TEXT(number)	lw_profile_string(profile, number)

static bool samples_are_added_up_by_stack_and_key(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 5));
	CHECK(!put_comm(&out, PARENT, 6, "mum", 0));
	/* in the wrong order of time, twice the same stack */
	CHECK(!put_sample(&out, PARENT, 30, leaf_at, middle_at + 1));
	CHECK(!put_sample(&out, PARENT, 20, leaf_at, middle_at + 1));
	CHECK(!put_sample(&out, PARENT, 10, middle_at, middle_at + 1));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 3);
	CHECK(lw_profile_nr_entries(profile) == 2);
	CHECK(is(functions(profile, 0), "middle_function middle_function"));
	CHECK(is(functions(profile, 1), "leaf_function middle_function"));
	CHECK(lw_profile_sample(profile, 0)->time == 10);
	CHECK(lw_profile_sample(profile, 2)->time == 30);
	CHECK(lw_profile_sample(profile, 0)->cpu == 1);
	CHECK(entry_of(profile, 1) == entry_of(profile, 2));
	CHECK(entry_of(profile, 1)->samples == 2 && entry_of(profile, 1)->weight == 20);
	CHECK(is(TEXT(entry_of(profile, 1)->key.comm), "mum"));
	CHECK(is(TEXT(entry_of(profile, 1)->key.event), "cpu-clock"));
	CHECK(entry_of(profile, 1)->key.pid == PARENT && entry_of(profile, 1)->key.tid == PARENT);
	CHECK(strstr(TEXT(leaf(profile, 1)->dso), "profile_load_test"));
	CHECK(leaf(profile, 1)->kind == LW_FRAME_USER && leaf(profile, 1)->address);
	lw_profile_free(profile);
	return true;
}

static bool what_was_mapped_at_the_time_counts(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 20));
	CHECK(!put_map(&out, PARENT, 40, leaf_at - 16, leaf_at + 16, 0, "/no/file"));
	for (u64 time = 10; time <= 50; time += 20)
		CHECK(!put_sample(&out, PARENT, time, leaf_at, leaf_at + 1));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 3);
	CHECK(is(TEXT(leaf(profile, 0)->dso), "[unknown]"));
	CHECK(is(TEXT(leaf(profile, 1)->function), "leaf_function"));
	CHECK(is(TEXT(leaf(profile, 2)->dso), "/no/file"));
	CHECK(is(TEXT(leaf(profile, 2)->function), "[unknown]"));
	lw_profile_free(profile);
	return true;
}

static bool child_has_its_parents_mappings_until_it_executes(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_comm(&out, PARENT, 2, "mum", 0));
	CHECK(!put_fork(&out, CHILD, PARENT, 10));
	CHECK(!put_sample(&out, CHILD, 11, leaf_at, leaf_at + 1));
	CHECK(!put_comm(&out, CHILD, 20, "kid", true));
	CHECK(!put_sample(&out, CHILD, 21, leaf_at, leaf_at + 1) && !end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 2);
	CHECK(is(TEXT(leaf(profile, 0)->function), "leaf_function"));
	CHECK(is(TEXT(entry_of(profile, 0)->key.comm), "mum"));
	CHECK(is(TEXT(leaf(profile, 1)->function), "[unknown]"));
	CHECK(is(TEXT(entry_of(profile, 1)->key.comm), "kid"));
	lw_profile_free(profile);
	return true;
}

static bool number_of_a_process_is_used_again(void)
{
	const u32 other = 4300;
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_map(&out, other, 1, leaf_at - 16, leaf_at + 16, 0, "/no/file"));
	CHECK(!put_fork(&out, CHILD, PARENT, 10));
	CHECK(!put_sample(&out, CHILD, 11, leaf_at, leaf_at + 1));
	CHECK(!put_fork(&out, CHILD, other, 20));
	CHECK(!put_sample(&out, CHILD, 21, leaf_at, leaf_at + 1) && !end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 2);
	CHECK(is(TEXT(leaf(profile, 0)->function), "leaf_function"));
	CHECK(is(TEXT(leaf(profile, 1)->dso), "/no/file"));
	lw_profile_free(profile);
	return true;
}

/* Places for what is known: see recording.c. */
#define KNOWN		32768U

static bool share_a_place(u64 one, u64 other)
{
	return lw_hash64(one) % KNOWN == lw_hash64(other) % KNOWN;
}

static bool addresses_in_one_place_are_kept_apart(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;
	u64 ip = leaf_at + 0x1000;

	while (!share_a_place(ip + PARENT, leaf_at + PARENT))
		ip++;
	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_map(&out, PARENT, 1, ip, ip + 1, 0, "/no/file"));
	for (u64 time = 10; time < 14; time++)
		CHECK(!put_sample(&out, PARENT, time, time % 2 ? ip : leaf_at, leaf_at + 1));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 4);
	for (u32 i = 0; i < 4; i++)
		CHECK(is(TEXT(leaf(profile, i)->function), i % 2 ? "[unknown]" : "leaf_function"));
	lw_profile_free(profile);
	return true;
}

static bool processes_in_one_place_are_kept_apart(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;
	u32 other = PARENT + 1;

	while (!share_a_place(leaf_at + other, leaf_at + PARENT))
		other++;
	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_map(&out, other, 1, leaf_at - 16, leaf_at + 16, 0, "/no/file"));
	for (u64 time = 10; time < 14; time++)
		CHECK(!put_sample(&out, time % 2 ? other : PARENT, time, leaf_at, leaf_at + 1));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 4);
	for (u32 i = 0; i < 4; i++)
		CHECK(is(TEXT(leaf(profile, i)->function), i % 2 ? "[unknown]" : "leaf_function"));
	lw_profile_free(profile);
	return true;
}

static bool inlined_calls_are_there_each_time(void)
{
	const struct lw_recording_options options = { .inlined = true };
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	for (u64 time = 10; time < 13; time++)
		CHECK(!put_sample(&out, PARENT, time, inlined_at, leaf_at + 1));
	CHECK(!end(&out));
	profile = load(&options);
	CHECK(profile && lw_profile_nr_samples(profile) == 3);
	for (u32 i = 0; i < 3; i++)
		CHECK(is(functions(profile, i), "inlined_call outer_function leaf_function"));
	lw_profile_free(profile);
	return true;
}

/* A process that makes code, which is this one: where, and what it tells of it. */
#define MADE		0x10000ULL

struct made {
	struct lw_recording *recording;
	char path[64];
	char names[64];			/* of samples, with blanks between */
};

static int tell_made(const struct made *made, const char *lines)
{
	FILE *file = fopen(made->path, "a");

	return file && fputs(lines, file) >= 0 && !fclose(file) ? 0 : -1;
}

static int add_name(void *ctx, const struct lw_frame *frame)
{
	struct made *made = ctx;

	strcat(made->names, frame->places[0].function ?: "[unknown]");
	strcat(made->names, " ");
	return 1;
}

static int see_made(void *ctx, const struct lw_perf_record *sample)
{
	struct made *made = ctx;

	lw_recording_frames(made->recording, sample, add_name, made);
	if (sample->time != 10)
		return 0;
	usleep(150000);
	return tell_made(made, "10000 80 two\n10080 80 three\n");
}

static bool code_that_was_made_may_be_replaced(void)
{
	const struct lw_recording_options options = { .path = path };
	struct made made = { .names = "" };
	struct lw_perf_writer out;

	snprintf(made.path, sizeof(made.path), "/tmp/perf-%d.map", getpid());
	unlink(made.path);
	CHECK(!tell_made(&made, "10000 80 one\n"));
	CHECK(!begin(&out) && !put_map(&out, getpid(), 1, MADE, MADE + 0x1000, 0, "//anon"));
	CHECK(!put_sample(&out, getpid(), 10, MADE, MADE));
	/* that it has no name for yet has it read on */
	CHECK(!put_sample(&out, getpid(), 11, MADE + 0x80, MADE));
	CHECK(!put_sample(&out, getpid(), 12, MADE, MADE) && !end(&out));
	CHECK(!lw_recording_open(&made.recording, &options));
	CHECK(!lw_recording_read(made.recording, see_made, &made));
	lw_recording_close(made.recording);
	unlink(made.path);
	CHECK(is(made.names, "one three two "));
	return true;
}

static void put_load(FILE *file, u64 time, const char *name)
{
	const struct lw_jit_dump_load load = {
		.record = {
			.type = LW_JIT_DUMP_LOAD, .size = sizeof(load) + strlen(name) + 1 + 0x80,
			.time = time,
		},
		.pid = 1, .start = MADE, .size = 0x80,
	};
	static const u8 code[0x80];

	fwrite(&load, sizeof(load), 1, file);
	fwrite(name, strlen(name) + 1, 1, file);
	fwrite(code, sizeof(code), 1, file);
}

static bool put_dump(const char *name)
{
	const struct lw_jit_dump_header header = {
		.magic = LW_JIT_DUMP_MAGIC, .version = LW_JIT_DUMP_VERSION, .size = sizeof(header),
		.pid = 1,
	};
	FILE *file = fopen(name, "w");

	if (!file)
		return false;
	fwrite(&header, sizeof(header), 1, file);
	put_load(file, 5 * NSEC_PER_SEC, "one");
	put_load(file, 15 * NSEC_PER_SEC, "two");
	return !fclose(file);
}

static int see_name(void *ctx, const struct lw_perf_record *sample)
{
	struct made *made = ctx;

	lw_recording_frames(made->recording, sample, add_name, made);
	return 0;
}

static bool code_that_was_made_has_the_name_of_its_time(void)
{
	const struct lw_recording_options options = { .path = path };
	struct made made = { .names = "" };
	struct lw_perf_writer out;

	snprintf(made.path, sizeof(made.path), "%s/jit-1.dump", dir);
	CHECK(put_dump(made.path));
	CHECK(!begin(&out) && !put_map(&out, getpid(), 1, MADE, MADE + 0x1000, 0, "//anon"));
	CHECK(!put_map(&out, getpid(), 2, 2 * MADE, 2 * MADE + 0x1000, 0, made.path));
	CHECK(!put_sample(&out, getpid(), 1 * NSEC_PER_SEC, MADE, MADE));
	CHECK(!put_sample(&out, getpid(), 10 * NSEC_PER_SEC, MADE, MADE));
	CHECK(!put_sample(&out, getpid(), 20 * NSEC_PER_SEC, MADE, MADE));
	CHECK(!end(&out) && !lw_recording_open(&made.recording, &options));
	CHECK(!lw_recording_read(made.recording, see_name, &made));
	lw_recording_close(made.recording);
	CHECK(is(made.names, "[unknown] one two "));
	return true;
}

static bool return_addresses_belong_to_the_call_before_them(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_sample(&out, PARENT, 2, leaf_at, next_at) && !end(&out));
	profile = load(NULL);
	CHECK(profile && is(functions(profile, 0), "leaf_function ends_in_call"));
	lw_profile_free(profile);
	return true;
}

static bool what_was_not_called_is_named_by_its_first_byte(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_sample(&out, PARENT, 2, leaf_at, gap_at));
	CHECK(!put_sample(&out, PARENT, 3, leaf_at, gap_at + 1) && !end(&out));
	profile = load(NULL);
	CHECK(profile && is(functions(profile, 0), "leaf_function behind_gap"));
	CHECK(is(functions(profile, 1), "leaf_function behind_gap"));
	lw_profile_free(profile);
	return true;
}

static bool code_that_the_kernel_made_has_its_name(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_ksymbol(&out, 5, "bpf_prog_1234_count"));
	CHECK(!put_kernel_sample(&out, PARENT, 4) && !put_kernel_sample(&out, PARENT, 6));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 2);
	CHECK(!strstr(functions(profile, 0), "bpf_prog"));
	/* the second is a return address behind its last byte */
	CHECK(is(functions(profile, 1), "bpf_prog_1234_count bpf_prog_1234_count"));
	CHECK(leaf(profile, 1)->kind == LW_FRAME_KERNEL);
	lw_profile_free(profile);
	return true;
}

/* On another machine, and here: the file's own name for the kernel's function is taken. */
static bool names_of_the_kernel_are_in_the_file(void)
{
	struct lw_sample sample = { .period = 10, .pid = PARENT, .tid = PARENT, .time = 4 };
	const char *name = kernel_function(&sample.ip);
	struct lw_profile *profile;
	struct lw_perf_writer out;

	if (!name) {
		printf("# kallsyms shows no addresses here\n");
		return true;
	}
	CHECK(!begin(&out) && !lw_perf_writer_sample(&out, TICK, &sample, NULL) && !end(&out));
	profile = load(NULL);
	CHECK(profile && is(functions(profile, 0), name));
	lw_profile_free(profile);
	CHECK(replace_in_file(" t schedule\n", " t scheDULE\n"));
	profile = load(NULL);
	CHECK(profile && is(functions(profile, 0), "scheDULE"));
	CHECK(leaf(profile, 0)->kind == LW_FRAME_KERNEL);
	lw_profile_free(profile);
	return true;
}

/* As the kernel has them: the user part of a chain comes in a record of its own. */
static int put_deferred(struct lw_perf_writer *out, u64 time, u64 cookie, u64 ip)
{
	struct record record = { 0 };
	const u64 words[] = { cookie, 3, PERF_CONTEXT_USER, ip, middle_at + 1 };

	memcpy(record.bytes + 8, words, sizeof(words));
	return put_record(out, &record, 8 + sizeof(words), 22, PARENT, time);
}

static int put_with_cookie(struct lw_perf_writer *out, u64 time, u64 cookie)
{
	struct {
		struct perf_event_header header;
		u64 id, ip;
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 period, nr, chain[4];
	} sample = {
		.header = {
			.type = PERF_RECORD_SAMPLE,
			.misc = PERF_RECORD_MISC_KERNEL,
			.size = sizeof(sample),
		},
		.id = TICK, .ip = KERNEL, .pid = PARENT, .tid = PARENT, .time = time, .period = 1,
		.nr = 4,
		.chain = { PERF_CONTEXT_KERNEL, KERNEL, (u64)-640, cookie },
	};

	return lw_perf_writer_record(out, &sample.header);
}

static bool deferred_chains_are_joined_by_cookie(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1) && !put_ksymbol(&out, 1, "made"));
	CHECK(!put_with_cookie(&out, 10, 77) && !put_with_cookie(&out, 11, 78));
	CHECK(!put_with_cookie(&out, 12, 77) && !put_with_cookie(&out, 13, 79));
	CHECK(!put_deferred(&out, 14, 78, middle_at) && !put_deferred(&out, 15, 77, leaf_at));
	CHECK(!end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 4);
	CHECK(is(functions(profile, 0), "made leaf_function middle_function"));
	CHECK(is(functions(profile, 1), "made middle_function middle_function"));
	CHECK(is(functions(profile, 2), "made leaf_function middle_function"));
	CHECK(is(functions(profile, 3), "made"));
	lw_profile_free(profile);
	return true;
}

static bool is_cgroup(const struct lw_profile *profile, u32 sample, const char *wanted)
{
	u32 cgroup = entry_of(profile, sample)->key.cgroup;

	return cgroup == LW_PROFILE_NONE ? !wanted : wanted && is(TEXT(cgroup), wanted);
}

/* One that was made while it was recorded is known by then. */
static bool cgroups_have_their_names(void)
{
	struct lw_profile *profile;
	struct lw_perf_writer out;

	with_cgroups = true;
	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	with_cgroups = false;
	CHECK(!put_cgroup(&out, 0, 1, "/") && !put_cgroup(&out, 0, 1ULL << 32 | 9, "/old"));
	CHECK(!put_sample_of(&out, 10, 1) && !put_sample_of(&out, 11, 1ULL << 32 | 9));
	CHECK(!put_sample_of(&out, 12, 9) && !put_cgroup(&out, 13, 77, "/old/new one"));
	CHECK(!put_sample_of(&out, 14, 77) && !put_sample_of(&out, 15, 0) && !end(&out));
	profile = load(NULL);
	CHECK(profile && lw_profile_nr_samples(profile) == 5);
	CHECK(lw_profile_nr_entries(profile) == 5);
	CHECK(is_cgroup(profile, 0, "/") && is_cgroup(profile, 1, "/old"));
	CHECK(is_cgroup(profile, 2, "[cgroup 9]") && is_cgroup(profile, 3, "/old/new one"));
	CHECK(is_cgroup(profile, 4, NULL));
	CHECK(is(functions(profile, 3), "leaf_function"));
	lw_profile_free(profile);
	return true;
}

static bool depth_can_be_limited(void)
{
	const struct lw_recording_options options = { .max_stack = 1 };
	struct lw_profile *profile;
	struct lw_perf_writer out;

	CHECK(!begin(&out) && !put_own_map(&out, PARENT, 1));
	CHECK(!put_sample(&out, PARENT, 2, leaf_at, middle_at + 1) && !end(&out));
	profile = load(&options);
	CHECK(profile && is(functions(profile, 0), "leaf_function"));
	lw_profile_free(profile);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(samples_are_added_up_by_stack_and_key),
		TEST(what_was_mapped_at_the_time_counts),
		TEST(child_has_its_parents_mappings_until_it_executes),
		TEST(number_of_a_process_is_used_again),
		TEST(addresses_in_one_place_are_kept_apart),
		TEST(processes_in_one_place_are_kept_apart),
		TEST(inlined_calls_are_there_each_time),
		TEST(code_that_was_made_may_be_replaced),
		TEST(code_that_was_made_has_the_name_of_its_time),
		TEST(return_addresses_belong_to_the_call_before_them),
		TEST(what_was_not_called_is_named_by_its_first_byte),
		TEST(code_that_the_kernel_made_has_its_name),
		TEST(names_of_the_kernel_are_in_the_file),
		TEST(deferred_chains_are_joined_by_cookie),
		TEST(cgroups_have_their_names),
		TEST(depth_can_be_limited),
	};
	char command[64];
	int ret;

	middle_function();
	outer_function();
	asm("lea next_one(%%rip), %0\n\tlea behind_gap(%%rip), %1" : "=&r"(next_at), "=r"(gap_at));
	leaf_at = (u64)leaf_function;
	middle_at = (u64)middle_function;
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/data", dir);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || ret;
}
