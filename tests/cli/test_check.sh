# perflab check: which entries the emulator can run, and what it does not support.
. "$(dirname "$0")/lib.sh"
no_worker
kernels=$built_in_ptx
cp "$kernels/reduce/shuffle.ptx" a.ptx || exit 1

run check a.ptx
expect_code 0
expect_out 'reduce_finish'
grep -q '^a.ptx  reduce_shuffle  yes' "$work/out" || complain 'an entry does not run'
expect_no_out ' no '
# every file of the tree, except those that use asynchronous copies or tensor cores
for file in "$kernels"/stream/*.ptx "$kernels"/reduce/*.ptx "$kernels"/divergence/*.ptx \
	"$kernels"/transpose/*.ptx "$kernels"/matmul/*.ptx; do
	grep -q 'cp\.async\|mma\.sync\|mma_async' "$file" || set -- "$@" "$file"
done
run check "$@"
expect_code 0

# everything that is missing, with the number of uses and the place of the first, in the source if
# the PTX has its lines
sed 's/add\.f32/frobnicate.f32/; s/%tid\.x/%envreg0/' a.ptx >odd.ptx
run check odd.ptx
expect_code 1
expect_out 'opcode frobnicate.f32 (kernels/reduce/shuffle.cu:'
expect_out 'register %envreg0 (kernels/reduce/shuffle.cu:'
grep -v '\.loc' odd.ptx >unplaced.ptx
opcode=$(grep -n frobnicate unplaced.ptx | head -n 1 | cut -d: -f1)
register=$(grep -n envreg0 unplaced.ptx | head -n 1 | cut -d: -f1)
run check unplaced.ptx
expect_out "opcode frobnicate.f32 (line $opcode of the PTX, "
expect_out "register %envreg0 (line $register of the PTX)"
run check odd.ptx --format json
expect_code 1
expect_out '"runs": "no"'
[ "$(grep -c '"entry"' "$work/out")" -eq 2 ] || complain 'not two entries'

# other targets
for target in sm_75 sm_100 sm_90a; do
	sed "s/^\.target .*/.target $target/" a.ptx >dialect.ptx
	run check dialect.ptx
	expect_code 0
done

# a file that is not PTX is refused in one line that names the place
head -c 3000 a.ptx >cut.ptx
refused 3 'cut.ptx: line ' check cut.ptx
head -c 20000 /dev/urandom >random.ptx
refused 3 'random.ptx: line 1: ' check random.ptx
: >empty.ptx
refused 3 'empty.ptx: ' check empty.ptx
printf '.version 8.0\n.target sm_90\n.address_size 64\n' >none.ptx
refused 3 "'nofile.ptx'" check nofile.ptx
refused 3 "'.' is a folder" check .
refused 2 'an operand is missing' check

# a module of functions only is PTX, but has nothing to launch
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .func f()\n{\nret;\n}\n' >none.ptx
run check none.ptx
expect_code 0
expect_err 'none.ptx: valid PTX without an .entry'
run check none.ptx odd.ptx
expect_code 1
expect_err 'none.ptx: valid PTX without an .entry'

# PTX with a form that the emulator lacks is not runnable, but it is PTX
sed 's/^\.visible \.entry/.global .samplerref s = { addr_mode_0 = wrap };\n&/;t rest;b;:rest;n;b rest' a.ptx >form.ptx
run check form.ptx
expect_code 1
expect_out 'does not support initial values of .texref, .samplerref and .surfref'

# a file that is not PTX does not hide the results of the others
run check nofile.ptx a.ptx cut.ptx odd.ptx
expect_code 3
expect_out 'reduce_shuffle'
expect_out 'frobnicate'
expect_err 'nofile.ptx'
expect_err 'cut.ptx: line '
[ "$(wc -l <"$work/err")" -eq 2 ] || complain 'not one line per file that is not PTX'
finish
