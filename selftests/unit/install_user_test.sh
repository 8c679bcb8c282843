#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install_user_test.sh: what "make install-user" leaves is used from where it is.
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
		    share/doc/latewind/LICENSES share/doc/latewind/60-latewind.rules; do
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
checks_done
