#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bundle_test.sh: what tools/flame/d3 has is what npm makes of package-lock.json. Prints TAP;
# a skip where there is no npm, or neither a registry nor what npm has kept of one.
set -u
cd "$(dirname "$0")/../.." || exit

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if ! command -v npm >/dev/null; then
	echo '1..0 # SKIP no npm'
	exit 4
fi
echo 1..1
tools/flame/bundle.sh "$out/d3" 2>"$out/log"
status=$?
if [ $status -ne 0 ]; then
	sed 's/^/# /' "$out/log"
	# That the registry has other bytes than the lock names is no such reason.
	if [ $status -eq 3 ] && ! grep -qE 'code E(INTEGRITY|USAGE|TARGET|404)' "$out/log"; then
		echo 'ok 1 - the bundle is what npm makes # SKIP npm cannot get d3-flame-graph'
		exit 4
	fi
	echo 'not ok 1 - the bundle is what npm makes'
	exit 1
fi
if ! diff -r "$out/d3" tools/flame/d3 >"$out/diff"; then
	cut -c 1-200 "$out/diff" | sed 's/^/# /'
	echo 'not ok 1 - the bundle is what npm makes'
	exit 1
fi
echo 'ok 1 - the bundle is what npm makes'
