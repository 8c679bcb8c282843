#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pictures.sh [KERNEL]: make the pictures in Documentation/pictures anew: what they show is
# recorded in the VM, pages are shown by Chromium. Look at each before you commit it.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:-6.12}
from=build/pictures/out
to=Documentation/pictures
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane"
VM_DIR=$LW_REPO/build/pictures VM_TIMEOUT=${VM_TIMEOUT:-900} \
	"$LW_VM_DIR/run.sh" "$lane" "$LW_VM_DIR/pictures-guest.sh"
mkdir -p $to
for name in report top; do
	"$LW_VM_DIR/pictures.py" terminal $from/$name.ansi $to/$name.svg
done
"$LW_VM_DIR/pictures.py" beside $from $to/beside-perf.svg
browser=$("$LW_VM_DIR/mkroot.sh" trixie-browser)
shot() { # PAGE PICTURE HEIGHT
	"$LW_VM_DIR/enter.sh" "$browser" chromium --headless --no-sandbox --disable-gpu \
		--hide-scrollbars --window-size=1000,"$3" --virtual-time-budget=5000 \
		--screenshot="$LW_GUEST_REPO/$2" "file://$LW_GUEST_REPO/$1" 2>build/pictures/chromium.log ||
		{ cat build/pictures/chromium.log >&2; return 1; }
}
shot $from/words.html $to/flame.png 680
for file in "$to"/*.{png,svg}; do
	[ "$(stat -c %s "$file")" -lt 150000 ] || die "$file is larger than 150 kB"
done
ls -l $to
