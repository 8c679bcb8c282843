// SPDX-License-Identifier: GPL-2.0
/*
 * lw_test.c - a session with its rings, records, waiting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lw_test.h"

uint64_t lwt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void lwt_pause(void)
{
	usleep(2000);
}

static uint64_t to_ns(const struct timespec *time)
{
	return time->tv_sec * 1000000000ULL + time->tv_nsec;
}

/*
 * How long after its last change what is seen of a file may be kept: two ticks, of which the
 * longest has 10 ms; two seconds where no disk is below, as that may be on a net. Of a tmpfs,
 * which an overlay in memory has, nothing is kept.
 */
static uint64_t settles_in_ns(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return 0;
	switch (fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
		return 30000000;
	default:
		return 2100000000;
	}
}

/* Waits until what is seen of a file now may be kept. */
int lwt_settle(int fd)
{
	uint64_t wait = settles_in_ns(fd);
	struct timespec now;
	struct stat st;

	do {
		if (!wait || fstat(fd, &st) || clock_gettime(CLOCK_REALTIME, &now))
			return -1;
		lwt_pause();
	} while (to_ns(&now) < to_ns(&st.st_ctim) + wait);
	return 0;
}

/*
 * A directory on a disk, of whose files all that can be kept is; NULL: this machine has told
 * of none.
 */
const char *lwt_disk(void)
{
	return getenv("LW_DISK");
}

/* Return: nonzero once the kernel has warned or died (see TAINT_WARN). */
int lwt_tainted(void)
{
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");
	long mask = 0;

	if (!file)
		return -errno;
	if (fscanf(file, "%ld", &mask) != 1)
		mask = -1;
	fclose(file);
	return (mask & (1 << 9 | 1 << 7)) != 0;
}

int lwt_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/*
 * Is the task's state one of these letters?  Asleep, it is in a system call, or waits for
 * memory.  (The request is older than that.)
 */
bool lwt_is(pid_t pid, const char *states)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state && strchr(states, state);
}

int lwt_open(void)
{
	int fd = open(LW_DEVICE_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int lwt_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

int lwt_setup(int fd, uint64_t ring_size, uint32_t depth, uint32_t kernel_depth)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.ring_size = ring_size,
		.depth = depth,
		.kernel_depth = kernel_depth,
	};

	return lwt_ioctl(fd, LW_IOC_SETUP, &setup);
}

int lwt_add_event(int fd, struct perf_event_attr *attr, uint32_t target,
		  pid_t pid, uint64_t *id)
{
	struct lw_add_event add = {
		.size = sizeof(add),
		.attr = (uintptr_t)attr,
		.target = target,
		.pid = pid,
	};
	int ret = lwt_ioctl(fd, LW_IOC_ADD_EVENT, &add);

	if (id)
		*id = add.id;
	return ret;
}

static int switch_events(int fd, unsigned long cmd)
{
	struct lw_enable enable = { .size = sizeof(enable) };

	return lwt_ioctl(fd, cmd, &enable);
}

int lwt_enable(int fd)
{
	return switch_events(fd, LW_IOC_ENABLE);
}

int lwt_disable(int fd)
{
	return switch_events(fd, LW_IOC_DISABLE);
}

int lwt_request(int fd, uint32_t flags, struct lw_cookie *cookie)
{
	struct lw_request request = { .size = sizeof(request), .flags = flags };
	int ret = lwt_ioctl(fd, LW_IOC_REQUEST, &request);

	if (cookie)
		*cookie = request.cookie;
	return ret;
}

/* All ones on error, which no test takes for a result. */
struct lw_stats lwt_stats(int fd)
{
	struct lw_stats stats = { .size = sizeof(stats) };

	if (lwt_ioctl(fd, LW_IOC_STATS, &stats))
		memset(&stats, 0xff, sizeof(stats));
	return stats;
}

/* LW_FEATURE_*, 0 on error. */
uint64_t lwt_features(int fd)
{
	struct lw_info info = { .size = sizeof(info) };

	return lwt_ioctl(fd, LW_IOC_INFO, &info) ? 0 : info.features;
}

/* Does this kernel let a task that exits be walked, or is it LW_END_EXITED? */
bool lwt_walks_at_exit(int fd)
{
	return lwt_features(fd) & LW_FEATURE_EXIT;
}

static int map_ring(struct lwt_session *s, unsigned int cpu)
{
	struct lwt_ring *ring = &s->rings[cpu];
	void *map;

	map = mmap(NULL, lwt_page(), PROT_READ | PROT_WRITE, MAP_SHARED,
		   s->fd, LW_MMAP_CONSUMER(cpu));
	if (map == MAP_FAILED)
		return -errno;
	ring->consumer = map;
	map = mmap(NULL, s->map_len, PROT_READ, MAP_SHARED, s->fd,
		   LW_MMAP_PRODUCER(cpu));
	if (map == MAP_FAILED)
		return -errno;
	ring->producer = map;
	return 0;
}

int lwt_session_open_as(struct lwt_session *s, struct lw_setup *setup)
{
	struct lw_info info = { .size = sizeof(info) };
	unsigned int cpu;
	int ret;

	memset(s, 0, sizeof(*s));
	s->fd = lwt_open();
	if (s->fd < 0)
		return s->fd;
	ret = lwt_ioctl(s->fd, LW_IOC_INFO, &info);
	if (!ret && info.nr_rings > LWT_MAX_RINGS)
		ret = -E2BIG;
	if (!ret)
		ret = lwt_ioctl(s->fd, LW_IOC_SETUP, setup);
	s->nr_rings = info.nr_rings;
	s->map_len = lwt_page() + 2 * (setup->ring_size ?: info.ring_default);
	for (cpu = 0; cpu < s->nr_rings && !ret; cpu++)
		ret = map_ring(s, cpu);
	if (ret)
		lwt_session_close(s);
	return ret;
}

/* Opens, sets up and maps; 0 asks for the defaults. */
int lwt_session_open_masked(struct lwt_session *s, uint64_t ring_size,
			    uint32_t depth, uint32_t kernel_depth, uint32_t mask)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.ring_size = ring_size,
		.depth = depth,
		.kernel_depth = kernel_depth,
		.mask = mask,
	};

	return lwt_session_open_as(s, &setup);
}

/* Likewise, with LW_SETUP_*. */
int lwt_session_open_flags(struct lwt_session *s, uint64_t ring_size, uint32_t flags)
{
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = flags,
		.ring_size = ring_size,
	};

	return lwt_session_open_as(s, &setup);
}

int lwt_session_open(struct lwt_session *s, uint64_t ring_size, uint32_t depth,
		     uint32_t kernel_depth)
{
	return lwt_session_open_masked(s, ring_size, depth, kernel_depth,
				       LW_MASK_AUTO);
}

/* A mapping holds the session open as the descriptor does. */
void lwt_session_close(struct lwt_session *s)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		if (s->rings[cpu].consumer)
			munmap(s->rings[cpu].consumer, lwt_page());
		if (s->rings[cpu].producer)
			munmap(s->rings[cpu].producer, s->map_len);
	}
	if (s->fd >= 0)
		close(s->fd);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

/* In a child: mappings are not inherited, the descriptor is. */
void lwt_session_forget(struct lwt_session *s)
{
	close(s->fd);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

static void keep(void *arg, unsigned int ring, const struct lw_record *record)
{
	struct lwt_log *log = arg;
	void *copy;

	if (log->nr == log->room) {
		log->room = log->room * 2 + 64;
		log->records = realloc(log->records,
				       log->room * sizeof(*log->records));
	}
	copy = record->type == LW_RECORD_USER_STACK ? lwt_stack_of(record) : malloc(record->len);
	if (!copy || !log->records)
		abort();
	if (record->type != LW_RECORD_USER_STACK)
		memcpy(copy, record, record->len);
	log->records[log->nr].ring = ring;
	log->records[log->nr++].head = copy;
}

/* Return: records read, or -EBADMSG for a length that can't be. */
static int read_ring(struct lwt_session *s, unsigned int cpu, lwt_record_fn fn, void *arg)
{
	struct lw_ring_consumer *consumer = s->rings[cpu].consumer;
	struct lw_ring_producer *producer = s->rings[cpu].producer;
	uint8_t *data = (uint8_t *)producer + producer->data_offset;
	uint64_t pos = consumer->pos;
	uint64_t head = __atomic_load_n(&producer->pos, __ATOMIC_ACQUIRE);
	int nr = 0;

	while (pos < head) {
		struct lw_record *record = (struct lw_record *)
			(data + (pos & (producer->data_size - 1)));
		uint32_t len = __atomic_load_n(&record->len, __ATOMIC_ACQUIRE);

		if (len & LW_RING_BUSY)
			break;
		if (len < sizeof(*record) || len % 8 ||
		    len > producer->data_size / 2 || len > head - pos)
			return -EBADMSG;
		fn(arg, cpu, record);
		nr++;
		pos += len;
		__atomic_store_n(&consumer->pos, pos, __ATOMIC_RELEASE);
	}
	return nr;
}

/* Each record that is there now, in its ring.  Return: their number, or -EBADMSG. */
int lwt_consume(struct lwt_session *s, lwt_record_fn fn, void *arg)
{
	unsigned int cpu;
	int nr = 0;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		int ret = read_ring(s, cpu, fn, arg);

		if (ret < 0)
			return ret;
		nr += ret;
	}
	return nr;
}

/* Reads what is there now.  Return: number of records, or -EBADMSG. */
int lwt_read(struct lwt_session *s, struct lwt_log *log)
{
	return lwt_consume(s, keep, log);
}

void lwt_log_free(struct lwt_log *log)
{
	while (log->nr)
		free(log->records[--log->nr].head);
	free(log->records);
	memset(log, 0, sizeof(*log));
}

bool lwt_cookie_same(const struct lw_cookie *a, const struct lw_cookie *b)
{
	return a->counter == b->counter && a->cpu == b->cpu;
}

static bool is_stack(const struct lwt_record *record,
		     const struct lw_cookie *cookie)
{
	return record->head->type == LW_RECORD_USER_STACK &&
	       (!cookie || lwt_cookie_same(&record->stack->cookie, cookie));
}

struct lwt_stack *lwt_find_stack(const struct lwt_log *log,
				 const struct lw_cookie *cookie)
{
	size_t i;

	for (i = 0; i < log->nr; i++)
		if (is_stack(&log->records[i], cookie))
			return log->records[i].stack;
	return NULL;
}

/* All stacks if @cookie is NULL. */
unsigned int lwt_count_stacks(const struct lwt_log *log,
			      const struct lw_cookie *cookie)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		nr += is_stack(&log->records[i], cookie);
	return nr;
}

struct lwt_stack *lwt_first_stack(const struct lwt_log *log)
{
	return lwt_find_stack(log, NULL);
}

struct lwt_stack *lwt_wait_stack(struct lwt_session *s,
				 struct lwt_log *log,
				 const struct lw_cookie *cookie)
{
	struct lwt_stack *stack = NULL;

	lwt_wait(lwt_read(s, log) < 0 ||
		 (stack = lwt_find_stack(log, cookie)));
	return stack;
}

static bool sample_is_sane(const struct lw_sample *sample)
{
	bool asked = sample->user == LW_USER_PENDING;
	bool cgroup = sample->record.flags & LW_SAMPLE_CGROUP;
	size_t len = sizeof(*sample) + (sample->nr_kernel + cgroup) * 8;

	if (sample->record.flags & LW_SAMPLE_RAW)
		len += 4 + *(const uint32_t *)((const uint8_t *)sample + len);
	return sample->record.len == len && !sample->cookie.reserved &&
	       asked == (sample->cookie.counter != 0) && sample->time &&
	       sample->user <= LW_USER_THROTTLED;
}

static bool stack_is_sane(const struct lwt_stack *stack)
{
	const uint8_t *how = lwt_how(stack);
	uint32_t i;

	if (!stack->is_sane || !stack->cookie.counter ||
	    stack->cookie.reserved || !stack->time ||
	    stack->end < LW_END_OUTERMOST || stack->end > LW_END_BUDGET)
		return false;
	for (i = 0; i < stack->nr; i++)
		if (i ? how[i] < LW_HOW_SFRAME || how[i] > LW_HOW_ANALYSIS :
			how[i] != LW_HOW_REGS)
			return false;
	return true;
}

/* The data of a call: pieces that fill the rest of the record. */
static bool data_is_sane(const struct lw_record *record, const void *data, uint32_t nr)
{
	const uint8_t *at = data, *end = (const uint8_t *)record + record->len;

	for (; nr; nr--) {
		const struct lw_syscall_data *piece = (const void *)at;

		if (end - at < (ptrdiff_t)sizeof(*piece) || piece->arg > 5 ||
		    !piece->kind || piece->kind > LW_DATA_STRINGS)
			return false;
		at += sizeof(*piece);
		if (end - at < ((ptrdiff_t)piece->len + 7) / 8 * 8)
			return false;
		for (at += piece->len; (uintptr_t)at % 8; at++)
			if (*at)
				return false;
	}
	return at == end;
}

static bool call_is_sane(const struct lw_syscall *call)
{
	return call->record.len >= sizeof(*call) && call->time && call->id &&
	       call->nr < 1024 && call->cookie.reserved == 0 &&
	       (call->user != LW_USER_PENDING || call->cookie.counter) &&
	       data_is_sane(&call->record, call + 1, call->nr_data);
}

static bool deferred_is_sane(const struct lw_deferred_data *deferred)
{
	return deferred->record.len >= sizeof(*deferred) && deferred->time && deferred->id &&
	       deferred->cookie.counter && deferred->exit < 2 && deferred->nr_data &&
	       data_is_sane(&deferred->record, deferred + 1, deferred->nr_data);
}

/* A name and what has it, for sorting. */
struct name {
	struct lw_cookie cookie;
	unsigned int samples;
	unsigned int stacks;
};

static int by_cookie(const void *a, const void *b)
{
	const struct lw_cookie *x = &((const struct name *)a)->cookie;
	const struct lw_cookie *y = &((const struct name *)b)->cookie;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static void count_name(struct lwt_counts *counts, const struct name *all)
{
	if (all->stacks > 1)
		counts->twice += all->stacks - 1;
	if (!all->stacks)
		counts->orphans += all->samples;
	if (!all->samples)
		counts->unasked += all->stacks;
}

static void count_names(struct lwt_counts *counts, struct name *names,
			size_t nr)
{
	struct name all;
	size_t i, j;

	qsort(names, nr, sizeof(*names), by_cookie);
	for (i = 0; i < nr; i = j) {
		memset(&all, 0, sizeof(all));
		for (j = i; j < nr && !by_cookie(&names[i], &names[j]); j++) {
			all.samples += names[j].samples;
			all.stacks += names[j].stacks;
		}
		count_name(counts, &all);
	}
}

/* Checks each record and which belong together. */
struct lwt_counts lwt_log_check(const struct lwt_log *log)
{
	struct name *names = calloc(log->nr + 1, sizeof(*names));
	struct lwt_counts counts = {};
	size_t i, nr = 0;

	for (i = 0; i < log->nr; i++) {
		const struct lwt_record *r = &log->records[i];

		if (r->head->type == LW_RECORD_SAMPLE) {
			counts.samples++;
			counts.malformed += !sample_is_sane(r->sample);
			if (r->sample->user != LW_USER_PENDING)
				continue;
			counts.pending++;
			names[nr].cookie = r->sample->cookie;
			names[nr++].samples = 1;
		} else if (r->head->type == LW_RECORD_USER_STACK) {
			counts.stacks++;
			counts.malformed += !stack_is_sane(r->stack);
			names[nr].cookie = r->stack->cookie;
			names[nr++].stacks = 1;
		} else if (r->head->type == LW_RECORD_SYSCALL) {
			counts.syscalls++;
			counts.malformed += !call_is_sane(r->call);
			if (r->call->user != LW_USER_PENDING)
				continue;
			names[nr].cookie = r->call->cookie;
			names[nr++].samples = 1;
		} else if (r->head->type == LW_RECORD_SYSCALL_DATA) {
			counts.malformed += !deferred_is_sane(r->deferred);
		} else if (r->head->type == LW_RECORD_LOST) {
			counts.lost += r->lost->full + r->lost->big +
				       r->lost->nested;
			counts.malformed += r->head->len != sizeof(*r->lost);
		} else if (r->head->type == LW_RECORD_MODULE) {
			counts.malformed += r->head->len < sizeof(struct lw_module);
		} else {
			counts.malformed++;
		}
	}
	count_names(&counts, names, nr);
	free(names);
	return counts;
}

static int by_stack_cookie(const void *a, const void *b)
{
	const struct lwt_stack *x = *(struct lwt_stack *const *)a;
	const struct lwt_stack *y = *(struct lwt_stack *const *)b;

	if (x->cookie.cpu != y->cookie.cpu)
		return x->cookie.cpu < y->cookie.cpu ? -1 : 1;
	if (x->cookie.counter != y->cookie.counter)
		return x->cookie.counter < y->cookie.counter ? -1 : 1;
	return 0;
}

/*
 * Stacks of several sessions with one cookie that can't be of one entry: of two
 * tasks, or with another topmost frame.
 */
uint64_t lwt_cookies_disagree(const struct lwt_log *log)
{
	struct lwt_stack **stacks = calloc(log->nr + 1, sizeof(*stacks));
	uint64_t bad = 0;
	size_t i, nr = 0;

	for (i = 0; i < log->nr; i++)
		if (log->records[i].head->type == LW_RECORD_USER_STACK)
			stacks[nr++] = log->records[i].stack;
	qsort(stacks, nr, sizeof(*stacks), by_stack_cookie);
	for (i = 1; i < nr; i++) {
		const struct lwt_stack *a = stacks[i - 1], *b = stacks[i];

		if (by_stack_cookie(&a, &b))
			continue;
		bad += a->tid != b->tid || a->pid != b->pid ||
		       (a->nr && b->nr && a->frames[0] != b->frames[0]);
	}
	free(stacks);
	return bad;
}

uint64_t lwt_lost_on_rings(const struct lwt_session *s)
{
	uint64_t lost = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++)
		lost += s->rings[cpu].producer->lost;
	return lost;
}

/* Nobody but @pid is sampled; with LW_FILTER_CHILDREN what it starts from now on is, too. */
int lwt_only(int fd, pid_t pid, uint32_t flags)
{
	__s32 nr = pid;
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = flags,
		.kind = LW_FILTER_PROCESSES,
		.nr = 1,
		.pids = (uintptr_t)&nr,
	};

	return lwt_ioctl(fd, LW_IOC_FILTER, &filter);
}

/*
 * Who waits for this test to end is not sampled: hit on its way to sleep it would
 * owe a stack until then.
 */
int lwt_leave_out_ancestors(int fd)
{
	__s32 pids[32];
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = LW_FILTER_INVERT,
		.kind = LW_FILTER_PROCESSES,
		.pids = (uintptr_t)pids,
	};
	char path[32];
	pid_t pid = getppid();

	while (pid > 0 && filter.nr < sizeof(pids) / sizeof(*pids)) {
		FILE *file;
		int parent = 0;

		pids[filter.nr++] = pid;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		file = fopen(path, "r");
		if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1)
			parent = 0;
		if (file)
			fclose(file);
		pid = parent;
	}
	return lwt_ioctl(fd, LW_IOC_FILTER, &filter);
}

/* From /proc/kallsyms; up to the next symbol. */
struct lwt_range lwt_kernel_function(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	struct lwt_range range = {};
	unsigned long long addr;
	char line[1024], symbol[512], *suffix;

	while (file && !range.to && fgets(line, sizeof(line), file)) {
		/* Most lines are in front of it. */
		if (!range.from && !strstr(line, name))
			continue;
		if (sscanf(line, "%llx %*c %511s", &addr, symbol) != 2)
			break;
		if (range.from) {
			range.to = addr > range.from ? addr : 0;
			continue;
		}
		/* ThinLTO puts ".llvm.<hash>" behind names of functions that it has made global. */
		suffix = strstr(symbol, ".llvm.");
		if (suffix)
			*suffix = 0;
		if (!strcmp(symbol, name))
			range.from = addr;
	}
	if (file)
		fclose(file);
	return range;
}

/* Return: the id of "group/name", or -errno. */
int lwt_tracepoint(const char *name)
{
	char path[256];
	FILE *file;
	int id = 0;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	if (fscanf(file, "%d", &id) != 1)
		id = -EIO;
	fclose(file);
	return id;
}

/* Each hit is a sample; config is -errno if there is no such tracepoint. */
struct perf_event_attr lwt_attr_tracepoint(const char *name)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = lwt_tracepoint(name),
		.sample_period = 1,
	};
}

struct perf_event_attr lwt_attr_cpu_clock(uint64_t period_ns)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
	};
}

/* Return: the KiB that @file has in its line "@name: ", as /proc/meminfo does, or -1. */
long lwt_proc_kib(const char *file, const char *name)
{
	FILE *lines = fopen(file, "re");
	size_t len = strlen(name);
	char line[256];
	long kib = -1;

	while (lines && kib < 0 && fgets(line, sizeof(line), lines))
		if (!strncmp(line, name, len) && line[len] == ':')
			kib = atol(line + len + 1);
	if (lines)
		fclose(lines);
	return kib;
}

long lwt_own_kib(const char *name)
{
	return lwt_proc_kib("/proc/self/status", name);
}

/* Loads a module.  Return: 0 or -errno. */
int lwt_load(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* Unloads a module, if it is not in use.  Return: 0 or -errno. */
int lwt_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

/* Moves a process to the cgroup @dir.  Return: 0 or -errno. */
int lwt_put_in_cgroup(const char *dir, pid_t pid)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	fprintf(file, "%d", pid);
	return fclose(file) ? -errno : 0;
}

/* Kills a child, if there is one. */
void lwt_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Status of a program that the kernel can't run; no check has that number. */
#define CANNOT_RUN	126

/*
 * Runs a 32-bit program.  Return: its exit status, or -1.  *@why: there is none, or this kernel
 * runs none, which is a choice of arm64's configuration.
 */
int lwt_run_32(const char *path, const char **why)
{
	int status;
	pid_t pid;

	if (access(path, X_OK)) {
		*why = "no compiler for 32-bit programs";
		return -1;
	}
	pid = fork();
	if (!pid) {
		execl(path, path, NULL);
		_exit(errno == ENOEXEC ? CANNOT_RUN : CANNOT_RUN + 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
#if defined(__aarch64__)
	if (WEXITSTATUS(status) == CANNOT_RUN)
		*why = "this kernel runs no 32-bit programs";
#endif
	return WEXITSTATUS(status);
}
