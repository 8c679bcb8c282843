/* SPDX-License-Identifier: GPL-2.0 */
/*
 * module_text.h - records of kernel modules that come and go.
 */
#ifndef LW_MODULE_TEXT_H
#define LW_MODULE_TEXT_H

#include <linux/types.h>

struct lw_session;

int lw_module_text_init(void);
void lw_module_text_exit(void);
void lw_module_text_set_up(struct lw_session *session, u32 flags);
void lw_module_text_release(struct lw_session *session);

#endif /* LW_MODULE_TEXT_H */
