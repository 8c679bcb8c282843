// SPDX-License-Identifier: GPL-2.0
/*
 * stress.c [SECONDS [SEED]]: sessions of every kind, over tasks that do all that
 * tasks can do, all at once and at random; after each round the books must
 * balance:
 *
 *	requests = stacks delivered + stacks dropped, for every session,
 *
 * every record that was counted was read or is told as lost, and no cookie has
 * two stacks. What each worker, session and disturbance does follows from SEED,
 * the round and its number; when it does it is up to the kernel. Without SECONDS it is
 * as long as the form of the test has it; SEED is LW_SEED, or a new one.
 *
 * lw_test.ko, if it was built, adds tracers of the kernel API, which ask in
 * softirq, hardirq and NMI context, ask again while they are told, and go away in
 * the middle; and NMIs that the host injects, if it does that here, ask for one
 * of them.
 *
 * In some rounds the workers can't ask for themselves (they hold no session);
 * at the end of these the module is unloaded and loaded again under them.
 * LATEWIND_KO is the module's file; without it that part is left out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lwm.h"
#include "lib/lw_test.h"

#define MAX_SESSIONS	12
#define NR_WORKERS	6
#define ROUND_NS	4000000000ULL
/* Under KASAN a task that was killed takes its time to go. */
#define SETTLE_NS	120000000000ULL
#define PAGES		64
/* Of lw_test.ko; the last is asked for by NMIs from outside. */
#define NR_TRACERS	8
#define NMI_TRACER	(NR_TRACERS - 1)
#define NMI_PORT	"/dev/virtio-ports/lw.nmi"
/* What workers exec does that, as its argument tells it. */
#define NOTHING		"nothing"

static uint64_t seed;
static unsigned int failures;

/* xorshift64*, one per actor: what it does is its own, and can be repeated. */
struct dice {
	uint64_t state;
};

static struct dice dice_of(uint64_t round, uint64_t actor)
{
	struct dice d = { seed * 0x9e3779b97f4a7c15ULL + round * 1000003 +
			  actor * 7919 + 1 };

	return d;
}

static uint64_t roll(struct dice *d, uint64_t sides)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (d->state * 0x2545f4914f6cdd1dULL >> 33) % sides;
}

/* Workers: each operation leaves its process as it found it. */

/**
 * struct worker - a process that does things
 * @d: what
 * @fds: sessions that it may ask; -1 ends them
 * @lwm: of lw_test.ko, or -1
 * @memory: PAGES pages to play with
 */
struct worker {
	struct dice d;
	int fds[MAX_SESSIONS + 1];
	int lwm;
	char *memory;
};

static struct worker *me;

static void ask(struct worker *w)
{
	unsigned int nr = 0;

	while (w->fds[nr] >= 0)
		nr++;
	if (nr)
		lwt_request(w->fds[roll(&w->d, nr)],
			    roll(&w->d, 2) ? LW_REQUEST_SAMPLE : 0, NULL);
}

/* In any chain of contexts, on the way in, out, or both. */
static void contexts(struct worker *w)
{
	struct lwm_ask asks[4];
	struct lwm_run run = { .asks = (uintptr_t)asks };

	if (w->lwm < 0)
		return;
	memset(asks, 0, sizeof(asks));
	for (run.nr = 0; run.nr <= roll(&w->d, 4) && run.nr < 4; run.nr++) {
		asks[run.nr].tracer = roll(&w->d, NMI_TRACER);
		asks[run.nr].flags = (roll(&w->d, 2) ? LWM_NO_PREEMPT : 0) |
				     (roll(&w->d, 2) ? LWM_REGS : 0);
		/* Seldom softirq: where ksoftirqd runs it is not reached. */
		asks[run.nr].path = roll(&w->d, 16) &
				    (roll(&w->d, 8) ? ~LWM_AT(LWM_SOFTIRQ) : ~0U);
		asks[run.nr].in = asks[run.nr].path & roll(&w->d, 16);
		asks[run.nr].out = asks[run.nr].path & roll(&w->d, 16);
	}
	lwt_ioctl(w->lwm, LWM_IOC_RUN, &run);
}

static void calls(struct worker *w)
{
	unsigned int nr = roll(&w->d, 200);

	while (nr--)
		syscall(SYS_getppid);
}

static void burn(struct worker *w)
{
	unsigned int nr = roll(&w->d, 200000);

	while (nr--)
		asm volatile("" : : : "memory");
}

static void touch(struct worker *w)
{
	unsigned int i;

	madvise(w->memory, PAGES * lwt_page(), MADV_DONTNEED);
	for (i = 0; i < PAGES; i += 1 + roll(&w->d, 4))
		w->memory[i * lwt_page()] = i;
}

static void remap(struct worker *w)
{
	void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	memset(p, 1, lwt_page() * (1 + roll(&w->d, 8)));
	mprotect(p, 1 << 20, PROT_READ);
	munmap(p, 1 << 20);
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* Forks and does @in_child there, which does not return. */
static pid_t start(struct worker *w, void (*in_child)(struct worker *w))
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		in_child(w);
		_exit(0);
	}
	return pid;
}

static void child_asks(struct worker *w)
{
	ask(w);
	calls(w);
	syscall(roll(&w->d, 2) ? SYS_exit : SYS_exit_group, 0);
}

static void child_execs(struct worker *w)
{
	char *const args[] = { "stress", NOTHING, NULL };

	ask(w);
	execv("/proc/self/exe", args);
}

static void child_segfaults(struct worker *w)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	(void)w;
	setrlimit(RLIMIT_CORE, &limit);
	if (chdir("/tmp"))
		_exit(1);
	signal(SIGSEGV, SIG_DFL);
	kill(getpid(), SIGSEGV);
}

static void child_is_sandboxed(struct worker *w)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, roll(&w->d, 2) ?
			 SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	ask(w);
	syscall(SYS_getppid);
}

static void child_blocks(struct worker *w)
{
	int pipes[2];
	char byte;

	if (pipe(pipes))
		return;
	ask(w);
	(void)!read(pipes[0], &byte, 1);
}

static void one_child(struct worker *w)
{
	static void (*const children[])(struct worker *w) = {
		child_asks, child_execs, child_segfaults, child_is_sandboxed,
	};
	pid_t pid = start(w, children[roll(&w->d, 4)]);

	if (pid > 0)
		wait_for(pid);
}

static void kill_one(struct worker *w)
{
	pid_t pid = start(w, child_blocks);

	if (pid <= 0)
		return;
	if (roll(&w->d, 2))
		sched_yield();
	if (roll(&w->d, 2)) {
		kill(pid, SIGSTOP);
		waitpid(pid, NULL, WUNTRACED);
		if (roll(&w->d, 2))
			kill(pid, SIGCONT);
	}
	kill(pid, SIGKILL);
	wait_for(pid);
}

static void vfork_one(struct worker *w)
{
	char *const args[] = { "stress", NOTHING, NULL };
	pid_t pid;

	ask(w);
	pid = vfork();
	if (!pid) {
		if (roll(&w->d, 2))
			execv("/proc/self/exe", args);
		_exit(0);
	}
	if (pid > 0)
		wait_for(pid);
}

static void trace_one(struct worker *w)
{
	pid_t pid = start(w, child_blocks);
	unsigned int i;
	int status;

	if (pid <= 0)
		return;
	if (!ptrace(PTRACE_ATTACH, pid, NULL, NULL)) {
		for (i = roll(&w->d, 5); i; i--) {
			if (waitpid(pid, &status, __WALL) < 0 ||
			    !WIFSTOPPED(status))
				break;
			if (ptrace(roll(&w->d, 2) ? PTRACE_SYSCALL :
				   PTRACE_SINGLESTEP, pid, NULL, NULL))
				break;
			kill(pid, SIGWINCH);
		}
	}
	kill(pid, SIGKILL);
	wait_for(pid);
}

static void *thread(void *arg)
{
	ask(arg);
	syscall(SYS_getppid);
	ask(arg);
	return NULL;
}

static void threads(struct worker *w)
{
	pthread_t ids[4];
	struct worker copies[4];
	unsigned int i, nr;

	for (nr = 0; nr < 4; nr++) {
		copies[nr] = *w;
		copies[nr].d.state += nr + 1;
		if (pthread_create(&ids[nr], NULL, thread, &copies[nr]))
			break;
	}
	for (i = 0; i < nr; i++)
		pthread_join(ids[i], NULL);
	roll(&w->d, 2);
}

static void handler(int sig)
{
	static __thread unsigned int depth;

	if (depth++ < 3) {
		ask(me);
		raise(sig == SIGUSR1 ? SIGUSR2 : SIGUSR1);
	}
	depth--;
}

static void signals(struct worker *w)
{
	raise(roll(&w->d, 2) ? SIGUSR1 : SIGUSR2);
}

static void move(struct worker *w)
{
	lwt_pin(roll(&w->d, 2));
	syscall(SYS_getppid);
	ask(w);
}

static void nap(struct worker *w)
{
	struct timespec time = { 0, roll(&w->d, 2000000) };

	nanosleep(&time, NULL);
}

static const struct {
	void (*run)(struct worker *w);
	unsigned int weight;
} operations[] = {
	{ ask, 20 }, { contexts, 15 }, { calls, 20 }, { burn, 10 }, { touch, 10 }, { remap, 10 },
	{ one_child, 8 }, { kill_one, 8 }, { vfork_one, 4 }, { trace_one, 6 },
	{ threads, 6 }, { signals, 10 }, { move, 6 }, { nap, 10 },
};

static void work(struct worker *w)
{
	unsigned int i, total = 0, at;

	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		total += operations[i].weight;
	at = roll(&w->d, total);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	operations[i].run(w);
}

static void be_worker(struct worker *w)
{
	struct sigaction action = { .sa_handler = handler };
	stack_t alt = { .ss_size = 65536 };

	/* A group of its own, to be killed with all that it made. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	me = w;
	w->memory = mmap(NULL, PAGES * lwt_page(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	alt.ss_sp = malloc(alt.ss_size);
	sigaltstack(&alt, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_NODEFER;
	sigaction(SIGUSR2, &action, NULL);
	for (;;)
		work(w);
}

/* Sessions. */

/**
 * struct tracer - a session and what was read from it
 * @s: session
 * @log: all of this round
 * @is_open: else the rest is nothing
 * @enabled: as far as we know
 */
struct tracer {
	struct lwt_session s;
	struct lwt_log log;
	bool is_open;
	bool enabled;
};

static struct tracer tracers[MAX_SESSIONS];

static struct {
	uint64_t requests;
	uint64_t shared;
	uint64_t stacks;
	uint64_t dropped;
	uint64_t exited;
	uint64_t refused_task;
	uint64_t refused_slots;
	uint64_t throttled;
	uint64_t filtered;
	uint64_t samples;
	uint64_t syscalls;
	uint64_t data_faults;
	uint64_t lost_records;
	uint64_t reloads;
	uint64_t sessions;
	uint64_t nmis;
	uint64_t kernel_requests;
	uint64_t kernel_shared;
	uint64_t kernel_stacks;
	uint64_t kernel_owed;
} sums;

static void complain(const char *what, uint64_t round, uint64_t a, uint64_t b)
{
	printf("# round %llu: %s: %llu and %llu\n", (unsigned long long)round,
	       what, (unsigned long long)a, (unsigned long long)b);
	failures++;
}

static int add_random_event(struct tracer *t, struct dice *d)
{
	static const char *const tracepoints[] = {
		"syscalls/sys_enter_getppid", "syscalls/sys_exit_getppid",
		"syscalls/sys_enter_ioctl", "exceptions/page_fault_user",
		"sched/sched_switch", "sched/sched_process_exit",
		"sched/sched_process_fork", "signal/signal_deliver",
		"irq/softirq_entry", "timer/hrtimer_expire_entry",
		"task/task_newtask", "raw_syscalls/sys_enter",
	};
	struct perf_event_attr attr;

	if (roll(d, 2)) {
		attr = lwt_attr_cpu_clock(200000 + roll(d, 2000000));
	} else {
		attr = lwt_attr_tracepoint(tracepoints[roll(d, 12)]);
		attr.sample_period = 1 + roll(d, 5);
	}
	attr.exclude_kernel = !roll(d, 8);
	attr.exclude_callchain_user = !roll(d, 16);
	return lwt_add_event(t->s.fd, &attr, LW_TARGET_CPUS, 0, NULL);
}

/* A system call, with data that may not be in memory. */
static void add_random_call(struct tracer *t, struct dice *d)
{
	static const struct {
		uint32_t nr;
		struct lw_syscall_arg arg;
	} calls[] = {
		{ LW_SYSCALL_ANY, {} },
		{ SYS_getppid, {} },
		{ SYS_openat, { .arg = 1, .kind = LW_DATA_STRING,
				.when = LW_SYSCALL_ENTRY, .max = 256 } },
		{ SYS_execve, { .arg = 1, .kind = LW_DATA_STRINGS,
				.when = LW_SYSCALL_ENTRY, .max = 1024 } },
		{ SYS_read, { .arg = 1, .kind = LW_DATA_BUFFER, .when = LW_SYSCALL_EXIT,
			      .count = LW_COUNT_RETURN, .max = 512 } },
		{ SYS_write, { .arg = 1, .kind = LW_DATA_BUFFER,
			       .when = LW_SYSCALL_ENTRY, .count = 2, .max = 512 } },
	};
	unsigned int i = roll(d, sizeof(calls) / sizeof(calls[0]));
	struct lw_add_syscall add = {
		.size = sizeof(add),
		.flags = LW_SYSCALL_ENTRY | LW_SYSCALL_EXIT |
			 (roll(d, 2) ? LW_SYSCALL_STACK : 0),
		.nr = calls[i].nr,
		.nr_args = calls[i].arg.kind ? 1 : 0,
		.args = calls[i].arg.kind ? (uintptr_t)&calls[i].arg : 0,
	};

	/* Added before, or too much for its ring. */
	lwt_ioctl(t->s.fd, LW_IOC_ADD_SYSCALL, &add);
}

static void open_tracer(struct tracer *t, struct dice *d)
{
	static const uint32_t masks[] = { 0, LW_MASK_SFRAME };
	static const uint32_t flags[] = {
		0, LW_SETUP_CGROUP, LW_SETUP_MODULES, LW_SETUP_CGROUP | LW_SETUP_MODULES,
	};
	unsigned int nr = roll(d, 4);
	struct lw_setup setup = {
		.size = sizeof(setup),
		.ring_size = (uint64_t)lwt_page() << roll(d, 11),
		.depth = 1 + roll(d, 166),
		.kernel_depth = roll(d, 64),
		.mask = masks[roll(d, 2)],
		.flags = flags[roll(d, 4)],
	};
	int ret;

	memset(t, 0, sizeof(*t));
	ret = lwt_session_open_as(&t->s, &setup);
	if (ret) {
		complain("open", 0, -ret, 0);
		return;
	}
	t->is_open = true;
	sums.sessions++;
	/* Not all kernels have all of these. */
	while (nr--)
		add_random_event(t, d);
	for (nr = roll(d, 3); nr; nr--)
		add_random_call(t, d);
	t->enabled = !lwt_enable(t->s.fd);
}

static void set_filter(struct tracer *t, struct dice *d, const pid_t *pids)
{
	int32_t two[2] = { pids[roll(d, NR_WORKERS)], getpid() };
	struct lw_filter filter = {
		.size = sizeof(filter),
		.flags = roll(d, (LW_FILTER_INVERT | LW_FILTER_CHILDREN) + 1),
		.kind = LW_FILTER_PROCESSES,
		.nr = 2,
		.pids = (uintptr_t)two,
	};

	if (roll(d, 2))
		filter = (struct lw_filter) { .size = sizeof(filter) };
	lwt_ioctl(t->s.fd, LW_IOC_FILTER, &filter);
}

static void toggle(struct tracer *t)
{
	if (t->enabled)
		t->enabled = lwt_disable(t->s.fd) != 0;
	else
		t->enabled = lwt_enable(t->s.fd) == 0;
}

static void close_tracer(struct tracer *t)
{
	lwt_log_free(&t->log);
	lwt_session_close(&t->s);
	t->is_open = false;
}

/* Tracers of the kernel API. */

/**
 * struct kernel - lw_test.ko in a round
 * @fd: of it, or -1
 * @port: to who injects NMIs, or -1
 * @nmis: that were asked for and not yet told as done
 */
struct kernel {
	int fd;
	int port;
	unsigned int nmis;
};

static struct kernel kernel = { .fd = -1, .port = -1 };

static int register_random(struct dice *d, unsigned int tracer)
{
	static const uint32_t masks[] = { 0, LW_MASK_SFRAME };
	struct lwm_register arg = {
		.tracer = tracer,
		.mask = masks[roll(d, 2)],
		.depth = roll(d, 200),
		.again = roll(d, 2) ? 1 + roll(d, NMI_TRACER) : 0,
		.again_times = roll(d, 3),
		.sleep_ms = roll(d, 8) ? 0 : 1,
	};

	return lwt_ioctl(kernel.fd, LWM_IOC_REGISTER, &arg);
}

static int open_port(void)
{
	struct pollfd poll_fd;
	int fd = open(NMI_PORT, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	poll_fd = (struct pollfd){ .fd = fd, .events = POLLOUT };
	if (poll(&poll_fd, 1, 0) == 1 && !(poll_fd.revents & POLLHUP))
		return fd;
	close(fd);
	return -1;
}

static void open_kernel(uint64_t round, struct dice *d)
{
	struct lwm_nmis arg = { .tracer = NMI_TRACER };
	unsigned int i;
	int ret = 0;

	kernel = (struct kernel) { .fd = lwm_open(""), .port = -1 };
	if (kernel.fd < 0) {
		if (kernel.fd != -ENOENT)
			complain("lw_test.ko", round, -kernel.fd, 0);
		return;
	}
	for (i = 0; i < NR_TRACERS && !ret; i++)
		ret = register_random(d, i);
	if (roll(d, 3))
		kernel.port = open_port();
	if (!ret && kernel.port >= 0)
		ret = lwt_ioctl(kernel.fd, LWM_IOC_NMIS, &arg);
	if (ret)
		complain("tracers", round, -ret, 0);
}

/* One after the other, without end while the round lasts. */
static void inject_nmis(struct dice *d, bool more)
{
	struct pollfd poll_fd = { .fd = kernel.port, .events = POLLIN };
	char line[128];
	ssize_t len;

	if (kernel.port < 0)
		return;
	if (kernel.nmis && poll(&poll_fd, 1, more ? 0 : LWT_TIMEOUT_MS) == 1) {
		len = read(kernel.port, line, sizeof(line) - 1);
		line[len > 0 ? len : 0] = 0;
		if (strncmp(line, "done ", 5))
			complain(line, 0, 0, 0);
		sums.nmis += kernel.nmis;
		kernel.nmis = 0;
	}
	if (kernel.nmis || !more)
		return;
	kernel.nmis = 1 + roll(d, 50);
	/* CPUs send NMIs to themselves, too. */
	len = snprintf(line, sizeof(line), "inject %u again\n", kernel.nmis);
	if (write(kernel.port, line, len) != len)
		complain("port", 0, errno, 0);
}

static void swap_tracer(struct dice *d)
{
	unsigned int tracer = roll(d, NMI_TRACER);
	uint64_t owed;
	int ret;

	if (kernel.fd < 0)
		return;
	ret = lwm_unregister(kernel.fd, tracer, &owed);
	if (!ret) {
		sums.kernel_owed += owed;
		ret = register_random(d, tracer);
	}
	if (ret)
		complain("tracer", 0, -ret, 0);
}

static bool kernel_settled(void)
{
	unsigned int i;

	for (i = 0; i < NR_TRACERS && kernel.fd >= 0; i++)
		if (lwm_stats(kernel.fd, i).stats.pending)
			return false;
	return true;
}

static void audit_nmis(uint64_t round, const struct lw_stats *stats)
{
	static struct lwm_nmi_counts counts;
	uint64_t nmis = 0, errors = 0;
	unsigned int i;

	if (kernel.port < 0)
		return;
	if (lwt_ioctl(kernel.fd, LWM_IOC_NMI_COUNTS, &counts))
		complain("NMI counts", round, 0, 0);
	for (i = 0; i < 64; i++) {
		nmis += counts.nmis[i];
		errors += counts.errors[i];
	}
	if (nmis != counts.queued + counts.pending + errors)
		complain("NMIs are not accounted for", round, nmis,
			 counts.queued + counts.pending + errors);
	if (counts.queued + counts.pending != stats->requests)
		complain("NMIs that got a cookie are not the requests", round,
			 counts.queued + counts.pending, stats->requests);
}

static void close_kernel(uint64_t round)
{
	struct lwm_stats stats;
	uint64_t owed;
	unsigned int i;

	if (kernel.fd < 0)
		return;
	for (i = 0; i < NR_TRACERS; i++) {
		stats = lwm_stats(kernel.fd, i);
		if (i == NMI_TRACER)
			audit_nmis(round, &stats.stats);
		if (stats.stats.requests - stats.stats.shared != stats.callbacks)
			complain("due is not called back", round,
				 stats.stats.requests - stats.stats.shared,
				 stats.callbacks);
		if (stats.callbacks != stats.stats.user_stacks)
			complain("callbacks and stacks", round, stats.callbacks,
				 stats.stats.user_stacks);
		if (stats.zombies)
			complain("called back when it was gone", round,
				 stats.zombies, 0);
		sums.kernel_requests += stats.stats.requests;
		sums.kernel_shared += stats.stats.shared;
		sums.kernel_stacks += stats.callbacks;
		if (lwm_unregister(kernel.fd, i, &owed) || owed)
			complain("owed at the end", round, owed, 0);
	}
	if (kernel.port >= 0)
		close(kernel.port);
	lwm_close(kernel.fd);
	kernel = (struct kernel) { .fd = -1, .port = -1 };
}

static void set_online(bool online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, online ? "1" : "0", 1);
	close(fd);
}

static void disturb(struct dice *d, const pid_t *pids)
{
	struct tracer *t = &tracers[roll(d, MAX_SESSIONS)];

	switch (roll(d, 12)) {
	case 0:
		/* Who injects NMIs waits for all CPUs. */
		if (kernel.port < 0)
			set_online(roll(d, 3));
		break;
	case 10:
	case 11:
		swap_tracer(d);
		break;
	case 1:
		/* Its books can't be looked at any more; its tasks go on. */
		if (t->is_open)
			close_tracer(t);
		open_tracer(t, d);
		break;
	case 2:
	case 3:
		if (t->is_open)
			set_filter(t, d, pids);
		break;
	default:
		if (t->is_open)
			toggle(t);
	}
}

static void read_all(void)
{
	unsigned int i;

	for (i = 0; i < MAX_SESSIONS; i++)
		if (tracers[i].is_open)
			lwt_read(&tracers[i].s, &tracers[i].log);
}

static bool is_settled(int fd)
{
	struct lw_stats stats = lwt_stats(fd);

	return !stats.pending && !stats.waiting;
}

static bool all_settled(void)
{
	unsigned int i;

	read_all();
	for (i = 0; i < MAX_SESSIONS; i++)
		if (tracers[i].is_open && !is_settled(tracers[i].s.fd))
			return false;
	return true;
}

/* The books of one session. */
static void audit(struct tracer *t, uint64_t round)
{
	struct lw_stats stats = lwt_stats(t->s.fd);
	struct lwt_counts counts = lwt_log_check(&t->log);
	uint64_t lost = lwt_lost_on_rings(&t->s);
	uint64_t due = stats.requests - stats.shared;

	if (due != stats.user_stacks + stats.lost_stacks)
		complain("due is not delivered and dropped", round, due,
			 stats.user_stacks + stats.lost_stacks);
	if (counts.stacks != stats.user_stacks)
		complain("stacks read are not those written", round,
			 counts.stacks, stats.user_stacks);
	if (counts.samples != stats.samples)
		complain("samples read are not those written", round,
			 counts.samples, stats.samples);
	if (counts.syscalls != stats.syscalls)
		complain("calls read are not those written", round,
			 counts.syscalls, stats.syscalls);
	if (lost != stats.lost_full + stats.lost_big + stats.lost_nested)
		complain("rings and counters disagree on losses", round, lost,
			 stats.lost_full + stats.lost_big + stats.lost_nested);
	if (counts.lost > lost)
		complain("more LOST than lost", round, counts.lost, lost);
	if (counts.twice)
		complain("cookies with two stacks", round, counts.twice, 0);
	if (counts.malformed)
		complain("malformed records", round, counts.malformed, 0);
	if (!stats.lost_stacks && counts.orphans)
		complain("samples without a stack", round, counts.orphans, 0);
	sums.requests += stats.requests;
	sums.shared += stats.shared;
	sums.stacks += stats.user_stacks;
	sums.dropped += stats.lost_stacks;
	sums.exited += stats.no_walks;
	sums.refused_task += stats.refused_task;
	sums.refused_slots += stats.refused_slots;
	sums.throttled += stats.throttled;
	sums.filtered += stats.filtered;
	sums.samples += stats.samples;
	sums.syscalls += stats.syscalls;
	sums.data_faults += stats.data_faults;
	sums.lost_records += lost;
}

/* No cookie may be given by two entries: all sessions together. */
static void audit_cookies(uint64_t round)
{
	struct lwt_log all = {};
	unsigned int i;
	size_t j;

	for (i = 0; i < MAX_SESSIONS; i++)
		all.nr += tracers[i].is_open ? tracers[i].log.nr : 0;
	all.records = calloc(all.nr + 1, sizeof(*all.records));
	all.nr = 0;
	for (i = 0; i < MAX_SESSIONS; i++) {
		for (j = 0; tracers[i].is_open && j < tracers[i].log.nr; j++)
			all.records[all.nr++] = tracers[i].log.records[j];
	}
	if (lwt_cookies_disagree(&all))
		complain("one cookie, two tasks or places", round,
			 lwt_cookies_disagree(&all), 0);
	free(all.records);
}

static int reload(void)
{
	const char *path = getenv("LATEWIND_KO");
	int fd, ret = -EWOULDBLOCK;

	if (!path)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	lwt_wait((ret = syscall(SYS_delete_module, "latewind", O_NONBLOCK) ?
		  -errno : 0) != -EWOULDBLOCK);
	if (!ret)
		ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	if (!ret && !lwt_wait(!access(LW_DEVICE_PATH, F_OK)))
		ret = -ENOENT;
	close(fd);
	sums.reloads++;
	return ret;
}

static pid_t start_worker(uint64_t round, unsigned int nr, bool may_ask)
{
	struct worker w = { .d = dice_of(round, 100 + nr) };
	unsigned int i, fds = 0;
	pid_t pid = fork();

	if (pid) {
		setpgid(pid, pid);
		return pid;
	}
	for (i = 0; i < MAX_SESSIONS; i++) {
		if (!tracers[i].is_open)
			continue;
		if (may_ask)
			w.fds[fds++] = tracers[i].s.fd;
		else
			lwt_session_forget(&tracers[i].s);
	}
	w.fds[fds] = -1;
	w.lwm = kernel.fd;
	be_worker(&w);
	_exit(0);
}

static void stop_worker(pid_t pid)
{
	kill(-pid, SIGKILL);
	wait_for(pid);
}

static void run_round(uint64_t round, uint64_t end)
{
	struct dice d = dice_of(round, 1);
	bool may_ask = roll(&d, 3);
	unsigned int i, looks = 0, nr = 1 + roll(&d, MAX_SESSIONS);
	pid_t pids[NR_WORKERS];
	uint64_t until;
	int ret;

	for (i = 0; i < nr; i++)
		open_tracer(&tracers[i], &d);
	/* It would hold the module in the other rounds. */
	if (may_ask)
		open_kernel(round, &d);
	for (i = 0; i < NR_WORKERS; i++)
		pids[i] = start_worker(round, i, may_ask);
	until = lwt_now() + ROUND_NS;
	while (lwt_now() < until && lwt_now() < end) {
		read_all();
		inject_nmis(&d, true);
		disturb(&d, pids);
		usleep(2000);
	}
	inject_nmis(&d, false);
	set_online(true);
	for (i = 0; i < MAX_SESSIONS; i++)
		if (tracers[i].is_open && tracers[i].enabled)
			lwt_disable(tracers[i].s.fd);
	if (may_ask)
		for (i = 0; i < NR_WORKERS; i++)
			stop_worker(pids[i]);
	until = lwt_now() + SETTLE_NS;
	while (!(all_settled() && kernel_settled()) && lwt_now() < until) {
		/* A reader of this output owes a stack as long as it has nothing to read. */
		if (++looks % 100 == 0)
			printf("# round %llu: stacks are waited for\n",
			       (unsigned long long)round);
		usleep(10000);
	}
	if (!all_settled() || !kernel_settled())
		complain("stacks still owed", round, 1, 0);
	/* What was settled by that look, after it had read. */
	read_all();
	for (i = 0; i < MAX_SESSIONS; i++)
		if (tracers[i].is_open)
			audit(&tracers[i], round);
	audit_cookies(round);
	close_kernel(round);
	for (i = 0; i < MAX_SESSIONS; i++)
		if (tracers[i].is_open)
			close_tracer(&tracers[i]);
	if (!may_ask) {
		/* Under load, and with tasks that were asked about. */
		ret = reload();
		if (ret)
			complain("reload", round, -ret, 0);
		for (i = 0; i < NR_WORKERS; i++)
			stop_worker(pids[i]);
	}
}

int main(int argc, char **argv)
{
	uint64_t round, end, seconds;

	if (argc == 2 && !strcmp(argv[1], NOTHING))
		return 0;
	if (!lwt_destructive()) {
		printf("TAP version 13\n1..0 # SKIP %s\n", LWT_MAY_HURT);
		return 4;
	}
	seconds = argc > 1 ? strtoull(argv[1], NULL, 0) : lwt_long() ? 20 : 8;
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : lwt_seed();
	end = lwt_now() + seconds * 1000000000ULL;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..1\n# seed %llu\n", (unsigned long long)seed);
	for (round = 0; lwt_now() < end && failures < 20; round++)
		run_round(round, end);
	printf("# %llu rounds, %llu sessions, %llu reloads\n",
	       (unsigned long long)round, (unsigned long long)sums.sessions,
	       (unsigned long long)sums.reloads);
	printf("# requests %llu - shared %llu = delivered %llu + dropped %llu\n",
	       (unsigned long long)sums.requests,
	       (unsigned long long)sums.shared,
	       (unsigned long long)sums.stacks,
	       (unsigned long long)sums.dropped);
	printf("# kernel API: requests %llu - shared %llu = called back %llu\n",
	       (unsigned long long)sums.kernel_requests,
	       (unsigned long long)sums.kernel_shared,
	       (unsigned long long)sums.kernel_stacks);
	printf("# owed to tracers that went %llu, NMIs injected into each CPU %llu\n",
	       (unsigned long long)sums.kernel_owed,
	       (unsigned long long)sums.nmis);
	printf("# samples %llu, of delivered without a walk %llu, records lost %llu\n",
	       (unsigned long long)sums.samples,
	       (unsigned long long)sums.exited,
	       (unsigned long long)sums.lost_records);
	printf("# refused: no user space %llu, no slot %llu, throttled %llu, filtered %llu\n",
	       (unsigned long long)sums.refused_task,
	       (unsigned long long)sums.refused_slots,
	       (unsigned long long)sums.throttled,
	       (unsigned long long)sums.filtered);
	printf("# system calls %llu, arguments that could not be read %llu\n",
	       (unsigned long long)sums.syscalls,
	       (unsigned long long)sums.data_faults);
	if (sums.requests - sums.shared != sums.stacks + sums.dropped ||
	    sums.kernel_requests - sums.kernel_shared != sums.kernel_stacks)
		failures++;
	if (!sums.stacks)
		complain("nothing happened", 0, 0, 0);
	if (lwt_tainted())
		complain("kernel warning", 0, lwt_tainted(), 0);
	printf("%sok 1 the books balance\n", failures ? "not " : "");
	return failures ? 1 : 0;
}
