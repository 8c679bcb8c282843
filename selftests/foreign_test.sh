#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# foreign_test.sh: recordings by 'perf record', of each kind that it can make here, have the
# samples in each reading verb that they have in 'perf report' and 'perf script'. Needs the
# tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

cp tool_target "$tmp/" || exit
target=$tmp/tool_target
uprobes=/sys/kernel/tracing/uprobe_events

# What perf has wrong on arm64, each of which is undone here for what it is, and no more:
#  - it takes the entries of a PLT for 16 bytes, and those that begin with a BTI have more. So all
#    of them are one here; plt_entries_are_named() has their names;
#  - libunwind, by which Debian's perf unwinds, does not tell of the function that begins a program;
#  - and it ends at the first return address that is signed, which perf prints as it is, and again.
[ "$(uname -m)" = aarch64 ] && arm64=1 || arm64=

trap 'plt_probes_free; checks_free' EXIT

# Registers that there are.
case $(uname -m) in
aarch64) some=pc,sp more=x29 ;;
s390x) some=pc,r15 more=r11 ;;
*) some=ip,sp more=bp ;;
esac

# NAME | OPTIONS of perf record: a row is a kind.
kinds() {
	cat <<-EOF
		bare |
		fp | -g
		dwarf | --call-graph dwarf $user_registers
		dwarf_large | --call-graph dwarf,32768 -m 1024 $user_registers
		events | -e cpu-clock,task-clock,page-faults -g
		packed | -z -g
		data | -d --phys-data --sample-cpu -g
		cgroups | --all-cgroups -g
		registers | --user-regs=$some,$more --intr-regs=$some -g
		dwarf_cgroups | --all-cgroups --sample-cpu --call-graph dwarf $user_registers
		all | -a -g
		piped | -g -o -
	EOF
}

options_of() {
	kinds | sed -n "s/^$1 |//p"
}

record_kind() { # KIND
	local words
	read -ra words <<<"$(options_of "$1")"
	[[ " ${words[*]} " == *" -e "* ]] || words=(-e cpu-clock "${words[@]}")
	if [[ " ${words[*]} " == *" -o - "* ]]; then
		perf record -q -F 997 "${words[@]}" "$target" spin 200 >"$tmp/$1.data" 2>"$err"
	else
		perf record -q -F 997 "${words[@]}" -o "$tmp/$1.data" "$target" spin 200 \
			>"$tmp/said" 2>"$err"
	fi || { cat "$err"; return 1; }
}

# Samples of each event, by the text of script.
events_of() {
	grep -oE '(cpu-clock|task-clock|page-faults)[a-zA-Z:]*' "$1" | sort | uniq -c
}

same_events() { # FILE
	perf script -F event "$user_names" -i "$1" >"$tmp/theirs" 2>"$err" || return
	exits 0 latewind script -F event -i "$1" || return
	events_of "$tmp/theirs" >"$tmp/theirs.events"
	events_of "$tmp/out" >"$tmp/ours.events"
	[ -s "$tmp/theirs.events" ] || { echo 'no samples'; return 1; }
	same "$tmp/theirs.events" "$tmp/ours.events"
}

# Rows of a report, with the PLT as one, of the second number: all others are rounded.
plt_as_one() {
	awk -v arm64="$arm64" '
		arm64 && /@plt$|\.plt$/ { sum += $2; next }
		{ $1 = $1; print }
		END { if (sum) print sum, "@plt" }'
}

# The rows of the program: its functions have no other names.
rows() { # FILE
	sed -n 's/\[\.\]//; / tool_target  *tool_target /p' "$1" | plt_as_one | sort
}

same_symbols() { # FILE
	perf report -i "$1" --stdio --no-children -g none -s comm,dso,sym -n --percent-limit 0 \
		"$user_names" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report -i "$1" --no-children -g none -n --percent-limit 0 || return
	rows "$tmp/theirs" >"$tmp/theirs.rows"
	rows "$tmp/out" >"$tmp/ours.rows"
	has "$tmp/theirs.rows" ' spin$' && same "$tmp/theirs.rows" "$tmp/ours.rows"
}

# program_frames FILE: a line a sample: the functions of the program in its chain.
program_frames() {
	awk -v arm64="$arm64" '
		arm64 && / (_start|[^ ]*@plt|\.plt) / { next }
		/^\t/ && / \(.*tool_target\)$/ { line = line " " $2; next }
		/^$/ { print line; line = "" }' "$1"
}

# goes_further FILE: how many of our chains go on to the program's first function where libunwind
# stops in a library. None may have other functions, or less.
goes_further() {
	perf script -i "$1" -F comm,ip,sym,dso --no-inline "$user_names" >"$tmp/theirs" 2>"$err" ||
		{ cat "$err"; return 1; }
	exits 0 latewind script -F comm,ip,sym,dso -i "$1" || return
	paste -d '|' <(program_frames "$tmp/theirs") <(program_frames "$tmp/out") | awk -F '|' '
		$1 != $2 && $1 != "" && ($1 ~ /_start$/ || index($2, $1) != 1) { print "not the same: " $0; bad = 1 }
		$1 != $2 { further++ }
		END { print further + 0; exit !(NR > 50) || bad }'
}

# Those who have no samples of their own, too.
same_callers() { # FILE
	local further
	for _ in 1 2 3 4 5; do
		further=$(goes_further "$1") || { echo "$further"; return 1; }
		[ "$further" != 0 ] || break
		# one chain of a hundred runs or so: rows can be compared of another recording
		record_kind "$kind" || return
	done
	equal 'chains that go further' "$further" 0 || return
	perf report -i "$1" --stdio --children -g none -s comm,dso,sym --percent-limit 0 \
		--no-inline "$user_names" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report -i "$1" -g none --percent-limit 0 || return
	rows "$tmp/theirs" >"$tmp/theirs.rows"
	rows "$tmp/out" >"$tmp/ours.rows"
	if [ -n "$arm64" ]; then
		has "$tmp/ours.rows" ' _start$' && ! grep ' _start$' "$tmp/theirs.rows" || return
		# shares of a PLT are rounded before they are added up
		sed -i '/ _start$/d; / @plt$/d' "$tmp"/{ours,theirs}.rows
	fi
	same "$tmp/theirs.rows" "$tmp/ours.rows"
}

# callers_are_known FILE: on a machine that signs, each with its share of the samples.
callers_are_known() {
	local name total
	chains_are_perfs "$1" && exits 0 latewind script -F ip,sym -i "$1" || return
	spin_is_whole "$tmp/out" || return
	cp "$tmp/out" "$tmp/script"
	total=$(awk -v RS= 'END { print NR }' "$tmp/script")
	exits 0 latewind report -i "$1" -g none --percent-limit 0 || return
	for name in spin middle outer main _start; do
		awk -v RS= -v name="$name" -v total="$total" '
			$0 ~ " " name "(\n|$)" { nr++ }
			END { printf "%.2f%%\n", 100 * nr / total }' "$tmp/script" >"$tmp/share"
		sed -nE "s/^ *([0-9.]+%) .* tool_target +tool_target +\[\.\] $name\$/\1/p" "$tmp/out" >"$tmp/row"
		same "$tmp/share" "$tmp/row" || { echo "of $name"; return 1; }
	done
}

# What the samples weigh, in all formats that tell it.
same_weight() { # FILE
	local weight folded
	weight=$(latewind script -F period -i "$1" 2>/dev/null | awk '{ sum += $1 } END { printf "%d", sum }')
	folded=$(latewind export --folded -i "$1" 2>/dev/null | awk '{ sum += $NF } END { printf "%d", sum }')
	equal 'folded' "$folded" "$weight" &&
	exits 0 latewind flame -i "$1" -o "$tmp/page.html" && has "$tmp/page.html" '"spin"' &&
	exits 0 latewind export --pprof -i "$1" -o "$tmp/pprof" && [ -s "$tmp/pprof" ] &&
	exits 0 latewind diff "$1" "$1" && has "$tmp/out" ' spin$' &&
	exits 0 latewind report --json -i "$1" && has "$tmp/out" '"symbol":"spin"'
}

kind_is_read() { # KIND
	record_kind "$1" || return
	same_events "$tmp/$1.data" && same_symbols "$tmp/$1.data" || return
	[ "$1" != events ] && ! same_weight "$tmp/$1.data" && return 1
	[[ $1 == dwarf* ]] || return 0
	# perf names others' callers by where they go on, which may be the next function
	if signs_addresses; then
		callers_are_known "$tmp/$1.data"
	else
		same_callers "$tmp/$1.data"
	fi
}

# places FILE [theirs]: a line a sample: the addresses of its frames; of theirs up to the one whose
# return address is signed, without what signs it. On arm64 it says where the last is in _start().
places() {
	awk -v theirs="${2:-}" -v arm64="$arm64" '
		/^\t/ && !is_signed {
			mark = arm64 && $2 ~ /^_start\+0x/ ? " begins" : ""
			is_signed = theirs && length($1) > 12 && $1 !~ /^ffff/
			if (is_signed) {
				mark = " signed"
				$1 = substr($1, length($1) - 11)
				sub(/^0+/, "", $1)
			}
			line = line " " $1
		}
		/^$/ { print line mark; line = mark = ""; is_signed = 0 }' "$1"
}

# libunwind stops here and there where we go on: at least all but some of its chains are ours, and no
# chain of ours is less.
chains_are_perfs() { # FILE
	local signs=0
	! signs_addresses || signs=1
	perf script -i "$1" --no-inline --max-stack 1024 "$user_names" >"$tmp/theirs" 2>"$err" ||
		{ cat "$err"; return 1; }
	exits 0 latewind script -i "$1" || return
	paste -d '|' <(places "$tmp/theirs" theirs) <(places "$tmp/out") | awk -F '|' -v signs="$signs" '
		{
			is_signed = sub(/ signed$/, "", $1)
			begun = $2
			sub(/ [^ ]+ begins$/, "", begun)
			sub(/ begins$/, "", $2)
		}
		$1 == $2 || $1 == begun || is_signed { same++ }
		$1 != "" && index($2 " ", $1 " ") == 1 { whole++ }
		is_signed { ended++ }
		END {
			printf "%d samples, %d chains are the same, %d begin with them, %d signed\n", \
				NR, same, whole, ended
			exit !(NR > 50 && same >= 0.9 * NR && whole >= 0.97 * NR &&
			       (signs ? ended >= 0.8 * NR : !ended))
		}'
}

plt_probes_free() {
	local name
	while read -r _ name; do
		echo "-:lw_plt/$name" >>"$uprobes"
	done 2>/dev/null <"$tmp/plts"
}

# plt_entries FILE: of arm64: where each one starts, and whose slot it jumps through. objdump, too,
# takes those that begin with a BTI for 16 bytes.
plt_entries() {
	objdump -d --no-show-raw-insn -j .plt "$1" | awk '
		/\tbti/ { start = $1 }
		/\tstp/ { header = 1 }
		/\tadrp/ { page = $4; if (start == "") start = $1 }
		/\tldr\tx17, \[x16/ {
			gsub(/[:#\]]/, "")
			if (!header) print start, page, $5 + 0
			start = ""
			header = 0
		}' | while read -r start page offset; do
		printf '%016x %s\n' $((16#$page + offset)) "${start%:}"
	done | sort | join -o 1.2,2.2 - <(readelf -rW "$1" |
		sed -nE 's/^([0-9a-f]{16}) .* R_AARCH64_JUMP_SL[^ ]* +[0-9a-f]+ ([A-Za-z0-9_]+)(@[^ ]*)? \+ 0$/\1 \2/p' | sort)
}

# A probe on each entry: not all are called.
plt_entries_are_named() {
	local at name
	plt_entries "$target" >"$tmp/plts"
	while read -r at name; do
		echo "p:lw_plt/$name $target:0x$at" >>"$uprobes" || return
	done <"$tmp/plts"
	perf record -q -e 'lw_plt:*' -o "$tmp/plt.data" "$target" spin 20 >"$tmp/said" 2>"$err" ||
		{ cat "$err"; return 1; }
	exits 0 latewind script -F event,ip,sym -i "$tmp/plt.data" || return
	awk '
		{ sub(/^lw_plt:/, "", $1); sub(/:$/, "", $1); names[$1] }
		$3 != $1 "@plt" { print "not its name: " $0; bad = 1 }
		END { exit bad || !("clock_gettime" in names) || length(names) < 2 }' "$tmp/out"
}

# A copy may be too small for its stack.
ends_are_told() {
	# shellcheck disable=SC2086 # none, or one
	perf record -q -e cpu-clock -F 997 --call-graph dwarf,128 $user_registers -o "$tmp/cut.data" \
		"$target" spin 200 >"$tmp/said" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report -g none "$tmp/cut.data" &&
		has "$err" 'user stacks end early$' ' [1-9][0-9]* end where the copy ends' &&
	exits 0 latewind report -q -g none "$tmp/cut.data" && ! grep -q 'end early' "$err" &&
	exits 0 latewind report -g none "$tmp/dwarf.data" && ! grep -q ' [1-9][0-9]* end where' "$err"
}

# outline FILE: lines of a report with sort keys below each other. Other programs' functions
# have several names, or none.
outline() {
	sed -e 's/ *$//' -e '/^#/d; /^$/d; /\[k\]/d; /0x/d' "$1" | grep -E ' (tool_target|spin|main)$'
}

hierarchy_is_perfs() {
	local children=--children
	! signs_addresses || children=--no-children
	perf report --stdio --hierarchy "$children" -g none --percent-limit 1 "$user_names" \
		-i "$tmp/dwarf.data" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report --hierarchy "$children" -g none --percent-limit 1 "$tmp/dwarf.data" ||
		return
	outline "$tmp/theirs" >"$tmp/theirs.lines"
	outline "$tmp/out" >"$tmp/ours.lines"
	has "$tmp/theirs.lines" '^ {9} *[0-9.]+% +\[\.\] spin' &&
		same "$tmp/theirs.lines" "$tmp/ours.lines" &&
		equal titles "$(grep Overhead "$tmp/out")" "$(sed -n '/Overhead/s/ *$//p' "$tmp/theirs")" &&
	exits 0 latewind report -H -s comm,sym --percent-limit 1 "$tmp/dwarf.data" &&
		has "$tmp/out" '^ +[0-9.]+% +\[\.\] spin$' '^ +---middle$' '^ +outer$' &&
	exits 2 latewind report -H --json "$tmp/dwarf.data"
}

# One that has samples, and one that has none.
processes_are_chosen() {
	local all pid
	all=$(latewind script -F pid "$tmp/dwarf.data" 2>/dev/null | wc -l)
	pid=$(latewind script -F pid "$tmp/dwarf.data" 2>/dev/null | awk 'END { print $1 }')
	exits 0 latewind script -F pid --pid "1,$pid" "$tmp/dwarf.data" &&
		equal 'of both' "$(wc -l <"$tmp/out")" "$all" &&
	exits 0 latewind script -F tid --tid "1$pid,1" "$tmp/dwarf.data" &&
		equal 'of neither' "$(wc -l <"$tmp/out")" 0
}

filters_are_perfs() {
	local options
	# of one value perf leaves the column out
	for options in '-S spin,main' '-c nobody,tool_target -S nothing,spin'; do
		# shellcheck disable=SC2086 # words
		perf report -i "$tmp/dwarf.data" --stdio --no-children -g none -s comm,dso,sym,pid -n \
			--percent-limit 0 --percentage relative $options "$user_names" 2>"$err" |
			awk '/%/ && / tool_target .*(spin|main)/ { print $1, $2 }' >"$tmp/theirs.rows"
		# shellcheck disable=SC2086 # words
		exits 0 latewind report --no-children -g none -n --percent-limit 0 --percentage relative \
			-s overhead,comm,dso,sym,pid --no-inline -f $options "$tmp/dwarf.data" || return
		awk '/%/ && / tool_target .*(spin|main)/ { print $1, $2 }' "$tmp/out" >"$tmp/ours.rows"
		same "$tmp/theirs.rows" "$tmp/ours.rows" || { echo "with $options"; return 1; }
	done
	exits 0 latewind script -S spin -F event "$tmp/dwarf.data" &&
		equal 'of spin' "$(grep -c cpu-clock "$tmp/out")" \
			"$(perf script -S spin -G -F comm,event,ip,sym "$user_names" -i "$tmp/dwarf.data" \
			   2>"$err" | grep -c cpu-clock)" &&
	processes_are_chosen &&
	exits 2 latewind report --percentage absolute && has "$err" "'absolute' can't be had"
}

plt_unnamed() {
	sed -E "${arm64:+s/ ([^ ]*@plt|\\.plt)\\+0x[0-9a-f]+ / @plt /}"
}

# heads OPTION...: of both scripts, without what the kernel's functions are called.
same_heads() {
	local fields=comm,tid,time,period,event,ip,sym,symoff,dso
	perf script -i "$tmp/dwarf.data" -F "$fields" "$user_names" "$@" 2>"$err" |
		grep -E 'tool_target\)$' | plt_unnamed >"$tmp/theirs"
	exits 0 latewind script -F "$fields" "$@" "$tmp/dwarf.data" || return
	grep -E 'tool_target\)$' "$tmp/out" | plt_unnamed >"$tmp/ours"
	[ "$(wc -l <"$tmp/theirs")" -ge 50 ] || { echo 'hardly a line'; return 1; }
	same "$tmp/theirs" "$tmp/ours" || { echo "with $*"; return 1; }
}

script_options_are_perfs() {
	same_heads -G && same_heads -G --ns && same_heads -G --reltime && same_heads -G --ns --deltatime
}

header_alone() {
	exits 0 latewind report --header-only "$tmp/dwarf.data" && ! grep -q 'Samples:' "$tmp/out" &&
		has "$tmp/out" '^# cmdline : .*perf' || return
	cp "$tmp/out" "$tmp/header"
	exits 0 latewind script --header-only -i "$tmp/dwarf.data" && same "$tmp/header" "$tmp/out"
}

# AUXTRACE and the bytes behind it, as of an Intel PT: no machine here makes them.
trace_of_a_processor_is_told() {
	perf record -q -e cpu-clock -F 997 -g -o - "$target" spin 100 >"$tmp/aux.data" 2>"$err" ||
		{ cat "$err"; return 1; }
	exits 0 latewind report -g none "$tmp/aux.data" && ! grep -q intel_pt "$err" || return
	cp "$tmp/out" "$tmp/before"
	if [ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" = 1 ]; then
		printf '\x47\0\0\0\0\0\x30\0\x10\0\0\0\0\0\0\0' >>"$tmp/aux.data"
	else
		printf '\0\0\0\x47\0\0\0\x30\0\0\0\0\0\0\0\x10' >>"$tmp/aux.data"
	fi
	head -c 48 /dev/zero >>"$tmp/aux.data"
	exits 0 latewind report -g none "$tmp/aux.data" && has "$err" 'intel_pt' &&
		same "$tmp/before" "$tmp/out"
}

# One file for each thread of perf.
directory_is_refused() {
	perf record -q -e cpu-clock -F 997 -g --threads -o "$tmp/threads" "$target" spin 200 \
		>"$tmp/said" 2>"$err" || { cat "$err"; return 1; }
	[ -d "$tmp/threads" ] || { echo 'no directory'; return 1; }
	exits 1 latewind report "$tmp/threads" &&
		has "$err" 'is a directory' 'perf record --threads' 'perf inject' || return
	# as the message says
	perf inject -i "$tmp/threads" -o "$tmp/one" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	same_events "$tmp/one/data"
}

needs latewind perf objdump readelf

choose 3 bare fp dwarf_large events packed data cgroups registers dwarf_cgroups all piped
choose 2 directory_is_refused script_options_are_perfs header_alone trace_of_a_processor_is_told
for kind in $(kinds | cut -d ' ' -f 1); do
	if [ "$kind" = dwarf ]; then
		ok "perf record: $kind" kind_is_read dwarf
	else
		ok_if_chosen "perf record: $kind" kind_is_read "$kind"
	fi
done
ok "chains of copied stacks are perf's" chains_are_perfs "$tmp/dwarf.data"
[ -z "$arm64" ] || ok 'entries of the PLT have their names' plt_entries_are_named
ok 'where stacks end early is told' ends_are_told
ok_if_chosen 'a directory is refused' directory_is_refused
ok 'sort keys below each other' hierarchy_is_perfs
ok 'filters as perf has them' filters_are_perfs
ok_if_chosen 'options of script' script_options_are_perfs
ok_if_chosen 'the header alone' header_alone
ok_if_chosen "a processor's trace" trace_of_a_processor_is_told
checks_done
