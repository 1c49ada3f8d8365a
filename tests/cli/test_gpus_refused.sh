# The list of --gpus: what is planned with it, and what is refused.
. "$(dirname "$0")/gpus_lib.sh"

# --dry-run checks the list as a sweep does, and measures nothing.
plan="$cases --dry-run"
run $plan --gpus 1,GPU-00000000
expect_code 0
expect_err 'split over 2 GPUs: 0 (Fake GPU, GPU-00000000-0000-0000-0000-000000000000), 1 (Fake GPU, GPU-00000001'
expect_err '100 to run'
run sweep reduce --size 1024 --dry-run --gpus all --spread
expect_code 0
expect_err 'every case on each of 2 GPUs: 0 ('
refused 2 'no GPU is "5": there is 0 (GPU-' $plan --gpus 5
refused 2 'names GPU 0 twice, as "0" and as "GPU-00000000"' $plan --gpus 0,GPU-00000000
refused 2 'has an empty word' $plan --gpus 0,
refused 2 '--gpus does not go with --device: ' $plan --gpus all --device 1
refused 2 '--gpus does not go with --backend ptx' $plan --gpus all --backend ptx
export FAKE_WORKER_SCRIPT=other_model:1
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU XL (144 SMs)' $plan --gpus all
run sweep reduce --size 1024 --dry-run --gpus all --spread
expect_code 0
expect_err '1 (Fake GPU XL, GPU-00000001'
# without a GPU to ask it says so, and refuses what is wrong in any case
export FAKE_WORKER_SCRIPT=no_device
run $plan --gpus 0,7
expect_code 0
expect_err '--gpus 0,7 is not checked, because no GPU can be asked: there is no fake device: plug one in'
expect_err '100 to run'
refused 2 'has an empty word' $plan --gpus 0,,1
refused 2 '--gpus names "0" twice' $plan --gpus 0,1,0
[ -e g.db ] && complain 'a plan made a database'
unset FAKE_WORKER_SCRIPT

# What is refused, before a database is made.
refused 2 '--gpus is empty: give all, or numbers or UUIDs separated by commas' $cases --gpus ''
refused 2 '--gpus "0, 1" has a space: separate numbers or UUIDs by commas alone' $cases --gpus '0, 1'
refused 2 '--gpus "all,0" has all and more: all is every GPU' $cases --gpus all,0
refused 2 '"GPU-000" is too short for a UUID: give at least 8 characters of it' $cases --gpus 0,GPU-000
refused 2 'or give all' $cases --gpus ALL
CUDA_VISIBLE_DEVICES=3,4
export CUDA_VISIBLE_DEVICES
refused 2 'no GPU is "3": there is 0 (GPU-' $cases --gpus 3
expect_err 'CUDA_VISIBLE_DEVICES is "3,4", so CUDA shows no others, and numbers these from 0'
run $cases --gpus all --dry-run
expect_err 'split over the 2 GPUs that CUDA_VISIBLE_DEVICES shows: 0 (Fake GPU, '
run $cases --gpus 1 --dry-run
expect_err 'split over 1 GPU: 1 (Fake GPU, '
unset CUDA_VISIBLE_DEVICES
refused 2 'no GPU is "5": there is 0 (GPU-' $cases --gpus 5
refused 2 'no GPU is "GPU-1"' $cases --gpus GPU-1
refused 2 '2 GPUs have a UUID that begins with "GPU-0000"' $cases --gpus GPU-0000
refused 2 'names GPU 0 twice, as "0" and as "GPU-00000000"' $cases --gpus 0,GPU-00000000
refused 2 'has an empty word' $cases --gpus 0,
refused 2 'no GPU is "99999999999999999999"' $cases --gpus 99999999999999999999
refused 2 'CUDA does not list the MIG slice "MIG-1234"' $cases --gpus MIG-1234
expect_err 'once for each slice with CUDA_VISIBLE_DEVICES set to its whole UUID, which nvidia-smi -L lists'
refused 2 'with CUDA_VISIBLE_DEVICES=MIG-11111111-2222-3333-4444-555555555555' \
	$cases --gpus MIG-11111111-2222-3333-4444-555555555555
refused 2 '--gpus does not go with --device: ' $cases --gpus all --device 1
refused 2 '--gpus does not go with --shard: ' $cases --gpus all --shard 1/2
refused 2 '--gpus does not go with --decide: ' $cases --gpus all --decide
refused 2 '--gpus does not go with --resume: ' sweep --resume 1 --db g.db --gpus all
refused 2 '--gpus does not go with --backend ptx' $cases --gpus all --backend ptx
refused 2 'name them with --gpus' sweep reduce --db g.db --spread
refused 2 'name the GPUs with --gpus' sweep reduce --db g.db --interference never
refused 2 'leave it or --spread out' $cases --gpus all --spread
FAKE_WORKER_SCRIPT=other_model:1
export FAKE_WORKER_SCRIPT
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU XL (144 SMs)' $cases --gpus all
FAKE_WORKER_SCRIPT=no_device
refused 4 'there is no fake device: plug one in' $cases --gpus all
[ -e g.db ] && complain 'a refused sweep made a database'
# a slice that CUDA lists is a device like others
FAKE_WORKER_SCRIPT=is_slice:1
run $cases --gpus MIG-00000001
expect_code 0
expect_value 1 "SELECT count(*) FROM device WHERE uuid LIKE 'MIG-%' AND name LIKE '% MIG 1g.18gb'"
afresh
# slices of one profile split, those of two do not, nor do a slice and a whole GPU
export FAKE_WORKER_GPUS=3 FAKE_WORKER_SCRIPT='is_slice:0;is_slice:1;is_large_slice:2'
run list devices
expect_out 'MIG-00000001-0000-0000-0000-000000000000'
expect_out 'Fake GPU MIG 2g.35gb'
run $cases --gpus MIG-00000000,MIG-00000001
expect_code 0
expect_whole 100
expect_value 2 "SELECT count(DISTINCT device_id) FROM run"
expect_out 'Fake GPU MIG 1g.18gb'
refused 2 'GPU 0 is Fake GPU MIG 1g.18gb (16 SMs) and GPU 2 is Fake GPU MIG 2g.35gb (32 SMs)' $cases --gpus all
FAKE_WORKER_SCRIPT=is_slice:1
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU MIG 1g.18gb (16 SMs)' $cases --gpus 0,1
# ---- words that name no GPU are refused before a driver is looked for ----
no_worker
for words in 0,0 0,0,x x , 0, 0x1 -1 ALL 'all,0' ''; do
	rm -f none.db
	run sweep reduce --size 1024 --db none.db --gpus="$words"
	expect_code 2
	expect_err '--gpus'
	[ -e none.db ] && complain 'a database was made'
done
run sweep reduce --size 1024 --db none.db --gpus 0,GPU-12345678
expect_code 4

finish
