// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_sockets.c - addresses, options and vectors of bytes, as strace prints them.
 *
 * Contexts: any thread; each has its own struct lw_strbuf.
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "trace/syscall_print.h"

static void put_unix(struct lw_strbuf *out, const struct sockaddr_un *addr, size_t len)
{
	const char *path = addr->sun_path;
	size_t room = lw_least(len - sizeof(addr->sun_family), sizeof(addr->sun_path));

	if (!room)
		return;
	lw_strbuf_str(out, ", sun_path=");
	if (*path) {
		lw_strbuf_quoted(out, path, strnlen(path, room));
		return;
	}
	/* an abstract one: all bytes count */
	lw_strbuf_char(out, '@');
	lw_strbuf_quoted(out, path + 1, room - 1);
}

static void put_inet(struct lw_strbuf *out, const struct sockaddr_in *addr)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, &addr->sin_addr, text, sizeof(text));
	lw_strbuf_str(out, ", sin_port=htons(");
	lw_strbuf_u64(out, ntohs(addr->sin_port));
	lw_strbuf_str(out, "), sin_addr=inet_addr(\"");
	lw_strbuf_str(out, text);
	lw_strbuf_str(out, "\")");
}

static void put_inet6(struct lw_strbuf *out, const struct sockaddr_in6 *addr)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, &addr->sin6_addr, text, sizeof(text));
	lw_strbuf_str(out, ", sin6_port=htons(");
	lw_strbuf_u64(out, ntohs(addr->sin6_port));
	lw_strbuf_str(out, "), sin6_flowinfo=htonl(");
	lw_strbuf_u64(out, ntohl(addr->sin6_flowinfo));
	lw_strbuf_str(out, "), inet_pton(AF_INET6, \"");
	lw_strbuf_str(out, text);
	lw_strbuf_str(out, "\", &sin6_addr), sin6_scope_id=");
	lw_strbuf_u64(out, addr->sin6_scope_id);
}

static void put_netlink(struct lw_strbuf *out, const struct sockaddr_nl *addr)
{
	lw_strbuf_str(out, ", nl_pid=");
	lw_strbuf_u64(out, addr->nl_pid);
	lw_strbuf_str(out, ", nl_groups=");
	lw_strbuf_hex_padded(out, addr->nl_groups, 8);
}

static void put_sockaddr(struct lw_strbuf *out, const struct sockaddr *addr, size_t len)
{
	lw_strbuf_str(out, "{sa_family=");
	lw_print_one_of(out, &lw_names_family, addr->sa_family);
	if (addr->sa_family == AF_UNIX) {
		put_unix(out, (const struct sockaddr_un *)addr, len);
	} else if (addr->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		put_inet(out, (const struct sockaddr_in *)addr);
	} else if (addr->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
		put_inet6(out, (const struct sockaddr_in6 *)addr);
	} else if (addr->sa_family == AF_NETLINK && len >= sizeof(struct sockaddr_nl)) {
		put_netlink(out, (const struct sockaddr_nl *)addr);
	} else {
		lw_strbuf_str(out, ", sa_data=");
		lw_strbuf_quoted(out, addr->sa_data, len - sizeof(addr->sa_family));
	}
	lw_strbuf_char(out, '}');
}

/* @room: for the address, which may be longer */
static bool print_address_of(struct lw_printing *p, u32 when, u32 room)
{
	const struct lw_call_data *data = lw_data_array(p, when);
	u32 len = data ? lw_least(data->len, room) : 0;

	if (len < sizeof(sa_family_t))
		return lw_print_pointer(p);
	put_sockaddr(p->out, (const void *)(p->call->bytes + data->at), len);
	return true;
}

static bool print_sockaddr(struct lw_printing *p)
{
	return print_address_of(p, LW_SYSCALL_ENTRY, ~0U);
}

/* The length afterwards is that of the address, not of what there was room for. */
static bool print_sockaddr_out(struct lw_printing *p)
{
	const struct lw_arg length = { .arg = p->arg->by, .kind = LW_ARG_LENGTH_INOUT };
	const struct lw_printing q = { .call = p->call, .arg = &length };
	const u32 *room = lw_data_struct(&q, LW_SYSCALL_ENTRY, sizeof(u32));

	return print_address_of(p, LW_SYSCALL_EXIT, room ? *room : ~0U);
}

/* As it was, and as it is after the call if that is not the same. */
static bool print_length(struct lw_printing *p)
{
	const u32 *before = lw_data_struct(p, LW_SYSCALL_ENTRY, sizeof(u32));
	const u32 *after = lw_data_struct(p, LW_SYSCALL_EXIT, sizeof(u32));

	if (!before)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	lw_strbuf_u64(p->out, *before);
	if (after && *after != *before) {
		lw_strbuf_str(p->out, " => ");
		lw_strbuf_u64(p->out, *after);
	}
	lw_strbuf_char(p->out, ']');
	return true;
}

static bool print_option(struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_data_array(p, when);
	s32 value;

	if (!data)
		return lw_print_pointer(p);
	if (data->len != sizeof(value)) {
		lw_print_cut(p->out, p->call->bytes + data->at, data->len, p->limit);
		return true;
	}
	memcpy(&value, p->call->bytes + data->at, sizeof(value));
	lw_strbuf_char(p->out, '[');
	lw_strbuf_s64(p->out, value);
	lw_strbuf_char(p->out, ']');
	return true;
}

static bool print_sockopt(struct lw_printing *p)
{
	return print_option(p, LW_SYSCALL_ENTRY);
}

static bool print_sockopt_out(struct lw_printing *p)
{
	return print_option(p, LW_SYSCALL_EXIT);
}

/* @len: bytes of the vector; those that were taken begin at @at. */
static void put_vector(struct lw_printing *p, const u64 *vector, const struct lw_call_data *all,
		       u32 at, u64 len)
{
	u64 there = all ? lw_least(len, all->len - at) : 0;
	u64 shown = lw_least(len, p->limit);
	bool cut = there && all->flags & LW_DATA_F_CUT;

	lw_strbuf_str(p->out, "{iov_base=");
	if (!all || (there < shown && !cut)) {
		lw_strbuf_address(p->out, vector[0]);
	} else {
		lw_strbuf_quoted(p->out, p->call->bytes + all->at + at, lw_least(there, shown));
		if (len > p->limit || there < shown)
			lw_strbuf_str(p->out, "...");
	}
	lw_put_number(p->out, ", iov_len=", vector[1]);
	lw_strbuf_char(p->out, '}');
}

/* The bytes of all vectors are in one piece, as far as they were taken. */
static bool print_vectors(struct lw_printing *p, u32 when)
{
	const struct lw_call_data *data = lw_data_array(p, when);
	const struct lw_call_data *all = lw_call_find(p->call, p->arg->arg, LW_DATA_IOVEC, when);
	u64 left = when == LW_SYSCALL_EXIT ? (u64)p->call->ret : ~0ULL;
	u32 taken = 0;

	if (!data)
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 at = 0; at + 16 <= data->len; at += 16) {
		u64 vector[2], len;

		memcpy(vector, p->call->bytes + data->at + at, sizeof(vector));
		len = lw_least(vector[1], left);
		left -= len;
		if (at)
			lw_strbuf_str(p->out, ", ");
		put_vector(p, vector, all, taken, len);
		if (all)
			taken += lw_least(len, all->len - taken);
	}
	if (data->flags & LW_DATA_F_CUT)
		lw_strbuf_str(p->out, ", ...");
	lw_strbuf_char(p->out, ']');
	return true;
}

static bool print_iovec(struct lw_printing *p)
{
	return print_vectors(p, LW_SYSCALL_ENTRY);
}

static bool print_iovec_out(struct lw_printing *p)
{
	return print_vectors(p, LW_SYSCALL_EXIT);
}

static bool print_msghdr(struct lw_printing *p)
{
	const struct msghdr *msg = lw_data_struct(p, LW_SYSCALL_ENTRY, sizeof(*msg));

	if (!msg)
		return lw_print_pointer(p);
	lw_put_pointer(p->out, "{msg_name=", (u64)msg->msg_name);
	lw_put_number(p->out, ", msg_namelen=", msg->msg_namelen);
	lw_put_pointer(p->out, ", msg_iov=", (u64)msg->msg_iov);
	lw_put_number(p->out, ", msg_iovlen=", msg->msg_iovlen);
	if (msg->msg_controllen)
		lw_put_pointer(p->out, ", msg_control=", (u64)msg->msg_control);
	lw_put_number(p->out, ", msg_controllen=", msg->msg_controllen);
	lw_strbuf_str(p->out, ", msg_flags=");
	lw_print_flags(p->out, &lw_names_msg, (u32)msg->msg_flags);
	lw_strbuf_char(p->out, '}');
	return true;
}

/* What they point to is not taken: that they are pointers is known only when they are read. */
static bool print_socketcall(struct lw_printing *p)
{
	/* as net/socket.c of the kernel has it, by SYS_* */
	static const u8 nr_args[] = {
		0, 3, 3, 3, 2, 3, 3, 3, 4, 4, 4, 6, 6, 2, 5, 5, 3, 3, 4, 5, 4,
	};
	const u64 *args = lw_data_struct(p, LW_SYSCALL_ENTRY, LW_ARGS_SIZE);
	u32 call = p->call->args[p->arg->by];

	if (!args || !call || call >= ARRAY_SIZE(nr_args))
		return lw_print_pointer(p);
	lw_strbuf_char(p->out, '[');
	for (u32 i = 0; i < nr_args[call]; i++) {
		lw_strbuf_str(p->out, i ? ", " : "");
		lw_strbuf_hex(p->out, args[i]);
	}
	lw_strbuf_char(p->out, ']');
	return true;
}

const lw_printer lw_socket_printers[LW_ARG_KINDS] = {
	[LW_ARG_IOVEC] = print_iovec,
	[LW_ARG_IOVEC_OUT] = print_iovec_out,
	[LW_ARG_MSGHDR] = print_msghdr,
	[LW_ARG_SOCKETCALL] = print_socketcall,
	[LW_ARG_SOCKADDR] = print_sockaddr,
	[LW_ARG_SOCKADDR_OUT] = print_sockaddr_out,
	[LW_ARG_LENGTH_INOUT] = print_length,
	[LW_ARG_SOCKOPT] = print_sockopt,
	[LW_ARG_SOCKOPT_OUT] = print_sockopt_out,
};
