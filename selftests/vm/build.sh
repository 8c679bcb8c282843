#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh KERNEL [module|tools|selftests]...: build for the lane: the module, and
# those that use it, in the root of its kernel, to
# build/{module,test-module,samples}/<release>/, where a warning is an error;
# tools and tests in the root of the userland, to build/userland/, once for all lanes of this
# architecture; for another one by a cross compiler.
# With no part named, all of them. Prints nothing unless something is built.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: build.sh KERNEL [module|tools|selftests]...}
shift
root=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)
arch=$(lane_arch "$lane")
builder=$("$LW_VM_DIR/mkroot.sh" "$(lane_builder "$lane")")
out=$(lane_built "$lane")
cross=()
# The kernel's names of architectures are Debian's, but for one.
[ "$arch" = amd64 ] || cross=("ARCH=${arch/s390x/s390}" "CROSS_COMPILE=$(arch_triplet "$arch")-")
kselftest=/usr/src/latewind/linux/tools/testing/selftests
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(module tools selftests)

# alone NAME: builds that write to the same files take turns.
alone() {
	mkdir -p "$LW_REPO/build/lock"
	exec {lock}>"$LW_REPO/build/lock/$1"
	flock "$lock"
}

# in_root ROOT ARG...: make there.
in_root() {
	local at=$1
	shift
	"$LW_VM_DIR/enter.sh" "$at" make --no-print-directory -s -j"$(nproc)" "$@"
}

# make_v3: the tests that need the newest binutils, built in sid; stand-ins when
# there is no sid today, as happens.
make_v3() {
	local sid to=$out/selftests/v3
	local args=(-C selftests "O=$LW_GUEST_REPO/$to" "LW_UAPI=$LW_GUEST_REPO/uapi")
	[ "$arch" = amd64 ] || args+=("CC=$(arch_triplet "$arch")-gcc")
	if sid=$("$LW_VM_DIR/mkroot.sh" sid-lab); then
		# What stands in for a test is newer than its sources.
		[ ! -e "$LW_REPO/$to/.skipped" ] || rm -rf "${LW_REPO:?}/$to"
		take_kselftest
		in_root "$sid" "${args[@]}" "LW_KSELFTEST=$LW_GUEST_REPO/$out/kselftest" v3
	else
		in_root "$builder" "${args[@]}" v3-skip \
			"WHY=the sid-lab root could not be made, see the build log" &&
			touch "$LW_REPO/$to/.skipped"
	fi
}

# make_languages: the programs of languages_test.sh, in a root with their compilers;
# why there are none, where it can't be made.
make_languages() {
	local lab to=$out/selftests/languages
	mkdir -p "$LW_REPO/$to"
	if lab=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND-lab); then
		rm -f "$LW_REPO/$to/WHY"
		in_root "$lab" -C selftests/languages "O=$LW_GUEST_REPO/$to"
	else
		echo "the root with their compilers could not be made, see the build log" \
			>"$LW_REPO/$to/WHY"
	fi
}

# make_modules: latewind.ko, and those that use it. The compiler stops at a
# warning, modpost and objtool do not.
make_modules() {
	local kernel_root release log from at='' status=0 stamp
	kernel_root=$(lane_kernel_root "$lane") || return
	release=$(root_kernel "$kernel_root") || return
	log=$LW_REPO/build/module/$release.log
	stamp=$LW_REPO/build/module/$release/.kernel
	from=$kernel_root
	mkdir -p "$LW_REPO/build/module"
	if lane_is_built "$lane"; then
		from=$("$LW_VM_DIR/mkroot.sh" "$(lane_kernel_suite "$lane")") || return
		at=$LW_GUEST_KERNEL
		# Another configuration has the same release and, seen from the
		# root, the same path.
		if [ "$(cat "$stamp" 2>/dev/null)" != "$kernel_root" ]; then
			rm -rf "$LW_REPO"/build/{module,test-module,samples}/"$release"
			mkdir -p "$(dirname "$stamp")"
			echo "$kernel_root" >"$stamp"
		fi
	fi
	LW_KERNEL=${at:+$kernel_root} in_root "$from" module test-module samples "KREL=$release" \
		"KDIR=$at/lib/modules/$release/build" KCFLAGS=-Werror ${cross[@]+"${cross[@]}"} >"$log" 2>&1 || status=$?
	cat "$log" >&2
	[ $status -eq 0 ] || return 1
	! grep -qi warning "$log" || {
		# The next build would not say it again.
		rm -rf "$LW_REPO"/build/{module,test-module,samples}/"$release"
		return 1
	}
}

make_tools() {
	local args=(-C tools "O=$LW_GUEST_REPO/$out/tools")
	[ "$arch" = amd64 ] || args+=("CC=$(arch_triplet "$arch")-gcc")
	in_root "$builder" "${args[@]}"
}

# take_kselftest: what other roots do not have of kselftest.
take_kselftest() {
	mkdir -p "$LW_REPO/$out/kselftest"
	cp -ru "$root$kselftest"/{kselftest{,_harness}.h,run_kselftest.sh,kselftest} \
		"$LW_REPO/$out/kselftest/"
}

# make_foreign_selftests: of another architecture, those that are ported to it.
make_foreign_selftests() {
	local release args
	release=$(root_kernel "$(lane_kernel_root "6.12-$arch")") || return
	args=(-C selftests "O=$LW_GUEST_REPO/$out/selftests" "LW_UAPI=$LW_GUEST_REPO/uapi"
		"LW_TOOLS=$LW_GUEST_REPO/$out/tools" "LW_KSELFTEST=$LW_GUEST_REPO/$out/kselftest"
		"CC=$(arch_triplet "$arch")-gcc" "KREL=$release")
	take_kselftest
	in_root "$builder" "${args[@]}" && make_v3 &&
		in_root "$builder" -C selftests/languages "CROSS_COMPILE=$(arch_triplet "$arch")-" \
			"O=$LW_GUEST_REPO/$out/selftests/languages" &&
		in_root "$builder" "${args[@]}" install \
			"INSTALL_PATH=$LW_GUEST_REPO/$out/kselftest_install"
}

make_selftests() {
	[ "$arch" = amd64 ] || { make_foreign_selftests; return; }
	local args=(-C selftests "O=$LW_GUEST_REPO/$out/selftests" "LW_UAPI=$LW_GUEST_REPO/uapi"
		"LW_TOOLS=$LW_GUEST_REPO/$out/tools" "LW_KSELFTEST=$kselftest"
		"KREL=$(root_kernel "$root")")
	in_root "$root" "${args[@]}" && make_v3 && make_languages &&
		in_root "$root" "${args[@]}" install \
			"INSTALL_PATH=$LW_GUEST_REPO/$out/kselftest_install"
}

# Lanes may have the same kernel, and build the module for it to the same place.
kernel=$lane
lane_is_built "$lane" || kernel=$(lane_kernel_suite "$lane")
for part in "${parts[@]}"; do
	case $part in
	module) alone "module-$kernel" ;;
	tools | selftests) alone "${out#build/}" ;;
	*) die "build.sh: no part '$part'" ;;
	esac
	"make_${part/module/modules}" >&2 || die "building $part for kernel $lane failed"
	exec {lock}>&-
done
