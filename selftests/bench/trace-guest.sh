#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of trace.sh: a build of many small files, again and again,
# untraced and traced in turn. Leaves lines "SUBJECT SECONDS CALLS" in $OUT/rounds.
# All that the build needs is in memory, so that no file system is measured.
set -euo pipefail

root=$(mktemp -d)

# install_program PROGRAM...: with its libraries, into $root
install_program() {
	local program file
	for program; do
		program=$(command -v "$program")
		install -D "$program" "$root/bin/${program##*/}"
		for file in $(ldd "$program" | grep -o '/[^ ]*'); do
			install -D "$(realpath "$file")" "$root$file"
		done
	done
}

# build_tree: files, and what is made of them by a shell and two programs each
build_tree() {
	local i
	mkdir -p "$root/src" "$root/tmp"
	echo 'a line of a header' >"$root/src/all.h"
	for ((i = 0; i < TRACE_FILES; i++)); do
		echo "file $i" >"$root/src/$i.c"
	done
	cat >"$root/src/Makefile" <<-'END'
		SHELL := /bin/sh
		export PATH := /bin
		.RECIPEPREFIX := :
		objects := $(patsubst %.c,%.o,$(wildcard *.c))
		all.a: $(objects)
		:cat $(objects) >$@
		%.o: %.c all.h
		:cat all.h $< >$@.tmp && mv $@.tmp $@
	END
}

work=(chroot "$root" /bin/make -s -C /src)

# round SUBJECT CALLS-FILE COMMAND...
round() {
	local subject=$1 calls=$2 began ended
	shift 2
	rm -f "$root"/src/*.[oa] "$calls"
	sync
	began=$EPOCHREALTIME
	"$@" >/dev/null 2>"$root/tmp/said" || cat "$root/tmp/said" >&2
	ended=$EPOCHREALTIME
	[ -s "$root/src/all.a" ]
	# What was lost would be cheap.
	if [ -s "$root/tmp/said" ]; then
		cat "$root/tmp/said" >&2
		exit 1
	fi
	[ -e "$calls" ] || : >"$calls"
	echo "$subject $(((${ended/./} - ${began/./}) / 1000)) $(grep -cE '^[0-9]+ +[a-z_0-9]+\(' "$calls" || :)" |
		tee -a "$OUT/rounds"
}

dash=$(command -v dash)
install_program "$dash" make cat mv
ln "$root/bin/dash" "$root/bin/sh"
build_tree
round warm-up "$root/tmp/plain" "${work[@]}"
for ((n = 0; n < TRACE_ROUNDS; n++)); do
	round none "$root/tmp/plain" "${work[@]}"
	round latewind "$root/tmp/latewind" latewind trace -o "$root/tmp/latewind" "${work[@]}"
	round none "$root/tmp/plain" "${work[@]}"
	round strace "$root/tmp/strace" strace -f -o "$root/tmp/strace" "${work[@]}"
done
