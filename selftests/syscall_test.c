// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_test.c - system calls that are recorded: numbers, arguments, results,
 * and the user data that they name, be it in memory or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/calls.h"
#include "lib/tags.h"
#include "kselftest_harness.h"

#define RING	(1 << 20)
#define PAGE	lwt_page()

FIXTURE(calls)
{
	struct calls c;
};

FIXTURE_SETUP(calls)
{
	/* Rings are read one after the other: in one, records are in the order of the calls. */
	ASSERT_EQ(0, lwt_pin(0));
	/* What this program names is in memory, wherever the linker has put it. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	ASSERT_EQ(0, calls_open(&self->c, RING));
}

FIXTURE_TEARDOWN(calls)
{
	calls_close(&self->c);
}

TEST_F(calls, have_arguments_result_and_path)
{
	struct calls *c = &self->c;
	static const char * const paths[] = {
		"/proc/self/status", "/no/such/file", "", "/",
	};
	struct lw_syscall *in, *out;
	unsigned int i;
	uint64_t id;
	long fd;

	ASSERT_EQ(0, calls_add(c, SYS_openat, BOTH, &path_of_openat, 1, &id));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		fd = calls_openat(paths[i]);
		if (fd >= 0)
			close(fd);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(0, lwt_read(&c->s, &c->log));
	ASSERT_EQ(ARRAY_SIZE(paths), calls_count(c, SYS_openat, false));
	ASSERT_EQ(ARRAY_SIZE(paths), calls_count(c, SYS_openat, true));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		in = calls_record(c, SYS_openat, false, i);
		out = calls_record(c, SYS_openat, true, i);
		EXPECT_EQ(id, in->id);
		EXPECT_EQ(id, out->id);
		EXPECT_EQ(getpid(), in->pid);
		EXPECT_EQ(gettid(), in->tid);
		EXPECT_EQ(LW_USER_EXCLUDED, in->user);
		EXPECT_EQ((uint32_t)AT_FDCWD, (uint32_t)in->args[0]);
		EXPECT_EQ((uintptr_t)paths[i], in->args[1]);
		EXPECT_EQ(O_RDONLY, in->args[2]);
		EXPECT_LE(in->time, out->time);
		ASSERT_EQ(1, in->nr_data);
		EXPECT_EQ(0, out->nr_data);
		EXPECT_EQ(0, calls_data(in, 0)->flags);
		EXPECT_EQ(1, calls_data(in, 0)->arg);
		EXPECT_TRUE(calls_holds(calls_data(in, 0), paths[i], strlen(paths[i])))
			TH_LOG("%s", paths[i]);
	}
	EXPECT_LE(0, calls_record(c, SYS_openat, true, 0)->ret);
	EXPECT_EQ(-ENOENT, calls_record(c, SYS_openat, true, 1)->ret);
	EXPECT_EQ(-ENOENT, calls_record(c, SYS_openat, true, 2)->ret);
	EXPECT_EQ(2 * ARRAY_SIZE(paths), lwt_stats(c->s.fd).syscalls);
}

TEST_F(calls, cut_what_is_too_long)
{
	struct calls *c = &self->c;
	struct lw_syscall_arg arg = path_of_openat;
	struct lw_syscall *in;

	arg.max = 5;
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &arg, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	calls_openat("/no/such/file");
	calls_openat("/no/s");
	calls_openat("/no/");
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_EQ(3, lwt_read(&c->s, &c->log));
	in = calls_record(c, SYS_openat, false, 0);
	EXPECT_TRUE(calls_holds(calls_data(in, 0), "/no/s", 5));
	EXPECT_EQ(LW_DATA_F_CUT, calls_data(in, 0)->flags);
	in = calls_record(c, SYS_openat, false, 1);
	EXPECT_TRUE(calls_holds(calls_data(in, 0), "/no/s", 5));
	EXPECT_EQ(0, calls_data(in, 0)->flags);
	in = calls_record(c, SYS_openat, false, 2);
	EXPECT_TRUE(calls_holds(calls_data(in, 0), "/no/", 4));
	EXPECT_EQ(0, calls_data(in, 0)->flags);
}

/* A name that nobody has looked at, also across two pages: each time. */
TEST_F(calls, have_a_path_that_is_not_in_memory)
{
	struct calls *c = &self->c;
	static const char name[] = "/no/such/path";
	struct lw_syscall_data *d;
	unsigned int i, all = 0;

	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < 100; i++) {
		size_t at = i % 2 ? 100 : PAGE - 5;
		char *map = calls_dropped_pages(name, at);

		ASSERT_NE(NULL, map);
		EXPECT_EQ(-1, calls_openat(map + at));
		munmap(map, 2 * PAGE);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(100, lwt_read(&c->s, &c->log));
	for (i = 0; i < c->log.nr; i++) {
		struct lw_syscall *r = c->log.records[i].call;

		/* Not those that make the files. */
		if (r->record.type != LW_RECORD_SYSCALL || r->args[2] != O_RDONLY)
			continue;
		if (c->fetches) {
			EXPECT_EQ(0, calls_data(r, 0)->flags);
			EXPECT_TRUE(calls_holds(calls_data(r, 0), name, strlen(name)));
			EXPECT_EQ(0, r->record.flags & LW_SYSCALL_DATA_DEFERRED);
			all++;
			continue;
		}
		EXPECT_EQ(LW_DATA_F_MISSING, calls_data(r, 0)->flags);
		EXPECT_EQ(LW_SYSCALL_DATA_DEFERRED, r->record.flags);
		d = calls_deferred(c, r);
		EXPECT_TRUE(calls_holds(d, name, strlen(name)));
		all += d && d->flags == LW_DATA_F_DEFERRED;
	}
	EXPECT_EQ(100, all);
	EXPECT_EQ(0, lwt_stats(c->s.fd).data_faults);
}

#if defined(__aarch64__)
#define TAG	0x5a

/* By a pointer with a tag, in memory or not: as the kernel reads it, or not. */
TEST_F(calls, have_a_path_by_a_pointer_with_a_tag)
{
	static const char name[] = "/no/such/path";
	struct calls *c = &self->c;
	struct lw_syscall_data *d;
	unsigned int i;
	char *map = calls_dropped_pages(name, PAGE - 5);
	const struct {
		const char *path;
		bool resident;
	} paths[] = {
		{ (char *)tags_put(name, TAG), true },
		{ (char *)tags_put(map + PAGE - 5, TAG), false },
	};

	ASSERT_NE(NULL, map);
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	EXPECT_EQ(-1, calls_openat(paths[0].path));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, tags_take(0));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		EXPECT_EQ(-1, calls_openat(paths[i].path));
		EXPECT_EQ(ENOENT, errno);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(3, lwt_read(&c->s, &c->log));
	d = calls_deferred(c, calls_record(c, SYS_openat, false, 0));
	ASSERT_NE(NULL, d);
	EXPECT_EQ(LW_DATA_F_FAULT | LW_DATA_F_DEFERRED, d->flags);
	EXPECT_EQ(0, d->len);
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		struct lw_syscall *r = calls_record(c, SYS_openat, false, 1 + i);
		bool at_once = paths[i].resident || c->fetches;

		ASSERT_NE(NULL, r);
		EXPECT_EQ((uintptr_t)paths[i].path, r->args[1]);
		EXPECT_EQ(at_once ? 0 : LW_DATA_F_MISSING, calls_data(r, 0)->flags);
		d = at_once ? calls_data(r, 0) : calls_deferred(c, r);
		EXPECT_TRUE(calls_holds(d, name, strlen(name)));
	}
	EXPECT_EQ(1, lwt_stats(c->s.fd).data_faults);
}

/* Memory that has tags, too: what the kernel does not read is not read, and nobody is hurt. */
TEST_F(calls, have_a_path_by_the_tag_of_its_memory_only)
{
	static const char name[] = "/no/such/path";
	const int errors[] = { ENOENT, EFAULT, ENOENT };
	struct calls *c = &self->c;
	struct lw_syscall_data *d;
	unsigned int i;
	char *paths[3];

	if (!tags_are_compared())
		SKIP(return, "no MTE on this machine");
	ASSERT_EQ(0, tags_take(PR_MTE_TCF_SYNC));
	paths[0] = tags_map(PAGE, TAG);
	ASSERT_NE(NULL, paths[0]);
	/* Another tag; another upper half of the byte, which is compared with nothing. */
	paths[1] = (char *)((uintptr_t)paths[0] ^ 1ULL << 56);
	paths[2] = (char *)((uintptr_t)paths[0] ^ 1ULL << 60);
	strcpy(paths[0], name);
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		EXPECT_EQ(-1, calls_openat(paths[i]));
		EXPECT_EQ(errors[i], errno);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(3, lwt_read(&c->s, &c->log));
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		struct lw_syscall *r = calls_record(c, SYS_openat, false, i);

		ASSERT_NE(NULL, r);
		if (errors[i] == ENOENT) {
			EXPECT_EQ(0, calls_data(r, 0)->flags);
			EXPECT_TRUE(calls_holds(calls_data(r, 0), name, strlen(name)));
			continue;
		}
		d = calls_deferred(c, r);
		ASSERT_NE(NULL, d);
		EXPECT_EQ(LW_DATA_F_FAULT | LW_DATA_F_DEFERRED, d->flags);
	}
}
#endif

/* Of the nth write, which can't be read whole; deferred if it was tried again. */
static struct lw_syscall_data *missing_data(struct calls *c, unsigned int n)
{
	struct lw_syscall *r = calls_record(c, SYS_write, false, n);
	struct lw_syscall_data *d = r ? calls_deferred(c, r) : NULL;

	return d && d->flags == (LW_DATA_F_FAULT | LW_DATA_F_DEFERRED) ? d : NULL;
}

/* What can't be read at all leaves a record with what could, and says so. */
TEST_F(calls, tell_what_cannot_be_read)
{
	struct calls *c = &self->c;
	/* Of bytes that are there, behind which nothing is. */
	const unsigned int most = LW_MAX_SYSCALL_DATA / 4, near = (most < PAGE ? most : PAGE) + 10;
	const struct lw_syscall_arg buffer = {
		.arg = 1,
		.kind = LW_DATA_BUFFER,
		.when = LW_SYSCALL_ENTRY,
		.count = 2,
		.max = 4 * (near - 10),
	};
	char *map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct lw_syscall_data *d;
	int fd = open("/dev/null", O_WRONLY);

	ASSERT_NE(MAP_FAILED, map);
	memset(map, 'x', 2 * PAGE);
	ASSERT_EQ(0, munmap(map + 2 * PAGE, PAGE));
	ASSERT_EQ(0, calls_add(c, SYS_write, LW_SYSCALL_ENTRY, &buffer, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_write, fd, map + 2 * PAGE - near, 2 * PAGE);
	syscall(SYS_write, fd, (void *)8, 100);
	syscall(SYS_write, fd, (void *)0xffffffff81000000, 100);
	syscall(SYS_write, fd, NULL, 100);
	/* Longer than the limit, too, but that is not why it is short. */
	syscall(SYS_write, fd, map + 2 * PAGE - near, 5 * PAGE);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(5, lwt_read(&c->s, &c->log));
	d = missing_data(c, 0);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(near, d->len);
	EXPECT_EQ('x', ((char *)(d + 1))[near - 1]);
	d = missing_data(c, 1);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(0, d->len);
	d = missing_data(c, 2);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(0, d->len);
	d = calls_data(calls_record(c, SYS_write, false, 3), 0);
	EXPECT_EQ(0, d->len);
	EXPECT_EQ(0, d->flags);
	d = missing_data(c, 4);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(near, d->len);
	EXPECT_EQ(4, lwt_stats(c->s.fd).data_faults);
}

TEST_F(calls, have_buffers_vectors_and_structs)
{
	struct calls *c = &self->c;
	const struct lw_syscall_arg in[] = {
		{ .arg = 1, .kind = LW_DATA_IOVEC, .when = LW_SYSCALL_ENTRY,
		  .count = 2, .max = 64 },
	};
	const struct lw_syscall_arg out[] = {
		{ .arg = 1, .kind = LW_DATA_BUFFER, .when = LW_SYSCALL_EXIT,
		  .count = LW_COUNT_RETURN, .max = 64 },
	};
	const struct lw_syscall_arg time[] = {
		{ .arg = 1, .kind = LW_DATA_STRUCT, .when = LW_SYSCALL_EXIT,
		  .size = sizeof(struct timespec) },
	};
	struct iovec vectors[] = { { "one", 3 }, { "", 0 }, { "three", 5 } };
	char buffer[64] = "nothing";
	struct timespec t;
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, calls_add(c, SYS_writev, LW_SYSCALL_ENTRY, in, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_read, LW_SYSCALL_EXIT, out, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_clock_gettime, LW_SYSCALL_EXIT, time, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(8, syscall(SYS_writev, pipes[1], vectors, 3));
	ASSERT_EQ(8, syscall(SYS_read, pipes[0], buffer, sizeof(buffer)));
	ASSERT_EQ(-1, syscall(SYS_read, -1, buffer, sizeof(buffer)));
	ASSERT_EQ(0, syscall(SYS_clock_gettime, CLOCK_REALTIME, &t));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_EQ(4, lwt_read(&c->s, &c->log));
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_writev, false, 0), 0),
				"onethree", 8));
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_read, true, 0), 0), "onethree", 8));
	EXPECT_EQ(0, calls_record(c, SYS_read, true, 1)->nr_data);
	EXPECT_EQ(-EBADF, calls_record(c, SYS_read, true, 1)->ret);
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_clock_gettime, true, 0), 0), &t,
				sizeof(t)));
}

/* What the flags of a count say of it. */
TEST_F(calls, count_by_pointer_by_element_and_in_32_bits)
{
	struct calls *c = &self->c;
	const struct lw_syscall_arg pointed = {
		.arg = 1, .kind = LW_DATA_BUFFER, .when = LW_SYSCALL_ENTRY,
		.count = 2 | LW_COUNT_POINTED, .max = 64,
	};
	const struct lw_syscall_arg elements = {
		.arg = 0, .kind = LW_DATA_BUFFER, .when = LW_SYSCALL_ENTRY,
		.count = 1 | LW_COUNT_32, .size = sizeof(struct pollfd), .max = 20,
	};
	struct pollfd fds[3] = { { -1, 1, 0 }, { -1, 3, 0 }, { -1, 5, 0 } };
	struct timespec now = {};
	uint32_t len[2] = { 5, 0xffffffff };
	struct lw_syscall_data *d;

	ASSERT_EQ(0, calls_add(c, SYS_getsockname, LW_SYSCALL_ENTRY, &pointed, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_ppoll, LW_SYSCALL_ENTRY, &elements, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_getsockname, -1, "12345678", &len[0]);
	syscall(SYS_getsockname, -1, "12345678", &len[1]);
	syscall(SYS_getsockname, -1, "12345678", (void *)8);
	syscall(SYS_getsockname, -1, "12345678", NULL);
	syscall(SYS_ppoll, fds, 2 | 1UL << 32, &now, NULL, 8);
	syscall(SYS_ppoll, fds, 3, &now, NULL, 8);
	syscall(SYS_ppoll, fds, -1, &now, NULL, 8);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(7, lwt_read(&c->s, &c->log));
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_getsockname, false, 0), 0),
				"12345", 5));
	d = calls_data(calls_record(c, SYS_getsockname, false, 1), 0);
	EXPECT_EQ(64, d->len);
	EXPECT_EQ(LW_DATA_F_CUT, d->flags);
	/* The number can't be read, so that nothing can. */
	d = calls_data(calls_record(c, SYS_getsockname, false, 2), 0);
	EXPECT_EQ(0, d->len);
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	d = calls_data(calls_record(c, SYS_getsockname, false, 3), 0);
	EXPECT_EQ(0, d->len);
	EXPECT_EQ(0, d->flags);
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_ppoll, false, 0), 0), fds,
				2 * sizeof(fds[0])));
	d = calls_data(calls_record(c, SYS_ppoll, false, 1), 0);
	EXPECT_TRUE(calls_holds(d, fds, 20));
	EXPECT_EQ(LW_DATA_F_CUT, d->flags);
	EXPECT_EQ(LW_DATA_F_CUT, calls_data(calls_record(c, SYS_ppoll, false, 2), 0)->flags);
	EXPECT_EQ(1, lwt_stats(c->s.fd).data_faults);
}

/* Of execve(): as they are, also when the last one does not fit. */
TEST_F(calls, have_arrays_of_strings)
{
	struct calls *c = &self->c;
	const struct lw_syscall_arg args[] = {
		{ .arg = 1, .kind = LW_DATA_STRINGS, .when = LW_SYSCALL_ENTRY, .max = 12 },
		{ .arg = 2, .kind = LW_DATA_STRINGS, .when = LW_SYSCALL_ENTRY, .max = 11 },
	};
	const char * const argv[] = { "one", "", "three", NULL };
	const char * const bad[] = { "one", (char *)8, "three", NULL };
	const char * const none[] = { NULL };
	struct lw_syscall *r;

	ASSERT_EQ(0, calls_add(c, SYS_execve, LW_SYSCALL_ENTRY, args, 2, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(-1, syscall(SYS_execve, "/no/such", argv, argv));
	ASSERT_EQ(-1, syscall(SYS_execve, "/no/such", none, NULL));
	ASSERT_EQ(-1, syscall(SYS_execve, "/no/such", bad, none));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(3, lwt_read(&c->s, &c->log));
	r = calls_record(c, SYS_execve, false, 0);
	ASSERT_EQ(2, r->nr_data);
	EXPECT_TRUE(calls_holds(calls_data(r, 0), "one\0\0three", 11));
	EXPECT_EQ(0, calls_data(r, 0)->flags);
	EXPECT_TRUE(calls_holds(calls_data(r, 1), "one\0\0three", 11));
	EXPECT_EQ(0, calls_data(r, 1)->flags);
	r = calls_record(c, SYS_execve, false, 1);
	EXPECT_EQ(0, calls_data(r, 0)->len);
	EXPECT_EQ(0, calls_data(r, 0)->flags);
	EXPECT_EQ(0, calls_data(r, 1)->len);
	r = calls_record(c, SYS_execve, false, 2);
	EXPECT_EQ(LW_DATA_F_MISSING, calls_data(r, 0)->flags);
	EXPECT_TRUE(calls_holds(calls_data(r, 0), "one", 4));
}

/* Of what readv() was given room for, only what it has read. */
TEST_F(calls, have_of_vectors_what_was_read)
{
	struct calls *c = &self->c;
	const struct lw_syscall_arg out = {
		.arg = 1, .kind = LW_DATA_IOVEC, .when = LW_SYSCALL_EXIT,
		.count = 2, .max = 64,
	};
	char first[3] = "xxx", second[16] = "yyyyyyyyyyyyyyy";
	struct iovec vectors[] = { { first, sizeof(first) }, { second, sizeof(second) } };
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, calls_add(c, SYS_readv, LW_SYSCALL_EXIT, &out, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(5, write(pipes[1], "12345", 5));
	ASSERT_EQ(5, syscall(SYS_readv, pipes[0], vectors, 2));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_EQ(1, lwt_read(&c->s, &c->log));
	EXPECT_TRUE(calls_holds(calls_data(calls_record(c, SYS_readv, true, 0), 0),
				"12345", 5));
	close(pipes[0]);
	close(pipes[1]);
}

/* Records are as long as their strings are, not as they may be. */
TEST_F(calls, take_no_more_room_than_they_need)
{
	struct lw_syscall_arg arg = path_of_openat;
	struct calls *c = &self->c;
	unsigned int i;

	calls_close(c);
	ASSERT_EQ(0, calls_open(c, 65536));
	/* With the header it is over half of the ring. */
	arg.max = 32768;
	EXPECT_EQ(-ENOSPC, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &arg, 1, NULL));
	arg.max = 32640;
	EXPECT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &arg, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < 400; i++)
		calls_openat("/no/such");
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	EXPECT_EQ(400, lwt_read(&c->s, &c->log));
	EXPECT_EQ(0, lwt_stats(c->s.fd).lost_full);
	EXPECT_EQ(0, lwt_stats(c->s.fd).lost_big);
	for (i = 0; i < c->log.nr; i++)
		EXPECT_EQ(120 + 8 + 8, c->log.records[i].head->len);
}

/* A page that was never touched is zeroes: an empty string that was read. */
TEST_F(calls, have_what_was_never_touched)
{
	struct calls *c = &self->c;
	struct lw_syscall_data *d;
	struct lw_syscall *r;
	unsigned int i;

	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < 20; i++) {
		char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(MAP_FAILED, page);
		calls_openat(page);
		munmap(page, PAGE);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(20, lwt_read(&c->s, &c->log));
	for (i = 0; i < 20; i++) {
		r = calls_record(c, SYS_openat, false, i);
		ASSERT_NE(NULL, r);
		d = c->fetches ? calls_data(r, 0) : calls_deferred(c, r);
		ASSERT_NE(NULL, d);
		EXPECT_EQ(c->fetches ? 0 : LW_DATA_F_DEFERRED, d->flags);
		EXPECT_EQ(0, d->len);
	}
	EXPECT_EQ(0, lwt_stats(c->s.fd).data_faults);
}

/* Of the page of @address, as proc(5) has it. */
static bool is_swapped(const void *address)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	pread(fd, &entry, sizeof(entry), (uintptr_t)address / PAGE * sizeof(entry));
	close(fd);
	return entry & 1ULL << 62;
}

/* Only the one that the VM has for that (vm/run.sh): on another machine it may be anyone's. */
static bool is_for_swap(const char *disk)
{
	char path[64], serial[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/serial", basename(disk));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, serial, sizeof(serial) - 1) < 0)
		serial[0] = 0;
	close(fd);
	return !strcmp(serial, "lw.swap");
}

/*
 * Where it can be brought in some of it is there at once: not all, as a disk that is slow, on a
 * machine that is busy, is not waited for.
 */
#define EXPECT_HAS_ALL(c, nr, text)						\
do {										\
	struct lw_syscall_data *d_;						\
	unsigned int i_, brought = 0;						\
	struct lw_syscall *r_;							\
										\
	for (i_ = 0; i_ < (nr); i_++) {						\
		r_ = calls_record(c, SYS_openat, false, i_);			\
		ASSERT_NE(NULL, r_);						\
		d_ = calls_data(r_, 0);						\
		if (d_->flags == LW_DATA_F_MISSING)				\
			d_ = calls_deferred(c, r_);					\
		else								\
			brought++;						\
		EXPECT_TRUE(calls_holds(d_, text, strlen(text)));		\
	}									\
	EXPECT_EQ((c)->fetches, brought > 0);					\
	EXPECT_EQ(0, lwt_stats((c)->s.fd).data_faults);				\
} while (0)

/* Anonymous memory has to go somewhere. */
TEST_F(calls, have_what_is_swapped_out)
{
	static const char name[] = "/no/such/path";
	const char *disk = getenv("LW_SWAP");
	struct calls *c = &self->c;
	unsigned int i;
	char *page, command[64];

	if (!disk || !is_for_swap(disk))
		SKIP(return, "no disk to swap to");
	snprintf(command, sizeof(command), "mkswap %s >/dev/null 2>&1", disk);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, swapon(disk, 0));
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	strcpy(page, name);
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(lwt_wait(!madvise(page, PAGE, MADV_PAGEOUT) &&
				     is_swapped(page)));
		ASSERT_EQ(0, lwt_enable(c->s.fd));
		calls_openat(page);
		ASSERT_EQ(0, lwt_disable(c->s.fd));
	}
	ASSERT_LE(20, lwt_read(&c->s, &c->log));
	ASSERT_EQ(20, calls_count(c, SYS_openat, false));
	EXPECT_HAS_ALL(c, 20, name);
	munmap(page, PAGE);
	EXPECT_EQ(0, swapoff(disk));
}

/* Pages, of a file on a disk, that are not in memory, and none is read ahead. */
static char *file_on_disk(const char *disk, const char *text, size_t len)
{
	char name[256];
	size_t at;
	char *map;
	int fd;

	snprintf(name, sizeof(name), "%s/lw-syscall-XXXXXX", disk);
	fd = mkstemp(name);
	if (fd < 0)
		return NULL;
	unlink(name);
	map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	for (at = 0; at < len; at += 4 * PAGE)
		if (pwrite(fd, text, strlen(text) + 1, at) < 0)
			return NULL;
	if (ftruncate(fd, len) || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) || map == MAP_FAILED ||
	    madvise(map, len, MADV_RANDOM))
		map = NULL;
	close(fd);
	return map;
}

TEST_F(calls, have_what_a_disk_has)
{
	static const char name[] = "/no/such/path";
	struct calls *c = &self->c;
	unsigned char there;
	unsigned int i;
	char *map;

	if (!getenv("LW_DISK"))
		SKIP(return, "LW_DISK names no file system on a disk");
	map = file_on_disk(getenv("LW_DISK"), name, 32 * PAGE);
	ASSERT_NE(NULL, map);
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, mincore(map + i * 4 * PAGE, PAGE, &there));
		ASSERT_EQ(0, there & 1);
		calls_openat(map + i * 4 * PAGE);
	}
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(8, lwt_read(&c->s, &c->log));
	EXPECT_HAS_ALL(c, 8, name);
	munmap(map, 32 * PAGE);
}

/* Addresses that are not the task's, wherever they stand; a name that has no end. */
TEST_F(calls, do_not_read_what_is_not_the_tasks)
{
	struct calls *c = &self->c;
	const struct lw_syscall_arg vectors[] = {
		{ .arg = 1, .kind = LW_DATA_IOVEC, .when = LW_SYSCALL_ENTRY,
		  .count = 2, .max = 64 },
		{ .arg = 1, .kind = LW_DATA_IOVEC, .when = LW_SYSCALL_ENTRY,
		  .count = 2, .max = 64 },
	};
	const struct lw_syscall_arg strings = {
		.arg = 1, .kind = LW_DATA_STRINGS, .when = LW_SYSCALL_ENTRY, .max = 64,
	};
	struct lw_syscall_arg path = path_of_openat;
	void * const kernel = (void *)0xffffffff81000000;
	struct iovec bad[] = { { "one", 3 }, { kernel, 3 }, { "two", 3 } };
	char * const argv[] = { "one", kernel, NULL };
	static struct iovec many[1100];
	struct lw_syscall_data *d;
	struct lw_syscall *r;
	char *page;
	int i;

	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + PAGE, PAGE));
	memset(page, 'x', PAGE);
	path.max = 10;
	ASSERT_EQ(0, calls_add(c, SYS_writev, LW_SYSCALL_ENTRY, vectors, 2, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_execve, LW_SYSCALL_ENTRY, &strings, 1, NULL));
	ASSERT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path, 1, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_writev, -1, bad, 3);
	syscall(SYS_writev, -1, kernel, 3);
	syscall(SYS_writev, -1, many, 1100);
	syscall(SYS_execve, "/no/such", argv, NULL);
	syscall(SYS_execve, "/no/such", kernel, NULL);
	/* Ten bytes, and what is behind them can't be known. */
	calls_openat(page + PAGE - 10);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(6, lwt_read(&c->s, &c->log));
	d = calls_data(calls_record(c, SYS_writev, false, 0), 0);
	EXPECT_TRUE(calls_holds(d, "one", 3));
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	d = calls_data(calls_record(c, SYS_writev, false, 1), 0);
	EXPECT_TRUE(calls_holds(d, "", 0));
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	r = calls_record(c, SYS_writev, false, 2);
	d = calls_data(r, 0);
	EXPECT_TRUE(calls_holds(d, "", 0));
	EXPECT_EQ(LW_DATA_F_CUT, d->flags);
	/* Both together are more than is read with preemption off. */
	d = calls_data(r, 1);
	EXPECT_EQ(c->fetches ? LW_DATA_F_CUT : LW_DATA_F_MISSING, d->flags);
	if (!c->fetches) {
		d = calls_deferred(c, r);
		ASSERT_NE(NULL, d);
		EXPECT_EQ(LW_DATA_F_CUT | LW_DATA_F_DEFERRED, d->flags);
	}
	d = calls_data(calls_record(c, SYS_execve, false, 0), 0);
	EXPECT_TRUE(calls_holds(d, "one", 4));
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	d = calls_data(calls_record(c, SYS_execve, false, 1), 0);
	EXPECT_TRUE(calls_holds(d, "", 0));
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	d = calls_data(calls_record(c, SYS_openat, false, 0), 0);
	EXPECT_TRUE(calls_holds(d, "xxxxxxxxxx", 10));
	EXPECT_EQ(LW_DATA_F_MISSING, d->flags);
	for (i = 0; i < (int)c->log.nr; i++) {
		if (c->log.records[i].head->type != LW_RECORD_SYSCALL_DATA)
			continue;
		d = (struct lw_syscall_data *)(c->log.records[i].deferred + 1);
		EXPECT_TRUE(d->flags & LW_DATA_F_DEFERRED);
		EXPECT_GE(11, d->len);
	}
	munmap(page, PAGE);
}

/* A call by int 0x80 has another number, and is none of ours. */
#if defined(__x86_64__)
TEST_F(calls, of_other_abis_are_left_alone)
{
	struct calls *c = &self->c;
	long ret;

	ASSERT_EQ(0, calls_add(c, LW_SYSCALL_ANY, BOTH, NULL, 0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	/* 64 is getppid() there, and semget() here. */
	asm volatile("int $0x80" : "=a"(ret) : "a"(64) : "memory", "r8", "r9", "r10", "r11");
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	if (ret == -ENOSYS || ret == -EPERM)
		SKIP(return, "this kernel has no int 0x80");
	ASSERT_LE(1, lwt_read(&c->s, &c->log));
	EXPECT_EQ(0, calls_count(c, 64, false));
	EXPECT_EQ(0, calls_count(c, 64, true));
	EXPECT_EQ(1, calls_count(c, SYS_ioctl, false));
}
#endif

TEST_F(calls, have_a_stack)
{
	struct calls *c = &self->c;
	struct lw_syscall *in, *out;
	struct lwt_stack *stack;

	ASSERT_EQ(0, calls_add(c, SYS_getppid, BOTH | LW_SYSCALL_STACK, NULL, 0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(3, lwt_read(&c->s, &c->log));
	in = calls_record(c, SYS_getppid, false, 0);
	out = calls_record(c, SYS_getppid, true, 0);
	ASSERT_NE(NULL, in);
	ASSERT_NE(NULL, out);
	EXPECT_EQ(LW_USER_PENDING, in->user);
	stack = lwt_find_stack(&c->log, &in->cookie);
	ASSERT_NE(NULL, stack);
	EXPECT_LT(0, stack->nr);
	/* That of the end would be the same. */
	EXPECT_EQ(LW_USER_EXCLUDED, out->user);
	EXPECT_EQ(0, out->cookie.counter);
	EXPECT_EQ(0, lwt_stats(c->s.fd).pending);
}

TEST_F(calls, have_a_stack_at_their_end)
{
	struct calls *c = &self->c;
	struct lwt_stack *stack;
	struct lw_syscall *out;

	ASSERT_EQ(0, calls_add(c, SYS_getppid, LW_SYSCALL_EXIT | LW_SYSCALL_STACK, NULL,
			       0, NULL));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_getppid);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(2, lwt_read(&c->s, &c->log));
	out = calls_record(c, SYS_getppid, true, 0);
	ASSERT_NE(NULL, out);
	EXPECT_EQ(LW_USER_PENDING, out->user);
	stack = lwt_find_stack(&c->log, &out->cookie);
	ASSERT_NE(NULL, stack);
	EXPECT_LT(0, stack->nr);
}

TEST_F(calls, of_any_number)
{
	struct calls *c = &self->c;
	uint64_t any, one;

	ASSERT_EQ(0, calls_add(c, LW_SYSCALL_ANY, LW_SYSCALL_ENTRY, NULL, 0, &any));
	ASSERT_EQ(0, calls_add(c, SYS_getppid, LW_SYSCALL_EXIT, NULL, 0, &one));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	syscall(SYS_getppid);
	syscall(SYS_getuid);
	syscall(999);
	syscall(-5);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_LE(3, lwt_read(&c->s, &c->log));
	EXPECT_EQ(0, calls_count(c, SYS_getppid, false));
	ASSERT_EQ(1, calls_count(c, SYS_getppid, true));
	EXPECT_EQ(one, calls_record(c, SYS_getppid, true, 0)->id);
	ASSERT_EQ(1, calls_count(c, SYS_getuid, false));
	EXPECT_EQ(any, calls_record(c, SYS_getuid, false, 0)->id);
	EXPECT_EQ(1, calls_count(c, 999, false));
}

TEST_F(calls, are_checked)
{
	struct calls *c = &self->c;
	static const struct lw_syscall_arg bad[] = {
		{ .arg = 6, .kind = 1, .when = 1, .max = 1 },
		{ .arg = 0, .kind = 0, .when = 1, .max = 1 },
		{ .arg = 0, .kind = 6, .when = 1, .max = 1 },
		{ .arg = 0, .kind = 1, .when = 0, .max = 1 },
		{ .arg = 0, .kind = 1, .when = 2, .max = 1 },
		{ .arg = 0, .kind = 1, .when = 3, .max = 1 },
		{ .arg = 0, .kind = 1, .when = 1, .max = 0 },
		{ .arg = 0, .kind = 1, .when = 1, .max = LW_MAX_SYSCALL_DATA + 1 },
		{ .arg = 0, .kind = 1, .when = 1, .max = 1, .count = 1 },
		{ .arg = 0, .kind = 1, .when = 1, .max = 1, .size = 1 },
		{ .arg = 0, .kind = 1, .when = 1, .max = 1, .reserved = 1 },
		{ .arg = 0, .kind = 2, .when = 1, .max = 1, .count = 6 },
		{ .arg = 0, .kind = 2, .when = 1, .max = 1, .count = 7 },
		{ .arg = 0, .kind = 2, .when = 1, .max = 1, .count = 0x40 },
		{ .arg = 0, .kind = 3, .when = 1, .size = 0 },
		{ .arg = 0, .kind = 3, .when = 1, .size = 1, .max = 1 },
		{ .arg = 0, .kind = 3, .when = 1, .size = LW_MAX_SYSCALL_DATA + 1 },
		{ .arg = 0, .kind = 2, .when = 1, .size = LW_MAX_SYSCALL_DATA + 1, .max = 1 },
		{ .arg = 0, .kind = 4, .when = 1, .size = 1, .max = 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, calls_add(c, SYS_getppid, LW_SYSCALL_ENTRY, &bad[i], 1,
					     NULL))
			TH_LOG("case %u", i);
	EXPECT_EQ(-EINVAL, calls_add(c, 1024, LW_SYSCALL_ENTRY, NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, calls_add(c, SYS_getppid, 0, NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, calls_add(c, SYS_getppid, LW_SYSCALL_STACK, NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, calls_add(c, LW_SYSCALL_ANY, LW_SYSCALL_ENTRY,
				     &path_of_openat, 1, NULL));
	EXPECT_EQ(-EINVAL, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat,
				     LW_MAX_SYSCALL_ARGS + 1, NULL));
	EXPECT_EQ(-EINVAL, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 0,
				     NULL));
	EXPECT_EQ(-EFAULT, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, (void *)8, 1,
				     NULL));
	EXPECT_EQ(0, calls_add(c, SYS_openat, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL));
	EXPECT_EQ(-EEXIST, calls_add(c, SYS_openat, LW_SYSCALL_EXIT, NULL, 0, NULL));
	EXPECT_EQ(0, lwt_enable(c->s.fd));
	EXPECT_EQ(-EBUSY, calls_add(c, SYS_getppid, LW_SYSCALL_EXIT, NULL, 0, NULL));
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
