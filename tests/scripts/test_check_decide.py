#!/usr/bin/env python3
"""Tests scripts/check-decide with a worker that needs no GPU: it records, judges, counts planted
changes, and says what falls short.

usage: test_check_decide.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = sys.argv[1], sys.argv[2]
PERFLAB = os.path.join(BUILD, "bin", "perflab")
# All cases take 100 us; those of `stream` scatter by 1 %, planted work adds what it says.
ENVIRONMENT = {**os.environ, "PERFLAB_CEILINGS": "never",
               "PERFLAB_WORKER_CUDA": os.path.join(BUILD, "tests", "fake_worker"),
               "PERFLAB_SHARED_MEMORY": "0",  # the worker needs no data, and a GPU's take long
               "FAKE_WORKER_SCRIPT": "by_work;scatter:stream"}


def check(*arguments, script=ENVIRONMENT["FAKE_WORKER_SCRIPT"]):
    return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check-decide"),
                           "--perflab", PERFLAB, *arguments],
                          env={**ENVIRONMENT, "FAKE_WORKER_SCRIPT": script}, text=True,
                          capture_output=True, check=False)


class CheckDecide(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.database = os.path.join(self.folder.name, "new.db")

    def tearDown(self):
        self.folder.cleanup()

    def record(self, script):
        return check("--record", "2", "--planted", "1", "--sweep",
                     "stream/copy_scalar reduce/sequential --size 1024 --block-sizes 64,128",
                     self.database, script=script)

    def test_it_records_and_judges(self):
        done = self.record("by_work;scatter:stream")
        self.assertEqual(done.returncode, 1, done.stderr)  # so few pairs show nothing
        self.assertIn("| decided-1 against plain | 4 |", done.stdout)
        self.assertIn("| decided-2 against decided-1 | 4 |", done.stdout)
        # 3 pairs of sweeps with 4 cases
        self.assertIn("| called regressed or improved, 2 families | 12 | 0 | 0.0 % |", done.stdout)
        for extra in (1, 2):
            self.assertIn(f"| {extra} % more work | 20 | 20 | 100.0 % |", done.stdout)
        self.assertIn("fewer than 1000 pairs of 10 families", done.stdout)
        db = sqlite3.connect(self.database)
        self.assertEqual([label for label, in db.execute("SELECT label FROM run ORDER BY id")],
                         ["plain", "decided-1", "decided-2", "planted-base-1-1", "planted-1-1",
                          "planted-base-2-1", "planted-2-1"])
        db.close()
        again = check(self.database)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("| 2 % more work | 20 | 20 | 100.0 % |", again.stdout)

    def test_planted_changes_that_are_not_found_fall_short(self):
        done = self.record("scatter:stream;long")  # the work does not show in the times
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("2 %: less than 99 % found", done.stdout)

    def test_a_database_without_these_sweeps_is_refused(self):
        done = self.record("no_device")
        self.assertNotEqual(done.returncode, 0)
        sqlite3.connect(self.database).execute("CREATE TABLE IF NOT EXISTS run (id, label, state)")
        done = check(self.database)
        self.assertEqual(done.returncode, 3)
        self.assertIn("has no sweeps of --record", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
