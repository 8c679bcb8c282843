#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh SUITE: the packages as people have them: built in SUITE without a network, installed
# by apt on a machine that has just been set up, which boots in a VM; its kernel upgraded, where the
# archive has a newer one; purged. The machine's own kernel, initramfs and init are what boots.
#
# Leaves packages, lintian's output, consoles and what the machine said in build/install/SUITE/.
# shellcheck disable=SC2317 # ok() calls them
set -uo pipefail
suite=${1:?usage: install.sh SUITE}
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
cd "$LW_REPO" || exit
# shellcheck source=selftests/lib/checks.sh
. selftests/lib/checks.sh
trap checks_free EXIT
need_root "installing into a root"

dir=build/install/$suite
root=$dir/root
version=$(cat VERSION)

# sources [PATHSPEC]...: as a tarball, what is not committed, too.
sources() {
	git ls-files -z -co --exclude-standard -- "$@" |
		tar -cz --null -T - --transform "s,^,latewind-$version/,"
}

builds() {
	local builder from=$dir/latewind-$version
	builder=$("$LW_VM_DIR/mkroot.sh" "$suite-packages") || return
	sources >"$from.tar.gz" && sources . ':!debian' >"$dir/latewind_$version.orig.tar.gz" &&
		tar -x -f "$from.tar.gz" -C "$dir" || return
	"$LW_VM_DIR/enter.sh" "$builder" unshare --net sh -euc '
		cd "$1"
		[ "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " ")" = lo ]
		dpkg-buildpackage -us -uc' sh "$from" >"$dir/build.log" 2>&1 || {
		tail -n 20 "$dir/build.log"
		return 1
	}
	ls "$dir"/latewind_*.deb "$dir"/latewind-dkms_*.deb "$dir"/liblatewind{1,-dev}_*.deb
}

# A first upload closes a bug of Debian's, which there is none of.
lintian_is_content() {
	local builder
	builder=$("$LW_VM_DIR/mkroot.sh" "$suite-packages") || return
	"$LW_VM_DIR/enter.sh" "$builder" sh -c 'lintian --allow-root --fail-on error,warning --info \
		--suppress-tags initial-upload-closes-no-bugs "$1"/*.changes' sh "$dir" \
		>"$dir/lintian.txt" 2>&1 || { cat "$dir/lintian.txt"; return 1; }
}

# As on Fedora, where /usr/sbin is /usr/bin; dependencies have their names there, too, which Debian
# does not know.
rpms_are_made() {
	local builder
	builder=$("$LW_VM_DIR/mkroot.sh" "$suite-packages") || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$LW_VM_DIR/enter.sh" "$builder" sh -euc '
		mkdir -p /tmp/rpm/SOURCES
		cp "$1.tar.gz" /tmp/rpm/SOURCES/
		rpmbuild -bb --nodeps -D "_topdir /tmp/rpm" -D "_tmppath /tmp" -D "_sbindir /usr/bin" \
			packaging/latewind.spec
		for package in latewind latewind-dkms latewind-libs latewind-devel; do
			rpm -qp --qf "%{name} %{version}\n" /tmp/rpm/RPMS/*/$package-[0-9]*.rpm
		done' sh "$dir/latewind-$version" >"$dir/rpm-build.log" 2>&1 ||
		{ tail -n 20 "$dir/rpm-build.log"; return 1; }
}

pacman_packages_are_made() {
	local builder
	builder=$("$LW_VM_DIR/mkroot.sh" "$suite-packages") || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$LW_VM_DIR/enter.sh" "$builder" sh -euc '
		mkdir /tmp/arch
		cp "$1.tar.gz" packaging/PKGBUILD packaging/latewind.install /tmp/arch/
		chown -R nobody: /tmp/arch
		cd /tmp/arch
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/tmp/arch makepkg --nodeps
		tar -tf latewind-"$2"-1-x86_64.pkg.tar.* usr/bin/latewind usr/bin/latewind-group .INSTALL
		tar -tf latewind-dkms-"$2"-1-any.pkg.tar.* usr/src/latewind-"$2"/dkms.conf
	' sh "$dir/latewind-$version" "$version" >"$dir/pacman-build.log" 2>&1 ||
		{ tail -n 20 "$dir/pacman-build.log"; return 1; }
}

# A program that includes the header and finds the library by pkg-config.
library_is_found() {
	local builder
	builder=$("$LW_VM_DIR/mkroot.sh" "$suite-packages") || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$LW_VM_DIR/enter.sh" "$builder" sh -euc '
		to=$(mktemp -d)
		for package in "$1"/liblatewind*.deb; do dpkg-deb -x "$package" "$to"; done
		libs=$(dirname "$to"/usr/lib/*/liblatewind.so)
		export PKG_CONFIG_SYSROOT_DIR="$to" PKG_CONFIG_PATH="$libs/pkgconfig"
		cc -o "$to/stacks" samples/stacks/stacks_of_pid.c $(pkg-config --cflags --libs latewind)
		LD_LIBRARY_PATH=$libs ldd "$to/stacks" | grep -F "$libs/liblatewind.so.1"' sh "$dir"
}

# inside COMMAND...: as root on the machine, which is not running, with the network of this one.
inside() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private bash -euc '
		root=$1
		shift
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		mount -t tmpfs tmpfs "$root/run"
		mount --rbind /dev "$root/dev"
		[ -e "$root/etc/resolv.conf" ] || : >"$root/etc/resolv.conf"
		mount --bind "$(realpath /etc/resolv.conf)" "$(realpath "$root/etc/resolv.conf")"
		exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
	' inside "$root" "$@"
}

# kernels: the releases that the machine has, oldest first.
kernels() { find "$root/boot" -name 'vmlinuz-*' -printf '%f\n' | sed 's/vmlinuz-//' | sort -V; }

# files: what there is on the machine, but for what a kernel brings, and what is rewritten.
files() {
	find "$1"/{etc,usr,boot,opt,var} -xdev \
		\( -path '*/var/log' -o -path '*/var/cache' -o -path '*/var/tmp' -o -path '*/var/lib/apt' -o \
		-path '*/lib/modules' -o -path '*/usr/src' -o -name __pycache__ -o -name '*-old' -o \
		-name '*-' -o -path '*/var/lib/systemd' -o -path "$1/boot/*" -o \
		-name 'linux-*' -o -path '*/share/kernel' \) -prune \
		-o -printf '%P\n' | sort
}

is_set_up() {
	local machine
	machine=$("$LW_VM_DIR/mkroot.sh" "$suite-machine") || return
	rm -rf --one-file-system "$root"
	cp -a "$machine" "$root" &&
		install -m 755 selftests/install/guest.sh "$root/usr/local/sbin/lw-guest" &&
		install -m 755 "$LW_VM_DIR/klog-scan.sh" "$root/usr/local/sbin/lw-klog-scan" &&
		install -m 644 selftests/install/lw-guest.service "$root/etc/systemd/system/" &&
		inside useradd -m member && inside useradd -m other &&
		inside systemctl -q enable lw-guest.service || return
	[ "$(kernels | wc -l)" -eq 1 ] || { kernels; return 1; }
}

# is_built RELEASE: DKMS has built the module for that kernel.
is_built() {
	inside dkms status latewind >"$tmp/out"
	grep -F "$version, $1, x86_64: installed" "$tmp/out" &&
		inside modinfo -k "$1" -F version latewind >"$tmp/out" && has "$tmp/out" "^$version\$"
}

is_installed() {
	rm -rf "$root/root/packages"
	mkdir "$root/root/packages"
	cp "$dir"/latewind_*.deb "$dir"/latewind-dkms_*.deb "$dir"/liblatewind{1,-dev}_*.deb \
		"$root/root/packages/"
	# What ours and the newer kernel depend on is there before: it stays when ours are purged.
	# shellcheck disable=SC2016,SC2046 # expanded by the inner shell; words
	inside sh -euc '
		apt-get -q update
		apt-get -q -s install /root/packages/*.deb "$@" |
			sed -nE "/latewind|^Inst linux-(image|headers|modules|kbuild|compiler)/d
				s/^Inst ([^ ]*) .*/\1/p" >/root/needed
		xargs apt-get -q -y install </root/needed
		rm /root/needed' sh $(machine_newer_kernel "$suite") >"$dir/apt-install.log" 2>&1 &&
		files "$root" >"$dir/before" &&
		inside sh -c 'apt-get -q -y install /root/packages/*.deb' >>"$dir/apt-install.log" 2>&1 ||
		{ tail -n 30 "$dir/apt-install.log"; return 1; }
	rm -r "$root/root/packages"
	is_built "$(kernels)" || { tail -n 30 "$root"/var/lib/dkms/latewind/*/build/make.log; return 1; }
}

# Nobody has asked for a group yet.
is_roots_alone() {
	[ ! -e "$root/etc/udev/rules.d/60-latewind.rules" ] && ! inside getent group latewind &&
		inside stat -c '%a %U' /usr/bin/latewind >"$tmp/out" && has "$tmp/out" '^755 root$'
}

# What has capabilities is for the group alone.
tool_is_the_groups() {
	inside getcap /usr/bin/latewind >"$tmp/out" && has "$tmp/out" 'cap_perfmon.*=ep$' &&
		inside stat -c '%a %U %G' /usr/bin/latewind >"$tmp/out" &&
		has "$tmp/out" '^750 root latewind$'
}

group_is_let_in() {
	inside latewind-group on member && inside id -nG member >"$tmp/out" &&
		has "$tmp/out" '\<latewind\>' && inside latewind-group status >"$tmp/out" &&
		has "$tmp/out" '^on; members: member$' && tool_is_the_groups
}

# "off" leaves a group that was there before, without those whom "on" has added, and everything else
# as it was.
group_is_let_out() {
	inside groupadd latewind && inside usermod -a -G latewind other &&
		inside latewind-group on member other && inside latewind-group off &&
		inside getent group latewind >"$tmp/out" && has "$tmp/out" ':other$' &&
		inside groupdel latewind &&
		inside latewind-group on && inside latewind-group off && is_roots_alone &&
		[ -z "$(inside getcap /usr/bin/latewind)" ] &&
		[ ! -e "$root/etc/sysctl.d/10-latewind.conf" ] && [ ! -e "$root/var/lib/latewind" ]
}

# What is installed again has no capabilities of its own.
group_survives_an_upgrade() {
	mkdir "$root/root/packages"
	cp "$dir"/latewind_*.deb "$root/root/packages/"
	inside sh -c 'dpkg -i /root/packages/*.deb' || return
	rm -r "$root/root/packages"
	tool_is_the_groups
}

# boots RELEASE STEP: the machine runs that step of guest.sh, all of whose checks pass.
boots() {
	local status=0 out=$dir/boot-$2
	rm -f "$out".*
	disk_image "$tmp/image" "$root" || return
	timeout -k 10 900 "$LW_VM_DIR/qemu.sh" amd64 -nodefaults -no-user-config -no-reboot -display none \
		-vga none -machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2G \
		-kernel "$root/boot/vmlinuz-$1" -initrd "$root/boot/initrd.img-$1" \
		-append "root=/dev/vda rw console=ttyS0 no_timer_check panic=-1 oops=panic panic_on_warn=1 lw.step=$2" \
		-drive "if=virtio,format=raw,file=$tmp/image" -device virtio-serial-pci \
		-chardev "file,id=out,path=$out.txt" -device virtserialport,chardev=out,name=lw.out \
		-serial "file:$out.console" </dev/null || status=$?
	rm -f "$tmp/image"
	cat "$out.txt"
	[ $status -eq 0 ] && has "$out.txt" '^lw-guest: all is well$' || {
		tail -n 15 "$out.console"
		return 1
	}
}

is_upgraded() {
	# shellcheck disable=SC2046 # words
	inside sh -euc 'apt-get -q -y install "$@"' sh $(machine_newer_kernel "$suite") \
		>"$dir/apt-upgrade.log" 2>&1 || { tail -n 30 "$dir/apt-upgrade.log"; return 1; }
	[ "$(kernels | wc -l)" -eq 2 ] && is_built "$(kernels | tail -n 1)"
}

# DKMS makes a key of its own when it builds for the first time.
nothing_is_left() {
	inside apt-get -q -y purge latewind latewind-dkms liblatewind1 liblatewind-dev >"$dir/apt-purge.log" 2>&1 ||
		{ tail -n 30 "$dir/apt-purge.log"; return 1; }
	files "$root" >"$dir/after"
	comm -13 "$dir/before" "$dir/after" | grep -v '^lib/dkms/mok\.' >"$tmp/left"
	find "$root" -xdev -name '*latewind*' ! -path '*/var/log/*' >>"$tmp/left"
	[ ! -s "$tmp/left" ] || { cat "$tmp/left"; return 1; }
	! inside getent group latewind
}

# The other way to have the module: of the sources, which make has built.
is_made_from_source() {
	local kernel
	kernel=$(kernels | tail -n 1)
	mkdir "$root/root/source"
	cp -a "$dir/latewind-$version/." "$root/root/source/"
	inside sh -euc '
		cd /root/source
		make -s install-module "KREL=$1"
		test "$(modinfo -k "$1" -n latewind)" -ef "/lib/modules/$1/updates/latewind.ko"
		make -s uninstall-module "KREL=$1"
		! modinfo -k "$1" latewind
		make -s dkms-install "KREL=$1"' sh "$kernel" >"$dir/source.log" 2>&1 &&
		is_built "$kernel" &&
		inside make -s -C /root/source dkms-remove "KREL=$kernel" >>"$dir/source.log" 2>&1 ||
		{ tail -n 20 "$dir/source.log"; return 1; }
	! inside modinfo -k "$kernel" latewind && [ ! -e "$root/usr/src/latewind-$version" ]
}

# answers: the archive of Ubuntu, which not everybody reaches, has this suite.
answers() {
	python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=60)' \
		"$(ubuntu_mirror)/dists/$suite/Release" 2>/dev/null
}

[ "$suite" != $LW_UBUNTU ] || answers || skip_all "the archive of Ubuntu cannot be reached from here"
rm -rf --one-file-system "$dir"
mkdir -p "$dir"
ok "the packages build in $suite without a network" builds || checks_done
ok 'programs are built with the library that they bring' library_is_found
if [ "$suite" = $LW_USERLAND ]; then
	ok 'lintian finds no error and no warning' lintian_is_content
	ok 'rpmbuild makes packages' rpms_are_made
	ok 'makepkg makes packages' pacman_packages_are_made
fi
ok 'a machine is set up' is_set_up || checks_done
ok 'apt installs them, and DKMS builds the module' is_installed || checks_done
ok 'at first it is for root alone' is_roots_alone
ok 'a group is let in and out' group_is_let_out
ok 'a group is let in' group_is_let_in
ok 'and still is with a new file of the tool' group_survives_an_upgrade
ok 'a member records on the machine' boots "$(kernels | tail -n 1)" use
if [ -n "$(machine_newer_kernel "$suite")" ]; then
	ok 'DKMS builds the module for a newer kernel' is_upgraded &&
		ok 'a member records on that' boots "$(kernels | tail -n 1)" use
fi
ok 'the machine purges them while they run' boots "$(kernels | tail -n 1)" purge
ok 'a purge leaves nothing' nothing_is_left
ok 'make builds, installs and removes the module, by itself and by DKMS' is_made_from_source
rm -rf --one-file-system "$root"
checks_done
