#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh: checkpatch --strict over every C file and sparse over the module,
# in the trixie root. Prints TAP, one result a file and one for sparse.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" "$(lane_suite 6.12)")
release=$(root_kernel "$root")

# git's list, so that nobody's build output is checked; new files count too.
# The oracle's input programs are odd on purpose.
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
	'module/*.[ch]' 'uapi/*.[ch]' 'samples/*.[ch]' 'tools/*.[ch]' 'lib/*.[ch]' 'selftests/*.[ch]' \
	':!selftests/unit/oracle/')
[ ${#files[@]} -gt 0 ] || die "lint: git knows no C file"
plan=$((${#files[@]} + 1))

mkdir -p build/lint
cat >build/lint/checkpatch.sh <<-'EOF'
	# What user space does not have, or needs: kernel macros, types and functions
	# in the place of libc's, libelf's type names, volatile, test macros.
	case $1 in
	module/* | uapi/* | samples/*) ignore= ;;
	# Shared with user space: no kernel macros in it.
	selftests/modules/lw_test.h) ignore=--ignore=BIT_MACRO ;;
	selftests/modules/*) ignore= ;;
	*) ignore=--ignore=PREFER_DEFINED_ATTRIBUTE_MACRO,STRCPY,STRNCPY,STRLCPY
	   ignore=$ignore,ARRAY_SIZE,SSCANF_TO_KSTRTO,ENOSYS,CAMELCASE,VOLATILE
	   ignore=$ignore,PREFER_KERNEL_TYPES,BIT_MACRO,MACRO_ARG_REUSE
	   ignore=$ignore,MACRO_WITH_FLOW_CONTROL ;;
	esac
	# The kernel's own barriers and types, made of what user space has.
	case $1 in
	selftests/ring/ring_os.h) ignore=$ignore,MEMORY_BARRIER,NEW_TYPEDEFS ;;
	esac
	# kselftest_harness.h: "FIXTURE_DATA(x) *self" is taken for a product, and
	# the braces around a lone ASSERT_EQ(), which ends in a for, for needless.
	case $1 in
	selftests/*_test.c) ignore=$ignore,SPACING,BRACES ;;
	esac
	# It leaves a cache of names in the working directory.
	cd /tmp
	if out=$(perl /usr/src/latewind/linux/scripts/checkpatch.pl --no-tree \
		--strict --terse --no-summary --show-types $ignore -f "/latewind/$1" 2>&1); then
		echo "ok - checkpatch $1"
	else
		printf '%s\nnot ok - checkpatch %s\n' \
			"$(echo "$out" | sed 's/^/# /; s,/latewind/,,')" "$1"
	fi
EOF
echo "TAP version 13"
echo "1..$plan"
# Each job prints all of its lines at once, so that they do not mix.
printf '%s\n' "${files[@]}" |
	"$LW_VM_DIR/enter.sh" "$root" xargs -n 1 -P "$(nproc)" sh build/lint/checkpatch.sh

# Into a directory of its own, emptied: kbuild checks only what it compiles.
log=build/lint/sparse.log
status=0
rm -rf build/lint/{module,test-module,samples}
"$LW_VM_DIR/enter.sh" "$root" make --no-print-directory -s module test-module samples "KREL=$release" \
	"KDIR=/lib/modules/$release/build" "MODDIR=$LW_GUEST_REPO/build/lint/module" \
	"TESTDIR=$LW_GUEST_REPO/build/lint/test-module" \
	"SAMPLEDIR=$LW_GUEST_REPO/build/lint/samples" C=2 >"$log" 2>&1 || status=$?
if [ $status -ne 0 ] || grep -qE '(warning|error):' "$log"; then
	sed 's/^/# /' "$log"
	printf 'not '
fi
echo "ok - sparse modules"
