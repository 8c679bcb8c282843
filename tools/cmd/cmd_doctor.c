// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_doctor.c - latewind doctor: what is needed, what is there, what to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/json.h"
#include "cmd/doctor.h"
#include "cmd/verbs.h"
#include "device/lw_session.h"
#include "events/event_tracepoint.h"
#include "sideband/sideband.h"

static int failures;

/* --json: what is told so far, else NULL */
static struct lw_json *json;

/* of the module, 0 if it can't be asked */
static u64 features;

static void print_check(enum lw_verdict verdict, const char *what, const char *advice,
			const char *found)
{
	static const char * const words[] = { "ok", "warn", "FAIL" };

	printf("%-4s  %-14s %s\n", words[verdict], what, found);
	if (advice)
		printf("      -> %s\n", advice);
}

static void add_json(enum lw_verdict verdict, const char *what, const char *advice,
		     const char *found)
{
	static const char * const words[] = { "ok", "warn", "fail" };

	lw_json_open(json, NULL, '{');
	lw_json_str(json, "check", what);
	lw_json_str(json, "verdict", words[verdict]);
	lw_json_str(json, "found", found);
	lw_json_str(json, "advice", advice);
	lw_json_close(json, '}');
}

/**
 * lw_doctor_say - tell of a check, in a line, and what to do about it on the next
 * @verdict: what came of it; LW_BAD makes the verb fail
 * @what: was checked
 * @advice: what to do; not told with LW_OK; NULL: nothing
 * @fmt: what was found
 */
void lw_doctor_say(enum lw_verdict verdict, const char *what, const char *advice, const char *fmt,
		   ...)
{
	char *found = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&found, fmt, ap) < 0)
		found = NULL;
	va_end(ap);
	if (verdict == LW_OK)
		advice = NULL;
	if (json)
		add_json(verdict, what, advice, found);
	else
		print_check(verdict, what, advice, found ? found : "");
	free(found);
	failures += verdict == LW_BAD;
}

static void check_kernel(void)
{
	struct utsname uts = { 0 };
	int major = 0, minor = 0;

	uname(&uts);
	if (sscanf(uts.release, "%d.%d", &major, &minor) != 2)
		major = 0;
	lw_doctor_say(major > 6 || (major == 6 && minor >= 1) ? LW_OK : LW_BAD, "kernel",
		      "Latewind needs Linux 6.1 or later.", "%s %s", uts.release, uts.machine);
}

static bool module_installed(void)
{
	char text[512] = "";
	FILE *pipe = popen("modinfo -F filename latewind 2>/dev/null", "r");

	if (!pipe)
		return false;
	if (!fgets(text, sizeof(text), pipe))
		text[0] = 0;
	return !pclose(pipe) && text[0];
}

/* By its configuration or command line, or as it is locked down, which Secure Boot makes it. */
static bool wants_signatures(void)
{
	char enforced[8] = "", lockdown[64] = "";

	lw_read_file("/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	lw_read_file("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	return enforced[0] == 'Y' || (lockdown[0] && !strstr(lockdown, "[none]"));
}

static void explain_open(int err)
{
	switch (err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		if (wants_signatures())
			lw_doctor_say(LW_WARN, "signatures",
				      "Sign latewind.ko, as DKMS does, and enrol the key: 'mokutil --import'.",
				      "this kernel takes signed modules only");
		if (module_installed())
			lw_doctor_say(LW_BAD, "module", "Run 'modprobe latewind'.",
				      "%s is missing: latewind.ko is installed but not loaded",
				      LW_DEVICE_PATH);
		else
			lw_doctor_say(LW_BAD, "module",
				      "Install latewind-dkms and this kernel's headers, or 'make install'; then 'modprobe latewind'.",
				      "%s is missing, and there is no latewind.ko for this kernel",
				      LW_DEVICE_PATH);
		return;
	case EPERM:
		lw_doctor_say(LW_BAD, "rights", "Run it as root, or give it CAP_PERFMON.",
			      "cannot open %s: %s", LW_DEVICE_PATH, strerror(err));
		return;
	case EACCES:
		lw_doctor_say(LW_BAD, "rights",
			      "Run it as root, or 'latewind-group on USER' and log in anew.",
			      "cannot open %s: %s", LW_DEVICE_PATH, strerror(err));
		return;
	}
	lw_doctor_say(LW_BAD, "module", "The kernel log may say more ('dmesg').",
		      "cannot open %s: %s", LW_DEVICE_PATH, strerror(err));
}

static const struct {
	u64 bit;
	const char *name;
} feature_names[] = {
	{ LW_FEATURE_SFRAME_V2, "SFrame version 2" },
	{ LW_FEATURE_SFRAME_V3, "SFrame version 3" },
	{ LW_FEATURE_TABLES, "made tables" },
	{ LW_FEATURE_SECTIONS, "registered sections" },
	{ LW_FEATURE_CODE, "code of JIT compilers" },
	{ LW_FEATURE_ANALYSIS, "marks of analysed code" },
	{ LW_FEATURE_FP, "frame pointers" },
	{ LW_FEATURE_COMPAT_FP, "32-bit code" },
	{ LW_FEATURE_SIGFRAME, "signal frames" },
	{ LW_FEATURE_EXIT, "stacks of tasks that exit" },
	{ LW_FEATURE_PERF_EVENTS, "perf events" },
	{ LW_FEATURE_REQUEST, "requests" },
	{ LW_FEATURE_SYSCALLS, "system calls" },
	{ LW_FEATURE_FAULTABLE, "waiting for pages in system calls" },
	{ LW_FEATURE_FILTER, "filters" },
	{ LW_FEATURE_CHILDREN, "children" },
	{ LW_FEATURE_MASK, "masks of stack methods" },
	{ LW_FEATURE_OVERWRITE, "flight recorder" },
	{ LW_FEATURE_MODULES, "module events" },
	{ LW_FEATURE_CGROUP, "cgroups" },
	{ LW_FEATURE_RAW, "fields of tracepoints" },
	{ LW_FEATURE_FILES, "file events" },
	{ LW_FEATURE_TASK_LIST, "list of tasks" },
	{ LW_FEATURE_VMA_QUERY, "query of mappings" },
	{ LW_FEATURE_VMA_LIST, "list of mappings" },
};

/* Names of those that are there, or are not; "none" if there are none. */
static void put_features(struct lw_strbuf *text, bool there)
{
	for (size_t i = 0; i < ARRAY_SIZE(feature_names); i++) {
		if (!(features & feature_names[i].bit) == there)
			continue;
		if (text->len)
			lw_strbuf_str(text, ", ");
		lw_strbuf_str(text, feature_names[i].name);
	}
	if (!text->len)
		lw_strbuf_str(text, "none");
	lw_strbuf_char(text, 0);
}

static void print_features(void)
{
	struct lw_strbuf there = {}, lacking = {};

	put_features(&there, true);
	put_features(&lacking, false);
	if (there.failed || lacking.failed)
		return;
	lw_doctor_say(features & LW_FEATURE_PERF_EVENTS ? LW_OK : LW_BAD, "features",
		      "Without perf events nothing can be recorded: rebuild the module.", "%s",
		      there.text);
	lw_doctor_say(LW_OK, "not there", NULL, "%s%s", lacking.text,
		      strcmp(lacking.text, "none") ? "; newer kernels or modules have it" : "");
	lw_strbuf_free(&there);
	lw_strbuf_free(&lacking);
}

static void say_opens(void)
{
	FILE *file = fopen("/sys/module/latewind/version", "r");
	char version[64] = "";

	if (file) {
		if (fgets(version, sizeof(version), file))
			version[strcspn(version, "\n")] = 0;
		fclose(file);
	}
	if (!version[0] || !strcmp(version, lw_tool_version()))
		lw_doctor_say(LW_OK, "module", NULL, "%s opens; version %s", LW_DEVICE_PATH,
			      version[0] ? version : "not known here");
	else
		lw_doctor_say(LW_WARN, "module",
			      "Install module and tool of one release, and reload the module.",
			      "%s opens; version %s, the tool is %s", LW_DEVICE_PATH, version,
			      lw_tool_version());
}

/* Return: true if a session can be opened. */
static bool check_module(void)
{
	struct latewind_session *session;
	const struct lw_info *info;
	int fd = open(LW_DEVICE_PATH, O_RDWR | O_CLOEXEC), ret;

	if (fd < 0) {
		explain_open(errno);
		return false;
	}
	close(fd);
	say_opens();
	ret = lw_session_open(&session);
	if (ret) {
		lw_doctor_say(LW_BAD, "abi", NULL, "%s", lw_fail_text());
		return false;
	}
	info = latewind_session_info(session);
	lw_doctor_say(LW_OK, "abi", NULL, "version %u; %u rings of %llu KiB; depth %u, up to %u",
		      info->abi_version, info->nr_rings, info->ring_default >> 10,
		      info->default_depth, info->max_depth);
	features = info->features;
	print_features();
	latewind_session_close(session);
	return true;
}

/* The module opens events itself; this asks perf whether there are any. */
static int try_event(u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1000000,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void check_events(void)
{
	int soft = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int hard = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	lw_doctor_say(soft ? LW_BAD : LW_OK, "perf events",
		      soft == -EACCES || soft == -EPERM ? lw_sideband_hint() :
		      "The kernel needs CONFIG_PERF_EVENTS.",
		      "cpu-clock %s", soft ? strerror(-soft) : "can be sampled");
	lw_doctor_say(hard ? LW_WARN : LW_OK, "hardware",
		      "Use '-e cpu-clock' (the default); virtual machines often have no counters.",
		      "cycles %s", hard ? strerror(-hard) : "can be sampled");
}

static void check_sideband(void)
{
	u32 features;
	int ret = lw_sideband_probe(&features);

	if (ret) {
		lw_doctor_say(LW_BAD, "side-band", lw_sideband_hint(),
			      "the perf event for mappings and names: %s", strerror(-ret));
		return;
	}
	lw_doctor_say(features & LW_SIDEBAND_BUILD_ID ? LW_OK : LW_WARN, "side-band",
		      "Files cannot be told apart when they are replaced during a recording.",
		      "mappings, names%s%s%s", features & LW_SIDEBAND_BUILD_ID ? ", build IDs" : "",
		      features & LW_SIDEBAND_KSYMBOL ? ", kernel symbols" : "",
		      features & LW_SIDEBAND_BPF_EVENT ? ", BPF programs" : "");
}

/* Tracepoints are found by it: -e SYSTEM:NAME, and the signals of latewind trace. */
static void check_tracefs(void)
{
	char advice[256], *text = advice;
	int len = snprintf(advice, sizeof(advice), "%s", lw_tracefs_hint(lw_tracefs()));

	if (len > 0 && advice[len - 1] == '\n')
		advice[len - 1] = 0;
	text += strspn(text, " ");
	lw_doctor_say(*text ? LW_WARN : LW_OK, "tracefs", text, "%s %s", lw_tracefs(),
		      *text ? "cannot be read" : "can be read");
}

/* Hidden addresses are all zero; some are zero anyway. */
static bool kernel_addresses_shown(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;
	bool shown = false;

	while (file && !shown && getline(&line, &room, file) > 0)
		shown = strtoull(line, NULL, 16);
	free(line);
	if (file)
		fclose(file);
	return shown;
}

static void check_kptr(void)
{
	bool shown = kernel_addresses_shown();
	char text[16] = "?";

	lw_read_file("/proc/sys/kernel/kptr_restrict", text, sizeof(text));
	text[strcspn(text, "\n")] = 0;
	lw_doctor_say(shown ? LW_OK : LW_WARN, "kptr_restrict",
		      "Kernel frames get no names: run as root or with CAP_SYSLOG, and 'sysctl kernel.kptr_restrict=1'.",
		      "%s, kernel addresses are %s", text, shown ? "shown" : "hidden");
}

enum { OPT_JSON = 256 };

struct command {
	u64 pid;
	bool json;
};

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 'p', "pid", "PID", "check the code of this process; default: of latewind" },
	{ OPT_JSON, "json", NULL, "print the checks as one JSON object" },
	{ }
};

static void print_more(void)
{
	puts("\nExit status: 0 nothing failed (there may be warnings); 1 a check failed; 2 wrong\n"
	     "command line.");
}

static int take_option(void *context, int id, const char *value)
{
	struct command *command = context;

	if (id == OPT_JSON) {
		command->json = true;
		return 0;
	}
	if (lw_parse_u64(value, &command->pid) || !command->pid || command->pid > 0x7fffffff)
		return lw_fail(-EINVAL, "option --pid: '%s' is not a process number", value);
	return 0;
}

static int parse(int argc, char **argv, struct command *command)
{
	int ret = lw_verb_parse(&lw_verb_doctor, argc, argv, take_option, command);

	if (!ret && optind < argc)
		return lw_fail(-EINVAL, "'%s' is not expected", argv[optind]);
	return ret;
}

static void check_all(u64 pid)
{
	check_kernel();
	check_module();
	check_events();
	check_sideband();
	check_tracefs();
	check_kptr();
	lw_doctor_process(pid, features);
}

static void check_as_json(u64 pid)
{
	struct lw_strbuf out = {};
	struct lw_json writer = { .out = &out };

	json = &writer;
	lw_json_open(json, NULL, '{');
	lw_json_open(json, "checks", '[');
	check_all(pid);
	lw_json_close(json, ']');
	lw_json_u64(json, "failures", failures);
	lw_json_close(json, '}');
	lw_strbuf_char(&out, '\n');
	if (lw_strbuf_flush(&out, STDOUT_FILENO))
		failures++;
	lw_strbuf_free(&out);
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct command command = { .pid = getpid() };
	int ret = parse(argc, argv, &command);

	if (ret)
		return lw_verb_end(verb, ret);
	if (command.json)
		check_as_json(command.pid);
	else
		check_all(command.pid);
	return failures ? LW_EXIT_FAILURE : LW_EXIT_OK;
}

const struct lw_verb lw_verb_doctor = {
	.name = "doctor",
	.summary = "check what is needed, and say what to do",
	.usage = "[-p PID] [--json]",
	.about = "Checks kernel, module, rights and perf, and which code of a process has unwind\n"
		 "information. A line each: ok, warn or FAIL, then what to do.",
	.tables = { own_options },
	.print_more = print_more,
	.run = run,
};
