#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bundle.sh DIRECTORY: have npm get d3-flame-graph and what it needs of d3, by
# package-lock.json, and leave in DIRECTORY what tools/flame/d3 has of it: flame.js, and the
# LICENSES of all that is in it; the status is 3 if npm could not get them. It is not minified:
# distributions want sources that people can read. To take a newer version: change package.json,
# "npm install --package-lock-only", bundle.sh tools/flame/d3.
set -eu

to=${1:?usage: bundle.sh DIRECTORY}
here=$(cd "$(dirname "$0")" && pwd)

# d3's parts, each after those that it needs.
parts="array color format interpolate time time-format scale dispatch ease hierarchy
	selection timer transition"

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
cp "$here/package.json" "$here/package-lock.json" "$modules/"
# Where there is no registry, nobody waits for it for long.
(cd "$modules" && timeout 120 npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
	--prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 \
	--fetch-retry-maxtimeout=2000 --fetch-timeout=30000) >&2 || exit 3
npm=$modules/node_modules

mkdir -p "$to"
{
	echo '/* d3-flame-graph by Martin Spier and others, d3 by Mike Bostock: see LICENSES. */'
	for part in $parts; do
		cat "$npm/d3-$part/dist/d3-$part.js"
		echo
	done
	# Lines of more than 512 characters are what lintian knows minified files by.
	sed -e 's/, require(/,\n    require(/g' -e '/textContent = "/s/}\\n\\n/&" +\n    "/g' \
		"$npm/d3-flame-graph/dist/d3-flamegraph.umd.js"
} >"$to/flame.js"
for module in internmap $(printf 'd3-%s ' $parts) d3-flame-graph; do
	sed -n "s/^  \"version\": \"\(.*\)\",\$/$module \1/p" "$npm/$module/package.json"
	echo
	cat "$npm/$module/LICENSE"
	echo
done >"$to/LICENSES"
# It stands in a script element.
! grep -qi '</script' "$to/flame.js" "$to/LICENSES"
