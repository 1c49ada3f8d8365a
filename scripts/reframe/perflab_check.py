"""A check for ReFrame: measures the cases of a baseline again and compares them with it.

    perflab report last --format json -o baseline.json
    PERFLAB_BASELINE=baseline.json reframe -c scripts/reframe/perflab_check.py -r

The baseline names the cases. Every case that was verified and measured is a performance variable,
with the median of the baseline as its reference. A case may be slower by `margin`, or by the half
width of the baseline's confidence interval if that is more. It may be faster by any amount.
`counters` adds counters, which must be equal: name those that repeat exactly.

The check fails if a case of the baseline is missing, was not verified or has no result, and if the
device or the protocol (--cache, --rounds, ...) differs from the baseline.

Set variables with -S: reframe -S perflab_check.margin=0.02 -S perflab_check.options=--cache,hot ...
"""
import json
import os
import shlex

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import run_before, sanity_function, variable

FORMAT = 1  # of perflab's JSON
PROTOCOL = ("cache", "min_samples", "max_time_ns", "precision", "rounds", "placements")


def read_report(path):
    """The report of a run as JSON. ValueError: it is another file."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if not isinstance(report, dict) or report.get("format") != FORMAT or "trials" not in report:
        raise ValueError(f"{path} is not what `perflab report --format json` writes (format {FORMAT})")
    return report


def case_name(trial):
    return "/".join((trial["kernel"], trial["variant"], trial["config"]))


def good_trials(report):
    """The cases that were verified and measured, by name."""
    return {case_name(trial): trial for trial in report["trials"] if trial["status"] == "ok"}


def counter_value(trial, name):
    """The value of a counter; None: it was not measured."""
    return next((counter["value"] for counter in trial["counters"] if counter["metric"] == name),
                None)


def variable_name(case, counter=""):
    """ReFrame separates the parts of a reference by colons."""
    return (f"{case} {counter}" if counter else case).replace(":", "_")


def references(baseline, margin, counters):
    """The references of ReFrame: {variable: (value, lower, upper, unit)}."""
    found = {}
    for case, trial in good_trials(baseline).items():
        summary = trial.get("summary")
        if summary and summary["median_ns"]:
            median = summary["median_ns"]
            half = (summary["session_high_ns"] - summary["session_low_ns"]) / 2 / median
            found[variable_name(case)] = (median, None, max(margin, half), "ns")
        for counter in counters:
            value = counter_value(trial, counter)
            if value is not None:
                found[variable_name(case, counter)] = (value, 0, 0, "count")
    return found


def values(report, counters):
    """What was measured: {variable: value}."""
    found = {}
    for case, trial in good_trials(report).items():
        summary = trial.get("summary")
        if summary and summary["median_ns"]:
            found[variable_name(case)] = summary["median_ns"]
        for counter in counters:
            value = counter_value(trial, counter)
            if value is not None:
                found[variable_name(case, counter)] = value
    return found


def difference(baseline, report):
    """Why the results cannot be compared with the baseline; "": they can be."""
    before, now = baseline["run"], report["run"]
    pairs = [("the backend", before["backend"], now["backend"]),
             ("the device", before["device"]["name"], now["device"]["name"])]
    pairs += [(f"--{name.replace('_', '-')}", before["settings"].get(name), now["settings"].get(name))
              for name in PROTOCOL]
    for what, old, new in pairs:
        if old != new:
            return f"{what} differs: {old} in the baseline, {new} here"
    bad = sorted(set(good_trials(baseline)) - set(good_trials(report)))
    if bad:
        status = {case_name(trial): trial["status"] for trial in report["trials"]}
        return (f"{len(bad)} of {len(good_trials(baseline))} cases have no verified result, "
                f"such as {bad[0]}: {status.get(bad[0], 'it is missing')}")
    return ""


@rfm.simple_test
class perflab_check(rfm.RunOnlyRegressionTest):
    descr = "kernels measured by perflab, compared with a baseline"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    program = variable(str, value=os.environ.get("PERFLAB", "perflab"))
    baseline = variable(str, value=os.environ.get("PERFLAB_BASELINE", ""))
    margin = variable(float, value=0.05)
    counters = variable(typ.List[str], value=[])
    options = variable(typ.List[str], value=[])  # of perflab sweep
    num_gpus_per_node = 1

    @run_before("run")
    def set_command(self):
        self.skip_if(not self.baseline, "PERFLAB_BASELINE does not name a baseline")
        self.expected = read_report(os.path.abspath(self.baseline))
        cases = list(good_trials(self.expected))
        self.skip_if(not cases, f"{self.baseline} has no verified case")
        self.executable = self.program
        words = ["sweep", *cases, "--backend", self.expected["run"]["backend"], *self.options,
                 "--db", "perflab.db", "--quiet"]
        self.executable_opts = [shlex.quote(word) for word in words]
        # The report of a sweep is on stdout; the whole of it is written to a file.
        self.postrun_cmds = [shlex.join([self.program, "report", "last", "--db", "perflab.db",
                                         "--format", "json", "--output", "perflab.json"])]
        self.keep_files = ["perflab.db", "perflab.json"]

    def measured(self):
        return read_report(os.path.join(self.stagedir, "perflab.json"))

    @sanity_function
    def is_comparable(self):
        if not os.path.exists(os.path.join(self.stagedir, "perflab.json")):
            return sn.assert_true(False, "perflab stored no results: rfm_job.err says why")
        report = self.measured()
        why = difference(self.expected, report)
        missing = sorted(set(references(self.expected, self.margin, self.counters)) -
                         set(values(report, self.counters)))
        if missing and not why:
            why = f"{len(missing)} values of the baseline were not measured, such as {missing[0]}"
        return sn.assert_true(not why, why)

    @run_before("performance")
    def set_variables(self):
        expected = references(self.expected, self.margin, self.counters)
        found = values(self.measured(), self.counters)
        self.reference = {"*": expected}
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(found[name]), unit)
            for name, (_, _, _, unit) in expected.items()}
