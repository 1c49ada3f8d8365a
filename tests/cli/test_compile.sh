# Sweeps of CUDA files, with compilers that write down how often they are started.
. "$(dirname "$0")/lib.sh"
real_emulator
nvrtc=$(dirname "$PERFLAB")/perflab-nvrtc
nvcc=${PERFLAB_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvrtc" ] && [ -x "$nvcc" ] || skip "no compiler of CUDA files is here"
export PERFLAB_DB="$work/own.db"

# ---- code for exactly this architecture is compiled, as for a GPU ----
cat >exact.cu <<'END'
// perflab: axis n = 32
// perflab: buffer y: i32[n] out
// perflab: launch exact<<<1, n>>>(y)
// perflab: verify y = 90
__global__ void exact(int *y)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	y[threadIdx.x] = 90;
#else
	y[threadIdx.x] = 0;
#endif
}
END
for compiler in nvrtc nvcc; do
	run sweep exact.cu --backend ptx --compiler $compiler
	expect_code 0
	expect_out '1 (1 ok)'
	expect_out ' REGS'
	expect_no_out 'how many registers'
	run report last --format csv
	expect_out ',ptx compute_90a,'
done

# counted NAME PROGRAM: makes a script NAME that notes each compilation in calls and starts PROGRAM.
counted() {
	printf '#!/bin/sh\ncase $1 in --*) ;; *) echo %s >>"%s/calls" ;; esac\nexec "%s" "$@"\n' \
		"$1" "$work" "$2" >"$work/$1"
	chmod +x "$work/$1"
}
counted nvrtc "$nvrtc"
counted nvcc "$nvcc"
export PERFLAB_NVRTC_PROGRAM="$work/nvrtc" PERFLAB_NVCC="$work/nvcc"

# calls NVRTC NVCC: fails unless the compilers were started that often since the last call.
calls() {
	touch calls
	got="$(grep -c nvrtc calls) $(grep -c nvcc calls)"
	[ "$got" = "$1 $2" ] || complain "NVRTC and nvcc were started $got times, expected $1 $2"
	rm calls
}

# ---- variants of a file are compiled together ----
cat >twice.cu <<'END'
// perflab: axis n = 4096
// perflab: axis block = 64
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: verify y = 2 * x
// perflab: variant one
// perflab: launch twice<1><<<ceil_div(n, block), block>>>(n, x, y)
// perflab: variant two
// perflab: launch twice<2><<<ceil_div(n, block), block>>>(n, x, y)
// perflab: variant plain
// perflab: launch plain<<<ceil_div(n, block), block>>>(n, x, y)
template <int WAY> __global__ void twice(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = WAY == 1 ? x[i] + x[i] : 2 * x[i];
}
__global__ void plain(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i];
}
END
run sweep twice.cu --backend ptx
expect_code 0
expect_out '3 (3 ok)'
calls 1 0
run sweep twice.cu --backend ptx --compiler nvcc
expect_code 0
expect_out '3 (3 ok)'
calls 0 2 # once more for the names of two instances

# ---- an instance that does not compile fails only the cases of its variant ----
run sweep twice.cu --backend ptx \
	--launch 'twice<float><<<ceil_div(n, block), block>>>(n, x, y)'
expect_code 3
expect_out '4 (3 ok, 1 failed)'
run sweep twice.cu --backend ptx \
	--launch 'thrice<<<ceil_div(n, block), block>>>(n, x, y)'
expect_code 3
expect_out '4 (3 ok, 1 failed)'
expect_out "there is no kernel 'thrice'"
run sweep twice.cu --backend ptx --compiler nvcc \
	--launch 'twice<float><<<ceil_div(n, block), block>>>(n, x, y)'
expect_code 3
expect_out "$work/twice.cu: twice<float>: error"
grep -qF "$PERFLAB_CACHE" err && complain 'an error names a file of the cache'

# ---- a refused flag is found before a run is stored ----
refused 2 "does not hand the flag '-o' to a compiler" \
	sweep twice.cu --backend ptx --compile-flag=-o --compile-flag=x --db none.db
refused 2 "c++99" sweep twice.cu --backend ptx --std c++99 --db none.db
[ -e none.db ] && complain 'a run was stored'
run sweep twice.cu --backend ptx --compiler nvrtc --compile-flag=--extended-lambda --db none.db
expect_code 4
expect_err 'compile with nvcc'
[ -e none.db ] && complain 'a run was stored'

# ---- headers that are missing, and binary rubbish ----
sed 's/^template/#include "nowhere.h"\n&/' twice.cu >missing.cu
run sweep missing.cu --backend ptx
expect_code 3
expect_err 'missing.cu:12:'
expect_err 'nowhere.h'
head -c 300 "$PERFLAB" >rubbish.cu
printf 'axis n = 1\naxis block = 32\nbuffer x: f32[n] out\nverify x = 1\nlaunch k<<<1, block>>>(x)\n' >rubbish.cu.perflab
run sweep rubbish.cu --backend ptx
expect_code 3
expect_err 'rubbish.cu:1: a NUL byte: this is not a text file'

# ---- a file that changes while it is compiled ----
cp twice.cu changing.cu
printf '#!/bin/sh\nprintf "// saved\\n" >>"%s/changing.cu"\nexec "%s" "$@"\n' "$work" "$nvrtc" >saver
chmod +x saver
PERFLAB_NVRTC_PROGRAM="$work/saver" run sweep changing.cu --backend ptx --db changing.db
expect_code 3
expect_err 'changing.cu'
expect_err 'changed'
[ -e changing.db ] && run query 'SELECT count(*) FROM run' --db changing.db --format csv && expect_out 0

# ---- two files that were made to have one hash (XXH3 of 128 bits) ----
same=$(dirname "$0")/../fixtures/same_xxh3
cat "$same/right.cu" >same.cu
run sweep same.cu --backend ptx --db same.db
expect_out '1 (1 ok)'
sleep 0.1 # the cache keeps no image of a file that has just changed
run sweep same.cu --backend ptx --db same.db
expect_out '1 (1 ok)'
cat "$same/wrong.cu" >same.cu
run sweep same.cu --backend ptx --db same.db
expect_out '1 (1 mismatch)'
run query 'SELECT count(DISTINCT code_hash), count(DISTINCT value) FROM trial
	JOIN environment ON environment.run_id = trial.run_id AND key = "source.1.hash"' \
	--db same.db --format csv
expect_out 2,2
# what an earlier version of perflab hashed is neither equal nor changed
sqlite3 same.db "UPDATE trial SET code_hash = substr(code_hash, 1, 16),
	launch_hash = substr(launch_hash, 1, 16) WHERE run_id = 1" 2>/dev/null || skip 'there is no sqlite3'
run regress --base 1 --head 2 --format json --db same.db
expect_out '"same_code": null'
expect_out '"same_launch": null'

# ---- the cache is bounded ----
kept() {
	find "$PERFLAB_CACHE/compiled" -type f | wc -l
}
rm -f calls
[ "$(kept)" -gt 3 ] || complain 'nothing was kept in the cache'
mkdir -p "$PERFLAB_CACHE/work/leFt00" "$PERFLAB_CACHE/work/mine"
touch "$PERFLAB_CACHE/compiled/mine.txt"
PERFLAB_CACHE_LIMIT=1 run sweep twice.cu --backend ptx
expect_code 0
calls 1 0 # its image was removed, too
[ "$(kept)" -eq 3 ] || complain "$(kept) files are in the cache; the image, its record and mine.txt are expected"
[ -e "$PERFLAB_CACHE/work/leFt00" ] && complain 'what a killed process left was not removed'
[ -e "$PERFLAB_CACHE/work/mine" ] || complain 'a folder that perflab did not make was removed'
run sweep twice.cu --backend ptx
calls 0 0
PERFLAB_CACHE_LIMIT=much refused 2 '$PERFLAB_CACHE_LIMIT' sweep twice.cu --backend ptx --db none.db
rm calls

# ---- ptxas, which is beside nvcc, gives the registers, so the emulator knows the occupancy ----
PERFLAB_NVCC="$nvcc" run sweep twice.cu --backend ptx --db facts.db
expect_code 0
run query "SELECT count(*) FROM trial WHERE registers_per_thread BETWEEN 4 AND 64 AND theoretical_occupancy_pct = 100 AND local_bytes_per_thread = 0" --db facts.db --format csv
expect_out 3
PERFLAB_NVCC="$work/none" run sweep twice.cu --backend ptx --db without.db
expect_code 0
expect_out 'the PTX does not say how many registers ptxas allocates: there was no ptxas'
run query "SELECT count(*) FROM trial WHERE registers_per_thread IS NULL AND theoretical_occupancy_pct IS NULL" --db without.db --format csv
expect_out 3

finish
