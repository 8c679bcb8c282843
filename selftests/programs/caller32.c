// SPDX-License-Identifier: GPL-2.0
/*
 * caller32.c - a 32-bit program on the same ABI, without any libc.  See stack32.c for
 * its stacks.
 *
 * Exits with the number of the check that failed, 0 if none did.
 */
#include <call32.h>
#include <linux/stat.h>

#define RING	65536

static int check_stack(const struct lw_ring_producer *ring,
		       const struct lw_cookie *cookie)
{
	const struct lw_user_stack *stack;

	CHECK(20, ring->data_size == RING);
	/* Behind a page, of any size. */
	CHECK(20, ring->data_offset >= 4096 && !(ring->data_offset & (ring->data_offset - 1)));
	CHECK(21, ring->pos >= sizeof(*stack));
	stack = (void *)((char *)ring + ring->data_offset);
	CHECK(22, stack->record.type == LW_RECORD_USER_STACK);
	CHECK(23, stack->cookie.counter == cookie->counter);
	CHECK(24, stack->end);
	CHECK(25, stack->nr && stack->nr_runs && !stack->runs[0].high);
	return 0;
}

#if defined(__arm__)
/* The kernel's ABI: aarch64's, and where it always has the return address. */
#define ABI	2
#define FIXED_RA	0
#elif defined(__s390__)
#define ABI	4
#define FIXED_RA	0
#else
#define ABI	3
#define FIXED_RA	0xf8
#endif
/* The CFA at a function's first instruction: from the stack pointer, as the ABI has it. */
#if defined(__s390__)
#define CFA	1
#else
#define CFA	8
#endif

/* A table for this program: one function, one row. */
static int add_table(long session)
{
	static const struct {
		__u16 magic;
		__u8 version, flags, abi, fixed_fp, fixed_ra, more;
		__u32 functions, rows, row_bytes, function_off, row_off;
		__u32 start, size, first_row, nr_rows;
		__u32 info;
		__u8 row[3];
	} __attribute__((packed)) bytes = {
		.magic = 0xdee2, .version = 2, .flags = 1, .abi = ABI, .fixed_ra = FIXED_RA,
		.functions = 1, .rows = 1, .row_bytes = sizeof(bytes.row), .row_off = 20,
		.size = 16, .nr_rows = 1,
		.row = { 0, 3, CFA },
	};
	struct statx st;
	struct lw_table table = {
		.size = sizeof(table),
		.file_fd = call(__NR_open, (long)"/proc/self/exe", O_RDONLY, 0),
		.text_size = 16,
		.data = (unsigned long)&bytes,
		.data_size = sizeof(bytes),
	};
	struct lw_section section = {
		.size = sizeof(section),
		.addr = (unsigned long)&bytes,
		.len = sizeof(bytes),
		.text_start = (unsigned long)add_table,
		.text_size = 16,
	};
	struct lw_stats stats = { .size = sizeof(stats) };

	CHECK(30, table.file_fd >= 0);
	CHECK(31, !call5(__NR_statx, table.file_fd, (long)"", AT_EMPTY_PATH, STATX_BASIC_STATS,
			 (long)&st));
	table.mtime_sec = st.stx_mtime.tv_sec;
	table.mtime_nsec = st.stx_mtime.tv_nsec;
	table.file_size = st.stx_size;
	CHECK(32, !call(__NR_ioctl, session, LW_IOC_ADD_TABLE, (long)&table));
	CHECK(33, !call(__NR_ioctl, session, LW_IOC_STATS, (long)&stats));
	CHECK(34, stats.tables == 1);
	table.mtime_nsec ^= 1;
	CHECK(35, call(__NR_ioctl, session, LW_IOC_ADD_TABLE, (long)&table) == -116);
	/* A vDSO of 32 bits is not one that stacks lead through. */
	table = (struct lw_table) {
		.size = sizeof(table),
		.flags = LW_TABLE_VDSO,
		.file_fd = -1,
		.text_size = 16,
		.data = (unsigned long)&bytes,
		.data_size = sizeof(bytes),
	};
	CHECK(36, call(__NR_ioctl, session, LW_IOC_ADD_TABLE, (long)&table) == -2);
	/* Stacks of 32-bit code go by no section. */
	CHECK(37, call(__NR_ioctl, session, LW_IOC_ADD_SECTION, (long)&section) == -95);
	return 0;
}

/* Where this is, told to a 32-bit caller. */
static int query_vma(long session)
{
	static char name[4096];
	__u8 build_id[LW_BUILD_ID_MAX];
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = LW_VMA_EXECUTABLE,
		.addr = (unsigned long)query_vma,
		.name = (unsigned long)name,
		.name_size = sizeof(name),
		.build_id = (unsigned long)build_id,
		.build_id_size = sizeof(build_id),
	};

	CHECK(40, !call(__NR_ioctl, session, LW_IOC_VMA_QUERY, (long)&query));
	CHECK(41, query.start <= query.addr && query.end > query.addr);
	CHECK(42, query.vma_flags == (LW_VMA_READABLE | LW_VMA_EXECUTABLE));
	CHECK(43, query.name_size > 9 && name[0] == '/' && name[query.name_size - 2] == '2' &&
	      !name[query.name_size - 1]);
	CHECK(44, query.inode && query.build_id_size <= LW_BUILD_ID_MAX);
	query.addr = 1ULL << 32;
	query.build_id_size = 0;
	query.build_id = 0;
	query.name_size = sizeof(name);
	CHECK(45, call(__NR_ioctl, session, LW_IOC_VMA_QUERY, (long)&query) == -2);
	return 0;
}

static int run(void)
{
	struct lw_info info = { .size = sizeof(info) };
	struct lw_setup setup = { .size = sizeof(setup), .ring_size = RING };
	struct lw_request request = { .size = sizeof(request) };
	struct lw_stats stats = { .size = sizeof(stats) };
	struct lw_ring_producer *ring;
	__u32 cpu0 = 1;
	long fd;

	CHECK(1, !call(__NR_sched_setaffinity, 0, sizeof(cpu0), (long)&cpu0));
	fd = call(__NR_open, (long)LW_DEVICE_PATH, O_RDWR, 0);
	CHECK(2, fd >= 0);
	CHECK(3, !call(__NR_ioctl, fd, LW_IOC_INFO, (long)&info));
	CHECK(4, info.abi_version == LW_ABI_VERSION);
	CHECK(5, !call(__NR_ioctl, fd, LW_IOC_SETUP, (long)&setup));
	CHECK(6, map(fd, 4096, PROT_READ | PROT_WRITE, LW_MMAP_CONSUMER(0)));
	CHECK(7, map(fd, 4096 + RING, PROT_READ, LW_MMAP_PRODUCER(1)));
	ring = map(fd, 4096 + RING, PROT_READ, LW_MMAP_PRODUCER(0));
	CHECK(8, ring);
	CHECK(9, !call(__NR_ioctl, fd, LW_IOC_REQUEST, (long)&request));
	CHECK(10, request.cookie.counter);
	CHECK(11, !call(__NR_ioctl, fd, LW_IOC_STATS, (long)&stats));
	CHECK(12, stats.requests == 1 && stats.user_stacks == 1);
	return check_stack(ring, &request.cookie) ?: add_table(fd) ?: query_vma(fd);
}

void _start(void)
{
	call(__NR_exit, run(), 0, 0);
	for (;;)
		;
}
