#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install_test.sh: what "make install" leaves, copied elsewhere, runs there by the kernel's
# own run_kselftest.sh. Needs that directory, kselftest_install beside the one of the tests;
# the short form runs one test that has a module of its own and two others.
# shellcheck disable=SC2317 # ok() calls them
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

installed=../kselftest_install
[ -e $installed/run_kselftest.sh ] || skip_all "no $(realpath -m $installed): 'make install' makes it"
# Nothing of where it was built may be needed.
unset LATEWIND_ROOT LW_BUILD

copied() {
	cp -r $installed "$tmp/elsewhere"
}

# listed: every test has its line, and is there.
listed() {
	local name
	has "$tmp/elsewhere/kselftest-list.txt" '^latewind:abi_test$' || return
	while IFS=: read -r _ name; do
		[ -x "$tmp/elsewhere/latewind/$name" ] || { echo "no $name"; return 1; }
	done <"$tmp/elsewhere/kselftest-list.txt"
}

# wanted: the tests to run, a line each.
wanted() {
	if long_form; then
		cut -d: -f2 "$tmp/elsewhere/kselftest-list.txt"
		return
	fi
	echo context_test
	# shellcheck disable=SC2046 # words
	sample 2 $(cut -d: -f2 "$tmp/elsewhere/kselftest-list.txt" |
		grep -vE '^(v3/|context_test|stress)|\.sh$')
}

# Each is told of once, passed or skipped; $tmp/wanted is what was run.
runs() {
	local test options=()
	wanted >"$tmp/wanted"
	while read -r test; do
		options+=(-t "latewind:$test")
	done <"$tmp/wanted"
	# It opens its output again, to append to it.
	# The short form also where all are run: that of each is the lanes' business.
	LW_LONG='' "$tmp/elsewhere/run_kselftest.sh" -o $((600 * scale)) "${options[@]}" >>"$tmp/ktap" || return
	has "$tmp/ktap" '^TAP version 13$' "^1\.\.$(wc -l <"$tmp/wanted")$" || return
	grep -E '^ok [0-9]+ selftests: latewind: ' "$tmp/ktap" |
		sed 's/.*: //; s/ # SKIP.*//' | sort >"$tmp/passed"
	sed 's,.*/,,' "$tmp/wanted" | sort >"$tmp/names"
	same "$tmp/names" "$tmp/passed" ||
		{ grep -E '^(# *)*not ok' "$tmp/ktap"; return 1; }
}

# A test that is not there is no success.
fails() {
	rm "$tmp/elsewhere/latewind/abi_test"
	rm "$tmp/ktap"
	"$tmp/elsewhere/run_kselftest.sh" -t latewind:abi_test >>"$tmp/ktap" 2>&1
	has "$tmp/ktap" '^not ok 1 selftests: latewind: abi_test'
}

trap checks_free EXIT
ok 'the directory can be copied elsewhere' copied
ok 'its list names every test, and all are there' listed
ok "run_kselftest.sh runs them there" runs
ok 'and tells of one that fails' fails
checks_done
