// SPDX-License-Identifier: GPL-2.0
/*
 * deferred_test.c - the kernel's own deferred unwinder beside ours: perf asks
 * for PERF_RECORD_CALLCHAIN_DEFERRED of the same task, by the same events, and
 * each gets its own, whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "kselftest_harness.h"

#define PAGE		lwt_page()
#define PERF_RING	(64 * PAGE)
#define CALLS		100

/* <linux/perf_event.h> may be older than the kernel. */
#define RECORD_DEFERRED	22
/* attr.defer_callchain and attr.defer_output, bits 38 and 39 of the word behind read_format. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define DEFER		(3ULL << (63 - 39))
#else
#define DEFER		(3ULL << 38)
#endif

static void set_defer(struct perf_event_attr *attr)
{
	char *at = (char *)&attr->read_format + sizeof(attr->read_format);
	uint64_t bits;

	memcpy(&bits, at, sizeof(bits));
	bits |= DEFER;
	memcpy(at, &bits, sizeof(bits));
}

/* One record of perf's. */
union perf_record {
	struct perf_event_header header;
	struct {
		struct perf_event_header header;
		uint64_t cookie;
		uint64_t nr;
		uint64_t ips[];
	} deferred;
	char bytes[1 << 16];
};

/* perf's session of one task. */
struct deferred {
	int fd;
	struct perf_event_mmap_page *ring;
	unsigned int samples;
	unsigned int deferred;		/* records */
	unsigned int whole;		/* of them, with cookie and frames */
	unsigned int lost;
};

static int deferred_open(struct deferred *d, struct perf_event_attr attr,
			 pid_t pid)
{
	memset(d, 0, sizeof(*d));
	set_defer(&attr);
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.disabled = 1;
	d->fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1,
			PERF_FLAG_FD_CLOEXEC);
	if (d->fd < 0)
		return -errno;
	d->ring = mmap(NULL, PAGE + PERF_RING, PROT_READ | PROT_WRITE,
		       MAP_SHARED, d->fd, 0);
	if (d->ring == MAP_FAILED)
		return -errno;
	return ioctl(d->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static void deferred_count(struct deferred *d, const union perf_record *record)
{
	switch (record->header.type) {
	case PERF_RECORD_SAMPLE:
		d->samples++;
		break;
	case PERF_RECORD_LOST:
		d->lost++;
		break;
	case RECORD_DEFERRED:
		d->deferred++;
		d->whole += record->deferred.cookie && record->deferred.nr;
		break;
	}
}

/* Copies each record, as one may go around the end. */
static void deferred_read(struct deferred *d)
{
	const char *data = (const char *)d->ring + PAGE;
	uint64_t tail = d->ring->data_tail;
	uint64_t head = __atomic_load_n(&d->ring->data_head, __ATOMIC_ACQUIRE);
	static union perf_record record;
	unsigned int i, len;

	while (tail < head) {
		/* A header does not go around. */
		memcpy(&record, data + tail % PERF_RING, sizeof(record.header));
		len = record.header.size;
		for (i = 0; i < len; i++)
			record.bytes[i] = data[(tail + i) % PERF_RING];
		deferred_count(d, &record);
		tail += len;
	}
	__atomic_store_n(&d->ring->data_tail, tail, __ATOMIC_RELEASE);
}

static void deferred_close(struct deferred *d)
{
	if (d->ring && d->ring != MAP_FAILED)
		munmap(d->ring, PAGE + PERF_RING);
	if (d->fd > 0)
		close(d->fd);
}

FIXTURE(deferred)
{
	struct child c;
	struct deferred d;
};

FIXTURE_SETUP(deferred)
{
	ASSERT_EQ(0, child_init(&self->c));
}

FIXTURE_TEARDOWN(deferred)
{
	deferred_close(&self->d);
	child_free(&self->c);
}

/* For each call, so that all come from the same place. */
static int call_often(struct child *c)
{
	int i;

	c->known->nr = SYS_getppid;
	for (i = 0; i < CALLS; i++)
		child_call(c);
	return 0;
}

static KEEP long burn(struct chain *chain)
{
	unsigned int i;

	chain_note(chain);
	for (i = 0; i < 200000; i++)
		asm volatile("" : : : "memory");
	return 0;
}

/* Until it is killed. */
static int burn_on(struct child *c)
{
	for (;;)
		chain_run(&c->known->chain, "abcde", burn, c->known);
	return 0;
}

/* Of all our stacks: those that are not the chain's, from frame @from on. */
static unsigned int others(struct child *c, unsigned int from)
{
	const struct call *call = &c->known->call;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < c->log.nr; i++) {
		const struct lwt_stack *stack = c->log.records[i].stack;

		if (stack->record.type == LW_RECORD_USER_STACK)
			nr += stack->nr < call->nr ||
			      memcmp(stack->frames + from, call->expect + from,
				     (call->nr - from) * sizeof(uint64_t));
	}
	return nr;
}

#define START(self, attr)						\
do {									\
	int lwt_ret = deferred_open(&(self)->d, attr, (self)->c.pid);	\
									\
	if (lwt_ret == -EINVAL || lwt_ret == -E2BIG)			\
		SKIP(return,						\
		     "this kernel's perf has no deferred call chains");	\
	ASSERT_EQ(0, lwt_ret);						\
} while (0)

/* A stack each for every call, of both. */
TEST_F(deferred, shares_each_call)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_getppid");
	struct child *c = &self->c;

	child_make(c, call_often);
	START(self, attr);
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_getppid"));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_END(0, c);
	EXPECT_EQ(CALLS, lwt_count_stacks(&c->log, NULL));
	EXPECT_EQ(0, others(c, 0));
	deferred_read(&self->d);
	EXPECT_EQ(0, self->d.lost);
	EXPECT_EQ(CALLS, self->d.samples);
	EXPECT_EQ(CALLS, self->d.deferred);
	EXPECT_EQ(CALLS, self->d.whole);
}

/* Return: has each of the two so many stacks with the chain of burn_on(). */
static bool both_have(FIXTURE_DATA(deferred) *self, unsigned int nr)
{
	struct child *c = &self->c;
	struct deferred *d = &self->d;

	if (lwt_read(&c->s, &c->log) < 0)
		return false;
	deferred_read(d);
	return d->samples >= nr && d->deferred >= nr && d->whole >= nr &&
	       lwt_stats(c->s.fd).frames_sframe / 9 >= nr;
}

/* Interrupts of both, in any order, in user and kernel mode. */
TEST_F_TIMEOUT(deferred, shares_the_clock, 90)
{
	struct perf_event_attr attr = lwt_attr_cpu_clock(1000000);
	struct child *c = &self->c;

	child_make(c, burn_on);
	START(self, attr);
	ASSERT_EQ(0, child_add(c, attr));
	ASSERT_EQ(0, lwt_enable(c->s.fd));
	ASSERT_EQ(0, child_begin(c));
	/* Either may get all the ticks for a while. */
	EXPECT_TRUE(lwt_wait(both_have(self, 100)));
	ASSERT_EQ(0, lwt_disable(c->s.fd));
	ASSERT_EQ(0, kill(c->pid, SIGKILL));
	EXPECT_END(SIGKILL, c);
}

/* perf's event is gone before the kernel would answer it. */
TEST_F(deferred, is_answered_at_exit_for_its_own)
{
	struct perf_event_attr attr =
		lwt_attr_tracepoint("syscalls/sys_enter_exit_group");
	struct child *c = &self->c;

	child_make(c, child_call);
	c->known->nr = SYS_exit_group;
	c->known->a = 3;
	START(self, attr);
	ASSERT_EQ(0, child_trace(c, "syscalls/sys_enter_exit_group"));
	ASSERT_EQ(0, child_begin(c));
	EXPECT_END(3 << 8, c);
	EXPECT_EQ(1, lwt_count_stacks(&c->log, NULL));
	EXPECT_EQ(!lwt_walks_at_exit(c->s.fd), child_count_ends(c, LW_END_EXITED));
	deferred_read(&self->d);
	EXPECT_EQ(1, self->d.samples);
}

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
