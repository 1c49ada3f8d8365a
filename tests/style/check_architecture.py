#!/usr/bin/env python3
"""Checks the module table and the paths of docs/architecture.md against the tree.

usage: check_architecture.py ROOT

A row of the table must name the public headers and the modules that tests/style/includes.awk
allows. Cells that describe a set ("one per analysis", "the same") are not compared. A path with a
folder, in code quotes anywhere in the document, must exist. Exits with 1 if anything differs.
"""
import pathlib
import re
import sys

MODULE = re.compile(r'module\("([^"]+)",\s*"([^"]*)"(?:,\s*"([^"]*)")?\)')
ROW = re.compile(r"^\| (`[^|]*`) \| [^|]* \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_0-9]+\.[a-z]+)?)`")
DESCRIBED = re.compile(r"and others|one per|the modules above|the same|all public|libc|`emulator/")


def read_rules(text):
    """Returns {module: (headers, modules that it may include)}."""
    text = re.sub(r'" *\\\n\s*"', "", text)
    rules = {}
    for name, may, headers in MODULE.findall(text):
        headers = headers or f"{name}/{name.rsplit('/', 1)[-1]}.h"
        rules[name] = (set() if headers == "none" else set(headers.split()), set(may.split()))
    return rules


def check_row(cells, rules):
    names, headers, may = cells
    wrong = []
    for name in re.findall(r"`([^`]+)/`", names):
        if name not in rules:
            continue
        public, below = rules[name]
        if not DESCRIBED.search(headers):
            said = {f"{name}/{header}" for header in re.findall(r"`([^`]+)`", headers)}
            if len(re.findall(r"`[^`]+/`", names)) == 1 and said != public:
                wrong.append(f"{name}/: the table says {sorted(said)}, includes.awk {sorted(public)}")
        if not DESCRIBED.search(may):
            said = {word.strip() for word in may.split(",")}
            rule = {module.rsplit("/", 1)[-1] for module in below}
            if said != rule:
                wrong.append(f"{name}/ may include: only the table {sorted(said - rule)}, "
                             f"only includes.awk {sorted(rule - said)}")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "docs" / "architecture.md").read_text()
    rules = read_rules((root / "tests" / "style" / "includes.awk").read_text())
    table = text[text.index("| module | concern |"):]
    wrong = []
    for cells in ROW.findall(table[:table.index("\n\n")]):
        wrong += check_row(cells, rules)
    for path in sorted(set(PATH.findall(text))):
        # The end of a path is enough: a row names the folder that its parts are in.
        if not (root / path).exists() and not any(root.glob(f"*/{path}")) and \
                not any(root.glob(f"*/*/{path}")):
            wrong.append(f"{path} does not exist")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
