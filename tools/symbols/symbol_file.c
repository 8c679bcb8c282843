// SPDX-License-Identifier: GPL-2.0
/*
 * symbol_file.c - names, lines and inlined calls of one ELF file.
 *
 * libdwfl finds the symbol tables of a file (its own, its separate debug file,
 * its compressed mini tables); they are copied once into a sorted array, as
 * libdwfl's own look-up goes through the whole table each time.  A stripped Go program has
 * names in the function table of its runtime.
 *
 * The file may be anybody's.  What is read of it has limits; what has none, debug
 * information, is read of files only that are root's or our own.
 *
 * Contexts: one thread per file.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/go_functions.h"
#include "elf/inlined_calls.h"
#include "symbols/plt_names.h"
#include "symbols/symbol_file.h"

/* Bytes of a section for each that the file has on disk, where that may be compressed. */
#define MAX_PACKED	16
#define MIN_NAMES	(1U << 16)
#define MAX_INLINED	32		/* calls within each other */

/* Sized functions first, then global before local, then the shorter name. */
static u32 rank_of(const GElf_Sym *sym, const char *text)
{
	u32 rank = strlen(text);

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE || !sym->st_size)
		rank += 1U << 18;
	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank += 1U << 17;
	if (text[0] == '_')
		rank += 1U << 16;
	return rank;
}

static bool is_code(const GElf_Sym *sym, GElf_Word shndx, const char *text)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!text || !text[0] || shndx == SHN_UNDEF || shndx == SHN_ABS)
		return false;
	/*
	 * Marks of the assembler, where code and data begin: $x, $d, and $x.1 for one (aaelf64,
	 * "Mapping symbols"; $a and $t are 32-bit Arm's).
	 */
	if (type == STT_NOTYPE && text[0] == '$' && text[1] && strchr("adtx", text[1]) &&
	    (!text[2] || text[2] == '.'))
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Left to itself libdwfl maps files, and what is cut while it is read is a SIGBUS. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **path, Elf **elf)
{
	struct lw_symbol_file *file = *userdata;

	(void)module, (void)name, (void)base;
	*path = strdup(file->path);
	/* what is read of it is read once */
	*elf = *path ? elf_begin(file->file.fd, ELF_C_READ, file->file.elf) : NULL;
	return -1;		/* the file stays ours */
}

/* Nobody else may write to it, or say what is in it. */
static bool is_trusted(const struct lw_elf *file)
{
	struct stat st;

	return !fstat(file->fd, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & 0022);
}

/*
 * libdwfl does not look whether the last name of a table ends in it: what it has read
 * is looked at here, as the file may be written to meanwhile.
 */
static bool names_end(const struct lw_symbol_file *file, Dwfl_Module *module)
{
	Elf_Scn *scn = NULL;
	bool found = false;
	Elf_Data *names;
	GElf_Shdr shdr;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);

	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		found = true;
		names = elf_getdata(elf_getscn(elf, shdr.sh_link), NULL);
		if (names && names->d_buf && names->d_size &&
		    ((const char *)names->d_buf)[names->d_size - 1])
			return false;
	}
	/* else they are those of PT_DYNAMIC, of which nobody knows it */
	return found || is_trusted(&file->file);
}

/*
 * Limit of the memory that a file's names may take, by its size on disk: a file may be sparse
 * or packed, and many of its symbols may have the same long name.
 */
static int most_bytes(const struct lw_elf *file, u64 *most)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return -errno;
	/* some file systems do not tell what a file takes */
	*most = !st.st_blocks && is_trusted(file) ? (u64)st.st_size : (u64)st.st_blocks * 512;
	*most = (*most + MIN_NAMES) * MAX_PACKED;
	return 0;
}

static void read_names(struct lw_symbol_file *file, Dwfl_Module *module)
{
	struct lw_code_names *table = &file->names;
	int nr = dwfl_module_getsymtab(module);

	if (!names_end(file, module) ||
	    (!is_trusted(&file->file) && most_bytes(&file->file, &table->most_text)))
		return;
	for (int i = 1; i < nr; i++) {
		struct lw_code_name name = { 0 };
		GElf_Word shndx = SHN_UNDEF;
		GElf_Addr addr = 0;
		GElf_Sym sym;

		name.text = (char *)dwfl_module_getsym_info(module, i, &sym, &addr, &shndx, NULL,
							    NULL);
		if (!name.text || !is_code(&sym, shndx, name.text))
			continue;
		name.start = addr;
		name.size = sym.st_size;
		name.rank = rank_of(&sym, name.text);
		if (lw_code_names_add(table, &name))
			break;
	}
	lw_code_names_sort(table);
}

/* Go's names for code that begins where no symbol does. */
static void add_go_names(struct lw_symbol_file *file)
{
	struct lw_code_names *table = &file->names;
	struct lw_go_function function;
	struct lw_go_functions go;
	size_t sorted = table->nr;
	u32 left = LW_GO_MAX_PIECES;

	if (!is_trusted(&file->file) && most_bytes(&file->file, &table->most_text))
		return;
	if (file->file.fd < 0 || lw_go_functions_read(&go, file->file.fd))
		return;
	for (u64 i = 0; i < go.nr; i++) {
		struct lw_code_names known = { .names = table->names, .nr = sorted };
		const struct lw_code_name *symbol;
		struct lw_code_name name;

		if (!lw_go_function_at(&go, i, &function) || !function.name)
			continue;
		name = (struct lw_code_name){
			.start = function.start,
			.size = lw_go_code_size(&function, &left),
			.text = (char *)function.name,
		};
		symbol = lw_code_names_find(&known, function.start);
		/* without a size it is a mark, like that of where code ends */
		if (!name.size || (symbol && symbol->start == function.start))
			continue;
		if (lw_code_names_add(table, &name))
			break;
	}
	lw_go_functions_free(&go);
	lw_code_names_sort(table);
}

static bool has_build_id(const struct lw_elf *file, const u8 *id, u32 id_len)
{
	u8 own[LW_BUILD_ID_MAX];

	if (!id_len)
		return true;
	return lw_elf_build_id(file, own) == (int)id_len && !memcmp(own, id, id_len);
}

/**
 * lw_build_id_path - the path of a file in a directory of files by build ID
 * @path: out
 * @size: bytes there
 * @root: of the directory
 * @id: build ID
 * @id_len: bytes of @id; 0: not known
 * @suffix: what follows the build ID
 *
 * Return: false: there is no build ID, or no room.
 */
bool lw_build_id_path(char *path, size_t size, const char *root, const u8 *id, u32 id_len,
		      const char *suffix)
{
	char hex[2 * LW_BUILD_ID_MAX + 1];

	if (!id_len || id_len > LW_BUILD_ID_MAX)
		return false;
	for (u32 i = 0; i < id_len; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return snprintf(path, size, "%s/.build-id/%.2s/%s%s", root, hex, hex + 2, suffix) <
	       (int)size;
}

/**
 * lw_perf_cache_path - where perf keeps a file of what it has recorded
 * @path: out
 * @size: bytes there
 * @id: build ID of what was recorded
 * @id_len: bytes of @id; 0: not known
 * @name: "/elf", "/debug", "/vdso", "/kallsyms"; "": the directory of these, which is the file
 *	itself in the cache of an old perf
 *
 * perf keeps a file below its path, too, but this may not be the path that was recorded: links
 * are followed, and containers have other files at the same path.
 *
 * Return: false: there is no build ID or no home directory.
 */
bool lw_perf_cache_path(char *path, size_t size, const u8 *id, u32 id_len, const char *name)
{
	const char *home = getenv("HOME");
	char root[PATH_MAX];

	return home && snprintf(root, sizeof(root), "%s/.debug", home) < (int)sizeof(root) &&
	       lw_build_id_path(path, size, root, id, id_len, name);
}

/* Return: a descriptor of the debug file that perf has found when it recorded, or -1. */
static int open_kept_debuginfo(const struct lw_symbol_file *file, char **debug_path)
{
	char path[PATH_MAX];
	u8 id[LW_BUILD_ID_MAX];
	int len = lw_elf_build_id(&file->file, id), fd = -1;
	struct lw_elf kept;

	if (len <= 0 || !lw_perf_cache_path(path, sizeof(path), id, len, "/debug") ||
	    lw_elf_open(&kept, path))
		return -1;
	if (has_build_id(&kept, id, len))
		fd = fcntl(kept.fd, F_DUPFD_CLOEXEC, 0);
	lw_elf_close(&kept);
	if (fd >= 0)
		*debug_path = strdup(path);
	return fd;
}

/*
 * libdwfl opens, reads and maps what is at the names that it makes of the file's own and
 * the link in it: these are the user's to choose.  A build ID leads to system directories.
 */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			  Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
			  char **debug_path)
{
	const struct lw_symbol_file *file = *userdata;
	int fd;

	if (is_trusted(&file->file))
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, path, link,
						  crc, debug_path);
	else
		fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, path, link, crc,
						  debug_path);
	return fd < 0 ? open_kept_debuginfo(file, debug_path) : fd;
}

/* Unpacking has no limit: that of strangers is left alone. */
static bool is_packed(const struct lw_elf *file, const GElf_Shdr *shdr)
{
	const char *name;
	size_t names;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return true;
	name = elf_getshdrstrndx(file->elf, &names) ? NULL :
	       elf_strptr(file->elf, names, shdr->sh_name);
	return name && !strcmp(name, ".gnu_debugdata");
}

/* A file may be sparse, and tell of more names than there is memory. */
static bool has_plausible_tables(const struct lw_elf *file)
{
	bool trusted = is_trusted(file);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	u64 most;

	if (most_bytes(file, &most))
		return false;
	while ((scn = elf_nextscn(file->elf, scn))) {
		/* whatever its type: a table of symbols may link to any for its names */
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_NOBITS && shdr.sh_size > most))
			return false;
	}
	while (!trusted && (scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && is_packed(file, &shdr))
			return false;
	}
	return true;
}

/* Return: false: nothing of it is in memory. */
static bool find_range(const struct lw_elf *file, u64 *start, u64 *end)
{
	GElf_Phdr phdr;
	bool found = false;

	for (size_t i = 0; i < file->nr_phdrs; i++) {
		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		/* as libdwfl does, which takes the first for where the file begins */
		if (!found)
			*start = phdr.p_vaddr & -phdr.p_align;
		*end = phdr.p_vaddr + phdr.p_memsz;
		found = true;
	}
	return found && *start < *end;
}

/* libdwfl wants a file, the vdso is only in our memory. */
static int open_vdso(struct lw_elf *file)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t page = sysconf(_SC_PAGESIZE), done = 0;
	char path[32];
	int fd, ret;

	if (!image)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* anybody might write to a new one, so that its rules would not be trusted */
	fchmod(fd, 0600);
	/* write() stops at the end of the mapping, wherever it is */
	while (done < 16 * page && write(fd, image + done, page) == (ssize_t)page)
		done += page;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = lw_elf_open(file, path);
	close(fd);
	return ret;
}

/**
 * lw_symbol_file_report - tell libdwfl of a file, between its begin and end of a report
 * @file: loaded; stays where it is until @dwfl is ended
 * @dwfl: of lw_symbol_files_begin()
 * @bias: what an address in memory is more than the file's own
 *
 * Return: its module or NULL.
 */
Dwfl_Module *lw_symbol_file_report(struct lw_symbol_file *file, Dwfl *dwfl, u64 bias)
{
	Dwfl_Module *module;
	u64 start = 0, end = 0;
	void **userdata;

	if (!file->path || !find_range(&file->file, &start, &end))
		return NULL;
	module = dwfl_report_module(dwfl, file->path, start + bias, end + bias);
	if (!module || !dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	*userdata = file;
	return module;
}

static Dwfl_Module *report(Dwfl *dwfl, struct lw_symbol_file *file)
{
	Dwfl_Module *module;

	dwfl_report_begin(dwfl);
	module = lw_symbol_file_report(file, dwfl, 0);
	if (module)
		dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

/* As libdwfl has it; NULL: its own */
char *lw_symbol_files_debug_path;

/**
 * lw_symbol_files_debug_below - look for debug files of another machine, too
 * @root: directory that is its root
 */
void lw_symbol_files_debug_below(const char *root)
{
	char *whole = realpath(root, NULL), *path;

	if (whole && asprintf(&path, ":.debug:%s/usr/lib/debug:/usr/lib/debug", whole) > 0) {
		free(lw_symbol_files_debug_path);
		lw_symbol_files_debug_path = path;
	}
	free(whole);
}

/**
 * lw_symbol_files_begin - begin with libdwfl, which looks for files as symbols are looked for
 *
 * Return: for dwfl_end(), or NULL.
 */
Dwfl *lw_symbol_files_begin(void)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &lw_symbol_files_debug_path,
	};

	return dwfl_begin(&callbacks);
}

/**
 * lw_symbol_file_open - open a file if it is the one
 * @file: out: to be closed
 * @path: a regular file
 * @id: build ID that it must have
 * @id_len: bytes of it; 0: any will do
 *
 * Return: 0, -ESTALE when it is another one, or as lw_elf_open().
 */
int lw_symbol_file_open(struct lw_symbol_file *file, const char *path, const u8 *id, u32 id_len)
{
	int ret;

	memset(file, 0, sizeof(*file));
	ret = lw_elf_open(&file->file, path);
	if (ret)
		return ret;
	if (has_build_id(&file->file, id, id_len))
		return 0;
	lw_elf_close(&file->file);
	return -ESTALE;
}

/**
 * lw_symbol_file_open_vdso - open the kernel's library in every process
 * @file: out: to be closed
 *
 * Return: 0 or -errno.
 */
int lw_symbol_file_open_vdso(struct lw_symbol_file *file)
{
	memset(file, 0, sizeof(*file));
	return open_vdso(&file->file);
}

/**
 * lw_symbol_file_load - read its names
 * @file: opened
 * @path: that it goes by, and its debug file is found by
 *
 * A file without any, or with more than there can be, has none.
 */
void lw_symbol_file_load(struct lw_symbol_file *file, const char *path)
{
	Dwfl_Module *module;
	Dwfl *dwfl;

	file->path = strdup(path);
	dwfl = file->path && has_plausible_tables(&file->file) ? lw_symbol_files_begin() : NULL;
	if (!dwfl)
		return;
	module = report(dwfl, file);
	if (module)
		read_names(file, module);
	dwfl_end(dwfl);
	add_go_names(file);
	/* some of them are better than none */
	lw_plt_names_add(&file->names, &file->file);
	lw_code_names_sort(&file->names);
}

/**
 * lw_symbol_file_is_trusted - may what has no limits, debug information, be read of it?
 * @file: loaded
 *
 * Return: false if somebody else may say what is in it.
 */
bool lw_symbol_file_is_trusted(const struct lw_symbol_file *file)
{
	return is_trusted(&file->file) && has_plausible_tables(&file->file);
}

/* Debug information has no limits: that of strangers is left alone. */
static void begin_lines(struct lw_symbol_file *file)
{
	file->lines_tried = true;
	if (!file->path || !lw_symbol_file_is_trusted(file))
		return;
	file->dwfl = lw_symbol_files_begin();
	file->module = file->dwfl ? report(file->dwfl, file) : NULL;
}

static void set_line(struct lw_source_line *line, Dwfl_Module *module, u64 addr)
{
	Dwfl_Line *found = dwfl_module_getsrc(module, addr);
	int number = 0;

	line->file = found ? dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL;
	line->line = number > 0 ? number : 0;
}

/* Where the call was that is inlined: it is in the function around it. */
static void set_call(struct lw_source_line *line, Dwarf_Die *die, Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	line->file = NULL;
	line->line = 0;
	if (dwarf_attr(die, DW_AT_call_line, &attr) && !dwarf_formudata(&attr, &number))
		line->line = number;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &number) &&
	    !dwarf_getsrcfiles(cu, &files, &nr) && number < nr)
		line->file = dwarf_filesrc(files, number, NULL, NULL);
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (dwarf_attr_integrate(die, names[i], &attr))
			return dwarf_formstring(&attr);
	}
	return dwarf_diename(die);
}

static u32 set_inlined(struct lw_symbol_file *file, struct lw_source_line *lines, u32 room,
		       Dwarf_Die *cu, u64 addr)
{
	const Dwarf_Die *calls[MAX_INLINED];
	u32 nr;

	if (!file->inlined)
		file->inlined = lw_inlined_calls_new();
	if (!file->inlined)
		return 0;
	room = room > MAX_INLINED ? MAX_INLINED : room - 1;
	nr = lw_inlined_calls_find(file->inlined, cu, addr, calls, room);
	for (u32 i = 0; i < nr; i++) {
		Dwarf_Die die = *calls[i];

		lines[i].function = name_of(&die);
		if (!lines[i].function)
			lines[i].function = "[unknown]";
		set_call(&lines[i + 1], &die, cu);
	}
	return nr;
}

/**
 * lw_symbol_file_lines - which source an address comes from
 * @file: loaded
 * @addr: as its symbols are
 * @lines: out: the innermost inlined call first, the function itself last; good until
 *	the file is closed
 * @room: how many fit, at least 1
 *
 * Return: how many; 0: nothing is known.
 */
u32 lw_symbol_file_lines(struct lw_symbol_file *file, u64 addr, struct lw_source_line *lines,
			 u32 room)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu;
	u32 nr;

	if (!file->lines_tried)
		begin_lines(file);
	if (!file->module)
		return 0;
	memset(lines, 0, room * sizeof(*lines));
	set_line(&lines[0], file->module, addr);
	cu = dwfl_module_addrdie(file->module, addr, &bias);
	nr = cu ? set_inlined(file, lines, room, cu, addr - bias) : 0;
	lines[nr].function = NULL;
	return nr || lines[0].file ? nr + 1 : 0;
}

/**
 * lw_symbol_file_close - forget all
 * @file: opened, or all zero but for its descriptor of -1
 */
void lw_symbol_file_close(struct lw_symbol_file *file)
{
	lw_inlined_calls_free(file->inlined);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	lw_elf_close(&file->file);
	lw_code_names_free(&file->names);
	free(file->path);
	file->inlined = NULL;
	file->dwfl = NULL;
	file->module = NULL;
	file->path = NULL;
}
