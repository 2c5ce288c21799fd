#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Targets that change under our eyes: threads that come and go, code that is freed, execve."""
import collections
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target, read_stat


def own_faults(frames, thread=None):
    """What of a churning thread's frames belongs to another thread (frames root first)."""
    made = re.compile(r"^(run|bare)(?:_inner)?_(\d+)$")
    kinds = set()
    for frame in frames:
        match = made.match(frame.name)
        if match:
            kinds.add(match.groups())
            if frame.file != "%s %s" % match.groups():
                return "%s in file %s" % (frame.name, frame.file)
    if len(kinds) > 1:
        return "functions of two threads"
    if thread is not None and kinds:
        kind, k = kinds.pop()
        # A thread may have ended before its name could be looked up: none is not wrong.
        if thread and (kind == "bare" or thread != "churn-" + k):
            return "%s_%s in thread %r" % (kind, k, thread)
    return None


def test_churn(python):
    with Target(python, "churn.py") as target:
        target.line()
        stacks, result = pyattach.record(target.pid, "-d", "1", "-r", "1000", "-t", "-i")
        bad = []
        seen = collections.Counter()
        for frames, count in stacks:
            match = re.match(r"^thread \((\d+)\)(?:: (.*))?$", frames[0].text)
            fault = own_faults(frames[1:], match.group(2) or "") if match else "no thread"
            if fault:
                bad.append("%d x %s: %s" % (count, fault, frames))
            seen.update({f.name.partition("_")[0] for f in frames})
            seen["named"] += frames[0].text.partition(": ")[2].startswith("churn-")
        tap.ok(not bad, "%s: threads that come and go keep their own names and frames" %
               python.version, "%d of %d stacks\n%s" % (len(bad), len(stacks),
                                                         "\n".join(bad[:5])))
        tap.ok(seen["run"] and seen["bare"] and seen["named"], "%s: both kinds were seen, and names" % python.version, seen)
        test_churn_dump(python, target)


def test_churn_dump(python, target):
    failed, bad, threads = [], [], 0
    for _ in range(60):
        result = pyattach.run("dump", "--json", "--pid", target.pid)
        if result.rc != 0:
            failed.append(result)
            continue
        for thread in pyattach.json.loads(result.out.decode())["processes"][0]["threads"]:
            threads += 1
            frames = [pyattach.Frame("%(name)s (%(filename)s:%(line)s)" % f)
                      for f in thread["frames"]]
            fault = own_faults(frames, thread["thread_name"] or "")
            if fault or not thread["os_thread_id"]:
                bad.append("%s: %s" % (fault, thread))
    tap.ok(not failed, "%s: threads that come and go: every dump succeeds" % python.version,
           "%d of 60\n%s" % (len(failed), failed[0] if failed else ""))
    tap.ok(not bad, "%s: ... with the right name at each stack" % python.version,
           "%d of %d threads\n%s" % (len(bad), threads, "\n".join(bad[:3])))


def test_makefree(python):
    made = re.compile(r"^f_(\d+)_(\d+)$")
    with Target(python, "makefree.py") as target:
        target.line()
        stacks, result = pyattach.record(target.pid, "-d", "1.2", "-r", "1000")
    bad, good = [], 0
    for frames, count in stacks:
        for frame in frames:
            match = made.match(frame.name)
            here = frame.file and frame.file.startswith("file_")
            if not match:
                # The module's own code, too, runs for a moment: its only statement.
                if here and (frame.name, str(frame.line)) != (
                        "<module>", frame.file.rpartition("_")[2]):
                    bad.append("%d x %s" % (count, frames))
                continue
            first = int(match.group(2))
            if frame.file != "file_%s_%s" % match.groups() or \
                    not first <= (frame.line or first) <= first + 3:
                bad.append("%d x %s" % (count, frames))
            else:
                good += count
    tap.ok(not bad, "%s: code that is made and freed keeps its own names and lines" %
           python.version, "\n".join(bad[:5]))
    tap.ok(good, "%s: ... and is seen" % python.version, result)


def test_execve(python):
    with Target(python, "becomes.py") as target:
        target.line()
        run = pyattach.start("record", "--pid", target.pid, "-f", "raw", "-o", "-")
        # Its sleeps between samples show that it is at work.
        while int(read_switches(run.pid)) < 50:
            os.sched_yield()
        target.say("x")
        result = pyattach.finish(run)
        stacks = pyattach.parse_raw(result.text)
        tap.ok(result.rc == 0 and stacks and
               all(frames[-1].name == "spinner" for frames, _ in stacks
                   if frames[0].name != "<module>"),
               "%s: a target that becomes another program: what was recorded is written" %
               python.version, result)
        tap.ok("ended" in result.err, "%s: ... and it says so" % python.version, result.err)
        tap.ok(read_stat(target.pid)[0] in "RS", "%s: ... the new program lives" % python.version)


def read_switches(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(line for line in f if line.startswith("voluntary_ctxt")).split()[1]


def test(python):
    for one in (test_churn, test_makefree, test_execve):
        tap.each([python], one)


tap.each(pythons.supported(), test)
tap.done()
