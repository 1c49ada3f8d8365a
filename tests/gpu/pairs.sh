#!/bin/sh
# How often perflab calls equal code different beside a base variant, and how often it finds planted
# differences of 1 % and 0.5 %, at default settings. Needs no compiler. Writes pairs.md, the databases
# and the sidecars to FOLDER.
#
# Equal code: the same PTX in two files, for kernels of pairs.cu and of the built-in streams. Planted:
# the same PTX with a few more trips or elements. The time of both kernels is a line over these numbers,
# which is fitted first, on this device; so the planted share of the time is known from time itself.
#
# usage: tests/gpu/pairs.sh BUILD [FOLDER]
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
source=$(CDPATH= cd -- "$gpu_tests/../.." && pwd)
mkdir -p "${2:-pairs-results}"
results=$(CDPATH= cd -- "${2:-pairs-results}" && pwd)
. "$gpu_tests/lib.sh"
command -v python3 >/dev/null || skip "python3 is not here"
rm -f "$results"/*.db*
blocks=${PAIRS_BLOCKS:-64..512:+64}

sweep_files() {
	label=$1
	shift
	echo "perflab sweep $* --label $label"
	expect 0 "$perflab" sweep "$@" --backend cuda --metrics none -q --label "$label" \
		--db "$results/pairs.db"
}

# ---- the line of each kernel ----

common_of_spin='axis block = 256
axis trips = 10000
buffer x: f32[block * 264] in uniform(-1, 1)
buffer y: f32[block * 264] out
verify y = x'
common_of_copy='axis block = 256
axis count = 2^23
buffer x: f32[count + count / 32] in uniform(-1, 1)
buffer y: f32[count + count / 32] out
verify none'

# launch_of KERNEL EXTRA: EXTRA is an expression.
launch_of() {
	case $1 in
	spin) echo "launch spin<<<264, block>>>(x, y, trips + $2, 1.0, 0.0)" ;;
	copy) echo "launch copy<<<ceil_div(count + $2, block), block>>>(x, y, count + $2)" ;;
	esac
}
# file KERNEL NAME EXTRA: the PTX as KERNEL/NAME.ptx, with its sidecar.
file() {
	mkdir -p "$1"
	cp "$gpu_tests/pairs/pairs.ptx" "$1/$2.ptx"
	{
		[ "$2" != base ] || eval "echo \"operation $1\"; echo \"\$common_of_$1\""
		launch_of "$1" "$3"
	} >"$1/$2.ptx.perflab"
}

spin_trips=${PAIRS_TRIPS:-10000..38000:+2000}
copy_counts=${PAIRS_COUNTS:-10000000..38000000:+2000000}
file spin base 0
file copy base 0
sweep_files lines spin/base.ptx --set "trips=$spin_trips" --set "block=$blocks"
sweep_files lines copy/base.ptx --set "count=$copy_counts" --set "block=$blocks"
python3 "$gpu_tests/pairs/pairs.py" offsets "$results/pairs.db" >offsets
cat offsets

# ---- planted, and the same code among them ----

while read -r kernel axis offset; do
	file "$kernel" same 0
	file "$kernel" plus10 "($axis + $offset + 99) / 100"
	file "$kernel" plus05 "($axis + $offset + 199) / 200"
done <offsets
sweep_files planted spin/base.ptx spin/same.ptx spin/plus10.ptx spin/plus05.ptx \
	--set "trips=$spin_trips" --set "block=$blocks"
sweep_files planted copy/base.ptx copy/same.ptx copy/plus10.ptx copy/plus05.ptx \
	--set "count=$copy_counts" --set "block=$blocks"

# ---- equal code of built-in kernels ----

# equal NAME PER-THREAD BUFFERS ARGUMENTS
equal() {
	mkdir -p "$1"
	for name in old new; do
		cp "$build/share/perflab/ptx/stream/$1.ptx" "$1/$name.ptx"
		cat >"$1/$name.ptx.perflab" <<-END
			operation $1
			axis n = 2^23
			axis block = 256
			buffer a: f32[n] in uniform(-1, 1)
			$3
			buffer c: f32[n] out
			verify none
			launch stream_$1<<<ceil_div(n, block * $2), block>>>($4)
		END
	done
	sweep_files equal "$1/old.ptx" "$1/new.ptx" --set "n=${PAIRS_SIZES:-12582912..29360128:+4194304}" \
		--set "block=${PAIRS_EQUAL_BLOCKS:-32..1024:+32}"
}
second='buffer b: f32[n] in uniform(-1, 1)'
equal copy_scalar 1 '' 'a, c, n'
equal copy_float4 4 '' 'a, c, n'
equal scale_scalar 1 '' 'a, c, 1.5, n'
equal add_scalar 1 "$second" 'a, b, c, n'
equal triad_scalar 1 "$second" 'a, b, c, 1.5, n'

python3 "$gpu_tests/pairs/pairs.py" report "$results/pairs.db" "$results/pairs.md"
