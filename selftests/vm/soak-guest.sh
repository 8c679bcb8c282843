#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of 'make soak', in a VM: stress, the device fuzzer and fault injection in turns, for
# lw.seconds= from lw.seed= on, both by the kernel's command line. Each turn has a seed of its
# own, which it prints; what it prints is left in $OUT, by turn.
set -u

for word in $(cat /proc/cmdline); do
	case $word in
	lw.seconds=*) seconds=${word#*=} ;;
	lw.seed=*) seed=${word#*=} ;;
	esac
done
cd "$LW_BUILD/selftests" || exit 1
status=0
turn=0

# part COMMAND...: one part of a turn; its summary is shown, and all of it if it failed.
part() {
	local log
	log=$OUT/$(printf '%03d' $turn)-${1##*/}.tap
	echo "# $SECONDS s, seed $LW_SEED: $*"
	if "$@" >"$log" 2>&1; then
		grep -E '^# (calls|tables|calls that failed|[0-9]+ rounds|samples) ' "$log"
	else
		status=1
		cat "$log"
	fi
}

export LW_FUZZ_CALLS=1000000000 LW_FUZZ_WORKERS=8 LW_FUZZ_FAULTS=8
while [ $SECONDS -lt "$seconds" ] && [ $status -eq 0 ]; do
	export LW_SEED=$((seed + turn))
	part ./stress 60 $LW_SEED
	LW_FUZZ_SECONDS=180 part ./device_fuzz
	part ./fault_test
	turn=$((turn + 1))
done
echo "# $turn turns, $SECONDS s"
exit $status
