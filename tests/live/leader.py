#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A process whose first thread has ended is read through those that live."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target


def test(python):
    with Target(python, "leader.py") as target:
        truth = target.truth()
        assert target.line() == "spins"
        target.until_state(target.pid, "Z")
        threads = {t["thread_name"]: t for t in truth["threads"]}
        spinner = threads["spinner"]["os_thread_id"]
        target.settle(but=[spinner, target.pid])
        # It may still be on its way back from telling.
        for _ in range(100):
            got = {t["os_thread_id"]: t for t in pyattach.dump(target.pid)["threads"]}
            if got[spinner]["owns_gil"]:
                break
        for name in ("rests", "teller"):
            thread = got.get(threads[name]["os_thread_id"], {"frames": []})
            frames = [[f["name"], f["filename"], f["line"], f["first_line"]]
                      for f in thread["frames"]]
            tap.equal(frames, threads[name]["frames"], "%s: thread %s" % (python.version, name))
        tap.ok(got[spinner]["active"] and got[spinner]["owns_gil"],
               "%s: the spinner runs with the GIL" % python.version, got[spinner])
        main = [t for t in got.values() if t["is_main"]]
        tap.ok(not any(t["active"] or t["owns_gil"] for t in main),
               "%s: the thread that has ended does nothing" % python.version, main)
        stacks, _ = pyattach.record(target.pid, "-d", "0.5")
        tap.ok(stacks and all(frames[-1].name == "spinner" for frames, _ in stacks),
               "%s: a recording holds the spinner" % python.version, stacks)


tap.each(pythons.supported(), test)
tap.done()
