#!/bin/sh
# Runs the commands that README.md, CONTRIBUTING.md and docs/ show. The info string of a fenced
# block says where it can run:
#   sh               everywhere: here on a database that a stand-in worker filled
#   sql              everywhere: here in the sqlite3 shell, on that database
#   python db        everywhere: here with python/perflab.py, on that database
#   sh compiler      where nvcc or NVRTC is; elsewhere it is skipped
#   sh gpu           on a machine with a GPU: runs only if the third argument is "gpu"
#   sh gpu compiler  on a machine with both
#   sh setup         sets up or builds: does not run here, because scripts/test does the same
#   cuda FILE        not a command: the text of this file of the repository
#   annotations      not a command: annotations of a kernel, which perflab must accept
# In other blocks, no line may start with a command.
# usage: run_examples.sh SOURCE-FOLDER BUILD-FOLDER [gpu]
set -eu
source_root=$1
build=$2
mode=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PATH=$build/bin:$PATH:/usr/local/cuda/bin
export PATH
unset PERFLAB_DB
PERFLAB_BUILD=$build
export PERFLAB_BUILD
# Measured ceilings would make each first sweep slower.
PERFLAB_CEILINGS=never
export PERFLAB_CEILINGS
PERFLAB_CACHE=$scratch/cache
export PERFLAB_CACHE
# Scripts of docs/examples must not leave files beside them.
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

fail() {
	printf 'examples: %s\n' "$*" >&2
	exit 1
}

# The examples run in a folder of links to the repository, so that the files they write stay there.
place=$scratch/place
mkdir "$place"
for entry in scripts docs kernels python tests README.md CONTRIBUTING.md LICENSE; do
	ln -s "$source_root/$entry" "$place/$entry"
done
ln -s "$build" "$place/build"
cd "$place"

if [ "$mode" != gpu ]; then
	PERFLAB_WORKER_CUDA=$build/tests/fake_worker
	PERFLAB_SHARED_MEMORY=0 # it needs no data, and a GPU's take long to make
	export PERFLAB_WORKER_CUDA PERFLAB_SHARED_MEMORY
	[ -x "$PERFLAB_WORKER_CUDA" ] || fail "$PERFLAB_WORKER_CUDA is not built"
fi
perflab sweep reduce stream --block-sizes 64..1024 --label nightly --db perflab.db \
	>"$scratch/sweep.txt" 2>&1 || fail "cannot fill a database: $(cat "$scratch/sweep.txt")"

# Whether perflab can compile a CUDA file here, asked of perflab itself.
compiler=yes
if ! perflab sweep docs/examples/saxpy.cu --backend ptx --size 4096 --db "$scratch/compiler.db" \
	>"$scratch/compiler.txt" 2>&1; then
	grep -q 'there is no compiler' "$scratch/compiler.txt" ||
		fail "cannot sweep docs/examples/saxpy.cu: $(cat "$scratch/compiler.txt")"
	compiler=no
fi

# lacks BLOCK: true if the block needs a tool that is not installed. A machine with a GPU may have
# no sqlite3 shell, gnuplot or ncu, and no network to install them. Without the argument "gpu",
# every tool but the CUDA compiler must be installed.
lacks() {
	case $compiler,$1 in
	no,*.compiler)
		echo "examples: skipped, no CUDA compiler: $(head -n 1 "$1") …"
		return 0
		;;
	esac
	[ "$mode" = gpu ] || return 1
	if grep -q 'examples/triton/.*\.py' "$1" && ! python3 -c 'import triton' >/dev/null 2>&1; then
		echo "examples: skipped, Triton is not installed: $(head -n 1 "$1") …"
		return 0
	fi
	if grep -qE 'examples/record/step.py|copy\.capture' "$1" && ! python3 -c 'import torch' >/dev/null 2>&1; then
		echo "examples: skipped, PyTorch is not installed: $(head -n 1 "$1") …"
		return 0
	fi
	for tool in sqlite3 gnuplot ncu; do
		case $tool in
		gnuplot) uses='format (svg|pdf|png)' ;;
		*) uses="^ *$tool " ;;
		esac
		case $tool,$1 in
		sqlite3,*.sql) uses= ;;
		esac
		if grep -qE "$uses" "$1" && ! command -v $tool >/dev/null 2>&1; then
			echo "examples: skipped, $tool is not installed: $(head -n 1 "$1") …"
			return 0
		fi
	done
	return 1
}

# annotations_accepted BLOCK: true if perflab reads the annotations of a block. Adds the lines that
# every kernel needs and that the block leaves out.
annotations_accepted() {
	: >"$scratch/block.cu"
	for line in 'axis n = 2^10' 'axis block = 256' 'buffer x: f32[n] in' 'buffer y: f32[n] inout'; do
		grep -q "^${line%%[=:]*}" "$1" || printf '%s\n' "$line"
	done >"$scratch/block.perflab"
	cat "$1" >>"$scratch/block.perflab"
	grep -q '^launch' "$1" || echo 'launch f<<<n, block>>>(x, y)' >>"$scratch/block.perflab"
	grep -q '^verify' "$1" || echo 'verify y = x' >>"$scratch/block.perflab"
	perflab list kernels "$scratch/block.cu" "$scratch/block.perflab" --long
}

ran=0
for document in README.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
	blocks=$scratch/blocks/$document
	mkdir -p "$blocks"
	awk -v folder="$blocks" -f "$source_root/tests/docs/blocks.awk" "$document"
	for block in "$blocks"/*; do
		[ -e "$block" ] || continue
		! lacks "$block" || continue
		case $block in
		*.sh | *.sh.compiler) set -- sh -eu "$block" ;;
		*.sh.gpu | *.sh.gpu.compiler)
			[ "$mode" = gpu ] || continue
			set -- timeout 240 sh -eu "$block"
			;;
		*.python.db) set -- env PYTHONPATH=python python3 "$block" ;;
		*.sql) set -- sqlite3 -bail perflab.db ".read $block" ;;
		*.sh.setup) continue ;;
		*.annotations) set -- annotations_accepted "$block" ;;
		*)
			! grep -qE '^(\$ )?(scripts/|perflab |cmake |ctest |ncu |nsys )' "$block" ||
				fail "$document: commands in a block that is not marked sh: $(cat "$block")"
			continue
			;;
		esac
		status=0
		"$@" >"$scratch/out.txt" 2>&1 </dev/null || status=$?
		if [ $status -eq 4 ] && grep -q 'this build writes no pages' "$scratch/out.txt"; then
			continue
		fi
		[ $status -eq 0 ] || fail "$document: exit $status of
$(cat "$block")
--- output:
$(cat "$scratch/out.txt")"
		ran=$((ran + 1))
	done
done
[ "$ran" -gt 0 ] || fail "no example was found"
echo "examples: $ran blocks ran"
