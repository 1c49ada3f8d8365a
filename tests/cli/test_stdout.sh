# A truncated report must not look like a complete one.
. "$(dirname "$0")/lib.sh"
no_worker
[ -c /dev/full ] || skip 'there is no /dev/full'

for words in 'help' 'help sweep' 'help --man sweep' 'list kernels' 'list kernels --format json' \
	'list metrics --format csv' 'list sets --format md' 'version' 'completion bash' \
	'sweep reduce --dry-run'; do
	command_line="perflab $words"
	# shellcheck disable=SC2086 # words
	"$PERFLAB" $words >/dev/full 2>"$work/err"
	code=$?
	: >"$work/out"
	expect_code 3
	expect_err 'No space left on device'
done

# a stdout that was never open is fine as long as nothing is printed
command_line='perflab version >&-'
"$PERFLAB" version >&- 2>"$work/err"
code=$?
expect_code 3
finish
