#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh: checkpatch --strict over every C file, sparse and the warnings of W=1 over the
# module, in the trixie root. Prints TAP, one result a file and one for the module.
#
# A file that has passed is not looked at again by checkpatch until the file, its
# path, the options, or checkpatch itself have changed: the cache has a line for
# each. Failures are not kept. LW_LONG=1 looks at all.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

root=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)
release=$(root_kernel "$root")
passed=$LW_CACHE/lint-passed
batch=12 kept=20000

# git's list, so that nobody's build output is checked; new files count too.
# The oracle's input programs are odd on purpose.
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
	'module/*.[ch]' 'uapi/*.[ch]' 'samples/*.[ch]' 'tools/*.[ch]' 'lib/*.[ch]' 'selftests/*.[ch]' \
	':!selftests/unit/oracle/')
[ ${#files[@]} -gt 0 ] || die "lint: git knows no C file"
plan=$((${#files[@]} + 1))

# ignored FILE: sets $ignore, what is not looked for in it.
ignored() {
	ignore=
	# What user space does not have, or needs: kernel macros, types and functions
	# in the place of libc's, libelf's type names, volatile, test macros.
	case $1 in
	# The one version that is compared: the first that there is a module for.
	module/compat/config.h) ignore=LINUX_VERSION_CODE,CONSTANT_COMPARISON ;;
	module/* | uapi/* | samples/*) ;;
	# Shared with user space: no kernel macros in it.
	selftests/modules/lw_test.h) ignore=BIT_MACRO ;;
	selftests/modules/*) ;;
	*) ignore=PREFER_DEFINED_ATTRIBUTE_MACRO,STRCPY,STRNCPY,STRLCPY
	   ignore=$ignore,ARRAY_SIZE,SSCANF_TO_KSTRTO,ENOSYS,CAMELCASE,VOLATILE
	   ignore=$ignore,PREFER_KERNEL_TYPES,BIT_MACRO,MACRO_ARG_REUSE,ARCH_DEFINES
	   ignore=$ignore,MACRO_WITH_FLOW_CONTROL ;;
	esac
	# The kernel's own barriers and types, made of what user space has.
	case $1 in
	selftests/ring/ring_os.h) ignore=$ignore,MEMORY_BARRIER,NEW_TYPEDEFS ;;
	tools/base/zydis_absent.h) ignore=$ignore,NEW_TYPEDEFS ;;
	esac
	# kselftest_harness.h: "FIXTURE_DATA(x) *self" is taken for a product, and
	# the braces around a lone ASSERT_EQ(), which ends in a for, for needless.
	case $1 in
	selftests/*_test.c) ignore=$ignore,SPACING,BRACES ;;
	esac
	ignore=${ignore#,}
}

mkdir -p build/lint "$LW_CACHE/locks"
# checkpatch.sh IGNORE FILE...: checkpatch tells of a CamelCase name once a run, so that
# none of several files has passed if any has not; then each is looked at alone.
cat >build/lint/checkpatch.sh <<-'EOF'
	ignore=${1#-}
	shift
	# It leaves a cache of names in the working directory.
	cd /tmp
	checkpatch() {
		perl /usr/src/latewind/linux/scripts/checkpatch.pl --no-tree --strict --terse \
			--no-summary --show-types ${ignore:+--ignore=$ignore} -f "$@" 2>&1
	}
	if checkpatch "$@" >/dev/null; then
		said=$(printf 'ok - checkpatch %s\n' "$@")
	else
		said=$(for file; do
			if out=$(checkpatch "$file"); then
				echo "ok - checkpatch $file"
			else
				printf '%s\nnot ok - checkpatch %s\n' "$(echo "$out" | sed 's/^/# /')" "$file"
			fi
		done)
	fi
	# All lines of a job at once, so that they do not mix.
	echo "$said" | sed 's,/latewind/,,'
EOF

checker=$(cat "$root"/usr/src/latewind/linux/scripts/{checkpatch.pl,spelling.txt} \
	build/lint/checkpatch.sh | sha256sum | cut -c1-12)
declare -A key known todo
if [ "${LW_LONG:-0}" = 0 ] && [ -e "$passed" ]; then
	while read -r line; do
		known[$line]=1
	done <"$passed"
fi
while read -r sum file; do
	ignored "$file"
	key[$file]="$checker $sum ${ignore:--} $file"
	[ -n "${known[${key[$file]}]:-}" ] || todo[${ignore:--}]+=" /latewind/$file"
done < <(sha256sum -- "${files[@]}")

echo "TAP version 13"
echo "1..$plan"
: >build/lint/results
for ignore in "${!todo[@]}"; do
	# shellcheck disable=SC2086 # words
	printf '%s\n' ${todo[$ignore]} | xargs -n "$batch" echo "$ignore"
done | "$LW_VM_DIR/enter.sh" "$root" xargs -r -L 1 -P "$(nproc)" sh build/lint/checkpatch.sh \
	>build/lint/results

for file in "${files[@]}"; do
	[ -z "${known[${key[$file]}]:-}" ] || echo "ok - checkpatch $file"
done
echo "# of ${#files[@]} files $(grep -c 'ok - checkpatch ' build/lint/results) were looked at"
cat build/lint/results
(
	flock 9
	{
		[ ! -e "$passed" ] || cat "$passed"
		sed -n 's/^ok - checkpatch //p' build/lint/results | while read -r file; do
			echo "${key[$file]}"
		done
	} | awk '!seen[$0]++' | tail -n "$kept" >"$passed.tmp"
	mv "$passed.tmp" "$passed"
) 9>"$LW_CACHE/locks/lint-passed"

# sparse, by kbuild, which checks what it compiles: into a directory that is emptied, and
# what was compiled before comes from the compiler's cache.
cat >build/lint/sparse.sh <<-'EOF'
	#!/bin/bash
	echo "${*: -1}" >>/latewind/build/lint/checked
	exec sparse "$@"
EOF
chmod +x build/lint/sparse.sh
log=build/lint/sparse.log
status=0
rm -rf build/lint/{module,test-module,samples}
: >build/lint/checked
"$LW_VM_DIR/enter.sh" "$root" make --no-print-directory -s "-j$(nproc)" module test-module samples \
	"KREL=$release" "KDIR=/lib/modules/$release/build" \
	"MODDIR=$LW_GUEST_REPO/build/lint/module" "TESTDIR=$LW_GUEST_REPO/build/lint/test-module" \
	"SAMPLEDIR=$LW_GUEST_REPO/build/lint/samples" C=2 W=1 \
	"CHECK=$LW_GUEST_REPO/build/lint/sparse.sh" >"$log" 2>&1 || status=$?
for file in "${files[@]}"; do
	case $file in
	# Of arm64 alone.
	selftests/modules/nmi_pmu.c) ;;
	module/*.c | samples/top_stacks/*.c | selftests/modules/*.c)
		grep -q "/${file##*/}\$" build/lint/checked || {
			echo "$file: error: not seen by sparse" >>"$log"
		} ;;
	esac
done
if [ $status -ne 0 ] || grep -qE '(warning|error):' "$log"; then
	sed 's/^/# /' "$log"
	printf 'not '
fi
echo "ok - sparse and W=1 modules"
