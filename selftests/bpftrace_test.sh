#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bpftrace_test.sh: names on pages that are not in memory, as bpftrace's str() has
# them and as Latewind has them, of the same calls.
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

calls=100
trap checks_free EXIT

needs latewind bpftrace

# shellcheck disable=SC2317 # run by ok
lines() { # FILE PATTERN NUMBER
	equal "lines with $2 in $1" "$(grep -cE -e "$2" "$1")" "$3"
}

# bpftrace's probe is there first, and so runs first: where Latewind's has waited for
# a page, it is there for others too. 23130 is the mode that open_dropped gives.
program='tracepoint:syscalls:sys_enter_openat /args.mode == 23130/ {
	printf("name [%s]\n", str(args.filename));
}'
ok "both trace" timeout "$((3 * patience))" bpftrace -o "$tmp/peer" -e "$program" -c \
	"$(command -v latewind) trace -e openat -o $tmp/ours -- $PWD/open_dropped $calls"
ok "bpftrace has seen each call" lines "$tmp/peer" '^name \[.*\]$' $calls
ok "and none of their names" lines "$tmp/peer" '^name \[\]$' $calls
ok "latewind has each call's name" lines "$tmp/ours" '"/no/such/path", O_RDONLY' $calls
checks_done
