#!/usr/bin/env python3
"""Tests scripts/compare-cards on two spreads over two GPUs with chosen times: equal GPUs raise no
alarm, a GPU that is slower in both spreads is no false alarm, one that changes between them is.

usage: test_compare_cards.py SOURCE-FOLDER BUILD-FOLDER
"""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = sys.argv[1], sys.argv[2]
PERFLAB = os.path.join(BUILD, "bin", "perflab")
ENVIRONMENT = {**os.environ, "PERFLAB_CEILINGS": "never", "FAKE_WORKER_GPUS": "2",
               "PERFLAB_SHARED_MEMORY": "0",  # the worker needs no data, and a GPU's take long
               "PERFLAB_WORKER_CUDA": os.path.join(BUILD, "tests", "fake_worker")}
CASES = "stream/copy_scalar --size 1024 --block-sizes 64,128,256,512"
FIRST, SECOND = "GPU-00000000", "GPU-00000001"


def script(*arguments):
    return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "compare-cards"),
                           "--perflab", PERFLAB, *arguments], env=ENVIRONMENT, text=True,
                          capture_output=True, check=False)


class CompareCards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.recorded = os.path.join(cls.folder.name, "recorded.db")
        cls.first = script(cls.recorded, "--record", CASES)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def judge(self, factor, change="SELECT 1"):
        """Judges a copy in which every time is 100 µs times factor(spread, GPU), and some noise, after
        the change in SQL."""
        path = os.path.join(self.folder.name, "chosen.db")
        shutil.copyfile(self.recorded, path)
        chance = random.Random(1)
        db = sqlite3.connect(path)
        groups = [group for group, in db.execute(
            "SELECT value FROM environment WHERE key = 'gpus.group' GROUP BY value"
            " ORDER BY min(run_id)")]
        for trial, group, uuid in db.execute(
                "SELECT trial.id, value, uuid FROM trial JOIN run ON run.id = trial.run_id"
                " JOIN device ON device.id = device_id JOIN environment"
                " ON environment.run_id = run.id AND key = 'gpus.group'").fetchall():
            time = 1e5 * factor(groups.index(group), uuid[:12])
            for round_, in db.execute("SELECT round FROM round WHERE trial_id = ?",
                                      [trial]).fetchall():
                noisy = time * (1 + chance.gauss(0, 0.0003))
                for table, column in (("sample", "time_ns"), ("round", "median_ns")):
                    db.execute(f"UPDATE {table} SET {column} = ? WHERE trial_id = ? AND round = ?",
                               [noisy, trial, round_])
            db.execute("UPDATE trial SET median_ns = ? WHERE id = ?", [time, trial])
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(change)
        db.commit()
        db.close()
        done = script(path)
        self.assertEqual(done.stderr, "")
        return done

    def test_record_makes_two_spreads(self):
        self.assertIn("2 spreads over 2 GPUs.", self.first.stdout, self.first.stderr)

    def test_a_record_without_cases_is_refused(self):
        for cases in ("", " ", "\t\n"):
            done = script(self.recorded, "--record", cases)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^compare-cards: --record names no cases: give them in one"
                                          r" word, such as --record '.*'; or leave --record out.*\n$")
        done = script(self.recorded, "--record", "reduce '--size")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"^compare-cards: --record \"reduce '--size\": No closing quot.*\n$")
        self.assertEqual(self.runs(), 4)

    def test_a_database_that_is_not_there_leads_to_record(self):
        done = script(os.path.join(self.folder.name, "absent.db"))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"absent\.db does not exist: --record CASES makes it\n$")

    def runs(self):
        with sqlite3.connect(self.recorded) as db:
            return db.execute("SELECT count(*) FROM run").fetchone()[0]

    def test_equal_cards_raise_no_alarm(self):
        done = self.judge(lambda spread, card: 1)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, rf"\| {FIRST} \| 4 \| 0 \| 0.00 \| .0.0")
        self.assertRegex(done.stdout, rf"\| {SECOND} \| 4 \| 0 \| 0.00 \| .0.0")
        self.assertRegex(done.stdout, rf"\| {FIRST} \| {SECOND} \| 8 \| 0 \| 0.00 \| .0.0\d "
                                      r"\| 4 \| 0 \| 0 \| 0.00 \|")
        self.assertIn("The limit is met.", done.stdout)

    def test_a_slow_card_is_no_false_alarm(self):
        done = self.judge(lambda spread, card: 1.05 if card == SECOND else 1)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, rf"\| {FIRST} \| {SECOND} \| 8 \| 8 \| 100.00 \| .[45].\d+ "
                                      r"\| 4 \| 4 \| 0 \| 0.00 \|")

    def test_a_case_of_one_spread_is_no_false_alarm(self):
        done = self.judge(lambda spread, card: 1.05 if card == SECOND else 1,
                          "DELETE FROM trial WHERE run_id > 2 AND config LIKE 'block=64,%'")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, rf"\| {FIRST} \| {SECOND} \| 7 \| 7 \| 100.00 \| .[45].\d+ "
                                      r"\| 4 \| 3 \| 0 \| 0.00 \|")

    def test_a_card_that_changes_is_a_false_alarm(self):
        done = self.judge(lambda spread, card: 1.05 if card == SECOND and spread else 1)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, rf"\| {FIRST} \| 4 \| 0 \| 0.00 ")
        self.assertRegex(done.stdout, rf"\| {SECOND} \| 4 \| 4 \| 100.00 \| .[45].")
        self.assertIn("| all | 8 | 4 | 50.00 |", done.stdout)
        self.assertRegex(done.stdout, rf"\| {FIRST} \| {SECOND} \| 8 \| 4 \| 50.00 \| .2.\d+ "
                                      r"\| 4 \| 0 \| 4 \| 50.00 \|")
        self.assertIn("Falls short: more than 1 % false alarms", done.stdout)

    def test_other_clocks_are_not_compared_with_themselves(self):
        path = os.path.join(self.folder.name, "clocks.db")
        shutil.copyfile(self.recorded, path)
        db = sqlite3.connect(path)
        changed = db.execute(
            "UPDATE round SET sm_clock_hz = sm_clock_hz / 2 WHERE trial_id IN (SELECT trial.id"
            " FROM trial JOIN run ON run.id = run_id JOIN device ON device.id = device_id"
            " WHERE uuid LIKE 'GPU-00000001%' AND run.id > 2)").rowcount
        db.commit()
        db.close()
        self.assertEqual(changed, 20)
        done = script(path)
        self.assertIn(f"| {SECOND} | 0 | 0 | - | - |", done.stdout)
        self.assertRegex(done.stdout, rf"Not compared, {SECOND}: .*SM clock")
        self.assertRegex(done.stdout, rf"{FIRST} and {SECOND} differ in more than the GPU: SM clock")

    def test_one_spread_is_refused(self):
        path = os.path.join(self.folder.name, "one.db")
        shutil.copyfile(self.recorded, path)
        db = sqlite3.connect(path)
        db.execute("UPDATE run SET state = 'interrupted' WHERE id > 2")
        db.commit()
        db.close()
        done = script(path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has 1 finished spread and two are compared", done.stderr)

    def test_a_missing_database_is_an_error(self):
        done = script(os.path.join(self.folder.name, "no.db"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("no.db", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
