#!/bin/sh
# A gate for CI: sweeps, and ends with 1 when a case got worse than in the last run that passed.
# A run that passes is marked good, and is what the next is held against. In the working
# directory lie then regress.md and regress.xml (JUnit), once there is something to compare.
# usage: gate.sh DATABASE BACKEND [ARGUMENTS OF THE SWEEP…]
# BACKEND is cuda on a machine with a GPU, ptx on any: then counts of the emulator decide.
# $LABEL is the label of the run. $KEEP=no: this run is judged, and none is held against it.
set -eu
database=$1
backend=$2
shift 2

perflab sweep "$@" --backend "$backend" --label "${LABEL:-local}" --db "$database" --quiet >sweep.txt ||
	{
		status=$?
		cat sweep.txt
		exit $status # a wrong result, a fault in a kernel
	}
good=$(perflab query "SELECT count(*) FROM mark JOIN run ON run.id = run_id
	WHERE kind = 'good' AND backend = '$backend'" --db "$database" --format csv | tail -n 1)
if [ "$good" -gt 0 ]; then
	perflab regress --base last-good --db "$database" --format junit -o regress.xml || status=$?
	# the same verdict for people; its exit code is told already
	perflab regress --base last-good --db "$database" --format md -o regress.md || true
	[ "${status:-0}" -eq 0 ] || exit "$status"
else
	echo "no run is marked good yet: this one begins"
fi
[ "${KEEP:-yes}" = no ] || perflab mark last good --db "$database"
