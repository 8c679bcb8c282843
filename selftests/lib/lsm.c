// SPDX-License-Identifier: GPL-2.0
/*
 * lsm.c - BPF programs at the hooks perf_event_open and locked_down of security modules.
 *
 * A hook is found by its number in the kernel's BTF. Layouts are those of linux/btf.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lsm.h"

#define BTF_FILE	"/sys/kernel/btf/vmlinux"

static int bpf(int command, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/* Bytes of a type's description behind its struct btf_type. */
static size_t bytes_behind(const struct btf_type *type)
{
	size_t nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return nr * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return nr * 8;
	default:
		return 0;
	}
}

/* Return: the number of a function, or -ENOENT. */
static int find_function(const char *btf, const char *name)
{
	const struct btf_header *header = (const void *)btf;
	const char *types = btf + header->hdr_len + header->type_off;
	const char *names = btf + header->hdr_len + header->str_off;
	size_t at = 0;
	int id;

	for (id = 1; at < header->type_len; id++) {
		const struct btf_type *type = (const void *)(types + at);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(names + type->name_off, name))
			return id;
		at += sizeof(*type) + bytes_behind(type);
	}
	return -ENOENT;
}

static int find_hook(const char *hook)
{
	int fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t got = 0;
	ssize_t nr = 1;
	int ret = -EIO;
	char *btf;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return ret;
	}
	btf = malloc(st.st_size);
	while (btf && got < (size_t)st.st_size && nr > 0) {
		nr = read(fd, btf + got, st.st_size - got);
		got += nr > 0 ? nr : 0;
	}
	if (btf && got == (size_t)st.st_size)
		ret = find_function(btf, hook);
	free(btf);
	close(fd);
	return ret;
}

/* Refuses what processes with the caller's PID ask, and nobody else. */
static int load_program(int hook, int error)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .imm = 32 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = 1, .imm = getpid() },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = error },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_LSM;
	attr.expected_attach_type = BPF_LSM_MAC;
	attr.attach_btf_id = hook;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (uintptr_t)"GPL";
	strcpy(attr.prog_name, "lw_forbid");
	return bpf(BPF_PROG_LOAD, &attr);
}

static int forbid(const char *name, int error)
{
	int hook = find_hook(name);
	union bpf_attr attr;
	int program, link;

	if (hook < 0)
		return hook;
	program = load_program(hook, error);
	if (program < 0)
		return program;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = program;
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	close(program);
	return link;
}

/**
 * lsm_forbid_perf - have a security module refuse perf_event_open() to the caller's process
 *
 * Return: a descriptor that ends it when it is closed, or -errno: no BTF, no CONFIG_BPF_LSM.
 */
int lsm_forbid_perf(void)
{
	return forbid("bpf_lsm_perf_event_open", -EACCES);
}

/**
 * lsm_lock_down - have a security module lock the kernel down for the caller's process
 *
 * As lockdown=confidentiality, which does not end before the kernel does.
 *
 * Return: as lsm_forbid_perf().
 */
int lsm_lock_down(void)
{
	return forbid("bpf_lsm_locked_down", -EPERM);
}
