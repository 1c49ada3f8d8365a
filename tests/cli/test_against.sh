# perflab sweep --against: a file beside itself of another revision, on the emulator.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip 'there is no git'
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
real_emulator
export PERFLAB_DB="$work/a.db" TMPDIR="$work/tmp"
export GIT_CONFIG_GLOBAL="$work/gitconfig" GIT_CONFIG_SYSTEM=/dev/null
mkdir "$TMPDIR"
printf '[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n' \
	>"$GIT_CONFIG_GLOBAL"
copy=$built_in_ptx/stream/copy_scalar.ptx

# kernel FILE: a kernel that copies, with its sidecar.
kernel() {
	cp "$copy" "$1"
	cat >"$1.perflab" <<-'END'
		axis n = 256
		axis block = 64, 128
		buffer x: f32[n] in
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
		verify y = x
	END
}

# worsen FILE: each load is executed twice.
worsen() { sed -i '/ld\.global/p' "$1"; }

# against CODE WORD…: sweeps on the emulator. Nothing is left behind, and nothing changes in the
# repository, which is the current folder.
against() {
	wanted=$1
	shift
	before=$(git status --porcelain=v1 -z | od -c; git rev-parse HEAD; git ls-files -s)
	run sweep "$@" --backend ptx -q
	expect_code "$wanted"
	[ "$(git status --porcelain=v1 -z | od -c; git rev-parse HEAD; git ls-files -s)" = "$before" ] ||
		complain 'the repository has changed'
	is_clean
}

is_clean() {
	[ -z "$(ls -A "$TMPDIR")" ] || complain "left behind: $(ls -A "$TMPDIR")"
	[ -z "$(ls -A "$PERFLAB_CACHE/revisions" 2>/dev/null)" ] ||
		complain "left behind: $(ls -A "$PERFLAB_CACHE/revisions")"
}

# refused_against TEXT WORD…: a usage error that names the cause; nothing is stored.
refused_against() {
	text=$1
	shift
	rm -f "$work/none.db"
	against 2 "$@" --db "$work/none.db"
	expect_err "$text"
	expect_one_line
	[ ! -e "$work/none.db" ] || complain 'a database was made'
}

is() {
	got=$(sqlite3 "$PERFLAB_DB" "$2")
	[ "$got" = "$1" ] || complain "got '$got', not '$1': $2"
}

mkdir repo && cd repo || exit 1
git init -q .
kernel my.ptx

# ---- what cannot be compared ----
refused_against 'has no commits yet' my.ptx --against HEAD
git add . && git commit -q -m one && git tag v1 && first=$(git rev-parse --short=8 HEAD)
refused_against 'has no such revision: did you mean main' my.ptx --against mian
refused_against 'has no such revision' my.ptx --against=--output=x
refused_against 'has no such revision' my.ptx --against ''
refused_against 'no commit that both sides have in common' my.ptx --against v1...nothing
refused_against 'is about a file' reduce/shuffle --against HEAD
refused_against 'leave one of them out' my.ptx --against HEAD --baseline none
refused_against 'leave --gpus out' my.ptx --against HEAD --gpus all
refused_against 'a comparison cannot be written so' my.ptx --against HEAD --format csv
refused_against 'this is for comparisons' my.ptx --format junit
kernel new.ptx
refused_against 'new.ptx@'"$first"': the file is not in this revision' new.ptx --against HEAD
rm new.ptx new.ptx.perflab
mkdir "$work/outside" && kernel "$work/outside/my.ptx"
refused_against 'not a git repository' "$work/outside/my.ptx" --against HEAD
git init -q "$work/other" && kernel "$work/other/b.ptx"
refused_against 'are of different repositories' my.ptx "$work/other/b.ptx" --against HEAD
mkdir "$work/bin" && ln -s "$(command -v env)" "$work/bin/env"
all_programs=$PATH
PATH="$work/bin"
run sweep my.ptx --against HEAD --backend ptx -q
PATH=$all_programs
expect_code 2
expect_err 'there is no program git'
[ ! -e x ] || complain 'git wrote a file'

# ---- nothing has changed ----
against 0 my.ptx --against HEAD
expect_out '2 same code'
is '4|0' "SELECT count(*), sum(status <> 'skipped') FROM trial"
is "same code: machine code, launch and data are those of $first" "SELECT DISTINCT reason FROM trial"
# neither does a line of the source, nor a comment
sed -i '1i // a comment' my.ptx
against 0 my.ptx --against v1
expect_out '2 same code'

# ---- uncommitted changes are the new side ----
worsen my.ptx
against 1 my.ptx --against v1
expect_out '2 regressed'
expect_out "(v1, "
expect_out "revision $first"
is '4|4' "SELECT count(*), sum(status = 'ok') FROM trial WHERE run_id = (SELECT max(id) FROM run)"
is "stream_copy_scalar@$first" "SELECT DISTINCT base_variant FROM speedups"
# a case alone, and an axis of the command line
against 1 my.ptx my/stream_copy_scalar/block=64 --against v1
expect_out '1 regressed'
against 1 my.ptx --size 512 --against v1 --block-sizes 32
expect_out 'my/stream_copy_scalar/block=32,n=512'
# another axis value that then was none
sed -i 's/64, 128/64, 256/' my.ptx.perflab
against 1 my.ptx --against v1
expect_out '1 regressed, 1 new'
expect_out 'gone'
git checkout -q my.ptx.perflab
# the plan says what is the same
run sweep my.ptx --against v1 --backend ptx --dry-run
expect_code 0
expect_out "my/stream_copy_scalar@$first/block=64,n=256"
git stash -q
run sweep my.ptx --against v1 --backend ptx --dry-run
expect_out 'same code'
git stash pop -q

# ---- all formats, also later ----
against 1 my.ptx --against v1 --format junit
[ "$(grep -c '<failure' "$work/out")" -eq 2 ] || complain 'not two failures'
against 1 my.ptx --against v1 --format md
expect_out '**perflab regress: 2 regressed**'
against 1 my.ptx --against v1 --format json
expect_out '"same code": 0'
run regress --base against --format junit -o "$work/x.xml"
expect_code 1
[ "$(grep -c '<failure' "$work/x.xml")" -eq 2 ] || complain 'not two failures'
run sweep my.ptx --backend ptx -q
refused 2 'did not compare with a revision' regress --base against

# ---- branches and merge bases ----
git commit -q -a -m worse && git branch worse
git checkout -q -b topic v1
kernel other.ptx && git add . && git commit -q -m topic
against 0 my.ptx --against worse
expect_out '2 improved'
against 0 my.ptx --against worse...
expect_out '2 same code'

# ---- several variants, new and gone ones; an operation that was renamed ----
printf 'operation renamed\nvariant two\nlaunch stream_copy_scalar<<<ceil_div(n, block), 2 * block>>>(x, y, n)\n' \
	>>my.ptx.perflab
against 0 my.ptx --against HEAD
expect_out '2 same code, 2 new'
git commit -q -a -m two
sed -i '/^operation/,$d' my.ptx.perflab
against 0 my.ptx --against HEAD
expect_out '2 same code'
expect_out 'gone      2 cases of then, such as my/two@'
git checkout -q my.ptx.perflab

# ---- a sidecar of the working tree describes a file that then had none ----
git rm -q --cached my.ptx.perflab && git commit -q -m 'no sidecar'
worsen my.ptx
against 1 my.ptx --against HEAD
expect_out '4 regressed'
git checkout -q my.ptx && git checkout -q HEAD~ -- my.ptx.perflab && git commit -q -a -m again

# ---- names with blanks; other files may have any name ----
mkdir 'a b' && kernel 'a b/c d.ptx'
echo >"$(printf 'a b/line\nbreak')" && git add . && git commit -q -m odd
worsen 'a b/c d.ptx'
against 1 'a b/c d.ptx' --against HEAD
expect_out '2 regressed'
git checkout -q .
# a revision with blanks
against 0 my.ptx --against 'HEAD@{0 seconds ago}'
# from another folder, with a path that leads out of it
cd 'a b' && against 0 ../my.ptx --against HEAD && cd ..

# ---- a version that cannot be compiled ----
sed -i 's/stream_copy_scalar/other/' my.ptx && git commit -q -a -m broken && git checkout -q HEAD~ -- my.ptx
against 3 my.ptx --against HEAD
expect_err 'there is no kernel'
expect_out 'in the base it was failed'
git reset -q --hard HEAD~

# ---- data that are the same, and others ----
printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (256,), }" >x.npy
head -c 1024 /dev/zero >>x.npy
sed -i 's/^buffer x.*/buffer x: f32[n] in file "x.npy"/' my.ptx.perflab
git add x.npy && git commit -q -a -m data
against 0 my.ptx --against HEAD
expect_out '4 same code'
printf 'xxxx' | dd of=x.npy bs=1 seek=200 conv=notrunc 2>/dev/null
against 0 my.ptx --against HEAD
expect_out '4 unchanged'
git checkout -q .
# Git LFS keeps them elsewhere
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1152\n' >pointer.npy
cp x.npy "$work/x.npy" && cp pointer.npy x.npy && git add x.npy && git commit -q -m lfs
cp "$work/x.npy" x.npy && rm pointer.npy
against 0 my.ptx --against HEAD
expect_out '4 same code'
git reset -q --hard HEAD~2

# ---- submodules: both sides have that of the working tree ----
git -C "$work/other" add . && git -C "$work/other" commit -q -m one
git submodule --quiet add "$work/other" sub && git commit -q -m sub
sed -i 's/^buffer x/# \nbuffer x/' sub/b.ptx.perflab && git -C sub commit -q -a -m two
run sweep my.ptx --against HEAD --backend ptx -q
expect_code 0
# a file in a submodule belongs to the repository of the submodule
against 0 sub/b.ptx --against HEAD~
expect_out '2 same code'
git submodule --quiet deinit -f sub && git reset -q --hard HEAD~

# ---- the gate of docs/ci, with exported Triton kernels ----
mkdir triton && cp "$source/docs/examples/triton/recorded/softmax."* triton
git add triton && git commit -q -m triton
gate() {
	command_line="against.sh, expected to end with $1"
	sh "$source/docs/ci/against.sh" HEAD triton/softmax.*.ptx --backend ptx >"$work/out" 2>"$work/err"
	code=$?
	expect_code "$1"
}
PATH=$(dirname "$PERFLAB"):$PATH
gate 0
grep -q 'same code' against.md || complain "against.md: $(cat against.md)"
for file in triton/softmax.*.ptx; do
	worsen "$file"
	break
done
gate 1
grep -q '<failure' against.xml || complain "against.xml: $(cat against.xml)"
[ "$(grep -c . against.txt)" -gt 3 ] || complain 'against.txt is empty'
git clean -q -f && git reset -q --hard HEAD~
is_clean

# ---- headers: those of the revision, from folders of the repository ----
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
	PATH=$PATH:/usr/local/cuda/bin
	mkdir include && echo '#define STEP 1' >include/step.h && echo '#include <step.h>' >near.h
	cat >k.cu <<-'END'
		// perflab: axis n = 256
		// perflab: buffer x: f32[n] in
		// perflab: buffer y: f32[n] out
		// perflab: flags -Igenerated
		// perflab: launch k<<<1, n>>>(x, y)
		// perflab: verify y = x
		#include "near.h"
		#include <generated.h>
		extern "C" __global__ void k(const float *x, float *y)
		{
			for (int i = 0; i < STEP; i++)
				y[threadIdx.x] = ((const volatile float *)x)[threadIdx.x] * ONE;
		}
	END
	echo generated >.gitignore && mkdir generated && echo '#define ONE 1' >generated/generated.h
	git add . && git commit -q -m headers
	against 0 k.cu --against HEAD --compile-flag -Iinclude
	expect_out '1 same code'
	images=$(find "$PERFLAB_CACHE/compiled" -name '*.record' | wc -l)
	against 0 k.cu --against HEAD --compile-flag -Iinclude
	[ "$(find "$PERFLAB_CACHE/compiled" -name '*.record' | wc -l)" -eq "$images" ] ||
		complain 'the old version was compiled twice'
	echo '#define STEP 2' >include/step.h
	against 1 k.cu --against HEAD --compile-flag -Iinclude
	expect_out '1 regressed'
	git reset -q --hard HEAD~ && rm -r generated
fi

# ---- an interrupted sweep, its continuation, and one that was killed ----
sed -i 's/axis n = .*/axis n = 2^24/; s/64, 128/64..1024/' my.ptx.perflab
worsen my.ptx
interrupt() {
	command_line="perflab sweep that gets SIG$1"
	"$PERFLAB" sweep my.ptx --against HEAD --backend ptx --blocks all --jobs 1 -q --db "$work/int.db" \
		>"$work/out" 2>"$work/err" </dev/null &
	sweep=$!
	await 'the sweep measures' test -s "$work/int.db"
	kill "-$1" $sweep
	wait $sweep
	code=$?
}
interrupt INT
expect_code 3
expect_err 'continue with: perflab sweep --resume 1'
is_clean
rm "$work/int.db"
interrupt KILL
[ -n "$(ls -A "$PERFLAB_CACHE/revisions")" ] || complain 'the test killed it too late'
git checkout -q my.ptx.perflab
against 1 my.ptx --against HEAD~
is_clean
finish
