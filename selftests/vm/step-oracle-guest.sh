#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of "make step-oracle": lw.steps=N instructions of five programs, see
# step_oracle_test.sh. What was said of each is left in $OUT.
set -u

steps=1000000
# shellcheck disable=SC2013 # options are words
for option in $(cat /proc/cmdline); do
	case $option in
	lw.steps=*) steps=${option#*=} ;;
	esac
done
cd "$LW_BUILD/selftests" || exit
./step_oracle_test.sh "$steps"
