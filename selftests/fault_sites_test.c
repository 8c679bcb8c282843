// SPDX-License-Identifier: GPL-2.0
/*
 * fault_sites_test.c - each call of latewind.ko that allocates, or copies from or to user
 * space, fails at least once.
 *
 * The calls are read from the file of the module.  For each of them the kernel's fault
 * injection is told to fail what this one call asks for, every time, and a child then uses all
 * that the module has.  What it uses works, or says that there is no memory or a bad address.
 * A call that has never failed is a failure of this test, unless known_unreached[] says why.
 *
 * fault_test.c has what holds after a failure.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/call.h"
#include "lib/calls.h"
#include "lib/fake.h"
#include "lib/inject.h"
#include "lib/jit.h"
#include "lib/lw_test.h"
#include "lib/lwm.h"
#include "lib/sites.h"
#include "programs/chain.h"
#include "kselftest_harness.h"

LWT_DESTRUCTIVE_FILE;

#define RING		32768
/* A walk deeper than all before it on a CPU needs memory. */
#define FIRST_DEPTH	16

#define AT_LOAD	"only as it is loaded: loading_says_so of fault_test"

/**
 * struct unreached - calls that the uses below do not have fail
 * @function: that calls
 * @most: of them
 * @why: why not
 */
static const struct unreached {
	const char *function;
	unsigned int most;
	const char *why;
} known_unreached[] = {
	{ "lw_chardev_init", 2, AT_LOAD },
	{ "lw_event_init", 1, AT_LOAD },
	{ "pool_add_segment", 1, AT_LOAD "; else by a worker, with 4,096 tasks that owe a stack" },
	/* The compiler makes two of the call there. */
	{ "lw_walk_prepare", 1, "lw_unwind_forget() beside a walk" },
};

FIXTURE(sites)
{
	struct site sites[SITES_MAX];
	unsigned int failures[SITES_MAX];
	int nr;
	int lwm;			/* of LWM_DEVICE */
	struct fake fake;
	uint8_t *text;
	char *dropped;			/* a path on a page that is not in memory */
	uint32_t depth;			/* of the next walk */
};

FIXTURE_SETUP(sites)
{
	const char *ko = getenv("LATEWIND_KO");

	self->lwm = -1;
	if (!ko)
		SKIP(return, "LATEWIND_KO is not set");
	if (access("/proc/self/make-it-fail", W_OK) ||
	    access("/sys/kernel/debug/fail_usercopy", F_OK) || inject_init(INJECT_ALL) ||
	    inject_end())
		SKIP(return, "no fault injection (failslab, fail_page_alloc, fail_usercopy)");
	self->lwm = lwm_open("");
	if (self->lwm == -ENOENT)
		SKIP(return, LWM_MISSING, "lw_test");
	ASSERT_LE(0, self->lwm);
	self->nr = sites_read(ko, self->sites);
	ASSERT_LT(0, self->nr);
	ASSERT_GT(SITES_MAX, self->nr);
	ASSERT_EQ(0, fake_make(&self->fake, NULL, 1, 0));
	self->text = jit_map(NULL, JIT_PAGE);
	ASSERT_NE(NULL, self->text);
	self->dropped = calls_dropped_pages("/nowhere", 0);
	ASSERT_NE(NULL, self->dropped);
	self->depth = FIRST_DEPTH;
}

FIXTURE_TEARDOWN(sites)
{
	inject_end();
	lwm_close(self->lwm);
	EXPECT_EQ(0, lwt_tainted());
}

/* --- what a child uses: each returns 0 or -errno */

static int use_events(FIXTURE_DATA(sites) *f)
{
	struct perf_event_attr clock = lwt_attr_cpu_clock(1000000);
	struct perf_event_attr calls = lwt_attr_tracepoint("raw_syscalls/sys_enter");
	struct lwt_session s;
	int ret = lwt_session_open_flags(&s, RING, LW_SETUP_FILES);

	(void)f;
	ret = ret ?: lwt_add_event(s.fd, &clock, LW_TARGET_CPUS, 0, NULL);
	ret = ret ?: lwt_add_event(s.fd, &calls, LW_TARGET_TASK, 0, NULL);
	ret = ret ?: lwt_enable(s.fd);
	getppid();
	ret = ret ?: lwt_disable(s.fd);
	lwt_session_close(&s);
	return ret;
}

/* A path that is read as the call ends. */
static int use_calls(FIXTURE_DATA(sites) *f)
{
	struct calls c;
	int ret = calls_open(&c, RING);

	ret = ret ?: calls_add(&c, SYS_write, LW_SYSCALL_ENTRY, &path_of_openat, 1, NULL);
	ret = ret ?: lwt_enable(c.s.fd);
	madvise(f->dropped, lwt_page(), MADV_DONTNEED);
	syscall(SYS_write, -1, f->dropped, 8);
	ret = ret ?: lwt_disable(c.s.fd);
	calls_close(&c);
	return ret;
}

static int use_family(FIXTURE_DATA(sites) *f)
{
	struct lwt_session s;
	int ret = lwt_session_open(&s, RING, 0, 0);
	pid_t pid;

	(void)f;
	ret = ret ?: lwt_only(s.fd, getpid(), LW_FILTER_CHILDREN);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	lwt_session_close(&s);
	return ret;
}

static int use_table(FIXTURE_DATA(sites) *f)
{
	struct lwt_session s;
	int ret = lwt_session_open(&s, RING, 0, 0);

	ret = ret ?: fake_add(&f->fake, s.fd);
	lwt_session_close(&s);
	return ret;
}

static int use_section(FIXTURE_DATA(sites) *f)
{
	int fd = open(LW_PROC_PATH, O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : jit_add(fd, f->text, 64);

	if (!ret)
		ret = jit_remove(fd, f->text, 64);
	close(fd);
	return ret;
}

static struct call asked;

static void ask_in_handler(int signal)
{
	struct lw_cookie cookie;

	(void)signal;
	asked.ret = lwt_request(asked.fd, 0, &cookie);
}

static int use_walks(FIXTURE_DATA(sites) *f)
{
	/* A page that is waited for: see walk_bring_page(). */
	char *headers = (char *)(getauxval(AT_PHDR) & ~(lwt_page() - 1));
	struct chain chain = {};
	struct lwt_session s;
	int ret = lwt_session_open(&s, RING, f->depth, 0);

	madvise(headers, lwt_page(), MADV_RANDOM);
	madvise(headers, lwt_page(), MADV_DONTNEED);

	asked.fd = s.fd;
	if (!ret) {
		chain_run(&chain, "abcfa", call_ask, &asked);
		ret = asked.ret;
	}
	signal(SIGUSR1, ask_in_handler);
	if (!ret && !raise(SIGUSR1))
		ret = asked.ret;
	lwt_session_close(&s);
	return ret;
}

static int use_tracer(FIXTURE_DATA(sites) *f)
{
	int ret = lwm_register(f->lwm, 0);

	return ret ?: lwm_unregister(f->lwm, 0, NULL);
}

static int use_queries(FIXTURE_DATA(sites) *f)
{
	static char buf[65536], name[4096], id[64];
	struct lw_vma_query query = {
		.size = sizeof(query),
		.flags = LW_VMA_COVERING_OR_NEXT | LW_VMA_FILE_BACKED,
		.name = (uintptr_t)name,
		.name_size = sizeof(name),
		.build_id = (uintptr_t)id,
		.build_id_size = sizeof(id),
	};
	struct lw_vma_list vmas = {
		.size = sizeof(vmas),
		.buf = (uintptr_t)buf,
		.buf_size = sizeof(buf),
	};
	struct lw_task_list tasks = {
		.size = sizeof(tasks),
		.buf = (uintptr_t)buf,
		.buf_size = sizeof(buf),
	};
	int fd = open(LW_DEVICE_PATH, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : 0;

	(void)f;
	query.pid = getpid();
	vmas.pid = getpid();
	ret = ret ?: lwt_ioctl(fd, LW_IOC_VMA_QUERY, &query);
	ret = ret ?: lwt_ioctl(fd, LW_IOC_VMA_LIST, &vmas);
	ret = ret ?: lwt_ioctl(fd, LW_IOC_TASK_LIST, &tasks);
	close(fd);
	return ret;
}

static const struct {
	const char *name;
	int (*run)(FIXTURE_DATA(sites) *f);
} uses[] = {
	/* First, as it has a page of this program read that others' walks may have had read. */
	{ "walks", use_walks },
	{ "events", use_events },
	{ "system calls", use_calls },
	{ "a family", use_family },
	{ "a table", use_table },
	{ "a section", use_section },
	{ "a tracer", use_tracer },
	{ "queries", use_queries },
};

/* Return: a status of exit(): 0 if all is well. */
static int use_all(FIXTURE_DATA(sites) *f, bool is_copy)
{
	int told = is_copy ? -EFAULT : -ENOMEM, bad = 0, ret;
	int fd = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);
	unsigned int i;

	if (lwt_pin(0) || write(fd, "1", 1) != 1)
		return 1;
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		ret = uses[i].run(f);
		if (ret && ret != told) {
			printf("# %s: %s\n", uses[i].name, strerror(-ret));
			bad = 1;
		}
	}
	fflush(stdout);
	return bad;
}

static bool fail_site(FIXTURE_DATA(sites) *f, unsigned int i)
{
	const struct site *site = &f->sites[i];
	uint64_t address = sites_address(site);
	int status = -1;
	pid_t pid;

	if (!address)
		return true;
	if (inject_at(address, site->is_copy))
		return false;
	pid = fork();
	if (!pid)
		_exit(use_all(f, site->is_copy));
	if (waitpid(pid, &status, 0) != pid)
		return false;
	f->failures[i] += inject_failures(site->is_copy);
	f->depth += f->depth < LW_MAX_DEPTH;
	return !inject_end() && !status;
}

/* Sites of a function that have never failed. */
static unsigned int count_unreached(const FIXTURE_DATA(sites) *f, const char *function)
{
	unsigned int i, nr = 0;

	for (i = 0; i < (unsigned int)f->nr; i++)
		nr += !f->failures[i] && !strcmp(f->sites[i].function, function);
	return nr;
}

/* Return: why a site may be missed, or NULL. */
static const char *why_unreached(const FIXTURE_DATA(sites) *f, const struct site *site)
{
	unsigned int i;

	if (!strcmp(site->section, ".init.text"))
		return AT_LOAD;
	for (i = 0; i < ARRAY_SIZE(known_unreached); i++)
		if (!strcmp(known_unreached[i].function, site->function) &&
		    count_unreached(f, site->function) <= known_unreached[i].most)
			return known_unreached[i].why;
	return NULL;
}

/* As it was loaded, for what is allocated once. */
static int start_anew(FIXTURE_DATA(sites) *f)
{
	int ret;

	lwm_close(f->lwm);
	f->lwm = -1;
	ret = lwm_reload("");
	f->depth = FIRST_DEPTH;
	f->lwm = ret ?: lwm_open("");
	return f->lwm < 0 ? f->lwm : 0;
}

TEST_F_TIMEOUT(sites, each_fails, 600)
{
	unsigned int i, missed = 0, known = 0;

	if (self->lwm < 0)
		return;
	for (i = 0; i < (unsigned int)self->nr; i++)
		EXPECT_TRUE(fail_site(self, i))
			TH_LOG("where %s calls %s", self->sites[i].function, self->sites[i].callee);
	for (i = 0; i < (unsigned int)self->nr; i++) {
		const struct site *site = &self->sites[i];

		if (self->failures[i] || why_unreached(self, site))
			continue;
		ASSERT_EQ(0, start_anew(self));
		EXPECT_TRUE(fail_site(self, i))
			TH_LOG("where %s calls %s", site->function, site->callee);
	}
	for (i = 0; i < (unsigned int)self->nr; i++) {
		const struct site *site = &self->sites[i];
		const char *why = self->failures[i] ? "" : why_unreached(self, site);

		printf("# %4u times %s+%#llx %s %s\n", self->failures[i], site->function,
		       (unsigned long long)site->at, site->callee, why ?: "MISSED");
		missed += !why;
		known += why && *why;
	}
	TH_LOG("%d sites, %u known to be out of reach, %u missed", self->nr, known, missed);
	EXPECT_EQ(0, missed);
}

TEST_HARNESS_MAIN
