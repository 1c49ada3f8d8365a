# The pager: only on a terminal, only for verbs that print, chosen as git chooses it.
. "$(dirname "$0")/lib.sh"
fake_worker
run sweep stream --size 1024 --block-sizes 64 --rounds 1 --db pager.db
expect_code 0
export PERFLAB_DB="$work/pager.db" TERM=xterm NO_COLOR=1

# never in a pipe, whatever is set
PERFLAB_PAGER='sed s/^/paged:/' run report last
expect_code 0
expect_no_out 'paged:'

has_terminal || finish_without 'no pseudo-terminal'

# paged ENVIRONMENT WORD…: runs perflab on a terminal; what it shows is in $work/out.
paged() {
	variables=$1
	shift
	command_line="$variables perflab $*"
	on_terminal "env $variables '$PERFLAB' $*; echo code=\$?" 2>/dev/null | tr -d '\r' >"$work/out"
	: >"$work/err"
}

for words in 'report last' 'list runs' 'query best' 'history stream/copy_float4'; do
	paged "PERFLAB_PAGER='sed s/^/paged:/'" "$words"
	expect_out 'paged:'
	expect_out 'code=0'
done
paged "-u PERFLAB_PAGER PAGER='sed s/^/other:/'" report last
expect_out 'other:Run 1'
# PERFLAB_PAGER counts more than PAGER
paged "PERFLAB_PAGER='sed s/^/paged:/' PAGER='sed s/^/other:/'" report last
expect_out 'paged:Run 1'
expect_no_out 'other:'

# none: an empty name, cat, the option, a file, a terminal that cannot page
for variables in 'PERFLAB_PAGER= PAGER=no' 'PERFLAB_PAGER=cat' "PERFLAB_PAGER='sed s/^/paged:/' TERM=dumb" \
	"PERFLAB_PAGER=no-such-pager"; do
	paged "$variables" report last
	expect_out 'Run 1'
	expect_no_out 'paged:'
	expect_out 'code=0'
done
paged "PERFLAB_PAGER='sed s/^/paged:/'" report last --no-pager
expect_out 'Run 1'
expect_no_out 'paged:'
paged "PERFLAB_PAGER='sed s/^/paged:/'" report last -o kept.txt
expect_no_out 'paged:'
[ -s kept.txt ] || complain 'nothing in the file'
# a sweep shows progress, so it has no pager
paged "PERFLAB_PAGER='sed s/^/paged:/'" sweep stream/copy_float4 --size 1024 --block-sizes 64 --rounds 1
expect_out 'Next'
expect_no_out 'paged:'

# less gets the options of git, unless the user has set some
paged "PERFLAB_PAGER='printenv LESS; cat >/dev/null'" report last
expect_out FRX
paged "LESS=S PERFLAB_PAGER='printenv LESS; cat >/dev/null'" report last
grep -qx S "$work/out" || complain 'the options of the user are replaced'

# messages and exit codes are those without a pager
paged "PERFLAB_PAGER='sed s/^/paged:/'" report 999
expect_out "paged:perflab: no run '999'"
expect_out 'code=2'
# a pager that is left early does not change the exit code, however much it has not read
paged "PERFLAB_PAGER='head -n 1'" report last
expect_out 'Run '
expect_no_out 'Method'
expect_out 'code=0'
much="\"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 100000) SELECT x FROM t\""
for pager in true 'head -n 1' 'read line; exit 5'; do
	paged "PERFLAB_PAGER='$pager'" query --format csv "$much"
	expect_out 'code=0'
	paged "PERFLAB_PAGER='$pager'" query --format csv "'SELECT nothing'"
	expect_out 'code=2'
done
# in a pipe, perflab ends when nothing reads any more
command_line='perflab query | true'
{
	"$PERFLAB" query --format csv 'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t)
		SELECT x FROM t'
	echo "code=$?" >"$work/out"
} 2>"$work/err" | head -n 1 >/dev/null
expect_out 'code=141'

finish
