#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -kbuild root: make the mount
# points of the harness; see that the source of one kernel is there.
set -eu

root=$1
mkdir -p "$root/latewind" "$root/kernel"
set -- "$root"/usr/src/linux-source-*.tar.xz
[ $# -eq 1 ] && test -s "$1"
