# A sweep from end to end, with a worker that needs no GPU.
. "$(dirname "$0")/lib.sh"
fake_worker

run sweep reduce/shuffle matmul/tiled --block-sizes 64,128 --size 1024 --label first --db a.db
expect_code 0
expect_out 'Fastest case of each kernel'
expect_out 'label     first'
expect_out 'Fake GPU'
expect_out 'reduce'
expect_out 'skipped'
expect_out 'square'
expect_err 'perflab report 1 --db a.db'
cp "$work/out" "$work/at-the-end"

# the same report again, by number, label, uid and default
export PERFLAB_DB=a.db
for reference in 1 first last; do
	run report $reference --db a.db
	expect_code 0
	cmp -s "$work/at-the-end" "$work/out" || complain "differs from the report of the sweep"
done
uid=$("$PERFLAB" list runs --format csv | sed -n 2p | cut -d, -f2)
run report "$(printf %.8s "$uid")"
expect_code 0
run report --format csv
expect_code 0
[ "$(wc -l <"$work/out")" -eq 5 ] || complain 'not one row a case'
expect_out ',ok,'
expect_out ',skipped,'
run report --format json
expect_code 0
expect_out '"format": 1'
expect_out '"dram_read_bytes"'
expect_out '"processor"'
expect_out '"build_type"'
expect_out '"persistence_mode": "on"'
expect_out '"command": "perflab sweep reduce/shuffle'
run report --format md
expect_code 0
expect_out '| reduce | shuffle |'
refused 2 'nothing-like-it' report nothing-like-it
# a label may be long, what names the runs is not
cp a.db labels.db
run sweep reduce/shuffle --block-sizes 64 --size 1024 --metrics none -q --db labels.db \
	--label "$(printf 'ä%.0s' $(seq 200))"
expect_code 0
refused 2 ', ääääääääääää…' report nothing-like-it --db labels.db

# counters: none, a set, one by name
run sweep reduce/shuffle --block-sizes 64 --size 1024 --metrics none -q
expect_code 0
[ -s "$work/err" ] && complain 'quiet is not quiet'
expect_out 'of the work model over the median, not measured'
expect_no_out 'bytes that hardware counted'
run report --format csv
expect_no_out 'dram_read_bytes'
run sweep reduce/shuffle --block-sizes 64 --size 1024 -m divergence -m dram_read_bytes -q
run report --format csv
expect_out 'branch_efficiency_pct'
expect_out 'dram_read_bytes'
run report --all-metrics
expect_out 'BRANCH_TARGETS'

# rates are counters over the median of the timed samples
value_of() {
	awk -v metric="\"$1\"" '$1 == "\"metric\":" { here = index($2, metric) }
		here && $1 == "\"value\":" { sub(",", "", $2); print $2; exit }' "$work/out"
}
run sweep reduce/shuffle --block-sizes 64 --size 1024 -m memory -q --format json
expect_code 0
median=$(sed -n 's/.*"median_ns": \(.*\),/\1/p' "$work/out")
awk -v bytes="$(value_of dram_bytes)" -v rate="$(value_of dram_bytes_per_s)" -v ns="$median" \
	'BEGIN { x = 1e9 * bytes / ns; exit !(bytes > 0 && rate > x * 0.999 && rate < x * 1.001) }' ||
	complain 'the bandwidth is not bytes over the median'

# unavailable counters are reported once, and the sweep succeeds
FAKE_WORKER_SCRIPT=no_counters run sweep reduce/shuffle --size 1024
expect_code 0
expect_out 'the driver refuses counters'

# every case skipped: the reasons, and exit 4
run sweep reduce/sequential --block-sizes 96 --size 1024
expect_code 4
expect_out 'power of two'
expect_err 'nothing to run'
grep -q '0/0' "$work/err" && complain 'progress of nothing'
FAKE_WORKER_SCRIPT=inspect_skip run sweep reduce/shuffle --block-sizes 64 --size 1024
expect_code 4
expect_out 'registers'

# the plan of a device that is there; nothing is stored
runs=$("$PERFLAB" list runs --format csv | wc -l)
FAKE_WORKER_SCRIPT=inspect_skip:reduce/shuffle/block=64 \
	run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --dry-run
expect_code 0
expect_err 'planned for Fake GPU'
expect_out 'registers do not allow'
expect_err '2 cases: 1 to run, 1 skipped'
[ "$("$PERFLAB" list runs --format csv | wc -l)" -eq "$runs" ] || complain 'a dry run is stored'

# a device that is not there
rm -f nothing.db
FAKE_WORKER_SCRIPT=no_device run sweep reduce --db nothing.db
expect_code 4
[ ! -e nothing.db ] || complain "a database was left where nothing could be measured"
FAKE_WORKER_SCRIPT=no_device run sweep reduce
expect_code 4
expect_err 'plug one in'
[ "$("$PERFLAB" list runs --format csv | wc -l)" -eq "$runs" ] || complain 'a run is stored'
FAKE_WORKER_SCRIPT=no_device run doctor
expect_code 4
expect_out 'plug one in'
run doctor
expect_code 0
expect_out 'can run'

run list devices --format csv
expect_code 0
expect_out '0,1,Fake GPU,GH100,9.0,132'
[ "$(wc -l <"$work/out")" -eq 2 ] || complain 'the device is listed twice'
if command -v sqlite3 >/dev/null; then
	cp a.db updated.db
	sqlite3 updated.db "UPDATE run SET driver = '1.0'"
	run list devices --db updated.db --format csv
	[ "$(wc -l <"$work/out")" -eq 2 ] || complain 'of another driver the device is listed twice'
fi
run list metrics cycles
expect_code 0
expect_out 'sm__cycles_active.avg'
refused 2 "no chip is called 'GX1'" list metrics --all --chip GX1
# every run stores the revision of the build, wherever perflab runs
built=$("$PERFLAB" version | awk 'NF == 4 { print $3 }')
if command -v git >/dev/null && command -v sqlite3 >/dev/null; then
	mkdir elsewhere
	cd elsewhere || exit 1
	git init -q . && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m theirs
	theirs=$(git rev-parse HEAD)
	run sweep reduce/shuffle --size 1024 --block-sizes 64 --db here.db
	expect_code 0
	[ "$(sqlite3 here.db "SELECT ifnull(source_revision, '') FROM run")" = "$built" ] ||
		complain 'the revision is not that of the build'
	[ "$(sqlite3 here.db "SELECT value FROM environment WHERE key = 'working_revision'")" = "$theirs" ] ||
		complain 'the revision of the folder is not kept'
	cd .. || exit 1
	run query "SELECT * FROM environment WHERE key = 'working_revision'" --db a.db --format csv
	[ "$(wc -l <"$work/out")" -le 1 ] || complain 'a folder that is none has a revision'
fi
finish
