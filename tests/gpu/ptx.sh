#!/bin/sh
# Records this GPU's counters for the built-in kernels, with which the emulator is compared. Writes
# the named RECORDINGS of scripts/ptx_sweeps.py, or all, to FOLDER/h200_*.json; they replace the files
# of the same names in tests/golden/ptx/. Also writes to FOLDER/*.sass the machine code that
# tests/golden/ptx/explained.json refers to.
#
# usage: tests/gpu/ptx.sh BUILD-FOLDER FOLDER [h200_NAME.json ...]
set -eu
results=$(CDPATH= cd -- "$2" && pwd)
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
. "$(dirname -- "$0")/lib.sh"

# sass FAMILY/VARIANT ENTRY: writes its machine code, one instruction per line.
sass() {
	"$(dirname "$cuobjdump")/ptxas" -arch=sm_90 -o "$results/image.cubin" \
		"$build/share/perflab/ptx/$1.ptx"
	"$cuobjdump" -sass -fun "$2" "$results/image.cubin" |
		sed -n 's|^ *\(/\*[0-9a-f]\{4\}\*/ .*;\).*|\1|p' >"$results/$2.sass"
	[ -s "$results/$2.sass" ] || fail "cuobjdump printed nothing for $2"
}

shift 2
[ $# -gt 0 ] || set -- h200_counters.json.xz h200_kernels.json.xz h200_chains.json.xz h200_copies.json.xz \
	h200_zeroes.json.xz h200_tensor.json.xz
for recording; do
	timeout 300 "$root/scripts/compare-ptx" --perflab "$perflab" --record "$results/$recording" \
		--log "$results/compare-ptx.said" || fail "$recording: no counters: exit $?"
done

cuobjdump=$(command -v cuobjdump || ls /usr/local/cuda/bin/cuobjdump 2>/dev/null || true)
if [ -n "$cuobjdump" ] && "$cuobjdump" --version >/dev/null 2>&1; then
	# Only the storing lane executes the addition after the last shuffle.
	sass reduce/cooperative_tile reduce_cooperative_tile
	awk '
	/ SHFL/ { guarded = 0; additions = 0 }
	/ @!?U?P[0-9]+ (EXIT|BRA)/ { guarded = 1 }
	/ FADD/ { additions++; alone = guarded || / @!?P[0-9]+ FADD/ }
	/ STG/ { exit }
	END { exit !(additions == 1 && alone) }' "$results/reduce_cooperative_tile.sass" ||
		fail "cooperative_tile: the last addition is not in the storing lane only:
$(grep -E ' (SHFL|FADD|STG|EXIT|BRA)' "$results/reduce_cooperative_tile.sass")"
	echo "ptx: the last addition of cooperative_tile is in the storing lane only"
else
	echo "ptx: no cuobjdump: the machine code was not checked"
fi
echo "ptx: ok"
