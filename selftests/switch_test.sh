#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# switch_test.sh: record --switch-output, against one file of all: no sample is lost or
# doubled between files, and each of them tells all of its samples by itself. Needs the tool
# in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

deterministic=$PWD/deterministic
pid='' hits=0
trap checks_free EXIT

stat_of() { # FILE NAME
	sed -n "s/^\"$2\":\([0-9.]*\)[,}]$/\1/p" "$1"
}

# stacks FILE: of its samples, by perf, a line each: the names down to main.
stacks() {
	perf script -i "$1" --no-inline -F ip,sym 2>"$err" | awk '
	!NF { if (line != "") print line; line = ""; next }
	line !~ / main$/ { line = line " " $2 }
	END { if (line != "") print line }'
}

all_stacks() { # FILE...
	local file
	for file; do
		stacks "$file" || return
	done
}

# files NAME: those that were complete, the oldest first.
files() {
	ls "$1".2*
}

there_are() { # NAME COUNT
	[ "$(files "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}

one_run() {
	exits 0 latewind record -q -e "$deterministic:hit" -o "$tmp/one.data" -- "$deterministic" &&
	stacks "$tmp/one.data" | sort >"$tmp/one.stacks"
	hits=$(wc -l <"$tmp/one.stacks")
	[ "$hits" -ge 10 ]
}

# begin NAME OPTION...: a recording of a program that runs again and again, until it may end;
# $most times at most.
most=1000000
begin() {
	local name=$1
	shift
	rm -f "$tmp/end" "$tmp/$name.runs"
	# shellcheck disable=SC2016 # the other shell's own
	latewind record -e "$deterministic:hit" -o "$tmp/$name.data" \
		--stats "$tmp/$name.json" "$@" -- sh -c '
		n=0
		until [ -e "$1/end" ]; do
			[ $((n += 1)) -le "$4" ] || { sleep 0.05; continue; }
			"$2" >"$1/ran"; echo >>"$3"
		done' \
		sh "$tmp" "$deterministic" "$tmp/$name.runs" "$most" >"$tmp/$name.out" 2>&1 &
	pid=$!
	waits test -s "$tmp/$name.runs"
}

end() { # NAME
	local status=0
	touch "$tmp/end"
	wait "$pid" || status=$?
	[ "$status" = 0 ] || { cat "$tmp/$1.out"; return 1; }
	[ ! -e "$tmp/$1.data" ] || { echo "$1.data is there"; return 1; }
}

# Every run's stacks are there once, in one of the files, with all their names.
files_have_all() { # NAME
	local runs i
	runs=$(wc -l <"$tmp/$1.runs")
	equal 'lost records' "$(stat_of "$tmp/$1.json" lost_records)" 0 &&
	equal 'samples' "$(stat_of "$tmp/$1.json" samples)" $((runs * hits)) || return
	for ((i = 0; i < runs; i++)); do
		cat "$tmp/one.stacks"
	done | sort >"$tmp/expected"
	mapfile -t all < <(files "$tmp/$1.data")
	all_stacks "${all[@]}" | sort >"$tmp/found"
	cmp "$tmp/expected" "$tmp/found"
}

# perf's reader and ours count the same of each.
each_is_read_by_both() { # NAME
	local file
	for file in "$tmp/$1.data".2*; do
		stacks "$file" >"$tmp/theirs" &&
		exits 0 latewind script -F comm -i "$file" || return
		equal "$file" "$(grep -c deterministic "$tmp/out")" "$(wc -l <"$tmp/theirs")" ||
			return
	done
}

# Its name has the time of a clock; the side-band is once more in each.
by_signal() {
	begin signal --switch-output || return
	for count in 1 2 3; do
		kill -USR2 "$pid" && waits there_are "$tmp/signal.data" "$count" || return
	done
	end signal && equal files "$(files "$tmp/signal.data" | wc -l)" 4 || return
	has "$tmp/signal.out" 'dump .*/signal\.data\.20[0-9]{14} \]' \
		'wrote .* to 4 files, the last one is .*/signal\.data\.20[0-9]{14} \]' &&
	files_have_all signal && each_is_read_by_both signal
}

by_size() {
	begin size --switch-output=30K -z && waits there_are "$tmp/size.data" 3 &&
	end size && files_have_all size && each_is_read_by_both size
}

by_time_newest_are_kept() {
	local first
	begin time --switch-output=1s --switch-max-files 2 &&
	waits there_are "$tmp/time.data" 1 || return
	first=$(files "$tmp/time.data" | head -n 1)
	waits test ! -e "$first" && end time &&
	equal files "$(files "$tmp/time.data" | wc -l)" 2 && each_is_read_by_both time
}

# Rings that keep all, however late a dump is: each has what came since the one before.
flight_recorder_is_dumped() {
	local most=100
	begin flight --overwrite --switch-output --ring-size 4M || return
	for count in 1 2; do
		kill -USR2 "$pid" && waits there_are "$tmp/flight.data" "$count" || return
	done
	end flight && equal files "$(files "$tmp/flight.data" | wc -l)" 3 &&
	equal overwritten "$(stat_of "$tmp/flight.json" overwritten_records)" 0 &&
	files_have_all flight && each_is_read_by_both flight
}

# Small ones: what a file has is the newest, and none of it is in another.
flight_recorder_forgets() {
	local nr
	begin small --overwrite --switch-output=signal --ring-size 16K || return
	kill -USR2 "$pid" && waits there_are "$tmp/small.data" 1 && end small || return
	nr=$(stat_of "$tmp/small.json" samples)
	mapfile -t all < <(files "$tmp/small.data")
	equal samples "$(all_stacks "${all[@]}" | wc -l)" "$nr" &&
	[ "$nr" -gt 0 ] && [ "$nr" -lt $(($(wc -l <"$tmp/small.runs") * hits)) ] &&
	each_is_read_by_both small
}

one_file_of_a_time() {
	exits 0 latewind record --timestamp-filename -o "$tmp/named.data" -- "$deterministic" &&
	has "$err" 'wrote .* to .*/named\.data\.20[0-9]{14} \]' &&
	equal files "$(files "$tmp/named.data" | wc -l)" 1 && [ ! -e "$tmp/named.data" ]
}

refused() { # WORDS OPTION...
	local words=$1
	shift
	exits 2 latewind record -o "$tmp/refused.data" "$@" -- true && has "$err" "$words"
}

what_makes_no_sense_is_refused() {
	refused "'often' is neither signal" --switch-output=often &&
	refused "'10' is neither signal" --switch-output=10 &&
	refused "'0s' is neither signal" --switch-output=0s &&
	refused "'99999999999999d' is neither" --switch-output=99999999999999d &&
	refused 'goes with --switch-output only' --switch-max-files 3 &&
	refused 'such a file does not grow' --switch-output=1M --overwrite &&
	exits 1 latewind record -o - --switch-output -- true &&
	has "$err" "the standard output can't get another name"
}

needs latewind perf
ok 'one run' one_run
ok 'by SIGUSR2' by_signal
ok 'by size' by_size
ok 'by time; the newest are kept' by_time_newest_are_kept
ok 'a flight recorder is dumped' flight_recorder_is_dumped
ok 'a flight recorder forgets' flight_recorder_forgets
ok '--timestamp-filename' one_file_of_a_time
ok 'what makes no sense is refused' what_makes_no_sense_is_refused
checks_done
