// SPDX-License-Identifier: GPL-2.0
/*
 * target_output_test.c - where a command prints to when our standard output is taken.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sideband/target.h"
#include "tests/tap.h"

static char dir[32] = "/tmp/lw-target-XXXXXX";

static char *command[4] = { NULL };

/* Standard output and error of the command in files of their own. */
static bool run_command(bool to_stderr)
{
	int old_out = dup(STDOUT_FILENO), old_err = dup(STDERR_FILENO), out, err, ret;
	struct lw_target target;
	char path[64];

	fflush(stdout);
	snprintf(path, sizeof(path), "%s/out", dir);
	out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	snprintf(path, sizeof(path), "%s/err", dir);
	err = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	lw_target_init(&target);
	lw_target_save_signals(&target);
	target.prints_to_stderr = to_stderr;
	ret = lw_target_prepare(&target, command);
	if (!ret)
		ret = lw_target_start(&target, command[0]);
	for (int i = 0; !ret && i < 1000 && !lw_target_ended(&target); i++)
		poll(NULL, 0, 10);
	lw_target_stop(&target);
	lw_target_free(&target);
	dup2(old_out, STDOUT_FILENO);
	dup2(old_err, STDERR_FILENO);
	close(old_out);
	close(old_err);
	close(out);
	close(err);
	return !ret;
}

static bool file_has(const char *name, const char *text)
{
	char path[64], got[64] = "";

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return lw_read_file(path, got, sizeof(got)) >= 0 && !strcmp(got, text);
}

static bool command_prints_where_we_do(void)
{
	CHECK(run_command(false));
	CHECK(file_has("out", "printed\n") && file_has("err", ""));
	return true;
}

static bool command_prints_to_standard_error_when_output_is_taken(void)
{
	CHECK(run_command(true));
	CHECK(file_has("out", "") && file_has("err", "printed\n"));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(command_prints_where_we_do),
		TEST(command_prints_to_standard_error_when_output_is_taken),
	};
	char cleaning[64];
	int ret;

	command[0] = "sh";
	command[1] = "-c";
	command[2] = "echo printed";
	if (!mkdtemp(dir))
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(cleaning, sizeof(cleaning), "rm -r %s", dir);
	return system(cleaning) ? 1 : ret;
}
