#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The work of a sample stays what it is when threads have no name that could be looked up."""
import os
import re
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target

THREADS = 8


def calls(pid, seconds):
    """System calls by name, and ticks, of a recording of that many seconds."""
    with tempfile.NamedTemporaryFile() as log:
        _, result = pyattach.record(pid, "-d", seconds, "-r", "100", "-i", prefix=[
            "strace", "-f", "-qq", "-c", "-U", "calls,name", "-o", log.name],
            env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        text = log.read().decode()
    counts = {name: int(n) for n, name in re.findall(r"^ *(\d+) +(\w+)$", text, re.M)
              if name != "total"}
    samples = int(re.search(r"Recorded (\d+) sample", result.err).group(1))
    return counts, samples / (THREADS + 1)


def per_tick(pid):
    """Calls that one more tick costs: start and end cancel out."""
    short, few = calls(pid, "0.5")
    long, many = calls(pid, "1")
    more = {name: (long[name] - short.get(name, 0)) / (many - few) for name in long}
    # A read of frames is taken again when the reader was interrupted in it, as strace does.
    return ({name: n for name, n in more.items() if n > 0.05},
            sum(n for name, n in more.items() if name != "process_vm_readv"))


def test(python):
    sums = {}
    for kind in ("named", "bare"):
        with Target(python, "unnamed.py", kind, THREADS) as target:
            target.line()
            target.settle()
            by_name, sums[kind] = per_tick(target.pid)
            tap.diag("%s, %s: %.1f calls a tick: %s" % (python.version, kind, sums[kind], ", ".join(
                "%s %.2f" % item for item in sorted(by_name.items()))))
    tap.ok(sums["bare"] <= sums["named"] + 1,
           "%s: nameless threads cost no more system calls a tick" % python.version, sums)


tap.each(pythons.supported(), test)
tap.done()
