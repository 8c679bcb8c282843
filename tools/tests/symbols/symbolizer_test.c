// SPDX-License-Identifier: GPL-2.0
/*
 * symbolizer_test.c - names of recorded addresses: of the right file only, demangled,
 * with inlined calls; of kernels that run no more.
 */
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "symbols/code_names.h"
#include "symbols/saved_names.h"
#include "symbols/symbolizer.h"
#include "tests/tap.h"

static char dir[32] = "/tmp/lw-symbolize-XXXXXX";
static volatile int sink;
static u64 inlined_at;
static int inlined_line;

__attribute__((used)) int name_me(int x);

/**
 * name_me - a function to find in this file's symbol table
 */
int name_me(int x)
{
	return x * 3 + 1;
}

int cxx_function(int x) asm("_ZN5outer5innerEi");

/**
 * cxx_function - one with the name that C++ gives outer::inner(int)
 */
__attribute__((used, noinline)) int cxx_function(int x)
{
	return x + 2;
}

static inline __attribute__((always_inline)) void inner_call(void)
{
	u64 here;

	asm volatile("lea 0(%%rip), %0" : "=r"(here));
	inlined_at = here - 1;
	sink++;
}

static inline __attribute__((always_inline)) void inlined_call(void)
{
	inner_call();
}

__attribute__((noinline)) static void around_inlined_call(void)
{
	inlined_line = __LINE__; inlined_call();
}

/* The mapping of this process that has the address. */
static bool find_map(u64 addr, struct lw_map *map)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4400], path[4200];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		memset(map, 0, sizeof(*map));
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4199s", &map->start, &map->end,
			   &map->pgoff, path) == 4)
			found = addr >= map->start && addr < map->end;
	}
	if (file)
		fclose(file);
	map->path = found ? strdup(path) : NULL;
	return map->path;
}

static bool add_build_id(struct lw_map *map)
{
	struct lw_elf file;
	int len;

	if (lw_elf_open(&file, "/proc/self/exe"))
		return false;
	len = lw_elf_build_id(&file, map->build_id);
	map->build_id_len = len > 0 ? len : 0;
	lw_elf_close(&file);
	return len > 0;
}

/* Return: descriptor of a copy of this program, whose path is in the mapping now. */
static int copy_program(struct lw_map *map)
{
	char path[64];
	int from = open("/proc/self/exe", O_RDONLY), to;
	struct stat st;

	snprintf(path, sizeof(path), "%s/copy", dir);
	to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, st.st_size) != st.st_size)
		return -1;
	close(from);
	free(map->path);
	map->path = strdup(path);
	return to;
}

static bool is(const char *text, const char *wanted)
{
	if (text && !strcmp(text, wanted))
		return true;
	printf("# '%s' instead of '%s'\n", text ? text : "(none)", wanted);
	return false;
}

static struct lw_symbolizer *new_symbolizer(bool here, bool no_demangle, bool inlined)
{
	const struct lw_symbolize_options options = {
		.here = here, .no_demangle = no_demangle, .inlined = inlined,
	};

	return lw_symbolizer_new(&options);
}

static u32 look_up(struct lw_symbolizer *symbolizer, const struct lw_map *map, u64 ip,
		   struct lw_place *places)
{
	const struct lw_user_address address = { .pid = getpid(), .map = map, .ip = ip };

	return lw_symbolize_user(symbolizer, &address, places, LW_MAX_PLACES);
}

static bool functions_have_names(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map map;

	CHECK(symbolizer && find_map((u64)name_me, &map) && add_build_id(&map));
	CHECK(look_up(symbolizer, &map, (u64)name_me + 1, places) == 1);
	CHECK(is(places[0].function, "name_me") && places[0].offset == 1);
	CHECK(is(places[0].dso, map.path) && !places[0].inlined && places[0].address);
	CHECK(look_up(symbolizer, NULL, 0x1234, places) == 1);
	CHECK(!places[0].function && is(places[0].dso, "[unknown]"));
	CHECK(!lw_symbolizer_problem(symbolizer, 0));
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool code_without_symbol_goes_by_its_file_and_start(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_place places[LW_MAX_PLACES];
	char command[128], wanted[64];
	struct lw_map map;

	CHECK(symbolizer && find_map((u64)name_me, &map) && add_build_id(&map));
	CHECK(look_up(symbolizer, &map, (u64)name_me, places) == 1 && !places[0].unnamed);
	CHECK(is(lw_place_symbol(&places[0]), "name_me"));
	snprintf(wanted, sizeof(wanted), "copy+0x%llx", places[0].address);
	snprintf(command, sizeof(command), "strip -o %s/copy /proc/%d/exe", dir, getpid());
	CHECK(!system(command));
	snprintf(command, sizeof(command), "%s/copy", dir);
	free(map.path);
	map.path = command;
	CHECK(look_up(symbolizer, &map, (u64)name_me + 1, places) == 1);
	CHECK(is(places[0].function, wanted) && places[0].offset == 1 && places[0].unnamed);
	CHECK(!lw_place_symbol(&places[0]) && is(places[0].dso, map.path));
	unlink(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool names_are_demangled_unless_told_not_to(void)
{
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map map;

	CHECK(find_map((u64)cxx_function, &map));
	for (int no_demangle = 0; no_demangle < 2; no_demangle++) {
		struct lw_symbolizer *symbolizer = new_symbolizer(false, no_demangle, false);

		/* twice: the second one is kept */
		look_up(symbolizer, &map, (u64)cxx_function, places);
		CHECK(look_up(symbolizer, &map, (u64)cxx_function, places) == 1);
		CHECK(is(places[0].function,
			 no_demangle ? "_ZN5outer5innerEi" : "outer::inner(int)"));
		lw_symbolizer_free(symbolizer);
	}
	free(map.path);
	return true;
}

static bool demangles_to(const char *text, const char *wanted)
{
	char *plain = lw_demangle(text);
	bool ok = wanted ? is(plain, wanted) : !plain;

	free(plain);
	return ok;
}

static bool names_of_c_plus_plus_and_rust_are_known(void)
{
	CHECK(demangles_to("_ZNSt6vectorIiSaIiEE9push_backERKi",
			   "std::vector<int, std::allocator<int> >::push_back(int const&)"));
	CHECK(demangles_to("_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar"));
	CHECK(demangles_to("_ZN3foo3bar17h05af221e174051e9E", "foo::bar"));
	CHECK(demangles_to("main", NULL) && demangles_to("_Zx", NULL) && demangles_to("", NULL));
	return true;
}

/* Each type of the list is a pair of the one before: its text is twice as long. */
static bool name_that_means_too_much_is_left(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char text[1024] = "_Z1f1pIiiE", *at = text + strlen(text);

	CHECK(demangles_to(text, "f(p<int, int>)"));
	for (int i = 0; i < 30; i++)
		at += sprintf(at, "S_IS%c_S%c_E", digits[i], digits[i]);
	CHECK(demangles_to(text, NULL));
	return true;
}

static bool file_with_another_build_id_is_not_used(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(true, false, false);
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map map;

	CHECK(symbolizer && find_map((u64)name_me, &map) && add_build_id(&map));
	map.build_id[3] ^= 1;
	look_up(symbolizer, &map, (u64)name_me, places);
	CHECK(!places[0].function && is(places[0].dso, map.path));
	CHECK(lw_symbolizer_problem(symbolizer, 0));
	CHECK(strstr(lw_symbolizer_problem(symbolizer, 0), map.path));
	CHECK(strstr(lw_symbolizer_problem(symbolizer, 0), "build ID"));
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* What perf has kept is at @name below a build ID's link, the link is to @target. */
static bool keep_file(const struct lw_map *map, const char *target, const char *command)
{
	char whole[1024], link[128], *at = link;

	at += sprintf(at, "%s/.debug/.build-id/%02x", dir, map->build_id[0]);
	snprintf(whole, sizeof(whole), "cd %s && rm -rf .debug kept && mkdir -p %s kept", dir,
		 link);
	if (system(whole))
		return false;
	at += sprintf(at, "/");
	for (int i = 1; i < map->build_id_len; i++)
		at += sprintf(at, "%02x", map->build_id[i]);
	snprintf(whole, sizeof(whole),
		 "ln -s ../../../%s %s && cd %s/kept && me=/proc/%d/exe && %s", target, link, dir,
		 getpid(), command);
	return !system(whole);
}

static bool is_named_by_kept(const struct lw_map *map, bool wanted)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_place places[LW_MAX_PLACES];
	bool named;

	look_up(symbolizer, map, (u64)name_me, places);
	named = lw_place_symbol(&places[0]);
	if (named)
		wanted = wanted && is(lw_place_symbol(&places[0]), "name_me");
	lw_symbolizer_free(symbolizer);
	return named == wanted;
}

static bool files_that_perf_keeps_are_found_by_build_id(void)
{
	struct lw_map map;
	char path[64];

	CHECK(find_map((u64)name_me, &map) && add_build_id(&map) && !setenv("HOME", dir, 1));
	free(map.path);
	map.path = "/no/such/file (deleted)";
	CHECK(is_named_by_kept(&map, false));
	CHECK(keep_file(&map, "kept", "cp $me elf") && is_named_by_kept(&map, true));
	/* of old releases */
	CHECK(keep_file(&map, "kept/file", "cp $me file") && is_named_by_kept(&map, true));
	/* in the place of the right one is another */
	CHECK(keep_file(&map, "kept", "objcopy -R .note.gnu.build-id $me elf"));
	CHECK(is_named_by_kept(&map, false));
	/* a stripped file, and the names that perf found elsewhere */
	CHECK(keep_file(&map, "kept", "strip -o elf $me") && is_named_by_kept(&map, false));
	CHECK(keep_file(&map, "kept", "strip -o elf $me && objcopy --only-keep-debug $me debug"));
	CHECK(is_named_by_kept(&map, true));
	/* also where the file is still there */
	CHECK(keep_file(&map, "kept", "objcopy --only-keep-debug $me debug && strip -o ../it $me"));
	snprintf(path, sizeof(path), "%s/it", dir);
	map.path = path;
	CHECK(is_named_by_kept(&map, true));
	CHECK(keep_file(&map, "kept", "objcopy --only-keep-debug -R .note.gnu.build-id $me debug"));
	CHECK(is_named_by_kept(&map, false));
	return true;
}

/* The executable segment of this program, and by how much it is moved. */
static int find_text(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			*(struct dl_phdr_info *)ctx = (struct dl_phdr_info) {
				.dlpi_addr = info->dlpi_addr, .dlpi_phdr = &info->dlpi_phdr[i],
			};
	return 1;
}

/*
 * As the kernel of a machine with pages of that size maps it.  Return: by how much higher than this
 * one has it.
 */
static u64 map_with_pages_of(u64 page, struct lw_map *map)
{
	struct dl_phdr_info text = {};
	u64 end, moved;

	dl_iterate_phdr(find_text, &text);
	map->start = text.dlpi_phdr->p_vaddr & -page;
	end = (text.dlpi_phdr->p_vaddr + text.dlpi_phdr->p_memsz + page - 1) & -page;
	moved = -text.dlpi_addr & (page - 1);
	map->end = end + text.dlpi_addr + moved;
	map->start += text.dlpi_addr + moved;
	return moved;
}

static bool debug_file_names_code_of_a_file_that_is_not_there(void)
{
	struct lw_symbolize_options options = { .symfs = dir };
	struct lw_place places[LW_MAX_PLACES];
	struct lw_symbolizer *symbolizer;
	char command[256];
	struct lw_map map;

	CHECK(find_map((u64)name_me, &map) && add_build_id(&map));
	CHECK(keep_file(&map, "kept/file", "objcopy --only-keep-debug $me file"));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir usr usr/lib && mv .debug usr/lib/debug && mv kept/file %s",
		 dir, "$(echo usr/lib/debug/.build-id/*/*).debug");
	CHECK(!system(command));
	free(map.path);
	map.path = "/no/such/file";
	symbolizer = lw_symbolizer_new(&options);
	look_up(symbolizer, &map, (u64)name_me + 1, places);
	CHECK(is(lw_place_symbol(&places[0]), "name_me") && places[0].offset == 1);
	/* a part of the segment: nothing tells which one */
	map.end -= 0x1000;
	look_up(symbolizer, &map, (u64)name_me + 1, places);
	CHECK(!places[0].function && is(places[0].dso, "/no/such/file"));
	for (u64 page = 4096; page <= 65536; page *= 4) {
		look_up(symbolizer, &map, (u64)name_me + 1 + map_with_pages_of(page, &map), places);
		CHECK(is(lw_place_symbol(&places[0]), "name_me") && places[0].offset == 1);
	}
	lw_symbolizer_free(symbolizer);
	map.build_id[5] ^= 1;
	symbolizer = lw_symbolizer_new(&options);
	look_up(symbolizer, &map, (u64)name_me + 1, places);
	CHECK(!places[0].function && lw_symbolizer_problem(symbolizer, 0));
	lw_symbolizer_free(symbolizer);
	return true;
}

#define STRIP	"strip -o it $me && "
#define PACK	STRIP "objcopy --only-keep-debug -g $me mini && xz mini && " \
		"objcopy --add-section .gnu_debugdata=mini.xz it"
#define LINK	STRIP "mkdir .debug && objcopy --only-keep-debug $me .debug/x && " \
		"objcopy --add-gnu-debuglink=.debug/x it"

static bool is_named_by_file(struct lw_map *map, const char *command, bool wanted)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/kept/it", dir);
	map->path = path;
	return keep_file(map, "nothing", command) && is_named_by_kept(map, wanted);
}

/* Both are libdw's to find: names that are packed in the file, and a file that it links to. */
static bool packed_names_and_linked_debug_files_are_found(void)
{
	struct lw_map map;

	CHECK(find_map((u64)name_me, &map) && add_build_id(&map) && !setenv("HOME", dir, 1));
	free(map.path);
	CHECK(is_named_by_file(&map, STRIP "true", false));
	CHECK(is_named_by_file(&map, PACK, true) && is_named_by_file(&map, LINK, true));
	/* the file is a stranger's */
	CHECK(is_named_by_file(&map, PACK " && chmod 777 it", false));
	CHECK(is_named_by_file(&map, LINK " && chmod 777 it", false));
	/* what the link leads to is another file */
	CHECK(is_named_by_file(&map, LINK " && objcopy -R .note.gnu.build-id .debug/x",
			       false));
	return true;
}

/* @later: it is another machine's, or of a process that is gone. */
static bool look_up_deleted(bool later, struct lw_place *places, char *problem, size_t size)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(!later, false, false);
	struct lw_map map, copied;
	u64 at = (u64)name_me;
	char path[128];
	void *mapped;
	int fd;

	CHECK(symbolizer && find_map(at, &map) && add_build_id(&map));
	fd = copy_program(&map);
	CHECK(fd >= 0);
	mapped = mmap(NULL, map.end - map.start, PROT_READ, MAP_PRIVATE, fd, map.pgoff);
	CHECK(mapped != MAP_FAILED);
	unlink(map.path);
	copied = map;
	copied.start = (u64)mapped;
	copied.end = copied.start + (map.end - map.start);
	snprintf(path, sizeof(path), "%s (deleted)", map.path);
	copied.path = path;
	look_up(symbolizer, &copied, at - map.start + copied.start, places);
	snprintf(problem, size, "%s", lw_symbolizer_problem(symbolizer, 0) ?: "");
	munmap(mapped, map.end - map.start);
	close(fd);
	free(map.path);
	/* what points into it is not looked at any more */
	if (places[0].function)
		places[0].function = "named";
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool deleted_file_is_found_while_its_process_lives_and_told_of_else(void)
{
	struct lw_place places[LW_MAX_PLACES];
	char problem[256];

	CHECK(look_up_deleted(true, places, problem, sizeof(problem)));
	CHECK(!places[0].function && strstr(problem, "deleted"));
	if (geteuid())
		return true;	/* others may not look there */
	CHECK(look_up_deleted(false, places, problem, sizeof(problem)));
	CHECK(places[0].function && !problem[0]);
	return true;
}

static bool inlined_calls_and_lines_are_told_when_asked_for(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, true);
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map map;

	around_inlined_call();
	CHECK(symbolizer && find_map(inlined_at, &map));
	for (int i = 0; i < 2; i++) {
		CHECK(look_up(symbolizer, &map, inlined_at, places) == 3);
		CHECK(is(places[0].function, "inner_call") && places[0].inlined);
		CHECK(is(places[1].function, "inlined_call") && places[1].inlined);
		CHECK(is(places[2].function, "around_inlined_call") && !places[2].inlined);
		for (int j = 0; j < 3; j++)
			CHECK(places[j].file && strstr(places[j].file, "symbolizer_test.c"));
		CHECK((int)places[2].line == inlined_line);
		CHECK(places[0].line && places[0].line < places[1].line);
		CHECK(places[1].line < places[2].line);
	}
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool debug_information_of_strangers_is_not_read(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, true);
	struct lw_place places[LW_MAX_PLACES];
	struct lw_map map;
	int fd;

	around_inlined_call();
	CHECK(symbolizer && find_map(inlined_at, &map));
	fd = copy_program(&map);
	CHECK(fd >= 0 && !fchmod(fd, 0777));
	CHECK(look_up(symbolizer, &map, inlined_at, places) == 1);
	CHECK(is(places[0].function, "around_inlined_call") && !places[0].file);
	unlink(map.path);
	close(fd);
	free(map.path);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* --- the kernel */

#define KERNEL_ID	"\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24"
#define KERNEL_HEX	"02030405060708090a0b0c0d0e0f1011121314"	/* but for the first byte */

static bool save_kallsyms(void)
{
	char command[512], path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/.debug/.build-id/01/" KERNEL_HEX, dir);
	snprintf(command, sizeof(command), "mkdir -p '%s'", path);
	if (system(command))
		return false;
	strcat(path, "/kallsyms");
	file = fopen(path, "w");
	if (!file)
		return false;
	fputs("ffffffff81000000 T _text\n"
	      "ffffffff81000100 T schedule\n"
	      "ffffffff81000200 D no_code\n"
	      "ffffffff81000300 T __sched_text_start\n"
	      "ffffffff81000300 t __schedule\n"
	      "ffffffff81000400 t pipe_read.llvm.18148647926398045592\n"
	      "ffffffffc0001000 t helper\t[some_module]\n", file);
	return !fclose(file);
}

static bool kernel_that_is_gone_is_named_by_what_was_saved(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_recorded_kernel kernel = {
		.release = "6.1.0-made-up",
		.build_id = (const u8 *)KERNEL_ID,
		.build_id_len = LW_BUILD_ID_MAX,
		.symbol = "_text",
	};
	struct lw_place place;

	CHECK(symbolizer && save_kallsyms() && !setenv("HOME", dir, 1));
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	CHECK(!lw_symbolizer_problem(symbolizer, 0));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000110, &place);
	CHECK(is(place.function, "schedule") && place.offset == 0x10);
	CHECK(is(place.dso, "[kernel.kallsyms]"));
	/* as the linker of an LTO kernel has it */
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000310, &place);
	CHECK(is(place.function, "__schedule"));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000410, &place);
	CHECK(is(place.function, "pipe_read"));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffffc0001004, &place);
	CHECK(is(place.function, "helper") && is(place.dso, "[some_module]"));
	/* it was 16 MiB further up when it was recorded */
	kernel.address = 0xffffffff82000000;
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff82000110, &place);
	CHECK(is(place.function, "schedule") && place.offset == 0x10);
	lw_symbolizer_free(symbolizer);
	return true;
}

/* Also before those of a kernel that runs here, whose modules may have changed. */
static bool names_that_the_recording_has_come_first(void)
{
	static const char names[] = "ffffffff81000108 t in_it\nffffffffc0001000 t it\t[a_module]\n";
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_recorded_kernel kernel = {
		.release = "6.1.0-made-up",
		.build_id = (const u8 *)KERNEL_ID,
		.build_id_len = LW_BUILD_ID_MAX,
		.symbol = "_text",
		.address = 0xffffffff82000000,
		.names = names,
		.names_size = strlen(names),
	};
	struct lw_place place;

	CHECK(symbolizer && save_kallsyms() && !setenv("HOME", dir, 1));
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	CHECK(!lw_symbolizer_problem(symbolizer, 0));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000110, &place);
	CHECK(is(place.function, "in_it") && place.offset == 8);
	CHECK(is(place.dso, "[kernel.kallsyms]"));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffffc0001004, &place);
	CHECK(is(place.function, "it") && is(place.dso, "[a_module]"));
	/* without one that can be read it is as if there were none */
	kernel.names = "\0\n\n zz";
	kernel.names_size = 6;
	kernel.address = 0;
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000110, &place);
	CHECK(is(place.function, "schedule"));
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool caller_is(struct lw_symbolizer *symbolizer, u64 ip, const char *name, u64 offset)
{
	struct lw_place place;
	bool is_return = lw_symbolize_caller(symbolizer, 5, ip, &place);

	return is(place.function, name) && place.offset == offset &&
	       is_return == (place.address == ip - 1);
}

/* A timer may hit the first byte of a function; where there is padding no call ends there. */
static bool kernel_code_that_was_interrupted_is_no_caller(void)
{
	static const char names[] =
		"ffffffff81000100 t calls\nffffffff81000200 t behind_a_call\n"
		"ffffffff812ffff0 t __pfx_first\nffffffff81300000 t first\n"
		"ffffffff813ffffb t __cfi_second\nffffffff81400000 t second\n";
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	struct lw_recorded_kernel kernel = {
		.release = "6.1.0-made-up",
		.build_id = (const u8 *)KERNEL_ID,
		.build_id_len = LW_BUILD_ID_MAX,
		.names = names,
		.names_size = strlen(names),
	};

	CHECK(symbolizer);
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	CHECK(caller_is(symbolizer, 0xffffffff81000180, "calls", 0x7f));
	CHECK(caller_is(symbolizer, 0xffffffff81000200, "calls", 0xff));
	CHECK(caller_is(symbolizer, 0xffffffff81300000, "first", 0));
	CHECK(caller_is(symbolizer, 0xffffffff81300001, "first", 0));
	CHECK(caller_is(symbolizer, 0xffffffff81400000, "second", 0));
	lw_symbolizer_free(symbolizer);
	return true;
}

static bool kernel_that_is_not_known_is_told_of(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	const struct lw_recorded_kernel kernel = { .release = "6.1.0-made-up" };
	struct lw_place place;

	CHECK(symbolizer);
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	CHECK(strstr(lw_symbolizer_problem(symbolizer, 0), "6.1.0-made-up"));
	lw_symbolize_kernel(symbolizer, 5, 0xffffffff81000110, &place);
	CHECK(!place.function && is(place.dso, "[kernel.kallsyms]"));
	lw_symbolizer_free(symbolizer);
	return true;
}

struct ksymbol_record {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[24];
};

static int tell_ksymbol(struct lw_symbolizer *symbolizer, const char *name, u64 addr, u16 flags,
			u64 time)
{
	struct ksymbol_record record = {
		.header = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(record) },
		.addr = addr,
		.len = 0x100,
		.flags = flags,
	};

	strcpy(record.name, name);
	return lw_symbolizer_ksymbol(symbolizer, &record.header, sizeof(record), time);
}

static const char *ksymbol_at(struct lw_symbolizer *symbolizer, u64 time, u64 ip)
{
	struct lw_place place;

	lw_symbolize_kernel(symbolizer, time, ip, &place);
	return place.function ? place.function : "";
}

static bool bpf_programs_are_named_while_they_are_there(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	const u64 at = 0xffffffffa0000000;

	CHECK(symbolizer && !tell_ksymbol(symbolizer, "bpf_prog_first", at, 0, 100));
	CHECK(is(ksymbol_at(symbolizer, 150, at + 0xff), "bpf_prog_first"));
	CHECK(is(ksymbol_at(symbolizer, 150, at + 0x100), ""));
	CHECK(is(ksymbol_at(symbolizer, 99, at), ""));
	CHECK(!tell_ksymbol(symbolizer, "bpf_prog_first", at, 1, 200));
	CHECK(is(ksymbol_at(symbolizer, 201, at), ""));
	CHECK(!tell_ksymbol(symbolizer, "bpf_prog_second", at + 0x10, 0, 300));
	CHECK(is(ksymbol_at(symbolizer, 301, at + 0x20), "bpf_prog_second"));
	CHECK(is(ksymbol_at(symbolizer, 150, at + 0x20), "bpf_prog_first"));
	/* one that has ended is forgotten when nobody asks of its time any more */
	lw_symbolizer_trim(symbolizer, 200);
	CHECK(is(ksymbol_at(symbolizer, 150, at + 0x20), "bpf_prog_first"));
	lw_symbolizer_trim(symbolizer, 201);
	CHECK(is(ksymbol_at(symbolizer, 150, at + 0x20), ""));
	CHECK(is(ksymbol_at(symbolizer, 301, at + 0x20), "bpf_prog_second"));
	lw_symbolizer_free(symbolizer);
	return true;
}

/* Of two modules at one place, and one that the saved names say nothing about in between. */
static bool modules_have_the_names_of_their_time(void)
{
	static const char names[] =
		"ffffffffc0001000 t _RNvCs1_7mycrate3foo\t[rusty]\t100 0 64\n"
		"ffffffffc0001000 t early\t[first]\t100 64 c8\n"
		"ffffffffc0001040 t late\t[second]\t80 12c ffffffffffffffff\n"
		"ffffffffc0001000 t \t[first]\t1000 64 c8\n"
		"ffffffffc0001000 t not_whole\t[third]\t100 0\n"
		"ffffffff81000100 t schedule\n";
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	const struct lw_recorded_kernel kernel = {
		.release = "6.1.0-made-up", .names = names, .names_size = strlen(names),
	};
	const u64 at = 0xffffffffc0001000;
	struct lw_place place;

	CHECK(symbolizer);
	/* as there are when names are asked for first */
	CHECK(!tell_ksymbol(symbolizer, "bpf_prog_low", at - 0x1000, 0, 50));
	CHECK(!tell_ksymbol(symbolizer, "bpf_prog_high", at + 0x1000, 0, 50));
	lw_symbolizer_set_kernel(symbolizer, &kernel);
	CHECK(is(ksymbol_at(symbolizer, 99, at + 4), "mycrate::foo"));
	lw_symbolize_kernel(symbolizer, 100, at + 4, &place);
	CHECK(is(place.function, "early") && is(place.dso, "[first]") && place.offset == 4);
	CHECK(is(ksymbol_at(symbolizer, 199, at + 0xff), "early"));
	lw_symbolize_kernel(symbolizer, 199, at + 0x100, &place);
	CHECK(!place.function && is(place.dso, "[first]"));
	CHECK(is(ksymbol_at(symbolizer, 200, at + 4), "schedule"));
	lw_symbolize_kernel(symbolizer, 300, at + 0x44, &place);
	CHECK(is(place.function, "late") && is(place.dso, "[second]") && place.offset == 4);
	CHECK(is(ksymbol_at(symbolizer, 300, at + 0x3f), "schedule"));
	CHECK(is(ksymbol_at(symbolizer, 300, at - 0xfff), "bpf_prog_low"));
	CHECK(is(ksymbol_at(symbolizer, 300, at + 0x1001), "bpf_prog_high"));
	lw_symbolizer_free(symbolizer);
	return true;
}

/* It was found at the beginning, and a record that it came was read behind that. */
static bool code_that_is_told_of_twice_goes_once(void)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, false);
	const u64 at = 0xffffffffa0000000;

	CHECK(symbolizer && !tell_ksymbol(symbolizer, "kprobe_insn_page", at, 0, 0));
	CHECK(!tell_ksymbol(symbolizer, "kprobe_insn_page", at, 0, 100));
	CHECK(is(ksymbol_at(symbolizer, 50, at), "kprobe_insn_page"));
	CHECK(!tell_ksymbol(symbolizer, "kprobe_insn_page", at, 1, 200));
	CHECK(is(ksymbol_at(symbolizer, 150, at), "kprobe_insn_page"));
	CHECK(is(ksymbol_at(symbolizer, 200, at), ""));
	lw_symbolizer_free(symbolizer);
	return true;
}

/* What "/bin/copy" is there, by way of a link that would lead elsewhere here. */
static bool make_root(char *root, size_t size, struct lw_map *map)
{
	char path[96];
	int fd;

	snprintf(root, size, "%s/root", dir);
	snprintf(path, sizeof(path), "%s/usr", root);
	if (mkdir(root, 0755) || mkdir(path, 0755))
		return false;
	snprintf(path, sizeof(path), "%s/bin", root);
	if (symlink("/usr", path))
		return false;
	fd = copy_program(map);
	if (fd < 0 || close(fd))
		return false;
	snprintf(path, sizeof(path), "%s/usr/copy", root);
	return !rename(map->path, path);
}

static bool files_of_another_machine_are_below_a_root(void)
{
	struct lw_symbolize_options options = { .here = false };
	struct lw_place places[LW_MAX_PLACES];
	struct lw_symbolizer *symbolizer;
	struct lw_map map;
	char root[64];

	CHECK(find_map((u64)name_me, &map) && make_root(root, sizeof(root), &map));
	free(map.path);
	map.path = strdup("/bin/copy");
	options.symfs = root;
	symbolizer = lw_symbolizer_new(&options);
	look_up(symbolizer, &map, (u64)name_me, places);
	CHECK(is(places[0].function, "name_me") && is(places[0].dso, "/bin/copy"));
	/* without a build ID the one of here is another one */
	free(map.path);
	map.path = strdup("/proc/self/exe");
	look_up(symbolizer, &map, (u64)name_me, places);
	CHECK(!places[0].function && lw_symbolizer_problem(symbolizer, 0));
	CHECK(add_build_id(&map));
	look_up(symbolizer, &map, (u64)name_me, places);
	CHECK(is(places[0].function, "name_me"));
	/* and one that leads out of the root leads nowhere */
	free(map.path);
	map.path = strdup("/../../../../../../proc/self/exe");
	map.build_id_len = 0;
	look_up(symbolizer, &map, (u64)name_me, places);
	CHECK(!places[0].function);
	lw_symbolizer_free(symbolizer);
	options.symfs = "/nowhere";
	symbolizer = lw_symbolizer_new(&options);
	CHECK(symbolizer && strstr(lw_symbolizer_problem(symbolizer, 0), "/nowhere"));
	lw_symbolizer_free(symbolizer);
	free(map.path);
	return true;
}

/* Return: a symbolizer of what reads @saved, which are freed. */
static struct lw_symbolizer *new_with_saved(struct lw_saved_names *saved, bool inlined)
{
	struct lw_symbolizer *symbolizer = new_symbolizer(false, false, inlined);
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (lw_saved_names_write(saved, to) || fclose(to) ||
	    lw_symbolizer_take_saved(symbolizer, text, size))
		printf("# not saved\n");
	free(text);
	lw_saved_names_free(saved);
	return symbolizer;
}

static bool same_places(const struct lw_place *a, const struct lw_place *b, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		if (!is(a[i].function, b[i].function) || a[i].offset != b[i].offset ||
		    a[i].line != b[i].line || a[i].inlined != b[i].inlined ||
		    a[i].address != b[i].address || !is(a[i].dso, b[i].dso) ||
		    !is(a[i].file, b[i].file))
			return false;
	}
	return true;
}

static bool saved_names_stand_for_a_file_that_is_gone(void)
{
	struct lw_symbolize_options how = { .no_demangle = true, .inlined = true,
					    .save = lw_saved_names_new() };
	struct lw_symbolizer *before = lw_symbolizer_new(&how), *after;
	struct lw_place was[LW_MAX_PLACES], places[LW_MAX_PLACES];
	struct lw_map map;
	u32 nr;

	around_inlined_call();
	CHECK(find_map((u64)name_me, &map) && add_build_id(&map));
	close(copy_program(&map));
	nr = look_up(before, &map, inlined_at, was);
	CHECK(nr == 3 && look_up(before, &map, (u64)cxx_function, places) == 1);
	CHECK(!unlink(map.path));
	after = new_with_saved(how.save, true);
	CHECK(look_up(after, &map, inlined_at, places) == nr && same_places(places, was, nr));
	CHECK(look_up(after, &map, (u64)cxx_function, places) == 1);
	CHECK(is(places[0].function, "outer::inner(int)"));
	/* nobody asked for this one, and that its file is not there is no news */
	CHECK(look_up(after, &map, (u64)name_me, places) == 1 && !places[0].function);
	CHECK(!lw_symbolizer_problem(after, 0));
	lw_symbolizer_free(after);
	lw_symbolizer_free(before);
	free(map.path);
	return true;
}

static bool file_is_asked_where_it_tells_more_than_what_was_saved(void)
{
	struct lw_place unnamed = { .function = "copy+0x10", .unnamed = true };
	struct lw_place named = { .function = "saved" };
	struct lw_place places[LW_MAX_PLACES];
	struct lw_symbolizer *symbolizer;
	struct lw_saved_names *saved;
	struct lw_map map;

	CHECK(find_map((u64)name_me, &map) && add_build_id(&map));
	for (int inlined = 0; inlined < 2; inlined++) {
		saved = lw_saved_names_new();
		CHECK(!lw_saved_names_add(saved, &map, (u64)name_me, &unnamed, 1));
		CHECK(!lw_saved_names_add(saved, &map, (u64)cxx_function, &named, 1));
		symbolizer = new_with_saved(saved, inlined);
		CHECK(look_up(symbolizer, &map, (u64)name_me, places) == 1);
		CHECK(is(places[0].function, "name_me"));
		/* a line is more than none */
		CHECK(look_up(symbolizer, &map, (u64)cxx_function, places) == 1);
		CHECK(is(places[0].function, inlined ? "outer::inner(int)" : "saved"));
		lw_symbolizer_free(symbolizer);
	}
	free(map.path);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(functions_have_names),
		TEST(code_without_symbol_goes_by_its_file_and_start),
		TEST(names_are_demangled_unless_told_not_to),
		TEST(names_of_c_plus_plus_and_rust_are_known),
		TEST(name_that_means_too_much_is_left),
		TEST(file_with_another_build_id_is_not_used),
		TEST(deleted_file_is_found_while_its_process_lives_and_told_of_else),
		TEST(files_that_perf_keeps_are_found_by_build_id),
		TEST(packed_names_and_linked_debug_files_are_found),
		TEST(debug_file_names_code_of_a_file_that_is_not_there),
		TEST(files_of_another_machine_are_below_a_root),
		TEST(inlined_calls_and_lines_are_told_when_asked_for),
		TEST(debug_information_of_strangers_is_not_read),
		TEST(kernel_that_is_gone_is_named_by_what_was_saved),
		TEST(names_that_the_recording_has_come_first),
		TEST(kernel_code_that_was_interrupted_is_no_caller),
		TEST(kernel_that_is_not_known_is_told_of),
		TEST(bpf_programs_are_named_while_they_are_there),
		TEST(modules_have_the_names_of_their_time),
		TEST(code_that_is_told_of_twice_goes_once),
		TEST(saved_names_stand_for_a_file_that_is_gone),
		TEST(file_is_asked_where_it_tells_more_than_what_was_saved),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	cxx_function(name_me(1));
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || ret;
}
