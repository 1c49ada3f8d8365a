#!/usr/bin/env python3
"""Checks that no two functions of the product share a name, static functions included.

usage: check_names.py ROOT CTAGS

Exits with 77 when Universal Ctags is not installed.
"""
import collections
import pathlib
import shutil
import subprocess
import sys

# Each program has a main. The functions of lanes/ get another name for each vector instruction set.
SHARED = {"main", "LANES_NAME"}


def main():
    root = pathlib.Path(sys.argv[1])
    ctags = shutil.which(sys.argv[2] if len(sys.argv) > 2 else "ctags")
    if ctags is None:
        print("skipped: ctags (Debian: universal-ctags) is not installed")
        sys.exit(77)
    sources = [
        path
        for folder in ("base", "emulator", "metrics", "capture", "kernels", "db", "imports", "harness", "reports", "cli")
        for path in sorted((root / folder).rglob("*.[ch]"))
    ]
    if not sources:
        sys.exit(f"no sources under {root}: nothing was checked")
    tags = subprocess.run(
        [ctags, "--languages=C", "--langmap=C:+.h", "-x", "--kinds-C=f", "-L", "-"],
        input="\n".join(map(str, sources)), check=True, capture_output=True, text=True,
    ).stdout
    places = collections.defaultdict(set)
    for name, _, line, path in (row.split()[:4] for row in tags.splitlines()):
        places[name].add(f"{pathlib.Path(path).relative_to(root)}:{line}")
    wrong = {name: at for name, at in places.items() if len(at) > 1 and name not in SHARED}
    for name, at in sorted(wrong.items()):
        print(f"{name}: {' '.join(sorted(at))}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
