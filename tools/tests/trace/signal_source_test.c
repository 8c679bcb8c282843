// SPDX-License-Identifier: GPL-2.0
/*
 * signal_source_test.c - samples of the tracepoint become signals, in the order of time.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "tests/tap.h"
#include "trace/signal_source.h"

/* Bytes of a sample before the tracepoint's data, as perf_event_open(2) has them. */
#define HEAD	60
#define DATA	40

static const char format[] =
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int errno;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:int code;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long sa_handler;\toffset:24;\tsize:8;\tsigned:0;\n";

static void put32(u8 *at, u32 value)
{
	memcpy(at, &value, sizeof(value));
}

static const char sent_format[] =
	"\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int errno;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:int code;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int result;\toffset:28;\tsize:4;\tsigned:1;\n";

/* What is sent, with @extra for process and result. */
static int tell_as(struct lw_signal_source *source, lw_perf_event_fn fn, u64 time, int number,
		   u32 size, u64 extra)
{
	u64 bytes[13] = {};
	struct perf_event_header *header = (void *)bytes;
	u8 *at = (u8 *)bytes;

	header->type = PERF_RECORD_SAMPLE;
	header->size = sizeof(bytes);
	put32(at + 24, 7);
	put32(at + 28, 8);
	memcpy(at + 32, &time, sizeof(time));
	put32(at + 56, size);
	put32(at + HEAD + 8, number);
	put32(at + HEAD + 16, -6);
	memcpy(at + HEAD + 24, &extra, sizeof(extra));
	return fn(source, header);
}

/* @size: of the data, as the sample has it */
static int tell(struct lw_signal_source *source, u64 time, int number, u32 size)
{
	return tell_as(source, lw_signal_source_record, time, number, size, 0x1000);
}

static void send_to(struct lw_signal_source *source, u64 time, int number, u32 pid, u32 result)
{
	tell_as(source, lw_signal_source_sent, time, number, DATA + 4, pid | (u64)result << 32);
}

static s32 cause_of_kill(struct lw_signal_source *source, u64 time)
{
	const struct lw_signal *signal, *last = NULL;

	tell(source, time, SIGKILL, DATA + 4);
	lw_signal_source_sort(source);
	while ((signal = lw_signal_source_next(source, ~0ULL)))
		last = signal;
	return last && last->signal == SIGKILL ? last->cause : -1;
}

/* The kernel makes a SIGKILL of what ends a process. */
static bool cause_of_a_kill_is_what_was_sent_last_and_not_taken(void)
{
	static struct lw_signal_source source;

	CHECK(!lw_signal_fields_parse(&source.taken_at, false, format));
	CHECK(!lw_signal_fields_parse(&source.sent_at, true, sent_format));
	CHECK(!cause_of_kill(&source, 10));
	send_to(&source, 11, SIGTERM, 7, 0);
	send_to(&source, 12, SIGHUP, 9, 0);
	send_to(&source, 13, SIGINT, 7, 1);
	send_to(&source, 14, SIGCHLD, 7, 0);
	CHECK(cause_of_kill(&source, 15) == SIGTERM);
	tell(&source, 16, SIGTERM, DATA + 4);
	CHECK(!cause_of_kill(&source, 17));
	send_to(&source, 18, SIGKILL, 8, 0);
	CHECK(cause_of_kill(&source, 19) == SIGKILL);
	lw_signal_source_close(&source);
	return true;
}

static bool signals_come_in_the_order_of_time(void)
{
	static struct lw_signal_source source;
	const struct lw_signal *signal;

	CHECK(!lw_signal_fields_parse(&source.taken_at, false, format));
	CHECK(!tell(&source, 20, SIGTERM, DATA + 4) && !tell(&source, 10, SIGUSR1, DATA + 4));
	lw_signal_source_sort(&source);
	CHECK(!lw_signal_source_next(&source, 10));
	signal = lw_signal_source_next(&source, 11);
	CHECK(signal && signal->signal == SIGUSR1 && signal->time == 10 && signal->pid == 7 &&
	      signal->tid == 8 && signal->code == -6 && signal->handler == 0x1000);
	CHECK(!lw_signal_source_next(&source, 11));
	CHECK(!tell(&source, 15, SIGCHLD, DATA + 4));
	lw_signal_source_sort(&source);
	signal = lw_signal_source_next(&source, ~0ULL);
	CHECK(signal && signal->signal == SIGCHLD);
	signal = lw_signal_source_next(&source, ~0ULL);
	CHECK(signal && signal->signal == SIGTERM && !lw_signal_source_next(&source, ~0ULL));
	lw_signal_source_close(&source);
	return true;
}

static bool samples_that_are_too_short_are_skipped(void)
{
	static struct lw_signal_source source;

	CHECK(!lw_signal_fields_parse(&source.taken_at, false, format));
	CHECK(!tell(&source, 10, SIGTERM, 31) && !tell(&source, 10, SIGTERM, DATA + 5) &&
	      !tell(&source, 10, SIGTERM, ~0U) && !tell(&source, 10, SIGTERM, 0));
	CHECK(!source.nr);
	CHECK(!tell(&source, 10, SIGTERM, 32) && source.nr == 1);
	lw_signal_source_close(&source);
	return true;
}

static bool other_fields_are_refused(void)
{
	static struct lw_signal_source source;

	CHECK(lw_signal_fields_parse(&source.taken_at, false,
				     "field:int sig;\toffset:8;") == -ENOENT);
	CHECK(lw_signal_fields_parse(&source.taken_at, false, "") == -ENOENT);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(signals_come_in_the_order_of_time),
		TEST(cause_of_a_kill_is_what_was_sent_last_and_not_taken),
		TEST(samples_that_are_too_short_are_skipped),
		TEST(other_fields_are_refused),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
