#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# refuse_test.sh: a build for a kernel that there is no module for says why, in one error
# (module/compat/config.h), and what makes the difference is what the error names.
set -u
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nr=0 failed=0

mkdir "$tmp/linux"
: >"$tmp/linux/kconfig.h"
cat >"$tmp/linux/version.h" <<-'EOF'
	#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
EOF
# The least that there is a module for.
least=(CONFIG_X86_64 CONFIG_PERF_EVENTS CONFIG_STACKTRACE CONFIG_PREEMPTION CONFIG_TASKS_RCU)

# refuses WORDS VERSION OPTION...: the errors for such a kernel are one with these words; none
# if there are no words.
refuses() {
	local words=$1 version=$2 said number
	shift 2
	said=$(gcc -E -I "$tmp" "-DLINUX_VERSION_CODE=KERNEL_VERSION($version)" "${@/#/-D}" \
		module/compat/config.h 2>&1 >/dev/null)
	number=$(grep -c 'error:' <<<"$said")
	nr=$((nr + 1))
	if { [ -z "$words" ] && [ -z "$said" ]; } ||
	   { [ -n "$words" ] && [ "$number" = 1 ] && [[ $said == *"#error \"latewind: "*"$words"* ]]; }; then
		echo "ok $nr - $version ${*#CONFIG_}: ${words:-is built}"
	else
		sed 's/^/# /' <<<"$said"
		echo "not ok $nr - $version ${*#CONFIG_}: ${words:-is built}"
		failed=1
	fi
}

# without OPTION: those of $least but this one.
without() {
	local option
	for option in "${least[@]}"; do
		[ "$option" = "$1" ] || echo "$option"
	done
}

echo "TAP version 13"
echo "1..9"
refuses '' 6,1,0 "${least[@]}"
refuses '' 7,3,4 "${least[@]}"
refuses 'older than 6.1' 6,0,19 "${least[@]}"
for option in "${least[@]}"; do
	case $option in
	CONFIG_X86_64) words='this architecture is not supported' ;;
	CONFIG_PREEMPTION) words='' ;;
	*) words="no $option" ;;
	esac
	mapfile -t others < <(without "$option")
	refuses "$words" 6,1,0 "${others[@]}"
done
refuses 'this architecture is not supported' 6,1,0 "${least[@]}" CONFIG_UML
exit $failed
