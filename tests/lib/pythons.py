#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The Python interpreters of this machine that the live tests run on.

PYATTACH_PYTHONS (executables, separated by ':') replaces the search. As a program it prints one
line "VERSION PATH" per interpreter; with an argument "supported" or "refused" only those.
"""
import glob
import os
import subprocess
import sys

FIRST, LAST = (3, 8), (3, 13)  # what the program under test supports

PROBE = """
import sys, os
try:
    impl = sys.implementation.name
except AttributeError:
    impl = "cpython"
print("%s|%d.%d.%d|%s|%s" % (os.path.realpath(sys.executable), sys.version_info[0],
      sys.version_info[1], sys.version_info[2], impl, getattr(sys, "abiflags", "")))
"""


class Python:
    """One interpreter: path, version ("3.11.7"), minor ((3, 11)), impl ("cpython")."""

    def __init__(self, path, version, impl, flags):
        self.path, self.version, self.impl, self.flags = path, version, impl, flags
        self.minor = tuple(int(n) for n in version.split(".")[:2])

    @property
    def supported(self):
        return self.impl == "cpython" and FIRST <= self.minor <= LAST

    @property
    def qualified(self):
        """Whether code objects know their qualified names."""
        return self.minor >= (3, 11)

    def __str__(self):
        return "%s %s" % (self.version, self.path)


def candidates():
    given = os.environ.get("PYATTACH_PYTHONS")
    if given:
        return [p for p in given.split(":") if p]
    roots = [os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")]
    try:
        roots.append(subprocess.run(["pyenv", "root"], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL).stdout.decode().strip())
    except OSError:
        pass
    found = []
    for root in roots:
        if root:
            found += sorted(glob.glob(os.path.join(root, "versions", "*", "bin", "python")))
    names = ["python3", "python2.7"] + ["python3.%d" % n for n in range(6, 16)]
    for folder in os.environ.get("PATH", "/usr/bin:/bin").split(":") + ["/usr/bin"]:
        if os.path.basename(folder) != "shims":
            found += [os.path.join(folder, name) for name in names]
    return found


def find():
    """All interpreters, oldest first; ends the program loudly when there is none."""
    seen, pythons = set(), []
    for path in candidates():
        real = os.path.realpath(path)
        if real in seen or not os.access(path, os.X_OK):
            continue
        seen.add(real)
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        try:
            out = subprocess.run([path, "-c", PROBE], stdout=subprocess.PIPE, env=env,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).stdout
        except OSError:
            continue
        fields = out.decode("utf-8", "surrogateescape").strip().split("|")
        if len(fields) == 4 and (fields[0] == real or fields[0] not in seen):
            seen.add(fields[0])
            pythons.append(Python(*fields))
    pythons.sort(key=lambda p: [int(n) for n in p.version.split(".")])
    if not pythons:
        print("Bail out! no Python interpreter found (PYATTACH_PYTHONS names them)")
        sys.exit(1)
    return pythons


def supported():
    """The interpreters that must work; ends the program loudly when there is none."""
    pythons = [p for p in find() if p.supported]
    if not pythons:
        print("Bail out! no CPython %d.%d-%d.%d found" % (FIRST + LAST))
        sys.exit(1)
    return pythons


def newest():
    """One supported interpreter, for what does not depend on the version."""
    return supported()[-1]


def refused():
    return [p for p in find() if p.impl == "cpython" and not p.supported]


if __name__ == "__main__":
    which = {"supported": supported, "refused": refused}.get("".join(sys.argv[1:]), find)
    for python in which():
        print(python)
