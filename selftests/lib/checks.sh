# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# checks.sh: TAP for tests that are shell scripts. A check is a command, mostly
# a function; what it prints is shown when it fails.
#
# $tmp is a directory for files; what a command said on stderr is in $err.

tmp=$(mktemp -d)
err=$tmp/err
failed=0 number=0

checks_free() {
	rm -rf "$tmp"
}

# The last line of a test: the plan, and the exit status.
checks_done() {
	echo "1..$number"
	exit $failed
}

ok() { # NAME COMMAND...
	local name=$1
	number=$((number + 1))
	shift
	if "$@" >"$tmp/said" 2>&1; then
		echo "ok $number - $name"
		return
	fi
	failed=1
	# before the result, as kselftest has it: what tap.py shows with a failure
	head -n 20 "$tmp/said" | cut -c1-200 | sed 's/^/# /'
	echo "not ok $number - $name"
	return 1
}

skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 4
}

skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

wait_for() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		if ((SECONDS >= end)); then
			echo "in vain: $*"
			return 1
		fi
		sleep 0.1
	done
}

# What the tool says is kept in $err. It has $patience seconds.
patience=30
exits() { # STATUS COMMAND...
	local want=$1 status=0
	shift
	timeout "$patience" "$@" >"$tmp/out" 2>"$err" || status=$?
	[ "$status" -eq "$want" ] && return
	echo "exit status $status instead of $want: $*"
	cat "$err"
	return 1
}

has() { # FILE PATTERN...
	local file=$1 pattern
	shift
	for pattern in "$@"; do
		grep -qE -e "$pattern" "$file" && continue
		echo "no '$pattern' in:"
		cat "$file"
		return 1
	done
}

missing() { # FILE...
	local file
	for file in "$@"; do
		[ ! -e "$file" ] || { echo "$file is there"; return 1; }
	done
}

equal() { # WHAT LEFT RIGHT
	[ "$2" = "$3" ] || { echo "$1: '$2' is not '$3'"; return 1; }
}

same() { # FILE FILE: lines, and there are some
	[ -s "$1" ] || { echo "$1 is empty"; return 1; }
	diff "$1" "$2"
}
