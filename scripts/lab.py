"""Functions that the measuring scripts share: run programs with a time limit, read a
perflab database, read ncu's CSV, and write results as Markdown.

Uses the standard library only. Exit codes are those of perflab: 0 success, 1 a finding,
2 wrong usage, 3 failure, 4 not possible on this machine.
"""

import csv
import datetime
import json
import math
import os
import re
import shlex
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

FINE, FINDING, USAGE, FAILURE, UNSUPPORTED = 0, 1, 2, 3, 4

# Scripts time whole processes, so a sweep must not measure ceilings first.
os.environ["PERFLAB_CEILINGS"] = "never"


def leave(code, message):
    """Ends the script with one line on stderr."""
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(code)


def find_program(name, remedy):
    path = shutil.which(name)
    if not path:
        leave(UNSUPPORTED, f"{name} not found: {remedy}")
    return path


def two_cores():
    """Binds this process, and every process that it starts, to two cores. Returns their number."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)
    return len(cores)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            names = [line.split(":", 1)[1].strip() for line in stream if line.startswith("model name")]
        return names[0] if names else "unknown processor"
    except OSError:
        return "unknown processor"


def default_perflab():
    """Returns perflab in the build folder that PERFLAB_BUILD names, or else in build/."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = os.environ.get("PERFLAB_BUILD") or os.path.join(root, "build")
    return os.path.join(build, "bin", "perflab")


def find_ncu(name):
    """Finds ncu by name or path; also searches the folders of NVIDIA's packages."""
    if shutil.which(name):
        return shutil.which(name)
    for folder in ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute"):
        for root, _, files in os.walk(folder):
            if os.path.basename(name) in files and root.count(os.sep) <= 4:
                return os.path.join(root, os.path.basename(name))
    leave(UNSUPPORTED, f"{name} not found: install Nsight Compute, or name it with --ncu")
    return None


def run(command, timeout_s, log=None, allowed=(0,)):
    """Runs a command to its end. Returns (seconds, exit code). Appends its output to `log`."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout_s, check=False)
        output, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as expired:
        output, code = expired.stdout or b"", None
    except OSError as error:
        leave(UNSUPPORTED, f"cannot start {command[0]}: {error.strerror}")
    seconds = time.monotonic() - begin
    if log:
        with open(log, "ab") as stream:
            stream.write(f"$ {shlex.join(command)}\n".encode() + output)
            stream.write(f"[{seconds:.2f} s, exit {code}]\n".encode())
    if code is None:
        leave(FAILURE, f"ran longer than {timeout_s} s: {shlex.join(command)}")
    if code not in allowed:
        sys.stderr.buffer.write(output[-4000:])
        leave(code if code in (USAGE, UNSUPPORTED) else FAILURE,
              f"exit {code}: {shlex.join(command)}")
    return seconds, code


def time_of(command, timeout_s, repeat, log=None):
    """Returns the median duration in seconds of `repeat` runs of a command."""
    return statistics.median(run(command, timeout_s, log)[0] for _ in range(repeat))


class Trial:
    """One stored case: its name, its median, and its counters by source."""

    def __init__(self, row):
        self.name = f"{row['kernel']}/{row['variant']}/{row['config']}"
        self.kernel, self.variant, self.config = row["kernel"], row["variant"], row["config"]
        self.status, self.reason = row["status"], row["reason"]
        self.median_ns = row["median_ns"]
        self.bytes_read, self.bytes_written = row["bytes_read"], row["bytes_written"]
        self.by_source = {}
        self.missing = {}

    def ranges(self):
        """Returns the names of the NVTX ranges that enclose this case."""
        return frozenset([self.kernel, self.variant, *self.config.split(",")])


def load_run(path):
    """Reads the newest run of a database. Returns (device name, driver, trials)."""
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        run_row = db.execute(
            "SELECT run.id, device.name, run.driver FROM run"
            " JOIN device ON device.id = run.device_id ORDER BY run.id DESC LIMIT 1").fetchone()
        if not run_row:
            leave(FAILURE, f"{path} contains no run")
        trials = {}
        for row in db.execute("SELECT * FROM trial WHERE run_id = ? ORDER BY position",
                              (run_row["id"],)):
            trials[row["id"]] = Trial(row)
        for row in db.execute(
                "SELECT counters.* FROM counters JOIN trial ON trial.id = counters.trial_id"
                " WHERE trial.run_id = ?", (run_row["id"],)):
            trial = trials[row["trial_id"]]
            if row["value"] is None:
                trial.missing[row["metric"]] = row["reason"]
            elif re.fullmatch(r"\w+__[\w.]+", row["source"]):
                # Derived values and calculated occupancies have no hardware counter.
                trial.by_source[row["source"]] = row["value"]
        return run_row["name"], run_row["driver"], list(trials.values())
    except sqlite3.Error as error:
        leave(FAILURE, f"{path}: {error}")
        return None


def load_report(perflab, database, timeout_s):
    """Returns the newest run of a database as parsed from `report --format json`."""
    command = [perflab, "report", "last", "--db", database, "--format", "json"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              timeout=timeout_s, check=True)
        return json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        leave(FAILURE, f"{shlex.join(command)}: {error}")
        return None


def load_round_ends(path):
    """Returns [(variant, time in ns at which a round was stored)], in order of time."""
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        return db.execute("SELECT kernel || '/' || variant, stored_ns FROM round"
                          " JOIN trial ON trial.id = trial_id ORDER BY stored_ns").fetchall()
    except sqlite3.Error as error:
        leave(FAILURE, f"{path}: {error}")
        return None


def student(degrees):
    """Returns the 97.5 % quantile of Student's t; above 30 degrees of freedom, that of 30."""
    quantiles = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16,
                 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06,
                 2.05, 2.05, 2.05, 2.04]
    return quantiles[min(degrees, len(quantiles)) - 1]


def mean_interval(values):
    """Returns (mean, half width of its 95 % interval by Student's t); infinite for one value."""
    if len(values) < 2:
        return values[0], float("inf")
    return (statistics.mean(values),
            student(len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5)


def ratio_interval(above, below):
    """Returns (ratio of the geometric means, low end, high end of its 95 % interval) of two samples.

    Each sample needs at least two values. The interval is Student's t of the logarithms, with the
    assumption that both samples have the same variance.
    """
    logs = [[math.log(value) for value in values] for values in (above, below)]
    degrees = len(above) + len(below) - 2
    variance = sum(statistics.variance(part) * (len(part) - 1) for part in logs) / degrees
    middle = statistics.mean(logs[0]) - statistics.mean(logs[1])
    half = student(degrees) * (variance * (1 / len(above) + 1 / len(below))) ** 0.5
    return tuple(math.exp(value) for value in (middle, middle - half, middle + half))


def report_failed(trials):
    """Returns one line per failed case. A skipped case is not a failure."""
    return [f"{t.name}: {t.status}: {t.reason}" for t in trials if t.status not in ("ok", "skipped")]


class Launch:
    """One row of ncu's raw page: a launch with its NVTX ranges and metrics."""

    def __init__(self, ranges, kernel, metrics):
        self.ranges, self.kernel, self.metrics = ranges, kernel, metrics


def read_number(text):
    """Parses a number that ncu printed. Returns None if the text is not a number."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def read_ncu(path):
    """Reads the launches from a file that `ncu --nvtx --csv --page raw --log-file` wrote."""
    with open(path, encoding="utf-8", errors="replace", newline="") as stream:
        lines = stream.read().splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        tail = "".join(lines[-5:]).strip() or "nothing"
        leave(FAILURE, f"ncu profiled no launch; its log ends with: {tail}")
    rows = [row for row in csv.reader(lines[start:]) if row]
    head, rows = rows[0], rows[1:]
    nvtx = next((i for i, name in enumerate(head) if "Push/Pop_Range" in name), None)
    if nvtx is None:
        leave(FAILURE, "ncu's CSV has no column of push/pop ranges")
    kernel = head.index("Kernel Name")
    launches = []
    for row in rows:
        # The row after the head contains units and has no ID.
        if len(row) != len(head) or not row[0].isdigit():
            continue
        metrics = {name: read_number(cell) for name, cell in zip(head, row) if "__" in name}
        ranges = re.findall(r'perflab:([^:"]+)', row[nvtx])
        launches.append(Launch(frozenset(ranges), row[kernel], metrics))
    return launches


def compare_sass(ours, theirs):
    """Compares the SASS counters of two sets {source: value}; theirs may hold None.

    Returns (number of equal ones, [a text for each difference], [sources that theirs lacks]).
    """
    equal, differences, absent = 0, [], []
    for source in sorted(source for source in ours if "__sass_" in source):
        if theirs.get(source) is None:
            absent.append(source)
        # ncu prints counts in full and everything else with two decimals.
        elif abs(ours[source] - theirs[source]) <= (0 if source.endswith(".sum") else 0.00501):
            equal += 1
        else:
            differences.append(f"{source} {ours[source]:.15g}, ncu {theirs[source]:.15g}")
    return equal, differences, absent


def launches_by_trial(launches, trials, phase):
    """Returns {trial name: its launches in a phase}, by the NVTX ranges around each launch."""
    found = {}
    names = {trial.ranges(): trial.name for trial in trials}
    for launch in launches:
        if phase not in launch.ranges:
            continue
        name = names.get(launch.ranges - {phase})
        if name is None:
            leave(FAILURE, f"ncu's launch of {launch.kernel} has the ranges"
                           f" {sorted(launch.ranges)}, which name no case of the sweep")
        found.setdefault(name, []).append(launch)
    return found


def ncu_command(ncu, metrics, log_file, command):
    """Returns `command` under ncu, restricted to the launches that perflab marks for profilers."""
    return [ncu, "--target-processes", "all", "--clock-control", "none", "--cache-control", "all",
            "--nvtx", "--nvtx-include", "perflab@profile/", "--csv", "--page", "raw",
            "--print-units", "base", "--metrics", ",".join(metrics), "--log-file", log_file,
            *command]


def markdown_table(head, rows, numeric_from=1):
    """Returns the lines of a Markdown table. Columns from `numeric_from` on are right-aligned."""
    align = ["---" if i < numeric_from else "---:" for i in range(len(head))]
    lines = [head, align, *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def provenance(title, device, driver):
    """Returns the head of a result file: title, date, device, driver and command."""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    # The command as typed in the repository, without the machine's folders.
    words = [re.sub(r"^(--[a-z-]+=)?(-I)?/.*/", r"\1\2", word) for word in sys.argv[1:]]
    command = ["scripts/" + os.path.basename(sys.argv[0]), *words]
    return [f"# {title}", "", f"- date: {today}", f"- device: {device}", f"- driver: {driver}",
            f"- command: `{shlex.join(command)}`", ""]


def write_result(path, lines):
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if path:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
