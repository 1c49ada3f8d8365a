# The gate that docs/ci.md shows, on a machine without a GPU: unchanged kernels pass, and a kernel
# with more divergent warps does not.
gate="$(cd "$(dirname "$0")/../../docs/ci" && pwd)/gate.sh" || exit 1
. "$(dirname "$0")/lib.sh"
real_emulator
worker=$PERFLAB_WORKER_PTX
PATH=$(dirname "$PERFLAB"):$PATH

# A copy of the emulator with kernels that the test can change.
images="$work/here/share/perflab/ptx/reduce"
mkdir -p here/bin "$images"
cp "$worker" here/bin/ || exit 1
cp "$built_in_ptx/reduce"/*.ptx "$images" || exit 1
PERFLAB_WORKER_PTX="$work/here/bin/perflab-worker-ptx"

# gate CODE: fails unless the script exits with CODE.
gate() {
	command_line="gate.sh, expected to end with $1"
	rm -f regress.md regress.xml
	sh "$gate" counts.db ptx reduce/sequential reduce/shuffle --size small --block-sizes 64,256 \
		>"$work/out" 2>"$work/err" </dev/null
	code=$?
	expect_code "$1"
}

gate 0
expect_out 'no run is marked good yet'
gate 0
grep -q '4 same code' regress.md || complain "regress.md: $(cat regress.md)"
# change sequential addressing so that every other thread is idle
sed 's/reduce_neighboured/reduce_sequential/g' "$built_in_ptx/reduce/neighboured.ptx" >"$images/sequential.ptx"
gate 1
grep -q '2 regressed, 2 same code' regress.md || complain "regress.md: $(cat regress.md)"
grep -q 'ptx\\_divergent\\_branches' regress.md || complain "regress.md: $(cat regress.md)"
[ "$(grep -c '<failure' regress.xml)" -eq 2 ] || complain "regress.xml: $(cat regress.xml)"
# a run that did not pass is not a baseline, so the second try does not pass either
gate 1
# a threshold allows the change
printf 'reduce/sequential* ignore\n' >perflab.thresholds
gate 0
rm perflab.thresholds
# the original kernel is an improvement over the run that is now good
cp "$built_in_ptx/reduce/sequential.ptx" "$images/sequential.ptx"
gate 0
grep -q '2 improved, 2 same code' regress.md || complain "regress.md: $(cat regress.md)"
# a kernel with a wrong result fails before the comparison
sed 's/reduce_shuffle/reduce_sequential/g; s/add\.f32/sub.f32/' "$built_in_ptx/reduce/shuffle.ptx" >"$images/sequential.ptx"
gate 1
[ ! -e regress.md ] || complain 'a wrong result was compared'
finish
