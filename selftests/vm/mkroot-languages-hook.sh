#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -languages root: make the mount
# points of the harness; see that each compiler is there.
set -eu

root=$1
mkdir -p "$root/latewind" "$root/lw"
for compiler in g++ rustc go ocamlopt musl-gcc; do
	chroot "$root" sh -c "command -v $compiler"
done
