#!/bin/sh
# Writes one include at a time into an empty tree and checks whether check_includes.sh objects.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# plant VERDICT FILE LINE: VERDICT is "fine" or a part of the expected message
plant() {
	mkdir -p "$tree/$(dirname "$2")"
	printf '/* planted */\n%s\n' "$3" >"$tree/$2"
	if said=$(sh "$here/check_includes.sh" "$tree" 2>&1); then
		said=fine
	fi
	case $said in
	fine) [ "$1" = fine ] || objection="was accepted" ;;
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

# public headers of lower modules, headers of the same module, system headers
plant fine db/a.c '#include "base/base.h"'
plant fine db/a.c '#include "metrics/metrics.h"'
plant fine db/a.c '#include "db/statements.h"'
plant fine db/a.c '#include "statements.h"'
plant fine db/a.c '#include <stdio.h>'
plant fine harness/plan/a.c '#include "kernels/kernels.h"'
plant fine metrics/catalogue/a.c '#include "emulator/counts.h"'
plant fine harness/workers/ptx/a.c '#include "emulator/emulator.h"'
plant fine kernels/reduce/shuffle.cu '#include "../device.cuh"'
plant fine reports/run/a.c '#include "reports/roofline/roofline.h"'
plant fine reports/page/a.c '#include "reports/reports.h"'
plant fine reports/a.c '#include "reports/page/page.h"'
plant fine cli/main.c '#include "db/db.h"'
plant fine cli/main.c '#include "emulator/emulator.h"'
plant fine cli/a.c '#include "generated_version.h"'
plant fine harness/workers/cuda/main.c '#include "harness/protocol/messages.h"'
plant fine harness/workers/cuda/a.c '#include "harness/workers/worker_loop.h"'
plant fine harness/workers/ptx/a.c '#include "../worker_loop.h"'

# a module that is not below
plant 'base may not include metrics/metrics.h' base/a.c '#include "metrics/metrics.h"'
plant 'metrics may not include kernels/kernels.h' metrics/a.c '#include "kernels/kernels.h"'
plant 'kernels may not include metrics/metrics.h' kernels/a/b.c '#include "metrics/metrics.h"'
plant 'db may not include harness/plan/plan.h' db/a.h '#include "harness/plan/plan.h"'
plant 'emulator may not include metrics/metrics.h' emulator/machine/a.c '#include "metrics/metrics.h"'
plant 'emulator may not include kernels/kernels.h' emulator/a.c '#include "kernels/kernels.h"'
plant 'metrics may not include metrics/analysis/compare.h' metrics/a.h '#include "metrics/analysis/compare.h"'
plant 'harness/plan may not include harness/sweep/sweep.h' harness/plan/a.c '#include "harness/sweep/sweep.h"'
plant 'harness/workers may not include harness/sweep/sweep.h' harness/workers/a.c '#include "harness/sweep/sweep.h"'
plant 'harness/sweep may not include harness/sweep/gpus/gpus.h' harness/sweep/a.c '#include "harness/sweep/gpus/gpus.h"'
plant 'emulator/language may not include emulator/machine/warp_splits.h' emulator/language/a.c '#include "emulator/machine/warp_splits.h"'
plant 'reports/table may not include reports/derived/derived.h' reports/table/a.c '#include "reports/derived/derived.h"'
plant 'reports/derived may not include reports/run/run.h' reports/derived/a.c '#include "reports/run/run.h"'
plant 'reports/roofline may not include reports/run/run.h' reports/roofline/a.c '#include "../run/run.h"'
plant 'reports/page may not include reports/run/run.h' reports/page/a.c '#include "reports/run/run.h"'
plant 'reports/run may not include reports/page/page.h' reports/run/a.c '#include "reports/page/page.h"'
plant 'reports may not include db/db.h' reports/a.c '#include "db/db.h"'
plant 'reports may not include db/db.h' reports/a.c '  #  include	"db/db.h"'
plant 'reports may not include db/db.h' reports/a.c '#include <db/db.h>'
plant 'reports may not include db/db.h' reports/web/a.c '#include "../../db/db.h"'
plant 'harness/workers/cuda may not include db/db.h' harness/workers/cuda/a.c '#include "db/db.h"'
plant 'kernels may not include metrics/metrics.h' kernels/a/b.cuh '#include "metrics/metrics.h"'
plant 'db may not include tests/db/a.h' db/a.c '#include "tests/db/a.h"'

# not a public header
plant 'internal to db: include db/db.h' cli/main.c '#include "db/statements.h"'
plant 'internal to emulator: include emulator/emulator.h' harness/workers/ptx/a.c '#include "emulator/machine/warp_splits.h"'
plant 'cli may not include harness/workers/ptx/image.h' cli/main.c '#include "harness/workers/ptx/image.h"'
plant 'internal to metrics' harness/plan/a.c '#include "metrics/lists.h"'
plant 'internal to metrics' harness/workers/cuda/a.c '#include "metrics/cupti/collect.h"'
plant 'harness/workers/cuda may not include harness/workers/ptx/a.h' harness/workers/cuda/a.c '#include "harness/workers/ptx/a.h"'
plant 'harness/workers/ptx may not include harness/workers/cuda/a.h' harness/workers/ptx/a.c '#include "../cuda/a.h"'
plant 'include a header by its name' cli/a.c '#include DB_HEADER'

# vendor headers, and the module that wraps them
plant fine harness/workers/cuda/a.c '#include "metrics/cupti/cupti_session.h"'
plant fine tests/harness/a.c '#include "metrics/cupti/cupti_session.h"'
plant 'harness/plan may not include metrics/cupti/cupti_session.h' harness/plan/a.c '#include "metrics/cupti/cupti_session.h"'
plant 'cli may not include metrics/cupti/cupti_session.h' cli/a.c '#include "metrics/cupti/cupti_session.h"'
for header in cuda.h cuda_runtime.h cupti.h cupti_range_profiler.h nvtx3/nvToolsExt.h \
	nvperf_host.h nvml.h; do
	plant fine metrics/cupti/a.c "#include <$header>"
	plant fine harness/workers/cuda/a.c "#include <$header>"
	plant fine kernels/reduce/shuffle.cu "#include <$header>"
	plant 'device code only' metrics/a.c "#include <$header>"
	plant 'device code only' harness/plan/a.h "#include \"$header\""
	plant 'device code only' kernels/reduce/reduce.c "#include <$header>"
done
plant fine tests/harness/workers/cuda_own.h '#include "cuda_own.h"' # the file itself has this name
plant fine db/a.c '#include <sqlite3.h>'
plant fine tests/db/a.c '#include <sqlite3.h>'
plant 'belongs in db/' cli/a.c '#include <sqlite3.h>'
plant 'belongs in db/' tests/cli/a.c '#include "sqlite3.h"'

# tests include every public header, and any header of the module they are named after
plant fine tests/db/a.c '#include "db/statements.h"'
plant fine tests/db/a.c '#include "harness/sweep/sweep.h"'
plant fine tests/emulator/a.c '#include "emulator/language/parser.h"'
plant fine tests/fuzz/fuzz_a.c '#include "harness/protocol/protocol.h"'
plant fine tests/gpu/a.c '#include <cuda.h>'
plant fine tests/harness/workers/cuda/a.c '#include <cuda_occupancy.h>'
plant 'internal to metrics' tests/db/a.c '#include "metrics/lists.h"'

if sh "$here/check_includes.sh" "$tree" >/dev/null 2>&1; then
	echo "an empty tree passed as checked"
	failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
