#!/bin/sh
# Plants one include at a time in an empty tree and sees whether check_includes.sh objects.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# plant VERDICT FILE LINE: VERDICT is "fine" or a part of the complaint
plant() {
	mkdir -p "$tree/$(dirname "$2")"
	printf '/* planted */\n%s\n' "$3" >"$tree/$2"
	if said=$(sh "$here/check_includes.sh" "$tree" 2>&1); then
		said=fine
	fi
	case $said in
	fine) [ "$1" = fine ] || objection="was let through" ;;
	"$2:2: "*"$1"*) ;;
	*) objection="gave: $said" ;;
	esac
	if [ -n "${objection-}" ]; then
		printf "%s with %s: expected '%s', %s\n" "$2" "$3" "$1" "$objection"
		failures=$((failures + 1))
		objection=
	fi
	rm "$tree/$2"
}

# doors of rooms below, own files, the system
plant fine db/a.c '#include "base/base.h"'
plant fine db/a.c '#include "metrics/metrics.h"'
plant fine db/a.c '#include "db/statements.h"'
plant fine db/a.c '#include "statements.h"'
plant fine db/a.c '#include <stdio.h>'
plant fine harness/a.c '#include "kernels/kernels.h"'
plant fine kernels/reduce/shuffle.cu '#include "../device.cuh"'
plant fine cli/main.c '#include "db/db.h"'
plant fine cli/main.c '#include "harness/ptx/ptx.h"'
plant fine cli/a.c '#include "generated_version.h"'
plant fine harness/cuda/main.c '#include "harness/harness.h"'
plant fine harness/cuda/a.c '#include "harness/worker_loop.h"'
plant fine harness/ptx/a.c '#include "../worker_loop.h"'

# not below
plant 'base may not include metrics/metrics.h' base/a.c '#include "metrics/metrics.h"'
plant 'metrics may not include kernels/kernels.h' metrics/a.c '#include "kernels/kernels.h"'
plant 'kernels may not include metrics/metrics.h' kernels/a/b.c '#include "metrics/metrics.h"'
plant 'db may not include harness/harness.h' db/a.h '#include "harness/harness.h"'
plant 'reports may not include db/db.h' reports/a.c '#include "db/db.h"'
plant 'reports may not include db/db.h' reports/a.c '  #  include	"db/db.h"'
plant 'reports may not include db/db.h' reports/a.c '#include <db/db.h>'
plant 'reports may not include db/db.h' reports/web/a.c '#include "../../db/db.h"'
plant 'harness may not include db/db.h' harness/cuda/a.c '#include "db/db.h"'
plant 'kernels may not include metrics/metrics.h' kernels/a/b.cuh '#include "metrics/metrics.h"'
plant 'db may not include tests/db/a.h' db/a.c '#include "tests/db/a.h"'

# not the door
plant 'internal to db: include db/db.h' cli/main.c '#include "db/statements.h"'
plant 'internal to harness: include harness/harness.h' cli/main.c '#include "harness/ptx/image.h"'
plant 'internal to metrics' harness/a.c '#include "metrics/noun.h"'
plant 'internal to metrics' harness/cuda/a.c '#include "metrics/cupti/collect.h"'
plant 'share it in harness/' harness/cuda/a.c '#include "harness/ptx/a.h"'
plant 'share it in harness/' harness/ptx/a.c '#include "../cuda/a.h"'
plant 'include a header by its name' cli/a.c '#include DB_HEADER'

# the vendors' headers, and the room that wraps one
plant fine harness/cuda/a.c '#include "metrics/cupti/cupti_session.h"'
plant fine tests/harness/a.c '#include "metrics/cupti/cupti_session.h"'
plant 'is for harness/cuda/' harness/a.c '#include "metrics/cupti/cupti_session.h"'
plant 'is for harness/cuda/' cli/a.c '#include "metrics/cupti/cupti_session.h"'
for header in cuda.h cuda_runtime.h cupti.h cupti_range_profiler.h nvtx3/nvToolsExt.h \
	nvperf_host.h nvml.h; do
	plant fine metrics/cupti/a.c "#include <$header>"
	plant fine harness/cuda/a.c "#include <$header>"
	plant fine kernels/reduce/shuffle.cu "#include <$header>"
	plant 'device code only' metrics/a.c "#include <$header>"
	plant 'device code only' harness/a.h "#include \"$header\""
	plant 'device code only' kernels/reduce/reduce.c "#include <$header>"
done
plant fine tests/harness/cuda_own.h '#include "cuda_own.h"' # a file of that name is there
plant fine db/a.c '#include <sqlite3.h>'
plant fine tests/db/a.c '#include <sqlite3.h>'
plant 'belongs in db/' cli/a.c '#include <sqlite3.h>'
plant 'belongs in db/' tests/cli/a.c '#include "sqlite3.h"'

# tests see every door, and inside their own room
plant fine tests/db/a.c '#include "db/statements.h"'
plant fine tests/db/a.c '#include "harness/harness.h"'
plant fine tests/harness/ptx/a.c '#include "harness/ptx/parse.h"'
plant fine tests/fuzz/fuzz_a.c '#include "harness/protocol.h"'
plant fine tests/gpu/a.c '#include <cuda.h>'
plant fine tests/harness/cuda/a.c '#include <cuda_occupancy.h>'
plant 'internal to metrics' tests/db/a.c '#include "metrics/noun.h"'

if sh "$here/check_includes.sh" "$tree" >/dev/null 2>&1; then
	echo "an empty tree passed as checked"
	failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
