/* SPDX-License-Identifier: GPL-2.0 */
/*
 * module_text.h - kernel modules that come and go, for sessions that want to know.
 */
#ifndef LW_MODULE_TEXT_H
#define LW_MODULE_TEXT_H

struct lw_session_part;

extern const struct lw_session_part lw_module_text_part;

int lw_module_text_init(void);
void lw_module_text_exit(void);

#endif /* LW_MODULE_TEXT_H */
