#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""What the options of record count and show, on targets whose answer is known."""
import datetime
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target

SHORT = ["-d", "0.3", "-r", "200"]


def test_merging(python):
    """-F merges by first line, --nolineno by function; the counts stay."""
    with Target(python, "busy.py", "mixed", 4, 3000, 1) as target:
        truth = target.truth()["trees"][0]
        first_lines = {tuple(i.rpartition(" ")[::2]) for i in truth["lines"]}
        stacks, _ = pyattach.record(target.pid, *SHORT, "-F", "--full-filenames")
        frames = {(f.name, f.file, str(f.line)) for stack, _ in stacks for f in stack
                  if f.file == truth["name"]}
        tap.ok(frames and {(n, line) for n, _, line in frames} <= first_lines,
               "%s: -F shows the first line of every function" % python.version,
               sorted({(n, line) for n, _, line in frames} - first_lines)[:10])
        stacks, _ = pyattach.record(target.pid, *SHORT, "--nolineno")
        tap.ok(stacks and all(f.line is None for stack, _ in stacks for f in stack),
               "%s: --nolineno shows no line" % python.version)
        texts = [";".join(f.text for f in stack) for stack, _ in stacks]
        # The main thread may run once more, to the call in which it rests.
        tap.ok(len(set(texts)) == len(texts) and
               all("(%s)" % truth["name"] in t or "[moving]" in t or t.startswith("<module>")
                   for t in texts),
               "%s: --nolineno merges what has become equal" % python.version)
        stacks, _ = pyattach.record(target.pid, *SHORT)
        texts = [";".join(f.text for f in stack) for stack, _ in stacks]
        tap.equal(len(set(texts)), len(texts), "%s: every stack is told once" % python.version)


def test_threads(python):
    with Target(python, "busy.py", "calls", 2, 500, 3) as target:
        target.line()
        stacks, _ = pyattach.record(target.pid, *SHORT, "-t", "-i")
        roots = {stack[0].text for stack, _ in stacks}
        threads = pyattach.dump(target.pid)["threads"]
        want = {"thread (%d): %s" % (t["os_thread_id"], t["thread_name"]) for t in threads}
        # In folded stacks a blank before a number at the end would be taken for a count.
        tap.equal({r.replace("_", " ") for r in roots}, want,
                  "%s: -t gives each thread its root" % python.version)
        stacks, _ = pyattach.record(target.pid, *SHORT, "-i")
        roots = {stack[0].name.rpartition(".")[2] for stack, _ in stacks
                 if stack[0].text != "[moving]"}
        tap.equal(roots, {"<module>", "_bootstrap"}, "%s: without it they merge" %
                  python.version)


def test_count(python):
    """With -i every thread counts once a tick, whatever it does."""
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "resting.py", folder) as target:
        n = len(target.truth()["threads"])
        target.settle()
        stacks, result = pyattach.record(target.pid, "-d", "0.5", "-r", "50", "-i", "-t")
        counts = [count for _, count in stacks]
        tap.ok(len(counts) == n and len(set(counts)) == 1 and 1 <= counts[0] <= 26,
               "%s: one sample a thread and tick of %d threads" % (python.version, n),
               "%d stacks, counts %s" % (len(counts), sorted(set(counts))))
        tap.ok("Recorded %d samples of %d threads" % (sum(counts), n) in result.err,
               "%s: the summary counts them too" % python.version, result.err)


def suffixes(python):
    """The format follows --format, then the suffix, then the default."""
    cases = [("a.svg", [], "svg"), ("b.SVG", [], "svg"), ("c.txt", [], "raw"),
             ("d.folded", [], "raw"), ("e", [], "svg"), ("f.svg", ["-f", "RAW"], "raw"),
             ("g.txt", ["-f", "Flamegraph"], "svg"), ("h", ["--format", "collapsed"], "raw"),
             ("i", ["--format=folded"], "raw"), ("j.txt", ["-f", "SvG"], "svg")]
    with tempfile.TemporaryDirectory() as folder, Target(python, "states.py", "spin") as target:
        target.line()
        for name, args, want in cases:
            path = os.path.join(folder, name)
            result = pyattach.run("record", "-p", target.pid, *SHORT, "-o", path, *args)
            with open(path) as f:
                text = f.read()
            if want == "svg":
                good = text.startswith("<?xml") and text.rstrip().endswith("</svg>")
            else:
                good = bool(pyattach.parse_raw(text))
            tap.ok(result.rc == 0 and good, "%s %s is %s" % (name, " ".join(args), want),
                   "%s\n%s" % (result, text[:200]))
            tap.equal(result.err.splitlines()[-1], "Output: " + os.path.realpath(path),
                      "%s: the summary ends in the absolute path" % name)
        for args in (["-f", "svg", "-o", "-"], ["-o", "-"]):
            result = pyattach.run("record", "-p", target.pid, *SHORT, *args)
            tap.ok(result.rc == 0 and result.text.startswith("<?xml"),
                   "%s: a picture on stdout" % " ".join(args), result)


def default_names(python):
    """A default name never takes a file's place; a given name does."""
    with tempfile.TemporaryDirectory() as folder, Target(python, "states.py", "spin") as target:
        target.line()
        now = datetime.datetime.now(datetime.timezone.utc)
        taken = []
        for second in range(120):
            stamp = (now + datetime.timedelta(seconds=second)).strftime("%Y%m%dT%H%M%SZ")
            name = "pyattach-%d-%s.svg" % (target.pid, stamp)
            with open(os.path.join(folder, name), "w") as f:
                f.write("mine")
            taken.append(name)
        result = pyattach.run("record", "-p", target.pid, *SHORT, cwd=folder)
        new = sorted(set(os.listdir(folder)) - set(taken))
        kept = all(open(os.path.join(folder, name)).read() == "mine" for name in taken)
        tap.ok(result.rc == 0 and kept and len(new) == 1,
               "a default name that is taken: another one is found", "%s\n%s" % (result, new))
        tap.ok(result.err.splitlines()[-1] == "Output: " +
               os.path.join(os.path.realpath(folder), new[0] if new else "?"),
               "... and told", result.err)
        path = os.path.join(folder, taken[0])
        pyattach.run("record", "-p", target.pid, *SHORT, "-o", path)
        with open(path) as f:
            tap.ok(f.read().startswith("<?xml"), "a name that was given is overwritten")


def demo(python):
    """The program of the demonstration is worth a look: several threads with work of their own."""
    with Target(python, "demo.py") as target:
        tap.ok(target.line().startswith("ready "), "the demo's program is ready")
        stacks, result = pyattach.record(target.pid, "-d", "3", "-r", "200", "-t", "-i")
        roots = {stack[0].text.partition(": ")[2] for stack, _ in stacks}
        tap.ok({"MainThread", "http-server", "client-0", "parser", "order-writer"} <= roots and
               any(r.startswith("http-") and r != "http-server" for r in roots),
               "its threads are told by name", roots)
        names = {f.name.rpartition(".")[2] for stack, _ in stacks for f in stack}
        tap.ok({"do_GET", "parse_table", "parse_program", "client"} <= names,
               "its work is seen", sorted(names))


def test(python):
    for one in (test_merging, test_threads, test_count):
        tap.each([python], one)


tap.each(pythons.supported(), test)
for one in (suffixes, default_names, demo):
    tap.each([pythons.newest()], one)
tap.done()
