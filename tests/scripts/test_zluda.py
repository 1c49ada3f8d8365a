#!/usr/bin/env python3
"""Tests scripts/check-zluda with a table and PTX of its own.

usage: test_zluda.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def entry(name, body, parameters=".param .u64 input, .param .u64 output", size=64):
    load = "ld.param.u64 %in, [input]; " if "input" in parameters else ""
    return (f".version 6.5\n.target sm_70\n.address_size {size}\n.visible .entry {name}({parameters})\n{{\n"
            f".reg .u64 %in, %out;\n.reg .b64 %a, %b;\n.reg .f32 %f;\n{load}ld.param.u64 %out, [output];\n"
            f"{body}\nret;\n}}\n")


TWICE = "ld.s32 %b, [%in]; add.s64 %b, %b, %b; st.u32 [%out], %b;"
LANE = ".reg .u32 %t; mov.u32 %t, %tid.x; cvt.u64.u32 %a, %t; add.u64 %out, %out, %a; st.u8 [%out], %t;"
SIXTY_FOUR = ", ".join(f"{i}u8" for i in range(64))


class CheckZluda(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def check(self, table=None, *arguments):
        if table is not None:
            self.write("mod.rs", table)
        done = subprocess.run([os.path.join(ROOT, "scripts/check-zluda"), self.folder, "--perflab",
                               os.path.join(BUILD, "bin/perflab"), "--jobs", "2", *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_right_and_wrong(self):
        self.write("twice.ptx", entry("twice", TWICE))
        self.write("lanes.ptx", entry("lanes", LANE, ".param .u64 output"))
        # changes its input, which nothing compares
        self.write("swap.ptx", entry("swap", "ld.u32 %a, [%in]; st.u32 [%in], 0; st.u32 [%out], %a;"))
        right = ("test_ptx!(twice, [-3i32], [-6i32]);\n// test_ptx!(twice, [1i32], [7i32]);\n"
                 f"test_ptx_warp!(\n    lanes,\n    [\n        {SIXTY_FOUR},\n    ]\n);\ntest_ptx!(swap, [9], [9]);\n")
        code, out, err = self.check(right)
        self.assertEqual(code, 0, out + err)
        self.assertIn("**3 of 3 tests are right.**", out)
        code, out, err = self.check(right.replace("-6i32", "-7i32"))
        self.assertEqual(code, 1, out + err)
        self.assertIn("**2 of 3 tests are right.** 1 are wrong", out)
        self.assertIn("| twice | wrong |", out)

    def test_what_is_refused_and_found(self):
        self.write("odd.ptx", entry("odd", "strange.u32 %a, %b;"))
        self.write("beyond.ptx", entry("beyond", "st.u32 [%out + 4], 1;"))
        self.write("plain.ptx", entry("plain", TWICE))
        self.write("32/plain.ptx", entry("plain", TWICE, size=32))
        self.write("quiet.ptx", entry("quiet", TWICE))
        code, out, err = self.check("test_ptx!(odd, [1u32], [1u32]);\ntest_ptx!(beyond, [1u32], [1u32]);\n"
                                    "test_ptx_with_32!(plain, [1i32], [2i32]);\ntest_ptx!(quiet);\n"
                                    "test_ptx!(lost, [1u32], [1u32]);")
        self.assertEqual(code, 1, out + err)
        self.assertIn("**1 of 5 tests are right.**", out)
        self.assertIn("| odd | refused | opcode strange.u32 (line ", out)
        self.assertIn("| beyond | finding | out of bounds in beyond", out)
        self.assertIn("| 32/plain | refused |", out)
        self.assertIn("| lost | no result | lost.ptx: No such file or directory |", out)
        self.assertIn("| quiet | accepted |  |", out)

    def test_values_of_the_table(self):
        self.write("copy.ptx", entry("copy", "ld.b64 %a, [%in]; st.b64 [%out], %a;"))
        for given, expected in (
                ("0x01_02u32, 0b11u32", "258u32, 3u32"),
                ("half::f16::NAN, half::f16::from_f32(1.5), half::f16::from_bits(0x3c00), half::f16::from_f64(-2.0)",
                 "0x7e00u16, 0x3e00u16, 0x3c00u16, 0xc000u16"),
                ("f32::NAN, f32::INFINITY", "0x7fc00000u32, 0x7f800000u32"),
                ("f32::from_bits(0x33800000), -1f32", "0x33800000u32, 0xbf800000u32"),
                ("std::f32::consts::PI / 2f32, 1.0000001", "0x3fc90fdbu32, 0x3f800001"),
                ("u64::max_value()", "-1i64"), ("i32::MIN, i32::MAX", "0x80000000u32, 0x7fffffff"),
                ("0.125f64", "0x3fc0000000000000u64"), ("1, -2", "1i32, -2i32")):
            with self.subTest(given):
                code, out, err = self.check(f"test_ptx!(copy, [{given}], [{expected}]);")
                self.assertEqual(code, 0, out + err)

    def test_bad_tables(self):
        self.assertIn("mod.rs: No such file", self.check()[2])
        code, _, err = self.check("fn nothing() {}")
        self.assertEqual(code, 2)
        self.assertIn("has no line test_ptx!", err)
        self.write("copy.ptx", entry("copy", "ld.b64 %a, [%in]; st.b64 [%out], %a;"))
        good = "test_ptx!(copy, [1u64], [1u64]);\n"
        for bad in ("[magic()], [1u64]", "[1u32, 2u64], [1u64]", "[300u8], [1u64]", "[1e99f32], [1u64]"):
            with self.subTest(bad):
                code, out, _ = self.check(good + f"test_ptx!(copy, {bad});")
                self.assertEqual(code, 1)
                self.assertIn("**1 of 1 tests are right.**", out)
                self.assertIn("| copy | not run | a value of the table cannot be read: ", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
