# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# probes.sh: the stacks of programs where they hit a probe, by Latewind and by perf, which has
# a copy of 65528 bytes of the stack and is the judge. Both record the same run. For scripts
# that have sourced checks.sh; who does that calls probes_init, and probes_free in the end.
#
# Sets $libc, a copy of the C library that only the programs map; leaves $probes_json, an object
# for each program, which probes_end closes.

# What the caller may set: the ways in which perf records (full, eight: 8 KiB of the stack, fp:
# frame pointers); of how many hits, the first ones, perf is asked (0: of all); how often a
# program runs before at most; options of perf record; what the program reads, and words of a
# command that starts it.
: "${events_wanted:=full}" "${most:=0}" "${most_runs:=10}" "${perf_options:=}"
: "${input:=/dev/null}" "${prefix:=}"
events=/sys/kernel/tracing/uprobe_events
chains=$(realpath "${BASH_SOURCE[0]%/*}/chains.py")
# Exact stacks, in 1000: see issue 6.
MIN_OURS=998

probes_init() { # FILE
	probes_json=$1
	wrote=0
	echo '{' >"$probes_json"
	exec 3>&1
	# Or perf cuts what is deeper than some 120 frames.
	depth=$(cat /proc/sys/kernel/perf_event_max_stack)
	echo 1024 >/proc/sys/kernel/perf_event_max_stack
	mkdir "$tmp/lib"
	libc=$tmp/lib/libc.so.6
	cp "$(library /usr/bin/bash libc.so.6)" "$libc"
}

probes_free() {
	events_free
	[ -z "${depth:-}" ] || echo "$depth" >/proc/sys/kernel/perf_event_max_stack
}

probes_end() {
	echo '}' >>"$probes_json"
}

events_free() {
	local event
	for event in $events_wanted; do
		echo "-:lw_debian/$event" >>"$events" 2>/dev/null
	done
}

# offset FILE SYMBOL: of a function in the file.
offset() {
	local address off vaddr size
	address=0x$( { nm "$1"; nm -D --defined-only "$1"; } 2>/dev/null |
		awk -v name="$2" '{ sub("@.*", "", $3) } $2 ~ /^[tTwWi]$/ && $3 == name { print $1; exit }')
	[ "$address" != 0x ] || { echo "$1 has no $2" >&2; return 1; }
	readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $2, $3, $5 }' |
	while read -r off vaddr size; do
		if ((address >= vaddr && address < vaddr + size)); then
			printf '0x%x\n' $((address - vaddr + off))
		fi
	done
}

# library PROGRAM NAME: the file that it maps for a library.
library() {
	realpath "$(ldd "$1" | awk -v name="$2" 'index($1, name) == 1 { print $3 }')"
}

# record FILE SYMBOL COMMAND...: by both; what the command prints is kept. It runs before
# until nothing of it is new: files that were never seen get a table soon, and here all
# stacks are to be whole. So it is when no stack of a run, as far as they are written, was
# without its outermost frame. perf sees the last run only: with libdw it unwinds the first
# process that maps a file, and no other one.
# shellcheck disable=SC2016 # for the inner shell
runs='
directory=$0 events=$1 most_runs=$2 options=$3 input=$4 prefix=$5
shift 5
export LD_LIBRARY_PATH="$directory/lib"
heads() { grep -c ": end=" "$directory/ours"; }
run=0
while [ "$run" -lt "$most_runs" ]; do
	run=$((run + 1))
	before=$(heads)
	$prefix "$@" <"$input" >/dev/null
	until [ "$(heads)" -gt "$before" ]; do sleep 0.05; done
	[ "$(grep ": end=" "$directory/ours" | tail -n "+$((before + 1))" |
		grep -cv ": end=outermost")" = 0 ] && [ "$run" -gt 1 ] && break
done
unset LD_LIBRARY_PATH
for event in $events; do
	case $event in
	full) how=dwarf,stack-size=65528 ;;
	eight) how=dwarf,stack-size=8192 ;;
	fp) how=fp ;;
	esac
	all="$all -e lw_debian:$event/call-graph=$how/"
done
# On one CPU, as pin.h of the programs says; in front of env, as libc may have the probe.
exec perf record -q -N -B -k CLOCK_MONOTONIC -m 65536 $options -o "$directory/perf.data" $all -- \
	taskset -c 0 $prefix env LD_LIBRARY_PATH="$directory/lib" "$@" \
	<"$input" >"$directory/printed"
'

# perf_says MOST: of the first hits, as it takes its time for each, or of all with 0.
perf_says() {
	local status
	perf script -i "$tmp/perf.data" --no-inline --max-stack 1024 \
		-F tid,time,event,ip,sym "$user_names" 2>"$tmp/complaints" |
		awk -v most="$1" -v RS= -v ORS='\n\n' \
		'{ print } most && NR == most { exit }' >"$tmp/perf"
	status=${PIPESTATUS[0]}
	[[ $status == 0 || ($1 -gt 0 && $status == 141) ]] ||
		{ cat "$tmp/complaints"; return 1; }
	! grep -i lost "$tmp/complaints"
}

record() {
	local file=$1 symbol=$2 at event
	shift 2
	at=$(offset "$file" "$symbol") || return
	events_free
	for event in $events_wanted; do
		echo "p:lw_debian/$event $file:$at" >>"$events" || return
	done
	timeout "$((5 * patience))" latewind record -e "$file:$at" --no-kernel --depth 1024 \
		-o "$tmp/ours.data" --text "$tmp/ours" --stats "$tmp/stats" -- \
		sh -c "$runs" "$tmp" "$events_wanted" "$most_runs" "$perf_options $user_registers" \
		"$input" "$prefix" "$@" \
		>/dev/null 2>"$err" </dev/null || { cat "$err"; return 1; }
	perf_says "$most"
}

# compare NAME MIN_HITS [EXPECTED]: where perf stops early in too many of the first hits to
# be a judge, it is asked of all.
compare() {
	local status=0
	judge "$most" "$@" || status=$?
	[[ $status == 3 && $most -gt 0 ]] || return "$status"
	perf_says 0 && judge 0 "$@"
}

# judge MOST NAME MIN_HITS [EXPECTED]: status 3 if perf judges too few, and all else is well.
judge() {
	local first=$1 name=$2 least=$3
	shift 3
	LW_FIRST_HITS=$first python3 "$chains" "$tmp/ours" "$tmp/perf" "$name" "$@" \
		>"$tmp/result" 2>"$tmp/notes" || { cat "$tmp/notes"; return 1; }
	{ cat "$tmp/result"; sed "s/^/# /" "$tmp/notes"; } | sed "1s/^/# $name: /" >&3
	[ "$wrote" = 0 ] || echo , >>"$probes_json"
	printf '"%s": %s' "$name" "$(cat "$tmp/result")" >>"$probes_json"
	wrote=1
	python3 -c '
import json, sys
got, least, per_mille = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
# What is known is a better judge than perf.
judge = "known_ours" if "known_ours" in got else "ours"
for part in "paired", "outermost":
    assert got[part] * 1000 >= got["hits"] * per_mille, (part, got)
judged = got["hits"] - (got["beyond"] if judge == "ours" else 0)
assert got[judge] * 1000 >= judged * per_mille, got
assert got["hits"] >= least, got
if judged * 20 < got["hits"] * 19:
    print("perf judges too few:", got)
    sys.exit(3)
' "$tmp/result" "$least" "$MIN_OURS"
}

