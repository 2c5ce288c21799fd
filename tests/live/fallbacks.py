#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Where one way to the target's memory is closed, the other one serves."""
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import seccomp
import tap
from target import Target, sane

NOBODY = 65534
SUPPORTED = pythons.supported()


def want_frames(truth):
    return {t["thread_id"]: [[sane(n), sane(f), line] for n, f, line, _ in t["frames"]]
            for t in truth["threads"]}


def got_frames(out):
    process = json.loads(out.decode())["processes"][0]
    return {t["thread_id"]: [[f["name"], f["filename"], f["line"]] for f in t["frames"]]
            for t in process["threads"]}


def check(target, truth, name, run):
    """run(args) gives a Result: a dump must equal the truth, a recording must hold it."""
    result = run(["dump", "--json", "--pid", str(target.pid)])
    tap.ok(result.rc == 0 and got_frames(result.out) == want_frames(truth),
           name + ": a dump is right", "exit %d %s" % (result.rc, result.err))
    result = run(["record", "--pid", str(target.pid), "-d", "0.3", "-i", "-t", "-f", "raw",
                  "-o", "-"])
    tap.ok(result.rc == 0 and len(pyattach.parse_raw(result.text)) == len(truth["threads"]),
           name + ": a recording is right", "exit %d %s" % (result.rc, result.err))
    tap.ok("changed while read" not in result.err, name + ": nothing is lost", result.err)


def test_seccomp(python):
    numbers = (errno.ENOSYS, errno.EPERM) if python is SUPPORTED[-1] else (errno.ENOSYS,)
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "resting.py", folder) as target:
        truth = target.truth()
        target.settle()
        for number in numbers:
            deny = seccomp.denying(process_vm_readv=number)
            check(target, truth, "%s: process_vm_readv fails with %s" %
                  (python.version, errno.errorcode[number]),
                  lambda args: pyattach.run(*args, preexec_fn=deny))


def test_seccomp_busy(python):
    with Target(python, "states.py", "spin") as target:
        target.line()
        deny = seccomp.denying(process_vm_readv=errno.EPERM)
        stacks, _ = pyattach.record(target.pid, "-d", "0.5", "-r", "200", preexec_fn=deny)
        tap.ok(stacks and all(frames[-1].name == "spinner" for frames, _ in stacks),
               "%s: a spinner without process_vm_readv" % python.version, stacks)


class Other:
    """Runs the program under test as another user that holds CAP_SYS_PTRACE alone."""

    def __init__(self, folder):
        os.chmod(folder, 0o755)
        self.binary = os.path.join(folder, "pyattach")
        shutil.copy(pyattach.BINARY, self.binary)
        self.prefix = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY),
                       "--clear-groups", "--inh-caps", "-all,+sys_ptrace", "--ambient-caps",
                       "+sys_ptrace"]

    def run(self, args, **popen):
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
        done = subprocess.run(self.prefix + [self.binary] + args, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=env, **popen)
        return pyattach.Result(done.returncode, done.stdout, done.stderr)


def test_capability(python):
    if os.geteuid() != 0:
        tap.skip("%s: CAP_SYS_PTRACE alone" % python.version, "not root")
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as here, \
            Target(python, "resting.py", folder) as target:
        truth = target.truth()
        target.settle()
        other = Other(here)
        tap.ok(subprocess.run(other.prefix + ["cat", "/proc/%d/environ" % target.pid],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode,
               "%s: files like mem are closed to CAP_SYS_PTRACE alone" % python.version)
        check(target, truth, "%s: CAP_SYS_PTRACE alone" % python.version, other.run)
        deny = seccomp.denying(process_vm_readv=errno.EPERM)
        result = other.run(["dump", "--pid", str(target.pid)], preexec_fn=deny)
        tap.ok(result.rc == 4 and not result.out and str(target.pid) in result.err and
               "process_vm_readv" in result.err and len(result.err.splitlines()) == 1,
               "%s: both ways closed: exit 4, and why" % python.version, result)


tap.each(SUPPORTED, test_seccomp)
tap.each(SUPPORTED, test_seccomp_busy)
tap.each(SUPPORTED, test_capability)
tap.done()
