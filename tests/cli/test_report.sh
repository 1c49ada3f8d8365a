# Where a report goes and what it comes as: files that are whole or not there, formats that are
# refused.
. "$(dirname "$0")/lib.sh"
fake_worker

run sweep stream --size 1024 --block-sizes 64 --rounds 1 --label first
expect_code 0
run report last
expect_code 0
cp "$work/out" shown

# a file holds what stdout would, and no other file is left
run report last -o report.txt
expect_code 0
[ ! -s "$work/out" ] || complain 'something on stdout beside the file'
cmp -s shown report.txt || complain 'the file differs from stdout'
ls -A | grep -q '^\.perflab-' && complain 'a temporary file is left'
umask 027
run report last -o masked.txt
[ "$(stat -c %a masked.txt)" = 640 ] || complain "permissions are $(stat -c %a masked.txt)"
umask 022
run report last -o -
cmp -s shown "$work/out" || complain '-o - is not stdout'

# a link stays, what it names is replaced, with the permissions that it had
chmod 604 report.txt
ln -s report.txt link
run report last --format csv -o link
expect_code 0
[ -L link ] || complain 'the link is gone'
grep -q '^format,' report.txt || complain 'what the link names is as it was'
[ "$(stat -c %a report.txt)" = 604 ] || complain "permissions became $(stat -c %a report.txt)"

# what cannot be replaced is written to as it is
run report last -o /dev/null
expect_code 0
[ -c /dev/null ] || complain '/dev/null was replaced'

# a failure leaves what was there
printf kept >page.html
refused 3 "no run '999'" report 999 --format html -o page.html
[ "$(cat page.html)" = kept ] || complain 'a failure broke the page that was there'
refused 3 'cannot write no/such/folder/x: No such file' report last -o no/such/folder/x
refused 3 'cannot write .: Is a directory' report last -o .
refused 3 'No space left' report last -o /dev/full
run sweep stream --size 1024 --block-sizes 32..1024 --rounds 1
expect_code 0
(
	ulimit -f 80
	"$PERFLAB" report last --format json -o page.html
	echo "ended with $?"
) 2>&1 | cat >"$work/err"
command_line='perflab report last --format json -o page.html, where files end at 40 KiB'
expect_err 'File too large'
expect_err 'ended with 3'
[ "$(cat page.html)" = kept ] || complain 'a full disk broke the page that was there'
ls -A | grep -q '^\.perflab-' && complain 'a temporary file is left'

# a verdict for the best of each kernel, or a line that says what is missing; not for --no-roofline
run report last
expect_out 'Roofline'
expect_out 'perflab ceilings'
run report last --no-roofline
expect_code 0
expect_no_out 'Roofline'
expect_no_out 'perflab ceilings'
run report last --format md --no-roofline
expect_no_out 'Roofline'

# what does not go together is refused before anything is opened
refused 2 '--compare is for --format html' report last --compare first
refused 2 '--lines does not come as svg' report last --lines --format svg
refused 2 'unknown value "html"' list runs --format html
refused 2 'unknown value "png"' sweep --format png
refused 3 '--compare: ' report last --format html --compare nothing-of-that-name

finish
