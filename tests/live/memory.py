#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Inspecting a forked child does not un-share the pages that it has in common with its parent."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target

PAGES = 16  # thread state, runtime and the pieces of the stack that the child itself writes


def private(pid):
    """Bytes that the process has alone."""
    with open("/proc/%d/smaps_rollup" % pid) as f:
        text = f.read()
    return sum(int(kb) for kb in re.findall(r"Private_\w+: +(\d+) kB", text)) << 10


def test(python):
    with Target(python, "forked.py") as target:
        pids = target.truth()
        for pid in pids.values():
            while True:
                with open("/proc/%d/stat" % pid) as f:
                    if f.read().rsplit(") ", 1)[1][0] == "S":
                        break
        child = pids["child"]
        page = os.sysconf("SC_PAGE_SIZE")
        before = private(child)
        frames = pyattach.dump(child)["threads"][0]["frames"]
        tap.equal([f["name"] for f in frames], ["recurse"] * 51 + ["<module>"],
                  "%s: a forked child is read" % python.version)
        after_dump = private(child)
        pyattach.record(child, "-d", "0.3", "-i", "-r", "200")
        after = private(child)
        tap.ok(after_dump - before <= PAGES * page and after - before <= PAGES * page,
               "%s: at most %d pages are no longer shared" % (python.version, PAGES),
               "%d pages by a dump, %d with a recording" % ((after_dump - before) // page,
                                                            (after - before) // page))
        tap.diag("%s: %d pages by a dump, %d with a recording" % (
            python.version, (after_dump - before) // page, (after - before) // page))
        tap.ok(before > 0, "%s: the figures are real" % python.version, before)


tap.each(pythons.supported(), test)
tap.done()
