"""Runs the functions that are marked as tests, in their order; prints "N passed, N failed" at the end."""
import importlib
import sys
import traceback

tests = []


def test_with(*modules):
    """Marks a test that gets these modules as arguments. It is skipped if one of them is not installed."""
    def add(function):
        tests.append((modules, function))
        return function
    return add


def test(function):
    return test_with()(function)


def raises(kind, part, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert part in str(error), f"{error!r} lacks {part!r}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def run():
    passed = failed = 0
    for names, function in tests:
        try:
            modules = [importlib.import_module(name) for name in names]
        except ImportError as error:
            print(f"left out: {function.__name__}: {error}")
            continue
        try:
            function(*modules)
            passed += 1
        except Exception:
            failed += 1
            print(f"{function.__name__}:")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)
