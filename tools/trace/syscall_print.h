/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_print.h - what the printers of arguments share.
 */
#ifndef LW_SYSCALL_PRINT_H
#define LW_SYSCALL_PRINT_H

#include "trace/syscall_flags.h"
#include "trace/syscall_text.h"

/* An argument that is printed. */
struct lw_printing {
	struct lw_strbuf *out;
	const struct lw_call *call;
	const struct lw_arg *arg;
	u64 value;			/* of the argument */
	u32 limit;			/* of strings */
	const struct lw_fd_paths *fds;	/* or NULL */
};

/* struct pollfd, whose events are signed. */
struct lw_poll_entry {
	s32 fd;
	u16 events, revents;
};

/* Return: false if there is nothing to print, not even a comma. */
typedef bool (*lw_printer)(struct lw_printing *p);

extern const lw_printer lw_struct_printers[LW_ARG_KINDS];
extern const lw_printer lw_socket_printers[LW_ARG_KINDS];
extern const lw_printer lw_operation_printers[LW_ARG_KINDS];

void lw_print_flags(struct lw_strbuf *out, const struct lw_names *names, u64 value);
void lw_print_one_of(struct lw_strbuf *out, const struct lw_names *names, u64 value);
void lw_print_signal(struct lw_strbuf *out, u32 signal);
void lw_print_open_flags(struct lw_strbuf *out, u64 value);
bool lw_open_has_mode(u64 flags);
void lw_print_file_mode(struct lw_strbuf *out, u32 mode);
void lw_print_makedev(struct lw_strbuf *out, u32 major_nr, u32 minor_nr);
void lw_print_cut(struct lw_strbuf *out, const void *bytes, u64 len, u32 limit);
const void *lw_data_struct(const struct lw_printing *p, u32 when, size_t size);
const struct lw_call_data *lw_data_array(const struct lw_printing *p, u32 when);

/* Where its data was not read. */
static inline bool lw_print_pointer(struct lw_printing *p)
{
	lw_strbuf_address(p->out, p->value);
	return true;
}

static inline void lw_put_number(struct lw_strbuf *out, const char *name, u64 value)
{
	lw_strbuf_str(out, name);
	lw_strbuf_u64(out, value);
}

static inline void lw_put_pointer(struct lw_strbuf *out, const char *name, u64 value)
{
	lw_strbuf_str(out, name);
	lw_strbuf_address(out, value);
}

static inline u64 lw_least(u64 left, u64 right)
{
	return left < right ? left : right;
}

#endif /* LW_SYSCALL_PRINT_H */
