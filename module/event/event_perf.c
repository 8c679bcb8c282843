// SPDX-License-Identifier: GPL-2.0
/*
 * event_perf.c - events of perf: counters, tracepoints, probes; and the SAMPLE record of a hit.
 *
 * Contexts: the overflow handler runs in any, NMI included: no lock, no allocation, no fault.
 * All else is called by ioctls, or by the worker below, and sleeps.  Locks: sessions_lock, then
 * mutex_trylock() of session->lock.  A call that holds a session's lock may sleep for as long as a
 * program likes: perf reads the names of probes from user memory (FUSE).
 *
 * An event on CPUs is one perf event on each.  When a CPU goes off-line perf takes its event away
 * for good, so a worker makes new events on CPUs that come on-line.  The hotplug callback itself
 * can't: perf takes cpus_read_lock() for some events.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
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

#include "arch.h"
#include "kstack.h"
#include "core/request.h"
#include "core/session.h"
#include "event_perf.h"

/* Task, softirq, hardirq, NMI: interrupt_context_level(). */
#define NR_LEVELS	4
#define MAX_RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"
/* Its content by default. */
#define DEFAULT_MAX_RATE	100000
/* Jiffies until perf_ev_adopt_cpus() tries again to lock a session. */
#define ADOPT_AGAIN		(HZ / 10)

/**
 * struct lw_event - one LW_IOC_ADD_EVENT
 * @node: in session->events
 * @session: whose
 * @id: in its samples
 * @attr: of all @events
 * @on_cpus: @events are by CPU number, NULL where there is none; else there is one, on a task
 * @always_on: LW_IOC_ENABLE leaves it alone; session->enabled decides
 * @named_by_user: @events can't be made again, see perf_ev_has_user_name()
 * @nr: length of @events
 * @events: see @on_cpus
 */
struct lw_event {
	struct list_head node;
	struct lw_session *session;
	u64		id;
	struct perf_event_attr attr;
	bool		on_cpus;
	bool		always_on;
	bool		named_by_user;
	unsigned int	nr;
	struct perf_event *events[];
};

/* Kernel stacks of samples until their records are reserved, by context level. */
struct scratch {
	bool		busy[NR_LEVELS];
	unsigned long	ips[NR_LEVELS][LW_MAX_KERNEL_DEPTH + 1];
};

static struct scratch __percpu *scratches;

/* All sessions, by lw_session.all; under the lock lw_session.lock is only tried. */
static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);
/* CPUs that have come and that perf_ev_note_cpus() has not seen; atomic bits. */
static struct cpumask new_cpus;
static int hotplug_state;

/*
 * What a SAMPLE record is made from; the kernel stack is @nr of @ips, and @cut if it is longer.
 * @fields is NULL: the event has none, or nobody asked for them.  @user_ip: @regs are of user
 * space, or are to be, and NULL.
 */
struct raw_sample {
	struct lw_session *session;
	struct pt_regs	*regs;
	const unsigned long *ips;
	unsigned int	nr;
	bool		cut, user_ip;
	const void	*fields;
	u32		fields_size;
	struct lw_cookie cookie;
	u64		id;
	u64		period;
	u32		user;
};

/* RCU keeps the task's set of cgroups: another task may move it meanwhile. */
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

/* Bytes of the size and the fields behind it. */
static u32 perf_ev_fields_len(const struct raw_sample *raw)
{
	return raw->fields ? ALIGN(sizeof(u32) + raw->fields_size, 8) : 0;
}

static void perf_ev_write_fields(void *to, const struct raw_sample *raw)
{
	u32 *size = to, len = perf_ev_fields_len(raw) - sizeof(*size);

	*size = len;
	memcpy(size + 1, raw->fields, raw->fields_size);
	memset((u8 *)(size + 1) + raw->fields_size, 0, len - raw->fields_size);
}

static void perf_ev_write_sample(const struct raw_sample *raw)
{
	struct lw_session *session = raw->session;
	u32 len = offsetof(struct lw_sample, kernel) + (raw->nr + session->with_cgroup) * 8 +
		  perf_ev_fields_len(raw);
	struct lw_sample *sample;
	struct lw_ring *ring;
	u16 flags = 0;
	u32 i;

	if (raw->user_ip)
		flags |= LW_SAMPLE_USER_IP;
	if (raw->cut)
		flags |= LW_SAMPLE_KERNEL_CUT;
	if (session->with_cgroup)
		flags |= LW_SAMPLE_CGROUP;
	if (raw->fields)
		flags |= LW_SAMPLE_RAW;
	sample = lw_session_reserve(session, &ring, len, LW_RECORD_SAMPLE, flags);
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
	sample->nr_kernel = raw->nr;
	for (i = 0; i < raw->nr; i++)
		sample->kernel[i] = raw->ips[i];
	if (session->with_cgroup)
		sample->kernel[i++] = perf_ev_current_cgroup();
	if (raw->fields)
		perf_ev_write_fields(&sample->kernel[i], raw);
	lw_session_count(session, LW_STAT_SAMPLES);
	lw_ring_commit(ring, sample);
}

/* A tracepoint has one piece, and nothing to call for it. */
static void perf_ev_take_fields(struct raw_sample *raw, const struct lw_event *event,
				const struct perf_sample_data *data)
{
	if (!(event->attr.sample_type & data->sample_flags & PERF_SAMPLE_RAW))
		return;
	raw->fields = data->raw->frag.data;
	raw->fields_size = data->raw->frag.size;
}

/*
 * @ips: room for a kernel stack
 *
 * An interrupt of the PMU comes some instructions late, and so may be taken in the kernel though
 * user space alone is counted.  perf tells of the kernel's instruction then; we of the one that the
 * kernel was entered from, as far as it is known.
 */
static void perf_ev_take_sample(struct lw_event *event, const struct perf_sample_data *data,
				struct pt_regs *regs, unsigned long *ips)
{
	struct lw_session *session = event->session;
	u32 depth = session->kernel_depth;
	bool in_user = user_mode(regs), late = !in_user && event->attr.exclude_kernel;
	struct raw_sample raw = {
		.session = session,
		.regs = late ? lw_request_regs(regs) : regs,
		.user_ip = in_user || late,
		.ips = ips,
		.id = event->id,
		.period = data->period,
		.user = LW_USER_EXCLUDED,
	};

	perf_ev_take_fields(&raw, event, data);
	if (!in_user && !late && depth && !event->attr.exclude_callchain_kernel) {
		/* One more tells whether there are more. */
		raw.nr = lw_arch_kstack(ips, depth + 1, regs, event->attr.precise_ip);
		raw.cut = raw.nr > depth;
		raw.nr -= raw.cut;
	}
	if (!event->attr.exclude_callchain_user)
		raw.user = lw_request_user(lw_request(&session->tracer, regs, !in_user,
						      &raw.cookie));
	perf_ev_write_sample(&raw);
}

static void perf_ev_overflow(struct perf_event *perf, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct lw_event *event = perf->overflow_handler_context;
	struct lw_session *session = event->session;
	struct scratch *scratch;
	unsigned int level;

	if (!READ_ONCE(session->enabled) || !regs || !lw_tracer_wants(&session->tracer))
		return;
	preempt_disable_notrace();
	scratch = this_cpu_ptr(scratches);
	level = interrupt_context_level();
	if (!scratch->busy[level]) {
		scratch->busy[level] = true;
		barrier();
		perf_ev_take_sample(event, data, regs, scratch->ips[level]);
		barrier();
		scratch->busy[level] = false;
	} else {
		lw_session_count(session, LW_STAT_LOST_NESTED);
		lw_ring_drop(&session->rings[smp_processor_id()], LW_DROP_NESTED);
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
		.user_ip = true,
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

/* All bit fields of an attribute; they follow read_format as one word. */
static u64 perf_ev_attr_bits(const struct perf_event_attr *attr)
{
	return *(const u64 *)((const u8 *)attr + offsetofend(struct perf_event_attr, read_format));
}

/* The bits that a session can serve; others ask for records in perf's own ring buffer. */
static const struct perf_event_attr allowed_bits = {
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

static int perf_ev_read_attr(struct perf_event_attr *attr, u64 from)
{
	struct perf_event_attr __user *user = u64_to_user_ptr(from);
	u32 size;
	int ret;

	if (get_user(size, &user->size))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(attr, sizeof(*attr), user, size);
	attr->size = sizeof(*attr);
	return ret;
}

/*
 * Reserved words, by offset: newer kernels give them names and a meaning (aux_action) for perf's
 * own ring buffer.
 */
static bool perf_ev_reserved_are_zero(const struct perf_event_attr *attr)
{
	const u8 *bytes = (const u8 *)attr;

	return !memchr_inv(bytes + offsetofend(struct perf_event_attr, sample_max_stack), 0,
			   sizeof(u16)) &&
	       !memchr_inv(bytes + offsetofend(struct perf_event_attr, aux_sample_size), 0,
			   sizeof(u32));
}

/*
 * The highest frequency that perf allows now.  The variable is not exported, so read its file.
 * A caller may not see the file, or have another one mounted over it; that widens nothing, as
 * perf itself throttles each event at the true limit, hit by hit.
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

static int perf_ev_check_attr(const struct perf_event_attr *attr)
{
	if (perf_ev_attr_bits(attr) & ~perf_ev_attr_bits(&allowed_bits) ||
	    !perf_ev_reserved_are_zero(attr))
		return -EINVAL;
	/* The core checks these in its system call only. */
	if (!attr->sample_period || (attr->sample_period & (1ULL << 63)))
		return -EINVAL;
	if (attr->freq && attr->sample_freq > perf_ev_max_rate())
		return -EINVAL;
	if (LW_ARCH_REPEATS_BREAKPOINTS && attr->type == PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	return 0;
}

/*
 * perf_event_enable() does not reach the children that inherit an event, so such an event runs
 * from now on, and session->enabled decides whether a hit is recorded.
 */
static void perf_ev_set_up_attr(struct perf_event_attr *attr)
{
	attr->disabled = attr->enable_on_exec || !attr->inherit;
	attr->sample_type &= attr->type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0;
	attr->read_format = 0;
	attr->sample_id_all = 0;
	attr->use_clockid = 0;
	attr->watermark = 0;
	/* With 0 a PMU may collect hits and report them all at once, later. */
	attr->wakeup_events = 1;
	attr->sample_regs_user = 0;
	attr->sample_regs_intr = 0;
	attr->sample_stack_user = 0;
	attr->sample_max_stack = 0;
	attr->branch_sample_type = 0;
	attr->aux_watermark = 0;
}

/*
 * The probe PMUs read the probe's name from user memory for each copy of the event.  The copy of
 * a child would read it in the memory of the task that forks, and fail the fork; the copy for a
 * new CPU in the memory of the task that the worker happens to run after.
 */
static bool perf_ev_has_user_name(const struct perf_event *perf)
{
	return perf->pmu->name && (!strcmp(perf->pmu->name, "kprobe") ||
				   !strcmp(perf->pmu->name, "uprobe"));
}

/* Make events[nr], on @cpu or, if that is -1, on @task.  Return: 0 or -errno. */
static int perf_ev_create(struct lw_event *event, unsigned int nr, int cpu,
			  struct task_struct *task)
{
	struct perf_event *perf;
	int ret = 0;

	perf = perf_event_create_kernel_counter(&event->attr, cpu, task, perf_ev_overflow, event);
	if (IS_ERR(perf))
		return PTR_ERR(perf);
	event->named_by_user = perf_ev_has_user_name(perf);
	if (event->attr.inherit && event->named_by_user)
		ret = -EINVAL;
	/* It would count, but never sample. */
	else if (perf->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)
		ret = -EOPNOTSUPP;
	if (ret)
		perf_event_release_kernel(perf);
	else
		event->events[nr] = perf;
	return ret;
}

static int perf_ev_create_on_task(struct lw_event *event, pid_t nr)
{
	struct task_struct *task;
	struct pid *pid;
	int ret;

	pid = nr ? find_get_pid(nr) : get_task_pid(current, PIDTYPE_PID);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	event->nr = 1;
	ret = perf_ev_create(event, 0, -1, task);
	put_task_struct(task);
	return ret;
}

/* Return: 0 (also if the CPU went off-line meanwhile) or -errno. */
static int perf_ev_create_on_cpu(struct lw_event *event, int cpu)
{
	int ret = perf_ev_create(event, cpu, cpu, NULL);

	return ret == -ENODEV && !cpu_online(cpu) ? 0 : ret;
}

static int perf_ev_create_on_cpus(struct lw_event *event)
{
	unsigned int made = 0;
	int cpu, ret;

	event->on_cpus = true;
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

/* The CPU may be new, or back: then perf has detached the old event. */
static void perf_ev_adopt_cpu(struct lw_event *event, int cpu)
{
	struct lw_session *session = event->session;
	struct perf_event *old = event->events[cpu];

	lockdep_assert_held(&session->lock);
	/* It was made after the CPU came. */
	if (old && old->attach_state & PERF_ATTACH_CONTEXT)
		return;
	if (old)
		perf_event_release_kernel(old);
	event->events[cpu] = NULL;
	if (!cpu_online(cpu))
		return;
	if (event->named_by_user || perf_ev_create_on_cpu(event, cpu))
		WRITE_ONCE(session->missing_cpus, session->missing_cpus + 1);
	else if (event->events[cpu] && session->enabled && !event->always_on)
		perf_event_enable(event->events[cpu]);
}

/* Have all sessions adopt the CPUs that have come. */
static void perf_ev_note_cpus(void)
{
	struct lw_session *session;
	int cpu;

	lockdep_assert_held(&sessions_lock);
	for_each_possible_cpu(cpu)
		if (cpumask_test_and_clear_cpu(cpu, &new_cpus))
			list_for_each_entry(session, &sessions, all)
				__cpumask_set_cpu(cpu, &session->new_cpus);
}

/*
 * open() and close() wait for sessions_lock, so the session's lock may not be waited for here.
 *
 * Return: false if somebody else has that.
 */
static bool perf_ev_try_adopt(struct lw_session *session)
{
	struct lw_event *event;
	int cpu;

	lockdep_assert_held(&sessions_lock);
	if (!mutex_trylock(&session->lock))
		return false;
	for_each_cpu(cpu, &session->new_cpus)
		list_for_each_entry(event, &session->events, node)
			if (event->on_cpus)
				perf_ev_adopt_cpu(event, cpu);
	cpumask_clear(&session->new_cpus);
	mutex_unlock(&session->lock);
	return true;
}

static void perf_ev_adopt_cpus(struct work_struct *work)
{
	struct lw_session *session;
	bool again = false;

	mutex_lock(&sessions_lock);
	perf_ev_note_cpus();
	list_for_each_entry(session, &sessions, all)
		if (!cpumask_empty(&session->new_cpus) && !perf_ev_try_adopt(session))
			again = true;
	mutex_unlock(&sessions_lock);
	if (again)
		schedule_delayed_work(to_delayed_work(work), ADOPT_AGAIN);
}

static DECLARE_DELAYED_WORK(adopt_work, perf_ev_adopt_cpus);

static int perf_ev_cpu_comes(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &new_cpus);
	schedule_delayed_work(&adopt_work, 0);
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
	cancel_delayed_work_sync(&adopt_work);
	free_percpu(scratches);
}

/**
 * lw_event_make_session - bring the events of a session to new CPUs from now on
 * @session: without events
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
				     const struct perf_event_attr *attr,
				     const struct lw_add_event *add)
{
	struct lw_event *event;
	int ret;

	event = kvzalloc(struct_size(event, events, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->session = session;
	event->id = session->last_id + 1;
	event->attr = *attr;
	event->always_on = attr->enable_on_exec || attr->inherit;
	perf_ev_set_up_attr(&event->attr);
	if (add->target == LW_TARGET_CPUS)
		ret = perf_ev_create_on_cpus(event);
	else
		ret = perf_ev_create_on_task(event, add->pid);
	if (!ret)
		return event;
	perf_ev_release_perf(event);
	/* A handler may still look at the event. */
	synchronize_rcu();
	kvfree(event);
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

static int perf_ev_add_locked(struct lw_session *session, const struct perf_event_attr *attr,
			      struct lw_add_event *add)
{
	unsigned int nr = add->target == LW_TARGET_CPUS ? num_online_cpus() : 1;
	struct lw_event *event;

	lockdep_assert_held(&session->lock);
	if (session->enabled)
		return -EBUSY;
	if (session->nr_events == LW_MAX_EVENTS)
		return -ENOSPC;
	/*
	 * perf's own events are files, which RLIMIT_NOFILE bounds.  Ours take as much memory, and
	 * nobody is charged for it.
	 */
	if (session->nr_counters + nr > rlimit(RLIMIT_NOFILE) && !capable(CAP_SYS_RESOURCE))
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
 * @session: of the caller, set up.  The caller has CAP_PERFMON: kernel counters bypass
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

	if (add->reserved)
		return -EINVAL;
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
 * Events that an execve() starts, or that children inherit, are left alone: session->enabled
 * decides about their hits.
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
 * @session: disabled, and about to be destroyed
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
		kvfree(event);
	}
}
