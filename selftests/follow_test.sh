#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# follow_test.sh: latewind record, live and trace keep the module supplied with
# unwind tables: of what is mapped at the start, of a command before its first
# instruction, of a new file soon, whatever became of its path; and that a file that
# does not answer holds nothing up. Needs the tool in PATH and perl.
#
# The limits are those in the names of the tests: an emulated CPU has ten times the
# time, and a hundred times for what is work of its own alone.
#
# follow_test.sh [GROUP]...: all groups or some.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

# In a tmpfs, where a file can be deleted, replaced and mounted over.
cp fresh_target libfresh.so libfresh_other.so "$tmp/" || exit
target=$tmp/fresh_target
library=$tmp/libfresh.so
other=$tmp/libfresh_other.so
export XDG_CACHE_HOME=$tmp/cache
scale=${LW_TIME_SCALE:-1}
# An emulated CPU is slower than any that people use, and others want it too.
grep -q QEMU /proc/cpuinfo && emulated=10 || emulated=1
# Milliseconds from a mapping to the last guess, and until many files have tables.
soon=$((100 * emulated * scale))
many_cold=$((2000 * emulated * emulated * scale))
many_warm=$((200 * emulated * emulated * scale))
# shellcheck disable=SC2034 # of checks.sh
patience=300
target_pid=''

paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
cleanup() {
	echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
	[ -z "$target_pid" ] || kill "$target_pid" 2>/dev/null
	checks_free
}
trap cleanup EXIT

end_target() {
	kill "$target_pid"
	wait "$target_pid"
	target_pid=''
}

number() { # FILE NAME: of the statistics
	sed -n "s/^ *\"$2\": \([0-9.]*\),\?$/\1/p" "$1"
}

# recorded NAME [OPTION]... -- COMMAND...: to NAME.txt and NAME.json.
recorded() {
	local name=$tmp/$1
	shift
	exits 0 latewind record --no-kernel -o "$name.data" --text "$name.txt" \
		--stats "$name.json" "$@"
}

at_least() { # WHAT LEFT RIGHT
	awk -v left="$2" -v right="$3" 'BEGIN { exit !(left >= right) }' && return
	echo "$1: $2 is less than $3"
	return 1
}

at_most() { # WHAT LEFT RIGHT
	awk -v left="$2" -v right="$3" 'BEGIN { exit !(left <= right) }' && return
	echo "$1: $2 is more than $3"
	return 1
}

# whole NAME LEAST: of at least LEAST stacks 99.8 % end at the outermost frame,
# and it is tables that lead there. A sample in execve() has none to walk.
whole() {
	local json=$tmp/$1.json stacks outermost
	stacks=$(($(number "$json" user_stacks) - $(number "$json" no_walks)))
	outermost=$(number "$json" outermost)
	at_least stacks "$stacks" "$2" &&
	at_least 'whole stacks' "$outermost" "$(awk "BEGIN { print $stacks * 0.998 }")" &&
	at_least 'frames by tables' "$(number "$json" frames_table)" "$2" && return
	awk -v RS= '!/end=(outermost|exec)\n/ { print $0 "\n" }' "$tmp/$1.txt" | head -n 40
	return 1
}

# --- what runs as distributions built it

# shellcheck disable=SC2016 # Perl's own
perl_program='
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
my $end = time + 4;
while (time < $end) {
	fib(12);
	join(",", sort { $a <=> $b } map { $_ * 7919 % 1009 } 1 .. 500) =~ /(\d+),\1/;
}'

unmodified_program() {
	recorded perl -- perl -e "$perl_program" && whole perl 100
}

# Page faults begin with the very first instruction.
first_instruction() {
	recorded first -e page-faults -c 1 -- /bin/true &&
		at_least stacks "$(number "$tmp/first.json" user_stacks)" 20 &&
		equal 'not whole' "$(awk -v RS= '!/end=outermost\n/ && !/end=exe/' "$tmp/first.txt")" ''
}

of_what_runs() {
	local status=0
	perl -e 'my $end; sub sum { $end += $_ for @_ } while (1) { sum(sort map { rand } 1 .. 99) }' &
	target_pid=$!
	wait_for 10 grep -qs libm "/proc/$target_pid/maps" || return
	exits 0 latewind live -q --no-kernel --max 200 --stats "$tmp/runs.json" \
		-p "$target_pid" || status=$?
	cp "$tmp/out" "$tmp/runs.txt"
	end_target
	[ "$status" -eq 0 ] && whole runs 100
}

as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# map_files is not for it: files are found by their paths. Debian's kernel has a
# level that wants CAP_SYS_ADMIN of all.
with_perfmon_only() {
	local status=0
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	chmod 755 "$tmp" && mkdir "$tmp/nobody" && chown 65534 "$tmp/nobody" || return
	"${as_nobody[@]}" "$target" run "$library" 600000 &
	target_pid=$!
	wait_for 10 grep -qs libfresh "/proc/$target_pid/maps" || return
	XDG_CACHE_HOME=$tmp/nobody exits 0 "${as_nobody[@]}" --inh-caps=+perfmon \
		--ambient-caps=+perfmon latewind live -q -v --no-kernel --ring-size 64K --max 200 \
		--stats "$tmp/nobody/stats" -p "$target_pid" || status=$?
	end_target
	cat "$err"
	[ "$status" -eq 0 ] || return
	cp "$tmp/out" "$tmp/perfmon.txt"
	cp "$tmp/nobody/stats" "$tmp/perfmon.json"
	whole perfmon 100 && equal failed "$(number "$tmp/perfmon.json" table_files_failed)" 0
}

no_tables() {
	recorded none --no-tables -e "$target:hit" -- "$target" hits 10 &&
		equal frames "$(number "$tmp/none.json" frames_table)" 0 &&
		equal tables "$(number "$tmp/none.json" tables)" 0 &&
		equal whole "$(number "$tmp/none.json" outermost)" 0
}

live_has_them() {
	exits 0 latewind live -q --no-kernel -e "$target:hit" -- "$target" hits 10 &&
		equal stacks "$(grep -c ': end=outermost$' "$tmp/out")" 10 &&
		has "$tmp/out" 'main\+0x.*\[table\]$'
}

trace_has_them() {
	exits 0 latewind trace --stack --json -e write -o "$tmp/trace.json" -- \
		"$target" run "$library" 1 && has "$tmp/trace.json" '"symbol":"main".*"symbol":"_start"'
}

# --- short-lived processes

# hits_are_whole NAME NUMBER: so many in fresh_target, or one more where a probed
# instruction had to begin anew; each in hit < middle < outer < main, by tables.
hits_are_whole() {
	awk -v RS= -v want="$2" '
	/\n[^\n]* hit\+0x0 / {
		hits++
		if (/end=outermost\n.* middle\+.*\[table\]\n.* outer\+.*\[table\]\n.* main\+.*\[table\]/)
			whole++
		else if (!shown++)
			print
	}
	END {
		bad = hits < want || hits > want * 1.01 || whole != hits
		if (bad)
			print hits + 0 " hits, " whole + 0 " whole, of " want
		exit bad
	}' "$tmp/$1.txt"
}

# Of a file that is known: from the first sample on.
short_lived() {
	"$target" wait &
	target_pid=$!
	wait_for 10 grep -q libc "/proc/$target_pid/maps" || return
	# shellcheck disable=SC2016 # the other shell's own
	recorded short -a -e "$target:hit" -- sh -c \
		'for i in $(seq 100); do "$1" hits 2 || exit; done' sh "$target"
	end_target
	hits_are_whole short 200
}

# --- files that nobody has seen

# delays NAME TIMES: milliseconds from each mapping, as fresh_target told them in
# TIMES, to the last stack that is not whole; files without a whole one say so.
delays() {
	awk -v times="$2" '
	BEGIN {
		while ((getline line <times) > 0) {
			split(line, word, " ")
			begin[word[2]] = word[1]
		}
		RS = ""
		FS = "\n"
	}
	match($2, /\([^()]*/) {
		path = substr($2, RSTART + 1, RLENGTH - 1)
		sub(/ $/, "", path)
		if (!(path in begin) || !match($1, / [0-9]+\.[0-9]+ cpu-clock/))
			next
		split(substr($1, RSTART + 1, RLENGTH), at, /[. ]/)
		delay = (at[1] * 1e9 + at[2] - begin[path]) / 1e6
		if ($1 ~ /: end=outermost$/ && $3 ~ /\[table\]$/) {
			good[path]++
		} else {
			bad[path]++
			if (delay > last[path])
				last[path] = delay
		}
	}
	END {
		for (path in begin)
			print good[path] + 0, bad[path] + 0, last[path] + 0, path
	}' "$tmp/$1.txt"
}

# right_in_time NAME TIMES NUMBER [HALF]: so many files, each with whole stacks, and no
# other ones $soon milliseconds after it was mapped; for half of them HALF ms after.
right_in_time() {
	delays "$1" "$2" >"$tmp/delays"
	echo "# $1: $(sort -k 3,3n "$tmp/delays" | awk '{ last[NR] = $3 }
		END { printf "the last guess after %.1f ms (median), %.1f ms (most)",
		      last[int((NR + 1) / 2)], last[NR] }'), table after at most $(
		number "$tmp/$1.json" table_delay_us) us" >&3
	equal files "$(wc -l <"$tmp/delays")" "$3" || return
	late=yes
	equal 'no whole stack' "$(awk '!$1' "$tmp/delays")" '' &&
	equal 'too late' "$(awk -v most="$soon" '$3 > most' "$tmp/delays")" '' &&
	at_least 'files in time' "$(awk -v most="${4:-$soon}" '$3 <= most' "$tmp/delays" | wc -l)" \
		$((($3 + 1) / 2))
}

# in_time FUNCTION: a machine that others use, too, stands still at times: of three turns
# one is in time. What is late by itself is late in all; nothing else gets another turn.
in_time() {
	local turn
	for turn in 1 2 3; do
		late=''
		"$1" && return
		echo "  of $1, turn $turn"
		[ "$late" ] || return
	done
	return 1
}

new_files() {
	recorded new -- "$target" open "$library" "$tmp/new" 10 600 &&
		grep "^[0-9]* $tmp/new" "$tmp/out" >"$tmp/new.times" &&
		right_in_time new "$tmp/new.times" 10 100
}

# Each CPU has more to do than it can.
new_files_while_busy() {
	local load=() status=0 i
	for ((i = 0; i < 2 * $(nproc); i++)); do
		perl -e 'while (1) {}' &
		load+=($!)
	done
	recorded busy -- "$target" open "$library" "$tmp/busy" 5 1000 || status=$?
	kill "${load[@]}"
	wait "${load[@]}"
	[ "$status" -eq 0 ] || return
	grep "^[0-9]* $tmp/busy" "$tmp/out" >"$tmp/busy.times" &&
		right_in_time busy "$tmp/busy.times" 5
}

new_files_everywhere() {
	recorded all -a -- "$target" open "$library" "$tmp/all" 5 600 &&
		grep "^[0-9]* $tmp/all" "$tmp/out" >"$tmp/all.times" &&
		right_in_time all "$tmp/all.times" 5 100
}

deleted_files() {
	recorded deleted -- "$target" open "$library" "$tmp/deleted" 5 600 unlink &&
		grep "^[0-9]* $tmp/deleted" "$tmp/out" >"$tmp/deleted.times" &&
		missing "$tmp/deleted.0.so" &&
		right_in_time deleted "$tmp/deleted.times" 5 100
}

# One after the other at the same path: renamed over it, and written into it. The
# rows of the one are wrong for the other.
replaced_files() {
	# cp(1) and mv(1) have libraries that are new here, too, and come from a slow disk.
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -a -o "$tmp/copies.data" -- sh -c \
		'cp "$1" "$2.tmp" && mv "$2.tmp" "$2"' sh "$library" "$tmp/copied.so" || return
	# shellcheck disable=SC2016 # the other shell's own
	recorded replaced -a -- sh -c '
		set -e
		cp "$2" "$4.so"; "$1" run "$4.so" 600
		cp "$3" "$4.tmp"; mv "$4.tmp" "$4.so"; "$1" run "$4.so" 600
		cat "$2" >"$4.so"; "$1" run "$4.so" 600
		' sh "$target" "$library" "$other" "$tmp/replaced" || return
	replaced_in_time
}

# The path is the same three times, so each is known by the time that it was mapped.
replaced_in_time() {
	local times nr
	mapfile -t times < <(sed -n "s| $tmp/replaced.*||p" "$tmp/out")
	equal runs ${#times[@]} 3 || return
	for nr in 0 1 2; do
		awk -v RS= -v from="${times[nr]}" -v to="${times[nr + 1]:-9e18}" '
		/\/replaced\.so/ {
			match($0, / [0-9]+\.[0-9]+ cpu-clock/)
			split(substr($0, RSTART + 1, RLENGTH), at, /[. ]/)
			time = at[1] * 1e9 + at[2]
			if (time >= from && time < to)
				printf "%s\n\n", $0
		}' "$tmp/replaced.txt" >"$tmp/replaced$nr.txt"
		cp "$tmp/replaced.json" "$tmp/replaced$nr.json"
		echo "${times[nr]} $tmp/replaced.so" >"$tmp/replaced$nr.times"
		right_in_time "replaced$nr" "$tmp/replaced$nr.times" 1 || return
	done
}

# Its path leads elsewhere, or nowhere, for us.
other_mounts() {
	mkdir -p "$tmp/mount"
	# mount(8) has libraries that are new here, too.
	exits 0 latewind record -o "$tmp/mount.data" -- unshare -m mount -t tmpfs none "$tmp/mount"
	# shellcheck disable=SC2016 # the other shell's own
	recorded mounts -a -- unshare -m sh -c '
		mount -t tmpfs none "$3" && cp "$1" "$2" "$3" && cd "$3" &&
		"$3/fresh_target" open "$3/libfresh.so" "$3/mounted" 5 600' \
		sh "$target" "$library" "$tmp/mount" || return
	grep "^[0-9]* $tmp/mount" "$tmp/out" >"$tmp/mounts.times"
	missing "$tmp/mount/fresh_target" && right_in_time mounts "$tmp/mounts.times" 5
}

# --- many files at the start

hold_many() {
	"$target" copies "$library" "$tmp/many" 300 || return
	"$target" hold "$tmp/many" 300 >"$tmp/ready" &
	target_pid=$!
	wait_for 60 has "$tmp/ready" ready
}

# many NAME MILLISECONDS CACHED: 300 shared objects have their tables in time. That
# is most of a second's work of an emulated CPU, whatever share of a busy machine it
# gets; make bench-tables has the goals of a real one, 2 and 0.2 s.
many() {
	local name=$1 start
	recorded "$name" -a -F 99 -- sleep 2 || return
	start=$(number "$tmp/$name.json" table_start_us)
	echo "# $name: $(number "$tmp/$name.json" table_files) files at the start in $start us" >&3
	at_least files "$(number "$tmp/$name.json" table_files)" 300 &&
	at_least 'from the cache' "$(number "$tmp/$name.json" table_files_cached)" "$3" &&
	at_most microseconds "$start" $(($2 * 1000)) &&
	equal 'not whole' "$(awk -v RS= '/ fresh_leaf\+/ && !/: end=outermost\n/' \
		"$tmp/$name.txt")" ''
}

many_cold() {
	rm -rf "$XDG_CACHE_HOME"
	many cold "$many_cold" 0
}

# --- what has no table

says_what_has_none() {
	: >"$tmp/empty"
	# shellcheck disable=SC2016 # Perl's own
	cat >"$tmp/junk.pl" <<-'END'
		require "syscall.ph" if 0;
		open(my $file, "+>", $ARGV[0]); print $file "x" x 8192; $file->flush();
		# mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
		syscall(9, 0, 4096, 5, 2, fileno($file), 0);
	END
	recorded junk -v -- perl "$tmp/junk.pl" "$tmp/junk" &&
		has "$err" "no unwind table of $tmp/junk: no ELF file" \
			'1 files have no unwind table \(.*1 no ELF file' &&
		equal failed "$(number "$tmp/junk.json" table_files_failed)" 1
}

# Whoever opens the file waits for an answer by a child that gives none (fanotify), as
# with a server that is gone. The child outlives a recording that does not wait for it.
does_not_answer() {
	local child status=0
	# an empty one is not worth being opened
	echo text >"$tmp/hangs"
	cat >"$tmp/hang.pl" <<-'END'
		use strict;
		my ($path, $pid_file) = @ARGV;
		open(my $file, "<", $path) or die;
		# fanotify_init(FAN_CLASS_CONTENT, O_RDONLY), then
		# fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path)
		my $fanotify = syscall(300, 4, 0);
		syscall(301, $fanotify, 1, 0x10000, -100, $path) and die;
		my $child = fork();
		if (!$child) {
			open(STDOUT, ">", "/dev/null");
			sleep(300);
			exit;
		}
		open(my $out, ">", $pid_file) or die;
		print $out "$child\n";
		close($out);
		# mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
		syscall(9, 0, 4096, 5, 2, fileno($file), 0);
		# until somebody waits for the answer, and then for a while
		my $ask = "";
		vec($ask, $fanotify, 1) = 1;
		my $end = time + 20;
		while (time < $end) {
			my $asked = $ask;
			last if select($asked, undef, undef, 0) > 0;
		}
		$end = time + 2;
		while (time < $end) {}
	END
	recorded hang -- perl "$tmp/hang.pl" "$tmp/hangs" "$tmp/hang.pid" || status=$?
	child=$(cat "$tmp/hang.pid") || return
	kill "$child" || { echo 'the recording waited for the child'; return 1; }
	[ "$status" -eq 0 ] && has "$err" 'a mapped file does not answer' &&
		at_least samples "$(number "$tmp/hang.json" samples)" 100 &&
		equal 'of the file' "$(stat -c %s "$tmp/hang.data")" \
			"$(number "$tmp/hang.json" bytes_written)"
}

test_start() {
	ok 'an unmodified program: whole stacks' unmodified_program
	ok 'a command has its tables at its first instruction' first_instruction
	ok '-p: of what runs already' of_what_runs
	ok '-p without CAP_SYS_ADMIN' with_perfmon_only
	ok '--no-tables: none' no_tables
	ok 'live has them' live_has_them
	ok 'trace --stack has them' trace_has_them
	ok 'short-lived processes of a known file: from the first sample' short_lived
	ok 'what is no ELF file is told' says_what_has_none
	# fanotify_init(FAN_CLASS_CONTENT, O_RDONLY)
	if perl -e 'exit(syscall(300, 4, 0) < 0)'; then
		ok 'a file that does not answer holds nothing up' does_not_answer
	else
		skip 'a file that does not answer holds nothing up' 'no fanotify'
	fi
}

test_new() {
	ok "new files: within $soon ms, half of them within 100" in_time new_files
	ok "new files while all CPUs are busy: within $soon ms" in_time new_files_while_busy
	ok "new files with -a: within $soon ms, half of them within 100" in_time new_files_everywhere
	ok "deleted files: within $soon ms, half of them within 100" in_time deleted_files
	ok "replaced files: within $soon ms" in_time replaced_files
	ok "files of another mount namespace: within $soon ms" in_time other_mounts
}

test_many() {
	ok '300 shared objects are mapped' hold_many
	ok "300 shared objects, cold: within $many_cold ms" many_cold
	ok "300 shared objects, from the cache: within $many_warm ms" many warm "$many_warm" 300
	end_target
}

command -v latewind >/dev/null || skip_all 'no latewind in PATH'
command -v perl >/dev/null || skip_all 'no perl'

[ $# -gt 0 ] || set -- start new many

# What is measured is shown, also when all is well.
exec 3>&1
echo 'TAP version 13'
for group; do
	"test_$group"
done
checks_done
