#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh LANE...: run these lanes, two at a time, add everything up. A lane is a kernel
# (6.1 6.12 7 rt debug kcsan clang 6.12-arm64 6.12-nopauth-arm64 6.12-16k-arm64 debug-arm64
# 6.12-s390x) or one of unit, fuzz, lint, newest, refuse, stress, step-oracle, proof, demo, install.
# The last line is "N passed, N failed, N skipped"; the status says whether all is well.
#
# Who ends this ends all that it has started; one at a time has a working tree.
#
# TAP and kernel logs are left in build/check/<lane>/. With LW_LONG=1 tests have their long
# form, and results are kept by tree, in build/check/long/<tree>/<lane>/: a lane that has
# ended there is not run again, unless it failed and LW_AGAIN=1; the lanes rt and clang have the
# short form there, too. LW_SEED chooses the samples of short forms.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

# A new one each time, and the same for all that is run.
export LW_SEED=${LW_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
long=${LW_LONG:-0}
slots=2

# Lanes are in the background, where signals do not reach them: they end with a PID
# namespace, whose first process this is. Its mount namespace has a /tmp of its own, as checks
# of two trees have the same PIDs, by which JITs name files in /tmp.
if [ -z "${LW_CHECK_INSIDE:-}" ]; then
	need_root "running tests"
	LW_CHECK_INSIDE=1 exec unshare --pid --fork --kill-child --mount-proc -- "$0" "$@"
fi
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p build/check build/lock
exec {mine}>build/lock/check
flock -n "$mine" || die "another check runs in this tree"

# own_tmp: what the run needs that is below /tmp stays where it is.
own_tmp() {
	local dir
	rm -rf --one-file-system build/tmp
	mkdir -p build/tmp "$LW_CACHE"
	chmod 1777 build/tmp
	for dir in "$LW_REPO" "$LW_CACHE"; do
		case $dir in
		/tmp/*)
			mkdir -p "build/tmp${dir#/tmp}"
			mount --bind "$dir" "build/tmp${dir#/tmp}"
			;;
		esac
	done
	mount --rbind build/tmp /tmp
	cd "$LW_REPO"
}
own_tmp

# Seconds that a step on this machine may take: many times what it does, so that
# one that hangs has a name and costs one result, not the run.
step_limit=$((long ? 5400 : 1500))

# tree: the name of what is in the working tree, as git would have it, committed or not.
tree() {
	local index name
	index=$(mktemp)
	if cp "$(git rev-parse --git-path index)" "$index" &&
	   GIT_INDEX_FILE=$index git add -A &&
	   name=$(GIT_INDEX_FILE=$index git write-tree); then
		rm "$index"
		echo "$name"
	else
		rm "$index"
		die "git does not tell what is in this tree"
	fi
}

# tap FILE COMMAND...: keep the command's TAP, how long it took, and its exit status.
tap() {
	local file=$1 status=0 start=$SECONDS
	shift
	timeout -k 10 $step_limit "$@" </dev/null >"$file" 2>&1 || status=$?
	printf '\n# seconds %s\n# exit status %s\n' $((SECONDS - start)) $status >>"$file"
}

# verdict FILE STATUS TEXT [LOG]: a TAP file of one result, for a step of ours, which
# ends with what LOG ends with if that failed.
verdict() {
	{
		echo "1..1"
		[ "$2" -eq 0 ] || [ ! -s "${4:-}" ] || tail -n 20 "$4" | tr -d '\r' | sed 's/^/# /'
		[ "$2" -eq 0 ] || printf 'not '
		echo "ok 1 - $3"
		echo "# exit status $2"
	} >"$1"
}

lane_unit() {
	# What has failed stands in its TAP, the last of which says that all have run.
	STEP_LIMIT=$step_limit selftests/unit/lane.sh "$1" || [ -e "$1/99-list.tap" ] ||
		grep -q '^not ok' "$1/00-build.tap"
}

lane_fuzz() {
	tap "$1/fuzz.tap" selftests/fuzz/fuzz.sh "${FUZZ_SECONDS:-$((long ? 60 : 15))}"
}

lane_lint() {
	tap "$1/tables.tap" python3 "$LW_VM_DIR/tables.py" check
	tap "$1/messages.tap" "$LW_VM_DIR/messages.py"
	tap "$1/floors.tap" "$LW_VM_DIR/floors.py"
	tap "$1/kernels.tap" "$LW_VM_DIR/kernels.py" check
	tap "$1/klog_test.tap" "$LW_VM_DIR/klog_test.sh"
	tap "$1/docs.tap" "$LW_VM_DIR/docs.sh" check
	tap "$1/refuse_test.tap" "$LW_VM_DIR/refuse_test.sh"
	tap "$1/lint.tap" "$LW_VM_DIR/lint.sh"
}

# build KERNEL: its module; before that, once, what all lanes share: nobody may write to what
# the VM of another lane reads.
build() {
	(
		flock 9
		[ -e "$results/.built" ] || {
			"$LW_VM_DIR/build.sh" 6.12 && touch "$results/.built"
		}
	) 9>build/lock/build || return
	case $(lane_arch "$1") in
	amd64) "$LW_VM_DIR/build.sh" "$1" module ;;
	*) "$LW_VM_DIR/build.sh" "$1" ;;
	esac
}

# vm DIRECTORY KERNEL SCRIPT: build, boot, run SCRIPT, keep its TAP and the logs.
vm() {
	local dir=$1 kernel=$2 script=$3 vm status=0
	vm=$LW_REPO/build/check-vm/${dir##*/}
	build "$kernel" >"$dir/build.log" 2>&1 || status=$?
	verdict "$dir/00-build.tap" $status "module, tool and tests build for $kernel" "$dir/build.log"
	[ $status -eq 0 ] || return 0
	VM_DIR=$vm "$LW_VM_DIR/run.sh" "$kernel" "$script" 2>&1 | tee "$dir/run.log" || status=$?
	verdict "$dir/99-vm.tap" $status "the VM ran the list, module unloaded, kernel log clean" \
		"$dir/run.log"
	sed -n '/says nothing of us/s/^/# /p' "$dir/run.log" >>"$dir/99-vm.tap"
	cp "$vm"/console-boot*.log "$dir/" 2>/dev/null || :
	cp "$vm"/{console,kernel}.log "$dir/" && find "$vm/out" -name '*.tap' -exec cp {} "$dir/" ';' ||
		verdict "$dir/98-files.tap" 1 "the run left its TAP files and logs"
}

# Of the long form one test has 50,000 tasks. What rt and clang are for, each test shows in its
# short form.
lane_kernel() { # DIRECTORY KERNEL
	local memory=2G limit=3000 programs=0 LW_LONG=${LW_LONG:-0}
	[[ $2 != @(rt|clang) ]] || LW_LONG=0
	[ "$LW_LONG" = 0 ] || memory=4G limit=14400
	[ "$2" != 6.12 ] || programs=1
	VM_PROGRAMS=$programs VM_MEMORY=${VM_MEMORY:-$memory} \
		VM_TIMEOUT=${VM_TIMEOUT:-$((limit * $(lane_time_scale "$2")))} \
		vm "$1" "$2" "$LW_VM_DIR/guest-check.sh"
}

# The module builds for the newest kernel that the archive has, if that builds itself today.
lane_newest() {
	local status=0 kernel
	if ! kernel=$("$LW_VM_DIR/mkkernel.sh" newest 2>"$1/kernel.log"); then
		cat "$1/kernel.log"
		verdict "$1/00-newest.tap" 0 \
			"the module builds # SKIP no newest kernel today: $(grep -m 1 failed "$1/kernel.log")"
		return 0
	fi
	"$LW_VM_DIR/build.sh" newest module >"$1/build.log" 2>&1 || status=$?
	verdict "$1/00-newest.tap" $status "the module builds for $(root_kernel "$kernel")" "$1/build.log"
}

# The module is not loaded on a machine without local APIC.
lane_refuse() {
	NOLOAD=1 VM_TIMEOUT=600 VM_APPEND=nolapic vm "$1" 6.12 "$LW_VM_DIR/refuse-guest.sh"
}

lane_stress() {
	VM_MEMORY=2G VM_TIMEOUT=7200 VM_APPEND="lw.seconds=60 lw.seed=$LW_SEED lw.cycles=20" \
		vm "$1" debug "$LW_VM_DIR/stress-guest.sh"
}

lane_step-oracle() {
	VM_TIMEOUT=7200 VM_APPEND="mitigations=off lw.steps=1000000" \
		vm "$1" 6.12 "$LW_VM_DIR/step-oracle-guest.sh"
}

lane_proof() {
	step_limit=7200
	tap "$1/proof.tap" selftests/proof/proof.sh 6.12
}

# demo DIRECTORY NAME [KERNEL]
demo() {
	local status=0
	VM_TIMEOUT=1200 timeout -k 10 $step_limit make -s demo ${3:+"KERNEL=$3"} >"$1/$2.log" 2>&1 ||
		status=$?
	verdict "$1/$2.tap" $status "the demo finds what it should${3:+, on $3}" "$1/$2.log"
	return $status
}

# The other machines' recordings are read on this one. What is left is of this one.
lane_demo() {
	local browser kernel kernels=
	[ "$long" = 0 ] || kernels='6.12-arm64 6.12-s390x'
	for kernel in $kernels; do
		! demo "$1" "$kernel" "$kernel" || tap "$1/$kernel-read.tap" "$LW_VM_DIR/demo-read.sh"
	done
	demo "$1" 00-demo || return 0
	browser=$("$LW_VM_DIR/mkroot.sh" trixie-browser)
	tap "$1/page.tap" "$LW_VM_DIR/enter.sh" "$browser" \
		python3 selftests/flame/flame_test.py --demo build/demo
}

# Packages on machines that have just been set up, and a kernel that takes signed modules only.
lane_install() {
	local suite
	for suite in $LW_MACHINES; do
		tap "$1/10-$suite.tap" selftests/install/install.sh "$suite"
		! cp "build/install/$suite"/{lintian.txt,boot-*.txt,boot-*.console} "$1/" 2>/dev/null || :
	done
	NOLOAD=1 vm "$1" signed selftests/install/signing-guest.sh
}

# run LANE: leave its results in its directory, with what it says in front of each line.
run() {
	local lane=$1 dir=$results/$1 start=$SECONDS
	rm -rf "$dir"
	mkdir -p "$dir"
	note "lane $lane starts"
	case " $LW_LANES " in
	*" $lane "*) lane_kernel "$dir" "$lane" ;;
	*) "lane_$lane" "$dir" ;;
	esac 2>&1 | sed -u "s/^/[$lane] /"
	[ "$long" = 0 ] || [ "$(tree)" = "$tree" ] ||
		verdict "$dir/96-tree.tap" 1 "the tree was the same until the end"
	echo $((SECONDS - start)) >"$dir/seconds"
	note "lane $lane: $((SECONDS - start)) s"
}

# prepare: roots and kernels that the lanes will ask for, so that they are made while the
# first tests run. What fails is made again, and told of, where it is needed.
prepare() {
	local lane suite suites="$LW_USERLAND $LW_USERLAND-lab sid-lab" images_of='' kernels=()
	local programs=$LW_USERLAND-programs
	[ "${todo[*]}" != lint ] || suites=$LW_USERLAND
	"$LW_VM_DIR/qemu.sh" amd64 --version
	for lane in "${todo[@]}"; do
		case " $LW_LANES " in
		*" $lane "*)
			suites+=" $(lane_kernel_suite "$lane") $(lane_userland "$lane")"
			images_of+=" $(lane_userland "$lane")" ;;
		lint) suites+=" $LW_USERLAND-docs" ;;
		newest) suites+=" $(lane_kernel_suite newest)" ;;
		*) [[ $lane != @(unit|demo) ]] || suites+=" trixie-browser" ;;
		esac
	done
	for lane in "${todo[@]}"; do
		! lane_is_built "$lane" || kernels+=("$lane")
		[ "$lane" != 6.12 ] || suites+=" $programs" images_of+=" $programs"
	done
	# The lanes that begin need what stands first. A kernel takes as long as all the rest.
	for suite in $suites; do
		"$LW_VM_DIR/mkroot.sh" "$suite" || :
		[[ " $images_of " != *" $suite "* ]] || "$LW_VM_DIR/image.sh" "$suite" || :
	done &
	for lane in ${kernels[@]+"${kernels[@]}"}; do
		"$LW_VM_DIR/mkkernel.sh" "$lane" || :
		touch "$results/.kernel-$lane"
	done
	wait
}

# next_lane: puts into lane the first of those that wait; while there are others, none that
# has to wait for its kernel.
next_lane() {
	local i next=''
	for i in "${!waiting[@]}"; do
		: "${next:=$i}"
		lane=${waiting[i]}
		if ! lane_is_built "$lane" || [ -e "$results/.kernel-$lane" ]; then
			next=$i
			break
		fi
	done
	lane=${waiting[next]}
	unset "waiting[$next]"
}

mapfile -t lanes < <(printf '%s\n' "$@" | awk '$0 && !seen[$0]++')
[ ${#lanes[@]} -gt 0 ] || die "usage: check.sh LANE..."
known="$LW_LANES unit fuzz lint newest refuse stress step-oracle proof demo install"
for lane in "${lanes[@]}"; do
	case " $known " in
	*" $lane "*) ;;
	*) die "no lane '$lane'; there are $known" ;;
	esac
done
results=build/check
if [ "$long" != 0 ]; then
	tree=$(tree)
	results=build/check/long/$tree
fi
mkdir -p "$results"
rm -f "$results"/.{built,kernel-*}
note "LW_SEED=$LW_SEED has the same samples again"

todo=()
for lane in "${lanes[@]}"; do
	if [ "$long" != 0 ] && [ -e "$results/$lane/seconds" ]; then
		if [ "${LW_AGAIN:-0}" = 0 ] || python3 "$LW_VM_DIR/tap.py" "$results/$lane" >/dev/null; then
			note "lane $lane has run on this very tree: $(date -r "$results/$lane/seconds" '+%F %T')"
			continue
		fi
		echo "$(date -r "$results/$lane/seconds" '+%F %T') $lane failed, run again" >>"$results/again"
	fi
	todo+=("$lane")
	rm -rf "${results:?}/$lane"
done

preparing=
if [ ${#todo[@]} -gt 0 ]; then
	prepare >build/check/prepare.log 2>&1 &
	preparing=$!
fi
running=0
waiting=("${todo[@]}")
while [ ${#waiting[@]} -gt 0 ]; do
	if [ $running -eq $slots ]; then
		wait -n -p ended || :
		[ "$ended" != "$preparing" ] || wait -n || :
		running=$((running - 1))
	fi
	next_lane
	run "$lane" &
	running=$((running + 1))
done
wait
for lane in "${lanes[@]}"; do
	[ -e "$results/$lane/seconds" ] ||
		verdict "$results/$lane/97-lane.tap" 1 "lane $lane came to its end"
done
[ ! -s "$results/again" ] || sed 's/^/latewind-vm: /' "$results/again" >&2
exec python3 "$LW_VM_DIR/tap.py" "${lanes[@]/#/$results/}"
