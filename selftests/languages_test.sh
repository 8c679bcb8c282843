#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# languages_test.sh: programs in many languages, as their compilers make them by
# default, have the stacks that they are known to have, from the leaf to the outermost
# frame. Needs the tool in PATH, python3, and what languages/Makefile has built; a
# language whose compiler was not there is skipped. The short form takes a few of those
# that are there, which the seed chooses.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh
trap checks_free EXIT
needs latewind python3

has_trampolines() {
	python3 -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null
}

# What is there, as its programs and "python".
there=$(cd languages 2>/dev/null && find . -maxdepth 1 -type f -name '*_*' -perm -u+x -printf '%f\n' |
	sort)
[ -x languages/jit ] && there+=' jit'
has_trampolines && there+=' python'
# shellcheck disable=SC2086 # several
choose 1 $there

is_chosen() { # PROGRAM: or is to be skipped as it is not there
	long_form || [ -z "${there// /}" ] || chosen "$1"
}

# Behind main(): functions of glibc, whose names no file has, and where all begins.
libc='* * _start'

# recorded PROGRAM [ARG]...
recorded() {
	local program=$1
	shift
	timeout "$patience" latewind record -e cpu-clock:u --no-kernel --text "$tmp/text" -o "$tmp/data" -- \
		"$program" "$@" \
		2>"$err" || { echo "exit status $?"; cat "$err"; return 1; }
	[ $# -eq 0 ] || program=${!#}
	[ -z "${OUT:-}" ] || cp "$tmp/text" "$OUT/languages-$(basename "$program").txt"
}

# stacks PROGRAM ENDS PATTERN...: see languages_check.py.
stacks() {
	local program=$1
	shift
	recorded "languages/$program" && ./languages_check.py "$tmp/text" "$@"
}

# unwind_stacks STYLE ENDS PATTERN...: of code that has no frame pointer.
unwind_stacks() {
	recorded languages/jit_unwind "$1" && ./languages_check.py "$tmp/text" "${@:2}"
}

python_stacks() {
	recorded python3 -X perf languages/plain.py &&
		./languages_check.py "$tmp/text" outermost "$@"
}

# Why a program is not there.
lacks_why() { # PROGRAM
	case $(uname -m)/$1 in
	x86_64/*) ;;
	*/go_*) echo "rows of Go's own tables are made on x86-64 only"; return ;;
	*/ml_*) echo 'ocamlopt compiles for its own machine only'; return ;;
	esac
	cat languages/WHY 2>/dev/null || echo 'its compiler was not there'
}

language() { # NAME PROGRAM ENDS PATTERN...
	local name=$1
	shift
	is_chosen "$1" || return 0
	if [ -x "languages/$1" ]; then
		ok "$name" stacks "$@"
	else
		skip "$name" "$(lacks_why "$1")"
	fi
}

# Both from main(), and from a handler that raise() has led to.
for how in pie static; do
	language "C, $how" c_$how outermost \
		"leaf three two one main $libc" \
		"leaf three two one handler * * * ... main $libc"
done

# Nothing of musl has tables. Its restorer is known as any, what is behind is guessed:
# raise() is without a frame pointer.
language "C, musl" c_musl 'outermost-fp|no-rule|bad-ip|bad-cfa|fault|outermost' \
	"leaf three two one main ..." \
	"leaf three two one handler * ..."

for how in pie static; do
	language "C++, $how" cc_$how outermost \
		"leaf thrower middle catcher main $libc" \
		"leaf _ZN5GuardD.Ev middle(\.cold)? catcher main $libc" \
		"leaf catcher(\.cold)? main $libc"
done

for how in pie static; do
	language "Rust, $how" rs_$how outermost \
		"leaf three two one .*plain4main.* ... main $libc" \
		"leaf three two one ... * *" \
		"leaf .*drop.* ... panics ... .*plain4main.* ... main $libc"
done

# The vDSO has no names. What the scheduler does ends where it left the goroutine.
for how in static pie stripped; do
	language "Go, $how" go_$how outermost \
		"main.leaf main.three main.two main.one main.main runtime.main runtime.goexit.*" \
		"main.leaf main.three main.two main.one main.worker main.main.* runtime.goexit.*" \
		"... main.clock main.main runtime.main runtime.goexit.*" \
		"... time.now (main.clock|time\..*|runtime.gc.*) ... runtime.goexit.*" \
		"... runtime.nanotime1(\.abi0)? ... runtime.(goexit|mcall|mstart|rt0_go|morestack)(\.abi0)?"
done

# It starts threads, in whose clone3() glibc ends its tables before the call.
language "Go with C" go_cgo 'outermost|no-rule' \
	"leaf in_c _cgo_.* runtime.asmcgocall.* runtime.cgocall main._Cfunc_in_c.* main.one main.main runtime.main runtime.goexit.*"

# From Go to C and back, stripped: C's functions have no names.
language "Go called by C" go_callback 'outermost|no-rule' \
	"main.leaf ... _cgoexp_.*_back runtime.cgocallbackg1 ... runtime.cgocallback crosscall2 * * * runtime.asmcgocall runtime.cgocall main._Cfunc_in_c main.one main.main runtime.main runtime.goexit"

ml='camlPlain[.$]'
for how in pie static; do
	language "OCaml, $how" ml_$how outermost \
		"c_leaf spin_in_c ${ml}to_c.* ${ml}run.* ${ml}entry ... caml_start_program ... main $libc" \
		"${ml}leaf.* ${ml}three.* ${ml}two.* ${ml}one.* ${ml}run.* ${ml}entry ... caml_start_program ... main $libc" \
		"${ml}leaf.* ${ml}three.* ${ml}two.* ${ml}one.* ... caml_start_program ... call_back caml_c_call ${ml}through_c.* ${ml}run.* ${ml}entry ... main $libc" \
		"${ml}leaf.* ${ml}three.* ${ml}two.* ${ml}one.* ${ml}in_fibre.* caml_runstack ${ml}run.* ${ml}entry ... main $libc"
done

# Code without tables, whose frame pointers are believed, and said to be that.
language "code made at run time" jit outermost \
	"jit::inner jit::outer run main $libc"
# Other code in the same place all the time: the name is that of the sample's time.
language "code made anew at run time" jit_dump outermost \
	"jit::odd run_odd main $libc" "jit::even run_even main $libc"
# By rows of the unwind information in its jitdump; without that there is nothing to go by.
if ! is_chosen jit_unwind; then
	:
elif [ -x languages/jit_unwind ]; then
	for how in perf llvm; do
		ok "code with unwind information, as for $how" unwind_stacks $how outermost \
			"leaf jit::small run main $libc" "leaf jit::large run main $libc"
	done
	ok "code without unwind information" unwind_stacks none 'outermost(-fp)?' \
		"leaf jit::small" "leaf jit::large"
else
	skip "code with unwind information" "$(lacks_why jit_unwind)"
fi
if ! is_chosen python; then
	:
elif has_trampolines; then
	ok "Python" python_stacks \
		"... py::leaf:.* ... py::three:.* ... py::two:.* ... py::one:.* ... py::<module>:.* ... *"
else
	skip "Python" "this one has no -X perf"
fi

checks_done
