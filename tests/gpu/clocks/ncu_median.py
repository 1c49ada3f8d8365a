#!/usr/bin/env python3
"""Prints perflab's times of kernels beside those of Nsight Compute.

ncu_median.py DATABASE RUN NCU.csv... : the times of the run, and for each case the median of
gpu__time_duration over the files, which ncu wrote when it profiled the same sweep.
"""

import csv
import sqlite3
import statistics
import sys


def durations(path):
    """Returns {kernel name and grid: microseconds} of one profile."""
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("=="))
        return {(row["Kernel Name"].split("(")[0], row["Grid Size"]):
                float(row["Metric Value"].replace(",", "")) / 1e3 for row in rows}


def main():
    database, label, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    profiles = [durations(path) for path in files]
    apart = []
    print(f"{'case':28} {'time':>8} {'ncu':>8} {'apart':>7} {'events':>8}")
    rows = sqlite3.connect(database).execute(
        "SELECT variant, config, median_ns, (SELECT avg(event_ns) FROM round WHERE trial_id = trial.id),"
        " (SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n')"
        " FROM trial JOIN run ON run.id = run_id WHERE label = ? ORDER BY variant, 5", (label,))
    for variant, config, median_ns, event_ns, n in rows:
        threads = n // 4 if variant == "copy4" else n
        key = (variant, f"({-(-threads // 256)}, 1, 1)")
        ncu = statistics.median(profile[key] for profile in profiles)
        apart.append(median_ns / 1e3 - ncu)
        print(f"{variant + '/' + config:28} {median_ns / 1e3:8.3f} {ncu:8.3f} {apart[-1]:+7.3f}"
              f" {(median_ns + (event_ns or 0)) / 1e3:8.3f}")
    print(f"apart: median {statistics.median(apart):+.3f}, from {min(apart):+.3f} to {max(apart):+.3f} us;"
          f" within 0.2 us: {sum(abs(x) <= 0.2 for x in apart)} of {len(apart)}")


if __name__ == "__main__":
    main()
