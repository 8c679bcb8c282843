#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# model.sh: spin searches wake.pml and ring.pml whole, the latter in both modes; then
# they are broken, one rule at a time, and spin must find that. Prints TAP, one result a search. Runs in the
# trixie-lab root, so that spin is needed nowhere else.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

searches=(
	"wake|wake"
	"found: wake without barrier|wake -DBREAK=1"
	"found: wake not looked for where a step is crossed|wake -DBREAK=2"
	"found: wake not looked for with others behind|wake -DBREAK=3"
	"found: wake without barrier from another CPU|wake -DBREAK=4"
	"found: wake not looked for where a LOST record crosses a step|wake -DBREAK=5"
	"discard|ring"
	"overwrite|ring -DOVERWRITE -DRECORDS=2"
	"found: published by who interrupts|ring -DBREAK=1"
	"found: position without release|ring -DBREAK=2"
	"found: commit without release|ring -DBREAK=3"
	"found: place given back too early|ring -DBREAK=7"
	"found: overwrite, published by who interrupts|ring -DOVERWRITE -DRECORDS=2 -DBREAK=1"
	"found: overwrite, position without release|ring -DOVERWRITE -DRECORDS=2 -DBREAK=2"
	"found: overwrite, commit without release|ring -DOVERWRITE -DRECORDS=2 -DBREAK=3"
	"found: overwrite, tail without barrier|ring -DOVERWRITE -DRECORDS=2 -DBREAK=4"
	"found: overwrite, tail past what is published|ring -DOVERWRITE -DRECORDS=2 -DBREAK=5"
	"found: overwrite, tail past a busy record|ring -DOVERWRITE -DRECORDS=2 -DBREAK=6"
	"found: overwrite, snapshot without fence|ring -DOVERWRITE -DRECORDS=2 -DBREAK=7"
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

root=$("$LW_VM_DIR/mkroot.sh" trixie-lab)
echo "TAP version 13"
echo "1..${#searches[@]}"
number=0 bad=0
for line in "${searches[@]}"; do
	number=$((number + 1))
	name=${line%%|*}
	# What it says decides, not its status.
	said=$(search "${line#*|}") || true
	case $name in
	found:*) want='assertion violated.*errors: 1$' ;;
	*) want='errors: 0$' ;;
	esac
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' <<<"$said")
	# A search that was cut short says so, and has proved nothing.
	if tr '\n' ' ' <<<"$said" | sed 's/errors: \([0-9]\) .*/errors: \1/' | grep -qE "$want" &&
		! grep -qE 'depth too small|out of memory|MEMLIM|hash table is full' <<<"$said"; then
		echo "ok $number - $name ($states states)"
	else
		echo "not ok $number - $name"
		tail -n 30 <<<"$said" | sed 's/^/# /'
		bad=1
	fi
done
exit $bad
