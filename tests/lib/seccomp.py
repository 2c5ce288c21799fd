# SPDX-License-Identifier: MIT
"""A seccomp filter that makes chosen system calls fail: what a container's profile does."""
import ctypes
import platform
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD_NR, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7fff0000, 0x00050000
_NUMBERS = {
    "x86_64": {"process_vm_readv": 310, "kcmp": 312, "pread64": 17, "ptrace": 101},
    "aarch64": {"process_vm_readv": 270, "kcmp": 272, "pread64": 67, "ptrace": 117},
}[platform.machine()]


class _Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def denying(**calls):
    """A function for preexec_fn: denying(process_vm_readv=errno.ENOSYS)."""
    code = [struct.pack("HBBI", _LOAD_NR, 0, 0, 0)]
    for name, number in calls.items():
        code.append(struct.pack("HBBI", _JUMP_IF_EQUAL, 0, 1, _NUMBERS[name]))
        code.append(struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | number))
    code.append(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW))
    text = b"".join(code)
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        program = _Program(len(code), text)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_SECCOMP)")
    return install
