# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What every script of the VM harness shares: paths, messages, the lane
# table and the mirror look-up. Sourced, never run.
#
# A lane is a kernel that is tested: a series of Debian's, or one built here with
# checkers in it. All lanes of an architecture have the same userland, tool and tests. The
# tables below are the only place that knows which suites a lane's kernel comes from.

LW_VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LW_REPO=$(cd "$LW_VM_DIR/../.." && pwd)
LW_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/latewind

LW_LANES="6.1 6.12 7 rt debug kcsan clang 6.12-arm64 6.12-nopauth-arm64 6.12-16k-arm64 debug-arm64 6.12-s390x"
# The suite of every lane's userland, in whose root tool and tests are built and run.
# bookworm's own assembler writes what the module does not read.
LW_USERLAND=trixie
# Of the lanes of s390x: trixie's assembler writes no SFrame for it, this one's writes version 3.
LW_USERLAND_S390X=forky
# The suites that install.sh installs into: Debian's, and Ubuntu's current one with long support.
LW_MACHINES="bookworm trixie resolute"
LW_UBUNTU=resolute

# Where the repository is seen inside roots and guests, and inside a root the
# kernel that is built in it and the compiler's cache.
LW_GUEST_REPO=/latewind
LW_GUEST_KERNEL=/kernel
LW_GUEST_CCACHE=/ccache

export LW_VM_DIR LW_REPO LW_CACHE LW_LANES LW_USERLAND LW_USERLAND_S390X LW_MACHINES LW_UBUNTU
export LW_GUEST_REPO LW_GUEST_KERNEL LW_GUEST_CCACHE

# Compilers are called by way of ccache where it is installed: a clone that is built for
# the first time takes from the cache what an earlier one compiled. Its directory is part
# of no key, so that clones share; roots see the repository at the same place anyway.
export CCACHE_DIR=$LW_CACHE/ccache CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$LW_REPO
# What it makes of --gsframe is the assembler's.
export CCACHE_COMPILERCHECK='%compiler% --version; as --version'
LW_CCACHE_PATH=/usr/lib/ccache
[ ! -d $LW_CCACHE_PATH ] || export PATH=$LW_CCACHE_PATH:$PATH

note() { echo "latewind-vm: $*" >&2; }
die() { note "$*"; exit 1; }

# lane_is_built LANE: is its kernel built here, by mkkernel.sh?
lane_is_built() {
	case $1 in
	debug | kcsan | coverage | clang | newest | signed | debug-arm64) return 0 ;;
	esac
	return 1
}

# lane_arch LANE: the architecture of its kernel, tool and tests, as Debian calls it.
lane_arch() {
	case $1 in
	*-arm64 | *-s390x) echo "${1##*-}" ;;
	*) echo amd64 ;;
	esac
}

# lane_userland LANE: the suite whose root tool and tests run in.
lane_userland() {
	case $(lane_arch "$1") in
	amd64) echo $LW_USERLAND ;;
	s390x) echo "$LW_USERLAND_S390X-s390x" ;;
	*) echo "$LW_USERLAND-$(lane_arch "$1")" ;;
	esac
}

# lane_builder LANE: the suite whose root they are built in.
lane_builder() {
	case $(lane_arch "$1") in
	amd64) echo $LW_USERLAND ;;
	*) echo "$(lane_userland "$1")-cross" ;;
	esac
}

# lane_built LANE: the directory that they are built to, below the repository.
lane_built() {
	case $(lane_arch "$1") in
	amd64) echo build/userland ;;
	*) echo "build/userland-$(lane_arch "$1")" ;;
	esac
}

# lane_kernel_suite LANE: the suite whose root has the lane's kernel, its headers
# and the compiler that the module is built with; of a kernel that is built
# here, its source and that compiler.
lane_kernel_suite() {
	case $1 in
	6.1) echo bookworm-kernel ;;
	6.12) echo $LW_USERLAND ;;
	7) echo trixie-backports-kernel ;;
	rt) echo $LW_USERLAND-rt ;;
	clang) echo $LW_USERLAND-clang ;;
	6.12-arm64 | 6.12-nopauth-arm64) lane_builder "$1" ;;
	6.12-16k-arm64) echo $LW_USERLAND-16k-arm64-cross ;;
	# In November 2026 mirrors have not all files of trixie for s390x.
	6.12-s390x) echo bookworm-s390x-cross ;;
	newest) echo sid-newest ;;
	debug | kcsan | coverage | signed | debug-arm64) echo trixie-lab ;;
	*) die "unknown kernel lane '$1'; one of: $LW_LANES" ;;
	esac
}

# lane_kernel_root LANE: the directory with the lane's kernel in boot/ and
# lib/modules/: the root of its suite, or what mkkernel.sh has made.
lane_kernel_root() {
	if lane_is_built "$1"; then
		"$LW_VM_DIR/mkkernel.sh" "$1"
	else
		"$LW_VM_DIR/mkroot.sh" "$(lane_kernel_suite "$1")"
	fi
}

# lane_time_scale LANE: how many times longer than on a stock kernel things may
# take: a checked one is slow, and more so in an emulated machine.
lane_time_scale() {
	case $1 in
	debug | kcsan | coverage | debug-arm64) echo 4 ;;
	*) echo 1 ;;
	esac
}

# suite_sources SUITE: the suites its packages come from, base suite first.
suite_sources() {
	case $1 in
	*-newest) echo "${1%-*} experimental $LW_USERLAND-backports" ;;
	*-backports-*) echo "${1%-backports-*} ${1%-*}" ;;
	# its newer kernel comes from there
	$LW_UBUNTU-machine) echo "$LW_UBUNTU $LW_UBUNTU-updates" ;;
	*-machine) echo "${1%-machine} ${1%-machine}-backports" ;;
	bookworm-s390x-cross) echo "bookworm bookworm-backports" ;;
	*-*) echo "${1%%-*}" ;;
	*) echo "$1" ;;
	esac
}

# suite_arch SUITE: the architecture that the root is for, if that is not this machine's: one
# whose name ends in -ARCH has its programs, one whose name ends in -ARCH-cross builds them.
suite_arch() {
	local name=${1%-cross}
	case $name in
	*-arm64 | *-s390x) echo "${name##*-}" ;;
	esac
}

# suite_packages SUITE: every package of the root. Metapackages only for the
# kernel, so that no exact version is ever named. SUITE is the userland of all lanes;
# SUITE-kernel is a kernel and what modules for it are built with, SUITE-rt likewise the one with
# PREEMPT_RT; SUITE-lab has no kernel but its source, more compilers, and the libraries that we
# are compared with; SUITE-clang has the source, too, and what builds it with LLVM only;
# SUITE-newest the newest source that the archive has, and the suite's compiler;
# SUITE-packages is what Debian packages are built with, SUITE-machine a machine that has just been
# set up; SUITE-browser what a page is opened with, SUITE-docs what the documentation is built with,
# SUITE-readers who else reads recordings,
# SUITE-named what a compiler with all its names is built with, SUITE-programs the programs of
# programs_test.sh and what that test, perf and our tool need;
# SUITE-ARCH is the userland of another architecture's lanes, that of arm64 with a compiler for
# tutorial_test.sh and programs for programs_test.sh; SUITE-ARCH-cross is what builds for it.
suite_packages() {
	local from='' flavour='' kernel arch more='' zydis=libzydis4.1
	arch=$(suite_arch "$1")
	# Debian has it for little-endian machines only.
	[ "$arch" != s390x ] || zydis=
	case $1 in
	# A machine has what a machine has.
	$LW_UBUNTU-machine)
		printf '%s\n' systemd-sysv udev passwd kmod initramfs-tools linux-image-virtual linux-headers-virtual
		return ;;
	*-machine)
		printf '%s\n' systemd-sysv udev passwd kmod initramfs-tools linux-image-amd64 linux-headers-amd64
		return ;;
	esac
	echo ccache
	case $1 in
	*-packages)
		printf '%s\n' build-essential
		[ "$1" != $LW_USERLAND-packages ] ||
			printf '%s\n' lintian rpm makepkg pacman-package-manager libarchive-tools
		sed -n '/^Build-Depends:/,/^[^ ]/s/^ \(.*\),$/\1/p' "$LW_REPO/debian/control" |
			sed 's/ *[([].*//; s/^debhelper-compat$/debhelper/; s/^dh-sequence-dkms$/dh-dkms/'
		return ;;
	*-lab)
		tr ' ' '\n' <<-EOF
			gcc g++ make libc6-dev binutils binutils-dev dpkg-dev
			gcc-aarch64-linux-gnu libc6-dev-arm64-cross
			gcc-s390x-linux-gnu libc6-dev-s390x-cross
			libelf-dev libdw-dev libzydis-dev libtraceevent-dev elfutils zlib1g-dev file
			python3-minimal
		EOF
		# One suite's is enough: clang's runtime with libFuzzer, the compilers of
		# languages_test.sh, what a kernel is built with.
		[ "$1" != $LW_USERLAND-lab ] || tr ' ' '\n' <<-EOF
			clang libclang-rt-dev libunwind-dev valgrind spin
			musl-tools rustc golang-go ocaml-nox
			libssl-dev flex bison bc perl xz-utils kmod cpio linux-source
		EOF
		return ;;
	bookworm-s390x-cross | *-16k-arm64-cross)
		# A kernel only: of backports, with pages of 16 KiB.
		printf '%s\n' make kmod gcc "gcc-$(arch_triplet "$arch")" libc6-dev python3-minimal
		return ;;
	*-cross)
		# For languages_test.sh; musl-gcc is a script, and that of the other machine is wanted.
		# The last one is for 32-bit programs.
		[ "$arch" != arm64 ] ||
			more="rustc libstd-rust-dev:$arch musl-tools:$arch gcc-arm-linux-gnueabihf"
		tr ' ' '\n' <<-EOF
			make kmod pkgconf gcc-$(arch_triplet "$arch") g++-$(arch_triplet "$arch")
			gcc libc6-dev python3-minimal
			libc6-dev:$arch libelf-dev:$arch libdw-dev:$arch${zydis:+ libzydis-dev:$arch}
			libiberty-dev:$arch libzstd-dev:$arch libtraceevent-dev:$arch zlib1g-dev:$arch
			libncurses-dev:$arch${more:+ $more}
		EOF
		return ;;
	*-arm64 | *-s390x)
		# No program of it runs on this machine: it is unpacked, not set up.
		[ "$arch" != arm64 ] || more='gcc libc6-dev git zstd'
		tr ' ' '\n' <<-EOF
			?essential libelf1 libdw1${zydis:+ $zydis} libtraceevent1 libzstd1 zlib1g libncursesw6
			mount procps psmisc kmod busybox-static python3-minimal linux-perf
			binutils elfutils file perl xz-utils bzip2 sqlite3 openssl strace bpftrace tmux${more:+ $more}
		EOF
		return ;;
	*-backports-readers) printf '%s\n' "linux-perf/${1%-readers}" binutils; return ;;
	*-readers)
		printf '%s\n' linux-perf binutils
		# not in later ones yet; it brings a desktop along
		[ "$1" != bookworm-readers ] || echo hotspot
		return ;;
	*-named)
		printf '%s\n' gcc make libc6-dev libc6-dbg binutils dpkg-dev
		return ;;
	*-programs)
		tr ' ' '\n' <<-EOF
			linux-perf binutils python3-minimal libdw-dev libzydis-dev libtraceevent-dev
			libncurses-dev
			libzstd-dev procps util-linux
			bash python3 perl git ruby php-cli vim-nox lua5.4 gawk zstd imagemagick ffmpeg
			redis-server clang ocaml-nox emacs-nox guile-3.0 postgresql nodejs
			default-jdk-headless golang-go gcc libc6-dev gdb xz-utils sqlite3 openssl
			ripgrep pari-gp swi-prolog-core shellcheck
		EOF
		return ;;
	*-clang)
		tr ' ' '\n' <<-EOF
			clang lld llvm gcc make libc6-dev libelf-dev zlib1g-dev libssl-dev
			flex bison bc perl python3-minimal xz-utils kmod cpio linux-source
		EOF
		return ;;
	*-newest)
		tr ' ' '\n' <<-EOF
			gcc make libc6-dev libelf-dev zlib1g-dev libssl-dev
			flex bison bc perl python3-minimal xz-utils kmod cpio linux-source
		EOF
		return ;;
	*-browser)
		printf '%s\n' chromium chromium-driver fonts-dejavu-core python3
		return ;;
	*-docs)
		printf '%s\n' python3-sphinx furo python3-docutils mandoc make gcc libc6-dev
		return ;;
	*-backports-kernel) from=/${1%-kernel} ;;
	*-rt) flavour=rt- ;;
	esac
	for kernel in image headers; do
		echo "linux-$kernel-${flavour}amd64$from"
	done
	tr ' ' '\n' <<<"gcc make libc6-dev kmod"
	case $1 in
	*-kernel | *-rt) return ;;
	esac
	tr ' ' '\n' <<-EOF
		g++ libelf-dev libdw-dev libzydis-dev libiberty-dev libzstd-dev libtraceevent-dev
		zlib1g-dev libncurses-dev pkgconf dpkg-dev tmux
		linux-perf gdb strace bpftrace elfutils binutils file sparse
		procps psmisc busybox-static cpio bzip2 python3-minimal perl
		xz-utils sqlite3 openssl
	EOF
}

# arch_triplet ARCH: what GNU tools call it.
arch_triplet() {
	case $1 in
	arm64) echo aarch64-linux-gnu ;;
	s390x) echo s390x-linux-gnu ;;
	*) die "unknown architecture '$1'" ;;
	esac
}

# machine_newer_kernel SUITE: the packages of a newer kernel than the machine of SUITE has, as apt
# install takes them; nothing if the archive has none.
machine_newer_kernel() {
	[ "$1" = $LW_UBUNTU ] || echo "linux-image-amd64/$1-backports linux-headers-amd64/$1-backports"
}

# ubuntu_mirror: the one that mmdebstrap takes when it is given none.
ubuntu_mirror() {
	sed -n "s/^ *\(my \)\?\$mirror *= '\(http[^']*ubuntu[^']*\)';$/\2/p" "$(command -v mmdebstrap)" |
		grep -m 1 . || die "mmdebstrap names no mirror of Ubuntu"
}

# mirror: the Debian mirror that this host's apt uses. Where apt knows none, as
# on Ubuntu, the one that mmdebstrap takes when it is given none.
mirror() {
	if [ -n "${LATEWIND_MIRROR:-}" ]; then
		echo "$LATEWIND_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(SITE) $(ORIGIN) $(CODENAME)' |
		awk '$2 == "Debian" && $3 !~ /-security$/ { print $1; found = 1; exit }
		     END { exit !found }' ||
		sed -n "s/^ *my \$mirror *= '\(http[^']*\)';$/\1/p" "$(command -v mmdebstrap)" |
		grep -m 1 . ||
		die "neither apt nor mmdebstrap names a Debian mirror; set LATEWIND_MIRROR=<url of one>"
}

# root_kernel ROOT: the release of the one kernel in that root.
root_kernel() {
	local dirs=("$1"/lib/modules/*/kernel)
	if [ ${#dirs[@]} -ne 1 ] || [ ! -d "${dirs[0]}" ]; then
		die "$1: expected exactly one kernel"
	fi
	basename "$(dirname "${dirs[0]}")"
}

# need_root WHAT: mounts and chroots need it.
need_root() {
	[ "$(id -u)" -eq 0 ] || die "$1 needs root (it mounts and chroots); run it with sudo"
}

# publish_dir NAME BUILDER...: make directory $LW_CACHE/NAME by running
# "BUILDER... TMPDIR" unless it is there; a build that is interrupted leaves
# only a .tmp directory, which the next one removes. Prints the path. With LW_HAVE_ONLY=1 nothing
# is made: what is not there is a failure.
publish_dir() {
	local name=$1 final=$LW_CACHE/$1 lock tmp status
	shift
	tmp=$final.tmp
	[ -d "$final" ] || [ "${LW_HAVE_ONLY:-0}" = 0 ] || exit 1
	if [ ! -d "$final" ]; then
		mkdir -p "$LW_CACHE/locks"
		exec {lock}>"$LW_CACHE/locks/$name"
		flock "$lock"
		if [ ! -d "$final" ]; then
			rm -rf --one-file-system "$tmp"
			# In $() there is no -e, and half of something must not stay.
			(set -e; "$@" "$tmp") >&2
			status=$?
			[ $status -eq 0 ] || exit $status
			mv "$tmp" "$final"
		fi
		exec {lock}>&-
	fi
	echo "$final"
}

# forget NAME: what the cache has of that name, and nobody has used for a month.
forget() {
	# Another run may be about to rename what is found.
	find "$LW_CACHE" -maxdepth 1 -name "$1" ! -name '*.tmp' -mtime +30 -exec rm -rf {} +
}

# disk_image FILE DIRECTORY: make FILE a file system with what is in the directory, to be
# mounted read-only.
disk_image() {
	local kib
	# a quarter more, for whole blocks, inodes and tables; what is not used takes no room
	kib=$(($(du -sk --apparent-size "$2" | cut -f1) * 5 / 4 + 65536))
	truncate -s ${kib}k "$1"
	mke2fs -q -F -t ext4 -O ^has_journal -m 0 -d "$2" "$1"
}

# hash_of WORD...: short content key of its arguments.
hash_of() { printf '%s\n' "$@" | sha256sum | cut -c1-12; }
