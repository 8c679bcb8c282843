#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -ARCH-cross root, which is this machine's and builds
# for ARCH: put the kernel and the headers of ARCH into ROOT, of the flavour $FLAVOUR, and the
# programs of this machine that a module is built with. Installed by apt the headers would want a compiler that runs on ARCH.
set -euo pipefail

root=$1
export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
arch=$(chroot "$root" dpkg --print-foreign-architectures)

# needs PACKAGE PREFIX: the package of that name, with a version in it, that a metapackage needs.
needs() {
	apt-cache depends "$1:$arch" |
		sed -n "s/^ *Depends: \($2[0-9][^:]*\)\(:.*\)\?$/\1/p" | grep -m 1 .
}

image=$(needs "linux-image-$arch$FLAVOUR" linux-image-)
headers=$(needs "linux-headers-$arch$FLAVOUR" linux-headers-)
release=${image#linux-image-}
version=${release%-"$arch$FLAVOUR"}
common=linux-headers-$version-common
kbuild=linux-kbuild-$version

apt-get --yes -o Dpkg::Options::=--force-unsafe-io -o DPkg::Chroot-Directory="$root" \
	install "$kbuild"
mkdir "$root/debs"
cd "$root/debs"
apt-get download "$image:$arch" "$headers:$arch" "$common"
for deb in *.deb; do
	# Those of bookworm have a directory lib, where the root has a link to usr/lib.
	dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root"
done
rm -r "$root/debs"
cd "$root"
chroot "$root" depmod "$release"
chroot "$root" test -e "/lib/modules/$release/build/Makefile"
