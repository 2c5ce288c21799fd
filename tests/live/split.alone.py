#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A known split of time comes out of a recording within two points."""
import os
import struct
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target

FUNCTIONS = ("spend_half", "spend_third", "spend_fifth")
POINTS = 2.0


def spent(path):
    with open(path, "rb") as f:
        return struct.unpack("3d", f.read(24))


def shares(values):
    return [100.0 * v / sum(values) for v in values]


def test(python):
    with tempfile.NamedTemporaryFile() as account, \
            Target(python, "split.py", account.name) as target:
        target.line()
        before = (0, 0, 0)
        while not sum(before):
            data = account.read(24)
            account.seek(0)
            before = struct.unpack("3d", data) if len(data) == 24 else before
        stacks, result = pyattach.record(target.pid, "-r", 1000, "-d", 5)
        after = spent(account.name)
    want = shares([b - a for a, b in zip(before, after)])
    counts = [sum(count for frames, count in stacks if any(f.name == name for f in frames))
              for name in FUNCTIONS]
    total = sum(count for _, count in stacks)
    got = [100.0 * c / total for c in counts]
    text = "got %s of %d samples, the program measured %s" % (
        ["%.2f" % g for g in got], total, ["%.2f" % w for w in want])
    tap.diag("%s: %s" % (python.version, text))
    for name, g, w in zip(FUNCTIONS, got, want):
        tap.ok(abs(g - w) <= POINTS, "%s: %s within %.0f points" % (python.version, name, POINTS),
               "%s\n%s" % (text, result.err))
    tap.ok(sum(counts) <= total, "%s: no sample in two functions" % python.version, text)


tap.each(pythons.supported(), test)
tap.done()
