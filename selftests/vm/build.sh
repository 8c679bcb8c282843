#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh KERNEL [all|module|tools|selftests]...: build for the lane's kernel
# inside the lane's root: build/module/<release>/ and build/lanes/<KERNEL>/.
# With no part named, all of them that have sources. Prints nothing unless
# something is built.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: build.sh KERNEL [module|tools|selftests]...}
shift
suite=$(lane_suite "$lane")
root=$("$LW_VM_DIR/mkroot.sh" "$suite")
release=$(root_kernel "$root")
out=build/lanes/$lane
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(module tools selftests)

mkdir -p "$LW_REPO/$out"
# Builds of one lane write to the same files.
exec {lock}>"$LW_REPO/$out/.lock"
flock "$lock"

for part in "${parts[@]}"; do
	case $part in
	module)
		args=(make module "KREL=$release" "KDIR=/lib/modules/$release/build") ;;
	tools)
		args=(make -C tools "O=$LW_GUEST_REPO/$out/tools") ;;
	selftests)
		args=(make -C selftests "O=$LW_GUEST_REPO/$out/selftests"
			"LW_UAPI=$LW_GUEST_REPO/uapi"
			"LW_KSELFTEST=/usr/src/latewind/linux/tools/testing/selftests") ;;
	*) die "build.sh: no part '$part'" ;;
	esac
	mkdir -p "$LW_REPO/$out/$part"
	"$LW_VM_DIR/enter.sh" "$root" "${args[@]}" --no-print-directory -s -j"$(nproc)" >&2 ||
		die "building $part for kernel $lane failed"
done
