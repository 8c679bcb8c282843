#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh [KERNEL]: the main job from end to end. Builds Debian's bzip2 with
# SFrame and without frame pointers, records it in the VM with Latewind and
# with perf -g, prints the hottest stacks and what came of both. Leaves
# perf.data, stacks.txt and summary.json in build/demo/.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:-6.12}
began=$(date +%s.%N)
demo=build/demo
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" "$(lane_suite "$lane")")
"$LW_VM_DIR/build.sh" "$lane" module tools

# The program: bzip2 and its library, from source, in one file.
flags='-O2 -fomit-frame-pointer -Wa,--gsframe -g'
mkdir -p "$demo"
key=$(hash_of 1 "$root" "$flags")
if [ ! -x "$demo/bzip2" ] || [ "$(cat "$demo/bzip2.key" 2>/dev/null)" != "$key" ]; then
	# shellcheck disable=SC2016 # expanded in the root
	"$LW_VM_DIR/enter.sh" "$root" sh -euc '
		cd /usr/src/latewind/bzip2
		gcc '"$flags"' -D_FILE_OFFSET_BITS=64 -o /tmp/bzip2 blocksort.c huffman.c \
			crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c
		readelf -S -W /tmp/bzip2 | grep -q "\.sframe" ||
			{ echo "the assembler wrote no .sframe" >&2; exit 1; }
		cp /tmp/bzip2 "/latewind/$1/bzip2"' sh "$demo"
	echo "$key" >"$demo/bzip2.key"
fi

rm -f "$demo"/{perf.data,stacks.txt,summary.json,latewind.txt,stats.json,perf-fp.txt}
VM_DIR=$LW_REPO/build/demo-vm VM_TIMEOUT=${VM_TIMEOUT:-300} \
	"$LW_VM_DIR/run.sh" "$lane" "$LW_VM_DIR/demo-guest.sh"
cp build/demo-vm/out/* "$demo/"
exec python3 "$LW_VM_DIR/demo-report.py" "$demo" "$began"
