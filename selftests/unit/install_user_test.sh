#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install_user_test.sh: what "make install-user" leaves is used from where it is, and "make
# uninstall-user" takes it away; what "make dist" makes builds without git.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=selftests/lib/checks.sh
. selftests/lib/checks.sh
trap checks_free EXIT

prefix=/opt/latewind
# shellcheck disable=SC2034 # of checks.sh; it may have all to build
patience=$((1200 * scale))
to=$tmp/root$prefix

# pkg-config's paths are those below DESTDIR.
export PKG_CONFIG_PATH=$to/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
export LD_LIBRARY_PATH=$to/lib

is_installed() {
	exits 0 make --no-print-directory -s install-user DESTDIR="$tmp/root" PREFIX=$prefix || return
	local file
	for file in bin/latewind bin/latewind-sframe lib/liblatewind.a lib/liblatewind.so.1 \
		    include/liblatewind.h share/latewind/flame_page.html share/doc/latewind/NOTICE \
		    share/doc/latewind/LICENSES share/latewind/60-latewind.rules \
		    share/latewind/sysusers.conf share/latewind/sysctl.conf sbin/latewind-group; do
		[ -s "$to/$file" ] || { echo "no $file"; return 1; }
	done
	! grep -rlF "$PWD/" "$to/share" "$to/include" "$to/lib/pkgconfig"
}

# The page is read first: what is missing then is the recording.
finds_its_page() {
	exits 1 "$to/bin/latewind" flame -i /no/recording && has "$err" '/no/recording' || return
	mv "$to/share/latewind/flame_page.html" "$tmp/page" || return
	exits 1 "$to/bin/latewind" flame -i /no/recording &&
		has "$err" 'share/latewind/flame_page.html: No such file' || return
	echo other >"$to/share/latewind/flame_page.html"
	exits 1 "$to/bin/latewind" flame -i /no/recording &&
		has "$err" 'flame_page.html is no page of flame graphs' || return
	mv "$tmp/page" "$to/share/latewind/flame_page.html"
}

flags() {
	pkg-config "$@" latewind
}

# shellcheck disable=SC2046 # several words
links_c() {
	exits 0 cc -Wall -Werror samples/stacks/stacks_of_pid.c $(flags --cflags --libs) -o "$tmp/c" &&
		exits 2 "$tmp/c" && has "$err" 'usage: stacks_of_pid PID' &&
		exits 0 cc samples/stacks/stacks_of_pid.c $(flags --cflags) "$to/lib/liblatewind.a" \
			-o "$tmp/static" &&
		exits 2 env -u LD_LIBRARY_PATH "$tmp/static"
}

# A JIT's part of it is C++98, as it needs nothing of latewind.h.
# shellcheck disable=SC2046
links_cxx() {
	cat >"$tmp/cxx.cc" <<-'END'
		#include <cstdio>
		#include <liblatewind.h>
		#if __cplusplus >= 201103L
		#include <latewind.h>
		#endif

		int main()
		{
			struct latewind_session *session;
			int ret = latewind_session_open(&session);

			if (!ret)
				latewind_session_close(session);
			std::printf("%d\n", ret);
			return 0;
		}
	END
	local standard
	for standard in c++98 c++20; do
		exits 0 c++ -std=$standard -Wall -Werror "$tmp/cxx.cc" $(flags --cflags --libs) \
			-o "$tmp/cxx" && exits 0 "$tmp/cxx" && has "$tmp/out" '^-?[0-9]+$' || return
	done
}

# ctypes finds it by its name. There is no such process, whether there is the module or not.
is_loaded_by_python() {
	exits 2 python3 samples/stacks/stacks.py && has "$err" 'usage: ' &&
		exits 1 python3 samples/stacks/stacks.py 4194304 && has "$err" '^(open|filter): '
}

bash_completes() {
	# shellcheck disable=SC2016 # the inner shell's
	exits 0 env PATH="$to/bin:$PATH" bash -c '
		. "$1"
		COMP_WORDS=(latewind rec) COMP_CWORD=1 COMPREPLY=()
		_latewind
		echo "${COMPREPLY[@]}"' bash "$to/share/bash-completion/completions/latewind" &&
		has "$tmp/out" '^record' &&
		exits 0 bash -n "$to/share/bash-completion/completions/latewind-sframe"
}

# zsh_makes END LINE: what an interactive zsh makes of LINE and a tab ends in END.
zsh_makes() {
	local patience=$((120 * scale))
	exits 0 env TERM=dumb PATH="$to/bin:$PATH" zsh -f "$tmp/tab.zsh" \
		"$to/share/zsh/site-functions" "$2" "$1"
}

zsh_completes() {
	cat >"$tmp/tab.zsh" <<-'END'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
		zpty -r -m shell said '*ready*' || exit
		zpty -n -w shell $2$'\t'
		zpty -r -m shell said "*$3*"
	END
	zsh_makes 'ord ' 'latewind rec' && zsh_makes '-cpu' 'latewind record --off' &&
		zsh_makes 'mp ' 'latewind-sframe du'
}

tells_its_version() {
	local version
	version=$(cat VERSION)
	exits 0 "$to/bin/latewind" --version && has "$tmp/out" "^latewind ${version//./\\.} \\(ABI [0-9]+" &&
		exits 0 pkg-config --modversion latewind && has "$tmp/out" "^${version//./\\.}\$"
}

# Turning it on and off is the install lane's, as it changes the machine. Who installs below a
# directory of their own is not root.
group_is_off() {
	local nobody=()
	[ "$(id -u)" -ne 0 ] || nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chmod 755 "$tmp"
	exits 0 "${nobody[@]}" sh "$to/sbin/latewind-group" apply &&
		exits 0 "${nobody[@]}" sh "$to/sbin/latewind-group" off &&
		exits 1 "${nobody[@]}" sh "$to/sbin/latewind-group" on && has "$err" "'on' needs root" || return
	exits 0 "$to/sbin/latewind-group" status && has "$tmp/out" '^off$' &&
		exits 2 "$to/sbin/latewind-group" && exits 2 "$to/sbin/latewind-group" off now &&
		exits 2 "$to/sbin/latewind-group" of && has "$err" "'of' is none of" &&
		exits 1 "$to/sbin/latewind-group" on no-such-user && has "$err" "no user 'no-such-user'"
}

# The module of a kernel whose build directory is named goes to that kernel.
kernel_is_named() {
	mkdir -p "$tmp/kernel/include/config"
	echo 6.99.0-named >"$tmp/kernel/include/config/kernel.release"
	exits 0 env -u KREL make --no-print-directory -n -o module install-module DESTDIR="$tmp/root" \
		KDIR="$tmp/kernel" && has "$tmp/out" ' .*/lib/modules/6\.99\.0-named/updates/latewind\.ko$'
}

# A dpkg that says so of any file.
packages_source_stays() {
	mkdir "$tmp/owner"
	printf '#!/bin/sh\n' >"$tmp/owner/dpkg"
	chmod 755 "$tmp/owner/dpkg"
	exits 2 env PATH="$tmp/owner:$PATH" make -s dkms-source-is-ours && has "$err" 'is of a package' &&
		exits 0 make -n dkms-remove && has "$tmp/out" 'is of a package'
}

is_uninstalled() {
	touch "$to/bin/other"
	exits 0 make --no-print-directory -s uninstall-user DESTDIR="$tmp/root" PREFIX=$prefix || return
	find "$to" ! -type d >"$tmp/left"
	echo "$to/bin/other" | diff "$tmp/left" - && [ ! -e "$to/share/latewind" ]
}

# Only in a clone: a release has no release in it.
dist_builds() {
	local version commit
	version=$(cat VERSION)
	exits 0 make --no-print-directory -s dist || return
	tar -C "$tmp" -x -f "build/latewind-$version.tar.gz" || return
	commit=$(git rev-parse --short=12 HEAD)
	# Nothing of the directories above it is git's, either.
	exits 0 env GIT_CEILING_DIRECTORIES="$tmp" make --no-print-directory -s -C "$tmp/latewind-$version" \
		tools "-j$(nproc)" &&
		exits 0 "$tmp/latewind-$version/build/tools/latewind" --version &&
		has "$tmp/out" "commit $commit\\)\$"
}

needs make cc pkg-config python3
ok 'make install-user' is_installed
ok 'flame finds its page, and says what it lacks' finds_its_page
ok 'C' links_c
if command -v c++ >/dev/null; then
	ok 'C++' links_cxx
else
	lacks 'C++' c++
fi
ok 'Python' is_loaded_by_python
ok 'bash' bash_completes
if command -v zsh >/dev/null; then
	ok 'zsh' zsh_completes
else
	lacks 'zsh' zsh
fi
ok 'its version' tells_its_version
ok 'the group is off' group_is_off
ok 'a named kernel' kernel_is_named
ok "a package's sources" packages_source_stays
if [ -e .git ] && command -v git >/dev/null; then
	ok 'make dist' dist_builds
else
	lacks 'make dist' git
fi
ok 'make uninstall-user' is_uninstalled
checks_done
