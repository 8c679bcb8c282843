#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkroot.sh SUITE: print the path of a root of SUITE with kernel, headers,
# compiler, perf and the sources that tests need, or for a SUITE that ends in
# -lab with compilers and libraries for the unit tests, in -kbuild with the
# kernel's source and what builds it, in -languages with more compilers, in -browser
# with a browser, in -readers with programs that read recordings, in -named with a compiler
# and others that have all their names; make it first if the cache has none. Keyed by suite,
# packages and recipe.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

suite=${1:?usage: mkroot.sh SUITE}
packages=$(suite_packages "$suite")
case $suite in
*-lab) hook=$LW_VM_DIR/mkroot-lab-hook.sh ;;
*-kbuild) hook=$LW_VM_DIR/mkroot-kbuild-hook.sh ;;
*-languages) hook=$LW_VM_DIR/mkroot-languages-hook.sh ;;
*-browser) hook=$LW_VM_DIR/mkroot-browser-hook.sh ;;
*-readers) hook=$LW_VM_DIR/mkroot-readers-hook.sh ;;
*-named) hook=$LW_VM_DIR/mkroot-named-hook.sh ;;
*) hook=$LW_VM_DIR/mkroot-hook.sh ;;
esac

build() {
	local root=$1 log=$1.log m base source from sources=()
	need_root "making the $suite root"
	m=$(mirror)
	base=$(suite_sources "$suite" | cut -d' ' -f1)
	for source in $(suite_sources "$suite"); do
		sources+=("deb $m $source main" "deb-src $m $source main")
	done
	case $suite in
	*-backports) from=/$suite ;;
	*) from= ;;
	esac
	note "making the $suite root (once; a minute or two; log: $log)"
	# INITRD=No: the harness boots its own initramfs.
	INITRD=No LW_SOURCE_FROM=$from mmdebstrap --mode=root --variant=apt \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Retries "3"' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$(paste -sd, <<<"$packages")" \
		--customize-hook="$hook" \
		"$base" "$root" "${sources[@]}" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "mmdebstrap failed for $suite; whole log in $log"
	}
	rm "$log"
}

publish_dir "root-$suite-$(hash_of 1 "$suite" "$packages" "$(cat "$hook")")" build
