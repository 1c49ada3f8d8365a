#!/bin/sh
# Prints how long the steps take with which processes open their GPUs: one, two and four processes at
# once, each with a GPU of its own, as many as the machine has. Then prints the samples of a process
# while another one opens the same GPU step by step. Needs nvcc and CUPTI; takes half a minute.
#
# usage: tests/gpu/opening.sh [PROBE]
#     PROBE  opening_probe, already built (default: builds it)
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
	probe=$1
else
	probe=$work/opening_probe
	cuda=$(dirname "$(dirname "$(command -v nvcc)")")
	nvcc -O2 -arch=sm_90 -o "$probe" "$here/opening_probe.cu" "-I$cuda/extras/CUPTI/include" \
		"-L$cuda/extras/CUPTI/lib64" "-L$cuda/lib64/stubs" -lcuda -lcupti -ldl
	LD_LIBRARY_PATH=$cuda/extras/CUPTI/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
fi

nvidia-smi --query-gpu=index,name,driver_version --format=csv
count=$(nvidia-smi --query-gpu=index --format=csv,noheader | grep -c .)
for repeat in 1 2 3; do
	for together in 1 2 4; do
		[ $together -le "$count" ] || continue
		echo "$together at once, $repeat"
		pids=
		i=0
		while [ $i -lt $together ]; do
			CUDA_VISIBLE_DEVICES=$i timeout 60 "$probe" open "gpu $i" &
			pids="$pids $!"
			i=$((i + 1))
		done
		# shellcheck disable=SC2086
		wait $pids
	done
done

echo "samples while another process opens the GPU"
CUDA_VISIBLE_DEVICES=0 timeout 60 "$probe" sample 8 >"$work/samples" &
pid=$!
CUDA_VISIBLE_DEVICES=0 timeout 60 "$probe" slowly "gpu 0"
wait $pid
cat "$work/samples"
