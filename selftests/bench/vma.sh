#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# vma.sh [KERNEL]: what is mapped at 1,000 addresses of a process with 5,000 mappings, by
# LW_IOC_VMA_QUERY, by PROCMAP_QUERY and from /proc/PID/maps, in a VM. Prints a table,
# leaves build/bench/vma.json; fails if we are not 20 times faster than parsing maps.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

# One without PROCMAP_QUERY, which this is for.
lane=${1:-6.1}
vm=$LW_REPO/build/bench-vma-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module selftests
mkdir -p build/bench "$vm"
cat >"$vm/vma-guest.sh" <<-'EOF'
	#!/bin/sh
	exec "$LW_BUILD/selftests/vma_bench" >"$OUT/vma.json"
EOF
VM_DIR=$vm "$LW_VM_DIR/run.sh" "$lane" "$vm/vma-guest.sh"
cp "$vm/out/vma.json" build/bench/
exec python3 - build/bench/vma.json <<-'EOF'
	import json, sys
	rows = json.load(open(sys.argv[1], encoding='utf-8'))
	values = {(row['subject'], row['case'].rpartition(', ')[2]): row['value'] for row in rows}
	ours = values['latewind', 'with names']
	for (subject, names), value in values.items():
	    print(f'{subject:15} {names:14} {value:9} us {value / ours:9.2f}')
	if values['maps-each-time', 'with names'] < 20 * ours:
	    sys.exit('missed: less than 20 times faster than parsing maps')
EOF
