#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# others.sh [KERNEL]: what a recording of all CPUs costs those who are not sampled: the
# instructions of starting a thread, a process or a program and of mapping a file, with
# nobody recording, with perf, with perf that has the kernel tell the build IDs of mapped
# files (its default from 6.16 on), and with Latewind, in a VM whose time goes by instructions.
# Prints a table, leaves build/bench/others.json; fails where ours costs more than the latter,
# which tells the same (the same work differs by hundredths), or where mapping a file, of
# which the least is always the same, costs one instruction more with an idle module.
# OTHERS_ROUNDS (5), OTHERS_WORKS (all), OTHERS_TURNS (1000).
set -euo pipefail
# shellcheck source=selftests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

lane=${1:-6.12}
vm=$LW_REPO/build/bench-others-vm
cd "$LW_REPO"

"$LW_VM_DIR/build.sh" "$lane" module tools selftests
mkdir -p build/bench "$vm"
{
	echo '#!/bin/bash'
	echo 'set -e'
	echo "rounds=${OTHERS_ROUNDS:-5} works='${OTHERS_WORKS:-thread fork exec mmap}' turns=${OTHERS_TURNS:-1000}"
	cat <<-'END'
		# All of it from memory.
		cp "$LW_BUILD/selftests/others_bench" /tmp
		declare -A record=(
			[unloaded]="env"
			[nobody]="env"
			[perf]="perf record -q -a -g -e cpu-clock -F 1 -o /tmp/perf.data --"
			[perf-ids]="perf record -q -a -g --buildid-mmap -e cpu-clock -F 1 -o /tmp/perf.data --"
			[latewind]="latewind record -q -a -F 1 -o /tmp/latewind.data --"
		)
		# turns_of SUBJECT WORK: the mean of a turn, and the least
		turns_of() {
			echo "$2 $1 $(${record[$1]} /tmp/others_bench "$2" "$turns")" | tee -a "$OUT/rounds"
		}
		for ((round = 0; round < rounds; round++)); do
			for work in $works; do
				turns_of unloaded "$work"
				insmod "$LATEWIND_KO"
				for subject in nobody perf perf-ids latewind; do
					turns_of "$subject" "$work"
				done
				rmmod latewind
			done
		done
	END
} >"$vm/others-guest.sh"
VM_DIR=$vm VM_ICOUNT=1 NOLOAD=1 VM_TIMEOUT=${VM_TIMEOUT:-3600} "$LW_VM_DIR/run.sh" "$lane" \
	"$vm/others-guest.sh"
exec python3 - "$vm/out/rounds" build/bench/others.json <<-'EOF'
	import json, pathlib, statistics, sys
	rounds, leasts = {}, {}
	for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
	    work, subject, value, least = line.split()
	    rounds.setdefault((work, subject), []).append(int(value))
	    leasts[work, subject] = min(int(least), leasts.get((work, subject), int(least)))
	values = {key: statistics.median(row) for key, row in rounds.items()}
	rows = [{'bench': 'others', 'case': work, 'subject': subject, 'value': value,
	         'unit': 'instructions'} for (work, subject), value in values.items()]
	pathlib.Path(sys.argv[2]).write_text(json.dumps(rows, indent=1) + '\n')
	NOISE = 0.03
	missed = []
	print(f'{"":8}{"nobody":>12}{"perf":>18}{"perf-ids":>18}{"latewind":>18}')
	for work in dict.fromkeys(key[0] for key in values):
	    nobody, *recorded = (values[work, subject]
	                         for subject in ('nobody', 'perf', 'perf-ids', 'latewind'))
	    print(f'{work:8}{nobody:12,.0f}' +
	          ''.join(f'{value:10,.0f} {value / nobody - 1:+7.1%}' for value in recorded))
	    if recorded[-1] > recorded[1] + NOISE * nobody:
	        missed.append(work)
	if ('mmap', 'nobody') in leasts:
	    idle = leasts['mmap', 'nobody'] - leasts['mmap', 'unloaded']
	    print(f'mapping a file with an idle module: {idle:+} instructions')
	    if idle:
	        missed.append('an idle module')
	if missed:
	    sys.exit(f'missed: dearer than perf: {", ".join(missed)}')
EOF
