// SPDX-License-Identifier: GPL-2.0
/*
 * top_stacks.c - the user stacks that lead to a tracepoint most often.
 *
 * A sample of linux/latewind.h: counts stacks in a table of a fixed size and
 * prints the most frequent ones in debugfs, in latewind_top_stacks; writing to
 * that empties the table.
 *
 *	insmod latewind_top_stacks.ko tracepoint=page_fault_user top=5
 *	sleep 10
 *	cat /sys/kernel/debug/latewind_top_stacks
 *
 * There are three steps: register a tracer, ask in the event, count in the
 * callback.  Nothing has to be waited for when the module goes.
 */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/jhash.h>
#include <linux/latewind.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#define DEPTH		32
#define TABLE_BITS	10
#define NR_STACKS	((unsigned int)BIT(TABLE_BITS))
/* Entries looked at from the hash on. */
#define WINDOW		16

static char *tracepoint = "sys_enter";
module_param(tracepoint, charp, 0444);
MODULE_PARM_DESC(tracepoint, "sys_enter or page_fault_user");

static unsigned int top = 10;
module_param(top, uint, 0644);
MODULE_PARM_DESC(top, "stacks to print");

/**
 * struct top_stack - one line of the table
 * @hits: 0 in a free one
 * @hash: of the rest
 * @tgid: process
 * @comm: of the task that was seen first
 * @end: LW_END_*
 * @nr: frames
 * @frames: of them
 */
struct top_stack {
	u64 hits;
	u32 hash;
	pid_t tgid;
	char comm[TASK_COMM_LEN];
	u32 end;
	u32 nr;
	u64 frames[DEPTH];
};

static struct top_stack *table;		/* protected by table_lock */
static u64 total, no_room;		/* protected by table_lock */
static DEFINE_SPINLOCK(table_lock);	/* callbacks are in task context */

static struct lw_tracer *tracer;
static struct tracepoint *hooked;
static struct dentry *file;

static bool is_same(const struct top_stack *entry, u32 hash,
		    const struct lw_stack *stack)
{
	return entry->hash == hash && entry->tgid == current->tgid &&
	       entry->nr == stack->nr &&
	       !memcmp(entry->frames, stack->frames, stack->nr * sizeof(u64));
}

/* Return: the entry of this stack, a free one that is made its, or NULL. */
static struct top_stack *find(const struct lw_stack *stack)
{
	u32 hash = jhash(stack->frames, stack->nr * sizeof(u64), current->tgid);
	struct top_stack *entry;
	u32 i;

	lockdep_assert_held(&table_lock);
	for (i = 0; i < WINDOW; i++) {
		entry = &table[(hash + i) % NR_STACKS];
		if (!entry->hits)
			break;
		if (is_same(entry, hash, stack))
			return entry;
	}
	if (i == WINDOW)
		return NULL;
	entry->hash = hash;
	entry->tgid = current->tgid;
	memcpy(entry->comm, current->comm, sizeof(entry->comm));
	entry->end = stack->end;
	entry->nr = stack->nr;
	memcpy(entry->frames, stack->frames, stack->nr * sizeof(u64));
	return entry;
}

/* On the way back to user space; at most DEPTH frames, as we asked for. */
static void count_stack(struct lw_tracer *unused, const struct lw_stack *stack,
			const struct lw_cookie *cookie, void *private)
{
	struct top_stack *entry;

	spin_lock(&table_lock);
	total++;
	entry = find(stack);
	if (entry)
		entry->hits++;
	else
		no_room++;
	spin_unlock(&table_lock);
}

/* A kernel thread's request is refused, which is as well. */
static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct lw_cookie cookie;

	lw_tracer_request(tracer, regs, &cookie);
}

static void on_page_fault_user(void *data, unsigned long address,
			       struct pt_regs *regs, unsigned long error_code)
{
	struct lw_cookie cookie;

	lw_tracer_request(tracer, regs, &cookie);
}

/* Tracepoints whose prototypes we know. */
static const struct {
	const char *name;
	void *probe;
} probes[] = {
	{ "sys_enter", on_sys_enter },
	{ "page_fault_user", on_page_fault_user },
};

static void *probe_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(name, probes[i].name))
			return probes[i].probe;
	return NULL;
}

static void hook_if_wanted(struct tracepoint *tp, void *private)
{
	if (!strcmp(tp->name, tracepoint))
		hooked = tp;
}

static int by_hits(const void *a, const void *b)
{
	const struct top_stack *x = a, *y = b;

	return x->hits < y->hits ? 1 : -(x->hits > y->hits);
}

static void print(struct seq_file *seq, const struct top_stack *entry)
{
	u32 i;

	seq_printf(seq, "%llu %s %d%s\n", entry->hits, entry->comm,
		   entry->tgid, entry->end == LW_END_OUTERMOST ? "" : " ...");
	for (i = 0; i < entry->nr; i++)
		seq_printf(seq, "\t%llx\n", entry->frames[i]);
}

static int show(struct seq_file *seq, void *unused)
{
	size_t size = array_size(NR_STACKS, sizeof(*table));
	struct top_stack *copy = vmalloc(size);
	u32 i;

	if (!copy)
		return -ENOMEM;
	spin_lock(&table_lock);
	memcpy(copy, table, size);
	seq_printf(seq, "# %llu stacks, %llu not counted\n", total, no_room);
	spin_unlock(&table_lock);
	sort(copy, NR_STACKS, sizeof(*copy), by_hits, NULL);
	for (i = 0; i < min(top, NR_STACKS) && copy[i].hits; i++)
		print(seq, &copy[i]);
	vfree(copy);
	return 0;
}

static int open(struct inode *inode, struct file *opened)
{
	return single_open(opened, show, NULL);
}

static ssize_t clear(struct file *opened, const char __user *buffer, size_t len,
		     loff_t *pos)
{
	spin_lock(&table_lock);
	memset(table, 0, array_size(NR_STACKS, sizeof(*table)));
	total = 0;
	no_room = 0;
	spin_unlock(&table_lock);
	return len;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.read = seq_read,
	.write = clear,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init top_stacks_init(void)
{
	struct lw_tracer_options options = {
		.depth = DEPTH,
		.stack = count_stack,
	};
	int ret;

	for_each_kernel_tracepoint(hook_if_wanted, NULL);
	if (!hooked || !probe_of(tracepoint))
		return -EINVAL;
	table = vzalloc(array_size(NR_STACKS, sizeof(*table)));
	if (!table)
		return -ENOMEM;
	tracer = lw_tracer_register(&options);
	ret = PTR_ERR_OR_ZERO(tracer);
	if (ret)
		goto err_free_table;
	ret = tracepoint_probe_register(hooked, probe_of(tracepoint), NULL);
	if (ret)
		goto err_unregister_tracer;
	file = debugfs_create_file("latewind_top_stacks", 0600, NULL, NULL,
				   &fops);
	return 0;

err_unregister_tracer:
	lw_tracer_unregister(tracer);
err_free_table:
	vfree(table);
	return ret;
}

static void __exit top_stacks_exit(void)
{
	debugfs_remove(file);
	tracepoint_probe_unregister(hooked, probe_of(tracepoint), NULL);
	/* Nobody is in the probe any more, then nobody asks. */
	tracepoint_synchronize_unregister();
	/* Tasks that still owe a stack lose it: no callback comes after this. */
	lw_tracer_unregister(tracer);
	vfree(table);
}

module_init(top_stacks_init);
module_exit(top_stacks_exit);

MODULE_DESCRIPTION("Counts the user stacks that lead to a tracepoint");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
