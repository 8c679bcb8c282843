#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# klog_test.sh: klog-scan.sh and stale-code.sh, with lines of logs that kernels have written.
set -u
dir=$(dirname "$0")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
nr=0 failed=0

start='[    3.100000] latewind-vm: run starts'
int3='[   74.538718] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI'
int3_6_1='[   74.538718] int3: 0000 [#1] PREEMPT SMP NOPTI'
rip='[   74.539482] RIP: 0010:syscall_trace_enter+0xd1/0x1a0'
jump='[   74.544049] Code: c7 c0 ff ff ff ff eb 83 eb <56> e9 5f ff ff ff 49 8b 7c 24 68'
two_bytes='[   74.544049] Code: c7 c0 ff ff ff ff eb cd 03 <56> e9 5f ff ff ff 49 8b 7c 24 68'
program='[   74.540000] Code: c7 c0 ff ff ff ff eb 83 eb <56> e9 5f ff ff ff 49 8b 7c 24 68'
breakpoint='[   74.544049] Code: c7 c0 ff ff ff ff eb 83 cc <56> e9 5f ff ff ff 49 8b 7c 24 68'
first='[   74.544049] Code: <56> e9 5f ff ff ff 49 8b 7c 24 68'
fault='[   70.000000] Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI'
fault_6_1='[   70.000000] general protection fault, probably for non-canonical address 0x1: 0000 [#1] SMP'
second='[   74.538718] Oops: int3: 0000 [#2] PREEMPT SMP NOPTI'

# tells SCRIPT STATUS NAME LINE...: of a log of these lines SCRIPT says this.
tells() {
	local script=$1 status=$2 name=$3 got=0
	shift 3
	printf '%s\n' "$@" >"$log"
	"$dir/$script" "$log" >/dev/null || got=$?
	nr=$((nr + 1))
	if [ $got -eq "$status" ]; then
		echo "ok $nr - $script: $name"
	else
		echo "not ok $nr - $script: $name: exit status $got"
		failed=1
	fi
}

echo "TAP version 13"
echo "1..25"
tells stale-code.sh 0 "a breakpoint where there is none" "$start" "$int3" "$rip" "$jump"
tells stale-code.sh 0 "as 6.1 has it" "$start" "$int3_6_1" "$rip" "$jump"
tells stale-code.sh 0 "and another CPU's" "$start" "$int3" "$rip" "$jump" "$second" "$breakpoint"
tells stale-code.sh 0 "and then a fault" "$start" "$int3" "$rip" "$jump" "${fault/\#1/#2}" "$breakpoint"
tells stale-code.sh 1 "a breakpoint that is there" "$start" "$int3" "$rip" "$breakpoint"
tells stale-code.sh 1 "it is there, then it is not" "$start" "$int3" "$rip" "$breakpoint" "$second" "$jump"
tells stale-code.sh 1 "one of two bytes" "$start" "$int3" "$rip" "$two_bytes"
tells stale-code.sh 1 "the code of a program" "$start" "$int3" "$program" "$rip" "$breakpoint"
tells stale-code.sh 1 "before the run" "$int3" "$rip" "$jump" "$start"
tells stale-code.sh 1 "no byte in front" "$start" "$int3" "$rip" "$first"
tells stale-code.sh 1 "no code" "$start" "$int3" "$rip"
tells stale-code.sh 1 "a fault" "$start" "$fault" "$rip" "$jump"
tells stale-code.sh 1 "a fault, then a breakpoint" "$start" "$fault" "$rip" "$jump" "$second" "$jump"
tells stale-code.sh 1 "of 6.1" "$start" "$fault_6_1" "$rip" "$jump" "$second" "$jump"
tells stale-code.sh 1 "nothing" "$start"
tells klog-scan.sh 1 "an oops" "$start" "$int3"
tells klog-scan.sh 0 "before the run" "$int3" "$start"
warning='[  9.000000] WARNING: CPU: 1 PID: 77 at module/chardev.c:90 x+0x1/0x2 [latewind]'
tells klog-scan.sh 1 "a warning" "$start" "$warning"
tells klog-scan.sh 0 "a warning before the run" "$warning" "$start"
tells klog-scan.sh 1 "a call by a pointer of another type" "$start" \
	'[  9.000000] CFI failure at x+0x1/0x2 [latewind] (target: y+0x0/0x1; expected type: 0x1)'
tells klog-scan.sh 1 "a race in ours" "$start" "BUG: KCSAN: data-race in lw_x [latewind]" "======="
tells klog-scan.sh 0 "a race elsewhere" "$start" "BUG: KCSAN: data-race in x" " write to 1 of 8 bytes by task 1:" \
	" x" " y" " z" " lw_z [latewind]" "======="
race='[ 1983.372019] BUG: KCSAN: data-race in move_linked_works / queue_work_on'
one='[ 1983.372385] read-write (marked) to 0xffffffffa0021420 of 8 bytes by task 1456 on cpu 0:'
queues=('[ 1983.372578]  queue_work_on+0x3e/0x90' '[ 1983.372748]  lw_rows_put+0xb3/0xd0 [latewind]')
two='[ 1983.379421] read to 0xffffffffa0021420 of 8 bytes by task 1430 on cpu 1:'
works=('[ 1983.379643]  move_linked_works+0x10d/0x140' '[ 1983.379820]  assign_work+0xcb/0x190')
frees=('[ 1983.379643]  rows_free+0x10d/0x140 [latewind]' '[ 1983.379820]  process_one_work+0xcb/0x190')
ends='[ 1983.381670] ============================'
tells klog-scan.sh 0 "a race of workqueue functions" "$start" "$race" "$one" "${queues[@]}" "$two" \
	"${works[@]}" "$ends"
tells klog-scan.sh 1 "one of them and ours" "$start" "$race" "$one" "${queues[@]}" "$two" \
	"${frees[@]}" "$ends"
tells klog-scan.sh 1 "ours, seen in the caller" "$start" "$race" "$two" "${works[@]}" "$one" \
	'[ 1983.372578]  __list_add+0x3e/0x90' '[ 1983.372748]  lw_rows_put+0xb3/0xd0 [latewind]' "$ends"
exit $failed
