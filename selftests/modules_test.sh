#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# modules_test.sh: kernel modules that come and go while they are recorded have names
# afterwards. Needs the tool in PATH and lw_busy.ko of LATEWIND_ROOT; perf for some.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

release=$(uname -r)
module=${LATEWIND_ROOT:-}/build/test-module/$release/lw_busy.ko
spin=/sys/module/lw_busy/parameters/spin
# What addresses of the kernel begin with; on s390x they are no higher than programs'.
[ "$(uname -m)" = s390x ] && kernel='' || kernel=f
own_modules='' tracing=/sys/kernel/tracing

cleanup() {
	[ ! -e /sys/module/lw_busy ] || rmmod lw_busy
	[ -z "$own_modules" ] || umount "/lib/modules/$release"
	checks_free
}
trap cleanup EXIT

# Names are read while the module is there. When they have been read is seen in the text of the
# recording, see comes_and_goes().
text=$tmp/text

# in_text PID FUNCTION: a sample of the process is written, with that function in its stack.
in_text() {
	grep -F -A 40 " $1/$1 " "$text" | grep -qF " $2"
}

spin_for_ever() {
	while echo 20 >"$spin"; do :; done
}

spins_until_written() {
	spin_for_ever &
	waits in_text $! param_attr_store || return
	kill $!
	wait $! || :
}

# Loaded, and unloaded when the names of its functions have been read. The pass over the rings
# that hands a first sample to the text may have begun before the module was loaded: that pass
# does not read names yet. A sample that hits later is handed over by a later pass, which has
# read them before.
comes_and_goes() {
	insmod "$module" && spins_until_written && spins_until_written && rmmod lw_busy
}

# How many bytes who records has read.
read_by_tool() {
	sed -n 's/^rchar: //p' "/proc/$PPID/io"
}

has_read() { # BYTES
	[ "$(read_by_tool)" -ge "$1" ] && ! find "/proc/$PPID/fd" -lname /proc/kallsyms | grep -q .
}

# The same in its init function, which spins until all names were read once more. It has no
# stack before it is left, so no sample tells. What the tool reads else is little, as it
# knows all the files from the first time.
begins_and_goes() {
	local before
	comes_and_goes || return
	before=$(read_by_tool)
	insmod "$module" init_spin=60000 &
	waits test -e /sys/module/lw_busy/parameters/stop &&
		waits has_read $((before + $(wc -c </proc/kallsyms))) &&
		echo 1 >"/sys/module/lw_busy/parameters/stop" && wait $! && rmmod lw_busy
}
export -f waits wait_for in_text spin_for_ever spins_until_written comes_and_goes \
	read_by_tool has_read begins_and_goes
export module spin text patience

record() { # FILE COMMAND
	exits 0 latewind record -a -F 49 -o "$1" --text "$text" -- bash -c "$2" &&
		missing /sys/module/lw_busy
}

# frames FILE: function and module of each kernel frame, on s390x of others, too, once.
frames() {
	latewind script -i "$1" -F ip,sym,dso | sed -n "s/^\t *${kernel}[0-9a-f]* //p" | sort | uniq
}

# Its own code, and the kernel's that calls it.
is_named() { # FILE NAME...
	local file=$1 name
	shift
	frames "$file" >"$tmp/frames" || return
	for name; do
		has "$tmp/frames" "^$name(\\+0x[0-9a-f]+)? \\(\\[lw_busy\\]\\)$" || return
	done
	! has_holes "$file"
}

# has_holes FILE: an address without a name in the page of those that have one, but for what
# insmod runs: init functions that ended before they could be read, in pages that are used
# again.
has_holes() {
	latewind script -i "$1" -F comm,ip,sym,dso | awk '
	/^[^\t]/ { begins = $1 == "insmod" }
	function page(ip) { return substr(ip, 1, length(ip) - 3) }
	/ lw_busy_[^ ]* \(\[lw_busy\]\)/ { named[page($1)] = 1 }
	/ \[unknown\] \(\[lw_busy\]\)/ && !begins { unknown[$1] = 1 }
	END {
		for (ip in unknown)
			if (page(ip) in named)
				found = ip
		if (found)
			print found " has no name"
		exit !found
	}'
}

named_when_it_is_gone() {
	record "$tmp/gone.data" comes_and_goes || return
	is_named "$tmp/gone.data" lw_busy_spin set_spin &&
		has "$tmp/frames" '^param_attr_store.* \(\[kernel.kallsyms\]\)$'
}

named_when_it_was_there_before() {
	insmod "$module" || return
	record "$tmp/before.data" "echo 300 >$spin; rmmod lw_busy" || return
	is_named "$tmp/before.data" lw_busy_spin set_spin
}

named_while_it_is_loaded() {
	record "$tmp/init.data" begins_and_goes || return
	is_named "$tmp/init.data" lw_busy_begin
}

# Whatever is at its addresses by then.
named_with_another_one_in_its_place() {
	record "$tmp/twice.data" "comes_and_goes && comes_and_goes" || return
	insmod "$module" && rmmod lw_busy || return
	is_named "$tmp/twice.data" lw_busy_spin set_spin
}

report_has_it() {
	exits 0 latewind report -i "$tmp/gone.data" -g none --no-children || return
	has "$tmp/out" '\[lw_busy\] +\[k\] lw_busy_spin'
}

# records FILE: what was told of the module, and of code that was made.
records() {
	perf script -i "$1" --show-mmap-events --show-bpf-events --kallsyms=/dev/null \
		-F comm 2>/dev/null |
		grep -E 'PERF_RECORD_(MMAP2|KSYMBOL)'
}

told_as_perf_does() {
	records "$tmp/gone.data" >"$tmp/records" || return
	has "$tmp/records" "PERF_RECORD_MMAP2 -1/0: \[0x${kernel}[0-9a-f]+\(0x[0-9a-f]+\).* (/.*/)?\[?lw_busy" \
		"PERF_RECORD_KSYMBOL addr ${kernel}[0-9a-f]+ len [0-9]+ type 2 flags 0x1 name \[lw_busy\]"
}

# perf reads the module's file, where depmod knows it.
install_module() {
	mkdir -p "$tmp/modules/extra" && cp "$module" "$tmp/modules/extra" &&
		echo 'extra/lw_busy.ko:' >"$tmp/modules/modules.dep" &&
		mount --bind "$tmp/modules" "/lib/modules/$release" && own_modules=1
}

perf_names_it() {
	record "$tmp/perf.data" comes_and_goes || return
	is_named "$tmp/perf.data" lw_busy_spin || return
	# beside /proc/kallsyms it finds kcore, and takes that for the code of all modules
	cat /proc/kallsyms >"$tmp/kallsyms"
	perf script -i "$tmp/perf.data" --kallsyms "$tmp/kallsyms" -F ip,sym,dso \
		>"$tmp/script" 2>"$err" || return
	grep -q 'lw_busy_spin (.*/lw_busy.ko)' "$tmp/script" ||
		{ grep '^\s*ffffffffc0' "$tmp/script" | sort -r | uniq -c; return 1; }
	! grep -v '^$' "$err"
}

# In the middle of a function: at its begin it would be one of ftrace.
set_probe() {
	local at
	for at in 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "p:lw_slot vfs_statx+$at" >"$tracing/kprobe_events" 2>/dev/null || continue
		echo 1 >"$tracing/events/kprobes/lw_slot/enable" && return
	done
	return 1
}

remove_probe() {
	echo 0 >"$tracing/events/kprobes/lw_slot/enable"
	echo >"$tracing/kprobe_events"
}

made_code_is_told_of() {
	[ -e "$tracing/kprobe_events" ] || mount -t tracefs tracefs "$tracing" || return
	set_probe || return
	grep -q '__builtin__' /proc/kallsyms || { echo 'a probe without a slot'; return 1; }
	exits 0 latewind record -a -F 99 -o "$tmp/made.data" -- sleep 0.5
	remove_probe
	records "$tmp/made.data" >"$tmp/records"
	has "$tmp/records" "PERF_RECORD_KSYMBOL addr ${kernel}[0-9a-f]+ len [0-9]+ type 2 flags 0x0"
}

made_code_is_told_of_when_it_comes() {
	export tracing
	export -f set_probe remove_probe
	record "$tmp/comes.data" 'set_probe && remove_probe' || return
	records "$tmp/comes.data" | grep KSYMBOL >"$tmp/records"
	has "$tmp/records" 'type 2 flags 0x0'
}

needs latewind
[ -e "$module" ] || skip_all "no $module"
all_destructive

ok 'a module that is gone' named_when_it_is_gone
choose 1 named_when_it_was_there_before named_while_it_is_loaded \
	named_with_another_one_in_its_place made_code_is_told_of \
	made_code_is_told_of_when_it_comes perf_names_it
ok_if_chosen 'one that was there before' named_when_it_was_there_before
ok_if_chosen 'its init function' named_while_it_is_loaded
ok_if_chosen 'one that came twice' named_with_another_one_in_its_place
ok 'report' report_has_it
if command -v perf >/dev/null; then
	ok 'records are as perf has them' told_as_perf_does
	ok_if_chosen 'code that was made before' made_code_is_told_of
	ok_if_chosen 'code that is made meanwhile' made_code_is_told_of_when_it_comes
	! chosen perf_names_it || ok 'its file where modules are' install_module
	ok_if_chosen 'perf names it' perf_names_it
else
	lacks 'perf names it' perf
fi
checks_done
