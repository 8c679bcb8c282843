#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# walk.sh [KERNEL...]: count what a sample with a user stack costs, by Latewind and by perf,
# in a VM whose time goes by instructions, and which functions of the kernel these are.
# Prints tables, leaves build/bench/walk.json; fails if a goal is missed.
#
# WALK_ROUNDS (3), WALK_CASES, WALK_FRAMES and WALK_SUBJECTS (all; see walk_bench.c),
# WALK_PROFILE (table: the subject whose functions are counted; empty for none),
# WALK_PROFILE_CASE (one), WALK_PROFILE_FRAMES (25).
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lanes=("$@")
[ $# -gt 0 ] || lanes=(6.12)
vm=$LW_REPO/build/bench-walk-vm
results=build/bench/walk
cd "$LW_REPO"

# in_vm LANE ARG...: run walk_bench there; its passes come to $vm/out/passes.
in_vm() {
	local lane=$1
	shift
	{
		echo '#!/bin/bash'
		# Modules have their names there only while they are loaded.
		# shellcheck disable=SC2016 # expanded in the guest
		echo 'cat /proc/kallsyms >"$OUT/kallsyms"'
		# shellcheck disable=SC2016 # likewise
		printf 'exec "$LW_BUILD/selftests/walk_bench"'
		printf ' %q' "$@"
		# shellcheck disable=SC2016 # likewise
		echo ' >"$OUT/passes"'
	} >"$vm/walk-guest.sh"
	VM_DIR=$vm VM_ICOUNT=1 VM_TIMEOUT=${VM_TIMEOUT:-3600} \
		"$LW_VM_DIR/run.sh" "$lane" "$vm/walk-guest.sh"
}

rm -rf "$results"
mkdir -p "$vm"
for lane in "${lanes[@]}"; do
	to=$results/$lane
	mkdir -p "$to"
	"$LW_VM_DIR/build.sh" "$lane" module tools selftests
	note "counting instructions on kernel $lane"
	in_vm "$lane" "${WALK_ROUNDS:-3}" "${WALK_CASES:-}" "${WALK_FRAMES:-}" "${WALK_SUBJECTS:-}"
	cp "$vm/out/passes" "$to/"
	[ -n "${WALK_PROFILE-table}" ] || continue
	note "counting them by function"
	mkdir "$to/profile"
	"$LW_VM_DIR/enter.sh" "$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)" make -s -C selftests/bench \
		"O=$LW_GUEST_REPO/build/bench" count
	VM_PLUGIN=$LW_REPO/build/bench/count.so,out=$LW_REPO/$to/profile/counts \
		in_vm "$lane" 1 "${WALK_PROFILE_CASE:-one}" "${WALK_PROFILE_FRAMES:-25}" \
		"${WALK_PROFILE-table}"
	cp "$vm/out/passes" "$vm/out/kallsyms" "$to/profile/"
done
exec python3 selftests/bench/walk.py build/bench/walk.json "$results" "${lanes[@]}"
