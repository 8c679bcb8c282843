// SPDX-License-Identifier: GPL-2.0
/*
 * served.c - see served.h.
 *
 * The server is a process of its own, so that it never waits for the memory of the test, and
 * ends with the test: all requests are then aborted.  It speaks the protocol of /dev/fuse
 * itself.  The mount is in a namespace of the test and over a directory that all systems have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/served.h"

#define MOUNT_AT	"/mnt"
#define FILE_AT		MOUNT_AT "/file"
#define NODE		2
/* Of the kernel's answers nothing changes. */
#define FOR_EVER	1000000
#define MOST_WITHHELD	64

static union {
	struct fuse_in_header head;
	char bytes[1 << 17];
} in;

static struct {
	struct fuse_out_header head;
	char bytes[16 * LWT_PAGE_MAX];		/* SERVED_SIZE at most */
} out;

static void reply(int dev, uint64_t unique, int error, const void *bytes, size_t len)
{
	out.head = (struct fuse_out_header) {
		.len = sizeof(out.head) + len,
		.error = error,
		.unique = unique,
	};
	if (len && bytes != out.bytes)
		memcpy(out.bytes, bytes, len);
	/* Who waited may be gone: ENOENT. */
	if (write(dev, &out, out.head.len) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.size = node == NODE ? SERVED_SIZE : 0,
		.mode = node == NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
		.nlink = 1,
		.blksize = SERVED_PAGE,
	};
}

static void reply_init(int dev, uint64_t unique)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = SERVED_PAGE,
	};

	reply(dev, unique, 0, &init, sizeof(init));
}

static void reply_attributes(int dev, uint64_t unique, uint64_t node)
{
	struct fuse_attr_out attr = {
		.attr_valid = FOR_EVER,
		.attr = attributes(node),
	};

	reply(dev, unique, 0, &attr, sizeof(attr));
}

static void reply_entry(int dev, uint64_t unique)
{
	struct fuse_entry_out entry = {
		.nodeid = NODE,
		.entry_valid = FOR_EVER,
		.attr_valid = FOR_EVER,
		.attr = attributes(NODE),
	};

	reply(dev, unique, 0, &entry, sizeof(entry));
}

/* With O_DIRECT the kernel does not use its pages of the file; it keeps those that it has. */
static void reply_open(int dev, uint64_t unique, const struct fuse_open_in *open)
{
	struct fuse_open_out opened = {
		.fh = 1,
		.open_flags = FOPEN_KEEP_CACHE |
			      (open->flags & O_DIRECT ? FOPEN_DIRECT_IO : 0),
	};

	reply(dev, unique, 0, &opened, sizeof(opened));
}

static void reply_read(int dev, uint64_t unique, const struct fuse_read_in *read)
{
	uint64_t left = read->offset < SERVED_SIZE ? SERVED_SIZE - read->offset : 0;
	size_t at;

	memset(out.bytes, 0, SERVED_SIZE);
	/* The kernel asks for whole pages. */
	for (at = 0; at < SERVED_SIZE; at += SERVED_PAGE)
		strcpy(out.bytes + at, SERVED_TEXT);
	reply(dev, unique, 0, out.bytes, read->size < left ? read->size : left);
}

static void reply_write(int dev, uint64_t unique, const struct fuse_write_in *write)
{
	struct fuse_write_out written = { .size = write->size };

	reply(dev, unique, 0, &written, sizeof(written));
}

/* What is withheld needs no more of a request than this. */
struct request {
	struct fuse_in_header head;
	union {
		struct fuse_open_in open;
		struct fuse_read_in read;
		struct fuse_write_in write;
	};
};

static void answer(int dev, const struct request *request)
{
	uint64_t unique = request->head.unique;

	switch (request->head.opcode) {
	case FUSE_INIT:
		return reply_init(dev, unique);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		return reply_attributes(dev, unique, request->head.nodeid);
	case FUSE_LOOKUP:
		return reply_entry(dev, unique);
	case FUSE_OPEN:
		return reply_open(dev, unique, &request->open);
	case FUSE_READ:
		return reply_read(dev, unique, &request->read);
	case FUSE_WRITE:
		return reply_write(dev, unique, &request->write);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return reply(dev, unique, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		return reply(dev, unique, -ENOSYS, NULL, 0);
	}
}

static void take_request(int dev, struct served_state *state, struct request *waiting)
{
	struct request request = {};
	ssize_t len = read(dev, &in, sizeof(in));

	if (len < (ssize_t)sizeof(in.head)) {
		if (len < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOENT))
			return;
		_exit(1);
	}
	memcpy(&request, &in, (size_t)len < sizeof(request) ? (size_t)len : sizeof(request));
	if (request.head.opcode != __atomic_load_n(&state->withheld, __ATOMIC_ACQUIRE) ||
	    state->waiting == MOST_WITHHELD) {
		answer(dev, &request);
		return;
	}
	waiting[state->waiting] = request;
	__atomic_store_n(&state->waiting, state->waiting + 1, __ATOMIC_RELEASE);
}

static void serve(int dev, int go, struct served_state *state)
{
	struct request waiting[MOST_WITHHELD];
	struct pollfd fds[] = { { dev, POLLIN, 0 }, { go, POLLIN, 0 } };
	unsigned int i;
	char byte;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents)
			take_request(dev, state, waiting);
		if (!fds[1].revents)
			continue;
		if (read(go, &byte, 1) != 1)
			_exit(0);
		for (i = 0; i < state->waiting; i++)
			answer(dev, &waiting[i]);
		__atomic_store_n(&state->waiting, 0, __ATOMIC_RELEASE);
	}
}

static int mount_own(int dev)
{
	char options[64];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
	return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("served", MOUNT_AT, "fuse", MS_NOSUID | MS_NODEV, options) ? -errno : 0;
}

/* Return: 0; -ENOENT or -ENODEV if there is no FUSE; -errno. */
int served_init(struct served *served)
{
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	pid_t test = getpid();
	int go[2], ret;

	memset(served, 0, sizeof(*served));
	if (dev < 0)
		return -errno;
	served->state = mmap(NULL, sizeof(*served->state), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (served->state == MAP_FAILED || pipe2(go, O_CLOEXEC))
		return -errno;
	ret = mount_own(dev);
	if (ret)
		return ret;
	served->server = fork();
	if (!served->server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != test)
			_exit(1);
		close(go[1]);
		serve(dev, go[0], served->state);
	}
	close(dev);
	close(go[0]);
	served->answer = go[1];
	return served->server < 0 ? -errno : 0;
}

/* Who waits for an answer gets an error. */
void served_free(struct served *served)
{
	if (!served->state)
		return;
	if (served->server > 0)
		lwt_end(served->server);
	close(served->answer);
	umount2(MOUNT_AT, MNT_DETACH);
	munmap(served->state, sizeof(*served->state));
	memset(served, 0, sizeof(*served));
}

int served_open(int flags)
{
	int fd = open(FILE_AT, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The first page.  Return: where, or NULL. */
void *served_map(int fd, int prot, int flags)
{
	void *page = mmap(NULL, SERVED_PAGE, prot, flags, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* From now on requests of this kind are not answered. */
void served_withhold(struct served *served, unsigned int opcode)
{
	__atomic_store_n(&served->state->withheld, opcode, __ATOMIC_RELEASE);
}

/* Waits until the server withholds an answer. */
bool served_is_waited_for(struct served *served)
{
	return lwt_wait(__atomic_load_n(&served->state->waiting, __ATOMIC_ACQUIRE));
}

/* All that wait, and all later ones. */
int served_answer(struct served *served)
{
	served_withhold(served, 0);
	return write(served->answer, "x", 1) == 1 ? 0 : -errno;
}
