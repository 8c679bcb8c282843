// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_gen - lw_sframe_gen_fd(), which makes tables of .eh_frame, of Go's functions, or of
 * instructions
 *
 * An input is the seed of a program that makes sense, and what is changed in it:
 * three bytes each, place and value.  What comes out must be sound, and each byte of
 * described code accounted for.  With an odd seed, the program has instructions, which
 * are followed where nothing describes them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/sframe/sframe_reader.h"
#include "../../tools/sframe/gen.h"
#include "../unit/gen_compare.h"
#include "../unit/gen_image.h"

static struct {
	unsigned long found, none, corrupt;
} tell;

static void print_tell(void)
{
	fprintf(stderr, "tell: found=%lu none=%lu corrupt=%lu\n", tell.found, tell.none,
		tell.corrupt);
}

static void change(struct gen_image *image, const uint8_t *data, size_t size)
{
	/* first headers and call frame information, then code */
	for (; size >= 3; size -= 3, data += 3)
		image->bytes[(data[0] | data[1] << 8) % sizeof(image->bytes)] = data[2];
}

static void check(const struct lw_gen *gen)
{
	u64 sum = gen->counts.covered_bytes;
	bool broken = false;

	for (int i = 0; i < LW_GEN_HOLE_OUTSIDE; i++) {
		sum += gen->counts.hole_bytes[i];
		broken |= i >= LW_GEN_HOLE_UNKNOWN && gen->counts.holes[i];
	}
	if (gen_walk(gen) || sum != gen->counts.cfi_bytes || !gen->nr_tables) {
		fprintf(stderr, "latewind-fuzz: the table is not sound, or bytes are missing\n");
		abort();
	}
	tell.corrupt += broken;
	tell.found++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gen_image image;
	static int fd = -1;
	struct lw_gen gen;
	u32 seed = 0;

	if (fd < 0) {
		fd = memfd_create("image", 0);
		atexit(print_tell);
	}
	memcpy(&seed, data, size < 2 ? size : 2);
	if (seed & 1)
		image_make_go(&image, seed);
	else
		image_make(&image, seed);
	if (seed & 2)
		image_make_code(&image);
	if (size > 2)
		change(&image, data + 2, size - 2);
	if (pwrite(fd, image.bytes, sizeof(image.bytes), 0) != sizeof(image.bytes))
		abort();
	if (lw_sframe_gen_fd(fd, "image", seed & 1 ? LW_GEN_ANALYSIS : 0, &gen)) {
		tell.none++;
		return 0;
	}
	check(&gen);
	lw_gen_free(&gen);
	return 0;
}
