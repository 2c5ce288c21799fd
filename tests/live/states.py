#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Running and idle as the kernel says; the GIL in the hands of the one that holds it."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target


def fifo():
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "fifo")
    os.mkfifo(path)
    return folder, path


def by_role(dump, roles):
    by_tid = {t["os_thread_id"]: t for t in dump["threads"]}
    return {role: by_tid[tid] for role, tid in roles.items()}


def leaves(stacks):
    """Every function name seen in any sample."""
    return {f.name.rpartition(".")[2] for frames, _ in stacks for f in frames}


def head(dump_text, tid):
    return next(line for line in dump_text.splitlines() if line.startswith("Thread %d " % tid))


def test_spin(python):
    with Target(python, "states.py", "spin") as target:
        roles = target.truth()
        target.settle(but=[roles["spinner"]])
        threads = by_role(pyattach.dump(target.pid), roles)
        tap.equal({r: t["active"] for r, t in threads.items()},
                  {"main": False, "sleeper": False, "spinner": True},
                  "%s: the spinner runs, the others are idle" % python.version)
        tap.equal({r: t["owns_gil"] for r, t in threads.items()},
                  {"main": False, "sleeper": False, "spinner": True},
                  "%s: the spinner holds the GIL" % python.version)
        text = pyattach.run("dump", "-p", hex(target.pid)).text
        tap.equal([head(text, roles[r]) for r in ("main", "sleeper", "spinner")],
                  ['Thread %d (idle): "MainThread"' % roles["main"],
                   'Thread %d (idle): "sleeper"' % roles["sleeper"],
                   'Thread %d (active+gil): "spinner"' % roles["spinner"]],
                  "%s: the text form says so, by a hexadecimal pid" % python.version)
        stacks, _ = pyattach.record(target.pid, "-d", 0.4)
        seen = leaves(stacks)
        tap.ok("spinner" in seen and not seen & {"sleeper", "main_waits"},
               "%s: a recording holds the running thread only" % python.version, seen)
        stacks, _ = pyattach.record(target.pid, "-d", 0.4, "--idle")
        counts = {role: sum(c for frames, c in stacks if role in leaves([(frames, c)]))
                  for role in ("spinner", "sleeper", "main_waits")}
        tap.ok(counts["sleeper"] == counts["main_waits"] > 0 and
               counts["spinner"] <= counts["sleeper"],
               "%s: with --idle every thread counts once a tick" % python.version, counts)


def test_hog(python):
    folder, path = fifo()
    with folder, Target(python, "states.py", "hog", path) as target:
        roles = target.truth()
        with open(path, "wb", buffering=0) as wake:
            wake.write(b"x")
            target.settle(but=[roles["hog"]])
            threads = by_role(pyattach.dump(target.pid), roles)
            tap.equal({r: t["owns_gil"] for r, t in threads.items()},
                      {"main": False, "sleeper": False, "waiter": False, "hog": True},
                      "%s: one thread holds the GIL, one waits for it" % python.version)
            tap.equal({r: t["active"] for r, t in threads.items()},
                      {"main": False, "sleeper": False, "waiter": False, "hog": True},
                      "%s: who waits for the GIL is idle" % python.version)
            tap.equal(threads["hog"]["frames"][0]["name"], "hog",
                      "%s: the leaf is the function that called C" % python.version)
            stacks, _ = pyattach.record(target.pid, "-d", 0.4, "--gil")
            tap.ok(stacks and all(frames[-1].name == "hog" for frames, _ in stacks),
                   "%s: --gil keeps the holder only" % python.version, stacks)
            stacks, _ = pyattach.record(target.pid, "-d", 0.4, "--gil", "--idle")
            tap.ok(stacks and all(frames[-1].name == "hog" for frames, _ in stacks),
                   "%s: --gil keeps the holder only, also with --idle" % python.version, stacks)


def test_fork(python):
    folder, path = fifo()
    with folder, Target(python, "states.py", "fork", path) as target:
        try:
            roles = target.truth()
            target.until_state(roles["holder"], "D")
            threads = by_role(pyattach.dump(target.pid), roles)
            tap.equal((threads["holder"]["active"], threads["holder"]["owns_gil"],
                       threads["holder"]["state"]), (False, True, "D"),
                      "%s: blocked by the kernel with the GIL: idle, and its holder" %
                      python.version)
            stacks, _ = pyattach.record(target.pid, "-d", 0.4, "--gil")
            tap.ok(stacks and all(frames[-1].name == "holder" for frames, _ in stacks),
                   "%s: --gil keeps a holder that is blocked" % python.version, stacks)
            result = pyattach.run("record", "-p", target.pid, "-d", 0.4, "-f", "raw", "-o", "-")
            tap.ok(result.rc == 3 and pyattach.parse_raw(result.text) == [],
                   "%s: without --gil nothing ran, exit 3" % python.version, result)
        finally:
            fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # lets the child go on
            target.leaves_state(roles["holder"], "D")
            os.close(fd)


def test(python):
    test_spin(python)
    test_hog(python)
    test_fork(python)


tap.each(pythons.supported(), test)
tap.done()
