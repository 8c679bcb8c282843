// SPDX-License-Identifier: GPL-2.0
/*
 * unnamed_code_test.c - code of stripped files goes by where its function begins; nm says
 * of the file before it was stripped where that is.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sframe/gen.h"
#include "symbols/unnamed_code.h"
#include "tests/tap.h"

#define ROUNDS	3000	/* of files that are damaged */

/* Behind bare, which no unwind table has, and between two that the table has. */
#define SOURCE								\
	"int first(int x) { return x * 3; }\n"				\
	"asm(\".globl bare, bare_end\\n\"\n"				\
	"    \"bare: nop; nop; nop; nop; ret\\nbare_end:\\n\");\n"	\
	"int second(int x) { return first(x) + 5; }\n"			\
	"int main(int argc, char **argv) { return second(argc) + !argv; }\n"

static char dir[32] = "/tmp/lw-unnamed-XXXXXX";
static char program[64], named[64];

static bool build(const char *options)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd %s && gcc -O1 -fno-toplevel-reorder %s named.c -o named && strip -o program named",
		 dir, options);
	return !system(command);
}

static bool write_source(void)
{
	char path[sizeof(dir) + 16];
	FILE *file;

	if (!mkdtemp(dir))
		return false;
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(named, sizeof(named), "%s/named", dir);
	snprintf(path, sizeof(path), "%s/named.c", dir);
	file = fopen(path, "w");
	if (!file)
		return false;
	fputs(SOURCE, file);
	return !fclose(file);
}

static u64 address_of(const char *symbol)
{
	char command[128], line[256], name[200];
	u64 addr, found = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s", named);
	nm = popen(command, "r");
	while (nm && fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %*c %199s", &addr, name) == 2 && !strcmp(name, symbol))
			found = addr;
	}
	if (nm)
		pclose(nm);
	return found;
}

static bool goes_by(struct lw_unnamed_code *code, u64 addr, u64 wanted)
{
	const char *name;
	char text[64];
	u64 start = 0;

	snprintf(text, sizeof(text), "program+0x%llx", wanted);
	name = lw_unnamed_code_find(code, addr, &start);
	if (name && !strcmp(name, text) && start == wanted)
		return true;
	printf("# %#llx: %s, %#llx instead of %s\n", addr, name ? name : "(none)", start, text);
	return false;
}

static bool function_goes_by_its_start(struct lw_unnamed_code *code, const char *name,
				       const char *after)
{
	u64 start = address_of(name), end = address_of(after);
	bool good = start && end > start;

	for (u64 addr = start; good && addr < end; addr++)
		good = goes_by(code, addr, start);
	return good;
}

/* Padding behind bare is in no function, either. */
static bool functions_are_known(struct lw_unnamed_code *code)
{
	u64 bare = address_of("bare");

	CHECK(function_goes_by_its_start(code, "first", "bare"));
	CHECK(bare && goes_by(code, bare, bare) && goes_by(code, bare + 4, bare));
	CHECK(goes_by(code, address_of("second"), address_of("second")));
	CHECK(goes_by(code, address_of("main") + 1, address_of("main")));
	/* what was named before is found again */
	CHECK(goes_by(code, bare + 1, bare) && goes_by(code, bare - 1, address_of("first")));
	return true;
}

static bool functions_go_by_their_starts(void)
{
	static const char *const kinds[] = {
		"", "-no-pie", "-static", "-fuse-ld=gold", "-fuse-ld=lld",
	};
	struct lw_unnamed_code *code;
	struct lw_elf file;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		char options[64];

		snprintf(options, sizeof(options), "%s 2>/dev/null", kinds[i]);
		/* not each machine has all linkers */
		if (!build(i < 3 ? kinds[i] : options)) {
			CHECK(i >= 3);
			continue;
		}
		CHECK(!lw_elf_open(&file, program));
		code = lw_unnamed_code_new(&file, program);
		CHECK(code && functions_are_known(code));
		lw_unnamed_code_free(code);
		lw_elf_close(&file);
	}
	return true;
}

static bool code_before_all_functions_goes_by_its_segment(void)
{
	struct lw_unnamed_code *code;
	struct lw_elf file;
	u64 init;

	CHECK(build(""));
	init = address_of("_init");
	CHECK(init && !lw_elf_open(&file, program));
	code = lw_unnamed_code_new(&file, program);
	/* the linker puts it first, and the C library has no table of it */
	CHECK(code && goes_by(code, init, init & ~0xfffULL));
	CHECK(goes_by(code, init + 2, init & ~0xfffULL));
	lw_unnamed_code_free(code);
	lw_elf_close(&file);
	return true;
}

static bool name_of_deleted_file_is_plain(void)
{
	struct lw_unnamed_code *code;
	struct lw_elf file;
	u64 start;

	CHECK(build("") && !lw_elf_open(&file, program));
	code = lw_unnamed_code_new(&file, "/tmp/a b (deleted)");
	CHECK(code && !strncmp(lw_unnamed_code_find(code, address_of("main"), &start),
			       "a b+0x", 6));
	lw_unnamed_code_free(code);
	lw_elf_close(&file);
	return true;
}

/* Puts an SFrame section of the same functions in the place of the other table. */
static bool change_table(void)
{
	int fd = open(program, O_RDWR);
	struct lw_gen gen;
	struct stat st;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	off_t at;

	if (fd < 0 || fstat(fd, &st) || pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    lw_sframe_gen_fd(fd, program, 0, &gen))
		return false;
	at = ehdr.e_phoff;
	do {
		if (pread(fd, &phdr, sizeof(phdr), at) != sizeof(phdr))
			return false;
		at += sizeof(phdr);
	} while (phdr.p_type != PT_GNU_EH_FRAME);
	phdr.p_type = PT_GNU_SFRAME;
	phdr.p_offset = st.st_size;
	phdr.p_filesz = gen.tables[0].size;
	phdr.p_vaddr = gen.tables[0].text_addr;
	if (pwrite(fd, &phdr, sizeof(phdr), at - sizeof(phdr)) != sizeof(phdr) ||
	    pwrite(fd, gen.tables[0].data, phdr.p_filesz, st.st_size) != (ssize_t)phdr.p_filesz)
		return false;
	lw_gen_free(&gen);
	return !close(fd);
}

static bool sframe_tells_of_functions_too(void)
{
	struct lw_unnamed_code *code;
	struct lw_elf file;

	CHECK(build("") && change_table() && !lw_elf_open(&file, program));
	code = lw_unnamed_code_new(&file, program);
	CHECK(code && functions_are_known(code));
	lw_unnamed_code_free(code);
	lw_elf_close(&file);
	return true;
}

static int without_tables(void)
{
	char command[160];

	snprintf(command, sizeof(command), "objcopy -R .eh_frame %s 2>/dev/null", program);
	return system(command);
}

static bool code_of_a_file_without_table_is_one(void)
{
	struct lw_unnamed_code *code;
	struct lw_elf file;
	u64 segment;

	CHECK(build("-shared -fPIC -Wl,--no-eh-frame-hdr -nostdlib"));
	CHECK(!without_tables() && !lw_elf_open(&file, program));
	segment = address_of("first") & ~0xfffULL;
	code = lw_unnamed_code_new(&file, program);
	CHECK(code && goes_by(code, address_of("main"), segment));
	CHECK(goes_by(code, address_of("first") + 1, segment));
	lw_unnamed_code_free(code);
	lw_elf_close(&file);
	return true;
}

/* Some bytes of the headers and of both tables are others. */
static bool damage(int fd, u64 from, u64 size)
{
	u8 byte;

	for (int i = 0; i < 4; i++) {
		byte = random() % 4 ? random() : -1;
		if (pwrite(fd, &byte, 1, from + random() % size) != 1)
			return false;
	}
	return true;
}

/* Where the tables are: they are next to each other. */
static bool find_tables(u64 *from, u64 *size)
{
	struct lw_elf file;
	GElf_Phdr phdr;

	if (lw_elf_open(&file, program))
		return false;
	*size = 0;
	for (size_t i = 0; i < file.nr_phdrs; i++) {
		if (gelf_getphdr(file.elf, i, &phdr) && phdr.p_type == PT_GNU_EH_FRAME) {
			*from = phdr.p_offset;
			*size = phdr.p_filesz + 0x100;
		}
	}
	lw_elf_close(&file);
	return *size;
}

static bool damaged_tables_do_no_harm(void)
{
	char command[160];
	u64 from, size, start;

	srandom(1);
	CHECK(build("") && find_tables(&from, &size));
	snprintf(command, sizeof(command), "cp %s %s.good", program, program);
	CHECK(!system(command));
	for (int round = 0; round < ROUNDS; round++) {
		struct lw_unnamed_code *code;
		struct lw_elf file;
		int fd = open(program, O_RDWR);

		CHECK(fd >= 0 && damage(fd, round % 8 ? from : sizeof(Elf64_Ehdr),
					round % 8 ? size : 13 * sizeof(Elf64_Phdr)));
		close(fd);
		if (!lw_elf_open(&file, program)) {
			code = lw_unnamed_code_new(&file, program);
			for (int i = 0; code && i < 64; i++)
				CHECK(lw_unnamed_code_find(code, random() % 0x3000, &start));
			lw_unnamed_code_free(code);
			lw_elf_close(&file);
		}
		if (round % 16)
			continue;
		snprintf(command, sizeof(command), "cp %s.good %s", program, program);
		CHECK(!system(command));
	}
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(functions_go_by_their_starts),
		TEST(code_before_all_functions_goes_by_its_segment),
		TEST(name_of_deleted_file_is_plain),
		TEST(sframe_tells_of_functions_too),
		TEST(code_of_a_file_without_table_is_one),
		TEST(damaged_tables_do_no_harm),
	};
	char command[64];
	int ret;

	if (!write_source())
		return 1;
	ret = tap_run(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || ret;
}
