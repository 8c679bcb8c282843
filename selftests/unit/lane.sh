#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lane.sh DIRECTORY: build and run all unit tests, as many at a time as there are CPUs.
# Leaves the TAP file of each in DIRECTORY, and the pictures of the flame test.
# LW_LONG=1: all that they can try; LW_SEED: what they choose samples by.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
dir=$(realpath "${1:?usage: lane.sh DIRECTORY}")
cd "$LW_REPO"

# Without sid, which may be broken for a day, what needs it is skipped.
LW_ROOT=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
LW_ROOT_V3=$("$LW_VM_DIR/mkroot.sh" sid-lab) || LW_ROOT_V3=
export LW_ROOT LW_ROOT_V3

lane() { make --no-print-directory -s -f selftests/unit/lane.mk "$@"; }

status=0
lane -j"$(nproc)" all >"$dir/build.log" 2>&1 || status=$?
{
	echo "1..1"
	[ $status -eq 0 ] || { tail -n 20 "$dir/build.log" | sed 's/^/# /'; printf 'not '; }
	echo "ok 1 - the tool and the unit tests build on this machine"
	echo "# exit status $status"
} >"$dir/00-build.tap"
[ $status -eq 0 ] || { tail -n 30 "$dir/build.log"; exit 1; }

lane commands >"$dir/commands"
selftests/unit/tap_each "$dir" <"$dir/commands" || status=1
{
	missing=$(while read -r name _; do
		[ -s "$dir/$name.tap" ] || echo "# $name has not run"
	done <"$dir/commands")
	echo "1..1"
	[ -z "$missing" ] || { echo "$missing"; printf 'not '; }
	echo "ok 1 - all of $(wc -l <"$dir/commands") tests have run"
	echo "# exit status 0"
} >"$dir/99-list.tap"
for picture in build/flame-test/*.png; do
	[ ! -e "$picture" ] || cp "$picture" "$dir/"
done
exit $status
