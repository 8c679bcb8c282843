# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # cmd is the caller's
#
# programs.sh: what Debian's programs are given to do in programs_test.sh. All of it uses the
# CPU and is the same each time. work_NAME SIZE sets the array cmd to a command whose run time
# grows with SIZE, from 1 to some hundreds: about 20 ms for each 10, beside its start. Its files
# are in $work, and those that it reads are made by the function. It may set input, what the
# command reads, and prefix, words of a command that starts it.

# once FILE COMMAND...: what the command prints is the file, unless that is there.
once() {
	local file=$1
	shift
	[ -e "$file" ] || { "$@" >"$file.new" && mv "$file.new" "$file"; }
}

# numbers LINES: text that does not repeat itself.
numbers() {
	seq 1 "$1" | awk 'BEGIN { x = 1 }
		{ x = x * 16807 % 2147483647; print x, "line", $1, (x % 3 ? "foo" : "bar") x % 4099 }'
}

work_bash() {
	once "$work/work.sh" cat <<-'END'
		f() { local x=$1; [ "$x" -gt 0 ] || return; f $((x - 1)); echo "${x/1/2}" >/dev/null; }
		for ((i = 0; i < $1; i++)); do f 12; a=(x{1..40}); b="${a[*]//x/yy}"; [[ $b =~ y+[1-9] ]]; done
	END
	cmd=(/usr/bin/bash "$work/work.sh" $(($1 * 6)))
}

work_python3() {
	once "$work/work.py" cat <<-'END'
		import functools, json, re, sys
		def walk(n):
		    return 1 + walk(n - 1) if n else len(inner())
		def inner():
		    rows = sorted(range(40), key=functools.cmp_to_key(lambda a, b: a % 7 - b % 7))
		    try:
		        return re.sub('1+', lambda m: m[0] * 2, json.dumps({str(k): [k, {}] for k in rows}))
		    finally:
		        any(k < 0 for k in rows)
		for _ in range(int(sys.argv[1])):
		    walk(12)
	END
	cmd=(/usr/bin/python3 "$work/work.py" $(($1 * 20)))
}

work_perl() {
	once "$work/work.pl" cat <<-'END'
		sub inner { return length join ",", map { s/1/22/r } sort 1 .. 9 }
		sub walk { my $n = shift; return $n ? 1 + walk($n - 1) : inner() }
		for (1 .. $ARGV[0]) { walk($_) for 1 .. 9; eval { die "x" }; my %h = map { $_ => [$_] } 1 .. 99; }
	END
	cmd=(/usr/bin/perl "$work/work.pl" $(($1 * 48)))
}

# repeat COUNT: its input so often, with @ for the number of the time.
repeat() {
	awk -v count="$1" '{ line[NR] = $0 }
		END {
			for (i = 0; i < count; i++)
				for (j = 1; j <= NR; j++) {
					text = line[j]
					gsub("@", i, text)
					print text
				}
		}'
}

# git_history COMMITS: each changes some of 40 files.
git_history() {
	numbers 400 | awk -v commits="$1" '
		{ line[NR] = $0 }
		END {
			for (i = 1; i <= commits; i++) {
				printf "commit refs/heads/main\ncommitter a <a@example.org> %d +0000\n",
					1700000000 + i
				print "data 1\nx"
				for (j = i % 5 + 1; j <= 40; j += 5) {
					print "M 644 inline file" j "\ndata <<END"
					for (k = i % 300 + 1; k <= NR; k++)
						print k == i + j ? "line " i " " j : line[k]
					print "END\n"
				}
			}
		}'
}

work_git() {
	if [ ! -d "$work/repository-$1" ]; then
		git init -q -b main "$work/repository-$1"
		git_history $((40 + $1 * 3)) | git -C "$work/repository-$1" fast-import --quiet
	fi
	cmd=(/usr/bin/git -C "$work/repository-$1" pack-objects -q --threads=1 --no-reuse-object
		--window=40 --revs --all "$work/pack")
}

work_ruby() {
	once "$work/work.rb" cat <<-'END'
		def inner = (1..9).map { |x| x.to_s.gsub("1") { "22" } }.sort.join(",").size
		def walk(n) = n == 0 ? inner : 1 + walk(n - 1)
		ARGV[0].to_i.times do |i|
		  walk(9)
		  begin; raise "x"; rescue; end
		  Hash.new { |h, k| h[k] = k.to_s * 2 }.then { |h| 50.times { |k| h[k] } }
		  Enumerator.new { |y| 3.times { |k| y << [k, i].join("-") } }.next
		end
	END
	cmd=(/usr/bin/ruby --disable=gems "$work/work.rb" $(($1 * 50)))
}

work_php() {
	once "$work/work.php" cat <<-'END'
		<?php
		function walk($n) { return $n ? 1 + walk($n - 1) : inner(); }
		function inner() {
			$a = range(1, 30);
			usort($a, fn($x, $y) => strrev("$x") <=> strrev("$y"));
			return strlen(preg_replace_callback('/1/', fn($m) => md5($m[0]), implode(',', $a)));
		}
		for ($i = 0; $i < $argv[1]; $i++) walk(9);
	END
	cmd=(/usr/bin/php -n "$work/work.php" $(($1 * 75)))
}

work_vim() {
	once "$work/text" numbers 2000
	once "$work/work.vim" cat <<-'END'
		function! Walk(n)
		  if a:n > 0 | return 1 + Walk(a:n - 1) | endif
		  return len(join(sort(range(20), {x, y -> x % 7 - y % 7}), ','))
		endfunction
		for i in range(rounds)
		  call Walk(9)
		  %s/\(fo*\|ba\)\([0-9]\)/\2\1/ge
		  sort n
		  undo
		endfor
		qall!
	END
	cmd=(/usr/bin/vim.nox -nNes -u NONE --cmd "let rounds = $(($1 / 3 + 1))" -S "$work/work.vim" "$work/text")
}

work_lua() {
	once "$work/work.lua" cat <<-'END'
		local function inner() return #table.concat({("x1y"):gsub("%d", function(d) return d .. d end)}, ",") end
		local function walk(n) return n > 0 and 1 + walk(n - 1) or inner() end
		for i = 1, tonumber(arg[1]) do
		  walk(9)
		  local t = {}
		  for j = 1, 40 do t[j] = j * 7919 % 101 end
		  table.sort(t, function(a, b) return a < b end)
		  local co = coroutine.wrap(function() for k = 1, 3 do coroutine.yield(walk(k)) end end)
		  co() co()
		  pcall(error, "x")
		end
	END
	cmd=(/usr/bin/lua5.4 "$work/work.lua" $(($1 * 120)))
}

work_gawk() {
	once "$work/work.awk" cat <<-'END'
		function walk(n) { return n ? 1 + walk(n - 1) : inner() }
		function inner(  a, b, s) { s = "7 4 1 3 9 12 5"; split(s, a)
		  if (count++ % 10 == 0) asort(a, b)
		  gsub(/1/, "22", s); return length(s b[1]) }
		BEGIN { for (i = 0; i < rounds; i++) { walk(9); h[i % 999] = sprintf("%d %s %f", i, i, i) } }
	END
	cmd=(/usr/bin/gawk -v rounds=$(($1 * 600)) -f "$work/work.awk")
}

work_zstd() {
	local i
	once "$work/zstd-$1" numbers $(($1 * 20))
	cmd=(/usr/bin/zstd -q -17 --single-thread -c)
	for ((i = 0; i < 16; i++)); do
		cmd+=("$work/zstd-$1")
	done
}

work_imagemagick() {
	cmd=(/usr/bin/convert -limit thread 1 -size $((10 * $1))x48 gradient:red-blue -swirl 90
		-blur 0x2 -resize 150% -colorspace Lab -despeckle "$work/image.png")
}

work_ffmpeg() {
	cmd=(/usr/bin/ffmpeg -nostdin -v error -f lavfi -i "testsrc2=s=64x48:r=50:d=$(($1 * 60))ms"
		-f lavfi -i "sine=d=$(($1 * 60))ms" -threads 1 -c:v libx264 -preset medium -c:a aac -f null -)
}

work_redis() {
	once "$work/redis.sh" cat <<-'END'
		redis-server --port 0 --unixsocket "$1/socket" --save '' --dir "$1" >"$1/redis.log" &
		until redis-cli -s "$1/socket" ping >/dev/null 2>&1; do
			kill -0 $! || exit
		done
		redis-benchmark -s "$1/socket" -q -P 8 -c 4 -n "$2" -t set,lpush,lrange_100,zadd
		redis-cli -s "$1/socket" shutdown nosave
		wait
	END
	cmd=(/bin/sh "$work/redis.sh" "$work" $(($1 * 90)))
}

# c_source FUNCTIONS
c_source() {
	repeat "$1" <<-'END'
		struct s@ { int a, b[9]; };
		static int f@(struct s@ *s, int n) { int i, r = 0; for (i = 0; i < n; i++) r += s->b[i & 3] * i; return r; }
		int g@(struct s@ *s) { switch (s->a) { case 1: return f@(s, 9); case 5: return s->b[2] / 3; default: return f@(s, @); } }
	END
}

work_clang() {
	once "$work/clang-$1.c" c_source $(($1 / 2 + 1))
	cmd=(/usr/bin/clang -O2 -S -o /dev/null "$work/clang-$1.c")
}

work_cc1() {
	once "$work/cc1-$1.c" c_source $(($1 / 2 + 1))
	cmd=("$(gcc -print-prog-name=cc1)" -quiet -O2 "$work/cc1-$1.c" -o /dev/null)
}

# ml_source FUNCTIONS
ml_source() {
	repeat "$1" <<-'END'
		type t@ = A@ of int | B@ of t@ * t@ | C@ of { x : string; y : t@ list }
		let rec f@ n = function A@ x -> x + n | B@ (l, r) -> f@ n l + f@ (n + 1) r
		  | C@ { x; y } -> List.fold_left (fun a t -> a + f@ @ t) (String.length x) y
		let g@ l = List.sort compare (List.map (fun (x, y) -> (y, f@ 3 x)) l)
	END
}

work_ocamlopt() {
	once "$work/work$1.ml" ml_source "$1"
	cmd=(/usr/bin/ocamlopt.opt -c -o "$work/work$1" "$work/work$1.ml")
}

work_emacs() {
	once "$work/work.el" cat <<-'END'
		(defun walk (n) (if (> n 0) (1+ (walk (1- n))) (length (mapconcat #'number-to-string (sort (number-sequence 1 30) #'>) ","))))
		(dotimes (i rounds)
		  (walk 20)
		  (with-temp-buffer
		    (dotimes (k 100) (insert (format "line %d foo%d\n" k (* k k))))
		    (goto-char (point-min))
		    (while (re-search-forward "fo+\\([0-9]+\\)" nil t) (replace-match "\\1bar"))
		    (sort-lines nil (point-min) (point-max)))
		  (byte-compile (list 'lambda '(x) (list 'let '((y 1)) '(if x (+ y 2) (walk y))))))
	END
	cmd=(/usr/bin/emacs -Q --batch --eval "(setq rounds $(($1 / 2 + 1)))" -l "$work/work.el")
}

work_guile() {
	once "$work/work.scm" cat <<-'END'
		(define (walk n) (if (> n 0) (+ 1 (walk (- n 1))) (string-length (string-join (map number->string (sort (iota 20) >)) ","))))
		(define (rounds n) (when (> n 0) (walk 20) (catch 'x (lambda () (throw 'x)) (lambda _ 1)) (expt 7 (modulo n 100)) (rounds (- n 1))))
		(rounds (string->number (cadr (command-line))))
	END
	cmd=(env GUILE_AUTO_COMPILE=0 /usr/bin/guile "$work/work.scm" $(($1 * 80)))
}

# A single process, which reads statements. It does not run as root, and wants its directory
# for itself.
work_postgres() {
	local i
	if [ ! -d "$work/postgres" ]; then
		mkdir -p "$work/postgres"
		cp -r "${postgres_data:-/var/lib/latewind/postgres}/." "$work/postgres"
		chown -R postgres: "$work/postgres"
		chmod 700 "$work/postgres"
	fi
	{
		echo 'create temp table t as select i, md5(i::text) as s from generate_series(1, 200) i'
		for ((i = 0; i <= $1 / 10; i++)); do
			echo "select sum(length(a)) from (select (select string_agg(s, ',' order by s desc) from t b where b.i % 40 = a.i % 40) a from t a) q"
			echo 'select count(*) from t a join t b on a.s > b.s'
		done
	} >"$work/postgres-$1.sql"
	input=$work/postgres-$1.sql
	prefix='setpriv --reuid=postgres --regid=postgres --clear-groups'
	cmd=("$(postgres_program)" --single -D "$work/postgres" -c jit=off
		-c shared_memory_type=mmap -c fsync=off postgres)
}

postgres_program() {
	local programs=(/usr/lib/postgresql/*/bin/postgres)
	echo "${programs[0]}"
}

work_node() {
	once "$work/work.js" cat <<-'END'
		function walk(n) { return n ? 1 + walk(n - 1) : [5, 3, 9, 1].map(x => String(x).replace(/1/, d => d + d)).sort((a, b) => a < b ? -1 : 1).join(',').length; }
		for (let i = 0; i < process.argv[2]; i++) {
			walk(20);
			try { throw new Error('x'); } catch (e) { JSON.parse(JSON.stringify({ i, a: [e.message, { i }] })); }
		}
	END
	cmd=(/usr/bin/node "$work/work.js" $(($1 * 250)))
}

work_java() {
	once "$work/Work.java" cat <<-'END'
		import java.util.*;
		public class Work {
			static int walk(int n) {
				if (n > 0)
					return 1 + walk(n - 1);
				List<String> l = new ArrayList<>();
				for (int i = 0; i < 20; i++)
					l.add(Integer.toString(i * 7919 % 101));
				l.sort((a, b) -> b.compareTo(a));
				return String.join(",", l).replaceAll("1+", "22").length();
			}
			public static void main(String[] args) {
				long sum = 0;
				for (int i = 0; i < Integer.parseInt(args[0]); i++)
					sum += walk(20);
				System.out.println(sum);
			}
		}
	END
	[ -e "$work/Work.class" ] || javac -d "$work" "$work/Work.java"
	cmd=(/usr/bin/java -XX:+UseSerialGC -cp "$work" Work $(($1 * 100)))
}

# go_source FUNCTIONS
go_source() {
	echo 'package work'
	repeat "$1" <<-'END'
		type T@ struct { a int; b map[string][]T@ }
		func (t *T@) F(n int) (r int) { for k, v := range t.b { if n > 0 { for i := range v { r += v[i].F(n-1) } }; r += len(k) }; return }
		func G@(x ...interface{}) int { switch v := x[0].(type) { case int: return v; case *T@: return v.F(3) }; return 0 }
	END
}

work_go() {
	once "$work/work-$1.go" go_source $(($1 * 3 / 2 + 1))
	cmd=("$(go env GOTOOLDIR)/compile" -p work -o /dev/null "$work/work-$1.go")
}

work_gdb() {
	once "$work/debug.c" c_source 20
	echo 'int main(void) { return 0; }' >>"$work/debug.c"
	[ -e "$work/debug" ] || gcc -g -o "$work/debug" "$work/debug.c"
	cmd=(/usr/bin/gdb -nx -batch)
	local i
	for ((i = 0; i <= $1 / 5; i++)); do
		cmd+=(-ex "info scope g$((i % 20))" -ex "ptype struct s$((i % 20))"
			-ex "disassemble f$((i % 20))" -ex 'info functions ^f')
	done
	cmd+=("$work/debug")
}

work_xz() {
	once "$work/xz-$1" numbers $(($1 * 1500))
	cmd=(/usr/bin/xz -T1 -1 -k -c "$work/xz-$1")
}

work_sqlite3() {
	local i
	cmd=(/usr/bin/sqlite3 :memory: "
		create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
		insert into t select i, hex(i) from n; create index x on t(b);")
	for ((i = 0; i <= $1 / 10; i++)); do
		cmd+=("select a.b, count(*) from t a join t b on a.a > b.a group by a.b order by 2 desc limit 3;
			select sum(length(replace(b, '1', (select group_concat(b) from t where a < 9)))) from t;")
	done
}

# A prime of 521 bits, 2^521 - 1.
work_openssl() {
	local i
	cmd=(/usr/bin/openssl prime -hex)
	for ((i = 0; i < $1 * 4; i++)); do
		cmd+=("1FF$(printf 'FF%.0s' {1..64})")
	done
}

work_ripgrep() {
	local i
	if [ ! -d "$work/texts" ]; then
		mkdir "$work/texts"
		for ((i = 0; i < 20; i++)); do
			numbers $((2000 + i)) >"$work/texts/$i"
		done
	fi
	cmd=(/usr/bin/rg -j1 -c '(fo+|ba)[0-9]*7\b|line \d+ \w+(12|34)')
	for ((i = 0; i <= $1 / 5; i++)); do
		cmd+=("$work/texts")
	done
}

work_gp() {
	once "$work/work.gp" cat <<-'END'
		work(n) = for (i = 1, n, factor(2^(30 + i % 30) + i); polroots(x^7 + i*x + 1); ellap(ellinit([0, i]), 10007); isprime(nextprime(10^25 + i)); bernfrac(2 * (i % 40)));
	END
	once "$work/work-$1.gp" echo "read(\"$work/work.gp\"); work($(($1 * 2 + 10)));"
	cmd=(/usr/bin/gp -q -f "$work/work-$1.gp")
}

work_swipl() {
	once "$work/work.prolog" cat <<-'END'
		walk(0, N) :- !, findall(X, (between(1, 20, Y), X is Y * 7919 mod 101), L), msort(L, S), atomic_list_concat(S, ',', A), atom_length(A, N).
		walk(D, N) :- D1 is D - 1, walk(D1, N1), N is N1 + 1.
		rounds(N) :- forall(between(1, N, I), (walk(20, _), catch(throw(x), x, true), atom_number(A, I), sub_atom(A, 0, 1, _, _), X is 7 ** (I mod 100), X > 0)).
	END
	cmd=(/usr/bin/swipl -q -g "rounds($(($1 * 90)))" -t halt "$work/work.prolog")
}

work_shellcheck() {
	once "$work/checked-$1" bash -c "for ((i = 0; i <= $1 / 2; i++)); do
		echo \"f\$i() { local x=\\\$1; [ \\\$x -gt 0 ] || return; f\$i \\\$((x - 1)); echo \\\`ls \\\$x\\\` | grep a; }\"; done"
	cmd=(/bin/sh -c 'shellcheck -s bash "$0" || :' "$work/checked-$1")
}
