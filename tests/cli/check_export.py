"""Checks what `perflab export` wrote, by the rules that the other projects document.

usage: check_export.py FORMAT FILE DATABASE RUN

Also compares the values with the database: exactly the verified, timed cases of the run are
exported, with their medians. With the program or module of a project installed, its parser reads
the file, too: prometheus_client and promtool for OpenMetrics, jsonschema for T4 if
$PERFLAB_T4_SCHEMA names Kernel Tuner's results-schema.json, and LNT itself if $PERFLAB_LNT names its
sources.
"""
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def fail(text):
    sys.exit("check_export: " + text)


def expect(condition, text):
    if not condition:
        fail(text)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def unique(pairs):
    """A JSON object whose members have different names; parsers keep only the last of equal ones."""
    names = [name for name, _ in pairs]
    expect(len(names) == len(set(names)), "a name occurs twice: %r" % names)
    return dict(pairs)


def load_json(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=lambda word: fail(word))


# Each function returns {name of the case: median in nanoseconds}.


def check_bmf(text):
    """bencher.dev/docs/reference/bencher-metric-format"""
    root = load_json(text)
    medians = {}
    for name, measures in root.items():
        expect(0 < len(name.encode()) <= 1024, "a benchmark has a name of %d bytes" % len(name))
        expect(measures, "%s has no measure" % name)
        for measure, metric in measures.items():
            expect(0 < len(measure) <= 64 and is_number(metric["value"]), "measure %s" % measure)
        latency = measures.get("latency")
        if latency is None:
            continue
        expect(set(latency) <= {"value", "lower_value", "upper_value"}, "members %s" % list(latency))
        expect(all(is_number(value) for value in latency.values()), "no number: %s" % latency)
        expect(latency.get("lower_value", 0) <= latency["value"], "the lower value is above")
        expect(latency.get("upper_value", math.inf) >= latency["value"], "the upper value is below")
        medians[name] = latency["value"]
    return medians


def check_github(text):
    """The tool customSmallerIsBetter: a list that is not empty."""
    root = load_json(text)
    expect(isinstance(root, list) and root, "not a list of results")
    for result in root:
        expect({"name", "unit", "value"} <= set(result) <= {"name", "unit", "value", "range", "extra"},
               "members %s" % list(result))
        expect(is_number(result["value"]) and result["unit"], "value of %s" % result)
        expect(all(isinstance(result[key], str) for key in result if key != "value"), "%s" % result)
        expect(re.fullmatch(r"± [0-9.e+-]+", result.get("range", "± 1")), "range of %s" % result)
    names = [result["name"] for result in root]
    expect(len(set(names)) == len(names), "two results have one name")
    return {result["name"]: result["value"] for result in root if result["unit"] == "ns"}


def check_lnt(text):
    """llvm.org/docs/lnt/importing_data.html, format version 2, suite nts"""
    root = load_json(text)
    expect(set(root) == {"format_version", "machine", "run", "tests"}, "members %s" % list(root))
    expect(root["format_version"] == "2", "format_version")
    for part in ("machine", "run"):
        expect(all(isinstance(value, str) and value for value in root[part].values()), part)
    expect(root["machine"].get("name"), "no name of the machine")
    expect(re.fullmatch(r"\d{14}", root["run"].get("llvm_project_revision", "")), "no order")
    for time in ("start_time", "end_time"):
        expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", root["run"][time]), time)
    medians = {}
    for test in root["tests"]:
        expect(set(test) <= {"name", "execution_time", "hash"}, "metrics %s" % list(test))
        expect(0 < len(test["name"]) <= 256 and test["name"] not in medians, "name %r" % test["name"])
        times = test["execution_time"]
        expect(times and all(is_number(time) and time > 0 for time in times), "times %s" % times)
        medians[test["name"]] = sorted(times)[len(times) // 2] * 1e9
    if os.environ.get("PERFLAB_LNT"):
        sys.path.insert(0, os.environ["PERFLAB_LNT"])
        import lnt.testing
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            result = lnt.testing.validate_report(file.name, "<auto>")
        expect(result["success"], "LNT: %s %s" % (result["error"], result.get("message")))
        expect(len(result["data"]["tests"]) == len(medians), "LNT reads other tests")
        print("LNT reads it")
    return medians


def check_t4(text):
    """Kernel Tuner's results-schema.json, version 1.0.0"""
    root = load_json(text)
    expect(re.fullmatch(r"\d+\.\d+\.\d+", root["schema_version"]), "schema_version")
    expect(root["metadata"]["timeunit"] == "milliseconds", "timeunit")
    schema = os.environ.get("PERFLAB_T4_SCHEMA")
    if schema:
        import jsonschema
        with open(schema) as file:
            jsonschema.validate(root, json.load(file))
        print("jsonschema accepts it")
    medians = {}
    for result in root["results"]:
        configuration = dict(result["configuration"])
        name = "%s/%s/" % (configuration.pop("kernel"), configuration.pop("variant"))
        name += ",".join("%s=%s" % axis for axis in sorted(configuration.items()))
        expect(result["invalidity"] == "correct" and result["correctness"] == 1, name)
        expect(result["objectives"] == ["time"], "objectives")
        runtimes = result["times"]["runtimes"]
        expect(runtimes and all(is_number(time) and time > 0 for time in runtimes), "runtimes")
        measured = {item["name"]: item["value"] for item in result["measurements"]}
        expect(len(measured) == len(result["measurements"]), "a measurement occurs twice")
        expect(all(is_number(value) for value in measured.values()), "%s" % measured)
        expect(all(isinstance(item["unit"], str) for item in result["measurements"]), "units")
        expect(min(runtimes) <= measured["time"] <= max(runtimes), "the time is not among the samples")
        medians[name] = measured["time"] * 1e6
    return medians


LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(%s(?:,%s)*)\} (\S+)" % (LABEL, LABEL))


def check_openmetrics(text):
    """prometheus.io/docs/specs/om/open_metrics_spec, and the older format of node exporter"""
    expect(text.endswith("\n# EOF\n") and text.count("\n# EOF") == 1, "no # EOF at the end")
    families, seen, medians = {}, set(), {}
    name = None
    for line in text[:-len("# EOF\n")].splitlines():
        head = re.fullmatch(r"# (TYPE|UNIT|HELP) (\S+) (.+)", line)
        if head:
            if head.group(1) == "TYPE":
                name = head.group(2)
                expect(name not in families, "family %s occurs twice" % name)
                families[name] = {}
            expect(head.group(2) == name, "%s of another family" % line)
            families[name][head.group(1)] = head.group(3)
            continue
        sample = SAMPLE.fullmatch(line)
        expect(sample, "no sample: %r" % line)
        expect(sample.group(1) == name, "a sample outside its family: %s" % line)
        expect(sample.groups()[:2] not in seen, "a sample occurs twice: %s" % line)
        seen.add(sample.groups()[:2])
        expect(is_number(float(sample.group(3))), "no number: %s" % line)
        labels = {key: re.sub(r"\\(.)", lambda c: "\n" if c.group(1) == "n" else c.group(1), value)
                  for key, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample.group(2))}
        if name == "perflab_case_median_seconds":
            medians["%(kernel)s/%(variant)s/%(config)s" % labels] = float(sample.group(3)) * 1e9
    for name, family in families.items():
        expect(family["TYPE"] == "gauge", "the older format lacks the type of %s" % name)
        expect(name.endswith("_" + family["UNIT"]) if "UNIT" in family else True, "unit of %s" % name)
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        from prometheus_client.parser import text_string_to_metric_families as older
    except ImportError:
        print("skipped: the parser of prometheus_client is not installed")
    else:
        counts = [{family.name: len(family.samples) for family in parser(text)}
                  for parser in (text_string_to_metric_families, older)]
        expect(counts[0] == counts[1] and sum(counts[0].values()) == len(seen), "%s" % counts)
        print("prometheus_client reads it")
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, "promtool: %s" % done.stdout.decode())
        print("promtool accepts it")
    return medians


def printable(name):
    """A name as perflab prints it: bytes that are no characters, and control characters, as \\xNN."""
    text = ""
    for c in name.decode("utf-8", "surrogateescape"):
        if c in "\n\t":
            text += {"\n": "\\n", "\t": "\\t"}[c]
        elif c < " " or "\x7f" <= c < "\xa0" or "\udc80" <= c <= "\udcff":
            text += "".join("\\x%02x" % byte for byte in c.encode("utf-8", "surrogateescape"))
        else:
            text += c
    return text


def stored(path, run):
    """The verified and timed cases of the database."""
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    rows = connection.execute(
        "SELECT kernel || '/' || variant || '/' || config, median_ns FROM trial"
        " WHERE run_id = ? AND status = 'ok' AND median_ns IS NOT NULL", (run,)).fetchall()
    return {printable(name): median for name, median in rows}


CHECKS = {"bmf": check_bmf, "github-action-benchmark": check_github, "lnt": check_lnt,
          "t4": check_t4, "openmetrics": check_openmetrics}


def main():
    form, path, database, run = sys.argv[1:]
    with open(path, encoding="utf-8", newline="") as file:
        medians = CHECKS[form](file.read())
    expected = stored(database, int(run))
    expect(set(medians) == set(expected), "exported and stored cases differ: %s"
           % sorted(set(medians) ^ set(expected)))
    # LNT gets the medians of the rounds, which lie around the median of all samples.
    tolerance = 0.05 if form == "lnt" else 1e-12
    for name, median in medians.items():
        expect(abs(median - expected[name]) <= tolerance * expected[name],
               "%s is %g, stored %g" % (name, median, expected[name]))


if __name__ == "__main__":
    main()
