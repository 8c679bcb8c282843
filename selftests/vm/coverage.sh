#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# coverage.sh: how many lines of the module its tests run, by file, and which they do not, in
# build/coverage/: gcov of a kernel that is built for that.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=coverage
out=$LW_REPO/build/coverage
"$LW_VM_DIR/build.sh" $lane
VM_DIR=$out/vm VM_TIMEOUT=7200 "$LW_VM_DIR/run.sh" $lane "$LW_VM_DIR/coverage-guest.sh"
release=$(root_kernel "$(lane_kernel_root $lane)")
objects=build/module/$release/module
rm -rf "$out"/{gcda,lines}
mkdir -p "$out"/{gcda,lines}
tar -x -f "$out/vm/out/gcda.tar" -C "$out/gcda"
cp -r "$out/gcda$LW_GUEST_REPO/$objects/." "$LW_REPO/$objects/"
# By the compiler's own gcov, where it sees the sources as it did then.
root=$("$LW_VM_DIR/mkroot.sh" "$(lane_kernel_suite $lane)")
"$LW_VM_DIR/enter.sh" "$root" sh -euc "
	cd build/coverage/lines
	gcov -r -s $LW_GUEST_REPO/build/module/$release \
		\$(find $LW_GUEST_REPO/$objects -name '*.gcda') >../gcov.log"
"$LW_VM_DIR/coverage.py" "$out/lines"
