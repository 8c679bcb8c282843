#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -browser root: make the mount
# points of the harness; see that the browser and its driver are there.
set -eu

root=$1
mkdir -p "$root/latewind" "$root/lw"
for program in chromium chromedriver python3; do
	chroot "$root" sh -c "command -v $program"
done
