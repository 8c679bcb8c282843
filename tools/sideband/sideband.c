// SPDX-License-Identifier: GPL-2.0
/*
 * sideband.c - perf dummy events: mappings, names, forks and exits.
 *
 * One event per CPU, and per thread where threads are the target; those of one
 * CPU share its ring.  The clock is that of the samples.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "sideband/sideband.h"

#define RING_SIZE	(512 * 1024)
/* Of switches, some 10,000 in and as many out. */
#define SWITCHES_RING_SIZE	(1024 * 1024)
#define CGROUPS_RING_SIZE	(64 * 1024)
#define RECORD_MAX	65536
/* No record of switches, forks or of what was lost is longer. */
#define NEARLY_FULL	128

static void make_attr(struct perf_event_attr *attr, u32 features)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = PERF_ATTR_SIZE_VER7;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = LW_SAMPLE_TYPE_COMMON;
	attr->read_format = PERF_FORMAT_ID;
	attr->sample_id_all = 1;
	attr->exclude_kernel = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = RING_SIZE / 4;
	attr->build_id = !!(features & LW_SIDEBAND_BUILD_ID);
	attr->ksymbol = !!(features & LW_SIDEBAND_KSYMBOL);
	attr->bpf_event = !!(features & LW_SIDEBAND_BPF_EVENT);
	attr->namespaces = !!(features & LW_SIDEBAND_NAMESPACES);
}

/*
 * New cgroups.  The kernel tells only those events of a CPU that have one of some bits, of
 * which @cgroup is none: comm_exec is one, and brings no records alone.
 */
static void make_cgroups_attr(struct perf_event_attr *attr)
{
	make_attr(attr, 0);
	attr->mmap = 0;
	attr->mmap2 = 0;
	attr->comm = 0;
	attr->comm_exec = 1;
	attr->task = 0;
	attr->cgroup = 1;
	attr->wakeup_watermark = CGROUPS_RING_SIZE / 4;
}

/* Context switches; forks tell that a number has another task now. */
static void make_switches_attr(struct perf_event_attr *attr)
{
	make_attr(attr, 0);
	attr->mmap = 0;
	attr->mmap2 = 0;
	attr->comm = 0;
	attr->comm_exec = 0;
	attr->context_switch = 1;
	attr->wakeup_watermark = SWITCHES_RING_SIZE / 4;
}

/* Samples with the data of the tracepoint; it is hit in the kernel. */
static void make_tracepoint_attr(struct perf_event_attr *attr, u64 id)
{
	make_attr(attr, 0);
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = id;
	attr->sample_type |= PERF_SAMPLE_RAW;
	attr->sample_period = 1;
	attr->exclude_kernel = 0;
	attr->mmap = 0;
	attr->mmap2 = 0;
	attr->comm = 0;
	attr->comm_exec = 0;
	attr->task = 0;
}

static int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/**
 * lw_sideband_hint - what to do about an event of perf that cannot be opened
 *
 * Kernels of Debian and Ubuntu know values of perf_event_paranoid above 2, their default, by which
 * CAP_PERFMON is not enough.
 *
 * Return: a sentence.
 */
const char *lw_sideband_hint(void)
{
	char text[16] = "";

	lw_read_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text));
	if (geteuid() && atoi(text) > 2)
		return "Run it as root, or 'sysctl kernel.perf_event_paranoid=2' first.";
	return "Run it as root, or give it CAP_PERFMON.";
}

/**
 * lw_sideband_probe - which optional bits this kernel takes
 * @features: out: LW_SIDEBAND_*
 *
 * Return: 0, or -errno when not even the plain event can be opened.
 */
int lw_sideband_probe(u32 *features)
{
	static const u32 bits[] = {
		LW_SIDEBAND_BUILD_ID, LW_SIDEBAND_KSYMBOL, LW_SIDEBAND_BPF_EVENT,
		LW_SIDEBAND_NAMESPACES,
	};
	struct perf_event_attr attr;
	int fd;

	*features = 0;
	make_attr(&attr, 0);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return fd;
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		make_attr(&attr, *features | bits[i]);
		fd = event_open(&attr, 0, -1);
		if (fd < 0)
			continue;
		close(fd);
		*features |= bits[i];
	}
	return 0;
}

static int remember(struct lw_sideband *sb, int fd)
{
	u64 id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	if (lw_grow((void **)&sb->fds, &sb->fd_room, sb->nr_fds + 1, sizeof(*sb->fds)) ||
	    lw_grow((void **)&sb->ids, &sb->id_room, sb->nr_fds + 1, sizeof(*sb->ids)))
		return -ENOMEM;
	sb->fds[sb->nr_fds] = fd;
	sb->ids[sb->nr_fds++] = id;
	return 0;
}

static int map_event(struct lw_sideband *sb, int fd)
{
	struct lw_sideband_ring *ring = &sb->rings[sb->nr_rings];
	void *map;

	map = mmap(NULL, sb->ring_size + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->page = map;
	ring->size = sb->ring_size;
	ring->fd = fd;
	sb->nr_rings++;
	return 0;
}

/* The first event of a CPU gets a ring, the others write to it as well. */
static int add_event(struct lw_sideband *sb, pid_t pid, int cpu, int *leader)
{
	int fd = event_open(&sb->attr, pid, cpu), ret;

	if (fd < 0)
		return fd;
	if (*leader < 0)
		ret = map_event(sb, fd);
	else
		ret = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *leader) ? -errno : 0;
	if (!ret)
		ret = remember(sb, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	if (*leader < 0)
		*leader = fd;
	return 0;
}

static int add_cpu(struct lw_sideband *sb, const struct lw_target *target, u32 cpu)
{
	int leader = -1, ret = 0;

	if (target->all_cpus)
		return add_event(sb, -1, cpu, &leader);
	if (target->child && !target->nr_tids)
		return add_event(sb, target->child, cpu, &leader);
	for (u32 i = 0; i < target->nr_tids; i++) {
		ret = add_event(sb, target->tids[i], cpu, &leader);
		if (ret && ret != -ESRCH)
			return ret;
	}
	return leader < 0 ? ret : 0;
}

static int add_all(struct lw_sideband *sb, const struct lw_target *target, const u32 *cpus,
		   int nr)
{
	int ret = 0;

	sb->rings = calloc(nr, sizeof(*sb->rings));
	sb->bounce = malloc(RECORD_MAX);
	if (!sb->rings || !sb->bounce)
		ret = -ENOMEM;
	for (int i = 0; !ret && i < nr; i++) {
		ret = add_cpu(sb, target, cpus[i]);
		/* went offline in between */
		if (ret == -ENODEV || ret == -ENXIO)
			ret = 0;
	}
	return ret;
}

static int open_events(struct lw_sideband *sb, const struct lw_target *target)
{
	u32 *cpus = NULL;
	int nr, ret;

	nr = lw_online_cpus(&cpus);
	if (nr < 0)
		return nr;
	sb->attr.inherit = !target->all_cpus;
	lw_raise_fd_limit();
	ret = add_all(sb, target, cpus, nr);
	free(cpus);
	if (!ret)
		return 0;
	lw_sideband_close(sb);
	return lw_fail(ret, "cannot open the perf side-band event (mappings and names): %s\n"
		       "  %s%s", strerror(-ret),
		       ret == -EMFILE ? "Raise the limit of open files (ulimit -n), or use -a." :
		       ret == -ESRCH ? "The process has ended." :
				       lw_sideband_hint(),
		       ret == -EACCES || ret == -EPERM ? " See 'latewind doctor'." : "");
}

/**
 * lw_sideband_open - open, map and start the side-band of a target
 * @sb: out
 * @target: every CPU, attached threads or a prepared command
 * @maps: which mappings it tells of, besides names, forks and exits
 * @namespaces: of each new process, too, which makes it dearer by a tenth
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sideband_open(struct lw_sideband *sb, const struct lw_target *target,
		     enum lw_sideband_maps maps, bool namespaces)
{
	memset(sb, 0, sizeof(*sb));
	sb->ring_size = RING_SIZE;
	/* what is wrong with the plain event, opening it for good tells */
	lw_sideband_probe(&sb->features);
	make_attr(&sb->attr, sb->features);
	sb->attr.mmap = maps != LW_SIDEBAND_NO_MAPS;
	sb->attr.mmap2 = sb->attr.mmap;
	sb->attr.mmap_data = maps == LW_SIDEBAND_ALL_MAPS;
	sb->attr.build_id = sb->attr.build_id && sb->attr.mmap;
	sb->attr.namespaces = sb->attr.namespaces && namespaces;
	return open_events(sb, target);
}

/**
 * lw_sideband_open_cgroups - open, map and start a side-band of cgroups that are made
 * @sb: out
 *
 * The task that makes a cgroup need not be of the target, so the events are of CPUs.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sideband_open_cgroups(struct lw_sideband *sb)
{
	struct lw_target everywhere = { .all_cpus = true };

	memset(sb, 0, sizeof(*sb));
	sb->ring_size = CGROUPS_RING_SIZE;
	make_cgroups_attr(&sb->attr);
	return open_events(sb, &everywhere);
}

/**
 * lw_sideband_open_switches - open, map and start a side-band of context switches
 * @sb: out
 * @target: every CPU, attached threads or a prepared command
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sideband_open_switches(struct lw_sideband *sb, const struct lw_target *target)
{
	memset(sb, 0, sizeof(*sb));
	sb->ring_size = SWITCHES_RING_SIZE;
	make_switches_attr(&sb->attr);
	return open_events(sb, target);
}

/**
 * lw_sideband_open_tracepoint - open, map and start a side-band of a tracepoint
 * @sb: out
 * @target: every CPU, attached threads or a prepared command
 * @id: of the tracepoint
 *
 * Its samples are of LW_SAMPLE_TYPE_COMMON and PERF_SAMPLE_RAW.
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_sideband_open_tracepoint(struct lw_sideband *sb, const struct lw_target *target, u64 id)
{
	memset(sb, 0, sizeof(*sb));
	sb->ring_size = RING_SIZE;
	make_tracepoint_attr(&sb->attr, id);
	return open_events(sb, target);
}

static const struct perf_event_header *record_at(struct lw_sideband *sb,
						 const struct lw_sideband_ring *ring, u64 pos)
{
	const u8 *data = (const u8 *)ring->page + ring->page->data_offset;
	size_t at = pos & (ring->size - 1), first = ring->size - at;
	const struct perf_event_header *header = (const void *)(data + at);

	if (header->size <= first)
		return header;
	memcpy(sb->bounce, data + at, first);
	memcpy(sb->bounce + first, data, header->size - first);
	return (const void *)sb->bounce;
}

static int take_record(struct lw_sideband *sb, const struct perf_event_header *record,
		       lw_perf_event_fn fn, void *ctx)
{
	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(*record) + 16)
		sb->lost += ((const u64 *)(record + 1))[1];
	return fn(ctx, record);
}

static int read_ring(struct lw_sideband *sb, struct lw_sideband_ring *ring,
		     lw_perf_event_fn fn, void *ctx)
{
	u64 pos = ring->page->data_tail;
	/* pairs with the kernel's release of data_head */
	u64 head = load_acquire(&ring->page->data_head);
	int ret = 0;

	sb->was_full |= ring->size - (head - pos) < NEARLY_FULL;
	while (pos < head && !ret) {
		const struct perf_event_header *record = record_at(sb, ring, pos);

		if (record->size < sizeof(*record) || record->size % sizeof(u64) ||
		    record->size > head - pos)
			return lw_fail(-EBADMSG, "perf's side-band holds an impossible record");
		pos += record->size;
		ret = take_record(sb, record, fn, ctx);
	}
	/* our reads are done: the kernel may overwrite the records */
	store_release(&ring->page->data_tail, pos);
	return ret;
}

/**
 * lw_sideband_read - hand out what all rings hold now
 * @sb: open
 * @fn: called with each record, good during the call
 * @ctx: for @fn
 *
 * Return: 0, the first nonzero return of @fn, or -EBADMSG.
 */
int lw_sideband_read(struct lw_sideband *sb, lw_perf_event_fn fn, void *ctx)
{
	int ret = 0;

	sb->was_full = false;
	for (u32 i = 0; !ret && i < sb->nr_rings; i++)
		ret = read_ring(sb, &sb->rings[i], fn, ctx);
	return ret;
}

/**
 * lw_sideband_stop - no further records; those in the rings can be read
 * @sb: open
 */
void lw_sideband_stop(struct lw_sideband *sb)
{
	for (u32 i = 0; i < sb->nr_fds; i++)
		ioctl(sb->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

/**
 * lw_sideband_close - unmap and close all
 * @sb: open or zeroed
 */
void lw_sideband_close(struct lw_sideband *sb)
{
	for (u32 i = 0; i < sb->nr_rings; i++)
		munmap(sb->rings[i].page, sb->rings[i].size + sysconf(_SC_PAGESIZE));
	for (u32 i = 0; i < sb->nr_fds; i++)
		close(sb->fds[i]);
	free(sb->rings);
	free(sb->fds);
	free(sb->ids);
	free(sb->bounce);
	memset(sb, 0, sizeof(*sb));
}
