#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# script.sh [KERNEL]: the CPU time and memory that latewind script takes for a recording of
# programs that come and go on all CPUs, beside perf script's, in a VM. Prints a table, leaves
# build/bench/script.json; fails if we take more than half of perf's time.
# SCRIPT_SAMPLES (100000), SCRIPT_ROUNDS (5).
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
samples=${SCRIPT_SAMPLES:-100000}
vm=$LW_REPO/build/bench-script-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools
mkdir -p build/bench "$vm"
{
	echo '#!/bin/sh'
	echo "set -- $samples ${SCRIPT_ROUNDS:-5}"
	# shellcheck disable=SC2016 # expanded in the guest
	echo 'exec python3 "$LATEWIND_ROOT/selftests/bench/script.py" "$@" "$OUT/script.json"'
} >"$vm/script-guest.sh"
VM_DIR=$vm VM_MEMORY=4G VM_TIMEOUT=${VM_TIMEOUT:-$((1200 + samples / 100))} \
	"$LW_VM_DIR/run.sh" "$lane" "$vm/script-guest.sh"
cp "$vm/out/script.json" build/bench/
exec python3 - build/bench/script.json <<-'EOF'
	import json, sys
	rows = json.load(open(sys.argv[1], encoding='utf-8'))
	values = {(row['case'], row['unit'], row['subject']): row['value'] for row in rows}
	missed = False
	print(f'{"":16} {"":3} {"latewind":>9} {"perf":>9}')
	for case, unit in dict.fromkeys((row['case'], row['unit']) for row in rows):
	    ours, perfs = (values[case, unit, subject] for subject in ('latewind', 'perf'))
	    print(f'{case:16} {unit:3} {ours:9.2f} {perfs:9.2f} {ours / perfs:6.2f}')
	    missed |= unit == 's' and ours > perfs / 2
	if missed:
	    sys.exit('missed: more than half the time of perf')
EOF
