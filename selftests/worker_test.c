// SPDX-License-Identifier: GPL-2.0
/*
 * worker_test.c - io_uring's threads have a process's memory and never return to
 * user space: they are refused, and so are kernel threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/child.h"
#include "kselftest_harness.h"

FIXTURE(worker)
{
	struct child c;
};

FIXTURE_VARIANT(worker)
{
	unsigned int setup;		/* IORING_SETUP_* */
	unsigned int sqe;		/* IOSQE_* */
};

/* Done by a worker from the start. */
FIXTURE_VARIANT_ADD(worker, async)
{
	.sqe = IOSQE_ASYNC,
};

/* Taken from the queue by a thread of the kernel's. */
FIXTURE_VARIANT_ADD(worker, sqpoll)
{
	.setup = IORING_SETUP_SQPOLL,
};

static unsigned int setup_flags, sqe_flags;

FIXTURE_SETUP(worker)
{
	ASSERT_EQ(0, child_init(&self->c));
	setup_flags = variant->setup;
	sqe_flags = variant->sqe;
}

FIXTURE_TEARDOWN(worker)
{
	child_free(&self->c);
}

/* A ring as mapped. */
struct uring {
	int fd;
	struct io_uring_params params;
	char *sq;
	char *cq;
	struct io_uring_sqe *sqes;
};

static int uring_open(struct uring *ring)
{
	struct io_uring_params *p = &ring->params;

	memset(ring, 0, sizeof(*ring));
	p->flags = setup_flags;
	p->sq_thread_idle = 100;
	ring->fd = syscall(SYS_io_uring_setup, 4, p);
	if (ring->fd < 0)
		return -errno;
	ring->sq = mmap(NULL, p->sq_off.array + p->sq_entries * 4,
			PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			IORING_OFF_SQ_RING);
	ring->cq = mmap(NULL, p->cq_off.cqes + p->cq_entries *
			sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
			MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->sqes = mmap(NULL, p->sq_entries * sizeof(*ring->sqes),
			  PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			  IORING_OFF_SQES);
	return ring->sq == MAP_FAILED || ring->cq == MAP_FAILED ||
	       ring->sqes == MAP_FAILED ? -errno : 0;
}

/* Return: bytes read, or -errno. */
static int uring_read(struct uring *ring, int fd, char *byte)
{
	const struct io_uring_params *p = &ring->params;
	struct io_uring_cqe *cqe = (void *)(ring->cq + p->cq_off.cqes);

	ring->sqes[0] = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.flags = sqe_flags,
		.fd = fd,
		.addr = (uintptr_t)byte,
		.len = 1,
	};
	*(uint32_t *)(ring->sq + p->sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(ring->sq + p->sq_off.tail), 1,
			 __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1,
		    IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP, NULL, 0) < 0)
		return -errno;
	return cqe->res;
}

/* Exits with 77 if there is no io_uring. */
static int read_by_ring(struct child *c)
{
	struct uring ring;
	char byte;
	int ret;

	ret = uring_open(&ring);
	if (ret)
		return ret == -ENOSYS || ret == -EPERM ? 77 : 1;
	return uring_read(&ring, c->unblock[0], &byte) == 1 ? 0 : 2;
}

/*
 * Samples of threads of @pid but itself that are told to be workers, and how many
 * were not refused.  Linux 6.1 does not call a worker one any more when it
 * exits.
 */
static unsigned int of_workers(const struct lwt_log *log, pid_t pid,
			       unsigned int *asked)
{
	unsigned int nr = 0;
	size_t i;

	*asked = 0;
	for (i = 0; i < log->nr; i++) {
		const struct lw_sample *sample = log->records[i].sample;

		if (sample->record.type != LW_RECORD_SAMPLE ||
		    (pid_t)sample->pid != pid || (pid_t)sample->tid == pid)
			continue;
		nr += sample->user == LW_USER_KTHREAD;
		*asked += sample->cookie.counter ||
			  (sample->user != LW_USER_KTHREAD &&
			   sample->user != LW_USER_EXITING);
	}
	return nr;
}

/* Samples of threads of @pid but itself that this event made. */
static unsigned int of_event(const struct lwt_log *log, pid_t pid, uint64_t id)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++) {
		const struct lw_sample *sample = log->records[i].sample;

		nr += sample->record.type == LW_RECORD_SAMPLE && sample->id == id &&
		      (pid_t)sample->pid == pid && (pid_t)sample->tid != pid;
	}
	return nr;
}

static unsigned int with_user(const struct lwt_log *log, uint32_t user)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++) {
		const struct lw_sample *sample = log->records[i].sample;

		nr += sample->record.type == LW_RECORD_SAMPLE &&
		      sample->user == user;
	}
	return nr;
}

/* Processes made until one was woken by its worker. */
#define MAX_TRIES	200

/*
 * Each time that a thread goes to sleep, and that it wakes another.
 *
 * Return: how often a worker has woken one; -1 if there is no io_uring.
 */
static int run_worker(struct __test_metadata *_metadata, struct child *c)
{
	struct perf_event_attr sleeps = lwt_attr_tracepoint("sched/sched_switch");
	struct perf_event_attr wakes = lwt_attr_tracepoint("sched/sched_waking");
	unsigned int workers, asked;
	uint64_t waking;
	pid_t pid;
	int status;

	child_make(c, read_by_ring);
	pid = c->pid;
	ASSERT_EQ(0, lwt_leave_out_ancestors(c->s.fd));
	ASSERT_EQ(0, lwt_add_event(c->s.fd, &sleeps, LW_TARGET_CPUS, 0, NULL));
	ASSERT_EQ(0, lwt_add_event(c->s.fd, &wakes, LW_TARGET_CPUS, 0, &waking));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, child_begin(c));
	/* Kernel threads have their turn too.  The child must be asleep, or nobody wakes it. */
	EXPECT_TRUE(lwt_wait(child_is(c, "Z") ||
			     (lwt_read(&c->s, &c->log) >= 0 && child_is(c, CHILD_ASLEEP) &&
			      (workers = of_workers(&c->log, pid, &asked)) &&
			      workers < with_user(&c->log, LW_USER_KTHREAD))));
	ASSERT_EQ(0, child_unblock(c));
	status = child_reap(c);
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	if (status == 77 << 8)
		return -1;
	EXPECT_EQ(0, status);
	ASSERT_TRUE(child_settle(c));
	EXPECT_BALANCE(c);
	workers = of_workers(&c->log, pid, &asked);
	EXPECT_LE(1, workers);
	EXPECT_EQ(0, asked);
	EXPECT_LT(workers, with_user(&c->log, LW_USER_KTHREAD));
	EXPECT_EQ(with_user(&c->log, LW_USER_KTHREAD) +
		  with_user(&c->log, LW_USER_EXITING),
		  lwt_stats(c->s.fd).refused_task);
	return of_event(&c->log, pid, waking);
}

/*
 * As the last thing that it does, a worker wakes the process that ends: if that waits for it
 * already, which is up to the machine.
 */
TEST_F(worker, is_refused)
{
	int woken = 0;
	int i;

	for (i = 0; i < MAX_TRIES && !woken; i++) {
		if (i) {
			child_free(&self->c);
			ASSERT_EQ(0, child_init(&self->c));
		}
		woken = run_worker(_metadata, &self->c);
	}
	if (woken < 0)
		SKIP(return, "this kernel has no io_uring, or not for us");
	EXPECT_LE(1, woken);
	TH_LOG("process %d was woken by its worker", i);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
