// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
/*
 * session.c - a session of /dev/latewind: its calls, and its rings as they are mapped.
 *
 * Contexts: one thread a session, but for latewind_session_add_table() and those of missing
 * files, which only look at the descriptor and the features: these stay as they were opened.
 * No locks.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private.h"

static int call(const struct latewind_session *session, unsigned long request, void *arg)
{
	return ioctl(session->fd, request, arg) < 0 ? -errno : 0;
}

static int ask_info(struct latewind_session *session)
{
	int ret;

	session->fd = open(LW_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	if (session->fd < 0)
		return -errno;
	session->info.size = sizeof(session->info);
	ret = call(session, LW_IOC_INFO, &session->info);
	/* A module that knows more says so. */
	if (session->info.size > sizeof(session->info))
		session->info.size = sizeof(session->info);
	if (!ret && session->info.abi_version != LW_ABI_VERSION)
		ret = -EPROTO;
	return ret;
}

int latewind_session_open(struct latewind_session **session)
{
	struct latewind_session *new = calloc(1, sizeof(*new));
	int ret;

	*session = NULL;
	if (!new)
		return -ENOMEM;
	ret = ask_info(new);
	if (ret)
		latewind_session_close(new);
	else
		*session = new;
	return ret;
}

static void unmap_ring(struct latewind_ring *ring)
{
	if (ring->consumer)
		munmap(ring->consumer, sysconf(_SC_PAGESIZE));
	if (ring->producer)
		munmap((void *)ring->producer, ring->map_len);
}

static void unmap_rings(struct latewind_session *session)
{
	for (u32 i = 0; i < session->nr_rings; i++)
		unmap_ring(&session->rings[i]);
	free(session->rings);
	session->rings = NULL;
	session->nr_rings = 0;
}

void latewind_session_close(struct latewind_session *session)
{
	if (!session)
		return;
	latewind_stack_join_free(session->join);
	latewind_ring_by_time_free(session->by_time);
	unmap_rings(session);
	if (session->fd >= 0)
		close(session->fd);
	free(session);
}

int latewind_session_fd(const struct latewind_session *session)
{
	return session->fd;
}

const struct lw_info *latewind_session_info(const struct latewind_session *session)
{
	return &session->info;
}

/* A CPU number that this machine cannot have is refused: its ring stays empty. */
static int map_ring(const struct latewind_session *session, u32 cpu, u64 size)
{
	struct latewind_ring *ring = &session->rings[cpu];
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

int latewind_session_setup(struct latewind_session *session, struct lw_setup *setup)
{
	int ret;

	if (!setup->ring_size)
		setup->ring_size = session->info.ring_default;
	ret = call(session, LW_IOC_SETUP, setup);
	if (ret)
		return ret;
	session->rings = calloc(session->info.nr_rings, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	session->nr_rings = session->info.nr_rings;
	for (u32 cpu = 0; !ret && cpu < session->nr_rings; cpu++)
		ret = map_ring(session, cpu, setup->ring_size);
	if (ret)
		unmap_rings(session);
	session->overwrites = setup->flags & LW_SETUP_OVERWRITE;
	return ret;
}

int latewind_session_request(struct latewind_session *session, struct lw_request *request)
{
	int ret = ioctl(session->fd, LW_IOC_REQUEST, request);

	return ret < 0 ? -errno : ret;
}

int latewind_session_filter(struct latewind_session *session, struct lw_filter *filter)
{
	return call(session, LW_IOC_FILTER, filter);
}

int latewind_session_add_event(struct latewind_session *session,
			       const struct perf_event_attr *attr, __u32 target, __s32 pid,
			       __u64 *id)
{
	struct lw_add_event add = {
		.size = sizeof(add),
		.attr = (unsigned long)attr,
		.target = target,
		.pid = pid,
	};
	int ret = call(session, LW_IOC_ADD_EVENT, &add);

	if (id)
		*id = add.id;
	return ret;
}

int latewind_session_add_syscall(struct latewind_session *session, struct lw_add_syscall *add)
{
	return call(session, LW_IOC_ADD_SYSCALL, add);
}

int latewind_session_add_table(const struct latewind_session *session, struct lw_table *table)
{
	if (!(session->info.features & LW_FEATURE_TABLES))
		return -EOPNOTSUPP;
	return call(session, LW_IOC_ADD_TABLE, table);
}

int latewind_session_next_file(const struct latewind_session *session,
			       struct lw_missing_file *file)
{
	return call(session, LW_IOC_NEXT_FILE, file);
}

int latewind_session_file_done(const struct latewind_session *session, __u64 number)
{
	struct lw_file_done done = { .size = sizeof(done), .number = number };

	return call(session, LW_IOC_FILE_DONE, &done);
}

static int switch_events(struct latewind_session *session, unsigned long request)
{
	struct lw_enable enable = { .size = sizeof(enable) };

	return call(session, request, &enable);
}

int latewind_session_enable(struct latewind_session *session)
{
	return switch_events(session, LW_IOC_ENABLE);
}

int latewind_session_disable(struct latewind_session *session)
{
	return switch_events(session, LW_IOC_DISABLE);
}

int latewind_session_stats(const struct latewind_session *session, struct lw_stats *stats)
{
	return call(session, LW_IOC_STATS, stats);
}
