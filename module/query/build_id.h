/* SPDX-License-Identifier: GPL-2.0 */
/*
 * build_id.h - the build ID of an ELF file.
 */
#ifndef LW_BUILD_ID_H
#define LW_BUILD_ID_H

#include <linux/types.h>

#include "latewind.h"

struct file;

int lw_build_id_of_file(struct file *file, u8 id[LW_BUILD_ID_MAX]);

#endif /* LW_BUILD_ID_H */
