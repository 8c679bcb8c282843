/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit.h - exit codes of the tool.
 */
#ifndef LW_EXIT_H
#define LW_EXIT_H

#define LW_EXIT_OK		0
#define LW_EXIT_FAILURE		1
#define LW_EXIT_USAGE		2

#endif /* LW_EXIT_H */
