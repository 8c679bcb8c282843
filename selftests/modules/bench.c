// SPDX-License-Identifier: GPL-2.0
/*
 * bench.c - lw_bench.ko: /dev/lw_bench, for make bench-ring.  Writes records to
 * rings of module/ring/ring.c, and runs BPF programs that write to other rings, each
 * in the same loop.
 *
 * latewind.ko exports no ring, so this has one of its own, of the same source
 * and compiled apart from its callers likewise.
 */
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/uaccess.h>

#include "lw_bench.h"
#include "ring.h"

#define RECORD_BENCH	0x100

/**
 * struct bench - an open file
 * @waiters: nobody ever waits
 * @rings: by CPU; in discard mode, in overwrite mode
 */
struct bench {
	struct lw_ring_waiters waiters;
	struct lw_ring *rings[2];
};

static u8 payload[LWB_PAYLOAD_MAX];
static const struct pt_regs no_regs;

/* Each returns 1 if there was no room. */
static noinline u32 write_nothing(struct lw_ring *ring, u32 len)
{
	return 0;
}

static noinline u32 write_reserve(struct lw_ring *ring, u32 len)
{
	enum lw_ring_drop why;
	void *record;

	record = lw_ring_reserve(ring, sizeof(struct lw_record) + len,
				 RECORD_BENCH, 0, &why);
	if (!record)
		return 1;
	lw_ring_commit(ring, record);
	return 0;
}

static noinline u32 write_record(struct lw_ring *ring, u32 len)
{
	enum lw_ring_drop why;
	void *record;

	record = lw_ring_reserve(ring, sizeof(struct lw_record) + len,
				 RECORD_BENCH, 0, &why);
	if (!record)
		return 1;
	memcpy(record + sizeof(struct lw_record), payload, len);
	lw_ring_commit(ring, record);
	return 0;
}

static noinline u32 write_copy(struct lw_ring *ring, u32 len)
{
	memcpy(ring->data, payload, len);
	return 0;
}

static u32 (*const writers[LWB_PROGRAM])(struct lw_ring *ring, u32 len) = {
	[LWB_NOTHING] = write_nothing,
	[LWB_RESERVE] = write_reserve,
	[LWB_RECORD] = write_record,
	[LWB_COPY] = write_copy,
};

static void begin(struct lwb_run *arg)
{
	arg->ns = ktime_get_ns();
	arg->cycles = get_cycles();
}

static void end(struct lwb_run *arg)
{
	arg->cycles = get_cycles() - arg->cycles;
	arg->ns = ktime_get_ns() - arg->ns;
}

static void run_ours(struct lwb_run *arg, struct lw_ring *ring)
{
	u32 (*write)(struct lw_ring *ring, u32 len) = writers[arg->what];
	u64 dropped = 0;
	u32 i;

	/* As a reader does that has read all. */
	smp_store_release(&ring->consumer->pos, READ_ONCE(ring->producer->pos));
	begin(arg);
	for (i = 0; i < arg->count; i++)
		dropped += write(ring, arg->payload);
	end(arg);
	arg->dropped = dropped;
}

static void run_program(struct lwb_run *arg, const struct bpf_prog *program)
{
	u64 dropped = 0;
	u32 i;

	rcu_read_lock();
	begin(arg);
	for (i = 0; i < arg->count; i++)
		dropped += !!bpf_prog_run(program, &no_regs);
	end(arg);
	rcu_read_unlock();
	arg->dropped = dropped;
}

/* Runs it on this CPU, whole; interrupts only if they may. */
static void run(struct lwb_run *arg, struct bench *bench,
		const struct bpf_prog *program)
{
	struct lw_ring *rings = bench->rings[!!(arg->flags & LWB_OVERWRITE)];
	unsigned long flags = 0;

	preempt_disable();
	if (arg->flags & LWB_IRQS_OFF)
		local_irq_save(flags);
	if (program)
		run_program(arg, program);
	else
		run_ours(arg, &rings[smp_processor_id()]);
	if (arg->flags & LWB_IRQS_OFF)
		local_irq_restore(flags);
	preempt_enable();
}

static bool is_valid(const struct lwb_run *arg)
{
	return arg->what < LWB_KINDS && arg->payload <= LWB_PAYLOAD_MAX &&
	       !(arg->payload % 8) && !(arg->flags & ~LWB_FLAGS) &&
	       arg->count <= LWB_RING_SIZE && !arg->reserved;
}

static long bench_ioctl(struct file *file, unsigned int cmd, unsigned long ptr)
{
	void __user *user = (void __user *)ptr;
	struct bpf_prog *program = NULL;
	struct lwb_run arg;

	if (cmd != LWB_IOC_RUN)
		return -ENOTTY;
	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (!is_valid(&arg))
		return -EINVAL;
	if (arg.what == LWB_PROGRAM) {
		program = bpf_prog_get_type_dev(arg.program,
						BPF_PROG_TYPE_KPROBE, false);
		if (IS_ERR(program))
			return PTR_ERR(program);
	}
	run(&arg, file->private_data, program);
	if (program)
		bpf_prog_put(program);
	return copy_to_user(user, &arg, sizeof(arg)) ? -EFAULT : 0;
}

static void free_rings(struct lw_ring *rings)
{
	int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu)
		lw_ring_destroy(&rings[cpu]);
	kvfree(rings);
}

static struct lw_ring *make_rings(struct bench *bench, bool overwrite)
{
	struct lw_ring *rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	int cpu;

	if (!rings)
		return NULL;
	for_each_possible_cpu(cpu) {
		if (!lw_ring_init(&rings[cpu], cpu, LWB_RING_SIZE,
				  LWB_RING_SIZE / 8, overwrite, &bench->waiters))
			continue;
		free_rings(rings);
		return NULL;
	}
	return rings;
}

static void free_bench(struct bench *bench)
{
	free_rings(bench->rings[false]);
	free_rings(bench->rings[true]);
	kfree(bench);
}

static struct bench *make_bench(void)
{
	struct bench *bench = kzalloc(sizeof(*bench), GFP_KERNEL);

	if (!bench)
		return NULL;
	init_waitqueue_head(&bench->waiters.queue);
	bench->rings[false] = make_rings(bench, false);
	bench->rings[true] = make_rings(bench, true);
	if (bench->rings[false] && bench->rings[true])
		return bench;
	free_bench(bench);
	return NULL;
}

static int bench_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	file->private_data = make_bench();
	return file->private_data ? 0 : -ENOMEM;
}

static int bench_release(struct inode *inode, struct file *file)
{
	free_bench(file->private_data);
	return 0;
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.open = bench_open,
	.release = bench_release,
	.unlocked_ioctl = bench_ioctl,
};

static struct miscdevice bench_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lw_bench",
	.fops = &bench_fops,
	.mode = 0600,
};

module_misc_device(bench_device);

MODULE_DESCRIPTION("Bench of Latewind's ring");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
