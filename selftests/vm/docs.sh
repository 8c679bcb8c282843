#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# docs.sh: build the documentation into build/docs/, in a root that has Sphinx.
# docs.sh check: TAP: it builds anew without a warning, every page is reached, every manual
# page converts, the references have all that the headers declare, and what the pages name is
# there. Leaves its work in build/docs-check/.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND-docs)
if [ "${1:-}" != check ]; then
	exec "$LW_VM_DIR/enter.sh" "$root" make --no-print-directory -s docs-here
fi

mkdir -p build/docs-check
"$LW_VM_DIR/enter.sh" "$root" python3 -B selftests/vm/docs.py build/docs-check
