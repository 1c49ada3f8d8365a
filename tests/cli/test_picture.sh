# Pictures: perflab runs gnuplot with a script on stdin, and no other program. Without gnuplot it
# prints one line.
. "$(dirname "$0")/lib.sh"
fake_worker

run sweep stream reduce/shuffle --size 1024 --block-sizes 64 --rounds 1
expect_code 0
run ceilings
expect_code 0
measured=1

# ---- a stand-in that stores its input ----
mkdir bin none
cat >bin/gnuplot <<'END'
#!/bin/sh
cd "$(dirname "$0")/.." || exit 9
echo "$@" >arguments
cat >script
. ./answer
END
chmod +x bin/gnuplot
real_path=$PATH
PATH=$work/bin:$PATH

echo 'printf PICTURE' >answer
for format in svg png pdf; do
	run report "$measured" --format $format -o picture
	expect_code 0
	[ "$(cat picture)" = PICTURE ] || complain 'the picture is not what gnuplot gave'
	[ "$(cat arguments)" = -d ] || complain "gnuplot was called with $(cat arguments)"
	grep -q "^set terminal $format" script || complain "the script draws no $format"
	grep -q 'set label .DRAM ' script || complain 'the script has no roof'
	grep -q "title 'reduce/shuffle" script || complain 'the script lacks a kernel'
done
run report "$measured" --format svg
[ "$(cat "$work/out")" = PICTURE ] || complain 'a picture goes to stdout, too'

# no picture and no page on a terminal
left_out=
if has_terminal; then
	for format in svg png pdf html; do
		command_line="perflab report --format $format, on a terminal"
		on_terminal "'$PERFLAB' report $measured --format $format" >"$work/out" 2>&1
		[ $? -eq 2 ] || complain 'it was not refused'
		expect_out "$format is not for a terminal: give -o FILE.$format, or a pipe"
	done
	command_line='perflab report --format svg, into a pipe'
	on_terminal "'$PERFLAB' report $measured --format svg | cat" >"$work/out" 2>&1
	expect_out 'PICTURE'
else
	left_out='no pseudo-terminal can be made here'
fi

# gnuplot fails without output: an existing picture stays
echo 'echo >&2; echo "line 0: unknown terminal" >&2; exit 1' >answer
refused 3 'gnuplot failed: line 0: unknown terminal' report "$measured" --format png -o picture
echo 'kill -9 $$' >answer
refused 3 'gnuplot failed: it printed no message' report "$measured" --format png -o picture
echo ':' >answer
refused 3 'gnuplot printed nothing' report "$measured" --format png -o picture
[ "$(cat picture)" = PICTURE ] || complain 'a failure broke the picture'
ls -A | grep -q '^\.perflab-' && complain 'a temporary file is left'

# more than a pipe holds
echo 'head -c 300000 /dev/zero' >answer
run report "$measured" --format png -o picture
expect_code 0
[ "$(wc -c <picture)" -eq 300000 ] || complain 'a large picture was cut'

echo 'echo gnuplot 99.9' >answer
run doctor
expect_out 'gnuplot 99.9'
PATH=$work/none
run doctor
PATH=$real_path
expect_out 'gnuplot is not installed'
PATH=$work/none
run report "$measured" --format svg -o picture
PATH=$real_path
expect_code 4
expect_one_line
expect_err 'svg needs gnuplot, which is not installed: install it (Debian'

# gnuplot does not run if there is nothing to draw: a copy has no operations
run sweep stream/copy_scalar --size 1024 --block-sizes 64 --rounds 1 --metrics none --db bare.db
refused 3 'has nothing to draw' report last --format svg -o picture --db bare.db
fake_emulator
run sweep reduce/shuffle --size 1024 --block-sizes 64 --backend ptx --db emulated.db
refused 3 'was emulated: without times no roofline can be drawn' \
	report last --format svg -o picture --db emulated.db

# ---- the real one ----
command -v gnuplot >/dev/null || finish_without 'gnuplot (package gnuplot-nox) is not installed'

run report "$measured" --format png -o real.png
expect_code 0
[ "$(head -c 4 real.png | tail -c 3)" = PNG ] || complain 'no PNG'
run report "$measured" --format pdf -o real.pdf
expect_code 0
[ "$(head -c 5 real.pdf)" = %PDF- ] || complain 'no PDF'

# names with special characters of a format appear as plain text
if command -v sqlite3 >/dev/null && command -v python3 >/dev/null; then
	sqlite3 perflab.db "UPDATE trial SET variant = 'it''s </script>&amp;''; !touch pwned'
		|| char(10) || char(27) || '\`touch pwned\`' WHERE variant = 'shuffle';
		UPDATE run SET label = '''; system ''touch pwned''; ''{/Bold x}@a%d\\' WHERE id = 1"
	run report "$measured" --format svg -o real.svg
	expect_code 0
	[ -e pwned ] && complain 'a name was run'
	python3 - real.svg <<'END' || complain 'the drawing is not as it should be'
import sys
import xml.etree.ElementTree as tree

elements = list(tree.parse(sys.argv[1]).iter())
texts = [" ".join("".join(element.itertext()).split()) for element in elements
         if element.tag.endswith("text")]
assert any(text.startswith("DRAM ") for text in texts), texts
assert any(text.startswith("reduce/it's </script>&amp;'; !touch pwn") for text in texts), texts
assert any(text.endswith("run 1 ('; system 'touch pwned'; '{/Bold x}@a%d\\)") for text in texts), texts
assert not any("script" in element.tag for element in elements)
END
fi

[ -z "$left_out" ] || finish_without "$left_out"
finish
