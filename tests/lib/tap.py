# SPDX-License-Identifier: MIT
"""TAP from Python: ok() and equal() print a line each, done() the plan and ends the program."""
import sys
import traceback

_state = {"n": 0, "failed": 0}


def diag(text):
    for line in str(text).splitlines():
        print("# " + line.encode("ascii", "backslashreplace").decode())
    sys.stdout.flush()


def ok(good, name, why=None):
    """One test; why is shown when it failed. Returns good as a bool."""
    _state["n"] += 1
    if not good:
        _state["failed"] += 1
    name = name.replace("#", "").encode("ascii", "backslashreplace").decode()
    print("%sok %d - %s" % ("" if good else "not ", _state["n"], name))
    if not good and why is not None:
        diag(why)
    sys.stdout.flush()
    return bool(good)


def equal(got, want, name):
    return ok(got == want, name, "got  %r\nwant %r" % (got, want))


def skip(name, why):
    """For what the machine cannot do (a missing capability); never for a missing program."""
    _state["n"] += 1
    print("ok %d - %s # SKIP %s" % (_state["n"], name, why))
    sys.stdout.flush()


def done():
    print("1..%d" % _state["n"])
    sys.stdout.flush()
    sys.exit(1 if _state["failed"] or not _state["n"] else 0)


def each(things, function):
    """function(thing) for every thing; an exception is a failed test, and the next one runs."""
    for thing in things:
        try:
            function(thing)
        except Exception:
            ok(False, "%s: %s" % (thing, function.__name__), traceback.format_exc())
