"""
What pairs.sh measured.
usage: pairs.py offsets DATABASE       the lines of spin and copy: KERNEL AXIS OFFSET
       pairs.py report DATABASE FILE   the table; exits with 1 if a figure of issue 14 is missed
"""
import math
import sqlite3
import statistics
import sys

AXES = {"spin": "trips", "copy": "count"}
SHORTEST_NS = 20e3


def rows(db, sql, *values):
    return db.execute(sql, values).fetchall()


def lines(db):
    """Time = slope * (x + offset) for each kernel and block size, by least squares."""
    found = {}
    for kernel, axis in AXES.items():
        points = {}
        for x, block, median in rows(
            db,
            """SELECT x.value, block.value, median_ns FROM trial JOIN run ON run.id = run_id
                JOIN axis AS x ON x.trial_id = trial.id AND x.name = ?
                JOIN axis AS block ON block.trial_id = trial.id AND block.name = 'block'
                WHERE run.label = 'lines' AND kernel = ? AND median_ns > 0""",
            axis,
            kernel,
        ):
            points.setdefault(block, []).append((x, median))
        for block, pairs in points.items():
            mean_x = statistics.mean(x for x, _ in pairs)
            mean_y = statistics.mean(y for _, y in pairs)
            slope = sum((x - mean_x) * (y - mean_y) for x, y in pairs) / sum(
                (x - mean_x) ** 2 for x, _ in pairs
            )
            off = max(abs(mean_y + slope * (x - mean_x) - y) / y for x, y in pairs)
            found[kernel, block] = (slope, mean_y / slope - mean_x, off)
    return found


def offsets(db):
    found = lines(db)
    for kernel, axis in AXES.items():
        of_kernel = sorted(offset for (k, _), (_, offset, _) in found.items() if k == kernel)
        # so that most block sizes get at least what is asked for
        print(kernel, axis, max(0, math.ceil(of_kernel[len(of_kernel) * 3 // 4])))


def planted(db, found):
    """(kernel, asked for, true share of the time, verdict, speed-up) of each planted pair."""
    own_offsets = {
        kernel: max(
            0,
            math.ceil(
                sorted(o for (k, _), (_, o, _) in found.items() if k == kernel)[
                    len([1 for k, _ in found if k == kernel]) * 3 // 4
                ]
            ),
        )
        for kernel in AXES
    }
    result = []
    for kernel, axis in AXES.items():
        for variant, parts in (("plus10", 100), ("plus05", 200)):
            for x, block, verdict, speedup, base_ns in rows(
                db,
                """SELECT x.value, block.value, coalesce(verdict, why), speedup, base_median_ns
                    FROM speedups JOIN axis AS x ON x.trial_id = speedups.trial_id AND x.name = ?
                    JOIN axis AS block ON block.trial_id = speedups.trial_id
                        AND block.name = 'block'
                    WHERE label = 'planted' AND kernel = ? AND variant = ?""",
                axis,
                kernel,
                variant,
            ):
                slope, offset, _ = found[kernel, block]
                extra = (x + own_offsets[kernel] + parts - 1) // parts
                result.append((kernel, 1 / parts, extra / (x + offset), verdict, speedup, base_ns))
    return result


def beside_and_alone(db):
    """Whether a trial measured beside a base case compares with one measured alone: the base case is
    measured in both ways in the same run."""
    apart = [
        100 * math.log(beside / alone)
        for beside, alone in rows(
            db,
            """SELECT base_median_ns, base.median_ns FROM speedups
                JOIN trial AS base ON base.id = base_trial_id
                WHERE base_median_ns > 0 AND base.median_ns > 0""",
        )
    ]
    quarters = statistics.quantiles(apart, n=20) if len(apart) > 1 else [math.nan] * 19
    return ["", "## Beside and alone", "",
            f"The same operation beside another takes {statistics.median(apart):+.3f} % more time "
            f"than alone (median of {len(apart)}; 5 % of them below {quarters[0]:+.3f} %, 5 % above "
            f"{quarters[-1]:+.3f} %)."]


def report(db, path):
    found = lines(db)
    text = ["# Pairs beside a base variant", ""]
    failed = []
    device = rows(db, "SELECT name FROM device")[0][0]
    text.append(f"{device}, default settings.")
    text += ["", "## Equal code", ""]
    text.append("| kernel | pairs | called different | same | inconclusive | not measured "
                "| spread of the speed-up | half width, median | not on the same buffers |")
    text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    total = different = 0
    for (kernel,) in rows(db, "SELECT DISTINCT kernel FROM speedups WHERE variant IN ('same', 'new')"
                              " ORDER BY kernel"):
        pairs = rows(db, "SELECT coalesce(verdict, 'none'), speedup, low, high, same_buffers"
                         " FROM speedups WHERE kernel = ? AND variant IN ('same', 'new')", kernel)
        count = {v: sum(p[0] == v for p in pairs)
                 for v in ("faster", "slower", "same", "inconclusive", "none")}
        timed = [p for p in pairs if p[1]]
        wrong = count["faster"] + count["slower"]
        spread = statistics.pstdev(100 * math.log(p[1]) for p in timed) if timed else math.nan
        reach = statistics.median(50 * math.log(p[3] / p[2]) for p in timed) if timed else math.nan
        text.append(f"| {kernel} | {len(timed)} | {wrong} | {count['same']} "
                    f"| {count['inconclusive']} | {count['none']} | {spread:.3f} % | {reach:.3f} % "
                    f"| {sum(p[4] != 1 for p in timed)} |")
        total += len(timed)
        different += wrong
    text += ["", f"{different} of {total} pairs of equal code are called different "
                 f"({100 * different / max(total, 1):.2f} %; asked: under 1 % of at least 1,000)."]
    if total < 1000 or different >= 0.01 * total:
        failed.append("equal code")

    text += beside_and_alone(db)
    text += ["", "## Planted differences", "",
             "The true share is that of the fitted line; `off` is the largest distance of a median "
             "from its line.", ""]
    text.append("| kernel | planted | true share, least to most | pairs over 20 us | found | wrong way "
                "| mean error of the speed-up | off |")
    text.append("|---|--:|---|--:|--:|--:|--:|--:|")
    found_of = {}
    pairs = planted(db, found)
    for kernel in AXES:
        off = max(o for (k, _), (_, _, o) in found.items() if k == kernel)
        for share in (0.01, 0.005):
            mine = [p for p in pairs if p[0] == kernel and p[1] == share]
            long = [p for p in mine if p[5] and p[5] > SHORTEST_NS]
            hit = sum(p[3] == "slower" for p in long)
            if not long:
                failed.append(f"{kernel} {share}: nothing was measured")
                continue
            error = statistics.mean(100 * abs(1 / p[4] - 1 - p[2]) for p in long)
            text.append(f"| {kernel} | {100 * share:g} % | {100 * min(p[2] for p in long):.3f} to "
                        f"{100 * max(p[2] for p in long):.3f} % | {len(long)} | {hit} "
                        f"| {sum(p[3] == 'faster' for p in long)} | {error:.3f} % | {100 * off:.2f} % |")
            old = found_of.get(share, (0, 0))
            found_of[share] = (old[0] + hit, old[1] + len(long))
    text.append("")
    for share, asked in ((0.01, 0.99), (0.005, 0.95)):
        hit, tries = found_of.get(share, (0, 0))
        text.append(f"{100 * share:g} % is found in {hit} of {tries} pairs "
                    f"({100 * hit / max(tries, 1):.1f} %; asked: {100 * asked:g} % of 200).  ")
        if tries < 200 or hit < asked * tries:
            failed.append(f"{100 * share:g} %")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    print("\n".join(text))
    print("missed: " + ", ".join(failed) if failed else "all figures are reached")
    return 1 if failed else 0


def main():
    db = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
    if sys.argv[1] == "offsets":
        offsets(db)
        return 0
    return report(db, sys.argv[3])


sys.exit(main())
