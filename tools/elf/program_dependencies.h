/* SPDX-License-Identifier: GPL-2.0 */
/*
 * program_dependencies.h - which files a command will map when it starts.
 */
#ifndef LW_PROGRAM_DEPENDENCIES_H
#define LW_PROGRAM_DEPENDENCIES_H

typedef void (*lw_program_file_fn)(void *ctx, const char *path);

void lw_program_dependencies(const char *command, lw_program_file_fn fn, void *ctx);

#endif /* LW_PROGRAM_DEPENDENCIES_H */
