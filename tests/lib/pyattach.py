# SPDX-License-Identifier: MIT
"""Running the program under test (PYATTACH, else build/release/pyattach) and reading its output."""
import json
import os
import re
import subprocess
import sys

import target

BINARY = os.path.abspath(os.environ.get("PYATTACH") or
                         os.path.join(target.ROOT, "build", "release", "pyattach"))
if not os.access(BINARY, os.X_OK):
    print("Bail out! %s is missing: run make first" % BINARY)
    sys.exit(1)

# Only a guard against a hang: nothing is expected to come near it.
HANG_SECONDS = 300


class Result:
    def __init__(self, rc, out, err):
        self.rc, self.out = rc, out
        self.err = err.decode("utf-8", "replace")
        if "Sanitizer" in self.err or "runtime error:" in self.err:
            raise RuntimeError("sanitizer report:\n" + self.err)

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    def __str__(self):
        return "exit %d\nstdout: %s\nstderr: %s" % (self.rc, self.text[:2000], self.err[:2000])


def command(*args):
    return [BINARY] + [str(a) for a in args]


def run(*args, prefix=(), **popen):
    """Runs it to its end; prefix is put before the command line (strace, setpriv)."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(list(prefix) + command(*args), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=HANG_SECONDS, **popen)
    return Result(done.returncode, done.stdout, done.stderr)


def start(*args, prefix=(), **popen):
    """Starts it; the caller ends it (finish or kill)."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.PIPE)
    popen.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(list(prefix) + command(*args), **popen)


def finish(process):
    out, err = process.communicate(timeout=HANG_SECONDS)
    return Result(process.returncode, out or b"", err or b"")


def dump(pid, *args, **popen):
    """The one process of a dump --json."""
    result = run("dump", "--json", "--pid", pid, *args, **popen)
    if result.rc != 0:
        raise RuntimeError("dump failed: %s" % result)
    whole = json.loads(result.out.decode("utf-8"))
    if whole["schema"] != "pyattach.dump/1" or len(whole["processes"]) != 1:
        raise RuntimeError("unexpected dump: %s" % result)
    return whole["processes"][0]


FRAME = re.compile(r"^(.*?) \((.*?)(?::(\d+|\?))?\)$", re.S)


class Frame:
    """A frame of a folded stack; file is None for a mark such as [moving], line where none is told."""

    def __init__(self, text):
        match = None if text.startswith(("[", "thread (")) else FRAME.match(text)
        self.text = text
        self.name = match.group(1) if match else text
        self.file = match.group(2) if match else None
        self.line = int(match.group(3)) if match and (match.group(3) or "?") != "?" else None
        self.mark = match is None

    def __repr__(self):
        return self.text


def parse_raw(text):
    """Folded stacks: a list of (frames root first, count); raises on anything but remarks."""
    stacks = []
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        stack, _, count = line.rpartition(" ")
        if not stack or not count.isdigit() or int(count) < 1:
            raise ValueError("not a folded line: %r" % line)
        stacks.append(([Frame(f) for f in stack.split(";")], int(count)))
    return stacks


def record(pid, *args, expect=0, **popen):
    """Records to stdout as raw; returns (stacks, result)."""
    result = run("record", "--pid", pid, "-f", "raw", "-o", "-", *args, **popen)
    if result.rc != expect:
        raise RuntimeError("record failed: %s" % result)
    return parse_raw(result.text), result
