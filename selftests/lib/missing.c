// SPDX-License-Identifier: GPL-2.0
/*
 * missing.c - see missing.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lw_test.h"
#include "missing.h"

#define PAGE	lwt_page()

int missing_init(struct missing *missing)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	missing->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	missing->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (missing->page == MAP_FAILED || missing->fd < 0 ||
	    ioctl(missing->fd, UFFDIO_API, &api))
		return -errno;
	reg.range.start = (uintptr_t)missing->page;
	reg.range.len = PAGE;
	return ioctl(missing->fd, UFFDIO_REGISTER, &reg) ? -errno : 0;
}

void missing_free(struct missing *missing)
{
	munmap(missing->page, PAGE);
	close(missing->fd);
}

/* Waits until somebody waits for the page. */
bool missing_is_waited_for(struct missing *missing)
{
	struct pollfd poll_fd = { .fd = missing->fd, .events = POLLIN };
	struct uffd_msg msg;

	return poll(&poll_fd, 1, LWT_TIMEOUT_MS) == 1 &&
	       read(missing->fd, &msg, sizeof(msg)) == sizeof(msg);
}

/* It begins with these bytes, and the rest is 0. */
int missing_bring(struct missing *missing, const void *bytes, unsigned long len)
{
	static char page[LWT_PAGE_MAX];
	struct uffdio_copy copy = {
		.dst = (uintptr_t)missing->page,
		.src = (uintptr_t)page,
		.len = PAGE,
	};

	memset(page, 0, PAGE);
	memcpy(page, bytes, len);
	return ioctl(missing->fd, UFFDIO_COPY, &copy) ? -errno : 0;
}

/* Who waits looks again. */
int missing_wake(struct missing *missing)
{
	struct uffdio_range range = {
		.start = (uintptr_t)missing->page,
		.len = PAGE,
	};

	return ioctl(missing->fd, UFFDIO_WAKE, &range) ? -errno : 0;
}
