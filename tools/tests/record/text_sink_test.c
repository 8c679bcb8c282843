// SPDX-License-Identifier: GPL-2.0
/*
 * text_sink_test.c - the text of a recording, of which a reader reads nothing for a while:
 * nobody waits for it, and what is left out is told in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "record/recorder.h"
#include "tests/made_stack.h"
#include "tests/tap.h"

#define PROCESS		7
#define CODE		0x401000
/* More text than a pipe holds, and less than may wait. */
#define SOME		3000

static const struct lw_sink_ops *ops = &lw_text_sink;

struct state {
	struct lw_recorder rec;
	struct lw_options options;
	struct lw_event_id id;
	void *sink;
	char path[64];
	int fifo;			/* its reading end */
	pthread_t reader;
	char *text;			/* what it read, up to the end */
	size_t size;
	u32 added;
};

/* The trailer's time is in the second word. */
static void mapped(struct state *state, u64 time, const char *path)
{
	union {
		struct lw_mmap2 mmap2;
		u64 words[32];
	} record = { 0 };
	size_t body = ALIGN_UP(sizeof(record.mmap2) + strlen(path) + 1, sizeof(u64));
	struct lw_sample_id id = { .pid = PROCESS, .tid = PROCESS, .time = time };

	record.mmap2.header = (struct perf_event_header) {
		PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, body + sizeof(id),
	};
	record.mmap2.pid = PROCESS;
	record.mmap2.tid = PROCESS;
	record.mmap2.addr = CODE;
	record.mmap2.len = 0x10000;
	strcpy((char *)&record.words[sizeof(record.mmap2) / sizeof(u64)], path);
	memcpy((u8 *)&record + body, &id, sizeof(id));
	lw_process_maps_record(state->rec.procs, &record.mmap2.header);
}

static void named(struct state *state, u64 time, const char *name, bool exec)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		char name[16];
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			    sizeof(record) },
		.pid = PROCESS, .tid = PROCESS,
		.id = { .pid = PROCESS, .tid = PROCESS, .time = time },
	};

	memcpy(record.name, name, strlen(name));
	lw_process_maps_record(state->rec.procs, &record.header);
}

/* Minutes later other programs have run in the process, and what was before is forgotten. */
static void becomes_another(struct state *state)
{
	struct {
		struct perf_event_header header;
		u32 pid, ppid, tid, ptid;
		u64 time;
		struct lw_sample_id id;
	} record = {
		.header = { PERF_RECORD_EXIT, 0, sizeof(record) },
		.pid = 99, .tid = 99,
	};

	for (u32 i = 1; i <= 3000; i++) {
		named(state, i * NSEC_PER_SEC, "other", true);
		mapped(state, i * NSEC_PER_SEC, "/other");
		record.id.time = i * NSEC_PER_SEC;
		lw_process_maps_record(state->rec.procs, &record.header);
	}
}

static bool open_sink(struct state *state)
{
	state->options.text = state->path;
	state->options.events[0].name = "probe";
	state->options.nr_events = 1;
	state->rec.options = &state->options;
	state->rec.procs = lw_process_maps_new();
	state->rec.wait.signal_fd = eventfd(0, EFD_NONBLOCK);
	named(state, 1, "program", false);
	mapped(state, 1, "/a/program");
	return !ops->open(&state->rec, &state->sink);
}

/* Of a FIFO that holds a page. */
static struct state *begin(void)
{
	struct state *state = calloc(1, sizeof(*state));

	snprintf(state->path, sizeof(state->path), "/tmp/text_sink_test.%d", getpid());
	unlink(state->path);
	if (mkfifo(state->path, 0600))
		return NULL;
	state->fifo = open(state->path, O_RDONLY | O_NONBLOCK);
	fcntl(state->fifo, F_SETPIPE_SZ, 4096);
	return open_sink(state) ? state : NULL;
}

static void end(struct state *state)
{
	unlink(state->path);
	close(state->fifo);
	close(state->rec.wait.signal_fd);
	lw_process_maps_free(state->rec.procs);
	free(state->text);
	free(state);
}

/* A sample whose time is its number, of two frames. */
static bool add(struct state *state)
{
	static const u64 frames[] = { CODE + 0x10, CODE + 0x20 };
	u32 number = ++state->added;
	struct lw_sample sample = {
		.record = { .len = sizeof(sample), .type = LW_RECORD_SAMPLE },
		.time = number, .pid = PROCESS, .tid = PROCESS, .cpu = 2,
		.user = LW_USER_PENDING,
	};
	union made_stack made = { .stack = { .pid = PROCESS, .tid = PROCESS, .time = number } };

	set_frames(&made, frames, 2);
	made.stack.end = LW_END_OUTERMOST;
	state->rec.counts.samples++;
	return !ops->sample(state->sink, 0, &sample, &made.stack);
}

static bool add_some(struct state *state)
{
	for (u32 i = 0; i < SOME; i++)
		CHECK(add(state));
	CHECK(!ops->pass(state->sink, true) && !state->rec.stopped);
	return true;
}

static bool add_until_left_out(struct state *state)
{
	while (!state->rec.counts.lost_text)
		CHECK(add(state));
	return true;
}

static void *read_all(void *arg)
{
	struct state *state = arg;
	FILE *to = open_memstream(&state->text, &state->size);
	char bytes[65536];
	ssize_t n;

	while ((n = read(state->fifo, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, n, 1, to);
	fclose(to);
	return NULL;
}

static void start_reader(struct state *state)
{
	fcntl(state->fifo, F_SETFL, 0);
	pthread_create(&state->reader, NULL, read_all, state);
}

static bool finish(struct state *state)
{
	CHECK(!ops->finish(state->sink));
	ops->close(state->sink);
	pthread_join(state->reader, NULL);
	return true;
}

/* Is all that was read samples, whole and in order, and notes of just those that miss? */
static bool is_whole(const struct state *state)
{
	u64 all_lost = 0;
	char *at = state->text;
	u32 number = 0;
	char want[512];
	int len;

	while (*at) {
		if (!strncmp(at, "[LOST ", 6)) {
			u64 lost = strtoull(at + 6, &at, 10);

			CHECK(lost && !strncmp(at, " samples]\n\n", 11));
			number += lost;
			all_lost += lost;
			at += 11;
			continue;
		}
		len = snprintf(want, sizeof(want), "program 7/7 [002] 0.%09u probe: end=outermost\n"
			       "\t          401010 [unknown] (/a/program) [regs]\n"
			       "\t          401020 [unknown] (/a/program) [sframe]\n\n", ++number);
		if (strncmp(at, want, len))
			printf("# instead of %u: %.400s\n", number, at);
		CHECK(!strncmp(at, want, len));
		at += len;
	}
	CHECK(number == state->added && all_lost == state->rec.counts.lost_text);
	return true;
}

static bool nobody_waits_for_the_reader(void)
{
	struct state *state = begin();

	CHECK(state && add_some(state));
	/* what is mapped by the time that it is read makes no difference */
	becomes_another(state);
	start_reader(state);
	CHECK(finish(state) && is_whole(state) && !state->rec.counts.lost_text);
	end(state);
	return true;
}

static bool what_is_left_out_is_told(void)
{
	struct state *state = begin();
	u64 left_out;

	CHECK(state && add_until_left_out(state) && add_some(state));
	CHECK(state->rec.counts.lost_text == 1 + SOME && !state->rec.stopped);
	CHECK(state->added > 20000);
	start_reader(state);
	/* until there is room again; the next ones follow the note */
	do {
		left_out = state->rec.counts.lost_text;
		CHECK(add(state));
	} while (state->rec.counts.lost_text != left_out);
	CHECK(add_some(state) && state->rec.counts.lost_text == left_out);
	ops->leave(state->sink);
	CHECK(finish(state) && is_whole(state));
	end(state);
	return true;
}

static bool what_was_left_out_last_is_told(void)
{
	struct state *state = begin();

	CHECK(state && add_until_left_out(state) && add_some(state));
	ops->leave(state->sink);
	start_reader(state);
	CHECK(finish(state) && is_whole(state) && state->rec.counts.lost_text == 1 + SOME);
	end(state);
	return true;
}

/* Nothing is lost by waiting then. */
static bool after_the_end_samples_wait(void)
{
	struct state *state = begin();

	CHECK(state && add_until_left_out(state));
	ops->leave(state->sink);
	start_reader(state);
	for (u32 i = 0; i < SOME; i++)
		CHECK(add(state));
	CHECK(finish(state) && is_whole(state) && state->rec.counts.lost_text == 1);
	end(state);
	return true;
}

static bool a_signal_ends_the_waiting(void)
{
	struct state *state = begin();

	CHECK(state && add_some(state));
	ops->leave(state->sink);
	CHECK(!eventfd_write(state->rec.wait.signal_fd, 1));
	CHECK(!ops->finish(state->sink));
	/* of all that was added, if the writer has not begun */
	CHECK(state->rec.counts.lost_text && state->rec.counts.lost_text <= SOME);
	/* and later ones are left out at once */
	CHECK(add(state));
	ops->close(state->sink);
	end(state);
	return true;
}

/* The first sample after it may find out, or a later one. */
static bool a_reader_that_goes_ends_the_recording(void)
{
	struct state *state = begin();

	CHECK(state && add(state));
	close(state->fifo);
	while (!state->rec.stopped)
		CHECK(add(state) && !ops->pass(state->sink, true));
	CHECK(!ops->finish(state->sink));
	ops->close(state->sink);
	end(state);
	return true;
}

static bool a_full_disk_is_a_failure(void)
{
	struct state *state = calloc(1, sizeof(*state));

	strcpy(state->path, "/dev/full");
	CHECK(open_sink(state) && add(state));
	CHECK(ops->finish(state->sink) == -ENOSPC && state->rec.stopped);
	ops->fail(state->sink);
	ops->close(state->sink);
	strcpy(state->path, "");
	end(state);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nobody_waits_for_the_reader),
		TEST(what_is_left_out_is_told),
		TEST(what_was_left_out_last_is_told),
		TEST(after_the_end_samples_wait),
		TEST(a_signal_ends_the_waiting),
		TEST(a_reader_that_goes_ends_the_recording),
		TEST(a_full_disk_is_a_failure),
	};

	signal(SIGPIPE, SIG_IGN);
	return tap_run(tests, ARRAY_SIZE(tests));
}
