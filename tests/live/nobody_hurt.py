#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The target is only ever read: no system call that could change it, whatever becomes of us."""
import mmap
import os
import random
import re
import struct
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import pyattach
import pythons
import tap
from target import Target, read_stat

# Not one of these may be called at all.
FORBIDDEN = ("ptrace process_vm_writev kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo "
             "pidfd_send_signal pidfd_getfd process_madvise process_mrelease kcmp setpriority "
             "sched_setscheduler sched_setattr sched_setparam migrate_pages move_pages "
             "bpf userfaultfd").split()
# These only on ourselves.
OWN = {"sched_setaffinity", "prlimit64", "setpgid"}
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")
KILLS = 100


def writes_of(folder):
    """Whether a path may be opened for writing: the output, and what stands for it."""
    allowed = [re.escape(folder) + r"/.*", r"/proc/self/fd/\d+", r"\.pyattach-\w+\.tmp",
               r"/dev/null", r"[\w.-]+\.svg"]
    return re.compile("|".join("(?:%s)" % a for a in allowed) + "$")


def faults(log, folder):
    """Lines of a strace log that a reader has no business with."""
    allowed, bad, calls = writes_of(folder), [], set()
    for line in log:
        match = CALL.match(line)
        if not match:
            continue
        name, args = match.groups()
        calls.add(name)
        if name in FORBIDDEN:
            bad.append(line)
        if name in OWN and not args.startswith(("0,", "getpid()")):
            bad.append(line)
        if name in ("open", "openat", "openat2", "creat") and \
                re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", args):
            path = re.search(r'"([^"]*)"', args).group(1)
            if not allowed.match(path):
                bad.append(line)
    return bad, calls


def test_calls(python):
    with tempfile.TemporaryDirectory() as folder, \
            Target(python, "busy.py", "mixed", 4, 20, 2) as target:
        target.line()
        for i, args in enumerate((["dump"], ["dump", "--json"],
                                  ["record", "-d", "0.5", "-t", "-i", "-o", folder + "/x.svg"])):
            path = os.path.join(folder, "log %d" % i)
            env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
            result = pyattach.run(*args, "--pid", target.pid, env=env,
                                  prefix=["strace", "-f", "-qq", "-v", "-s", "300", "-o", path])
            with open(path, errors="replace") as log:
                bad, calls = faults(log, folder)
            name = "%s: %s" % (python.version, args[0] + " " + args[1] if args[1:] else args[0])
            tap.ok(result.rc == 0 and "process_vm_readv" in calls and "pread64" in calls,
                   name + ": runs under strace", "%s\n%s" % (result, calls))
            tap.ok(not bad, name + ": only reads", "".join(bad[:10]))


def count(counters, index):
    return struct.unpack_from("Q", counters, 8 * index)[0]


def test_kills(python):
    """Killed at random moments, from the first instruction on."""
    rng = random.Random(python.minor[1])
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.NamedTemporaryFile(dir=folder) as shared, \
            Target(python, "counters.py", shared.name) as target:
        tids = target.truth()
        counters = mmap.mmap(shared.fileno(), 4096, prot=mmap.PROT_READ)
        bad = []
        for i in range(KILLS):
            args = ["dump"] if i % 3 == 0 else ["record", "-r", "1000", "-i", "-o", "/dev/null",
                                                "-f", "raw"]
            run = pyattach.start(*args, "--pid", target.pid)
            time.sleep(rng.random() * (0.004 if i % 2 else 0.03))
            run.kill()
            run.communicate()
            for index, tid in enumerate(tids):
                state = read_stat(target.pid, tid)
                if not state or state[0] not in "RS":
                    bad.append("kill %d: thread %d is %s" % (i, tid, state and state[0]))
                before = count(counters, index)
                while count(counters, index) == before and read_stat(target.pid, tid):
                    os.sched_yield()
        tap.ok(not bad, "%s: %d kills, every thread runs or sleeps as before" %
               (python.version, KILLS), "\n".join(bad[:10]))
        tap.ok(target.process.poll() is None, "%s: every counter moves on" % python.version)


supported = pythons.supported()
tap.each(supported, test_calls)
tap.each([supported[0], supported[-1]] if supported[1:] else supported, test_kills)
tap.done()
