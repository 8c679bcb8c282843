#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# enter.sh ROOT COMMAND...: run COMMAND in ROOT by chroot, in a mount namespace
# of its own. The root stays read-only, /tmp is empty, the repository is at
# /latewind and the working directory. Only the environment variables named in
# LW_PASS get in. LW_KERNEL names a directory that is seen at /kernel. Compilers are
# called by way of the root's ccache, if it has that.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

root=${1:?usage: enter.sh ROOT COMMAND...}
shift
need_root "entering $root"

env=(PATH=$LW_CCACHE_PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/tmp LC_ALL=C.UTF-8
	"CCACHE_DIR=$LW_GUEST_CCACHE" "CCACHE_COMPILERCHECK=$CCACHE_COMPILERCHECK")
mkdir -p "$CCACHE_DIR"
for name in ${LW_PASS:-}; do
	env+=("$name=${!name-}")
done

# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --propagation private bash -euc '
	root=$1 repo=$2 at=$3 kernel=$4 kernel_at=$5 ccache=$6 ccache_at=$7
	shift 7
	mount --bind "$root" "$root"
	mount -o remount,bind,ro "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs tmpfs "$root/tmp"
	mount --rbind /dev "$root/dev"
	mount --bind "$repo" "$root$at"
	[ -z "$kernel" ] || mount --bind "$kernel" "$root$kernel_at"
	mount --bind "$ccache" "$root$ccache_at"
	exec chroot "$root" /usr/bin/env -i "$@"
' enter "$root" "$LW_REPO" "$LW_GUEST_REPO" "${LW_KERNEL:-}" "$LW_GUEST_KERNEL" \
	"$CCACHE_DIR" "$LW_GUEST_CCACHE" "${env[@]}" \
	/bin/sh -c "cd $LW_GUEST_REPO && exec \"\$@\"" sh "$@"
