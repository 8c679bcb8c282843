#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# order_test.sh: recordings of this machine, ours and perf's of each kind, that are turned into
# the other byte order (lib/turn_recording.py), are read as they were before. Needs the tool in
# PATH, perf and python3.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

cp tool_target "$tmp/" || exit
target=$tmp/tool_target

trap checks_free EXIT

fields=comm,tid,pid,time,cpu,event,period,ip,sym,symoff,dso,addr,cgroup,trace

# NAME | COMMAND: a row is a kind; the recording goes where OUT stands.
kinds() {
	cat <<-EOF
		ours | latewind record -q -F 997 -o OUT -- $target spin 200
		ours_apart | latewind record -q --deferred -F 997 -o OUT -- $target spin 200
		ours_fields | latewind record -q -e sched:sched_switch -e raw_syscalls:sys_enter -o OUT -- $target calls 20
		ours_piped | latewind record -q -F 997 -o - -- $target spin 200 >OUT
		fp | perf record -q -e cpu-clock -F 997 -g -o OUT $target spin 200
		bare | perf record -q -e cpu-clock -F 997 -o OUT $target spin 200
		dwarf | perf record -q -e cpu-clock -F 997 --call-graph dwarf $user_registers -o OUT $target spin 200
		data | perf record -q -e cpu-clock -F 997 -d --phys-data --sample-cpu --all-cgroups -g -o OUT $target spin 200
		group | perf record -q -e {cpu-clock,page-faults}:S -c 1000000 -g -o OUT $target calls 20000
		fields | perf record -q -e raw_syscalls:sys_enter,sched:sched_process_exec -o OUT $target calls 20
		piped | perf record -q -e cpu-clock -F 997 -g -o - $target spin 200 >OUT
	EOF
}

record_kind() { # KIND
	local words file=$tmp/$1.data
	read -ra words <<<"$(kinds | sed -n "s/^$1 | //p")"
	words=("${words[@]/#OUT/$file}")
	if [ "${words[-1]}" = ">OUT" ]; then
		unset 'words[-1]'
		"${words[@]}" >"$file" 2>"$err"
	else
		"${words[@]}" >"$tmp/said" 2>"$err"
	fi || { cat "$err"; return 1; }
	[ -s "$file" ] || { echo "${words[*]} recorded nothing"; return 1; }
}

# reads FILE WORD VERB...: what a verb prints of a file, and its warnings.
reads() {
	local file=$1 to=$tmp/$2
	shift 2
	cp "$file" "$tmp/perf.data"
	(cd "$tmp" && latewind "$@") >"$to" 2>&1 || { cat "$to"; return 1; }
}

same_reading() { # FILE TURNED VERB...
	local file=$1 turned=$2
	shift 2
	reads "$file" before "$@" && reads "$turned" after "$@" || return
	[ "$(wc -l <"$tmp/before")" -ge 3 ] || { cat "$tmp/before"; return 1; }
	same "$tmp/before" "$tmp/after"
}

turned_is_read_alike() { # KIND
	local file=$tmp/$1.data turned=$tmp/$1.turned
	record_kind "$1" || return
	python3 lib/turn_recording.py "$file" "$turned" || return
	! cmp -s "$file" "$turned" || { echo 'nothing was turned'; return 1; }
	same_reading "$file" "$turned" script -F "$fields" &&
	same_reading "$file" "$turned" report --header -n &&
	same_reading "$file" "$turned" report --json
}

needs latewind perf python3

mapfile -t names < <(kinds | sed 's/ |.*//')
choose 3 "${names[@]}"
for name in "${names[@]}"; do
	ok_if_chosen "a recording of the kind $name" turned_is_read_alike "$name"
done
checks_done
