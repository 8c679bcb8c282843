#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cgroups_test.sh: latewind record --all-cgroups: perf and latewind report have the same
# rows by cgroup, of one that was there, one that was made meanwhile, and one that was made
# by somebody else. Needs the tool in PATH, perf and cgroup2.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target=$PWD/tool_target
mount=/sys/fs/cgroup
one=$mount/lw-one
pid=''

cleanup() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	rmdir "$one/new" "$one/others" "$one" 2>/dev/null
	checks_free
}
trap cleanup EXIT

# The command that is recorded: one part of it after the other.
cat >"$tmp/command" <<E2
( echo \$BASHPID >$one/cgroup.procs; exec $target spin 100 )
mkdir $one/new
( echo \$BASHPID >$one/new/cgroup.procs; exec $target spin 400 )
\${1:-rmdir $one/new}
E2

# perf_rows FILE, our_rows FILE: share and cgroup.
perf_rows() {
	perf report -i "$1" --stdio --no-children -g none -s cgroup --percent-limit 0 "$user_names" \
		>"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	awk '/^ +[0-9.]+%/ { print $1, $2 }' "$tmp/theirs" | sort
}

our_rows() { # FILE [OPTION]...
	local file=$1
	shift
	exits 0 latewind report -i "$file" --no-children -g none -s cgroup --percent-limit 0 "$@" ||
		return
	awk '/^ +[0-9.]+%/ { print $1, $NF }' "$tmp/out" | sort
}

same_rows() { # FILE
	perf_rows "$1" >"$tmp/perf.rows" || { cat "$tmp/perf.rows"; return 1; }
	our_rows "$1" >"$tmp/our.rows" || { cat "$tmp/our.rows"; return 1; }
	same "$tmp/perf.rows" "$tmp/our.rows"
}

record_command() { # [LAST COMMAND]
	exits 0 latewind record --all-cgroups -o "$tmp/command.data" --stats "$tmp/json" \
		-- bash "$tmp/command" "$@" && has "$tmp/json" '"late_records":0,'
}

rows_are_those_of_perf() {
	same_rows "$tmp/command.data" || return
	# in the order of how long they ran
	awk '{ share[$2] = $1 + 0 }
		END { exit !(share["/lw-one"] > 0 && share["/lw-one/new"] > share["/lw-one"]) }' \
		"$tmp/our.rows" || { cat "$tmp/our.rows"; return 1; }
}

# Of its time in user space, 1/100 s.
ticks() {
	awk '{ print $14 }' "/proc/$pid/stat"
}

has_run() { # TICKS
	[ "$(ticks)" -ge "$1" ]
}

# By somebody who is not recorded, and moved there by the same.
made_by_others() {
	"$target" spin 1000000 >"$tmp/spin" &
	pid=$!
	latewind record --all-cgroups -p "$pid" -o "$tmp/others.data" 2>"$tmp/said.record" &
	local record=$!
	waits test -s "$tmp/others.data" && mkdir "$one/others" || return
	echo "$pid" >"$one/others/cgroup.procs" || return
	waits has_run $(($(ticks) + 20)) || return
	kill "$pid"
	wait "$pid"
	pid=''
	wait "$record" || { cat "$tmp/said.record"; return 1; }
	rmdir "$one/others"
	same_rows "$tmp/others.data" && has "$tmp/our.rows" ' /lw-one/others$' &&
		! grep '\[' "$tmp/our.rows"
}

all_cpus() {
	exits 0 latewind record --all-cgroups -a -o "$tmp/all.data" -- bash "$tmp/command" &&
		same_rows "$tmp/all.data" && has "$tmp/our.rows" ' /$' ' /lw-one$' ' /lw-one/new$'
}

# Samples of each name and cgroup. Only later perfs have that field.
script_has_them() {
	local file=$tmp/command.data
	exits 0 latewind script -i "$file" -F comm,cgroup || return
	awk '{ print $1, $2 }' "$tmp/out" | sort | uniq -c >"$tmp/our.script"
	has "$tmp/our.script" ' tool_target /lw-one$' ' tool_target /lw-one/new$' || return
	perf script -h 2>&1 | grep -q ,cgroup || return 0
	perf script -i "$file" -F comm,cgroup "$user_names" 2>"$err" | awk '{ print $1, $2 }' | sort |
		uniq -c >"$tmp/perf.script"
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	same "$tmp/perf.script" "$tmp/our.script"
}

# The root, the one that was there, the one that was made.
records_are_counted() {
	local there
	perf report -i "$tmp/command.data" --stats "$user_names" >"$tmp/stats" 2>"$err" ||
		{ cat "$err"; return 1; }
	there=$(find "$mount" -type d | wc -l)
	equal records "$(sed -n 's/ *CGROUP events: *\([0-9]*\).*/\1/p' "$tmp/stats")" $((there + 1))
}

one_can_be_chosen() {
	local file=$tmp/command.data
	our_rows "$file" --cgroup /lw-one >"$tmp/both" &&
		equal rows "$(awk '{ print $2 }' "$tmp/both" | sort | xargs)" '/lw-one /lw-one/new' &&
		our_rows "$file" --cgroup /nobody,/lw-one/new >"$tmp/new" &&
		equal rows "$(cat "$tmp/new")" '100.00% /lw-one/new' &&
		exits 1 latewind report -i "$file" --cgroup /lw && has "$err" 'no samples' &&
		! grep -q 'tell of cgroups' "$err" &&
		exits 2 latewind report -i "$file" --cgroup lw-one && has "$err" "'lw-one'" &&
		exits 2 latewind script -i "$file" --cgroup '/lw-one,' && has "$err" 'begins with'
}

nothing_where_nobody_asks() {
	exits 0 latewind record -o "$tmp/plain.data" -- "$target" spin 300 &&
		our_rows "$tmp/plain.data" >"$tmp/our.rows" &&
		equal rows "$(cat "$tmp/our.rows")" '100.00% [unknown]' &&
		perf report -i "$tmp/plain.data" --stats "$user_names" >"$tmp/stats" 2>"$err" &&
		! grep CGROUP "$tmp/stats"
}

# And with an event that is held back until it is known how long it was.
deferred_and_packed() {
	exits 0 latewind record --all-cgroups --off-cpu --deferred -z -o "$tmp/packed.data" \
		-- bash "$tmp/command" &&
		our_rows "$tmp/packed.data" -e cpu-clock >"$tmp/our.rows" &&
		has "$tmp/our.rows" ' /lw-one$' ' /lw-one/new$' &&
		our_rows "$tmp/packed.data" -e off-cpu >"$tmp/our.rows" &&
		has "$tmp/our.rows" ' /$'
}

through_a_pipe() {
	latewind record --all-cgroups -o - -- bash "$tmp/command" 2>"$err" >"$tmp/pipe.data" ||
		{ cat "$err"; return 1; }
	same_rows "$tmp/pipe.data" && has "$tmp/our.rows" ' /lw-one$' ' /lw-one/new$'
}

wrong_use() {
	exits 2 latewind live --all-cgroups -- true && has "$err" 'all-cgroups'
}

# perf's controller is there for new cgroups once any was enabled, as systemd does.
kernel_tells() {
	echo +pids >"$mount/cgroup.subtree_control"
}

needs latewind perf
[ -e "$mount/cgroup.procs" ] || mount -t cgroup2 none "$mount" 2>"$err" ||
	skip_all "no cgroup2: $(cat "$err")"
mkdir "$one" || exit
# Where the kernel does not tell of new cgroups, the tool looks for them. So this one stays
# until the recording has ended.
ok 'a command is recorded where the kernel may not tell of new ones' record_command : &&
	ok 'perf and report have the same rows there' rows_are_those_of_perf
rmdir "$one/new" "$one"
ok 'the kernel tells of new ones' kernel_tells
mkdir "$one" || exit
ok 'a command is recorded' record_command &&
	ok 'perf and report have the same rows' rows_are_those_of_perf &&
	ok 'perf script and script have the same cgroups' script_has_them &&
	ok 'there is a record for each cgroup' records_are_counted &&
	ok 'one can be chosen' one_can_be_chosen
choose 1 all_cpus deferred_and_packed through_a_pipe made_by_others nothing_where_nobody_asks
ok_if_chosen 'others may make them' made_by_others
ok_if_chosen 'all CPUs' all_cpus
ok_if_chosen 'stacks of their own, packed' deferred_and_packed
ok_if_chosen 'a pipe' through_a_pipe
ok_if_chosen 'they are left out where nobody asks' nothing_where_nobody_asks
ok 'wrong use is told' wrong_use
checks_done
