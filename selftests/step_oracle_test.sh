#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# step_oracle_test.sh: programs run instruction by instruction, and every stack
# compared with the calls that were seen (step_oracle.c).
#
#	step_oracle_test.sh		programs of our own, and a part of real ones;
#					in the short form those that the seed chooses
#	step_oracle_test.sh STEPS	STEPS instructions of real programs, in all, and
#					nothing else; what was said is left in $OUT;
#					fewer, or no gdb, is a failure
#
# Each run's summary is shown: what was wrong, of gdb too, must be explained, by class.
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh
trap checks_free EXIT

steps_wanted=${1:-}
out=${OUT:-$tmp}
gdb_every=500
[ -z "$steps_wanted" ] || gdb_every=200
gdb=(-g "$gdb_every")
command -v gdb >/dev/null || gdb=()
# Elsewhere there are real programs alone, and no gdb.
[ "$(uname -m)" = x86_64 ] && whole=1 || whole=
programs_left=5 steps_done=0 compared=0 gdb_compared=0

# shellcheck disable=SC2317 # run by ok()
# Steps a program, and has gdb for a second opinion; what is said is kept.
oracle() { # NAME ARGUMENT...
	local name=$1 status=0
	shift
	# shellcheck disable=SC2086 # several, perhaps: -n is without the module
	./step_oracle ${LW_STEP_OPTIONS:-} -p 30 "$@" >"$out/steps-$name.txt" 2>&1 || status=$?
	grep -E '^steps=|not explained|no stack|^step_oracle:|^gdb' "$out/steps-$name.txt" |
		sort -u | tail -n 20
	return "$status"
}

# A number of a program's sum.
number_of() { # NAME KEY
	grep '^steps=' "$out/steps-$1.txt" | grep -oE "(^| )$2=[0-9]+" | cut -d= -f2
}

# "oracle" as a check; the sum is said in any case.
steps() { # NAME ARGUMENT...
	ok "every stack of $1 is right or explained" oracle "$@"
	grep -E '^# class|^steps=' "$out/steps-$1.txt" | sed 's/^\(# \)\?/# /'
	steps_done=$((steps_done + $(number_of "$1" steps) + 0))
	compared=$((compared + $(number_of "$1" compared) + 0))
	gdb_compared=$((gdb_compared + $(number_of "$1" gdb_compared) + 0))
}

# Not all of a program is its start: calls are gone into a few times each. Of the
# steps that are wanted, what one has not done is left to the next ones.
real() { # NAME PROGRAM ARGUMENT...
	local name=$1 part=1000
	shift
	chosen "$name" || return 0
	command -v "$1" >/dev/null || {
		lacks "every stack of $name is right or explained" "$1"
		return
	}
	! long_form || part=4000
	[ -z "$steps_wanted" ] ||
		part=$(((steps_wanted - steps_done + programs_left - 1) / programs_left))
	steps "$name" -e "${gdb[@]}" -v 10 -s "$part" "$@"
	programs_left=$((programs_left - 1))
}

# shellcheck disable=SC2317 # run by ok()
at_least() { # WHAT NUMBER LEAST
	[ "$2" -ge "$3" ] || { echo "$1: $2 is less than $3"; return 1; }
}

# A program that ends early, or gdb that is not there, must not go unnoticed. A step
# that ends with a signal has no stack to compare, but a call run through has.
all_was_done() {
	echo "# in all: steps=$steps_done compared=$compared gdb_compared=$gdb_compared"
	ok "$steps_wanted steps" at_least steps "$steps_done" "$steps_wanted"
	ok "each compared with the shadow stack" at_least compared "$compared" "$steps_wanted"
	ok "each ${gdb_every}th by gdb too" at_least gdb_compared "$gdb_compared" \
		$((steps_wanted * 99 / (gdb_every * 100)))
}

# shellcheck disable=SC2016 # of these programs
bash_script='
f() { local a=$1; echo "${a//b/c}"; }
declare -A m
for i in {1..400}; do
	m[$i]=$((i * i)); x=$(f "abc$i"); [[ $x =~ c([0-9]+) ]]
	case ${BASH_REMATCH[1]} in 1*) printf -v y "%5.2f %q" "$i" "$x" ;; esac
done
echo "${!m[@]}" | sort | tail -n 1
trap "echo bye" EXIT'

# shellcheck disable=SC2016
perl_script='
my %h;
for my $i (1 .. 3000) { $h{$i % 97} .= sprintf "x%d", $i; }
my @k = sort { length $h{$a} <=> length $h{$b} or $a cmp $b } keys %h;
eval { die { k => [@k] } };
s/x(\d)(\d*)/$2-$1/g for values %h;
sub f { my $n = shift; $n < 2 ? 1 : f($n - 1) + f($n - 2) }
local $SIG{USR1} = sub { f(3) };
kill USR1 => $$;
print f(15), join ",", map { pack "N", $_ } @k;'

python_script='
import sys
class A:
	def __init__(self, n): self.n = n
	def __lt__(self, other): return self.n < other.n
	def f(self): return sum(x * x for x in range(self.n))
def raises(n):
	if n: raises(n - 1)
	raise ValueError(n)
for i in range(50):
	try: raises(i % 7)
	except ValueError as e: str(e)
	sorted(A(j % 13) for j in range(i))
	"%s %r %f" % (i, {j: str(j) for j in range(i)}, i / 3)
	A(i).f()
print(2 ** 1000, sys.version)'

# What is compressed and looked at: a million steps don't come to its end.
data() {
	cp "$(command -v readelf || echo ./step_oracle)" "$tmp/binary"
}

# The programs of our own, whole, which is some 30,000 steps; the linker too, for a
# while. A string instruction is a step for each round, and where the emulated CPU is said
# to be quick at these libc has some of a million: not all of them.
own() {
	local program
	for program in steps steps_cxx; do
		steps "$program" -e -w -v 2 -s 100000 "${gdb[@]}" "./$program"
	done
	for program in steps_now steps_fp steps_0; do
		steps "$program" -e -w -v 1 -s 50000 "./$program"
	done
	steps steps_cxx_plain -e -w -v 1 "${gdb[@]}" ./steps_cxx_plain
	steps linker -s 3000 -v 3 ./steps_now
}

# Two of them, of which one is seen by gdb.
some_of_our_own() {
	local program peer=("${gdb[@]}")
	for program in $(sample 2 steps steps_cxx steps_now steps_fp steps_0 steps_cxx_plain); do
		steps "$program" -e -w -v 1 -s 5000 "${peer[@]}" "./$program"
		peer=()
	done
	steps linker -s 500 -v 3 ./steps_now
}

data
real_wanted=1
[ -z "$steps_wanted" ] || real_wanted=5
choose $real_wanted bash perl python3 xz readelf
if [ -n "$steps_wanted" ]; then
	ok "gdb is there" command -v gdb
else
	[ -z "$whole" ] || [ ${#gdb[@]} -gt 0 ] || lacks "gdb's stacks are right or explained" gdb
	if [ -z "$whole" ]; then
		:
	elif long_form; then
		own
	else
		some_of_our_own
	fi
fi
real bash bash -c "$bash_script"
real perl perl -e "$perl_script"
real python3 python3 -c "$python_script"
# Its threads would do the work elsewhere.
real xz xz -T1 -kc6 "$tmp/binary"
real readelf readelf -aW "$tmp/binary"
if [ -n "$steps_wanted" ]; then
	all_was_done
elif [ ${#gdb[@]} -gt 0 ]; then
	ok 'gdb was asked' at_least gdb_compared "$gdb_compared" 1
fi
checks_done
