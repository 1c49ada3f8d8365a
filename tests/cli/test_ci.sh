# The gate that docs/ci.md shows, on a machine without a GPU: what is the same passes, a kernel whose
# warps diverge more does not, whoever changed it.
gate="$(cd "$(dirname "$0")/../../docs/ci" && pwd)/gate.sh" || exit 1
kernels="$(cd "$(dirname "$0")/../../kernels/generated/reduce" && pwd)" || exit 1
. "$(dirname "$0")/lib.sh"
worker="$(dirname "$PERFLAB")/perflab-worker-ptx"
[ -x "$worker" ] || skip 'perflab-worker-ptx is not built here'
PATH=$(dirname "$PERFLAB"):$PATH

# An emulator of one's own, whose kernels can be changed.
images="$work/here/share/perflab/ptx/reduce"
mkdir -p here/bin "$images"
cp "$worker" here/bin/ || exit 1
cp "$kernels"/*.ptx "$images" || exit 1
export PERFLAB_WORKER_PTX="$work/here/bin/perflab-worker-ptx"
export PERFLAB_WORKER_CUDA="$work/no-such-worker"

# gate CODE: the script's exit code is this.
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
grep -q '4 unchanged' regress.md || complain "regress.md: $(cat regress.md)"
# sequential addressing becomes one in which every other thread idles
sed 's/reduce_neighboured/reduce_sequential/g' "$kernels/neighboured.ptx" >"$images/sequential.ptx"
gate 1
grep -q '2 regressed, 2 unchanged' regress.md || complain "regress.md: $(cat regress.md)"
grep -q 'ptx\\_divergent\\_branches' regress.md || complain "regress.md: $(cat regress.md)"
[ "$(grep -c '<failure' regress.xml)" -eq 2 ] || complain "regress.xml: $(cat regress.xml)"
# what did not pass is no base: it does not pass the second time
gate 1
# a limit that was agreed on lets it
printf 'reduce/sequential* ignore\n' >perflab.thresholds
gate 0
rm perflab.thresholds
# and back again, which is better than what is now good
cp "$kernels/sequential.ptx" "$images/sequential.ptx"
gate 0
grep -q '2 improved, 2 unchanged' regress.md || complain "regress.md: $(cat regress.md)"
# a kernel that is wrong does not come as far as a comparison
sed 's/reduce_shuffle/reduce_sequential/g; s/add\.f32/sub.f32/' "$kernels/shuffle.ptx" >"$images/sequential.ptx"
gate 1
[ ! -e regress.md ] || complain 'a wrong result was compared'
finish
