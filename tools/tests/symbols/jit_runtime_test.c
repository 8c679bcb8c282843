// SPDX-License-Identifier: GPL-2.0
/*
 * jit_runtime_test.c - what java and node lack for whole stacks with names, by what /proc says
 * of them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/jit_runtime.h"
#include "tests/tap.h"

#define JAVA	"1000-2000 r-xp 00000000 fe:00 1 /usr/lib/jvm/bin/java\n" \
		"3000-4000 r-xp 00000000 fe:00 2 /usr/lib/jvm/lib/server/libjvm.so\n"
#define NODE	"1000-2000 r-xp 00000000 fe:00 1 /usr/bin/node\n"
#define MADE	"8000-9000 rwxp 00000000 00:00 0\40\n"
#define DATA	"8000-9000 rw-p 00000000 00:00 0\40\n"
#define DUMP	"a000-b000 r-xp 00000000 fe:00 7 /tmp/jit-77.dump\n"

#define JAVA_FRAMES	(1U << LW_JIT_LACKS_JAVA_FRAMES)
#define JAVA_NAMES	(1U << LW_JIT_LACKS_JAVA_NAMES)
#define NODE_NAMES	(1U << LW_JIT_LACKS_NODE_NAMES)
#define NODE_FRAMES	(1U << LW_JIT_LACKS_NODE_FRAMES)

static char proc[40] = "/tmp/jit-runtime-test-XXXXXX";

static bool put(const char *name, const char *bytes, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file = fopen(path, "w");
	if (!file)
		return false;
	fwrite(bytes, size, 1, file);
	return !fclose(file);
}

/* Strings with a @ for each end. */
static bool put_strings(const char *name, const char *text)
{
	char bytes[4096];
	size_t size = strlen(text);

	memcpy(bytes, text, size);
	for (size_t i = 0; i < size; i++)
		bytes[i] = bytes[i] == '@' ? 0 : bytes[i];
	return put(name, bytes, size);
}

static u32 lacks(const char *maps, const char *args, const char *environ)
{
	if (!put("maps", maps, strlen(maps)) || !put_strings("cmdline", args) ||
	    !put_strings("environ", environ))
		return ~0U;
	return lw_jit_runtime_lacks(proc);
}

static bool java_needs_a_flag_for_frame_pointers(void)
{
	const u32 both = JAVA_FRAMES | JAVA_NAMES;

	CHECK(lacks(JAVA MADE, "java@Main@", "PATH=/bin@") == both);
	CHECK(lacks(JAVA MADE, "java@-XX:+PreserveFramePointer@Main@", "") == JAVA_NAMES);
	CHECK(lacks(JAVA MADE, "java@-XX:+PreserveFramePointer", "") == JAVA_NAMES);
	CHECK(lacks(JAVA MADE, "java@-XX:+PreserveFramePointers@Main@", "") == both);
	CHECK(lacks(JAVA MADE, "java@-Da=-XX:+PreserveFramePointer@Main@", "") == both);
	CHECK(lacks(JAVA MADE, "java@-XX:+PreserveFramePointer@-XX:-PreserveFramePointer@", "") ==
	      both);
	return true;
}

static bool other_variables_do_not_count(void)
{
	const u32 both = JAVA_FRAMES | JAVA_NAMES;

	CHECK(lacks(JAVA MADE, "java@", "XJAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer@") == both);
	CHECK(lacks(JAVA MADE, "java@", "JAVA_TOOL_OPTIONS_ -XX:+PreserveFramePointer@") == both);
	CHECK(lacks(JAVA MADE, "java@",
		    "OF_SEVENTEEN_BYTE=JAVA_TOOL_OPTIONS -XX:+PreserveFramePointer@") == both);
	return true;
}

static bool variables_of_java_count_in_their_order(void)
{
	CHECK(lacks(JAVA MADE, "java@Main@",
		    "A=b@JAVA_TOOL_OPTIONS=-Xmx1g -XX:+PreserveFramePointer@") == JAVA_NAMES);
	CHECK(lacks(JAVA MADE, "java@Main@", "JDK_JAVA_OPTIONS='-XX:+PreserveFramePointer' -Xint@")
	      == JAVA_NAMES);
	CHECK(lacks(JAVA MADE, "java@-XX:-PreserveFramePointer@",
		    "JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer@") == (JAVA_FRAMES | JAVA_NAMES));
	CHECK(lacks(JAVA MADE, "java@-XX:-PreserveFramePointer@",
		    "_JAVA_OPTIONS=-XX:+PreserveFramePointer@") == JAVA_NAMES);
	return true;
}

/* As 77, which is what it is called in its own namespace. */
static bool names_are_there_if_they_were_asked_for_or_told(void)
{
	static const char status[] = "Name:\tx\nNSpid:\t4711\t77\nNSpgid:\t1\n";
	char path[128];

	CHECK(lacks(JAVA MADE, "java@-XX:+DumpPerfMapAtExit@", "") == JAVA_FRAMES);
	CHECK(lacks(JAVA MADE DUMP, "java@", "") == JAVA_FRAMES);
	CHECK(lacks(NODE MADE DUMP, "node@", "") == NODE_FRAMES);
	snprintf(path, sizeof(path), "%s/root", proc);
	CHECK(!mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/root/tmp", proc);
	CHECK(!mkdir(path, 0700));
	CHECK(put("status", status, strlen(status)));
	CHECK(put("root/tmp/perf-4711.map", "", 0));
	CHECK(lacks(JAVA MADE, "java@", "") == (JAVA_FRAMES | JAVA_NAMES));
	CHECK(put("root/tmp/perf-77.map", "", 0));
	CHECK(lacks(JAVA MADE, "java@", "") == JAVA_FRAMES);
	return true;
}

static bool node_needs_flags_for_names(void)
{
	CHECK(lacks(NODE MADE, "node@a.js@", "") == NODE_NAMES);
	CHECK(lacks(NODE MADE, "node@--perf-basic-prof@a.js@", "") == NODE_FRAMES);
	CHECK(lacks(NODE MADE, "node@--perf_basic_prof@--interpreted-frames-native-stack@", "") ==
	      0);
	CHECK(lacks(NODE MADE, "node@--perf-prof@a.js@", "") == NODE_FRAMES);
	CHECK(lacks(NODE MADE, "node@--perf-basic-prof-only-functions@", "") == NODE_FRAMES);
	CHECK(lacks(NODE MADE, "node@--perf-basic-profiles@", "") == NODE_NAMES);
	CHECK(lacks(NODE MADE, "node@", "NODE_OPTIONS='--perf-prof'  --perf-basic-prof@") ==
	      NODE_FRAMES);
	CHECK(!lacks(NODE MADE DUMP, "node@",
		     "NODE_OPTIONS=--x \"--interpreted-frames-native-stack\"@"));
	return true;
}

static bool python_needs_a_flag_for_names(void)
{
	static const char python[] = "1000-2000 r-xp 00000000 fe:00 1 /usr/bin/python3.13\n";
	static const char library[] = "1-2 r-xp 00000000 fe:00 1 /usr/lib/libpython3.12.so.1.0\n";
	static const char old[] = "1000-2000 r-xp 00000000 fe:00 1 /usr/bin/python3.11\n";
	const u32 names = 1U << LW_JIT_LACKS_PYTHON_NAMES;

	CHECK(lacks(python, "python3@a.py@", "") == names);
	CHECK(lacks(library, "python3@a.py@perf@", "PYTHONPERFSUPPORT=0@") == names);
	CHECK(!lacks(old, "python3@a.py@", ""));
	CHECK(!lacks(python, "python3@-X@perf@a.py@", "") && !lacks(python, "python3@-Xperf@", ""));
	CHECK(!lacks(python, "python3@-X@perf_jit@a.py@", ""));
	CHECK(!lacks(python, "python3@a.py@", "PYTHONPERFSUPPORT=1@"));
	CHECK(!lacks("1-2 r-xp 00000000 fe:00 1 /usr/bin/python3.12-config/x\n", "x@", ""));
	return true;
}

static bool who_makes_no_code_lacks_nothing(void)
{
	CHECK(!lacks(JAVA DATA, "java@", "") && !lacks(NODE DATA, "node@", ""));
	CHECK(!lacks(MADE, "java@libjvm.so@", "") && !lacks("", "", ""));
	CHECK(!lacks("1000-2000 r--p 00000000 fe:00 1 /usr/bin/node\n" MADE, "node@", ""));
	CHECK(!lacks("1000-2000 r-xp 00000000 fe:00 1 /usr/bin/mynode\n" MADE, "node@", ""));
	CHECK(!lw_jit_runtime_lacks("/tmp/no/such/process"));
	return true;
}

static bool each_lack_has_a_text(void)
{
	for (u32 i = 0; i < LW_JIT_NR_LACKS; i++) {
		const struct lw_jit_lack_text *text = lw_jit_lack_text(i);

		CHECK(text->what && text->advice[0] && text->advice[1]);
		CHECK(text->advice[1][strlen(text->advice[1]) - 1] == '.');
	}
	CHECK(strstr(lw_jit_lack_text(LW_JIT_LACKS_JAVA_FRAMES)->what,
		     "-XX:+PreserveFramePointer"));
	return true;
}

static const struct tap_test tests[] = {
	TEST(java_needs_a_flag_for_frame_pointers),
	TEST(other_variables_do_not_count),
	TEST(variables_of_java_count_in_their_order),
	TEST(node_needs_flags_for_names),
	TEST(python_needs_a_flag_for_names),
	TEST(who_makes_no_code_lacks_nothing),
	TEST(names_are_there_if_they_were_asked_for_or_told),
	TEST(each_lack_has_a_text),
};

int main(void)
{
	char command[128];
	int failed;

	if (!mkdtemp(proc))
		return 1;
	failed = tap_run(tests, sizeof(tests) / sizeof(*tests));
	snprintf(command, sizeof(command), "rm -r %s", proc);
	return system(command) || failed;
}
