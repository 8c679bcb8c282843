#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# qemu.sh ARCH ARG...: become a QEMU for machines of ARCH, of version 10 or later: the
# host's, else trixie's out of a root of its own, run by that root's loader.
# (Older ones race between code patching and translated blocks as soon as
# there is more than one vCPU: stock kernels then oops at random.)
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

arch=${1:?usage: qemu.sh ARCH ARG...}
shift
case $arch in
amd64) program=qemu-system-x86_64 package=qemu-system-x86 ;;
arm64) program=qemu-system-aarch64 package=qemu-system-arm ;;
s390x) program=qemu-system-s390x package=qemu-system-s390x ;;
*) die "no QEMU for machines of '$arch'" ;;
esac

major() { "$@" --version | sed -n 's/^QEMU emulator version \([0-9]*\)\..*/\1/p'; }

build() {
	note "making a small root for QEMU (once)"
	mmdebstrap --mode=root --variant=extract --include=$package \
		--aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Retries "3"' \
		trixie "$1" "deb $(mirror) trixie main" >"$1.log" 2>&1 || {
		tail -n 30 "$1.log" >&2
		die "mmdebstrap failed for QEMU; whole log in $1.log"
	}
	rm "$1.log"
}

if host=$(command -v $program) && [ "$(major "$host")" -ge 10 ]; then
	exec "$host" "$@"
fi

root=$(publish_dir "qemu-$arch-trixie-1" build)
libs=$root/usr/lib/x86_64-linux-gnu
qemu=("$root/usr/lib64/ld-linux-x86-64.so.2"
	--library-path "$libs:$libs/pulseaudio" "$root/usr/bin/$program")
[ "$(major "${qemu[@]}")" -ge 10 ] || die "the QEMU in $root does not run"
export QEMU_MODULE_DIR=$libs/qemu
exec "${qemu[@]}" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
