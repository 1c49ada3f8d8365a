"""Runs programs under the recorder of perflab, and reads what it learned.

To take captures, the programs start with the environment that `perflab record --env` prints, which
gives access to the events: PERFLAB_RECORD names a new folder with a file of JSON lines for each
process.
"""

import glob
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import time


class Failed(Exception):
    """A command that ended badly. The text says how."""


def attempt(command, timeout_s, log=None, environment=None, allowed=(0,), folder=None):
    """Runs a command in `folder`, and ends it with all its children when the time is over.

    Returns (seconds, output). Raises Failed after a time-out and after exit codes that are not
    allowed. Appends everything to `log`.
    """
    begin = time.monotonic()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   cwd=folder, env={**os.environ, **(environment or {})})
    except OSError as error:
        raise Failed(f"cannot start {command[0]}: {error.strerror}") from error
    try:
        output, late = process.communicate(timeout=timeout_s)[0], False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, late = process.communicate()[0], True
    seconds = time.monotonic() - begin
    if log:
        with open(log, "ab") as stream:
            stream.write(f"$ {shlex.join(command)}\n".encode() + output)
            stream.write(f"[{seconds:.2f} s, exit {process.returncode}]\n".encode())
    text = output.decode(errors="replace")
    if late:
        raise Failed(f"ran longer than {timeout_s:g} s")
    if process.returncode not in allowed:
        lines = text.strip().splitlines() or ["no output"]
        raise Failed(f"exit {process.returncode}: {lines[-1][:300]}")
    return seconds, text


def exports_of(text):
    """Returns {name: value} of lines like `export A='b c' D=e`."""
    words = [word for line in text.splitlines() if line.startswith("export ")
             for word in shlex.split(line.rstrip(";"))[1:]]
    return dict(word.split("=", 1) for word in words if "=" in word)


def read_events(folder):
    """Returns the events of all processes. A line that was cut by the end of a process is left out."""
    events = []
    for path in sorted(glob.glob(os.path.join(folder, "*.events"))):
        with open(path, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                try:
                    events.append(json.loads(line))
                except ValueError:
                    pass
    return events


def record(perflab, options, command, timeout_s, log=None, folder=None):
    """Runs `command` under the recorder, in `folder`; `options` are those of perflab record.

    Returns (seconds, events, error, output): the error of the program, or None.
    """
    _, exports = attempt([perflab, "record", "--env", *options], 60, log)
    environment = exports_of(exports)
    events_folder = environment.get("PERFLAB_RECORD")
    if not events_folder:
        raise Failed("perflab record --env did not export PERFLAB_RECORD")
    begin, error, said = time.monotonic(), None, ""
    try:
        _, said = attempt(command, timeout_s, log, environment, folder=folder)
    except Failed as failure:
        error = str(failure)
    seconds, events = time.monotonic() - begin, read_events(events_folder)
    shutil.rmtree(events_folder)
    for event in events:
        if event.get("event") == "refused":
            error = event.get("why")
    if not events:
        error = f"{error + '; ' if error else ''}no process of the program loaded CUDA"
    return seconds, events, error, said


def list_kernels(perflab, command, database, timeout_s, log=None, folder=None):
    """Runs `command` under `perflab record --list`, in `folder`.

    Returns (the row of the recording, the rows of its kernels, error of the program or None) as
    docs/schema.md describes them. The row of the recording has the sums of its processes, too.
    """
    error = None
    try:
        attempt([perflab, "record", "--list", "--db", database, "--", *command], timeout_s, log, folder=folder)
    except Failed as failure:
        error = str(failure)
    try:
        db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        recording = db.execute("""SELECT recording.*, sum(own_ns) AS own_ns, max(process.wall_ns) AS cuda_ns,
            max(why_not) AS why_not FROM recording LEFT JOIN recorded_process AS process
            ON recording_id = id GROUP BY id ORDER BY id DESC LIMIT 1""").fetchone()
        if not recording:
            raise Failed(error or "perflab record --list stored nothing")
        kernels = db.execute("SELECT * FROM recorded_kernel WHERE recording_id = ?", (recording["id"],)).fetchall()
    except sqlite3.Error as failure:
        raise Failed(error or f"{database}: {failure}") from failure
    return dict(recording), [dict(row) for row in kernels], recording["why_not"] or error


def of_kind(events, kind):
    return [event for event in events if event.get("event") == kind]


def plain_name(mangled):
    """Returns the name of a C++ function with its namespaces, without arguments and templates."""
    found = re.match(r"_ZN?K?(?=\d|_)", mangled)
    if not found:
        return mangled
    parts, at = [], found.end()
    while size := re.match(r"\d+", mangled[at:]):
        begin = at + size.end()
        at = begin + int(size[0])
        parts.append(mangled[begin:at])
        if not mangled.startswith("_ZN"):
            break
    parts = ["(anonymous)" if part.startswith("_GLOBAL__N_") else part for part in parts]
    return "::".join(parts) or mangled
