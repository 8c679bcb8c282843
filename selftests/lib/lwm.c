// SPDX-License-Identifier: GPL-2.0
/*
 * lwm.c - see lwm.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/lwm.h"
#include "programs/raw.h"

#define READ_AT_ONCE	256

static int unload(const char *name)
{
	int ret = -EWOULDBLOCK;

	/* The last close() may be under way in a process that exits. */
	lwt_wait((ret = lwt_unload(name)) != -EWOULDBLOCK);
	return ret;
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* The directory of the program that runs.  Return: @path, which may be "". */
static char *program_dir(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);

	while (len > 0 && path[len - 1] != '/')
		len--;
	path[len > 0 ? len - 1 : 0] = 0;
	return path;
}

/*
 * A file of the test modules: of LW_TEST_MODULES, of the directory of the program, or,
 * as it is built, of LATEWIND_ROOT.  Return: false when none has it.
 */
bool lwm_find_file(const char *file, char *path, size_t size)
{
	const char *dir = getenv("LW_TEST_MODULES"), *root = getenv("LATEWIND_ROOT");
	struct utsname name;
	char own[1024];

	if (dir) {
		snprintf(path, size, "%s/%s", dir, file);
		if (is_there(path))
			return true;
	}
	snprintf(path, size, "%s/%s", program_dir(own, sizeof(own)), file);
	if (is_there(path))
		return true;
	if (!root || uname(&name))
		return false;
	snprintf(path, size, "%s/build/test-module/%s/%s", root, name.release, file);
	return is_there(path);
}

/* Return: 0 or -errno: -ENOENT when there is no such test module. */
int lwm_load(const char *module, const char *parameters)
{
	char file[64], path[4096];

	snprintf(file, sizeof(file), "%s.ko", module);
	return lwm_find_file(file, path, sizeof(path)) ? lwt_load(path, parameters) : -ENOENT;
}

/* Return: 0 or -errno. */
int lwm_unload(const char *module)
{
	return unload(module);
}

/*
 * Loads lw_test.ko.  Return: a descriptor of LWM_DEVICE, or -errno: -ENOENT when there
 * is none for this kernel.
 */
int lwm_open(const char *parameters)
{
	int ret;

	/* What a test left that died. */
	if (is_there(LWM_DEVICE))
		unload("lw_test");
	ret = lwm_load("lw_test", parameters);
	if (ret)
		return ret;
	if (!lwt_wait(is_there(LWM_DEVICE)))
		return -ETIME;
	ret = open(LWM_DEVICE, O_RDWR | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

void lwm_close(int fd)
{
	if (fd < 0)
		return;
	close(fd);
	unload("lw_test");
}

/* Loads latewind.ko again; nothing may use it. */
int lwm_reload(const char *parameters)
{
	const char *path = getenv("LATEWIND_KO");
	int ret = unload("latewind");

	if (!ret)
		ret = lwt_load(path ?: "", parameters);
	if (!ret && !lwt_wait(is_there(LW_DEVICE_PATH)))
		ret = -ETIME;
	return ret;
}

int lwm_register(int fd, unsigned int tracer)
{
	struct lwm_register arg = { .tracer = tracer };

	return lwt_ioctl(fd, LWM_IOC_REGISTER, &arg);
}

int lwm_register_all(int fd, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = lwm_register(fd, i);
	return ret;
}

int lwm_unregister(int fd, unsigned int tracer, uint64_t *owed)
{
	struct lwm_unregister arg = { .tracer = tracer };
	int ret = lwt_ioctl(fd, LWM_IOC_UNREGISTER, &arg);

	if (owed)
		*owed = arg.owed;
	return ret;
}

/* All ones on error, which no test takes for a result. */
struct lwm_stats lwm_stats(int fd, unsigned int tracer)
{
	struct lwm_stats stats = {
		.tracer = tracer,
		.size = sizeof(stats.stats),
	};

	if (lwt_ioctl(fd, LWM_IOC_STATS, &stats))
		memset(&stats, 0xff, sizeof(stats));
	return stats;
}

/* One more thing for the call to do. */
struct lwm_ask *lwm_ask(struct lwm_call *call, unsigned int tracer,
			unsigned int path, unsigned int in, unsigned int out)
{
	struct lwm_ask *ask = &call->asks[call->run.nr++];

	memset(ask, 0, sizeof(*ask));
	ask->tracer = tracer;
	ask->path = path;
	ask->in = in;
	ask->out = out;
	return ask;
}

/* Nothing to do yet. */
void lwm_again(struct lwm_call *call)
{
	memset(&call->run, 0, sizeof(call->run));
}

/* Asks from its own code, not libc's. */
KEEP long lwm_leaf(struct chain *c)
{
	struct lwm_call *call = c->arg;
	long ret;

	chain_note(c);
	if (call->call.want_truth)
		truth_take(&call->call.truth);
	call->run.asks = (uintptr_t)call->asks;
	ret = raw_syscall(SYS_ioctl, call->call.fd, LWM_IOC_RUN,
			  (long)&call->run, &call->call.ip);
	call->call.ret = ret;
	call_expect(&call->call, c);
	NO_TAIL_CALL(ret);
	return ret;
}

/* Everything that is there now, from the start. */
int lwm_read(int fd, struct lwm_log *log)
{
	struct lwm_read arg = { .room = READ_AT_ONCE };
	int ret;

	log->nr = 0;
	do {
		log->stacks = realloc(log->stacks, (log->nr + READ_AT_ONCE) *
						   sizeof(*log->stacks));
		if (!log->stacks)
			abort();
		arg.stacks = (uintptr_t)(log->stacks + log->nr);
		arg.from = log->nr;
		ret = lwt_ioctl(fd, LWM_IOC_READ, &arg);
		if (ret)
			return ret;
		log->nr += arg.nr;
		log->total = arg.total;
	} while (arg.nr);
	return 0;
}

void lwm_log_free(struct lwm_log *log)
{
	free(log->stacks);
	memset(log, 0, sizeof(*log));
}

static bool is_of(const struct lwm_stack *stack, unsigned int tracer,
		  const struct lw_cookie *cookie)
{
	return stack->tracer == tracer &&
	       (!cookie || lwt_cookie_same(&stack->cookie, cookie));
}

/* All of the tracer if @cookie is NULL. */
unsigned int lwm_count(const struct lwm_log *log, unsigned int tracer,
		       const struct lw_cookie *cookie)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < log->nr; i++)
		nr += is_of(&log->stacks[i], tracer, cookie);
	return nr;
}

struct lwm_stack *lwm_find(const struct lwm_log *log, unsigned int tracer,
			   const struct lw_cookie *cookie)
{
	size_t i;

	for (i = 0; i < log->nr; i++)
		if (is_of(&log->stacks[i], tracer, cookie))
			return &log->stacks[i];
	return NULL;
}

/* Frames that are as expected, from the top. */
unsigned int lwm_matching(const struct lwm_stack *stack,
			  const struct call *call)
{
	unsigned int i;

	for (i = 0; i < stack->nr && i < call->nr && i < LWM_FRAMES; i++)
		if (stack->frames[i] != call->expect[i])
			break;
	return i;
}
