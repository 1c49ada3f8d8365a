# What a user reads when a compiler refuses a file, says nothing, dies or takes too long.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_NVRTC_PROGRAM="$work/none"
export PERFLAB_NVCC="$work/nvcc"

cat >k.cu <<'END'
// perflab: axis n = 32
// perflab: buffer y: i32[n] out
// perflab: launch k<<<1, n>>>(y)
// perflab: verify y = 90
__global__ void k(int *y) { y[threadIdx.x] = 90; }
END

# Makes an nvcc of the commands on stdin.
compiler() {
	{
		printf '#!/bin/sh\ncase $1 in --version) echo 1; exit 0 ;; esac\n'
		cat
	} >nvcc
	chmod +x nvcc
}

# expect_line TEXT: fails unless stderr has exactly this line once.
expect_line() {
	[ "$(grep -cxF -- "$1" err)" -eq 1 ] || complain "stderr lacks this line, or has it twice: $1"
}

# ---- each line of a compiler is a line, and none is there twice ----
compiler <<'END'
printf 'k.cu(3): warning: an error is possible\nk.cu(5): error: expected a ";"\n\ty[\033[1m\n     ^\n\n'
printf '2 errors\n'
exit 2
END
for verb in 'sweep --db a.db' 'sweep --dry-run' 'watch --times 1 --db b.db'; do
	run ${verb%% *} k.cu --backend ptx ${verb#* }
	expect_line "perflab: '$work/k.cu' does not compile with nvcc: k.cu(5): error: expected a \";\""
	expect_line 'perflab:   k.cu(3): warning: an error is possible'
	expect_line 'perflab:    y[\x1b[1m'
	expect_line 'perflab:        ^'
	expect_line 'perflab:   2 errors'
	expect_no_err '\n'
	expect_no_err 'perflab:   k.cu(5)'
done
run sweep k.cu --backend ptx --db c.db
expect_code 3
expect_out 'k.cu(5): error: expected a ";"'
echo '__global__ void k() {}' >bare.cu
run init bare.cu
expect_code 3
expect_line 'perflab: k.cu(5): error: expected a ";"'
expect_err "'bare.cu' does not compile: the lines above say why"

# ---- a compiler that says nothing ----
compiler <<'END'
exit 1
END
run sweep k.cu --backend ptx --db c.db
expect_err "'$work/k.cu' does not compile with nvcc: it gives no reason"
NV_NSIGHT_INJECTION_TRANSPORT_TYPE=uds
export NV_NSIGHT_INJECTION_TRANSPORT_TYPE
run sweep k.cu --backend ptx --db c.db
expect_err "does not compile with nvcc: under ncu it ends at once; make a cubin first"
unset NV_NSIGHT_INJECTION_TRANSPORT_TYPE
compiler <<'END'
printf '\n  \n'
exit 1
END
run sweep k.cu --backend ptx --db c.db
expect_err "does not compile with nvcc: it gives no reason"
compiler <<'END'
kill -SEGV $$
END
run sweep k.cu --backend ptx --db c.db
expect_err "does not compile with nvcc: $work/nvcc was ended by signal 11"

# ---- one that says much ----
compiler <<'END'
yes 'k.cu(5): error: 0123456789012345678901234567890123456789' | head -n 2000
exit 1
END
run sweep k.cu --backend ptx --db c.db
expect_err 'lines left out)'
[ "$(wc -c <err)" -lt 40000 ] || complain 'more than 16 KiB are shown'

# ---- memory ----
compiler <<'END'
echo "error: the limit is $(ulimit -v)"
exit 1
END
PERFLAB_COMPILE_MEMORY=1Gi run sweep k.cu --backend ptx --db c.db
if grep -q 'limit is unlimited' err; then
	echo 'not tested: under AddressSanitizer compilers have no limit of memory'
else
	expect_err 'error: the limit is 1048576'
	compiler <<-'END'
		head -c 2000000000 /dev/zero | tail -n 1
		exit 1
	END
	PERFLAB_COMPILE_MEMORY=256Mi run sweep k.cu --backend ptx --db c.db
	expect_code 3
	expect_err 'nvcc needs more than 256.0 MiB to compile'
	expect_err '$PERFLAB_COMPILE_MEMORY'
	expect_no_err 'perflab:   tail'
fi
PERFLAB_COMPILE_MEMORY=much refused 2 '$PERFLAB_COMPILE_MEMORY' sweep k.cu --backend ptx --db none.db
PERFLAB_COMPILE_MEMORY=0 refused 2 '$PERFLAB_COMPILE_MEMORY' sweep k.cu --backend ptx --db none.db

# ---- time: --timeout counts for compilers, too, but leaves them 20 s ----
compiler <<'END'
sleep 100
END
run sweep k.cu --backend ptx --db c.db --timeout 1s
expect_code 3
expect_err "nvcc was ended after 20.0 s: it did not compile '$work/k.cu' in that time. Allow more with --timeout"

finish
