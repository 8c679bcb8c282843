#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -named root: build a shell, make and a C
# compiler from Debian's sources and leave the names of all functions in, other than
# Debian's packages, in ROOT/lw/named, for who sees that as /lw/named. The source of
# what they are to build is in ROOT/usr/src/latewind/lua5.4.
set -euo pipefail

root=$1
export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG

mkdir -p "$root/lw/named" "$root/usr/src/latewind"
cd "$root/usr/src/latewind"
for package in tcc dash make-dfsg lua5.4; do
	apt-get source --download-only --tar-only "$package"
	mkdir "$package"
	tar -x -f "${package}"_*.orig.tar.* -C "$package"
	rm "${package}"_*
	# most have a directory of all in front
	if [ ! -e "$package/configure" ] && [ ! -e "$package/Makefile" ]; then
		mv "$package" unpacked
		mv unpacked/* "$package"
		rmdir unpacked
	fi
done
# Its documentation is not free, and left out.
mkdir -p make-dfsg/doc
touch make-dfsg/doc/Makefile.in
# shellcheck disable=SC2016 # expanded there
chroot "$root" sh -euc '
	export CFLAGS="-O2 -g"
	cd /usr/src/latewind/tcc
	./configure --prefix=/lw/named --triplet=x86_64-linux-gnu --debug
	make -s "-j$(nproc)" tcc libtcc1.a
	make -s install
	cd ../dash
	./configure --prefix=/lw/named
	make -s "-j$(nproc)"
	make -s install
	cd ../make-dfsg
	./configure --prefix=/lw/named --disable-nls --without-guile
	make -s "-j$(nproc)" -C lib
	make -s "-j$(nproc)" make
	cp make /lw/named/bin/
'
for program in tcc dash make; do
	readelf -SW "$root/lw/named/bin/$program" | grep ' SYMTAB '
done
