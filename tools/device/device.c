// SPDX-License-Identifier: GPL-2.0
/*
 * device.c - ioctl and mmap wrappers of /dev/latewind; each returns -errno.
 *
 * Contexts: one thread per session, but for lw_session_add_table() and those of missing
 * files.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/device.h"

#define CGROUP_MOUNT	"/sys/fs/cgroup"

static int call(const struct lw_session *session, unsigned long request, void *arg)
{
	int ret = ioctl(session->fd, request, arg);

	return ret < 0 ? -errno : ret;
}

static const char *open_hint(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return "The module is not loaded: run 'modprobe latewind' (or 'make' and\n"
		       "  'insmod' latewind.ko). 'latewind doctor' tells more.";
	case -EPERM:
	case -EACCES:
		return "Run it as root, or give it CAP_PERFMON.";
	case -EBUSY:
	case -EMFILE:
	case -ENFILE:
		return "Too many sessions are open: end another tracer first.";
	}
	return "'latewind doctor' checks what is needed.";
}

/**
 * lw_session_open - open the device and learn what the module can do
 * @session: out
 *
 * Return: 0 or -errno with lw_fail_text(); -EPROTO when the module speaks
 * another ABI version.
 */
int lw_session_open(struct lw_session *session)
{
	int ret;

	memset(session, 0, sizeof(*session));
	session->fd = open(LW_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	if (session->fd < 0) {
		ret = -errno;
		return lw_fail(ret, "cannot open %s: %s\n  %s", LW_DEVICE_PATH,
			       strerror(-ret), open_hint(ret));
	}
	session->info.size = sizeof(session->info);
	ret = call(session, LW_IOC_INFO, &session->info);
	if (ret < 0) {
		lw_fail(ret, "%s does not answer LW_IOC_INFO: %s\n"
			"  Module and tool may be of different builds: reload the module.",
			LW_DEVICE_PATH, strerror(-ret));
		goto err_close;
	}
	if (session->info.abi_version != LW_ABI_VERSION) {
		ret = lw_fail(-EPROTO, "%s speaks ABI version %u, this tool speaks %u\n"
			      "  Install module and tool of one release, and reload the module.",
			      LW_DEVICE_PATH, session->info.abi_version, LW_ABI_VERSION);
		goto err_close;
	}
	return 0;

err_close:
	close(session->fd);
	session->fd = -1;
	return ret;
}

static void unmap_ring(struct lw_ring *ring)
{
	if (ring->consumer)
		munmap(ring->consumer, sysconf(_SC_PAGESIZE));
	if (ring->producer)
		munmap((void *)ring->producer, ring->map_len);
	memset(ring, 0, sizeof(*ring));
}

/**
 * lw_session_close - unmap the rings and close the device
 * @session: opened or not
 */
void lw_session_close(struct lw_session *session)
{
	for (u32 i = 0; i < session->nr_rings; i++)
		unmap_ring(&session->rings[i]);
	free(session->rings);
	session->rings = NULL;
	session->nr_rings = 0;
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}

/* A CPU number that this machine cannot have is refused: its ring stays empty. */
static int map_ring(struct lw_session *session, u32 cpu, u64 size)
{
	struct lw_ring *ring = &session->rings[cpu];
	size_t page = sysconf(_SC_PAGESIZE);
	void *map;

	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, session->fd,
		   LW_MMAP_CONSUMER(cpu));
	if (map == MAP_FAILED)
		return errno == EINVAL ? 0 : -errno;
	ring->consumer = map;

	ring->map_len = page + 2 * size;
	map = mmap(NULL, ring->map_len, PROT_READ, MAP_SHARED, session->fd,
		   LW_MMAP_PRODUCER(cpu));
	if (map == MAP_FAILED)
		return -errno;
	ring->producer = map;
	ring->size = ring->producer->data_size;
	if (ring->size != size || ring->producer->data_offset != page)
		return -EPROTO;
	ring->data = (const u8 *)map + page;
	return 0;
}

static int map_rings(struct lw_session *session, u64 size)
{
	int ret;

	session->rings = calloc(session->info.nr_rings, sizeof(*session->rings));
	if (!session->rings)
		return lw_fail(-ENOMEM, "out of memory for %u rings", session->info.nr_rings);
	session->nr_rings = session->info.nr_rings;
	for (u32 cpu = 0; cpu < session->nr_rings; cpu++) {
		ret = map_ring(session, cpu, size);
		if (ret)
			return lw_fail(ret, "cannot map the ring of CPU %u: %s\n"
				       "  Ask for less with --ring-size.",
				       cpu, strerror(-ret));
	}
	return 0;
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
int lw_session_setup(struct lw_session *session, u64 ring_size, u32 depth, u32 kernel_depth,
		     u32 mask, u32 flags)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = flags,
		.ring_size = ring_size ? ring_size : session->info.ring_default,
		.depth = depth,
		.kernel_depth = kernel_depth,
		.mask = mask,
	};
	int ret;

	if (mask && !(session->info.features & LW_FEATURE_MASK))
		return lw_fail(-EOPNOTSUPP, "the loaded module has no choice of call graphs\n"
			       "  It is older than this tool: install that of the same version.");
	if (flags & LW_SETUP_OVERWRITE && !(session->info.features & LW_FEATURE_OVERWRITE))
		return lw_fail(-EOPNOTSUPP, "the loaded module has no flight recorder\n"
			       "  It is older than this tool: install that of the same version.");
	if (flags & LW_SETUP_CGROUP && !(session->info.features & LW_FEATURE_CGROUP))
		return lw_fail(-EOPNOTSUPP, "the loaded module does not tell of cgroups\n"
			       "  It is older than this tool, or the kernel has no CONFIG_CGROUPS.");
	ret = call(session, LW_IOC_SETUP, &setup);
	if (ret == -EPERM)
		return lw_fail(ret, "%u rings of %llu bytes are more locked memory than allowed\n"
			       "  Ask for less with --ring-size, raise the limit (ulimit -l), or run it\n"
			       "  with CAP_IPC_LOCK.", session->info.nr_rings, setup.ring_size);
	if (ret < 0)
		return lw_fail(ret, "cannot make %u rings of %llu bytes (depth %u, kernel %u): %s\n"
			       "  Rings are a power of two of %llu to %llu bytes, the depth is at most %u,\n"
			       "  the kernel depth at most %u.",
			       session->info.nr_rings, setup.ring_size, depth, kernel_depth,
			       strerror(-ret), session->info.ring_min, session->info.ring_max,
			       session->info.max_depth, LW_MAX_KERNEL_DEPTH);
	return map_rings(session, setup.ring_size);
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
int lw_session_filter_cgroup(struct lw_session *session, const char *dir)
{
	struct lw_filter filter = {
		.size = sizeof(filter),
		.kind = LW_FILTER_CGROUP,
		.fd = open_cgroup(dir),
	};
	int ret;

	if (filter.fd < 0)
		return lw_fail(-errno, "cannot open the cgroup %s: %s", dir, strerror(errno));
	ret = call(session, LW_IOC_FILTER, &filter);
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
int lw_session_filter_processes(struct lw_session *session, const s32 *pids, u32 nr, u32 flags)
{
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = flags,
		.kind = LW_FILTER_PROCESSES,
		.nr = nr,
		.pids = (unsigned long)pids,
	};
	int ret = call(session, LW_IOC_FILTER, &filter);

	return ret < 0 ? lw_fail(ret, "cannot choose process %d: %s", pids[0], strerror(-ret)) : 0;
}

/**
 * lw_session_add_syscall - record a system call
 * @session: set up, not enabled
 * @add: which, and of it what; out: the id
 *
 * Return: 0 or -errno; no text, as the caller knows the call's name.
 */
int lw_session_add_syscall(struct lw_session *session, struct lw_add_syscall *add)
{
	int ret;

	add->size = sizeof(*add);
	ret = call(session, LW_IOC_ADD_SYSCALL, add);
	return ret < 0 ? ret : 0;
}

/**
 * lw_session_add_table - hand over unwind rows for a file
 * @session: set up
 * @table: all but its size, as latewind.h says; what it points to is copied
 *
 * Context: any thread, several at once.
 * Return: 0 or -errno; no text, as the caller knows the file's name.  -EOPNOTSUPP
 * also if the loaded module knows no tables.
 */
int lw_session_add_table(const struct lw_session *session, struct lw_table *table)
{
	int ret;

	if (!(session->info.features & LW_FEATURE_TABLES))
		return -EOPNOTSUPP;
	table->size = sizeof(*table);
	ret = call(session, LW_IOC_ADD_TABLE, table);
	return ret < 0 ? ret : 0;
}

/**
 * lw_session_next_file - a file that a walk has met, and that has no table
 * @session: set up with LW_SETUP_FILES
 * @file: out
 *
 * Context: any thread.
 * Return: 0, -EAGAIN if there is none, or another -errno; no text.
 */
int lw_session_next_file(const struct lw_session *session, struct lw_missing_file *file)
{
	int ret;

	memset(file, 0, sizeof(*file));
	file->size = sizeof(*file);
	ret = call(session, LW_IOC_NEXT_FILE, file);
	return ret < 0 ? ret : 0;
}

/**
 * lw_session_file_done - all that can be done for a file is done
 * @session: set up with LW_SETUP_FILES
 * @number: lw_missing_file.number
 *
 * Context: any thread.
 */
void lw_session_file_done(const struct lw_session *session, u64 number)
{
	struct lw_file_done done = { .size = sizeof(done), .number = number };

	/* Who waits for it does not do so for long. */
	call(session, LW_IOC_FILE_DONE, &done);
}

/**
 * lw_session_add_event - add an event source
 * @session: set up, not enabled
 * @attr: the event
 * @target: LW_TARGET_*
 * @pid: thread for LW_TARGET_TASK, else 0
 * @id: out: what its samples carry
 *
 * Return: 0 or -errno; no text, as the caller knows the event's name.
 */
int lw_session_add_event(struct lw_session *session, const struct perf_event_attr *attr,
			 u32 target, s32 pid, u64 *id)
{
	struct lw_add_event add = {
		.size = sizeof(add),
		.attr = (unsigned long)attr,
		.target = target,
		.pid = pid,
	};
	int ret = call(session, LW_IOC_ADD_EVENT, &add);

	*id = add.id;
	return ret < 0 ? ret : 0;
}

static int switch_events(struct lw_session *session, unsigned long request, const char *what)
{
	struct lw_enable enable = { .size = sizeof(enable) };
	int ret = call(session, request, &enable);

	if (ret < 0)
		return lw_fail(ret, "cannot %s the events: %s", what, strerror(-ret));
	return 0;
}

/**
 * lw_session_enable - let the events count
 * @session: with at least one event
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_enable(struct lw_session *session)
{
	return switch_events(session, LW_IOC_ENABLE, "enable");
}

/**
 * lw_session_disable - no further samples after this
 * @session: enabled
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_disable(struct lw_session *session)
{
	return switch_events(session, LW_IOC_DISABLE, "disable");
}

/**
 * lw_session_stats - read the session's counters
 * @session: opened
 * @stats: out
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_session_stats(struct lw_session *session, struct lw_stats *stats)
{
	int ret;

	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	ret = call(session, LW_IOC_STATS, stats);
	if (ret < 0)
		return lw_fail(ret, "cannot read the session's counters: %s\n"
			       "  Module and tool may be of different builds: reload the module.",
			       strerror(-ret));
	return 0;
}
