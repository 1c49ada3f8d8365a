# Every option of every verb is in help, the manual page and completion, and the parser accepts it.
. "$(dirname "$0")/lib.sh"
no_worker

run help
expect_code 0
verbs=$(sed -n '/^verbs/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p' "$work/out")
for verb in sweep report study list nsight doctor help completion version; do
	echo "$verbs" | grep -qx "$verb" || complain "help does not list $verb"
done

for variable in PERFLAB_DB PERFLAB_WORKER_CUDA PERFLAB_WORKER_PTX PERFLAB_SOURCE_DIR; do
	expect_out "$variable "
done

for shell in bash zsh fish; do
	run completion $shell
	expect_code 0
	cp "$work/out" "$work/completion.$shell"
done
for shell in bash zsh fish; do
	if command -v $shell >/dev/null; then
		$shell -n "$work/completion.$shell" || complain "$shell does not parse its completion"
	fi
done

# columns are completed, in a list too
grep -q -- '--sort|-s) .*-W "kernel variant .* median .* block n ' "$work/completion.bash" || complain 'no columns for --sort'
grep -q -- '--columns) .*-P .*-W "kernel variant .* median .* block n ' "$work/completion.bash" || complain 'no columns for --columns'

# The default of --every is no value that it takes.
run help record
grep -A 1 -- '--every' out | grep -q 'default: 0' && complain 'a default that is refused'

options_seen=0
newline='
'
zsh=$(cat "$work/completion.zsh")
fish=$(cat "$work/completion.fish")$newline
for verb in $verbs; do
	run help "$verb"
	expect_code 0
	cp "$work/out" "$work/help"
	tr -s ' \n' ' ' <"$work/help" | grep -oE '\(default: [^)]*\)[^()]{0,12}\(default: [^)]*\)' &&
		complain 'a default is given twice'
	run "$verb" --help
	expect_code 0
	cmp -s "$work/help" "$work/out" || complain "--help differs from help $verb"
	run help --man "$verb"
	expect_code 0
	expect_out '.SH OPTIONS'
	# troff writes a hyphen for "\-"
	man=$(sed 's/\\-/-/g' "$work/out")$newline
	bash=$(sed -n "/^\t$verb)/,/^\t\t;;\$/s/.*options=\"\([^\"]*\)\".*/ \1 /p" "$work/completion.bash")
	for option in $(sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/help"); do
		options_seen=$((options_seen + 1))
		case $man in
		*"$option "* | *"$option\\"* | *"$option$newline"*) ;;
		*) complain "man page lacks $option" ;;
		esac
		case $bash in *" $option "*) ;; *) complain "bash completion lacks $option" ;; esac
		case $zsh in
		*"'$option"* | *"'*$option"*) ;;
		*) complain "zsh completion lacks $option" ;;
		esac
		case $fish in
		*"from $verb' -l ${option#--} "* | *"from $verb' -l ${option#--}$newline"*) ;;
		*) complain "fish completion lacks $option of $verb" ;;
		esac
		[ "$option" = --help ] && continue
		# the parser knows the option: it asks for a value or reports another error
		run "$verb" "$option"
		read -r said <"$work/err" || said=
		case $said in *'unknown option'*) complain "the parser does not know $option" ;; esac
	done
done
[ "$options_seen" -ge 40 ] || complain "only $options_seen options were found in help"

# the examples work: the cases that they sweep can run, and those that they profile exist
"$PERFLAB" help sweep | sed -n 's/^  perflab \(sweep .*\)/\1/p' | grep -v -- --resume >"$work/sweeps"
[ -s "$work/sweeps" ] || complain 'help has no example of a sweep'
while read -r words; do
	for word in $words; do
		case $word in -* | sweep) continue ;; [a-z]*) ;; *) continue ;; esac
		"$PERFLAB" list kernels "$word" 2>/dev/null | grep -q "^$(echo "$word" | cut -d/ -f1) " || continue
		# shellcheck disable=SC2086 # words
		run $words --dry-run
		expect_code 0
		grep -qE "^$word/.* run( |\$)" "$work/out" || complain "nothing of $word can run"
	done
done <"$work/sweeps"
for name in $("$PERFLAB" help nsight | sed -n 's/^  perflab nsight n[a-z]* \([^ ]*\).*/\1/p'); do
	case $name in *.cu) continue ;; esac # a file of the reader
	run sweep "$name" --dry-run
	expect_code 0
done

if command -v groff >/dev/null; then
	for verb in $verbs; do
		"$PERFLAB" help --man "$verb" | groff -man -Tutf8 -ww -z 2>"$work/err"
		[ -s "$work/err" ] && complain "groff reports problems in the page of $verb"
	done
fi

# An option has the same letter in every verb, or none where the letter has another meaning: there,
# -l is --list, -a is --all-metrics, -c is --chip, and --limit is of bytes.
command_line='the letters of options'
for verb in $verbs; do
	"$PERFLAB" help "$verb" | sed -n 's/^  \(-.\), \(--[a-z-]*\).*/\2 \1/p; s/^  \(--[a-z-]*\).*/\1 none/p' |
		sed "s/\$/ $verb/"
done >letters
grep -vxE -e '--(label|limit) none record' -e '--list none study' -e '--all none report' \
	-e '--(compare|lines) none sweep' letters |
	awk '$1 in letter && letter[$1] != $2 { print $1, $2, "in", $3, "and", letter[$1], "in", verb[$1] }
		{ letter[$1] = $2; verb[$1] = $3 }' >"$work/out"
: >"$work/err"
[ -s "$work/out" ] && complain 'an option has several letters'

# completion offers the right words
cat >"$work/complete.bash" <<'END'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_perflab
echo "${COMPREPLY[@]}"
END
completes() {
	wanted=$1
	shift
	command_line="complete $*"
	bash "$work/complete.bash" "$work/completion.bash" "$@" >"$work/out"
	grep -qxF -- "$wanted" "$work/out" || complain "expected: $wanted"
}
completes 'sweep' perflab sw
completes '--cache' perflab sweep --ca
completes 'cold hot' perflab sweep --cache ''
completes 'reduce/shuffle' perflab sweep reduce/shu
completes 'divergence_two_ifs' perflab study divergence_two
completes 'kernels' perflab list k
completes 'text csv json md html svg png pdf' perflab report --format ''
completes 'text csv json md' perflab list --format ''
completes 'auto cuda ptx' perflab sweep --backend ''
completes 'cuda ptx' perflab list devices --backend ''
completes 'nvrtc nvcc' perflab init --compiler ''
completes 'core' perflab sweep --metrics cor
completes 'dram_read_bytes,memory' perflab sweep -m dram_read_bytes,memo
completes 'ptx_divergent_branches' perflab regress --counters ptx_divergent
# runs, of the database that the line names; a label is no command
fake_worker
: >expanded
# shellcheck disable=SC2016 # the label is literal
for label in nightly '$(rm expanded)' 'two words'; do
	"$PERFLAB" sweep reduce/shuffle -b 64 --size 1024 -q -l "$label" --db runs.db >/dev/null 2>&1 ||
		complain "no run with the label $label"
done
PATH=$(dirname "$PERFLAB"):$PATH
for words in 'report' 'mark' 'export' 'regress --base' 'sweep --resume' 'report --compare'; do
	# shellcheck disable=SC2086 # words
	completes 'nightly' perflab ${words%% *} --db runs.db ${words#"${words%% *}"} nig
done
completes 'last last-good nightly' perflab regress --db = runs.db --head ''
completes '' perflab regress --db absent.db --head ''
completes 'good' perflab mark --db runs.db nightly go
[ -e expanded ] || complain 'the shell executed a label'
[ -e absent.db ] && complain 'a database was created'
if command -v zsh >/dev/null; then
	command_line='complete in zsh'
	cat >complete.zsh <<-'END'
		autoload -U compinit && compinit -u -D
		_arguments() { print -rl -- "$@" }
		source $1
		words=(perflab $2); CURRENT=3; _perflab
		compadd() { print -rl -- "$@" }
		words=(report --db runs.db '')
		_perflab_runs
	END
	HOME="$work" zsh -f complete.zsh ./completion.zsh sweep >"$work/out" 2>"$work/err"
	expect_out ':auto|cuda|ptx:(auto cuda ptx)'
	expect_out ': _values -s , value none basic core '
	expect_out ':RUN:_perflab_runs'
	expect_out 'nightly'
	expect_no_out 'two words'
fi
if command -v fish >/dev/null; then
	fish_completes() {
		command_line="complete in fish: $1"
		HOME="$work" PERFLAB_DB=runs.db fish -c "source $work/completion.fish; complete -C '$1'" \
			>"$work/out" 2>"$work/err"
		cut -f 1 "$work/out" | grep -qxF -- "$2" || complain "expected: $2"
	}
	fish_completes 'perflab sweep --backend p' ptx
	fish_completes 'perflab sweep --metrics core,mem' core,memory
	fish_completes 'perflab regress --base nig' nightly
	fish_completes 'perflab report nig' nightly
	command_line='complete in fish'
	HOME="$work" fish -c "source $work/completion.fish; complete -C 'perflab sweep --cache '" \
		>"$work/out" 2>"$work/err"
	[ "$(cut -f 1 "$work/out")" = 'cold
hot' ] || complain 'expected: cold, hot'
fi
finish
