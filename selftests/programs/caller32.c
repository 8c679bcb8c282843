// SPDX-License-Identifier: GPL-2.0
/*
 * caller32.c - a 32-bit program on the same ABI, without any libc.
 *
 * Exits with the number of the check that failed, 0 if none did.
 */
#include <asm/unistd_32.h>
#include <linux/fcntl.h>
#include <latewind.h>

#define RING	65536
#define PROT_READ	1
#define PROT_WRITE	2
#define MAP_SHARED	1

/* %ebx and %ebp are arguments too. */
static long call(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

static void *map(int fd, unsigned long len, int prot, __u64 offset)
{
	struct {
		__u32 nr;
		__u32 addr;
		__u32 len;
		__u32 prot;
		__u32 flags;
		__u32 fd;
		__u32 page;
	} a = { __NR_mmap2, 0, len, prot, MAP_SHARED, fd, offset >> 12 };
	long ret;

	/* Six arguments: the sixth in %ebp. */
	asm volatile("push %%ebx\n\t"
		     "push %%ebp\n\t"
		     "mov (%%eax), %%edx\n\t"
		     "push %%edx\n\t"
		     "mov 4(%%eax), %%ebx\n\t"
		     "mov 8(%%eax), %%ecx\n\t"
		     "mov 12(%%eax), %%edx\n\t"
		     "mov 16(%%eax), %%esi\n\t"
		     "mov 20(%%eax), %%edi\n\t"
		     "mov 24(%%eax), %%ebp\n\t"
		     "pop %%eax\n\t"
		     "int $0x80\n\t"
		     "pop %%ebp\n\t"
		     "pop %%ebx"
		     : "=a"(ret) : "0"(&a)
		     : "ecx", "edx", "esi", "edi", "memory");
	return (unsigned long)ret > -4096UL ? (void *)0 : (void *)ret;
}

#define CHECK(nr, cond) do { if (!(cond)) return nr; } while (0)

static int check_stack(const struct lw_ring_producer *ring,
		       const struct lw_cookie *cookie)
{
	const struct lw_user_stack *stack;

	CHECK(20, ring->data_size == RING && ring->data_offset == 4096);
	CHECK(21, ring->pos >= sizeof(*stack));
	stack = (void *)((char *)ring + ring->data_offset);
	CHECK(22, stack->record.type == LW_RECORD_USER_STACK);
	CHECK(23, stack->cookie.counter == cookie->counter);
	CHECK(24, stack->end == LW_END_COMPAT);
	CHECK(25, stack->nr == 1 && stack->frames[0] < 1ULL << 32);
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
	return check_stack(ring, &request.cookie);
}

void _start(void)
{
	call(__NR_exit, run(), 0, 0);
	for (;;)
		;
}
