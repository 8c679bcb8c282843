# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# checks.sh: TAP for tests that are shell scripts. A check is a command, mostly
# a function; what it prints is shown when it fails.
#
# $tmp is a directory for files; what a command said on stderr is in $err.
#
# As in lib/form.h: LW_LONG=1 asks for the long form; $scale is how many times slower
# than a stock kernel this one may be; $seed is what random choices start from.
# LW_DESTRUCTIVE=1 allows what may hurt the machine: see destructive(). LW_LANE is set in
# our own VMs: see lacks().
#
# Says "# N ms" before each result: how long it has been since the last one.

# run_kselftest.sh runs a test by stdbuf, whose library would be in all programs.
unset LD_PRELOAD
tmp=$(mktemp -d)
err=$tmp/err
failed=0 number=0 skipped=0
scale=${LW_TIME_SCALE:-1}
seed=${LW_SEED:-$((RANDOM * 32768 + RANDOM))}
# An option for perf report and script where no name of the kernel matters: perf reads
# /proc/kallsyms six times, which is nine tenths of its time in a VM.
# shellcheck disable=SC2034 # the tests' own
user_names=--kallsyms=/dev/null
# An option for perf record with copies of the stack: on an arm64 machine with SVE perf asks for the
# vector length, too, which no probe and no timer has.
# shellcheck disable=SC2034 # the tests' own
user_registers=
[ "$(uname -m)" != aarch64 ] ||
	user_registers=--user-regs=$(printf 'x%d,' {0..29})lr,sp,pc

# Bytes of a page, of which the least ring is one.
# shellcheck disable=SC2034 # the tests' own
page=$(getconf PAGESIZE)

# For python3 -c: runs a line for the shell on a terminal of its own.
# shellcheck disable=SC2034 # the tests' own
run_on_terminal='import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", sys.argv[1]])))'

long_form() {
	[ "${LW_LONG:-0}" != 0 ]
}

echo 'TAP version 13'
long_form || echo "# LW_SEED=$seed"

# sample COUNT WORD...: all words in the long form, else COUNT of them, which the seed
# chooses, in their order.
sample() {
	local count=$1
	shift
	if long_form; then
		printf '%s\n' "$@"
		return
	fi
	# each list has choices of its own
	printf '%s\n' "$@" | awk -v count="$count" \
		-v seed=$((seed + $(cksum <<<"$*" | cut -d ' ' -f 1))) '
		BEGIN { srand(seed) }
		{ word[NR] = $0; by[NR] = rand() }
		END {
			for (i = 1; i <= NR; i++) {
				less = 0
				for (j = 1; j <= NR; j++)
					less += by[j] < by[i]
				if (less < count)
					print word[i]
			}
		}'
}

# choose COUNT WORD...: the words that "sample" gives are "chosen WORD" from now on.
picked=' '
choose() {
	picked+="$(sample "$@" | xargs) "
}

chosen() { # WORD
	[[ $picked == *" $1 "* ]]
}

checks_free() {
	rm -rf "$tmp"
}

# The last line of a test: the plan, and the exit status, which is 4 if all was skipped.
checks_done() {
	echo "1..$number"
	[ $failed -eq 0 ] && [ $number -gt 0 ] && [ $skipped -eq $number ] && exit 4
	exit $failed
}

# How long it has been since the last result: what stands between two checks is set-up for
# the second.
since=${EPOCHREALTIME/[.,]/}
took() {
	local now=${EPOCHREALTIME/[.,]/}

	echo "# $(((now - since) / 1000)) ms"
	since=$now
}

ok() { # NAME COMMAND...
	local name=$1 status=0
	number=$((number + 1))
	shift
	"$@" >"$tmp/said" 2>&1 || status=1
	took
	if [ $status -eq 0 ]; then
		echo "ok $number - $name"
		return
	fi
	failed=1
	# before the result, as kselftest has it: what tap.py shows with a failure
	head -n 20 "$tmp/said" | cut -c1-200 | sed 's/^/# /'
	echo "not ok $number - $name"
	return 1
}

# ok_if_chosen NAME COMMAND...: a check, if some word of its command is chosen.
ok_if_chosen() {
	local word
	for word in "${@:2}"; do
		! chosen "$word" || { ok "$@"; return; }
	done
}

skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 4
}

skip() { # NAME REASON
	number=$((number + 1))
	skipped=$((skipped + 1))
	echo "ok $number - $1 # SKIP $2"
}

# lacks NAME PROGRAM: skips a check. In our own VMs, where a program may not be missing, it
# fails.
lacks() {
	if [ -z "${LW_LANE:-}" ]; then
		skip "$1" "no $2 here"
	else
		ok "$1" command -v "$2"
	fi
}

# needs PROGRAM...: skips the whole test if one is missing; likewise.
needs() {
	local program lacking=()
	for program; do
		command -v "$program" >/dev/null || lacking+=("$program")
	done
	[ ${#lacking[@]} -gt 0 ] || return 0
	[ -z "${LW_LANE:-}" ] || { echo "Bail out! no ${lacking[*]} here"; exit 1; }
	skip_all "no ${lacking[*]} here"
}

# destructive NAME: may a check be run that loads or unloads modules, or does what else
# a machine that is used for other things should be spared? If not it is skipped.
destructive() {
	[ "${LW_DESTRUCTIVE:-0}" != 0 ] && return
	skip "$1" 'may hurt this machine: LW_DESTRUCTIVE=1 allows it'
	return 1
}

# The same for a whole test.
all_destructive() {
	[ "${LW_DESTRUCTIVE:-0}" != 0 ] ||
		skip_all 'may hurt this machine: LW_DESTRUCTIVE=1 allows it'
}

# Does this machine sign return addresses? perf and libunwind, by which perf unwinds copies of the
# stack, can't read a signed one. So perf is no judge of stacks here.
signs_addresses() {
	grep -qsw paca /proc/cpuinfo
}

# spin_is_whole FILE: 'script -F ip,sym' of a run of "tool_target spin": all callers of spin() have
# names, down to the program's entry, where return addresses are signed, too.
spin_is_whole() {
	awk '
	function judge() {
		if (chain ~ /(^| )spin middle outer main .*_start $/) good++
		else if (chain ~ /(^| )spin /) { bad++; print chain }
		chain = ""
	}
	NF { chain = chain $2 " "; next }
	{ judge() }
	END { judge(); print good + 0 " whole, " bad + 0 " not"; exit !(good > 20 && !bad) }' "$1"
}

needs_perf_as_judge() {
	! signs_addresses || skip_all 'perf reads no return address that is signed'
}

# A check for which perf is the judge of stacks.
ok_with_perf() { # NAME COMMAND...
	if signs_addresses; then
		skip "$1" 'perf reads no return address that is signed'
	else
		ok "$@"
	fi
}

# How long something may take that is to come at all: a machine that has other work may
# stand still for seconds. Nothing is waited for any longer than it takes.
patience=$((120 * scale))

wait_for() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		if ((SECONDS >= end)); then
			echo "in vain: $*"
			return 1
		fi
		sleep 0.05
	done
}

# "wait_for" with the patience that there is.
waits() { # COMMAND...
	wait_for "$patience" "$@"
}

# What the tool says is kept in $err. It has $patience seconds.
exits() { # STATUS COMMAND...
	local want=$1 status=0
	shift
	timeout "$patience" "$@" >"$tmp/out" 2>"$err" || status=$?
	[ "$status" -eq "$want" ] && return
	echo "exit status $status instead of $want: $*"
	cat "$err"
	return 1
}

has() { # FILE PATTERN...
	local file=$1 pattern
	shift
	for pattern in "$@"; do
		grep -qE -e "$pattern" "$file" && continue
		echo "no '$pattern' in:"
		cat "$file"
		return 1
	done
}

missing() { # FILE...
	local file
	for file in "$@"; do
		[ ! -e "$file" ] || { echo "$file is there"; return 1; }
	done
}

equal() { # WHAT LEFT RIGHT
	[ "$2" = "$3" ] || { echo "$1: '$2' is not '$3'"; return 1; }
}

same() { # FILE FILE: lines, and there are some
	[ -s "$1" ] || { echo "$1 is empty"; return 1; }
	diff "$1" "$2"
}
