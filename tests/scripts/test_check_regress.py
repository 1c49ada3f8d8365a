#!/usr/bin/env python3
"""Tests scripts/check-regress on runs with chosen times: correct verdicts pass, false alarms and
misses are counted, and --record records runs.

usage: test_check_regress.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = sys.argv[1], sys.argv[2]
PERFLAB = os.path.join(BUILD, "bin", "perflab")
ENVIRONMENT = {**os.environ, "PERFLAB_CEILINGS": "never",
               "PERFLAB_SHARED_MEMORY": "0",  # the worker needs no data, and a GPU's take long
               "PERFLAB_WORKER_CUDA": os.path.join(BUILD, "tests", "fake_worker")}
RUNS = 3


def sweep(database, *arguments):
    subprocess.run([PERFLAB, "sweep", *arguments, "--metrics", "none", "--backend", "cuda", "--db",
                    database, "-q"], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def set_times(database, effect, drift):
    """Sets every sample to about 100 µs.

    `effect` is the share of the planted extra work that shows in the time; `drift` is the factor of
    the last run of the suite. Each round gets random noise.
    """
    chance = random.Random(1)
    db = sqlite3.connect(database)
    last = db.execute("SELECT max(run_id) FROM trial WHERE kernel = 'stream'").fetchone()[0]
    for trial, run, config in db.execute("SELECT id, run_id, config FROM trial").fetchall():
        work = int(config.split("work=")[1]) if "work=" in config else 1000
        time = 1e5 * (1 + effect * (work / 1000 - 1)) * (drift if run == last else 1)
        for round_, in db.execute("SELECT round FROM round WHERE trial_id = ?", [trial]).fetchall():
            noisy = time * (1 + chance.gauss(0, 0.0003))
            for table, column in (("sample", "time_ns"), ("round", "median_ns")):
                db.execute(f"UPDATE {table} SET {column} = ? WHERE trial_id = ? AND round = ?",
                           [noisy, trial, round_])
        db.execute("UPDATE trial SET median_ns = ? WHERE id = ?", [time, trial])
    db.commit()
    db.close()


class CheckRegress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.database = os.path.join(cls.folder.name, "recorded.db")
        for _ in range(RUNS):
            sweep(cls.database, "stream/copy_scalar", "--size", "1024", "--block-sizes", "64,128")
            sweep(cls.database, "planted", "--block-sizes", "64", "--set", "work=1000,1010,1020")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check-regress"),
                               "--perflab", PERFLAB, *arguments], env=ENVIRONMENT, text=True,
                              capture_output=True, check=False)

    def judge(self, effect, drift):
        set_times(self.database, effect, drift)
        before = os.path.getmtime(self.database)
        done = self.check(self.database)
        self.assertEqual(done.stderr, "")
        self.assertEqual(os.path.getmtime(self.database), before)
        return done

    def test_only_planted_changes_are_found(self):
        done = self.judge(1, 1)
        self.assertEqual(done.returncode, 0, done.stdout)
        # 3 pairs of 2 cases and 3 of 12; 6 ordered pairs of 4; 3 times 4 alone
        self.assertIn("| recorded.db | 6 | 42 | 0 |", done.stdout)
        self.assertIn("| 1 % more work, the planted cases by themselves | 24 | 24 | 100.00 % |",
                      done.stdout)
        self.assertIn("one among all cases of the suite | 12 | 12 | 100.00 % |", done.stdout)
        self.assertIn("All limits are met.", done.stdout)

    def test_misses_are_counted(self):
        done = self.judge(0, 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("| 2 % more work, the planted cases by themselves | 24 | 0 | 0.00 % |",
                      done.stdout)
        self.assertIn("Falls short: 1 % by themselves", done.stdout)

    def test_false_alarms_are_counted(self):
        done = self.judge(1, 1.05)
        self.assertEqual(done.returncode, 1)
        self.assertIn("| recorded.db | 6 | 42 | 4 |", done.stdout)
        self.assertIn("Falls short: false alarms over 1 %", done.stdout)

    def test_record_option_sweeps_suite_and_planted(self):
        database = os.path.join(self.folder.name, "new.db")
        done = self.check("--record", "1", "--sweep",
                          "stream/copy_scalar --size 1024 --block-sizes 64", database)
        self.assertEqual(done.returncode, 1, done.stderr)  # one run makes no pair
        self.assertIn("not measured", done.stdout)
        db = sqlite3.connect(database)
        self.assertEqual(db.execute("SELECT label FROM run ORDER BY id").fetchall(),
                         [("suite-1",), ("planted-1",)])
        self.assertEqual(db.execute("SELECT count(*) FROM trial WHERE kernel = 'planted'"
                                    " AND status = 'ok'").fetchone()[0], 60)
        db.close()

    def test_a_missing_database_is_an_error(self):
        done = self.check(os.path.join(self.folder.name, "no.db"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("no.db", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
