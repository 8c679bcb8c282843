// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_calls.c - see fuzz.h: the ioctls of the device, mostly with what makes sense.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fuzz.h"
#include "lib/jit.h"
#include "programs/raw.h"

static struct fuzz_world *const w = &fuzz_world;

#define SPOIL	8		/* one struct of so many is spoiled */

/* Files */

void fuzz_do_open(struct fuzz_actor *a)
{
	static const short errors[] = { EACCES, EPERM, EMFILE, ENOMEM, 0 };
	struct fuzz_slot *slot = fuzz_pick(a);
	unsigned int i, what = fuzz_roll(a, 16);
	enum fuzz_kind kind = FUZZ_SESSION;
	const char *path = LW_DEVICE_PATH;
	long flags = O_RDWR, ret;

	for (i = 0; i < FUZZ_SLOTS && slot->fd >= 0; i++)
		slot = &w->slots[i];
	if (what < 2) {
		kind = FUZZ_PROC;
		path = LW_PROC_PATH;
		flags = O_RDONLY;
	} else if (what < 4) {
		kind = FUZZ_WRITE_ONLY;
		flags = O_WRONLY;
	} else if (what < 5) {
		flags = O_RDONLY;
	}
	flags |= O_CLOEXEC | (fuzz_roll(a, 4) ? 0 : O_NONBLOCK);
	ret = fuzz_call(a, "open", errors, SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
	if (ret < 0)
		return;
	slot->kind = kind;
	slot->ring_size = 0;
	ret = __atomic_exchange_n(&slot->fd, ret, __ATOMIC_ACQ_REL);
	if (ret >= 0)
		close(ret);
	if (kind == FUZZ_SESSION && fuzz_roll(a, 8))
		fuzz_do_setup(a);
}

void fuzz_do_close(struct fuzz_actor *a)
{
	struct fuzz_slot *slot = fuzz_pick(a);
	int fd = __atomic_exchange_n(&slot->fd, -1, __ATOMIC_ACQ_REL);

	slot->kind = FUZZ_NO_FILE;
	fuzz_add(&fuzz_shared->calls, 1);
	if (fd >= 0)
		close(fd);
}

void fuzz_do_dup(struct fuzz_actor *a)
{
	struct fuzz_slot *from = fuzz_pick_session(a), *to = fuzz_pick(a);
	int fd;

	fuzz_add(&fuzz_shared->calls, 1);
	if (from == to)
		return;
	fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return;
	to->kind = from->kind;
	to->ring_size = from->ring_size;
	fd = __atomic_exchange_n(&to->fd, fd, __ATOMIC_ACQ_REL);
	if (fd >= 0)
		close(fd);
}

/* Sessions */

void fuzz_do_setup(struct fuzz_actor *a)
{
	struct fuzz_slot *slot = fuzz_pick_session(a);
	struct lw_setup setup = {
		.size = sizeof(setup),
		.flags = fuzz_roll(a, 4) ? 0 : fuzz_roll(a, 8) ? fuzz_roll(a, 8) : fuzz_roll(a, 16),
		.ring_size = FUZZ_PAGE << fuzz_roll(a, 5),
		.depth = fuzz_roll(a, 2) ? fuzz_roll(a, LW_MAX_DEPTH + 1) : fuzz_roll(a, 32),
		.kernel_depth = fuzz_roll(a, 2) ? fuzz_roll(a, 16) : 0,
		.mask = fuzz_roll(a, 2) ? 0 : fuzz_roll(a, 3),
	};
	unsigned int i, from = fuzz_roll(a, FUZZ_SLOTS);

	for (i = 0; i < FUZZ_SLOTS; i++) {
		struct fuzz_slot *other = &w->slots[(from + i) % FUZZ_SLOTS];

		if (other->kind == FUZZ_SESSION && !other->ring_size)
			slot = other;
	}
	setup.watermark = fuzz_roll(a, 2) ? 0 : fuzz_roll(a, setup.ring_size);
	fuzz_spoil(a, &setup, sizeof(setup), SPOIL);
	/* Not more memory than the machine has. */
	if (setup.ring_size > 1 << 20 && fuzz_roll(a, 16))
		setup.ring_size = 1 << 14;
	if (!fuzz_ioctl(a, slot, LW_IOC_SETUP, &setup, sizeof(setup), NULL))
		slot->ring_size = setup.ring_size ?: 1 << 20;
}

static int type_of(const char *pmu)
{
	char path[96];
	int type = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

/* Looked up before there are other threads. */
static const char *const points[] = {
	"syscalls/sys_enter_getppid", "syscalls/sys_exit_getppid", "syscalls/sys_enter_ioctl",
	"syscalls/sys_exit_ioctl", "exceptions/page_fault_user", "sched/sched_process_fork",
	"sched/sched_process_exit", "task/task_newtask",
};

#define NR_POINTS	(sizeof(points) / sizeof(*points))

static int point_ids[NR_POINTS], kprobes = -1, uprobes = -1;

static __attribute__((constructor)) void find_events(void)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		point_ids[i] = lwt_tracepoint(points[i]);
	kprobes = type_of("kprobe");
	uprobes = type_of("uprobe");
}

static struct perf_event_attr any_attr(struct fuzz_actor *a)
{
	static const char *const functions[] = {
		RAW_SYSCALL_PREFIX "getppid", "do_nanosleep", "no such function", "",
	};
	uint64_t period = 200000 + fuzz_roll(a, 2000000);
	struct perf_event_attr attr = lwt_attr_cpu_clock(period), good;

	switch (fuzz_roll(a, 8)) {
	case 0:
		break;
	case 1:
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = fuzz_roll(a, 12);
		break;
	case 2:
		attr.config = fuzz_roll(a, 12);
		break;
	case 3:
		attr.type = PERF_TYPE_BREAKPOINT;
		attr.bp_type = fuzz_roll(a, 8);
		attr.bp_addr = (uintptr_t)(a->stack + fuzz_roll(a, 64));
		attr.bp_len = 1 << fuzz_roll(a, 4);
		break;
	case 4:
		attr.type = fuzz_roll(a, 2) ? kprobes : uprobes;
		attr.config = fuzz_roll(a, 2);
		attr.config1 = (uintptr_t)fuzz_place(a, functions[fuzz_roll(a, 4)], 24);
		attr.config2 = fuzz_roll(a, 64);
		break;
	default:
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = point_ids[fuzz_roll(a, NR_POINTS)];
		attr.sample_period = 1 + fuzz_roll(a, 5);
	}
	attr.exclude_kernel = !fuzz_roll(a, 8);
	attr.exclude_callchain_user = !fuzz_roll(a, 16);
	attr.exclude_callchain_kernel = !fuzz_roll(a, 16);
	attr.inherit = !fuzz_roll(a, 8);
	good = attr;
	fuzz_spoil(a, &attr, sizeof(attr), 4);
	/*
	 * A clock that only ticks, and any other event than these, would be a test of perf.
	 * The kernel is not asked to signal a thread whose stack pointer may be anywhere.
	 */
	attr.type = good.type;
	attr.config = fuzz_roll(a, 32) ? good.config : ~0ULL;
	attr.sigtrap = 0;
	if (attr.type != PERF_TYPE_TRACEPOINT && attr.sample_period)
		attr.sample_period = period;
	attr.freq = 0;
	return attr;
}

void fuzz_do_event(struct fuzz_actor *a)
{
	struct perf_event_attr attr = any_attr(a);
	struct lw_add_event add = {
		.size = sizeof(add),
		.attr = (uintptr_t)fuzz_place(a, &attr, sizeof(attr)),
		.target = fuzz_roll(a, 4) ? LW_TARGET_TASK : LW_TARGET_CPUS,
	};

	if (add.target == LW_TARGET_TASK && fuzz_roll(a, 2))
		add.pid = fuzz_roll(a, 4) ? getpid() : (int)fuzz_weird(a);
	fuzz_spoil(a, &add, sizeof(add), SPOIL);
	fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_ADD_EVENT, &add, sizeof(add), NULL);
}

/* Those whose struct has little in it. */
void fuzz_do_simple(struct fuzz_actor *a)
{
	static const unsigned int cmds[] = {
		LW_IOC_ENABLE, LW_IOC_ENABLE, LW_IOC_DISABLE, LW_IOC_STATS, LW_IOC_INFO,
	};
	unsigned int cmd = cmds[fuzz_roll(a, sizeof(cmds) / sizeof(*cmds))];
	uint32_t bytes[128] = { _IOC_SIZE(cmd) };

	fuzz_spoil(a, bytes, 8, 2 * SPOIL);
	fuzz_ioctl(a, fuzz_pick_session(a), cmd, bytes, _IOC_SIZE(cmd), NULL);
}

void fuzz_do_request(struct fuzz_actor *a)
{
	struct lw_request request = { .size = sizeof(request), .flags = fuzz_roll(a, 2) };

	fuzz_spoil(a, &request, sizeof(request), 2 * SPOIL);
	fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_REQUEST, &request, sizeof(request), NULL);
}

void fuzz_do_filter(struct fuzz_actor *a)
{
	int32_t pids[8] = { getpid(), 1, getppid(), fuzz_weird(a), getpid() };
	struct lw_filter filter = { .size = sizeof(filter), .kind = fuzz_roll(a, 3) };

	if (filter.kind == LW_FILTER_PROCESSES) {
		filter.flags = fuzz_roll(a, 4);
		filter.nr = 1 + fuzz_roll(a, fuzz_roll(a, 4) ? 2 : 8);
		filter.pids = (uintptr_t)fuzz_place(a, pids, sizeof(pids));
	} else if (filter.kind == LW_FILTER_CGROUP) {
		filter.flags = fuzz_roll(a, 2);
		filter.fd = fuzz_roll(a, 4) ? w->cgroups : fuzz_pick(a)->fd;
	}
	fuzz_spoil(a, &filter, sizeof(filter), SPOIL);
	fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_FILTER, &filter, sizeof(filter), NULL);
}

void fuzz_do_syscall(struct fuzz_actor *a)
{
	static const uint32_t numbers[] = {
		SYS_getppid, SYS_ioctl, SYS_openat, SYS_mmap, SYS_munmap, SYS_pread64, SYS_pwrite64,
		SYS_ppoll, SYS_close, SYS_madvise, LW_SYSCALL_ANY,
	};
	struct lw_syscall_arg args[LW_MAX_SYSCALL_ARGS];
	struct lw_add_syscall add = {
		.size = sizeof(add),
		.flags = 1 + fuzz_roll(a, 7),
		.nr = numbers[fuzz_roll(a, sizeof(numbers) / sizeof(*numbers))],
	};
	unsigned int i;

	for (i = 0; i < LW_MAX_SYSCALL_ARGS; i++) {
		args[i] = (struct lw_syscall_arg) {
			.arg = fuzz_roll(a, 6),
			.kind = 1 + fuzz_roll(a, 5),
			.when = 1 + fuzz_roll(a, 2),
			.max = 1 + fuzz_roll(a, fuzz_roll(a, 8) ? 256 : LW_MAX_SYSCALL_DATA),
		};
		if (args[i].kind == LW_DATA_BUFFER || args[i].kind == LW_DATA_IOVEC)
			args[i].count = fuzz_roll(a, 7) |
					(fuzz_roll(a, 4) ? 0 : fuzz_roll(a, 4) << 4);
		if (args[i].kind == LW_DATA_STRUCT) {
			args[i].size = args[i].max;
			args[i].max = 0;
		}
	}
	fuzz_spoil(a, args, sizeof(args), SPOIL);
	if (add.nr != LW_SYSCALL_ANY && fuzz_roll(a, 4)) {
		add.nr_args = 1 + fuzz_roll(a, fuzz_roll(a, 2) ? 1 : LW_MAX_SYSCALL_ARGS);
		add.args = (uintptr_t)fuzz_place(a, args, sizeof(args));
	}
	fuzz_spoil(a, &add, sizeof(add), SPOIL);
	/*
	 * The thread that brings pages tells the kernel where by an ioctl: where probes may
	 * fault, one that looked for data there would wait for that same thread, for ever.
	 */
	for (i = 0; i < LW_MAX_SYSCALL_ARGS; i++)
		if (add.nr == SYS_ioctl && (args[i].kind == LW_DATA_IOVEC ||
					    args[i].kind == LW_DATA_STRINGS))
			add.nr_args = 0;
	fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_ADD_SYSCALL, &add, sizeof(add), NULL);
}

/* Tables and sections */

static void make_rows(struct fuzz_actor *a)
{
	unsigned int i, j, nr = 1 + fuzz_roll(a, 12);
	uint32_t at = 0, row;

	table_init(&a->table);
	for (i = 0; i < nr; i++) {
		uint32_t size = 8 + fuzz_roll(a, 64);

		table_func(&a->table, at, size);
		if (!fuzz_roll(a, 8))
			table_outermost(&a->table);
		else
			for (j = row = 0; j < 1 + fuzz_roll(a, 4) && row < size; j++) {
				table_row(&a->table, row, fuzz_roll(a, 4) ? TABLE_SP : TABLE_FP,
					  8 * (1 + fuzz_roll(a, 16)),
					  fuzz_roll(a, 3) ? 0 : -8 * (1 + fuzz_roll(a, 4)));
				row += 1 + fuzz_roll(a, 16);
			}
		at += size + fuzz_roll(a, 3) * 8;
	}
	table_finish(&a->table);
}

/* Of versions 2 and 3; what is said there is checked before anything else is looked at. */
#define HEADER	28

/* Changes bytes from one place to another. */
static void mutate_bytes(struct fuzz_actor *a, size_t from, size_t to)
{
	uint8_t *bytes = a->table.bytes;
	size_t at = from + fuzz_roll(a, to - from);
	uint64_t value = fuzz_weird(a);

	switch (fuzz_roll(a, 8)) {
	case 0:
		at &= ~3UL;
		memcpy(bytes + at, &value, at + 4 <= to ? 4 : to - at);
		break;
	case 1:
		memcpy(bytes + at, &value, at + 2 <= to ? 2 : 1);
		break;
	case 2:
	case 3:
		bytes[at] = value;
		break;
	default:
		bytes[at] ^= 1 << fuzz_roll(a, 8);
	}
}

static void mutate_header(struct fuzz_actor *a)
{
	struct table *t = &a->table;
	unsigned int nr = 1 + fuzz_roll(a, 3);

	while (nr--) {
		switch (fuzz_roll(a, 4)) {
		case 0:
			t->size = 1 + fuzz_roll(a, t->size);
			break;
		case 1:
			t->size += fuzz_roll(a, 64);
			break;
		default:
			mutate_bytes(a, 0, HEADER);
		}
	}
}

/* Of functions, or of rows alone: a section whose functions are no good is refused. */
static void mutate_body(struct fuzz_actor *a)
{
	struct table *t = &a->table;
	unsigned int nr = 1 + fuzz_roll(a, fuzz_roll(a, 4) ? 2 : 24);
	uint32_t rows_at;

	/* The last field of a header. */
	memcpy(&rows_at, t->bytes + HEADER - 4, 4);
	while (nr--)
		mutate_bytes(a, HEADER + (fuzz_roll(a, 4) ? rows_at : 0), t->size);
}

static enum fuzz_mutant mutate(struct fuzz_actor *a)
{
	switch (fuzz_roll(a, 16)) {
	case 0:
		mutate_header(a);
		return FUZZ_BAD_HEADER;
	case 1 ... 3:
		return FUZZ_SOUND;
	default:
		mutate_body(a);
		return FUZZ_BAD_BODY;
	}
}

/* Errors of another kind are not about the bytes. */
static void count(struct fuzz_given *given, enum fuzz_mutant mutant, long ret)
{
	fuzz_add(&given->all[mutant], 1);
	if (!ret)
		fuzz_add(&given->taken[mutant], 1);
	else if (ret == -EINVAL || ret == -EBADMSG || ret == -EOPNOTSUPP)
		fuzz_add(&given->refused[mutant], 1);
}

/* Where the table is, mostly. */
static void *place_table(struct fuzz_actor *a)
{
	return fuzz_roll(a, 4) ? a->table.bytes :
				 fuzz_place(a, a->table.bytes, a->table.size);
}

/* One of version 2 or 3, sound or not.  Return: how much text it speaks of. */
static size_t make_table(struct fuzz_actor *a, enum fuzz_mutant *mutant)
{
	struct table *t = &a->table;
	unsigned int nr = 1 + fuzz_roll(a, fuzz_roll(a, 4) ? 8 : 48);

	if (fuzz_roll(a, 3)) {
		t->size = jit_table(t->bytes, 2 + fuzz_roll(a, 2),
				    fuzz_roll(a, 8) ? 0 : JIT_PCREL, 0, nr);
	} else {
		make_rows(a);
		nr = 64;
	}
	memset(t->bytes + t->size, 0, 4096);
	*mutant = mutate(a);
	return nr * JIT_STRIDE;
}

void fuzz_do_table(struct fuzz_actor *a)
{
	const struct fake *f = &w->files[fuzz_roll(a, FUZZ_FILES)];
	enum fuzz_mutant mutant;
	struct lw_table arg;
	struct stat st;

	if (!fuzz_pick_session(a)->ring_size)
		fuzz_do_open(a);
	make_table(a, &mutant);
	if (fstat(f->fd, &st))
		return;
	arg = (struct lw_table) {
		.size = sizeof(arg),
		.file_fd = f->fd,
		.mtime_nsec = st.st_mtim.tv_nsec,
		.mtime_sec = st.st_mtim.tv_sec,
		.file_size = st.st_size,
		.text_offset = f->offset,
		.text_size = FAKE_TEXT,
		.data = (uintptr_t)place_table(a),
		.data_size = a->table.size,
	};
	if (!fuzz_roll(a, 16))
		arg = (struct lw_table) {
			.size = sizeof(arg),
			.flags = LW_TABLE_VDSO,
			.file_fd = -1,
			.text_size = fuzz_roll(a, 2 * FUZZ_PAGE),
			.data = arg.data,
			.data_size = arg.data_size,
		};
	fuzz_spoil(a, &arg, sizeof(arg), 2 * SPOIL);
	count(&fuzz_shared->tables, mutant,
	      fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_ADD_TABLE, &arg, sizeof(arg), NULL));
}

static struct fuzz_slot *any_slot(struct fuzz_actor *a)
{
	unsigned int i, from = fuzz_roll(a, FUZZ_SLOTS);
	struct fuzz_slot *slot;

	for (i = 0; i < FUZZ_SLOTS; i++) {
		slot = &w->slots[(from + i) % FUZZ_SLOTS];
		if (slot->fd >= 0)
			return slot;
	}
	return fuzz_pick(a);
}

static int32_t any_pid(struct fuzz_actor *a)
{
	switch (fuzz_roll(a, 8)) {
	case 0:
		return getppid();
	case 1:
		return fuzz_roll(a, 400);
	case 2:
		return fuzz_weird(a);
	case 3:
		return getpid();
	}
	return 0;
}

/* For code of this process, or of another one; @section: what is to be added. */
static void do_code(struct fuzz_actor *a, const struct lw_section *section,
		    enum fuzz_mutant mutant)
{
	struct lw_code code = {
		.size = sizeof(code),
		.pid = fuzz_roll(a, 4) ? getpid() : any_pid(a),
		.addr = section->addr,
		.len = fuzz_roll(a, 4) ? section->len : 0,
		.text_start = section->text_start,
		.text_size = section->text_size,
		.memory = fuzz_roll(a, 16) ? 0 : fuzz_roll(a, 64),
	};
	long ret;

	fuzz_spoil(a, &code, sizeof(code), 2 * SPOIL);
	ret = fuzz_ioctl(a, fuzz_pick_session(a), LW_IOC_ADD_CODE, &code, sizeof(code), NULL);
	if (code.len)
		count(&fuzz_shared->sections, mutant, ret);
}

void fuzz_do_section(struct fuzz_actor *a)
{
	struct fuzz_map *range = &a->ranges[fuzz_roll(a, 4)];
	enum fuzz_mutant mutant;
	size_t size = make_table(a, &mutant);
	char *text = w->text + fuzz_roll(a, FUZZ_TEXT / 1024) * 1024;
	struct lw_section arg;
	long ret;

	if (range->len && fuzz_roll(a, 2)) {
		arg = (struct lw_section) {
			.size = sizeof(arg),
			.text_start = (uintptr_t)range->at,
			.text_size = range->len,
		};
		fuzz_spoil(a, &arg, sizeof(arg), 2 * SPOIL);
		fuzz_ioctl(a, any_slot(a), LW_IOC_REMOVE_SECTION, &arg, sizeof(arg), NULL);
		range->len = 0;
		return;
	}
	arg = (struct lw_section) {
		.size = sizeof(arg),
		.addr = (uintptr_t)place_table(a),
		.len = a->table.size,
		.text_start = (uintptr_t)text,
		.text_size = size,
		.base = fuzz_roll(a, 16) ? (uintptr_t)text : 0,
	};
	if (!fuzz_roll(a, 3)) {
		do_code(a, &arg, mutant);
		return;
	}
	fuzz_spoil(a, &arg, sizeof(arg), 2 * SPOIL);
	ret = fuzz_ioctl(a, any_slot(a), LW_IOC_ADD_SECTION, &arg, sizeof(arg), NULL);
	count(&fuzz_shared->sections, mutant, ret);
	if (!ret)
		*range = (struct fuzz_map) { text, size };
}

/* Queries */

void fuzz_do_vma(struct fuzz_actor *a)
{
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = fuzz_roll(a, 2) ? LW_VMA_COVERING_OR_NEXT : fuzz_roll(a, 64),
		.pid = any_pid(a),
		.addr = fuzz_address(a),
	};
	struct lw_vma_list list = {
		.size = sizeof(list),
		.flags = fuzz_roll(a, 2) ? 0 : fuzz_roll(a, 64),
		.pid = query.pid,
		.addr = fuzz_roll(a, 2) ? query.addr : 0,
		.buf_size = fuzz_roll(a, fuzz_roll(a, 2) ? 512 : FUZZ_ARGS),
	};

	if (fuzz_roll(a, 4)) {
		if (fuzz_roll(a, 2)) {
			query.name_size = 1 + fuzz_roll(a, fuzz_roll(a, 2) ? 64 : FUZZ_PAGE);
			query.name = (uintptr_t)fuzz_room(a, query.name_size);
		}
		if (fuzz_roll(a, 2)) {
			query.build_id_size = 1 + fuzz_roll(a, 40);
			query.build_id = (uintptr_t)fuzz_room(a, query.build_id_size);
		}
		fuzz_spoil(a, &query, sizeof(query), SPOIL);
		fuzz_ioctl(a, any_slot(a), LW_IOC_VMA_QUERY, &query, sizeof(query), NULL);
		return;
	}
	list.buf = (uintptr_t)fuzz_room(a, list.buf_size);
	fuzz_spoil(a, &list, sizeof(list), SPOIL);
	fuzz_ioctl(a, any_slot(a), LW_IOC_VMA_LIST, &list, sizeof(list), NULL);
}

void fuzz_do_tasks(struct fuzz_actor *a)
{
	struct lw_task_list list = {
		.size = sizeof(list),
		.tid = fuzz_roll(a, 2) ? 0 : fuzz_roll(a, 8) ? fuzz_roll(a, 500) : fuzz_weird(a),
		.buf_size = fuzz_roll(a, fuzz_roll(a, 2) ? 512 : FUZZ_PAGE),
	};

	list.buf = (uintptr_t)fuzz_room(a, list.buf_size);
	fuzz_spoil(a, &list, sizeof(list), SPOIL);
	fuzz_ioctl(a, any_slot(a), LW_IOC_TASK_LIST, &list, sizeof(list), NULL);
}

void fuzz_do_next_file(struct fuzz_actor *a)
{
	const struct fuzz_slot *slot = fuzz_pick_session(a);
	struct lw_missing_file file = { .size = sizeof(file) }, told;
	struct lw_file_done done = { .size = sizeof(done), .number = fuzz_weird(a) };

	fuzz_spoil(a, &file, sizeof(file), 2 * SPOIL);
	if (!fuzz_ioctl(a, slot, LW_IOC_NEXT_FILE, &file, sizeof(file), &told))
		done.number = told.number;
	else if (fuzz_roll(a, 2))
		done.number = fuzz_roll(a, 4);
	fuzz_spoil(a, &done, sizeof(done), 2 * SPOIL);
	fuzz_ioctl(a, slot, LW_IOC_FILE_DONE, &done, sizeof(done), NULL);
}

/* What is no ioctl, and one with a struct of anything. */
void fuzz_do_raw(struct fuzz_actor *a)
{
	static const unsigned int cmds[] = {
		LW_IOC_INFO, LW_IOC_SETUP, LW_IOC_ENABLE, LW_IOC_DISABLE, LW_IOC_REQUEST,
		LW_IOC_STATS, LW_IOC_FILTER, LW_IOC_ADD_SYSCALL, LW_IOC_ADD_TABLE,
		LW_IOC_ADD_SECTION, LW_IOC_REMOVE_SECTION, LW_IOC_VMA_QUERY, LW_IOC_VMA_LIST,
		LW_IOC_TASK_LIST, LW_IOC_NEXT_FILE, LW_IOC_FILE_DONE, LW_IOC_ADD_CODE,
	};
	unsigned int i, cmd = cmds[fuzz_roll(a, sizeof(cmds) / sizeof(*cmds))];
	uint32_t bytes[32];

	for (i = 0; i < 32; i++)
		bytes[i] = fuzz_roll(a, 2) ? 0 : fuzz_weird(a);
	if (!fuzz_roll(a, 4))
		cmd = _IOC(fuzz_roll(a, 4), LW_IOC_MAGIC, 18 + fuzz_roll(a, 14), _IOC_SIZE(cmd));
	if (fuzz_roll(a, 2))
		bytes[0] = _IOC_SIZE(cmd);
	fuzz_ioctl(a, any_slot(a), cmd, bytes, sizeof(bytes), NULL);
}

void fuzz_do_poll(struct fuzz_actor *a)
{
	static const short errors[] = { EINTR, ENOMEM, EFAULT, 0 };
	struct timespec now = { 0 };
	struct pollfd fds[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		fds[i] = (struct pollfd) { .fd = any_slot(a)->fd, .events = fuzz_roll(a, 0x4000) };
	fuzz_call(a, "ppoll", errors, SYS_ppoll, (long)fuzz_place(a, fds, sizeof(fds)),
		  1 + fuzz_roll(a, 3), (long)&now, 0, 8, 0);
}

/* What a device has no use for. */
void fuzz_do_file_call(struct fuzz_actor *a)
{
	static const short errors[] = {
		EBADF, EINVAL, ESPIPE, EIO, EFAULT, ENOTTY, EOPNOTSUPP, EPERM, ENODEV, EACCES, 0
	};
	static const short numbers[] = {
		SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_fsync, SYS_ftruncate,
		SYS_readv, SYS_writev, SYS_readahead, SYS_fallocate, SYS_sync_file_range,
	};
	long nr = numbers[fuzz_roll(a, sizeof(numbers) / sizeof(*numbers))];

	fuzz_call(a, "a call of files", errors, nr, any_slot(a)->fd, (long)fuzz_room(a, 64),
		  fuzz_roll(a, 64), fuzz_weird(a), 0, 0);
}

/* Of what was asked for, each is delivered, lost and counted, or still to come. */
static bool is_balanced(int fd)
{
	struct lw_stats stats = lwt_stats(fd);

	return stats.requests - stats.shared == stats.user_stacks + stats.lost_stacks +
	       stats.pending;
}

bool fuzz_balanced(int fd)
{
	lwt_disable(fd);
	return lwt_wait(is_balanced(fd));
}
