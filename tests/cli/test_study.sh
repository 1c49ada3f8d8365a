# Studies: the list, the measurements that answer them, and messages about missing ones.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
no_worker

# a list needs no device
run study --list
expect_code 0
expect_out 'divergence_two_ifs'
expect_out 'MADE ON'
run study --list 'divergence_*' --format csv
expect_code 0
[ "$(head -n 1 "$work/out")" = 'study,cases,answered_by,made_on,title' ] || complain 'head of the CSV'
sed 1d "$work/out" | grep -qv '^divergence_' && complain 'another study than was asked for'
grep -q '^divergence_two_ifs,2,"GPU, emulator",' "$work/out" || complain 'the emulator answers it'
grep -q '^divergence_merged,2,"GPU, emulator in part",' "$work/out" || complain 'it answers a part'
refused 2 'did you mean divergence_two_ifs' study divergence_two_if
refused 2 'perflab study --list' study qqqqqqqqqqqq
refused 2 '--format csv works only with --list' study --format csv
refused 3 "no such file: './none.study'" study ./none.study

# without a device: what would help
refused 4 'no-such-worker' study divergence_two_ifs
expect_err 'no GPU: '
expect_err '; and no emulator: '
refused 4 'no-such-worker' study divergence_two_ifs --backend cuda
[ ! -e perflab.db ] || complain 'a database was left where nothing could be measured'
refused 2 'does not use --rounds' study --backend ptx --rounds 2
refused 2 'name one, such as cuda or ptx' ceilings --backend auto
refused 2 'name one, such as cuda or ptx' ceilings --backend auto --stored

# a user's study, without compiling anything
fake_worker
cat >own.study <<'END'
title: Naive is slower
claim: It is.
source: these lines
made on: no GPU
look at: nothing
case naive: reduce/naive/block=64,n=4096
best shuffle: reduce/shuffle/block=32,64,n=4096
case missing: reduce/shuffle/block=96,n=4096

part: a time
unit: ns
measured: time(naive)
expect: at least 1e9
part: a ratio
claimed: 1
unit: times
measured: time(naive) / time(shuffle)
expect: at least 0.01
part: a count
measured: instructions(missing)
expect: at most 1
END
run study own.study --db own.db
expect_code 0
expect_out 'own: does not hold'
expect_out 'at least 1e9'
grep -q '^a time .* ns .* to .* does not hold$' "$work/out" || complain 'no answer to the time'
grep -q '^a ratio  *1 times .* times .* holds$' "$work/out" || complain 'no answer to the ratio'
grep -q '^a count .* exact .* does not hold$' "$work/out" || complain 'no answer to the count'
expect_out '0 of 1 hold, 1 does not, 0 inconclusive; measured on Fake GPU, driver 580.0, run 1'
run list runs --db own.db --format csv
expect_out ',studies'

# only what is needed is measured, each case once
run report last --db own.db --format csv
[ "$(grep -c ',ok,' "$work/out")" -eq 4 ] || complain 'not four cases'
head -n 1 "$work/out" | grep -q 'instructions' || complain 'the metric was not counted'
head -n 1 "$work/out" | grep -q 'dram_bytes' && complain 'more metrics than were asked for'

# the memory of a case: the buffers of its launches
cat >memory.study <<'END'
title: Memory
claim: 4000 floats, a partial sum of each of 63 blocks, and the sum.
source: these lines
made on: no GPU
look at: nothing
case shuffle: reduce/shuffle/block=64,n=4000
part: of all buffers
measured: buffer_bytes(shuffle)
expect: equal 16256
part: beside the elements and the sum
measured: scratch_bytes(shuffle)
expect: equal 252
END
run study memory.study --db memory.db
expect_code 0
expect_out 'memory: holds'
if command -v python3 >/dev/null; then
	python3 -c 'import sqlite3; db = sqlite3.connect("memory.db")
db.execute("UPDATE trial SET launch_hash = 1"); db.commit()'
	run study memory.study --db memory.db --stored
	expect_code 0
	expect_out 'memory: inconclusive (the memory of case shuffle: not known)'
fi

# answered again from what is stored, without a device
no_worker
run study own.study --db own.db --stored
expect_code 0
expect_out 'own: does not hold'
expect_out 'run 1'
run study own.study --db own.db --stored --format md
expect_code 0
expect_out '| own: does not hold | no GPU | a time |'
expect_out '#### own: does not hold'
run study own.study --db own.db --stored --format json
expect_code 0
expect_out '"answer": "does not hold"'
expect_out '"case": "reduce/naive/block=64,n=4096"'
expect_out '"exact": true'
expect_no_out '"exact": null'
run study divergence_two_ifs --db own.db --stored --format json
expect_code 0
expect_out '"value": null'
expect_out '"exact": null'
expect_no_out '"exact": true'
run study divergence_two_ifs --db own.db --stored
expect_code 0
expect_out 'divergence_two_ifs: inconclusive'
expect_out 'in no stored run of studies'

# a case that was added to a study later leaves only its own parts open; a newer run with fewer
# cases of the study removes no answers
sed 's/^part: a time/case later: reduce\/shuffle\/block=128,n=4096\n&/' own.study >grown.study
cat >>grown.study <<'END'
part: of a case that came later
measured: instructions(later)
expect: at least 1
END
cp own.db grown.db
fake_worker
run sweep reduce/naive --block-sizes 64 --size 4096 --db grown.db --label studies -q
expect_code 0
no_worker
for study in grown own; do
	run study $study.study --db grown.db --stored
	expect_code 0
	expect_out "$study: does not hold"
	grep -q '^a ratio  *1 times .* times .* holds$' "$work/out" || complain 'no answer to the ratio'
	expect_out 'run 1'
	expect_no_out 'not in run 2'
done
run study grown.study --db grown.db --stored
expect_out 'no measurement of case later: not in run 1'
refused 3 'no run of studies of backend ptx' study --backend ptx --stored --db own.db
refused 3 'does not exist' study --stored --db none.db
fake_worker
run sweep reduce/naive --block-sizes 64 --size 4096 --db plain.db --quiet
refused 3 'no run of studies' study --stored --db plain.db

# a case that could not be measured leaves its study open, with a reason; the others are answered
FAKE_WORKER_SCRIPT=mismatch:reduce/naive run study own.study divergence_two_ifs --db bad.db
expect_code 1
expect_out 'inconclusive: no measurement of case naive: mismatch'
expect_out 'of 2 hold'
grep -q '^own  *does not hold  *Naive is slower$' "$work/out" || complain 'no overview'
FAKE_WORKER_SCRIPT=no_counters run study divergence_two_ifs --db bare.db
expect_code 0
expect_out 'divergence_two_ifs: inconclusive (branch_targets_divergent of case'

# without names, stored answers are those of the studies that were measured
run study --stored --db bare.db
expect_code 0
expect_out 'divergence_two_ifs: inconclusive'
expect_no_out 'reduce_modulo'
expect_err '67 more studies are in no stored run, so they are not shown: perflab study measures all'
# of many studies, each that does not hold takes one line of a terminal
if has_terminal; then
	FAKE_WORKER_SCRIPT=no_counters run study 'divergence_*' --db many.db
	on_terminal "stty cols 80; PAGER=cat '$PERFLAB' study --stored --db many.db" 2>/dev/null |
		tr -d '\r' >"$work/out"
	expect_out 'takes twice as lo'
	if grep -q '^ \{30\}' "$work/out"; then
		complain 'a title is wrapped'
	fi
fi

# untrusted input in a study stays text
sed "s/^made on: no GPU/made on: a | b $(printf '\033')[31m/" own.study >strange.study
for format in text md json; do
	run study strange.study --stored --db own.db --format $format
	expect_code 0
	if grep -q "$(printf '\033')" "$work/out"; then
		complain "a control byte in $format"
	fi
	[ $format != md ] || expect_out 'a &#124; b'
done

# errors in a study file: name and line
sed 's|reduce/naive/|reduce/nave/|' own.study >slip.study
refused 2 'study slip, line 6' study slip.study --db slip.db
expect_err 'naive'
sed 's|/block=64,n|/n|' own.study >slip.study
refused 2 'write "best naive"' study slip.study --db slip.db
sed 's|^unit|units|' own.study >slip.study
refused 2 'slip.study:11: no key is called "units"; did you mean unit?' study slip.study
sed 's|time(naive)$|time(nave)|' own.study >slip.study
refused 2 'slip.study:12: "time(nave)", character 6: no case' study ./slip.study
[ ! -e slip.db ] || complain 'a database was left though nothing was measured'

# a file beside installed ones: each is answered, and of two with one name neither is chosen
run study ./own.study divergence_two_ifs --db both.db
expect_code 0
expect_out 'own: '
expect_out 'divergence_two_ifs: '
run study --list divergence_two_ifs 'divergence_two*' --format csv
[ "$(grep -c '^divergence_two_ifs,' "$work/out")" -eq 1 ] || complain 'one study, listed twice'
cp own.study divergence_two_ifs.study
refused 2 'another of these studies is also called "divergence_two_ifs"' \
	study ./divergence_two_ifs.study divergence_two_ifs --db both.db
refused 2 'rename the file' study 'divergence_*' ./divergence_two_ifs.study --db both.db
refused 2 'rename the file' study own.study ./own.study --db both.db
run study ./divergence_two_ifs.study reduce_tile --list
expect_code 0
expect_out 'Naive is slower'
expect_out 'reduce_tile'

# the script that makes a page of the answers
if command -v python3 >/dev/null; then
	"$root/scripts/run-studies" divergence_two_ifs reduce_tile --perflab "$PERFLAB" \
		--output page.md >out 2>err || complain 'run-studies failed'
	grep -q '^- device: Fake GPU$' page.md || complain 'the page has no device'
	grep -q '^6 cases in ' page.md || complain 'the page does not say what was measured'
	[ "$(grep -c '^#### ' page.md)" -eq 2 ] || complain 'not two studies on the page'
fi

# emulated counts answer under their own metric names; claims about time stay open
fake_emulator
run study own.study --backend ptx --db e.db
expect_code 4
expect_err 'none of these studies'
cat >>own.study <<'END'
emulated: ptx_warp_instructions(missing)
END
run study own.study --backend ptx --db e.db
expect_code 0
expect_out 'needs times'
expect_out 'does not hold, by counters'
expect_out 'emulated on'
grep -q '^a count .* exact ' "$work/out" || complain 'no answer to the count'
# each claim says whether the emulator answered it, and from what, or what is needed and how to get it
cat >both.study <<'END'
title: T
claim: C
source: these lines
made on: no GPU
look at: nothing
case shuffle: reduce/shuffle/block=64,n=4096
part: counted
emulated: ptx_warp_instructions(shuffle)
expect: at least 1
part: planned
emulated: buffer_bytes(shuffle)
expect: at least 1
part: timed
measured: time(shuffle)
expect: at least 1
part: cached
measured: dram_bytes(shuffle)
expect: at least 1
END
run study both.study --backend ptx --db e.db
expect_code 0
expect_out 'both: needs times; 2 of 4 claims hold here'
expect_out 'on a machine with a GPU: perflab study both'
expect_out 'needs GPU counters'
expect_out '0 inconclusive, 1 needs times'
grep -q '^counted .* exact .* holds, by counters$' "$work/out" || complain 'a count is not called one'
grep -q '^planned .* calculated .* holds, by calculation$' "$work/out" ||
	complain 'a calculation is not called one'
run study both.study --backend ptx --db e.db --format json
expect_out '"answer": "needs times"'
expect_out '"answered_by": "counters"'
expect_out '"answered_by": "calculation"'
expect_out '"measured": false'
# of all studies only those that it can answer
run study --backend ptx --db e.db
expect_code 0
expect_err 'more studies need times of a GPU'
expect_err '1 more study needs counters of a GPU, so it is not shown: occupancy_bound'
expect_err '1 more study needs a GPU, so it is not shown: reduce_accuracy'
expect_out 'divergence_two_ifs '
expect_out 'by results: '
expect_out 'on a machine with a GPU: perflab study NAME'
expect_no_out 'reduce_syncwarp'
expect_out 'perflab study NAME shows the claims of one'
[ "$(wc -l <"$work/out")" -lt 60 ] || complain 'too long for a screen'
run study --backend ptx reduce_syncwarp --db e.db
expect_code 4

# without a GPU the emulator answers what it can, and perflab says what needs a GPU
run study own.study --db f.db
expect_code 0
expect_err 'backend ptx (no GPU: '
expect_out 'needs times'
expect_out 'does not hold, by counters'
expect_out 'emulated on'
grep -q '^a count .* exact ' "$work/out" || complain 'no answer to the count'
cp "$work/out" "$work/first"
run study own.study --db f.db --stored
expect_code 0
expect_out 'emulated on'
run study --db f.db
expect_code 0
expect_out 'divergence_two_ifs '
expect_no_out 'reduce_syncwarp'
grep 'more studies need times of a GPU' "$work/err" | grep -q 'reduce_syncwarp' || complain 'it is not said what needs a GPU'
run study reduce_syncwarp --db f.db
expect_code 4
expect_err 'no GPU: '
! grep -q "no emulator" "$work/err" || complain "an emulator that is there is called missing"
expect_err 'they need times or counters of a GPU; on a machine with a GPU: perflab study reduce_syncwarp'
run study own.study --db f.db --backend cuda
expect_code 4
# options that only a GPU uses are named, not refused
run study own.study --db f.db --rounds 2
expect_code 0
expect_err 'backend ptx does not use --rounds'
finish
