#!/usr/bin/env python3
"""Tests scripts/check-public with a project of one PTX file, and the lists of tests/public.

usage: test_public.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COPY = """operation copies
axis n = 1024
axis block = 64
skip "the second block size is too much" if block == 128
buffer x: f32[n] in
buffer y: f32[n] out
launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
verify y = x
"""


class CheckPublic(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.sources, self.sidecars = (os.path.join(scratch.name, name) for name in ("sources", "sidecars"))
        os.makedirs(os.path.join(self.sources, "demo-1.0", "src"))
        os.makedirs(os.path.join(self.sidecars, "demo"))
        os.makedirs(os.path.join(self.sidecars, "absent"))
        shutil.copy(os.path.join(BUILD, "share/perflab/ptx/stream/copy_scalar.ptx"),
                    os.path.join(self.sources, "demo-1.0/src/copy.ptx"))
        self.write("absent/list", "a.cu | a.perflab | |\n")

    def write(self, name, text):
        with open(os.path.join(self.sidecars, name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def check(self, *options):
        done = subprocess.run([os.path.join(ROOT, "scripts/check-public"), self.sources, "--sidecars",
                               self.sidecars, "--perflab", os.path.join(BUILD, "bin/perflab"), *options],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_right_kernel_is_verified(self):
        self.write("demo/copy.perflab", COPY)
        self.write("demo/list", "# a comment\nall | --set n=4096\n"
                                "src/copy.ptx | copy.perflab | --block-sizes 64..256 | --size 2^30\n"
                                "src/none.cu | none.perflab | - | --size 2^20\n")
        code, out, _ = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("**1 of 1 variants are verified**", out)
        self.assertIn("Cases: 2 ok, 1 skipped.", out)
        self.assertIn("| demo | `src/copy.ptx` | copies/stream_copy_scalar | 2 ok, 1 skipped |", out)
        self.assertIn("- demo: demo-1.0", out)
        self.assertIn("- absent: its sources were not there", out)

    def test_a_folder_without_a_version_is_taken(self):
        self.write("demo/copy.perflab", COPY)
        self.write("demo/list", "src/copy.ptx | copy.perflab | |\n")
        os.makedirs(os.path.join(self.sources, "demo-tools"))
        os.rename(os.path.join(self.sources, "demo-1.0"), os.path.join(self.sources, "demo"))
        code, out, _ = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("- demo: demo\n", out)

    def test_a_wrong_kernel_is_a_finding(self):
        self.write("demo/copy.perflab", COPY.replace("y = x", "y = 2 * x"))
        self.write("demo/list", "src/copy.ptx | copy.perflab | |\n")
        code, out, _ = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn("**0 of 1 variants are verified**", out)
        self.assertIn("| 1 mismatch |", out)

    def test_an_unverified_kernel_is_a_finding(self):
        self.write("demo/copy.perflab", COPY.replace("verify y = x", "verify none"))
        self.write("demo/list", "src/copy.ptx | copy.perflab | |\n")
        code, out, _ = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn("**0 of 1 variants are verified**", out)

    def test_a_sweep_that_does_not_begin_is_a_finding(self):
        self.write("demo/copy.perflab", COPY.replace("axis n", "axes n"))
        self.write("demo/list", "src/copy.ptx | copy.perflab | |\n")
        code, out, _ = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn("- demo, copy.perflab: no case was stored", out)

    def test_a_sweep_that_takes_too_long_does_not_end_the_others(self):
        self.write("demo/copy.perflab", COPY)
        self.write("demo/slow.perflab", COPY.replace("verify y = x", "verify by sleep 60"))
        self.write("demo/list", "src/copy.ptx | slow.perflab | |\nsrc/copy.ptx | copy.perflab | |\n")
        code, out, _ = self.check("--timeout", "6")
        self.assertEqual(code, 1, out)
        self.assertIn("- demo, slow.perflab: the sweep ran longer than 6 s", out)
        self.assertIn("copies/stream_copy_scalar | 1 ok |", out)

    def test_bad_use(self):
        self.write("demo/list", "src/copy.ptx | copy.perflab\n")
        code, _, err = self.check()
        self.assertEqual(code, 2)
        self.assertIn("demo/list:1: 2 fields instead of 4", err)
        code, _, err = self.check("--only", "nothing")
        self.assertEqual(code, 2)
        self.assertIn("no project 'nothing': there are absent, demo", err)
        code, _, err = self.check("--only", "absent")
        self.assertEqual(code, 4)
        self.assertIn("none of absent", err)

    def test_every_sidecar_of_the_tree_is_listed_and_every_listed_one_is_there(self):
        public = os.path.join(ROOT, "tests/public")
        for project in sorted(os.listdir(public)):
            folder = os.path.join(public, project)
            with open(os.path.join(folder, "list"), encoding="utf-8") as stream:
                lines = [line.split("|") for line in stream if not line.startswith(("#", "all |"))]
            self.assertEqual({len(fields) for fields in lines}, {4}, project)
            self.assertEqual({fields[1].strip() for fields in lines},
                             {name for name in os.listdir(folder) if name.endswith(".perflab")}, project)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
