// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_process.c - which code of a process has unwind information, and which has none.
 *
 * A file has its own SFrame section, or 'latewind record' makes a table of its call frame
 * information: that is tried here. Code that the process made itself has neither.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "latewind.h"
#include "sframe/gen.h"
#include "sframe/sframe_file.h"
#include "symbols/jit_runtime.h"
#include "symbols/process_maps.h"

/*
 * Compilers leave out hardly any code, but padding; hand-written assembly often has no
 * information.  What begins and ends a program has none either, and is short.
 */
#define LEAST_COVERED	95
#define MOST_UNCOVERED	4096

/* What a process has mapped as executable. */
struct code {
	int pid;
	u64 features;		/* of the module, 0 if it can't be asked */
	u32 with_sframe, with_table, without;
	bool lacks;		/* a table is of a part only */
	u64 made_bytes;		/* of memory without a file */
	u32 made;		/* mappings */
	u64 largest;		/* of these, and where */
	char largest_at[64];
	char **names;		/* of files that were looked at */
	size_t nr_names, room;
};

/* A file is often mapped in several places.  Without memory it is told again. */
static bool first_time(struct code *code, const char *name)
{
	for (size_t i = 0; i < code->nr_names; i++) {
		if (!strcmp(code->names[i], name))
			return false;
	}
	if (!lw_grow((void **)&code->names, &code->room, code->nr_names + 1, sizeof(char *))) {
		code->names[code->nr_names] = strdup(name);
		code->nr_names += !!code->names[code->nr_names];
	}
	return true;
}

static void free_names(struct code *code)
{
	while (code->nr_names)
		free(code->names[--code->nr_names]);
	free(code->names);
}

/* Functions do not overlap in a section that is right. */
static u64 covered_percent(const struct lw_sframe_file *file)
{
	struct lw_sframe_fde fde;
	u64 covered = 0, code = 0;

	for (u32 i = 0; i < file->sf.num_fdes; i++)
		covered += lw_sframe_get_fde(&file->sf, i, &fde) ? 0 : fde.size;
	for (size_t i = 0; i < file->nr_code; i++)
		code += file->code[i].end - file->code[i].start;
	return covered < code ? covered * 100 / code : 100;
}

/* The module finds a section by the program header only. Return: whether it uses it. */
static bool say_section(const struct code *code, const char *name,
			const struct lw_sframe_file *file)
{
	u64 need = file->sf.version == 2 ? LW_FEATURE_SFRAME_V2 : LW_FEATURE_SFRAME_V3;

	if (!file->has_segment || !file->loaded || file->segment_addr != file->sf.place.addr) {
		lw_doctor_say(LW_WARN, "file", "Its section is ignored. Relink it.",
			      "%s: its SFrame section is not one that is mapped", name);
		return false;
	}
	if (code->features && !(code->features & need)) {
		lw_doctor_say(LW_WARN, "file", "Its section is ignored. Update the module.",
			      "%s: SFrame version %u, which the loaded module does not read",
			      name, file->sf.version);
		return false;
	}
	lw_doctor_say(LW_OK, "file", NULL,
		      "%s: SFrame version %u, %u functions, of %llu %% of its code", name,
		      file->sf.version, file->sf.num_fdes, covered_percent(file));
	return true;
}

/* Return: whether the file has a section that the module uses. */
static bool check_section(const struct code *code, const char *path, const char *name)
{
	struct lw_sframe_file file;
	int ret = lw_sframe_file_open(&file, path);
	bool used;

	if (ret == -EBADMSG)
		lw_doctor_say(LW_WARN, "file", "Its section is ignored. Relink it.", "%s: %.*s",
			      name, (int)strcspn(lw_fail_text(), "\n"), lw_fail_text());
	if (ret)
		return false;
	used = say_section(code, name, &file);
	lw_sframe_file_close(&file);
	return used;
}

static void say_table(struct code *code, const char *name, const struct lw_gen_counts *counts)
{
	u64 covered = counts->covered_bytes + counts->analysed_bytes;
	u64 bytes = counts->code_bytes - counts->empty_bytes;
	u64 percent = bytes ? covered * 100 / bytes : 0;
	bool lacks = percent < LEAST_COVERED && bytes - covered > MOST_UNCOVERED;

	code->with_table++;
	code->lacks |= lacks;
	lw_doctor_say(lacks ? LW_WARN : LW_OK, "file",
		      "From the rest of its code callers are guessed by the frame pointer.",
		      "%s: a table is made for it, of %llu %% of its code", name, percent);
}

static void say_no_table(struct code *code, const char *name, int err)
{
	code->without++;
	if (err == -ENODATA)
		lw_doctor_say(LW_WARN, "file",
			      "Callers are guessed: build it with -fasynchronous-unwind-tables.",
			      "%s: no unwind information", name);
	else
		lw_doctor_say(LW_WARN, "file", "Callers are guessed by the frame pointer.",
			      "%s: no table can be made: %.*s", name,
			      (int)strcspn(lw_fail_text(), "\n"), lw_fail_text());
}

/* Return: 0, or -errno of lw_sframe_gen_fd() or open(). */
static int check_table(struct code *code, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), ret;
	struct lw_gen gen;

	if (fd < 0)
		return lw_fail(-errno, "%s", strerror(errno));
	ret = lw_sframe_gen_fd(fd, name, LW_GEN_ANALYSIS, &gen);
	close(fd);
	/* a table by instructions alone is no unwind information of the file */
	if (!ret && !gen.counts.cfi_size) {
		lw_gen_free(&gen);
		ret = -ENODATA;
	}
	if (ret)
		return ret;
	say_table(code, name, &gen.counts);
	lw_gen_free(&gen);
	return 0;
}

/* Return: 0 if it has unwind information, or was told of; -errno why not. */
static int check_file(struct code *code, const char *range, const char *name)
{
	char path[4096 + 64];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%s", code->pid, range);
	if (access(path, R_OK))
		snprintf(path, sizeof(path), "/proc/%d/root%s", code->pid, name);
	if (!check_section(code, path, name))
		return check_table(code, path, name);
	code->with_sframe++;
	return 0;
}

static void add_made(struct code *code, const char *range)
{
	u64 start, end;

	if (sscanf(range, "%llx-%llx", &start, &end) != 2)
		return;
	code->made_bytes += end - start;
	code->made++;
	if (end - start <= code->largest)
		return;
	code->largest = end - start;
	snprintf(code->largest_at, sizeof(code->largest_at), "%s", range);
}

/* An executable one; a memfd is memory, but a program may also have copied a file there. */
static void check_mapping(struct code *code, const char *range, const char *name)
{
	struct lw_map map = { .path = *name ? (char *)name : (char *)"//anon" };
	bool made = lw_map_is_made(&map);
	int ret;

	if (*name == '/' && (made || first_time(code, name))) {
		ret = check_file(code, range, name);
		if (ret && !made)
			say_no_table(code, name, ret);
		made = made && ret;
	}
	if (made)
		add_made(code, range);
}

/* Return: KiB that are pinned, which sections that the process registered are, among others. */
static u64 pinned(int pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	u64 kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0 && sscanf(line, "VmPin: %llu", &kib) != 1)
		;
	free(line);
	if (file)
		fclose(file);
	return kib;
}

static void say_made(const struct code *code)
{
	static const char advice[] =
		"Callers are guessed by the frame pointer, if it is kept. Who makes code may register\n"
		"         sections for it.";
	u64 pin = code->made ? pinned(code->pid) : 0;
	char registered[64] = "no section is registered";

	if (!code->made)
		return;
	if (pin)
		snprintf(registered, sizeof(registered),
			 "sections may be registered (VmPin: %llu kB)", pin);
	lw_doctor_say(LW_WARN, "made code", advice,
		      "%llu KiB of executable memory without a file, mappings: %u, largest: %s; %s",
		      code->made_bytes >> 10, code->made, code->largest_at, registered);
}

/* A flag that java or node lacks, though nothing else is wrong with it. */
static void say_runtime(const struct code *code)
{
	char proc[32], advice[512];
	u32 lacks;

	snprintf(proc, sizeof(proc), "/proc/%d", code->pid);
	lacks = lw_jit_runtime_lacks(proc);
	for (u32 i = 0; i < LW_JIT_NR_LACKS; i++) {
		const struct lw_jit_lack_text *text = lw_jit_lack_text(i);

		snprintf(advice, sizeof(advice), "%s\n         %s", text->advice[0],
			 text->advice[1]);
		if (lacks & 1U << i)
			lw_doctor_say(LW_WARN, "runtime", advice, "%s", text->what);
	}
}

static void say_all(const struct code *code)
{
	lw_doctor_say(code->without || code->made || code->lacks ? LW_WARN : LW_OK, "unwind",
		      "In code with a warning above stacks are guessed, or end.",
		      "process %d maps %u files with SFrame, %u with a table, %u with neither",
		      code->pid, code->with_sframe, code->with_table, code->without);
}

/**
 * lw_doctor_process - say which code of a process has unwind information, and which has none
 * @pid: the process
 * @features: of the module; 0: not known
 */
void lw_doctor_process(int pid, u64 features)
{
	struct code code = { .pid = pid, .features = features };
	char path[64], range[64], perms[8], *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps) {
		lw_doctor_say(LW_BAD, "process", "Is the number right, and may you read it?",
			      "cannot read %s: %s", path, strerror(errno));
		return;
	}
	while (getline(&line, &room, maps) > 0) {
		int name_at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%63s %7s %*s %*s %*s %n", range, perms, &name_at) < 2 ||
		    perms[2] != 'x')
			continue;
		check_mapping(&code, range, line + name_at);
	}
	free(line);
	free_names(&code);
	fclose(maps);
	say_made(&code);
	say_runtime(&code);
	say_all(&code);
}
