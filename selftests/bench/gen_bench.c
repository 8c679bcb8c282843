// SPDX-License-Identifier: GPL-2.0
/*
 * gen_bench FILE...: what it costs to make tables of files, beside elfutils.
 *
 * Subjects:
 *	latewind	lw_sframe_gen_fd(): open, read, convert
 *	elfutils-next	dwarf_next_cfi() over all entries, which the first one does too
 *	elfutils-rows	dwarf_cfi_addrframe() for each row: the same work done by others
 *
 * Takes the time of this thread on its CPU, as it may have to share that; the median
 * of ROUNDS, of the last subject one round.  Prints JSON, then a table to stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/sframe/gen.h"

#define ROUNDS	5

enum subject { OURS, NEXT, ROWS, NR_SUBJECTS };

static const char * const names[NR_SUBJECTS] = {
	"latewind", "elfutils-next", "elfutils-rows",
};

struct measured {
	double ms[NR_SUBJECTS];
	u64 cfi_size, size, described, covered, rows;
};

static bool first = true;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static int convert(int fd, const char *path, struct measured *measured)
{
	struct lw_gen gen;
	int ret = lw_sframe_gen_fd(fd, path, 0, &gen);

	if (ret)
		return ret;
	measured->size = 0;
	for (size_t i = 0; i < gen.nr_tables; i++)
		measured->size += gen.tables[i].size;
	measured->cfi_size = gen.counts.cfi_size;
	measured->described = gen.counts.cfi_bytes;
	measured->covered = gen.counts.covered_bytes;
	lw_gen_free(&gen);
	return 0;
}

static Elf_Data *cfi_section(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names_at;

	if (elf_getshdrstrndx(elf, &names_at))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) &&
		    !strcmp(elf_strptr(elf, names_at, shdr.sh_name), ".eh_frame"))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static int next_entries(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Data *data = cfi_section(elf);
	Dwarf_CFI_Entry entry;
	Dwarf_Off at = 0, next;
	int nr = 0;

	while (data && !dwarf_next_cfi((unsigned char *)elf_getident(elf, NULL), data, true, at,
				       &next, &entry)) {
		at = next;
		nr++;
	}
	elf_end(elf);
	return nr ? 0 : -ENODATA;
}

static u64 rows_of_segment(Dwarf_CFI *cfi, u64 pc, u64 end)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t nr;
	u64 rows = 0;

	while (pc < end) {
		Dwarf_Addr start, stop = pc + 1;

		if (!dwarf_cfi_addrframe(cfi, pc, &frame)) {
			dwarf_frame_info(frame, &start, &stop, NULL);
			dwarf_frame_cfa(frame, &ops, &nr);
			free(frame);
			rows++;
		}
		pc = stop > pc ? stop : pc + 1;
	}
	return rows;
}

static u64 all_rows(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	GElf_Phdr phdr;
	size_t nr = 0;
	u64 rows = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; cfi && i < nr; i++) {
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD &&
		    (phdr.p_flags & PF_X))
			rows += rows_of_segment(cfi, phdr.p_vaddr, phdr.p_vaddr + phdr.p_filesz);
	}
	dwarf_cfi_end(cfi);
	elf_end(elf);
	return rows;
}

static int double_order(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static int run(enum subject subject, int fd, const char *path, struct measured *measured)
{
	switch (subject) {
	case OURS:
		return convert(fd, path, measured);
	case NEXT:
		return next_entries(fd);
	default:
		measured->rows = all_rows(fd);
		return measured->rows ? 0 : -ENODATA;
	}
}

static int measure(enum subject subject, int fd, const char *path, struct measured *measured)
{
	int rounds = subject == ROWS ? 1 : ROUNDS, ret;
	double times[ROUNDS], begin;

	/* it is read from the disk before time counts */
	ret = rounds > 1 ? run(subject, fd, path, measured) : 0;
	for (int i = 0; !ret && i < rounds; i++) {
		begin = now();
		ret = run(subject, fd, path, measured);
		times[i] = now() - begin;
	}
	if (ret)
		return ret;
	qsort(times, rounds, sizeof(times[0]), double_order);
	measured->ms[subject] = times[rounds / 2];
	return 0;
}

static void result(const char *file, const char *subject, double value, const char *unit)
{
	printf("%s{\"bench\":\"gen\",\"case\":\"%s\",\"subject\":\"%s\",",
	       first ? "[\n" : ",\n", file, subject);
	printf("\"value\":%.4f,\"unit\":\"%s\"}", value, unit);
	first = false;
}

static void results(const char *file, const struct measured *measured)
{
	for (int i = 0; i < NR_SUBJECTS; i++)
		result(file, names[i], measured->ms[i], "ms");
	result(file, "latewind", (double)measured->size / measured->cfi_size, "size/.eh_frame");
	result(file, "latewind", 100.0 * measured->covered / measured->described, "% of code");
	fprintf(stderr, "%-28s %9llu %8.2f %8.2f %9.1f  %5.3f  %8.4f\n", file,
		measured->cfi_size, measured->ms[OURS], measured->ms[NEXT], measured->ms[ROWS],
		(double)measured->size / measured->cfi_size,
		100.0 * measured->covered / measured->described);
}

static bool bench_file(const char *path, struct measured *sum)
{
	struct measured measured = { 0 };
	const char *name = strrchr(path, '/');
	int fd = open(path, O_RDONLY), ret = 0;

	for (int i = 0; !ret && i < NR_SUBJECTS; i++)
		ret = measure(i, fd, path, &measured);
	close(fd);
	if (ret) {
		fprintf(stderr, "%s: left out: %s\n", path, strerror(-ret));
		return false;
	}
	results(name ? name + 1 : path, &measured);
	for (int i = 0; i < NR_SUBJECTS; i++)
		sum->ms[i] += measured.ms[i];
	sum->cfi_size += measured.cfi_size;
	sum->size += measured.size;
	sum->described += measured.described;
	sum->covered += measured.covered;
	return true;
}

int main(int argc, char **argv)
{
	struct measured sum = { 0 };
	char total[32];
	int nr = 0;

	elf_version(EV_CURRENT);
	if (argc < 2)
		return 2;
	fprintf(stderr, "%-28s %9s %8s %8s %9s  %5s  %8s\n", "", "bytes", "ms", "next",
		"rows", "size", "% code");
	for (int i = 1; i < argc; i++)
		nr += bench_file(argv[i], &sum);
	if (!nr)
		return 1;
	snprintf(total, sizeof(total), "all %d files", nr);
	results(total, &sum);
	puts("\n]");
	return 0;
}
