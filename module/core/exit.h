/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit.h - tasks that exit with a request pending.
 */
#ifndef LW_EXIT_H
#define LW_EXIT_H

void lw_exit_init(void);
void lw_exit_exit(void);
int lw_exit_watch(void);
void lw_exit_unwatch(void);

#endif /* LW_EXIT_H */
