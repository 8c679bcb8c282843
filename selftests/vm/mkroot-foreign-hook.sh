#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a root whose packages are unpacked only, as none of
# its programs runs on this machine: what their scripts would have made, as far as tests need it.
set -euo pipefail

root=$1
cd "$root"
for file in passwd group; do
	[ -e etc/$file ] || cp usr/share/base-passwd/$file.master etc/$file
done
[ -e etc/nsswitch.conf ] || cp usr/share/libc-bin/nsswitch.conf etc/
[ -e usr/bin/sh ] || ln -s dash usr/bin/sh
ln -sf mawk usr/bin/awk
mkdir -p proc sys dev run tmp root mnt usr/lib/modules
chmod 1777 tmp
