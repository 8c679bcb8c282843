/* SPDX-License-Identifier: GPL-2.0 */
/*
 * qemu_plugin.h - as much of QEMU's interface for plugins as count.c needs: no package of
 * Debian's has the header.  QEMU 9 and later have this version of it.
 */
#ifndef LW_QEMU_PLUGIN_H
#define LW_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	4

/* A callback does not look at registers. */
#define QEMU_PLUGIN_CB_NO_REGS	0

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* What QEMU looks for in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu, void *arg),
					    int flags, void *arg);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *arg), void *arg);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);

#endif /* LW_QEMU_PLUGIN_H */
