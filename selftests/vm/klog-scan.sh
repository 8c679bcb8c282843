#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# klog-scan.sh FILE: print the lines of a kernel log that must fail a run, and
# exit 1 if there are any. What the kernel said before the harness's own mark
# is the stock kernel's business. Runs on the host and in the guest (busybox).
LC_ALL=C exec awk '
/latewind-vm: run starts/ { n = 0; next }
/WARNING:|BUG:|Oops|KASAN|KCSAN|UBSAN|KFENCE|Kernel panic|general protection fault/ ||
/possible recursive locking|possible circular locking|possible irq lock|INFO: possible/ ||
/inconsistent lock state|suspicious RCU|INFO: suspicious|INFO: task .* blocked/ ||
/bad unlock balance|held lock freed|lock held when returning/ ||
/soft lockup|hard LOCKUP|self-detected stall|detected stalls|rcu.*stall/ ||
/refcount_t|unregister_netdevice|kmemleak:.*new suspected|list_(add|del) corruption/ ||
/unable to handle|stack-protector|scheduling while atomic|sleeping function called/ {
	bad[++n] = $0
}
END {
	for (i = 1; i <= n; i++)
		print bad[i]
	exit n > 0
}' "$1"
