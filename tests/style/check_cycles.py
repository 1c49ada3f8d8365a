#!/usr/bin/env python3
"""Checks that no source files of the product depend on each other in a cycle.

usage: check_cycles.py ROOT BUILD-FOLDER [NM]

Reads the symbols of the object files of a build, and the inline functions of headers. File A needs
file B when A uses a function or variable that B, or the header of B, defines. So does a file whose
header has an inline function that uses one. Prints every cycle with the names that cause it. Exits
with 1 if there is a cycle.
"""
import collections
import pathlib
import re
import subprocess
import sys

OBJECT = re.compile(r"^(?P<folder>.*?)/?CMakeFiles/[^/]+\.dir/(?P<file>.*)\.c\.o$")


def source_of(root, build, path):
    found = OBJECT.match(str(path.relative_to(build)))
    # lanes/ is compiled once per vector instruction set: one set of objects is enough.
    if not found or found["folder"].startswith("tests") or "lanes_avx2" in str(path):
        return None
    source = f"{found['folder']}/{found['file']}.c"
    # A build folder may keep the object of a source that was removed.
    return source if (root / source).is_file() else None


def read_symbols(root, build, nm):
    """Returns the file that defines each symbol, and the symbols that each file uses."""
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


COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
INLINE = re.compile(r"^static inline [^;{]*?\b(\w+)\([^;{]*\)\n\{(.*?)^\}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\b([a-z_]\w*)\(")


def add_inline_functions(root, defined, used):
    """Adds what headers define inline, and what these functions use. A header has the name of its
    source file, which need not exist."""
    texts, inline = {}, {}
    for path in sorted(root.rglob("*.[ch]")):
        name = str(path.relative_to(root))
        if name.startswith(("tests/", "build")) or "/." in f"/{name}":
            continue
        text = COMMENT_OR_STRING.sub("", path.read_text(errors="replace"))
        source = re.sub(r"h$", "c", name)
        if name.endswith(".h"):
            functions = INLINE.findall(text)
            inline.update((function, source) for function, _ in functions)
            text = "\n".join(body for _, body in functions)
        texts.setdefault(source, []).append(text)
    for source, parts in texts.items():
        for function in CALL.findall("\n".join(parts)):
            if function in inline or function in defined:
                used[source].add(function)
    for function, source in inline.items():
        defined.setdefault(function, source)


def strong_components(graph):
    """Returns the sets of files that need each other.

    Tarjan's algorithm (SIAM Journal on Computing 1, 1972).
    """
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
    add_inline_functions(root, defined, used)
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
