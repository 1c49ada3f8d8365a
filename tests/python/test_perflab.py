"""Tests python/perflab.py on databases that this build of perflab writes, and on files that are none.

$PERFLAB is the program, $FAKE_WORKER a worker that needs no GPU, $SOURCE the tree.
"""
import ast
import base64
import glob
import hashlib
import importlib.util
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from unittest import mock

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "python"))
sys.dont_write_bytecode = True
import perflab  # noqa: E402

work = None  # a folder with lab.db


def run(*words, **environment):
    """Runs the program; returns its output. A wrong result of a case is no failure here."""
    unset = {"PERFLAB_DB", "PERFLAB_WORKER_PTX", "FAKE_WORKER_SCRIPT"}
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run([os.environ["PERFLAB"], *words], cwd=work, timeout=240,
                          env=dict(inherited, PERFLAB_CEILINGS="never", **environment),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise RuntimeError("perflab %s: exit %d: %s"
                           % (" ".join(words), done.returncode, done.stderr.decode()))
    return done.stdout.decode()


def setUpModule():
    """lab.db: run 1 with a case of each kind, run 2 as nightly and good, run 3 of an emulator."""
    global work
    work = tempfile.mkdtemp(prefix="perflab-python-")
    worker = os.environ["FAKE_WORKER"]
    emulator = os.path.join(work, "fake-emulator")
    with open(emulator, "w") as file:
        file.write("#!/bin/sh\nFAKE_WORKER_SCRIPT=untimed exec '%s'\n" % worker)
    os.chmod(emulator, 0o755)
    sweep = ("sweep", "reduce/shuffle", "--block-sizes", "64..256", "--size", "4096", "--db", "lab.db")
    run(*sweep, "--label", "first", PERFLAB_WORKER_CUDA=worker, PERFLAB_WORKER_PTX="/none",
        FAKE_WORKER_SCRIPT="unverified:reduce/shuffle/block=64;mismatch:reduce/shuffle/block=128")
    run(*sweep, "--label", "nightly", PERFLAB_WORKER_CUDA=worker, PERFLAB_WORKER_PTX="/none")
    run("mark", "2", "good", "--db", "lab.db")
    run(*sweep, "--backend", "ptx", PERFLAB_WORKER_CUDA="/none", PERFLAB_WORKER_PTX=emulator)


def tearDownModule():
    shutil.rmtree(work)


def path(name):
    return os.path.join(work, name)


class Integer:
    """An integer like those of numpy."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def copy(name, *statements):
    """A copy of lab.db, changed by SQL."""
    shutil.copy(path("lab.db"), path(name))
    connection = sqlite3.connect(path(name))
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path(name)


def has(module):
    return importlib.util.find_spec(module) is not None


class Reading(unittest.TestCase):
    def setUp(self):
        self.db = perflab.open(path("lab.db"))
        self.addCleanup(self.db.close)

    def test_runs(self):
        runs = self.db.runs()
        self.assertEqual([row["run_id"] for row in runs], [1, 2, 3])
        self.assertEqual([row["label"] for row in runs], ["first", "nightly", None])
        self.assertEqual([row["mark"] for row in runs], [None, "good", None])
        self.assertEqual([row["cases"] for row in runs], [3, 3, 3])
        self.assertEqual([row["emulated"] for row in runs], [0, 0, 1])
        self.assertEqual(runs[0]["device"], "Fake GPU")

    def test_which_run(self):
        uid = self.db.runs()[1]["uid"]
        for word in (2, "2", "nightly", "last-good", uid, uid[:6].upper()):
            self.assertEqual(self.db.run_id(word), 2, word)
        self.assertEqual(self.db.run_id("last"), 3)
        for word in ("nothing", 9, -1, uid[:3] + "!", "9" * 30, "", "x\0y", "\u00b2", "\u0663"):
            with self.assertRaisesRegex(perflab.Error, "has no run"):
                self.db.cases(word)

    def test_cases_are_those_of_the_report(self):
        report = json.loads(run("report", "nightly", "--format", "json", "--db", "lab.db"))
        cases = self.db.cases("nightly")
        self.assertEqual(len(cases), 3)
        for case, trial in zip(cases, report["trials"]):
            for name in ("kernel", "variant", "config", "status"):
                self.assertEqual(case[name], trial[name])
            self.assertAlmostEqual(case["median_ns"], trial["summary"]["median_ns"])
            self.assertAlmostEqual(case["session_low_ns"], trial["summary"]["session_low_ns"])
            self.assertEqual(case["axis_block"], trial["axes"]["block"])
            self.assertEqual(case["axis_n"], 4096)
        self.assertEqual(len(self.db.cases()), 9)

    def test_not_measured_is_none(self):
        status = {row["status"]: row for row in self.db.cases("first", counters=True)}
        self.assertEqual(set(status), {"ok", "unverified", "mismatch"})
        self.assertGreater(status["ok"]["median_ns"], 0)
        for name in ("median_ns", "session_low_ns", "dram_read_bytes", "instructions"):
            self.assertIsNone(status["mismatch"][name], name)
        for row in self.db.cases(3):
            self.assertIsNone(row["median_ns"])
            self.assertIsNone(row["dram_read_bytes"])
        missing = [row for row in self.db.counters("nightly") if row["value"] is None]
        self.assertTrue(all(row["reason"] for row in missing))
        with_value = [row for row in self.db.counters("nightly") if row["value"] is not None]
        self.assertTrue(with_value and all(row["reason"] is None for row in with_value))

    def test_the_work_model_has_its_own_names(self):
        case = self.db.cases("nightly")[0]
        self.assertEqual(case["model_bytes"] * 1e9 / case["median_ns"], case["model_bytes_per_s"])
        self.assertNotIn("bytes_per_s", case)
        self.assertFalse([name for name in case if name.startswith("ptx_") and case[name] is not None])

    def test_counters(self):
        rows = self.db.counters("nightly")
        stored = {(row["trial_id"], row["name"]): row["value"] for row in rows}
        self.assertEqual(len(stored), len(rows))
        case = self.db.cases("nightly", counters=["dram_bytes"])[1]
        self.assertEqual(case["dram_bytes"], stored[case["trial_id"], "dram_bytes"])
        self.assertEqual([row for row in rows if row["trial_id"] == case["trial_id"]],
                         self.db.counters(trial_id=case["trial_id"]))
        self.assertEqual(self.db.cases("nightly", counters=iter(["dram_bytes"]))[1], case)
        with self.assertRaisesRegex(perflab.Error, "no counter 'dram_byts'.*did you mean dram_bytes"):
            self.db.cases("nightly", counters=["dram_byts"])

    def test_samples(self):
        samples = self.db.samples("nightly")
        cases = self.db.cases("nightly")
        self.assertEqual(len(samples), sum(case["sample_count"] for case in cases))
        self.assertEqual(list(self.db.each_sample("nightly")), samples)
        one = self.db.samples(trial_id=cases[0]["trial_id"])
        times = [sample["time_ns"] for sample in one]
        self.assertEqual(statistics.median(times), cases[0]["median_ns"])
        self.assertEqual({sample["round"] for sample in one}, {0, 1, 2, 3, 4})
        self.assertEqual(self.db.samples(3), [])
        self.assertEqual(self.db.samples(trial_id=Integer(cases[0]["trial_id"])), one)

    def test_rows(self):
        rows = self.db.query("SELECT 1 AS a, NULL AS a, x'00ff' AS b WHERE ? = 5", (5,))
        self.assertEqual(rows.columns, ("a", "a_2", "b"))
        self.assertEqual(rows, [{"a": 1, "a_2": None, "b": b"\0\xff"}])
        self.assertEqual(rows.by_column(), {"a": [1], "a_2": [None], "b": [b"\0\xff"]})
        for rows in (self.db.cases("first", counters=True), self.db.samples(3), self.db.runs()):
            self.assertTrue(rows.columns)
            self.assertTrue(all(tuple(row) == rows.columns for row in rows))

    def test_the_default_path(self):
        os.environ["PERFLAB_DB"] = path("lab.db")
        self.addCleanup(os.environ.pop, "PERFLAB_DB")
        with perflab.open() as db:
            self.assertEqual(len(db.runs()), 3)
        with self.assertRaisesRegex(perflab.Error, "was closed"):
            db.runs()


class Refusing(unittest.TestCase):
    def refused(self, name, pattern):
        with self.assertRaisesRegex(perflab.Error, pattern) as caught:
            with perflab.open(path(name)) as db:
                db.cases(counters=True)
                db.samples()
        self.assertIn(os.path.basename(name), str(caught.exception))

    def test_what_is_no_database(self):
        self.refused("none.db", "does not exist: `perflab sweep` creates it")
        self.assertFalse(os.path.exists(path("none.db")))
        os.mkdir(path("folder.db"))
        self.refused("folder.db", "is a folder.*give the path")
        os.mkfifo(path("pipe.db"))
        self.refused("pipe.db", "is not a regular file: give the path")
        open(path("empty.db"), "w").close()
        self.refused("empty.db", "is empty.*give another path")
        with open(path("text.db"), "w") as file:
            file.write("not a database\n" * 100)
        self.refused("text.db", "is not a SQLite database: give another path")
        connection = sqlite3.connect(path("other.db"))
        connection.execute("CREATE TABLE run (id)")
        connection.close()
        self.refused("other.db", "another application's.*give another path")

    def test_schema_versions(self):
        self.refused(copy("newer.db", "PRAGMA user_version = 999"), "has schema version 999")
        self.refused(copy("first.db", "PRAGMA user_version = 21"),
                     "schema version 21.*convert it with scripts/convert-database")
        with perflab.open(path("lab.db")) as db:
            # perflab has just written the file: raise SCHEMA_NEWEST with the schema
            self.assertEqual(db.schema_version, perflab.SCHEMA_NEWEST)

    def test_damage(self):
        with open(path("lab.db"), "rb") as file:
            whole = file.read()
        with open(path("cut.db"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        self.refused("cut.db", "is damaged.*sqlite3 FILE .recover")
        caught = 0
        noise = random.Random(16)
        for place in range(100, len(whole), 4096):
            with open(path("hit.db"), "wb") as file:
                file.write(whole[:place] + bytes(noise.getrandbits(8) for _ in range(2000)) + whole[place + 2000:])
            try:
                with perflab.open(path("hit.db")) as db:
                    db.runs(), db.cases(counters=True), db.samples()
            except perflab.Error:
                caught += 1
        self.assertGreater(caught, 10)
        self.refused(copy("viewless.db", "DROP VIEW trials", "DROP VIEW IF EXISTS results"), "no such")

    def test_what_is_not_there(self):
        with perflab.open(path("lab.db")) as db:
            for words, call in (("did you mean 'nightly'", lambda: db.cases("nightyl")),
                                ("give an id of runs", lambda: db.cases(99)),
                                ("did you mean dram_bytes", lambda: db.cases(counters="dram_byte")),
                                ("counters\\(\\) lists", lambda: db.cases(counters=["zzzzzz"])),
                                ("not valid SQL", lambda: db.query("SELEC 1")),
                                ("not valid SQL", lambda: db.query("SELECT ("))):
                with self.assertRaisesRegex(perflab.Error, words):
                    call()
            self.assertEqual(db.cases("nightly", counters="dram_bytes"),
                             db.cases("nightly", counters=["dram_bytes"]))
        with self.assertRaisesRegex(perflab.Error, "open it again"):
            db.runs()

    def test_a_locked_file(self):
        writer = sqlite3.connect(copy("locked.db"), isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        connect = sqlite3.connect
        with mock.patch("sqlite3.connect", lambda *words, **named: connect(
                *words, **dict(named, timeout=0))):
            self.refused("locked.db", "is locked by another program: try again")

    def test_statements_that_write(self):
        copied = copy("kept.db")
        with open(copied, "rb") as file:
            before = file.read()
        with perflab.open(copied) as db:
            for statement in ("DELETE FROM run", "CREATE TABLE x (y)", "DROP VIEW trials",
                              "ATTACH '%s' AS other" % path("attached.db"), "PRAGMA query_only = OFF",
                              "PRAGMA writable_schema = ON", "VACUUM INTO '%s'" % path("copied.db"),
                              "SELECT load_extension('x')", "SELECT 1; DELETE FROM run"):
                with self.assertRaises(perflab.Error, msg=statement):
                    db.query(statement)
            self.assertEqual(len(db.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
                                          " FROM n WHERE i < 9) SELECT i FROM n")), 9)
            with self.assertRaisesRegex(perflab.Error, "no such column"):
                db.query("SELECT no_such_one FROM trials")
        with open(copied, "rb") as file:
            self.assertEqual(file.read(), before)
        for name in ("attached.db", "copied.db", "kept.db-wal", "kept.db-shm"):
            self.assertFalse(os.path.exists(path(name)), name)


class Files(unittest.TestCase):
    def test_odd_names(self):
        name = "q\"u'o`te\n\\ \u00e9 \u202e"
        odd = copy("odd.db")
        connection = sqlite3.connect(odd)
        connection.execute("UPDATE trial SET variant = ? WHERE id = 1", (name,))
        connection.execute("UPDATE trial SET variant = CAST(x'61ff62' AS TEXT) WHERE id = 2")
        connection.execute("UPDATE axis SET name = 'b\"; DROP' WHERE trial_id = 3 AND name = 'block'")
        connection.execute("UPDATE run SET label = ? WHERE id = 1", ("' OR 1=1 --",))
        connection.commit()
        connection.close()
        with perflab.open(odd) as db:
            rows = db.cases("' OR 1=1 --")
            self.assertEqual([row["variant"] for row in rows[:2]], [name, "a\ufffdb"])
            self.assertIsNotNone(rows[2]["axis_b\"; DROP"])
            self.assertIsNone(rows[0]["axis_b\"; DROP"])

    def test_odd_paths(self):
        for name in ("a b?mode=memory#x%41.db", "file:x.db", "\u00e9'\".db"):
            copy(name)
            with perflab.open(path(name)) as db:
                self.assertEqual(len(db.runs()), 3, name)
        here = os.getcwd()
        os.chdir(work)
        self.addCleanup(os.chdir, here)
        with perflab.open("file:x.db") as db:
            self.assertEqual(len(db.runs()), 3)

    def test_while_another_writes(self):
        busy = copy("busy.db")
        writer = sqlite3.connect(busy, isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE run SET label = 'changed'")
        with perflab.open(busy) as db:
            self.assertEqual(db.runs()[0]["label"], "first")
            writer.execute("COMMIT")
            self.assertEqual(db.runs()[0]["label"], "changed")

    @unittest.skipIf(os.geteuid() == 0, "root may write to every folder")
    def test_a_folder_without_write_access(self):
        os.mkdir(path("closed"))
        copy("closed/lab.db")
        os.chmod(path("closed/lab.db"), 0o444)
        os.chmod(path("closed"), 0o555)
        self.addCleanup(os.chmod, path("closed"), 0o755)
        with perflab.open(path("closed/lab.db")) as db:
            self.assertEqual(len(db.runs()), 3)

    def test_a_file_that_may_not_be_read(self):
        denied = PermissionError(13, "Permission denied")
        with mock.patch("os.stat", side_effect=denied):
            with self.assertRaisesRegex(perflab.Error, "cannot be read: Permission denied; check"):
                perflab.open(path("lab.db"))

    def test_a_query_that_never_ends(self):
        child = subprocess.Popen(
            [sys.executable, "-B", "-c", "import perflab\n"
             "db = perflab.open('lab.db')\n"
             "print('reading', flush=True)\n"
             "db.query('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT sum(i) FROM n')"],
            cwd=work, env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python")),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), b"reading\n")
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.assertNotEqual(child.returncode, 0, errors.decode())
        self.assertRegex(errors.decode(), "interrupted|KeyboardInterrupt")

    def test_the_schema_before(self):
        older = path("version_22.db")
        connection = sqlite3.connect(older)
        with open(os.path.join(SOURCE, "tests/db/version_22.sql")) as file:
            connection.executescript(file.read())
        connection.close()
        with perflab.open(older) as db:
            self.assertEqual(db.schema_version, 22)
            self.assertEqual(len(db.runs()), len(db.query("SELECT id FROM run")))
            cases = db.cases(counters=True)
            self.assertEqual(len(cases), len(db.query("SELECT id FROM trial")))
            self.assertTrue(any(row["median_ns"] for row in cases))
            self.assertEqual(len(db.samples()), len(db.query("SELECT * FROM sample")))


class Frames(unittest.TestCase):
    """With the libraries that are installed."""

    def setUp(self):
        with perflab.open(path("lab.db")) as db:
            self.cases = db.cases("first", counters=True)

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas
        frame = pandas.DataFrame(self.cases)
        self.assertEqual(tuple(frame.columns), self.cases.columns)
        self.assertEqual(frame["median_ns"].dtype.kind, "f")
        self.assertEqual(list(frame["median_ns"].isna()),
                         [row["median_ns"] is None for row in self.cases])
        self.assertTrue(frame.equals(pandas.DataFrame(self.cases.by_column())))

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_polars(self):
        import polars
        frame = polars.DataFrame(self.cases.by_column())
        self.assertEqual(tuple(frame.columns), self.cases.columns)
        self.assertEqual(frame["median_ns"].to_list(), [row["median_ns"] for row in self.cases])

    @unittest.skipUnless(has("duckdb") and has("pandas"), "duckdb or pandas is not installed")
    def test_duckdb(self):
        import duckdb
        import pandas
        frame = pandas.DataFrame(self.cases)  # noqa: F841, DuckDB finds it by its name
        found = duckdb.sql("SELECT count(median_ns) FROM frame").fetchone()[0]
        self.assertEqual(found, sum(row["median_ns"] is not None for row in self.cases))


class Packaging(unittest.TestCase):
    def test_python_3_8(self):
        for name in ("perflab.py", "perflab_build.py"):
            with open(os.path.join(SOURCE, "python", name)) as file:
                ast.parse(file.read(), feature_version=(3, 8))

    def source(self):
        """A copy of the folder, because pip may leave files in it."""
        tree = tempfile.mkdtemp(dir=work)
        shutil.copytree(os.path.join(SOURCE, "python"), tree + "/tree")
        return tree + "/tree"

    @unittest.skipUnless(has("pip"), "pip is not installed")
    def test_pip_installs_it(self):
        """Without a network, and with nothing but pip."""
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index",
                        "--target", path("target"), self.source()],
                       check=True, timeout=240, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done = subprocess.run([sys.executable, "-c", "import perflab; print(perflab.__file__)"],
                              env={"PYTHONPATH": path("target")}, cwd=work, stdout=subprocess.PIPE)
        self.assertIn(path("target"), done.stdout.decode())
        with open(glob.glob(path("target/*.dist-info/METADATA"))[0]) as file:
            self.assertIn("Version: %s\n" % perflab.__version__, file.read())

    def test_the_wheel(self):
        """What pip does, where pip is missing: the record has every file with its hash."""
        script = "import perflab_build as b; print(b.build_wheel('.')); print(b.build_sdist('.'))"
        tree = self.source()
        names = subprocess.run([sys.executable, "-B", "-c", script], cwd=tree, check=True,
                               stdout=subprocess.PIPE).stdout.decode().split()
        with zipfile.ZipFile(os.path.join(tree, names[0])) as wheel:
            record = wheel.read([name for name in wheel.namelist() if name.endswith("RECORD")][0])
            for line in record.decode().splitlines()[:-1]:
                name, digest, length = line.split(",")
                data = wheel.read(name)
                self.assertEqual(int(length), len(data))
                wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
                self.assertEqual(digest, "sha256=" + wanted.rstrip("="))
            self.assertEqual(len(record.decode().splitlines()), len(wheel.namelist()))
            self.assertIn("perflab.py", wheel.namelist())
        with tarfile.open(os.path.join(tree, names[1])) as sources:
            self.assertTrue(any(name.endswith("/perflab_build.py") for name in sources.getnames()))


if __name__ == "__main__":
    unittest.main()
