# The database is removed, moved or replaced while a sweep writes: what was measured is in a copy
# that the sweep names, and the exit code shows the failure.
. "$(dirname "$0")/lib.sh"
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --rounds 3 --metrics none'

# A worker that runs ./event before the second worker begins, or after the last one has ended.
no_worker
cat >"$work/worker" <<'END'
#!/bin/sh
echo >>starts
if [ "$(wc -l <starts)" -eq "$BEFORE_WORKER" ]; then sh ./event; fi
"$FAKE_WORKER"
if [ "$(wc -l <starts)" -eq "$AFTER_WORKER" ]; then sh ./event; fi
END
chmod +x "$work/worker"
export PERFLAB_WORKER_CUDA="$work/worker" FAKE_WORKER
export PERFLAB_SHARED_MEMORY=0 # no other worker starts

# sweep_while EVENT
sweep_while() {
	rm -f a.db* starts
	echo "$1" >event
	# shellcheck disable=SC2086 # words
	run $words --db a.db
	command_line="$command_line, while: $1"
	expect_code 3
	expect_err 'while perflab wrote into it'
	expect_err 'a.db.rescued'
	! grep -q 'run 1 is' err || complain 'it says that the run is stored'
	[ "$("$PERFLAB" query "PRAGMA integrity_check" --db a.db.rescued --format csv | tail -1)" = ok ] ||
		complain 'the copy is damaged'
}

export BEFORE_WORKER=2 AFTER_WORKER=0
for event in 'rm a.db*' 'rm a.db' 'mv a.db b.db' 'cp a.db c.db; mv c.db a.db'; do
	sweep_while "$event"
	expect_err 'continue with: perflab sweep --resume 1 --db a.db.rescued'
	run sweep --resume 1 --db a.db.rescued
	expect_code 0
	run list runs --db a.db.rescued --format csv
	expect_out ',finished,'
	rm -f b.db
done

# after the last case was stored: nothing is left to continue
export BEFORE_WORKER=0 AFTER_WORKER=3
cat >await_stored <<'END'
until "$PERFLAB" query "SELECT count(*) FROM trial WHERE status = 'ok'" --db a.db --format csv |
	grep -qx 2; do :; done
END
sweep_while '. ./await_stored; rm a.db*'
! grep -q 'continue with' err || complain 'a whole run is to be continued'
run report --db a.db.rescued
expect_code 0
expect_out '2 ok'

# a database whose folder is gone is saved in the working directory
mkdir folder
export BEFORE_WORKER=2 AFTER_WORKER=0
rm -f starts
echo 'rm -r folder' >event
# shellcheck disable=SC2086 # words
run $words --db folder/b.db
expect_code 3
expect_err 'b.db.rescued'
expect_err '--resume 1 --db b.db.rescued'

# a run of ceilings loses nothing either
rm -f a.db* starts
echo 'rm a.db*' >event
export BEFORE_WORKER=0 AFTER_WORKER=1
run ceilings dram_read --db a.db
expect_code 3
expect_err 'a.db.rescued'
finish
