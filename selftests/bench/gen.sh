#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# gen.sh: what it costs to make tables of Debian's programs and libraries, beside
# elfutils: the 52 files of the trixie-lab root with the most .eh_frame, and the C
# library. Prints a table, leaves build/bench/gen.json.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

files=${LW_BENCH_FILES:-52}
out=$LW_GUEST_REPO/build/bench/gen
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
in_root() { "$LW_VM_DIR/enter.sh" "$root" "$@"; }

note "building the bench"
mkdir -p build/bench/gen
in_root make -s -j "$(nproc)" -C selftests/bench "O=$out" gen >build/bench/gen.log 2>&1 ||
	{ cat build/bench/gen.log >&2; die "the bench does not build"; }

note "measuring"
# Links and second names of one file count once.
in_root bash -euo pipefail -c '
	cd /
	find usr/bin usr/lib/x86_64-linux-gnu usr/libexec/gcc -type f -size +100k ! -name "*.[ao]" |
		sort | while read -r file; do
			size=$(readelf -SW "$file" 2>/dev/null |
				sed -n "s/.* \.eh_frame  *[A-Z0-9_]*  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1/p") || continue
			id=$(stat -c %i "$file")
			[ -z "$size" ] || echo "$((16#$size)) $id /$file"
		done | sort -rn | awk -v most="$2" "!seen[\$2]++ && n++ < most { print \$3 }" >"$1/files"
	grep -q /libc.so.6 "$1/files" || echo /usr/lib/x86_64-linux-gnu/libc.so.6 >>"$1/files"
	mapfile -t list <"$1/files"
	"$1/gen_bench" "${list[@]}" >"$1.json"
' bash "$out" "$files"
