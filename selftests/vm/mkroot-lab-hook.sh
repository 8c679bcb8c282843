#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for a -lab root: put the sources of a
# few of Debian's programs and libraries into ROOT/usr/src/latewind/<name>, for
# the unit tests to build in many ways.
set -euo pipefail

root=$1
src=$root/usr/src/latewind
export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG

mkdir -p "$src"
cd "$src"

# C: compression, an interpreter; C++: two parsers. All build without configure.
# The archive may be between two versions of one: do without it, and say so.
for package in bzip2 zlib lz4 lua5.4 libdeflate tinyxml2 pugixml; do
	if ! apt-get source --download-only --tar-only "$package"; then
		echo "no source of $package today" | tee -a MISSING
		continue
	fi
	mkdir "$package"
	tar -x -f "${package}"_*.orig.tar.* --strip-components=1 -C "$package"
	rm "${package}"_*
done
test "$(find . -mindepth 1 -maxdepth 1 -type d | wc -l)" -ge 4
