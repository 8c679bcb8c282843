/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loaded_function.h - what the dynamic loader has made of a function here.
 */
#ifndef LW_LOADED_FUNCTION_H
#define LW_LOADED_FUNCTION_H

#include "base/util.h"

int lw_loaded_function(const char *path, const char *name, u64 *addr);

#endif /* LW_LOADED_FUNCTION_H */
