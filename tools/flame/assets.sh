#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# assets.sh OUT: write the page of 'latewind flame' to OUT, complete but for its
# title and its data. What it takes from the npm registry, as package-lock.json
# has it, is kept in the cache, and is not asked for twice.
set -eu

out=${1:?usage: assets.sh OUT}
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/latewind

# d3's parts, each after those that it needs.
parts="array color format interpolate time time-format scale dispatch ease hierarchy
	selection timer transition"

library() { # DIRECTORY
	echo '/* d3-flame-graph by Martin Spier and others, Apache-2.0; d3 by Mike Bostock, ISC. */'
	for part in $parts; do
		cat "$1/d3-$part/dist/d3-$part.min.js"
		echo
	done
	cat "$1/d3-flame-graph/dist/d3-flamegraph.umd.min.js"
}

key=$(cat "$here/package.json" "$here/package-lock.json" "$0" | sha256sum | cut -c1-12)
kept=$cache/flame-$key.js
if [ ! -s "$kept" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/flame-$key.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cp "$here/package.json" "$here/package-lock.json" "$work/"
	# where there is no registry, no build waits for it for long
	(cd "$work" && timeout 120 npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
		--fetch-retries=1 --fetch-retry-mintimeout=1000 \
		--fetch-retry-maxtimeout=2000 --fetch-timeout=30000 >npm.log 2>&1) || {
		cat "$work/npm.log" >&2
		echo "latewind: npm cannot get d3-flame-graph: 'latewind flame' needs it" >&2
		exit 1
	}
	library "$work/node_modules" >"$work/flame.js"
	# It stands in a script element.
	if grep -qi '</script' "$work/flame.js"; then
		echo "latewind: d3-flame-graph ends the script that it stands in" >&2
		exit 1
	fi
	mv "$work/flame.js" "$kept"
fi

mkdir -p "$(dirname "$out")"
awk -v library="$kept" -v style="$here/page.css" -v script="$here/page.js" '
function insert(file,  line) {
	while ((getline line <file) > 0)
		print line
	close(file)
}
$0 == "@STYLE@" { insert(style); next }
$0 == "@LIBRARY@" { insert(library); next }
$0 == "@SCRIPT@" { insert(script); next }
{ print }' "$here/page.html" >"$out.tmp"
mv "$out.tmp" "$out"
