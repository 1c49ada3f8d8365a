"""Compiles the CUDA sources of a public project to PTX, and keeps the results in a cache.

A project is any folder. Its build system is not run; the flags are guessed instead (Compiler.flags).
Uses the standard library only.
"""

import collections
import hashlib
import json
import os
import re
import signal
import subprocess

import lab

HEADER_FOLDERS = ("include", "inc", "common", "Common", "includes", "headers", "src")
SKIPPED_FOLDERS = (".git", "build", "third_party", "thirdparty", "3rdparty", "external")

# seconds: the time limit of a compilation that was stopped; 0 if it ended by itself
Compiled = collections.namedtuple("Compiled", "project source ptx error seconds")


def run_limited(command, timeout_s, folder=None):
    """Returns (exit code, stdout, stderr). The code is None at the time limit, when every process
    that the command started is ended, and negative if a signal ended it."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True, cwd=folder)
    except OSError as error:
        lab.leave(lab.UNSUPPORTED, f"cannot start {command[0]}: {error.strerror}")
    try:
        out, err = process.communicate(timeout=timeout_s)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, "", ""
    finally:
        # nvcc starts other programs, which would go on without it
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


class Project:
    """A folder of sources. The name is that of the folder."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.name = os.path.basename(self.folder)

    def sources(self, suffixes):
        """Returns the files below the folder with one of the suffixes, by name, relative to it."""
        found = []
        for folder, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in files
                      if name.endswith(suffixes)]
        return sorted(found)


def revision(folder):
    """Returns the first digits of the commit of a folder; 'unknown' if git cannot tell."""
    code, out, _ = run_limited(["git", "-C", folder, "rev-parse", "--short=12", "HEAD"], 10)
    return out.strip() if code == 0 else "unknown"


def version(program):
    """Returns the revision of a perflab program."""
    words = run_limited([program, "--version"], 60)[1].split()
    return words[2][:12] if len(words) > 2 else "unknown"


def read_makefile(folder):
    """Returns the flags -I and -D of a Makefile in a folder. Those that a variable completes are
    left out, and so are those of debug builds."""
    for name in ("Makefile", "makefile"):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                text = "\n".join(line.split("#")[0] for line in stream.read().splitlines())
            flags = re.findall(r"(?<=\s)-([ID])\s*([^\s$\\\"']+)(?=[\s\\]|$)", text)
            includes = [os.path.join(folder, value) for kind, value in flags if kind == "I"]
            return ([path for path in includes if os.path.isdir(path)],
                    ["-D" + value for kind, value in flags if kind == "D" and "DEBUG" not in value])
    return [], []


class Compiler:
    """nvcc, and a cache of what it returned.

    The cache holds, by project and source, NAME.ptx and NAME.json: the keys of the attempts, and the
    error of a source that does not compile. A key covers the flags, the compiler and the text of
    the source, but not that of its headers.
    """

    def __init__(self, nvcc, arch, flags, retry_flags, cache, timeout_s):
        self.nvcc, self.arch, self.given, self.retry_flags = nvcc, arch, flags, retry_flags
        self.cache, self.timeout_s = cache, timeout_s
        code, out, err = run_limited([nvcc, "--version"], 60)
        if code != 0:
            lab.leave(lab.UNSUPPORTED, f"{nvcc} --version ends with {code}: {(err or out).strip()[:200]}")
        found = re.search(r"release .*", out)
        self.version = found.group(0) if found else out.strip().splitlines()[-1]

    def flags(self, project, source):
        """Returns (flags, more flags for a second attempt). The include folders are those of the source,
        then those around it up to the project's folder, nearest first."""
        folder = os.path.dirname(os.path.join(project.folder, source))
        includes, macros = read_makefile(folder)
        while True:
            includes.append(folder)
            includes += [path for path in (os.path.join(folder, name) for name in HEADER_FOLDERS)
                         if os.path.isdir(path)]
            if folder == project.folder:
                break
            folder = os.path.dirname(folder)
        return (["-arch=" + self.arch, *self.given, *("-I" + path for path in dict.fromkeys(includes))],
                macros + self.retry_flags)

    def compile(self, project, source):
        """Returns the Compiled of a source, from the cache if possible."""
        path = os.path.join(project.folder, source)
        if source.endswith(".ptx"):
            return Compiled(project.name, source, path, None, 0)
        stem = os.path.join(self.cache, project.name, source)
        flags, more = self.flags(project, source)
        with open(path, "rb") as stream:
            text = stream.read()
        keys = [hashlib.sha256(repr((self.version, attempt)).encode() + text).hexdigest()
                for attempt in (flags, flags + more)]
        known = load_json(stem + ".json")
        if self.is_complete(known, keys, stem + ".ptx"):
            return Compiled(project.name, source, stem + ".ptx", known["error"], known["seconds"])
        os.makedirs(os.path.dirname(stem), exist_ok=True)
        error, seconds, used = *self.attempt(path, flags, stem), 1
        if error and not seconds and more:
            error, seconds, used = *self.attempt(path, flags + more, stem), 2
        store_json(stem + ".json", {"keys": keys[:used], "error": error, "seconds": seconds})
        return Compiled(project.name, source, stem + ".ptx", error, seconds)

    def is_complete(self, known, keys, ptx):
        """Whether a result of the cache is that of these attempts."""
        if known.get("keys") not in (keys[:1], keys):
            return False
        if not known["error"]:
            return os.path.isfile(ptx)
        # a second attempt may succeed, and a compilation that was stopped deserves more time
        return (known["keys"] == keys or known["seconds"] > 0 or keys[0] == keys[1]) and not (
            0 < known["seconds"] < self.timeout_s)

    def attempt(self, path, flags, stem):
        """Compiles once. Returns (error or None, the time limit if it was reached, else 0)."""
        partial = stem + ".partial"
        code, out, err = run_limited([self.nvcc, "-ptx", "-w", *flags, "-o", partial, path],
                                     self.timeout_s, os.path.dirname(path))
        if code == 0 and os.path.isfile(partial):
            os.replace(partial, stem + ".ptx")
            return None, 0
        if os.path.exists(partial):
            os.remove(partial)
        if code is None:
            return f"the compiler ran longer than {self.timeout_s:g} s", self.timeout_s
        return first_error(out + err, code), 0


def first_error(output, code):
    """Returns the first line of a compiler's output that names an error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()),
                lines[0] if lines else f"the compiler ended with {code} and no message")


def load_json(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError):
        return {}


def store_json(path, value):
    with open(path + ".partial", "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    os.replace(path + ".partial", path)
