#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# sample_test.sh: samples/top_stacks, as a user of the kernel API has it: it
# knows which stack is on top, and goes at any time.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

module=${LATEWIND_ROOT:-}/build/samples/$(uname -r)/latewind_top_stacks.ko
shown=/sys/kernel/debug/latewind_top_stacks
calls=5000 rounds=3
! long_form || calls=20000 rounds=10
load_pids=()

cleanup() {
	stop_load
	[ ! -e /sys/module/latewind_top_stacks ] || rmmod latewind_top_stacks
	checks_free
}
trap cleanup EXIT

# Blocked tasks owe a stack as long as they are blocked.
start_load() {
	local i
	for i in 1 2 3 4; do
		sleep "${i}000" &
		load_pids+=($!)
	done
	for i in 1 2; do
		while :; do ./top_target "${i}00"; done >/dev/null &
		load_pids+=($!)
	done
}

stop_load() {
	[ ${#load_pids[@]} -gt 0 ] || return 0
	kill "${load_pids[@]}"
	wait "${load_pids[@]}" 2>/dev/null
	load_pids=()
}

# The first stack, cut to as many frames as the other file has.
top_stack() { # FILE LIKE
	awk '/^#/ { next } /^[^\t]/ && n++ { exit } /^\t/' "$1" | head -n "$(wc -l <"$2")"
}

runs_target() {
	./top_target "$calls" >"$tmp/expected" && cat "$shown" >"$tmp/shown"
}

# Most of all there was: the program does nothing else.
target_is_on_top() {
	local hits comm
	top_stack "$tmp/shown" "$tmp/expected" >"$tmp/top"
	same "$tmp/expected" "$tmp/top" || return
	read -r hits comm _ < <(grep -v '^#' "$tmp/shown")
	equal command "$comm" top_target &&
		{ [ "$hits" -ge $((calls * 99 / 100)) ] || { echo "$hits hits"; return 1; }; }
}

at_most_ten() {
	[ "$(grep -c '^[^#[:space:]]' "$tmp/shown")" -le 10 ]
}

# This shell's own calls come after it.
is_emptied() {
	echo >"$shown" && cat "$shown" >"$tmp/empty" &&
		equal 'stacks of the target' "$(grep -c top_target "$tmp/empty")" 0
}

unknown_tracepoint() {
	! insmod "$module" tracepoint=sched_switch 2>"$err" && has "$err" 'Invalid param'
}

takes_page_faults() {
	insmod "$module" tracepoint=page_fault_user top=1000 || return
	./top_target 1 >/dev/null
	cat "$shown" >"$tmp/shown"
	rmmod latewind_top_stacks && has "$tmp/shown" '^[0-9]+ top_target'
}

goes_under_load() {
	local round
	start_load
	for ((round = 1; round <= rounds; round++)); do
		insmod "$module" || return
		waits has "$shown" "^[0-9]+ top_target" >"$tmp/waited" ||
			{ echo "round $round"; cat "$tmp/waited"; return 1; }
		rmmod latewind_top_stacks || return
		missing "$shown" || return
	done
	stop_load
}

# Neither a warning nor an oops; what else is in its log is the harness's to judge.
no_warning() {
	local mask
	mask=$(cat /proc/sys/kernel/tainted) || return
	(((mask & (1 << 9 | 1 << 7)) == 0)) || { echo "tainted: $mask"; return 1; }
}

[ -e "$module" ] || skip_all "no $module"
all_destructive
[ -e /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug

ok 'a tracepoint that it does not know' unknown_tracepoint
ok 'insmod' insmod "$module"
ok 'a program runs' runs_target
ok 'its chain is on top' target_is_on_top
ok 'ten stacks are printed at most' at_most_ten
ok 'writing empties the table' is_emptied
ok 'rmmod' rmmod latewind_top_stacks
if [ "$(uname -m)" = x86_64 ]; then
	ok 'page faults' takes_page_faults
else
	skip 'page faults' 'only x86 has the tracepoint page_fault_user'
fi
ok 'comes and goes under load, with stacks pending' goes_under_load
ok 'the kernel is content' no_warning
checks_done
