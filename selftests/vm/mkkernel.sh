#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkkernel.sh LANE: print the directory with the kernel of a lane that is built
# here; build it first if the cache has none, from Debian's linux-source with
# config/base.config, ../config, config/LANE.config, and what base-ARCH.config and
# LANE-ARCH.config have for the architecture. As in a root, boot/ has the kernel
# and lib/modules/<release>/build is what modules are built against: the source
# without what only the kernel itself is built from. Keyed by the fragments, the
# versions of source and compiler and the steps below. The kernel of lane clang is built with
# LLVM's compiler, linker and tools; that of lane newest does without options that there are no
# more.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: mkkernel.sh LANE}
lane_is_built "$lane" || die "the kernel of lane $lane is Debian's"
need_root "building a kernel"
root=$("$LW_VM_DIR/mkroot.sh" "$(lane_kernel_suite "$lane")")
llvm='' compiler=gcc
[ "$lane" != clang ] || llvm=1 compiler='clang lld'
arch=$(lane_arch "$lane") srcarch=x86 target=bzImage cross=''
if [ "$arch" != amd64 ]; then
	cross=$(arch_triplet "$arch")-
	srcarch=$arch target=Image compiler="gcc-${cross%-}"
fi
checks=$LW_VM_DIR/config/${lane%-"$arch"}
fragments=("$LW_VM_DIR"/{config/base.config,"config/base-$srcarch.config",../config} "$checks.config")
[ ! -e "$checks-$srcarch.config" ] || fragments+=("$checks-$srcarch.config")

# What runs in the root, in the directory that the kernel is to be in.
# shellcheck disable=SC2016 # expanded there
steps='
	mkdir src
	tar -x -f /usr/src/linux-source-*.tar.xz --strip-components=1 -C src
	cp fragments src/fragments
	cd src
	make -s KCONFIG_ALLCONFIG=fragments allnoconfig
	# kconfig drops what a dependency forbids and does not say so.
	if grep -E "^(CONFIG_|# CONFIG_.* is not set)" fragments | grep -vxFf .config; then
		echo "these lines of the configuration did not survive"
		exit 1
	fi
	release=$(make -s kernelrelease)
	make -s -j"$(nproc)" "$TARGET" modules
	cd ..
	build=lib/modules/$release/build
	mkdir -p boot lib/modules/"$release"/kernel "$build/tools/objtool" "$build/arch/$ARCH"
	mv src/arch/$ARCH/boot/$TARGET "boot/vmlinuz-$release"
	mv src/System.map "boot/System.map-$release"
	cp src/.config "boot/config-$release"
	mv src/.config src/Makefile src/Kbuild src/Module.symvers src/include src/scripts "$build/"
	mv src/arch/$ARCH/include src/arch/$ARCH/Makefile* "$build/arch/$ARCH/"
	[ ! -e src/tools/objtool/objtool ] || mv src/tools/objtool/objtool "$build/tools/objtool/"
	[ ! -e signing_key.pem ] || mv signing_key.pem "$build/"
	rm -rf src fragments
'
# It is named all the same.
[ "$lane" != newest ] || steps=${steps/exit 1/:}

# make_key DIRECTORY: the key that the kernel of lane signed is to know, with its certificate.
make_key() {
	LW_KERNEL=$1 "$LW_VM_DIR/enter.sh" "$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)" sh -euc '
		cd "$1"
		openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -subj "/CN=Latewind test/" \
			-keyout key -out certificate
		cat key certificate >signing_key.pem
		rm key certificate' sh "$LW_GUEST_KERNEL"
}

build() {
	local log=$1.log
	note "building the $lane kernel (once; 6 minutes or so on 2 idle CPUs; log: $log)"
	mkdir "$1"
	cat "${fragments[@]}" >"$1/fragments"
	[ "$lane" != signed ] || make_key "$1"
	LW_KERNEL=$1 "$LW_VM_DIR/enter.sh" "$root" \
		sh -euc "export LLVM=$llvm ARCH=$srcarch CROSS_COMPILE=$cross TARGET=$target; cd $LW_GUEST_KERNEL; $steps" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "building the $lane kernel failed; whole log in $log"
	}
	rm "$log"
}

# shellcheck disable=SC2086 # a list
versions=$(chroot "$root" dpkg-query -W linux-source $compiler)
key_recipe=
[ "$lane" != signed ] || key_recipe=$(declare -f make_key)
publish_dir "kernel-$lane-$(hash_of "$versions" "$(cat "${fragments[@]}")" "$steps" \
	${key_recipe:+"$key_recipe"})" build
