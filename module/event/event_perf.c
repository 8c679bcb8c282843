// SPDX-License-Identifier: GPL-2.0
/*
 * event_perf.c - every event source that perf can count, and the SAMPLE record
 * that a hit writes.
 *
 * The overflow handler runs in whatever context the event hits, NMI included:
 * no lock, no allocation, no fault.
 *
 * An event on CPUs is one perf event on each.  perf takes it away from a CPU
 * that goes off-line and does not give it back, so a worker makes new ones on
 * those that come.  It can't be done in the hotplug callback itself: perf takes
 * cpus_read_lock() for some events.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "arch/kstack.h"
#include "core/request.h"
#include "core/session.h"
#include "event_perf.h"

/* Task, softirq, hardirq, NMI: interrupt_context_level(). */
#define NR_LEVELS	4
#define MAX_RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"
/* What it says by default. */
#define DEFAULT_MAX_RATE	100000

/**
 * struct lw_event - what one LW_IOC_ADD_EVENT made
 * @node: in session->events
 * @session: whose
 * @id: in its samples
 * @no_kernel: attr.exclude_callchain_kernel
 * @no_user: attr.exclude_callchain_user
 * @is_precise: attr.precise_ip
 * @always_on: LW_IOC_ENABLE leaves it alone; session->enabled decides
 * @named_by_user: @events can't be made again, see perf_ev_has_user_name()
 * @attr: of @events, if they are on CPUs
 * @nr: length of @events
 * @events: on CPUs by CPU number, NULL where there is none; else one
 */
struct lw_event {
	struct list_head node;
	struct lw_session *session;
	u64		id;
	bool		no_kernel;
	bool		no_user;
	bool		is_precise;
	bool		always_on;
	bool		named_by_user;
	struct perf_event_attr *attr;
	unsigned int	nr;
	struct perf_event *events[];
};

/* Kernel stack of a sample in the making, by context level. */
struct scratch {
	bool		busy[NR_LEVELS];
	unsigned long	ips[NR_LEVELS][LW_MAX_KERNEL_DEPTH + 1];
};

static struct scratch __percpu *scratches;

/* All sessions, by lw_session.all; taken before lw_session.lock. */
static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);
/* CPUs that have come and that perf_ev_adopt_cpus() has not seen; atomic bits. */
static struct cpumask new_cpus;
static int hotplug_state;

/**
 * struct kstack - kernel stack of a sample
 * @ips: topmost first
 * @nr: how many
 * @cut: there were more
 */
struct kstack {
	unsigned long	*ips;
	unsigned int	nr;
	bool		cut;
};

static struct kstack perf_ev_take_kstack(unsigned long *ips, u32 limit,
					 struct pt_regs *regs, bool is_precise)
{
	/* One more tells whether there are more. */
	unsigned int nr = lw_arch_kstack(ips, limit + 1, regs, is_precise);

	return (struct kstack) { .ips = ips, .nr = min(nr, limit), .cut = nr > limit };
}

/* What a sample is made from. */
struct raw_sample {
	struct lw_session *session;
	struct pt_regs	*regs;
	struct kstack	stack;
	struct lw_cookie cookie;
	u64		id;
	u64		period;
	u32		user;
};

/* The task may be moved at any time: its set of cgroups is there as long as RCU says. */
static u64 perf_ev_current_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
	return id;
#else
	return 0;
#endif
}

static void perf_ev_write_sample(const struct raw_sample *raw)
{
	u32 len = offsetof(struct lw_sample, kernel) +
		  (raw->stack.nr + raw->session->with_cgroup) * 8;
	struct lw_session *session = raw->session;
	struct lw_sample *sample;
	struct lw_ring *ring;
	u16 flags = 0;
	u32 i;

	if (raw->regs && user_mode(raw->regs))
		flags |= LW_SAMPLE_USER_IP;
	if (raw->stack.cut)
		flags |= LW_SAMPLE_KERNEL_CUT;
	if (session->with_cgroup)
		flags |= LW_SAMPLE_CGROUP;
	sample = lw_session_reserve(session, &ring, len, LW_RECORD_SAMPLE,
				    flags);
	if (!sample)
		return;
	sample->cookie = raw->cookie;
	sample->time = ktime_get_mono_fast_ns();
	sample->id = raw->id;
	sample->ip = raw->regs ? instruction_pointer(raw->regs) : 0;
	sample->period = raw->period;
	sample->pid = lw_session_tgid(session);
	sample->tid = lw_session_pid(session);
	sample->cpu = smp_processor_id();
	sample->user = raw->user;
	sample->nr_kernel = raw->stack.nr;
	for (i = 0; i < raw->stack.nr; i++)
		sample->kernel[i] = raw->stack.ips[i];
	if (session->with_cgroup)
		sample->kernel[i] = perf_ev_current_cgroup();
	lw_session_count(session, LW_STAT_SAMPLES);
	lw_ring_commit(ring, sample);
}

/* Return: the level's scratch, or NULL inside another sample of this level. */
static unsigned long *perf_ev_enter(struct scratch *scratch, unsigned int level)
{
	if (scratch->busy[level])
		return NULL;
	scratch->busy[level] = true;
	barrier();
	return scratch->ips[level];
}

static void perf_ev_leave(struct scratch *scratch, unsigned int level)
{
	barrier();
	scratch->busy[level] = false;
}

static void perf_ev_take_sample(struct lw_event *event, u64 period,
				struct pt_regs *regs, unsigned long *ips)
{
	struct lw_session *session = event->session;
	struct raw_sample raw = {
		.session = session,
		.regs = regs,
		.id = event->id,
		.period = period,
		.user = LW_USER_EXCLUDED,
	};

	if (!user_mode(regs) && session->kernel_depth && !event->no_kernel)
		raw.stack = perf_ev_take_kstack(ips, session->kernel_depth, regs,
						event->is_precise);
	if (!event->no_user)
		raw.user = lw_request_user(lw_request(&session->tracer, regs,
						      !user_mode(regs),
						      &raw.cookie));
	perf_ev_write_sample(&raw);
}

static void perf_ev_overflow(struct perf_event *perf, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct lw_event *event = perf->overflow_handler_context;
	struct scratch *scratch;
	unsigned int level;
	unsigned long *ips;

	if (!READ_ONCE(event->session->enabled) || !regs ||
	    !lw_tracer_wants(&event->session->tracer))
		return;
	preempt_disable_notrace();
	scratch = this_cpu_ptr(scratches);
	level = interrupt_context_level();
	ips = perf_ev_enter(scratch, level);
	if (ips) {
		perf_ev_take_sample(event, data->period, regs, ips);
		perf_ev_leave(scratch, level);
	} else {
		lw_session_count(event->session, LW_STAT_LOST_NESTED);
		lw_ring_drop(&event->session->rings[smp_processor_id()],
			     LW_DROP_NESTED);
	}
	preempt_enable_notrace();
}

/**
 * lw_event_request - LW_IOC_REQUEST
 * @session: set up
 * @request: in: flags; out: cookie
 *
 * Context: process.
 * Return: as lw_request(), or -EPERM (filtered).
 */
int lw_event_request(struct lw_session *session, struct lw_request *request)
{
	struct raw_sample raw = {
		.session = session,
		.id = LW_EVENT_ID_REQUEST,
		.period = 1,
		.user = LW_USER_PENDING,
	};
	int ret;

	if (!lw_tracer_wants(&session->tracer))
		return -EPERM;
	ret = lw_request(&session->tracer, NULL, false, &raw.cookie);
	if (ret < 0)
		return ret;
	request->cookie = raw.cookie;
	if (request->flags & LW_REQUEST_SAMPLE) {
		raw.regs = task_pt_regs(current);
		preempt_disable();
		perf_ev_write_sample(&raw);
		preempt_enable();
	}
	return ret;
}

/* The bits of the attribute that are one word of bit fields in its layout. */
static u64 *perf_ev_attr_bits(struct perf_event_attr *attr)
{
	return (u64 *)((u8 *)attr + offsetofend(struct perf_event_attr,
						read_format));
}

/*
 * What a session can serve.  The others ask for records in perf's own ring
 * buffer, which our events don't have.
 */
static bool perf_ev_bits_allowed(struct perf_event_attr *attr)
{
	struct perf_event_attr allowed = {
		.disabled = 1,
		.inherit = 1,
		.exclusive = 1,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_idle = 1,
		.freq = 1,
		.enable_on_exec = 1,
		.precise_ip = 3,
		.sample_id_all = 1,
		.exclude_host = 1,
		.exclude_guest = 1,
		.exclude_callchain_kernel = 1,
		.exclude_callchain_user = 1,
		.use_clockid = 1,
		.inherit_thread = 1,
	};

	return !(*perf_ev_attr_bits(attr) & ~*perf_ev_attr_bits(&allowed));
}

static int perf_ev_read_attr(struct perf_event_attr *attr, u64 from)
{
	void __user *user = u64_to_user_ptr(from);
	u32 size;
	int ret;

	if (get_user(size, &((struct perf_event_attr __user *)user)->size))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(attr, sizeof(*attr), user, size);
	if (ret)
		return ret;
	attr->size = sizeof(*attr);
	return 0;
}

/*
 * Reserved words, by where they are: newer kernels give them names and a
 * meaning (aux_action) that is for perf's own ring buffer.
 */
static bool perf_ev_reserved_are_zero(const struct perf_event_attr *attr)
{
	size_t behind_max_stack = offsetofend(struct perf_event_attr,
					      sample_max_stack);
	size_t behind_aux_size = offsetofend(struct perf_event_attr,
					     aux_sample_size);

	return !memchr_inv((u8 *)attr + behind_max_stack, 0, sizeof(u16)) &&
	       !memchr_inv((u8 *)attr + behind_aux_size, 0, sizeof(u32));
}

/*
 * Samples a second that perf lets an event ask for, as it is now.  The variable is not exported.
 * Where the caller does not see the file, or another one in its place, the default holds, or what
 * that says: perf cuts each event off at what is true, anyway, hit by hit.
 */
static int perf_ev_max_rate(void)
{
	struct file *file = filp_open(MAX_RATE_FILE, O_RDONLY, 0);
	int rate = DEFAULT_MAX_RATE;
	char text[16] = {};
	loff_t pos = 0;

	if (IS_ERR(file))
		return rate;
	if (kernel_read(file, text, sizeof(text) - 1, &pos) <= 0 || kstrtoint(text, 10, &rate))
		rate = DEFAULT_MAX_RATE;
	filp_close(file, NULL);
	return rate;
}

static int perf_ev_check_attr(struct perf_event_attr *attr)
{
	if (!perf_ev_bits_allowed(attr) || !perf_ev_reserved_are_zero(attr))
		return -EINVAL;
	/* The core's own checks are in the system call, which we go around. */
	if (!attr->sample_period || (attr->sample_period & (1ULL << 63)))
		return -EINVAL;
	if (attr->freq && attr->sample_freq > perf_ev_max_rate())
		return -EINVAL;
	return 0;
}

/*
 * Children that inherit an event take over its state once and are not reached
 * by perf_event_enable(), so such an event runs from now on; session->enabled
 * decides what is taken.
 */
static void perf_ev_set_up_attr(struct perf_event_attr *attr)
{
	attr->disabled = attr->enable_on_exec || !attr->inherit;
	attr->sample_type = 0;
	attr->read_format = 0;
	attr->sample_id_all = 0;
	attr->use_clockid = 0;
	attr->watermark = 0;
	/* With 0 a PMU may save up hits and tell them all at once, later. */
	attr->wakeup_events = 1;
	attr->sample_regs_user = 0;
	attr->sample_regs_intr = 0;
	attr->sample_stack_user = 0;
	attr->sample_max_stack = 0;
	attr->branch_sample_type = 0;
	attr->aux_watermark = 0;
}

/*
 * The probe PMUs read the probe's name from user memory at each copy of the
 * event.  A child's copy would read it in the memory of whoever forks, and the
 * fork would fail; one for a new CPU in that of whoever the worker ran after.
 */
static bool perf_ev_has_user_name(const struct perf_event *perf)
{
	return perf->pmu->name && (!strcmp(perf->pmu->name, "kprobe") ||
				   !strcmp(perf->pmu->name, "uprobe"));
}

/* Return: the perf event or ERR_PTR(-errno). */
static struct perf_event *perf_ev_create(struct lw_event *event,
					 struct perf_event_attr *attr, int cpu,
					 struct task_struct *task)
{
	struct perf_event *perf;
	int ret = 0;

	perf = perf_event_create_kernel_counter(attr, cpu, task, perf_ev_overflow,
						event);
	if (IS_ERR(perf))
		return perf;
	if (attr->inherit && perf_ev_has_user_name(perf))
		ret = -EINVAL;
	/* It would count, but never sample. */
	else if (perf->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)
		ret = -EOPNOTSUPP;
	if (!ret)
		return perf;
	perf_event_release_kernel(perf);
	return ERR_PTR(ret);
}

static int perf_ev_create_on_task(struct lw_event *event, struct perf_event_attr *attr,
				  pid_t nr)
{
	struct task_struct *task;
	struct perf_event *perf;
	struct pid *pid;

	pid = nr ? find_get_pid(nr) : get_task_pid(current, PIDTYPE_PID);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	perf = perf_ev_create(event, attr, -1, task);
	put_task_struct(task);
	if (IS_ERR(perf))
		return PTR_ERR(perf);
	event->events[0] = perf;
	event->nr = 1;
	return 0;
}

/* Return: 0 (also if the CPU went off-line meanwhile) or -errno. */
static int perf_ev_create_on_cpu(struct lw_event *event, int cpu)
{
	struct perf_event *perf = perf_ev_create(event, event->attr, cpu, NULL);

	if (IS_ERR(perf))
		return PTR_ERR(perf) == -ENODEV && !cpu_online(cpu) ?
			0 : PTR_ERR(perf);
	event->events[cpu] = perf;
	event->named_by_user = perf_ev_has_user_name(perf);
	return 0;
}

static int perf_ev_create_on_cpus(struct lw_event *event, struct perf_event_attr *attr)
{
	unsigned int made = 0;
	int cpu, ret;

	event->attr = kmemdup(attr, sizeof(*attr), GFP_KERNEL_ACCOUNT);
	if (!event->attr)
		return -ENOMEM;
	event->nr = nr_cpu_ids;
	/* Not under cpus_read_lock(), which perf takes for some events. */
	for_each_online_cpu(cpu) {
		ret = perf_ev_create_on_cpu(event, cpu);
		if (ret)
			return ret;
		made += !!event->events[cpu];
	}
	return made ? 0 : -ENODEV;
}

static void perf_ev_release_perf(struct lw_event *event)
{
	while (event->nr)
		if (event->events[--event->nr])
			perf_event_release_kernel(event->events[event->nr]);
}

static void perf_ev_free_event(struct lw_event *event)
{
	kfree(event->attr);
	kvfree(event);
}

/* The CPU may be new, or back: then perf has taken the old event off it. */
static void perf_ev_adopt_cpu(struct lw_event *event, int cpu)
{
	struct lw_session *session = event->session;

	lockdep_assert_held(&session->lock);
	/* Made since the CPU came. */
	if (event->events[cpu] &&
	    event->events[cpu]->attach_state & PERF_ATTACH_CONTEXT)
		return;
	if (event->events[cpu])
		perf_event_release_kernel(event->events[cpu]);
	event->events[cpu] = NULL;
	if (!cpu_online(cpu))
		return;
	if (event->named_by_user || perf_ev_create_on_cpu(event, cpu))
		WRITE_ONCE(session->missing_cpus, session->missing_cpus + 1);
	else if (event->events[cpu] && session->enabled && !event->always_on)
		perf_event_enable(event->events[cpu]);
}

static void perf_ev_adopt_cpus(struct work_struct *work)
{
	struct lw_session *session;
	struct lw_event *event;
	int cpu;

	mutex_lock(&sessions_lock);
	for_each_possible_cpu(cpu) {
		if (!cpumask_test_and_clear_cpu(cpu, &new_cpus))
			continue;
		list_for_each_entry(session, &sessions, all) {
			mutex_lock(&session->lock);
			list_for_each_entry(event, &session->events, node)
				if (event->attr)
					perf_ev_adopt_cpu(event, cpu);
			mutex_unlock(&session->lock);
		}
	}
	mutex_unlock(&sessions_lock);
}

static DECLARE_WORK(adopt_work, perf_ev_adopt_cpus);

static int perf_ev_cpu_comes(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &new_cpus);
	schedule_work(&adopt_work);
	return 0;
}

/**
 * lw_event_init - before the first session
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, or -errno of cpuhp_setup_state_nocalls().
 */
int lw_event_init(void)
{
	int ret;

	scratches = alloc_percpu(struct scratch);
	if (!scratches)
		return -ENOMEM;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "latewind:online",
					perf_ev_cpu_comes, NULL);
	if (ret < 0) {
		free_percpu(scratches);
		return ret;
	}
	hotplug_state = ret;
	return 0;
}

/**
 * lw_event_exit - after the last session
 *
 * Context: process, may sleep.
 */
void lw_event_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_work_sync(&adopt_work);
	free_percpu(scratches);
}

/**
 * lw_event_make_session - from here on its events come to new CPUs
 * @session: not known yet
 *
 * Context: process, may sleep.
 */
void lw_event_make_session(struct lw_session *session)
{
	mutex_lock(&sessions_lock);
	list_add_tail(&session->all, &sessions);
	mutex_unlock(&sessions_lock);
}

static struct lw_event *perf_ev_make(struct lw_session *session,
				     struct perf_event_attr *attr,
				     const struct lw_add_event *add)
{
	struct lw_event *event;
	int ret;

	event = kvzalloc(struct_size(event, events, nr_cpu_ids),
			 GFP_KERNEL_ACCOUNT);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->session = session;
	event->no_kernel = attr->exclude_callchain_kernel;
	event->no_user = attr->exclude_callchain_user;
	event->is_precise = attr->precise_ip;
	event->always_on = attr->enable_on_exec || attr->inherit;
	event->id = session->last_id + 1;
	perf_ev_set_up_attr(attr);
	if (add->target == LW_TARGET_CPUS)
		ret = perf_ev_create_on_cpus(event, attr);
	else
		ret = perf_ev_create_on_task(event, attr, add->pid);
	if (!ret)
		return event;
	perf_ev_release_perf(event);
	/* A handler may still look at what it was given. */
	synchronize_rcu();
	perf_ev_free_event(event);
	return ERR_PTR(ret);
}

static int perf_ev_check_target(const struct lw_add_event *add,
				const struct perf_event_attr *attr)
{
	switch (add->target) {
	case LW_TARGET_CPUS:
		/* A CPU's event has no task whose exec could start it. */
		return add->pid || attr->enable_on_exec ? -EINVAL : 0;
	case LW_TARGET_TASK:
		return add->pid < 0 ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/*
 * perf's own events are files, and so bounded by RLIMIT_NOFILE; ours take as much memory that
 * nobody is charged for.
 */
static bool perf_ev_has_room(const struct lw_session *session, unsigned int nr)
{
	lockdep_assert_held(&session->lock);
	return session->nr_counters + nr <= rlimit(RLIMIT_NOFILE) || capable(CAP_SYS_RESOURCE);
}

static int perf_ev_add_locked(struct lw_session *session, struct perf_event_attr *attr,
			      struct lw_add_event *add)
{
	unsigned int nr = add->target == LW_TARGET_CPUS ? num_online_cpus() : 1;
	struct lw_event *event;

	lockdep_assert_held(&session->lock);
	if (session->enabled)
		return -EBUSY;
	if (session->nr_events == LW_MAX_EVENTS)
		return -ENOSPC;
	if (!perf_ev_has_room(session, nr))
		return -EMFILE;
	event = perf_ev_make(session, attr, add);
	if (IS_ERR(event))
		return PTR_ERR(event);
	list_add_tail(&event->node, &session->events);
	session->nr_events++;
	session->nr_counters += nr;
	session->last_id = event->id;
	add->id = event->id;
	return 0;
}

/**
 * lw_event_add - LW_IOC_ADD_EVENT
 * @session: of the caller, who has CAP_PERFMON: kernel counters go around
 *	perf_event_paranoid
 * @add: in: as the uapi header says; out: id
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the uapi header says.
 */
int lw_event_add(struct lw_session *session, struct lw_add_event *add)
{
	struct perf_event_attr attr;
	int ret;

	if (add->flags || add->reserved)
		return -EINVAL;
	if (!lw_session_is_set_up(session))
		return -EBADFD;
	ret = perf_ev_read_attr(&attr, add->attr) ?: perf_ev_check_attr(&attr) ?:
	      perf_ev_check_target(add, &attr);
	if (ret)
		return ret;
	mutex_lock(&session->lock);
	ret = perf_ev_add_locked(session, &attr, add);
	mutex_unlock(&session->lock);
	return ret;
}

/**
 * lw_event_enable_all - start or stop the events of a session
 * @session: locked
 * @enable: which
 *
 * Those that an execve() starts, or that children inherit, run on;
 * session->enabled stops them.
 *
 * Context: process, may sleep.
 */
void lw_event_enable_all(struct lw_session *session, bool enable)
{
	struct lw_event *event;
	unsigned int i;

	lockdep_assert_held(&session->lock);
	list_for_each_entry(event, &session->events, node) {
		for (i = 0; i < event->nr && !event->always_on; i++) {
			if (!event->events[i])
				continue;
			if (enable)
				perf_event_enable(event->events[i]);
			else
				perf_event_disable(event->events[i]);
		}
	}
}

/**
 * lw_event_release_all - free the events of a session
 * @session: on its way out; enabled is false
 *
 * No handler runs any more when this returns.
 *
 * Context: process, may sleep.
 */
void lw_event_release_all(struct lw_session *session)
{
	struct lw_event *event, *next;

	mutex_lock(&sessions_lock);
	list_del(&session->all);
	mutex_unlock(&sessions_lock);
	list_for_each_entry(event, &session->events, node)
		perf_ev_release_perf(event);
	synchronize_rcu();
	list_for_each_entry_safe(event, next, &session->events, node) {
		list_del(&event->node);
		perf_ev_free_event(event);
	}
}
