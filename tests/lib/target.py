# SPDX-License-Identifier: MIT
"""Starting the programs of fixtures/programs and waiting, without sleeps, until they rest."""
import ctypes
import json
import os
import signal
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(ROOT, "fixtures", "programs")

_libc = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _dying_with_driver(prepare):
    def run():
        if prepare:
            prepare()
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    return run


def environment():
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("PYTHON") and k not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONIOENCODING"] = "utf-8"
    return env


def read_stat(pid, tid=None):
    """The fields of a stat file from the state on: [0] is the state; None when it is gone."""
    path = "/proc/%d/stat" % pid if tid is None else "/proc/%d/task/%d/stat" % (pid, tid)
    try:
        with open(path, "rb") as f:
            return f.read().rsplit(b") ", 1)[1].decode().split()
    except (OSError, IndexError):
        return None


def tasks(pid):
    return sorted(int(t) for t in os.listdir("/proc/%d/task" % pid))


class Target:
    """A fixture program under one interpreter; a context manager that ends it by its pid.

    stdin stays open as long as the target is to live; stdout carries what it says of itself, one
    JSON value a line.
    """

    def __init__(self, python, program, *args, prepare=None, **popen):
        """program is a name in fixtures/programs, a path, or an option of the interpreter (-c);
        prepare is called in the new process before it executes."""
        plain = os.path.isabs(program) or program.startswith("-")
        path = program if plain else os.path.join(PROGRAMS, program)
        argv = [getattr(python, "path", python), path] + [str(a) for a in args]
        popen.setdefault("env", environment())
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        preexec_fn=_dying_with_driver(prepare), **popen)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def line(self):
        """The next line that the target writes, without its end; fails when it has ended."""
        text = self.process.stdout.readline()
        if not text.endswith(b"\n"):
            raise RuntimeError("the target ended early: %r" % text)
        return text[:-1].decode()

    def truth(self):
        return json.loads(self.line())

    def say(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def settle(self, but=()):
        """Waits until the kernel has put every thread (but those) to sleep.

        For a target whose threads have nothing left to run: that is a state to come, not a time.
        """
        while True:
            states = [read_stat(self.pid, t) for t in tasks(self.pid) if t not in but]
            if not states:
                raise RuntimeError("the target has ended")
            if all(s and s[0] == "S" for s in states):
                return
            os.sched_yield()

    def until_state(self, tid, state):
        while True:
            stat = read_stat(self.pid, tid)
            if stat is None:
                raise RuntimeError("thread %d has ended" % tid)
            if stat[0] in state:
                return
            os.sched_yield()

    def leaves_state(self, tid, state):
        """Waits until a thread is in no such state any more, or has ended."""
        while (read_stat(self.pid, tid) or "X")[0] in state:
            os.sched_yield()

    def kill(self):
        if self.process.poll() is None:
            try:
                os.kill(self.pid, signal.SIGCONT)
            except OSError:
                pass
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass


def sane(text):
    """Text as the program under test writes it: a lone surrogate is \\udcXX in letters."""
    return text.encode("utf-8", "backslashreplace").decode() if text is not None else None
