#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Oracle: what dump tells of a resting target equals what the target tells of itself."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target, sane


def frames_of(thread):
    return [[f["name"], f["filename"], f["line"], f["first_line"]] for f in thread["frames"]]


def want_frames(thread):
    return [[sane(name), sane(path), line, first] for name, path, line, first in thread["frames"]]


def first_difference(got, want):
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            return "frame %d of %d (leaf first):\n got  %.300r\n want %.300r" % (i, len(want), g, w)
    return "got %d frames, want %d; next: %.300r" % (
        len(got), len(want), (got + want)[min(len(got), len(want)):][:2])


def compare_threads(python, got, truth):
    by_id = {t["thread_id"]: t for t in got["threads"]}
    tap.equal(sorted(by_id), sorted(t["thread_id"] for t in truth["threads"]),
              "%s: thread ids" % python.version)
    bad = []
    for want in truth["threads"]:
        thread = by_id.get(want["thread_id"])
        if thread is None:
            continue
        what = "thread %.40s" % want["thread_name"]
        for key, value in (("pid", truth["pid"]), ("os_thread_id", want["os_thread_id"]),
                           ("thread_name", sane(want["thread_name"]) or None), ("active", False),
                           ("is_main", want["is_main"]), ("moving", False),
                           ("truncated", False), ("state", "S")):
            if thread[key] != value:
                bad.append("%s: %s is %.200r, want %.200r" % (what, key, thread[key], value))
        if frames_of(thread) != want_frames(want):
            bad.append("%s: %s" % (what, first_difference(frames_of(thread), want_frames(want))))
    tap.ok(not bad, "%s: %d threads as they tell of themselves" % (
        python.version, len(truth["threads"])), "\n".join(bad))


def compare_process(python, target, got, truth):
    version = python.version
    tap.equal(got["pid"], truth["pid"], "%s: pid" % version)
    tap.equal(got["python"], truth["python"], "%s: version" % version)
    tap.equal(got["executable"], truth["executable"], "%s: executable" % version)
    tap.equal(got["cmdline"], " ".join(target.process.args), "%s: command line" % version)
    tap.equal(got["os_threads_without_python"], truth["native"],
              "%s: OS threads without Python" % version)
    tap.ok(got["threads"] and got["threads"][0]["is_main"], "%s: main thread first" % version)
    # Everything sleeps in calls that let go of the GIL.
    tap.equal([t["os_thread_id"] for t in got["threads"] if t["owns_gil"]], [],
              "%s: nobody holds the GIL" % version)


def compare_text(python, pid, truth):
    """The text form names the same threads and as many frames."""
    result = pyattach.run("dump", "--pid", pid, "--full-filenames")
    lines = result.text.split("\n")
    heads = [line for line in lines if line.startswith("Thread ")]
    frames = [line for line in lines if line.startswith("    ")]
    wanted = sum(len(t["frames"]) for t in truth["threads"])
    tap.ok(result.rc == 0 and len(heads) == len(truth["threads"]) and len(frames) == wanted,
           "%s: text form has %d threads and %d frames" % (python.version, len(truth["threads"]),
                                                           wanted),
           "exit %d, %d threads, %d frames\n%s" % (result.rc, len(heads), len(frames), result.err))
    tap.ok(all("(idle)" in head for head in heads), "%s: text form calls all idle" %
           python.version, "\n".join(h for h in heads if "(idle)" not in h)[:500])
    tap.ok(not any(c in result.text for c in "\x1b\t\r"),
           "%s: text form holds no control bytes" % python.version)
    main = next(t for t in truth["threads"] if t["is_main"])
    block = lines[lines.index(heads[0]) + 1:][:len(main["frames"])]
    tap.equal(block, ["    %s (%s:%d)" % (sane(name), sane(path), line)
                      for name, path, line, _ in main["frames"]],
              "%s: text form of the main thread" % python.version)


def test(python):
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "resting.py", folder) as target:
        truth = target.truth()
        target.settle()
        got = pyattach.dump(target.pid)
        compare_process(python, target, got, truth)
        compare_threads(python, got, truth)
        compare_text(python, target.pid, truth)


tap.each(pythons.supported(), test)
tap.done()
