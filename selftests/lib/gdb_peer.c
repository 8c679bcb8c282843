// SPDX-License-Identifier: GPL-2.0
/*
 * gdb_peer.c - gdb's idea of a stack, of a process that we trace.
 *
 * A process has one tracer, so gdb can't be a second one.  We serve it: it is
 * connected to us by its remote protocol (gdb's manual, appendix "Remote Serial
 * Protocol"), reads registers and memory of the stopped process, and never lets it
 * go on.  Its script says "monitor next" to wait until we want to know, and
 * "monitor chain ADDRESS..." to tell.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gdb_peer.h"

/* Nothing takes gdb that long. */
#define TIMEOUT_MS	120000

static const char hex_digits[] = "0123456789abcdef";

static size_t to_hex(char *to, const void *from, size_t len)
{
	const uint8_t *bytes = from;
	size_t i;

	for (i = 0; i < len; i++) {
		to[2 * i] = hex_digits[bytes[i] >> 4];
		to[2 * i + 1] = hex_digits[bytes[i] & 15];
	}
	to[2 * len] = 0;
	return 2 * len;
}

static int digit(char c)
{
	const char *at = c ? strchr(hex_digits, c) : NULL;

	return at ? (int)(at - hex_digits) : -1;
}

/* A string of hex digits, in its place, to what it says. */
static void from_hex(char *text)
{
	char *to = text;

	for (; digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2)
		*to++ = digit(text[0]) << 4 | digit(text[1]);
	*to = 0;
}

static int send_all(struct gdb_peer *g, const char *bytes, size_t len)
{
	while (len) {
		ssize_t done = send(g->fd, bytes, len, MSG_NOSIGNAL);

		if (done <= 0)
			return -EPIPE;
		bytes += done;
		len -= done;
	}
	return 0;
}

/* The packet with @len bytes at g->out. */
static int reply_bytes(struct gdb_peer *g, size_t len)
{
	uint8_t sum = 0;
	char end[4];
	size_t i;

	for (i = 0; i < len; i++)
		sum += g->out[i];
	snprintf(end, sizeof(end), "#%02x", sum);
	return send_all(g, "$", 1) ?: send_all(g, g->out, len) ?:
	       send_all(g, end, 3);
}

static int reply(struct gdb_peer *g, const char *text)
{
	size_t len = strlen(text);

	memcpy(g->out, text, len + 1);
	return reply_bytes(g, len);
}

/* What a monitor command prints. */
static int reply_text(struct gdb_peer *g, const char *text)
{
	return reply_bytes(g, to_hex(g->out, text, strlen(text)));
}

static int receive(struct gdb_peer *g)
{
	struct pollfd wait = { .fd = g->fd, .events = POLLIN };
	ssize_t len;

	if (poll(&wait, 1, TIMEOUT_MS) <= 0)
		return -ETIMEDOUT;
	len = recv(g->fd, g->in + g->have, sizeof(g->in) - g->have, 0);
	if (len <= 0)
		return -EPIPE;
	g->have += len;
	return 0;
}

static void drop(struct gdb_peer *g, size_t len)
{
	memmove(g->in, g->in + len, g->have - len);
	g->have -= len;
}

/* $data#xx, between acknowledgments. */
static int get_packet(struct gdb_peer *g)
{
	char *end;
	int err;

	for (;;) {
		while (g->have && g->in[0] != '$')
			drop(g, 1);
		end = memchr(g->in, '#', g->have);
		if (end && end + 3 <= g->in + g->have)
			break;
		err = g->have == sizeof(g->in) ? -EMSGSIZE : receive(g);
		if (err)
			return err;
	}
	memcpy(g->packet, g->in + 1, end - g->in - 1);
	g->packet[end - g->in - 1] = 0;
	drop(g, end + 3 - g->in);
	return g->quiet ? 0 : send_all(g, "+", 1);
}

/*
 * In the order of gdb's amd64: 17 of 8 bytes, 7 of 4; of its aarch64: 33 of 8, one of 4; of its
 * s390x: 18 of 8, 16 of 4.  The rest is not sent.
 */
static int reply_registers(struct gdb_peer *g)
{
	const struct user_regs_struct *r = &g->t->regs;
	size_t len;
#if defined(__x86_64__)
	const __u64 wide[] = {
		r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip,
	};
	const uint32_t narrow[] = {
		r->eflags, r->cs, r->ss, r->ds, r->es, r->fs, r->gs,
	};
#elif defined(__aarch64__)
	__u64 wide[33];
	const uint32_t narrow[] = { r->pstate };

	/* x0 to x30, sp and pc, as they are there. */
	memcpy(wide, r, sizeof(wide));
#elif defined(__s390x__)
	__u64 wide[18];
	uint32_t narrow[16];

	/* The PSW, r0 to r15, a0 to a15, as they are there. */
	memcpy(wide, r, sizeof(wide));
	memcpy(narrow, r->acrs, sizeof(narrow));
#endif
	len = to_hex(g->out, wide, sizeof(wide));
	len += to_hex(g->out + len, narrow, sizeof(narrow));
	return reply_bytes(g, len);
}

static int reply_memory(struct gdb_peer *g)
{
	unsigned long long addr, len;
	uint8_t bytes[GDB_PACKET / 2];

	if (sscanf(g->packet, "m%llx,%llx", &addr, &len) != 2)
		return reply(g, "E01");
	if (len > sizeof(bytes))
		len = sizeof(bytes);
	if (tracee_read(g->t, addr, bytes, len))
		return reply(g, "E0e");
	return reply_bytes(g, to_hex(g->out, bytes, len));
}

/* Binary: what has a meaning of its own is escaped. */
static size_t escape(char *to, const char *from, size_t len)
{
	size_t nr = 0;

	for (; len; len--, from++) {
		if (strchr("}#$*", *from) && *from) {
			to[nr++] = '}';
			to[nr++] = *from ^ 0x20;
		} else {
			to[nr++] = *from;
		}
	}
	return nr;
}

static int reply_auxv(struct gdb_peer *g, const char *range)
{
	unsigned long long off, len;
	char path[64], bytes[4096];
	size_t have;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", g->t->pid);
	file = fopen(path, "r");
	if (!file || sscanf(range, "%llx,%llx", &off, &len) != 2)
		return reply(g, "E01");
	have = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (off >= have)
		return reply(g, "l");
	if (len > have - off)
		len = have - off;
	g->out[0] = off + len < have ? 'm' : 'l';
	return reply_bytes(g, 1 + escape(g->out + 1, bytes + off, len));
}

static void take_chain(struct gdb_peer *g, const char *text)
{
	char *end;

	for (g->nr = 0; g->nr < GDB_FRAMES; g->nr++, text = end) {
		g->chain[g->nr] = strtoull(text, &end, 16);
		if (end == text)
			break;
	}
	g->has_chain = true;
}

/* Return: 0; 1 if gdb waits for us now; -errno. */
static int monitor(struct gdb_peer *g, char *command)
{
	from_hex(command);
	if (!strcmp(command, "next"))
		return 1;
	if (!strncmp(command, "chain", 5))
		take_chain(g, command + 5);
	return reply(g, "OK");
}

struct answer {
	const char *packet;
	const char *answer;
};

/* One thread, which is attached to and stopped. */
static const struct answer answers[] = {
	{ "?", "T05thread:1;" },
	{ "qC", "QC1" },
	{ "qfThreadInfo", "m1" },
	{ "qsThreadInfo", "l" },
	{ "qAttached", "1" },
	{ "Hg", "OK" },
	{ "Hc", "OK" },
	{ "T", "OK" },
	{ "Z0", "OK" },
	{ "z0", "OK" },
	{ "qSupported", "PacketSize=1f00;QStartNoAckMode+;qXfer:auxv:read+" },
};

static int answer_other(struct gdb_peer *g)
{
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (!strncmp(g->packet, answers[i].packet, strlen(answers[i].packet)))
			return reply(g, answers[i].answer);
	/* Not supported. */
	return reply(g, "");
}

/* Return: as monitor(). */
static int serve_one(struct gdb_peer *g)
{
	static const char auxv[] = "qXfer:auxv:read::";
	int err = get_packet(g);

	if (err)
		return err;
	if (!strcmp(g->packet, "QStartNoAckMode")) {
		g->quiet = true;
		return reply(g, "OK");
	}
	if (!strncmp(g->packet, "qRcmd,", 6))
		return monitor(g, g->packet + 6);
	if (!strncmp(g->packet, auxv, strlen(auxv)))
		return reply_auxv(g, g->packet + strlen(auxv));
	if (g->packet[0] == 'g')
		return reply_registers(g);
	if (g->packet[0] == 'm')
		return reply_memory(g);
	return answer_other(g);
}

/* Until it waits for us.  Return: 0 or -errno. */
static int serve(struct gdb_peer *g)
{
	int ret;

	do {
		ret = serve_one(g);
	} while (!ret);
	return ret < 0 ? ret : 0;
}

static void run_gdb(struct gdb_peer *g, const char *script, const char *socket)
{
	char program[64], vdso[32];

	snprintf(program, sizeof(program), "/proc/%d/exe", g->t->pid);
	snprintf(vdso, sizeof(vdso), "0x%llx", g->sysinfo_ehdr);
	setenv("LW_GDB_SOCKET", socket, 1);
	setenv("LW_GDB_VDSO", vdso, 1);
	setenv("LW_GDB_PROGRAM", program, 1);
	/* Its output would be in the middle of ours. */
	if (!getenv("LW_GDB_VERBOSE") && !freopen("/dev/null", "w", stdout))
		_exit(127);
	execlp("gdb", "gdb", "-nx", "-q", "-batch", "-x", script, NULL);
	_exit(127);
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1))
		return -errno;
	return fd;
}

static int accept_within(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int got;

	if (poll(&wait, 1, TIMEOUT_MS) <= 0)
		return -ETIMEDOUT;
	got = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	return got < 0 ? -errno : got;
}

/**
 * gdb_peer_start - have a gdb look at a process
 * @g: filled
 * @t: stopped in its program
 * @script: what gdb runs, step_gdb.py
 *
 * Return: 0 or -errno.
 */
int gdb_peer_start(struct gdb_peer *g, struct tracee *t, const char *script)
{
	char path[64];
	int fd;

	memset(g, 0, sizeof(*g));
	g->t = t;
	g->sysinfo_ehdr = tracee_auxv(t, AT_SYSINFO_EHDR);
	g->new_maps = true;
	snprintf(path, sizeof(path), "/tmp/lw-gdb-%d.socket", getpid());
	unlink(path);
	fd = listen_at(path);
	if (fd < 0)
		return fd;
	g->pid = fork();
	if (!g->pid)
		run_gdb(g, script, path);
	g->fd = accept_within(fd);
	close(fd);
	unlink(path);
	return g->fd < 0 ? g->fd : serve(g);
}

/**
 * gdb_peer_ask - what gdb says of the process as it is now
 * @g: started; set @g->new_maps before if it has other mappings
 *
 * The answer is at @g->chain, topmost first.
 *
 * Return: 0 or -errno.
 */
int gdb_peer_ask(struct gdb_peer *g)
{
	int err;

	g->has_chain = false;
	err = reply_text(g, g->new_maps ? "maps\n" : "same\n") ?: serve(g);
	g->new_maps = false;
	return err ?: g->has_chain ? 0 : -ENODATA;
}

/**
 * gdb_peer_end - have gdb end
 * @g: as it is after gdb_peer_start(), failed or not
 */
void gdb_peer_end(struct gdb_peer *g)
{
	if (g->fd > 0) {
		reply_text(g, "end\n");
		close(g->fd);
	}
	if (g->pid > 0) {
		kill(g->pid, SIGKILL);
		waitpid(g->pid, NULL, 0);
	}
	memset(g, 0, sizeof(*g));
}
