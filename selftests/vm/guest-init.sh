#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Process 1 of the guest: set the machine up, load the module, run the job of
# /lw/job, unload, scan for leaks and warnings, report over the result port,
# power off. Everything after the result has been written is lost on purpose.
set -u

# shellcheck disable=SC1091 # written by run.sh
. /lw/job

export PATH=$JOB_TOOLS:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin
export HOME=/root LC_ALL=C.UTF-8 TERM=${JOB_TERM:-dumb}
export LATEWIND_ROOT=/latewind OUT=/lw/out LATEWIND_KO=$JOB_KO LW_BUILD=$JOB_BUILD
export LW_LANE=$JOB_LANE LW_TIME_SCALE=$JOB_TIME_SCALE LW_SEED=$JOB_SEED
# Nobody but us is hurt here.
export LW_DESTRUCTIVE=1
[ "$JOB_LONG" = 0 ] || export LW_LONG=$JOB_LONG
export KSELFTEST=/usr/src/latewind/linux/tools/testing/selftests

say() { echo "latewind-vm: $*" >/dev/kmsg; }

# finish VERDICT STATUS: the only way out. The verdict is one word; the host
# takes anything but "ok 0" for a failure.
finish() {
	sync
	echo "$1 $2" >/dev/virtio-ports/lw.result || say "no result port"
	sync
	echo o >/proc/sysrq-trigger
	# No program can be started any more: the root goes with its device. Without a local APIC
	# (lane refuse) the machine was seen to hang there; QEMU ends at a reboot, too.
	SECONDS=0
	while [ $SECONDS -lt 30 ]; do :; done
	echo b >/proc/sysrq-trigger
	while :; do :; done
}

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mkdir -p /dev/pts /dev/shm /dev/virtio-ports
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
ln -sf /proc/self/fd /dev/fd
ln -sf /proc/self/fd/1 /dev/stdout
ln -sf /proc/self/fd/2 /dev/stderr
ip=$(command -v busybox) && "$ip" ip link set lo up
hostname "latewind-${JOB_LANE//./-}"
for port in /sys/class/virtio-ports/*; do
	ln -s "/dev/${port##*/}" "/dev/virtio-ports/$(cat "$port/name")"
done

# What disks of run.sh are for, wherever they are in their order.
for disk in /sys/block/vd*; do
	device=/dev/${disk##*/}
	case $(cat "$disk/serial") in
	lw.swap) export LW_SWAP=$device ;;
	lw.files)
		mkdir /disk
		mount "$device" /disk || finish no-disk 1
		export LW_DISK=/disk
		;;
	lw.programs)
		mkdir /programs
		mount -t ext4 -o ro,noload "$device" /programs || finish no-programs 1
		export LW_PROGRAMS=/programs
		;;
	esac
done

# perf record looks at each file there, some 5,000 round trips over 9p.
[ "$JOB_MODULES" = 1 ] || mount -t tmpfs -o ro tmpfs "/lib/modules/$(uname -r)/kernel"

# It scans a minute after the boot, and takes a CPU a third of one; we have two scans at the end.
[ ! -w /sys/kernel/debug/kmemleak ] || echo scan=off >/sys/kernel/debug/kmemleak

# Scripts of packages make it, and none has run in a root that was only unpacked.
[ -e /etc/ld.so.cache ] || ldconfig

# Where interrupts of the PMU take long, as those of an emulated machine, the kernel would let
# fewer and fewer events come, of timers too.
[ "$(uname -m)" != aarch64 ] || echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

say "run starts"
# A warning of ours takes down a machine that is set up for crash dumps (panic_on_warn), so it
# does so here, from where klog-scan.sh judges on. KCSAN's reports count as warnings, and races
# of the core kernel with itself are not ours: that lane goes on, and the log is judged.
if [ "$JOB_MODE" != shell ] && [ "$JOB_LANE" != kcsan ]; then
	echo 1 >/proc/sys/kernel/panic_on_warn || finish no-panic-on-warn 1
fi
if [ "$JOB_LOAD" = 1 ]; then
	insmod "$LATEWIND_KO" || finish insmod-failed 1
fi

if [ "$JOB_MODE" = shell ]; then
	echo
	echo "Latewind VM, kernel $(uname -r). Repository: /latewind (read-only)."
	echo "Files under $OUT stay. 'exit' ends the VM; ctrl-a x kills it."
	stty rows "${JOB_ROWS:-24}" cols "${JOB_COLS:-80}" <"/dev/$JOB_CONSOLE"
	cd /latewind || exit
	setsid --ctty --wait bash -i <"/dev/$JOB_CONSOLE" >"/dev/$JOB_CONSOLE" 2>&1
	status=0
else
	cd /latewind || exit
	setsid --wait "$JOB_SCRIPT" </dev/null >/dev/virtio-ports/lw.out 2>&1
	status=$?
fi

verdict=ok
text=$(cat /sys/module/latewind/sections/.text 2>/dev/null)
if [ -d /sys/module/latewind ] && ! rmmod latewind; then
	verdict=rmmod-failed
fi
if [ -w /sys/kernel/debug/kmemleak ]; then
	# It does not tell of objects younger than 5 seconds, nor of those whose bytes are others
	# than when it scanned before.
	for pause in 6 1; do
		sleep $pause
		echo scan >/sys/kernel/debug/kmemleak
	done
	# The file there has no size.
	cat /sys/kernel/debug/kmemleak >/lw/kmemleak
	if [ -s /lw/kmemleak ]; then
		echo "(.text of latewind was at ${text:-an unknown place})" >>/lw/kmemleak
		verdict=kmemleak
	fi
fi
dmesg >/lw/kernel.log
/latewind/selftests/vm/klog-scan.sh /lw/kernel.log >/lw/kernel.bad || verdict=kernel-log
finish "$verdict" "$status"
