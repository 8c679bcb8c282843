#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# assets.sh OUT: write the page of 'latewind flame' to OUT, complete but for its
# title and its data. The page is kept in the cache, by what this directory has in it,
# and so is what it takes from the npm registry, by package-lock.json: npm is asked
# only if the cache has neither. Without both it says so in one line, and fails.
set -eu

out=${1:?usage: assets.sh OUT}
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/latewind

# d3's parts, each after those that it needs.
parts="array color format interpolate time time-format scale dispatch ease hierarchy
	selection timer transition"

key_of() { sha256sum | cut -c1-12; }

left_out() {
	echo "latewind: built without 'latewind flame': $1" >&2
	exit 1
}

library() { # DIRECTORY
	echo '/* d3-flame-graph by Martin Spier and others, Apache-2.0; d3 by Mike Bostock, ISC. */'
	for part in $parts; do
		cat "$1/d3-$part/dist/d3-$part.min.js"
		echo
	done
	cat "$1/d3-flame-graph/dist/d3-flamegraph.umd.min.js"
}

# ask_npm DIRECTORY: make the library there; who was interrupted has left a directory.
ask_npm() {
	command -v npm >/dev/null || left_out "no npm here, and no d3-flame-graph in $cache"
	rm -rf "$1"
	mkdir "$1"
	cp "$here/package.json" "$here/package-lock.json" "$1/"
	# where there is no registry, no build waits for it for long
	(cd "$1" && timeout 120 npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
		--fetch-retries=1 --fetch-retry-mintimeout=1000 \
		--fetch-retry-maxtimeout=2000 --fetch-timeout=30000 >npm.log 2>&1) || {
		mv "$1/npm.log" "$out.npm.log"
		rm -rf "$1"
		left_out "npm cannot get d3-flame-graph; it says why in $out.npm.log"
	}
	library "$1/node_modules" >"$1/flame.js"
	# It stands in a script element.
	! grep -qi '</script' "$1/flame.js" ||
		left_out "d3-flame-graph ends the script that it stands in"
}

page() { # LIBRARY
	awk -v library="$1" -v style="$here/page.css" -v script="$here/page.js" '
	function insert(file,  line) {
		while ((getline line <file) > 0)
			print line
		close(file)
	}
	$0 == "@STYLE@" { insert(style); next }
	$0 == "@LIBRARY@" { insert(library); next }
	$0 == "@SCRIPT@" { insert(script); next }
	{ print }' "$here/page.html"
}

mkdir -p "$(dirname "$out")"
d3=$cache/flame-$( (cat "$here/package.json" "$here/package-lock.json"; echo "$parts") | key_of).js
kept=$cache/flame-$(cat "$here"/* | key_of).html
if [ ! -s "$kept" ]; then
	mkdir -p "$cache/locks"
	# Of builds that begin at once, one asks.
	exec 9>"$cache/locks/flame"
	flock 9
	if [ ! -s "$d3" ]; then
		ask_npm "$d3.tmp"
		mv "$d3.tmp/flame.js" "$d3"
		rm -rf "$d3.tmp"
	fi
	page "$d3" >"$kept.tmp"
	mv "$kept.tmp" "$kept"
	exec 9>&-
fi
# Who was built from it is not built again.
cmp -s "$kept" "$out" || { cp "$kept" "$out.tmp" && mv "$out.tmp" "$out"; }
