#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stale-code.sh FILE: whether a kernel log tells that QEMU ran code which is not in memory
# any more; prints the lines that say so. The first oops is then a breakpoint, and the
# byte in front of where it was hit, which the kernel prints from memory, is none.
#
# The kernel patches its code with the other CPU running: it writes a breakpoint (int3,
# 0xcc) over the first byte, and at last the new byte over that. For a store to code, QEMU
# (accel/tcg/cputlb.c, notdirty_write(), 10.0 to 11.1) throws away what it has translated,
# lets go of the page's lock, and only then stores. If the host takes the CPU away between,
# the other virtual CPU translates the breakpoint again, and keeps it.
LC_ALL=C exec awk '
/latewind-vm: run starts/ { oops = code = before = ""; int3 = 0 }
/: [0-9a-f]+ \[#1\]/ && !oops { oops = $0; int3 = / int3: / }
# That of the kernel stands below its RIP; those of programs do not count.
/ Code: / && oops && !code && last ~ / RIP: 0010:/ {
	code = $0
	for (i = 2; i <= NF; i++)
		if ($i ~ /^<[0-9a-f][0-9a-f]>$/)
			before = $(i - 2) " " $(i - 1)
}
{ last = $0 }
END {
	# The breakpoint of one byte, and that of two.
	if (!int3 || before !~ /^[0-9a-f][0-9a-f] [0-9a-f][0-9a-f]$/ || before ~ / cc$|^cd 03$/)
		exit 1
	print oops
	print code
}' "$1"
