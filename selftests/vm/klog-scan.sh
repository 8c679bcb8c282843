#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# klog-scan.sh FILE: print the lines of a kernel log that must fail a run, and
# exit 1 if there are any. What the kernel said before the harness's own mark
# is the stock kernel's business, and so is a data race (KCSAN) of which neither
# access is ours, or in what we called. A race of a workqueue's functions with each
# other is on a work item's own state, which they alone access: KCSAN reports it for
# whoever queues work. Runs on the host and in the guest (busybox).
LC_ALL=C exec awk '
function is_workqueue(name) {
	return name ~ /^(__)?(queue_work|queue_work_on|insert_work|clear_pending_if_disabled)$/ ||
	       name ~ /^(move_linked_works|process_one_work|start_flush_work)$/
}
function race_ends() {
	if (ours && !(is_workqueue(at[1]) && is_workqueue(at[2])))
		bad[++n] = race
	race = ""
	ours = 0
}
/latewind-vm: run starts/ { n = 0; race = ""; ours = 0; next }
/BUG: KCSAN:/ {
	race_ends()
	race = $0
	ours = /\[latewind\]/
	split("", at)
	accesses = 0
	next
}
race && /====================/ { race_ends(); next }
race && / bytes by / { frame = 0; accesses++ }
race && frame == 1 { at[accesses] = $NF; sub(/\+0x.*/, "", at[accesses]) }
race { race = race "\n" $0 }
race && frame++ <= 2 && /\[latewind\]/ { ours = 1 }
/WARNING:|BUG:|BUG [^ ]+ \(|Oops|KASAN|UBSAN|KFENCE|Kernel panic|general protection fault/ ||
/possible recursive locking|possible circular locking|possible irq lock|INFO: possible/ ||
/inconsistent lock state|suspicious RCU|INFO: suspicious|INFO: task .* blocked/ ||
/bad unlock balance|held lock freed|lock held when returning|Invalid wait context/ ||
/INFO: trying to register non-static key|locking correctness validator/ ||
/soft lockup|hard LOCKUP|self-detected stall|detected stalls|rcu.*stall|workqueue lockup/ ||
/refcount_t|unregister_netdevice|kmemleak:.*new suspected|list_(add|del) corruption/ ||
/kmemleak:.*(disabled|pool empty)|ODEBUG|pagealloc: |stack end detected/ ||
/CFI failure|unable to handle|stack-protector|scheduling while atomic|sleeping function called/ {
	bad[++n] = $0
}
END {
	race_ends()
	for (i = 1; i <= n; i++)
		print bad[i]
	exit n > 0
}' "$1"
