/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chardev.h - /dev/latewind.
 */
#ifndef LW_CHARDEV_H
#define LW_CHARDEV_H

int lw_chardev_init(void);
void lw_chardev_exit(void);

#endif /* LW_CHARDEV_H */
