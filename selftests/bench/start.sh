#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# start.sh [KERNEL]: the time that a recorder of all CPUs needs until the command that it
# was given begins, with 2,000 processes of 100 mappings each and with none, beside perf's,
# in a VM. Prints a table, leaves build/bench/start.json; fails if we need more than a fifth.
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
vm=$LW_REPO/build/bench-start-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools selftests
mkdir -p build/bench "$vm"
# Both programs run from a tmpfs, with their libraries.
cat >"$vm/start-guest.sh" <<-'EOF'
	#!/bin/bash
	set -e
	mkdir /tmp/many /tmp/bin
	# Libraries as they are, with build IDs and unwind information.
	find /usr/lib/x86_64-linux-gnu -maxdepth 1 -name '*.so*' -type f -size +8k -size -2048k |
		sort | head -n 50 | xargs cp -t /tmp/many
	[ "$(ls /tmp/many | wc -l)" -eq 50 ]
	cp "$LW_BUILD/selftests/start_bench" "$(command -v latewind)" /tmp/bin/
	cp "$(ls /usr/bin/perf_[0-9]* /usr/lib/linux-tools*/perf /usr/bin/perf 2>/dev/null | head -n 1)" /tmp/bin/perf
	for program in latewind perf; do
		# Each line is "name => path (address)"
		ldd "/tmp/bin/$program" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' |
			xargs cp -n -t /tmp/bin
	done
	export LD_LIBRARY_PATH=/tmp/bin
	cat >/tmp/commands <<-'COMMANDS'
		latewind /tmp/bin/latewind record -q -a -o /tmp/bin/ours.data --
		perf /tmp/bin/perf record -q -a -g -e cpu-clock -o /tmp/bin/perf.data --
	COMMANDS
	/tmp/bin/start_bench 0 0 9 /tmp/many </tmp/commands >"$OUT/none.json"
	/tmp/bin/start_bench 2000 100 9 /tmp/many </tmp/commands >"$OUT/many.json"
	# All were told of.
	for file in ours perf; do
		/tmp/bin/perf script -i "/tmp/bin/$file.data" --show-mmap-events 2>/dev/null |
			grep -c 'PERF_RECORD_MMAP2 .* r-xp /tmp/many/' >"$OUT/$file.maps"
	done
EOF
VM_DIR=$vm VM_MEMORY=4G VM_TIMEOUT=${VM_TIMEOUT:-3600} "$LW_VM_DIR/run.sh" "$lane" "$vm/start-guest.sh"
exec python3 - "$vm/out" build/bench/start.json <<-'EOF'
	import json, pathlib, sys
	out = pathlib.Path(sys.argv[1])
	rows = [row for name in ('none', 'many') for row in json.loads((out / f'{name}.json').read_text())]
	pathlib.Path(sys.argv[2]).write_text(json.dumps(rows, indent=1) + '\n')
	for row in rows:
	    print(f'{row["case"]:20} {row["subject"]:9} {row["value"]:8.1f} ms, {row["least"]:.1f} to {row["most"]:.1f}')
	values = {(row['subject'], row['case']): row['value'] for row in rows}
	for case in dict.fromkeys(row['case'] for row in rows):
	    ratio = values['perf', case] / values['latewind', case]
	    print(f'{case:20} {ratio:.2f} times faster')
	maps = {name: int((out / f'{name}.maps').read_text()) for name in ('ours', 'perf')}
	print('executable mappings of these in the files:', maps)
	if maps['ours'] < 2000 * 50 or maps['perf'] < 2000 * 50:
	    sys.exit('some of the mappings are missing')
	if ratio < 5:
	    sys.exit('missed: less than 5 times faster than perf')
EOF
