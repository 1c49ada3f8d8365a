#!/usr/bin/env python3
"""Tests scripts/check-corpus with a tiny corpus, and a compiler that copies PTX.

usage: test_corpus.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

ROOT, BUILD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PERFLAB = os.path.join(BUILD, "bin/perflab")
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

# Copies the "source", which is PTX. Notes its arguments, to show what was compiled and how.
COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then
	echo "release 99.0, V99.0.1"
	exit 0
fi
echo "$@" >>{log}
while [ $# -gt 1 ]; do
	[ "$1" = -o ] && out=$2
	[ "$1" = -DNEEDED ] && needed=yes
	shift
done
grep -q SLEEP "$1" && exec sleep 60
if grep -q "include missing" "$1"; then
	echo "$1:3:10: fatal error: missing.h: No such file or directory" >&2
	exit 1
fi
if grep -q MACRO "$1" && [ -z "$needed" ]; then
	echo "$1(1): error: identifier MACRO is undefined" >&2
	exit 1
fi
cp "$1" "$out"
"""
# Ends with a signal for one file, and is perflab for the others.
CRASHING = """#!/bin/sh
for last; do :; done
case $last in
*.ptx)
	grep -q CRASH "$last" && kill -SEGV $$
	grep -q SLOW "$last" && exec sleep 60 ;;
esac
exec {perflab} "$@"
"""


def entry(name, *statements):
    return f".visible .entry {name}()\n{{\n" + "".join(f"\t{line};\n" for line in statements) + "\tret;\n}\n"


class CheckCorpus(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.nvcc = self.program("nvcc", COMPILER.format(log=self.path("log")))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name, text):
        self.write(name, text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def check(self, *arguments, nvcc=None):
        done = subprocess.run([os.path.join(ROOT, "scripts/check-corpus"), *arguments, "--cache", self.path("cache"),
                               "--nvcc", nvcc or self.nvcc, "--jobs", "2"]
                              + ([] if "--perflab" in arguments else ["--perflab", PERFLAB]),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, done.stdout, done.stderr

    def compiled(self):
        if not os.path.exists(self.path("log")):
            return []
        with open(self.path("log"), encoding="utf-8") as stream:
            return stream.read().splitlines()

    def test_what_is_accepted_and_what_is_refused(self):
        self.write("one/a.cu", HEAD + entry("plain") + entry("both", "exotic.b32 %a", "strange.op.u32 %a")
                   + entry("single", "exotic.b64 %a"))
        self.write("two/deep/b.cu", HEAD + entry("good"))
        self.write("two/deep/none.cu", HEAD)
        code, out, err = self.check(self.path("one"), self.path("two"), "--list", self.path("list"))
        self.assertEqual(code, 1, out + err)
        self.assertIn("| one | 1 | 1 | 3 | 1 | 33.3 % |", out)
        self.assertIn("| two | 2 | 2 | 1 | 1 | 100 % |", out)
        self.assertIn("| **all** | 3 | 3 | 4 | 2 | 50.0 % |", out)
        # two entries need exotic, of which one needs nothing else
        self.assertIn("| opcode `exotic` | 2 | 1 | `exotic.b32` |", out)
        self.assertIn("| opcode `strange.op` | 1 | 0 | `strange.op.u32` |", out)
        with open(self.path("list"), encoding="utf-8") as stream:
            self.assertIn("one\ta.cu\tboth\trefused\topcode exotic.b32, opcode strange.op.u32\n", stream.read())

    def test_nothing_refused(self):
        self.write("one/a.cu", HEAD + entry("plain"))
        code, out, err = self.check(self.path("one"), "--before", PERFLAB)
        self.assertEqual(code, 0, out + err)
        self.assertIn("| one | 1 | 1 | 1 | 1 | 100 % | 1 | 100 % |", out)
        self.assertIn("Nothing.", out)
        self.assertIn("- nvcc: release 99.0, V99.0.1, sm_90", out)

    def test_the_cache_keeps_results_and_failures(self):
        self.write("one/a.cu", HEAD + entry("plain"))
        self.write("one/b.cu", "#include missing\n")
        first = self.check(self.path("one"))
        self.assertEqual(len(self.compiled()), 2)
        second = self.check(self.path("one"))
        self.assertEqual(len(self.compiled()), 2, "nothing is compiled twice")
        self.assertEqual(first[:2], second[:2])
        self.write("one/a.cu", HEAD + entry("plain") + entry("more"))
        self.assertIn("| one | 2 | 1 | 2 | 2 | 100 % |", self.check(self.path("one"))[1])
        self.assertEqual(len(self.compiled()), 3, "only what changed is compiled again")
        self.check(self.path("one"), "--arch", "sm_80")
        self.assertEqual(len(self.compiled()), 5)

    def test_flags_are_guessed(self):
        for name in ("one/include", "one/src/common", "one/other"):
            os.makedirs(self.path(name))
        self.write("one/src/a.cu", HEAD + entry("plain") + "// MACRO\n")
        self.write("one/src/Makefile", "CFLAGS := $(X) -I../other -I$(HOME)/y -DNEEDED -DDEBUG # -DNOT\n")
        code, out, err = self.check(self.path("one"), "--flag=-DGIVEN")
        self.assertEqual(code, 0, out + err)
        first, second = self.compiled()
        self.assertNotIn("-DNEEDED", first, "macros are for a second attempt")
        self.assertIn("-arch=sm_90 -DGIVEN", first)
        for name in ("src/../other", "src", "src/common", "include"):
            self.assertIn("-I" + os.path.realpath(self.path("one")) + "/" + name + " ", first + " ")
        self.assertIn(" -DNEEDED", second)
        for absent in ("-DDEBUG", "-DNOT", "/y "):
            self.assertNotIn(absent, second)

    def test_files_that_do_not_compile_are_counted(self):
        self.write("bad/a.cu", "#include missing\n")
        self.write("good/b.cu", HEAD + entry("plain"))
        code, out, err = self.check(self.path("bad"), self.path("good"))
        self.assertEqual(code, 0, out + err)
        self.assertIn("| bad | 1 | 0 | 0 | 0 | - |", out)
        self.assertIn("| a header is missing: `missing.h` | 1 | bad/a.cu |", out)
        self.assertIn("no file of bad compiles; the first error: a.cu:", err)
        code, _, err = self.check(self.path("bad"))
        self.assertEqual(code, 3, err)

    def test_a_compilation_that_is_stopped_is_tried_again_with_more_time(self):
        self.write("one/a.cu", "SLEEP")
        self.write("one/b.cu", HEAD + entry("plain"))
        begin = time.monotonic()
        code, out, err = self.check(self.path("one"), "--compile-timeout", "4")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(code, 0, out + err)
        self.assertIn("| the compiler ran longer than 4 s | 1 | one/a.cu |", out)
        self.check(self.path("one"), "--compile-timeout", "4")
        self.assertEqual(len(self.compiled()), 2)
        self.check(self.path("one"), "--compile-timeout", "5")
        self.assertEqual(len(self.compiled()), 3)

    def test_a_check_that_crashes_loses_nothing(self):
        crashing = self.program("crashing", CRASHING.format(perflab=PERFLAB))
        self.write("one/a.cu", HEAD + "// CRASH\n" + entry("first") + entry("second"))
        self.write("one/b.cu", HEAD + entry("plain"))
        self.write("one/c.cu", HEAD + "// SLOW\n" + entry("third"))
        self.write("one/d.cu", HEAD + entry("fourth") + "}\n")
        code, out, err = self.check(self.path("one"), "--perflab", crashing, "--check-timeout", "8")
        self.assertEqual(code, 1, out + err)
        self.assertIn("| one | 4 | 4 | 5 | 1 | 20.0 % |", out)
        self.assertIn("| the check ended with signal 11 | 2 | 2 |", out)
        self.assertIn("| the check ran longer than 8 s | 1 | 1 |", out)
        self.assertIn("| the check ended with 3: perflab: FILE: line 8: ", out)

    def test_a_file_without_entries_that_crashes_the_check_is_a_finding(self):
        crashing = self.program("crashing", CRASHING.format(perflab=PERFLAB))
        self.write("one/a.cu", HEAD + "// CRASH\n")
        code, _, err = self.check(self.path("one"), "--perflab", crashing)
        self.assertEqual(code, 1, err)
        self.assertIn("check-corpus: one/a.cu: the check ended with signal 11", err)

    def test_parts_of_a_corpus(self):
        for name in ("a/x.cu", "b/x.cu", "c/x.cu", "c/skipped.cu", "d/x.cu", "build/x.cu"):
            self.write("one/" + name, HEAD + entry("plain"))
        code, out, _ = self.check(self.path("one"), "--every", "2", "--exclude", "*/skipped.cu")
        self.assertEqual(code, 0, out)
        self.assertEqual(sorted(line.split("/")[-2] for line in self.compiled()), ["a", "c"])
        code, out, _ = self.check(self.path("one"), "--only", "one/[ab]/*")
        self.assertIn("| one | 2 | 2 | 2 | 2 | 100 % |", out)

    def test_bad_use(self):
        self.write("one/a.cu", HEAD)
        os.makedirs(self.path("empty"))
        for arguments, code, message in (
                ([self.path("empty")], 2, "empty has no .cu file"),
                ([self.path("absent")], 2, "absent is not a folder"),
                ([self.path("one"), self.path("one")], 2, "two folders are called one"),
                ([self.path("one"), "--only", "nothing/*"], 2, "leave no source"),
                ([self.path("one"), "--every", "0"], 2, "--every and --jobs take numbers from 1"),
                ([self.path("one"), "--perflab", self.path("absent")], 4, "cannot start")):
            with self.subTest(message):
                got, _, err = self.check(*arguments)
                self.assertEqual(got, code, err)
                self.assertIn(message, err)
        code, _, err = self.check(self.path("one"), nvcc=self.path("absent"))
        self.assertEqual(code, 4)
        self.assertIn("name its compiler with --nvcc", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
