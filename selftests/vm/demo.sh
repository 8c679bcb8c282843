#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh [KERNEL]: the main job from end to end. Records Debian's python3, as it
# is, in the VM with Latewind and with perf -g, prints the hottest stacks and what
# came of both. Leaves perf.data, flame.html and summary.json in build/demo/.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:-6.12}
began=$(date +%s.%N)
demo=build/demo
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools

rm -rf "$demo"
mkdir -p "$demo"
VM_DIR=$LW_REPO/build/demo-vm VM_TIMEOUT=${VM_TIMEOUT:-300} \
	"$LW_VM_DIR/run.sh" "$lane" "$LW_VM_DIR/demo-guest.sh"
cp -R build/demo-vm/out/* "$demo/"
exec python3 "$LW_VM_DIR/demo-report.py" "$demo" "$began"
