// SPDX-License-Identifier: GPL-2.0
/*
 * module_text_test.c - MODULE records: kernel modules that come and go, as /sys/module and
 * /proc/kallsyms have them.
 *
 * lw_busy.ko is where lwm_load() finds it; LATEWIND_KO is the module's file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/lwm.h"
#include "kselftest_harness.h"

#define RING		65536
#define BUSY		"lw_busy"
/* Records of one that is loaded, and of one that is unloaded. */
#define LOADED		3
#define UNLOADED	1

static bool has_busy(void)
{
	int ret = lwm_load(BUSY, "");

	if (ret == -EEXIST || !ret)
		lwm_unload(BUSY);
	return ret != -ENOENT;
}

FIXTURE(hearer)
{
	struct lwt_session s;
	struct lwt_log log;
};

FIXTURE_SETUP(hearer)
{
	self->s.fd = -1;
	if (!has_busy())
		SKIP(return, LWM_MISSING, BUSY);
	ASSERT_EQ(0, lwt_session_open_flags(&self->s, RING, LW_SETUP_MODULES));
}

FIXTURE_TEARDOWN(hearer)
{
	lwt_session_close(&self->s);
	lwt_log_free(&self->log);
	lwm_unload(BUSY);
	EXPECT_EQ(0, lwt_tainted());
}

static int by_time(const void *a, const void *b)
{
	const struct lw_module *left = *(struct lw_module **)a, *right = *(struct lw_module **)b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return 0;
}

/* What there is to say of lw_busy, from any CPU, in the order of time. */
static int told(struct lwt_session *s, struct lwt_log *log, struct lw_module **modules, int room)
{
	int nr = 0;
	size_t i;

	if (lwt_read(s, log) < 0)
		return -EBADMSG;
	for (i = 0; i < log->nr && nr < room; i++) {
		struct lw_module *module = (struct lw_module *)log->records[i].head;

		if (module->record.type != LW_RECORD_MODULE)
			continue;
		if (module->record.len != sizeof(*module))
			return -EBADMSG;
		if (!strcmp(module->name, BUSY))
			modules[nr++] = module;
	}
	qsort(modules, nr, sizeof(*modules), by_time);
	return nr;
}

/* Return: address, or 0. */
static uint64_t address_in(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long at = 0;

	if (file && fscanf(file, "%llx", &at) != 1)
		at = 0;
	if (file)
		fclose(file);
	return at;
}

/* Return: address of a symbol of lw_busy, or 0. */
static uint64_t symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], found[256], module[128];
	unsigned long long at, is = 0;

	/* The kernel's own are by far the most. */
	while (file && fgets(line, sizeof(line), file))
		if (strchr(line, '[') &&
		    sscanf(line, "%llx %*c %255s %127s", &at, found, module) == 3 &&
		    !strcmp(found, name) && !strcmp(module, "[" BUSY "]"))
			is = at;
	if (file)
		fclose(file);
	return is;
}

static bool is_in(const struct lw_module *module, uint64_t address)
{
	return address - module->addr < module->text_size;
}

TEST_F(hearer, is_told_of_load_and_unload)
{
	struct lw_module *m[8];
	uint64_t before, between, after, text, spin, leave;

	before = lwt_now();
	ASSERT_EQ(0, lwm_load(BUSY, ""));
	between = lwt_now();
	ASSERT_EQ(LOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
	EXPECT_EQ(0, m[0]->record.flags);
	EXPECT_EQ(LW_MODULE_INIT, m[1]->record.flags);
	EXPECT_EQ(LW_MODULE_INIT | LW_MODULE_GONE, m[2]->record.flags);
	EXPECT_LE(before, m[0]->time);
	EXPECT_GE(between, m[2]->time);
	/* Its functions are in there, and no data is. */
	/* With LTO each function has a section of its own, and .text is empty. */
	text = address_in("/sys/module/" BUSY "/sections/.text") ?:
	       address_in("/sys/module/" BUSY "/sections/.text.lw_busy_spin");
	EXPECT_TRUE(is_in(m[0], text));
	spin = symbol("lw_busy_spin");
	EXPECT_TRUE(is_in(m[0], spin));
	leave = symbol("lw_busy_exit");
	EXPECT_TRUE(is_in(m[0], leave) || !leave);
	EXPECT_FALSE(is_in(m[0], address_in("/sys/module/" BUSY
					    "/sections/.gnu.linkonce.this_module")));
	EXPECT_TRUE(is_in(m[1], address_in("/sys/module/" BUSY "/sections/.init.text")));
	EXPECT_FALSE(is_in(m[1], spin));
	EXPECT_EQ(m[1]->addr, m[2]->addr);
	EXPECT_EQ(m[1]->text_size, m[2]->text_size);

	ASSERT_EQ(0, lwm_unload(BUSY));
	after = lwt_now();
	ASSERT_EQ(LOADED + UNLOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
	EXPECT_EQ(LW_MODULE_GONE, m[3]->record.flags);
	EXPECT_LE(between, m[3]->time);
	EXPECT_GE(after, m[3]->time);
	EXPECT_EQ(m[0]->addr, m[3]->addr);
	EXPECT_EQ(m[0]->text_size, m[3]->text_size);
}

/* Those of the harness are configured to; of others it is not known. */
static bool kernel_keeps_build_ids(void)
{
	struct utsname uts;

	return !uname(&uts) && strstr(uts.release, "-latewind-");
}

/* Return: it is the one that sysfs has: a note with 12 bytes and the name "GNU" in front. */
static bool is_build_id_of_module(const uint8_t *id)
{
	uint8_t note[16 + LW_BUILD_ID_MAX];
	int fd = open("/sys/module/" BUSY "/notes/.note.gnu.build-id", O_RDONLY);
	ssize_t got = read(fd, note, sizeof(note));

	close(fd);
	return got == sizeof(note) && !memcmp(note + 16, id, LW_BUILD_ID_MAX);
}

/* The build ID is all there or not at all, and nothing but zeros is behind a name. */
TEST_F(hearer, is_told_no_rubbish)
{
	static const uint8_t none[LW_BUILD_ID_MAX];
	struct lw_module *m[8];
	size_t i;

	ASSERT_EQ(0, lwm_load(BUSY, ""));
	ASSERT_EQ(LOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
	if (m[0]->build_id_size || kernel_keeps_build_ids()) {
		EXPECT_EQ(LW_BUILD_ID_MAX, m[0]->build_id_size);
		EXPECT_TRUE(is_build_id_of_module(m[0]->build_id));
	} else {
		EXPECT_EQ(0, memcmp(none, m[0]->build_id, sizeof(none)));
	}
	for (i = strlen(BUSY); i < sizeof(m[0]->name); i++)
		ASSERT_EQ(0, m[0]->name[i]);
}

/* Which of its init function's code is there is told before that runs. */
TEST_F(hearer, is_told_of_code_before_it_runs)
{
	struct lw_module *m[8];

	ASSERT_EQ(0, lwm_load(BUSY, "init_spin=300"));
	ASSERT_EQ(LOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
	EXPECT_LE(300000000ULL, m[2]->time - m[1]->time);
}

TEST_F(hearer, is_told_that_a_load_has_failed)
{
	struct lw_module *m[16];
	int nr, i, left = 0;

	ASSERT_EQ(-ENODEV, lwm_load(BUSY, "fail=1"));
	nr = told(&self->s, &self->log, m, ARRAY_SIZE(m));
	ASSERT_LE(4, nr);
	EXPECT_EQ(0, m[0]->record.flags);
	EXPECT_EQ(LW_MODULE_INIT, m[1]->record.flags);
	for (i = 2; i < nr; i++) {
		EXPECT_TRUE(m[i]->record.flags & LW_MODULE_GONE);
		left |= 1 << m[i]->record.flags;
	}
	EXPECT_EQ(1 << LW_MODULE_GONE | 1 << (LW_MODULE_GONE | LW_MODULE_INIT), left);
}

TEST_F(hearer, is_the_only_one_that_is_told)
{
	struct lw_module *m[8];
	struct lwt_log log = {};
	struct lwt_session other;

	ASSERT_EQ(0, lwt_session_open(&other, RING, 0, 16));
	ASSERT_EQ(0, lwm_load(BUSY, ""));
	EXPECT_EQ(0, lwt_read(&other, &log));
	EXPECT_EQ(LOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
	lwt_session_close(&other);
	lwt_log_free(&log);
}

/* The rings are too small for all: what is dropped is counted. */
TEST_F_TIMEOUT(hearer, is_told_of_what_is_lost, 60)
{
	struct lwt_session small;
	struct lwt_log log = {};
	struct lw_module *m[256];
	uint64_t lost;
	int i, nr;

	/* one ring fills, however many there are */
	ASSERT_EQ(0, lwt_pin(0));
	ASSERT_EQ(0, lwt_session_open_flags(&small, lwt_page(), LW_SETUP_MODULES));
	/* The least ring, of which 4 KiB are free. */
	while (small.rings[0].producer->data_size - small.rings[0].producer->pos > 4096)
		ASSERT_EQ(0, lwt_request(small.fd, 0, NULL));
	for (i = 0; i < 40 && !lwt_lost_on_rings(&small); i++) {
		ASSERT_EQ(0, lwm_load(BUSY, ""));
		ASSERT_EQ(0, lwm_unload(BUSY));
	}
	lost = lwt_lost_on_rings(&small);
	EXPECT_LT(0, lost);
	EXPECT_EQ(lost, lwt_stats(small.fd).lost_full);
	nr = told(&small, &log, m, ARRAY_SIZE(m));
	EXPECT_EQ(i * (LOADED + UNLOADED), nr + lost);
	lwt_session_close(&small);
	lwt_log_free(&log);
}

/* Or it would be told twice of each, from then on. */
TEST_F(hearer, is_set_up_once)
{
	struct lw_setup setup = {
		.size = sizeof(setup), .flags = LW_SETUP_MODULES, .ring_size = lwt_page(),
	};
	struct lw_module *m[8];

	EXPECT_EQ(-EBUSY, lwt_ioctl(self->s.fd, LW_IOC_SETUP, &setup));
	ASSERT_EQ(0, lwm_load(BUSY, ""));
	EXPECT_EQ(LOADED, told(&self->s, &self->log, m, ARRAY_SIZE(m)));
}

/* Until *@arg is true.  Return: NULL; or the error. */
static void *load_and_unload(void *arg)
{
	const bool *stop = arg;
	intptr_t ret = 0;

	while (!ret && !__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		ret = lwm_load(BUSY, "");
		if (!ret)
			ret = lwm_unload(BUSY);
	}
	return (void *)ret;
}

TEST_F_TIMEOUT(hearer, comes_and_goes_while_modules_do, 120)
{
	struct lwt_session s;
	struct lw_module *m[8];
	struct lwt_log log;
	bool stop = false;
	pthread_t loader;
	void *ret;
	int i, nr;

	ASSERT_EQ(0, pthread_create(&loader, NULL, load_and_unload, &stop));
	for (i = 0; i < 2 * (int)lwt_sample(20, 5); i++) {
		memset(&log, 0, sizeof(log));
		ASSERT_EQ(0, lwt_session_open_flags(&s, lwt_page(), LW_SETUP_MODULES));
		/* Some at once, some in the middle of it. */
		if (i % 2) {
			ASSERT_TRUE(lwt_wait((nr = told(&s, &log, m, ARRAY_SIZE(m)))));
			ASSERT_LT(0, nr);
		}
		lwt_session_close(&s);
		lwt_log_free(&log);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(loader, &ret));
	EXPECT_EQ(NULL, ret);
}

TEST_F_TIMEOUT(hearer, is_unloaded_while_modules_come_and_go, 120)
{
	struct lw_module *m[8];
	bool stop = false;
	pthread_t loader;
	void *ret;
	int i, nr;

	if (!lwt_destructive())
		SKIP(return, LWT_MAY_HURT);
	if (!getenv("LATEWIND_KO"))
		SKIP(return, "LATEWIND_KO is not set");
	ASSERT_EQ(0, pthread_create(&loader, NULL, load_and_unload, &stop));
	for (i = 0; i < 1 + (int)lwt_sample(9, 1); i++) {
		lwt_session_close(&self->s);
		lwt_log_free(&self->log);
		ASSERT_EQ(0, lwm_reload(""));
		ASSERT_EQ(0, lwt_session_open_flags(&self->s, RING, LW_SETUP_MODULES));
		ASSERT_TRUE(lwt_wait((nr = told(&self->s, &self->log, m, ARRAY_SIZE(m)))));
		ASSERT_LT(0, nr);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(loader, &ret));
	EXPECT_EQ(NULL, ret);
}

TEST_HARNESS_MAIN
