# The cache of compiled files: perflab removes only what it made, and uses only a folder that nobody
# else can write or lock.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB="$work/a.db"
own="$work/own-cache"
cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [x];
	cvta.to.global.u64 %rd2, %rd1;
	st.global.u32 [%rd2], 7;
	ret;
}
END
printf 'axis n = 1\nbuffer x: i32[n] out\nlaunch k<<<1, n>>>(x)\nverify x = 7\n' >k.ptx.perflab

# ---- a folder of the user, also one with the names of the cache in it ----
mkdir -p thesis/work/chapter1 thesis/compiled thesis/sources
echo thesis >thesis/work/chapter1/thesis.txt
echo thesis >thesis/compiled/main.ptx
echo thesis >thesis/sources/main.cu
for options in '' --dry-run; do
	PERFLAB_CACHE="$work/thesis" PERFLAB_CACHE_LIMIT=1 refused 2 'perflab did not make this folder' \
		sweep k.ptx --backend ptx $options
	expect_err '$PERFLAB_CACHE'
done
echo mine >thesis/notes.txt
: >thesis/lock
PERFLAB_CACHE="$work/thesis" refused 2 "holds 'notes.txt'" sweep k.ptx --backend ptx
rm thesis/notes.txt
# a name of six letters is one that perflab gives to a folder that it removes as a whole
mv thesis/work/chapter1 thesis/work/thesis
PERFLAB_CACHE="$work/thesis" refused 2 "holds 'work/thesis', and perflab did not make this folder" sweep k.ptx --backend ptx
[ -s thesis/work/thesis/thesis.txt ] || complain 'a folder of the user was removed'
mv thesis/work/thesis chapter1
echo 4711 >thesis/lock
PERFLAB_CACHE="$work/thesis" refused 2 'did not make this folder' sweep k.ptx --backend ptx
: >thesis/lock
# what looks like the cache of an earlier version is taken over, and still loses no foreign file
PERFLAB_CACHE="$work/thesis" PERFLAB_CACHE_LIMIT=1 run sweep k.ptx --backend ptx
expect_code 0
for file in compiled/main.ptx sources/main.cu; do
	[ -s "thesis/$file" ] || complain "$file was removed"
done

# ---- a new or an empty folder becomes one of perflab, which only its user can enter ----
mkdir empty
(umask 000; PERFLAB_CACHE="$work/deep/cache" run sweep k.ptx --backend ptx; expect_code 0)
PERFLAB_CACHE="$work/empty" run sweep k.ptx --backend ptx
expect_code 0
[ "$(stat -c %a deep/cache)" = 700 ] || complain 'others can enter the cache'
[ "$(stat -c %a deep/cache/lock)" = 600 ] || complain 'others can lock the cache'
grep -q 'Signature: 8a477f597d28d172789f06886806bc55' empty/CACHEDIR.TAG || complain 'the cache has no mark'
for many in 1 2 3 4 5 6; do
	PERFLAB_CACHE="$work/many" "$PERFLAB" sweep k.ptx --backend ptx --db $many.db >$many.out 2>&1 </dev/null &
done
wait
grep -l 'did not make' ?.out && complain 'processes that make the cache together refuse it'

# ---- a folder in which others may write ----
mkdir -m 777 open
PERFLAB_CACHE="$work/open" refused 2 'others may write' sweep k.ptx --backend ptx
if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 theirs && chown 1 theirs
	PERFLAB_CACHE="$work/theirs" refused 2 'belongs to user 1' sweep k.ptx --backend ptx
fi
printf '%s\n' 'Signature: 8a477f597d28d172789f06886806bc55' >thesis/CACHEDIR.TAG
rm thesis/lock
PERFLAB_CACHE="$work/thesis" refused 2 'did not make' sweep k.ptx --backend ptx

# ---- a lock that nobody gives back ----
export PERFLAB_CACHE="$own"
run sweep k.ptx --backend ptx
flock -x "$own/lock" sleep 60 &
holder=$!
sleep 0.2
"$PERFLAB" sweep k.ptx --backend ptx --db stopped.db >out 2>err </dev/null &
waiting=$!
sleep 1
kill -TERM $waiting
began=$(date +%s)
wait $waiting
[ $(($(date +%s) - began)) -lt 4 ] || complain 'SIGTERM does not end a sweep that waits for the lock'
mkdir temporary
TMPDIR="$work/temporary" run sweep k.ptx --backend ptx
expect_code 0
expect_err 'stays locked by another program'
[ -z "$(ls -A temporary)" ] || complain "left behind: $(ls -A temporary)"
kill $holder 2>/dev/null
finish
