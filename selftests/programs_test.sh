#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# programs_test.sh [NAME...]: thirty of Debian's programs, each with something to do that uses
# the CPU (lib/programs.sh). Each is
#
# - sampled by 'latewind record -F 999': so many of its stacks are whole, and each address of
#   a caller in them stands behind a call that leads to what is below (lib/call_sites.py). It
#   runs for a moment before, in the same recording, and what was sampled then does not count:
#   it is the steady state that is looked at.
# - probed, where perf can unwind it: the stacks are those that perf finds in a copy of 64 KiB
#   (lib/probes.sh).
#
# The short form takes five of them, which the seed chooses, and probes one; it does less, and
# asks perf of the first 60 hits. In our own VM the programs are in a root of their own,
# $LW_PROGRAMS, in which all of this runs then; elsewhere they are those that there are. Leaves
# $OUT/programs.json, what was found of each, and $OUT/probes.json.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit

# in_programs_root COMMAND...: there, with all that is mounted here.
in_programs_root() {
	# shellcheck disable=SC2016 # for the inner shell
	LW_PROGRAMS_HERE=1 exec unshare --mount bash -euc '
		root=$1
		shift
		for at in /dev /proc /sys /tmp /run /lw /latewind; do
			mount --rbind "$at" "$root$at"
		done
		exec chroot "$root" "$@"' inside "$LW_PROGRAMS" "$@"
}
if [ -n "${LW_PROGRAMS:-}" ] && [ -z "${LW_PROGRAMS_HERE:-}" ]; then
	in_programs_root "$PWD/${0##*/}" "$@"
fi

# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

if long_form; then
	size=100 probe_size=6 most=400 to_probe=30
else
	size=10 probe_size=3 most=60 to_probe=1
fi
# Of a program whose stacks are never whole perf is no judge; most have their tables at once.
most_runs=2
perf_options='--max-size=200M -m 16384'
# shellcheck source=selftests/lib/probes.sh
. lib/probes.sh
# shellcheck source=selftests/lib/programs.sh
. lib/programs.sh

table_wait=/sys/module/latewind/parameters/table_wait
waited=
trap 'checks_free; probes_free; [ -z "$waited" ] || echo "$waited" >$table_wait' EXIT
[ "$(uname -m)" != s390x ] || skip_all "lib/elf_code.py does not know this machine's calls"
[ -z "${LW_LANE:-}" ] || [ -n "${LW_PROGRAMS:-}" ] || [ "$(uname -m)" != x86_64 ] ||
	skip_all 'the root with the programs could not be made, see the log of the run'
needs latewind perf python3 readelf nm objdump
perf version --build-options 2>/dev/null | grep -qE '(dwarf|libdw|libunwind).*\[ *on' ||
	skip_all 'perf without DWARF unwinding'

# The table of a file that is met comes in time however slow the machine is.
waited=$(cat $table_wait) && echo 60000 >$table_wait
export HOME=$tmp
work=$tmp/work
mkdir "$work"
chmod 711 "$tmp"
json=${OUT:-$tmp}/programs.json
names=()

# prepare NAME SIZE: sets cmd, input and prefix.
prepare() {
	input=/dev/null prefix=
	"work_$1" "$2" >"$tmp/made" 2>&1
}

command_line() {
	printf '%s ' "$prefix"
	printf '%q ' "${cmd[@]}"
	printf '<%q >/dev/null\n' "$input"
}

# What is recorded: a little of the work first, and when the rest begins.
recorded() { # NAME
	{
		prepare "$1" 3
		command_line
		# The monotonic clock.
		echo "sed -n '/^now at/{s/[^0-9]//gp;q}' /proc/timer_list >$tmp/since"
		prepare "$1" $size
		command_line
	} >"$tmp/run"
	timeout "$((5 * patience))" latewind record -F 999 --no-kernel --depth 1024 -o "$tmp/data" \
		--text "$tmp/text" --stats "$tmp/stats" -- bash "$tmp/run" 2>"$err" </dev/null ||
		{ cat "$err"; return 1; }
}

# Stacks that are cut, in 10,000, and a few of when the program starts and ends; nothing that
# the code does not do.
judged() { # NAME MOST_CUT
	local name=$1 most_cut=$2
	python3 lib/call_sites.py "$tmp/text" "$tmp/data" "$(cat "$tmp/since")" "$name" \
		>"$tmp/result" 2>"$tmp/notes" || { cat "$tmp/notes"; return 1; }
	{ cat "$tmp/result"; cat "$tmp/notes"; } | sed "s/^/# /; 1s/^# /# $name: /" >&3
	names+=("\"$name\": $(cat "$tmp/result")")
	python3 -c '
import json, sys
got, most = json.load(open(sys.argv[1])), int(sys.argv[2])
walks = got["stacks"] - got["gone"]
assert walks >= 50, got
assert got["pairs_judged"] >= walks or got["guesses"] > walks / 10, got
assert got["pairs_wrong"] == 0, got
assert got["cut"] <= 10 + walks * most / 10000, got
' "$tmp/result" "$most_cut"
}

# program NAME MOST_CUT PROGRAM [FILE SYMBOL]: the latter where perf can unwind it.
program() {
	local name=$1 most_cut=$2 file=${4:-} symbol=${5:-}
	chosen "$name" || return 0
	command -v "$3" >"$tmp/made" || { lacks "$name: whole stacks" "$3"; return; }
	if ok "$name: recorded" recorded "$name"; then
		ok "$name: whole stacks, and each call is there" judged "$name" "$most_cut"
	fi
	[ -n "$file" ] && [ $to_probe -gt 0 ] || return
	to_probe=$((to_probe - 1))
	prepare "$name" $probe_size
	if ok "$name at $symbol of ${file##*/}: recorded" record "$file" "$symbol" "${cmd[@]}"; then
		ok "$name: the stacks of perf with all of the stack" compare "$name" 10
	fi
	rm -f "$tmp"/ours* "$tmp"/perf*
}

all='bash python3 perl git ruby php vim imagemagick lua gawk zstd ffmpeg redis clang ocamlopt
     emacs guile postgres go cc1 gdb xz sqlite3 openssl ripgrep gp swipl shellcheck'
# These take a minute to begin in an emulated machine.
! long_form || all+=' node java'
# In our VMs of another architecture there is no root of the programs, but these are in its own.
# Lua is not, whose errors take longjmp(): in glibc's for aarch64 the frame pointer is that of
# another function before the stack pointer is, and the call frame information of its caller,
# which goes by the frame pointer, is wrong for a moment.
[ -z "${LW_LANE:-}" ] || [ "$(uname -m)" = x86_64 ] ||
	all='bash python3 perl git zstd cc1 xz sqlite3 openssl'
! signs_addresses || to_probe=0
probes_init "${OUT:-$tmp}/probes.json"
# shellcheck disable=SC2086 # words
if [ $# -gt 0 ]; then picked=" $* " to_probe=$((to_probe ? $# : 0)); else choose 5 $all; fi

# of PROGRAM LIBRARY: the file, if both are there.
of() {
	library "$1" "$2" 2>/dev/null
}

program bash 10 bash "$libc" regexec
program python3 10 python3 "$(realpath /usr/bin/python3)" PySequence_List
program perl 10 perl /usr/bin/perl Perl_die_sv
program git 10 git "$(of /usr/bin/git libz.so)" deflate
program ruby 10 ruby "$(of /usr/bin/ruby libruby)" rb_ary_join
# The code of PCRE's JIT.
program php 250 php "$(realpath /usr/bin/php)" zend_sort
# perf's chains of these end in the middle, most likely as 64 KiB are too short.
program vim 10 vim.nox
program imagemagick 10 convert
program lua 10 lua5.4 /usr/bin/lua5.4 luaL_pushresult
program gawk 10 gawk "$libc" qsort
program zstd 10 zstd "$libc" fwrite
# Assembly of libx264 that the analysis does not follow.
program ffmpeg 100 ffmpeg "$(of /usr/bin/ffmpeg libavcodec)" avcodec_receive_packet
# perf would unwind the shell that starts it, which maps the C library first.
program redis 10 redis-server
program clang 10 clang "$(of /usr/bin/clang libLLVM)" _ZN4llvm15SmallVectorBaseIjE8grow_podEPvmm
# It recurses deeper than 1,024 frames, and has a stack of its own, which ends soon for perf.
program ocamlopt 60 ocamlopt.opt
program emacs 10 emacs "$libc" realloc
# Code that it makes, without frame pointers, and perf has nothing of.
program guile 9000 guile
program postgres 10 "$(postgres_program)" "$(postgres_program)" tuplesort_performsort
# Code that they make, with frame pointers; node's builtins have no call frame information. How
# much of java's time is spent in code that it has made goes by how far it has come.
program node 60 node
program java 2000 java
# There is no call frame information for perf in a stripped one.
program go 10 go
program cc1 10 gcc "$libc" realloc
program gdb 10 gdb "$libc" realloc
program xz 10 xz "$(of /usr/bin/xz liblzma)" lzma_code
program sqlite3 10 sqlite3 "$(of /usr/bin/sqlite3 libsqlite3)" sqlite3_result_text
program openssl 10 openssl "$(of /usr/bin/openssl libcrypto)" BN_mod_exp_mont
program ripgrep 10 rg "$libc" open64
# Assembly of GMP, which has no call frame information, and jumps into the middle of loops.
program gp 2000 gp "$(realpath /usr/bin/gp)" Z_factor
program swipl 10 swipl "$(of /usr/bin/swipl libgmp)" __gmpz_ui_pow_ui
# Haskell: functions are not called, but jumped to, and the stack pointer is another register.
program shellcheck 9000 shellcheck

{
	echo '{'
	printf '%s\n' "${names[@]}" | sed '$!s/$/,/'
	echo '}'
} >"$json"
probes_end
checks_done
