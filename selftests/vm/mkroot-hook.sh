#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mmdebstrap customize hook of mkroot.sh for the userland's root: put into
# ROOT/usr/src/latewind the few files of the kernel source that no header package ships.
set -euo pipefail

root=$1
src=$root/usr/src/latewind
export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG

mkdir -p "$src/linux"
cd "$src"

# linux-source names the package of the current kernel; only that one has files.
package=$(apt-cache depends "linux-source" |
	awk '$1 == "Depends:" && $2 ~ /^linux-source-/ { print $2; exit }')
apt-get download "$package"
dpkg-deb --fsys-tarfile linux-source-*.deb |
	tar -x --strip-components=3 --wildcards './usr/src/linux-source-*.tar.xz'
tar -x -f linux-source-*.tar.xz --strip-components=1 -C linux --wildcards \
	'linux-source-*/tools/testing/selftests/*.h' \
	'linux-source-*/tools/testing/selftests/run_kselftest.sh' \
	'linux-source-*/tools/testing/selftests/kselftest/*' \
	'linux-source-*/scripts/checkpatch.pl' \
	'linux-source-*/scripts/spelling.txt' \
	'linux-source-*/scripts/const_structs.checkpatch'
rm linux-source-*.tar.xz linux-source-*.deb
test -s linux/scripts/checkpatch.pl
test -s linux/tools/testing/selftests/kselftest_harness.h
# Headers of other subsystems' tests came along with the pattern.
find linux/tools/testing/selftests -mindepth 1 -maxdepth 1 -type d \
	! -name kselftest -exec rm -r {} +
