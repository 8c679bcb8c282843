#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uprobe_oracle_test.sh: a probe on hit() of programs/deterministic.c, recorded in the
# same run by Latewind and by perf with DWARF unwinding: the same stacks, each as often.
# Down to main(); what is above it is libc's.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

program=$PWD/deterministic
events=/sys/kernel/tracing/uprobe_events

cleanup() {
	echo '-:lw_oracle/hit' >>"$events" 2>/dev/null
	checks_free
}
trap cleanup EXIT

# Symbols of the program's text, by address: 16 hex digits, name.
symbols() {
	nm "$program" | awk '$2 ~ /^[tT]$/ { print $1, $3 }' | sort
}

# hit()'s offset in the file: address - p_vaddr + p_offset.
offset() {
	local address vaddr off size
	address=0x$(symbols | awk '$2 == "hit" { print $1 }')
	readelf -lW "$program" | awk '$1 == "LOAD" && / R E / { print $2, $3, $5 }' |
	while read -r off vaddr size; do
		if ((address >= vaddr && address < vaddr + size)); then
			printf '0x%x\n' $((address - vaddr + off))
		fi
	done
}

# Lines of addresses to lines of name@address, each cut behind main, sorted.
names() {
	symbols >"$tmp/symbols"
	awk '
	function name(at,   lo, hi, mid) {
		lo = 0
		hi = n + 1
		while (hi - lo > 1) {
			mid = int((lo + hi) / 2)
			if (start[mid] "" <= at "")
				lo = mid
			else
				hi = mid
		}
		return lo ? symbol[lo] : "?"
	}
	FNR == NR { start[++n] = $1; symbol[n] = $2; next }
	{
		line = ""
		for (i = 1; i <= NF; i++) {
			at = $i
			while (length(at) < 16)
				at = "0" at
			line = line name(at) "@" $i " "
			if (name(at) == "main")
				break
		}
		print line
	}' "$tmp/symbols" - | sort
}

# perf script prints a frame a line, an empty one behind each stack.
perf_lines() {
	awk 'NF == 0 { if (line != "") print line; line = ""; next }
	     $1 ~ /^[0-9a-f]+$/ && length($1) <= 12 { line = line $1 " " }
	     END { if (line != "") print line }'
}

# No two hits that follow each other have the same stack: where one has, the probed
# instruction had to begin anew. On TCG that was seen, one in 20,000, at a tick.
once_each() { # FILE
	uniq "$1" | names >"$1.names"
	local again=$(($(wc -l <"$1") - $(wc -l <"$1.names")))
	[ "$again" -le 2 ] || { echo "${1##*/}: $again hits were told twice"; return 1; }
	echo "# $hits hits, $(wc -l <"$1") stacks of ${1##*/}," \
		"$(sort -u "$1.names" | wc -l) different" >&3
}

both_record() {
	echo "p:lw_oracle/hit $program:$(offset)" >>"$events" || return
	# shellcheck disable=SC2086 # none, or one
	perf record -q -N -B -e lw_oracle:hit --call-graph dwarf,65528 $user_registers -m 4096 \
		-o "$tmp/perf.data" -- ./uprobe_stacks "$program" "$(offset)" "$program" >"$tmp/ours" 2>"$err" ||
		{ cat "$err"; return 1; }
	hits=$(tail -n 1 "$err")
	perf script -i "$tmp/perf.data" --no-inline --max-stack 1024 -F ip,sym \
		"$user_names" 2>/dev/null |
		perf_lines >"$tmp/theirs"
	once_each "$tmp/ours" && once_each "$tmp/theirs"
}

every_hit_has_a_stack() {
	[ "${hits:-0}" -gt 0 ] && equal stacks "$(wc -l <"$tmp/ours.names")" "$hits"
}

every_stack_reaches_main() {
	awk '$NF !~ /^main@/ { print; bad++ } END { exit bad + (NR == 0) }' "$tmp/ours.names"
}

needs perf nm readelf
perf version --build-options 2>/dev/null | grep -qE '(dwarf|libdw|libunwind).*\[ *on' ||
	skip_all 'perf without DWARF unwinding'
needs_perf_as_judge

exec 3>&1
ok 'both record the probe' both_record
ok 'every hit has a stack' every_hit_has_a_stack
ok 'every stack reaches main' every_stack_reaches_main
ok 'latewind and perf saw the same stacks' same "$tmp/theirs.names" "$tmp/ours.names"
checks_done
