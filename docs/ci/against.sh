#!/bin/sh
# A gate for CI that needs no stored run: compares files with themselves of a revision, and exits with
# 1 if something became slower, or counts worse where there is no GPU.
# Leaves against.txt, against.md (for a summary or a comment) and against.xml (JUnit) in the working
# directory, and the run in against.db.
# usage: against.sh REVISION FILE… [ARGUMENTS OF THE SWEEP…]
# REVISION is a commit, a branch, a tag, or A...B for the merge base.
set -u
revision=$1
shift
rm -f against.txt against.md against.xml against.db*
status=0
perflab sweep "$@" --against "$revision" --db against.db --quiet >against.txt || status=$?
cat against.txt
# without a run, such as after a wrong argument, there is nothing to write
for format in md junit; do
	[ ! -e against.db ] || perflab regress --base against --db against.db --format $format \
		-o "against.$([ $format = md ] && echo md || echo xml)" || true
done
exit $status
