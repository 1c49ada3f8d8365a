# A wrong command line names what was probably meant.
. "$(dirname "$0")/lib.sh"
no_worker

# ---- verbs ----
refused 2 'unknown verb "run"; did you mean sweep?' run
refused 2 'unknown verb "compare"; did you mean regress, or report --compare RUN?' compare 1 2
refused 2 'did you mean report -o FILE.html?' html
refused 2 'did you mean list?' help ls
refused 2 'unknown verb "repotr"; did you mean report?' repotr
refused 2 'unknown verb "rum"; the verbs are sweep, ' rum
refused 2 ', report, ' rum
refused 2 '; "perflab help" explains them' help rum
refused 2 "there is no kernel 'xyz': choose from stream, " sweep xyz
refused 2 '(`perflab list kernels` shows all)' sweep xyz
refused 2 'unknown option --db before a verb; the options of a verb follow it' --db x.db report
refused 2 '--help takes no value' --help=x
refused 2 '--version takes no value' --version=1

# ---- options ----
refused 2 '--help takes no value' sweep --help=x
refused 2 '-h takes no value; options of one letter are not joined: write -h -q' sweep -hq
refused 2 'write -b 64 or --block-sizes=64' sweep -b=64
refused 2 'unknown option -size; did you mean --size?' sweep -size 64
refused 2 '--label needs a value: LABEL, but the option --db follows; write --label=--db' \
	mark 1 --label --db x.db
refused 2 'did you mean --format json?' report --json
refused 2 'did you mean --format md?' query best --markdown
refused 2 'did you mean --min-samples?' sweep --samples 9
refused 2 'did you mean --dry-run?' sweep --dry
refused 2 'did you mean --device?' ceilings --gpu 0
refused 2 'did you mean --base?' regress --against 1
refused 2 'did you mean an operand, KERNEL/VARIANT, without an option?' sweep --kernel reduce
refused 2 'did you mean the variable NO_COLOR?' report --no-color
refused 2 'one of: text, csv, json, md; did you mean md?' query best --format markdown
refused 2 'one of: cold, hot; did you mean hot?' sweep --cache warm
refused 2 'one of: cold, hot; did you mean cold?' sweep --cache COLD
refused 2 'unexpected operand "1"; name the runs with --base RUN and --head RUN' regress 1 2
refused 2 'unexpected operand "x"; perflab doctor takes none' doctor x
refused 2 'cannot list "variants"; did you mean kernels?' list variants
refused 2 'the run comes first: perflab mark 12 good' mark good 12
refused 2 'name the run, too: perflab mark last good' mark good
# no suggestion is better than a wrong one
refused 2 '"perflab help sweep" lists the options' sweep --xyzzy

# ---- values ----
refused 2 "'64-1024' is not a valid axis value: did you mean 64..1024?" sweep --block-sizes 64-1024
refused 2 "did you mean 64..1024:+32?" sweep reduce/shuffle/block=64:1024:32
refused 2 "unknown size 'smal': did you mean small?" sweep --size smal
refused 2 "write a large number as 1000000, 1e6 or 1M" sweep --size 1,000,000
refused 2 'did you mean 1M?' sweep --size 1MB
refused 2 'did you mean 5min?' sweep --timeout 5m
refused 2 'did you mean 5%?' sweep --precision 5
run sweep reduce/shuffle -b 64 --size 1e6 --dry-run
expect_code 0
expect_out 'reduce/shuffle/block=64,n=1000000 '
for number in 1e1 1k 0.5Ki; do
	run sweep reduce/shuffle -b 64 --min-samples "$number" --rounds "$number" --seed "$number" --dry-run
	expect_code 0
done

# numbers that a worker or the machine refuses later
refused 2 '--rounds: 100000000 is too many; at most 1000000' sweep reduce --rounds 1e8
refused 2 '--placements: 1000000000 is too many; at most 1000' sweep reduce --placements 1e9
refused 2 "--placements" sweep reduce --placements 0
refused 2 "--placements" sweep reduce --placements -4
refused 2 "--placements" sweep reduce --placements many
refused 2 '--min-samples: 10000000 is too many' sweep reduce --min-samples 1e7
refused 2 '--jobs: 100000 is too many; at most' sweep reduce --backend ptx -j 100000
refused 2 '--jobs: 100000 is too many; at most' study atomics_contention --backend ptx -j 100000

# ---- backends ----
for word in gpu GPU nvidia cudaa; do
	refused 2 "'$word' is no backend: there are cuda and ptx; did you mean cuda?" \
		sweep reduce --backend "$word"
done
for word in cpu emulator ptxx; do
	refused 2 "'$word' is no backend: there are cuda and ptx; did you mean ptx?" \
		sweep reduce --backend "$word" --dry-run
done
for words in ceilings 'list devices' 'list metrics' 'list kernels' doctor study; do
	# shellcheck disable=SC2086 # words
	refused 2 'did you mean cuda?' $words --backend gpu
done

# ---- options that have no effect ----
for words in 'kernels --chip GH100' 'kernels --set core' 'runs --set core' 'runs --backend ptx' 'sets --all' \
	'devices --chip GH100' 'metrics --db x.db' 'sets --db x.db'; do
	option=${words#* }
	# shellcheck disable=SC2086 # words
	refused 2 "${option%% *} works only with \"perflab list " list $words
done
refused 2 '--list measures nothing, so it does not go with --stored' study --list --stored
refused 2 '--list measures nothing, so it does not go with --rounds' study --list --rounds 3
refused 2 '--stored measures nothing, so it does not go with --device' study --stored --device 1
refused 2 '--stored measures nothing, so it does not go with --label' ceilings --stored --label x

# ---- arguments are checked before a GPU or a database is looked for ----
no_worker
for words in '--metrics nonsense__metric' '--counter-dump none' '--counter-dump test_file' '--rounds 0' '--shard 3/2' \
	'--gpus 0,0' '--gpus x' '--set n' '--baseline nothing' '--decide-time 0' '--device 5000'; do
	touch test_file
	# shellcheck disable=SC2086 # words
	refused 2 "${words%% *}" sweep reduce --size 1024 --backend cuda --db none.db $words
done
[ -e none.db ] && complain 'a database was made'

# ---- files ----
refused 2 "there is no file 'saxpy.py', and no kernel has such a name; files of kernels end in .cu," \
	sweep saxpy.py
refused 2 "there is no file '/nowhere'" sweep /nowhere
refused 2 "'$work' is a folder: name its files" sweep "$work"
# a variant may have a full stop in its name
refused 2 "kernel 'reduce' has no variant 'shared.x'" sweep reduce/shared.x --dry-run
mkdir -p reduce && echo x >reduce/shared.x
refused 2 "'reduce/shared.x' is a file, but its name does not end in" sweep reduce/shared.x --dry-run
for option in --launch --annotate --compile-flag --std --compiler; do
	refused 2 "$option is about a file, and none is given" sweep reduce "$option" x --dry-run
done

echo '__global__ void k() {}' >k.cu
refused 2 'perflab check reads PTX; perflab sweep k.cu --backend ptx' check k.cu
refused 2 '--from k.cu: a capture is expected' init --from k.cu

# ---- runs ----
fake_worker
run sweep reduce/shuffle -b 64 --size 4096 --label nightly -q
expect_code 0
refused 2 "no run 'latest' in perflab.db; did you mean last?" report latest
refused 2 "no run 'nightyl' in perflab.db; did you mean nightly?" report nightyl
finish
