#!/usr/bin/env python3
"""No two source files of the product need each other.

usage: check_cycles.py ROOT BUILD-FOLDER [NM]

Reads the symbols of the object files of a build. File A needs file B when A
uses a function or variable that B defines. Prints every cycle with the names
that close it, and exits with 1 if there is any.
"""
import collections
import pathlib
import re
import subprocess
import sys

OBJECT = re.compile(r"^(?P<folder>.*?)/?CMakeFiles/[^/]+\.dir/(?P<file>.*)\.c\.o$")


def source_of(root, build, path):
    found = OBJECT.match(str(path.relative_to(build)))
    # lanes/ is compiled once for each vector unit: one set of objects is enough.
    if not found or found["folder"].startswith("tests") or "lanes_avx2" in str(path):
        return None
    source = f"{found['folder']}/{found['file']}.c"
    # A build folder may keep the object of a source that is gone.
    return source if (root / source).is_file() else None


def read_symbols(root, build, nm):
    """The file that defines each symbol, and the symbols that each file uses."""
    sources = {str(path): source_of(root, build, path) for path in sorted(build.rglob("*.c.o"))}
    objects = [path for path, source in sources.items() if source]
    defined, used = {}, collections.defaultdict(set)
    if not objects:
        return defined, used
    lines = subprocess.run([nm, "-A", *objects], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        path, _, symbol = line.partition(".o:")
        source, words = sources[path + ".o"], symbol.split()
        if len(words) == 2 and words[0] == "U":
            used[source].add(words[1])
        elif len(words) == 3 and words[1] in "TDRBVW":
            defined[words[2]] = source
    return defined, used


def strong_components(graph):
    """Tarjan's algorithm (SIAM Journal on Computing 1, 1972): the sets of files that need each other."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return [component for component in found if len(component) > 1]


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    defined, used = read_symbols(root, build, sys.argv[3] if len(sys.argv) > 3 else "nm")
    if not defined:
        sys.exit(f"{build} has no object files: nothing was checked")
    graph = {
        source: {defined[name] for name in names if defined.get(name, source) != source}
        for source, names in used.items()
    }
    cycles = strong_components(graph)
    for cycle in cycles:
        print("these files need each other:", " ".join(sorted(cycle)))
        for source in sorted(cycle):
            for other in sorted(graph[source] & set(cycle)):
                names = sorted(name for name in used[source] if defined.get(name) == other)
                print(f"  {source} uses {', '.join(names[:4])} of {other}")
    sys.exit(1 if cycles else 0)


if __name__ == "__main__":
    main()
