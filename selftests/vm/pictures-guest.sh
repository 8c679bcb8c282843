#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of pictures.sh: record what the pictures in Documentation/pictures show, and
# leave in $OUT the stacks of the demo, a flame page, and terminals as tmux has them.
set -euo pipefail

"$LATEWIND_ROOT/selftests/vm/demo-guest.sh"

# The tutorial's own files, so that its pictures show what it tells of.
check=$LW_BUILD/selftests/tutorial_check.py
mkdir /tmp/tutorial
cd /tmp/tutorial
"$check" "$LW_BUILD/selftests/tutorial.rst" >"$OUT/tutorial.tap"
cc -Og -g -o words words.c
latewind flame -q --title ./words --percent-limit 1 -o "$OUT/words.html" before.data

tm() {
	tmux -u -L lw-pictures -f /dev/null "$@"
}

sees() { # PATTERN
	local end=$((SECONDS + 120))
	until tm capture-pane -p | grep -q -e "$1"; do
		[ $SECONDS -lt $end ] || { echo "in vain: $1" >&2; tm capture-pane -p >&2; return 1; }
		sleep 0.2
	done
}

# picture NAME: what is on the screen, with its colours.
picture() {
	tm capture-pane -e -p >"$OUT/$1.ansi"
}

export TERM=xterm-256color
tm new-session -d -x 92 -y 22 'latewind report --no-children -g callee before.data; cat'
sees '^h: help'
tm send-keys Enter
sees ' find$'
picture report
tm kill-server

while cat numbers; do :; done 2>/dev/null | ./words >/dev/null &
words=$!
tm new-session -d -x 92 -y 22 "latewind top --children -p $words; cat"
sees '\] find *$'
picture top
# A server that is killed does not wait for it, and the module would still be in use.
tm send-keys q
sees '^\[ latewind top:'
tm kill-server
kill $words
