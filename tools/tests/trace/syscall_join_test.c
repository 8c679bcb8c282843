// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_join_test.c - records become calls, whatever is lost, late or elsewhere.
 */
#include <asm/unistd.h>
#include <signal.h>
#include <string.h>

#include "tests/made_stack.h"
#include "tests/tap.h"
#include "trace/syscall_join.h"

#define MAX_SEEN	16

struct seen {
	u32 nr;
	struct lw_call calls[MAX_SEEN];
	char strings[MAX_SEEN][32];	/* of argument 1 at entry */
	u64 top[MAX_SEEN];		/* frame of the stack, or 0 */
};

static int see(void *ctx, const struct lw_call *call)
{
	const struct lw_call_data *data = lw_call_find(call, 1, LW_DATA_STRING,
						       LW_SYSCALL_ENTRY);
	struct latewind_frame frame;
	struct seen *seen = ctx;

	if (seen->nr == MAX_SEEN)
		return 1;
	seen->calls[seen->nr] = *call;
	if (data && !data->flags)
		memcpy(seen->strings[seen->nr], call->bytes + data->at, data->len);
	seen->top[seen->nr] = 0;
	if (call->has_stack) {
		frame = latewind_frames(call->stack);
		latewind_frame_next(&frame);
		seen->top[seen->nr] = frame.ip;
	}
	seen->nr++;
	return 0;
}

static struct seen emit(struct lw_join *join, u64 now)
{
	struct seen seen = {};

	lw_join_emit(join, now, see, &seen);
	return seen;
}

struct record {
	struct lw_syscall call;
	struct lw_syscall_data data;
	char bytes[16];
};

static struct record make(u32 tid, u32 nr, u64 time)
{
	return (struct record) {
		.call = {
			.record = { .len = sizeof(struct lw_syscall), .type = LW_RECORD_SYSCALL },
			.time = time,
			.pid = tid,
			.tid = tid,
			.nr = nr,
			.user = LW_USER_EXCLUDED,
			.args = { 1, 2, 3 },
		},
	};
}

static void add(struct lw_join *join, const struct record *record)
{
	lw_join_record(join, &record->call.record);
}

static void begin(struct lw_join *join, u32 tid, u32 nr, u64 time)
{
	struct record record = make(tid, nr, time);

	add(join, &record);
}

static void end(struct lw_join *join, u32 tid, u32 nr, u64 time, s64 ret)
{
	struct record record = make(tid, nr, time);

	record.call.record.flags = LW_SYSCALL_IS_EXIT;
	record.call.ret = ret;
	add(join, &record);
}

static void put_string(struct record *record, const char *text, u16 flags)
{
	record->call.record.len = sizeof(*record);
	record->call.nr_data = 1;
	record->data.arg = 1;
	record->data.kind = LW_DATA_STRING;
	record->data.flags = flags;
	record->data.len = strlen(text);
	memcpy(record->bytes, text, record->data.len);
}

static void put_cookie(struct record *record, u64 counter, u32 user)
{
	record->call.cookie.counter = counter;
	record->call.user = user;
}

static void add_stack(struct lw_join *join, u64 counter)
{
	union made_stack made = { .stack = { .cookie = { .counter = counter } } };
	u64 frame = counter * 100;

	set_frames(&made, &frame, 1);
	lw_join_record(join, &made.stack.record);
}

static void add_deferred(struct lw_join *join, u64 counter, bool exit, const char *text)
{
	struct {
		struct lw_deferred_data deferred;
		struct lw_syscall_data data;
		char bytes[16];
	} room = {
		.deferred = {
			.record = { .len = sizeof(room), .type = LW_RECORD_SYSCALL_DATA },
			.cookie = { .counter = counter },
			.nr_data = 1,
			.exit = exit,
		},
		.data = { .arg = 1, .kind = LW_DATA_STRING, .len = strlen(text) },
	};

	memcpy(room.bytes, text, room.data.len);
	lw_join_record(join, &room.deferred.record);
}

static bool begin_and_end_are_a_call(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(5, __NR_openat, 10);
	struct seen seen;

	put_string(&record, "/etc", 0);
	add(join, &record);
	CHECK(emit(join, 20).nr == 0);
	end(join, 5, __NR_openat, 30, 3);
	seen = emit(join, 40);
	CHECK(seen.nr == 1 && seen.calls[0].ret == 3);
	CHECK(seen.calls[0].state == (LW_CALL_BEGAN | LW_CALL_ENDED));
	CHECK(seen.calls[0].begin == 10 && seen.calls[0].end == 30);
	CHECK(!strcmp(seen.strings[0], "/etc"));
	lw_join_free(join);
	return true;
}

static bool calls_come_in_the_order_of_their_ends(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_read, 10);
	begin(join, 2, __NR_write, 20);
	end(join, 2, __NR_write, 30, 0);
	end(join, 1, __NR_read, 40, 0);
	seen = emit(join, 50);
	CHECK(seen.nr == 2 && seen.calls[0].tid == 2 && seen.calls[1].tid == 1);
	lw_join_free(join);
	return true;
}

static bool begin_after_begin_says_that_the_first_has_no_end(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_read, 10);
	begin(join, 1, __NR_write, 20);
	end(join, 1, __NR_write, 30, 7);
	seen = emit(join, 40);
	CHECK(seen.nr == 2);
	CHECK(seen.calls[0].nr == __NR_read && seen.calls[0].state == LW_CALL_BEGAN);
	CHECK(seen.calls[1].nr == __NR_write && seen.calls[1].ret == 7);
	lw_join_free(join);
	return true;
}

static bool end_alone_is_a_call(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	end(join, 1, __NR_read, 30, 7);
	seen = emit(join, 40);
	CHECK(seen.nr == 1 && seen.calls[0].state == LW_CALL_ENDED);
	CHECK(!seen.calls[0].begin && seen.calls[0].args[1] == 2);
	lw_join_free(join);
	return true;
}

static bool end_of_another_call_is_not_the_end_of_this(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_read, 10);
	end(join, 1, __NR_write, 30, 7);
	seen = emit(join, 40);
	CHECK(seen.nr == 2);
	CHECK(seen.calls[0].state == LW_CALL_BEGAN && seen.calls[1].state == LW_CALL_ENDED);
	lw_join_free(join);
	return true;
}

static bool begin_older_than_the_last_end_is_dropped(void)
{
	struct lw_join *join = lw_join_new();

	end(join, 1, __NR_read, 30, 7);
	begin(join, 1, __NR_read, 10);
	CHECK(emit(join, 40).nr == 1);
	CHECK(lw_join_stats(join)->late == 1);
	lw_join_give_up(join);
	CHECK(emit(join, ~0ULL).nr == 0);
	lw_join_free(join);
	return true;
}

static bool exit_has_no_end(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_read, 10);
	begin(join, 2, __NR_exit_group, 20);
	seen = emit(join, 40);
	CHECK(seen.nr == 1 && seen.calls[0].nr == __NR_exit_group);
	CHECK(seen.calls[0].state == LW_CALL_BEGAN);
	CHECK(lw_join_threads(join) == 1);
	lw_join_give_up(join);
	seen = emit(join, ~0ULL);
	CHECK(seen.nr == 1 && seen.calls[0].nr == __NR_read);
	lw_join_free(join);
	return true;
}

static bool child_does_not_end_its_parents_call(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_clone, 10);
	end(join, 2, __NR_clone, 20, 0);
	end(join, 1, __NR_clone, 30, 2);
	seen = emit(join, 40);
	CHECK(seen.nr == 2 && seen.calls[1].tid == 1 && seen.calls[1].ret == 2);
	CHECK(seen.calls[0].state == LW_CALL_BORN && seen.calls[0].tid == 2);
	CHECK(seen.calls[1].state == (LW_CALL_BEGAN | LW_CALL_ENDED));
	CHECK(lw_join_threads(join) == 2);
	lw_join_free(join);
	return true;
}

/* In a PID namespace of its own a parent knows its child by another number. */
static bool only_its_own_record_makes_a_child_known(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(8, __NR_execve, 10);

	begin(join, 1, __NR_clone, 10);
	end(join, 1, __NR_clone, 30, 8);
	CHECK(emit(join, 40).nr == 1 && lw_join_threads(join) == 1);
	record.call.pid = 7;
	add(join, &record);
	begin(join, 1, __NR_clone, 50);
	end(join, 1, __NR_clone, 60, 8);
	end(join, 7, __NR_execve, 70, 0);
	CHECK(emit(join, 80).calls[1].begin == 10);
	lw_join_free(join);
	return true;
}

/* A vfork() ends when its child has ended, or executes. */
static bool child_that_has_ended_is_not_known_again(void)
{
	struct lw_join *join = lw_join_new();

	begin(join, 1, __NR_vfork, 10);
	end(join, 2, __NR_vfork, 20, 0);
	begin(join, 2, __NR_exit_group, 30);
	end(join, 1, __NR_vfork, 40, 2);
	CHECK(emit(join, 50).nr == 3 && lw_join_threads(join) == 1);
	lw_join_free(join);
	return true;
}

/* The thread that executes takes over the id of the first of its process. */
static bool exec_of_another_thread_finds_its_begin(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(8, __NR_execve, 10);
	struct seen seen;

	record.call.pid = 7;
	begin(join, 7, __NR_futex, 5);
	add(join, &record);
	end(join, 7, __NR_execve, 20, 0);
	seen = emit(join, 40);
	CHECK(seen.nr == 2 && seen.calls[0].nr == __NR_futex && !seen.calls[0].end);
	CHECK(seen.calls[1].begin == 10 && seen.calls[1].end == 20);
	CHECK(lw_join_threads(join) == 1);
	lw_join_free(join);
	return true;
}

static bool execveat_ends_as_execve(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 7, __NR_execveat, 10);
	end(join, 7, __NR_execve, 20, 0);
	seen = emit(join, 40);
	CHECK(seen.nr == 1 && seen.calls[0].nr == __NR_execveat && seen.calls[0].end == 20);
	lw_join_free(join);
	return true;
}

static bool stack_joins_before_or_after_the_end(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(1, __NR_read, 10);
	struct seen seen;

	put_cookie(&record, 4, LW_USER_PENDING);
	add(join, &record);
	add_stack(join, 4);
	end(join, 1, __NR_read, 20, 0);
	seen = emit(join, 30);
	CHECK(seen.nr == 1 && seen.top[0] == 400);

	record.call.time = 40;
	put_cookie(&record, 5, LW_USER_PENDING);
	add(join, &record);
	end(join, 1, __NR_read, 50, 0);
	CHECK(emit(join, 60).nr == 0 && lw_join_waits(join));
	add_stack(join, 6);
	CHECK(emit(join, 60).nr == 0);
	add_stack(join, 5);
	seen = emit(join, 60);
	CHECK(seen.nr == 1 && seen.top[0] == 500);
	lw_join_free(join);
	return true;
}

static bool who_waits_keeps_the_order(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(1, __NR_read, 10);
	struct seen seen;

	put_cookie(&record, 4, LW_USER_PENDING);
	add(join, &record);
	end(join, 1, __NR_read, 20, 0);
	begin(join, 2, __NR_write, 15);
	end(join, 2, __NR_write, 25, 0);
	CHECK(emit(join, 30).nr == 0);
	seen = emit(join, 26 + LW_JOIN_WAIT_NS);
	CHECK(seen.nr == 2 && seen.calls[0].tid == 1 && !seen.top[0]);
	CHECK(lw_join_stats(join)->given_up == 1);
	add_stack(join, 4);
	CHECK(!lw_join_waits(join));
	lw_join_free(join);
	return true;
}

static bool deferred_data_takes_the_place_of_what_is_missing(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(1, __NR_openat, 10);
	struct seen seen;

	put_string(&record, "", LW_DATA_F_MISSING);
	put_cookie(&record, 4, LW_USER_EXCLUDED);
	record.call.record.flags = LW_SYSCALL_DATA_DEFERRED;
	add(join, &record);
	end(join, 1, __NR_openat, 20, 3);
	CHECK(emit(join, 30).nr == 0);
	add_deferred(join, 4, true, "no");
	CHECK(emit(join, 30).nr == 0);
	add_deferred(join, 4, false, "/late");
	seen = emit(join, 30);
	CHECK(seen.nr == 1 && !strcmp(seen.strings[0], "/late"));
	lw_join_free(join);
	return true;
}

static bool nobody(u32 tid)
{
	(void)tid;
	return false;
}

static bool killed_thread_leaves_a_call_without_end(void)
{
	struct lw_join *join = lw_join_new();

	begin(join, 1, __NR_read, 10);
	begin(join, 2, __NR_read, 100);
	lw_join_sweep(join, 50, nobody);
	CHECK(emit(join, 200).nr == 1);
	CHECK(lw_join_threads(join) == 1);
	lw_join_free(join);
	return true;
}

static bool records_that_lie_are_counted(void)
{
	struct lw_join *join = lw_join_new();
	struct record record = make(1, __NR_openat, 10);

	put_string(&record, "/etc", 0);
	record.data.len = 4096;
	add(join, &record);
	record.call.record.len = 16;
	add(join, &record);
	CHECK(lw_join_stats(join)->bad_records == 2);
	lw_join_free(join);
	return true;
}

static bool tasks_without_a_number_are_counted(void)
{
	struct lw_join *join = lw_join_new();

	begin(join, 0, __NR_read, 10);
	end(join, 0, __NR_read, 20, 0);
	CHECK(emit(join, 30).nr == 0 && lw_join_threads(join) == 0);
	CHECK(lw_join_stats(join)->foreign == 2);
	lw_join_free(join);
	return true;
}

static bool lost_records_are_counted(void)
{
	struct lw_join *join = lw_join_new();
	struct lw_lost lost = {
		.record = { .len = sizeof(lost), .type = LW_RECORD_LOST },
		.full = 3,
		.big = 2,
	};

	lw_join_record(join, &lost.record);
	CHECK(lw_join_stats(join)->lost == 5);
	lw_join_free(join);
	return true;
}

static bool calls_tell_what_was_lost_before_them(void)
{
	struct lw_join *join = lw_join_new();
	struct lw_lost lost = {
		.record = { .len = sizeof(lost), .type = LW_RECORD_LOST },
		.full = 3,
	};
	struct seen seen;

	end(join, 1, __NR_read, 10, 0);
	lw_join_record(join, &lost.record);
	end(join, 1, __NR_read, 20, 0);
	seen = emit(join, 30);
	CHECK(seen.nr == 2 && !seen.calls[0].lost && seen.calls[1].lost == 3);
	lw_join_free(join);
	return true;
}

static void deliver(struct lw_join *join, u32 pid, u32 tid, int number, u64 time)
{
	const struct lw_signal delivered = {
		.pid = pid, .tid = tid, .signal = number, .time = time, .code = -6,
	};

	lw_join_signal(join, &delivered);
}

static bool signal_comes_between_calls(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	end(join, 1, __NR_read, 10, 0);
	deliver(join, 1, 1, SIGCHLD, 11);
	end(join, 1, __NR_read, 20, 0);
	seen = emit(join, 30);
	CHECK(seen.nr == 3 && seen.calls[1].state == LW_CALL_SIGNAL);
	CHECK(seen.calls[1].nr == SIGCHLD && (s32)seen.calls[1].args[1] == -6 &&
	      seen.calls[1].end == 11 && lw_join_threads(join) == 1);
	lw_join_free(join);
	return true;
}

static bool signal_that_kills_ends_the_call_before_it(void)
{
	struct lw_join *join = lw_join_new();
	struct seen seen;

	begin(join, 1, __NR_pause, 10);
	deliver(join, 1, 1, SIGKILL, 11);
	seen = emit(join, 30);
	CHECK(seen.nr == 2 && seen.calls[0].nr == __NR_pause &&
	      seen.calls[0].state == LW_CALL_BEGAN && seen.calls[1].nr == SIGKILL);
	CHECK(!seen.calls[1].args[3] && !lw_join_threads(join));
	lw_join_free(join);
	return true;
}

static bool threads_that_an_exec_ends_are_told_from_those_that_are_killed(void)
{
	struct lw_join *join = lw_join_new();
	struct record other = make(8, __NR_futex, 5), exec = make(9, __NR_execve, 10);
	struct seen seen;

	other.call.pid = 7;
	exec.call.pid = 7;
	add(join, &other);
	add(join, &exec);
	deliver(join, 7, 8, SIGKILL, 11);
	seen = emit(join, 30);
	CHECK(seen.nr == 2 && seen.calls[1].nr == SIGKILL && seen.calls[1].args[3]);
	lw_join_free(join);
	return true;
}

static bool signal_of_a_task_without_a_number_is_nobodys(void)
{
	struct lw_join *join = lw_join_new();

	deliver(join, 0, 0, SIGTERM, 11);
	CHECK(!emit(join, 30).nr);
	lw_join_free(join);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(begin_and_end_are_a_call),
		TEST(calls_come_in_the_order_of_their_ends),
		TEST(begin_after_begin_says_that_the_first_has_no_end),
		TEST(end_alone_is_a_call),
		TEST(end_of_another_call_is_not_the_end_of_this),
		TEST(begin_older_than_the_last_end_is_dropped),
		TEST(exit_has_no_end),
		TEST(child_does_not_end_its_parents_call),
		TEST(only_its_own_record_makes_a_child_known),
		TEST(child_that_has_ended_is_not_known_again),
		TEST(exec_of_another_thread_finds_its_begin),
		TEST(execveat_ends_as_execve),
		TEST(stack_joins_before_or_after_the_end),
		TEST(who_waits_keeps_the_order),
		TEST(deferred_data_takes_the_place_of_what_is_missing),
		TEST(killed_thread_leaves_a_call_without_end),
		TEST(records_that_lie_are_counted),
		TEST(tasks_without_a_number_are_counted),
		TEST(lost_records_are_counted),
		TEST(calls_tell_what_was_lost_before_them),
		TEST(signal_comes_between_calls),
		TEST(signal_that_kills_ends_the_call_before_it),
		TEST(threads_that_an_exec_ends_are_told_from_those_that_are_killed),
		TEST(signal_of_a_task_without_a_number_is_nobodys),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
