#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# events_test.sh: what -e names, counted: tracepoints, probes of the kernel and of files,
# at their returns too, probes that a program has built in, and several at once. Needs the
# tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target=$PWD/tool_target
usdt=$PWD/usdt_target

trap checks_free EXIT

# record EVENTS COMMAND...
record() {
	local events=$1
	shift
	exits 0 latewind record -q --no-kernel -e "$events" -o "$tmp/perf.data" --text "$tmp/text" -- "$@"
}

# count EVENT [PATTERN]: its samples, with a line like that in the stack or not.
count() {
	awk -v event=" $1: end=" -v pattern="${2:-end=}" '
	/^[^\t]/ { mine = index($0, event); seen = 0 }
	mine && !seen && $0 ~ pattern { n++; seen = 1 }
	END { print n + 0 }' "$tmp/text"
}

counts() { # NUMBER EVENT [PATTERN]
	equal "samples of $2 ${3:-}" "$(count "$2" "${3:-}")" "$1" && return
	cat "$tmp/text"
	return 1
}

says() { # PATTERN EVENT: it is refused with these words
	exits 2 latewind record -e "$2" -o "$tmp/none" -- true && has "$err" "$1"
}

# 100 system calls of one kind.
several_at_once() {
	record 'raw_syscalls:sys_enter,kprobe:__x64_sys_getppid,cs' "$target" calls 100 || return
	counts 100 kprobe:__x64_sys_getppid 'call_kernel.*tool_target' || return
	counts 100 raw_syscalls:sys_enter 'call_kernel.*tool_target' &&
		perf evlist -i "$tmp/perf.data" >"$tmp/events" 2>"$err" &&
		has "$tmp/events" '^raw_syscalls:sys_enter$' '^kprobe:__x64_sys_getppid$' '^cs$'
}

kernel_function_and_its_return() {
	record 'k:__x64_sys_getppid,kretprobe:__x64_sys_getppid,kprobe:__x64_sys_getppid%return' \
		"$target" calls 50 || return
	counts 50 k:__x64_sys_getppid 'middle.*tool_target' &&
		counts 50 kretprobe:__x64_sys_getppid 'middle.*tool_target' &&
		counts 50 kprobe:__x64_sys_getppid%return 'middle.*tool_target'
}

# A return is where it was called.
function_and_its_return() {
	local event
	record "$target:call_kernel,$target:call_kernel%return,ur:$target:call_kernel" \
		"$target" calls 50 || return
	counts 50 "$target:call_kernel" 'call_kernel.*tool_target' &&
		counts 0 "$target:call_kernel%return" 'call_kernel.*tool_target' || return
	for event in "$target:call_kernel%return" "ur:$target:call_kernel"; do
		counts 50 "$event" '[[:space:]]middle.*tool_target' && counts 50 "$event" main || return
	done
}

# The second instruction, as objdump has it.
offset_in_a_function() {
	local off
	off=$(objdump -d --no-show-raw-insn "$target" | awk '
		inside && /^ +[0-9a-f]+:/ { sub(":", "", $1); print $1 }
		{ inside = inside ? $0 != "" : /<call_kernel>:$/ }' | {
		read -r first && read -r second && echo $((0x$second - 0x$first)); })
	record "$target:call_kernel+$off" "$target" calls 20 || return
	counts 20 "$target:call_kernel+$off" "call_kernel[+]0x$(printf %x "$off") "
}

patterns() {
	record 'sched:sched_process_e*' "$target" calls 1 || return
	perf evlist -i "$tmp/perf.data" >"$tmp/events" 2>"$err" || return
	has "$tmp/events" '^sched:sched_process_exit$' '^sched:sched_process_exec$' &&
		counts 1 sched:sched_process_exec
}

all_places_of_a_probe() {
	record "$usdt:lw_test:twice" "$usdt" 100 || return
	counts 200 "$usdt:lw_test:twice" '[[:space:]]middle.*usdt_target' &&
		has "$tmp/out" '^watched 0$' &&
		equal 'events in the file' "$(perf evlist -i "$tmp/perf.data" 2>/dev/null | grep -c lw_test)" 1
}

# The program looks at a counter which the kernel keeps.
guarded_probe_is_watched() {
	record "usdt:$usdt:lw_test:guarded" "$usdt" 100 || return
	counts 100 "usdt:$usdt:lw_test:guarded" '[[:space:]]outer.*usdt_target' &&
		has "$tmp/out" '^watched 100$'
}

refusals_name_what_is_near() {
	says "no tracepoint sched:sched_swich" sched:sched_swich &&
		has "$err" 'Did you mean sched_switch' &&
		says "no function 'call_kernal'" "$target:call_kernal" &&
		has "$err" 'Did you mean call_kernel' &&
		says "kernel has no function '__x64_sys_getpppid'" kprobe:__x64_sys_getpppid &&
		has "$err" 'Did you mean .*__x64_sys_getppid' &&
		says 'no such USDT probe' "$usdt:lw_test:twise" &&
		has "$err" 'Did you mean lw_test:twice' &&
		says "not known" cpu-clok && has "$err" 'Did you mean cpu-clock' &&
		says 'no tracepoint is named like that' 'sched:no_such_*' &&
		says 'as a whole returns' "$target:call_kernel+4%return"
}

# The kernel says that it can't be; we say which.
no_probe_there() {
	exits 1 latewind record -e kprobe:__x64_sys_getppid+1 -o "$tmp/none" -- true &&
		has "$err" "cannot count event 'kprobe:__x64_sys_getppid\+1'" 'No probe can be set there'
}

ok 'several events are counted at once' several_at_once
ok 'a kernel function and its return are hit' kernel_function_and_its_return
ok "a program's function and its return are hit" function_and_its_return
ok 'an offset in a function is hit' offset_in_a_function
ok 'a pattern names all tracepoints like it' patterns
ok 'a probe that is built in is hit in all its places' all_places_of_a_probe
ok 'one that is guarded knows that it is watched' guarded_probe_is_watched
ok 'what is refused is told with what is near' refusals_name_what_is_near
ok 'where no probe can be is told' no_probe_there
checks_done
