/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_output.h - how a trace of system calls is printed.
 */
#ifndef LW_TRACE_OUTPUT_H
#define LW_TRACE_OUTPUT_H

#include "trace/tracer.h"

void lw_trace_print(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_learn(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_forget(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_print_exit(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_print_killed(struct lw_tracer *tracer, int status);
void lw_trace_begin_process(struct lw_tracer *tracer, u32 pid);
void lw_trace_print_signal(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_sum_up(struct lw_tracer *tracer, const struct lw_call *call);
void lw_trace_print_sums(struct lw_tracer *tracer);

#endif /* LW_TRACE_OUTPUT_H */
