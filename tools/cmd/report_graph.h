/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_graph.h - what perf's users say to the report's -g and -F.
 */
#ifndef LW_REPORT_GRAPH_H
#define LW_REPORT_GRAPH_H

#include "report/report.h"

int lw_take_graph(struct lw_report_options *report, bool *has_graph, const char *text);
int lw_take_fields(struct lw_report_options *report, const char *text);

#endif /* LW_REPORT_GRAPH_H */
