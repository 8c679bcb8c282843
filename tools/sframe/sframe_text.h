/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_text.h - results and rules of SFrame sections as text.
 */
#ifndef LW_SFRAME_TEXT_H
#define LW_SFRAME_TEXT_H

#include "base/json.h"
#include "sframe/sframe_reader.h"

#define LW_VALUE_TEXT_MAX	64	/* bytes of a value as text */

const char *lw_sframe_result_text(int result);
const char *lw_sframe_abi_name(unsigned int abi);
void lw_sframe_value_text(char *buf, unsigned int abi, const struct lw_rule_value *value);
void lw_sframe_cfa_text(char *buf, unsigned int abi, const struct lw_rule *rule);
const char *lw_sframe_index_text(unsigned int abi, unsigned int index);
const char *lw_sframe_told_text(unsigned int abi, unsigned int told);
void lw_sframe_saved_text(char *buf, s32 saved);
void lw_sframe_value_json(struct lw_json *json, const char *name, unsigned int abi,
			  const struct lw_rule_value *value);

#endif /* LW_SFRAME_TEXT_H */
