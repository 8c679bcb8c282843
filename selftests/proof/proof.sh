#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# proof.sh [KERNEL]: others read a recording of SAMPLES (1000000) samples, made in a VM:
# perf of three releases and hotspot's reader, each from its Debian package. They have
# nothing to complain of, count as many samples as there are, and perf's call chains are
# those that 'latewind script' shows. And perf names what ran when a C project was built:
# no user frame is without a name but of functions of which a stripped file tells nothing;
# and none at all where what builds it is not stripped.
# Prints TAP, leaves what was said in build/proof/.
# shellcheck disable=SC2317 # ok() calls them
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
# shellcheck source=selftests/lib/checks.sh
. "$LW_REPO/selftests/lib/checks.sh"
trap checks_free EXIT
set +e

lane=${1:-6.12}
samples=${SAMPLES:-1000000}
out=$LW_REPO/build/proof
file=$out/out/proof.data
patience=3600

record() {
	local sources
	sources=$("$LW_VM_DIR/mkroot.sh" trixie-lab)/usr/src/latewind
	rm -rf "$out/zlib" "$out/lua" "$out/named"
	cp -rL "$sources/zlib" "$out/zlib" &&
		cp -rL "$named/usr/src/latewind/lua5.4" "$out/lua" &&
		cp -r "$named/lw/named" "$out/named" && "$LW_VM_DIR/build.sh" "$lane" &&
		VM_DIR=$out VM_MEMORY=6G VM_TIMEOUT=$((900 + samples / 250)) \
			VM_APPEND="lw.samples=$samples" \
			"$LW_VM_DIR/run.sh" "$lane" "$LW_REPO/selftests/proof/proof-guest.sh" &&
		[ -s "$file" ]
}

builds_here() {
	mkdir -p build/lock && flock build/lock/host-tools \
		make --no-print-directory -s "-j$(nproc)" -C tools "O=$LW_REPO/build/tools" all
}

# What we say there is: "SAMPLES", and chains of addresses, a line each.
we_read_it() {
	"$LW_REPO/build/tools/latewind" script -i "$file" --symfs "$files" -F tid,time,ip \
		2>"$out/ours.err" | chains >"$out/ours" || return
	count=$(wc -l <"$out/ours")
	echo "# $count samples, $(stat -c %s "$file") bytes" >&3
	# the recorder itself was not in the root
	! grep -v '/tools/latewind: No such file' "$out/ours.err" || return
	[ "$count" -ge "$samples" ]
}

# chains: what stands in blocks, as lines
chains() {
	awk 'NF { $1 = $1; line = line " " $0 } !NF && line { print line; line = "" }
	     END { if (line) print line }'
}

# within ROOT COMMAND...: where $lane's files are below /kernel, and no process is but the
# command's own: perf looks for files in the mount namespace of whoever has a recorded pid,
# and leaves the root for that.
within() {
	local root=$1
	shift
	LW_KERNEL=$files "$LW_VM_DIR/enter.sh" "$root" \
		unshare --pid --fork --kill-child --mount-proc -- "$@"
}

data=build/proof/out/proof.data
symbols="--symfs /kernel --kallsyms build/proof/out/kallsyms"

# quiet NAME COMMAND...: it has nothing to say on stderr
quiet() {
	local name=$1
	shift
	"$@" >"$out/$name.txt" 2>"$out/$name.err" || { tail -n 5 "$out/$name.err"; return 1; }
	[ ! -s "$out/$name.err" ] || { head -n 20 "$out/$name.err"; return 1; }
}

counts() { # NAME ROOT FILE
	quiet "$1" within "$2" perf report --stats -i "$3" || return
	equal samples "$(sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' "$out/$1.txt" |
		head -n 1)" "$count"
}

# 6.1 prints addresses within files: there it is asked for what the records have.
dumped_chains() {
	awk '
	/ PERF_RECORD_SAMPLE\(/ {
		end()
		match($0, /: [0-9]+\/[0-9]+: /)
		split(substr($0, RSTART + 2), ids, /[\/:]/)
		# the CPU comes first, if samples have it
		time = $2 ~ /^[0-9]+$/ ? $2 : $1
		line = sprintf(" %s %d.%06d:", ids[2], time / 1e9, time % 1e9 / 1e3)
		next
	}
	line && /^\.\.\.\.\. *[0-9]+: [0-9a-f]+$/ && $3 !~ /^fffffffffffff/ {
		sub(/^0+/, "", $3)
		line = line " " $3
		next
	}
	function end() { if (line) print line; line = "" }
	END { end() }'
}

has_dumped_chains() { # NAME ROOT
	# shellcheck disable=SC2086 # options are words
	within "$2" perf script -D $symbols -i "$data" 2>"$out/$1.err" | dumped_chains >"$out/$1.chains" ||
		return
	[ ! -s "$out/$1.err" ] || { head -n 20 "$out/$1.err"; return 1; }
	cmp "$out/$1.chains" "$out/ours"
}

has_chains() { # NAME ROOT
	# shellcheck disable=SC2086 # options are words
	within "$2" perf script --no-inline --max-stack 1024 -F tid,time,ip $symbols \
		-i "$data" 2>"$out/$1.err" | chains >"$out/$1.chains" || return
	[ ! -s "$out/$1.err" ] || { head -n 20 "$out/$1.err"; return 1; }
	cmp "$out/$1.chains" "$out/ours"
}

# Rows of functions and files, each with a name.
reports() { # NAME ROOT
	# shellcheck disable=SC2086 # options are words
	quiet "$1" within "$2" perf report --stdio --no-children -g none -s dso,sym \
		$symbols -i "$data" || return
	[ "$(grep -c '^ *[0-9.]*%' "$out/$1.txt")" -ge 100 ]
}

lists_build_ids() { # NAME ROOT
	quiet "$1" within "$2" perf buildid-list -i "$data" || return
	has "$out/$1.txt" '^[0-9a-f]{40} .*/libc\.so\.6$' '^[0-9a-f]{40} .*/perl$'
}

injects() { # NAME ROOT
	quiet "$1" within "$2" perf inject -i "$data" -o build/proof/injected.data || return
	counts "$1-stats" "$2" build/proof/injected.data
	local status=$?
	rm -f "$out/injected.data"
	return "$status"
}

# perf_annotate ROOT FILE FUNCTION
perf_annotate() {
	within "$1" perf annotate --stdio --stdio-color never -i "$2" --symfs /kernel \
		-d libc.so.6 "$3"
}

# Instructions of a function, and which of them hit.
annotates() { # NAME ROOT FILE FUNCTION
	quiet "$1" perf_annotate "$2" "$3" "$4" || return
	has "$out/$1.txt" ' of libc.so.6' '^ +[0-9]+\.[0-9]+ .* (mov|cmp|lea|call)'
}

# That of 6.12 reads what it has freed, of many functions with calls, whoever recorded it.
crashes_with_its_own() { # ROOT
	local function status
	for function in cfree malloc getenv setlocale fclose; do
		status=0
		perf_annotate "$1" build/proof/out/perf.data "$function" >/dev/null 2>&1 ||
			status=$?
		[ "$status" -ne 139 ] || return 0
	done
	return 1
}

# What it says of any recording of perf, too, with -k and --namespaces: it does not know
# these. A stream of Qt: a name, a version, then pieces with their size in front.
hotspot_counts() {
	within "$1" /usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser --input "$data" \
		--output build/proof/hotspot.bin --sysroot /kernel \
		--kallsyms build/proof/out/kallsyms 2>"$out/hotspot.err" || return
	! grep -vE 'PerfHeader::(CLOCKID|SAMPLE_TIME) |PERF_RECORD_NAMESPACES|FINISHED_ROUND|/tools/latewind\.' \
		"$out/hotspot.err" | sort | uniq -c || return
	python3 - "$out/hotspot.bin" "$count" <<-'EOF'
		import collections, struct, sys
		stream = open(sys.argv[1], 'rb').read()
		assert stream.startswith(b'QPERFSTREAM\0'), stream[:16]
		at, kinds = len(b'QPERFSTREAM\0') + 4, collections.Counter()
		while at < len(stream):
		    size, = struct.unpack_from('<I', stream, at)
		    kinds[stream[at + 4]] += 1
		    at += 4 + size
		print(kinds)
		assert int(sys.argv[2]) in kinds.values()
	EOF
	local status=$?
	rm -f "$out/hotspot.bin"
	return "$status"
}

# Frames of the build: all are of a file, or of the kernel, and those without a name of
# files that have no symbols but those for the linker.
names_the_build() { # NAME ROOT
	# shellcheck disable=SC2086 # options are words
	quiet "$1" within "$2" perf script --no-inline --max-stack 1024 -F comm,ip,sym,dso $symbols \
		-i build/proof/out/make.data || return
	python3 "$LW_REPO/selftests/proof/names.py" "$out/$1.txt" "$files" >&3
}

# The files that were mapped then, where they were, and libc's debug information. Those of
# the kernel's modules are not.
collect_named_files() {
	local libc=usr/lib/x86_64-linux-gnu
	equal 'libc of the two roots' "$(version_of_libc "$named")" "$(version_of_libc "$files")" ||
		return
	rm -rf "$out/files"
	mkdir -p "$out/files/lw" "$out/files/$libc" "$out/files/usr/lib/debug" &&
		cp -r "$out/named" "$out/files/lw/" &&
		cp -L "$files/$libc"/{libc.so.6,libm.so.6,ld-linux-x86-64.so.2} "$out/files/$libc/" &&
		cp -r "$named/usr/lib/debug/.build-id" "$out/files/usr/lib/debug/" &&
		mkdir -p "$out/files$LW_GUEST_REPO/build/userland/tools" &&
		cp "build/userland/tools/latewind" "$out/files$LW_GUEST_REPO/build/userland/tools/"
}

version_of_libc() {
	# shellcheck disable=SC2016 # dpkg's
	chroot "$1" dpkg-query -W -f '${Version}' libc6
}

# Where no file is stripped each frame has a name.
names_all() { # NAME ROOT
	quiet "$1" within "$2" perf script --no-inline --max-stack 1024 -F comm,ip,sym,dso \
		--symfs "$LW_GUEST_REPO/build/proof/files" --kallsyms build/proof/out/kallsyms \
		-i build/proof/out/named.data || return
	build/tools/latewind script -i "$out/out/named.data" --symfs "$out/files" \
		-F comm,ip,sym,dso >"$out/ours.named" || return
	python3 "$LW_REPO/selftests/proof/names.py" --all "$out/ours.named" "$out/$1.txt" \
		"$out/files" >&3
}

mkdir -p "$out"
exec 3>&1
cd "$LW_REPO" || exit
count=0
files=$("$LW_VM_DIR/mkroot.sh" $LW_USERLAND) || exit
named=$("$LW_VM_DIR/mkroot.sh" trixie-named) || exit
echo 'TAP version 13'
if ! { ok "$samples samples are recorded on $lane" record &&
	ok 'the tool builds on this machine' builds_here &&
	ok 'latewind script reads them' we_read_it &&
	ok 'files with all names are to be had' collect_named_files; }; then
	checks_done
fi
for suite in bookworm-readers trixie-readers trixie-backports-readers; do
	root=$("$LW_VM_DIR/mkroot.sh" $suite) || exit
	name=perf-$(chroot "$root" perf --version | sed 's/perf version \([0-9]*\.[0-9]*\).*/\1/')
	ok "$name report --stats" counts "$name-stats" "$root" "$data"
	if [ "$name" = perf-6.1 ]; then
		ok "$name script -D: chains are ours" has_dumped_chains "$name-script" "$root"
	else
		ok "$name script: chains are ours" has_chains "$name-script" "$root"
	fi
	ok "$name report: rows" reports "$name-report" "$root"
	ok "$name buildid-list" lists_build_ids "$name-build-ids" "$root"
	ok "$name inject" injects "$name-inject" "$root"
	ok "$name script: names of a build" names_the_build "$name-build" "$root"
	ok "$name script: all names of a build" names_all "$name-named" "$root"
	ok "$name annotate" annotates "$name-annotate" "$root" "$data" memcpy
	if crashes_with_its_own "$root"; then
		skip "$name annotate: calls" "it crashes with a recording of perf's, too"
	else
		ok "$name annotate: calls" annotates "$name-annotate-calls" "$root" \
			build/proof/out/make.data cfree
	fi
	[ "$suite" != bookworm-readers ] ||
		ok "hotspot's reader" hotspot_counts "$root"
done
checks_done
