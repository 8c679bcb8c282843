#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh [SECONDS]: build the fuzz targets of the SFrame reader and converter and run them
# for that long, all of them together; 15 in the short form, 30 if LW_LONG is 1. Prints
# TAP, one result a target; what a target dies of is left in build/fuzz/findings/.
# fuzz.sh --again FILE: run a finding once more.
#
# Built and run in the trixie-lab root, so that clang is needed nowhere else.
#   FUZZ_TARGETS  which, default all
#   FUZZ_JOBS     targets at a time, default 2
#   FUZZ_RUNS     executions of each at most, default no limit
#   FUZZ_NICE     niceness
#   FUZZ_FRESH    1: neither use nor keep inputs of earlier runs
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
cd "$LW_REPO"

out=build/fuzz
all="sframe_header sframe_fde sframe_row sframe_lookup sframe_gen"
targets=${FUZZ_TARGETS:-$all}
many=6000	# inputs of a corpus: then it is reduced
enough=1000	# executions of a target, at least
jobs=${FUZZ_JOBS:-2}

long_form() { [ "${LW_LONG:-0}" != 0 ]; }

root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)

# in_root COMMAND...: becomes it, so that its process is ours to end.
in_root() {
	export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8:external_symbolizer_path=/usr/bin/addr2line
	LW_PASS=ASAN_OPTIONS exec "$LW_VM_DIR/enter.sh" "$root" "$@"
}

# key_of ROOT FILE...: of what is made of these in that root.
key_of() {
	local root=$1
	shift
	hash_of "$(basename "$root")" "$(cat "$@" | sha256sum)"
}

make_targets() {
	(in_root make --no-print-directory -s "-j$(nproc)" -C selftests/fuzz \
		"O=$LW_GUEST_REPO/$out" all) >&2 || exit 1
	mkdir "$1" && (cd $out && cp -t "$1" $all) || exit 1
}

# publish_dir's builders exit where they fail, as a shell in $() has no -e.
#
# The targets are kept, so that nothing is compiled unless it has changed.
take_targets() {
	local kept target
	kept=$(publish_dir "fuzz-targets-$(key_of "$root" selftests/fuzz/{Makefile,*.[ch]} \
		selftests/unit/gen_* module/sframe/*.[ch] uapi/*.h tools/{base,elf,sframe}/*.h \
		tools/{sframe/gen*,sframe/sframe_reader,elf/go_functions,base/util}.c)" make_targets)
	touch "$kept"
	for target in $all; do
		cmp -s "$kept/$target" "$out/$target" || cp "$kept/$target" "$out/"
	done
	forget 'fuzz-targets-*'
}

# make_programs ROOT DIRECTORY: build what oracle/ has with each compiler of that root.
# Sources are for other machines too, and some assemblers know no SFrame:
# what can't be built is left out.
make_programs() {
	rm -rf $out/programs
	mkdir -p $out/programs
	# shellcheck disable=SC2016 # expanded in the root
	"$LW_VM_DIR/enter.sh" "$1" sh -euc '
		for cc in gcc aarch64-linux-gnu-gcc s390x-linux-gnu-gcc; do
			for source in selftests/unit/oracle/*; do
				to=$1/$cc-$(basename "$source").so
				case $source in
				*.cc) use=${cc%cc}++ ;;
				*) use=$cc ;;
				esac
				"$use" -O2 -g0 -fPIC -shared -Wa,--gsframe -o "$to" \
					"$source" 2>/dev/null || rm -f "$to"
			done
		done' programs "$out/programs" && mv $out/programs "$2" || exit 1
}

programs() { # ROOT
	publish_dir "fuzz-programs-$(key_of "$1" selftests/unit/oracle/*)" make_programs "$1"
}

make_seeds() { # PROGRAMS... DIRECTORY
	local to=${*: -1} from file
	rm -rf $out/programs $out/seeds
	mkdir -p $out/programs
	for from in "${@:1:$#-1}"; do
		for file in "$from"/*.so; do
			cp "$file" "$out/programs/$(basename "$from")-$(basename "$file")" || exit 1
		done
	done
	(in_root python3 selftests/fuzz/seeds.py $out/seeds $out/programs/*.so) >&2 &&
		mv $out/seeds "$to" || exit 1
}

seeds() {
	local dir dirs files=() sid kept
	dirs=("$(programs "$root")")
	# version 3; without it the seeds of that version are rewritten ones
	if sid=$("$LW_VM_DIR/mkroot.sh" sid-lab); then
		dirs+=("$(programs "$sid")")
	else
		note "fuzz: no sid-lab root, so no seeds from its assembler"
	fi
	touch "${dirs[@]}"
	for dir in "${dirs[@]}"; do
		files+=("$dir"/*.so)
	done
	[ ${#files[@]} -ge 8 ] || die "fuzz: only ${#files[@]} programs were built in the root"
	kept=$(publish_dir "fuzz-seeds-$(key_of "$root" selftests/fuzz/seeds.py "${files[@]}")" \
		make_seeds "${dirs[@]}")
	touch "$kept"
	rm -rf $out/seeds
	cp -r "$kept" $out/seeds
	forget 'fuzz-programs-*'
	forget 'fuzz-seeds-*'
}

# What the target counted must be there: a run that refused all it was given
# proves nothing.
counters() {
	case $1 in
	sframe_header) echo refused opened raced ;;
	sframe_fde) echo found none corrupt failed compared raced ;;
	sframe_row) echo found corrupt failed compared raced ;;
	sframe_lookup) echo found none corrupt failed compared indexed raced ;;
	sframe_gen) echo found none corrupt ;;
	esac
}

cache_of() { echo "$LW_CACHE/fuzz-corpus-$1"; }

# Inputs of earlier runs, on this machine; old findings are tried first.
take_corpus() {
	local cache lock
	cache=$(cache_of "$1")
	rm -rf $out/corpus/"$1"
	mkdir -p $out/corpus/"$1" $out/findings "$LW_CACHE/locks"
	[ "${FUZZ_FRESH:-0}" != 1 ] || return 0
	exec {lock}>"$LW_CACHE/locks/fuzz-corpus"
	flock "$lock"
	[ ! -d "$cache" ] || cp -r "$cache/." $out/corpus/"$1"
	exec {lock}>&-
}

# The long form leaves the least that covers the same in the place of what was there;
# whoever is interrupted here leaves a .tmp or .old directory, which is never used. The
# short one adds what is new, unless there is much already.
keep_corpus() {
	local cache lock
	[ "${FUZZ_FRESH:-0}" != 1 ] || return 0
	cache=$(cache_of "$1")
	if ! long_form && [ "$(find $out/corpus/"$1" -type f | wc -l)" -lt $many ]; then
		exec {lock}>"$LW_CACHE/locks/fuzz-corpus"
		flock "$lock"
		mkdir -p "$cache"
		# Inputs are named by their content: what is there is the same.
		cp -rf $out/corpus/"$1"/. "$cache"/
		exec {lock}>&-
		return
	fi
	rm -rf $out/merged/"$1"
	mkdir -p $out/merged/"$1"
	(in_root "$out/$1" -merge=1 $out/merged/"$1" $out/corpus/"$1" $out/seeds) \
		>$out/log/"$1"-merge.log 2>&1 || return 0
	exec {lock}>"$LW_CACHE/locks/fuzz-corpus"
	flock "$lock"
	rm -rf "$cache".tmp "$cache".old
	cp -r $out/merged/"$1" "$cache".tmp
	[ ! -d "$cache" ] || mv "$cache" "$cache".old
	mv "$cache".tmp "$cache"
	rm -rf "$cache".old
	exec {lock}>&-
}

# run TARGET SECONDS [RUNS]: old findings first, then new inputs.
run() {
	# shellcheck disable=SC2016 # expanded in the root
	in_root sh -euc '
		target=$1 findings=$2
		shift 2
		for finding in "$findings".*; do
			[ ! -e "$finding" ] || "$target" -timeout=60 "$finding"
		done
		exec nice -n "$@"' run "$out/$1" "$out/findings/$1" "${FUZZ_NICE:-0}" \
		"$out/$1" -max_total_time="$2" -runs="${3:-${FUZZ_RUNS:--1}}" \
		-max_len=4096 -timeout=60 -rss_limit_mb=2048 -reload=0 -print_final_stats=1 \
		-artifact_prefix="$out/findings/$1." $out/corpus/"$1" $out/seeds
}

# number NAME FILE: a number of libFuzzer's, or of the target's.
number() { sed -n "s/^stat::$1: *//p; s/^tell:.* $1=\([0-9]*\).*/\1/p" "$2" | tail -n 1; }

# result NUMBER TARGET STATUS SECONDS: the target's line, and why not.
result() {
	local log=$out/log/$2.log why='' runs name text last
	runs=$(number number_of_executed_units "$log")
	runs=${runs:-0}
	[ "$3" -eq 0 ] || why="exit status $3"
	[ "$runs" -ge $enough ] || why=${why:-"only $runs executions"}
	for name in $(counters "$2"); do
		[ "$(number "$name" "$log")" != 0 ] || why=${why:-"nothing was $name"}
	done
	last=$(sed -n 's/.*cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\).*/\2 features, corpus \3/p' "$log" |
		tail -n 1)
	text="$runs executions in $4 s, $((runs / ($4 > 0 ? $4 : 1)))/s, $last"
	sed -n 's/^tell:/#/p' "$log" | tail -n 1
	if [ -z "$why" ]; then
		echo "ok $1 - $2: $text"
		return
	fi
	sed -n '/latewind-fuzz:\|runtime error:\|^SUMMARY:\|^==.*ERROR/s/^/# /p' "$log" | head -n 12
	sed -n 's/.*Test unit written to \(.*\)/# again: selftests\/fuzz\/fuzz.sh --again \1/p' "$log"
	echo "# log: $log"
	echo "not ok $1 - $2: $why; $text"
	return 1
}

# one NUMBER TARGET SECONDS: run it, keep its result for printing in order. Where other
# processes have the CPU, it goes on until it has done enough.
one() {
	local start=$SECONDS took runs
	rm -f "$out/log/$2.tap"
	take_corpus "$2"
	attempt "$2" "$3"
	runs=$(number number_of_executed_units "$out/log/$2.log")
	if [ $status -eq 0 ] && [ "${runs:-0}" -lt $enough ] && [ -z "${FUZZ_RUNS:-}" ]; then
		attempt "$2" 600 $((4 * enough))
	fi
	took=$((SECONDS - start))
	[ $status -ne 0 ] || keep_corpus "$2"
	result "$1" "$2" $status $took >"$out/log/$2.tap"
}

# attempt TARGET SECONDS [RUNS]: run, and set $status.
attempt() {
	status=0
	run "$@" >"$out/log/$1.log" 2>&1 &
	# shellcheck disable=SC2064 # the one of now
	trap "kill $!" TERM
	wait $! || status=$?
	trap - TERM
}

again() {
	local base
	base=$(basename "$1")
	(in_root "$out/${base%%.*}" -timeout=60 "$1")
}

if [ "${1:-}" = --again ]; then
	again "${2:?usage: fuzz.sh --again FILE}"
	exit
fi
seconds=${1:-$(if long_form; then echo 30; else echo 15; fi)}

mkdir -p $out/log
exec {mine}>$out/lock
flock -n "$mine" || die "fuzz: another run is using $out"
# shellcheck disable=SC2086 # words
set -- $targets
take_targets
seeds

[ "$jobs" -le $# ] || jobs=$#
each=$((seconds * jobs / $#))
[ $each -gt 0 ] || each=1
echo "TAP version 13"
echo "1..$#"
trap 'exit 130' INT TERM
trap 'kill $(jobs -p) 2>/dev/null' EXIT
n=0
for target in "$@"; do
	n=$((n + 1))
	one $n "$target" $each &
	[ $((n % jobs)) -ne 0 ] || wait
done
wait
trap - EXIT

bad=0
for target in "$@"; do
	cat "$out/log/$target.tap" || bad=1
	grep -q '^ok ' "$out/log/$target.tap" || bad=1
done
exit $bad
