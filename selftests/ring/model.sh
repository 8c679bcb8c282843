#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# model.sh: spin searches wake.pml and ring.pml whole, the latter in both modes; then
# they are broken, one rule at a time, and spin must find that. Prints TAP, one result a
# search. Runs in the trixie-lab root, so that spin is needed nowhere else.
#
# The short form breaks a few rules, which the seed chooses, and believes the cache of a
# sound model that was searched before, by the same program. LW_LONG=1 searches all.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

# shellcheck source=selftests/lib/checks.sh
. "$LW_VM_DIR/../lib/checks.sh"
checks_free

sound=(
	"wake|wake"
	"discard|ring"
	"overwrite|ring -DOVERWRITE -DRECORDS=2"
)
broken=(
	"wake without barrier|wake -DBREAK=1"
	"wake not looked for where a step is crossed|wake -DBREAK=2"
	"wake not looked for with others behind|wake -DBREAK=3"
	"wake without barrier from another CPU|wake -DBREAK=4"
	"wake not looked for where a LOST record crosses a step|wake -DBREAK=5"
	"published by who interrupts|ring -DBREAK=1"
	"position without release|ring -DBREAK=2"
	"commit without release|ring -DBREAK=3"
	"place given back too early|ring -DBREAK=7"
	"overwrite, published by who interrupts|ring -DOVERWRITE -DRECORDS=2 -DBREAK=1"
	"overwrite, position without release|ring -DOVERWRITE -DRECORDS=2 -DBREAK=2"
	"overwrite, commit without release|ring -DOVERWRITE -DRECORDS=2 -DBREAK=3"
	"overwrite, tail without barrier|ring -DOVERWRITE -DRECORDS=2 -DBREAK=4"
	"overwrite, tail past what is published|ring -DOVERWRITE -DRECORDS=2 -DBREAK=5"
	"overwrite, tail past a busy record|ring -DOVERWRITE -DRECORDS=2 -DBREAK=6"
	"overwrite, snapshot without fence|ring -DOVERWRITE -DRECORDS=2 -DBREAK=7"
)

# search MODEL DEFINES: what spin's program prints; a trail is left on an error only.
# shellcheck disable=SC2016,SC2086 # expanded in the root; defines are split
search() {
	"$LW_VM_DIR/enter.sh" "$root" sh -euc '
		model=$PWD/selftests/ring/$1.pml
		shift
		cd /tmp
		spin -a "$@" "$model"
		gcc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
		# That processes wait for ever is as it should be: -E.
		./pan -E -m100000 -w24
	' sh $1 2>&1
}

# what_it_says WANT MODEL DEFINES: searches; prints the number of states if spin says
# that, else all that it says, and fails. Spin's status does not decide.
what_it_says() {
	local said states status=0
	said=$(search "$2") || status=$?
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' <<<"$said")
	# A search that was cut short says so, and has proved nothing.
	if tr '\n' ' ' <<<"$said" | sed 's/errors: \([0-9]\) .*/errors: \1/' | grep -qE "$1" &&
		! grep -qE 'depth too small|out of memory|MEMLIM|hash table is full' <<<"$said"; then
		echo "$states states"
		return
	fi
	tail -n 30 <<<"$said"
	echo "exit status $status"
	return 1
}

is_sound() {
	local kept said
	kept=$models/$(hash_of "$1" "$(cat "selftests/ring/${1%% *}.pml")" "$(declare -f search)" "$spin")
	if ! long_form && [ -s "$kept" ]; then
		echo "$(cat "$kept"), when it was searched"
		return
	fi
	said=$(what_it_says 'errors: 0$' "$1") || { echo "$said"; return 1; }
	mkdir -p "$models"
	echo "$said" >"$kept.$$"
	mv "$kept.$$" "$kept"
	echo "$said"
}

is_found() {
	what_it_says 'assertion violated.*errors: 1$' "$1"
}

# result NAME COMMAND MODEL
bad=0 number=0
result() {
	local said
	number=$((number + 1))
	if said=$("$2" "$3"); then
		echo "ok $number - $1 ($said)"
		return
	fi
	bad=1
	printf '%s\n' "$said" | sed 's/^/# /'
	echo "not ok $number - $1"
}

cd "$LW_REPO"
root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
spin=$(sha256sum <"$root/usr/bin/spin")
models=$LW_CACHE/models
mapfile -t broken < <(sample 3 "${broken[@]}" 2>&1)
echo "TAP version 13"
for line in "${broken[@]}"; do
	case $line in
	\#*) echo "$line" ;;
	*) result "found: ${line%%|*}" is_found "${line#*|}" ;;
	esac
done
for line in "${sound[@]}"; do
	result "${line%%|*}" is_sound "${line#*|}"
done
echo "1..$number"
exit $bad
