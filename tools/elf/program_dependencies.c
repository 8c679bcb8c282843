// SPDX-License-Identifier: GPL-2.0
/*
 * program_dependencies.c - which files a command will map when it starts.
 *
 * A guess, to have their tables before the first instruction: the program, its
 * interpreter, and the libraries that it needs, as ld.so(8) looks for them, or
 * any that it might take.  A file too many costs little; one that is missed is
 * seen when it is mapped.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "elf/ld_so_cache.h"
#include "elf/mapped_file.h"
#include "elf/program_dependencies.h"

#define PATH_ROOM	4096
#define MAX_FILES	512
#define DEFAULT_PATH	"/bin:/usr/bin"
#define DEFAULT_DIRS	"/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"

struct search {
	char *files[MAX_FILES];		/* found; those from @next on are not looked into yet */
	u32 nr, next;
	struct lw_ld_so_cache cache;
};

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static void add_file(struct search *search, const char *path)
{
	for (u32 i = 0; i < search->nr; i++) {
		if (!strcmp(search->files[i], path))
			return;
	}
	if (search->nr == MAX_FILES)
		return;
	search->files[search->nr] = strdup(path);
	search->nr += !!search->files[search->nr];
}

/* Fills in $ORIGIN; false if that is not all that there is. */
static bool expand(char *to, const char *dir, size_t len, const char *origin)
{
	static const char * const words[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(origin, '/');

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t word = strlen(words[i]);

		if (len < word || strncmp(dir, words[i], word))
			continue;
		return snprintf(to, PATH_ROOM, "%.*s%.*s", slash ? (int)(slash - origin) : 1,
				slash ? origin : ".", (int)(len - word), dir + word) < PATH_ROOM;
	}
	return !memchr(dir, '$', len) &&
	       snprintf(to, PATH_ROOM, "%.*s", (int)len, dir) < PATH_ROOM;
}

/*
 * find_in_dirs - the first that is there
 * @dirs: with colons between, or NULL
 * @origin: the file that says so
 */
static bool find_in_dirs(char *to, const char *dirs, const char *name, const char *origin)
{
	char dir[PATH_ROOM];

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");

		if (expand(dir, dirs, len, origin) &&
		    snprintf(to, PATH_ROOM, "%s/%s", len ? dir : ".", name) < PATH_ROOM &&
		    is_file(to))
			return true;
		dirs += len + (dirs[len] == ':');
	}
	return false;
}

static void take_cached(void *ctx, const char *path)
{
	add_file(ctx, path);
}

static void add_library(struct search *search, const char *name, const char *dirs,
			const char *origin)
{
	char path[PATH_ROOM];

	if (strchr(name, '/'))
		add_file(search, name);
	else if (find_in_dirs(path, getenv("LD_LIBRARY_PATH"), name, origin) ||
		 find_in_dirs(path, dirs, name, origin))
		add_file(search, path);
	else if (!lw_ld_so_cache_find(&search->cache, name, take_cached, search) &&
		 find_in_dirs(path, DEFAULT_DIRS, name, origin))
		add_file(search, path);
}

/* DT_NEEDED may stand before DT_RUNPATH: remember both, and search afterwards. */
static void take_dynamic(struct search *search, const struct lw_elf *file, Elf_Scn *scn,
			 const GElf_Shdr *shdr, const char *origin)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *dirs = NULL;

	for (int needed = 0; data && needed < 2; needed++) {
		GElf_Dyn dyn;

		for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
			const char *text;
			bool is_dirs = dyn.d_tag == DT_RUNPATH || dyn.d_tag == DT_RPATH;

			if (needed ? dyn.d_tag != DT_NEEDED : !is_dirs)
				continue;
			text = elf_strptr(file->elf, shdr->sh_link, dyn.d_un.d_val);
			if (text && needed)
				add_library(search, text, dirs, origin);
			else if (text)
				dirs = text;
		}
	}
}

static void take_interpreter(struct search *search, const struct lw_elf *file)
{
	GElf_Phdr phdr;
	Elf_Data *data;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_INTERP ||
		    phdr.p_filesz > PATH_ROOM)
			continue;
		data = elf_getdata_rawchunk(file->elf, phdr.p_offset, phdr.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf && memchr(data->d_buf, 0, data->d_size))
			add_file(search, data->d_buf);
	}
}

static void take_elf(struct search *search, const struct lw_elf *file, const char *path)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	take_interpreter(search, file);
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNAMIC)
			take_dynamic(search, file, scn, &shdr, path);
	}
}

/* As execvp() finds it. */
static void add_command(struct search *search, const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_ROOM];

	if (strchr(name, '/'))
		add_file(search, name);
	else if (find_in_dirs(path, dirs ? dirs : DEFAULT_PATH, name, "."))
		add_file(search, path);
}

/* To open a file that is not regular may have effects, or block. */
static ssize_t read_begin(const char *path, char *line, size_t size)
{
	struct stat st;
	int fd = lw_open_file(path, &st);
	ssize_t len;

	if (fd < 0)
		return fd;
	len = read(fd, line, size - 1);
	close(fd);
	if (len >= 0)
		line[len] = 0;
	return len;
}

/* "#!" and the interpreter; of env(1) also the one that it looks for. */
static void take_script(struct search *search, const char *path)
{
	char line[256], *interpreter, *word, *rest;

	if (read_begin(path, line, sizeof(line)) <= 0 || strncmp(line, "#!", 2))
		return;
	line[strcspn(line, "\n")] = 0;
	interpreter = strtok_r(line + 2, " \t", &rest);
	if (!interpreter)
		return;
	add_file(search, interpreter);
	word = strrchr(interpreter, '/');
	if (!word || strcmp(word, "/env"))
		return;
	do {
		word = strtok_r(NULL, " \t", &rest);
	} while (word && word[0] == '-');
	if (word)
		add_command(search, word);
}

static void look_into(struct search *search, const char *path)
{
	struct lw_elf file;

	if (lw_elf_open(&file, path)) {
		take_script(search, path);
		return;
	}
	take_elf(search, &file, path);
	lw_elf_close(&file);
}

static void add_preloaded(struct search *search)
{
	char *names = getenv("LD_PRELOAD"), *name, *rest;

	names = names ? strdup(names) : NULL;
	for (name = names ? strtok_r(names, " :", &rest) : NULL; name;
	     name = strtok_r(NULL, " :", &rest))
		add_library(search, name, NULL, "");
	free(names);
}

/**
 * lw_program_dependencies - guess which files a command will map when it starts
 * @command: as for execvp()
 * @fn: called with each path, good during the call; not all are ELF files
 * @ctx: for @fn
 */
void lw_program_dependencies(const char *command, lw_program_file_fn fn, void *ctx)
{
	struct search *search = calloc(1, sizeof(*search));

	if (!search)
		return;
	lw_ld_so_cache_open(&search->cache);
	add_command(search, command);
	add_preloaded(search);
	while (search->next < search->nr) {
		char *path = search->files[search->next++];

		fn(ctx, path);
		look_into(search, path);
	}
	for (u32 i = 0; i < search->nr; i++)
		free(search->files[i]);
	lw_ld_so_cache_close(&search->cache);
	free(search);
}
