#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tables.sh: how long the tables of 300 shared objects take when a recording
# starts, on this machine: of small ones that differ in nothing but their build ID, and
# of 300 of the machine's own. Prints a table, leaves build/bench/tables.json. Fails if a
# goal is missed.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

rounds=5
dir=$LW_REPO/build/bench/tables
tools=$LW_REPO/build/tools/tools
flags=(-std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra)
cd "$LW_REPO"
rm -rf "$dir"
mkdir -p "$dir"

make -s tools >"$dir/build.log" 2>&1 || { cat "$dir/build.log" >&2; die 'the tool does not build'; }
cc "${flags[@]}" -Iuapi -Itools -o "$dir/tables_bench" selftests/bench/tables_bench.c \
	"$tools/floors.a" -ldw -lelf -lZydis -lpthread
cc "${flags[@]}" -fomit-frame-pointer -fPIC -shared \
	-Wl,--build-id=0x4c61746577696e64206672657368206c69627279 \
	-o "$dir/libfresh.so" selftests/programs/fresh_lib.c
cc -O2 -o "$dir/fresh_target" selftests/programs/fresh_target.c -ldl
"$dir/fresh_target" copies "$dir/libfresh.so" "$dir/small" 300
find "$dir" -name 'small.*.so' >"$dir/small"
# The larger ones of what is there: a library of a few KiB is no work.
find -L /usr/lib/x86_64-linux-gnu -maxdepth 1 -type f -name '*.so.*' -printf '%s %i %p\n' |
	sort -rn | awk '!seen[$2]++ && n++ < 300 { print $3 }' >"$dir/own"

# median FILE COLUMN
median() {
	sort -n -k "$2,$2" "$1" |
		awk -v column="$2" '{ all[NR] = $column } END { print all[int((NR + 1) / 2)] }'
}

row() { # CASE MILLISECONDS
	rows+=("  {\"bench\": \"tables\", \"case\": \"$1\", \"subject\": \"latewind\", \"value\": $2, \"unit\": \"ms\"}")
}

measure() { # CASE GOAL
	local round files bytes wall cpu
	for ((round = 0; round < rounds; round++)); do
		"$dir/tables_bench" <"$dir/$1" >>"$dir/$1.rounds"
	done
	wall=$(median "$dir/$1.rounds" 1) cpu=$(median "$dir/$1.rounds" 2)
	read -r _ _ files bytes < <(tail -n 1 "$dir/$1.rounds")
	printf '%-12s %7s ms of %4s, %6s of CPU time   %4s files, %9s bytes\n' \
		"$1" "$wall" "$2" "$cpu" "$files" "$bytes"
	row "$1" "$wall"
	row "$1-cpu" "$cpu"
	awk "BEGIN { exit !($wall <= $2) }" || missed="$missed $1"
}

rows=() missed=''
measure small 2000
measure own 2000
(IFS=,; printf '[%s\n]\n' "${rows[*]/#/$'\n'}") >build/bench/tables.json
rm -rf "$dir"/small.*.so
[ -z "$missed" ] || die "missed:$missed"
