#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tutorial_test.sh [PAGE]: the commands of Documentation/tutorial.rst, run as the page has
# them, print what the page shows, in shape; see tutorial_check.py. Needs the tool in PATH, cc
# and python3, and the module loaded.
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh
needs latewind cc python3
trap checks_free EXIT

page=$(realpath "${1:-tutorial.rst}")
check=$PWD/tutorial_check.py
cd "$tmp" || exit
"$check" "$page"
