#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# off_cpu_test.sh: latewind record --off-cpu against what a program knows of itself: for
# how long it was blocked in which function, while it was sent from CPU to CPU. Needs the
# tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target=$PWD/off_cpu_target
switches=/sys/kernel/tracing/events/sched/sched_switch
target_pid=''

cleanup() {
	[ -z "$target_pid" ] || kill "$target_pid"
	[ ! -e "$tmp/traced" ] || echo 0 >"$switches/enable"
	checks_free
}
trap cleanup EXIT

stat_of() { # FILE NAME
	sed -n "s/^\"$2\":\([0-9.]*\)[,}]$/\1/p" "$1"
}

# blocked TEXT FUNCTION: nanoseconds of the stacks that have it.
blocked() {
	awk -v name="$2" '
	/^[^\t]/ { ns = 0; if (match($0, /blocked=[0-9]+$/)) ns = substr($0, RSTART + 8) }
	/^\t/ { sub(/\+0x[0-9a-f]+$/, "", $2); if ($2 == name) { sum += ns; ns = 0 } }
	END { printf "%d\n", sum }' "$1"
}

# perf_blocked SCRIPT FUNCTION: the same of perf script -F period,ip,sym.
perf_blocked() {
	awk -v name="$2" '
	NF == 1 && /^ *[0-9]+ *$/ { ns = $1; next }
	$2 == name { sum += ns; ns = 0 }
	END { printf "%d\n", sum }' "$1"
}

is_within() { # NAME NS LEAST MOST
	(($2 >= $3 && $2 <= $4)) ||
		{ echo "$1: blocked for $2 ns, not for $3 to $4"; return 1; }
}

record() { # OUT [OPTION]...
	local out=$tmp/$1
	shift
	exits 0 latewind record -e sched:sched_switch --off-cpu -o "$out.data" \
		--text "$out.txt" --stats "$out.json" "$@" -- "$target" || return
	mv "$tmp/out" "$out.said"
	has "$out.said" '^sleep_short ' '^spin '
}

times_are_right() { # OUT
	local out=$tmp/$1 name least most moved ret=0
	while read -r name least most moved; do
		is_within "$name" "$(blocked "$out.txt" "$name")" "$least" "$most" || ret=1
	done <"$out.said"
	return "$ret"
}

# The bounds would be met by anything if it had hardly been seen blocked: at times the
# other thread is late, but never with the byte, which it writes 20 ms after.
bounds_are_bounds() { # OUT
	local name least most moved
	sed 's/^/# /' "$tmp/$1.said" >&3
	while read -r name least most moved; do
		[ "$name" = spin ] || [ "$moved" -ge 3 ] || { echo "$name: moved $moved times"; return 1; }
		[ "$name" != wait_byte ] || [ "$least" -ge 80000000 ] || { echo "$name: $least"; return 1; }
	done <"$tmp/$1.said"
}

# Else it is no test that this is not counted.
some_were_preempted() { # OUT
	[ "$(stat_of "$tmp/$1.json" off_cpu_preempted)" -ge 10 ] || { cat "$tmp/$1.json"; return 1; }
}

none_is_lost() { # OUT
	local json=$tmp/$1.json
	equal lost "$(stat_of "$json" off_cpu_lost)" 0 &&
		equal samples "$(stat_of "$json" samples)" "$(stat_of "$json" off_cpu_blocked)"
}

perf_says_the_same() { # OUT
	local out=$tmp/$1 name rest
	perf script -i "$out.data" -F period,ip,sym --no-inline >"$out.script" 2>"$err" ||
		{ cat "$err"; return 1; }
	while read -r name rest; do
		equal "$name" "$(perf_blocked "$out.script" "$name")" "$(blocked "$out.txt" "$name")" ||
			return
	done <"$out.said"
	perf evlist -i "$out.data" >"$out.events" 2>"$err" && has "$out.events" '^off-cpu$'
}

innermost() { # OUT
	perf script -i "$tmp/$1.data" -F ip,sym --no-inline 2>"$err" |
		awk 'NF && !inside { print $2 } { inside = NF }' | sort -u
}

# The kernel calls one tracer, and where there are two of them a function that calls both.
stack_begins_where_it_did() {
	[ -e "$switches" ] || mount -t tracefs tracefs /sys/kernel/tracing || return
	[ "$(cat "$switches/enable")" = 0 ] || { echo 'somebody traces switches'; return 1; }
	: >"$tmp/traced"
	echo 1 >"$switches/enable" && record traced || return
	echo 0 >"$switches/enable" && rm "$tmp/traced" || return
	equal 'innermost function' "$(innermost traced)" "$(innermost command)" || return
	# on s390x a global name is at the same address
	[ "$(uname -m)" = s390x ] && [ "$(innermost command)" = __sched_text_start ] ||
		equal 'of both' "$(innermost command)" __schedule
}

check_times() { # HOW OUT
	ok "$1: each function was blocked for as long as it says" times_are_right "$2"
	ok "$1: it came back on other CPUs" bounds_are_bounds "$2"
	ok "$1: some were preempted" some_were_preempted "$2"
	ok "$1: none is lost" none_is_lost "$2"
}

# In pause(), or in ppoll(), by which libc makes it where the kernel has no such call.
is_blocked() {
	local nr
	read -r nr _ <"/proc/$(cat "$tmp/pid")/syscall" && case $(uname -m) in
	x86_64) [ "$nr" = 34 ] ;;
	s390x) [ "$nr" = 29 ] ;;
	*) [ "$nr" = 73 ] ;;
	esac
}

# After its first sleep: from when it is seen in pause() until something else happens.
blocked_meanwhile() {
	"$target" forever >"$tmp/first" &
	echo $! >"$tmp/pid"
	waits test -s "$tmp/first" && waits is_blocked || return
	date +%s%N >"$tmp/from"
	sleep 0.3
	date +%s%N >"$tmp/to"
}

# The stack stands without its user part: the task never returned there.
blocked_until_the_end() {
	local out=$tmp/forever ns took
	export -f waits wait_for is_blocked blocked_meanwhile
	export tmp target patience
	took=$(date +%s%N)
	exits 0 latewind record --off-cpu -e sched:sched_switch -o "$out.data" --text "$out.txt" \
		-- bash -c blocked_meanwhile || return
	took=$(($(date +%s%N) - took))
	target_pid=$(cat "$tmp/pid")
	awk -v pid="$target_pid" '$2 == pid "/" pid && match($0, /blocked=[0-9]+$/) {
		print substr($0, RSTART + 8), $6 }' "$out.txt" >"$out.blocked"
	# Who was kept from going to sleep, with its timer set, is blocked for less than that.
	is_within sleep_for "$(blocked "$out.txt" sleep_for)" 1 "$(cat "$tmp/first")" || {
		cat "$out.blocked"; return 1; }
	ns=$(awk '$2 == "end=missing" { print $1 }' "$out.blocked")
	((ns >= $(cat "$tmp/to") - $(cat "$tmp/from") && ns < took)) || {
		cat "$out.blocked" "$tmp/from" "$tmp/to"; return 1; }
}

# One task is blocked all the time, until there was enough for several rounds. perf can
# sort the file all the same as it reads, and need not keep all of it.
marks_are_written() {
	local out=$tmp/rounds marks
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record --off-cpu -o "$out.data" --stats "$out.json" --text "$out.txt" -- \
		bash -c 'sleep 1000 &
			for ((i = 0; i < 8; i++)); do
				size=$(stat -c %s "$1")
				until [ "$(stat -c %s "$1")" -gt "$size" ]; do sleep 0.1; done
			done
			kill $!; wait' bash "$out.txt" || return
	equal lost "$(stat_of "$out.json" off_cpu_lost)" 0 || return
	equal late "$(stat_of "$out.json" late_records)" 0 || return
	perf report -i "$out.data" --stats "$user_names" >"$out.stats" 2>"$err" ||
		{ cat "$err"; return 1; }
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	marks=$(sed -n 's/ *FINISHED_ROUND events: *\([0-9]*\).*/\1/p' "$out.stats")
	((marks >= 3)) || { cat "$out.stats"; return 1; }
	perf script -i "$out.data" -F time "$user_names" >"$out.times" 2>"$err" ||
		{ cat "$err"; return 1; }
	tr -d ' :' <"$out.times" | grep . | sort -c -n
}

beside_another_event() {
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record --off-cpu -o "$tmp/both.data" --text "$tmp/both.txt" \
		-- sh -c 'sleep 0.1; until grep -q " cpu-clock: end=outermost$" "$1"; do
			/bin/true; done' sh "$tmp/both.txt" || return
	has "$tmp/both.txt" " off-cpu: end=outermost blocked=[0-9]+\$" " cpu-clock: end=outermost\$" &&
		perf evlist -i "$tmp/both.data" >"$tmp/both.events" 2>"$err" &&
		has "$tmp/both.events" '^off-cpu$' '^cpu-clock$'
}

flight_recorder_is_refused() {
	exits 2 latewind record --off-cpu --overwrite -- true && has "$err" '--off-cpu does not go with'
}

needs latewind perf
[ "$(nproc)" -gt 1 ] || skip_all 'there is one CPU only'

# What was measured is shown, also when all is well.
exec 3>&1
choose 1 all_cpus blocked_until_the_end marks_are_written beside_another_event

ok 'a command is recorded' record command && check_times 'a command' command
ok 'perf says the same' perf_says_the_same command
ok 'the stack is the same where somebody else traces, too' stack_begins_where_it_did
if chosen all_cpus; then
	ok 'all CPUs are recorded' record all -a && check_times 'all CPUs' all
fi
ok_if_chosen 'who is blocked at the end is so until then' blocked_until_the_end
ok_if_chosen 'perf is told up to where it can sort' marks_are_written
ok_if_chosen 'off-CPU goes beside another event' beside_another_event
ok 'off-CPU does not go with a flight recorder' flight_recorder_is_refused
checks_done
