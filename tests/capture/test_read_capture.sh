#!/bin/sh
# The reader in Python, which was written from docs/capture-format.md, finds in the demo captures what
# make_demo.h says of them.
# usage: test_read_capture.sh SOURCE-FOLDER MAKE_CAPTURE
set -eu
source_root=$1
make_capture=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

mkdir saxpy lists
"$make_capture" saxpy.capture "$source_root/tests/capture/saxpy.ptx"
"$make_capture" --list lists.capture "$source_root/tests/capture/add_lists.ptx"
python3 "$source_root/tests/capture/read_capture.py" saxpy.capture saxpy >saxpy.json
python3 "$source_root/tests/capture/read_capture.py" lists.capture lists >lists.json
cmp saxpy/ptx "$source_root/tests/capture/saxpy.ptx"
python3 - <<'CHECK'
import json
import struct

def floats(path, offset, count):
    with open(path, "rb") as stream:
        return struct.unpack_from(f"<{count}f", stream.read(), offset)

index = json.load(open("saxpy.json"))
assert index["kernel"] == "saxpy" and index["launch"]["grid"] == [8, 1, 1]
assert index["parameters"]["pointers"] == [[8, 0, 512], [16, 0, 8192]]
x, y = floats("saxpy/memory0.before", 512, 1000), floats("saxpy/memory0.before", 8192, 1000)
assert floats("saxpy/memory0.after", 8192, 1000) == tuple(2 * a + b for a, b in zip(x, y))
assert floats("saxpy/memory0.after", 512, 1000) == x

index = json.load(open("lists.json"))
assert index["parameters"]["pointers"] == [[0, 0, 64]]
assert index["memory"][0]["pointers_before"] == [[64, 1, 256], [72, 2, 1024]]
addresses = struct.unpack_from("<2Q", open("lists/memory0.before", "rb").read(), 64)
assert addresses == (index["memory"][1]["address"] + 256, index["memory"][2]["address"] + 1024)
first, second = floats("lists/memory1.before", 256, 500), floats("lists/memory2.before", 1024, 500)
assert floats("lists/memory1.after", 256, 500) == tuple(a + b for a, b in zip(first, second))
CHECK
