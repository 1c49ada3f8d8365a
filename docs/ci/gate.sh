#!/bin/sh
# A gate for CI: sweeps, and exits with 1 if a case got worse than in the last run that passed.
# Marks a run that passes as good; the next run is compared with it. If there is a run to compare
# with, leaves regress.md and regress.xml (JUnit) in the working directory.
# usage: gate.sh DATABASE BACKEND [ARGUMENTS OF THE SWEEP…]
# BACKEND is cuda on a machine with a GPU; on any machine it may be ptx, and then the emulator's
# counts decide.
# $LABEL is the label of the run. With $KEEP=no this run is judged but not marked, so no later run is
# compared with it.
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
	# the same verdict, human-readable; the exit code is known already
	perflab regress --base last-good --db "$database" --format md -o regress.md || true
	[ "${status:-0}" -eq 0 ] || exit "$status"
else
	echo "no run is marked good yet: this one begins"
fi
[ "${KEEP:-yes}" = no ] || perflab mark last good --db "$database"
