#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flame.sh FLAME_PAGES TEMPLATE DIRECTORY: have FLAME_PAGES, a program of tools/tests, write
# pages of 'latewind flame', made of TEMPLATE, to DIRECTORY (below the repository), and use
# them in a browser, in a root that has one. Prints TAP; pictures are left in DIRECTORY.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
cd "$LW_REPO"
pages=${3:?usage: flame.sh FLAME_PAGES TEMPLATE DIRECTORY}

rm -rf "$pages"
mkdir -p "$pages"
"$1" "$2" "$pages"
browser=$("$LW_VM_DIR/mkroot.sh" trixie-browser)
exec "$LW_VM_DIR/enter.sh" "$browser" python3 selftests/flame/flame_test.py "$pages"
