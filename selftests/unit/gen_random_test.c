// SPDX-License-Identifier: GPL-2.0
/*
 * gen_random_test.c - call frame information made by chance: what makes sense is
 * converted as elfutils understands it, what makes none harms nothing.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/sframe/sframe_reader.h"
#include "../../tools/sframe/gen_aarch64.h"
#include "gen_compare.h"
#include "gen_image.h"
#include "../lib/form.h"
#include "tap.h"

#define IMAGES		3000U
#define BROKEN_IMAGES	8000U
#define BROKEN_PROGRAMS	300U

/* In the short form there are so many times fewer, the first of which the seed chooses. */
#define SHORT		12
static u64 seed;

static u32 sample(u32 all)
{
	return lwt_count(all, all / SHORT);
}

/* The image that is the i-th of those that are tried. */
static u32 chosen(u32 i, u32 all)
{
	return lwt_long() ? i : (seed + i) % all;
}

/* What was made of whatever it was: sound, and all of it is accounted for. */
static bool is_sound(const struct lw_gen *gen)
{
	const struct lw_gen_counts *counts = &gen->counts;
	u64 sum = counts->covered_bytes;

	for (int i = 0; i < LW_GEN_HOLE_OUTSIDE; i++)
		sum += counts->hole_bytes[i];
	return !gen_walk(gen) && gen->nr_tables && sum == counts->cfi_bytes;
}

static bool same_as_elfutils(const void *image, size_t size, const struct lw_gen *gen,
			     struct gen_compared *all)
{
	Elf *elf = elf_memory((char *)image, size);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	struct gen_compared compared = { 0 };
	bool same;

	same = !gen_compare(gen, cfi, NULL, &compared) && !compared.differences &&
	       compared.bytes == gen->counts.covered_bytes;
	all->bytes += compared.bytes;
	all->rows += compared.rows;
	all->holes += compared.holes;
	all->outermost += compared.outermost;
	all->repeated += compared.repeated;
	dwarf_cfi_end(cfi);
	elf_end(elf);
	return same;
}

static bool image_is_right(struct gen_image *image, unsigned int flags, struct gen_compared *all)
{
	struct lw_gen gen;
	bool right;

	if (lw_sframe_gen_memory(image->bytes, sizeof(image->bytes), "image", flags, &gen))
		return true;
	right = is_sound(&gen) && same_as_elfutils(image->bytes, sizeof(image->bytes), &gen, all);
	lw_gen_free(&gen);
	return right;
}

TEST(what_makes_sense_is_as_elfutils_says)
{
	static struct gen_image image;
	u64 of_machine[IMAGE_MACHINES] = { 0 };
	struct gen_compared all = { 0 };
	u32 i, nr = sample(IMAGES);

	for (i = 0; i < nr; i++) {
		u32 nth = chosen(i, IMAGES);
		u64 before = all.bytes;

		image_make(&image, nth);
		if (!image_is_right(&image, nth & 1 ? LW_GEN_V3 : 0, &all))
			break;
		of_machine[image.machine] += all.bytes - before;
	}
	CHECK_EQ(i, nr);
	for (i = 0; i < IMAGE_MACHINES; i++)
		CHECK(of_machine[i] > nr * 30);
	printf("# %llu rows, %llu bytes the same, %llu of PLTs, %llu in holes, %llu outermost\n",
	       all.rows, all.bytes, all.repeated, all.holes, all.outermost);
	/* or it would not have shown much */
	CHECK(all.bytes > nr * 100 && all.holes > nr && all.repeated > nr / 10 &&
	      all.outermost > nr / 10);
}

/* Who starts last of those at or before a byte; of equals the first. */
static bool is_described(const struct gen_image *image, u32 pc)
{
	u32 start = 0, size = 0;

	for (u32 i = 0; i < image->nr_functions; i++) {
		if (image->functions[i].start > pc || (size && image->functions[i].start <= start))
			continue;
		start = image->functions[i].start;
		size = image->functions[i].size;
	}
	return size && pc - start < size;
}

static bool overlaps_are_right(const struct gen_image *image, u64 *overlaps)
{
	struct lw_gen gen;
	u64 described = 0;
	bool right;

	if (lw_sframe_gen_memory(image->bytes, sizeof(image->bytes), "image", 0, &gen))
		return true;
	for (u32 pc = 0; pc < IMAGE_TEXT_SIZE; pc++)
		described += is_described(image, pc);
	right = is_sound(&gen) &&
		described == gen.counts.cfi_bytes - gen.counts.hole_bytes[LW_GEN_HOLE_OVERLAP];
	*overlaps += gen.counts.holes[LW_GEN_HOLE_OVERLAP];
	lw_gen_free(&gen);
	return right;
}

TEST(code_that_two_have_is_of_the_one_that_starts_last)
{
	static struct gen_image image;
	u64 overlaps = 0;
	u32 i, nr = sample(IMAGES);

	for (i = 0; i < nr; i++) {
		image_make_overlapping(&image, chosen(i, IMAGES));
		if (!overlaps_are_right(&image, &overlaps))
			break;
	}
	CHECK_EQ(i, nr);
	CHECK(overlaps > nr);
}

/* Bytes of the vDSO, 0 if there is none. */
static size_t vdso_size(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];
	size_t size = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			size = end - start;
	}
	if (maps)
		fclose(maps);
	return size;
}

TEST(the_vdso_has_a_table)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct gen_compared compared = { 0 };
	size_t size = vdso_size();
	struct lw_gen gen;

	if (!vdso || !size) {
		printf("# skipped: this kernel gives none\n");
		return;
	}
	CHECK_EQ(lw_sframe_gen_memory(vdso, size, "[vdso]", 0, &gen), 0);
	if (!gen.nr_tables)
		return;
	CHECK_EQ(gen.nr_tables, 1);
	CHECK_EQ(gen.tables[0].text_offset, 0);
	CHECK_EQ(gen.tables[0].text_size, size);
	CHECK(is_sound(&gen) && same_as_elfutils(vdso, size, &gen, &compared));
	printf("# %llu rows, %llu bytes the same\n", compared.rows, compared.bytes);
	lw_gen_free(&gen);
}

static void change_bytes(struct gen_image *image, u8 *bytes, u32 size)
{
	u32 changes = 1 + image_random(image, 8);

	while (changes--) {
		u32 at = image_random(image, size);

		switch (image_random(image, 4)) {
		case 0:
			bytes[at] ^= 1 << image_random(image, 8);
			break;
		case 1:
			bytes[at] = image_random(image, 2) ? 0xff : 0;
			break;
		case 2:
			bytes[at] = image_random(image, 256);
			break;
		default:
			memset(bytes + at, image_random(image, 256),
			       size - at < 8 ? size - at : 8);
		}
	}
}

/* By a file, as then libelf reads each section into memory of just its size. */
static bool file_is_harmless(int fd, const u8 *bytes, size_t size)
{
	struct lw_gen gen;
	bool fine;

	if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		return false;
	if (lw_sframe_gen_fd(fd, "changed", 0, &gen))
		return true;
	fine = is_sound(&gen);
	lw_gen_free(&gen);
	return fine;
}

/* What is described is as without the analysis; what is said of other code is sound. */
static bool code_is_sound(struct gen_image *image, u64 *analysed)
{
	struct lw_gen gen, alone;
	bool fine;

	if (lw_sframe_gen_memory(image->bytes, sizeof(image->bytes), "code", LW_GEN_ANALYSIS, &gen))
		return true;
	fine = is_sound(&gen);
	*analysed += gen.counts.analysed_bytes;
	if (!lw_sframe_gen_memory(image->bytes, sizeof(image->bytes), "code", 0, &alone)) {
		fine &= gen.counts.covered_bytes == alone.counts.covered_bytes &&
			!memcmp(gen.counts.hole_bytes, alone.counts.hole_bytes,
				sizeof(gen.counts.hole_bytes));
		lw_gen_free(&alone);
	}
	lw_gen_free(&gen);
	return fine;
}

TEST(code_by_chance_harms_nothing)
{
	static struct gen_image image;
	u32 i, nr = sample(BROKEN_IMAGES);
	u64 analysed = 0;

	for (i = 0; i < nr; i++) {
		u32 nth = chosen(i, BROKEN_IMAGES);

		image_make(&image, nth);
		image_make_code(&image);
		if (nth & 1)
			change_bytes(&image, image.bytes + IMAGE_TEXT, IMAGE_TEXT_SIZE);
		if (nth % 16 == 2)
			change_bytes(&image, image.bytes, IMAGE_CFI);
		if (!code_is_sound(&image, &analysed))
			break;
	}
	CHECK_EQ(i, nr);
	printf("# %llu bytes analysed\n", analysed);
	CHECK(analysed > nr);
}

/* One that is like those that tell of frames, or any. */
static u32 aarch64_insn(struct gen_image *image)
{
	static const u32 insns[] = {
		0xd503233f, 0xd50323bf, 0xa9bf7bfd, 0xa8c17bfd, 0x910003fd, 0x910003bf, 0xa9007bfd,
		0xa9407bfd, 0xd10043ff, 0x910043ff, 0xf81f0ffe, 0xf84107fe, 0xcb2063ff, 0xd65f03c0,
		0x94000000, 0x14000000, 0x54000000, 0x34000000, 0x36000000, 0xd63f0000, 0xaa1e03ef,
		0x927cefff, 0x0cdf7be0, 0xd2800000, 0xd5000000, 0x08000000, 0x38200800, 0x04205000,
	};
	u32 insn = insns[image_random(image, ARRAY_SIZE(insns))];

	switch (image_random(image, 4)) {
	case 0:
		return image_random(image, ~0U);
	case 1:
		/* operands: a target that is near, another register or number */
		return insn ^ image_random(image, 64) << 5;
	}
	return insn;
}

/* Slots are above the stack pointer and below the CFA, which is a register's known distance. */
static bool aarch64_frame_is_sound(const struct gen_aarch64_frame *frame)
{
	struct gen_state state;

	if (!gen_aarch64_state(frame, &state))
		return !frame->is_seen || frame->is_lost;
	if (frame->ra > 0 || frame->fp > 0 || (!frame->sp_known && !frame->by_fp) ||
	    (frame->by_fp && !frame->fp))
		return false;
	return !frame->sp_known || (frame->depth >= 0 && -frame->ra <= frame->depth &&
				    -frame->fp <= frame->depth);
}

TEST(instructions_of_aarch64_by_chance_harm_nothing)
{
	struct gen_image image = { .random = lwt_long() ? 3 : seed };
	u32 nr = sample(BROKEN_IMAGES), known = 0, i;
	struct gen_aarch64_frame *frames;
	u32 code[100];
	bool sound = true;

	for (i = 0; sound && i < nr; i++) {
		u32 size = 1 + image_random(&image, ARRAY_SIZE(code));

		for (u32 j = 0; j < size; j++)
			code[j] = aarch64_insn(&image);
		if (gen_aarch64_follow((u8 *)code, size * sizeof(code[0]), &frames))
			break;
		for (u32 j = 0; j < size; j++) {
			sound &= aarch64_frame_is_sound(&frames[j]);
			known += frames[j].is_seen && !frames[j].is_lost;
		}
		free(frames);
	}
	printf("# %u frames known\n", known);
	CHECK_EQ(i, nr);
	CHECK(sound && known > nr * 2);
}

TEST(broken_information_harms_nothing)
{
	static struct gen_image image;
	int fd = memfd_create("image", 0);
	u32 i, nr = sample(BROKEN_IMAGES);

	for (i = 0; i < nr; i++) {
		u32 nth = chosen(i, BROKEN_IMAGES);

		image_make(&image, nth);
		change_bytes(&image, image.bytes + IMAGE_CFI, image.cfi);
		if (!(nth % 4))
			change_bytes(&image, image.bytes, IMAGE_CFI);
		if (!file_is_harmless(fd, image.bytes, sizeof(image.bytes)))
			break;
	}
	CHECK_EQ(i, nr);
	close(fd);
}

TEST(tables_of_go_are_sound_and_harm_nothing)
{
	static struct gen_image image;
	int fd = memfd_create("image", 0);
	u32 i, nr = sample(BROKEN_IMAGES);
	u64 rows = 0;

	for (i = 0; i < nr; i++) {
		u32 nth = chosen(i, BROKEN_IMAGES);
		struct lw_gen gen;

		image_make_go(&image, nth);
		if (!file_is_harmless(fd, image.bytes, sizeof(image.bytes)) ||
		    lw_sframe_gen_fd(fd, "image", 0, &gen))
			break;
		rows += gen.counts.rows;
		lw_gen_free(&gen);
		change_bytes(&image, image.bytes + IMAGE_CFI, image.cfi);
		if (!(nth % 4))
			change_bytes(&image, image.bytes, IMAGE_CFI);
		if (!(nth % 8))
			change_bytes(&image, image.bytes + IMAGE_MODULE, 192);
		if (!file_is_harmless(fd, image.bytes, sizeof(image.bytes)))
			break;
	}
	CHECK_EQ(i, nr);
	printf("# %llu rows in %u images\n", rows, nr);
	CHECK(rows > nr * 20);
	close(fd);
}

TEST(cut_files_harm_nothing)
{
	static struct gen_image image;
	int fd = memfd_create("image", 0);
	u32 size;

	image_make(&image, 1);
	for (size = lwt_long() ? 0 : seed % 77; size < sizeof(image.bytes);
	     size += lwt_long() ? 7 : 77) {
		if (!file_is_harmless(fd, image.bytes, size))
			break;
	}
	CHECK(size >= sizeof(image.bytes));
	close(fd);
}

static u8 *read_self(size_t *size)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	u8 *bytes = NULL;
	off_t end = lseek(fd, 0, SEEK_END);

	if (end > 0)
		bytes = malloc(end);
	if (bytes && pread(fd, bytes, end, 0) != end)
		exit(1);
	close(fd);
	*size = end;
	return bytes;
}

/* A true program's: CIEs with personalities, a PLT, .eh_frame_hdr, symbols. */
TEST(broken_programs_harm_nothing)
{
	static struct gen_image image;
	int fd = memfd_create("program", 0);
	size_t size, at;
	u8 *self = read_self(&size), *copy = malloc(size);
	u32 i, nr = sample(BROKEN_PROGRAMS);

	image.random = lwt_long() ? 7 : seed;
	for (i = 0; i < nr; i++) {
		memcpy(copy, self, size);
		at = image_random(&image, size - 4096);
		if (i % 2)
			at = 0;
		change_bytes(&image, copy + at, i % 2 ? 1024 : 4096);
		for (int j = 0; j < 20; j++)
			change_bytes(&image, copy, size);
		if (!file_is_harmless(fd, copy, size))
			break;
	}
	CHECK_EQ(i, nr);
	free(self);
	free(copy);
	close(fd);
}

int main(void)
{
	elf_version(EV_CURRENT);
	seed = lwt_seed();
	return tap_main();
}
