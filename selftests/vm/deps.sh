#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: install the Debian packages that building and testing need on this
# machine, and only those that are missing. Without root, say how.
set -eu

wanted="gcc make libc6-dev libelf-dev libdw-dev libzydis-dev libiberty-dev libzstd-dev zlib1g-dev
	libtraceevent-dev
	libncurses-dev pkg-config python3-docutils
	mmdebstrap debian-archive-keyring xz-utils zstd tar e2fsprogs
	util-linux mount procps python3 git binutils g++ ccache zsh"

missing=
for package in $wanted; do
	# pkgconf provides pkg-config on newer releases.
	[ "$package" != pkg-config ] || ! command -v pkg-config >/dev/null || continue
	# shellcheck disable=SC2016 # dpkg-query's own variable
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "latewind: packages are missing; run: sudo apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# apt waits for the locks of another apt, but not for that of the lists of packages: these
# are our own.
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
chmod 755 "$lists"
set -- -qq -o DPkg::Lock::Timeout=300 -o "Dir::State::lists=$lists" \
	-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
apt-get "$@" update
# shellcheck disable=SC2086 # a list
apt-get "$@" install -y --no-install-recommends $missing
