#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""How a recording ends, by which signal and with what exit code; its line on a terminal."""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import sys
import tempfile
import termios
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import ROOT, Target

ERASE = b"\r\x1b[K"
DRAWN = b"Recording: "
SAMPLED = re.compile(rb"Recording: [^\r]*[ ,][1-9][0-9]* samples")
FOLDER = tempfile.mkdtemp(prefix="pyattach-test.")


def path(name):
    return os.path.join(FOLDER, name)


def content(name):
    with open(path(name)) as f:
        return f.read()


def left_over():
    return sorted(name for name in os.listdir(FOLDER) if name.startswith("."))


class Terminal:
    """The program under test with a terminal as stderr (and stdout, unless given)."""

    def __init__(self, *args, stdout=None, prepare=None, background=False, term="xterm"):
        self.screen = b""
        pid, master = pty.fork()
        if pid == 0:
            try:
                if stdout is not None:
                    os.dup2(stdout, 1)
                if prepare:
                    prepare()
                if background:
                    # The terminal belongs to this process; what it starts is a job behind it.
                    child = os.fork()
                    if child:
                        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xff)
                    os.setpgid(0, 0)
                os.environ["TERM"] = term
                os.execv(pyattach.BINARY, pyattach.command("record", *args))
            finally:
                os._exit(127)
        self.pid, self.master = pid, master

    def more(self):
        """Reads on; False at the end."""
        try:
            data = os.read(self.master, 4096)
        except OSError:  # EIO: the last one that had it open has closed it
            data = b""
        self.screen += data
        return bool(data)

    def until_drawn(self, what=SAMPLED):
        """Waits for a progress line that is drawn from now on: the recording is under way."""
        start = len(self.screen)
        while not re.search(what, self.screen[start:]):
            if not self.more():
                raise RuntimeError("no progress line: %r" % self.screen)

    def kill(self, *signals):
        for number in signals:
            os.kill(self.pid, number)

    def finish(self):
        """The exit code; screen holds everything."""
        while self.more():
            pass
        os.close(self.master)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    @property
    def last_line(self):
        return self.screen.decode().rstrip().splitlines()[-1]


def full_pipe():
    """A pipe into which not one more byte goes: (read end, write end)."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    try:
        while True:
            os.write(writer, b"\0")
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


def test_signals(spinner):
    def by_ctrl_c(run):
        os.write(run.master, b"\x03")

    ways = [("Ctrl-C", by_ctrl_c)]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        ways.append((name, lambda run, number=getattr(signal, name): run.kill(number)))
    for name, send in ways:
        run = Terminal("-p", spinner.pid, "-o", path("stopped.txt"))
        run.until_drawn()
        send(run)
        tap.equal(run.finish(), 0, "%s ends an endless recording with exit 0" % name)
        tap.ok(pyattach.parse_raw(content("stopped.txt")), "... the file is written")
        tap.equal(run.last_line, "Output: " + path("stopped.txt"), "... and named")
        tap.ok(DRAWN not in run.screen.rpartition(ERASE)[2], "... the progress line is gone",
               run.screen)
        os.remove(path("stopped.txt"))


def test_second_signal(spinner):
    for second in (signal.SIGTERM, signal.SIGINT):
        first = signal.SIGINT if second == signal.SIGTERM else signal.SIGTERM
        reader, writer = full_pipe()
        run = Terminal("-p", spinner.pid, "-o", "-", stdout=writer)
        run.until_drawn()
        run.kill(first, second)
        tap.equal(run.finish(), 130, "%s after %s while it can't write: exit 130" %
                  (second.name, first.name))
        os.close(reader)
        os.close(writer)


def test_two_hangups(spinner):
    reader, writer = full_pipe()
    run = Terminal("-p", spinner.pid, "-f", "raw", "-o", "-", stdout=writer)
    run.until_drawn()
    os.close(writer)
    run.kill(signal.SIGHUP, signal.SIGTERM, signal.SIGHUP)
    with os.fdopen(reader, "rb") as f:
        data = f.read().lstrip(b"\0")
    tap.equal(run.finish(), 0, "a terminal that goes away sends SIGHUP twice: exit 0")
    tap.ok(pyattach.parse_raw(data.decode()), "... what was recorded is written")


def test_nohup(spinner):
    run = Terminal("-p", spinner.pid, "-o", path("nohup.txt"),
                   prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    run.until_drawn()
    run.kill(signal.SIGHUP)
    run.until_drawn()
    tap.ok(True, "an ignored SIGHUP stays ignored")
    run.kill(signal.SIGINT)
    tap.equal(run.finish(), 0, "... and SIGINT still ends it")


def test_early_signal(spinner, python):
    # The table of offsets comes through a FIFO: as long as it does not end, nothing begins.
    os.mkfifo(path("table"))
    run = Terminal("-p", spinner.pid, "-o", path("early.svg"), "--offsets", path("table"))
    with open(path("table"), "w") as f:
        run.kill(signal.SIGTERM)
        table = "cpython-%d.%d.tbl" % python.minor
        with open(os.path.join(ROOT, "offsets", table)) as source:
            f.write(source.read())
    tap.equal(run.finish(), 3, "a signal before the first sample: exit 3")
    why = "Nothing was sampled: the recording ended before the first look at the process."
    tap.ok(why in run.screen.decode(), "... it says so", run.screen)
    tap.ok(why in content("early.svg"), "... so does the file", content("early.svg")[:2000])


def test_target_ends(python):
    with Target(python, "states.py", "spin") as target:
        target.truth()
        run = Terminal("-p", target.pid, "-d", "1h", "-o", path("ended.txt"))
        run.until_drawn()
        target.kill()
        tap.equal(run.finish(), 0, "the target ends in the middle: exit 0")
        tap.ok("The process ended, or executed another program," in run.screen.decode(), "... it says so",
               run.screen)
        tap.ok(pyattach.parse_raw(content("ended.txt")), "... the file is written")


def test_idle(python):
    with Target(python, "idle.py") as target:
        target.line()
        target.settle()
        result = pyattach.run("record", "-p", target.pid, "-d", "0.2", "-o", path("idle.svg"))
        why = "at 1 thread, none was running. Use --idle to count idle threads."
        tap.equal(result.rc, 3, "an idle target: exit 3")
        tap.ok(why in result.err, "... stderr says why", result)
        tap.ok(why in content("idle.svg"), "... so does the file", content("idle.svg")[:2000])
        result = pyattach.run("record", "-p", target.pid, "-d", "0.2", "-o", path("idle.txt"))
        tap.equal(result.rc, 3, "an idle target as folded stacks: exit 3")
        tap.ok(all(line.startswith("# ") for line in content("idle.txt").splitlines()),
               "... no stack is in the file", content("idle.txt"))
        stacks, result = pyattach.record(target.pid, "-d", "0.2", "--idle")
        tap.equal([f.name for f in stacks[0][0]], ["<module>", "outer", "inner"],
                  "--idle shows where it waits")
        tap.ok("Nothing was sampled" not in result.err, "... and finds nothing to excuse", result)


def test_progress(spinner):
    common = ["-p", spinner.pid, "-d", "0.6", "-o", path("progress.txt")]
    run = Terminal(*common)
    tap.equal(run.finish(), 0, "a recording on a terminal")
    tap.ok(DRAWN in run.screen and b" of 0.6 s, " in run.screen, "... shows how it goes",
           run.screen)
    for why, run in (("--hideprogress", Terminal(*common, "--hideprogress")),
                     ("in the background", Terminal(*common, background=True)),
                     ("TERM=dumb", Terminal(*common, term="dumb"))):
        tap.equal(run.finish(), 0, why)
        tap.ok(DRAWN not in run.screen and b"\x1b" not in run.screen, "... shows no progress",
               run.screen)
        tap.equal(run.last_line, "Output: " + path("progress.txt"), "... but the summary")


def test_width(spinner):
    size = struct.pack("4H", 24, 20, 0, 0)
    run = Terminal("-p", spinner.pid, "-o", path("width.txt"),
                   prepare=lambda: fcntl.ioctl(2, termios.TIOCSWINSZ, size))
    for _ in range(3):
        run.until_drawn(DRAWN)
    run.kill(signal.SIGINT)
    run.finish()
    drawn = [line for line in run.screen.split(ERASE) if line.startswith(DRAWN)]
    tap.equal({len(line) for line in drawn}, {19}, "20 columns: all but the last are used")


def main():
    python = pythons.newest()
    try:
        with Target(python, "states.py", "spin") as spinner:
            spinner.truth()
            for test in (test_signals, test_second_signal, test_two_hangups, test_nohup,
                         test_progress, test_width):
                tap.each([spinner], test)
            tap.each([python], lambda p: test_early_signal(spinner, p))
        tap.each([python], test_target_ends)
        tap.each([python], test_idle)
        tap.equal(left_over(), [], "no temporary file is left behind")
    finally:
        shutil.rmtree(FOLDER)
    tap.done()


main()
