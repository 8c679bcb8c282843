#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# names_test.sh: a recording brings the names of its user code along: the same are told when
# the programs, their libraries and what they have written are gone, on what is another
# machine to the tool. Needs the tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

app=$tmp/app
trap checks_free EXIT

# A program with all that it is linked to, so that no file of the system is left to ask.
install_app() {
	mkdir "$app" && cp deterministic "$app/" && [ ! -x languages/jit ] || cp languages/jit "$app/"
	ldd deterministic | grep -o '/[^ ]*' | while read -r file; do cp -L "$file" "$app/"; done
}

in_app() { # PROGRAM: the words of a command that runs it there
	echo "$app"/ld*.so.* --library-path "$app" "$app/$1"
}

# elsewhere COMMAND...: on another machine, as far as a recording can tell.
elsewhere() {
	# shellcheck disable=SC2016 # the other shell's own
	HOME=$tmp/nobody unshare --uts sh -c 'echo elsewhere >/proc/sys/kernel/hostname && exec "$@"' \
		sh "$@"
}

# named FILE: how it reads here, with its inlined calls and lines, and as raw addresses.
named() {
	latewind script -i "$1" --inline --ns 2>"$err" && latewind report -i "$1" -n --inline 2>"$err"
}

record_app() {
	# shellcheck disable=SC2046 # words of a command
	exits 0 latewind record -q -e "$app/deterministic:hit" -o "$tmp/app.data" \
		-- $(in_app deterministic) &&
	exits 0 latewind record -q --no-names -e "$app/deterministic:hit" -o "$tmp/none.data" \
		-- $(in_app deterministic) &&
	exits 0 latewind record -q -z --deferred -e "$app/deterministic:hit" -o "$tmp/packed.data" \
		-- $(in_app deterministic) || return
	named "$tmp/app.data" >"$tmp/app.here" && named "$tmp/packed.data" >"$tmp/packed.here" &&
	has "$tmp/app.here" ' main'
}

record_jit() {
	exits 0 latewind record -q -e task-clock:u -c 1000000 -o "$tmp/jit.data" -- "$app/jit" &&
	named "$tmp/jit.data" >"$tmp/jit.here" && has "$tmp/jit.here" 'jit::inner'
}

record_files() {
	# shellcheck disable=SC2016,SC2046 # the other shell's own; words of a command
	exits 0 latewind record -q -e "$app/deterministic:hit" --switch-output=signal \
		-o "$tmp/several.data" -- \
		sh -c '"$@"; kill -USR2 $PPID; until ls "$0".data.2* 2>/dev/null; do sleep 0.1; done; "$@"' \
		"$tmp/several" $(in_app deterministic) || return
	mapfile -t several < <(ls "$tmp"/several.data.2*)
	equal files "${#several[@]}" 2
}

# in_box NAME OPTION...: record a program in a mount namespace of its own, which is gone with it.
in_box() {
	local name=$1
	shift
	mkdir "$tmp/$name.home" || return
	# shellcheck disable=SC2016 # the other shell's own
	HOME=$tmp/$name.home exits 0 latewind record -q -e raw_syscalls:sys_enter "$@" \
		-o "$tmp/$name.data" -- unshare --mount sh -c \
		'mount -t tmpfs none "$1" && cp deterministic "$1/prog" && "$1/prog" >/dev/null' \
		sh "$app" || return
	perf --no-pager buildid-list -i "$tmp/$name.data" 2>"$err" | grep "$app/prog" >"$tmp/id"
}

copies() { # NAME
	find "$tmp/$1.home" -name elf
}

file_of_a_box_is_kept() {
	in_box box && copies box >"$tmp/copies" &&
	has "$tmp/copies" "latewind/$(cut -d ' ' -f 1 "$tmp/id")/elf" &&
	equal copies "$(wc -l <"$tmp/copies")" 1 && cmp deterministic "$(cat "$tmp/copies")" || return
	# perf finds it, and so do we without the names that were saved
	HOME=$tmp/box.home perf script -i "$tmp/box.data" --no-inline -F comm,ip,sym,dso \
		$user_names >"$tmp/box.perf" 2>"$err" && has "$tmp/box.perf" " main \\($app/prog\\)" &&
	exits 0 latewind script -i "$tmp/box.data" && has "$tmp/out" " main\\+.* \\($app/prog\\)"
}

no_file_is_kept_when_told_so() {
	in_box without -N && equal copies "$(copies without)" '' &&
	exits 0 latewind script -i "$tmp/without.data" && has "$tmp/out" " main\\+.* \\($app/prog\\)" &&
	in_box nameless --no-names && equal copies "$(copies nameless)" ''
}

# What perf tells of the file while all is there.
perf_reads_it() {
	perf script -i "$tmp/app.data" --no-inline -F ip,sym >"$tmp/perf" 2>"$err" &&
	equal 'mains' "$(grep -c ' main$' "$tmp/perf")" "$(grep -c ' main+' "$tmp/app.here")"
}

remove_all() {
	rm -r "$app" && rm -f /tmp/perf-*.map && mkdir "$tmp/nobody"
}

reads_the_same_elsewhere() { # NAME
	elsewhere latewind script -i "$tmp/$1.data" --inline --ns >"$tmp/$1.there" 2>"$err" &&
	elsewhere latewind report -i "$tmp/$1.data" -n --inline >>"$tmp/$1.there" 2>"$err" || return
	same "$tmp/$1.here" "$tmp/$1.there" && equal warnings "$(cat "$err")" ''
}

lost_without_names() {
	elsewhere latewind script -i "$tmp/none.data" >"$tmp/none" 2>"$err" &&
	has "$tmp/none" '\[unknown\]' && ! grep ' main' "$tmp/none"
}

each_file_has_names() {
	local file
	for file in "${several[@]}"; do
		elsewhere latewind script -i "$file" >"$tmp/file" 2>"$err" && has "$tmp/file" ' main' ||
			return
	done
}

install_app || exit
ok 'a program with libraries of its own' record_app
if [ -x "$app/jit" ]; then
	ok 'a program that makes code' record_jit
else
	skip 'a program that makes code' 'languages/jit is not built'
fi
ok 'a recording in two files' record_files
ok 'perf reads what has names behind it' perf_reads_it
ok 'a file that only its process could see is copied for perf' file_of_a_box_is_kept
ok '... but not with -N' no_file_is_kept_when_told_so
remove_all
ok 'all is named when the program is gone' reads_the_same_elsewhere app
ok '... and in a file that is packed' reads_the_same_elsewhere packed
if [ -e "$tmp/jit.here" ]; then
	ok '... and the code that was made' reads_the_same_elsewhere jit
else
	skip '... and the code that was made' 'languages/jit is not built'
fi
ok '... but not with --no-names' lost_without_names
ok 'each of several files has names' each_file_has_names
checks_done
