# Runs of a user's files belong to the user's project and commit: files of one name in two projects
# are never compared without a word, and a file that was moved keeps its history.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip 'there is no git'
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
export PERFLAB_DB="$work/a.db" PERFLAB_WORKER_CUDA="$work/none"
export GIT_CONFIG_GLOBAL="$work/gitconfig" GIT_CONFIG_SYSTEM=/dev/null
copy=$built_in_ptx/stream/copy_scalar.ptx
printf '[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n' >"$GIT_CONFIG_GLOBAL"

# project FOLDER: a main.ptx that copies.
project() {
	mkdir -p "$1"
	cp "$copy" "$1/main.ptx"
	cat >"$1/main.ptx.perflab" <<-'END'
		axis n = 256
		axis block = 64
		buffer x: f32[n] in
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
		verify y = x
	END
}

# swept FILE ORIGIN REVISION: sweeps the file; the run has this origin and revision.
swept() {
	run sweep "$1" --backend ptx -q
	expect_code 0
	found=$(sqlite3 "$PERFLAB_DB" "SELECT ifnull(origin, '') || ' ' || ifnull(source_revision, '')
		FROM run ORDER BY id DESC LIMIT 1")
	[ "$found" = "$2 $3" ] || complain "origin and revision are $found"
}

built=$("$PERFLAB" version | awk 'NF == 4 { print $3 }')

# ---- outside of a repository ----
mkdir plain
cd plain || exit 1
project one
project two
swept one/main.ptx "$work/plain/one/main.ptx" ''
swept two/main.ptx "$work/plain/two/main.ptx" ''
refused 2 "origin of the kernels ($work/plain/one/main.ptx, then $work/plain/two/main.ptx)" \
	regress --base 1 --head 2
expect_err '--allow-different'
run regress --base 1 --head 2 --allow-different
expect_code 0
refused 2 'other than run 2' regress --base last --head 2
swept one/main.ptx "$work/plain/one/main.ptx" ''
run regress --base last --head 3
expect_code 0
run report 3
expect_out "$work/plain/one/main.ptx"
[ "$(sqlite3 "$PERFLAB_DB" "SELECT group_concat(base_trial_id) FROM comparison")" = 1 ] ||
	complain 'a run is judged against another project'
# another check
[ "$(sqlite3 "$PERFLAB_DB" "SELECT value FROM environment WHERE run_id = 1 AND key = 'source.check.main/stream_copy_scalar'")" = \
	'y = x; tolerance abs = 0, rel = 1e-05' ] || complain 'the check is not stored'
run sweep one/main.ptx --backend ptx -q --annotate 'verify none' --annotate 'tolerance abs = 9' --db check.db
run sweep one/main.ptx --backend ptx -q --db check.db
run regress --base 1 --head 2 --db check.db
expect_out 'main/stream_copy_scalar: none; tolerance abs = 9, rel = 1e-05'
expect_out 'y = x; tolerance abs = 0, rel = 1e-05'
run regress --base 1 --head 3
! grep -q 'tolerance' "$work/out" || complain 'equal checks are listed'
run sweep stream/copy_scalar --size 256 --block-sizes 64 --backend ptx -q
[ "$(sqlite3 "$PERFLAB_DB" "SELECT origin IS NULL AND ifnull(source_revision, '') = '$built'
	FROM run WHERE id = 4")" = 1 ] || complain 'a built-in kernel has an origin'
# the name of a built-in kernel
sed 's/^launch/operation stream\nvariant copy_scalar\nlaunch/' one/main.ptx.perflab >named.perflab
run sweep one/main.ptx named.perflab --backend ptx -q
expect_code 0
refused 2 'origin of the kernels (built-in kernels, then ' regress --base 4 --head 5
[ "$(sqlite3 "$PERFLAB_DB" "SELECT count(*) FROM newest WHERE kernel = 'stream'")" = 2 ] ||
	complain 'a built-in kernel and one of a file are one case'

# the text of a file, wherever perflab runs, as long as it is what was measured
cat >lines.cu <<'END'
// perflab: axis n = 256
// perflab: axis block = 64
// perflab: buffer y: i32[n] out
// perflab: launch lines<<<ceil_div(n, block), block>>>(y)
// perflab: verify y = i
__global__ void lines(int *y)
{
	y[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}
END
run sweep lines.cu --backend ptx -q --db "$work/lines.db"
if [ "$code" -eq 0 ]; then
	cd .. || exit 1
	run report last --lines --db lines.db
	expect_out ' y[blockIdx.x * blockDim.x + threadIdx.x] ='
	expect_no_out 'No text'
	expect_no_out 'newer than the run'
	echo >>plain/lines.cu
	run report last --lines --db lines.db
	expect_out 'No text: the file has changed since the run.'
	expect_no_out ' y[blockIdx.x'
	rm plain/lines.cu
	run report last --lines --db lines.db
	expect_out 'No text: the file cannot be read any more.'
	cd plain || exit 1
fi

# ---- in a repository ----
cd .. || exit 1
mkdir repo
cd repo || exit 1
project src
swept src/main.ptx "$work/repo/src/main.ptx" ''
git init -q .
swept src/main.ptx "$work/repo/src/main.ptx" ''
git add . && git commit -q -m one
commit=$(git rev-parse HEAD)
swept src/main.ptx "$work/repo/src/main.ptx" "$commit"
[ "$(sqlite3 "$PERFLAB_DB" "SELECT ifnull(value, '') FROM environment
	WHERE run_id = 8 AND key = 'perflab_revision'")" = "$built" ] ||
	complain 'the revision of perflab is lost'
run report "$commit"
expect_code 0
expect_out "$commit"
git worktree add -q ../linked
swept ../linked/src/main.ptx "$work/repo/src/main.ptx" "$commit"
# a file that git does not have, or has otherwise
cp src/main.ptx.perflab other.perflab
swept src/main.ptx "$work/repo/src/main.ptx" "$commit"
run sweep src/main.ptx other.perflab --backend ptx -q
[ "$(sqlite3 "$PERFLAB_DB" "SELECT source_revision FROM run WHERE id = 11")" = "$commit-dirty" ] ||
	complain 'a sidecar that is not committed makes nothing dirty'
echo '// more' >>src/main.ptx
swept src/main.ptx "$work/repo/src/main.ptx" "$commit-dirty"
git checkout -q src/main.ptx
git remote add origin https://user:secret@Example.com/team/project.git
swept src/main.ptx 'example.com/team/project:src/main.ptx' "$commit"
grep -q secret "$PERFLAB_DB" && complain 'a password is stored'
# moved: its runs stay together; a copy is another file
git mv src source && git commit -q -m two
commit=$(git rev-parse HEAD)
swept source/main.ptx 'example.com/team/project:src/main.ptx' "$commit"
run regress --base 13 --head 14
expect_code 0
cp -r source copied
swept copied/main.ptx 'example.com/team/project:copied/main.ptx' "$commit-dirty"
swept source/main.ptx 'example.com/team/project:src/main.ptx' "$commit"
project src
swept src/main.ptx 'example.com/team/project:src/main.ptx#2' "$commit-dirty"
# perflab may run from a hook, which names its own repository
GIT_DIR="$work/none" swept source/main.ptx 'example.com/team/project:src/main.ptx' "$commit"

# ---- git that cannot be asked ----
mkdir "$work/bin"
printf '#!/bin/sh\nexit 128\n' >"$work/bin/git"
chmod +x "$work/bin/git"
PATH="$work/bin:$PATH" swept source/main.ptx "$work/repo/source/main.ptx" ''
finish
