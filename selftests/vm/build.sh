#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh KERNEL [module|tools|selftests]...: build for the lane: the module, and
# those that use it, in the root of its kernel, to
# build/{module,test-module,samples}/<release>/, where a warning is an error;
# tools and tests in the root of its userland, to build/lanes/<KERNEL>/.
# With no part named, all of them. Prints nothing unless something is built.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: build.sh KERNEL [module|tools|selftests]...}
shift
suite=$(lane_suite "$lane")
root=$("$LW_VM_DIR/mkroot.sh" "$suite")
kernel_root=$(lane_kernel_root "$lane")
release=$(root_kernel "$kernel_root")
scale=$(lane_time_scale "$lane")
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
		"LW_TIME_SCALE=$scale"
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

# make_languages: the programs of languages_test.sh, in a root with their compilers;
# why there are none, where it can't be made.
make_languages() {
	local languages to=$out/selftests/languages
	mkdir -p "$LW_REPO/$to"
	if languages=$("$LW_VM_DIR/mkroot.sh" "${suite%-backports}-languages"); then
		rm -f "$LW_REPO/$to/WHY"
		"$LW_VM_DIR/enter.sh" "$languages" make -C selftests/languages \
			"O=$LW_GUEST_REPO/$to" --no-print-directory -s >&2
	else
		echo "the languages root could not be made, see the build log" >"$LW_REPO/$to/WHY"
	fi
}

# drop_modules: what was built for this release.
drop_modules() {
	rm -rf "$LW_REPO"/build/{module,test-module,samples}/"$release"
}

# make_modules: latewind.ko, and those that use it. The compiler stops at a
# warning, modpost and objtool do not.
make_modules() {
	local log=$LW_REPO/$out/module/build.log status=0 from=$kernel_root at=''
	local stamp=$LW_REPO/build/module/$release/.kernel
	if lane_is_built "$lane"; then
		# Another configuration has the same release and, seen from the
		# root, the same path.
		if [ "$(cat "$stamp" 2>/dev/null)" != "$kernel_root" ]; then
			drop_modules
			mkdir -p "$LW_REPO/build/module/$release"
			echo "$kernel_root" >"$stamp"
		fi
		from=$("$LW_VM_DIR/mkroot.sh" "$(lane_kernel_suite "$lane")")
		at=$LW_GUEST_KERNEL
	fi
	LW_KERNEL=${at:+$kernel_root} "$LW_VM_DIR/enter.sh" "$from" \
		make module test-module samples --no-print-directory -s -j"$(nproc)" \
		"KREL=$release" "KDIR=$at/lib/modules/$release/build" \
		KCFLAGS=-Werror >"$log" 2>&1 || status=$?
	cat "$log" >&2
	[ $status -eq 0 ] || return 1
	! grep -qi warning "$log" || {
		# The next build would not say it again.
		drop_modules
		return 1
	}
}

for part in "${parts[@]}"; do
	mkdir -p "$LW_REPO/$out/$part"
	case $part in
	module)
		make_modules || die "building module for kernel $lane failed"
		continue ;;
	tools)
		# A root has neither npm nor a registry; the tool is built without, too.
		"$LW_REPO/tools/flame/assets.sh" "$LW_REPO/build/flame/page.html" || :
		args=(make -C tools "O=$LW_GUEST_REPO/$out/tools") ;;
	selftests)
		args=(make -C selftests "O=$LW_GUEST_REPO/$out/selftests"
			"LW_TIME_SCALE=$scale"
			"LW_UAPI=$LW_GUEST_REPO/uapi"
			"LW_KSELFTEST=/usr/src/latewind/linux/tools/testing/selftests" V3=1
			"OTHERS=$(lane_has_others "$lane")"
			"LEAVE_OUT=$(lane_leaves_out "$lane")") ;;
	*) die "build.sh: no part '$part'" ;;
	esac
	"$LW_VM_DIR/enter.sh" "$root" "${args[@]}" --no-print-directory -s -j"$(nproc)" >&2 ||
		die "building $part for kernel $lane failed"
	[ "$part" != selftests ] || make_v3 ||
		die "building selftests of SFrame version 3 for kernel $lane failed"
	[ "$part" != selftests ] || [ -z "$(lane_has_others "$lane")" ] || make_languages ||
		die "building programs in other languages for kernel $lane failed"
done
