#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh unit|fuzz|lint|vm:KERNEL...: run these lanes one after the other, keep
# their TAP and kernel logs in build/check/<lane>/, add everything up. The last
# line is "N passed, N failed, N skipped"; the status says whether all is well.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$LW_REPO"

results=build/check

# Seconds that a step on this machine may take: many times what it does, so that
# one that hangs has a name and costs one result, not the run.
step_limit=1500

# tap FILE COMMAND...: keep the command's TAP and exit status.
tap() {
	local file=$1 status=0
	shift
	timeout -k 10 $step_limit "$@" </dev/null >"$file" 2>&1 || status=$?
	printf '\n# exit status %s\n' $status >>"$file"
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
	# Without sid, which may be broken for a day, what needs it is skipped.
	LW_ROOT=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
	LW_ROOT_V3=$("$LW_VM_DIR/mkroot.sh" sid-lab) || LW_ROOT_V3=
	export LW_ROOT LW_ROOT_V3
	# One thread for a minute or two, beside which there is room for others.
	tap "$1/ring-model.tap" selftests/ring/model.sh &
	local model=$!
	tap "$1/unit.tap" make --no-print-directory -s "-j$(nproc)" -C selftests/unit \
		"O=$LW_REPO/build/unit" check

	tap "$1/ring.tap" make --no-print-directory -s "-j$(nproc)" -C selftests/ring \
		"O=$LW_REPO/build/ring" check
	wait $model

	local test status=0
	{
		make --no-print-directory -s "-j$(nproc)" -C tools "O=$LW_REPO/build/tools" all tests &&
		make --no-print-directory -s "-j$(nproc)" -C tools "O=$LW_REPO/build/tools-san" all tests \
			"CFLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all"
	} >"$1/tools-build.log" 2>&1 || status=$?
	verdict "$1/tools-build.tap" $status "the tool and its unit tests build on this machine"
	[ $status -eq 0 ] || { tail -n 30 "$1/tools-build.log"; return 0; }
	for test in build/tools/tools/tests/*_test; do
		tap "$1/tools-$(basename "$test").tap" "$test"
	done
	for test in sframe_file_test table_cache_test tables_test symbols_test plt_names_test perf_map_test \
		mapped_file_test program_files_test perf_file_test symbolize_test \
		load_profile_test profile_test report_test export_test profile_diff_test cgroups_test \
		flame_json_test report_view_test kernel_modules_test module_queue_test \
		out_of_line_test top_test; do
		tap "$1/tools-$test.san.tap" "build/tools-san/tools/tests/$test"
	done
	lane_unit_flame "$1"
	tap "$1/tool_sframe.tap" selftests/unit/tool_sframe \
		build/tools/latewind build/tools-san/latewind
	tap "$1/tool_gen.tap" selftests/unit/tool_gen \
		build/tools/latewind build/tools-san/latewind \
		build/unit/gen_files build/unit/gen_files.san
}

# The pages of 'latewind flame', used in a browser, from a root that has one.
lane_unit_flame() {
	local browser pages=build/flame-test status=0
	rm -rf "$pages"
	mkdir -p "$pages"
	build/tools/tools/tests/flame_pages "$pages" >"$pages/log" 2>&1 || status=$?
	if [ $status -eq 4 ]; then
		tail -n 5 "$pages/log"
		printf '1..0 # SKIP %s\n# exit status 4\n' "no d3-flame-graph" >"$1/flame.tap"
		return
	fi
	if [ $status -eq 0 ]; then
		browser=$("$LW_VM_DIR/mkroot.sh" trixie-browser 2>"$pages/log") || status=$?
	fi
	if [ $status -eq 0 ]; then
		tap "$1/flame.tap" "$LW_VM_DIR/enter.sh" "$browser" \
			python3 selftests/flame/flame_test.py "$pages"
		cp "$pages"/*.png "$1/" || status=1
	fi
	verdict "$1/flame-pages.tap" $status "pages are written, and pictures taken of them" "$pages/log"
}

lane_fuzz() {
	tap "$1/fuzz.tap" selftests/fuzz/fuzz.sh "${FUZZ_SECONDS:-30}"
}

lane_lint() {
	tap "$1/lint.tap" "$LW_VM_DIR/lint.sh"
}

lane_vm() { # DIRECTORY KERNEL
	local dir=$1 kernel=$2 vm=$LW_REPO/build/check-vm-$2 status=0
	"$LW_VM_DIR/build.sh" "$kernel" >"$dir/build.log" 2>&1 || status=$?
	verdict "$dir/00-build.tap" $status "module, tool and tests build for $kernel"
	[ $status -eq 0 ] || { tail -n 30 "$dir/build.log"; return 0; }
	{
		VM_DIR=$vm VM_MEMORY=${VM_MEMORY:-4G} \
			VM_TIMEOUT=${VM_TIMEOUT:-$((1500 * $(lane_time_scale "$kernel")))} \
			"$LW_VM_DIR/run.sh" "$kernel" "$LW_VM_DIR/guest-check.sh" 2>&1 >&3 |
			tee "$dir/run.log" >&2
	} 3>&1 || status=$?
	verdict "$dir/99-vm.tap" $status "the VM ran the list, module unloaded, kernel log clean" \
		"$dir/run.log"
	cp "$vm"/{console,kernel}.log "$vm"/out/*.tap "$dir/" ||
		verdict "$dir/98-files.tap" 1 "the run left its TAP files and logs"
}

dirs=()
for lane in "$@"; do
	dir=$results/${lane#vm:}
	rm -rf "$dir"
	mkdir -p "$dir"
	dirs+=("$dir")
	note "lane ${lane#vm:} starts"
	start=$SECONDS
	case $lane in
	vm:*) lane_vm "$dir" "${lane#vm:}" ;;
	*) "lane_$lane" "$dir" ;;
	esac
	note "lane ${lane#vm:}: $((SECONDS - start)) s"
done
exec python3 "$LW_VM_DIR/tap.py" "${dirs[@]}"
