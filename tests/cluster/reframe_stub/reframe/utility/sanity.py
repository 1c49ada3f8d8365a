"""Deferred functions, which are called at once here."""


class SanityError(Exception):
    pass


def assert_true(condition, message):
    if not condition:
        raise SanityError(message)
    return True


def defer(value):
    return value


def make_performance_function(value, unit):
    return value, unit
