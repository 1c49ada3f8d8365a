#!/usr/bin/env python3
"""Tests scripts/check-record and scripts/bench-record with stand-ins for perflab, ncu and the recorded
programs.

usage: test_record.py SOURCE-FOLDER
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import recording  # noqa: E402

# All stand-ins read the file WORLD: {kernel: {"ns": time in the program, "launches": [all, in
# graphs], "capture": a text if it fails, "cases": [[status, reason] of each sweep]}}.
PERFLAB = '''#!/usr/bin/env python3
import json, os, sqlite3, subprocess, sys
world = json.load(open(os.environ["WORLD"]))
if sys.argv[1:3] == ["record", "--env"]:
    folder = sys.argv[sys.argv.index("-o") + 1] + ".recording"
    os.mkdir(folder)
    json.dump(sys.argv[3:], open(os.path.join(folder, "arguments"), "w"))
    print(f"export PERFLAB_RECORD='{folder}'\\nexport CUDA_INJECTION64_PATH=/dev/null")
    sys.exit(0)
if sys.argv[1:4] == ["record", "--list", "--db"]:
    code = subprocess.run(sys.argv[6:], env={**os.environ, "PERFLAB_RECORD": ""}).returncode
    db = sqlite3.connect(sys.argv[4])
    db.executescript("""
CREATE TABLE IF NOT EXISTS recording (id INTEGER PRIMARY KEY, wall_ns, bare_wall_ns);
CREATE TABLE IF NOT EXISTS recorded_process (recording_id, own_ns, wall_ns, why_not);
CREATE TABLE IF NOT EXISTS recorded_kernel (recording_id, name, grid_x, block_x, shared_bytes, launches,
  graph_launches, total_ns, median_ns, device);
""")
    one = db.execute("INSERT INTO recording (wall_ns) VALUES (4e9)").lastrowid
    if sys.argv[6] == "true":
        world = {}
    db.execute("INSERT INTO recorded_process VALUES (?, 1, 200, NULL)", (one,))
    for name, facts in world.items():
        count, graph = facts.get("launches", [2, 0])
        if "--cache" in sys.argv:  # the program is perflab itself
            facts["ns"] = 1000 if "hot" in sys.argv else 2000
        # The second has another grid.
        db.executemany("INSERT INTO recorded_kernel VALUES (?, ?, ?, 64, 0, ?, ?, ?, ?, 'Test GPU')", [
            (one, name, 7, count, graph, count * facts["ns"], facts["ns"]),
            (one, name, 8, 1, graph > 0, 1, 1)])
    db.commit()
    sys.exit(code)
kernel = open(sys.argv[2]).read()
annotations = [sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--annotate"]
cases = world[kernel]["cases"]
status, reason = cases[min(len(annotations), len(cases) - 1)]
reason = reason.replace("ANNOTATIONS", " ".join(annotations))
if status == "hang":
    import time
    time.sleep(1000)
db = sqlite3.connect(sys.argv[sys.argv.index("--db") + 1])
db.executescript("""
CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE run (id INTEGER PRIMARY KEY, device_id INTEGER, driver TEXT);
CREATE TABLE trial (id INTEGER PRIMARY KEY, run_id INTEGER, position INTEGER, kernel TEXT, variant TEXT,
  config TEXT, status TEXT, reason TEXT, median_ns REAL, bytes_read INTEGER, bytes_written INTEGER);
CREATE TABLE counters (trial_id INTEGER, metric TEXT, source TEXT, value REAL, reason TEXT);
INSERT INTO device (name) VALUES ('Test GPU');
INSERT INTO run (device_id, driver) VALUES (1, '1.2.3');
""")
db.execute("INSERT INTO trial VALUES (1, 1, 0, 'k', 'v', 'block=64,grid=7', ?, ?, ?, 0, 0)",
           (status, reason, 4000 if status == "ok" else None))
db.execute("INSERT INTO counters VALUES (1, 'm', 'smsp__sass_x.sum', 5, NULL)")
db.commit()
sys.exit(status != "ok")
'''
PROGRAM = '''#!/usr/bin/env python3
import json, os, sys
if "PERFLAB_RECORD" not in os.environ:
    sys.exit(9)
world = json.load(open(os.environ["WORLD"]))
folder = os.environ["PERFLAB_RECORD"]
if not folder:
    sys.exit(3 if "crash" in sys.argv else 0)
options = json.load(open(os.path.join(folder, "arguments")))
events = open(os.path.join(folder, "1.events"), "w")
def event(**fields):
    events.write(json.dumps(fields) + "\\n")
for number, (kernel, facts) in enumerate(world.items()):
    if kernel in options:
        path = f"{options[options.index('-o') + 1]}-{number}.capture"
        if "capture" in facts:
            if facts["capture"]:
                event(event="failed", kernel=kernel, launch=1, why=facts["capture"])
            continue
        open(path, "w").write(kernel)
        event(event="captured", path=path, kernel=kernel, launch=2, bytes=4000000, file_bytes=1000000,
              seconds=0.25, lost=[])
event(event="exit", launches=2, dropped=0, own_ns=1, wall_ns=200)
events.write('{"event": "cut')
sys.exit(3 if "crash" in sys.argv else 0)
'''
# The loop takes a second, or what WORLD says if something listens.
LAUNCHES = '''#!/usr/bin/env python3
import json, os, sys
folder, seconds = os.environ.get("PERFLAB_RECORD"), 1
if folder:
    seconds = json.load(open(os.environ["WORLD"]))["loop"]["ns"]
    options = json.load(open(os.path.join(folder, "arguments")))
    events = open(os.path.join(folder, "1.events"), "w")
    event = dict(event="exit", launches=int(sys.argv[1]))
    events.write(json.dumps(event) + "\\n")
    if "short_kernel" in options:
        path = options[options.index("-o") + 1] + ".capture"
        open(path, "w").close()
        event = dict(event="captured", path=path, bytes=int(sys.argv[2]) * 1024, file_bytes=5e5, seconds=0.125)
        events.write(json.dumps(event) + "\\n")
print(f"seconds {seconds}")
'''
NCU = '''#!/usr/bin/env python3
import sys
if sys.argv[sys.argv.index("-s") + 1] != "1":
    sys.exit(1)
name = sys.argv[sys.argv.index("-k") + 1]
counts = {"good": "5", "_Z4fairv": "6"}
open(sys.argv[sys.argv.index("--log-file") + 1], "w").write(
    '"ID","Kernel Name","thread Domain:Push/Pop_Range","smsp__sass_x.sum"\\n"","","","inst"\\n'
    f'"0","{name}","","{counts[name]}"\\n')
'''


class Record(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name, text in (("perflab", PERFLAB), ("program", PROGRAM), ("launches", LAUNCHES),
                           ("ncu", NCU)):
            self.write(name, text)
            os.chmod(self.path(name), 0o755)
        self.write("list", "# a comment\ndemo | * | --launch 2 | $PROGRAMS/program\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def check(self, world, *options):
        return self.run_script(world, "check-record", self.path("results"), "--list", self.path("list"),
                               "--programs", self.folder, "--ncu-program", self.path("ncu"),
                               "--at-least", "1", *options)

    def run_script(self, world, name, *options):
        self.write("world", json.dumps(world))
        done = subprocess.run([os.path.join(ROOT, "scripts", name), "--perflab", self.path("perflab"), *options],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
                              env={**os.environ, "WORLD": self.path("world")}, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_every_status_is_counted_and_explained(self):
        code, out, err = self.check({
            "good": {"ns": 3000, "cases": [["ok", ""]]},
            "_Z4fairv": {"ns": 1500, "cases": [
                ["mismatch", "m0 differs: add --annotate 'compare m0 as f32' --annotate 'tolerance rel = 1e-03'"],
                ["none", ""],
                ["mismatch", "m1 differs: add --annotate 'compare m1 as f16' --annotate 'tolerance rel = 1e-05, abs = 1e-06'"],
                ["ok", ""]]},
            "bad": {"ns": 9, "cases": [["mismatch", "1 of 9 differ | at 3"]]},
            "far": {"ns": 9, "cases": [["mismatch", "add --annotate 'compare m0 as f64'"],
                                       ["mismatch", "still with ANNOTATIONS"]]},
            "failed": {"ns": 9, "capture": "more than the limit"},
            "graph": {"ns": 9, "capture": "", "launches": [4, 4]},
        }, "--most", "9")
        self.assertEqual(code, 1, err)
        self.assertIn("**2 of 6 kernels of 1 programs are reproduced**: 1 identical, 1 within tolerance, "
                      "2 refused, 2 not recorded.", out)
        self.assertIn("| demo | `good` | identical | 4.00 | 1.00 | 0.250 | 3.00 | 2.00 | 1.00 | 4.00 | -33.3 |  |", out)
        self.assertIn("| `fair` | within tolerance | 4.00 | 1.00 | 0.250 | 1.50 | 2.00 | 1.00 | 4.00 | between | "
                      "compare m0 as f32; compare m1 as f16; tolerance rel = 1e-03, abs = 1e-06 |", out)
        self.assertIn("| `bad` | refused | 4.00 | 1.00 | 0.250 | 0.01 | - | - | - | - | "
                      "mismatch: 1 of 9 differ \\| at 3 |", out)
        self.assertIn("| mismatch: still with compare m0 as f64 |", out)
        self.assertIn("| `failed` | not recorded | - | - | - | - | - | - | - | - | more than the limit |", out)
        self.assertIn("launched only inside a CUDA graph |", out)
        self.assertIn("| demo | 6 | 20 | 4.00 | 0.50 |  |", out)
        self.assertEqual([], [name for name in os.listdir(self.path("results")) if name.endswith(".capture")])

    def test_a_second_run_goes_on_after_the_programs_with_results(self):
        world = {"good": {"ns": 3000, "cases": [["ok", ""]]}}
        self.assertEqual(self.check(world)[0], 0)
        world["short"] = {**world["good"], "ns": 2}
        self.write("list", "demo | * | | /nonexistent\nmore | *1 | | $HERE/program\nother | none | | $HERE/program\n")
        code, out, err = self.check(world, "--keep")
        self.assertEqual(code, 0, err)
        self.assertIn("**2 of 2 kernels of 2 programs are reproduced**", out)
        self.assertIn("the program launched no such kernel", out)
        self.assertIn("more-0.capture", os.listdir(self.path("results")))
        self.assertEqual(self.check(world, "--again", "--only", "demo")[0], 1)

    def test_patterns_choose_kernels(self):
        one = {"ns": 1, "cases": [["ok", ""]]}
        self.write("list", "demo | goo mor? | | $PROGRAMS/program\n")
        code, out, err = self.check({"good": one, "more": one, "more_of": one, "other": one})
        self.assertEqual(code, 0, err)
        self.assertIn("**2 of 2 kernels", out)

    def test_failures_do_not_end_the_check(self):
        self.write("list", "crash | good | | $PROGRAMS/program crash\nslow | slow | | $PROGRAMS/program\n"
                           "silent | good | | true\nlast | good | | $PROGRAMS/program\n")
        code, out, _ = self.check({"good": {"ns": 1500, "cases": [["ok", ""]]},
                                   "slow": {"ns": 1, "cases": [["hang", ""]]}}, "--timeout", "12")
        self.assertEqual(code, 1)
        self.assertIn("**2 of 3 kernels", out)
        self.assertIn("exit 3: no output", out)
        self.assertIn("ran longer than 12 s", out)
        self.assertIn("| silent | 0 | 0 | - | - | the program launched no such kernel |", out)

    def test_counters_are_compared_with_those_of_the_program(self):
        code, out, err = self.check({"good": {"ns": 1500, "cases": [["ok", ""]]},
                                     "_Z4fairv": {"ns": 1500, "cases": [["ok", ""]]}}, "--ncu", "2")
        self.assertEqual(code, 0, err)
        self.assertIn("| demo | `good` | 1 of 1 | equal |", out)
        self.assertIn("| demo | `fair` | 0 of 1 | smsp__sass_x.sum 5, ncu 6 |", out)

    def test_the_cost_of_listening(self):
        options = ["bench-record", "--program", self.path("launches"), "--repeat", "2", "--sizes", "1,4", "--cycles"]
        code, out, err = self.run_script({"loop": {"ns": 1.01}}, *options, "0,4000")
        self.assertEqual(code, 0, err)
        self.assertIn("- device: Test GPU", out)
        self.assertIn("- **Listening costs +1.00 %** if the kernel waits for 4000 cycles; the limit is 2 %.", out)
        self.assertIn("| listening | 0 | 1.0100 | 10.100 | 1.0100 to 1.0100 | +1.00 | +1.00 to +1.00 |", out)
        self.assertIn("| 4 | 4.2 | 0.50 | 0.125 | ", out)
        self.assertEqual(self.run_script({"loop": {"ns": 1.03}}, *options, "4000")[0], 1)
        self.assertEqual(self.run_script({"loop": {"ns": 1.03}}, *options, "0")[0], 0)

    def test_bad_lists(self):
        self.write("list", "demo | * | $PROGRAMS/program\n")
        code, _, err = self.check({})
        self.assertEqual(code, 2)
        self.assertIn("list:1: 3 fields instead of 4", err)
        self.write("list", "demo | * | | true\n")
        code, _, err = self.check({}, "--only", "nothing")
        self.assertEqual(code, 2)
        self.assertIn("no program 'nothing'", err)

    def test_names(self):
        for mangled, name in (("_Z9vectorAddPKfS0_Pfi", "vectorAdd"), ("softmax_rows", "softmax_rows"),
                              ("_ZN2at6native4fillILi4ENS0_1FIfEEEEviT0_", "at::native::fill"),
                              ("_ZN12_GLOBAL__N_11kEv", "(anonymous)::k")):
            self.assertEqual(recording.plain_name(mangled), name)

    def test_the_list_of_the_tree(self):
        with open(os.path.join(ROOT, "tests/record/programs.list"), encoding="utf-8") as stream:
            lines = [line for line in stream if line.strip() and not line.startswith("#")]
        names = [line.split("|")[0].strip() for line in lines]
        self.assertEqual({len(line.split("|", 3)) for line in lines}, {4})
        self.assertEqual(len(names), len(set(names)))
        for word in " ".join(lines).split():
            if word.startswith("$HERE/"):
                self.assertTrue(os.path.exists(word.replace("$HERE", os.path.join(ROOT, "tests/record"))), word)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
