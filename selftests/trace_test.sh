#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# trace_test.sh: latewind trace from end to end: the same calls and strings as
# strace has of the same programs, stacks, JSON, targets, and what is said when
# something is wrong. Needs the tool in PATH, strace and python3.
# shellcheck disable=SC2317 # ok() calls them
set -u
# Where pages may have 64 KiB the dynamic linker gives back what is not aligned to that. So much of
# it there is each time.
if [ "$(uname -m)" != x86_64 ] && [ -z "${TRACE_TEST_FIXED:-}" ]; then
	TRACE_TEST_FIXED=1 exec setarch -R "$0" "$@"
fi
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target=$PWD/trace_target
target_pid='' tool_pid=''
# Some calls newer machines have with an argument more only.
case $(uname -m) in
x86_64) begins='[5-7]' access=access dup2=dup2 readlink=readlink ;;
s390x) begins='(2aa|3ff)' access=access dup2=dup2 readlink=readlink ;;
*) begins='(aaa[ab]|ffff)' access=faccessat dup2=dup3 readlink=readlinkat ;;
esac
# What both tracers of a file say of a call, without who made it: no process
# ids, no addresses.
same_words="s/^[0-9]+ +//; s/0x${begins}[0-9a-f]{8,}/ADDRESS/g; s/ += / = /; /^(\+\+\+|---)/d"
# A ring that has no room for what is asked for: strings, or anything at all.
too_small=(-m "$page")
[ "$page" = 4096 ] || too_small+=(-s "$page")
# What one run leaves the next one would find.
export PYTHONDONTWRITEBYTECODE=1

cleanup() {
	[ -z "$tool_pid" ] || kill -KILL "$tool_pid" 2>/dev/null
	[ -z "$target_pid" ] || kill "$target_pid" 2>/dev/null
	checks_free
}
trap cleanup EXIT

# traced OUT [OPTION]... -- COMMAND...: by us, with nothing to complain about.
traced() {
	local out=$1
	shift
	exits 0 latewind trace -o "$out" "$@" || return
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	[ -s "$out" ] || { echo 'nothing was traced'; return 1; }
}

# joined FILE: calls that strace cut in two, as others came between, as one line where
# they end.
joined() {
	awk '{ tid = $1 }
	     sub(/ <unfinished \.\.\.>$/, "") { begun[tid] = $0; next }
	     sub(/^[0-9]+ +<\.\.\. [a-z_0-9]+ resumed> ?/, "") { $0 = begun[tid] $0 }
	     { print }' "$1"
}

# like_strace LIST COMMAND...: by both, and they agree in every line.
like_strace() {
	local list=$1
	shift
	strace -f -e "trace=$list" -e signal=none -o "$tmp/theirs" "$@" >/dev/null 2>&1 ||
		{ echo "strace: status $?"; return 1; }
	traced "$tmp/ours" -e "$list" -- "$@" || return
	joined "$tmp/theirs" | sed -E "$same_words" >"$tmp/theirs.calls"
	sed -E "$same_words" "$tmp/ours" >"$tmp/ours.calls"
	same "$tmp/theirs.calls" "$tmp/ours.calls"
}

# Machines differ in the order of its arguments.
forks_are_like_straces() {
	same_words="$same_words; s/ = [0-9]+$/ = PID/" like_strace clone sh -c '(true); true' &&
		has "$tmp/ours" 'clone\(child_stack=NULL, flags=CLONE_.*\|SIGCHLD, child_tidptr=0x'
}

# Several at once end in any order.
same_opens_of_many() {
	local command=(sh -c "$target paths; cat /etc/passwd /no/file 2>/dev/null; $target paths; :")
	strace -f -e trace=openat -e signal=none -o "$tmp/theirs" "${command[@]}" >/dev/null 2>&1
	traced "$tmp/ours" -e openat -- "${command[@]}" || return
	joined "$tmp/theirs" | sed -E "$same_words" | sort >"$tmp/theirs.calls"
	sed -E "$same_words" "$tmp/ours" | sort >"$tmp/ours.calls"
	same "$tmp/theirs.calls" "$tmp/ours.calls" &&
		has "$tmp/ours" '"/no/file", O_RDONLY\) += -1 ENOENT \(No such file or directory\)'
}

execve_is_first() {
	traced "$tmp/ours" -- "$target" paths || return
	head -n 1 "$tmp/ours" >"$tmp/first"
	has "$tmp/first" "execve\(\"$target\", \[\"/[^ ]+, \"paths\"\], 0x[0-9a-f]+\) = 0$" &&
		has "$tmp/ours" 'exit_group\(0\) += \?' '\+\+\+ exited with 0 \+\+\+'
}

stack_reaches_main() {
	traced "$tmp/ours" -e openat --stack --call-graph auto -- "$target" paths || return
	awk '/openat\(/ { ours = /"\/lw-path/; calls += ours; next }
	     ours && /trace_target\(main\+0x/ { found++ }
	     END { print calls, found; exit !(calls > 0 && calls == found) }' "$tmp/ours" ||
		{ cat "$tmp/ours"; return 1; }
	has "$tmp/ours" '^ > .*/trace_target\(open_path\+0x[0-9a-f]+\) \[0x[0-9a-f]+\]$'
}

# The module waits for the page, or reads the string later.
dropped_page_is_shown() {
	traced "$tmp/ours" -e openat -- "$target" dropped "$tmp/page" &&
		has "$tmp/ours" 'openat\(AT_FDCWD, "/lw-path/on/a/dropped/page", O_RDONLY\) = -1 ENOENT'
}

unreadable_is_an_address() {
	traced "$tmp/ours" -e openat -- "$target" unreadable &&
		has "$tmp/ours" 'openat\(AT_FDCWD, 0x8, O_RDONLY\) += -1 EFAULT \(Bad address\)'
}

json_parses() {
	traced "$tmp/ours" --json --stack -e openat,write,exit_group -- "$target" paths || return
	python3 - "$tmp/ours" <<-'END'
		import json, sys
		calls = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
		ours = [c for c in calls if c['name'] == 'openat' and
		        c['args'][1]['text'].startswith('"/lw-path')]
		assert len(ours) == 4, len(ours)
		for call in ours:
		    assert call['ret'] == -2 and call['errno'] == 'ENOENT', call
		    assert call['args'][0]['text'] == 'AT_FDCWD', call
		    assert int(call['args'][0]['raw'], 16) & 0xffffffff == 0xffffff9c, call
		    assert call['duration'] > 0 and call['tid'] == call['pid'], call
		    assert call['comm'] == 'trace_target', call
		    assert 'main' in [frame['symbol'] for frame in call['stack']], call
		assert ours[0]['args'][1]['string'] == '/lw-path/plain', ours[0]
		assert ours[1]['args'][1]['string'] == '/lw-path/\ufffd\ufffd"\\\n', ours[1]
		assert ours[1]['args'][1]['text'] == r'"/lw-path/\377\376\"\\\n"', ours[1]
		assert calls[-1]['name'] == 'exit_group' and calls[-1]['ret'] is None, calls[-1]
	END
}

string_limit() {
	traced "$tmp/ours" -e write -s 4 -- "$target" write &&
		has "$tmp/ours" 'write\(1, "0123"\.\.\., 10\) += 10' &&
		traced "$tmp/ours" -e write -s 10 -- "$target" write &&
		has "$tmp/ours" 'write\(1, "0123456789", 10\) += 10' &&
		traced "$tmp/ours" -e write -s 0 -- "$target" write &&
		has "$tmp/ours" 'write\(1, ""\.\.\., 10\) += 10'
}

paths_of_descriptors() {
	traced "$tmp/ours" -y -e read -- cat /etc/passwd &&
		has "$tmp/ours" 'read\([0-9]+</etc/passwd>, "root:' || return
	traced "$tmp/ours" -y -e openat -- cat /etc/passwd &&
		has "$tmp/ours" "openat\\(AT_FDCWD<$PWD>, \"/etc/passwd\", O_RDONLY\\) = [0-9]+</etc/passwd>$"
}

# Its rounds are counted in the size of a file; others have one of their own.
rounds() { # [FILE]
	stat -c %s "$tmp/${1:-rounds}"
}

rounds_since() { # NUMBER MORE [FILE]
	[ "$(rounds "${@:3}")" -ge $(($1 + $2)) ]
}

start_target() { # ARG...
	"$target" "$@" >"$tmp/rounds" &
	target_pid=$!
	waits rounds_since 0 1
}

end_target() {
	kill "$target_pid" && wait "$target_pid"
	target_pid=''
}

# What runs already, and what it starts.
traces_pid() {
	local status=0 pid
	set -- 'openat\(AT_FDCWD, "/lw-path/loop", O_RDONLY\) += -1 ENOENT' \
		'clone\(.*\) += [0-9]+' '"/lw-path/child", O_RDONLY\)'
	start_target loop || return
	latewind trace -o "$tmp/ours" -p "$target_pid" 2>"$err" &
	tool_pid=$!
	# The child's call may be printed before its parent's clone().
	waits has "$tmp/ours" "$@" >/dev/null || { has "$tmp/ours" "$@"; cat "$err"; return 1; }
	kill -INT "$tool_pid"
	pid=$tool_pid
	tool_pid=''
	wait "$pid" || status=$?
	end_target
	[ "$status" -eq 0 ] || { echo "status $status"; cat "$err"; return 1; }
}

# The command lasts until the other one has made a round from begin to end.
traces_all() {
	local status=0
	start_target loop || return
	export -f waits wait_for rounds rounds_since
	export tmp patience
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind trace -a -e openat,ioctl -o "$tmp/ours" -- \
		bash -c '"$1" paths; waits rounds_since "$(rounds)" 2' bash "$target" || status=$?
	end_target
	[ "$status" -eq 0 ] || return
	has "$tmp/ours" "^$(printf '%s' '[0-9]+') +openat.*/lw-path/loop" '/lw-path/plain'
}

# As many as are printed without -c.
sums() {
	local calls errors
	traced "$tmp/ours" -e openat -- "$target" paths || return
	calls=$(grep -c 'openat(' "$tmp/ours") errors=$(grep -c 'openat(.* = -1 ' "$tmp/ours")
	exits 0 latewind trace -c -o "$tmp/ours" -- "$target" paths &&
		has "$tmp/ours" '^% time ' " $calls +$errors openat\$" ' total$'
}

times() {
	traced "$tmp/ours" -ttt -T -e openat -- "$target" paths &&
		has "$tmp/ours" '^[0-9]+ +[0-9]{10}\.[0-9]{6} openat\(.*<[0-9]+\.[0-9]{6}>$'
}

# Each of its records was printed, as a whole call or as half of one, or is told to
# be lost; besides there are an execve and an exit. The tool stands still until the ring
# must have run over: its records are of 64 bytes at least, and it is of a page, at most of 64 KiB.
lost_records_are_told() {
	local lost sum calls=5000
	! long_form || calls=100000
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind trace -m "$page" -T -e getppid -o "$tmp/ours" -- sh -c '
		kill -STOP $PPID; "$1" floods 1000; kill -CONT $PPID; exec "$1" floods "$2"' \
		sh "$target" $((calls - 1000)) || return
	has "$err" 'latewind: [0-9]+ of [0-9]+ records of calls were lost' || return
	lost=$(sed -n 's/^latewind: \([0-9]*\) of .* were lost .*/\1/p' "$err")
	sum=$(awk -v lost="$lost" '/getppid\(\)/ { n += />$/ ? 2 : 1 } END { print n + lost }' "$tmp/ours")
	((sum >= 2 * calls && sum <= 2 * calls + 6)) || {
		echo "$sum of $((2 * calls)), $lost lost"; return 1; }
}

status_is_the_commands() {
	exits 7 latewind trace -o "$tmp/ours" -- sh -c 'exit 7' &&
		has "$tmp/ours" 'exited with 7' &&
		exits 137 latewind trace -o "$tmp/ours" -- sh -c 'kill -9 $$' &&
		has "$tmp/ours" 'kill\([0-9]+, SIGKILL\)' 'killed by SIGKILL'
}

# A start that fails leaves it alone, one that works keeps it beside the new one.
old_file_survives() {
	rm -f "$tmp/ours.old"
	echo precious >"$tmp/ours"
	exits 1 latewind trace -o "$tmp/ours" -p 999999 && has "$tmp/ours" '^precious$' &&
		exits 127 latewind trace -o "$tmp/ours" /no/program && has "$tmp/ours" '^precious$' &&
		exits 1 latewind trace -o "$tmp/ours" "${too_small[@]}" true && has "$tmp/ours" '^precious$' &&
		missing "$tmp/ours.old" &&
		traced "$tmp/ours" -- "$target" paths && has "$tmp/ours.old" '^precious$' &&
		[ "$(stat -c %a "$tmp/ours")" = 600 ]
}

# As strace has them; the order is one process's own.
statuses_choose() {
	local letter
	for letter in -z -Z; do
		strace -f $letter -e "openat,$access" -o "$tmp/theirs" cat /etc/passwd /no/such >/dev/null 2>&1
		latewind trace $letter -e "openat,$access" -o "$tmp/ours" -- cat /etc/passwd /no/such \
			>/dev/null 2>"$err"
		grep -cE "^[0-9]+ +(openat|$access)[(]" "$tmp/theirs" >"$tmp/count" || return
		equal "calls of $letter" "$(grep -cE "^[0-9]+ +(openat|$access)[(]" "$tmp/ours")" \
			"$(cat "$tmp/count")" || return
	done
	has "$tmp/ours" '/no/such.* = -1 ENOENT' && ! grep -q '/etc/passwd' "$tmp/ours" &&
	exits 2 latewind trace -e status=well -- true && has "$err" "'well' is no status"
}

# What strace has of a signal with a handler is here, too, but for siginfo's last part.
signals_are_shown() {
	exits 0 latewind trace -e trace=kill -o "$tmp/ours" -- bash -c \
		'trap : USR1; kill -USR1 $$; (exit 3); :' &&
		has "$tmp/ours" '^[0-9]+ +--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER, \.\.\.\} ---$' \
			'--- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_EXITED, \.\.\.\} ---' \
			'\+\+\+ exited with 3 \+\+\+' '\+\+\+ exited with 0 \+\+\+' || return
	awk '/kill\(.*SIGUSR1/ { call = NR } /--- SIGUSR1/ { signal = NR }
	     END { exit !(call && signal == call + 1) }' "$tmp/ours" || { cat "$tmp/ours"; return 1; }
	exits 0 latewind trace -e trace=kill -e signal=none -o "$tmp/ours" -- bash -c \
		'trap : USR1; kill -USR1 $$' &&
		! grep -e '---' "$tmp/ours" && has "$tmp/ours" 'exited with 0'
}

# A child's end, too, once for each process.
killers_are_named() {
	exits 0 latewind trace -e trace=kill -o "$tmp/ours" -- bash -c \
		'(kill -TERM $BASHPID); (kill -KILL $BASHPID); :' 2>/dev/null &&
		has "$tmp/ours" '--- SIGTERM \{si_signo=SIGTERM, si_code=SI_USER, \.\.\.\} ---' \
			'\+\+\+ killed by SIGTERM \+\+\+' '\+\+\+ killed by SIGKILL \+\+\+' || return
	equal 'killed' "$(grep -c 'killed by' "$tmp/ours")" 2 &&
		! grep -q -e '--- SIGKILL' "$tmp/ours"
}

# Of all calls of a program those that strace says, too.
paths_choose() {
	strace -P /etc/passwd -o "$tmp/theirs" cat /etc/passwd /etc/hostname >/dev/null 2>&1
	latewind trace -P /etc/passwd -e signal=none -o "$tmp/ours" -- \
		cat /etc/passwd /etc/hostname >/dev/null 2>"$err"
	# what strace does not see: the tool has its row of mmap and the like as well
	sed -E "$same_words" "$tmp/theirs" >"$tmp/theirs.calls"
	sed -E "$same_words" "$tmp/ours" >"$tmp/ours.calls"
	has "$tmp/ours.calls" '^openat\(.*"/etc/passwd"' '^read\(' '^close\(' &&
		same "$tmp/theirs.calls" "$tmp/ours.calls"
}

# On s390x libc makes one call of those of sockets.
details_of_descriptors() {
	local calls=connect,bind,listen
	local lines=('bind\([0-9]+<TCP>, ' 'listen\([0-9]+<TCP:\[127\.0\.0\.1:[0-9]+\]>, '
		     'connect\([0-9]+<TCP>, ')
	if [ "$(uname -m)" = s390x ]; then
		calls=socketcall
		lines=('socketcall\(SYS_BIND, \[0x[0-9a-f]+, 0x3ff[0-9a-f]+, 0x10\]\) += 0'
		       'socketcall\(SYS_LISTEN, \[0x[0-9a-f]+, 0x[0-9a-f]+\]\) += 0')
	fi
	traced "$tmp/ours" -yy -e "read,$calls" -- python3 -c '
import socket
open("/dev/null").read()
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.socket(); c.connect(s.getsockname()); a = s.accept()[0]
c.send(b"x"); a.recv(1)' &&
		has "$tmp/ours" 'read\([0-9]+</dev/null<char 1:3>>, ' "${lines[@]}"
}

# Two processes, until the command ends, which is not traced.
traces_pids_until_the_command_ends() {
	local other status=0 target_was
	start_target loop || return
	"$target" loop >"$tmp/others" &
	other=$!
	waits rounds_since 0 1 others || status=1
	export -f waits wait_for rounds rounds_since
	export tmp patience
	# shellcheck disable=SC2016 # the other shell's own
	exits 5 latewind trace -e openat -p "$target_pid,$other" -p "$target_pid" -o "$tmp/ours" -- \
		bash -c 'waits rounds_since "$(rounds)" 3 && waits rounds_since "$(rounds others)" 3 others
			cat /etc/hostname; exit 5' >/dev/null || status=1
	kill "$other" && wait "$other"
	kill -0 "$target_pid" || status=1
	target_was=$target_pid
	end_target
	[ "$status" -eq 0 ] || return
	has "$tmp/ours" "^$target_was +openat.*/lw-path/loop" "^$other +openat.*/lw-path/loop" &&
		! grep -q /etc/hostname "$tmp/ours"
}

variables_are_set() {
	GONE=1 exits 0 latewind trace -o "$tmp/ours" -E NEW=value -E GONE -- env &&
		has "$tmp/out" '^NEW=value$' && ! grep '^GONE=' "$tmp/out"
}

sums_behind_calls() {
	traced "$tmp/ours" -C -e openat -- "$target" paths &&
		has "$tmp/ours" 'openat\(.*"/lw-path/plain"' '^% time ' ' total$'
}

wrong_lines() {
	exits 2 latewind trace -ff -o "$tmp/ours" -- true && has "$err" 'option -ff is not here' &&
	exits 2 latewind trace -v -- true && has "$err" 'option -v is not here' &&
	exits 2 latewind trace -e inject=read:error=EIO -- true && has "$err" 'inject' &&
	exits 2 latewind trace -e signal=FOO -- true && has "$err" "no signal 'FOO'" &&
	exits 2 latewind trace -o '|cat' -- true && has "$err" 'is no file' &&
	exits 2 latewind trace -p 1,x && has "$err" "'x' is not a" &&
	exits 2 latewind trace -e openta -- true && has "$err" "no system call 'openta'" "'openat'" &&
		exits 2 latewind trace -e nothing_like_it -- true && has "$err" "'nothing_like_it'" &&
		exits 2 latewind trace && has "$err" 'nothing to trace' &&
		exits 2 latewind trace -p x && has "$err" "'x'" &&
		exits 1 latewind trace -p 999999 && has "$err" 'no process 999999' &&
		exits 127 latewind trace /no/program && has "$err" "/no/program" &&
		exits 1 latewind trace -o /no/dir/file true && has "$err" '/no/dir/file' &&
		exits 1 latewind trace "${too_small[@]}" true && has "$err" '--ring-size'
}

no_rights() {
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups latewind trace true &&
		has "$err" '/dev/latewind' 'root'
}

needs latewind strace python3

ok 'python3 makes the same calls for files as strace says' \
	like_strace "openat,newfstatat,$readlink,$access,getcwd" \
	python3 -c 'import json'
ok 'memory and descriptors of another program' \
	like_strace "mmap,mprotect,munmap,brk,close,$dup2,fstat,lseek,pread64,read" \
	sh -c 'cat /etc/passwd >/dev/null'
ok 'a child is made as strace says' forks_are_like_straces
ok 'strings of all kinds' like_strace openat,write "$target" paths
ok 'several processes open the same files' same_opens_of_many
ok 'the first call is the execve, the last has no end' execve_is_first
ok 'each call has a stack down to main' stack_reaches_main
ok 'a path on a dropped page is shown' dropped_page_is_shown
ok 'a path that cannot be read is an address' unreadable_is_an_address
ok 'JSON that python reads' json_parses
ok '-s limits strings' string_limit
ok '-y has the paths of descriptors' paths_of_descriptors
ok '-p: a process that runs, and its children' traces_pid
ok '-a while a command runs' traces_all
ok '-c sums up' sums
ok '-ttt and -T' times
ok 'records that were lost are told' lost_records_are_told
ok "the command's status" status_is_the_commands
ok 'an old file survives' old_file_survives
ok '-z and -Z choose by how calls end' statuses_choose
ok 'signals are shown' signals_are_shown
ok 'what ended a process is named' killers_are_named
ok '-P chooses by path, as strace does' paths_choose
ok '-yy has addresses and devices' details_of_descriptors
ok '-p of two processes while a command runs' traces_pids_until_the_command_ends
ok '-C has calls and sums' sums_behind_calls
ok '-E sets variables of the command' variables_are_set
ok 'wrong command lines' wrong_lines
ok 'no rights' no_rights
checks_done
