#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of the lane refuse, on a machine without local APIC (nolapic): the module is not
# loaded, and says why in one line. The TAP is for tap.py on the host.
set -u

said=$(insmod "$LATEWIND_KO" 2>&1)
status=$?
# What is not ours is that of any module that Debian has not built.
lines=$(dmesg | grep ' latewind: ' | grep -vE 'out-of-tree module|module verification failed' || :)

check() { # COMMAND...: the result's name is in $name
	nr=$((nr + 1))
	if "$@"; then
		echo "ok $nr - $name"
	else
		printf '# insmod: %s (%s)\n# %s\nnot ok %s - %s\n' "$said" "$status" "$lines" $nr "$name"
	fi
}

nr=0
{
	echo 'TAP version 13'
	echo '1..4'
	name='insmod fails' check test $status -ne 0
	name='as there is no such device' check grep -q 'No such device' <<<"$said"
	name='the kernel log has one line of it' check test "$(grep -c . <<<"$lines")" = 1
	name='which says why' check grep -q 'not loaded, error 19: .*APIC' <<<"$lines"
	echo '# exit status 0'
} >"$OUT/10-refuse.tap"
