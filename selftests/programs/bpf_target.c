// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_target.c - a BPF program that comes, is hit, and goes.
 *
 * bpf_target NUMBER [FILE]: load a program at the entry of system calls, make
 * NUMBER calls of getppid(), and close() it; each of these calls hits the tracepoint
 * bpf_trace:bpf_trace_printk. Unload it, when there is something in FILE.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT	0x0a776c	/* "lw\n" */

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* What prints, of this process only. */
static int load(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .imm = 32 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .off = 5, .imm = getpid() },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = 10, .off = -8, .imm = TEXT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_trace_printk },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (unsigned long)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (unsigned long)"GPL";
	strcpy(attr.prog_name, "lw_printer");
	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int prog)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (unsigned long)"sys_enter";
	attr.raw_tracepoint.prog_fd = prog;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int is_empty(const char *path)
{
	struct stat st;

	return stat(path, &st) || !st.st_size;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0, link, prog = load();

	if (prog < 0) {
		perror("BPF_PROG_LOAD");
		return 1;
	}
	link = attach(prog);
	if (link < 0) {
		perror("BPF_RAW_TRACEPOINT_OPEN");
		return 1;
	}
	while (calls-- > 0)
		syscall(SYS_getppid);
	close(link);
	while (argc > 2 && is_empty(argv[2]))
		usleep(10000);
	return 0;
}
