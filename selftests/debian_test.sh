#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debian_test.sh [HITS]: programs as Debian built them, and their stacks where they
# hit a probe: those that Latewind finds beside those that perf gets from a copy
# of 65528 bytes of the stack and .eh_frame. Hits are recorded by both in the same
# run. HITS are those in a program of known stacks, default 300. The short form takes one
# of the programs, which the seed chooses, 60 hits in that of known stacks and the first 150
# in others, and of perf's ways that with all of the stack only.
#
# Leaves $OUT/debian.json, an object for each program.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
here=$PWD
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh
trap 'checks_free; probes_free' EXIT

if long_form; then
	hits=${1:-300} events_wanted='full eight fp' most=0
else
	hits=${1:-60} events_wanted=full most=150
fi
# shellcheck source=selftests/lib/probes.sh
. lib/probes.sh

# program NAME MIN_HITS FILE SYMBOL COMMAND...
program() {
	local name=$1 least=$2 file=$3 symbol=$4
	shift 4
	chosen "$name" || return 0
	[ -x "$1" ] || { lacks "$name: whole stacks" "$1"; return; }
	if ok "$name at $symbol of ${file##*/}: recorded" record "$file" "$symbol" "$@"; then
		ok "$name: whole stacks, as perf's with all of the stack" compare "$name" "$least"
	fi
}

# deep DEPTH
deep() {
	ok "depth $1: recorded" record "$here/deep" hit "$here/deep" "$1" "$hits" || return
	cp "$tmp/printed" "$tmp/expected"
	ok "depth $1: the frames that there are" compare "deep-$1" "$hits" "$tmp/expected"
}

needs latewind perf python3 readelf nm
perf version --build-options 2>/dev/null | grep -qE '(dwarf|libdw|libunwind).*\[ *on' ||
	skip_all 'perf without DWARF unwinding'
needs_perf_as_judge
probes_init "${OUT:-$tmp}/debian.json"
cc1=$(gcc -print-prog-name=cc1 2>/dev/null)
programs='bash python3 perl xz sqlite3 openssl'
# The roots of other architectures do not all have these.
[ "$(uname -m)" != x86_64 ] || programs+=' cc1 gdb'
# shellcheck disable=SC2086 # words
choose 1 $programs

deep 30
! long_form || deep 120

cat >"$tmp/work.sh" <<'END'
f() { local x=$1; [ "$x" -gt 0 ] || return; f $((x - 1)); echo "${x/1/2}" >/dev/null; }
f 5
END
program bash 50 "$libc" cfree /usr/bin/bash "$tmp/work.sh"

cat >"$tmp/work.py" <<'END'
import re
class Node:
    def __init__(self, depth):
        self.kids = [Node(depth - 1) for _ in range(2)] if depth else []
    def sum(self):
        return 1 + sum(kid.sum() for kid in self.kids)
    def __del__(self):
        re.sub('a+', lambda m: m[0] * 2, 'baab' * 3)
Node(1).sum()
END
program python3 50 /usr/bin/python3 PyObject_GetAttr /usr/bin/python3 "$tmp/work.py"

cat >"$tmp/work.pl" <<'END'
sub walk { my $n = shift; return $n ? 1 + walk($n - 1) : length(join ",", map { s/1/22/r } sort 1 .. 9) }
print walk($_), "\n" for 1 .. 9; eval { die "x" }; print sprintf("%s", $@);
END
program perl 50 "$libc" malloc /usr/bin/perl "$tmp/work.pl"

cat >"$tmp/work.c" <<'END'
struct s { int a, b[4]; };
static int f(struct s *s, int n) { int i, r = 0; for (i = 0; i < n; i++) r += s->b[i & 3] * i; return r; }
int g(struct s *s) { return f(s, 9) + f(s, 3) ? s->a / 3 : f(s, 100); }
END
program cc1 50 "$libc" realloc "$cc1" -quiet -O2 "$tmp/work.c" -o /dev/null

program gdb 20 "$libc" realloc /usr/bin/gdb -nx -batch -ex 'info line main' -ex 'info scope main' "$here/deep"

head -c 300000 "$libc" >"$tmp/data"
program xz 20 "$(library /usr/bin/xz liblzma 2>/dev/null)" lzma_code /usr/bin/xz -9 -k -c "$tmp/data"

program sqlite3 50 "$libc" malloc /usr/bin/sqlite3 :memory: \
	'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
	 insert into t select i, hex(i) from n; create index x on t(b);
	 select a.b, count(*) from t a join t b on a.a > b.a group by a.b order by 2 desc limit 3;'

crypto=$(library /usr/bin/openssl libcrypto 2>/dev/null)
program openssl 50 "$crypto" CRYPTO_realloc /usr/bin/openssl speed -seconds 1 -bytes 64 sha256

probes_end
checks_done
