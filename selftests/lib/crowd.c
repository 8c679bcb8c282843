// SPDX-License-Identifier: GPL-2.0
/*
 * crowd.c - see crowd.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/crowd.h"

/* Zeros above the stack pointer: there the walk ends. */
#define STACK	256
#define FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |	\
		 CLONE_THREAD | CLONE_SYSVSEM)

static int write_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Lets the kernel have that many threads. */
int crowd_prepare(void)
{
	return write_sysctl("/proc/sys/kernel/pid_max", "200000") ?:
	       write_sysctl("/proc/sys/kernel/threads-max", "200000");
}

/* In registers from clone() to exit(): the thread has no stack to speak of. */
static KEEP long start_one(void *stack, long fd, struct lwm_wait *wait,
			   long *ret)
{
#if defined(__x86_64__)
	register long r12 asm("r12") = fd;
	register struct lwm_wait *r13 asm("r13") = wait;
	register long *r14 asm("r14") = ret;
	register long r10 asm("r10") = 0;
	register long r8 asm("r8") = 0;
	long tid;

	asm volatile("syscall\n\t"
		     "test %%rax, %%rax\n\t"
		     "jnz 1f\n\t"
		     "mov %[ioctl], %%eax\n\t"
		     "mov %%r12, %%rdi\n\t"
		     "mov %[wait], %%rsi\n\t"
		     "mov %%r13, %%rdx\n\t"
		     "syscall\n\t"
		     "mov %%rax, (%%r14)\n\t"
		     "mov %[exit], %%eax\n\t"
		     "xor %%edi, %%edi\n\t"
		     "syscall\n"
		     "1:"
		     : "=a"(tid)
		     : "a"(SYS_clone), "D"((long)FLAGS), "S"(stack), "d"(0L),
		       "r"(r10), "r"(r8), "r"(r12), "r"(r13), "r"(r14),
		       [ioctl] "i"(SYS_ioctl), [exit] "i"(SYS_exit),
		       [wait] "i"((long)LWM_IOC_WAIT)
		     : "rcx", "r11", "memory");
	return tid;
#elif defined(__aarch64__)
	register long x20 asm("x20") = fd;
	register struct lwm_wait *x21 asm("x21") = wait;
	register long *x22 asm("x22") = ret;
	register long x8 asm("x8") = SYS_clone;
	register long x0 asm("x0") = FLAGS, x1 asm("x1") = (long)stack;
	register long x2 asm("x2") = 0, x3 asm("x3") = 0, x4 asm("x4") = 0;

	asm volatile("svc #0\n\t"
		     "cbnz x0, 1f\n\t"
		     "mov x8, %[ioctl]\n\t"
		     "mov x0, x20\n\t"
		     "ldr w1, =%c[wait]\n\t"
		     "mov x2, x21\n\t"
		     "svc #0\n\t"
		     "str x0, [x22]\n\t"
		     "mov x8, %[exit]\n\t"
		     "mov x0, #0\n\t"
		     "svc #0\n"
		     "1:"
		     : "+r"(x0)
		     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x20), "r"(x21), "r"(x22),
		       [ioctl] "i"(SYS_ioctl), [exit] "i"(SYS_exit), [wait] "i"(LWM_IOC_WAIT)
		     : "memory");
	return x0;
#elif defined(__s390x__)
	register long r7 asm("7") = fd;
	register struct lwm_wait *r8 asm("8") = wait;
	register long *r9 asm("9") = ret;
	register long r1 asm("1") = SYS_clone;
	register long r2 asm("2") = (long)stack, r3 asm("3") = FLAGS;

	asm volatile("svc 0\n\t"
		     "ltgr %%r2, %%r2\n\t"
		     "jnz 1f\n\t"
		     "lgr %%r2, %%r7\n\t"
		     "lgfi %%r3, %[wait]\n\t"
		     "lgr %%r4, %%r8\n\t"
		     "svc %[ioctl]\n\t"
		     "stg %%r2, 0(%%r9)\n\t"
		     "lghi %%r2, 0\n\t"
		     "svc %[exit]\n"
		     "1:"
		     : "+r"(r2), "+r"(r3)
		     : "r"(r1), "r"(r7), "r"(r8), "r"(r9), [ioctl] "i"(SYS_ioctl),
		       [exit] "i"(SYS_exit), [wait] "i"((int)LWM_IOC_WAIT)
		     : "r4", "r5", "r6", "cc", "memory");
	return r2;
#endif
}

static void *zeros(size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/*
 * Each asks for all of @tracers.  Return: 0, -errno; crowd->nr says how many
 * there are.
 */
int crowd_start(struct crowd *crowd, int fd, unsigned int nr, uint64_t tracers)
{
	long tid;

	memset(crowd, 0, sizeof(*crowd));
	crowd->waits = zeros(nr * sizeof(*crowd->waits));
	crowd->rets = zeros(nr * sizeof(*crowd->rets));
	crowd->stacks = zeros((size_t)nr * STACK);
	if (!crowd->waits || !crowd->rets || !crowd->stacks)
		return -ENOMEM;
	while (crowd->nr < nr) {
		crowd->waits[crowd->nr].tracers = tracers;
		crowd->rets[crowd->nr] = CROWD_RUNNING;
		tid = start_one(crowd->stacks + (size_t)crowd->nr * STACK + 64,
				fd, &crowd->waits[crowd->nr],
				&crowd->rets[crowd->nr]);
		if (tid < 0)
			return tid;
		crowd->nr++;
	}
	return 0;
}

/* Those whose call has not returned. */
unsigned int crowd_running(const struct crowd *crowd)
{
	unsigned int i, n = 0;

	for (i = 0; i < crowd->nr; i++)
		n += __atomic_load_n(&crowd->rets[i], __ATOMIC_ACQUIRE) ==
		     CROWD_RUNNING;
	return n;
}

/* When none is left. */
void crowd_free(struct crowd *crowd)
{
	if (crowd->waits)
		munmap(crowd->waits, crowd->nr * sizeof(*crowd->waits));
	if (crowd->rets)
		munmap(crowd->rets, crowd->nr * sizeof(*crowd->rets));
	if (crowd->stacks)
		munmap(crowd->stacks, (size_t)crowd->nr * STACK);
	memset(crowd, 0, sizeof(*crowd));
}
