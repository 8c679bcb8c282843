// SPDX-License-Identifier: GPL-2.0
/*
 * jit_runtime.c - what a process that makes code would have to be told for whole stacks.
 *
 * Code that is made at run time has no unwind table, so that callers are found by the frame
 * pointer.  node keeps it; java does not without a flag.  Both have names for other tools only
 * if they are asked for them.  What was asked is on the command line and in the environment.
 * An option counts wherever it stands, also among a program's own arguments: not to advise is
 * better than to advise what was done.
 *
 * Contexts: any thread.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "jit/jit_dump.h"
#include "jit/jit_file.h"
#include "symbols/jit_runtime.h"
#include "symbols/process_maps.h"

/* An option longer than that is none of ours; what follows so many bytes is not looked at. */
#define MAX_OPTION	256
#define MAX_TEXT	(2U << 20)

/* What is mapped as executable. */
struct mapped {
	bool jvm, node, python, made, dump;
};

/* What was asked for. */
struct asked {
	bool java_frames, java_map;
	bool node_map, node_frames;
	bool python_map;
};

static const struct lw_jit_lack_text texts[LW_JIT_NR_LACKS] = {
	[LW_JIT_LACKS_JAVA_FRAMES] = {
		"java runs without -XX:+PreserveFramePointer",
		{
			"Its code keeps no frame pointer: stacks end there, or miss callers.",
			"Start it with that flag, or with JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer.",
		},
	},
	[LW_JIT_LACKS_JAVA_NAMES] = {
		"java tells no names of the code that it makes",
		{
			"Run 'jcmd PID Compiler.perfmap' before it ends (JDK 17 and later), or start it with",
			"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit.",
		},
	},
	[LW_JIT_LACKS_NODE_NAMES] = {
		"node runs without --perf-basic-prof",
		{
			"Its JavaScript functions have no names. Start it with that flag and with",
			"--interpreted-frames-native-stack, or with both in NODE_OPTIONS.",
		},
	},
	[LW_JIT_LACKS_NODE_FRAMES] = {
		"node runs without --interpreted-frames-native-stack",
		{
			"JavaScript functions that it interprets share one name.",
			"Start it with that flag, or with it in NODE_OPTIONS.",
		},
	},
	[LW_JIT_LACKS_PYTHON_NAMES] = {
		"python runs without -X perf",
		{
			"Its Python functions have no names: all are the interpreter's.",
			"Start it with that flag, or with PYTHONPERFSUPPORT=1.",
		},
	},
};

/**
 * lw_jit_lack_text - what to say of something that a process lacks
 * @lack: which
 *
 * Return: three lines without their ends.
 */
const struct lw_jit_lack_text *lw_jit_lack_text(enum lw_jit_lack lack)
{
	return &texts[lack];
}

/* --- what it has mapped */

/* CPython can tell names since 3.12: python3.12, libpython3.12.so.1.0. */
static bool is_python(const char *name)
{
	static const char begin[] = "python3.";

	if (!strncmp(name, "lib", 3))
		name += 3;
	return !strncmp(name, begin, strlen(begin)) && atoi(name + strlen(begin)) >= 12;
}

static void see_mapping(struct mapped *mapped, const char *path)
{
	const struct lw_map map = { .path = *path ? (char *)path : (char *)"//anon" };
	const char *name = strrchr(path, '/');

	mapped->made |= lw_map_is_made(&map);
	if (!name)
		return;
	mapped->jvm |= !strcmp(name, "/libjvm.so");
	mapped->node |= !strcmp(name, "/node") || !strcmp(name, "/nodejs");
	mapped->python |= is_python(name + 1);
	mapped->dump |= lw_jit_dump_is_path(path);
}

static struct mapped read_mapped(const char *proc)
{
	struct mapped mapped = {};
	char path[512], *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/maps", proc);
	maps = fopen(path, "re");
	while (maps && getline(&line, &room, maps) > 0) {
		char perms[8];
		int name_at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%*s %7s %*s %*s %*s %n", perms, &name_at) == 1 && name_at &&
		    perms[2] == 'x')
			see_mapping(&mapped, line + name_at);
	}
	free(line);
	if (maps)
		fclose(maps);
	return mapped;
}

/* --- what it was asked for */

/* V8 takes - and _ for the same. */
static bool is_v8_option(const char *option, const char *name)
{
	for (; *name; option++, name++) {
		if (*option != *name && !(*option == '_' && *name == '-'))
			return false;
	}
	return !*option || *option == '=';
}

/* Of those that contradict each other the later one counts. */
static void see_option(struct asked *asked, const char *option)
{
	if (!strcmp(option, "-XX:+PreserveFramePointer"))
		asked->java_frames = true;
	if (!strcmp(option, "-XX:-PreserveFramePointer"))
		asked->java_frames = false;
	if (!strcmp(option, "-XX:+DumpPerfMapAtExit"))
		asked->java_map = true;
	if (is_v8_option(option, "--perf-basic-prof") || is_v8_option(option, "--perf-prof") ||
	    is_v8_option(option, "--perf-basic-prof-only-functions"))
		asked->node_map = true;
	if (is_v8_option(option, "--interpreted-frames-native-stack"))
		asked->node_frames = true;
}

/* A flag has no blanks and needs no quotes. */
static void see_words(struct asked *asked, const char *text)
{
	char option[MAX_OPTION];

	while (*text) {
		size_t len;

		text += strspn(text, " \t\n\"'");
		len = strcspn(text, " \t\n\"'");
		if (len && len < sizeof(option)) {
			memcpy(option, text, len);
			option[len] = 0;
			see_option(asked, option);
		}
		text += len;
	}
}

/* Return: strings with their ends, to be freed, or NULL. */
static char *read_strings(const char *proc, const char *name, size_t *size)
{
	char path[512], *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file = fopen(path, "re");
	text = file ? malloc(MAX_TEXT + 1) : NULL;
	*size = text ? fread(text, 1, MAX_TEXT, file) : 0;
	if (text)
		text[*size] = 0;
	if (file)
		fclose(file);
	return text;
}

/* PYTHONPERFSUPPORT=1, and -X perf as one word or two, also perf_jit. */
static bool asks_python(const char *strings, size_t size)
{
	bool after_x = false;

	for (size_t at = 0; at < size; at += strlen(strings + at) + 1) {
		const char *word = strings + at;

		if (!strcmp(word, "PYTHONPERFSUPPORT=1") || !strncmp(word, "-Xperf", 6) ||
		    (after_x && !strncmp(word, "perf", 4)))
			return true;
		after_x = !strcmp(word, "-X");
	}
	return false;
}

static void see_variable(struct asked *asked, const char *strings, size_t size, const char *name)
{
	const size_t len = strlen(name);

	for (size_t at = 0; at < size; at += strlen(strings + at) + 1) {
		if (!strncmp(strings + at, name, len) && strings[at + len] == '=')
			see_words(asked, strings + at + len + 1);
	}
}

/* In the order in which they are taken: java(1) has it for its own. */
static struct asked read_asked(const char *proc)
{
	size_t environ_size, size;
	char *environ = read_strings(proc, "environ", &environ_size);
	char *args = read_strings(proc, "cmdline", &size);
	struct asked asked = {};

	see_variable(&asked, environ, environ_size, "JAVA_TOOL_OPTIONS");
	see_variable(&asked, environ, environ_size, "JDK_JAVA_OPTIONS");
	see_variable(&asked, environ, environ_size, "NODE_OPTIONS");
	for (size_t at = 0; at < size; at += strlen(args + at) + 1)
		see_option(&asked, args + at);
	see_variable(&asked, environ, environ_size, "_JAVA_OPTIONS");
	asked.python_map = asks_python(environ, environ_size) || asks_python(args, size);
	free(environ);
	free(args);
	return asked;
}

static bool has_perf_map(const char *proc)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/root/tmp/perf-%u.map", proc, lw_jit_file_own_pid(proc));
	return !stat(path, &st);
}

/**
 * lw_jit_runtime_lacks - what a process lacks for whole stacks with names
 * @proc: its directory in /proc
 *
 * Return: bits by enum lw_jit_lack; 0: nothing, or it makes no code, or is neither java, node
 * nor python, or can't be looked at.
 */
u32 lw_jit_runtime_lacks(const char *proc)
{
	const struct mapped mapped = read_mapped(proc);
	bool has_names, is_java = mapped.jvm && mapped.made;
	bool is_node = mapped.node && mapped.made && !is_java;
	struct asked asked;
	u32 lacks = 0;

	if (!is_java && !is_node && !mapped.python)
		return 0;
	asked = read_asked(proc);
	has_names = mapped.dump || has_perf_map(proc);
	if (is_java && !asked.java_frames)
		lacks |= 1U << LW_JIT_LACKS_JAVA_FRAMES;
	if (is_java && !asked.java_map && !has_names)
		lacks |= 1U << LW_JIT_LACKS_JAVA_NAMES;
	if (is_node && !asked.node_map && !has_names)
		lacks |= 1U << LW_JIT_LACKS_NODE_NAMES;
	else if (is_node && !asked.node_frames)
		lacks |= 1U << LW_JIT_LACKS_NODE_FRAMES;
	if (mapped.python && !asked.python_map && !has_names)
		lacks |= 1U << LW_JIT_LACKS_PYTHON_NAMES;
	return lacks;
}
