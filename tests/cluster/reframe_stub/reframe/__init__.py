"""Stands in for ReFrame where it is not installed: what scripts/reframe/ uses of it, and a runner.

    python3 -m reframe -c CHECK [-S CLASS.VARIABLE=VALUE] -r

It runs the hooks of one check in ReFrame's order, with its command in a shell. The output has the
words of ReFrame that tests/cluster/test_reframe.sh looks for.
"""
found = []


class Skipped(Exception):
    pass


class RunOnlyRegressionTest:
    stagedir = "."

    def skip_if(self, condition, reason):
        if condition:
            raise Skipped(reason)


def simple_test(check):
    found.append(check)
    return check
