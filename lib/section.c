// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * section.c - tables of code that a program makes itself.
 *
 * The device is opened for each call and closed again: that costs little beside the
 * making of code, no descriptor gets in the way of a program that closes all, and the
 * module can be unloaded, or loaded later, under programs that go on.
 */
#include <errno.h>
#include <fcntl.h>
#include <latewind.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "liblatewind.h"

/* Return: 0 or -errno. */
static int ask_device(unsigned long cmd, struct lw_section *arg)
{
	int fd, ret;

	fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	arg->size = sizeof(*arg);
	ret = ioctl(fd, cmd, arg) ? -errno : 0;
	close(fd);
	/* A module of before. */
	return ret == -ENOTTY ? -EOPNOTSUPP : ret;
}

int latewind_section_add(const void *section, size_t section_size,
			 const void *text, size_t text_size, const void *base)
{
	struct lw_section arg = {
		.addr = (uintptr_t)section,
		.len = section_size,
		.text_start = (uintptr_t)text,
		.text_size = text_size,
		.base = (uintptr_t)base,
	};
	int saved = errno, ret;

	ret = ask_device(LW_IOC_ADD_SECTION, &arg);
	errno = saved;
	return ret;
}

int latewind_section_remove(const void *text, size_t text_size)
{
	struct lw_section arg = {
		.text_start = (uintptr_t)text,
		.text_size = text_size,
	};
	int saved = errno, ret;

	ret = ask_device(LW_IOC_REMOVE_SECTION, &arg);
	errno = saved;
	return ret;
}
