// SPDX-License-Identifier: GPL-2.0
/*
 * fd_paths_test.c - calls tell which files descriptors are.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/fd_paths.h"
#include "trace/path_filter.h"

#define PID	7

static u8 bytes[256];

static struct lw_call make(u32 nr, s64 ret, u64 first, u64 second)
{
	return (struct lw_call) {
		.nr = nr,
		.pid = PID,
		.tid = PID,
		.state = LW_CALL_BEGAN | LW_CALL_ENDED,
		.ret = ret,
		.args = { first, second },
		.bytes = bytes,
	};
}

static void tell(struct lw_fd_paths *fds, u32 nr, s64 ret, u64 first, u64 second)
{
	struct lw_call call = make(nr, ret, first, second);

	lw_fd_paths_call(fds, &call);
}

static void tell_path(struct lw_fd_paths *fds, u32 nr, s64 ret, u32 arg, s32 dirfd,
		      const char *path,
		      u64 flags)
{
	struct lw_call call = make(nr, ret, (u32)dirfd, 0);

	call.args[2] = flags;
	call.data[0].arg = arg;
	call.data[0].kind = LW_DATA_STRING;
	call.data[0].when = LW_SYSCALL_ENTRY;
	call.data[0].len = strlen(path);
	call.nr_data = 1;
	memcpy(bytes, path, strlen(path));
	lw_fd_paths_call(fds, &call);
}

static void open_at(struct lw_fd_paths *fds, s64 ret, s32 dirfd, const char *path, u64 flags)
{
	tell_path(fds, __NR_openat, ret, 1, dirfd, path, flags);
}

/* A child that begins, of clone() with the argument @first. */
static void bear(struct lw_fd_paths *fds, u32 pid, u64 first, u64 time)
{
	struct lw_call call = make(__NR_clone, 0, first, 0);

	call.state = LW_CALL_BORN;
	call.pid = pid;
	call.tid = pid;
	call.end = time;
	lw_fd_paths_call(fds, &call);
}

static bool is(const struct lw_fd_paths *fds, u32 pid, s32 fd, const char *path)
{
	const char *known = lw_fd_paths_find(fds, pid, fd);

	return path ? known && !strcmp(known, path) : !known;
}

static bool opened_until_closed(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/etc/passwd", 0);
	open_at(fds, -2, AT_FDCWD, "/none", 0);
	CHECK(is(fds, PID, 3, "/etc/passwd") && is(fds, PID, 4, NULL) && is(fds, 8, 3, NULL));
	tell(fds, __NR_close, 0, 3, 0);
	CHECK(is(fds, PID, 3, NULL));
	open_at(fds, 3, AT_FDCWD, "/full/disk", 0);
	tell(fds, __NR_close, -EIO, 3, 0);
	CHECK(is(fds, PID, 3, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool copies_are_the_same_file(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/a", O_CLOEXEC);
	tell(fds, __NR_dup2, 1, 3, 1);
	tell(fds, __NR_fcntl, 10, 3, F_DUPFD_CLOEXEC | 5ULL << 32);
	tell(fds, __NR_dup2, 3, 3, 3);
	CHECK(is(fds, PID, 1, "/a") && is(fds, PID, 10, "/a") && is(fds, PID, 3, "/a"));
	tell(fds, __NR_execve, 0, 0, 0);
	CHECK(is(fds, PID, 1, "/a") && is(fds, PID, 10, NULL) && is(fds, PID, 3, NULL));
	tell(fds, __NR_socket, 1, 1, 1);
	CHECK(is(fds, PID, 1, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool relative_paths_need_their_directory(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "x", 0);
	CHECK(is(fds, PID, 3, NULL));
	open_at(fds, 4, AT_FDCWD, "/dir", 0);
	open_at(fds, 5, 4, "x", 0);
	CHECK(is(fds, PID, 5, "/dir/x"));
	tell_path(fds, __NR_chdir, 0, 0, 0, "/", 0);
	open_at(fds, 6, AT_FDCWD, "y", 0);
	CHECK(is(fds, PID, 6, "/y") && is(fds, PID, AT_FDCWD, "/"));
	tell(fds, __NR_fchdir, 0, 4, 0);
	CHECK(is(fds, PID, AT_FDCWD, "/dir"));
	lw_fd_paths_free(fds);
	return true;
}

static void change_dir(struct lw_fd_paths *fds, const char *path)
{
	tell_path(fds, __NR_chdir, 0, 0, 0, path, 0);
}

static bool working_directory_does_not_grow(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	char name[201];

	change_dir(fds, "//a/./b//");
	CHECK(is(fds, PID, AT_FDCWD, "/a/b"));
	change_dir(fds, ".");
	change_dir(fds, "./c/.");
	CHECK(is(fds, PID, AT_FDCWD, "/a/b/c"));
	change_dir(fds, "..");
	CHECK(is(fds, PID, AT_FDCWD, NULL));
	change_dir(fds, "c");
	CHECK(is(fds, PID, AT_FDCWD, NULL));
	change_dir(fds, "/");
	CHECK(is(fds, PID, AT_FDCWD, "/"));
	change_dir(fds, "/.");
	CHECK(is(fds, PID, AT_FDCWD, "/"));
	memset(name, 'x', 200);
	name[200] = 0;
	for (u32 i = 0; i < 20; i++)
		change_dir(fds, name);
	CHECK(lw_fd_paths_find(fds, PID, AT_FDCWD));
	change_dir(fds, name);
	CHECK(is(fds, PID, AT_FDCWD, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool children_get_what_is_open(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/a", 0);
	tell(fds, __NR_clone, 20, 0, 0);
	tell(fds, __NR_close, 0, 3, 0);
	CHECK(is(fds, 20, 3, NULL));
	bear(fds, 20, 0, 10);
	CHECK(is(fds, 20, 3, "/a") && is(fds, PID, 3, NULL));
	tell(fds, __NR_exit_group, 0, 0, 0);
	CHECK(is(fds, PID, 3, NULL) && is(fds, 20, 3, "/a"));
	lw_fd_paths_clear(fds);
	CHECK(is(fds, 20, 3, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool child_may_begin_before_its_parents_call_ends(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/a", 0);
	bear(fds, 20, 5, 10);
	tell(fds, __NR_clone, 20, 5, 0);
	CHECK(is(fds, 20, 3, "/a"));
	lw_fd_paths_free(fds);
	return true;
}

/* What fork() returns in another PID namespace is somebody else's number here. */
static bool child_of_another_call_gets_nothing(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/a", 0);
	tell(fds, __NR_clone, 20, 5, 0);
	bear(fds, 20, 6, 10);
	CHECK(is(fds, 20, 3, NULL));
	bear(fds, 21, 6, 10);
	tell(fds, __NR_clone, 21, 5, 0);
	CHECK(is(fds, 21, 3, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool owner_of_a_number_that_was_used_before_gets_nothing(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 3, AT_FDCWD, "/a", 0);
	bear(fds, PID, 6, 10);
	CHECK(is(fds, PID, 3, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool nobody(u32 pid)
{
	(void)pid;
	return false;
}

static bool killed_process_is_swept(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	struct lw_call call = make(__NR_dup, 4, 3, 0);

	open_at(fds, 3, AT_FDCWD, "/a", 0);
	call.end = 100;
	lw_fd_paths_call(fds, &call);
	tell(fds, __NR_clone, 20, 5, 0);
	lw_fd_paths_sweep(fds, 0, nobody);
	CHECK(is(fds, PID, 3, "/a"));
	lw_fd_paths_sweep(fds, 101, nobody);
	CHECK(is(fds, PID, 3, NULL));
	bear(fds, 20, 5, 200);
	CHECK(is(fds, 20, 3, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static bool running_process_is_looked_at(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(!lw_fd_paths_scan(fds, getpid()));
	CHECK(is(fds, getpid(), fd, "/dev/null") && lw_fd_paths_find(fds, getpid(), AT_FDCWD));
	close(fd);
	lw_fd_paths_free(fds);
	return true;
}

static bool close_range_may_only_mark(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	struct lw_call call = make(__NR_close_range, 0, 4, 5);

	for (s64 fd = 3; fd < 7; fd++)
		open_at(fds, fd, AT_FDCWD, "/a", 0);
	call.args[2] = CLOSE_RANGE_CLOEXEC;
	lw_fd_paths_call(fds, &call);
	CHECK(is(fds, PID, 4, "/a") && is(fds, PID, 5, "/a"));
	tell(fds, __NR_execve, 0, 0, 0);
	CHECK(is(fds, PID, 3, "/a") && is(fds, PID, 6, "/a"));
	CHECK(is(fds, PID, 4, NULL) && is(fds, PID, 5, NULL));
	tell(fds, __NR_close_range, 0, 6, ~0U);
	CHECK(is(fds, PID, 3, "/a") && is(fds, PID, 6, NULL));
	lw_fd_paths_free(fds);
	return true;
}

/* Data of an argument, beside a path that is at 0. */
static void add_bytes(struct lw_call *call, u32 arg, u32 when, const void *from, u32 len)
{
	struct lw_call_data *data = &call->data[call->nr_data++];

	*data = (struct lw_call_data) {
		.arg = arg, .kind = LW_DATA_BUFFER, .when = when, .len = len, .at = 128,
	};
	memcpy(bytes + data->at, from, len);
}

static struct lw_call call_of_path(u32 nr, s64 ret, u32 arg, s32 dirfd, const char *path)
{
	struct lw_call call = make(nr, ret, (u32)dirfd, 0);

	call.data[0] = (struct lw_call_data) {
		.arg = arg, .kind = LW_DATA_STRING, .when = LW_SYSCALL_ENTRY, .len = strlen(path),
	};
	call.nr_data = 1;
	memcpy(bytes, path, strlen(path));
	return call;
}

static bool openat2_has_its_flags_in_a_struct(void)
{
	static const struct open_how how = { .flags = O_CLOEXEC };
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	struct lw_call call = call_of_path(__NR_openat2, 3, 1, AT_FDCWD, "/b");

	lw_fd_paths_call(fds, &call);
	call.ret = 4;
	add_bytes(&call, 2, LW_SYSCALL_ENTRY, &how, sizeof(how));
	lw_fd_paths_call(fds, &call);
	CHECK(is(fds, PID, 3, "/b") && is(fds, PID, 4, "/b"));
	tell(fds, __NR_execve, 0, 0, 0);
	CHECK(is(fds, PID, 3, "/b") && is(fds, PID, 4, NULL));
	lw_fd_paths_free(fds);
	return true;
}

static void tell_address(struct lw_fd_paths *fds, u32 nr, s64 ret, u32 when, u16 port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct lw_call call = make(nr, ret, 3, 0);

	add_bytes(&call, 1, when, &in, sizeof(in));
	lw_fd_paths_call(fds, &call);
}

static bool sockets_have_their_addresses(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(true);

	tell(fds, __NR_socket, 3, AF_INET, SOCK_STREAM | SOCK_CLOEXEC);
	CHECK(is(fds, PID, 3, "TCP"));
	tell_address(fds, __NR_bind, 0, LW_SYSCALL_ENTRY, 80);
	CHECK(is(fds, PID, 3, "TCP:[127.0.0.1:80]"));
	tell_address(fds, __NR_accept, 4, LW_SYSCALL_EXIT, 4711);
	CHECK(is(fds, PID, 4, "TCP:[127.0.0.1:80->127.0.0.1:4711]"));
	CHECK(is(fds, PID, 3, "TCP:[127.0.0.1:80]"));
	tell_address(fds, __NR_connect, -EINPROGRESS, LW_SYSCALL_ENTRY, 9);
	CHECK(is(fds, PID, 3, "TCP:[127.0.0.1:80->127.0.0.1:9]"));
	tell_address(fds, __NR_getsockname, 0, LW_SYSCALL_EXIT, 81);
	CHECK(is(fds, PID, 3, "TCP:[127.0.0.1:81->127.0.0.1:9]"));
	tell_address(fds, __NR_connect, -ECONNREFUSED, LW_SYSCALL_ENTRY, 10);
	CHECK(is(fds, PID, 3, "TCP:[127.0.0.1:81->127.0.0.1:9]"));
	tell(fds, __NR_execve, 0, 0, 0);
	CHECK(is(fds, PID, 3, NULL) && is(fds, PID, 4, "TCP:[127.0.0.1:80->127.0.0.1:4711]"));
	lw_fd_paths_free(fds);
	return true;
}

/* Of one that nobody told of, at a port that the kernel has chosen. */
static bool socket_that_is_there_already_is_found(void)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct lw_fd_paths *fds = lw_fd_paths_new(true);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	char name[64];

	CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&in, sizeof(in)) && !listen(fd, 1));
	CHECK(!getsockname(fd, (struct sockaddr *)&in, &len));
	snprintf(name, sizeof(name), "TCP:[127.0.0.1:%u]", ntohs(in.sin_port));
	CHECK(!lw_fd_paths_scan(fds, getpid()));
	CHECK(is(fds, getpid(), fd, name));
	close(fd);
	lw_fd_paths_free(fds);
	return true;
}

static bool calls_that_touch_a_path_are_told_from_others(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);
	struct lw_path_filter filter = {};
	struct lw_call call = call_of_path(__NR_openat, 3, 1, AT_FDCWD, "/lw/a");

	CHECK(!lw_path_filter_add(&filter, "/lw/a") && lw_path_filter_add(&filter, "") == -EINVAL);
	CHECK(lw_path_filter_has(&filter, fds, &call));
	lw_fd_paths_call(fds, &call);
	call = call_of_path(__NR_openat, 4, 1, AT_FDCWD, "a");
	CHECK(!lw_path_filter_has(&filter, fds, &call));
	change_dir(fds, "/lw");
	call = call_of_path(__NR_openat, 4, 1, AT_FDCWD, "a");
	CHECK(lw_path_filter_has(&filter, fds, &call));
	call = call_of_path(__NR_unlink, 0, 0, AT_FDCWD, "/lw/b");
	CHECK(!lw_path_filter_has(&filter, fds, &call));
	call = make(__NR_read, 0, 3, 0);
	CHECK(lw_path_filter_has(&filter, fds, &call));
	call = make(__NR_dup2, 9, 9, 3);
	CHECK(lw_path_filter_has(&filter, fds, &call));
	call = make(__NR_read, 0, 4, 0);
	CHECK(!lw_path_filter_has(&filter, fds, &call));
	lw_path_filter_free(&filter);
	lw_fd_paths_free(fds);
	return true;
}

static bool path_narrows_what_is_traced(void)
{
	struct lw_syscall_set set = {};

	lw_syscall_set_all(&set);
	lw_path_filter_narrow(&set);
	CHECK(lw_syscall_set_has(&set, __NR_read) && lw_syscall_set_has(&set, __NR_openat2));
	CHECK(!lw_syscall_set_has(&set, __NR_getpid) && !lw_syscall_set_has(&set, __NR_brk));
	return true;
}

static bool odd_numbers_are_survived(void)
{
	struct lw_fd_paths *fds = lw_fd_paths_new(false);

	open_at(fds, 1LL << 40, AT_FDCWD, "/a", 0);
	open_at(fds, 0x7fffffff, AT_FDCWD, "/a", 0);
	tell(fds, __NR_dup2, 5, (u32)-1, (u32)-1);
	tell(fds, __NR_close_range, 0, 0, ~0U);
	CHECK(is(fds, PID, -1, NULL) && is(fds, PID, 0x7fffffff, NULL));
	lw_fd_paths_free(fds);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(opened_until_closed),
		TEST(copies_are_the_same_file),
		TEST(relative_paths_need_their_directory),
		TEST(working_directory_does_not_grow),
		TEST(children_get_what_is_open),
		TEST(child_may_begin_before_its_parents_call_ends),
		TEST(child_of_another_call_gets_nothing),
		TEST(owner_of_a_number_that_was_used_before_gets_nothing),
		TEST(killed_process_is_swept),
		TEST(running_process_is_looked_at),
		TEST(close_range_may_only_mark),
		TEST(openat2_has_its_flags_in_a_struct),
		TEST(sockets_have_their_addresses),
		TEST(socket_that_is_there_already_is_found),
		TEST(calls_that_touch_a_path_are_told_from_others),
		TEST(path_narrows_what_is_traced),
		TEST(odd_numbers_are_survived),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
