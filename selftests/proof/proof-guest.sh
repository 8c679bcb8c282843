#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The job of "make proof": records lw.samples=N page faults of programs that come and
# go on all CPUs, then a build of zlib by two jobs, whose source is in $VM_DIR, has perf
# record another one, and records that of lua by programs with all their names; leaves the
# recordings in $OUT, with the kernel's symbols for perf.
set -eu

samples=1000000
# shellcheck disable=SC2013 # options are words
for option in $(cat /proc/cmdline); do
	case $option in
	lw.samples=*) samples=${option#*=} ;;
	esac
done
cd "$LW_BUILD/selftests" || exit
echo 0 >/proc/sys/kernel/kptr_restrict
# the tracer is not to be slowed down for what it does
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
latewind record -a -e page-faults -c 1 --ring-size 64M -o "$OUT/proof.data" \
	--stats "$OUT/stats" -- python3 "$LATEWIND_ROOT/selftests/proof/work.py" "$samples"
cp -r /lw/zlib /tmp/
cd /tmp/zlib
./configure >/dev/null
latewind record -a -o "$OUT/make.data" --stats "$OUT/make.stats" -- make -j2 >/dev/null
make clean >/dev/null
perf record -q -a -g -o "$OUT/perf.data" -- make -j2 >/dev/null
cp -r /lw/lua /tmp/
cd /tmp/lua/src
export PATH=/lw/named/bin:$PATH
latewind record -a -o "$OUT/named.data" --stats "$OUT/named.stats" -- \
	make -s -j2 SHELL=/lw/named/bin/dash CC=tcc CFLAGS=-DLUA_USE_POSIX AR='tcc -ar rcs' \
	RANLIB=: MYLIBS= liblua.a lua >/dev/null
cp /proc/kallsyms "$OUT/kallsyms"
