#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of a test VM: run every command of the lane's run-list with a time
# limit each; leave its TAP in $OUT/NN-name.tap, closed by a line with its exit
# status. tap.py on the host is the judge; what fails here is the run itself.
#
# A run-list line may start with "timeout=SECONDS ". All limits are of a stock
# kernel: $LW_TIME_SCALE times that is granted.
set -u

list=$LW_BUILD/selftests/run-list
cd "$LW_BUILD/selftests" || exit 1
n=0
while read -r line; do
	case $line in
	'' | '#'*) continue ;;
	esac
	limit=120
	case $line in
	timeout=*)
		limit=${line%% *}
		limit=${limit#timeout=}
		line=${line#* }
		;;
	esac
	n=$((n + 1))
	name=${line%% *}
	name=$(printf '%02d-%s' $n "$(basename "$name")")
	echo "latewind-check: $name starts" >/dev/kmsg
	start=$SECONDS
	timeout -k 10 $((limit * LW_TIME_SCALE)) sh -c "$line" </dev/null >"/tmp/$name" 2>&1
	status=$?
	{
		cat "/tmp/$name"
		echo
		echo "# exit status $status"
	} >"$OUT/$name.tap"
	rm "/tmp/$name"
	echo "$name: exit status $status, $((SECONDS - start)) s"
done <"$list"
[ $n -gt 0 ]
