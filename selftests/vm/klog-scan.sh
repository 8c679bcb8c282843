#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# klog-scan.sh FILE: print the lines of a kernel log that must fail a run, and
# exit 1 if there are any. What the kernel said before the harness's own mark
# is the stock kernel's business, and so is a data race (KCSAN) of which neither
# access is ours, or in what we called. Runs on the host and in the guest
# (busybox).
LC_ALL=C exec awk '
function race_ends() {
	if (ours)
		bad[++n] = race
	race = ""
	ours = 0
}
/latewind-vm: run starts/ { n = 0; race = ""; ours = 0; next }
/BUG: KCSAN:/ { race_ends(); race = $0; ours = /\[latewind\]/; frame = 0; next }
race && /====================/ { race_ends(); next }
race && / bytes by / { frame = 0 }
race { race = race "\n" $0; ours = ours || (frame++ <= 2 && /\[latewind\]/) }
/WARNING:|BUG:|BUG [^ ]+ \(|Oops|KASAN|UBSAN|KFENCE|Kernel panic|general protection fault/ ||
/possible recursive locking|possible circular locking|possible irq lock|INFO: possible/ ||
/inconsistent lock state|suspicious RCU|INFO: suspicious|INFO: task .* blocked/ ||
/bad unlock balance|held lock freed|lock held when returning|Invalid wait context/ ||
/INFO: trying to register non-static key|locking correctness validator/ ||
/soft lockup|hard LOCKUP|self-detected stall|detected stalls|rcu.*stall|workqueue lockup/ ||
/refcount_t|unregister_netdevice|kmemleak:.*new suspected|list_(add|del) corruption/ ||
/kmemleak:.*(disabled|pool empty)|ODEBUG|pagealloc: |stack end detected/ ||
/unable to handle|stack-protector|scheduling while atomic|sleeping function called/ {
	bad[++n] = $0
}
END {
	race_ends()
	for (i = 1; i <= n; i++)
		print bad[i]
	exit n > 0
}' "$1"
