// SPDX-License-Identifier: GPL-2.0
/*
 * socket_name.c - what stands behind the descriptor of a socket: PROTOCOL, then, once they are
 * known, its own address and that of its peer: TCP:[127.0.0.1:80->127.0.0.1:4711].
 *
 * Contexts: any thread.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "trace/socket_name.h"

#define ARROW	"->"

static const char *inet_name(u32 type, u32 protocol)
{
	if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6)
		return "PING";
	return type == SOCK_STREAM ? "TCP" : type == SOCK_DGRAM ? "UDP" : "RAW";
}

static const char *unix_name(u32 type)
{
	return type == SOCK_STREAM ? "UNIX-STREAM" : type == SOCK_DGRAM ? "UNIX-DGRAM" :
				     "UNIX-SEQPACKET";
}

/**
 * lw_socket_name - the name of a socket without addresses
 * @family: AF_*
 * @type: SOCK_*, with its flags or without
 * @protocol: IPPROTO_*
 *
 * Return: a string to free(), or NULL: a family that is not known, or no memory.
 */
char *lw_socket_name(u32 family, u32 type, u32 protocol)
{
	char text[32];

	type &= ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
	switch (family) {
	case AF_UNIX:
		return strdup(unix_name(type));
	case AF_NETLINK:
		return strdup("NETLINK");
	case AF_INET:
	case AF_INET6:
		snprintf(text, sizeof(text), "%s%s", inet_name(type, protocol),
			 family == AF_INET6 ? "v6" : "");
		return strdup(text);
	}
	return NULL;
}

/* Return: bytes of the text, which may be the whole of it. */
static size_t length_before(const char *text, const char *end)
{
	const char *found = strstr(text, end);

	return found ? (size_t)(found - text) : strlen(text);
}

/**
 * lw_socket_name_with - a name with addresses
 * @name: with some or without
 * @local: the socket's own address; NULL: that of @name
 * @peer: that of its peer; NULL: that of @name
 *
 * Return: a string to free(), or NULL: no memory.
 */
char *lw_socket_name_with(const char *name, const char *local, const char *peer)
{
	size_t kind = length_before(name, ":["), both;
	const char *old = name[kind] ? name + kind + 2 : "]", *old_peer;
	char *text;

	both = strlen(old) - 1;
	old_peer = strstr(old, ARROW);
	if (!local && !peer)
		return strdup(name);
	if (!peer && !old_peer)
		return asprintf(&text, "%.*s:[%s]", (int)kind, name, local) < 0 ? NULL : text;
	if (asprintf(&text, "%.*s:[%.*s" ARROW "%.*s]", (int)kind, name,
		     (int)(local ? strlen(local) : old_peer ? (size_t)(old_peer - old) : both),
		     local ? local : old,
		     (int)(peer ? strlen(peer) : strlen(old_peer + strlen(ARROW)) - 1),
		     peer ? peer : old_peer + strlen(ARROW)) < 0)
		return NULL;
	return text;
}

static char *inet_text(int family, const void *address, u16 port)
{
	const char *format = family == AF_INET6 ? "[%s]:%u" : "%s:%u";
	char text[INET6_ADDRSTRLEN] = "", *both;

	inet_ntop(family, address, text, sizeof(text));
	return asprintf(&both, format, text, port) < 0 ? NULL : both;
}

/* An abstract one begins with a NUL: it is shown as an @. */
static char *unix_text(const struct sockaddr_un *address, size_t len)
{
	size_t room = len - offsetof(struct sockaddr_un, sun_path);
	const char *path = address->sun_path;
	char *text;

	if (!room)
		return NULL;
	if (room > sizeof(address->sun_path))
		room = sizeof(address->sun_path);
	return asprintf(&text, "\"%s%.*s\"", *path ? "" : "@", (int)room - !*path,
			path + !*path) < 0 ? NULL : text;
}

/**
 * lw_socket_address - a socket's address as text
 * @address: a struct sockaddr of any family
 * @len: its bytes
 *
 * Return: a string to free(), or NULL: too short, of another family, or no memory.
 */
char *lw_socket_address(const void *address, size_t len)
{
	union {
		sa_family_t family;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
		u8 bytes[128];
	} any = {};

	memcpy(any.bytes, address, len < sizeof(any.bytes) ? len : sizeof(any.bytes));
	if (len < sizeof(any.family))
		return NULL;
	if (any.family == AF_INET && len >= sizeof(any.in))
		return inet_text(AF_INET, &any.in.sin_addr, ntohs(any.in.sin_port));
	if (any.family == AF_INET6 && len >= offsetof(struct sockaddr_in6, sin6_scope_id))
		return inet_text(AF_INET6, &any.in6.sin6_addr, ntohs(any.in6.sin6_port));
	return any.family == AF_UNIX ? unix_text(&any.un, len) : NULL;
}

/* /proc/net has an address as words of the machine, in hexadecimal, and the port behind. */
static char *address_of_words(const char *text)
{
	size_t digits = strcspn(text, ":");
	u32 words[4] = {}, port;

	if ((digits != 8 && digits != 32) || sscanf(text + digits, ":%x", &port) != 1 || !port)
		return NULL;
	for (u32 i = 0; i < digits / 8; i++) {
		if (sscanf(text + 8 * i, "%8x", &words[i]) != 1)
			return NULL;
	}
	return inet_text(digits == 8 ? AF_INET : AF_INET6, words, port);
}

/* A line of tcp, udp or their like. */
static char *name_of_inet(const char *line, const char *name, u64 inode)
{
	char local[64], peer[64], *from, *to, *text;
	u64 found;

	if (sscanf(line, " %*s %63s %63s %*s %*s %*s %*s %*s %*s %llu", local, peer, &found) != 3 ||
	    found != inode)
		return NULL;
	from = address_of_words(local);
	to = address_of_words(peer);
	text = lw_socket_name_with(name, from, to);
	free(from);
	free(to);
	return text;
}

static char *name_of_unix(const char *line, u64 inode)
{
	char path[128] = "", *text;
	u32 type;
	u64 found;

	if (sscanf(line, "%*s %*s %*s %*s %x %*s %llu %127s", &type, &found, path) < 2 ||
	    found != inode)
		return NULL;
	if (!*path)
		return strdup(unix_name(type));
	return asprintf(&text, "%s:[\"%s\"]", unix_name(type), path) < 0 ? NULL : text;
}

static char *find_in(const char *path, const char *name, u64 inode)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0)
		found = *name ? name_of_inet(line, name, inode) : name_of_unix(line, inode);
	free(line);
	if (file)
		fclose(file);
	return found;
}

/**
 * lw_socket_name_find - the name of a socket that is there already
 * @net: a directory as /proc/PID/net is
 * @inode: of the socket
 *
 * Return: a string to free(), or NULL: not found.
 */
char *lw_socket_name_find(const char *net, u64 inode)
{
	static const struct {
		const char *file, *name;
	} lists[] = {
		{ "tcp", "TCP" }, { "tcp6", "TCPv6" }, { "udp", "UDP" }, { "udp6", "UDPv6" },
		{ "unix", "" },
	};
	char path[128], *found = NULL;

	for (u32 i = 0; !found && i < ARRAY_SIZE(lists); i++) {
		snprintf(path, sizeof(path), "%s/%s", net, lists[i].file);
		found = find_in(path, lists[i].name, inode);
	}
	return found;
}
