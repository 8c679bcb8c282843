#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rate.sh [KERNEL]: two programs that compute, on two CPUs, recorded 9,999 times a second
# each, in a VM whose time goes by instructions: how many samples have a stack that was
# walked for them alone, and whether one is lost. Leaves build/bench/rate.json; fails if less
# than 90 % have one, or one is lost. RATE_SECONDS (3).
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
vm=$LW_REPO/build/bench-rate-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools
mkdir -p build/bench "$vm"
{
	echo '#!/bin/bash'
	echo "seconds=${RATE_SECONDS:-3}"
	cat <<-'END'
		cat >/tmp/busy.py <<-'PROGRAM'
			import sys, time

			def fib(n):
			    return n if n < 2 else fib(n - 1) + fib(n - 2)

			end = time.monotonic() + float(sys.argv[1])
			while time.monotonic() < end:
			    fib(12)
		PROGRAM
		exec latewind record -q -a -F 9999 -o /tmp/rate.data --stats "$OUT/stats" -- \
			sh -c 'for cpu in 0 1; do taskset -c $cpu python3 /tmp/busy.py "$0" & done; wait' "$seconds"
	END
} >"$vm/rate-guest.sh"
VM_DIR=$vm VM_ICOUNT=1 VM_CPUS=2 VM_TIMEOUT=${VM_TIMEOUT:-1200} "$LW_VM_DIR/run.sh" "$lane" \
	"$vm/rate-guest.sh"
exec python3 - "$vm/out/stats" build/bench/rate.json <<-'PROGRAM'
	import json, pathlib, sys
	stats = json.loads(pathlib.Path(sys.argv[1]).read_text())
	wanted = stats['samples'] - stats['in_kernel_only']
	lost = sum(stats[name] for name in ('lost_records', 'user_stacks_missing', 'user_stacks_refused',
	                                    'user_stacks_orphaned', 'samples_evicted'))
	own = 100 * stats['user_stacks'] / wanted
	values = (('samples of user stacks', wanted, 'samples'), ('with a walk of their own', own, '%'),
	          ('whole', 100 * stats['outermost'] / stats['user_stacks'], '%'), ('lost', lost, 'samples'))
	rows = [{'bench': 'rate', 'case': '9,999 Hz, ' + case, 'subject': 'latewind', 'value': value, 'unit': unit}
	        for case, value, unit in values]
	pathlib.Path(sys.argv[2]).write_text(json.dumps(rows, indent=1) + '\n')
	for case, value, unit in values:
	    print(f'{case:26}{value:10,.1f} {unit}')
	if own < 90 or lost:
	    sys.exit('missed: 90 % with a walk of their own, none lost')
PROGRAM
