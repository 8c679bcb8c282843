#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# follow_test.sh: latewind record, live and trace keep the module supplied with
# unwind tables: of what is mapped at the start, of a command before its first
# instruction, of a new file from its first stack on, whatever became of its path; and that a
# file that does not answer holds nothing up. Needs the tool in PATH and perl.
#
# How long it took is shown, and not judged: a machine may have other work, so walks wait for
# tables as long as it takes here. What is mapped runs until the tool has written whole stacks
# of it, and all must be whole.
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
export FRESH_SEEN=$tmp/seen
mkdir "$FRESH_SEEN"
# Whole stacks of a file until it has been seen.
enough=10
! long_form || enough=40
# shellcheck disable=SC2034 # of checks.sh
patience=$((300 * scale))
target_pid='' watcher_pid=''

table_wait=/sys/module/latewind/parameters/table_wait
waited=$(cat $table_wait)
echo 60000 >$table_wait
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
cleanup() {
	echo "$waited" >$table_wait
	echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
	[ -z "$watcher_pid" ] || kill "$watcher_pid" 2>/dev/null
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
	sed -n "s/^\"$2\":\([0-9.]*\)[,}]$/\1/p" "$1"
}

# recorded NAME [OPTION]... -- COMMAND...: to NAME.txt and NAME.json; of user time, if no
# event is named: the kernel's names take longer to read than all else.
recorded() {
	local name=$tmp/$1
	shift
	[[ " $* " == *' -e '* ]] || set -- -e cpu-clock:u "$@"
	exits 0 latewind record --no-kernel -o "$name.data" --text "$name.txt" \
		--stats "$name.json" "$@"
}

at_least() { # WHAT LEFT RIGHT
	awk -v left="$2" -v right="$3" 'BEGIN { exit !(left >= right) }' && return
	echo "$1: $2 is less than $3"
	return 1
}

# in_linker NAME: stacks that end without a rule in the dynamic linker. It has two places
# with such an end, where it binds a function at its first call (their frames are found by
# a register that their callee has saved). How often a sample meets them depends on the
# machine; if there were more places, in the one process that is recorded, or if it were more
# than a tenth of all stacks, something would be wrong.
in_linker() {
	awk -v RS= '
	/ end=/ { all++ }
	/end=no-rule\n/ {
		n = split($0, lines, "\n")
		split(lines[n], frame)
		if (lines[n] !~ /\/ld(-linux|64)/)
			next
		places += !seen[frame[1]]++
		stacks++
	}
	END { print (places > 2 || stacks * 10 > all ? 0 : stacks + 0) }' "$tmp/$1.txt"
}

# whole NAME LEAST: of at least LEAST stacks 99.8 % end at the outermost frame,
# and it is tables that lead there. A sample in execve() has none to walk.
whole() {
	local json=$tmp/$1.json stacks outermost
	stacks=$(($(number "$json" user_stacks) - $(number "$json" no_walks) - $(in_linker "$1")))
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
while ((-s $ARGV[0] // 0) < 100_000) {
	fib(12);
	join(",", sort { $a <=> $b } map { $_ * 7919 % 1009 } 1 .. 500) =~ /(\d+),\1/;
}'

# Until there are more than a hundred stacks.
unmodified_program() {
	recorded perl -- perl -e "$perl_program" "$tmp/perl.txt" && whole perl 100
}

# Of arm64's vDSO no call frame information tells: its caller is known by its instructions.
vdso_has_callers() {
	# shellcheck disable=SC2016 # the other shell's own
	recorded clock -F 999 -- sh -c '
		until [ "$(grep -c "\[vdso\]" "$2")" -ge 80 ]; do "$1" clock 300000; done' \
		sh "$target" "$tmp/clock.txt" || return
	awk -v RS= '
	/^fresh_target .*\[vdso\]/ {
		n++
		if (!/ clock_gettime(@[^ ]*)?\+.* ask\+.* ask_clock\+.* _start\+/ ||
		    !/end=outermost\n/) {
			print
			wrong++
		}
	}
	END { print n + 0 " stacks with the vDSO, " wrong + 0 " without their caller"
	      exit n < 20 || wrong }' "$tmp/clock.txt"
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
	waits grep -qs libm "/proc/$target_pid/maps" || return
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
	waits grep -qs libfresh "/proc/$target_pid/maps" || return
	# as a rule of udev may have it
	chmod 666 /dev/latewind || return
	exits 0 "${as_nobody[@]}" --inh-caps=+perfmon \
		--ambient-caps=+perfmon latewind live -q -v --no-kernel --ring-size 64K --max 200 \
		--stats "$tmp/nobody/stats" -p "$target_pid" || status=$?
	end_target
	cat "$err"
	chmod 600 /dev/latewind
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
		equal stacks "$(grep -c ': end=' "$tmp/out")" 10 &&
		equal 'whole stacks' "$(grep -c ': end=outermost$' "$tmp/out")" 10 &&
		has "$tmp/out" 'main\+0x.*\[table\]$'
}

trace_has_them() {
	exits 0 latewind trace --stack --json -e write -o "$tmp/trace.json" -- \
		"$target" run "$library" 1 && has "$tmp/trace.json" '"symbol":"main".*"symbol":"_start"'
}

# --- short-lived processes

# hits_are_whole NAME NUMBER: so many in fresh_target, each in hit < middle < outer < main,
# by tables.
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
		bad = hits != want || whole != hits
		if (bad)
			print hits + 0 " hits, " whole + 0 " whole, of " want
		exit bad
	}' "$tmp/$1.txt"
}

# Of a file that is known: from the first sample on.
short_lived() {
	local times=20
	! long_form || times=100
	"$target" wait &
	target_pid=$!
	waits grep -q libc "/proc/$target_pid/maps" || return
	# shellcheck disable=SC2016 # the other shell's own
	recorded short -a -e "$target:hit" -- sh -c \
		'for i in $(seq "$2"); do "$1" hits 2 || exit; done' sh "$target" "$times"
	end_target
	hits_are_whole short $((2 * times))
}

# --- files that nobody has seen

# As the text of a recording is written: who has run in a file for long enough is told
# so. Each process by itself: a path may lead to one file after the other.
cat >"$tmp/watch.pl" <<'END'
	use strict;
	my ($text, $enough) = @ARGV;
	my (%whole, $file, $block, $line);
	select(undef, undef, undef, 0.02) until open($file, "<", $text);
	for (;;) {
		my $part = <$file>;
		if (!defined $part) {
			select(undef, undef, undef, 0.02);
			seek($file, 0, 1);
			next;
		}
		$line .= $part;
		next if $part !~ /\n\z/;
		$block .= $line;
		if ($line eq "\n") {
			told($block);
			$block = "";
		}
		$line = "";
	}
	sub told {
		my ($pid, $path) = $_[0] =~
			m{ (\d+)/\d+ \[\d+\] \S+ \S+: end=outermost\n.*\(/\S*/([^/\s()]+\.so)} or return;
		return if $_[0] !~ /\A.*\n.*\n.*\[table\]\n/ || ++$whole{"$path.$pid"} != $enough;
		open(my $seen, ">", "$ENV{FRESH_SEEN}/$path.$pid") or die;
	}
END

# watched NAME [OPTION]... -- COMMAND...: as "recorded", and told when it was seen.
watched() {
	local status=0
	perl "$tmp/watch.pl" "$tmp/$1.txt" "$enough" &
	watcher_pid=$!
	recorded "$@" || status=$?
	kill "$watcher_pid" || status=1
	wait "$watcher_pid"
	watcher_pid=''
	return "$status"
}

# delays NAME TIMES: of each file its whole stacks, those that are not whole, and the
# milliseconds from its mapping, as fresh_target told it in TIMES, to the first whole one.
# Nothing is known of how the code of crti.o and crtstuff.c is called.
delays() {
	awk -v times="$2" -v guesses="$tmp/guesses" '
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
		if (!(path in begin) || !match($1, / [0-9]+\.[0-9]+ cpu-clock/) ||
		    $2 ~ / (_init|_fini|(de)?register_tm_clones|frame_dummy)\+/)
			next
		split(substr($1, RSTART + 1, RLENGTH), at, /[. ]/)
		delay = (at[1] * 1e9 + at[2] - begin[path]) / 1e6
		if ($1 ~ /: end=outermost$/ && $3 ~ /\[table\]$/) {
			if (!good[path]++ || delay < first[path])
				first[path] = delay
		} else {
			bad[path]++
			print $0 "\n" >guesses
		}
	}
	END {
		for (path in begin)
			print good[path] + 0, bad[path] + 0, first[path] + 0, path
	}' "$tmp/$1.txt"
}

# right_at_once NAME TIMES NUMBER: so many files, each with whole stacks, and with no others.
right_at_once() {
	delays "$1" "$2" >"$tmp/delays"
	echo "# $1: $(sort -k 3,3n "$tmp/delays" | awk '{ first[NR] = $3 }
		END { printf "the first stack after %.1f ms (median), %.1f ms (most)",
		      first[int((NR + 1) / 2)], first[NR] }'), table after at most $(
		number "$tmp/$1.json" table_delay_us) us" >&3
	equal files "$(wc -l <"$tmp/delays")" "$3" &&
	equal 'hardly a whole stack' "$(awk -v least="$enough" '$1 < least' "$tmp/delays")" '' &&
	equal guesses "$(awk '$2' "$tmp/delays")" '' && return
	head -n 40 "$tmp/guesses"
	return 1
}

# How many files, in both forms.
files() { # LONG SHORT
	if long_form; then echo "$1"; else echo "$2"; fi
}

new_files() {
	local nr
	nr=$(files 10 3)
	watched new -- "$target" open "$library" "$tmp/new" "$nr" 0 &&
		grep "^[0-9]* $tmp/new" "$tmp/out" >"$tmp/new.times" &&
		right_at_once new "$tmp/new.times" "$nr"
}

# Each CPU has more to do than it can.
new_files_while_busy() {
	local load=() status=0 i nr
	nr=$(files 5 1)
	for ((i = 0; i < 2 * $(nproc); i++)); do
		perl -e 'while (1) {}' &
		load+=($!)
	done
	watched busy -- "$target" open "$library" "$tmp/busy" "$nr" 0 || status=$?
	kill "${load[@]}"
	wait "${load[@]}"
	[ "$status" -eq 0 ] || return
	grep "^[0-9]* $tmp/busy" "$tmp/out" >"$tmp/busy.times" &&
		right_at_once busy "$tmp/busy.times" "$nr"
}

new_files_everywhere() {
	local nr
	nr=$(files 5 2)
	watched all -a -F 299 -- "$target" open "$library" "$tmp/all" "$nr" 0 &&
		grep "^[0-9]* $tmp/all" "$tmp/out" >"$tmp/all.times" &&
		right_at_once all "$tmp/all.times" "$nr"
}

deleted_files() {
	local nr
	nr=$(files 5 2)
	watched deleted -- "$target" open "$library" "$tmp/deleted" "$nr" 0 unlink &&
		grep "^[0-9]* $tmp/deleted" "$tmp/out" >"$tmp/deleted.times" &&
		missing "$tmp/deleted.0.so" &&
		right_at_once deleted "$tmp/deleted.times" "$nr"
}

# One after the other at the same path: renamed over it, and written into it. The
# rows of the one are wrong for the other.
replaced_files() {
	# shellcheck disable=SC2016 # the other shell's own
	watched replaced -- sh -c '
		set -e
		cp "$2" "$4.so"; "$1" run "$4.so" 0
		cp "$3" "$4.tmp"; mv "$4.tmp" "$4.so"; "$1" run "$4.so" 0
		cat "$2" >"$4.so"; "$1" run "$4.so" 0
		' sh "$target" "$library" "$other" "$tmp/replaced" || return
	replaced_one_by_one
}

# The path is the same three times, so each is known by the time that it was mapped.
replaced_one_by_one() {
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
		right_at_once "replaced$nr" "$tmp/replaced$nr.times" 1 || return
	done
}

# Its path leads elsewhere, or nowhere, for us.
other_mounts() {
	local nr
	nr=$(files 5 2)
	mkdir -p "$tmp/mount"
	# shellcheck disable=SC2016 # the other shell's own
	watched mounts -- unshare -m sh -c '
		mount -t tmpfs none "$3" && cp "$1" "$2" "$3" && cd "$3" &&
		"$3/fresh_target" open "$3/libfresh.so" "$3/mounted" "$4" 0' \
		sh "$target" "$library" "$tmp/mount" "$nr" || return
	grep "^[0-9]* $tmp/mount" "$tmp/out" >"$tmp/mounts.times"
	missing "$tmp/mount/fresh_target" && right_at_once mounts "$tmp/mounts.times" "$nr"
}

# --- many files at the start

objects=$(files 300 60)

hold_many() {
	"$target" copies "$library" "$tmp/many" "$objects" || return
	"$target" hold "$tmp/many" "$objects" >"$tmp/ready" &
	target_pid=$!
	waits has "$tmp/ready" ready
}

# All of the shared objects have their tables before the first sample. How long that takes
# is shown; make bench-tables has the goals of a real CPU.
many() {
	# shellcheck disable=SC2016 # the other shell's own
	recorded many -a -F 99 -- sh -c \
		'until [ "$(grep -c fresh_leaf "$1")" -ge 20 ]; do sleep 0.1; done' sh "$tmp/many.txt" ||
		return
	echo "# $(number "$tmp/many.json" table_files) files at the start in $(
		number "$tmp/many.json" table_start_us) us" >&3
	at_least files "$(number "$tmp/many.json" table_files)" "$objects" &&
	equal 'not whole' "$(awk -v RS= '/ fresh_leaf\+/ && !/: end=outermost\n/' \
		"$tmp/many.txt")" ''
}

# --- what has no table

# Code that runs for a while, and returns; numbers of fanotify's system calls.
case $(uname -m) in
aarch64) # mov w1, #0x100000; 1: subs w1, w1, #1; b.ne 1b; ret
	junk='\x01\x02\xa0\x52\x21\x04\x00\x71\xe1\xff\xff\x54\xc0\x03\x5f\xd6'
	fanotify_init=262 fanotify_mark=263
	;;
s390x) # iilf %r2,0x100000; 1: brct %r2,1b; br %r14
	junk='\xc0\x29\x00\x10\x00\x00\xa7\x26\x00\x00\x07\xfe'
	fanotify_init=332 fanotify_mark=333
	;;
*) # mov $0x100000, %ecx; 1: dec %ecx; jnz 1b; ret
	junk='\xb9\x00\x00\x10\x00\xff\xc9\x75\xfc\xc3'
	fanotify_init=300 fanotify_mark=301
	;;
esac

says_what_has_none() {
	# shellcheck disable=SC2059 # it is one
	printf "$junk" >"$tmp/junk"
	# shellcheck disable=SC2016 # the other shell's own
	recorded junk -v -- sh -c '
		"$1" jump <"$2" &
		until grep -q "no unwind table of $2" "$3"; do sleep 0.05; done
		kill $!' sh "$target" "$tmp/junk" "$err" &&
		has "$err" "no unwind table of $tmp/junk: no ELF file" \
			'1 files have no unwind table \(.*1 no ELF file' &&
		number "$tmp/junk.json" table_files_failed >"$tmp/failed" &&
		has "$tmp/failed" '^1$'
}

# Whoever opens the file waits for an answer by a child that gives none (fanotify), as
# with a server that is gone. The child outlives a recording that does not wait for it.
does_not_answer() {
	local child status=0
	# shellcheck disable=SC2059 # it is one
	printf "$junk" >"$tmp/hangs"
	cat >"$tmp/hang.pl" <<-'END'
		use strict;
		my ($path, $pid_file, $target, $init, $mark) = @ARGV;
		open(my $file, "<", $path) or die;
		# fanotify_init(FAN_CLASS_CONTENT, O_RDONLY), then
		# fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path)
		my $fanotify = syscall($init + 0, 4, 0);
		syscall($mark + 0, $fanotify, 1, 0x10000, -100, $path) and die;
		my $child = fork();
		if (!$child) {
			open(STDOUT, ">", "/dev/null");
			sleep(300);
			exit;
		}
		open(my $out, ">", $pid_file) or die;
		print $out "$child\n";
		close($out);
		my $runs = fork();
		if (!$runs) {
			open(STDIN, "<&", $file) or die;
			exec $target, "jump";
		}
		# until somebody waits for the answer, and then some more
		my $ask = "";
		vec($ask, $fanotify, 1) = 1;
		my $asked = $ask;
		$asked = $ask until select($asked, undef, undef, 0) > 0;
		my $end = (times)[0] + 0.3;
		1 until (times)[0] > $end;
		kill("TERM", $runs);
		waitpid($runs, 0);
	END
	# Without a text: to have names, that reads the file, too.
	exits 0 latewind record --no-kernel -o "$tmp/hang.data" --stats "$tmp/hang.json" -- \
		perl "$tmp/hang.pl" "$tmp/hangs" "$tmp/hang.pid" "$target" $fanotify_init $fanotify_mark ||
		status=$?
	child=$(cat "$tmp/hang.pid") || return
	kill "$child" || { echo 'the recording waited for the child'; return 1; }
	[ "$status" -eq 0 ] && has "$err" 'a mapped file does not answer' &&
		at_least samples "$(number "$tmp/hang.json" samples)" 20 &&
		equal 'of the file' "$(stat -c %s "$tmp/hang.data")" \
			"$(number "$tmp/hang.json" bytes_written)"
}

test_start() {
	choose 2 vdso_has_callers of_what_runs with_perfmon_only no_tables live_has_them trace_has_them \
		says_what_has_none does_not_answer unmodified_program
	ok_if_chosen 'an unmodified program: whole stacks' unmodified_program
	ok 'a command has its tables at its first instruction' first_instruction
	ok_if_chosen 'the caller of the vDSO is in no stack missing' vdso_has_callers
	ok_if_chosen '-p: of what runs already' of_what_runs
	ok_if_chosen '-p without CAP_SYS_ADMIN' with_perfmon_only
	ok_if_chosen '--no-tables: none' no_tables
	ok_if_chosen 'live has them' live_has_them
	ok_if_chosen 'trace --stack has them' trace_has_them
	ok 'short-lived processes of a known file: from the first sample' short_lived
	ok_if_chosen 'what is no ELF file is told' says_what_has_none
	# fanotify_init(FAN_CLASS_CONTENT, O_RDONLY)
	if perl -e 'exit(syscall($ARGV[0] + 0, 4, 0) < 0)' $fanotify_init; then
		ok_if_chosen 'a file that does not answer holds nothing up' does_not_answer
	else
		skip 'a file that does not answer holds nothing up' 'no fanotify'
	fi
}

test_new() {
	choose 1 new_files new_files_while_busy new_files_everywhere deleted_files replaced_files \
		other_mounts
	ok_if_chosen 'new files' new_files
	ok_if_chosen 'new files while all CPUs are busy' new_files_while_busy
	ok_if_chosen 'new files with -a' new_files_everywhere
	ok_if_chosen 'deleted files' deleted_files
	ok_if_chosen 'replaced files' replaced_files
	ok_if_chosen 'files of another mount namespace' other_mounts
}

test_many() {
	ok 'many shared objects are mapped' hold_many
	ok 'many shared objects have their tables at the start' many
	end_target
}

needs latewind perl

[ $# -gt 0 ] || set -- start new many

# What is measured is shown, also when all is well.
exec 3>&1
for group; do
	"test_$group"
done
checks_done
