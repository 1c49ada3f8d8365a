#!/usr/bin/env python3
"""Tests check-intensity, check-suite and check-large on databases with chosen numbers: correct
values pass, and wrong, missing or failed values are found.

usage: test_suite.py SOURCE-FOLDER
"""

import importlib.machinery
import importlib.util
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = os.path.join(sys.argv[1], "scripts")
sys.path.insert(0, SCRIPTS)


def load(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"),
                                                  os.path.join(SCRIPTS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


INTENSITY, SUITE = load("check-intensity"), load("check-suite")
TABLES = """
CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE run (id INTEGER PRIMARY KEY, device_id INTEGER, driver TEXT, label TEXT, command TEXT,
  started_ns INTEGER, finished_ns INTEGER, rounds INTEGER);
CREATE TABLE trial (id INTEGER PRIMARY KEY, run_id INTEGER, position INTEGER, kernel TEXT,
  variant TEXT, config TEXT, status TEXT, reason TEXT, median_ns REAL, bytes_read INTEGER,
  bytes_written INTEGER, n INTEGER, block INTEGER, session_low_ns REAL, session_high_ns REAL, sample_count INTEGER);
CREATE TABLE round (trial_id INTEGER, round INTEGER, median_ns REAL);
CREATE TABLE counters (trial_id INTEGER, metric TEXT, source TEXT, value REAL, reason TEXT);
CREATE VIEW trials AS SELECT trial.*, trial.id AS trial_id, label FROM trial
  JOIN run ON run.id = run_id;
INSERT INTO device (name) VALUES ('Test GPU');
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "lab.db")
        self.db = sqlite3.connect(self.path)
        self.addCleanup(self.db.close)
        self.db.executescript(TABLES)

    def run_of(self, label, seconds=30):
        return self.db.execute(
            "INSERT INTO run (device_id, driver, label, command, started_ns, finished_ns, rounds)"
            " VALUES (1, '1.2.3', ?, 'perflab sweep', 0, ?, 3)", (label, int(seconds * 1e9))).lastrowid

    def trial(self, run, name, n, status="ok", reason=None, median_ns=100.0, config="", block=64):
        kernel, variant = name.split("/")
        trial = self.db.execute(
            "INSERT INTO trial (run_id, position, kernel, variant, config, status, reason,"
            " median_ns, n, sample_count, block) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, 30, ?)",
            (run, kernel, variant, f"block={block},{config}n={n}", status, reason, median_ns, n,
             block)).lastrowid
        if status == "ok":
            self.db.executemany("INSERT INTO round VALUES (?, ?, ?)",
                                [(trial, i, median_ns * factor)
                                 for i, factor in enumerate((0.999, 1.0, 1.001))])
        return trial

    def script(self, name):
        self.db.commit()
        done = subprocess.run([sys.executable, os.path.join(SCRIPTS, name), "--db", self.path],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def intensities(self, off=None, factor=1.0):
        run = self.run_of("intensity")
        for name, _, metric, flop, size, _ in INTENSITY.KNOWN:
            trial = self.trial(run, name, 1)
            value = size * (factor if name == off else 1)
            for what, count in (("flop_f32_f64", flop), (metric, value)):
                self.db.execute("INSERT INTO counters VALUES (?, ?, '', ?, NULL)",
                                (trial, what, count))

    def test_known_intensities_hold(self):
        self.intensities()
        code, said, err = self.script("check-intensity")
        self.assertEqual(code, 0, err)
        self.assertIn("All are within 2 %.", said)

    def test_an_intensity_that_is_off_is_found(self):
        for name in ("stream/copy_scalar", "matmul/naive"):
            with self.subTest(name):
                self.db.executescript("DELETE FROM run; DELETE FROM trial; DELETE FROM counters;")
                self.intensities(name, 1.03)
                code, said, _ = self.script("check-intensity")
                self.assertEqual(code, 1)
                self.assertIn(f"Too far off: {name}: 97.09 % of the known value.", said)

    def test_a_missing_counter_is_a_finding(self):
        self.intensities()
        self.db.execute("DELETE FROM counters WHERE metric = 'l1_bytes'")
        code, said, _ = self.script("check-intensity")
        self.assertEqual(code, 1)
        self.assertIn("matmul/naive: not measured", said)

    def suite(self, seconds=30, ours_ns=90.0):
        run = self.run_of("suite", seconds)
        for size in (2048, *SUITE.SIZES):
            of_size = run if size == 2048 else self.run_of(f"size {size}")
            for block in (64, 128, 256, 512, 1024):
                self.trial(of_size, "lab/one", size, block=block)
        for what, baseline, others, config, sizes, _ in SUITE.LIBRARY_BASELINES:
            held = self.run_of(f"library baseline {what}")
            axis = "distinct=256," if "distinct" in config else ""
            for size in sizes or [2**24]:
                self.trial(held, baseline, size, config=axis)
                self.trial(held, others.replace("*", "best"), size, median_ns=ours_ns, config=axis)
        return run

    def test_only_variants_near_the_fastest_are_compared_with_a_baseline(self):
        run = self.run_of("suite")
        for name, block, time, status in (
                ("reduce/best", 64, 100.0, "ok"), ("reduce/near", 64, 900.0, "ok"),
                ("reduce/near", 128, 299.0, "ok"), ("reduce/slow", 64, 301.0, "ok"),
                ("reduce/broken", 64, 90.0, "wrong"), ("reduce/library", 64, 1.0, "ok"), ("stream/copy", 64, 1.0, "ok")):
            self.trial(run, name, 2**24, status, None if status == "ok" else "off",
                       median_ns=time, block=block)
        self.trial(self.run_of("size 1000"), "reduce/slow", 1000, median_ns=1.0)
        self.db.commit()
        self.assertEqual(SUITE.near_the_fastest(self.path, "reduce/*", "*", "reduce/library"),
                         ["reduce/best", "reduce/near"])
        self.assertEqual(SUITE.near_the_fastest(self.path, "matmul/*", "*", "matmul/cublas"),
                         ["matmul/*"])

    def test_a_good_suite_passes(self):
        self.suite()
        code, said, err = self.script("check-suite")
        self.assertEqual(code, 0, err)
        self.assertIn("Below the required ratio: none.", said)
        self.assertIn("Required ratio within the interval: none.", said)
        self.assertIn("| lab/one | 20 | 0 | 0 | 4 | 5 |", said)
        self.assertIn("Verified at fewer than five block sizes: none.", said)

    def test_failures_and_missing_sizes_of_a_suite_are_found(self):
        run = self.suite(seconds=61, ours_ns=130.0)
        self.trial(run, "lab/two", 2048, "mismatch", "element 3 differs")
        code, said, _ = self.script("check-suite")
        self.assertEqual(code, 1)
        self.assertIn("**61.0 s** (limit 60)", said)
        self.assertIn("lab/two/block=64,n=2048: mismatch: element 3 differs", said)
        self.assertIn("Verified at fewer than three sizes: lab/two.", said)
        self.assertIn("reduce at n = 16777216: 0.769, required 1.0", said)
        # 0.769 is above the ratio required of tensor cores against cuBLAS
        self.assertNotIn("matmul f16 at", said)

    def test_a_block_size_too_few_is_found(self):
        self.suite()
        self.db.execute("DELETE FROM trial WHERE variant = 'one' AND block = 512")
        code, said, _ = self.script("check-suite")
        self.assertEqual(code, 1)
        self.assertIn("Verified at fewer than five block sizes: lab/one (4).", said)

    def test_a_time_within_the_intervals_is_not_short(self):
        # Rounds differ by a thousandth: the half width of the interval is 2.78 * 0.001 * sqrt(2 / 3).
        self.suite(ours_ns=100.2)
        code, said, _ = self.script("check-suite")
        self.assertEqual(code, 0)
        self.assertIn("Required ratio within the interval: reduce at n = 16777216: 0.996 to 1.000,"
                      " required 1.0", said)

    def test_one_round_is_not_enough(self):
        # one round of both variants, one round of one of them, and missing medians
        for change in ("DELETE FROM round WHERE round > 0",
                       "DELETE FROM round WHERE round > 0 AND trial_id % 2",
                       "UPDATE round SET median_ns = NULL WHERE round > 0"):
            with self.subTest(change):
                self.db.executescript("DELETE FROM run; DELETE FROM trial; DELETE FROM round;")
                self.suite()
                self.db.execute(change)
                code, said, err = self.script("check-suite")
                self.assertEqual(code, 1, err)
                self.assertIn("copy at n = 16777216: not measured", said)

    def test_a_time_beyond_the_intervals_is_short(self):
        self.suite(ours_ns=100.3)
        code, said, _ = self.script("check-suite")
        self.assertEqual(code, 1)
        self.assertIn("copy at n = 16777216: 0.997, required 1.0", said)

    def test_the_mean_of_all_rounds_counts_not_the_best_round(self):
        self.suite()
        held, = self.db.execute("SELECT id FROM run WHERE label = 'library baseline copy'").fetchone()
        # The geometric mean of one round of 50 and two of 200 is 126.
        odd = self.trial(held, "stream/copy_odd", 2**24)
        self.db.execute("UPDATE round SET median_ns = CASE round WHEN 0 THEN 50 ELSE 200 END"
                        " WHERE trial_id = ?", (odd,))
        said = self.script("check-suite")[1]
        self.assertIn("stream/copy_best/block=64,n=16777216", said)
        self.assertNotIn("copy_odd/block=64,n=16777216", said)

    def test_large_cases_are_verified(self):
        run = self.run_of("reduce")
        self.trial(run, "reduce/one", 2**32 + 33)
        self.trial(run, "reduce/two", 2**32 + 33, "skipped", "too much memory")
        code, said, err = self.script("check-large")
        self.assertEqual(code, 0, err)
        self.assertIn("1 of 1 cases agree with the CPU oracle.", said)
        self.assertIn("Skipped: reduce/two/block=64,n=4294967329: too much memory.", said)
        self.assertIn("Failed: none.", said)

    def test_a_wrong_large_case_is_found(self):
        run = self.run_of("reduce")
        self.trial(run, "reduce/one", 2**32 + 33)
        self.trial(run, "reduce/two", 2**32 + 33, "mismatch", "element 5 differs")
        code, said, _ = self.script("check-large")
        self.assertEqual(code, 1)
        self.assertIn("Failed: reduce/two/block=64,n=4294967329: mismatch: element 5", said)

    def test_the_newest_trial_of_a_large_case_counts(self):
        self.trial(self.run_of("reduce"), "reduce/one", 2**32 + 33, "mismatch", "element 5 differs")
        self.trial(self.run_of("reduce"), "reduce/one", 2**32 + 33)
        code, said, _ = self.script("check-large")
        self.assertEqual(code, 0)
        self.assertIn("1 of 1 cases agree with the CPU oracle.", said)

    def test_without_any_verified_large_case_the_script_exits_1(self):
        self.trial(self.run_of("reduce"), "reduce/two", 2**32 + 33, "skipped", "too much memory")
        self.assertEqual(self.script("check-large")[0], 1)

    def test_the_interval_of_a_ratio(self):
        # Logarithms 0 and 0.2, and 0 and 0: variances 0.02 and 0, pooled 0.01 with two degrees of
        # freedom; the interval is 0.1 ± 4.30 * sqrt(0.01 * (1 / 2 + 1 / 2)) = 0.1 ± 0.43.
        ratio, low, high = SUITE.lab.ratio_interval([1.0, math.exp(0.2)], [1.0, 1.0])
        self.assertAlmostEqual(math.log(ratio), 0.1)
        self.assertAlmostEqual(math.log(low), -0.33)
        self.assertAlmostEqual(math.log(high), 0.53)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
