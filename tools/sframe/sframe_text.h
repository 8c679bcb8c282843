/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_text.h - results, rules and strings of SFrame sections as text.
 */
#ifndef LW_SFRAME_TEXT_H
#define LW_SFRAME_TEXT_H

#include "../module/sframe.h"
#include "base/util.h"

#define LW_VALUE_TEXT_MAX	64	/* bytes of a value as text */

const char *lw_sframe_result_text(int result);
const char *lw_sframe_abi_name(unsigned int abi);
const char *lw_sframe_reg_name(unsigned int abi, unsigned int reg);
void lw_sframe_value_text(char *buf, unsigned int abi, const struct lw_rule_value *value);
void lw_sframe_cfa_text(char *buf, unsigned int abi, const struct lw_rule *rule);
void lw_sframe_value_json(FILE *out, unsigned int abi, const struct lw_rule_value *value);

unsigned int lw_plain_char(const char *text, bool *plain);
void lw_print_plain(FILE *out, const char *text);
void lw_print_json(FILE *out, const char *text);

#endif /* LW_SFRAME_TEXT_H */
