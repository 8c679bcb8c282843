// SPDX-License-Identifier: GPL-2.0
/*
 * util.c - failure texts, strict number parsing, small file reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

/* A read() of most files in /proc gives a page at most. */
#define READ_SIZE	4096

static __thread char fail_text[1024];

/* Names of others may be in it, and must not drive the terminal. */
static void make_plain(char *text)
{
	for (u8 *at = (u8 *)text; *at; at++) {
		if ((*at < ' ' && *at != '\n') || *at == 0x7f)
			*at = '?';
		/* the other control characters, in UTF-8 */
		if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) {
			at[0] = '?';
			at[1] = '?';
		}
	}
}

/**
 * lw_fail - remember what failed, for the verb to print
 * @err: a negative errno, handed back
 * @fmt: what failed, on what, and after a newline what to do next
 *
 * Return: @err.
 */
int lw_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fail_text, sizeof(fail_text), fmt, ap);
	va_end(ap);
	make_plain(fail_text);
	return err;
}

/**
 * lw_fail_text - the text of the latest lw_fail() of this thread
 *
 * Return: a string that the next lw_fail() overwrites; never NULL.
 */
const char *lw_fail_text(void)
{
	return fail_text[0] ? fail_text : "unknown failure";
}

static int parse_number(const char *text, u64 *value, const char **end)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &stop, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	if (errno)
		return -errno;
	*end = stop;
	return 0;
}

/**
 * lw_parse_u64 - read a number and nothing else
 * @text: decimal, or hexadecimal with 0x before it
 * @value: out: the number
 *
 * Return: 0, -EINVAL (no number, or something after it), -ERANGE.
 */
int lw_parse_u64(const char *text, u64 *value)
{
	const char *end;
	int ret = parse_number(text, value, &end);

	if (ret)
		return ret;
	return *end ? -EINVAL : 0;
}

/**
 * lw_parse_size - read a number of bytes
 * @text: a number with at most one suffix of K, M, G (powers of 1024)
 * @value: out: bytes
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int lw_parse_size(const char *text, u64 *value)
{
	unsigned int shift = 0;
	const char *end;
	int ret = parse_number(text, value, &end);

	if (ret)
		return ret;
	switch (*end) {
	case 'K': case 'k':
		shift = 10;
		break;
	case 'M': case 'm':
		shift = 20;
		break;
	case 'G': case 'g':
		shift = 30;
		break;
	}
	if (end[shift ? 1 : 0])
		return -EINVAL;
	if (*value > (~0ULL >> shift))
		return -ERANGE;
	*value <<= shift;
	return 0;
}

/**
 * lw_take_percent - the value of --percent-limit
 * @percent: out
 * @text: 0 to 100
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_percent(double *percent, const char *text)
{
	char *end;

	*percent = strtod(text, &end);
	if (end == text || *end || !(*percent >= 0 && *percent <= 100))
		return lw_fail(-EINVAL, "option --percent-limit: '%s' is not from 0 to 100",
			       text);
	return 0;
}

/**
 * lw_read_file - read a small file as a string
 * @path: file
 * @buf: out: its content, always terminated
 * @size: bytes of @buf; what is longer is cut
 *
 * Return: bytes read, or -errno.
 */
ssize_t lw_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t got = 0;

	buf[0] = 0;
	if (fd < 0)
		return -errno;
	while (done < size - 1) {
		got = read(fd, buf + done, size - 1 - done);
		if (got <= 0)
			break;
		done += got;
	}
	if (got < 0)
		got = -errno;
	close(fd);
	buf[done] = 0;
	return got < 0 ? got : (ssize_t)done;
}

/**
 * lw_read_text - read all of a file that doesn't tell its size, as those of /proc
 * @path: file
 * @size: out: bytes that were read
 *
 * Return: what was read, with a NUL behind it, for the caller to free; or NULL with errno.
 */
char *lw_read_text(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	size_t room = 0, done = 0;
	char *text = NULL;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	while (!err && got > 0) {
		err = lw_grow((void **)&text, &room, done + READ_SIZE + 1, 1);
		got = err ? 0 : read(fd, text + done, room - done - 1);
		if (got < 0)
			err = -errno;
		else
			done += got;
	}
	close(fd);
	if (err) {
		free(text);
		errno = -err;
		return NULL;
	}
	text[done] = 0;
	*size = done;
	return text;
}

/**
 * lw_read_at - read bytes of a file, all of them or it is a failure
 * @fd: of it
 * @offset: of the first; its own position does not matter and stays
 * @to: out
 * @size: how many
 *
 * Return: whether they are all there.
 */
bool lw_read_at(int fd, u64 offset, void *to, u64 size)
{
	while (size) {
		ssize_t got = pread(fd, to, size, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to = (u8 *)to + got;
		offset += got;
		size -= got;
	}
	return true;
}

/**
 * lw_grow - make room in an array
 * @array: address of the pointer to its elements
 * @room: elements that fit now
 * @want: elements that must fit
 * @elem: bytes of one
 *
 * Return: 0 or -ENOMEM, when nothing has changed.
 */
int lw_grow(void **array, size_t *room, size_t want, size_t elem)
{
	size_t next = *room ? *room : 8;
	void *grown;

	if (want <= *room)
		return 0;
	while (next < want)
		next *= 2;
	grown = reallocarray(*array, next, elem);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = next;
	return 0;
}

/* The offset of CLOCK_MONOTONIC in our time namespace; 0 without such namespaces. */
static s64 read_clock_offset(void)
{
	long long seconds, ns;
	char text[256];

	if (lw_read_file("/proc/self/timens_offsets", text, sizeof(text)) <= 0 ||
	    sscanf(text, "monotonic %lld %lld", &seconds, &ns) != 2)
		return 0;
	return seconds * (s64)NSEC_PER_SEC + ns;
}

/**
 * lw_now - CLOCK_MONOTONIC as the kernel has it, in whatever time namespace we are
 *
 * Return: nanoseconds.
 */
u64 lw_now(void)
{
	static bool known;
	static s64 offset;
	struct timespec ts;

	/* pairs with the release below: whoever is second reads the same */
	if (!load_acquire(&known)) {
		offset = read_clock_offset();
		store_release(&known, true);
	}
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec - offset;
}

static int parse_cpu_list(const char *text, u32 **cpus)
{
	size_t room = 0, nr = 0;
	char *end;

	*cpus = NULL;
	while (*text >= '0' && *text <= '9') {
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && last < 65536; first++) {
			if (lw_grow((void **)cpus, &room, nr + 1, sizeof(u32)))
				goto err_free;
			(*cpus)[nr++] = first;
		}
		text = *end == ',' ? end + 1 : end;
	}
	return nr;

err_free:
	free(*cpus);
	*cpus = NULL;
	return -ENOMEM;
}

/**
 * lw_join_thread - wait for a thread to end
 * @thread: joinable; nobody else waits for it
 * @until: CLOCK_MONOTONIC nanoseconds; ~0: for ever
 *
 * Return: whether it has ended, and is joined.
 */
bool lw_join_thread(pthread_t thread, u64 until)
{
	struct timespec time;
	u64 now = lw_now();

	if (until == ~0ULL)
		return !pthread_join(thread, NULL);
	/* it goes by the other clock */
	clock_gettime(CLOCK_REALTIME, &time);
	if (until > now) {
		u64 nsec = time.tv_nsec + (until - now);

		time.tv_sec += nsec / NSEC_PER_SEC;
		time.tv_nsec = nsec % NSEC_PER_SEC;
	}
	return !pthread_timedjoin_np(thread, NULL, &time);
}

/**
 * lw_online_cpus - numbers of the CPUs that are online
 * @cpus: out: array for the caller to free
 *
 * Return: how many, or -errno.
 */
int lw_online_cpus(u32 **cpus)
{
	char text[4096];
	ssize_t got;
	int nr;

	got = lw_read_file("/sys/devices/system/cpu/online", text, sizeof(text));
	if (got < 0)
		return lw_fail(got, "cannot read /sys/devices/system/cpu/online: %s\n"
			       "  Mount sysfs on /sys.", strerror(-got));
	nr = parse_cpu_list(text, cpus);
	return nr ? nr : -ENODEV;
}

/**
 * lw_raise_fd_limit - allow as many open files as may be had: an event per CPU and thread can
 *	be many, and so can files with names
 */
void lw_raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
