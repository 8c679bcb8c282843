#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh LANE: print the path of the initramfs for the kernel of that lane, which
# mounts whatever root there is; make it first if the cache has none: busybox, one script,
# and a few modules, but for a kernel that is built here and has all that built in.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

lane=${1:?usage: initramfs.sh LANE}
root=$(lane_kernel_root "$lane")
tools=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND)
busybox=$("$LW_VM_DIR/mkroot.sh" "$(lane_userland "$lane")")/usr/bin/busybox
init=$LW_VM_DIR/initramfs-init
# For the mounts; and what tests need, as the guest does not see the kernel's own modules.
modules="virtio_pci virtio_console virtio_blk ext4 9pnet_virtio 9p overlay fuse"

# add_modules TREE: those of ROOT's kernel.
add_modules() {
	local tree=$1 release module
	release=$(root_kernel "$root")
	# In load order, dependencies first; what is built in has no file.
	# shellcheck disable=SC2086 # a list
	chroot "$root" modprobe --set-version "$release" --show-depends --all $modules |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r module; do
			cp "$root/$module" "$tree/modules/"
			module=$(basename "$module")
			case $module in
			*.xz) xz -d "$tree/modules/$module" ;;
			*.zst) zstd -q -d --rm "$tree/modules/$module" ;;
			esac
			module=${module%.xz}
			echo "${module%.zst}" >>"$tree/modules/order"
		done
	test -s "$tree/modules/order"
}

build() {
	local dir=$1 tree=$1/tree
	need_root "packing an initramfs"
	mkdir -p "$tree"/{bin,modules,dev,proc,newroot}
	cp "$busybox" "$tree/bin/busybox"
	ln -s busybox "$tree/bin/sh"
	install -m 755 "$init" "$tree/init"
	: >"$tree/modules/order"
	lane_is_built "$lane" || add_modules "$tree"
	# shellcheck disable=SC2016 # expanded in the root
	tar -C "$tree" -c . | chroot "$tools" sh -euc '
		d=$(mktemp -d); tar -C "$d" -x; cd "$d"
		find . | cpio --quiet -o -H newc; rm -r "$d"' >"$dir/initramfs"
	rm -r "$tree"
}

# A root that was made again has the same name, and maybe a newer kernel.
release=$(root_kernel "$root")
dir=$(publish_dir "initramfs-$(hash_of 6 "$root" "$release" "$tools" "$busybox" "$modules" "$(cat "$init")")" build)
echo "$dir/initramfs"
