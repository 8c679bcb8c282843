#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of 'make stress', in a VM: STRESS_SECONDS of everything at once from
# STRESS_SEED on, then STRESS_CYCLES times the module unloaded and loaded under
# load. These come by the kernel's command line, as lw.seconds= and so on.
set -u

# option NAME DEFAULT
option() {
	local word value=$2
	for word in $(cat /proc/cmdline); do
		case $word in
		"lw.$1="*) value=${word#*=} ;;
		esac
	done
	echo "$value"
}

cd "$LW_BUILD/selftests" || exit 1
status=0
./stress "$(option seconds 60)" "$(option seed 1)" || status=1
cycles=$(option cycles 0)
if [ "$cycles" -gt 0 ]; then
	LW_RMMOD_ROUNDS=$cycles ./rmmod_test || status=1
fi
exit $status
