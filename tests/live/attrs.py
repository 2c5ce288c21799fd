#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Short file names and modules follow the target's own sys.path."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import PROGRAMS, Target


def test(python):
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "attrs.py", os.path.realpath(folder), cwd=PROGRAMS) as target:
        truth = {path: tuple(names) for path, names in target.truth().items()}
        target.settle()
        frames = pyattach.dump(target.pid)["threads"][0]["frames"]
        got = {f["filename"]: (f["short_filename"], f["module"]) for f in frames}
        tap.equal(got, truth, "%s: short names and modules" % python.version)
        text = pyattach.run("dump", "--pid", target.pid).text
        full = pyattach.run("dump", "--pid", target.pid, "--full-filenames").text
        tap.equal([line.rsplit("(", 1)[1].rsplit(":", 1)[0] for line in text.splitlines()
                   if line.startswith("    ")], [f["short_filename"] for f in frames],
                  "%s: the text form has the short names" % python.version)
        tap.equal([line.rsplit("(", 1)[1].rsplit(":", 1)[0] for line in full.splitlines()
                   if line.startswith("    ")], [f["filename"] for f in frames],
                  "%s: and the full ones when asked" % python.version)
        stacks, _ = pyattach.record(target.pid, "-d", "0.2", "-i")
        tap.equal([f.file for f in stacks[0][0]], [f["short_filename"] for f in frames][::-1],
                  "%s: so has a recording" % python.version)
        stacks, _ = pyattach.record(target.pid, "-d", "0.2", "-i", "--full-filenames")
        tap.equal([f.file for f in stacks[0][0]], [f["filename"] for f in frames][::-1],
                  "%s: likewise when asked" % python.version)


tap.each(pythons.supported(), test)
tap.done()
