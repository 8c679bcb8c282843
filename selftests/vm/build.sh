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

# headers: kselftest's, for a root that does not have them.
headers() {
	local from=$root/usr/src/latewind/linux/tools/testing/selftests
	mkdir -p "$LW_REPO/$out/kselftest"
	cp -u "$from"/kselftest{,_harness}.h "$LW_REPO/$out/kselftest/"
}

# make_v3: the tests that need the newest binutils, built in sid; stand-ins when
# there is no sid today, as happens.
make_v3() {
	local sid args=(make -C selftests "O=$LW_GUEST_REPO/$out/selftests/v3"
		"LW_UAPI=$LW_GUEST_REPO/uapi"
		"LW_KSELFTEST=$LW_GUEST_REPO/$out/kselftest" --no-print-directory -s)
	if sid=$("$LW_VM_DIR/mkroot.sh" sid-lab); then
		# What stands in for a test is newer than its sources.
		[ ! -e "$LW_REPO/$out/v3-skipped" ] || rm -rf "$LW_REPO/$out/selftests/v3"
		rm -f "$LW_REPO/$out/v3-skipped"
		headers
		"$LW_VM_DIR/enter.sh" "$sid" "${args[@]}" "-j$(nproc)" v3 >&2
	else
		touch "$LW_REPO/$out/v3-skipped"
		"$LW_VM_DIR/enter.sh" "$root" "${args[@]}" v3-skip \
			"WHY=the sid-lab root could not be made, see the build log" >&2
	fi
}

for part in "${parts[@]}"; do
	case $part in
	module)
		args=(make module "KREL=$release" "KDIR=/lib/modules/$release/build") ;;
	tools)
		args=(make -C tools "O=$LW_GUEST_REPO/$out/tools") ;;
	selftests)
		args=(make -C selftests "O=$LW_GUEST_REPO/$out/selftests"
			"LW_UAPI=$LW_GUEST_REPO/uapi"
			"LW_KSELFTEST=/usr/src/latewind/linux/tools/testing/selftests")
		# 6.1's own assembler writes what the module does not read.
		[ "$lane" = 6.1 ] || args+=(V3=1) ;;
	*) die "build.sh: no part '$part'" ;;
	esac
	mkdir -p "$LW_REPO/$out/$part"
	"$LW_VM_DIR/enter.sh" "$root" "${args[@]}" --no-print-directory -s -j"$(nproc)" >&2 ||
		die "building $part for kernel $lane failed"
	[ "$part" != selftests ] || [ "$lane" = 6.1 ] || make_v3 ||
		die "building selftests of SFrame version 3 for kernel $lane failed"
done
