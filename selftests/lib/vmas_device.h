/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmas_device.h - the fixture of tests that ask for mappings one by one.
 */
#ifndef VMAS_DEVICE_H
#define VMAS_DEVICE_H

#include <fcntl.h>
#include <unistd.h>

#include "lib/vmas.h"
#include "kselftest_harness.h"

/* As who has no session has it. */
FIXTURE(device)
{
	int fd;
	struct vma vma;
};

FIXTURE_SETUP(device)
{
	self->fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

#endif /* VMAS_DEVICE_H */
