#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flame.sh FLAME_PAGES DIRECTORY: have FLAME_PAGES, a program of tools/tests, write pages
# of 'latewind flame' to DIRECTORY (below the repository), and use them in a browser, in
# a root that has one. Prints TAP; pictures are left in DIRECTORY.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
cd "$LW_REPO"
pages=${2:?usage: flame.sh FLAME_PAGES DIRECTORY}

rm -rf "$pages"
mkdir -p "$pages"
status=0
"$1" "$pages" >"$pages/log" 2>&1 || status=$?
if [ $status -ne 0 ]; then
	sed 's/^/# /' "$pages/log"
	[ $status -ne 4 ] || echo "1..0 # SKIP no d3-flame-graph"
	exit $status
fi
browser=$("$LW_VM_DIR/mkroot.sh" trixie-browser)
exec "$LW_VM_DIR/enter.sh" "$browser" python3 selftests/flame/flame_test.py "$pages"
