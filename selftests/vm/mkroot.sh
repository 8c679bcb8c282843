#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkroot.sh SUITE: print the path of a root of SUITE, of the kind that the end of its name
# tells (suite_packages() in lib.sh has the kinds); make it first if the cache has none.
# Keyed by suite, packages and recipe; where the newest source is wanted, by the week, too.
# shellcheck disable=SC2089,SC2090 # $setup is for the shell of mmdebstrap
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

suite=${1:?usage: mkroot.sh SUITE}
packages=$(suite_packages "$suite")
# What a root is made into beyond its packages.
hook=$LW_VM_DIR/mkroot-${suite##*-}-hook.sh
[ "$suite" != $LW_USERLAND ] || hook=$LW_VM_DIR/mkroot-hook.sh
arch=$(suite_arch "$suite")
variant=apt when=customize
if [ -n "$arch" ] && [[ $suite != *-cross ]]; then
	variant=extract when=extract
	hook=$LW_VM_DIR/mkroot-foreign-hook.sh
fi
[ -e "$hook" ] || hook=
# What it needs before there are packages: Java's wants to put links to manual pages there,
# which are left out.
setup=
# shellcheck disable=SC2016 # expanded by mmdebstrap
[[ $suite != *-programs ]] || setup='mkdir -p "$1/usr/share/man/man1"'
# A script of the compiler's package makes this name, and no script runs where packages are unpacked.
finish=
# shellcheck disable=SC2016 # expanded by mmdebstrap
[ $variant != extract ] || ! grep -qx gcc <<<"$packages" || finish='ln -s gcc "$1/usr/bin/cc"'
# The newest source may be in any of the suites, and is another one next week.
week=
if [[ $suite == *-newest ]]; then
	week=$(date +%G-%V)
	# shellcheck disable=SC2016 # expanded by mmdebstrap
	setup='printf "%s\n" "Package: linux-source linux-source-* linux-config-*" \
		"Pin: release o=Debian*" "Pin-Priority: 600" >"$1/etc/apt/preferences.d/newest"'
fi
# The mount points of the harness, which a machine is to know nothing of.
points=("$LW_GUEST_REPO" /lw "$LW_GUEST_KERNEL" "$LW_GUEST_CCACHE")
# What the harness does without; it boots its own initramfs.
options=(--aptopt='APT::Install-Recommends "false"'
	--dpkgopt='path-exclude=/usr/share/man/*'
	--dpkgopt='path-exclude=/usr/share/locale/*')
[ $variant != extract ] || options+=(--architectures="$arch")
[[ $suite != *-cross ]] || options+=(--architectures="$(dpkg --print-architecture),$arch")
if [ "$suite" = bookworm-s390x-cross ]; then
	# shellcheck disable=SC2016 # expanded by mmdebstrap
	setup='printf "%s\n" "Package: linux-*:any" "Pin: release n=bookworm-backports" \
		"Pin-Priority: 600" >"$1/etc/apt/preferences.d/backports"'
fi
flavour=
[[ $suite != *-16k-*-cross ]] || flavour=-16k
initrd=No components=main sources_key=()
if [[ $suite == *-machine ]]; then
	points=() options=() initrd=Yes sources_key=("$(suite_sources "$suite")")
fi

# ubuntu_keyring: print the path of the keys of Ubuntu's archive, which Debian has a package of.
ubuntu_keyring() {
	extract_keyring() {
		mmdebstrap --mode=root --variant=extract --include=ubuntu-keyring $LW_USERLAND "$1" \
			"deb $(mirror) $LW_USERLAND main"
	}
	local dir
	dir=$(publish_dir ubuntu-keyring-1 extract_keyring) || return
	echo "$dir/usr/share/keyrings/ubuntu-archive-keyring.gpg"
}

build() {
	local root=$1 log=$1.log m base keyring source sources=()
	need_root "making the $suite root"
	if [[ $suite == $LW_UBUNTU-* ]]; then
		m=$(ubuntu_mirror)
		components='main universe'
		keyring=$(ubuntu_keyring)
		options+=(--keyring="$keyring")
	else
		m=$(mirror)
	fi
	base=$(suite_sources "$suite" | cut -d' ' -f1)
	for source in $(suite_sources "$suite"); do
		sources+=("deb $m $source $components" "deb-src $m $source $components")
	done
	note "making the $suite root (once; a minute or two; log: $log)"
	INITRD=$initrd FLAVOUR=$flavour mmdebstrap --mode=root --variant=$variant \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Retries "3"' \
		--dpkgopt=force-unsafe-io \
		"${options[@]}" \
		${setup:+--setup-hook="$setup"} \
		--include="$(paste -sd, <<<"$packages")" \
		${points:+--$when-hook="mkdir -p ${points[*]/#/\"\$1\"}"} \
		${hook:+--$when-hook="$hook"} \
		${finish:+--$when-hook="$finish"} \
		"$base" "$root" "${sources[@]}" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "mmdebstrap failed for $suite; whole log in $log"
	}
	rm "$log"
}

publish_dir "root-$suite-$(hash_of 2 "$suite" "$packages" "${points[*]}" \
	"$(cat ${hook:+"$hook"} </dev/null)" ${setup:+"$setup"} ${finish:+"$finish"} ${week:+"$week"} \
	${sources_key[@]+"${sources_key[@]}"})" build
forget "root-*-newest-*"
