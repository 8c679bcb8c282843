/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs.h - what 'latewind VERB' can be; each lives in cmd_VERB.c.
 */
#ifndef LW_VERBS_H
#define LW_VERBS_H

#define LW_TOOL_VERSION		"0.1"

int lw_cmd_record(int argc, char **argv);
int lw_cmd_live(int argc, char **argv);
int lw_cmd_top(int argc, char **argv);
int lw_cmd_trace(int argc, char **argv);
int lw_cmd_script(int argc, char **argv);
int lw_cmd_report(int argc, char **argv);
int lw_cmd_diff(int argc, char **argv);
int lw_cmd_flame(int argc, char **argv);
int lw_cmd_export(int argc, char **argv);
int lw_cmd_doctor(int argc, char **argv);
int lw_cmd_sframe(int argc, char **argv);

#endif /* LW_VERBS_H */
