// SPDX-License-Identifier: GPL-2.0
/*
 * gen_files FILE...: the tables made of each file are what elfutils says of it.
 *
 * Prints TAP, one result a file.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/sframe/sframe_reader.h"
#include "gen_compare.h"

/* @refused: those of what makes no sense too */
static u64 all_holes(const struct lw_gen_counts *counts, bool refused)
{
	u64 sum = 0;

	for (int i = 0; i < LW_GEN_HOLE_OUTSIDE; i++) {
		if (refused || (i != LW_GEN_HOLE_UNKNOWN && i != LW_GEN_HOLE_BROKEN))
			sum += counts->hole_bytes[i];
	}
	return sum;
}

static bool check(bool fine, const char *what)
{
	if (!fine)
		printf("# %s\n", what);
	return fine;
}

static bool compare(int fd, const struct lw_gen *gen, struct gen_compared *compared)
{
	const struct lw_gen_counts *counts = &gen->counts;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CFI *eh_frame = dwarf_getcfi_elf(elf);
	bool fine;

	fine = check(!gen_walk(gen), "the table is not sound");
	fine &= check(!gen_compare(gen, eh_frame, dwarf ? dwarf_getcfi(dwarf) : NULL, compared),
		      "the table can't be opened");
	fine &= check(!compared->differences, "there are differences");
	fine &= check(compared->bytes == counts->covered_bytes, "covered bytes are miscounted");
	fine &= check(compared->entry == counts->entry_bytes && compared->entry <= 256,
		      "the bytes of the entry are miscounted");
	fine &= check(compared->holes == all_holes(counts, false), "bytes of holes are miscounted");
	fine &= check(counts->cfi_bytes == counts->covered_bytes + all_holes(counts, true),
		      "described bytes are neither covered nor in a hole");
	fine &= check(compared->bytes, "nothing was compared");
	dwarf_cfi_end(eh_frame);
	dwarf_end(dwarf);
	elf_end(elf);
	return fine;
}

static bool test_file(const char *path, struct gen_compared *compared)
{
	struct lw_gen gen;
	bool fine = false;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return check(false, "it can't be opened");
	if (lw_sframe_gen_fd(fd, path, 0, &gen)) {
		printf("# %s\n", lw_fail_text());
	} else {
		fine = compare(fd, &gen, compared);
		lw_gen_free(&gen);
	}
	close(fd);
	return fine;
}

int main(int argc, char **argv)
{
	bool bad = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	elf_version(EV_CURRENT);
	printf("TAP version 13\n1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		struct gen_compared compared = { 0 };
		bool fine = test_file(argv[i], &compared);
		const char *name = strrchr(argv[i], '/');

		printf("%sok %d %s: %llu rows, %llu bytes the same, %llu of PLTs; %llu in holes\n",
		       fine ? "" : "not ", i, name ? name + 1 : argv[i], compared.rows,
		       compared.bytes, compared.repeated, compared.holes);
		bad |= !fine;
	}
	return bad;
}
