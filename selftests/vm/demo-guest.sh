#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the demo: record the same work twice in one boot, with
# Latewind and with perf's frame pointers, and leave what both saw in $OUT. The
# program is Debian's python3 as it is.
set -euo pipefail

cd /tmp
# -X perf: Python says how its own functions are called.
work=(/usr/bin/python3 -X perf "$LATEWIND_ROOT/selftests/vm/demo-work.py")

fields=comm,pid,tid,time,event,ip,sym,symoff,dso

# script IN OUT: perf script, which must have nothing to complain about. On arm64 perf unwinds
# once to find the caller of a function without a frame, and its library says what it lacks.
script() {
	local status=0
	perf script --no-inline -F "$fields" -i "$1" \
		>"$2" 2>/tmp/said || status=$?
	if [ "$(uname -m)" = aarch64 ]; then
		sed -i '/^unwind: get_proc_name unsupported$/d' /tmp/said
	fi
	if [ $status -ne 0 ] || [ -s /tmp/said ]; then
		echo "perf script on $1: exit status $status" >&2
		cat /tmp/said >&2
		return 1
	fi
}

# Once before, so that no run pays for reading the files.
"${work[@]}" >/dev/null
latewind record -q -F 997 --depth 512 -o "$OUT/perf.data" --text "$OUT/latewind.txt" \
	--stats "$OUT/stats.json" -- "${work[@]}" >/dev/null
# Here, where the files are that have the names.
latewind report -i "$OUT/perf.data" --stdio >"$OUT/report.txt"
latewind flame -i "$OUT/perf.data" -o "$OUT/flame.html" >/dev/null
script "$OUT/perf.data" "$OUT/stacks.txt"
latewind script -i "$OUT/perf.data" -F "$fields" >"$OUT/script.txt"

# What perf needs to name things elsewhere, as perf record keeps it, but of what is in ours.
mkdir -p "$OUT/debug"
perf buildid-list -i "$OUT/perf.data" | while read -r _ file; do
	[ ! -f "$file" ] || perf --buildid-dir "$OUT/debug" buildid-cache --add "$file"
done
cp /proc/kallsyms "$OUT/kallsyms"
uname -m >"$OUT/machine"

perf record -q -B -N -g -F 997 -e cpu-clock -o perf-fp.data -- "${work[@]}" >/dev/null
script perf-fp.data "$OUT/perf-fp.txt"
