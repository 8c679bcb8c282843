#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of 'make device-fuzz', in a VM: that many calls, from a seed on, or one program
# again. These come by the kernel's command line, as lw.calls=, lw.seconds=, lw.seed=,
# lw.replay=, lw.faults= and lw.workers=.
set -u

for word in $(cat /proc/cmdline); do
	case $word in
	lw.calls=*) export LW_FUZZ_CALLS=${word#*=} ;;
	lw.seconds=*) export LW_FUZZ_SECONDS=${word#*=} ;;
	lw.seed=*) export LW_SEED=${word#*=} ;;
	lw.replay=*) export LW_FUZZ_REPLAY=${word#*=} ;;
	lw.faults=*) export LW_FUZZ_FAULTS=${word#*=} ;;
	lw.workers=*) export LW_FUZZ_WORKERS=${word#*=} ;;
	esac
done
cd "$LW_BUILD/selftests" && exec ./device_fuzz
