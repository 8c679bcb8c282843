#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# events_test.sh: what -e names, counted: tracepoints, probes of the kernel and of files,
# at their returns too, probes that a program has built in, several at once; and whom it is
# counted for. Needs the tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target=$PWD/tool_target
usdt=$PWD/usdt_target
# What functions of system calls are called by, and what the first version of libc has.
case $(uname -m) in
aarch64) sys=__arm64_sys entry=do_el0_svc oldest=GLIBC_2.17 ;;
s390x) sys=__s390x_sys entry=__do_syscall oldest=GLIBC_2.2 ;;
*) sys=__x64_sys entry=do_syscall_64 oldest=GLIBC_2.2.5 ;;
esac

target_pids=() tool_pid=''

cleanup() {
	[ -z "$tool_pid" ] || kill "$tool_pid"
	[ ${#target_pids[@]} -eq 0 ] || kill "${target_pids[@]}"
	checks_free
}
trap cleanup EXIT

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
	record "raw_syscalls:sys_enter,kprobe:${sys}_getppid,cs" "$target" calls 100 || return
	counts 100 "kprobe:${sys}_getppid" 'call_kernel.*tool_target' || return
	counts 100 raw_syscalls:sys_enter 'call_kernel.*tool_target' &&
		perf evlist -i "$tmp/perf.data" >"$tmp/events" 2>"$err" &&
		has "$tmp/events" '^raw_syscalls:sys_enter$' "^kprobe:${sys}_getppid$" '^cs$'
}

# The names of the kernel are left out only if no event meets it.
of_user_space_and_the_kernel() {
	exits 0 latewind record -q -e "cpu-clock:u,kprobe:${sys}_getppid" -o "$tmp/perf.data" \
		--text "$tmp/text" -- "$target" calls 50 || return
	counts 50 "kprobe:${sys}_getppid" "$entry.*kernel" || return
	exits 0 latewind script -q -i "$tmp/perf.data" -F event,ip,sym,dso &&
		has "$tmp/out" "$entry.*\[kernel.kallsyms\]"
}

kernel_function_and_its_return() {
	record "k:${sys}_getppid,kretprobe:${sys}_getppid,kprobe:${sys}_getppid%return" \
		"$target" calls 50 || return
	counts 50 "k:${sys}_getppid" 'middle.*tool_target' &&
		counts 50 "kretprobe:${sys}_getppid" 'middle.*tool_target' &&
		counts 50 "kprobe:${sys}_getppid%return" 'middle.*tool_target'
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

# The default version, the one that is named, and the code that an IFUNC is here.
functions_of_libc() {
	local libc strlen='import ctypes
f = ctypes.CDLL("libc.so.6").strlen
for i in range(500): f(b"x")'
	libc=$(readlink -f "$(ldd "$(command -v bash)" | awk '/libc\.so/ { print $3 }')")
	record "$libc:strlen" python3 -c "$strlen" &&
		[ "$(count "$libc:strlen")" -ge 500 ] || { head -n 20 "$tmp/text"; return 1; }
	record "$libc:fmemopen@GLIBC_2.22,$libc:fmemopen@$oldest" true &&
		says 'no function .fmemopen@GLIBC_9' "$libc:fmemopen@GLIBC_9"
}

# The tool itself calls malloc(), and somebody else here.
for_the_command_alone() {
	local libc hits stacks
	libc=$(readlink -f "$(ldd "$(command -v bash)" | awk '/libc\.so/ { print $3 }')")
	exits 0 latewind record --no-kernel -e "$libc:malloc" -o "$tmp/perf.data" --text "$tmp/text" \
		--stats "$tmp/json" -- bash -c 'echo $$' || return
	has "$tmp/out" '^[0-9]+$' && ! grep -q ':unknown' "$err" || { cat "$err"; return 1; }
	hits=$(count "$libc:malloc")
	stacks=$(sed -n 's/^"user_stacks":\([0-9]*\),$/\1/p' "$tmp/json")
	# on s390x a hit can be told twice, of one stack (see programs/pin.h)
	[ "$(uname -m)" != s390x ] || ((hits - stacks > 2)) || stacks=$hits
	[ "$hits" -ge 50 ] && equal stacks "$stacks" "$hits" &&
		equal programs "$(sed -n 's/^\([^[:blank:]]*\) [0-9/]* .*/\1/p' "$tmp/text" | sort -u)" bash
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

# Of a command, and of a process that runs: its file need not be named.
probe_of_the_target() {
	record sdt:lw_test:guarded "$usdt" 50 && counts 50 sdt:lw_test:guarded main || return
	says 'no file of the target' sdt:lw_test:nothing &&
		exits 2 latewind record -a -e sdt:lw_test:twice && has "$err" 'name the file' ||
		return
	mkfifo "$tmp/go" && exec 5<>"$tmp/go" || return
	"$usdt" 100 wait <"$tmp/go" >"$tmp/watched" 5>&- &
	target_pids+=($!)
	waits has "$tmp/watched" ready || return
	rm -f "$tmp/text"
	latewind record -q --no-kernel -e sdt:lw_test:guarded -p $! -o "$tmp/perf.data" \
		--text "$tmp/text" >/dev/null 2>"$err" 5>&- &
	tool_pid=$!
	waits hits_are_seen || { cat "$err"; return 1; }
	end_targets && has "$tmp/watched" '^watched 100$' &&
		has "$tmp/text" '[[:space:]]middle.*usdt_target'
}

# It may not be on yet.
hits_are_seen() {
	echo >&5
	has_samples 100
}

refusals_name_what_is_near() {
	says "no tracepoint sched:sched_swich" sched:sched_swich &&
		has "$err" 'Did you mean sched_switch' &&
		says "no function 'call_kernal'" "$target:call_kernal" &&
		has "$err" 'Did you mean call_kernel' &&
		says "kernel has no function '${sys}_getpppid'" "kprobe:${sys}_getpppid" &&
		has "$err" "Did you mean .*${sys}_getppid" &&
		says 'no such USDT probe' "$usdt:lw_test:twise" &&
		has "$err" 'Did you mean lw_test:twice' &&
		says "not known" cpu-clok && has "$err" 'Did you mean cpu-clock' &&
		says 'no tracepoint is named like that' 'sched:no_such_*' &&
		says 'as a whole returns' "$target:call_kernel+4%return"
}

# The kernel says that it can't be; we say which.
no_probe_there() {
	exits 1 latewind record -e "kprobe:${sys}_getppid+1" -o "$tmp/none" -- true &&
		has "$err" "cannot count event 'kprobe:${sys}_getppid\\+1'" 'No probe can be set there'
}

# Each has three threads: two of them compute.
start_target() { # NAME
	"$target" threads 2 "$target" spin 300 >"$tmp/$1" &
	target_pids+=($!)
	waits has "/proc/$!/comm" tool_target && waits three_threads $!
}

three_threads() { # PID
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 3 ]
}

has_samples() { # NUMBER
	[ "$(grep -c '^$' "$tmp/text" 2>/dev/null)" -ge "$1" ]
}

# Until there are 200 samples.
start_tool() { # OPTION...
	rm -f "$tmp/text"
	latewind record -q --no-kernel -F 500 -o "$tmp/perf.data" --text "$tmp/text" "$@" \
		>/dev/null 2>"$err" &
	tool_pid=$!
	waits has_samples 100
}

# Those that are recorded end, and so does the tool.
end_targets() {
	local pid=$tool_pid status=0
	kill "${target_pids[@]}"
	wait "${target_pids[@]}"
	target_pids=()
	tool_pid=''
	wait "$pid" || status=$?
	equal 'exit status' "$status" 0 || { cat "$err"; return 1; }
}

# ids NUMBER: of the text's headers, the process (1) or the thread (2).
ids() {
	sed -nE "s,^[^\t].* ([0-9]+)/([0-9]+) \[[0-9]+\] .*,\\$1,p" "$tmp/text" | sort -un | xargs
}

sorted() {
	printf '%s\n' "$@" | sort -n | xargs
}

# Of its time in user space, 1/100 s.
ticks() { # PID
	awk '{ print $14 }' "/proc/$1/stat"
}

has_run() { # PID TICKS
	[ "$(ticks "$1")" -ge "$2" ]
}

# All targets run for a while, so whoever is recorded is seen.
all_run() {
	local pid
	for pid in "${target_pids[@]}"; do
		waits has_run "$pid" $(($(ticks "$pid") + 10)) || return
	done
}

ids_are() { # NUMBER IDS
	[ "$(ids "$1")" = "$2" ]
}

several_processes() {
	start_target one && start_target two && start_target three || return
	start_tool -p "${target_pids[0]},${target_pids[2]}" || return
	local want
	want=$(sorted "${target_pids[0]}" "${target_pids[2]}")
	waits ids_are 1 "$want" && all_run && end_targets && equal processes "$(ids 1)" "$want"
}

# threads_of PID: those that compute.
threads_of() {
	find "/proc/$1/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$1" | sort -n
}

one_thread() { # OPTION...
	local thread
	start_target one || return
	thread=$(threads_of "${target_pids[0]}" | tail -n 1)
	start_tool -t "$thread" "$@" && all_run || return
	end_targets && equal threads "$(ids 2)" "$thread"
}

one_whose_probe_is_hit() {
	one_thread -e "$target:spin"
}

child_is_recorded() {
	[[ " $(ids 1) " == *" $1 "* ]]
}

# with_child [OPTION]...: what the target starts, as its process in $child.
with_child() {
	start_target one && start_tool -p "${target_pids[0]}" "$@" || return
	kill -USR1 "${target_pids[0]}"
	waits has "$tmp/one" '^child ' || return
	child=$(sed -n 's/^child //p' "$tmp/one")
	end_targets
}

children_are_left_out() {
	local child=''
	with_child || return
	child_is_recorded "$child" || { echo "no child '$child': $(ids 1)"; return 1; }
	with_child --per-thread || return
	! child_is_recorded "$child" || { echo "child $child: $(ids 1)"; return 1; }
	has "$tmp/text" 'cpu-clock: end='
}

# By its name, as perf has it, and by its directory.
cgroup_by_name() {
	local dir=/sys/fs/cgroup/lw-events
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup || return
	mkdir -p "$dir" || return
	exits 0 latewind record -a -q -G lw-events -e raw_syscalls:sys_enter --stats "$tmp/json" \
		-o "$tmp/perf.data" -- "$target" calls 10 || return
	rmdir "$dir"
	has "$tmp/json" '"samples":0,' &&
		exits 1 latewind record -a -G lw-no-such -o "$tmp/none" -- true &&
		has "$err" 'cannot open the cgroup lw-no-such: No such file'
}

refuses_wrong_targets() {
	exits 2 latewind record -p 1 -t 1 && has "$err" '--pid and --tid exclude' &&
		exits 2 latewind record -p 1,x && has "$err" "'x' is not a list of numbers" &&
		exits 2 latewind record -a --per-thread && has "$err" '--per-thread goes with' &&
		exits 1 latewind record -t 4000000 && has "$err" 'no thread 4000000'
}

# Where there are tracepoints, the names are perf's; ftrace's own are for its buffer only.
list_is_perfs() {
	perf list --raw-dump tracepoint 2>/dev/null | tr ' ' '\n' | grep : | grep -v '^ftrace:' |
		sort -u >"$tmp/theirs"
	exits 0 latewind list tracepoint && sort -u "$tmp/out" >"$tmp/ours" &&
	has "$tmp/ours" '^sched:sched_switch$' && cmp "$tmp/theirs" "$tmp/ours" || return
	exits 0 latewind list sw && has "$tmp/out" '^cpu-clock$' '^page-faults$' &&
	exits 0 latewind list 'SCHED:*fork' && equal names "$(cat "$tmp/out")" \
		sched:sched_process_fork &&
	exits 0 python3 -c "$run_on_terminal" 'PAGER=cat latewind list fork' &&
	has "$tmp/out" '^  sched:sched_process_fork +\[Tracepoint event\]' || return
	exits 0 latewind list sdt "$usdt" && has "$tmp/out" "^$usdt:lw_test:twice$" "^$usdt:lw_test:guarded$" &&
	exits 0 latewind record -e "$(head -n 1 "$tmp/out")" -o "$tmp/sdt.data" -- true &&
	exits 1 latewind list sdt /etc/passwd && has "$err" 'it is no ELF file' &&
	exits 1 latewind list sdt "$target" && has "$err" 'has no USDT probes' &&
	exits 1 latewind list no-such-event && has "$err" "named like 'no-such-event'" &&
	exits 2 latewind list sdt && exits 2 latewind list --no
}

# Which mode each sample was taken in.
modes() {
	perf script -i "$1" -F misc,ip -G 2>/dev/null |
		awk '{ print $1 == "K" ? "kernel" : $1 == "U" ? "user" : $1 }' | sort -u | tr '\n' ' '
}

all_events_in_one_mode() {
	exits 0 latewind record -e cpu-clock:k,task-clock --all-user -o "$tmp/mode.data" -- \
		"$target" calls 20000 && equal '--all-user' "$(modes "$tmp/mode.data")" 'user ' &&
	exits 0 latewind record -e cpu-clock,task-clock:u --all-kernel -o "$tmp/mode.data" -- \
		"$target" calls 20000 && equal '--all-kernel' "$(modes "$tmp/mode.data")" 'kernel ' &&
	exits 2 latewind record --all-kernel --all-user -- true && has "$err" 'exclude each other'
}

options_of_perf() {
	exits 0 latewind record -T -P -N --timestamp --period --sample-cpu --buildid-all \
		--buildid-mmap -k mono -k CLOCK_MONOTONIC -o "$tmp/none.data" -- true &&
	exits 2 latewind record -k real -- true && has "$err" 'clock is always monotonic' &&
	exits 2 latewind record -B -- true && has "$err" 'Leave it out' &&
	exits 2 latewind record --filter 'prev_pid > 1' -- true && has "$err" "events have none" &&
	exits 2 latewind record -b -- true && has "$err" 'perf record -b' &&
	exits 2 latewind record -j any -- true && has "$err" 'perf record -j' &&
	{ [ "$page" -gt 16384 ] || {
		exits 1 latewind record -m $((16384 / page)) --depth 1024 -o "$tmp/none.data" -- true &&
		has "$err" '--ring-size .32K'; }; } &&
	exits 0 latewind record -m 5 --depth 1024 -o "$tmp/none.data" -- true &&
	exits 0 latewind record -m 17K --depth 1024 -o "$tmp/none.data" -- true &&
	exits 2 latewind record -m 64,2 -- true && has "$err" "'64,2' is no number of pages" &&
	exits 2 latewind record -e '{cpu-clock,cs}:S' -- true && has "$err" "can't have groups"
}

needs latewind perf nm objdump

choose 1 of_user_space_and_the_kernel kernel_function_and_its_return function_and_its_return \
	offset_in_a_function functions_of_libc patterns all_places_of_a_probe guarded_probe_is_watched \
	probe_of_the_target
choose 1 refusals_name_what_is_near no_probe_there refuses_wrong_targets
choose 1 several_processes one_thread children_are_left_out one_whose_probe_is_hit cgroup_by_name

ok 'several events are counted at once' several_at_once
ok_if_chosen 'the kernel has names beside an event of user space' of_user_space_and_the_kernel
ok_if_chosen 'a kernel function and its return are hit' kernel_function_and_its_return
ok_if_chosen "a program's function and its return are hit" function_and_its_return
ok_if_chosen 'an offset in a function is hit' offset_in_a_function
ok_if_chosen 'versions and indirect functions of libc' functions_of_libc
ok 'a probe in libc is for the command alone' for_the_command_alone
ok_if_chosen 'a pattern names all tracepoints like it' patterns
ok_if_chosen 'a probe that is built in is hit in all its places' all_places_of_a_probe
ok_if_chosen 'one that is guarded knows that it is watched' guarded_probe_is_watched
ok_if_chosen "a probe is found in the target's files" probe_of_the_target
ok_if_chosen 'what is refused is told with what is near' refusals_name_what_is_near
ok_if_chosen 'where no probe can be is told' no_probe_there
ok_if_chosen 'several processes are recorded, and not a third' several_processes
ok_if_chosen 'one thread is recorded, and not the others' one_thread
ok_if_chosen 'so is one whose probe is hit' one_whose_probe_is_hit
ok_if_chosen 'children are recorded, and with --per-thread they are not' children_are_left_out
ok_if_chosen 'a cgroup goes by its name' cgroup_by_name
ok "events are listed as perf lists them" list_is_perfs
ok 'all events in one mode' all_events_in_one_mode
ok "perf's options that change nothing, and those that can't be had" options_of_perf
ok_if_chosen 'wrong targets are refused' refuses_wrong_targets
checks_done
