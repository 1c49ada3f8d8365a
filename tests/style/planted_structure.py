#!/usr/bin/env python3
"""Checks that check_cycles.py, check_architecture.py and check_names.py find planted violations.

usage: planted_structure.py CC NM

Compiles two files that need each other, and writes two functions with the same name.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def check(script, *arguments):
    return subprocess.run(
        [sys.executable, HERE / script, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )


def compile_pair(cc, build, first, second):
    objects = build / "db" / "CMakeFiles" / "perflab_db.dir"
    objects.mkdir(parents=True, exist_ok=True)
    for name, text in (("first", first), ("second", second)):
        source = build.parent / "db" / f"{name}.c"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text)
        subprocess.run([cc, "-c", source, "-o", objects / f"{name}.c.o"], check=True)


def main():
    cc, nm = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        build = folder / "build"
        compile_pair(cc, build, "int b(void); int a(void) { return b(); }", "int b(void) { return 1; }")
        said = check("check_cycles.py", folder, build, nm)
        assert said.returncode == 0, said
        compile_pair(cc, build, "int b(void); int a(void) { return b(); }",
                     "int a(void); int b(void) { return a(); }")
        said = check("check_cycles.py", folder, build, nm)
        assert said.returncode == 1, said
        assert "db/first.c uses b of db/second.c" in said.stdout, said.stdout
        assert check("check_cycles.py", folder, folder / "empty", nm).returncode == 1
        compile_pair(cc, build, "int b(void); int a(void) { return b(); }", "int b(void) { return 1; }")
        (folder / "db" / "first.h").write_text("static inline int c(void)\n{\n\treturn 1;\n}\n")
        assert check("check_cycles.py", folder, build, nm).returncode == 0
        (folder / "db" / "second.h").write_text("static inline int d(void)\n{\n\treturn c();\n}\n")
        said = check("check_cycles.py", folder, build, nm)
        assert said.returncode == 1, said
        assert "db/second.c uses c of db/first.c" in said.stdout, said.stdout

        (folder / "docs").mkdir()
        (folder / "tests" / "style").mkdir(parents=True)
        (folder / "tests" / "style" / "includes.awk").write_text('module("db", "base")\n')
        page = folder / "docs" / "architecture.md"
        table = "| module | concern | public headers | may include |\n|---|---|---|---|\n"
        page.write_text(table + "| `db/` | SQLite | `db.h` | base |\n\n")
        assert check("check_architecture.py", folder).returncode == 0
        page.write_text(table + "| `db/` | SQLite | `db.h` | base, metrics |\n\n`db/none.c`\n")
        said = check("check_architecture.py", folder)
        assert said.returncode == 1, said
        assert "only the table ['metrics']" in said.stdout, said.stdout
        assert "db/none.c does not exist" in said.stdout, said.stdout

        if shutil.which("ctags") is None:
            print("skipped: ctags (Debian: universal-ctags) is not installed")
            sys.exit(77)
        shutil.rmtree(folder / "db")
        (folder / "db").mkdir()
        (folder / "db" / "one.c").write_text("static int twice(void)\n{\n\treturn 1;\n}\n")
        assert check("check_names.py", folder).returncode == 0
        (folder / "cli").mkdir()
        (folder / "cli" / "two.c").write_text("static int twice(void)\n{\n\treturn 2;\n}\n")
        said = check("check_names.py", folder)
        assert said.returncode == 1, said
        assert said.stdout == "twice: cli/two.c:1 db/one.c:1\n", said.stdout


if __name__ == "__main__":
    main()
