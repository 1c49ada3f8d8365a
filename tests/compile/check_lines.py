#!/usr/bin/env python3
"""Compares the lines of every instruction with those that nvdisasm prints.

check_lines.py SHOW_LINES PTX_FOLDER SOURCE

The code is that of the built-in kernels and of SOURCE. nvdisasm prints nothing for an instruction
whose file and line are those of the one before, even if other calls lead there. For such an
instruction only the file and line are compared.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ARCHITECTURES = ("75", "80", "90", "100", "120")
BUILT_IN_ARCHITECTURES = ("90", "90a")


def tool(name):
    path = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    if not path:
        print(f"skipped: {name} was not found")
        sys.exit(SKIPPED)
    return path


def compiled(command):
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def make_cubins(folder, ptx_folder, source):
    """Returns how many files could not be compiled: those for other architectures only."""
    nvcc, ptxas = tool("nvcc"), tool("ptxas")
    failed = 0
    for architecture in ARCHITECTURES:
        if not compiled([nvcc, "-lineinfo", "-std=c++17", f"-arch=sm_{architecture}", "-cubin",
                         source, "-o", f"{folder}/source_{architecture}.cubin"]):
            sys.exit(f"{source} cannot be compiled for sm_{architecture}")
    for place, _, names in sorted(os.walk(ptx_folder)):
        for name in sorted(name for name in names if name.endswith(".ptx")):
            path = os.path.join(place, name)
            out = os.path.relpath(path, ptx_folder).replace("/", "_")[:-4]
            failed += not any(
                compiled([ptxas, "-lineinfo", f"-arch=sm_{architecture}", path, "-o",
                          f"{folder}/{out}.cubin"]) for architecture in BUILT_IN_ARCHITECTURES)
    return failed


def position(text):
    match = re.fullmatch(r'"(.*)", line (\d+)', text)
    return match.group(1), match.group(2)


def instructions(text):
    """Yields (function, offset, chain, whether nvdisasm printed the chain here)."""
    function, chain, ends, printed = None, (), True, False
    for line in text.splitlines():
        if line.startswith("//-----"):
            function = None
        elif match := re.fullmatch(r"\.text\.(.*):", line):
            function, chain, ends, printed = match.group(1), (), True, False
        elif match := re.fullmatch(r'\s*//## File (".*?", line \d+)(?: inlined at (.*))?', line):
            chain = (position(match.group(1)),) if ends else chain
            if match.group(2):
                chain += (position(match.group(2)),)
            ends, printed = not match.group(2), True
        elif function and (match := re.match(r"\s*/\*([0-9a-f]{4,})\*/", line)):
            yield function, int(match.group(1), 16), chain, printed
            printed = False


def read_lines(show_lines, cubin, wanted):
    asked = "".join(f"{function} {offset}\n" for function, offset, _, _ in wanted)
    out = subprocess.run([show_lines, cubin], input=asked, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    for line in out.splitlines():
        fields = line.split("\t") if line else []
        yield tuple(zip(fields[0::3], fields[1::3]))


def check(show_lines, cubin, nvdisasm):
    """Returns the number of instructions, of those in inlined functions, and of differences."""
    text = subprocess.run([nvdisasm, "-gi", "-c", cubin], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    wanted = list(instructions(text))
    found = list(read_lines(show_lines, cubin, wanted))
    wrong = abs(len(wanted) - len(found))
    for (function, offset, chain, printed), lines in zip(wanted, found):
        if chain != lines if printed else chain[:1] != lines[:1]:
            print(f"{cubin}: {function}+{offset:#x}: {lines} instead of {chain}")
            wrong += 1
    return len(wanted), sum(len(lines) > 1 for lines in found), wrong


def main():
    show_lines, ptx_folder, source = sys.argv[1:]
    nvdisasm = tool("nvdisasm")
    total = inlined = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        failed = make_cubins(folder, ptx_folder, source)
        cubins = sorted(os.listdir(folder))
        for cubin in cubins:
            counts = check(show_lines, os.path.join(folder, cubin), nvdisasm)
            total, inlined, wrong = (a + b for a, b in zip((total, inlined, wrong), counts))
    print(f"{len(cubins)} cubins, {failed} not compiled, {total} instructions, {inlined} of them "
          f"inlined, {wrong} differ")
    return 1 if wrong or not inlined else 0


if __name__ == "__main__":
    sys.exit(main())
