#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""An interpreter of a version that is not supported is refused by its name, never guessed at."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import ROOT, Target


def test(python):
    with Target(python, "idle.py") as target:
        target.line()
        target.settle()
        for args in (["dump"], ["dump", "--json"], ["record", "-d", "1", "-o", "-"]):
            result = pyattach.run(*args, "--pid", target.pid)
            name = "%s: %s" % (python.version, " ".join(args))
            tap.equal((result.rc, result.out), (5, b""), name + ": exit 5, no output")
            tap.ok(python.version in result.err and "3.8" in result.err and "3.13" in result.err
                   and len(result.err.splitlines()) == 1,
                   name + ": names the version and those that are supported", result.err)
        # A table of another version fits no better for being asked for.
        table = os.path.join(ROOT, "offsets", "cpython-3.8.tbl")
        result = pyattach.run("dump", "--pid", target.pid, "--offsets", table)
        tap.ok(result.rc in (1, 2, 5) and result.out == b"" and result.err,
               "%s: with the offsets of 3.8 the self-check refuses it" % python.version, result)


refused = pythons.refused()
tap.each(refused, test)
if not refused:
    tap.skip("unsupported versions", "no such interpreter is installed")
tap.done()
