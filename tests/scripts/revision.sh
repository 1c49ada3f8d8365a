#!/bin/sh
# Tests cmake/PerflabRevision.cmake: it writes the commit, with -dirty if tracked files changed, and
# leaves an unchanged header alone.
# revision.sh PROJECT
command -v git >/dev/null && command -v cmake >/dev/null || { echo 'needs git and cmake'; exit 77; }
script=$1/cmake/PerflabRevision.cmake
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CEILING_DIRECTORIES="$work"
failures=0

# revision EXPECTED WHAT
revision() {
	cmake "-DGIT=$(command -v git)" "-DSOURCE=$work/source" "-DHEADER=$work/revision.h" -P "$script" ||
		exit 1
	found=$(sed -n 's/^#define PERFLAB_SOURCE_REVISION "\(.*\)"$/\1/p' revision.h)
	[ -s revision.h ] && [ "$found" = "$1" ] && return
	echo "$2: \"$found\", expected \"$1\""
	failures=$((failures + 1))
}

git_here() {
	git -C source -c user.name=a -c user.email=a@b -c commit.gpgsign=false "$@"
}

mkdir source
echo 'project(a)' >source/CMakeLists.txt
revision '' 'no repository'
git_here init -q
revision '' 'nothing committed'
git_here add CMakeLists.txt
git_here commit -q -m one
first=$(git_here rev-parse HEAD)
revision "$first" 'a commit'
touch -d '2001-01-01' revision.h
revision "$first" 'the same again'
[ "$(find revision.h -newermt '2002-01-01')" ] && { echo 'written though nothing changed'; failures=1; }
echo untracked >source/notes
revision "$first" 'a file that is not tracked'
echo '# changed' >>source/CMakeLists.txt
revision "$first-dirty" 'a change'
git_here commit -q -a -m two
revision "$(git_here rev-parse HEAD)" 'another commit'
# an archive that was unpacked inside another repository
mkdir source/archive
cp source/CMakeLists.txt source/archive
mv source outer
ln -s outer/archive source
revision '' 'a tree that is not tracked'
[ "$failures" -eq 0 ]
