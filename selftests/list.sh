#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# list.sh check|check-all LANE: the tests of tests.txt that run there, a line each:
# seconds that it may take on a stock kernel, and its command.
# LANE/N in the table is one in N of these tests, which LW_SEED chooses. The lanes rt and clang
# have the tests of the module, in their short form: those that check has of lane 7. The lane
# debug-arm64 has those of 6.12-arm64 that check-all has on debug, too, and those that name it;
# 6.12-16k-arm64 has those of 6.12-arm64, for whose kernel the installed modules are.
# list.sh names: the names of all kselftests, once.
set -eu

table=$(dirname "$0")/tests.txt
case ${1:-} in
check | check-all)
	both= without= own=
	case ${2:-} in
	rt | clang) set -- check 7 ;;
	debug-arm64) own=$2 both=debug && set -- "$1" 6.12-arm64 ;;
	6.12-16k-arm64) set -- "$1" 6.12-arm64 && without=install_test.sh ;;
	esac
	awk -F ' [|] ' -v form="$1" -v lane="${2:?usage: list.sh check|check-all LANE}" \
		-v both="$both" -v without="$without" -v own="$own" -v seed="${LW_SEED:-0}" '
		/^#/ || NF == 0 { next }
		!index(" " $3 " ", " " both " ") && both { next }
		$1 == without { next }
		NF != 6 { print "tests.txt:" NR ": not six columns" >"/dev/stderr"; exit 1 }
		{
			split($4, limit, " ")
			count = split($(form == "check" ? 2 : 3), lanes, " ")
			for (i = 1; i <= count; i++) {
				split(lanes[i], of, "/")
				here = of[1] == lane || of[1] == own
				if (here && (!of[2] || (nth++ + seed) % of[2] == 0))
					print limit[form == "check" ? 1 : 2], $1
			}
		}' "$table" ;;
names)
	awk -F ' [|] ' '!/^#/ && (" " $3) ~ / (6[.]|7|debug)/ {
		sub(/ .*/, "", $1); if (!seen[$1]++) print $1 }' "$table" ;;
*)
	echo "usage: list.sh check|check-all LANE, or list.sh names" >&2
	exit 2 ;;
esac
