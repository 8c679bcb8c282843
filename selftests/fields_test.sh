#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fields_test.sh: what tracepoints tell is in recordings and printed as perf script prints it:
# of our files and pipes, read by perf and by us, and of perf's. Needs the tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

trap checks_free EXIT

events=(-e sched:sched_process_exec -e sched:sched_switch -e syscalls:sys_enter_openat
	-e irq:softirq_raise)

cat >"$tmp/work" <<-'EOF'
	#!/bin/sh
	for i in 1 2 3 4 5; do /bin/true </dev/null; sleep 0.01; done
EOF
chmod +x "$tmp/work" || exit

# The lines of hits, without frames; -F as it is said, or as both have it by default.
theirs() { # FILE OPTION...
	perf script "$user_names" -i "$@" 2>"$err" | grep -E '(sched|syscalls|irq):' |
		awk '{ $1 = $1; print }'
}

ours() { # FILE OPTION...
	latewind script -i "$@" 2>"$tmp/ours.err" | grep -E '(sched|syscalls|irq):' |
		awk '{ $1 = $1; print }'
}

read_the_same() { # FILE
	# perf has no name for a task that has exited
	local fields=tid,cpu,time,event,trace
	theirs "$1" -F "$fields" >"$tmp/theirs"
	ours "$1" -F "$fields" >"$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" || { cat "$err" "$tmp/ours.err"; return 1; }
	has "$tmp/ours" 'sched_switch: prev_comm=[^ ]+ prev_pid=[0-9]+ .* ==> next_comm=' \
		'sched_process_exec: filename=/(usr/)?bin/sleep pid=[0-9]+ old_pid=' \
		'sys_enter_openat: dfd: 0x[0-9a-f]+, filename: 0x' \
		'softirq_raise: vec=[0-9] \[action=[A-Z]+\]'
}

records() { # FILE OPTION...
	local file=$1
	shift
	exits 0 latewind record -q -o "$file" "${events[@]}" "$@" -- "$tmp/work"
}

recorded_are_read() { # WORD OPTION...
	local file=$tmp/$1.data
	shift
	records "$file" "$@" && read_the_same "$file"
}

# Nothing is written twice: the formats stand in front.
piped_are_read() {
	latewind record -q -o - "${events[@]}" -- "$tmp/work" 2>"$err" >"$tmp/piped.data" &&
		read_the_same "$tmp/piped.data"
}

perfs_are_read() {
	perf record -q -g "${events[@]}" -o "$tmp/perf.data" "$tmp/work" >"$tmp/out" 2>"$err" ||
		{ cat "$err"; return 1; }
	read_the_same "$tmp/perf.data" &&
	perf record -q "${events[@]}" -o - "$tmp/work" >"$tmp/perf.pipe" 2>"$err" &&
		read_the_same "$tmp/perf.pipe"
}

# As both print it when nothing is said.
default_is_perfs() {
	theirs "$tmp/perf.data" >"$tmp/theirs"
	ours "$tmp/perf.data" >"$tmp/ours"
	same "$tmp/theirs" "$tmp/ours"
}

# The formats are written at the end: up to then an event has its name only.
killed_is_read() {
	local pid
	latewind record -q -a -o "$tmp/killed.data" "${events[@]}" 2>"$err" &
	pid=$!
	waits grep -qa PERFILE2 "$tmp/killed.data" && waits sized "$tmp/killed.data" 20000
	kill -KILL "$pid" && wait "$pid" 2>"$tmp/wait.err"
	perf script "$user_names" -i "$tmp/killed.data" -F time >"$tmp/theirs" 2>"$err"
	latewind script -i "$tmp/killed.data" -F time >"$tmp/ours" 2>"$tmp/ours.err"
	same "$tmp/theirs" "$tmp/ours"
}

sized() { # FILE BYTES
	[ "$(stat -c %s "$1")" -ge "$2" ]
}

text_has_fields() {
	exits 0 latewind record -q -o "$tmp/beside.data" --text "$tmp/text" "${events[@]}" -- "$tmp/work" &&
		has "$tmp/text" 'sched_switch: end=[a-z-]+ prev_comm=.* ==> next_comm=' \
			'sched_process_exec: end=[a-z-]+ filename=/(usr/)?bin/sleep pid='
}

# A stranger's formats are nothing for the library that reads them.
strangers_are_not_printed() {
	cp "$tmp/plain.data" "$tmp/stranger.data" && chown nobody "$tmp/stranger.data" || return
	ours "$tmp/stranger.data" -F event,trace >"$tmp/ours"
	has "$tmp/ours" '^sched:sched_switch: *$' && ! grep -q prev_comm "$tmp/ours" &&
	ours "$tmp/stranger.data" -f -F event,trace >"$tmp/ours" && has "$tmp/ours" 'prev_comm='
}

# Any bytes may be there instead.
broken_do_no_harm() {
	local at size i
	size=$(stat -c %s "$tmp/plain.data")
	RANDOM=$seed
	for i in $(seq 20); do
		cp "$tmp/plain.data" "$tmp/broken.data"
		at=$(((RANDOM << 15 | RANDOM) % size))
		# most of the formats lie behind the data
		[ $((i % 2)) = 0 ] || at=$((size - 1 - at % (size / 2)))
		printf '\377\1\200' | dd of="$tmp/broken.data" bs=1 seek="$at" conv=notrunc status=none
		latewind script -i "$tmp/broken.data" >"$tmp/out" 2>"$err"
		[ $? -lt 2 ] || { echo "byte $at"; return 1; }
	done
}

needs latewind perf

ok 'fields in a recording' recorded_are_read plain
ok 'with cgroups and kernel stacks' recorded_are_read cgroups --all-cgroups -a
ok 'packed' recorded_are_read packed -z -R
ok 'in a pipe' piped_are_read
ok "perf's recordings" perfs_are_read
ok 'by default' default_is_perfs
ok 'a recording that is killed' killed_is_read
ok 'as text' text_has_fields
ok "a stranger's" strangers_are_not_printed
ok 'broken ones' broken_do_no_harm
checks_done
