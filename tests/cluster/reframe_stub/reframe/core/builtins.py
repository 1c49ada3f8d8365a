"""Variables and hooks."""


def variable(kind, value=None):
    return value


def run_before(stage):
    def mark(function):
        function.runs_before = stage
        return function
    return mark


def sanity_function(function):
    function.runs_before = "sanity"
    return function
