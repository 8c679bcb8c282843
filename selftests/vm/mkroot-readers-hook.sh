#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -readers root: make the mount
# points of the harness; see that perf and objdump are there.
set -eu

root=$1
mkdir -p "$root/latewind" "$root/lw" "$root/kernel"
for program in perf objdump; do
	chroot "$root" sh -c "command -v $program"
done
