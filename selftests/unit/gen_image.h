/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_image.h - a program of some machine with call frame information made by chance.
 */
#ifndef LW_GEN_IMAGE_H
#define LW_GEN_IMAGE_H

#include "../../tools/base/util.h"

#define IMAGE_ADDR	0x400000U	/* of the image's first byte */
#define IMAGE_TEXT	0x1000U		/* in the image */
#define IMAGE_TEXT_SIZE	0x1000U
#define IMAGE_PLT	0x1d00U		/* likewise: functions mostly end before */
#define IMAGE_CFI	0x200U		/* likewise */
#define IMAGE_CFI_MAX	0xc00U
#define IMAGE_MODULE	0xe00U		/* of Go: its runtime's moduledata */
#define IMAGE_FUNCTIONS	128U
#define IMAGE_SIZE	(IMAGE_TEXT + IMAGE_TEXT_SIZE)

enum image_machine {
	IMAGE_X86_64,
	IMAGE_AARCH64,
	IMAGE_S390X,		/* in big endian */
	IMAGE_MACHINES
};

/**
 * struct gen_image - a file in memory
 * @bytes: of it
 * @cfi: bytes of .eh_frame
 * @random: what the next number is made of
 * @machine: of it
 * @overlap: not 0: functions may lie on top of each other, in any order
 * @functions: where they are
 * @nr_functions: of them
 */
struct gen_image {
	u8 bytes[IMAGE_SIZE];
	u32 cfi;
	u64 random;
	enum image_machine machine;
	u32 overlap;
	struct {
		u32 start, size;
	} functions[IMAGE_FUNCTIONS];
	u32 nr_functions;
};

u32 image_random(struct gen_image *image, u32 below);
void image_make(struct gen_image *image, u64 seed);
void image_make_code(struct gen_image *image);
void image_make_overlapping(struct gen_image *image, u64 seed);
void image_make_go(struct gen_image *image, u64 seed);

#endif /* LW_GEN_IMAGE_H */
