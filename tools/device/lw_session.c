// SPDX-License-Identifier: GPL-2.0
/*
 * lw_session.c - sessions of the library: what goes wrong becomes a text for the user.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "device/lw_session.h"

#define CGROUP_MOUNT	"/sys/fs/cgroup"

static const char *open_hint(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return "The module is not loaded: run 'modprobe latewind' as root.\n"
		       "  'latewind doctor' tells more.";
	case -EPERM:
		return "Run it as root, or give it CAP_PERFMON.";
	case -EACCES:
		return "Run it as root, or let a group in: 'latewind-group on USER'.";
	case -EBUSY:
	case -EMFILE:
	case -ENFILE:
		return "Too many sessions are open: end another tracer first.";
	}
	return "'latewind doctor' checks what is needed.";
}

/* The device is there, and its answer is none of this library's module. */
static bool is_other_build(int err)
{
	return err == -ENOTTY || err == -EINVAL || err == -EFAULT;
}

/**
 * lw_session_open - open the device, and tell of what is in the way
 * @session: out; NULL on an error
 *
 * Return: 0 or -errno of latewind_session_open() with lw_fail_text().
 */
int lw_session_open(struct latewind_session **session)
{
	int ret = latewind_session_open(session);

	if (!ret)
		return 0;
	if (ret == -EPROTO)
		return lw_fail(ret, "%s speaks another version of the ABI than this tool, %u\n"
			       "  Install module and tool of one release, and reload the module.",
			       LW_DEVICE_PATH, LW_ABI_VERSION);
	if (is_other_build(ret))
		return lw_fail(ret, "%s does not answer LW_IOC_INFO: %s\n"
			       "  Module and tool may be of different builds: reload the module.",
			       LW_DEVICE_PATH, strerror(-ret));
	return lw_fail(ret, "cannot open %s: %s\n  %s", LW_DEVICE_PATH, strerror(-ret),
		       open_hint(ret));
}

/**
 * lw_session_setup - make the rings and map them
 * @session: opened
 * @ring_size: bytes of each ring, a power of two; 0 for the module's default
 * @depth: most user frames; 0 for the module's default
 * @kernel_depth: most kernel frames, 0 for none
 * @mask: LW_MASK_*
 * @flags: LW_SETUP_*
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_setup(struct latewind_session *session, u64 ring_size, u32 depth,
		     u32 kernel_depth, u32 mask, u32 flags)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = flags,
		.ring_size = ring_size,
		.depth = depth,
		.kernel_depth = kernel_depth,
		.mask = mask,
	};
	const struct lw_info *info = latewind_session_info(session);
	int ret;

	if (mask && !(info->features & LW_FEATURE_MASK))
		return lw_fail(-EOPNOTSUPP, "the loaded module has no choice of call graphs\n"
			       "  It is older than this tool: install that of the same version.");
	if (flags & LW_SETUP_OVERWRITE && !(info->features & LW_FEATURE_OVERWRITE))
		return lw_fail(-EOPNOTSUPP, "the loaded module has no flight recorder\n"
			       "  It is older than this tool: install that of the same version.");
	if (flags & LW_SETUP_CGROUP && !(info->features & LW_FEATURE_CGROUP))
		return lw_fail(-EOPNOTSUPP, "the loaded module does not tell of cgroups\n"
			       "  It is older than this tool, or the kernel has no CONFIG_CGROUPS.");
	ret = latewind_session_setup(session, &setup);
	if (ret == -EPERM)
		return lw_fail(ret, "%u rings of %llu bytes are more locked memory than allowed\n"
			       "  Ask for less with --ring-size, raise the limit (ulimit -l), or run it\n"
			       "  with CAP_IPC_LOCK.", info->nr_rings, setup.ring_size);
	if (ret == -ENOSPC)
		return lw_fail(ret, "stacks of %u frames do not fit rings of %llu bytes\n"
			       "  Use a larger --ring-size (32K is enough for any --depth), or a smaller\n"
			       "  --depth.", depth, setup.ring_size);
	if (ret == -EPROTO)
		return lw_fail(ret, "the rings are not laid out as this tool knows them\n"
			       "  Module and tool may be of different builds: reload the module.");
	if (ret == -ENOMEM || ret == -EAGAIN)
		return lw_fail(ret, "cannot make and map %u rings of %llu bytes: %s\n"
			       "  Ask for less with --ring-size.", info->nr_rings,
			       setup.ring_size, strerror(-ret));
	if (ret < 0)
		return lw_fail(ret, "cannot make %u rings of %llu bytes (depth %u, kernel %u): %s\n"
			       "  --ring-size is a power of two of %llu to %llu, the depth is at most %u,\n"
			       "  the kernel depth at most %u.",
			       info->nr_rings, setup.ring_size, depth, kernel_depth,
			       strerror(-ret), info->ring_min, info->ring_max,
			       info->max_depth, LW_MAX_KERNEL_DEPTH);
	return 0;
}

/* As perf has it a name is one below where cgroups are usually mounted. */
static int open_cgroup(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), mount;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	mount = open(CGROUP_MOUNT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount < 0) {
		errno = ENOENT;
		return -1;
	}
	fd = openat(mount, dir + strspn(dir, "/"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(mount);
	return fd;
}

/**
 * lw_session_filter_cgroup - only tasks of a cgroup, and below it
 * @session: opened
 * @dir: the cgroup's directory, or its name below /sys/fs/cgroup
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_filter_cgroup(struct latewind_session *session, const char *dir)
{
	struct lw_filter filter = {
		.size = sizeof(filter),
		.kind = LW_FILTER_CGROUP,
		.fd = open_cgroup(dir),
	};
	int ret;

	if (filter.fd < 0)
		return lw_fail(-errno, "cannot open the cgroup %s: %s", dir, strerror(errno));
	ret = latewind_session_filter(session, &filter);
	close(filter.fd);
	return ret < 0 ? lw_fail(ret, "cannot record the cgroup %s: %s\n"
				 "  It must be a directory of a cgroup2 file system.",
				 dir, strerror(-ret)) : 0;
}

/**
 * lw_session_filter_processes - only some processes
 * @session: opened
 * @pids: their ids
 * @nr: how many
 * @flags: LW_FILTER_*
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_filter_processes(struct latewind_session *session, const s32 *pids, u32 nr,
				u32 flags)
{
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = flags,
		.kind = LW_FILTER_PROCESSES,
		.nr = nr,
		.pids = (unsigned long)pids,
	};
	int ret = latewind_session_filter(session, &filter);

	return ret < 0 ? lw_fail(ret, "cannot choose process %d: %s", pids[0], strerror(-ret)) : 0;
}

static int switched(int ret, const char *what)
{
	return ret ? lw_fail(ret, "cannot %s the events: %s", what, strerror(-ret)) : 0;
}

/**
 * lw_session_enable - let the events count
 * @session: with at least one event
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_enable(struct latewind_session *session)
{
	return switched(latewind_session_enable(session), "enable");
}

/**
 * lw_session_disable - no further samples after this
 * @session: enabled
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_disable(struct latewind_session *session)
{
	return switched(latewind_session_disable(session), "disable");
}

/**
 * lw_session_stats - read the session's counters
 * @session: opened
 * @stats: out
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_stats(const struct latewind_session *session, struct lw_stats *stats)
{
	int ret;

	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	ret = latewind_session_stats(session, stats);
	if (ret < 0)
		return lw_fail(ret, "cannot read the session's counters: %s\n"
			       "  Module and tool may be of different builds: reload the module.",
			       strerror(-ret));
	return 0;
}
