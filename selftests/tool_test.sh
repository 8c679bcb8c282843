#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tool_test.sh: latewind record, live and doctor from end to end, as a user has
# them: what perf reads in the files, which stacks, which exit status, which
# words when something is missing. Needs the tool in PATH and perf; the parts
# that unload the module need LATEWIND_KO to load it again.
#
# tool_test.sh [GROUP]...: all groups or some.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

deterministic=$PWD/deterministic
# In a tmpfs: Linux 6.1 tells the build ID only of a file whose first page is in
# the page cache.
cp tool_target exec_target "$tmp/" || exit
target=$tmp/tool_target
child=$tmp/exec_target
uprobe_events=/sys/kernel/tracing/uprobe_events
# What addresses of the kernel begin with (on s390x they are no higher than programs'), and the
# version of SFrame that the assembler writes.
case $(uname -m) in
s390x) kernel='' version=3 ;;
*) kernel=ffff version=2 ;;
esac
hits=0 pid=0 child_pid=0 thread_ids='' target_pid='' tool_pid='' unloaded=''
# Of two pages, if a page has 4 KiB.
small_ring=$((page > 8192 ? page : 8192))

cleanup() {
	stop_tool
	[ -z "$target_pid" ] || kill "$target_pid"
	echo '-:lw_tool/hit' >>"$uprobe_events" 2>/dev/null
	[ -z "$unloaded" ] || insmod "$LATEWIND_KO" 2>/dev/null
	checks_free
}
trap cleanup EXIT

# perf_reads VERB FILE OUT [OPTION]...: with no complaint and something to show.
perf_reads() {
	local verb=$1 file=$2 out=$3
	shift 3
	perf "$verb" -i "$file" "$@" >"$out" 2>"$err" ||
		{ echo "perf $verb: status $?"; cat "$err"; return 1; }
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	[ -s "$out" ] || { echo "perf $verb prints nothing; what is in the file:"
			   perf report -i "$file" --stats; return 1; }
}

perf_script() { # FILE OUT [OPTION]...
	perf_reads script "$@" --no-inline --max-stack 1024 "$user_names"
}

# stacks FILE [names]: a line a stack, of perf's or the tool's text: its user
# frames down to main, as name@address or names only.
stacks() {
	awk -v names="${2:-}" '
	function finish() { if (line != "") print line; line = ""; over = 0 }
	/^\t/ {
		# on s390x the kernel is no higher than programs
		if (over || length($1) == 16 || $NF ~ /^\(\[(kernel\.kallsyms|latewind)\]\)$/)
			next
		sub(/\+0x[0-9a-f]+$/, "", $2)
		line = line $2 (names ? " " : "@" $1 " ")
		over = $2 == "main"
		next
	}
	/^$/ { finish() }
	END { finish() }' "$1"
}

# frames FILE [names]: the same, sorted.
frames() {
	stacks "$@" | sort
}

headers() { # FILE: how many samples a text has
	grep -c '^[^[:space:]]' "$1"
}

build_id() { # FILE
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

stat_is() { # FILE NAME VALUE
	equal "$2" "$(sed -n "s/^\"$2\":\([0-9.]*\)[,}]$/\1/p" "$1")" "$3"
}

# hit()'s offset in its file.
probe_offset() {
	local address off vaddr size
	address=0x$(nm "$deterministic" | awk '$3 == "hit" { print $1 }')
	readelf -lW "$deterministic" | awk '$1 == "LOAD" && / R E / { print $2, $3, $5 }' |
	while read -r off vaddr size; do
		((address < vaddr || address >= vaddr + size)) ||
			printf '0x%x\n' $((address - vaddr + off))
	done
}

start_target() { # ARG...
	"$target" "$@" >"$tmp/target.out" &
	target_pid=$!
	waits has "/proc/$target_pid/comm" tool_target
}

end_target() {
	kill "$target_pid" && wait "$target_pid"
	target_pid=''
}

# One that a failed check left would keep the module in use.
stop_tool() {
	[ -n "$tool_pid" ] || return
	kill -KILL "$tool_pid"
	wait "$tool_pid"
	tool_pid=''
}

# start_tool ARG...: returns when the text has a stack.
start_tool() {
	stop_tool
	rm -f "$tmp/live.txt"
	latewind record --no-kernel --text "$tmp/live.txt" "$@" >/dev/null 2>"$err" &
	tool_pid=$!
	waits text_has_stack
}

text_has_stack() {
	grep -q '^$' "$tmp/live.txt" 2>/dev/null
}

tool_is_gone() {
	[ ! -e "/proc/$tool_pid/exe" ] || ! readlink "/proc/$tool_pid/exe" >/dev/null
}

tool_ends() { # STATUS
	local status=0
	waits tool_is_gone || return
	wait "$tool_pid" || status=$?
	tool_pid=''
	equal 'exit status' "$status" "$1" || { cat "$err"; return 1; }
}

# --- a program of known stacks: the same ones everywhere

# By perf, too, of the same run: it has the stacks by .eh_frame. It asks for build IDs in
# its records, as the tool does: of two that want different things the kernel (6.12,
# perf_event_mmap_output()) tells the one as if it were the other, and perf crashes.
record_probe() {
	echo "p:lw_tool/hit $deterministic:$(probe_offset)" >>"$uprobe_events" || return
	# shellcheck disable=SC2086 # none, or one
	exits 0 perf record -q --buildid-mmap -N -e lw_tool:hit --call-graph dwarf,65528 \
		$user_registers -m 4096 -o "$tmp/dwarf.data" -- \
		latewind record -e "$deterministic:hit" -o "$tmp/probe.data" \
		--text "$tmp/probe.txt" --stats "$tmp/probe.json" -- "$deterministic" || return
	hits=$(cat "$tmp/out")
	cp "$err" "$tmp/probe.said"
	[ "${hits:-0}" -gt 100 ] && has "$err" "$hits samples" "$tmp/probe.data"
}

report_reads() {
	perf_reads report "$tmp/probe.data" "$tmp/report" --stdio &&
		has "$tmp/report" "Samples: $hits " '100\.00%.*deterministic' '--main'
}

hits_are_printed() {
	equal "perf's samples" "$(headers "$tmp/probe.script")" "$hits" &&
		equal "the text's samples" "$(headers "$tmp/probe.txt")" "$hits"
}

probe_reaches_main() {
	frames "$tmp/probe.script" >"$tmp/probe.frames"
	equal stacks "$(grep -cE '^hit@[0-9a-f]+ .*main@[0-9a-f]+ $' "$tmp/probe.frames")" "$hits"
}

text_is_the_same() {
	frames "$tmp/probe.txt" >"$tmp/text.frames"
	same "$tmp/probe.frames" "$tmp/text.frames"
}

live_is_the_same() {
	# What the program prints would be in the middle of a line.
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind live -q --no-kernel -e "$deterministic:hit" -- \
		sh -c 'exec "$1" >"$2"' sh "$deterministic" "$tmp/live.hits" || return
	[ ! -s "$err" ] || { cat "$err"; return 1; }
	equal hits "$(cat "$tmp/live.hits")" "$hits" || return
	frames "$tmp/out" >"$tmp/live.frames"
	same "$tmp/probe.frames" "$tmp/live.frames"
}

perf_is_the_same() {
	perf_script "$tmp/dwarf.data" "$tmp/dwarf.script" || return
	equal "perf's samples" "$(headers "$tmp/dwarf.script")" "$hits" || return
	frames "$tmp/dwarf.script" names >"$tmp/dwarf.frames"
	frames "$tmp/probe.script" names >"$tmp/probe.names"
	same "$tmp/dwarf.frames" "$tmp/probe.names"
}

stats_agree() {
	local json=$tmp/probe.json number='[0-9]+(\.[0-9]+)?' name='[a-z_]+(/[^\"]+)?'
	[[ $(tr -d ' \n' <"$json") =~ ^\{(\"$name\":$number,)+\"$name\":$number\}$ ]] ||
		{ echo 'no flat object of numbers:'; cat "$json"; return 1; }
	stat_is "$json" samples "$hits" && stat_is "$json" user_stacks "$hits" &&
	stat_is "$json" lost_records 0 && stat_is "$json" user_stacks_missing 0 &&
	stat_is "$json" frames_sframe "$(grep -c '\[sframe\]$' "$tmp/probe.txt")" &&
	stat_is "$json" frames_fp "$(grep -c '\[fp\]$' "$tmp/probe.txt")" &&
	stat_is "$json" outermost "$(grep -c 'end=outermost$' "$tmp/probe.txt")" &&
	stat_is "$json" bytes_written "$(stat -c %s "$tmp/probe.data")"
}

# sum_of FILE PATTERN: of the statistics whose names are like that.
sum_of() {
	awk -F '":' -v names="^\"$2\$" '$1 ~ names { n += $2 } END { print n + 0 }' "$1"
}

# Each stack is one of whole and cut, in the summary as in the numbers, by program as in all.
ends_agree() {
	local json=$tmp/probe.json guessed
	guessed=$(awk -v RS= '/end=outermost\n/ && /\[fp\]/ { n++ } END { print n + 0 }' \
		"$tmp/probe.txt")
	stat_is "$json" whole_with_guesses "$guessed" &&
	stat_is "$json" whole_by_tables $(($(grep -c 'end=outermost$' "$tmp/probe.txt") - guessed)) &&
	stat_is "$json" cut_no_rule "$(grep -c 'end=no-rule$' "$tmp/probe.txt")" &&
	equal 'whole and cut' "$(sum_of "$json" '(whole|cut)_[a-z_]+')" "$hits" &&
	equal 'of the program' "$(sum_of "$json" '(whole_[a-z_]+|cut)/deterministic')" "$hits" &&
	equal 'programs' "$(grep -c '^"cut/' "$json")" 1 &&
	has "$tmp/probe.said" "^latewind: $((hits - guessed)) user stacks are whole by tables" \
		"^  $guessed are whole with guesses" '^  0 are cut \(0\.00 %\)$'
}

# The same stacks, joined by perf. Older ones know no such records.
deferred_is_the_same() {
	exits 0 latewind record -q --deferred -e "$deterministic:hit" -o "$tmp/deferred.data" \
		-- "$deterministic" &&
	perf_script "$tmp/deferred.data" "$tmp/deferred.script" || return
	frames "$tmp/deferred.script" >"$tmp/deferred.frames"
	same "$tmp/probe.frames" "$tmp/deferred.frames"
}

packed_is_the_same() {
	exits 0 latewind record -q -z -e "$deterministic:hit" -o "$tmp/packed.data" \
		-- "$deterministic" &&
	perf_script "$tmp/packed.data" "$tmp/packed.script" || return
	frames "$tmp/packed.script" >"$tmp/packed.frames"
	same "$tmp/probe.frames" "$tmp/packed.frames"
}

# While the tool is stopped its rings run full: what has no room is counted, and told
# in order. Twice the program, as LOST stands before what has room again, which is so when
# the tool has written what there was; and both times on one CPU, as that is so in each
# ring by itself.
losses_are_told() {
	local samples lost
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -q --ring-size "$small_ring" -e "$deterministic:hit" -o "$tmp/lost.data" \
		--text "$tmp/lost.txt" -- taskset -c 0 sh -c '
			kill -STOP $PPID; "$1"; kill -CONT $PPID
			until grep -q "^$" "$2"; do sleep 0.05; done
			exec "$1"' sh "$deterministic" "$tmp/lost.txt" || return
	perf script -D -i "$tmp/lost.data" "$user_names" >"$tmp/lost.dump" 2>/dev/null
	samples=$(grep -c 'PERF_RECORD_SAMPLE(' "$tmp/lost.dump")
	lost=$(sed -n 's/.*PERF_RECORD_LOST_SAMPLES.*:\([0-9]*\)$/\1/p' "$tmp/lost.dump")
	grep -q 'PERF_RECORD_LOST: .*lost:[1-9]' "$tmp/lost.dump" ||
		{ echo "no LOST, $samples samples, $lost lost"; return 1; }
	equal 'samples with the lost ones' $((samples + lost)) $((2 * hits))
}

# A text whose reader reads nothing before all runs have ended. Each run waits until the
# recording has grown by its samples: so the rings, which would not hold all, are emptied
# meanwhile. The text is then whole and in order. A run that waits in vain lets the reader read
# on, as the tool could not end otherwise.
blocked_text_holds_up_nothing() {
	local reader run runs=6
	mkfifo "$tmp/blocked" "$tmp/go" || return
	{ read -r _ <"$tmp/go"; cat; } <"$tmp/blocked" >"$tmp/blocked.txt" &
	reader=$!
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -q --ring-size 64K -e "$deterministic:hit" -o - \
		--text "$tmp/blocked" --stats "$tmp/blocked.json" -- sh -c '
			for run in $(seq "$1"); do
				size=$(stat -c %s "$3") left=$6
				"$2"
				until [ $(($(stat -c %s "$3") - size)) -ge $(($5 * 100)) ]; do
					left=$((left - 1))
					[ $left -gt 0 ] || break 2
					sleep 0.05
				done
			done
			echo >"$4"
			[ $left -gt 0 ]' sh "$runs" "$deterministic" "$tmp/out" "$tmp/go" "$hits" \
		$((patience * 4)) ||
		{ kill "$reader"; return 1; }
	wait "$reader"
	for run in $(seq $runs); do
		stacks "$tmp/probe.txt"
	done >"$tmp/runs.stacks"
	stacks "$tmp/blocked.txt" >"$tmp/blocked.stacks"
	same "$tmp/runs.stacks" "$tmp/blocked.stacks" &&
		stat_is "$tmp/blocked.json" samples $((runs * hits)) &&
		stat_is "$tmp/blocked.json" lost_records 0 &&
		stat_is "$tmp/blocked.json" lost_text 0 &&
		equal 'samples in the text' "$(headers "$tmp/blocked.txt")" $((runs * hits))
}

# The same of a recording whose reader pauses: what has been recorded is seen in the text.
blocked_recording_holds_up_nothing() {
	local reader run runs=6 fifo=$tmp/paused
	mkfifo "$fifo" "$tmp/read_on" || return
	# there is a reader from the beginning
	exec 8<>"$fifo" 9<"$fifo" 8>&-
	{ read -r _ <"$tmp/read_on"; cat; } <&9 >"$tmp/paused.data" &
	reader=$!
	exec 9<&-
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -q --ring-size 64K -e "$deterministic:hit" -o "$fifo" \
		--text "$tmp/paused.txt" --stats "$tmp/paused.json" -- sh -c '
			for run in $(seq "$1"); do
				left=$6
				"$2"
				until [ "$(grep -c "^$" "$3")" -ge $((run * $5)) ]; do
					left=$((left - 1))
					[ $left -gt 0 ] || break 2
					sleep 0.05
				done
			done
			echo >"$4"
			[ $left -gt 0 ]' sh "$runs" "$deterministic" "$tmp/paused.txt" \
		"$tmp/read_on" "$hits" $((patience * 4)) || { kill "$reader"; return 1; }
	wait "$reader"
	perf script -i - --no-inline --max-stack 1024 "$user_names" <"$tmp/paused.data" \
		>"$tmp/paused.script" 2>"$err" || { cat "$err"; return 1; }
	for run in $(seq $runs); do
		stacks "$tmp/probe.script"
	done | sort >"$tmp/runs.frames"
	frames "$tmp/paused.script" >"$tmp/paused.frames"
	same "$tmp/runs.frames" "$tmp/paused.frames" &&
		stat_is "$tmp/paused.json" samples $((runs * hits)) &&
		stat_is "$tmp/paused.json" lost_records 0
}

# Of a program that does the same each time: the last of its stacks, in order.
flight_recorder() {
	local nr
	exits 0 taskset -c 0 latewind record --overwrite --ring-size "$small_ring" \
		-e "$deterministic:hit" --text "$tmp/flight.txt" \
		--stats "$tmp/flight.json" -o "$tmp/flight.data" -- "$deterministic" || return
	perf_script "$tmp/flight.data" "$tmp/flight.script" || return
	stacks "$tmp/flight.txt" >"$tmp/flight.stacks"
	nr=$(wc -l <"$tmp/flight.stacks")
	[ "$nr" -gt 3 ] && [ "$nr" -lt "$hits" ] ||
		{ echo "kept $nr of $hits"; return 1; }
	stacks "$tmp/probe.txt" | tail -n "$nr" >"$tmp/newest.stacks"
	cmp "$tmp/newest.stacks" "$tmp/flight.stacks" || return
	stat_is "$tmp/flight.json" samples "$nr" &&
		stat_is "$tmp/flight.json" lost_records 0 &&
		! stat_is "$tmp/flight.json" overwritten_records 0 >/dev/null
}

old_file_is_kept() {
	cp "$tmp/probe.data" "$tmp/again.data"
	exits 0 latewind record -o "$tmp/again.data" -- true &&
		cmp "$tmp/probe.data" "$tmp/again.data.old"
}

# The shell that runs this was there before: its mappings are as maps has them.
data_maps() {
	local range perms path
	exits 0 latewind record -q -a --data -o "$tmp/maps.data" -- "$deterministic" &&
		perf_script "$tmp/maps.data" "$tmp/maps.script" --show-mmap-events || return
	# the kernel's own, of what began meanwhile
	has "$tmp/maps.script" ': rw-p .*/libc\.so' ': r-xp .*/libc\.so' || return
	while read -r range perms _ _ _ path; do
		[ "${perms:0:1}" = r ] && [ "${path:0:1}" = / ] || continue
		has "$tmp/maps.script" " $$/$$: \[0x${range%-*}\(.*: $perms $path\$" || return
	done <"/proc/$$/maps"
	# and without it there is none of data
	! grep -Eq 'PERF_RECORD_MMAP2.*: [r-][w-]-[ps] ' "$tmp/calls.script"
}

# --- kernel part and user part of one chain

record_calls() {
	exits 0 latewind record -e raw_syscalls:sys_enter -o "$tmp/calls.data" \
		-- "$target" calls 20 &&
	perf_reads script "$tmp/calls.data" "$tmp/calls.script" --no-inline --show-mmap-events \
		--show-task-events
}

# Other stacks are those of the dynamic linker's calls.
calls_have_both_parts() {
	frames "$tmp/calls.script" names | grep '^call_kernel ' | sort | uniq -c >"$tmp/calls.names"
	equal stacks "$(awk '{ $1 = $1; print }' "$tmp/calls.names")" \
		'20 call_kernel middle outer main' &&
	equal 'stacks with both' 20 \
		"$(awk -v RS= '/(do_syscall_64|do_el0_svc|__do_syscall)\+.*\n.*call_kernel\+/ { n++ } END { print n }' \
			"$tmp/calls.script")"
}

# The mapping of the kernel is told of where a sample may be in it.
kernel_is_told_where_it_is_met() {
	grep -aqF '[kernel.kallsyms]_' "$tmp/calls.data" || { echo 'calls: none'; return 1; }
	! grep -aF '[kernel.kallsyms]_' "$tmp/probe.data" || { echo 'probe: it is'; return 1; }
}

# A sample in a program that has no code of others: all of them must reach main.
spin_reaches_main() {
	exits 0 latewind record -F 499 -o "$tmp/spin.data" -- "$target" spin 400 &&
	perf_script "$tmp/spin.data" "$tmp/spin.script" || return
	frames "$tmp/spin.script" names | grep '^spin ' >"$tmp/spin.frames"
	[ "$(wc -l <"$tmp/spin.frames")" -ge 20 ] || { echo 'hardly a sample'; return 1; }
	equal 'other ways' "$(grep -vx 'spin middle outer main ' "$tmp/spin.frames")" ''
}

# --- what perf.data knows of processes

# mapped SCRIPT PROGRAM: with protection, flags and build ID, as a mapping of
# its own file and, shared, as the one that the program made.
mapped() {
	has "$1" "PERF_RECORD_MMAP2 .*<$(build_id "$2")>\]: r-xp $2\$"
}

command_side_band() {
	mapped "$tmp/calls.script" "$target" &&
	has "$tmp/calls.script" "<$(build_id "$target")>\]: r-xs $target\$" \
		'PERF_RECORD_COMM exec: tool_target' 'PERF_RECORD_EXIT'
}

lists_build_id() {
	perf_reads buildid-list "$tmp/pid.data" "$tmp/ids" &&
		has "$tmp/ids" "^$(build_id "$target") $target\$"
}

busy_threads() {
	[ "$(sed -n 's/^\(busy-[0-9]\) .*/\1/p' "$tmp/live.txt" | sort -u | wc -l)" -eq 3 ]
}

target_ran_child() {
	has "$tmp/target.out" '^child [0-9]+$' >/dev/null
}

# All threads are seen, then a child runs, then ctrl-c.
record_pid() {
	start_target threads 3 "$child" 20000 &&
	start_tool -p "$target_pid" -o "$tmp/pid.data" &&
	waits busy_threads &&
	kill -USR1 "$target_pid" && waits target_ran_child &&
	kill -INT "$tool_pid" && tool_ends 0 || return
	pid=$target_pid
	child_pid=$(sed -n 's/^child //p' "$tmp/target.out")
	thread_ids=$(ls "/proc/$pid/task") && kill -0 "$pid"
}

every_thread_is_sampled() {
	local tid
	perf_script "$tmp/pid.data" "$tmp/pid.script" --show-mmap-events --show-task-events ||
		return
	for tid in $thread_ids; do
		[ "$tid" = "$pid" ] || has "$tmp/pid.script" "^ *busy-[0-2] +$tid .*cpu-clock" ||
			return
	done
	frames "$tmp/pid.script" names >"$tmp/pid.frames"
	has "$tmp/pid.frames" '^spin middle busy '
}

pid_side_band() {
	mapped "$tmp/pid.script" "$target" &&
	has "$tmp/pid.script" "<$(build_id "$target")>\]: r-xs $target\$" \
		"PERF_RECORD_COMM: tool_target:$pid/$pid\$" \
		"PERF_RECORD_COMM: busy-2:$pid/[0-9]+\$"
}

child_side_band() {
	mapped "$tmp/pid.script" "$child" &&
	has "$tmp/pid.script" "PERF_RECORD_FORK\($child_pid:$child_pid\):\($pid:" \
		"PERF_RECORD_COMM exec: exec_target:$child_pid/$child_pid\$" \
		"PERF_RECORD_EXIT\($child_pid:$child_pid\)"
}

# With the threads of record_pid() still there, until it was written many times.
record_all() {
	cp "$target" "$tmp/other"
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -a -F 99 -o "$tmp/all.data" --stats "$tmp/all.json" \
		--text "$tmp/all.txt" -- sh -c '
		for i in 1 2 3 4 5 6 7 8; do
			size=$(stat -c %s "$2")
			until "$1" spin 40; [ "$(stat -c %s "$2")" -gt "$size" ]; do :; done
		done' sh "$tmp/other" "$tmp/all.txt"
}

all_has_both() {
	perf_script "$tmp/all.data" "$tmp/all.script" || return
	frames "$tmp/all.script" names | sort -u >"$tmp/all.frames"
	has "$tmp/all.script" '^ *busy-[0-2] +[0-9]+ .*cpu-clock' '^ *other +[0-9]+ .*cpu-clock' &&
		has "$tmp/all.frames" '^spin middle outer main $' '^spin middle busy '
}

# By the file alone: it is gone from the kernel, and kallsyms may not be asked. It is there
# until a sample is written: before that the tool has read what came earlier.
bpf_program_is_named() {
	exits 0 latewind record -e bpf_trace:bpf_trace_printk -o "$tmp/bpf.data" \
		--text "$tmp/bpf.txt" -- ./bpf_target 20 "$tmp/bpf.txt" &&
	perf_reads script "$tmp/bpf.data" "$tmp/bpf.script" --no-inline || return
	equal 'samples with its frame' \
		"$(grep -cE "^\s+${kernel}[0-9a-f]+ bpf_prog_[0-9a-f]{16}_lw_printer\+" "$tmp/bpf.script")" 21
}

bpf_program_is_saved() {
	perf report --header-only -i "$tmp/bpf.data" 2>/dev/null >"$tmp/bpf.header" &&
		has "$tmp/bpf.header" 'bpf_prog_info .*_lw_printer addr 0x'
}

# In pieces: perf_script() fails where perf finds something out of order.
all_has_rounds() {
	local marks
	perf_reads report "$tmp/all.data" "$tmp/all.stats" --stats "$user_names" || return
	marks=$(sed -n 's/ *FINISHED_ROUND events: *\([0-9]*\).*/\1/p' "$tmp/all.stats")
	[ "${marks:-0}" -ge 3 ] || { cat "$tmp/all.stats"; return 1; }
	stat_is "$tmp/all.json" late_records 0
}

# What the command prints would be garbage in it.
pipe_is_read() {
	latewind record -q -F 499 -o - -- "$target" spin 500 2>"$err" |
		perf script -i - --no-inline --max-stack 1024 >"$tmp/pipe.script" 2>"$tmp/perf.err"
	equal 'exit statuses' "${PIPESTATUS[*]}" '0 0' && [ ! -s "$tmp/perf.err" ] ||
		{ cat "$err" "$tmp/perf.err"; return 1; }
	frames "$tmp/pipe.script" names >"$tmp/pipe.frames"
	has "$tmp/pipe.frames" '^spin middle outer main '
}

pipe_reader_goes() {
	# The command runs until the tool ends it: a pipe takes some data even if nobody reads.
	timeout "$patience" latewind record -F 499 -o - -- "$target" spin 1000000 2>"$err" | head -c 1000 >/dev/null
	equal 'exit statuses' "${PIPESTATUS[*]}" '1 0' || { cat "$err"; return 1; }
	has "$err" 'the reader of the recording is gone'
}

# --- how a recording ends

status_of_command() {
	exits 7 latewind record -o "$tmp/seven.data" -- sh -c 'exit 7' &&
		exits 7 latewind live -q --no-kernel -- sh -c 'exit 7'
}

status_of_signal() {
	# shellcheck disable=SC2016 # the other shell's own number
	exits 143 latewind record -o "$tmp/signal.data" -- sh -c 'kill -TERM $$'
}

# A failed check may have left some.
no_leftovers() {
	rm -f "$tmp"/none.* "$tmp/ran"
}

# Nothing was recorded, so nothing is left.
no_command() { # STATUS COMMAND PATTERN
	no_leftovers
	exits "$1" latewind record --no-kernel -o "$tmp/none.data" --text "$tmp/none.txt" \
		--stats "$tmp/none.json" -- "$2" &&
	has "$err" "$2" "$3" && missing "$tmp"/none.*
}

sigint_ends_command() {
	start_tool -o "$tmp/int.data" -- "$target" spin 60000 &&
	kill -INT "$tool_pid" && tool_ends 143 &&
	perf_script "$tmp/int.data" "$tmp/int.script" &&
	has "$tmp/int.script" '^ *tool_target '
}

# The process is what is recorded, and goes on; the command only is waited for.
command_ends_pid() {
	start_target threads 1 &&
	exits 3 latewind record -p "$target_pid" -F 499 -o "$tmp/beside.data" -- \
		sh -c 'sleep 0.5; exit 3' && kill -0 "$target_pid" &&
	perf_script "$tmp/beside.data" "$tmp/beside.script" &&
	has "$tmp/beside.script" '^ *busy-0 .*cpu-clock' || return
	equal 'samples of others' "$(grep '^ *[^[:space:]]' "$tmp/beside.script" |
		grep -cvE '^ *(busy-0|tool_target) |^\s+[0-9a-f]+ ')" 0
	end_target
}

# The command still runs, and is ended.
ends_with_time() {
	exits 0 latewind record -d 0.3 -o "$tmp/time.data" -- "$target" spin 1000000 &&
	perf_script "$tmp/time.data" "$tmp/time.script" &&
	has "$tmp/time.script" '^ *tool_target '
}

ends_with_size() {
	exits 0 latewind record -g -F max -o "$tmp/size.data" -- true &&
	exits 0 latewind record -F 2000 --max-size 600K -o "$tmp/size.data" -- \
		"$target" spin 1000000 || return
	[ "$(stat -c %s "$tmp/size.data")" -ge 614400 ] || { ls -l "$tmp/size.data"; return 1; }
	perf_script "$tmp/size.data" "$tmp/size.script"
}

# The program runs again and again: the first samples are those after the delay.
begins_after_delay() {
	rm -f "$tmp/delay.txt"
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -D 2000 -F 499 -o "$tmp/delay.data" --text "$tmp/delay.txt" -- sh -c '
		cut -d" " -f1 /proc/uptime >"$2"
		until grep -q "^$" "$3" 2>/dev/null; do "$1" spin 20; done' \
		sh "$target" "$tmp/delay.begin" "$tmp/delay.txt" || return
	awk 'NR == FNR { begin = $1; next }
		/end=/ { sub(/.*\] /, ""); exit $1 - begin < 0.5 }
		END { if (!begin) exit 1 }' "$tmp/delay.begin" "$tmp/delay.txt" ||
		{ cat "$tmp/delay.begin"; head "$tmp/delay.txt"; return 1; }
	# one that ends before
	exits 0 latewind record -D 60000 -o "$tmp/delay.data" -- true &&
		has "$err" '^. latewind record: 0 samples'
}

# A program of each CPU, of which one is looked at.
only_of_cpu() {
	# shellcheck disable=SC2016 # the other shell's own
	exits 0 latewind record -C 1 -F 499 -o "$tmp/cpu.data" -- sh -c '
		taskset -c 0 "$1" spin 300 & taskset -c 1 "$1" spin 300; wait' sh "$target" &&
	perf_script "$tmp/cpu.data" "$tmp/cpu.script" -F comm,cpu || return
	has "$tmp/cpu.script" '^ *tool_target +\[001\]' && ! grep -F '[000]' "$tmp/cpu.script"
}

only_of_user() {
	local user=45678 status
	setpriv --reuid $user --clear-groups "$target" spin 100000 &
	target_pid=$!
	waits has "/proc/$target_pid/comm" tool_target || return
	exits 0 latewind record -u $user -F 499 -o "$tmp/user.data" -- sleep 0.5 &&
	perf_script "$tmp/user.data" "$tmp/user.script" -F comm &&
	equal programs "$(sort -u "$tmp/user.script" | tr -d ' \n')" tool_target
	status=$?
	end_target
	[ $status -eq 0 ] && fails "no process of user $user" -u $user -o "$tmp/none.data"
}

ends_with_process() {
	start_target threads 1 && start_tool -p "$target_pid" -o "$tmp/end.data" &&
	waits grep -q '^busy-0 ' "$tmp/live.txt" || return
	end_target
	tool_ends 0 &&
	perf_script "$tmp/end.data" "$tmp/end.script" --show-task-events &&
	has "$tmp/end.script" 'PERF_RECORD_EXIT' '^ *busy-0 .*cpu-clock'
}

live_ends_at_max() {
	# Three hits and never another one.
	exits 143 latewind live -q --no-kernel --max 3 -e "$target:call_kernel" -- \
		sh -c "'$target' calls 3; exec sleep 1000" &&
		equal samples "$(headers "$tmp/out")" 3
}

# Children can't inherit a probe, and must be able to fork all the same. What
# runs besides the command is not of the target.
uprobe_follows_children() {
	local other status=0
	"$target" spin 100000 &
	other=$!
	exits 5 latewind live -q --no-kernel -e "$target:call_kernel" -e "$target:spin" -- \
		sh -c "'$target' calls 3 && '$target' calls 4 && exit 5" &&
		equal samples "$(headers "$tmp/out")" 7 || status=$?
	kill "$other"
	return $status
}

# --- wrong command lines

# usage PATTERN ARG...: exit status 2, $PATTERN is said, nothing ran or is left.
usage() {
	local pattern=$1
	shift
	no_leftovers
	exits 2 latewind record -o "$tmp/none.data" "$@" &&
		has "$err" "^latewind: .*$pattern" "latewind record --help" &&
		missing "$tmp"/none.* "$tmp/ran"
}

test_usage() {
	local pattern args
	# shellcheck disable=SC2046 # words
	choose 5 $(seq 31)
	local nr=0
	while read -r pattern args; do
		nr=$((nr + 1))
		chosen "$nr" || continue
		# shellcheck disable=SC2086 # several
		ok "usage: ${args%% -- *}" usage "$pattern" $args
	done <<-END
		freq.*'abc' -F abc -- touch $tmp/ran
		freq.*'0' -F 0 -- touch $tmp/ran
		freq.*'99999999' -F 99999999 -- touch $tmp/ran
		duration.*'0' -d 0 -- touch $tmp/ran
		delay.*-1 -D -1 -- touch $tmp/ran
		delay.*'1s' -D 1s -- touch $tmp/ran
		cpu.*'x' -C x -- touch $tmp/ran
		CPU.*4999.*online -C 0,4999 -- touch $tmp/ran
		uid.*'no-such' -u no-such -- touch $tmp/ran
		max-size.*'0' --max-size 0 -- touch $tmp/ran
		max-size.*overwrite --max-size 1M --overwrite -- touch $tmp/ran
		count.*'-1' -c -1 -- touch $tmp/ran
		count.*'0' -c 0 -- touch $tmp/ran
		freq.*count -F 99 -c 99 -- touch $tmp/ran
		'bogus' -e bogus -- touch $tmp/ran
		'no:such' -e no:such -- touch $tmp/ran
		'x'.*modifiers -e cycles:x -- touch $tmp/ran
		no.PMU.'nopmu' -e nopmu/event=1,umask=2/ -- touch $tmp/ran
		no.term.'evnt' -e software/evnt=1/ -- touch $tmp/ran
		nofunction -e $target:nofunction -- touch $tmp/ran
		/no/file -e /no/file:main -- touch $tmp/ran
		'1025' --depth 1025 -- touch $tmp/ran
		'128' --kernel-depth 128 -- touch $tmp/ran
		'3000' --ring-size 3000 -- touch $tmp/ran
		'dwarf' --call-graph dwarf -- touch $tmp/ran
		'fp' --call-graph fp -- touch $tmp/ran
		pid.*'abc' -p abc
		pid.*'0' -p 0
		pid.*all-cpus -a -p 1
		--nosuch --nosuch -- touch $tmp/ran
		value -a -F
		command -F 99
	END
	ok 'what was meant is asked' asks_what_was_meant
	ok 'help and the version have verbs' has_verbs_for_help
	ok 'the program is hardened' is_hardened
}

asks_what_was_meant() {
	exits 2 latewind recrod -- touch "$tmp/ran" &&
		has "$err" "'recrod' is not a verb" 'Did you mean record[?]' 'latewind help' &&
	exits 2 latewind record --call-graf=fp -- touch "$tmp/ran" &&
		has "$err" 'unknown option --call-graf=fp' 'Did you mean --call-graph[?]' &&
	exits 2 latewind report --sotr sym && has "$err" 'Did you mean --sort[?]' &&
	exits 2 latewind record --all-cpus=2 && has "$err" 'option --all-cpus takes no value' &&
	exits 2 latewind verison && has "$err" 'Did you mean version[?]' &&
	exits 2 latewind trace --strng-limit=9 -- touch "$tmp/ran" &&
		has "$err" 'Did you mean --string-limit[?]' && missing "$tmp/ran"
}

has_verbs_for_help() {
	exits 0 latewind help record && mv "$tmp/out" "$tmp/help" &&
	exits 0 latewind record --help && same "$tmp/help" "$tmp/out" &&
	exits 0 latewind help && has "$tmp/out" 'latewind VERB' '^  trace ' &&
	exits 2 latewind help nosuch && has "$err" "'nosuch' is not a verb" &&
	exits 2 latewind annotate && has "$err" "'annotate' is not a verb" 'perf annotate' &&
	exits 2 latewind help record top && has "$err" "'top' is not expected" &&
	exits 0 latewind version && has "$tmp/out" '^latewind [0-9.]+ [(]ABI [0-9]+[)]$'
}

# Addresses of functions that are resolved at the start, and can't be written then; checks of
# stacks and of copies whose size is known.
is_hardened() {
	readelf -W -l -d --dyn-syms "$(command -v latewind)" >"$tmp/elf" &&
		has "$tmp/elf" GNU_RELRO 'Flags: .*NOW' __stack_chk_fail '_chk@'
}

# --- what cannot be done

# fails PATTERN ARG...: exit status 1, $PATTERN is said, nothing ran or is left.
fails() {
	local pattern=$1
	shift
	no_leftovers
	exits 1 latewind record "$@" && has "$err" "^latewind: .*$pattern" '^  [A-Z'"'"']' &&
		missing "$tmp"/none.* "$tmp/ran"
}

no_process() {
	local gone
	sleep 0 &
	gone=$!
	wait "$gone"
	fails "process $gone" -p "$gone" -o "$tmp/none.data"
}

bad_place() { # OPTION
	fails '/no/dir/file.*directory' --no-kernel -o "$tmp/none.data" \
		--text "$tmp/none.txt" --stats "$tmp/none.json" "$1" /no/dir/file -- touch "$tmp/ran"
}

no_rights() {
	no_leftovers
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		latewind record -o "$tmp/none.data" -- touch "$tmp/ran" &&
	has "$err" /dev/latewind 'Permission denied' 'latewind-group on' && missing "$tmp"/none.* "$tmp/ran"
}

deep_stacks() {
	[ "$page" -le 16384 ] || return 0
	fails 'stacks of 1024 frames' --ring-size "$page" --depth 1024 -o "$tmp/none.data" -- \
		touch "$tmp/ran" && has "$err" '--ring-size .32K'
}

too_many_events() {
	no_leftovers
	exits 1 prlimit --nofile=30:30 setpriv --bounding-set=-sys_resource \
		latewind record -a -e 'sched:*' -o "$tmp/none.data" -- touch "$tmp/ran" &&
		has "$err" 'Too many open files' 'ulimit -Hn' && missing "$tmp"/none.* "$tmp/ran"
}

doctor_without_rights() {
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups latewind doctor &&
		has "$tmp/out" '^FAIL +rights .*Permission denied' '-> .*latewind-group on USER'
}

# --- doctor

doctor_is_content() {
	exits 0 latewind doctor &&
		has "$tmp/out" '^ok +kernel +[0-9]' '^ok +module ' '^ok +abi ' \
			'^ok +features .*SFrame version 2.*perf events' '^ok +tracefs ' '^ok +side-band .*build IDs' &&
		equal failures "$(grep '^FAIL' "$tmp/out")" ''
}

doctor_tells_of_process() {
	local functions
	functions=$(readelf --sframe "$target" | sed -n 's/.*Num FDEs: //p')
	exits 0 latewind doctor -p "$target_pid" &&
		has "$tmp/out" "^ok +file +$target: SFrame version $version, $functions functions, of [1-9][0-9]* % of its code" \
			'^ok +file +/.*/libc\.so\.6: a table is made for it, of 9[0-9] % of its code' \
			"^ok +unwind +process $target_pid maps 1 files with SFrame, [1-9][0-9]* with a table, 0 with neither"
}

# A file without unwind information, and code that it makes and registers a section for. It is
# called as a runtime is that has flags for it.
doctor_names_code_without_information() {
	local bare=$tmp/node running
	objcopy -R .eh_frame -R .eh_frame_hdr -R .sframe jit "$bare" || return
	"$bare" -1 >/dev/null &
	running=$!
	waits has "/proc/$running/status" '^VmPin:[[:space:]]+[1-9]' >"$tmp/waited" &&
		exits 0 latewind doctor -p "$running" || cat "$tmp/waited"
	kill "$running"
	wait "$running"
	has "$tmp/out" "^warn +file +$bare: no unwind information" \
		'^warn +made code +'$((page / 1024))' KiB of executable memory without a file, mappings: 1, largest: [0-9a-f]+-[0-9a-f]+; .*VmPin: [1-9]' \
		'^warn +runtime +node runs without --perf-basic-prof$' \
		'^warn +unwind .* 1 with neither'
}

# What is printed otherwise, check by check.
doctor_as_json() {
	exits 0 latewind doctor && cp "$tmp/out" "$tmp/doctor" &&
		exits 0 latewind doctor --json || return
	python3 - "$tmp/out" "$tmp/doctor" <<-'END'
		import json, sys
		said = json.load(open(sys.argv[1]))
		lines = [line for line in open(sys.argv[2]) if line[:4] in ('ok  ', 'warn', 'FAIL')]
		assert said['failures'] == 0 and len(said['checks']) == len(lines), said
		for check, line in zip(said['checks'], lines):
		    assert line.startswith(f"{check['verdict']:4}  {check['check']:14} "), (check, line)
		    assert (check['advice'] is None) == (check['verdict'] == 'ok'), check
	END
}

# Stacks of python are whole; Python functions have names by a flag only.
python_without_names() {
	local spin='i = 0
while i < 3000000: i += 1'
	exits 0 latewind record -o "$tmp/python.data" -- python3 -c "$spin" &&
		has "$err" '^latewind: python runs without -X perf: process [0-9]+ \(python3' &&
		exits 0 latewind record -o "$tmp/python.data" -- python3 -X perf -c "$spin" &&
		! grep 'python runs without' "$err"
}

# The process is gone when the summary is written.
summary_names_flags() {
	cp languages/jit_dump "$tmp/node" &&
		exits 0 latewind record -e cpu-clock:u -o "$tmp/node.data" -- "$tmp/node" &&
		has "$err" '^latewind: node runs without --interpreted-frames-native-stack: process [0-9]+ \(node\)$' \
			'^  Start it with that flag, or with it in NODE_OPTIONS\.$'
}

# As many functions as readelf finds, of which nothing is wrong; and a table of who has none.
sframe_is_read() {
	local functions
	functions=$(readelf --sframe "$target" | sed -n 's/.*Num FDEs: //p')
	exits 0 latewind-sframe dump "$target" && has "$tmp/out" "^functions  $functions\$" &&
		exits 0 latewind-sframe check "$target" &&
		exits 0 latewind-sframe gen -o "$tmp/table" ./deep &&
		exits 0 latewind-sframe check --table "$tmp/table"
}

doctor_wrong_lines() {
	exits 2 latewind doctor -p abc && has "$err" "'abc'" &&
		exits 2 latewind doctor sick && has "$err" "'sick'"
}

record_without_module() {
	fails '/dev/latewind: No such file' -o "$tmp/none.data" -- touch "$tmp/ran" &&
		has "$err" 'not loaded' 'modprobe latewind'
}

doctor_without_module() {
	exits 1 latewind doctor &&
		has "$tmp/out" '^FAIL +module +/dev/latewind is missing' '-> .*modprobe latewind'
}

# --- the list

test_stacks() {
	ok 'record of a probe in a command' record_probe
	ok 'perf script reads it' perf_reads script "$tmp/probe.data" "$tmp/probe.script" \
		--no-inline --max-stack 1024
	ok 'perf report reads it' report_reads
	ok 'each hit is a sample' hits_are_printed
	ok 'each sample reaches main' probe_reaches_main
	ok 'the text of the same run has the same stacks' text_is_the_same
	ok 'live prints the same stacks' live_is_the_same
	ok 'a text that nobody reads holds up nothing' blocked_text_holds_up_nothing
	ok 'nor does a pipe whose reader pauses' blocked_recording_holds_up_nothing
	ok_with_perf 'perf with DWARF has the same stacks' perf_is_the_same
	ok 'the statistics agree with the text' stats_agree
	ok 'where stacks end is told, by program' ends_agree
	local can_join=''
	! perf script -h 2>&1 | grep -q merge-callchains || can_join=deferred_is_the_same
	# shellcheck disable=SC2086 # one or none
	choose 1 $can_join packed_is_the_same losses_are_told flight_recorder data_maps
	if [ -n "$can_join" ]; then
		ok_if_chosen 'perf joins deferred stacks' deferred_is_the_same
	else
		skip 'perf joins deferred stacks' 'perf is older than 6.19'
	fi
	ok_if_chosen 'a packed file has the same stacks' packed_is_the_same
	ok_if_chosen 'what was lost is told' losses_are_told
	ok_if_chosen 'a flight recorder keeps the newest' flight_recorder
	ok 'an old file is kept' old_file_is_kept
	ok 'record of a tracepoint' record_calls
	ok_if_chosen 'record --data tells of data, too' data_maps
	ok 'chains have their kernel and user parts' calls_have_both_parts
	ok 'a command: COMM, EXIT, MMAP2' command_side_band
	ok "the kernel's mapping is told of where samples are in it" kernel_is_told_where_it_is_met
	ok 'record by the clock reaches main' spin_reaches_main
}

test_processes() {
	ok 'record -p, ended by SIGINT' record_pid
	ok 'record -a while a command runs' record_all
	ok 'doctor -p tells which files have unwind information' doctor_tells_of_process
	ok 'doctor -p names code that has none' doctor_names_code_without_information
	ok 'doctor --json says the same' doctor_as_json
	ok 'a python without names is told of' python_without_names
	if [ -x languages/jit_dump ] || [ "$(uname -m)" = x86_64 ]; then
		ok 'the summary names flags that programs lack' summary_names_flags
	else
		skip 'the summary names flags that programs lack' 'languages/jit_dump is not built'
	fi
	end_target
	ok 'record -p samples every thread' every_thread_is_sampled
	ok 'a running process: COMM, MMAP2' pid_side_band
	ok 'what it starts: FORK, COMM, MMAP2, EXIT' child_side_band
	ok 'record -a has two commands' all_has_both
	ok 'record -a marks rounds' all_has_rounds
	ok 'record into a pipe' pipe_is_read
	choose 1 pipe_reader_goes bpf_program_is_named lists_build_id
	ok_if_chosen 'record into a pipe that nobody reads any more' pipe_reader_goes
	if [ ! -e /proc/sys/net/core/bpf_jit_enable ] && chosen bpf_program_is_named; then
		skip 'a BPF program that came and went has its name' 'the kernel compiles none'
	else
		ok_if_chosen 'a BPF program that came and went has its name' bpf_program_is_named
	fi
	if chosen bpf_program_is_named && [ -e /proc/sys/net/core/bpf_jit_enable ] &&
		perf version --build-options | grep -q ' on .*LIBBPF_SUPPORT'; then
		ok 'and its code' bpf_program_is_saved
	fi
	ok_if_chosen 'perf buildid-list knows the program' lists_build_id
}

makes_no_guesses() {
	latewind record --call-graph sframe -e "$deterministic:hit" --stats "$tmp/means.json" \
		-o "$tmp/means.data" -- "$deterministic" >/dev/null 2>"$err" ||
		{ cat "$err"; return 1; }
	stat_is "$tmp/means.json" frames_fp 0 &&
		! stat_is "$tmp/means.json" frames_sframe 0 >/dev/null
}

# In the cgroup's own directory there is nobody: what runs is outside.
filters_cgroup() {
	local dir=$tmp/cgroup status
	mkdir -p "$dir" && mount -t cgroup2 none "$dir" && mkdir -p "$dir/lw-empty" || return
	latewind record --cgroup "$dir/lw-empty" -c 100000 --stats "$tmp/cgroup.json" \
		-o "$tmp/cgroup.data" -- "$deterministic" >/dev/null 2>"$err"
	status=$?
	rmdir "$dir/lw-empty"
	umount "$dir"
	[ $status -eq 0 ] && stat_is "$tmp/cgroup.json" samples 0
}

cgroup_is_none() {
	! latewind record --cgroup "$tmp" -o "$tmp/none.data" -- true 2>"$err" &&
		grep -q "cgroup $tmp" "$err" && grep -q cgroup2 "$err"
}

# Software takes modifiers that mean nothing to it.
takes_modifiers() {
	exits 0 latewind record -e cpu-clock:P,cpu-clock:pppu,cs:H -o "$tmp/letters.data" -- \
		"$target" spin 100 &&
	perf_script "$tmp/letters.data" "$tmp/letters.script" -F comm,event &&
	has "$tmp/letters.script" 'tool_target.*cpu-clock:P' 'tool_target.*cpu-clock:pppu'
}

# counts_cycles: with the processor's events, of user space, of the kernel, and of a raw number;
# where there are none, it says so and records nothing.
counts_cycles() {
	local event
	if ! latewind list | grep -qx cycles; then
		fails "cannot count event 'cycles:u'.*" -e cycles:u -o "$tmp/none.data" -- true &&
			has "$err" 'no hardware' && missing "$tmp/none.data"
		return
	fi
	exits 0 latewind record -e cycles:u,cycles:k,cpu-cycles:pp -c 200000 -o "$tmp/cycles.data" \
		-- "$target" spin 100 &&
	perf_script "$tmp/cycles.data" "$tmp/cycles.script" -F event,ip,sym || return
	for event in cycles:u cycles:k cpu-cycles:pp; do
		awk -v event="$event:" 'NF && !/^\t/ { on = $1 == event; next } on' \
			"$tmp/cycles.script" >"$tmp/cycles.stacks"
		has "$tmp/cycles.stacks" '[0-9a-f] main$' || return
		case $event in
		*:u) ! has_kernel "$tmp/cycles.stacks" ;;
		*) has_kernel "$tmp/cycles.stacks" ;;
		esac || { echo "of $event"; grep -m 5 -E '^[[:space:]]*f{4}' "$tmp/cycles.stacks"; return 1; }
	done
}

# has_kernel FILE: are there frames of the kernel?
has_kernel() {
	awk 'length($1) == 16 { found = 1 } END { exit !found }' "$1"
}

test_ends() {
	choose 2 status_of_signal sigint_ends_command ends_with_process live_ends_at_max \
		uprobe_follows_children command_ends_pid
	choose 2 ends_with_time ends_with_size begins_after_delay only_of_cpu only_of_user \
		takes_modifiers counts_cycles
	choose 1 filters_cgroup cgroup_is_none
	ok "the command's status" status_of_command
	ok_if_chosen "the command's signal" status_of_signal
	ok '--call-graph sframe: no guesses' makes_no_guesses
	ok_if_chosen '--cgroup leaves out what is not in it' filters_cgroup
	ok_if_chosen '--cgroup of another directory' cgroup_is_none
	ok_if_chosen 'events take letters' takes_modifiers
	ok_if_chosen 'cycles are counted, or refused' counts_cycles
	ok 'a command that is not there' no_command 127 /no/program 'No such file'
	ok 'a command that cannot be executed' no_command 126 "$tmp" 'Permission denied'
	ok_if_chosen 'SIGINT ends a command' sigint_ends_command
	ok_if_chosen 'record -p ends with the process' ends_with_process
	ok_if_chosen 'record -p ends with the command beside it' command_ends_pid
	ok_if_chosen '--duration ends, and ends the command' ends_with_time
	ok_if_chosen '--max-size likewise' ends_with_size
	ok_if_chosen '--delay begins later' begins_after_delay
	ok_if_chosen '--cpu leaves out other CPUs' only_of_cpu
	ok_if_chosen '--uid finds the processes of a user' only_of_user
	ok_if_chosen 'live --max ends' live_ends_at_max
	ok_if_chosen 'a uprobe follows what a command starts' uprobe_follows_children
}

test_failures() {
	ok '-p of a process that has ended' no_process
	ok '-o in a directory that is not there' bad_place -o
	ok '--text likewise' bad_place --text
	ok '--stats likewise' bad_place --stats
	ok 'record without rights' no_rights
	ok 'record with more counters than may be open' too_many_events
	ok 'record with stacks that are too deep for its rings' deep_stacks
	ok 'doctor without rights' doctor_without_rights
	ok 'sframe reads a section and makes one' sframe_is_read
	ok 'doctor: wrong command lines' doctor_wrong_lines
	ok 'doctor with everything in place' doctor_is_content
}

test_unloaded() {
	if [ -z "${LATEWIND_KO:-}" ]; then
		skip 'without the module' 'LATEWIND_KO is not set'
		return
	fi
	destructive 'without the module' || return
	stop_tool
	unloaded=yes
	ok 'rmmod' rmmod latewind
	ok 'record without the module' record_without_module
	ok 'doctor without the module' doctor_without_module
	ok 'insmod' insmod "$LATEWIND_KO"
	ok 'doctor with the module again' doctor_is_content
}

needs latewind latewind-sframe perf

[ $# -gt 0 ] || set -- stacks processes ends usage failures unloaded
for group; do
	"test_$group"
done
checks_done
