#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh: build and run the benchmark of table look-ups in the trixie-lab
# root. Prints a table, leaves build/bench/sframe.json.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

out=$LW_GUEST_REPO/build/bench
counts=build/bench/callgrind
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
in_root() { "$LW_VM_DIR/enter.sh" "$root" "$@"; }

note "building the bench"
mkdir -p build/bench
in_root make -s -j "$(nproc)" -C selftests/bench "O=$out" >build/bench/build.log 2>&1 ||
	{ cat build/bench/build.log >&2; die "the bench does not build"; }

note "measuring times"
in_root "$out/bench" >build/bench/times.txt

note "counting instructions"
rm -rf "$counts"
mkdir -p "$counts"
in_root valgrind --tool=callgrind --collect-atstart=no --dump-line=yes \
	--callgrind-out-file="$out/callgrind/out" --log-file="$out/callgrind/log" \
	"$out/bench" --count >/dev/null || { cat "$counts/log" >&2; die "callgrind failed"; }

in_root selftests/bench/report.py "$out"
