#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of coverage.sh, in a VM: the module's tests in their short form, those of the debug
# lane, and then what gcov has counted, in $OUT/gcda.tar. What is unloaded is remembered by
# the kernel. A test that fails is told, and the figures are those of the others.
set -u

cd "$LW_BUILD/selftests" || exit 1
"$LATEWIND_ROOT/selftests/list.sh" check-all debug | while read -r limit line; do
	timeout -k 10 $((limit * LW_TIME_SCALE)) sh -c "./$line" </dev/null >"/tmp/tap" 2>&1
	echo "${line%% *}: exit status $?"
done
cd /sys/kernel/debug/gcov || exit 1
# Their sizes are only known when they are read.
mkdir /tmp/gcda
find . -name '*.gcda' | while read -r file; do
	mkdir -p "/tmp/gcda/$(dirname "$file")"
	cat "$file" >"/tmp/gcda/$file"
done
tar -c -f "$OUT/gcda.tar" -C /tmp/gcda .
