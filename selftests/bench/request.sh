#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# request.sh [KERNEL]: count the instructions of a request, in a VM whose time
# goes by instructions. Prints a table, leaves build/bench/request.json.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
vm=$LW_REPO/build/bench-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module selftests
mkdir -p build/bench "$vm"
cat >"$vm/request-guest.sh" <<-'EOF2'
	#!/bin/sh
	exec "$LW_BUILD/selftests/request_bench" instructions >"$OUT/request.json"
EOF2
VM_DIR=$vm VM_ICOUNT=1 "$LW_VM_DIR/run.sh" "$lane" "$vm/request-guest.sh"
cp "$vm/out/request.json" build/bench/
python3 - build/bench/request.json <<-'EOF2'
	import json, sys
	for row in json.load(open(sys.argv[1], encoding='utf-8')):
	    print(f"{row['case']:40} {row['value']:6} {row['unit']}")
EOF2
