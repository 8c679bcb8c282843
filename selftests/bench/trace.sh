#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# trace.sh [KERNEL]: how much slower a build is while its system calls are traced,
# by latewind trace and by strace -f, in a VM. Prints a table, leaves
# build/bench/trace.json; fails unless our slowdown is less than a tenth of
# strace's. TRACE_ROUNDS (5), TRACE_FILES (20).
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

# Where probes of system calls may wait for pages.
lane=${1:-7}
vm=$LW_REPO/build/bench-trace-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools
mkdir -p build/bench "$vm"
{
	echo '#!/bin/bash'
	echo "export TRACE_ROUNDS=${TRACE_ROUNDS:-5} TRACE_FILES=${TRACE_FILES:-20}"
	# shellcheck disable=SC2016 # expanded in the guest
	echo 'exec "$LATEWIND_ROOT/selftests/bench/trace-guest.sh"'
} >"$vm/trace-guest.sh"
VM_DIR=$vm VM_TIMEOUT=${VM_TIMEOUT:-1200} "$LW_VM_DIR/run.sh" "$lane" "$vm/trace-guest.sh"
exec python3 selftests/bench/trace.py "$vm/out/rounds" build/bench/trace.json
