#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# top_test.sh: latewind top shows what runs while it runs, as text, as JSON and on a
# terminal, and leaves that as it was. Needs the tool in PATH and python3, for screens tmux.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

cp tool_target "$tmp/" || exit
target=$tmp/tool_target
target_pid='' top_pid=''
terminals=0

# Each terminal has a server of its own: one that ends may take its time.
tm() {
	tmux -u -L "lw-top-$$-$terminals" -f /dev/null "$@" 2>>"$err"
}

cleanup() {
	[ -z "$top_pid" ] || kill "$top_pid"
	[ -z "$target_pid" ] || kill "$target_pid"
	tm kill-server
	checks_free
}
trap cleanup EXIT

# What it maps last, before it computes: nothing that is seen is of the shell or the linker.
computes() {
	grep -q 'r-xs .*/tool_target$' "/proc/$target_pid/maps"
}

start_target() {
	"$target" spin 1000000 &
	target_pid=$!
	waits computes
}

end_target() {
	kill "$target_pid" && wait "$target_pid"
	target_pid=''
	return 0
}

# with_target COMMAND...: while it spins
with_target() {
	local status=0
	start_target && "$@" || status=$?
	end_target
	return "$status"
}

# run_top OPTION...: until end_top
run_top() {
	: >"$tmp/out"
	latewind top "$@" >>"$tmp/out" 2>"$err" &
	top_pid=$!
}

end_top() { # [SIGNAL]
	local pid=$top_pid
	top_pid=''
	kill -s "${1:-TERM}" "$pid"
	wait "$pid" || { echo "status $?"; cat "$err"; return 1; }
}

# How many displays have come, and whether they have samples enough of user space together: in
# the time of one or two a process on a busy machine may have none.
displays() { # NUMBER
	[ "$(wc -l <"$tmp/out")" -ge "$1" ]
}

has_samples() {
	sed -nE 's/^latewind top: ([0-9]+) samples .*/\1 0/p
		s/.*"samples":([0-9]+),"kernel_samples":([0-9]+),.*/\1 \2/p' "$tmp/out" |
		awk '{ sum += $1 - $2 } END { exit sum < 50 }'
}

# shows_target OPTION...: what it does in user space; a busy machine may have the kernel's
# timers in most of its other samples.
shows_target() {
	local status=0
	run_top -q -e cpu-clock:u -p "$target_pid" -d 0.3 "$@"
	waits has_samples || status=1
	end_top && return "$status"
}

# share COLUMN FUNCTION: of the last display
share() {
	awk -v column="$1" -v name="$2" '
	/^latewind top:/ { value = "" }
	$NF == name { value = $column + 0 }
	END { print value }' "$tmp/out"
}

# The first row of each display that has any: where all stood still there may be none.
first_rows() {
	awk '/^#/ { getline; if (NF) print $NF }' "$tmp/out"
}

# Of the last one, which counts those before it, too.
first_row() {
	first_rows | tail -n 1
}

the_target_is_on_top() {
	shows_target || return
	equal 'first row' "$(first_row)" spin &&
	has "$tmp/out" '#   Total +\*Self  Shared Object +Symbol' 'tool_target +\[\.\] main$' &&
	! grep -q $'\033' "$tmp/out" || return
	awk -v main="$(share 1 main)" -v spin="$(share 1 spin)" -v self="$(share 2 spin)" '
	BEGIN { exit !(self > 50 && spin >= self && main >= spin && main <= 100.001) }' ||
		{ cat "$tmp/out"; return 1; }
}

displays_are_counted() {
	exits 0 latewind top -q -p "$target_pid" -d 0.3 --iterations 3 &&
	equal displays "$(grep -c '^latewind top: ' "$tmp/out")" 3 &&
	exits 0 latewind top -q --json -p "$target_pid" -d 0.3 --iterations 2 &&
	equal lines "$(wc -l <"$tmp/out")" 2
}

# falls COLUMN: its shares, in each display
falls() {
	awk -v column="$1" '
	/^#/ { last = 101 }
	/%/ && !/^latewind/ { if ($column + 0 > last) bad++; last = $column + 0; rows++ }
	END { exit bad || rows < 4 }' "$tmp/out" || { cat "$tmp/out"; return 1; }
}

# Nothing takes more than who calls it, which may be all.
callers_are_on_top() {
	shows_target --children || return
	has "$tmp/out" '#  \*Total +Self' && falls 1 &&
	awk -v main="$(share 1 main)" -v spin="$(share 1 spin)" 'BEGIN { exit !(main >= spin) }' &&
	shows_target && falls 2
}

callers_are_left_out() {
	shows_target --no-children -E 1 || return
	has "$tmp/out" '^#   \*Self  Shared' &&
	equal rows "$(grep -c '%  ' "$tmp/out")" "$(first_rows | wc -l)" &&
	equal 'first row' "$(first_row)" spin
}

# All that runs, and the target, too; several events, other keys.
everything_is_seen() {
	local status=0
	run_top -q -e cpu-clock -e task-clock -s comm,tid,symbol -F 499 -d 0.3 -E 1000
	waits grep -q "^ .* tool_target  *$target_pid  *\[\.\] spin$" "$tmp/out" || status=1
	end_top && has "$tmp/out" '; cpu-clock, all CPUs' '; task-clock, all CPUs' && return "$status"
}

cgroups_are_named() {
	local own
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup || return
	own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	shows_target -s cgroup || return
	equal 'first row' "$(first_rows | uniq)" "$own"
}

# The kernel may have most of the samples. Who has those of user space is known.
lines_are_json() {
	local status=0
	run_top -q --json -p "$target_pid" -d 0.3
	waits has_samples || status=1
	end_top && [ "$status" = 0 ] || return
	python3 - "$tmp/out" <<-'EOT'
	import collections, json, sys
	lines = [json.loads(line) for line in open(sys.argv[1])]
	# the last one is of what was left
	assert all(line["seconds"] >= 0.3 for line in lines[:-1]), lines
	users = collections.Counter()
	for line in lines:
	    event, = line["events"]
	    assert event["event"] == "cpu-clock", event
	    rows = event["rows"]
	    assert rows == sorted(rows, key=lambda row: -row["self"]), rows
	    for row in rows:
	        assert row["total"] >= row["self"] >= 0, row
	        assert abs(row["self_percent"] - 100 * row["self"] / event["weight"]) < 0.01, row
	        if row["symbol"] == "spin":
	            assert row["dso"].endswith("/tool_target") and not row["kernel"], row
	        assert row["kernel"] or row["dso"] != "[kernel.kallsyms]", row
	        if not row["kernel"]:
	            users[row["symbol"]] += row["self"]
	assert users["spin"] > 0.5 * users.total(), users
	EOT
}

# old_samples OPTION...: what is known of a target when it has stopped
old_samples() {
	local seen status=0
	run_top -q --json -e cpu-clock:u -p "$target_pid" -d 0.3 "$@"
	waits has_samples || status=1
	kill -STOP "$target_pid"
	seen=$(wc -l <"$tmp/out")
	waits displays $((seen + 4)) || status=1
	kill -CONT "$target_pid"
	end_top && [ "$status" = 0 ] || return
	# it goes on for a moment at either end
	python3 - "$tmp/out" <<-'EOT'
	import json, sys
	lines = [json.loads(line) for line in open(sys.argv[1])]
	quiet = [(then["events"][0]["samples"], now["events"][0]["samples"])
	         for then, now in zip(lines, lines[1:]) if then["samples"] == now["samples"] == 0]
	# both are rounded, and what is less than a sixteenth is none
	assert all(abs(now - then * 7 / 8) < 0.01 or now == 0 and then < 0.08
	           for then, now in quiet), quiet
	print(int(max(now for then, now in quiet) > 0))
	EOT
}

older_samples_fade() {
	local left zero
	left=$(old_samples) || { echo "$left"; return 1; }
	zero=$(old_samples -z) || { echo "$zero"; return 1; }
	equal 'some are left' "$left" 1 && equal 'with -z' "$zero" 0
}

# In a group of its own: SIGINT is ignored by what the shell has behind it.
signals_end_it() {
	local signal status
	for signal in $(sample 1 INT TERM); do
		status=0
		set -m
		run_top -e cpu-clock:u -d 0.3 -p "$target_pid"
		set +m
		waits has_samples || status=1
		end_top "$signal" && [ "$status" = 0 ] &&
		equal "$signal" "$(first_row)" spin &&
		has "$err" '^\[ latewind top: [1-9][0-9]* samples' || return
	done
}

# Its end is one, too, before the time of a display.
commands_are_seen() {
	exits 0 latewind top -e cpu-clock:u -d 600 -- "$target" spin 300 || return
	equal 'first row' "$(first_row)" spin &&
	exits 3 latewind top -d 600 -- sh -c 'exit 3'
}

a_reader_may_go() {
	timeout "$patience" latewind top -q -e cpu-clock:u -d 0.3 -p "$target_pid" 2>"$err" |
		head -n 1 >"$tmp/out"
	equal status "${PIPESTATUS[0]}" 0 && [ -s "$tmp/out" ] && [ ! -s "$err" ]
}

has_ended() { [ ! -e "/proc/$1/exe" ]; }
is_not_on_screen() { ! is_on_screen "$1"; }
is_on_screen() { tm capture-pane -p | grep -qE -e "$1"; }
has_alternate() { [ "$(tm display -p '#{alternate_on}')" = "$1" ]; }
has_colors() { tm capture-pane -p -e | grep -q $'\033\\[31m'; }

# on_terminal COLUMNS COMMAND [KEY PATTERN]...: in a shell on a terminal; each key is pressed,
# then the pattern is seen.
on_terminal() {
	local columns=$1 command=$2
	shift 2
	tm kill-server
	terminals=$((terminals + 1))
	tm new-session -d -x "$columns" -y 30 'exec bash --norc --noprofile -i' || return
	# what is typed before the shell is there waits for it
	tm send-keys "$command; echo status \$?" Enter
	while [ $# -gt 0 ]; do
		waits is_on_screen 'latewind top: ' || return
		tm send-keys "$1"
		waits is_on_screen "$2" || { tm capture-pane -p; return 1; }
		shift 2
	done
}

# No screen of its own, though it is there.
rounds_on_terminal() {
	on_terminal 90 "$top_of_target -p $target_pid -d 0.3 --stdio" &&
		waits is_on_screen ' spin$' && has_alternate 0 && tm send-keys C-c &&
		waits is_on_screen 'status 0$'
}

# What the terminal does with keys, and its cursor, are what a shell's commands expect.
terminal_is_the_shells() {
	tm send-keys 'clear; stty -a' Enter
	waits is_on_screen ' -*icanon' && is_on_screen ' icanon' && is_on_screen 'susp = \^Z' &&
		is_on_screen ' echo ' && [ "$(tm display -p '#{cursor_flag}')" = 1 ]
}

# It has ended well, and what it was on is as it was before.
terminal_is_restored() {
	if ! waits is_on_screen 'status 0$' || ! has_alternate 0; then
		tm capture-pane -p
		return 1
	fi
	terminal_is_the_shells
}

# top's head is cut, or else what stands below it is not the second line.
titles_are_second() { tm capture-pane -p | sed -n 2p | grep -q '^# '; }

top_of_target="latewind top -q -e cpu-clock:u"

screen_is_drawn() {
	on_terminal 90 "$top_of_target -p $target_pid -d 0.3" s ' spin$' && has_alternate 1 &&
		waits titles_are_second && waits has_colors && tm send-keys q && terminal_is_restored &&
		on_terminal 90 "$top_of_target -p $target_pid -d 0.3 --iterations 2" &&
		terminal_is_restored
}

# As wide as it is, also when it becomes another.
screen_is_narrow() {
	on_terminal 40 "$top_of_target -p $target_pid -d 0.3" s ' spin$' && waits titles_are_second &&
		! is_on_screen "process $target_pid" || return
	tm resize-window -x 120 -y 30
	waits is_on_screen "process $target_pid" && waits titles_are_second &&
		tm send-keys q && terminal_is_restored
}

keys_are_taken() {
	on_terminal 90 "$top_of_target -p $target_pid -d 600" t '\*Total' h 'sort by self' \
		h '\*Total' p PAUSED && tm send-keys q && terminal_is_restored || return
	on_terminal 90 "NO_COLOR=1 $top_of_target -p $target_pid -d 0.3" '?' 'sort by self' \
		h ' spin$' && ! has_colors && tm send-keys q && terminal_is_restored
}

# Ctrl-C is a signal there, too; a process that ends is an end.
ends_on_terminal() {
	on_terminal 90 "$top_of_target -p $target_pid -d 0.3" s ' spin$' && tm send-keys C-c &&
		terminal_is_restored &&
		on_terminal 90 "$top_of_target -d 0.3 -- $target spin 400" && terminal_is_restored
}

# Of the shell's jobs one is stopped as it wants the terminal; there is none.
has_stopped() {
	tm send-keys 'clear; jobs -l' Enter
	is_on_screen 'Stopped.*tty output'
}

has_no_job() {
	tm send-keys "clear; jobs; echo no''ne" Enter
	is_on_screen '^none' && is_not_on_screen 'latewind'
}

# The shell has the terminal meanwhile, which shows what was there before.
stops_for_the_shell() {
	on_terminal 90 "$top_of_target -p $target_pid -d 0.3 </dev/null" s ' spin$' || return
	tm send-keys C-z
	waits is_on_screen 'Stopped' && has_alternate 0 || return
	tm send-keys 'fg' Enter
	waits is_on_screen 'latewind top: ' && has_alternate 1 || return
	tm send-keys C-z
	waits has_alternate 0 && tm send-keys 'kill %1' Enter && waits has_no_job &&
		terminal_is_the_shells
}

# Behind the shell, which edits a line, it waits for its turn.
waits_in_the_background() {
	on_terminal 90 : && tm send-keys "$top_of_target -p $target_pid -d 0.3 &" Enter &&
		waits has_stopped && has_alternate 0 || return
	tm send-keys 'fg' Enter
	waits is_on_screen 'latewind top: ' || return
	tm send-keys h
	waits is_on_screen 'sort by self' || return
	tm send-keys q
	waits has_alternate 0 && terminal_is_the_shells || return
	tm send-keys "clear; $top_of_target -p $target_pid &" Enter
	waits has_stopped && tm send-keys 'kill %1' Enter && waits has_no_job
}

# Somebody else stops it: it has its keys and its screen again.
goes_on_after_a_stop() {
	on_terminal 90 "sh -c 'echo \$\$ >$tmp/pid; exec $top_of_target -p $target_pid -d 600'" \
		t '\*Total' || return
	kill -STOP "$(cat "$tmp/pid")"
	tm send-keys "clear; jobs -l" Enter
	waits is_on_screen 'Stopped.*signal' && tm send-keys fg Enter &&
		waits is_on_screen '\*Total' && tm send-keys h && waits is_on_screen 'sort by self' &&
		tm send-keys q && waits has_alternate 0 && terminal_is_the_shells
}

# What a command prints is there until something is drawn.
commands_print_behind() {
	[ -p "$tmp/go" ] || mkfifo "$tmp/go" || return
	cat >"$tmp/prints" <<-END
		read -r _ <$tmp/go
		printf '\033[28;5Hgarbage'
		exec $target spin 1000000
	END
	exec 5<>"$tmp/go"
	on_terminal 90 "$top_of_target -d 600 -- sh $tmp/prints" &&
		waits is_on_screen 'latewind top: ' && echo >&5 && waits is_on_screen garbage &&
		tm send-keys s && waits is_not_on_screen garbage && tm send-keys q &&
		waits has_alternate 0 && terminal_is_the_shells
}

# Nobody can bring it to the front, from the beginning on or later; or the terminal is closed.
ends_without_terminal() {
	on_terminal 90 "( ( $top_of_target -p $target_pid; echo ended \$? ) & ) ; cat" &&
		waits is_on_screen 'ended 1' && is_on_screen 'nobody can bring' || return
	[ -p "$tmp/go" ] || mkfifo "$tmp/go" || return
	exec 5<>"$tmp/go"
	on_terminal 90 "( ( $top_of_target -p $target_pid; echo ended \$? ) & read <$tmp/go ); cat" &&
		waits is_on_screen 'latewind top: ' && echo >&5 && waits is_on_screen 'ended 0' ||
		return
	on_terminal 90 "trap '' HUP; echo \$\$ >$tmp/pid; exec $top_of_target -p $target_pid" \
		s ' spin$' && tm kill-server && waits has_ended "$(cat "$tmp/pid")"
}

# It would take the keys: cat ends at once instead.
commands_have_no_keys() {
	on_terminal 90 "$top_of_target -d 600 -- sh -c 'cat; exec $target spin 300'" &&
		terminal_is_restored
}

wrong_use() {
	exits 2 latewind top -K && has "$err" 'option -K is not here' 'EVENT:u' &&
	exits 2 latewind top -d 0 && has "$err" 'delay' '0\.1' &&
	exits 2 latewind top -s nothing && has "$err" 'nothing' 'comm, pid' &&
	exits 2 latewind top -E 0 && has "$err" 'entries' &&
	exits 2 latewind top --iterations 0 && has "$err" 'iterations' &&
	exits 2 latewind top -o file && has "$err" "not one of 'latewind top'" &&
	exits 2 latewind top --compression-level=3 && has "$err" 'compression-level' &&
	exits 2 latewind top -a -p 1 && has "$err" 'pid' &&
	exits 1 latewind top -p 4194304 && has "$err" '4194304' &&
	exits 2 latewind top -e nothing:there &&
	exits 0 latewind top --help && has "$tmp/out" "iterations N" "pid PID"
}

needs latewind python3

choose 2 callers_are_on_top callers_are_left_out everything_is_seen cgroups_are_named \
	older_samples_fade
choose 1 displays_are_counted signals_end_it commands_are_seen a_reader_may_go
choose 1 screen_is_narrow keys_are_taken ends_on_terminal stops_for_the_shell \
	waits_in_the_background goes_on_after_a_stop commands_have_no_keys \
	commands_print_behind rounds_on_terminal ends_without_terminal

ok 'the target is on top' with_target the_target_is_on_top
ok_if_chosen 'by total' with_target callers_are_on_top
ok_if_chosen 'without callers' with_target callers_are_left_out
ok_if_chosen 'all CPUs, two events' with_target everything_is_seen
ok_if_chosen 'by cgroup' with_target cgroups_are_named
ok 'JSON' with_target lines_are_json
ok_if_chosen 'older samples fade' with_target older_samples_fade
ok_if_chosen 'so many displays' with_target displays_are_counted
ok_if_chosen 'SIGINT and SIGTERM' with_target signals_end_it
ok_if_chosen 'a command' commands_are_seen
ok_if_chosen 'a reader that goes' with_target a_reader_may_go
if command -v tmux >/dev/null; then
	ok 'a screen' with_target screen_is_drawn
	ok_if_chosen 'a narrow screen' with_target screen_is_narrow
	ok_if_chosen 'keys' with_target keys_are_taken
	ok_if_chosen 'ends on a terminal' with_target ends_on_terminal
	ok_if_chosen 'stops for the shell' with_target stops_for_the_shell
	ok_if_chosen 'in the background' with_target waits_in_the_background
	ok_if_chosen 'stopped by somebody else' with_target goes_on_after_a_stop
	ok_if_chosen "a command's input" commands_have_no_keys
	ok_if_chosen "a command's output" commands_print_behind
	ok_if_chosen '--stdio on a terminal' with_target rounds_on_terminal
	ok_if_chosen 'no terminal any more' with_target ends_without_terminal
else
	lacks 'screens' tmux
fi
ok 'wrong use' wrong_use
checks_done
