"""The sweeps of the recordings that scripts/compare-ptx compares the emulator with."""

# The sweeps: every kernel with block sizes that are and are not whole warps, at sizes that are and
# are not a multiple of the block; then access patterns that are hard to count (kernels/patterns).
BLOCKS = ["--block-sizes", "48,64,96,128,160,256,512,1000,1024"]
GLOBAL = ["patterns/load_4", "patterns/load_8", "patterns/load_16", "patterns/store_*",
          "patterns/atomic_*", "patterns/reduce_*"]
SHARED_MEMORY = ["patterns/shared_*"]
OTHER = ["patterns/local_array", "patterns/arithmetic_*"]
MATMUL = [f"matmul/{variant}" for variant in (
    "tiled_any", "conflicts", "padded", "register_blocked", "vectorised", "double_buffered")]
PRECISION = [f"precision/{variant}" for variant in ("f64", "f32", "f16", "bf16")]
MASKS = ",".join(str(int(mask, 16)) for mask in (
    "ffffffff", "55555555", "33333333", "0f0f0f0f", "00ff00ff", "0000ffff", "66666666", "33335555",
    "55335533", "80000001", "10204c81", "7f3f1f0f"))
COUNTERS = [
    ["stream", "reduce", *BLOCKS, "--set", "n=1,1000,4096,65537"],
    ["divergence", *BLOCKS, "--set", "n=1000,4097", "--set", "ways=4,32"],
    ["matmul", "--block-sizes", "64,256,1024", "--set", "n=1,33,96,128"],
    [*GLOBAL, *SHARED_MEMORY, *OTHER, "--block-sizes", "32,100,1024", "--set", "n=1,4000"],
    # Each lane accesses its own address, in rising order.
    [*GLOBAL, "--set", "stride=1,2,3,4,5,8,9,17,32,33", "--set", "start=1,2,5"],
    [*SHARED_MEMORY, "--block-sizes", "64", "--set", "stride=1,2,3,4,5,6,7,8,9,12,15,16,17,24,31",
     "--set", "start=1,2", "--set", "n=500"],
    # Lanes share an address, or access addresses in another order.
    [*GLOBAL, "--set", "share=1,2,4,8,32", "--set", "flip=1,4,20,32", "--set", "stride=1,3"],
    [*SHARED_MEMORY, "--block-sizes", "64", "--set", "share=1,2,4,8,16,32", "--set",
     "flip=1,20,32", "--set", "order=1,2", "--set", "stride=1,3", "--set", "n=500"],
    # Only some lanes are active, in order and at random.
    [*GLOBAL, *SHARED_MEMORY, *OTHER, "--block-sizes", "64", "--set", "order=1,2", "--set",
     f"mask={MASKS}", "--set", "n=1000"],
    # Equal numbers of threads access shared and global memory, at the same offsets.
    ["patterns/load_generic*", "--block-sizes", "64", "--set", "share=1,2,8,32", "--set",
     "flip=1,4,32", "--set", "stride=1,2,3,16,31", "--set", "n=512"],
]
KERNELS = [
    [*MATMUL, "--block-sizes", "64,128,256,512,1024", "--set", "n=1,33,36,96,128"],
    ["select", "stencil", "tail", "warp_map", "accuracy", *BLOCKS, "--set", "n=1,1000,4096,65537"],
    ["warp_map", "--set", "columns=1,4,32", "--set", "n=1,1000,4096,65537"],
    ["warp_ops", *BLOCKS, "--set", "n=1,1000,4097"],
    ["warp_ops", "--block-sizes", "64", "--set", f"mask={MASKS}", "--set", "n=1000"],
    ["transpose", *BLOCKS, "--set", "n=1,33,96,128"],
    [*PRECISION, *BLOCKS, "--set", "n=1,1000,4097", "--set", "steps=16,48"],
    ["occupancy", *BLOCKS, "--set", "n=1,1000,4097"],
    ["histogram", *BLOCKS, "--set", "n=1,1000,4097", "--set", "distinct=1,32,256"],
    ["classify", *BLOCKS, "--set", "n=1,32,1000,4097", "--set", "bins=1,7,64"],
    ["work_queue", *BLOCKS, "--set", "n=1,1000,4097", "--set", "skew=1,16"],
    ["atomics", *BLOCKS, "--set", "n=1,1000,4097", "--set", "addresses=1,7,1024"],
    ["spin", *BLOCKS, "--set", "n=1,1000,4097"],
]
# Chains of dependent accesses; tiles that fit in a cache; tiles with a constant size.
CHAINS = [
    ["latency", *BLOCKS, "--set", "n=1,1000,4097", "--set", "steps=1,100", "--set", "size_kib=1,4"],
    ["occupancy/cached_tiles", "--block-sizes", "96,1000", "--set", "n=40000"],
    ["matmul/tiled_constant", "matmul/tiled_whole", "--block-sizes", "64,256,1024", "--set",
     "n=1,33,36,96,128"],
]
# Asynchronous copies from global to shared memory (cp.async).
COPIES = [
    ["matmul/async_copy", "--block-sizes", "64,128,256,512,1024", "--set", "n=4,36,96,128"],
    ["patterns/async_*", "--block-sizes", "32,100,1024", "--set", "n=1,4000"],
    ["patterns/async_load_*", "--set", "stride=1,2,3,4,5,8,9,17,32,33", "--set", "start=1,2,5"],
    ["patterns/async_store_*", "--block-sizes", "64", "--set",
     "stride=1,2,3,4,5,6,7,8,9,12,15,16,17,24,31", "--set", "start=1,2", "--set", "n=500"],
    ["patterns/async_load_*", "--set", "share=1,2,4,8,32", "--set", "flip=1,4,20,32", "--set",
     "stride=1,3"],
    ["patterns/async_store_*", "--block-sizes", "64", "--set", "share=1,2,4,8,16,32", "--set",
     "flip=1,20,32", "--set", "order=1,2", "--set", "stride=1,3", "--set", "n=500"],
    ["patterns/async_*", "--block-sizes", "64", "--set", "order=1,2", "--set", f"mask={MASKS}",
     "--set", "n=1000"],
]
# Asynchronous copies in which some lanes read nothing. The patterns/async_* of COPIES include them,
# too.
ZEROES = [
    ["patterns/async_zeroes_*", "--set", f"mask={MASKS}", "--set", "stride=1,2,3", "--set",
     "start=1,2", "--set", "n=300"],
    ["patterns/async_zeroes_*", "--block-sizes", "32,100,1024", "--set", "n=1,4000"],
    ["patterns/async_zeroes_*", "--block-sizes", "64", "--set", "order=1,2", "--set",
     f"mask={MASKS}", "--set", "n=1000"],
]
# Tensor cores by mma.sync, with fragments loaded by ldmatrix and by ordinary loads; by wgmma.
TENSOR = [
    ["matmul/tensor_f16", "matmul/tensor_bf16", "matmul/tensor_tf32", "--block-sizes",
     "64,128,256,512,1024", "--set", "n=1,33,64,96,128"],
    ["precision/tensor_f64", "precision/tensor_tf32", "precision/tensor_f16",
     "precision/tensor_bf16", "--block-sizes", "64,256,1024", "--set", "n=1,1000,4097", "--set",
     "steps=16,48"],
    [*(f"matmul/tensor_{kind}_wgmma" for kind in ("f16", "bf16", "tf32")), "--block-sizes",
     "128,256,384,512,1024", "--set", "n=8,64,96,128,264"],
    ["ceilings/tensor_*_wgmma", "--block-sizes", "128", "--set", "turns=1", "--set",
     "blocks_per_sm=1"],
]
# File names in tests/golden/ptx. Each recording can be made again without the others, and names its
# device: that of TENSOR is an H100, which has the H200's chip.
RECORDINGS = {"h200_counters.json.xz": COUNTERS, "h200_kernels.json.xz": KERNELS,
              "h200_chains.json.xz": CHAINS, "h200_copies.json.xz": COPIES,
              "h200_zeroes.json.xz": ZEROES, "h200_tensor.json.xz": TENSOR}
