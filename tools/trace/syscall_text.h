/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_text.h - system calls as strace prints them.
 */
#ifndef LW_SYSCALL_TEXT_H
#define LW_SYSCALL_TEXT_H

#include "base/strbuf.h"
#include "trace/fd_paths.h"
#include "trace/syscall_join.h"
#include "trace/syscall_table.h"

/* How calls are printed. */
struct lw_call_style {
	u32 limit;			/* bytes of a string, but for paths */
	const struct lw_fd_paths *fds;	/* paths of descriptors, or NULL */
};

void lw_call_text(struct lw_strbuf *out, const struct lw_call *call,
		  const struct lw_call_style *style);
void lw_call_result(struct lw_strbuf *out, const struct lw_call *call,
		    const struct lw_call_style *style);
void lw_call_json_args(struct lw_strbuf *out, const struct lw_call *call,
		       const struct lw_call_style *style, struct lw_strbuf *scratch);
const char *lw_call_error(const struct lw_call *call);

#endif /* LW_SYSCALL_TEXT_H */
