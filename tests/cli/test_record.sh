# perflab record with programs that write events as the recorder does; no GPU and no CUDA.
. "$(dirname "$0")/lib.sh"
unset CUDA_INJECTION64_PATH PERFLAB_RECORD CUDA_PATH
touch recorder.so
export PERFLAB_RECORDER="$work/recorder.so" TMPDIR="$work/tmp" PERFLAB_DB="$work/record.db"
mkdir tmp

# program NAME: makes an executable script; its text comes from stdin. `tell` writes an event.
program() {
	{
		cat <<-'END'
			#!/bin/sh
			tell() { printf '%s\n' "$1" >>"$PERFLAB_RECORD/${2:-$$}.events"; }
			attached() { tell "{\"event\":\"attached\",\"pid\":$$,\"program\":\"./app x\"}"; }
			ended() { tell '{"event":"exit","launches":12,"dropped":0,"own_ns":70000,"wall_ns":500000}'; }
			[ -n "$PERFLAB_RECORD" ] || exit 0
		END
		cat
	} >"$1"
	chmod +x "$1"
}

add='_ZN2at6native3addILi4ENS0_3FunIfEEEEvT0_'
kernel() {
	printf '{"event":"kernel","kernel":"%s","device":0,"grid":[%s],"block":[32,8,1],"shared_bytes":128,"registers":16,"launches":%s,"graph_launches":0,"total_ns":%s,"median_ns":%s,"min_ns":5000,"max_ns":6000}' "$@"
}

program lists <<END
attached
tell '$(kernel "$add" 1024,1,1 10 90000 9000)'
tell '$(kernel saxpy 1,2,1 1 5000 5000)'
tell '$(kernel saxpy 2,2,1 1 5000 5000)'
tell '{"event":"device","ordinal":0,"name":"NVIDIA H200","uuid":"GPU-1","cc_major":9,"cc_minor":0}'
tell '{"event":"news","of":"a newer recorder"}'
ended
read word
echo "the program says \$word"
exit \${1:-0}
END

# ---- listing ----

command_line='record --list'
echo hello | "$PERFLAB" record --list --label first -- ./lists >out 2>err
code=$?
expect_code 0
expect_out 'the program says hello'
expect_out '2 kernels, 12 launches; GPU time 100 us; wall time'
expect_out '; the recorder took 70.0 us'
grep -qE '^90\.0% +90\.0 us +10 +9\.00 us +1024 +32x8 +at::native::add<4, at::native::Fun<float> >$' out ||
	complain 'no line of add'
grep -qE '^10\.0% +10\.0 us +2 +- +- +32x8 +saxpy$' out || complain 'no line of saxpy'
[ -s err ] && complain 'messages of a recording that went well'

# without those that CUPTI lost
program dropped <<END
attached
tell '$(kernel saxpy 1,1,1 9 50000 5000)'
tell '{"event":"exit","launches":9,"dropped":3,"own_ns":70000,"wall_ns":500000}'
END
run record --list --db dropped.db -- ./dropped
expect_code 0
expect_err 'CUPTI dropped 3 launches'
expect_out 'at least 1 kernel, at least 9 launches; GPU time at least 50.0 us; wall time'

run record --list --shapes --format csv -o kernels.csv -- ./lists
expect_code 0
expect_out 'the program says'
expect_no_out 'saxpy'
[ "$(grep -c '^saxpy,saxpy,NVIDIA H200,GPU-1,0.050000,1,0,5000,5000,5000,6000,[12],2,1,32,8,1,128,16' kernels.csv)" = 2 ] ||
	complain 'no two shapes of saxpy in the file'
grep -q "^\"void at::native::add<4, at::native::Fun<float> >(at::native::Fun<float>)\",$add," kernels.csv ||
	complain 'no full name in the file'
run record --list --top 1 --long -- ./lists
expect_out 'void at::native::add<4, at::native::Fun<float> >(at::native::Fun<float>)'
expect_no_out saxpy
run record --list --format json -o kernels.json -- ./lists
grep -q '"total_ns": *90000' kernels.json || complain 'no number in the JSON'

run list recordings
expect_code 0
[ "$(wc -l <out)" = 5 ] || complain 'not four recordings'
expect_out './lists'
run record --show first
expect_code 0
expect_out '2 kernels, 12 launches'
expect_no_out 'the program says'
run record --show last --format csv
expect_out 'saxpy,saxpy,NVIDIA H200'
run record --show 99
expect_code 2
expect_err "has no recording '99'"
run query "SELECT kernel, share, launches, median_ns, shapes FROM program_kernels WHERE label = 'first' ORDER BY share" --format csv
expect_out 'saxpy,0.1,2,,2'

# another run without the recorder
run record --list --overhead -- ./lists
expect_code 0
expect_err 'running the command again without the recorder'
grep -qE '^overhead: [0-9.]+ [a-z]+ with the recorder, [0-9.]+ [a-z]+ without it: [+-]' out || complain 'no overhead'

run record --list --shapes -- ./lists
expect_code 0
grep -qE '^ *5\.0% +5\.00 us +1 +5\.00 us +1x2 +32x8 +128 +saxpy$' out || complain 'no shape of saxpy'
# a narrow terminal keeps the label, by which a recording is found
if has_terminal; then
	run record --list --label 'a label of a run' -- ./lists 0 --batches 1000 --model /data/models/large
	command_line='list recordings on a terminal of 80 columns'
	on_terminal "stty cols 80; '$PERFLAB' list recordings" >out 2>err
	expect_out 'a label of a run'
	expect_no_out '…'
	command_line='record --list --shapes on a terminal of 50 columns'
	on_terminal "stty cols 50; '$PERFLAB' record --show last --shapes" >out 2>err
	for column in GRID BLOCK SHARED; do expect_out "$column"; done
fi

# ---- the end of the program ----

run record --list -- ./lists 7
expect_code 7
expect_out 'saxpy'
expect_err 'the command ended with 7'
program killed <<'END'
attached
kill -TERM $$
END
run record --list -- ./killed
expect_code 143
expect_err 'was ended by signal 15 (Terminated)'
expect_err 'ended without its last report: it crashed, was killed, or called _exit()'
expect_err 'no process reported its kernels'
run record --list -- ./killed_later
expect_code 127
expect_err 'there is no program ./killed_later'
run record --list -- no-such-program
expect_code 127
expect_err 'there is no program no-such-program in $PATH'
run record --list -- ./recorder.so
expect_code 126
expect_err 'cannot start ./recorder.so: Permission denied'
# Ctrl-C goes to the program, and perflab still reports
program interrupted <<END
trap 'tell "\$line"; ended; exit 5' INT
line='$(kernel saxpy 1,2,1 1 5000 5000)'
attached
kill -INT \$PPID
kill -INT \$\$
exit 9
END
run record --list -- ./interrupted
expect_code 5
expect_out saxpy
# SIGTERM is passed on
program terminated <<END
trap 'tell "\$line"; ended; exit 6' TERM
line='$(kernel saxpy 1,2,1 1 5000 5000)'
attached
kill -TERM \$PPID
while :; do sleep 0.05; done
END
run record --list -- ./terminated
expect_code 6
expect_out saxpy

# ---- recording ----

program records <<'END'
attached
prefix=$(sed -n 's/.*"output": "\(.*\)",/\1/p' "$PERFLAB_RECORD/request.json")
tell '{"event":"begun","kernel":"_Z7softmaxPf","launch":3,"bytes":88080384,"memory":5}'
touch "$prefix.capture"
tell '{"event":"captured","path":"'"$prefix"'.capture","kernel":"_Z7softmaxPf","launch":3,"bytes":88080384,"file_bytes":22334668,"seconds":0.12,"lost":["a texture"]}'
tell '{"event":"begun","kernel":"_Z7softmaxPd","launch":3,"bytes":1,"memory":1}'
tell '{"event":"failed","kernel":"_Z7softmaxPd","launch":3,"why":"the disk is full"}'
tell '{"event":"seen","kernel":"_Z7softmaxPf","launches":3,"graph_launches":0}'
ended
END
run record -k softmax --launch 3 -o soft -- ./records
expect_code 0
expect_err 'perflab: launch 3 of softmax: recording 84.0 MiB in 5 allocations'
expect_err "perflab: wrote $work/soft.capture: 21.3 MiB in 120 ms"
expect_err "$work/soft.capture may lack something: a texture"
expect_err 'launch 3 of softmax was not recorded: the disk is full'
expect_err "1 capture; \"perflab sweep $work/soft.capture\" replays it"
run record -k softmax --launch 3 -o 'so ft' -- ./records
expect_err "\"perflab sweep '$work/so ft.capture'\" replays it"
rm -f 'so ft.capture'
run record -k softmax --launch 3 -o soft -- ./records
run record --show last
expect_code 0
expect_out 'soft.capture'
run query 'SELECT launch, bytes, file_bytes, seconds, lost, readable FROM recorded_capture' --format csv
expect_out '3,88080384,22334668,0.12,a texture,softmax(float*)'

# the request
program asks <<'END'
cp "$PERFLAB_RECORD/request.json" "$1"
END
run record -k 'a*b' -k c --every 10 --most 2 --limit 1Gi -- ./asks "$work/request.json"
expect_code 4
for member in '"mode": "record"' '"a*b"' '"c"' '"every": 10' '"most": 2' '"limit_bytes": 1073741824' \
	"\"output\": \"$work/a_b\"" '"announce": false'; do
	grep -qF "$member" request.json || complain "request.json lacks $member"
done
run record --list -- ./asks "$work/request.json"
grep -qF '"mode": "list"' request.json || complain 'the mode is not list'

# nothing matches
seen() {
	program seen <<-END
		attached
		tell '{"event":"seen","kernel":"_Z7softmaxPf","launches":$1,"graph_launches":$2}'
		tell '{"event":"seen","kernel":"saxpy","launches":5,"graph_launches":0}'
		ended
		exit \${1:-0}
	END
}
seen 2 0
run record -k nothing -- ./seen
expect_code 3
expect_err 'no kernel matches; the most frequent of 2 are saxpy, softmax; "perflab record --list" lists all of them'
run record -k nothing -- ./seen 9
expect_code 9
expect_err 'no kernel matches'
run record -k SAXPY -- ./seen
expect_code 3
expect_err 'no kernel matches, and case matters: there is saxpy'
run record -k softmax --launch 7 -- ./seen
expect_code 3
expect_err 'softmax was launched only 2 times, so there is no launch 7'
seen 0 4
run record -k softmax -- ./seen
expect_code 3
expect_err 'softmax is only launched by CUDA graphs, of which perflab records no nodes: disable graphs in the program'
program idle <<'END'
attached
ended
END
run record -k softmax -- ./idle
expect_code 3
expect_err 'the program launched no kernel'
run record --list -- ./idle
expect_code 3
expect_err 'the program launched no kernel'
program fails <<'END'
attached
tell '{"event":"failed","kernel":"saxpy","launch":1,"why":"it needs 5 GiB, more than the limit"}'
ended
END
run record -k saxpy -- ./fails
expect_code 3
expect_err 'launch 1 of saxpy was not recorded: it needs 5 GiB, more than the limit'
expect_err 'nothing was recorded: 1 launch failed'

# it cannot work here
run record --list -- true
expect_code 4
expect_err 'true did not load the recorder: it does not use CUDA, there is no NVIDIA driver here'
program refuses <<'END'
attached
tell '{"event":"refused","why":"CUPTI is not installed"}'
END
run record --list -- ./refuses
expect_code 4
expect_err 'nothing was recorded: CUPTI is not installed'
command_line='record under a tool'
CUDA_INJECTION64_PATH=/opt/nsys.so "$PERFLAB" record --list -- touch started >out 2>err
code=$?
expect_code 4
expect_one_line
expect_err 'CUDA_INJECTION64_PATH is set to /opt/nsys.so: another tool is attached'
[ -e started ] && complain 'the command was started under another tool'
command_line='record without a recorder'
PERFLAB_RECORDER=$work/none.so "$PERFLAB" record --list -- touch started >out 2>err
code=$?
expect_code 4
expect_err "\$PERFLAB_RECORDER names '$work/none.so', which does not exist"
[ -e started ] && complain 'the command was started without a recorder'
command_line='record with a folder as the recorder'
PERFLAB_RECORDER=$work "$PERFLAB" record --list -- touch started >out 2>err
code=$?
expect_code 4
expect_err "\$PERFLAB_RECORDER names '$work', which is no file"
command_line='record without the CUPTI that is named'
PERFLAB_CUPTI=$work/none.so "$PERFLAB" record --list -- touch started >out 2>err
code=$?
expect_code 4
expect_err "\$PERFLAB_CUPTI names '$work/none.so', which does not exist"
command_line='record in a shell with the variables of --env'
CUDA_INJECTION64_PATH=$PERFLAB_RECORDER PERFLAB_RECORD=$work "$PERFLAB" record --list -- touch started >out 2>err
code=$?
expect_code 4
expect_err 'unset CUDA_INJECTION64_PATH PERFLAB_RECORD LD_PRELOAD'
[ -e started ] && complain 'the command was started with variables that are in use'

command_line='record --env beside another preloaded library'
LD_PRELOAD=/none/other.so "$PERFLAB" record --env -k softmax -o beside >out 2>err
code=$?
expect_code 0
expect_out "export LD_PRELOAD=$work/recorder.so:/none/other.so;"
expect_out '# To detach it: unset CUDA_INJECTION64_PATH PERFLAB_RECORD; export LD_PRELOAD=/none/other.so'
for arguments in '--no-preload -k softmax' --list; do
	run record --env $arguments -o "without$arguments"
	expect_code 0
	grep -q LD_PRELOAD out && complain 'the recorder is preloaded'
done
run record --list --no-preload -- ./records
expect_code 2
expect_err 'no-preload'

# ---- what cannot be stored or written ----

program mute <<'END'
touch "$PERFLAB_RECORD/$$.events"
END
run record --list -- ./mute
expect_code 3
expect_err 'the recorder was loaded and could not write its report'

# The database is opened before the program, which replaces it here.
program spoils <<END
attached
tell '$(kernel saxpy 1,1,1 9 50000 5000)'
ended
for file in spoilt.db*; do echo 'no database' >"\$file"; done
exit \$1
END
run record --list --db spoilt.db -- ./spoils 0
expect_code 3
expect_out saxpy
expect_err 'the recording is not stored: '
rm spoilt.db*
run record --list --db spoilt.db -- ./spoils 7
expect_code 7
expect_out saxpy
expect_err 'the recording is not stored: '
run record --list -o missing/kernels.csv -- touch started
expect_code 3
[ -e started ] && complain 'the command was started although its table cannot be written'

# ---- the slowest launch ----

program slowest <<END
attached
if grep -q '"mode": "list"' "\$PERFLAB_RECORD/request.json"; then
	tell '$(kernel saxpy 1,1,1 9 50000 5000)'
	tell '{"event":"slowest","kernel":"saxpy","launch":8,"ns":9000}'
	tell '{"event":"slowest","kernel":"other","launch":3,"ns":9900}'
else
	cp "\$PERFLAB_RECORD/request.json" "$work/request.json"
	tell '{"event":"captured","path":"$work/slow.capture","kernel":"saxpy","launch":8,"bytes":10,"file_bytes":5,"seconds":0.1,"lost":[]}'
fi
ended
END
run record -k sax --slowest -o slow -- ./slowest
expect_code 0
expect_err 'the command runs twice: now to find the slowest launches, then to record them'
expect_err 'running the command again to record them'
grep -A 4 '"chosen"' request.json | tr -d ' \n' | grep -qF '"chosen":[{"kernel":"saxpy","launch":8}' ||
	complain 'request.json has no chosen launch'
run record -k nothing --slowest -- ./slowest
expect_code 3
expect_err 'no kernel matches'

# ---- several processes ----

program many <<END
attached
tell '{"event":"attached","pid":4000001,"program":"python worker.py"}' 4000001
tell '{"event":"refused","why":"no memory"}' 4000001
tell '{"event":"attached","pid":4000002,"program":"python crash.py"}' 4000002
tell '$(kernel saxpy 1,1,1 9 50000 5000)'
tell '{"event":"begun","kernel":"saxpy","launch":1,"bytes":1,"memory":1}'
ended
END
run record --list -- ./many
expect_code 0
expect_err 'process 4000001 (python worker.py) was not recorded: no memory'
expect_err 'process 4000002 (python crash.py) ended without its last report'
expect_out 'at least 1 kernel, at least 9 launches; GPU time at least 50.0 us; wall time'
grep -qE 'launch 1 of saxpy in process [0-9]+: recording 1 B in 1 allocation$' err || complain 'no process in the message'
# one that goes on
program daemon <<END
attached
sleep 600 >/dev/null 2>&1 &
tell '{"event":"attached","pid":1,"program":"sleep 600"}' \$!
echo \$! >"$work/sleeper"
touch perflab.capture.part-\$!-0
tell '$(kernel saxpy 1,1,1 9 50000 5000)'
ended
END
run record --list -- ./daemon
expect_code 0
expect_err "(sleep 600) still runs: when it has ended, \"perflab record --from $work/tmp/perflab-record-"
ls perflab.capture.part-* >/dev/null 2>&1 || complain 'the part of a living process was removed'
folder=$(sed -n 's/.*--from \([^"]*\)".*/\1/p' err)
kill "$(cat sleeper)"
await 'the sleeping process ends' is_gone "$(cat sleeper)"
run record --from "$folder"
expect_code 0
expect_out saxpy
expect_err 'ended without its last report'
expect_err 'ended before the capture was complete'
rm -r "$folder"
[ -z "$(ls tmp)" ] || complain "folders are left: $(ls tmp)"

# ---- parts of captures ----

program parts <<'END'
attached
touch soft.capture.part-$$-0 soft-2.capture.part-$$-1 soft.capture.part-1-0 softer.capture.part-$$-0
END
run record -k saxpy -o soft -- ./parts
expect_err 'ended before the capture was complete'
[ "$(ls soft*.part-* | wc -l)" -eq 2 ] || complain 'wrong parts were removed'
rm -f soft*.part-*

# ---- bad events ----

program hostile <<END
attached
echo 'no JSON' >>"\$PERFLAB_RECORD/\$\$.events"
tell '[1]'
tell '{"event":5}'
tell '{"event":"kernel","kernel":"x"}'
tell '{"event":"seen","kernel":"","launches":1,"graph_launches":0}'
tell '{"event":"exit","launches":-1,"dropped":0,"own_ns":0,"wall_ns":0}'
tell '$(kernel 'evil\u001b[2Jname' 1,1,1 1 5 5)'
tell '{"event":"begun","kernel":"a\u0007b\u009bc","launch":1,"bytes":9223372036854775807,"memory":1}'
awk 'BEGIN { for (i = 0; i < 1100000; i++) printf "x"; print "" }' >>"\$PERFLAB_RECORD/\$\$.events"
mkfifo "\$PERFLAB_RECORD/77.events"
ln -s /etc/passwd "\$PERFLAB_RECORD/78.events"
ended
printf '{"event":"seen","kern' >>"\$PERFLAB_RECORD/\$\$.events"
END
run record --list -- ./hostile
expect_code 0
expect_err '8 lines of the recorder could not be read; the first is of process'
expect_err 'launch 1 of a?b?c: recording 8.0 EiB in 1 allocation'
expect_out 'evil?[2Jname'
LC_ALL=C grep -q "$(printf '\033')" out err && complain 'an escape sequence reached the terminal'

# ---- attached by variables ----

run record --env -k softmax -o "it's"
expect_code 0
expect_out "export CUDA_INJECTION64_PATH=$work/recorder.so;"
expect_out "export LD_PRELOAD=$work/recorder.so;"
expect_out '# To detach it: unset CUDA_INJECTION64_PATH PERFLAB_RECORD LD_PRELOAD'
command_line='eval of record --env'
(eval "$(cat out)" && exec ./records) >/dev/null || complain 'the program failed'
# perflab's own workers are not recorded; what another tool sets stays
cat >worker <<-'END'
	#!/bin/sh
	env >"$SEEN"
	exec "$FAKE_WORKER"
END
chmod +x worker
cp out variables
for attached in "$work/recorder.so" /elsewhere/lib/libperflab-record.so /opt/nsys.so; do
	(eval "$(cat variables)"
	export LD_PRELOAD="$attached:/none/other.so"
	export CUDA_INJECTION64_PATH="$attached" SEEN="$work/seen" FAKE_WORKER PERFLAB_WORKER_CUDA="$work/worker"
	run sweep reduce/shuffle -b 64 --size 1024 --ceilings never --db sweep.db
	expect_code 0
	exit "$failures") || failures=$((failures + 1))
	command_line="the variables of a worker, with $attached"
	grep -q '^LD_PRELOAD=.*/none/other.so$' seen || complain 'another library is not preloaded'
	if [ "$attached" = /opt/nsys.so ]; then
		grep -q '^CUDA_INJECTION64_PATH=/opt/nsys.so' seen || complain 'the tool was detached'
		grep -q '^LD_PRELOAD=/opt/nsys.so' seen || complain 'the tool is not preloaded'
	elif grep '^CUDA_INJECTION64_PATH=\|^PERFLAB_RECORD=\|^LD_PRELOAD=/[^:]*record' seen >"$work/out"; then
		complain 'the recorder is attached to a worker'
	fi
	rm -f seen
done
run record --env -k softmax -o "it's"
expect_code 3
expect_err "it's.recording: File exists"
run record --from "it's.recording" --label attached
expect_code 0
expect_err "wrote $work/it's.capture"
run record --from "it's.recording" --label again
expect_code 0
run query "SELECT count(*), max(label) FROM recording WHERE mode = 'record' AND command = './app x'" --format csv
expect_out '1,again'
run record --from "it's.recording" --list
expect_code 2
expect_err 'was made to record kernels'
run record --env --list -o listed
expect_code 0
(eval "$(cat out)" && exec ./lists) >/dev/null </dev/null
run record --from listed.recording --list
expect_code 0
expect_out '2 kernels, 12 launches; GPU time 100 us; wall time 500 us'
run record --from "$work/tmp"
expect_code 3
expect_err "$work/tmp is no folder of a recording"
echo '{"mode":"list","output":null}' >listed.recording/request.json
echo '{"uid":"../../etc","started_ns":1,"label":null}' >listed.recording/recording.json
run record --from listed.recording
expect_code 3
expect_err 'recording.json: uid is not 32 hex digits'

# what is no recording, and sums that SQL cannot take
run record --from missing.recording
expect_code 3
expect_err 'missing.recording is no folder of a recording'
run record --env --list -o large
expect_code 0
run record --from large.recording
expect_code 4
expect_err 'no program has loaded the recorder: none was started'
tell_large() { printf '%s\n' "$1" >>large.recording/1.events; }
tell_large '{"event":"attached","pid":1,"program":"x"}'
tell_large "$(kernel saxpy 1,1,1 9223372036854775807 9223372036854775807 5)"
tell_large "$(kernel saxpy 2,1,1 1 1 5)"
run record --from large.recording
expect_code 0
expect_err '1 line of the recorder could not be read'
expect_err 'the sum of all kernels is too large'
run query 'SELECT count(*) FROM program_kernels'
expect_code 0

# ---- usage ----

refused 2 'give --list, or -k PATTERN' record -- true
refused 2 'write -- before the command' record --list true
refused 2 'give the command after --' record --list
refused 2 '--launch has no effect with --list' record --list --launch 2 -- true
refused 2 '--format has no effect with --kernel' record -k a --format csv -- true
refused 2 '--kernel has no effect with --show' record --show last -k a
refused 2 'give one of --launch, --every and --slowest' record -k a --launch 1 --every 2 -- true
refused 2 '--slowest runs the command twice' record -k a --slowest --env
refused 2 '--overhead has no effect with --env' record --list --overhead --env
refused 2 '--db has no effect with --env' record -k a --env --db x.db
refused 2 '--env runs no command' record -k a --env -- true
refused 2 'an empty pattern selects every kernel' record -k '' -- true
refused 2 '--limit: ' record -k a --limit lots -- true
refused 2 "'sub/' is no name for a capture: -o takes a path without .capture" record -k a -o sub/ -- true
refused 2 'is no name for a capture' record -k a -o .. -- true
refused 2 'has at most 200 bytes' record -k a -o "$(printf '%0201d' 1)" -- true
refused 3 'cannot write captures in missing' record -k a -o missing/name -- true

finish
