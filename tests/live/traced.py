#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A target that another tool traces is read as usual; one line names the tracer."""
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target


def tracer_of(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(next(line for line in f if line.startswith("TracerPid:")).split()[1])


def frames_of(process):
    return {t["thread_id"]: t["frames"] for t in process["threads"]}


def test_tracer(python, name, command, end):
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "resting.py", folder) as target:
        target.line()
        target.settle()
        before = frames_of(pyattach.dump(target.pid))
        tracer = subprocess.Popen([c.format(pid=target.pid) for c in command],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            while tracer_of(target.pid) != tracer.pid:
                if tracer.poll() is not None:
                    raise RuntimeError("%s ended" % name)
                os.sched_yield()
            result = pyattach.run("dump", "--pid", target.pid)
            lines = [line for line in result.err.splitlines() if str(tracer.pid) in line]
            tap.ok(result.rc == 0 and len(lines) == 1 and name in lines[0],
                   "%s under %s: one line names it" % (python.version, name), result.err)
            tap.equal(result.text.count("\n    "), sum(len(f) for f in before.values()),
                      "%s under %s: every frame is there" % (python.version, name))
            got = pyattach.dump(target.pid)
            tap.ok(frames_of(got) == before, "%s under %s: the same stacks as before" %
                   (python.version, name))
            tap.ok(not any(t["active"] for t in got["threads"]),
                   "%s under %s: nothing runs" % (python.version, name))
            result = pyattach.run("record", "--pid", target.pid, "-d", "0.2", "-i", "-o", "-",
                                  "-f", "raw")
            tap.ok(result.rc == 0 and result.out, "%s under %s: can be recorded" %
                   (python.version, name), result)
            tap.equal(tracer_of(target.pid), tracer.pid,
                      "%s under %s: is still traced" % (python.version, name))
        finally:
            end(tracer)
            tracer.wait()


def detach_gdb(tracer):
    tracer.stdin.write(b"detach\nquit\n")
    tracer.stdin.close()


def test(python):
    test_tracer(python, "strace", ["strace", "-f", "-qq", "-e", "trace=none", "-p", "{pid}"],
                lambda tracer: tracer.terminate())
    test_tracer(python, "gdb", ["gdb", "-q", "-nx", "-iex", "set debuginfod enabled off",
                                "-iex", "set auto-load no", "-p", "{pid}"], detach_gdb)


supported = pythons.supported()
tap.each(sorted({supported[0], supported[-1]}, key=supported.index), test)
tap.done()
