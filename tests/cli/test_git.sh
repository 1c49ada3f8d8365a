# A folder with a kernel may be somebody else's: asking git for its commit runs nothing that its
# configuration or its attributes name, and finds out the same.
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

# kernel FOLDER: a main.ptx that copies.
kernel() {
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

# is_of FILE REVISION: a run of the file has this revision; nothing was executed, nothing is left.
is_of() {
	run sweep "$1" --backend ptx -q
	expect_code 0
	found=$(sqlite3 "$PERFLAB_DB" "SELECT ifnull(source_revision, 'NULL') FROM run
		ORDER BY id DESC LIMIT 1")
	[ "$found" = "$2" ] || complain "the revision is $found, not $2"
	[ ! -e "$work/EXECUTED" ] || complain "$(cat "$work/EXECUTED") was executed"
	[ -z "$(ls -A "$TMPDIR")" ] || complain "left behind: $(ls -A "$TMPDIR")"
	rm -f "$work/EXECUTED"
}

# ---- every program that a configuration can name ----
kernel repo/sub
cd repo || exit 1
git init -q . && git add . && git commit -q -m one
commit=$(git rev-parse HEAD)
is_of sub/main.ptx "$commit"
evil() { echo "echo $1 >>$work/EXECUTED; cat"; }
printf '#!/bin/sh\n%s\n' "$(evil script)" >"$work/evil"
chmod +x "$work/evil"
for name in clean smudge process; do
	git config "filter.evil.$name" "$(evil "$name")"
done
git config filter.evil.required true
git config diff.evil.textconv "$work/evil"
git config diff.evil.command "$work/evil"
git config merge.evil.driver "$work/evil"
for name in core.fsmonitor core.pager core.sshCommand core.editor core.askPass core.gitProxy \
	core.alternateRefsCommand diff.external gpg.program credential.helper pager.status \
	pager.config interactive.diffFilter uploadpack.packObjectsHook; do
	git config "$name" "$work/evil"
done
for name in status config rev-parse ls-files check-attr; do
	git config "alias.$name" "!$work/evil"
done
mkdir "$work/hooks"
for name in post-index-change fsmonitor-watchman reference-transaction post-checkout pre-commit; do
	cp "$work/evil" "$work/hooks/$name"
done
cp "$work/hooks/"* .git/hooks
git config core.hooksPath "$work/hooks"
echo '* filter=evil diff=evil merge=evil' >.git/info/attributes
touch -d 2020-01-01 sub/main.ptx sub/main.ptx.perflab
rm -f "$work/EXECUTED"
is_of sub/main.ptx "$commit"
# only the filter could tell whether this is the content of the commit
echo >>sub/main.ptx.perflab
is_of sub/main.ptx NULL
# a file that is not filtered tells, and so does one that is gone
echo 'sub/main.ptx.perflab -filter' >>.git/info/attributes
is_of sub/main.ptx "$commit-dirty"
rm .git/info/attributes
is_of sub/main.ptx "$commit-dirty"
truncate -s -1 sub/main.ptx.perflab
is_of sub/main.ptx "$commit"

# ---- the objects of a clone that fetches them when they are needed ----
git config core.repositoryFormatVersion 1
git config extensions.partialClone evil
git config remote.evil.promisor true
git config remote.evil.url "ext::sh -c $work/evil"
git config remote.evil.uploadpack "$work/evil"
git config remote.evil.vcs "$work/evil"
git config protocol.ext.allow always
tree=$(git rev-parse 'HEAD^{tree}')
object=.git/objects/$(echo "$tree" | sed 's,^..,&/,')
mv "$object" "$work/object"
rm -f "$work/EXECUTED"
is_of sub/main.ptx NULL
mv "$work/object" "$object"
is_of sub/main.ptx "$commit"

# ---- a configuration that does not end ----
mkfifo "$work/fifo"
git config include.path "$work/fifo"
PATH_BEFORE=$PATH
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s 2 %s "$@"\n' "$timeout_program" "$(command -v git)" >"$work/bin/git"
chmod +x "$work/bin/git"
PATH=$work/bin:$PATH
is_of sub/main.ptx NULL
PATH=$PATH_BEFORE
sed -i /fifo/d .git/config

# ---- settings that decide how contents compare ----
cd "$work" || exit 1
kernel lines
cd lines || exit 1
git init -q . && git config core.autocrlf true && git add . 2>/dev/null && git commit -q -m one
rm main.ptx.perflab && git checkout -q main.ptx.perflab
grep -q "$(printf '\r')" main.ptx.perflab || complain 'git did not change the line ends'
touch -d 2020-01-01 main.ptx.perflab
is_of main.ptx "$(git rev-parse HEAD)"
chmod +x main.ptx
is_of main.ptx "$(git rev-parse HEAD)-dirty"
git config core.fileMode false
is_of main.ptx "$(git rev-parse HEAD)"

# ---- submodules, which have a configuration of their own ----
cd "$work" || exit 1
mkdir inner
echo one >inner/header.h
(cd inner && git init -q . && git add . && git commit -q -m one)
kernel outer
cd outer || exit 1
git init -q . && git submodule --quiet add "$work/inner" in && git add . && git commit -q -m one
commit=$(git rev-parse HEAD)
is_of main.ptx "$commit"
git -C in config filter.evil.clean "$(evil submodule)"
echo '* filter=evil' >"$(git -C in rev-parse --git-dir)/info/attributes"
touch -d 2020-01-01 in/header.h
is_of main.ptx "$commit"
echo two >>in/header.h
is_of main.ptx NULL
rm "$(git -C in rev-parse --git-dir)/info/attributes"
is_of main.ptx "$commit-dirty"
git -C in commit -q -a -m two
is_of main.ptx "$commit-dirty"
git add in && git commit -q -m two
is_of main.ptx "$(git rev-parse HEAD)"
# one that is no repository is not looked for in the folders above
rm -rf in/.git
mkdir in/.git
is_of main.ptx "$(git rev-parse HEAD)-dirty"
finish
