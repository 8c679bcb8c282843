// SPDX-License-Identifier: GPL-2.0
/*
 * plt_names_test.c - programs of several linkers, in several layouts: the entries of
 * their PLTs have the names that objdump gives them; files that are not as they should
 * be have some, or none.
 */
#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/plt_names.h"
#include "symbols/symbol_file.h"
#include "tests/tap.h"

#define LONG	100000		/* bytes of a name */
#define SOURCE	"#include <stdio.h>\n#include <stdlib.h>\n" \
		"static int one(void) { return 1; }\n" \
		"static void *choose(void) { return (void *)one; }\n" \
		"int chosen(void) __attribute__((ifunc(\"choose\")));\n" \
		"int main(void) { return puts(\"\") + abs(chosen()) + rand() + atoi(\"1\"); }\n"

static char dir[32] = "/tmp/lw-plt-XXXXXX";
static char program[sizeof(dir) + 16];

static bool run(const char *command)
{
	int status = system(command);

	if (status)
		printf("# status %d of %s\n", status, command);
	return !status;
}

/* Return: false: there is no such linker here, or it does not know the option. */
static bool build(const char *options)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && gcc -O1 program.c -o program %s >/dev/null 2>&1", dir, options);
	return !system(command);
}

/* By the compiler for another machine, in the root that the unit tests have it in, if any. */
#define ELSEWHERE	"${LW_ROOT:+chroot \"$LW_ROOT\"} sh -c 'at=$(mktemp -d) && cd $at && "
#define AND_SHOW	" && cat program"
#define AND_AWAY	"; status=$?; rm -r $at; exit $status'"
#define ARM64		"aarch64-linux-gnu-"
#define S390X		"s390x-linux-gnu-"

static bool build_there(const char *there, const char *options)
{
	char command[512];

	snprintf(command, sizeof(command),
		 ELSEWHERE "cat >program.c && %sgcc -O1 program.c -o program %s" AND_SHOW
		 AND_AWAY " <%s/program.c >%s 2>%s/said", there, options, dir, program, dir);
	return !system(command);
}

static bool write_source(void)
{
	char path[sizeof(dir) + 16];
	FILE *file;

	if (!mkdtemp(dir))
		return false;
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(path, sizeof(path), "%s/program.c", dir);
	file = fopen(path, "w");
	if (!file)
		return false;
	fputs(SOURCE, file);
	fputs("#ifdef WITH_LONG\nvoid long_", file);
	for (int i = 0; i < LONG; i++)
		putc('x', file);
	fputs("(void) {}\n", file);
	for (int i = 0; i < 200; i++)
		fprintf(file, "void function_%d(void) {}\n", i);
	fputs("#endif\n", file);
	return !fclose(file);
}

static bool load(struct lw_symbol_file *file)
{
	if (lw_symbol_file_open(file, program, NULL, 0))
		return false;
	lw_symbol_file_load(file, program);
	return true;
}

static const char *name_at(const struct lw_symbol_file *file, u64 addr)
{
	struct lw_code_name *name = lw_code_names_find(&file->names, addr);

	return name ? name->text : "(none)";
}

/* First and last byte of an entry, by the name that objdump has for it. */
static bool same_name(const struct lw_symbol_file *file, u64 addr, const char *wanted)
{
	const char *first = name_at(file, addr), *last = name_at(file, addr + 7);

	if (!strcmp(first, wanted) && !strcmp(last, wanted))
		return true;
	printf("# %llx: %s, %s instead of %s\n", addr, first, last, wanted);
	return false;
}

/*
 * @size: of an entry, where objdump takes it for 16 bytes; else 16
 * Return: how many entries there are, or -1.
 */
static int compare(const struct lw_symbol_file *file, const char *objdump_of, int size)
{
	char command[256], line[256], name[200];
	u64 addr, first = 0;
	bool good = true;
	FILE *objdump;
	int nr = 0;

	snprintf(command, sizeof(command), objdump_of, program);
	objdump = popen(command, "r");
	while (objdump && fgets(line, sizeof(line), objdump)) {
		/* of the first it says where it is from the second; of our own, the address */
		if (!strstr(line, "@plt") || !strstr(line, ">:\n") ||
		    sscanf(line, "%llx <%199[^>]>", &addr, name) != 2 || strstr(name, "@plt-") ||
		    name[0] == '*')
			continue;
		if (!first)
			first = addr;
		good = same_name(file, first + (addr - first) * size / 16, name) && good;
		nr++;
	}
	return objdump && !pclose(objdump) && good ? nr : -1;
}

/* What the program calls through its PLT: a call is to an entry of that name. */
static bool is_called(const struct lw_symbol_file *file, const char *name)
{
	for (size_t i = 0; i < file->names.nr; i++) {
		if (!strcmp(file->names.names[i].text, name))
			return true;
	}
	printf("# no %s\n", name);
	return false;
}

static bool good_names(const char *options, int least, const char *objdump_of, int size)
{
	struct lw_symbol_file file;
	bool good;
	int nr;

	CHECK(load(&file));
	nr = compare(&file, objdump_of, size);
	if (nr < least)
		printf("# %d of %d entries with '%s'\n", nr, least, options);
	good = nr >= least && is_called(&file, "chosen@plt") &&
	       (!least || is_called(&file, "puts@plt"));
	lw_symbol_file_close(&file);
	return good;
}

static bool linkers_and_layouts(void)
{
	static const struct {
		const char *options;
		int least;		/* that objdump names: not those of static programs */
	} layouts[] = {
		{ "", 4 },
		{ "-Wl,-z,now", 4 },
		{ "-no-pie", 3 },
		{ "-fcf-protection -Wl,-z,ibtplt", 4 },
		{ "-fcf-protection -Wl,-z,ibtplt,-z,now", 4 },
		{ "-static", 0 },
		{ "-static-pie", 0 },
		{ "-fuse-ld=lld", 4 },
		{ "-fuse-ld=gold", 4 },
	};
	int built = 0;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (!build(layouts[i].options))
			continue;
		CHECK(good_names(layouts[i].options, layouts[i].least, "objdump -d %s", 16));
		built++;
	}
	printf("# %d layouts\n", built);
	/* those of the linker that is everywhere */
	CHECK(built >= 6);
	return true;
}

/* Where there is a compiler for it. */
static bool those_of_another_machine(void)
{
	static const struct {
		const char *there, *options;
		int least, size;
	} layouts[] = {
		{ ARM64, "", 4, 16 },
		{ ARM64, "-Wl,-z,now", 4, 16 },
		{ ARM64, "-no-pie", 3, 16 },
		{ ARM64, "-mbranch-protection=standard -Wl,-z,force-bti", 4, 24 },
		{ ARM64, "-mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt", 4, 16 },
		{ ARM64, "-static", 0, 16 },
		{ ARM64, "-fuse-ld=lld", 4, 16 },
		{ S390X, "", 4, 16 },
		{ S390X, "-Wl,-z,now", 4, 16 },
		{ S390X, "-no-pie", 3, 16 },
		{ S390X, "-static", 0, 16 },
		{ S390X, "-fuse-ld=lld", 4, 16 },
	};
	int arm64 = 0, s390x = 0;
	char objdump[256];

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (!build_there(layouts[i].there, layouts[i].options))
			continue;
		snprintf(objdump, sizeof(objdump), ELSEWHERE "cat >program && %sobjdump -d program"
			 AND_AWAY " <%%s", layouts[i].there);
		CHECK(good_names(layouts[i].options, layouts[i].least, objdump, layouts[i].size));
		*(!strcmp(layouts[i].there, ARM64) ? &arm64 : &s390x) += 1;
	}
	printf("# %d layouts of arm64, %d of s390x\n", arm64, s390x);
	/* The lane's root has both. */
	CHECK((arm64 && s390x) || !getenv("LW_ROOT"));
	CHECK(!arm64 || arm64 >= 6);
	CHECK(!s390x || s390x >= 4);
	return true;
}

/* Of lazy ones, and without names of the linker's own. */
static bool first_entry_of_another_machine(void)
{
	struct lw_symbol_file file;

	if (build_there(S390X, "-Wl,-z,lazy")) {
		CHECK(load(&file));
		CHECK(is_called(&file, ".plt"));
		lw_symbol_file_close(&file);
	}
	if (!build_there(ARM64, "-Wl,-z,lazy"))
		return !getenv("LW_ROOT");
	CHECK(load(&file));
	CHECK(is_called(&file, ".plt"));
	CHECK(!is_called(&file, "$x"));
	lw_symbol_file_close(&file);
	return true;
}

static bool first_entry_has_a_name(void)
{
	struct lw_symbol_file file;

	CHECK(build("-Wl,-z,lazy") && load(&file));
	CHECK(is_called(&file, ".plt"));
	lw_symbol_file_close(&file);
	return true;
}

/* Of what goes by a number only, as the first call of lazy binding does. */
static bool numbers_are_names(void)
{
	struct lw_symbol_file file;
	int puts = 0;

	CHECK(build("-fcf-protection -Wl,-z,ibtplt,-z,lazy") && load(&file));
	for (size_t i = 0; i < file.names.nr; i++)
		puts += !strcmp(file.names.names[i].text, "puts@plt");
	CHECK(puts == 2);
	lw_symbol_file_close(&file);
	return true;
}

static bool names_are_plain(void)
{
	struct lw_code_name name = { .text = "_ZN5outer5innerEi@plt" };

	CHECK(!strcmp(lw_code_name_plain(&name), "outer::inner(int)@plt"));
	free(name.plain);
	return true;
}

/* Each byte of the sections' headers and of what they say, changed. */
static bool broken_file_does_no_harm(void)
{
	static const u8 values[] = { 0, 1, 0x7f, 0xff };
	struct lw_symbol_file file;
	unsigned int loaded = 0;
	Elf64_Ehdr ehdr;
	u64 headers;
	bool big;
	u16 nr;
	int fd;

	CHECK((fd = open(program, O_RDWR)) >= 0);
	CHECK(pread(fd, &ehdr, sizeof(ehdr), 0) == sizeof(ehdr));
	big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	nr = big ? be16toh(ehdr.e_shnum) : le16toh(ehdr.e_shnum);
	headers = big ? be64toh(ehdr.e_shoff) : le64toh(ehdr.e_shoff);
	for (u32 i = 0; i < nr * sizeof(Elf64_Shdr); i++) {
		u8 old;

		CHECK(pread(fd, &old, 1, headers + i) == 1);
		for (size_t j = 0; j < ARRAY_SIZE(values); j++) {
			CHECK(pwrite(fd, &values[j], 1, headers + i) == 1);
			if (!load(&file))
				continue;
			lw_symbol_file_close(&file);
			loaded++;
		}
		CHECK(pwrite(fd, &old, 1, headers + i) == 1);
	}
	close(fd);
	CHECK(loaded);
	CHECK(load(&file) && is_called(&file, "puts@plt"));
	lw_symbol_file_close(&file);
	return true;
}

static bool broken_files_do_no_harm(void)
{
	CHECK(build("-Wl,-s") && broken_file_does_no_harm());
	CHECK(!build_there(ARM64, "-Wl,-s") || broken_file_does_no_harm());
	CHECK(!build_there(S390X, "-Wl,-s") || broken_file_does_no_harm());
	return true;
}

/* Of each symbol of @shdr's table. */
static bool rename_symbols(int fd, const Elf64_Shdr *shdr, u32 name)
{
	for (u64 at = sizeof(Elf64_Sym); at < shdr->sh_size; at += sizeof(Elf64_Sym)) {
		off_t field = shdr->sh_offset + at + offsetof(Elf64_Sym, st_name);

		if (pwrite(fd, &name, sizeof(name), field) != sizeof(name))
			return false;
	}
	return true;
}

static u32 find_long_name(int fd, const Elf64_Shdr *shdr)
{
	char *names = malloc(shdr->sh_size), *found;
	u32 at = 0;

	if (names && pread(fd, names, shdr->sh_size, shdr->sh_offset) == (ssize_t)shdr->sh_size) {
		found = memmem(names, shdr->sh_size, "long_x", 6);
		at = found ? found - names : 0;
	}
	free(names);
	return at;
}

/* All symbols get the one long name. */
static bool make_all_names_long(int fd)
{
	Elf64_Shdr table, strings;
	Elf64_Ehdr ehdr;
	u32 name;

	CHECK(pread(fd, &ehdr, sizeof(ehdr), 0) == sizeof(ehdr));
	for (int i = 1; i < ehdr.e_shnum; i++) {
		CHECK(pread(fd, &table, sizeof(table), ehdr.e_shoff + i * sizeof(table)) ==
		      sizeof(table));
		if (table.sh_type != SHT_SYMTAB)
			continue;
		CHECK(pread(fd, &strings, sizeof(strings),
			    ehdr.e_shoff + table.sh_link * sizeof(strings)) == sizeof(strings));
		name = find_long_name(fd, &strings);
		return name && rename_symbols(fd, &table, name);
	}
	return false;
}

/* A stranger's file gets no more memory than 16 times what it takes on disk. */
static bool many_long_names_are_not_taken(void)
{
	struct lw_symbol_file file;
	struct stat st;
	u64 trusted;
	int fd;

	CHECK(build("-DWITH_LONG -g0") && (fd = open(program, O_RDWR)) >= 0);
	CHECK(make_all_names_long(fd) && !fsync(fd) && load(&file));
	trusted = file.names.text_bytes;
	CHECK(is_called(&file, "puts@plt"));
	lw_symbol_file_close(&file);
	CHECK(!fchmod(fd, 0666) && !fstat(fd, &st) && load(&file));
	printf("# %llu bytes, of a stranger %llu\n", trusted, file.names.text_bytes);
	CHECK(file.names.text_bytes > LONG);
	CHECK(file.names.text_bytes <= ((u64)st.st_blocks * 512 + 65536) * 16);
	CHECK(trusted > 2 * file.names.text_bytes);
	lw_symbol_file_close(&file);
	close(fd);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(linkers_and_layouts),
		TEST(those_of_another_machine),
		TEST(first_entry_of_another_machine),
		TEST(first_entry_has_a_name),
		TEST(numbers_are_names),
		TEST(names_are_plain),
		TEST(broken_files_do_no_harm),
		TEST(many_long_names_are_not_taken),
	};
	char command[64];
	int ret;

	if (!write_source()) {
		printf("1..0 # SKIP nothing can be written to /tmp\n");
		return 4;
	}
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	run(command);
	return ret;
}
