#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Whatever cannot be inspected is told apart: its own sentence, its own exit code."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import PROGRAMS, Target, environment, read_stat

NOBODY = 65534


def refuses(args, code, words, name, **popen):
    """Exit code, nothing on stdout, one line on stderr that holds the words."""
    result = pyattach.run(*args, **popen)
    tap.ok(result.rc == code and result.out == b"", "%s: exit %d" % (name, code), result)
    tap.ok(len(result.err.splitlines()) == 1 and all(w in result.err for w in words),
           "%s: says so in one line" % name, "%s\nwanted words: %s" % (result, words))
    return result.err


def both(pid, code, words, name, **popen):
    """dump and record alike; record leaves no file."""
    with tempfile.TemporaryDirectory() as folder:
        first = refuses(["dump", "--pid", pid], code, words, "dump, " + name, **popen)
        refuses(["record", "--pid", pid, "-d", "1", "-o", os.path.join(folder, "x.svg")], code,
                words, "record, " + name, **popen)
        tap.equal(os.listdir(folder), [], "record, %s: no file is left" % name)
    return first


def test_none(_):
    with open("/proc/sys/kernel/pid_max") as f:
        pid = int(f.read())  # the first number that no process can have
    both(pid, 5, ["no process %d" % pid], "no such process")


def test_zombie(_):
    child = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    both(child.pid, 5, [str(child.pid), "zombie", "(true)", str(os.getpid())], "a zombie")
    child.wait()


def test_kernel_thread(_):
    try:
        with open("/proc/2/comm") as f:
            visible = f.read() == "kthreadd\n"
    except OSError:
        visible = False
    if visible:
        both(2, 5, ["2 (kthreadd)", "kernel"], "a kernel thread")
    else:
        tap.skip("a kernel thread", "none is visible here")


def test_itself(_):
    for args in ("dump --pid $$", "record -d 1 --pid $$ -o /dev/null"):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" ' + args, pyattach.BINARY],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        result = pyattach.Result(done.returncode, done.stdout, done.stderr)
        tap.ok(result.rc == 5 and "itself" in result.err, "%s: its own pid: exit 5" % args, result)


def test_not_python(python):
    with Target("/bin/sh", "-c", "read line") as shell:
        both(shell.pid, 5, ["%d (" % shell.pid, "not a Python process"], "a shell")
    script = '"%s" "%s" <&3 & "%s" "%s" <&3 & wait' % (
        (python.path, os.path.join(PROGRAMS, "idle.py")) * 2)
    with Target("/bin/sh", "-c", "exec 3<&0; " + script) as shell:
        shell.line()
        shell.line()
        with open("/proc/%d/task/%d/children" % (shell.pid, shell.pid)) as f:
            children = f.read().split()
        try:
            both(shell.pid, 5, ["not a Python process"] + children,
                 "a shell with Python children, which are named")
        finally:
            for child in children:
                os.kill(int(child), 9)


def test_other_user(python):
    if os.geteuid() != 0:
        tap.skip("another user's process", "only root can be two users")
        return
    prefix = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    with tempfile.TemporaryDirectory() as folder, Target(python, "idle.py") as target:
        os.chmod(folder, 0o777)
        binary = os.path.join(folder, "pyattach")
        shutil.copy(pyattach.BINARY, binary)
        target.line()
        for args in (["dump"], ["record", "-d", "1", "-o", os.path.join(folder, "x.svg")]):
            done = subprocess.run([str(p) for p in prefix] + [binary] + args +
                                  ["--pid", str(target.pid)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            result = pyattach.Result(done.returncode, done.stdout, done.stderr)
            words = [str(target.pid), "uid 0", "uid %d" % NOBODY, "sudo"]
            tap.ok(result.rc == 4 and all(w in result.err for w in words),
                   "%s, another user's process: exit 4, cause and cure" % args[0],
                   "%s\nwanted words: %s" % (result, words))
        tap.equal(os.listdir(folder), ["pyattach"], "no file is left")


def test_capability(python):
    """Root without CAP_SYS_PTRACE, on a process of another user."""
    if os.geteuid() != 0:
        tap.skip("root without a capability", "not root")
        return

    def become_nobody():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        program = os.path.join(folder, "idle.py")
        shutil.copy(os.path.join(PROGRAMS, "idle.py"), program)
        with Target("/usr/bin/python3", program, prepare=become_nobody) as target:
            target.line()
            prefix = ["setpriv", "--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"]
            both(target.pid, 4, [str(target.pid), "CAP_SYS_PTRACE"],
                 "root without CAP_SYS_PTRACE", prefix=prefix)


def test_ends_while_attaching(python):
    """Killed at random moments of the attach: an answer or a sentence, never anything else."""
    rng = random.Random(5)
    bad = []
    for i in range(100):
        with Target(python, "idle.py") as target:
            target.line()
            run = pyattach.start("dump", "--pid", target.pid)
            time.sleep(rng.random() * 0.006)
            os.kill(target.pid, 9)
            result = pyattach.finish(run)
            told = "Thread %d " % target.pid in result.text if result.rc == 0 else \
                "ended" in result.err and str(target.pid) in result.err and result.out == b""
            if result.rc not in (0, 5) or not told:
                bad.append(result)
    tap.ok(not bad, "a target that ends while it is attached to: exit 0 or 5, and a word",
           "\n".join(str(b) for b in bad[:3]))


def test_ends_while_starting(python):
    """Attached to while the interpreter still starts: an answer or a sentence."""
    rng = random.Random(6)
    bad, good = [], 0
    for i in range(40):
        child = subprocess.Popen([python.path, os.path.join(PROGRAMS, "idle.py")],
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 env=environment())
        try:
            time.sleep(rng.random() * 0.02)
            result = pyattach.run("dump", "--pid", child.pid)
            good += result.rc == 0
            if result.rc not in (0, 1, 5) or (result.rc and not result.err):
                bad.append(result)
        finally:
            child.kill()
            child.communicate()
    tap.diag("%d of 40 starting interpreters could be read" % good)
    tap.ok(not bad, "an interpreter that is starting: an answer or a sentence",
           "\n".join(str(b) for b in bad[:3]))


def test_leaves_nothing_stopped(python):
    with Target(python, "idle.py") as target:
        target.line()
        target.settle()
        refuses(["dump", "--pid", target.pid, "--offsets", "/dev/null"], 2, ["/dev/null"],
                "an empty table of offsets")
        tap.equal(read_stat(target.pid)[0], "S", "the target sleeps on")


newest = pythons.newest()
for test in (test_none, test_zombie, test_kernel_thread, test_itself, test_not_python,
             test_other_user, test_capability, test_ends_while_attaching,
             test_ends_while_starting, test_leaves_nothing_stopped):
    tap.each([newest], test)
tap.done()
