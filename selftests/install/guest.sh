#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What install.sh has the machine do when it has booted: lw.step= of the kernel's command line
# names the step. Each check has a line; the last one is "all is well", or not.
step=$(sed -n 's/.*lw\.step=\([a-z]*\).*/\1/p' /proc/cmdline)
for port in /sys/class/virtio-ports/*; do
	[ "$(cat "$port/name")" != lw.out ] || exec >"/dev/${port##*/}" 2>&1
done
bad=0

# check WHAT COMMAND...
check() {
	what=$1
	shift
	if "$@" >/tmp/said 2>&1; then
		echo "lw-guest: ok: $what"
	else
		echo "lw-guest: not ok: $what"
		sed 's/^/	/' /tmp/said
		bad=1
	fi
}

as() { # USER COMMAND
	runuser -l "$1" -c "$2"
}

is_loaded() {
	[ -d /sys/module/latewind ] && [ "$(stat -c '%a %G' /dev/latewind)" = '660 latewind' ]
}

# The stacks of another user's program go down to where it was called from.
records() {
	sha256sum /dev/zero &
	busy=$!
	# No rings fit into that.
	as member 'cd && ulimit -l 64 && latewind record -a -o all.data -- sleep 1'
	status=$?
	kill $busy
	[ $status -eq 0 ] &&
		as member 'cd && latewind script -i all.data --comms sha256sum && rm all.data' >/tmp/script &&
		grep -q '^sha256sum' /tmp/script && grep -q '__libc_start_main' /tmp/script ||
		{ head -n 40 /tmp/script; return 1; }
}

is_content() { as member 'latewind doctor'; }

latewind_is_used() { [ "$(cat /sys/module/latewind/refcnt)" -gt 0 ]; }

root_records() { latewind record -a -o /tmp/root.data -- sleep 0.2 && rm /tmp/root.data; }

other_may_not() { ! as other 'latewind record -a -o none.data -- true' && [ ! -e /home/other/none.data ]; }

completes() { [ -s /usr/share/bash-completion/completions/latewind ] && ls /usr/share/man/man?/latewind*; }

# A recording is under way, and has all that it needs.
purges() {
	latewind record -a -o /tmp/purged.data &
	recording=$!
	until latewind_is_used; do
		kill -0 $recording || return
		sleep 0.1
	done
	DEBIAN_FRONTEND=noninteractive apt-get -y purge latewind latewind-dkms 'liblatewind*' || return
	kill -INT $recording
	wait $recording && [ -s /tmp/purged.data ] || return
	[ ! -e /usr/bin/latewind ] && [ ! -e /etc/udev/rules.d/60-latewind.rules ] &&
		! getent group latewind && rmmod latewind && [ ! -e /dev/latewind ] &&
		! modinfo latewind
}

log_is_clean() {
	dmesg >/tmp/dmesg
	lw-klog-scan /tmp/dmesg
}

echo "lw-guest: $step on $(uname -r)"
check 'the module is loaded at boot, and the device is the group'\''s' is_loaded
case $step in
use)
	check 'doctor is content with a member' is_content
	check 'a member records all processes' records
	check 'root records' root_records
	check 'who is no member may not' other_may_not
	check 'manual pages and completion are there' completes ;;
purge)
	check 'apt purges the packages, and the module can be unloaded' purges ;;
*)
	echo "lw-guest: not ok: there is no step '$step'"
	bad=1 ;;
esac
check 'the kernel log is clean' log_is_clean
[ $bad -ne 0 ] || echo 'lw-guest: all is well'
