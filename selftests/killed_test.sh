#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# killed_test.sh: a recording that is killed, at any moment, or that has no more room can be
# read up to then, by latewind and by perf, and says that it ends early. One that does not
# begin leaves all files as they were. Needs the tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target_pid='' recorder='' full=$tmp/full
cleanup() {
	[ -z "$recorder" ] || kill -KILL "$recorder" 2>/dev/null
	[ -z "$target_pid" ] || kill "$target_pid" 2>/dev/null
	mountpoint -q "$full" && umount "$full"
	checks_free
}
trap cleanup EXIT

kills=10
! long_form || kills=200
RANDOM=$seed

perl -e 'sub f { my $n = shift; return $n < 2 ? $n : f($n - 1) + f($n - 2) } f(15) while 1' &
target_pid=$!

# A line a sample, the same of both; of events perf has other names.
lines_of_theirs() {
	perf script $user_names -i "$1" -F time 2>"$tmp/theirs.err" | awk '{ print $1 }'
}

lines_of_ours() {
	latewind script -i "$1" -F time 2>"$err" | awk '{ print $1 }'
}

# read_by_both FILE: leaves the number of samples in $samples.
read_by_both() {
	lines_of_ours "$1" >"$tmp/ours.lines"
	lines_of_theirs "$1" >"$tmp/theirs.lines"
	samples=$(wc -l <"$tmp/ours.lines")
	cmp -s "$tmp/theirs.lines" "$tmp/ours.lines" || same "$tmp/theirs.lines" "$tmp/ours.lines" ||
		{ cat "$err" "$tmp/theirs.err"; return 1; }
	has "$err" 'it ends early' || { echo "of $samples samples"; return 1; }
}

is_larger() { # FILE BYTES
	[ "$(stat -c %s "$1")" -gt "$2" ]
}

# kill_one FILE [OPTION]...: at once, or some time after there is a file, or after it has grown.
kill_one() {
	local file=$1 ms=$((RANDOM % 1000)) begun=$((RANDOM % 4))
	[ -z "$grown" ] || begun=1
	shift
	rm -f "$file" "$file".?*
	latewind record -q -F 2999 -o "$file" "$@" -p "$target_pid" 2>"$tmp/recorder.err" &
	recorder=$!
	[ "$begun" -eq 0 ] || waits [ -e "$file" ] || return
	[ -z "$grown" ] || waits is_larger "$file" "$(stat -c %s "$file")" || return
	sleep "0.$(printf %03d $ms)"
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	recorder=''
}

# Of the first moment there is no file yet, or one without a sample.
killed() {
	local i samples all=0 none=0 empty=0 grown=
	for ((i = 0; i < kills; i++)); do
		kill_one "$tmp/killed" || return
		if [ ! -e "$tmp/killed" ]; then
			none=$((none + 1))
			continue
		fi
		read_by_both "$tmp/killed" || return
		all=$((all + samples))
		empty=$((empty + (samples == 0)))
	done
	echo "# $kills killed: $none had not begun, $empty had no samples, $all samples in the others" >&3
	[ "$all" -gt 100 ] && [ $((none + empty)) -lt "$kills" ]
}
exec 3>&1

# perf cannot read these, nor those of its own: how they are packed is told at the end. They
# are packed once a second.
killed_packed() {
	local i samples=0 all=0 grown=yes
	for ((i = 0; i < kills / 5; i++)); do
		kill_one "$tmp/packed" -z || return
		[ -e "$tmp/packed" ] || continue
		samples=$(lines_of_ours "$tmp/packed" | wc -l)
		has "$err" 'it ends early' || return
		all=$((all + samples))
	done
	echo "# $all samples in packed ones" >&3
	[ "$all" -gt 100 ]
}

no_room() {
	local samples
	mkdir "$full" && mount -t tmpfs -o size=1m none "$full" || return
	exits 1 latewind record -F 2999 -o "$full/data" -p "$target_pid" || return
	has "$err" 'No space left on device' "$full/data can be read up to there" || return
	read_by_both "$full/data" && echo "# $samples samples found room" >&3 && [ "$samples" -gt 100 ]
}

nothing_begins() {
	echo first >"$tmp/data" && echo zeroth >"$tmp/data.old" && echo text >"$tmp/text" &&
		echo numbers >"$tmp/numbers" || return
	exits 127 latewind record -o "$tmp/data" --text "$tmp/text" --stats "$tmp/numbers" \
		-- "$tmp/nowhere" || return
	equal data "$(cat "$tmp/data")" first && equal old "$(cat "$tmp/data.old")" zeroth &&
		equal text "$(cat "$tmp/text")" text && equal numbers "$(cat "$tmp/numbers")" numbers &&
		equal others "$(ls "$tmp"/data.?* "$tmp"/text.?* "$tmp"/numbers.?* 2>/dev/null)" \
			"$tmp/data.old"
}

for_their_owner() {
	(umask 0 && exits 0 latewind record -q -o "$tmp/data" --text "$tmp/text" -- true) || return
	equal rights "$(stat -c %a "$tmp/data" "$tmp/text" | sort -u)" 600 &&
		equal old "$(cat "$tmp/data.old")" first
}

ok 'killed at any moment: read up to then, by perf, too' killed
ok 'packed ones: read up to then' killed_packed
ok 'no more room: read up to then, by perf, too' no_room
ok 'a command that does not exist leaves all files as they were' nothing_begins
ok 'recordings are for their owner only' for_their_owner
checks_done
