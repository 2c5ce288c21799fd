#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A recording of busy threads holds legal stacks only; an unknown leaf is marked as moving."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target

# Mode, depth, work in a leaf, threads (see the program).
RUNS = [("calls", 7, 0, 1), ("calls", 7, 100, 1), ("calls", 5, 3000, 1), ("mixed", 5, 20, 1), ("mixed", 6, 0, 3)]
SECONDS = 1.5


class Tree:
    def __init__(self, told):
        self.edges = {tuple(e) for e in told["edges"]}
        self.lines = told["lines"]
        self.by_frame = {}
        for identity, lines in self.lines.items():
            name = identity.rpartition(" ")[0]
            for line in lines:
                self.by_frame.setdefault((name, line), []).append(identity)


class Judge:
    def __init__(self, truth):
        self.trees = {t["name"]: Tree(t) for t in truth["trees"]}
        self.roots = [[tuple(f) for f in root] for root in truth["roots"]]
        # The main thread runs once more, to the call in which it rests, as soon as it may.
        self.roots.append([tuple(f) for f in truth["main"]])

    def fault(self, frames):
        """What is wrong with one stack (frames root first), or None."""
        if frames[-1].mark:
            if frames[-1].text != "[moving]":
                return "unknown mark"
            frames = frames[:-1]
        if any(f.mark for f in frames):
            return "a mark inside"
        if any(f.name.endswith("told") for f in frames):
            return None  # still starting
        i = 0
        while i < len(frames) and frames[i].file not in self.trees:
            i += 1
        return self.outer_fault(frames[:i], i == len(frames)) or self.tree_fault(frames[i:])

    def outer_fault(self, frames, leaf):
        got = [(f.name, f.file, f.line) for f in frames]
        for root in self.roots:
            if got == root[:len(got)] and (leaf or len(got) == len(root)):
                return None
            if leaf and got[:-1] == root[:len(got) - 1] and got[-1][:2] == root[len(got) - 1][:2]:
                return None
        return "outer frames"

    def tree_fault(self, frames):
        if not frames:
            return None
        tree = self.trees[frames[0].file]
        parent, parent_line = "", 0
        for frame in frames:
            if frame.file != frames[0].file:
                return "two trees in one stack"
            for identity in tree.by_frame.get((frame.name, frame.line), []):
                if (identity, parent, parent_line) in tree.edges:
                    break
            else:
                return "%s (%s) below %s line %s" % (frame.name, frame.line, parent, parent_line)
            parent, parent_line = identity, frame.line
        return None


def test_run(python, run):
    with Target(python, "busy.py", *run) as target:
        judge = Judge(target.truth())
        for tid in os_threads(target):
            pin(0, tid)
        target.settle(but=[t for t in os_threads(target) if t != target.pid])
        stacks, result = pyattach.record(target.pid, "-r", 1000, "-d", SECONDS,
                                         "--full-filenames", preexec_fn=lambda: pin(1))
    name = "%s: %s, depth %d, work %d, %d threads" % ((python.version,) + run)
    total = sum(count for _, count in stacks)
    moving = sum(count for frames, count in stacks if frames[-1].text == "[moving]")
    bad = [(judge.fault(frames), count, frames) for frames, count in stacks
           if judge.fault(frames)]
    # 3.11 publishes the C frame of a call from C before that frame points to anything, and GCC may
    # move both stores behind it: for about a sample in a thousand the interpreter's own memory
    # holds an impossible stack, also while the thread is stopped (measured: up to 0.35 %).
    # Up to 3.10 every frame is copied by itself: two equal copies can still be of two instants.
    window = 0.01 if python.minor <= (3, 11) and run[0] == "mixed" else 0
    tap.ok(sum(b[1] for b in bad) <= window * total, "%s: no impossible stack" % name,
           "%d of %d samples\n" % (sum(b[1] for b in bad), total) +
           "\n".join("%s: %d x %s" % (b[0], b[1], b[2]) for b in bad[:5]))
    # Up to 3.10 two copies of a stack take longer than a fast leaf.
    if run[2] >= 1000 or (run[0] == "calls" and run[2] >= 100 and python.minor >= (3, 11)):
        tap.ok(total > moving, "%s: some leaves are known" % name, str(result))
    dropped = re.search(r"(\d+) changed while read", result.err)
    dropped = int(dropped.group(1)) if dropped else 0
    tap.diag("%s: %d samples, %d moving, %d dropped" % (name, total, moving, dropped))
    # What is lost depends on what the thread does, so losses are a bias.
    tap.ok(dropped * 20 <= total + dropped, "%s: at most 5 %% of the looks are lost" % name,
           result.err)
    told = {frames[i].file for frames, _ in stacks for i in range(len(frames))}
    if run[2] >= 1000 or python.minor >= (3, 11):
        tap.ok(all(tree in told for tree in judge.trees), "%s: every thread was seen" % name, told)


def pin(which, tid=0):
    """To one of the machine's processors: apart, reader and target really run at once."""
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(tid, {cpus[which % len(cpus)]})


def os_threads(target):
    return [int(t) for t in os.listdir("/proc/%d/task" % target.pid)]


def test(python):
    for run in RUNS:
        test_run(python, run)


tap.each(pythons.supported(), test)
tap.done()
