#!/usr/bin/env python3
"""Tests scripts/compare-ptx with stand-ins for perflab that return chosen counts: equal, explained
and unexplained counts; and recordings contain the counters of the GPU.

usage: test_compare_ptx.py SOURCE-FOLDER
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = sys.argv[1]
SCRIPT = os.path.join(ROOT, "scripts", "compare-ptx")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
loader = importlib.machinery.SourceFileLoader("compare_ptx", SCRIPT)
compare_ptx = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("compare_ptx", loader))
loader.exec_module(compare_ptx)


def stored_run(cases):
    """Returns what `report --format json` prints for the cases of a world on one backend."""
    trials = []
    for name, case in cases.items():
        kernel, variant, config = name.split("/")
        trials.append({
            "kernel": kernel, "variant": variant, "config": config,
            "axes": {k: int(v) for k, v in (pair.split("=") for pair in config.split(","))},
            "status": case.get("status", "ok"), "reason": case.get("reason"),
            "facts": {"theoretical_occupancy_pct": case.get("occupancy", 100.0)},
            "counters": [{"metric": m, "value": v} for m, v in case["counters"].items()]})
    return {"run": {"started": "2026-01-02T03:04:05Z", "device": {
        "name": "Test GPU", "driver": "1.2.3", "toolkit": "13.0"}}, "trials": trials}


# `sweep` only remembers its backend; `report` prints the stored run of that backend.
PERFLAB = '''#!/bin/sh
memory=$WORLD.backend
if [ "$1" = sweep ]; then
    case "$*" in *"--backend cuda"*) echo cuda;; *"--backend ptx"*) echo ptx;; esac > "$memory"
else
    cat "$WORLD.$(cat "$memory")"
fi
'''
LOADS = "smsp__sass_inst_executed_op_global_ld.sum"
FUSED = compare_ptx.THREADS.format("ffma")
CASE = "stream/copy/block=64,n=4096"


def world_of():
    """Returns counts on which both backends agree: 128 loads and 2 * 10 operations."""
    gpu = dict.fromkeys(compare_ptx.sources(), 0) | {LOADS: 128, FUSED: 10}
    emulated = {metric: 0 for metric, _ in compare_ptx.EQUAL + compare_ptx.SHARED}
    emulated |= {"ptx_global_load_requests": 128, "ptx_f32_flop": 20}
    return {"cuda": {CASE: {"counters": gpu}}, "ptx": {CASE: {"counters": emulated}}}


class ComparePtx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def write(self, name, value):
        with compare_ptx.opened(self.path(name), "wt") as stream:
            json.dump(value, stream)

    def command(self, *arguments):
        return [SCRIPT, "--perflab", self.path("perflab"), *arguments]

    def script(self, *arguments):
        """Runs the script within this process; a sweep returns the counts of the world."""
        with open(self.path("world.json"), encoding="utf-8") as stream:
            world = json.load(stream)

        def sweep(_, command, *__):
            cases = world[command[command.index("--backend") + 1]]
            return stored_run(cases.get(command[0], cases))

        said = io.StringIO()
        with contextlib.ExitStack() as changed:
            changed.enter_context(mock.patch.object(sys, "argv", self.command(*arguments)))
            changed.enter_context(mock.patch.object(compare_ptx, "sweep", sweep))
            changed.enter_context(contextlib.redirect_stdout(said))
            changed.enter_context(contextlib.redirect_stderr(said))
            try:
                code = compare_ptx.main()
            except SystemExit as left:
                code = left.code
        return code, said.getvalue()

    def compare(self, world, differences=(), unrecorded=()):
        """Records the world's GPU, then compares its emulator."""
        self.write("world.json", world)
        self.write("explained.json", {"differences": list(differences),
                                      "unrecorded": list(unrecorded)})
        code, said = self.script("--record", self.path("golden.json"), "--sweep", "stream")
        self.assertEqual(code, 0, said)
        return self.script("--golden", self.path("golden.json"), "--explained",
                           self.path("explained.json"))

    def test_programs_are_run_and_their_report_is_read(self):
        with open(self.path("perflab"), "w", encoding="utf-8") as stream:
            stream.write(PERFLAB)
        os.chmod(self.path("perflab"), 0o755)
        self.write("explained.json", {"differences": [], "unrecorded": []})
        for backend, cases in world_of().items():
            self.write(f"world.{backend}", stored_run(cases))
        golden = self.path("golden.json")
        for arguments, expected in ((["--record", golden, "--sweep", "stream"], "1 cases of Test"),
                                    (["--golden", golden, "--explained",
                                      self.path("explained.json")], "1 cases; each count")):
            done = subprocess.run(
                [sys.executable, *self.command(*arguments)], capture_output=True, text=True,
                env={**os.environ, "WORLD": self.path("world")}, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(expected, done.stdout)

    def test_equal_counts_are_not_a_finding(self):
        code, said = self.compare(world_of())
        self.assertEqual(code, 0, said)
        self.assertIn("| `ptx_global_load_requests` | 1 | 1 | 0 | 0 |", said)
        self.assertIn("Test GPU", said)

    def test_a_difference_is_a_finding(self):
        world = world_of()
        world["ptx"][CASE]["counters"]["ptx_f32_flop"] = 19
        code, said = self.compare(world)
        self.assertEqual(code, 1)
        self.assertIn("| `ptx_f32_flop` | 1 | 0 | 0 | 1 |", said)
        self.assertIn("not explained", said)

    def test_a_count_that_is_missing_is_a_finding(self):
        world = world_of()
        del world["ptx"][CASE]["counters"]["ptx_global_load_requests"]
        code, said = self.compare(world)
        self.assertEqual(code, 1)
        self.assertIn("| none | 128 |", said)

    def test_occupancy_is_compared(self):
        world = world_of()
        world["ptx"][CASE]["occupancy"] = 75.0
        self.assertEqual(self.compare(world)[0], 1)

    def test_an_explanation_holds_for_its_variant_count_and_size_only(self):
        world = world_of()
        world["ptx"][CASE]["counters"]["ptx_f32_flop"] = 84
        row = {"variant": "stream/copy", "metrics": ["ptx_f32_flop"],
               "difference": "ceil_div(n, block)", "transformation": "unrolled"}
        code, said = self.compare(world, [row])
        self.assertEqual(code, 0, said)
        self.assertIn("unrolled", said)
        self.assertIn("| `ptx_f32_flop` | 1 | 0 | 1 | 0 |", said)
        for other in ({"metrics": ["ptx_f64_flop"]}, {"variant": "stream/add"},
                      {"difference": "ceil_div(n, block) + 1"},
                      {"difference": "ceil_div(n, block) - 1"}):
            code, said = self.compare(world, [{**row, **other}])
            self.assertEqual(code, 1, other)
            self.assertIn("| `ptx_f32_flop` | 1 | 0 | 0 | 1 |", said)

    def test_an_explanation_may_speak_of_the_emulators_counts(self):
        world = world_of()
        world["cuda"][CASE]["counters"][LOADS] = 256
        row = {"variant": "stream/*", "metrics": ["ptx_global_load_requests"],
               "difference": "-ptx_global_load_requests", "transformation": "counted twice"}
        code, said = self.compare(world, [row])
        self.assertEqual(code, 0, said)
        world["cuda"][CASE]["counters"][LOADS] = 257
        self.assertEqual(self.compare(world, [row])[0], 1)

    def test_an_explanation_may_speak_of_the_gpus_other_counters(self):
        world = world_of()
        world["ptx"][CASE]["counters"]["ptx_shared_load_requests"] = 30
        world["cuda"][CASE]["counters"]["smsp__sass_inst_executed_op_ld.sum"] = 32
        row = {"variant": "stream/*", "metrics": ["ptx_shared_load_requests"],
               "difference": "smsp__sass_inst_executed_op_ld - 2", "transformation": "loads"}
        code, said = self.compare(world, [row])
        self.assertEqual(code, 0, said)
        self.assertIn("| `ptx_shared_load_requests` | 1 | 0 | 1 | 0 |", said)
        world["cuda"][CASE]["counters"]["smsp__sass_inst_executed_op_ld.sum"] = 33
        self.assertEqual(self.compare(world, [row])[0], 1)

    def test_an_explanation_that_nothing_needs_is_a_finding(self):
        row = {"variant": "*", "metrics": ["ptx_f32_flop"], "difference": "0",
               "transformation": "unrolled"}
        code, said = self.compare(world_of(), [row])
        self.assertEqual(code, 1)
        self.assertIn("Explanations that nothing needs", said)

    def test_a_case_that_no_gpu_ran_is_a_finding_unless_it_is_named(self):
        world = world_of()
        world["ptx"]["stream/new/block=64,n=1"] = world["ptx"][CASE]
        code, said = self.compare(world)
        self.assertEqual(code, 1)
        self.assertIn("Cases without a GPU's counters", said)
        code, said = self.compare(world, unrecorded=["stream/new/*"])
        self.assertEqual(code, 0, said)
        self.assertIn("1 cases were not compared", said)
        code, said = self.compare(world_of(), unrecorded=["stream/new/*"])
        self.assertEqual(code, 1)
        self.assertIn("unrecorded: stream/new/*", said)

    def test_a_skipped_case_is_not_compared(self):
        world = world_of()
        for backend in world.values():
            backend["stream/copy/block=63,n=1"] = {"status": "skipped", "reason": "odd",
                                                   "counters": {}}
        code, said = self.compare(world)
        self.assertEqual(code, 0, said)
        self.assertIn("1 cases;", said)

    def test_a_case_that_fails_on_the_gpu_is_not_recorded(self):
        world = world_of()
        world["cuda"][CASE] |= {"status": "mismatch", "reason": "wrong"}
        self.write("world.json", world)
        code, said = self.script("--record", self.path("golden.json"), "--sweep", "stream")
        self.assertEqual(code, 3)
        self.assertIn("mismatch", said)
        self.assertFalse(os.path.exists(self.path("golden.json")))

    def test_a_recording_needs_the_name_of_a_file(self):
        self.write("world.json", {})  # a sweep would fail
        for given in ("", self.path("")):
            code, said = self.script("--record", given, "--sweep", "stream")
            self.assertEqual(code, 2)
            self.assertIn(f'--record "{given}" names no file: give the file to write', said)

    def test_an_incomplete_recording_is_kept_under_another_name(self):
        world = world_of()
        world["cuda"]["stream/copy/block=64,n=1"] = {**world["cuda"][CASE], "status": "timeout"}
        self.write("world.json", world)
        code, said = self.script("--record", self.path("golden.json"), "--sweep", "stream")
        self.assertEqual(code, 3)
        self.assertIn("n=1: timeout", said)
        self.assertFalse(os.path.exists(self.path("golden.json")))
        with open(self.path("golden.json.incomplete"), encoding="utf-8") as stream:
            self.assertEqual(list(json.load(stream)["cases"]), [CASE])

    def test_a_case_that_fails_or_is_absent_is_a_finding(self):
        world = world_of()
        world["ptx"][CASE] |= {"status": "fault", "reason": "out of bounds"}
        code, said = self.compare(world)
        self.assertEqual(code, 1)
        self.assertIn("out of bounds", said)
        world = world_of()
        world["ptx"] = {"stream/other/block=64,n=1": world["ptx"][CASE]}
        code, said = self.compare(world)
        self.assertEqual(code, 1)
        self.assertIn("did not run", said)

    def test_few_values_are_compared_and_the_rest_is_not_missed(self):
        self.assertEqual(
            compare_ptx.few_values(["stream", "--block-sizes", "1,2,3,4,5", "--set", "n=7,8"]),
            ["stream", "--block-sizes", "1,3,5", "--set", "n=7,8"])
        world = world_of()
        world["ptx"] = {}
        self.assertEqual(self.compare(world)[0], 1)
        code, said = self.script("--few", "--golden", self.path("golden.json"), "--explained",
                                 self.path("explained.json"))
        self.assertEqual(code, 0, said)
        world = world_of()
        world["ptx"][CASE]["counters"]["ptx_f32_flop"] += 1
        self.write("world.json", world)
        code, said = self.script("--few", "--golden", self.path("golden.json"), "--explained",
                                 self.path("explained.json"))
        self.assertEqual(code, 1, said)

    def test_recordings_in_the_tree_have_the_sweeps_of_the_script(self):
        kept = [name for name in os.listdir(compare_ptx.GOLDEN) if name.startswith("h200_")]
        self.assertTrue(kept)
        for name in kept:
            with compare_ptx.opened(os.path.join(compare_ptx.GOLDEN, name), "rt") as stream:
                golden = json.load(stream)
            self.assertEqual(golden["sweeps"], compare_ptx.RECORDINGS[name])
            later = set(compare_ptx.MATRIX_LOADS.values()) - set(golden["columns"])
            self.assertEqual(golden["columns"][1:], [source for source in compare_ptx.sources(name)
                                                     if source not in later])

    def test_a_recording_has_the_sweeps_of_its_name(self):
        self.write("world.json", world_of())
        name = "h200_kernels.json.xz"
        code, said = self.script("--record", self.path(name))
        self.assertEqual(code, 0, said)
        with compare_ptx.opened(self.path(name), "rt") as stream:
            self.assertEqual(json.load(stream)["sweeps"], compare_ptx.RECORDINGS[name])
        code, said = self.script("--record", self.path("other.json"))
        self.assertEqual(code, 2)
        self.assertIn(name, said)

    def test_recordings_are_compared_together_and_a_case_once(self):
        world = world_of()
        other = "stream/copy/block=32,n=1"
        world["ptx"][other] = world["ptx"][CASE]
        for name, case in (("a.json", CASE), ("b.json", other)):
            self.write("world.json", {"cuda": {case: world["cuda"][CASE]}})
            self.assertEqual(self.script("--record", self.path(name), "--sweep", "stream")[0], 0)
        self.write("world.json", world)
        self.write("explained.json", {"differences": [], "unrecorded": []})
        code, said = self.script("--golden", self.path("a.json"), "--golden", self.path("b.json"),
                                 "--explained", self.path("explained.json"))
        self.assertEqual(code, 0, said)
        self.assertIn("| `ptx_global_load_requests` | 2 | 2 | 0 | 0 |", said)

    def test_an_excluded_count_is_not_a_finding_and_is_reported(self):
        rows = [("stream/*", "n > 64", ["ptx_f32_flop"], "who waits")]
        world = world_of()
        world["ptx"][CASE]["counters"]["ptx_f32_flop"] = 19
        with mock.patch.object(compare_ptx, "LEFT_OUT", rows):
            code, said = self.compare(world)
            self.assertEqual(code, 0, said)
            self.assertIn("| `ptx_f32_flop` | 0 | 0 | 0 | 0 |", said)
            self.assertIn("| `stream/*` | `ptx_f32_flop` | 1 | who waits |", said)
            world["ptx"][CASE]["counters"]["ptx_global_load_requests"] = 1
            self.assertEqual(self.compare(world)[0], 1)
        with mock.patch.object(compare_ptx, "LEFT_OUT", [("stream/*", "n < 64", *rows[0][2:])]):
            self.assertEqual(self.compare(world)[0], 1)

    def compare_tensor(self, counters, rows):
        """Compares 40 emulated loads with a recording that has these counters, too."""
        world, name = world_of(), "h200_tensor.json.xz"
        world["ptx"][CASE]["counters"] |= {"ptx_shared_load_requests": 40,
                                           "ptx_shared_load_wavefronts": 160, "ptx_tensor_flop": 0}
        recorded = world["cuda"][CASE]["counters"] | dict.fromkeys(compare_ptx.sources(name), 0)
        recorded |= {LOADS: 128, FUSED: 10, **counters}
        columns = [source for source in recorded if recorded[source] is not None]
        golden = {"device": "Test GPU", "driver": "1.2.3", "toolkit": "13.0", "date": "",
                  "sweeps": [["stream"]], "columns": [compare_ptx.OCCUPANCY, *columns],
                  "cases": {CASE: [100.0, *(recorded[source] for source in columns)]}}
        self.write("world.json", world)
        self.write(name, golden)
        self.write("explained.json", {"differences": [], "unrecorded": []})
        with mock.patch.object(compare_ptx, "LEFT_OUT", rows):
            return self.script("--golden", self.path(name), "--explained",
                               self.path("explained.json"))

    def test_loads_of_matrices_are_loads(self):
        requests, wavefronts = compare_ptx.MATRIX_LOADS.values()
        others = "smsp__sass_inst_executed_op_shared_ld.sum"
        code, said = self.compare_tensor({requests: 32, others: 8, wavefronts: 160}, [])
        self.assertEqual(code, 0, said)
        self.assertIn("| `ptx_shared_load_requests` | 1 | 1 | 0 | 0 |", said)
        self.assertIn("| `ptx_shared_load_wavefronts` | 1 | 1 | 0 | 0 |", said)
        code, said = self.compare_tensor({requests: 32, others: 9, wavefronts: 160}, [])
        self.assertEqual(code, 1)
        self.assertIn("block=64,n=4096: 40, GPU 41", said)
        self.assertLessEqual({requests, wavefronts},
                             set(compare_ptx.sources("h200_tensor.json.xz")))

    def test_a_count_may_be_excluded_while_the_recording_has_no_loads_of_matrices(self):
        requests, wavefronts = compare_ptx.MATRIX_LOADS.values()
        rows = [("stream/*", f"{wavefronts.removesuffix('.sum')} is None",
                 ["ptx_shared_load_wavefronts"], "not counted")]
        code, said = self.compare_tensor({requests: 40, wavefronts: None}, rows)
        self.assertEqual(code, 0, said)
        self.assertIn("| `stream/*` | `ptx_shared_load_wavefronts` | 1 | not counted |", said)
        self.assertEqual(self.compare_tensor({requests: 40, wavefronts: 150}, rows)[0], 1)

    def compare_all(self, world, recorded, left_out=(), unrecorded=(), notes=()):
        """Compares the recordings a.json and b.json, after it recorded those in `recorded`."""
        self.write("world.json", world)
        self.write("explained.json", {"differences": [], "unrecorded": list(unrecorded),
                                      "notes": list(notes)})
        with contextlib.ExitStack() as changed:
            for name, value in (("GOLDEN", self.path("")), ("LEFT_OUT", left_out),
                                ("RECORDINGS", {"a.json": [["stream"]], "b.json": [["new"]]})):
                changed.enter_context(mock.patch.object(compare_ptx, name, value))
            for name in recorded:
                self.assertEqual(self.script("--record", self.path(name))[0], 0)
            return self.script("--explained", self.path("explained.json"))

    def test_a_recording_that_is_absent_is_a_finding_unless_its_cases_are_named(self):
        world, other = world_of(), "stream/new/block=64,n=1"
        world["ptx"] = {"stream": world["ptx"], "new": {other: world["ptx"][CASE]}}
        code, said = self.compare_all(world, ["a.json"])
        self.assertEqual(code, 1)
        self.assertIn("b.json does not exist", said)
        self.assertIn(f"Cases without a GPU's counters\n\n- `{other}`", said)
        code, said = self.compare_all(world, [], unrecorded=["stream/new/*"])
        self.assertEqual(code, 0, said)
        self.assertIn("b.json does not exist", said)
        world["ptx"]["new"]["stream/other/block=64,n=1"] = world["ptx"]["new"][other]
        code, said = self.compare_all(world, [], unrecorded=["stream/new/*"])
        self.assertEqual(code, 1)
        self.assertIn("- `stream/other/block=64,n=1`", said)

    def test_the_page_names_all_devices_and_has_the_notes(self):
        world = world_of()
        world["ptx"] = {"stream": world["ptx"], "new": world["ptx"]}
        self.compare_all(world, ["a.json", "b.json"])
        with open(self.path("b.json"), encoding="utf-8") as stream:
            golden = json.load(stream)
        self.write("b.json", {**golden, "device": "Other GPU"})
        code, said = self.compare_all(world, [], notes=["Seen twice."])
        self.assertEqual(code, 0, said)
        self.assertIn("- device: Test GPU, Other GPU\n- driver: 1.2.3\n", said)
        self.assertIn("\n\nSeen twice.\n\n", said)

    def test_without_any_recording_nothing_is_compared(self):
        code, said = self.compare_all(world_of(), [])
        self.assertEqual(code, 4)
        self.assertIn("no recording", said)

    def test_a_row_left_out_that_no_recorded_case_has_is_a_finding(self):
        world, new = world_of(), "stream/new/block=64,n=1"
        world["ptx"] = {"stream": world["ptx"], "new": {new: world["ptx"][CASE]}}
        needed = ("stream/copy", "n > 64", ["ptx_f32_flop"], "who waits")
        code, said = self.compare_all(world, ["a.json"], [needed], ["stream/new/*"])
        self.assertEqual(code, 0, said)
        for row in (("stream/new", "True", *needed[2:]), ("stream/copy", "n < 64", *needed[2:]),
                    ("stream/copy", "n > 64", ["ptx_f33_flop"], needed[3])):
            code, said = self.compare_all(world, [], [needed, row], ["stream/new/*"])
            self.assertEqual(code, 1, row)
            self.assertIn(f"- `{row[0]}`, {row[1]}: `{row[2][0]}`\n", said)
            self.assertEqual(said.count("\n- `"), 1, said)

    def test_a_gpu_that_does_not_count_is_not_recorded(self):
        world = world_of()
        world["cuda"][CASE]["counters"][LOADS] = None
        self.write("world.json", world)
        code, said = self.script("--record", self.path("golden.json"), "--sweep", "stream")
        self.assertEqual(code, 3)
        self.assertIn(LOADS, said)
        self.assertFalse(os.path.exists(self.path("golden.json")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
