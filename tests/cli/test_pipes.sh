# A pipe in place of a file is an error at once: nobody may ever open its other end.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB="$work/a.db"
copy=$built_in_ptx/stream/copy_scalar.ptx
kernel() {
	cp "$copy" "$1.ptx"
	cat >"$1.ptx.perflab" <<-END
		axis n = 256
		axis block = 64
		buffer x: f32[n] in $2
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
		verify $3
	END
}
pipe() {
	rm -rf "$1"
	mkfifo "$1"
}
kernel k '' 'y = x'
run sweep k.ptx --backend ptx
expect_code 0

# refused_at_once WORD…: the message names the pipe, long before any limit of time.
refused_at_once() {
	began=$(date +%s)
	run "$@"
	[ $code -ne 0 ] || complain 'the pipe is accepted'
	[ $(($(date +%s) - began)) -lt 8 ] || complain 'it waits for the other end'
	grep -qe 'is a pipe' -e 'not a regular file' out err || complain 'the pipe is not named'
}
pipe k.ptx.perflab
refused_at_once sweep k.ptx --backend ptx
pipe k.ptx
refused_at_once sweep k.ptx --backend ptx
refused_at_once check k.ptx
pipe input.npy
pipe input.bin
kernel npy 'file "input.npy"' 'y = x'
refused_at_once sweep npy.ptx --backend ptx
kernel raw 'file "input.bin"' 'y = x'
refused_at_once sweep raw.ptx --backend ptx
kernel result '' 'by mkfifo $PERFLAB_RESULTS/y.npy'
refused_at_once sweep result.ptx --backend ptx
kernel endless '' 'by ln -s /dev/zero $PERFLAB_RESULTS/y.npy'
run sweep endless.ptx --backend ptx
expect_code 3
expect_out 'is a device'
for file in p.capture p.json p.study p.db p.cu limits.txt; do
	pipe $file
done
refused_at_once sweep p.capture --backend ptx
refused_at_once import p.json
refused_at_once study p.study
refused_at_once init p.cu
refused_at_once regress --base 1 --head 1 --thresholds limits.txt
refused_at_once report --db p.db
refused_at_once merge p.db --db a.db
refused_at_once sweep k.ptx --backend ptx --db p.db
finish
