// SPDX-License-Identifier: GPL-2.0
/*
 * target_test.c - whom to record, and when all of them have ended.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sideband/target.h"
#include "tests/tap.h"

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		/* a check that fails ends the test, and leaves it alone */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool several_processes_end_with_the_last(void)
{
	pid_t first = start_child(), second = start_child();
	struct lw_target target;

	lw_target_init(&target);
	CHECK(!lw_target_attach(&target, first));
	CHECK(target.pid == first && target.pid_fd >= 0);
	CHECK(!lw_target_attach(&target, second) && !lw_target_attach(&target, first));
	CHECK(target.nr_processes == 2 && target.nr_tids == 2 && target.pid == first);
	CHECK(target.tids[0] == first && target.tids[1] == second);
	/* there is none that tells of both */
	CHECK(target.pid_fd == -1);
	CHECK(!lw_target_ended(&target));
	end_child(first);
	CHECK(!lw_target_ended(&target));
	end_child(second);
	CHECK(lw_target_ended(&target));
	lw_target_free(&target);
	return true;
}

static bool process_that_is_gone_is_refused(void)
{
	pid_t pid = start_child();
	struct lw_target target;

	end_child(pid);
	lw_target_init(&target);
	CHECK(lw_target_attach(&target, pid) && strstr(lw_fail_text(), "no process"));
	CHECK(lw_target_attach_thread(&target, pid) == -ESRCH);
	CHECK(strstr(lw_fail_text(), "no thread"));
	CHECK(!target.nr_processes && !target.nr_tids);
	lw_target_free(&target);
	return true;
}

struct thread {
	sem_t started, end;
	pid_t tid;
};

static void *run_thread(void *arg)
{
	struct thread *thread = arg;

	thread->tid = syscall(SYS_gettid);
	sem_post(&thread->started);
	sem_wait(&thread->end);
	return NULL;
}

static bool is_gone(struct lw_target *target)
{
	/* pthread_join() returns some moments before */
	for (int i = 0; i < 60000 && !lw_target_ended(target); i++)
		poll(NULL, 0, 1);
	return lw_target_ended(target);
}

static bool thread_ends_before_its_process(void)
{
	struct lw_target target;
	struct thread thread;
	pthread_t id;

	sem_init(&thread.started, 0, 0);
	sem_init(&thread.end, 0, 0);
	CHECK(!pthread_create(&id, NULL, run_thread, &thread));
	sem_wait(&thread.started);
	lw_target_init(&target);
	CHECK(!lw_target_attach_thread(&target, thread.tid));
	CHECK(!lw_target_attach_thread(&target, thread.tid));
	CHECK(target.nr_tids == 1 && target.tids[0] == thread.tid);
	CHECK(target.nr_processes == 1 && target.pid == getpid() && target.pid_fd == -1);
	CHECK(!lw_target_ended(&target));
	sem_post(&thread.end);
	pthread_join(id, NULL);
	CHECK(is_gone(&target));
	lw_target_free(&target);
	return true;
}

static bool process_has_all_its_threads(void)
{
	struct lw_target target;
	struct thread thread;
	pthread_t id;

	sem_init(&thread.started, 0, 0);
	sem_init(&thread.end, 0, 0);
	CHECK(!pthread_create(&id, NULL, run_thread, &thread));
	sem_wait(&thread.started);
	lw_target_init(&target);
	/* by one of its threads, too */
	CHECK(!lw_target_attach(&target, thread.tid));
	CHECK(target.pid == getpid() && target.nr_tids == 2 && target.nr_processes == 1);
	sem_post(&thread.end);
	pthread_join(id, NULL);
	CHECK(!lw_target_ended(&target));
	lw_target_free(&target);
	return true;
}

static bool user_has_all_processes_but_this(void)
{
	pid_t pid = start_child();
	struct lw_target target;
	bool found = false;

	lw_target_init(&target);
	CHECK(!lw_target_attach_user(&target, getuid()));
	for (u32 i = 0; i < target.nr_processes; i++) {
		CHECK(target.processes[i].pid != getpid());
		found |= target.processes[i].pid == pid;
	}
	CHECK(found);
	lw_target_free(&target);
	end_child(pid);

	lw_target_init(&target);
	CHECK(lw_target_attach_user(&target, 0x12345678) == -ESRCH);
	CHECK(strstr(lw_fail_text(), "no process of user 305419896"));
	lw_target_free(&target);
	return true;
}

/* "sleep 1000" beside a process: either one that ends is the end of both. */
static bool command_beside_a_process(bool command_ends)
{
	char *argv[3] = { "sleep", "1000" };
	pid_t pid = start_child();
	struct lw_target target;

	lw_target_init(&target);
	lw_target_save_signals(&target);
	CHECK(!lw_target_attach(&target, pid) && !lw_target_prepare(&target, argv));
	CHECK(target.nr_tids == 1 && target.tids[0] == pid && target.child != pid);
	CHECK(!lw_target_start(&target, argv[0]) && !lw_target_ended(&target));
	if (command_ends)
		kill(target.child, SIGKILL);
	else
		end_child(pid);
	CHECK(is_gone(&target) && target.reaped == command_ends);
	CHECK(!lw_target_stop(&target) && target.reaped);
	CHECK(lw_target_exit_code(&target) == 128 + (command_ends ? SIGKILL : SIGTERM));
	lw_target_free(&target);
	if (command_ends)
		end_child(pid);
	return true;
}

static bool command_ends_what_is_recorded_beside_it(void)
{
	return command_beside_a_process(true);
}

static bool command_is_ended_after_the_process(void)
{
	return command_beside_a_process(false);
}

static bool is_not_started(char *command, const char *because)
{
	char *argv[2] = { command };
	struct lw_target target;

	lw_target_init(&target);
	lw_target_save_signals(&target);
	CHECK(!lw_target_prepare(&target, argv));
	CHECK(lw_target_start(&target, command) == -ENOENT);
	CHECK(strstr(lw_fail_text(), command) && strstr(lw_fail_text(), because));
	lw_target_free(&target);
	return true;
}

static bool command_that_is_not_found_is_told_apart(void)
{
	char path[] = "/tmp/target_test.XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && !fchmod(fd, 0700) && write(fd, "#!/no/such/sh\n", 14) == 14);
	close(fd);
	CHECK(is_not_started(path, "the interpreter is not"));
	unlink(path);
	CHECK(is_not_started(path, "Is it spelled right?"));
	CHECK(is_not_started("no-such-command", "No directory of PATH has it"));
	return true;
}

/* libdw asks none of them while rings wait. */
static bool servers_of_debug_information_are_the_commands_only(void)
{
	char *argv[4] = { "sh", "-c", "test \"$DEBUGINFOD_URLS\" = http://localhost:1" };
	struct lw_target target;

	CHECK(!setenv("DEBUGINFOD_URLS", "http://localhost:1", 1));
	lw_target_init(&target);
	lw_target_save_signals(&target);
	CHECK(!getenv("DEBUGINFOD_URLS"));
	CHECK(!lw_target_prepare(&target, argv) && !lw_target_start(&target, argv[0]));
	CHECK(is_gone(&target) && !lw_target_stop(&target));
	CHECK(!lw_target_exit_code(&target));
	lw_target_free(&target);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(several_processes_end_with_the_last),
		TEST(process_that_is_gone_is_refused),
		TEST(thread_ends_before_its_process),
		TEST(process_has_all_its_threads),
		TEST(user_has_all_processes_but_this),
		TEST(command_that_is_not_found_is_told_apart),
		TEST(command_ends_what_is_recorded_beside_it),
		TEST(command_is_ended_after_the_process),
		TEST(servers_of_debug_information_are_the_commands_only),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
