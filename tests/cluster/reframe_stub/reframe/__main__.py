"""The runner of the stub; see __init__.py."""
import argparse
import os
import runpy
import subprocess
import sys

import reframe
from reframe.utility.sanity import SanityError


def hooks(check, stage):
    return [getattr(check, name) for name, value in vars(type(check)).items()
            if getattr(value, "runs_before", None) == stage]


def set_variable(check, assignment):
    name, value = assignment.split(".", 1)[1].split("=", 1)
    default = getattr(check, name)
    setattr(check, name, value.split(",") if isinstance(default, list) else type(default)(value))


def compare(check):
    missed = []
    for name, (value, unit) in check.perf_variables.items():
        reference, lower, upper, _ = check.reference["*"][name]
        good = ((lower is None or value >= reference * (1 + lower)) and
                (upper is None or value <= reference * (1 + upper)))
        print(name, unit, value, "pass" if good else "fail", sep="  ")
        missed += [] if good else [name]
    if missed:
        raise SanityError(f"performance error: failed to meet reference(s): {missed[0]}")


def run(check):
    for hook in hooks(check, "run"):
        hook()
    command = " ".join([check.executable, *check.executable_opts])
    subprocess.run("\n".join([command, *check.postrun_cmds]), shell=True, cwd=check.stagedir,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for hook in hooks(check, "sanity") + hooks(check, "performance"):
        hook()
    compare(check)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-c")
    parser.add_argument("-S", action="append", default=[])
    parser.add_argument("-r", action="store_true")
    parser.add_argument("--nocolor", action="store_true")
    parser.add_argument("--performance-report", action="store_true")
    parser.add_argument("--prefix")
    options = parser.parse_args()
    runpy.run_path(options.c)
    check = reframe.found[-1]()
    check.stagedir = os.path.join(options.prefix, "stage")
    os.makedirs(check.stagedir)
    for assignment in options.S:
        set_variable(check, assignment)
    try:
        run(check)
    except reframe.Skipped as reason:
        print(f"[     SKIP ] [{reason}]")
        return 0
    except SanityError as reason:
        print(f"[  FAILED  ]\n  * Reason: {reason}")
        return 1
    print("[  PASSED  ]")
    return 0


sys.exit(main())
