#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A stopped target is dumped like any other and stays stopped; stops do not harm a recording."""
import os
import signal
import sys
import tempfile
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target, read_stat, tasks


def frames_of(process):
    return {t["thread_id"]: t["frames"] for t in process["threads"]}


def stop(target):
    os.kill(target.pid, signal.SIGSTOP)
    for tid in tasks(target.pid):
        target.until_state(tid, "T")


def test_stopped(python):
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "resting.py", folder) as target:
        target.line()
        target.settle()
        before = frames_of(pyattach.dump(target.pid))
        stop(target)
        got = pyattach.dump(target.pid)
        tap.ok(frames_of(got) == before, "%s: the stacks of a stopped process" % python.version)
        tap.equal({t["state"] for t in got["threads"]}, {"T"}, "%s: states" % python.version)
        tap.ok(not any(t["active"] for t in got["threads"]), "%s: all idle" % python.version)
        result = pyattach.run("record", "--pid", target.pid, "-d", "0.3", "-o", "-", "-f", "raw")
        tap.ok(result.rc == 3 and not pyattach.parse_raw(result.text), "%s: nothing to record, exit 3" %
               python.version, result)
        tap.equal({read_stat(target.pid, t)[0] for t in tasks(target.pid)}, {"T"},
                  "%s: it is still stopped" % python.version)
        os.kill(target.pid, signal.SIGCONT)
        target.settle()
        tap.ok(frames_of(pyattach.dump(target.pid)) == before, "%s: and goes on when told" %
               python.version)


def test_stopped_busy(python):
    """Stopped in the middle of its work: two looks see the same, and it is a legal place."""
    with Target(python, "busy.py", "mixed", 5, 20, 2) as target:
        target.line()
        stop(target)
        first, second = pyattach.dump(target.pid), pyattach.dump(target.pid)
        tap.ok(frames_of(first) == frames_of(second) and
               not any(t["moving"] for t in first["threads"]),
               "%s: a busy process that is stopped does not move" % python.version)
        tap.ok(all(t["frames"][-1]["name"].rpartition(".")[2] in ("<module>", "_bootstrap")
                   for t in first["threads"]),
               "%s: every stack reaches its root" % python.version, first)


def storm(pid, over):
    """50 stops a second, until told that it is over."""
    while not over.wait(0.01):
        os.kill(pid, signal.SIGSTOP)
        over.wait(0.01)
        os.kill(pid, signal.SIGCONT)


def test_storm(python):
    with Target(python, "states.py", "spin") as target:
        roles = target.truth()
        over = threading.Event()
        thread = threading.Thread(target=storm, args=(target.pid, over))
        thread.start()
        try:
            stacks, result = pyattach.record(target.pid, "-d", "1.2", "-r", "200")
        finally:
            over.set()
            thread.join()
        # A thread that slept runs for a moment when it goes on.
        leaves = {frames[-1].name for frames, _ in stacks}
        tap.ok("spinner" in leaves and leaves <= {"spinner", "sleeper", "main_waits"},
               "%s: a storm of stops: what ran is recorded" % python.version, stacks)
        tap.ok("changed while read" not in result.err and "ending thread" not in result.err,
               "%s: a storm of stops: nothing is lost" % python.version, result.err)
        tap.ok("that were not running" in result.err,
               "%s: a storm of stops: what was stopped is idle" % python.version, result.err)
        for tid in tasks(target.pid):
            target.leaves_state(tid, "T")
        ticks = int(read_stat(target.pid, roles["spinner"])[11])
        while int(read_stat(target.pid, roles["spinner"])[11]) == ticks:
            os.sched_yield()
        tap.ok(True, "%s: a storm of stops: the target computes on" % python.version)


def test(python):
    test_stopped(python)
    test_stopped_busy(python)
    test_storm(python)


tap.each(pythons.supported(), test)
tap.done()
