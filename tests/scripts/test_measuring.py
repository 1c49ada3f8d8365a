#!/usr/bin/env python3
"""Tests the measuring scripts with stand-ins for perflab and ncu that return chosen numbers:
equal numbers agree, and each kind of difference is found.

usage: test_measuring.py SOURCE-FOLDER BUILD-FOLDER
"""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import lab  # noqa: E402

# It needs no data, and a GPU's take long to make: those of the ceilings a minute.
WITH_FAKE_WORKER = {**os.environ, "PERFLAB_SHARED_MEMORY": "0",
                    "PERFLAB_WORKER_CUDA": os.path.join(BUILD, "tests", "fake_worker")}
# Both stand-ins read their numbers from the file WORLD: {"perflab": {case: {"median_ns", "bytes",
# "counters"}}, "ncu": {case: [metrics of a launch]}}. The stand-in of perflab stores them and the
# stand-in of ncu prints them as the real programs do.
PERFLAB = '''#!/usr/bin/env python3
import json, os, sqlite3, sys
world = json.load(open(os.environ["WORLD"]))
if "--db" not in sys.argv or sys.argv[1] != "sweep":
    sys.exit(2)
db = sqlite3.connect(sys.argv[sys.argv.index("--db") + 1])
db.executescript("""
CREATE TABLE IF NOT EXISTS device (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, device_id INTEGER, driver TEXT);
CREATE TABLE IF NOT EXISTS trial (id INTEGER PRIMARY KEY, run_id INTEGER, position INTEGER,
  kernel TEXT, variant TEXT, config TEXT, status TEXT, reason TEXT, median_ns REAL,
  bytes_read INTEGER, bytes_written INTEGER);
CREATE TABLE IF NOT EXISTS counters (trial_id INTEGER, metric TEXT, source TEXT, value REAL,
  reason TEXT);
CREATE TABLE IF NOT EXISTS round (trial_id INTEGER, round INTEGER, stored_ns INTEGER);
INSERT INTO device (name) VALUES ('Test GPU');
INSERT INTO run (device_id, driver) VALUES (1, '1.2.3');
""")
now, seen = 0, set()
for position, (name, case) in enumerate(world["perflab"].items()):
    kernel, variant, config = name.split("/")
    median = case["median_ns"]
    # The first case of a variant loads the image and fills the inputs.
    now += int(1e6 * (float(os.environ.get("SPENT_MS", 5)) if (kernel, variant) in seen else 70))
    seen.add((kernel, variant))
    if os.environ.get("DRIFT") and "2.db" in sys.argv[sys.argv.index("--db") + 1]:
        median *= float(os.environ["DRIFT"])
    trial = db.execute("INSERT INTO trial (run_id, position, kernel, variant, config, status,"
        " median_ns, bytes_read, bytes_written) VALUES (1, ?, ?, ?, ?, 'ok', ?, ?, ?)", (position,
        kernel, variant, config, median, case.get("bytes", 0), 0)).lastrowid
    db.execute("INSERT INTO round VALUES (?, 0, ?)", (trial, now))
    for source, value in case["counters"].items():
        db.execute("INSERT INTO counters VALUES (?, ?, ?, ?, ?)",
                   (trial, source, source, value, None if value is not None else "not permitted"))
db.commit()
'''
NCU = '''#!/usr/bin/env python3
import csv, json, os, subprocess, sys
world = json.load(open(os.environ["WORLD"]))
option = lambda name: sys.argv[sys.argv.index(name) + 1]
metrics = option("--metrics").split(",")
assert option("--nvtx-include") == "perflab@profile/" and option("--clock-control") == "none"
with open(option("--log-file"), "w", newline="") as stream:
    stream.write("==PROF== Connected to process 7\\n")
    out = csv.writer(stream, quoting=csv.QUOTE_ALL)
    out.writerow(["ID", "Process ID", "Process Name", "Host Name",
        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
        "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
        "Kernel Name", "Block Size", "Grid Size", *metrics])
    out.writerow([""] * 9 + ["unit"] * len(metrics))
    number = 0
    for name, launches in world["ncu"].items():
        kernel, variant, config = name.split("/")
        ranges = [kernel, variant, *config.split(","), "profile"]
        cell = "1  " + "  ".join(f'"perflab:{r}:Int64:5:none:none:ASCII:{r}"' for r in ranges)
        for launch in launches:
            out.writerow([number, 7, "worker", "host", cell, "", "k", "(64, 1, 1)", "(2, 1, 1)",
                *[f"{launch[m]:,.0f}" if m.endswith(".sum") else f"{launch[m]:.2f}"
                  for m in metrics]])
            number += 1
code = subprocess.run(sys.argv[sys.argv.index("--log-file") + 2:]).returncode
sys.exit(code)
'''
BRANCHES = "smsp__sass_branch_targets.sum"
UNIFORM = "smsp__sass_average_branch_targets_threads_uniform.pct"
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
TIME = "gpu__time_duration.sum"
GOOD = {BRANCHES: 524288, UNIFORM: 72.727272, READ: 67e6, WRITTEN: 60e6, OCCUPANCY: 91.237}


def world_of(count=3):
    """Returns numbers on which both tools agree: cases of one launch, and one case of two."""
    world = {"perflab": {}, "ncu": {}}
    for block in range(count):
        name = f"stream/copy/block={64 << block},n=16777216"
        world["perflab"][name] = {"median_ns": 100e3, "bytes": 2**20, "counters": dict(GOOD)}
        world["ncu"][name] = [{**GOOD, TIME: 100e3}]
    name = "reduce/shuffle/block=64,n=16777216"
    world["perflab"][name] = {"median_ns": 120e3, "bytes": 2**20, "counters": dict(GOOD)}
    # The counts of the two launches add up; their other metrics are not compared.
    world["ncu"][name] = [{**GOOD, BRANCHES: 524280, TIME: 90e3, OCCUPANCY: 20},
                          {**GOOD, BRANCHES: 8, TIME: 10e3, OCCUPANCY: 3}]
    return world


class Measuring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("perflab", PERFLAB), ("ncu", NCU)):
            with open(self.path(name), "w", encoding="utf-8") as stream:
                stream.write(text)
            os.chmod(self.path(name), 0o755)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def script(self, name, world, *arguments, **environment):
        with open(self.path("world.json"), "w", encoding="utf-8") as stream:
            json.dump(world, stream)
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "scripts", name), "--perflab", self.path("perflab"),
             *arguments],
            env={**os.environ, "WORLD": self.path("world.json"), **environment},
            capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def compare(self, world, at_least=4):
        return self.script("compare-ncu", world, "--ncu", self.path("ncu"), "--sweep", "all",
                           "--at-least", str(at_least), "--output", self.path("result.md"))

    def test_compare_ncu_reports_and_writes_agreement(self):
        code, said, err = self.compare(world_of())
        self.assertEqual(code, 0, err + said)
        self.assertIn("4 of 4 cases agree", said)
        with open(self.path("result.md"), encoding="utf-8") as stream:
            kept = stream.read()
        self.assertEqual(kept, said)
        for word in ("Test GPU", "1.2.3", "scripts/compare-ncu", "- date: 2"):
            self.assertIn(word, kept)

    def test_too_few_cases_are_a_finding(self):
        code, _, err = self.compare(world_of(), at_least=40)
        self.assertEqual(code, 1)
        self.assertIn("only 4 cases", err)

    def check_difference(self, source, value, said):
        world = world_of()
        name = next(iter(world["perflab"]))
        if source == "median_ns":
            world["perflab"][name]["median_ns"] = value
        else:
            world["perflab"][name]["counters"][source] = value
        code, output, err = self.compare(world)
        self.assertEqual(code, 1, err + output)
        self.assertIn("3 of 4 cases agree", output)
        row = next(line for line in output.splitlines() if line.startswith(f"| `{name}`"))
        self.assertIn(said, row)

    def test_each_difference_is_found(self):
        self.check_difference(BRANCHES, 524289, BRANCHES)
        self.check_difference(UNIFORM, 72.74, UNIFORM)
        self.check_difference(READ, 67e6 * 1.021, "DRAM bytes read +2.10 %")
        self.check_difference(WRITTEN, 60e6 * 0.97, "DRAM bytes written -3.00 %")
        self.check_difference(OCCUPANCY, 92.3, "occupancy +1.06 points")
        self.check_difference("median_ns", 103.1e3, "time +3.10 %")

    def test_small_differences_are_not_judged(self):
        world = world_of()
        short, little = list(world["perflab"])[:2]
        world["perflab"][short]["median_ns"] = 40e3
        world["ncu"][short][0][TIME] = 45e3
        world["perflab"][little]["counters"][WRITTEN] = 200e3
        world["ncu"][little][0][WRITTEN] = 100e3
        code, said, err = self.compare(world)
        self.assertEqual(code, 0, err + said)

    def test_launches_of_unknown_cases_are_an_error(self):
        world = world_of()
        world["perflab"].pop("reduce/shuffle/block=64,n=16777216")
        code, said, err = self.compare(world, at_least=3)
        self.assertEqual(code, 3, err + said)
        self.assertIn("name no case of the sweep", err)

    def test_a_missing_counter_is_a_finding(self):
        self.check_difference(READ, None, "no DRAM bytes read")

    def test_a_sum_over_launches_that_differs_is_found(self):
        world = world_of()
        world["ncu"]["reduce/shuffle/block=64,n=16777216"][1][BRANCHES] = 9
        self.assertEqual(self.compare(world)[0], 1)

    def test_a_case_that_ncu_did_not_see_is_found(self):
        world = world_of()
        world["ncu"].pop("reduce/shuffle/block=64,n=16777216")
        code, said, _ = self.compare(world, at_least=1)
        self.assertEqual(code, 1)
        self.assertIn("ncu saw no launch of this case", said)

    def test_without_any_counter_the_script_exits_4(self):
        world = world_of()
        for case in world["perflab"].values():
            case["counters"] = {BRANCHES: None}
        code, _, err = self.compare(world)
        self.assertEqual(code, 4)
        self.assertIn("not permitted", err)

    def test_cost_is_measured_and_judged(self):
        code, said, err = self.script("bench-cost", world_of(), "--ncu", self.path("ncu"),
                                      "--repeat", "1")
        # The stand-in ncu is not ten times slower: that must be a finding.
        self.assertEqual(code, 1, err)
        line = next(line for line in said.splitlines() if "time of ncu / time of perflab" in line)
        self.assertIn("fails", line)
        self.assertIn("5 launches", said)
        line = next(line for line in said.splitlines() if "20 cold samples" in line)
        self.assertRegex(line, r"± 0\.00 \| 5\.00 \| ms per case .* holds")

    def test_a_case_that_costs_too_much_is_a_finding(self):
        code, said, _ = self.script("bench-cost", world_of(), "--no-ncu", "--repeat", "1",
                                    SPENT_MS="5.3")
        self.assertEqual(code, 1)
        line = next(line for line in said.splitlines() if "20 cold samples" in line)
        self.assertRegex(line, r"5\.30 .* fails")

    def test_counters_are_compared_in_pairs(self):
        log = self.path("log")
        self.script("bench-cost", world_of(), "--no-ncu", "--repeat", "2", "--log", log)
        with open(log, encoding="utf-8") as stream:
            swept = [line.split("--metrics ")[1].split()[0] for line in stream if "--metrics" in line]
        self.assertEqual(swept[:5], ["basic", "none", "basic", "none", "none"])

    def test_the_cost_of_counters_is_the_median_of_the_pairs(self):
        path = os.path.join(ROOT, "scripts", "bench-cost")
        loader = importlib.machinery.SourceFileLoader("bench_cost", path)
        cost = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_cost", loader))
        loader.exec_module(cost)
        bench = cost.Bench(None, "")
        # One sweep met other work; its pair does not decide.
        bench.counter_row([2.5, 2.6, 9.0, 2.7, 2.5], [1.5, 1.5, 1.5, 1.5, 1.6], 250)
        self.assertEqual(bench.rows[-1][:3], ["counters: median of 5 pairs, 3.60 to 30.00", "4.40",
                                              "ms per case"])
        self.assertEqual(bench.findings, [])
        bench.counter_row([2.8, 2.9], [1.5, 1.5], 250)
        self.assertEqual(len(bench.findings), 1)

    def test_steady_and_unsteady(self):
        code, said, err = self.script("check-steady", world_of())
        self.assertEqual(code, 0, err)
        self.assertIn("4 of 4 cases over 50 µs agree", said)
        code, said, _ = self.script("check-steady", world_of(), DRIFT="1.011")
        self.assertEqual(code, 1)
        self.assertIn("0 of 4 cases", said)

    def test_roof(self):
        world = world_of()
        code, said, err = self.script("bench-roof", world)
        # The reduction takes 120 µs for the bytes that the copy moves in 100 µs.
        self.assertEqual(code, 1, err)
        self.assertIn("83.3 % of the copy", said)
        world["perflab"]["reduce/shuffle/block=64,n=16777216"]["median_ns"] = 101e3
        self.assertEqual(self.script("bench-roof", world)[0], 0)
        self.assertEqual(self.script("bench-roof", world, "--copy", "1000")[0], 1)

    def ceilings(self, **changes):
        """Runs compare-ceilings with a stand-in for `perflab ceilings --stored` on an H200."""
        roofs = {"dram": 4.6e12, "l2": 7e12, "l1": 33e12, "shared": 33e12, "f64": 33e12,
                 "f32": 66e12, "f16": 130e12, "bf16": 130e12, "tensor_f64": 66e12,
                 "tensor_tf32": 478e12, "tensor_f16": 930e12, "tensor_bf16": 935e12,
                 "tensor_f8": 1810e12, **changes}
        rows = [f"{of}_low,{of},0,1e9,1e9,1e9,byte/s" for of in roofs]
        rows += [f"{of}_best,{of},1,{per_s},{per_s},{per_s},"
                 f"{'byte/s' if per_s < 40e12 and of[0] != 'f' else 'flop/s'}"
                 for of, per_s in roofs.items() if per_s]
        table = "\n".join(["name,of,roof,per_s,low_per_s,high_per_s,unit", *rows])
        with open(self.path("perflab"), "w", encoding="utf-8") as stream:
            stream.write("#!/usr/bin/env python3\nimport sys\nprint(" + repr(table) +
                         " if sys.argv[-1] == 'csv' else '| the table |')\n")
        database = sqlite3.connect(self.path("h200.db"))
        database.executescript("""
CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE run (id INTEGER PRIMARY KEY, device_id INTEGER, driver TEXT);
CREATE TABLE trial (id INTEGER PRIMARY KEY, run_id INTEGER, position INTEGER);
CREATE TABLE counters (trial_id INTEGER, metric TEXT, source TEXT, value REAL, reason TEXT);
INSERT INTO device (name) VALUES ('NVIDIA H200');
INSERT INTO run (device_id, driver) VALUES (1, '1.2.3');
""")
        database.close()
        try:
            return self.script("compare-ceilings", world_of(), "--db", self.path("h200.db"))
        finally:
            os.remove(self.path("h200.db"))

    def test_ceilings_near_what_is_known(self):
        code, said, err = self.ceilings()
        self.assertEqual(code, 0, err)
        self.assertIn("| the table |", said)
        self.assertRegex(said, r"dram \| 4\.6 TB/s \(`dram_best`\) .* 95\.8 %")
        self.assertRegex(said, r"tensor_tf32 .* stated .* 96\.6 %")
        # A rate that others measured is shown, but the roof need not match it.
        self.assertRegex(said, r"tensor_bf16 .* measured .* 117\.7 %")
        self.assertIn("All roofs are within 10 % of the stated rates", said)

    def test_ceilings_too_far_from_what_is_known(self):
        for of, per_s in (("dram", 4.2e12), ("f32", 75e12), ("tensor_f8", 1700e12)):
            code, said, _ = self.ceilings(**{of: per_s})
            self.assertEqual(code, 1, of)
            self.assertRegex(said, f"Too far off: {of} is [0-9.]+ % of")
        code, said, _ = self.ceilings(l1=None)
        self.assertEqual(code, 1)
        self.assertIn("l1 was not measured", said)

    def test_a_program_that_hangs_is_ended(self):
        with open(self.path("perflab"), "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\nexec sleep 100\n")
        code, _, err = self.script("check-steady", world_of(), "--timeout", "0.5")
        self.assertEqual(code, 3)
        self.assertIn("longer than 0.5 s", err)

    def test_watch(self):
        """bench-watch follows the real perflab watch; needs a compiler."""
        if not shutil.which("nvcc"):
            self.skipTest("no nvcc")
        said = {}
        for limit in ("100", "0.000001"):
            done = subprocess.run(
                [os.path.join(ROOT, "scripts", "bench-watch"), "--perflab",
                 os.path.join(BUILD, "bin", "perflab"), "--saves", "2", "--pause", "0", "--limit",
                 limit, "--log", self.path("watch.said")],
                env=WITH_FAKE_WORKER, capture_output=True, text=True,
                timeout=120, check=False)
            said[limit] = done
        self.assertEqual(said["100"].returncode, 0, said["100"].stderr)
        self.assertIn("in the median of 2 saves", said["100"].stdout)
        self.assertIn("| 2, by renaming |", said["100"].stdout)
        self.assertEqual(said["0.000001"].returncode, 1)
        with open(self.path("watch.said"), encoding="utf-8") as stream:
            self.assertIn("saxpy.cu was saved", stream.read())

    def test_the_real_database_is_understood(self):
        """load_run() works on a database that the real perflab wrote."""
        database = self.path("real.db")
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "perflab"), "sweep", "reduce/shuffle", "--block-sizes",
             "64..256", "--db", database], env=WITH_FAKE_WORKER,
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        device, _, trials = lab.load_run(database)
        self.assertTrue(device)
        ends = lab.load_round_ends(database)
        self.assertEqual(len(ends), 15)
        self.assertEqual(ends, sorted(ends, key=lambda end: end[1]))
        self.assertEqual(len(trials), 3)
        self.assertEqual(trials[0].status, "ok")
        self.assertGreater(trials[0].median_ns, 0)
        self.assertIn("block=64", trials[0].ranges())
        self.assertTrue(sqlite3.connect(database).execute("SELECT count(*) FROM sample"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
