#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo-read.sh: what the demo has recorded, in a VM of any architecture, is read on this
# machine, by latewind and by perf, as it was there. Prints TAP.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

demo=build/demo
root=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)
here=$demo/here
mkdir -p "$here"

# in_root OUT COMMAND...: what it says stays in OUT.err.
in_root() {
	local out=$1
	shift
	"$LW_VM_DIR/enter.sh" "$root" "$@" >"$out" 2>"$out.err"
}

# check NAME THERE HERE STATUS: both have the same, and that is much.
nth=0
check() {
	local status=$4
	nth=$((nth + 1))
	[ "$status" -eq 0 ] && [ "$(wc -l <"$2")" -gt 5000 ] && cmp -s "$2" "$3" || {
		status=1
		{
			cat "$3.err"
			diff "$2" "$3" | head -n 20
		} | sed 's/^/# /'
		printf 'not '
	}
	echo "ok $nth - $1"
}

# All of it, names too: a recording brings those of its programs along, and the kernel's.
status=0
in_root "$here/script.txt" build/userland/tools/latewind script -i "$demo/perf.data" \
	-F comm,pid,tid,time,event,ip,sym,symoff,dso || status=$?
echo 1..2
check 'latewind reads it as in the VM' "$demo/script.txt" "$here/script.txt" $status

# Addresses, as names are of files that perf finds or not.
addresses() { sed -E 's/^(\s+[0-9a-f]+) .*/\1/' "$1"; }
status=0
in_root "$here/stacks.txt" perf script --no-inline -F comm,pid,tid,time,event,ip,sym,symoff,dso \
	-i "$demo/perf.data" --kallsyms=/dev/null || status=$?
addresses "$demo/stacks.txt" >"$here/there"
mv "$here/stacks.txt.err" "$here/addresses.err"
addresses "$here/stacks.txt" >"$here/addresses"
check 'perf reads it as in the VM' "$here/there" "$here/addresses" $status
