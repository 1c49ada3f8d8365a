#!/usr/bin/env python3
"""Reads a capture as docs/capture-format.md describes it, with nothing of capture/.

usage: read_capture.py CAPTURE [FOLDER]

Checks all hashes and prints the index. With FOLDER, writes cubin, ptx, and the contents of memory as
memory0.before, memory0.after, …. Decompresses with the zstd program; exits with 77 without it.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

MASK = 2**64 - 1
PRIMES = (11400714785074694791, 14029467366897019727, 1609587929392839161,
          9650029242287828579, 2870177450012600261)


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def mix(value, word):
    return rotate((value + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """XXH64 with seed 0."""
    at = 0
    value = PRIMES[4]
    if len(data) >= 32:
        lanes = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
        while at + 32 <= len(data):
            lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        value = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            value = ((value ^ mix(0, lane)) * PRIMES[0] + PRIMES[3]) & MASK
    value = (value + len(data)) & MASK
    while at + 8 <= len(data):
        word = struct.unpack_from("<Q", data, at)[0]
        value = (rotate(value ^ mix(0, word), 27) * PRIMES[0] + PRIMES[3]) & MASK
        at += 8
    if at + 4 <= len(data):
        word = struct.unpack_from("<I", data, at)[0]
        value = (rotate(value ^ word * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2]) & MASK
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    value = (value ^ value >> 33) * PRIMES[1] & MASK
    value = (value ^ value >> 29) * PRIMES[2] & MASK
    return value ^ value >> 32


def read_part(data, part):
    stored = data[part["offset"]:part["offset"] + part["stored_bytes"]]
    raw = subprocess.run(["zstd", "-dcq"], input=stored, check=True, capture_output=True).stdout
    if len(raw) != part["raw_bytes"] or f"{xxh64(raw):016x}" != part["xxh64"]:
        sys.exit(f"a part is damaged: {part}")
    return raw


def apply_changes(before, changes):
    after = bytearray(before)
    at = 0
    while at < len(changes):
        offset, size = struct.unpack_from("<2Q", changes, at)
        after[offset:offset + size] = changes[at + 16:at + 16 + size]
        at += 16 + size
    return bytes(after)


def read_pointers(index, records):
    """Adds the lists of pointers to the index, in the order of the records."""
    pointers = struct.iter_unpack("<3Q", records)
    index["parameters"]["pointers"] = [next(pointers) for _ in range(index["parameters"]["pointers"])]
    for memory in index["memory"]:
        for member in ("pointers_before", "pointers_after"):
            memory[member] = [next(pointers) for _ in range(memory[member])]


def main():
    if shutil.which("zstd") is None:
        print("skipped: no zstd program")
        sys.exit(77)
    data = pathlib.Path(sys.argv[1]).read_bytes()
    if data[:8] != b"\x89PLCAP\r\n" or struct.unpack_from("<2I", data, 8) != (1, 0):
        sys.exit("no capture of version 1")
    offset, size, hashed = struct.unpack_from("<3Q", data, len(data) - 32)
    if data[-8:] != b"PLCAPEND" or offset + size + 32 != len(data):
        sys.exit("not complete")
    if xxh64(data[offset:offset + size]) != hashed:
        sys.exit("the index is damaged")
    index = json.loads(data[offset:offset + size])
    files = {name: read_part(data, index[name]) for name in ("cubin", "ptx") if index[name]}
    for number, memory in enumerate(index["memory"]):
        before = read_part(data, memory["before"])
        changes = read_part(data, memory["changes"]) if memory["changes"] else b""
        files[f"memory{number}.before"] = before
        files[f"memory{number}.after"] = apply_changes(before, changes)
    read_pointers(index, read_part(data, index["pointers"]) if index["pointers"] else b"")
    print(json.dumps(index, indent=1))
    for name, content in files.items() if len(sys.argv) > 2 else ():
        (pathlib.Path(sys.argv[2]) / name).write_bytes(content)


if __name__ == "__main__":
    main()
