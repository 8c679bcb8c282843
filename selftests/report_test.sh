#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report_test.sh: what latewind adds up is what perf does, and what it exports is
# what it printed. Needs the tool in PATH and perf.
# shellcheck disable=SC2317 # ok() calls them
set -u
cd "$(dirname "$0")" || exit
# shellcheck source=selftests/lib/checks.sh
. lib/checks.sh

cp tool_target "$tmp/" || exit
target=$tmp/tool_target

# Each terminal has a server of its own: one that ends may take its time.
terminals=0
tm() {
	tmux -u -L "lw-report-$$-$terminals" -f /dev/null "$@" 2>>"$err"
}

trap 'tm kill-server; checks_free' EXIT

record_both() {
	exits 0 latewind record -F 997 -o "$tmp/ours.data" -- "$target" spin 300 &&
	exits 0 perf record -q -e cpu-clock -c 1000000 -g -o "$tmp/perf.data" \
		"$target" spin 300
}

# The rows of the program: its functions have no other names.
rows() { # FILE OPTION...
	sed -n 's/\[\.\]//; / tool_target  *tool_target /p' "$1" | awk '{ $1 = $1; print }' | sort
}

# Shares to the last digit.
same_rows() { # FILE
	perf report -i "$1" --stdio --children -g none -s comm,dso,sym --percent-limit 0 \
		"$user_names" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report -i "$1" -g none --percent-limit 0 || return
	rows "$tmp/theirs" >"$tmp/theirs.rows"
	rows "$tmp/out" >"$tmp/ours.rows"
	same "$tmp/theirs.rows" "$tmp/ours.rows"
}

same_leaves() { # FILE
	perf report -i "$1" --stdio --no-children -g none -s comm,dso,sym --percent-limit 0 \
		"$user_names" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report -i "$1" --no-children -g none --percent-limit 0 || return
	rows "$tmp/theirs" >"$tmp/theirs.rows"
	rows "$tmp/out" >"$tmp/ours.rows"
	same "$tmp/theirs.rows" "$tmp/ours.rows"
}

# perf has numbers of three digits. Its recording does not tell of CPUs.
same_cpus() {
	local cpus='s/^ *([0-9.]+%) +0*([0-9]+) *$/\1 \2/p'
	perf report -i "$tmp/ours.data" --stdio --no-children -g none -s cpu --percent-limit 0 \
		2>"$err" | sed -nE "$cpus" | sort >"$tmp/theirs"
	exits 0 latewind report -i "$tmp/ours.data" --no-children -g none -s cpu --percent-limit 0 &&
		sed -nE "$cpus" "$tmp/out" | sort >"$tmp/ours" && [ -s "$tmp/ours" ] &&
		same "$tmp/theirs" "$tmp/ours" &&
		exits 0 latewind report -i "$tmp/perf.data" --no-children -g none -s cpu &&
		has "$err" 'does not tell of CPUs' && has "$tmp/out" '^ +100.00% +\[unknown\] *$' &&
		exits 0 latewind report -i "$tmp/perf.data" --json -s cpu && has "$tmp/out" '"cpu":null,' &&
		exits 0 latewind report -i "$tmp/ours.data" --json -s cpu && has "$tmp/out" '"cpu":[01],'
}

# fold: the text of script, samples one after the other, as lines that are added up.
fold() {
	awk '
	function finish() {
		if (head != "")
			sum[head stack] += weight
		head = stack = ""
	}
	/^\t/ {
		ip = $1
		dso = $NF
		sub(/^\t *[0-9a-f]+ /, "")
		name = substr($0, 1, length($0) - length(dso) - 1)
		gsub(/;/, ":", name)
		gsub(/^\(|\)$/, "", dso)
		sub(/^\/.*\//, "", dso)
		if (name == "[unknown]" && dso !~ /^\[/)
			name = "[" dso "]"
		stack = ";" name (length(ip) == 16 || dso ~ /^\[(kernel\.kallsyms|latewind)\]$/ ? "_[k]" : "") stack
		next
	}
	/^$/ { finish(); next }
	{ weight = $NF; sub(/ +[0-9]+ *$/, ""); head = $0 }
	END { finish(); for (line in sum) printf "%s %d\n", line, sum[line] }' | sort
}

# Functions that go by where they begin are of their file, as fold has them.
without_starts() {
	sed -E ':again; s/;([^;]+)\+0x[0-9a-f]+(;| [0-9]+$)/;[\1]\2/; t again' | awk '
	{ weight = $NF; sub(/ [0-9]+$/, ""); sum[$0] += weight }
	END { for (line in sum) printf "%s %d\n", line, sum[line] }' | sort
}

# perf keeps the program at another path than the one that was recorded, which is gone.
kept_files_are_found() {
	cp "$target" "$tmp/gone" &&
		exits 0 latewind record --no-names -F 997 -o "$tmp/gone.data" -- "$tmp/gone" spin 100 &&
		rm "$tmp/gone" && mkdir -p "$tmp/home" &&
		HOME=$tmp/home exits 0 latewind report -i "$tmp/gone.data" -g none &&
		! grep -q ' spin *$' "$tmp/out" && has "$err" 'gone: No such file' &&
		HOME=$tmp/home perf buildid-cache --add "$target" &&
		HOME=$tmp/home exits 0 latewind report -i "$tmp/gone.data" -g none &&
		has "$tmp/out" ' gone .* middle *$' ' gone .* spin *$'
}

folded_is_the_script() { # FILE
	latewind script -i "$1" -F comm,period,ip,sym,dso | fold >"$tmp/folded"
	exits 0 latewind export --folded -i "$1" || return
	without_starts <"$tmp/out" >"$tmp/export"
	same "$tmp/folded" "$tmp/export"
}

# Each function of a stripped program is one row, which nm of the other one knows.
stripped_functions_have_rows() {
	local function start stack=
	strip -o "$tmp/stripped" "$target" &&
		exits 0 latewind record -F 997 -o "$tmp/stripped.data" -- "$tmp/stripped" spin 300 &&
		exits 0 latewind report -i "$tmp/stripped.data" -g none || return
	cp "$tmp/out" "$tmp/rows"
	for function in main outer middle spin; do
		start=$(nm "$target" | awk -v name=$function '$3 == name { sub(/^0+/, "", $1); print $1 }')
		stack+=";stripped\\+0x$start"
		equal "rows of $function" "$(grep -c " stripped+0x$start *$" "$tmp/rows")" 1 || return
	done
	exits 0 latewind export --folded -i "$tmp/stripped.data" && has "$tmp/out" "$stack " &&
		exits 0 latewind flame -i "$tmp/stripped.data" -o "$tmp/page.html" &&
		has "$tmp/page.html" "\"stripped\\+0x$start\"" &&
		exits 0 latewind diff "$tmp/stripped.data" "$tmp/stripped.data" &&
		has "$tmp/out" " stripped\\+0x$start" &&
		exits 0 latewind script -i "$tmp/stripped.data" &&
		has "$tmp/out" ' \[unknown\] \(.*/stripped\)$' && ! grep -q 'stripped+0x' "$tmp/out"
}

others_are_whole() { # FILE
	local format
	for format in pprof speedscope firefox; do
		exits 0 latewind export "--$format" -i "$1" -o "$tmp/export.$format" || return
		[ -s "$tmp/export.$format" ] || { echo "$format is empty"; return 1; }
	done
	gzip -dc <"$tmp/export.pprof" | grep -qa tool_target || { echo 'pprof'; return 1; }
	# the last brace is there
	equal 'speedscope' "$(tail -c 4 "$tmp/export.speedscope")" '}]}' &&
	equal 'firefox' "$(tail -c 4 "$tmp/export.firefox")" '}]}'
}

# A page by itself, with the program's functions in it.
flame_is_a_page() {
	exits 0 latewind flame -i "$tmp/ours.data" -o "$tmp/page.html" || return
	has "$tmp/page.html" '^<title>.*cpu-clock' 'tool_target' '"middle"' '"spin"' '^</html>$'
}

# By what xdg-open is here; its name is told, and who has no display is told as well.
flame_is_opened() {
	mkdir -p "$tmp/bin"
	printf '#!/bin/sh\necho "$1" >"%s"\nexit "${FAIL:-0}"\n' "$tmp/opened" >"$tmp/bin/xdg-open"
	chmod +x "$tmp/bin/xdg-open"
	exits 0 env PATH="$tmp/bin:$PATH" DISPLAY=:0 latewind flame --open -i "$tmp/ours.data" \
		-o "$tmp/page.html" && equal opened "$(cat "$tmp/opened")" "$tmp/page.html" &&
		has "$err" "^latewind: wrote $tmp/page.html\$" || return
	exits 1 env PATH="$tmp/bin:$PATH" DISPLAY=:0 FAIL=3 latewind flame --open \
		-i "$tmp/ours.data" -o "$tmp/page.html" && has "$err" 'xdg-open failed' || return
	exits 1 env -u DISPLAY -u WAYLAND_DISPLAY latewind flame --open -i "$tmp/ours.data" \
		-o "$tmp/page.html" && has "$err" "no display to show $tmp/page.html" &&
		exits 2 latewind flame --open -o - "$tmp/ours.data" && has "$err" 'needs a file' &&
		exits 0 latewind flame -q -i "$tmp/ours.data" -o "$tmp/page.html" && empty_err
}

empty_err() { [ ! -s "$err" ] || { cat "$err"; return 1; }; }

# On a terminal only.
next_step_is_told() {
	local record="latewind record -o $tmp/next.data -- $target spin 50"
	on_terminal cat "$record" &&
		has "$tmp/screen" "^  Next: latewind report -i $tmp/next.data, or latewind flame -i $tmp/next.data" &&
		on_terminal cat "cd $tmp && latewind record -- $target spin 50" &&
		has "$tmp/screen" '^  Next: latewind report, or latewind flame' || return
	# shellcheck disable=SC2086 # words
	exits 0 $record && ! grep Next: "$err"
}

# It was recorded without; others find it in cgroups_test.sh.
cgroups_are_missed() {
	exits 0 latewind report -i "$tmp/ours.data" -s cgroup &&
		has "$err" 'does not tell of cgroups' 'Record it with --all-cgroups' &&
		exits 1 latewind report -i "$tmp/ours.data" --cgroup / &&
		has "$err" 'does not tell of cgroups' &&
		exits 0 latewind script -i "$tmp/ours.data" -F comm,cgroup &&
		has "$err" 'does not tell of cgroups' &&
		exits 0 latewind report -i "$tmp/ours.data" && ! grep -q cgroups "$err"
}

# The rows with perf's numbers of samples, and its shares of what is above.
columns_are_perfs() {
	perf report -i "$tmp/ours.data" --stdio --no-children -g none -n -s comm,dso,sym \
		--percent-limit 0 "$user_names" >"$tmp/theirs" 2>"$err" || { cat "$err"; return 1; }
	exits 0 latewind report --no-children -g none -n --percent-limit 0 "$tmp/ours.data" || return
	rows "$tmp/theirs" >"$tmp/theirs.rows"
	rows "$tmp/out" >"$tmp/ours.rows"
	[ -s "$tmp/ours.rows" ] && same "$tmp/theirs.rows" "$tmp/ours.rows"
}

header_is_perfs() {
	perf report -i "$tmp/ours.data" --header-only >"$tmp/theirs" 2>/dev/null
	exits 0 latewind report --header "$tmp/ours.data" &&
		has "$tmp/out" '^# ========$' '^# event : name = cpu-clock, ' '^# Samples: ' || return
	sed -nE "s/ \$//; /^# (hostname|os release|arch|nrcpus online|cmdline) : /p" "$tmp/theirs" \
		>"$tmp/theirs.rows"
	grep -E '^# (hostname|os release|arch|nrcpus online|cmdline) : ' "$tmp/out" >"$tmp/ours.rows"
	equal lines "$(wc -l <"$tmp/ours.rows")" 5 && same "$tmp/theirs.rows" "$tmp/ours.rows" &&
	exits 0 latewind script --header "$tmp/ours.data" &&
		has "$tmp/out" '^# cmdline : ' '^ *tool_target '
}

# Its percentages are those of the rows.
trees_are_drawn() {
	exits 0 latewind report -i "$tmp/ours.data" -s symbol || return
	has "$tmp/out" '^ +\|$' '^ +---|--[0-9.]+%--' ' main$'
}

same_file_has_no_difference() {
	exits 0 latewind diff "$tmp/ours.data" "$tmp/ours.data" || return
	has "$tmp/out" 'tool_target' || return
	! grep -v '^#' "$tmp/out" | grep -v ' +0.00%'
}

# on_terminal PAGER COMMAND: what COMMAND leaves on a terminal; its status
on_terminal() {
	LATEWIND_PAGER=$1 TERM=${term:-xterm} script -qec "$2" /dev/null </dev/null >"$tmp/screen"
}

red=$(printf '\033\[3[12]m')

pager_is_used() {
	local report="latewind report --stdio -i $tmp/ours.data"
	on_terminal 'sed s/^/paged:/' "$report" && has "$tmp/screen" '^paged:.* main' "$red" &&
		! grep -qv '^paged:' "$tmp/screen" || return
	on_terminal 'sed s/^/paged:/' "latewind script -i $tmp/ours.data" &&
		has "$tmp/screen" '^paged:' || return
	on_terminal 'sed s/^/paged:/' "$report --no-pager" && has "$tmp/screen" ' main' &&
		! grep -q paged: "$tmp/screen" || return
	term=dumb on_terminal 'sed s/^/paged:/' "${report/--stdio/}" && has "$tmp/screen" ' main' &&
		! grep -q -e paged: -e "$red" "$tmp/screen" || return
	# one that has seen enough, and one that is not there
	on_terminal 'head -n 1' "$report" && has "$tmp/screen" Samples &&
		on_terminal /nowhere "$report"
}

colors_are_asked_for() {
	exits 0 latewind report -i "$tmp/ours.data" && ! grep -q "$red" "$tmp/out" || return
	mv "$tmp/out" "$tmp/plain"
	exits 0 latewind report --color always -i "$tmp/ours.data" && has "$tmp/out" "$red" ||
		return
	sed 's/\x1b\[[0-9]*m//g' "$tmp/out" | cmp - "$tmp/plain" || return
	exits 0 latewind report --color always --json -i "$tmp/ours.data" &&
		! grep -q "$red" "$tmp/out" || return
	NO_COLOR=1 on_terminal cat "latewind report --stdio -i $tmp/ours.data" &&
		! grep -q "$red" "$tmp/screen" || return
	on_terminal cat "latewind report --stdio --color never -i $tmp/ours.data" &&
		! grep -q "$red" "$tmp/screen" || return
	exits 2 latewind report --color red && has "$err" 'red' 'always'
}

# A terminal, in which a shell says with which status the command ended.
terminal() { # COMMAND
	tm kill-server
	terminals=$((terminals + 1))
	tm new-session -d -x 120 -y 30 "$1; echo status \$?; cat"
}

on_screen() { # PATTERN...
	local pattern
	tm capture-pane -p >"$tmp/screen"
	for pattern in "$@"; do
		grep -qE -e "$pattern" "$tmp/screen" || return
	done
}

sees() { # PATTERN...
	waits on_screen "$@" || { cat "$tmp/screen" "$err"; return 1; }
}

# press KEY...; type_in TEXT: in the place of what is there
press() {
	tm send-keys "$@"
}

type_in() {
	tm send-keys -N 40 BSpace && tm send-keys -l "$1" && tm send-keys Enter
}

head_line="^Samples: [0-9]+ of event '"
foot_line='^h: help'

# Its first rows are those of the text.
screen_has_the_rows() {
	terminal "latewind report -i $tmp/ours.data" && sees "$head_line" "$foot_line" || return
	exits 0 latewind report -g none -i "$tmp/ours.data" || return
	grep -v '^#' "$tmp/out" | sed -n '1,27s/ *$//p' >"$tmp/rows"
	sed -n '3,29s/^[+ ]//p' "$tmp/screen" | sed -n 's/ *$//; /./p' >"$tmp/shown"
	same "$tmp/rows" "$tmp/shown"
}

screen_opens_and_closes() {
	press Enter && sees '^- +[0-9.]+%' '^   [-+] [0-9.]+% ' || return
	press Left && sees '^\+ +[0-9.]+%' "$foot_line" &&
		waits no_tree
}

no_tree() {
	on_screen "$head_line" && ! on_screen '^   [-+]'
}

screen_finds() {
	press / && sees '^Only rows with:' && tm send-keys -l ab && sees '^Only rows with: ab$' &&
		equal cursor "$(tm display-message -p '#{cursor_x}')" 18 && type_in SPIN &&
		sees "^Only rows with 'SPIN'" '\[\.\] spin *$' || return
	! grep -q '\] main' "$tmp/screen" || return
	press / && type_in 'no such name' && sees '^No rows' || return
	press Escape && sees "$foot_line" '\] main *$'
}

screen_sorts() {
	press s && sees '^Sort by: comm,dso,symbol' && type_in comm &&
		sees '^ +Total +Self +Command *$' ' tool_target *$' || return
	press s && sees '^Sort by: comm' && type_in comms && sees "'comms' is no sort key" || return
	press s && sees '^Sort by: comm' && type_in comm,cpu && sees 'no CPUs were read' || return
	# the row and its trees, in a file
	press P && sees '^Write .*latewind-report.txt' && type_in "$tmp/written" &&
		sees "^Written to $tmp/written" || return
	exits 0 latewind report -s comm -i "$tmp/ours.data" && same "$tmp/out" "$tmp/written" ||
		return
	press P && type_in "$tmp/written" && sees "cannot create .*exists"
}

screen_has_one_thread() {
	press t && sees "$head_line.*, command [a-z_]+ *$" '^\+ +100.00%' || return
	press Escape && sees "$head_line.*: [0-9]+ *$"
}

screen_fits() {
	tm resize-window -x 40 -y 7 && sees "$head_line" || return
	waits foot_is 7 || { cat "$tmp/screen"; return 1; }
	tm resize-window -x 120 -y 30 && waits foot_is 30
}

foot_is() { # LINE
	tm capture-pane -p | sed -n "$1p" | grep -q "$foot_line"
}

screen_ends() {
	press h && sees 'a line up' && press q && sees "$head_line" &&
		press q && sees 'status 0' && ! on_screen "$head_line" || return
	terminal "latewind report -i - <$tmp/ours.data" && sees "$head_line" &&
		press q && sees 'status 0' || return
	terminal "latewind report -i $tmp/ours.data" && sees "$head_line" && press C-c &&
		sees 'status 1' && ! on_screen "$head_line" || return
	# a key beside others does nothing, and a signal ends it in good order
	terminal "latewind report -i $tmp/ours.data" && sees "$head_line" &&
		press C-\\ && press h && sees 'a line up' && press q && sees "$head_line" &&
		pkill -QUIT -P "$(tm list-panes -F '#{pane_pid}')" latewind &&
		sees 'status 131' && ! on_screen "$head_line" || return
	exits 1 latewind report --tui -i "$tmp/ours.data" && has "$err" 'no terminal' --stdio &&
		exits 2 latewind report --tui --json -i "$tmp/ours.data"
}

# Where there can be none, and nobody asked for it, there is text: a few rows, which the
# screen has room for.
screen_is_not_there() {
	terminal "LATEWIND_PAGER= TERM=nonsense latewind report -g none -s comm -i $tmp/ours.data" &&
		sees '^# Samples:' 'status 0' || return
	terminal "LATEWIND_PAGER= setsid -w latewind report -g none -s comm -i $tmp/ours.data" &&
		sees '^# Samples:' 'status 0' || return
	terminal "TERM=nonsense latewind report --tui -i $tmp/ours.data" && sees 'status 1'
}

screen_has_other_events() {
	exits 0 latewind record -e cpu-clock -e page-faults -o "$tmp/two.data" -- \
		"$target" spin 200 || return
	terminal "latewind report -i $tmp/two.data" && sees "$head_line*cpu-clock" || return
	press Tab && sees "$head_line*page-faults" && press Tab && sees "$head_line*cpu-clock" &&
		press BTab && sees "$head_line*page-faults"
}

wrong_use() {
	exits 1 latewind report -i "$tmp/nowhere" && has "$err" "$tmp/nowhere" &&
	exits 1 latewind report -i "$tmp/ours.data" -e nothing && has "$err" 'nothing' 'cpu-clock' &&
	exits 1 latewind report -i "$tmp/ours.data" --comm nobody && has "$err" 'no samples' &&
	exits 2 latewind report -s nothing && has "$err" 'nothing' 'comm, pid' &&
	mkdir -p "$tmp/a:b" && exits 2 latewind report --symfs "$tmp/a:b" && has "$err" 'a:b' &&
	exits 2 latewind export && has "$err" 'no format' &&
	exits 2 latewind export --folded --pprof &&
	exits 2 latewind diff "$tmp/ours.data" &&
	exits 1 latewind export --folded -i "$tmp/ours.data" -o "$tmp/nowhere/x" &&
	exits 1 latewind export --folded -i "$tmp/ours.data" -o /dev/full &&
	has "$err" 'No space' && [ -e /dev/full ]
}

needs latewind perf script tmux

choose 2 same_leaves cgroups_are_missed colors_are_asked_for pager_is_used trees_are_drawn \
	columns_are_perfs header_is_perfs
choose 1 keys screen_has_other_events screen_ends screen_is_not_there

ok 'record' record_both
ok "rows are perf's" same_rows "$tmp/ours.data"
ok "those of perf's recording, too" same_rows "$tmp/perf.data"
ok 'rows of CPUs' same_cpus
ok_if_chosen "and those of leaves" same_leaves "$tmp/ours.data"
ok 'folded stacks are those of script' folded_is_the_script "$tmp/ours.data"
! long_form || ok "of perf's own recording, too" folded_is_the_script "$tmp/perf.data"
ok 'a stripped program' stripped_functions_have_rows
ok 'a program that only perf has' kept_files_are_found
ok 'other formats are whole' others_are_whole "$tmp/ours.data"
ok 'a flame graph' flame_is_a_page
ok_if_chosen 'trees' trees_are_drawn
ok_if_chosen "numbers of samples are perf's" columns_are_perfs
ok_if_chosen '--header' header_is_perfs
ok_if_chosen 'no cgroups' cgroups_are_missed
ok 'no difference' same_file_has_no_difference
ok_if_chosen 'colours' colors_are_asked_for
ok_if_chosen 'a pager' pager_is_used
ok 'a page is opened' flame_is_opened
ok 'the next step is told' next_step_is_told
ok 'the rows are on a screen' screen_has_the_rows
# one after the other, on the same screen
if chosen keys; then
	ok 'a row opens and closes' screen_opens_and_closes
	ok 'rows are found' screen_finds
	ok 'other sort keys, and a file' screen_sorts
	ok 'one thread' screen_has_one_thread
	ok 'a smaller screen' screen_fits
fi
ok_if_chosen 'other events' screen_has_other_events
ok_if_chosen 'the screen is given back' screen_ends
ok_if_chosen 'text where there is no screen' screen_is_not_there
ok 'wrong use' wrong_use
checks_done
