#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# library_test.sh: liblatewind as its users have it: samples/stacks prints the stacks of a
# process, from C and from Python.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

target_pid=''

cleanup() {
	[ -z "$target_pid" ] || kill "$target_pid"
	checks_free
}
trap cleanup EXIT

# named FILE: its stacks, a line each, by the names of the target's functions.
named() {
	nm tool_target | awk '$2 ~ /^[tT]$/ { print $1, $3 }' | sort >"$tmp/symbols"
	python3 - "$1" "$tmp/symbols" /proc/$target_pid/maps <<-'END'
		import bisect, sys

		printed, symbols, maps = (open(path).read().splitlines() for path in sys.argv[1:])
		symbols = [(int(at, 16), name) for at, name in map(str.split, symbols)]
		own = [line.split() for line in maps if line.endswith('/tool_target')]
		base = int(own[0][0].split('-')[0], 16)
		end = symbols[-1][0] + 4096
		stacks = []
		for line in printed:
		    if line.startswith('thread '):
		        stacks.append([line.split(':')[1].strip()] if line[-1] != ':' else [])
		        continue
		    # a return address is one of the call before it
		    offset = int(line, 16) - base - bool(stacks[-1])
		    at = bisect.bisect(symbols, (offset, '~')) - 1
		    stacks[-1].append(symbols[at][1] if 0 <= offset < end and at >= 0 else '?')
		print('\n'.join(' '.join(stack) for stack in stacks))
	END
}

# Two threads, which sleep most of the time, have some ten samples in the second that COMMAND
# takes, and on a busy machine hardly one: it is run until there are enough.
are_its_stacks() { # COMMAND...
	local end=$((SECONDS + patience))
	: >"$tmp/stacks"
	until [ "$(grep -c '^spin middle busy ' "$tmp/stacks")" -ge 10 ]; do
		exits 0 "$@" "$target_pid" && named "$tmp/out" >>"$tmp/stacks" || return
		if grep -n 'no stack' "$tmp/stacks" || ((SECONDS >= end)); then
			sort "$tmp/stacks" | uniq -c
			return 1
		fi
	done
}

says_who_is_missing() {
	exits 1 ./stacks_of_pid 4194304 && has "$err" '4194304: No such process' &&
		exits 2 ./stacks_of_pid && has "$err" 'usage: '
}

needs python3 nm
./tool_target threads 2 >/dev/null &
target_pid=$!
ok 'stacks_of_pid prints the stacks of two threads' are_its_stacks ./stacks_of_pid
ok 'stacks.py does so by ctypes' are_its_stacks env LD_LIBRARY_PATH="$PWD" python3 stacks.py
ok 'a process that is not there is named' says_who_is_missing
checks_done
