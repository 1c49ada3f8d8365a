# perflab export --format openmetrics, scraped by node exporter from the folder of its textfile
# collector.
. "$(dirname "$0")/../cli/lib.sh"
for program in sqlite3 python3; do
	command -v $program >/dev/null || skip "$program is not installed"
done
command -v prometheus-node-exporter >/dev/null ||
	skip 'prometheus-node-exporter is not installed: apt-get install prometheus-node-exporter'
fake_worker
export PERFLAB_DB="$work/perflab.db"
mkdir textfile

port=$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
prometheus-node-exporter --web.listen-address="127.0.0.1:$port" --collector.disable-defaults \
	--collector.textfile --collector.textfile.directory="$work/textfile" >exporter.log 2>&1 &
exporter=$!
# in place of that of lib.sh, which it ends with
stop_exporter() {
	status=$?
	kill "$exporter" 2>/dev/null
	wait "$exporter" 2>/dev/null
	(exit $status)
	clean_up
}
trap stop_exporter EXIT

# scrape: what node exporter serves is in $work/served.
scrape() {
	python3 - "http://127.0.0.1:$port/metrics" >"$work/served" 2>"$work/err" <<-'END'
		import sys, urllib.request
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
		print(opener.open(sys.argv[1], timeout=10).read().decode())
	END
}
command_line='prometheus-node-exporter'
await_of $exporter 'node exporter answers' scrape

# served NAME LABEL: the values of these samples, sorted.
served() {
	sed -nE "s/^$1\{.*$2.*\} (.*)/\1/p" "$work/served" | sort -g
}

# medians: those of the newest run, in seconds, as node exporter writes numbers.
medians() {
	sqlite3 "$PERFLAB_DB" 'SELECT median_ns FROM results WHERE run_id = (SELECT max(id) FROM run)' |
		python3 -c 'import sys
for line in sys.stdin:
	print(float(line) / 1e9)' | sort -g
}

# scraped: node exporter serves the newest run and no error.
scraped() {
	command_line='node exporter'
	scrape || complain 'it does not answer'
	grep -qx 'node_textfile_scrape_error 0' "$work/served" || complain 'it cannot read the file'
	served perflab_case_median_seconds '' | python3 -c 'import sys
for line in sys.stdin:
	print(float(line))' >got
	medians >wanted
	[ -s wanted ] && cmp -s got wanted || complain "other times: $(cat got) instead of $(cat wanted)"
}

run sweep reduce/shuffle stream --block-sizes 64,128 --size 4096 --label 'night "1"' -q
expect_code 0
run export --format openmetrics -o textfile/perflab.prom
expect_code 0
scraped
[ "$(served perflab_run_cases 'status="ok"')" = "$(wc -l <wanted)" ] || complain 'not all cases'
grep -q '^perflab_run_start_time_seconds{.*label="night \\"1\\""' served || complain 'no label'
grep -q "^node_textfile_mtime_seconds{file=\"$work/textfile/perflab.prom\"}" served ||
	complain 'no time of the file'

# A later run replaces the file. One without a result leaves it.
run sweep reduce/shuffle --block-sizes 256 --size 8192 --label later -q
run export --format openmetrics -o textfile/perflab.prom
expect_code 0
scraped
[ "$(wc -l <wanted)" -eq 1 ] || complain 'the times of the first run are still served'
cp wanted before
FAKE_WORKER_SCRIPT='mismatch:reduce' run sweep reduce/shuffle --block-sizes 256 --size 8192 -q
refused 3 'no case was verified and measured' export --format openmetrics -o textfile/perflab.prom
scrape
served perflab_case_median_seconds '' >got
[ "$(python3 -c 'print(float(input()))' <got)" = "$(cat before)" ] || complain 'the file did not stay'
[ "$(ls -A textfile)" = perflab.prom ] || complain "other files: $(ls -A textfile)"
finish
