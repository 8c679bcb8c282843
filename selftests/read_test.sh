#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# read_test.sh: what latewind reads out of recordings is what perf does: our own
# and perf's, in a file and from a pipe, whole and cut. Needs the tool in PATH
# and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

deterministic=$PWD/deterministic
cp tool_target "$tmp/" || exit
target=$tmp/tool_target

trap checks_free EXIT

# chains FILE [plain]: a line a sample of a text that was taken in the program: name,
# process, time and event, then its frames. What has several names may be called
# by any: outside of the program only the place counts. So it does with "plain":
# perf looks a return address up as it is, though the call is before it.
chains() {
	awk -v plain="${2:-}" '
	function finish() {
		if (own)
			print line
		line = ""; own = 0
	}
	/^\t/ {
		file = $NF
		gsub(/.*\/|[()]/, "", file)
		ours = file == "deterministic" || file == "tool_target"
		own = own || ours
		line = line " " $1 "/" (ours && !plain ? $2 : "") "/" (file ~ /^\[/ ? "" : file)
		next
	}
	/^$/ { finish(); next }
	{ $1 = $1; line = $0 }
	END { finish() }' "$1"
}

# same_chains FILE: perf's and latewind's script of it.
same_chains() {
	perf script -i "$1" --no-inline --max-stack 1024 >"$tmp/theirs" 2>"$err" ||
		{ cat "$err"; return 1; }
	exits 0 latewind script -i "$1" || return
	chains "$tmp/theirs" >"$tmp/theirs.chains"
	chains "$tmp/out" >"$tmp/ours.chains"
	same "$tmp/theirs.chains" "$tmp/ours.chains"
}

record_deterministic() {
	exits 0 latewind record -e "$deterministic:hit" -o "$tmp/probe.data" -- "$deterministic" &&
	exits 0 latewind record -e raw_syscalls:sys_enter -o "$tmp/calls.data" \
		-- "$target" calls 20
}

# Byte for byte, of what was compared just before; below main it is libc, whose names
# have aliases.
probe_is_the_same_text() {
	sed '/ main+/q' "$tmp/theirs" >"$tmp/theirs.first"
	sed '/ main+/q' "$tmp/out" >"$tmp/ours.first"
	[ "$(wc -l <"$tmp/ours.first")" -ge 3 ] || { cat "$tmp/ours.first"; return 1; }
	cmp "$tmp/theirs.first" "$tmp/ours.first"
}

# Both sides of a pipe are perf's form: attributes and features as records. On arm64 perf has no
# rules of the vDSO, and finds no caller in x30 there.
pipe_of_perf_is_read() {
	perf record -q -e cpu-clock -c 1000000 -g -o - "$target" spin 300 \
		>"$tmp/pipe.data" 2>"$err" || { cat "$err"; return 1; }
	perf script --no-inline --max-stack 1024 -i - <"$tmp/pipe.data" >"$tmp/theirs" \
		2>"$err" || { cat "$err"; return 1; }
	# shellcheck disable=SC2002 # a pipe is what is tested
	cat "$tmp/pipe.data" | latewind script -i - >"$tmp/ours" 2>"$err" ||
		{ cat "$err"; return 1; }
	chains "$tmp/theirs" plain >"$tmp/theirs.chains"
	chains "$tmp/ours" plain >"$tmp/ours.chains"
	[ "$(uname -m)" != aarch64 ] || sed -i '\|: [0-9a-f]*// |d' "$tmp/theirs.chains" "$tmp/ours.chains"
	[ "$(wc -l <"$tmp/ours.chains")" -ge 50 ] || { echo 'hardly a sample'; return 1; }
	same "$tmp/theirs.chains" "$tmp/ours.chains"
}

# periods FILE: of each event, how many samples and what they sum up to.
periods() {
	awk '{ sub(/:$/, "", $2); nr[$2]++; sum[$2] += $1 }
		END { for (e in nr) printf "%s %d %d\n", e, nr[e], sum[e] }' | sort
}

# perf's leader sampling: what the leader's samples tell of others are their samples.
group_of_perf_is_read() {
	perf record -q -e '{cpu-clock,page-faults,context-switches}:S' -c 1000000 -g \
		-o "$tmp/group.data" "$target" calls 20000 >/dev/null 2>"$err" ||
		{ cat "$err"; return 1; }
	perf script -F period,event,ip -i "$tmp/group.data" 2>"$err" |
		grep -E '^ *[0-9]+ +[a-z-]+:' | periods >"$tmp/theirs"
	latewind script -F period,event -i "$tmp/group.data" | grep . | periods >"$tmp/ours"
	has "$tmp/theirs" '^cpu-clock ' '^page-faults [1-9]' && cmp "$tmp/theirs" "$tmp/ours" &&
	exits 0 latewind report -g none -i "$tmp/group.data" &&
	has "$tmp/out" 'page-faults'
}

# printed PATTERN OPTION...: how many lines of a script of calls have it.
printed() {
	local pattern=$1
	shift
	latewind script -i "$tmp/calls.data" "$@" | grep -cE -e "$pattern"
}

calls_of_target() {
	latewind script -i "$tmp/calls.data" |
		awk -v RS= '/\/tool_target\)/ { n++ } END { print n }'
}

# Each sample is in one of two halves; perf finds as many in each.
parts_of_time() { # SAMPLES
	local part nr sum=0
	for part in 50%/1 50%-100%; do
		nr=$(printed . -F comm --time "$part")
		sum=$((sum + nr))
		equal "$part" "$nr" "$(perf script $user_names -i "$tmp/calls.data" -F comm \
			--time "$part" 2>"$err" | grep -c .)" || return
	done
	equal 'both' "$sum" "$1" &&
	exits 2 latewind script --time 50%/3 "$tmp/calls.data" && has "$err" 'no part of 100%' &&
	exits 2 latewind script --time 5%,6 "$tmp/calls.data" && has "$err" 'neither 10%-20% nor'
}

filters_choose() {
	local all first last
	all=$(printed . -F comm)
	[ "$all" -ge 20 ] || { echo "only $all samples"; return 1; }
	equal '--comm' "$(printed . -F comm --comm nobody,tool_target)" "$all" &&
	equal '--comm nobody' "$(printed . -F comm --comm nobody)" 0 &&
	equal '--tid' "$(printed . -F comm --tid 1)" 0 &&
	equal '--dso' "$(printed '^\S' --dso tool_target)" "$(calls_of_target)" &&
	equal '--max-stack' "$(printed $'^\t' --max-stack 1)" "$all" || return
	first=$(latewind script -i "$tmp/calls.data" -F time | awk 'NR == 1 { print $1 }')
	last=$(latewind script -i "$tmp/calls.data" -F time | awk 'END { print $1 }')
	equal '--time' "$(printed . -F comm --time "${first%:},")" "$all" &&
	equal 'before' "$(printed . -F comm --time ",0.5")" 0 &&
	equal 'after' "$(printed . -F comm --time "$((${last%.*} + 1)),")" 0 &&
	parts_of_time "$all"
}

# Of a recording of all CPUs, which has some of each; and a file by its name alone.
cpus_are_chosen() {
	exits 0 latewind record -q -a -F 499 -o "$tmp/cpus.data" -- sh -c \
		'taskset -c 0 "$1" spin 200 & taskset -c 1 "$1" spin 200; wait' sh "$target" &&
	exits 0 latewind script -C 1 -F cpu "$tmp/cpus.data" &&
		has "$tmp/out" '^\[001\]' && ! grep -F '[000]' "$tmp/out" || return
	perf script -C 0 -F cpu -i "$tmp/cpus.data" 2>/dev/null | grep -c '[000]' >"$tmp/theirs" || return
	exits 0 latewind script -C 0,7-9 -F cpu "$tmp/cpus.data" &&
		equal 'of CPU 0' "$(grep -c '[000]' "$tmp/out")" "$(cat "$tmp/theirs")" &&
	exits 0 latewind report -C 1 -g none --comms tool_target --dsos tool_target "$tmp/cpus.data" &&
		has "$tmp/out" 'tool_target' &&
	exits 2 latewind report -C 1- && has "$err" "'1-' is no list of CPUs" &&
	exits 2 latewind report "$tmp/cpus.data" other && has "$err" "'other' is one recording too many" &&
	exits 2 latewind script -i "$tmp/cpus.data" other && has "$err" "'other' is one recording" ||
		return
	perf record -q -e cpu-clock -o "$tmp/bare.data" "$target" spin 50 2>"$err" &&
		exits 0 latewind script -C 0 "$tmp/bare.data" && has "$err" 'does not tell of CPUs'
}

copies_are_unwound() {
	perf record -q -e cpu-clock -F 997 --call-graph dwarf $user_registers -o "$tmp/copies.data" \
		"$target" spin 100 2>"$err" &&
	exits 0 latewind script -F ip,sym -i "$tmp/copies.data" && spin_is_whole "$tmp/out"
}

cut_file_says_so() {
	head -c $(($(stat -c %s "$tmp/probe.data") / 2)) "$tmp/probe.data" >"$tmp/cut.data"
	exits 0 latewind script -i "$tmp/cut.data" || return
	has "$err" 'it is cut' && has "$tmp/out" ' hit\+'
}

# A program and its thread can be named anything.
names_drive_no_terminal() {
	local program=$tmp/$'red\e[31m'
	cp tool_target "$program" &&
	exits 0 latewind record -e raw_syscalls:sys_enter -o "$tmp/red.data" -- "$program" calls 5 &&
	exits 0 latewind script -i "$tmp/red.data" || return
	has "$tmp/out" '^red\?\[31m ' '/red\?\[31m\)' && ! grep -q $'\e' "$tmp/out" "$err"
}

no_recording() {
	exits 1 latewind script -i /etc/passwd && has "$err" '/etc/passwd' 'no perf.data file' &&
		exits 1 latewind script -i "$tmp/nowhere" && has "$err" "$tmp/nowhere" &&
		exits 1 latewind script "$tmp" && has "$err" "$tmp is a directory" &&
		exits 1 latewind report /dev/null && has "$err" '/dev/null is a device' &&
		: >"$tmp/empty" && exits 1 latewind report "$tmp/empty" &&
		has "$err" "$tmp/empty is empty: nothing was recorded" &&
		mkfifo "$tmp/fifo" && exits 1 latewind report "$tmp/fifo" &&
		has "$err" "$tmp/fifo is a pipe" &&
		exits 1 latewind report -i - </dev/null && has "$err" 'it is empty' &&
		exits 2 latewind script --no-such-option && has "$err" 'unknown option'
}

needs latewind perf

ok 'record' record_deterministic
ok "a probe's chains are perf's" same_chains "$tmp/probe.data"
ok 'and its text, byte for byte' probe_is_the_same_text
choose 3 "$tmp/calls.data" cpus_are_chosen pipe_of_perf_is_read filters_choose names_drive_no_terminal
ok_if_chosen "a tracepoint's chains are perf's" same_chains "$tmp/calls.data"
ok_if_chosen "perf's own recording, from a pipe" pipe_of_perf_is_read
ok "a group of perf's" group_of_perf_is_read
ok_if_chosen 'filters and fields' filters_choose
ok_if_chosen 'CPUs, and files without -i' cpus_are_chosen
ok 'copies of stacks are unwound' copies_are_unwound
ok 'a file that was cut' cut_file_says_so
ok_if_chosen 'names that would drive a terminal' names_drive_no_terminal
ok 'what is no recording' no_recording
checks_done
