#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ring.sh [KERNEL]: our ring beside those of BPF and perf: instructions of a record
# in a VM whose time goes by instructions, records a second in one with two CPUs;
# ours natively. Prints tables, leaves build/bench/ring.json and ring.txt. Fails
# if a goal is missed.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
vm=$LW_REPO/build/bench-vm
out=$LW_GUEST_REPO/build/bench
results=build/bench/ring
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
in_root() { "$LW_VM_DIR/enter.sh" "$root" "$@"; }

# in_vm WHAT: run ring_bench in the lane's VM.
in_vm() {
	cat >"$vm/ring-guest.sh" <<-EOF2
		#!/bin/sh
		set -e
		insmod "\$LATEWIND_ROOT/build/test-module/\$(uname -r)/lw_bench.ko"
		"\$LW_BUILD/selftests/ring_bench" $1 >"\$OUT/$1"
		rmmod lw_bench
	EOF2
	VM_DIR=$vm "$LW_VM_DIR/run.sh" "$lane" "$vm/ring-guest.sh"
	cp "$vm/out/$1" "$results/"
}

"$LW_VM_DIR/build.sh" "$lane" module selftests
rm -rf "$results"
mkdir -p "$results" "$vm"
in_root make -s -C selftests/bench "O=$out" ring >"$results/build.log" 2>&1 ||
	{ cat "$results/build.log" >&2; die "the bench does not build"; }

note "counting instructions on kernel $lane"
VM_ICOUNT=1 in_vm instructions
note "measuring records a second on kernel $lane"
VM_CPUS=2 in_vm speed
note "measuring natively"
in_root "$out/ring_native" speed >"$results/native"
in_root valgrind --tool=callgrind --collect-atstart=no \
	--callgrind-out-file="$out/ring/counts" --log-file="$out/ring/callgrind.log" "$out/ring_native" count >/dev/null ||
	{ cat "$results/callgrind.log" >&2; die "callgrind failed"; }
for program in ring_native ring_unaligned; do
	in_root valgrind --tool=lackey --trace-mem=yes --log-file="$out/ring/$program.trace" \
		"$out/$program" lines >"$results/$program.lines" ||
		die "lackey failed, see $results/$program.trace"
done

in_root selftests/bench/ring_report.py "$out" | tee build/bench/ring.txt
