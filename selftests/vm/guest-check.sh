#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of a test VM: run each of the lane's tests, as tests.txt has them, with a time
# limit each; leave its TAP in $OUT/NN-name.tap, closed by lines with the seconds that it
# took and its exit status. tap.py on the host is the judge; what fails here is the run
# itself. A test runs once: nothing is tried again.
#
# LW_LONG=1 runs the list of check-all. Limits are of a stock kernel: $LW_TIME_SCALE times
# that is granted.
set -u

form=check
[ "${LW_LONG:-0}" = 0 ] || form=check-all
cd "$LW_BUILD/selftests" || exit 1
list=$("$LATEWIND_ROOT/selftests/list.sh" $form "$LW_LANE") || exit 1
n=0
while read -r limit line; do
	n=$((n + 1))
	name=${line%% *}
	name=$(printf '%02d-%s' $n "$(basename "$name")")
	echo "latewind-check: $name starts" >/dev/kmsg
	start=${EPOCHREALTIME/./}
	timeout -k 10 $((limit * LW_TIME_SCALE)) sh -c "./$line" </dev/null >"/tmp/$name" 2>&1
	status=$?
	took=$(((${EPOCHREALTIME/./} - start) / 100000))
	took=$((took / 10)).$((took % 10))
	{
		cat "/tmp/$name"
		printf '\n# seconds %s\n# exit status %s\n' "$took" "$status"
	} >"$OUT/$name.tap"
	rm "/tmp/$name"
	echo "$name: exit status $status, $took s"
done <<<"$list"
[ $n -gt 0 ]
