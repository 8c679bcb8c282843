#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh KERNEL SCRIPT|--shell: boot the lane's kernel, run SCRIPT in it as
# root (or a shell on the console) and exit with its status. What it prints
# goes to stdout, files that it leaves in $OUT land in $VM_DIR/out.
#
# Exit: SCRIPT's status; 124 on timeout; 125 when SCRIPT was fine but the run
# was not (kernel log, leak, unload, death without a result). A run that says nothing of
# what ran in it, as the emulator was wrong, is begun again, up to three in all.
#
# Variables: VM_DIR (build/vm), VM_TIMEOUT (600 s times the lane's scale), NOLOAD=1
# (leave the module out), ACCEL=kvm, VM_CPUS (2), VM_MEMORY (2G), VM_APPEND (kernel
# command line),
# VM_MODULES=1 (let the guest see the kernel's own modules, see guest-init.sh),
# VM_PROGRAMS=1 (an image of the root with the programs of programs_test.sh as a further disk),
# VM_ICOUNT=1 (time goes by instructions of all CPUs, 1 ns each; VM_CPUS is 1), VM_PLUGIN (one of
# QEMU's TCG plugins, with its options). LW_LONG and LW_SEED, which tests look at, are handed on.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: run.sh KERNEL SCRIPT|--shell}
script=${2:?usage: run.sh KERNEL SCRIPT|--shell}
dir=${VM_DIR:-$LW_REPO/build/vm}
seconds=${VM_TIMEOUT:-$((600 * $(lane_time_scale "$lane")))}
accel=${ACCEL:-tcg}

need_root "running a VM"
arch=$(lane_arch "$lane")
image=$("$LW_VM_DIR/image.sh" "$(lane_userland "$lane")")
kernel_root=$(lane_kernel_root "$lane")
release=$(root_kernel "$kernel_root")
initramfs=$("$LW_VM_DIR/initramfs.sh" "$lane")
built=$(lane_built "$lane")
programs=
if [ "${VM_PROGRAMS:-0}" = 1 ]; then
	programs=$("$LW_VM_DIR/image.sh" $LW_USERLAND-programs) ||
		note "the root $LW_USERLAND-programs could not be made: its tests will be skipped"
fi

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# One run per directory: a second one would overwrite its files.
exec {lock}>"$dir/.lock"
flock -n "$lock" || { note "waiting for the run that uses $dir"; flock "$lock"; }
rm -rf "$dir/out" "$dir"/{userland.img,job,script,result,console.log,kernel.log,kernel.bad,kmemleak}
rm -f "$dir"/console-boot*.log "$dir/qemu.log"
mkdir "$dir/out"
tmp=$(mktemp -d)

qemu_pid='' nmi_pid='' timed_out=0 crashed='' void=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	if [ -n "$qemu_pid" ] && kill -0 "$qemu_pid" 2>/dev/null; then
		kill "$qemu_pid"
		wait "$qemu_pid" || :
	fi
	[ -z "$nmi_pid" ] || kill "$nmi_pid" 2>/dev/null || :
	rm -rf "$tmp" "$dir/userland.img"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mode=run
if [ "$script" = --shell ]; then
	mode=shell
else
	[ -f "$script" ] || die "no such script: $script"
	install -m 755 "$script" "$dir/script"
fi
# Who is the machine's console, and what virtio devices are on; what only PCs have comes later.
bus=pci
case $arch in
amd64) machine=q35 console=ttyS0 ;;
arm64) machine=virt,gic-version=3 console=ttyAMA0 ;;
s390x) machine=s390-ccw-virtio console=ttysclp0 bus=ccw ;;
esac
read -r rows cols < <(stty size 2>/dev/null || echo 24 80)
cat >"$dir/job" <<-EOF
	JOB_LANE=$lane
	JOB_MODE=$mode
	JOB_SCRIPT=/lw/script
	JOB_LOAD=$([ "${NOLOAD:-0}" = 1 ] && echo 0 || echo 1)
	JOB_MODULES=${VM_MODULES:-0}
	JOB_KO=$LW_GUEST_REPO/build/module/$release/latewind.ko
	JOB_BUILD=$LW_GUEST_REPO/$built
	JOB_TOOLS=$LW_GUEST_REPO/$built/tools
	JOB_CONSOLE=$console
	JOB_TIME_SCALE=$(lane_time_scale "$lane")
	JOB_LONG=${LW_LONG:-0}
	JOB_SEED=${LW_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
	JOB_TERM=${TERM:-dumb}
	JOB_ROWS=$rows
	JOB_COLS=$cols
EOF

disk() { # NAME FILE [OPTIONS]
	qemu+=(-drive "if=none,id=$1,format=raw,file=$2${3:-}"
		-device "virtio-blk-$bus,drive=$1,serial=lw.$1")
}

share() { # TAG PATH [OPTIONS]
	qemu+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}"
		-device "virtio-9p-$bus,fsdev=$1,mount_tag=$1")
}

case $accel in
tcg) cpu=max accel=tcg,thread=multi ;;
kvm)
	[ "$arch" = "$(dpkg --print-architecture)" ] || die "ACCEL=kvm: $arch is not this machine's"
	cpu=host
	;;
*) die "ACCEL is tcg or kvm, not '$accel'" ;;
esac
cpus=${VM_CPUS:-2} icount=()
if [ "${VM_ICOUNT:-0}" = 1 ]; then
	[ "${ACCEL:-tcg}" = tcg ] || die "VM_ICOUNT needs TCG"
	accel=tcg cpus=${VM_CPUS:-1} icount=(-icount shift=0)
fi
plugin=()
[ -z "${VM_PLUGIN:-}" ] || plugin=(-plugin "$VM_PLUGIN")
# The architecture's own algorithm to sign addresses takes most of the time of a program. Tags of
# memory have to be asked for.
[ "$arch" != arm64 ] || [ "$accel" = kvm ] || { cpu=max,pauth-impdef=on machine+=,mte=on; }
# A kernel that boots measures its clocks against each other, and on a busy host gets some of
# them wrong: it panics, takes the TSC for a third as fast, or does without. A guest of TCG has
# this machine's TSC.
of_arch=
if [ "$arch" = amd64 ]; then
	# External NMIs go to every CPU, see nmi.py.
	of_arch="apic_extnmi=all no_timer_check"
	if [ ${#icount[@]} -eq 0 ] && [ "$accel" != kvm ] && [ "$(uname -m)" = x86_64 ]; then
		cc -O2 -o "$tmp/tsc_khz" "$LW_VM_DIR/tsc_khz.c"
		of_arch+=" tsc=reliable tsc_early_khz=$("$tmp/tsc_khz")"
	fi
fi
# Where the kernel can take interrupts as NMIs, the PMU's are.
[ "$arch" != arm64 ] || of_arch="irqchip.gicv3_pseudo_nmi=1"
# perf and libunwind don't know what signs a return address: on a machine that signs none they are
# judges.
[[ $lane != *-nopauth-* ]] || of_arch+=" arm64.nopauth"
append="$of_arch LW_BUILT=${built#build/} console=$console rdinit=/init ignore_loglevel oops=panic panic=-1 ${VM_APPEND:-}"
# shellcheck disable=SC2054 # commas are QEMU's
qemu=("$LW_VM_DIR/qemu.sh" "$arch" -nodefaults -no-user-config -no-reboot -display none -vga none
	-machine "$machine" -accel "$accel" -cpu "$cpu" -smp "$cpus" -m "${VM_MEMORY:-2G}"
	-kernel "$kernel_root/boot/vmlinuz-$release" -initrd "$initramfs" -append "$append"
	-qmp "unix:$tmp/qmp,server=on,wait=off"
	-qmp "unix:$tmp/nmi-qmp,server=on,wait=off"
	-device "virtio-serial-$bus"
	-chardev "file,id=result,path=$dir/result"
	-device virtserialport,chardev=result,name=lw.result
	-chardev "socket,id=nmiport,path=$tmp/nmi-port,server=on,wait=off"
	-device virtserialport,chardev=nmiport,name=lw.nmi
	"${icount[@]}" "${plugin[@]}")
# Where NMIs are acknowledged, see nmi.py.
[ "$arch" != amd64 ] || qemu+=(-device isa-debugcon,iobase=0xe9,chardev=nmiack
	-chardev "socket,id=nmiack,path=$tmp/nmi-ack,server=on,wait=off")
# For tests that swap, or want files on a disk; they take no room before. The guest tells disks
# by their serial numbers.
truncate -s 64M "$tmp/swap" "$tmp/files"
# Of smaller inodes the times have seconds only.
mke2fs -q -F -t ext4 -I 256 "$tmp/files"
disk swap "$tmp/swap"
disk files "$tmp/files"
disk root "$image" ,readonly=on
# What runs most: over 9p each open takes several messages to this side and back. A shell
# sees what is built meanwhile.
if [ $mode = run ] && [ -d "$LW_REPO/$built" ]; then
	mkdir -p "$LW_REPO/build/lock"
	exec {building}>"$LW_REPO/build/lock/${built#build/}"
	flock -s "$building"
	disk_image "$dir/userland.img" "$LW_REPO/$built" ||
		{ note "no image of $built could be made"; exit 125; }
	exec {building}>&-
	disk build "$dir/userland.img" ,readonly=on
fi
[ -z "$programs" ] || disk programs "$programs" ,readonly=on
share lwmodules "$kernel_root/lib/modules" ,readonly=on
share lwrepo "$LW_REPO" ,readonly=on
share lwrun "$dir"
ln -sfn "$tmp/qmp" "$dir/qmp"

# boots: wait until the guest's own part begins, or QEMU ends. On a busy host an
# idle virtual CPU was seen to miss interrupts for good, before any test.
boots() {
	local end=$((SECONDS + 120 + 120 * $(lane_time_scale "$lane")))
	until grep -qs 'latewind-vm: run starts' "$dir/console.log"; do
		kill -0 "$qemu_pid" 2>/dev/null || return 0
		[ $SECONDS -lt $end ] || return 1
		sleep 0.5
	done
}

# nothing_failed: of what ran before the kernel died.
nothing_failed() {
	! grep -rqsE '^ *not ok|^# exit status [^04]' "$dir/out" &&
		"$LW_VM_DIR/klog-scan.sh" <(sed '/ \[#1\]/,$d' "$dir/console.log") >/dev/null
}

# run_qemu: run it to its end; false if that says nothing of us, and void tells why. QEMU's own
# crash is that, too, unless something has failed before it: no guest may crash an emulator.
run_qemu() {
	local qemu_status=0
	timed_out=0 crashed='' void=''
	# A stdio chardev would close when stdin ends, and the guest's writes
	# would block; a pipe has no such side.
	rm -f "$tmp"/{out,nmi-qmp,nmi-ack,nmi-port,qmp}
	mkfifo "$tmp/out"
	cat "$tmp/out" &
	cat_pid=$!
	if [ "$arch" = amd64 ]; then
		"$LW_VM_DIR/nmi.py" "$tmp" "$cpus" &
		nmi_pid=$!
	fi
	timeout -k 10 "$seconds" "${qemu[@]}" -serial "file:$dir/console.log" \
		-chardev "file,id=out,path=$tmp/out" \
		-device virtserialport,chardev=out,name=lw.out </dev/null 2>"$dir/qemu.log" &
	qemu_pid=$!
	boots || { void="the kernel hung in its boot"; kill "$qemu_pid"; }
	wait "$qemu_pid" || qemu_status=$?
	qemu_pid=
	case $qemu_status in
	124 | 137) timed_out=1 ;;
	132 | 134 | 135 | 136 | 139)
		crashed="QEMU itself crashed (status $qemu_status: $(tail -n 1 "$dir/qemu.log"))"
		! nothing_failed || void=$crashed
		;;
	esac
	cat "$dir/qemu.log" >&2
	# If QEMU never opened the pipe, its reader still waits for a writer.
	: 1<>"$tmp/out"
	wait "$cat_pid"
	if "$LW_VM_DIR/stale-code.sh" "$dir/console.log" >&2 && nothing_failed; then
		void="QEMU ran code that is not in memory any more (stale-code.sh)"
	fi
	[ -z "$void" ]
}

# died: the lines of the console that tell how, since the last test began.
died() {
	awk '/latewind-check: .* starts/ { n = 0 }
		/latewind-check:|BUG:|WARNING:|CFI failure|Oops|RIP: 0010|Comm:|[Pp]anic|fault|stall|\[latewind\]/ { line[n++] = $0 }
		END { for (i = 0; i < n && i < 18; i++) print line[i] }' "$dir/console.log"
}

if [ $mode = shell ]; then
	"${qemu[@]}" -chardev "stdio,id=con,mux=on,signal=off,logfile=$dir/console.log" \
		-serial chardev:con -mon chardev=con
else
	boots=1
	until run_qemu; do
		[ $boots -lt 3 ] || break
		note "$void, which says nothing of us: boot $((boots + 1))"
		mv "$dir/console.log" "$dir/console-boot$boots.log" || :
		rm -rf "$dir"/{out,result,kernel.log,kernel.bad,kmemleak}
		mkdir "$dir/out"
		boots=$((boots + 1))
	done
fi

verdict=none status=1
if [ -s "$dir/result" ]; then
	read -r verdict status <"$dir/result"
fi
bad=$("$LW_VM_DIR/klog-scan.sh" "$dir/console.log") || {
	note "the kernel complained:"
	printf '%s\n' "$bad" | head -n 40 >&2
	[ "$verdict" = none ] || verdict="kernel-log"
}
[ ! -s "$dir/kmemleak" ] || { note "leaks:"; head -n 40 "$dir/kmemleak" >&2; }
if [ $timed_out = 1 ]; then
	note "timeout after $seconds s; end of $dir/console.log:"
	tail -n 15 "$dir/console.log" >&2
	exit 124
fi
if [ "$verdict" = none ]; then
	note "the guest died without a result; end of $dir/console.log:"
	tail -n 25 "$dir/console.log" >&2
	note "what it tells of that:"
	died >&2
	[ -z "$crashed" ] || note "$crashed"
	exit 125
fi
if [ "$verdict" != ok ]; then
	note "run failed: $verdict (logs in $dir)"
	[ "$status" != 0 ] || status=125
fi
exit "$status"
